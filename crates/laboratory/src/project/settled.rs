//! The build of commits: from the options, or else from the files of the commits.
//!
//! All commits of a question are built in the same way, so that they are comparable. If the options
//! leave it open, the newest commit determines it, because that is the one in front of the user; if
//! the oldest commit would be built differently, the user is told. Choices that were not typed are
//! announced before anything is built.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use toolchains::project::{MARKS, Product, Recognised, System, compilers, matches_pattern};

use crate::watcher::{Event, Watcher};
use configuration::BuildOptions;
use findings::short;
use model::failure::{Failing, Failure};
use model::spec::artifacts::is_checkout;
use model::spec::duration;
use model::spec::place::listed;
use prepare::{Commit, Inputs, ProjectFiles, Recipe, Repository, Trees, seen};

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
            trees: if options.clean_builds { Trees::Clean } else { Trees::Incremental },
            layouts: 0,
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
        let build = some(&known.build_of(&within));
        return Ok(Way {
            build,
            artifact: PathBuf::from(&*within),
            names_artifact: false,
            cwd: root,
        });
    }
    let product = the_product(options, there, site)?;
    let known = known.expect("it has a product");
    let root = PathBuf::from(&known.folder);
    match &options.build {
        None => Ok(Way {
            build: some(&product.build),
            artifact: PathBuf::from(&product.artifact),
            names_artifact: true,
            cwd: root,
        }),
        Some(_) => {
            let artifact = root.join(&product.artifact);
            let artifact = match is_checkout(Path::new(&product.artifact)) {
                true => Ok(PathBuf::from(&product.artifact)),
                false => artifact.strip_prefix(&place).map(Path::to_owned),
            };
            let artifact = artifact.map_err(|_| unknown(options, there, site))?;
            Ok(Way { build: None, artifact, names_artifact: true, cwd: place })
        }
    }
}

/// The only program of the project.
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
                some => format!(
                    "name what the build makes with `--artifact`, such as {}",
                    listed(some.iter().copied())
                ),
            };
            Err(Failure::new(format!("{what} names no program in its files")).hint(Some(hint)))
        }
        several => {
            let names = listed(several.iter().map(|product| product.name.as_str()));
            let artifacts = listed(several.iter().map(|product| product.artifact.as_str()));
            Err(Failure::new(format!("{what} makes {} programs: {names}", several.len())).hint(
                Some(format!(
                    "choose one with `--artifact`, which says how to build it: {artifacts}"
                )),
            ))
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
        None => Failure::new(
            "brisk does not know how to build the commits, nor what the build \
            makes",
        ),
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

    /// The variable that keeps Cargo's build inside the checkout, if the user's environment would
    /// direct it elsewhere.
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
            let is_elsewhere = Path::new(&known.folder) != way.cwd;
            if is_elsewhere {
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
