//! The result of building a commit: a failure with its reason, or an artefact, copied out of the
//! worktree, with a digest that identifies equal ones.
//!
//! Permissions are kept, symbolic links inside a folder stay links, and an artefact that is itself
//! a link is followed. The digest covers names, contents, link targets and the executable bit; not
//! times, owners or the other permissions, which say nothing about the program.
//!
//! A linked program, an archive for a runtime and a module of WebAssembly contain all compiled
//! code. A script does not: it runs other files of its checkout, and so does a program with
//! libraries beside it. For these, and for files of an unknown kind, the whole checkout is kept.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use measure::tool::{Tool, output};
use model::spec::artifacts::KeptCheckout;
use model::spec::artifacts::Layout;
use serde::{Deserialize, Serialize};
use toolchains::executable::{FileKind, kind, library_folders};

use crate::environment::Fingerprint;
use crate::git::{GitError, ask_in};
use crate::inputs::{Inputs, could_matter};
use crate::layouts::NoLayouts;
use crate::recipe::{CacheKey, Recipe, Trees, is_absence};

/// The reason that a commit has no artefact. It is kept in the cache.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum FailureReason {
    #[error("cannot check the commit out")]
    Checkout,
    #[error("cannot check its submodules out")]
    Submodules,
    #[error("the patch does not apply")]
    Patch,
    #[error("the overlay cannot be laid over it")]
    Overlay,
    #[error("the folder to build in, `{cwd}`, is not in the commit")]
    NoFolder { cwd: String },
    #[error("cannot run the build command")]
    Start,
    #[error("the build exited with status {status}")]
    Exited { status: i32 },
    #[error("the build {}", measure::Outcome::Signalled(*signal))]
    Signalled { signal: i32 },
    #[error("the build did not finish within {limit_seconds} s")]
    TimedOut { limit_seconds: f64 },
    #[error("no space was left for the build")]
    DiskFull,
    #[error("the build succeeded, but made no `{artifact}`")]
    NoArtifact { artifact: String },
    #[error("the build made several files that `{artifact}` stands for: {}", found.join(", "))]
    SeveralArtifacts { artifact: String, found: Vec<String> },
    #[error("the artefact `{artifact}` cannot be copied: {why}")]
    BadArtifact { artifact: String, why: String },
}

impl FailureReason {
    /// True if the same recipe would fail again for the same tree: failures of the machine or the
    /// network are not kept.
    pub(super) fn lasts(&self) -> bool {
        !matches!(self, Self::Checkout | Self::Submodules | Self::Start | Self::DiskFull)
    }

    /// True if leftovers of earlier builds may be the cause, so that a clean build is worth a try.
    pub(super) fn may_be_stale(&self) -> bool {
        !matches!(self, Self::Submodules | Self::Start | Self::DiskFull | Self::TimedOut { .. })
    }

    /// True if the next build must not find the leftovers of this one: half a file, or too many.
    pub(super) fn spoils_the_tree(&self) -> bool {
        matches!(self, Self::TimedOut { .. } | Self::DiskFull | Self::Checkout | Self::Submodules)
    }

    /// Advice for the user, if any.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoArtifact { .. } => {
                "`--artifact` is where the build leaves it, as seen from where the build runs"
            }
            Self::SeveralArtifacts { .. } => {
                "write more of the name, so that it stands for one of them"
            }
            Self::TimedOut { .. } => "allow it more time with `--build-timeout`",
            Self::Patch => "old commits may need another patch; those it fits are built",
            Self::DiskFull => {
                "make room, or name a folder on another disk in `BRISK_CACHE`; what was built before \
                 is kept"
            }
            _ => return None,
        })
    }
}

/// A commit that was built, or could not be.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltCommit {
    /// The key of its build.
    pub key: CacheKey,
    /// The artefact, or the failure.
    pub outcome: Result<Artifact, BuildFailure>,
}

/// The time of a build: in this call, or before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// In this call.
    Now,
    /// In an earlier call; it was found in the cache.
    Before,
}

/// The product of a commit's build.
#[derive(Debug, Clone, PartialEq)]
pub struct Artifact {
    /// Its path, under the name that the build gave it.
    pub path: PathBuf,
    /// The digest that identifies byte-identical artefacts.
    pub digest: Digest,
    /// The kind of artefact.
    pub shape: Shape,
    /// The state in which its build found the worktree.
    pub trees: Trees,
    /// The time of the build: in this call, or before.
    pub when: When,
    /// True if a clean build confirmed that it equals an earlier commit's artefact, false if that
    /// is still unconfirmed; `None` if it differs, or no relevant file changed in between.
    pub equality_confirmed: Option<bool>,
    /// The checkout in which it runs, if the artefact alone is not the program.
    pub checkout: Option<KeptCheckout>,
    /// The running time of that build command, in seconds.
    pub build_seconds: f64,
    /// The same program linked in other orders, if requested, or the reason that these are missing.
    pub layouts: Result<Vec<Layout>, NoLayouts>,
}

/// The failure of a commit's build.
#[derive(Debug, Clone, PartialEq)]
pub struct BuildFailure {
    /// The reason.
    pub reason: FailureReason,
    /// The end of the output.
    pub log_tail: String,
    /// The time of the build: in this call, or before.
    pub when: When,
    /// The running time of that build command, in seconds.
    pub build_seconds: f64,
}

/// A clean build, and the incremental artefact that it checks.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmation {
    /// The result of the clean build.
    pub clean: BuiltCommit,
    /// The digest of the incremental artefact, if there is one.
    pub incremental: Option<Digest>,
}

impl Confirmation {
    /// True if both builds made the same bytes; `None` if one of them made no artefact.
    pub fn agrees(&self) -> Option<bool> {
        let clean = self.clean.outcome.as_ref().ok()?;
        Some(*self.incremental.as_ref()? == clean.digest)
    }
}

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
    #[error("it is not there")]
    Missing,
    #[error("`{}` is neither a file nor a folder", .0.display())]
    Special(PathBuf),
    #[error("cannot read `{}`: {}", .0.display(), .1)]
    Read(PathBuf, io::Error),
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
        Err(error) if is_absence(&error) => return Err(CopyError::Missing),
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

/// First bytes of files that hold a program and are not 64-bit ELF: an ELF of another class, a ZIP
/// archive such as a jar, a module of WebAssembly.
const HOLDING: [&[u8]; 3] = [b"\x7fELF", b"PK\x03\x04", b"\0asm"];

/// The longest of [`HOLDING`], in bytes.
const BEGINNING: usize = 4;

/// The part of a checkout that is kept after a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Extent {
    /// The artefact.
    Artifact,
    /// The artefact and the commit's files, at these paths in the checkout, with their folders.
    Files(BTreeSet<PathBuf>),
    /// The whole checkout.
    Checkout,
}

/// The extent of the program in the checkout `tree` that a build with this recipe made.
pub(super) fn extent(artifact: &Path, tree: &Path, recipe: &Recipe) -> Result<Extent, GitError> {
    let is_whole = recipe.makes_checkout() || recipe.inputs == Inputs::Checkout;
    if is_whole || !holds_program(artifact, tree) {
        return Ok(Extent::Checkout);
    }
    if recipe.inputs == Inputs::None {
        return Ok(Extent::Artifact);
    }
    let list = ask_in(tree, ["ls-files", "-z", "--cached", "--recurse-submodules"])?;
    let list = list.unwrap_or_default();
    let names = list.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let mut files: BTreeSet<PathBuf> =
        names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect();
    files.extend(
        below(artifact).iter().filter_map(|path| path.strip_prefix(tree).ok()).map(PathBuf::from),
    );
    let folders: Vec<PathBuf> =
        files.iter().flat_map(|file| file.ancestors().skip(1).map(Path::to_owned)).collect();
    files.extend(folders);
    Ok(Extent::Files(files))
}

/// A path, and all paths below it.
fn below(path: &Path) -> Vec<PathBuf> {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|facts| facts.is_dir());
    let entries = is_folder.then(|| fs::read_dir(path).into_iter().flatten().flatten());
    let entries = entries.into_iter().flatten().flat_map(|entry| below(&entry.path()));
    std::iter::once(path.to_owned()).chain(entries).collect()
}

/// True if an artefact in the checkout `tree` holds the program. A folder does if any of its files
/// does, because a folder is named to hold more than one.
fn holds_program(artifact: &Path, tree: &Path) -> bool {
    let Ok(facts) = fs::metadata(artifact) else { return true };
    if !facts.is_dir() {
        return facts.is_file() && file_holds_program(artifact, tree);
    }
    let entries = fs::read_dir(artifact).into_iter().flatten().flatten();
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|facts| facts.is_symlink());
    entries.map(|entry| entry.path()).any(|path| !is_link(&path) && holds_program(&path, tree))
}

fn file_holds_program(file: &Path, tree: &Path) -> bool {
    let mut beginning = Vec::with_capacity(BEGINNING);
    let opened = fs::File::open(file);
    let Ok(mut opened) = opened else { return false };
    let read = Read::by_ref(&mut opened).take(BEGINNING as u64).read_to_end(&mut beginning);
    let is_holding = HOLDING.iter().any(|magic| beginning.starts_with(magic));
    if read.is_err() || !is_holding && !beginning.starts_with(b"!<") {
        return false;
    }
    if beginning.starts_with(HOLDING[1]) || beginning.starts_with(HOLDING[2]) {
        return true;
    }
    let Ok(bytes) = fs::read(file) else { return false };
    match kind(&bytes) {
        FileKind::Script => false,
        FileKind::Object | FileKind::StaticArchive => true,
        FileKind::Program | FileKind::SharedLibrary | FileKind::Other => {
            !loads_from_checkout(&bytes, tree)
        }
    }
}

/// True if its libraries are searched beside it, or elsewhere in the checkout.
fn loads_from_checkout(program: &[u8], tree: &Path) -> bool {
    library_folders(program).iter().any(|folder| {
        let is_beside = folder.starts_with(b"$ORIGIN") || folder.starts_with(b"${ORIGIN}");
        is_beside || folder.starts_with(tree.as_os_str().as_bytes()) || !folder.starts_with(b"/")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_archives_hold_themselves_and_scripts_do_not() {
        let folder = tempfile::tempdir().expect("a folder for tests");
        let holds = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).expect("ours");
            holds_program(&path, folder.path())
        };
        assert!(holds("app.jar", b"PK\x03\x04rest"));
        assert!(holds("app.wasm", b"\0asm\x01"));
        for (name, text) in
            [("run", "#!/bin/sh\n"), ("main.py", "import lib\n"), ("a.class", "\u{fe}"), ("e", "")]
        {
            assert!(!holds(name, text.as_bytes()), "{name}");
        }
        let own = std::env::current_exe().expect("this test is a program");
        assert!(holds_program(&own, folder.path()));
        // A folder of scripts does not hold a program; with a program in it, it does.
        let inner = folder.path().join("inner/bin");
        fs::create_dir_all(&inner).expect("ours");
        fs::write(inner.join("a.py"), "import b\n").expect("ours");
        assert!(!holds_program(&folder.path().join("inner"), folder.path()));
        fs::write(inner.join("b.wasm"), b"\0asm").expect("ours");
        assert!(holds_program(&folder.path().join("inner"), folder.path()));
    }
}
