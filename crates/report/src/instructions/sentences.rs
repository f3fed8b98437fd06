//! The sentences and numbers of counts by function.

use page::{Line, Span, line};
use words::quantity::grouped;

use findings::instructions::Range;
use findings::instructions::file_name;
use findings::instructions::{CountedFunction, CountedProgram, InstructionCounts};

/// `+12,345`, `−3`, `0`.
pub fn signed(number: i64) -> String {
    match number {
        0 => "0".to_owned(),
        1.. => format!("+{}", grouped(number.unsigned_abs())),
        _ => format!("−{}", grouped(number.unsigned_abs())),
    }
}

/// A count, with `~` if runs differ.
pub fn count(range: Range) -> String {
    let mark = if range.is_exact() { "" } else { "~" };
    format!("{mark}{}", grouped(range.middle()))
}

/// `12.3 %`, with one decimal so that a column can be compared.
pub fn share(fraction: f64) -> String {
    let percent = fraction * 100.0;
    match percent {
        -0.05..0.05 => "0.0 %".to_owned(),
        ..0.0 => format!("−{:.1} %", -percent),
        _ => format!("{percent:.1} %"),
    }
}

/// The verb of a program and the counted event, in words.
pub fn counted(part: &InstructionCounts) -> (&'static str, Line) {
    match part.event.as_str() {
        "Ir" => ("executes", "instructions".into()),
        event => ("has", line!["events ", Span::code(event)]),
    }
}

/// The subject of the page.
pub fn head(part: &InstructionCounts) -> Line {
    let (_, counted) = counted(part);
    let between = if part.variants.len() == 1 { "" } else { ", from A to B" };
    line![counted, " by function", between, ", counted by callgrind"]
}

/// The change and the function with most of it; with one program, the costliest function.
pub fn answer(part: &InstructionCounts) -> Option<Line> {
    let (does, counted) = counted(part);
    let [first, last] = match part.variants[..] {
        [ref before, ref after] => [before.total, after.total],
        _ => return costliest(part),
    };
    let about = if [first, last].iter().any(|it| it.low != it.high) { "about " } else { "" };
    let change = difference(first.middle(), last.middle());
    if change == 0 {
        return Some(line!["B ", does, " ", about, "as many ", counted, " as A."]);
    }
    let more = if change > 0 { " more " } else { " fewer " };
    let percent = match first.middle() {
        0 => String::new(),
        middle => format!(" ({:+.2} %)", change as f64 / middle as f64 * 100.0).replace('-', "−"),
    };
    let count = grouped(change.unsigned_abs());
    Some(line![
        "B ",
        does,
        " ",
        about,
        count,
        more,
        counted,
        " than A",
        percent,
        culprit(part, change),
        "."
    ])
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
    let share = first.share.map_or(String::new(), |share| format!(", {}", self::share(share)));
    let (does, counted) = counted(part);
    let count = first.counts.first().map_or_else(String::new, |range| count(*range));
    let name = Span::code(first.name.clone());
    Some(line![name, " ", does, " most ", counted, " itself: ", count, share, " of all."])
}

/// The difference between two counts.
pub fn difference(before: u64, after: u64) -> i64 {
    i64::try_from(i128::from(after) - i128::from(before)).unwrap_or(i64::MAX)
}

/// The origin of the counts, and their exactness.
pub fn exactness(variant: &CountedProgram) -> Line {
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
            format!(" differ by {} ({percent:.4} %).", grouped(spread))
        }
    };
    line![words::counted(variant.runs as u64, "run"), " of ", name, found]
}

/// The file name of the function's library; `None` if it is in the program itself or unknown.
pub fn place(function: &CountedFunction, programs: &[&str]) -> Option<String> {
    let object = file_name(&function.object);
    (!programs.contains(&object) && object != "???").then(|| object.to_owned())
}

/// The file names of the executables themselves, which are not repeated in every row.
pub fn programs(part: &InstructionCounts) -> Vec<&str> {
    part.variants.iter().filter_map(|variant| variant.program.as_deref()).map(file_name).collect()
}

/// True if the functions' shares of the whole change are meaningful. If some functions do more and
/// others less, the whole is a small remainder, and each function's change a multiple of that.
pub fn has_shares(part: &InstructionCounts) -> bool {
    let changes = || part.functions.iter().filter_map(|function| function.change);
    let whole: i128 = changes().map(i128::from).sum();
    let moved: u128 = changes().map(|change| u128::from(change.unsigned_abs())).sum();
    part.variants.len() == 1 || 2 * whole.unsigned_abs() >= moved
}

/// The number of functions worth a row: those that change, or cost, at least a two-hundredth of all
/// together; always a few, and no more than fit on a screen.
pub fn shown(part: &InstructionCounts, all: bool) -> usize {
    /// The most that fit on a screen.
    const MOST: usize = 25;
    /// If all are small, the first ones still say something.
    const FEWEST: usize = 5;
    let weight = |function: &CountedFunction| match function.change {
        Some(change) => change.unsigned_abs(),
        None => function.counts.first().map_or(0, |range| range.middle()),
    };
    let whole: u64 = part.functions.iter().map(weight).fold(0, u64::saturating_add);
    let changed = part.functions.iter().take_while(|function| weight(function) > 0).count();
    let is_large = |function: &&CountedFunction| weight(function).saturating_mul(200) >= whole;
    let large = part.functions.iter().take_while(is_large).count();
    if all { changed } else { large.clamp(FEWEST, MOST).min(changed) }
}

/// The functions without a row, together.
pub fn rest(part: &InstructionCounts, shown: usize) -> Option<String> {
    let hidden = &part.functions[shown..];
    let changed = hidden.iter().filter(|function| function.change != Some(0)).count();
    match (changed, part.variants.len()) {
        (0, _) => None,
        (count, 2) => {
            let sum: i64 = hidden.iter().filter_map(|function| function.change).sum();
            Some(format!("{}: {} together", words::counted(count, "other function"), signed(sum)))
        }
        (count, _) => {
            let middles = hidden.iter().filter_map(|function| function.counts.first());
            let sum: u64 = middles.map(|range| range.middle()).sum();
            Some(format!("{}: {} together", words::counted(count, "other function"), grouped(sum)))
        }
    }
}

/// `A` for the first program, `B` for the second.
pub fn letter(place: usize) -> char {
    char::from(b'A' + u8::try_from(place).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use findings::instructions::CountedFunction;

    fn part(changes: &[i64]) -> InstructionCounts {
        let function = |&change: &i64| CountedFunction {
            name: "f".to_owned(),
            object: "p".to_owned(),
            symbols: 1,
            counts: vec![Range { low: 0, high: 0 }, Range { low: 0, high: 0 }],
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
        assert_eq!(rest.as_deref(), Some("2 other functions: −2 together"));
    }

    #[test]
    fn shares_are_of_changes_that_go_one_way() {
        assert!(has_shares(&part(&[-100, 20])));
        assert!(!has_shares(&part(&[-100, 99])));
    }

    #[test]
    fn numbers_are_in_groups_of_three() {
        assert_eq!(
            (grouped(0), grouped(123), grouped(1_234_567)),
            ("0".into(), "123".into(), "1,234,567".into())
        );
        assert_eq!((signed(-1234), signed(5)), ("−1,234".to_owned(), "+5".to_owned()));
        assert_eq!((share(-0.123), share(0.0)), ("−12.3 %".to_owned(), "0.0 %".to_owned()));
    }
}
