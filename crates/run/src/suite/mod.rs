//! Runs the benchmarks of a suite, each round in fresh processes.
//!
//! Alone, every benchmark of a round has a process of its own. In the other arrangements, a program
//! has one process for all of its benchmarks, or two with half of them each; then the usage of the
//! whole process (its memory, its time) is not a reading of a benchmark. The processes of a round
//! are started in random order.
//!
//! The system counts page faults and time in the kernel per process. If a benchmark is alone in its
//! process, they belong to it, less the usage of a process that lists the benchmarks and runs none,
//! which is measured beforehand. So a benchmark found to depend on another is followed up: run
//! again after that one alone, whose usage when alone is subtracted as well, scaled to the number
//! of its iterations.
//!
//! A run counts once its harness's report is read, so it is in the store and not in the launcher's
//! journal: a kill loses the process that was running.

pub mod listing;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use measure::{
    AllowedExits, Awaits, CommandLine, FinishedRun, Launcher, Outcome, Reads, Slice, Stdout,
    StopReason, Task, Wake,
};
use model::metric::{
    ALLOCATED_PER_ITERATION, ALLOCATIONS_PER_ITERATION, CLOCK_RATE, COLLECTIONS_PER_ITERATION,
    COPIED_PER_ITERATION, CPU_WAIT, FAULTS_PER_ITERATION, GC_TIME_PER_ITERATION, ITERATIONS,
    MINOR_FAULTS, MetricId, Missing, Readings, STACK_OFFSET, SYSTEM_TIME,
    SYSTEM_TIME_PER_ITERATION, Source, TIME_PER_ITERATION, Value, WAIT_SHARE, WALL_TIME,
};
use model::run::{Plan, Round, RunPlace};
use model::spec::Experiment;
use model::spec::suite::{Arrangement, Member, Suite};
use stats::describe::summarise;
use toolchains::harness::description::{Arranges, Harness, Reported, Selection};
use toolchains::harness::measurement::{
    Figures, Measured, Measurement, per_iteration, seconds_per_iteration,
};

use crate::finished::{self, last_lines};
use crate::scratch::Scratch;
use crate::{Answer, Event, Executor, Observer, Phase, RunError, failed_with_us};

/// The executor of a suite.
pub struct SuiteExecutor<'a> {
    suite: &'a Suite,
    experiment: &'a Experiment,
    plan: Plan,
    launcher: &'a mut Launcher,
    folder: &'a Scratch,
    shares: Shares,
}

/// The size of a page, in bytes: addresses this far apart look alike to a cache.
const PAGE_BYTES: u64 = 4096;

/// The work of one process, and its place in the plan.
struct Turn<'a> {
    program: usize,
    arrangement: Arrangement,
    /// The benchmarks to run, in the order of the plan; the harness may use another.
    running: Vec<u32>,
    /// Those that take part. In a shared process, settled benchmarks keep running, so that the
    /// others still have the same ones before them.
    taking_part: Vec<u32>,
    padding: u16,
    round: &'a Round,
    /// The position of its first benchmark in the round.
    position: u32,
    source: Source,
}

impl Turn<'_> {
    /// True if the last benchmark was found to depend on those that run before it.
    fn follows_up(&self) -> bool {
        self.source == Source::FollowUp
    }
}

impl<'a> SuiteExecutor<'a> {
    /// An executor ready to run.
    pub fn new(
        suite: &'a Suite,
        experiment: &'a Experiment,
        plan: Plan,
        launcher: &'a mut Launcher,
        folder: &'a Scratch,
    ) -> Self {
        let shares = Shares::new(suite.programs.len());
        Self { suite, experiment, plan, launcher, folder, shares }
    }

    fn turn(&mut self, turn: &Turn<'_>, observer: &mut dyn Observer) -> Result<Answer, RunError> {
        let (names, call_folder) = (self.names(turn), self.folder.path().join("report"));
        let printed = self.folder.path().join("printed");
        clear(&call_folder, &printed);
        let program = &self.suite.programs[turn.program];
        let failed = |source| RunError::Output { name: program.name.clone(), source };
        fs::create_dir_all(&call_folder).map_err(failed)?;
        listing::write_files(program.harness, &call_folder).map_err(failed)?;
        let invocation = listing::run_command(
            program,
            listing::Call {
                names: &names,
                is_whole: self.suite.is_whole && names.len() == program.listed.len(),
                arrangement: turn.arrangement,
                seed: self.plan.seed.wrapping_add(u64::from(turn.round.number)),
                seconds: self.suite.seconds_per_run,
                folder: &call_folder,
            },
        );
        let start = |source| RunError::Start { name: program.name.clone(), source };
        let mut command = invocation.resolve().map_err(start)?;
        if let ([first, ..], Source::Run) = (turn.running.as_slice(), turn.source) {
            let layouts = &self.experiment.variants[*first as usize].layouts;
            command = layouts.in_round(turn.round.number, &command);
        }
        command.stdout = Stdout::File(printed.clone());
        let name = self.name_of(turn);
        let Some(finished) = self.run(command, turn.padding, &name, observer)? else {
            return Ok(Answer::Abort);
        };
        if failed_with_us(finished.outcome == Outcome::Exited(0)) {
            return Ok(Answer::Abort);
        }
        let stdout = text_of(&printed).unwrap_or_default();
        let files = files_in(&call_folder).map_err(failed)?;
        let report = report(program.harness, &names, finished.outcome, &stdout, &files);
        let last_words = report
            .is_of_failed()
            .then(|| last_words(program.harness, &finished.stderr_tail, &stdout));
        self.tell(turn, &finished, &report, last_words.as_deref(), observer)
    }

    /// The names of the benchmarks of a turn, in the order to run them in.
    fn names(&self, turn: &Turn<'_>) -> Vec<&'a str> {
        let suite = self.suite;
        let member = |variant: &u32| &suite.members[*variant as usize];
        let mut wanted: Vec<u32> = turn.running.clone();
        if turn.arrangement != Arrangement::Shuffled {
            // The members are in the order of the first program that has them.
            let listed = &suite.programs[turn.program].listed;
            let place = |variant: &u32| {
                let of = member(variant);
                let namesakes =
                    listed.iter().enumerate().filter(|(_, name)| **name == of.benchmark);
                namesakes.map(|(place, _)| place).nth(of.namesakes_before)
            };
            wanted.sort_by_key(place);
        }
        let is_named =
            matches!(suite.programs[turn.program].harness.order.arranges, Arranges::AsNamed);
        if turn.arrangement == Arrangement::Reversed && is_named {
            wanted.reverse();
        }
        wanted.iter().map(|variant| member(variant).benchmark.as_str()).collect()
    }

    fn name_of(&self, turn: &Turn<'_>) -> String {
        match turn.running.as_slice() {
            [one] => self.experiment.variants[*one as usize].name.clone(),
            _ => self.suite.programs[turn.program].name.clone(),
        }
    }

    /// Runs a process to its end; `None` if the observer does not want to wait for it.
    fn run(
        &mut self,
        command: CommandLine,
        padding: u16,
        name: &str,
        observer: &mut dyn Observer,
    ) -> Result<Option<FinishedRun>, RunError> {
        let mut trouble = None;
        let mut on_wait = || match observer.on(Event::Waiting) {
            Ok(Answer::Abort) => Wake::Abort,
            Ok(Answer::Continue | Answer::Withdraw) => Wake::Continue,
            Err(error) => {
                trouble = Some(error);
                Wake::Abort
            }
        };
        let program = command.program.clone();
        let task = Task {
            tag: 0,
            command,
            copies: Vec::new(),
            timeout: self.experiment.timeout,
            awaits: Awaits::Command,
            environment_padding_bytes: padding,
            read: Reads { counters: true, stack_start: true, ..Reads::default() },
            stderr_kept_bytes: measure::STDERR_KEPT_BYTES,
            timed: false,
            allowed: AllowedExits::Any,
        };
        let Slice { finished, stopped, .. } = self.launcher.execute(&[task], None, &mut on_wait)?;
        if let Some(trouble) = trouble {
            return Err(RunError::Observer(trouble));
        }
        match (finished.into_iter().next(), stopped) {
            (_, Some(StopReason::Aborted)) => Ok(None),
            (Some(finished), _) => Ok(Some(finished)),
            (None, Some(StopReason::CannotStart { errno, .. })) => Err(RunError::Spawn {
                name: name.to_owned(),
                doing: "execute its program",
                source: measure::refusal(&program, errno),
            }),
            (None, Some(StopReason::Disturbed { .. })) => {
                Err(RunError::Disturbed { name: name.to_owned() })
            }
            (None, _) => Err(RunError::Launcher(measure::LauncherError::Malformed)),
        }
    }

    /// Reports each benchmark of the turn as finished, in the order in which they ran.
    fn tell(
        &mut self,
        turn: &Turn<'_>,
        finished: &FinishedRun,
        report: &Report,
        last_words: Option<&str>,
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError> {
        let suite = self.suite;
        let member = |variant: u32| &suite.members[variant as usize];
        let mut variants = turn.taking_part.clone();
        variants.sort_by_key(|variant| {
            let of = member(*variant);
            report.place(&of.benchmark, of.namesakes_before).unwrap_or(usize::MAX)
        });
        let is_alone = turn.arrangement == Arrangement::Alone;
        let used = Readings::of_run(finished);
        let own = self.shares.of_last(turn, &used, report, member);
        let mut answer = Answer::Continue;
        for (position, variant) in (turn.position..).zip(variants) {
            let Round { number, warmup, .. } = *turn.round;
            let place = RunPlace { source: turn.source, warmup, round: number, position, variant };
            let of = member(variant);
            let found = report.measurement(&of.benchmark, of.namesakes_before);
            let mut run = finished::timed_run(place, finished);
            // The harness's own words about a benchmark are in its readings.
            let is_named = report.place(&of.benchmark, of.namesakes_before).is_some();
            run.stderr_tail = last_words.filter(|_| !is_named).map(str::to_owned);
            // The usage of a failed process says nothing about its benchmark.
            let is_its = is_alone && !report.is_of_failed();
            let of_process = if is_its { run.readings } else { Readings::default() };
            let is_measured = !report.is_of_failed() || matches!(found, Some(Ok(_)));
            let of_all = if is_measured { of_all(finished, &used) } else { Readings::default() };
            let is_last = turn.running.last() == Some(&variant);
            let is_shared = is_last && !report.is_of_failed();
            let own = readings(found, is_shared.then_some(&own));
            run.readings = of_process.and(of_all).and(own);
            if let Some(Ok(measurements)) = found.filter(|_| !warmup && !turn.follows_up()) {
                let measured = Event::Measured(place, measurements);
                observer.on(measured).map_err(RunError::Observer)?;
            }
            answer = observer.on(Event::Finished(&[run])).map_err(RunError::Observer)?;
        }
        Ok(answer)
    }

    /// The turns of a round: one for each variant that runs alone, and for each program one in each
    /// other arrangement, or two if it is divided. Every order of them is equally likely. Turns in
    /// which no variant takes part are left out.
    fn turns<'r>(&self, round: &'r Round, takes_part: impl Fn(u32) -> bool) -> Vec<Turn<'r>> {
        let mut turns: Vec<Turn<'r>> = Vec::new();
        for (&variant, &padding) in round.order.iter().zip(&round.padding) {
            let Member { program, arrangement, .. } = self.suite.members[variant as usize];
            let has_room = |turn: &&mut Turn<'_>| {
                (turn.program, turn.arrangement) == (program, arrangement)
                    && turn.running.len() < self.places(program, arrangement)
            };
            match turns.iter_mut().find(has_room) {
                Some(turn) => turn.running.push(variant),
                None => turns.push(Turn {
                    program,
                    arrangement,
                    running: vec![variant],
                    taking_part: Vec::new(),
                    padding,
                    round,
                    position: 0,
                    source: Source::Run,
                }),
            }
        }
        // Sorting by the earliest of its benchmarks would favour large turns; the place of a fixed
        // one is unbiased.
        let drawn = |turn: &Turn<'_>| {
            let first = turn.running.iter().min();
            round.order.iter().position(|variant| Some(variant) == first)
        };
        turns.sort_by_cached_key(drawn);
        let mut position = 0;
        for turn in &mut turns {
            turn.taking_part = turn.running.iter().copied().filter(|v| takes_part(*v)).collect();
            turn.position = position;
            position += u32::try_from(turn.taking_part.len()).expect("at most 2^20");
        }
        turns.retain(|turn| !turn.taking_part.is_empty());
        turns
    }

    /// The number of benchmarks that share a process.
    fn places(&self, program: usize, arrangement: Arrangement) -> usize {
        let is_one =
            |member: &&Member| member.program == program && member.arrangement == arrangement;
        match arrangement {
            Arrangement::Alone => 1,
            Arrangement::Divided => self.suite.members.iter().filter(is_one).count().div_ceil(2),
            _ => usize::MAX,
        }
    }
}

impl Executor for SuiteExecutor<'_> {
    fn setup(&mut self, observer: &mut dyn Observer) -> Result<Answer, RunError> {
        let is_alone = |member: &Member| member.arrangement == Arrangement::Alone;
        if self.suite.members.iter().any(is_alone) {
            self.start_up(observer)
        } else {
            Ok(Answer::Continue)
        }
    }

    fn rounds(
        &mut self,
        numbers: Range<u32>,
        phase: Phase,
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError> {
        for number in numbers {
            let round = self.plan.round(number, phase == Phase::WarmUp);
            for turn in self.turns(&round, |variant| observer.takes_part(phase, variant)) {
                if self.turn(&turn, observer)? == Answer::Abort {
                    return Ok(Answer::Abort);
                }
            }
        }
        Ok(Answer::Continue)
    }

    fn output(&mut self, _variant: u32, _observer: &mut dyn Observer) -> Result<Answer, RunError> {
        Ok(Answer::Continue)
    }

    fn cleanup(&mut self) -> Result<(), RunError> {
        Ok(())
    }
}

/// The report of a process. A failed one may have measured some of its benchmarks first. If it does
/// not name the benchmark at which it failed, that is the only one it had to measure, or the last
/// one if it has measured all of them.
fn report(
    harness: &Harness,
    asked: &[&str],
    outcome: Outcome,
    stdout: &str,
    files: &BTreeMap<String, String>,
) -> Report {
    let read = |stdout: &str| harness.read(&Reported { asked, stdout, files });
    if outcome == Outcome::Exited(0) {
        return match read(stdout) {
            Ok(measured) => Report::new(measured),
            Err(error) => {
                Report::of_failed(Vec::new(), format!("its report cannot be read: {error}"))
            }
        };
    }
    // A truncated line is ignored.
    let whole_lines = &stdout[..stdout.rfind('\n').map_or(0, |end| end + 1)];
    let mut measured = read(whole_lines).unwrap_or_default();
    if measured.iter().all(|one| one.measurements.is_ok()) {
        measured.truncate(asked.len().saturating_sub(1));
    }
    Report::of_failed(measured, format!("its process {}", outcome))
}

/// The readings that apply to each benchmark in a process as to the whole: the share of its time
/// spent waiting, the speed of the processor, and the start of the stack.
fn of_all(finished: &FinishedRun, used: &Readings) -> Readings {
    let value = |id: &MetricId| {
        used.get(id).cloned().unwrap_or_else(|| Err(Missing("not requested".into())))
    };
    let share = value(&CPU_WAIT).and_then(|waited| {
        let passed = value(&WALL_TIME)?;
        if passed > 0.0 { Ok(waited / passed) } else { Err(Missing("no time passed".into())) }
    });
    let start = finished.stack_start.as_ref().map_err(Missing::from);
    let offset = start.map(|start| (start.0 % PAGE_BYTES) as f64);
    let clock = value(&CLOCK_RATE);
    [(WAIT_SHARE, share), (CLOCK_RATE, clock), (STACK_OFFSET, offset)].into_iter().collect()
}

/// The cause as stated by a failed process, at most its last lines. Some harnesses write it to
/// standard output.
fn last_words(harness: &Harness, stderr: &[u8], stdout: &str) -> String {
    let stderr = String::from_utf8_lossy(stderr);
    let words = match harness.cause.within(&stderr) {
        "" => harness.cause.within(stdout),
        words => words,
    };
    last_lines(words.as_bytes())
}

/// Removes the output of an earlier process.
fn clear(folder: &Path, printed: &Path) {
    // There may be nothing to remove; files that stay show when they are written again.
    let _ = fs::remove_dir_all(folder);
    let _ = fs::remove_file(printed);
}

fn text_of(path: &Path) -> std::io::Result<String> {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The files in a folder and below it, by their relative paths.
fn files_in(folder: &Path) -> std::io::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if let Ok(name) = path.strip_prefix(folder) {
                files.insert(name.to_string_lossy().into_owned(), text_of(&path)?);
            }
        }
    }
    Ok(files)
}

/// Extracts a figure from a measurement.
type Figure = fn(&Figures) -> Option<f64>;

/// The metric of each figure.
const METRICS: [(MetricId, Figure); 6] = [
    (ALLOCATED_PER_ITERATION, |figures| figures.allocated_bytes),
    (ALLOCATIONS_PER_ITERATION, |figures| figures.allocations),
    (COPIED_PER_ITERATION, |figures| figures.copied_bytes),
    (COLLECTIONS_PER_ITERATION, |figures| figures.collections),
    (GC_TIME_PER_ITERATION, |figures| figures.gc_seconds),
    (FAULTS_PER_ITERATION, |figures| figures.page_faults),
];

/// The measurements of one benchmark in one process; `None` if the harness does not mention it.
type Found<'a> = Option<&'a Result<Vec<Measurement>, String>>;

/// The report of a process, by the names of its benchmarks and their places among namesakes.
struct Report {
    measured: Vec<Measured>,
    places: BTreeMap<(String, usize), usize>,
    /// The result of all benchmarks without a measurement, if their process failed.
    failed: Option<Result<Vec<Measurement>, String>>,
}

impl Report {
    /// The report of these measurements, which are in the order of the harness's report.
    fn new(measured: Vec<Measured>) -> Self {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut places = BTreeMap::new();
        for (place, one) in measured.iter().enumerate() {
            let before = seen.entry(one.name.clone()).or_insert(0);
            places.insert((one.name.clone(), *before), place);
            *before += 1;
        }
        Self { measured, places, failed: None }
    }

    /// The report of a failed process, with the measurements made before.
    fn of_failed(measured: Vec<Measured>, reason: String) -> Self {
        Self { failed: Some(Err(reason)), ..Self::new(measured) }
    }

    /// True if the process failed.
    fn is_of_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// The measurements of a benchmark.
    fn measurement(&self, name: &str, namesakes_before: usize) -> Found<'_> {
        let place = self.place(name, namesakes_before);
        let measured = place.map(|place| &self.measured[place].measurements);
        measured.or(self.failed.as_ref())
    }

    /// The number of iterations, if the harness reports it.
    fn iterations(&self, name: &str, namesakes_before: usize) -> Option<f64> {
        let measured = self.measurement(name, namesakes_before)?.as_ref().ok()?;
        iterations(measured).filter(|count| *count > 0.0)
    }

    /// The index of a benchmark in the report.
    fn place(&self, name: &str, namesakes_before: usize) -> Option<usize> {
        self.places.get(&(name.to_owned(), namesakes_before)).copied()
    }
}

/// Every metric that a harness may report, and `own`, the benchmark's usage of its process, for
/// those that it does not report.
fn readings(found: Found<'_>, own: Option<&Readings>) -> Readings {
    let measurements = match found {
        Some(Ok(measurements)) => Ok(measurements.as_slice()),
        Some(Err(reason)) => Err(Missing(reason.clone().into())),
        None => Err(Missing("the harness reported nothing about it".into())),
    };
    let said = |value: Option<f64>| -> Value {
        value.ok_or(Missing("the harness does not say it".into()))
    };
    let time = measurements.clone().and_then(|all| said(seconds_per_iteration(all)));
    let iterations = measurements.clone().and_then(|all| said(iterations(all)));
    let figures = METRICS.into_iter().map(|(id, figure)| {
        let of = |all| said(per_iteration(all, |measurement| figure(&measurement.figures)));
        (id, measurements.clone().and_then(of))
    });
    let mut all: Vec<(MetricId, Value)> =
        [(TIME_PER_ITERATION, time), (ITERATIONS, iterations)].into_iter().chain(figures).collect();
    for (id, value) in own.into_iter().flat_map(Readings::iter) {
        match all.iter_mut().find(|(known, _)| known == id) {
            Some((_, said)) if said.is_err() => said.clone_from(value),
            Some(_) => {}
            None => all.push((id.clone(), value.clone())),
        }
    }
    all.into_iter().collect()
}

fn iterations(measurements: &[Measurement]) -> Option<f64> {
    let counts = measurements.iter().map(|measurement| measurement.iterations);
    counts.map(|count| count.map(|count| count as f64)).sum()
}

/// The number of readings that are attributed.
const AMOUNTS: usize = 2;

/// The metrics: of a process, and of an iteration.
const SHARED: [(MetricId, MetricId); AMOUNTS] =
    [(MINOR_FAULTS, FAULTS_PER_ITERATION), (SYSTEM_TIME, SYSTEM_TIME_PER_ITERATION)];

type Amounts = [f64; AMOUNTS];

/// The known usage of the programs and their benchmarks.
struct Shares {
    /// The usage of processes of each program that ran no benchmark.
    starts: Vec<Vec<Amounts>>,
    /// The usage of an iteration of each benchmark of a program when it was alone, by its place
    /// among namesakes.
    alone: BTreeMap<(usize, String, usize), Vec<Amounts>>,
}

impl Shares {
    fn new(programs: usize) -> Self {
        Self { starts: vec![Vec::new(); programs], alone: BTreeMap::new() }
    }

    /// Adds the usage of a process that ran no benchmark.
    fn take_start(&mut self, program: usize, used: &Readings) {
        self.starts[program].extend(amounts(used));
    }

    /// The usage of an iteration of a turn's last benchmark, from the usage of the process, `used`.
    fn of_last<'a>(
        &mut self,
        turn: &Turn<'_>,
        used: &Readings,
        report: &Report,
        member: impl Fn(u32) -> &'a Member,
    ) -> Readings {
        let found = self.last(turn, used, report, &member);
        if let ([only], Ok(amounts)) = (turn.running.as_slice(), &found) {
            self.alone.entry(key(member(*only))).or_default().push(*amounts);
        }
        let reading = |(index, (_, id)): (usize, &(MetricId, MetricId))| -> (MetricId, Value) {
            (id.clone(), found.clone().map(|amounts| amounts[index]))
        };
        SHARED.iter().enumerate().map(reading).collect()
    }

    fn last<'a>(
        &self,
        turn: &Turn<'_>,
        used: &Readings,
        report: &Report,
        member: &impl Fn(u32) -> &'a Member,
    ) -> Result<Amounts, Missing> {
        let missing = |reason: &'static str| Missing(reason.into());
        let (last, before) = turn.running.split_last().ok_or_else(|| missing("nothing ran"))?;
        if !before.is_empty() && !turn.follows_up() {
            return Err(missing("others ran in the same process"));
        }
        let iterations = |variant: u32| {
            let of = member(variant);
            let count = report.iterations(&of.benchmark, of.namesakes_before);
            count.ok_or_else(|| missing("the harness does not say how often it iterated"))
        };
        let mut left = amounts(used).ok_or_else(|| missing("not read"))?;
        let start = middle(&self.starts[turn.program])
            .ok_or_else(|| missing("no process that ran none could be read"))?;
        take_off(&mut left, &start, 1.0);
        for &variant in before {
            let alone = self.alone.get(&key(member(variant))).and_then(|all| middle(all));
            let alone = alone.ok_or_else(|| missing("what ran before it was not seen alone"))?;
            take_off(&mut left, &alone, iterations(variant)?);
        }
        let count = iterations(*last)?;
        Ok(left.map(|amount| amount.max(0.0) / count))
    }
}

fn key(member: &Member) -> (usize, String, usize) {
    (member.program, member.benchmark.clone(), member.namesakes_before)
}

fn take_off(from: &mut Amounts, amounts: &Amounts, times: f64) {
    for (left, amount) in from.iter_mut().zip(amounts) {
        *left -= amount * times;
    }
}

fn amounts(used: &Readings) -> Option<Amounts> {
    let value = |id: &MetricId| used.get(id)?.as_ref().ok().copied();
    let [(faults, _), (system, _)] = &SHARED;
    Some([value(faults)?, value(system)?])
}

fn middle(all: &[Amounts]) -> Option<Amounts> {
    let of = |index: usize| {
        let values: Vec<f64> = all.iter().map(|amounts| amounts[index]).collect();
        summarise(&values).map(|summary| summary.median)
    };
    Some([of(0)?, of(1)?])
}

/// The number of processes that measure the start-up of a program.
const STARTS: u32 = 3;

/// The number of processes that follow up each finding.
const ROUNDS: u32 = 5;

/// Two benchmarks, one after the other, in a separate process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowUp {
    /// The variant that runs first.
    pub before: u32,
    /// The variant that was found to depend on it.
    pub variant: u32,
}

impl SuiteExecutor<'_> {
    /// Measures the usage of a process of each program that runs no benchmark. If that fails, the
    /// usage is unknown, without further consequences.
    fn start_up(&mut self, observer: &mut dyn Observer) -> Result<Answer, RunError> {
        let suite = self.suite;
        for (number, program) in suite.programs.iter().enumerate() {
            for _ in 0..STARTS {
                let start = |source| RunError::Start { name: program.name.clone(), source };
                let folder = self.folder.path();
                let failed = |source| RunError::Output { name: program.name.clone(), source };
                listing::write_files(program.harness, folder).map_err(failed)?;
                let mut command = listing::list_command(program, Selection::Everything, folder)
                    .resolve()
                    .map_err(start)?;
                command.stdout = Stdout::File(self.folder.path().join("printed"));
                let Some(finished) = self.run(command, 0, &program.name, observer)? else {
                    return Ok(Answer::Abort);
                };
                if finished.outcome == Outcome::Exited(0) {
                    self.shares.take_start(number, &Readings::of_run(&finished));
                }
            }
        }
        Ok(Answer::Continue)
    }

    /// True if the harness of the program can run one benchmark directly after another.
    pub fn can_follow_up(&self, follow_up: FollowUp) -> bool {
        let [before, variant] = [follow_up.before, follow_up.variant]
            .map(|variant| &self.suite.members[variant as usize]);
        let program = &self.suite.programs[variant.program];
        let place = |name: &String| program.listed.iter().position(|listed| listed == name);
        matches!(program.harness.order.arranges, Arranges::AsNamed)
            || place(&before.benchmark) < place(&variant.benchmark)
    }

    /// Follows up each of these in separate processes, for several rounds.
    ///
    /// # Errors
    ///
    /// When a process fails, or the observer cannot do its part.
    pub fn follow_up(
        &mut self,
        follow_ups: &[FollowUp],
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError> {
        let phase = Phase::Instrumented(Source::FollowUp);
        let done = observer.done_before(phase);
        if follow_ups.is_empty() || done >= ROUNDS {
            return Ok(Answer::Continue);
        }
        observer.on(Event::Phase(phase)).map_err(RunError::Observer)?;
        for number in done..ROUNDS {
            let round = Round { number, ..self.plan.round(number, false) };
            for (position, follow_up) in (0..).step_by(2).zip(follow_ups) {
                let running = vec![follow_up.before, follow_up.variant];
                let place = follow_up.variant as usize % round.padding.len();
                let turn = Turn {
                    program: self.suite.members[follow_up.variant as usize].program,
                    arrangement: self.in_this_order(follow_up.variant),
                    taking_part: running.clone(),
                    running,
                    padding: round.padding[place],
                    round: &round,
                    position,
                    source: Source::FollowUp,
                };
                if self.turn(&turn, observer)? == Answer::Abort {
                    return Ok(Answer::Abort);
                }
            }
        }
        Ok(Answer::Continue)
    }

    /// The arrangement in which the harness runs two benchmarks in the given order, or in the order
    /// of its list.
    fn in_this_order(&self, variant: u32) -> Arrangement {
        let program = self.suite.members[variant as usize].program;
        match self.suite.programs[program].harness.order.arranges {
            Arranges::AsNamed => Arrangement::Shuffled,
            Arranges::Own | Arranges::Apart => Arrangement::Divided,
        }
    }
}

#[cfg(test)]
mod tests {
    use model::metric::Source;
    use model::run::{Plan, Round};
    use model::spec::suite::Arrangement;
    use toolchains::harness::measurement::{Measured, Measurement};

    use super::*;

    fn measured(name: &str, seconds: f64) -> Measured {
        Measured::new(name, vec![Measurement::of_time(Some(10), seconds)])
    }

    #[test]
    fn namesakes_are_told_apart_by_their_places() {
        let report = Report::new(vec![measured("a", 1.0), measured("b", 2.0), measured("a", 3.0)]);
        let time = |name, before| {
            readings(report.measurement(name, before), None)
                .get(&TIME_PER_ITERATION)
                .cloned()
                .expect("asked for")
        };
        assert_eq!([time("a", 0), time("b", 0), time("a", 1)], [Ok(0.1), Ok(0.2), Ok(0.3)]);
        assert!(time("a", 2).is_err());
        assert_eq!(report.place("a", 1), Some(2));
    }

    #[test]
    fn what_the_harness_says_goes_before_what_the_process_shows() {
        let own: Readings =
            [(FAULTS_PER_ITERATION, Ok(7.0)), (TIME_PER_ITERATION, Ok(9.0))].into_iter().collect();
        let silent = Report::new(vec![measured("a", 1.0)]);
        let all = readings(silent.measurement("a", 0), Some(&own));
        assert_eq!(all.get(&FAULTS_PER_ITERATION), Some(&Ok(7.0)));
        assert_eq!(all.get(&TIME_PER_ITERATION), Some(&Ok(0.1)));
        let mut said = Measurement::of_time(Some(10), 1.0);
        said.figures.page_faults = Some(320.0);
        let all = readings(
            Report::new(vec![Measured::new("a", vec![said])]).measurement("a", 0),
            Some(&own),
        );
        assert_eq!(all.get(&FAULTS_PER_ITERATION), Some(&Ok(32.0)));
    }

    #[test]
    fn what_a_process_measured_before_it_failed_counts() {
        let measured = vec![measured("a", 1.0), Measured::refused("b", "broken")];
        let report = Report::of_failed(measured, "its process exited with status 1".to_owned());
        let time = |name| {
            readings(report.measurement(name, 0), None)
                .get(&TIME_PER_ITERATION)
                .cloned()
                .expect("asked for")
        };
        let missing = |reason: &'static str| Err(Missing(reason.into()));
        let process = missing("its process exited with status 1");
        assert_eq!([time("a"), time("b"), time("c")], [Ok(0.1), missing("broken"), process]);
    }

    #[test]
    fn what_is_not_said_is_missing_with_its_reason() {
        let all = readings(Report::new(vec![measured("a", 1.0)]).measurement("a", 0), None);
        assert_eq!(all.get(&ITERATIONS), Some(&Ok(10.0)));
        let missing = all.get(&ALLOCATED_PER_ITERATION).expect("asked for");
        assert_eq!(missing, &Err(Missing("the harness does not say it".into())));
        let refused = Report::new(vec![Measured::refused("a", "skipped")]);
        let all = readings(refused.measurement("a", 0), None);
        assert_eq!(all.get(&TIME_PER_ITERATION), Some(&Err(Missing("skipped".into()))));
    }

    fn members() -> [Member; 2] {
        ["a", "b"].map(|name| Member {
            program: 0,
            benchmark: name.to_owned(),
            namesakes_before: 0,
            arrangement: Arrangement::Alone,
        })
    }

    fn used(faults: f64) -> Readings {
        [(MINOR_FAULTS, Ok(faults)), (SYSTEM_TIME, Ok(faults * 1e-6))].into_iter().collect()
    }

    /// The usage of the last of these, which are variants with their numbers of iterations.
    fn of_last(
        shares: &mut Shares,
        running: &[(u32, u64)],
        follows_up: bool,
        faults: f64,
    ) -> Value {
        let round: Round = Plan { seed: 1, variants: 2 }.round(0, false);
        let variants: Vec<u32> = running.iter().map(|(variant, _)| *variant).collect();
        let turn = Turn {
            program: 0,
            arrangement: Arrangement::Shuffled,
            running: variants.clone(),
            taking_part: variants,
            padding: 0,
            round: &round,
            position: 0,
            source: if follows_up { Source::FollowUp } else { Source::Run },
        };
        let measured = running.iter().map(|&(variant, iterations)| {
            let name = members()[variant as usize].benchmark.clone();
            Measured::new(name, vec![Measurement::of_time(Some(iterations), 1.0)])
        });
        let report = Report::new(measured.collect());
        let members = members();
        let found =
            shares.of_last(&turn, &used(faults), &report, |variant| &members[variant as usize]);
        found.get(&FAULTS_PER_ITERATION).cloned().expect("always said")
    }

    #[test]
    fn what_starting_takes_and_what_others_use_alone_is_not_of_the_last() {
        let mut shares = Shares::new(1);
        assert!(of_last(&mut shares, &[(0, 10)], false, 600.0).is_err(), "no start was seen");
        for faults in [90.0, 100.0, 500.0] {
            shares.take_start(0, &used(faults));
        }
        // (600 - 100) / 10, where the median start takes 100.
        assert_eq!(of_last(&mut shares, &[(0, 10)], false, 600.0), Ok(50.0));
        // 3300 - 100 - 20 * 50 are 2200 for 100 iterations.
        assert_eq!(of_last(&mut shares, &[(0, 20), (1, 100)], true, 3300.0), Ok(22.0));
        // Never negative.
        assert_eq!(of_last(&mut shares, &[(1, 10)], false, 60.0), Ok(0.0));
    }

    #[test]
    fn what_cannot_be_shared_out_is_missing_with_its_reason() {
        let mut shares = Shares::new(1);
        shares.take_start(0, &used(100.0));
        let reason = |found: Value| found.expect_err("missing").to_string();
        let company = of_last(&mut shares, &[(0, 1), (1, 1)], false, 900.0);
        assert_eq!(reason(company), "others ran in the same process");
        let unseen = of_last(&mut shares, &[(0, 1), (1, 1)], true, 900.0);
        assert_eq!(reason(unseen), "what ran before it was not seen alone");
    }
}
