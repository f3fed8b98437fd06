//! Every run as a mark, with the distributions beside them.

use std::io;

use draw::runs::{MOST_ORDERED, RunFigure, RunMark, RunSeries, Trend};
use draw::{Axis, Chart, Estimate, Figure, Key};
use stats::describe::{quantiles, usual_range};

use crate::json::Runs;
use crate::pictures;
use findings::{Document, letter};
use model::metric::{MetricId, Source, WALL_TIME};
use model::note::Note;
use model::run::Run;
use words::names;
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

    /// The values of a variant in one of the metrics, in the order of running.
    pub(crate) fn values(&self, variant: u32, id: &MetricId) -> Vec<f64> {
        let Some(place) = self.metrics.iter().position(|one| one == id) else { return Vec::new() };
        let its = self.runs.get(variant as usize).into_iter().flatten();
        its.filter_map(|reading| reading.values[place]).collect()
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
    let values: Vec<Vec<f64>> =
        series.iter().map(|one| one.runs.iter().map(|run| run.value).collect()).collect();
    let [low, high] = span(&values)?;
    let within = |value: &&f64| (low..=high).contains(*value);
    let beyond: Vec<f64> = values.iter().flatten().filter(|one| !within(one)).copied().collect();
    let given = values.iter().flatten().filter(within).filter_map(|value| Estimate::exact(*value));
    let given: Vec<Estimate> = given.collect();
    let left_out = variants.len() - shown.len();
    let first = (left_out > 0).then(|| format!("the first {} of {}", shown.len(), variants.len()));
    let far = farthest(&beyond, [low, high]).map(|farthest| {
        let runs = words::counted(beyond.len() as u64, "run");
        let lie = if beyond.len() == 1 { "lies" } else { "lie" };
        format!("{runs} {lie} beyond this axis, as far as {}", quantity(farthest, id.unit()))
    });
    let note = first.into_iter().chain(far).collect::<Vec<_>>().join("; ");
    let label = words::capitalised(&words::label(id));
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
        keys: vec![
            (Key::Interval, "the middle of all runs, and its interval"),
            (Key::Quantile, "a quarter, and a twentieth, of the runs lie beyond"),
            (Key::Cut, "the interval goes on beyond the axis"),
            (Key::Trend, "drift from the first run to the last, of a program that has one"),
        ],
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
    let short = drawn_name(document, variant, &names::short_name(document, variant));
    let is_commit = document.variants[variant as usize].labels.commit().is_some();
    let whole = if is_commit { name.clone() } else { drawn_name(document, variant, name) };
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
    let mut tooltip = format!("{whole}\n{}", words::counted(values.len() as u64, "run"));
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

/// A command's letter and name, or in a history the beginning of the commit's hash.
fn drawn_name(document: &Document, variant: u32, name: &str) -> String {
    let labels = document.variants.get(variant as usize).map(|part| &part.labels);
    match (labels.and_then(|labels| labels.commit()), document.variants.len()) {
        (Some(hash), _) => findings::short(hash).to_owned(),
        (None, 1) => name.to_owned(),
        (None, _) => format!("{}  {name}", letter(variant)),
    }
}

/// An axis shows all runs unless their range is this many times that of the usual ones: few of
/// another kind would leave the others a line. Arbitrary within a factor of two.
const MOST_SPAN: f64 = 3.0;
/// The range of runs that are all alike, as a fraction of them.
const LEAST_SPAN: f64 = 0.02;

/// The range of the drawn values of several programs: of all, or of the usual ones of each, within
/// Tukey's outer fences. `None` without values.
fn span(values: &[Vec<f64>]) -> Option<[f64; 2]> {
    let union = |[low, high]: [f64; 2], [a, b]: [f64; 2]| [low.min(a), high.max(b)];
    let all = values.iter().flatten().map(|value| [*value; 2]).reduce(union)?;
    let usual = values.iter().filter_map(|values| usual_range(values)).reduce(union)?;
    let width = |[low, high]: [f64; 2]| high - low;
    let least = LEAST_SPAN * usual[1].abs();
    Some(if width(all) > MOST_SPAN * width(usual).max(least) { usual } else { all })
}

/// The value that lies farthest beyond a range.
fn farthest(beyond: &[f64], [low, high]: [f64; 2]) -> Option<f64> {
    let distance = |value: &f64| (low - value).max(value - high);
    beyond.iter().copied().max_by(|a, b| distance(a).total_cmp(&distance(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::metric::PEAK_RSS;

    #[test]
    fn few_runs_of_another_kind_do_not_flatten_the_others() {
        let usual: Vec<f64> = (0..40).map(|n| 1.0 + f64::from(n % 5) / 100.0).collect();
        assert_eq!(span(std::slice::from_ref(&usual)), Some([1.0, 1.04]));
        let with = |others: &[f64]| [usual.as_slice(), others].concat();
        // One in forty took a hundred times as long.
        assert_eq!(span(&[with(&[100.0])]), Some([1.0, 1.04]));
        assert_eq!(farthest(&[0.5, 100.0], [1.0, 1.04]), Some(100.0));
        // Some spread, and another program of another size, belong on the axis.
        assert_eq!(span(&[with(&[1.1])]), Some([1.0, 1.1]));
        let slow = usual.iter().map(|value| value * 50.0).collect::<Vec<_>>();
        assert_eq!(span(&[usual.clone(), slow]), Some([1.0, 52.0]));
        assert_eq!(span(&[Vec::new()]), None);
    }

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
