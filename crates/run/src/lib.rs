//! Running a plan: events, executors and observers.
//!
//! An executor runs rounds and reports events. It never prints, stores or computes: progress, store
//! and judge are observers of its events. Between rounds it asks how many more to run, so that the
//! stopping rule stays with the judge.

pub mod attendant;
pub mod curve;
pub mod finished;
pub mod instrument;
pub mod local;
mod measured;
pub mod scratch;
pub mod scripted;
pub mod suite;

use std::ops::Range;

use measure::Outcome;
use model::metric::Source;
use model::run::Printed;
use model::run::{Run, RunPlace};
use serde::{Deserialize, Serialize};
use toolchains::harness::measurement::Measurement;

use crate::curve::Curve;
use crate::finished::SetupRun;

/// An event during the execution of a plan.
#[derive(Debug)]
pub enum Event<'a> {
    /// A part of the experiment begins.
    Phase(Phase),
    /// Rounds of the phase are about to begin; holds the number of rounds done.
    BetweenRounds(u32),
    /// Runs finished, in this order; they are stored before the next ones start.
    Finished(&'a [Run]),
    /// Curves were sampled during the run at this place, which is reported as finished next.
    Curves(RunPlace, &'a [Curve]),
    /// A harness measured in the run at this place, which is reported as finished next.
    Measured(RunPlace, &'a [Measurement]),
    /// A run failed: it is stored, and not judged. This ends the experiment unless the answer is to
    /// continue without its variant.
    Failed(&'a Run),
    /// A setup command has run.
    SetUp(&'a SetupRun),
    /// A variant was run for its output.
    Printed(Printed),
    /// Time passes during a run.
    Waiting,
}

/// A point where measuring resumed after an interruption, or after other work had the machine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pause {
    /// The first round after the pause.
    pub round: u32,
    /// The seconds of measuring before the pause.
    pub elapsed_seconds: f64,
}

/// The moment of a look.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LookTaken {
    /// The number of rounds before the look.
    pub rounds: u32,
    /// The share of the permitted error available by then, above 0 and at most 1.
    pub clock: f64,
    /// The seconds of measuring before the look.
    pub elapsed_seconds: f64,
}

/// A part of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Warm-up rounds, which are not judged.
    WarmUp,
    /// Rounds that are judged.
    Rounds,
    /// Separate rounds under the instrument for a source.
    Instrumented(Source),
}

/// The observer's answer to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Continue.
    Continue,
    /// Continue without the variant whose run failed.
    Withdraw,
    /// End the current run and keep the finished ones.
    Abort,
}

/// Observes an execution and decides how long it continues.
pub trait Observer {
    /// Handles an event.
    fn on(&mut self, event: Event<'_>) -> Result<Answer, ObserverError>;

    /// True if a variant takes part in the next rounds of a phase.
    fn takes_part(&self, _phase: Phase, _variant: u32) -> bool {
        true
    }

    /// The number of rounds of a phase done in an earlier session.
    fn done_before(&self, _phase: Phase) -> u32 {
        0
    }

    /// The number of rounds to run before asking again; 0 ends the phase.
    fn more_rounds(&mut self, phase: Phase, done: u32) -> u32;

    /// The variants to run next for their output; an empty list ends it.
    fn wanted_outputs(&mut self) -> Vec<u32> {
        Vec::new()
    }
}

/// The error of an observer, for example when it cannot store a run.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

/// Executes a plan: for real, or from a script.
pub trait Executor {
    /// Runs every variant's setup command the requested number of times, and reports each run's
    /// readings.
    fn setup(&mut self, observer: &mut dyn Observer) -> Result<Answer, RunError>;

    /// Runs the rounds with these numbers, and reports each run as it finishes.
    fn rounds(
        &mut self,
        numbers: Range<u32>,
        phase: Phase,
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError>;

    /// Runs a variant once, untimed, and reports its output.
    fn output(&mut self, variant: u32, observer: &mut dyn Observer) -> Result<Answer, RunError>;

    /// Runs every variant's cleanup command, even after an error.
    fn cleanup(&mut self) -> Result<(), RunError>;
}

/// Runs every phase in turn, each until the observer wants no more rounds.
pub fn execute(
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Ending, RunError> {
    let ending = run_phases(executor, observer);
    let cleaned = executor.cleanup();
    let ending = ending?;
    cleaned.map(|()| ending)
}

fn run_phases(
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Ending, RunError> {
    if executor.setup(observer)? == Answer::Abort {
        return Ok(Ending::Aborted);
    }
    let instrumented =
        [Source::Runtime, Source::Valgrind, Source::Sampled].map(Phase::Instrumented);
    for phase in [Phase::WarmUp, Phase::Rounds].into_iter().chain(instrumented) {
        observer.on(Event::Phase(phase)).map_err(RunError::Observer)?;
        let mut done = observer.done_before(phase);
        loop {
            let more = observer.more_rounds(phase, done);
            if more == 0 {
                break;
            }
            let between = observer.on(Event::BetweenRounds(done)).map_err(RunError::Observer)?;
            if between == Answer::Abort
                || executor.rounds(done..done + more, phase, observer)? == Answer::Abort
            {
                return Ok(Ending::Aborted);
            }
            done += more;
        }
    }
    run_for_output(executor, observer)
}

/// Runs for output come after all timed runs, so that they do not disturb these.
fn run_for_output(
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Ending, RunError> {
    loop {
        let wanted = observer.wanted_outputs();
        if wanted.is_empty() {
            return Ok(Ending::Complete);
        }
        for variant in wanted {
            if executor.output(variant, observer)? == Answer::Abort {
                return Ok(Ending::Aborted);
            }
        }
    }
}

/// The end of an execution without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every phase ran until the observer had enough rounds.
    Complete,
    /// The observer asked to stop early.
    Aborted,
}

/// The name of a variant's cleanup command in errors.
pub(crate) const CLEANUP: &str = "cleanup";

/// The reason why an execution could not continue. Runs that finished before are stored.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum RunError {
    #[error("`{name}` {how} in {when}")]
    Failed { name: String, how: String, when: String, stderr: String, outcome: Outcome },
    #[error("the {hook} command of `{name}` {how}")]
    HookFailed {
        hook: &'static str,
        name: String,
        how: String,
        stderr: String,
        outcome: Option<Outcome>,
    },
    #[error("cannot read what `{name}` prints")]
    Output { name: String, source: std::io::Error },
    #[error("cannot start `{name}`")]
    Start { name: String, source: measure::StartError },
    #[error("cannot start `{name}`: cannot {doing}")]
    Spawn { name: String, doing: &'static str, source: std::io::Error },
    #[error("the launcher process was stopped while `{name}` ran, which nobody could watch then")]
    Disturbed { name: String },
    #[error(transparent)]
    Launcher(#[from] measure::LauncherError),
    /// The attendant of the runs refused it, for this reason.
    #[error("{why}")]
    Refused { why: String },
    #[error("cannot keep a finished run")]
    Observer(#[source] ObserverError),
    #[error("{}", .0.error())]
    Elsewhere(model::failure::Failure),
}

impl RunError {
    /// True if a command was ended because it asked for input on the terminal.
    pub fn is_by_terminal(&self) -> bool {
        match self {
            Self::Failed { outcome, .. } => outcome.is_by_terminal(),
            Self::HookFailed { outcome, .. } => outcome.is_some_and(Outcome::is_by_terminal),
            _ => false,
        }
    }

    /// True if the commands are not at fault, so that measuring can be resumed as after an
    /// interruption. The failure of a cleanup command does not affect the rounds before it.
    pub fn is_an_interruption(&self) -> bool {
        match self {
            Self::Launcher(_) | Self::Observer(_) | Self::Disturbed { .. } => true,
            Self::HookFailed { hook, .. } => *hook == CLEANUP,
            Self::Failed { .. }
            | Self::Refused { .. }
            | Self::Output { .. }
            | Self::Start { .. }
            | Self::Spawn { .. }
            | Self::Elsewhere(_) => false,
        }
    }
}

/// True if a run failed because brisk's whole job was asked to end.
pub(crate) fn failed_with_us(permitted: bool) -> bool {
    !permitted && measure::interrupt::requested()
}
