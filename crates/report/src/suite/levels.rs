//! The benchmarks of one program: the time of each in all its processes, beside its middle.

use draw::forest::{ForestFigure, ForestRow};
use draw::{Axis, Chart, Estimate, Figure};
use findings::{Document, SuiteBenchmark};
use model::metric::{MetricId, Source, Unit};
use words::quantity::quantity;

use crate::json::Runs;
use crate::pictures::runs::Readings;
use crate::pictures::{along, estimate, of_summary, subtitle};

/// The largest number of benchmarks drawn; the table has all of them.
const MOST_ROWS: usize = 120;

/// The benchmarks of a single program; `None` of several programs, or without values.
pub(crate) fn chart(document: &Document, runs: &mut Runs<'_>) -> std::io::Result<Option<Chart>> {
    let Some(suite) = document.suite().filter(|suite| suite.programs.len() == 1) else {
        return Ok(None);
    };
    let id = document.main_metric();
    let readings = Readings::from_runs(document, std::slice::from_ref(&id), runs)?;
    let row = |benchmark: &SuiteBenchmark| row(document, &readings, &id, benchmark);
    let all = suite.benchmarks.len();
    let rows: Vec<ForestRow> = suite.benchmarks.iter().filter_map(row).take(MOST_ROWS).collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let shown = rows.iter().flat_map(|row| {
        let ends = [row.ratio.low, row.ratio.high].into_iter().chain(row.values.iter().copied());
        ends.filter(|end| end.is_finite()).filter_map(Estimate::exact)
    });
    let across = Axis::from_points(&shown.collect::<Vec<_>>(), &along(Unit::Ratio));
    let note = match rows.len() < all {
        true => format!("{} of {all} benchmarks", rows.len()),
        false => String::new(),
    };
    let description = rows.iter().map(|row| row.tooltip.clone()).collect::<Vec<_>>().join("\n");
    let figure = ForestFigure {
        name: words::capitalised(&words::label(&id)),
        note,
        across,
        measured: "each process (dots) and the interval of the middle, by the middle".to_owned(),
        equal: Some(1.0),
        rows,
    };
    Ok(Some(Chart {
        title: format!("The benchmarks of {}", suite.programs[0].name),
        subtitle: subtitle(document),
        description,
        figures: vec![Figure::Forest(figure)],
        keys: Vec::new(),
    }))
}

fn row(
    document: &Document,
    readings: &Readings,
    id: &MetricId,
    benchmark: &SuiteBenchmark,
) -> Option<ForestRow> {
    let variant = benchmark.variants.first().copied().flatten()?;
    let summary = document.summary(variant, id, Source::Run)?;
    let centre = of_summary(document, summary).filter(|one| one.value > 0.0)?;
    let by_centre = |value: f64| value / centre.value;
    let values = readings.values(variant, id).into_iter().map(by_centre).collect();
    let sd = summary.sd.map(|sd| format!(" ± {}", quantity(sd, id.unit())));
    let name = benchmark.name.clone();
    let tooltip = format!(
        "{name}\nin the middle: {}\n{}",
        estimate(&centre, id.unit()),
        words::counted(summary.n as u64, "run")
    );
    Some(ForestRow {
        ratio: Estimate::new(1.0, by_centre(centre.low), by_centre(centre.high))?,
        is_better: None,
        values,
        words: format!("{}{}", quantity(centre.value, id.unit()), sd.unwrap_or_default()),
        tooltip,
        name,
    })
}
