//! Results of building commits.

use std::path::PathBuf;

use super::artifact::{Digest, Shape};
use super::failure::FailureReason;
use super::layouts::NoLayouts;
use super::recipe::{CacheKey, Trees};
use model::spec::kept_checkout::KeptCheckout;
use model::spec::layouts::Layout;

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
