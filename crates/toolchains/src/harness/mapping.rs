//! Reports in a common form (JSON, CSV, lines that match a pattern), read as their description maps
//! them.
//!
//! Each form is a tree of named values: a row of CSV is an object with a value for each heading, and
//! a line is one with the groups of the pattern. A path such as `stats.data.*` leads through objects
//! by name and to each element of a list by `*`. The path `entries` leads to the benchmarks; other
//! paths are looked up in the benchmark, then in what it lies in: a name may come from a group above
//! it, a number of loops from the head of the file.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::description::Pattern;
use super::measurement::{Figures, HarnessError, Measured, Measurement};
use super::saved::{Fact, FactKind};
use super::{lacking, whole};

/// The contents of a report.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reading {
    /// Its form.
    pub format: Format,
    /// The path of the benchmarks; by default the elements of the whole.
    pub entries: String,
    /// The pattern of a line with a result; its groups are the values.
    pub line: Option<Pattern>,
    /// The name, with paths in braces; the first text whose paths all lead somewhere.
    pub name: Vec<String>,
    /// The times; the first that is there.
    pub time: Vec<TimePath>,
    /// The unit of the times, such as `ns` or `ops/s`.
    pub unit: String,
    /// The path of the unit, if the report has it; `unit` where it does not.
    pub unit_at: String,
    /// Values that the text at a path has in a measurement; an entry with another one is passed over.
    pub only: BTreeMap<String, String>,
    /// Marks of a benchmark that was not measured.
    pub refuse: Vec<Refusal>,
    /// The path of a number above 0 that makes an entry a further measurement of the one before.
    pub joins: String,
    /// Paths of other figures of one iteration.
    pub figures: BTreeMap<FigureName, String>,
    /// Paths of facts about the machine, from the head of the report.
    pub machine: BTreeMap<FactKind, String>,
}

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// JSON.
    #[default]
    Json,
    /// CSV with headings.
    Csv,
    /// Lines that match a pattern.
    Lines,
    /// The output of Go's `testing`.
    Go,
    /// The table of divan.
    Divan,
    /// The JSON of Haskell's criterion.
    Criterion,
    /// The files of criterion.rs.
    CriterionRs,
    /// brisk's own protocol.
    Protocol,
}

/// A path to times of one iteration, and the number of iterations of each.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TimePath {
    /// The path of one or several times.
    pub at: String,
    /// The paths of the factors of the number of iterations; empty if it is not known.
    pub iterations: Vec<String>,
    /// The path of the standard deviation of the times.
    pub deviation: String,
    /// The number of standard deviations there; 0 means 1.
    pub deviations: f64,
    /// Set if the first `*` of the path leads to processes.
    pub processes: bool,
}

/// A mark of a benchmark that was not measured.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The path of `true`, or of a text that is not empty.
    pub at: String,
    /// The reason, with paths in braces.
    pub reason: String,
}

/// The name of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FigureName {
    /// Bytes allocated.
    Allocated,
    /// Number of allocations.
    Allocations,
    /// Bytes that collections copied.
    Copied,
    /// Number of collections.
    GcCount,
    /// Processor time of collections, in seconds.
    GcTime,
    /// Page faults.
    PageFaults,
}

/// The measurements in a report, in its order.
pub(super) fn read(
    reading: &Reading,
    file: &str,
    text: &str,
) -> Result<Vec<Measured>, HarnessError> {
    let tree = tree(reading, file, text)?;
    let mut measured: Vec<Measured> = Vec::new();
    for scope in entries(reading, file, &tree)? {
        if !is_meant(reading, &scope) {
            continue;
        }
        let one = benchmark(reading, file, &scope)?;
        let is_further = scope.text(&reading.joins).is_some_and(|index| index != "0");
        match measured.last_mut().filter(|last| is_further && last.name == one.name) {
            Some(last) => super::measurement::join(&mut last.measurements, one.measurements),
            None => measured.push(one),
        }
    }
    Ok(measured)
}

/// The facts about the machine that a report states.
pub(super) fn facts(reading: &Reading, text: &str) -> Vec<Fact> {
    let head: Value = match reading.format {
        Format::Json => serde_json::from_str(text).unwrap_or_default(),
        _ => Value::Null,
    };
    let scope = Scope(vec![&head]);
    let fact =
        |(kind, path): (&FactKind, &String)| Some(Fact { kind: *kind, value: scope.text(path)? });
    reading.machine.iter().filter_map(fact).collect()
}

fn tree(reading: &Reading, file: &str, text: &str) -> Result<Value, HarnessError> {
    match reading.format {
        Format::Csv => {
            let wrong = |source| HarnessError::Csv { file: file.to_owned(), source };
            let mut rows = csv::Reader::from_reader(text.as_bytes());
            let headings = rows.headers().map_err(wrong)?.clone();
            let times = reading.time.iter().map(|time| time.at.as_str());
            let names = reading.name.iter().map(|name| name.trim_matches(['{', '}']));
            for needed in names.chain(times) {
                if !headings.iter().any(|heading| heading == needed) {
                    return Err(lacking(file, format!("column `{needed}`")));
                }
            }
            let object = |row: csv::StringRecord| -> Value {
                let cells = headings.iter().zip(row.iter());
                Map::from_iter(cells.map(|(heading, cell)| (heading.to_owned(), value(cell))))
                    .into()
            };
            rows.records().map(|row| row.map(object).map_err(wrong)).collect()
        }
        Format::Lines => {
            let Some(pattern) = &reading.line else { return Ok(Value::Array(Vec::new())) };
            let object = |line: &str| -> Option<Value> {
                let groups = pattern.captures(line)?;
                let named = pattern.capture_names().flatten();
                let values = named
                    .filter_map(|name| Some((name.to_owned(), value(groups.name(name)?.as_str()))));
                Some(Map::from_iter(values).into())
            };
            Ok(text.lines().filter_map(object).collect())
        }
        _ => super::parse(file, text),
    }
}

/// The text as a number, if it is one, possibly with commas between its thousands; as itself
/// otherwise.
fn value(text: &str) -> Value {
    let digits = text.replace(',', "");
    let is_number =
        digits.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first));
    match digits.parse::<f64>() {
        Ok(number) if is_number && number.is_finite() => number.into(),
        _ => text.into(),
    }
}

/// A value and those that it lies in, the outermost first.
struct Scope<'a>(Vec<&'a Value>);

/// The entries, each with what it lies in.
fn entries<'a>(
    reading: &Reading,
    file: &str,
    tree: &'a Value,
) -> Result<Vec<Scope<'a>>, HarnessError> {
    let mut scopes = vec![Scope(vec![tree])];
    let path = if reading.entries.is_empty() { "*" } else { &reading.entries };
    let steps: Vec<&str> = path.split('.').collect();
    let mut passed = String::new();
    for step in steps {
        let mut next = Vec::new();
        for Scope(levels) in scopes {
            let last = *levels.last().expect("begins with the whole");
            if step != "*" {
                let inner = last.get(step);
                let absent = || lacking(file, format!("list `{passed}{step}`"));
                next.push(Scope([levels.as_slice(), &[inner.ok_or_else(absent)?]].concat()));
                continue;
            }
            let list = last
                .as_array()
                .ok_or_else(|| lacking(file, format!("list `{}`", passed.trim_end_matches('.'))))?;
            next.extend(list.iter().map(|one| Scope([levels.as_slice(), &[one]].concat())));
        }
        passed = format!("{passed}{step}.");
        scopes = next;
    }
    Ok(scopes)
}

fn is_meant(reading: &Reading, scope: &Scope<'_>) -> bool {
    let agrees =
        |(path, wanted): (&String, &String)| scope.text(path).is_none_or(|found| found == *wanted);
    reading.only.iter().all(agrees)
}

impl<'a> Scope<'a> {
    /// The values at a path: in the innermost level that has any.
    fn all(&self, path: &str) -> Vec<&'a Value> {
        if path.is_empty() {
            return Vec::new();
        }
        let steps: Vec<&str> = path.split('.').collect();
        let mut levels = self.0.iter().rev().map(|level| values(level, &steps));
        levels.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The text at a path; numbers and lists of parameters as people write them.
    fn text(&self, path: &str) -> Option<String> {
        let text = |value: &Value| match value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        match self.all(path).first()? {
            Value::Object(parameters) => {
                let pair =
                    |(name, value): (&String, &Value)| Some(format!("{name}={}", text(value)?));
                Some(parameters.iter().filter_map(pair).collect::<Vec<_>>().join(", "))
            }
            Value::Number(number) => match whole(&Value::Number(number.clone())) {
                Some(number) => Some(number.to_string()),
                None => Some(number.to_string()),
            },
            value => text(value),
        }
        .filter(|text| !text.is_empty())
    }

    /// The text with the values of its paths; `None` if one leads nowhere.
    fn filled(&self, template: &str) -> Option<String> {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (path, after) = after.split_once('}')?;
            filled.push_str(before);
            filled.push_str(&self.text(path)?);
            rest = after;
        }
        Some(filled + rest)
    }

    fn number(&self, path: &str) -> Option<f64> {
        self.all(path).first()?.as_f64()
    }
}

/// The values below this one that the steps lead to.
fn values<'a>(value: &'a Value, steps: &[&str]) -> Vec<&'a Value> {
    match steps {
        [] => vec![value],
        ["*", rest @ ..] => {
            let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
            list.iter().flat_map(|one| values(one, rest)).collect()
        }
        [step, rest @ ..] => value.get(step).map(|inner| values(inner, rest)).unwrap_or_default(),
    }
}

fn benchmark(reading: &Reading, file: &str, scope: &Scope<'_>) -> Result<Measured, HarnessError> {
    let name = reading.name.iter().find_map(|template| scope.filled(template));
    let name = name.ok_or_else(|| lacking(file, "name of a benchmark"))?;
    for Refusal { at, reason } in &reading.refuse {
        let is_set = |value: &&Value| match value {
            Value::Bool(flag) => *flag,
            Value::String(text) => !text.is_empty(),
            _ => false,
        };
        if scope.all(at).first().is_some_and(is_set) {
            return Ok(Measured::refused(
                name,
                scope.filled(reason).unwrap_or_else(|| reason.clone()),
            ));
        }
    }
    let found = reading.time.iter().map(|time| (time, scope.all(&time.at)));
    let Some((time, values)) = found.into_iter().find(|(_, values)| !values.is_empty()) else {
        return Ok(Measured::refused(name, "the harness gives no time"));
    };
    let unit = scope.text(&reading.unit_at).unwrap_or_else(|| reading.unit.clone());
    let unit = TimeUnit::parse(&unit)
        .ok_or_else(|| lacking(file, format!("known unit of `{name}`: `{unit}` is none")))?;
    let mut measurements = Vec::new();
    for value in values {
        // JSON has no "not a number"; some writers write it as a text, others as null.
        if let Value::String(text) = value {
            return Ok(Measured::refused(name, format!("the harness says it took \"{text}\"")));
        }
        let iterations = iterations(time, file, scope, &name)?;
        let seconds = unit.seconds(value.as_f64().unwrap_or(f64::NAN));
        measurements.push(measurement(reading, scope, iterations, seconds));
    }
    let starts = if time.processes { starts(scope, &time.at) } else { Vec::new() };
    let deviation = scope.number(&time.deviation).and_then(|deviation| {
        let one = if time.deviations > 0.0 { deviation / time.deviations } else { deviation };
        // The spread of a rate is not that of a time.
        (!unit.is_rate).then(|| unit.seconds(one))
    });
    Ok(Measured { deviation_seconds: deviation, starts, ..Measured::new(name, measurements) })
}

/// The places among the values of a path at which those of a further process begin.
fn starts(scope: &Scope<'_>, path: &str) -> Vec<usize> {
    let Some((processes, rest)) = path.split_once(".*.") else { return Vec::new() };
    let steps: Vec<&str> = rest.split('.').collect();
    let all = scope.all(&format!("{processes}.*"));
    let counts = all.iter().map(|process| values(process, &steps).len());
    let places = counts.filter(|count| *count > 0).scan(0, |place, count| {
        *place += count;
        Some(*place)
    });
    let mut starts: Vec<usize> = places.collect();
    starts.pop();
    starts
}

fn iterations(
    time: &TimePath,
    file: &str,
    scope: &Scope<'_>,
    name: &str,
) -> Result<Option<u64>, HarnessError> {
    let mut product = None;
    for path in &time.iterations {
        let factor = scope.all(path).first().and_then(|value| whole(value));
        let factor = factor.ok_or_else(|| lacking(file, format!("`{path}` of `{name}`")))?;
        product = Some(product.unwrap_or(1_u64).saturating_mul(factor));
    }
    Ok(product)
}

fn measurement(
    reading: &Reading,
    scope: &Scope<'_>,
    iterations: Option<u64>,
    seconds: f64,
) -> Measurement {
    let count = iterations.unwrap_or(1) as f64;
    let figure = |name: FigureName| {
        let path = reading.figures.get(&name)?;
        scope.number(path).map(|one| one * count)
    };
    Measurement {
        iterations,
        seconds: seconds * count,
        figures: Figures {
            allocated_bytes: figure(FigureName::Allocated),
            allocations: figure(FigureName::Allocations),
            copied_bytes: figure(FigureName::Copied),
            collections: figure(FigureName::GcCount),
            gc_seconds: figure(FigureName::GcTime),
            page_faults: figure(FigureName::PageFaults),
        },
    }
}

/// The unit of a time, or of a number of iterations in a time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TimeUnit {
    seconds: f64,
    is_rate: bool,
}

impl TimeUnit {
    /// The unit of a text such as `ms`, `ns/op` or `ops/s`; seconds if it is empty.
    fn parse(text: &str) -> Option<Self> {
        let (unit, is_rate) = match text.split_once('/') {
            Some(("ops", unit)) => (unit, true),
            Some((unit, "op" | "iter")) => (unit, false),
            Some(_) => return None,
            None => (text, false),
        };
        let seconds = match unit {
            "ps" => 1e-12,
            "ns" => 1e-9,
            "us" | "µs" | "μs" => 1e-6,
            "ms" => 1e-3,
            "s" | "second" | "" => 1.0,
            "m" | "min" => 60.0,
            "hr" => 3600.0,
            "day" => 86400.0,
            _ => return None,
        };
        Some(Self { seconds, is_rate })
    }

    fn seconds(self, value: f64) -> f64 {
        if self.is_rate { self.seconds / value } else { value * self.seconds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_a_time_or_a_rate() {
        let seconds = |unit: &str, value| TimeUnit::parse(unit).map(|unit| unit.seconds(value));
        assert_eq!(seconds("ns/op", 5.0), Some(5.0 * 1e-9));
        assert_eq!(seconds("ops/ms", 4.0), Some(0.001 / 4.0));
        assert_eq!(seconds("", 2.0), Some(2.0));
        for unknown in ["h", "B/op", "ops/x", "byte"] {
            assert_eq!(seconds(unknown, 1.0), None, "{unknown}");
        }
    }

    #[test]
    fn what_an_entry_lacks_is_looked_up_around_it() {
        let tree = serde_json::json!({"loops": 4, "groups": [{"full": "g", "benchmarks": [
            {"name": "a", "t": [1.0, 2.0]}, {"name": "b", "t": [], "loops": 2, "mean": 3.0}]}]});
        let reading: Reading = toml::from_str(
            "entries = \"groups.*.benchmarks.*\"\nname = [\"{full} > {name}\"]\nunit = \"ms\"\n\
             [[time]]\nat = \"t.*\"\niterations = [\"loops\"]\n[[time]]\nat = \"mean\"\n",
        )
        .expect("sound");
        let all = read(&reading, "f", &tree.to_string()).expect("sound");
        let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["g > a", "g > b"]);
        let of = |one: &Measured| one.measurements.clone().expect("measured");
        assert_eq!(of(&all[0])[1], Measurement::of_time(Some(4), 0.008));
        assert_eq!(of(&all[1]), [Measurement::of_time(None, 0.003)]);
    }
}
