//! What the curves and the plot of both objectives have in common: a rectangle with axes, in which
//! points have their marks.

use super::names::{self, Name, Wanted};
use super::shape::{self, Shape};
use super::{Chart, Estimate, Point, Role, Standing};
use crate::metric::Unit;
use crate::report::graph;
use crate::report::graph::axis::Axis;
use crate::report::graph::label::{Anchor, Label, Rect};
use crate::report::graph::layout::SIZE;
use crate::report::graph::text::{self, Face, one_line};

/// From the top of a panel to its plot: the name is between.
pub(super) const HEADER: f64 = 24.0;
/// The width of the plots.
pub(super) const WIDTH: f64 = 680.0;
/// The radius of the marks, where there is room.
pub(super) const RADIUS: f64 = 3.4;

/// A line from one place to another: x and y of its beginning and its end.
pub type Segment = [f64; 4];

/// A panel in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct PanelLayout {
    /// Where the values are drawn.
    pub plot: Rect,
    /// The name and what is said beside it.
    pub header: Vec<Label>,
    /// What is written along the axes.
    pub ticks: Vec<Label>,
    /// The lines of the grid.
    pub grid: Vec<Segment>,
    /// Small marks on the axes.
    pub minor: Vec<Segment>,
    /// Lines between points or across the plot.
    pub lines: Vec<Line>,
    /// The points, in the order of the chart.
    pub spots: Vec<Spot>,
    /// The names of the points that are named.
    pub names: Vec<Name>,
    /// Where everything ends below.
    pub bottom: f64,
}

/// A line through a plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its class in the style sheet.
    pub class: &'static str,
    /// Its corners.
    pub places: Vec<(f64, f64)>,
    /// The number of the point that it stands for, where it stands for one.
    pub point: Option<usize>,
}

/// A point's mark.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// The number of the point.
    pub point: usize,
    /// The middle of its mark.
    pub x: f64,
    /// See `x`.
    pub y: f64,
    /// Its mark.
    pub shape: Shape,
    /// How far the mark reaches.
    pub reach: f64,
    /// Whether it has the default's frame.
    pub is_default: bool,
    /// Its intervals.
    pub bars: Vec<Segment>,
    /// Small arrows towards where the true value may be, where it is only known to be at most this.
    pub arrows: Vec<(f64, f64)>,
}

impl Spot {
    /// The mark of a point at a place.
    pub(super) fn new(number: usize, point: &Point, (x, y): (f64, f64), radius: f64) -> Self {
        let shape = Shape::of(point);
        let reach = shape.reach(radius);
        let is_default = point.is_default();
        Self { point: number, x, y, shape, reach, is_default, bars: vec![], arrows: vec![] }
    }

    /// How far the mark reaches with its frame.
    pub(super) fn outer_reach(&self) -> f64 {
        if self.is_default { self.reach.max(shape::FRAME) } else { self.reach }
    }
}

/// The axis on which estimates are best seen.
pub(super) fn axis(estimates: impl Iterator<Item = Estimate>, unit: Unit) -> Axis {
    let point = |estimate: Estimate| {
        let Estimate { value, low, high, .. } = estimate;
        Some(graph::Point { value, low, high })
    };
    Axis::of(&estimates.map(point).collect::<Vec<_>>(), unit)
}

/// How wide the labels of an axis are.
pub(super) fn tick_width(axis: &Axis) -> f64 {
    let widths = axis.ticks.iter().map(|tick| text::width(&tick.label, Face::Sans, SIZE));
    widths.fold(0.0, f64::max)
}

impl PanelLayout {
    /// A panel without values, with its vertical axis.
    pub(super) fn empty(plot: Rect, axis: &Axis, name: &str, note: &str) -> Self {
        let y = |value: f64| height(axis, plot, value);
        let tick = |tick: &graph::axis::Tick| {
            let x = plot.left - 7.0;
            Label::words(tick.label.clone(), SIZE, x, y(tick.value), "quiet")
                .anchored(Anchor::End)
                .centred()
        };
        let across = |value: f64| [plot.left, y(value), plot.right, y(value)];
        let mark = |value: &f64| [plot.left - 3.0, y(*value), plot.left, y(*value)];
        Self {
            plot,
            header: header(name, note, plot),
            ticks: axis.ticks.iter().map(tick).collect(),
            grid: axis.ticks.iter().map(|tick| across(tick.value)).collect(),
            minor: axis.minor.iter().map(mark).collect(),
            lines: Vec::new(),
            spots: Vec::new(),
            names: Vec::new(),
            bottom: plot.bottom,
        }
    }

    /// Names the points that have a role, where they hide least.
    pub(super) fn name_spots(&mut self, chart: &Chart) {
        let named = self.spots.iter().filter(|spot| !chart.points[spot.point].roles.is_empty());
        let wanted = named.map(|spot| Wanted {
            point: spot.point,
            x: spot.x,
            y: spot.y,
            reach: spot.outer_reach(),
            text: name_of(&chart.points[spot.point]),
        });
        let mut wanted: Vec<Wanted> = wanted.collect();
        let rank = |point: usize| {
            let first = chart.points[point].roles.first();
            Role::ALL.iter().position(|role| Some(role) == first)
        };
        wanted.sort_by_key(|one| rank(one.point));
        let marks = self.spots.iter().map(|s| shape::around(s.x, s.y, s.outer_reach()));
        let bars = self.spots.iter().flat_map(|spot| &spot.bars);
        let steps = self.lines.iter().flat_map(|line| line.places.windows(2));
        let lines = steps.map(|pair| [pair[0].0, pair[0].1, pair[1].0, pair[1].1]);
        let hidden: Vec<Rect> =
            marks.chain(bars.copied().chain(lines).flat_map(names::along)).collect();
        self.names = names::place(&wanted, &hidden, self.plot);
    }
}

/// How far a label below a plot may reach beyond its edges.
const OVERHANG: f64 = 30.0;

/// A label with its middle at its x, moved so that it does not reach far beyond the plot.
pub(super) fn within(label: Label, plot: Rect) -> Label {
    let half = label.length() / 2.0;
    let x = label.x.min(plot.right + OVERHANG - half).max(plot.left - OVERHANG + half);
    Label { x, ..label }
}

/// How high a value is in a plot.
pub(super) fn height(axis: &Axis, plot: Rect, value: f64) -> f64 {
    plot.bottom - axis.place(value) * plot.height()
}

/// The name above a plot, and what is said beside it.
pub(super) fn header(name: &str, note: &str, plot: Rect) -> Vec<Label> {
    let y = plot.top - 10.0;
    let room = plot.width().max(WIDTH);
    let name = text::shorten(&one_line(name), Face::Sans, 13.0, room);
    let name = Label::words(name, 13.0, plot.left, y, "name");
    let x = plot.left + name.length() + 12.0;
    let note = text::shorten(&one_line(note), Face::Sans, SIZE, plot.left + room - x);
    let note = Label::words(note, SIZE, x, y, "quiet");
    [name, note].into_iter().filter(|label| !label.text.is_empty()).collect()
}

/// `best, thrifty: s=4M`.
fn name_of(point: &Point) -> String {
    let roles: Vec<&str> = point.roles.iter().map(|role| role.word()).collect();
    let (roles, name) = (roles.join(", "), one_line(&point.name));
    if roles == name { roles } else { format!("{roles}: {name}") }
}

/// How many points of a kind there are, in words; nothing where there are none.
pub(super) fn count(points: usize, words: &str) -> Option<String> {
    match points {
        0 => None,
        1 => Some(format!("1 point {words}")),
        more => Some(format!("{more} points {words}")),
    }
}

/// Points of which nothing can be shown: how many failed, and how many were not read.
pub(super) fn not_shown(chart: &Chart, is_shown: impl Fn(&Point) -> bool) -> Vec<String> {
    let of = |has_failed: bool| {
        let missing = chart.points.iter().filter(|point| !is_shown(point));
        missing.filter(|point| (point.standing == Standing::Failed) == has_failed).count()
    };
    let all = [count(of(true), "failed"), count(of(false), "without reading")];
    all.into_iter().flatten().collect()
}
