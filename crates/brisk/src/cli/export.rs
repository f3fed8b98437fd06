//! `brisk export`: a stored experiment as a file.

use clap::Args;

use super::Done;
use super::exit::ExitCode;
use super::failure::Failure;
use crate::archive;
use crate::commission::Kind;
use crate::report::Report;
use crate::report::export::{ExportOptions, has_picture};
use crate::store::{ExperimentId, StoreOptions};

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
    if arguments.export.is_empty() {
        return Err(Failure::new("no file to export to")
            .hint(Some("name one, for example `--export-json results.json`")));
    }
    let path = arguments.store.path().map_err(|error| archive::failure(&error))?;
    let store = archive::open_for_reading(&path)?;
    let id = ExperimentId(arguments.id);
    let (options, report) = (&arguments.export, archive::report(&store, id)?);
    let checked = match &report {
        Report::Experiment(document) if document.kind() == Kind::History => {
            options.check_of_history()
        }
        Report::Experiment(document) => options.check(has_picture(document)),
        Report::Inspection(_) => options.check_of_inspection(),
    };
    checked.map_err(|error| Failure::from_error(&error))?;
    match report {
        Report::Experiment(document) => archive::export(options, &store, id, &document)?,
        Report::Inspection(inspection) => {
            options.write_inspection(&inspection).map_err(|error| Failure::from_error(&error))?;
        }
    }
    Ok(ExitCode::Fine)
}
