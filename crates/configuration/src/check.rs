//! The request of a check.

use std::path::PathBuf;

use clap::Args;

use crate::tolerance::{Tolerance, tolerance};
use crate::{
    BuildOptions, InvocationOptions, MeasuringOptions, ReadingOptions, StoppingOptions, counters,
    runtimes,
};
use model::spec::reading::{CounterOption, RuntimeOption};

/// A check of what `brisk.toml` expects.
#[derive(Debug, Args)]
#[command(after_help = "Example: brisk check --export-junit expectations.xml")]
pub struct CheckRequest {
    /// The folder of the project and its brisk.toml; the current one by default
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,

    /// Check this commit, not the checked-out one
    #[arg(long, value_name = "REVISION", conflicts_with_all = ["accept", "save_baseline"])]
    pub at: Option<String>,

    /// The commit that expectations call `baseline`
    ///
    /// It takes the place of the stored one.
    #[arg(long, value_name = "REVISION", conflicts_with_all = ["accept", "save_baseline"])]
    pub baseline: Option<String>,

    /// Expect no command to be slower than the baseline
    ///
    /// Every command in brisk.toml is expected to take at most this much more wall time than at the
    /// baseline, besides what the file expects [without a value: 2].
    #[arg(
        long,
        value_name = "PERCENT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "2",
        value_parser = tolerance,
        conflicts_with_all = ["accept", "save_baseline"]
    )]
    pub no_slower: Option<Tolerance>,

    /// Accept a failure, up to its last value
    ///
    /// The value is that of the last check of the expectation.
    #[arg(long, value_name = "ID", requires = "why", conflicts_with = "save_baseline")]
    pub accept: Option<String>,

    /// The reason for accepting it, for later readers
    #[arg(long, value_name = "TEXT", requires = "accept")]
    pub why: Option<String>,

    /// Store the checked-out commit as the `baseline` of expectations, and check nothing
    #[arg(long)]
    pub save_baseline: bool,

    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    pub export_junit: Option<PathBuf>,

    /// Write it as Markdown
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    pub export_markdown: Option<PathBuf>,

    /// Write everything, with every run, as JSON (schema brisk/1)
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    pub export_json: Option<PathBuf>,

    /// Write a page for a browser
    ///
    /// Every run is in its pictures, and the file needs nothing else.
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    pub export_html: Option<PathBuf>,

    /// How to count instructions, cache misses and so on
    #[arg(long, value_parser = counters(), default_value = "auto", value_name = "SOURCE")]
    pub counters: CounterOption,

    /// The runtime system to ask, in separate runs, about allocations, live memory and garbage
    /// collections
    /// [default: auto]
    #[arg(long, value_parser = runtimes(), value_name = "RUNTIME")]
    pub runtime: Option<RuntimeOption>,

    /// How long it is measured, and how sure to be
    #[command(flatten)]
    pub stopping: StoppingOptions,
    /// The build of commits
    #[command(flatten)]
    pub build: BuildOptions,
    /// How the commands are run
    #[command(flatten)]
    pub invocation: InvocationOptions,
    /// Where it is measured and kept
    #[command(flatten)]
    pub measuring: MeasuringOptions,
}

impl CheckRequest {
    /// The reading options of the command line. The metrics are those of the expectations.
    pub fn reading(&self) -> ReadingOptions {
        ReadingOptions { metrics: None, counters: self.counters, runtime: self.runtime }
    }
}
