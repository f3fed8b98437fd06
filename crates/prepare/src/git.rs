//! The `git` program, and the repository it is asked about.
//!
//! Every question to git goes through here, so that each is asked in the same clean surroundings:
//! no variable of an outer git, no pager, prompt, hook, colour or translation, and no lock on the
//! user's index. A program and not a library, because the user's own git brings their filters,
//! their submodules and their credentials.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use measure::Outcome;
use measure::tool::{LogEnd, Tool, ToolError, logged, output};

/// Variables by which one git tells another which repository it is in: those that
/// `git rev-parse --local-env-vars` lists, and those that change how paths are meant. Neither our
/// git nor a build may inherit them.
pub(super) const LOCAL_VARIABLES: [&str; 21] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// What would make git's answers depend on the user's taste, or act on the user's behalf.
const SETTINGS: [&str; 8] = [
    "core.quotePath=false",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "log.showSignature=false",
    "submodule.recurse=false",
    "advice.detachedHead=false",
];

/// Who makes a commit that is nobody's.
pub(super) const OURSELVES: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "brisk"),
    ("GIT_AUTHOR_EMAIL", "brisk@localhost"),
    ("GIT_COMMITTER_NAME", "brisk"),
    ("GIT_COMMITTER_EMAIL", "brisk@localhost"),
];

/// How much of what git says is kept where it is asked to do something, in bytes.
const KEPT_BYTES: usize = 8 * 1024;

/// Whether there is a checkout beside the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckoutKind {
    /// There is.
    Checkout,
    /// There is none.
    Bare,
}

/// Whether all of the history is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// It is.
    Complete,
    /// It was cut off when the repository was cloned.
    Shallow,
}

/// A git repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    root: PathBuf,
    common_dir: PathBuf,
    kind: CheckoutKind,
    depth: Depth,
}

/// What git said when it failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Said(String);

/// Why git could not be asked, or did not do as told.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git, or it cannot be run.
    #[error("cannot run `git`")]
    Run {
        /// Why.
        #[source]
        source: ToolError,
    },
    /// The folder is in no repository.
    #[error("`{}` is not in a git repository", path.display())]
    NoRepository {
        /// The folder.
        path: PathBuf,
        /// What git said.
        #[source]
        source: Said,
    },
    /// Git failed.
    #[error("`git {what}` failed")]
    Failed {
        /// The subcommand.
        what: String,
        /// What git said.
        #[source]
        source: Said,
    },
    /// What lies in the checkout cannot be had as a commit.
    #[error("there is no `WORKTREE` to take")]
    Worktree {
        /// Why.
        #[source]
        source: Said,
    },
    /// A signal ended git, and nobody had asked for it.
    #[error("`git` {}", Outcome::Signalled(*signal))]
    Killed {
        /// The signal's number.
        signal: i32,
    },
    /// A signal asked us to stop.
    #[error("interrupted while git ran")]
    Interrupted,
}

impl GitError {
    /// A way out, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Run { source: ToolError::Start { .. } } => {
                Some("install git; `history` reads the repository with it".to_owned())
            }
            Self::NoRepository { .. } => {
                Some("run brisk inside the repository, or name it with `--project DIR`".to_owned())
            }
            Self::Killed { .. } => Some(
                "the same command tries again; a system that is short of memory kills by signal 9"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}

impl Repository {
    /// The repository that `path` is in.
    ///
    /// # Errors
    ///
    /// When it is in none, or git cannot be run.
    pub fn open(path: &Path) -> Result<Self, GitError> {
        let no_repository = |source| GitError::NoRepository { path: path.to_owned(), source };
        if !path.is_dir() {
            return Err(no_repository(Said("there is no such folder".to_owned())));
        }
        let ask = |questions: &[&str]| match run(git(path, [&["rev-parse"], questions].concat()))? {
            Ok(answer) => Ok(answer),
            // There is one, but git does not trust its owner, and says what to do.
            Err(source) if source.0.contains("dubious ownership") => {
                Err(GitError::Failed { what: "rev-parse".to_owned(), source })
            }
            Err(source) => Err(no_repository(source)),
        };
        // The path comes last, because it may have lines of its own.
        let questions = ["--is-bare-repository", "--is-shallow-repository", "--git-common-dir"];
        let answers = ask(&questions)?;
        let mut answers = answers.splitn(3, |byte| *byte == b'\n');
        let mut answer = || answers.next().unwrap_or_default();
        let kind = if answer() == b"true" { CheckoutKind::Bare } else { CheckoutKind::Checkout };
        let depth = if answer() == b"true" { Depth::Shallow } else { Depth::Complete };
        let unreadable = |error: std::io::Error| no_repository(Said(error.to_string()));
        // Git may answer relative to where it was asked.
        let common_dir = path.join(line(answer().to_vec()));
        let common_dir = fs::canonicalize(common_dir).map_err(unreadable)?;
        let root = match kind {
            CheckoutKind::Bare => common_dir.clone(),
            CheckoutKind::Checkout => PathBuf::from(line(ask(&["--show-toplevel"])?)),
        };
        Ok(Self { root, common_dir, kind, depth })
    }

    /// The folder of the checkout, or the repository itself if it is bare.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder with the objects and the references.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Whether it has a checkout.
    pub fn kind(&self) -> CheckoutKind {
        self.kind
    }

    /// Whether all of the history is there.
    pub fn depth(&self) -> Depth {
        self.depth
    }

    /// What git answers on standard output.
    ///
    /// # Errors
    ///
    /// When git fails.
    pub fn ask<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
    ) -> Result<Vec<u8>, GitError> {
        let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        let what = subcommand(&args);
        self.try_ask(args)?.map_err(|source| GitError::Failed { what, source })
    }

    /// What git answers, or what it says when it fails: where failing is an answer.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub fn try_ask<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
    ) -> Result<Result<Vec<u8>, Said>, GitError> {
        run(git(&self.root, args))
    }

    /// The same with further variables, each set last, and something to read.
    pub(super) fn ask_with<'v>(
        &self,
        args: Vec<OsString>,
        variables: impl Iterator<Item = (&'v str, &'v OsStr)>,
        stdin: &[u8],
    ) -> Result<Vec<u8>, GitError> {
        let what = subcommand(&args);
        let tool = git(&self.root, args).stdin(stdin);
        let tool = variables.fold(tool, |tool, (name, value)| tool.env(name, Some(value)));
        run(tool)?.map_err(|source| GitError::Failed { what, source })
    }
}

/// Git with these arguments in `folder`, in clean surroundings.
fn git<S: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>) -> Tool {
    let mut tool = Tool::new("git").cwd(folder).args(["--no-pager"]);
    for setting in SETTINGS {
        tool = tool.args(["-c", setting]);
    }
    for name in LOCAL_VARIABLES {
        tool = tool.env(name, None);
    }
    for (name, value) in [
        ("LC_ALL", "C"),
        ("GIT_TERMINAL_PROMPT", "0"),
        // Otherwise looking at the user's checkout may rewrite its index.
        ("GIT_OPTIONAL_LOCKS", "0"),
    ] {
        tool = tool.env(name, Some(value.as_ref()));
    }
    tool.args(args)
}

/// Git in a folder that is a checkout itself: if it is none, because a build has removed its
/// `.git`, then git must not act on the repository that the folder may happen to lie in.
fn git_within<S: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>) -> Tool {
    let ceiling = folder.parent().unwrap_or(folder);
    git(folder, args).env("GIT_CEILING_DIRECTORIES", Some(ceiling.as_os_str()))
}

/// What a git answers, or says when it fails by itself.
fn run(tool: Tool) -> Result<Result<Vec<u8>, Said>, GitError> {
    let output = output(&tool).map_err(|source| match source {
        ToolError::Interrupted { .. } => GitError::Interrupted,
        source => GitError::Run { source },
    })?;
    match output.outcome {
        Outcome::Exited(0) => Ok(Ok(output.stdout)),
        Outcome::Signalled(signal) => Err(GitError::Killed { signal }),
        Outcome::Exited(_) | Outcome::TimedOut => Ok(Err(Said::by(&output.stderr))),
    }
}

impl Said {
    pub(super) fn new(text: String) -> Self {
        Self(text)
    }

    /// The same with the line that names the cause at its end, where one-line reports look: what git
    /// says last of a submodule is only that it gave up.
    pub(super) fn ending_with_cause(self) -> Self {
        let is_cause = |line: &&str| {
            let line = line.trim_start();
            let beginnings = ["fatal:", "error:", "ERROR:", "remote:", "ssh:", "Permission denied"];
            beginnings.iter().any(|beginning| line.starts_with(beginning))
        };
        match self.0.lines().find(is_cause) {
            Some(cause) if self.0.lines().next_back() != Some(cause) => {
                Self(format!("{}\n{}", self.0, cause.trim()))
            }
            _ => self,
        }
    }

    pub(super) fn by(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim();
        Self(if text.is_empty() { "it said nothing".to_owned() } else { text.to_owned() })
    }
}

/// A shallow clone: how much of the history it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutOff {
    /// The number of commits up to the one that was asked for.
    pub commits: String,
}

impl CutOff {
    /// A way to the rest.
    pub const HINT: &str = "`git fetch --unshallow` gets the whole history, `git fetch --deepen 50` 50 \
                            commits more; in CI `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` \
                            for GitLab";
}

impl std::fmt::Display for CutOff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.commits.as_str() {
            "1" => write!(f, "this is a shallow clone of 1 commit, which came without its parent"),
            commits => {
                write!(f, "this is a shallow clone, whose history ends after {commits} commits")
            }
        }
    }
}

impl Repository {
    /// How much of the history up to a commit is there; none where all of it is.
    pub fn cut_off(&self, commit: &str) -> Option<CutOff> {
        if self.depth != Depth::Shallow {
            return None;
        }
        let count = self.try_ask(["rev-list", "--count", "--first-parent", commit, "--"]);
        let count = count.ok().and_then(Result::ok).unwrap_or_default();
        Some(CutOff { commits: line(count).to_string_lossy().into_owned() })
    }
}

/// The first argument that is not an option of git itself.
fn subcommand(args: &[OsString]) -> String {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "-c" {
            args.next();
        } else {
            return arg.to_string_lossy().into_owned();
        }
    }
    String::new()
}

/// What a signal that asks us to stop does to a git that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// It is allowed to finish: it is quick.
    UntilDone,
    /// It ends if a signal comes after so many: it may wait for a network.
    Signals(u32),
}

/// Makes git change something in `folder`. It ends when we do, so that a
/// killed brisk leaves no git behind that writes into what the next one tidies up.
pub(super) fn change<S: AsRef<OsStr>>(
    folder: &Path,
    args: impl IntoIterator<Item = S>,
    patience: Patience,
) -> Result<(), GitError> {
    let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
    let what = subcommand(&args);
    let tool = git_within(folder, &args);
    let log = match patience {
        Patience::UntilDone => logged(&tool.finishing_regardless(), KEPT_BYTES, 0),
        Patience::Signals(requests) => logged(&tool, KEPT_BYTES, requests),
    };
    let log = log.map_err(|source| GitError::Run { source })?;
    match log.end {
        LogEnd::ByItself(Outcome::Exited(0)) => Ok(()),
        LogEnd::ByItself(Outcome::Signalled(signal)) => Err(GitError::Killed { signal }),
        LogEnd::Interrupted => Err(GitError::Interrupted),
        _ => Err(GitError::Failed { what, source: Said::by(&log.tail) }),
    }
}

/// What git answers in `folder`, which need not be the repository's root.
pub(super) fn ask_in<S: AsRef<OsStr>>(
    folder: &Path,
    args: impl IntoIterator<Item = S>,
) -> Result<Result<Vec<u8>, Said>, GitError> {
    run(git_within(folder, args).finishing_regardless())
}

/// Applies a patch to the files and the index of the checkout at `folder`, so that the next
/// checkout takes it back.
pub(super) fn apply(folder: &Path, patch: &[u8]) -> Result<Result<(), Said>, GitError> {
    let tool = git_within(folder, ["apply", "--index", "--whitespace=nowarn", "-"]);
    Ok(run(tool.stdin(patch).finishing_regardless())?.map(drop))
}

/// An answer of one line, as a path or a word.
pub(super) fn line(mut answer: Vec<u8>) -> OsString {
    if answer.last() == Some(&b'\n') {
        answer.pop();
    }
    OsString::from_vec(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_stands_last_where_git_ends_with_that_it_gave_up() {
        let last = |text: &str| {
            let said = Said::by(text.as_bytes()).ending_with_cause().to_string();
            said.lines().next_back().map(str::to_owned).unwrap_or_default()
        };
        let gave_up = "Cloning into '/w/lib'...\nfatal: repository '/gone' does not exist\n\
                       fatal: clone of '/gone' into submodule path '/w/lib' failed\n\
                       Failed to clone 'lib' a second time, aborting\n";
        assert_eq!(last(gave_up), "fatal: repository '/gone' does not exist");
        assert_eq!(last("fatal: one\n"), "fatal: one");
        assert_eq!(last("nothing that is known\nat all"), "at all");
    }
}
