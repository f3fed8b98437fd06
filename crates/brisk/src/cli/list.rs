//! `brisk list`: the stored experiments.

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use page::{Block, Column, Narrow, Page, Span, Table};

use super::Done;
use super::exit::ExitCode;
use super::output::Output;
use configuration::{StoreOptions, one_of};
use laboratory::archive;
use model::commission::Kind;
use store::{ExperimentId, Filter, Store};

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

/// The kinds of experiments.
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
        Column::left("answer").cut(10, 200).narrow(Narrow::Middle),
        Column::left("what").cut(14, 200).narrow(Narrow::Middle),
    ]);
    let id = |id: ExperimentId| Span::from(id.to_string());
    let row = |one| archive::row(one, id, |title| Span::code(title.to_owned()));
    table.rows = listed.iter().map(row).collect();
    output.page(&Page { blocks: vec![Block::Table(table)] })?;
    Ok(ExitCode::Fine)
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
