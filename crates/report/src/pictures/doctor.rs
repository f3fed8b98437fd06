//! The smallest visible change on a machine, against the time spent.

use draw::points::{Across, Curve, PointFigure, PointPanel, Spot};
use draw::{Axis, Chart, Estimate, Figure, Key, Shape};
use stats::detect;

use crate::picture;
use findings::doctor::{MachineDiagnosis, TrialResult, TriedProgram};
use model::metric::Unit;
use words::quantity::{duration, percent};

/// The number of points in the curve of each law.
const CORNERS: u32 = 60;

/// The result of one program's trial, and the time needed for the usual margin.
struct Seen<'a> {
    program: &'a str,
    seconds: f64,
    change: f64,
    trial: &'a TrialResult,
}

/// The chart; `None` if no program was tried.
pub(super) fn chart(part: &MachineDiagnosis) -> Option<Chart> {
    let seen: Vec<Seen<'_>> = part.trials.iter().flatten().filter_map(seen).collect();
    let goals = seen.iter().filter_map(|one| one.trial.seconds_for_margin);
    let times: Vec<f64> = seen.iter().map(|one| one.seconds).chain(goals).collect();
    let longest = times.iter().copied().fold(0.0, f64::max);
    let shortest = times.iter().copied().fold(f64::INFINITY, f64::min);
    if seen.is_empty() {
        return None;
    }
    let (from, to) = (shortest / 2.0, longest * 2.0);
    let corners = |one: &Seen<'_>| -> Vec<(f64, f64)> {
        let step = (to / from).ln() / f64::from(CORNERS);
        let at = |number: u32| from * (f64::from(number) * step).exp();
        (0..=CORNERS).map(at).map(|seconds| (seconds, one.after(seconds))).collect()
    };
    let curves: Vec<Curve> = seen
        .iter()
        .enumerate()
        .map(|(place, one)| Curve { is_second: place % 2 == 1, places: corners(one) })
        .collect();
    let exact = |value: f64| Estimate::exact(value);
    let across: Vec<Estimate> = [from, to].into_iter().filter_map(exact).collect();
    let up: Vec<Estimate> = curves
        .iter()
        .flat_map(|one| &one.places)
        .filter_map(|(_, change)| exact(*change))
        .collect();
    let spots: Vec<Spot> = seen.iter().filter_map(|one| one.spot()).collect();
    let panel = PointPanel {
        name: "Smallest change that is seen nine times in ten".to_owned(),
        note: "each program against itself; the mark is what was measured".to_owned(),
        sentences: Vec::new(),
        height: 240.0,
        vertical: Axis::from_points(&up, &|change, _| percent(change)),
        names: seen
            .iter()
            .enumerate()
            .map(|(place, one)| (place, one.program.to_owned()))
            .collect(),
        spots,
        front: Vec::new(),
        references: Vec::new(),
        curves,
    };
    let horizontal = Axis::from_points(&across, &picture::along(Unit::Seconds));
    let described = seen.iter().map(Seen::words).collect::<Vec<_>>().join("\n");
    Some(Chart {
        title: "What can be seen on this machine".to_owned(),
        subtitle: "four times the time sees half the change".to_owned(),
        description: described,
        figures: vec![Figure::Points(PointFigure {
            across: Across::Axis(horizontal, "time spent on a comparison of two".to_owned()),
            panels: vec![panel],
        })],
        keys: vec![
            (Key::Shape(Shape::Disc), "measured here"),
            (Key::Line, "as it follows from it"),
        ],
    })
}

fn seen(tried: &TriedProgram) -> Option<Seen<'_>> {
    let trial = tried.trial.get().ok()?;
    let change = *trial.detectable.get().ok()?;
    let is_sound = trial.elapsed_seconds > 0.0 && change > 0.0 && change.is_finite();
    is_sound.then_some(Seen {
        program: &tried.program,
        seconds: trial.elapsed_seconds,
        change,
        trial,
    })
}

impl Seen<'_> {
    /// The smallest visible change after this time.
    fn after(&self, seconds: f64) -> f64 {
        detect::change_after(self.change, seconds / self.seconds)
    }

    fn words(&self) -> String {
        format!(
            "{}: {} after {} and {} rounds",
            self.program,
            percent(self.change),
            duration(self.seconds),
            self.trial.rounds
        )
    }

    fn spot(&self) -> Option<Spot> {
        Some(Spot {
            x: Estimate::exact(self.seconds)?,
            y: Estimate::exact(self.change),
            shape: Shape::Disc,
            is_framed: false,
            tooltip: self.words(),
        })
    }
}
