//! Points and curves in panels below each other, over a common axis.
//!
//! The axis below shows amounts or given values. Neighbouring values are joined by a line if the
//! values are numbers; words along the axis have nothing between them, and no line. Names of points
//! are where they hide least, without overlaps.

use super::axis::{Axis, Estimate, Spacing, SpacingKind, thinned};
use super::plot::{self, HEADER, Plot, SIZE, Toward, WIDTH};
use super::scene::{self, DrawError, Element};
use super::shape::{FRAME, Path, Segment, Shape};
use super::text::{self, Anchor, Face, Label, Rect, one_line, shorten};

/// The distance from the edge of the plot to the first and the last of given values.
const INSET: f64 = 24.0;
/// The height of the row below a plot with the marks of points without value.
const ROW: f64 = 15.0;
/// The maximum length of labels that run down, and of names beside a plot.
const LONGEST: f64 = 120.0;
/// The distance between panels.
const BETWEEN: f64 = 12.0;
/// The radius of the marks, if there is room.
const RADIUS: f64 = 3.4;
/// The number of points above which the marks are smaller.
const DENSE_ABOVE: usize = 120;
/// The distance between lines of words above a panel.
const LINE: f64 = 15.0;
/// The maximum distance of a label below a plot beyond its edges.
const OVERHANG: f64 = 30.0;

/// The corners of a line.
type Corners = Vec<(f64, f64)>;

/// Panels over the same axis.
#[derive(Debug, Clone, PartialEq)]
pub struct PointFigure {
    /// The axis below the last panel.
    pub across: Across,
    /// The panels, from top to bottom.
    pub panels: Vec<PointPanel>,
}

/// The contents of the axis below.
#[derive(Debug, Clone, PartialEq)]
pub enum Across {
    /// Amounts, with their name.
    Axis(Axis, String),
    /// Given values; a point's x is the index of its value.
    Values(Values),
}

/// Values that were chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// The name of the quantity.
    pub name: String,
    /// The values as given.
    pub labels: Vec<String>,
    /// The importance of each value, for choosing labels if there is no room for all.
    pub weights: Vec<u32>,
    /// The positions of the values.
    pub spacing: Spacing,
}

/// A panel.
#[derive(Debug, Clone, PartialEq)]
pub struct PointPanel {
    /// The name of the panel.
    pub name: String,
    /// The note beside the name.
    pub note: String,
    /// The sentences below the name.
    pub sentences: Vec<String>,
    /// The height of its plot.
    pub height: f64,
    /// The vertical axis.
    pub vertical: Axis,
    /// The points.
    pub spots: Vec<Spot>,
    /// The indices of the named points, with their names, the most important first.
    pub names: Vec<(usize, String)>,
    /// The indices of the points that others are compared with: lines that fall to the right join
    /// them, and points above or to the right of these are worse.
    pub front: Vec<usize>,
    /// Lines that stand for one value.
    pub references: Vec<Reference>,
    /// Curves.
    pub curves: Vec<Curve>,
}

impl PointPanel {
    /// An empty panel without a name.
    pub fn new(height: f64, vertical: Axis) -> Self {
        Self {
            name: String::new(),
            note: String::new(),
            sentences: Vec::new(),
            height,
            vertical,
            spots: Vec::new(),
            names: Vec::new(),
            front: Vec::new(),
            references: Vec::new(),
            curves: Vec::new(),
        }
    }
}

/// A point.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// Its position along the axis below.
    pub x: Estimate,
    /// Its height; a point without value is marked below the plot.
    pub y: Option<Estimate>,
    /// Its mark.
    pub shape: Shape,
    /// Set if it has a frame around it.
    pub is_framed: bool,
    /// The tooltip.
    pub tooltip: String,
}

/// A line across a panel.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// Its height.
    pub value: f64,
    /// Its name.
    pub name: String,
    /// The tooltip.
    pub tooltip: String,
}

/// A curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Set if it is drawn in the second colour.
    pub is_second: bool,
    /// Its points, from left to right.
    pub places: Vec<(f64, f64)>,
}

impl PointFigure {
    pub(crate) fn check(&self) -> Result<(), DrawError> {
        if self.panels.is_empty() {
            return Err(DrawError::NoPanels);
        }
        let is_sound = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
        let wrong = self.panels.iter().find(|panel| {
            panel.curves.iter().flat_map(|curve| &curve.places).any(|place| !is_sound(place))
        });
        wrong.map_or(Ok(()), |panel| Err(DrawError::Curve { panel: panel.name.clone() }))
    }
}

impl Across {
    /// The horizontal position of a value, from 0 to 1.
    fn share(&self, x: f64) -> f64 {
        match self {
            Self::Axis(axis, _) => axis.place(x),
            Self::Values(values) => {
                let share = values.spacing.shares.get(x as usize).copied().unwrap_or(0.5);
                (INSET + share * (WIDTH - 2.0 * INSET)) / WIDTH
            }
        }
    }

    /// The radius of the marks for this number of points.
    fn radius(&self, spots: usize) -> f64 {
        match self {
            Self::Axis(..) if spots > DENSE_ABOVE => 2.0,
            Self::Axis(..) => RADIUS,
            Self::Values(values) => {
                let pitch = (WIDTH - 2.0 * INSET) / values.labels.len().max(1) as f64;
                (0.4 * pitch).clamp(1.2, RADIUS)
            }
        }
    }
}

/// The figure with its top left corner at this position, and its bottom.
pub(crate) fn place(figure: &PointFigure, left: f64, top: f64) -> (Vec<Element>, f64) {
    let (mut elements, mut bottom, mut last) = (Vec::new(), top - BETWEEN, None);
    for panel in &figure.panels {
        let placed = Placed::new(panel, &figure.across, left, bottom + BETWEEN);
        bottom = placed.bottom();
        let name = one_line(&panel.name);
        elements.push(Element::named("panel", name, placed.elements()));
        last = Some(placed.plot);
    }
    let below = match (&figure.across, last) {
        (Across::Axis(axis, name), Some(plot)) => plot.below(axis, name, bottom),
        (Across::Values(values), Some(plot)) => values.below(plot, &figure.across, bottom),
        (_, None) => Vec::new(),
    };
    let written = scene::labels(&below);
    let bottom = written.iter().map(|label| label.bounds().bottom + 2.0).fold(bottom, f64::max);
    elements.extend(below);
    (elements, bottom)
}

impl Values {
    /// The values below a panel as far as there is room, and the name of the quantity.
    fn below(&self, plot: Plot<'_>, across: &Across, top: f64) -> Vec<Element> {
        let place = plot.place;
        let label = |index: usize| {
            let x = plot.x(across.share(index as f64));
            let text = plot::cut(&self.labels[index], LONGEST);
            Label::words(text, SIZE, x, top + 17.0, "quiet")
        };
        let labels: Vec<Label> = (0..self.labels.len()).map(label).collect();
        let level =
            labels.iter().cloned().map(|label| within(label.anchored(Anchor::Middle), place));
        let upright = labels.iter().cloned().map(|label| Label { y: top + 7.0, ..label }.down());
        let (level, upright) =
            (self.fitting(level.collect(), 8.0), self.fitting(upright.collect(), 2.0));
        let mut shown = if level.len() >= upright.len() { level } else { upright };
        let bottom = shown.iter().map(|label| label.bounds().bottom).fold(top, f64::max);
        let kind = match self.spacing.kind {
            SpacingKind::Logarithmic => " (logarithmic axis)",
            SpacingKind::Linear | SpacingKind::Even => "",
        };
        let room = WIDTH - text::width(kind, Face::Sans, SIZE);
        let name = plot::cut(&self.name, room) + kind;
        let name = Label::words(name, SIZE, place.middle().0, bottom + 17.0, "name");
        shown.push(name.anchored(Anchor::Middle));
        shown.into_iter().map(Element::from).collect()
    }

    /// The labels that fit with `gap` between them.
    fn fitting(&self, labels: Vec<Label>, gap: f64) -> Vec<Label> {
        let order = &self.spacing.order;
        let extent = |index: &usize| {
            let bounds = labels[*index].bounds();
            (bounds.left, bounds.right)
        };
        let extents: Vec<(f64, f64)> = order.iter().map(extent).collect();
        let weights: Vec<u32> = order.iter().map(|index| self.weights[*index]).collect();
        let shown = thinned(&extents, &weights, gap);
        let kept = order.iter().zip(shown).filter(|(_, shown)| *shown);
        kept.map(|(index, _)| labels[*index].clone()).collect()
    }
}

/// A label with its middle at its x, moved so that it does not reach far beyond the plot.
pub(crate) fn within(label: Label, plot: Rect) -> Label {
    let half = label.length() / 2.0;
    let x = label.x.min(plot.right + OVERHANG - half).max(plot.left - OVERHANG + half);
    Label { x, ..label }
}

/// A panel in its position.
struct Placed<'a> {
    panel: &'a PointPanel,
    across: &'a Across,
    top: f64,
    plot: Plot<'a>,
    sentences: Vec<Label>,
    /// The middles of the marks.
    places: Vec<(f64, f64)>,
    radius: f64,
}

impl<'a> Placed<'a> {
    fn new(panel: &'a PointPanel, across: &'a Across, left: f64, top: f64) -> Self {
        let wrap = |sentence: &String| text::wrap(&one_line(sentence), Face::Sans, SIZE, WIDTH, 2);
        let lines = panel.sentences.iter().flat_map(wrap).zip(1..);
        let sentence = |(line, number): (String, i32)| {
            Label::words(line, SIZE, left, top + 15.0 + f64::from(number) * LINE, "quiet")
        };
        let sentences: Vec<Label> = lines.map(sentence).collect();
        let below = if sentences.is_empty() { 0.0 } else { sentences.len() as f64 * LINE + 5.0 };
        let top_of_plot = top + HEADER + below;
        let bottom = top_of_plot + panel.height;
        let place = Rect { left, top: top_of_plot, right: left + WIDTH, bottom };
        let plot = Plot { place, vertical: &panel.vertical };
        let middle = |spot: &Spot| {
            let below = bottom + ROW / 2.0 + 1.0;
            let y = spot.y.map_or(below, |estimate| plot.y(estimate.value));
            (plot.x(across.share(spot.x.value)), y)
        };
        let places = panel.spots.iter().map(middle).collect();
        let radius = across.radius(panel.spots.len());
        Self { panel, across, top, plot, sentences, places, radius }
    }

    fn bottom(&self) -> f64 {
        let has_row = self.panel.spots.iter().any(|spot| spot.y.is_none());
        self.plot.place.bottom + if has_row { ROW } else { 0.0 }
    }

    /// The radius of a point's mark with its frame.
    fn reach(&self, spot: &Spot) -> f64 {
        let reach = spot.shape.reach(self.radius);
        if spot.is_framed { reach.max(FRAME) } else { reach }
    }

    fn elements(&self) -> Vec<Element> {
        let (panel, place) = (self.panel, self.plot.place);
        let mut elements = self.plot.ground().concat();
        if let Across::Axis(axis, _) = self.across {
            elements.extend(self.plot.upright(axis));
        }
        elements.extend(panel.references.iter().map(|reference| self.reference(reference)));
        let lines = [("line", self.joined()), ("front", self.staircase().into_iter().collect())];
        let drawn = |corners: &Vec<(f64, f64)>| Path::through(corners);
        let curves = panel.curves.iter().map(|curve| {
            let at = |(x, y): &(f64, f64)| (self.plot.x(self.across.share(*x)), self.plot.y(*y));
            let class = if curve.is_second { "line second" } else { "line" };
            (class, vec![curve.places.iter().map(at).collect()])
        });
        let names = self.names(&lines);
        let paths = lines.iter().cloned().chain(curves);
        elements.extend(paths.map(|(class, lines)| Element::path(class, lines.iter().map(drawn))));
        // Important points are drawn over others.
        let mut order: Vec<usize> = (0..panel.spots.len()).collect();
        order.sort_by_key(|index| importance(&panel.spots[*index]));
        elements.extend(order.into_iter().map(|index| self.spot(index)));
        elements.extend(names);
        let ends = [place.left, place.right, self.top];
        elements.extend(plot::header(&panel.name, &panel.note, "", ends));
        elements.extend(self.sentences.iter().cloned().map(Element::from));
        elements
    }

    /// A line across the panel with its name at the end.
    fn reference(&self, reference: &Reference) -> Element {
        let (place, y) = (self.plot.place, self.plot.y(reference.value));
        let name = plot::cut(&reference.name, LONGEST);
        let label = Label::words(name, SIZE, place.right + 6.0, y, "named").centred();
        let line = Element::lines("reference", [[place.left, y, place.right, y]]);
        Element::group("point", &reference.tooltip, vec![line, label.into()])
    }

    /// Runs of neighbouring points with values, unless the values are spaced evenly.
    fn joined(&self) -> Vec<Vec<(f64, f64)>> {
        let Across::Values(Values { spacing, .. }) = self.across else { return Vec::new() };
        let place = |value: &usize| {
            let mut spots = self.panel.spots.iter().zip(&self.places);
            let is_it =
                |(spot, _): &(&Spot, _)| spot.x.value as usize == *value && spot.y.is_some();
            spots.find(is_it).map(|(_, place)| *place)
        };
        let places: Vec<Option<(f64, f64)>> = match spacing.kind {
            SpacingKind::Even => Vec::new(),
            SpacingKind::Linear | SpacingKind::Logarithmic => {
                spacing.order.iter().map(place).collect()
            }
        };
        let runs = places.split(Option::is_none).filter(|run| run.len() > 1);
        runs.map(|run| run.iter().flatten().copied().collect()).collect()
    }

    /// A line from the top of the plot down and to its right edge, with a corner at each point of
    /// the front that is below those to its left.
    fn staircase(&self) -> Option<Vec<(f64, f64)>> {
        let place = self.plot.place;
        let mut front: Vec<(f64, f64)> =
            self.panel.front.iter().map(|index| self.places[*index]).collect();
        front.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
        let mut level = place.top;
        let mut line = vec![(front.first()?.0, level)];
        for (x, y) in front {
            if y > level || line.len() == 1 {
                line.extend([(x, level), (x, y)]);
                level = y;
            }
        }
        line.push((place.right, level));
        line.dedup();
        Some(line)
    }

    /// The names of points, where they hide least.
    fn names(&self, lines: &[(&'static str, Vec<Corners>)]) -> Vec<Element> {
        let spots = &self.panel.spots;
        let wanted = self.panel.names.iter().map(|(index, name)| Wanted {
            x: self.places[*index].0,
            y: self.places[*index].1,
            reach: self.reach(&spots[*index]),
            text: one_line(name),
        });
        let wanted: Vec<Wanted> = wanted.collect();
        let marks = spots.iter().zip(&self.places);
        let marks = marks.map(|(spot, (x, y))| Rect::around(*x, *y, self.reach(spot)));
        let bars =
            spots.iter().zip(&self.places).flat_map(|(spot, (x, y))| self.bars(spot, *x, *y));
        let steps = lines.iter().flat_map(|(_, lines)| lines).flat_map(|line| line.windows(2));
        let steps = steps.map(|pair| [pair[0].0, pair[0].1, pair[1].0, pair[1].1]);
        let hidden: Vec<Rect> = marks.chain(bars.chain(steps).flat_map(along)).collect();
        let names = place_names(&wanted, &hidden, self.plot.place);
        names
            .into_iter()
            .flat_map(|name| [Element::lines("leader", name.leader), name.label.into()])
            .collect()
    }

    fn bars(&self, spot: &Spot, x: f64, y: f64) -> Vec<Segment> {
        let at_x = |value: f64| self.plot.x(self.across.share(value));
        let at_y = |value: f64| self.plot.y(value);
        let noisy = |estimate: &Estimate| estimate.low < estimate.high;
        let upright = spot.y.filter(noisy).map(|of| [x, at_y(of.high), x, at_y(of.low)]);
        let across = Some(spot.x).filter(noisy).map(|of| [at_x(of.low), y, at_x(of.high), y]);
        upright.into_iter().chain(across).collect()
    }

    fn spot(&self, index: usize) -> Element {
        let spot = &self.panel.spots[index];
        let (x, y) = self.places[index];
        let reach = self.reach(spot);
        let bounds = [(spot.y, Toward::Bottom), (Some(spot.x), Toward::Left)];
        let arrows = bounds.into_iter().filter(|(of, _)| of.is_some_and(|of| of.is_bound));
        let frame = spot.is_framed.then(|| Shape::Frame.outline(x, y, FRAME));
        let outline = spot.shape.outline(x, y, spot.shape.reach(self.radius));
        let elements = vec![
            Element::lines("bar", self.bars(spot, x, y)),
            Element::path("cut", spot.y.iter().flat_map(|one| self.plot.cuts(x, one))),
            Element::path("bound", arrows.map(|(_, to)| plot::arrow(x, y, to, reach))),
            Element::path(Shape::Frame.class(), frame),
            Element::path(spot.shape.class(), [outline]),
            Element::Target(Rect::around(x, y, reach.max(5.0))),
        ];
        Element::group("point", &spot.tooltip, elements)
    }
}

fn importance(spot: &Spot) -> u8 {
    match spot.shape {
        Shape::Star | Shape::Diamond | Shape::Triangle => 3,
        Shape::Disc => 2,
        _ if spot.is_framed => 2,
        Shape::Dot => 1,
        _ => 0,
    }
}

const LONGEST_NAME: f64 = 260.0;
/// The additional distance that counts for a name that hides a mark or a part of a line.
const HIDING: f64 = 12.0;
/// The distance from which a line leads from the name to its point.
const LEADER_FROM: f64 = 14.0;

/// A name that needs a position.
#[derive(Debug, Clone, PartialEq)]
struct Wanted {
    x: f64,
    y: f64,
    /// The radius of its mark.
    reach: f64,
    text: String,
}

/// A name in its position.
#[derive(Debug, Clone, PartialEq)]
struct Name {
    label: Label,
    /// The line from its point to the name, unless that is just beside it.
    leader: Option<Segment>,
}

/// The names within `area`, in order of priority; names that do not fit are left out.
fn place_names(wanted: &[Wanted], obstacles: &[Rect], area: Rect) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    for one in wanted {
        let taken: Vec<Rect> = names.iter().map(|name| name.label.bounds()).collect();
        let cost = |(label, distance): &(Label, f64)| {
            let bounds = label.bounds();
            let is_possible =
                area.holds(&bounds) && !taken.iter().any(|other| other.overlaps(&bounds));
            let hidden = obstacles.iter().filter(|obstacle| obstacle.overlaps(&bounds)).count();
            is_possible.then_some(distance + HIDING * hidden as f64)
        };
        let costs = candidates(one).into_iter().filter_map(|it| cost(&it).map(|cost| (cost, it)));
        let best = costs.min_by(|(a, _), (b, _)| a.total_cmp(b));
        if let Some((_, (label, distance))) = best {
            let leader = (distance >= LEADER_FROM).then(|| leader(one, &label));
            names.push(Name { label, leader });
        }
    }
    names
}

/// The positions around the point, the nearest and most readable first, each with its distance.
fn candidates(wanted: &Wanted) -> Vec<(Label, f64)> {
    let text = shorten(&wanted.text, Face::Sans, SIZE, LONGEST_NAME);
    let mut all = Vec::new();
    for (ring, distance) in [3.0, 8.0, 16.0, 28.0, 44.0, 64.0, 90.0, 120.0].into_iter().enumerate()
    {
        let reach = wanted.reach + distance;
        for (turn, (across, down, anchor)) in DIRECTIONS.into_iter().enumerate() {
            let (x, y) = (wanted.x + across * reach, wanted.y + down * (reach + 0.5 * SIZE));
            let label = Label::words(text.clone(), SIZE, x, y, "named").anchored(anchor).centred();
            let preference = 0.2 * (turn + ring) as f64;
            all.push((label, distance + preference));
        }
    }
    all
}

/// The directions of a name from its point, and the end that is there.
const DIRECTIONS: [(f64, f64, Anchor); 8] = [
    (1.0, 0.0, Anchor::Start),
    (0.7, -0.7, Anchor::Start),
    (0.0, -1.0, Anchor::Middle),
    (0.7, 0.7, Anchor::Start),
    (0.0, 1.0, Anchor::Middle),
    (-1.0, 0.0, Anchor::End),
    (-0.7, -0.7, Anchor::End),
    (-0.7, 0.7, Anchor::End),
];

/// The line from the edge of the mark to the nearest point of the name's edge.
fn leader(wanted: &Wanted, label: &Label) -> Segment {
    let bounds = label.bounds();
    let (to_x, to_y) =
        (wanted.x.clamp(bounds.left, bounds.right), wanted.y.clamp(bounds.top, bounds.bottom));
    let (across, down) = (to_x - wanted.x, to_y - wanted.y);
    let share = (wanted.reach / across.hypot(down).max(wanted.reach)).min(1.0);
    [wanted.x + share * across, wanted.y + share * down, to_x, to_y]
}

/// A line as small rectangles, as an obstacle for names.
fn along([from_x, from_y, to_x, to_y]: Segment) -> Vec<Rect> {
    let steps = ((to_x - from_x).hypot(to_y - from_y) / 8.0).ceil().clamp(1.0, 400.0);
    let part = |index: usize| {
        let share = (index as f64 + 0.5) / steps;
        let (x, y) = (from_x + share * (to_x - from_x), from_y + share * (to_y - from_y));
        Rect { left: x - 1.0, top: y - 1.0, right: x + 1.0, bottom: y + 1.0 }
    };
    (0..steps as usize).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_staircase_has_a_corner_at_each_point_of_the_front() {
        let plain = |value: f64, _| value.to_string();
        let spot = |x: f64, y: f64| Spot {
            x: Estimate::exact(x).expect("a number"),
            y: Estimate::exact(y),
            shape: Shape::Disc,
            is_framed: false,
            tooltip: String::new(),
        };
        let panel = PointPanel {
            spots: vec![spot(3.0, 1.0), spot(1.0, 3.0), spot(2.0, 2.0), spot(3.5, 3.5)],
            front: vec![0, 1, 2],
            ..PointPanel::new(100.0, Axis::from_zero(4.0, &plain))
        };
        let across = Across::Axis(Axis::from_zero(4.0, &plain), String::new());
        let placed = Placed::new(&panel, &across, 100.0, 0.0);
        let line = placed.staircase().expect("there is a front");
        for index in &panel.front {
            assert!(line.contains(&placed.places[*index]), "{index} in {line:?}");
        }
        assert!(!line.contains(&placed.places[3]));
        // Less of one objective is more of the other: the line runs to the right and down.
        assert!(line.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1));
        assert_eq!(line.first().map(|first| first.1), Some(placed.plot.place.top));
        assert_eq!(line.last().map(|last| last.0), Some(placed.plot.place.right));
    }

    const AREA: Rect = Rect { left: 0.0, top: 0.0, right: 680.0, bottom: 240.0 };

    fn wanted(x: f64, y: f64, text: &str) -> Wanted {
        Wanted { x, y, reach: 5.0, text: text.to_owned() }
    }

    #[test]
    fn a_name_is_to_the_right_of_its_point_unless_something_is_there() {
        let free = place_names(&[wanted(100.0, 100.0, "best")], &[], AREA);
        assert_eq!((free[0].label.x, free[0].label.anchor), (108.0, Anchor::Start));
        assert_eq!(free[0].leader, None);
        let mark = Rect { left: 110.0, top: 90.0, right: 120.0, bottom: 110.0 };
        let beside = place_names(&[wanted(100.0, 100.0, "best")], &[mark], AREA);
        assert!(!mark.overlaps(&beside[0].label.bounds()));
        let at_the_edge = place_names(&[wanted(679.0, 100.0, "best")], &[], AREA);
        assert!(AREA.holds(&at_the_edge[0].label.bounds()));
    }

    #[test]
    fn a_name_in_a_crowd_is_led_to() {
        let crowd: Vec<Rect> = (0..100)
            .map(|n| {
                let (x, y) = (80.0 + f64::from(n % 10) * 5.0, 85.0 + f64::from(n / 10) * 5.0);
                Rect { left: x - 2.0, top: y - 2.0, right: x + 2.0, bottom: y + 2.0 }
            })
            .collect();
        let names = place_names(&[wanted(100.0, 100.0, "best")], &crowd, AREA);
        let leader = names[0].leader.expect("it is not near");
        let bounds = names[0].label.bounds();
        assert!(crowd.iter().all(|mark| !mark.overlaps(&bounds)));
        let distance = (leader[0] - 100.0).hypot(leader[1] - 100.0);
        assert!((distance - 5.0).abs() < 1e-9, "it begins at the edge of the mark");
    }

    proptest! {
        #[test]
        fn names_are_inside_and_apart(
            given in prop::collection::vec((0.0..680.0_f64, 0.0..240.0_f64, "\\PC{1,50}"), 1..8),
        ) {
            let wanted: Vec<Wanted> = given.iter().map(|(x, y, text)| wanted(*x, *y, text)).collect();
            let names = place_names(&wanted, &[], AREA);
            prop_assert!(!names.is_empty());
            for (index, name) in names.iter().enumerate() {
                prop_assert!(AREA.holds(&name.label.bounds()));
                for other in &names[index + 1..] {
                    prop_assert!(!name.label.bounds().overlaps(&other.label.bounds()));
                }
            }
        }
    }
}
