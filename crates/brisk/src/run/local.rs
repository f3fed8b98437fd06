//! Runs a plan on this machine, through the launcher of `measure`.
//!
//! Short runs are handed over in slices: one request, many runs, one answer. The launcher appends
//! each finished run to a journal before it starts the next, so a slice is as durable as single
//! runs, and brisk sleeps while it lasts (`docs/design/launcher.md`).

use std::fs::File;
use std::ops::Range;
use std::time::Duration;

use measure::{
    AllowedExits, CommandLine, FinishedRun, Launcher, Obstacle, Reads, Slice, StopReason, Task,
    Wake,
};

use super::{
    Answer, Event, Executor, Observer, ObserverError, Phase, Place, Run, RunError, describe,
};
use crate::metric::{Readings, Source};
use crate::plan::Plan;
use crate::run::instrument::Instrument;
use crate::spec::{Experiment, Invocation, Variant};

/// How long a slice should take: long enough that waking brisk up costs nothing, short enough
/// that progress is smooth.
const SLICE: Duration = Duration::from_millis(100);

/// The most runs in a slice.
const MOST_RUNS_A_SLICE: usize = 256;

/// Runs the experiment's commands.
pub struct LocalExecutor<'a> {
    experiment: &'a Experiment,
    plan: Plan,
    launcher: &'a mut Launcher,
    journal: Option<File>,
    reads: Reads,
    instrument: Option<Instrument>,
    /// Each variant's command, looked up; filled after the setup commands.
    commands: Vec<Commands>,
    /// How long the last slice took for each of its runs.
    seconds_a_run: Option<f64>,
    set_up: usize,
}

/// The processes of one variant, looked up.
struct Commands {
    run: CommandLine,
    prepare: Option<CommandLine>,
    conclude: Option<CommandLine>,
}

/// What a task of a slice is for; its index in the slice is its tag.
#[derive(Debug, Clone, Copy)]
enum Purpose {
    Prepare(u32),
    Timed(Place),
    Conclude(u32),
}

impl<'a> LocalExecutor<'a> {
    /// Checks that every program can be started, unless a setup command may still make it.
    ///
    /// # Errors
    ///
    /// When one cannot.
    pub fn check(experiment: &Experiment) -> Result<(), RunError> {
        let mut ready = experiment.variants.iter().filter(|variant| variant.setup.is_none());
        ready.try_for_each(|variant| resolve(variant, &variant.run).map(|_| ()))
    }

    /// Ready to run; `journal` is where the launcher notes each finished run.
    pub fn new(
        experiment: &'a Experiment,
        plan: Plan,
        launcher: &'a mut Launcher,
        journal: Option<File>,
        reads: Reads,
        instrument: Option<Instrument>,
    ) -> Self {
        Self {
            experiment,
            plan,
            launcher,
            journal,
            reads,
            instrument,
            commands: Vec::new(),
            seconds_a_run: None,
            set_up: 0,
        }
    }

    fn hook(
        &mut self,
        kind: &'static str,
        index: usize,
        invocation: &Invocation,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Answer, RunError> {
        let variant = &self.experiment.variants[index];
        let task = untimed(0, resolve(variant, invocation)?);
        let (slice, error) = self.wait_for(&[task], observer)?;
        if let Some(error) = error {
            return Err(RunError::Observer(error));
        }
        if matches!(slice.stopped, Some(StopReason::Aborted)) {
            return Ok(Answer::Abort);
        }
        match slice.finished.first() {
            Some(finished) if succeeded(finished) => Ok(Answer::Continue),
            Some(finished) => Err(hook_failed(kind, variant, finished)),
            None => match &slice.stopped {
                Some(reason) => Err(self.cannot_start(index, reason)),
                None => Err(RunError::Launcher(measure::LauncherError::Malformed)),
            },
        }
    }

    /// Hands a slice over and waits for it; an observer's trouble is told after the answer came.
    fn wait_for(
        &mut self,
        tasks: &[Task],
        mut observer: Option<&mut dyn Observer>,
    ) -> Result<(Slice, Option<ObserverError>), RunError> {
        let mut trouble = None;
        let mut on_wait = || match observer.as_mut().map(|observer| observer.on(Event::Waiting)) {
            Some(Ok(Answer::Abort)) => Wake::Abort,
            Some(Err(error)) => {
                trouble = Some(error);
                Wake::Abort
            }
            // A cleanup command goes on after Ctrl-C, and not after the second.
            None if measure::interrupt::requests() > 1 => Wake::Abort,
            Some(Ok(Answer::Continue)) | None => Wake::Continue,
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
                run: resolve(variant, &variant.run)?,
                prepare: hook(&variant.prepare)?,
                conclude: hook(&variant.conclude)?,
            })
        };
        self.commands = self.experiment.variants.iter().map(look_up).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// The tasks of one run: prepare, the run itself, conclude.
    fn push_tasks(&self, place: Place, padding: u16, slice: &mut Vec<(Purpose, Task)>) {
        let commands = &self.commands[place.variant as usize];
        let mut push = |purpose, task: Task| slice.push((purpose, task));
        if let Some(prepare) = &commands.prepare {
            push(Purpose::Prepare(place.variant), untimed(0, prepare.clone()));
        }
        let instrument = self.instrument.as_ref().filter(|_| place.source != Source::Run);
        let timed = Task {
            tag: tag(place),
            command: instrument
                .map_or_else(|| commands.run.clone(), |instrument| instrument.wrap(&commands.run)),
            timeout: self.experiment.timeout,
            // Under an instrument nothing may vary that need not.
            environment_padding_bytes: if instrument.is_some() { 0 } else { padding },
            read: if instrument.is_some() { Reads::default() } else { self.reads },
            // An instrumented run counts once its instrument's output was read.
            timed: instrument.is_none(),
            allowed: self.experiment.allowed.clone(),
        };
        push(Purpose::Timed(place), timed);
        if let Some(conclude) = &commands.conclude {
            push(Purpose::Conclude(place.variant), untimed(0, conclude.clone()));
        }
    }

    fn run_slice(
        &mut self,
        slice: &mut Vec<(Purpose, Task)>,
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError> {
        let (purposes, tasks): (Vec<_>, Vec<_>) = slice.drain(..).unzip();
        let watch = measure::clock::Stopwatch::start();
        let (answer, trouble) = self.wait_for(&tasks, Some(&mut *observer))?;
        self.seconds_a_run = Some(watch.elapsed().as_secs_f64() / tasks.len() as f64);
        let mut runs = Vec::with_capacity(answer.finished.len());
        let mut failed_run = None;
        let mut failure = None;
        for (purpose, finished) in purposes.iter().zip(&answer.finished) {
            match *purpose {
                Purpose::Timed(place) => {
                    let run = self.run_of(place, finished);
                    if self.experiment.allowed.permits(finished.outcome) {
                        runs.push(run);
                    } else {
                        failure = Some(self.failed(place, finished));
                        failed_run = Some(run);
                    }
                }
                Purpose::Prepare(variant) | Purpose::Conclude(variant) => {
                    let hook = match purpose {
                        Purpose::Prepare(_) => "prepare",
                        _ => "conclude",
                    };
                    if !succeeded(finished) {
                        let variant = &self.experiment.variants[variant as usize];
                        failure = Some(hook_failed(hook, variant, finished));
                    }
                }
            }
        }
        let wanted = observer.on(Event::Finished(&runs)).map_err(RunError::Observer)?;
        if let Some(run) = &failed_run {
            observer.on(Event::Failed(run)).map_err(RunError::Observer)?;
        }
        if let Some(trouble) = trouble {
            return Err(RunError::Observer(trouble));
        }
        match (failure, &answer.stopped) {
            (Some(failure), _) => Err(failure),
            (None, Some(StopReason::Aborted)) => Ok(Answer::Abort),
            (None, Some(reason)) => {
                let (Purpose::Timed(Place { variant, .. })
                | Purpose::Prepare(variant)
                | Purpose::Conclude(variant)) =
                    purposes[answer.finished.len().min(purposes.len() - 1)];
                Err(self.cannot_start(variant as usize, reason))
            }
            (None, None) => Ok(wanted),
        }
    }

    fn run_of(&self, place: Place, finished: &FinishedRun) -> Run {
        let mut run = Run::of_finished(place, finished);
        if let Some(instrument) = self.instrument.as_ref().filter(|_| place.source != Source::Run) {
            run.readings = instrument.collect();
        }
        run
    }

    fn failed(&self, place: Place, finished: &FinishedRun) -> RunError {
        let kind = match (place.source, place.warmup) {
            (Source::Valgrind, _) => "run under valgrind",
            (Source::Run, true) => "warm-up round",
            (Source::Run, false) => "round",
        };
        RunError::Failed {
            name: self.experiment.variants[place.variant as usize].name.clone(),
            how: describe(finished.outcome),
            when: format!("{kind} {}", place.round + 1),
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
                source: os_error(errno),
            },
            StopReason::JournalWrite { errno } => RunError::Observer(Box::new(os_error(errno))),
            StopReason::Failed { .. } | StopReason::Aborted => {
                RunError::Launcher(measure::LauncherError::Malformed)
            }
        }
    }

    /// Whether the slice is long enough to be handed over.
    fn is_full(&self, slice: &[(Purpose, Task)]) -> bool {
        let runs = match self.seconds_a_run {
            Some(seconds) => (SLICE.as_secs_f64() / seconds) as usize,
            None => 1,
        };
        slice.len() >= runs.clamp(1, MOST_RUNS_A_SLICE) || self.instrument_is_due(slice)
    }

    /// An instrument's output is collected before the next run under it.
    fn instrument_is_due(&self, slice: &[(Purpose, Task)]) -> bool {
        slice.iter().any(
            |(purpose, _)| matches!(purpose, Purpose::Timed(place) if place.source != Source::Run),
        )
    }
}

impl Executor for LocalExecutor<'_> {
    fn setup(&mut self, observer: &mut dyn Observer) -> Result<Answer, RunError> {
        for (index, variant) in self.experiment.variants.iter().enumerate() {
            self.set_up = index + 1;
            if let Some(setup) = &variant.setup
                && self.hook("setup", index, setup, Some(&mut *observer))? == Answer::Abort
            {
                return Ok(Answer::Abort);
            }
        }
        self.look_up_commands()?;
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
            Phase::Instrumented => Source::Valgrind,
            Phase::WarmUp | Phase::Rounds => Source::Run,
        };
        let last = numbers.end.saturating_sub(1);
        for number in numbers {
            let mut round = self.plan.round(number, phase == Phase::WarmUp);
            if phase == Phase::Rounds {
                round.keep(|variant| observer.takes_part(variant));
            }
            for (index, (&variant, &padding)) in round.order.iter().zip(&round.padding).enumerate()
            {
                let position = u32::try_from(index).expect("a round has below 2^20 runs");
                let place =
                    Place { source, warmup: round.warmup, round: number, position, variant };
                self.push_tasks(place, padding, &mut slice);
                let ends_phase = number == last && index + 1 == round.order.len();
                if (self.is_full(&slice) || ends_phase)
                    && self.run_slice(&mut slice, observer)? == Answer::Abort
                {
                    return Ok(Answer::Abort);
                }
            }
        }
        Ok(Answer::Continue)
    }

    /// Every variant whose setup was begun is cleaned up; the first failure is reported after all
    /// were tried.
    fn cleanup(&mut self) -> Result<(), RunError> {
        let mut first_failure = Ok(());
        for (index, variant) in self.experiment.variants.iter().enumerate().take(self.set_up) {
            if let Some(cleanup) = &variant.cleanup {
                let cleaned = self.hook("cleanup", index, cleanup, None).map(|_| ());
                first_failure = first_failure.and(cleaned);
            }
        }
        first_failure
    }
}

fn resolve(variant: &Variant, invocation: &Invocation) -> Result<CommandLine, RunError> {
    invocation.resolve().map_err(|source| RunError::Start { name: variant.name.clone(), source })
}

fn untimed(tag: u64, command: CommandLine) -> Task {
    Task {
        tag,
        command,
        timeout: None,
        environment_padding_bytes: 0,
        read: Reads::default(),
        timed: false,
        allowed: AllowedExits::Zero,
    }
}

fn succeeded(finished: &FinishedRun) -> bool {
    finished.outcome == measure::Outcome::Exited(0)
}

fn hook_failed(hook: &'static str, variant: &Variant, finished: &FinishedRun) -> RunError {
    RunError::HookFailed {
        hook,
        name: variant.name.clone(),
        how: describe(finished.outcome),
        stderr: last_lines(&finished.stderr_tail),
    }
}

/// How many lines of a failed command's standard error are shown.
const STDERR_LINES: usize = 10;

fn last_lines(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(STDERR_LINES)..].join("\n")
}

impl Run {
    /// A timed run as the launcher reported it.
    pub fn of_finished(place: Place, finished: &FinishedRun) -> Self {
        let ended_well = finished.outcome == measure::Outcome::Exited(0);
        Self {
            place,
            started_unix_ns: finished.started_unix_ns,
            outcome: finished.outcome,
            readings: Readings::of_run(&finished.raw),
            left_behind: finished.left_behind,
            stderr_tail: (!ended_well && !finished.stderr_tail.is_empty())
                .then(|| last_lines(&finished.stderr_tail)),
        }
    }
}

/// Bits of a tag: the variant and its position below 2^20 each, the round below 2^23.
const POSITION_SHIFT: u32 = 20;
const ROUND_SHIFT: u32 = 40;
const WARMUP_SHIFT: u32 = 63;
const INDEX_MASK: u64 = (1 << 20) - 1;
const ROUND_MASK: u64 = (1 << 23) - 1;

/// The most rounds an experiment may have: as many as a tag can number.
pub const MOST_ROUNDS: u32 = 1 << 23;

/// A timed run's place as one number, so that a journal can be read back without the plan.
fn tag(place: Place) -> u64 {
    u64::from(place.variant)
        | u64::from(place.position) << POSITION_SHIFT
        | u64::from(place.round) << ROUND_SHIFT
        | u64::from(place.warmup) << WARMUP_SHIFT
}

/// The place of the timed run with this tag.
pub fn place_of_tag(tag: u64) -> Place {
    let part = |shift: u32, mask: u64| {
        u32::try_from((tag >> shift) & mask).expect("masked to below 32 bits")
    };
    Place {
        source: Source::Run,
        warmup: tag >> WARMUP_SHIFT == 1,
        round: part(ROUND_SHIFT, ROUND_MASK),
        position: part(POSITION_SHIFT, INDEX_MASK),
        variant: part(0, INDEX_MASK),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_tells_the_place() {
        for place in [
            Place { source: Source::Run, warmup: false, round: 0, position: 0, variant: 0 },
            Place {
                source: Source::Run,
                warmup: true,
                round: MOST_ROUNDS - 1,
                position: (1 << 20) - 1,
                variant: (1 << 20) - 1,
            },
            Place { source: Source::Run, warmup: false, round: 77, position: 3, variant: 9 },
        ] {
            assert_eq!(place_of_tag(tag(place)), place);
        }
    }

    #[test]
    fn only_the_last_lines_of_standard_error_are_kept() {
        let long: String = (0..50).map(|line| format!("line {line}\n")).collect();
        let kept = last_lines(long.as_bytes());
        assert_eq!(kept.lines().count(), STDERR_LINES);
        assert!(kept.ends_with("line 49"));
        assert_eq!(last_lines(b""), "");
    }
}
