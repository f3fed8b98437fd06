//! The programs of a bench, or what is explained: as they lie there, or as commits of the project make them.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::failure::Failure;
use crate::cli::project;
use crate::history::merge;
use crate::prepare::{Artifact, Commit, GitError, Recipe, Repository, commit};
use crate::spec::build::BuildOptions;
use crate::spec::project::settings;

/// The options that name commits.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct CommitOptions {
    /// The program as it is built at this commit. Given once, that is the old one, and the one
    /// that lies there the new one; given twice, or as `OLD..NEW`, the old and the new one are
    /// both built
    #[arg(long = "at", value_name = "REVISION", help_heading = "What is run")]
    at: Vec<String>,

    /// The folder of the project whose commits these are; the current one by default
    #[arg(long, value_name = "DIR", requires = "at", help_heading = "What is run")]
    project: Option<PathBuf>,

    #[command(flatten)]
    build: BuildOptions,
}

impl CommitOptions {
    /// The commits that were named: none, the old one, or the old and the new one.
    pub(in crate::cli) fn revisions(&self) -> Result<Vec<String>, Failure> {
        revisions(&self.at)
    }

    /// The longest a build may take, where it was said.
    pub(in crate::cli) fn build_timeout(&self) -> Option<&str> {
        self.build.build_timeout.as_deref()
    }
}

/// What `--at` names. As with git, `OLD..NEW` names two, and an end that is left out is `HEAD`.
fn revisions(at: &[String]) -> Result<Vec<String>, Failure> {
    let mut named = Vec::new();
    for text in at {
        match text.split_once("..") {
            None => named.push(text.clone()),
            Some((_, new)) if new.starts_with('.') => {
                return Err(Failure::new(format!("`--at {text}` names no two commits"))
                    .because("with three dots it means what either side has and the other has not")
                    .hint(Some("write `OLD..NEW`")));
            }
            Some(ends) => {
                let end =
                    |end: &str| if end.is_empty() { "HEAD".to_owned() } else { end.to_owned() };
                named.extend([end(ends.0), end(ends.1)]);
            }
        }
    }
    match named.len() {
        0..=2 => Ok(named),
        count => Err(Failure::new(format!("`--at` names {count} commits")).hint(Some(
            "two programs can be compared; many commits are a history: `brisk history RANGE`",
        ))),
    }
}

/// A program that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Executable {
    /// Where it is.
    pub(in crate::cli) path: PathBuf,
    /// What reports call it, where that is not what was typed.
    pub(in crate::cli) name: Option<String>,
}

/// What is to be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum Executables {
    /// These; of two, the old one first.
    Some(Vec<Executable>),
    /// Two commits make the same program, byte for byte, and nothing is.
    Same {
        /// The commits, as tables call them.
        names: [String; 2],
    },
}

/// The programs, built where commits are named.
pub(in crate::cli) fn executables(
    options: &CommitOptions,
    typed: &[PathBuf],
    quiet: bool,
) -> Result<Executables, Failure> {
    let as_it_is = |path: &PathBuf| Executable { path: path.clone(), name: None };
    let revisions = options.revisions()?;
    let program = match (&revisions[..], typed) {
        ([], all) => return Ok(Executables::Some(all.iter().map(as_it_is).collect())),
        (_, [program]) => program,
        _ => {
            return Err(Failure::new("`--at` is of one program, and there are two")
                .hint(Some("leave out the old one: `--at` takes its place")));
        }
    };
    let built = built(options, &revisions, program, quiet)?;
    if let [(old, one), (new, two)] = built.as_slice()
        && one.digest == two.digest
    {
        return Ok(Executables::Same { names: [named(old), named(new)] });
    }
    let within = within(&built_of(options, program)?.0, program)?;
    let executable = |(commit, artifact): (Commit, Artifact)| Executable {
        // An empty path would add a slash.
        path: match within.as_os_str().is_empty() {
            true => artifact.path,
            false => artifact.path.join(&within),
        },
        name: Some(named(&commit)),
    };
    let there = (revisions.len() == 1).then(|| as_it_is(program));
    Ok(Executables::Some(built.into_iter().map(executable).chain(there).collect()))
}

fn named(commit: &Commit) -> String {
    merge::name(&commit.hash, &commit.subject)
}

/// The options with what `brisk.toml` adds, and the variables that it sets.
fn built_of(
    options: &CommitOptions,
    program: &Path,
) -> Result<(BuildOptions, Vec<(String, String)>), Failure> {
    let folder = options.project.as_deref().unwrap_or(Path::new("."));
    let file = project::read(folder)?;
    let (mut build, env) = match &file {
        Some(file) => {
            (settings::build(&options.build, folder, &file.project), file.project.env.clone())
        }
        None => (options.build.clone(), Vec::new()),
    };
    build.artifact.get_or_insert_with(|| plain(program).to_owned());
    Ok((build, env))
}

/// Where in the artefact the program is; empty where it is the artefact itself.
fn within(build: &BuildOptions, program: &Path) -> Result<PathBuf, Failure> {
    let artifact = build.artifact.as_deref().map(plain).unwrap_or(Path::new(""));
    let within = plain(program).strip_prefix(artifact).map(Path::to_owned);
    within.map_err(|_| {
        let (program, artifact) = (program.display(), artifact.display());
        Failure::new(format!("the build makes `{artifact}`, and `{program}` is not in it"))
            .hint(Some("say with `--artifact` what the build makes"))
    })
}

/// The path without `./` before it.
fn plain(path: &Path) -> &Path {
    path.strip_prefix("./").unwrap_or(path)
}

/// What the commits make, in the order in which they were named.
fn built(
    options: &CommitOptions,
    revisions: &[String],
    program: &Path,
    quiet: bool,
) -> Result<Vec<(Commit, Artifact)>, Failure> {
    let folder = options.project.as_deref().unwrap_or(Path::new("."));
    let of_git = |error: GitError| Failure::from_error(&error).hint(error.hint());
    let repository = Repository::open(folder).map_err(of_git)?;
    let mut commits: Vec<Commit> = Vec::new();
    for revision in revisions {
        let found = commit(&repository, revision).map_err(of_git)?;
        let unknown = || Failure::new(format!("unknown revision `{revision}`"));
        commits.push(found.ok_or_else(unknown)?);
    }
    let (build, env) = built_of(options, program)?;
    within(&build, program)?;
    let place = project::place_in(&repository, folder);
    let recipe: Recipe = project::recipe(&build, &env, place)?;
    let mut distinct = commits.clone();
    distinct.dedup_by(|one, other| one.hash == other.hash);
    let artifacts = project::built_commits(&repository, &recipe, &distinct, &build, quiet)?;
    let of = |commit: Commit| {
        let place = distinct.iter().position(|other| other.hash == commit.hash)?;
        Some((commit, artifacts.get(place)?.clone()))
    };
    Ok(commits.into_iter().filter_map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(at: &[&str]) -> Result<Vec<String>, String> {
        let at: Vec<String> = at.iter().map(|&text| text.to_owned()).collect();
        revisions(&at).map_err(|failure| failure.text())
    }

    #[test]
    fn commits_are_named_one_by_one_or_as_a_range() {
        let some = |names: &[&str]| Ok(names.iter().map(|&name| name.to_owned()).collect());
        assert_eq!(named(&[]), some(&[]));
        assert_eq!(named(&["v1"]), some(&["v1"]));
        assert_eq!(named(&["v1", "HEAD~2"]), some(&["v1", "HEAD~2"]));
        assert_eq!(named(&["v1..main^"]), some(&["v1", "main^"]));
        assert_eq!(named(&["v1.."]), some(&["v1", "HEAD"]));
        assert_eq!(named(&["..v1"]), some(&["HEAD", "v1"]));
    }

    #[test]
    fn what_names_no_two_commits_is_refused() {
        for (at, error) in [
            (&["a...b"][..], "`--at a...b` names no two commits"),
            (&["a..b", "c"], "`--at` names 3 commits"),
            (&["a", "b", "c"], "`--at` names 3 commits"),
        ] {
            let refused = named(at).expect_err("it is refused");
            assert!(refused.contains(error), "{refused}");
        }
    }
}
