//! Sites on which build commands run, if not here: machines that see the same folders.
//!
//! A site reports separately if the end of a command is unknown, because a machine or a scheduler
//! failed: that says nothing about a commit.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::tool::Log;

/// A place in which build commands run.
pub trait BuildSite: fmt::Debug + Send + Sync {
    /// Runs a build command to its end.
    ///
    /// # Errors
    ///
    /// When its end is unknown, or it cannot be run there.
    fn run(&self, order: &BuildOrder<'_>) -> Result<Log, SiteError>;
}

/// A build command to run.
pub struct BuildOrder<'a> {
    /// The command, for a shell.
    pub command: &'a str,
    /// The working folder.
    pub cwd: &'a Path,
    /// The checkout, which contains `cwd`.
    pub tree: &'a Path,
    /// Variables to set, or to remove from the inherited ones.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// The time limit.
    pub timeout: Option<Duration>,
    /// A folder beside the checkout, for files about the build.
    pub folder: &'a Path,
    /// The number of bytes kept of the output.
    pub kept_bytes: usize,
    /// The number of earlier signals, which are ignored.
    pub requests: u32,
    /// The earlier jobs of this build that got lost.
    pub lost: LostBuilds,
    /// Shows a message to the user.
    pub say: &'a dyn Fn(&str),
}

/// The number of jobs of a build that got lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LostBuilds {
    /// All of them.
    pub all: u32,
    /// Those that had begun.
    pub begun: u32,
}

/// Reasons that the end of a build command is unknown.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// It got lost and should be tried again in another worktree: in this one, it may still run.
    #[error("the build got lost")]
    Lost(LostBuilds),
    /// It got lost again and again.
    #[error("{} jobs of a build were submitted, and none finished", lost.all)]
    GivenUp {
        /// The number of jobs.
        lost: LostBuilds,
        /// The output of the last one.
        #[source]
        source: Said,
    },
    /// It was refused.
    #[error("{what}")]
    Refused {
        /// The message of the refusal.
        what: String,
        /// The reason.
        #[source]
        source: Said,
        /// Advice for the user.
        hint: Option<String>,
    },
    /// Its files cannot be written or read.
    #[error("cannot use `{}`", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
}

/// A message of another program.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Said(pub String);

impl SiteError {
    /// Advice for the user, if any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::GivenUp { lost: LostBuilds { begun: 0, .. }, .. } => Some(
                "jobs must see the build cache under the same path: `BRISK_CACHE` can name a \
                 shared folder"
                    .to_owned(),
            ),
            Self::GivenUp { .. } => Some(
                "perhaps jobs are ended by a limit on time or memory, which `build_options` can \
                 raise"
                    .to_owned(),
            ),
            Self::Refused { hint, .. } => hint.clone(),
            Self::Lost(_) | Self::Folder { .. } => None,
        }
    }
}

/// Opens the folders on the path to a remote build's artefact: otherwise a shared file system may
/// remember for a while that it did not exist.
pub(super) fn look_anew(cwd: &Path, artifact: &Path) {
    let mut ways: Vec<PathBuf> = artifact.ancestors().skip(1).map(|way| cwd.join(way)).collect();
    ways.reverse();
    for way in ways {
        let _ = fs::read_dir(way).map(Iterator::count);
    }
}
