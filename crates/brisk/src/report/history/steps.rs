//! What the commits of a history changed: a sentence for each, the weightiest first.

use page::{Line, Span, line};

use super::{amount, commit_span, rank, shown};
use crate::judge::verdict::Verdict;
use crate::metric::{MetricId, Source};
use crate::report::compare::tone;
use crate::report::document::{Confirmation, Document, DriftPart, StepPart};
use crate::report::reasons::together;
use crate::report::{notes, quantity, words};

/// The sentences; where there is no change, and everything is decided, one that says so.
pub(super) fn answers(document: &Document, is_decided: bool) -> Vec<Line> {
    let metrics = shown(document);
    let rank_of = |id: &MetricId, source: Source| {
        let place = metrics.iter().position(|one| one.id == *id && one.source == source);
        place.map_or(usize::MAX, |place| rank(document, place, metrics.len()))
    };
    let mut steps: Vec<(usize, &StepPart)> = document
        .steps
        .iter()
        .flatten()
        .map(|step| (rank_of(&step.metric, step.source), step))
        .collect();
    steps.sort_by_key(|(rank, _)| *rank);
    // What a commit did in several metrics is one sentence, the metric that matters most first.
    let key = |step: &StepPart| {
        (step.commit.clone(), step.benchmark.clone(), step.verdict, step.confirmed)
    };
    let steps = together(steps.into_iter().map(|(rank, step)| (key(step), (rank, step))));
    let steps = steps.into_iter().map(|(_, group)| {
        let (rank, first) = group[0];
        let sentence = sentence(document, &group.iter().map(|(_, step)| *step).collect::<Vec<_>>());
        (rank, first.ratio, sentence.toned(tone(first.verdict)))
    });
    let drifts = document.drifts.iter().flatten().map(|one| {
        (rank_of(&one.metric, one.source), one.ratio, drift(one).toned(tone(one.verdict)))
    });
    let mut changes: Vec<(usize, f64, Line)> = steps.chain(drifts).collect();
    // Metrics that are not shown explain others, and come last.
    changes.sort_by(|(a, one, _), (b, other, _)| {
        let weight = |ratio: &f64| ratio.ln().abs();
        let is_aside = |rank: &usize| *rank == usize::MAX;
        is_aside(a).cmp(&is_aside(b)).then(weight(other).total_cmp(&weight(one)))
    });
    // Where nothing was compared, nothing was found.
    if changes.is_empty() && is_decided && !document.answers.is_empty() {
        return vec![nothing(document)];
    }
    changes.into_iter().map(|(.., sentence)| sentence).collect()
}

fn nothing(document: &Document) -> Line {
    if document.answers.iter().all(|answer| answer.verdict == Verdict::Unchanged) {
        let margin = quantity::percent(document.experiment.margin);
        return line!["no commit changed anything by more than the margin of ", margin];
    }
    "no commit certainly changed anything".into()
}

/// What a commit did, in one metric or several.
fn sentence(document: &Document, steps: &[&StepPart]) -> Line {
    let first = steps[0];
    let mut commits = document.commits.iter().flatten();
    let subject = commits.find(|commit| commit.hash == first.commit).map(|one| one.subject.clone());
    let subject = subject.filter(|subject| !subject.is_empty());
    let confirmed = match first.confirmed {
        Confirmation::CleanBuilds | Confirmation::NothingToBuild => "",
        Confirmation::Measured => ", confirmed by builds from scratch",
        Confirmation::Unchecked => ", not confirmed by builds from scratch",
    };
    let figures = steps.iter().map(|step| {
        let amount = amount(step.ratio, step.low, step.high);
        line![metric(&step.metric, step.source), " ", amount]
    });
    line![
        commit_span(&first.commit),
        " ",
        first.verdict.word(),
        ": ",
        benchmark(first.benchmark.as_ref()),
        Line::join(figures, ", "),
        confirmed,
        layouts(first),
        place(first.machine.as_ref()),
        subject.map(|subject| line![" (", subject, ")"]).unwrap_or_default()
    ]
}

/// What it is where both sides are linked in other orders.
fn layouts(step: &StepPart) -> Line {
    step.layouts.map_or_else(Line::default, |over| line![", ", notes::over_layouts(&over)])
}

fn drift(drift: &DriftPart) -> Line {
    line![
        commit_span(&drift.from),
        " to ",
        commit_span(&drift.to),
        " drifted: ",
        benchmark(drift.benchmark.as_ref()),
        metric(&drift.metric, drift.source),
        " ",
        amount(drift.ratio, drift.low, drift.high),
        ", and no single commit did it",
        place(drift.machine.as_ref())
    ]
}

fn metric(id: &MetricId, source: Source) -> Line {
    line![words::label(id).to_owned(), source.mark()]
}

/// `, on CLASS`; nothing where all is of one class.
fn place(machine: Option<&String>) -> Line {
    machine.map_or_else(Line::default, |name| line![", on ", name.clone()])
}

/// `sum/large, `; nothing of a command.
fn benchmark(name: Option<&String>) -> Line {
    name.map_or_else(Line::default, |name| line![Span::code(name), ", "])
}
