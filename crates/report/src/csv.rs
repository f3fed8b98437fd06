//! CSV: one line for each variant and metric, in SI units, with its comparison.

use std::io::Write;

use findings::Document;

const HEADER: [&str; 27] = [
    "variant",
    "name",
    "command",
    "metric",
    "source",
    "n",
    "mean",
    "sd",
    "median",
    "min",
    "max",
    "median_low",
    "median_high",
    "outliers",
    "baseline",
    "ratio",
    "ratio_low",
    "ratio_high",
    "verdict",
    "rounds",
    "parameters",
    "quantile",
    "quantile_low",
    "quantile_high",
    "difference",
    "difference_low",
    "difference_high",
];

/// Writes the table.
///
/// # Errors
///
/// When it cannot be written.
pub fn write(document: &Document, out: &mut dyn Write) -> Result<(), csv::Error> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(HEADER)?;
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
