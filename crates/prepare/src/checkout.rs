//! A commit's files, before or after its build, for callers that make a program of them in another
//! way.

use std::path::PathBuf;

use measure::interrupt;

use super::build::{Attempt, Broken, Overseer, attempt};
use super::builder::{BuildError, Builder};
use super::built::{BuildFailure, When};
use super::failure::FailureReason;
use super::range::Commit;
use super::worktree::Worktree;

/// A commit checked out in a worktree, which is removed on drop.
#[derive(Debug)]
pub struct Checkout {
    worktree: Worktree,
}

impl Checkout {
    /// The root of its files.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.worktree.path()
    }
}

impl Builder {
    /// Checks a commit out with its submodules, patch and overlay, and runs the build command
    /// there, if the recipe has one. It need not make the artefact. Nothing is kept.
    ///
    /// # Errors
    ///
    /// When building has to stop; a commit that cannot be prepared is a `BuildFailure` instead.
    pub fn check_out(&self, commit: &Commit) -> Result<Result<Checkout, BuildFailure>, BuildError> {
        let workshop = self.workshop();
        let mut worktree = workshop.worktrees.add(&commit.hash, None)?;
        let overseer = Overseer { requests: interrupt::requests(), say: &|_| {}, links: &|_| {} };
        let asked = (commit, &workshop.ingredients, &[][..]);
        let done = attempt(&workshop.repository, &mut worktree, asked, (overseer, None));
        let Attempt { result, log, elapsed } = done.map_err(|broken| match broken {
            Broken::Interrupted => BuildError::Interrupted,
            Broken::Git(error) => BuildError::Git(error),
            Broken::Site(error) => BuildError::Site(error),
        })?;
        use FailureReason::{NoArtifact, SeveralArtifacts};
        Ok(match result {
            Ok(_) | Err(NoArtifact { .. } | SeveralArtifacts { .. }) => Ok(Checkout { worktree }),
            Err(reason) => Err(BuildFailure {
                reason,
                log_tail: String::from_utf8_lossy(&log).into_owned(),
                when: When::Now,
                build_seconds: elapsed.as_secs_f64(),
            }),
        })
    }
}
