//! Only this crate knows the operating system, so that a port changes one crate.

use std::fs;
use std::path::{Path, PathBuf};

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
    assert!(files > 200, "{files} files");
}
