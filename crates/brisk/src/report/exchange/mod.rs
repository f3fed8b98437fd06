//! What was measured in the formats of other programs: those that compare benchmarks, and those
//! that keep their history.
//!
//! Most of these formats have one value for each benchmark, and names that mean something to who
//! reads them. So a suite of two programs is its new one here, except where the format can hold
//! both, and every name is made valid and different from the others. What was not read is left out.

mod asv;
mod bencher;
mod figure;
mod github_action;
mod go;
mod tasty_bench;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::document::{Document, SummaryPart};
use super::export::ExportError;
use super::json::Runs;
use crate::commission::Kind;
use crate::metric::MetricId;
use crate::spec::writable;
use figure::{Figure, figures};

/// The options that name files of other programs.
#[derive(Debug, Clone, Default, Args)]
pub struct ExchangeOptions {
    /// Write Go's benchmark text, a line for each run, for benchstat
    #[arg(long, value_name = "FILE")]
    pub export_go: Option<PathBuf>,

    /// Write CSV as tasty-bench does, for its `--baseline`
    #[arg(long, value_name = "FILE")]
    pub export_tasty_bench: Option<PathBuf>,

    /// Write JSON for github-action-benchmark's `customSmallerIsBetter`
    #[arg(long, value_name = "FILE")]
    pub export_github_action: Option<PathBuf>,

    /// Write Bencher's metric format (BMF), JSON
    #[arg(long, value_name = "FILE")]
    pub export_bencher: Option<PathBuf>,

    /// Add to a folder of results as asv keeps them (format version 2): those of `--asv-commit`, or
    /// of a history's commits
    #[arg(long, value_name = "DIR")]
    pub export_asv: Option<PathBuf>,

    /// The commit that was measured, of the repository here; for `--export-asv`
    #[arg(long, value_name = "REVISION", requires = "export_asv")]
    pub asv_commit: Option<String>,
}

/// Why a history is in none of these formats.
const NO_HISTORY: &str = "the format has one state of a program, and a history has many; export \
                          it with `--export-csv` or `--export-json`";

/// Why there is nothing to write.
const NOTHING: &str = "nothing was measured that the format has a place for";

type Writer = fn(&Document, &mut Runs<'_>, &mut dyn Write) -> io::Result<()>;

impl ExchangeOptions {
    /// The files that are wanted, and who writes them.
    pub(super) fn wanted(&self) -> impl Iterator<Item = (&Path, Writer)> {
        [
            (&self.export_go, go::write as Writer),
            (&self.export_tasty_bench, |document, _, out| tasty_bench::write(document, out)),
            (&self.export_github_action, |document, _, out| github_action::write(document, out)),
            (&self.export_bencher, |document, _, out| bencher::write(document, out)),
        ]
        .into_iter()
        .filter_map(|(path, writer)| Some((path.as_deref()?, writer)))
    }

    /// Adds to asv's folder, where it is wanted.
    pub(super) fn write_asv(
        &self,
        document: &Document,
        runs: &mut Runs<'_>,
    ) -> Result<(), ExportError> {
        let Some(folder) = &self.export_asv else { return Ok(()) };
        let written = match &self.asv_commit {
            None => asv::write_history(document, runs, folder),
            Some(revision) => asv::commit(Path::new("."), revision)
                .and_then(|commit| asv::write(document, runs, folder, &commit)),
        };
        written.map_err(|source| ExportError { path: folder.clone(), source })
    }

    /// Refuses, of a series that others measured, every file of these.
    ///
    /// # Errors
    ///
    /// When one is wanted.
    pub fn refuse_series(&self) -> Result<(), ExportError> {
        refuse(self.export_asv.as_deref(), NO_HISTORY)?;
        self.refuse_files_of_history()
    }

    /// Refuses, of a history, the files that have one state of a program.
    pub(super) fn refuse_files_of_history(&self) -> Result<(), ExportError> {
        refuse(self.wanted().map(|(path, _)| path).next(), NO_HISTORY)?;
        let of_commit = self.asv_commit.as_ref().and(self.export_asv.as_deref());
        refuse(of_commit, "a history has its own commits; leave out `--asv-commit`")
    }

    /// Finds out whether the commit that asv is to be told is one.
    pub(super) fn check_commit(&self) -> Result<(), ExportError> {
        let Some(folder) = &self.export_asv else { return Ok(()) };
        let cannot = |source| ExportError { path: folder.clone(), source };
        let unsaid = || cannot(io::Error::other("say with `--asv-commit` which commit this is"));
        let revision = self.asv_commit.as_deref().ok_or_else(unsaid)?;
        asv::commit(Path::new("."), revision).map(drop).map_err(cannot)
    }

    /// Finds out whether asv's folder can be written.
    pub(super) fn check_asv(&self) -> Result<(), ExportError> {
        let Some(folder) = &self.export_asv else { return Ok(()) };
        let cannot = |source| ExportError { path: folder.clone(), source };
        match folder.is_dir() {
            true => writable::check(&folder.join(asv::BENCHMARKS)).map_err(cannot),
            false if folder.exists() => Err(cannot(io::Error::other("it is no folder"))),
            false => Ok(()),
        }
    }
}

fn refuse(path: Option<&Path>, reason: &'static str) -> Result<(), ExportError> {
    let Some(path) = path else { return Ok(()) };
    Err(ExportError { path: path.to_owned(), source: io::Error::other(reason) })
}

/// A benchmark or command as a row of a foreign file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// Its name, unlike every other one.
    name: String,
    variant: u32,
}

/// The rows of a document: the benchmarks of a suite's new program, or the variants.
fn entries(document: &Document) -> io::Result<Vec<Entry>> {
    let newest = document.suite.as_ref().map_or(0, |suite| suite.programs.len() - 1);
    let pairs = named(document, newest)?;
    let names = distinct(pairs.iter().map(|(name, _)| name.clone()), in_brackets);
    Ok(pairs.into_iter().zip(names).map(|((_, variant), name)| Entry { name, variant }).collect())
}

/// The names and variants of one program of a suite, or of all variants of another experiment.
fn named(document: &Document, program: usize) -> io::Result<Vec<(String, u32)>> {
    if document.kind() == Kind::History {
        return Err(io::Error::other(NO_HISTORY));
    }
    Ok(match &document.suite {
        Some(suite) => suite
            .benchmarks
            .iter()
            .filter_map(|one| Some((one.name.clone(), (*one.variants.get(program)?)?)))
            .collect(),
        None => document.variants.iter().map(|part| part.name.clone()).zip(0..).collect(),
    })
}

/// The names, of which every later namesake gets the first suffix, from 1, that makes it new.
fn distinct(names: impl Iterator<Item = String>, suffix: fn(usize) -> String) -> Vec<String> {
    let names: Vec<String> = names.collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let given: BTreeSet<String> = names.iter().cloned().collect();
    names
        .into_iter()
        .map(|name| {
            let mut numbered = (1..).map(|number| format!("{name}{}", suffix(number)));
            let is_free = |name: &String| !taken.contains(name) && !given.contains(name);
            let name = if taken.contains(&name) {
                numbered.find(is_free).expect("there are more numbers than names")
            } else {
                name
            };
            taken.insert(name.clone());
            name
        })
        .collect()
}

/// What is known of a benchmark in one figure, for formats that have a row for each of these.
struct Row<'a> {
    /// The benchmark's name for the time, with the figure's behind it for the others; unlike every
    /// other one.
    name: String,
    variant: u32,
    figure: &'static Figure,
    summary: &'a SummaryPart,
}

/// The rows of these benchmarks; at least one.
fn rows(document: &Document, entries: Vec<Entry>) -> io::Result<Vec<Row<'_>>> {
    let mut rows = Vec::new();
    for Entry { name, variant } in entries {
        for (place, figure) in figures(document).iter().enumerate() {
            let Some(summary) = summary(document, variant, &figure.id) else { continue };
            let name = if place == 0 { name.clone() } else { format!("{name} {}", figure.measure) };
            rows.push(Row { name, variant, figure, summary });
        }
    }
    let names = distinct(rows.iter().map(|row| row.name.clone()), in_brackets);
    for (row, name) in rows.iter_mut().zip(names) {
        row.name = name;
    }
    if rows.is_empty() { Err(io::Error::other(NOTHING)) } else { Ok(rows) }
}

/// `a (2)` for the second `a`.
fn in_brackets(number: usize) -> String {
    format!(" ({})", number + 1)
}

/// What is known of a variant in a metric; none where only a bound is.
fn summary<'a>(document: &'a Document, variant: u32, id: &MetricId) -> Option<&'a SummaryPart> {
    document.summaries_of(variant).find(|part| part.metric == *id).filter(|part| !part.at_most)
}

/// The number without what multiplying it has added behind the digits that it has.
fn rounded(value: f64) -> f64 {
    // A double has 15 decimal digits that survive.
    format!("{value:.14e}").parse().expect("a number that was just written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namesakes_get_names_that_nobody_has() {
        let names = ["a", "b", "a", "a (2)", "a"].map(str::to_owned);
        let told_apart = distinct(names.into_iter(), in_brackets);
        assert_eq!(told_apart, ["a", "b", "a (3)", "a (2)", "a (4)"]);
    }

    #[test]
    fn a_number_has_no_digits_that_come_from_its_unit() {
        assert_eq!(rounded(0.000_000_154_125 * 1e9), 154.125);
        assert_eq!(rounded(0.1 + 0.2), 0.3);
        assert_eq!(rounded(0.0), 0.0);
    }
}
