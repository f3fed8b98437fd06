//! The options that say what is read of a run, besides what every run reads.

use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use toolchains::runtime;
use toolchains::runtime::adapter::Adapter;

use crate::metric::{self, MetricError, MetricId};

/// The options that say what is read.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is read")]
pub struct ReadingOptions {
    /// Show and judge these metrics, each of which decides; `wall_time` decides by default
    #[arg(long, value_name = "METRIC,...")]
    pub metrics: Option<String>,

    /// Where counts of instructions, cache misses and so on come from
    #[arg(long, value_enum, default_value = "auto", value_name = "SOURCE")]
    pub counters: CounterOption,

    /// Whose runtime system is asked, in separate runs, what was allocated, lived and was collected
    /// [default: auto]
    #[arg(long, value_enum, value_name = "RUNTIME")]
    pub runtime: Option<RuntimeOption>,
}

/// Where counts come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CounterOption {
    /// The processor's counters, where there are any
    Auto,
    /// The processor's counters, or an error
    Perf,
    /// Separate runs under valgrind
    Valgrind,
    /// Nowhere
    None,
}

impl CounterOption {
    /// Its word on the command line and in `brisk.toml`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Perf => "perf",
            Self::Valgrind => "valgrind",
            Self::None => "none",
        }
    }
}

/// Whose runtime system is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuntimeOption {
    /// That of commands that are recognised as having one.
    Auto,
    /// This one, also where a script or a shell starts its programs.
    Named(&'static Adapter),
    /// Nobody's.
    None,
}

/// Every value of the option: the table of runtimes between two words.
static RUNTIME_OPTIONS: LazyLock<Vec<RuntimeOption>> = LazyLock::new(|| {
    let named = runtime::ALL.into_iter().map(RuntimeOption::Named);
    [RuntimeOption::Auto].into_iter().chain(named).chain([RuntimeOption::None]).collect()
});

impl RuntimeOption {
    /// Its word on the command line and in `brisk.toml`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Named(adapter) => adapter.word,
            Self::None => "none",
        }
    }
}

impl ValueEnum for RuntimeOption {
    fn value_variants<'a>() -> &'a [Self] {
        &RUNTIME_OPTIONS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let about = match self {
            Self::Auto => "That of commands that are recognised as having one",
            Self::Named(adapter) => adapter.about,
            Self::None => "Nobody's",
        };
        Some(PossibleValue::new(self.word()).help(about))
    }
}

impl ReadingOptions {
    /// Whose runtime system is asked.
    pub fn runtime(&self) -> RuntimeOption {
        self.runtime.unwrap_or(RuntimeOption::Auto)
    }

    /// The metrics that are named, of the registry or of the user's `own`; `None` where the choice is
    /// left to us.
    ///
    /// # Errors
    ///
    /// When there is no such metric.
    pub fn chosen_metrics(&self, own: &[MetricId]) -> Result<Option<Vec<MetricId>>, MetricError> {
        self.metrics.as_deref().map(|text| metric::parse_list(text, own)).transpose()
    }

    /// The readings that the timed runs take.
    pub fn reads(&self, chosen: Option<&[MetricId]>) -> measure::Reads {
        measure::Reads {
            counters: matches!(self.counters, CounterOption::Auto | CounterOption::Perf),
            tree_memory: chosen.is_some_and(|chosen| chosen.contains(&metric::PEAK_TREE_MEMORY)),
            memory_over_time: false,
            stack_start: false,
        }
    }
}
