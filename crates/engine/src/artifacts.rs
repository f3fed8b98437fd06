//! The artefacts that a task names, packed for another machine.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use measure::tool::Tool;
use regex_lite::Regex;

use prepare::{Cache, Stored};

/// The artefacts in the user's build cache that the text of a task names.
pub(super) fn named(task: &str) -> BTreeSet<PathBuf> {
    let Ok(cache) = Cache::of_the_user() else { return BTreeSet::new() };
    // Builds use the path without symbolic links.
    let root = fs::canonicalize(cache.root()).unwrap_or_else(|_| cache.root().to_owned());
    named_in(&Cache::at(root), task)
}

fn named_in(cache: &Cache, task: &str) -> BTreeSet<PathBuf> {
    let root = serde_json::json!(cache.root().to_string_lossy()).to_string();
    let root = regex_lite::escape(&root[1..root.len() - 1]);
    let pattern = Regex::new(&format!("{root}/artifacts/[^/]+/[^/]+/")).expect("a sound pattern");
    let inside = pattern.find_iter(task).filter_map(|found| {
        // The path below the root has no characters that JSON escapes.
        let rest: PathBuf =
            found.as_str().rsplit('/').take(4).collect::<Vec<_>>().iter().rev().collect();
        let entry = cache.holding(&cache.root().join(rest))?;
        matches!(entry.meta.outcome, Stored::Built { .. }).then_some(entry.kept).flatten()
    });
    inside.collect()
}

/// The command that packs these names within a folder.
pub(super) fn packing<S: AsRef<OsStr>>(folder: &Path, names: impl IntoIterator<Item = S>) -> Tool {
    Tool::new("tar").args(["-cf", "-", "-C"]).args([folder]).args(["--"]).args(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_task_names_of_the_cache_is_found() {
        let folder = tempfile::tempdir().expect("writable");
        let root = folder.path().join("a \"cache\"");
        let cache = Cache::at(&root);
        let entry = root.join("artifacts/k1/clean");
        let artifact = entry.join("artifact/made here");
        fs::create_dir_all(artifact.join("bin")).expect("writable");
        let meta = serde_json::json!({
            "key": "k1", "commit": "c", "tree": "t", "built_unix_seconds": 0, "build_seconds": 0.0,
            "worktree": 0, "parts": [], "linked": "not_asked",
            "outcome": {"built": {"digest": "d", "bytes": 10, "shape": "folder"}},
        });
        fs::write(entry.join("meta.json"), meta.to_string()).expect("writable");
        let names = |path: &Path| serde_json::json!({"command": format!("{} x", path.display())});
        let task = serde_json::json!([
            names(&artifact.join("bin/tool")),
            names(&artifact),
            names(&root.join("artifacts/k2/clean/artifact/gone")),
            names(&root.join("elsewhere")),
        ]);
        assert_eq!(named_in(&cache, &task.to_string()), BTreeSet::from([artifact]));
    }
}
