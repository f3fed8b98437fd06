//! The shapes that stand for points. They differ without colour.

use super::{Point, Role, Standing};
use crate::report::graph::label::Rect;
use crate::report::graph::series::number;

/// A shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// The best point: a star.
    Star,
    /// The knee: a diamond.
    Diamond,
    /// The thrifty one: a triangle.
    Triangle,
    /// Another point of the front: a large disc.
    Front,
    /// A point behind the front: a small disc.
    Behind,
    /// A point that left: a circle.
    Circle,
    /// A point that failed: a cross.
    Cross,
    /// No reading: a dash.
    Dash,
    /// What is put around the default: a square.
    Frame,
}

/// The size of named points' shapes, from the middle to the edge.
pub(super) const LARGE: f64 = 6.5;
/// The size of the frame around the default.
pub(super) const FRAME: f64 = 8.0;

impl Shape {
    /// The shape of a point that has a value.
    pub(super) fn of(point: &Point) -> Self {
        let role = point.roles.iter().find_map(|role| Self::of_role(*role));
        match point.standing {
            Standing::Failed => Self::Cross,
            Standing::Left => Self::Circle,
            Standing::Front => role.unwrap_or(Self::Front),
            Standing::Behind => role.unwrap_or(Self::Behind),
        }
    }

    /// The shape of a role; none for the default, which has a frame around whatever it is.
    pub(super) fn of_role(role: Role) -> Option<Self> {
        match role {
            Role::Best => Some(Self::Star),
            Role::Knee => Some(Self::Diamond),
            Role::Thrifty => Some(Self::Triangle),
            Role::Default => None,
        }
    }

    /// Its class in the style sheet.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Star | Self::Diamond | Self::Triangle => "role",
            Self::Front => "front",
            Self::Behind => "behind",
            Self::Circle => "left",
            Self::Cross => "cross",
            Self::Dash => "unread",
            Self::Frame => "frame",
        }
    }

    /// How far it reaches from its middle where an unnamed point has the radius `radius`.
    pub(super) fn reach(self, radius: f64) -> f64 {
        match self {
            Self::Star | Self::Diamond | Self::Triangle => LARGE,
            Self::Front => (1.35 * radius).max(2.5),
            Self::Behind | Self::Circle => radius,
            Self::Cross | Self::Dash => 3.5,
            Self::Frame => FRAME,
        }
    }

    /// Its outline around a point, reaching so far.
    pub(super) fn outline(self, x: f64, y: f64, reach: f64) -> String {
        match self {
            Self::Star => star(x, y, reach),
            Self::Diamond => {
                polygon(&[(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)])
            }
            Self::Triangle => {
                let (side, base) = (0.9 * reach, y + 0.65 * reach);
                polygon(&[(x, y - reach), (x + side, base), (x - side, base)])
            }
            Self::Front | Self::Behind | Self::Circle => {
                let radius = number(reach);
                format!("M{} {}a{radius} {radius} 0 1 1 0 .01z", number(x - reach), number(y))
            }
            Self::Cross => {
                let (left, top, size) = (number(x - reach), number(y - reach), number(2.0 * reach));
                format!("M{left} {top}l{size} {size}m0 -{size}l-{size} {size}")
            }
            Self::Dash => format!("M{} {}h{}", number(x - reach), number(y), number(2.0 * reach)),
            Self::Frame => {
                let (left, right, top, bottom) = (x - reach, x + reach, y - reach, y + reach);
                polygon(&[(left, top), (right, top), (right, bottom), (left, bottom)])
            }
        }
    }
}

/// The square that it fits into.
pub(super) fn around(x: f64, y: f64, reach: f64) -> Rect {
    Rect { left: x - reach, top: y - reach, right: x + reach, bottom: y + reach }
}

fn polygon(corners: &[(f64, f64)]) -> String {
    let corner = |(x, y): &(f64, f64)| format!("{} {}", number(*x), number(*y));
    let corners: Vec<String> = corners.iter().map(corner).collect();
    format!("M{}z", corners.join("L"))
}

/// A star of five points; the inner corners are where its lines would cross.
fn star(x: f64, y: f64, reach: f64) -> String {
    let inner = reach * 0.45;
    let corner = |index: usize| {
        let angle = std::f64::consts::PI * (index as f64 / 5.0 - 0.5);
        let radius = if index.is_multiple_of(2) { reach } else { inner };
        (x + radius * angle.cos(), y + radius * angle.sin())
    };
    polygon(&(0..10).map(corner).collect::<Vec<_>>())
}
