//! One command with the program of several commits, each built as a history builds it.

use crate::history::merge;
use crate::project::{self, BuildConduct, Project, Settled};
use crate::watcher::Watcher;
use configuration::{
    CommandOptions, CommitOptions, ReadingOptions, StoppingOptions, commands, settings,
};
use model::failure::Failure;
use model::spec::Experiment;
use model::spec::artifacts::{self, BuiltArtifact};
use model::spec::copies::CopiesError;
use model::spec::invocation::{CommandError, RunSettings};
use model::spec::labels::ArtifactId;
use model::spec::project::Benchmark;
use prepare::{Artifact, Commit, WORKTREE};

/// A command to run with the program of several commits, completed from `brisk.toml`.
pub struct CommandAtCommits {
    /// The command, and how it is run.
    pub commands: CommandOptions,
    run_settings: RunSettings,
    /// The duration of the measurement.
    pub stopping: StoppingOptions,
    /// The metrics to read.
    pub reading: ReadingOptions,
    project: Project,
    settled: Settled,
    commits: Vec<Commit>,
    template: String,
}

/// The programs to compare.
pub enum Programs {
    /// The command with each program.
    Differ(Experiment),
    /// The commits build the same program, byte for byte. These are their names in tables.
    Same(Vec<String>),
}

impl CommandAtCommits {
    /// Checks as much as possible before anything is built.
    ///
    /// # Errors
    ///
    /// When something cannot be built or run.
    pub fn new(
        at: &CommitOptions,
        benchmark: Option<&str>,
        commands: &CommandOptions,
        stopping: &StoppingOptions,
        reading: &ReadingOptions,
        watcher: &mut dyn Watcher,
    ) -> Result<Self, Failure> {
        let mut commands = commands.clone();
        refuse(&commands)?;
        let mut revisions = at.all()?;
        if revisions.len() == 1 {
            revisions.push(WORKTREE.to_owned());
        }
        let project = Project::open(at.folder(), at.build())?;
        let chosen = match &project.file {
            Some(file) => {
                configuration::project::chosen(benchmark, !commands.commands.is_empty(), file)?
            }
            None => match benchmark {
                Some(name) => {
                    return Err(Failure::new(format!("unknown benchmark `{name}`"))
                        .because("there is no `brisk.toml`"));
                }
                None => None,
            },
        };
        if let Some(benchmark) = chosen.filter(|_| commands.commands.is_empty()) {
            commands.commands.push(benchmark.command.clone());
        }
        let benchmarks: Vec<&Benchmark> = chosen.into_iter().collect();
        if let Some(file) = &project.file {
            commands.invocation =
                settings::invocation(&commands.invocation, at.folder(), &file.project, chosen);
        }
        let stopping = settings::stopping(stopping, &benchmarks);
        let reading = settings::reading(reading, &benchmarks);
        let commits = project.commits(&revisions)?;
        let settled = project.settle(&project.build, &commits, watcher)?;
        let of_file = project.file.as_ref().and_then(|file| file.project.cwd.clone());
        let cwd = chosen.and_then(|benchmark| benchmark.cwd.clone()).or(of_file);
        let typed = project::as_typed(&settled.artifact, cwd.as_deref());
        let run_settings = commands.run_settings()?;
        if run_settings.copies.len() > 1 {
            let typed = commands.copies.clone().unwrap_or_default();
            return Err(CommandError::from(CopiesError::Several(typed)).into());
        }
        let template = artifacts::template(&commands.commands, &typed, &run_settings)?;
        let asked =
            Self { commands, run_settings, stopping, reading, project, settled, commits, template };
        asked.check()?;
        Ok(asked)
    }

    /// Checks that the command works with artefacts in place of its placeholders.
    fn check(&self) -> Result<(), Failure> {
        let all: Vec<BuiltArtifact<'_>> = (self.commits.iter())
            .map(|commit| BuiltArtifact::to_be(&commit.hash, named(commit)))
            .collect();
        commands::of_commits(&self.commands, &self.run_settings, &self.template, &all)
            .map(drop)
            .map_err(Failure::from)
    }

    /// Builds the commits.
    ///
    /// # Errors
    ///
    /// When one does not build, or the build is interrupted.
    pub fn build(
        &self,
        conduct: BuildConduct<'_>,
        watcher: &mut dyn Watcher,
    ) -> Result<Programs, Failure> {
        let commands = [(self.template.as_str(), &self.run_settings)];
        let made =
            self.project.built(&self.settled, self.commits.clone(), &commands, conduct, watcher)?;
        let digest = |(_, artifact): &(Commit, Artifact)| artifact.digest.clone();
        let first = made.first().map(digest);
        if made.iter().all(|one| Some(digest(one)) == first) && !self.template.contains("{commit}")
        {
            return Ok(Programs::Same(made.iter().map(|(commit, _)| named(commit)).collect()));
        }
        let all: Vec<BuiltArtifact<'_>> = (made.iter())
            .map(|(commit, artifact)| {
                let name = named(commit);
                let layouts = project::layouts_of(&name, artifact)?;
                Ok(BuiltArtifact {
                    path: &artifact.path,
                    id: ArtifactId::new(artifact.digest.as_str(), 0),
                    layouts,
                    checkout: artifact.checkout.as_ref(),
                    ..BuiltArtifact::to_be(&commit.hash, name)
                })
            })
            .collect::<Result<_, Failure>>()?;
        commands::of_commits(&self.commands, &self.run_settings, &self.template, &all)
            .map(Programs::Differ)
            .map_err(Failure::from)
    }
}

fn named(commit: &Commit) -> String {
    merge::name(&commit.hash, &commit.subject)
}

/// Refuses commands and parameters that cannot be combined with several commits.
fn refuse(commands: &CommandOptions) -> Result<(), Failure> {
    let count = commands.commands.len() + usize::from(commands.reference.is_some());
    if count > 1 {
        return Err(Failure::new(format!("`--at` takes one command, and there are {count}"))
            .because("the commits are what is compared")
            .hint(Some("put the words of one command in quotes")));
    }
    let parameters = commands.parameters.parameters();
    if parameters.is_ok_and(|parameters| !parameters.is_empty()) {
        return Err(Failure::new("`--at` and parameters cannot both be given")
            .because("the commits are what is compared"));
    }
    Ok(())
}
