//! The tables of a history. Those of commits have hash, subject, figures, and a mark at each step,
//! and below them each metric over all commits. A suite has an overview of its benchmarks, and then
//! the commits of each, folded if nothing changed.

use std::collections::HashSet;

use form_urlencoded::Serializer;

use findings::{Absence, Build, Document, HistoryCommit, Step, short};
use model::metric;
use model::note::Note;
use model::verdict::Verdict;
use page::sparkline::{Heights, sparkline};
use page::{Block, Column, Line, Row, Section, Span, Spark, Table, Tone, line};
use words::quantity::ChangeSize;
use words::{counted, tone};

use super::{Shown, commit_span, course, is_changed, rank, shown, steps_by_commit, summary, value};

/// Above this number of commits, a terminal shows only the notable ones.
const MOST_ROWS: usize = 60;

/// Above this number of metrics, as in imported series, only this many of those that changed are
/// shown, and on a terminal only the commits at which one did.
const MOST_METRICS: usize = 8;

/// The least and the greatest width of a subject.
const SUBJECT: (usize, usize) = (12, 50);

/// The commits of a command, or of one benchmark.
pub(super) fn commits(document: &Document) -> Vec<Block> {
    let mut metrics = shown(document);
    let all = metrics.len();
    if all > MOST_METRICS {
        if metrics.iter().any(|one| is_changed(document, one)) {
            metrics.retain(|one| is_changed(document, one));
        }
        metrics.truncate(MOST_METRICS);
    }
    let left_out = all - metrics.len();
    let commits = document.commits();
    let sparks = metrics.iter().filter(|_| commits.len() > 1).map(|one| {
        let values = course(document, one);
        Block::Spark(Spark { name: one.name.clone().into(), values, heights: Heights::ByRange })
    });
    let mut table = table(document, commits, &metrics);
    if left_out > 0 {
        let told = table.rows.iter().filter(|row| !row.gives_way).count();
        table.most_rows = Some(told.min(MOST_ROWS));
    }
    let rest = (left_out > 0).then(|| {
        let more = counted(left_out, "more metric");
        Block::Sentence(line![more, " not in the table; ", Span::code("--export-json"), " has all"])
    });
    std::iter::once(Block::Table(table)).chain(sparks).chain(rest).collect()
}

fn table(document: &Document, commits: &[HistoryCommit], metrics: &[Shown]) -> Table {
    let subject = Column::left("subject").cut(SUBJECT.0, SUBJECT.1);
    let is_asked = document.experiment.metrics.is_some();
    let figures = metrics.iter().enumerate().flat_map(|(place, one)| {
        // If room is short, the most important columns stay; requested ones continue below.
        let gives_way = match rank(document, place, metrics.len()) {
            0 if !is_asked => None,
            rank => u8::try_from(metrics.len() - rank).ok(),
        };
        let pair = [Column::right(one.name.clone()), Column::left("")];
        pair.map(|column| Column { gives_way, ..column })
    });
    let has_work = has_lesser_work(document);
    let work = has_work.then(|| Column::right("work"));
    let columns = [Column::left("commit"), subject].into_iter().chain(work).chain(figures);
    let mut table =
        Table { most_rows: Some(MOST_ROWS), continues: is_asked, ..Table::new(columns) };
    let steps = steps_by_commit(document);
    let befores: HashSet<&str> = document.steps().iter().map(|step| step.from.as_str()).collect();
    for (number, commit) in commits.iter().enumerate() {
        let is_end = number == 0 || number + 1 == commits.len();
        let own = steps.get(commit.hash.as_str()).map_or(&[][..], Vec::as_slice);
        let is_told = is_end
            || !own.is_empty()
            || befores.contains(commit.hash.as_str())
            || commit.build == Build::Failed;
        let mut row = row(document, commit, own, metrics);
        if has_work {
            let work = commit.variant.and_then(|it| document.variants[it as usize].labels.work());
            let work = work.map(|work| Line::from(work.done.to_string())).unwrap_or_default();
            row.cells.insert(2, work);
        }
        table.rows.push(Row { gives_way: !is_told, ..row });
    }
    table
}

fn row(document: &Document, commit: &HistoryCommit, steps: &[&Step], metrics: &[Shown]) -> Row {
    // A commit may lack a message.
    let subject = if commit.subject.is_empty() { short(&commit.hash) } else { &commit.subject };
    let name = [commit_span(&commit.hash), Span::code(subject)].map(Line::from);
    let figures = metrics.iter().flat_map(|one| match (commit.variant, &commit.build) {
        (None, _) => [Line::from(absent(document, commit)).toned(Tone::Open), Line::default()],
        (Some(_), Build::SameAs(hash)) => {
            [line!["= ", commit_span(hash)].toned(Tone::Quiet), Line::default()]
        }
        (Some(variant), _) => {
            let value = summary(document, variant, one).map(|part| value(document, part));
            let step = steps.iter().find(|step| one.is(step)).map(|step| mark(step));
            let mark = step.or_else(|| other_work(document, variant, one));
            [value.map(Line::from).unwrap_or_default(), mark.unwrap_or_default()]
        }
    });
    name.into_iter().chain(figures).collect()
}

/// True if some commit did less than the whole work.
fn has_lesser_work(document: &Document) -> bool {
    let works = document.variants.iter().filter_map(|one| one.labels.work());
    works.into_iter().any(|work| !work.is_whole())
}

/// A mark for a commit that is not compared with the one before, which did another amount of work.
fn other_work(document: &Document, variant: u32, shown: &Shown) -> Option<Line> {
    let grows = metric::find(&shown.id).is_some_and(|metric| metric.grows_with_work());
    let is_its =
        |note: &Note| matches!(note, Note::OtherWork { candidate, .. } if *candidate == variant);
    let is_told = !grows && document.notes.iter().any(is_its);
    is_told.then(|| Line::from("other work").toned(Tone::Open))
}

/// The reason for missing figures, in a few words.
fn absent(document: &Document, commit: &HistoryCommit) -> &'static str {
    let mut absences = document.histories().iter().flat_map(|history| &history.absences);
    let absence = absences.find(|one| one.commit == commit.hash).map(|one| &one.why);
    match (&commit.build, absence) {
        (Build::Failed, _) => "no build",
        (Build::Skipped, _) => "skipped",
        (_, None) => "no runs",
        (_, Some(Absence::Lacking)) => "not there",
        (_, Some(Absence::Unlisted)) => "no list",
        (_, Some(Absence::Unmeasured { .. })) => "fails",
    }
}

/// `▼ -46.17 %`.
fn mark(step: &Step) -> Line {
    let arrow = if step.ratio < 1.0 { "▼" } else { "▲" };
    let shown = Span::quantity(format!("{arrow} {}", ChangeSize::from(step).words()), step.ratio);
    Line::from(shown).toned(tone(step.verdict))
}

/// Above this number of benchmarks, a terminal lists only those that changed.
const MOST_BENCHMARKS: usize = 20;

/// The least width of a cut name.
const NAME: usize = 12;

/// The greatest width of the line over the commits.
const BARS: usize = 24;

/// The benchmarks, each with its own document.
pub(super) fn benchmarks(all: &[Document]) -> Vec<Block> {
    let mut blocks = Vec::new();
    if all.len() > 1 {
        let still = all.iter().filter(|own| is_measured(own) && !has_change(own)).count();
        let found = format!("no change was found in {still} of {} benchmarks", all.len());
        blocks.extend((still > 0).then(|| Block::Sentence(found.into())));
        blocks.extend(overview(all).map(Block::Table));
    }
    // The commits of many benchmarks, where nothing changed, would be the most of any page.
    let is_listed = |own: &&Document| all.len() <= MOST_BENCHMARKS || has_change(own);
    blocks.extend(worst_first(all).into_iter().filter(is_listed).map(|own| {
        let mut blocks = self::commits(own);
        if all.len() > MOST_BENCHMARKS {
            blocks.iter_mut().for_each(keep_notable_rows);
        }
        let is_folded = all.len() > 1 && (!has_change(own) || all.len() > MOST_BENCHMARKS);
        Block::Section(Section { title: name(own).into(), blocks, is_folded })
    }));
    blocks
}

/// Leaves out the rows of commits that changed nothing.
fn keep_notable_rows(block: &mut Block) {
    if let Block::Table(table) = block {
        let all = table.rows.len();
        table.rows.retain(|row| !row.gives_way);
        let left_out = all - table.rows.len();
        let told = counted(left_out, "more commit");
        table.foot.extend((left_out > 0).then(|| line![told, " without a change"]));
    }
}

/// The benchmarks, those that became worse by most first, then those that became better, and last
/// those without change, in the order of the suite.
pub(super) fn worst_first(all: &[Document]) -> Vec<&Document> {
    let weight = |own: &Document, verdict: Verdict| {
        let steps = own.steps().iter().filter(|step| step.verdict == verdict);
        let drifts = own.drifts().iter().filter(|drift| drift.verdict == verdict);
        let weights = steps.map(Step::weight).chain(drifts.map(|drift| drift.ratio.ln().abs()));
        weights.fold(0.0, f64::max)
    };
    let key = |own: &Document| [Verdict::Regressed, Verdict::Improved].map(|one| weight(own, one));
    let mut ordered: Vec<(&Document, [f64; 2])> = all.iter().map(|own| (own, key(own))).collect();
    ordered.sort_by(|(_, [a, b]), (_, [c, d])| c.total_cmp(a).then(d.total_cmp(b)));
    ordered.into_iter().map(|(own, _)| own).collect()
}

/// The address at which the picture of a page shows this benchmark.
fn choice_address(document: &Document) -> String {
    let fields = [("benchmark", document.histories()[0].benchmark.as_str())];
    let encoded = Serializer::new(String::new()).extend_pairs(fields).finish();
    format!("#{encoded}")
}

fn name(document: &Document) -> Span {
    Span::code(&document.histories()[0].benchmark)
}

fn has_change(document: &Document) -> bool {
    !document.steps().is_empty() || !document.drifts().is_empty()
}

/// True if the newest commit has a figure for it.
fn is_measured(document: &Document) -> bool {
    document.commits().iter().next_back().is_some_and(|commit| commit.variant.is_some())
}

/// A row for each benchmark: first and last value, the line between, and the largest step.
fn overview(all: &[Document]) -> Option<Table> {
    let metric = all.iter().find_map(|own| shown(own).into_iter().next())?;
    let columns = [
        Column::names("benchmark", NAME),
        Column::right("first"),
        Column::right("last"),
        Column::left("").giving_way(0),
        Column::left("largest step"),
    ];
    let mut table = Table::new(columns);
    table.title = metric.name.clone().into();
    table.most_rows = Some(MOST_BENCHMARKS);
    let row = |own| Row { gives_way: !has_change(own), ..benchmark_row(own, &metric) };
    table.rows.extend(worst_first(all).into_iter().map(row));
    Some(table)
}

fn benchmark_row(document: &Document, metric: &Shown) -> Row {
    let commits = document.commits();
    let parts = commits.iter().filter_map(|commit| summary(document, commit.variant?, metric));
    let values: Vec<Span> = parts.map(|part| value(document, part)).collect();
    let end = |value: Option<&Span>| value.cloned().map(Line::from).unwrap_or_default();
    let newest = commits.last().filter(|commit| commit.variant.is_none());
    let last = newest.map(|commit| absent(document, commit));
    let last = last.map(|why| Line::from(why).toned(Tone::Open));
    let steps = document.steps().iter().filter(|step| metric.is(step));
    let largest = steps.max_by(|a, b| a.weight().total_cmp(&b.weight()));
    let bars = sparkline(&course(document, metric), BARS, Heights::ByRange);
    let largest = largest.map(|step| line![mark(step), " ", step.verdict.word()]);
    let largest = largest.unwrap_or_default();
    let last = last.unwrap_or_else(|| end(values.last()));
    let choice = Span::beside(name(document).text, choice_address(document));
    [Line::from(choice), end(values.first()), last, bars.into(), largest].into_iter().collect()
}
