//! The project that a verb works in: its `brisk.toml`, and how its commits are built.

mod opened;
mod settled;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use configuration::{BuildOptions, MeasuringOptions};
use engine::Chosen;
use findings::short;
use model::failure::Failure;
use model::spec::artifacts::{Layout, shuffling_linker};
use model::spec::invocation::RunSettings;
pub use opened::Project;
use prepare::{
    Artifact, BuildFailure, Builder, BuiltCommit, Cache, Commit, Recipe, Repository, Retry, Trees,
    inputs,
};
pub use settled::{Settled, Site, plain, settle};

use crate::machine;
use crate::watcher::{Builds, Event, Watcher};

/// The path of the project's folder in its repository. Empty if it is the repository's root.
pub fn place_in(repository: &Repository, folder: &Path) -> PathBuf {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (root, folder) = (real(repository.root()), real(folder));
    folder.strip_prefix(root).map(Path::to_owned).unwrap_or_default()
}

/// The builder of commits with this recipe, on this machine or on the engine.
pub fn builder(
    repository: &Repository,
    recipe: &Recipe,
    options: &BuildOptions,
    engine: Option<&Chosen>,
) -> Result<Builder, Failure> {
    check_layouts(recipe, engine)?;
    let cache = Cache::of_the_user()?;
    let retry = if options.rebuild_failed { Retry::AllFailures } else { Retry::WhereItMayHelp };
    let builder = Builder::new(repository, &cache, recipe, retry)?;
    Ok(builder.building_at(engine.and_then(Chosen::builds)))
}

/// The artefacts of these commits, by hash. All of them must build.
pub fn built_commits(
    repository: &Repository,
    recipe: &Recipe,
    all: impl IntoIterator<Item = Commit>,
    options: &BuildOptions,
    BuildConduct { no_wait, engine }: BuildConduct<'_>,
    watcher: &mut dyn Watcher,
) -> Result<HashMap<String, Artifact>, Failure> {
    let mut commits: Vec<Commit> = Vec::new();
    for commit in all {
        if !commits.iter().any(|other| other.hash == commit.hash) {
            commits.push(commit);
        }
    }
    let commits = commits.as_slice();
    let mut builder = builder(repository, recipe, options, engine)?;
    let _held = match builder.builds_here(commits, Trees::Incremental) {
        true => machine::building(no_wait, watcher)?,
        false => None,
    };
    tell_again(&builder, commits, watcher);
    watcher.on(Event::Builds(Builds::Usual, commits));
    let mut tell = |event| watcher.on(Event::Building(&event));
    let outcomes = builder.build_and_confirm(commits, options.jobs(), &mut tell);
    watcher.on(Event::Ended);
    let outcomes = outcomes?;
    let artifact = |(commit, built): (&Commit, BuiltCommit)| {
        let artifact = built.outcome.map_err(|failure| unbuilt(commit, &failure));
        artifact.map(|artifact| (commit.hash.clone(), artifact))
    };
    commits.iter().zip(outcomes).map(artifact).collect()
}

/// The layouts of a commit's artefact; empty if none were requested. Fails if requested layouts are
/// missing.
pub fn layouts_of<'a>(commit: &str, artifact: &'a Artifact) -> Result<&'a [Layout], Failure> {
    artifact.layouts.as_deref().map_err(|reason| {
        let name = artifact.path.file_name().unwrap_or_default().display();
        Failure::new(format!("there is only one layout of `{name}` of {commit}"))
            .because(reason.to_string())
            .hint(Some(reason.hint()))
    })
}

/// Refuses layouts if they cannot be built.
pub fn check_layouts(recipe: &Recipe, engine: Option<&Chosen>) -> Result<(), Failure> {
    if recipe.layouts == 0 {
        return Ok(());
    }
    if engine.is_some() {
        return Err(Failure::new("`--layouts` cannot be combined with `--on`")
            .because("programs are linked again on this machine, while they are built"));
    }
    // These toolchains come with a suitable linker.
    let brings_its_own = ["go", "rustc", "cargo"].iter().any(|one| recipe.compilers.contains(*one));
    let path = std::env::var_os("PATH").unwrap_or_default();
    if brings_its_own || shuffling_linker(&path).is_some() {
        return Ok(());
    }
    Err(Failure::new("there is no linker that can order functions anew")
        .because("neither `ld.lld` nor `mold` is found by `PATH`")
        .hint(Some("install lld: `apt install lld`; or leave `--layouts` out")))
}

/// The failure for a commit that must build, but does not.
fn unbuilt(commit: &Commit, failure: &BuildFailure) -> Failure {
    let cause = format!("{}\n{}", failure.reason, failure.log_tail);
    Failure::new(format!("cannot build {} {}", short(&commit.hash), commit.subject))
        .because(cause.trim_end().to_owned())
        .hint(Some(
            failure.reason.hint().unwrap_or("try the build command in a fresh checkout of it"),
        ))
}

/// Where commits are built.
#[derive(Clone, Copy)]
pub struct BuildConduct<'a> {
    /// Set to fail instead of waiting if another process holds the machine.
    pub no_wait: bool,
    /// The engine that may run builds. None if they run here.
    pub engine: Option<&'a Chosen>,
}

impl<'a> BuildConduct<'a> {
    /// The options of a measurement.
    pub fn from_options(options: &MeasuringOptions, engine: Option<&'a Chosen>) -> Self {
        Self { no_wait: options.hold.no_wait, engine }
    }
}

/// Tells of the reason that commits are built again.
pub(crate) fn tell_again(builder: &Builder, commits: &[Commit], watcher: &mut dyn Watcher) {
    let Some(again) = builder.again(commits) else { return };
    let commits = match again.commits {
        1 => "1 commit is".to_owned(),
        count => format!("{count} commits are"),
    };
    watcher.on(Event::Choice(&format!("{commits} built again: {}", again.changes.join(", "))));
}

/// The recipe for commits that are run by these commands, with all texts that may name files, and
/// the folders they run in.
pub fn run_by(
    recipe: Recipe,
    repository: &Repository,
    commits: &[Commit],
    commands: &[(&str, &RunSettings)],
) -> Result<Recipe, Failure> {
    let texts = || commands.iter().flat_map(|(command, how)| how.naming_files(command));
    let cwds: Vec<PathBuf> = (commands.iter())
        .map(|(_, how)| place_in(repository, how.cwd.as_deref().unwrap_or(Path::new("."))))
        .collect();
    let mut folders: Vec<&Path> = cwds.iter().map(PathBuf::as_path).collect();
    folders.push(&recipe.cwd);
    let inputs = inputs(repository, commits, texts(), &folders, &recipe.artifact)?;
    Ok(Recipe { inputs, ..recipe.run_with(texts()) })
}

/// The artefact's path as typed in the folder `cwd` of the project.
pub fn as_typed(artifact: &Path, cwd: Option<&Path>) -> PathBuf {
    let seen_from_there = cwd.and_then(|cwd| artifact.strip_prefix(cwd).ok());
    seen_from_there.unwrap_or(artifact).to_owned()
}
