//! Parts of the JSON Schema that do not follow from types.

use std::collections::BTreeMap;

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use model::commission::Kind;

/// Facts about a machine, by name. A fact that could not be read is an object with its reason as
/// `missing`.
pub type Facts = Option<BTreeMap<String, Value>>;

/// The kinds of inspections.
pub fn inspections(_: &mut SchemaGenerator) -> Schema {
    let inspections = Kind::ALL.iter().filter(|kind| kind.is_inspection());
    let words: Vec<&str> = inspections.map(|kind| kind.word()).collect();
    json_schema!({"type": "string", "enum": words})
}
