//! Ratios with their intervals below each other, against one line (a forest plot): shows which are
//! certainly on one side of it, and by how much.

use super::axis::{Axis, Estimate};
use super::plot::{self, HEADER, Plot, SIZE};
use super::scene::Element;
use super::shape::Path;
use super::text::{self, Anchor, Face, Label, Rect, one_line};

/// The width of the plot.
const WIDTH: f64 = 460.0;
/// The distance between rows.
const ROW: f64 = 19.0;
/// The maximum length of names.
const LONGEST: f64 = 260.0;
/// The room for the words behind the plot.
const WORDS: f64 = 230.0;
/// The size of the dots of single values, and their distance below the interval.
const DOT: f64 = 1.5;
const DOT_BELOW: f64 = 5.0;
/// The size of marks.
const RADIUS: f64 = 4.0;

/// Ratios below each other.
#[derive(Debug, Clone, PartialEq)]
pub struct ForestFigure {
    /// The name of the figure.
    pub name: String,
    /// The note beside the name.
    pub note: String,
    /// The axis from left to right.
    pub across: Axis,
    /// The quantity on the axis.
    pub measured: String,
    /// The value that means no change, if there is one.
    pub equal: Option<f64>,
    /// The rows, from top to bottom.
    pub rows: Vec<ForestRow>,
}

/// A ratio.
#[derive(Debug, Clone, PartialEq)]
pub struct ForestRow {
    /// The name of the row.
    pub name: String,
    /// The ratio with its interval; an infinite end has an arrow.
    pub ratio: Estimate,
    /// The direction of the change, if it is certain: true for better.
    pub is_better: Option<bool>,
    /// Single values, each a small dot below the interval.
    pub values: Vec<f64>,
    /// The result in words.
    pub words: String,
    /// The tooltip.
    pub tooltip: String,
}

/// The width of the names.
pub(crate) fn beside(figure: &ForestFigure) -> f64 {
    let wide = |row: &ForestRow| text::width(&one_line(&row.name), Face::Sans, SIZE);
    figure.rows.iter().map(wide).fold(0.0, f64::max).min(LONGEST)
}

/// The figure with its top left corner at this position, and its bottom.
pub(crate) fn place(figure: &ForestFigure, left: f64, top: f64) -> (Vec<Element>, f64) {
    let (right, top) = (left + WIDTH, top + HEADER);
    let bottom = top + ROW * figure.rows.len() as f64;
    let plot = Plot { place: Rect { left, top, right, bottom }, vertical: &figure.across };
    let mut elements = plot.upright(&figure.across);
    let header = [left, right + WORDS, top - HEADER];
    elements.extend(plot::header(&figure.name, &figure.note, "", header));
    let equal = figure.equal.map(|equal| plot.x(figure.across.place(equal)));
    elements.push(Element::lines("reference", equal.map(|x| [x, top, x, bottom])));
    for (index, row) in figure.rows.iter().enumerate() {
        let y = top + (index as f64 + 0.5) * ROW;
        elements.push(drawn(figure, row, plot, y));
    }
    elements.extend(plot.below(&figure.across, &figure.measured, bottom));
    (elements, bottom + 36.0)
}

fn drawn(figure: &ForestFigure, row: &ForestRow, plot: Plot<'_>, y: f64) -> Element {
    let Rect { left, right, .. } = plot.place;
    let x = |value: f64| plot.x(figure.across.place(value));
    let Estimate { value, low, high, .. } = row.ratio;
    let class = row.is_better.map_or("undecided", |is_better| plot::sides(is_better).text);
    let name = plot::cut(&row.name, LONGEST);
    let name = Label::words(name, SIZE, left - 7.0, y, "name").anchored(Anchor::End).centred();
    let words = plot::cut(&row.words, WORDS - 8.0);
    let words = Label::words(words, SIZE, right + 8.0, y, class).centred();
    let open = [(low < figure.across.low, -1.0, left), (high > figure.across.high, 1.0, right)];
    let arrows = open.into_iter().filter(|(is_open, ..)| *is_open).map(|(_, way, at)| {
        Path::polygon(&[(at, y), (at - way * 5.0, y - 3.0), (at - way * 5.0, y + 3.0)])
    });
    let dots = row.values.iter().map(|value| Path::circle(x(*value), y + DOT_BELOW, DOT));
    let elements = vec![
        name.into(),
        Element::path("dot", dots),
        Element::lines("interval-line", [[x(low), y, x(high), y]]),
        Element::path("interval-end", arrows),
        Element::path(mark_class(row.is_better), [mark(figure, row, x(value), y)]),
        words.into(),
        Element::Target(Rect { left, top: y - ROW / 2.0, right, bottom: y + ROW / 2.0 }),
    ];
    Element::group("point", &row.tooltip, elements)
}

fn mark_class(is_better: Option<bool>) -> &'static str {
    match is_better {
        Some(true) => "ratio better",
        Some(false) => "ratio worse",
        None => "circle",
    }
}

/// A triangle in the direction of the change, or a circle if that is not certain.
fn mark(figure: &ForestFigure, row: &ForestRow, x: f64, y: f64) -> Path {
    let pointing = |way: f64| {
        Path::polygon(&[
            (x + way * RADIUS, y),
            (x - way * RADIUS, y - RADIUS),
            (x - way * RADIUS, y + RADIUS),
        ])
    };
    let equal = figure.equal.unwrap_or(row.ratio.value);
    match row.is_better {
        Some(_) if row.ratio.value < equal => pointing(-1.0),
        Some(_) => pointing(1.0),
        None => Path::circle(x, y, RADIUS - 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{all, labels};

    #[test]
    fn each_ratio_has_a_row_with_its_interval_across_and_its_verdict_in_words() {
        let row = |name: &str, ratio: (f64, f64, f64), is_better, words: &str| ForestRow {
            name: name.to_owned(),
            ratio: Estimate::new(ratio.0, ratio.1, ratio.2).expect("numbers"),
            is_better,
            values: vec![0.5, 1.0],
            words: words.to_owned(),
            tooltip: name.to_owned(),
        };
        let figure = ForestFigure {
            name: "wall time".into(),
            note: String::new(),
            across: Axis::from_zero(2.0, &|value, _| value.to_string()),
            measured: "ratio".into(),
            equal: Some(1.0),
            rows: vec![
                row("a", (0.5, 0.4, 0.6), Some(true), "improved"),
                row("b", (1.0, 0.9, f64::INFINITY), None, "inconclusive"),
            ],
        };
        let (elements, _) = place(&figure, 100.0, 0.0);
        let said: Vec<&str> = labels(&elements).iter().map(|label| label.text.as_str()).collect();
        assert!(["a", "improved", "b", "inconclusive"].iter().all(|text| said.contains(text)));
        let lines = all(&elements).into_iter().filter(|one| one.has_class("interval-line"));
        let ends: Vec<[f64; 2]> = lines
            .filter_map(|one| one.outlines().and_then(Path::bounds))
            .map(|place| [place.left, place.right])
            .collect();
        // From 0 to 2 over the width, so that a tenth is 23 wide; infinite ends go to the edge.
        assert_eq!(ends, [[192.0, 238.0], [307.0, 560.0]]);
        // Each row has its two values.
        let dots = all(&elements).into_iter().filter(|one| one.has_class("dot"));
        let places: Vec<[f64; 2]> = dots
            .filter_map(|one| one.outlines().and_then(Path::bounds))
            .map(|place| [place.left + DOT, place.right - DOT])
            .collect();
        assert_eq!(places, [[215.0, 330.0]; 2]);
        let arrows = all(&elements).into_iter().filter(|one| one.has_class("interval-end"));
        assert_eq!(arrows.count(), 1);
    }
}
