//! An explanation on a terminal: what was looked at, the findings, and what was not seen.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::document::{EvidencePart, ExplanationPart, FindingPart, PlacePart};
use super::sentences;
use crate::report::plain::printable;
use crate::report::table::shorten;
use crate::report::terminal::wrap;

pub(in crate::report) const HEADING: Style = Style::new().dimmed();
pub(in crate::report) const TITLE: Style = Style::new().bold();
const MARK: Style = AnsiColor::Yellow.on_default().bold();
const KEYWORD: Style = AnsiColor::Cyan.on_default();
/// How far all that is said of a place is moved to the right.
const INDENT: usize = 3;
const HELPED: Style = AnsiColor::Green.on_default();

/// What opens a line of Core that holds a marked part, for those who have no colours.
const POINTER: &str = "> ";

/// The explanation as text with terminal styles, for a terminal so many columns wide. With `all`,
/// findings that cost little are shown too.
#[must_use]
pub fn render(part: &ExplanationPart, columns: usize, all: bool) -> String {
    let part = &*printable(part);
    let mut text = String::new();
    line(&mut text, TITLE, &sentences::head(part));
    paragraph(&mut text, columns, sentences::run(part).as_deref());
    match &part.coverage {
        Some(coverage) => {
            let sentences = sentences::coverage(coverage);
            paragraph(&mut text, columns, Some(&sentences.join(" ")));
        }
        None => paragraph(&mut text, columns, Some(sentences::NOT_MEASURED)),
    }
    for doubt in &part.doubts {
        labelled(&mut text, columns, "doubt", doubt);
    }
    let shown = part.shown(all);
    for (number, (place, findings)) in shown.iter().enumerate() {
        text.push('\n');
        render_place(&mut text, columns, number + 1, (place, findings));
    }
    let count = shown.iter().map(|(_, findings)| findings.len()).sum();
    closing(&mut text, part, columns, count);
    text
}

fn closing(text: &mut String, part: &ExplanationPart, columns: usize, shown: usize) {
    text.push('\n');
    let hidden = part.findings.len() - shown;
    if shown == 0 && hidden == 0 {
        paragraph(text, columns, Some("No known cause was found."));
    } else if shown == 0 {
        paragraph(text, columns, Some("No known cause was found that costs 1 % or more."));
    }
    if hidden > 0 {
        paragraph(text, columns, Some(&sentences::minor(hidden)));
    }
    for blind in &part.not_looked {
        labelled(text, columns, "note", &sentences::not_looked(blind, part.modules.len()));
    }
}

fn render_place(
    text: &mut String,
    columns: usize,
    number: usize,
    (place, findings): (&PlacePart, &[&FindingPart]),
) {
    let location = place.location.as_ref().map(sentences::location);
    let location = location.map_or_else(String::new, |it| format!("  {HEADING}{it}{HEADING:#}"));
    let binding = &place.binding;
    let _ = writeln!(text, "{TITLE}{number}. {binding}{TITLE:#}{location}");
    let costs = sentences::costs(place, findings);
    if let Some(cost) = costs.of_place {
        indented(text, columns, INDENT, &cost);
    }
    for (letter, (finding, cost)) in ('a'..).zip(findings.iter().zip(costs.of_findings)) {
        let letter = (findings.len() > 1).then_some(letter);
        if letter.is_some_and(|letter| letter != 'a') {
            text.push('\n');
        }
        render_finding(text, columns, letter, (finding, cost));
    }
}

fn render_finding(
    text: &mut String,
    columns: usize,
    letter: Option<char>,
    (finding, cost): (&FindingPart, Option<String>),
) {
    let indent = INDENT;
    let letter = letter.map_or_else(String::new, |letter| format!("{letter}. "));
    let what = format!("{letter}{} ({})", capital(&finding.what), finding.cause);
    indented(text, columns, indent, &what);
    if let Some(cost) = cost {
        indented(text, columns, indent, &cost);
    }
    for evidence in &finding.evidence {
        render_evidence(text, columns, evidence);
    }
    if !finding.evidence.is_empty() {
        text.push('\n');
    }
    labelled_at(text, columns, indent, "try", &finding.remedy);
    labelled_at(text, columns, indent, "why", &finding.why);
    if let Some(proof) = &finding.proof {
        let style = if proof.verdict.starts_with("helped") { HELPED } else { HEADING };
        for line in wrap(&sentences::proof(proof), columns.saturating_sub(indent)) {
            let _ = writeln!(text, "{:indent$}{style}{line}{style:#}", "");
        }
    }
}

pub(in crate::report) fn render_evidence(
    text: &mut String,
    columns: usize,
    evidence: &EvidencePart,
) {
    let mut start = 0;
    text.push('\n');
    for line in evidence.core.split('\n') {
        let end = start + line.len();
        // A mark that begins in this line points at it; one over many lines points once.
        let is_marked = evidence.marks.iter().any(|mark| start <= mark[0] && mark[0] < end);
        let lead = if is_marked { POINTER } else { "  " };
        let shown = shorten(line, columns.saturating_sub(5));
        let _ = writeln!(text, "   {MARK}{lead}{MARK:#}{}", coloured(&shown, start, evidence));
        start = end + 1;
    }
}

/// A line of Core: what is marked in one colour, keywords in another. `start` is where it begins in the
/// evidence.
fn coloured(line: &str, start: usize, evidence: &EvidencePart) -> String {
    let is_marked = |at: usize| evidence.marks.iter().any(|mark| mark[0] <= at && at < mark[1]);
    let mut text = String::new();
    let mut rest = line;
    let mut at = start;
    while !rest.is_empty() {
        let is_space = rest.starts_with(' ');
        let end = rest.find(|letter| (letter == ' ') != is_space).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if is_space {
            text.push_str(word);
        } else if is_marked(at) {
            let _ = write!(text, "{MARK}{word}{MARK:#}");
        } else if is_keyword(word) {
            let _ = write!(text, "{KEYWORD}{word}{KEYWORD:#}");
        } else {
            text.push_str(word);
        }
        at += word.len();
        rest = after;
    }
    text
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "case"
            | "of"
            | "let"
            | "letrec"
            | "join"
            | "joinrec"
            | "jump"
            | "and"
            | "->"
            | "="
            | "{"
            | "}"
    )
}

fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
}

pub(in crate::report) fn line(text: &mut String, style: Style, words: &str) {
    let _ = writeln!(text, "{style}{words}{style:#}");
}

pub(in crate::report) fn paragraph(text: &mut String, columns: usize, words: Option<&str>) {
    if let Some(words) = words {
        indented(text, columns, 0, words);
    }
}

pub(in crate::report) fn indented(text: &mut String, columns: usize, indent: usize, words: &str) {
    for line in wrap(words, columns.saturating_sub(indent)) {
        let _ = writeln!(text, "{:indent$}{line}", "");
    }
}

pub(in crate::report) fn labelled(text: &mut String, columns: usize, label: &str, words: &str) {
    labelled_at(text, columns, 0, label, words);
}

pub(in crate::report) fn labelled_at(
    text: &mut String,
    columns: usize,
    indent: usize,
    label: &str,
    words: &str,
) {
    let hang = label.len() + 2;
    for (place, line) in wrap(words, columns.saturating_sub(indent + hang)).iter().enumerate() {
        let lead = if place == 0 { format!("{label}:") } else { " ".repeat(label.len() + 1) };
        let _ = writeln!(text, "{:indent$}{HEADING}{lead}{HEADING:#} {line}", "");
    }
}
