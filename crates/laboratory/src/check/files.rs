//! The files that a check writes.

use std::io;
use std::path::{Path, PathBuf};

use super::measuring::Measurement;
use super::question::Question;
use crate::archive;
use configuration::CheckRequest;
use findings::CheckedExpectation;
use model::failure::Failure;
use model::spec::writable;
use prepare::written;
use report::expectations;
use report::export::{Exports, Format};
use report::html;
use report::junit::{self, Undecided};
use store::Place;

use crate::watcher::{Event, Watcher};

/// Checks, before anything is measured, that every file can be written.
pub(super) fn check(arguments: &CheckRequest) -> Result<(), Failure> {
    let CheckRequest { export_junit, export_markdown, export_json, export_html, .. } = arguments;
    let wanted = [export_junit, export_markdown, export_json, export_html];
    writable::check_all(wanted.into_iter().flatten().map(PathBuf::as_path))
        .map_err(|(path, error)| unwritable(path, &error))
}

/// Writes every requested file.
pub(super) fn write(
    question: &Question<'_>,
    checked: &[CheckedExpectation],
    measurement: &Measurement,
    place: &Place,
    watcher: &mut dyn Watcher,
) -> Result<(), Failure> {
    let arguments = question.arguments;
    let undecided =
        if arguments.stopping.require_verdict { Undecided::Failure } else { Undecided::Skipped };
    let junit = || junit::render(&question.name(), checked, undecided);
    write_text(arguments.export_junit.as_deref(), junit)?;
    write_text(arguments.export_markdown.as_deref(), || {
        page::markdown::render(&expectations::page(checked, measurement.wait_share()))
    })?;
    if let Some(file) = &arguments.export_html {
        write_page(file, question, checked, measurement, place)?;
    }
    let Some(json) = &arguments.export_json else { return Ok(()) };
    let mut documents = measurement.documents();
    let Some((id, document)) = documents.next() else {
        return Err(Failure::new(format!("cannot write `{}`", json.display()))
            .because("nothing was measured"));
    };
    let exports = Exports { files: vec![(Format::Json, json.clone())], asv_commit: None };
    let store = archive::open_for_reading(place)?;
    archive::export(&exports, &store, id, document)?;
    // A document holds one experiment.
    if let Some((id, _)) = documents.next() {
        watcher.on(Event::Note(&format!(
            "`{}` has the commands; `brisk export {id}` writes the benchmarks inside of programs",
            json.display()
        )));
    }
    Ok(())
}

/// Writes the page of each experiment, or of the expectations alone if nothing was measured.
fn write_page(
    file: &Path,
    question: &Question<'_>,
    checked: &[CheckedExpectation],
    measurement: &Measurement,
    place: &Place,
) -> Result<(), Failure> {
    let title = format!("check of {}", question.name());
    let store = archive::open_for_reading(place)?;
    let page = |(id, _)| archive::page(&store, id, u64::MAX).map(|drawn| (drawn.title, drawn.page));
    let mut pages = measurement.documents().map(page).collect::<Result<Vec<_>, Failure>>()?;
    if pages.is_empty() {
        pages.push((title.clone(), expectations::page(checked, None)));
    }
    write_text(Some(file), || html::file(&title, &pages))
}

fn write_text(path: Option<&Path>, text: impl FnOnce() -> String) -> Result<(), Failure> {
    match path {
        Some(path) => written::write_text(path, &text()).map_err(|error| unwritable(path, &error)),
        None => Ok(()),
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`", path.display())).caused_by(error)
}
