//! A map over two rows of given values: a cell for each pair, coloured by a ratio.
//!
//! Colours are even steps of the ratio's logarithm: a half and a double are equally far from 1.

use super::axis::{decimals, thinned};
use super::plot::{self, HEADER, SIZE, WIDTH};
use super::points::{Values, within};
use super::scene::{self, Element};
use super::shape::{Colour, LARGE, Path, Shape};
use super::text::{self, Anchor, Face, Label, Rect, one_line};

/// The minimum and maximum width of a cell.
const CELL_WIDTH: [f64; 2] = [2.0, 84.0];
/// The minimum and maximum height of a cell.
const CELL_HEIGHT: [f64; 2] = [2.0, 30.0];
/// The height that all cells share, within these limits.
const HEIGHT: f64 = 330.0;
/// The maximum length of the labels of values.
const LONGEST: f64 = 120.0;
/// The distance from the map to the bar of colours.
const BAR_GAP: f64 = 26.0;
/// The width of the bar of colours.
const BAR_WIDTH: f64 = 13.0;
/// The minimum height of the bar, so that it stays readable.
const SHORTEST_BAR: f64 = 90.0;
/// The steps of the bar: the number of distinguishable colours.
const BAR_STEPS: usize = 64;
/// The factor that the scale covers both ways if all ratios are the same.
const LEAST_FACTOR: f64 = 1.01;

/// A map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapFigure {
    /// The name of the map.
    pub name: String,
    /// The note beside the name.
    pub note: String,
    /// The values that run across; a map looks better if these are more than those that run up.
    pub across: Values,
    /// The values that run up.
    pub up: Values,
    /// The cells.
    pub cells: Vec<Cell>,
}

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The indices of its values, across and up.
    pub at: (usize, usize),
    /// Its ratio, not negative; None without a value.
    pub ratio: Option<f64>,
    /// The value in words, shown if there is room.
    pub words: String,
    /// Its mark.
    pub mark: Option<Shape>,
    /// Set if it has a frame.
    pub is_framed: bool,
    /// Set if it is hatched.
    pub is_hatched: bool,
    /// The tooltip.
    pub tooltip: String,
}

/// The width of the labels to the left of a map.
pub(crate) fn beside(figure: &MapFigure) -> f64 {
    let texts = figure.up.labels.iter().chain([&figure.up.name]);
    let widths = texts.map(|text| text::width(&one_line(text), Face::Sans, SIZE));
    widths.fold(0.0, f64::max).min(LONGEST)
}

/// The scale of the colours.
#[derive(Clone, Copy)]
struct Ratios {
    low: f64,
    high: f64,
}

impl Ratios {
    fn from_cells(cells: &[Cell]) -> Option<Self> {
        let ratios = || cells.iter().filter_map(|cell| cell.ratio).filter(|ratio| *ratio > 0.0);
        let low = ratios().fold(f64::INFINITY, f64::min);
        let high = ratios().fold(0.0, f64::max);
        let (low, high) = if high / low < LEAST_FACTOR * LEAST_FACTOR {
            let middle = (low * high).sqrt();
            (middle / LEAST_FACTOR, middle * LEAST_FACTOR)
        } else {
            (low, high)
        };
        (high > 0.0).then_some(Self { low, high })
    }

    /// The position of a ratio on the scale, from 0 to 1.
    fn share(self, ratio: f64) -> f64 {
        ((ratio / self.low).ln() / (self.high / self.low).ln()).clamp(0.0, 1.0)
    }
}

/// The figure with its top left corner at this position, and its bottom.
pub(crate) fn place(figure: &MapFigure, left: f64, top: f64) -> (Vec<Element>, f64) {
    let size = |values: &Values, room: f64, [least, most]: [f64; 2]| {
        (room / values.labels.len().max(1) as f64).clamp(least, most)
    };
    let width = size(&figure.across, WIDTH, CELL_WIDTH);
    let height = size(&figure.up, HEIGHT, CELL_HEIGHT);
    let plot = Rect {
        left,
        top: top + HEADER,
        right: left + figure.across.labels.len() as f64 * width,
        bottom: top + HEADER + figure.up.labels.len() as f64 * height,
    };
    let ratios = Ratios::from_cells(&figure.cells);
    let at =
        |values: &Values, value: usize| values.spacing.order.iter().position(|one| *one == value);
    let cells = figure.cells.iter().filter_map(|one| {
        let left = plot.left + at(&figure.across, one.at.0)? as f64 * width;
        let bottom = plot.bottom - at(&figure.up, one.at.1)? as f64 * height;
        let place = Rect { left, top: bottom - height, right: left + width, bottom };
        Some(Element::group("point", &one.tooltip, cell(one, place, ratios)))
    });
    let mut elements: Vec<Element> = cells.collect();
    let ticks = ticks(figure, plot, [width, height]);
    let below = ticks.iter().map(|tick| tick.bounds().bottom).fold(plot.bottom, f64::max);
    let (bar, bar_bottom) = ratios.map_or((Vec::new(), below), |ratios| bar(ratios, plot));
    elements.extend(bar);
    elements.extend(ticks.into_iter().map(Element::from));
    let right = plot.right.max(left + WIDTH);
    elements.extend(plot::header(&figure.name, &figure.note, "", [left, right, top]));
    (vec![Element::named("map", one_line(&figure.name), elements)], below.max(bar_bottom))
}

fn cell(cell: &Cell, place: Rect, ratios: Option<Ratios>) -> Vec<Element> {
    let outline = || [Path::rect(place)];
    let colour = cell.ratio.zip(ratios).map(|(ratio, ratios)| Colour::viridis(ratios.share(ratio)));
    let mut elements = vec![match colour {
        Some(colour) => Element::filled("cell", place, colour),
        None => Element::path("gap", outline()),
    }];
    let (middle, y) = place.middle();
    let x = if colour.is_some() { place.left + (0.5 * place.width()).min(11.0) } else { middle };
    let taken = cell.mark.map_or(place.left + 3.0, |_| x + LARGE + 2.0);
    let value = colour.and_then(|colour| value(cell, colour, place, taken));
    if let Some(colour) = colour.filter(|_| cell.is_hatched) {
        elements.push(Element::path("hatched", outline()));
        // Lines must not run through the digits.
        let ground = value.as_ref().map(|value| Element::filled("cell", value.bounds(), colour));
        elements.extend(ground);
    }
    if cell.is_framed {
        let inner = || [Path::rect(place.inset(1.75))];
        elements.extend(["frame-ground", "frame"].map(|class| Element::path(class, inner())));
    }
    if let Some(shape) = cell.mark {
        // Marks are smaller in small cells.
        let reach = shape.reach(3.0).min(0.4 * place.width()).min(0.4 * place.height());
        let class = if colour.is_some() { on_colour(shape) } else { shape.class() };
        elements.push(Element::path(class, [shape.outline(x, y, reach)]));
    }
    elements.extend(value.map(Element::from));
    elements
}

/// The classes of a mark on a coloured cell.
fn on_colour(shape: Shape) -> &'static str {
    match shape {
        Shape::Star => "tag star",
        Shape::Diamond => "tag diamond",
        Shape::Triangle => "tag triangle",
        Shape::Disc => "tag disc",
        other => other.class(),
    }
}

/// The value in the middle of its cell or, if a mark is in the way, at its right edge.
fn value(cell: &Cell, colour: Colour, place: Rect, taken: f64) -> Option<Label> {
    let class = if colour.is_light() { "on-light" } else { "on-dark" };
    let (x, y) = place.middle();
    let middle =
        Label::words(cell.words.clone(), SIZE, x, y, class).anchored(Anchor::Middle).centred();
    let label = match middle.bounds().left < taken {
        true => Label { x: place.right - 4.0, ..middle }.anchored(Anchor::End),
        false => middle,
    };
    (label.bounds().left >= taken && place.height() >= 13.0).then_some(label)
}

/// The values along both sides and the names of their quantities.
fn ticks(figure: &MapFigure, plot: Rect, [width, height]: [f64; 2]) -> Vec<Label> {
    let below = figure.across.spacing.order.iter().enumerate().map(|(column, index)| {
        let x = plot.left + (column as f64 + 0.5) * width;
        let label = Label::words(
            plot::cut(&figure.across.labels[*index], LONGEST),
            SIZE,
            x,
            plot.bottom + 16.0,
            "quiet",
        );
        within(label.anchored(Anchor::Middle), plot)
    });
    let beside = figure.up.spacing.order.iter().enumerate().map(|(row, index)| {
        let y = plot.bottom - (row as f64 + 0.5) * height;
        Label::words(
            plot::cut(&figure.up.labels[*index], LONGEST),
            SIZE,
            plot.left - 7.0,
            y,
            "quiet",
        )
        .anchored(Anchor::End)
        .centred()
    });
    let mut shown = spread(below.collect(), 6.0, |place| (place.left, place.right));
    shown.extend(spread(beside.rev().collect(), 0.0, |place| (place.top, place.bottom)));
    let across = plot::cut(&figure.across.name, plot.width().max(LONGEST));
    let up = plot::cut(&figure.up.name, LONGEST);
    shown.extend([
        Label::words(across, SIZE, plot.middle().0, plot.bottom + 32.0, "name")
            .anchored(Anchor::Middle),
        Label::words(up, SIZE, plot.left - 7.0, plot.top - 10.0, "name").anchored(Anchor::End),
    ]);
    shown
}

/// The labels that fit.
fn spread(labels: Vec<Label>, gap: f64, extent: impl Fn(Rect) -> (f64, f64)) -> Vec<Label> {
    let extents: Vec<(f64, f64)> = labels.iter().map(|label| extent(label.bounds())).collect();
    let shown = thinned(&extents, &vec![0; labels.len()], gap);
    labels.into_iter().zip(shown).filter(|(_, shown)| *shown).map(|(label, _)| label).collect()
}

/// The bar of colours to the right of the map, and its bottom.
fn bar(ratios: Ratios, plot: Rect) -> (Vec<Element>, f64) {
    let left = plot.right + BAR_GAP;
    let bottom = plot.top + plot.height().max(SHORTEST_BAR);
    let place = Rect { left, right: left + BAR_WIDTH, top: plot.top, bottom };
    let step = place.height() / BAR_STEPS as f64;
    let part = |index: usize| {
        let bottom = place.bottom - index as f64 * step;
        // A little more than a step, so that no gap shows between them.
        let part = Rect { top: (bottom - 1.3 * step).max(place.top), bottom, ..place };
        Element::filled("cell", part, Colour::viridis((index as f64 + 0.5) / BAR_STEPS as f64))
    };
    let mut elements: Vec<Element> = (0..BAR_STEPS).map(part).collect();
    elements.push(Element::path("minor", [Path::rect(place)]));
    let ticks = ratio_ticks(ratios, place.height()).into_iter().map(|(ratio, text)| {
        let y = place.bottom - ratios.share(ratio) * place.height();
        Label::words(text, SIZE, place.right + 7.0, y, "quiet").centred()
    });
    let ticks = spread(ticks.collect(), 1.0, |place| (place.top, place.bottom));
    elements.extend(ticks.into_iter().map(Element::from));
    let written = scene::labels(&elements);
    let bottom = written.iter().map(|label| label.bounds().bottom).fold(place.bottom, f64::max);
    (elements, bottom)
}

/// The maximum number of ratios beside the bar.
const MOST_RATIOS: usize = 7;
/// The minimum distance between two ratios.
const LEAST_BETWEEN: f64 = 13.0;
/// The ratios for wide scales: digits, and the step between powers of ten.
const RATIOS: [(&[f64], i32); 4] = [(&[1.0, 2.0, 5.0], 1), (&[1.0], 1), (&[1.0], 3), (&[1.0], 20)];

/// Round ratios in `low..=high`, with their labels: steps of 1, 2 and 5 or of powers of ten on wide
/// scales, equal steps on narrow ones.
fn ratio_ticks(Ratios { low, high }: Ratios, height: f64) -> Vec<(f64, String)> {
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
    format!("{ratio:.*}", decimals(if step > 0.0 { step } else { ratio }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(low: f64, high: f64) -> Vec<String> {
        ratio_ticks(Ratios { low, high }, 120.0).into_iter().map(|(_, text)| text).collect()
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
            let ticks = ratio_ticks(Ratios { low, high: low * factor }, 120.0);
            prop_assert!(!ticks.is_empty() && ticks.len() <= 7, "{ticks:?}");
            for (ratio, text) in &ticks {
                prop_assert!(*ratio >= low * 0.999 && *ratio <= low * factor * 1.001);
                let read: f64 = text.parse().expect("a number");
                prop_assert!((read / ratio - 1.0).abs() < 1e-3 , "{text} {ratio}");
            }
        }
    }
}
