//! The pictures of a sweep, as SVG and as PNG: what is minimised and the memory over the
//! parameters, and both against each other.
//!
//! One parameter makes a curve, two make a map of coloured cells, more cannot be drawn. The plot of
//! one objective against the other, with the front as a staircase, is always there.
//!
//! As in [`super::graph`], whose axes, labels and fonts these are, [`layout`] decides from plain
//! data where everything is, and what renders only writes it down. Nothing here decides which point
//! is worth choosing: that comes in decided.

mod colour;
mod curve;
mod describe;
mod draw;
pub mod layout;
mod legend;
mod map;
mod names;
mod panel;
mod pareto;
mod shape;
mod spacing;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use super::graph::{GraphError, raster};
use crate::metric::Unit;
use crate::spec::parameters::Parameter;

/// Everything the pictures show.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The heading.
    pub title: String,
    /// Where the numbers come from: machine, date, rounds. May be empty.
    pub subtitle: String,
    /// What is minimised; then memory, unless that is what is minimised.
    pub objectives: Vec<Objective>,
    /// The parameters with their values.
    pub parameters: Vec<Parameter>,
    /// What the points are compared with, as words in a sentence: `the default`.
    pub reference: String,
    /// The points; the first is what the others are compared with.
    pub points: Vec<Point>,
}

/// What can be small.
#[derive(Debug, Clone, PartialEq)]
pub struct Objective {
    /// Its name for people.
    pub name: String,
    /// What the values count; they are in the unit itself, without prefix.
    pub unit: Unit,
}

/// One point of the sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// For each parameter the number of its value; none for what is at no value of a parameter.
    pub at: Option<Vec<usize>>,
    /// What was found of each objective; none where there is no reading.
    pub estimates: Vec<Option<Estimate>>,
    /// How it stands among the others.
    pub standing: Standing,
    /// What it is named for, the most important first.
    pub roles: Vec<Role>,
    /// What else its tooltip says, a line each.
    pub remarks: Vec<String>,
}

/// A value with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    value: f64,
    low: f64,
    high: f64,
    /// The value only says "at most this much".
    is_bound: bool,
}

impl Estimate {
    /// A value in `low..=high`; an interval that does not hold it is widened. None where one of
    /// them is no number, and for negative values, which no objective has.
    pub fn new(value: f64, low: f64, high: f64) -> Option<Self> {
        let is_sound = value.is_finite() && value >= 0.0 && low.is_finite() && high.is_finite();
        let (low, high) = (low.min(value).max(0.0), high.max(value));
        is_sound.then_some(Self { value, low, high, is_bound: false })
    }

    /// A value of which only is known that the true one is not larger.
    pub fn at_most(value: f64) -> Option<Self> {
        Self::new(value, value, value).map(|estimate| Self { is_bound: true, ..estimate })
    }
}

/// How a point stands among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is on the front.
    Front,
    /// Another one is better or as good, or there was too little to judge it by.
    Behind,
    /// It took part no more, or does not keep to a limit; its value may be of fewer rounds.
    Left,
    /// It failed.
    Failed,
}

/// What a point is named for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It has least of what is minimised.
    Best,
    /// It has most for its memory.
    Knee,
    /// It has most of the gain for little of the memory.
    Thrifty,
    /// It is what runs when nobody sets a parameter.
    Default,
}

impl Role {
    /// All of them, in the order of the legend.
    pub const ALL: [Self; 4] = [Self::Best, Self::Knee, Self::Thrifty, Self::Default];

    /// The word, as in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Knee => "knee",
            Self::Thrifty => "thrifty",
            Self::Default => "default",
        }
    }
}

impl Point {
    /// The estimate of an objective, where there is one that may be shown: of what failed nothing
    /// is.
    fn shown(&self, objective: usize) -> Option<Estimate> {
        let estimate = self.estimates.get(objective).copied().flatten();
        estimate.filter(|_| self.standing != Standing::Failed)
    }

    fn is_default(&self) -> bool {
        self.roles.contains(&Role::Default)
    }
}

/// The pictures as one SVG document, with a tooltip for each point.
pub fn svg(chart: &Chart) -> String {
    draw::document(chart, &layout::layout(chart), draw::Tooltips::Written)
}

/// The pictures as a PNG file, in the light colours.
///
/// # Errors
/// They are too large; see [`GraphError`].
pub fn png(chart: &Chart) -> Result<Vec<u8>, GraphError> {
    raster::png(&draw::document(chart, &layout::layout(chart), draw::Tooltips::LeftOut))
}
