//! The machine that wrote a kept report, as far as the file tells.

use serde_json::Value;

use super::adapter::Harness;
use super::{go, google};

/// A fact of the machine that wrote a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The kind of the fact.
    pub kind: FactKind,
    /// Its value, in the harness's words.
    pub value: String,
}

/// The kind of a fact about a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactKind {
    /// Its name.
    Hostname,
    /// The name of its processor.
    Processor,
    /// The number of its processors.
    Processors,
    /// Its operating system, as Go calls it.
    System,
    /// Its instruction set, as Go calls it.
    Architecture,
}

/// The lines before Go's results.
const GO: [(&str, FactKind); 3] = [
    ("goos: ", FactKind::System),
    ("goarch: ", FactKind::Architecture),
    ("cpu: ", FactKind::Processor),
];

/// The keys in the context of Google Benchmark's results.
const GOOGLE: [(&str, FactKind); 2] =
    [("host_name", FactKind::Hostname), ("num_cpus", FactKind::Processors)];

/// The facts that a file states, each once; from all of its runs if it has several.
pub fn facts(harness: &Harness, text: &str) -> Vec<Fact> {
    let stated: Vec<Fact> = if *harness == go::HARNESS {
        let of_line = |line: &str| {
            let (word, kind) = GO.iter().find(|(word, _)| line.starts_with(word))?;
            Some(Fact { kind: *kind, value: line[word.len()..].trim().to_owned() })
        };
        text.lines().filter_map(of_line).collect()
    } else if *harness == google::HARNESS {
        let report: Value = serde_json::from_str(text).unwrap_or_default();
        let of_key = |(key, kind): &(&str, FactKind)| match &report["context"][*key] {
            Value::String(text) => Some(Fact { kind: *kind, value: text.clone() }),
            Value::Number(number) => Some(Fact { kind: *kind, value: number.to_string() }),
            _ => None,
        };
        GOOGLE.iter().filter_map(of_key).collect()
    } else {
        Vec::new()
    };
    let mut facts: Vec<Fact> = Vec::new();
    for fact in stated {
        if !fact.value.is_empty() && !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    facts
}
