//! The documents of histories in the store: that of a suite is split into parts.

use std::collections::BTreeMap;

use super::{stored, unreadable};
use findings::benchmarks;
use findings::benchmarks::BenchmarkFigures;
use findings::{BenchmarkHistory, Document, ReadError};
use measure::parallel;
use model::failure::Failure;
use model::json;
use report::history::in_short;
use report::site;
use store::{ExperimentId, Store, StoredHistory};

/// Keeps the document of a history with the newest of its experiments.
///
/// # Errors
///
/// When it cannot be stored.
pub fn keep_history(
    store: &mut Store,
    id: ExperimentId,
    document: &Document,
) -> Result<(), Failure> {
    debug_assert!(document.verify().is_ok(), "{:?}", document.verify());
    let answer = in_short(document);
    let (frame, parts) = benchmarks::apart(document.clone());
    let frame = json::text(&frame);
    let history = StoredHistory { answer, frame, benchmarks: parallel::map(&parts, json::text) };
    Ok(store.keep_history(id, &history)?)
}

/// A stored history.
pub struct KeptHistory {
    id: ExperimentId,
    /// For a suite, the part of the document that its benchmarks share.
    frame: Document,
    /// For each benchmark, its variants in the whole document, and the number of the first.
    parts: Vec<(BenchmarkHistory, u32)>,
}

impl KeptHistory {
    /// The history that is kept with this experiment, whose document is `frame`.
    pub(super) fn read(store: &Store, id: ExperimentId, frame: &str) -> Result<Self, Failure> {
        let found = store.history_parts(id)?;
        let cannot = |error: ReadError| unreadable("history", id, &error);
        let mut frame: Document =
            serde_json::from_str(frame).map_err(|error| cannot(error.into()))?;
        let count = frame.histories().len();
        if found != count {
            let (part, what) = ("history_part", "benchmarks");
            return Err(cannot(ReadError::Length { part, what, found, count }));
        }
        let firsts = frame.first_variants();
        let parts = frame.take_histories().into_iter().zip(firsts).collect();
        Ok(Self { id, frame, parts })
    }

    fn json(&self, store: &Store, place: usize) -> Result<String, Failure> {
        let missing = || {
            Failure::new(format!("cannot read the stored history of experiment {}", self.id))
                .because(format!("the part of its benchmark {place} is not there"))
        };
        store.history_part(self.id, place)?.ok_or_else(missing)
    }

    /// The whole document.
    pub(super) fn whole(mut self, store: &Store) -> Result<Document, Failure> {
        let parts = (0..self.parts.len()).map(|place| self.json(store, place));
        let parts = parts.collect::<Result<Vec<String>, Failure>>()?;
        let parts = parallel::map(&parts, |json| part(self.id, json));
        let parts = parts.into_iter().collect::<Result<Vec<BenchmarkFigures>, Failure>>()?;
        if let Some(found) = self.frame.history_mut() {
            found.histories = self.parts.into_iter().map(|(history, _)| history).collect();
        }
        checked(self.id, benchmarks::together(self.frame, parts))
    }

    /// The history of the command, or of the benchmark at this place.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn own(&self, store: &Store, place: usize) -> Result<Document, Failure> {
        if let Some((history, first)) = self.parts.get(place) {
            let figures = part(self.id, &self.json(store, place)?)?;
            return checked(self.id, benchmarks::own(&self.frame, (history, *first), figures));
        }
        checked(self.id, self.frame.clone())
    }

    /// The name of the command, or of each benchmark.
    pub fn names(&self) -> Vec<String> {
        match self.parts.is_empty() {
            true => self
                .frame
                .history()
                .map(|found| site::name_of_command(&found.subject))
                .into_iter()
                .collect(),
            false => self.parts.iter().map(|(history, _)| history.benchmark.clone()).collect(),
        }
    }
}

fn part(id: ExperimentId, json: &str) -> Result<BenchmarkFigures, Failure> {
    serde_json::from_str(json).map_err(|error| unreadable("history", id, &error.into()))
}

fn checked(id: ExperimentId, document: Document) -> Result<Document, Failure> {
    document.verify().map_err(|error| unreadable("history", id, &error))?;
    Ok(document)
}

/// The newest history of each command and suite of a project, sorted by name.
///
/// # Errors
///
/// When one cannot be read.
pub fn newest_histories(store: &Store, project: &str) -> Result<Vec<KeptHistory>, Failure> {
    let mut newest: BTreeMap<(String, String), KeptHistory> = BTreeMap::new();
    for id in store.newest_histories(project)? {
        let Some(frame) = stored(store, id)?.history else { continue };
        let kept = KeptHistory::read(store, id, &frame)?;
        let Some(history) = kept.frame.history() else { continue };
        let history = &history.subject;
        let key = (history.repository.clone(), history.command.clone());
        newest.entry(key).or_insert(kept);
    }
    Ok(newest.into_values().collect())
}
