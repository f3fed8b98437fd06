//! Go's benchmark text, one line for each run, as read by benchstat and similar tools.
//!
//! The format is the Go project's proposal 14313, "Go Benchmark Data Format": lines `key: value`,
//! which apply to the lines after them, and lines with a name that begins with `Benchmark`, a
//! number of iterations, and pairs of a value and its unit. Tools compare across one chosen key and
//! keep results that differ in others apart; so the executable is a key only if there are two, and
//! `benchstat -col executable FILE` compares them.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Document, NOTHING, distinct, named, rounded};
use super::{Figure, figures};
use crate::json::Runs;
use model::metric::{ITERATIONS, MetricId, Source};
use model::run::Run;

/// The prefix of benchmark names in the format.
const PREFIX: &str = "Benchmark";

/// Writes the lines, those of the old program before those of the new one.
pub(crate) fn write(
    document: &Document,
    runs: &mut Runs<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let figures = figures(document);
    let programs = document.suite().map_or(1, |suite| suite.programs.len());
    let mut names: Vec<Option<(usize, String)>> = vec![None; document.variants.len()];
    for program in 0..programs {
        let of_program = named(document, program);
        let valid = of_program.iter().map(|(given, _)| name(given));
        let valid = distinct(valid, |number| format!("#{number:02}"));
        for ((_, variant), name) in of_program.iter().zip(valid) {
            names[*variant as usize] = Some((program, name));
        }
    }
    let mut lines = vec![String::new(); programs];
    runs(&mut |run| {
        let is_judged = !run.place.warmup && run.place.round < document.experiment.rounds;
        let name = names[run.place.variant as usize].as_ref();
        if let (Source::Run, true, Some((program, name))) = (run.place.source, is_judged, name) {
            lines[*program].push_str(&line(name, run, figures).unwrap_or_default());
        }
        Ok(())
    })?;
    if lines.iter().all(String::is_empty) {
        return Err(io::Error::other(NOTHING));
    }
    out.write_all(circumstances(document).as_bytes())?;
    // A saved baseline is a program that never ran.
    let several = lines.iter().filter(|lines| !lines.is_empty()).count() > 1;
    for (program, lines) in lines.iter().enumerate().filter(|(_, lines)| !lines.is_empty()) {
        if let Some(suite) = document.suite().filter(|_| several) {
            out.write_all(setting("executable", &suite.programs[program].name).as_bytes())?;
        }
        out.write_all(lines.as_bytes())?;
    }
    Ok(())
}

/// The keys that apply to all lines; if they differ, benchstat compares nothing by default.
fn circumstances(document: &Document) -> String {
    let cpu = document.machine["cpu_model"].as_str();
    let suite = document.suite();
    let mut harnesses: Vec<&str> =
        suite.iter().flat_map(|suite| &suite.programs).map(|one| one.harness.as_str()).collect();
    harnesses.dedup();
    let harness = Some(harnesses.join(" ")).filter(|words| !words.is_empty());
    let order = suite.map(|suite| suite.order.word());
    [("cpu", cpu), ("harness", harness.as_deref()), ("order", order)]
        .into_iter()
        .filter_map(|(key, value)| Some(setting(key, value?)))
        .collect()
}

/// A `key: value` line that applies to the lines after it.
fn setting(key: &str, value: &str) -> String {
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("{key}: {}\n", value.trim())
}

/// The line of a run; `None` if nothing was read.
fn line(name: &str, run: &Run, figures: &[Figure]) -> Option<String> {
    let value = |id: &MetricId| run.readings.get(id).and_then(|value| value.as_ref().ok()).copied();
    // Without a number of iterations, the values count as those of a single one.
    let iterations = value(&ITERATIONS).filter(|count| *count >= 1.0).unwrap_or(1.0);
    let mut line = format!("{name} {iterations}");
    let without_values = line.len();
    for figure in figures {
        if let Some(value) = value(&figure.id) {
            let _ = write!(line, " {} {}", rounded(value * figure.factor), figure.go_unit);
        }
    }
    let has_values = line.len() > without_values;
    line.push('\n');
    has_values.then_some(line)
}

/// The name in a form the format allows. As in Go's own sub-benchmarks, white space becomes `_` and
/// unprintable characters are replaced by their number. A name must not continue in lower case
/// after `Benchmark`. If it ends like a number of processors, that number is appended: one, the
/// default of the format.
fn name(given: &str) -> String {
    let mut name = String::with_capacity(PREFIX.len() + given.len());
    let begins_well = given
        .strip_prefix(PREFIX)
        .is_some_and(|rest| !rest.chars().next().is_some_and(char::is_lowercase));
    let mut characters = given.chars();
    if !begins_well {
        name.push_str(PREFIX);
        match characters.clone().next() {
            Some(first) if first.is_lowercase() => {
                name.extend(first.to_uppercase());
                characters.next();
                // Some letters have no upper case.
                if name[PREFIX.len()..].chars().next().is_some_and(char::is_lowercase) {
                    name.insert(PREFIX.len(), '_');
                }
            }
            _ => {}
        }
    }
    for character in characters {
        match character {
            _ if character.is_whitespace() => name.push('_'),
            _ if is_unprintable(character) => name.extend(character.escape_unicode()),
            _ => name.push(character),
        }
    }
    let ends_in_number = name.rsplit_once('-').is_some_and(|(_, digits)| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    if ends_in_number {
        name.push_str("-1");
    }
    name
}

/// Control characters, Unicode's bidirectional controls, and the byte order mark.
fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_begins_as_the_format_wants_it() {
        for (given, expected) in [
            ("fib/10", "BenchmarkFib/10"),
            ("BenchmarkFib/10", "BenchmarkFib/10"),
            ("Benchmark", "Benchmark"),
            ("Benchmarked", "BenchmarkBenchmarked"),
            ("8 queens", "Benchmark8_queens"),
            ("a, \"b\"\n'c'", "BenchmarkA,_\"b\"_'c'"),
            ("größe\u{a0}ß", "BenchmarkGröße_ß"),
            ("ß", "BenchmarkSS"),
            ("日本", "Benchmark日本"),
            ("size-2", "BenchmarkSize-2-1"),
            ("a-", "BenchmarkA-"),
            ("\u{7}bell", "Benchmark\\u{7}bell"),
            ("", "Benchmark"),
        ] {
            assert_eq!(name(given), expected, "{given:?}");
        }
    }
}
