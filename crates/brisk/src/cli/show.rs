//! `brisk show`: the report of a stored experiment.

use clap::Args;

use super::Done;
use super::exit::ExitCode;
use super::output::Output;
use configuration::StoreOptions;
use laboratory::archive;
use report::Report;
use store::ExperimentId;

/// Arguments of `brisk show`.
#[derive(Debug, Args)]
pub(super) struct ShowArguments {
    /// The number of the experiment, as `brisk list` shows it
    id: i64,
    /// Compare with this one of the commands, by its name or letter, instead of the first
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    #[command(flatten)]
    store: StoreOptions,
}

/// Prints the report.
pub(super) fn run(arguments: &ShowArguments, output: &Output) -> Done {
    let place = arguments.store.place()?;
    let mut store = archive::open_for_reading(&place)?;
    let id = ExperimentId(arguments.id);
    if let Some(baseline) = &arguments.baseline {
        output.document(&archive::against(&store, id, baseline)?)?;
        return Ok(ExitCode::Fine);
    }
    match archive::report_to_show(&store, id)? {
        Report::Experiment(document) => {
            archive::keep_report_of_the_dead(&mut store, id, &document);
            output.document(&document)?;
        }
        Report::Inspection(inspection) => output.inspection(&inspection)?,
    }
    Ok(ExitCode::Fine)
}
