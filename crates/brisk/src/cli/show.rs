//! `brisk show`: the report of a stored experiment.

use clap::Args;

use super::Done;
use super::exit::ExitCode;
use super::output::Output;
use crate::archive;
use crate::cli::options::StoreOptions;
use crate::report::Report;
use crate::store::ExperimentId;

/// Arguments of `brisk show`.
#[derive(Debug, Args)]
pub(super) struct ShowArguments {
    /// The number of the experiment, as `brisk list` shows it
    id: i64,
    #[command(flatten)]
    store: StoreOptions,
}

/// Prints the report.
pub(super) fn run(arguments: &ShowArguments, output: &Output) -> Done {
    let place = arguments.store.place()?;
    let mut store = archive::open_for_reading(&place)?;
    let id = ExperimentId(arguments.id);
    match archive::report_to_show(&store, id)? {
        Report::Experiment(document) => {
            archive::keep_report_of_the_dead(&mut store, id, &document);
            output.document(&document)?;
        }
        Report::Inspection(inspection) => output.inspection(&inspection)?,
    }
    Ok(ExitCode::Fine)
}
