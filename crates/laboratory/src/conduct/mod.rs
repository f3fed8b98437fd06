//! Conducting an experiment: the executor runs, and the conductor observes it.
//!
//! It connects parts that do not know each other: finished runs go to the keeper (the store), the
//! deciding metrics to the judge, and progress to the watcher. Between rounds the stopping rule
//! decides how to continue: at looks, which settle comparisons. Variants that no open comparison
//! needs, or that fail, leave (`participants`); `outlook` forecasts the time left, and `time` counts
//! the time spent, in turns with others and over interruptions.

mod outlook;
mod participants;
#[cfg(test)]
mod tests;
mod time;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::machine::Turns;
use crate::watcher::{self, ConductProgress, Watcher};
use judge::comparison::{ComparisonSettings, Judgement, compare};
use judge::diagnosis::{self, CONTENTION_SHARE};
use judge::equal_work::{self, Sight};
use judge::level::level_of;
use judge::sequence::Sequence;
use measure::Outcome;
use measure::clock::Stopwatch;
use model::commission::{Commission, Kind};
use model::design;
use model::design::contrasts::Contrasts;
use model::design::stopping::{Next, Progress, StopReason, StoppingRule};
use model::metric::{self, CPU_TIME, CPU_WAIT, MetricId, Nature, Source, WALL_TIME};
use model::note::Note;
use model::run::Printed;
use model::run::{Run, RunPlace};
use model::sample::{Columns, Treatment};
use model::sweep::Withdrawal;
use model::verdict::Verdict;
use outlook::Marks;
use participants::{Failed, Field, Standings};
pub use participants::{LastWords, MOST_IN_A_ROW};
use run::suite::listing::Lists;
use run::{Answer, Event, LookTaken, Observer, ObserverError, Phase};
use stats::dominance::Standing;
use store::record;
pub use time::Past;
use time::Timing;

/// The share of the budget before which a settled answer does not end the measuring: the other
/// metrics have less error to spend, and would be inconclusive after a handful of rounds.
const SOONEST: f64 = 0.05;

/// The store of a running experiment, as its conductor sees it.
pub trait Keeper {
    /// Stores an event; on return it is durable.
    fn keep(&mut self, event: record::Event<'_>) -> Result<(), ObserverError>;
}

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
    last_round: u32,
    looked: Option<u32>,
    latest: Option<Judgement>,
    /// The round at which everything will be settled, if that is known.
    settled_round: Option<u32>,
    /// The round of the next such forecast.
    foresight_at: u32,
    watch: Stopwatch,
    /// The machine, if others may wait for it, and the time since it was acquired.
    machine: Option<(Turns, Stopwatch)>,
    marks: Marks,
    seconds_a_round: Option<f64>,
    stop: Option<StopReason>,
    trouble: Option<ObserverError>,
    tally: Tally,
    /// The outputs so far, by variant; `None` if outputs are not compared.
    sights: Option<Vec<Vec<Sight>>>,
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
    /// The variants that were withdrawn: points of a sweep, and those that failed repeatedly.
    pub withdrawn: Vec<Withdrawal>,
    /// In a sweep, the standing of each point; `None` for one that has left, or was not read.
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
            sights: (design.claims_equal_work).then(|| vec![Vec::new(); design.variants as usize]),
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
            sights: self.sights,
        }
    }

    /// Keeps a note from the runner of the experiment; each only once.
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

    fn take_output(&mut self, printed: Printed) {
        if let Some(sights) = &mut self.sights {
            sights[printed.variant as usize].push(printed.seen);
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
            Event::Phase(phase) => self.begin_phase(phase)?,
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
                self.take_output(printed);
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
        self.watcher.on(watcher::Event::Measuring(ConductProgress {
            phase: self.phase,
            clock: self.design.stopping.share(progress),
            progress,
            left: self.left(),
            least_seconds: self.least_seconds(),
            latest: self.latest.as_ref(),
        }));
        Ok(if measure::interrupt::requested() { Answer::Abort } else { Answer::Continue })
    }

    fn takes_part(&self, phase: Phase, variant: u32) -> bool {
        match &self.field {
            Some(field) => field.takes_part(variant),
            None => phase != Phase::Rounds || self.standings.takes_part(variant, self.rounds),
        }
    }

    fn wanted_outputs(&mut self) -> Vec<u32> {
        let Some(sights) = &self.sights else { return Vec::new() };
        let pairs: Vec<(u32, u32)> = self.design.contrasts.compared().collect();
        let mut wanted = equal_work::wanted(&pairs, sights);
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

impl Conductor<'_> {
    /// In a sweep, determines the points of the next round.
    fn look_at_field(&mut self) {
        if let Some(field) = &mut self.field {
            field.look(self.rounds, &self.columns);
            field.begin_round();
        }
    }

    /// The notes at the end of the experiment: failures, leftover processes, and instruments.
    fn notes(&self) -> Vec<Note> {
        let failures = self.tally.failures.iter().map(|(&variant, &(runs, outcome))| {
            let how = outcome.map(|outcome| outcome.to_string()).unwrap_or_default();
            Note::Failures { variant, runs, how }
        });
        let left = self.tally.left_behind.iter();
        let left = left.map(|(&variant, &processes)| Note::LeftBehind { variant, processes });
        let instrumented = self.tally.instrumented_rounds.iter();
        let instrumented = instrumented.filter_map(|(&source, &rounds)| {
            let exact = self.instrument_agrees(source);
            match source {
                // A round without readings is missing, with its reason.
                Source::Runtime => self
                    .has_instrumented(&metric::ASKED_WALL_TIME, source)
                    .then_some(Note::RuntimeFigures { rounds, exact }),
                Source::Sampled => Some(Note::MemorySampled { rounds }),
                // The report lists each finding.
                Source::FollowUp => None,
                _ => self
                    .has_instrumented(&metric::INSTRUCTIONS, source)
                    .then_some(Note::Instrumented { rounds, exact }),
            }
        });
        failures.chain(left).chain(instrumented).collect()
    }
}

/// The parts of an experiment that its conduct depends on.
#[derive(Debug, Clone)]
pub struct Design {
    /// The number of variants.
    pub variants: u32,
    /// The handling of readings, according to the variants' labels.
    pub treatment: Treatment,
    /// The pairs of variants to compare.
    pub contrasts: Contrasts,
    /// Set if measuring continues until the value of a variant without a comparison is known. In a
    /// history the question is since when, for which such a value is irrelevant.
    pub levels_decide: bool,
    /// The stopping rule.
    pub stopping: StoppingRule,
    /// The metrics named by the user.
    pub metrics: Option<Vec<MetricId>>,
    /// The instruments with separate rounds.
    pub instruments: Vec<Source>,
    /// Set if the variants claim to do the same work, so that their output is compared.
    pub claims_equal_work: bool,
    /// Set if the time is taken from the recorded starts of runs, to judge them again.
    pub replayed: bool,
}

impl Design {
    /// The design of a commission.
    pub fn new(commission: &Commission) -> Self {
        let execution = commission.execution.as_ref();
        Self {
            variants: u32::try_from(commission.variants.len()).expect("at most 2^20"),
            treatment: Treatment::from_labels(commission.variants.iter().map(|one| &one.labels)),
            contrasts: commission.contrasts.clone(),
            levels_decide: commission.kind != Kind::History,
            stopping: commission.rule.clone(),
            metrics: commission.metrics.clone(),
            instruments: execution.map(|one| one.instruments.clone()).unwrap_or_default(),
            claims_equal_work: execution.is_some_and(|one| one.experiment.claims_equal_work),
            replayed: false,
        }
    }
}

/// Rounds under each instrument: two show if the count is exact; if not, there are ten, or as many
/// as the comparisons need.
const INSTRUMENTED_ROUNDS: (u32, u32) = (2, 10);

/// Rounds in which memory is sampled: with three, a deviating run is outvoted.
const SAMPLED_ROUNDS: u32 = 3;

impl Conductor<'_> {
    fn more_instrumented(&self, source: Source, done: u32) -> u32 {
        if source == Source::Sampled {
            let is_wanted = self.design.instruments.contains(&source);
            return if is_wanted { SAMPLED_ROUNDS.saturating_sub(done) } else { 0 };
        }
        let estimator = self.design.stopping.estimator.into();
        let (few, usual) = INSTRUMENTED_ROUNDS;
        let few = few.min(self.design.stopping.max_rounds);
        let strictest = self.sequence.members().iter().map(|member| member.alpha).reduce(f64::min);
        let many =
            strictest.map_or(usual, |alpha| usual.max(design::enough_rounds(estimator, alpha)));
        match (self.design.instruments.contains(&source), done) {
            (false, _) => 0,
            (true, 0) => few,
            (true, done) if done < many && !self.instrument_agrees(source) => many - done,
            (true, _) => 0,
        }
    }

    /// True if the instrument's main count was the same in every round.
    fn instrument_agrees(&self, source: Source) -> bool {
        (0..self.design.variants).all(|variant| {
            let values = |id: &MetricId| {
                let column = self.columns.get(id, source);
                column.map(|column| column.of_variant(variant)).unwrap_or_default()
            };
            let counts: &[MetricId] = match source {
                Source::Run | Source::Sampled | Source::FollowUp => &[],
                // Not every runtime reports allocations.
                Source::Runtime if values(&metric::ALLOCATED).is_empty() => {
                    &[metric::GC_COUNT, metric::MAX_LIVE]
                }
                Source::Runtime => &[metric::ALLOCATED, metric::MAX_LIVE],
                Source::Valgrind => &[metric::INSTRUCTIONS],
            };
            let agree =
                |values: Vec<f64>| values.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 0.5);
            counts.iter().all(|id| agree(values(id)))
        })
    }

    fn has_instrumented(&self, id: &MetricId, source: Source) -> bool {
        let column = self.columns.get(id, source);
        column.is_some_and(|column| {
            (0..self.design.variants).any(|variant| !column.of_variant(variant).is_empty())
        })
    }

    fn is_pair_settled(&mut self, baseline: u32, candidate: u32) -> bool {
        let deciding = self.sequence.members().iter().filter(|member| member.decides);
        let deciding: Vec<MetricId> = deciding.map(|member| member.metric.clone()).collect();
        if baseline == candidate {
            return !self.design.levels_decide
                || deciding.iter().all(|id| self.is_level_settled(id, candidate) != Some(false));
        }
        let mut settled = !deciding.is_empty();
        for id in deciding {
            let Some(comparison) = self.compare(&id, baseline, candidate) else { continue };
            let limits: Vec<f64> =
                self.design.contrasts.limits_of(baseline, candidate, &id).collect();
            let mut this = comparison.is_settled(&self.design.stopping, &limits);
            let is_open = !this && comparison.verdict == Verdict::Inconclusive;
            if is_open && id == WALL_TIME && limits.is_empty() {
                this = self.is_contended(baseline, candidate)
                    && self
                        .compare(&CPU_TIME, baseline, candidate)
                        .is_some_and(|cpu| cpu.is_settled(&self.design.stopping, &[]));
            }
            settled &= this;
            self.latest = Some(comparison);
        }
        settled
    }

    fn compare(&self, id: &MetricId, baseline: u32, candidate: u32) -> Option<Judgement> {
        let look = self.sequence.level(id)?;
        let pairs = self.columns.get(id, Source::Run)?.pairs(baseline, candidate);
        let rule = ComparisonSettings {
            estimator: id.estimator(self.design.stopping.estimator.into()),
            margin: self.design.stopping.margin,
        };
        let direction = metric::find(id)?.direction;
        compare(&pairs, direction, Nature::Measured, rule, look).ok()
    }

    fn is_contended(&self, baseline: u32, candidate: u32) -> bool {
        let share = |variant: u32| {
            let (waited, passed) = self.waited_and_passed[variant as usize];
            if passed > 0.0 { waited / passed } else { 0.0 }
        };
        share(baseline).max(share(candidate)) >= CONTENTION_SHARE
    }

    /// True if a variant without a comparison is settled: the interval of its median, or of the
    /// requested quantile, is no wider than the margin on either side, or than the resolution if
    /// that is coarser. `None` if it has no values.
    fn is_level_settled(&self, id: &MetricId, variant: u32) -> Option<bool> {
        let values = self.columns.get(id, Source::Run)?.of_variant(variant);
        let level = level_of(id, &values)?;
        let StoppingRule { margin, resolution, .. } = self.design.stopping;
        let most = 1.0 + margin.fraction() * resolution.max(1.0);
        let is_within = |(low, high)| high <= level.value * most && low >= level.value / most;
        Some(level.low.zip(level.high).is_some_and(is_within))
    }

    /// Takes a look now; returns true if every deciding verdict is settled.
    fn look(&mut self) -> bool {
        let progress = self.progress();
        let look = LookTaken {
            rounds: self.rounds,
            clock: self.design.stopping.clock(progress),
            elapsed_seconds: progress.elapsed_seconds,
        };
        if let Err(trouble) = self.keeper.keep(record::Event::Look(look)) {
            self.trouble = Some(trouble);
        }
        self.take_look(look)
    }

    /// Takes a look; returns true if every deciding verdict is settled.
    fn take_look(&mut self, look: LookTaken) -> bool {
        self.sequence.look(look.rounds, look.clock);
        self.field.iter_mut().for_each(|field| field.compare_at(look.rounds, look.clock));
        self.looked = Some(look.rounds);
        let mut open = self.standings.open();
        if let Some(field) = &self.field {
            open.retain(|(_, (baseline, candidate))| {
                field.takes_part(*baseline) && field.takes_part(*candidate)
            });
        }
        let count = open.len();
        open.retain(|(_, (baseline, candidate))| self.is_pair_settled(*baseline, *candidate));
        let settled: Vec<usize> = open.into_iter().map(|(number, _)| number).collect();
        let all = settled.len() == count && !self.design.contrasts.pairs.is_empty();
        if self.may_end(look.clock) && !self.design.stopping.is_fixed() && self.field.is_none() {
            self.standings.settle(&settled, self.sequence.looks() - 1);
        }
        let is_decided = |field: &Field| field.is_decided(&self.columns);
        all && (self.design.stopping.is_fixed() || self.field.as_ref().is_none_or(is_decided))
    }

    /// True if measuring may end after the last look: every judged metric has an interval.
    fn may_end(&self, clock: f64) -> bool {
        clock >= SOONEST && self.sequence.has_intervals()
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
            self.look_at_field();
            if self.field.as_ref().is_some_and(|field| field.left() == 0) {
                self.stop = Some(StopReason::Failed);
                return 0;
            }
            if self.nobody_is_left() {
                if self.rounds > 0 && self.looked != Some(self.rounds) {
                    self.look();
                }
                self.stop = Some(StopReason::Settled);
                return 0;
            }
            let next = self.design.stopping.next(self.progress(), self.next_look(), self.looked);
            match next {
                Next::Rounds(more) => {
                    let field = self.field.as_ref();
                    return field.map_or(more, |field| more.min(field.until_look(self.rounds)));
                }
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

    /// True if no number of rounds could decide anything.
    fn decides_nothing(&self) -> bool {
        !self.design.levels_decide && self.design.contrasts.compared().next().is_none()
    }

    /// Takes the look that is due, unless it could find nothing; returns true if measuring may end.
    fn due_look(&mut self) -> bool {
        self.looked = Some(self.rounds);
        if self.decides_nothing() {
            return true;
        }
        if self.design.variants == 1 && self.design.contrasts.pairs.is_empty() {
            let is_settled = |id: &MetricId| self.is_level_settled(id, 0) == Some(true);
            let walls = self.columns.get(&WALL_TIME, Source::Run);
            if walls.is_some_and(|walls| diagnosis::is_rarity_open(&walls.of_variant(0))) {
                return false;
            }
            let named = self.design.metrics.iter().flatten();
            let mut quantiles = named.filter(|id| id.quantile().is_some());
            return is_settled(&WALL_TIME) && quantiles.all(is_settled);
        }
        let clock = self.design.stopping.clock(self.progress());
        self.sequence.can_find(self.rounds, clock) && self.look() && self.may_end(clock)
    }
}
