//! Reasons that a commit could not be built.
//!
//! Results of building commits.

use super::artifact::{Digest, Shape};
use super::layouts::NoLayouts;
use super::recipe::{CacheKey, Trees};
use model::spec::artifacts::KeptCheckout;
use model::spec::artifacts::Layout;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The reason that a commit has no artefact. It is kept in the cache.
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
    /// The folder to build in is missing from the commit.
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
        /// The time limit, in seconds.
        limit_seconds: f64,
    },
    /// The disk was full.
    #[error("no space was left for the build")]
    DiskFull,
    /// The build command succeeded, but the artefact is missing.
    #[error("the build succeeded, but made no `{artifact}`")]
    NoArtifact {
        /// The path as given.
        artifact: String,
    },
    /// The build command succeeded, but several files match the artefact's pattern.
    #[error("the build made several files that `{artifact}` stands for: {}", found.join(", "))]
    SeveralArtifacts {
        /// The pattern.
        artifact: String,
        /// The matching files.
        found: Vec<String>,
    },
    /// The artefact exists, but cannot be copied.
    #[error("the artefact `{artifact}` cannot be copied: {why}")]
    BadArtifact {
        /// The path as given.
        artifact: String,
        /// The problem.
        why: String,
    },
}

impl FailureReason {
    /// True if the same recipe would fail again for the same tree: failures of the machine or the
    /// network are not kept.
    pub(super) fn lasts(&self) -> bool {
        !matches!(self, Self::Checkout | Self::Submodules | Self::Start | Self::DiskFull)
    }

    /// True if leftovers of earlier builds may be the cause, so that a clean build is worth a try.
    pub(super) fn may_be_stale(&self) -> bool {
        !matches!(self, Self::Submodules | Self::Start | Self::DiskFull | Self::TimedOut { .. })
    }

    /// True if the next build must not find the leftovers of this one: half a file, or too many.
    pub(super) fn spoils_the_tree(&self) -> bool {
        matches!(self, Self::TimedOut { .. } | Self::DiskFull | Self::Checkout | Self::Submodules)
    }

    /// Advice for the user, if any.
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

/// A commit that was built, or could not be.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltCommit {
    /// The key of its build.
    pub key: CacheKey,
    /// The artefact, or the failure.
    pub outcome: Result<Artifact, BuildFailure>,
}

/// The time of a build: in this call, or before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// In this call.
    Now,
    /// In an earlier call; it was found in the cache.
    Before,
}

/// The product of a commit's build.
#[derive(Debug, Clone, PartialEq)]
pub struct Artifact {
    /// Its path, under the name that the build gave it.
    pub path: PathBuf,
    /// The digest that identifies byte-identical artefacts.
    pub digest: Digest,
    /// The kind of artefact.
    pub shape: Shape,
    /// The state in which its build found the worktree.
    pub trees: Trees,
    /// The time of the build: in this call, or before.
    pub when: When,
    /// True if a clean build confirmed that it equals an earlier commit's artefact, false if that
    /// is still unconfirmed; `None` if it differs, or no relevant file changed in between.
    pub equality_confirmed: Option<bool>,
    /// The checkout in which it runs, if the artefact alone is not the program.
    pub checkout: Option<KeptCheckout>,
    /// The running time of that build command, in seconds.
    pub build_seconds: f64,
    /// The same program linked in other orders, if requested, or the reason that these are missing.
    pub layouts: Result<Vec<Layout>, NoLayouts>,
}

/// The failure of a commit's build.
#[derive(Debug, Clone, PartialEq)]
pub struct BuildFailure {
    /// The reason.
    pub reason: FailureReason,
    /// The end of the output.
    pub log_tail: String,
    /// The time of the build: in this call, or before.
    pub when: When,
    /// The running time of that build command, in seconds.
    pub build_seconds: f64,
}

/// A clean build, and the incremental artefact that it checks.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmation {
    /// The result of the clean build.
    pub clean: BuiltCommit,
    /// The digest of the incremental artefact, if there is one.
    pub incremental: Option<Digest>,
}

impl Confirmation {
    /// True if both builds made the same bytes; `None` if one of them made no artefact.
    pub fn agrees(&self) -> Option<bool> {
        let clean = self.clean.outcome.as_ref().ok()?;
        Some(*self.incremental.as_ref()? == clean.digest)
    }
}
