//! The files that a check writes.

use std::path::Path;

use super::CheckArguments;
use super::measuring::Measurement;
use super::question::Question;
use crate::archive;
use crate::cli::failure::Failure;
use crate::report::expectations::{self, Checked};
use crate::report::export::ExportOptions;
use crate::report::junit::{self, Undecided};
use crate::spec::writable;

/// Finds out, before anything is measured, whether every file can be written.
pub(super) fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    let wanted = [&arguments.export_junit, &arguments.export_markdown, &arguments.export_json];
    for path in wanted.into_iter().flatten() {
        writable::check(path).map_err(|error| unwritable(path, &error))?;
    }
    Ok(())
}

/// Writes every file that is wanted.
pub(super) fn write(
    arguments: &CheckArguments,
    question: &Question<'_>,
    checked: &[Checked],
    measurement: &Measurement,
    path: &Path,
) -> Result<(), Failure> {
    let undecided =
        if arguments.stopping.require_verdict { Undecided::Failure } else { Undecided::Skipped };
    let junit = || junit::render(&question.name(), checked, undecided);
    write_text(arguments.export_junit.as_deref(), junit)?;
    write_text(arguments.export_markdown.as_deref(), || expectations::markdown(checked))?;
    let Some(json) = &arguments.export_json else { return Ok(()) };
    let (Some(id), Some(document)) = (measurement.id(), measurement.document()) else {
        return Err(Failure::new(format!("cannot write `{}`", json.display()))
            .because("nothing was measured"));
    };
    let options = ExportOptions { export_json: Some(json.clone()), ..ExportOptions::default() };
    let store = archive::open_for_reading(path)?;
    archive::export(&options, &store, id, document)
}

fn write_text(path: Option<&Path>, text: impl FnOnce() -> String) -> Result<(), Failure> {
    match path {
        Some(path) => std::fs::write(path, text()).map_err(|error| unwritable(path, &error)),
        None => Ok(()),
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`", path.display())).caused_by(error)
}
