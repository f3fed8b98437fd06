//! A list of texts in a repository that only grows: a chain of commits under a reference of its own.
//!
//! An entry is the message of a commit, and its first parent is the entry before it. The reference
//! moves by compare-and-swap, so of two writers one has to read again, and a process that is killed
//! leaves the old list or the new one. Commits that an entry is about are further parents, so that
//! git keeps them as long as the list.

use std::ffi::OsString;

use crate::git::{GitError, OURSELVES, Repository, line};
use crate::git_notes::is_race;

/// The command, without its last words, for the name of git's empty tree, which is written if it is not
/// there.
const EMPTY_TREE: [&str; 3] = ["hash-object", "-t", "tree"];

/// A list of texts under a reference.
#[derive(Debug, Clone)]
pub struct Ledger<'a> {
    repository: &'a Repository,
    name: String,
}

/// The texts of a ledger at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LedgerState {
    /// The commit of the last text; `None` if the ledger does not exist.
    pub tip: Option<String>,
    /// The texts, the oldest first.
    pub texts: Vec<String>,
}

impl<'a> Ledger<'a> {
    /// The ledger under this reference, which need not exist.
    pub fn new(repository: &'a Repository, name: String) -> Self {
        Self { repository, name }
    }

    /// The names of all references that begin with this one, in the order of git.
    pub fn all(repository: &Repository, prefix: &str) -> Result<Vec<String>, GitError> {
        let names = repository.ask(["for-each-ref", "--format=%(refname)", prefix])?;
        Ok(String::from_utf8_lossy(&names).lines().map(str::to_owned).collect())
    }

    /// Its texts.
    pub fn read(&self) -> Result<LedgerState, GitError> {
        let Some(tip) = tip(self.repository, &self.name)? else {
            return Ok(LedgerState::default());
        };
        let log = ["log", "-z", "--first-parent", "--reverse", "--no-notes", "--format=%B", &tip];
        let texts = self.repository.ask(log)?;
        let texts = texts.split(|byte| *byte == 0).filter(|text| !text.is_empty());
        let texts = texts.map(|text| String::from_utf8_lossy(text).trim_end().to_owned());
        Ok(LedgerState { tip: Some(tip), texts: texts.collect() })
    }

    /// Appends a text, about some commits unless it is the first one; false if another process has
    /// appended one since `state` was read.
    pub fn append(
        &self,
        state: &LedgerState,
        text: &str,
        about: &[&str],
    ) -> Result<bool, GitError> {
        let tree = line(self.repository.ask_with(
            words(&[&EMPTY_TREE[..], &["-w", "--stdin"]]),
            std::iter::empty(),
            &[],
        )?);
        let tree = tree.to_string_lossy().into_owned();
        // A second parent needs a first one, so the first text is about nothing.
        let about = about.iter().copied().filter(|_| state.tip.is_some());
        let parents = state.tip.iter().map(String::as_str).chain(about);
        let entry = commit_tree(self.repository, &tree, parents, text)?;
        moved(self.repository, &self.name, state.tip.as_deref(), &entry)
    }
}

fn words(lists: &[&[&str]]) -> Vec<OsString> {
    lists.iter().copied().flatten().map(OsString::from).collect()
}

/// The commit of a reference, if it exists.
pub fn tip(repository: &Repository, name: &str) -> Result<Option<String>, GitError> {
    let commit = format!("{name}^{{commit}}");
    let answer = repository.try_ask(["rev-parse", "--verify", "--quiet", &commit])?;
    Ok(answer.ok().map(|answer| line(answer).to_string_lossy().into_owned()))
}

/// Moves a reference from one commit, or none, to another; false if it was elsewhere.
pub fn moved(
    repository: &Repository,
    name: &str,
    from: Option<&str>,
    to: &str,
) -> Result<bool, GitError> {
    let zeros = "0".repeat(to.len());
    match repository.try_ask(["update-ref", name, to, from.unwrap_or(&zeros)])? {
        Ok(_) => Ok(true),
        Err(said) if is_race(&said) => Ok(false),
        Err(source) => Err(GitError::Failed { what: "update-ref".to_owned(), source }),
    }
}

/// A commit of brisk's own with this tree, message and these parents, to which nothing refers yet.
pub fn commit_tree<'p>(
    repository: &Repository,
    tree: &str,
    parents: impl IntoIterator<Item = &'p str>,
    message: &str,
) -> Result<String, GitError> {
    let mut args = words(&[&["commit-tree", "--no-gpg-sign", tree]]);
    for parent in parents {
        args.extend(words(&[&["-p", parent]]));
    }
    args.extend(words(&[&["-F", "-"]]));
    let ourselves = OURSELVES.iter().map(|(name, value)| (*name, value.as_ref()));
    let made = repository.ask_with(args, ourselves, message.as_bytes())?;
    Ok(line(made).to_string_lossy().into_owned())
}
