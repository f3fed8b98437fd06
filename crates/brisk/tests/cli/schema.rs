//! The published JSON Schema: every exported document that these tests read follows it ([`Lab::json`]).

use std::sync::OnceLock;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::{Value, json};

use crate::lab::Lab;

const PUBLISHED: &str = include_str!("../../../../docs/schema.json");

/// The reason why the schema rejects a document.
fn refusal(document: &Value) -> Option<String> {
    static COMPILED: OnceLock<(Schemas, SchemaIndex)> = OnceLock::new();
    let (schemas, index) = COMPILED.get_or_init(|| {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        let published = serde_json::from_str(PUBLISHED).expect("it is JSON");
        compiler.add_resource("schema.json", published).expect("it has a name");
        let index = compiler.compile("schema.json", &mut schemas);
        (schemas, index.expect("it is a schema"))
    });
    schemas.validate(document, *index).err().map(|error| error.to_string())
}

/// Panics if an exported document violates the schema.
#[track_caller]
pub(crate) fn follows_the_schema(document: &Value) {
    if let Some(why) = refusal(document) {
        panic!("{why}");
    }
}

/// The same for a stored document, which lacks only the runs.
#[track_caller]
pub(crate) fn follows_the_schema_but_for_runs(document: &Value) {
    let mut whole = document.clone();
    whole["plan"] = json!({"seed": null, "rounds": []});
    whole["runs"] = json!([]);
    follows_the_schema(&whole);
}

#[test]
fn the_published_schema_is_printed() {
    assert_eq!(Lab::new().brisk(&["schema"]).succeeded().stdout, PUBLISHED);
}

#[test]
fn what_is_no_document_is_refused() {
    let lab = Lab::new();
    let document = lab.compared(&["-r", "8", "-w", "1", "true", "sleep 0.01"]);
    assert_eq!(refusal(&document), None);
    let refused = |what: &str, change: &dyn Fn(&mut Value)| {
        let mut other = document.clone();
        change(&mut other);
        assert_ne!(other, document, "{what}");
        assert!(refusal(&other).is_some(), "{what}");
    };
    let removed = |path: &str, field: &str| {
        refused(&format!("{path} without {field}"), &|other| {
            let part = other.pointer_mut(path).and_then(Value::as_object_mut);
            part.expect("an object").remove(field);
        });
    };
    let replaced = |path: &str, value: Value| {
        refused(&format!("{path}: {value}"), &|other| {
            *other.pointer_mut(path).expect("it is there") = value.clone();
        });
    };
    for field in ["schema", "kind", "machine", "experiment", "variants", "runs", "plan", "answers"]
    {
        removed("", field);
    }
    removed("/experiment", "margin");
    removed("/variants/1", "labels");
    removed("/comparisons/0", "verdict");
    removed("/runs/3", "outcome");
    replaced("/schema", json!("brisk/2"));
    replaced("/kind", json!("guess"));
    // Those kinds have parts that this document lacks.
    for kind in ["history", "sweep", "tune", "bench", "check", "explain", "doctor"] {
        replaced("/kind", json!(kind));
    }
    replaced("/runs", json!({}));
    replaced("/runs/0/variant", json!(-1));
    replaced("/runs/0/readings/wall_time", json!("fast"));
    replaced("/runs/0/outcome", json!({"left": 0}));
    replaced("/variants/0/labels", json!({"n": 1}));
    replaced("/comparisons/0/ratio", json!("1.5"));
    replaced("/comparisons/0/verdict", json!("faster"));
    replaced("/summaries/0/n", json!(1.5));
    replaced("/experiment/stop", json!("tired"));
    replaced("/machine", json!("mine"));
}
