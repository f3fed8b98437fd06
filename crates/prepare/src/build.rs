//! One build: a commit's files with its submodules, patch and overlay, the build command, and the
//! path of the artefact. This file does not know the cache.
//!
//! The build command runs here or at a site, on machines that see the same folders. A site reports
//! separately if the end of a command is unknown, because a machine or a scheduler failed: that
//! says nothing about a commit.
//!
//! The artefact's name may be a pattern, such as `target/release/deps/bench-*`. Before a build, all
//! files that match it are removed, so that those found afterwards are its products, or belong to
//! the commit: one program, or an ambiguity. Other files may have a name like the program's, such
//! as the `.d` files of Cargo: of several files, the executable ones count.
//!
//! A submodule that the user's repository has already is taken from there, so that no network is
//! needed. `git submodule update --init` is not used, because it writes into the configuration that
//! the worktree shares with the user's checkout.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{fmt, fs};

use measure::Outcome;
use measure::tool::{Log, LogEnd, Tool, logged};
use toolchains::project;

use crate::artifact::FailureReason;
use crate::git::{GitError, LOCAL_VARIABLES, Patience, Repository, apply, ask_in, change};
use crate::range::Commit;
use crate::recipe::{Ingredients, SOURCE_DATE_EPOCH, is_absence, leads_inside};
use crate::worktree::{Worktree, WorktreeState, remove_folder};

/// The most bytes kept of a build's output: enough for the first error of a long cascade.
const KEPT_BYTES: usize = 64 * 1024;

/// If not even this many bytes can be written after a failed build, the disk is full.
const PROBE_BYTES: usize = 1024 * 1024;

/// The C library's message for ENOSPC. Builds may speak other languages, hence the probe as well.
const NO_SPACE: &[u8] = b"No space left on device";

/// A build that came to its end.
pub(super) struct Attempt {
    /// The path of the artefact, or the failure.
    pub(super) result: Result<PathBuf, FailureReason>,
    /// The end of the output.
    pub(super) log: Vec<u8>,
    /// The running time of the build command.
    pub(super) elapsed: Duration,
}

/// Reasons that an attempt did not end.
pub(super) enum Broken {
    /// A signal asked brisk to stop.
    Interrupted,
    /// Git cannot be used.
    Git(GitError),
    /// The end of the build command is unknown.
    Site(SiteError),
}

/// The callbacks of a build.
#[derive(Clone, Copy)]
pub(super) struct Overseer<'a> {
    /// The number of earlier signals, which are ignored.
    pub(super) requests: u32,
    /// Shows a message to the user.
    pub(super) say: &'a dyn Fn(&str),
    /// Receives the folder for links in further orders.
    pub(super) links: &'a dyn Fn(&Path),
}

/// The remote site of a build command, and the number of jobs that got lost there.
#[derive(Clone, Copy)]
pub(super) struct Elsewhere<'a> {
    pub(super) site: &'a dyn BuildSite,
    pub(super) lost: LostBuilds,
}

/// The result of a step before the build command: an early end of the attempt, or nothing.
type Step = Result<Result<(), Attempt>, Broken>;

impl Attempt {
    fn failed(reason: FailureReason, log: impl Into<Vec<u8>>) -> Self {
        Self { result: Err(reason), log: log.into(), elapsed: Duration::ZERO }
    }
}

/// Builds `commit` in `worktree`, which is fresh with this commit or used with any; on this
/// machine, or on the given site.
pub(super) fn attempt(
    repository: &Repository,
    worktree: &mut Worktree,
    commit: &Commit,
    ingredients: &Ingredients,
    wrapped: &[(OsString, OsString)],
    overseer: Overseer<'_>,
    elsewhere: Option<Elsewhere<'_>>,
) -> Result<Attempt, Broken> {
    let tree = worktree.path();
    let requests = overseer.requests;
    let checked_out = check_out(repository, worktree, commit, ingredients, requests)?;
    // From here on, the worktree contains more than the commit.
    worktree.use_up();
    if let Err(end) = checked_out {
        return Ok(end);
    }
    if let Err(end) = lay_over(&tree, ingredients)? {
        return Ok(end);
    }
    let cwd = tree.join(&ingredients.recipe.cwd);
    if !cwd.is_dir() {
        let cwd = ingredients.recipe.cwd.display().to_string();
        return Ok(Attempt::failed(FailureReason::NoFolder { cwd }, ""));
    }
    let find_artifact = || made(&cwd, &ingredients.recipe.artifact);
    let Some(build) = &ingredients.recipe.build else {
        return Ok(Attempt { result: find_artifact(), log: Vec::new(), elapsed: Duration::ZERO });
    };
    let log = match elsewhere {
        None => {
            let command = command(worktree.shell(build, &cwd), ingredients, wrapped);
            match logged(&command, KEPT_BYTES, requests) {
                Ok(log) => log,
                Err(error) => return Ok(Attempt::failed(FailureReason::Start, error.to_string())),
            }
        }
        Some(elsewhere) => {
            run_elsewhere(build, worktree.folder(), &tree, &cwd, ingredients, overseer, elsewhere)?
        }
    };
    let reason = match log.end {
        LogEnd::Interrupted => return Err(Broken::Interrupted),
        LogEnd::ByItself(Outcome::Exited(0)) => None,
        LogEnd::ByItself(Outcome::Exited(status)) => Some(FailureReason::Exited { status }),
        LogEnd::ByItself(Outcome::Signalled(signal)) => Some(FailureReason::Signalled { signal }),
        LogEnd::TimedOut | LogEnd::ByItself(Outcome::TimedOut) => {
            let limit = ingredients.recipe.timeout.unwrap_or(log.elapsed);
            Some(FailureReason::TimedOut { limit_seconds: limit.as_secs_f64() })
        }
    };
    let is_full = || contains(&log.tail, NO_SPACE) || no_space_at(&tree);
    let result = match reason {
        None => find_artifact(),
        Some(FailureReason::TimedOut { .. }) if no_space_at(&tree) => Err(FailureReason::DiskFull),
        Some(timeout @ FailureReason::TimedOut { .. }) => Err(timeout),
        Some(_) if is_full() => Err(FailureReason::DiskFull),
        Some(reason) => Err(reason),
    };
    Ok(Attempt { result, log: log.tail, elapsed: log.elapsed })
}

/// Runs the build command on a site, and makes sure that its artefact is visible here.
fn run_elsewhere(
    command: &str,
    folder: &Path,
    tree: &Path,
    cwd: &Path,
    ingredients: &Ingredients,
    overseer: Overseer<'_>,
    elsewhere: Elsewhere<'_>,
) -> Result<Log, Broken> {
    let (timeout, env) = (ingredients.recipe.timeout, variables(ingredients));
    let Overseer { requests, say, .. } = overseer;
    let (kept_bytes, Elsewhere { site, lost }) = (KEPT_BYTES, elsewhere);
    let order =
        BuildOrder { command, cwd, tree, env, timeout, folder, kept_bytes, requests, lost, say };
    let log = site.run(&order).map_err(Broken::Site)?;
    look_anew(cwd, &ingredients.recipe.artifact);
    Ok(log)
}

/// Checks out the commit and its submodules, without the artefact of an earlier commit.
fn check_out(
    repository: &Repository,
    worktree: &Worktree,
    commit: &Commit,
    ingredients: &Ingredients,
    requests: u32,
) -> Step {
    let tree = worktree.path();
    if worktree.state() == WorktreeState::Used {
        let removed = remove_artifact(&tree, ingredients).and_then(|()| {
            // A patch may add files with the names of the overlay.
            if ingredients.patch.is_some() { ingredients.overlay.take_off(&tree) } else { Ok(()) }
        });
        if let Err(error) = removed {
            return Ok(Err(Attempt::failed(FailureReason::Checkout, error.to_string())));
        }
        let walked = step(worktree.walk_to(&commit.hash), FailureReason::Checkout)?;
        if walked.is_err() {
            return Ok(walked);
        }
    }
    let modules = repository.common_dir().join("modules");
    let submodules = check_out_submodules(&modules, &tree, Patience::Signals(requests));
    step(submodules, FailureReason::Submodules)
}

fn lay_over(tree: &Path, ingredients: &Ingredients) -> Step {
    if let Some(patch) = &ingredients.patch
        && let Err(said) = apply(tree, patch).map_err(Broken::Git)?
    {
        return Ok(Err(Attempt::failed(FailureReason::Patch, said.to_string())));
    }
    Ok(ingredients
        .overlay
        .lay_over(tree)
        .map_err(|error| Attempt::failed(FailureReason::Overlay, error.to_string())))
}

/// Git's failure as the end of the attempt.
fn step(done: Result<(), GitError>, reason: FailureReason) -> Step {
    match done {
        Ok(()) => Ok(Ok(())),
        Err(GitError::Failed { source, .. }) => {
            let said = source.ending_with_cause().to_string();
            let is_full = contains(said.as_bytes(), NO_SPACE);
            let reason = if is_full { FailureReason::DiskFull } else { reason };
            Ok(Err(Attempt::failed(reason, said)))
        }
        Err(GitError::Interrupted) => Err(Broken::Interrupted),
        Err(other) => Err(Broken::Git(other)),
    }
}

/// Removes an earlier build's artefact.
fn remove_artifact(tree: &Path, ingredients: &Ingredients) -> std::io::Result<()> {
    let recipe = &ingredients.recipe;
    if recipe.makes_checkout() {
        return Ok(());
    }
    for path in matching(&tree.join(&recipe.cwd), &recipe.artifact) {
        if !path.strip_prefix(tree).is_ok_and(|within| leads_inside(tree, within)) {
            continue;
        }
        match fs::symlink_metadata(&path) {
            Ok(facts) if facts.is_dir() => remove_folder(&path)?,
            Ok(_) => fs::remove_file(&path)?,
            Err(error) if is_absence(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn command(shell: Tool, ingredients: &Ingredients, wrapped: &[(OsString, OsString)]) -> Tool {
    let set =
        |tool: Tool, (name, value): (OsString, Option<OsString>)| tool.env(name, value.as_deref());
    let wrapped = wrapped.iter().map(|(name, value)| (name.clone(), Some(value.clone())));
    let tool = variables(ingredients).into_iter().chain(wrapped).fold(shell, set);
    match ingredients.recipe.timeout {
        Some(timeout) => tool.timeout(timeout),
        None => tool,
    }
}

/// The variables that a build gets in addition to the inherited ones; `None` removes a variable.
fn variables(ingredients: &Ingredients) -> Vec<(OsString, Option<OsString>)> {
    let removed = LOCAL_VARIABLES.iter().map(|name| (OsString::from(name), None));
    let date = std::env::var_os("SOURCE_DATE_EPOCH").is_none();
    let date = date.then(|| ("SOURCE_DATE_EPOCH".into(), Some(SOURCE_DATE_EPOCH.into())));
    let given = ingredients.recipe.env.iter();
    let given = given.map(|(name, value)| (name.clone(), Some(value.clone())));
    removed.chain(date).chain(given).collect()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// True if hardly anything more can be written beside `tree`.
fn no_space_at(tree: &Path) -> bool {
    let path = tree.with_extension("probe");
    let probe = fs::File::create(&path).and_then(|mut file| file.write_all(&vec![1; PROBE_BYTES]));
    // It is removed with the folder around it at the latest.
    let _ = fs::remove_file(&path);
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    probe.is_err_and(|error| matches!(error.kind(), StorageFull | QuotaExceeded))
}

/// A place in which build commands run.
pub trait BuildSite: fmt::Debug + Send + Sync {
    /// Runs a build command to its end.
    fn run(&self, order: &BuildOrder<'_>) -> Result<Log, SiteError>;
}

/// A build command to run.
pub struct BuildOrder<'a> {
    /// The command, for a shell.
    pub command: &'a str,
    /// The working folder.
    pub cwd: &'a Path,
    /// The checkout, which contains `cwd`.
    pub tree: &'a Path,
    /// Variables to set, or to remove from the inherited ones.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// The time limit.
    pub timeout: Option<Duration>,
    /// A folder beside the checkout, for files about the build.
    pub folder: &'a Path,
    /// The number of bytes kept of the output.
    pub kept_bytes: usize,
    /// The number of earlier signals, which are ignored.
    pub requests: u32,
    /// The earlier jobs of this build that got lost.
    pub lost: LostBuilds,
    /// Shows a message to the user.
    pub say: &'a dyn Fn(&str),
}

/// The number of jobs of a build that got lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LostBuilds {
    /// All of them.
    pub all: u32,
    /// Those that had begun.
    pub begun: u32,
}

/// Reasons that the end of a build command is unknown.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum SiteError {
    /// It got lost and should be tried again in another worktree: in this one, it may still run.
    #[error("the build got lost")]
    Lost(LostBuilds),
    #[error("{} jobs of a build were submitted, and none finished", lost.all)]
    GivenUp { lost: LostBuilds, source: SiteSaid },
    #[error("{what}")]
    Refused { what: String, source: SiteSaid, hint: Option<String> },
    #[error("cannot use `{}`", path.display())]
    Folder { path: PathBuf, source: io::Error },
}

/// A message of another program.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SiteSaid(pub String);

impl SiteError {
    /// Advice for the user, if any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::GivenUp { lost: LostBuilds { begun: 0, .. }, .. } => Some(
                "jobs must see the build cache under the same path: `BRISK_CACHE` can name a \
                 shared folder"
                    .to_owned(),
            ),
            Self::GivenUp { .. } => Some(
                "perhaps jobs are ended by a limit on time or memory, which `build_options` can \
                 raise"
                    .to_owned(),
            ),
            Self::Refused { hint, .. } => hint.clone(),
            Self::Lost(_) | Self::Folder { .. } => None,
        }
    }
}

/// Opens the folders on the path to a remote build's artefact: otherwise a shared file system may
/// remember for a while that it did not exist.
pub(super) fn look_anew(cwd: &Path, artifact: &Path) {
    let mut ways: Vec<PathBuf> = artifact.ancestors().skip(1).map(|way| cwd.join(way)).collect();
    ways.reverse();
    for way in ways {
        let _ = fs::read_dir(way).map(Iterator::count);
    }
}

/// The paths that match `artifact` below `folder`; if it is not a pattern, its own path, existing
/// or not.
pub(super) fn matching(folder: &Path, artifact: &Path) -> Vec<PathBuf> {
    let text = artifact.to_string_lossy();
    if !project::is_pattern(&text) || fs::symlink_metadata(folder.join(artifact)).is_ok() {
        return vec![folder.join(artifact)];
    }
    let mut found = vec![folder.to_owned()];
    for part in artifact.components() {
        let part = part.as_os_str();
        let text = part.to_string_lossy();
        found = match project::is_pattern(&text) {
            false => found.into_iter().map(|path| path.join(part)).collect(),
            true => found.iter().flat_map(|path| children(path, &text)).collect(),
        };
    }
    found.retain(|path| fs::symlink_metadata(path).is_ok());
    found.sort();
    found
}

fn children(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    names
        .filter(|name| project::part_matches_pattern(pattern, &name.to_string_lossy()))
        .map(|name| folder.join(name))
        .collect()
}

/// The same without other files beside programs, if there are any programs.
fn meant(folder: &Path, artifact: &Path) -> Vec<PathBuf> {
    let all = matching(folder, artifact);
    let is_program = |path: &&PathBuf| {
        fs::metadata(path)
            .is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
    };
    let programs: Vec<PathBuf> = all.iter().filter(is_program).cloned().collect();
    if programs.is_empty() { all } else { programs }
}

/// The single artefact that a build in `folder` has left.
pub(super) fn made(folder: &Path, artifact: &Path) -> Result<PathBuf, FailureReason> {
    let named = || artifact.display().to_string();
    let mut found = meant(folder, artifact);
    match found.len() {
        0 => Err(FailureReason::NoArtifact { artifact: named() }),
        1 => Ok(found.swap_remove(0)),
        _ => {
            let seen = |path: &PathBuf| {
                path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned()
            };
            let found = found.iter().map(seen).collect();
            Err(FailureReason::SeveralArtifacts { artifact: named(), found })
        }
    }
}

/// The newest of the files that match a pattern, for folders with several builds. A path that is
/// not a pattern is returned as it is.
pub fn newest(artifact: &Path) -> PathBuf {
    let changed = |path: &PathBuf| {
        let time = fs::metadata(path).and_then(|facts| facts.modified());
        time.unwrap_or(SystemTime::UNIX_EPOCH)
    };
    let found = meant(Path::new(""), artifact).into_iter().max_by_key(changed);
    found.unwrap_or_else(|| artifact.to_owned())
}

/// A submodule, as `.gitmodules` describes it.
#[derive(Debug, PartialEq, Eq)]
struct Submodule {
    name: OsString,
    /// Relative to the checkout.
    path: PathBuf,
}

/// Checks out the submodules of the checkout at `tree`, and their submodules. `modules` is the
/// folder of the user's repository with its own copies of them.
pub(super) fn check_out_submodules(
    modules: &Path,
    tree: &Path,
    patience: Patience,
) -> Result<(), GitError> {
    for submodule in listed(tree)? {
        let copy = modules.join(&submodule.name);
        update(&copy, tree, &submodule, patience)?;
        check_out_submodules(&copy.join("modules"), &tree.join(&submodule.path), patience)?;
    }
    Ok(())
}

/// The submodules that are listed in `.gitmodules` and part of the commit.
fn listed(tree: &Path) -> Result<Vec<Submodule>, GitError> {
    if !tree.join(".gitmodules").is_file() {
        return Ok(Vec::new());
    }
    let question =
        ["config", "-z", "--file", ".gitmodules", "--get-regexp", r"^submodule\..*\.path$"];
    // It fails if there is nothing to list.
    let named = ask_in(tree, question)?.unwrap_or_default();
    let files = ask_in(tree, ["ls-files", "-z", "--stage"])?.unwrap_or_default();
    let present: Vec<&[u8]> = files.split(|byte| *byte == 0).filter_map(submodule_path).collect();
    let named = named.split(|byte| *byte == 0).filter_map(parse_submodule);
    Ok(named.filter(|one| present.contains(&one.path.as_os_str().as_bytes())).collect())
}

/// The path in a line of `git ls-files --stage`, if it is a submodule, which has mode 160000.
fn submodule_path(entry: &[u8]) -> Option<&[u8]> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    entry.starts_with(b"160000 ").then(|| &entry[tab + 1..])
}

/// Parses `submodule.NAME.path`, a line break, and the path.
fn parse_submodule(entry: &[u8]) -> Option<Submodule> {
    let end = entry.iter().position(|byte| *byte == b'\n')?;
    let name = entry[..end].strip_prefix(b"submodule.")?.strip_suffix(b".path")?;
    let path = OsString::from_vec(entry[end + 1..].to_vec());
    Some(Submodule { name: OsString::from_vec(name.to_vec()), path: path.into() })
}

fn update(
    copy: &Path,
    tree: &Path,
    submodule: &Submodule,
    patience: Patience,
) -> Result<(), GitError> {
    let update = |settings: &[OsString]| {
        let mut args: Vec<OsString> = Vec::new();
        for setting in settings {
            args.extend(["-c".into(), setting.clone()]);
        }
        args.extend(["submodule", "update", "--force", "--"].map(OsString::from));
        args.push(submodule.path.clone().into());
        change(tree, args, patience)
    };
    let active = setting(&submodule.name, "active", "true".as_ref());
    if copy.is_dir() {
        let url = setting(&submodule.name, "url", copy.as_os_str());
        // The path of the user's own copy, not one chosen by `.gitmodules`.
        let taken = update(&[active.clone(), url, "protocol.file.allow=always".into()]);
        if !matches!(taken, Err(GitError::Failed { .. })) {
            return taken;
        }
    }
    update(&[active])
}

fn setting(name: &OsStr, key: &str, value: &OsStr) -> OsString {
    let mut setting = OsString::from("submodule.");
    setting.push(name);
    setting.push(format!(".{key}="));
    setting.push(value);
    setting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_stands_for_the_one_program_among_what_it_matches() {
        let folder = tempfile::tempdir().expect("a folder for tests");
        let deps = folder.path().join("target/deps");
        fs::create_dir_all(&deps).expect("ours");
        let pattern = Path::new("target/*/bench-*");
        let program = |name: &str| {
            fs::write(deps.join(name), "").expect("ours");
            let all = fs::Permissions::from_mode(0o755);
            fs::set_permissions(deps.join(name), all).expect("ours");
        };
        let none = made(folder.path(), pattern);
        assert!(matches!(none, Err(FailureReason::NoArtifact { .. })), "{none:?}");
        fs::write(deps.join("bench-1.d"), "").expect("ours");
        assert_eq!(made(folder.path(), pattern), Ok(deps.join("bench-1.d")));
        program("bench-1");
        assert_eq!(made(folder.path(), pattern), Ok(deps.join("bench-1")));
        program("bench-2");
        let several = made(folder.path(), pattern).expect_err("one of two");
        let told = several.to_string();
        assert!(told.contains("target/deps/bench-1, target/deps/bench-2"), "{told}");
        assert_eq!(matching(folder.path(), pattern).len(), 3);
        // If a file has the pattern itself as its name, it is the one meant.
        program("bench-*");
        let literal = Path::new("target/deps/bench-*");
        assert_eq!(made(folder.path(), literal), Ok(deps.join("bench-*")));
        let plain = Path::new("target/deps/none");
        assert_eq!(made(folder.path(), plain), Ok(folder.path().join(plain)), "looked for later");
    }

    #[test]
    fn names_with_dots_and_paths_with_spaces_are_read() {
        let submodule = parse_submodule(b"submodule.a.b c.path\nlib/a b");
        let expected = Submodule { name: "a.b c".into(), path: "lib/a b".into() };
        assert_eq!(submodule, Some(expected));
        assert_eq!(parse_submodule(b""), None);
        assert_eq!(submodule_path(b"160000 0123 0\tlib/a b"), Some(&b"lib/a b"[..]));
        assert_eq!(submodule_path(b"100644 0123 0\tmain.c"), None);
    }
}
