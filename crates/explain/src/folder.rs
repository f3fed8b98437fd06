//! A program read from a folder: the dumps that GHC wrote with `-ddump-to-file`, and the texts of
//! its modules.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::{fs, io};

use ghc::causes::program::Source;
use ghc::causes::source::code_of_literate;
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
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum FolderError {
    #[error("cannot read `{}`", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("there is no dump of Core in `{}`", folder.display())]
    NoDump { folder: PathBuf },
    #[error("none of the {files} dumps in `{}` holds any Core", folder.display())]
    NoCore { folder: PathBuf, files: usize },
    #[error(
        "the dumps in `{}` have {}: reading them takes up to {} of memory, and {} are left",
        folder.display(), bytes_in_words(*bytes), bytes_in_words(needed(*bytes)),
        bytes_in_words(*available)
    )]
    NoRoom { folder: PathBuf, bytes: u64, available: u64 },
    #[error(
        "`{}` has {}, and dumps of more than 4 GiB are not read",
        path.display(), bytes_in_words(*bytes)
    )]
    TooLarge { path: PathBuf, bytes: u64 },
}

impl FolderError {
    /// Advice for the user, if there is any.
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
pub fn program(folder: &Path) -> Result<Program, FolderError> {
    program_and_stems(folder).map(|(program, _)| program)
}

/// As [`program`], with each module's dump path without its suffix.
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
    let stems: Vec<(&String, &Files)> = files.iter().collect();
    let modules = parallel::map(&stems, |(stem, files)| read_one(stem, files));
    let modules = modules.into_iter().collect::<Result<Vec<Module>, _>>()?;
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
    let name = module_name(&looked_at).unwrap_or_else(|| module_of_path(stem));
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
fn module_of_path(stem: &str) -> String {
    let is_part = |part: &&str| part.starts_with(|first: char| first.is_ascii_uppercase());
    let mut parts: Vec<&str> = stem.rsplit('/').take_while(is_part).collect();
    parts.reverse();
    if parts.is_empty() { stem.to_owned() } else { parts.join(".") }
}

/// Folders without handwritten files.
const PASSED_OVER: [&str; 5] = ["dist", "dist-newstyle", ".stack-work", "node_modules", "target"];

/// True if a folder with this name has no handwritten files.
pub(super) fn is_passed_over(name: &str) -> bool {
    name.starts_with('.') || PASSED_OVER.contains(&name)
}

/// Attaches the text to each module without one, if exactly one file below the folder matches.
/// Paths are relative to the folder, as GHC writes them.
pub fn attach_texts(folder: &Path, modules: &mut [Module]) -> io::Result<()> {
    let mut files: HashMap<String, Vec<String>> = HashMap::new();
    find_sources(folder, "", &mut files)?;
    for module in modules.iter_mut().filter(|module| module.source.is_none()) {
        let Some(path) = files.get(&module.name).and_then(|all| file_of(&module.name, all)) else {
            continue;
        };
        module.source = Some(read_source(folder, path.to_owned())?);
    }
    Ok(())
}

/// Attaches texts from outside the folder to modules without one: from the file that the dump is
/// named after, relative to `dumps_root`.
pub fn attach_outside_texts(
    folder: &Path,
    dumps_root: &Path,
    stems: &[String],
    modules: &mut [Module],
) -> io::Result<()> {
    for (module, stem) in modules.iter_mut().zip(stems) {
        let Some(stem) = as_seen_from(dumps_root, Path::new(stem)) else { continue };
        let of = |end: &str| PathBuf::from(format!("{}.{end}", stem.display()));
        let found = ["hs", "lhs"].map(of).into_iter().find(|path| folder.join(path).is_file());
        let Some(path) = found.filter(|_| module.source.is_none()) else { continue };
        module.source = Some(read_source(folder, path.display().to_string())?);
    }
    Ok(())
}

fn read_source(folder: &Path, path: String) -> io::Result<Source> {
    let bytes = fs::read(folder.join(&path))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let text = if path.ends_with(".lhs") { code_of_literate(&text) } else { text };
    Ok(Source { path, text })
}

/// A path outside the folder, relative to it; `None` if it is below the folder or unrelated.
fn as_seen_from(folder: &Path, path: &Path) -> Option<PathBuf> {
    let mut seen = PathBuf::new();
    for above in folder.ancestors().skip(1) {
        seen.push("..");
        if let Ok(rest) = path.strip_prefix(above) {
            return (!path.starts_with(folder)).then(|| seen.join(rest));
        }
    }
    None
}

/// The best file for a module: a matching path first, then the one nearest to the folder; `None` if
/// that is ambiguous.
fn file_of<'a>(module: &str, paths: &'a [String]) -> Option<&'a str> {
    let name = module.replace('.', "/");
    let rank = |path: &str| {
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        (!stem.ends_with(&name), path.matches('/').count())
    };
    let best = paths.iter().min_by_key(|path| rank(path))?;
    let alike = paths.iter().filter(|path| rank(path) == rank(best)).count();
    (alike == 1).then_some(best)
}

/// Collects the Haskell files below a folder, by the modules that they may be.
fn find_sources(
    folder: &Path,
    prefix: &str,
    files: &mut HashMap<String, Vec<String>>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() && !is_passed_over(&name) {
            find_sources(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() {
            for module in modules_of(&path) {
                files.entry(module).or_default().push(path.clone());
            }
        }
    }
    Ok(())
}

/// The modules that a file may be: `Data.Map` and `Map` for `src/Data/Map.hs`.
fn modules_of(path: &str) -> Vec<String> {
    let Some(stem) = path.strip_suffix(".hs").or_else(|| path.strip_suffix(".lhs")) else {
        return Vec::new();
    };
    let parts: Vec<&str> = stem.split('/').collect();
    let is_part = |part: &&&str| part.starts_with(|first: char| first.is_ascii_uppercase());
    let capital = parts.iter().rev().take_while(is_part).count();
    let mut modules: Vec<String> =
        (0..capital).map(|skipped| parts[parts.len() - capital + skipped..].join(".")).collect();
    // A program's main module may be in a file with any name.
    if !modules.iter().any(|module| module == "Main") && !stem.contains('/') {
        modules.push("Main".to_owned());
    }
    modules
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
        assert_eq!(module_of_path("dist/src/Data/Map"), "Data.Map");
        assert_eq!(module_of_path("dist/main"), "dist/main");
    }

    #[test]
    fn a_module_is_the_file_of_its_name_or_the_only_one_there_is() {
        let of = |module: &str, paths: &[&str]| {
            let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
            file_of(module, &paths).map(str::to_owned)
        };
        let some = |path: &str| Some(path.to_owned());
        assert_eq!(of("Main", &["slow.hs"]), some("slow.hs"));
        assert_eq!(of("Main", &["Lock.hs", "Main.hs"]), some("Main.hs"));
        assert_eq!(of("Main", &["Lock.hs", "app/Main.hs"]), some("app/Main.hs"));
        assert_eq!(of("Main", &["slow.hs", "Lock.hs"]), None);
        assert_eq!(of("Main", &["test/Main.hs", "app/Main.hs"]), None);
        assert_eq!(
            of("Data.Map", &["a/b/Data/Map.hs", "src/Data/Map.hs"]),
            some("src/Data/Map.hs")
        );
    }

    #[test]
    fn a_path_beside_a_folder_is_seen_from_there() {
        let seen = |path: &str| as_seen_from(Path::new("/b/x/y"), Path::new(path));
        assert_eq!(seen("/b/x/src/A"), Some(PathBuf::from("../src/A")));
        assert_eq!(seen("/b/A"), Some(PathBuf::from("../../A")));
        assert_eq!(seen("/b/x/y/A"), None);
    }

    #[test]
    fn a_file_may_be_the_module_of_each_end_of_its_path() {
        assert_eq!(modules_of("src/Data/Map.hs"), ["Data.Map", "Map"]);
        assert_eq!(modules_of("app/Main.hs"), ["Main"]);
        assert_eq!(modules_of("slow.hs"), ["Main"]);
        assert_eq!(modules_of("Interp.hs"), ["Interp", "Main"]);
        assert_eq!(modules_of("README.md"), [""; 0]);
    }
}
