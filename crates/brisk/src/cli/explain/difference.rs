//! Explaining what changed between two builds of a program: two folders of dumps, two programs in
//! source, or two commits.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use measure::Launcher;
use toolchains::ghc::causes::Program;
use toolchains::ghc::difference::Difference;

use super::dumps;
use super::source::{Plan, compiled, say, shared};
use crate::cli::output::Output;
use crate::explain::building::Way;
use crate::explain::executed::{Unexecuted, executed};
use crate::explain::mode::Mode;
use crate::explain::workplace::Workplace;
use crate::failure::{Failing, Failure};
use crate::history::merge;
use crate::prepare::{Commit, GitError, Repository, commit};
use crate::report::core_difference::document::{CoreDifferencePart, Told};

/// What changed between the dumps of two folders.
pub(super) fn of_dumps(
    folders: &[PathBuf; 2],
    counters: Option<&[PathBuf; 2]>,
) -> Result<CoreDifferencePart, Failure> {
    let of = |side: usize| {
        let counters = counters.map(|both| both[side].as_path());
        dumps::program(&folders[side], counters)
    };
    let programs = [of(0)?, of(1)?];
    let told = |folder: &PathBuf| Told::of(folder.display().to_string());
    Ok(difference(&programs, [told(&folders[0]), told(&folders[1])]))
}

/// Refuses options that say nothing about what is asked.
pub(super) fn check(revisions: &[String], mode: &Mode) -> Result<(), Failure> {
    match mode {
        Mode::Source(_) | Mode::Command(_) => Ok(()),
        _ if revisions.is_empty() => Ok(()),
        Mode::Dumps { .. } | Mode::DumpsDifference { .. } => Err(Failure::new(
            "`--core` and `--at` cannot both be given: one explains dumps, the other builds \
             commits",
        )
        .hint(Some("leave one of them out"))),
        _ => Err(Failure::new("`--at` explains one program at two commits")
            .hint(Some("name one command, cabal project, folder or file of Haskell"))),
    }
}

/// What changed between two programs in source, which are built and run.
pub(super) fn of_sources(
    paths: &[PathBuf; 2],
    plans: [&Plan; 2],
    launcher: &mut Launcher,
    output: &Output,
) -> Result<CoreDifferencePart, Failure> {
    let names = [0, 1].map(|side: usize| paths[side].display().to_string());
    of_plans(names, [&paths[0], &paths[1]], plans, launcher, output)
}

fn of_plans(
    subjects: [String; 2],
    paths: [&Path; 2],
    plans: [&Plan; 2],
    launcher: &mut Launcher,
    output: &Output,
) -> Result<CoreDifferencePart, Failure> {
    if plans[1].proves {
        return Err(Failure::new("`--prove` tries remedies for one program, and two are given")
            .hint(Some("`brisk compare` measures which of the two is faster")));
    }
    let mut one = |subject: &String, side: usize| -> Result<(Program, Told), Failure> {
        let plan = plans[side];
        if plan.shows_progress && output.is_watched() {
            output.message(&format!("{subject}:\n"));
        }
        let _held = shared()?;
        let mut compiled = compiled(paths[side], plan, Way::Named, launcher, output)?;
        say(plan, output, "counting its instructions");
        let seconds = compiled.run.wall_seconds.unwrap_or_default();
        let counted = executed(launcher, &compiled.plain, &plan.run, &compiled.program, seconds);
        let mut told = Told { run: Some(compiled.run), ..Told::of(subject.clone()) };
        match counted {
            Ok(instructions) => compiled.program.instructions = Some(instructions),
            Err(Unexecuted::Missing(reason)) => told.no_instructions = Some(reason),
            Err(error @ Unexecuted::Interrupted) => return Err(Failure::from_error(&error)),
        }
        Ok((compiled.program, told))
    };
    let (old, told) = one(&subjects[0], 0)?;
    let (new, told_now) = one(&subjects[1], 1)?;
    Ok(difference(&[old, new], [told, told_now]))
}

/// What changed in a program from one commit to another, or to what lies there.
pub(in crate::cli) fn of_revisions(
    path: &Path,
    revisions: &[String],
    plan: impl Fn(&Path) -> Result<Plan, Failure>,
    launcher: &mut Launcher,
    output: &Output,
) -> Result<CoreDifferencePart, Failure> {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new(".")) };
    // The folder of a bare file name is an empty path.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let repository = Repository::open(folder)?;
    let within = within(&repository, path)?;
    let found = |revision: &String| -> Result<Commit, Failure> {
        let unknown = || {
            Failure::new(format!("unknown revision `{revision}`"))
                .hint(Some("`git log --oneline` lists them"))
        };
        commit(&repository, revision)?.ok_or_else(unknown)
    };
    // Before anything is checked out.
    let commits = revisions.iter().map(found).collect::<Result<Vec<Commit>, Failure>>()?;
    let [before, rest @ ..] = &commits[..] else {
        return Err(Failure::new("no commit is named"));
    };
    let workplace = Workplace::new()?;
    let checked_out = |commit: &Commit, name: &str| -> Result<PathBuf, Failure> {
        let tree = workplace.path().join(name);
        check_out(&repository, commit, &tree)?;
        Ok(if within.as_os_str().is_empty() { tree } else { tree.join(&within) })
    };
    let named = |commit: &Commit| merge::name(&commit.hash, &commit.subject);
    let old = plan(&checked_out(before, "before")?)?;
    let (new, name) = match rest.first() {
        Some(commit) => (plan(&checked_out(commit, "after")?)?, named(commit)),
        None => (plan(path)?, path.display().to_string()),
    };
    of_plans([named(before), name], [path, path], [&old, &new], launcher, output)
}

fn difference(programs: &[Program; 2], told: [Told; 2]) -> CoreDifferencePart {
    CoreDifferencePart::new(&Difference::new(&programs[0], &programs[1]), told)
}

/// Where in the repository something is.
fn within(repository: &Repository, path: &Path) -> Result<PathBuf, Failure> {
    let absolute = path.canonicalize();
    let root = repository.root().canonicalize();
    let both = absolute.and_then(|path| Ok((path, root?)));
    let (path, root) = both.failing(format!("cannot read `{}`", path.display()))?;
    path.strip_prefix(&root).map(Path::to_owned).map_err(|_| {
        Failure::new(format!("`{}` is not in the checkout `{}`", path.display(), root.display()))
    })
}

/// Puts a commit's files into a folder, in a repository of their own that shares the objects: the
/// user's checkout, index and list of worktrees stay as they are.
fn check_out(repository: &Repository, commit: &Commit, tree: &Path) -> Result<(), GitError> {
    let words = ["clone", "--quiet", "--shared", "--no-checkout", "--"].map(OsStr::new);
    let paths = [repository.root().as_os_str(), tree.as_os_str()];
    repository.ask(words.into_iter().chain(paths).collect::<Vec<_>>())?;
    let words = ["checkout", "--quiet", "--detach", commit.hash.as_str()];
    Repository::open(tree)?.ask(words)?;
    Ok(())
}
