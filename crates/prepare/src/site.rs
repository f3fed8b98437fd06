//! Where build commands run, if not here: on machines that see the same folders.
//!
//! Whoever runs them there tells apart how a command ended and that nobody knows it, because a
//! machine or a scheduler failed. The latter says nothing about a commit.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::tool::Log;

/// Where build commands run.
pub trait BuildSite: fmt::Debug + Send + Sync {
    /// Runs a build command to its end.
    ///
    /// # Errors
    ///
    /// When it is not known how it ended, or it cannot be run there.
    fn run(&self, order: &BuildOrder<'_>) -> Result<Log, SiteError>;
}

/// A build command that is to be run.
pub struct BuildOrder<'a> {
    /// The command, for a shell.
    pub command: &'a str,
    /// Where it runs.
    pub cwd: &'a Path,
    /// The checkout, in which `cwd` is.
    pub tree: &'a Path,
    /// Variables that are set, or removed from what is inherited.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// How long it may run.
    pub timeout: Option<Duration>,
    /// A folder beside the checkout, for files about it.
    pub folder: &'a Path,
    /// How much of what it prints is kept.
    pub kept_bytes: usize,
    /// Signals count after the first of them.
    pub requests: u32,
    /// What became of it before.
    pub lost: LostBuilds,
    /// Tells people what they should know.
    pub say: &'a dyn Fn(&str),
}

/// How often a build got lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LostBuilds {
    /// In all.
    pub all: u32,
    /// How many of them had begun.
    pub begun: u32,
}

/// Why it is not known how a build command ended.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// It got lost, and is worth another try elsewhere: where it was, it may still run.
    #[error("the build got lost")]
    Lost(LostBuilds),
    /// It got lost again and again.
    #[error("{} jobs of a build were submitted, and none finished", lost.all)]
    GivenUp {
        /// How often.
        lost: LostBuilds,
        /// What the last one printed.
        #[source]
        source: Said,
    },
    /// It is refused.
    #[error("{what}")]
    Refused {
        /// By whom.
        what: String,
        /// Why.
        #[source]
        source: Said,
        /// A way out.
        hint: Option<String>,
    },
    /// Its files cannot be written or read.
    #[error("cannot use `{}`", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the kernel answered.
        #[source]
        source: io::Error,
    },
}

/// What somebody said.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Said(pub String);

impl SiteError {
    /// A way out, where there is one.
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

/// Opens the folders on the way to what was made elsewhere: a shared file system may otherwise
/// remember for a while that it was not there.
pub(super) fn look_anew(cwd: &Path, artifact: &Path) {
    let mut ways: Vec<PathBuf> = artifact.ancestors().skip(1).map(|way| cwd.join(way)).collect();
    ways.reverse();
    for way in ways {
        let _ = fs::read_dir(way).map(Iterator::count);
    }
}
