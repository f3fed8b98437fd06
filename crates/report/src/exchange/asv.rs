//! The folder in which asv (airspeed velocity) keeps results, format version 2 (its "Developer
//! docs", `asv/results.py`): `benchmarks.json` describes the benchmarks, `MACHINE/machine.json` the
//! machine, and `MACHINE/COMMIT-ENVIRONMENT.json` has the measurements of one commit.
//!
//! Existing results of asv stay: its benchmarks are kept beside ours, and a machine it already
//! knows is not described again. Our environment is called `brisk`; if benchmarks share a process,
//! their order is part of the name, because such results differ.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use findings::{BenchmarkHistory, HistoryFinding};
use model::metric::{self, Source, Unit};
use model::spec::suite::Arrangement;
use model::spec::writable;
use prepare::{self, Repository, written};
use serde_json::{Map, Value, json};
use stats::describe::{median_interval, summarise};

use super::{Document, Entry, NOTHING, Row, entries, figures, rows};
use crate::json::Runs;

const BENCHMARKS: &str = "benchmarks.json";

const FORMAT: u64 = 2;

const MACHINE_FORMAT: u64 = 1;

/// The version of each benchmark; asv hides results of others. Ours have no source to compare.
const BENCHMARK_VERSION: &str = "1";

/// The number of digits of a commit in the name of its file.
const HASH_DIGITS: usize = 8;

/// The error probability of asv's 99 % intervals.
const ALPHA: f64 = 0.01;

/// The names of the columns of a row of results, in order.
const COLUMNS: &str = "result params version started_at duration stats_ci_99_a \
    stats_ci_99_b stats_q_25 stats_q_75 stats_number stats_repeat samples profile";

/// A commit in asv's terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    hash: String,
    /// The commit date, in milliseconds since 1970-01-01 UTC.
    unix_ms: i64,
}

/// The commit of a revision in the repository of a folder.
pub(crate) fn commit(folder: &Path, revision: &str) -> io::Result<Commit> {
    let repository = Repository::open(folder).map_err(io::Error::other)?;
    let found = prepare::commit(&repository, revision).map_err(io::Error::other)?;
    let unknown = || io::Error::other(format!("`{revision}` is not a commit of the repository"));
    let hash = found.ok_or_else(unknown)?.hash;
    let arguments = ["log", "--no-color", "--max-count=1", "--format=%ct", &hash, "--"];
    let said = repository.ask(arguments).map_err(io::Error::other)?;
    let seconds = String::from_utf8_lossy(&said).trim().parse::<i64>().map_err(io::Error::other)?;
    Ok(Commit { hash, unix_ms: seconds * 1000 })
}

/// Checks that the folder can be written.
pub(crate) fn check(folder: &Path) -> io::Result<()> {
    match folder.is_dir() {
        true => writable::check(&folder.join(BENCHMARKS)),
        false if folder.exists() => Err(io::Error::other("it is not a folder")),
        false => Ok(()),
    }
}

/// Adds the measurements to the folder.
pub(crate) fn write(
    document: &Document,
    runs: &mut Runs<'_>,
    folder: &Path,
    commit: &Commit,
) -> io::Result<()> {
    let values = values(document, runs)?;
    let rows = rows(document, entries(document))?;
    write_commit(document, &values, rows, folder, commit)
}

/// Adds every measured commit of a history: its command, or the benchmarks of its suite.
pub(crate) fn write_history(
    document: &Document,
    runs: &mut Runs<'_>,
    folder: &Path,
) -> io::Result<()> {
    let Some(HistoryFinding { subject: history, commits, .. }) = document.history() else {
        return Err(io::Error::other("this is not a history, and has no commits"));
    };
    let values = values(document, runs)?;
    let repository = Path::new(&history.repository);
    let mut written = false;
    for (place, part) in commits.iter().enumerate() {
        let of_benchmark = |one: &BenchmarkHistory| {
            let variant = (*one.variants.get(place)?)?;
            Some(Entry { name: one.benchmark.clone(), variant })
        };
        let of_command = |variant| Entry { name: history.command.clone(), variant };
        let entries: Vec<Entry> = match document.histories().is_empty() {
            true => part.variant.map(of_command).into_iter().collect(),
            false => document.histories().iter().filter_map(of_benchmark).collect(),
        };
        if entries.is_empty() {
            continue;
        }
        let rows = rows(document, entries)?;
        write_commit(document, &values, rows, folder, &commit(repository, &part.hash)?)?;
        written = true;
    }
    if written { Ok(()) } else { Err(io::Error::other(NOTHING)) }
}

/// The readings of the timed runs, by variant and figure, in the order of the runs.
type Values = BTreeMap<(u32, &'static str), Vec<f64>>;

fn write_commit(
    document: &Document,
    values: &Values,
    rows: Vec<Row<'_>>,
    folder: &Path,
    commit: &Commit,
) -> io::Result<()> {
    let rows: Vec<(String, Row<'_>)> = rows.into_iter().map(|row| (key(&row.name), row)).collect();
    let machine = document.machine["hostname"].as_str().unwrap_or("brisk").replace('/', "_");
    let of_machine = folder.join(&machine);
    fs::create_dir_all(&of_machine)?;
    let benchmarks = folder.join(BENCHMARKS);
    let mut known = object_in(&benchmarks)?;
    for (name, row) in &rows {
        known.insert(name.clone(), described(name, row));
    }
    known.insert("version".to_owned(), json!(FORMAT));
    save(&benchmarks, &Value::Object(known))?;
    let facts = facts(document, &machine);
    let described = of_machine.join("machine.json");
    if !described.exists() {
        let mut description = facts.clone();
        description.insert("version".to_owned(), json!(MACHINE_FORMAT));
        save(&described, &Value::Object(description))?;
    }
    let environment = match order(document) {
        None | Some(Arrangement::Alone) => "brisk".to_owned(),
        Some(order) => format!("brisk-{}", order.word()),
    };
    let digits: String = commit.hash.chars().take(HASH_DIGITS).collect();
    let none = Vec::new();
    let result = |(name, row): &(String, Row<'_>)| {
        let values = values.get(&(row.variant, row.figure.measure)).unwrap_or(&none);
        (name.clone(), result(document, row, values))
    };
    let file = json!({
        "version": FORMAT,
        "commit_hash": commit.hash,
        "date": commit.unix_ms,
        "env_name": environment,
        "env_vars": {},
        "python": "",
        "requirements": {},
        "params": facts,
        "result_columns": COLUMNS.split(' ').collect::<Vec<_>>(),
        "results": rows.iter().map(result).collect::<Map<_, _>>(),
        "durations": {},
    });
    save(&of_machine.join(format!("{digits}-{environment}.json")), &file)
}

/// The arrangement of benchmarks in a process; `None` for commands.
fn order(document: &Document) -> Option<Arrangement> {
    let of_history = || Some(document.variants.first()?.labels.benchmark.as_ref()?.order);
    document.suite().map_or_else(of_history, |suite| Some(suite.order))
}

/// The key under which asv keeps a benchmark; the same file also has the format's `version`.
fn key(name: &str) -> String {
    if name == "version" { "version (benchmark)".to_owned() } else { name.to_owned() }
}

/// A benchmark's entry in `benchmarks.json`.
fn described(name: &str, row: &Row<'_>) -> Value {
    let (kind, unit) = match metric::find(&row.figure.id).map(|metric| metric.unit) {
        Some(Unit::Seconds) => ("time", "seconds"),
        Some(Unit::Bytes) => ("memory", "bytes"),
        _ => ("track", "count"),
    };
    json!({
        "name": name, "code": "", "type": kind, "unit": unit, "params": [], "param_names": [],
        "version": BENCHMARK_VERSION,
    })
}

/// A benchmark's entry in a file of results. The number of iterations behind a value differs
/// between processes, so `stats_number` is null; so are all statistics if there are too few values
/// for an interval.
fn result(document: &Document, row: &Row<'_>, values: &[f64]) -> Value {
    let started_ms = document.experiment.started_unix_ns / 1_000_000;
    let mut cells = vec![json!([row.summary.median]), json!([]), json!(BENCHMARK_VERSION)];
    cells.extend([json!(started_ms), Value::Null]);
    match (summarise(values), median_interval(values, ALPHA)) {
        (Some(summary), Some((low, high))) => {
            cells.extend([low, high, summary.q1, summary.q3].map(|value| json!([value])));
            cells.extend([Value::Null, json!([summary.n])]);
        }
        _ => cells.extend(std::iter::repeat_n(Value::Null, 6)),
    }
    if !values.is_empty() {
        cells.push(json!([values]));
    }
    while cells.last().is_some_and(Value::is_null) {
        cells.pop();
    }
    Value::Array(cells)
}

/// The values of the timed runs. In a history the rounds of several experiments follow each other.
fn values(document: &Document, runs: &mut Runs<'_>) -> io::Result<Values> {
    let figures = figures(document);
    let mut values = Values::new();
    runs(&mut |run| {
        let is_finished =
            document.history().is_some() || run.place.round < document.experiment.rounds;
        let is_judged = !run.place.warmup && is_finished;
        if !is_judged || run.place.source != Source::Run {
            return Ok(());
        }
        for figure in figures {
            if let Some(Ok(value)) = run.readings.get(&figure.id) {
                values.entry((run.place.variant, figure.measure)).or_default().push(*value);
            }
        }
        Ok(())
    })?;
    Ok(values)
}

/// The known facts about the machine, in asv's terms.
fn facts(document: &Document, machine: &str) -> Map<String, Value> {
    let known = |key: &str| match &document.machine[key] {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let mut facts = Map::new();
    facts.insert("machine".to_owned(), json!(machine));
    for (theirs, ours) in [
        ("os", "kernel"),
        ("cpu", "cpu_model"),
        ("num_cpu", "cpus_online"),
        ("ram", "memory_bytes"),
    ] {
        // Every description has these keys; unknown facts are empty, as in asv's own files.
        facts.insert(theirs.to_owned(), json!(known(ours).unwrap_or_default()));
    }
    facts.insert("arch".to_owned(), json!(""));
    facts
}

/// The object in a file; empty if the file does not exist.
fn object_in(path: &Path) -> io::Result<Map<String, Value>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Map::new()),
        Err(error) => return Err(error),
    };
    match serde_json::from_str(&text)? {
        Value::Object(object) if object.get("version") == Some(&json!(FORMAT)) => Ok(object),
        _ => Err(io::Error::other(format!("its `{BENCHMARKS}` is not of version {FORMAT}"))),
    }
}

fn save(path: &Path, value: &Value) -> io::Result<()> {
    written::write_text(path, &format!("{value:#}\n"))
}
