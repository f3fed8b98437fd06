//! The table of commits on a terminal: hash, subject, metrics, and a mark at each step.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::{Shown, change, changes, shown, suite, summary};
use crate::history::merge::short;
use crate::history::whole;
use crate::judge::verdict::Verdict;
use crate::metric;
use crate::report::document::{
    Absence, AnswerPart, Build, CommitPart, Confirmation, Document, DriftPart, Order, StepPart,
    letter, of_candidate,
};
use crate::report::sparkline::{Heights, sparkline};
use crate::report::table::{Cell, lines, shorten, width};
use crate::report::terminal::wrap;
use crate::report::words;
use crate::spec::artifacts::COMMIT_LABEL;
use crate::spec::suite::label;

/// Above this many commits only those are listed that something is to be said of.
const MOST_ROWS: usize = 60;

/// The name of a benchmark above its table.
const NAME: Style = Style::new().bold();

/// The least and the most room for a subject.
const SUBJECT: (usize, usize) = (12, 50);

pub(super) const HEADING: Style = Style::new().dimmed();

/// The history as text with terminal styles, for a terminal so many columns wide.
pub fn render(document: &Document, columns: usize) -> String {
    let mut text = String::new();
    let commits = document.commits.as_deref().unwrap_or_default();
    if document.histories.is_empty() {
        by_itself(&mut text, document, columns);
    } else {
        benchmarks(&mut text, document, columns);
    }
    text.push('\n');
    for step in document.steps.iter().flatten() {
        let style = style_of(step.verdict);
        let subject = commits.iter().find(|commit| commit.hash == step.commit);
        let sentence = step_sentence(step, subject.map_or("", |commit| &commit.subject));
        for line in wrap(&sentence, columns) {
            let _ = writeln!(text, "{style}{line}{style:#}");
        }
    }
    for drift in document.drifts.iter().flatten() {
        for line in wrap(&drift_sentence(drift), columns) {
            let _ = writeln!(text, "{line}");
        }
    }
    let told = changes::sentences(document).into_iter().chain(unbuilt(commits));
    for sentence in told.chain(closing(document, commits)) {
        for line in wrap(&sentence, columns) {
            let _ = writeln!(text, "{line}");
        }
    }
    for note in &document.notes {
        let words =
            crate::report::notes::words(note, &|variant| commit_of(document, variant)).text();
        for (index, line) in wrap(&words, columns.saturating_sub(6)).iter().enumerate() {
            let lead = if index == 0 { "note:" } else { "     " };
            let _ = writeln!(text, "{HEADING}{lead}{HEADING:#} {line}");
        }
    }
    text
}

/// The commits of a command, or of one benchmark.
fn by_itself(text: &mut String, document: &Document, columns: usize) {
    let metrics = shown(document);
    let commits = document.commits.as_deref().unwrap_or_default();
    table(text, document, commits, &metrics, columns);
    sparklines(text, document, commits, &metrics, columns);
}

/// All benchmarks of a suite, and those by themselves to which something happened.
fn benchmarks(text: &mut String, document: &Document, columns: usize) {
    let all = whole::each(document);
    if all.len() > 1 {
        suite::overview(text, &all, columns);
    }
    let tabled = suite::tabled(&all);
    for own in &tabled {
        let name = &own.histories[0].benchmark;
        let _ = writeln!(text, "\n{NAME}{}{NAME:#}", shorten(name, columns));
        by_itself(text, own, columns);
    }
    let left = all.len() - tabled.len();
    if left > 0 {
        let benchmarks = if left == 1 { "benchmark" } else { "benchmarks" };
        let _ = writeln!(
            text,
            "\n{HEADING}{left} {benchmarks} without a step: `--export-markdown` has their \
             tables{HEADING:#}"
        );
    }
}

/// What the table calls a variant: the commit that stands for it, and of a suite the benchmark.
fn commit_of(document: &Document, variant: u32) -> String {
    let part = document.variants.get(variant as usize);
    let label = |name: &str| part.and_then(|part| part.labels.get(name));
    let hash = label(COMMIT_LABEL).map_or_else(|| letter(variant), |hash| short(hash).to_owned());
    match label(label::BENCHMARK) {
        Some(benchmark) => crate::history::merge::of_benchmark(benchmark, &hash),
        None => hash,
    }
}

fn table(
    text: &mut String,
    document: &Document,
    commits: &[CommitPart],
    metrics: &[Shown],
    columns: usize,
) {
    let listed = listed(document, commits);
    let rows = |subject: usize, metrics: &[Shown]| -> Vec<Vec<Cell>> {
        let heading = ["commit", "subject"].into_iter().map(str::to_owned).map(Cell::left);
        let names = metrics.iter().flat_map(|one| [Cell::right(one.name.clone()), Cell::left("")]);
        let mut rows = vec![heading.chain(names).map(|cell| cell.styled(HEADING)).collect()];
        for entry in &listed {
            rows.push(match entry {
                Listed::Commit(commit) => row(document, commit, metrics, subject),
                Listed::Gap(count) => {
                    vec![Cell::left("…"), Cell::left(format!("{count} more")).styled(HEADING)]
                }
            });
        }
        rows
    };
    // First the subjects shrink, then metrics give way; the exports have all of them.
    let mut metrics = metrics;
    let fitting = loop {
        let narrow = rows(SUBJECT.0, metrics);
        let spare = columns.saturating_sub(width(&narrow));
        if width(&narrow) <= columns || metrics.len() <= 1 {
            break rows((SUBJECT.0 + spare).min(SUBJECT.1), metrics);
        }
        metrics = &metrics[1..];
    };
    for line in lines(&fitting) {
        let _ = writeln!(text, "{line}");
    }
}

/// Each metric over all commits in one line, also where the table leaves some out.
fn sparklines(
    text: &mut String,
    document: &Document,
    commits: &[CommitPart],
    metrics: &[Shown],
    columns: usize,
) {
    let names = metrics.iter().map(|one| one.name.chars().count()).max().unwrap_or(0);
    let room = columns.saturating_sub(names + 2).min(commits.len());
    for one in metrics.iter().filter(|_| commits.len() > 1) {
        let line = sparkline(&super::course(document, one), room, Heights::ByRange);
        let _ = writeln!(text, "{HEADING}{:names$}{HEADING:#}  {line}", one.name);
    }
}

/// A row of the table.
enum Listed<'a> {
    Commit(&'a CommitPart),
    /// So many commits of which nothing is to be said.
    Gap(usize),
}

/// All commits, or of many the first, the last, those with a step or the commit before one, and
/// those that do not build.
fn listed<'a>(document: &Document, commits: &'a [CommitPart]) -> Vec<Listed<'a>> {
    if commits.len() <= MOST_ROWS {
        return commits.iter().map(Listed::Commit).collect();
    }
    let steps: std::collections::HashSet<&str> = document
        .steps
        .iter()
        .flatten()
        .flat_map(|step| [step.commit.as_str(), step.from.as_str()])
        .collect();
    let mut listed = Vec::new();
    let mut gap = 0;
    for (number, commit) in commits.iter().enumerate() {
        let is_end = number == 0 || number + 1 == commits.len();
        let is_told =
            is_end || steps.contains(commit.hash.as_str()) || commit.build == Build::Failed;
        if !is_told {
            gap += 1;
            continue;
        }
        if gap > 0 {
            listed.push(Listed::Gap(gap));
            gap = 0;
        }
        listed.push(Listed::Commit(commit));
    }
    listed
}

fn row(document: &Document, commit: &CommitPart, metrics: &[Shown], subject: usize) -> Vec<Cell> {
    let mut cells =
        vec![Cell::left(short(&commit.hash)), Cell::left(shorten(&commit.subject, subject))];
    let Some(variant) = commit.variant else {
        let why = match &commit.build {
            Build::Failed => "no build",
            Build::Skipped => "skipped",
            Build::Ok | Build::SameAs(_) => match super::absence(document, &commit.hash) {
                None => "no runs",
                Some(Absence::Lacking) => "not there",
                Some(Absence::Unlisted) => "no list",
                Some(Absence::Unmeasured { .. }) => "fails",
            },
        };
        cells.push(Cell::right(why).styled(AnsiColor::Yellow.on_default()));
        return cells;
    };
    if let Build::SameAs(hash) = &commit.build {
        let same = format!("= {}", short(hash));
        let same = || [Cell::right(same.clone()).styled(HEADING), Cell::left("")];
        cells.extend(metrics.iter().flat_map(|_| same()));
        return cells;
    }
    let steps = super::steps_at(document, &commit.hash);
    for one in metrics {
        let unit = metric::find(&one.id).map_or(metric::Unit::Count, |metric| metric.unit);
        let value = summary(document, variant, one).map(|part| super::value(document, part, unit));
        cells.push(Cell::right(value.unwrap_or_default()));
        let step = steps.iter().find(|step| step.metric == one.id && step.source == one.source);
        cells.push(step.map_or_else(Cell::default, |step| mark(step)));
    }
    cells
}

pub(super) fn mark(step: &StepPart) -> Cell {
    let arrow = if step.ratio < 1.0 { "▼" } else { "▲" };
    Cell::left(format!("{arrow} {}", change(step.ratio))).styled(style_of(step.verdict))
}

pub(super) fn style_of(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Improved => AnsiColor::Green.on_default().bold(),
        Verdict::Regressed => AnsiColor::Red.on_default().bold(),
        Verdict::Unchanged | Verdict::Inconclusive => Style::new(),
    }
}

fn step_sentence(step: &StepPart, subject: &str) -> String {
    let interval = match step.high {
        Some(high) => format!(" [{}, {}]", change(step.low), change(high)),
        None => String::new(),
    };
    let subject = if subject.is_empty() { String::new() } else { format!(" ({subject})") };
    let confirmed = match step.confirmed {
        Confirmation::CleanBuilds | Confirmation::NothingToBuild => "",
        Confirmation::Measured => ", also between builds from scratch",
        Confirmation::Unchecked => ", not confirmed by builds from scratch",
    };
    format!(
        "{} {}: {} {}{interval}{confirmed}{subject}",
        short(&step.commit),
        step.verdict.word(),
        figure(step.benchmark.as_deref(), &step.metric),
        change(step.ratio),
    )
}

/// `wall time`, or of a benchmark `sum/large, time per iteration`.
fn figure(benchmark: Option<&str>, metric: &metric::MetricId) -> String {
    let label = words::label(metric);
    benchmark.map_or_else(|| label.to_owned(), |benchmark| format!("{benchmark}, {label}"))
}

fn drift_sentence(drift: &DriftPart) -> String {
    let interval = drift.high.map(|high| format!(" [{}, {}]", change(drift.low), change(high)));
    format!(
        "{}..{} drifted: {} {}{}, and no single commit did it",
        short(&drift.from),
        short(&drift.to),
        figure(drift.benchmark.as_deref(), &drift.metric),
        change(drift.ratio),
        interval.unwrap_or_default(),
    )
}

/// Whether measuring ended before it was known what it was to find out.
fn is_open(document: &Document, answer: &AnswerPart) -> bool {
    let parts = of_candidate(&document.comparisons, answer.candidate);
    let part = parts.iter().find(|part| {
        part.baseline == answer.baseline
            && part.metric == answer.metric
            && part.source == answer.source
    });
    let seen = part.and_then(|part| part.detectable).zip(document.experiment.resolution);
    let is_resolved = seen.is_some_and(|(change, resolution)| change <= resolution);
    !answer.verdict.is_conclusive() && !is_resolved
}

/// So many reasons for builds that failed are told, and of so many commits that share one.
const MOST_REASONS: usize = 5;
const MOST_NAMED: usize = 3;

/// The commits that do not build, with the last line that each build said.
fn unbuilt(commits: &[CommitPart]) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for commit in commits.iter().filter(|commit| commit.build == Build::Failed) {
        let mut lines = commit.reason.iter().flat_map(|log| log.lines()).map(str::trim);
        let Some(last) = lines.rfind(|line| !line.is_empty()) else { continue };
        match reasons.iter_mut().find(|(known, _)| *known == last) {
            Some((_, hashes)) => hashes.push(short(&commit.hash)),
            None => reasons.push((last, vec![short(&commit.hash)])),
        }
    }
    let sentence = |(reason, hashes): &(&str, Vec<&str>)| {
        let named = hashes[..hashes.len().min(MOST_NAMED)].join(", ");
        let more = match hashes.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let verb = if hashes.len() == 1 { "does" } else { "do" };
        format!("{named}{more} {verb} not build: {reason}")
    };
    reasons.iter().take(MOST_REASONS).map(sentence).collect()
}

/// What was measured and what was not, and how sure it is.
fn closing(document: &Document, commits: &[CommitPart]) -> Vec<String> {
    let of = |is: &dyn Fn(&CommitPart) -> bool| commits.iter().filter(|commit| is(commit)).count();
    let same = of(&|commit| matches!(commit.build, Build::SameAs(_)));
    let failed = of(&|commit| commit.build == Build::Failed);
    if document.experiment.order == Order::Sequential {
        return vec![
            format!(
                "{} points, imported: steps are change points, drifts are trends",
                commits.len()
            ),
            words::confidence(document),
        ];
    }
    let count = |count: usize, of_one: &str, of_many: &str| {
        format!("{count} {}", if count == 1 { of_one } else { of_many })
    };
    let different = of(&|commit| commit.build == Build::Ok);
    let artefacts = count(different, "artefact", "different artefacts");
    let mut counts = vec![count(commits.len(), "commit", "commits"), artefacts];
    let benchmarks = document.histories.len();
    counts.extend((benchmarks > 0).then(|| count(benchmarks, "benchmark", "benchmarks")));
    counts.extend((same > 0).then(|| format!("{same} built to the bytes of an earlier one")));
    counts.extend((failed > 0).then(|| format!("{failed} did not build")));
    let open = document.answers.iter().filter(|answer| is_open(document, answer)).count();
    let is_unchanged = |answer: &AnswerPart| answer.verdict == Verdict::Unchanged;
    let mut sentences = vec![counts.join(", ")];
    // Where nothing was compared, nothing was found.
    let is_compared = !document.answers.is_empty();
    if document.steps.as_ref().is_some_and(Vec::is_empty) && is_compared && open == 0 {
        sentences.push(if document.answers.iter().all(is_unchanged) {
            let margin = crate::report::quantity::percent(document.experiment.margin);
            format!("no commit changed anything by more than the margin of {margin}")
        } else {
            "no commit is certain to have changed anything".to_owned()
        });
    }
    if open > 0 {
        let pairs = if open == 1 { "pair" } else { "pairs" };
        sentences
            .push(format!("{open} {pairs} of neighbours stay open: a longer `--budget` may tell"));
    }
    sentences.push(words::circumstances(document));
    sentences.extend(words::detectable(document));
    sentences.push(words::confidence(document));
    sentences
}
