//! Instructions by function on a terminal.

use anstyle::{AnsiColor, Style};

use super::document::{FunctionPart, InstructionsPart, LinePart};
use super::sentences;
use crate::report::plain::printable;
use crate::report::table::{Cell, lines, shorten, width};
use crate::report::terminal::wrap;

const TITLE: Style = Style::new().bold();
const HEADING: Style = Style::new().dimmed();
const MORE: Style = AnsiColor::Red.on_default();
const LESS: Style = AnsiColor::Green.on_default();

/// So many functions are shown line by line, and so many lines of each.
const FUNCTIONS_BY_LINE: usize = 3;
const LINES_OF_EACH: usize = 6;

/// The counts as text with terminal styles, for a terminal so many columns wide. With `all`, every
/// function is shown.
#[must_use]
pub fn render(part: &InstructionsPart, columns: usize, all: bool) -> String {
    let part = &*printable(part);
    let mut text = head(part, columns);
    let shown = sentences::shown(part, all);
    if shown == 0 {
        text.push_str("\nNo function changed.\n");
    } else {
        text.push('\n');
        text.push_str(&functions(part, shown, columns));
    }
    if let Some(rest) = sentences::rest(part, shown) {
        text.push_str(&format!("{HEADING}{rest}{HEADING:#}\n"));
    }
    let fates: Vec<&str> = part.functions[..shown]
        .iter()
        .filter_map(|function| function.fate.as_ref())
        .filter(|fate| fate.elsewhere.is_some())
        .map(|fate| fate.sentence.as_str())
        .collect();
    if !fates.is_empty() {
        text.push('\n');
    }
    for fate in fates {
        text.push_str(&paragraph(fate, columns));
    }
    text.push_str(&by_line(part, shown, columns));
    for note in part.notes.iter() {
        text.push('\n');
        text.push_str(&paragraph(&format!("note: {note}"), columns));
    }
    text
}

fn head(part: &InstructionsPart, columns: usize) -> String {
    let counted = sentences::counted(part);
    let title = match part.variants.len() {
        1 => format!("{counted} by function"),
        _ => format!("{counted} by function, from A to B"),
    };
    let mut text = format!("{TITLE}{title}{TITLE:#}{HEADING}, counted by callgrind{HEADING:#}\n");
    let totals = || part.variants.iter().map(|variant| sentences::middle(variant.total));
    let room = columns.saturating_sub(34).max(20);
    let mut rows = Vec::new();
    for (place, variant) in part.variants.iter().enumerate() {
        let mut row = vec![
            Cell::left(format!("  {}", sentences::letter(place))),
            Cell::right(sentences::count(variant.total)),
            Cell::left(shorten(&variant.name, room)),
        ];
        if part.variants.len() == 1 {
            row.remove(0);
        }
        rows.push(row);
    }
    text.push_str(&(lines(&rows).join("\n") + "\n"));
    let (first, last) = (totals().next().unwrap_or(0), totals().next_back().unwrap_or(0));
    if part.variants.len() == 2 {
        let change = i64::try_from(i128::from(last) - i128::from(first)).unwrap_or(i64::MAX);
        let style = if change > 0 { MORE } else { LESS };
        let percent = match first {
            0 => String::new(),
            _ => format!(" ({:+.2} %)", change as f64 / first as f64 * 100.0).replace('-', "−"),
        };
        let change = sentences::signed(change);
        text.push_str(&format!("  change {style}{change}{percent}{style:#}\n"));
    }
    let exactness: Vec<String> = part.variants.iter().map(sentences::exactness).collect();
    text.push_str(&paragraph(&format!("{}.", exactness.join("; ")), columns));
    text
}

/// The table of functions.
fn functions(part: &InstructionsPart, shown: usize, columns: usize) -> String {
    let heading = |text: &str, right: bool| {
        let cell = if right { Cell::right(text) } else { Cell::left(text) };
        cell.styled(HEADING)
    };
    let has_shares = sentences::has_shares(part);
    let has_inclusive = part.variants.len() == 1 && part.no_inclusive.is_none();
    let mut rows = vec![match part.variants.len() {
        1 if has_inclusive => {
            vec![heading("itself", true), heading("share", true), heading("with calls", true)]
        }
        1 => vec![heading("itself", true), heading("share", true)],
        _ => vec![
            heading("change", true),
            heading(if has_shares { "share" } else { "of A" }, true),
            heading("A", true),
            heading("B", true),
        ],
    }];
    rows.extend(
        part.functions[..shown].iter().map(|function| numbers(function, has_inclusive, has_shares)),
    );
    let room = columns.saturating_sub(width(&rows) + 2).max(16);
    let programs = sentences::programs(part);
    rows[0].push(heading("function", false));
    for (row, function) in rows[1..].iter_mut().zip(&part.functions) {
        row.push(Cell::left(name(function, &programs, room)));
    }
    lines(&rows).join("\n") + "\n"
}

fn numbers(function: &FunctionPart, has_inclusive: bool, has_shares: bool) -> Vec<Cell> {
    let counts = || function.counts.iter().map(|range| Cell::right(sentences::count(*range)));
    let share = if has_shares { function.share } else { function.relative };
    let share = Cell::right(share.map_or(String::new(), sentences::share));
    match function.change {
        None => {
            let mut row: Vec<Cell> = counts().chain([share]).collect();
            if has_inclusive {
                let inclusive = function.inclusive.map_or(String::new(), sentences::grouped);
                row.push(Cell::right(inclusive));
            }
            row
        }
        Some(change) => {
            let style = match (function.certain, change) {
                (Some(false), _) => HEADING,
                (_, 1..) => MORE,
                _ => LESS,
            };
            // Within the spread of the runs it may be nothing.
            let mark = if function.certain == Some(false) { "?" } else { "" };
            let change = Cell::right(format!("{mark}{}", sentences::signed(change))).styled(style);
            [change, share].into_iter().chain(counts()).collect()
        }
    }
}

/// The name with what else is to be known of the function.
fn name(function: &FunctionPart, programs: &[&str], room: usize) -> String {
    let object = sentences::place(function, programs);
    let mut more = match &function.fate {
        Some(fate) if fate.what == "vanished" => ", gone".to_owned(),
        Some(_) => ", new".to_owned(),
        None => String::new(),
    };
    if let Some(object) = object {
        more.push_str(&format!(" [{object}]"));
    }
    if function.symbols > 1 {
        more.push_str(&format!(" ({} symbols)", function.symbols));
    }
    let short = middle_cut(&function.name, room.saturating_sub(more.chars().count()).max(12));
    format!("{short}{more}")
}

/// The name in at most so many characters, cut in the middle: what tells instances of templates apart
/// stands at both ends.
fn middle_cut(name: &str, room: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= room {
        return name.to_owned();
    }
    let end = room / 3;
    let begin = room.saturating_sub(end + 1);
    let part = |range: &[char]| range.iter().collect::<String>();
    format!("{}…{}", part(&letters[..begin]), part(&letters[letters.len() - end..]))
}

/// The first functions that have lines, line by line.
fn by_line(part: &InstructionsPart, shown: usize, columns: usize) -> String {
    let mut text = String::new();
    let programs = sentences::programs(part);
    // Lines of libraries whose source is not there say nothing to most people.
    let is_readable = |function: &&FunctionPart| {
        sentences::place(function, &programs).is_none()
            || function.lines.iter().any(|line| line.text.is_some())
    };
    let with_lines = part.functions[..shown]
        .iter()
        .filter(|function| !function.lines.is_empty())
        .filter(is_readable);
    for function in with_lines.take(FUNCTIONS_BY_LINE) {
        let name = middle_cut(&function.name, columns.saturating_sub(10));
        text.push_str(&format!("\n{TITLE}{name}{TITLE:#}{HEADING}, by line{HEADING:#}\n"));
        let shown = &function.lines[..function.lines.len().min(LINES_OF_EACH)];
        let mut rows: Vec<Vec<Cell>> = shown.iter().map(line_numbers).collect();
        let room = columns.saturating_sub(width(&rows) + 2).max(20);
        for (row, line) in rows.iter_mut().zip(shown) {
            row.push(Cell::left(shorten(&line_place(line), room)));
        }
        text.push_str(&(lines(&rows).join("\n") + "\n"));
    }
    text
}

fn line_numbers(line: &LinePart) -> Vec<Cell> {
    match line.counts[..] {
        [before, after] => {
            let change = i64::try_from(i128::from(after) - i128::from(before)).unwrap_or(i64::MAX);
            let style = if change > 0 { MORE } else { LESS };
            vec![Cell::right(sentences::signed(change)).styled(style)]
        }
        _ => line.counts.iter().map(|count| Cell::right(sentences::grouped(*count))).collect(),
    }
}

fn line_place(line: &LinePart) -> String {
    let file = crate::explain::instructions::objects::file_name(&line.file);
    let number = line.line.or(line.before_line).unwrap_or(0);
    let side = if line.line.is_none() { " (A)" } else { "" };
    let text = line.text.as_deref().map_or(String::new(), |text| format!("  {text}"));
    format!("{file}:{number}{side}{text}")
}

fn paragraph(text: &str, columns: usize) -> String {
    let wrapped = wrap(text, columns);
    wrapped.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(middle_cut("abcdef", 6), "abcdef");
        assert_eq!(middle_cut("abcdefghij", 6), "abc…ij");
        assert_eq!(middle_cut("größte…Menge", 7), "größ…ge");
    }
}
