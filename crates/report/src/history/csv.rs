//! One line for each commit, separated by semicolons: `commit;allocations;memory;time`.
//!
//! The format of the published series of measurements that brisk grew out of, in bytes and seconds;
//! a cell is empty if the whole work has no value. A suite has a line for each commit and
//! benchmark, with the benchmark's name after the commit.

use std::io::Write;

use super::{Shown, lesser_work, shown, summary};
use findings::Document;
use findings::short;
use model::metric::{MetricId, Source};

/// Writes the table.
///
/// # Errors
///
/// When it cannot be written.
pub fn write(document: &Document, out: &mut dyn Write) -> Result<(), csv::Error> {
    let mut table = csv::WriterBuilder::new().delimiter(b';').from_writer(out);
    let columns = columns(document);
    let is_suite = !document.histories().is_empty();
    let key = std::iter::once("commit").chain(is_suite.then_some("benchmark"));
    table.write_record(key.chain(columns.iter().map(|(name, _)| name.as_str())))?;
    if !is_suite {
        rows(document, &columns, &mut table)?;
    }
    for own in findings::benchmarks::each(document).iter() {
        rows(own, &columns, &mut table)?;
    }
    table.flush()?;
    Ok(())
}

/// The commits of a command's history, or of one benchmark's.
fn rows<W: Write>(
    document: &Document,
    columns: &[(String, Option<Shown>)],
    table: &mut csv::Writer<W>,
) -> Result<(), csv::Error> {
    let benchmark = document.histories().first().map(|history| history.benchmark.clone());
    for commit in document.commits().iter() {
        let cell = |shown: &Option<Shown>| {
            let (variant, shown) = (commit.variant?, shown.as_ref()?);
            // The cost of a part of the work is not a figure of the whole.
            let is_whole = lesser_work(document, variant, &shown.id).is_none();
            let part = summary(document, variant, shown).filter(|_| is_whole)?;
            Some(document.figure(part).to_string())
        };
        let cells = columns.iter().map(|(_, shown)| cell(shown).unwrap_or_default());
        let key = std::iter::once(short(&commit.hash).to_owned()).chain(benchmark.clone());
        table.write_record(key.chain(cells))?;
    }
    Ok(())
}

/// The columns with their content; the usual ones are present even without readings.
fn columns(document: &Document) -> Vec<(String, Option<Shown>)> {
    let shown = shown(document);
    if document.experiment.metrics.is_some() {
        return shown.into_iter().map(|one| (id(&one.id, one.source), Some(one))).collect();
    }
    ["allocations", "memory", "time"]
        .map(|name| (name.to_owned(), shown.iter().find(|one| one.name == name).cloned()))
        .into()
}

fn id(id: &MetricId, source: Source) -> String {
    match source {
        Source::Run => id.to_string(),
        source => format!("{id} ({})", source.word()),
    }
}
