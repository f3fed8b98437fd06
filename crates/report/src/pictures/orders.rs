//! The time of each benchmark of a suite after each other one, as a map: the slow benchmark selects
//! the row, the one before it the column.

use draw::map::{Cell, MapFigure};
use draw::points::Values;
use draw::spacing::Spacing;
use draw::{Chart, Figure, Key, Shape};

use crate::picture;
use crate::suite;
use findings::{Document, SuiteFinding};
use judge::orders::After;

/// The map of each program; `None` if no benchmark ran both first and after others.
pub(super) fn chart(document: &Document) -> Option<Chart> {
    let part = document.suite()?;
    let figures = (0..part.programs.len()).filter_map(|program| map(part, program));
    let figures: Vec<Figure> = figures.map(Figure::Map).collect();
    let told = part.after.iter().map(|one| suite::after(part, one));
    (!figures.is_empty()).then(|| Chart {
        title: "What benchmarks take after each other".to_owned(),
        subtitle: format!(
            "time where the other had run before in the process, by the time as the first; without \
             frame, it may be chance; {}",
            picture::subtitle(document)
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
            words: suite::ratio_after(one),
            mark: None,
            is_framed: part.dependences.iter().any(|found| found.shows_in(one)),
            is_hatched: false,
            tooltip: suite::after(part, one),
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
    (!cells.is_empty()).then(|| MapFigure {
        name: part.programs[program].name.clone(),
        note,
        across: values("after the benchmark with this number", numbers.collect()),
        up: values("benchmark", shown.iter().rev().map(name).collect()),
        cells,
    })
}
