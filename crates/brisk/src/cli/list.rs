//! `brisk list`: what was measured.

use clap::Args;
use page::{Block, Column, Page, Row, Span, Table, Tone};

use super::Done;
use super::exit::ExitCode;
use super::output::Output;
use crate::archive;
use crate::store::{Listed, State, Store, StoreOptions};

/// Arguments of `brisk list`.
#[derive(Debug, Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    store: StoreOptions,
    /// Show at most so many, the newest first
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    most: usize,
}

/// Prints a table of experiments.
pub(super) fn run(arguments: &ListArguments, output: &Output) -> Done {
    let path = arguments.store.path().map_err(|error| archive::failure(&error))?;
    let store = Store::open_existing(&path).map_err(|error| archive::failure(&error))?;
    let Some(mut store) = store else {
        output.message(&format!("nothing is stored at `{}` yet\n", path.display()));
        return Ok(ExitCode::Fine);
    };
    archive::recover_if_possible(&mut store);
    let listed = store.list(arguments.most).map_err(|error| archive::failure(&error))?;
    let mut table = Table::new([
        Column::right("id"),
        Column::left("when"),
        Column::right("rounds"),
        Column::left("answer"),
        Column::left("what").cut(20, 200),
    ]);
    table.rows = listed.iter().map(row).collect();
    output.page(&Page { blocks: vec![Block::Table(table)] })?;
    Ok(ExitCode::Fine)
}

fn row(listed: &Listed) -> Row {
    let answer = match listed.state {
        State::Running => "running".to_owned(),
        state => listed.answer.clone().unwrap_or_else(|| match state {
            State::Failed => "failed".to_owned(),
            _ => "interrupted".to_owned(),
        }),
    };
    let [id, rounds] = [listed.id.to_string(), listed.rounds.to_string()].map(Span::from);
    let when = Span::from(when(listed.started_unix_ns)).toned(Tone::Quiet);
    [id, when, rounds, answer.into(), Span::code(listed.title.clone())].into_iter().collect()
}

/// The local date and time, to the minute.
fn when(unix_ns: u64) -> String {
    let seconds = i64::try_from(unix_ns / 1_000_000_000).unwrap_or(i64::MAX);
    jiff::Timestamp::from_second(seconds).map_or_else(
        |_| "?".to_owned(),
        |time| time.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string(),
    )
}
