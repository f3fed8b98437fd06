//! CSV, in SI units: one line for each variant and metric, with its comparison; of a history one
//! for each commit.

use std::io::Write;

use findings::{Document, short};
use model::commission::Kind;
use model::metric::{MetricId, Source};

use super::history::{Shown, lesser_work, shown, summary};

/// The columns of variants and metrics.
const HEADER: &str = "variant name command metric source n mean sd median min \
    max median_low median_high outliers baseline ratio ratio_low ratio_high verdict rounds \
    parameters quantile quantile_low quantile_high difference difference_low difference_high";

/// Writes the table.
///
/// # Errors
///
/// When it cannot be written.
pub fn write(document: &Document, out: &mut dyn Write) -> Result<(), csv::Error> {
    match document.kind() {
        Kind::History => write_history(document, out),
        _ => write_summaries(document, out),
    }
}

fn write_summaries(document: &Document, out: &mut dyn Write) -> Result<(), csv::Error> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(HEADER.split(' '))?;
    for summary in &document.summaries {
        let variant = &document.variants[summary.variant as usize];
        let part = document.comparison(summary.variant, &summary.metric, summary.source);
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        // A ratio to 0 does not exist; the difference gives the size.
        let ratio = |value: f64| Some(value).filter(|value| value.is_finite());
        let difference = part.and_then(|part| part.difference);
        let labels: Vec<String> = variant
            .labels
            .by_name()
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        table.write_record([
            summary.variant.to_string(),
            variant.name.clone(),
            variant.command.clone(),
            summary.metric.to_string(),
            summary.source.word().to_owned(),
            summary.n.to_string(),
            summary.mean.to_string(),
            number(summary.sd),
            summary.median.to_string(),
            summary.min.to_string(),
            summary.max.to_string(),
            number(summary.low),
            number(summary.high),
            summary.outliers.to_string(),
            part.map(|part| part.baseline.to_string()).unwrap_or_default(),
            number(part.and_then(|part| ratio(part.ratio))),
            number(part.and_then(|part| ratio(part.low))),
            number(part.and_then(|part| part.high)),
            part.map(|part| part.verdict.word()).unwrap_or_default().to_owned(),
            part.map(|part| part.rounds.to_string()).unwrap_or_default(),
            labels.join(" "),
            number(summary.quantile.map(|quantile| quantile.value)),
            number(summary.quantile.and_then(|quantile| quantile.low)),
            number(summary.quantile.and_then(|quantile| quantile.high)),
            number(difference.map(|difference| difference.value)),
            number(difference.and_then(|difference| difference.low)),
            number(difference.and_then(|difference| difference.high)),
        ])?;
    }
    table.flush()?;
    Ok(())
}

/// Writes `commit;allocations;memory;time`, the format of the published series of measurements that
/// brisk grew out of, in bytes and seconds; a cell is empty if the whole work has no value. A suite
/// has a line for each commit and benchmark, with the benchmark's name after the commit.
fn write_history(document: &Document, out: &mut dyn Write) -> Result<(), csv::Error> {
    let mut table = csv::WriterBuilder::new().delimiter(b';').from_writer(out);
    let columns = history_columns(document);
    let is_suite = !document.histories().is_empty();
    let key = std::iter::once("commit").chain(is_suite.then_some("benchmark"));
    table.write_record(key.chain(columns.iter().map(|(name, _)| name.as_str())))?;
    if !is_suite {
        history_rows(document, &columns, &mut table)?;
    }
    for own in findings::benchmarks::each(document).iter() {
        history_rows(own, &columns, &mut table)?;
    }
    table.flush()?;
    Ok(())
}

/// The commits of a command's history, or of one benchmark's.
fn history_rows<W: Write>(
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
fn history_columns(document: &Document) -> Vec<(String, Option<Shown>)> {
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
