//! The options that say which benchmarks are run, and how.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use measure::{Stdin, Stdout};
use serde::{Deserialize, Serialize};
use toolchains::harness;
use toolchains::harness::adapter::{Arranges, Harness};

use super::SuiteError;
use crate::spec::Invocation;
use crate::spec::duration;

/// The options that say what is run, and how.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is run")]
pub struct SuiteOptions {
    /// The program with the benchmarks; or two, the old and the new one
    #[arg(required = true, num_args = 1..=2, value_name = "EXECUTABLE")]
    pub executables: Vec<PathBuf>,

    /// Arguments for the programs; brisk adds its own behind them
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,

    /// List the benchmarks, and run none of them for long
    #[arg(long)]
    pub list: bool,

    /// Run the benchmarks with TEXT in their names; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub filter: Vec<String>,

    /// Run the benchmarks whose names are those of `--filter`, not those that contain them
    #[arg(long, requires = "filter")]
    pub exact: bool,

    /// What the programs run their benchmarks with
    #[arg(long, value_enum, default_value = "auto", value_name = "HARNESS")]
    pub harness: HarnessOption,

    /// Run the benchmarks in this arrangement only; by default in all that the harness can, so
    /// that those are found that depend on what ran before them
    #[arg(long, value_enum, value_name = "ORDER")]
    pub order: Option<Arrangement>,

    /// How long one benchmark is measured in one process, where the harness can be told; 100 ms in
    /// one arrangement by default, 25 ms in several
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub time_per_run: Option<String>,

    /// Say that a benchmark does just what others do, for example `transform = 6 * step + copy`, or
    /// with `>=` at least that, and see whether their times agree; may be given several times
    #[arg(long, value_name = "CLAIM")]
    pub made_of: Vec<String>,

    /// The longest a process may take; its whole process group is ended after it
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub timeout: Option<String>,

    /// Set a variable; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,

    /// The folder to run everything in
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
}

/// What runs before a benchmark in its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Arrangement {
    /// Nothing: each benchmark has a process of its own
    Alone,
    /// The others, in the program's own order
    Together,
    /// The others, in the reverse of that order
    Reversed,
    /// The others, in an order drawn anew in each round
    Shuffled,
    /// About half of the others, drawn anew in each round, in the program's own order
    Divided,
}

impl Arrangement {
    /// Its word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Together => "together",
            Self::Reversed => "reversed",
            Self::Shuffled => "shuffled",
            Self::Divided => "divided",
        }
    }

    /// The one with this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::value_variants().iter().copied().find(|one| one.word() == word)
    }

    /// The arrangements in which a suite of so many benchmarks is run to see whether they depend on
    /// each other: each benchmark alone, and all that gives it different company.
    ///
    /// A harness that runs its benchmarks in its own order only is given half of them at a time, so
    /// that each has different ones before it.
    pub(super) fn of_design(harness: &Harness, benchmarks: usize) -> Vec<Self> {
        /// Fewer have no halves that differ from each alone and from all together.
        const LEAST_DIVIDED: usize = 4;
        let mut arrangements = vec![Self::Alone];
        if benchmarks > 1 {
            let orders = [Self::Together, Self::Reversed, Self::Shuffled];
            arrangements.extend(orders.into_iter().filter(|order| order.is_possible(harness)));
        }
        if benchmarks >= LEAST_DIVIDED && !arrangements.contains(&Self::Shuffled) {
            arrangements.push(Self::Divided);
        }
        arrangements
    }

    /// Whether a harness can run its benchmarks like this.
    pub(super) fn is_possible(self, harness: &Harness) -> bool {
        match (self, harness.arranges) {
            (Self::Alone | Self::Together | Self::Divided, _) | (_, Arranges::AsNamed) => true,
            (Self::Reversed, Arranges::ByOptions { reversed, .. }) => reversed.is_some(),
            (Self::Shuffled, Arranges::ByOptions { shuffled, .. }) => shuffled.is_some(),
        }
    }
}

/// What programs run their benchmarks with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HarnessOption {
    /// What their files show.
    Auto,
    /// This.
    Named(&'static Harness),
}

/// Every value of the option.
static HARNESS_OPTIONS: LazyLock<Vec<HarnessOption>> = LazyLock::new(|| {
    let named = harness::ALL.into_iter().map(HarnessOption::Named);
    std::iter::once(HarnessOption::Auto).chain(named).collect()
});

impl ValueEnum for HarnessOption {
    fn value_variants<'a>() -> &'a [Self] {
        &HARNESS_OPTIONS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Auto => PossibleValue::new("auto").help("What the program's file shows"),
            Self::Named(harness) => PossibleValue::new(harness.word).help(harness.about),
        })
    }
}

impl SuiteOptions {
    /// How a program of the suite is started.
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

    /// The longest a process may take.
    ///
    /// # Errors
    ///
    /// When it is no duration.
    pub fn timeout(&self) -> Result<Option<Duration>, SuiteError> {
        let parsed = self.timeout.as_deref().map(duration::parse).transpose();
        parsed.map_err(|source| SuiteError::Duration { option: "--timeout", source })
    }

    /// How long one benchmark is measured in one process, in seconds.
    ///
    /// # Errors
    ///
    /// When it is no duration.
    pub fn seconds_per_run(&self) -> Result<f64, SuiteError> {
        /// One arrangement has a reading of each benchmark in a round, so it may take longer.
        const SECONDS: f64 = 0.1;
        /// In ten rounds of four arrangements, a second for each benchmark.
        const SECONDS_IN_SEVERAL: f64 = 0.025;
        match &self.time_per_run {
            None if self.order.is_some() => Ok(SECONDS),
            None => Ok(SECONDS_IN_SEVERAL),
            Some(text) => duration::parse(text)
                .map(|duration| duration.as_secs_f64())
                .map_err(|source| SuiteError::Duration { option: "--time-per-run", source }),
        }
    }

    /// Whether a benchmark of this name is to be run.
    pub fn selects(&self, name: &str) -> bool {
        super::selects(&self.filter, self.exact, name)
    }
}
