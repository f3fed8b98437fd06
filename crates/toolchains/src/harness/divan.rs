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

use super::description::Reported;
use super::measurement::{Figures, HarnessError, Measured, Measurement};

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

/// The measurements in the output of a run.
pub(super) fn read(reported: &Reported<'_>) -> Result<Vec<Measured>, HarnessError> {
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
