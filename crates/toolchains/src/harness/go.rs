//! Go's `testing`: a test binary, made by `go test -c`.
//!
//! Results are lines of its standard output (the Go project's proposal 14313, "Go Benchmark Data
//! Format"):
//!
//! ```text
//! BenchmarkDecode/text=digits-8   100   154125 ns/op   64.88 MB/s   40418 B/op   7 allocs/op
//! ```
//!
//! The name ends with the number of processors it may use, unless that is 1; other lines are
//! anything. Sub-benchmarks are only known when they are run, so listing runs every
//! benchmark once; with one processor, so that the names are whole.

use std::path::Path;

use super::adapter::{Arranges, Duration, Harness, Kept, Reported, Request, Selection, arguments};
use super::measurement::{Figures, HarnessError, Measured, Measurement};
use super::regex;

/// Go's `testing`.
pub static HARNESS: Harness = Harness {
    word: "go",
    name: "Go's testing",
    about: "A test binary of Go (`go test -c`)",
    marks: &[&[b"test.benchtime", b"Go buildinf"]],
    list_arguments: &["-test.run=^$", "-test.bench=.", "-test.benchtime=1x", "-test.cpu=1"],
    list_variables: &[],
    list: |stdout| Ok(results(stdout).map(|result| result.name.to_owned()).collect()),
    select,
    report: |_: &Path| Request {
        arguments: arguments(["-test.run=^$", "-test.benchmem"]),
        variables: Vec::new(),
    },
    read,
    duration: Duration {
        request: |seconds| Request {
            arguments: vec![format!("-test.benchtime={seconds}s")],
            variables: Vec::new(),
        },
        options: &["-test.benchtime", "--test.benchtime"],
    },
    arranges: Arranges::ByOptions {
        reversed: None,
        // Its seed is a signed number.
        shuffled: Some(|seed| vec![format!("-test.shuffle={}", seed >> 1)]),
    },
    kept: Kept::Printed,
    counts_allocations: true,
    needs_locale: false,
};

/// A pattern is an expression for each part of a name between slashes; alternatives are whole
/// patterns. A benchmark that has parts below it is matched by a pattern for itself, and runs them
/// all.
fn select(selection: Selection<'_>) -> Vec<String> {
    let pattern = match selection {
        Selection::Everything => ".".to_owned(),
        Selection::Only(names) => {
            let of_name = |name: &&str| {
                let parts: Vec<String> =
                    name.split('/').map(|part| regex::any_of(&[part])).collect();
                parts.join("/")
            };
            names.iter().map(of_name).collect::<Vec<_>>().join("|")
        }
    };
    vec![format!("-test.bench={pattern}")]
}

struct ResultLine<'a> {
    name: &'a str,
    iterations: u64,
    values: Vec<(&'a str, &'a str)>,
}

/// The lines that are results; what is printed by the program itself may begin like one.
fn results(stdout: &str) -> impl Iterator<Item = ResultLine<'_>> {
    stdout.lines().filter_map(|line| {
        let mut fields = line.split_whitespace();
        let name = fields.next().filter(|name| name.starts_with("Benchmark"))?;
        let iterations = fields.next()?.parse().ok()?;
        let rest: Vec<&str> = fields.collect();
        let values: Vec<_> = rest.chunks_exact(2).map(|pair| (pair[1], pair[0])).collect();
        let is_whole = !values.is_empty() && rest.len().is_multiple_of(2);
        is_whole.then_some(ResultLine { name, iterations, values })
    })
}

fn read(reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
    let all: Vec<ResultLine<'_>> = results(reported.stdout).collect();
    let are_whole = all.iter().all(|result| reported.asked.contains(&result.name));
    let suffix = if are_whole { "" } else { common_suffix(&all) };
    let mut measured: Vec<Measured> = Vec::new();
    for result in &all {
        let name = result.name.strip_suffix(suffix).unwrap_or(result.name);
        let one = match measurement(result) {
            Some(measurement) => Measured::new(name, vec![measurement]),
            None => Measured::refused(name, "the harness says no `ns/op`"),
        };
        // With `-test.count`, a benchmark is measured several times.
        match measured.last_mut().filter(|last| last.name == name) {
            Some(last) => join(last, one),
            None => measured.push(one),
        }
    }
    Ok(measured)
}

fn join(before: &mut Measured, after: Measured) {
    match (&mut before.measurements, after.measurements) {
        (Ok(all), Ok(more)) => all.extend(more),
        (Ok(_), Err(reason)) => before.measurements = Err(reason),
        (Err(_), _) => {}
    }
}

fn measurement(result: &ResultLine<'_>) -> Option<Measurement> {
    let value = |unit: &str| {
        let found = result.values.iter().find(|(its, _)| *its == unit);
        found.and_then(|(_, number)| number.parse::<f64>().ok())
    };
    let of_all = |per_iteration: f64| per_iteration * result.iterations as f64;
    Some(Measurement {
        iterations: Some(result.iterations),
        seconds: of_all(value("ns/op")?) / 1e9,
        figures: Figures {
            allocated_bytes: value("B/op").map(of_all),
            allocations: value("allocs/op").map(of_all),
            ..Figures::default()
        },
    })
}

/// What every name ends with: `-` and the number of processors, or nothing.
fn common_suffix<'a>(all: &[ResultLine<'a>]) -> &'a str {
    let suffix = |name: &'a str| {
        let (_, digits) = name.rsplit_once('-')?;
        let is_count = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_count.then(|| &name[name.len() - digits.len() - 1..])
    };
    let mut suffixes = all.iter().map(|result| suffix(result.name));
    match suffixes.next() {
        Some(Some(first)) if suffixes.all(|other| other == Some(first)) => first,
        _ => "",
    }
}
