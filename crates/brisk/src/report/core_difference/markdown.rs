//! A difference as Markdown, to be pasted where people talk about the change.

use std::fmt::Write as _;

use super::document::{CoreDifferencePart, GroupPart};
use super::sentences;
use crate::report::plain::printable;

/// The difference. With `all`, what hardly changed in cost is there too.
#[must_use]
pub fn render(part: &CoreDifferencePart, all: bool) -> String {
    let part = &*printable(part);
    let mut text = format!("# {}\n\n{}\n", sentences::head(part), sentences::counts(part));
    match sentences::answer(part) {
        Some(answer) => {
            let _ = write!(text, "\n**{answer}** {}\n", sentences::explained(part).join(" "));
        }
        None => {
            let _ = write!(text, "\n{}\n", sentences::NOT_MEASURED);
        }
    }
    for doubt in &part.doubts {
        let _ = write!(text, "\n**Doubt:** {doubt}\n");
    }
    let shown: Vec<&GroupPart> = part.changes.iter().filter(|group| all || !group.minor).collect();
    for (number, group) in shown.iter().enumerate() {
        render_group(&mut text, number + 1, group);
    }
    let hidden = part.changes.len() - shown.len();
    if hidden > 0 {
        let _ = write!(text, "\n{}\n", sentences::minor(hidden, part.total.is_some()));
    }
    let elsewhere = part.elsewhere.iter().map(sentences::elsewhere);
    let notes: Vec<String> = elsewhere.chain(part.rules.iter().map(sentences::rule)).collect();
    if !notes.is_empty() {
        let _ = write!(text, "\n- {}\n", notes.join("\n- "));
    }
    text
}

fn render_group(text: &mut String, number: usize, group: &GroupPart) {
    let _ = write!(text, "\n## {number}. `{}`\n", group.binding);
    if let Some(moved) = &group.moved {
        let _ = write!(text, "\n{}\n", sentences::moved(moved));
    }
    let _ = write!(text, "\nIt {}.\n", group.what);
    if !group.more.is_empty() {
        text.push('\n');
    }
    for said in &group.more {
        let _ = writeln!(text, "- `{}` {}", said.binding, said.what);
    }
    if let Some(pieces) = sentences::pieces(group) {
        let _ = write!(text, "\n{pieces}\n");
    }
    for (label, evidence) in [("before", &group.before), ("after", &group.after)] {
        if let Some(evidence) = evidence {
            let _ = write!(text, "\n{label}:\n\n```haskell\n{}\n```\n", evidence.core);
        }
    }
}
