//! The part of a checkout that is the program: the artefact, or more than that.
//!
//! A linked program, an archive for a runtime and a module of WebAssembly contain all compiled
//! code. A script does not: it runs other files of its checkout, and so does a program with
//! libraries beside it. For these, the whole checkout is kept. Files of an unknown kind are treated
//! the same.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use toolchains::executable::{FileKind, kind, library_folders};

use super::git::{GitError, ask_in};
use super::inputs::Inputs;
use super::recipe::Recipe;

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
    let read = opened.by_ref().take(BEGINNING as u64).read_to_end(&mut beginning);
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
