//! The reach of a change in words: what of it the benchmarks run, and what was skipped.

use findings::reach::{BenchmarkReach, ChangeReach, ChangedFunction};
use page::{Block, Label, Line, Page, Span, line};
use words::quantity::duration;
use words::reasons::together;

/// The most names of functions in a sentence.
const MOST_NAMES: usize = 8;

/// The page of a change of which nothing is left to measure.
pub fn page(reach: &ChangeReach) -> Page {
    let mut page = Page::default();
    page.blocks.extend(answer(reach).map(Block::Answer));
    add(&mut page, reach);
    page
}

/// The first sentence of a report about the change, if it has one to say.
pub fn answer(reach: &ChangeReach) -> Option<Line> {
    if reach.reaches_nothing() {
        return Some(Line::from("nothing that you changed is run by any benchmark"));
    }
    let is_profiled = |one: &BenchmarkReach| one.profiled;
    if reach.functions.is_empty() || !reach.benchmarks.iter().any(is_profiled) {
        return None;
    }
    let all = reach.functions.len();
    let run = all - reach.not_run().count();
    let at_least = if reach.benchmarks.iter().all(is_profiled) { "" } else { "at least " };
    let whole = match all {
        1 => "the function that you changed".to_owned(),
        _ => format!("the {all} functions that you changed"),
    };
    let share = match (run, all) {
        (0, 1) => format!("no benchmark runs {whole}"),
        (0, _) => format!("the benchmarks run none of {whole}"),
        (run, all) if run == all => format!("the benchmarks run {whole}"),
        _ => format!("the benchmarks run {at_least}{run} of {whole}"),
    };
    let names: Vec<Line> = reach.not_run().map(called).collect();
    Some(match names.is_empty() {
        true => share.into(),
        false => line![share, "; not run: ", few(&names)],
    })
}

fn called(function: &ChangedFunction) -> Line {
    line![Span::code(function.name.clone()), " (", Span::code(function.file.clone()), ")"]
}

/// The first names, and the number of the others.
fn few(names: &[Line]) -> Line {
    let first = Line::join(names.iter().take(MOST_NAMES).cloned(), ", ");
    match names.len().saturating_sub(MOST_NAMES) {
        0 => first,
        more => first.and(format!(" and {more} more")),
    }
}

/// Adds what was skipped, what could not be followed, and the cost of knowing it.
pub fn add(page: &mut Page, reach: &ChangeReach) {
    let skipped = about("skipped", reach.unreached());
    let unknown = about("not followed, so measured:", reach.unknown());
    let list = [skipped, unknown].concat();
    if !list.is_empty() {
        page.push(Block::List(list));
    }
    let change = line![
        "of the change from ",
        Span::commit(findings::short(&reach.base), reach.base.clone()),
        " to ",
        Span::commit(findings::short(&reach.head), reach.head.clone())
    ];
    let cost = match reach.profiling_seconds {
        0.0 => Line::default(),
        seconds => line![
            format!("; callgrind took {} to see what the benchmarks run", duration(seconds)),
            ", which is kept"
        ],
    };
    page.notes(Label::NOTE, [line![change, cost]]);
}

/// The benchmarks that share a reason, in one line.
fn about<'a>(
    word: &'static str,
    benchmarks: impl Iterator<Item = &'a BenchmarkReach>,
) -> Vec<Line> {
    let named = |one: &'a BenchmarkReach| (one.reason.as_str(), Span::code(one.benchmark.clone()));
    let line = |(reason, names): (&'a str, Vec<Span>)| {
        let names = Line::join(names.into_iter().map(Line::from), ", ");
        line![word, " ", names, ": ", Line::of_message(reason)]
    };
    together(benchmarks.map(named)).into_iter().map(line).collect()
}
