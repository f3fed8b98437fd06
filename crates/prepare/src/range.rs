//! The commits of a range, oldest first.
//!
//! Ranges are written as for `git log`. A single revision, which git would take for a whole
//! history, is refused: it is easily typed, and would build ten years of commits by accident.
//! `ROOT^..A` asks for the whole history explicitly, although a root has no parent.
//!
//! `WORKTREE` is the uncommitted state of the user's checkout, as a commit. The files that git
//! knows and those that it does not ignore are written into a tree through a separate index, so
//! that the user's stays as it is, and the tree is given to a commit on top of `HEAD` without any
//! reference to it (like that of `git stash create`): `git gc` forgets it some weeks later. All
//! fields that could differ between two calls are fixed, so an unchanged state has the same hash
//! again, and is found wherever that is looked up.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::git::{CheckoutKind, CutOff, Depth, GitError, OURSELVES, Repository, Said, line};
use crate::written::Exports;

/// A commit of the range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its full hash.
    pub hash: String,
    /// Its parents, the first one first; empty for a root.
    pub parents: Vec<String>,
    /// The full name of its tree, the only part of a commit that a build depends on.
    pub tree: String,
    /// The first paragraph of its message, on one line.
    pub subject: String,
    /// The author date, in seconds since 1970-01-01 UTC.
    pub author_unix_seconds: i64,
    /// The author's name.
    pub author: String,
}

impl Commit {
    /// The first parent.
    pub fn parent(&self) -> Option<&str> {
        self.parents.first().map(String::as_str)
    }

    /// True if this commit stands for the user's uncommitted changes.
    pub fn is_uncommitted(&self) -> bool {
        self.subject == SUBJECT
    }
}

/// The parents to follow at merges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// Only first parents: a merged branch counts as one change, its merge.
    FirstParents,
    /// All parents; parents come before their children.
    AllParents,
}

/// An error that leaves a range without commits to build.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum RangeError {
    #[error("`{range}` is not a range of commits")]
    NotARange { range: String },
    #[error("unknown revision `{revision}`")]
    UnknownRevision { revision: String, depth: Depth, source: Said },
    #[error("`{range}` is the whole history up to there, {commits} commits, not a range")]
    NoBeginning { range: String, commits: String, root: String },
    #[error("`{range}` has more than one end")]
    SeveralEnds { range: String },
    #[error("no commits in `{range}`")]
    Empty { range: String },
    #[error("`{end}` does not descend from `{root}`")]
    Unrelated { root: String, end: String },
    #[error("the history in `{range}` is cut off at {commit}")]
    Shallow { range: String, commit: String },
    #[error(transparent)]
    Git(#[from] GitError),
}

impl RangeError {
    /// A suggested fix, if there is one.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotARange { .. } => {
                "write it as for `git log`: `A..B`, or `A^..B` to include A".to_owned()
            }
            Self::UnknownRevision { depth: Depth::Shallow, .. } | Self::Shallow { .. } => {
                format!("the repository is a shallow clone; {}", CutOff::HINT)
            }
            Self::UnknownRevision { .. } => {
                "`git log --oneline` lists commits, `git branch --all` branches, `git tag` tags"
                    .to_owned()
            }
            Self::NoBeginning { range, root, .. } => format!(
                "`{range}^..{range}` is that commit alone, `{range}..HEAD` what came after it, and \
                 `{root}^..{range}` all of it"
            ),
            Self::SeveralEnds { .. } => "write `A..B` with two dots".to_owned(),
            Self::Empty { .. } => "the older end comes first: `OLDER..NEWER`".to_owned(),
            Self::Unrelated { .. } => return None,
            Self::Git(error) => return error.hint(),
        })
    }
}

/// The commits of `range`, oldest first.
///
/// # Errors
///
/// When the text is not a range, the range is empty or has no beginning, or it reaches beyond the
/// history of a shallow clone.
pub fn commits(
    repository: &Repository,
    range: &str,
    follow: Follow,
) -> Result<Vec<Commit>, RangeError> {
    let limits = limits(repository, range)?;
    let mut args = LOG.to_vec();
    args.extend(["--reverse", "--topo-order"]);
    if follow == Follow::FirstParents {
        args.push("--first-parent");
    }
    args.extend(limits.iter().map(String::as_str));
    args.push("--");
    let commits = parse(&repository.ask(args)?);
    if commits.is_empty() {
        return Err(RangeError::Empty { range: range.to_owned() });
    }
    let cut = boundary(repository);
    match commits.iter().find(|commit| cut.contains(&commit.hash)) {
        Some(commit) => {
            Err(RangeError::Shallow { range: range.to_owned(), commit: commit.hash.clone() })
        }
        None => Ok(commits),
    }
}

/// The number of commits in `range` along all parents: merges, and the commits they brought in.
pub fn count_all(repository: &Repository, range: &str) -> Result<usize, RangeError> {
    let limits = limits(repository, range)?;
    let limits = limits.iter().map(String::as_str);
    let hashes = repository.ask(std::iter::once("rev-list").chain(limits).chain(["--"]))?;
    Ok(hashes.iter().filter(|byte| **byte == b'\n').count())
}

/// The commit that a revision names, or `None` if it names none. Works in shallow clones.
pub fn commit(repository: &Repository, revision: &str) -> Result<Option<Commit>, GitError> {
    if revision.is_empty() || revision.starts_with('-') {
        return Ok(None);
    }
    let Some(hash) = resolve(repository, revision)? else { return Ok(None) };
    let mut args = LOG.to_vec();
    args.extend(["--max-count=1", &hash, "--"]);
    Ok(parse(&repository.ask(args)?).pop())
}

/// The git command whose output [`parse`] reads.
const LOG: [&str; 7] = [
    "log",
    "-z",
    "--no-color",
    "--no-notes",
    "--no-patch",
    "--encoding=UTF-8",
    "--format=tformat:%H%x00%P%x00%T%x00%at%x00%an%x00%s",
];

/// The commits to include and, prefixed with `^`, to exclude, as full names.
fn limits(repository: &Repository, range: &str) -> Result<Vec<String>, RangeError> {
    let range = range.trim();
    if range.is_empty() || range.starts_with('-') {
        return Err(RangeError::NotARange { range: range.to_owned() });
    }
    let named = resolved(repository, range)?;
    let said = match repository.try_ask(["rev-parse", "--revs-only", &named, "--"])? {
        Ok(answer) => {
            let answer = String::from_utf8_lossy(&answer);
            let mut limits = Vec::new();
            for limit in answer.lines() {
                // Git would accept a file as an exclusion, but it excludes nothing.
                if resolve(repository, limit.trim_start_matches('^'))?.is_none() {
                    return Err(RangeError::NotARange { range: range.to_owned() });
                }
                limits.push(limit.to_owned());
            }
            return bounded(repository, range, limits);
        }
        Err(said) => said,
    };
    let (from, to) = sides(range);
    let end = resolve(repository, to)?;
    let beginning = match from {
        Some(from) => resolve(repository, from)?,
        None => None,
    };
    if let (Some(root), Some(end)) = (from.and_then(|from| from.strip_suffix('^')), &end)
        && let Some(hash) = resolve(repository, root)?
    {
        return from_root(repository, range, root, &hash, to, end);
    }
    let revision = match from {
        Some(from) if beginning.is_none() => from,
        _ if end.is_none() => to,
        _ => range,
    };
    let depth = repository.depth();
    Err(RangeError::UnknownRevision { revision: revision.to_owned(), depth, source: said })
}

/// Returns the limits if they have one end and a beginning.
fn bounded(
    repository: &Repository,
    range: &str,
    limits: Vec<String>,
) -> Result<Vec<String>, RangeError> {
    let range = range.to_owned();
    let ends = limits.iter().filter(|limit| !limit.starts_with('^')).count();
    match (ends, limits.len() - ends) {
        (0, _) => Err(RangeError::NotARange { range }),
        (1, 0) => {
            let count = ["rev-list", "--count", "--first-parent", &limits[0], "--"];
            let root = ["rev-list", "--first-parent", "--max-parents=0", &limits[0], "--"];
            let text = |answer: Vec<u8>| line(answer).to_string_lossy().into_owned();
            let commits = text(repository.ask(count)?);
            let root = text(repository.ask(root)?).chars().take(12).collect();
            Err(RangeError::NoBeginning { range, commits, root })
        }
        (1, _) => Ok(limits),
        _ => Err(RangeError::SeveralEnds { range }),
    }
}

/// `ROOT^..END` for a root without parent: the whole history of the end.
fn from_root(
    repository: &Repository,
    range: &str,
    root: &str,
    root_hash: &str,
    end: &str,
    end_hash: &str,
) -> Result<Vec<String>, RangeError> {
    if boundary(repository).contains(root_hash) {
        let commit = root_hash.to_owned();
        return Err(RangeError::Shallow { range: range.to_owned(), commit });
    }
    match repository.try_ask(["merge-base", "--is-ancestor", root_hash, end_hash])? {
        Ok(_) => Ok(vec![end_hash.to_owned()]),
        Err(_) => Err(RangeError::Unrelated { root: root.to_owned(), end: end.to_owned() }),
    }
}

/// The two sides of a range; an empty side means `HEAD` (gitrevisions(7)).
fn sides(range: &str) -> (Option<&str>, &str) {
    fn or_head(side: &str) -> &str {
        if side.is_empty() { "HEAD" } else { side }
    }
    match range.split_once("...").or_else(|| range.split_once("..")) {
        Some((from, to)) => (Some(or_head(from)), or_head(to)),
        None => (None, range),
    }
}

/// The full name of the commit that a revision names, if it names one.
fn resolve(repository: &Repository, revision: &str) -> Result<Option<String>, GitError> {
    let commit = format!("{}^{{commit}}", resolved(repository, revision)?);
    let answer = repository.try_ask(["rev-parse", "--verify", "--quiet", &commit])?;
    Ok(answer.ok().map(|answer| line(answer).to_string_lossy().into_owned()))
}

/// The commits whose parents are missing from a shallow clone.
fn boundary(repository: &Repository) -> HashSet<String> {
    // Complete repositories do not have this file.
    let names = fs::read_to_string(repository.common_dir().join("shallow")).unwrap_or_default();
    names.lines().map(str::to_owned).collect()
}

/// Parses six fields for each commit, each ended by a NUL.
fn parse(log: &[u8]) -> Vec<Commit> {
    let fields: Vec<&[u8]> = log.split(|byte| *byte == 0).collect();
    let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
    let commit = |fields: &[&[u8]]| Commit {
        hash: text(fields[0]),
        parents: text(fields[1]).split_ascii_whitespace().map(str::to_owned).collect(),
        tree: text(fields[2]),
        // Git writes 0 if it cannot read a damaged date.
        author_unix_seconds: text(fields[3]).parse().unwrap_or(0),
        author: text(fields[4]),
        subject: text(fields[5]),
    };
    fields.chunks_exact(6).map(commit).collect()
}

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
    let hash = commit_of_checkout(repository)?;
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
fn commit_of_checkout(repository: &Repository) -> Result<String, GitError> {
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

/// Patterns for git that leave brisk's own files out: the reports of `brisk ci`, and among the
/// files that git does not know, exports and stores.
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
pub(super) const FIXED: [(&str, &str); 2] =
    [("GIT_AUTHOR_DATE", "@0 +0000"), ("GIT_COMMITTER_DATE", "@0 +0000")];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_of_a_range_means_head() {
        assert_eq!(sides("a..b"), (Some("a"), "b"));
        assert_eq!(sides("a^.."), (Some("a^"), "HEAD"));
        assert_eq!(sides("..b"), (Some("HEAD"), "b"));
        assert_eq!(sides("v1.0...v2.0"), (Some("v1.0"), "v2.0"));
        assert_eq!(sides("main"), (None, "main"));
    }

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
