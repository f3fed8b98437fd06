//! Whole experiments as events, for another store.
//!
//! Experiments name others by number: those that a history was made of, and the stored one that a
//! command was compared with. Where they travel they are named by their places instead.

use std::io::{self, Write};

use super::{KeptHistory, inspection, listed, read, stored};
use crate::record::stream::Writer;
use crate::record::{Addition, Event};
use crate::report::document::Document;
use crate::store::{ExperimentId, ExperimentState, Store, StoredExperiment};
use model::commission::Commission;
use model::failure::Failure;

/// What becomes of the experiments that one names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    /// They travel along, before the one that names them.
    Along,
    /// They are told by what tells them from all others, and travel by themselves.
    Named,
}

/// Writes the records of experiments, each after those that it names, and each once.
///
/// # Errors
///
/// When the store cannot be read, or the record cannot be written.
pub fn export_record(store: &Store, ids: &[ExperimentId], out: impl Write) -> Result<(), Failure> {
    let unwritable = |error: io::Error| Failure::new("cannot write the record").caused_by(&error);
    let mut writer = Writer::new(out).map_err(unwritable)?;
    let mut each = |event: Event<'static>| writer.event(&event).map_err(unwritable);
    let mut sending = Sending::new(store, Others::Along, &mut each);
    ids.iter().try_for_each(|id| sending.send(*id))
}

/// The events of one experiment, which names others by what tells them from all.
///
/// # Errors
///
/// When the store cannot be read.
pub fn events(store: &Store, id: ExperimentId) -> Result<Vec<Event<'static>>, Failure> {
    let mut events = Vec::new();
    let mut each = |event: Event<'static>| {
        events.push(event);
        Ok(())
    };
    Sending::new(store, Others::Named, &mut each).send(id)?;
    Ok(events)
}

/// Tells experiments event by event.
pub(super) struct Sending<'a> {
    store: &'a Store,
    others: Others,
    each: &'a mut dyn FnMut(Event<'static>) -> Result<(), Failure>,
    /// Each at its place.
    sent: Vec<ExperimentId>,
}

impl<'a> Sending<'a> {
    pub(super) fn new(
        store: &'a Store,
        others: Others,
        each: &'a mut dyn FnMut(Event<'static>) -> Result<(), Failure>,
    ) -> Self {
        Self { store, others, each, sent: Vec::new() }
    }

    /// Tells all of an experiment, unless it was told already.
    pub(super) fn send(&mut self, id: ExperimentId) -> Result<(), Failure> {
        if self.sent.contains(&id) {
            return Ok(());
        }
        if listed(self.store, id)?.kind.is_inspection() {
            let inspected = self.store.inspected(id, inspection(self.store, id)?)?;
            self.sent.push(id);
            return (self.each)(Event::Inspected(Box::new(inspected)));
        }
        let mut experiment = stored(self.store, id)?;
        if experiment.state == ExperimentState::Running {
            return Err(Failure::new(format!("experiment {id} is still running")));
        }
        let history = experiment.history.as_deref();
        let history =
            history.map(|frame| KeptHistory::read(self.store, id, frame)?.whole(self.store));
        let mut history = history.transpose()?;
        let others = history.iter_mut().flat_map(experiments_of).filter(|other| **other != id.0);
        let others = others.chain(experiments_named(&mut experiment.commission));
        for other in others.map(|other| *other).collect::<Vec<i64>>() {
            match self.others {
                Others::Along => self.send(ExperimentId(other))?,
                Others::Named => self.name(ExperimentId(other))?,
            }
        }
        self.experiment(experiment)?;
        let Some(mut document) = history else { return Ok(()) };
        experiments_of(&mut document).try_for_each(|other| self.renumber(other))?;
        (self.each)(Event::History { document: Box::new(document) })
    }

    fn name(&mut self, id: ExperimentId) -> Result<(), Failure> {
        if self.sent.contains(&id) {
            return Ok(());
        }
        self.sent.push(id);
        (self.each)(Event::Named(listed(self.store, id)?.identity()))
    }

    fn experiment(&mut self, experiment: StoredExperiment) -> Result<(), Failure> {
        let StoredExperiment { id, mut commission, circumstances, summary, .. } = experiment;
        let summary = summary.as_deref().map(|json| read("report", id, json)).transpose()?;
        experiments_named(&mut commission).try_for_each(|other| self.renumber(other))?;
        let circumstances = Box::new(circumstances);
        (self.each)(Event::Begun { commission: Box::new(commission), circumstances })?;
        self.sent.push(id);
        self.store.for_each_event(id, self.each)?;
        match summary.as_ref().and_then(Addition::of) {
            Some(addition) => (self.each)(Event::Added(Box::new(addition))),
            None => Ok(()),
        }
    }

    /// Says the place instead of the number in the store.
    fn renumber(&self, number: &mut i64) -> Result<(), Failure> {
        let place = self.sent.iter().position(|sent| sent.0 == *number);
        let place = place.and_then(|place| i64::try_from(place).ok());
        let missing = || Failure::new(format!("there is no experiment {number}"));
        *number = place.ok_or_else(missing)?;
        Ok(())
    }
}

/// The numbers by which a history names experiments.
pub(super) fn experiments_of(document: &mut Document) -> impl Iterator<Item = &mut i64> {
    let own = &mut document.experiment.id;
    document.history.iter_mut().flat_map(|history| &mut history.experiments).chain(own)
}

/// The numbers by which a commission names experiments.
pub(super) fn experiments_named(commission: &mut Commission) -> impl Iterator<Item = &mut i64> {
    let earlier = commission.contrasts.earlier.iter_mut();
    let all = earlier.flat_map(|one| std::iter::once(&mut one.with).chain(&mut one.further));
    all.map(|one| &mut one.experiment)
}
