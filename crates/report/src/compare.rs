//! The page of compared commands: the answer, a small table, and remarks; all readings are folded
//! below.

use findings::{Answer, ComparedPair, Document, MetricSummary, letter};
use model::design::stopping::EstimatorOption;
use model::metric::{self, MetricId, PEAK_RSS, Source, THROUGHPUT, WALL_TIME};
use page::{Block, Column, Label, Line, Page, Row, Section, Span, Table, Tone, line};
use words::quantity::{Scale, scale_for};
use words::{BAD_NEWS_FIRST, reasons, tone};

use super::{cause, equal_work, memory, notes, setups};

/// Above this number of variants each gets one row, in the metric that answers.
const MOST_TABLES: usize = 6;

/// The largest number of variants listed on a terminal; the exports have all of them.
const MOST_ROWS: usize = 60;

/// The metrics side by side that fit 80 columns; quantiles with intervals are wider.
const METRICS_A_TABLE: usize = 3;
const QUANTILES_A_TABLE: usize = 2;

/// The least width of a cut command in a table, in columns of a terminal.
const COMMAND: usize = 10;

/// Builds the page.
pub(super) fn page(document: &Document) -> Page {
    let mut page = Page::default();
    let copies = words::copies(document);
    let few = document.variants.len() <= MOST_TABLES;
    page.blocks.extend(words::level(document).map(Block::Answer));
    if few {
        let mut answers: Vec<&Answer> = document.answers.iter().collect();
        answers.sort_by_key(|answer| BAD_NEWS_FIRST.iter().position(|one| *one == answer.verdict));
        for answer in answers {
            let sentence = words::answer(document, answer);
            page.push(Block::Answer(sentence.toned(tone(answer.verdict))));
        }
        page.blocks.extend(cause::blocks(&document.causes));
        page.sentences(words::ranking(document));
        page.sentences(copies);
        let shown = metrics(document);
        let has_quantiles = shown.iter().any(|(id, _)| id.quantile().is_some());
        let wide = if has_quantiles { QUANTILES_A_TABLE } else { METRICS_A_TABLE };
        let tables = shown.chunks(wide).map(|metrics| small(document, metrics));
        page.blocks.extend(tables.map(Block::Table));
        page.sentences(setups::sentences(document));
    } else {
        page.push(Block::Answer(super::answer(document).into()));
        page.blocks.extend(words::ranking(document).map(Block::Answer));
        page.sentences(copies);
        page.push(Block::Table(overview(document)));
    }
    memory::add_to_page(&mut page, document);
    closing(&mut page, document);
    if few {
        page.push(Block::Section(all_readings(document)));
    }
    page
}

/// The variants in the order of the table and of pictures: as given, or if they are many, in that of
/// the ranking.
pub(super) fn order(document: &Document) -> Vec<u32> {
    let is_ranked = document.ranking.len() == document.variants.len();
    match is_ranked && document.variants.len() > MOST_TABLES {
        true => document.ranking.iter().map(|part| part.variant).collect(),
        false => (0_u32..).zip(&document.variants).map(|(variant, _)| variant).collect(),
    }
}

/// The remarks below the tables, the same in every medium.
fn closing(page: &mut Page, document: &Document) {
    let [warnings, remarks] = equal_work::findings(document);
    page.notes(Label::WARNING, warnings);
    page.sentences(words::footnote(document));
    page.sentences([words::circumstances(document)]);
    page.sentences(words::detectable(document));
    if !document.comparisons.is_empty() {
        page.sentences([words::confidence(document)]);
    }
    page.notes(Label::NOTE, remarks.into_iter().chain(notes::lines(document, false)));
}

/// A metric and its source.
type Figure = (MetricId, Source);

/// The metrics of the small table: the requested, the usual, the deciding and surprising ones.
fn metrics(document: &Document) -> Vec<Figure> {
    let mut all: Vec<Figure> = Vec::new();
    let read = document.summaries.iter().map(|part| (&part.metric, part.source));
    let is_read = |id: &MetricId| document.summaries.iter().any(|part| part.metric == *id);
    let missing = document.missing.iter();
    let missing =
        missing.filter(|part| is_wanted(document, &part.metric) && !is_read(&part.metric));
    for (id, source) in read.chain(missing.map(|part| (&part.metric, part.source))) {
        if document.shows(id) && !all.iter().any(|(known, from)| known == id && *from == source) {
            all.push((id.clone(), source));
        }
    }
    if let Some(asked) = &document.experiment.metrics {
        all.sort_by_key(|(id, _)| asked.iter().position(|one| one == id));
        return all;
    }
    // With copies, wall time is just their number divided by their throughput.
    let in_copies = all.iter().any(|(id, _)| *id == THROUGHPUT);
    let is_usual = |id: &MetricId| (*id == WALL_TIME && !in_copies) || *id == PEAK_RSS;
    let decides = |id: &MetricId| document.answers.iter().any(|answer| answer.metric == *id);
    all.retain(|(id, source)| {
        (is_usual(id) && *source == Source::Run)
            || decides(id)
            || is_wanted(document, id)
            || surprises(document, id, *source)
    });
    all
}

/// True if the user requested a metric, by its name or by the way it is measured.
fn is_wanted(document: &Document, id: &MetricId) -> bool {
    match &document.experiment.metrics {
        Some(chosen) => chosen.contains(id),
        None => metric::find(id).is_some_and(|one| one.is_own() || one.is_of_copies()),
    }
}

/// True if a metric changed for some candidate in another way than its answer says.
fn surprises(document: &Document, id: &MetricId, source: Source) -> bool {
    document.answers.iter().any(|answer| {
        let part = document.comparison_of(answer.baseline, answer.candidate, id, source);
        part.is_some_and(|part| {
            part.verdict.is_change() && !part.within_margin && part.verdict != answer.verdict
        })
    })
}

/// One row for each command, with its ratios below each candidate.
fn small(document: &Document, metrics: &[Figure]) -> Table {
    let headings =
        metrics.iter().map(|(id, source)| Column::left(line![words::label(id), source.mark()]));
    let first = [Column::left(""), Column::names("command", COMMAND)];
    let mut table = Table::new(first.into_iter().chain(headings));
    let is_one = document.variants.len() == 1;
    for (variant, part) in (0..).zip(&document.variants) {
        let missing = document.missing.iter().filter(|part| part.variant == variant);
        let values =
            metrics.iter().map(|(id, source)| match document.summary(variant, id, *source) {
                Some(part) => value(document, part),
                None if missing.clone().any(|part| part.metric == *id) => {
                    Line::from("missing").toned(Tone::Open)
                }
                None => Line::default(),
            });
        let reasons = missing_rows(document, variant, &|id| is_wanted(document, id));
        let of = if is_one { String::new() } else { format!("{}: ", letter(variant)) };
        table.foot.extend(reasons.into_iter().map(|reason| line![of.clone(), reason]));
        let name = if is_one { Line::default() } else { Span::from(letter(variant)).into() };
        table.push(
            [name.toned(Tone::Strong), Span::code(part.name.clone()).into()]
                .into_iter()
                .chain(values),
        );
        let compared = |(id, source): &Figure| document.comparison(variant, id, *source);
        if metrics.iter().any(|one| compared(one).is_some()) {
            let blank = || [Line::default(), Line::default()].into_iter();
            let parts: Vec<Option<&ComparedPair>> = metrics.iter().map(compared).collect();
            let cell = |make: &dyn Fn(&ComparedPair) -> Line| {
                let cells = parts.iter().map(|part| part.map(make).unwrap_or_default());
                blank().chain(cells).collect::<Row>()
            };
            table.rows.push(cell(&|part| words::ratio_and_verdict(document, part)));
            table.rows.push(cell(&|part| Line::from(words::interval(part)).toned(Tone::Quiet)));
        }
    }
    table
}

/// `4.115 ms ± 0.021`
fn value(document: &Document, summary: &MetricSummary) -> Line {
    let (scale, centre, decimals) = scaled(document, summary);
    let shown = value_and_spread(summary, centre, scale, decimals);
    Span::quantity(shown, centre).into()
}

fn scaled(document: &Document, summary: &MetricSummary) -> (Scale, f64, usize) {
    let unit = summary.metric.unit();
    let centre = document.figure(summary);
    let scale = scale_for(if centre == 0.0 { summary.max } else { centre }, unit);
    (scale, centre, scale.decimals(centre))
}

fn value_and_spread(summary: &MetricSummary, centre: f64, scale: Scale, decimals: usize) -> String {
    if summary.at_most {
        return scale.with_symbol(&format!("<= {}", scale.number(centre, decimals)));
    }
    let value = scale.number(centre, decimals);
    if let Some(quantile) = summary.quantile {
        let end = |end: Option<f64>| end.map_or("?".to_owned(), |end| scale.number(end, decimals));
        return scale.with_symbol(&format!(
            "{value} [{}, {}]",
            end(quantile.low),
            end(quantile.high)
        ));
    }
    match summary.sd {
        Some(sd) => scale.with_symbol(&format!("{value} ± {}", scale.spread(sd, decimals))),
        None => scale.with_symbol(&value),
    }
}

/// All readings of every command, and the permanent facts about the machine.
fn all_readings(document: &Document) -> Section {
    let mut blocks: Vec<Block> = Vec::new();
    for (variant, part) in (0..).zip(&document.variants) {
        let is_baseline = document.answers.iter().any(|answer| answer.baseline == variant);
        let suffix = if is_baseline { "  baseline" } else { "" };
        let mut table = Table {
            title: line![
                letter(variant),
                "  ",
                Span::code(part.name.clone()),
                Span::from(suffix).toned(Tone::Quiet)
            ],
            ..Table::new(full_columns(document, variant))
        };
        let shown = document.summaries_of(variant).filter(|part| document.shows(&part.metric));
        let mut shown: Vec<&MetricSummary> = shown.collect();
        if let Some(asked) = &document.experiment.metrics {
            shown.sort_by_key(|part| asked.iter().position(|one| *one == part.metric));
        }
        table.rows.extend(shown.into_iter().map(|part| full_row(document, part)));
        let is_usual =
            |id: &MetricId| *id == metric::CPU_WAIT && document.experiment.metrics.is_none();
        let reasons =
            missing_rows(document, variant, &|id| is_usual(id) || is_wanted(document, id));
        table.foot = reasons.into_iter().map(Line::from).collect();
        blocks.push(Block::Table(table));
    }
    blocks.extend(notes::lines(document, true).map(|note| Block::Note(Label::NOTE, note)));
    Section { title: "All readings".into(), blocks, is_folded: true }
}

fn centre(document: &Document) -> &'static str {
    let mut asked = document.experiment.metrics.iter().flatten();
    if asked.any(|id| id.quantile().is_some()) {
        return "value";
    }
    match document.experiment.estimator {
        EstimatorOption::Mean => "mean ± sd",
        EstimatorOption::Min => "min ± sd",
        EstimatorOption::RankScores | EstimatorOption::PseudoMedian | EstimatorOption::Median => {
            "median ± sd"
        }
    }
}

fn full_columns(document: &Document, variant: u32) -> Vec<Column> {
    let figures = [
        Column::left("metric"),
        Column::right(centre(document)),
        Column::right("min … max").giving_way(2),
        Column::right("outliers").giving_way(1),
    ];
    let answer = document.answers.iter().find(|answer| answer.candidate == variant);
    let compared = answer.map(|answer| {
        [Column::left(line!["ratio to ", letter(answer.baseline)]), Column::left("")]
    });
    figures.into_iter().chain(compared.into_iter().flatten()).collect()
}

fn full_row(document: &Document, summary: &MetricSummary) -> Row {
    let (scale, _, decimals) = scaled(document, summary);
    let fewer = decimals.saturating_sub(1);
    let range = [summary.min, summary.max].map(|value| scale.number(value, fewer)).join(" … ");
    let outliers = match summary.outliers {
        0 => String::new(),
        count => format!("{count} ({:.0} %)", count as f64 / summary.n as f64 * 100.0),
    };
    let label = line![words::label(&summary.metric), summary.source.mark()];
    let figures = [label, value(document, summary), range.into(), outliers.into()];
    let part = document.comparison(summary.variant, &summary.metric, summary.source);
    let compared = part.map(|part| [words::ratio_in_row(document, part).into(), verdict(part)]);
    figures.into_iter().chain(compared.into_iter().flatten()).collect()
}

/// `improved (small)`
pub(super) fn verdict(part: &ComparedPair) -> Line {
    let small = if part.verdict.is_change() && part.within_margin { " (small)" } else { "" };
    line![part.verdict.word(), small].toned(tone(part.verdict))
}

/// Metrics without any value, a row for each reason.
fn missing_rows(
    document: &Document,
    variant: u32,
    is_told: &dyn Fn(&MetricId) -> bool,
) -> Vec<String> {
    let has_any = |id: &MetricId| document.summaries_of(variant).any(|part| part.metric == *id);
    let of_variant = document.missing.iter().filter(|part| part.variant == variant);
    let told = of_variant.filter(|part| is_told(&part.metric)).filter_map(|part| {
        let label = words::label(&part.metric);
        let is_read = document.summary(variant, &part.metric, part.source).is_some();
        match is_read {
            false if has_any(&part.metric) => None,
            false => Some((format!("missing ({})", part.reason), label)),
            true => {
                let runs = words::counted(part.runs as u64, "run");
                Some((format!("missing in {runs} ({})", part.reason), label))
            }
        }
    });
    let together = reasons::together(told).into_iter().map(|(reason, mut labels)| {
        // A metric may be missing from several sources.
        labels.dedup();
        format!("{}: {reason}", labels.join(", "))
    });
    together.collect()
}

/// One row for each variant, in the metric that answers, and in the order of the ranking.
fn overview(document: &Document) -> Table {
    let id = document.main_metric();
    let columns = [
        Column::left(""),
        Column::names("command", COMMAND),
        Column::right(centre(document)),
        Column::right("min … max").giving_way(2),
        Column::right("outliers").giving_way(1),
        Column::left("ratio"),
        Column::left(""),
    ];
    let title = words::label(&id).into();
    let mut table = Table { title, most_rows: Some(MOST_ROWS), ..Table::new(columns) };
    for variant in order(document) {
        let part = &document.variants[variant as usize];
        let name = [Span::from(letter(variant)).into(), Line::from(Span::code(part.name.clone()))];
        let summary = document.any_summary(variant, &id);
        let figures = summary.map(|summary| full_row(document, summary).cells.into_iter().skip(1));
        table.push(name.into_iter().chain(figures.into_iter().flatten()));
    }
    table
}
