//! Every run as a mark, with the distributions beside them.

use std::io;

use draw::runs::{MOST_ORDERED, RunFigure, RunMark, RunSeries, Trend};
use draw::{Axis, Chart, Estimate, Figure, Key};
use stats::describe::quantiles;

use crate::json::Runs;
use crate::pictures;
use findings::{Document, letter};
use model::metric::{MetricId, Source, WALL_TIME};
use model::note::Note;
use model::run::Run;
use words::quantity::{quantity, signed_percent};

/// The quantiles marked beside the middle: the ends that leave out a twentieth, and the quarters.
const QUANTILES: [f64; 4] = [0.05, 0.25, 0.75, 0.95];

/// The largest number of programs drawn side by side.
const MOST_SERIES: usize = 48;

/// The readings of judged runs in some metrics, by variant, in the order of running.
#[derive(Debug, Default)]
pub(crate) struct Readings {
    metrics: Vec<MetricId>,
    runs: Vec<Vec<Reading>>,
    count: usize,
}

#[derive(Debug)]
struct Reading {
    number: usize,
    round: u32,
    values: Vec<Option<f64>>,
    others: String,
}

impl Readings {
    pub(crate) fn from_runs(
        document: &Document,
        metrics: &[MetricId],
        runs: &mut Runs<'_>,
    ) -> io::Result<Self> {
        let mut readings = Self {
            metrics: metrics.to_vec(),
            runs: document.variants.iter().map(|_| Vec::new()).collect(),
            count: 0,
        };
        // Texts for millions of runs would fill the memory, and nobody could point at them.
        let is_worded =
            document.experiment.rounds as usize * document.variants.len() <= MOST_WORDED;
        runs(&mut |run| {
            // An incomplete round is kept but not judged. Histories renumber their rounds.
            let is_judged =
                document.history().is_some() || run.place.round < document.experiment.rounds;
            if run.place.source == Source::Run && !run.place.warmup && is_judged {
                readings.take(document, run, is_worded);
            }
            Ok(())
        })?;
        Ok(readings)
    }

    fn take(&mut self, document: &Document, run: &Run, is_worded: bool) {
        let value = |id: &MetricId| run.readings.get(&id.reading())?.clone().ok();
        let others = if is_worded { readings_in_words(document, run) } else { String::new() };
        let reading = Reading {
            number: self.count,
            round: run.place.round,
            values: self.metrics.iter().map(value).collect(),
            others,
        };
        self.count += 1;
        if let Some(of_variant) = self.runs.get_mut(run.place.variant as usize) {
            of_variant.push(reading);
        }
    }
}

/// The largest number of runs whose readings are all spelled out.
const MOST_WORDED: usize = 5000;

fn readings_in_words(document: &Document, run: &Run) -> String {
    let shown = run.readings.iter().filter(|(id, _)| document.shows(id));
    let lines = shown.filter_map(|(id, value)| {
        let value = value.as_ref().ok()?;
        Some(format!("\n{}: {}", words::label(id), quantity(*value, id.unit())))
    });
    lines.collect()
}

/// The runs of some variants in one metric; `None` if they have no value.
pub(crate) fn chart_of(
    document: &Document,
    readings: &Readings,
    id: &MetricId,
    variants: &[u32],
) -> Option<Chart> {
    let place = readings.metrics.iter().position(|one| one == id)?;
    let shown = &variants[..variants.len().min(MOST_SERIES)];
    let series: Vec<RunSeries> =
        shown.iter().filter_map(|variant| series(document, readings, place, *variant)).collect();
    let given =
        series.iter().flat_map(|one| &one.runs).filter_map(|run| Estimate::exact(run.value));
    let given: Vec<Estimate> = given.collect();
    if given.is_empty() {
        return None;
    }
    let left_out = variants.len() - shown.len();
    let note = match left_out {
        0 => String::new(),
        _ => format!("the first {} of {}", shown.len(), variants.len()),
    };
    let label = words::capitalised(words::label(id));
    let description = series.iter().map(|one| one.tooltip.replace('\n', "; ")).collect::<Vec<_>>();
    let figure = RunFigure {
        name: label.clone(),
        note,
        axis: Axis::from_points(&given, &pictures::along(id.unit())),
        series,
    };
    let order = if shown.len() <= MOST_ORDERED { "Every run, and how" } else { "How" };
    Some(Chart {
        title: format!("{order} the runs are distributed: {}", words::label(id)),
        subtitle: pictures::subtitle(document),
        description: description.join("\n"),
        figures: vec![Figure::Runs(figure)],
        keys: vec![(Key::Trend, "drift from the first run to the last, of a program that has one")],
    })
}

fn series(
    document: &Document,
    readings: &Readings,
    place: usize,
    variant: u32,
) -> Option<RunSeries> {
    let id = &readings.metrics[place];
    let last = readings.count.saturating_sub(1).max(1) as f64;
    let name = &document.variants.get(variant as usize)?.name;
    let short = short_name(document, variant);
    let mark = |reading: &Reading| {
        let value = reading.values[place]?;
        let (round, others) = (reading.round + 1, &reading.others);
        let tooltip = format!("{short}, round {round}{others}");
        Some(RunMark { when: reading.number as f64 / last, value, tooltip })
    };
    let runs: Vec<RunMark> = readings.runs.get(variant as usize)?.iter().filter_map(mark).collect();
    let values: Vec<f64> = runs.iter().map(|run| run.value).collect();
    let part = document.summary(variant, id, Source::Run);
    let centre = part.and_then(|part| pictures::of_summary(document, part));
    // Notes of a history belong to one of its experiments, but the runs to all of them.
    let notes = if document.history().is_some() { &[] } else { &document.notes[..] };
    let trend = trend(notes, id, variant, &values);
    let quantiles = quantiles(&values, &QUANTILES);
    let in_words = |value: &f64| quantity(*value, id.unit());
    let mut tooltip = format!("{short}  {name}\n{}", words::counted(values.len() as u64, "run"));
    if let Some(centre) = &centre {
        tooltip += &format!("\nin the middle: {}", pictures::estimate(centre, id.unit()));
    }
    if let [low, first, third, high] = quantiles.iter().map(in_words).collect::<Vec<_>>().as_slice()
    {
        tooltip += &format!("\nhalf of them: {first} to {third}\nnine of ten: {low} to {high}");
    }
    if let Some(trend) = &trend {
        tooltip += &format!("\ndrift: {}", trend.words);
    }
    (!runs.is_empty()).then_some(RunSeries { name: short, tooltip, runs, centre, quantiles, trend })
}

/// The noted drift of a variant's wall time, around the median.
fn trend(notes: &[Note], id: &MetricId, variant: u32, values: &[f64]) -> Option<Trend> {
    let noted = notes.iter().find_map(|note| match note {
        Note::Drift { variant: of, change, .. } if *of == variant => Some(*change),
        _ => None,
    });
    let change = noted.filter(|_| *id == WALL_TIME)?;
    let median = quantiles(values, &[0.5]).first().copied()?;
    let end = |sign: f64| median * (1.0 + sign * change / 2.0);
    Some(Trend { values: [end(-1.0), end(1.0)], words: signed_percent(change) })
}

/// A letter, or in a history the beginning of the commit's hash.
fn short_name(document: &Document, variant: u32) -> String {
    let labels = document.variants.get(variant as usize).map(|part| &part.labels);
    let hash = labels.and_then(|labels| labels.commit());
    hash.map_or_else(|| letter(variant), |hash| findings::short(hash).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::metric::PEAK_RSS;

    #[test]
    fn only_a_drift_that_is_noted_is_drawn_and_as_large_as_it_is() {
        let notes = [Note::Drift { variant: 1, change: -0.25, p_value: 1e-9 }];
        let values = [5.0, 4.0, 3.0];
        let found = trend(&notes, &WALL_TIME, 1, &values);
        assert_eq!(found, Some(Trend { values: [4.5, 3.5], words: "-25 %".to_owned() }));
        assert_eq!(trend(&notes, &WALL_TIME, 0, &values), None);
        assert_eq!(trend(&notes, &PEAK_RSS, 1, &values), None);
    }
}
