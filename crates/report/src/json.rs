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
pub(super) fn write(
    document: &Document,
    runs: &mut Runs<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
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

/// The JSON Schema of `brisk/1`, `docs/schema.json`, generated from the exported types.
#[cfg(test)]
mod tests {
    use super::*;
    use findings::inspection::Inspection;
    use schemars::JsonSchema;
    use schemars::generate::SchemaSettings;
    use serde_json::{Value, json};
    use std::path::Path;

    /// The output of `brisk` with `--export-json`: schema `brisk/1`. Values are in SI units without
    /// prefix (seconds, bytes), shares and changes are fractions, and a `ratio` is candidate over
    /// baseline. If a description says *none*, *null* or *absent*, the field is null or absent. Fields
    /// are only ever added.
    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "its schema is wanted, not its values")]
    enum Exported {
        Experiment(Box<Experiment>),
        Inspection(Box<Inspection>),
    }

    /// The export of `compare`, `bench`, `history`, `sweep`, `sweep --tune`, `check` and `import`.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "its schema is wanted, not its values")]
    struct Experiment {
        #[serde(flatten)]
        document: Document,
        /// The actual order of the runs.
        plan: Plan,
        /// Every run, in the order of execution.
        runs: Vec<ExportedRun<'static>>,
    }

    /// The actual order of the runs.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "its schema is wanted, not its values")]
    struct Plan {
        /// The seed of the order; null if the order was not random.
        seed: Option<u64>,
        /// The variants of each measured round, in the order of execution; empty if all runs of one
        /// came before those of the next.
        rounds: Vec<Vec<u32>>,
    }

    fn generated() -> String {
        written::<Exported>(findings::SCHEMA)
    }

    fn written<T: JsonSchema>(title: &str) -> String {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let mut schema = settings.into_generator().into_root_schema_for::<T>();
        schema.insert("title".to_owned(), json!(title));
        serde_json::to_string_pretty(&schema).expect("it has only string keys") + "\n"
    }

    #[test]
    fn the_published_schemas_are_those_of_the_types() {
        let brief = written::<findings::brief::Brief>(findings::brief::BRIEF_SCHEMA);
        for (name, generated) in [("schema.json", generated()), ("brief-schema.json", brief)] {
            let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
            let published = docs.join(name);
            if std::env::var_os("BLESS").is_some() {
                std::fs::write(&published, &generated).expect("it is writable");
            }
            let published = std::fs::read_to_string(&published).expect("it is published");
            assert!(published == generated, "docs/{name} is out of date: BLESS=1 writes it anew");
        }
    }

    /// The description of every field in a schema, by name. For a variant identified by its only field,
    /// the variant's description counts.
    fn fields<'a>(schema: &'a Value, found: &mut Vec<(&'a str, &'a str)>) {
        let text = |part: &'a Value| part.get("description").and_then(Value::as_str);
        if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
            let variant = text(schema).filter(|_| fields.len() == 1);
            // Tags that only distinguish variants need no description.
            let of_words = fields.iter().filter(|(_, field)| field.get("const").is_none());
            found.extend(
                of_words.map(|(name, field)| {
                    (name.as_str(), text(field).or(variant).unwrap_or_default())
                }),
            );
        }
        match schema {
            Value::Object(parts) => parts.values().for_each(|part| self::fields(part, found)),
            Value::Array(parts) => parts.iter().for_each(|part| self::fields(part, found)),
            _ => {}
        }
    }

    #[test]
    fn every_field_is_described_for_those_who_read_json() {
        let schema: Value = serde_json::from_str(&generated()).expect("it is JSON");
        let mut found = Vec::new();
        fields(&schema["$defs"], &mut found);
        assert!(found.len() > 300);
        // Intra-doc links only make sense in the code.
        found.retain(|(_, text)| text.is_empty() || text.contains("[`"));
        assert!(found.is_empty(), "{found:#?}");
    }
}
