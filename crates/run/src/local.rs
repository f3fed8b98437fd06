//! Runs a plan on this machine, through the launcher of `measure`.
//!
//! Short runs are handed over in slices: one request, many runs, one answer. The launcher appends
//! each finished run to a journal before it starts the next, so a slice is as durable as single
//! runs, and brisk sleeps while it lasts (`docs/design/launcher.md`). Hooks (setup, prepare,
//! conclude, cleanup) run between.
//!
//! After all timed runs, variants may be run for their output. If the user redirects it to a file,
//! it goes there and is read from the file; otherwise it goes through a named pipe and is read as
//! it comes. So a program that skips its work when its output is `/dev/null` finds a pipe here, and
//! does not skip it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use measure::named_pipe::Outlet;
use measure::{
    AllowedExits, Awaits, CommandLine, FinishedRun, Launcher, Obstacle, Outcome, Reads, Slice,
    Stdout, StopReason, Task, Wake, page_cache,
};
use model::metric::{Missing, Source};
use model::note::Note;
use model::run::{Intake, ObservedOutput, Output, Printed, output_of_file};
use model::run::{Plan, Run, RunPlace};
use model::spec::copies::VARIABLE;
use model::spec::own_metric::Measure;
use model::spec::{Experiment, Invocation, Variant};

use crate::attendant::Attendant;
use crate::finished::{self, SetupRun, last_lines, tag};
use crate::instrument::{self, Collected, Instrument, Instruments};
use crate::{
    Answer, CLEANUP, Event, Executor, Observer, ObserverError, Phase, RunError, failed_with_us,
    measured,
};

/// The target duration of a slice: long enough that waking brisk up costs nothing, short enough
/// that progress is smooth.
const SLICE: Duration = Duration::from_millis(100);

/// The maximum number of runs in a slice.
const MOST_RUNS_A_SLICE: usize = 256;

/// Runs the experiment's commands.
pub struct LocalExecutor<'a> {
    experiment: &'a Experiment,
    plan: Plan,
    launcher: &'a mut Launcher,
    journal: Option<File>,
    reads: Reads,
    instruments: Instruments,
    attendant: Option<&'a dyn Attendant>,
    /// The resolved commands of each variant; filled after the setup commands.
    commands: Vec<Commands>,
    /// The distinct outcomes of each variant's runs without an instrument.
    plain_outcomes: Vec<Vec<Outcome>>,
    /// The mean duration of the last slice's runs.
    seconds_a_run: Option<f64>,
    set_up: usize,
    /// The number of processes that each variant's hooks left behind, by the hook's name.
    left_by_hooks: BTreeMap<(u32, &'static str), u64>,
}

/// The processes of one variant, resolved.
struct Commands {
    run: CommandLine,
    /// The copies that run at once in its place; empty if it runs alone.
    copies: Vec<CommandLine>,
    prepare: Option<CommandLine>,
    conclude: Option<CommandLine>,
    /// The commands that measure the user's own metrics.
    measuring: Vec<CommandLine>,
}

/// The purpose of a task in a slice; its index in the slice is its tag.
#[derive(Debug, Clone, Copy)]
enum Purpose {
    Prepare(u32),
    Timed(RunPlace),
    Measure(u32),
    Conclude(u32),
}

impl Purpose {
    /// The name of a hook around a run in errors.
    fn hook(self) -> &'static str {
        if matches!(self, Self::Prepare(_)) { "prepare" } else { "conclude" }
    }
}

/// The next step after a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Continue,
    Abort,
    /// Repeat the run: its instrument wants to try another way.
    Again,
}

impl<'a> LocalExecutor<'a> {
    /// Checks that every program can be started, unless a setup command may still make it.
    pub fn check(experiment: &Experiment) -> Result<(), RunError> {
        let mut ready = experiment.variants.iter().filter(|variant| variant.setup.is_none());
        ready.try_for_each(|variant| resolve(variant, &first(variant)).map(|_| ()))
    }

    /// An executor ready to run; the launcher records each finished run in `journal`.
    pub fn new(
        experiment: &'a Experiment,
        plan: Plan,
        launcher: &'a mut Launcher,
        journal: Option<File>,
        reads: Reads,
        instruments: Instruments,
    ) -> Self {
        Self {
            experiment,
            plan,
            launcher,
            journal,
            reads,
            instruments,
            attendant: None,
            commands: Vec::new(),
            plain_outcomes: vec![Vec::new(); experiment.variants.len()],
            seconds_a_run: None,
            set_up: 0,
            left_by_hooks: BTreeMap::new(),
        }
    }

    /// The same executor, whose timed runs have an attendant.
    #[must_use]
    pub fn attended_by(mut self, attendant: Option<&'a dyn Attendant>) -> Self {
        self.attendant = attendant;
        self
    }

    /// The notes of the instruments, and the processes left behind by hooks.
    pub fn notes(&mut self) -> Vec<Note> {
        let left = self.left_by_hooks.iter().map(|(&(variant, hook), &processes)| {
            Note::HookLeftBehind { variant, hook: hook.to_owned(), processes }
        });
        let instruments = self.instruments.iter_mut().flat_map(|instrument| instrument.notes());
        left.chain(instruments).collect()
    }

    /// Hands a slice over and waits for it; an observer's error is reported after the answer has
    /// come.
    fn wait_for(
        &mut self,
        tasks: &[Task],
        mut observer: Option<&mut dyn Observer>,
    ) -> Result<(Slice, Option<ObserverError>), RunError> {
        let mut trouble = None;
        let requests = measure::interrupt::requests();
        let instruments = &mut self.instruments;
        let mut on_wait = || {
            instruments.iter_mut().for_each(|instrument| instrument.while_running());
            match observer.as_mut().map(|observer| observer.on(Event::Waiting)) {
                Some(Ok(Answer::Abort)) => Wake::Abort,
                Some(Err(error)) => {
                    trouble = Some(error);
                    Wake::Abort
                }
                // A cleanup command keeps running after an earlier Ctrl-C, but stops after one of
                // its own.
                None if measure::interrupt::requests() > requests => Wake::Abort,
                Some(Ok(Answer::Continue | Answer::Withdraw)) | None => Wake::Continue,
            }
        };
        let slice = self.launcher.execute(tasks, self.journal.as_ref(), &mut on_wait)?;
        Ok((slice, trouble))
    }

    fn look_up_commands(&mut self) -> Result<(), RunError> {
        let look_up = |variant: &Variant| -> Result<Commands, RunError> {
            let hook = |hook: &Option<Invocation>| {
                hook.as_ref().map(|hook| resolve(variant, hook)).transpose()
            };
            Ok(Commands {
                run: resolve(variant, &first(variant))?,
                copies: (0..variant.labels.copies.map_or(0, |copies| copies.count))
                    .map(|number| resolve(variant, &variant.run.copy(number)))
                    .collect::<Result<_, _>>()?,
                prepare: hook(&variant.prepare)?,
                conclude: hook(&variant.conclude)?,
                measuring: (variant.measures.iter())
                    .filter_map(Measure::command)
                    .map(|command| resolve(variant, command))
                    .collect::<Result<_, _>>()?,
            })
        };
        self.commands = self.experiment.variants.iter().map(look_up).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// The tasks of one run: prepare, the run itself, the measuring commands, conclude.
    fn push_tasks(
        &mut self,
        place: RunPlace,
        padding: u16,
        slice: &mut Vec<(Purpose, Task)>,
    ) -> Result<(), RunError> {
        let commands = &self.commands[place.variant as usize];
        let mut push = |purpose, task: Task| slice.push((purpose, task));
        if let Some(prepare) = &commands.prepare {
            push(Purpose::Prepare(place.variant), untimed(0, prepare.clone()));
        }
        let instrument = instrument_of(&mut self.instruments, place.source);
        let plain = instrument.is_none();
        let measures = &self.experiment.variants[place.variant as usize].measures;
        let (command, copies, read, stderr_kept_bytes) = match instrument {
            Some(instrument) => (
                instrument.wrap(place.variant, &commands.run),
                Vec::new(),
                instrument.reads(),
                instrument.stderr_kept_bytes(),
            ),
            None => {
                let layouts = &self.experiment.variants[place.variant as usize].layouts;
                let of_round = |command| layouts.in_round(place.round, command);
                let copies = commands.copies.iter().map(of_round).collect();
                (of_round(&commands.run), copies, self.reads, measure::STDERR_KEPT_BYTES)
            }
        };
        let mut command = command;
        let attendant = self.attendant.filter(|_| plain);
        if let Some(attendant) = attendant {
            attendant.before(place, &mut command).map_err(|why| RunError::Refused { why })?;
        }
        let padding = if attendant.is_some() { 0 } else { padding };
        let timed = Task {
            tag: tag(place),
            command,
            copies,
            timeout: self.experiment.timeout,
            awaits: attendant.map_or(Awaits::Command, |_| Awaits::AllProcesses),
            // Under an instrument, all avoidable variation is avoided.
            environment_padding_bytes: if plain { padding } else { 0 },
            read,
            stderr_kept_bytes,
            // A run counts once everything is read, including its instrument's output and the
            // user's metrics.
            timed: plain && measures.is_empty(),
            allowed: match self.experiment.outlives_failures {
                true => AllowedExits::Any,
                false => self.experiment.allowed.clone(),
            },
        };
        push(Purpose::Timed(place), timed);
        for command in commands.measuring.iter().filter(|_| plain) {
            let measuring = Task {
                timeout: self.experiment.timeout,
                allowed: AllowedExits::Any,
                ..untimed(0, command.clone())
            };
            push(Purpose::Measure(place.variant), measuring);
        }
        if let Some(conclude) = &commands.conclude {
            push(Purpose::Conclude(place.variant), untimed(0, conclude.clone()));
        }
        Ok(())
    }

    fn run_slice(
        &mut self,
        slice: &mut Vec<(Purpose, Task)>,
        observer: &mut dyn Observer,
    ) -> Result<Next, RunError> {
        let (purposes, tasks): (Vec<_>, Vec<_>) = slice.drain(..).unzip();
        let watch = measure::clock::Stopwatch::start();
        let (answer, trouble) = self.wait_for(&tasks, Some(&mut *observer))?;
        self.seconds_a_run = Some(watch.elapsed().as_secs_f64() / tasks.len() as f64);
        let Some(gathered) = self.gather(&purposes, &answer.finished, observer)? else {
            return Ok(Next::Again);
        };
        let Gathered { runs, failed_run, failure, is_interrupted } = gathered;
        let wanted = observer.on(Event::Finished(&runs)).map_err(RunError::Observer)?;
        if let Some(run) = &failed_run {
            observer.on(Event::Failed(run)).map_err(RunError::Observer)?;
        }
        if let Some(trouble) = trouble {
            return Err(RunError::Observer(trouble));
        }
        match (failure, &answer.stopped) {
            _ if is_interrupted => Ok(Next::Abort),
            (Some(failure), _) => Err(failure),
            (None, Some(StopReason::Aborted)) => Ok(Next::Abort),
            (None, stopped @ Some(_)) => {
                let (Purpose::Timed(RunPlace { variant, .. })
                | Purpose::Prepare(variant)
                | Purpose::Measure(variant)
                | Purpose::Conclude(variant)) =
                    purposes[answer.finished.len().min(purposes.len() - 1)];
                Err(self.never_ran(variant as usize, stopped.as_ref()))
            }
            (None, None) if wanted == Answer::Abort => Ok(Next::Abort),
            (None, None) => Ok(Next::Continue),
        }
    }

    /// Adds the run at `place` to the slice, and runs the slice unless more runs may join it.
    fn run_at(
        &mut self,
        place: RunPlace,
        padding: u16,
        slice: &mut Vec<(Purpose, Task)>,
        is_last: bool,
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError> {
        loop {
            self.push_tasks(place, padding, slice)?;
            if !self.is_full(slice) && !is_last {
                return Ok(Answer::Continue);
            }
            match self.run_slice(slice, observer)? {
                Next::Continue => return Ok(Answer::Continue),
                Next::Abort => return Ok(Answer::Abort),
                Next::Again => {}
            }
        }
    }

    /// True if a phase has nothing to run for this variant.
    fn is_left_out(&mut self, source: Source, variant: u32) -> bool {
        let instrument = instrument_of(&mut self.instruments, source);
        instrument.is_some_and(|instrument| !instrument.applies_to(variant))
    }

    fn failed(&self, place: RunPlace, finished: &FinishedRun) -> RunError {
        let kind = match (place.source, place.warmup) {
            (Source::Runtime, _) => "runtime round",
            (Source::Valgrind, _) => "run under valgrind",
            (Source::Sampled, _) => "sampled round",
            (Source::FollowUp, _) => "follow-up round",
            (Source::Run, true) => "warm-up round",
            (Source::Run, false) => "round",
        };
        let variant = &self.experiment.variants[place.variant as usize];
        let layout = variant.layouts.of_round(place.round).filter(|_| place.source == Source::Run);
        let layout = layout.map(|one| format!(", linked in the order of seed {}", one.seed));
        // The time limit applies to all copies together.
        let copies = finished.raw.copies.filter(|_| finished.outcome != Outcome::TimedOut);
        let copy = copies.map_or_else(String::new, |copies| {
            format!(", copy {} of {} (`{VARIABLE}={0}`)", copies.decisive, copies.count)
        });
        let hooks = (place.variant, "")..(place.variant + 1, "");
        let left = self.left_by_hooks.range(hooks).next().map(|((_, hook), _)| {
            format!(", after brisk had ended what its {hook} command left running")
        });
        let (layout, left) = (layout.unwrap_or_default(), left.unwrap_or_default());
        RunError::Failed {
            name: variant.name.clone(),
            how: finished.outcome.to_string(),
            when: format!("{kind} {}{layout}{copy}{left}", place.round + 1),
            stderr: last_lines(&finished.stderr_tail),
            outcome: finished.outcome,
        }
    }

    /// The error for a task of a variant that a slice ended without.
    fn never_ran(&self, variant: usize, stopped: Option<&StopReason>) -> RunError {
        let os_error = std::io::Error::from_raw_os_error;
        let Some(reason) = stopped else {
            return RunError::Launcher(measure::LauncherError::Malformed);
        };
        match *reason {
            StopReason::CannotStart { obstacle, errno, .. } => RunError::Spawn {
                name: self.experiment.variants[variant].name.clone(),
                doing: match obstacle {
                    Obstacle::Program => "execute its program",
                    Obstacle::Directory => "enter its folder",
                    Obstacle::Stdin => "open its input",
                    Obstacle::Stdout => "open its output",
                },
                source: match (obstacle, self.commands.get(variant)) {
                    (Obstacle::Program, Some(commands)) => {
                        measure::refusal(&commands.run.program, errno)
                    }
                    _ => os_error(errno),
                },
            },
            StopReason::JournalWrite { errno } => RunError::Observer(Box::new(os_error(errno))),
            StopReason::Disturbed { .. } => {
                let name = self.experiment.variants[variant].name.clone();
                RunError::Disturbed { name }
            }
            StopReason::Failed { .. } | StopReason::Aborted => {
                RunError::Launcher(measure::LauncherError::Malformed)
            }
        }
    }

    /// True if the slice is long enough to be handed over.
    fn is_full(&self, slice: &[(Purpose, Task)]) -> bool {
        let runs = match self.seconds_a_run {
            Some(seconds) => (SLICE.as_secs_f64() / seconds) as usize,
            None => 1,
        };
        slice.len() >= runs.clamp(1, MOST_RUNS_A_SLICE) || self.reading_is_due(slice)
    }

    /// True if the slice has readings besides the run itself: they must be taken before the next
    /// run.
    fn reading_is_due(&self, slice: &[(Purpose, Task)]) -> bool {
        let is_timed = |purpose| matches!(purpose, Purpose::Timed(_));
        let is_attended = self.attendant.is_some();
        slice.iter().any(|(purpose, task)| is_timed(*purpose) && (is_attended || !task.timed))
    }
}

impl Executor for LocalExecutor<'_> {
    fn setup(&mut self, observer: &mut dyn Observer) -> Result<Answer, RunError> {
        if self.run_setups(observer)? == Answer::Abort {
            return Ok(Answer::Abort);
        }
        self.look_up_commands()?;
        let layouts = self.experiment.variants.iter().zip(&self.commands).flat_map(|(one, own)| {
            (0..one.layouts.count()).map(|round| one.layouts.in_round(round, &own.run))
        });
        let layouts: Vec<CommandLine> = layouts.collect();
        page_cache::settle_differing(self.commands.iter().map(|own| &own.run).chain(&layouts));
        Ok(Answer::Continue)
    }

    fn rounds(
        &mut self,
        numbers: Range<u32>,
        phase: Phase,
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError> {
        let mut slice = Vec::new();
        let source = match phase {
            Phase::Instrumented(source) => source,
            Phase::WarmUp | Phase::Rounds => Source::Run,
        };
        let last = numbers.end.saturating_sub(1);
        for number in numbers {
            let mut round = self.plan.round(number, phase == Phase::WarmUp);
            round.keep(|variant| observer.takes_part(phase, variant));
            for (index, (&variant, &padding)) in round.order.iter().zip(&round.padding).enumerate()
            {
                let position = u32::try_from(index).expect("a round has below 2^20 runs");
                let place =
                    RunPlace { source, warmup: round.warmup, round: number, position, variant };
                if self.is_left_out(source, variant) {
                    continue;
                }
                // The variants of the next round may depend on the result of this one.
                let is_end = number == last || self.experiment.outlives_failures;
                let is_last = is_end && index + 1 == round.order.len();
                if self.run_at(place, padding, &mut slice, is_last, observer)? == Answer::Abort {
                    return Ok(Answer::Abort);
                }
            }
        }
        Ok(Answer::Continue)
    }

    /// Runs it between its hooks.
    fn output(&mut self, number: u32, observer: &mut dyn Observer) -> Result<Answer, RunError> {
        let index = number as usize;
        let variant = &self.experiment.variants[index];
        if variant.run.stdout == Stdout::Inherit {
            return say(number, Err(SHOWN), observer);
        }
        if let Some(prepare) = &variant.prepare
            && let Ended::Aborted = self.hook("prepare", index, prepare, Some(&mut *observer))?
        {
            return Ok(Answer::Abort);
        }
        let (ran, printed) = match self.commands[index].run.stdout.clone() {
            Stdout::File(path) => (self.run_for_output(index, None, observer)?, Err(path)),
            _ => {
                let (ran, output) = self.run_into_outlet(index, observer)?;
                (ran, Ok(output))
            }
        };
        let Ended::Finished(finished) = ran else { return Ok(Answer::Abort) };
        if failed_with_us(self.experiment.allowed.permits(finished.outcome)) {
            return Ok(Answer::Abort);
        }
        self.refuse_failure(index, &finished)?;
        let failed = |source| RunError::Output { name: variant.name.clone(), source };
        let output = match printed {
            Ok(output) => output.ok_or(HELD),
            Err(path) => output_of_file(&path).map_err(failed)?.ok_or(NO_FILE),
        };
        if let Some(conclude) = &variant.conclude
            && let Ended::Aborted = self.hook("conclude", index, conclude, Some(&mut *observer))?
        {
            return Ok(Answer::Abort);
        }
        let outcome = finished.outcome;
        say(number, output.map(|output| ObservedOutput { outcome, output }), observer)
    }

    /// Cleans up every variant whose setup was begun, even if the launcher has died; the first
    /// failure is reported once all were tried. A request to stop in the meantime ends it.
    fn cleanup(&mut self) -> Result<(), RunError> {
        let mut first_failure = Ok(());
        let experiment = self.experiment;
        for (index, variant) in experiment.variants.iter().enumerate().take(self.set_up) {
            let Some(cleanup) = &variant.cleanup else { continue };
            self.launcher.revive()?;
            match self.hook(CLEANUP, index, cleanup, None) {
                Ok(Ended::Aborted) => {
                    return Err(RunError::HookFailed {
                        hook: CLEANUP,
                        name: variant.name.clone(),
                        how: "was interrupted".to_owned(),
                        stderr: String::new(),
                        outcome: None,
                    });
                }
                cleaned => first_failure = first_failure.and(cleaned.map(drop)),
            }
        }
        first_failure
    }
}

/// The instrument for runs of this source; `None` for timed runs.
fn instrument_of(instruments: &mut Instruments, source: Source) -> Option<&mut dyn Instrument> {
    let found = instruments.iter_mut().find(|instrument| instrument.source() == source)?;
    Some(found.as_mut())
}

/// The command, or the first of its copies.
fn first(variant: &Variant) -> Invocation {
    match variant.labels.copies {
        Some(_) => variant.run.copy(0),
        None => variant.run.clone(),
    }
}

fn resolve(variant: &Variant, invocation: &Invocation) -> Result<CommandLine, RunError> {
    invocation.resolve().map_err(|source| RunError::Start { name: variant.name.clone(), source })
}

fn untimed(tag: u64, command: CommandLine) -> Task {
    Task {
        tag,
        command,
        copies: Vec::new(),
        timeout: None,
        awaits: Awaits::Command,
        environment_padding_bytes: 0,
        read: Reads::default(),
        stderr_kept_bytes: measure::STDERR_KEPT_BYTES,
        timed: false,
        allowed: AllowedExits::Zero,
    }
}

/// The result of an untimed run.
enum Ended {
    /// It finished.
    Finished(Box<FinishedRun>),
    /// It was ended on request.
    Aborted,
}

impl LocalExecutor<'_> {
    /// Runs one hook of a variant to its end; without an observer, until an interrupt is requested.
    fn hook(
        &mut self,
        kind: &'static str,
        index: usize,
        invocation: &Invocation,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Ended, RunError> {
        let variant = &self.experiment.variants[index];
        let task = untimed(0, resolve(variant, invocation)?);
        let is_observed = observer.is_some();
        let (slice, error) = self.wait_for(&[task], observer)?;
        if let Some(error) = error {
            return Err(RunError::Observer(error));
        }
        if matches!(slice.stopped, Some(StopReason::Aborted)) {
            return Ok(Ended::Aborted);
        }
        let Some(finished) = slice.finished.into_iter().next() else {
            return Err(self.never_ran(index, slice.stopped.as_ref()));
        };
        self.take_left_behind(kind, variant_number(index), &finished);
        if succeeded(&finished) {
            Ok(Ended::Finished(Box::new(finished)))
        } else if is_observed && measure::interrupt::requested() {
            Ok(Ended::Aborted)
        } else {
            Err(hook_failed(kind, variant, &finished))
        }
    }

    /// Records the processes that a hook left behind: they were ended before anything else ran.
    fn take_left_behind(&mut self, hook: &'static str, variant: u32, finished: &FinishedRun) {
        if finished.left_behind > 0 {
            *self.left_by_hooks.entry((variant, hook)).or_insert(0) +=
                u64::from(finished.left_behind);
        }
    }

    /// Runs every variant's setup command, one variant after the other, the requested number of
    /// times.
    fn run_setups(&mut self, observer: &mut dyn Observer) -> Result<Answer, RunError> {
        let experiment = self.experiment;
        for (index, variant) in experiment.variants.iter().enumerate() {
            self.set_up = index + 1;
            let Some(setup) = &variant.setup else { continue };
            let number = variant_number(index);
            for _ in 0..experiment.setup_runs {
                match self.hook("setup", index, &setup.run, Some(&mut *observer))? {
                    Ended::Aborted => return Ok(Answer::Abort),
                    Ended::Finished(finished) => {
                        let run = SetupRun::of_finished(number, &setup.typed, &finished);
                        let answer = observer.on(Event::SetUp(&run));
                        if answer.map_err(RunError::Observer)? == Answer::Abort {
                            return Ok(Answer::Abort);
                        }
                    }
                }
            }
        }
        Ok(Answer::Continue)
    }
}

fn variant_number(index: usize) -> u32 {
    u32::try_from(index).expect("at most 2^20 variants")
}

fn succeeded(finished: &FinishedRun) -> bool {
    finished.outcome == measure::Outcome::Exited(0)
}

fn hook_failed(hook: &'static str, variant: &Variant, finished: &FinishedRun) -> RunError {
    RunError::HookFailed {
        hook,
        name: variant.name.clone(),
        how: finished.outcome.to_string(),
        stderr: last_lines(&finished.stderr_tail),
        outcome: Some(finished.outcome),
    }
}

/// The result of the finished tasks of a slice.
#[derive(Default)]
struct Gathered {
    runs: Vec<Run>,
    failed_run: Option<Run>,
    failure: Option<RunError>,
    /// Set if a failure was caused by a request that brisk and its programs end.
    is_interrupted: bool,
}

impl LocalExecutor<'_> {
    /// The result of finished tasks; `None` if an instrument wants its run repeated.
    fn gather(
        &mut self,
        purposes: &[Purpose],
        finished: &[FinishedRun],
        observer: &mut dyn Observer,
    ) -> Result<Option<Gathered>, RunError> {
        let mut gathered = Gathered::default();
        for (index, (purpose, ended)) in purposes.iter().zip(finished).enumerate() {
            if let Purpose::Prepare(variant) | Purpose::Conclude(variant) = *purpose {
                self.take_left_behind(purpose.hook(), variant, ended);
            }
            match *purpose {
                Purpose::Timed(place) => {
                    if let Some(attendant) = self.attendant.filter(|_| place.source == Source::Run)
                        && !failed_with_us(self.experiment.allowed.permits(ended.outcome))
                    {
                        let refused = |why| RunError::Refused { why };
                        attendant.after(place, ended).map_err(refused)?;
                    }
                    let Some(run) = self.run_of(place, ended, &finished[index + 1..]) else {
                        return Ok(None);
                    };
                    self.tell_curves(place, ended.outcome, observer)?;
                    let permitted = self.experiment.allowed.permits(ended.outcome);
                    if permitted {
                        gathered.runs.push(run);
                    } else if failed_with_us(permitted) {
                        gathered.is_interrupted = true;
                        break;
                    } else if !self.goes_on_without(&run, &mut gathered.runs, observer)? {
                        gathered.failure = Some(self.failed(place, ended));
                        gathered.failed_run = Some(run);
                    }
                }
                Purpose::Measure(_) => {}
                Purpose::Prepare(_) | Purpose::Conclude(_) if succeeded(ended) => {}
                Purpose::Prepare(_) | Purpose::Conclude(_) if failed_with_us(false) => {
                    gathered.is_interrupted = true;
                    break;
                }
                Purpose::Prepare(variant) | Purpose::Conclude(variant) => {
                    let variant = &self.experiment.variants[variant as usize];
                    gathered.failure = Some(hook_failed(purpose.hook(), variant, ended));
                }
            }
        }
        Ok(Some(gathered))
    }

    /// True if the other variants continue despite a failed run; the observer is sent the runs
    /// before it, and the failed run.
    fn goes_on_without(
        &self,
        failed: &Run,
        before: &mut Vec<Run>,
        observer: &mut dyn Observer,
    ) -> Result<bool, RunError> {
        if !self.experiment.outlives_failures {
            return Ok(false);
        }
        observer.on(Event::Finished(before)).map_err(RunError::Observer)?;
        before.clear();
        let answer = observer.on(Event::Failed(failed)).map_err(RunError::Observer)?;
        Ok(answer == Answer::Withdraw)
    }

    /// The run with its readings, including those of the measuring commands after it; `None` if its
    /// instrument wants it repeated.
    fn run_of(
        &mut self,
        place: RunPlace,
        finished: &FinishedRun,
        after: &[FinishedRun],
    ) -> Option<Run> {
        let mut run = finished::timed_run(place, finished);
        if let Some(instrument) = instrument_of(&mut self.instruments, place.source) {
            let permitted = self.experiment.allowed.permits(finished.outcome);
            let command = &self.commands[place.variant as usize].run;
            match instrument.collect(place.variant, command, finished, permitted) {
                Collected::Readings(readings) => {
                    run.readings = readings.of_finished_processes(finished);
                }
                Collected::Again => return None,
            }
            if let Some(reason) = self.ended_otherwise(place, finished.outcome) {
                let ids = run.readings.iter().map(|(id, _)| (id.clone(), Err(reason.clone())));
                run.readings = ids.collect();
            }
        } else {
            let outcomes = &mut self.plain_outcomes[place.variant as usize];
            if !outcomes.contains(&finished.outcome) {
                outcomes.push(finished.outcome);
            }
            let measures = &self.experiment.variants[place.variant as usize].measures;
            run.readings = run.readings.and(measured::readings(measures, finished, after));
        }
        Some(run)
    }

    /// The reason why a run under an instrument measured nothing: no run without one ended in the
    /// same way, so the program did something else.
    fn ended_otherwise(&self, place: RunPlace, outcome: Outcome) -> Option<Missing> {
        let plain = &self.plain_outcomes[place.variant as usize];
        let first = plain.first().filter(|_| !plain.contains(&outcome))?;
        let (instrumented, alone) = (outcome.to_string(), (*first).to_string());
        let reason = format!("the instrumented run {instrumented}, the plain one {alone}");
        Some(Missing(reason.into()))
    }

    /// Passes the curves of the run that was just read to the observer.
    fn tell_curves(
        &mut self,
        place: RunPlace,
        outcome: Outcome,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let instrument = instrument_of(&mut self.instruments, place.source);
        let mut curves = instrument.map(|instrument| instrument.curves()).unwrap_or_default();
        if let Some(reason) = self.ended_otherwise(place, outcome) {
            curves.iter_mut().for_each(|curve| curve.samples = Err(reason.clone()));
        }
        if !curves.is_empty() {
            observer.on(Event::Curves(place, &curves)).map_err(RunError::Observer)?;
        }
        Ok(())
    }
}

/// The reason for missing output: the run shows it.
const SHOWN: &str = "it goes where brisk's own output goes";
/// The reason for missing output: a device cannot be read again.
const NO_FILE: &str = "the output is not a regular file";
/// The reason for missing output: it never ends.
const HELD: &str = "a process that the command left behind still has it open";

impl LocalExecutor<'_> {
    /// Runs a variant with its standard output going through a pipe; `None` for the output if it
    /// has no end.
    fn run_into_outlet(
        &mut self,
        index: usize,
        observer: &mut dyn Observer,
    ) -> Result<(Ended, Option<Output>), RunError> {
        let name = &self.experiment.variants[index].name;
        let failed = |source| RunError::Output { name: name.clone(), source };
        let folder =
            instrument::scratch_folder().map_err(|error| failed(io::Error::other(error)))?;
        let path = folder.path().join("printed");
        let outlet = Outlet::open(&path, Intake::default()).map_err(failed)?;
        let ran = self.run_for_output(index, Some(path), observer);
        let read = outlet.close();
        Ok((ran?, read.map_err(failed)?.map(Intake::finish)))
    }

    /// Runs a variant once, with its output redirected to `stdout` if that is given.
    fn run_for_output(
        &mut self,
        index: usize,
        stdout: Option<PathBuf>,
        observer: &mut dyn Observer,
    ) -> Result<Ended, RunError> {
        let mut command = self.commands[index].run.clone();
        if let Some(path) = stdout {
            command.stdout = Stdout::File(path);
        }
        let task = Task {
            timeout: self.experiment.timeout,
            allowed: AllowedExits::Any,
            ..untimed(0, command)
        };
        let (slice, trouble) = self.wait_for(&[task], Some(observer))?;
        if let Some(trouble) = trouble {
            return Err(RunError::Observer(trouble));
        }
        match (slice.finished.into_iter().next(), slice.stopped) {
            (_, Some(StopReason::Aborted)) => Ok(Ended::Aborted),
            (Some(finished), _) => Ok(Ended::Finished(Box::new(finished))),
            (None, stopped) => Err(self.never_ran(index, stopped.as_ref())),
        }
    }

    /// Treats a disallowed exit as a failure, as in a round.
    fn refuse_failure(&self, index: usize, finished: &FinishedRun) -> Result<(), RunError> {
        let outcome = finished.outcome;
        if self.experiment.allowed.permits(outcome) {
            return Ok(());
        }
        Err(RunError::Failed {
            name: self.experiment.variants[index].name.clone(),
            how: outcome.to_string(),
            when: "a run of `--equal-work`".to_owned(),
            stderr: last_lines(&finished.stderr_tail),
            outcome,
        })
    }
}

/// Reports the output of a variant to the observer.
fn say(
    variant: u32,
    seen: Result<ObservedOutput, &str>,
    observer: &mut dyn Observer,
) -> Result<Answer, RunError> {
    let printed =
        Printed { variant, seen: seen.map_err(|reason| Missing(reason.to_owned().into())) };
    observer.on(Event::Printed(printed)).map_err(RunError::Observer)
}
