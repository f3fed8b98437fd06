//! The legend: what the marks mean, for those marks that occur.

use super::label::{Label, Rect};
use super::{Change, Graph, State};

/// The size of the legend's text.
const SIZE: f64 = 10.5;
/// From one line to the next.
const LINE: f64 = 18.0;
/// Between a mark and its words.
const MARK_WIDTH: f64 = 22.0;
/// Between one entry and the next.
const GAP: f64 = 20.0;

/// A kind of mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A step or a drift for the better or the worse.
    Change(Change),
    /// A stretch of drift.
    Drift,
    /// A band of intervals.
    Interval,
    /// A commit that is the same program as an earlier one.
    Same,
    /// A commit that did not build.
    DidNotBuild,
    /// No reading.
    Gap,
}

/// A mark with its meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The mark.
    pub mark: Mark,
    /// Where it is drawn.
    pub place: Rect,
    /// What it means.
    pub label: Label,
}

/// The entries for the marks of `graph` in lines from `left` to `right`, and where they end below.
pub(super) fn legend(graph: &Graph, has_dots: bool, area: Rect) -> (Vec<Entry>, f64) {
    let (mut x, mut y) = (area.left, area.top + LINE / 2.0);
    let mut entries = Vec::new();
    for (mark, words) in marks(graph, has_dots) {
        let label =
            Label::words(words.to_owned(), SIZE, x + MARK_WIDTH + 6.0, y, "quiet").centred();
        let length = MARK_WIDTH + 6.0 + label.length();
        if x > area.left && x + length > area.right {
            (x, y) = (area.left, y + LINE);
        }
        let label = Label { x: x + MARK_WIDTH + 6.0, ..label };
        let label = Label { y, ..label }.centred();
        let place = Rect { left: x, top: y - 6.0, right: x + MARK_WIDTH, bottom: y + 6.0 };
        entries.push(Entry { mark, place, label });
        x += length + GAP;
    }
    let bottom = if entries.is_empty() { area.top } else { y + LINE / 2.0 };
    (entries, bottom)
}

fn marks(graph: &Graph, has_dots: bool) -> Vec<(Mark, &'static str)> {
    let panels = || graph.panels.iter();
    let steps_are = |change| panels().flat_map(|p| &p.steps).any(|step| step.change == change);
    let has_state = |wanted: fn(&State) -> bool| graph.commits.iter().any(|c| wanted(&c.state));
    let has_gap = panels()
        .flat_map(|panel| panel.points.iter().zip(&graph.commits))
        .any(|(point, commit)| point.is_none() && commit.state != State::DidNotBuild);
    let mut points = panels().flat_map(|panel| panel.points.iter().flatten());
    let candidates = [
        (steps_are(Change::Improved), Mark::Change(Change::Improved), "improved here"),
        (steps_are(Change::Regressed), Mark::Change(Change::Regressed), "regressed here"),
        (panels().any(|panel| !panel.drifts.is_empty()), Mark::Drift, "drift over many commits"),
        (points.any(|point| point.low < point.high), Mark::Interval, "interval of the estimate"),
        (
            has_dots && has_state(|state| matches!(state, State::SameAs { .. })),
            Mark::Same,
            "same program as an earlier commit",
        ),
        (has_state(|state| *state == State::DidNotBuild), Mark::DidNotBuild, "did not build"),
        (has_gap, Mark::Gap, "no reading"),
    ];
    candidates
        .into_iter()
        .filter(|(occurs, ..)| *occurs)
        .map(|(_, mark, words)| (mark, words))
        .collect()
}
