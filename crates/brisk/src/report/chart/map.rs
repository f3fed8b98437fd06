//! One objective over two parameters: a cell for each point, coloured by its ratio to what the
//! points are compared with.
//!
//! The parameter with more values runs across. Colours are even steps of the ratio's logarithm: twice
//! as much is as far from the same as half as much.

use super::colour::Colour;
use super::panel::{self, HEADER, WIDTH};
use super::shape::{LARGE, Shape};
use super::spacing::{Spacing, thinned};
use super::{Chart, Estimate, Point, Standing};
use crate::metric::Unit;
use crate::report::graph::label::{Anchor, Label, Rect};
use crate::report::graph::layout::SIZE;
use crate::report::graph::text::{self, Face, one_line};
use crate::report::quantity::scale_for;

/// A cell is at least and at most so wide.
const CELL_WIDTH: [f64; 2] = [2.0, 84.0];
/// And so high.
const CELL_HEIGHT: [f64; 2] = [2.0, 30.0];
/// The height that cells share as long as they keep to that.
const HEIGHT: f64 = 330.0;
/// The labels of values are cut to this length.
const LONGEST: f64 = 120.0;
/// From the map to the bar of colours.
const BAR_GAP: f64 = 26.0;
/// The width of the bar of colours.
const BAR_WIDTH: f64 = 13.0;
/// The bar is at least so high, that it can be read.
const SHORTEST_BAR: f64 = 90.0;
/// Where all values are the same, the scale still covers this factor both ways.
const LEAST_FACTOR: f64 = 1.01;

/// A map in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct MapLayout {
    /// Where the cells are.
    pub plot: Rect,
    /// The name and what is said beside it.
    pub header: Vec<Label>,
    /// The values of both parameters, as far as there is room, and their names.
    pub ticks: Vec<Label>,
    /// The cells, in the order of the chart's points.
    pub cells: Vec<Cell>,
    /// What the colours mean; none where no point was read.
    pub bar: Option<Bar>,
    /// Where everything ends below.
    pub bottom: f64,
}

/// A point's cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The number of the point.
    pub point: usize,
    /// Its place.
    pub place: Rect,
    /// Its colour; none without a value.
    pub colour: Option<Colour>,
    /// The value, where there is room.
    pub value: Option<Label>,
    /// Its mark and that mark's middle: of a role, or of why there is no value.
    pub mark: Option<(Shape, f64, f64)>,
}

/// The bar of colours, from the smallest ratio below to the largest above.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Its place.
    pub place: Rect,
    /// The ratios that are written beside it.
    pub ticks: Vec<Label>,
}

/// Which of the two parameters runs across, and which down.
fn directions(chart: &Chart) -> (usize, usize) {
    let values = |index: usize| chart.parameters[index].values.len();
    if values(1) > values(0) { (1, 0) } else { (0, 1) }
}

/// How wide the labels to the left of a map are.
pub(super) fn left(chart: &Chart) -> f64 {
    let parameter = &chart.parameters[directions(chart).1];
    let texts = parameter.values.iter().chain([&parameter.name]);
    texts
        .map(|text| text::width(&one_line(text), Face::Sans, SIZE))
        .fold(0.0, f64::max)
        .min(LONGEST)
}

/// The ratios of the cells to what they are compared with.
struct Ratios {
    base: f64,
    /// Whether that is the first point; or else the smallest value.
    is_first: bool,
    low: f64,
    high: f64,
}

impl Ratios {
    fn of(chart: &Chart, objective: usize) -> Option<Self> {
        let value = |point: &Point| point.shown(objective).map(|estimate| estimate.value);
        let in_cells = || {
            let cells = chart.points.iter().filter(|point| point.at.is_some());
            cells.filter_map(value).filter(|value| *value > 0.0)
        };
        let least = in_cells().fold(f64::INFINITY, f64::min);
        let most = in_cells().fold(0.0, f64::max);
        let first = chart.points.first().and_then(value).filter(|value| *value > 0.0);
        let base = first.unwrap_or(least);
        let (low, high) = (least / base, most / base);
        let (low, high) = if high / low < LEAST_FACTOR * LEAST_FACTOR {
            let middle = (low * high).sqrt();
            (middle / LEAST_FACTOR, middle * LEAST_FACTOR)
        } else {
            (low, high)
        };
        (most > 0.0).then_some(Self { base, is_first: first.is_some(), low, high })
    }

    /// How far up the scale a value is, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        ((value / self.base / self.low).ln() / (self.high / self.low).ln()).clamp(0.0, 1.0)
    }
}

/// The map of one objective from `top` on.
pub(super) fn place(chart: &Chart, objective: usize, (left, top): (f64, f64)) -> MapLayout {
    let (across, down) = directions(chart);
    let counts = [across, down].map(|index| chart.parameters[index].values.len().max(1) as f64);
    let size = [
        (WIDTH / counts[0]).clamp(CELL_WIDTH[0], CELL_WIDTH[1]),
        (HEIGHT / counts[1]).clamp(CELL_HEIGHT[0], CELL_HEIGHT[1]),
    ];
    let top = top + HEADER;
    let (right, bottom) = (left + counts[0] * size[0], top + counts[1] * size[1]);
    let plot = Rect { left, top, right, bottom };
    let ratios = Ratios::of(chart, objective);
    let columns = [across, down].map(|index| Spacing::of(&chart.parameters[index].values).order);
    let cells = chart.points.iter().enumerate().filter_map(|(number, point)| {
        let at = point.at.as_ref()?;
        let column = columns[0].iter().position(|value| *value == at[across])? as f64;
        let row = columns[1].iter().rev().position(|value| *value == at[down])? as f64;
        let (left, top) = (plot.left + column * size[0], plot.top + row * size[1]);
        let place = Rect { left, top, right: left + size[0], bottom: top + size[1] };
        let unit = chart.objectives[objective].unit;
        Some(cell((number, point), (point.shown(objective), unit), place, ratios.as_ref()))
    });
    let cells: Vec<Cell> = cells.collect();
    let ticks = ticks(chart, plot, size, &columns);
    let bottom = ticks.iter().map(|tick| tick.bounds().bottom).fold(plot.bottom, f64::max);
    let bar = ratios.as_ref().map(|ratios| bar(ratios, plot));
    let bar_bottom = bar.as_ref().map_or(bottom, |bar| bar.place.bottom + 6.0);
    let header = panel::header(
        &chart.objectives[objective].name,
        &note(chart, ratios.as_ref(), chart.objectives[objective].unit),
        plot,
    );
    MapLayout { plot, header, ticks, cells, bar, bottom: bottom.max(bar_bottom) }
}

fn note(chart: &Chart, ratios: Option<&Ratios>, unit: Unit) -> String {
    match ratios {
        Some(ratios) if ratios.is_first => {
            let base = short(ratios.base, unit);
            format!("colour: ratio to {} ({base}), logarithmic", chart.reference)
        }
        Some(_) => "colour: ratio to the smallest, logarithmic".to_owned(),
        None => "no readings".to_owned(),
    }
}

fn cell(
    (number, point): (usize, &Point),
    (estimate, unit): (Option<Estimate>, Unit),
    place: Rect,
    ratios: Option<&Ratios>,
) -> Cell {
    let colour = estimate.zip(ratios).map(|(one, ratios)| Colour::of(ratios.share(one.value)));
    let mark = mark(point, estimate.is_some(), place);
    let value = estimate.zip(colour).and_then(|(one, colour)| {
        let sign = if one.is_bound { "≤ " } else { "" };
        let text = format!("{sign}{}", short(one.value, unit));
        let class = if colour.is_light() { "on-light" } else { "on-dark" };
        let (x, y) = ((place.left + place.right) / 2.0, (place.top + place.bottom) / 2.0);
        let taken = mark.map_or(place.left + 3.0, |(_, x, _)| x + LARGE + 2.0);
        let middle = Label::words(text, SIZE, x, y, class).anchored(Anchor::Middle).centred();
        let label = match middle.bounds().left < taken {
            true => Label { x: place.right - 4.0, ..middle }.anchored(Anchor::End),
            false => middle,
        };
        (label.bounds().left >= taken && place.height() >= 13.0).then_some(label)
    });
    Cell { point: number, place, colour, value, mark }
}

/// The mark of a cell, in its middle where there is no value, else at its left edge.
fn mark(point: &Point, has_value: bool, place: Rect) -> Option<(Shape, f64, f64)> {
    let y = (place.top + place.bottom) / 2.0;
    if !has_value {
        let is_failed = point.standing == Standing::Failed;
        let shape = if is_failed { Shape::Cross } else { Shape::Dash };
        return Some((shape, (place.left + place.right) / 2.0, y));
    }
    let role = point.roles.iter().find_map(|role| Shape::of_role(*role));
    let shape = role.or_else(|| (point.standing == Standing::Front).then_some(Shape::Front))?;
    Some((shape, place.left + (0.5 * place.width()).min(11.0), y))
}

/// A value with three significant digits.
fn short(value: f64, unit: Unit) -> String {
    let scale = scale_for(value, unit);
    scale.with_symbol(&scale.number(value, scale.decimals(value).saturating_sub(1)))
}

/// The values of both parameters and their names.
fn ticks(chart: &Chart, plot: Rect, size: [f64; 2], orders: &[Vec<usize>; 2]) -> Vec<Label> {
    let (across, down) = directions(chart);
    let value = |parameter: usize, index: usize| {
        text::shorten(
            &one_line(&chart.parameters[parameter].values[index]),
            Face::Sans,
            SIZE,
            LONGEST,
        )
    };
    let below: Vec<Label> = orders[0]
        .iter()
        .enumerate()
        .map(|(column, index)| {
            let x = plot.left + (column as f64 + 0.5) * size[0];
            let label = Label::words(value(across, *index), SIZE, x, plot.bottom + 16.0, "quiet");
            panel::within(label.anchored(Anchor::Middle), plot)
        })
        .collect();
    let beside: Vec<Label> = orders[1]
        .iter()
        .rev()
        .enumerate()
        .map(|(row, index)| {
            let y = plot.top + (row as f64 + 0.5) * size[1];
            Label::words(value(down, *index), SIZE, plot.left - 7.0, y, "quiet")
                .anchored(Anchor::End)
                .centred()
        })
        .collect();
    let mut shown = spread(below, 6.0, |place| (place.left, place.right));
    shown.extend(spread(beside, 0.0, |place| (place.top, place.bottom)));
    let name = |parameter: usize, room: f64| {
        text::shorten(&one_line(&chart.parameters[parameter].name), Face::Sans, SIZE, room)
    };
    let middle = (plot.left + plot.right) / 2.0;
    let room = plot.width().max(LONGEST);
    let names = [
        Label::words(name(across, room), SIZE, middle, plot.bottom + 32.0, "name")
            .anchored(Anchor::Middle),
        Label::words(name(down, LONGEST), SIZE, plot.left - 7.0, plot.top - 10.0, "name")
            .anchored(Anchor::End),
    ];
    shown.extend(names);
    shown
}

/// As many of the labels as find a place.
fn spread(labels: Vec<Label>, gap: f64, extent: impl Fn(Rect) -> (f64, f64)) -> Vec<Label> {
    let extents: Vec<(f64, f64)> = labels.iter().map(|label| extent(label.bounds())).collect();
    let shown = thinned(&extents, &vec![0; labels.len()], gap);
    labels.into_iter().zip(shown).filter(|(_, shown)| *shown).map(|(label, _)| label).collect()
}

/// The bar of colours to the right of the map.
fn bar(ratios: &Ratios, plot: Rect) -> Bar {
    let left = plot.right + BAR_GAP;
    let place = Rect {
        left,
        right: left + BAR_WIDTH,
        top: plot.top,
        bottom: plot.top + plot.height().max(SHORTEST_BAR),
    };
    let ticks =
        ratio_ticks(ratios.low, ratios.high, place.height()).into_iter().map(|(ratio, text)| {
            let y = place.bottom - ratios.share(ratio * ratios.base) * place.height();
            Label::words(text, SIZE, place.right + 7.0, y, "quiet").centred()
        });
    Bar { place, ticks: spread(ticks.collect(), 1.0, |place| (place.top, place.bottom)) }
}

/// At most so many ratios are written beside the bar.
const MOST_RATIOS: usize = 7;
/// From one ratio to the next there is at least so much room.
const LEAST_BETWEEN: f64 = 13.0;
/// The ratios that are written where they are far apart: digits, at every so manieth power of ten.
const RATIOS: [(&[f64], i32); 4] = [(&[1.0, 2.0, 5.0], 1), (&[1.0], 1), (&[1.0], 3), (&[1.0], 20)];

/// Round ratios in `low..=high`, with their words: steps of 1, 2 and 5 or of powers of ten where
/// they are far apart, equal steps where they are close.
fn ratio_ticks(low: f64, high: f64, height: f64) -> Vec<(f64, String)> {
    let within = |ratio: &f64| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(ratio);
    let apart = (high / low).powf(LEAST_BETWEEN / height.max(LEAST_BETWEEN));
    let fits = |set: &[f64]| {
        set.len() <= MOST_RATIOS && set.windows(2).all(|pair| pair[1] / pair[0] >= apart)
    };
    if high / low > 5.0 {
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        let of = |digits: &'static [f64], every: i32| {
            let powers = (first..=last).filter(move |power| power.rem_euclid(every) == 0);
            powers.flat_map(move |power| digits.iter().map(move |d| d * 10_f64.powi(power)))
        };
        let mut sets = RATIOS
            .into_iter()
            .map(|(digits, every)| -> Vec<f64> { of(digits, every).filter(within).collect() });
        let fitting = sets.find(|set| fits(set));
        return fitting.unwrap_or_default().into_iter().map(|r| (r, words(r, 0.0))).collect();
    }
    let power = low.log10().floor() as i32;
    let steps = (power - 5..=power + 1)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
    let multiples = |step: f64| -> Vec<f64> {
        let (first, last) =
            ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
        (first..=last.min(first + MOST_RATIOS as i64)).map(|index| index as f64 * step).collect()
    };
    let fitting = steps.map(|step| (step, multiples(step))).find(|(_, set)| fits(set));
    let (step, set) = fitting.unwrap_or_default();
    set.into_iter().map(|ratio| (ratio, words(ratio, step))).collect()
}

/// A ratio with as many decimals as its first digit or the step between ratios needs.
fn words(ratio: f64, step: f64) -> String {
    let smallest = if step > 0.0 { step } else { ratio };
    let decimals = (-(smallest.log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize;
    format!("{ratio:.decimals$}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(low: f64, high: f64) -> Vec<String> {
        ratio_ticks(low, high, 120.0).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn the_bars_ratios_are_round() {
        assert_eq!(written(0.5, 8.0), ["0.5", "1", "2", "5"]);
        assert_eq!(written(0.02, 300.0), ["0.1", "1", "10", "100"]);
        let close = ["0.85", "0.90", "0.95", "1.00", "1.05", "1.10", "1.15"];
        assert_eq!(
            written(0.76, 2.3),
            ["1.0", "1.5", "2.0"],
            "no two closer than they can be read"
        );
        assert_eq!(written(0.81, 1.19), close);
        assert_eq!(written(0.99, 1.01), ["0.990", "0.995", "1.000", "1.005", "1.010"]);
    }

    proptest! {
        #[test]
        fn every_bar_has_some_ratios_within_it(low in 1e-6..1e6_f64, factor in 1.0202..1e6_f64) {
            let ticks = ratio_ticks(low, low * factor, 120.0);
            prop_assert!(!ticks.is_empty() && ticks.len() <= 7, "{ticks:?}");
            for (ratio, text) in &ticks {
                prop_assert!(*ratio >= low * 0.999 && *ratio <= low * factor * 1.001);
                let read: f64 = text.parse().expect("a number");
                prop_assert!((read / ratio - 1.0).abs() < 1e-3 , "{text} {ratio}");
            }
        }
    }
}
