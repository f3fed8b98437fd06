//! `brisk list` and `brisk show`: the stored experiments, and the report of one of them.

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use configuration::{StoreOptions, one_of};
use laboratory::archive;
use model::commission::Kind;
use page::{Block, Column, Page, Span, Table};
use report::Report;
use store::{ExperimentId, Filter, Store};

use super::output::Output;
use super::{Done, ExitCode};

/// Arguments of `brisk list`.
#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// The largest number of experiments to show, newest first
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    most: usize,
    /// Show only the experiments of one verb; `tune` is `sweep --tune`
    #[arg(long, value_parser = kinds(), value_name = "VERB")]
    verb: Option<Kind>,
    /// Show only the experiments of a project: those measured in this folder or below it
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Show only the experiments with this text in their title, answer, names or commands
    text: Option<String>,
    #[command(flatten)]
    store: StoreOptions,
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    one_of(Kind::ALL, Kind::word, |kind| {
        Some(match kind {
            Kind::Compare => "Commands, of which the first is the baseline",
            Kind::Bench => "The benchmarks inside of programs",
            Kind::History => "The commits of a range",
            Kind::Sweep => "The points of one command's parameters",
            Kind::Tune => "The settings of a runtime system: `brisk sweep --tune`",
            Kind::Check => "What `brisk.toml` expects",
            Kind::Explain => "Why programs cost what they cost",
            Kind::Doctor => "The machine itself",
        })
    })
}

/// Prints a table of experiments.
pub(super) fn run(arguments: &ListArguments, output: &Output) -> Done {
    let place = arguments.store.place()?;
    let store = Store::open_existing(&place)?;
    let Some(mut store) = store else {
        output.message(&format!("nothing is stored at `{}` yet\n", place));
        return Ok(ExitCode::Fine);
    };
    archive::recover_if_possible(&mut store);
    let listed = store.list_each(&filter(arguments))?;
    let mut table = Table::new([
        Column::right("id"),
        Column::left("when").giving_way(1),
        Column::left("verb").giving_way(2),
        Column::right("rounds").giving_way(0),
        // The beginning has the worst.
        Column::left("answer").cut(30, 200),
        Column::names("what", 14),
    ]);
    let id = |id: ExperimentId| Span::from(id.to_string());
    let row = |one| archive::row(one, id, |title| Span::code(title.to_owned()));
    table.rows = listed.iter().map(row).collect();
    output.page(&Page { blocks: vec![Block::Table(table)] }).map(|()| ExitCode::Fine)
}

fn filter(arguments: &ListArguments) -> Filter {
    let project = arguments.project.as_ref().map(|folder| {
        // The store may have experiments of a folder that was deleted since.
        let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder));
        folder.unwrap_or_default().to_string_lossy().into_owned()
    });
    let text = arguments.text.clone();
    Filter { most: arguments.most, kind: arguments.verb, project, text, ..Filter::default() }
}

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

pub(super) fn show(arguments: &ShowArguments, output: &Output) -> Done {
    let place = arguments.store.place()?;
    let mut store = archive::open_for_reading(&place)?;
    let id = ExperimentId(arguments.id);
    if let Some(baseline) = &arguments.baseline {
        return output.document(&archive::against(&store, id, baseline)?).map(|()| ExitCode::Fine);
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
