//! Where everything is: decided from the graph alone, in the units of the SVG.
//!
//! The columns of the commits are as wide as their labels need, up to a limit that still fits on a
//! screen; from there on more commits make narrower columns. Each panel has its name above it, the
//! flags of its steps in as many lanes as they need, and its own axis.

use std::collections::BTreeMap;

use super::axis::Axis;
use super::commit_labels::{self, Arrangement};
use super::describe;
use super::flags::{self, Wanted};
pub use super::label::{Anchor, Direction, Label, Rect};
use super::legend;
pub use super::legend::{Entry, Mark};
pub use super::text::Face;
use super::text::{self, one_line};
use super::{Change, Commit, Graph, Panel, State};

/// A commit's column is so wide, while that fits.
const COLUMN: f64 = 22.0;
/// The axis of the commits is at least so long.
const SHORTEST: f64 = 640.0;
/// And at most.
const LONGEST: f64 = 1900.0;
/// Commits have a dot each when their columns are at least so wide.
const DOTS_FROM: f64 = 6.0;
/// Around everything.
pub(in crate::report) const MARGIN: f64 = 16.0;
/// The height of a lane of flags.
const LANE: f64 = 15.0;
/// From a flag's pole to its text: the triangle is between.
const FLAG_INDENT: f64 = 12.0;
/// Subjects of commits are cut to this length where they run down.
const LONGEST_SUBJECT: f64 = 180.0;
/// Between the end of an axis and its labels where lines lead from one to the other.
const LEADERS: f64 = 16.0;

/// The size of what is written in panels and below.
pub(in crate::report) const SIZE: f64 = 10.5;

/// Where everything is.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// From the left to the right of the picture.
    pub width: f64,
    /// From its top to its bottom.
    pub height: f64,
    /// The width of a commit's column.
    pub pitch: f64,
    /// Whether each commit has a dot.
    pub has_dots: bool,
    /// Title and subtitle.
    pub heading: Vec<Label>,
    /// The panels, from top to bottom.
    pub panels: Vec<PanelLayout>,
    /// The row of marks below the last panel.
    pub marks: Rect,
    /// The commits that are named.
    pub commits: Vec<CommitLabel>,
    /// What the marks mean.
    pub legend: Vec<Entry>,
}

/// Where the parts of a panel are.
#[derive(Debug, Clone, PartialEq)]
pub struct PanelLayout {
    /// Where the values are drawn.
    pub plot: Rect,
    /// How values become heights.
    pub axis: Axis,
    /// The name and what is said beside it.
    pub header: Vec<Label>,
    /// What is written beside the axis.
    pub ticks: Vec<Label>,
    /// The steps and drifts, from left to right.
    pub flags: Vec<Flag>,
}

/// A step or a drift in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Flag {
    /// Which.
    pub of: FlagOf,
    /// Where its pole is: at the left edge of the commit's column.
    pub x: f64,
    /// The top of its pole.
    pub top: f64,
    /// Its text; `None` where there was no room.
    pub label: Option<Label>,
}

/// What a flag stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagOf {
    /// The step with this index in its panel.
    Step(usize),
    /// The drift with this index.
    Drift(usize),
}

/// A commit that is named.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitLabel {
    /// The index of the commit.
    pub commit: usize,
    /// The middle of its column.
    pub column: f64,
    /// The middle of its label.
    pub x: f64,
    /// Its hash, and where there is room its subject.
    pub labels: Vec<Label>,
}

impl Layout {
    /// Everything that is written.
    pub fn labels(&self) -> impl Iterator<Item = &Label> {
        let in_panels = self.panels.iter().flat_map(|panel| {
            let flags = panel.flags.iter().filter_map(|flag| flag.label.as_ref());
            panel.header.iter().chain(&panel.ticks).chain(flags)
        });
        let of_commits = self.commits.iter().flat_map(|commit| &commit.labels);
        let of_legend = self.legend.iter().map(|entry| &entry.label);
        self.heading.iter().chain(in_panels).chain(of_commits).chain(of_legend)
    }
}

/// The horizontal positions that all panels share.
#[derive(Debug, Clone, Copy)]
struct Columns {
    left: f64,
    pitch: f64,
    right: f64,
}

/// The places of everything in `graph`, which must have passed [`Graph::check`].
pub fn layout(graph: &Graph) -> Layout {
    let axes: Vec<Axis> =
        graph.panels.iter().map(|panel| Axis::of(&panel.points, panel.unit)).collect();
    let columns = columns(graph, &axes);
    let right_margin = right_margin(graph, columns);
    let width = columns.right + right_margin;
    let (heading, mut y) = heading(&graph.title, &graph.subtitle, width - 2.0 * MARGIN);
    let height = plot_height(graph.panels.len());
    let mut panels = Vec::new();
    for (panel, axis) in graph.panels.iter().zip(axes) {
        let placed = place_panel(panel, axis, columns, y, height);
        y = placed.plot.bottom + 16.0;
        panels.push(placed);
    }
    let bottom = y - 16.0;
    let has_marks = graph.commits.iter().any(|commit| commit.state == State::DidNotBuild);
    let marks_bottom = bottom + if has_marks { 14.0 } else { 5.0 };
    let marks =
        Rect { left: columns.left, top: bottom, right: columns.right, bottom: marks_bottom };
    let (commits, y) = commit_names(graph, columns, marks_bottom);
    let has_dots = columns.pitch >= DOTS_FROM;
    let area = Rect { left: columns.left, top: y + 10.0, right: width - MARGIN, bottom: y };
    let (legend, y) = legend::legend(graph, has_dots, area);
    let (pitch, height) = (columns.pitch, y + MARGIN - 4.0);
    Layout { width, height, pitch, has_dots, heading, panels, marks, commits, legend }
}

fn columns(graph: &Graph, axes: &[Axis]) -> Columns {
    let ticks = axes.iter().flat_map(|axis| &axis.ticks);
    let widest = ticks.map(|tick| text::width(&tick.label, Face::Sans, SIZE)).fold(0.0, f64::max);
    let left = (MARGIN + widest + 8.0).ceil();
    let count = graph.commits.len() as f64;
    let length = (count * COLUMN).clamp(SHORTEST, LONGEST);
    Columns { left, pitch: length / count, right: left + length }
}

impl Columns {
    fn edge(self, commit: usize) -> f64 {
        self.left + commit as f64 * self.pitch
    }
}

/// Few panels may be higher.
fn plot_height(panels: usize) -> f64 {
    match panels {
        1 => 240.0,
        2 => 170.0,
        3..=6 => 125.0,
        _ => 100.0,
    }
}

/// Title and subtitle, as wide as there is room, and where they end below.
pub(in crate::report) fn heading(title: &str, subtitle: &str, room: f64) -> (Vec<Label>, f64) {
    let mut labels = Vec::new();
    let mut y = MARGIN;
    for (text, size, lines, class) in [(title, 18.0, 2, "title"), (subtitle, 11.0, 3, "quiet")] {
        for line in text::wrap(&one_line(text), Face::Sans, size, room, lines) {
            y += size * 1.3;
            labels.push(Label::words(line, size, MARGIN, y - 0.3 * size, class));
        }
    }
    (labels, y + 12.0)
}

/// A flag before it has a lane.
struct Unplaced {
    of: FlagOf,
    x: f64,
    text: String,
    weight: f64,
    class: &'static str,
}

impl Unplaced {
    /// From its pole to the end of its text and a little air.
    fn width(&self) -> f64 {
        FLAG_INDENT + text::width(&self.text, Face::Sans, SIZE) + 5.0
    }
}

/// Steps and drifts from left to right.
fn unplaced(panel: &Panel, columns: Columns) -> Vec<Unplaced> {
    let steps = panel.steps.iter().enumerate().map(|(index, step)| Unplaced {
        of: FlagOf::Step(index),
        x: columns.edge(step.commit),
        text: describe::change(step.ratio),
        weight: step.ratio.ln().abs(),
        class: class(step.change),
    });
    let drifts = panel.drifts.iter().enumerate().map(|(index, drift)| Unplaced {
        of: FlagOf::Drift(index),
        x: columns.edge(drift.first),
        text: format!("drift {}", describe::change(drift.ratio)),
        weight: drift.ratio.ln().abs(),
        class: class(drift.change),
    });
    let mut all: Vec<Unplaced> = steps.chain(drifts).collect();
    all.sort_by(|a, b| a.x.total_cmp(&b.x));
    all
}

/// The class of what is for the better or the worse.
pub(super) fn class(change: Change) -> &'static str {
    match change {
        Change::Improved => "improved",
        Change::Regressed => "regressed",
    }
}

/// As much as the last flags reach beyond the axis.
fn right_margin(graph: &Graph, columns: Columns) -> f64 {
    let flags = graph.panels.iter().flat_map(|panel| unplaced(panel, columns));
    let reach = flags.map(|flag| flag.x + flag.width() - columns.right).fold(MARGIN, f64::max);
    reach.ceil() + 4.0
}

fn place_panel(panel: &Panel, axis: Axis, columns: Columns, top: f64, height: f64) -> PanelLayout {
    let unplaced = unplaced(panel, columns);
    let wanted: Vec<Wanted> = unplaced
        .iter()
        .map(|flag| Wanted { x: flag.x, width: flag.width(), weight: flag.weight })
        .collect();
    let lanes = flags::lanes(&wanted);
    let lane_count = lanes.iter().flatten().max().map_or(0, |highest| highest + 1);
    let plot_top = top + 22.0 + lane_count as f64 * LANE + 4.0;
    let plot =
        Rect { left: columns.left, top: plot_top, right: columns.right, bottom: plot_top + height };
    let without_label = lanes.iter().filter(|lane| lane.is_none()).count();
    let header = header(panel, &axis, columns, top + 13.0, without_label);
    let tick = |tick: &super::axis::Tick| {
        let y = plot.bottom - axis.place(tick.value) * height;
        let label = Label::words(tick.label.clone(), SIZE, columns.left - 7.0, y, "quiet");
        label.anchored(Anchor::End).centred()
    };
    let ticks = axis.ticks.iter().map(tick).collect();
    let flags =
        unplaced.into_iter().zip(lanes).map(|(flag, lane)| place_flag(flag, lane, plot_top));
    PanelLayout { plot, header, ticks, flags: flags.collect(), axis }
}

fn place_flag(flag: Unplaced, lane: Option<usize>, plot_top: f64) -> Flag {
    let Unplaced { of, x, text, class, .. } = flag;
    let Some(lane) = lane else { return Flag { of, x, top: plot_top, label: None } };
    let middle = plot_top - 4.0 - (lane as f64 + 0.5) * LANE;
    let label = Label::words(text, SIZE, x + FLAG_INDENT, middle, class).centred();
    Flag { of, x, top: middle - 5.0, label: Some(label) }
}

/// The panel's name, what has to be known of its axis, and at the right its first and last value.
fn header(
    panel: &Panel,
    axis: &Axis,
    columns: Columns,
    y: f64,
    without_label: usize,
) -> Vec<Label> {
    let mut notes: Vec<String> = axis.note().map(str::to_owned).into_iter().collect();
    match without_label {
        0 => {}
        1 => notes.push("1 smaller change without label".to_owned()),
        more => notes.push(format!("{more} smaller changes without label")),
    }
    let note = notes.join("; ");
    let ends = describe::ends(panel).unwrap_or_else(|| "no readings".to_owned());
    let ends = Label::words(ends, SIZE, columns.right, y, "quiet").anchored(Anchor::End);
    let taken = ends.length() + text::width(&note, Face::Sans, SIZE) + 24.0;
    let room = columns.right - columns.left - taken;
    let name = text::shorten(&one_line(&panel.name), Face::Sans, 13.0, room);
    let name = Label::words(name, 13.0, columns.left, y, "name");
    let note = Label::words(note, SIZE, columns.left + name.length() + 12.0, y, "quiet");
    [name, note, ends].into_iter().filter(|label| !label.text.is_empty()).collect()
}

/// The labels of the commits below `top`, and where they end.
fn commit_names(graph: &Graph, columns: Columns, top: f64) -> (Vec<CommitLabel>, f64) {
    let arrangement = commit_labels::arrangement(columns.pitch);
    let leaders = if arrangement == Arrangement::Some { LEADERS } else { 0.0 };
    let mut weights: BTreeMap<usize, f64> = BTreeMap::new();
    for step in graph.panels.iter().flat_map(|panel| &panel.steps) {
        let weight = weights.entry(step.commit).or_default();
        *weight = weight.max(step.ratio.ln().abs());
    }
    let steps: Vec<(usize, f64)> = weights.into_iter().collect();
    let named = commit_labels::chosen(graph.commits.len(), columns.pitch, &steps);
    let label = |named: &commit_labels::Named| {
        let commit = &graph.commits[named.commit];
        let x = columns.left + named.x;
        let has_subject = arrangement != Arrangement::Some || named.is_step;
        let labels = match arrangement {
            Arrangement::Across => across(commit, x, top, columns.pitch - 12.0),
            Arrangement::Down | Arrangement::Some => down(commit, x, top + leaders, has_subject),
        };
        let column = columns.edge(named.commit) + columns.pitch / 2.0;
        CommitLabel { commit: named.commit, column, x, labels }
    };
    let commits: Vec<CommitLabel> = named.iter().map(label).collect();
    let labels = commits.iter().flat_map(|commit| &commit.labels);
    let bottom = labels.map(|label| label.bounds().bottom).fold(top, f64::max);
    (commits, bottom)
}

/// The subject as it is written below the graph, with what became of the commit where that is why
/// it has no point.
fn subject(commit: &Commit) -> String {
    let subject = one_line(&commit.subject);
    match commit.state {
        State::Measured | State::SameAs { .. } => subject,
        State::DidNotBuild => format!("did not build: {subject}"),
        State::NotMeasured => format!("not measured: {subject}"),
    }
}

fn across(commit: &Commit, x: f64, top: f64, room: f64) -> Vec<Label> {
    let hash = text::shorten(&one_line(&commit.hash), Face::Mono, SIZE, room);
    let mut labels =
        vec![Label::words(hash, SIZE, x, top + 13.0, "hash").mono().anchored(Anchor::Middle)];
    for (index, line) in
        text::wrap(&subject(commit), Face::Sans, SIZE, room, 2).into_iter().enumerate()
    {
        let y = top + 13.0 + (index + 1) as f64 * 14.0;
        labels.push(Label::words(line, SIZE, x, y, "quiet").anchored(Anchor::Middle));
    }
    labels
}

fn down(commit: &Commit, x: f64, top: f64, has_subject: bool) -> Vec<Label> {
    let hash = text::shorten(&one_line(&commit.hash), Face::Mono, SIZE, LONGEST_SUBJECT);
    let hash = Label::words(hash, SIZE, x, top + 3.0, "hash").mono().down();
    let y = hash.bounds().bottom + 6.0;
    let mut labels = vec![hash];
    let subject = text::shorten(&subject(commit), Face::Sans, SIZE, LONGEST_SUBJECT);
    if has_subject && !subject.is_empty() {
        labels.push(Label::words(subject, SIZE, x, y, "quiet").down());
    }
    labels
}
