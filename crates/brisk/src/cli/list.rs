//! `brisk list`: what was measured.

use clap::Args;

use super::Done;
use super::exit::ExitCode;
use super::output::Output;
use crate::archive;
use crate::report::plain::plain;
use crate::report::table::{Cell, lines, shorten};
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
    let mut rows = vec![["id", "when", "rounds", "answer", "what"].map(Cell::left).to_vec()];
    let room = output.columns().saturating_sub(60).max(20);
    rows.extend(listed.iter().map(|experiment| row(experiment, room)));
    let mut text = lines(&rows).join("\n");
    text.push('\n');
    output.data(&text)?;
    Ok(ExitCode::Fine)
}

fn row(listed: &Listed, room: usize) -> Vec<Cell> {
    let answer = match listed.state {
        State::Running => "running".to_owned(),
        state => listed.answer.clone().unwrap_or_else(|| match state {
            State::Failed => "failed".to_owned(),
            _ => "interrupted".to_owned(),
        }),
    };
    vec![
        Cell::right(listed.id.to_string()),
        Cell::left(when(listed.started_unix_ns)),
        Cell::right(listed.rounds.to_string()),
        Cell::left(answer),
        Cell::left(shorten(&plain(&listed.title.replace('\n', " ")), room)),
    ]
}

/// The local date and time, to the minute.
fn when(unix_ns: u64) -> String {
    let seconds = i64::try_from(unix_ns / 1_000_000_000).unwrap_or(i64::MAX);
    jiff::Timestamp::from_second(seconds).map_or_else(
        |_| "?".to_owned(),
        |time| time.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string(),
    )
}
