//! Figures below each other, with a heading above and a legend below.
//!
//! All figures share a left edge, which leaves room for the widest label to the left.

use serde_json::Value;

use super::check::DrawError;
use super::columns::{self, ColumnFigure};
use super::forest::{self, ForestFigure};
use super::label::Rect;
use super::legend::{Key, legend};
use super::map::{self, MapFigure};
use super::plot::{self, MARGIN};
use super::points::{self, PointFigure};
use super::runs::{self, RunFigure};
use super::scene::{Element, Scene, all};

/// The distance between figures.
const BETWEEN: f64 = 22.0;

/// A picture of figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The heading.
    pub title: String,
    /// The source of the numbers. May be empty.
    pub subtitle: String,
    /// The description for screen readers.
    pub description: String,
    /// The figures, from top to bottom.
    pub figures: Vec<Figure>,
    /// The meanings of the marks; those of absent marks are left out.
    pub keys: Vec<(Key, &'static str)>,
}

/// One of the figures.
#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    /// Panels over named columns.
    Columns(ColumnFigure),
    /// Points and curves in panels over one axis.
    Points(PointFigure),
    /// A map of coloured cells.
    Map(MapFigure),
    /// Runs in their order, and their distributions.
    Runs(RunFigure),
    /// Ratios with their intervals.
    Forest(ForestFigure),
}

impl Figure {
    fn check(&self) -> Result<(), DrawError> {
        match self {
            Self::Columns(figure) => figure.check(),
            Self::Points(figure) => figure.check(),
            Self::Map(_) | Self::Runs(_) | Self::Forest(_) => Ok(()),
        }
    }

    /// The width of the labels to its left.
    fn beside(&self) -> f64 {
        let widest = |axes: &mut dyn Iterator<Item = &super::Axis>| {
            axes.map(plot::tick_width).fold(0.0, f64::max)
        };
        match self {
            Self::Columns(figure) => widest(&mut figure.panels.iter().map(|panel| &panel.axis)),
            Self::Points(figure) => widest(&mut figure.panels.iter().map(|panel| &panel.vertical)),
            Self::Map(figure) => map::beside(figure),
            Self::Runs(figure) => plot::tick_width(&figure.axis),
            Self::Forest(figure) => forest::beside(figure),
        }
    }

    /// Its elements, with its top left corner at this position, and its bottom.
    fn place(&self, corner: (f64, f64)) -> (Vec<Element>, f64) {
        match self {
            Self::Columns(figure) => columns::place(figure, corner),
            Self::Points(figure) => points::place(figure, corner),
            Self::Map(figure) => map::place(figure, corner),
            Self::Runs(figure) => runs::place(figure, corner),
            Self::Forest(figure) => forest::place(figure, corner),
        }
    }
}

impl Chart {
    /// The positions of all elements.
    ///
    /// # Errors
    /// The chart contradicts itself, see [`DrawError`].
    pub fn scene(&self) -> Result<Scene, DrawError> {
        self.figures.iter().try_for_each(Figure::check)?;
        let beside = self.figures.iter().map(Figure::beside).fold(24.0, f64::max);
        let left = (MARGIN + beside + 9.0).ceil();
        // The height of the heading depends on the width, and all positions below it on that
        // height.
        let (drawn, _) = self.figures((left, 0.0));
        let reach = all(&drawn).into_iter().filter_map(right).fold(left + plot::WIDTH, f64::max);
        let width = (reach + MARGIN).ceil();
        let (mut elements, top) = plot::heading(&self.title, &self.subtitle, width - 2.0 * MARGIN);
        let (drawn, bottom) = self.figures((left, top));
        let area = Rect { left, top: bottom + 12.0, right: width - MARGIN, bottom };
        let (entries, bottom) = legend(&self.keys, &drawn, area);
        elements.extend(drawn);
        elements.extend(entries);
        Ok(Scene {
            width,
            height: bottom + MARGIN - 4.0,
            title: self.title.clone(),
            description: self.description.clone(),
            elements,
            script: None,
            data: self.data((left, top)),
        })
    }

    /// The data of the figures for scripts: only those over columns can be enlarged.
    fn data(&self, corner: (f64, f64)) -> Option<Value> {
        match self.figures.as_slice() {
            [Figure::Columns(figure)] => Some(columns::data(figure, corner)),
            _ => None,
        }
    }

    fn figures(&self, (left, mut top): (f64, f64)) -> (Vec<Element>, f64) {
        let (mut elements, mut bottom) = (Vec::new(), top);
        for figure in &self.figures {
            let placed = figure.place((left, top));
            elements.extend(placed.0);
            bottom = placed.1;
            top = bottom + BETWEEN;
        }
        (elements, bottom)
    }
}

/// The right edge of an element.
fn right(element: &Element) -> Option<f64> {
    match element {
        Element::Text(label) => Some(label.bounds().right),
        Element::Path { path, .. } => path.bounds().map(|bounds| bounds.right),
        Element::Target(_) | Element::Group(_) => None,
    }
}
