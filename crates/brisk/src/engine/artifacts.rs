//! What brisk built that a task names: which artefacts, how they travel, and how they get to the place
//! where the task expects them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use measure::Outcome;
use measure::tool::Tool;
use regex_lite::Regex;

use super::{answer, said};
use crate::failure::Failure;
use crate::prepare::{Cache, CopyError, Stored, digest_of_artifact};

/// An artefact that a task names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedArtifact {
    /// Where it is, on every machine: commands name it.
    pub path: PathBuf,
    /// By which it is known.
    pub digest: String,
}

/// The artefacts of the user's build cache that a task names, as it is handed over.
pub(super) fn named(task: &str) -> BTreeSet<NamedArtifact> {
    let Ok(cache) = Cache::of_the_user() else { return BTreeSet::new() };
    // Builds have it without symbolic links.
    let root = fs::canonicalize(cache.root()).unwrap_or_else(|_| cache.root().to_owned());
    named_in(&Cache::at(root), task)
}

fn named_in(cache: &Cache, task: &str) -> BTreeSet<NamedArtifact> {
    let root = serde_json::json!(cache.root().to_string_lossy()).to_string();
    let root = regex_lite::escape(&root[1..root.len() - 1]);
    let pattern = Regex::new(&format!("{root}/artifacts/[^/]+/[^/]+/")).expect("a sound pattern");
    let inside = pattern.find_iter(task).filter_map(|found| {
        // What follows the root has nothing that JSON writes in another way.
        let rest: PathBuf =
            found.as_str().rsplit('/').take(4).collect::<Vec<_>>().iter().rev().collect();
        let entry = cache.holding(&cache.root().join(rest))?;
        let Stored::Built { digest, .. } = &entry.meta.outcome else { return None };
        let path = entry.kept?;
        // That of a checkout leaves out what cannot matter, which travels with it.
        let digest = match entry.meta.within {
            Some(_) => digest_of_artifact(&path).ok()?,
            None => digest.clone(),
        };
        Some(NamedArtifact { path, digest: digest.as_str().to_owned() })
    });
    inside.collect()
}

/// Packs these names within a folder.
pub(super) fn packing<S: AsRef<OsStr>>(folder: &Path, names: impl IntoIterator<Item = S>) -> Tool {
    Tool::new("tar").args(["-cf", "-", "-C"]).args([folder]).args(["--"]).args(names)
}

/// An artefact as it travels.
///
/// # Errors
///
/// When it cannot be read.
#[cfg(any(test, feature = "postgres"))]
pub(super) fn packed(artifact: &NamedArtifact) -> Result<Vec<u8>, Failure> {
    let path = &artifact.path;
    let failure = || Failure::new(format!("cannot send `{}`", path.display()));
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(failure());
    };
    let output = answer(packing(folder, [name])).map_err(|why| failure().because(why.0))?;
    match output.outcome {
        Outcome::Exited(0) => Ok(output.stdout),
        _ => Err(failure().because(said(&output))),
    }
}

/// Whether an artefact is where it is expected.
///
/// # Errors
///
/// When something else is there, or it cannot be read.
pub fn is_there(artifact: &NamedArtifact) -> Result<bool, Failure> {
    let path = artifact.path.display();
    match digest_of_artifact(&artifact.path) {
        Ok(found) if found.as_str() == artifact.digest => Ok(true),
        Ok(_) => {
            Err(Failure::new(format!("`{path}` is another artefact than was built for the task"))
                .because("this machine has built the same commit, and that gave other bytes")
                .hint(Some("remove it, and the one that the task needs is put there")))
        }
        Err(CopyError::Missing) => Ok(false),
        Err(error) => Err(Failure::new(format!("cannot use `{path}`")).caused_by(&error)),
    }
}

/// Why an artefact that has travelled is not where it is expected.
#[derive(Debug)]
pub enum NotPut {
    /// It is another one now.
    Damaged(Failure),
    /// It cannot be written here.
    Unwritable(Failure),
}

/// Puts an artefact that has travelled where it is expected, and looks whether it is the one.
///
/// # Errors
///
/// When it was damaged on its way, or cannot be written.
pub fn put(artifact: &NamedArtifact, packed: Vec<u8>) -> Result<(), NotPut> {
    let NamedArtifact { path, digest } = artifact;
    let cannot = |error: io::Error| {
        let failure = Failure::new(format!("cannot put an artefact at `{}`", path.display()));
        NotPut::Unwritable(failure.caused_by(&error))
    };
    let damaged = |why: String| {
        let failure = Failure::new(format!("the artefact {digest} came damaged")).because(why);
        NotPut::Damaged(failure.hint(Some("asking again sends it again")))
    };
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(cannot(io::ErrorKind::InvalidFilename.into()));
    };
    let entry = folder.parent().unwrap_or(folder);
    fs::create_dir_all(entry).map_err(cannot)?;
    let fresh = tempfile::Builder::new().prefix(".new-").tempdir_in(entry).map_err(cannot)?;
    let unpacking = Tool::new("tar").args(["-xpof", "-", "-C"]).args([fresh.path()]).stdin(packed);
    let output = answer(unpacking).map_err(|why| damaged(why.0))?;
    if output.outcome != Outcome::Exited(0) {
        return Err(damaged(said(&output)));
    }
    // The same artefact may have another name where another commit made it.
    let unpacked = fs::read_dir(fresh.path()).map_err(cannot)?.next();
    let Some(Ok(unpacked)) = unpacked else { return Err(damaged("nothing is in it".to_owned())) };
    match digest_of_artifact(&unpacked.path()) {
        Ok(found) if found.as_str() == digest => {}
        Ok(found) => return Err(damaged(format!("what came is {found}"))),
        Err(error) => return Err(damaged(Failure::from_error(&error).in_one_line())),
    }
    let place = || -> io::Result<()> {
        File::open(unpacked.path())?.sync_all()?;
        fs::create_dir_all(folder)?;
        fs::rename(unpacked.path(), folder.join(name))
    };
    place().map_err(cannot)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    /// A folder as a build makes it, and by what it is known.
    fn made(path: &Path) -> NamedArtifact {
        fs::create_dir_all(path.join("bin")).expect("writable");
        fs::write(path.join("bin/tool"), "#!/bin/sh\n").expect("writable");
        let executable = fs::Permissions::from_mode(0o775);
        fs::set_permissions(path.join("bin/tool"), executable).expect("ours");
        symlink("bin/tool", path.join("link")).expect("writable");
        let digest = digest_of_artifact(path).expect("readable").as_str().to_owned();
        NamedArtifact { path: path.to_owned(), digest }
    }

    #[test]
    fn an_artefact_travels_with_all_that_belongs_to_it() {
        let folder = tempfile::tempdir().expect("writable");
        let here = made(&folder.path().join("here/artifact/made"));
        let packed = packed(&here).expect("readable");
        let there = folder.path().join("there/artifact/other name");
        let there = NamedArtifact { path: there, ..here };
        assert!(!is_there(&there).expect("nothing is"));
        put(&there, packed).expect("whole");
        assert!(is_there(&there).expect("readable"));
        let entry = fs::read_dir(folder.path().join("there")).expect("readable");
        assert_eq!(entry.count(), 1, "nothing else is left");
    }

    #[test]
    fn what_is_damaged_or_another_is_refused_with_its_name() {
        let folder = tempfile::tempdir().expect("writable");
        let here = made(&folder.path().join("here/artifact/made"));
        let packed = packed(&here).expect("readable");
        let there =
            NamedArtifact { path: folder.path().join("there/artifact/made"), ..here.clone() };
        let text = packed.windows(9).position(|bytes| bytes == b"#!/bin/sh").expect("it is inside");
        for (place, byte) in [(text, b'%'), (0, 0xff), (150, b'9')] {
            let mut damaged = packed.clone();
            damaged[place] = byte;
            let failure = put(&there, damaged).expect_err("it is damaged");
            let NotPut::Damaged(failure) = failure else { panic!("{failure:?}") };
            assert_eq!(failure.error(), format!("the artefact {} came damaged", here.digest));
            assert!(!there.path.exists());
        }
        put(&there, Vec::new()).expect_err("it is empty");
        fs::write(here.path.join("bin/tool"), "other").expect("writable");
        assert!(is_there(&here).expect_err("it is another").error().contains("here/artifact/made"));
    }

    #[test]
    fn what_a_task_names_of_the_cache_is_found() {
        let folder = tempfile::tempdir().expect("writable");
        let root = folder.path().join("a \"cache\"");
        let cache = Cache::at(&root);
        let entry = root.join("artifacts/k1/clean");
        let artifact = made(&entry.join("artifact/made here"));
        let meta = serde_json::json!({
            "key": "k1", "commit": "c", "tree": "t", "built_unix_seconds": 0, "build_seconds": 0.0,
            "worktree": 0, "parts": [], "linked": "not_asked",
            "outcome": {"built": {"digest": artifact.digest, "bytes": 10, "shape": "folder"}},
        });
        fs::write(entry.join("meta.json"), meta.to_string()).expect("writable");
        let names = |path: &Path| serde_json::json!({"command": format!("{} x", path.display())});
        let task = serde_json::json!([
            names(&artifact.path.join("bin/tool")),
            names(&artifact.path),
            names(&root.join("artifacts/k2/clean/artifact/gone")),
            names(&root.join("elsewhere")),
        ]);
        assert_eq!(named_in(&cache, &task.to_string()), BTreeSet::from([artifact]));
    }
}
