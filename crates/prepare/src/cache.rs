//! The artefact cache: the results of builds, so that no build is repeated.
//!
//! An entry is a folder, named after its [`CacheKey`] and the kind of build, with `meta.json` (its
//! description), `artifact/NAME` (the product of a successful build, under its original name) and
//! `log.tail` (the end of the build's output). Entries are prepared elsewhere and renamed into
//! place, so that no process sees a half-written one. Successful entries are never replaced,
//! because a measurement may be using them. Failures are kept too, and give way to a later success.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use model::json;
use serde::{Deserialize, Serialize};

use crate::artifact::{Digest, FailureReason, Shape};
use crate::environment::Part;
use crate::layouts::{self, Linked};
use crate::recipe::{CacheKey, Trees};
use crate::worktree::remove_folder;

/// Reasons that the cache cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum CacheError {
    #[error("cannot tell where to keep artefacts: neither XDG_CACHE_HOME nor HOME is set")]
    NoHome,
    #[error("cannot keep artefacts in `{}`", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("no space is left for artefacts in `{}`", path.display())]
    Full { path: PathBuf, source: io::Error },
}

impl CacheError {
    /// The error for a failure to use `path`.
    pub(super) fn at(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::Full { path, source }
            }
            _ => Self::Folder { path, source },
        }
    }

    /// Advice for the user, if any.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoHome => "name a folder in `BRISK_CACHE`".to_owned(),
            Self::Full { .. } => "make room, or name a folder on another disk in `BRISK_CACHE`; \
                                  what was built before is kept"
                .to_owned(),
            Self::Folder { .. } => {
                "make the folder writable, or name another in `BRISK_CACHE`".to_owned()
            }
        })
    }
}

/// A folder of artefacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    root: PathBuf,
}

/// The description of an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The key, repeated: a copied folder does not become another entry.
    pub key: String,
    /// The commit that was built, perhaps one of several with the same tree.
    pub commit: String,
    /// Its tree.
    pub tree: String,
    /// The time at which the build ended, in seconds since 1970-01-01 UTC.
    pub built_unix_seconds: u64,
    /// The running time of the build command, in seconds.
    pub build_seconds: f64,
    /// The number of the worktree, which is part of the path of the build.
    pub worktree: u32,
    /// The parts of the key besides the tree.
    pub parts: Vec<Part>,
    /// The result.
    pub outcome: Stored,
    /// The outcome of linking it in other orders.
    pub linked: Linked,
    /// The artefact's path in the checkout, if that is kept as a whole.
    pub within: Option<PathBuf>,
    /// The artefact's size in that checkout, in bytes; `None` if it is a folder.
    pub bytes_within: Option<u64>,
}

/// The result of a stored build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stored {
    /// An artefact.
    Built {
        /// The digest that identifies equal artefacts.
        digest: Digest,
        /// The total size of its files, in bytes.
        bytes: u64,
        /// The kind of artefact.
        shape: Shape,
    },
    /// The build failed.
    Failed {
        /// The reason.
        reason: FailureReason,
    },
}

/// An entry of the cache.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The folder of the entry.
    pub folder: PathBuf,
    /// Its description.
    pub meta: Meta,
    /// The kind of build.
    pub trees: Trees,
    /// The artefact, if the build succeeded.
    pub artifact: Option<PathBuf>,
    /// The part of the build that was kept: the artefact, or the checkout around it.
    pub kept: Option<PathBuf>,
}

impl Entry {
    /// The end of the build's output.
    pub fn log_tail(&self) -> String {
        let log = fs::read(self.folder.join("log.tail")).unwrap_or_default();
        String::from_utf8_lossy(&log).into_owned()
    }
}

impl Cache {
    /// The cache in this folder, which need not exist yet.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The cache in `BRISK_CACHE`, or in the user's cache folder.
    pub fn of_the_user() -> Result<Self, CacheError> {
        let variable = |name| std::env::var_os(name);
        location(variable("BRISK_CACHE"), variable("XDG_CACHE_HOME"), variable("HOME"))
            .map(|root| Self { root })
            .ok_or(CacheError::NoHome)
    }

    /// The folder of the cache.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Creates the folder, and returns its path without symbolic links.
    pub(super) fn create(&self) -> Result<PathBuf, CacheError> {
        let create = || {
            fs::create_dir_all(self.root.join("artifacts"))?;
            fs::canonicalize(&self.root)
        };
        create().map_err(|source| CacheError::at(&self.root, source))
    }

    /// The entry of a build, if it exists and is complete.
    pub fn find(&self, key: &CacheKey, trees: Trees) -> Option<Entry> {
        let folder = self.folder(key, trees);
        read(&folder, trees).filter(|entry| entry.meta.key == key.as_str())
    }

    /// The entry that contains a path, such as that of an artefact; `None` if there is no such
    /// entry, or it is incomplete.
    pub fn holding(&self, path: &Path) -> Option<Entry> {
        let mut parts = path.strip_prefix(self.root.join("artifacts")).ok()?.components();
        let (key, how) = (parts.next()?, parts.next()?);
        let trees = [Trees::Clean, Trees::Incremental];
        let trees = trees.into_iter().find(|trees| how.as_os_str() == word(*trees))?;
        read(&self.root.join("artifacts").join(key).join(how), trees)
    }

    /// Makes an entry of the contents of `staging`: everything but `meta.json`. An existing
    /// successful entry is kept and returned instead.
    pub(super) fn keep(
        &self,
        staging: &Path,
        meta: &Meta,
        key: &CacheKey,
        trees: Trees,
    ) -> Result<Entry, CacheError> {
        let folder = self.folder(key, trees);
        let keep = || {
            let text = serde_json::to_vec_pretty(meta)?;
            let path = staging.join("meta.json");
            fs::write(&path, text)?;
            File::open(&path)?.sync_all()?;
            let parent = folder.parent().unwrap_or(&self.root);
            fs::create_dir_all(parent)?;
            move_into_place(staging, &folder)?;
            if matches!(meta.outcome, Stored::Built { .. }) {
                remove_failure(&self.folder(key, trees.other()))?;
            }
            File::open(parent)?.sync_all()
        };
        keep().map_err(|source| CacheError::at(&folder, source))?;
        self.find(key, trees).ok_or_else(|| {
            CacheError::at(&folder, io::Error::other("what was written cannot be read"))
        })
    }

    /// For each of these trees, the newest entry with a different key.
    pub(super) fn of_trees(&self, trees: &BTreeMap<&str, CacheKey>) -> Vec<Meta> {
        let mut newest: BTreeMap<String, Meta> = BTreeMap::new();
        for Entry { meta, .. } in self.entries() {
            let is_other =
                trees.get(meta.tree.as_str()).is_some_and(|key| key.as_str() != meta.key);
            let known = newest.get(&meta.tree).map_or(0, |known| known.built_unix_seconds);
            if is_other && meta.built_unix_seconds >= known {
                newest.insert(meta.tree.clone(), meta);
            }
        }
        newest.into_values().collect()
    }

    fn folder(&self, key: &CacheKey, trees: Trees) -> PathBuf {
        self.root.join("artifacts").join(key.as_str()).join(word(trees))
    }

    fn entries(&self) -> Vec<Entry> {
        let keys = fs::read_dir(self.root.join("artifacts")).into_iter().flatten().flatten();
        let both = [Trees::Clean, Trees::Incremental];
        keys.flat_map(|key| both.map(|trees| read(&key.path().join(word(trees)), trees)))
            .flatten()
            .collect()
    }
}

fn word(trees: Trees) -> &'static str {
    match trees {
        Trees::Clean => "clean",
        Trees::Incremental => "incremental",
    }
}

/// The entry in `folder`, if it is complete.
fn read(folder: &Path, trees: Trees) -> Option<Entry> {
    let text = fs::read(folder.join("meta.json")).ok()?;
    let meta: Meta = json::read(&text).ok()?;
    let kept = match meta.outcome {
        Stored::Failed { .. } => None,
        Stored::Built { bytes, shape, .. } => {
            let only = fs::read_dir(folder.join("artifact")).ok()?.next()?.ok()?.path();
            let facts = fs::metadata(&only).ok()?;
            let is_whole = match (shape, &meta.within) {
                // Runs may write to the rest of the checkout.
                (_, Some(within)) => fs::metadata(only.join(within)).is_ok_and(|artifact| {
                    meta.bytes_within.is_none_or(|bytes| artifact.len() == bytes)
                }),
                (Shape::Folder, None) => facts.is_dir(),
                (Shape::Executable | Shape::File, None) => facts.is_file() && facts.len() == bytes,
            };
            let layouts = match &meta.linked {
                Linked::InOrders(seeds) => layouts::of_entry(folder, &only, seeds),
                Linked::NotAsked | Linked::Not(_) => Vec::new(),
            };
            let are_there = layouts.iter().all(|layout| layout.path.is_file());
            Some((is_whole && are_there).then_some(only)?)
        }
    };
    let artifact = kept.as_ref().map(|kept| match &meta.within {
        Some(within) => kept.join(within),
        None => kept.clone(),
    });
    Some(Entry { folder: folder.to_owned(), meta, trees, artifact, kept })
}

/// Removes the entry of a failure after a success with the same key.
fn remove_failure(folder: &Path) -> io::Result<()> {
    // The kind of build does not matter here.
    match read(folder, Trees::Clean) {
        Some(Entry { artifact: None, .. }) => remove_folder(folder),
        _ => Ok(()),
    }
}

/// Renames `staging` to `folder`, unless a successful entry is there.
fn move_into_place(staging: &Path, folder: &Path) -> io::Result<()> {
    let Err(error) = fs::rename(staging, folder) else { return Ok(()) };
    if error.kind() != io::ErrorKind::DirectoryNotEmpty {
        return Err(error);
    }
    // The kind of build does not matter here.
    if read(folder, Trees::Clean).is_some_and(|entry| entry.artifact.is_some()) {
        return remove_folder(staging);
    }
    let mut beside = staging.as_os_str().to_owned();
    beside.push(".replaced");
    let beside = PathBuf::from(beside);
    remove_folder(&beside)?;
    fs::rename(folder, &beside)?;
    fs::rename(staging, folder)?;
    remove_folder(&beside)
}

/// `brisk` in the user's cache folder, unless the user names a folder. As in the XDG Base Directory
/// Specification 0.8, a relative `XDG_CACHE_HOME` is ignored.
fn location(
    named: Option<OsString>,
    cache: Option<OsString>,
    home: Option<OsString>,
) -> Option<PathBuf> {
    let given = |path: Option<OsString>| path.filter(|path| !path.as_bytes().is_empty());
    if let Some(named) = given(named) {
        return std::path::absolute(named).ok();
    }
    let cache = given(cache).map(PathBuf::from).filter(|cache| cache.is_absolute());
    let cache = cache.or_else(|| Some(PathBuf::from(given(home)?).join(".cache")))?;
    Some(cache.join("brisk"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artefacts_are_kept_where_the_user_says_or_in_the_users_cache_folder() {
        let at = |named: Option<&str>, cache: Option<&str>, home: Option<&str>| {
            location(named.map(Into::into), cache.map(Into::into), home.map(Into::into))
        };
        assert_eq!(at(Some("/c"), Some("/x"), Some("/h")), Some("/c".into()));
        assert_eq!(at(Some(""), Some("/x"), Some("/h")), Some("/x/brisk".into()));
        assert_eq!(at(None, Some("relative"), Some("/h")), Some("/h/.cache/brisk".into()));
        assert_eq!(at(None, None, Some("/h")), Some("/h/.cache/brisk".into()));
        assert_eq!(at(None, None, Some("")), None);
        assert_eq!(at(None, None, None), None);
    }

    #[test]
    fn a_full_disk_is_told_from_other_trouble() {
        let of = |number| CacheError::at(Path::new("/c"), io::Error::from_raw_os_error(number));
        // ENOSPC and EDQUOT on Linux (errno(3)).
        for number in [28, 122] {
            assert!(matches!(of(number), CacheError::Full { .. }));
        }
        // EACCES.
        assert!(matches!(of(13), CacheError::Folder { .. }));
    }
}
