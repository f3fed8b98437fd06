//! An executor that runs nothing: each variant's readings are given in advance.
//!
//! It makes every test of scheduling, stopping and judging exact, and allows drift, outliers and
//! crashes in one line each.

use std::collections::BTreeMap;
use std::ops::Range;

use measure::Outcome;
use model::metric::{CPU_TIME, Missing, Readings, Source, WALL_TIME};
use model::run::Printed;
use model::run::{Plan, Run, RunPlace};

use crate::{Answer, Event, Executor, Observer, Phase, RunError};

/// Returns the behaviour of the run at a place.
pub type Script<'a> = dyn FnMut(RunPlace) -> Scripted + 'a;

/// The behaviour of a scripted run.
#[derive(Debug, Clone)]
pub enum Scripted {
    /// It takes this wall time and processor time, in seconds.
    Takes(f64),
    /// It has these readings.
    Reads(BTreeMap<model::metric::MetricId, model::metric::Value>),
    /// It fails with this exit status.
    Exits(i32),
}

/// An executor that follows a script.
pub struct ScriptedExecutor<'a> {
    /// The order of the runs.
    pub plan: Plan,
    /// The behaviour of each run.
    pub script: Box<Script<'a>>,
    /// The scripted clock: it advances by the wall time of each run.
    pub now_ns: u64,
}

impl ScriptedExecutor<'_> {
    fn round(
        &mut self,
        number: u32,
        phase: Phase,
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError> {
        let mut round = self.plan.round(number, phase == Phase::WarmUp);
        round.keep(|variant| observer.takes_part(phase, variant));
        for (position, &variant) in (0..).zip(&round.order) {
            let place = RunPlace {
                source: Source::Run,
                warmup: round.warmup,
                round: number,
                position,
                variant,
            };
            let mut run = Run {
                place,
                started_unix_ns: self.now_ns,
                outcome: Outcome::Exited(0),
                readings: Readings::default(),
                left_behind: 0,
                stderr_tail: None,
            };
            match (self.script)(place) {
                Scripted::Takes(seconds) => {
                    let readings = [WALL_TIME, CPU_TIME].map(|metric| (metric, Ok(seconds)));
                    run.readings = readings.into_iter().collect();
                }
                Scripted::Reads(readings) => run.readings = readings.into_iter().collect(),
                Scripted::Exits(code) => {
                    run.outcome = Outcome::Exited(code);
                    let answer = observer.on(Event::Failed(&run)).map_err(RunError::Observer)?;
                    if answer == Answer::Withdraw {
                        continue;
                    }
                    return Err(RunError::Failed {
                        name: format!("variant {variant}"),
                        how: run.outcome.to_string(),
                        when: format!("round {}", number + 1),
                        stderr: String::new(),
                        outcome: run.outcome,
                    });
                }
            }
            if let Some(Ok(seconds)) = run.readings.get(&WALL_TIME) {
                self.now_ns += (seconds * 1e9) as u64;
            }
            let answer = observer.on(Event::Finished(&[run])).map_err(RunError::Observer)?;
            if answer == Answer::Abort {
                return Ok(Answer::Abort);
            }
        }
        Ok(Answer::Continue)
    }
}

impl Executor for ScriptedExecutor<'_> {
    fn setup(&mut self, _observer: &mut dyn Observer) -> Result<Answer, RunError> {
        Ok(Answer::Continue)
    }

    fn rounds(
        &mut self,
        numbers: Range<u32>,
        phase: Phase,
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError> {
        for number in numbers {
            if self.round(number, phase, observer)? == Answer::Abort {
                return Ok(Answer::Abort);
            }
        }
        Ok(Answer::Continue)
    }

    fn output(&mut self, variant: u32, observer: &mut dyn Observer) -> Result<Answer, RunError> {
        let seen = Err(Missing("it is only a script".into()));
        observer.on(Event::Printed(Printed { variant, seen })).map_err(RunError::Observer)
    }

    fn cleanup(&mut self) -> Result<(), RunError> {
        Ok(())
    }
}
