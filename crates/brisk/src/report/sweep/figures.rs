//! The figures of a sweep: what is minimised and the memory over the parameters, and both against
//! each other.
//!
//! One parameter makes curves, two make maps, more cannot be drawn. The plot of one objective
//! against the other, with the front as a staircase, is there whatever was swept.

use draw::map::{Cell, MapFigure};
use draw::points::{Across, PointFigure, PointPanel, Reference, Spot, Values};
use draw::spacing::Spacing;
use draw::{Axis, Chart, Estimate, Figure, Key, Shape};

use crate::metric::Unit;
use crate::report::picture;
use crate::report::quantity::scale_for;
use crate::report::words::counted;
use crate::spec::parameters::Parameter;
use crate::spec::ranges;

/// What the marks mean.
const KEYS: [(Key, &str); 12] = [
    (Key::Shape(Shape::Star), "best"),
    (Key::Shape(Shape::Diamond), "knee: most for its memory"),
    (Key::Shape(Shape::Triangle), "thrifty: most of the gain, little of the memory"),
    (Key::Shape(Shape::Disc), "on the front"),
    (Key::Shape(Shape::Dot), "behind the front"),
    (Key::Shape(Shape::Frame), "default"),
    (Key::Shape(Shape::Circle), "dropped early, or over a limit"),
    (Key::Hatched, "the same in a map"),
    (Key::Shape(Shape::Cross), "failed"),
    (Key::Shape(Shape::Dash), "no reading"),
    (Key::Bar, "interval"),
    (Key::Bound, "at most this"),
];

/// Everything the pictures show.
#[derive(Debug, Clone)]
pub(super) struct Sketch {
    /// The heading.
    pub(super) title: String,
    /// Where the numbers come from: machine, date, rounds.
    pub(super) subtitle: String,
    /// What is minimised; then memory, unless that is what is minimised.
    pub(super) objectives: Vec<Objective>,
    /// The parameters with their values.
    pub(super) parameters: Vec<Parameter>,
    /// What the points are compared with, as words in a sentence: `the default`.
    pub(super) reference: String,
    /// The points; the first is what the others are compared with.
    pub(super) points: Vec<Point>,
}

/// What can be small.
#[derive(Debug, Clone)]
pub(super) struct Objective {
    /// Its name for people.
    pub(super) name: String,
    /// What the values count; they are in the unit itself, without prefix.
    pub(super) unit: Unit,
}

/// One point of the sweep.
#[derive(Debug, Clone)]
pub(super) struct Point {
    /// Its name.
    pub(super) name: String,
    /// For each parameter the number of its value; none for what is at no value of a parameter.
    pub(super) at: Option<Vec<usize>>,
    /// What was found of each objective; none where there is no reading.
    pub(super) estimates: Vec<Option<Estimate>>,
    /// How it stands among the others.
    pub(super) standing: Standing,
    /// What it is named for, the most important first.
    pub(super) roles: Vec<Role>,
    /// What else its tooltip says, a line each.
    pub(super) remarks: Vec<String>,
}

/// How a point stands among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
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
pub(super) enum Role {
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
    /// All of them, the most important first.
    pub(super) const ALL: [Self; 4] = [Self::Best, Self::Knee, Self::Thrifty, Self::Default];

    /// The word, as in tables.
    fn word(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Knee => "knee",
            Self::Thrifty => "thrifty",
            Self::Default => "default",
        }
    }

    /// Its shape; none for the default, which has a frame around whatever it is.
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
    /// The estimate of an objective, where there is one that may be shown: of what failed nothing
    /// is.
    fn shown(&self, objective: usize) -> Option<Estimate> {
        let estimate = self.estimates.get(objective).copied().flatten();
        estimate.filter(|_| self.standing != Standing::Failed)
    }

    /// What is minimised, and memory.
    fn both(&self) -> Option<(Estimate, Estimate)> {
        self.shown(0).zip(self.shown(1))
    }

    fn is_default(&self) -> bool {
        self.roles.contains(&Role::Default)
    }

    fn role_shape(&self) -> Option<Shape> {
        self.roles.iter().find_map(|role| role.shape())
    }

    /// Its shape where it has a value, and where it has none.
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
    /// The chart of all figures.
    pub(super) fn chart(&self) -> Chart {
        let objectives = 0..self.objectives.len();
        let mut figures: Vec<Figure> = match self.parameters.len() {
            1 => vec![Figure::Points(PointFigure {
                across: Across::Values(self.values(0)),
                panels: objectives.map(|objective| self.curve(objective)).collect(),
            })],
            2 => objectives.map(|objective| Figure::Map(self.map(objective))).collect(),
            _ => Vec::new(),
        };
        figures.extend(self.against().map(Figure::Points));
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
        let numbers: Vec<Option<f64>> = values.iter().map(|value| ranges::number(value)).collect();
        // Those of named points matter more than others, then the front's.
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
            spacing: Spacing::of(&numbers),
        }
    }

    fn axis(&self, objective: usize, is_shown: impl Fn(&Point) -> bool) -> Axis {
        let points = self.points.iter().filter(|point| is_shown(point));
        let shown: Vec<Estimate> = points.filter_map(|point| point.shown(objective)).collect();
        Axis::of(&shown, &picture::along(self.objectives[objective].unit))
    }

    /// A panel of an objective; the points come with their numbers.
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
            name: String::new(),
            note: String::new(),
            sentences: Vec::new(),
            height: 220.0,
            vertical,
            names: named.into_iter().map(|(_, name)| name).collect(),
            spots: spots.into_iter().map(|(_, spot)| spot).collect(),
            front: Vec::new(),
            references: Vec::new(),
            curves: Vec::new(),
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
                // At no value of the parameter: a line across.
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

    /// What is minimised against memory; none where memory is what is minimised.
    fn against(&self) -> Option<PointFigure> {
        let [minimized, memory] = self.objectives.as_slice() else { return None };
        let is_shown = |point: &Point| point.both().is_some();
        let spots = self.points.iter().enumerate().filter_map(|(number, point)| {
            let (minimized, memory) = point.both()?;
            Some(self.spot(number, memory, Some(minimized)))
        });
        let spots: Vec<(usize, Spot)> = spots.collect();
        let is_front = |number: usize| self.points[number].standing == Standing::Front;
        // A point that only may be worse than another one is on the front, and no corner of its line.
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

    /// Points of which nothing can be shown: how many failed, and how many were not read.
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

    /// One objective over both parameters, of which the one with more values runs across.
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

    /// The tooltip of a point: its name, its values, and what else is known.
    fn tooltip(&self, point: &Point) -> String {
        let roles = point.words();
        let name = match roles.is_empty() || roles == point.name {
            true => point.name.clone(),
            false => format!("{} ({roles})", point.name),
        };
        let value = |(index, objective): (usize, &Objective)| match point.shown(index) {
            Some(shown) => {
                Some(format!("{}: {}", objective.name, picture::estimate(&shown, objective.unit)))
            }
            None if point.standing == Standing::Failed => None,
            None => Some(format!("{}: no reading", objective.name)),
        };
        let values = self.objectives.iter().enumerate().filter_map(value);
        let lines = [name].into_iter().chain(values).chain(point.remarks.iter().cloned());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The figures in words, for those who do not see them: how many points, and the named ones.
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

/// Whether a spot is neither to the right of another one nor above it.
fn is_within(one: &Spot, other: &Spot) -> bool {
    let height = |spot: &Spot| spot.y.map_or(f64::INFINITY, |y| y.value);
    one.x.value <= other.x.value && height(one) <= height(other)
}

/// A value with three significant digits.
fn short(value: f64, unit: Unit) -> String {
    let scale = scale_for(value, unit);
    scale.with_symbol(&scale.number(value, scale.decimals(value).saturating_sub(1)))
}

#[cfg(test)]
mod tests;
