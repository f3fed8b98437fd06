//! The files of a repository that can change the behaviour of a program.
//!
//! Documents for people, and settings of services, of editors and of brisk, cannot; any other file
//! could. A program may read even one of these (a Markdown parser its own README), so files that a
//! command names count, such as `bench.lua` in `./interpreter bench.lua`.
//!
//! If all commits have such a file and it differs between them, equal artefacts do not behave
//! equally: each commit then runs with its own files. A file that some commits lack is taken from
//! the user's checkout for all. A file that git ignores in the user's checkout was made by a build,
//! such as a library beside the program: each commit then runs in its whole checkout, with the
//! products of its own build.

use super::git::{GitError, Repository};
use super::range::Commit;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

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
pub fn inputs<'t>(
    repository: &Repository,
    commits: &[Commit],
    texts: impl IntoIterator<Item = &'t str>,
    folders: &[&Path],
    artifact: &Path,
) -> Result<Inputs, GitError> {
    let trees: BTreeSet<&str> = commits.iter().map(|commit| commit.tree.as_str()).collect();
    let Some(newest) = commits.last().filter(|_| trees.len() > 1) else { return Ok(Inputs::None) };
    let is_artifact = |path: &Path| folders.iter().any(|one| path.starts_with(one.join(artifact)));
    let paths = |word: &str| folders.iter().map(|one| one.join(word)).collect::<Vec<_>>();
    let words: Vec<&str> =
        texts.into_iter().flat_map(command_words).filter(|word| !word.starts_with('/')).collect();
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

/// Names of documents, up to the first dot or hyphen.
const DOCUMENTS: [&str; 22] = [
    "AUTHORS",
    "CHANGELOG",
    "CHANGES",
    "CODEOWNERS",
    "CODE_OF_CONDUCT",
    "CONTRIBUTING",
    "CONTRIBUTORS",
    "COPYING",
    "COPYRIGHT",
    "CREDITS",
    "GOVERNANCE",
    "HISTORY",
    "LICENCE",
    "LICENSE",
    "MAINTAINERS",
    "NEWS",
    "NOTES",
    "README",
    "RELEASES",
    "SECURITY",
    "THANKS",
    "TODO",
];

/// Extensions of documents; the empty one counts, too.
const TEXTS: [&str; 7] = ["", "adoc", "markdown", "md", "org", "rst", "txt"];

/// Files and folders of services for testing and publishing, of editors, of git and of brisk; at
/// the root.
const SERVICES: [&str; 24] = [
    ".appveyor.yml",
    ".buildkite",
    ".circleci",
    ".cirrus.yml",
    ".codecov.yml",
    ".editorconfig",
    ".forgejo",
    ".git-blame-ignore-revs",
    ".gitea",
    ".github",
    ".gitlab",
    ".gitlab-ci.yml",
    ".idea",
    ".mailmap",
    ".pre-commit-config.yaml",
    ".readthedocs.yaml",
    ".readthedocs.yml",
    ".travis.yml",
    ".vscode",
    "Jenkinsfile",
    "appveyor.yml",
    "azure-pipelines.yml",
    "brisk-ci",
    "codecov.yml",
];

/// True if a file, given by its path in the repository, could change the behaviour of a program.
pub fn could_matter(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let first = path.split('/').next().unwrap_or_default();
    let is_setting = SERVICES.contains(&first) || [".gitignore", "brisk.toml"].contains(&name);
    !(is_setting || is_document(folder, name))
}

/// True if it is a document. In data folders of a program, any file may matter.
fn is_document(folder: &str, name: &str) -> bool {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let ending = ending.to_ascii_lowercase();
    // `LICENSE-MIT`, `README.de.md`.
    let stem = stem.split(['.', '-']).next().unwrap_or_default().to_ascii_uppercase();
    let is_named = DOCUMENTS.contains(&stem.as_str()) && TEXTS.contains(&ending.as_str());
    let is_manual = ["doc", "docs"].contains(&folder.split('/').next().unwrap_or_default())
        && ["adoc", "md", "rst"].contains(&ending.as_str());
    is_named || is_manual
}

/// The names of files in the text of a command, such as `README.md` in `python3 count.py
/// README.md`, that would not matter if the command did not name them.
pub(super) fn named(text: &str) -> impl Iterator<Item = &str> {
    let paths = command_words(text).filter(|path| !could_matter(path));
    paths.map(|path| path.rsplit('/').next().unwrap_or(path))
}

/// The possible paths in the text of a command, without a leading `./`.
pub fn command_words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || "._-/+@%".contains(c);
    let words = text.split(move |c: char| !is_part(c)).filter(|word| !word.is_empty());
    words.map(|word| word.strip_prefix("./").unwrap_or(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_for_people_and_settings_of_services_do_not_matter_and_all_else_may() {
        for path in [
            "README",
            "README.md",
            "README.de.md",
            "crates/a/Readme.rst",
            "LICENSE-MIT",
            "COPYING.txt",
            "docs/guide/1-start.md",
            "doc/index.rst",
            ".gitignore",
            "src/.gitignore",
            ".github/workflows/ci.yml",
            ".gitlab-ci.yml",
            "sub/brisk.toml",
            "brisk-ci/report.md",
        ] {
            assert!(!could_matter(path), "{path}");
        }
        for path in [
            "main.c",
            "delay.h",
            "Makefile",
            "data.json",
            "notes.c",
            "readme.py",
            "CHANGES.json",
            "src/docs/a.md",
            "docs/conf.py",
            "docs/input.txt",
            "templates/page.md",
            ".gitattributes",
            ".gitmodules",
            ".cargo/config.toml",
            "sub/.github/x",
            "requirements.txt",
            "",
        ] {
            assert!(could_matter(path), "{path}");
        }
    }

    #[test]
    fn what_a_command_names_is_found_among_its_words() {
        let all = |text| named(text).collect::<Vec<_>>();
        assert_eq!(all("python3 count.py ./README.md <docs/x.md"), ["README.md", "x.md"]);
        assert_eq!(all("cat 'CHANGELOG' | wc; f=LICENSE-MIT"), ["CHANGELOG", "LICENSE-MIT"]);
        assert!(all("./prog --fast data.txt").is_empty());
    }
}
