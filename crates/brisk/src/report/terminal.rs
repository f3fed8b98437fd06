//! The report on a terminal.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::document::{ComparisonPart, Document, SummaryPart, letter};
use super::equal_work::{self, Finding};
use super::plain::plain;
use super::quantity::{Scale, scale_for};
use super::table::{Cell, lines, shorten, width};
use super::{setups, words};
use crate::judge::stopping::EstimatorOption;
use crate::judge::verdict::Verdict;
use crate::metric::{self, Metric, MetricId, Unit, WALL_TIME};

/// Above this many variants there is one row for each instead of one table for each.
const MOST_TABLES: usize = 6;

/// At most so many variants are listed on a terminal; the exports have all of them.
const MOST_ROWS: usize = 60;

const HEADING: Style = Style::new().dimmed();
const STRONG: Style = Style::new().bold();
pub(in crate::report) const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// The report as text with terminal styles, for a terminal so many columns wide.
pub fn render(document: &Document, columns: usize) -> String {
    let mut text = String::new();
    if document.variants.len() <= MOST_TABLES {
        tables(&mut text, document, columns);
    } else {
        overview(&mut text, document, columns);
    }
    text += &super::memory::terminal::render(document, columns);
    answers(&mut text, document, columns);
    text
}

fn tables(text: &mut String, document: &Document, columns: usize) {
    let tables = fitting(columns, |layout| {
        (0..).take(document.variants.len()).map(|v| table(document, v, layout)).collect()
    });
    for ((variant, part), rows) in (0..).zip(&document.variants).zip(tables) {
        let is_baseline = document.answers.iter().any(|answer| answer.baseline == variant);
        let suffix = if is_baseline { "  baseline" } else { "" };
        let letter = letter(variant);
        let room = columns.saturating_sub(letter.len() + 2 + suffix.len());
        let name = shorten(&part.name.replace('\n', " "), room.max(10));
        let _ = writeln!(text, "{STRONG}{letter}  {name}{STRONG:#}{HEADING}{suffix}{HEADING:#}");
        for line in lines(&rows) {
            let _ = writeln!(text, "{line}");
        }
        for missing in missing_rows(document, variant) {
            let _ = writeln!(text, "{HEADING}{}{HEADING:#}", shorten(&missing, columns));
        }
        text.push('\n');
    }
}

fn table(document: &Document, variant: u32, layout: Layout) -> Vec<Vec<Cell>> {
    let shown = document.summaries_of(variant).filter(|part| document.shows(&part.metric));
    std::iter::once(heading(document, variant, layout))
        .chain(shown.map(|summary| row(document, summary, layout)))
        .collect()
}

/// Which columns a table has room for.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Layout {
    outliers: bool,
    range: bool,
}

/// All tables in the fullest layout in which each of them fits.
fn fitting(columns: usize, tables: impl Fn(Layout) -> Vec<Vec<Vec<Cell>>>) -> Vec<Vec<Vec<Cell>>> {
    let layouts = [(true, true), (false, true), (false, false)];
    let mut laid_out = layouts.map(|(outliers, range)| Layout { outliers, range }).into_iter();
    loop {
        let layout = laid_out.next().expect("the last layout is taken in any case");
        let tables = tables(layout);
        if tables.iter().all(|rows| width(rows) <= columns) || laid_out.len() == 0 {
            return tables;
        }
    }
}

fn heading(document: &Document, variant: u32, layout: Layout) -> Vec<Cell> {
    let centre = match document.experiment.estimator {
        EstimatorOption::Mean => "mean ± sd",
        EstimatorOption::Min => "min ± sd",
        EstimatorOption::RankScores | EstimatorOption::PseudoMedian | EstimatorOption::Median => {
            "median ± sd"
        }
    };
    let mut cells = vec![Cell::left("metric"), Cell::right(centre)];
    if layout.range {
        cells.push(Cell::right("min … max"));
    }
    if layout.outliers {
        cells.push(Cell::right("outliers"));
    }
    let answer = document.answers.iter().find(|answer| answer.candidate == variant);
    if let Some(answer) = answer {
        cells.push(Cell::left(format!("ratio to {}", letter(answer.baseline))));
    }
    cells.into_iter().map(|cell| cell.styled(HEADING)).collect()
}

fn row(document: &Document, summary: &SummaryPart, layout: Layout) -> Vec<Cell> {
    let metric = metric::find(&summary.metric);
    let unit = metric.as_ref().map_or(Unit::Count, |metric| metric.unit);
    let centre = document.figure(summary);
    let scale = scale_for(if centre == 0.0 { summary.max } else { centre }, unit);
    let decimals = scale.decimals(centre);
    let mut cells = vec![
        Cell::left(row_label(metric.as_ref(), summary)),
        Cell::right(value_and_spread(summary, centre, scale, decimals)),
    ];
    if layout.range {
        let fewer = decimals.saturating_sub(1);
        let (min, max) = (scale.number(summary.min, fewer), scale.number(summary.max, fewer));
        cells.push(Cell::right(format!("{min} … {max}")));
    }
    if layout.outliers {
        cells.push(Cell::right(outliers(summary)));
    }
    if let Some(part) = document.comparison(summary.variant, &summary.metric, summary.source) {
        cells.push(Cell::left(words::ratio_in_row(document, part)));
        cells.push(verdict(part));
    }
    cells
}

fn row_label(metric: Option<&Metric<'_>>, summary: &SummaryPart) -> String {
    let label = metric.map_or(summary.metric.as_str(), |metric| metric.label);
    format!("{label}{}", summary.source.mark())
}

fn value_and_spread(summary: &SummaryPart, centre: f64, scale: Scale, decimals: usize) -> String {
    if summary.at_most {
        return scale.with_symbol(&format!("<= {}", scale.number(centre, decimals)));
    }
    let value = scale.number(centre, decimals);
    match summary.sd {
        Some(sd) => scale.with_symbol(&format!("{value} ± {}", scale.spread(sd, decimals))),
        None => scale.with_symbol(&value),
    }
}

fn outliers(summary: &SummaryPart) -> String {
    match summary.outliers {
        0 => String::new(),
        count => {
            let share = count as f64 / summary.n as f64 * 100.0;
            format!("{count} ({share:.0} %)")
        }
    }
}

fn verdict(part: &ComparisonPart) -> Cell {
    let small = if part.verdict.is_change() && part.within_margin { " (small)" } else { "" };
    Cell::left(format!("{}{small}", part.verdict.word())).styled(style_of(part.verdict))
}

fn style_of(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Improved => AnsiColor::Green.on_default().bold(),
        Verdict::Regressed => AnsiColor::Red.on_default().bold(),
        Verdict::Unchanged => Style::new(),
        Verdict::Inconclusive => AnsiColor::Yellow.on_default(),
    }
}

/// Metrics without any value, with the reason; those nobody asked for are left out. Usual metrics
/// that the machine cannot give are told once, in a note.
fn missing_rows(document: &Document, variant: u32) -> Vec<String> {
    let runs_of = |id: &MetricId, source| {
        document.summaries_of(variant).find(|s| s.metric == *id && s.source == source).map(|s| s.n)
    };
    let is_own = |id: &MetricId| metric::find(id).is_some_and(|metric| metric.is_own());
    let is_usual = |id: &MetricId| *id == metric::CPU_WAIT || is_own(id);
    let has_any = |id: &MetricId| document.summaries_of(variant).any(|s| s.metric == *id);
    let mut rows: Vec<String> = Vec::new();
    for part in document.missing.iter().filter(|part| part.variant == variant) {
        let chosen = document.experiment.metrics.as_ref();
        let wanted = chosen.map_or(is_usual(&part.metric), |c| c.contains(&part.metric));
        if !wanted {
            continue;
        }
        let label = words::label(&part.metric);
        rows.push(match runs_of(&part.metric, part.source) {
            None if has_any(&part.metric) => continue,
            None => format!("{label}: missing ({})", part.reason),
            Some(_) => format!("{label}: missing in {} runs ({})", part.runs, part.reason),
        });
    }
    rows
}

/// One row for each variant, in the metric that answers.
fn overview(text: &mut String, document: &Document, columns: usize) {
    let id = document.answers.first().map_or(WALL_TIME, |answer| answer.metric.clone());
    let tables = fitting(columns, |layout| vec![overview_rows(document, &id, layout, columns)]);
    for line in tables.iter().flat_map(|rows| lines(rows)) {
        let _ = writeln!(text, "{line}");
    }
    if document.variants.len() > MOST_ROWS {
        let more = document.variants.len() - MOST_ROWS;
        let _ = writeln!(text, "{HEADING}and {more} more; the exports have all{HEADING:#}");
    }
    text.push('\n');
}

fn overview_rows(
    document: &Document,
    id: &MetricId,
    layout: Layout,
    columns: usize,
) -> Vec<Vec<Cell>> {
    let headings = [Cell::left(""), Cell::left("command")]
        .into_iter()
        .chain(heading(document, u32::MAX, layout).into_iter().skip(1))
        .chain([Cell::left("ratio")])
        .map(|cell| cell.styled(HEADING));
    let mut rows = vec![headings.collect::<Vec<_>>()];
    for (variant, part) in (0..).zip(document.variants.iter().take(MOST_ROWS)) {
        let summary = document.summaries_of(variant).find(|summary| summary.metric == *id);
        let name = Cell::left(shorten(&part.name.replace('\n', " "), columns / 3));
        let mut cells = vec![Cell::left(letter(variant)), name];
        if let Some(summary) = summary {
            cells.extend(row(document, summary, layout).into_iter().skip(1));
        }
        rows.push(cells);
    }
    rows
}

fn answers(text: &mut String, document: &Document, columns: usize) {
    let few = document.variants.len() <= MOST_TABLES;
    for answer in document.answers.iter().filter(|_| few) {
        let style = style_of(answer.verdict);
        let sentence = words::answer(document, answer);
        for line in wrap(&sentence, columns) {
            let _ = writeln!(text, "{style}{line}{style:#}");
        }
    }
    for sentence in setups::sentences(document).iter().filter(|_| few) {
        for line in wrap(sentence, columns) {
            let _ = writeln!(text, "{line}");
        }
    }
    let findings = equal_work::findings(document);
    for finding in &findings {
        if let Finding::Warning(words) = finding {
            lead(text, WARNING, "warning:", words, columns);
        }
    }
    let mut small: Vec<String> = words::footnote(document).map(str::to_owned).into_iter().collect();
    small.push(words::circumstances(document));
    small.extend(words::detectable(document));
    if !document.comparisons.is_empty() {
        small.push(words::confidence(document));
    }
    for sentence in small {
        for line in wrap(&sentence, columns) {
            let _ = writeln!(text, "{line}");
        }
    }
    for finding in &findings {
        if let Finding::Remark(words) = finding {
            lead(text, HEADING, "note:", words, columns);
        }
    }
    for note in &document.notes {
        lead(text, HEADING, "note:", &note.to_string(), columns);
    }
}

/// A sentence behind a word that says what sort it is, further lines below its beginning.
pub(in crate::report) fn lead(
    text: &mut String,
    style: Style,
    word: &str,
    sentence: &str,
    columns: usize,
) {
    let indent = word.len() + 1;
    for (index, line) in wrap(sentence, columns.saturating_sub(indent)).iter().enumerate() {
        let word = if index == 0 { word } else { &" ".repeat(word.len()) };
        let _ = writeln!(text, "{style}{word}{style:#} {line}");
    }
}

/// `text` in lines of at most `columns`, cut between words.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    use unicode_width::UnicodeWidthStr;
    let mut lines = vec![String::new()];
    for word in plain(text).split(' ') {
        let line = lines.last_mut().expect("never empty");
        if !line.is_empty() && line.width() + 1 + word.width() > columns.max(20) {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_cut_between_words() {
        assert_eq!(wrap("aaaa bbbb cccc dddd eeee", 20), ["aaaa bbbb cccc dddd", "eeee"]);
        assert_eq!(wrap("", 20), [""]);
    }
}
