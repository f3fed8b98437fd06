//! Readings as GHC's performance notes, and such notes as a series of values.

use std::collections::{BTreeMap, HashMap};

use ghc::performance_note::PerformanceNote;
use stats::describe::summarise;
use toolchains::series::Series;

use findings::MetricSummary;
use laboratory::archive;
use model::failure::Failure;
use model::host::MachineClass;
use model::spec::suite::commits::of_benchmark;
use prepare::{Addition, Noted, Notes, Repository};
use store::{ExperimentId, Store};

/// The readings of an experiment as lines of its commits, and the number of those left out because
/// they are only bounds.
///
/// # Errors
///
/// When the store cannot be read.
pub(super) fn lines(store: &Store, id: ExperimentId) -> Result<(Vec<Addition>, usize), Failure> {
    let experiment = archive::stored(store, id)?;
    let document = archive::own_document(store, id, &experiment)?;
    let environment = MachineClass::from(&document).name().to_owned();
    let project = experiment.commission.project;
    let project = project.rsplit('/').next().unwrap_or_default();
    let (mut lines, mut bounds) = (Vec::new(), 0);
    for (number, variant) in (0..).zip(&document.variants) {
        let Some(commit) = variant.labels.commit() else { continue };
        let test = variant.labels.benchmark_name();
        let test = test.map_or(project.to_owned(), |name| of_benchmark(project, name));
        let entry = |part: &MetricSummary| PerformanceNote {
            environment: environment.clone(),
            test: test.clone(),
            way: part.source.word().to_owned(),
            metric: part.metric.to_string(),
            value: document.figure(part),
        };
        let parts: Vec<&MetricSummary> = document.summaries_of(number).collect();
        bounds += parts.iter().filter(|part| part.at_most).count();
        let exact = parts.into_iter().filter(|part| !part.at_most);
        lines.extend(
            exact.map(|part| Addition { commit: commit.to_owned(), line: entry(part).line() }),
        );
    }
    Ok((lines, bounds))
}

/// True if a note has exactly this line.
pub(super) fn has_line(note: &[u8], line: &[u8]) -> bool {
    note.split(|byte| *byte == b'\n').any(|known| known == line)
}

/// The values in the notes of the commits.
#[derive(Debug)]
pub(super) struct Values {
    /// The first-parent commits with values, the oldest first.
    pub series: Series,
    /// The number of lines that are not values.
    pub others: usize,
    /// The number of commits with notes that are not in the series.
    pub elsewhere: usize,
    /// The number of values noted repeatedly for the same test; their mean is taken.
    pub repeated: usize,
}

/// Reads the notes of the commits reachable from `HEAD`.
///
/// # Errors
///
/// When git fails.
pub(super) fn values(repository: &Repository, notes: &Notes<'_>) -> Result<Values, Failure> {
    let mut all: HashMap<String, BTreeMap<String, Vec<f64>>> = HashMap::new();
    let mut others = 0;
    notes.for_each(&mut |Noted { commit, text }| -> Result<(), Failure> {
        let text = text.map_err(|why| Failure::new("cannot read a note").because(why))?;
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match PerformanceNote::read(line) {
                Some(entry) => {
                    let of_commit = all.entry(commit.clone()).or_default();
                    of_commit.entry(entry.name()).or_default().push(entry.value);
                }
                None => others += 1,
            }
        }
        Ok(())
    })?;
    let lineage =
        repository.ask(["log", "--first-parent", "--reverse", "--format=%H %s", "HEAD"])?;
    let lineage = String::from_utf8_lossy(&lineage).into_owned();
    let point = |line| {
        let (commit, subject) = str::split_once(line, ' ')?;
        Some(Point { commit, subject, values: all.remove(commit)? })
    };
    let points: Vec<Point<'_>> = lineage.lines().filter_map(point).collect();
    let repeated = points.iter().flat_map(|point| point.values.values());
    let repeated = repeated.map(|values| values.len() - 1).sum();
    Ok(Values { series: series(&points), others, elsewhere: all.len(), repeated })
}

/// A commit with values.
struct Point<'a> {
    commit: &'a str,
    subject: &'a str,
    values: BTreeMap<String, Vec<f64>>,
}

fn series(points: &[Point<'_>]) -> Series {
    let mut columns: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
    for (place, point) in points.iter().enumerate() {
        for (name, values) in &point.values {
            let column = columns.entry(name).or_insert_with(|| vec![None; points.len()]);
            column[place] = summarise(values).map(|summary| summary.mean);
        }
    }
    Series {
        labels: points.iter().map(|point| point.commit.to_owned()).collect(),
        times: None,
        subjects: Some(points.iter().map(|point| point.subject.to_owned()).collect()),
        metrics: columns.into_iter().map(|(name, values)| (name.to_owned(), values)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_has_a_gap_where_a_commit_has_no_value_and_the_mean_of_several() {
        let point = |commit, subject, values: &[(&str, &[f64])]| {
            let values =
                values.iter().map(|(name, values)| ((*name).to_owned(), values.to_vec())).collect();
            Point { commit, subject, values }
        };
        let series =
            series(&[point("a", "first", &[("x", &[1.0, 2.0])]), point("b", "", &[("y", &[3.0])])]);
        assert_eq!(series.labels, ["a", "b"]);
        assert_eq!(series.subjects, Some(vec!["first".to_owned(), String::new()]));
        let expected = [("x", [Some(1.5), None]), ("y", [None, Some(3.0)])];
        let expected = expected.map(|(name, values)| (name.to_owned(), values.to_vec()));
        assert_eq!(series.metrics, expected);
    }
}
