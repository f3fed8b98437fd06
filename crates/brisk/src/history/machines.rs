//! What became of the machine between the experiments of a history.

use std::collections::HashMap;

use serde_json::Value;

use super::lineage::Lineage;
use super::merge::Index;
use crate::note::Note;
use crate::report::document::Document;

/// The facts by which a step may be the machine's and not the commit's.
const FACTS: [(&str, &str); 9] = [
    ("hostname", "the machine"),
    ("cpu_model", "the processor"),
    ("microcode", "the microcode"),
    ("cpus_online", "the number of processors"),
    ("kernel", "the kernel"),
    ("os", "the operating system"),
    ("governors", "the frequency governor"),
    ("boost", "boosting"),
    ("smt", "simultaneous multithreading"),
];

/// A note for each fact that differs between the experiments whose figures neighbouring artefacts have.
/// `provided` says of each variant which of the documents that is.
pub(super) fn changes(
    lineage: &Lineage,
    index: &Index,
    documents: &[&Document],
    provided: &HashMap<u32, usize>,
) -> Vec<Note> {
    let mut order: Vec<(u32, usize)> = Vec::new();
    for revision in 0..lineage.revisions.len() {
        let Some(variant) = index.variant(revision) else { continue };
        let is_new = !order.iter().any(|(known, _)| *known == variant);
        order.extend(provided.get(&variant).filter(|_| is_new).map(|place| (variant, *place)));
    }
    let between = |pair: &[(u32, usize)]| -> Vec<Note> {
        let [(_, before), (variant, after)] = [pair[0], pair[1]];
        let differs = |(key, fact): &(&str, &str)| {
            let [from, to] = [before, after].map(|place| told(documents[place], key));
            let (from, to) = (from?, to?);
            let fact = (*fact).to_owned();
            (from != to).then_some(Note::MachineChanged { variant, fact, from, to })
        };
        if before == after { Vec::new() } else { FACTS.iter().filter_map(differs).collect() }
    };
    order.windows(2).flat_map(between).collect()
}

/// A fact in words; none where it was not read.
fn told(document: &Document, key: &str) -> Option<String> {
    let fact = |facts: &Value| facts.get(key).filter(|fact| !fact.is_object()).cloned();
    match fact(&document.machine).or_else(|| fact(&document.conditions))? {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}
