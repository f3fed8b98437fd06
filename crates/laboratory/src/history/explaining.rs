//! Explains every step: the changes in Core, or, for programs not built by GHC, in the instructions
//! of their functions.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use measure::Launcher;

use super::completed::Completed;
use super::measuring::built;
use super::question::Question;
use crate::explaining::{Plan, native, of_revisions};
use crate::history::lineage::Lineage;
use crate::project::Project;
use crate::watcher::Event;
use configuration::SourceOptions;
use explain::subject::{self, SubjectError};
use findings::Document;
use findings::core_difference::CoreDifference;
use findings::instructions::InstructionCounts;
use model::failure::Failure;
use model::spec::artifacts::{self, BuiltArtifact};
use model::spec::words;

/// The means to explain steps, checked before anything is measured.
pub(super) struct Explaining {
    way: Way,
    launcher: Launcher,
}

/// The method of explaining steps.
enum Way {
    /// By building both sides with counters and dumps.
    Core { project: Box<Project>, subject: PathBuf, options: Box<SourceOptions> },
    /// By running the builds under callgrind.
    Instructions,
}

/// The difference between a step's two programs.
#[derive(Clone)]
enum Explained {
    Core(Box<CoreDifference>),
    Instructions(Box<InstructionCounts>),
}

impl Explaining {
    /// None if explanations were not requested.
    pub(super) fn new(
        completed: &Completed,
        question: &Question<'_>,
    ) -> Result<Option<Self>, Failure> {
        let arguments = &completed.arguments;
        let Some(within) = &arguments.explain else {
            if arguments.ghc.is_given() {
                let error = "GHC options are given, but nothing is explained";
                return Err(Failure::new(error).hint(Some("`--explain` explains each step")));
            }
            return Ok(None);
        };
        let folder = arguments.project.as_deref().unwrap_or(Path::new("."));
        let subject = folder.join(within);
        let way = match subject::source(&subject, arguments.ghc.executable.as_deref()) {
            // The user did not claim that it is a Haskell program.
            Err(SubjectError::NoHaskell { .. }) if within == Path::new(".") => {
                if question.suite.is_some() {
                    return Err(Failure::new("`--explain` of a suite of benchmarks")
                        .because("their programs are run as long as it takes, not for a result")
                        .hint(Some("`brisk explain --at OLD..NEW 'PROGRAM ARGUMENTS'`")));
                }
                native::check_callgrind()?;
                Way::Instructions
            }
            _ => {
                let options = SourceOptions::of_run(
                    arguments.ghc.clone(),
                    program_arguments(&question.template)?,
                    &arguments.invocation,
                    &completed.env,
                    arguments.measuring.quiet,
                );
                let project = Box::new(Project::open(folder, &arguments.build)?);
                // The same plan for the working files, so that problems are found now.
                Plan::new(&options, &subject, arguments.build.build_timeout.as_deref())?;
                Way::Core { project, subject, options: Box::new(options) }
            }
        };
        let launcher = Launcher::start()?;
        Ok(Some(Self { way, launcher }))
    }

    /// The document with an explanation of every step. A step that cannot be explained stays as it
    /// is, and the reason is printed.
    pub(super) fn explained(
        &mut self,
        question: &Question<'_>,
        lineage: &Lineage,
        mut document: Document,
    ) -> Document {
        let mut known: BTreeMap<(String, String), Option<Explained>> = BTreeMap::new();
        let mut steps = document.take_steps();
        for step in &mut steps {
            let sides = (step.from.clone(), step.commit.clone());
            let explained = known.entry(sides).or_insert_with_key(|(from, commit)| {
                let of_step = self.of_step(question, lineage, [from, commit]);
                of_step
                    .map_err(|failure| {
                        let commit = findings::short(commit);
                        let failure = &failure;
                        question.watcher.on(Event::Unexplained { commit, failure });
                    })
                    .ok()
            });
            match explained {
                Some(Explained::Core(part)) => step.core_difference = Some(part.clone()),
                Some(Explained::Instructions(part)) => step.instructions = Some(part.clone()),
                None => {}
            }
        }
        document.with_steps(steps)
    }

    fn of_step(
        &mut self,
        question: &Question<'_>,
        lineage: &Lineage,
        sides: [&String; 2],
    ) -> Result<Explained, Failure> {
        let mut watcher = &question.watcher;
        match &self.way {
            Way::Core { project, subject, options } => {
                let build_timeout = project.build.build_timeout.as_deref();
                let revisions = sides.map(String::clone);
                let launcher = &mut self.launcher;
                of_revisions(
                    project,
                    subject,
                    &revisions,
                    options,
                    build_timeout,
                    launcher,
                    &mut watcher,
                )
                .map(|part| Explained::Core(Box::new(part)))
            }
            Way::Instructions => {
                let both: Vec<BuiltArtifact<'_>> =
                    sides.into_iter().filter_map(|hash| built_of(lineage, hash)).collect();
                let experiment =
                    artifacts::experiment(&question.run_settings, &question.template, &both)?;
                native::of_variants(&experiment, &mut self.launcher, &mut watcher)
                    .map(|part| Explained::Instructions(Box::new(part)))
            }
        }
    }
}

/// The artefact of a commit.
fn built_of<'a>(lineage: &'a Lineage, hash: &str) -> Option<BuiltArtifact<'a>> {
    let number = lineage.revisions.iter().position(|revision| revision.hash == hash)?;
    built(lineage, number)
}

/// The program's arguments, if the command is the program itself with arguments.
fn program_arguments(template: &str) -> Result<Vec<OsString>, Failure> {
    let refused = || {
        Failure::new(format!("`--explain` cannot run `{template}` with counters"))
            .hint(Some("the command must be `{artifact}` and the program's arguments"))
    };
    let words = words::split(template).map_err(|_| refused())?;
    match &words.words[..] {
        [program, arguments @ ..] if program == "{artifact}" && words.shell_syntax.is_none() => {
            Ok(arguments.iter().map(OsString::from).collect())
        }
        _ => Err(refused()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_those_behind_the_artefact() {
        let arguments =
            |template: &str| program_arguments(template).map_err(|failure| failure.to_string());
        let words = |words: &[&str]| Ok(words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(arguments("{artifact}"), words(&[]));
        assert_eq!(arguments("{artifact} 1 'a b'"), words(&["1", "a b"]));
        for refused in ["time {artifact}", "{artifact} 'open", "{artifact} | wc"] {
            assert!(arguments(refused).is_err(), "{refused}");
        }
    }
}
