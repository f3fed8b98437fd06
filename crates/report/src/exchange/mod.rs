//! The measurements in the formats of other programs: those that compare benchmarks, and those that
//! keep their history.
//!
//! Most of these formats have one value for each benchmark, and names that mean something to their
//! readers. So a suite of two programs is represented by its new one, except in formats that can
//! hold both, and every name is made valid and unique. Missing readings are left out.

pub(super) mod asv;
pub(super) mod bencher;
mod figure;
pub(super) mod github_action;
pub(super) mod go;
pub(super) mod tasty_bench;

use std::collections::BTreeSet;
use std::io;

use figure::{Figure, figures};
use findings::{Document, MetricSummary};
use model::metric::MetricId;

/// The error if nothing can be written.
const NOTHING: &str = "nothing was measured that the format has a place for";

/// A benchmark or command as a row of a foreign file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// Its unique name.
    name: String,
    variant: u32,
}

/// The rows of a document: the benchmarks of a suite's new program, or the variants.
fn entries(document: &Document) -> Vec<Entry> {
    let newest = document.suite().map_or(0, |suite| suite.programs.len() - 1);
    let pairs = named(document, newest);
    let names = distinct(pairs.iter().map(|(name, _)| name.clone()), in_brackets);
    pairs.into_iter().zip(names).map(|((_, variant), name)| Entry { name, variant }).collect()
}

/// The names and variants of one program of a suite, or of all variants of another experiment.
fn named(document: &Document, program: usize) -> Vec<(String, u32)> {
    match document.suite() {
        Some(suite) => suite
            .benchmarks
            .iter()
            .filter_map(|one| Some((one.name.clone(), (*one.variants.get(program)?)?)))
            .collect(),
        None => document.variants.iter().map(|part| part.name.clone()).zip(0..).collect(),
    }
}

/// The names, made unique: later namesakes get the first suffix, from 1, that is free.
fn distinct(names: impl Iterator<Item = String>, suffix: fn(usize) -> String) -> Vec<String> {
    let names: Vec<String> = names.collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let given: BTreeSet<String> = names.iter().cloned().collect();
    names
        .into_iter()
        .map(|name| {
            let mut numbered = (1..).map(|number| format!("{name}{}", suffix(number)));
            let is_free = |name: &String| !taken.contains(name) && !given.contains(name);
            let name = if taken.contains(&name) {
                numbered.find(is_free).expect("there are more numbers than names")
            } else {
                name
            };
            taken.insert(name.clone());
            name
        })
        .collect()
}

/// A benchmark's values in one figure, for formats with a row for each.
struct Row<'a> {
    /// The unique name: the benchmark's for the time, with the figure's appended for others.
    name: String,
    variant: u32,
    figure: &'static Figure,
    summary: &'a MetricSummary,
}

/// The rows of these benchmarks, at least one; otherwise an error.
fn rows(document: &Document, entries: Vec<Entry>) -> io::Result<Vec<Row<'_>>> {
    let mut rows = Vec::new();
    for Entry { name, variant } in entries {
        for (place, figure) in figures(document).iter().enumerate() {
            let Some(summary) = summary(document, variant, &figure.id) else { continue };
            let name = if place == 0 { name.clone() } else { format!("{name} {}", figure.measure) };
            rows.push(Row { name, variant, figure, summary });
        }
    }
    let names = distinct(rows.iter().map(|row| row.name.clone()), in_brackets);
    for (row, name) in rows.iter_mut().zip(names) {
        row.name = name;
    }
    if rows.is_empty() { Err(io::Error::other(NOTHING)) } else { Ok(rows) }
}

/// `a (2)` for the second `a`.
fn in_brackets(number: usize) -> String {
    format!(" ({})", number + 1)
}

/// A variant's values in a metric; `None` if only a bound is known.
fn summary<'a>(document: &'a Document, variant: u32, id: &MetricId) -> Option<&'a MetricSummary> {
    document.any_summary(variant, id).filter(|part| !part.at_most)
}

/// The number without the digits that multiplication added beyond its precision.
fn rounded(value: f64) -> f64 {
    // A double has 15 reliable decimal digits.
    format!("{value:.14e}").parse().expect("a number that was just written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namesakes_get_names_that_nobody_has() {
        let names = ["a", "b", "a", "a (2)", "a"].map(str::to_owned);
        let told_apart = distinct(names.into_iter(), in_brackets);
        assert_eq!(told_apart, ["a", "b", "a (3)", "a (2)", "a (4)"]);
    }

    #[test]
    fn a_number_has_no_digits_that_come_from_its_unit() {
        assert_eq!(rounded(0.000_000_154_125 * 1e9), 154.125);
        assert_eq!(rounded(0.1 + 0.2), 0.3);
        assert_eq!(rounded(0.0), 0.0);
    }
}
