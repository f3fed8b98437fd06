//! The folder in which asv (airspeed velocity) keeps results, format version 2 (its "Developer
//! docs", `asv/results.py`): `benchmarks.json` describes the benchmarks, `MACHINE/machine.json` the
//! machine, and `MACHINE/COMMIT-ENVIRONMENT.json` has what was measured of one commit.
//!
//! What asv itself has measured stays: its benchmarks are kept beside ours, and a machine that it
//! knows is not described again. Our environment is called `brisk`, and where benchmarks share a
//! process, also by their order, because such results are others.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Map, Value, json};
use stats::describe::{median_interval, summarise};

use super::figure::figures;
use super::{Document, Entry, NOTHING, Row, entries, rows};
use crate::metric::{self, Source, Unit};
use crate::prepare::{self, Repository};
use crate::report::document::BenchmarkHistoryPart;
use crate::report::json::Runs;
use crate::spec::suite::Arrangement;
use crate::spec::writable;

/// The file with the benchmarks.
const BENCHMARKS: &str = "benchmarks.json";

/// The version of results and benchmarks.
const FORMAT: u64 = 2;

/// The version of a machine's description.
const MACHINE_FORMAT: u64 = 1;

/// What asv takes for the version of a benchmark: results of another one it does not show. Ours
/// have no source that it could see changing.
const BENCHMARK_VERSION: &str = "1";

/// So many digits of a commit are in the name of its file.
const HASH_DIGITS: usize = 8;

/// asv's intervals are of 99 %.
const ALPHA: f64 = 0.01;

/// The names of what a row of results holds, in its order.
const COLUMNS: [&str; 13] = [
    "result",
    "params",
    "version",
    "started_at",
    "duration",
    "stats_ci_99_a",
    "stats_ci_99_b",
    "stats_q_25",
    "stats_q_75",
    "stats_number",
    "stats_repeat",
    "samples",
    "profile",
];

/// A commit as asv knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::report) struct Commit {
    hash: String,
    /// When it came to be, in milliseconds since 1970-01-01 UTC.
    unix_ms: i64,
}

/// The commit that a revision means in the repository of a folder.
pub(in crate::report) fn commit(folder: &Path, revision: &str) -> io::Result<Commit> {
    let repository = Repository::open(folder).map_err(io::Error::other)?;
    let found = prepare::commit(&repository, revision).map_err(io::Error::other)?;
    let unknown = || io::Error::other(format!("`{revision}` is no commit of the repository"));
    let hash = found.ok_or_else(unknown)?.hash;
    let arguments = ["log", "--no-color", "--max-count=1", "--format=%ct", &hash, "--"];
    let said = repository.ask(arguments).map_err(io::Error::other)?;
    let seconds = String::from_utf8_lossy(&said).trim().parse::<i64>().map_err(io::Error::other)?;
    Ok(Commit { hash, unix_ms: seconds * 1000 })
}

/// Finds out whether the folder can be written.
pub(in crate::report) fn check(folder: &Path) -> io::Result<()> {
    match folder.is_dir() {
        true => writable::check(&folder.join(BENCHMARKS)),
        false if folder.exists() => Err(io::Error::other("it is no folder")),
        false => Ok(()),
    }
}

/// Adds what was measured to the folder.
pub(in crate::report) fn write(
    document: &Document,
    runs: &mut Runs<'_>,
    folder: &Path,
    commit: &Commit,
) -> io::Result<()> {
    let values = values(document, runs)?;
    let rows = rows(document, entries(document))?;
    write_commit(document, &values, rows, folder, commit)
}

/// Adds every commit of a history that was measured to the folder; the benchmark is its command, or
/// those of its suite are.
pub(in crate::report) fn write_history(
    document: &Document,
    runs: &mut Runs<'_>,
    folder: &Path,
) -> io::Result<()> {
    let (Some(history), Some(commits)) = (&document.history, &document.commits) else {
        return Err(io::Error::other("this is no history, and has no commits"));
    };
    let values = values(document, runs)?;
    let repository = Path::new(&history.repository);
    let mut written = false;
    for (place, part) in commits.iter().enumerate() {
        let of_benchmark = |one: &BenchmarkHistoryPart| {
            let variant = (*one.variants.get(place)?)?;
            Some(Entry { name: one.benchmark.clone(), variant })
        };
        let of_command = |variant| Entry { name: history.command.clone(), variant };
        let entries: Vec<Entry> = match document.histories.is_empty() {
            true => part.variant.map(of_command).into_iter().collect(),
            false => document.histories.iter().filter_map(of_benchmark).collect(),
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

/// What was read in the timed runs, by variant and figure, in the order of the runs.
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
        "result_columns": COLUMNS,
        "results": rows.iter().map(result).collect::<Map<_, _>>(),
        "durations": {},
    });
    save(&of_machine.join(format!("{digits}-{environment}.json")), &file)
}

/// What shared a process; none of commands.
fn order(document: &Document) -> Option<Arrangement> {
    let of_history = || Some(document.variants.first()?.labels.benchmark.as_ref()?.order);
    document.suite.as_ref().map_or_else(of_history, |suite| Some(suite.order))
}

/// The name by which asv keeps a benchmark; beside them in the file is the format's version.
fn key(name: &str) -> String {
    if name == "version" { "version (benchmark)".to_owned() } else { name.to_owned() }
}

/// A benchmark as `benchmarks.json` has it.
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

/// A benchmark as a file of results has it. How many iterations a value is of differs between
/// processes, so `stats_number` is null; and so are all statistics where there are too few values
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

/// The rounds of a history are those of several experiments, one after the other.
fn values(document: &Document, runs: &mut Runs<'_>) -> io::Result<Values> {
    let figures = figures(document);
    let mut values = Values::new();
    runs(&mut |run| {
        let is_finished =
            document.history.is_some() || run.place.round < document.experiment.rounds;
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

/// The machine in asv's words, as far as it is known.
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
        // Every description has these keys; what is not known is empty, as asv has it.
        facts.insert(theirs.to_owned(), json!(known(ours).unwrap_or_default()));
    }
    facts.insert("arch".to_owned(), json!(""));
    facts
}

/// The object in a file; an empty one where there is no file.
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
    writable::write_text(path, &format!("{value:#}\n"))
}
