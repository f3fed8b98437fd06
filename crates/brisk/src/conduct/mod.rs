//! Conducting an experiment: the executor runs, and this observes it.
//!
//! Here the parts meet that know nothing of each other: what finished goes to the keeper (the
//! store), the deciding metrics go to the judge, and the watcher (progress) is told. Between rounds
//! the stopping rule is asked how to go on.

use std::collections::BTreeMap;

use measure::Outcome;

use crate::judge::comparison::{Comparison, Rule, compare};
use crate::judge::diagnosis::{CONTENTION_SHARE, Note};
use crate::judge::family;
use crate::judge::sequence::Sequence;
use crate::judge::stopping::{Next, Progress, StopReason, StoppingRule};
use crate::judge::verdict::Verdict;
use crate::metric::{self, CPU_TIME, CPU_WAIT, MetricId, Source, WALL_TIME};
use crate::run::{Answer, Event, Observer, ObserverError, Phase, Run, describe};
use crate::sample::Columns;

/// Keeps finished runs.
pub trait Keeper {
    /// Keeps the runs; when it returns, they outlive this process.
    fn keep(&mut self, runs: &[Run]) -> Result<(), ObserverError>;
}

/// Is told how far it has come.
pub trait Watcher {
    /// Something happened, or a second passed.
    fn watch(&mut self, state: &State<'_>);
}

/// How far an experiment has come.
#[derive(Debug)]
pub struct State<'a> {
    /// What is being done.
    pub phase: Phase,
    /// Rounds and time.
    pub progress: Progress,
    /// The share of the budget that has passed, at most 1.
    pub clock: f64,
    /// The deciding comparison of the last candidate at the last look.
    pub latest: Option<&'a Comparison>,
}

/// What an experiment consists of, as far as its conduct depends on it.
#[derive(Debug, Clone)]
pub struct Design {
    /// How many variants.
    pub variants: u32,
    /// How many commands at each point.
    pub commands: u32,
    /// When to stop.
    pub stopping: StoppingRule,
    /// The metrics named by the user.
    pub metrics: Option<Vec<MetricId>>,
    /// Whether there are instrumented rounds.
    pub instrumented: bool,
    /// Whether the time spent is taken from the runs' own starts, as when a stored experiment is
    /// judged again.
    pub replayed: bool,
}

/// The least share of the budget after which a settled answer ends the measuring: the other metrics
/// have less error to spend, and could say nothing after a handful of rounds.
const SOONEST: f64 = 0.05;

/// Instrumented rounds: two show whether the count is exact, and ten are enough when it is not.
const INSTRUMENTED_ROUNDS: (u32, u32) = (2, 10);

/// Observes one experiment.
pub struct Conductor<'a> {
    design: Design,
    keeper: &'a mut dyn Keeper,
    watcher: &'a mut dyn Watcher,
    sequence: Sequence,
    pairs: Vec<(u32, u32)>,
    columns: Columns,
    waited_and_passed: Vec<(f64, f64)>,
    phase: Phase,
    watch: Option<measure::clock::Stopwatch>,
    first_start_ns: Option<u64>,
    last_end_ns: u64,
    rounds: u32,
    looked: Option<u32>,
    latest: Option<Comparison>,
    stop: Option<StopReason>,
    tally: Tally,
}

/// What is counted over all runs.
#[derive(Debug, Default)]
struct Tally {
    failures: BTreeMap<u32, (usize, Option<Outcome>)>,
    left_behind: BTreeMap<u32, u64>,
    instrumented_rounds: u32,
}

/// What is known when it is over.
#[derive(Debug)]
pub struct Conducted {
    /// The looks that were taken.
    pub sequence: Sequence,
    /// Finished rounds.
    pub rounds: u32,
    /// From the first round's beginning to the last one's end, in seconds.
    pub elapsed_seconds: f64,
    /// Why it ended.
    pub stop: StopReason,
    /// About failures, processes left behind, and instruments.
    pub notes: Vec<Note>,
}

impl<'a> Conductor<'a> {
    /// Nothing observed yet.
    pub fn new(design: Design, keeper: &'a mut dyn Keeper, watcher: &'a mut dyn Watcher) -> Self {
        let pairs = family::pairs(design.variants, design.commands);
        let members =
            family::members(design.metrics.as_deref(), pairs.len(), design.stopping.confidence);
        let estimator = design.stopping.estimator.into();
        Self {
            keeper,
            watcher,
            sequence: Sequence::new(members, estimator),
            pairs,
            columns: Columns::new(design.variants as usize),
            waited_and_passed: vec![(0.0, 0.0); design.variants as usize],
            phase: Phase::WarmUp,
            watch: None,
            first_start_ns: None,
            last_end_ns: 0,
            rounds: 0,
            looked: None,
            latest: None,
            stop: None,
            tally: Tally::default(),
            design,
        }
    }

    /// Ends the observation; `stop` says why where the stopping rule did not.
    pub fn finish(mut self, stop: StopReason) -> Conducted {
        // The cleanup commands since then are no part of the time.
        self.design.replayed = true;
        if self.stop.is_none() && self.rounds > 0 {
            self.look();
        }
        Conducted {
            rounds: self.rounds,
            elapsed_seconds: self.elapsed_seconds(),
            stop: self.stop.unwrap_or(stop),
            notes: self.notes(),
            sequence: self.sequence,
        }
    }

    /// Observes a run of the past, and takes the looks that were due after it.
    pub fn replay(&mut self, run: &Run) {
        self.phase = Phase::Rounds;
        self.take(run);
        if self.stop.is_none()
            && !run.place.warmup
            && run.place.source == Source::Run
            && run.place.position + 1 == self.design.variants
        {
            let due = self.design.stopping.next(self.progress(), self.next_look(), self.looked);
            if due == Next::Look {
                self.due_look();
            }
        }
    }

    fn notes(&self) -> Vec<Note> {
        let failures = self.tally.failures.iter().map(|(&variant, &(runs, outcome))| {
            let how = outcome.map(describe).unwrap_or_default();
            Note::Failures { variant, runs, how }
        });
        let left = self
            .tally
            .left_behind
            .iter()
            .map(|(&variant, &processes)| Note::LeftBehind { variant, processes });
        let instrumented = (self.tally.instrumented_rounds > 0).then(|| Note::Instrumented {
            rounds: self.tally.instrumented_rounds,
            exact: self.instrument_agrees(),
        });
        failures.chain(left).chain(instrumented).collect()
    }

    fn elapsed_seconds(&self) -> f64 {
        if self.design.replayed || self.phase != Phase::Rounds {
            let first = self.first_start_ns.unwrap_or(self.last_end_ns);
            return self.last_end_ns.saturating_sub(first) as f64 / 1e9;
        }
        self.watch.as_ref().map_or(0.0, |watch| watch.elapsed().as_secs_f64())
    }

    fn progress(&self) -> Progress {
        Progress { rounds: self.rounds, elapsed_seconds: self.elapsed_seconds() }
    }

    fn take(&mut self, run: &Run) {
        let variant = run.place.variant;
        if run.outcome != Outcome::Exited(0) {
            let failures = self.tally.failures.entry(variant).or_insert((0, None));
            *failures = (failures.0 + 1, Some(run.outcome));
        }
        if run.left_behind > 0 {
            *self.tally.left_behind.entry(variant).or_insert(0) += u64::from(run.left_behind);
        }
        if run.place.warmup {
            return;
        }
        let members = self.sequence.members();
        let is_deciding = |id: &MetricId| {
            *id == CPU_TIME || members.iter().any(|member| member.decides && member.metric == *id)
        };
        match run.place.source {
            Source::Valgrind => self.columns.push(run, |_| true),
            Source::Run => {
                // With a fixed number of rounds there is nothing to decide on the way.
                if !self.design.stopping.is_fixed() {
                    self.columns.push(run, is_deciding);
                }
                self.take_times(run);
            }
        }
    }

    fn take_times(&mut self, run: &Run) {
        let value =
            |id: MetricId| run.readings.get(&id).and_then(|value| value.as_ref().ok()).copied();
        let wall = value(WALL_TIME).unwrap_or(0.0);
        if let Some(wait) = value(CPU_WAIT) {
            let (waited, passed) = &mut self.waited_and_passed[run.place.variant as usize];
            *waited += wait;
            *passed += wall;
        }
        self.first_start_ns.get_or_insert(run.started_unix_ns);
        self.last_end_ns = run.started_unix_ns + (wall * 1e9) as u64;
        if run.place.position + 1 == self.design.variants {
            self.rounds = self.rounds.max(run.place.round + 1);
        }
    }

    /// Takes a look; whether every deciding verdict is settled.
    fn look(&mut self) -> bool {
        let clock = self.design.stopping.clock(self.progress());
        self.sequence.look(self.rounds, clock);
        self.looked = Some(self.rounds);
        let pairs = self.pairs.clone();
        let mut settled = true;
        for &(baseline, candidate) in &pairs {
            settled &= self.is_pair_settled(baseline, candidate);
        }
        settled && !pairs.is_empty()
    }

    fn is_pair_settled(&mut self, baseline: u32, candidate: u32) -> bool {
        let deciding: Vec<MetricId> = self
            .sequence
            .members()
            .iter()
            .filter(|member| member.decides)
            .map(|member| member.metric.clone())
            .collect();
        let margin = self.design.stopping.margin;
        let mut settled = !deciding.is_empty();
        for id in deciding {
            let Some(comparison) = self.compare(&id, baseline, candidate) else { continue };
            let mut this = comparison.is_settled(margin);
            if !this && comparison.verdict == Verdict::Inconclusive && id == WALL_TIME {
                this = self.is_contended(baseline, candidate)
                    && self
                        .compare(&CPU_TIME, baseline, candidate)
                        .is_some_and(|cpu| cpu.is_settled(margin));
            }
            settled &= this;
            self.latest = Some(comparison);
        }
        settled
    }

    fn compare(&self, id: &MetricId, baseline: u32, candidate: u32) -> Option<Comparison> {
        let look = self.sequence.level(id)?;
        let pairs = self.columns.get(id, Source::Run)?.pairs(baseline, candidate);
        let rule = Rule {
            estimator: self.design.stopping.estimator.into(),
            margin: self.design.stopping.margin,
        };
        let direction = metric::find(id)?.direction;
        compare(&pairs, direction, Source::Run, rule, look).ok()
    }

    fn is_contended(&self, baseline: u32, candidate: u32) -> bool {
        let share = |variant: u32| {
            let (waited, passed) = self.waited_and_passed[variant as usize];
            if passed > 0.0 { waited / passed } else { 0.0 }
        };
        share(baseline).max(share(candidate)) >= CONTENTION_SHARE
    }

    /// Of a single variant there is nothing to compare; it is settled when the interval of its
    /// median is no wider than the margin on either side.
    fn is_single_settled(&self) -> bool {
        let Some(column) = self.columns.get(&WALL_TIME, Source::Run) else { return false };
        let summary = stats::describe::summarise(&column.of_variant(0));
        summary.is_some_and(|summary| {
            let most = 1.0 + self.design.stopping.margin.fraction();
            summary.median_interval.is_some_and(|(low, high)| {
                high <= summary.median * most && low >= summary.median / most
            })
        })
    }

    fn next_look(&self) -> u32 {
        let min = self.design.stopping.min_rounds;
        if self.design.stopping.is_fixed() {
            return min;
        }
        let next = stats::sequential::next_look(self.looked.unwrap_or(0) as usize, min as usize);
        u32::try_from(next).unwrap_or(u32::MAX)
    }

    fn more_measured(&mut self) -> u32 {
        loop {
            let next = self.design.stopping.next(self.progress(), self.next_look(), self.looked);
            match next {
                Next::Rounds(more) => return more,
                Next::LastLook(reason) => {
                    self.look();
                    self.stop = Some(reason);
                    return 0;
                }
                Next::Look if self.due_look() => {
                    self.stop = Some(StopReason::Settled);
                    return 0;
                }
                Next::Look => {}
            }
        }
    }

    /// Takes the look that is due, unless it could find nothing; whether measuring may end.
    fn due_look(&mut self) -> bool {
        self.looked = Some(self.rounds);
        if self.design.variants == 1 {
            return self.is_single_settled();
        }
        let clock = self.design.stopping.clock(self.progress());
        self.sequence.can_find(self.rounds, clock) && self.look() && clock >= SOONEST
    }

    fn more_instrumented(&self, done: u32) -> u32 {
        let (few, many) = INSTRUMENTED_ROUNDS;
        match (self.design.instrumented, done) {
            (false, _) => 0,
            (true, 0) => few,
            (true, done) if done < many && !self.instrument_agrees() => many - done,
            (true, _) => 0,
        }
    }

    fn instrument_agrees(&self) -> bool {
        let Some(column) = self.columns.get(&metric::INSTRUCTIONS, Source::Valgrind) else {
            return true;
        };
        (0..self.design.variants).all(|variant| {
            let values = column.of_variant(variant);
            values.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 0.5)
        })
    }
}

impl Observer for Conductor<'_> {
    fn on(&mut self, event: Event<'_>) -> Result<Answer, ObserverError> {
        match event {
            Event::Phase(phase) => {
                self.phase = phase;
                if phase == Phase::Rounds {
                    self.watch = Some(measure::clock::Stopwatch::start());
                }
            }
            Event::Finished(runs) => {
                self.keeper.keep(runs)?;
                runs.iter().for_each(|run| self.take(run));
            }
            Event::Failed(run) => self.keeper.keep(std::slice::from_ref(run))?,
            Event::Waiting => {}
        }
        let progress = self.progress();
        self.watcher.watch(&State {
            phase: self.phase,
            clock: self.design.stopping.clock(progress),
            progress,
            latest: self.latest.as_ref(),
        });
        Ok(if measure::interrupt::requested() { Answer::Abort } else { Answer::Continue })
    }

    fn more_rounds(&mut self, phase: Phase, done: u32) -> u32 {
        match phase {
            Phase::WarmUp => self.design.stopping.warmup.saturating_sub(done),
            Phase::Rounds => self.more_measured(),
            Phase::Instrumented => {
                self.tally.instrumented_rounds = done;
                self.more_instrumented(done)
            }
        }
    }
}

#[cfg(test)]
mod tests;
