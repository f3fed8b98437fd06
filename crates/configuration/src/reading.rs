//! The options for readings beyond those of every run.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use model::metric;
use model::metric::{MetricError, MetricId};
use model::spec::reading::{CounterOption, RuntimeOption, Sources};

/// The options that say what is read.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is read")]
pub struct ReadingOptions {
    /// Show and judge these metrics, in this order; each of them decides, and the first is the answer.
    /// By default `wall_time` is; `wall_time.p99` is its 99th percentile over the runs
    #[arg(long, value_name = "METRIC,...")]
    pub metrics: Option<String>,

    /// How to count instructions, cache misses and so on
    #[arg(long, value_parser = counters(), default_value = "auto", value_name = "SOURCE")]
    pub counters: CounterOption,

    /// The runtime system to ask, in separate runs, about allocations, live memory and garbage
    /// collections
    /// [default: auto]
    #[arg(long, value_parser = runtimes(), value_name = "RUNTIME")]
    pub runtime: Option<RuntimeOption>,
}

impl ReadingOptions {
    /// The runtime system to ask.
    pub fn runtime(&self) -> RuntimeOption {
        self.runtime.unwrap_or(RuntimeOption::Auto)
    }

    /// The metrics named by the user, of the registry or of the user's `own`. None if brisk
    /// chooses.
    pub fn chosen_metrics(&self, own: &[MetricId]) -> Result<Option<Vec<MetricId>>, MetricError> {
        self.metrics.as_deref().map(|text| metric::parse_list(text, own)).transpose()
    }

    /// Like [`Self::chosen_metrics`], but also accepts quantiles over runs.
    pub fn chosen_with_quantiles(
        &self,
        own: &[MetricId],
    ) -> Result<Option<Vec<MetricId>>, MetricError> {
        self.metrics.as_deref().map(|text| metric::parse_with_quantiles(text, own)).transpose()
    }

    /// The sources of readings besides the run itself.
    pub fn sources(&self) -> Sources {
        Sources { counters: self.counters, runtime: self.runtime() }
    }
}

/// The parser of the source of counts.
pub fn counters() -> impl TypedValueParser<Value = CounterOption> {
    one_of(CounterOption::ALL, CounterOption::word, |option| {
        Some(match option {
            CounterOption::Auto => "With the processor's counters, if there are any",
            CounterOption::Perf => "With the processor's counters, or fail",
            CounterOption::Valgrind => "In separate runs under valgrind",
            CounterOption::None => "Do not count",
        })
    })
}

/// The parser of the runtime system to ask.
pub fn runtimes() -> impl TypedValueParser<Value = RuntimeOption> {
    one_of(RuntimeOption::all(), RuntimeOption::word, |option| {
        Some(match option {
            RuntimeOption::Auto => "The runtime system that brisk recognises in each command",
            RuntimeOption::Named(adapter) => adapter.about,
            RuntimeOption::None => "Ask none",
        })
    })
}

/// A parser that accepts these values by their words; `about` is the help for each.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    values: impl IntoIterator<Item = T>,
    word: fn(T) -> &'static str,
    about: fn(T) -> Option<&'static str>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<T> = values.into_iter().collect();
    let possible = |value: &T| match about(*value) {
        Some(about) => PossibleValue::new(word(*value)).help(about),
        None => PossibleValue::new(word(*value)),
    };
    let words: Vec<PossibleValue> = values.iter().map(possible).collect();
    PossibleValuesParser::new(words).map(move |typed| {
        *values.iter().find(|value| word(**value) == typed).expect("only these are taken")
    })
}
