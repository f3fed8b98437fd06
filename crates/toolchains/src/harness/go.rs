//! Go's `testing`: a test binary, made by `go test -c`.
//!
//! Results are lines of its standard output (the Go project's proposal 14313, "Go Benchmark Data
//! Format"):
//!
//! ```text
//! BenchmarkDecode/text=digits-8   100   154125 ns/op   64.88 MB/s   40418 B/op   7 allocs/op
//! ```
//!
//! The name ends with the number of processors it may use, unless that is 1. It is printed before
//! the benchmark runs and the rest afterwards, so the benchmark's own output may come between them.
//! One that fails has, in place of the rest or on a line of its own, `--- FAIL: ` with its name,
//! and its messages indented below; the others still run. A panic or an exit ends the process
//! without the line `PASS` or `FAIL`.
//!
//! Sub-benchmarks are only known when they are run, so listing runs every benchmark once, with one
//! processor so that names have no suffix.

use super::description::Reported;
use super::measurement::{Figures, HarnessError, Measured, Measurement, join};
use super::saved::{Fact, FactKind};

/// The names in the output of a run.
pub(super) fn names(stdout: &str) -> Vec<String> {
    told(stdout).iter().map(|told| told.name().to_owned()).collect()
}

/// The beginning of every name.
const BENCHMARK: &str = "Benchmark";

/// The text before the name of a benchmark that failed.
const FAILED: &str = "--- FAIL: ";

/// The output about one benchmark.
enum Told<'a> {
    Measured(ResultLine<'a>),
    /// A failure, with its messages.
    Failed {
        name: &'a str,
        words: Vec<&'a str>,
    },
}

struct ResultLine<'a> {
    name: &'a str,
    iterations: u64,
    values: Vec<(&'a str, &'a str)>,
}

impl<'a> Told<'a> {
    fn name(&self) -> &'a str {
        match self {
            Self::Measured(ResultLine { name, .. }) | Self::Failed { name, .. } => name,
        }
    }
}

/// All results and failures, in order. A benchmark that failed only because one of its
/// sub-benchmarks did is left out.
fn told(stdout: &str) -> Vec<Told<'_>> {
    let mut all: Vec<Told<'_>> = Vec::new();
    let mut pending = None;
    let mut speaks = false;
    for line in stdout.lines() {
        if let Some((_, name)) = line.split_once(FAILED) {
            let is_below = |it: &Told<'_>| {
                it.name().strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
            };
            speaks = name.starts_with(BENCHMARK) && !all.iter().any(is_below);
            if speaks {
                all.push(Told::Failed { name, words: Vec::new() });
            }
            pending = None;
            continue;
        }
        if let Some(Told::Failed { words, .. }) = all.last_mut().filter(|_| speaks)
            && line.starts_with("    ")
        {
            words.push(line.trim());
            continue;
        }
        speaks = false;
        let printed = name(line);
        let (of, rest) = printed.map_or((pending, line), |(name, rest)| (Some(name), rest));
        if let Some(result) = of.and_then(|name| result(name, rest)) {
            all.push(Told::Measured(result));
            pending = None;
        } else if let Some((name, _)) = printed.filter(|(_, rest)| is_tabbed(rest)) {
            pending = Some(name);
        }
    }
    all
}

/// The name of a benchmark on a line, and the text after it: the first word, or a later one
/// followed by a tab if text without a newline was printed before.
fn name(line: &str) -> Option<(&str, &str)> {
    let split = |at: usize| {
        let end = line[at..].find(char::is_whitespace).map_or(line.len(), |length| at + length);
        (&line[at..end], &line[end..])
    };
    if line.starts_with(BENCHMARK) {
        return Some(split(0));
    }
    let names = line.rmatch_indices(BENCHMARK).map(|(at, _)| split(at));
    names.into_iter().find(|(_, rest)| is_tabbed(rest))
}

/// True if this may follow a name: Go's `testing` pads names with blanks and adds a tab.
fn is_tabbed(rest: &str) -> bool {
    rest.trim_start_matches(' ').starts_with('\t')
}

/// The result at the end of a text: iterations, then pairs of a number and its unit.
fn result<'a>(name: &'a str, text: &'a str) -> Option<ResultLine<'a>> {
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let words: Vec<&str> = text.split_whitespace().collect();
    (0..words.len()).find_map(|first| {
        let iterations = words[first].parse().ok()?;
        let pairs = words[first + 1..].chunks_exact(2);
        let is_whole = pairs.len() > 0 && pairs.remainder().is_empty();
        let values: Vec<_> = pairs.map(|pair| (pair[1], pair[0])).collect();
        let are_pairs = values.iter().all(|(unit, value)| is_number(value) && !is_number(unit));
        (is_whole && are_pairs).then_some(ResultLine { name, iterations, values })
    })
}

pub(super) fn read(reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
    let all = told(reported.stdout);
    let results: Vec<&ResultLine<'_>> = all
        .iter()
        .filter_map(|told| match told {
            Told::Measured(result) => Some(result),
            Told::Failed { .. } => None,
        })
        .collect();
    let is_asked = |name: &str| reported.asked.contains(&name);
    let are_whole = results.iter().all(|result| is_asked(result.name));
    let suffix = if are_whole { "" } else { common_suffix(&results) };
    let mut measured: Vec<Measured> = Vec::new();
    for told in &all {
        let one = match told {
            Told::Measured(result) => {
                let name = result.name.strip_suffix(suffix).unwrap_or(result.name);
                match measurement(result) {
                    Some(measurement) => Measured::new(name, vec![measurement]),
                    None => Measured::refused(name, "the harness says no `ns/op`"),
                }
            }
            Told::Failed { name, words } => {
                let short = processors(name).and_then(|suffix| name.strip_suffix(suffix));
                let name = short.filter(|short| is_asked(short)).unwrap_or(name);
                Measured::refused(name, failure(words))
            }
        };
        // With `-test.count`, a benchmark is measured several times.
        match measured.last_mut().filter(|last| last.name == one.name) {
            Some(last) => join(&mut last.measurements, one.measurements),
            None => measured.push(one),
        }
    }
    Ok(measured)
}

fn failure(words: &[&str]) -> String {
    match words {
        [] => "it failed".to_owned(),
        words => format!("it failed: {}", words.join("; ")),
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

/// The suffix shared by all names: `-` and the number of processors, or nothing.
fn common_suffix<'a>(all: &[&ResultLine<'a>]) -> &'a str {
    let mut suffixes = all.iter().map(|result| processors(result.name));
    match suffixes.next() {
        Some(Some(first)) if suffixes.all(|other| other == Some(first)) => first,
        _ => "",
    }
}

/// The end of a name that may be the number of processors, with its `-`.
fn processors(name: &str) -> Option<&str> {
    let (_, digits) = name.rsplit_once('-')?;
    let is_count = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_count.then(|| &name[name.len() - digits.len() - 1..])
}

/// The lines before the results.
const FACTS: [(&str, FactKind); 3] = [
    ("goos: ", FactKind::System),
    ("goarch: ", FactKind::Architecture),
    ("cpu: ", FactKind::Processor),
];

/// The facts about the machine that the output states.
pub(super) fn facts(text: &str) -> Vec<Fact> {
    let of_line = |line: &str| {
        let (word, kind) = FACTS.iter().find(|(word, _)| line.starts_with(word))?;
        Some(Fact { kind: *kind, value: line[word.len()..].trim().to_owned() })
    };
    text.lines().filter_map(of_line).collect()
}
