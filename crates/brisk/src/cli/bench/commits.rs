//! The programs of `brisk bench` or `brisk explain`: existing files, or builds of commits of the
//! project.

use std::path::{Path, PathBuf};

use clap::Args;
use toolchains::project::pattern;

use crate::cli::options::BuildOptions;
use crate::cli::project::{BuildConduct, Project, layouts_of, plain};
use laboratory::history::merge;
use model::failure::Failure;
use model::spec::kept_checkout::KeptCheckout;
use model::spec::layouts::Layouts;
use prepare::{Artifact, Commit, newest};

/// The options that name commits.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct CommitOptions {
    /// The program at this commit, against now
    ///
    /// brisk builds the program at this commit; `WORKTREE` is the checkout with its uncommitted
    /// changes. Given once, the commit is the baseline of `WORKTREE`; given twice, or as `OLD..NEW`,
    /// the first commit is the baseline of the second.
    #[arg(long = "at", value_name = "REVISION", help_heading = "What is run")]
    at: Vec<String>,

    /// The folder of the project; the current one by default
    #[arg(long, value_name = "DIR", requires = "at", help_heading = "What is run")]
    project: Option<PathBuf>,

    #[command(flatten)]
    build: BuildOptions,
}

impl CommitOptions {
    /// The named commits: none, the old one, or the old and the new one.
    pub(in crate::cli) fn revisions(&self) -> Result<Vec<String>, Failure> {
        revisions(&self.at)
    }

    /// All named commits.
    pub(in crate::cli) fn all(&self) -> Result<Vec<String>, Failure> {
        named_by(&self.at)
    }

    /// True if commits are named.
    pub(in crate::cli) fn names_some(&self) -> bool {
        !self.at.is_empty()
    }

    /// The folder of the project.
    pub(in crate::cli) fn folder(&self) -> &Path {
        self.project.as_deref().unwrap_or(Path::new("."))
    }

    /// True if the folder was typed.
    pub(in crate::cli) fn names_project(&self) -> bool {
        self.project.is_some()
    }

    /// The build options, as typed.
    pub(in crate::cli) fn build(&self) -> &BuildOptions {
        &self.build
    }

    /// The number of layouts of each program; 0 if it runs as it is built.
    pub(in crate::cli) fn layouts(&self) -> u32 {
        self.build.layouts()
    }

    /// Refuses layouts of programs that are not built here.
    pub(in crate::cli) fn check_layouts(&self) -> Result<(), Failure> {
        if self.build.layouts() == 0 || self.names_some() {
            return Ok(());
        }
        Err(Failure::new("`--layouts` applies to commits, and none is named")
            .because("a program is linked in other orders while it is built")
            .hint(Some("name them with `--at OLD..NEW`; `--at WORKTREE` is what lies there")))
    }

    /// The time limit of a build, if one was given.
    pub(in crate::cli) fn build_timeout(&self) -> Option<&str> {
        self.build.build_timeout.as_deref()
    }
}

/// The revisions of `--at`, at most two.
fn revisions(at: &[String]) -> Result<Vec<String>, Failure> {
    let named = named_by(at)?;
    match named.len() {
        0..=2 => Ok(named),
        count => Err(Failure::new(format!("`--at` names {count} commits")).hint(Some(
            "two programs can be compared; many commits are a history: `brisk history RANGE`",
        ))),
    }
}

/// The revisions of `--at`. As with git, `OLD..NEW` names two, and an omitted end is `HEAD`; commas
/// separate revisions.
fn named_by(at: &[String]) -> Result<Vec<String>, Failure> {
    let mut named = Vec::new();
    // Dates may have commas: `HEAD@{1 May, 2020}`.
    let each = at.iter().flat_map(|text| match text.contains('{') {
        true => vec![text.as_str()],
        false => text.split(',').map(str::trim).collect(),
    });
    for text in each {
        match text.split_once("..") {
            None if text.is_empty() => return Err(Failure::new("`--at` names no commit")),
            None => named.push(text.to_owned()),
            Some((_, new)) if new.starts_with('.') => {
                return Err(Failure::new(format!("`--at {text}` does not name two commits"))
                    .because("three dots mean the commits that only one side has")
                    .hint(Some("write `OLD..NEW`")));
            }
            Some(ends) => {
                let end =
                    |end: &str| if end.is_empty() { "HEAD".to_owned() } else { end.to_owned() };
                named.extend([end(ends.0), end(ends.1)]);
            }
        }
    }
    Ok(named)
}

/// A program that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Executable {
    /// The path of the program.
    pub(in crate::cli) path: PathBuf,
    /// Its name in reports, if different from what was typed.
    pub(in crate::cli) name: Option<String>,
    /// The layouts that take turns in its place.
    pub(in crate::cli) layouts: Layouts,
    /// The checkout in which it runs, if it depends on other files of it.
    pub(in crate::cli) checkout: Option<KeptCheckout>,
}

/// The programs to measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum Executables {
    /// One or two programs, the old one first.
    Some(Vec<Executable>),
    /// The two commits build the same program, byte for byte, so nothing is measured.
    Same {
        /// The names of the commits in tables.
        names: [String; 2],
    },
}

/// The programs, built if commits are named.
pub(in crate::cli) fn executables(
    options: &CommitOptions,
    typed: &[PathBuf],
    conduct: BuildConduct<'_>,
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
    let (built, within) = built(options, &revisions, program, conduct)?;
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
    if pattern::matches(&artifact.to_string_lossy(), &program.to_string_lossy()) {
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
) -> Result<(Vec<(Commit, Artifact)>, PathBuf), Failure> {
    let project = Project::open(options.folder(), &options.build)?;
    let commits = project.commits(revisions)?;
    let mut build = project.build.clone();
    build.artifact.get_or_insert_with(|| plain(program).to_owned());
    let settled = project.settle(&build, &commits, conduct.quiet)?;
    let within = within(&settled.artifact, program)?;
    Ok((project.built(&settled, commits, &[], conduct)?, within))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(at: &[&str]) -> Result<Vec<String>, String> {
        let at: Vec<String> = at.iter().map(|&text| text.to_owned()).collect();
        revisions(&at).map_err(|failure| failure.to_string())
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
            (&["a...b"][..], "`--at a...b` does not name two commits"),
            (&["a..b", "c"], "`--at` names 3 commits"),
            (&["a", "b", "c"], "`--at` names 3 commits"),
        ] {
            let refused = named(at).expect_err("it is refused");
            assert!(refused.contains(error), "{refused}");
        }
    }
}
