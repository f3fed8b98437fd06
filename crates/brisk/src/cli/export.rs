//! `brisk export`: stored experiments as files, or as git notes.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use configuration::{ExportOptions, StoreOptions};
use laboratory::archive;
use model::failure::Failure;
use model::spec::writable;
use prepare::written;
use report::Report;
use report::export::{Exports, Shown};
use store::{ExperimentId, Store};

use super::git_notes::{self, NotesOptions};
use super::output::{Output, note, unwritable};
use super::{Done, ExitCode};

/// Arguments of `brisk export`.
#[derive(Debug, Args)]
pub(super) struct ExportArguments {
    /// The numbers of the experiments, as `brisk list` shows them; several only for a record or for notes.
    /// Without numbers, `--git-notes` takes all that measured commits of the repository
    #[arg(value_name = "ID", required_unless_present_any = ["all", "git_notes"])]
    ids: Vec<i64>,
    /// All experiments of the store
    #[arg(long, conflicts_with_all = ["ids", "git_notes"])]
    all: bool,
    /// Compare with this command, not the first
    ///
    /// It is one of the experiment's commands, by its name or letter.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["all", "git_notes", "export_record"])]
    baseline: Option<String>,
    /// Write whole experiments, for `brisk import`
    ///
    /// The record includes the experiments that they refer to. `brisk import` adds all of them to
    /// another store.
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    export_record: Option<PathBuf>,
    #[command(flatten)]
    export: ExportOptions,
    #[command(flatten)]
    notes: NotesOptions,
    #[command(flatten)]
    store: StoreOptions,
}

/// Writes the files, or the notes.
pub(super) fn run(arguments: &ExportArguments, output: &Output) -> Done {
    let record = arguments.export_record.as_deref();
    let exports = arguments.export.exports();
    if arguments.notes.are_wanted() {
        if !exports.is_empty() || record.is_some() {
            return Err(Failure::new("notes and files are written one after the other")
                .hint(Some("leave `--git-notes` or the files out")));
        }
        let store = archive::open_for_reading(&arguments.store.place()?)?;
        let ids = ids(arguments, &store)?;
        return git_notes::export(&arguments.notes, &store, &ids, output);
    }
    if exports.is_empty() && record.is_none() {
        return Err(Failure::new("no file to export to")
            .hint(Some("name one, for example `--export-json results.json`")));
    }
    let place = arguments.store.place()?;
    let store = archive::open_for_reading(&place)?;
    let ids = ids(arguments, &store)?;
    if let Some(record) = record {
        writable::check(record).map_err(|error| unwritable(record, &error))?;
    }
    match ids[..] {
        _ if exports.is_empty() => {}
        [id] => export(&exports, &store, id, arguments.baseline.as_deref())?,
        _ => {
            return Err(Failure::new("a report is of one experiment")
                .hint(Some("several are written as a record: `--export-record FILE`")));
        }
    }
    record.map_or(Ok(()), |record| export_record(record, &store, &ids))?;
    Ok(ExitCode::Fine)
}

/// The requested experiments.
fn ids(arguments: &ExportArguments, store: &Store) -> Result<Vec<ExperimentId>, Failure> {
    if !arguments.all {
        return Ok(arguments.ids.iter().copied().map(ExperimentId).collect());
    }
    let (ids, left_out) = archive::all(store)?;
    left_out.iter().for_each(|why| note(&format!("left out: {why}")));
    Ok(ids)
}

/// Writes the report in the requested formats.
fn export(
    exports: &Exports,
    store: &Store,
    id: ExperimentId,
    baseline: Option<&str>,
) -> Result<(), Failure> {
    let report = match baseline {
        Some(baseline) => Report::Experiment(Box::new(archive::against(store, id, baseline)?)),
        None => archive::report(store, id)?,
    };
    let shown = match &report {
        Report::Experiment(document) => Shown::from(document.kind()),
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

fn export_record(path: &Path, store: &Store, ids: &[ExperimentId]) -> Result<(), Failure> {
    let mut refused = None;
    let written = written::write(path, |out| {
        archive::export_record(store, ids, out).map_err(|failure| {
            refused = Some(failure);
            io::ErrorKind::Other.into()
        })
    });
    written.map_err(|error| refused.unwrap_or_else(|| unwritable(path, &error)))
}
