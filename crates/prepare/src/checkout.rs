//! A commit's files as its build finds or leaves them, for whoever makes a program of them in another way.

use std::path::PathBuf;

use measure::interrupt;

use super::build::{Attempt, Broken, Overseer, attempt};
use super::builder::{BuildError, Builder};
use super::built::{BuildFailure, When};
use super::failure::FailureReason;
use super::range::Commit;
use super::worktree::Worktree;

/// A commit that is checked out in a folder of ours, which is removed when this is dropped.
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
    /// Checks a commit out with its submodules, patch and overlay, and runs the build command there,
    /// if the recipe has one. Whether that makes the artefact does not matter. Nothing is kept.
    ///
    /// # Errors
    ///
    /// When it has to stop; that a commit cannot be prepared is what it gives back.
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
