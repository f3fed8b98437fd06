//! A project with its repository, some commits of which are built at once.

use std::path::{Path, PathBuf};

use super::{BuildConduct, Settled, Site, built_commits, place_in, read, settle};
use crate::cli::options::{BuildOptions, settings};
use crate::failure::Failure;
use crate::prepare::{Artifact, Commit, Repository, commit};
use crate::spec::project::ProjectFile;

/// A project.
pub(in crate::cli) struct Project {
    repository: Repository,
    folder: PathBuf,
    /// Its brisk.toml, where there is one.
    pub(in crate::cli) file: Option<ProjectFile>,
    /// How its commits are built, as far as that is said.
    pub(in crate::cli) build: BuildOptions,
}

impl Project {
    /// The project in this folder, built as typed, else as its file says.
    pub(in crate::cli) fn open(folder: &Path, typed: &BuildOptions) -> Result<Self, Failure> {
        let file = read(folder)?;
        let build = match &file {
            Some(file) => settings::build(typed, folder, &file.project),
            None => typed.clone(),
        };
        let repository = Repository::open(folder)?;
        Ok(Self { repository, folder: folder.to_owned(), file, build })
    }

    /// The commits that these revisions mean, all of which must be there.
    pub(in crate::cli) fn commits(&self, revisions: &[String]) -> Result<Vec<Commit>, Failure> {
        let one = |revision: &String| {
            let found = commit(&self.repository, revision)?;
            found.ok_or_else(|| Failure::new(format!("unknown revision `{revision}`")))
        };
        revisions.iter().map(one).collect()
    }

    /// How these commits are built, by options that are completed.
    pub(in crate::cli) fn settle(
        &self,
        build: &BuildOptions,
        commits: &[Commit],
        quiet: bool,
    ) -> Result<Settled, Failure> {
        let place = place_in(&self.repository, &self.folder);
        let cwd = self.file.as_ref().and_then(|file| file.project.cwd.as_ref());
        let project = cwd.map_or_else(|| place.clone(), |cwd| place.join(cwd));
        settle(build, &Site { repository: &self.repository, commits, place, project, quiet })
    }

    /// What the commits make, each built once, in their order.
    pub(in crate::cli) fn built(
        &self,
        settled: &Settled,
        commits: Vec<Commit>,
        conduct: BuildConduct<'_>,
    ) -> Result<Vec<(Commit, Artifact)>, Failure> {
        let env = self.file.as_ref().map_or(&[][..], |file| &file.project.env);
        let recipe = settled.recipe(env)?;
        let all = commits.iter().cloned();
        let artifacts = built_commits(&self.repository, &recipe, all, &settled.options, conduct)?;
        let of = |commit: Commit| artifacts.get(&commit.hash).cloned().map(|one| (commit, one));
        Ok(commits.into_iter().filter_map(of).collect())
    }
}
