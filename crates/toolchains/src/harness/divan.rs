//! Rust's divan.
//!
//! It prints a tree with a table beside it, and no other readable report:
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

use std::path::Path;

use super::adapter::names_in_lines;
use super::adapter::{
    Arranges, Duration, Harness, Kept, PANIC, Reported, Request, Selection, arguments, has_option,
};
use super::measurement::{Figures, HarnessError, Measured, Measurement};

/// divan.
pub static HARNESS: Harness = Harness {
    word: "divan",
    name: "divan",
    about: "A program with Rust's divan",
    marks: &[&[b"DIVAN_SAMPLE_COUNT", b"DIVAN_SKIP_EXT_TIME"]],
    list_arguments: &["--list", "--format", "terse"],
    list_variables: &[("NEXTEST", "1")],
    list: |stdout| {
        let names = names_in_lines(stdout).into_iter();
        Ok(names.filter_map(|line| Some(line.strip_suffix(": benchmark")?.to_owned())).collect())
    },
    discovery: None,
    is_timed: |arguments| {
        !has_option(arguments, &["--list", "--test", "--sample-size", "-h", "--help"])
    },
    cause: PANIC,
    select: |selection| match selection {
        Selection::Everything => Vec::new(),
        Selection::Only(names) => {
            let names = names.iter().copied();
            ["--exact", "--"].into_iter().chain(names).map(str::to_owned).collect()
        }
    },
    report: |_: &Path| Request {
        arguments: arguments(["--bench", "--color", "never"]),
        variables: vec![("DIVAN_BYTES_FORMAT", "decimal".to_owned())],
    },
    read,
    duration: Duration {
        request: |seconds| Request {
            arguments: vec!["--max-time".to_owned(), seconds.to_string()],
            variables: Vec::new(),
        },
        options: &["--max-time", "--min-time", "--sample-count"],
    },
    arranges: Arranges::ByOptions { reversed: Some(&["--sortr", "kind"]), shuffled: None },
    kept: Kept::Nothing,
    counts_allocations: false,
    needs_locale: false,
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

fn read(reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
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
    let end = ends_of_cells(rest)?;
    Some(Row { node: node(tree), fastest: rest[..end].trim(), mean, iterations })
}

/// The end of the first of the remaining cells.
fn ends_of_cells(rest: &str) -> Option<usize> {
    let signs: Vec<usize> = rest.match_indices('│').map(|(at, _)| at).collect();
    signs.len().checked_sub(COLUMNS.len() - 1).map(|first| signs[first])
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
    Some(Measurement::of_time(Some(iterations), seconds(row.mean)? * iterations as f64))
}

fn seconds(text: &str) -> Option<f64> {
    let (number, unit) = text.split_once(' ')?;
    let unit = match unit {
        "ps" => 1e-12,
        "ns" => 1e-9,
        "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|number| number * unit)
}

fn bytes(text: &str) -> Option<f64> {
    let (number, unit) = text.split_once(' ')?;
    let unit = match unit {
        "B" => 1.0,
        "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|number| number * unit)
}

/// The rows below `alloc:`: the number of allocations, then their bytes, of one iteration.
fn allocation(measured: &mut Measured, row: usize, mean: &str) {
    let Ok(measurements) = &mut measured.measurements else { return };
    for Measurement { iterations, figures, .. } in measurements {
        let of_all = |one: f64| one * iterations.unwrap_or(1) as f64;
        let Figures { allocations, allocated_bytes, .. } = figures;
        match row {
            0 => *allocations = mean.parse().ok().map(of_all),
            1 => *allocated_bytes = bytes(mean).map(of_all),
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
