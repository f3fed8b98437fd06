//! A difference on a terminal: the answer, what changed, and what did not.

use std::fmt::Write as _;

use super::document::{CoreDifferencePart, GroupPart};
use super::sentences;
use crate::report::explanation::terminal::{
    HEADING, TITLE, indented, labelled, labelled_at, line, paragraph, render_evidence,
};
use crate::report::plain::printable;

/// So many of the other changes of a group are told unasked.
const MOST_MORE: usize = 4;

/// So many rules are told unasked.
const MOST_RULES: usize = 3;

/// The difference as text with terminal styles, for a terminal so many columns wide. With `all`, what
/// hardly changed in cost is there too.
#[must_use]
pub fn render(part: &CoreDifferencePart, columns: usize, all: bool) -> String {
    let part = &*printable(part);
    let mut text = String::new();
    line(&mut text, TITLE, &sentences::head(part));
    paragraph(&mut text, columns, Some(&sentences::counts(part)));
    match sentences::answer(part) {
        Some(answer) => {
            text.push('\n');
            for words in crate::report::terminal::wrap(&answer, columns) {
                line(&mut text, TITLE, &words);
            }
            paragraph(&mut text, columns, Some(&sentences::explained(part).join(" ")));
        }
        None => paragraph(&mut text, columns, Some(sentences::NOT_MEASURED)),
    }
    for doubt in &part.doubts {
        labelled(&mut text, columns, "doubt", doubt);
    }
    let mut number = 0;
    for group in part.changes.iter().filter(|group| all || !group.minor) {
        number += 1;
        text.push('\n');
        render_group(&mut text, columns, number, group, all);
    }
    closing(&mut text, part, columns, (number, all));
    text
}

fn render_group(text: &mut String, columns: usize, number: usize, group: &GroupPart, all: bool) {
    let binding = &group.binding;
    let _ = writeln!(
        text,
        "{TITLE}{number}. {binding}{TITLE:#}  {HEADING}{}{HEADING:#}",
        group.core_name
    );
    let indent = 3;
    if let Some(moved) = &group.moved {
        indented(text, columns, indent, &sentences::moved(moved));
    }
    indented(text, columns, indent, &format!("It {}.", group.what));
    let shown = if all { group.more.len() } else { MOST_MORE.min(group.more.len()) };
    for said in &group.more[..shown] {
        let subject = if said.binding == group.binding {
            String::new()
        } else {
            format!("`{}` ", said.binding)
        };
        labelled_at(text, columns, indent, "also", &format!("{subject}{}", said.what));
    }
    if shown < group.more.len() {
        labelled_at(text, columns, indent, "also", &format!("{} more", group.more.len() - shown));
    }
    if let Some(pieces) = sentences::pieces(group) {
        indented(text, columns, indent, &pieces);
    }
    for (label, evidence) in [("before", &group.before), ("after", &group.after)] {
        if let Some(evidence) = evidence {
            let _ = write!(text, "\n   {HEADING}{label}{HEADING:#}");
            render_evidence(text, columns, evidence);
        }
    }
}

fn closing(
    text: &mut String,
    part: &CoreDifferencePart,
    columns: usize,
    (shown, all): (usize, bool),
) {
    text.push('\n');
    let hidden = part.changes.len() - shown;
    if hidden > 0 {
        paragraph(text, columns, Some(&sentences::minor(hidden, part.total.is_some())));
    }
    for elsewhere in &part.elsewhere {
        labelled(text, columns, "note", &sentences::elsewhere(elsewhere));
    }
    for (word, modules) in [("gone", &part.modules_gone), ("new", &part.modules_new)] {
        if !modules.is_empty() {
            labelled(text, columns, "note", &format!("modules {word}: {}", modules.join(", ")));
        }
    }
    let rules = if all { part.rules.len() } else { MOST_RULES.min(part.rules.len()) };
    for rule in &part.rules[..rules] {
        labelled(text, columns, "note", &sentences::rule(rule));
    }
    if rules < part.rules.len() {
        let more = part.rules.len() - rules;
        labelled(text, columns, "note", &format!("{more} more rules fire more or less often"));
    }
}
