//! Files of a repository that cannot change the behaviour of a program: documents for people, and
//! settings of services, of editors and of brisk.
//!
//! Any other file could matter. A program may read even one of these (a Markdown parser its own
//! README), so files that a command names count.

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
    let paths = words(text).filter(|path| !could_matter(path));
    paths.map(|path| path.rsplit('/').next().unwrap_or(path))
}

/// The possible paths in the text of a command, without a leading `./`.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
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
