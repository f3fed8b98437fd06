//! The common parts of all panels: a heading above them, a name, axes with their lines and ticks.

use super::axis::{Axis, Estimate};
use super::scene::Element;
use super::shape::Path;
use super::text::{self, Anchor, Face, Label, Rect, one_line};

/// The size of text in panels and below.
pub(crate) const SIZE: f64 = 10.5;
pub(crate) const MARGIN: f64 = 16.0;
/// The distance from the top of a panel to its plot, with the name between them.
pub(crate) const HEADER: f64 = 24.0;
/// The width of plots that do not choose their own.
pub(crate) const WIDTH: f64 = 680.0;
/// The distance between pieces of text on a line.
const BETWEEN: f64 = 12.0;

/// The classes of elements for improvements, or for regressions.
pub(crate) struct Sides {
    pub(crate) text: &'static str,
    pub(crate) pole: &'static str,
    pub(crate) flag: &'static str,
}

pub(crate) fn sides(is_better: bool) -> Sides {
    match is_better {
        true => Sides { text: "better", pole: "pole better", flag: "flag better" },
        false => Sides { text: "worse", pole: "pole worse", flag: "flag worse" },
    }
}

/// Words in the size of panels on one line, cut to fit into `room`.
pub(crate) fn cut(words: &str, room: f64) -> String {
    text::shorten(&one_line(words), Face::Sans, SIZE, room)
}

/// Title and subtitle, wrapped at the available width, and their bottom.
pub(crate) fn heading(title: &str, subtitle: &str, room: f64) -> (Vec<Element>, f64) {
    let mut labels = Vec::new();
    let mut y = MARGIN;
    for (text, size, lines, class) in [(title, 18.0, 2, "title"), (subtitle, 11.0, 3, "quiet")] {
        for line in text::wrap(&one_line(text), Face::Sans, size, room, lines) {
            y += size * 1.3;
            labels.push(Label::words(line, size, MARGIN, y - 0.3 * size, class).into());
        }
    }
    (labels, y + 12.0)
}

/// The name of a panel that begins at `top`, the note beside it, and at the right the text for its
/// values.
pub(crate) fn header(
    name: &str,
    note: &str,
    ends: &str,
    [left, right, top]: [f64; 3],
) -> Vec<Element> {
    let y = top + 13.0;
    let ends = Label::words(ends.to_owned(), SIZE, right, y, "quiet").anchored(Anchor::End);
    let taken = if ends.text.is_empty() { 0.0 } else { ends.length() + BETWEEN };
    let room = right - left - taken;
    let note = one_line(note);
    let wanted = (text::width(&note, Face::Sans, SIZE) + BETWEEN).min(0.7 * room);
    let name = text::shorten(&one_line(name), Face::Sans, 13.0, room - wanted);
    let name = Label::words(name, 13.0, left, y, "name");
    let x = left + name.length() + BETWEEN;
    let note = text::shorten(&note, Face::Sans, SIZE, left + room - x);
    let note = Label::words(note, SIZE, x, y, "quiet");
    let labels = [name, note, ends].into_iter().filter(|label| !label.text.is_empty());
    labels.map(Element::from).collect()
}

pub(crate) fn tick_width(axis: &Axis) -> f64 {
    let widths = axis.ticks.iter().map(|tick| text::width(&tick.label, Face::Sans, SIZE));
    widths.fold(0.0, f64::max)
}

/// A rectangle in which heights are values.
#[derive(Clone, Copy)]
pub(crate) struct Plot<'a> {
    pub(crate) place: Rect,
    pub(crate) vertical: &'a Axis,
}

impl Plot<'_> {
    pub(crate) fn y(&self, value: f64) -> f64 {
        self.place.bottom - self.vertical.place(value) * self.place.height()
    }

    /// The x of a share of the width.
    pub(crate) fn x(&self, share: f64) -> f64 {
        self.place.left + share * self.place.width()
    }

    /// The lines of the vertical axis with their labels, and both axes.
    pub(crate) fn ground(&self) -> [Vec<Element>; 2] {
        let Rect { left, top, right, bottom } = self.place;
        let at = |value: f64| self.y(value);
        let across =
            self.vertical.ticks.iter().map(|tick| [left, at(tick.value), right, at(tick.value)]);
        let minor =
            self.vertical.minor.iter().map(|value| [left - 3.0, at(*value), left, at(*value)]);
        let axes = Path::through(&[(left, top), (left, bottom), (right, bottom)]);
        let mut lines = vec![Element::lines("grid", across), Element::lines("minor", minor)];
        lines.extend(self.vertical.ticks.iter().map(|tick| {
            let label = Label::words(tick.label.clone(), SIZE, left - 7.0, at(tick.value), "quiet");
            label.anchored(Anchor::End).centred().into()
        }));
        [lines, vec![Element::path("axis", [axes])]]
    }

    pub(crate) fn upright(&self, horizontal: &Axis) -> Vec<Element> {
        let Rect { top, bottom, .. } = self.place;
        let x = |value: f64| self.x(horizontal.place(value));
        let up = horizontal.ticks.iter().map(|tick| [x(tick.value), bottom, x(tick.value), top]);
        let minor =
            horizontal.minor.iter().map(|value| [x(*value), bottom, x(*value), bottom + 3.0]);
        vec![Element::lines("grid", up), Element::lines("minor", minor)]
    }

    /// The ticks of a horizontal axis below `top`, with the name of the quantity.
    pub(crate) fn below(&self, horizontal: &Axis, name: &str, top: f64) -> Vec<Element> {
        let middle = self.place.middle().0;
        let note = horizontal.note().map_or_else(String::new, |note| format!(" ({note})"));
        let name = Label::words(format!("{name}{note}"), SIZE, middle, top + 33.0, "name");
        let ticks = horizontal.ticks.iter().map(|tick| {
            let x = self.x(horizontal.place(tick.value));
            Label::words(tick.label.clone(), SIZE, x, top + 17.0, "quiet")
        });
        ticks.chain([name]).map(|label| label.anchored(Anchor::Middle).into()).collect()
    }
}

/// Half the width of the arrow of an interval that goes on beyond an axis.
pub(crate) const CUT: f64 = 3.0;

impl Plot<'_> {
    /// The arrows at the ends of an upright interval that lie beyond the axis.
    pub(crate) fn cuts(&self, x: f64, one: &Estimate) -> impl Iterator<Item = Path> {
        let Rect { top, bottom, .. } = self.place;
        let ends = [
            (one.low < self.vertical.low && !one.is_bound, bottom, -1.0),
            (one.high > self.vertical.high, top, 1.0),
        ];
        ends.into_iter().filter(|(is_cut, ..)| *is_cut).map(move |(_, y, inward)| {
            let base = y + inward * 2.0 * CUT;
            Path::polygon(&[(x, y), (x - CUT, base), (x + CUT, base)])
        })
    }
}

/// The side to which an arrow points.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Toward {
    Bottom,
    Left,
}

/// A small arrow away from a mark of this radius.
pub(crate) fn arrow(x: f64, y: f64, toward: Toward, reach: f64) -> Path {
    let (across, down) = match toward {
        Toward::Bottom => (0.0, 1.0),
        Toward::Left => (-1.0, 0.0),
    };
    let (from_x, from_y) = (x + across * reach, y + down * reach);
    let (to_x, to_y) = (from_x + across * 8.0, from_y + down * 8.0);
    let wing = |side: f64| {
        [to_x - 3.0 * across + side * down, to_y - 3.0 * down + side * across, to_x, to_y]
    };
    [[from_x, from_y, to_x, to_y], wing(2.5), wing(-2.5)].into_iter().collect()
}
