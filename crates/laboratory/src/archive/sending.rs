//! Whole experiments as events, for another store.
//!
//! Experiments refer to others by number: a history to its experiments, and a command to the stored
//! one that it was compared with. In a record, the numbers are replaced by places.

use std::io::{self, Write};

use super::{KeptHistory, inspection, listed, read, stored};
use findings::{Document, Finding};
use model::commission::Commission;
use model::failure::Failure;
use store::record::stream::Writer;
use store::record::{Addition, Event};
use store::{ExperimentId, ExperimentState, Store, StoredExperiment};

/// The handling of experiments that another one refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    /// They are sent, too, before the one that refers to them.
    Along,
    /// Only their identities are sent; they travel separately.
    Named,
}

/// Writes the records of experiments, each once, and after those that it refers to.
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

/// The events of one experiment, which refers to others by their identities.
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

/// Sends experiments event by event.
pub(super) struct Sending<'a> {
    store: &'a Store,
    others: Others,
    each: &'a mut dyn FnMut(Event<'static>) -> Result<(), Failure>,
    /// The experiments that were sent, indexed by their places.
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

    /// Sends all events of an experiment, unless it was sent already.
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
        match summary.as_ref().and_then(Addition::from_document) {
            Some(addition) => (self.each)(Event::Added(Box::new(addition))),
            None => Ok(()),
        }
    }

    /// Replaces a number in the store by the place in the record.
    fn renumber(&self, number: &mut i64) -> Result<(), Failure> {
        let place = self.sent.iter().position(|sent| sent.0 == *number);
        let place = place.and_then(|place| i64::try_from(place).ok());
        let missing = || Failure::new(format!("there is no experiment {number}"));
        *number = place.ok_or_else(missing)?;
        Ok(())
    }
}

/// The numbers by which a history refers to experiments.
pub(super) fn experiments_of(document: &mut Document) -> impl Iterator<Item = &mut i64> {
    let own = &mut document.experiment.id;
    let subject = match &mut document.finding {
        Finding::History(found) => Some(&mut found.subject),
        _ => None,
    };
    subject.into_iter().flat_map(|subject| &mut subject.experiments).chain(own)
}

/// The numbers by which a commission refers to experiments.
pub(super) fn experiments_named(commission: &mut Commission) -> impl Iterator<Item = &mut i64> {
    let earlier = commission.contrasts.earlier.iter_mut();
    let all = earlier.flat_map(|one| std::iter::once(&mut one.with).chain(&mut one.further));
    all.map(|one| &mut one.experiment)
}
