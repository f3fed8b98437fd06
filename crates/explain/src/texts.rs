//! The texts of a program's modules, found below its folder.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ghc::causes::program::{Module, Source};

/// Folders without handwritten files.
const PASSED_OVER: [&str; 5] = ["dist", "dist-newstyle", ".stack-work", "node_modules", "target"];

/// True if a folder with this name has no handwritten files.
pub(super) fn is_passed_over(name: &str) -> bool {
    name.starts_with('.') || PASSED_OVER.contains(&name)
}

/// Attaches the text to each module without one, if exactly one file below the folder matches.
/// Paths are relative to the folder, as GHC writes them.
///
/// # Errors
///
/// When a folder or file cannot be read.
pub fn attach(folder: &Path, modules: &mut [Module]) -> io::Result<()> {
    let mut files: HashMap<String, Vec<String>> = HashMap::new();
    find(folder, "", &mut files)?;
    for module in modules.iter_mut().filter(|module| module.source.is_none()) {
        let Some(path) = files.get(&module.name).and_then(|all| file_of(&module.name, all)) else {
            continue;
        };
        let text = fs::read(folder.join(path))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        module.source = Some(Source { path: path.to_owned(), text });
    }
    Ok(())
}

/// Attaches texts from outside the folder to modules without one: from the file that the dump is
/// named after, relative to `dumps_root`.
///
/// # Errors
///
/// When a file cannot be read.
pub fn attach_outside(
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
        let text = String::from_utf8_lossy(&fs::read(folder.join(&path))?).into_owned();
        module.source = Some(Source { path: path.display().to_string(), text });
    }
    Ok(())
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
fn find(folder: &Path, prefix: &str, files: &mut HashMap<String, Vec<String>>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() && !is_passed_over(&name) {
            find(&entry.path(), &format!("{path}/"), files)?;
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
