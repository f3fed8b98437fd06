//! The commits of a history in a table: hash, subject, figures, and a mark at each step. Below it,
//! each metric over all of them.

use std::collections::HashSet;

use page::sparkline::Heights;
use page::{Block, Column, Line, Row, Span, Spark, Table, Tone, line};

use super::{Shown, commit_span, is_changed, rank, shown, steps_by_commit, summary, value};
use findings::short;
use findings::{Absence, Build, Document, HistoryCommit, Step};
use model::metric;
use model::note::Note;
use words::counted;
use words::quantity::ChangeSize;
use words::tone;

/// Above this number of commits, a terminal shows only the notable ones.
const MOST_ROWS: usize = 60;

/// Above this number of metrics, as in imported series, only this many of those that changed are
/// shown, and on a terminal only the commits at which one did.
const MOST_METRICS: usize = 8;

/// The least and the greatest width of a subject.
const SUBJECT: (usize, usize) = (12, 50);

/// The commits of a command, or of one benchmark.
pub(super) fn blocks(document: &Document) -> Vec<Block> {
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
        let values = super::course(document, one);
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
pub(super) fn absent(document: &Document, commit: &HistoryCommit) -> &'static str {
    match (&commit.build, super::absence(document, &commit.hash)) {
        (Build::Failed, _) => "no build",
        (Build::Skipped, _) => "skipped",
        (_, None) => "no runs",
        (_, Some(Absence::Lacking)) => "not there",
        (_, Some(Absence::Unlisted)) => "no list",
        (_, Some(Absence::Unmeasured { .. })) => "fails",
    }
}

/// `▼ -46.17 %`.
pub(super) fn mark(step: &Step) -> Line {
    let arrow = if step.ratio < 1.0 { "▼" } else { "▲" };
    let shown = Span::quantity(format!("{arrow} {}", ChangeSize::from(step).words()), step.ratio);
    Line::from(shown).toned(tone(step.verdict))
}
