//! The dumps of a folder, written by GHC with `-ddump-to-file`, as one program.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ghc::causes::{Module, Program};
use ghc::compiling::{firings, inlinings};
use ghc::core::Dump;
use ghc::core::names::module;
use measure::machine::available_memory;

use measure::parallel;
use model::metric::Unit;
use words::quantity::quantity;

/// The reason why a folder's dumps cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A folder or a file in it cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The folder or file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The folder has no dump.
    #[error("there is no dump of Core in `{}`", folder.display())]
    NoDump {
        /// The folder.
        folder: PathBuf,
    },
    /// No dump has any Core.
    #[error("none of the {files} dumps in `{}` holds any Core", folder.display())]
    NoCore {
        /// The folder.
        folder: PathBuf,
        /// The number of dumps.
        files: usize,
    },
    /// The dumps need more memory than is left.
    #[error(
        "the dumps in `{}` have {}: reading them takes up to {} of memory, and {} are left",
        folder.display(), bytes_in_words(*bytes), bytes_in_words(needed(*bytes)),
        bytes_in_words(*available)
    )]
    NoRoom {
        /// The folder.
        folder: PathBuf,
        /// Their size in bytes.
        bytes: u64,
        /// The bytes of memory that are left.
        available: u64,
    },
    /// A dump is too large to be read.
    #[error(
        "`{}` has {}, and dumps of more than 4 GiB are not read",
        path.display(), bytes_in_words(*bytes)
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        bytes: u64,
    },
}

impl FolderError {
    /// Advice for the user, if there is any.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Read { .. } => None,
            Self::NoDump { .. } | Self::NoCore { .. } => Some(
                "GHC writes them with `-ddump-simpl -ddump-to-file`; or let brisk build the program: \
                 `brisk explain PROJECT`",
            ),
            Self::NoRoom { .. } | Self::TooLarge { .. } => Some(
                "put the dumps of the modules that matter in a folder of their own; dumps are smaller with \
                 `-dsuppress-coercions -dsuppress-unfoldings -dsuppress-type-applications`",
            ),
        }
    }
}

/// The files of one module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Files {
    simpl: Option<PathBuf>,
    prep: Option<PathBuf>,
    firings: Option<PathBuf>,
    inlinings: Option<PathBuf>,
}

impl Files {
    /// The files that exist.
    fn all(&self) -> impl Iterator<Item = &Path> {
        let Self { simpl, prep, firings, inlinings } = self;
        [simpl, prep, firings, inlinings].into_iter().flatten().map(PathBuf::as_path)
    }
}

/// The field for one kind of file.
type Place = fn(&mut Files) -> &mut Option<PathBuf>;

/// The kinds of dumps that are read, by file name suffix.
const KINDS: [(&str, Place); 4] = [
    (".dump-simpl", |files| &mut files.simpl),
    (".dump-prep", |files| &mut files.prep),
    (".dump-rule-firings", |files| &mut files.firings),
    (".dump-inlinings", |files| &mut files.inlinings),
];

/// The bytes of memory for each byte of the dumps. Three were measured (`docs/design/explain.md`),
/// with names and nesting as GHC has them; longer names or denser code take more.
const MEMORY_A_BYTE: u64 = 5;

/// The memory that dumps of this size may need, in bytes.
fn needed(bytes: u64) -> u64 {
    bytes.saturating_mul(MEMORY_A_BYTE)
}

fn bytes_in_words(bytes: u64) -> String {
    quantity(bytes as f64, Unit::Bytes)
}

/// Reads all dumps in a folder and below it.
///
/// # Errors
///
/// When a file cannot be read, there are no dumps, or they may not fit into memory.
pub fn program(folder: &Path) -> Result<Program, FolderError> {
    program_and_stems(folder).map(|(program, _)| program)
}

/// As [`program`], with each module's dump path without its suffix.
///
/// # Errors
///
/// When a file cannot be read, there are no dumps, or they may not fit into memory.
pub fn program_and_stems(folder: &Path) -> Result<(Program, Vec<String>), FolderError> {
    let mut all = Vec::new();
    below(folder, &mut all)?;
    let files = by_module(all);
    if files.is_empty() {
        return Err(FolderError::NoDump { folder: folder.to_owned() });
    }
    // If the available memory is unknown, reading is attempted.
    let available = available_memory(Path::new("/")).ok().map(|bytes| bytes.0);
    check_room(folder, &sizes(&files)?, available)?;
    let modules = read_all(&files)?;
    if modules.iter().all(Module::is_empty) {
        return Err(FolderError::NoCore { folder: folder.to_owned(), files: modules.len() });
    }
    Ok((Program::new(modules), files.into_keys().collect()))
}

/// Collects all files in a folder and below it. Links to folders are not followed.
fn below(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), FolderError> {
    let failed = |source| FolderError::Read { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() {
            below(&entry.path(), found)?;
        } else {
            found.push(entry.path());
        }
    }
    Ok(())
}

/// The dumps among these files, by path without suffix; modules without Core are left out. GHC
/// writes the way of compiling between name and suffix, as in `M.debug.dump-simpl`.
fn by_module(all: Vec<PathBuf>) -> BTreeMap<String, Files> {
    let mut modules: BTreeMap<String, Files> = BTreeMap::new();
    for path in all {
        let name = path.to_string_lossy().into_owned();
        for (end, place) in KINDS {
            if let Some(stem) = name.strip_suffix(end) {
                let stem = stem.strip_suffix(".debug").unwrap_or(stem);
                *place(modules.entry(stem.to_owned()).or_default()) = Some(path.clone());
            }
        }
    }
    modules.retain(|_, files| files.simpl.is_some() || files.prep.is_some());
    modules
}

/// The files of all modules, with their sizes in bytes.
fn sizes(files: &BTreeMap<String, Files>) -> Result<Vec<(&Path, u64)>, FolderError> {
    let all = files.values().flat_map(Files::all);
    all.map(|path| {
        let there = path.metadata();
        let failed = |source| FolderError::Read { path: path.to_owned(), source };
        Ok((path, there.map_err(failed)?.len()))
    })
    .collect()
}

/// Refuses dumps that do not fit into memory: otherwise the system would kill brisk, or everything
/// else, halfway through.
fn check_room(
    folder: &Path,
    sizes: &[(&Path, u64)],
    available: Option<u64>,
) -> Result<(), FolderError> {
    if let Some((path, bytes)) = sizes.iter().find(|(_, bytes)| *bytes > u64::from(u32::MAX)) {
        return Err(FolderError::TooLarge { path: (*path).to_owned(), bytes: *bytes });
    }
    let bytes = sizes.iter().map(|(_, bytes)| bytes).sum();
    match available {
        Some(available) if needed(bytes) > available => {
            Err(FolderError::NoRoom { folder: folder.to_owned(), bytes, available })
        }
        _ => Ok(()),
    }
}

/// Reads the files of all modules, on all processors.
fn read_all(files: &BTreeMap<String, Files>) -> Result<Vec<Module>, FolderError> {
    let files: Vec<(&String, &Files)> = files.iter().collect();
    parallel::map(&files, |(stem, files)| read_one(stem, files)).into_iter().collect()
}

fn read_one(stem: &str, files: &Files) -> Result<Module, FolderError> {
    let bytes = |path: &PathBuf| {
        fs::read(path).map_err(|source| FolderError::Read { path: path.clone(), source })
    };
    let text = |path: &Option<PathBuf>| -> Result<Option<String>, FolderError> {
        let bytes = path.as_ref().map(bytes).transpose()?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    };
    let dump = |path: &Option<PathBuf>| -> Result<Option<Dump>, FolderError> {
        Ok(path.as_ref().map(bytes).transpose()?.map(|bytes| Dump::read(&bytes)))
    };
    let (simpl, prep) = (dump(&files.simpl)?, dump(&files.prep)?);
    // If there is no other dump, CorePrep's form takes its place.
    let (looked_at, prep) = match (simpl, prep) {
        (Some(simpl), prep) => (simpl, prep),
        (None, prep) => (prep.clone().unwrap_or_default(), prep),
    };
    let name = module_name(&looked_at).unwrap_or_else(|| of_path(stem));
    let mut module = Module::new(name, looked_at);
    module.prep = prep;
    module.firings = text(&files.firings)?.map(|text| firings(&text));
    module.inlinings = text(&files.inlinings)?.map(|text| inlinings(&text));
    Ok(module)
}

/// The module named by most of a dump's top-level names.
fn module_name(dump: &Dump) -> Option<String> {
    let pass = dump.passes.last()?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for top in dump.tops(pass) {
        let name = dump.core.text(dump.core.bindings[top.binding].name);
        // `:Main.main` accompanies the names of the module that has `main`.
        if let Some(module) = module(name).filter(|module| !module.starts_with(':')) {
            *counts.entry(module).or_default() += 1;
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(name, _)| name.to_owned())
}

/// The part of a path that looks like a module: `Data.Map` in `dist/src/Data/Map`.
fn of_path(stem: &str) -> String {
    let is_part = |part: &&str| part.starts_with(|first: char| first.is_ascii_uppercase());
    let mut parts: Vec<&str> = stem.rsplit('/').take_while(is_part).collect();
    parts.reverse();
    if parts.is_empty() { stem.to_owned() } else { parts.join(".") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_module_belong_together() {
        let all = ["d/A.debug.dump-simpl", "d/A.dump-prep", "d/B.dump-inlinings", "d/A.hi"];
        let modules = by_module(all.map(PathBuf::from).to_vec());
        assert_eq!(modules.len(), 1, "without Core there is nothing to explain");
        let files = &modules["d/A"];
        assert_eq!(files.simpl, Some(PathBuf::from("d/A.debug.dump-simpl")));
        assert_eq!(files.prep, Some(PathBuf::from("d/A.dump-prep")));
        assert_eq!(files.firings, None);
    }

    #[test]
    fn dumps_that_memory_does_not_hold_are_refused() {
        let (folder, one, other) = (Path::new("d"), Path::new("d/A"), Path::new("d/B"));
        let check = |sizes: &[(&Path, u64)], available| {
            check_room(folder, sizes, available).map_err(|error| error.to_string())
        };
        let both = [(one, 3_000_000), (other, 1_000_000)];
        assert_eq!(check(&both, Some(4_000_000 * MEMORY_A_BYTE)), Ok(()));
        assert_eq!(check(&both, None), Ok(()));
        assert_eq!(
            check(&both, Some(19_000_000)).expect_err("too little"),
            "the dumps in `d` have 4.000 MB: reading them takes up to 20.00 MB of memory, and \
             19.00 MB are left"
        );
        let gibi = 1 << 30;
        assert_eq!(check(&[(one, 2 * gibi), (other, 3 * gibi)], None), Ok(()));
        assert_eq!(
            check(&[(one, 2 * gibi), (other, 5 * gibi)], None).expect_err("too large"),
            "`d/B` has 5.369 GB, and dumps of more than 4 GiB are not read"
        );
    }

    #[test]
    fn a_module_is_named_by_its_names_or_by_its_path() {
        let dump = Dump::read(b"A.B.f = g\n\nx = y\n\n:Main.main = f\n");
        assert_eq!(module_name(&dump).as_deref(), Some("A.B"));
        assert_eq!(module_name(&Dump::read(b"x = y\n")), None);
        assert_eq!(of_path("dist/src/Data/Map"), "Data.Map");
        assert_eq!(of_path("dist/main"), "dist/main");
    }
}
