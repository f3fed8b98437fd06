//! The options that say what is read of a run, besides what every run reads.

use clap::Args;
use clap::builder::TypedValueParser;

use super::keyword::one_of;
use crate::metric::{self, MetricError, MetricId};
use crate::spec::reading::{CounterOption, RuntimeOption, Sources};

/// The options that say what is read.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is read")]
pub struct ReadingOptions {
    /// Show and judge these metrics, each of which decides; `wall_time` decides by default
    #[arg(long, value_name = "METRIC,...")]
    pub metrics: Option<String>,

    /// Where counts of instructions, cache misses and so on come from
    #[arg(long, value_parser = counters(), default_value = "auto", value_name = "SOURCE")]
    pub counters: CounterOption,

    /// Whose runtime system is asked, in separate runs, what was allocated, lived and was collected
    /// [default: auto]
    #[arg(long, value_parser = runtimes(), value_name = "RUNTIME")]
    pub runtime: Option<RuntimeOption>,
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

    /// Where readings come from besides the run itself.
    pub fn sources(&self) -> Sources {
        Sources { counters: self.counters, runtime: self.runtime() }
    }

    /// The readings that the timed runs take.
    pub fn reads(&self, chosen: Option<&[MetricId]>) -> measure::Reads {
        self.sources().reads(chosen)
    }
}

/// Where counts come from.
pub fn counters() -> impl TypedValueParser<Value = CounterOption> {
    one_of(CounterOption::ALL, CounterOption::word, |option| {
        Some(match option {
            CounterOption::Auto => "The processor's counters, where there are any",
            CounterOption::Perf => "The processor's counters, or an error",
            CounterOption::Valgrind => "Separate runs under valgrind",
            CounterOption::None => "Nowhere",
        })
    })
}

/// Whose runtime system is asked.
pub fn runtimes() -> impl TypedValueParser<Value = RuntimeOption> {
    one_of(RuntimeOption::all(), RuntimeOption::word, |option| {
        Some(match option {
            RuntimeOption::Auto => "That of commands that are recognised as having one",
            RuntimeOption::Named(adapter) => adapter.about,
            RuntimeOption::None => "Nobody's",
        })
    })
}
