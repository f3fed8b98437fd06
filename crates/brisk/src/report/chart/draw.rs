//! Writing the SVG down: every place is that of the layout.

use super::colour::Colour;
use super::layout::{
    Bar, Cell, Entry, Figure, Layout, Line, MapLayout, Mark, Name, PanelLayout, Spot,
};
use super::panel::Segment;
use super::shape::{self, Shape};
use super::{Chart, Standing, describe};
use crate::report::graph::element::{opening, path, rectangle, text};
use crate::report::graph::label::Rect;
use crate::report::graph::series::number;
use crate::report::graph::xml::escape;

/// Steps of the bar of colours: as many as there are different colours that can be told apart.
const STEPS: usize = 64;

/// Whether the tooltips are wanted. Pixels have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tooltips {
    Written,
    LeftOut,
}

/// The lines over cells of points that left.
const HATCHING: &str = "<defs><pattern id=\"hatching\" width=\"6\" height=\"6\" \
    patternUnits=\"userSpaceOnUse\"><path class=\"hatching\" d=\"M-1 1l2 -2M0 6l6 -6M5 7l2 -2\"/>\
    </pattern></defs>\n";

/// The SVG document.
pub(super) fn document(chart: &Chart, layout: &Layout, tooltips: Tooltips) -> String {
    let style = concat!(include_str!("../graph/style.css"), include_str!("style.css"));
    let size = (layout.width, layout.height);
    let mut out = opening(size, &chart.title, &describe::description(chart), style);
    if layout.figures.iter().any(|figure| !figure.cells().is_empty()) {
        out += HATCHING;
    }
    layout.heading.iter().for_each(|label| out += &text(label));
    let title = |number: usize| match tooltips {
        Tooltips::Written => {
            format!("<title>{}</title>", escape(&describe::tooltip(chart, &chart.points[number])))
        }
        Tooltips::LeftOut => String::new(),
    };
    for figure in &layout.figures {
        out += &match figure {
            Figure::Panel(one) => panel(one, &title),
            Figure::Map(one) => map(chart, one, &title),
        };
    }
    layout.legend.iter().for_each(|entry| out += &legend(entry));
    out += "</svg>\n";
    out
}

fn segments(class: &str, segments: &[Segment]) -> String {
    let line = |[from_x, from_y, to_x, to_y]: &Segment| {
        format!("M{} {}L{} {}", number(*from_x), number(*from_y), number(*to_x), number(*to_y))
    };
    path(class, &segments.iter().map(line).collect::<String>())
}

fn panel(panel: &PanelLayout, title: &dyn Fn(usize) -> String) -> String {
    let plot = panel.plot;
    let (left, right) = (number(plot.left), number(plot.right));
    let axis = format!("M{left} {}V{}H{right}", number(plot.top), number(plot.bottom));
    let mut out = String::from("<g class=\"panel\">\n");
    out += &segments("grid", &panel.grid);
    out += &path("axis", &axis);
    out += &segments("axis", &panel.minor);
    panel.lines.iter().for_each(|one| out += &line(one, title));
    // What matters is drawn over what does not.
    let mut spots: Vec<&Spot> = panel.spots.iter().collect();
    spots.sort_by_key(|spot| importance(spot));
    for one in spots {
        out += &format!("<g class=\"point\">{}{}</g>\n", title(one.point), spot(one));
    }
    panel.names.iter().for_each(|one| out += &name(one));
    panel.header.iter().chain(&panel.ticks).for_each(|label| out += &text(label));
    out + "</g>\n"
}

fn line(line: &Line, title: &dyn Fn(usize) -> String) -> String {
    let place = |(x, y): &(f64, f64)| format!("{} {}", number(*x), number(*y));
    let places: Vec<String> = line.places.iter().map(place).collect();
    let drawn = path(line.class, &format!("M{}", places.join("L")));
    match line.point {
        Some(point) => format!("<g class=\"point\">{}{drawn}</g>\n", title(point)),
        None => drawn,
    }
}

fn importance(spot: &Spot) -> u8 {
    match spot.shape {
        Shape::Star | Shape::Diamond | Shape::Triangle => 3,
        Shape::Front => 2,
        _ if spot.is_default => 2,
        Shape::Behind => 1,
        _ => 0,
    }
}

fn spot(spot: &Spot) -> String {
    let (x, y, reach) = (spot.x, spot.y, spot.reach);
    let mut out = segments("bar", &spot.bars);
    let arrow = |(across, down): &(f64, f64)| arrow(x, y, (*across, *down), spot.outer_reach());
    out += &path("bar", &spot.arrows.iter().map(arrow).collect::<String>());
    if spot.is_default {
        let frame = Shape::Frame;
        out += &path(frame.class(), &frame.outline(x, y, shape::FRAME));
    }
    out += &path(spot.shape.class(), &spot.shape.outline(x, y, reach));
    let target = spot.outer_reach().max(5.0);
    out + &path("target", &rectangle(x - target, y - target, x + target, y + target))
}

/// A small arrow away from a mark.
fn arrow(x: f64, y: f64, (across, down): (f64, f64), reach: f64) -> String {
    let (from_x, from_y) = (x + across * reach, y + down * reach);
    let (to_x, to_y) = (from_x + across * 8.0, from_y + down * 8.0);
    let wing = |side: f64| {
        let (wing_x, wing_y) =
            (to_x - 3.0 * across + side * down, to_y - 3.0 * down + side * across);
        format!("M{} {}L{} {}", number(wing_x), number(wing_y), number(to_x), number(to_y))
    };
    let line = format!("M{} {}L{} {}", number(from_x), number(from_y), number(to_x), number(to_y));
    line + &wing(2.5) + &wing(-2.5)
}

fn name(name: &Name) -> String {
    segments("leader", name.leader.as_slice()) + &text(&name.label)
}

fn filled(place: Rect, colour: Colour) -> String {
    let outline = rectangle(place.left, place.top, place.right, place.bottom);
    format!("<path class=\"cell\" fill=\"{}\" d=\"{outline}\"/>", colour.hexadecimal())
}

fn map(chart: &Chart, map: &MapLayout, title: &dyn Fn(usize) -> String) -> String {
    let mut out = String::from("<g class=\"map\">\n");
    for one in &map.cells {
        out += &format!("<g class=\"point\">{}{}</g>\n", title(one.point), cell(chart, one));
    }
    map.bar.iter().for_each(|one| out += &bar(one));
    map.header.iter().chain(&map.ticks).for_each(|label| out += &text(label));
    out + "</g>\n"
}

fn cell(chart: &Chart, cell: &Cell) -> String {
    let (point, place) = (&chart.points[cell.point], cell.place);
    let outline = rectangle(place.left, place.top, place.right, place.bottom);
    let mut out = match cell.colour {
        Some(colour) => filled(place, colour),
        None => path("gap", &outline),
    };
    if let Some(colour) = cell.colour.filter(|_| point.standing == Standing::Left) {
        out += &path("hatched", &outline);
        // No lines through the digits.
        let ground = cell.value.as_ref().map(|value| filled(value.bounds(), colour));
        out += &ground.unwrap_or_default();
    }
    if point.is_default() {
        let inner = |by: f64| {
            rectangle(place.left + by, place.top + by, place.right - by, place.bottom - by)
        };
        out += &(path("frame-ground", &inner(1.75)) + &path("frame", &inner(1.75)));
    }
    if let Some((shape, x, y)) = cell.mark {
        let class = match cell.colour {
            Some(_) => "tag",
            None => shape.class(),
        };
        out += &path(class, &shape.outline(x, y, tag_reach(shape, place)));
    }
    cell.value.iter().for_each(|value| out += &text(value));
    out
}

/// Marks are smaller in small cells.
fn tag_reach(shape: Shape, place: Rect) -> f64 {
    shape.reach(3.0).min(0.4 * place.width()).min(0.4 * place.height())
}

fn bar(bar: &Bar) -> String {
    let place = bar.place;
    let step = place.height() / STEPS as f64;
    let part = |index: usize| {
        let bottom = place.bottom - index as f64 * step;
        // A little more than a step, so that no ground is seen between them.
        let top = (bottom - 1.3 * step).max(place.top);
        filled(Rect { top, bottom, ..place }, Colour::of((index as f64 + 0.5) / STEPS as f64))
    };
    let mut out: String = (0..STEPS).map(part).collect();
    out += &path("axis", &rectangle(place.left, place.top, place.right, place.bottom));
    bar.ticks.iter().for_each(|label| out += &text(label));
    out
}

fn legend(entry: &Entry) -> String {
    let (x, y) = (entry.x, entry.y);
    let mark = match entry.mark {
        Mark::Shape(shape) => {
            let reach = shape.reach(3.4).min(7.0);
            path(shape.class(), &shape.outline(x, y, reach))
        }
        Mark::Interval => segments("bar", &[[x, y - 6.5, x, y + 6.5]]),
        Mark::Bound => path("bar", &arrow(x, y - 5.0, (0.0, 1.0), 0.0)),
        Mark::Hatched => {
            let place = Rect { left: x - 8.0, top: y - 6.0, right: x + 8.0, bottom: y + 6.0 };
            let outline = rectangle(place.left, place.top, place.right, place.bottom);
            filled(place, Colour::of(0.5)) + &path("hatched", &outline)
        }
    };
    mark + &text(&entry.label)
}
