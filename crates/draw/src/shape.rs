//! The shapes of points, distinct without colour.

use super::path::Path;

/// A shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A large star with five points.
    Star,
    /// A large square on its corner.
    Diamond,
    /// A large triangle.
    Triangle,
    /// A large disc in the first colour.
    Disc,
    /// A small grey disc.
    Dot,
    /// A small circle.
    Circle,
    /// Two lines that cross.
    Cross,
    /// A short line.
    Dash,
    /// A square around another shape.
    Frame,
}

/// The size of named points' shapes, from the middle to the edge.
pub(crate) const LARGE: f64 = 6.5;
/// The size of the frame around the default.
pub(crate) const FRAME: f64 = 8.0;

impl Shape {
    /// Its class in the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Self::Star => "star",
            Self::Diamond => "diamond",
            Self::Triangle => "triangle",
            Self::Disc => "disc",
            Self::Dot => "dot",
            Self::Circle => "circle",
            Self::Cross => "cross",
            Self::Dash => "dash",
            Self::Frame => "frame",
        }
    }

    /// Its radius, if an unnamed point has the radius `radius`.
    pub(crate) fn reach(self, radius: f64) -> f64 {
        match self {
            Self::Star | Self::Diamond | Self::Triangle => LARGE,
            Self::Disc => (1.35 * radius).max(2.5),
            Self::Dot | Self::Circle => radius,
            Self::Cross | Self::Dash => 3.5,
            Self::Frame => FRAME,
        }
    }

    /// Its outline around a point, with this radius.
    pub(crate) fn outline(self, (x, y): (f64, f64), reach: f64) -> Path {
        let (left, right, top, bottom) = (x - reach, x + reach, y - reach, y + reach);
        match self {
            Self::Star => star(x, y, reach),
            Self::Diamond => Path::polygon(&[(x, top), (right, y), (x, bottom), (left, y)]),
            Self::Triangle => {
                let (side, base) = (0.9 * reach, y + 0.65 * reach);
                Path::polygon(&[(x, top), (x + side, base), (x - side, base)])
            }
            Self::Disc | Self::Dot | Self::Circle => Path::circle(x, y, reach),
            Self::Cross => {
                [[left, top, right, bottom], [right, top, left, bottom]].into_iter().collect()
            }
            Self::Dash => Path::line([left, y, right, y]),
            Self::Frame => {
                Path::polygon(&[(left, top), (right, top), (right, bottom), (left, bottom)])
            }
        }
    }
}

/// A star of five points; the inner corners are where its lines would cross.
fn star(x: f64, y: f64, reach: f64) -> Path {
    let inner = reach * 0.45;
    let corner = |index: usize| {
        let angle = std::f64::consts::PI * (index as f64 / 5.0 - 0.5);
        let radius = if index.is_multiple_of(2) { reach } else { inner };
        (x + radius * angle.cos(), y + radius * angle.sin())
    };
    Path::polygon(&(0..10).map(corner).collect::<Vec<_>>())
}

/// Half the height of a pointer.
const POINTER: f64 = 4.0;

/// A triangle that points up if values rise and down if they fall.
pub(crate) fn pointer(x: f64, y: f64, is_up: bool) -> Path {
    let tip = if is_up { -POINTER } else { POINTER };
    let (side, base) = (POINTER - 0.6, y - 0.8 * tip);
    Path::polygon(&[(x - side, base), (x + side, base), (x, y + 0.8 * tip)])
}
