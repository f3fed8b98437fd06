//! `brisk list`: what was measured.

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use page::{Block, Column, Page, Row, Span, Table, Tone};

use super::Done;
use super::exit::ExitCode;
use super::output::Output;
use crate::archive;
use crate::cli::options::keyword::one_of;
use crate::cli::options::store::StoreOptions;
use crate::commission::Kind;
use crate::store::{ExperimentState, Filter, Listed, Store};

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
    let path = arguments.store.path()?;
    let store = Store::open_existing(&path)?;
    let Some(mut store) = store else {
        output.message(&format!("nothing is stored at `{}` yet\n", path.display()));
        return Ok(ExitCode::Fine);
    };
    archive::recover_if_possible(&mut store);
    let listed = store.list(&filter(arguments))?;
    let mut table = Table::new([
        Column::right("id"),
        Column::left("when"),
        Column::left("verb"),
        Column::right("rounds"),
        Column::left("answer"),
        Column::left("what").cut(20, 200),
    ]);
    table.rows = listed.iter().map(row).collect();
    output.page(&Page { blocks: vec![Block::Table(table)] })?;
    Ok(ExitCode::Fine)
}

fn filter(arguments: &ListArguments) -> Filter {
    let project = arguments.project.as_ref().map(|folder| {
        // Also of a folder that is gone there may be experiments.
        let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder));
        folder.unwrap_or_default().to_string_lossy().into_owned()
    });
    let text = arguments.text.clone();
    Filter { most: arguments.most, kind: arguments.verb, project, text }
}

fn row(listed: &Listed) -> Row {
    let answer = match listed.state {
        ExperimentState::Running => "running".to_owned(),
        state => listed.answer.clone().unwrap_or_else(|| match state {
            ExperimentState::Failed => "failed".to_owned(),
            _ => "interrupted".to_owned(),
        }),
    };
    let rounds = match listed.kind.is_inspection() {
        true => String::new(),
        false => listed.rounds.to_string(),
    };
    let [id, rounds] = [listed.id.to_string(), rounds].map(Span::from);
    let verb = Span::from(listed.kind.word());
    let when = Span::from(when(listed.started_unix_ns)).toned(Tone::Quiet);
    [id, when, verb, rounds, answer.into(), Span::code(listed.title.clone())].into_iter().collect()
}

/// The local date and time, to the minute.
fn when(unix_ns: u64) -> String {
    let seconds = i64::try_from(unix_ns / 1_000_000_000).unwrap_or(i64::MAX);
    jiff::Timestamp::from_second(seconds).map_or_else(
        |_| "?".to_owned(),
        |time| time.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string(),
    )
}
