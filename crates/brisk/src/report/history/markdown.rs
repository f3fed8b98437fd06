//! A history as Markdown: the sentences of the changelog, and the commits as a table.

use std::fmt::Write as _;

use super::{change, changes, sentences, shown, steps_at, summary, value};
use crate::history::merge::short;
use crate::history::whole;
use crate::metric::{self, Unit};
use crate::report::core_difference;
use crate::report::document::{Absence, Build, CommitPart, Document};
use crate::report::markdown::code;
use crate::report::words;

/// The history as Markdown.
pub fn render(document: &Document) -> String {
    let mut text = sentences::render(document);
    if !text.is_empty() {
        text.push('\n');
    }
    if document.histories.is_empty() {
        table(&mut text, document);
    }
    for own in whole::each(document) {
        let _ = writeln!(text, "### {}\n", code(&own.histories[0].benchmark));
        table(&mut text, &own);
        text.push('\n');
    }
    let told = changes::sentences(document);
    for sentence in told.into_iter().chain(explained(document)) {
        let _ = writeln!(text, "* {sentence}");
    }
    let _ =
        writeln!(text, "\n{}; {}.", words::circumstances(document), words::confidence(document));
    text
}

/// The first sentence of each step's difference in Core.
fn explained(document: &Document) -> Vec<String> {
    let mut sentences = Vec::new();
    for step in document.steps.iter().flatten() {
        let answer = step.core_difference.as_deref().and_then(core_difference::answer);
        let sentence = answer.map(|answer| format!("{}: {answer}", short(&step.commit)));
        sentences.extend(sentence.filter(|it| !sentences.contains(it)));
    }
    sentences
}

fn table(text: &mut String, document: &Document) {
    let shown = shown(document);
    let names: Vec<&str> = shown.iter().map(|one| one.name.as_str()).collect();
    let _ = writeln!(text, "| commit | subject | {} |", names.join(" | "));
    let _ = writeln!(text, "|---|---|{}", "---:|".repeat(shown.len()));
    for commit in document.commits.iter().flatten() {
        let cells: Vec<String> = match commit.variant {
            Some(variant) => {
                let steps = steps_at(document, &commit.hash);
                let cell = |one: &super::Shown| {
                    let unit = metric::find(&one.id).map_or(Unit::Count, |metric| metric.unit);
                    let part = summary(document, variant, one);
                    let text = part.map(|part| value(document, part, unit));
                    let step = steps.iter().find(|step| step.metric == one.id);
                    let mark = step.map(|step| format!(" **{}**", change(step.ratio)));
                    text.unwrap_or_default() + &mark.unwrap_or_default()
                };
                shown.iter().map(cell).collect()
            }
            None => {
                let why = super::absence(document, &commit.hash).map_or(absence(commit), not_there);
                shown.iter().map(|_| why.to_owned()).collect()
            }
        };
        let subject = code(&commit.subject);
        let _ = writeln!(text, "| {} | {subject} | {} |", short(&commit.hash), cells.join(" | "));
    }
}

/// Why a benchmark has no figures at a commit, in few words.
fn not_there(why: &Absence) -> &'static str {
    match why {
        Absence::Lacking => "not there",
        Absence::Unlisted => "no list",
        Absence::Unmeasured { .. } => "fails",
    }
}

fn absence(commit: &CommitPart) -> &'static str {
    match commit.build {
        Build::Failed => "does not build",
        Build::Skipped => "not built",
        Build::Ok | Build::SameAs(_) => "not measured",
    }
}
