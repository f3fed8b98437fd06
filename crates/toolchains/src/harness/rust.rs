//! Rust's criterion (criterion.rs) and divan.
//!
//! criterion.rs leaves files below the folder in the variable `CRITERION_HOME`, two for each
//! benchmark: `.../new/benchmark.json` with its name as `full_id`, and `.../new/sample.json` with
//! the lists `iters` and `times`, in nanoseconds. The format is internal and not guaranteed;
//! deviations from it are reported as errors.
//!
//! divan prints a tree with a table beside it, and no other readable report:
//!
//! ```text
//! suite     fastest       │ slowest       │ median        │ mean          │ samples │ iters
//! ├─ copy                 │               │               │               │         │
//! │  ╰─ 8   7.864 ns      │ 7.903 ns      │ 7.864 ns      │ 7.871 ns      │ 100     │ 25600
//! ╰─ text   17.06 ns      │ 91.23 ns      │ 17.84 ns      │ 18.82 ns      │ 100     │ 12800
//!           alloc:        │               │               │               │         │
//!             1           │ 1             │ 1             │ 1             │         │
//!             100 B       │ 100 B         │ 100 B         │ 100 B         │         │
//! ```
//!
//! Times have four digits. It lists full names only in the format of cargo-nextest.

use serde_json::Value;

use super::adapter::{
    Arranges, Duration, Harness, Kept, PANIC, PLAIN, Reported, Request, has_option, names_in_lines,
};
use super::measurement::{Figures, HarnessError, Measured, Measurement};
use super::{exact_regex, lacking, list, parse, text, whole};

/// criterion.rs.
pub static CRITERION: Harness = CURRENT;

/// criterion.rs 0.3, which accepts whole seconds only.
pub static CRITERION_0_3: Harness = Harness {
    word: "criterion-rs-0.3",
    name: "criterion.rs 0.3",
    about: "A program with Rust's criterion 0.3, which measures for whole seconds",
    // Its panic messages contain the paths of its sources.
    marks: &[&[b"CRITERION_HOME", b"CRITERION_DEBUG", b"/criterion-0.3."]],
    duration: Duration { request: |seconds| duration(seconds.ceil()), ..CURRENT.duration },
    ..CURRENT
};

const CURRENT: Harness = Harness {
    word: "criterion-rs",
    name: "criterion.rs",
    about: "A program with Rust's criterion",
    marks: &[&[b"CRITERION_HOME", b"CRITERION_DEBUG"]],
    list_arguments: &["--bench", "--list"],
    // Versions before 0.5 write `bench`, and do not support formats.
    list: |stdout| Ok(listed(stdout, &[": benchmark", ": bench"])),
    is_timed: |arguments| !has_option(arguments, &["--list", "--test", "-h", "--help"]),
    cause: PANIC,
    select: |names| vec![exact_regex(names)],
    report: |folder| Request {
        variables: vec![("CRITERION_HOME", folder.to_string_lossy().into_owned())],
        // Its resampling takes time, and the result is not read.
        ..Request::arguments(["--bench", "--noplot", "--nresamples", "1000"])
    },
    read: read_files,
    duration: Duration {
        request: duration,
        options: &["--measurement-time", "--warm-up-time", "--quick", "--profile-time"],
    },
    kept: Kept::Folders,
    ..PLAIN
};

/// The time of each benchmark, and of the warm-up before it, in seconds.
fn duration(seconds: f64) -> Request {
    let seconds = seconds.to_string();
    Request::arguments(["--warm-up-time", &seconds, "--measurement-time", &seconds])
}

/// The names in a list, whose lines have one of these endings.
fn listed(stdout: &str, endings: &[&str]) -> Vec<String> {
    let name =
        |line: String| endings.iter().find_map(|end| Some(line.strip_suffix(end)?.to_owned()));
    names_in_lines(stdout).into_iter().filter_map(name).collect()
}

const NAME_FILE: &str = "new/benchmark.json";
const SAMPLE_FILE: &str = "new/sample.json";

fn read_files(reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
    let mut measured = Vec::new();
    for (path, contents) in reported.files {
        let Some(folder) = path.strip_suffix(NAME_FILE) else { continue };
        let described = parse(path, contents)?;
        let name = text(&described, "full_id", path)?;
        let sample = format!("{folder}{SAMPLE_FILE}");
        let contents = reported.files.get(&sample);
        let contents = contents.ok_or(HarnessError::NoReport { file: SAMPLE_FILE })?;
        measured.push(Measured::new(name, measurements(&parse(&sample, contents)?, &sample)?));
    }
    if measured.is_empty() {
        return Err(HarnessError::NoReport { file: NAME_FILE });
    }
    // The files do not record the order in which they were written; benchmarks run in the order of
    // its list.
    let place = |one: &Measured| reported.asked.iter().position(|name| *name == one.name);
    measured.sort_by_key(|one| place(one).unwrap_or(usize::MAX));
    Ok(measured)
}

fn measurements(sample: &Value, file: &str) -> Result<Vec<Measurement>, HarnessError> {
    let iterations = list(sample, "iters", file)?;
    let times = list(sample, "times", file)?;
    if iterations.len() != times.len() {
        return Err(lacking(file, "time for each number of iterations"));
    }
    let measurement = |(iterations, time): (&Value, &Value)| {
        let iterations =
            whole(iterations).ok_or_else(|| lacking(file, "whole number in `iters`"))?;
        let nanoseconds = time.as_f64().unwrap_or(f64::NAN);
        Ok(Measurement::of_time(Some(iterations), nanoseconds / 1e9))
    };
    iterations.iter().zip(times).map(measurement).collect()
}

/// divan.
pub static DIVAN: Harness = Harness {
    word: "divan",
    name: "divan",
    about: "A program with Rust's divan",
    marks: &[&[b"DIVAN_SAMPLE_COUNT", b"DIVAN_SKIP_EXT_TIME"]],
    list_arguments: &["--list", "--format", "terse"],
    list_variables: &[("NEXTEST", "1")],
    list: |stdout| Ok(listed(stdout, &[": benchmark"])),
    is_timed: |arguments| {
        !has_option(arguments, &["--list", "--test", "--sample-size", "-h", "--help"])
    },
    cause: PANIC,
    select: |names| {
        let names = names.iter().copied();
        ["--exact", "--"].into_iter().chain(names).map(str::to_owned).collect()
    },
    report: |_| Request {
        variables: vec![("DIVAN_BYTES_FORMAT", "decimal".to_owned())],
        ..Request::arguments(["--bench", "--color", "never"])
    },
    read: read_tree,
    duration: Duration {
        request: |seconds| Request::arguments(["--max-time", &seconds.to_string()]),
        options: &["--max-time", "--min-time", "--sample-count"],
    },
    arranges: Arranges::ByOptions { reversed: Some(&["--sortr", "kind"]), shuffled: None },
    ..PLAIN
};

/// The columns of the table after the name; the name's column ends where the first one begins.
const COLUMNS: [&str; 6] = ["fastest", "slowest", "median", "mean", "samples", "iters"];

/// The width of a level of the tree, in characters.
const LEVEL_WIDTH: usize = 3;

/// A row, split into cells.
struct Row<'a> {
    /// Its depth in the tree and its name, if it has one.
    node: Option<(usize, &'a str)>,
    fastest: &'a str,
    mean: &'a str,
    iterations: &'a str,
}

fn read_tree(reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
    let mut column = None;
    let mut path: Vec<&str> = Vec::new();
    let mut measured: Vec<Measured> = Vec::new();
    // The number of rows read below the label `alloc:`.
    let mut allocated: Option<usize> = None;
    for (number, line) in (1..).zip(reported.stdout.lines()) {
        if let Some((root, at)) = heading(line) {
            column = Some(at);
            path = vec![root];
            continue;
        }
        let Some(column) = column else { continue };
        let Some(row) = row(line, column) else { continue };
        if let Some((depth, name)) = row.node {
            path.truncate(depth + 1);
            path.push(name);
            allocated = None;
            if !row.mean.is_empty() {
                let one = measurement(&row).ok_or_else(|| HarnessError::Line {
                    line: number,
                    text: line.to_owned(),
                    what: "has no mean and iterations",
                })?;
                measured.push(Measured::new(path.join("::"), vec![one]));
            }
        } else if row.fastest.ends_with(':') {
            allocated = (row.fastest == "alloc:").then_some(0);
        } else if let (Some(rows), Some(last)) = (&mut allocated, measured.last_mut()) {
            allocation(last, *rows, row.mean);
            *rows += 1;
        }
    }
    if column.is_none() {
        return Err(HarnessError::NoBeginning { expected: "fastest │ slowest │ ..." });
    }
    Ok(by_names(measured, reported.asked))
}

/// The name of the root, and the position of the first column, in characters.
fn heading(line: &str) -> Option<(&str, usize)> {
    let mut cells = line.rsplitn(COLUMNS.len(), '│');
    let is_heading = COLUMNS
        .iter()
        .skip(1)
        .rev()
        .all(|column| cells.next().is_some_and(|cell| cell.trim() == *column));
    let first = cells.next().filter(|_| is_heading)?;
    let root = first.trim_end().strip_suffix(COLUMNS[0])?;
    Some((root.trim(), root.chars().count()))
}

fn row(line: &str, column: usize) -> Option<Row<'_>> {
    // A name may contain the column separator, so the cells are split off from the end.
    let mut cells = line.rsplitn(COLUMNS.len(), '│').map(str::trim);
    let (iterations, _samples, mean) = (cells.next()?, cells.next()?, cells.next()?);
    let (_median, _slowest) = (cells.next()?, cells.next()?);
    cells.next()?;
    let at = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
    let (tree, rest) = line.split_at(at);
    let signs: Vec<usize> = rest.match_indices('│').map(|(at, _)| at).collect();
    let end = signs[signs.len().checked_sub(COLUMNS.len() - 1)?];
    Some(Row { node: node(tree), fastest: rest[..end].trim(), mean, iterations })
}

/// The depth of a row in the tree, from 0 below the root, and its name.
fn node(tree: &str) -> Option<(usize, &str)> {
    let branch = tree.find("├─ ").or_else(|| tree.find("╰─ "))?;
    let before = tree[..branch].chars();
    if before.clone().any(|sign| sign != '│' && sign != ' ') {
        return None;
    }
    let name = &tree[branch + "├─ ".len()..];
    Some((before.count() / LEVEL_WIDTH, name.trim()))
}

fn measurement(row: &Row<'_>) -> Option<Measurement> {
    let iterations: u64 = row.iterations.parse().ok()?;
    Some(Measurement::of_time(Some(iterations), quantity(row.mean, &TIMES)? * iterations as f64))
}

const TIMES: [(&str, f64); 7] = [
    ("ps", 1e-12),
    ("ns", 1e-9),
    ("µs", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("m", 60.0),
    ("h", 3600.0),
];

const SIZES: [(&str, f64); 5] = [("B", 1.0), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)];

/// A number with one of these units.
fn quantity(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (number, unit) = text.split_once(' ')?;
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    number.parse::<f64>().ok().map(|number| number * factor)
}

/// The rows below `alloc:`: the number of allocations, then their bytes, of one iteration.
fn allocation(measured: &mut Measured, row: usize, mean: &str) {
    let Ok(measurements) = &mut measured.measurements else { return };
    for Measurement { iterations, figures, .. } in measurements {
        let of_all = |one: f64| one * iterations.unwrap_or(1) as f64;
        let Figures { allocations, allocated_bytes, .. } = figures;
        match row {
            0 => *allocations = mean.parse().ok().map(of_all),
            1 => *allocated_bytes = quantity(mean, &SIZES).map(of_all),
            _ => {}
        }
    }
}

/// Merges the rows below a listed benchmark, one for each number of threads.
fn by_names(measured: Vec<Measured>, asked: &[&str]) -> Vec<Measured> {
    let mut named: Vec<Measured> = Vec::new();
    for one in measured {
        let is_below = |name: &&&str| {
            one.name.strip_prefix(**name).is_some_and(|rest| rest.starts_with("::t="))
        };
        let name = match asked.iter().find(is_below) {
            Some(name) if !asked.contains(&one.name.as_str()) => (*name).to_owned(),
            _ => one.name.clone(),
        };
        match named.iter_mut().find(|before| before.name == name && before.name != one.name) {
            Some(before) => {
                let reason = "it runs with several numbers of threads; choose one with `--threads`";
                before.measurements = Err(reason.to_owned());
            }
            None => named.push(Measured { name, ..one }),
        }
    }
    named
}
