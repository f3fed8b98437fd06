//! A suite of benchmarks for people: a table for each metric, with a row for each benchmark.

pub mod baseline;
pub mod judging;
pub mod missing;
mod orders;
pub mod page;
mod processes;
mod rows;
mod sentences;

pub use orders::{after, ratio_after};

use findings::{Document, OtherArrangement, SuiteBenchmark, SuiteFinding, SuiteProgram};
use model::metric::TIME_PER_ITERATION;
use model::spec::suite::Seat;
use model::spec::suite::Seats;
use run::suite::lists::PlacedLists;

/// The variants of a document as benchmarks; `None` if it is not a suite.
pub fn part(document: &Document) -> Option<SuiteFinding> {
    let metrics = document.experiment.metrics.as_deref()?;
    if !metrics.contains(&TIME_PER_ITERATION) {
        return None;
    }
    let seats = seats(document)?;
    let order = *seats.arrangements.first()?;
    let programs = seats.programs.iter();
    let programs = programs
        .map(|(name, harness)| SuiteProgram { name: name.clone(), harness: harness.clone() });
    let programs: Vec<SuiteProgram> = programs.collect();
    let benchmark = |(benchmark, name): (usize, &String)| SuiteBenchmark {
        name: name.clone(),
        variants: (0..programs.len())
            .map(|program| seats.variant(Seat { program, benchmark }, order))
            .collect(),
    };
    let benchmarks = seats.benchmarks.iter().enumerate().map(benchmark).collect();
    let all = (0_u32..).zip(&seats.seats).zip(&seats.arrangements);
    let company = all.filter(|(_, other)| **other != order).map(|((variant, seat), other)| {
        OtherArrangement {
            variant,
            program: seat.program,
            benchmark: seat.benchmark,
            order: *other,
        }
    });
    let company = company.collect();
    Some(SuiteFinding { order, programs, benchmarks, company, ..SuiteFinding::default() })
}

/// The benchmarks according to the variants' labels.
fn seats(document: &Document) -> Option<Seats> {
    Seats::from_labels(document.variants.iter().map(|variant| &variant.labels))
}

/// Adds the measurements of the harnesses.
pub fn put_in(document: &mut Document, measured: Vec<PlacedLists>) {
    let Some(suite) = document.suite_mut() else { return };
    suite.measurements = measured;
}
