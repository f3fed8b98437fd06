//! The page of `doctor`: the detectable changes, the advice, and the evidence for both; and the
//! picture of the smallest visible change against the time spent.

use crate::pictures;
use draw::points::{Across, Curve, PointFigure, PointPanel, Spot};
use draw::{Axis, Chart, Estimate, Figure, Key, Shape};
use findings::doctor::{
    FalsePositiveRate, FalsePositiveRates, MachineDiagnosis, Mark, Reading, TrialResult,
    TriedProgram,
};
use model::metric::Unit;
use page::{Block, Column, Line, Narrow, Page, Span, Table, Tone, line};
use stats::detect;
use words::quantity::{duration, percent, quantity};

/// The folder of most facts; the JSON has the full paths of missing files.
const CPU_FOLDER: &str = "/sys/devices/system/cpu/";

/// The page. Without trials, it shows the facts alone.
pub fn page(part: &MachineDiagnosis) -> Page {
    let mut page = Page::default();
    page.push(Block::Answer(answer(part)));
    if !part.advice.is_empty() {
        page.push(Block::Heading("What to do, most effective first".into()));
        let lines = part.advice.iter().map(|advice| {
            let evidence = Line::of_message(&advice.evidence).toned(Tone::Quiet);
            line![Line::of_message(&advice.action), "\n", evidence]
        });
        page.push(Block::List(lines.collect()));
    }
    if let Some(tried) = &part.trials {
        trials(&mut page, tried, part.margin);
    }
    if let Some(found) = &part.false_positives {
        false_positives(&mut page, found);
    }
    page.push(Block::Table(facts_table(part)));
    page
}

/// The smallest detectable changes, or the obstacles.
fn answer(part: &MachineDiagnosis) -> Line {
    let seen: Vec<Line> = part
        .trials
        .iter()
        .flatten()
        .filter_map(|tried| {
            let change = *tried.trial.get().ok()?.detectable.get().ok()?;
            Some(format!("{} in {}", percent(change), tried.program).into())
        })
        .collect();
    let faults = match part.advice.len() {
        0 => "No fault was found.".to_owned(),
        count => format!("Possible improvements: {count}."),
    };
    match (seen.is_empty(), &part.trials) {
        (false, _) => {
            let seen = Line::join(seen, ", ");
            line!["The smallest changes that can be seen here, now: ", seen, ". ", faults]
        }
        (true, Some(_)) => line!["How small a change can be seen here is not known. ", faults],
        (true, None) => faults.into(),
    }
}

fn facts_table(part: &MachineDiagnosis) -> Table {
    let value = Column::left("").cut(20, 200).narrow(Narrow::Wrapped);
    let mut table = Table {
        title: "This machine, now".into(),
        ..Table::new([Column::left(""), Column::left(""), value])
    };
    for fact in &part.facts {
        let value = match fact.value.get() {
            Ok(value) => value.clone(),
            Err(reason) => format!("missing: {}", reason.replace(CPU_FOLDER, "…/cpu/")),
        };
        let mark = match fact.mark {
            Mark::Good => Span::from("good").toned(Tone::Good),
            Mark::Bad => Span::from("bad").toned(Tone::Bad),
            Mark::Neutral => Span::from(""),
        };
        table.push([mark.into(), Line::of_message(&fact.name), Line::of_message(&value)]);
    }
    table
}

/// The results of the programs that ran against themselves.
fn trials(page: &mut Page, tried: &[TriedProgram], margin: f64) {
    let numbers = ["rounds", "median", "noise", "sd", "waited", "sees", "1 % takes"];
    let columns = [Column::left("program")].into_iter().chain(numbers.map(Column::right));
    let mut table = Table { title: "A program against itself".into(), ..Table::new(columns) };
    for one in tried {
        if let Ok(trial) = one.trial.get() {
            table.push(row(&one.program, trial));
        }
    }
    table.foot.push(line![
        "noise: spread of the middle half, as a standard deviation; waited: share of the time waiting \
         for a CPU; sees: the smallest change that ",
        Span::code("compare"),
        " finds nine times in ten with so many rounds; 1 % takes: about how many rounds, and how long, \
         to see ",
        percent(margin)
    ]);
    page.push(Block::Table(table));
    page.sentences(tried.iter().flat_map(sentences));
}

fn row(program: &str, trial: &TrialResult) -> [Line; 8] {
    let takes = match (trial.rounds_for_margin, trial.seconds_for_margin) {
        (Some(rounds), Some(seconds)) => format!("{rounds} ({})", duration(seconds)),
        _ => "?".to_owned(),
    };
    [
        Line::of_message(program),
        trial.rounds.to_string().into(),
        quantity(trial.median_seconds, Unit::Seconds).into(),
        percent(trial.robust_spread).into(),
        trial.spread.map_or("?".to_owned(), percent).into(),
        fraction(&trial.wait_share),
        fraction(&trial.detectable),
        takes.into(),
    ]
}

fn fraction(value: &Reading<f64>) -> Line {
    value.get().map_or("missing".into(), |fraction| percent(*fraction).into())
}

/// The level at which a test for drift is mentioned; there are three tests.
const DRIFT_LEVEL: f64 = 0.01;

/// The details that do not fit in a table: reasons, and trends.
fn sentences(tried: &TriedProgram) -> Vec<Line> {
    let name = || Line::of_message(&tried.program);
    let said = |what: &'static str, reason: &str| line![name(), what, Line::of_message(reason)];
    let trial = match tried.trial.get() {
        Ok(trial) => trial,
        Err(reason) => return vec![said(": not run: ", reason)],
    };
    let mut sentences = Vec::new();
    sentences.extend(trial.detectable.get().err().map(|reason| said(": sees ", reason)));
    sentences
        .extend(trial.wait_share.get().err().map(|reason| said(": waiting for a CPU: ", reason)));
    if let Some(drift) = trial.drift.filter(|drift| drift.p_value < DRIFT_LEVEL) {
        let which = if drift.change > 0.0 { ": slowed down by " } else { ": sped up by " };
        let change = percent(drift.change.abs());
        let sure =
            format!(" of its median from the first run to the last (p = {:.1e})", drift.p_value);
        sentences.push(line![name(), which, change, sure]);
    }
    sentences
}

fn false_positives(page: &mut Page, found: &Reading<FalsePositiveRates>) {
    let title = Line::from("False differences");
    let found = match found.get() {
        Ok(found) => found,
        Err(reason) => {
            page.push(Block::Heading(title));
            page.sentences([line!["missing: ", Line::of_message(reason)]]);
            return;
        }
    };
    let legend = format!(
        "{} blocks of 2 × {} runs of the {} program, each judged by itself; the tests may err in \
         {}; in brackets the 95 % interval of the rate",
        found.brisk.of,
        found.rounds_a_block,
        found.program,
        percent(found.level)
    );
    page.push(Block::Table(Table { title, foot: vec![legend.into()], ..rates(found) }));
}

fn rates(found: &FalsePositiveRates) -> Table {
    let columns = [Column::left, Column::right, Column::right, Column::left];
    let mut table = Table::new(columns.map(|column| column("")));
    let mut row = |way: &'static str, rate: &FalsePositiveRate| {
        let whole = |fraction: f64| format!("{:.0}", fraction * 100.0);
        let share = rate.found as f64 / rate.of as f64;
        table.push([
            way.into(),
            format!("{} of {}", rate.found, rate.of),
            format!("{} %", whole(share)),
            format!("[{}, {}]", whole(rate.low), whole(rate.high)),
        ]);
    };
    row("one after the other, t test of the means", &found.sequential_welch);
    row("one after the other, means 1 % apart", &found.sequential_means_apart);
    row("brisk: in rounds of random order, ratios", &found.brisk);
    table
}

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
    let curves = seen.iter().enumerate();
    let curves: Vec<Curve> = curves
        .map(|(place, one)| Curve { is_second: place % 2 == 1, places: corners(one) })
        .collect();
    let across: Vec<Estimate> = [from, to].into_iter().filter_map(Estimate::exact).collect();
    let changes = curves.iter().flat_map(|one| &one.places).map(|(_, change)| *change);
    let up: Vec<Estimate> = changes.filter_map(Estimate::exact).collect();
    let names = seen.iter().map(|one| one.program.to_owned());
    let panel = PointPanel {
        name: "Smallest change that is seen nine times in ten".to_owned(),
        note: "each program against itself; the mark is what was measured".to_owned(),
        names: names.enumerate().collect(),
        spots: seen.iter().filter_map(Seen::spot).collect(),
        curves,
        ..PointPanel::new(240.0, Axis::from_points(&up, &|change, _| percent(change)))
    };
    let horizontal = Axis::from_points(&across, &pictures::along(Unit::Seconds));
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
