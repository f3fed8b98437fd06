//! The graph of a history: every metric over the commits, as SVG and as PNG.
//!
//! Small multiples, one panel for each metric, share the axis of the commits. A panel's line is
//! constant around each commit and interrupted where there is no reading; a band shows the
//! intervals, a vertical mark each step. `docs/design/graph.md` says why it looks as it does and
//! why brisk draws it itself.
//!
//! What is seen is decided in [`layout`], from plain data and without drawing anything; the
//! renderers only write it down. Nothing here decides whether a metric changed: steps and drifts
//! come in decided.

pub(in crate::report) mod axis;
mod check;
mod commit_labels;
pub mod curves;
mod describe;
mod draw;
pub(in crate::report) mod element;
mod flags;
pub(in crate::report) mod label;
pub mod layout;
mod legend;
pub(in crate::report) mod raster;
pub(in crate::report) mod series;
pub(in crate::report) mod text;
pub(in crate::report) mod xml;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use crate::metric::Unit;

pub use check::GraphError;
pub use raster::PIXELS_PER_UNIT;

/// Everything the graph shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// The heading.
    pub title: String,
    /// Where the numbers come from: range, machine, date. May be empty.
    pub subtitle: String,
    /// The commits, oldest first.
    pub commits: Vec<Commit>,
    /// One for each metric, from top to bottom.
    pub panels: Vec<Panel>,
}

/// One commit of the history.
#[derive(Debug, Clone, PartialEq)]
pub struct Commit {
    /// The abbreviated hash.
    pub hash: String,
    /// The first line of its message. May be empty.
    pub subject: String,
    /// What became of it.
    pub state: State,
}

/// What became of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It was built and measured.
    Measured,
    /// Its artefact is that of an earlier commit, whose readings stand for it.
    SameAs {
        /// The abbreviated hash of the earlier commit.
        hash: String,
    },
    /// Its build failed.
    DidNotBuild,
    /// Nobody measured it.
    NotMeasured,
}

/// One metric over all commits.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The metric's name for people.
    pub name: String,
    /// What the values count; they are in the unit itself, without prefix.
    pub unit: Unit,
    /// One entry for each commit; `None` where there is no reading.
    pub points: Vec<Option<Point>>,
    /// Commits that changed the metric.
    pub steps: Vec<Step>,
    /// Stretches over which it changed little by little.
    pub drifts: Vec<Drift>,
}

/// An estimate at one commit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The estimate, finite.
    pub value: f64,
    /// The lower end of its interval; the value itself where there is no noise.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A commit that changed a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The index of the first commit after the change.
    pub commit: usize,
    /// After over before.
    pub ratio: f64,
    /// The lower end of the ratio's interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Whether it is for the better.
    pub change: Change,
}

/// A change over many commits of which none is a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// The index of the first commit of the stretch.
    pub first: usize,
    /// The index of the last.
    pub last: usize,
    /// At its end over at its beginning.
    pub ratio: f64,
    /// Whether it is for the better.
    pub change: Change,
}

/// Which way something changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// For the better.
    Improved,
    /// For the worse.
    Regressed,
}

impl Change {
    /// The word, as in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Improved => "improved",
            Self::Regressed => "regressed",
        }
    }
}

/// The graph as an SVG document of its own, with a tooltip for each commit and step.
///
/// # Errors
/// The graph contradicts itself, see [`GraphError`].
pub fn svg(graph: &Graph) -> Result<String, GraphError> {
    graph.check()?;
    Ok(draw::document(graph, &layout::layout(graph), draw::Tooltips::Written))
}

/// The graph as a PNG file, in the light colours, with [`PIXELS_PER_UNIT`] pixels for each unit of
/// the SVG. Fonts of the system play no part in it.
///
/// # Errors
/// The graph contradicts itself, or the picture is too large; see [`GraphError`].
pub fn png(graph: &Graph) -> Result<Vec<u8>, GraphError> {
    graph.check()?;
    raster::png(&draw::document(graph, &layout::layout(graph), draw::Tooltips::LeftOut))
}
