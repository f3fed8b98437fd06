//! The request of a try.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};

use crate::measuring::MeasuringOptions;

/// A proposal, or a question about the trial.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("about the trial").args(["start", "status", "log", "finish"]),
    after_help = "Exit status: 0 keep, 1 discard, 3 open, 4 invalid, 2 trouble.",
    after_long_help = "Examples:
  brisk try --start    begin a trial at HEAD, by [trial] of brisk.toml
  brisk try            propose the worktree
  brisk try --finish   compare the last state with the first

Exit status: 0 keep, 1 discard, 3 open, 4 invalid, 2 trouble."
)]
pub struct TryRequest {
    /// The proposal: a revision, `WORKTREE` (the default), or a file with a patch, `-` for standard
    /// input
    ///
    /// What it changes is put on top of the incumbent, the state that was kept last. Neither the
    /// checkout nor the index nor a branch of the user is touched.
    #[arg(value_name = "REVISION|WORKTREE|PATCH")]
    pub proposal: Option<String>,

    /// Begin a trial at a revision, by default HEAD
    #[arg(long)]
    pub start: bool,

    /// Show the state of the trial
    #[arg(long, conflicts_with = "proposal")]
    pub status: bool,

    /// List all tries
    #[arg(long, conflicts_with = "proposal")]
    pub log: bool,

    /// Compare the last state with the first in fresh rounds, and make the branch `brisk/trial-N`
    #[arg(long, conflicts_with = "proposal")]
    pub finish: bool,

    /// The folder of the project; the current one by default
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,

    /// The place of the measurement
    #[command(flatten)]
    pub measuring: MeasuringOptions,
}

impl TryRequest {
    /// The folder of the project.
    pub fn folder(&self) -> &Path {
        self.project.as_deref().unwrap_or(Path::new("."))
    }
}
