//! JSON of schema `brisk/1`: the document, with the order of the runs and the runs themselves.
//!
//! There may be millions of runs, so they are streamed.

use std::collections::BTreeMap;
use std::io::{self, Write};

use measure::Outcome;
use serde::Serialize;

use findings::{Document, Order};
use model::json;
use model::metric::{Source, Value};
use model::run::Run;

/// Visits a run.
pub type Visit<'a> = dyn FnMut(&Run) -> io::Result<()> + 'a;

/// Feeds every run, in order of execution, to a visitor.
pub type Runs<'a> = dyn FnMut(&mut Visit<'_>) -> io::Result<()> + 'a;

/// Writes the whole document.
///
/// # Errors
///
/// When it cannot be written, or the runs cannot be read.
pub fn write(document: &Document, runs: &mut Runs<'_>, out: &mut dyn Write) -> io::Result<()> {
    let serde_json::Value::Object(mut fields) = serde_json::to_value(document)? else {
        unreachable!("a struct is an object")
    };
    write!(out, "{{\n  \"schema\": {}", fields.remove("schema").expect("has one"))?;
    write!(out, ",\n  \"kind\": {}", fields.remove("kind").expect("has one"))?;
    for (key, value) in &fields {
        write!(out, ",\n  {}: ", json::text(key))?;
        json::write(out, value)?;
    }
    write_plan(document, runs, out)?;
    out.write_all(b",\n  \"runs\": [")?;
    let mut first = true;
    runs(&mut |run| {
        out.write_all(if first { b"\n    " } else { b",\n    " })?;
        first = false;
        json::write(out, &ExportedRun::from_run(run))?;
        Ok(())
    })?;
    out.write_all(b"\n  ]\n}\n")
}

/// Writes the order of the runs, round by round.
fn write_plan(document: &Document, runs: &mut Runs<'_>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, ",\n  \"plan\": {{\"seed\": {}, ", serde_json::json!(document.experiment.seed))?;
    out.write_all(b"\"rounds\": [")?;
    let mut round: Option<u32> = None;
    if document.experiment.order == Order::Rounds {
        runs(&mut |run| {
            if run.place.warmup || run.place.source != Source::Run {
                return Ok(());
            }
            let lead = match round {
                None => "[",
                Some(number) if number != run.place.round => "], [",
                Some(_) => ", ",
            };
            round = Some(run.place.round);
            write!(out, "{lead}{}", run.place.variant)
        })?;
    }
    if round.is_some() {
        out.write_all(b"]")?;
    }
    out.write_all(b"]}")
}

/// A run.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ExportedRun<'a> {
    /// The variant, as an index into `variants`.
    variant: u32,
    /// The round, from 0; warm-up rounds are counted separately.
    round: u32,
    /// The place within the round, from 0.
    position: u32,
    /// Set if it was a warm-up, which is never judged.
    warmup: bool,
    /// The source of its readings; absent for a timed run.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source>,
    /// The time it began, in nanoseconds since 1970-01-01 UTC.
    started_unix_ns: u64,
    /// The way it ended.
    outcome: ExportedOutcome,
    /// The number of processes it left behind, which were ended; absent if zero.
    #[serde(skip_serializing_if = "is_zero")]
    left_behind: u32,
    /// The last lines of its standard error, if it did not end well.
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr_tail: Option<&'a str>,
    /// Its readings, by metric.
    readings: BTreeMap<&'a str, ExportedReading<'a>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The way a run ended.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum ExportedOutcome {
    /// The run exited with this status.
    Exited(i32),
    /// The run was ended by this signal.
    Signalled(i32),
    /// The run exceeded its time limit. Always true.
    TimedOut(bool),
}

/// A reading of a run, or the reason it is missing.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
enum ExportedReading<'a> {
    /// The value, in the metric's unit.
    Value(f64),
    /// A reading that failed.
    Missing {
        /// The reason.
        missing: &'a str,
    },
}

impl<'a> ExportedRun<'a> {
    fn from_run(run: &'a Run) -> Self {
        let reading = |value: &'a Value| match value {
            Ok(value) => ExportedReading::Value(*value),
            Err(reason) => ExportedReading::Missing { missing: &reason.0 },
        };
        Self {
            variant: run.place.variant,
            round: run.place.round,
            position: run.place.position,
            warmup: run.place.warmup,
            source: Some(run.place.source).filter(|source| *source != Source::Run),
            started_unix_ns: run.started_unix_ns,
            outcome: match run.outcome {
                Outcome::Exited(code) => ExportedOutcome::Exited(code),
                Outcome::Signalled(signal) => ExportedOutcome::Signalled(signal),
                Outcome::TimedOut => ExportedOutcome::TimedOut(true),
            },
            left_behind: run.left_behind,
            stderr_tail: run.stderr_tail.as_deref(),
            readings: run
                .readings
                .iter()
                .map(|(id, value)| (id.as_str(), reading(value)))
                .collect(),
        }
    }
}
