//! Checkouts in which commits are built, separate from the user's.
//!
//! They lie in the cache folder, in one folder for each repository, numbered, each used by one
//! builder at a time. The user's checkout, index, configuration and `HEAD` are not touched; the
//! repository lists our worktrees while they exist, as `git worktree list` shows. A worktree always
//! begins anew: leftovers of a killed process are removed and never built upon.

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

/// Reasons that a worktree could not be made or removed.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// The folder for worktrees cannot be used.
    #[error("cannot keep worktrees in `{}`", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// Git could not make a worktree.
    #[error("cannot check `{commit}` out at `{}`", path.display())]
    Add {
        /// The commit.
        commit: String,
        /// The path of the worktree.
        path: PathBuf,
        /// Git's message.
        #[source]
        source: GitError,
    },
}

/// The worktrees of one repository.
#[derive(Debug, Clone)]
pub(super) struct Worktrees {
    repository: Repository,
    folder: PathBuf,
    same_place: SamePlace,
}

impl Worktrees {
    /// The worktrees of `repository` below the folder of the cache. Leftovers of killed processes
    /// are removed.
    pub(super) fn open(repository: &Repository, cache: &Path) -> Result<Self, WorktreeError> {
        let mut identity = Fingerprint::new("repository");
        identity.field("common dir", repository.common_dir().as_os_str().as_bytes());
        let name = &identity.finish()[..16];
        let folder = cache.join("worktrees").join(name);
        let same_place = SamePlace::in_folder(&folder);
        let worktrees = Self { repository: repository.clone(), folder, same_place };
        let failed = |source| worktrees.folder_error(source);
        for slot in Slot::left_behind(&worktrees.folder).map_err(failed)? {
            worktrees.remove(&slot)?;
        }
        Ok(worktrees)
    }

    /// A new worktree with this commit; with the preferred number if that is free, because programs
    /// may contain the path of their build.
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

    /// A new worktree with this commit and the leftovers of the last build by this name, if they
    /// were kept; they are kept again.
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
        // Git names its own folder for the worktree after the last path component, and numbers
        // namesakes.
        slot.folder.join("brisk")
    }

    /// Removes the folder of a slot, and git's records of the worktree in it.
    fn remove(&self, slot: &Slot) -> Result<(), WorktreeError> {
        // The folder first: git refuses to remove a damaged worktree, but not a missing one. `git
        // worktree prune` would also remove the user's worktrees on absent disks.
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
        // It fails if git does not know the worktree, which is the desired state.
        let _ = change(self.repository.root(), args, Patience::UntilDone);
        Ok(())
    }

    /// Keeps other brisk processes from adding or removing worktrees of this repository at the same
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

/// The contents of a worktree besides the files of its commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorktreeState {
    /// The checkout is missing.
    Absent,
    /// No other files.
    Fresh,
    /// The results of earlier builds.
    Used,
}

/// A worktree of brisk. It is removed when dropped.
#[derive(Debug)]
pub(super) struct Worktree {
    worktrees: Worktrees,
    slot: Slot,
    link: Link,
    state: WorktreeState,
    /// The place to which its files are moved when it is removed; `None` if they are removed as
    /// well.
    pub(super) leftover: Option<Leftover>,
}

impl Worktree {
    fn absent(worktrees: &Worktrees, slot: Slot) -> Self {
        let (worktrees, link) = (worktrees.clone(), Link::default());
        Self { worktrees, slot, link, state: WorktreeState::Absent, leftover: None }
    }

    /// The path of its files.
    pub(super) fn path(&self) -> PathBuf {
        self.worktrees.tree(&self.slot)
    }

    /// The folder around it, which contains only this worktree.
    pub(super) fn folder(&self) -> &Path {
        &self.slot.folder
    }

    /// Its number, which is part of its path.
    pub(super) fn number(&self) -> u32 {
        self.slot.number
    }

    /// A shell with this script, in the folder `cwd` of this worktree, at a path that all worktrees
    /// of the repository have in common, if possible.
    pub(super) fn shell(&self, script: &str, cwd: &Path) -> Tool {
        self.worktrees.same_place.shell(script, self.folder(), cwd)
    }

    /// Its state.
    pub(super) fn state(&self) -> WorktreeState {
        self.state
    }

    /// Records that a build is about to leave files in it.
    pub(super) fn use_up(&mut self) {
        self.state = WorktreeState::Used;
    }

    /// An empty folder on the same file system, for a future entry of the cache.
    pub(super) fn staging(&self) -> Result<PathBuf, io::Error> {
        let staging = self.slot.folder.join("staging");
        remove_folder(&staging)?;
        fs::create_dir_all(&staging)?;
        Ok(staging)
    }

    /// Resets the worktree to the files of this commit only.
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

    /// Removes all files, and git's records of them. True if the next checkout cannot differ from
    /// one in a new worktree.
    fn sweep(&self) -> bool {
        if self.state == WorktreeState::Absent {
            return false;
        }
        // The folder around it goes, too: builds may write beside their checkout.
        let swept = self.link.clear().and_then(|is_plain| {
            remove_folder(&self.slot.folder)?;
            fs::create_dir_all(self.path())?;
            self.link.write(&self.path())?;
            Ok(is_plain)
        });
        swept.unwrap_or(false)
    }

    /// Replaces any existing worktree by a new one without files.
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
            // Writing the files may take long, and need not hold the lock.
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

    /// Moves on to another commit. Untracked results of builds stay, so that the next build has
    /// less to do.
    pub(super) fn walk_to(&self, commit: &str) -> Result<(), GitError> {
        let args = ["checkout", "--quiet", "--force", "--detach", commit];
        change(&self.path(), args, Patience::UntilDone)
    }
}

impl Drop for Worktree {
    fn drop(&mut self) {
        if let Some(leftover) = &self.leftover {
            // Files that are not kept are built again.
            let _ = leftover.keep(&self.path(), &self.link);
        }
        // The next run tries again to remove the rest.
        let _ = self.worktrees.remove(&self.slot);
    }
}
