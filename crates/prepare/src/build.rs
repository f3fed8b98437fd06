//! One build: a commit's files, patch and overlay, the build command, and the artefact.
//!
//! This module does not know the cache. The artefact of an earlier commit is removed before the
//! build, so that the artefact found afterwards was made by it, or belongs to the commit.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::Outcome;
use measure::tool::{Log, LogEnd, Tool, logged};

use super::crew::remove_folder;
use super::failure::FailureReason;
use super::git::{GitError, LOCAL_VARIABLES, Patience, Repository, apply};
use super::located;
use super::overlay::{is_absence, leads_inside};
use super::range::Commit;
use super::recipe::{Ingredients, SOURCE_DATE_EPOCH};
use super::seen::{BuildOrder, BuildSite, LostBuilds, SiteError, look_anew};
use super::submodules;
use super::worktree::{Worktree, WorktreeState};

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
pub(super) type Elsewhere<'a> = (&'a dyn BuildSite, LostBuilds);

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
    layouts: &[(OsString, OsString)],
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
    let made = || located::made(&cwd, &ingredients.recipe.artifact);
    let Some(build) = &ingredients.recipe.build else {
        return Ok(Attempt { result: made(), log: Vec::new(), elapsed: Duration::ZERO });
    };
    let log = match elsewhere {
        None => {
            let command = command(worktree.shell(build, &cwd), ingredients, layouts);
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
        None => made(),
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
    (site, lost): Elsewhere<'_>,
) -> Result<Log, Broken> {
    let (timeout, env) = (ingredients.recipe.timeout, variables(ingredients));
    let Overseer { requests, say, .. } = overseer;
    let kept_bytes = KEPT_BYTES;
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
    let submodules = submodules::check_out(&modules, &tree, Patience::Signals(requests));
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
    for path in located::matching(&tree.join(&recipe.cwd), &recipe.artifact) {
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

fn command(shell: Tool, ingredients: &Ingredients, layouts: &[(OsString, OsString)]) -> Tool {
    let set =
        |tool: Tool, (name, value): (OsString, Option<OsString>)| tool.env(name, value.as_deref());
    let layouts = layouts.iter().map(|(name, value)| (name.clone(), Some(value.clone())));
    let tool = variables(ingredients).into_iter().chain(layouts).fold(shell, set);
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
