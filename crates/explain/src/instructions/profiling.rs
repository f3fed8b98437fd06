//! Running commands under callgrind, repeatedly to see whether the counts are exact.

use std::ffi::OsString;

use measure::{AllowedExits, CommandLine, FinishedRun, Launcher, Outcome, Reads, Task, Wake};
use toolchains::callgrind::Profile;
use toolchains::runtime;
use toolchains::runtime::adapter::{Kept, Variable};

use super::counts::{Counts, counts};
use super::stacks::{Stacks, stacks};
use model::spec::Experiment;
use run::RunError;
use run::finished::last_lines;
use run::instrument::callgrind::{Callgrind, Detail, ProfileError};
use run::instrument::recognise;
use run::instrument::runtime::value_of;

/// The reason why a command could not be profiled.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ProfilingError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("cannot explain `{name}`")]
    Profile { name: String, source: ProfileError },
    #[error("`{name}` {counted} under callgrind, but {plain} by itself")]
    Otherwise { name: String, counted: String, plain: String },
    #[error("interrupted")]
    Interrupted,
}

/// Runs an experiment's commands under callgrind.
pub struct Profiling<'a> {
    experiment: &'a Experiment,
    launcher: &'a mut Launcher,
    callgrind: Callgrind,
    /// The state of each variant's GHC timer.
    timers: Vec<Timer>,
    /// The outcome of each variant without callgrind, once it is known.
    plain: Vec<Option<Outcome>>,
}

/// GHC's runtime acts on a timer a hundred times a second, so that no two runs execute the same
/// instructions; `-V0` switches the timer off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Timer {
    /// Not a GHC program.
    None,
    /// The timer is switched off.
    Off,
    /// The program was linked without permission for this option.
    Refused,
}

impl<'a> Profiling<'a> {
    /// A profiler ready to run.
    pub fn new(
        experiment: &'a Experiment,
        launcher: &'a mut Launcher,
        callgrind: Callgrind,
    ) -> Self {
        let is_ghc = |program: Option<recognise::RuntimeProgram>| match program {
            Some(program) if program.adapter.word == "ghc" => Timer::Off,
            _ => Timer::None,
        };
        let timers = recognise::certain(experiment).into_iter().map(is_ghc).collect();
        let plain = vec![None; experiment.variants.len()];
        Self { experiment, launcher, callgrind, timers, plain }
    }

    /// Runs a variant once and counts by function.
    ///
    /// # Errors
    ///
    /// When it cannot be run, fails, or leaves no profile.
    pub fn counts(&mut self, variant: usize) -> Result<Counts, ProfilingError> {
        self.profiles(variant, Detail::Functions).map(|profiles| counts(&profiles))
    }

    /// Runs a variant once and counts by stack.
    ///
    /// # Errors
    ///
    /// As [`Profiling::counts`].
    pub fn stacks(&mut self, variant: usize) -> Result<Stacks, ProfilingError> {
        // GHC code has no stacks that callgrind could see, and would have very many.
        let detail = match self.timers[variant] {
            Timer::None => Detail::Stacks,
            Timer::Off | Timer::Refused => Detail::Functions,
        };
        self.profiles(variant, detail).map(|profiles| stacks(&profiles))
    }

    /// Runs a variant once; returns callgrind's profile of each of its processes.
    ///
    /// # Errors
    ///
    /// As [`Profiling::counts`].
    pub fn profiles(
        &mut self,
        variant: usize,
        detail: Detail,
    ) -> Result<Vec<Profile>, ProfilingError> {
        let name = || self.experiment.variants[variant].name.clone();
        let run = &self.experiment.variants[variant].run;
        let command = run.resolve().map_err(|source| RunError::Start { name: name(), source })?;
        let mut finished = self.run(variant, &command, detail)?;
        let stderr = String::from_utf8_lossy(&finished.stderr_tail).into_owned();
        if self.timers[variant] == Timer::Off && runtime::ghc::refusal(&stderr).is_some() {
            self.timers[variant] = Timer::Refused;
            // The profiles from before the refusal are of no use.
            let _ = self.callgrind.take_profiles();
            finished = self.run(variant, &command, detail)?;
        }
        if !self.experiment.allowed.permits(finished.outcome) {
            return Err(failed(name(), &finished).into());
        }
        self.check_outcome(variant, &command, finished.outcome)?;
        let profiles = self.callgrind.take_profiles();
        profiles.map_err(|source| ProfilingError::Profile { name: name(), source })
    }

    /// The reason why the counts of this variant cannot be exact, if one is known in advance.
    pub fn disturbance(&self, variant: usize) -> Option<String> {
        (self.timers[variant] == Timer::Refused).then(|| {
            let name = &self.experiment.variants[variant].name;
            format!(
                "GHC's timer in `{name}` could not be switched off, because the program was linked \
                 without `-rtsopts`: runs may differ a little"
            )
        })
    }

    /// Refuses a run whose outcome differs from that of the plain command: it did something else.
    fn check_outcome(
        &mut self,
        variant: usize,
        command: &CommandLine,
        counted: Outcome,
    ) -> Result<(), ProfilingError> {
        let plain = match self.plain[variant] {
            Some(plain) => plain,
            // Only success is allowed.
            None if self.experiment.allowed == AllowedExits::Zero => counted,
            None => self.execute(variant, command.clone())?.outcome,
        };
        self.plain[variant] = Some(plain);
        if plain == counted {
            return Ok(());
        }
        let name = self.experiment.variants[variant].name.clone();
        Err(ProfilingError::Otherwise {
            name,
            counted: counted.to_string(),
            plain: plain.to_string(),
        })
    }

    /// Runs a command under callgrind.
    fn run(
        &mut self,
        variant: usize,
        command: &CommandLine,
        detail: Detail,
    ) -> Result<FinishedRun, ProfilingError> {
        let mut command = self.callgrind.command(command, detail);
        if self.timers[variant] == Timer::Off {
            command.env.push(without_timer(&command));
        }
        self.execute(variant, command)
    }

    fn execute(
        &mut self,
        variant: usize,
        command: CommandLine,
    ) -> Result<FinishedRun, ProfilingError> {
        let task = Task {
            tag: 0,
            command,
            copies: Vec::new(),
            timeout: self.experiment.timeout,
            environment_padding_bytes: 0,
            read: Reads::default(),
            stderr_kept_bytes: measure::STDERR_KEPT_BYTES,
            timed: false,
            // The outcome is checked here: a refusal is not a failure.
            allowed: AllowedExits::Any,
        };
        let mut on_wait = || match measure::interrupt::requests() {
            0 => Wake::Continue,
            _ => Wake::Abort,
        };
        let slice = self.launcher.execute(&[task], None, &mut on_wait).map_err(RunError::from)?;
        if measure::interrupt::requests() > 0 {
            return Err(ProfilingError::Interrupted);
        }
        let name = &self.experiment.variants[variant].name;
        slice.finished.into_iter().next().ok_or_else(|| {
            let source = std::io::Error::other("valgrind did not start");
            RunError::Spawn { name: name.clone(), doing: "execute its program", source }.into()
        })
    }
}

/// The variable that switches the timer off, after the user's own options.
fn without_timer(command: &CommandLine) -> (OsString, Option<OsString>) {
    let kept = Kept::Before(" ");
    let variable = Variable { name: "GHCRTS", stands_in: None, value: "-V0".to_owned(), kept };
    (variable.name.into(), Some(value_of(&variable, command)))
}

fn failed(name: String, finished: &FinishedRun) -> RunError {
    RunError::Failed {
        name,
        how: finished.outcome.to_string(),
        when: "a run under callgrind".to_owned(),
        stderr: last_lines(&finished.stderr_tail),
        outcome: finished.outcome,
    }
}
