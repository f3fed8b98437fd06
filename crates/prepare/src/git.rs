//! The `git` program, and the repository it works on.
//!
//! Every call of git goes through here, so that each runs in the same clean environment: no
//! variables of an outer git, no pager, prompt, hook, colour or translation, and no lock on the
//! user's index. A program rather than a library, because the user's own git brings their filters,
//! submodules and credentials.
//!
//! The web page that compares two commits is derived from the address of a remote, for hosts with
//! known pages only: no link is better than a broken one. The text before an `@` in an address may
//! contain a password, and is never repeated.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use measure::Outcome;
use measure::tool::{LogEnd, Tool, ToolError, logged, output};

/// Variables by which one git tells another which repository it is in: those listed by `git
/// rev-parse --local-env-vars`, and those that change the meaning of paths. Neither our git nor a
/// build may inherit them.
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

/// Settings that keep git's answers independent of the user's configuration, and git from acting on
/// the user's behalf.
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

/// The identity for commits that belong to no user.
pub(super) const OURSELVES: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "brisk"),
    ("GIT_AUTHOR_EMAIL", "brisk@localhost"),
    ("GIT_COMMITTER_NAME", "brisk"),
    ("GIT_COMMITTER_EMAIL", "brisk@localhost"),
];

/// The most bytes kept of the output of a git command that changes something.
const KEPT_BYTES: usize = 8 * 1024;

/// Tells a repository with a checkout from a bare one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckoutKind {
    /// It has a checkout.
    Checkout,
    /// It has no checkout.
    Bare,
}

/// Tells a complete history from a shallow clone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The whole history is present.
    Complete,
    /// The history was cut off when the repository was cloned.
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

/// Git's message for a failure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Said(String);

/// Reasons that git could not be run, or failed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum GitError {
    #[error("cannot run `git`")]
    Run { source: ToolError },
    #[error("`{}` is not in a git repository", path.display())]
    NoRepository { path: PathBuf, source: Said },
    #[error("`git {what}` failed")]
    Failed { what: String, source: Said },
    #[error("there is no `WORKTREE` to take")]
    Worktree { source: Said },
    #[error("`git` {}", Outcome::Signalled(*signal))]
    Killed { signal: i32 },
    #[error("interrupted while git ran")]
    Interrupted,
}

impl GitError {
    /// Advice for the user, if any.
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
    pub fn open(path: &Path) -> Result<Self, GitError> {
        let no_repository = |source| GitError::NoRepository { path: path.to_owned(), source };
        if !path.is_dir() {
            return Err(no_repository(Said("there is no such folder".to_owned())));
        }
        let ask = |questions: &[&str]| match run(git(path, [&["rev-parse"], questions].concat()))? {
            Ok(answer) => Ok(answer),
            // The repository exists, but git does not trust its owner, and its message names the
            // remedy.
            Err(source) if source.0.contains("dubious ownership") => {
                Err(GitError::Failed { what: "rev-parse".to_owned(), source })
            }
            Err(source) => Err(no_repository(source)),
        };
        // The path comes last, because it may contain line breaks.
        let questions = ["--is-bare-repository", "--is-shallow-repository", "--git-common-dir"];
        let answers = ask(&questions)?;
        let mut answers = answers.splitn(3, |byte| *byte == b'\n');
        let mut answer = || answers.next().unwrap_or_default();
        let kind = if answer() == b"true" { CheckoutKind::Bare } else { CheckoutKind::Checkout };
        let depth = if answer() == b"true" { Depth::Shallow } else { Depth::Complete };
        let unreadable = |error: std::io::Error| no_repository(Said(error.to_string()));
        // The answer may be relative to the folder in which git ran.
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

    /// The kind: with a checkout, or bare.
    pub fn kind(&self) -> CheckoutKind {
        self.kind
    }

    /// The depth: complete, or shallow.
    pub fn depth(&self) -> Depth {
        self.depth
    }

    /// Git's standard output.
    pub fn ask<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
    ) -> Result<Vec<u8>, GitError> {
        let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        let what = subcommand(&args);
        self.try_ask(args)?.map_err(|source| GitError::Failed { what, source })
    }

    /// Git's standard output, or its message when it fails: for commands whose failure is an
    /// answer.
    pub fn try_ask<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
    ) -> Result<Result<Vec<u8>, Said>, GitError> {
        run(git(&self.root, args))
    }

    /// As [`Repository::ask`], with further variables, set last, and with standard input.
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

/// Git with these arguments in `folder`, in a clean environment.
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
        // Without it, reading the user's checkout may rewrite its index.
        ("GIT_OPTIONAL_LOCKS", "0"),
    ] {
        tool = tool.env(name, Some(value.as_ref()));
    }
    tool.args(args)
}

/// Git in a folder that should be a checkout. If a build has removed its `.git`, git must not act
/// on the repository that the folder may happen to lie in.
fn git_within<S: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>) -> Tool {
    let ceiling = folder.parent().unwrap_or(folder);
    git(folder, args).env("GIT_CEILING_DIRECTORIES", Some(ceiling.as_os_str()))
}

/// Runs git: its standard output, or its message when it exits with a failure.
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

    /// The same with the line that names the cause at the end, which one-line reports show: for
    /// submodules, git's last line says only that it gave up.
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

/// The extent of a shallow clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutOff {
    /// The number of commits up to the one in question.
    pub commits: String,
}

impl CutOff {
    /// Advice for getting the rest.
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
    /// The extent of the history up to a commit, if it is cut off; `None` if the clone is complete.
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

/// The effect of a stop signal on a git command that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// The command is allowed to finish: it is quick.
    UntilDone,
    /// The command ends at the first signal after this number of them: it may wait for a network.
    Signals(u32),
}

/// Runs a git command that changes something in `folder`. It ends with brisk, so that a killed
/// brisk leaves no git behind that writes into folders that the next brisk cleans up.
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

/// Git's standard output in `folder`, which need not be the repository's root.
pub(super) fn ask_in<S: AsRef<OsStr>>(
    folder: &Path,
    args: impl IntoIterator<Item = S>,
) -> Result<Result<Vec<u8>, Said>, GitError> {
    run(git_within(folder, args).finishing_regardless())
}

/// Applies a patch to the files and the index of the checkout at `folder`, so that the next
/// checkout reverts it.
pub(super) fn apply(folder: &Path, patch: &[u8]) -> Result<Result<(), Said>, GitError> {
    let tool = git_within(folder, ["apply", "--index", "--whitespace=nowarn", "-"]);
    Ok(run(tool.stdin(patch).finishing_regardless())?.map(drop))
}

/// The answer without its line break: a path or a word.
pub(super) fn line(mut answer: Vec<u8>) -> OsString {
    if answer.last() == Some(&b'\n') {
        answer.pop();
    }
    OsString::from_vec(answer)
}

/// The page that shows the changes between `from` and `to` at the repository's remote: `origin`, or
/// the only remote.
pub fn remote_compare_url(repository: &Repository, from: &str, to: &str) -> Option<String> {
    let remotes = repository.ask(["remote"]).ok()?;
    let remotes = String::from_utf8_lossy(&remotes).into_owned();
    let mut names: Vec<&str> = remotes.lines().collect();
    names.sort_by_key(|name| *name != "origin");
    let (first, others) = names.split_first()?;
    if *first != "origin" && !others.is_empty() {
        return None;
    }
    let address = repository.ask(["remote", "get-url", first]).ok()?;
    compare_url(line(address).to_str()?, from, to)
}

/// The page that compares two commits of the repository at `address`.
pub fn compare_url(address: &str, from: &str, to: &str) -> Option<String> {
    let (host, path) = host_and_path(address)?;
    let host = match host.to_ascii_lowercase().as_str() {
        // These hosts accept ssh on the port of https.
        "ssh.github.com" => "github.com".to_owned(),
        "altssh.gitlab.com" => "gitlab.com".to_owned(),
        "altssh.bitbucket.org" => "bitbucket.org".to_owned(),
        host => host.to_owned(),
    };
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.~/+".contains(c);
    if !path.contains('/') || !path.chars().all(is_plain) {
        return None;
    }
    let page = match site(&host)? {
        Site::Github | Site::Gitea => format!("compare/{from}...{to}"),
        Site::Gitlab => format!("-/compare/{from}...{to}"),
        // The newer commit comes first, and a carriage return separates them.
        Site::Bitbucket => format!("branches/compare/{to}%0D{from}"),
    };
    Some(format!("https://{host}/{path}/{page}"))
}

/// The software behind the pages.
enum Site {
    Github,
    Gitlab,
    /// Also Forgejo.
    Gitea,
    Bitbucket,
}

/// The software of a host, as far as its name reveals it.
fn site(host: &str) -> Option<Site> {
    let has = |label: &str| host.split('.').any(|part| part == label);
    match host {
        "codeberg.org" => Some(Site::Gitea),
        "bitbucket.org" => Some(Site::Bitbucket),
        "salsa.debian.org" | "framagit.org" | "invent.kde.org" => Some(Site::Gitlab),
        _ if has("github") => Some(Site::Github),
        _ if has("gitlab") => Some(Site::Gitlab),
        _ if has("gitea") || has("forgejo") => Some(Site::Gitea),
        _ => None,
    }
}

/// The host and the path of an address: `ssh://user@host:port/path`, `https://...`, `git://...`, or
/// `user@host:path`.
fn host_and_path(address: &str) -> Option<(&str, &str)> {
    let (authority, path) = match address.split_once("://") {
        Some(("https" | "http" | "ssh" | "git" | "git+ssh", rest)) => rest.split_once('/')?,
        Some(_) => return None,
        None => {
            let (authority, path) = address.split_once(':')?;
            // A colon after a slash belongs to the name of a local file.
            (!authority.contains('/')).then_some((authority, path))?
        }
    };
    let host = authority.rsplit('@').next()?;
    let host = host.split(':').next()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    (!host.is_empty() && host.chars().all(is_plain)).then_some((host, path))
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

    /// The shapes are those of the pages behind the hosts' own "compare" buttons.
    const PAGES: [(&str, &str); 12] = [
        ("https://github.com/o/r.git", "https://github.com/o/r/compare/a...b"),
        ("https://github.com/o/r/", "https://github.com/o/r/compare/a...b"),
        ("git@github.com:o/r.git", "https://github.com/o/r/compare/a...b"),
        ("ssh://git@ssh.github.com:443/o/r.git", "https://github.com/o/r/compare/a...b"),
        ("https://user:secret@github.com/o/r", "https://github.com/o/r/compare/a...b"),
        ("https://me:p@ss@github.example.com/o/r", "https://github.example.com/o/r/compare/a...b"),
        ("git@gitlab.com:g/s/r.git", "https://gitlab.com/g/s/r/-/compare/a...b"),
        (
            "https://gitlab.haskell.org/ghc/ghc",
            "https://gitlab.haskell.org/ghc/ghc/-/compare/a...b",
        ),
        ("https://salsa.debian.org/o/r.git", "https://salsa.debian.org/o/r/-/compare/a...b"),
        ("git@codeberg.org:o/r.git", "https://codeberg.org/o/r/compare/a...b"),
        ("https://u@bitbucket.org/o/r.git", "https://bitbucket.org/o/r/branches/compare/b%0Da"),
        ("git://GitHub.com/o/r", "https://github.com/o/r/compare/a...b"),
    ];

    #[test]
    fn the_hosts_pages_are_found() {
        for (address, page) in PAGES {
            assert_eq!(compare_url(address, "a", "b").as_deref(), Some(page), "{address}");
        }
    }

    #[test]
    fn where_no_page_is_known_there_is_none() {
        for address in [
            "",
            "../elsewhere",
            "/srv/git/github.com/r.git",
            "file:///srv/git/r",
            "https://example.com/o/r",
            "https://notgithub.com/o/r",
            "git@github.com:r",
            "https://github.com",
            "https://github.com/o/r?x=<script>",
            "git@ser ver:o/r",
        ] {
            assert_eq!(compare_url(address, "a", "b"), None, "{address}");
        }
    }
}
