//! The page of a suite: for each metric a table with a row for each benchmark.

use page::{Block, Column, Line, Narrow, Page, Row, Span, Table, Tone, line};

use super::{Row as Benchmark, geometric_mean, rows};
use super::{missing, orders, processes, sentences};
use crate::coverage;
use crate::notes;
use findings::{Coverage, Document, SuiteBenchmark, SuiteFinding, letter};
use model::metric::MetricId;
use words::tone;

/// The names of the two programs.
const SIDES: [&str; 2] = ["old", "new"];

/// The least and the greatest width of a name, in columns of a terminal.
const NAME: (usize, usize) = (16, 200);

/// The page; empty if the document is not about a suite.
pub fn page(document: &Document) -> Page {
    let mut page = Page::default();
    let Some(suite) = document.suite() else { return page };
    let covered = Coverage::from_document(document);
    let first = coverage::gaps(document, &covered).into_iter();
    let first = first.chain(coverage::comings_of(document, &covered));
    page.blocks.extend(first.map(Block::Answer));
    if let Some(tally) = sentences::tally(document, suite) {
        page.push(Block::Answer(tally.into()));
    }
    if let [old, new] = suite.programs.as_slice() {
        let mut programs = Table::new([Column::left(""), Column::left("").cut(16, 100)]);
        for (word, program) in SIDES.into_iter().zip([old, new]) {
            let word = Span::from(word).toned(Tone::Strong);
            programs.push([word, Span::code(program.name.clone())]);
        }
        page.push(Block::Table(programs));
    }
    for id in document.experiment.metrics.iter().flatten() {
        if let Some(rows) = rows(document, suite, id) {
            page.push(Block::Table(table(document, suite, id, &rows)));
        }
    }
    let dependent = orders::rows(suite);
    if !dependent.is_empty() {
        page.push(Block::Table(dependences(&dependent)));
    }
    let found = [orders::sentences(suite), processes::sentences(suite)].concat();
    if !found.is_empty() {
        page.push(Block::List(found.into_iter().map(Line::from).collect()));
    }
    if !suite.after.is_empty() {
        let title = "what each benchmark took after each other".to_owned();
        page.blocks.extend(words::folded(title, vec![Block::Table(pairs(suite))]));
    }
    page.sentences(missing::sentences(document, suite));
    page.sentences(words::footnote(document));
    page.sentences([sentences::circumstances(document, suite)]);
    page.sentences(words::detectable(document));
    page.sentences(processes::of_one_process(suite));
    if !document.comparisons.is_empty() {
        page.sentences([words::confidence(document)]);
    }
    notes::add(&mut page, document, &|variant| called(suite, variant));
    page
}

/// A benchmark, with its side if there are two.
fn called(suite: &SuiteFinding, variant: u32) -> Line {
    let side = |one: &SuiteBenchmark| one.variants.iter().position(|it| *it == Some(variant));
    let mut benchmarks = suite.benchmarks.iter();
    let Some((benchmark, side)) = benchmarks.find_map(|one| Some((one, side(one)?))) else {
        return letter(variant).into();
    };
    let name = Span::code(benchmark.name.clone());
    match suite.programs.len() {
        1 => name.into(),
        _ => line![name, format!(" ({})", SIDES[side])],
    }
}

fn dependences(rows: &[[String; orders::HEADINGS.len()]]) -> Table {
    let [name, ratio, when, time, with] = orders::HEADINGS.map(Column::left);
    let [name, when] = [name, when].map(|column| column.cut(NAME.0, NAME.1).narrow(Narrow::Middle));
    let columns = [name, ratio, when, time, with];
    let mut table = Table { title: orders::TITLE.into(), ..Table::new(columns) };
    rows.iter().for_each(|row| table.push(row.clone()));
    table
}

/// The time of each benchmark after each other one, relative to its time as the first.
fn pairs(suite: &SuiteFinding) -> Table {
    let names = ["benchmark", "after"]
        .map(|word| Column::left(word).cut(NAME.0, NAME.1).narrow(Narrow::Middle));
    let numbers = ["ratio", "rounds"].map(Column::right);
    let mut table = Table::new(names.into_iter().chain(numbers));
    table.foot.push(line![
        "ratio: its time where the other had run before in its process, by its time as the first; the \
         median over the rounds"
    ]);
    for one in &suite.after {
        let names = [one.benchmark, one.other].map(|which| orders::name(suite, one.program, which));
        let numbers = [orders::ratio_after(one), one.rounds.to_string()];
        table.push(names.map(|name| name.replace('`', "")).into_iter().chain(numbers));
    }
    table
}

fn table(
    document: &Document,
    suite: &SuiteFinding,
    id: &MetricId,
    rows: &[Benchmark<'_>],
) -> Table {
    let is_comparison = suite.programs.len() > 1;
    let programs = match is_comparison {
        true => SIDES.map(Column::right).to_vec(),
        false => vec![Column::right("median ± sd")],
    };
    let behind = match is_comparison {
        true => [Column::left("ratio"), Column::left("")],
        false => [Column::left("another run"), Column::right("runs")],
    };
    let name = Column::left("benchmark").cut(NAME.0, NAME.1).narrow(Narrow::Middle);
    let mut table = Table {
        title: words::label(id).to_owned().into(),
        ..Table::new(std::iter::once(name).chain(programs).chain(behind))
    };
    table.rows.extend(rows.iter().map(|row| cells(row, is_comparison)));
    if let Some((mean, without)) = geometric_mean(document, suite, id) {
        let blanks = std::iter::repeat_n(Line::default(), suite.programs.len());
        let without = (without > 0).then(|| format!(", without {without} from or to 0"));
        let name = format!("geometric mean{}", without.unwrap_or_default());
        let name = std::iter::once(Line::from(name));
        let cells = name.chain(blanks).chain([format!("{mean:.3}").into()]);
        let cells = cells.map(|cell| cell.toned(Tone::Quiet)).collect();
        table.rows.push(Row { cells, sums_up: true, ..Row::default() });
    }
    table
}

fn cells(row: &Benchmark<'_>, is_comparison: bool) -> Row {
    let values = row.values.iter().cloned().map(Line::from);
    let behind = match (&row.verdict, is_comparison) {
        (_, false) => vec![Line::from(row.again.clone()), row.runs.to_string().into()],
        (Some((verdict, words)), true) => {
            vec![row.ratio.clone().into(), Line::from(words.clone()).toned(tone(*verdict))]
        }
        (None, true) => vec![Line::from(row.ratio.clone())],
    };
    std::iter::once(line![Span::code(row.name.to_owned())]).chain(values).chain(behind).collect()
}
