//! Files that a command names besides the artefact, such as `bench.lua` in `./interpreter
//! bench.lua`.
//!
//! If all commits have such a file and it differs between them, equal artefacts do not behave
//! equally: each commit then runs with its own files. A file that some commits lack is taken from
//! the user's checkout for all. A file that git ignores in the user's checkout was made by a build,
//! such as a library beside the program: each commit then runs in its whole checkout, with the
//! products of its own build.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use super::git::{GitError, Repository};
use super::range::Commit;
use super::relevance::words;

/// The parts of its checkout that a commit needs besides the artefact, because the command names
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inputs {
    /// None.
    #[default]
    None,
    /// The commit's files.
    Files,
    /// The whole checkout after the build.
    Checkout,
}

/// The inputs that the texts of commands name besides the artefact, relative to these folders of
/// the repository.
///
/// # Errors
///
/// When git fails.
pub fn inputs<'t>(
    repository: &Repository,
    commits: &[Commit],
    (texts, folders): (impl IntoIterator<Item = &'t str>, &[&Path]),
    artifact: &Path,
) -> Result<Inputs, GitError> {
    let trees: BTreeSet<&str> = commits.iter().map(|commit| commit.tree.as_str()).collect();
    let Some(newest) = commits.last().filter(|_| trees.len() > 1) else { return Ok(Inputs::None) };
    let is_artifact = |path: &Path| folders.iter().any(|one| path.starts_with(one.join(artifact)));
    let paths = |word: &str| folders.iter().map(|one| one.join(word)).collect::<Vec<_>>();
    let words: Vec<&str> =
        texts.into_iter().flat_map(words).filter(|word| !word.starts_with('/')).collect();
    let named = words.iter().flat_map(|word| paths(word)).filter(|path| !is_artifact(path));
    let named: BTreeSet<String> = named.map(|path| path.to_string_lossy().into_owned()).collect();
    let list = ["ls-tree", "-r", "-t", "-z", "--name-only", "--full-tree", &newest.tree];
    let list = repository.ask(list)?;
    let list = list.split(|byte| *byte == 0);
    let there: HashSet<String> =
        list.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let (committed, other): (Vec<&String>, Vec<&String>) =
        named.iter().partition(|path| there.contains(*path));
    let is_there = |path: &&&String| {
        let path = repository.root().join(path);
        // A word may be the name of a folder by coincidence.
        path.is_file() || path.is_dir() && path.parent() != Some(repository.root())
    };
    for path in other.iter().filter(is_there) {
        if repository.try_ask(["check-ignore", "--quiet", "--", path])?.is_ok() {
            return Ok(Inputs::Checkout);
        }
    }
    if committed.is_empty() {
        return Ok(Inputs::None);
    }
    let mut contents: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for tree in &trees {
        let question = ["ls-tree", "-z", "--full-tree", tree, "--"].into_iter();
        let answer = repository.ask(question.chain(committed.iter().map(|path| path.as_str())))?;
        for entry in answer.split(|byte| *byte == 0) {
            let entry = String::from_utf8_lossy(entry);
            if let Some((content, path)) = entry.split_once('\t') {
                contents.entry(path.to_owned()).or_default().push(content.to_owned());
            }
        }
    }
    let differs = |all: &Vec<String>| {
        all.len() == trees.len() && all.iter().any(|content| *content != all[0])
    };
    Ok(if contents.values().any(differs) { Inputs::Files } else { Inputs::None })
}
