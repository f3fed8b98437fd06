//! The legend: the meanings of the marks that occur.

use super::colour::Colour;
use super::label::{Label, Rect};
use super::path::Path;
use super::plot::{self, SIZE};
use super::scene::{Element, all};
use super::shape::{Shape, pointer};

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
                path(shape.class(), shape.outline((x, y), shape.reach(3.4).min(7.0)))
            }
            Self::Bar => path("bar", Path::line([x, place.top, x, place.bottom])),
            Self::Bound => path("bound", plot::arrow((x, y - 5.0), (0.0, 1.0), 0.0)),
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
                let cross = Shape::Cross.outline((x, y), 3.0);
                vec![Element::path("crossed", [Path::rect(place)]), Element::path("cross", [cross])]
            }
            Self::Trend => path("trend", across),
            Self::Line => path("line", across),
            Self::Second => path("line second", across),
        }
    }
}

/// The entries in lines between the left and the right of `area`, and their bottom.
pub(crate) fn legend(
    keys: &[(Key, &'static str)],
    drawn: &[Element],
    area: Rect,
) -> (Vec<Element>, f64) {
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
