//! The effects of other benchmarks in the same process on those of a suite: in sentences, as a
//! table, and as a map of the time of each benchmark after each other one.

use super::NAME;
use crate::pictures;
use draw::axis::Spacing;
use draw::map::{Cell, MapFigure};
use draw::points::Values;
use draw::{Chart, Figure, Key, Shape};
use findings::{Document, SuiteFinding};
use judge::orders::{After, Alignment, Cause, Companion, Dependence, Regimes, Waits};
use model::metric::{FAULTS_PER_ITERATION, Unit};
use page::{Column, Table, line};
use words::quantity::{percent, quantity, ratio_decimals, scale_for};

/// The largest number of accompanying readings named; the others are in the JSON.
const NAMED: usize = 2;

/// The size of a page on the machines that brisk knows, in bytes.
const PAGE_BYTES: f64 = 4096.0;

/// The size in bytes from which glibc's malloc requests a separate block from the system, until
/// such a block has been freed (mallopt(3), `M_MMAP_THRESHOLD`).
const MMAP_THRESHOLD_BYTES: f64 = 128.0 * 1024.0;

/// The largest number of dependences in sentences; more go into a table.
const IN_SENTENCES: usize = 2;

/// The dependences that are too many for sentences.
pub(super) fn table(suite: &SuiteFinding) -> Option<Table> {
    if suite.dependences.len() <= IN_SENTENCES {
        return None;
    }
    let [ratio, time, with] = ["ratio", "time", "with"].map(Column::left);
    let columns =
        [Column::names("benchmark", NAME), ratio, Column::names("when", NAME), time, with];
    let mut table = Table { title: "depends on what ran before".into(), ..Table::new(columns) };
    for found in &suite.dependences {
        let bare = |number: usize| bare(suite, number);
        let when = match found.cause {
            Cause::NotFirst => "not first".to_owned(),
            Cause::Place => "last, not first".to_owned(),
            Cause::JustAfter(other) => format!("just behind `{}`", bare(other)),
            Cause::After(other) => format!("after `{}`", bare(other)),
        };
        let doubt = if found.or_else.is_empty() { "" } else { " (?)" };
        let with = found.companions.first().map(|companion| {
            let [without, with] = values(companion);
            let label = words::label(&companion.metric);
            // The table above shows times per iteration, and 80 columns are not many.
            let short = label.trim_end_matches(" per iteration").trim_start_matches("page ");
            format!("{without} → {with} {short}")
        });
        table.push([
            name(suite, found.program, found.benchmark).replace('`', ""),
            ratio_with_interval(found.ratio, found.low, found.high),
            when + doubt,
            times(found),
            with.unwrap_or_default(),
        ]);
    }
    Some(table)
}

/// The time of each benchmark after each other one, relative to its time as the first.
pub(super) fn pairs(suite: &SuiteFinding) -> Table {
    let names = ["benchmark", "after"].map(|heading| Column::names(heading, NAME));
    let numbers = ["ratio", "rounds"].map(Column::right);
    let mut table = Table::new(names.into_iter().chain(numbers));
    table.foot.push(line![
        "ratio: its time where the other had run before in its process, by its time as the first; the \
         median over the rounds"
    ]);
    for one in &suite.after {
        let names = [one.benchmark, one.other].map(|which| name(suite, one.program, which));
        let numbers = [ratio_after(one), one.rounds.to_string()];
        table.push(names.map(|name| name.replace('`', "")).into_iter().chain(numbers));
    }
    table
}

/// `` `b` after `a`: 1.52 times as long (10 rounds) ``.
fn after(suite: &SuiteFinding, one: &After) -> String {
    let [benchmark, other] =
        [one.benchmark, one.other].map(|which| name(suite, one.program, which));
    let rounds = words::counted(one.rounds, "round");
    format!("{benchmark} after {other}: {} times as long ({rounds})", ratio_after(one))
}

/// `1.52`.
fn ratio_after(one: &After) -> String {
    format!("{:.*}", if one.ratio < 10.0 { 2 } else { 0 }, one.ratio)
}

fn time(seconds: f64) -> String {
    quantity(seconds, Unit::Seconds)
}

/// `13.86 → 151.1 µs`.
fn times(found: &Dependence) -> String {
    let scale = scale_for(found.without.max(found.with), Unit::Seconds);
    let number = |seconds: f64| scale.number(seconds, scale.decimals(seconds));
    format!("{} → {}", number(found.without), scale.with_symbol(&number(found.with)))
}

/// `1.52 [1.48, 1.56]`.
pub(super) fn ratio_with_interval(ratio: f64, low: f64, high: f64) -> String {
    let decimals = ratio_decimals(low, high);
    format!("{ratio:.decimals$} [{low:.decimals$}, {high:.decimals$}]")
}

/// A sentence for each finding that is in no table.
pub(super) fn sentences(suite: &SuiteFinding) -> Vec<String> {
    let told = if suite.dependences.len() > IN_SENTENCES { &[] } else { &suite.dependences[..] };
    let dependences = told.iter().map(|one| dependence(suite, one));
    let is_new = |one: &&Regimes| !suite.dependences.iter().any(|why| one.is_explained_by(why));
    let regimes = suite.regimes.iter().filter(is_new).map(|one| regimes(suite, one));
    let waits = suite.waits.iter().map(|one| waits(suite, one));
    dependences.chain(regimes).chain(from_the_system(suite)).chain(waits).collect()
}

/// ` of PROGRAM`; empty if there is only one.
pub(super) fn of_program(suite: &SuiteFinding, program: usize) -> String {
    let several = suite.programs.get(program).filter(|_| suite.programs.len() > 1);
    several.map(|part| format!(" of {}", part.name)).unwrap_or_default()
}

fn bare(suite: &SuiteFinding, benchmark: usize) -> &str {
    suite.benchmarks.get(benchmark).map_or("", |part| part.name.as_str())
}

/// The name of a benchmark in sentences.
pub(super) fn name(suite: &SuiteFinding, program: usize, benchmark: usize) -> String {
    let name = bare(suite, benchmark);
    match suite.programs.get(program) {
        Some(part) if suite.programs.len() > 1 => format!("`{name}` ({})", part.name),
        _ => format!("`{name}`"),
    }
}

fn dependence(suite: &SuiteFinding, found: &Dependence) -> String {
    let mut text = format!(
        "{} takes {} times as long {}: {} instead of {}",
        name(suite, found.program, found.benchmark),
        ratio_with_interval(found.ratio, found.low, found.high),
        cause(suite, found.cause),
        time(found.with),
        time(found.without)
    );
    if let Some((other, others)) = found.or_else.split_first() {
        text += &format!(" (or {}", cause(suite, *other));
        if !others.is_empty() {
            text += &format!(", or for one of {} more causes", others.len());
        }
        text.push(')');
    }
    text + &companions(&found.companions, "; with that come ", " instead of ")
}

fn cause(suite: &SuiteFinding, cause: Cause) -> String {
    let of = |benchmark: usize| bare(suite, benchmark);
    match cause {
        Cause::NotFirst => "when it is not the first in its process".to_owned(),
        Cause::Place => "as the last of the suite as it does as the first".to_owned(),
        Cause::JustAfter(other) => format!("just behind `{}`", of(other)),
        Cause::After(other) => format!("when `{}` ran before it in its process", of(other)),
    }
}

fn regimes(suite: &SuiteFinding, found: &Regimes) -> String {
    let slow = (found.slow_share * found.processes as f64).round();
    let mut text = format!(
        "{} has two regimes, {} and {} ({slow} of {} processes)",
        name(suite, found.program, found.benchmark),
        time(found.fast),
        time(found.slow),
        found.processes
    );
    text += &companions(&found.companions, "; the slow one has ", ", the fast one ");
    text += &found.alignment.as_ref().map(alignment).unwrap_or_default();
    text
}

/// `; the stacks of the slow ones begin 48 bytes behind a multiple of 64`.
fn alignment(found: &Alignment) -> String {
    let Alignment { period, from, until, .. } = *found;
    let places = if from == until {
        format!("{from} bytes")
    } else if from < until {
        format!("{from} to {until} bytes")
    } else {
        format!("at least {from} or at most {until} bytes")
    };
    format!("; the stacks of the slow ones begin {places} behind a multiple of {period}")
}

fn waits(suite: &SuiteFinding, found: &Waits) -> String {
    let counted = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 benchmark {one}")),
        count => Some(format!("{count} benchmarks {many}")),
    };
    let dependences = counted(
        found.dependences,
        "seems to depend on what ran before it",
        "seem to depend on what ran before them",
    );
    let regimes = counted(found.regimes, "seems to have two regimes", "seem to have two regimes");
    let them = dependences.into_iter().chain(regimes).collect::<Vec<_>>().join(", and ");
    let whose = of_program(suite, found.program);
    format!(
        "{them}, by no more than waiting explains: processes with many benchmarks{whose} waited for \
         a processor for {} of their time, those with one for {}",
        percent(found.in_company),
        percent(found.alone)
    )
}

/// The first accompanying readings, with and without the dependence; empty if there are none.
fn companions(all: &[Companion], beginning: &str, between: &str) -> String {
    let told = all.iter().take(NAMED).map(|companion| {
        let [without, with] = values(companion);
        format!("{with} {}{between}{without}", words::label(&companion.metric))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { String::new() } else { format!("{beginning}{}", told.join(", and ")) }
}

/// The values without and with the dependence.
fn values(companion: &Companion) -> [String; 2] {
    let unit = companion.metric.unit();
    [companion.without, companion.with].map(|value| quantity(value, unit))
}

/// The meaning of page faults that are as numerous as the pages of a large block.
fn from_the_system(suite: &SuiteFinding) -> Option<String> {
    let of_dependences = suite.dependences.iter().flat_map(|one| &one.companions);
    let companions = of_dependences.chain(suite.regimes.iter().flat_map(|one| &one.companions));
    let faults = companions.filter(|companion| companion.metric == FAULTS_PER_ITERATION);
    let more = faults.map(|companion| (companion.with - companion.without).abs());
    // One page at the end of a block may be there already.
    let large = |pages: &f64| (pages + 1.0) * PAGE_BYTES >= MMAP_THRESHOLD_BYTES;
    let pages = more.filter(large).reduce(f64::min)?;
    Some(format!(
        "{} page faults in an iteration are {:.0} KiB that it gets from the system anew; malloc \
         does that with blocks from 128 KiB on, until it sees one freed (mallopt(3), \
         M_MMAP_THRESHOLD)",
        quantity(pages, Unit::Count),
        pages * PAGE_BYTES / 1024.0
    ))
}

/// The map of each program; `None` if no benchmark depends on what ran before it.
pub(crate) fn map_of_orders(document: &Document) -> Option<Chart> {
    let part = document.suite()?;
    let figures = (0..part.programs.len()).filter_map(|program| map(part, program));
    let figures: Vec<Figure> = figures.map(Figure::Map).collect();
    let told = part.after.iter().map(|one| after(part, one));
    (!figures.is_empty()).then(|| Chart {
        title: "What benchmarks take after each other".to_owned(),
        subtitle: format!(
            "time where the other had run before in the process, by the time as the first; without \
             frame, it may be chance; {}",
            pictures::subtitle(document)
        ),
        description: told.collect::<Vec<_>>().join("\n"),
        figures,
        keys: vec![(
            Key::Shape(Shape::Frame),
            "depends on what ran before, and perhaps on this one",
        )],
    })
}

fn map(part: &SuiteFinding, program: usize) -> Option<MapFigure> {
    let its: Vec<&After> = part.after.iter().filter(|one| one.program == program).collect();
    let mut shown: Vec<usize> = its.iter().flat_map(|one| [one.benchmark, one.other]).collect();
    shown.sort_unstable();
    shown.dedup();
    let place = |benchmark: usize| shown.iter().position(|one| *one == benchmark);
    // Rows count from the bottom, but the first of a suite belongs on top.
    let row = |benchmark| place(benchmark).map(|place| shown.len() - 1 - place);
    let cell = |one: &&After| {
        Some(Cell {
            at: (place(one.other)?, row(one.benchmark)?),
            ratio: Some(one.ratio),
            words: ratio_after(one),
            mark: None,
            is_framed: part.dependences.iter().any(|found| found.shows_in(one)),
            is_hatched: false,
            tooltip: after(part, one),
        })
    };
    let cells: Vec<Cell> = its.iter().filter_map(cell).collect();
    let values = |name: &str, labels: Vec<String>| Values {
        name: name.to_owned(),
        weights: vec![0; labels.len()],
        spacing: Spacing::from_values(&vec![None; labels.len()]),
        labels,
    };
    // The space below the columns is too small for names.
    let numbers = shown.iter().map(|number| (number + 1).to_string());
    let name = |number: &usize| format!("{} {}", number + 1, part.benchmarks[*number].name);
    let note = match part.benchmarks.len() {
        all if all > shown.len() => format!("{} of {all} benchmarks", shown.len()),
        _ => String::new(),
    };
    // Without a dependence, the map would show chance alone.
    cells.iter().any(|cell| cell.is_framed).then(|| MapFigure {
        name: part.programs[program].name.clone(),
        note,
        across: values("after the benchmark with this number", numbers.collect()),
        up: values("benchmark", shown.iter().rev().map(name).collect()),
        cells,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use findings::SuiteProgram;
    use model::spec::suite::Arrangement;

    fn suite(programs: &[&str], waits: Waits) -> SuiteFinding {
        let program =
            |name: &&str| SuiteProgram { name: (*name).to_owned(), harness: "lines".to_owned() };
        SuiteFinding {
            order: Arrangement::Alone,
            programs: programs.iter().map(program).collect(),
            waits: vec![waits],
            ..SuiteFinding::default()
        }
    }

    #[test]
    fn what_waiting_explains_is_told_as_a_number() {
        let waits = Waits { program: 1, alone: 0.1, in_company: 0.25, dependences: 2, regimes: 1 };
        assert_eq!(
            sentences(&suite(&["old", "new"], waits)),
            ["2 benchmarks seem to depend on what ran before them, and 1 benchmark seems to have \
                 two regimes, by no more than waiting explains: processes with many benchmarks of \
                 new waited for a processor for 25 % of their time, those with one for 10 %"]
        );
        let waits = Waits { program: 0, dependences: 1, regimes: 0, ..waits };
        assert_eq!(
            sentences(&suite(&["it"], waits)),
            ["1 benchmark seems to depend on what ran before it, by no more than waiting \
                 explains: processes with many benchmarks waited for a processor for 25 % of their \
                 time, those with one for 10 %"]
        );
    }
}
