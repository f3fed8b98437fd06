//! Preparation of a history: its commits, and a program for each.
//!
//! [`commits`] reads a range of a [`Repository`], and a [`Builder`] turns commits into
//! [`Artifact`]s by a [`Recipe`], in its own worktrees and through a [`Cache`], so that a second
//! run builds nothing. A commit that does not build gives a [`BuildFailure`] with the end of the
//! log, not an error. This module never runs or measures the programs, and no build is running
//! after a function has returned.

mod artifact;
mod build;
mod builder;
mod cache;
mod confirm;
mod counter_build;
mod crew;
mod environment;
mod git;
mod git_notes;
mod hunks;
mod inputs;
pub mod layouts;
pub mod ledger;
pub mod proposal;
mod range;
mod recipe;
mod rota;
mod seen;
mod worktree;
pub mod written;

pub use artifact::{
    Artifact, BuildFailure, BuiltCommit, Confirmation, Digest, FailureReason, Shape, When,
};
pub use build::{BuildOrder, BuildSite, LostBuilds, SiteError, SiteSaid, newest};
pub use builder::{Again, BuildError, BuildEvent, Builder, Retry};
pub use cache::{Cache, CacheError, Entry, Meta, Stored};
pub use counter_build::CounterBuild;
pub use environment::{Part, PartKind};
pub use git::{
    CheckoutKind, CutOff, Depth, GitError, Repository, Said, compare_url, remote_compare_url,
};
pub use git_notes::{Addition, Noted, Notes};
pub use hunks::{Difference, Hunk, HunkLines, HunkText};
pub use inputs::{Inputs, command_words, could_matter, inputs};
pub use range::{Commit, Follow, REPORTS, RangeError, WORKTREE, commit, commits, count_all};
pub use recipe::{CacheKey, Ingredients, Recipe, RecipeError, Trees};
pub use seen::{ProjectFiles, seen, seen_there};
pub use worktree::{Checkout, Slot, WorktreeError, remove_folder};

model::failures_with_hints_from! { BuildError, CacheError, GitError, RangeError }
