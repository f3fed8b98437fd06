//! Proposed changes as trees: taken from a commit or a patch, and put on top of another state.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::git::{GitError, Repository, Said, line};
use crate::ledger::commit_tree;

/// A file that a proposal changes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangedPath {
    /// Its path in the repository.
    pub path: PathBuf,
    /// True if the new state has a link or a submodule there, whose content lies elsewhere.
    pub leads_elsewhere: bool,
}

/// The tree of `state` with this patch; or git's message if it does not apply.
pub fn patched(
    repository: &Repository,
    state: &str,
    patch: &[u8],
) -> Result<Result<String, Said>, GitError> {
    let failed =
        |error: std::io::Error| GitError::Worktree { source: Said::new(error.to_string()) };
    let scratch = tempfile::Builder::new().prefix("brisk-index-").tempdir().map_err(failed)?;
    let index = scratch.path().join("index");
    let ask = |args: &[&str], stdin: &[u8]| {
        let args = args.iter().map(OsString::from).collect();
        repository.ask_with(args, std::iter::once(("GIT_INDEX_FILE", index.as_os_str())), stdin)
    };
    ask(&["read-tree", state], &[])?;
    // Paths count from the root of the repository, wherever brisk was started.
    match ask(&["apply", "--cached", "--whitespace=nowarn", "-"], patch) {
        Ok(_) => Ok(Ok(line(ask(&["write-tree"], &[])?).to_string_lossy().into_owned())),
        Err(GitError::Failed { source, .. }) => Ok(Err(source)),
        Err(error) => Err(error),
    }
}

/// The state that a proposal differs least from, by changed lines; the last of equals.
pub fn nearest<'s>(
    repository: &Repository,
    states: &'s [String],
    proposal: &str,
) -> Result<&'s str, GitError> {
    let mut best = (u64::MAX, states.last().expect("a trial has a first state").as_str());
    for state in states.iter().rev() {
        let lines = changed_lines(repository, state, proposal)?;
        if lines < best.0 {
            best = (lines, state);
        }
    }
    Ok(best.1)
}

fn changed_lines(repository: &Repository, from: &str, to: &str) -> Result<u64, GitError> {
    let stat = repository.ask(["diff-tree", "-r", "--numstat", "--no-renames", from, to])?;
    let of_line = |line: &str| -> u64 {
        let mut numbers = line.split('\t');
        // Binary files have a dash, and count as a line.
        let mut number = || numbers.next().and_then(|text| text.parse().ok()).unwrap_or(1);
        number() + number()
    };
    Ok(String::from_utf8_lossy(&stat).lines().map(of_line).sum())
}

/// The tree of `ours` with the change from `base` to `theirs`; `None` if they conflict. All are commits
/// or trees.
pub fn merged(
    repository: &Repository,
    base: &str,
    ours: &str,
    theirs: &str,
) -> Result<Option<String>, GitError> {
    let tree = |state: &str| -> Result<String, GitError> {
        let answer = repository.ask(["rev-parse", "--verify", &format!("{state}^{{tree}}")])?;
        Ok(line(answer).to_string_lossy().into_owned())
    };
    let (base, ours, theirs) = (tree(base)?, tree(ours)?, tree(theirs)?);
    if base == ours {
        return Ok(Some(theirs));
    }
    // Git before 2.40 takes the base from the history, so it is given one.
    let root = commit_tree(repository, &base, [], "base")?;
    let side = |tree: &str| commit_tree(repository, tree, [root.as_str()], "side");
    let (ours, theirs) = (side(&ours)?, side(&theirs)?);
    let merge = ["merge-tree", "--write-tree", "--name-only", "--no-messages", &ours, &theirs];
    match repository.try_ask(merge)? {
        Ok(tree) => Ok(Some(line(tree).to_string_lossy().into_owned())),
        Err(_) => Ok(None),
    }
}

/// The files that differ between two states, and those of them that match one of these patterns.
pub fn changed_paths(
    repository: &Repository,
    from: &str,
    to: &str,
    patterns: &[String],
) -> Result<(BTreeSet<ChangedPath>, BTreeSet<PathBuf>), GitError> {
    let raw = ["diff", "--raw", "--no-renames", "--no-abbrev", "-z", from, to, "--"];
    let all = repository.ask(raw)?;
    let mut fields = all.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut changed = BTreeSet::new();
    while let (Some(facts), Some(path)) = (fields.next(), fields.next()) {
        let mode = facts.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
        let leads_elsewhere = mode == b"120000" || mode == b"160000";
        let path = Path::new(OsStr::from_bytes(path)).to_owned();
        changed.insert(ChangedPath { path, leads_elsewhere });
    }
    let names = ["diff", "--name-only", "--no-renames", "-z", from, to, "--"].map(str::to_owned);
    let patterns = patterns.iter().map(|pattern| format!(":(top,glob){pattern}"));
    let matching = repository.ask(names.into_iter().chain(patterns))?;
    let matching = matching.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let matching = matching.map(|path| Path::new(OsStr::from_bytes(path)).to_owned());
    Ok((changed, matching.collect()))
}
