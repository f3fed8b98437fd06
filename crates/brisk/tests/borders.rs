//! Borders between the modules of this crate, unknown to the compiler: a module may not import one
//! that comes after it on the path of a measurement.

use std::fs;
use std::path::{Path, PathBuf};

/// A module, and the modules it may not import.
const BORDERS: &[(&str, &[&str])] = &[
    ("conduct", &["archive", "cli", "history", "store"]),
    ("record", &["archive", "cli", "conduct", "history", "store"]),
    ("store", &["archive", "cli", "conduct", "history", "report"]),
    ("history", &["archive", "cli", "conduct", "store"]),
    ("explain", &["archive", "cli", "conduct", "history", "store"]),
    ("doctor", &["archive", "cli", "history", "store"]),
    ("report", &["archive", "cli", "conduct", "serve", "store"]),
    ("archive", &["cli", "serve"]),
    ("serve", &["cli", "conduct", "history"]),
];

/// Every source file below a module, or of the whole crate, with its text.
fn sources(module: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(module);
    let mut folders = vec![root.clone()];
    let mut files = vec![root.with_extension("rs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("it is listed").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let is_there = files.into_iter().filter(|path| path.is_file());
    is_there.map(|path| (path.clone(), fs::read_to_string(path).expect("text"))).collect()
}

/// The modules of this crate that code names; mentions in comments are not imports.
fn imports(text: &str) -> Vec<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = code.collect::<Vec<_>>().join("\n");
    let first_word = |text: &str| {
        let is_of_name = |c: &char| *c == '_' || c.is_alphanumeric();
        text.trim_start().chars().take_while(is_of_name).collect::<String>()
    };
    let named = |after: &str| match after.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        Some((group, _)) => group.split(',').map(first_word).collect(),
        None => vec![first_word(after)],
    };
    code.split("crate::").skip(1).flat_map(named).collect()
}

#[test]
fn no_module_imports_what_comes_after_it() {
    for (module, forbidden) in BORDERS {
        let sources = sources(module);
        assert!(!sources.is_empty(), "there is no module `{module}`");
        for (path, text) in sources {
            let wrong = imports(&text).into_iter().find(|name| forbidden.contains(&name.as_str()));
            assert_eq!(wrong, None, "{} imports it", path.display());
        }
    }
}

#[test]
fn the_command_line_alone_knows_its_parser() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli");
    let (inside, outside): (Vec<_>, Vec<_>) =
        sources("").into_iter().partition(|(path, _)| path.starts_with(&own));
    let knows = |(_, text): &&(PathBuf, String)| text.contains("clap");
    assert!(inside.iter().any(|source| knows(&source)) && !outside.is_empty());
    let others: Vec<_> = outside.iter().filter(knows).map(|(path, _)| path).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn imports_are_found_however_they_are_written() {
    let text = "//! [`crate::judge`]\nuse crate::metric::{self, Unit};\nuse crate::{\n    archive, host,\n    \
                plan\n};\nx(&crate::run::Run)";
    assert_eq!(imports(text), ["metric", "archive", "host", "plan", "run"]);
}

/// Only `measure` knows the operating system, so that a port changes one crate.
#[test]
fn only_measure_knows_the_operating_system() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let crates = fs::read_dir(crates).expect("it is there").map(|one| one.expect("it is listed"));
    let others = crates.filter(|one| one.file_name() != "measure");
    let mut folders: Vec<PathBuf> = others.map(|one| one.path().join("src")).collect();
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the sources are readable") {
            let path = entry.expect("it is listed").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|end| end != "rs") || path.ends_with("tests.rs") {
                continue;
            }
            files += 1;
            let text = fs::read_to_string(&path).expect("text");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default().lines();
            for line in code.filter(|line| !line.trim_start().starts_with("//")) {
                let reads = [r#"("/proc/"#, r#"("/sys/"#];
                let asks = ["target_os", "os::linux", "libc::"];
                let wrong = reads.iter().chain(&asks).find(|word| line.contains(**word));
                assert_eq!(wrong, None, "{}: {line}", path.display());
            }
        }
    }
    assert!(files > 300, "{files} files");
}
