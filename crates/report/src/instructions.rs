//! Instructions by function, as callgrind counted them, or allocations by DHAT: the page with the
//! largest change or cost, the functions and their lines; and the flame graph of their stacks.

use std::io;

use draw::flame::{Flame, Stack};
use findings::instructions::{
    ALLOCATED_BYTES, CountedFunction, CountedLine, CountedProgram, InstructionCounts,
    ProgramStacks, Range, StackCounts, StackKind, file_name,
};
use findings::letter;
use model::metric::Unit;
use page::terminal::shorten_middle;
use page::{Block, Column, Label, Line, Page, Row, Span, Table, Tone, line};
use words::names::named_among;
use words::quantity::{grouped, quantity};

/// The largest numbers of functions shown line by line, and of lines of each.
pub(super) const FUNCTIONS_BY_LINE: usize = 3;
const LINES_OF_EACH: usize = 6;

/// The least width of a cut name in a row, in columns of a terminal, and the greatest in a title.
const NAME: usize = 16;
const TITLE: usize = 70;

/// Builds the page. With `all`, every function has a row. Some programs have thousands, too many
/// for a comment, so all media leave them out by default.
pub(super) fn page(part: &InstructionCounts, all: bool) -> Page {
    let mut page = Page::default();
    page.push(Block::Heading(head(part)));
    page.blocks.extend(answer(part).map(Block::Answer));
    page.push(Block::Table(programs_table(part)));
    let shown = &part.functions[..shown(part, all)];
    let rest: Vec<Line> = rest(part, shown.len()).into_iter().map(Line::from).collect();
    if shown.is_empty() {
        page.sentences((part.variants.len() > 1).then_some("No function changed."));
        page.sentences(rest);
    } else {
        page.push(Block::Table(Table { foot: rest, ..functions(part, shown) }));
    }
    let fates = shown.iter().filter_map(|function| function.fate.as_ref());
    let fates = fates.filter(|fate| fate.elsewhere.is_some());
    page.sentences(fates.map(|fate| Line::of_message(&fate.sentence)));
    page.blocks.extend(by_line(part, shown).map(Block::Table));
    page.notes(Label::NOTE, part.notes.iter().map(|note| Line::of_message(note)));
    let unit = counted(part).unit;
    page.sentences(part.variants.iter().map(|variant| exactness(variant, unit)));
    page
}

fn programs_table(part: &InstructionCounts) -> Table {
    let Counted { what, unit, .. } = counted(part);
    let blocks = part.is_allocations().then(|| Column::right("blocks"));
    let columns = [Column::left(""), Column::right(what)].into_iter().chain(blocks);
    let columns = columns.chain([Column::names("program", NAME)]);
    let skipped = usize::from(part.variants.len() == 1);
    let mut table = Table::new(columns.skip(skipped));
    for (place, variant) in (0..).zip(&part.variants) {
        let letter = Line::from(letter(place)).toned(Tone::Strong);
        let blocks = variant.blocks.filter(|_| part.is_allocations());
        let blocks = blocks.map(|blocks| count(blocks, Unit::Count).into());
        let cells = [letter, count(variant.total, unit).into()].into_iter().chain(blocks);
        let cells = cells.chain([Span::code(variant.name.clone()).into()]);
        table.push(cells.skip(skipped));
    }
    table
}

fn functions(part: &InstructionCounts, shown: &[CountedFunction]) -> Table {
    let has_shares = has_shares(part);
    let has_inclusive = part.variants.len() == 1 && part.no_inclusive.is_none();
    let names: &[&'static str] = match part.variants.len() {
        1 if has_inclusive => &["itself", "share", "with calls"],
        1 => &["itself", "share"],
        _ if has_shares => &["change", "share", "A", "B"],
        _ => &["change", "of A", "A", "B"],
    };
    let programs = executables(part);
    let remarks: Vec<String> = shown.iter().map(|it| remarks(it, &programs)).collect();
    let has_remarks = remarks.iter().any(|remark| !remark.is_empty());
    let mut columns: Vec<Column> = names.iter().copied().map(Column::right).collect();
    columns.extend(part.is_allocations().then(|| Column::right("blocks")));
    columns.push(Column::names("function", NAME));
    columns.extend(has_remarks.then(|| Column::left("")));
    let mut table = Table::new(columns);
    for (function, remark) in shown.iter().zip(remarks) {
        let mut row = numbers(function, has_inclusive, has_shares, counted(part).unit);
        row.cells.extend(blocks(function).map(Line::from));
        row.cells.push(Span::code(function.name.clone()).into());
        row.cells.push(remark.into());
        row.cells.truncate(table.columns.len());
        table.rows.push(row);
    }
    table
}

/// The blocks of a function, or their change; `None` if something else was counted.
fn blocks(function: &CountedFunction) -> Option<String> {
    match function.blocks[..] {
        [] => None,
        [blocks] => Some(count(blocks, Unit::Count)),
        [..] => Some(signed(block_change(function), Unit::Count)),
    }
}

/// The change of a function's blocks.
fn block_change(function: &CountedFunction) -> i64 {
    match function.blocks[..] {
        [before, after] => difference(before.middle(), after.middle()),
        _ => 0,
    }
}

fn is_changed(function: &CountedFunction) -> bool {
    function.change != Some(0) || block_change(function) != 0
}

fn numbers(function: &CountedFunction, has_inclusive: bool, has_shares: bool, unit: Unit) -> Row {
    let counts = function.counts.iter().map(|range| Line::from(count(*range, unit)));
    let share = if has_shares { function.share } else { function.relative };
    let share = Line::from(share.map_or(String::new(), percentage));
    let Some(change) = function.change else {
        let inclusive = function.inclusive.map_or(String::new(), |it| amount(it, unit));
        let inclusive = has_inclusive.then(|| inclusive.into());
        return counts.chain([share]).chain(inclusive).collect();
    };
    // A change within the spread of the runs may be nothing.
    let (mark, tone) = match function.certain {
        Some(false) => ("?", Tone::Quiet),
        _ => ("", tone(change)),
    };
    let change = line![mark, signed(change, unit)].toned(tone);
    [change, share].into_iter().chain(counts).collect()
}

fn tone(change: i64) -> Tone {
    if change > 0 { Tone::Bad } else { Tone::Good }
}

fn remarks(function: &CountedFunction, programs: &[&str]) -> String {
    let fate = function.fate.as_ref().map(|fate| match fate.what.as_str() {
        "vanished" => "gone".to_owned(),
        _ => "new".to_owned(),
    });
    let symbols = (function.symbols > 1).then(|| format!("{} symbols", function.symbols));
    let said = [fate, place(function, programs), symbols];
    said.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The first functions that have lines, line by line.
fn by_line(part: &InstructionCounts, shown: &[CountedFunction]) -> impl Iterator<Item = Table> {
    let programs = executables(part);
    // Lines of libraries without sources say nothing to most people.
    let is_readable = move |function: &&CountedFunction| {
        place(function, &programs).is_none()
            || function.lines.iter().any(|line| line.text.is_some())
    };
    let with_lines = shown.iter().filter(|it| !it.lines.is_empty()).filter(is_readable);
    let unit = counted(part).unit;
    with_lines
        .take(FUNCTIONS_BY_LINE)
        .map(move |function| lines(&function.name, "by line", &function.lines, unit))
}

/// The first lines of a function.
pub(super) fn lines(name: &str, what: &'static str, lines: &[CountedLine], unit: Unit) -> Table {
    let name = Span::code(shorten_middle(name, TITLE));
    let mut table = Table {
        title: line![name, ", ", what],
        ..Table::new([Column::right(""), Column::left(""), Column::names("", NAME)])
    };
    table.rows = lines.iter().take(LINES_OF_EACH).map(|line| line_row(line, unit)).collect();
    table
}

fn line_row(part: &CountedLine, unit: Unit) -> Row {
    let count = match part.counts[..] {
        [before, after] => {
            let change = difference(before, after);
            Line::from(signed(change, unit)).toned(tone(change))
        }
        _ => part.counts.iter().map(|count| amount(*count, unit)).collect(),
    };
    let number = part.line.or(part.before_line).unwrap_or(0);
    let side = if part.line.is_none() { " (A)" } else { "" };
    let place = format!("{}:{number}{side}", file_name(&part.file));
    let code = part.text.iter().map(|text| Span::code(text.clone()).into());
    [count, place.into()].into_iter().chain(code).collect()
}

/// `12,345`, or `12.35 kB`.
fn amount(number: u64, unit: Unit) -> String {
    match unit {
        Unit::Count => grouped(number),
        unit => quantity(number as f64, unit),
    }
}

/// `+12,345`, `−3`, `0`.
fn signed(number: i64, unit: Unit) -> String {
    let sign = match number {
        0 => "",
        1.. => "+",
        _ => "−",
    };
    format!("{sign}{}", amount(number.unsigned_abs(), unit))
}

/// A count, with `~` if runs differ.
fn count(range: Range, unit: Unit) -> String {
    let mark = if range.is_exact() { "" } else { "~" };
    format!("{mark}{}", amount(range.middle(), unit))
}

/// `12.3 %`, with one decimal so that a column can be compared.
fn percentage(fraction: f64) -> String {
    let percent = fraction * 100.0;
    match percent {
        -0.05..0.05 => "0.0 %".to_owned(),
        ..0.0 => format!("−{:.1} %", -percent),
        _ => format!("{percent:.1} %"),
    }
}

/// The counted event, in words.
struct Counted {
    /// The verb of a program.
    does: &'static str,
    what: Line,
    unit: Unit,
    tool: &'static str,
}

fn counted(part: &InstructionCounts) -> Counted {
    let (does, what) = match part.event.as_str() {
        // Programs may have allocators that valgrind does not see.
        ALLOCATED_BYTES if part.variants.iter().any(has_no_blocks) => {
            ("is seen to allocate", "bytes".into())
        }
        ALLOCATED_BYTES => ("allocates", "bytes".into()),
        "Ir" => ("executes", "instructions".into()),
        event => ("has", line!["events ", Span::code(event)]),
    };
    match part.is_allocations() {
        true => Counted { does, what, unit: Unit::Bytes, tool: "DHAT" },
        false => Counted { does, what, unit: Unit::Count, tool: "callgrind" },
    }
}

fn has_no_blocks(variant: &CountedProgram) -> bool {
    variant.blocks.is_none_or(|blocks| blocks.high == 0)
}

fn head(part: &InstructionCounts) -> Line {
    let Counted { what, tool, .. } = counted(part);
    let between = if part.variants.len() == 1 { "" } else { ", from A to B" };
    let allocated = if part.is_allocations() { "allocated " } else { "" };
    line![allocated, what, " by function", between, ", counted by ", tool]
}

/// The change and the function with most of it; with one program, the costliest function.
fn answer(part: &InstructionCounts) -> Option<Line> {
    if part.is_allocations() && part.variants.iter().all(has_no_blocks) {
        return Some("Valgrind saw no allocations.".into());
    }
    let Counted { does, what, unit, .. } = counted(part);
    let [first, last] = match part.variants[..] {
        [ref before, ref after] => [before.total, after.total],
        _ => return costliest(part),
    };
    let about = if [first, last].iter().any(|it| it.low != it.high) { "about " } else { "" };
    let names: Vec<&str> = part.variants.iter().map(|one| one.name.as_str()).collect();
    let [before, after] = [0, 1].map(|place| named_among(&names, place));
    let change = difference(first.middle(), last.middle());
    let blocks = changed_blocks(part);
    if change == 0 {
        let as_many = line![after, " ", does, " ", about, "as many ", what, " as ", before];
        return Some(line![as_many, blocks, "."]);
    }
    let more = match (unit, change > 0) {
        (Unit::Bytes, true) => line![" more"],
        (Unit::Bytes, false) => line![" less"],
        (_, true) => line![" more ", what],
        (_, false) => line![" fewer ", what],
    };
    let percent = match first.middle() {
        0 => String::new(),
        middle => format!(" ({:+.2} %)", change as f64 / middle as f64 * 100.0).replace('-', "−"),
    };
    let count = amount(change.unsigned_abs(), unit);
    Some(line![
        after,
        " ",
        does,
        " ",
        about,
        count,
        more,
        " than ",
        before,
        percent,
        blocks,
        culprit(part, change),
        "."
    ])
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// `, in 3,000 more blocks`; nothing if blocks were not counted.
fn changed_blocks(part: &InstructionCounts) -> String {
    let blocks: Vec<Range> = part.variants.iter().filter_map(|variant| variant.blocks).collect();
    let [before, after] = blocks[..] else { return String::new() };
    let change = difference(before.middle(), after.middle());
    let ending = plural(change.unsigned_abs());
    let count = grouped(change.unsigned_abs());
    match change {
        0 => ", in as many blocks".to_owned(),
        1.. => format!(", in {count} more block{ending}"),
        _ => format!(", in {count} fewer block{ending}"),
    }
}

/// The function with most of a change, if there is one.
fn culprit(part: &InstructionCounts, whole: i64) -> Line {
    let has_most = |function: &&CountedFunction| {
        let own = function.change.unwrap_or(0);
        own.signum() == whole.signum() && own.unsigned_abs() >= whole.unsigned_abs() / 2
    };
    let name = part.functions.first().filter(has_most);
    name.map_or_else(Line::default, |it| line![", mostly in ", Span::code(it.name.clone())])
}

fn costliest(part: &InstructionCounts) -> Option<Line> {
    let first = part.functions.first()?;
    let share = first.share.map_or(String::new(), |share| format!(", {}", percentage(share)));
    let Counted { does, what, unit, .. } = counted(part);
    let amount = first.counts.first().map_or_else(String::new, |range| count(*range, unit));
    let blocks = first.blocks.first().map_or_else(String::new, |blocks| {
        format!(" in {} block{}", count(*blocks, Unit::Count), plural(blocks.middle()))
    });
    let name = Span::code(first.name.clone());
    Some(line![name, " ", does, " most ", what, " itself: ", amount, blocks, share, " of all."])
}

fn difference(before: u64, after: u64) -> i64 {
    i64::try_from(i128::from(after) - i128::from(before)).unwrap_or(i64::MAX)
}

/// The origin of the counts, and their exactness.
fn exactness(variant: &CountedProgram, unit: Unit) -> Line {
    let name = Span::code(variant.name.clone());
    let spread = variant.total.high - variant.total.low;
    let Some(exact) = variant.exact else {
        return line!["There is one run of ", name, ", so it is not known whether it is exact."];
    };
    let found = match (exact, spread) {
        (true, _) => " agree in every function.".to_owned(),
        (false, 0) => " agree in all, but not in every function.".to_owned(),
        (false, spread) => {
            let middle = variant.total.middle().max(1) as f64;
            let percent = spread as f64 / middle * 100.0;
            format!(" differ by {} ({percent:.4} %).", amount(spread, unit))
        }
    };
    line![words::counted(variant.runs as u64, "run"), " of ", name, found]
}

/// The file name of the function's library; `None` if it is in the program itself or unknown.
fn place(function: &CountedFunction, programs: &[&str]) -> Option<String> {
    let object = file_name(&function.object);
    (!programs.contains(&object) && object != "???").then(|| object.to_owned())
}

/// The file names of the executables themselves, which are not repeated in every row.
fn executables(part: &InstructionCounts) -> Vec<&str> {
    part.variants.iter().filter_map(|variant| variant.program.as_deref()).map(file_name).collect()
}

/// True if shares of the whole change mean something: it is no small remainder of larger changes.
fn has_shares(part: &InstructionCounts) -> bool {
    let changes = || part.functions.iter().filter_map(|function| function.change);
    let whole: i128 = changes().map(i128::from).sum();
    let moved: u128 = changes().map(|change| u128::from(change.unsigned_abs())).sum();
    part.variants.len() == 1 || 2 * whole.unsigned_abs() >= moved
}

/// The number of functions worth a row: those with a two-hundredth of all, and always a few.
fn shown(part: &InstructionCounts, all: bool) -> usize {
    /// The most that fit on a screen.
    const MOST: usize = 25;
    /// If all are small, the first ones still say something.
    const FEWEST: usize = 5;
    let weight = |function: &CountedFunction| match function.change {
        Some(change) => change.unsigned_abs(),
        None => function.counts.first().map_or(0, |range| range.middle()),
    };
    let whole: u64 = part.functions.iter().map(weight).fold(0, u64::saturating_add);
    let counts = |function: &&CountedFunction| match function.change {
        Some(_) => is_changed(function),
        None => weight(function) > 0,
    };
    let changed = part.functions.iter().take_while(counts).count();
    let is_large = |function: &&CountedFunction| weight(function).saturating_mul(200) >= whole;
    let large = part.functions.iter().take_while(is_large).count();
    if all { changed } else { large.clamp(FEWEST, MOST).min(changed) }
}

/// The functions without a row, together.
fn rest(part: &InstructionCounts, shown: usize) -> Option<String> {
    let hidden = &part.functions[shown..];
    let changed = hidden.iter().filter(|function| is_changed(function)).count();
    let all = part.functions.iter().filter(|function| is_changed(function)).count();
    let unit = counted(part).unit;
    match (changed, part.variants.len()) {
        (0, _) => None,
        (count, 2) => {
            let sum: i64 = hidden.iter().filter_map(|function| function.change).sum();
            let listed = format!("{} of {all} changed functions are listed", all - count);
            Some(format!("{listed}; the others changed by {} together", signed(sum, unit)))
        }
        (count, _) => {
            let middles = hidden.iter().filter_map(|function| function.counts.first());
            let sum: u64 = middles.map(|range| range.middle()).sum();
            let listed = format!("{} of {all} functions are listed", all - count);
            Some(format!("{listed}; the others have {} together", amount(sum, unit)))
        }
    }
}

/// The instructions of one program, or their change; `None` if no stacks were kept.
pub fn flame(part: &InstructionCounts) -> Option<Flame> {
    let names: Vec<&str> = part.variants.iter().map(|one| one.name.as_str()).collect();
    let unit = if part.is_allocations() { "bytes" } else { "instructions" };
    Some(flame_of(&names, part.stacks.as_ref()?, unit))
}

/// The stacks of one program, or of an old and a new one, counted in `unit`.
pub(super) fn flame_of(names: &[&str], kept: &ProgramStacks, unit: &str) -> Flame {
    let title = match names {
        [old, new] => format!("{new}, compared with {old}"),
        names => names.concat(),
    };
    let stack = |one: &StackCounts| Stack {
        frames: one.frames.clone(),
        count: one.counts.last().copied().unwrap_or(0),
        before: (one.counts.len() > 1).then(|| one.counts[0]),
    };
    Flame {
        title,
        subtitle: flame_subtitle(kept.kind, names.len() > 1),
        unit: unit.to_owned(),
        stacks: kept.stacks.iter().map(stack).collect(),
    }
}

/// A flame graph as SVG.
///
/// # Errors
///
/// When it cannot be drawn.
pub fn svg(flame: &Flame) -> io::Result<String> {
    flame.scene().map(|scene| scene.svg()).map_err(io::Error::other)
}

/// The nature of the picture, and its limits.
fn flame_subtitle(kind: StackKind, is_difference: bool) -> String {
    let boxes = match kind {
        StackKind::Callers => "stacks as callgrind counted them",
        StackKind::Objects => "no stacks: programs and libraries with their functions",
        StackKind::Allocations => "stacks as DHAT counted them",
        StackKind::Unwound => "stacks of samples",
    };
    let (widths, verb) = match kind {
        StackKind::Allocations => ("bytes allocated", "allocates more"),
        StackKind::Unwound => ("processor time", "takes more"),
        _ => ("instructions", "executes more"),
    };
    match is_difference {
        false => format!("{boxes}; widths: {widths}"),
        true => {
            format!("{boxes}; widths: {widths} after; red: {verb} itself than before, blue: less")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(changes: &[i64]) -> InstructionCounts {
        let function = |&change: &i64| CountedFunction {
            name: "f".to_owned(),
            object: "p".to_owned(),
            symbols: 1,
            counts: vec![Range { low: 0, high: 0 }, Range { low: 0, high: 0 }],
            blocks: Vec::new(),
            change: Some(change),
            certain: Some(true),
            share: None,
            relative: None,
            inclusive: None,
            fate: None,
            lines: Vec::new(),
        };
        let variant = CountedProgram {
            name: "p".to_owned(),
            runs: 1,
            program: None,
            total: Range { low: 0, high: 0 },
            blocks: None,
            exact: None,
        };
        InstructionCounts {
            event: "Ir".to_owned(),
            variants: vec![variant.clone(), variant],
            functions: changes.iter().map(function).collect(),
            no_inclusive: None,
            notes: Vec::new(),
            stacks: None,
        }
    }

    #[test]
    fn rows_are_of_large_changes_and_of_a_few_in_any_case() {
        assert_eq!(shown(&part(&[0, 0]), false), 0);
        assert_eq!(shown(&part(&[1000, -900, 1, 1, 1, 1, 1, 1]), false), 5);
        assert_eq!(shown(&part(&[2; 1000]), false), 5);
        assert_eq!(shown(&part(&[2; 100]), false), 25);
        assert_eq!(shown(&part(&[2; 100]), true), 100);
        let rest = rest(&part(&[1000, 1, -3]), 1);
        assert_eq!(
            rest.as_deref(),
            Some("1 of 3 changed functions are listed; the others changed by −2 together")
        );
    }

    #[test]
    fn shares_are_of_changes_that_go_one_way() {
        assert!(has_shares(&part(&[-100, 20])));
        assert!(!has_shares(&part(&[-100, 99])));
    }

    #[test]
    fn numbers_are_in_groups_of_three() {
        assert_eq!([0, 123, 1_234_567].map(grouped), ["0", "123", "1,234,567"]);
        assert_eq!(
            (signed(-1234, Unit::Count), signed(5, Unit::Count)),
            ("−1,234".to_owned(), "+5".to_owned())
        );
        assert_eq!(
            (percentage(-0.123), percentage(0.0)),
            ("−12.3 %".to_owned(), "0.0 %".to_owned())
        );
    }

    fn with_stacks(names: &[&str], stacks: &[(&str, &[u64])]) -> InstructionCounts {
        let variants: Vec<serde_json::Value> = names
            .iter()
            .map(
                |name| serde_json::json!({"name": name, "runs": 1, "total": {"low": 0, "high": 0}}),
            )
            .collect();
        let part = serde_json::json!(
            {"event": "Ir", "variants": variants, "functions": [], "notes": []}
        );
        let stack = |(frames, counts): &(&str, &[u64])| StackCounts {
            frames: frames.split(';').map(str::to_owned).collect(),
            counts: counts.to_vec(),
        };
        let stacks = stacks.iter().map(stack).collect();
        InstructionCounts {
            stacks: Some(ProgramStacks { kind: StackKind::Callers, stacks }),
            ..serde_json::from_value(part).expect("it is a part")
        }
    }

    #[test]
    fn pictures_name_functions_and_say_what_they_are() {
        let two = with_stacks(
            &["old", "new & old"],
            &[("main", &[5, 5]), ("main;f", &[0, 15]), ("main;f;g", &[0, 9])],
        );
        let picture =
            flame(&two).expect("there are stacks").scene().expect("it can be drawn").svg();
        let tree = roxmltree::Document::parse(&picture).expect("sound SVG");
        let texts: Vec<&str> = tree.descendants().filter_map(|node| node.text()).collect();
        let has = |words: &str| texts.iter().any(|text| text.contains(words));
        assert!(has("new & old, compared with old"));
        assert!(has("stacks as callgrind counted them"));
        assert!(has("g (9 instructions, 31.03%; +31.03%)"), "{texts:?}");
        let one = with_stacks(&["p"], &[("main", &[20]), ("main;g", &[9])]);
        let alone = flame(&one).expect("there are stacks").scene().expect("it can be drawn").svg();
        assert!(alone.contains("g (9 instructions, 31.03%)"));
        assert_eq!(flame(&InstructionCounts { stacks: None, ..one }), None);
    }
}
