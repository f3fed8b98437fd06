//! The request of a history.

use std::path::PathBuf;

use clap::Args;

use crate::{
    BuildOptions, CommitSuiteOptions, ExportOptions, GhcOptions, InvocationOptions,
    MeasuringOptions, ReadingOptions, StoppingOptions,
};

/// A history: the commits, their build, the command, and how it is measured.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Example: brisk history v1.0..main --build make --artifact prog -- {artifact}"
)]
pub struct HistoryRequest {
    /// The commits, in git's syntax: `A..B` leaves A out, `A^..B` includes it
    pub range: String,

    /// The command to measure, in which `{artifact}` stands for what was built; the artefact itself
    /// by default
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,

    /// The folder of the repository and its brisk.toml; the current one by default
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,

    /// The benchmark of brisk.toml to measure
    ///
    /// It is needed if there are several.
    #[arg(long, value_name = "NAME")]
    pub benchmark: Option<String>,

    /// Follow all parents of merges, not only the first
    #[arg(long)]
    pub all_parents: bool,

    /// Find the commit that changed this metric
    ///
    /// brisk builds and measures only as many commits of the range as that takes.
    #[arg(long, value_name = "METRIC", conflicts_with_all = ["all_parents", "metrics"])]
    pub bisect: Option<String>,

    /// The amount of work, in place of `{work}`. A commit that takes too long for it does a tenth,
    /// a hundredth and so on, and its readings are scaled up
    #[arg(long, value_name = "N")]
    pub work: Option<u64>,

    /// The longest that a run with all of the work may take
    #[arg(long, value_name = "DURATION", default_value = "1s", requires = "work")]
    pub work_time: String,

    /// Measure again what is already stored
    #[arg(long)]
    pub remeasure: bool,

    /// Explain each step, and prove it
    ///
    /// The answer is the class of the cause, and the functions and hunks that make the change. brisk
    /// counts the instructions of each function on both sides, and builds programs with some of the
    /// hunks until it can prove which of them make the change. This takes about as long as the
    /// measurement, besides builds. For a GHC program in the project's folder, or in SUBJECT below it,
    /// brisk builds and runs both sides with counters and compares their Core. For any other program,
    /// it compares the instructions that each function executes.
    #[arg(
        long,
        value_name = "SUBJECT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ".",
        conflicts_with = "work"
    )]
    pub explain: Option<PathBuf>,

    /// The build of GHC programs that are explained
    #[command(flatten, next_help_heading = "How GHC programs are explained")]
    pub ghc: GhcOptions,
    /// The build of each commit
    #[command(flatten)]
    pub build: BuildOptions,
    /// The benchmarks inside the program, if it is a suite
    #[command(flatten)]
    pub suite: CommitSuiteOptions,
    /// The run of the command
    #[command(flatten)]
    pub invocation: InvocationOptions,
    /// The duration and certainty of the measurement
    #[command(flatten)]
    pub stopping: StoppingOptions,
    /// The readings
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// The place of the measurement and its results
    #[command(flatten)]
    pub measuring: MeasuringOptions,
    /// The files of the report
    #[command(flatten)]
    pub export: ExportOptions,
}
