//! Hyperfine's JSON: written in the shape of its versions 1.x, so that scripts made for it work,
//! and read in the shapes of 1.x and 2.x.
//!
//! Shapes: hyperfine 1.20 `benchmark_result.rs` (an array `results` with `times` in seconds) and
//! the output of hyperfine 2.0.0 (`schema_version` 2, an array of `measurements`, each metric a
//! value with its unit).

use std::collections::BTreeMap;
use std::io::{self, Write};

use measure::Outcome;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::json::Runs;
use findings::Document;
use model::metric::{CPU_TIME, MetricId, PEAK_RSS, Readings, Source, WALL_TIME};
use model::run::{Run, RunPlace};
use model::spec::parameters::Point;

const USER_TIME: MetricId = MetricId::known("user_time");
const SYSTEM_TIME: MetricId = MetricId::known("system_time");

#[derive(Debug, Serialize)]
struct FileV1 {
    results: Vec<ResultV1>,
}

#[derive(Debug, Serialize)]
struct ResultV1 {
    command: String,
    mean: f64,
    stddev: Option<f64>,
    median: f64,
    user: f64,
    system: f64,
    min: f64,
    max: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_usage_byte: Option<Vec<u64>>,
    exit_codes: Vec<Option<i32>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    parameters: BTreeMap<String, String>,
}

/// Writes the shape of hyperfine 1.x.
pub(super) fn write(
    document: &Document,
    runs: &mut Runs<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let count = document.variants.len();
    let mut columns: Vec<RunColumns> = (0..count).map(|_| RunColumns::default()).collect();
    runs(&mut |run| {
        if !run.place.warmup && run.place.source == Source::Run {
            columns[run.place.variant as usize].push(run);
        }
        Ok(())
    })?;
    let results = (0..)
        .zip(&document.variants)
        .zip(columns)
        .filter_map(|((variant, part), columns)| {
            let of = |id: &MetricId| document.any_summary(variant, id);
            let wall = of(&WALL_TIME)?;
            Some(ResultV1 {
                command: part.name.clone(),
                mean: wall.mean,
                stddev: wall.sd,
                median: wall.median,
                user: of(&USER_TIME).map_or(0.0, |summary| summary.mean),
                system: of(&SYSTEM_TIME).map_or(0.0, |summary| summary.mean),
                min: wall.min,
                max: wall.max,
                // A variant of another experiment has no runs here.
                times: Some(columns.times).filter(|times| !times.is_empty()),
                memory_usage_byte: Some(columns.memory).filter(|memory| !memory.is_empty()),
                exit_codes: columns.exit_codes,
                parameters: part.labels.by_name(),
            })
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &FileV1 { results })?;
    out.write_all(b"\n")
}

#[derive(Default)]
struct RunColumns {
    times: Vec<f64>,
    memory: Vec<u64>,
    exit_codes: Vec<Option<i32>>,
}

impl RunColumns {
    fn push(&mut self, run: &Run) {
        let value = |id| run.readings.get(id).and_then(|value| value.as_ref().ok()).copied();
        if let Some(time) = value(&WALL_TIME) {
            self.times.push(time);
            self.memory.extend(value(&PEAK_RSS).map(|bytes| bytes as u64));
            self.exit_codes.push(match run.outcome {
                Outcome::Exited(code) => Some(code),
                Outcome::Signalled(_) | Outcome::TimedOut => None,
            });
        }
    }
}

/// The contents of a hyperfine file.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// Its commands, in their order.
    pub variants: Vec<ImportedVariant>,
    /// All runs, those of the first command first; the round is the run's number.
    pub runs: Vec<Run>,
    /// Commands without single runs.
    pub without_runs: Vec<String>,
}

/// One command of a hyperfine file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedVariant {
    /// The command, or its given name.
    pub command: String,
    /// Its parameters.
    pub parameters: Point,
}

/// The reason a file is not one of hyperfine's.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ImportError {
    #[error("it is not JSON")]
    NotJson(#[source] serde_json::Error),
    #[error("it has no `results`, as a file of hyperfine's has")]
    NoResults,
    #[error("it is a file of {tool}, which cannot be imported")]
    OfOthers { tool: &'static str, hint: &'static str },
    #[error("it is a file of hyperfine's, schema version {0}; this brisk knows 1 and 2")]
    Newer(u64),
    #[error("`results` are not as hyperfine {version} writes them")]
    BadResults { version: &'static str, source: serde_json::Error },
    #[error("`{command}` has a {what} of {value}, which is not a measurement")]
    BadValue { command: String, what: String, value: f64 },
    #[error("it has no runs at all")]
    Empty,
}

impl ImportError {
    /// A suggestion for the user, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::OfOthers { hint, .. } => Some(hint),
            Self::NotJson(_) | Self::NoResults => Some(
                "what can be imported: JSON of hyperfine (`--export-json`), a table (CSV) with a line \
                 for each commit or day, and records and stores of brisk",
            ),
            _ => None,
        }
    }
}

/// The fields read from hyperfine 1.x; the others differ by version, or follow from the runs.
#[derive(Debug, Deserialize)]
struct RunsV1 {
    command: String,
    times: Option<Vec<f64>>,
    memory_usage_byte: Option<Vec<u64>>,
    exit_codes: Option<Vec<Option<i32>>>,
    #[serde(default)]
    parameters: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct ResultV2 {
    command: String,
    #[serde(default)]
    measurements: Vec<MeasurementV2>,
    #[serde(default)]
    parameters: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct MeasurementV2 {
    #[serde(default)]
    exit_code: Option<i32>,
    #[serde(flatten)]
    metrics: BTreeMap<String, serde_json::Value>,
}

/// Hyperfine 2's names for metrics, and brisk's.
const NAMES_V2: [(&str, &str); 10] = [
    ("time_wall_clock", "wall_time"),
    ("time_cpu", "cpu_time"),
    ("time_user", "user_time"),
    ("time_system", "system_time"),
    ("memory_peak_resident", "peak_rss"),
    ("cpu_cycles", "cycles"),
    ("instructions", "instructions"),
    ("cache_references", "cache_references"),
    ("cache_misses", "cache_misses"),
    ("branch_misses", "branch_misses"),
];

/// Reads a file of hyperfine 1.x or 2.x.
///
/// # Errors
///
/// When it is neither, or a value cannot be a measurement.
pub fn read(text: &str) -> Result<Imported, ImportError> {
    let file: serde_json::Value = serde_json::from_str(text).map_err(ImportError::NotJson)?;
    let Some(results) = file.get("results").cloned() else { return Err(not_hyperfines(&file)) };
    let imported = match file.get("schema_version").and_then(serde_json::Value::as_u64) {
        None | Some(1) => read_v1(results)?,
        Some(2) => read_v2(results)?,
        Some(version) => return Err(ImportError::Newer(version)),
    };
    if imported.runs.is_empty() { Err(ImportError::Empty) } else { Ok(imported) }
}

/// The reason JSON without results is not a hyperfine file.
fn not_hyperfines(file: &serde_json::Value) -> ImportError {
    let has = |key: &str| file.get(key).is_some();
    match () {
        () if has("benchmarks") && has("machine_info") => ImportError::OfOthers {
            tool: "pytest-benchmark's",
            hint: "`brisk compare` measures the old and the new program together; what can be \
                   imported: JSON of hyperfine, a table (CSV) with a line for each commit or day",
        },
        () if has("benchmarks") && has("context") => ImportError::OfOthers {
            tool: "Google Benchmark's",
            hint: "`brisk bench PROGRAM --baseline FILE` compares the program with it",
        },
        () => ImportError::NoResults,
    }
}

fn read_v1(results: serde_json::Value) -> Result<Imported, ImportError> {
    imported("1", results, |result: RunsV1| {
        let mut runs = Vec::new();
        for (index, &time) in result.times.iter().flatten().enumerate() {
            let mut readings = vec![(WALL_TIME, checked(&result.command, "time", time)?)];
            let bytes = result.memory_usage_byte.as_ref().and_then(|all| all.get(index));
            readings.extend(bytes.map(|&bytes| (PEAK_RSS, bytes as f64)));
            let code = result.exit_codes.as_ref().and_then(|codes| codes.get(index));
            let code = code.copied().unwrap_or(Some(0));
            runs.push((code, readings));
        }
        Ok((result.command, result.parameters, runs))
    })
}

fn read_v2(results: serde_json::Value) -> Result<Imported, ImportError> {
    imported("2", results, |result: ResultV2| {
        let mut runs = Vec::new();
        for measurement in &result.measurements {
            let mut readings = Vec::new();
            for (theirs, ours) in NAMES_V2 {
                let value = measurement.metrics.get(theirs).and_then(|metric| metric.get("value"));
                if let Some(value) = value.and_then(serde_json::Value::as_f64) {
                    let id = MetricId::known(ours);
                    readings.push((id, checked(&result.command, theirs, value)?));
                }
            }
            runs.push((measurement.exit_code, readings));
        }
        Ok((result.command, result.parameters, runs))
    })
}

/// A command with its parameters and, for each run, the exit code and the readings.
type Told = (String, BTreeMap<String, String>, Vec<(Option<i32>, Vec<(MetricId, f64)>)>);

fn imported<R: DeserializeOwned>(
    version: &'static str,
    results: serde_json::Value,
    told: impl Fn(R) -> Result<Told, ImportError>,
) -> Result<Imported, ImportError> {
    let results: Vec<R> = serde_json::from_value(results)
        .map_err(|source| ImportError::BadResults { version, source })?;
    let mut all = Imported { variants: Vec::new(), runs: Vec::new(), without_runs: Vec::new() };
    for (variant, result) in (0..).zip(results) {
        let (command, parameters, runs) = told(result)?;
        all.without_runs.extend(runs.is_empty().then(|| command.clone()));
        let runs = runs.into_iter().enumerate();
        all.runs.extend(runs.map(|(index, (code, readings))| run(variant, index, code, readings)));
        all.variants
            .push(ImportedVariant { command, parameters: parameters.into_iter().collect() });
    }
    Ok(all)
}

fn checked(command: &str, what: &str, value: f64) -> Result<f64, ImportError> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(ImportError::BadValue { command: command.to_owned(), what: what.to_owned(), value })
    }
}

fn run(variant: u32, index: usize, code: Option<i32>, readings: Vec<(MetricId, f64)>) -> Run {
    let mut readings: Vec<(MetricId, f64)> = readings;
    let part = |id: &MetricId| readings.iter().find(|(known, _)| known == id).map(|(_, v)| *v);
    if let (None, Some(user), Some(system)) =
        (part(&CPU_TIME), part(&USER_TIME), part(&SYSTEM_TIME))
    {
        readings.push((CPU_TIME, user + system));
    }
    Run {
        place: RunPlace {
            source: Source::Run,
            warmup: false,
            round: u32::try_from(index).expect("a file has fewer runs"),
            position: variant,
            variant,
        },
        started_unix_ns: 0,
        outcome: code.map_or(Outcome::Signalled(0), Outcome::Exited),
        readings: readings.into_iter().map(|(id, value)| (id, Ok(value))).collect::<Readings>(),
        left_behind: 0,
        stderr_tail: None,
    }
}
