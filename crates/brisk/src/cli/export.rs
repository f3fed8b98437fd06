//! `brisk export`: a stored experiment as a file.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use super::Done;
use super::errors::unwritable;
use super::exit::ExitCode;
use crate::archive;
use crate::cli::options::export::ExportOptions;
use crate::cli::options::store::StoreOptions;
use crate::failure::Failure;
use crate::report::Report;
use crate::report::export::{Exports, Shown};
use crate::spec::writable;
use crate::store::{ExperimentId, Store};

/// Arguments of `brisk export`.
#[derive(Debug, Args)]
pub(super) struct ExportArguments {
    /// The number of the experiment, as `brisk list` shows it
    id: i64,
    /// Write the whole experiment, and those that it refers to, as a record that `brisk import`
    /// adds to another store
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    export_record: Option<PathBuf>,
    #[command(flatten)]
    export: ExportOptions,
    #[command(flatten)]
    store: StoreOptions,
}

/// Writes the files.
pub(super) fn run(arguments: &ExportArguments) -> Done {
    let record = arguments.export_record.as_deref();
    let exports = arguments.export.exports();
    if exports.is_empty() && record.is_none() {
        return Err(Failure::new("no file to export to")
            .hint(Some("name one, for example `--export-json results.json`")));
    }
    let place = arguments.store.place()?;
    let store = archive::open_for_reading(&place)?;
    let id = ExperimentId(arguments.id);
    if let Some(record) = record {
        writable::check(record).map_err(|error| unwritable(record, &error))?;
    }
    if !exports.is_empty() {
        export(&exports, &store, id)?;
    }
    record.map_or(Ok(()), |record| export_record(record, &store, id))?;
    Ok(ExitCode::Fine)
}

/// Writes the report in the forms that are wanted.
fn export(exports: &Exports, store: &Store, id: ExperimentId) -> Result<(), Failure> {
    let report = archive::report(store, id)?;
    let shown = match &report {
        Report::Experiment(document) => Shown::of_document(document),
        Report::Inspection(_) => Shown::Inspection,
    };
    exports.check(shown)?;
    match report {
        Report::Experiment(document) => archive::export(exports, store, id, &document),
        Report::Inspection(inspection) => {
            exports.write_inspection(&inspection).map_err(Failure::from)
        }
    }
}

fn export_record(path: &Path, store: &Store, id: ExperimentId) -> Result<(), Failure> {
    let mut refused = None;
    let written = writable::write(path, |out| {
        archive::export_record(store, id, out).map_err(|failure| {
            refused = Some(failure);
            io::ErrorKind::Other.into()
        })
    });
    written.map_err(|error| refused.unwrap_or_else(|| unwritable(path, &error)))
}
