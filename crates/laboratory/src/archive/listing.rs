//! Lists of the store: experiments, and their machines.

use std::collections::HashMap;

use page::{Row, Span, Tone};
use serde_json::Value;

use model::failure::Failure;
use model::machine_class::identifying;
use store::{Damaged, ExperimentId, ExperimentState, Listed, Store};

/// An experiment as a row: its number, start, verb, rounds, answer and title; for a damaged one,
/// the problem. `titled` makes the last cell from a text.
pub fn row(
    listed: &Result<Listed, Damaged>,
    id: impl Fn(ExperimentId) -> Span,
    titled: impl Fn(&str) -> Span,
) -> Row {
    let listed = match listed {
        Ok(listed) => listed,
        Err(Damaged { id: number, why }) => {
            let nothing = || Span::from("");
            let answer = Span::from("damaged").toned(Tone::Bad);
            return [id(*number), nothing(), nothing(), nothing(), answer, titled(why)]
                .into_iter()
                .collect();
        }
    };
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
    let verb = Span::from(listed.kind.word());
    let when = Span::from(when(listed.started_unix_ns)).toned(Tone::Quiet);
    let (id, title) = (id(listed.id), titled(&listed.title));
    [id, when, verb, rounds.into(), answer.into(), title].into_iter().collect()
}

/// The local date and time, to the minute.
pub fn when(unix_ns: u64) -> String {
    let seconds = i64::try_from(unix_ns / 1_000_000_000).unwrap_or(i64::MAX);
    jiff::Timestamp::from_second(seconds).map_or_else(
        |_| "?".to_owned(),
        |time| time.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string(),
    )
}

/// A machine of experiments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The facts that identify it, each with its name.
    pub facts: [(&'static str, Option<String>); 4],
    /// The number of experiments on it.
    pub experiments: u64,
    /// The newest of them.
    pub newest: ExperimentId,
}

/// The machines, sorted by their newest experiment, newest first.
///
/// # Errors
///
/// When the store cannot be read.
pub fn machines(store: &Store) -> Result<Vec<Machine>, Failure> {
    let mut machines: Vec<Machine> = Vec::new();
    let mut places = HashMap::new();
    store.for_each_machine(&mut |newest, json| {
        // A machine that cannot be read has no facts.
        let facts = identifying(&serde_json::from_str(json).unwrap_or(Value::Null));
        let place = *places.entry(facts.clone()).or_insert_with(|| {
            machines.push(Machine { facts, experiments: 0, newest });
            machines.len() - 1
        });
        machines[place].experiments += 1;
    })?;
    Ok(machines)
}
