//! The commits of a project that a verb names, and how each of them is built.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use model::failure::Failure;
use model::spec::artifacts::{FEWEST_LAYOUTS, MOST_LAYOUTS};

/// The options that name commits.
#[derive(Debug, Clone, Args)]
pub struct CommitOptions {
    /// The program at this commit, against now
    ///
    /// brisk builds the program at this commit; `WORKTREE` is the checkout with its uncommitted
    /// changes. Given once, the commit is the baseline of `WORKTREE`; given twice, or as `OLD..NEW`,
    /// the first commit is the baseline of the second.
    #[arg(long = "at", value_name = "REVISION", help_heading = "What is run")]
    pub at: Vec<String>,

    /// The folder of the project; the current one by default
    #[arg(long, value_name = "DIR", requires = "at", help_heading = "What is run")]
    pub project: Option<PathBuf>,

    /// The build of its commits
    #[command(flatten)]
    pub build: BuildOptions,
}

impl CommitOptions {
    /// The named commits: none, the old one, or the old and the new one.
    pub fn revisions(&self) -> Result<Vec<String>, Failure> {
        at_most_two(self.all()?)
    }

    /// All named commits.
    pub fn all(&self) -> Result<Vec<String>, Failure> {
        named_by(&self.at)
    }

    /// The folder of the project.
    pub fn folder(&self) -> &Path {
        self.project.as_deref().unwrap_or(Path::new("."))
    }

    /// Refuses layouts of programs that are not built here.
    pub fn check_layouts(&self) -> Result<(), Failure> {
        if self.build.layouts() == 0 || !self.at.is_empty() {
            return Ok(());
        }
        Err(Failure::new("`--layouts` applies to commits, and none is named")
            .because("a program is linked in other orders while it is built")
            .hint(Some("name them with `--at OLD..NEW`; `--at WORKTREE` is what lies there")))
    }
}

fn at_most_two(named: Vec<String>) -> Result<Vec<String>, Failure> {
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
            Some((old, new)) => {
                named
                    .extend([old, new].map(|end| if end.is_empty() { "HEAD" } else { end }.into()));
            }
        }
    }
    Ok(named)
}

/// The recipe by which each commit is built, and the executable that comes out of it.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "How commits are built")]
pub struct BuildOptions {
    /// Build each commit with this shell command
    ///
    /// Each commit has a checkout of its own.
    #[arg(long, value_name = "CMD")]
    pub build: Option<String>,

    /// The file or folder that the build makes
    ///
    /// The path is relative to the checkout.
    #[arg(long, value_name = "PATH")]
    pub artifact: Option<PathBuf>,

    /// Apply this patch to each commit before it is built
    #[arg(long, value_name = "FILE")]
    pub patch: Option<PathBuf>,

    /// Copy this folder over each commit before it is built
    #[arg(long, value_name = "DIR")]
    pub overlay: Option<PathBuf>,

    /// Build each commit from scratch, instead of on top of the one before it
    #[arg(long)]
    pub clean_builds: bool,

    /// The number of builds at the same time; as many as there are processors by default
    #[arg(short = 'j', long, value_name = "N")]
    pub build_jobs: Option<NonZeroUsize>,

    /// The time limit of a build
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub build_timeout: Option<String>,

    /// Link each program in N orders of its functions, and run these in turn, so that the intervals
    /// hold whatever the linker does; 0 for none
    #[arg(long, value_name = "N", value_parser = layouts)]
    pub layouts: Option<u32>,

    /// Build commits again that failed to build last time
    #[arg(long)]
    pub rebuild_failed: bool,
}

impl BuildOptions {
    /// The number of simultaneous builds.
    pub fn jobs(&self) -> NonZeroUsize {
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.build_jobs.unwrap_or_else(all)
    }

    /// The number of layouts in which each program is linked; 0 if none were requested.
    pub fn layouts(&self) -> u32 {
        self.layouts.unwrap_or(0)
    }
}

/// A number of layouts: none, or enough of them to say something.
fn layouts(text: &str) -> Result<u32, String> {
    let count: u32 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    match count {
        0 | FEWEST_LAYOUTS..=MOST_LAYOUTS => Ok(count),
        _ => Err(format!("it must be 0, or from {FEWEST_LAYOUTS} to {MOST_LAYOUTS}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(at: &[&str]) -> Result<Vec<String>, String> {
        let at: Vec<String> = at.iter().map(|&text| text.to_owned()).collect();
        named_by(&at).and_then(at_most_two).map_err(|failure| failure.to_string())
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
