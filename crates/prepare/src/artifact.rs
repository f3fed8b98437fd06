//! The product of a build: copied out of the worktree, with a digest that identifies equal ones.
//!
//! Permissions are kept, symbolic links inside a folder stay links, and an artefact that is itself
//! a link is followed. The digest covers names, contents, link targets and the executable bit; not
//! times, owners or the other permissions, which say nothing about the program.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use measure::tool::{Tool, output};
use serde::{Deserialize, Serialize};

use super::fingerprint::Fingerprint;
use super::relevance::could_matter;

/// The number of bytes copied at a time.
const CHUNK_BYTES: usize = 256 * 1024;

/// The kind of an artefact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// An executable file.
    Executable,
    /// A file that is not executable: data, or a program whose build forgot to set the permission.
    File,
    /// A folder.
    Folder,
}

/// Identifies byte-identical artefacts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Digest(String);

#[cfg(test)]
impl Digest {
    pub(super) fn of_a_test(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl Digest {
    /// 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An artefact that was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Copied {
    pub(super) shape: Shape,
    pub(super) digest: Digest,
    pub(super) bytes: u64,
}

/// Reasons that an artefact could not be copied.
#[derive(Debug, thiserror::Error)]
pub(super) enum CopyError {
    /// It is missing.
    #[error("it is not there")]
    Missing,
    /// It contains, or is, neither a file, a folder nor a link.
    #[error("`{}` is neither a file nor a folder", .0.display())]
    Special(PathBuf),
    /// It cannot be read.
    #[error("cannot read `{}`: {}", .0.display(), .1)]
    Read(PathBuf, io::Error),
    /// The copy cannot be written.
    #[error("cannot write `{}`", .0.display())]
    Write(PathBuf, #[source] io::Error),
}

/// Copies the artefact at `from` to `to`, which must not exist yet, and syncs it to the disk.
pub(super) fn copy(from: &Path, to: &Path) -> Result<Copied, CopyError> {
    let Looked { real, permissions, shape } = look_at(from)?;
    let mut copier = Copier::new(None);
    match shape {
        Shape::Folder => copier.folder(&real, to, permissions)?,
        Shape::Executable | Shape::File => copier.file(&real, to, permissions)?,
    }
    Ok(copier.copied(shape))
}

/// Copies a checkout to `to`; the artefact at `artifact` is the program or a part of it. The digest
/// leaves out files that cannot affect a program.
pub(super) fn copy_checkout(
    artifact: &Path,
    checkout: CheckoutRoot<'_>,
    to: &Path,
) -> Result<Copied, CopyError> {
    let Looked { shape, .. } = look_at(artifact)?;
    let tree = checkout.folder;
    let facts = fs::metadata(tree).map_err(|error| CopyError::Read(tree.to_owned(), error))?;
    let mut copier = Copier::new(Some(checkout));
    copier.folder(tree, to, facts.permissions())?;
    // All at once: a checkout has thousands of files.
    let _ = output(&Tool::new("sync").args(["-f"]).args([to]).finishing_regardless());
    Ok(copier.copied(shape))
}

/// The file or folder at a path, with links resolved.
struct Looked {
    real: PathBuf,
    permissions: Permissions,
    shape: Shape,
}

fn look_at(artifact: &Path) -> Result<Looked, CopyError> {
    let real = match fs::canonicalize(artifact) {
        Ok(real) => real,
        Err(error) if super::overlay::is_absence(&error) => return Err(CopyError::Missing),
        Err(error) => return Err(CopyError::Read(artifact.to_owned(), error)),
    };
    let facts = fs::metadata(&real).map_err(|error| CopyError::Read(real.clone(), error))?;
    let permissions = facts.permissions();
    let shape = if facts.is_dir() {
        Shape::Folder
    } else if !facts.is_file() {
        return Err(CopyError::Special(artifact.to_owned()));
    } else if is_executable(&permissions) {
        Shape::Executable
    } else {
        Shape::File
    };
    Ok(Looked { real, permissions, shape })
}

fn is_executable(permissions: &Permissions) -> bool {
    permissions.mode() & 0o111 != 0
}

/// The cache that an interpreter writes beside its sources, and recreates if it is missing.
const WRITTEN_AGAIN: &str = "__pycache__";

/// A checkout to copy.
#[derive(Clone, Copy)]
pub(super) struct CheckoutRoot<'a> {
    pub(super) folder: &'a Path,
    /// Names of files that count in any case.
    pub(super) named: &'a BTreeSet<String>,
    /// The files and folders in it to copy; `None` for all.
    pub(super) only: Option<&'a BTreeSet<PathBuf>>,
}

impl CheckoutRoot<'_> {
    /// True if a file or folder in it counts for the digest.
    fn counts(&self, path: &Path) -> bool {
        let within = path.strip_prefix(self.folder).unwrap_or(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        could_matter(&within.to_string_lossy()) || self.named.contains(&*name)
    }
}

struct Copier<'a> {
    checkout: Option<CheckoutRoot<'a>>,
    fingerprint: Fingerprint,
    bytes: u64,
    chunk: Box<[u8]>,
}

impl<'a> Copier<'a> {
    fn new(checkout: Option<CheckoutRoot<'a>>) -> Self {
        let fingerprint = Fingerprint::new("artefact");
        Self { checkout, fingerprint, bytes: 0, chunk: vec![0; CHUNK_BYTES].into() }
    }

    fn copied(self, shape: Shape) -> Copied {
        Copied { shape, digest: Digest(self.fingerprint.finish()), bytes: self.bytes }
    }

    /// True if an entry of a folder is not part of the build.
    fn leaves_out(&self, folder: &Path, name: &OsString) -> bool {
        let Some(checkout) = self.checkout else { return name == WRITTEN_AGAIN };
        let path = folder.join(name);
        let within = path.strip_prefix(checkout.folder).unwrap_or(&path);
        // Git's link to the repository names the worktree.
        name == WRITTEN_AGAIN
            || name == ".git"
            || checkout.only.is_some_and(|only| !only.contains(within))
    }

    fn counts(&self, path: &Path) -> bool {
        self.checkout.is_none_or(|checkout| checkout.counts(path))
    }

    fn folder(
        &mut self,
        from: &Path,
        to: &Path,
        permissions: Permissions,
    ) -> Result<(), CopyError> {
        let read_error = |error| CopyError::Read(from.to_owned(), error);
        fs::create_dir(to).map_err(|error| CopyError::Write(to.to_owned(), error))?;
        let entries: io::Result<Vec<OsString>> =
            fs::read_dir(from).map_err(read_error)?.map(|entry| Ok(entry?.file_name())).collect();
        let mut names = entries.map_err(read_error)?;
        names.sort();
        names.retain(|name| !self.leaves_out(from, name));
        let counted = names.iter().filter(|name| self.counts(&from.join(name))).count();
        self.fingerprint.field("folder", &(counted as u64).to_le_bytes());
        for name in names {
            let (path, to) = (from.join(&name), to.join(&name));
            if self.counts(&path) {
                self.fingerprint.field("name", name.as_bytes());
                self.entry(&path, &to)?;
            } else {
                let counted = std::mem::replace(&mut self.fingerprint, Fingerprint::new("rest"));
                self.entry(&path, &to)?;
                self.fingerprint = counted;
            }
        }
        // Brisk must be able to remove the folder later.
        let mode = permissions.mode() & 0o7777 | 0o700;
        fs::set_permissions(to, Permissions::from_mode(mode))
            .map_err(|error| CopyError::Write(to.to_owned(), error))
    }

    fn entry(&mut self, from: &Path, to: &Path) -> Result<(), CopyError> {
        let read_error = |error| CopyError::Read(from.to_owned(), error);
        let facts = fs::symlink_metadata(from).map_err(read_error)?;
        if facts.is_dir() {
            self.folder(from, to, facts.permissions())
        } else if facts.is_symlink() {
            let target = fs::read_link(from).map_err(read_error)?;
            self.fingerprint.field("link", target.as_os_str().as_bytes());
            symlink(target, to).map_err(|error| CopyError::Write(to.to_owned(), error))
        } else if facts.is_file() {
            self.file(from, to, facts.permissions())
        } else {
            Err(CopyError::Special(from.to_owned()))
        }
    }

    fn file(&mut self, from: &Path, to: &Path, permissions: Permissions) -> Result<(), CopyError> {
        let read_error = |error| CopyError::Read(from.to_owned(), error);
        let write_error = |error| CopyError::Write(to.to_owned(), error);
        let mut source = File::open(from).map_err(read_error)?;
        let mut target = File::create_new(to).map_err(write_error)?;
        let mut content = Fingerprint::new("content");
        loop {
            let got = source.read(&mut self.chunk).map_err(read_error)?;
            if got == 0 {
                break;
            }
            content.stream(&self.chunk[..got]);
            target.write_all(&self.chunk[..got]).map_err(write_error)?;
            self.bytes += got as u64;
        }
        let executable = u8::from(is_executable(&permissions));
        self.fingerprint.field("executable", &[executable]);
        self.fingerprint.field("content", content.finish().as_bytes());
        target.set_permissions(permissions).map_err(write_error)?;
        if self.checkout.is_some() { Ok(()) } else { target.sync_all().map_err(write_error) }
    }
}
