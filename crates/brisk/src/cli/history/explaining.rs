//! Telling of every step what changed in Core.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use measure::Launcher;

use super::HistoryArguments;
use crate::cli::explain::difference::of_revisions;
use crate::cli::explain::source::SourceOptions;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::report::core_difference::document::CoreDifferencePart;
use crate::report::document::Document;
use crate::spec::words;

/// What is needed to build and run both sides of a step, checked before anything is measured.
pub(super) struct Explaining {
    subject: PathBuf,
    options: SourceOptions,
    launcher: Launcher,
}

impl Explaining {
    /// None where nobody asked.
    pub(super) fn new(arguments: &HistoryArguments) -> Result<Option<Self>, Failure> {
        let Some(within) = &arguments.explain else { return Ok(None) };
        let project = arguments.project.clone().unwrap_or_else(|| PathBuf::from("."));
        let subject = project.join(within);
        let invocation = &arguments.invocation;
        let options = SourceOptions::of_run(
            program_arguments(&arguments.command)?,
            &invocation.input,
            &invocation.env,
            arguments.quiet,
        );
        // The same program as it lies there: what is wrong with it is known now.
        options.plan(&subject, None)?;
        let launcher = Launcher::start().map_err(|error| Failure::from_error(&error))?;
        Ok(Some(Self { subject, options, launcher }))
    }

    /// Attaches to every step what changed in Core. A step that cannot be explained stays as it is, and
    /// it is said why.
    pub(super) fn explain(&mut self, document: &mut Document, output: &Output) {
        let mut known: BTreeMap<(String, String), Option<Box<CoreDifferencePart>>> =
            BTreeMap::new();
        for step in document.steps.iter_mut().flatten() {
            let sides = (step.from.clone(), step.commit.clone());
            let explained = known.entry(sides).or_insert_with_key(|(from, commit)| {
                let revisions = [from.clone(), commit.clone()];
                let plan = |path: &std::path::Path| self.options.plan(path, None);
                match of_revisions(&self.subject, &revisions, plan, &mut self.launcher, output) {
                    Ok(part) => Some(Box::new(part)),
                    Err(failure) => {
                        let commit: String = commit.chars().take(7).collect();
                        output.message(&format!(
                            "the step at {commit} is not explained:\n{}",
                            failure.text()
                        ));
                        None
                    }
                }
            });
            step.core_difference.clone_from(explained);
        }
    }
}

/// What the steps of a document say of Core, each commit once.
pub(super) fn differences(document: &Document) -> impl Iterator<Item = &CoreDifferencePart> {
    let mut told = std::collections::HashSet::new();
    let steps = document.steps.iter().flatten();
    steps
        .filter(move |step| step.core_difference.is_some() && told.insert(&step.commit))
        .filter_map(|step| step.core_difference.as_deref())
}

/// The program's arguments, where the command is the program itself with its arguments.
fn program_arguments(command: &[String]) -> Result<Vec<OsString>, Failure> {
    let refused = |shown: &str| {
        Failure::new(format!("`--explain` cannot run `{shown}` with counters"))
            .hint(Some("the command must be `{artifact}` and the program's arguments"))
    };
    let words = match command {
        [] => return Ok(Vec::new()),
        [line] => words::split(line).map_err(|_| refused(line))?.words,
        words => words.to_vec(),
    };
    match &words[..] {
        [program, arguments @ ..] if program == "{artifact}" => {
            Ok(arguments.iter().map(OsString::from).collect())
        }
        _ => Err(refused(&command.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_those_behind_the_artefact() {
        let arguments = |command: &[&str]| {
            let command: Vec<String> = command.iter().map(|&it| it.to_owned()).collect();
            program_arguments(&command).map_err(|failure| failure.text())
        };
        let words = |words: &[&str]| Ok(words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(arguments(&[]), words(&[]));
        assert_eq!(arguments(&["{artifact} 1 'a b'"]), words(&["1", "a b"]));
        assert_eq!(arguments(&["{artifact}", "1", "a b"]), words(&["1", "a b"]));
        assert!(arguments(&["time {artifact}"]).is_err());
        assert!(arguments(&["{artifact} 'open"]).is_err());
    }
}
