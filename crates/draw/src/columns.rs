//! Panels below each other over named columns.
//!
//! A panel's line is level in each column and interrupted at missing values; a band shows the
//! intervals, and a flag on a pole each change. The columns are as wide as their labels need, up to
//! a total width that still fits on a screen; more columns than that are narrower.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::axis::{Axis, Estimate, Kind};
use super::column_labels::{self, Arrangement, Named};
use super::column_lines;
use super::flags::{self, Wanted};
use super::label::{Anchor, Label, Rect};
use super::plot::{self, HEADER, Plot, SIZE};
use super::scene::shown;
use super::scene::{self, Element};
use super::shape::Path;
use super::shape::pointer;
use super::text::{self, Face, one_line};

/// The width of a column, if all columns fit.
const COLUMN: f64 = 22.0;
/// The minimum width of all columns together.
const SHORTEST: f64 = plot::WIDTH;
/// The maximum width of all columns together.
const LONGEST: f64 = 1900.0;
/// The maximum number of columns with tooltips: beyond it each is narrower than a pixel.
pub const MOST_POINTED_AT: usize = LONGEST as usize;
/// The height of a lane of flags.
const LANE: f64 = 15.0;
/// The distance from a flag's pole to its text, for the pointer between them.
const FLAG_INDENT: f64 = 12.0;
/// The maximum length of names and notes that run down.
const LONGEST_DOWN: f64 = 180.0;
/// The distance between panels.
const BETWEEN: f64 = 16.0;
/// The class of the group of tooltip targets, one for each column.
pub(crate) const COLUMNS: &str = "columns";
/// The distance between the panels and their labels if lines connect them.
const LEADERS: f64 = 16.0;

/// Panels over the same columns.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnFigure {
    /// The columns, from left to right.
    pub columns: Vec<Column>,
    /// The panels, from top to bottom.
    pub panels: Vec<ColumnPanel>,
    /// Events between columns, shown in all panels.
    pub events: Vec<Event>,
}

/// An event before a column that is not a change of the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The index of the first column after it.
    pub first: usize,
    /// The tooltip.
    pub tooltip: String,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its short name.
    pub name: String,
    /// A note, shown if there is room. May be empty.
    pub note: String,
    /// The tooltip.
    pub tooltip: String,
    /// A remark on its state, unless that is plain.
    pub remark: String,
    /// Its state.
    pub state: ColumnState,
}

/// The state of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnState {
    /// It has its own values.
    Plain,
    /// Its values are those of another.
    Repeated,
    /// It cannot have values.
    Crossed,
}

/// One value for each column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnPanel {
    /// The name of the values.
    pub name: String,
    /// The first and the last value in words, to the right of the name.
    pub ends: String,
    /// Their axis.
    pub axis: Axis,
    /// The symbols of their unit, the largest first, and the size of each in the plain unit.
    pub scales: Vec<(&'static str, f64)>,
    /// One entry for each column; `None` if it has no value.
    pub points: Vec<Option<Estimate>>,
    /// The changes of the values.
    pub changes: Vec<Change>,
}

/// A change at a column, or over many.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The index of the first column after the change, or of the stretch.
    pub first: usize,
    /// The index of the last column of a stretch.
    pub last: Option<usize>,
    /// After over before; infinite from 0 on.
    pub ratio: f64,
    /// Set if it is an improvement.
    pub is_better: bool,
    /// The text of its flag.
    pub text: String,
    /// The tooltip.
    pub tooltip: String,
}

impl Change {
    /// The width from its pole to the end of its text and a small margin.
    fn width(&self) -> f64 {
        FLAG_INDENT + text::width(&self.text, Face::Sans, SIZE) + 5.0
    }
}

/// The horizontal positions that all panels share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    pub(crate) left: f64,
    pub(crate) pitch: f64,
    pub(crate) right: f64,
}

impl Grid {
    pub(crate) fn edge(self, column: usize) -> f64 {
        self.left + column as f64 * self.pitch
    }

    pub(crate) fn middle(self, column: usize) -> f64 {
        self.edge(column) + self.pitch / 2.0
    }

    /// The columns from `first` to `last`.
    fn stretch(self, plot: Rect, first: usize, last: usize) -> Path {
        Path::rect(Rect { left: self.edge(first), right: self.edge(last + 1), ..plot })
    }
}

/// The figure with its top left corner at this position, and its bottom.
pub(crate) fn place(figure: &ColumnFigure, (left, top): (f64, f64)) -> (Vec<Element>, f64) {
    let grid = grid(figure, left);
    let placed = placed(figure, grid, top);
    let covered = placed.iter().map(|(_, plot)| plot.place).reduce(Rect::and);
    // Invisible targets across all panels, below elements that have their own tooltips.
    let target = |(index, column): (usize, &Column)| {
        let place =
            covered.map(|all| Rect { left: grid.edge(index), right: grid.edge(index + 1), ..all });
        Element::group("column", &column.tooltip, place.map(Element::Target).into_iter().collect())
    };
    let targets = match figure.columns.len() {
        0..=MOST_POINTED_AT => figure.columns.iter().enumerate().map(target).collect(),
        _ => Vec::new(),
    };
    let mut elements = vec![Element::group(COLUMNS, "", targets)];
    elements.extend(figure.panels.iter().zip(&placed).map(|(panel, (lanes, plot))| {
        let mut drawn = ground(figure, panel, grid, *plot);
        drawn.push(Element::group("values", "", column_lines::values(figure, panel, grid, *plot)));
        let flag = |(change, lane)| flag(change, lane, grid.edge(change.first), plot.place);
        drawn.extend(panel.changes.iter().zip(lanes).map(flag));
        drawn.extend(figure.events.iter().map(|one| event(one, grid.edge(one.first), plot.place)));
        let note = note(panel, lanes.iter().filter(|lane| lane.is_none()).count());
        let above = plot.place.top - HEADER - flags_height(lanes);
        drawn.extend(plot::header(&panel.name, &note, &panel.ends, [left, grid.right, above]));
        Element::named("panel", one_line(&panel.name), drawn)
    }));
    let bottom = covered.map_or(top, |all| all.bottom);
    let (below, bottom) = below(figure, grid, bottom);
    elements.push(Element::group("below", "", below));
    (elements, bottom)
}

fn grid(figure: &ColumnFigure, left: f64) -> Grid {
    let count = figure.columns.len() as f64;
    let length = (count * COLUMN).clamp(SHORTEST, LONGEST);
    Grid { left, pitch: length / count, right: left + length }
}

/// The lane of each change's flag in a panel; None if there was no room.
type Lanes = Vec<Option<usize>>;

/// The lanes of each panel's flags, and its plot.
fn placed(figure: &ColumnFigure, grid: Grid, top: f64) -> Vec<(Lanes, Plot<'_>)> {
    let height = plot_height(figure.panels.len());
    let mut y = top;
    let one = |panel| {
        let lanes = lanes(panel, grid);
        let top = y + HEADER + flags_height(&lanes);
        let place = Rect { left: grid.left, top, right: grid.right, bottom: top + height };
        y = place.bottom + BETWEEN;
        (lanes, Plot { place, vertical: &panel.axis })
    };
    figure.panels.iter().map(one).collect()
}

/// The height of all lanes together.
fn flags_height(lanes: &[Option<usize>]) -> f64 {
    lanes.iter().flatten().max().map_or(0.0, |highest| (highest + 1) as f64 * LANE + 4.0)
}

/// The figure as the scripts of a page read it: the positions, and each estimate with its interval
/// as three 32-bit floats, one kind after the other, little-endian, in Base64.
pub(crate) fn data(figure: &ColumnFigure, (left, top): (f64, f64)) -> Value {
    let grid = grid(figure, left);
    let panel = |(panel, (_, plot)): (&ColumnPanel, (Lanes, Plot<'_>))| {
        json!({
            "name": shown(&panel.name),
            "top": plot.place.top,
            "bottom": plot.place.bottom,
            "low": panel.axis.low,
            "high": panel.axis.high,
            "logarithmic": panel.axis.kind == Kind::Logarithmic,
            "scales": panel.scales,
            "estimates": packed(&panel.points),
        })
    };
    let is_repeated = |index: &usize| figure.columns[*index].state == ColumnState::Repeated;
    let remark = |(index, column): (usize, &Column)| {
        (!column.remark.is_empty()).then(|| (index.to_string(), shown(&column.remark)))
    };
    let columns = || figure.columns.iter();
    json!({
        "kind": "columns",
        "left": grid.left,
        "right": grid.right,
        "names": columns().map(|column| shown(&column.name)).collect::<Vec<_>>(),
        "notes": columns().map(|column| shown(&column.note)).collect::<Vec<_>>(),
        "remarks": columns().enumerate().filter_map(remark).collect::<BTreeMap<_, _>>(),
        "repeated": (0..figure.columns.len()).filter(is_repeated).collect::<Vec<_>>(),
        "panels": figure.panels.iter().zip(placed(figure, grid, top)).map(panel).collect::<Vec<_>>(),
    })
}

fn packed(points: &[Option<Estimate>]) -> String {
    let parts: [fn(&Estimate) -> f64; 3] = [|one| one.value, |one| one.low, |one| one.high];
    let of = |part: fn(&Estimate) -> f64| {
        points.iter().map(move |point| point.as_ref().map_or(f32::NAN, |one| part(one) as f32))
    };
    let bytes: Vec<u8> = parts.into_iter().flat_map(of).flat_map(f32::to_le_bytes).collect();
    STANDARD.encode(bytes)
}

/// The height of a plot; with few panels they are higher.
fn plot_height(panels: usize) -> f64 {
    match panels {
        1 => 240.0,
        2 => 170.0,
        3..=6 => 125.0,
        _ => 100.0,
    }
}

/// The lane of each change's flag.
fn lanes(panel: &ColumnPanel, grid: Grid) -> Lanes {
    let wanted = |change: &Change| Wanted {
        x: grid.edge(change.first),
        width: change.width(),
        weight: change.ratio.ln().abs(),
    };
    let mut order: Vec<usize> = (0..panel.changes.len()).collect();
    order.sort_by_key(|index| panel.changes[*index].first);
    let flags: Vec<Wanted> = order.iter().map(|index| wanted(&panel.changes[*index])).collect();
    let mut lanes = vec![None; flags.len()];
    for (index, lane) in order.into_iter().zip(flags::lanes(&flags)) {
        lanes[index] = lane;
    }
    lanes
}

/// The note on the axis and the omitted flags.
fn note(panel: &ColumnPanel, without_label: usize) -> String {
    let left_out = match without_label {
        0 => None,
        1 => Some("1 smaller change without label".to_owned()),
        more => Some(format!("{more} smaller changes without label")),
    };
    let notes: Vec<String> =
        panel.axis.note().map(str::to_owned).into_iter().chain(left_out).collect();
    notes.join("; ")
}

/// The background of the values: columns without value, stretches, the lines of the grid.
fn ground(figure: &ColumnFigure, panel: &ColumnPanel, grid: Grid, plot: Plot<'_>) -> Vec<Element> {
    let without = |is_crossed: bool| {
        let is_wanted = |index: &usize| {
            let is = figure.columns[*index].state == ColumnState::Crossed;
            panel.points[*index].is_none() && is == is_crossed
        };
        let columns: Vec<usize> = (0..figure.columns.len()).filter(is_wanted).collect();
        let stretches = columns.chunk_by(|one, next| one + 1 == *next);
        stretches.map(|run| grid.stretch(plot.place, run[0], run[run.len() - 1])).collect::<Path>()
    };
    let mut under =
        vec![Element::path("gap", [without(false)]), Element::path("crossed", [without(true)])];
    let over = |change: &Change| Some(grid.stretch(plot.place, change.first, change.last?));
    let stretches = panel.changes.iter().filter_map(over);
    under.extend(stretches.map(|stretch| Element::path("stretch", [stretch])));
    let [lines, axes] = plot.ground();
    let mut elements = vec![Element::group("under", "", under), Element::group("ticks", "", lines)];
    elements.extend(axes);
    elements
}

/// A change's pole with its flag; without a flag if it has no lane.
fn flag(change: &Change, lane: &Option<usize>, x: f64, plot: Rect) -> Element {
    let class = plot::sides(change.is_better);
    let middle = |lane: usize| plot.top - 4.0 - (lane as f64 + 0.5) * LANE;
    let top = lane.map_or(plot.top, |lane| middle(lane) - 5.0);
    let label = lane.map(|lane| {
        Label::words(change.text.clone(), SIZE, x + FLAG_INDENT, middle(lane), class.text).centred()
    });
    // A stretch has a coloured ground; its pole only carries the flag.
    let foot = match change.last {
        None => plot.bottom,
        Some(_) => label.as_ref().map_or(top, |label| label.bounds().bottom + 4.0),
    };
    let target = Rect { left: x - 3.0, top, right: x + 3.0, bottom: foot };
    let mut elements =
        vec![Element::lines(class.pole, [[x, top, x, foot]]), Element::Target(target)];
    if let Some(label) = label {
        elements
            .push(Element::path(class.flag, [pointer(x + 5.5, top + 5.0, change.ratio >= 1.0)]));
        elements.push(label.into());
    }
    Element::group("change", &change.tooltip, elements)
}

/// A line before a column, which is moved like a change's pole.
fn event(event: &Event, x: f64, plot: Rect) -> Element {
    let target = Rect { left: x - 3.0, top: plot.top, right: x + 3.0, bottom: plot.bottom };
    let line = Element::lines("pole event", [[x, plot.top, x, plot.bottom]]);
    let mark =
        Path::polygon(&[(x - 4.0, plot.bottom), (x, plot.bottom - 7.0), (x + 4.0, plot.bottom)]);
    let elements = vec![line, Element::path("event-mark", [mark]), Element::Target(target)];
    Element::group("change", &event.tooltip, elements)
}

/// The part below the panels: crosses, names, and lines to names that had to move aside.
fn below(figure: &ColumnFigure, grid: Grid, top: f64) -> (Vec<Element>, f64) {
    let is_crossed = |index: &usize| figure.columns[*index].state == ColumnState::Crossed;
    let crossed: Vec<usize> = (0..figure.columns.len()).filter(is_crossed).collect();
    let marks_bottom = top + if crossed.is_empty() { 5.0 } else { 14.0 };
    // A narrow cross looks like a stroke.
    let half = (grid.pitch / 3.0).clamp(0.1, 3.0);
    let crosses = crossed.into_iter().flat_map(|index| {
        let (left, right) = (grid.middle(index) - half, grid.middle(index) + half);
        [[left, top + 4.0, right, top + 10.0], [right, top + 4.0, left, top + 10.0]]
    });
    let mut elements = vec![Element::lines("cross", crosses)];
    let arrangement = column_labels::arrangement(grid.pitch);
    let leaders = if arrangement == Arrangement::Some { LEADERS } else { 0.0 };
    let mut lines = Vec::new();
    let mut labels = Vec::new();
    for named in named(figure, grid.pitch) {
        let column = &figure.columns[named.column];
        let x = grid.left + named.x;
        if arrangement == Arrangement::Across {
            labels.extend(across(column, x, marks_bottom, grid.pitch - 12.0));
            continue;
        }
        let has_note = arrangement != Arrangement::Some || named.has_change;
        labels.extend(down(column, x, marks_bottom + leaders, has_note));
        let from = grid.middle(named.column);
        lines.push(match arrangement {
            Arrangement::Some => {
                let bend = marks_bottom + 2.0;
                Path::through(&[(from, top), (from, bend), (x, marks_bottom + leaders + 1.0)])
            }
            _ => Path::line([from, top, from, top + 3.0]),
        });
    }
    elements.push(Element::path("leader", lines));
    elements.extend(labels);
    let written = scene::labels(&elements);
    let bottom = written.iter().map(|label| label.bounds().bottom).fold(marks_bottom, f64::max);
    (elements, bottom)
}

/// The columns that are named: of changes, the larger ones first.
fn named(figure: &ColumnFigure, pitch: f64) -> Vec<Named> {
    let mut weights: BTreeMap<usize, f64> = BTreeMap::new();
    let changes = figure.panels.iter().flat_map(|panel| &panel.changes);
    for change in changes.filter(|change| change.last.is_none()) {
        let weight = weights.entry(change.first).or_default();
        *weight = weight.max(change.ratio.ln().abs());
    }
    let changes: Vec<(usize, f64)> = weights.into_iter().collect();
    column_labels::chosen(figure.columns.len(), pitch, &changes)
}

fn across(column: &Column, x: f64, top: f64, room: f64) -> Vec<Element> {
    let name = text::shorten(&one_line(&column.name), Face::Mono, SIZE, room);
    let name = Label::words(name, SIZE, x, top + 13.0, "hash").mono();
    let lines = text::wrap(&one_line(&column.note), Face::Sans, SIZE, room, 2);
    let lines = lines.into_iter().zip(1..).map(|(line, number)| {
        Label::words(line, SIZE, x, top + 13.0 + f64::from(number) * 14.0, "quiet")
    });
    [name].into_iter().chain(lines).map(|label| label.anchored(Anchor::Middle).into()).collect()
}

fn down(column: &Column, x: f64, top: f64, has_note: bool) -> Vec<Element> {
    let name = text::shorten(&one_line(&column.name), Face::Mono, SIZE, LONGEST_DOWN);
    let name = Label::words(name, SIZE, x, top + 3.0, "hash").mono().down();
    let y = name.bounds().bottom + 6.0;
    let note = text::shorten(&one_line(&column.note), Face::Sans, SIZE, LONGEST_DOWN);
    let note =
        (has_note && !note.is_empty()).then(|| Label::words(note, SIZE, x, y, "quiet").down());
    [name].into_iter().chain(note).map(Element::from).collect()
}
