//! Writing the SVG down: every place is that of the layout.

use super::element::{opening, path, rectangle, text};
use super::layout::{Direction, Entry, Flag, FlagOf, Layout, Mark, PanelLayout};
use super::series::{Grid, number};
use super::xml::escape;
use super::{Change, Graph, Panel, State, describe, layout};

/// Half the width of a flag's triangle.
const TRIANGLE: f64 = 4.0;
/// Narrower columns than this have thinner lines.
const DENSE_BELOW: f64 = 4.0;
/// Crosses of commits that did not build shrink to strokes in narrower columns.
const CROSS_FROM: f64 = 9.0;

/// Whether the tooltips are wanted. Pixels have none, and they are most of a long history's SVG.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tooltips {
    Written,
    LeftOut,
}

/// The SVG document.
pub(super) fn document(graph: &Graph, layout: &Layout, tooltips: Tooltips) -> String {
    let description = describe::description(graph);
    let size = (layout.width, layout.height);
    let mut out = opening(size, &graph.title, &description, include_str!("style.css"));
    layout.heading.iter().for_each(|label| out += &text(label));
    for (panel, placed) in graph.panels.iter().zip(&layout.panels) {
        out += &background(graph, panel, layout, placed);
    }
    if tooltips == Tooltips::Written {
        out += &columns(graph, layout);
    }
    for (panel, placed) in graph.panels.iter().zip(&layout.panels) {
        out += &format!("<g class=\"panel\" data-name=\"{}\">\n", escape(&panel.name));
        out += &values(graph, panel, layout, placed);
        out += &flags(graph, panel, placed);
        placed.header.iter().chain(&placed.ticks).for_each(|label| out += &text(label));
        out += "</g>\n";
    }
    out += &unbuilt(graph, layout);
    out += &commits(layout);
    layout.legend.iter().for_each(|entry| out += &legend(entry, layout.pitch));
    out += "</svg>\n";
    out
}

fn grid<'a>(layout: &Layout, placed: &'a PanelLayout) -> Grid<'a> {
    Grid { plot: placed.plot, pitch: layout.pitch, axis: &placed.axis }
}

/// What lies behind the values: commits without reading, drifts, the lines of the grid.
fn background(graph: &Graph, panel: &Panel, layout: &Layout, placed: &PanelLayout) -> String {
    let (plot, grid) = (placed.plot, grid(layout, placed));
    let cells = |wanted: &dyn Fn(usize) -> bool| -> String {
        let stretches = stretches(graph.commits.len(), wanted);
        let cell = |(first, last): &(usize, usize)| {
            rectangle(grid.edge(*first), plot.top, grid.edge(last + 1), plot.bottom)
        };
        stretches.iter().map(cell).collect()
    };
    let is_unbuilt = |index: usize| graph.commits[index].state == State::DidNotBuild;
    let is_gap = |index: usize| panel.points[index].is_none() && !is_unbuilt(index);
    let is_unbuilt_gap = |index: usize| panel.points[index].is_none() && is_unbuilt(index);
    let mut out = path("gap", &cells(&is_gap)) + &path("unbuilt", &cells(&is_unbuilt_gap));
    for drift in &panel.drifts {
        let right = grid.edge(drift.last + 1);
        out += &path("drift", &rectangle(grid.edge(drift.first), plot.top, right, plot.bottom));
    }
    let across = |value: f64| {
        format!("M{} {}H{}", number(plot.left), number(grid.y(value)), number(plot.right))
    };
    let lines: String = placed.axis.ticks.iter().map(|tick| across(tick.value)).collect();
    let mark = |value: &f64| format!("M{} {}h-3", number(plot.left), number(grid.y(*value)));
    let minor: String = placed.axis.minor.iter().map(mark).collect();
    let axis = format!(
        "M{} {}V{}H{}",
        number(plot.left),
        number(plot.top),
        number(plot.bottom),
        number(plot.right)
    );
    out + &path("grid", &lines) + &path("axis", &(axis + &minor))
}

/// Consecutive commits that are `wanted`, each with its first and last.
fn stretches(commits: usize, wanted: &dyn Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut stretches: Vec<(usize, usize)> = Vec::new();
    for index in (0..commits).filter(|index| wanted(*index)) {
        match stretches.last_mut() {
            Some((_, last)) if *last + 1 == index => *last = index,
            _ => stretches.push((index, index)),
        }
    }
    stretches
}

/// A line across all panels for each commit, invisible until pointed at, with its tooltip.
fn columns(graph: &Graph, layout: &Layout) -> String {
    let (Some(first), Some(last)) = (layout.panels.first(), layout.panels.last()) else {
        return String::new();
    };
    let (left, top) = (first.plot.left, number(first.plot.top));
    let height = number(last.plot.bottom - first.plot.top);
    let mut out =
        format!("<g class=\"columns\" stroke-width=\"{}\">\n", number(layout.pitch.max(0.05)));
    for index in 0..graph.commits.len() {
        let x = number(left + (index as f64 + 0.5) * layout.pitch);
        let tooltip = describe::commit_tooltip(graph, index);
        out += &format!(
            "<path d=\"M{x} {top}v{height}\"><title>{}</title></path>\n",
            escape(&tooltip)
        );
    }
    out + "</g>\n"
}

/// The band, the line and the dots.
fn values(graph: &Graph, panel: &Panel, layout: &Layout, placed: &PanelLayout) -> String {
    let grid = grid(layout, placed);
    let class = if layout.pitch < DENSE_BELOW { "line dense" } else { "line" };
    let mut out = path("band", &grid.band(&panel.points)) + &path(class, &grid.line(&panel.points));
    if layout.has_dots {
        let circle = |(index, value): (usize, f64)| {
            let x = grid.edge(index) + layout.pitch / 2.0 - 2.4;
            format!("M{} {}a2.4 2.4 0 1 1 0 .01z", number(x), number(grid.y(value)))
        };
        let is_same = |index: usize| matches!(graph.commits[index].state, State::SameAs { .. });
        let points = || {
            let values = panel.points.iter().enumerate();
            values.filter_map(|(index, point)| point.map(|point| (index, point.value)))
        };
        let own: String = points().filter(|point| !is_same(point.0)).map(circle).collect();
        let same: String = points().filter(|point| is_same(point.0)).map(circle).collect();
        out += &(path("dots", &own) + &path("same", &same));
    }
    out
}

fn flags(graph: &Graph, panel: &Panel, placed: &PanelLayout) -> String {
    let mut out = String::new();
    for flag in &placed.flags {
        let (ratio, change, tooltip) = match flag.of {
            FlagOf::Step(index) => {
                let step = &panel.steps[index];
                (step.ratio, step.change, describe::step_tooltip(graph, panel, step))
            }
            FlagOf::Drift(index) => {
                let drift = &panel.drifts[index];
                (drift.ratio, drift.change, describe::drift_tooltip(graph, panel, drift))
            }
        };
        let kind = if matches!(flag.of, FlagOf::Step(_)) { "step" } else { "stretch" };
        out += &format!("<g class=\"{kind}\"><title>{}</title>", escape(&tooltip));
        out += &pole_and_triangle(flag, placed.plot.bottom, ratio, change);
        out += "</g>\n";
    }
    out
}

fn pole_and_triangle(flag: &Flag, bottom: f64, ratio: f64, change: Change) -> String {
    let class = layout::class(change);
    let (x, top) = (number(flag.x), number(flag.top));
    // A drift has a coloured ground; its pole only carries the flag.
    let foot = match flag.of {
        FlagOf::Step(_) => bottom,
        FlagOf::Drift(_) => {
            flag.label.as_ref().map_or(flag.top, |label| label.bounds().bottom + 4.0)
        }
    };
    let mut out = path(&format!("pole {class}"), &format!("M{x} {top}V{}", number(foot)));
    out += &path("target", &rectangle(flag.x - 3.0, flag.top, flag.x + 3.0, foot));
    if let Some(label) = &flag.label {
        let middle = flag.top + 5.0;
        out += &path(&format!("flag {class}"), &triangle(flag.x + TRIANGLE + 1.5, middle, ratio));
        out += &text(label);
    }
    out
}

/// A triangle that points down where values fall and up where they rise.
fn triangle(x: f64, y: f64, ratio: f64) -> String {
    let tip = if ratio < 1.0 { TRIANGLE } else { -TRIANGLE };
    let (left, width) = (number(x - TRIANGLE + 0.6), number(2.0 * TRIANGLE - 1.2));
    let (base, half) = (number(y - 0.8 * tip), number(TRIANGLE - 0.6));
    format!("M{left} {base}h{width}l-{half} {}z", number(1.6 * tip))
}

/// A cross for each commit that did not build.
fn unbuilt(graph: &Graph, layout: &Layout) -> String {
    let marks = layout.marks;
    let x = |index: usize| marks.left + (index as f64 + 0.5) * layout.pitch;
    let is_unbuilt = |index: &usize| graph.commits[*index].state == State::DidNotBuild;
    let crosses = (0..graph.commits.len()).filter(is_unbuilt);
    let data: String =
        crosses.map(|index| cross(x(index), marks.top + 7.0, layout.pitch)).collect();
    path("cross", &data)
}

/// A cross around a point, or a stroke where columns are too narrow for crosses.
fn cross(x: f64, y: f64, pitch: f64) -> String {
    let top = number(y - 3.0);
    if pitch >= CROSS_FROM {
        format!("M{} {top}l6 6m0 -6l-6 6", number(x - 3.0))
    } else {
        format!("M{} {top}v6", number(x))
    }
}

/// The names of the commits, with lines from the axis to those that had to move aside.
fn commits(layout: &Layout) -> String {
    let mut out = String::new();
    let mut leaders = String::new();
    for commit in &layout.commits {
        let Some(label) = commit.labels.first() else { continue };
        if label.direction == Direction::Down {
            let (top, bottom) = (layout.marks.bottom, label.y - 2.0);
            let (from, to) = (number(commit.column), number(commit.x));
            if bottom - top > 4.0 {
                leaders += &format!(
                    "M{from} {}V{}L{to} {}",
                    number(layout.marks.top),
                    number(top + 2.0),
                    number(bottom)
                );
            } else {
                leaders += &format!("M{from} {}v3", number(layout.marks.top));
            }
        }
        commit.labels.iter().for_each(|label| out += &text(label));
    }
    path("leader", &leaders) + &out
}

fn legend(entry: &Entry, pitch: f64) -> String {
    let place = entry.place;
    let (x, y) = ((place.left + place.right) / 2.0, (place.top + place.bottom) / 2.0);
    let ground = rectangle(place.left, place.top, place.right, place.bottom);
    let mark = match entry.mark {
        Mark::Change(change) => {
            let class = layout::class(change);
            let pole =
                format!("M{} {}V{}", number(x - 5.5), number(place.top), number(place.bottom));
            // Where it points depends on the metric; what it looks like does not.
            let down = triangle(x, y, 0.5);
            let up = triangle(x + 9.0, y, 2.0);
            path(&format!("pole {class}"), &pole) + &path(&format!("flag {class}"), &(down + &up))
        }
        Mark::Drift => path("drift", &ground),
        Mark::Interval => {
            let line = format!("M{} {}H{}", number(place.left), number(y), number(place.right));
            path("band", &ground) + &path("line", &line)
        }
        Mark::Same => {
            path("same", &format!("M{} {}a2.4 2.4 0 1 1 0 .01z", number(x - 2.4), number(y)))
        }
        Mark::DidNotBuild => path("unbuilt", &ground) + &path("cross", &cross(x, y, pitch)),
        Mark::Gap => path("gap", &ground),
    };
    mark + &text(&entry.label)
}
