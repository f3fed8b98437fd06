//! Everything in a document is shown in every medium, or is on a list of what is left out, and why.
//!
//! A report is a page, and its renderers show all that is in it (`crates/page` tests that). So it is
//! enough that each field of a document changes the text of its page.

use std::collections::BTreeMap;

use brisk::report::document::Document;
use brisk::report::page;
use serde_json::{Value, json};

use crate::inconsistent::{
    Stored, benched, checked, compared, of_commits, of_suites, swept, tuned,
};

/// What is not in the text of a page, and why. A field below one of these is left out, too.
const LEFT_OUT: &[(&str, &str)] = &[];

/// So many places of one field are tried before it counts as not shown.
const TRIES: usize = 12;

/// Where each field is: the path without numbers, and every path with them.
fn fields(value: &Value, path: String, name: String, found: &mut BTreeMap<String, Vec<String>>) {
    match value {
        Value::Object(parts) => {
            for (key, part) in parts {
                let escaped = key.replace('~', "~0").replace('/', "~1");
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                fields(part, format!("{path}/{escaped}"), name, found);
            }
        }
        Value::Array(parts) => {
            for (number, part) in parts.iter().enumerate() {
                fields(part, format!("{path}/{number}"), name.clone(), found);
            }
        }
        _ => found.entry(name).or_default().push(path),
    }
}

/// Other values that a field might have.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(0.0);
            let times = |factor: f64| json!(number * factor + factor);
            let whole = |more: f64| json!((number + more) as i64);
            vec![times(3.7), times(0.31), whole(1.0), whole(-1.0), whole(7.0), Value::Null]
        }
        Value::String(text) => vec![json!(format!("{text}~")), json!("~")],
        Value::Bool(is) => vec![json!(!is)],
        _ => vec![json!(3), json!("~"), json!(true)],
    }
}

/// The fields of a document, and whether a change of one changes what is shown.
fn told(stored: &Stored) -> BTreeMap<String, bool> {
    let document = &stored.document;
    let text = |value: &Value| Some(page(&Document::read(&value.to_string()).ok()?).text());
    let shown = text(document).expect("it is as brisk wrote it");
    let mut found = BTreeMap::new();
    fields(document, String::new(), String::new(), &mut found);
    let is_shown = |path: &String| {
        let mut changed = document.clone();
        let is_other = |other: Value| {
            *changed.pointer_mut(path).expect("it is there") = other;
            text(&changed).is_some_and(|text| text != shown)
        };
        others(document.pointer(path).expect("it is there")).into_iter().any(is_other)
    };
    let spread = |paths: &[String]| -> Vec<String> {
        let step = paths.len().div_ceil(TRIES);
        paths.iter().step_by(step).cloned().collect()
    };
    let told = |paths: &[String]| spread(paths).iter().any(is_shown);
    found.into_iter().map(|(name, paths)| (name, told(&paths))).collect()
}

#[test]
fn what_is_in_a_document_is_shown_or_left_out_for_a_reason() {
    let mut all: BTreeMap<String, bool> = BTreeMap::new();
    for stored in [compared(), swept(), tuned(), benched(), of_commits(), of_suites(), checked()] {
        for (name, is_shown) in told(&stored) {
            *all.entry(name).or_default() |= is_shown;
        }
    }
    let is_of = |name: &str, path: &str| name == path || name.starts_with(&format!("{path}."));
    let is_listed = |name: &String| LEFT_OUT.iter().any(|(path, _)| is_of(name, path));
    let silent = || all.iter().filter(|(_, is_shown)| !**is_shown).map(|(name, _)| name);
    let unlisted: Vec<&String> = silent().filter(|name| !is_listed(name)).collect();
    assert!(unlisted.is_empty(), "neither shown nor listed: {unlisted:#?}");
    let is_stale = |path: &str| !silent().any(|name| is_of(name, path));
    let stale: Vec<&str> = LEFT_OUT.iter().map(|(path, _)| *path).filter(|p| is_stale(p)).collect();
    assert!(stale.is_empty(), "listed, and shown or not there: {stale:?}");
}
