//! `WORKTREE`: what lies in the user's checkout, as a commit.
//!
//! The files that git knows and those that it does not ignore are written into a tree by way of an
//! index of our own, so that the user's stays as it is, and the tree is given to a commit on top of
//! `HEAD`, to which no reference leads (as `git stash create` makes one): `git gc` forgets it some
//! weeks later. All that could differ between two calls is fixed, so what has not changed has the
//! same name again, and is found wherever that is looked up.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use super::git::{CheckoutKind, GitError, OURSELVES, Repository, Said, line};

/// What stands for the checkout, where a revision is asked for.
pub const WORKTREE: &str = "WORKTREE";

/// The folder in which `brisk ci` leaves its reports: no change of the project's.
pub const REPORTS: &str = "brisk-ci";

/// The text with the name of a commit wherever `WORKTREE` is a revision in it: alone, as an end of
/// a range, or before `^`, `~`, `@` and `:`.
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

/// Where the word stands as a revision.
fn place(text: &str) -> Option<usize> {
    let is_revision = |(place, _): &(usize, &str)| {
        let (before, behind) = (&text[..*place], &text[place + WORKTREE.len()..]);
        let begins = before.is_empty() || before.ends_with("..") || before.ends_with(['^', ' ']);
        begins && (behind.is_empty() || behind.starts_with(['.', '^', '~', ':', ' ']))
    };
    text.match_indices(WORKTREE).find(is_revision).map(|(place, _)| place)
}

/// The commit with what lies there, made if it is not there yet.
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
    // With what the user's index knows of the files, unchanged ones need not be read again.
    match fs::copy(Path::new(&git_folder).join("index"), &index) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(failed(error.to_string()));
        }
        _ => {}
    }
    let ask = |args: &[&str]| -> Result<String, GitError> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let fixed = OURSELVES.into_iter().chain(FIXED);
        let fixed = fixed.map(|(name, value)| (name, OsStr::new(value)));
        let variables = fixed.chain([("GIT_INDEX_FILE", index.as_os_str())]);
        let answer = repository.ask_with(args, variables, &[])?;
        Ok(line(answer).to_string_lossy().into_owned())
    };
    ask(&["add", "--all", "--", ":/", &format!(":(top,exclude,glob)**/{REPORTS}/**")])?;
    let tree = ask(&["write-tree"])?;
    let head = repository.try_ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?.ok();
    let head = head.map(|answer| line(answer).to_string_lossy().into_owned());
    let mut args = vec!["commit-tree", "--no-gpg-sign", "-m", SUBJECT, tree.as_str()];
    if let Some(head) = &head {
        args.extend(["-p", head]);
    }
    ask(&args)
}

/// What tables call it.
pub(super) const SUBJECT: &str = "WORKTREE, uncommitted";

/// What git would else take from the clock.
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
