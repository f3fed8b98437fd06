//! Runs a plan on this machine, through the launcher of `measure`.
//!
//! Short runs are handed over in slices: one request, many runs, one answer. The launcher appends
//! each finished run to a journal before it starts the next, so a slice is as durable as single
//! runs, and brisk sleeps while it lasts (`docs/design/launcher.md`).

mod gathering;
mod hooks;
mod outputs;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::{
    AllowedExits, CommandLine, FinishedRun, Launcher, Obstacle, Outcome, Reads, Slice, StopReason,
    Task, Wake, page_cache,
};
use model::metric::Source;
use model::note::Note;
use model::run::Plan;
use model::run::RunPlace;
use model::spec::copies::VARIABLE;
use model::spec::own_metric::Measure;
use model::spec::{Experiment, Invocation, Variant};

use super::finished::last_lines;
use super::{Answer, Event, Executor, Observer, ObserverError, Phase, RunError};
use crate::instrument::{Instrument, Instruments};
use crate::local::gathering::Gathered;
use crate::tag::tag;

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
    ///
    /// # Errors
    ///
    /// When a program cannot be started.
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
            commands: Vec::new(),
            plain_outcomes: vec![Vec::new(); experiment.variants.len()],
            seconds_a_run: None,
            set_up: 0,
            left_by_hooks: BTreeMap::new(),
        }
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
    fn push_tasks(&mut self, place: RunPlace, padding: u16, slice: &mut Vec<(Purpose, Task)>) {
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
        let timed = Task {
            tag: tag(place),
            command,
            copies,
            timeout: self.experiment.timeout,
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
            (None, Some(reason)) => {
                let (Purpose::Timed(RunPlace { variant, .. })
                | Purpose::Prepare(variant)
                | Purpose::Measure(variant)
                | Purpose::Conclude(variant)) =
                    purposes[answer.finished.len().min(purposes.len() - 1)];
                Err(self.cannot_start(variant as usize, reason))
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
            self.push_tasks(place, padding, slice);
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

    fn cannot_start(&self, variant: usize, reason: &StopReason) -> RunError {
        let os_error = std::io::Error::from_raw_os_error;
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
        slice.iter().any(|(purpose, task)| matches!(purpose, Purpose::Timed(_)) && !task.timed)
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
        settle(self.commands.iter().map(|own| &own.run).chain(&layouts));
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

    fn outputs(
        &mut self,
        variants: &[u32],
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError> {
        for &variant in variants {
            if self.output(variant, observer)? == Answer::Abort {
                return Ok(Answer::Abort);
            }
        }
        Ok(Answer::Continue)
    }

    fn cleanup(&mut self) -> Result<(), RunError> {
        self.run_cleanups()
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
        environment_padding_bytes: 0,
        read: Reads::default(),
        stderr_kept_bytes: measure::STDERR_KEPT_BYTES,
        timed: false,
        allowed: AllowedExits::Zero,
    }
}

// Settling of the compared programs' files, so that they lie alike in the page cache.

/// Settles the programs in which the commands differ; a program that all commands run is the same
/// for each of them. A program that cannot be settled is measured as it is.
fn settle<'a>(commands: impl Iterator<Item = &'a CommandLine>) {
    for program in differing(commands.map(programs)) {
        let _ = page_cache::settle(&program);
    }
}

/// The programs that some commands have and others do not.
fn differing(all: impl Iterator<Item = BTreeSet<PathBuf>>) -> BTreeSet<PathBuf> {
    let all: Vec<BTreeSet<PathBuf>> = all.collect();
    let every = all.iter().flatten().cloned().collect::<BTreeSet<_>>();
    every.into_iter().filter(|one| !all.iter().all(|own| own.contains(one))).collect()
}

/// The program that a command starts, and those named in its words, which a shell or an interpreter
/// starts.
fn programs(command: &CommandLine) -> BTreeSet<PathBuf> {
    let folder = command.cwd.as_deref().unwrap_or(Path::new("."));
    let words = command.argv.iter().skip(1).filter_map(|argument| argument.to_str());
    let is_between = |letter: char| letter.is_whitespace() || "'\"`=;&|()<>".contains(letter);
    let words = words.flat_map(|argument| argument.split(is_between));
    let named = words.filter(|word| word.contains('/')).map(|word| folder.join(word));
    let all = std::iter::once(command.program.clone()).chain(named);
    all.filter(|path| page_cache::is_program(path)).collect()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use measure::{Stdin, Stdout};

    use super::*;

    fn command(program: &Path, arguments: &[&str]) -> CommandLine {
        CommandLine {
            argv: std::iter::once("x")
                .chain(arguments.iter().copied())
                .map(OsString::from)
                .collect(),
            program: program.to_owned(),
            env: Vec::new(),
            cwd: None,
            stdin: Stdin::Null,
            stdout: Stdout::Null,
        }
    }

    #[test]
    fn programs_are_found_behind_shells_and_those_of_all_commands_left_alone() {
        let own = std::env::current_exe().expect("this test is a program");
        let path = own.to_str().expect("UTF-8");
        let shell = Path::new("/bin/sh").canonicalize().expect("there is one");
        let behind = [format!("'{path}' --list >/dev/null"), "true".to_owned()];
        let [with, without] = behind.map(|text| command(&shell, &["-c", &text]));
        assert!(programs(&with).contains(&own) && programs(&with).contains(&shell));
        let found = differing([&with, &without].into_iter().map(programs));
        assert_eq!(found, BTreeSet::from([own]));
        assert!(differing([&with, &with].into_iter().map(programs)).is_empty());
    }
}
