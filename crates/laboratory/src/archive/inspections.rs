//! Reports of any kind in the store: of runs, or of an inspection.

use super::{listed, stored, stored_document, unreadable, without_a_round};
use findings::inspection::Inspection;
use model::failure::Failure;
use report::{Report, inspection};
use store::record::Inspected;
use store::{ExperimentId, FoundText, Store};

/// The report of a stored experiment of any kind.
///
/// # Errors
///
/// When it cannot be read.
pub fn report(store: &Store, id: ExperimentId) -> Result<Report, Failure> {
    match listed(store, id)?.kind.is_inspection() {
        true => Ok(Report::Inspection(inspection(store, id)?)),
        false => Ok(Report::Experiment(Box::new(stored_document(store, id)?))),
    }
}

/// The report of a stored experiment, if it has a finished round.
///
/// # Errors
///
/// When it cannot be read, or has no finished round.
pub fn report_to_show(store: &Store, id: ExperimentId) -> Result<Report, Failure> {
    match report(store, id)? {
        Report::Experiment(document) if document.experiment.rounds == 0 => {
            Err(without_a_round(&stored(store, id)?))
        }
        report => Ok(report),
    }
}

/// The result of an inspection.
///
/// # Errors
///
/// When it cannot be read.
pub fn inspection(store: &Store, id: ExperimentId) -> Result<Inspection, Failure> {
    let json = store.inspection(id)?.unwrap_or_default();
    Inspection::read(&json).map_err(|error| unreadable("report", id, &error))
}

/// Keeps the result of an inspection.
///
/// # Errors
///
/// When it cannot be stored; then nothing is stored.
pub fn keep_inspection(store: &mut Store, new: &Inspected) -> Result<ExperimentId, Failure> {
    let Inspection { kind, found, .. } = &new.inspection;
    let text =
        FoundText { kind: *kind, answer: inspection::answer(found), json: new.inspection.json() };
    store.keep_inspection(new, &text).map_err(Failure::from)
}
