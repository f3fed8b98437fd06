//! Processor time by function, from samples: the page with the functions that have it or that
//! changed, what sampling cost, and the time off the processor.

use draw::flame::Flame;
use findings::instructions::file_name;
use findings::letter;
use findings::time_profile::{Bounded, SampledFunction, SampledProgram, TimeProfile};
use model::metric::Unit;
use page::{Block, Column, Label, Line, Page, Row, Span, Table, Tone, line};
use words::counted;
use words::names::named_among;
use words::quantity::{grouped, percent, quantity, scale_for, signed_percent};

use super::instructions;

/// The least width of a cut name in a row, in columns of a terminal.
const NAME: usize = 16;

/// Builds the page. With `all`, every function has a row.
pub(super) fn page(part: &TimeProfile, all: bool) -> Page {
    let mut page = Page::default();
    let between = if part.variants.len() == 1 { "" } else { ", from A to B" };
    page.push(Block::Heading(line!["processor time by function", between, ", from samples"]));
    page.push(Block::Answer(answer(part)));
    page.sentences(whole(part));
    page.push(Block::Table(programs(part)));
    let shown = &part.functions[..shown(part, all)];
    let foot: Vec<Line> = rest(part, shown.len()).into_iter().collect();
    page.push(Block::Table(Table { foot, ..functions(part, shown) }));
    let fates = shown.iter().filter_map(|function| function.fate.as_ref());
    page.sentences(fates.map(|fate| Line::of_message(&fate.sentence)));
    page.blocks.extend(
        shown
            .iter()
            .filter(|function| !function.lines.is_empty() && is_own(part, function))
            .take(instructions::FUNCTIONS_BY_LINE)
            .map(|it| {
                Block::Table(instructions::lines(
                    &it.name,
                    "samples by line",
                    &it.lines,
                    Unit::Count,
                ))
            }),
    );
    page.notes(Label::NOTE, part.notes.iter().map(|note| Line::of_message(note)));
    page.sentences(part.variants.iter().map(off_processor));
    page.sentences([rounds(part)]);
    page.sentences(part.variants.iter().map(cost));
    page
}

/// The costliest function, or the one that changed most.
fn answer(part: &TimeProfile) -> Line {
    let Some(first) = part.functions.first() else { return "Nothing was seen at work.".into() };
    let name = Span::code(first.name.clone());
    let place = place(part, first).map_or(String::new(), |object| format!(" in {object}"));
    if let Some(share) = first.share {
        let [low, high] = [share.low, share.high].map(|end| (end * 100.0).round());
        let share = percent(share.value);
        return line![share, format!(" [{low}, {high}] of the time is in "), name, place, "."];
    }
    match first.change.filter(|_| first.named) {
        Some(change) => {
            let takes = format!(" takes {}", more_or_less(change));
            let of = first.part_of_change.filter(|part| (0.0..=1.5).contains(part));
            let of = of.map_or(String::new(), |of| format!(": {} of the difference", percent(of)));
            line![name, place, takes, of, "."]
        }
        None if part.rounds < stats::sampled::LEAST_ROUNDS => line![format!(
            "{} are too few to name a function that changed.",
            counted(part.rounds, "round")
        )],
        None => line![format!(
            "No function's time changed by as much as {} can show.",
            counted(part.rounds, "round")
        )],
    }
}

/// The change of all functions together.
fn whole(part: &TimeProfile) -> Option<Line> {
    let (change, [before, _]) = (part.change?, &part.variants[..]) else { return None };
    let names: Vec<&str> = part.variants.iter().map(|one| one.name.as_str()).collect();
    let [a, b] = [0, 1].map(|place| named_among(&names, place));
    let relative = change.over(before.sampled_seconds);
    Some(match change.excludes_zero() {
        true => line![
            b,
            " uses ",
            more_or_less(change),
            " processor time than ",
            a,
            format!(" ({})", signed_percent(relative.value))
        ],
        false => line![
            "The processor time of ",
            b,
            " and ",
            a,
            " differs by ",
            interval(change),
            ", which may be nothing"
        ],
    })
}

/// `0.31 s [0.29, 0.33] more`.
pub(crate) fn more_or_less(change: Bounded) -> String {
    match change.value < 0.0 {
        true => {
            let less = Bounded { value: -change.value, low: -change.high, high: -change.low };
            format!("{} less", interval(less))
        }
        false => format!("{} more", interval(change)),
    }
}

/// `0.31 s [0.29, 0.33]`, with the decimals that the interval supports.
fn interval(it: Bounded) -> String {
    let scale = scale_for(it.low.abs().max(it.high.abs()), Unit::Seconds);
    let reach = scale.convert(it.high - it.low) / 2.0;
    let decimals = match reach > 0.0 && reach.is_finite() {
        true => (-(reach / 3.0).log10().floor()).clamp(0.0, 4.0) as usize,
        false => 3,
    };
    // Nothing has no sign.
    let number = |value| match scale.number(value, decimals).replace('-', "−") {
        text if text.trim_matches(['−', '0', '.']).is_empty() => text.replace('−', ""),
        text => text,
    };
    let ends = format!("[{}, {}]", number(it.low), number(it.high));
    format!("{} {ends}", scale.with_symbol(&number(it.value)))
}

fn programs(part: &TimeProfile) -> Table {
    let columns = [
        Column::left(""),
        Column::right("processor time"),
        Column::right("wall time"),
        Column::names("program", NAME),
    ];
    let skipped = usize::from(part.variants.len() == 1);
    let mut table = Table::new(columns.into_iter().skip(skipped));
    for (place, variant) in (0..).zip(&part.variants) {
        let cells = [
            Line::from(letter(place)).toned(Tone::Strong),
            quantity(variant.sampled_seconds, Unit::Seconds).into(),
            quantity(variant.plain_wall, Unit::Seconds).into(),
            Span::code(variant.name.clone()).into(),
        ];
        table.push(cells.into_iter().skip(skipped));
    }
    table
}

fn functions(part: &TimeProfile, shown: &[SampledFunction]) -> Table {
    let has_inclusive = part.variants.len() == 1 && part.no_inclusive.is_none();
    let names: &[&'static str] = match part.variants.len() {
        1 if has_inclusive => &["itself", "share", "with calls"],
        1 => &["itself", "share"],
        _ => &["change", "of A's time", "A", "B"],
    };
    let remarks: Vec<String> = shown.iter().map(|it| remarks(part, it)).collect();
    let has_remarks = remarks.iter().any(|remark| !remark.is_empty());
    let mut columns: Vec<Column> = names.iter().copied().map(Column::right).collect();
    columns.push(Column::names("function", NAME));
    columns.extend(has_remarks.then(|| Column::left("")));
    let mut table = Table::new(columns);
    for (function, remark) in shown.iter().zip(remarks) {
        let mut row = numbers(function, has_inclusive);
        row.cells.push(Span::code(function.name.clone()).into());
        row.cells.push(remark.into());
        row.cells.truncate(table.columns.len());
        table.rows.push(row);
    }
    table
}

fn numbers(function: &SampledFunction, has_inclusive: bool) -> Row {
    let seconds = |seconds: &f64| Line::from(quantity(*seconds, Unit::Seconds));
    if let Some(share) = function.share {
        let ends = |end: f64| format!("{:.1}", end * 100.0);
        let text = format!("{} [{}, {}]", percent(share.value), ends(share.low), ends(share.high));
        let inclusive = function.inclusive.map_or(String::new(), percent);
        let inclusive = has_inclusive.then(|| Line::from(inclusive));
        return function
            .seconds
            .iter()
            .map(seconds)
            .chain([text.into()])
            .chain(inclusive)
            .collect();
    }
    let change = function.seconds[1] - function.seconds[0];
    let (mark, tone) = match function.named {
        true => ("", if change > 0.0 { Tone::Bad } else { Tone::Good }),
        // A change within its interval may be nothing.
        false => ("?", Tone::Quiet),
    };
    let text = match function.change {
        Some(change) => interval(change),
        None => quantity(change, Unit::Seconds).replace('-', "−"),
    };
    let relative =
        function.relative.map_or(String::new(), |it| signed_percent(it.value).replace('-', "−"));
    let cells = [line![mark, text].toned(tone), Line::from(relative)];
    cells.into_iter().chain(function.seconds.iter().map(seconds)).collect()
}

fn remarks(part: &TimeProfile, function: &SampledFunction) -> String {
    let fate = function.fate.as_ref().map(|fate| match fate.what.as_str() {
        "vanished" => "gone".to_owned(),
        _ => "new".to_owned(),
    });
    [fate, place(part, function)].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The file name of the function's library; `None` if it is in the program itself.
fn place(part: &TimeProfile, function: &SampledFunction) -> Option<String> {
    let object = file_name(&function.object);
    let is_repeated = function.name == function.object;
    (!is_own(part, function) && !is_repeated).then(|| object.to_owned())
}

fn is_own(part: &TimeProfile, function: &SampledFunction) -> bool {
    let object = file_name(&function.object);
    part.variants.iter().any(|variant| file_name(&variant.program) == object)
}

/// The number of functions worth a row: those that are named or have a two-hundredth of the time,
/// and always a few.
fn shown(part: &TimeProfile, all: bool) -> usize {
    const MOST: usize = 25;
    const FEWEST: usize = 5;
    let count = part.functions.len();
    let whole = part.variants.iter().map(|it| it.sampled_seconds).fold(0.0, f64::max);
    let size = |function: &SampledFunction| match function.seconds[..] {
        [before, after] => (after - before).abs(),
        _ => function.seconds.iter().sum(),
    };
    let is_large = |it: &&SampledFunction| it.named || 200.0 * size(it) >= whole;
    let large = part.functions.iter().take_while(is_large).count();
    if all { count } else { large.clamp(FEWEST, MOST).min(count) }
}

/// The functions without a row, together.
fn rest(part: &TimeProfile, shown: usize) -> Option<Line> {
    let hidden = &part.functions[shown..];
    let words = match part.variants.len() {
        1 => "have",
        _ => "changed by",
    };
    let seconds: f64 = hidden
        .iter()
        .map(|it| {
            it.seconds.last().unwrap_or(&0.0)
                - if it.seconds.len() > 1 { it.seconds[0] } else { 0.0 }
        })
        .sum();
    let all = part.functions.len();
    (!hidden.is_empty()).then(|| {
        let seconds = quantity(seconds, Unit::Seconds).replace('-', "−");
        format!("{shown} of {all} functions are listed; the others {words} {seconds} together")
            .into()
    })
}

fn off_processor(variant: &SampledProgram) -> Line {
    let off = &variant.off_processor;
    let seconds = |value| quantity(value, Unit::Seconds);
    let ready = match off.ready_seconds {
        Some(ready) if off.seconds > 0.0 => {
            format!(" ({} of that it could have run)", seconds(ready.min(off.seconds)))
        }
        _ => String::new(),
    };
    let times = |value: f64, noun| counted(value.round() as u64, noun);
    line![
        Span::code(variant.name.clone()),
        format!(
            " is off the processor for {} of {}{ready}; it stops {} to wait and {} for others, and \
             has {}, {} from disk",
            seconds(off.seconds),
            seconds(variant.plain_wall),
            times(off.voluntary_switches, "time"),
            times(off.involuntary_switches, "time"),
            times(off.minor_faults + off.major_faults, "page fault"),
            grouped(off.major_faults.round() as u64),
        )
    ]
}

fn rounds(part: &TimeProfile) -> Line {
    let level = percent(part.confidence);
    let kind = match part.variants.len() {
        1 => format!("each interval holds at {level}"),
        _ => {
            format!("the intervals of all functions hold together at {level}; `?`: may be nothing")
        }
    };
    Line::of_message(&format!("{}, in an order drawn anew; {kind}", counted(part.rounds, "round")))
}

/// The cost of sampling.
fn cost(variant: &SampledProgram) -> Line {
    let lost = match variant.lost {
        0 => String::new(),
        lost => format!(", {} lost", grouped(lost)),
    };
    let seconds = |value| quantity(value, Unit::Seconds);
    let more = variant.sampled_wall / variant.plain_wall - 1.0;
    line![
        format!(
            "{}{lost}, one every {} of processor time, of ",
            counted(variant.samples, "sample"),
            seconds(variant.period)
        ),
        Span::code(variant.name.clone()),
        format!(
            "; a sampled run took {}, a plain one {} ({}, medians; {})",
            seconds(variant.sampled_wall),
            seconds(variant.plain_wall),
            signed_percent(more),
            counted(variant.plain_runs, "plain run"),
        )
    ]
}

/// The time of one program, or its change; `None` if no stacks were kept.
pub fn flame(part: &TimeProfile) -> Option<Flame> {
    let names: Vec<&str> = part.variants.iter().map(|one| one.name.as_str()).collect();
    Some(instructions::flame_of(&names, part.stacks.as_ref()?, "ns"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn program(name: &str) -> serde_json::Value {
        json!({
            "name": name, "program": format!("/x/{name}"), "samples": 20_000, "lost": 0,
            "period": 0.001, "sampled_seconds": 2.0, "sampled_wall": 2.1, "plain_wall": 2.0,
            "plain_runs": 3, "off_processor": {"seconds": 0.25, "ready_seconds": 0.05,
            "voluntary_switches": 12.0, "involuntary_switches": 3.0, "major_faults": 1.0,
            "minor_faults": 99.0},
        })
    }

    fn text(part: serde_json::Value) -> String {
        let part: TimeProfile = serde_json::from_value(part).expect("a profile");
        part.verify().expect("sound");
        page::markdown::render(&page(&part, false))
    }

    #[test]
    fn one_program_says_where_its_time_is() {
        let page = text(json!({
            "variants": [program("p")], "rounds": 5, "confidence": 0.95, "notes": ["careful"],
            "functions": [
                {"name": "parse<b>", "object": "/x/p", "seconds": [1.56], "inclusive": 0.9,
                 "share": {"value": 0.78, "low": 0.741, "high": 0.818}},
                {"name": "memcpy", "object": "/lib/libc.so.6", "seconds": [0.44],
                 "share": {"value": 0.22, "low": 0.2, "high": 0.25}},
            ],
        }));
        assert!(page.contains("78 % [74, 82] of the time is in `parse<b>`."), "{page}");
        assert!(page.contains("libc.so.6"), "{page}");
        assert!(page.contains("is off the processor for 250"), "{page}");
        assert!(page.contains("12 times to wait and 3 times for others"), "{page}");
        assert!(page.contains("100 page faults, 1 from disk"), "{page}");
        assert!(page.contains("(+5.0 %, medians; 3 plain runs)"), "{page}");
        assert!(page.contains("careful"));
    }

    fn difference(named: bool) -> serde_json::Value {
        let change = match named {
            true => json!({"value": 0.31, "low": 0.29, "high": 0.33}),
            false => json!({"value": 0.31, "low": -0.29, "high": 0.93}),
        };
        json!({
            "variants": [program("a"), program("b")], "rounds": 10, "confidence": 0.95,
            "notes": [], "change": {"value": 0.33, "low": 0.3, "high": 0.36},
            "functions": [{"name": "f", "object": "/x/a", "seconds": [1.0, 1.31],
                "change": change, "relative": {"value": 0.155, "low": 0.145, "high": 0.165},
                "part_of_change": 0.94, "named": named}],
        })
    }

    #[test]
    fn two_programs_say_which_function_changed_if_that_is_certain() {
        let page = text(difference(true));
        assert!(
            page.contains("`f` takes 310 ms [290, 330] more: 94 % of the difference."),
            "{page}"
        );
        assert!(page.contains("330 ms [300, 360] more processor time than"), "{page}");
        let open = text(difference(false));
        assert!(open.contains("No function's time changed by as much as 10 rounds can show."));
        assert!(open.contains("?310 ms"), "{open}");
    }
}
