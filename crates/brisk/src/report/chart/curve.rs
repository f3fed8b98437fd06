//! One objective over the values of one parameter.
//!
//! Neighbours are joined by a line where the values are numbers and both were read. Where words
//! stand along the axis there is nothing between them, and no line.

use super::panel::{self, HEADER, Line, PanelLayout, RADIUS, Spot, WIDTH};
use super::shape::Shape;
use super::spacing::{Kind, Spacing, thinned};
use super::{Chart, Point, Standing};
use crate::report::graph::axis::Axis;
use crate::report::graph::label::{Anchor, Label, Rect};
use crate::report::graph::layout::SIZE;
use crate::report::graph::text::{self, Face, one_line};

/// From the edge of the plot to the first and the last value.
const INSET: f64 = 24.0;
/// The row below a plot that has the marks of what has no value.
const ROW: f64 = 15.0;
/// Labels that run down are cut to this length.
const LONGEST_DOWN: f64 = 120.0;

/// The axis of the only parameter.
pub(super) struct Along {
    spacing: Spacing,
    xs: Vec<f64>,
    radius: f64,
}

impl Along {
    /// Its values' places right of `left`.
    pub(super) fn of(chart: &Chart, left: f64) -> Self {
        let values = chart.parameters.first().map_or(&[][..], |parameter| &parameter.values);
        let spacing = Spacing::of(values);
        let place = |share: &f64| left + INSET + share * (WIDTH - 2.0 * INSET);
        let xs: Vec<f64> = spacing.shares.iter().map(place).collect();
        let pitch = (WIDTH - 2.0 * INSET) / values.len().max(1) as f64;
        Self { spacing, xs, radius: (0.4 * pitch).clamp(1.2, RADIUS) }
    }

    /// Where a point is; none for what is at no value.
    fn x(&self, point: &Point) -> Option<f64> {
        let value = point.at.as_ref()?.first()?;
        self.xs.get(*value).copied()
    }

    /// The values below the last panel as far as there is room, and the parameter's name.
    pub(super) fn labels(&self, chart: &Chart, plot: Rect, top: f64) -> Vec<Label> {
        let Some(parameter) = chart.parameters.first() else { return Vec::new() };
        let weights: Vec<u32> = (0..parameter.values.len()).map(|n| weight(chart, n)).collect();
        let across: Vec<Label> = parameter
            .values
            .iter()
            .zip(&self.xs)
            .map(|(value, x)| {
                let text = text::shorten(&one_line(value), Face::Sans, SIZE, LONGEST_DOWN);
                let label = Label::words(text, SIZE, *x, top + 17.0, "quiet");
                panel::within(label.anchored(Anchor::Middle), plot)
            })
            .collect();
        let down = |(label, x): (&Label, &f64)| {
            Label::words(label.text.clone(), SIZE, *x, top + 7.0, "quiet").down()
        };
        let down: Vec<Label> = across.iter().zip(&self.xs).map(down).collect();
        let (across, down) =
            (self.fitting(across, &weights, 8.0), self.fitting(down, &weights, 2.0));
        let mut labels =
            if across.len() >= parameter.values.len().min(down.len()) { across } else { down };
        let bottom = labels.iter().map(|label| label.bounds().bottom).fold(top, f64::max);
        let kind = if self.spacing.kind == Kind::Logarithmic { " (logarithmic axis)" } else { "" };
        let room = WIDTH - text::width(kind, Face::Sans, SIZE);
        let name = text::shorten(&one_line(&parameter.name), Face::Sans, SIZE, room) + kind;
        let middle = (plot.left + plot.right) / 2.0;
        let name = Label::words(name, SIZE, middle, bottom + 17.0, "name");
        labels.push(name.anchored(Anchor::Middle));
        labels
    }

    /// As many of the labels as find a place with `gap` between them.
    fn fitting(&self, labels: Vec<Label>, weights: &[u32], gap: f64) -> Vec<Label> {
        let order = &self.spacing.order;
        let extent = |index: &usize| {
            let bounds = labels[*index].bounds();
            (bounds.left, bounds.right)
        };
        let extents: Vec<(f64, f64)> = order.iter().map(extent).collect();
        let weights: Vec<u32> = order.iter().map(|index| weights[*index]).collect();
        let shown = thinned(&extents, &weights, gap);
        let kept = order.iter().zip(shown).filter(|(_, shown)| *shown);
        kept.map(|(index, _)| labels[*index].clone()).collect()
    }
}

/// How much a value of the parameter matters: those of named points more, then the front's.
fn weight(chart: &Chart, value: usize) -> u32 {
    let at_it = chart.points.iter().filter(|point| point.at.as_deref() == Some([value].as_slice()));
    let weight = |point: &Point| match point.standing {
        _ if !point.roles.is_empty() => 2,
        Standing::Front => 1,
        _ => 0,
    };
    at_it.map(weight).max().unwrap_or(0)
}

/// The panel of one objective from `top` on.
pub(super) fn place(
    chart: &Chart,
    objective: usize,
    along: &Along,
    axis: &Axis,
    (left, top): (f64, f64),
) -> PanelLayout {
    let height = if objective == 0 { 220.0 } else { 150.0 };
    let top = top + HEADER;
    let plot = Rect { left, top, right: left + WIDTH, bottom: top + height };
    let name = &chart.objectives[objective].name;
    let mut panel = PanelLayout::empty(plot, axis, name, axis.note().unwrap_or_default());
    for (number, point) in chart.points.iter().enumerate() {
        match (along.x(point), point.shown(objective)) {
            (None, Some(default)) => across(&mut panel, chart, (number, axis), default.value),
            (Some(x), Some(estimate)) => {
                let y = |value: f64| panel::height(axis, plot, value);
                let mut spot = Spot::new(number, point, (x, y(estimate.value)), along.radius);
                if estimate.low < estimate.high {
                    spot.bars.push([x, y(estimate.high), x, y(estimate.low)]);
                }
                if estimate.is_bound {
                    spot.arrows.push((0.0, 1.0));
                }
                panel.spots.push(spot);
            }
            (Some(x), None) => panel.spots.push(without_value(number, point, x, plot)),
            (None, None) => {}
        }
    }
    let is_below = |spot: &Spot| spot.y > plot.bottom;
    if panel.spots.iter().any(is_below) {
        panel.bottom = plot.bottom + ROW;
    }
    join(&mut panel, chart, along);
    if objective == 0 {
        panel.name_spots(chart);
    }
    panel
}

/// A line across the panel for the point that is at no value of the parameter, named at its end.
fn across(panel: &mut PanelLayout, chart: &Chart, (number, axis): (usize, &Axis), value: f64) {
    let plot = panel.plot;
    let y = panel::height(axis, plot, value);
    let places = vec![(plot.left, y), (plot.right, y)];
    panel.lines.push(Line { class: "reference", places, point: Some(number) });
    let name = text::shorten(&one_line(&chart.points[number].name), Face::Sans, SIZE, LONGEST_DOWN);
    let label = Label::words(name, SIZE, plot.right + 6.0, y, "named").centred();
    panel.ticks.push(label);
}

/// A cross below the plot for what failed, a dash for what was not read.
fn without_value(number: usize, point: &Point, x: f64, plot: Rect) -> Spot {
    let is_failed = point.standing == Standing::Failed;
    let shape = if is_failed { Shape::Cross } else { Shape::Dash };
    let spot = Spot::new(number, point, (x, plot.bottom + ROW / 2.0 + 1.0), RADIUS);
    Spot { shape, reach: shape.reach(RADIUS), is_default: false, ..spot }
}

/// Joins neighbours that were both read.
fn join(panel: &mut PanelLayout, chart: &Chart, along: &Along) {
    if along.spacing.kind == Kind::Even {
        return;
    }
    let mut places: Vec<Option<(f64, f64)>> = vec![None; along.xs.len()];
    for spot in panel.spots.iter().filter(|spot| spot.y <= panel.plot.bottom) {
        let at = chart.points[spot.point].at.as_ref().and_then(|at| at.first());
        if let Some(place) = at.and_then(|value| places.get_mut(*value)) {
            *place = Some((spot.x, spot.y));
        }
    }
    let ordered: Vec<Option<(f64, f64)>> = along.spacing.order.iter().map(|n| places[*n]).collect();
    for run in ordered.split(Option::is_none).filter(|run| run.len() > 1) {
        let places = run.iter().flatten().copied().collect();
        panel.lines.push(Line { class: "line", places, point: None });
    }
}
