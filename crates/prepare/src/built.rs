//! What came of building commits.

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
    /// Everything that went into it, under one name.
    pub key: CacheKey,
    /// What came out.
    pub outcome: Result<Artifact, BuildFailure>,
}

/// Whether something was built now or before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// In this call.
    Now,
    /// By an earlier one; it was found in the cache.
    Before,
}

/// What a commit's build made.
#[derive(Debug, Clone, PartialEq)]
pub struct Artifact {
    /// Where it is, under the name that the build gave it.
    pub path: PathBuf,
    /// By which byte-identical artefacts are known.
    pub digest: Digest,
    /// What kind of thing it is.
    pub shape: Shape,
    /// What its build found of earlier ones.
    pub trees: Trees,
    /// When it was built.
    pub when: When,
    /// Whether a build from scratch says that it equals an earlier commit's; none where it does not, or
    /// nothing changed since then that could matter.
    pub equality_confirmed: Option<bool>,
    /// The checkout in which it runs, where the artefact alone is not the program.
    pub checkout: Option<KeptCheckout>,
    /// How long the build command ran, then.
    pub build_seconds: f64,
    /// The same program linked in other orders, where that was asked for; or why it is not.
    pub layouts: Result<Vec<Layout>, NoLayouts>,
}

/// Why there is no artefact of a commit.
#[derive(Debug, Clone, PartialEq)]
pub struct BuildFailure {
    /// Why.
    pub reason: FailureReason,
    /// The end of what was printed.
    pub log_tail: String,
    /// When that was.
    pub when: When,
    /// How long the build command ran, then.
    pub build_seconds: f64,
}

/// A clean build, and what it is to confirm.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmation {
    /// What came of the clean build.
    pub clean: BuiltCommit,
    /// The digest of the incremental artefact, if there is one.
    pub incremental: Option<Digest>,
}

impl Confirmation {
    /// Whether both builds made the same bytes; nothing if one of them made none.
    pub fn agrees(&self) -> Option<bool> {
        let clean = self.clean.outcome.as_ref().ok()?;
        Some(*self.incremental.as_ref()? == clean.digest)
    }
}
