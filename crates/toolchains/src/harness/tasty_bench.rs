//! Haskell's tasty-bench.
//!
//! Its report is CSV with the columns `Name`, `Mean (ps)` and `2*Stdev (ps)`, followed by
//! `Allocated`, `Copied` and `Peak Memory` if the program runs with `+RTS -T`. It gives the time of
//! one iteration, in picoseconds, but not the number of iterations.
//!
//! A benchmark is selected by an expression of tasty whose texts are written as in Haskell
//! (`Test.Tasty.Patterns.Parser`): every character can be given by its number, so the locale does
//! not matter.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::adapter::{
    Cause, Duration, EXCEPTION, Harness, Kept, OWN_ORDER, Reported, Request, Selection, has_option,
    names_in_lines, path_in,
};
use super::measurement::{Figures, HarnessError, Measured, Measurement};

/// Haskell's tasty-bench.
pub static HARNESS: Harness = Harness {
    word: "tasty-bench",
    name: "tasty-bench",
    about: "A program with Haskell's tasty-bench",
    marks: &[&[b"Mean (ps),2*Stdev (ps)"], &[b"libHStasty-bench-"]],
    list_arguments: &["--list-tests"],
    list_variables: &[],
    list: |stdout| Ok(names_in_lines(stdout)),
    discovery: None,
    is_timed: |arguments| !has_option(arguments, &["-l", "--list-tests", "-h", "--help"]),
    cause: Cause { begins: &["Exception: "], ..EXCEPTION },
    select: |selection| match selection {
        Selection::Everything => Vec::new(),
        Selection::Only(names) => {
            let each = names.iter().map(|name| format!("$0 == {}", literal(name)));
            vec!["--pattern".to_owned(), each.collect::<Vec<_>>().join(" || ")]
        }
    },
    report: |folder: &Path| Request {
        arguments: vec!["--csv".to_owned(), path_in(folder, FILE)],
        variables: Vec::new(),
    },
    read,
    // It measures until the spread is small enough, for an unlimited time.
    duration: Duration { request: |_| Request::default(), options: &[] },
    arranges: OWN_ORDER,
    kept: Kept::File(FILE),
    counts_allocations: false,
    needs_locale: true,
};

const FILE: &str = "benchmarks.csv";

/// A Haskell string literal of this text.
fn literal(text: &str) -> String {
    let mut literal = "\"".to_owned();
    for character in text.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | ' ' | '_' | '-' | '/' => {
                literal.push(character);
            }
            _ => write!(literal, "\\{}\\&", u32::from(character)).expect("writing to a string"),
        }
    }
    literal.push('"');
    literal
}

fn read(reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
    let wrong = |source| HarnessError::Csv { file: FILE.to_owned(), source };
    let mut rows = csv::Reader::from_reader(reported.file(FILE)?.as_bytes());
    let headings = rows.headers().map_err(wrong)?.clone();
    let place = |heading: &str| headings.iter().position(|known| known == heading);
    let needed = |heading: &str| {
        let lacking =
            || HarnessError::Lacking { what: format!("column `{heading}`"), file: FILE.to_owned() };
        place(heading).ok_or_else(lacking)
    };
    let (name, mean) = (needed("Name")?, needed("Mean (ps)")?);
    let mut measured = Vec::new();
    for row in rows.records() {
        let row = row.map_err(wrong)?;
        let number = |place: usize| row.get(place).and_then(|text| text.parse::<f64>().ok());
        let figure = |heading: &str| place(heading).and_then(number);
        let measurement = Measurement {
            iterations: None,
            seconds: number(mean).map_or(f64::NAN, |picoseconds| picoseconds / 1e12),
            figures: Figures {
                allocated_bytes: figure("Allocated"),
                copied_bytes: figure("Copied"),
                ..Figures::default()
            },
        };
        measured.push(Measured::new(row.get(name).unwrap_or_default(), vec![measurement]));
    }
    Ok(measured)
}

/// The standard deviations in the report by benchmark, in seconds.
pub(super) fn deviations(text: &str) -> BTreeMap<String, f64> {
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let headings = rows.headers().cloned().unwrap_or_default();
    let place = |heading: &str| headings.iter().position(|known| known == heading);
    let (Some(name), Some(doubled)) = (place("Name"), place("2*Stdev (ps)")) else {
        return BTreeMap::new();
    };
    let of_row = |row: csv::StringRecord| {
        let picoseconds = row.get(doubled)?.parse::<f64>().ok()?;
        Some((row.get(name)?.to_owned(), picoseconds / 2.0 / 1e12))
    };
    rows.records().filter_map(|row| of_row(row.ok()?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_written_so_that_no_locale_can_change_it() {
        assert_eq!(literal("All.fib 1"), "\"All.fib 1\"");
        // The empty escape keeps a digit from joining the number.
        assert_eq!(literal("\"ü1"), "\"\\34\\&\\252\\&1\"");
    }
}
