//! The link between a worktree and its repository: the file `.git` in it, and the folder that this
//! names.
//!
//! In that folder git keeps the data of this worktree alone: the checked-out commit, the state of
//! each file, and, if the user or a build asked for them, settings, submodules or locks. A build
//! may run any git command, so the folder is reused only if it contains nothing unusual.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Files of git's folder for a worktree that describe the checkout and are rewritten by the next
/// one, or that locate the worktree and the repository (gitrepository-layout(5)).
const ORDINARY: [&str; 6] = ["HEAD", "ORIG_HEAD", "commondir", "gitdir", "index", "logs"];

/// The link of one worktree, as git made it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Link {
    text: Vec<u8>,
}

impl Link {
    /// The link of the worktree at `tree`.
    pub(super) fn read(tree: &Path) -> io::Result<Self> {
        Ok(Self { text: fs::read(tree.join(".git"))? })
    }

    /// Links the folder `tree` to the repository, as before.
    pub(super) fn write(&self, tree: &Path) -> io::Result<()> {
        fs::write(tree.join(".git"), &self.text)
    }

    /// Makes git forget the state of the files, including any instruction to ignore their changes.
    /// True if git has no other data about the worktree.
    pub(super) fn clear(&self) -> io::Result<bool> {
        let Some(index) = self.index() else { return Ok(false) };
        match fs::remove_file(index) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(true),
        }
    }

    /// Git's index of the files, if git has no other data about the worktree.
    pub(super) fn index(&self) -> Option<PathBuf> {
        let folder = self.folder()?;
        let mut entries = fs::read_dir(&folder).ok()?;
        let is_ordinary = entries.all(|entry| {
            let name = entry.map(|entry| entry.file_name());
            name.is_ok_and(|name| ORDINARY.iter().any(|ordinary| name == *ordinary))
        });
        is_ordinary.then(|| folder.join("index"))
    }

    /// Git's own folder for the worktree.
    fn folder(&self) -> Option<PathBuf> {
        let path = self.text.strip_prefix(b"gitdir: ")?.strip_suffix(b"\n")?;
        let path = Path::new(OsStr::from_bytes(path));
        // Git may be configured to write it relative to the worktree; then the folder is not
        // reused.
        path.is_absolute().then(|| path.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_absolute_path_after_gitdir_names_the_folder() {
        for (text, folder) in [
            ("gitdir: /a b/.git/worktrees/brisk-0\n", Some("/a b/.git/worktrees/brisk-0")),
            ("gitdir: ../r/.git/worktrees/brisk-0\n", None),
            ("gitdir: /cut", None),
            ("", None),
        ] {
            let link = Link { text: text.as_bytes().to_vec() };
            assert_eq!(link.folder(), folder.map(PathBuf::from), "{text:?}");
        }
    }
}
