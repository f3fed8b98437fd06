//! A command that is run with the artefact of each commit.
//!
//! `{artifact}` in the command stands for the path of the artefact, `{commit}` for the commit's
//! hash. A command with the artefact's path in the project, as one would type it there, is
//! understood, too.

use std::path::{Component, Path};

use super::invocation::{self, CommandError, RunSettings};
use super::kept_checkout::KeptCheckout;
use super::labels::{ArtifactId, ArtifactLabel, Labels};
use super::layouts::{Layout, Layouts};
use super::parameters::{Point, placeholders};
use super::words;
use super::work::Work;
use super::{Experiment, Variant};

/// The placeholder of the artefact's path.
const ARTIFACT: &str = "artifact";
/// The placeholder of the commit's hash.
const COMMIT: &str = "commit";
/// The placeholder of the amount of work.
pub const WORK: &str = "work";

/// The artefact of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltArtifact<'a> {
    /// The commit's full hash.
    pub commit: &'a str,
    /// Its name in tables.
    pub name: String,
    /// The path of the artefact.
    pub path: &'a Path,
    /// The identity of the artefact.
    pub id: ArtifactId,
    /// The amount of work to do, if the command contains `{work}`.
    pub work: Option<Work>,
    /// The layouts that take turns in its place; empty if it runs as built.
    pub layouts: &'a [Layout],
    /// The checkout in which it runs, if it is only a part of the program.
    pub checkout: Option<&'a KeptCheckout>,
}

impl<'a> BuiltArtifact<'a> {
    /// A placeholder for a commit before it is built.
    pub fn to_be(commit: &'a str, name: String) -> Self {
        let path = Path::new("/dev/null");
        let id = ArtifactId::default();
        Self { commit, name, path, id, work: None, layouts: &[], checkout: None }
    }
}

/// True if an artefact's path is that of the checkout itself.
pub fn is_checkout(artifact: &Path) -> bool {
    let mut parts = artifact.components().peekable();
    parts.peek().is_some() && parts.all(|part| part == Component::CurDir)
}

/// The command, with `{artifact}` in place of the artefact.
///
/// `words` is the part after `--`: a single one is a command line, several are the words of one. If
/// empty, the artefact itself is run. Other braces belong to the command, as in `awk '{print}'`.
///
/// # Errors
///
/// When the command does not contain the artefact.
pub fn template(
    words: &[String],
    artifact: &Path,
    run_settings: &RunSettings,
) -> Result<String, CommandError> {
    let command = match words {
        [] if is_checkout(artifact) => return Err(CommandError::NoCommand),
        [] => format!("{{{ARTIFACT}}}"),
        [line] => line.clone(),
        several => several.iter().map(|word| words::quote(word)).collect::<Vec<_>>().join(" "),
    };
    let texts: Vec<&str> = std::iter::once(command.as_str()).chain(run_settings.texts()).collect();
    if texts.iter().any(|text| placeholders(text).any(|name| name == ARTIFACT)) {
        return Ok(command);
    }
    // The command runs in the checkout that was built.
    if is_checkout(artifact) {
        return Ok(command);
    }
    in_project(&command, artifact).ok_or(CommandError::NoArtifact { command })
}

/// The command with the artefact's path replaced by the placeholder; `None` if it does not occur.
fn in_project(command: &str, artifact: &Path) -> Option<String> {
    let plain = artifact.to_str()?;
    let plain = plain.strip_prefix("./").unwrap_or(plain);
    let mut found = false;
    let replaced: Vec<String> = command
        .split(' ')
        .map(|word| {
            if word.strip_prefix("./").unwrap_or(word) == plain {
                found = true;
                format!("{{{ARTIFACT}}}")
            } else {
                word.to_owned()
            }
        })
        .collect();
    found.then(|| replaced.join(" "))
}

/// True if the artefact itself is the program that the command starts.
pub fn starts_artifact(template: &str) -> bool {
    template.split_whitespace().next() == Some("{artifact}")
}

/// The command with each artefact, as variants of one experiment.
///
/// # Errors
///
/// When the command or an option cannot be used.
pub fn experiment(
    run_settings: &RunSettings,
    template: &str,
    artifacts: &[BuiltArtifact<'_>],
) -> Result<Experiment, CommandError> {
    let points: Vec<Point> = artifacts.iter().map(point).collect();
    let mut experiment = invocation::experiment(run_settings, &[template], &points)?;
    for (variant, built) in experiment.variants.iter_mut().zip(artifacts) {
        name(variant, built, template);
    }
    Ok(experiment)
}

fn point(built: &BuiltArtifact<'_>) -> Point {
    let path = words::quote(&built.path.to_string_lossy());
    let work = built.work.map(|work| (WORK.to_owned(), work.done.to_string()));
    let point = [(ARTIFACT.to_owned(), path), (COMMIT.to_owned(), built.commit.to_owned())];
    point.into_iter().chain(work).collect()
}

/// Names the variant. The path of the artefact is specific to this machine; the command is kept as
/// the user gave it, together with the artefact's label.
fn name(variant: &mut Variant, built: &BuiltArtifact<'_>, template: &str) {
    variant.name.clone_from(&built.name);
    template.clone_into(&mut variant.command);
    let copies = variant.labels.copies;
    variant.labels = Labels { artifact: Some(label(built)), copies, ..Labels::default() };
    variant.runs_in(layouts(built));
    if let Some(checkout) = built.checkout {
        checkout.take_in(variant);
    }
}

/// The label: commit and artefact.
pub(super) fn label(built: &BuiltArtifact<'_>) -> ArtifactLabel {
    ArtifactLabel { commit: built.commit.to_owned(), id: built.id.clone(), work: built.work }
}

/// The layouts that run in its place.
pub(super) fn layouts(built: &BuiltArtifact<'_>) -> Layouts {
    Layouts { artifact: built.path.to_owned(), all: built.layouts.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split('|').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn the_artefact_is_found_where_one_would_type_it() {
        for (given, artifact, expected) in [
            ("", "prog", "{artifact}"),
            ("{artifact} x", "prog", "{artifact} x"),
            ("./prog x", "prog", "{artifact} x"),
            ("prog|x y", "./prog", "{artifact} 'x y'"),
            ("time dist/prog", "dist/prog", "time {artifact}"),
            ("awk '{print}' {artifact}", "prog", "awk '{print}' {artifact}"),
        ] {
            let template = template(&words(given), Path::new(artifact), &RunSettings::default());
            assert_eq!(template.expect("understood"), expected, "{given}");
        }
    }

    #[test]
    fn a_command_without_the_artefact_is_refused() {
        let refused = template(&words("sleep 1"), Path::new("prog"), &RunSettings::default());
        assert!(matches!(refused, Err(CommandError::NoArtifact { .. })));
        let env = vec!["TOOL={artifact}".to_owned()];
        let elsewhere = RunSettings { env, ..RunSettings::default() };
        assert_eq!(template(&words("x"), Path::new("prog"), &elsewhere).expect("ok"), "x");
    }

    #[test]
    fn the_artefact_is_started_where_it_is_the_first_word() {
        for (template, is_started) in [
            ("{artifact}", true),
            (" {artifact} x", true),
            ("{artifact}/bin/prog", false),
            ("run {artifact}", false),
            ("", false),
        ] {
            assert_eq!(starts_artifact(template), is_started, "{template}");
        }
    }

    #[test]
    fn a_path_with_blanks_and_quotes_stays_one_word() {
        let path = Path::new("/tmp/a b/it's");
        let built = BuiltArtifact {
            commit: "c0ffee",
            name: "c0ffee1 x".to_owned(),
            path,
            id: ArtifactId::new("d1", 0),
            work: Work::whole(7),
            layouts: &[],
            checkout: None,
        };
        let experiment =
            experiment(&RunSettings::default(), "{artifact} --at {commit} {work}", &[built])
                .expect("sound");
        let variant = &experiment.variants[0];
        assert_eq!(variant.run.argv, ["/tmp/a b/it's", "--at", "c0ffee", "7"]);
        assert_eq!(variant.command, "{artifact} --at {commit} {work}");
        assert_eq!(variant.labels.work(), Work::whole(7));
        assert_eq!(variant.labels.artifact_id(), Some(&ArtifactId::new("d1", 0)));
    }
}
