//! Conducting an experiment: the executor runs, and the conductor observes it.
//!
//! It connects parts that do not know each other: finished runs go to the keeper (the store), the
//! deciding metrics to the judge, and progress to the watcher. Between rounds the stopping rule
//! decides how to continue.

mod design;
mod failing;
mod field;
mod instrumented;
mod looking;
mod notes;
mod observers;
mod outlook;
mod outputs;
mod pace;
mod replay;
mod settled;
mod standings;
mod sweeping;
mod timing;
mod turns;

use std::borrow::Cow;
use std::collections::BTreeMap;

use measure::Outcome;
use measure::clock::Stopwatch;

pub use design::Design;
use failing::Failed;
pub use failing::{LastWords, MOST_IN_A_ROW};
use field::Field;
use judge::comparison::Comparison;
use judge::equal_work::Sight;
use judge::sequence::Sequence;
use model::design::stopping::{Progress, StopReason};
use model::metric::{CPU_TIME, CPU_WAIT, MetricId, Source, WALL_TIME};
use model::note::Note;
use model::run::{Run, RunPlace};
use model::sample::Columns;
use model::sweep::rule::Withdrawal;
pub use observers::{ConductProgress, Keeper, Watcher};
use outputs::Outputs;
use pace::Marks;
pub use replay::Past;
use run::suite::lists::Lists;
use run::{Answer, Event, Observer, ObserverError, Phase};
use standings::Standings;
use stats::dominance::Standing;
use store::record;
use timing::Timing;
pub use turns::{SharedMachine, Wait};

/// The share of the budget before which a settled answer does not end the measuring: the other
/// metrics have less error to spend, and would be inconclusive after a handful of rounds.
const SOONEST: f64 = 0.05;

/// Observes one experiment.
pub struct Conductor<'a> {
    design: Design,
    keeper: &'a mut dyn Keeper,
    watcher: &'a mut dyn Watcher,
    sequence: Sequence,
    standings: Standings,
    /// In a sweep, the points that take part.
    field: Option<Field>,
    /// In other experiments that survive failures, the failed runs.
    failed: Failed,
    columns: Columns,
    waited_and_passed: Vec<(f64, f64)>,
    phase: Phase,
    timing: Timing,
    rounds: u32,
    /// Runs of the round in progress.
    begun: u32,
    /// The number of the last round with a run.
    last_round: u32,
    looked: Option<u32>,
    latest: Option<Comparison>,
    /// The expected round at which everything will be settled; `None` if nothing will be, or it is
    /// unknown.
    settled_round: Option<u32>,
    /// The round of the next such forecast.
    foresight_at: u32,
    watch: Stopwatch,
    /// The machine, if others may wait for it, and the time since it was acquired.
    machine: Option<(Box<dyn SharedMachine>, Stopwatch)>,
    marks: Marks,
    /// The seconds of a round without an instrument.
    seconds_a_round: Option<f64>,
    stop: Option<StopReason>,
    trouble: Option<ObserverError>,
    tally: Tally,
    outputs: Outputs,
    /// Notes from the runner of the experiment.
    noted: Vec<Note>,
}

/// Counts over all runs.
#[derive(Debug, Default)]
struct Tally {
    failures: BTreeMap<u32, (usize, Option<Outcome>)>,
    left_behind: BTreeMap<u32, u64>,
    warmup_rounds: u32,
    instrumented_rounds: BTreeMap<Source, u32>,
}

/// The results at the end of an experiment.
#[derive(Debug)]
pub struct Conducted {
    /// The looks taken.
    pub sequence: Sequence,
    /// The look at which each comparison was settled, in the order of the contrasts' pairs.
    pub settled_at: Vec<Option<usize>>,
    /// Finished rounds.
    pub rounds: u32,
    /// Seconds from the beginning of the first round to the end of the last one.
    pub elapsed_seconds: f64,
    /// The reason that it ended.
    pub stop: StopReason,
    /// Notes on failures, leftover processes, and instruments.
    pub notes: Vec<Note>,
    /// The variants that were withdrawn: points that left a sweep, and variants whose runs failed
    /// repeatedly.
    pub withdrawn: Vec<Withdrawal>,
    /// In a sweep, the standing of each point among those that are left; `None` for a point that
    /// has left, or was not read.
    pub standings: Vec<Option<Standing>>,
    /// The reason and output of each variant's last failed run, if the experiment survived it.
    pub last_words: BTreeMap<u32, LastWords>,
    /// The runs of each variant made for their output; `None` if outputs are not compared.
    pub sights: Option<Vec<Vec<Sight>>>,
}

impl<'a> Conductor<'a> {
    /// A conductor that has observed nothing yet.
    pub fn new(design: Design, keeper: &'a mut dyn Keeper, watcher: &'a mut dyn Watcher) -> Self {
        let members = design.contrasts.members(design.metrics.as_deref(), &design.stopping);
        let estimator = design.stopping.estimator.into();
        let field = design.stopping.sweep.clone();
        let field = field.map(|rule| Field::new(rule, design.variants, &design.stopping));
        Self {
            field,
            failed: Failed::new(design.contrasts.failing),
            keeper,
            watcher,
            sequence: Sequence::new(members, estimator).keeping(design.stopping.stage.reserve),
            standings: Standings::new(&design.contrasts, design.variants),
            columns: Columns::new(design.variants as usize).treated(design.treatment.clone()),
            waited_and_passed: vec![(0.0, 0.0); design.variants as usize],
            phase: Phase::WarmUp,
            timing: Timing::default(),
            rounds: 0,
            begun: 0,
            last_round: 0,
            looked: None,
            latest: None,
            settled_round: None,
            foresight_at: outlook::FEWEST_ROUNDS,
            watch: Stopwatch::start(),
            machine: None,
            marks: Marks::default(),
            seconds_a_round: None,
            stop: None,
            trouble: None,
            tally: Tally::default(),
            outputs: Outputs::new(design.variants, design.claims_equal_work),
            noted: Vec::new(),
            design,
        }
    }

    /// Ends the observation; `stop` is the reason if the stopping rule gave none.
    pub fn finish(mut self, stop: StopReason) -> Conducted {
        self.machine = None;
        // The cleanup commands since then do not count as measuring time.
        self.timing.stop_watch();
        let last_look = self.sequence.looks().checked_sub(1);
        let looked = last_look.and_then(|look| self.sequence.rounds_at(look));
        if self.stop.is_none() && self.rounds > 0 && looked != Some(self.rounds) {
            self.look();
        }
        let mut notes = self.notes();
        notes.append(&mut self.noted);
        let elapsed_seconds = self.timing.elapsed_seconds();
        let (failed, last_words) = self.failed.finish();
        Conducted {
            rounds: self.rounds,
            elapsed_seconds,
            stop: self.stop.unwrap_or(stop),
            notes,
            settled_at: self.standings.settled_at().to_vec(),
            standings: self.field.iter().flat_map(|field| field.standings(&self.columns)).collect(),
            withdrawn: match self.field {
                Some(field) => field.into_withdrawn(self.rounds, &self.columns),
                None => failed,
            },
            last_words,
            sequence: self.sequence,
            sights: self.outputs.finish(),
        }
    }

    /// Keeps a note from the runner of the experiment; each only once.
    ///
    /// # Errors
    ///
    /// When it cannot be kept.
    pub fn note(&mut self, note: Note) -> Result<(), ObserverError> {
        if !self.noted.contains(&note) {
            self.keeper.keep(record::Event::Noted { note: Cow::Borrowed(&note) })?;
        }
        self.take_note(note);
        Ok(())
    }

    fn take_note(&mut self, note: Note) {
        if !self.noted.contains(&note) {
            self.noted.push(note);
        }
    }

    fn progress(&self) -> Progress {
        Progress { rounds: self.rounds, elapsed_seconds: self.timing.elapsed_seconds() }
    }

    fn take(&mut self, run: &Run) {
        let variant = run.place.variant;
        if self.fails(run) {
            self.take_failed(run);
            return;
        }
        self.failed.succeed(variant);
        let is_plain = run.place.source == Source::Run;
        if is_plain && run.outcome != Outcome::Exited(0) && self.failed.counts() {
            let failures = self.tally.failures.entry(variant).or_insert((0, None));
            *failures = (failures.0 + 1, Some(run.outcome));
        }
        if run.left_behind > 0 {
            *self.tally.left_behind.entry(variant).or_insert(0) += u64::from(run.left_behind);
        }
        let begun_rounds = run.place.round + 1;
        if run.place.warmup {
            self.tally.warmup_rounds = self.tally.warmup_rounds.max(begun_rounds);
            return;
        }
        let members = self.sequence.members();
        let field = self.field.as_ref();
        let is_deciding = |id: &MetricId| {
            *id == CPU_TIME
                || field.is_some_and(|field| field.reads(id))
                || members.iter().any(|member| member.decides && member.metric.is_told_from(id))
        };
        match run.place.source {
            Source::Runtime | Source::Valgrind | Source::Sampled | Source::FollowUp => {
                let rounds = self.tally.instrumented_rounds.entry(run.place.source).or_insert(0);
                *rounds = begun_rounds.max(*rounds);
                self.columns.push(run, |_| true);
            }
            Source::Run => {
                // With a fixed number of rounds nothing has to be decided on the way.
                if !self.design.stopping.is_fixed() || field.is_some() {
                    self.columns.push(run, is_deciding);
                }
                self.take_times(run);
            }
        }
    }

    fn begin_phase(&mut self, phase: Phase) -> Result<(), ObserverError> {
        if matches!(phase, Phase::Instrumented(_)) {
            let pace = self.marks.pace(self.now());
            self.seconds_a_round = self.seconds_a_round.or(pace.map(|pace| pace.seconds_each));
            self.timing.stop_watch();
        }
        self.phase = phase;
        self.go_on(self.done_before(phase))
    }

    /// Records the progress of the phase.
    fn mark(&mut self, run: &Run) {
        let in_round = self.in_round(run.place.round);
        let is_judged = !run.place.warmup && run.place.source == Source::Run;
        let done = match is_judged {
            true => f64::from(self.rounds) + f64::from(self.begun) / f64::from(in_round.max(1)),
            false => {
                let share = f64::from(run.place.position + 1) / f64::from(self.design.variants);
                f64::from(run.place.round) + share
            }
        };
        self.marks.ran(self.now(), done, in_round);
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
        self.timing.ran(run.place.round, run.started_unix_ns, wall);
        self.count(run);
    }

    /// The number of runs of a round.
    fn in_round(&self, round: u32) -> u32 {
        match &self.field {
            Some(field) => field.in_round(),
            None => self.standings.active(round),
        }
    }

    /// Counts a run of a round; the last one ends the round.
    fn count(&mut self, run: &Run) {
        self.begun = run.place.position + 1;
        self.last_round = run.place.round;
        if self.begun >= self.in_round(run.place.round) {
            self.rounds = self.rounds.max(run.place.round + 1);
            self.begun = 0;
            self.field.iter_mut().for_each(Field::begin_round);
            self.leave_out_failed();
        }
    }
}

impl Observer for Conductor<'_> {
    fn on(&mut self, event: Event<'_>) -> Result<Answer, ObserverError> {
        match event {
            Event::Phase(phase) => {
                self.begin_phase(phase)?;
            }
            Event::BetweenRounds(done) => self.give_way(done)?,
            Event::Finished(runs) => {
                self.keeper.keep(record::Event::Runs { runs: runs.into() })?;
                runs.iter().for_each(|run| self.take(run));
                runs.last().into_iter().for_each(|run| self.mark(run));
                self.foresee();
            }
            Event::Failed(run) => {
                let runs = std::slice::from_ref(run).into();
                self.keeper.keep(record::Event::Runs { runs })?;
                if self.fails(run) {
                    self.take_failed(run);
                    return Ok(Answer::Withdraw);
                }
            }
            Event::SetUp(run) => self.keeper.keep(record::Event::Setup(Cow::Borrowed(run)))?,
            Event::Printed(printed) => {
                self.keeper.keep(record::Event::Printed(Cow::Borrowed(&printed)))?;
                self.outputs.take(printed);
            }
            Event::Measured(place, measurements) => {
                let measurements = Lists::from_measurements(measurements);
                let RunPlace { variant, round, .. } = place;
                self.keeper.keep(record::Event::Measurements { variant, round, measurements })?;
            }
            Event::Curves(place, curves) => {
                let (RunPlace { variant, round, .. }, curves) = (place, curves.into());
                self.keeper.keep(record::Event::Curves { variant, round, curves })?;
            }
            Event::Waiting => {}
        }
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        let progress = self.progress();
        self.watcher.watch(&ConductProgress {
            phase: self.phase,
            clock: self.design.stopping.share(progress),
            progress,
            left: self.left(),
            least_seconds: self.least_seconds(),
            latest: self.latest.as_ref(),
        });
        Ok(if measure::interrupt::requested() { Answer::Abort } else { Answer::Continue })
    }

    fn takes_part(&self, phase: Phase, variant: u32) -> bool {
        match &self.field {
            Some(field) => field.takes_part(variant),
            None => phase != Phase::Rounds || self.standings.takes_part(variant, self.rounds),
        }
    }

    fn wanted_outputs(&mut self) -> Vec<u32> {
        let mut wanted = self.outputs.wanted(&self.design.contrasts);
        wanted.retain(|&variant| self.field.as_ref().is_none_or(|field| field.takes_part(variant)));
        wanted
    }

    fn done_before(&self, phase: Phase) -> u32 {
        match phase {
            Phase::WarmUp => self.tally.warmup_rounds,
            // A round that was cut off stays incomplete.
            Phase::Rounds if self.begun > 0 => self.last_round + 1,
            Phase::Rounds => self.rounds,
            Phase::Instrumented(source) => {
                self.tally.instrumented_rounds.get(&source).copied().unwrap_or(0)
            }
        }
    }

    fn more_rounds(&mut self, phase: Phase, done: u32) -> u32 {
        match phase {
            Phase::WarmUp => self.design.stopping.warmup.saturating_sub(done),
            Phase::Rounds => {
                let more = self.more_measured();
                self.within_a_turn(more)
            }
            Phase::Instrumented(source) => {
                if done > 0 {
                    self.tally.instrumented_rounds.insert(source, done);
                }
                self.more_instrumented(source, done)
            }
        }
    }
}

#[cfg(test)]
mod tests;
