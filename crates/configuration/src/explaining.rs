//! The options that say how a program is built, run and counted to be explained.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use measure::Stdin;

use crate::{InvocationOptions, Typed, settings};
use model::failure::{Failing, Failure};
use model::spec::invocation::readable;
use model::spec::words;

const TIMEOUT: &str = "10m";

/// Which program is built, and by what.
#[derive(Debug, Clone, Default, Args)]
pub struct GhcOptions {
    /// The executable of a cabal project
    ///
    /// It may be a test suite or a benchmark, too.
    #[arg(long, value_name = "NAME")]
    pub executable: Option<String>,

    /// The GHC to build with [default: ghc]
    #[arg(long, value_name = "PATH")]
    pub ghc: Option<PathBuf>,

    /// Options for GHC, in addition to `-O1` and those that brisk needs
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub ghc_options: Option<String>,
}

impl GhcOptions {
    /// True if any option is given.
    pub fn is_given(&self) -> bool {
        self.executable.is_some() || self.ghc.is_some() || self.ghc_options.is_some()
    }

    /// The options for GHC, as words.
    pub fn words(&self) -> Result<Vec<String>, Failure> {
        self.ghc_options.as_deref().map_or(Ok(Vec::new()), |text| split("--ghc-options", text))
    }
}

/// The options by which a program in source is built and run.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "How it is built and run")]
pub struct SourceOptions {
    /// The program, and its compiler
    #[command(flatten)]
    pub ghc: GhcOptions,

    /// Where the program reads its input from: `null` or a file
    #[arg(long, value_name = "WHERE", default_value = "null")]
    pub input: String,

    /// Set environment variables for the program, such as `A=1 B="x y"`
    #[arg(long, value_name = "ASSIGNMENTS")]
    pub env: Vec<String>,

    /// The time limit of a run
    #[arg(long, value_name = "DURATION", default_value = TIMEOUT)]
    pub timeout: String,

    /// Variables that brisk.toml sets, for builds and runs.
    #[arg(skip)]
    pub project_env: Vec<(String, String)>,

    /// The folder in which it runs; the one of its source by default.
    #[arg(skip)]
    pub cwd: Option<PathBuf>,

    /// Continue when a command fails, with any status or only with these exit codes
    #[arg(short, long, value_name = "CODES", num_args = 0..=1, require_equals = true, default_missing_value = "all-non-zero")]
    pub ignore_failure: Option<String>,

    /// Try remedies, and measure them
    ///
    /// Each remedy that brisk can apply itself is tried in a copy of the program.
    #[arg(long)]
    pub prove: bool,

    /// The longest time to measure a remedy [default: 15s], or to sample [default: 60s]
    ///
    /// A few rounds are sampled in any case.
    #[arg(long, value_name = "DURATION", value_parser = Typed::budget)]
    pub budget: Option<Typed<Duration>>,

    /// Two amounts of `{work}`: how costs grow
    ///
    /// The program's arguments contain `{work}`; brisk says how costs grow from one amount to the
    /// other.
    #[arg(long, value_name = "LESS,MORE")]
    pub work: Option<String>,

    /// Do not show progress
    #[arg(short, long)]
    pub quiet: bool,

    /// The program's arguments
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<OsString>,
}

impl SourceOptions {
    /// The options that run a program as another verb runs its command.
    pub fn of_run(
        ghc: GhcOptions,
        arguments: Vec<OsString>,
        invocation: &InvocationOptions,
        project_env: &[(String, String)],
        quiet: bool,
    ) -> Self {
        Self {
            ghc,
            cwd: Some(invocation.cwd.clone().unwrap_or_else(|| PathBuf::from("."))),
            input: invocation.input().to_owned(),
            env: invocation.env.clone(),
            project_env: project_env.to_vec(),
            timeout: invocation.timeout.clone().unwrap_or_else(|| TIMEOUT.to_owned()),
            quiet,
            arguments,
            ..Self::default()
        }
    }

    /// The same options, with the variables of a project's file.
    pub fn of_project(&self, env: &[(String, String)]) -> Self {
        Self { project_env: env.to_vec(), ..self.clone() }
    }

    /// The options for running existing commands.
    pub fn invocation(&self) -> InvocationOptions {
        InvocationOptions {
            setup_runs: 1,
            env: settings::env(&self.env, &self.project_env),
            input: Some(self.input.clone()),
            timeout: Some(self.timeout.clone()),
            ignore_failure: self.ignore_failure.clone(),
            ..InvocationOptions::default()
        }
    }

    /// The program's input. The path is relative to the folder in which brisk was started.
    pub fn stdin(&self) -> Result<Stdin, Failure> {
        if self.input == "null" {
            return Ok(Stdin::Null);
        }
        let path = Path::new(&self.input);
        let there = readable(path).and_then(|()| path.canonicalize());
        there.map(Stdin::File).failing(format!("cannot read from `{}`", path.display()))
    }

    /// The variables of the program: those of the file, then the typed ones.
    pub fn variables(&self) -> Result<Vec<(OsString, OsString)>, Failure> {
        let of_file = self.project_env.iter().map(|(name, value)| (name.into(), value.into()));
        let mut variables: Vec<(OsString, OsString)> = of_file.collect();
        for text in &self.env {
            for word in split("--env", text)? {
                let Some((name, value)) = word.split_once('=').filter(|(name, _)| !name.is_empty())
                else {
                    let error = format!("`{word}` is not an assignment; write NAME=VALUE");
                    return Err(Failure::new(error));
                };
                variables.push((name.into(), value.into()));
            }
        }
        Ok(variables)
    }
}

fn split(option: &str, text: &str) -> Result<Vec<String>, Failure> {
    words::split(text).map(|split| split.words).failing(format!("bad `{option}`"))
}

/// The default number of runs of a command under callgrind or DHAT.
pub const PROFILE_RUNS: u32 = 2;

/// Options of counting by function.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Instructions by function")]
pub struct NativeOptions {
    /// Explain these callgrind profiles, one or an old and a new one, and run nothing
    #[arg(long, value_name = "FILE", num_args = 1..=2)]
    pub callgrind: Vec<PathBuf>,

    /// Explain these files of DHAT, one or an old and a new one, and run nothing
    #[arg(long, value_name = "FILE", num_args = 1..=2, conflicts_with = "callgrind")]
    pub dhat: Vec<PathBuf>,

    /// Draw a flame graph (SVG); with two programs, one that shows what changed
    #[arg(long, value_name = "FILE")]
    pub flame: Option<PathBuf>,

    /// Write a page for a browser
    ///
    /// Of native programs it has the flame graph.
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    pub export_html: Option<PathBuf>,

    /// Write the stacks for speedscope (<https://www.speedscope.app>)
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    pub export_speedscope: Option<PathBuf>,

    /// Write the stacks for the Firefox Profiler (<https://profiler.firefox.com>)
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    pub export_firefox_profile: Option<PathBuf>,

    /// How often to run each command under valgrind; two runs show whether the counts are exact
    #[arg(long, value_name = "N", default_value_t = PROFILE_RUNS, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub profile_runs: u32,

    /// Count allocated bytes and blocks instead of instructions, by the function that allocates
    ///
    /// By valgrind's DHAT, which takes some 20 times as long as a plain run.
    #[arg(long, conflicts_with_all = ["callgrind", "dhat"])]
    pub allocations: bool,

    /// The event to explain instead of instructions, such as `DLmr`; with `--callgrind`
    #[arg(long, value_name = "EVENT", requires = "callgrind", conflicts_with_all = ["dhat", "allocations"])]
    pub event: Option<String>,

    /// Sample where the time goes, instead of counting instructions
    ///
    /// By the kernel's clock, in interleaved rounds. It needs no special build and costs little
    /// time, so it is the way of programs whose plain run takes longer than 1.5 s.
    #[arg(long, conflicts_with_all = ["callgrind", "dhat", "allocations"], help_heading = "Time by function")]
    pub sample: bool,

    /// Count instructions, however long it takes: 15 to 50 times as long as a plain run
    #[arg(long, conflicts_with_all = ["sample", "callgrind", "dhat", "allocations"])]
    pub count: bool,
}

/// The way in which a native program is explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NativeWay {
    /// Instructions are counted.
    Count,
    /// Allocations are counted.
    Allocations,
    /// Time is sampled.
    Sample,
    /// As long as a plain run decides.
    ByTime,
}

impl NativeOptions {
    /// True if stacks are drawn, which takes one more run of each program.
    pub fn draws(&self) -> bool {
        [&self.flame, &self.export_html, &self.export_speedscope, &self.export_firefox_profile]
            .into_iter()
            .any(Option::is_some)
    }

    /// The way that was asked for.
    pub fn way(&self) -> NativeWay {
        match self {
            Self { allocations: true, .. } => NativeWay::Allocations,
            Self { count: true, .. } => NativeWay::Count,
            Self { sample: true, .. } => NativeWay::Sample,
            _ => NativeWay::ByTime,
        }
    }
}
