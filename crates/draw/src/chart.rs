//! Figures below each other, with a heading above and a legend below; and badges.
//!
//! All figures share a left edge, which leaves room for the widest label to the left. The legend
//! has the meanings of the marks that occur.

use serde_json::Value;

use super::columns::{self, ColumnFigure};
use super::forest::{self, ForestFigure};
use super::map::{self, MapFigure};
use super::plot::{self, MARGIN, SIZE, Toward};
use super::points::{self, PointFigure};
use super::runs::{self, RunFigure};
use super::scene::{DrawError, Element, Scene, all};
use super::shape::{Colour, Path, Shape, pointer};
use super::text::{Face, Label, Rect, one_line, shorten, width};

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
    fn place(&self, left: f64, top: f64) -> (Vec<Element>, f64) {
        match self {
            Self::Columns(figure) => columns::place(figure, left, top),
            Self::Points(figure) => points::place(figure, left, top),
            Self::Map(figure) => map::place(figure, left, top),
            Self::Runs(figure) => runs::place(figure, left, top),
            Self::Forest(figure) => forest::place(figure, left, top),
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
        let (drawn, _) = self.figures(left, 0.0);
        let reach = all(&drawn).into_iter().filter_map(right).fold(left + plot::WIDTH, f64::max);
        let width = (reach + MARGIN).ceil();
        let (mut elements, top) = plot::heading(&self.title, &self.subtitle, width - 2.0 * MARGIN);
        let (drawn, bottom) = self.figures(left, top);
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
            data: self.data(left, top),
        })
    }

    /// The data of the figures for scripts: only those over columns can be enlarged.
    fn data(&self, left: f64, top: f64) -> Option<Value> {
        match self.figures.as_slice() {
            [Figure::Columns(figure)] => Some(columns::data(figure, left, top)),
            _ => None,
        }
    }

    fn figures(&self, left: f64, mut top: f64) -> (Vec<Element>, f64) {
        let (mut elements, mut bottom) = (Vec::new(), top);
        for figure in &self.figures {
            let placed = figure.place(left, top);
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

/// The distance between lines.
const LINE: f64 = 19.0;
/// The width for a mark.
const MARK_WIDTH: f64 = 22.0;
/// The distance between a mark and its words.
const BEFORE_WORDS: f64 = 6.0;
/// The distance between entries.
const GAP: f64 = 20.0;

/// A kind of mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A point's shape.
    Shape(Shape),
    /// A bar around a point.
    Bar,
    /// A value that is only an upper bound.
    Bound,
    /// A hatched cell.
    Hatched,
    /// A flag for an improvement.
    Better,
    /// A flag for a regression.
    Worse,
    /// A change over many columns.
    Stretch,
    /// An event before a column.
    Event,
    /// A band of intervals around a line.
    Band,
    /// A column whose values are those of another.
    Repeated,
    /// A column that is crossed out.
    Crossed,
    /// A column without value.
    Gap,
    /// The trend of values over time.
    Trend,
    /// The interval around the middle of a distribution.
    Interval,
    /// Quantiles of a distribution.
    Quantile,
    /// An interval that goes on beyond the axis.
    Cut,
    /// A curve in the first colour.
    Line,
    /// A curve in the second colour.
    Second,
}

impl Key {
    /// The class that shows if the mark occurs.
    fn class(self) -> &'static str {
        match self {
            Self::Shape(shape) => shape.class(),
            Self::Bar => "bar",
            Self::Bound => "bound",
            Self::Hatched => "hatched",
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Stretch => "stretch",
            Self::Event => "event",
            Self::Band => "band",
            Self::Repeated => "repeated",
            Self::Crossed => "crossed",
            Self::Gap => "gap",
            Self::Trend => "trend",
            Self::Interval => "interval",
            Self::Quantile => "quantile",
            Self::Cut => "cut",
            Self::Line => "line",
            Self::Second => "second",
        }
    }

    fn draw(self, place: Rect) -> Vec<Element> {
        let (x, y) = place.middle();
        let path = |class, path| vec![Element::path(class, [path])];
        let across = Path::line([place.left, y, place.right, y]);
        match self {
            Self::Shape(shape) => {
                path(shape.class(), shape.outline(x, y, shape.reach(3.4).min(7.0)))
            }
            Self::Bar => path("bar", Path::line([x, place.top, x, place.bottom])),
            Self::Bound => path("bound", plot::arrow(x, y - 5.0, Toward::Bottom, 0.0)),
            Self::Hatched => {
                let ground = Element::filled("cell", place, Colour::viridis(0.5));
                vec![ground, Element::path("hatched", [Path::rect(place)])]
            }
            Self::Better | Self::Worse => {
                let pole = Path::line([x - 5.5, place.top, x - 5.5, place.bottom]);
                // The direction depends on the measured quantity; the look does not.
                let flags = [pointer(x, y, false), pointer(x + 9.0, y, true)];
                let class = plot::sides(self == Self::Better);
                vec![Element::path(class.pole, [pole]), Element::path(class.flag, flags)]
            }
            Self::Event => path("pole event", Path::line([x, place.top, x, place.bottom])),
            Self::Stretch | Self::Gap => path(self.class(), Path::rect(place)),
            Self::Band => {
                vec![Element::path("band", [Path::rect(place)]), Element::path("line", [across])]
            }
            Self::Repeated => path("repeated", Path::circle(x, y, 2.4)),
            Self::Crossed => {
                let cross = Shape::Cross.outline(x, y, 3.0);
                vec![Element::path("crossed", [Path::rect(place)]), Element::path("cross", [cross])]
            }
            Self::Trend => path("trend", across),
            Self::Interval => {
                let box_ = Rect { top: y - 3.5, bottom: y + 3.5, ..place };
                vec![
                    Element::path("interval", [Path::rect(box_)]),
                    Element::path("centre", [across]),
                ]
            }
            Self::Quantile => path("quantile", across),
            Self::Cut => {
                let (top, base) = (y - plot::CUT, y + plot::CUT);
                let corners = [(x, top), (x - plot::CUT, base), (x + plot::CUT, base)];
                path("cut", Path::polygon(&corners))
            }
            Self::Line => path("line", across),
            Self::Second => path("line second", across),
        }
    }
}

/// The entries in lines between the left and the right of `area`, and their bottom.
fn legend(keys: &[(Key, &'static str)], drawn: &[Element], area: Rect) -> (Vec<Element>, f64) {
    let drawn = all(drawn);
    let (mut x, mut y, mut bottom) = (area.left, area.top + LINE / 2.0, area.top);
    let mut entries = Vec::new();
    for (key, words) in keys {
        if !drawn.iter().any(|element| element.has_class(key.class())) {
            continue;
        }
        let label = Label::words((*words).to_owned(), SIZE, 0.0, 0.0, "quiet");
        let length = MARK_WIDTH + BEFORE_WORDS + label.length();
        if x > area.left && x + length > area.right {
            (x, y) = (area.left, y + LINE);
        }
        let place = Rect { left: x, top: y - 6.0, right: x + MARK_WIDTH, bottom: y + 6.0 };
        entries.extend(key.draw(place));
        let label = Label { x: x + MARK_WIDTH + BEFORE_WORDS, y, ..label };
        entries.push(label.centred().into());
        x += length + GAP;
        bottom = y + LINE / 2.0;
    }
    (entries, bottom)
}

const BADGE_HEIGHT: f64 = 20.0;
const BADGE_SIZE: f64 = 11.0;
const BADGE_INSIDE: f64 = 7.0;
const BADGE_LONGEST: f64 = 220.0;

/// The contents of a badge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Badge {
    /// The subject.
    pub name: String,
    /// The message.
    pub words: String,
    /// The description for screen readers.
    pub description: String,
    /// True if that is good, false if it is bad; None if it is neither.
    pub is_better: Option<bool>,
}

impl Badge {
    /// The positions of all elements.
    pub fn scene(&self) -> Scene {
        let cut = |words: &str| shorten(&one_line(words), Face::Sans, BADGE_SIZE, BADGE_LONGEST);
        let (name, words) = (cut(&self.name), cut(&self.words));
        let wide = |words: &str| width(words, Face::Sans, BADGE_SIZE) + 2.0 * BADGE_INSIDE;
        let (middle, width) = (wide(&name), wide(&name) + wide(&words));
        let place = |left: f64, right: f64| Rect { left, top: 0.0, right, bottom: BADGE_HEIGHT };
        let class = match self.is_better {
            Some(true) => "badge-good",
            Some(false) => "badge-bad",
            None => "badge-plain",
        };
        let said = |words: String, left: f64| {
            Label::words(words, BADGE_SIZE, left + BADGE_INSIDE, BADGE_HEIGHT / 2.0, "badge-words")
                .centred()
                .into()
        };
        let elements = vec![
            Element::path("badge-name", [Path::rect(place(0.0, middle))]),
            Element::path(class, [Path::rect(place(middle, width))]),
            said(name.clone(), 0.0),
            said(words, middle),
        ];
        let (title, description) = (name, self.description.clone());
        Scene {
            width,
            height: BADGE_HEIGHT,
            title,
            description,
            elements,
            script: None,
            data: None,
        }
    }
}
