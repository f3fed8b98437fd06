//! What is minimised against memory, and the front as a staircase: to the right of it and above
//! it nobody needs to be.

use super::panel::{self, HEADER, Line, PanelLayout, RADIUS, Spot, WIDTH};
use super::{Chart, Estimate, Point, Standing};
use crate::report::graph;
use crate::report::graph::axis::Axis;
use crate::report::graph::label::{Anchor, Label, Rect};
use crate::report::graph::layout::SIZE;

/// The height of the plot.
const HEIGHT: f64 = 320.0;
/// With more points than this the marks are smaller.
const DENSE_ABOVE: usize = 120;

/// Both axes: what is minimised, and memory.
pub(super) struct Axes {
    pub(super) vertical: Axis,
    horizontal: Axis,
}

/// What is known of a point that has a place here: what is minimised, and memory.
fn both(point: &Point) -> Option<(Estimate, Estimate)> {
    Some((point.shown(0)?, point.shown(1)?))
}

/// The axes; none where memory is what is minimised.
pub(super) fn axes(chart: &Chart) -> Option<Axes> {
    let [minimized, memory] = chart.objectives.as_slice() else { return None };
    let given = || chart.points.iter().filter_map(both);
    Some(Axes {
        vertical: panel::axis(given().map(|(minimized, _)| minimized), minimized.unit),
        horizontal: panel::axis(given().map(|(_, memory)| memory), memory.unit),
    })
}

/// The plot from `top` on.
pub(super) fn place(chart: &Chart, axes: &Axes, (left, top): (f64, f64)) -> PanelLayout {
    let top = top + HEADER;
    let plot = Rect { left, top, right: left + WIDTH, bottom: top + HEIGHT };
    let [minimized, memory] = [&chart.objectives[0].name, &chart.objectives[1].name];
    let name = format!("{minimized} against {memory}");
    let notes = axes.vertical.note().map(str::to_owned).into_iter();
    let missing = panel::not_shown(chart, |point| both(point).is_some());
    let notes: Vec<String> = notes.chain(missing).collect();
    let mut panel = PanelLayout::empty(plot, &axes.vertical, &name, &notes.join("; "));
    horizontal(&mut panel, &axes.horizontal, memory);
    let shown = chart.points.iter().filter(|point| both(point).is_some()).count();
    let radius = if shown > DENSE_ABOVE { 2.0 } else { RADIUS };
    let spots = chart.points.iter().enumerate().filter_map(|(number, point)| {
        Some(spot(number, point, both(point)?, (axes, plot, radius)))
    });
    panel.spots = spots.collect();
    let staircase = staircase(chart, &panel.spots, plot);
    let line = staircase.map(|places| Line { class: "front-line", places, point: None });
    panel.lines.extend(line);
    panel.name_spots(chart);
    panel
}

/// The ticks below, their lines, and what is measured there.
fn horizontal(panel: &mut PanelLayout, axis: &Axis, name: &str) {
    let plot = panel.plot;
    let x = |value: f64| plot.left + axis.place(value) * plot.width();
    let tick = |tick: &graph::axis::Tick| {
        Label::words(tick.label.clone(), SIZE, x(tick.value), plot.bottom + 17.0, "quiet")
            .anchored(Anchor::Middle)
    };
    panel.ticks.extend(axis.ticks.iter().map(tick));
    let up = |value: f64| [x(value), plot.bottom, x(value), plot.top];
    panel.grid.extend(axis.ticks.iter().map(|tick| up(tick.value)));
    let mark = |value: &f64| [x(*value), plot.bottom, x(*value), plot.bottom + 3.0];
    panel.minor.extend(axis.minor.iter().map(mark));
    let note = axis.note().map_or_else(String::new, |note| format!(" ({note})"));
    let middle = (plot.left + plot.right) / 2.0;
    let name = Label::words(format!("{name}{note}"), SIZE, middle, plot.bottom + 33.0, "name");
    panel.ticks.push(name.anchored(Anchor::Middle));
    panel.bottom = plot.bottom + 38.0;
}

fn spot(
    number: usize,
    point: &Point,
    (minimized, memory): (Estimate, Estimate),
    (axes, plot, radius): (&Axes, Rect, f64),
) -> Spot {
    let x = |value: f64| plot.left + axes.horizontal.place(value) * plot.width();
    let y = |value: f64| panel::height(&axes.vertical, plot, value);
    let (at_x, at_y) = (x(memory.value), y(minimized.value));
    let mut spot = Spot::new(number, point, (at_x, at_y), radius);
    if minimized.low < minimized.high {
        spot.bars.push([at_x, y(minimized.high), at_x, y(minimized.low)]);
    }
    if memory.low < memory.high {
        spot.bars.push([x(memory.low), at_y, x(memory.high), at_y]);
    }
    if minimized.is_bound {
        spot.arrows.push((0.0, 1.0));
    }
    if memory.is_bound {
        spot.arrows.push((-1.0, 0.0));
    }
    spot
}

/// From the top of the plot down and to its right edge, with a corner at each point of the front
/// that has less of what is minimised than those with less memory.
fn staircase(chart: &Chart, spots: &[Spot], plot: Rect) -> Option<Vec<(f64, f64)>> {
    let is_front = |spot: &&Spot| chart.points[spot.point].standing == Standing::Front;
    let mut front: Vec<(f64, f64)> =
        spots.iter().filter(is_front).map(|spot| (spot.x, spot.y)).collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut line = vec![(front.first()?.0, plot.top)];
    for (x, y) in front {
        let level = line.last().map_or(plot.top, |last| last.1);
        if y > level || line.len() == 1 {
            line.extend([(x, level), (x, y)]);
        }
    }
    let level = line.last().map_or(plot.top, |last| last.1);
    line.push((plot.right, level));
    line.dedup();
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn the_staircase_has_a_corner_at_each_point_of_the_front() {
        let chart = samples::curve();
        let axes = axes(&chart).expect("two objectives");
        let panel = place(&chart, &axes, (100.0, 0.0));
        let Line { class, places: line, .. } = &panel.lines[0];
        assert_eq!(*class, "front-line");
        let front =
            panel.spots.iter().filter(|s| chart.points[s.point].standing == Standing::Front);
        for spot in front {
            assert!(line.contains(&(spot.x, spot.y)), "{spot:?} in {line:?}");
        }
        // Less of one is more of the other: to the right and down.
        assert!(line.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1));
        assert_eq!(line.first().map(|first| first.1), Some(panel.plot.top));
        assert_eq!(line.last().map(|last| last.0), Some(panel.plot.right));
    }
}
