//! The request of a check, and `--no-slower`: an expectation for every command, in addition to those
//! in `brisk.toml`.

use super::{
    BuildOptions, InvocationOptions, MeasuringOptions, ReadingOptions, StoppingOptions, counters,
    runtimes,
};
use clap::Args;
use model::expectation::subject::BASELINE;
use model::expectation::{Expectation, Subject, Vocabulary};
use model::spec::project::{Expected, ProjectFile};
use model::spec::reading::{CounterOption, RuntimeOption};
use std::path::PathBuf;

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

    /// Explain each failed comparison of two commits: its class, functions and hunks
    ///
    /// brisk counts the instructions of each function on both sides, and builds programs with some of
    /// the hunks until it can prove which of them make the change. This takes about as long as the
    /// measurement, besides builds.
    #[arg(long, conflicts_with_all = ["accept", "save_baseline"])]
    pub explain: bool,

    /// Measure only what the change can affect
    ///
    /// The code that benchmarks run is counted by callgrind, once for each program. A benchmark is skipped
    /// only if it is proved that it does the same in both programs; for that, they need symbols and
    /// debug information.
    #[arg(long, conflicts_with_all = ["accept", "save_baseline"])]
    pub affected: bool,

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

    /// The duration and certainty of the measurement
    #[command(flatten)]
    pub stopping: StoppingOptions,
    /// The build of commits
    #[command(flatten)]
    pub build: BuildOptions,
    /// The run of the commands
    #[command(flatten)]
    pub invocation: InvocationOptions,
    /// The place of the measurement and its results
    #[command(flatten)]
    pub measuring: MeasuringOptions,
}

impl CheckRequest {
    /// The reading options of the command line. The metrics are those of the expectations.
    pub fn reading(&self) -> ReadingOptions {
        ReadingOptions { metrics: None, counters: self.counters, runtime: self.runtime }
    }
}

/// The reason shown when an expectation of `--no-slower` fails.
const WHY: &str = "no command may get slower by more than --no-slower allows";

/// The permitted increase in wall time over the baseline, in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance(f64);

/// Reads a tolerance: a number of percent from 0 to 1000.
pub(crate) fn tolerance(text: &str) -> Result<Tolerance, String> {
    let percent = text.trim().trim_end_matches('%').trim().parse::<f64>().ok();
    let percent = percent.filter(|percent| (0.0..=1000.0).contains(percent));
    percent.map(Tolerance).ok_or_else(|| "write a number of percent from 0 to 1000".to_owned())
}

impl Tolerance {
    /// The expectations for the commands of the file, except those that it already contains.
    ///
    /// Programs with benchmarks inside are excluded: their benchmarks are only known after a build.
    pub fn expectations(self, file: &ProjectFile) -> Vec<Expected> {
        let commands = file.benchmarks.iter().filter(|benchmark| benchmark.harness.is_none());
        let expected = commands.map(|benchmark| {
            let subject = |revision| Subject { name: benchmark.name.clone(), revision };
            let (now, then) = (subject(None), subject(Some(BASELINE.to_owned())));
            let limit = rounded(1.0 + self.0 / 100.0);
            let text = format!("wall_time({now}) <= wall_time({then}) * {limit}");
            let that = Expectation::parse(&text, &Vocabulary::of_registry());
            let that = that.expect("subjects are written as they are read");
            Expected { that, why: Some(WHY.to_owned()) }
        });
        let is_new = |one: &Expected| {
            !file.expectations.iter().any(|other| other.that.id() == one.that.id())
        };
        expected.filter(is_new).collect()
    }
}

/// A limit without the noise of binary fractions: `1.02`.
fn rounded(limit: f64) -> String {
    let text = format!("{limit:.9}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(tolerance_: &str, file: &str) -> Vec<String> {
        let file = ProjectFile::parse(file, &Vocabulary::of_registry()).expect("a good file");
        let all = tolerance(tolerance_).expect("a tolerance").expectations(&file);
        all.into_iter().map(|one| one.that.text).collect()
    }

    #[test]
    fn each_command_is_expected_to_be_no_slower() {
        let file = r#"
            [[benchmark]]
            name = "sort"
            command = "./sort"
            [[benchmark]]
            name = "the other (new)"
            command = "./sort -n"
            [[benchmark]]
            name = "suite"
            command = "./suite"
            harness = "auto"
        "#;
        let text = [
            "wall_time(sort) <= wall_time(sort@baseline) * 1.02",
            "wall_time(\"the other (new)\") <= wall_time(\"the other (new)\"@baseline) * 1.02",
        ];
        assert_eq!(expected("2", file), text);
        assert!(expected("0.1 %", file)[0].ends_with("* 1.001"));
        assert!(expected("0", file)[0].ends_with("* 1"));
    }

    #[test]
    fn what_the_file_expects_is_not_expected_twice() {
        let file = r#"
            [[benchmark]]
            name = "sort"
            command = "./sort"
            [[expect]]
            that = "wall_time(sort) <= 1.02 * wall_time(sort@baseline)"
            [[expect]]
            that = "wall_time(sort)<=wall_time(sort@baseline)*1.02"
        "#;
        assert_eq!(expected("2", file), Vec::<String>::new());
        assert_eq!(expected("3", file).len(), 1);
    }

    #[test]
    fn a_tolerance_is_a_number_of_percent() {
        for text in ["", "-1", "1001", "two", "nan", "1,5"] {
            assert!(tolerance(text).is_err(), "{text}");
        }
    }
}
