//! `[[benchmark]]`: the benchmarks, in the words of the command line.

use std::path::PathBuf;
use std::time::Duration;

use measure::AllowedExits;

use super::super::own_metric::{self, MeasureError};
use super::super::reading::RuntimeOption;
use super::super::suite::{Arrangement, HarnessOption, Renames};
use super::Placed;
use super::table::Table;
use super::{ProjectFileError, ProjectProblem};
use crate::expectation::Vocabulary;
use crate::expectation::subject::BASELINE;
use crate::metric::MetricId;
use crate::spec::MOST_ROUNDS;
use crate::verdict::Margin;

/// A benchmark. `None` means the same as leaving out the flag on the command line.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each is the flag of its name, see `brisk compare --help`")]
pub struct Benchmark {
    pub name: String,
    pub command: String,
    pub metrics: Option<Vec<MetricId>>,
    pub runtime: Option<RuntimeOption>,
    pub warmup: Option<u32>,
    pub runs: Option<u32>,
    pub min_runs: Option<u32>,
    pub max_runs: Option<u32>,
    pub budget: Option<Duration>,
    pub margin: Option<Margin>,
    pub timeout: Option<Duration>,
    pub setup: Option<String>,
    pub prepare: Option<String>,
    pub conclude: Option<String>,
    pub cleanup: Option<String>,
    pub measure: Vec<String>,
    pub shell: Option<String>,
    pub cwd: Option<PathBuf>,
    pub env: Vec<(String, String)>,
    pub input: Option<String>,
    pub output: Option<String>,
    pub ignore_failure: Option<AllowedExits>,
    /// The harness of the benchmarks within the program; `None` for a command.
    pub harness: Option<HarnessOption>,
    pub filter: Vec<String>,
    pub order: Option<Arrangement>,
    pub time_per_run: Option<Duration>,
    /// The former names of the benchmarks within the program.
    pub renamed: Renames,
}

/// The keys of `[[benchmark]]`.
pub(super) const KEYS: &[&str] = &[
    "name",
    "command",
    "metrics",
    "runtime",
    "warmup",
    "runs",
    "min_runs",
    "max_runs",
    "budget",
    "margin",
    "timeout",
    "setup",
    "prepare",
    "conclude",
    "cleanup",
    "measure",
    "shell",
    "cwd",
    "env",
    "input",
    "output",
    "ignore_failure",
    "harness",
    "filter",
    "order",
    "time_per_run",
    "renamed",
];

/// The keys that only a benchmark with a harness may have.
const OF_SUITES: [&str; 4] = ["filter", "order", "time_per_run", "renamed"];

/// The keys that a benchmark with a harness may not have.
const OF_COMMANDS: [&str; 10] = [
    "runtime",
    "setup",
    "prepare",
    "conclude",
    "cleanup",
    "measure",
    "shell",
    "input",
    "output",
    "ignore_failure",
];

/// Reads one table, with the place of its name.
pub(super) fn read(
    table: &Table<'_>,
    vocabulary: &Vocabulary,
) -> Result<Placed<Benchmark>, ProjectFileError> {
    let runs = |key| table.whole(key, 1, MOST_ROUNDS);
    let benchmark = Benchmark {
        name: table.required("name")?,
        command: table.required("command")?,
        metrics: metrics(table, vocabulary)?,
        runtime: word(table, "runtime", RuntimeOption::all(), RuntimeOption::word)?,
        warmup: table.whole("warmup", 0, MOST_ROUNDS)?,
        runs: runs("runs")?,
        min_runs: runs("min_runs")?,
        max_runs: runs("max_runs")?,
        budget: table.duration("budget")?,
        margin: table.margin("margin")?,
        timeout: table.duration("timeout")?,
        setup: table.text("setup")?,
        prepare: table.text("prepare")?,
        conclude: table.text("conclude")?,
        cleanup: table.text("cleanup")?,
        measure: texts(table, "measure")?,
        shell: table.text("shell")?,
        cwd: table.path_within("cwd")?,
        env: table.env("env")?,
        input: table.text("input")?,
        output: table.text("output")?,
        ignore_failure: table.exit_codes("ignore_failure")?,
        harness: word(table, "harness", HarnessOption::all(), HarnessOption::word)?,
        filter: texts(table, "filter")?,
        order: word(table, "order", Arrangement::ALL, Arrangement::word)?,
        time_per_run: table.duration("time_per_run")?,
        renamed: renamed(table)?,
    };
    check(&benchmark, table)?;
    Ok((benchmark, table.span_of("name")))
}

fn check(benchmark: &Benchmark, table: &Table<'_>) -> Result<(), ProjectFileError> {
    if benchmark.name == BASELINE {
        return Err(table.refuse("name", ProjectProblem::Reserved(benchmark.name.clone())));
    }
    let ranges = [
        ("min_runs", benchmark.min_runs.is_some()),
        ("max_runs", benchmark.max_runs.is_some()),
        ("budget", benchmark.budget.is_some()),
    ];
    if benchmark.runs.is_some()
        && let Some((second, _)) = ranges.into_iter().find(|(_, given)| *given)
    {
        return Err(table.refuse(second, ProjectProblem::Both { first: "runs", second }));
    }
    check_suite(benchmark, table)?;
    match (benchmark.min_runs, benchmark.max_runs) {
        (Some(min), Some(max)) if min > max => {
            Err(table.refuse("max_runs", ProjectProblem::Crossed { min, max }))
        }
        _ => Ok(()),
    }
}

/// A benchmark is a command, or a suite with a harness.
fn check_suite(benchmark: &Benchmark, table: &Table<'_>) -> Result<(), ProjectFileError> {
    let first_of = |keys: &[&'static str]| keys.iter().copied().find(|key| table.has(key));
    match benchmark.harness {
        None => match first_of(&OF_SUITES) {
            Some(key) => Err(table.refuse(key, ProjectProblem::NoHarness { key })),
            None => Ok(()),
        },
        Some(_) => match first_of(&OF_COMMANDS) {
            Some(second) => {
                Err(table.refuse(second, ProjectProblem::Both { first: "harness", second }))
            }
            None => Ok(()),
        },
    }
}

/// The value with the word of a key on the command line.
fn word<T: Copy>(
    table: &Table<'_>,
    key: &'static str,
    values: impl IntoIterator<Item = T>,
    word_of: fn(T) -> &'static str,
) -> Result<Option<T>, ProjectFileError> {
    let Some(word) = table.text(key)? else { return Ok(None) };
    let values: Vec<T> = values.into_iter().collect();
    let found = values.iter().copied().find(|value| word_of(*value) == word);
    if found.is_none() {
        let known = values.into_iter().map(|value| word_of(value).to_owned()).collect();
        return Err(table.refuse(key, ProjectProblem::UnknownWord { what: key, word, known }));
    }
    Ok(found)
}

fn texts(table: &Table<'_>, key: &str) -> Result<Vec<String>, ProjectFileError> {
    let texts = table.texts(key)?.unwrap_or_default();
    Ok(texts.into_iter().map(|(text, _)| text).collect())
}

fn renamed(table: &Table<'_>) -> Result<Renames, ProjectFileError> {
    Renames::new(table.names("renamed")?)
        .map_err(|problem| table.refuse("renamed", ProjectProblem::Renamed(problem)))
}

/// The metrics that expectations may use, including those that this table measures.
pub(super) fn with_own_metrics(
    vocabulary: Vocabulary,
    table: &Table<'_>,
) -> Result<Vocabulary, ProjectFileError> {
    let refuse = |problem| table.refuse("measure", ProjectProblem::Measure(problem));
    let mut vocabulary = vocabulary;
    for one in own_metric::parse_all(&texts(table, "measure")?).map_err(refuse)? {
        let unit = one.metric.unit();
        match vocabulary.find(one.metric.name()).map(|known| known.id == one.metric) {
            Some(true) => {}
            Some(false) => return Err(refuse(MeasureError::Twice(one.metric.name().to_owned()))),
            None => vocabulary = vocabulary.with(one.metric, unit),
        }
    }
    Ok(vocabulary)
}

fn metrics(
    table: &Table<'_>,
    vocabulary: &Vocabulary,
) -> Result<Option<Vec<MetricId>>, ProjectFileError> {
    let Some(names) = table.texts("metrics")? else { return Ok(None) };
    let mut chosen: Vec<MetricId> = Vec::new();
    for (name, span) in names {
        let Some(metric) = vocabulary.find(&name) else {
            let known = vocabulary.names().map(str::to_owned).collect();
            let problem = ProjectProblem::UnknownWord { what: "metric", word: name, known };
            return Err(table.source.refuse(problem, span));
        };
        if !chosen.contains(&metric.id) {
            chosen.push(metric.id.clone());
        }
    }
    Ok(Some(chosen))
}
