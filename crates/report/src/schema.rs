//! The JSON Schema of `brisk/1`, `docs/schema.json`, generated from the exported types.

use std::path::Path;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::json::ExportedRun;
use findings::Document;
use findings::inspection::Inspection;

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
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Exported>();
    schema.insert("title".to_owned(), json!(findings::SCHEMA));
    serde_json::to_string_pretty(&schema).expect("it has only string keys") + "\n"
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    let published = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema.json");
    let generated = generated();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&published, &generated).expect("it is writable");
    }
    let published = std::fs::read_to_string(&published).expect("it is published");
    assert!(published == generated, "docs/schema.json is out of date: BLESS=1 writes it anew");
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
            of_words
                .map(|(name, field)| (name.as_str(), text(field).or(variant).unwrap_or_default())),
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
