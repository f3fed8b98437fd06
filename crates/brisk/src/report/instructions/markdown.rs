//! Instructions by function as Markdown.

use super::document::InstructionsPart;
use super::sentences;
use crate::report::plain::printable;

/// The table, and the sentences about it.
#[must_use]
pub fn render(part: &InstructionsPart, all: bool) -> String {
    let part = &*printable(part);
    let shown = sentences::shown(part, all);
    let mut text = String::new();
    for (place, variant) in part.variants.iter().enumerate() {
        let (letter, total) = (sentences::letter(place), sentences::count(variant.total));
        text.push_str(&format!(
            "* {letter}: `{}`, {total} {}\n",
            variant.name,
            sentences::counted(part)
        ));
    }
    let has_shares = sentences::has_shares(part);
    text.push_str(match (part.variants.len(), has_shares) {
        (1, _) => "\n| itself | share | function |\n|---:|---:|---|\n",
        (_, true) => "\n| change | share | A | B | function |\n|---:|---:|---:|---:|---|\n",
        (_, false) => "\n| change | of A | A | B | function |\n|---:|---:|---:|---:|---|\n",
    });
    for function in &part.functions[..shown] {
        let share = if has_shares { function.share } else { function.relative };
        let share = share.map_or(String::new(), sentences::share);
        let counts: Vec<String> =
            function.counts.iter().map(|range| sentences::count(*range)).collect();
        // A name may hold what ends a cell or a piece of code.
        let name = function.name.replace('|', "\\|").replace('`', "'");
        let cells = match function.change {
            Some(change) => {
                format!("{} | {share} | {}", sentences::signed(change), counts.join(" | "))
            }
            None => format!("{} | {share}", counts.join(" | ")),
        };
        text.push_str(&format!("| {cells} | `{name}` |\n"));
    }
    text.push('\n');
    if let Some(rest) = sentences::rest(part, shown) {
        text.push_str(&format!("{rest}.\n"));
    }
    let exactness: Vec<String> = part.variants.iter().map(sentences::exactness).collect();
    text.push_str(&format!("{}.\n", exactness.join("; ")));
    let fates = part.functions[..shown].iter().filter_map(|function| function.fate.as_ref());
    for fate in fates.filter(|fate| fate.elsewhere.is_some()) {
        text.push_str(&format!("\n{}.\n", fate.sentence));
    }
    for note in &part.notes {
        text.push_str(&format!("\nNote: {note}.\n"));
    }
    text
}
