//! A history as a graph: metrics over commits.

use std::collections::HashMap;

use draw::columns::{
    Change, Choice, Column, ColumnFigure, ColumnPanel, ColumnState, Event, MOST_POINTED_AT,
};
use draw::{Axis, Chart, Estimate, Figure, Key};
use findings::{BenchmarkName, Build, Document, Drift, HistoryCommit, HistoryFinding, Step, short};
use model::design::stopping::EstimatorOption;
use model::metric::Unit;
use model::note::Note;
use model::spec::labels::Work;
use model::verdict::Verdict;
use words::quantity::ChangeSize;
use words::quantity::{quantity, symbols};

use super::{Shown, lesser_work, shown, summary, tables};
use crate::pictures;

/// The ratio from which a change is shown as a multiple instead of a percentage; reductions follow
/// [`FRACTION_UP_TO`]. Arbitrary: `× 41` says more than `+4000.0 %`, `÷ 250` more than `-99.6 %`.
const MULTIPLE_FROM: f64 = 3.0;
/// See [`MULTIPLE_FROM`]; reductions stay percentages for longer, as in `-46.2 %`.
const FRACTION_UP_TO: f64 = 0.05;
/// The largest number of each metric's steps named in the description.
const MOST_DESCRIBED: usize = 20;

const KEYS: [(Key, &str); 8] = [
    (Key::Better, "improved here"),
    (Key::Worse, "regressed here"),
    (Key::Stretch, "drift over many commits"),
    (Key::Band, "interval of the estimate"),
    (Key::Cut, "the interval goes on beyond the axis"),
    (Key::Repeated, "same program as an earlier commit"),
    (Key::Crossed, "did not build"),
    (Key::Gap, "no reading"),
];

/// One metric over all commits.
struct Series {
    name: String,
    unit: Unit,
    points: Vec<Option<Estimate>>,
    /// By commit, the work behind its point, if that is not the whole.
    works: Vec<Option<Work>>,
    changes: Vec<Change>,
}

/// The largest number of benchmarks drawn in one picture.
const MOST_BENCHMARKS: usize = 6;

/// The graph of all metrics that are shown or have a step; of many benchmarks, the first in the order
/// of the table.
pub(crate) fn graph(document: &Document) -> Chart {
    let number = numbers(document);
    let each = findings::benchmarks::each(document);
    let all = match document.histories().is_empty() {
        true => series_of(document, &number, &metrics(document)),
        false => {
            let drawn = tables::worst_first(&each).into_iter().take(MOST_BENCHMARKS);
            drawn.flat_map(|own| series_of(own, &number, &metrics(own))).collect()
        }
    };
    chart(document, &all, Vec::new(), MOST_BENCHMARKS)
}

/// The graph of a page: of many benchmarks one, of which a reader may choose another.
pub(crate) fn graph_with_choice(document: &Document) -> Chart {
    if document.histories().len() <= MOST_BENCHMARKS {
        return graph(document);
    }
    let number = numbers(document);
    let each = findings::benchmarks::each(document);
    // The same panels for all.
    let mut of_all: Vec<Shown> = Vec::new();
    for one in each.iter().flat_map(metrics) {
        if !of_all.iter().any(|known| (&known.id, known.source) == (&one.id, one.source)) {
            of_all.push(one);
        }
    }
    let choice = |own: &Document| Choice {
        name: own.histories()[0].benchmark.clone(),
        panels: series_of(own, &number, &of_all).iter().map(panel).collect(),
    };
    let ordered = tables::worst_first(&each);
    let first = series_of(ordered[0], &number, &of_all);
    chart(document, &first, ordered.into_iter().map(choice).collect(), 1)
}

/// The place of each commit, by its hash.
fn numbers(document: &Document) -> HashMap<&str, usize> {
    document.commits().iter().zip(0..).map(|(part, number)| (part.hash.as_str(), number)).collect()
}

/// The metrics of a command, or of a benchmark by its name.
fn series_of(document: &Document, number: &HashMap<&str, usize>, metrics: &[Shown]) -> Vec<Series> {
    let benchmark = document.histories().first().map(|one| format!("{}: ", one.benchmark));
    let prefix = benchmark.unwrap_or_default();
    metrics.iter().map(|one| series(document, number, one, &prefix)).collect()
}

fn chart(document: &Document, all: &[Series], choices: Vec<Choice>, most: usize) -> Chart {
    let commits = document.commits();
    let is_measured = |place: usize| match document.histories() {
        [] => commits[place].variant.is_some(),
        several => several.iter().any(|one| one.variants[place].is_some()),
    };
    let columns = commits.iter().enumerate();
    let columns = columns.map(|(index, part)| column(part, is_measured(index), all, index));
    let notes = || document.notes.iter();
    let events: [(Vec<Event>, &str); 3] = [
        (
            notes().filter_map(|note| machine(document, commits, note)).collect(),
            "the machine changed here",
        ),
        (
            notes().filter_map(|note| work(document, commits, note)).collect(),
            "the amount of work changed here",
        ),
        (renames(document, commits), "a benchmark was renamed here"),
    ];
    let mut happened = events.iter().filter(|(events, _)| !events.is_empty());
    let event = match (happened.next(), happened.next()) {
        (Some((_, only)), None) => only,
        _ => "the machine, the work or the name of a benchmark changed here",
    };
    let mut keys = KEYS.to_vec();
    keys.insert(2, (Key::Event, event));
    Chart {
        title: title(document),
        subtitle: subtitle(document, most),
        description: description(commits, all),
        figures: vec![Figure::Columns(ColumnFigure {
            columns: columns.collect(),
            panels: all.iter().map(panel).collect(),
            choices,
            events: by_place(events.into_iter().flat_map(|(events, _)| events)),
        })],
        keys,
    }
}

/// The place of the first commit with a variant.
fn place(document: &Document, commits: &[HistoryCommit], variant: u32) -> Option<usize> {
    let labels = &document.variants.get(variant as usize)?.labels;
    commits.iter().position(|part| labels.commit() == Some(part.hash.as_str()))
}

/// The commits from which on another amount of work is done, so that metrics that do not grow with
/// it are not compared.
fn work(document: &Document, commits: &[HistoryCommit], note: &Note) -> Option<Event> {
    let Note::OtherWork { candidate, done: [before, after], metrics, .. } = note else {
        return None;
    };
    let names = metrics.iter().map(words::label).collect::<Vec<_>>().join(", ");
    let tooltip = format!("does {after} of its work, before {before}: {names} not compared");
    Some(Event { first: place(document, commits, *candidate)?, tooltip })
}

/// The commits from which on the figures are those of a different machine, with the difference.
fn machine(document: &Document, commits: &[HistoryCommit], note: &Note) -> Option<Event> {
    let (variant, tooltip) = match note {
        Note::MachineChanged { variant, fact, from, to } => {
            (*variant, format!("{fact} is {to} from here on, and was {from}"))
        }
        Note::Bridge { variant, metric, ratio } => {
            let label = words::label(metric);
            let times = format!("{label} is {ratio:.3} times what it was");
            (*variant, format!("measured before and after that: {times}"))
        }
        _ => return None,
    };
    Some(Event { first: place(document, commits, variant)?, tooltip })
}

/// The commits from which on benchmarks have other names.
fn renames(document: &Document, commits: &[HistoryCommit]) -> Vec<Event> {
    let event = |part: &BenchmarkName| {
        let first = commits.iter().position(|commit| commit.hash == part.commit)?;
        let tooltip = format!("{} is {} from here on", part.before.as_ref()?, part.name);
        Some(Event { first, tooltip })
    };
    document.histories().iter().flat_map(|one| &one.names).filter_map(event).collect()
}

/// Merges the events at one commit into one mark with several lines.
fn by_place(all: impl Iterator<Item = Event>) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for event in all {
        match events.iter_mut().find(|other| other.first == event.first) {
            Some(other) => other.tooltip = format!("{}\n{}", other.tooltip, event.tooltip),
            None => events.push(event),
        }
    }
    events
}

/// The metrics shown in tables, and further ones that have a step.
fn metrics(document: &Document) -> Vec<Shown> {
    let mut metrics = shown(document);
    for step in document.steps().iter() {
        if !metrics.iter().any(|one| one.is(step)) {
            let name = words::label(&step.metric);
            metrics.push(Shown { id: step.metric.clone(), source: step.source, name });
        }
    }
    metrics
}

/// The project's folder and the range.
pub(crate) fn title(document: &Document) -> String {
    let Some(HistoryFinding { subject, .. }) = document.history() else { return String::new() };
    let folder = subject.repository.rsplit('/').find(|part| !part.is_empty());
    format!("{}: {}", folder.unwrap_or_default(), subject.range)
}

fn subtitle(document: &Document, most: usize) -> String {
    let Some(HistoryFinding { subject, .. }) = document.history() else { return String::new() };
    let kind = match document.experiment.estimator {
        EstimatorOption::Mean => "means",
        EstimatorOption::Min => "minima",
        _ => "medians",
    };
    let benchmarks = document.histories().len();
    let part = (benchmarks > most).then(|| format!("{most} of {benchmarks} benchmarks, "));
    let part = part.unwrap_or_default();
    format!("{part}`{}`, {kind}, {}", subject.command, pictures::origin(document))
}

/// A commit with its build result, in words if that is the reason for a missing point.
fn column(part: &HistoryCommit, is_measured: bool, all: &[Series], index: usize) -> Column {
    let (state, remark) = match (&part.build, is_measured) {
        (Build::Failed, _) => (ColumnState::Crossed, Some("did not build".to_owned())),
        (_, false) => (ColumnState::Plain, Some("not measured".to_owned())),
        (Build::SameAs(hash), true) => {
            (ColumnState::Repeated, Some(format!("same program as {}", short(hash))))
        }
        (Build::Ok | Build::Skipped, true) => (ColumnState::Plain, None),
    };
    let has_readings = is_measured && state != ColumnState::Crossed;
    let value = |one: &Series| match one.points.get(index)? {
        Some(point) => {
            let work = one.works.get(index).copied().flatten();
            let work = work.map(|it| format!(" with {} of {} of its work", it.done, it.whole));
            let (estimate, work) = (pictures::estimate(point, one.unit), work.unwrap_or_default());
            Some(format!("{}: {estimate}{work}", one.name))
        }
        None => has_readings.then(|| format!("{}: no reading", one.name)),
    };
    let by = part.authorship.as_ref().map(words::authorship);
    let lines = [name(part)]
        .into_iter()
        .chain(by.clone())
        .chain(remark.clone())
        .chain(all.iter().filter_map(value));
    let note = match &remark {
        Some(remark) if !has_readings => format!("{remark}: {}", part.subject),
        _ => part.subject.clone(),
    };
    let tooltip = match all.first().map_or(0, |one| one.points.len()) {
        0..=MOST_POINTED_AT => lines.collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    };
    let remark = remark.unwrap_or_default();
    let by = by.unwrap_or_default();
    Column { name: short(&part.hash).to_owned(), note, by, tooltip, remark, state }
}

fn name(part: &HistoryCommit) -> String {
    format!("{} {}", short(&part.hash), part.subject).trim().to_owned()
}

fn series(document: &Document, number: &HashMap<&str, usize>, one: &Shown, prefix: &str) -> Series {
    let steps = document.steps().iter().filter(|step| one.is(step));
    let drifts = document.drifts().iter().filter(|drift| one.drifts(drift));
    let commits = document.commits();
    let name = format!("{prefix}{}", one.name);
    let steps = steps.filter_map(|part| step(part, &name, commits, number));
    let drifts = drifts.filter_map(|part| drift(part, &name, number));
    Series {
        unit: one.id.unit(),
        points: commits.iter().map(|part| point(document, part.variant?, one)).collect(),
        works: commits.iter().map(|part| lesser_work(document, part.variant?, &one.id)).collect(),
        changes: steps.chain(drifts).collect(),
        name,
    }
}

fn point(document: &Document, variant: u32, one: &Shown) -> Option<Estimate> {
    pictures::of_summary(document, summary(document, variant, one)?)
}

fn step(
    part: &Step,
    series: &str,
    commits: &[HistoryCommit],
    number: &HashMap<&str, usize>,
) -> Option<Change> {
    let first = *number.get(part.commit.as_str())?;
    let word = part.verdict.word();
    let (low, high) = (part.low, part.high.unwrap_or(f64::INFINITY));
    let interval = match part.difference {
        Some(_) => ChangeSize::from(part).interval(),
        None if low == high => None,
        None => Some(format!("[{}, {}]", bound(low), bound(high))),
    };
    let interval = interval.map(|interval| format!(" {interval}")).unwrap_or_default();
    let text = short_size(part.into());
    let commit = commits.get(first).map(name).unwrap_or_default();
    Some(Change {
        first,
        last: None,
        ratio: part.ratio,
        is_better: part.verdict == Verdict::Improved,
        tooltip: format!("{series}: {text}{interval}, {word}\n{commit}"),
        text,
    })
}

fn drift(part: &Drift, series: &str, number: &HashMap<&str, usize>) -> Option<Change> {
    let (text, word) = (format!("drift {}", short_size(part.into())), part.verdict.word());
    let (from, to) = (short(&part.from), short(&part.to));
    Some(Change {
        first: *number.get(part.from.as_str())?,
        last: Some(*number.get(part.to.as_str())?),
        ratio: part.ratio,
        is_better: part.verdict == Verdict::Improved,
        tooltip: format!("{series}: {text}, {word}\n{from} to {to}"),
        text,
    })
}

fn panel(series: &Series) -> ColumnPanel {
    let given: Vec<Estimate> = series.points.iter().flatten().copied().collect();
    ColumnPanel {
        name: series.name.clone(),
        ends: ends(series),
        axis: Axis::from_points(&given, &pictures::along(series.unit)),
        scales: symbols(series.unit),
        points: series.points.clone(),
        changes: series.changes.clone(),
    }
}

/// The first and the last value: `60.02 GB → 250.3 MB`.
fn ends(series: &Series) -> String {
    let mut given = series.points.iter().flatten();
    let ends = (given.next(), given.next_back());
    let words = |point: &Estimate| {
        let bound = if point.is_bound { "<= " } else { "" };
        format!("{bound}{}", quantity(point.value, series.unit))
    };
    match (ends.0.map(words), ends.1.map(words)) {
        (Some(first), Some(last)) if first != last => format!("{first} → {last}"),
        (Some(first), _) => first,
        (None, _) => "no readings".to_owned(),
    }
}

/// The whole graph in words, for people who cannot see it.
fn description(commits: &[HistoryCommit], all: &[Series]) -> String {
    let (Some(first), Some(last)) = (commits.first(), commits.last()) else { return String::new() };
    let (from, to) = (short(&first.hash), short(&last.hash));
    let mut sentences =
        vec![format!("{} from {from} to {to}.", words::counted(commits.len() as u64, "commit"))];
    for series in all {
        let steps: Vec<&Change> = series.changes.iter().filter(|one| one.last.is_none()).collect();
        let named = steps.iter().take(MOST_DESCRIBED).map(|step| {
            let hash = commits.get(step.first).map_or("", |part| short(&part.hash));
            let word = if step.is_better { "improved" } else { "regressed" };
            format!("{} at {hash} ({word})", step.text)
        });
        let more = steps.len().saturating_sub(MOST_DESCRIBED);
        let more = (more > 0).then(|| format!("{more} more"));
        let words = named.chain(more).collect::<Vec<_>>().join(", ");
        let words = if words.is_empty() { "none" } else { &words };
        sentences.push(format!("{}: {}; steps: {words}.", series.name, ends(series)));
    }
    sentences.join("\n")
}

/// A change in few characters: `-46.2 %`, `× 41`, `÷ 250`, or `+64 B` if one side is 0.
fn short_size(size: ChangeSize) -> String {
    match has_multiple(size.ratio()) {
        true => format!("{}{}", size.limit(), change(size.ratio())),
        false => size.words(),
    }
}

/// True if a ratio tells the size of a change: neither 0 nor infinite.
fn has_multiple(ratio: f64) -> bool {
    ratio.is_finite() && ratio > 0.0
}

fn change(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    match ratio {
        _ if ratio >= MULTIPLE_FROM => format!("× {}", multiple(ratio)),
        _ if ratio <= FRACTION_UP_TO => format!("÷ {}", multiple(1.0 / ratio)),
        _ if percent.abs() >= 0.995 => format!("{percent:+.1} %"),
        _ => format!("{percent:+.2} %"),
    }
}

/// Two significant digits, or all digits before the point.
fn multiple(ratio: f64) -> String {
    match ratio {
        _ if ratio < 9.95 => format!("{ratio:.1}"),
        _ if ratio < 1e6 => format!("{ratio:.0}"),
        _ => format!("{ratio:.0e}"),
    }
}

/// An end of a ratio's interval, which may lie at 0 or infinity.
fn bound(ratio: f64) -> String {
    if has_multiple(ratio) { change(ratio) } else { "?".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use findings::Confirmation;

    #[test]
    fn changes_are_short_and_large_ones_are_multiples() {
        for (ratio, expected) in [
            (0.5383, "-46.2 %"),
            (1.12, "+12.0 %"),
            (1.0042, "+0.42 %"),
            (0.9951, "-0.49 %"),
            (2.9, "+190.0 %"),
            (4.14, "× 4.1"),
            (41.4, "× 41"),
            (0.004, "÷ 250"),
            (1e-9, "÷ 1e9"),
        ] {
            assert_eq!(change(ratio), expected);
        }
        assert_eq!((bound(0.0), bound(f64::INFINITY)), ("?".to_owned(), "?".to_owned()));
    }

    /// Three commits, of which the second did not build and the third halved the time.
    fn commits() -> Vec<HistoryCommit> {
        let builds = [Build::Ok, Build::Failed, Build::SameAs("0000000aa".to_owned())];
        let part = |(index, build): (usize, Build)| HistoryCommit {
            hash: format!("{index:07x}aa"),
            subject: format!("Commit number {index}"),
            authorship: None,
            build,
            parent: None,
            variant: None,
            equality_confirmed: None,
            reason: None,
        };
        builds.into_iter().enumerate().map(part).collect()
    }

    fn time(commits: &[HistoryCommit]) -> Series {
        let number =
            commits.iter().enumerate().map(|(at, part)| (part.hash.as_str(), at)).collect();
        let part = Step {
            commit: commits[2].hash.clone(),
            ratio: 0.5,
            difference: None,
            bound: None,
            low: 0.0,
            high: Some(0.6),
            verdict: Verdict::Improved,
            machine: None,
            from: String::new(),
            benchmark: None,
            metric: model::metric::WALL_TIME,
            source: model::metric::Source::Run,
            confirmed: Confirmation::CleanBuilds,
            origin: None,
            instructions_ratio: None,
            layouts: None,
            core_difference: None,
            instructions: None,
        };
        Series {
            name: "Time".to_owned(),
            unit: Unit::Seconds,
            points: vec![Estimate::new(7.2, 7.0, 7.4), None, Estimate::new(3.6, 3.557, 3.643)],
            works: Vec::new(),
            changes: step(&part, "Time", commits, &number).into_iter().collect(),
        }
    }

    #[test]
    fn tooltips_have_values_with_intervals_or_say_why_not() {
        let commits = commits();
        let all = [time(&commits)];
        let tooltip = |index: usize| column(&commits[index], true, &all, index).tooltip;
        assert_eq!(tooltip(0), "0000000 Commit number 0\nTime: 7.200 s [7.000 s, 7.400 s]");
        assert_eq!(tooltip(1), "0000001 Commit number 1\ndid not build");
        assert!(tooltip(2).contains("\nsame program as 0000000\nTime: 3.600 s"));
        assert_eq!(column(&commits[0], false, &all, 1).note, "not measured: Commit number 0");
        assert_eq!(
            all[0].changes[0].tooltip,
            "Time: -50.0 % [?, -40.0 %], improved\n0000002 Commit number 2"
        );
    }

    #[test]
    fn the_description_says_what_the_picture_shows() {
        let commits = commits();
        assert_eq!(
            description(&commits, &[time(&commits)]),
            "3 commits from 0000000 to 0000002.\n\
             Time: 7.200 s → 3.600 s; steps: -50.0 % at 0000002 (improved)."
        );
    }
}
