//! A table of measurements over time: one line for each point, one column for each metric.
//!
//! Other tools keep their histories like this: Otava reads such a file, gipeda writes one, and a
//! shell loop over commits ends in `commit;allocations;memory;time`. The first line that is not a
//! comment names the columns. A column whose cells are numbers or empty is a metric; a column named
//! for the time, or with other cells, identifies the point. Numbers use a point for the fraction
//! and no thousands separators. An empty cell is a value that was not measured.

use std::collections::HashSet;

use thiserror::Error;

/// Names, in any case, of the column with the time of a point.
const TIME_NAMES: [&str; 4] = ["time", "date", "timestamp", "datetime"];

/// Names, in any case, of the column with the label of a point, even if its cells look like
/// numbers: some commits are named by digits alone.
const LABEL_NAMES: [&str; 8] =
    ["commit", "hash", "sha", "revision", "version", "label", "name", "branch"];

/// The characters that may separate cells.
const DELIMITERS: [u8; 3] = [b';', b'\t', b','];

/// Points in the order of the file, with their measurements.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The labels of the points: the commit, or the first column of text; without such a column,
    /// the number of the point, from 1.
    pub labels: Vec<String>,
    /// The times of the points as written in the file: seconds or dates.
    pub times: Option<Vec<String>>,
    /// Descriptions of the points, such as the subjects of commits; always `None` for files, which
    /// have no such column.
    pub subjects: Option<Vec<String>>,
    /// The metrics with their values in the order of the points, in the unit of the file.
    pub metrics: Vec<(String, Vec<Option<f64>>)>,
}

/// The reason that a table could not be read. Lines count from 1 and are those of the file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum SeriesError {
    /// The file has only comments.
    #[error("the file has no header")]
    NoHeader,
    #[error("the file has a header but no points")]
    NoPoints,
    #[error("no column of the file has numbers; its columns are {columns}")]
    NoMetrics { columns: String },
    #[error("line {line}: the column `{column}` occurs twice")]
    TwiceNamed { line: u64, column: String },
    #[error("line {line}: column {number} has no name")]
    Unnamed { line: u64, number: usize },
    #[error("line {line} has {cells} cells, the header has {expected}")]
    UnequalCells { line: u64, cells: usize, expected: usize },
    #[error("line {line}, column `{column}`: `{cell}` is not a number")]
    NotANumber { line: u64, column: String, cell: String },
    #[error("line {line} is not a line of a table: {why}")]
    Malformed { line: u64, why: String },
}

impl SeriesError {
    /// A hint for the user on how to fix it.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::NotANumber { .. } => {
                "write numbers like 1234.5 or 1.2e6, without separators of thousands; leave the cell \
                 of a missing value empty"
            }
            Self::UnequalCells { .. } => {
                "cells are separated by `,`, `;` or a tab, the same in the whole file; quote a cell \
                 that contains it"
            }
            Self::NoHeader | Self::NoMetrics { .. } => {
                "the first line names the columns, such as `commit;allocations;time`"
            }
            _ => return None,
        })
    }
}

/// One line of the file as cells.
struct Line {
    number: u64,
    cells: Vec<String>,
}

/// Reads a table. The delimiter is whichever of `;`, tab and `,` occurs most often in the header.
pub fn series(text: &str) -> Result<Series, SeriesError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = lines(text)?.into_iter();
    let header = lines.next().ok_or(SeriesError::NoHeader)?;
    check_names(&header)?;
    let points: Vec<Line> = lines.collect();
    if points.is_empty() {
        return Err(SeriesError::NoPoints);
    }
    let expected = header.cells.len();
    if let Some(wrong) = points.iter().find(|line| line.cells.len() != expected) {
        let (line, cells) = (wrong.number, wrong.cells.len());
        return Err(SeriesError::UnequalCells { line, cells, expected });
    }
    columns(&header.cells, &points)
}

/// The lines that are neither empty nor comments.
fn lines(text: &str) -> Result<Vec<Line>, SeriesError> {
    let is_header = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let header = text.lines().find(is_header).ok_or(SeriesError::NoHeader)?;
    let count = |delimiter: u8| header.bytes().filter(|&byte| byte == delimiter).count();
    // On a tie the first wins: a `;` in a header is seldom part of a name.
    let delimiter = DELIMITERS.into_iter().rev().max_by_key(|&d| count(d)).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .comment(Some(b'#'))
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| SeriesError::Malformed {
            line: error.position().map_or(0, csv::Position::line),
            why: error.to_string(),
        })?;
        let number = record.position().map_or(0, |position| line_of(text, position));
        if record.iter().any(|cell| !cell.is_empty()) {
            lines.push(Line { number, cells: record.iter().map(str::to_owned).collect() });
        }
    }
    Ok(lines)
}

/// The line on which a record begins; the reader's position is before the empty lines and comments
/// that it skipped.
fn line_of(text: &str, position: &csv::Position) -> u64 {
    let rest = text.get(position.byte() as usize..).unwrap_or_default();
    let is_skipped = |line: &&str| line.starts_with('#') || line.is_empty();
    position.line() + rest.lines().take_while(is_skipped).count() as u64
}

fn check_names(header: &Line) -> Result<(), SeriesError> {
    let line = header.number;
    let mut seen = HashSet::new();
    for (i, name) in header.cells.iter().enumerate() {
        if name.is_empty() {
            return Err(SeriesError::Unnamed { line, number: i + 1 });
        }
        if !seen.insert(name) {
            return Err(SeriesError::TwiceNamed { line, column: name.clone() });
        }
    }
    Ok(())
}

/// The purpose of a column.
enum Column {
    Time,
    Label,
    Metric,
}

/// The column's purpose by its name, else by its cells: a column in which most cells are numbers is
/// a metric, and any other cell in it is a mistake.
fn kind(name: &str, column: usize, points: &[Line], others: &[String]) -> Column {
    let named = |names: &[&str], name: &str| names.iter().any(|one| name.eq_ignore_ascii_case(one));
    let cells = || points.iter().map(|line| line.cells[column].as_str()).filter(|c| !c.is_empty());
    let numbers = cells().filter(|cell| number(cell).is_some()).count();
    let is_numeric = 2 * numbers > cells().count() || cells().next().is_none();
    if named(&LABEL_NAMES, name) {
        return Column::Label;
    }
    // `commit;allocations;memory;time` ends in a duration. A time before any label, or one that
    // looks like seconds since 1970, is a date.
    let after_label = named(&LABEL_NAMES, &others[0]);
    let is_date = cells().all(|cell| number(cell).is_some_and(is_unix_time));
    if named(&TIME_NAMES, name) && (!is_numeric || !after_label || is_date) {
        return Column::Time;
    }
    if is_numeric { Column::Metric } else { Column::Label }
}

/// True if a number looks like seconds, or smaller units, since 1970: whole, and after March 1973.
fn is_unix_time(value: f64) -> bool {
    value >= 1e8 && value.fract() == 0.0
}

fn columns(names: &[String], points: &[Line]) -> Result<Series, SeriesError> {
    let (mut labels, mut times, mut metrics) = (None, None, Vec::new());
    let texts =
        |column: usize| points.iter().map(|line| line.cells[column].clone()).collect::<Vec<_>>();
    for (column, name) in names.iter().enumerate() {
        match kind(name, column, points, names) {
            Column::Time if times.is_none() => times = Some(texts(column)),
            Column::Label if labels.is_none() => labels = Some(texts(column)),
            Column::Time | Column::Label => {}
            Column::Metric => metrics.push((name.clone(), values(name, column, points)?)),
        }
    }
    if metrics.iter().all(|(_, values)| values.iter().all(Option::is_none)) {
        let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        return Err(SeriesError::NoMetrics { columns: quoted.join(", ") });
    }
    let labels = labels.unwrap_or_else(|| (1..=points.len()).map(|i| i.to_string()).collect());
    Ok(Series { labels, times, subjects: None, metrics })
}

fn values(name: &str, column: usize, points: &[Line]) -> Result<Vec<Option<f64>>, SeriesError> {
    let value = |line: &Line| {
        let cell = &line.cells[column];
        if cell.is_empty() {
            return Ok(None);
        }
        number(cell).map(Some).ok_or_else(|| SeriesError::NotANumber {
            line: line.number,
            column: name.to_owned(),
            cell: cell.chars().take(40).collect(),
        })
    };
    points.iter().map(value).collect()
}

/// A finite number. `inf` and `nan`, which Rust would parse, are rejected.
fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|value: &f64| value.is_finite())
}
