//! Where everything is: decided from the chart alone, in the units of the SVG.
//!
//! The figures stand below each other and begin at the same left edge: first what is found over the
//! parameters, as far as it can be drawn, then one objective against the other.

pub use super::colour::Colour;
use super::curve::{self, Along};
pub use super::legend::{Entry, Mark};
pub use super::map::{Bar, Cell, MapLayout};
pub use super::names::Name;
pub use super::panel::{Line, PanelLayout, Segment, Spot};
pub use super::shape::Shape;
use super::{Chart, Point, legend, map, panel, pareto};
use crate::report::graph::axis::Axis;
use crate::report::graph::label::{Label, Rect};
use crate::report::graph::layout::{MARGIN, heading};

/// From one figure to the next.
const BETWEEN: f64 = 22.0;

/// Where everything is.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// From the left to the right of the picture.
    pub width: f64,
    /// From its top to its bottom.
    pub height: f64,
    /// Title and subtitle.
    pub heading: Vec<Label>,
    /// The figures, from top to bottom.
    pub figures: Vec<Figure>,
    /// What the marks mean.
    pub legend: Vec<Entry>,
}

/// One of the pictures.
#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    /// A curve, or one objective against the other.
    Panel(PanelLayout),
    /// A map.
    Map(MapLayout),
}

impl Figure {
    /// The marks of its points; none of a map.
    pub fn spots(&self) -> &[Spot] {
        match self {
            Self::Panel(panel) => &panel.spots,
            Self::Map(_) => &[],
        }
    }

    /// The cells of a map.
    pub fn cells(&self) -> &[Cell] {
        match self {
            Self::Panel(_) => &[],
            Self::Map(map) => &map.cells,
        }
    }

    /// Where the values are drawn.
    pub fn plot(&self) -> Rect {
        match self {
            Self::Panel(panel) => panel.plot,
            Self::Map(map) => map.plot,
        }
    }

    /// Everything that is written.
    pub fn labels(&self) -> Vec<&Label> {
        match self {
            Self::Panel(panel) => {
                let names = panel.names.iter().map(|name| &name.label);
                panel.header.iter().chain(&panel.ticks).chain(names).collect()
            }
            Self::Map(map) => {
                let values = map.cells.iter().filter_map(|cell| cell.value.as_ref());
                let bar = map.bar.iter().flat_map(|bar| &bar.ticks);
                map.header.iter().chain(&map.ticks).chain(values).chain(bar).collect()
            }
        }
    }

    fn bottom(&self) -> f64 {
        match self {
            Self::Panel(panel) => panel.bottom,
            Self::Map(map) => map.bottom,
        }
    }

    /// How far it reaches to the right.
    fn right(&self) -> f64 {
        let drawn = match self {
            Self::Panel(panel) => panel.plot.right,
            Self::Map(map) => map.bar.as_ref().map_or(map.plot.right, |bar| bar.place.right),
        };
        self.labels().iter().map(|label| label.bounds().right).fold(drawn, f64::max)
    }
}

impl Layout {
    /// Everything that is written.
    pub fn labels(&self) -> Vec<&Label> {
        let figures = self.figures.iter().flat_map(Figure::labels);
        let legend = self.legend.iter().map(|entry| &entry.label);
        self.heading.iter().chain(figures).chain(legend).collect()
    }
}

/// The axes, before anything has its place.
struct Axes {
    /// Of the curves, from top to bottom; none unless there is one parameter.
    curves: Vec<Axis>,
    pareto: Option<pareto::Axes>,
}

impl Axes {
    fn of(chart: &Chart) -> Self {
        let curve = |(index, objective): (usize, &super::Objective)| {
            let shown = chart.points.iter().filter_map(|point: &Point| point.shown(index));
            panel::axis(shown, objective.unit)
        };
        let is_curve = chart.parameters.len() == 1;
        let curves = chart.objectives.iter().enumerate().filter(|_| is_curve).map(curve);
        Self { curves: curves.collect(), pareto: pareto::axes(chart) }
    }

    /// The left edge of all plots: as far in as the widest label to the left needs.
    fn left(&self, chart: &Chart) -> f64 {
        let pareto = self.pareto.iter().map(|axes| &axes.vertical);
        let ticks = self.curves.iter().chain(pareto).map(panel::tick_width);
        let values = (chart.parameters.len() == 2).then(|| map::left(chart));
        (MARGIN + ticks.chain(values).fold(24.0, f64::max) + 9.0).ceil()
    }
}

/// The places of everything in `chart`.
pub fn layout(chart: &Chart) -> Layout {
    let axes = Axes::of(chart);
    let left = axes.left(chart);
    // How high the heading is depends on the width, and all places below it on that.
    let reach = figures(chart, &axes, (left, 0.0))
        .iter()
        .map(Figure::right)
        .fold(left + panel::WIDTH, f64::max);
    let width = (reach + MARGIN).ceil();
    let (heading, top) = heading(&chart.title, &chart.subtitle, width - 2.0 * MARGIN);
    let figures = figures(chart, &axes, (left, top));
    let bottom = figures.last().map_or(top, Figure::bottom);
    let area = Rect { left, top: bottom + 12.0, right: width - MARGIN, bottom };
    let (legend, bottom) = legend::legend(chart, &figures, area);
    Layout { width, height: bottom + MARGIN - 4.0, heading, figures, legend }
}

fn figures(chart: &Chart, axes: &Axes, (left, top): (f64, f64)) -> Vec<Figure> {
    let mut figures: Vec<Figure> = Vec::new();
    let below = |figures: &[Figure]| figures.last().map_or(top, |one| one.bottom() + BETWEEN);
    match chart.parameters.len() {
        1 => figures.extend(curves(chart, axes, (left, top)).into_iter().map(Figure::Panel)),
        2 => {
            for objective in 0..chart.objectives.len() {
                let top = below(&figures);
                figures.push(Figure::Map(map::place(chart, objective, (left, top))));
            }
        }
        _ => {}
    }
    if let Some(axes) = &axes.pareto {
        let top = below(&figures);
        figures.push(Figure::Panel(pareto::place(chart, axes, (left, top))));
    }
    figures
}

/// The curves below each other; the last has the parameter's values.
fn curves(chart: &Chart, axes: &Axes, (left, top): (f64, f64)) -> Vec<PanelLayout> {
    let along = Along::of(chart, left);
    let mut panels: Vec<PanelLayout> = Vec::new();
    for (objective, axis) in axes.curves.iter().enumerate() {
        let top = panels.last().map_or(top, |last| last.bottom + 12.0);
        panels.push(curve::place(chart, objective, &along, axis, (left, top)));
    }
    if let Some(last) = panels.last_mut() {
        let labels = along.labels(chart, last.plot, last.bottom);
        last.bottom = labels.iter().map(|label| label.bounds().bottom).fold(last.bottom, f64::max);
        last.ticks.extend(labels);
    }
    panels
}
