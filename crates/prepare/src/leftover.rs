//! The files of the last build of an uncommitted state, for the next one.
//!
//! Each edit of the user's checkout is a separate commit, built in a worktree that is removed at
//! the end of the call; so all dependencies would be built again for it. Instead, the files of that
//! worktree are kept with git's index, so that the next checkout rewrites only changed files. One
//! set is kept for a repository, that of the recipe used last.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::link::Link;
use super::slot::remove_folder;

/// The prefix of the folder's name.
const PREFIX: &str = "kept-";

/// The folder of the files between two calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leftover {
    folder: PathBuf,
}

impl Leftover {
    /// The leftover of builds by this name, in the folder `worktrees`.
    pub(super) fn new(worktrees: &Path, name: &str) -> Self {
        Self { folder: worktrees.join(format!("{PREFIX}{name}")) }
    }

    /// Moves the files of the worktree at `tree` here, in place of all kept files.
    pub(super) fn keep(&self, tree: &Path, link: &Link) -> io::Result<()> {
        let worktrees = self.folder.parent().unwrap_or(&self.folder);
        for entry in fs::read_dir(worktrees)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(PREFIX) {
                remove_folder(&entry.path())?;
            }
        }
        // Submodules belong to the worktree's own folder, which is removed.
        let index = link.index().filter(|_| !tree.join(".gitmodules").exists());
        let Some(index) = index else { return Ok(()) };
        fs::create_dir(&self.folder)?;
        fs::copy(index, self.folder.join("index"))?;
        fs::remove_file(tree.join(".git"))?;
        fs::rename(tree, self.folder.join("tree"))
    }

    /// Moves the kept files into the worktree at `tree`, which has no files yet. True if there were
    /// any; if it fails halfway, they are lost.
    pub(super) fn put_into(&self, tree: &Path, link: &Link) -> bool {
        let put = || -> io::Result<()> {
            let index = link.index().ok_or(io::ErrorKind::NotFound)?;
            // Only one process can rename it.
            let beside = tree.with_extension("kept");
            fs::rename(&self.folder, &beside)?;
            remove_folder(tree)?;
            fs::rename(beside.join("tree"), tree)?;
            link.write(tree)?;
            fs::copy(beside.join("index"), index)?;
            remove_folder(&beside)
        };
        put().is_ok()
    }
}
