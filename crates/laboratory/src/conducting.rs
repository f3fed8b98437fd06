//! Conducts commissions on this machine, regardless of where they come from.
//!
//! Follow-up after the rounds: if a benchmark was found to depend on another, it runs right after
//! that one alone.

use super::archive::StoreKeeper;
use super::conduct::{Conducted, Conductor, Design, Past};
use super::machine::Turns;
use super::measured::run_failure;
use super::watcher::Watcher;
use judge::orders::{Cause, Dependence, Orders};
use measure::Launcher;
use model::commission::{Commission, Execution, Kind};
use model::design::stopping::StopReason;
use model::failure::Failure;
use model::metric::{MetricId, Source};
use model::note::Note;
use model::run::{Plan, Run};
use model::spec::Experiment;
use model::spec::reading::CounterOption;
use model::spec::suite::{Arrangement, Seat, Seats, Suite};
use run::attendant::Attendant;
use run::instrument::memory::MemoryOverTime;
use run::instrument::recognise::{TimedSuite, timed_suite};
use run::instrument::{Instruments, scratch_folder};
use run::local::LocalExecutor;
use run::scratch::Scratch;
use run::suite::FollowUp;
use run::suite::SuiteExecutor;
use run::{Answer, Ending, Event, Observer, ObserverError, Phase, RunError, execute, instrument};
use store::{ExperimentId, Journal, Store};
use toolchains::harness::description::Arranges;

/// Fails if demanded counters are unavailable. Other counters may be missing, with a reason.
pub fn check_counters(counters: CounterOption, launcher: &Launcher) -> Result<(), Failure> {
    if counters != CounterOption::Perf {
        return Ok(());
    }
    let available = launcher.available_counters();
    match available.counters.into_iter().find_map(|(counter, there)| Some((counter, there.err()?)))
    {
        Some((counter, reason)) => Err(Failure::new(format!("cannot count {}", counter.name()))
            .because(reason.to_string())
            .hint(Some("count in separate runs with `--counters valgrind`"))),
        None => Ok(()),
    }
}

/// Refuses commands that decide themselves how long they measure: their process time means nothing.
fn check_commands(experiment: &Experiment) -> Result<(), Failure> {
    let Some(TimedSuite { program, harness }) = timed_suite(experiment) else { return Ok(()) };
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    Err(Failure::new(format!("`{name}` runs benchmarks with {}", harness.name))
        .because(
            "such a program decides itself how long it measures, so the time of its process says \
             nothing about the benchmarks",
        )
        .hint(Some(
            "`brisk bench` measures each of its benchmarks, `brisk history --harness auto` follows them, \
             and `harness = \"auto\"` in brisk.toml says it for `check` and `ci`",
        )))
}

/// The instruments or the folder that an experiment needs besides its programs.
pub enum Equipment<'a> {
    /// Whole commands are timed, and read by these instruments; an attendant may be beside each run.
    Commands(Instruments, Option<&'a dyn Attendant>),
    /// Benchmarks report into this folder.
    Suite(Scratch),
}

impl<'a> Equipment<'a> {
    /// The same equipment with an attendant for the runs of commands.
    #[must_use]
    pub fn attended_by(self, attendant: Option<&'a dyn Attendant>) -> Self {
        match self {
            Self::Commands(instruments, _) => Self::Commands(instruments, attendant),
            Self::Suite(folder) => Self::Suite(folder),
        }
    }

    /// Prepares it, and notes the available instruments in `execution`.
    pub fn new(
        execution: &mut Execution,
        metrics: Option<&[MetricId]>,
        launcher: &Launcher,
    ) -> Result<Self, Failure> {
        if execution.suite.is_some() {
            return Ok(Self::Suite(scratch_folder()?));
        }
        let (experiment, sources) = (&execution.experiment, execution.sources);
        LocalExecutor::check(experiment).map_err(|error| run_failure(&error, None))?;
        check_commands(experiment)?;
        let mut instruments = instrument::choose(sources, experiment, metrics)?;
        if execution.instruments.contains(&Source::Sampled) {
            instruments.push(Box::new(MemoryOverTime::new(sources.runtime, experiment)));
        }
        check_counters(sources.counters, launcher)?;
        execution.instruments = instruments.iter().map(|instrument| instrument.source()).collect();
        Ok(Self::Commands(instruments, None))
    }
}

/// An experiment in the store that runs may be appended to.
pub struct Begun {
    /// Its number in the store.
    pub id: ExperimentId,
    /// The journal of its runs.
    pub journal: Journal,
    /// The commission as it is conducted now. A continued experiment keeps its original run order,
    /// and each comparison its original share of the error.
    pub commission: Commission,
    /// The runs so far.
    pub past: Past,
}

/// Runs an experiment on this machine. The machine is held until the last run has ended, but is
/// handed to waiting processes between rounds. Every run is stored before the next one starts.
pub fn conduct(
    store: &mut Store,
    begun: &Begun,
    equipment: Equipment<'_>,
    turns: Turns,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<(Result<Ending, RunError>, Conducted), Failure> {
    let Begun { id, journal, commission, past } = begun;
    let execution = commission.execution.as_ref().expect("it was just asked for");
    let variants = u32::try_from(execution.experiment.variants.len()).expect("at most 2^20");
    let plan = Plan { seed: commission.seed, variants };
    let file = journal.file()?;
    let mut keeper = StoreKeeper::new(store, *id, journal);
    let conductor = Conductor::new(Design::new(commission), &mut keeper, watcher);
    let mut conductor = conductor.on_shared(turns);
    conductor.take_up(past);
    let (ending, notes) = match equipment {
        Equipment::Commands(instruments, attendant) => {
            let (experiment, reads) = (&execution.experiment, execution.reads);
            let mut executor =
                LocalExecutor::new(experiment, plan, launcher, Some(file), reads, instruments)
                    .attended_by(attendant);
            let ending = execute(&mut executor, &mut conductor);
            (ending, executor.notes())
        }
        Equipment::Suite(folder) => {
            let ending = run_suite(begun, execution, plan, launcher, &folder, &mut conductor);
            (ending, Vec::new())
        }
    };
    let kept = notes.into_iter().try_for_each(|note: Note| conductor.note(note));
    let ending = ending.and_then(|ending| kept.map(|()| ending).map_err(RunError::Observer));
    let stop = match &ending {
        Err(error) if !error.is_an_interruption() => StopReason::Failed,
        Ok(_) | Err(_) => StopReason::Interrupted,
    };
    Ok((ending, conductor.finish(stop)))
}

/// Runs benchmarks. For `brisk bench`, results are followed up.
fn run_suite(
    begun: &Begun,
    execution: &Execution,
    plan: Plan,
    launcher: &mut Launcher,
    folder: &Scratch,
    observer: &mut dyn Observer,
) -> Result<Ending, RunError> {
    let suite = execution.suite.as_ref().expect("it has benchmarks");
    let experiment = &execution.experiment;
    let mut executor = SuiteExecutor::new(suite, experiment, plan, launcher, folder);
    if begun.commission.kind != Kind::Bench {
        return execute(&mut executor, observer);
    }
    let mut following = Following::new(suite, experiment, begun.commission.rule.confidence);
    begun.past.runs.iter().for_each(|run| following.take(run));
    following.execute(&mut executor, observer)
}

struct Following<'a> {
    suite: &'a Suite,
    /// None if the suite has no arrangements.
    known: Option<(Seats, Orders)>,
    confidence: f64,
}

impl<'a> Following<'a> {
    pub(crate) fn new(suite: &'a Suite, experiment: &Experiment, confidence: f64) -> Self {
        let seats = Seats::from_labels(experiment.variants.iter().map(|variant| &variant.labels));
        let known = seats.map(|seats| (seats.clone(), Orders::new(seats.seats)));
        Self { suite, known, confidence }
    }

    pub(crate) fn take(&mut self, run: &Run) {
        self.known.iter_mut().for_each(|(_, orders)| orders.take(run));
    }

    pub(crate) fn execute(
        self,
        executor: &mut SuiteExecutor<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Ending, RunError> {
        let Some((seats, orders)) = self.known else { return execute(executor, observer) };
        let mut listener = Listener { observer, orders };
        let ending = execute(executor, &mut listener)?;
        if ending == Ending::Aborted {
            return Ok(ending);
        }
        let found = listener.orders.findings(self.confidence).dependences;
        let mut follow_ups: Vec<FollowUp> = Vec::new();
        for dependence in &found {
            let next = follow_up(self.suite, &seats, dependence);
            let next = next.filter(|one| executor.can_follow_up(*one));
            // Of several causes, the first and most certain one is followed up.
            let is_new = |next: &FollowUp| follow_ups.iter().all(|one| one.variant != next.variant);
            follow_ups.extend(next.filter(is_new));
        }
        let answer = executor.follow_up(&follow_ups, listener.observer)?;
        Ok(if answer == Answer::Abort { Ending::Aborted } else { Ending::Complete })
    }
}

/// The follow-up that shows the cause with a single benchmark before. None if more are needed.
fn follow_up(suite: &Suite, seats: &Seats, dependence: &Dependence) -> Option<FollowUp> {
    let Dependence { program, benchmark, .. } = *dependence;
    let of = &suite.programs[program];
    let place_in_suite = |name| seats.benchmarks.iter().position(|known| known == name);
    let neighbour = || {
        let is_it = |name: &String| *name == seats.benchmarks[benchmark];
        let place = of.listed.iter().position(is_it)?;
        let before = of.listed[..place].iter().rev().find_map(place_in_suite);
        let names_them = matches!(of.harness.order.arranges, Arranges::AsNamed);
        let after = of.listed[place + 1..].iter().find_map(place_in_suite);
        before.or(after.filter(|_| names_them))
    };
    let before = match dependence.cause {
        Cause::JustAfter(other) | Cause::After(other) => other,
        Cause::NotFirst => neighbour()?,
        Cause::Place => return None,
    };
    let variant = |benchmark| seats.variant(Seat { program, benchmark }, Arrangement::Together);
    Some(FollowUp { before: variant(before)?, variant: variant(benchmark)? })
}

/// Forwards events to an observer, and records the orders of runs.
struct Listener<'a> {
    observer: &'a mut dyn Observer,
    orders: Orders,
}

impl Observer for Listener<'_> {
    fn on(&mut self, event: Event<'_>) -> Result<Answer, ObserverError> {
        if let Event::Finished(runs) = &event {
            runs.iter().for_each(|run| self.orders.take(run));
        }
        self.observer.on(event)
    }

    fn takes_part(&self, phase: Phase, variant: u32) -> bool {
        self.observer.takes_part(phase, variant)
    }

    fn done_before(&self, phase: Phase) -> u32 {
        self.observer.done_before(phase)
    }

    fn more_rounds(&mut self, phase: Phase, done: u32) -> u32 {
        self.observer.more_rounds(phase, done)
    }

    fn wanted_outputs(&mut self) -> Vec<u32> {
        self.observer.wanted_outputs()
    }
}
