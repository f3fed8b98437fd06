//! Instruments: readings from separate runs, because taking them would disturb the timed runs.
//!
//! Each instrument has its own rounds after the timed rounds. It changes a variant's command so
//! that it can be read, and reads after the run. Only its readings are kept: the times of a run
//! under an instrument are not the program's times.

pub mod memory;
pub mod recognise;
pub mod runtime;
pub mod valgrind;

use std::path::PathBuf;

use measure::{CommandLine, FinishedRun, Reads};

use crate::curve::Curve;
use crate::scratch::Scratch;
use model::metric::{self, MetricId, Readings, Source};
use model::note::Note;
use model::spec::Experiment;
use model::spec::reading::{CounterOption, RuntimeOption, Sources};

/// An instrument that takes readings from separate runs, one run at a time.
pub trait Instrument {
    /// The source that its readings are marked with.
    fn source(&self) -> Source;

    /// True if it can read anything from this variant.
    fn applies_to(&self, variant: u32) -> bool;

    /// The variant's command, changed to run under the instrument.
    fn wrap(&mut self, variant: u32, command: &CommandLine) -> CommandLine;

    /// Called from time to time during a run.
    fn while_running(&mut self) {}

    /// Takes the readings of the run that just ended; `command` is the variant's unchanged command,
    /// and `permitted` is true if its exit is allowed.
    fn collect(
        &mut self,
        variant: u32,
        command: &CommandLine,
        finished: &FinishedRun,
        permitted: bool,
    ) -> Collected;

    /// The readings that its runs need in addition to those of every run.
    fn reads(&self) -> Reads {
        Reads::default()
    }

    /// The number of bytes kept from the end of standard error.
    fn stderr_kept_bytes(&self) -> u32 {
        STDERR_KEPT_BYTES
    }

    /// The curves sampled during the run that was just collected.
    fn curves(&mut self) -> Vec<Curve> {
        Vec::new()
    }

    /// Notes about its runs; each only once.
    fn notes(&mut self) -> Vec<Note> {
        Vec::new()
    }
}

/// The number of bytes kept from the end of standard error of a run under an instrument: some
/// runtimes write a line there for every collection.
pub const STDERR_KEPT_BYTES: u32 = 1 << 20;

/// The result of a run under an instrument.
#[derive(Debug, Clone, PartialEq)]
pub enum Collected {
    /// The run's readings.
    Readings(Readings),
    /// The program could not be read in this way, and the run does not count: it must be repeated,
    /// and [`Instrument::wrap`] then tries another way.
    Again,
}

/// The reason why an instrument cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum InstrumentError {
    #[error("cannot find valgrind")]
    NoValgrind(#[source] measure::StartError),
    #[error("cannot make a folder for what instruments write at `{path}`")]
    Folder { path: PathBuf, source: std::io::Error },
    #[error("no command is a program with {runtime}")]
    NoProgram { runtime: &'static str },
    #[error("{reason}")]
    Unreachable { reason: String },
    #[error("`{metric}` is read from a benchmark harness, and there is none")]
    NoHarness { metric: MetricId },
    #[error("`{metric}` is read from a program's runtime, and no runtime is asked")]
    NoRuntime { metric: MetricId },
}

impl InstrumentError {
    /// Advice for the user, if there is any.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoValgrind(_) => {
                Some("install it (`apt-get install valgrind`), or leave `--counters` out")
            }
            Self::Folder { .. } => Some("`TMPDIR` says where such folders are made"),
            Self::NoProgram { .. } => {
                Some("leave `--runtime` out to have such programs recognised")
            }
            Self::Unreachable { .. } => Some("`--runtime none` asks nobody"),
            Self::NoHarness { .. } => Some("`brisk bench` drives one"),
            Self::NoRuntime { .. } => Some(
                "`--runtime ghc`, `--runtime ocaml` and so on ask also programs that a script or \
                 a shell starts",
            ),
        }
    }
}

/// The instruments of an experiment.
pub type Instruments = Vec<Box<dyn Instrument>>;

/// The requested instruments, ready for use.
///
/// # Errors
///
/// When a required instrument cannot be used, or a requested metric is not read by any of them.
pub fn choose(
    sources: Sources,
    experiment: &Experiment,
    metrics: Option<&[MetricId]>,
) -> Result<Instruments, InstrumentError> {
    let mut chosen: Instruments = Vec::new();
    let mut named = metrics.into_iter().flatten();
    let is_of_harness =
        |id: &&MetricId| metric::find(id).is_some_and(|metric| metric.is_of_harness());
    if let Some(metric) = named.find(is_of_harness) {
        return Err(InstrumentError::NoHarness { metric: metric.clone() });
    }
    let is_of_runtime =
        |id: &&MetricId| metric::find(id).is_some_and(|metric| metric.is_of_runtime());
    let wanted = metrics.and_then(|metrics| metrics.iter().find(is_of_runtime));
    let programs = match sources.runtime {
        RuntimeOption::None => Vec::new(),
        // A user who names only other metrics does not wait for those of a runtime.
        RuntimeOption::Auto if metrics.is_some() && wanted.is_none() => Vec::new(),
        RuntimeOption::Auto => recognise::certain(experiment),
        RuntimeOption::Named(adapter) => recognise::possible(experiment, adapter),
    };
    if programs.iter().any(Option::is_some) {
        let systems = runtime::RuntimeSystems::new(programs, experiment)?;
        let is_demanded = sources.runtime != RuntimeOption::Auto || wanted.is_some();
        if let Some(reason) = systems.why_unreachable().filter(|_| is_demanded) {
            return Err(InstrumentError::Unreachable { reason: reason.to_owned() });
        }
        chosen.push(Box::new(systems));
    } else if let RuntimeOption::Named(adapter) = sources.runtime {
        return Err(InstrumentError::NoProgram { runtime: adapter.name });
    } else if let Some(metric) = wanted {
        return Err(InstrumentError::NoRuntime { metric: metric.clone() });
    }
    if sources.counters == CounterOption::Valgrind {
        let are_simulated =
            metrics.is_none_or(|metrics| metrics.iter().any(valgrind::is_simulated));
        chosen.push(Box::new(match are_simulated {
            true => valgrind::Cachegrind::new()?,
            false => valgrind::Cachegrind::of_instructions()?,
        }));
    }
    Ok(chosen)
}

/// A folder for the files of a run; removed with the value.
pub fn scratch_folder() -> Result<Scratch, InstrumentError> {
    Scratch::new().map_err(|source| InstrumentError::Folder { path: std::env::temp_dir(), source })
}

model::failures_with_hints_from! { InstrumentError }
