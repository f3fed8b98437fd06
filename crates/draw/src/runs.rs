//! Runs of several programs: each a mark in run order, and beside them the distribution of the
//! values of each program, over one vertical axis.

use super::axis::{Axis, Estimate};
use super::plot::{self, HEADER, Plot, SIZE, WIDTH};
use super::scene::{self, Element};
use super::shape::Path;
use super::text::{self, Anchor, Face, Label, Rect, one_line};

const HEIGHT: f64 = 260.0;
/// The maximum number of series drawn in run order: of more only the distributions are drawn.
pub const MOST_ORDERED: usize = 6;
/// The number of runs above which they have no tooltips, and smaller marks.
const MOST_MARKS: usize = 1500;
/// The maximum number of drawn runs: of more, only every second, every third and so on. The
/// distributions include all runs.
const MOST_DRAWN: usize = 6000;
/// The distance between the runs and their distributions.
const BETWEEN: f64 = 18.0;
/// The least and the largest width of a distribution.
const STRIP: [f64; 2] = [16.0, 90.0];
/// The width of all distributions if nothing is beside them.
const STRIPS: f64 = 900.0;
/// The minimum and maximum number of bins of a distribution.
const BINS: [usize; 2] = [8, 40];
const LONGEST_NAME: f64 = 170.0;
/// The space for a mark before a name.
const BESIDE_MARK: f64 = 12.0;
/// Half the width of an arrow to a value beyond the axis.
const BEYOND: f64 = 4.0;
/// The radius of marks, with room and without.
const RADIUS: [f64; 2] = [3.2, 1.6];

/// The classes of the series, which differ in colour; their marks differ in shape as well.
const CLASSES: [&str; MOST_ORDERED] =
    ["series s0", "series s1", "series s2", "series s3", "series s4", "series s5"];

/// Runs over the time of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFigure {
    /// The name of the values.
    pub name: String,
    /// The note beside the name.
    pub note: String,
    /// Their axis.
    pub axis: Axis,
    /// The programs, in the order of their names in the figure.
    pub series: Vec<RunSeries>,
}

/// The runs of one program.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSeries {
    /// Its short name.
    pub name: String,
    /// The tooltip of its distribution.
    pub tooltip: String,
    /// The runs.
    pub runs: Vec<RunMark>,
    /// The value that represents all of them, with its interval.
    pub centre: Option<Estimate>,
    /// Quantiles of the values, such as the lower quartile.
    pub quantiles: Vec<f64>,
    /// The trend of its values over the time of its runs.
    pub trend: Option<Trend>,
}

/// A line through the runs of one program, from the first to the last of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Trend {
    /// Its heights at both ends.
    pub values: [f64; 2],
    /// A short description.
    pub words: String,
}

/// A run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunMark {
    /// The time of the run: 0 for the first of all, 1 for the last.
    pub when: f64,
    /// Its value.
    pub value: f64,
    /// The tooltip.
    pub tooltip: String,
}

/// The figure with its top left corner at this position, and its bottom.
pub(crate) fn place(figure: &RunFigure, left: f64, top: f64) -> (Vec<Element>, f64) {
    let is_ordered = figure.series.len() <= MOST_ORDERED;
    let strip = (STRIPS / figure.series.len().max(1) as f64).clamp(STRIP[0], STRIP[1]);
    let ordered = if is_ordered { WIDTH - 80.0 } else { 0.0 };
    let gap = if is_ordered { BETWEEN } else { 0.0 };
    let right = left + ordered + gap + strip * figure.series.len() as f64;
    let (top, bottom) = (top + HEADER, top + HEADER + HEIGHT);
    let plot = Plot { place: Rect { left, top, right, bottom }, vertical: &figure.axis };
    let mut elements = plot.ground().concat();
    let header = [left, right.max(left + WIDTH), top - HEADER];
    let every = every(figure);
    let drawn = match every {
        2.. if is_ordered => format!("one run of {every} is drawn; the distributions are of all"),
        _ => String::new(),
    };
    let notes = [&drawn, &figure.note].into_iter().filter(|note| !note.is_empty());
    let note = notes.map(String::as_str).collect::<Vec<_>>().join("; ");
    elements.extend(plot::header(&figure.name, &note, "", header));
    if is_ordered {
        elements.extend(marks(figure, plot, left + 6.0, ordered - 12.0));
        elements.extend(trends(figure, plot, left + 6.0, ordered - 12.0));
        let words = Label::words(
            "runs, in their order".to_owned(),
            SIZE,
            left + ordered / 2.0,
            bottom + 17.0,
            "name",
        );
        elements.push(words.anchored(Anchor::Middle).into());
    }
    let mut lowest = bottom + 20.0;
    for (index, series) in figure.series.iter().enumerate() {
        let from = left + ordered + gap + strip * index as f64;
        let place = Rect { left: from, top, right: from + strip, bottom };
        elements.push(distribution(figure, index, plot, place));
        let named = name(series, is_ordered.then_some(index), place);
        let labels = scene::labels(&named);
        lowest = labels.iter().map(|label| label.bounds().bottom + 2.0).fold(lowest, f64::max);
        elements.extend(named);
    }
    (elements, lowest)
}

fn count(figure: &RunFigure) -> usize {
    figure.series.iter().map(|series| series.runs.len()).sum()
}

/// The divisor of the number of drawn runs: one in this number is drawn.
fn every(figure: &RunFigure) -> usize {
    count(figure).div_ceil(MOST_DRAWN).max(1)
}

/// The name below a distribution, behind the mark of its runs if they are drawn.
fn name(series: &RunSeries, marked: Option<usize>, place: Rect) -> Vec<Element> {
    let (x, below) = (place.middle().0, place.bottom);
    let taken = if marked.is_some() { BESIDE_MARK } else { 0.0 };
    let name = plot::cut(&series.name, LONGEST_NAME - taken);
    let width = text::width(&name, Face::Sans, SIZE);
    let label = match width + taken + 4.0 <= place.width() {
        true => {
            Label::words(name, SIZE, x + taken / 2.0, below + 17.0, "name").anchored(Anchor::Middle)
        }
        false => Label::words(name, SIZE, x, below + 7.0, "name").down(),
    };
    let mark = marked.map(|index| {
        let middle = x - (width + taken) / 2.0 + RADIUS[0];
        Element::path(CLASSES[index], [mark(index, middle, below + 13.0, RADIUS[0])])
    });
    mark.into_iter().chain([label.into()]).collect()
}

/// A mark for every run; too many marks have no tooltips.
fn marks(figure: &RunFigure, plot: Plot<'_>, left: f64, width: f64) -> Vec<Element> {
    let is_dense = count(figure) > MOST_MARKS;
    let every = every(figure);
    let radius = RADIUS[usize::from(is_dense)];
    let of = |(index, series): (usize, &RunSeries)| -> Vec<Element> {
        let outline = |run: &RunMark| {
            let (x, y) = (left + run.when * width, plot.y(run.value));
            match beyond(figure, run.value) {
                false => mark(index, x, y, radius),
                true => toward_edge(x, y, plot.place),
            }
        };
        if is_dense {
            let drawn = series.runs.iter().step_by(every);
            return vec![Element::path(CLASSES[index], drawn.map(outline))];
        }
        let group = |run: &RunMark| {
            let target = Rect::around(left + run.when * width, plot.y(run.value), radius + 2.0);
            let elements =
                vec![Element::path(CLASSES[index], [outline(run)]), Element::Target(target)];
            Element::group("point", &run.tooltip, elements)
        };
        series.runs.iter().map(group).collect()
    };
    figure.series.iter().enumerate().flat_map(of).collect()
}

/// True if a value lies beyond the ends of the axis.
fn beyond(figure: &RunFigure, value: f64) -> bool {
    value < figure.axis.low || value > figure.axis.high
}

/// A small arrow at the edge beyond which a value lies.
fn toward_edge(x: f64, y: f64, place: Rect) -> Path {
    let inward = if y > place.middle().1 { -1.0 } else { 1.0 };
    let base = y + inward * 2.0 * BEYOND;
    Path::polygon(&[(x, y), (x - BEYOND, base), (x + BEYOND, base)])
}

/// The lines of series that have one, each with its name and words above its higher end.
fn trends(figure: &RunFigure, plot: Plot<'_>, left: f64, width: f64) -> Vec<Element> {
    let mut elements = Vec::new();
    for series in &figure.series {
        let (Some(trend), Some(first), Some(last)) =
            (&series.trend, series.runs.first(), series.runs.last())
        else {
            continue;
        };
        let ends = [(first, trend.values[0]), (last, trend.values[1])];
        let [from, to] = ends.map(|(run, value)| (left + run.when * width, plot.y(value)));
        elements.push(Element::lines("trend", [[from.0, from.1, to.0, to.1]]));
        let words = one_line(&format!("{}: {}", series.name, trend.words));
        let label = match to.1 <= from.1 {
            true => Label::words(words, SIZE, to.0, to.1 - 9.0, "named").anchored(Anchor::End),
            false => Label::words(words, SIZE, from.0, from.1 - 9.0, "named"),
        };
        elements.push(label.into());
    }
    elements
}

/// A mark with a separate shape for each series, distinct without colour.
fn mark(series: usize, x: f64, y: f64, reach: f64) -> Path {
    let (left, right, top, bottom) = (x - reach, x + reach, y - reach, y + reach);
    match series {
        0 => Path::circle(x, y, reach),
        1 => Path::polygon(&[(x, top), (right, y), (x, bottom), (left, y)]),
        2 => Path::polygon(&[(x, top), (right, bottom), (left, bottom)]),
        3 => Path::polygon(&[(left, top), (right, top), (right, bottom), (left, bottom)]),
        4 => Path::polygon(&[(left, top), (right, top), (x, bottom)]),
        _ => Path::polygon(&[
            (x - reach / 2.5, top),
            (x + reach / 2.5, top),
            (x + reach / 2.5, bottom),
            (x - reach / 2.5, bottom),
        ]),
    }
}

/// The distribution of the values, with the one that represents all.
fn distribution(figure: &RunFigure, index: usize, plot: Plot<'_>, place: Rect) -> Element {
    let series = &figure.series[index];
    let (middle, half) = (place.middle().0, 0.42 * place.width());
    let level = |value: f64, reach: f64| {
        let y = plot.y(value);
        [middle - reach, y, middle + reach, y]
    };
    let centre = series.centre.iter();
    let interval = centre.clone().map(|one| {
        Path::rect(Rect {
            left: middle - 0.6 * half,
            top: plot.y(one.high),
            right: middle + 0.6 * half,
            bottom: plot.y(one.low),
        })
    });
    let class = CLASSES[index % MOST_ORDERED];
    let elements = vec![
        Element::path(class, [outline(figure, series, plot, [middle, half])]),
        Element::lines("quantile", series.quantiles.iter().map(|value| level(*value, 0.35 * half))),
        Element::path("interval", interval),
        Element::path("cut", centre.clone().flat_map(|one| plot.cuts(middle, one))),
        Element::lines("centre", centre.map(|one| level(one.value, 0.8 * half))),
        Element::Target(place),
    ];
    Element::group("point", &series.tooltip, elements)
}

/// The counts of equal parts of the range as an outline, whose width is the count; of the values
/// within the axis.
fn outline(
    figure: &RunFigure,
    series: &RunSeries,
    plot: Plot<'_>,
    [middle, half]: [f64; 2],
) -> Path {
    let values = || series.runs.iter().map(|run| run.value).filter(|value| !beyond(figure, *value));
    let (least, most) =
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    if least > most {
        return Path::default();
    }
    let (bottom, top) = (plot.y(least), plot.y(most));
    let bins = (2.0 * (series.runs.len() as f64).sqrt()) as usize;
    let bins = bins.clamp(BINS[0], BINS[1]);
    let bin = |value: f64| {
        let share = (bottom - plot.y(value)) / (bottom - top).max(f64::MIN_POSITIVE);
        ((share * bins as f64) as usize).min(bins - 1)
    };
    let mut counts = vec![0_usize; bins];
    values().for_each(|value| counts[bin(value)] += 1);
    let largest = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let step = ((bottom - top) / bins as f64).max(1.0 / bins as f64);
    let side = |sign: f64| {
        counts.iter().enumerate().flat_map(move |(place, count)| {
            let x = middle + sign * (*count as f64 / largest).sqrt() * half;
            [(x, bottom - place as f64 * step), (x, bottom - (place + 1) as f64 * step)]
        })
    };
    let mut corners: Vec<(f64, f64)> = side(1.0).collect();
    corners.extend(side(-1.0).collect::<Vec<_>>().into_iter().rev());
    Path::polygon(&corners)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{self, all};

    fn figure(series: usize, runs: usize) -> RunFigure {
        let mark = |number: usize| RunMark {
            when: number as f64 / (runs - 1) as f64,
            value: 1.0 + (number % 4) as f64 / 2.0,
            tooltip: format!("run {number}"),
        };
        let one = |number: usize| RunSeries {
            name: format!("series {number}"),
            tooltip: format!("all of {number}"),
            runs: (0..runs).map(mark).collect(),
            centre: Estimate::new(1.5, 1.25, 2.0),
            quantiles: vec![1.0, 2.5],
            trend: (number == 0).then(|| Trend { values: [1.0, 2.0], words: "+67 %".into() }),
        };
        let axis = Axis::from_zero(4.0, &|value, _| value.to_string());
        RunFigure {
            name: "time".into(),
            note: String::new(),
            axis,
            series: (0..series).map(one).collect(),
        }
    }

    #[test]
    fn every_run_of_a_few_series_can_be_pointed_at_and_lies_as_high_as_its_value() {
        let (elements, bottom) = place(&figure(2, 20), 40.0, 0.0);
        let points: Vec<&Element> =
            all(&elements).into_iter().filter(|one| one.has_class("point")).collect();
        // Each run, and each distribution.
        assert_eq!(points.len(), 2 * 20 + 2);
        // The axis goes from 0 to 4 over the height of the plot.
        let centres: Vec<f64> = points[..4]
            .iter()
            .map(|point| {
                point.all()[1].outlines().and_then(Path::bounds).expect("drawn").middle().1
            })
            .collect();
        for (centre, value) in centres.iter().zip([1.0, 1.5, 2.0, 2.5]) {
            let expected = HEADER + HEIGHT * (1.0 - value / 4.0);
            assert!((centre - expected).abs() < 1e-9, "{centre} for {value}");
        }
        assert!(bottom > HEADER + HEIGHT);
    }

    #[test]
    fn a_run_beyond_the_axis_is_an_arrow_at_its_edge_and_not_in_the_distribution() {
        let outline = |figure: &RunFigure| {
            let (elements, _) = place(figure, 40.0, 0.0);
            let strips = scene::all(&elements).into_iter().filter(|one| one.has_class("s0"));
            strips.filter_map(|one| one.outlines().and_then(Path::bounds)).next_back()
        };
        let usual = figure(1, 20);
        let mut far = usual.clone();
        far.series[0].runs[19].value = 90.0;
        let before = outline(&usual).expect("drawn");
        let after = outline(&far).expect("drawn");
        assert_eq!((before.top, before.bottom), (after.top, after.bottom));
        let (elements, _) = place(&far, 40.0, 0.0);
        let marks = scene::all(&elements).into_iter().filter(|one| one.has_class("s0"));
        let arrow = marks.filter_map(|one| one.outlines().and_then(Path::bounds)).nth(19);
        let arrow = arrow.expect("the last run");
        assert_eq!((arrow.top, arrow.bottom), (HEADER, HEADER + 2.0 * BEYOND));
    }

    #[test]
    fn a_trend_goes_from_the_first_run_to_the_last_and_says_how_much() {
        let (elements, _) = place(&figure(2, 20), 40.0, 0.0);
        let of = |class: &str| -> Vec<Rect> {
            let those = all(&elements).into_iter().filter(|one| one.has_class(class));
            those.filter_map(|one| one.outlines().and_then(Path::bounds)).collect()
        };
        let [line] = of("trend")[..] else { panic!("one has a trend") };
        let runs = of("s0");
        let (first, last) = (runs[0].middle().0, runs[19].middle().0);
        assert_eq!((line.left, line.right), (first, last));
        assert_eq!(line.height(), HEIGHT / 4.0);
        assert!(scene::labels(&elements).iter().any(|label| label.text == "series 0: +67 %"));
        // Without the order, the trend is not drawn either.
        let (elements, _) = place(&figure(9, 20), 40.0, 0.0);
        assert!(!all(&elements).iter().any(|one| one.has_class("trend")));
    }

    #[test]
    fn of_many_series_only_the_distributions_are_drawn_beside_each_other() {
        let (elements, _) = place(&figure(9, 20), 40.0, 0.0);
        let all = all(&elements);
        assert_eq!(all.iter().filter(|one| one.has_class("point")).count(), 9);
        let lefts =
            all.iter().filter(|one| one.has_class("interval")).filter_map(|one| one.outlines());
        let lefts: Vec<f64> = lefts.filter_map(Path::bounds).map(|place| place.left).collect();
        assert!(lefts.len() == 9 && lefts.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn so_many_runs_that_nobody_could_point_at_one_are_still_drawn() {
        let (elements, _) = place(&figure(2, 2000), 40.0, 0.0);
        let all = all(&elements);
        assert_eq!(all.iter().filter(|one| one.has_class("point")).count(), 2);
        let drawn = all.iter().filter(|one| one.has_class("s1")).filter_map(|one| one.outlines());
        // Diamonds have four corners.
        assert_eq!(drawn.map(|path| path.corners().len()).max(), Some(4 * 2000));
        // Of very many runs only a part is drawn, with a note.
        let (elements, _) = place(&figure(2, 9000), 40.0, 0.0);
        let drawn = scene::all(&elements)
            .into_iter()
            .filter(|one| one.has_class("s1"))
            .filter_map(|one| one.outlines());
        assert_eq!(drawn.map(|path| path.corners().len()).max(), Some(4 * 3000));
        let said = scene::labels(&elements);
        assert!(said.iter().any(|label| label.text.starts_with("one run of 3 is drawn")));
    }
}
