//! A report as an HTML page: the page of its verb, with its pictures after the answer.

use std::io;

use draw::{Chart, Scene};
use findings::inspection::Inspection;
use findings::{Document, Step};
use model::commission::Kind;
use model::metric::{MetricId, Source};
use page::html::Shell;
use page::{Block, Code, Line, Page, Picture, Section, line};

use super::json::Runs;
use super::pictures::runs::{Readings, chart_of};
use super::pictures::{self};
use super::{Report, cause, history, inspection};

/// Above this number of rows, a table of commits has only the newest; the picture has all of them.
const MOST_ROWS: usize = 1000;
const NEWEST_ROWS: usize = 200;
/// More answers than this would push the pictures out of sight.
const MOST_ANSWERS: usize = 5;
/// The number of answers that then stay above the pictures; the others are folded below.
const FIRST_ANSWERS: usize = 3;
/// The largest number of steps whose runs are drawn.
const MOST_STEPS: usize = 20;

/// The page of an experiment with its pictures.
///
/// # Errors
///
/// When the runs cannot be read, or a picture cannot be drawn.
pub fn page(document: &Document, runs: &mut Runs<'_>) -> io::Result<Page> {
    // Distinguishes its pictures from those of other pages in the same file.
    let id = document.experiment.id.map_or_else(|| "imported".to_owned(), |id| format!("of-{id}"));
    let mut pictures = Vec::new();
    let charts = match document.kind() {
        Kind::History => vec![history::graph::graph_with_choice(document)],
        _ => pictures::charts(document, runs)?,
    };
    for (number, chart) in charts.iter().enumerate() {
        pictures.push(picture(chart, &format!("{id}-{number}"))?);
    }
    pictures.extend(behind_steps(document, runs, &id)?.map(Block::Section));
    pictures.extend(behind_causes(document, &id)?.map(Block::Section));
    Ok(with(document, pictures))
}

/// The page of a history with its picture, without the runs.
pub(crate) fn page_of_history(document: &Document, id: &str) -> io::Result<Page> {
    Ok(with(document, vec![picture(&history::graph::graph_with_choice(document), id)?]))
}

/// The page of a document, with pictures after the answers and their causes.
fn with(document: &Document, pictures: Vec<Block>) -> Page {
    let mut page = super::page(document);
    if document.kind() == Kind::History {
        page.blocks.iter_mut().for_each(shorten);
        history::link_commits(&mut page.blocks, document);
    }
    let answers = page.blocks.iter().take_while(|one| matches!(one, Block::Answer(_))).count();
    let first = if answers > MOST_ANSWERS { FIRST_ANSWERS } else { answers };
    let others: Vec<Block> = page.blocks.drain(first..answers).collect();
    let others = (!others.is_empty()).then(|| {
        let title = line![format!("{} more answers", others.len())];
        Block::Section(Section::folded(title, others))
    });
    // The blocks of causes are the first behind the answers.
    let behind = first + cause::blocks(&document.causes).len();
    page.blocks.splice(behind..behind, pictures);
    page.blocks.splice(first..first, others);
    page
}

fn picture(chart: &Chart, id: &str) -> io::Result<Block> {
    chart.scene().map(|scene| element(&scene, id)).map_err(io::Error::other)
}

fn element(scene: &Scene, id: &str) -> Block {
    Block::Picture(Picture {
        name: Line::from(scene.title.clone()),
        drawing: scene.element(id),
        data: scene.data.as_ref().map(ToString::to_string).unwrap_or_default(),
    })
}

/// The runs before and after each step, largest first.
fn behind_steps(document: &Document, runs: &mut Runs<'_>, id: &str) -> io::Result<Option<Section>> {
    let is_timed = |step: &&Step| step.source == Source::Run;
    let mut steps: Vec<&Step> = document.steps().iter().filter(is_timed).collect();
    steps.sort_by(|a, b| b.weight().total_cmp(&a.weight()));
    steps.truncate(MOST_STEPS);
    let mut metrics: Vec<MetricId> = steps.iter().map(|step| step.metric.clone()).collect();
    metrics.sort();
    metrics.dedup();
    if steps.is_empty() {
        return Ok(None);
    }
    let readings = Readings::from_runs(document, &metrics, runs)?;
    let mut blocks = Vec::new();
    for (number, step) in steps.into_iter().enumerate() {
        let variant = |hash: &str| match &step.benchmark {
            None => document.variant_at(hash),
            name => document.variant_of(hash, name.as_deref()),
        };
        let variants = [&step.from, &step.commit].map(|hash| variant(hash));
        let [Some(before), Some(after)] = variants else { continue };
        let chart = chart_of(document, &readings, &step.metric, &[before, after]);
        if let Some(chart) = chart {
            let title = format!(
                "{}: {}",
                words::label(&step.metric),
                step.commit.get(..10).unwrap_or(&step.commit)
            );
            let chart = Chart { title, ..chart };
            blocks.push(picture(&chart, &format!("{id}-step-{number}"))?);
        }
    }
    let title = line!["The runs before and after each step"];
    Ok((!blocks.is_empty()).then(|| Section::folded(title, blocks)))
}

/// The flame graphs of the changes whose causes were searched for.
fn behind_causes(document: &Document, id: &str) -> io::Result<Option<Section>> {
    let flames = document.causes.iter().filter_map(cause::flame).enumerate();
    let blocks = flames.map(|(number, flame)| {
        let scene = flame.scene().map_err(io::Error::other)?;
        Ok(element(&scene, &format!("{id}-flame-{number}")))
    });
    let blocks: Vec<Block> = blocks.collect::<io::Result<_>>()?;
    let title = line!["The stacks of what changed"];
    Ok((!blocks.is_empty()).then(|| Section::folded(title, blocks)))
}

/// Folds the code of a finding, so that its statement comes first.
fn fold_code(block: &mut Block) {
    match block {
        Block::Section(section) => section.blocks.iter_mut().for_each(fold_code),
        Block::Code(code) => {
            let title = if code.label.is_empty() { "the code that shows it" } else { code.label };
            let code = Code { label: "", ..std::mem::take(code) };
            *block = Block::Section(Section::folded(title, vec![Block::Code(code)]));
        }
        _ => {}
    }
}

/// Keeps only the newest rows of a table that is too long to read.
fn shorten(block: &mut Block) {
    match block {
        Block::Table(table) if table.rows.len() > MOST_ROWS => {
            let all = table.rows.len();
            table.rows.drain(..all - NEWEST_ROWS);
            table.foot.push(line![format!(
                "The newest {NEWEST_ROWS} of {all} rows; the picture and the exports have all."
            )]);
        }
        Block::Section(section) => section.blocks.iter_mut().for_each(shorten),
        _ => {}
    }
}

/// A self-contained file with some reports, each below its title.
pub fn file(title: &str, pages: &[(String, Page)]) -> String {
    let one = |(title, page): &(String, Page)| match pages.len() {
        1 => page::html::render(page, 2),
        _ => {
            let title = page::html::escape(title);
            format!("<section>\n<h2>{title}</h2>\n{}</section>\n", page::html::render(page, 3))
        }
    };
    let body: String = pages.iter().map(one).collect();
    shell(title, &body).html()
}

/// The document around a body, with the style and script of pictures.
pub fn shell<'a>(title: &'a str, body: &'a str) -> Shell<'a> {
    Shell {
        title,
        body,
        picture_style: draw::STYLE,
        picture_script: draw::flame::SCRIPT,
        ..Shell::default()
    }
}

/// The title of a report's page.
pub fn title(report: &Report) -> String {
    match report {
        Report::Experiment(document) => title_of(document),
        Report::Inspection(inspection) => {
            let about = inspection::title(&inspection.found);
            let kind = inspection.kind;
            if about.is_empty() { format!("brisk {kind}") } else { format!("{kind}: {about}") }
        }
    }
}

/// The title of an experiment's page.
pub fn title_of(document: &Document) -> String {
    let about = match (document.history(), document.sweep(), document.suite()) {
        (Some(_), ..) => history::graph::title(document),
        (None, Some(sweep), _) => sweep.command.clone(),
        (None, None, Some(suite)) => listed(suite.programs.iter().map(|one| one.name.as_str())),
        (None, None, None) => listed(document.variants.iter().map(|one| one.name.as_str())),
    };
    format!("{}: {about}", document.kind())
}

/// The first few of some names.
fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const FIRST: usize = 4;
    let more = names.len().saturating_sub(FIRST);
    let first = names.take(FIRST).collect::<Vec<_>>().join(" · ");
    if more > 0 { format!("{first} and {more} more") } else { first }
}

/// The page of an inspection with its pictures.
///
/// # Errors
///
/// When a picture cannot be drawn.
pub fn page_of_inspection(inspection: &Inspection, id: &str) -> io::Result<Page> {
    let mut page = inspection::page(inspection);
    page.blocks.iter_mut().for_each(fold_code);
    if let Some(scene) =
        pictures::of_found(&inspection.found).transpose().map_err(io::Error::other)?
    {
        let is_first = |block: &&Block| matches!(block, Block::Heading(_) | Block::Answer(_));
        let first: Vec<&Block> = page.blocks.iter().take_while(is_first).collect();
        let answer = first.iter().rposition(|block| matches!(block, Block::Answer(_)));
        page.blocks.insert(answer.map_or(0, |place| place + 1), element(&scene, id));
    }
    Ok(page)
}
