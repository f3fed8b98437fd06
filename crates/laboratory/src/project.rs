//! The project that a verb works in: its `brisk.toml`, and how its commits are built.
//!
//! All commits of a question are built in the same way, so that they are comparable. If the options
//! leave it open, the newest commit determines it, because that is the one in front of the user; if
//! the oldest commit would be built differently, the user is told. Choices that were not typed are
//! announced before anything is built.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use configuration::{BuildOptions, MeasuringOptions, settings};
use engine::Chosen;
use findings::short;
use model::failure::{Failing, Failure};
use model::spec::artifacts::{BuiltArtifact, Layout, is_checkout, shuffling_linker};
use model::spec::duration;
use model::spec::invocation::RunSettings;
use model::spec::labels::ArtifactId;
use model::spec::place::listed;
use model::spec::project::ProjectFile;
use prepare::{
    Artifact, BuildFailure, Builder, BuiltCommit, Cache, Checkout, Commit, CutOff, Inputs,
    ProjectFiles, Recipe, Repository, Retry, Trees, commit, inputs, seen,
};
use toolchains::project::{MARKS, Product, Recognised, System, compilers, matches_pattern};

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
    let mut builder = builder(repository, recipe, options, engine)?;
    let outcomes = outcomes(&mut builder, &commits, options, no_wait, watcher)?;
    let artifact = |(commit, built): (&Commit, BuiltCommit)| {
        let artifact = built.outcome.map_err(|failure| unbuilt(commit, &failure));
        artifact.map(|artifact| (commit.hash.clone(), artifact))
    };
    commits.iter().zip(outcomes).map(artifact).collect()
}

/// The state in which builds find their worktrees.
fn trees(options: &BuildOptions) -> Trees {
    if options.clean_builds { Trees::Clean } else { Trees::Incremental }
}

/// The outcome of each commit's build, in the order of the commits.
pub(crate) fn outcomes(
    builder: &mut Builder,
    commits: &[Commit],
    options: &BuildOptions,
    no_wait: bool,
    watcher: &mut dyn Watcher,
) -> Result<Vec<BuiltCommit>, Failure> {
    let _held = match builder.builds_here(commits, trees(options)) {
        true => machine::building(no_wait, watcher)?,
        false => None,
    };
    tell_again(builder, commits, watcher);
    watcher.on(Event::Builds(Builds::Usual, commits));
    let mut tell = |event| watcher.on(Event::Building(&event));
    let outcomes = builder.build_and_confirm(commits, options.jobs(), &mut tell);
    watcher.on(Event::Ended);
    Ok(outcomes?)
}

/// The layouts of a commit's artefact, if any were requested. Fails if they are missing.
pub(crate) fn layouts_of<'a>(
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

/// The artefact of a commit as a program to run under this name.
pub(crate) fn to_run<'a>(
    hash: &'a str,
    name: String,
    artifact: &'a Artifact,
) -> Result<BuiltArtifact<'a>, Failure> {
    Ok(BuiltArtifact {
        path: &artifact.path,
        id: ArtifactId::new(artifact.digest.as_str(), 0),
        layouts: layouts_of(&name, artifact)?,
        checkout: artifact.checkout.as_ref(),
        ..BuiltArtifact::to_be(hash, name)
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

pub(crate) fn unbuilt(commit: &Commit, failure: &BuildFailure) -> Failure {
    let cause = format!("{}\n{}", failure.reason, failure.log_tail);
    Failure::new(format!("cannot build {} {}", short(&commit.hash), commit.subject))
        .because(cause.trim_end().to_owned())
        .hint(Some(
            failure.reason.hint().unwrap_or("try the build command in a fresh checkout of it"),
        ))
}

/// The place where commits are built.
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

/// The recipe for commits that these commands run, with all texts that may name files.
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

/// A project.
pub struct Project {
    pub(crate) repository: Repository,
    folder: PathBuf,
    /// Its brisk.toml, if it exists.
    pub file: Option<ProjectFile>,
    /// The build options, as far as they are given.
    pub build: BuildOptions,
}

impl Project {
    /// The repository that it is in.
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// The project in this folder, with build options as typed, or else from its file.
    pub fn open(folder: &Path, typed: &BuildOptions) -> Result<Self, Failure> {
        Self::with_file(folder, settings::read(folder)?, typed)
    }

    /// The project in this folder, with this file in place of its own.
    pub fn with_file(
        folder: &Path,
        file: Option<ProjectFile>,
        typed: &BuildOptions,
    ) -> Result<Self, Failure> {
        let build = match &file {
            Some(file) => settings::build(typed, folder, &file.project),
            None => typed.clone(),
        };
        let repository = Repository::open(folder)?;
        Ok(Self { repository, folder: folder.to_owned(), file, build })
    }

    /// The commits of these revisions, all of which must exist.
    pub fn commits(&self, revisions: &[String]) -> Result<Vec<Commit>, Failure> {
        let one = |revision: &String| {
            let found = commit(&self.repository, revision)?;
            found.ok_or_else(|| {
                let failure = Failure::new(format!("unknown revision `{revision}`"));
                match self.repository.cut_off("HEAD") {
                    Some(cut_off) => failure.because(cut_off.to_string()).hint(Some(CutOff::HINT)),
                    None => failure.hint(Some("`git log --oneline` lists them")),
                }
            })
        };
        revisions.iter().map(one).collect()
    }

    /// The settled build of these commits, with completed options.
    pub fn settle(
        &self,
        build: &BuildOptions,
        commits: &[Commit],
        watcher: &mut dyn Watcher,
    ) -> Result<Settled, Failure> {
        let place = place_in(&self.repository, &self.folder);
        let cwd = self.file.as_ref().and_then(|file| file.project.cwd.as_ref());
        let project = cwd.map_or_else(|| place.clone(), |cwd| place.join(cwd));
        settle(build, &Site { repository: &self.repository, commits, place, project }, watcher)
    }

    /// The path relative to the repository's root.
    pub fn within(&self, path: &Path) -> Result<PathBuf, Failure> {
        let absolute = path.canonicalize();
        let root = self.repository.root().canonicalize();
        let both = absolute.and_then(|path| Ok((path, root?)));
        let (path, root) = both.map_err(|error| {
            Failure::new(format!("cannot read `{}`", path.display())).caused_by(&error)
        })?;
        path.strip_prefix(&root).map(Path::to_owned).map_err(|_| {
            let (path, root) = (path.display(), root.display());
            Failure::new(format!("`{path}` is not in the checkout `{root}`"))
        })
    }

    /// The variables set by its file.
    pub fn env(&self) -> &[(String, String)] {
        self.file.as_ref().map_or(&[], |file| &file.project.env)
    }

    /// Checkouts of these commits, prepared as for a build: with patch and overlay, and after the
    /// build command. Invalid options are found before anything is done.
    pub fn checkouts(&self, commits: &[Commit]) -> Result<Vec<Checkout>, Failure> {
        // Without a file, typed paths are relative to the repository's root.
        let place = self.file.as_ref().map(|_| place_in(&self.repository, &self.folder));
        let settled = Settled::as_said(&self.build, place.unwrap_or_default());
        let recipe = settled.recipe(self.env())?;
        let builder = builder(&self.repository, &recipe, &self.build, None)?;
        let one = |commit| {
            let checkout = builder.check_out(commit)?;
            checkout.map_err(|failure| unbuilt(commit, &failure))
        };
        commits.iter().map(one).collect()
    }

    /// The artefacts of the commits, each built once, in their order, to be run by these commands.
    pub fn built(
        &self,
        settled: &Settled,
        commits: Vec<Commit>,
        commands: &[(&str, &RunSettings)],
        conduct: BuildConduct<'_>,
        watcher: &mut dyn Watcher,
    ) -> Result<Vec<(Commit, Artifact)>, Failure> {
        let recipe = settled.recipe(self.env())?.in_layouts(settled.options.layouts());
        let recipe = run_by(recipe, &self.repository, &commits, commands)?;
        let all = commits.iter().cloned();
        let artifacts =
            built_commits(&self.repository, &recipe, all, &settled.options, conduct, watcher)?;
        let of = |commit: Commit| artifacts.get(&commit.hash).cloned().map(|one| (commit, one));
        Ok(commits.into_iter().filter_map(of).collect())
    }
}

/// The commits to build, and the folders involved.
#[derive(Debug, Clone)]
pub struct Site<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The commits, the oldest first.
    pub commits: &'a [Commit],
    /// The folder of the repository that options are relative to.
    pub place: PathBuf,
    /// The folder of the repository in which to look for the project.
    pub project: PathBuf,
}

/// The build of commits, with nothing left open.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The completed options, with the command and the artefact.
    pub options: BuildOptions,
    /// The artefact of the build.
    pub artifact: PathBuf,
    /// The folder of the repository in which the build runs.
    cwd: PathBuf,
    compilers: BTreeSet<String>,
    /// A variable that a recognised build needs.
    env: Option<(OsString, OsString)>,
}

impl Settled {
    /// The given options only, for callers that do not need the artefact.
    pub fn as_said(options: &BuildOptions, place: PathBuf) -> Self {
        let artifact = options.artifact.clone();
        Self {
            options: options.clone(),
            artifact: artifact.unwrap_or_else(|| PathBuf::from("program")),
            // Without a command nothing runs there, and old commits may not have the folder.
            cwd: if options.build.is_some() { place } else { PathBuf::new() },
            compilers: BTreeSet::new(),
            env: None,
        }
    }

    /// The recipe, with these variables.
    pub fn recipe(&self, env: &[(String, String)]) -> Result<Recipe, Failure> {
        let options = &self.options;
        let timeout = options.build_timeout.as_deref().map(duration::parse).transpose();
        let variable =
            |(name, value): &(String, String)| (OsString::from(name), OsString::from(value));
        Ok(Recipe {
            build: options.build.clone(),
            artifact: self.artifact.clone(),
            patch: options.patch.clone(),
            overlay: options.overlay.clone(),
            compilers: self.compilers.clone(),
            env: self.env.iter().cloned().chain(env.iter().map(variable)).collect(),
            cwd: self.cwd.clone(),
            timeout: timeout.failing("bad `--build-timeout`")?,
            trees: trees(options),
            layouts: 0,
            counter: None,
            named: BTreeSet::new(),
            inputs: Inputs::None,
        })
    }
}

/// Determines how the commits are built.
pub fn settle(
    options: &BuildOptions,
    site: &Site<'_>,
    watcher: &mut dyn Watcher,
) -> Result<Settled, Failure> {
    let newest = site.commits.last().ok_or_else(|| Failure::new("there is no commit to build"))?;
    let look = |commit| seen(site.repository, commit, &site.project).map_err(Failure::from);
    let there = look(newest)?;
    let way = choose(options, &there, site)?;
    let command = way.build.as_ref().or(options.build.as_ref());
    let compilers = compilers(command.map(String::as_str), &there.names);
    if way.is_said_by_files() {
        watcher.on(Event::Choice(&way.announced(&there)));
        if let [oldest, _, ..] = site.commits
            && let Some(other) = differs(&way, &there, &look(oldest)?)
        {
            let name = short(&oldest.hash);
            watcher.on(Event::Choice(&format!(
                "the oldest commit, {name}, {other}: those that do not build this way are left out"
            )));
        }
    }
    let artifact = way.artifact.clone();
    let env = way.target_folder(&there);
    let options = BuildOptions {
        build: command.cloned(),
        artifact: Some(artifact.clone()),
        ..options.clone()
    };
    Ok(Settled { options, artifact, cwd: way.cwd, compilers, env })
}

/// The settings that the options leave open. Paths are relative to `cwd`.
struct Way {
    /// The command, if the files determine it.
    build: Option<String>,
    artifact: PathBuf,
    /// Set if the files determine the artefact.
    names_artifact: bool,
    cwd: PathBuf,
}

fn choose(options: &BuildOptions, there: &ProjectFiles, site: &Site<'_>) -> Result<Way, Failure> {
    let place = site.place.clone();
    let (known, typed) = (there.recognised.as_ref(), options.artifact.as_ref());
    if let Some(artifact) = typed {
        let as_said = |build| Way {
            build,
            artifact: artifact.clone(),
            names_artifact: false,
            cwd: place.clone(),
        };
        let (Some(known), None) = (known, &options.build) else { return Ok(as_said(None)) };
        if is_checkout(artifact) {
            return Ok(as_said(some(&known.build)));
        }
        // The path relative to the folder in which the project is built.
        let (root, whole) = (PathBuf::from(&known.folder), place.join(plain(artifact)));
        let Ok(within) = whole.strip_prefix(&root) else { return Ok(as_said(None)) };
        let (whole, within) = (whole.to_string_lossy(), within.to_string_lossy());
        let is_there = |name: &String| {
            *name == whole
                || matches_pattern(&whole, name)
                || name.starts_with(&format!("{whole}/"))
        };
        if there.names.iter().any(is_there) {
            return Ok(as_said(None));
        }
        let artifact = PathBuf::from(&*within);
        return Ok(Way { artifact, cwd: root, ..as_said(some(&known.build_of(&within))) });
    }
    let product = the_product(options, there, site)?;
    let root = PathBuf::from(&known.expect("it has a product").folder);
    let artifact = PathBuf::from(&product.artifact);
    if options.build.is_none() {
        return Ok(Way { build: some(&product.build), artifact, names_artifact: true, cwd: root });
    }
    let artifact = match is_checkout(&artifact) {
        true => Ok(artifact),
        false => root.join(artifact).strip_prefix(&place).map(Path::to_owned),
    };
    let artifact = artifact.map_err(|_| unknown(options, there, site))?;
    Ok(Way { build: None, artifact, names_artifact: true, cwd: place })
}

fn the_product<'s>(
    options: &BuildOptions,
    there: &'s ProjectFiles,
    site: &Site<'_>,
) -> Result<&'s Product, Failure> {
    let Some(known) = &there.recognised else { return Err(unknown(options, there, site)) };
    let what = format!("the {} project", known.system);
    match known.programs().as_slice() {
        [only] => Ok(only),
        [] => {
            let beside: Vec<&str> = known.products.iter().map(|p| p.artifact.as_str()).collect();
            let hint = match beside.as_slice() {
                [] => "name what the build makes with `--artifact PATH`".to_owned(),
                some => {
                    let all = listed(some.iter().copied());
                    format!("name what the build makes with `--artifact`, such as {all}")
                }
            };
            Err(Failure::new(format!("{what} names no program in its files")).hint(Some(hint)))
        }
        several => {
            let names = listed(several.iter().map(|product| product.name.as_str()));
            let artifacts = listed(several.iter().map(|product| product.artifact.as_str()));
            let hint =
                format!("choose one with `--artifact`, which says how to build it: {artifacts}");
            Err(Failure::new(format!("{what} makes {} programs: {names}", several.len()))
                .hint(Some(hint)))
        }
    }
}

/// The failure if nothing is recognised: lists all missing options at once.
fn unknown(options: &BuildOptions, there: &ProjectFiles, site: &Site<'_>) -> Failure {
    let place = if site.project.as_os_str().is_empty() {
        "the root of the repository".to_owned()
    } else {
        format!("`{}`", site.project.display())
    };
    let failure = match options.build {
        Some(_) => Failure::new("brisk does not know what the build makes"),
        None => {
            Failure::new("brisk does not know how to build the commits, nor what the build makes")
        }
    };
    let failure = failure
        .because(format!("no build system is recognised in {place}; what is looked for: {MARKS}"));
    let said = match options.build {
        Some(_) => "name it with `--artifact PATH`, or in brisk.toml: `artifact = \"PATH\"`",
        None => {
            "say both with `--build CMD --artifact PATH`, or in a brisk.toml, which `brisk init` \
             writes"
        }
    };
    failure.hint(Some(match there.below.as_slice() {
        [] => said.to_owned(),
        some => {
            let folders = listed(some.iter().map(String::as_str));
            format!("{said}; there is something to build in {folders}: `--project DIR`")
        }
    }))
}

impl Way {
    fn is_said_by_files(&self) -> bool {
        self.build.is_some() || self.names_artifact
    }

    fn announced(&self, there: &ProjectFiles) -> String {
        let system = there.recognised.as_ref().map_or(System::Make, |known| known.system);
        let place = match self.cwd.as_os_str().is_empty() {
            true => String::new(),
            false => format!(" in `{}`", self.cwd.display()),
        };
        let artifact = self.artifact.display();
        if is_checkout(&self.artifact) {
            let built = self.build.as_ref().map(|build| format!(", built by `{build}`"));
            return format!(
                "a {system} project{place}: each commit runs in a checkout of its own{}; \
                 `--artifact` overrides that",
                built.unwrap_or_default()
            );
        }
        match &self.build {
            Some(build) if self.names_artifact => format!(
                "a {system} project{place}: `{build}` makes `{artifact}`; `--build` and \
                 `--artifact` override that"
            ),
            Some(build) => format!(
                "a {system} project{place}: `{build}` makes `{artifact}`; `--build` overrides that"
            ),
            None => {
                format!("a {system} project{place} makes `{artifact}`; `--artifact` overrides that")
            }
        }
    }

    /// The variable that keeps Cargo's build inside the checkout, if the user's leads elsewhere.
    fn target_folder(&self, there: &ProjectFiles) -> Option<(OsString, OsString)> {
        let is_cargo = there.recognised.as_ref().is_some_and(|k| k.system == System::Cargo);
        let leads_away = ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"]
            .iter()
            .any(|name| std::env::var_os(name).is_some());
        let is_usual = self.artifact.starts_with("target");
        (is_cargo && self.build.is_some() && leads_away && is_usual)
            .then(|| ("CARGO_TARGET_DIR".into(), "target".into()))
    }
}

/// A description of why another commit would be built differently. None if it would not.
fn differs(way: &Way, newest: &ProjectFiles, oldest: &ProjectFiles) -> Option<String> {
    let system = |seen: &ProjectFiles| seen.recognised.as_ref().map(|known| known.system);
    match (&oldest.recognised, system(newest)) {
        (None, _) => Some("has no build system that is recognised".to_owned()),
        (Some(known), Some(system)) if known.system != system => {
            Some(format!("is a {} project", known.system))
        }
        (Some(known), _) => {
            let is_made = |product: &Product| Path::new(&product.artifact) == way.artifact;
            if Path::new(&known.folder) != way.cwd {
                Some(format!("is built in {}", folder_of(known)))
            } else if way.names_artifact && !known.products.iter().any(is_made) {
                Some(format!("names no `{}` in its files", way.artifact.display()))
            } else {
                None
            }
        }
    }
}

/// The command, unless it is empty.
fn some(build: &str) -> Option<String> {
    (!build.is_empty()).then(|| build.to_owned())
}

fn folder_of(known: &Recognised) -> String {
    if known.folder.is_empty() { "the root".to_owned() } else { format!("`{}`", known.folder) }
}

/// The path without a leading `./`.
pub fn plain(path: &Path) -> &Path {
    path.strip_prefix("./").unwrap_or(path)
}
