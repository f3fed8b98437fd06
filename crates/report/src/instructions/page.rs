//! The page of instructions by function: the largest change or cost, the functions, their lines.

use page::text::shorten_middle;
use page::{Block, Column, Label, Line, Narrow, Page, Row, Span, Table, Tone, line};
use words::quantity::grouped;

use super::sentences;
use findings::instructions::file_name;
use findings::instructions::{CountedFunction, CountedLine, InstructionCounts};

/// The largest numbers of functions shown line by line, and of lines of each.
const FUNCTIONS_BY_LINE: usize = 3;
const LINES_OF_EACH: usize = 6;

/// The width of a name in a row, in columns of a terminal, and in a title.
const NAME: (usize, usize) = (16, 200);
const TITLE: usize = 70;

/// Builds the page. With `all`, every function has a row. Some programs have thousands, too many
/// for a comment, so all media leave them out by default.
#[must_use]
pub fn page(part: &InstructionCounts, all: bool) -> Page {
    let mut page = Page::default();
    page.push(Block::Heading(sentences::head(part)));
    page.blocks.extend(sentences::answer(part).map(Block::Answer));
    page.push(Block::Table(programs(part)));
    let shown = &part.functions[..sentences::shown(part, all)];
    let rest: Vec<Line> = sentences::rest(part, shown.len()).into_iter().map(Line::from).collect();
    if shown.is_empty() {
        page.sentences(["No function changed."]);
        page.sentences(rest);
    } else {
        page.push(Block::Table(Table { foot: rest, ..functions(part, shown) }));
    }
    let fates = shown.iter().filter_map(|function| function.fate.as_ref());
    let fates = fates.filter(|fate| fate.elsewhere.is_some());
    page.sentences(fates.map(|fate| Line::of_message(&fate.sentence)));
    page.blocks.extend(by_line(part, shown).map(Block::Table));
    page.notes(Label::NOTE, part.notes.iter().map(|note| Line::of_message(note)));
    page.sentences(part.variants.iter().map(sentences::exactness));
    page
}

fn programs(part: &InstructionCounts) -> Table {
    let (_, counted) = sentences::counted(part);
    let columns = [
        Column::left(""),
        Column::right(counted),
        Column::left("program").cut(NAME.0, NAME.1).narrow(Narrow::Middle),
    ];
    let skipped = usize::from(part.variants.len() == 1);
    let mut table = Table::new(columns.into_iter().skip(skipped));
    for (place, variant) in part.variants.iter().enumerate() {
        let letter = Line::from(sentences::letter(place).to_string()).toned(Tone::Strong);
        let count = Span::from(sentences::count(variant.total));
        let cells = [letter, count.into(), Span::code(variant.name.clone()).into()];
        table.push(cells.into_iter().skip(skipped));
    }
    table
}

/// The table of functions.
fn functions(part: &InstructionCounts, shown: &[CountedFunction]) -> Table {
    let has_shares = sentences::has_shares(part);
    let has_inclusive = part.variants.len() == 1 && part.no_inclusive.is_none();
    let names: &[&'static str] = match part.variants.len() {
        1 if has_inclusive => &["itself", "share", "with calls"],
        1 => &["itself", "share"],
        _ if has_shares => &["change", "share", "A", "B"],
        _ => &["change", "of A", "A", "B"],
    };
    let programs = sentences::programs(part);
    let remarks: Vec<String> = shown.iter().map(|it| remarks(it, &programs)).collect();
    let has_remarks = remarks.iter().any(|remark| !remark.is_empty());
    let mut columns: Vec<Column> = names.iter().copied().map(Column::right).collect();
    columns.push(Column::left("function").cut(NAME.0, NAME.1).narrow(Narrow::Middle));
    columns.extend(has_remarks.then(|| Column::left("")));
    let mut table = Table::new(columns);
    for (function, remark) in shown.iter().zip(remarks) {
        let mut row = numbers(function, has_inclusive, has_shares);
        row.cells.push(Span::code(function.name.clone()).into());
        row.cells.push(remark.into());
        row.cells.truncate(table.columns.len());
        table.rows.push(row);
    }
    table
}

fn numbers(function: &CountedFunction, has_inclusive: bool, has_shares: bool) -> Row {
    let counts = function.counts.iter().map(|range| Line::from(sentences::count(*range)));
    let share = if has_shares { function.share } else { function.relative };
    let share = Line::from(share.map_or(String::new(), sentences::share));
    let Some(change) = function.change else {
        let inclusive = function.inclusive.map_or(String::new(), grouped);
        let inclusive = has_inclusive.then(|| inclusive.into());
        return counts.chain([share]).chain(inclusive).collect();
    };
    // A change within the spread of the runs may be nothing.
    let (mark, tone) = match function.certain {
        Some(false) => ("?", Tone::Quiet),
        _ => ("", tone(change)),
    };
    let change = line![mark, sentences::signed(change)].toned(tone);
    [change, share].into_iter().chain(counts).collect()
}

fn tone(change: i64) -> Tone {
    if change > 0 { Tone::Bad } else { Tone::Good }
}

/// The remarks on a function.
fn remarks(function: &CountedFunction, programs: &[&str]) -> String {
    let fate = function.fate.as_ref().map(|fate| match fate.what.as_str() {
        "vanished" => "gone".to_owned(),
        _ => "new".to_owned(),
    });
    let symbols = (function.symbols > 1).then(|| format!("{} symbols", function.symbols));
    let said = [fate, sentences::place(function, programs), symbols];
    said.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The first functions that have lines, line by line.
fn by_line(part: &InstructionCounts, shown: &[CountedFunction]) -> impl Iterator<Item = Table> {
    let programs = sentences::programs(part);
    // Lines of libraries without sources say nothing to most people.
    let is_readable = move |function: &&CountedFunction| {
        sentences::place(function, &programs).is_none()
            || function.lines.iter().any(|line| line.text.is_some())
    };
    let with_lines = shown.iter().filter(|it| !it.lines.is_empty()).filter(is_readable);
    with_lines.take(FUNCTIONS_BY_LINE).map(|function| {
        let code = Column::left("").cut(NAME.0, NAME.1).narrow(Narrow::Middle);
        let name = Span::code(shorten_middle(&function.name, TITLE));
        let mut table = Table {
            title: line![name, ", by line"],
            ..Table::new([Column::right(""), Column::left(""), code])
        };
        table.rows = function.lines.iter().take(LINES_OF_EACH).map(line_row).collect();
        table
    })
}

fn line_row(part: &CountedLine) -> Row {
    let count = match part.counts[..] {
        [before, after] => {
            let change = sentences::difference(before, after);
            Line::from(sentences::signed(change)).toned(tone(change))
        }
        _ => part.counts.iter().map(|count| grouped(*count)).collect(),
    };
    let number = part.line.or(part.before_line).unwrap_or(0);
    let side = if part.line.is_none() { " (A)" } else { "" };
    let place = format!("{}:{number}{side}", file_name(&part.file));
    let code = part.text.iter().map(|text| Span::code(text.clone()).into());
    [count, place.into()].into_iter().chain(code).collect()
}
