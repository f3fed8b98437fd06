//! What the last build of an uncommitted state left, for the next one.
//!
//! Each edit of the user's checkout is a commit of its own, built in a worktree that is removed when the
//! call ends; so all dependencies would be built again for it. The files of that worktree are kept
//! instead, with git's index, by which the next checkout rewrites only what has changed. There is one of
//! them for a repository, that of the recipe that was used last.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::link::Link;
use super::slot::remove_folder;

/// The beginning of the folder's name.
const PREFIX: &str = "kept-";

/// Where the files lie between two calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leftover {
    folder: PathBuf,
}

impl Leftover {
    /// That of builds by this name among the worktrees in `worktrees`.
    pub(super) fn new(worktrees: &Path, name: &str) -> Self {
        Self { folder: worktrees.join(format!("{PREFIX}{name}")) }
    }

    /// Takes the files of the worktree at `tree`, in place of all that were kept.
    pub(super) fn keep(&self, tree: &Path, link: &Link) -> io::Result<()> {
        let worktrees = self.folder.parent().unwrap_or(&self.folder);
        for entry in fs::read_dir(worktrees)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(PREFIX) {
                remove_folder(&entry.path())?;
            }
        }
        // Submodules belong to the worktree's own folder, which goes.
        let index = link.index().filter(|_| !tree.join(".gitmodules").exists());
        let Some(index) = index else { return Ok(()) };
        fs::create_dir(&self.folder)?;
        fs::copy(index, self.folder.join("index"))?;
        fs::remove_file(tree.join(".git"))?;
        fs::rename(tree, self.folder.join("tree"))
    }

    /// Puts the files into the worktree at `tree`, which has none yet. Whether there were any; if that
    /// fails on the way, nothing is left of them.
    pub(super) fn put_into(&self, tree: &Path, link: &Link) -> bool {
        let put = || -> io::Result<()> {
            let index = link.index().ok_or(io::ErrorKind::NotFound)?;
            // The process that renames it has it alone.
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
