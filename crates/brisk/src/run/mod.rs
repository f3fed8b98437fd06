//! Running a plan: events, and who makes them.
//!
//! An executor runs rounds and says what happened. It never prints, stores or computes: progress,
//! store and judge are observers of its events. Between rounds it asks how many more to run, so
//! that the stopping rule stays with the judge.

pub mod curve;
pub(crate) mod finished;
pub mod instrument;
pub mod local;
pub mod looks;
mod measured;
pub mod output;
pub(crate) mod scratch;
#[cfg(test)]
pub mod scripted;
pub mod setup;
pub mod suite;
pub mod tag;

use std::ops::Range;

use measure::Outcome;
use serde::{Deserialize, Serialize};
use toolchains::harness::measurement::Measurement;

use crate::metric::{Readings, Source};
use crate::run::curve::Curve;
use output::Printed;
use setup::SetupRun;

/// One execution of one variant and all that was read from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Where in the plan it belongs.
    pub place: RunPlace,
    /// When it started, in nanoseconds since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// What was read.
    pub readings: Readings,
    /// Processes it left behind, which were ended.
    pub left_behind: u32,
    /// The last lines of its standard error, where it did not end well.
    pub stderr_tail: Option<String>,
}

/// Where in the plan a run belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunPlace {
    /// Whether it was timed or instrumented.
    pub source: Source,
    /// Whether it is a warm-up: stored, never judged.
    pub warmup: bool,
    /// The round, from 0, counted apart for warm-ups and for each source.
    pub round: u32,
    /// Its place within the round, from 0.
    pub position: u32,
    /// Which variant ran.
    pub variant: u32,
}

/// What happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// A part of the experiment begins.
    Phase(Phase),
    /// Rounds of the part are about to begin, and so many are done.
    BetweenRounds(u32),
    /// Runs finished, in this order; they are stored before the next ones start.
    Finished(&'a [Run]),
    /// What was sampled over the time of the run at this place, which then is said to have finished.
    Curves(RunPlace, &'a [Curve]),
    /// What a harness measured in the run at this place, which then is said to have finished.
    Measured(RunPlace, &'a [Measurement]),
    /// A run failed, which ends the experiment unless the answer is to go on without its variant: it
    /// is stored, and not judged.
    Failed(&'a Run),
    /// A setup command was run.
    SetUp(&'a SetupRun),
    /// A variant was run for what it prints.
    Printed(Printed),
    /// Time passes while a run goes on.
    Waiting,
}

/// The parts of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Rounds that are not judged.
    WarmUp,
    /// Rounds that are.
    Rounds,
    /// Separate rounds under the instrument of a source.
    Instrumented(Source),
}

/// What the observer answers to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Go on.
    Continue,
    /// Go on without the variant whose run failed.
    Withdraw,
    /// End what runs now and keep what was finished.
    Abort,
}

/// Observes a run and decides how long it goes on.
pub trait Observer {
    /// Takes note of an event.
    fn on(&mut self, event: Event<'_>) -> Result<Answer, ObserverError>;

    /// Whether a variant takes part in the rounds of a phase that are asked for now.
    fn takes_part(&self, _phase: Phase, _variant: u32) -> bool {
        true
    }

    /// How many rounds of a phase were done on another day.
    fn done_before(&self, _phase: Phase) -> u32 {
        0
    }

    /// How many more rounds to run before asking again; 0 ends the phase.
    fn more_rounds(&mut self, phase: Phase, done: u32) -> u32;

    /// Which variants are run next for what they print; none ends it.
    fn wanted_outputs(&mut self) -> Vec<u32> {
        Vec::new()
    }
}

/// An observer could not do its part, for example store a run.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

/// Does what a plan says: for real, or from a script.
pub trait Executor {
    /// Runs every variant's setup command as often as it is to be, and says what each run used.
    fn setup(&mut self, observer: &mut dyn Observer) -> Result<Answer, RunError>;

    /// Runs the rounds of `numbers`, and says of each run that it finished.
    fn rounds(
        &mut self,
        numbers: Range<u32>,
        phase: Phase,
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError>;

    /// Runs each of these variants once, untimed, and says what it printed.
    fn outputs(
        &mut self,
        variants: &[u32],
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError>;

    /// Runs every variant's cleanup command, also after an error.
    fn cleanup(&mut self) -> Result<(), RunError>;
}

/// Runs every phase in turn, each until the observer wants no more rounds of it.
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

/// After everything that is timed, so that nothing of it is disturbed.
fn run_for_output(
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Ending, RunError> {
    loop {
        let wanted = observer.wanted_outputs();
        if wanted.is_empty() {
            return Ok(Ending::Complete);
        }
        if executor.outputs(&wanted, observer)? == Answer::Abort {
            return Ok(Ending::Aborted);
        }
    }
}

/// How an execution ended, other than by an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every phase ran until the observer had enough.
    Complete,
    /// The observer asked to stop in the middle.
    Aborted,
}

/// What errors call the command that a variant is cleaned up with.
pub(crate) const CLEANUP: &str = "cleanup";

/// Why an execution could not go on. What finished before is stored.
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
    #[error("cannot keep a finished run")]
    Observer(#[source] ObserverError),
    #[error("{}", .0.error())]
    Elsewhere(crate::failure::Failure),
}

impl RunError {
    /// Whether a command asked on the terminal, and was ended.
    pub fn is_by_terminal(&self) -> bool {
        match self {
            Self::Failed { outcome, .. } => outcome.is_by_terminal(),
            Self::HookFailed { outcome, .. } => outcome.is_some_and(Outcome::is_by_terminal),
            _ => false,
        }
    }

    /// Whether it says nothing against the commands, so that measuring could go on another time as
    /// after an interruption. What a cleanup command does is no matter of the rounds before it.
    pub fn is_an_interruption(&self) -> bool {
        match self {
            Self::Launcher(_) | Self::Observer(_) | Self::Disturbed { .. } => true,
            Self::HookFailed { hook, .. } => *hook == CLEANUP,
            Self::Failed { .. }
            | Self::Output { .. }
            | Self::Start { .. }
            | Self::Spawn { .. }
            | Self::Elsewhere(_) => false,
        }
    }
}

/// Whether a run failed, if it did, because all that belongs to a job was asked to end.
pub(crate) fn failed_with_us(permitted: bool) -> bool {
    !permitted && measure::interrupt::requested()
}
