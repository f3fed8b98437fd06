//! A project with its repository, whose commits are built in parallel.

use std::path::{Path, PathBuf};

use super::{
    BuildConduct, Settled, Site, builder, built_commits, place_in, run_by, settle, unbuilt,
};
use crate::watcher::Watcher;
use configuration::project::read;
use configuration::{BuildOptions, settings};
use model::failure::Failure;
use model::spec::invocation::RunSettings;
use model::spec::project::ProjectFile;
use prepare::{Artifact, Checkout, Commit, CutOff, Repository, commit};

/// A project.
pub struct Project {
    repository: Repository,
    folder: PathBuf,
    /// Its brisk.toml, if it exists.
    pub file: Option<ProjectFile>,
    /// The build options, as far as they are given.
    pub build: BuildOptions,
}

impl Project {
    /// The project in this folder, with build options as typed, or else from its file.
    pub fn open(folder: &Path, typed: &BuildOptions) -> Result<Self, Failure> {
        let file = read(folder)?;
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
