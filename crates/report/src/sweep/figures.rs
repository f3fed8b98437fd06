//! The pictures of a sweep: the minimised metric and the memory over the parameters, and both
//! against each other.
//!
//! One parameter gives curves, two give maps, more cannot be drawn. The plot of one objective
//! against the other, with the front as a staircase, is always drawn.

use super::{name, reference, shown_best, state, to_first, value};
use crate::pictures;
use draw::axis::Spacing;
use draw::map::{Cell, MapFigure};
use draw::points::{Across, PointFigure, PointPanel, Reference, Spot, Values};
use draw::{Axis, Chart, Estimate, Figure, Key, Shape};
use findings::{ComparedPair, Document, PointState, SweepFinding, SweepPoint};
use model::metric::{MetricId, Unit};
use model::spec::parameters::{self, Parameter};
use words::counted;
use words::quantity::scale_for;

const KEYS: [(Key, &str); 13] = [
    (Key::Shape(Shape::Star), "best"),
    (Key::Shape(Shape::Diamond), "knee: most for its memory"),
    (Key::Shape(Shape::Triangle), "thrifty: most of the gain, little of the memory"),
    (Key::Shape(Shape::Disc), "on the front"),
    (Key::Shape(Shape::Dot), "behind the front"),
    (Key::Shape(Shape::Frame), "default"),
    (Key::Shape(Shape::Circle), "stopped early, or over a limit"),
    (Key::Hatched, "the same in a map"),
    (Key::Shape(Shape::Cross), "failed"),
    (Key::Shape(Shape::Dash), "no reading"),
    (Key::Bar, "interval"),
    (Key::Cut, "the interval goes on beyond the axis"),
    (Key::Bound, "at most this"),
];

/// The content of the pictures.
#[derive(Debug, Clone)]
struct Sketch {
    title: String,
    /// The origin of the numbers: machine, date, rounds.
    subtitle: String,
    /// The minimised metric; then memory, unless that is the minimised one.
    objectives: Vec<Objective>,
    parameters: Vec<Parameter>,
    /// The reference of the comparisons, as words in a sentence: `the default`.
    reference: String,
    /// The points; the first is the reference of the others.
    points: Vec<Point>,
}

/// A quantity to minimise.
#[derive(Debug, Clone)]
struct Objective {
    name: String,
    unit: Unit,
}

/// One point of the sweep.
#[derive(Debug, Clone)]
struct Point {
    name: String,
    /// The index of its value for each parameter; `None` if one lacks its value.
    at: Option<Vec<usize>>,
    /// The estimate of each objective; `None` if it was not read.
    estimates: Vec<Option<Estimate>>,
    standing: Standing,
    /// Its roles, most important first.
    roles: Vec<Role>,
    /// Further lines of its tooltip.
    remarks: Vec<String>,
}

/// The standing of a point among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// On the front.
    Front,
    /// Another point is better or as good, or there was too little to judge it by.
    Behind,
    /// Dropped, or beyond a limit; its value may come from fewer rounds.
    Left,
    /// Failed.
    Failed,
}

/// The role of a point that earns it a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The smallest value of the minimised metric.
    Best,
    /// The greatest gain for its memory.
    Knee,
    /// Most of the gain for little of the memory.
    Thrifty,
    /// The point that runs if no parameter is set.
    Default,
}

impl Role {
    /// All roles, most important first.
    const ALL: [Self; 4] = [Self::Best, Self::Knee, Self::Thrifty, Self::Default];

    fn word(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Knee => "knee",
            Self::Thrifty => "thrifty",
            Self::Default => "default",
        }
    }

    /// Its shape; `None` for the default, which has a frame around its other shape.
    fn shape(self) -> Option<Shape> {
        match self {
            Self::Best => Some(Shape::Star),
            Self::Knee => Some(Shape::Diamond),
            Self::Thrifty => Some(Shape::Triangle),
            Self::Default => None,
        }
    }
}

impl Point {
    /// The estimate of an objective, if it may be shown: failed points show none.
    fn shown(&self, objective: usize) -> Option<Estimate> {
        let estimate = self.estimates.get(objective).copied().flatten();
        estimate.filter(|_| self.standing != Standing::Failed)
    }

    fn both(&self) -> Option<(Estimate, Estimate)> {
        self.shown(0).zip(self.shown(1))
    }

    fn is_default(&self) -> bool {
        self.roles.contains(&Role::Default)
    }

    fn role_shape(&self) -> Option<Shape> {
        self.roles.iter().find_map(|role| role.shape())
    }

    /// Its shape, with or without a value.
    fn shape(&self, has_value: bool) -> Shape {
        match (self.standing, has_value) {
            (Standing::Failed, _) => Shape::Cross,
            (_, false) => Shape::Dash,
            (Standing::Left, true) => Shape::Circle,
            (Standing::Front, true) => self.role_shape().unwrap_or(Shape::Disc),
            (Standing::Behind, true) => self.role_shape().unwrap_or(Shape::Dot),
        }
    }

    fn words(&self) -> String {
        self.roles.iter().map(|role| role.word()).collect::<Vec<_>>().join(", ")
    }
}

impl Sketch {
    fn chart(&self) -> Chart {
        let objectives = (0..self.objectives.len()).filter(|objective| self.is_drawn(*objective));
        let mut figures: Vec<Figure> = match self.parameters.len() {
            1 => vec![Figure::Points(PointFigure {
                across: Across::Values(self.values(0)),
                panels: objectives.map(|objective| self.curve(objective)).collect(),
            })],
            2 => objectives.map(|objective| Figure::Map(self.map(objective))).collect(),
            _ => Vec::new(),
        };
        let is_drawn = figures.is_empty() || self.is_drawn(1);
        figures.extend(self.against().filter(|_| is_drawn).map(Figure::Points));
        Chart {
            title: self.title.clone(),
            subtitle: self.subtitle.clone(),
            description: self.description(),
            figures,
            keys: KEYS.to_vec(),
        }
    }

    fn values(&self, parameter: usize) -> Values {
        let Parameter { name, values } = &self.parameters[parameter];
        let numbers: Vec<Option<f64>> =
            values.iter().map(|value| parameters::number(value)).collect();
        // Values of named points matter most, then those of the front.
        let weight = |value: usize| {
            let at = |point: &&Point| point.at.as_ref().is_some_and(|at| at[parameter] == value);
            let weight = |point: &Point| match point.standing {
                _ if !point.roles.is_empty() => 2,
                Standing::Front => 1,
                _ => 0,
            };
            self.points.iter().filter(at).map(weight).max().unwrap_or(0)
        };
        Values {
            name: name.clone(),
            labels: values.clone(),
            weights: (0..values.len()).map(weight).collect(),
            spacing: Spacing::from_values(&numbers),
        }
    }

    fn axis(&self, objective: usize, is_shown: impl Fn(&Point) -> bool) -> Axis {
        let points = self.points.iter().filter(|point| is_shown(point));
        let shown: Vec<Estimate> = points.filter_map(|point| point.shown(objective)).collect();
        Axis::from_points(&shown, &pictures::along(self.objectives[objective].unit))
    }

    /// A panel for an objective; the points come with their numbers.
    fn panel(&self, vertical: Axis, spots: Vec<(usize, Spot)>) -> PointPanel {
        let named = spots.iter().enumerate().filter_map(|(place, (number, _))| {
            let point = &self.points[*number];
            let (roles, first) = (point.words(), point.roles.first()?);
            let name = match roles == point.name {
                true => roles,
                false => format!("{roles}: {}", point.name),
            };
            Some((Role::ALL.iter().position(|role| role == first), (place, name)))
        });
        let mut named: Vec<_> = named.collect();
        named.sort_by_key(|(rank, _)| *rank);
        PointPanel {
            names: named.into_iter().map(|(_, name)| name).collect(),
            spots: spots.into_iter().map(|(_, spot)| spot).collect(),
            ..PointPanel::new(220.0, vertical)
        }
    }

    fn spot(&self, number: usize, x: Estimate, y: Option<Estimate>) -> (usize, Spot) {
        let point = &self.points[number];
        let (shape, is_framed) = (point.shape(y.is_some()), y.is_some() && point.is_default());
        (number, Spot { x, y, shape, is_framed, tooltip: self.tooltip(point) })
    }

    /// One objective over the values of the only parameter.
    fn curve(&self, objective: usize) -> PointPanel {
        let (mut spots, mut references) = (Vec::new(), Vec::new());
        for (number, point) in self.points.iter().enumerate() {
            let x = point.at.as_ref().and_then(|at| Estimate::exact(*at.first()? as f64));
            match (x, point.shown(objective)) {
                (Some(x), shown) => spots.push(self.spot(number, x, shown)),
                // A point at no value of the parameter is a line across.
                (None, Some(shown)) => references.push(Reference {
                    value: shown.value,
                    name: point.name.clone(),
                    tooltip: self.tooltip(point),
                }),
                (None, None) => {}
            }
        }
        let panel = self.panel(self.axis(objective, |_| true), spots);
        let name = self.objectives[objective].name.clone();
        match objective {
            0 => PointPanel { name, references, ..panel },
            _ => PointPanel { name, references, height: 150.0, names: Vec::new(), ..panel },
        }
    }

    /// True for the minimised metric, and for memory unless all its values are upper bounds, which
    /// would be a line of points that say nothing.
    fn is_drawn(&self, objective: usize) -> bool {
        let mut shown = self.points.iter().filter_map(|point| point.shown(objective));
        objective == 0 || shown.any(|estimate| !estimate.is_bound)
    }

    /// The minimised metric against memory; `None` if memory is the minimised one.
    fn against(&self) -> Option<PointFigure> {
        let [minimized, memory] = self.objectives.as_slice() else { return None };
        let is_shown = |point: &Point| point.both().is_some();
        let spots = self.points.iter().enumerate().filter_map(|(number, point)| {
            let (minimized, memory) = point.both()?;
            Some(self.spot(number, memory, Some(minimized)))
        });
        let spots: Vec<(usize, Spot)> = spots.collect();
        let is_front = |number: usize| self.points[number].standing == Standing::Front;
        // A point that may yet be worse than another is on the front, but not a corner of its line.
        let is_beaten = |spot: &Spot| {
            let mut others = spots.iter().filter(|(number, _)| is_front(*number));
            others.any(|(_, other)| is_within(other, spot) && !is_within(spot, other))
        };
        let front = spots.iter().enumerate().filter(|(_, (number, _))| is_front(*number));
        let front = front.filter(|(_, (_, spot))| !is_beaten(spot));
        let front = front.map(|(place, _)| place).collect();
        let panel = PointPanel {
            name: format!("{} against {}", minimized.name, memory.name),
            note: self.not_shown(is_shown),
            height: 320.0,
            front,
            ..self.panel(self.axis(0, is_shown), spots)
        };
        let across = Across::Axis(self.axis(1, is_shown), memory.name.clone());
        Some(PointFigure { across, panels: vec![panel] })
    }

    /// The numbers of points that cannot be shown: those that failed, and those that were not read.
    fn not_shown(&self, is_shown: impl Fn(&Point) -> bool) -> String {
        let missing = |has_failed: bool, words: &str| {
            let missing = self.points.iter().filter(|point| !is_shown(point));
            let is_it = |point: &&Point| (point.standing == Standing::Failed) == has_failed;
            match missing.filter(is_it).count() {
                0 => None,
                count => Some(format!("{} {words}", counted(count, "point"))),
            }
        };
        let all = [missing(true, "failed"), missing(false, "without reading")];
        all.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// One objective over both parameters; the one with more values runs across.
    fn map(&self, objective: usize) -> MapFigure {
        let count = |parameter: usize| self.parameters[parameter].values.len();
        let (across, up) = if count(1) > count(0) { (1, 0) } else { (0, 1) };
        let Objective { name, unit } = &self.objectives[objective];
        let value = |point: &Point| point.shown(objective).map(|shown| shown.value);
        let first = self.points.first().and_then(value).filter(|value| *value > 0.0);
        let in_cells = self.points.iter().filter(|point| point.at.is_some()).filter_map(value);
        let least = in_cells.filter(|value| *value > 0.0).reduce(f64::min);
        let base = first.or(least);
        let cell = |point: &Point| {
            let (at, shown) = (point.at.as_ref()?, point.shown(objective));
            let is_bound = shown.is_some_and(|shown| shown.is_bound);
            let front = (point.standing == Standing::Front).then_some(Shape::Disc);
            let mark = if shown.is_some() {
                point.role_shape().or(front)
            } else {
                Some(point.shape(false))
            };
            Some(Cell {
                at: (at[across], at[up]),
                ratio: shown.zip(base).map(|(shown, base)| shown.value / base),
                words: shown.map_or_else(String::new, |shown| {
                    format!("{}{}", if is_bound { "≤ " } else { "" }, short(shown.value, *unit))
                }),
                mark,
                is_framed: point.is_default(),
                is_hatched: point.standing == Standing::Left,
                tooltip: self.tooltip(point),
            })
        };
        let note = match (first, base) {
            (Some(base), _) => {
                let base = short(base, *unit);
                format!("colour: ratio to {} ({base}), logarithmic", self.reference)
            }
            (None, Some(_)) => "colour: ratio to the smallest, logarithmic".to_owned(),
            (None, None) => "no readings".to_owned(),
        };
        let cells = self.points.iter().filter_map(cell).collect();
        let (across, up) = (self.values(across), self.values(up));
        MapFigure { name: name.clone(), note, across, up, cells }
    }

    /// The tooltip of a point: its name, its values, and the remarks.
    fn tooltip(&self, point: &Point) -> String {
        let roles = point.words();
        let name = match roles.is_empty() || roles == point.name {
            true => point.name.clone(),
            false => format!("{} ({roles})", point.name),
        };
        let value = |(index, objective): (usize, &Objective)| match point.shown(index) {
            Some(shown) => {
                Some(format!("{}: {}", objective.name, pictures::estimate(&shown, objective.unit)))
            }
            None if point.standing == Standing::Failed => None,
            None => Some(format!("{}: no reading", objective.name)),
        };
        let values = self.objectives.iter().enumerate().filter_map(value);
        let lines = [name].into_iter().chain(values).chain(point.remarks.iter().cloned());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The number of points and the named ones, for people who cannot see the figures.
    fn description(&self) -> String {
        let names: Vec<&str> = self.parameters.iter().map(|one| one.name.as_str()).collect();
        let (count, names) = (self.points.len(), names.join(", "));
        let front = self.points.iter().filter(|point| point.standing == Standing::Front).count();
        let named = self.points.iter().filter(|point| !point.roles.is_empty());
        let named = named.map(|point| self.tooltip(point).replace('\n', "; ") + ".");
        let whole = format!("{} over {names}; {front} on the front.", counted(count, "point"));
        [whole].into_iter().chain(named).collect::<Vec<_>>().join("\n")
    }
}

/// True if a spot is neither to the right of another one nor above it.
fn is_within(one: &Spot, other: &Spot) -> bool {
    let height = |spot: &Spot| spot.y.map_or(f64::INFINITY, |y| y.value);
    one.x.value <= other.x.value && height(one) <= height(other)
}

/// A value with three significant digits.
fn short(value: f64, unit: Unit) -> String {
    let scale = scale_for(value, unit);
    scale.with_symbol(&scale.number(value, scale.decimals(value).saturating_sub(1)))
}

/// The pictures of a sweep; `None` if the document is not about one.
pub(crate) fn chart(document: &Document) -> Option<Chart> {
    let sweep = document.sweep()?;
    let ids = objectives(sweep);
    let objective = |id: &MetricId| Objective { name: words::label(id), unit: id.unit() };
    let sketch = Sketch {
        title: sweep.command.clone(),
        subtitle: pictures::subtitle(document),
        objectives: ids.iter().map(objective).collect(),
        parameters: sweep.parameters.clone(),
        reference: reference(document, sweep).to_string(),
        points: sweep.points.iter().map(|part| point(document, sweep, &ids, part)).collect(),
    };
    Some(sketch.chart()).filter(|chart| !chart.figures.is_empty())
}

fn objectives(sweep: &SweepFinding) -> Vec<MetricId> {
    [&sweep.minimized].into_iter().chain(sweep.beside()).cloned().collect()
}

fn point(document: &Document, sweep: &SweepFinding, ids: &[MetricId], part: &SweepPoint) -> Point {
    Point {
        name: name(document, part.variant).to_owned(),
        at: at(document, sweep, part.variant),
        estimates: ids.iter().map(|id| estimate(document, part.variant, id)).collect(),
        standing: standing(&part.state),
        roles: roles(document, sweep, part.variant),
        remarks: remarks(document, sweep, ids, part),
    }
}

/// The indices of its parameters' values; `None` if one parameter lacks its value.
fn at(document: &Document, sweep: &SweepFinding, variant: u32) -> Option<Vec<usize>> {
    let labels = &document.variants.get(variant as usize)?.labels;
    let number = |parameter: &Parameter| {
        let value = labels.parameter(&parameter.name)?;
        parameter.values.iter().position(|one| one == value)
    };
    sweep.parameters.iter().map(number).collect()
}

fn standing(state: &PointState) -> Standing {
    match state {
        state if state.is_on_front() => Standing::Front,
        PointState::Front
        | PointState::Equal { .. }
        | PointState::Dominated { .. }
        | PointState::Undecided { .. } => Standing::Behind,
        PointState::Dropped { .. } | PointState::OverLimit { .. } => Standing::Left,
        PointState::Failed { .. } => Standing::Failed,
    }
}

fn roles(document: &Document, sweep: &SweepFinding, variant: u32) -> Vec<Role> {
    let of = |role: &Role| match role {
        Role::Best => shown_best(document, sweep),
        Role::Knee => sweep.knee,
        Role::Thrifty => sweep.thrifty,
        Role::Default => sweep.default,
    };
    Role::ALL.into_iter().filter(|role| of(role) == Some(variant)).collect()
}

/// The value shown in the table, with its interval.
fn estimate(document: &Document, variant: u32, id: &MetricId) -> Option<Estimate> {
    let own = document.any_summary(variant, id)?;
    let value = value(document, variant, id)?;
    if own.at_most {
        return Estimate::at_most(value);
    }
    match to_first(document, own) {
        Some(&ComparedPair { ratio, low, high: Some(high), .. }) => {
            Estimate::new(value, low / ratio * value, high / ratio * value)
        }
        _ => {
            let (low, high) = (own.low.unwrap_or(value), own.high.unwrap_or(value));
            Estimate::new(value, low.min(value), high.max(value))
        }
    }
}

/// The ratios, the outcome of the point, and the number of rounds behind its values.
fn remarks(
    document: &Document,
    sweep: &SweepFinding,
    ids: &[MetricId],
    part: &SweepPoint,
) -> Vec<String> {
    let ratio = |id: &MetricId| {
        let source = document.any_summary(part.variant, id)?.source;
        let compared = document.comparison_of(0, part.variant, id, source)?;
        Some(words::amount_of(compared, reference(document, sweep).to_string()).text())
    };
    let is_failed = matches!(part.state, PointState::Failed { .. });
    let mut lines: Vec<String> = ids.iter().filter(|_| !is_failed).filter_map(ratio).collect();
    lines.extend(part.state.is_on_front().then(|| "on the front".to_owned()));
    lines.extend(state(document, part));
    if let PointState::Failed { stderr: Some(stderr), .. } = &part.state {
        lines.push(stderr.trim_end().to_owned());
    }
    let all = document.experiment.rounds;
    lines.push(match part.rounds {
        rounds if rounds < all => format!("{rounds} of {all} rounds"),
        rounds => counted(rounds, "round"),
    });
    lines
}

#[cfg(test)]
mod tests {
    use draw::{Element, Scene};

    use super::*;

    fn objectives() -> Vec<Objective> {
        let objective = |name: &str, unit| Objective { name: name.to_owned(), unit };
        vec![objective("wall time", Unit::Seconds), objective("peak memory", Unit::Bytes)]
    }

    fn parameter(name: &str, values: &[&str]) -> Parameter {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        Parameter { name: name.to_owned(), values }
    }

    /// A point with an interval of 4 % in time.
    fn point(name: &str, at: Option<&[usize]>, time: f64, memory: f64) -> Point {
        Point {
            name: name.to_owned(),
            at: at.map(<[usize]>::to_vec),
            estimates: vec![
                Estimate::new(time, time * 0.98, time * 1.02),
                Estimate::new(memory, memory, memory),
            ],
            standing: Standing::Behind,
            roles: Vec::new(),
            remarks: vec!["20 rounds".to_owned()],
        }
    }

    /// Seven heap sizes and the default, which is not one of them: larger is faster up to a point; the
    /// smallest was dropped, the largest failed.
    fn curve() -> Sketch {
        let sizes = ["32k", "128k", "512k", "2M", "8M", "32M", "128M"];
        let times = [3.1, 2.4, 1.6, 1.1, 0.93, 0.97, 0.0];
        let mut points = vec![point("default", None, 1.9, 11e6)];
        points[0].roles = vec![Role::Default];
        for (index, (size, time)) in sizes.iter().zip(times).enumerate() {
            let memory = 8e6 + 1.3 * f64::from(1 << (15 + 2 * index));
            let mut one = point(&format!("s={size}"), Some(&[index]), time, memory);
            one.standing = match index {
                0 => Standing::Left,
                5 => Standing::Behind,
                6 => Standing::Failed,
                _ => Standing::Front,
            };
            one.roles = match index {
                3 => vec![Role::Knee, Role::Thrifty],
                4 => vec![Role::Best],
                _ => Vec::new(),
            };
            if index == 6 {
                one.estimates = vec![None, None];
                one.remarks.insert(0, "was ended by signal 9 (SIGKILL)".to_owned());
            }
            points.push(one);
        }
        Sketch {
            title: "OCAMLRUNPARAM=s={s} ./last 1000000".to_owned(),
            subtitle: "20 rounds in 41.3 s until the verdict was settled, a processor".to_owned(),
            objectives: objectives(),
            parameters: vec![parameter("s", &sizes)],
            reference: "the default".to_owned(),
            points,
        }
    }

    /// Six sizes by four overheads, with fewer values for the first parameter; one point was dropped,
    /// one failed, one was not read.
    fn map() -> Sketch {
        let overheads = ["40", "80", "120", "200"];
        let sizes = ["32k", "128k", "512k", "2M", "8M", "32M"];
        let mut points = Vec::new();
        for (row, overhead) in overheads.iter().enumerate() {
            for (column, size) in sizes.iter().enumerate() {
                let time = 3.0 / (1.0 + column as f64) + 0.8 / (1.0 + row as f64);
                let memory = 8e6 * f64::from(1 << column) * (1.0 + 0.3 * row as f64);
                points.push(point(
                    &format!("o={overhead} s={size}"),
                    Some(&[row, column]),
                    time,
                    memory,
                ));
            }
        }
        points[7].roles = vec![Role::Default];
        points.swap(0, 7);
        for (number, roles) in
            [(23, vec![Role::Best]), (21, vec![Role::Knee]), (20, vec![Role::Thrifty])]
        {
            points[number].roles = roles;
            points[number].standing = Standing::Front;
        }
        points[22].standing = Standing::Front;
        points[1].standing = Standing::Left;
        points[5].standing = Standing::Failed;
        points[5].estimates = vec![None, None];
        points[11].estimates = vec![None, None];
        Sketch {
            title: "OCAMLRUNPARAM=s={s},o={o} ./last 1000000".to_owned(),
            parameters: vec![parameter("o", &overheads), parameter("s", &sizes)],
            points,
            ..curve()
        }
    }

    fn scene(sketch: &Sketch) -> Scene {
        sketch.chart().scene().expect("the chart agrees with itself")
    }

    fn panels(sketch: &Sketch) -> Vec<PointPanel> {
        let figures = sketch.chart().figures.into_iter();
        figures
            .flat_map(|figure| match figure {
                Figure::Points(figure) => figure.panels,
                _ => Vec::new(),
            })
            .collect()
    }

    fn maps(sketch: &Sketch) -> Vec<MapFigure> {
        let figures = sketch.chart().figures.into_iter();
        figures
            .filter_map(|figure| match figure {
                Figure::Map(map) => Some(map),
                _ => None,
            })
            .collect()
    }

    fn tooltips(scene: &Scene) -> Vec<String> {
        let tooltip = |element: &&Element| match element {
            Element::Group(group) => Some(group.tooltip.clone()),
            _ => None,
        };
        scene.with_class("point").iter().filter_map(tooltip).collect()
    }

    #[test]
    fn every_point_has_the_mark_of_what_became_of_it() {
        let [time, _, both] = &panels(&curve())[..] else { panic!("three panels") };
        let shapes: Vec<Shape> = time.spots.iter().map(|spot| spot.shape).collect();
        let expected = [
            Shape::Circle,
            Shape::Disc,
            Shape::Disc,
            Shape::Diamond,
            Shape::Star,
            Shape::Dot,
            Shape::Cross,
        ];
        assert_eq!(shapes, expected);
        // The default is at none of the values: a line across, with its name at the end.
        let references: Vec<_> =
            time.references.iter().map(|one| (one.value, &*one.name)).collect();
        assert_eq!(references, [(1.9, "default")]);
        let names: Vec<&str> = both.names.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["best: s=8M", "knee, thrifty: s=2M", "default"]);
        // A failed point was not read, and is not among the values.
        assert_eq!((both.spots.len(), both.front.len()), (7, 4));
        assert_eq!(both.note, "1 point failed");
    }

    #[test]
    fn the_default_has_a_frame_where_it_is_a_value_of_the_parameter() {
        let mut sketch = curve();
        sketch.points.remove(0);
        sketch.points[1].roles = vec![Role::Default];
        for panel in panels(&sketch) {
            let framed: Vec<&str> = panel
                .spots
                .iter()
                .filter(|spot| spot.is_framed)
                .map(|spot| spot.tooltip.lines().next().unwrap_or_default())
                .collect();
            assert_eq!(framed, ["s=128k (default)"]);
            assert!(panel.references.is_empty());
        }
    }

    #[test]
    fn a_map_has_the_longer_parameter_across_and_the_ratio_as_colour() {
        let sketch = map();
        let [time, _] = &maps(&sketch)[..] else { panic!("time and memory") };
        assert_eq!((time.across.name.as_str(), time.up.name.as_str()), ("s", "o"));
        assert_eq!(time.cells.len(), 24);
        let cell =
            |at| time.cells.iter().find(|cell| cell.at == at).expect("each point has a cell");
        // The default is the reference of the others.
        assert_eq!(cell((1, 1)).ratio, Some(1.0));
        assert!((cell((0, 0)).ratio.expect("read") - 3.8 / 1.9).abs() < 1e-9);
        let marks: Vec<_> =
            time.cells.iter().enumerate().filter_map(|(n, c)| Some((n, c.mark?))).collect();
        let expected = [
            (5, Shape::Cross),
            (11, Shape::Dash),
            (20, Shape::Triangle),
            (21, Shape::Diamond),
            (22, Shape::Disc),
            (23, Shape::Star),
        ];
        assert_eq!(marks, expected);
        assert_eq!(time.note, "colour: ratio to the default (1.90 s), logarithmic");
    }

    #[test]
    fn hatching_is_over_cells_that_left_only() {
        let scene = scene(&map());
        let count = |class: &str| scene.with_class(class).len();
        assert_eq!(count("hatched"), 3, "one in each map, and the legend");
        assert_eq!(count("cross"), 3);
        assert_eq!(count("frame"), 4, "one in each map, in the plot and in the legend");
    }

    #[test]
    fn of_three_parameters_and_of_memory_alone_there_are_other_pictures() {
        let mut sketch = map();
        sketch.parameters.push(parameter("i", &["1"]));
        for point in &mut sketch.points {
            point.at.iter_mut().for_each(|at| at.push(0));
        }
        assert_eq!((maps(&sketch).len(), panels(&sketch).len()), (0, 1));
        let mut sketch = curve();
        sketch.objectives.remove(0);
        for point in &mut sketch.points {
            point.estimates.remove(0);
        }
        assert_eq!(panels(&sketch).len(), 1, "no plot of memory against itself");
    }

    #[test]
    fn memory_that_is_only_bounded_is_not_drawn() {
        for sketch in [curve(), map()] {
            let mut bound = sketch.clone();
            for point in &mut bound.points {
                point.estimates[1] = point.estimates[1].and(Estimate::at_most(6e6));
            }
            let count = |sketch: &Sketch| panels(sketch).len() + maps(sketch).len();
            // Neither the panel or map of memory nor the front.
            assert_eq!((count(&sketch), count(&bound)), (3, 1));
        }
    }

    #[test]
    fn every_point_has_a_tooltip_in_every_picture_that_shows_it() {
        let all = tooltips(&scene(&curve()));
        // Seven and the default in each curve, and the seven that were read in the plot.
        assert_eq!(all.len(), 23);
        assert!(all.iter().all(|tooltip| tooltip.contains("20 rounds")), "{all:?}");
        let knee =
            all.iter().find(|tooltip| tooltip.contains("(knee, thrifty)")).expect("it is there");
        assert_eq!(
            knee,
            "s=2M (knee, thrifty)\nwall time: 1.100 s [1.078 s, 1.122 s]\npeak memory: 10.73 MB\n20 rounds"
        );
        let failed = all.iter().find(|tooltip| tooltip.starts_with("s=128M")).expect("it is there");
        assert_eq!(failed, "s=128M\nwas ended by signal 9 (SIGKILL)\n20 rounds");
        assert_eq!(tooltips(&scene(&map())).len(), 24 + 24 + 22);
    }

    #[test]
    fn odd_sweeps_are_drawn_too() {
        let mut single = curve();
        single.points.truncate(1);
        let mut failed = map();
        for point in &mut failed.points {
            point.standing = Standing::Failed;
            point.roles.clear();
        }
        let mut unread = curve();
        unread.points.iter_mut().for_each(|point| point.estimates = vec![None, None]);
        let mut empty = curve();
        empty.points.clear();
        let mut bound = curve();
        bound.points.iter_mut().for_each(|point| point.estimates[1] = Estimate::at_most(1.9e6));
        for sketch in [single, failed, unread, empty, bound] {
            scene(&sketch).png().expect("drawn");
        }
    }

    #[test]
    fn the_description_names_what_is_named() {
        let words = curve().description();
        assert!(
            words.starts_with("8 points over s; 4 on the front.\ndefault; wall time: 1.900 s"),
            "{words}"
        );
    }
}
