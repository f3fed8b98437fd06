//! The programs of `brisk bench` or `brisk explain`: existing files, or builds of commits of the
//! project.

use std::path::{Path, PathBuf};

use toolchains::project::matches_pattern;

use crate::history::merge;
use crate::project::{BuildConduct, Project, layouts_of, plain};
use crate::watcher::Watcher;
use configuration::CommitOptions;
use model::failure::Failure;
use model::spec::artifacts::KeptCheckout;
use model::spec::artifacts::Layouts;
use prepare::{Artifact, Commit, newest};

/// A program that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executable {
    /// The path of the program.
    pub path: PathBuf,
    /// Its name in reports, if different from what was typed.
    pub name: Option<String>,
    /// The layouts that take turns in its place.
    pub layouts: Layouts,
    /// The checkout in which it runs, if it depends on other files of it.
    pub checkout: Option<KeptCheckout>,
}

/// The programs to measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Executables {
    /// One or two programs, the old one first.
    Some(Vec<Executable>),
    /// The two commits build the same program, byte for byte, so nothing is measured.
    Same {
        /// The names of the commits in tables.
        names: [String; 2],
    },
}

/// The programs, built if commits are named.
pub fn executables(
    options: &CommitOptions,
    typed: &[PathBuf],
    conduct: BuildConduct<'_>,
    watcher: &mut dyn Watcher,
) -> Result<Executables, Failure> {
    let as_it_is = |path: &PathBuf| Executable {
        path: newest(path),
        name: None,
        layouts: Layouts::default(),
        checkout: None,
    };
    let revisions = options.revisions()?;
    let program = match (&revisions[..], typed) {
        ([], all) => return Ok(Executables::Some(all.iter().map(as_it_is).collect())),
        (_, [program]) => program,
        _ => {
            return Err(Failure::new("`--at` takes one program, and two are given")
                .hint(Some("leave out the old one: `--at` takes its place")));
        }
    };
    let (built, within) = built(options, &revisions, program, conduct, watcher)?;
    if let [(old, one), (new, two)] = built.as_slice()
        && one.digest == two.digest
    {
        return Ok(Executables::Same { names: [named(old), named(new)] });
    }
    let executable = |(commit, artifact): (Commit, Artifact)| {
        let name = named(&commit);
        let all = layouts_of(&name, &artifact)?.to_vec();
        let layouts = Layouts { artifact: artifact.path.clone(), all };
        // An empty path would add a slash.
        let path = match within.as_os_str().is_empty() {
            true => artifact.path,
            false => artifact.path.join(&within),
        };
        Ok(Executable { path, name: Some(name), layouts, checkout: artifact.checkout })
    };
    let mut all = built.into_iter().map(executable).collect::<Result<Vec<_>, Failure>>()?;
    all.extend((revisions.len() == 1).then(|| as_it_is(program)));
    Ok(Executables::Some(all))
}

fn named(commit: &Commit) -> String {
    merge::name(&commit.hash, &commit.subject)
}

/// The path of the program in the artefact. Empty if it is the artefact itself.
fn within(artifact: &Path, program: &Path) -> Result<PathBuf, Failure> {
    let (artifact, program) = (plain(artifact), plain(program));
    if matches_pattern(&artifact.to_string_lossy(), &program.to_string_lossy()) {
        return Ok(PathBuf::new());
    }
    let within = program.strip_prefix(artifact).map(Path::to_owned);
    within.map_err(|_| {
        let (program, artifact) = (program.display(), artifact.display());
        Failure::new(format!("the build makes `{artifact}`, and `{program}` is not in it"))
            .hint(Some("say with `--artifact` what the build makes"))
    })
}

/// The artefacts of the commits, in the order in which they were named, and the program's path in
/// them.
fn built(
    options: &CommitOptions,
    revisions: &[String],
    program: &Path,
    conduct: BuildConduct<'_>,
    watcher: &mut dyn Watcher,
) -> Result<(Vec<(Commit, Artifact)>, PathBuf), Failure> {
    let project = Project::open(options.folder(), &options.build)?;
    let commits = project.commits(revisions)?;
    let mut build = project.build.clone();
    build.artifact.get_or_insert_with(|| plain(program).to_owned());
    let settled = project.settle(&build, &commits, watcher)?;
    let within = within(&settled.artifact, program)?;
    Ok((project.built(&settled, commits, &[], conduct, watcher)?, within))
}
