//! The options that choose benchmarks and how to run them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::TypedValueParser;
use measure::{Stdin, Stdout};

use super::reading::one_of;
use model::spec::duration;
use model::spec::suite::commits::CommitSuite;
use model::spec::suite::{
    Arrangement, Baseline, BaselineError, Filter, HarnessOption, Renames, SuiteError, SuiteProgram,
    SuiteRequest,
};
use model::spec::{Experiment, Invocation};

/// The options that say what is run, and how.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is run")]
pub struct SuiteOptions {
    /// The program with the benchmarks, or two: the old and the new one
    #[arg(num_args = 1..=2, value_name = "EXECUTABLE")]
    pub executables: Vec<PathBuf>,

    /// Arguments for the programs; brisk adds its own after them
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,

    /// List the benchmarks instead of measuring them
    #[arg(long)]
    pub list: bool,

    /// Run only benchmarks with TEXT in their names
    ///
    /// May be given several times.
    #[arg(long, value_name = "TEXT")]
    pub filter: Vec<String>,

    /// Run only the benchmarks whose whole name is given with `--filter`
    #[arg(long, requires = "filter")]
    pub exact: bool,

    /// The harness of the programs
    #[arg(long, value_parser = harnesses(), default_value = "auto", value_name = "HARNESS")]
    pub harness: HarnessOption,

    /// Run the benchmarks in this arrangement only. By default brisk uses every arrangement that
    /// the harness supports, to find benchmarks that depend on what ran before them
    #[arg(long, value_parser = arrangements(), value_name = "ORDER")]
    pub order: Option<Arrangement>,

    /// The time for a benchmark in one process
    ///
    /// Only if the harness lets brisk choose; 100 ms by default in one arrangement, 25 ms in several.
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub time_per_run: Option<String>,

    /// Claim that a benchmark does the same as others together, for example `transform = 6 * step +
    /// copy`, or at least as much (`>=`), and see whether their times agree; may be given several
    /// times
    #[arg(long, value_name = "CLAIM")]
    pub made_of: Vec<String>,

    /// The time limit of a process; its whole process group is killed when it is over
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub timeout: Option<String>,

    /// Set a variable; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,

    /// The folder to run everything in
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
}

impl SuiteOptions {
    /// The invocation of a program of the suite.
    ///
    /// # Errors
    ///
    /// When a variable or the folder cannot be used.
    pub fn invocation(&self, executable: &std::path::Path) -> Result<Invocation, SuiteError> {
        if let Some(folder) = self.cwd.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(SuiteError::Folder(folder.clone()));
        }
        let assignment = |text: &String| match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => {
                Ok((OsString::from(name), Some(OsString::from(value))))
            }
            _ => Err(SuiteError::Assignment(text.clone())),
        };
        let arguments = self.arguments.iter().map(OsString::from);
        Ok(Invocation {
            argv: std::iter::once(executable.as_os_str().to_owned()).chain(arguments).collect(),
            env: self.env.iter().map(assignment).collect::<Result<_, _>>()?,
            cwd: self.cwd.clone(),
            stdin: Stdin::Null,
            stdout: Stdout::Null,
        })
    }

    /// The request to the programs.
    ///
    /// # Errors
    ///
    /// When a duration is invalid.
    pub fn request(&self) -> Result<SuiteRequest, SuiteError> {
        let timeout = self.timeout.as_deref().map(|text| parse("--timeout", text)).transpose()?;
        Ok(SuiteRequest {
            filter: Filter { texts: self.filter.clone(), exact: self.exact },
            order: self.order,
            made_of: self.made_of.clone(),
            timeout,
            seconds_per_run: self.seconds_per_run()?,
        })
    }

    fn seconds_per_run(&self) -> Result<f64, SuiteError> {
        /// One arrangement has a reading of each benchmark in a round, so it may take longer.
        const SECONDS: f64 = 0.1;
        /// In ten rounds of four arrangements, a second for each benchmark.
        const SECONDS_IN_SEVERAL: f64 = 0.025;
        match &self.time_per_run {
            None if self.order.is_some() => Ok(SECONDS),
            None => Ok(SECONDS_IN_SEVERAL),
            Some(text) => Ok(parse("--time-per-run", text)?.as_secs_f64()),
        }
    }
}

fn parse(option: &'static str, text: &str) -> Result<Duration, SuiteError> {
    duration::parse(text).map_err(|source| SuiteError::Duration { option, source })
}

/// The parser of the arrangement of benchmarks in processes.
fn arrangements() -> impl TypedValueParser<Value = Arrangement> {
    one_of(Arrangement::ALL, Arrangement::word, |order| {
        Some(match order {
            Arrangement::Alone => "Each benchmark has a process of its own",
            Arrangement::Together => "All benchmarks share a process, in the program's own order",
            Arrangement::Reversed => "All benchmarks share a process, in reverse order",
            Arrangement::Shuffled => {
                "All benchmarks share a process, in a new random order each round"
            }
            Arrangement::Divided => {
                "Two processes share the benchmarks, by halves drawn anew each round"
            }
        })
    })
}

/// The parser of the harness.
fn harnesses() -> impl TypedValueParser<Value = HarnessOption> {
    one_of(HarnessOption::all(), HarnessOption::word, |option| {
        Some(match option {
            HarnessOption::Auto => "Recognise the harness from the program's file",
            HarnessOption::Named(harness) => harness.about,
        })
    })
}

/// The default of `--time-per-run`.
const SECONDS_PER_RUN: f64 = 0.1;

/// The options that say that what commits make is a suite, and how it is run.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Benchmarks inside the program")]
pub struct CommitSuiteOptions {
    /// The harness of the benchmarks inside the program; each benchmark gets a history of its own
    #[arg(long, value_parser = harnesses(), value_name = "HARNESS")]
    pub harness: Option<HarnessOption>,

    /// Run only benchmarks with TEXT in their names
    ///
    /// May be given several times.
    #[arg(long, value_name = "TEXT")]
    pub filter: Vec<String>,

    /// Run only the benchmarks whose whole name is given with `--filter`
    #[arg(long)]
    pub exact: bool,

    /// Which benchmarks share a process, and in which order; by default none do
    #[arg(long, value_parser = arrangements(), value_name = "ORDER")]
    pub order: Option<Arrangement>,

    /// How long to measure a benchmark in one process, if the harness lets brisk choose; 100 ms by
    /// default
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub time_per_run: Option<String>,

    /// Which benchmarks had other names: brisk.toml says so.
    #[arg(skip)]
    pub renames: Renames,
}

impl CommitSuiteOptions {
    /// The first given option that applies only to a suite.
    pub fn said(&self) -> Option<&'static str> {
        let all = [
            ("--filter", !self.filter.is_empty()),
            ("--exact", self.exact),
            ("--order", self.order.is_some()),
            ("--time-per-run", self.time_per_run.is_some()),
        ];
        all.into_iter().find(|(_, is_said)| *is_said).map(|(option, _)| option)
    }

    /// The suite. None if the artefact is a command.
    ///
    /// # Errors
    ///
    /// When an option cannot be used.
    pub fn suite(&self) -> Result<Option<CommitSuite>, SuiteError> {
        let Some(harness) = self.harness else { return Ok(None) };
        let seconds_per_run = match &self.time_per_run {
            None => SECONDS_PER_RUN,
            Some(text) => parse("--time-per-run", text)?.as_secs_f64(),
        };
        let order = self.order.unwrap_or(Arrangement::Alone);
        let filter = Filter { texts: self.filter.clone(), exact: self.exact };
        let renames = self.renames.clone();
        Ok(Some(CommitSuite { harness, order, seconds_per_run, filter, renames }))
    }
}

/// The options that name a baseline.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What is compared")]
pub struct BaselineOptions {
    /// Compare with results that the harness saved
    ///
    /// A file from criterion (`--json`), tasty-bench, Google Benchmark or Go, or criterion.rs's folder
    /// `target/criterion`.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// The name of the baseline in criterion.rs's folder
    #[arg(long, value_name = "NAME", default_value = "base", requires = "baseline")]
    pub baseline_name: String,
}

impl BaselineOptions {
    /// Attaches the baseline, if one is named, to the variants whose benchmarks it has.
    ///
    /// # Errors
    ///
    /// Those of [`Baseline::put_on`].
    pub fn put_on(
        &self,
        programs: &[SuiteProgram],
        filter: &Filter,
        experiment: &mut Experiment,
    ) -> Result<(), BaselineError> {
        let Some(path) = self.baseline.clone() else { return Ok(()) };
        Baseline { path, name: self.baseline_name.clone() }.put_on(programs, filter, experiment)
    }
}
