//! The product of a build: copied out of the worktree, with a digest that identifies equal ones.
//!
//! Permissions are kept, symbolic links inside a folder stay links, and an artefact that is itself
//! a link is followed. The digest covers names, contents, link targets and the executable bit; not
//! times, owners or the other permissions, which say nothing about the program.
//!
//! Commits with byte-identical artefacts, some of which were built on top of other builds.
//!
//! A build that does not know all dependencies of a product leaves an old one in place, which then
//! looks like the product of a later commit. So an equal artefact is trusted only if no relevant
//! file changed, or if a clean build confirms it. Of several such commits in a row, the last is
//! built cleanly: if its artefact is up to date, so were all the others, unless one of them
//! reverted another. If a clean build makes a different artefact, incremental builds are given up,
//! and all commits are built again.
//! of other builds any more, and all is built again.
//!
//! The part of a checkout that is the program: the artefact, or more than that.
//!
//! A linked program, an archive for a runtime and a module of WebAssembly contain all compiled
//! code. A script does not: it runs other files of its checkout, and so does a program with
//! libraries beside it. For these, the whole checkout is kept. Files of an unknown kind are treated
//! the same.
//!
//! Decides if building on top of earlier builds saves enough time.
//!
//! Of N commits with s steps, incremental builds of b seconds each cost N·b, and at most 2·s·C more
//! for building both sides of each step again from scratch, in C seconds each. From scratch, all of
//! them cost N·C, and no confirmation is necessary. So the costs are equal at b / C = 1 − 2·s / N.
//! The times are those of whole builds: those from scratch begin with writing every file anew.

use super::builder::{BuildError, BuildEvent, Builder};
use super::environment::Fingerprint;
use super::failure::{Artifact, BuiltCommit};
use super::git::{GitError, ask_in};
use super::inputs::{Inputs, could_matter};
use super::range::Commit;
use super::recipe::{Recipe, Trees};
use measure::tool::{Tool, output};
use serde::{Deserialize, Serialize};
use stats::describe::summarise;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::{Read, Write};
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};
use toolchains::executable::{FileKind, kind, library_folders};

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

impl Builder {
    /// Builds all of the commits as in [`Builder::build_range`], and confirms equal artefacts.
    ///
    /// # Errors
    ///
    /// When building has to stop.
    pub fn build_and_confirm(
        &mut self,
        commits: &[Commit],
        jobs: NonZeroUsize,
        on: &mut dyn FnMut(BuildEvent),
    ) -> Result<Vec<BuiltCommit>, BuildError> {
        let mut built = self.build_range(commits, jobs, on)?;
        if self.workshop().ingredients.recipe.build.is_none() {
            return Ok(built);
        }
        let claims = self.claims(commits, &built)?;
        let points = checkpoints(&claims);
        if points.is_empty() {
            mark(&mut built, &claims);
            return Ok(built);
        }
        let chosen: Vec<Commit> = points.iter().map(|&point| commits[point].clone()).collect();
        let from_scratch =
            self.confirm_all(&chosen, jobs, &mut |event| on(event.renumbered(&points)))?;
        let refuting = (points.iter().zip(&from_scratch))
            .find(|(_, confirmation)| confirmation.agrees() != Some(true));
        let Some((&point, _)) = refuting else {
            for (&point, confirmation) in points.iter().zip(from_scratch) {
                built[point] = confirmation.clean;
            }
            let claims = self.claims(commits, &built)?;
            mark(&mut built, &claims);
            return Ok(built);
        };
        let name: String = commits[point].hash.chars().take(7).collect();
        let text = format!(
            "{name} is another program when it is built from scratch than on top of an earlier \
             build: all commits are built from scratch"
        );
        on(BuildEvent::Note { text });
        self.build_from_scratch_only();
        let mut built = self.build_range(commits, jobs, on)?;
        let claims = self.claims(commits, &built)?;
        mark(&mut built, &claims);
        Ok(built)
    }

    /// The claim that each commit's artefact makes.
    fn claims(&self, commits: &[Commit], built: &[BuiltCommit]) -> Result<Vec<Claim>, BuildError> {
        let mut claims: Vec<Claim> = Vec::with_capacity(built.len());
        let artifacts: Vec<Option<&Artifact>> =
            built.iter().map(|one| one.outcome.as_ref().ok()).collect();
        for (place, artifact) in artifacts.iter().enumerate() {
            let Some(artifact) = *artifact else {
                claims.push(Claim { digest: None, equality: Equality::None });
                continue;
            };
            let is_equal = |other: &Option<&Artifact>| {
                other.is_some_and(|other| other.digest == artifact.digest)
            };
            let first = artifacts[..place].iter().position(is_equal);
            let equality = match first {
                None => Equality::None,
                Some(first) if !self.could_differ(&commits[first], &commits[place])? => {
                    Equality::OfSources
                }
                Some(_) if artifact.trees == Trees::Clean => Equality::Confirmed,
                Some(_) => Equality::Open,
            };
            claims.push(Claim { digest: Some(artifact.digest.clone()), equality });
        }
        Ok(claims)
    }

    /// True if a file differs that could affect the result.
    fn could_differ(&self, one: &Commit, other: &Commit) -> Result<bool, BuildError> {
        if one.tree == other.tree {
            return Ok(false);
        }
        let question =
            ["diff-tree", "-r", "-z", "--no-renames", "--name-only", &one.tree, &other.tree];
        let names = self.workshop().repository.ask(question)?;
        let mut names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.any(|name| could_matter(&String::from_utf8_lossy(name))))
    }
}

/// The claim of a commit that was built.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Claim {
    /// The digest of its artefact; `None` without an artefact.
    digest: Option<Digest>,
    equality: Equality,
}

/// Reasons that an artefact should equal an earlier commit's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Equality {
    /// It differs.
    None,
    /// No relevant file differs between the commits.
    OfSources,
    /// A clean build made it.
    Confirmed,
    /// The only evidence is an incremental build.
    Open,
}

/// The commits to build cleanly: the last open one of each row of equal artefacts.
fn checkpoints(claims: &[Claim]) -> Vec<usize> {
    let mut points: Vec<usize> = Vec::new();
    let mut row: Option<&Digest> = None;
    for (place, claim) in claims.iter().enumerate() {
        let Some(digest) = &claim.digest else { continue };
        let is_same_row = row == Some(digest);
        row = Some(digest);
        if claim.equality != Equality::Open {
            continue;
        }
        match points.last_mut() {
            Some(last) if is_same_row && claims[*last].digest.as_ref() == Some(digest) => {
                *last = place;
            }
            _ => points.push(place),
        }
    }
    points
}

fn mark(built: &mut [BuiltCommit], claims: &[Claim]) {
    for (one, claim) in built.iter_mut().zip(claims) {
        if let Ok(artifact) = &mut one.outcome {
            artifact.equality_confirmed = match claim.equality {
                Equality::None | Equality::OfSources => None,
                Equality::Confirmed => Some(true),
                Equality::Open => Some(false),
            };
        }
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

/// The largest worthwhile share of a clean build's time for an incremental one. The costs are equal
/// at 0.7 if three in twenty commits are steps, which is many.
const WORTHWHILE: f64 = 0.7;

/// The minimum number of incremental builds for a decision, so that a single outlier does not
/// decide; a search has only a few.
const LEAST: usize = 2;

/// The durations of builds.
#[derive(Debug, Default)]
pub(super) struct Savings {
    clean_seconds: Vec<f64>,
    incremental_seconds: Vec<f64>,
}

impl Savings {
    /// Records a build: its initial state, and its whole duration, including a second attempt.
    pub(super) fn record(&mut self, began: Trees, seconds: f64) {
        match began {
            Trees::Clean => self.clean_seconds.push(seconds),
            Trees::Incremental => self.incremental_seconds.push(seconds),
        }
    }

    /// True if incremental builds certainly save little.
    pub(super) fn are_small(&self) -> bool {
        are_small(&self.clean_seconds, &self.incremental_seconds)
    }
}

/// Both the mean and the median of incremental builds must be large: commits that change nothing
/// save a whole build each, and a build that waited for a network says nothing about the next. Of
/// the clean builds, the fastest counts: the first ones find all caches cold.
fn are_small(clean_seconds: &[f64], incremental_seconds: &[f64]) -> bool {
    let clean = clean_seconds.iter().copied().reduce(f64::min);
    let (Some(clean), Some(incremental)) = (clean, summarise(incremental_seconds)) else {
        return false;
    };
    let worthwhile = WORTHWHILE * clean;
    incremental_seconds.len() >= LEAST
        && incremental.mean > worthwhile
        && incremental.median > worthwhile
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each letter is an artefact; a capital one is open, `-` a failed build.
    fn claims(text: &str) -> Vec<Claim> {
        let claim = |letter: char| Claim {
            digest: (letter != '-').then(|| Digest::of_a_test(&letter.to_lowercase().to_string())),
            equality: if letter.is_uppercase() { Equality::Open } else { Equality::None },
        };
        text.chars().map(claim).collect()
    }

    #[test]
    fn the_last_of_each_row_is_built_from_scratch() {
        for (text, expected) in [
            ("", &[][..]),
            ("abc", &[]),
            ("aaa", &[]),
            ("aAAA", &[3]),
            ("aAaA", &[3]),
            ("aAAa", &[2]),
            ("aA-A", &[3]),
            ("aAbB", &[1, 3]),
            // A recurring artefact begins a new row.
            ("aAbA", &[1, 3]),
        ] {
            assert_eq!(checkpoints(&claims(text)), expected, "{text}");
        }
    }

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

    #[test]
    fn savings_are_small_when_builds_mostly_and_on_average_take_more_than_seven_tenths() {
        for (clean, incremental, expected, why) in [
            (&[10.0][..], &[9.0, 9.0, 9.0][..], true, "hardly anything is saved"),
            (&[10.0], &[7.1, 7.1, 7.1], true, "just above"),
            (&[10.0], &[6.9, 6.9, 6.9], false, "just below"),
            (&[10.0], &[9.0], false, "too few to know"),
            (&[], &[9.0, 9.0, 9.0], false, "nothing to compare with"),
            (&[10.0], &[1.0, 9.0, 9.0], false, "every third saves much: 6.3 on average"),
            (&[10.0], &[1.0, 2.0, 99.0], false, "one outlier does not decide"),
            (&[10.0], &[11.0, 12.0, 13.0], true, "building twice is worse than once"),
            (&[30.0, 10.0, 11.0], &[8.0, 8.0, 8.0], true, "a slow first clean build"),
            (&[0.0], &[0.0, 0.0, 0.0], false, "nothing takes any time"),
        ] {
            assert_eq!(are_small(clean, incremental), expected, "{why}");
        }
    }

    #[test]
    fn builds_are_told_apart_by_what_they_began_with() {
        let mut savings = Savings::default();
        savings.record(Trees::Clean, 10.0);
        for _ in 0..LEAST {
            assert!(!savings.are_small());
            savings.record(Trees::Incremental, 8.0);
        }
        assert!(savings.are_small());
    }
}
