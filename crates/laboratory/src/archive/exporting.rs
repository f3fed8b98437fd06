//! Writing files of a stored experiment: its document, and its runs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

use page::Page;

use super::{listed, report_to_show, stored};
use findings::{Document, HistorySubject};
use model::commission::Contender;
use model::design::stopping::StopReason;
use model::failure::Failure;
use model::spec::labels::ArtifactId;
use report::Report;
use report::export::Exports;
use report::html;
use report::json::Visit;
use store::{ExperimentId, ExperimentState, Store, StoreError};

/// An experiment whose runs belong to a document.
struct Part {
    id: ExperimentId,
    /// The variant of the document for each variant of the experiment; `None` if they are the same.
    variants: Option<Vec<Option<u32>>>,
    first_round: u32,
    /// The number of variants in the document.
    count: usize,
}

impl Part {
    fn visit(&self, store: &Store, visit: &mut Visit<'_>) -> io::Result<()> {
        let mut outcome = Ok(());
        let read = store.for_each_run(self.id, &mut |mut run| -> Result<(), StoreError> {
            run.place.round = run.place.round.saturating_add(self.first_round);
            let variant = match &self.variants {
                Some(variants) => variants.get(run.place.variant as usize).copied().flatten(),
                None => Some(run.place.variant),
            };
            if let (Some(variant), Ok(())) = (variant, &outcome) {
                run.place.variant = variant;
                outcome = match (variant as usize) < self.count {
                    true => visit(&run),
                    false => Err(io::Error::other(format!(
                        "a run is of the variant {variant}, and the report has {}",
                        self.count
                    ))),
                };
            }
            Ok(())
        });
        outcome?;
        read.map_err(io::Error::other)
    }
}

/// The experiments of a history, one after the other. Artefacts are recognised by their digests,
/// and in a suite also by the benchmark.
fn parts_of_history(
    store: &Store,
    history: &HistorySubject,
    document: &Document,
) -> Result<Vec<Part>, Failure> {
    // The store has the benchmark's name in each commit, the document its present name.
    let named = document
        .histories()
        .iter()
        .flat_map(|one| one.names.iter().map(|part| (part.name.as_str(), one.benchmark.as_str())));
    let now: HashMap<&str, &str> = named.collect();
    let key = |variant: &Contender| {
        let name = variant.labels.benchmark_name();
        let name = name.map(|name| now.get(name).copied().unwrap_or(name).to_owned());
        Some((variant.labels.artifact_id()?.clone(), name))
    };
    let numbered = (0_u32..).zip(&document.variants);
    let numbers: HashMap<(ArtifactId, Option<String>), u32> =
        numbered.filter_map(|(number, variant)| Some((key(variant)?, number))).collect();
    let mut parts = Vec::new();
    let mut first_round = 0;
    for &id in &history.experiments {
        let stored = stored(store, ExperimentId(id))?;
        let variant = |variant: &Contender| numbers.get(&key(variant)?).copied();
        let variants = Some(stored.commission.variants.iter().map(variant).collect());
        let count = document.variants.len();
        parts.push(Part { id: ExperimentId(id), variants, first_round, count });
        first_round = first_round.saturating_add(stored.rounds).saturating_add(1);
    }
    Ok(parts)
}

/// A suite with the measurements of its harnesses, which only exports contain.
fn with_measurements<'a>(
    document: &'a Document,
    store: &Store,
    id: ExperimentId,
) -> Result<Cow<'a, Document>, Failure> {
    let mut document = Cow::Borrowed(document);
    if document.suite().is_some() {
        let measured = store.measurements(id)?;
        if let Some(suite) = document.to_mut().suite_mut() {
            suite.measurements = measured;
        }
    }
    Ok(document)
}

/// Writes the requested files; the runs come from the store.
pub fn export(
    exports: &Exports,
    store: &Store,
    id: ExperimentId,
    document: &Document,
) -> Result<(), Failure> {
    let document = &with_measurements(document, store, id)?;
    let parts = parts(store, id, document)?;
    let mut runs = |each: &mut Visit<'_>| visit(store, &parts, each);
    exports.write(document, &mut runs).map_err(Failure::from)
}

/// The page of a stored experiment for a browser.
#[derive(Debug)]
pub struct Drawn {
    /// The title.
    pub title: String,
    /// The page.
    pub page: Page,
    /// True if pictures of runs are drawn: there may be too many runs.
    pub has_runs: bool,
}

/// The page of a stored experiment; pictures of runs are left out beyond `most_runs`.
pub fn page(store: &Store, id: ExperimentId, most_runs: u64) -> Result<Drawn, Failure> {
    match report_to_show(store, id)? {
        Report::Experiment(mut document) => {
            if listed(store, id)?.state == ExperimentState::Running {
                document.experiment.stop = StopReason::Running;
            }
            drawn(store, id, &document, most_runs)
        }
        Report::Inspection(inspection) => {
            let page = html::page_of_inspection(&inspection, &format!("of-{id}"));
            let page = page.map_err(|error| cannot_draw(id, &error))?;
            let title = html::title(&Report::Inspection(inspection));
            Ok(Drawn { title, page, has_runs: true })
        }
    }
}

/// The same for an existing document.
pub(super) fn drawn(
    store: &Store,
    id: ExperimentId,
    document: &Document,
    most_runs: u64,
) -> Result<Drawn, Failure> {
    let parts = parts(store, id, document)?;
    let mut count = 0_u64;
    for part in &parts {
        count += listed(store, part.id)?.runs;
    }
    let mut has_runs = true;
    let mut runs = |each: &mut Visit<'_>| {
        has_runs = count <= most_runs;
        if has_runs { visit(store, &parts, each) } else { Ok(()) }
    };
    let page = html::page(document, &mut runs).map_err(|error| cannot_draw(id, &error))?;
    Ok(Drawn { title: html::title_of(document), page, has_runs })
}

fn cannot_draw(id: ExperimentId, error: &io::Error) -> Failure {
    Failure::new(format!("cannot draw the report of experiment {id}")).caused_by(error)
}

fn parts(store: &Store, id: ExperimentId, document: &Document) -> Result<Vec<Part>, Failure> {
    match document.history() {
        Some(found) => parts_of_history(store, &found.subject, document),
        None => {
            Ok(vec![Part { id, variants: None, first_round: 0, count: document.variants.len() }])
        }
    }
}

fn visit(store: &Store, parts: &[Part], visit: &mut Visit<'_>) -> io::Result<()> {
    parts.iter().try_for_each(|part| part.visit(store, visit))
}
