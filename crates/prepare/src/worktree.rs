//! Checkouts of our own, outside of the user's, in which commits are built.
//!
//! They lie in the cache folder, in one folder for each repository, numbered, each used by one
//! builder at a time. The user's checkout, index, configuration and `HEAD` are not touched; the
//! repository knows our worktrees while they exist, as `git worktree list` shows. A worktree is
//! always begun anew, so what a kill left behind is removed and never built upon.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use measure::tool::Tool;

use super::fingerprint::Fingerprint;
use super::git::{GitError, Patience, Repository, change};
use super::leftover::Leftover;
use super::link::Link;
use super::same_place::SamePlace;
use super::slot::{Slot, remove_folder};

/// Why there is no worktree, or why it could not be removed.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// The folder for worktrees cannot be used.
    #[error("cannot keep worktrees in `{}`", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the kernel answered.
        #[source]
        source: io::Error,
    },
    /// Git did not make one.
    #[error("cannot check `{commit}` out at `{}`", path.display())]
    Add {
        /// Which commit.
        commit: String,
        /// Where.
        path: PathBuf,
        /// What git said.
        #[source]
        source: GitError,
    },
}

/// Where the worktrees of one repository lie.
#[derive(Debug, Clone)]
pub(super) struct Worktrees {
    repository: Repository,
    folder: PathBuf,
    same_place: SamePlace,
}

impl Worktrees {
    /// Those of `repository` below the folder of the cache. What killed processes left is removed.
    pub(super) fn open(repository: &Repository, cache: &Path) -> Result<Self, WorktreeError> {
        let mut identity = Fingerprint::new("repository");
        identity.field("common dir", repository.common_dir().as_os_str().as_bytes());
        let name = &identity.finish()[..16];
        let folder = cache.join("worktrees").join(name);
        let same_place = SamePlace::of(&folder);
        let worktrees = Self { repository: repository.clone(), folder, same_place };
        let failed = |source| worktrees.folder_error(source);
        for slot in Slot::left_behind(&worktrees.folder).map_err(failed)? {
            worktrees.remove(&slot)?;
        }
        Ok(worktrees)
    }

    /// A new worktree with this commit: with the number asked for, if nobody uses that, because
    /// programs may contain the path where they were built.
    pub(super) fn add(
        &self,
        commit: &str,
        preferred: Option<u32>,
    ) -> Result<Worktree, WorktreeError> {
        let failed = |source| self.folder_error(source);
        let preferred = preferred.map(|number| Slot::take(&self.folder, number)).transpose();
        let slot = match preferred.map_err(failed)?.flatten() {
            Some(slot) => slot,
            None => Slot::first_free(&self.folder).map_err(failed)?,
        };
        let mut worktree = Worktree::absent(self, slot);
        worktree.renew(commit)?;
        Ok(worktree)
    }

    /// A new worktree with this commit, and with what the last build by this name has left, if that was
    /// kept; it is kept again.
    pub(super) fn resume(&self, commit: &str, name: &str) -> Result<Worktree, WorktreeError> {
        let slot = Slot::first_free(&self.folder).map_err(|source| self.folder_error(source))?;
        let leftover = Leftover::new(&self.folder, name);
        let mut worktree = Worktree::absent(self, slot);
        worktree.begin_anew(commit)?;
        let is_resumed = leftover.put_into(&worktree.path(), &worktree.link);
        if is_resumed && worktree.walk_to(commit).is_ok() {
            worktree.state = WorktreeState::Used;
        } else {
            worktree.renew(commit)?;
        }
        worktree.leftover = Some(leftover);
        Ok(worktree)
    }

    fn tree(&self, slot: &Slot) -> PathBuf {
        // Git names its own folder for the worktree after the last part, and numbers namesakes.
        slot.folder.join("brisk")
    }

    /// Removes the folder of a slot, and what git keeps about the worktree in it.
    fn remove(&self, slot: &Slot) -> Result<(), WorktreeError> {
        // The folder first: git refuses to remove a worktree that is damaged, but not one that is
        // missing. `git worktree prune` would also remove those of the user on absent disks.
        remove_folder(&slot.folder).map_err(|source| self.folder_error(source))?;
        let _alone = self.alone()?;
        let tree = self.tree(slot);
        let args: [&OsStr; 5] = [
            "worktree".as_ref(),
            "remove".as_ref(),
            "--force".as_ref(),
            "--force".as_ref(),
            tree.as_os_str(),
        ];
        // It fails when git knows of no such worktree, which is what we want.
        let _ = change(self.repository.root(), args, Patience::UntilDone);
        Ok(())
    }

    /// Keeps every other brisk from adding or removing worktrees of this repository at the same
    /// moment, because git removes the folder of all its worktrees with the last of them.
    fn alone(&self) -> Result<File, WorktreeError> {
        let lock = || {
            fs::create_dir_all(&self.folder)?;
            let path = self.folder.join("all.lock");
            let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
            file.lock()?;
            Ok(file)
        };
        lock().map_err(|source| self.folder_error(source))
    }

    fn folder_error(&self, source: io::Error) -> WorktreeError {
        WorktreeError::Folder { path: self.folder.clone(), source }
    }
}

/// What is in a worktree besides the files of its commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorktreeState {
    /// There is no checkout.
    Absent,
    /// Nothing.
    Fresh,
    /// What earlier builds left.
    Used,
}

/// A checkout of our own. It is removed when it is dropped.
#[derive(Debug)]
pub(super) struct Worktree {
    worktrees: Worktrees,
    slot: Slot,
    link: Link,
    state: WorktreeState,
    /// Where its files go when it is removed; none where they go as well.
    pub(super) leftover: Option<Leftover>,
}

impl Worktree {
    fn absent(worktrees: &Worktrees, slot: Slot) -> Self {
        let (worktrees, link) = (worktrees.clone(), Link::default());
        Self { worktrees, slot, link, state: WorktreeState::Absent, leftover: None }
    }

    /// Where the files are.
    pub(super) fn path(&self) -> PathBuf {
        self.worktrees.tree(&self.slot)
    }

    /// The folder around it, which is its own.
    pub(super) fn folder(&self) -> &Path {
        &self.slot.folder
    }

    /// Its number, which is part of its path.
    pub(super) fn number(&self) -> u32 {
        self.slot.number
    }

    /// A shell with this script, in the folder `cwd` of this worktree, at a path that all worktrees of the
    /// repository have in common where that can be.
    pub(super) fn shell(&self, script: &str, cwd: &Path) -> Tool {
        self.worktrees.same_place.shell(script, self.folder(), cwd)
    }

    /// What is in it.
    pub(super) fn state(&self) -> WorktreeState {
        self.state
    }

    /// Notes that a build is about to leave something in it.
    pub(super) fn use_up(&mut self) {
        self.state = WorktreeState::Used;
    }

    /// An empty folder on the same file system, for what is to become an entry of the cache.
    pub(super) fn staging(&self) -> Result<PathBuf, io::Error> {
        let staging = self.slot.folder.join("staging");
        remove_folder(&staging)?;
        fs::create_dir_all(&staging)?;
        Ok(staging)
    }

    /// The same place with nothing in it but this commit.
    pub(super) fn renew(&mut self, commit: &str) -> Result<(), WorktreeError> {
        if self.sweep() && self.walk_to(commit).is_ok() {
            self.state = WorktreeState::Fresh;
            return Ok(());
        }
        self.begin_anew(commit)?;
        let path = self.path();
        self.walk_to(commit).map_err(|source| WorktreeError::Add {
            commit: commit.to_owned(),
            path,
            source,
        })?;
        self.state = WorktreeState::Fresh;
        Ok(())
    }

    /// Removes all files, and what git noted of them. Whether nothing remains by which the next
    /// checkout could differ from that in a new worktree.
    fn sweep(&self) -> bool {
        if self.state == WorktreeState::Absent {
            return false;
        }
        // The folder below which it lies goes, too: builds may write beside their checkout.
        let swept = self.link.clear().and_then(|is_plain| {
            remove_folder(&self.slot.folder)?;
            fs::create_dir_all(self.path())?;
            self.link.write(&self.path())?;
            Ok(is_plain)
        });
        swept.unwrap_or(false)
    }

    /// A new worktree without files in place of whatever is there.
    fn begin_anew(&mut self, commit: &str) -> Result<(), WorktreeError> {
        self.worktrees.remove(&self.slot)?;
        self.state = WorktreeState::Absent;
        let path = self.path();
        let folder_error = |source| self.worktrees.folder_error(source);
        fs::create_dir_all(&self.slot.folder).map_err(folder_error)?;
        let args = [
            "worktree".as_ref(),
            "add".as_ref(),
            "--force".as_ref(),
            "--detach".as_ref(),
            // Writing the files may take long, and nobody need wait for it.
            "--no-checkout".as_ref(),
            path.as_os_str(),
            commit.as_ref(),
        ];
        let alone = self.worktrees.alone()?;
        let added = change(self.worktrees.repository.root(), args, Patience::UntilDone);
        drop(alone);
        added.map_err(|source| WorktreeError::Add {
            commit: commit.to_owned(),
            path: path.clone(),
            source,
        })?;
        self.link = Link::read(&path).map_err(folder_error)?;
        Ok(())
    }

    /// Goes on to another commit; what builds left beside its files stays, so that the next build
    /// has less to do.
    pub(super) fn walk_to(&self, commit: &str) -> Result<(), GitError> {
        let args = ["checkout", "--quiet", "--force", "--detach", commit];
        change(&self.path(), args, Patience::UntilDone)
    }
}

impl Drop for Worktree {
    fn drop(&mut self) {
        if let Some(leftover) = &self.leftover {
            // What is not kept is built again.
            let _ = leftover.keep(&self.path(), &self.link);
        }
        // What cannot be removed now, the next run tries to remove.
        let _ = self.worktrees.remove(&self.slot);
    }
}
