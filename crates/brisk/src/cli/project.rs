//! The project that a verb works in: its `brisk.toml`, and how its commits are built.

mod opened;
mod settled;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::history::progress::BuildBar;
use super::holding;
use super::output::note;
use crate::cli::options::{BuildOptions, HoldOptions, MeasuringOptions};
use ::engine::Chosen;
use findings::short;
use model::expectation::Vocabulary;
use model::failure::Failure;
use model::spec::invocation::RunSettings;
use model::spec::layouts::{Layout, shuffling_linker};
use model::spec::nearest::{listed, nearest};
use model::spec::project::{Benchmark, ProjectFile};
pub(super) use opened::Project;
use prepare::{
    Artifact, BuildFailure, Builder, BuiltCommit, Cache, Commit, Recipe, Repository, Retry, Trees,
    inputs,
};
pub(super) use settled::{Settled, Site, plain, settle};

/// Reads the project file in `folder`. None if it is missing.
pub(super) fn read(folder: &Path) -> Result<Option<ProjectFile>, Failure> {
    ProjectFile::read(folder, &Vocabulary::of_registry()).map_err(Failure::from)
}

/// The benchmark called `name`.
pub(super) fn benchmark<'a>(file: &'a ProjectFile, name: &str) -> Result<&'a Benchmark, Failure> {
    let names = || file.benchmarks.iter().map(|benchmark| benchmark.name.as_str());
    let found = file.benchmarks.iter().find(|benchmark| benchmark.name == name);
    found.ok_or_else(|| {
        let hint = match nearest(name, names()) {
            _ if file.benchmarks.is_empty() => "define one as `[[benchmark]]`".to_owned(),
            Some(meant) => format!("did you mean `{meant}`? benchmarks: {}", listed(names())),
            None => format!("benchmarks: {}", listed(names())),
        };
        Failure::new(format!("unknown benchmark `{name}`")).hint(Some(hint))
    })
}

/// The benchmark whose command is measured. None if the user typed a command and named no
/// benchmark.
pub(super) fn chosen<'a>(
    named: Option<&str>,
    has_command: bool,
    file: &'a ProjectFile,
) -> Result<Option<&'a Benchmark>, Failure> {
    if let Some(name) = named {
        return benchmark(file, name).map(Some);
    }
    match file.benchmarks.as_slice() {
        _ if has_command => Ok(None),
        [] => Ok(None),
        [only] => Ok(Some(only)),
        several => {
            let names = listed(several.iter().map(|benchmark| benchmark.name.as_str()));
            Err(Failure::new(format!("brisk.toml has {} benchmarks", several.len()))
                .hint(Some(format!("choose one with `--benchmark NAME`: {names}"))))
        }
    }
}

/// The path of the project's folder in its repository. Empty if it is the repository's root.
pub(super) fn place_in(repository: &Repository, folder: &Path) -> PathBuf {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (root, folder) = (real(repository.root()), real(folder));
    folder.strip_prefix(root).map(Path::to_owned).unwrap_or_default()
}

/// The builder of commits with this recipe, on this machine or on the engine.
pub(super) fn builder(
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
pub(super) fn built_commits(
    repository: &Repository,
    recipe: &Recipe,
    all: impl IntoIterator<Item = Commit>,
    options: &BuildOptions,
    BuildConduct { hold, quiet, engine }: BuildConduct<'_>,
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
        true => holding::building(hold)?,
        false => None,
    };
    tell_again(&builder, commits, quiet);
    let mut bar = BuildBar::new(commits, !quiet);
    let outcomes = builder.build_and_confirm(commits, options.jobs(), &mut |event| bar.on(&event));
    bar.clear();
    let outcomes = outcomes?;
    let artifact = |(commit, built): (&Commit, BuiltCommit)| {
        let artifact = built.outcome.map_err(|failure| unbuilt(commit, &failure));
        artifact.map(|artifact| (commit.hash.clone(), artifact))
    };
    commits.iter().zip(outcomes).map(artifact).collect()
}

/// The layouts of a commit's artefact; empty if none were requested. Fails if requested layouts are
/// missing.
pub(super) fn layouts_of<'a>(
    commit: &str,
    artifact: &'a Artifact,
) -> Result<&'a [Layout], Failure> {
    artifact.layouts.as_deref().map_err(|reason| {
        let name = artifact.path.file_name().unwrap_or_default().display();
        Failure::new(format!("there is only one layout of `{name}` of {commit}"))
            .because(reason.to_string())
            .hint(Some(reason.hint()))
    })
}

/// Refuses layouts if they cannot be built.
pub(super) fn check_layouts(recipe: &Recipe, engine: Option<&Chosen>) -> Result<(), Failure> {
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

/// Options while commits are built.
#[derive(Clone, Copy)]
pub(super) struct BuildConduct<'a> {
    /// The option to fail instead of waiting if another process holds the machine.
    pub hold: HoldOptions,
    /// Set if progress is not shown.
    pub quiet: bool,
    /// The engine that may run builds. None if they run here.
    pub engine: Option<&'a Chosen>,
}

impl<'a> BuildConduct<'a> {
    /// The options of a measurement.
    pub(super) fn from_options(options: &MeasuringOptions, engine: Option<&'a Chosen>) -> Self {
        Self { hold: options.hold, quiet: options.quiet, engine }
    }
}

/// Prints the reason that commits are built again.
pub(super) fn tell_again(builder: &Builder, commits: &[Commit], quiet: bool) {
    let Some(again) = (if quiet { None } else { builder.again(commits) }) else { return };
    let commits = match again.commits {
        1 => "1 commit is".to_owned(),
        count => format!("{count} commits are"),
    };
    note(&format!("{commits} built again: {}", again.changes.join(", ")));
}

/// The recipe for commits that are run by these commands, with all texts that may name files, and
/// the folders they run in.
pub(super) fn run_by(
    recipe: Recipe,
    (repository, commits): (&Repository, &[Commit]),
    commands: &[(&str, &RunSettings)],
) -> Result<Recipe, Failure> {
    let texts = || commands.iter().flat_map(|(command, how)| how.naming_files(command));
    let cwds: Vec<PathBuf> = (commands.iter())
        .map(|(_, how)| place_in(repository, how.cwd.as_deref().unwrap_or(Path::new("."))))
        .collect();
    let mut folders: Vec<&Path> = cwds.iter().map(PathBuf::as_path).collect();
    folders.push(&recipe.cwd);
    let inputs = inputs(repository, commits, (texts(), &folders), &recipe.artifact)?;
    Ok(Recipe { inputs, ..recipe.run_with(texts()) })
}

/// The artefact's path as typed in the folder `cwd` of the project.
pub(super) fn as_typed(artifact: &Path, cwd: Option<&Path>) -> PathBuf {
    let seen_from_there = cwd.and_then(|cwd| artifact.strip_prefix(cwd).ok());
    seen_from_there.unwrap_or(artifact).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_reads_as_every_failure_does() {
        let text = "[[expect]]\nthat = \"wall_time(a) < 2 MB\"\n";
        let error = ProjectFile::parse(text, &Vocabulary::of_registry()).expect_err("units differ");
        let failure = Failure::from_error(&error).hint(error.hint());
        assert_eq!(
            failure.to_string(),
            "error: seconds cannot be compared with bytes
  cause: line 2, column 9 of `brisk.toml`:
         that = \"wall_time(a) < 2 MB\"
                 ^^^^^^^^^^^^^^^^^^^
"
        );
    }
}
