//! The page of a suite of benchmarks: for each metric a table with a row for each benchmark, then
//! the findings on its processes and the missing measurements.

pub(crate) mod levels;
pub(crate) mod orders;

use findings::{
    ComparedPair, Coverage, Document, MetricSummary, MissingValues, Order, OtherArrangement,
    SuiteBenchmark, SuiteFinding, letter,
};
use judge::loops::{Idle, Idleness, PARTS_MARGIN, PartsAgainstWhole, PartsOutcome};
use model::metric::{MetricId, Source, TIME_PER_ITERATION, Unit};
use model::spec::suite::Arrangement;
use model::verdict::Verdict;
use orders::name;
use page::{Block, Column, Line, Page, Row, Span, Table, Tone, line};
use words::quantity::{ChangeSize, percent, quantity, scale_for};
use words::reasons::{first_and_last_line, together};
use words::{BAD_NEWS_FIRST, counted};

use crate::compare::verdict;
use crate::{coverage, notes, reach, too_few};

const SIDES: [&str; 2] = ["old", "new"];

/// The least width of a cut name, in columns of a terminal.
const NAME: usize = 16;

/// The page; empty if the document is not about a suite.
pub(crate) fn page(document: &Document) -> Page {
    let mut page = Page::default();
    let Some(suite) = document.suite() else { return page };
    let reach = suite.reach.as_ref();
    page.blocks.extend(reach.and_then(reach::answer).map(Block::Answer));
    let covered = Coverage::from_document(document);
    let first = coverage::gaps(document, &covered).into_iter();
    let first = first.chain(coverage::comings_of(document, &covered));
    page.blocks.extend(first.map(Block::Answer));
    page.blocks.extend(tallies(document, suite).into_iter().map(Block::Answer));
    page.blocks.extend(range(document, suite).map(Block::Answer));
    if let [old, new] = suite.programs.as_slice() {
        let mut programs = Table::new([Column::left(""), Column::left("").cut(16, 100)]);
        for (word, program) in SIDES.into_iter().zip([old, new]) {
            let word = Span::from(word).toned(Tone::Strong);
            programs.push([word, Span::code(program.name.clone())]);
        }
        page.push(Block::Table(programs));
    }
    let mut zero = Vec::new();
    for id in document.experiment.metrics.iter().flatten() {
        let of_metric = document.summaries.iter().filter(|part| part.metric == *id);
        let parts: Vec<&MetricSummary> = of_metric.collect();
        match parts.iter().all(|part| part.min == 0.0 && part.max == 0.0) {
            true if parts.is_empty() => {}
            true => zero.push(id),
            false => page.push(Block::Table(table(document, suite, id))),
        }
    }
    page.blocks.extend(orders::table(suite).map(Block::Table));
    let found = [orders::sentences(suite), processes(suite)].concat();
    if !found.is_empty() {
        page.push(Block::List(found.into_iter().map(Line::from).collect()));
    }
    if !suite.after.is_empty() {
        let title = "what each benchmark took after each other".to_owned();
        page.blocks.extend(words::folded(title, vec![Block::Table(orders::pairs(suite))]));
    }
    page.sentences(missing(document, suite));
    let nothing = |id: &&MetricId| format!("{}: 0 for every benchmark", words::label(id));
    page.sentences(zero.iter().map(nothing));
    if let Some(reach) = reach {
        reach::add(&mut page, reach);
    }
    page.sentences(words::footnote(document));
    page.sentences([circumstances(document, suite)]);
    page.sentences(words::detectable(document));
    page.sentences(of_one_process(suite));
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

/// A metric, with a row for each benchmark.
fn table(document: &Document, suite: &SuiteFinding, id: &MetricId) -> Table {
    let is_comparison = suite.programs.len() > 1;
    let programs = match is_comparison {
        true => SIDES.map(Column::right).to_vec(),
        false => vec![Column::right("median ± sd")],
    };
    let behind = match is_comparison {
        true => [Column::left("ratio"), Column::left("")],
        false => [Column::left("another run"), Column::right("runs")],
    };
    let name = [Column::names("benchmark", NAME)];
    let mut table = Table {
        title: words::label(id).into(),
        ..Table::new(name.into_iter().chain(programs).chain(behind))
    };
    let rows = suite.benchmarks.iter().enumerate();
    table.rows =
        rows.map(|(place, benchmark)| row(document, suite, place, benchmark, id)).collect();
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

/// The values of a benchmark, each with the spread of its processes. Behind them, of one program,
/// the range of another run and the number of processes; of two, the ratio and the verdict.
fn row(
    document: &Document,
    suite: &SuiteFinding,
    place: usize,
    benchmark: &SuiteBenchmark,
    id: &MetricId,
) -> Row {
    let of = |variant: u32| document.any_summary(variant, id);
    let value = |variant: &Option<u32>| match variant.map(of) {
        Some(Some(part)) => value(document, part).into(),
        Some(None) => "missing".into(),
        None => Line::default(),
    };
    let behind = match comparison(document, benchmark, id) {
        _ if suite.programs.len() < 2 => {
            let only = benchmark.variants.first().copied().flatten().and_then(of);
            let again = only.and_then(|part| again(document, suite, place, part));
            let runs = only.map_or(0, |part| part.n).to_string();
            vec![again.unwrap_or_default().into(), runs.into()]
        }
        Some(part) => vec![words::ratio_in_row(document, part).into(), verdict(part)],
        None => vec![Line::default()],
    };
    let values = benchmark.variants.iter().map(value);
    [Span::code(&benchmark.name).into()].into_iter().chain(values).chain(behind).collect()
}

/// `[153.0, 155.6]`: the range of the estimate of another such experiment; `None` but for times.
fn again(
    document: &Document,
    suite: &SuiteFinding,
    place: usize,
    part: &MetricSummary,
) -> Option<String> {
    if part.metric != TIME_PER_ITERATION {
        return None;
    }
    let level = suite.levels.iter().find(|level| (level.program, level.benchmark) == (0, place))?;
    let centre = document.figure(part);
    let scale = scale_for(centre, Unit::Seconds);
    let decimals = scale.decimals(centre);
    let [low, high] = [level.again_low, level.again_high].map(|end| scale.number(end, decimals));
    Some(format!("[{low}, {high}]"))
}

fn comparison<'a>(
    document: &'a Document,
    benchmark: &SuiteBenchmark,
    id: &MetricId,
) -> Option<&'a ComparedPair> {
    match benchmark.variants.as_slice() {
        &[Some(old), Some(new)] => document.comparison_of(old, new, id, Source::Run),
        _ => None,
    }
}

/// `154.1 ± 2.3 µs`.
fn value(document: &Document, part: &MetricSummary) -> String {
    let centre = document.figure(part);
    let scale = scale_for(centre, part.metric.unit());
    let decimals = scale.decimals(centre);
    let number = scale.number(centre, decimals);
    match part.sd {
        Some(sd) => scale.with_symbol(&format!("{number} ± {}", scale.spread(sd, decimals))),
        None => scale.with_symbol(&number),
    }
}

/// The geometric mean of the ratios, if there are two, and the number of pairs without ratio.
fn geometric_mean(
    document: &Document,
    suite: &SuiteFinding,
    id: &MetricId,
) -> Option<(f64, usize)> {
    let parts = suite.benchmarks.iter().filter_map(|one| comparison(document, one, id));
    let (without, with): (Vec<_>, Vec<_>) = parts.partition(|part| part.difference.is_some());
    let mean = stats::estimate::geometric_mean(with.into_iter().map(|part| part.ratio))?;
    Some((mean, without.len()))
}

/// The numbers of benchmarks by verdict, a sentence for each metric; empty if nothing is compared.
fn tallies(document: &Document, suite: &SuiteFinding) -> Vec<Line> {
    let metrics = document.experiment.metrics.iter().flatten();
    metrics.filter_map(|id| tally_in(document, suite, id)).collect()
}

/// The largest number of regressions named.
const MOST_NAMED: usize = 3;

/// `12 benchmarks compared in time per iteration: 1 regressed (`parse` +31.00 % [+29.20 %,
/// +33.10 %]), 11 unchanged`.
fn tally_in(document: &Document, suite: &SuiteFinding, id: &MetricId) -> Option<Line> {
    let parts =
        suite.benchmarks.iter().filter_map(|one| Some((one, comparison(document, one, id)?)));
    let mut parts: Vec<(&SuiteBenchmark, &ComparedPair)> = parts.collect();
    parts.sort_by(|(_, a), (_, b)| b.weight().total_cmp(&a.weight()));
    let counted_in = |verdict: Verdict| {
        let such: Vec<_> = parts.iter().filter(|(_, part)| part.verdict == verdict).collect();
        let (named, beginning) = match verdict {
            Verdict::Regressed => (MOST_NAMED, ""),
            Verdict::Improved if such.len() > 1 => (1, "most: "),
            Verdict::Improved => (1, ""),
            Verdict::Unchanged | Verdict::Inconclusive => (0, ""),
        };
        let names = such.iter().take(named).map(|(benchmark, part)| {
            line![Span::code(&benchmark.name), " ", ChangeSize::from(*part).amount()]
        });
        let names = Line::join(names, ", ");
        let names = if names.is_empty() { names } else { line![" (", beginning, names, ")"] };
        let count = line![format!("{} {}", such.len(), verdict.word()), names];
        (!such.is_empty()).then(|| count.toned(words::tone(verdict)))
    };
    let counts = Line::join(BAD_NEWS_FIRST.into_iter().filter_map(counted_in), ", ");
    let compared =
        format!("{} compared in {}: ", counted(parts.len(), "benchmark"), words::label(id));
    (!parts.is_empty()).then(|| line![compared, counts])
}

/// The range of the benchmarks of one program: `12 benchmarks: time per iteration from 12.30 ns
/// (`sum`) to 1.200 ms (`sort`)`; `None` of several programs, or without values.
fn range(document: &Document, suite: &SuiteFinding) -> Option<Line> {
    if suite.programs.len() != 1 {
        return None;
    }
    let id = document.main_metric();
    let value = |one: &SuiteBenchmark| {
        let part = document.any_summary(one.variants.first().copied().flatten()?, &id)?;
        Some((one.name.clone(), document.figure(part)))
    };
    let mut all: Vec<(String, f64)> = suite.benchmarks.iter().filter_map(value).collect();
    all.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let amount = |value: f64| quantity(value, id.unit());
    match all.as_slice() {
        [] => None,
        [(name, value)] => {
            let label = words::label(&id);
            Some(line![Span::code(name), format!(": {} {label}", amount(*value))])
        }
        [(least, low), .., (most, high)] => {
            let beginning =
                format!("{}: {} from ", counted(all.len(), "benchmark"), words::label(&id));
            let least = line![amount(*low), " (", Span::code(least), ")"];
            Some(line![beginning, least, " to ", amount(*high), " (", Span::code(most), ")"])
        }
    }
}

/// The arrangement of the processes, and the number of rounds; of processes that ran elsewhere, the
/// arrangement is not known.
fn circumstances(document: &Document, suite: &SuiteFinding) -> String {
    if document.experiment.order == Order::Sequential {
        return words::circumstances(document);
    }
    let arranged = match suite.order {
        Arrangement::Alone if !suite.company.is_empty() => &with_company(suite),
        Arrangement::Alone => "each benchmark alone in a fresh process",
        Arrangement::Together => "all benchmarks of a program in one fresh process",
        Arrangement::Reversed => {
            "all benchmarks of a program in one fresh process, in reverse order"
        }
        Arrangement::Shuffled => {
            "all benchmarks of a program in one fresh process, in an order drawn anew"
        }
        Arrangement::Divided => {
            "the benchmarks of a program in two fresh processes, half of them drawn for each"
        }
    };
    format!("{}; {arranged}", words::circumstances(document))
}

/// `each benchmark alone in a fresh process, and beside that together, reversed and shuffled`.
fn with_company(suite: &SuiteFinding) -> String {
    let mut orders: Vec<&str> = Vec::new();
    for part in &suite.company {
        if !orders.contains(&part.order.word()) {
            orders.push(part.order.word());
        }
    }
    let orders = too_few::and(&orders);
    format!("each benchmark alone in a fresh process, and beside that {orders}")
}

/// The factor from which intervals of a single process are worth a warning.
const WORTH_TELLING: f64 = 2.0;

/// A sentence for each finding.
fn processes(suite: &SuiteFinding) -> Vec<String> {
    let made_of = suite.made_of.iter().map(|one| parts(suite, one));
    made_of.chain(suite.idle.iter().map(|one| idle(suite, one))).collect()
}

fn parts(suite: &SuiteFinding, found: &PartsAgainstWhole) -> String {
    let PartsAgainstWhole { program, whole, ratio, low, high, rounds, .. } = *found;
    let whole = name(suite, program, whole);
    let ratio = orders::ratio_with_interval(ratio, low, high);
    let claim = &found.claim;
    match found.outcome {
        PartsOutcome::Contradiction => format!(
            "the parts contradict {whole}: by `{claim}` they would take {ratio} times as long as it \
             does, each alone in {}",
            counted(rounds, "round")
        ),
        PartsOutcome::Agreement => format!(
            "the parts agree with {whole}: by `{claim}` they take {ratio} times as long as it does"
        ),
        PartsOutcome::Undecided => format!(
            "it is open whether the parts agree with {whole} within {}: by `{claim}` they take \
             {ratio} times as long as it does",
            percent(PARTS_MARGIN)
        ),
    }
}

fn idle(suite: &SuiteFinding, found: &Idle) -> String {
    let it = name(suite, found.program, found.benchmark);
    let why = match found.evidence {
        Idleness::FewCycles { cycles } => {
            format!("an iteration takes {cycles:.1} cycles of the processor")
        }
        Idleness::IndependentOfIterations { times_longer, .. } => {
            format!("a loop that is {times_longer:.0} times longer takes no more time")
        }
        Idleness::IndependentOfSize { smallest, times_larger, .. } => format!(
            "it takes no longer than {}, and is {times_larger:.0} times larger by its name",
            name(suite, found.program, smallest)
        ),
    };
    format!("{it} may not do its work: {why}")
}

/// A warning that intervals from one process are too narrow, by the median of the benchmarks.
fn of_one_process(suite: &SuiteFinding) -> Option<String> {
    let narrow: Vec<f64> = suite.levels.iter().filter_map(|level| level.narrow_by).collect();
    let times = stats::describe::summarise(&narrow)?.median;
    (times >= WORTH_TELLING).then(|| {
        format!(
            "processes differ: an interval made of the measurements of one of them would be {times:.0} \
             times too narrow"
        )
    })
}

/// The missing values of requested metrics; benchmarks without any time are reported first.
fn missing(document: &Document, suite: &SuiteFinding) -> Vec<String> {
    let metrics = document.experiment.metrics.as_deref().unwrap_or_default();
    let named = document.missing.iter().filter(|part| metrics.contains(&part.metric));
    let is_first = |part: &&MissingValues| {
        part.metric == TIME_PER_ITERATION
            && document.summary(part.variant, &part.metric, part.source).is_none()
    };
    let judged = named.filter(|part| company(suite, part.variant).is_none() && !is_first(part));
    let judged = judged.map(|part| of_judged(document, suite, part));
    judged.chain(of_company(document, suite)).collect()
}

fn of_judged(document: &Document, suite: &SuiteFinding, part: &MissingValues) -> String {
    let has_any = document.summary(part.variant, &part.metric, part.source).is_some();
    let how_often = has_any.then(|| format!(" in {}", counted(part.runs, "run")));
    let name = document.variants.get(part.variant as usize).map_or("", |part| part.name.as_str());
    let gone = suite.given_up.iter().find(|gone| gone.variant == part.variant);
    let gone = gone.filter(|_| part.metric == TIME_PER_ITERATION);
    let left_out = gone.map(|gone| format!("; left out after {}", counted(gone.rounds, "round")));
    format!(
        "`{name}`: {} missing{} ({}){}",
        words::label(&part.metric),
        how_often.unwrap_or_default(),
        first_and_last_line(&part.reason),
        left_out.unwrap_or_default()
    )
}

/// The missing values in other arrangements, which nobody asked for: a sentence for each.
fn of_company(document: &Document, suite: &SuiteFinding) -> Vec<String> {
    let lacking = document.missing.iter().filter(|part| part.metric == TIME_PER_ITERATION);
    let lacking = lacking.filter_map(|part| {
        let OtherArrangement { program, order, .. } = company(suite, part.variant)?;
        Some(((*program, *order), part))
    });
    let sentence = |((program, order), parts): ((usize, Arrangement), Vec<&MissingValues>)| {
        let whose = orders::of_program(suite, program);
        let benchmarks = if parts.len() == 1 { "benchmark has" } else { "benchmarks have" };
        let runs = parts.iter().map(|part| part.runs).max().unwrap_or(0);
        let runs = if runs == 1 { "1 run" } else { &format!("up to {runs} runs") };
        format!(
            "run {}, {} {benchmarks}{whose} no time in {runs} ({})",
            order.word(),
            parts.len(),
            first_and_last_line(&parts[0].reason)
        )
    };
    together(lacking).into_iter().map(sentence).collect()
}

/// The benchmark in an arrangement in which it is not judged.
fn company(suite: &SuiteFinding, variant: u32) -> Option<&OtherArrangement> {
    suite.company.iter().find(|part| part.variant == variant)
}
