//! `WORKTREE`: the uncommitted state of the user's checkout, as a commit.
//!
//! The files that git knows and those that it does not ignore are written into a tree through a
//! separate index, so that the user's stays as it is, and the tree is given to a commit on top of
//! `HEAD` without any reference to it (like that of `git stash create`): `git gc` forgets it some
//! weeks later. All fields that could differ between two calls are fixed, so an unchanged state has
//! the same hash again, and is found wherever that is looked up.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::git::{CheckoutKind, GitError, OURSELVES, Repository, Said, line};
use super::written::Exports;

/// The revision that stands for the checkout.
pub const WORKTREE: &str = "WORKTREE";

/// The folder of the reports of `brisk ci`, which is not a change of the project.
pub const REPORTS: &str = "brisk-ci";

/// The text with the first `WORKTREE` that is a revision replaced by the name of a commit: alone,
/// as an end of a range, or before `^`, `~` and `:`.
pub(super) fn resolved<'t>(
    repository: &Repository,
    text: &'t str,
) -> Result<Cow<'t, str>, GitError> {
    let Some(place) = place(text) else { return Ok(text.into()) };
    let hash = commit(repository)?;
    let rest = &text[place + WORKTREE.len()..];
    let rest = resolved(repository, rest)?;
    Ok(format!("{}{hash}{rest}", &text[..place]).into())
}

/// The position of the word as a revision.
fn place(text: &str) -> Option<usize> {
    let is_revision = |(place, _): &(usize, &str)| {
        let (before, behind) = (&text[..*place], &text[place + WORKTREE.len()..]);
        let begins = before.is_empty() || before.ends_with("..") || before.ends_with(['^', ' ']);
        begins && (behind.is_empty() || behind.starts_with(['.', '^', '~', ':', ' ']))
    };
    text.match_indices(WORKTREE).find(is_revision).map(|(place, _)| place)
}

/// The commit of the checkout's current state, made if it does not exist yet.
fn commit(repository: &Repository) -> Result<String, GitError> {
    let failed = |why: String| GitError::Worktree { source: Said::new(why) };
    if repository.kind() == CheckoutKind::Bare {
        return Err(failed("the repository is bare: it has no checkout".to_owned()));
    }
    let git_folder = line(repository.ask(["rev-parse", "--absolute-git-dir"])?);
    let scratch = tempfile::Builder::new()
        .prefix("brisk-index-")
        .tempdir()
        .map_err(|error| failed(error.to_string()))?;
    let index = scratch.path().join("index");
    // With the user's index as a start, unchanged files need not be read again.
    match copy_with_time(&Path::new(&git_folder).join("index"), &index) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(failed(error.to_string()));
        }
        _ => {}
    }
    let ask = |args: &[&OsStr]| -> Result<String, GitError> {
        let args = args.iter().map(|arg| arg.to_os_string()).collect();
        let fixed = OURSELVES.into_iter().chain(FIXED);
        let fixed = fixed.map(|(name, value)| (name, OsStr::new(value)));
        let variables = fixed.chain([("GIT_INDEX_FILE", index.as_os_str())]);
        let answer = repository.ask_with(args, variables, &[])?;
        Ok(line(answer).to_string_lossy().into_owned())
    };
    let excluded = excluded(repository)?;
    let add = ["add", "--all", "--", ":/"].map(OsStr::new);
    ask(&add.into_iter().chain(excluded.iter().map(OsString::as_os_str)).collect::<Vec<_>>())?;
    let tree = ask(&["write-tree".as_ref()])?;
    let head = repository.try_ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?.ok();
    let head = head.map(line);
    let mut args = ["commit-tree", "--no-gpg-sign", "-m", SUBJECT, &tree].map(OsStr::new).to_vec();
    if let Some(head) = &head {
        args.extend(["-p".as_ref(), head.as_os_str()]);
    }
    ask(&args)
}

/// Copies an index with its time of modification: git reads the contents of files that changed no
/// earlier than the index, in whole seconds, as their times may not tell
/// (<https://git-scm.com/docs/racy-git>). With a later time it would not.
fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    File::options().write(true).open(to)?.set_modified(fs::metadata(from)?.modified()?)
}

/// Patterns for git that leave brisk's own files out: the reports of `brisk ci`, and among the files
/// that git does not know, exports and stores.
fn excluded(repository: &Repository) -> Result<Vec<OsString>, GitError> {
    let list = repository.ask(["ls-files", "--others", "--exclude-standard", "-z"])?;
    let exports = Exports::of_the_user();
    let names =
        list.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(OsStr::from_bytes);
    let own = names.filter(|name| exports.has(&repository.root().join(name)));
    let literally =
        own.map(|name| [OsStr::new(":(top,exclude,literal)"), name].into_iter().collect());
    let reports = OsString::from(format!(":(top,exclude,glob)**/{REPORTS}/**"));
    Ok(std::iter::once(reports).chain(literally).collect())
}

/// The commit's subject, which tables show.
pub(super) const SUBJECT: &str = "WORKTREE, uncommitted";

/// The dates, which git would otherwise take from the clock.
const FIXED: [(&str, &str); 2] =
    [("GIT_AUTHOR_DATE", "@0 +0000"), ("GIT_COMMITTER_DATE", "@0 +0000")];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_a_revision_where_git_would_have_one() {
        for (text, expected) in [
            ("WORKTREE", Some(0)),
            ("main..WORKTREE", Some(6)),
            ("HEAD^..WORKTREE^", Some(7)),
            ("^WORKTREE main", Some(1)),
            ("WORKTREE~2..", Some(0)),
            ("my-WORKTREE", None),
            ("refs/heads/WORKTREE", None),
            ("WORKTREES", None),
            ("main", None),
        ] {
            assert_eq!(place(text), expected, "{text}");
        }
    }
}
