//! The options that name commits of a project.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::build::BuildOptions;
use model::failure::Failure;

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

    /// How its commits are built
    #[command(flatten)]
    pub build: BuildOptions,
}

impl CommitOptions {
    /// The named commits: none, the old one, or the old and the new one.
    pub fn revisions(&self) -> Result<Vec<String>, Failure> {
        revisions(&self.at)
    }

    /// All named commits.
    pub fn all(&self) -> Result<Vec<String>, Failure> {
        named_by(&self.at)
    }

    /// True if commits are named.
    pub fn names_some(&self) -> bool {
        !self.at.is_empty()
    }

    /// The folder of the project.
    pub fn folder(&self) -> &Path {
        self.project.as_deref().unwrap_or(Path::new("."))
    }

    /// True if the folder was typed.
    pub fn names_project(&self) -> bool {
        self.project.is_some()
    }

    /// The build options, as typed.
    pub fn build(&self) -> &BuildOptions {
        &self.build
    }

    /// The number of layouts of each program; 0 if it runs as it is built.
    pub fn layouts(&self) -> u32 {
        self.build.layouts()
    }

    /// Refuses layouts of programs that are not built here.
    pub fn check_layouts(&self) -> Result<(), Failure> {
        if self.build.layouts() == 0 || self.names_some() {
            return Ok(());
        }
        Err(Failure::new("`--layouts` applies to commits, and none is named")
            .because("a program is linked in other orders while it is built")
            .hint(Some("name them with `--at OLD..NEW`; `--at WORKTREE` is what lies there")))
    }

    /// The time limit of a build, if one was given.
    pub fn build_timeout(&self) -> Option<&str> {
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
