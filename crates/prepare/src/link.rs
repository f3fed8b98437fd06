//! What ties a worktree to its repository: the file `.git` in it, and the folder that this names.
//!
//! In that folder git keeps what it knows of this worktree alone: which commit is checked out, what
//! each file looked like, and, when somebody asked for it, settings, submodules or locks. A build
//! may run any git command, so the folder is used again only when it holds nothing out of the
//! ordinary.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Files of git's folder for a worktree that say what is checked out, which the next checkout
/// writes anew, or where the worktree and the repository are (gitrepository-layout(5)).
const ORDINARY: [&str; 6] = ["HEAD", "ORIG_HEAD", "commondir", "gitdir", "index", "logs"];

/// The tie of one worktree, as git made it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Link {
    text: Vec<u8>,
}

impl Link {
    /// That of the worktree at `tree`.
    pub(super) fn read(tree: &Path) -> io::Result<Self> {
        Ok(Self { text: fs::read(tree.join(".git"))? })
    }

    /// Ties the folder `tree` to the repository, as before.
    pub(super) fn write(&self, tree: &Path) -> io::Result<()> {
        fs::write(tree.join(".git"), &self.text)
    }

    /// Makes git forget what the files looked like, and with that any instruction to overlook
    /// their changes. Whether nothing else is known of the worktree.
    pub(super) fn clear(&self) -> io::Result<bool> {
        let Some(index) = self.index() else { return Ok(false) };
        match fs::remove_file(index) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(true),
        }
    }

    /// What git noted of the files, where nothing else is known of the worktree.
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
        // Git may be told to write it relative to the worktree; then nothing is used again.
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
