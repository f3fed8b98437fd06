//! Panels below each other over named columns.
//!
//! A panel's line is level in each column and interrupted at missing values; a band shows the
//! intervals, and a flag on a pole each change. The columns are as wide as their labels need, up to
//! a total width that still fits on a screen; more columns than that are narrower.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::axis::{Axis, Estimate, Kind, round_up};
use super::plot::{self, HEADER, Plot, SIZE};
use super::scene::{self, DrawError, Element, shown};
use super::shape::{Path, pointer};
use super::text::{self, Anchor, Face, Label, Rect, one_line};

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
    /// The figures that a reader of a page may choose instead, each with as many panels.
    pub choices: Vec<Choice>,
    /// Events between columns, shown in all panels.
    pub events: Vec<Event>,
}

/// Panels that may take the place of others.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The name by which they are chosen.
    pub name: String,
    /// The panels, from top to bottom.
    pub panels: Vec<ColumnPanel>,
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
    /// Its origin, told on its own line. May be empty.
    pub by: String,
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

impl ColumnFigure {
    pub(crate) fn check(&self) -> Result<(), DrawError> {
        let columns = self.columns.len();
        if columns == 0 {
            return Err(DrawError::NoColumns);
        }
        if self.panels.is_empty() {
            return Err(DrawError::NoPanels);
        }
        if let Some(wrong) = self.events.iter().find(|event| event.first >= columns) {
            let (panel, column) = (wrong.tooltip.clone(), wrong.first);
            return Err(DrawError::Outside { panel, column, columns });
        }
        for panel in &self.panels {
            let name = || panel.name.clone();
            if panel.points.len() != columns {
                return Err(DrawError::Points {
                    panel: name(),
                    points: panel.points.len(),
                    columns,
                });
            }
            for change in &panel.changes {
                let (first, last) = (change.first, change.last.unwrap_or(change.first));
                if last >= columns || first > last {
                    let column = first.max(last);
                    return Err(DrawError::Outside { panel: name(), column, columns });
                }
                if change.ratio.is_nan() || change.ratio < 0.0 {
                    let (column, ratio) = (self.columns[first].name.clone(), change.ratio);
                    return Err(DrawError::Ratio { panel: name(), column, ratio });
                }
            }
        }
        Ok(())
    }
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
pub(crate) fn place(figure: &ColumnFigure, left: f64, top: f64) -> (Vec<Element>, f64) {
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
        drawn.push(Element::group("values", "", values(figure, panel, grid, *plot)));
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
/// as three 32-bit floats, one kind after the other, little-endian, in Base64. An upper bound has no
/// lower end.
pub(crate) fn data(figure: &ColumnFigure, left: f64, top: f64) -> Value {
    let grid = grid(figure, left);
    let placed_panel = |(one, (_, plot)): (&ColumnPanel, (Lanes, Plot<'_>))| {
        let mut panel = panel(one);
        panel["top"] = plot.place.top.into();
        panel["bottom"] = plot.place.bottom.into();
        panel
    };
    let choice = |choice: &Choice| {
        json!({
            "name": shown(&choice.name),
            "panels": choice.panels.iter().map(|one| {
                let mut panel = panel(one);
                panel["ends"] = shown(&one.ends).into();
                panel["note"] = one.axis.note().unwrap_or_default().into();
                panel["changes"] = one.changes.iter().map(change).collect();
                panel
            }).collect::<Vec<_>>(),
        })
    };
    let with_state = |state: ColumnState| -> Vec<usize> {
        (0..figure.columns.len()).filter(|index| figure.columns[*index].state == state).collect()
    };
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
        "by": columns().map(|column| shown(&column.by)).collect::<Vec<_>>(),
        "remarks": columns().enumerate().filter_map(remark).collect::<BTreeMap<_, _>>(),
        "repeated": with_state(ColumnState::Repeated),
        "crossed": with_state(ColumnState::Crossed),
        "panels": figure.panels.iter().zip(placed(figure, grid, top))
            .map(placed_panel).collect::<Vec<_>>(),
        "choices": figure.choices.iter().map(choice).collect::<Vec<_>>(),
    })
}

fn panel(panel: &ColumnPanel) -> Value {
    json!({
        "name": shown(&panel.name),
        "low": panel.axis.low,
        "high": panel.axis.high,
        "logarithmic": panel.axis.kind == Kind::Logarithmic,
        "scales": panel.scales,
        "estimates": packed(&panel.points),
    })
}

fn change(change: &Change) -> Value {
    json!({
        "first": change.first,
        "last": change.last,
        "better": change.is_better,
        "up": change.ratio >= 1.0,
        "text": shown(&change.text),
        "tooltip": change.tooltip.lines().map(shown).collect::<Vec<_>>().join("\n"),
    })
}

fn packed(points: &[Option<Estimate>]) -> String {
    let low = |one: &Estimate| if one.is_bound { f64::NAN } else { one.low };
    let parts: [fn(&Estimate) -> f64; 3] = [|one| one.value, low, |one| one.high];
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
    for (index, lane) in order.into_iter().zip(flag_lanes(&flags)) {
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
    let arrangement = arrangement(grid.pitch);
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
    chosen(figure.columns.len(), pitch, &changes)
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
    let note = plot::cut(&column.note, LONGEST_DOWN);
    let note =
        (has_note && !note.is_empty()).then(|| Label::words(note, SIZE, x, y, "quiet").down());
    [name].into_iter().chain(note).map(Element::from).collect()
}

/// The width of columns from which each value has a dot.
const DOTS_FROM: f64 = 6.0;
const DOT: f64 = 2.4;
/// The width of columns below which lines are thinner.
const DENSE_BELOW: f64 = 4.0;

/// Columns that share a step of the line.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// Its ends from left to right.
    ends: [f64; 2],
    /// The least value and the largest.
    values: [f64; 2],
    /// The value at its end.
    last: f64,
    /// The lowest end of an interval and the highest.
    interval: [f64; 2],
}

impl Step {
    /// None if no column has a value.
    fn from_points(points: &[Option<Estimate>], first: usize, grid: Grid) -> Option<Self> {
        let all = || points.iter().flatten();
        let least = |of: fn(&Estimate) -> f64| all().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn(&Estimate) -> f64| all().map(of).fold(f64::NEG_INFINITY, f64::max);
        Some(Self {
            ends: [grid.edge(first), grid.edge(first + points.len())],
            values: [least(|one| one.value), most(|one| one.value)],
            last: all().last()?.value,
            interval: [least(|one| one.low), most(|one| one.high)],
        })
    }

    /// A level line, after a stroke over all values if they differ.
    fn line(self, plot: Plot<'_>) -> Vec<(f64, f64)> {
        let [from, to] = self.ends;
        let [least, most] = self.values;
        let stroke: &[f64] = if least < most { &[least, most] } else { &[] };
        let mut line: Vec<(f64, f64)> = stroke.iter().map(|value| (from, plot.y(*value))).collect();
        line.extend([(from, plot.y(self.last)), (to, plot.y(self.last))]);
        line
    }

    fn level(self, value: f64, plot: Plot<'_>) -> [(f64, f64); 2] {
        self.ends.map(|x| (x, plot.y(value)))
    }
}

fn values(figure: &ColumnFigure, panel: &ColumnPanel, grid: Grid, plot: Plot<'_>) -> Vec<Element> {
    let steps = steps(&panel.points, grid);
    let runs = || steps.split(Option::is_none).filter(|run| !run.is_empty());
    let line = runs().map(|run| {
        Path::through(&run.iter().flatten().flat_map(|step| step.line(plot)).collect::<Vec<_>>())
    });
    let is_noisy = |run: &&[Option<Step>]| {
        run.iter().flatten().any(|step| step.interval[0] < step.interval[1])
    };
    let band = runs().filter(is_noisy).map(|run| {
        let side = |end: usize| {
            run.iter().flatten().flat_map(move |step| step.level(step.interval[end], plot))
        };
        let below: Vec<(f64, f64)> = side(0).collect();
        let mut around: Vec<(f64, f64)> = side(1).collect();
        around.extend(below.into_iter().rev());
        Path::polygon(&around)
    });
    let class = if grid.pitch < DENSE_BELOW { "line dense" } else { "line" };
    let mut elements = vec![Element::path("band", band), Element::path(class, line)];
    if grid.pitch >= DOTS_FROM {
        elements.extend(dots(figure, panel, grid, plot));
    }
    if grid.pitch >= 2.0 * plot::CUT {
        let points = panel.points.iter().enumerate();
        let given = points.filter_map(|(index, point)| Some((grid.middle(index), point.as_ref()?)));
        elements.push(Element::path("cut", given.flat_map(|(x, point)| plot.cuts(x, point))));
    }
    elements
}

/// The steps, from left to right; None for gaps.
fn steps(points: &[Option<Estimate>], grid: Grid) -> Vec<Option<Step>> {
    let shared = ((1.0 / grid.pitch) as usize).max(1);
    let steps = points.chunks(shared).enumerate();
    steps.map(|(place, points)| Step::from_points(points, place * shared, grid)).collect()
}

fn dots(figure: &ColumnFigure, panel: &ColumnPanel, grid: Grid, plot: Plot<'_>) -> [Element; 2] {
    let dots = |is_repeated: bool| {
        let points = panel.points.iter().zip(&figure.columns).enumerate();
        points.filter_map(move |(index, (point, column))| {
            let is = column.state == ColumnState::Repeated;
            let y = plot.y(point.as_ref()?.value);
            (is == is_repeated).then(|| Path::circle(grid.middle(index), y, DOT))
        })
    };
    [Element::path("dots", dots(false)), Element::path("repeated", dots(true))]
}

/// The minimum distance of labels that run down: the height of their text and a small margin.
const LEAST_DISTANCE: f64 = 13.0;
/// The distance of the columns from which their labels run across.
const ACROSS_FROM: f64 = 96.0;
/// The approximate distance of evenly spaced labels. Arbitrary: enough for orientation.
const EVEN_DISTANCE: f64 = 56.0;

/// The arrangement of the labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arrangement {
    /// All, across.
    Across,
    /// All, running down.
    Down,
    /// Some, running down.
    Some,
}

/// The arrangement for columns at a distance of `pitch`.
fn arrangement(pitch: f64) -> Arrangement {
    match pitch {
        _ if pitch >= ACROSS_FROM => Arrangement::Across,
        _ if pitch >= LEAST_DISTANCE => Arrangement::Down,
        _ => Arrangement::Some,
    }
}

/// A named column.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Named {
    /// Its index.
    column: usize,
    /// The middle of its label, counted from the left end of the axis.
    x: f64,
    /// Set if it is named because of a change.
    has_change: bool,
}

/// The columns to be named, given `columns` columns at a distance of `pitch`. `changes` are the
/// columns of changes, each with its importance.
fn chosen(columns: usize, pitch: f64, changes: &[(usize, f64)]) -> Vec<Named> {
    let middle = |column: usize| (column as f64 + 0.5) * pitch;
    if arrangement(pitch) != Arrangement::Some {
        let changes: BTreeSet<usize> = changes.iter().map(|(column, _)| *column).collect();
        let named =
            |column| Named { column, x: middle(column), has_change: changes.contains(&column) };
        return (0..columns).map(named).collect();
    }
    let length = columns as f64 * pitch;
    let changes = most_important_columns(changes, (length / LEAST_DISTANCE) as usize);
    let wanted: Vec<f64> = changes.iter().map(|column| middle(*column)).collect();
    let places = spread(&wanted, LEAST_DISTANCE, length);
    let named = |(column, x)| Named { column, x, has_change: true };
    let mut named: Vec<Named> = changes.into_iter().zip(places).map(named).collect();
    let every = round_up(EVEN_DISTANCE / pitch).max(1.0) as usize;
    for column in [0, columns - 1].into_iter().chain((0..columns).step_by(every)) {
        let x = middle(column).clamp(LEAST_DISTANCE / 2.0, length - LEAST_DISTANCE / 2.0);
        if named.iter().all(|other| (other.x - x).abs() >= LEAST_DISTANCE) {
            named.push(Named { column, x, has_change: false });
        }
    }
    named.sort_by(|a, b| a.x.total_cmp(&b.x));
    named
}

/// The `room` most important columns, from left to right.
fn most_important_columns(changes: &[(usize, f64)], room: usize) -> Vec<usize> {
    let mut changes = changes.to_vec();
    changes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut kept = BTreeSet::new();
    for (column, _) in changes {
        if kept.len() < room {
            kept.insert(column);
        }
    }
    kept.into_iter().collect()
}

/// Positions at least `distance` apart and half of that from both ends of `0..length`, in the order
/// of `wanted` and, by the sum of squares, as near to it as possible.
///
/// After subtracting the required distances, the positions need only be in order, and the nearest
/// such positions are the isotonic regression of the wanted ones, found by pooling adjacent
/// violators (Ayer et al., *Annals of Mathematical Statistics* 26, 1955); bounds only cut it off.
fn spread(wanted: &[f64], distance: f64, length: f64) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (index, x) in wanted.iter().enumerate() {
        let mut pool = (x - index as f64 * distance, 1);
        while let Some(&(sum, count)) = pools.last() {
            if sum / count as f64 <= pool.0 / pool.1 as f64 {
                break;
            }
            pools.pop();
            pool = (pool.0 + sum, pool.1 + count);
        }
        pools.push(pool);
    }
    let needed = distance * wanted.len() as f64;
    let bounds = (distance / 2.0, (length - needed + distance / 2.0).max(distance / 2.0));
    let means =
        pools.iter().flat_map(|(sum, count)| std::iter::repeat_n(sum / *count as f64, *count));
    means
        .enumerate()
        .map(|(index, mean)| mean.clamp(bounds.0, bounds.1) + index as f64 * distance)
        .collect()
}

/// A flag that needs a position.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Wanted {
    /// The x of its pole.
    x: f64,
    /// Its width to the right of the pole.
    width: f64,
    /// Its importance.
    weight: f64,
}

/// The maximum number of lanes: more would take more room than the curve.
const MOST_LANES: usize = 5;

/// The lane of each flag, 0 the lowest; `None` for flags that are left out because too many more
/// important ones are close. The flags are in the order of their poles.
fn flag_lanes(flags: &[Wanted]) -> Vec<Option<usize>> {
    debug_assert!(flags.is_sorted_by(|a, b| a.x <= b.x), "poles are given from left to right");
    let mut kept = most_important_flags(flags);
    loop {
        match raise(flags, &kept) {
            Ok(lanes) => return lanes,
            Err(least) => kept.retain(|index| *index != least),
        }
    }
}

/// The most important flags, no more than there are places, so that thousands of changes take no
/// time.
fn most_important_flags(flags: &[Wanted]) -> Vec<usize> {
    let narrowest = flags.iter().map(|flag| flag.width).fold(f64::INFINITY, f64::min).max(1.0);
    let span = flags.last().map_or(0.0, |last| last.x) - flags.first().map_or(0.0, |first| first.x);
    let places = (MOST_LANES as f64 * (span / narrowest + 1.0)).ceil() as usize;
    let mut kept: Vec<usize> = (0..flags.len()).collect();
    kept.sort_by(|a, b| flags[*b].weight.total_cmp(&flags[*a].weight).then(a.cmp(b)));
    kept.truncate(places);
    kept.sort_unstable();
    kept
}

/// The lanes of the kept flags, or the least important of those in each other's way.
fn raise(flags: &[Wanted], kept: &[usize]) -> Result<Vec<Option<usize>>, usize> {
    let mut lanes = vec![None; flags.len()];
    for (place, &index) in kept.iter().enumerate().rev() {
        let end = flags[index].x + flags[index].width;
        let covered = || kept[place + 1..].iter().take_while(|other| flags[**other].x < end);
        let lane =
            covered().filter_map(|other| lanes[*other]).max().map_or(0, |lane: usize| lane + 1);
        if lane == MOST_LANES {
            let rivals = covered().chain(std::iter::once(&index));
            let least = rivals.min_by(|a, b| flags[**a].weight.total_cmp(&flags[**b].weight));
            return Err(*least.unwrap_or(&index));
        }
        lanes[index] = Some(lane);
    }
    Ok(lanes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The elements over 40 units in width, of values from 0 to 4 over 100 in height.
    fn elements(points: Vec<Option<Estimate>>) -> Vec<Element> {
        let given: Vec<Estimate> = points.iter().flatten().copied().collect();
        let axis = Axis::from_points(&given, &|value, _| value.to_string());
        assert_eq!((axis.low, axis.high), (0.0, 4.0));
        let column = Column {
            name: String::new(),
            note: String::new(),
            by: String::new(),
            tooltip: String::new(),
            remark: String::new(),
            state: ColumnState::Plain,
        };
        let place = Rect { left: 10.0, top: 0.0, right: 50.0, bottom: 100.0 };
        let grid = Grid { left: 10.0, pitch: 40.0 / points.len() as f64, right: 50.0 };
        let (name, ends, changes) = (String::new(), String::new(), Vec::new());
        let scales = Vec::new();
        let panel = ColumnPanel { name, ends, axis, scales, points, changes };
        let columns = vec![column; panel.points.len()];
        let figure =
            ColumnFigure { columns, panels: Vec::new(), choices: Vec::new(), events: Vec::new() };
        let plot = Plot { place, vertical: &panel.axis };
        values(&figure, &panel, grid, plot)
    }

    fn data(elements: &[Element], class: &str) -> String {
        let mut those = elements.iter().filter(|one| one.has_class(class));
        those.next().and_then(Element::outlines).map(Path::data).unwrap_or_default()
    }

    /// The band and the line.
    fn drawn(points: Vec<Option<Estimate>>) -> (String, String) {
        let elements = elements(points);
        (data(&elements, "band"), data(&elements, "line"))
    }

    #[test]
    fn the_line_is_level_around_each_column_and_ends_at_gaps() {
        let exact = Estimate::exact;
        let (band, line) = drawn(vec![exact(1.0), exact(2.0), None, exact(4.0)]);
        assert_eq!((line.as_str(), band.as_str()), ("M10 75h10v-25h10M40 0h10", ""));
    }

    #[test]
    fn the_band_goes_around_the_intervals() {
        let exact = Estimate::exact(4.0);
        let (band, _) = drawn(vec![Estimate::new(2.0, 1.0, 3.0), exact, None, None]);
        assert_eq!(band, "M10 25h10v-25h10h-10v75h-10z");
    }

    #[test]
    fn an_interval_beyond_the_axis_is_marked_where_it_is_cut() {
        // The axis ends at 4, as the widest interval reaches far beyond all values.
        let cut = |high: f64| {
            let wide = Estimate::new(2.0, 1.0, high);
            data(&elements(vec![wide, Estimate::exact(3.0), Estimate::exact(3.0)]), "cut")
        };
        assert_eq!(cut(90.0), "M16.67 0l-3 6h6z");
        assert_eq!(cut(3.5), "");
    }

    #[test]
    fn columns_narrower_than_a_unit_share_a_step_over_all_their_values() {
        // Four columns to a unit: the first of 40 units contains everything, the rest is level at
        // 2.
        let mut points = vec![Estimate::exact(2.0); 160];
        points[1] = Estimate::new(4.0, 3.0, 4.0);
        points[2] = Estimate::new(1.0, 0.0, 2.0);
        let (band, line) = drawn(points.clone());
        assert!(line.starts_with("M10 75v-75v50h1"), "{line}");
        // The lower edge comes back over the unit that reaches down to 0.
        assert!(band.starts_with("M10 0h1v50h1") && band.ends_with("v50h-1z"), "{band}");
        // A unit without a value is a gap, one with some values is not.
        points[8..12].fill(None);
        points[20] = None;
        assert_eq!(drawn(points).1.matches('M').count(), 2);
    }

    #[test]
    fn all_columns_are_named_where_there_is_room() {
        let named = chosen(40, 22.0, &[(3, 1.0)]);
        assert_eq!(named.len(), 40);
        assert_eq!(named[3], Named { column: 3, x: 77.0, has_change: true });
        assert!(!named[4].has_change);
    }

    #[test]
    fn of_many_columns_those_of_changes_are_named_and_some_between() {
        let changes = [(500, 1.0), (501, 1.0), (502, 1.0)];
        let named = chosen(1000, 1.9, &changes);
        let columns = |of_changes| -> Vec<usize> {
            named.iter().filter(|n| n.has_change == of_changes).map(|n| n.column).collect()
        };
        assert_eq!(columns(true), [500, 501, 502]);
        let between: Vec<usize> =
            (0..1000).step_by(50).filter(|c| *c != 500).chain(std::iter::once(999)).collect();
        assert_eq!(columns(false), between);
        let middle = named.iter().find(|named| named.column == 501).map(|named| named.x);
        assert!((middle.expect("named") - 501.5 * 1.9).abs() < 1e-9);
    }

    #[test]
    fn where_every_column_is_a_step_the_largest_are_named() {
        let changes: Vec<(usize, f64)> =
            (0..5000).map(|c| (c, if c % 50 == 7 { 2.0 } else { 1.0 })).collect();
        let named = chosen(5000, 0.38, &changes);
        assert_eq!(named.len(), 146);
        let large = named.iter().filter(|named| named.column % 50 == 7).count();
        assert_eq!(large, 100);
    }

    /// Minima of the sum of squares: three labels that want the same position are centred on it,
    /// and one at the end stays half a distance away from it.
    #[test]
    fn crowded_labels_move_aside_evenly() {
        assert_eq!(spread(&[50.0, 50.0, 50.0], 10.0, 100.0), [40.0, 50.0, 60.0]);
        assert_eq!(spread(&[20.0, 50.0, 51.0], 10.0, 100.0), [20.0, 45.5, 55.5]);
        assert_eq!(spread(&[99.0, 99.0], 10.0, 100.0), [85.0, 95.0]);
        assert!(spread(&[], 10.0, 100.0).is_empty());
    }

    proptest! {
        #[test]
        fn labels_keep_their_distance_and_stay_within(
            columns in 1..6000_usize,
            pitch in 0.05..30.0_f64,
            changes in prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 0..300),
        ) {
            prop_assume!(columns as f64 * pitch >= 2.0 * LEAST_DISTANCE);
            let changes: Vec<(usize, f64)> = changes
                .into_iter()
                .map(|(at, weight)| ((at * columns as f64) as usize, weight))
                .collect();
            let named = chosen(columns, pitch, &changes);
            let length = columns as f64 * pitch;
            for pair in named.windows(2) {
                prop_assert!(pair[1].x - pair[0].x >= LEAST_DISTANCE.min(pitch.max(LEAST_DISTANCE)) - 1e-6);
            }
            for one in &named {
                prop_assert!(one.x >= LEAST_DISTANCE / 2.0 - 1e-6);
                prop_assert!(one.x <= length - LEAST_DISTANCE / 2.0 + 1e-6);
            }
            let distinct: BTreeSet<usize> = changes.iter().map(|step| step.0).collect();
            let named_changes = named.iter().filter(|one| one.has_change).count();
            let room = (length / LEAST_DISTANCE) as usize;
            prop_assert_eq!(named_changes, distinct.len().min(room));
        }
    }

    fn flags(xs: &[f64]) -> Vec<Wanted> {
        let flag = |(index, x): (usize, &f64)| Wanted { x: *x, width: 10.0, weight: index as f64 };
        xs.iter().enumerate().map(flag).collect()
    }

    #[test]
    fn flags_that_are_close_form_a_staircase() {
        assert_eq!(flag_lanes(&flags(&[0.0, 10.0, 20.0])), [Some(0); 3]);
        assert_eq!(
            flag_lanes(&flags(&[0.0, 4.0, 8.0, 40.0])),
            [Some(2), Some(1), Some(0), Some(0)]
        );
        assert_eq!(flag_lanes(&flags(&[3.0, 3.0])), [Some(1), Some(0)]);
        assert_eq!(flag_lanes(&[]), []);
    }

    #[test]
    fn where_too_many_are_close_the_least_important_go_without() {
        let lanes = flag_lanes(&flags(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        assert_eq!(lanes, [None, None, Some(4), Some(3), Some(2), Some(1), Some(0)]);
    }

    proptest! {
        #[test]
        fn no_flag_covers_another_or_a_pole(
            mut given in prop::collection::vec((0.0..200.0_f64, 5.0..40.0_f64, 0.0..1.0_f64), 0..60),
        ) {
            given.sort_by(|a, b| a.0.total_cmp(&b.0));
            let flags: Vec<Wanted> =
                given.iter().map(|(x, width, weight)| Wanted { x: *x, width: *width, weight: *weight }).collect();
            let lanes = flag_lanes(&flags);
            prop_assert!(flags.is_empty() || lanes.iter().any(Option::is_some));
            for (a, lane_a) in flags.iter().zip(&lanes) {
                for (b, lane_b) in flags.iter().zip(&lanes) {
                    let (Some(lane_a), Some(lane_b)) = (lane_a, lane_b) else { continue };
                    let b_begins_below_a = b.x > a.x && b.x < a.x + a.width;
                    prop_assert!(!b_begins_below_a || lane_b < lane_a, "{a:?} {b:?}");
                }
            }
        }
    }
}
