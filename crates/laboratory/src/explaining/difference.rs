//! Explains the changes between two builds of a program: two folders of dumps, two programs in
//! source, or two commits.

use std::path::{Path, PathBuf};

use ghc::causes::Program;
use ghc::difference::Difference;
use measure::Launcher;

use super::source::{STAGES, compiled};
use super::{Plan, Stages, dumps, shared};
use crate::history::merge;
use crate::project::Project;
use crate::watcher::Watcher;
use configuration::{BuildOptions, CommitOptions, SourceOptions};
use explain::building::Way;
use explain::core_difference::{self, Told};
use explain::mode::Mode;
use explain::running::{Unexecuted, executed};
use findings::core_difference::CoreDifference;
use model::failure::Failure;
use prepare::{Checkout, Commit};

/// The changes between the dumps of two folders.
pub(super) fn of_dumps(
    folders: &[PathBuf; 2],
    counters: Option<&[PathBuf; 2]>,
) -> Result<CoreDifference, Failure> {
    let of = |side: usize| {
        let counters = counters.map(|both| both[side].as_path());
        dumps::program(&folders[side], counters)
    };
    let programs = [of(0)?, of(1)?];
    let told = |folder: &PathBuf| Told::from_subject(folder.display().to_string());
    Ok(difference(&programs, [told(&folders[0]), told(&folders[1])]))
}

/// Refuses options that do not apply to the mode.
///
/// # Errors
///
/// Names the option.
pub fn check(revisions: &[String], at: &CommitOptions, mode: &Mode) -> Result<(), Failure> {
    if at.build().layouts() > 0 {
        return Err(Failure::new("`--layouts` is for times, and an explanation counts")
            .because("counts do not change with where the code lies"));
    }
    let BuildOptions { build, artifact, patch, overlay, .. } = at.build();
    let given = [
        ("--build", build.is_some()),
        ("--artifact", artifact.is_some()),
        ("--patch", patch.is_some()),
        ("--overlay", overlay.is_some()),
    ];
    let given = given.iter().find(|(_, is_given)| *is_given);
    match (mode, given) {
        (_, Some((option, _))) if revisions.is_empty() => {
            Err(Failure::new(format!("`{option}` is for commits, and none is named"))
                .hint(Some("name one with `--at COMMIT`")))
        }
        (Mode::Source(_) | Mode::Command(_), _) => Ok(()),
        _ if revisions.is_empty() => Ok(()),
        (Mode::Dumps { .. } | Mode::DumpsDifference { .. }, _) => Err(Failure::new(
            "`--core` and `--at` cannot both be given: one explains dumps, the other builds \
             commits",
        )
        .hint(Some("leave one of them out"))),
        _ => Err(Failure::new("`--at` explains one program at two commits")
            .hint(Some("name one command, cabal project, folder or file of Haskell"))),
    }
}

/// The changes between two programs in source, which are built and run.
pub(super) fn of_sources(
    paths: &[PathBuf; 2],
    plans: [&Plan; 2],
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<CoreDifference, Failure> {
    let names = [0, 1].map(|side: usize| paths[side].display().to_string());
    of_plans(names, [&paths[0], &paths[1]], plans, launcher, watcher)
}

fn of_plans(
    subjects: [String; 2],
    paths: [&Path; 2],
    plans: [&Plan; 2],
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<CoreDifference, Failure> {
    if plans[1].proves {
        return Err(Failure::new("`--prove` tries remedies for one program, and two are given")
            .hint(Some("`brisk compare` measures which of the two is faster")));
    }
    // One more stage counts instructions.
    let stages = Stages::new(STAGES + 1, 2, watcher);
    let mut one = |subject: &String, side: usize| -> Result<(Program, Told), Failure> {
        let plan = plans[side];
        let _held = stages.shared()?;
        let mut compiled = compiled(paths[side], plan, Way::Named, launcher, &stages)?;
        stages.begin("counting its instructions");
        let seconds = compiled.run.wall_seconds.unwrap_or_default();
        let counted = executed(launcher, &compiled.plain, &plan.run, &compiled.program, seconds);
        let mut told = Told { run: Some(compiled.run), ..Told::from_subject(subject.clone()) };
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

/// The changes in a program of a project from one commit to another, or to the working files.
pub(crate) fn of_revisions(
    project: &Project,
    path: &Path,
    revisions: &[String],
    source: &SourceOptions,
    build_timeout: Option<&str>,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<CoreDifference, Failure> {
    let within = project.within(path)?;
    // Resolved before anything is checked out.
    let commits = project.commits(revisions)?;
    let held = shared(watcher)?;
    let checkouts = project.checkouts(&commits)?;
    drop(held);
    let plan = |path: &Path| Plan::new(source, path, build_timeout);
    let planned = |(commit, checkout): (&Commit, &Checkout)| {
        let tree = checkout.path();
        // An empty path would add a slash.
        let subject = if within.as_os_str().is_empty() { tree } else { tree.join(&within) };
        Ok((merge::name(&commit.hash, &commit.subject), plan(&subject)?))
    };
    let mut sides =
        commits.iter().zip(&checkouts).map(planned).collect::<Result<Vec<_>, Failure>>()?;
    if sides.len() == 1 {
        sides.push((path.display().to_string(), plan(path)?));
    }
    let [(old_name, old), (new_name, new)] = &sides[..] else {
        return Err(Failure::new("no commit is named"));
    };
    let names = [old_name.clone(), new_name.clone()];
    of_plans(names, [path, path], [old, new], launcher, watcher)
}

fn difference(programs: &[Program; 2], told: [Told; 2]) -> CoreDifference {
    core_difference::core_difference(&Difference::new(&programs[0], &programs[1]), told)
}
