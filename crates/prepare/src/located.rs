//! The path of an artefact whose name may be a pattern, such as `target/release/deps/bench-*`.
//!
//! Before a build, all files that match the pattern are removed, so that the files found afterwards
//! are its products: one program, or an ambiguity. Other files may have a name like the program's,
//! such as the `.d` files of Cargo: of several files, the executable ones count.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use toolchains::project;

use super::failure::FailureReason;

/// The paths that match `artifact` below `folder`; if it is not a pattern, its own path, existing
/// or not.
pub(super) fn matching(folder: &Path, artifact: &Path) -> Vec<PathBuf> {
    let text = artifact.to_string_lossy();
    if !project::is_pattern(&text) || fs::symlink_metadata(folder.join(artifact)).is_ok() {
        return vec![folder.join(artifact)];
    }
    let mut found = vec![folder.to_owned()];
    for part in artifact.components() {
        let part = part.as_os_str();
        let text = part.to_string_lossy();
        found = match project::is_pattern(&text) {
            false => found.into_iter().map(|path| path.join(part)).collect(),
            true => found.iter().flat_map(|path| children(path, &text)).collect(),
        };
    }
    found.retain(|path| fs::symlink_metadata(path).is_ok());
    found.sort();
    found
}

fn children(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    names
        .filter(|name| project::part_matches_pattern(pattern, &name.to_string_lossy()))
        .map(|name| folder.join(name))
        .collect()
}

/// The same without other files beside programs, if there are any programs.
fn meant(folder: &Path, artifact: &Path) -> Vec<PathBuf> {
    let all = matching(folder, artifact);
    let is_program = |path: &&PathBuf| {
        fs::metadata(path)
            .is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
    };
    let programs: Vec<PathBuf> = all.iter().filter(is_program).cloned().collect();
    if programs.is_empty() { all } else { programs }
}

/// The single artefact that a build in `folder` has left.
pub(super) fn made(folder: &Path, artifact: &Path) -> Result<PathBuf, FailureReason> {
    let named = || artifact.display().to_string();
    let mut found = meant(folder, artifact);
    match found.len() {
        0 => Err(FailureReason::NoArtifact { artifact: named() }),
        1 => Ok(found.swap_remove(0)),
        _ => {
            let seen = |path: &PathBuf| {
                path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned()
            };
            let found = found.iter().map(seen).collect();
            Err(FailureReason::SeveralArtifacts { artifact: named(), found })
        }
    }
}

/// The newest of the files that match a pattern, for folders with several builds. A path that is
/// not a pattern is returned as it is.
pub fn newest(artifact: &Path) -> PathBuf {
    let changed = |path: &PathBuf| {
        let time = fs::metadata(path).and_then(|facts| facts.modified());
        time.unwrap_or(SystemTime::UNIX_EPOCH)
    };
    let found = meant(Path::new(""), artifact).into_iter().max_by_key(changed);
    found.unwrap_or_else(|| artifact.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_stands_for_the_one_program_among_what_it_matches() {
        let folder = tempfile::tempdir().expect("a folder for tests");
        let deps = folder.path().join("target/deps");
        fs::create_dir_all(&deps).expect("ours");
        let pattern = Path::new("target/*/bench-*");
        let program = |name: &str| {
            fs::write(deps.join(name), "").expect("ours");
            let all = fs::Permissions::from_mode(0o755);
            fs::set_permissions(deps.join(name), all).expect("ours");
        };
        let none = made(folder.path(), pattern);
        assert!(matches!(none, Err(FailureReason::NoArtifact { .. })), "{none:?}");
        fs::write(deps.join("bench-1.d"), "").expect("ours");
        assert_eq!(made(folder.path(), pattern), Ok(deps.join("bench-1.d")));
        program("bench-1");
        assert_eq!(made(folder.path(), pattern), Ok(deps.join("bench-1")));
        program("bench-2");
        let several = made(folder.path(), pattern).expect_err("one of two");
        let told = several.to_string();
        assert!(told.contains("target/deps/bench-1, target/deps/bench-2"), "{told}");
        assert_eq!(matching(folder.path(), pattern).len(), 3);
        // If a file has the pattern itself as its name, it is the one meant.
        program("bench-*");
        let literal = Path::new("target/deps/bench-*");
        assert_eq!(made(folder.path(), literal), Ok(deps.join("bench-*")));
        let plain = Path::new("target/deps/none");
        assert_eq!(made(folder.path(), plain), Ok(folder.path().join(plain)), "looked for later");
    }
}
