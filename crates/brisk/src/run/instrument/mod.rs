//! Instruments: what is read in separate runs, because reading it would disturb the timed ones.
//!
//! Each instrument has rounds of its own after the timed rounds. It makes of a variant's command
//! one that can be read, and reads after the run. Only its readings are kept of such a run: the
//! times of a run under an instrument are no times of the program.

pub mod cachegrind;
pub mod callgrind;
pub mod memory;
pub mod recognise;
pub mod runtime;

use std::path::PathBuf;

use measure::{CommandLine, FinishedRun, Reads};

use crate::metric::{self, MetricId, Readings, Source};
use crate::note::Note;
use crate::run::curve::Curve;
use crate::run::scratch::Scratch;
use crate::spec::Experiment;
use crate::spec::reading::{CounterOption, RuntimeOption, Sources};

/// Reads something of separate runs, one run at a time.
pub trait Instrument {
    /// What its readings are marked with.
    fn source(&self) -> Source;

    /// Whether it can read anything of this variant.
    fn applies_to(&self, variant: u32) -> bool;

    /// The variant's command as it is run under the instrument.
    fn wrap(&mut self, variant: u32, command: &CommandLine) -> CommandLine;

    /// Is called now and then while a run goes on.
    fn while_running(&mut self) {}

    /// Reads after the run that just ended; `command` is the variant's own, and `permitted` says
    /// whether it ended as it may.
    fn collect(
        &mut self,
        variant: u32,
        command: &CommandLine,
        finished: &FinishedRun,
        permitted: bool,
    ) -> Collected;

    /// What is read of its runs besides what every run reads.
    fn reads(&self) -> Reads {
        Reads::default()
    }

    /// How much of the end of standard error its runs keep, in bytes.
    fn stderr_kept_bytes(&self) -> u32 {
        STDERR_KEPT_BYTES
    }

    /// What was sampled over the time of the run that was just collected.
    fn curves(&mut self) -> Vec<Curve> {
        Vec::new()
    }

    /// What else is worth knowing of its runs; each thing once.
    fn notes(&mut self) -> Vec<Note> {
        Vec::new()
    }
}

/// How much of the end of standard error is kept of a run under an instrument: some runtimes write
/// a line there for every collection.
pub const STDERR_KEPT_BYTES: u32 = 1 << 20;

/// What an instrument made of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Collected {
    /// The run's readings.
    Readings(Readings),
    /// The program could not be read like this, and the run is no run of it: it is to be repeated,
    /// and [`Instrument::wrap`] then tries another way.
    Again,
}

/// Why an instrument cannot be used.
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
    /// A way out, where there is one.
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

/// The instruments that are asked for, ready.
///
/// # Errors
///
/// When one that was demanded cannot be used, or a metric is wanted that none of them reads.
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
        // Whoever names metrics, and none of a runtime, does not wait for one.
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
            metrics.is_none_or(|metrics| metrics.iter().any(cachegrind::is_simulated));
        chosen.push(Box::new(match are_simulated {
            true => cachegrind::Cachegrind::new()?,
            false => cachegrind::Cachegrind::of_instructions()?,
        }));
    }
    Ok(chosen)
}

/// A folder for the files of a run; removed with the value.
///
/// # Errors
///
/// When it cannot be made.
pub fn scratch_folder() -> Result<Scratch, InstrumentError> {
    Scratch::new().map_err(|source| InstrumentError::Folder { path: std::env::temp_dir(), source })
}
