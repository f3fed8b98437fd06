//! Why a commit could not be built.

use serde::{Deserialize, Serialize};

/// Why there is no artefact of a commit. It is kept in the cache.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureReason {
    /// Git could not check the commit out.
    #[error("cannot check the commit out")]
    Checkout,
    /// Git could not check the commit's submodules out.
    #[error("cannot check its submodules out")]
    Submodules,
    /// The patch does not fit.
    #[error("the patch does not apply")]
    Patch,
    /// The overlay could not be written over the commit's files.
    #[error("the overlay cannot be laid over it")]
    Overlay,
    /// The commit does not have the folder to build in.
    #[error("the folder to build in, `{cwd}`, is not in the commit")]
    NoFolder {
        /// The folder.
        cwd: String,
    },
    /// The build command could not be run.
    #[error("cannot run the build command")]
    Start,
    /// The build command failed.
    #[error("the build exited with status {status}")]
    Exited {
        /// Its exit status.
        status: i32,
    },
    /// A signal ended the build command.
    #[error("the build {}", measure::Outcome::Signalled(*signal))]
    Signalled {
        /// The signal's number.
        signal: i32,
    },
    /// The build took too long.
    #[error("the build did not finish within {limit_seconds} s")]
    TimedOut {
        /// How long it had.
        limit_seconds: f64,
    },
    /// No space was left for what the build makes.
    #[error("no space was left for the build")]
    DiskFull,
    /// The build command succeeded, but the artefact is not there.
    #[error("the build succeeded, but made no `{artifact}`")]
    NoArtifact {
        /// The path as given.
        artifact: String,
    },
    /// The build command succeeded, and made several files that the artefact's pattern stands for.
    #[error("the build made several files that `{artifact}` stands for: {}", found.join(", "))]
    SeveralArtifacts {
        /// The pattern.
        artifact: String,
        /// What it stands for.
        found: Vec<String>,
    },
    /// The artefact is there, but cannot be copied.
    #[error("the artefact `{artifact}` cannot be copied: {why}")]
    BadArtifact {
        /// The path as given.
        artifact: String,
        /// What is wrong with it.
        why: String,
    },
}

impl FailureReason {
    /// Whether the same recipe would fail again for the same tree: a failure that was the
    /// machine's or the network's is not kept.
    pub(super) fn lasts(&self) -> bool {
        !matches!(self, Self::Checkout | Self::Submodules | Self::Start | Self::DiskFull)
    }

    /// Whether what earlier builds left may be why, so that a build without it is worth a try.
    pub(super) fn may_be_stale(&self) -> bool {
        !matches!(self, Self::Submodules | Self::Start | Self::DiskFull | Self::TimedOut { .. })
    }

    /// Whether the next build must not find what this one left: half a file, or too many.
    pub(super) fn spoils_the_tree(&self) -> bool {
        matches!(self, Self::TimedOut { .. } | Self::DiskFull | Self::Checkout | Self::Submodules)
    }

    /// A way out, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoArtifact { .. } => {
                "`--artifact` is where the build leaves it, as seen from where the build runs"
            }
            Self::SeveralArtifacts { .. } => {
                "write more of the name, so that it stands for one of them"
            }
            Self::TimedOut { .. } => "allow it more time with `--build-timeout`",
            Self::Patch => "old commits may need another patch; those it fits are built",
            Self::DiskFull => {
                "make room, or name a folder on another disk in `BRISK_CACHE`; what was built before \
                 is kept"
            }
            _ => return None,
        })
    }
}
