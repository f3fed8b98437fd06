//! Whole experiments from one store to another.
//!
//! Experiments name others by number: those that a history was made of, and the stored one that a
//! command was compared with. These travel along, before the one that names them.

use std::io::{self, BufRead, Write};

use super::{
    KeptHistory, document, finish_at, inspection, keep_history, listed, read, replay, stored,
};
use crate::commission::{Commission, Kind};
use crate::failure::Failure;
use crate::record::stream::{Reader, StreamError, Writer};
use crate::record::{Addition, Circumstances, Event, Inspected};
use crate::report::document::Document;
use crate::spec::MOST_ROUNDS;
use crate::store::{ExperimentId, ExperimentState, Journal, Store, StoredExperiment};

/// Writes the record of an experiment, after those of the experiments that it names.
///
/// # Errors
///
/// When the store cannot be read, or the record cannot be written.
pub fn export_record(store: &Store, id: ExperimentId, out: impl Write) -> Result<(), Failure> {
    let writer = Writer::new(out).map_err(|error| unwritable(&error))?;
    Sending { store, writer, sent: Vec::new() }.send(id)
}

fn unwritable(error: &io::Error) -> Failure {
    Failure::new("cannot write the record").caused_by(error)
}

struct Sending<'a, W> {
    store: &'a Store,
    writer: Writer<W>,
    /// Each at its place in the file.
    sent: Vec<ExperimentId>,
}

impl<W: Write> Sending<'_, W> {
    fn send(&mut self, id: ExperimentId) -> Result<(), Failure> {
        if self.sent.contains(&id) {
            return Ok(());
        }
        if listed(self.store, id)?.kind.is_inspection() {
            let inspected = self.store.inspected(id, inspection(self.store, id)?)?;
            self.sent.push(id);
            return self.event(&Event::Inspected(Box::new(inspected)));
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
            self.send(ExperimentId(other))?;
        }
        self.experiment(experiment)?;
        let Some(mut document) = history else { return Ok(()) };
        experiments_of(&mut document).try_for_each(|other| self.renumber(other))?;
        self.event(&Event::History { document: Box::new(document) })
    }

    fn event(&mut self, event: &Event<'_>) -> Result<(), Failure> {
        self.writer.event(event).map_err(|error| unwritable(&error))
    }

    fn experiment(&mut self, experiment: StoredExperiment) -> Result<(), Failure> {
        let StoredExperiment { id, mut commission, circumstances, summary, .. } = experiment;
        let summary = summary.as_deref().map(|json| read("report", id, json)).transpose()?;
        experiments_named(&mut commission).try_for_each(|other| self.renumber(other))?;
        let circumstances = Box::new(circumstances);
        self.event(&Event::Begun { commission: Box::new(commission), circumstances })?;
        self.sent.push(id);
        self.store.for_each_event(id, &mut |event| {
            self.writer.event(&event).map_err(|error| unwritable(&error))
        })?;
        match summary.as_ref().and_then(Addition::of) {
            Some(addition) => self.event(&Event::Added(Box::new(addition))),
            None => Ok(()),
        }
    }

    /// Says the place in the file instead of the number in the store.
    fn renumber(&self, number: &mut i64) -> Result<(), Failure> {
        let place = self.sent.iter().position(|sent| sent.0 == *number);
        let place = place.and_then(|place| i64::try_from(place).ok());
        let missing = || Failure::new(format!("there is no experiment {number}"));
        *number = place.ok_or_else(missing)?;
        Ok(())
    }
}

/// The numbers by which a history names experiments.
fn experiments_of(document: &mut Document) -> impl Iterator<Item = &mut i64> {
    let own = &mut document.experiment.id;
    document.history.iter_mut().flat_map(|history| &mut history.experiments).chain(own)
}

/// The numbers by which a commission names experiments.
fn experiments_named(commission: &mut Commission) -> impl Iterator<Item = &mut i64> {
    let earlier = commission.contrasts.earlier.iter_mut();
    let all = earlier.flat_map(|one| std::iter::once(&mut one.with).chain(&mut one.further));
    all.map(|one| &mut one.experiment)
}

/// An experiment that a record had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Its number here.
    pub id: ExperimentId,
    /// What asked for it.
    pub kind: Kind,
    /// What lists call it.
    pub title: String,
    /// Whether it was here already.
    pub was_there: bool,
}

/// Stores the experiments of a record, each with its report, which is judged anew. What is in the
/// store already stays as it is.
///
/// # Errors
///
/// When the record cannot be read or contradicts itself, or the store cannot be written. What came
/// before is stored then.
pub fn import_record(store: &mut Store, input: impl BufRead) -> Result<Vec<Received>, Failure> {
    let mut reader = Reader::new(input).map_err(|error| unreadable(&error))?;
    let mut receiving = Receiving { store, received: Vec::new(), current: None, passed_runs: 0 };
    while let Some(event) = reader.event().map_err(|error| unreadable(&error))? {
        let taken = receiving.take(event);
        taken.map_err(|failure| failure.within(&format!("cannot take line {}", reader.line())))?;
    }
    receiving.end_current()?;
    Ok(receiving.received)
}

fn unreadable(error: &StreamError) -> Failure {
    Failure::new("cannot read the record").caused_by(error)
}

struct Receiving<'a> {
    store: &'a mut Store,
    /// Each at its place in the file.
    received: Vec<Received>,
    /// The experiment that is being received; none where it was there already.
    current: Option<Current>,
    /// How many runs the record has of an experiment that was there already.
    passed_runs: u64,
}

struct Current {
    id: ExperimentId,
    _journal: Journal,
    variants: u32,
    has_ended: bool,
    addition: Option<Addition>,
}

impl Receiving<'_> {
    fn take(&mut self, event: Event<'static>) -> Result<(), Failure> {
        match event {
            Event::Begun { commission, circumstances } => self.begin(*commission, &circumstances),
            Event::Inspected(inspected) => self.inspected(&inspected),
            Event::History { document } => self.history(*document),
            event => {
                let Some(current) = &mut self.current else {
                    return self.pass(&event);
                };
                check(&event, current.variants)?;
                match event {
                    Event::Ended(stop) => {
                        current.has_ended = true;
                        Ok(self.store.keep_end(current.id, stop)?)
                    }
                    Event::Added(addition) => {
                        current.addition = Some(*addition);
                        Ok(())
                    }
                    event => Ok(self.store.append(current.id, &event)?),
                }
            }
        }
    }

    /// Leaves what is there already as it is.
    fn pass(&mut self, event: &Event<'_>) -> Result<(), Failure> {
        match self.received.last() {
            Some(last) if last.was_there => {}
            _ => return Err(Failure::new("it is of no experiment")),
        }
        if let Event::Runs { runs } = event {
            self.passed_runs += runs.len() as u64;
        }
        Ok(())
    }

    /// An experiment that was there already may be what an earlier import left unfinished.
    fn check_passed(&mut self) -> Result<(), Failure> {
        let passed = std::mem::take(&mut self.passed_runs);
        let Some(last) = self.received.last().filter(|_| passed > 0) else { return Ok(()) };
        let there = stored(self.store, last.id)?.runs;
        if there >= passed {
            return Ok(());
        }
        Err(Failure::new(format!(
            "experiment {} has {there} of the {passed} runs in the record",
            last.id
        ))
        .because("an earlier import was cut off")
        .hint(Some("import the record into another store with `--store`")))
    }

    fn begin(
        &mut self,
        mut commission: Commission,
        circumstances: &Circumstances,
    ) -> Result<(), Failure> {
        self.end_current()?;
        experiments_named(&mut commission).try_for_each(|other| self.renumber(other))?;
        let (kind, title) = (commission.kind, commission.title.clone());
        let known = self.store.begun_at(circumstances.started_unix_ns, kind, &title)?;
        let was_there = known.is_some();
        let id = match known {
            Some(id) => id,
            None => {
                let variants = u32::try_from(commission.variants.len());
                let variants = variants.map_err(|_| Failure::new("it has too many variants"))?;
                let (id, journal) = self.store.begin(&commission, circumstances)?;
                let current =
                    Current { id, _journal: journal, variants, has_ended: false, addition: None };
                self.current = Some(current);
                id
            }
        };
        self.received.push(Received { id, kind, title, was_there });
        Ok(())
    }

    /// Judges the experiment that was received last; one that was killed stays interrupted.
    fn end_current(&mut self) -> Result<(), Failure> {
        let Some(Current { id, has_ended, addition, _journal: journal, .. }) = self.current.take()
        else {
            return self.check_passed();
        };
        let experiment = stored(self.store, id)?;
        let Some(stop) = experiment.ended.filter(|_| has_ended) else {
            drop(journal);
            self.store.recover()?;
            return Ok(());
        };
        let conducted = replay(self.store, id, &experiment)?;
        let mut document = document(self.store, id, conducted)?;
        addition.into_iter().for_each(|addition| addition.put_in(&mut document));
        finish_at(self.store, id, &document, stop.unix_ns)
    }

    fn inspected(&mut self, inspected: &Inspected) -> Result<(), Failure> {
        self.end_current()?;
        let (kind, title) = (inspected.inspection.kind, inspected.title.clone());
        let started = inspected.circumstances.started_unix_ns;
        let known = self.store.begun_at(started, kind, &title)?;
        let was_there = known.is_some();
        let id = match known {
            Some(id) => id,
            None => self.store.keep_inspection(inspected)?,
        };
        self.received.push(Received { id, kind, title, was_there });
        Ok(())
    }

    fn history(&mut self, mut document: Document) -> Result<(), Failure> {
        self.end_current()?;
        experiments_of(&mut document).try_for_each(|other| self.renumber(other))?;
        document
            .check()
            .map_err(|error| Failure::new("the history contradicts itself").caused_by(&error))?;
        let newest = document.history.as_ref().and_then(|history| history.experiments.last());
        match newest {
            Some(&newest) => keep_history(self.store, ExperimentId(newest), &document),
            None => Err(Failure::new("it is a history of no experiment")),
        }
    }

    /// Says the number in the store instead of the place in the file.
    fn renumber(&self, number: &mut i64) -> Result<(), Failure> {
        let received = usize::try_from(*number).ok().and_then(|place| self.received.get(place));
        let missing =
            || Failure::new(format!("it names the experiment {number}, which is not there"));
        *number = received.ok_or_else(missing)?.id.0;
        Ok(())
    }
}

/// Whether what an event is about is there.
fn check(event: &Event<'_>, variants: u32) -> Result<(), Failure> {
    let is_sound = match event {
        Event::Runs { runs } => runs.iter().all(|run| {
            let place = run.place;
            place.variant < variants && place.position < variants && place.round < MOST_ROUNDS
        }),
        Event::Setup(run) => run.variant < variants,
        Event::Printed(printed) => printed.variant < variants,
        Event::Curves { variant, round, .. } | Event::Measurements { variant, round, .. } => {
            *variant < variants && *round < MOST_ROUNDS
        }
        Event::Look(look) => look.rounds <= MOST_ROUNDS,
        Event::Pause(pause) => pause.round <= MOST_ROUNDS,
        _ => true,
    };
    match is_sound {
        true => Ok(()),
        false => Err(Failure::new("it is about a variant or a round that there is not")),
    }
}
