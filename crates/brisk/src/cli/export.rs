//! `brisk export`: a stored experiment as a file.

use clap::Args;

use super::Done;
use super::exit::ExitCode;
use super::failure::Failure;
use crate::archive;
use crate::cli::options::export::ExportOptions;
use crate::cli::options::store::StoreOptions;
use crate::report::Report;
use crate::report::export::Shown;
use crate::store::ExperimentId;

/// Arguments of `brisk export`.
#[derive(Debug, Args)]
pub(super) struct ExportArguments {
    /// Its number, as `brisk list` shows it
    id: i64,
    #[command(flatten)]
    export: ExportOptions,
    #[command(flatten)]
    store: StoreOptions,
}

/// Writes the files.
pub(super) fn run(arguments: &ExportArguments) -> Done {
    let exports = arguments.export.exports();
    if exports.is_empty() {
        return Err(Failure::new("no file to export to")
            .hint(Some("name one, for example `--export-json results.json`")));
    }
    let path = arguments.store.path().map_err(|error| archive::failure(&error))?;
    let store = archive::open_for_reading(&path)?;
    let id = ExperimentId(arguments.id);
    let report = archive::report(&store, id)?;
    let shown = match &report {
        Report::Experiment(document) => Shown::of_document(document),
        Report::Inspection(_) => Shown::Inspection,
    };
    exports.check(shown).map_err(|error| Failure::from_error(&error))?;
    match report {
        Report::Experiment(document) => archive::export(&exports, &store, id, &document)?,
        Report::Inspection(inspection) => {
            exports.write_inspection(&inspection).map_err(|error| Failure::from_error(&error))?;
        }
    }
    Ok(ExitCode::Fine)
}
