//! The experiments of a tuning: the batches of the search, the confirmation, and the check on
//! another command.

use std::time::Duration;

use measure::Launcher;

use super::Question;
use super::program::TunedProgram;
use crate::archive;
use crate::measured::run_failure;
use crate::question;
use crate::question::{Asker, Site};
use crate::watcher::{Event, Watcher};
use configuration::SweepRequest;
use findings::{CheckedSetting, Document};
use model::commission::Kind;
use model::design::contrasts::Contrasts;
use model::design::stopping::StoppingRule;
use model::failure::Failure;
use model::metric::{MetricId, PEAK_RSS, Source};
use model::run::Run;
use model::spec::Experiment;
use model::spec::reading::{CounterOption, RuntimeOption, Sources};
use run::Ending;
use run::local::LocalExecutor;
use store::{ExperimentId, Place, Store};
use tune::{Outcome, Point, Search};

/// Runs the experiments.
pub(super) struct Trials<'a> {
    arguments: &'a SweepRequest,
    program: &'a TunedProgram,
    question: &'a Question,
    asker: &'a Asker,
    launcher: &'a mut Launcher,
    watcher: &'a mut dyn Watcher,
    place: Place,
    batches: u32,
    /// The last experiment, which is reported if nothing is left to confirm.
    last: Option<ExperimentId>,
}

impl<'a> Trials<'a> {
    /// Trials without any runs yet.
    pub(super) fn new(
        arguments: &'a SweepRequest,
        asker: &'a Asker,
        program: &'a TunedProgram,
        question: &'a Question,
        launcher: &'a mut Launcher,
        watcher: &'a mut dyn Watcher,
    ) -> Result<Self, Failure> {
        let place = arguments.measuring.store.place()?;
        let (batches, last) = (0, None);
        Ok(Self { arguments, program, question, asker, launcher, watcher, place, batches, last })
    }

    /// Tells of the progress of the search, and of its `result` so far.
    pub(super) fn tell(&mut self, search: &Search, result: &str) {
        let (done, of) = (search.runs(), self.arguments.tune.tune_runs);
        self.watcher.on(Event::Runs { doing: "searching", done, of, result });
    }

    /// Ends the progress of the search.
    pub(super) fn end(&mut self) {
        self.watcher.on(Event::Ended);
    }

    /// Runs a batch, and passes the outcome of each run to the search.
    pub(super) fn run(&mut self, batch: &[Point], search: &mut Search) -> Result<(), Failure> {
        self.batches += 1;
        let mut experiment = self.program.experiment(batch)?;
        let patience = search.patience_seconds().map(Duration::from_secs_f64);
        let is_ours = match (experiment.timeout, patience) {
            (Some(timeout), Some(patience)) => patience < timeout,
            (None, patience) => patience.is_some(),
            (Some(_), None) => false,
        };
        if is_ours {
            experiment.timeout = patience;
        }
        let title = format!("tune {}: {}", self.batches, self.question.rule.command);
        // The first run of a program finds cold caches, so it counts for no setting.
        let warmup =
            if self.batches == 1 { self.arguments.stopping.warmup.unwrap_or(0).max(1) } else { 0 };
        let id = self.measure(&experiment, title, 1, warmup)?;
        self.last = Some(id);
        for run in self.runs(id)? {
            let point = &batch[run.place.variant as usize];
            let outcome = self.outcome(&run, is_ours)?;
            if outcome == Outcome::Failed && *point == search.space().default_point() {
                return Err(self.fails_by_default(&run));
            }
            search.tell(point, outcome)?;
        }
        Ok(())
    }

    fn outcome(&self, run: &Run, is_stopped_by_us: bool) -> Result<Outcome, Failure> {
        let value = |id: &MetricId| run.readings.get(id).and_then(|value| value.as_ref().ok());
        if !self.question.rule.fails(run.outcome)
            && let (Some(&seconds), Some(&peak_bytes)) =
                (value(&self.question.rule.minimized), value(&PEAK_RSS))
        {
            return Ok(Outcome::Finished { seconds, peak_bytes });
        }
        let stderr = run.stderr_tail.as_deref().unwrap_or_default();
        if let Some(refusal) = (self.program.adapter.refusal)(stderr) {
            return Err(Failure::new("the program does not accept settings")
                .because(refusal.to_owned())
                .hint(self.refusal_hint()));
        }
        Ok(match (run.outcome, value(&model::metric::WALL_TIME)) {
            (measure::Outcome::TimedOut, Some(&after_seconds)) if is_stopped_by_us => {
                Outcome::Stopped { after_seconds }
            }
            _ => Outcome::Failed,
        })
    }

    /// The failure of the default settings, without which there is no baseline.
    fn fails_by_default(&self, run: &Run) -> Failure {
        let command = &self.question.rule.command;
        let how = run.outcome.to_string();
        let failure = Failure::new(format!("`{command}` {how} with the default settings"));
        let failure = failure.with_stderr(run.stderr_tail.as_deref().unwrap_or_default());
        match run.outcome {
            measure::Outcome::Exited(code) => {
                failure.hint(Some(format!("allow it with `--ignore-failure={code}`")))
            }
            _ => failure,
        }
    }

    fn refusal_hint(&self) -> Option<&'static str> {
        (self.program.adapter.word == "ghc").then_some("link it with `-rtsopts`")
    }

    /// Measures the candidates of the search against the default; returns the report of the last
    /// batch if there are no candidates.
    pub(super) fn confirm(&mut self, search: &Search) -> Result<(ExperimentId, Document), Failure> {
        let candidates = search.candidates();
        let named: Vec<Point> = candidates.points().into_iter().cloned().collect();
        let rounds = u32::try_from(search.confirmation_rounds(named.len())).unwrap_or(u32::MAX);
        if named.is_empty() || rounds == 0 {
            let id = self.last.ok_or_else(|| Failure::new("nothing was run"))?;
            return Ok((id, self.document(id)?));
        }
        let points: Vec<Point> =
            std::iter::once(search.space().default_point()).chain(named).collect();
        let experiment = self.program.experiment(&points)?;
        let title = format!("tuned: {}", self.question.rule.command);
        let id = self.measure(&experiment, title, rounds, 0)?;
        Ok((id, self.document(id)?))
    }

    /// Measures a variant of the confirmation against the default on another command.
    pub(super) fn check(
        &mut self,
        confirmed: &Document,
        variant: u32,
        command: &str,
    ) -> Result<CheckedSetting, Failure> {
        let points = [0, variant].map(|variant| self.program.point_of(confirmed, variant));
        let experiment = self.program.other_experiment(self.arguments, command, &points)?;
        LocalExecutor::check(&experiment).map_err(|error| run_failure(&error, None))?;
        let rounds = confirmed.experiment.rounds.max(ROUNDS_OF_CHECK);
        let id = self.measure(&experiment, format!("tuned, checked: {command}"), rounds, 0)?;
        let document = self.document(id)?;
        let minimized = &self.question.rule.minimized;
        let part = document.comparison_of((0, 1), minimized, Source::Run).ok_or_else(|| {
            Failure::new(format!("`{command}` could not be compared"))
                .hint(Some(format!("`brisk show {id}` tells what ran")))
        })?;
        Ok(CheckedSetting {
            command: command.to_owned(),
            ratio: part.ratio,
            low: part.low,
            high: part.high,
            verdict: part.verdict,
        })
    }

    fn measure(
        &mut self,
        experiment: &Experiment,
        title: String,
        rounds: u32,
        warmup: u32,
    ) -> Result<ExperimentId, Failure> {
        let stopping = &self.arguments.stopping;
        let rule = stopping.rule(experiment.variants.len());
        let rule = StoppingRule {
            warmup,
            min_rounds: rounds,
            max_rounds: rounds,
            budget_seconds: None,
            sweep: Some(self.question.rule.clone()),
            ..rule?
        };
        let variants = u32::try_from(experiment.variants.len()).expect("at most 2^20");
        // The recommendation depends on this metric alone; memory is only reported.
        let metrics = vec![self.question.rule.minimized.clone()];
        // Instruments would need separate rounds at every point.
        let counters = match self.arguments.reading.counters {
            CounterOption::Valgrind => CounterOption::None,
            other => other,
        };
        let sources = Sources { counters, runtime: RuntimeOption::None };
        let contrasts = Contrasts::of_commands(variants, 1);
        let question = question::Question {
            title,
            sources,
            metrics: Some(metrics),
            seed: stopping.seed,
            asker: self.asker.clone(),
            ..question::Question::new(Kind::Tune, experiment, contrasts, &rule)
        };
        let site = Site::Here { no_wait: self.arguments.measuring.hold.no_wait };
        // The progress is that of the search.
        let mut but_rounds = |event: Event<'_>| match event {
            Event::Begun(_) | Event::Measuring(_) | Event::Judging { .. } | Event::Ended => {}
            event => self.watcher.on(event),
        };
        let measured =
            question.measure(&self.place, &site, self.launcher, None, &mut but_rounds)?;
        let is_interrupted = matches!(measured.ending, Ok(Ending::Aborted));
        match measured.completed(&self.place, false, self.watcher) {
            Err(_) if is_interrupted => {
                Err(Failure::new("interrupted before anything was recommended")
                    .hint(Some("what ran is kept: `brisk list`")))
            }
            completed => completed.map(|(_, id, _)| id),
        }
    }

    /// The runs of an experiment that count for the search.
    fn runs(&self, id: ExperimentId) -> Result<Vec<Run>, Failure> {
        let store = self.store()?;
        let runs = archive::runs(&store, id)?;
        Ok(runs.into_iter().filter(|run| !run.place.warmup).collect())
    }

    fn document(&self, id: ExperimentId) -> Result<Document, Failure> {
        archive::stored_document(&self.store()?, id)
    }

    pub(super) fn store(&self) -> Result<Store, Failure> {
        Store::open(&self.place).map_err(Failure::from)
    }
}

/// The number of rounds that distinguishes a setting from the default at the level of one
/// comparison, with a few to spare.
const ROUNDS_OF_CHECK: u32 = 10;
