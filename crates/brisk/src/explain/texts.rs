//! The texts of a program's modules, found below its folder.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use toolchains::ghc::causes::program::{Module, Source};

/// Folders that hold nothing that somebody wrote.
const PASSED_OVER: [&str; 5] = ["dist", "dist-newstyle", ".stack-work", "node_modules", "target"];

/// Whether a folder of this name holds nothing that somebody wrote.
pub(super) fn is_passed_over(name: &str) -> bool {
    name.starts_with('.') || PASSED_OVER.contains(&name)
}

/// Gives each module its text, where exactly one file below the folder can be it. Paths are as seen
/// from the folder, as GHC names them.
///
/// # Errors
///
/// When a folder or file cannot be read.
pub fn attach(folder: &Path, modules: &mut [Module]) -> io::Result<()> {
    let mut files: HashMap<String, Vec<String>> = HashMap::new();
    find(folder, "", &mut files)?;
    for module in modules {
        // Of several the one nearest to the folder, if it is nearer than all others.
        let Some(paths) = files.get_mut(&module.name) else { continue };
        paths.sort_by_key(|path| path.matches('/').count());
        let depth = |path: &String| path.matches('/').count();
        let is_clear = paths.get(1).is_none_or(|second| depth(second) > depth(&paths[0]));
        if is_clear {
            let text = fs::read(folder.join(&paths[0]))?;
            let text = String::from_utf8_lossy(&text).into_owned();
            module.source = Some(Source { path: paths[0].clone(), text });
        }
    }
    Ok(())
}

/// The files of Haskell below a folder, by the modules that they may be.
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
    // A program's own module may lie in a file of any name.
    if !modules.iter().any(|module| module == "Main") && !stem.contains('/') {
        modules.push("Main".to_owned());
    }
    modules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_be_the_module_of_each_end_of_its_path() {
        assert_eq!(modules_of("src/Data/Map.hs"), ["Data.Map", "Map"]);
        assert_eq!(modules_of("app/Main.hs"), ["Main"]);
        assert_eq!(modules_of("slow.hs"), ["Main"]);
        assert_eq!(modules_of("Interp.hs"), ["Interp", "Main"]);
        assert_eq!(modules_of("README.md"), [""; 0]);
    }
}
