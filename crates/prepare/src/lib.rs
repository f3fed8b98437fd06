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
mod compare_url;
pub mod crew;
mod environment;
mod failure;
mod git;
mod git_notes;
mod inputs;
pub mod layouts;
mod located;
mod overlay;
mod places;
mod range;
mod recipe;
mod seen;
mod stretches;
mod submodules;
mod uncommitted;
mod worktree;
pub mod written;

pub use crate::builder::Retry;
pub use crate::environment::{Part, PartKind};
pub use crate::failure::{Artifact, BuildFailure, BuiltCommit, Confirmation, When};
pub use crate::inputs::could_matter;
pub use crate::seen::{BuildOrder, BuildSite, LostBuilds, Said as SiteSaid, SiteError};
pub use crate::worktree::Checkout;
pub use artifact::{Digest, Shape};
pub use builder::{Again, BuildError, BuildEvent, Builder};
pub use cache::{Cache, CacheError, Entry, Meta, Stored};
pub use compare_url::{compare_url, remote_compare_url};
pub use failure::FailureReason;
pub use git::{CheckoutKind, CutOff, Depth, GitError, Repository, Said};
pub use git_notes::{Addition, Noted, Notes};
pub use inputs::{Inputs, inputs};
pub use located::newest;
pub use range::{Commit, Follow, RangeError, commit, commits, count_all};
pub use recipe::{CacheKey, Ingredients, Recipe, RecipeError, Trees};
pub use seen::{ProjectFiles, seen, seen_there};
pub use uncommitted::{REPORTS, WORKTREE};
pub use worktree::WorktreeError;

model::failures_with_hints_from! { BuildError, CacheError, GitError, RangeError }
