//! Whole experiments, event by event, from another store or for one.
//!
//! Experiments that are complete here are not changed by an import. If one is incomplete here (an
//! import was cut off, or it was continued since), the missing events are added, and it is judged
//! anew.
//!
//! Experiments refer to others by number: a history to its experiments, and a command to the stored
//! one that it was compared with. In a record, the numbers are replaced by places.

use super::{
    KeptHistory, document, finish_at, inspection, keep_history, keep_inspection, listed, read,
    replay, stored,
};
use findings::{Document, Finding};
use model::commission::Commission;
use model::design::stopping::StoppingRule;
use model::failure::{Failing, Failure, FailureKind};
use model::host::Circumstances;
use model::spec::MOST_ROUNDS;
use std::collections::{HashMap, HashSet};
use std::io;
use std::io::{BufRead, Write};
use store::record::stream::{Reader, StreamError, Writer};
use store::record::{Addition, Event, Identity, Inspected, Stop};
use store::{ExperimentId, ExperimentState, Filter, Journal, Store, StoredExperiment};

/// An experiment from another store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Its number here.
    pub id: ExperimentId,
    /// Its identity.
    pub identity: Identity,
    /// Its state here before the import.
    pub before: Before,
}

/// The state of an experiment here before the import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// It was missing.
    Nothing,
    /// It was incomplete, and the rest was added.
    Part,
    /// It was complete.
    All,
}

/// Stores the experiments of a record, each with its report, which is judged anew.
///
/// # Errors
///
/// When the record cannot be read or contradicts itself, or the store cannot be written. Earlier
/// experiments are stored then.
pub fn import_record(store: &mut Store, input: impl BufRead) -> Result<Vec<Received>, Failure> {
    let mut reader = Reader::new(input).map_err(|error| unreadable(&error))?;
    let mut receiving = Receiving::new(store);
    while let Some(event) = reader.event().map_err(|error| unreadable(&error))? {
        let taken = receiving.take(event);
        taken.map_err(|failure| failure.within(&format!("cannot take line {}", reader.line())))?;
    }
    receiving.end()
}

fn unreadable(error: &StreamError) -> Failure {
    Failure::new("cannot read the record").caused_by(error)
}

/// The same for events, all of which are checked before anything is stored.
///
/// # Errors
///
/// As for [`import_record`].
pub fn import_events(
    store: &mut Store,
    events: Vec<Event<'static>>,
) -> Result<Vec<Received>, Failure> {
    let mut variants = None;
    for event in &events {
        match event {
            Event::Begun { commission, .. } => variants = Some(commission.variants.len()),
            Event::Inspected(_) | Event::Named(_) | Event::History { .. } => variants = None,
            event => {
                let variants = variants.and_then(|count| u32::try_from(count).ok());
                check(event, variants.ok_or_else(of_no_experiment)?)?;
            }
        }
    }
    let mut receiving = Receiving::new(store);
    events.into_iter().try_for_each(|event| receiving.take(event))?;
    receiving.end()
}

fn of_no_experiment() -> Failure {
    Failure::new("it does not belong to an experiment")
}

/// The outcome of importing another store.
#[derive(Debug, Default)]
pub struct Merged {
    /// The experiments that are here now.
    pub received: Vec<Received>,
    /// The reasons that other experiments are not here.
    pub left_out: Vec<String>,
}

/// Stores all experiments of another store, except running and damaged ones.
///
/// # Errors
///
/// When a store cannot be read or written. Earlier experiments are stored then.
pub fn import_store(store: &mut Store, from: &Store) -> Result<Merged, Failure> {
    let (ids, left_out) = all(from)?;
    let mut receiving = Receiving::new(store);
    let mut each = |event: Event<'static>| receiving.take(event);
    let mut sending =
        Sending { store: from, others: Others::Along, each: &mut each, sent: Vec::new() };
    for id in ids {
        let cannot = || format!("cannot take experiment {id} of `{}`", from.place());
        sending.send(id).map_err(|failure| failure.within(&cannot()))?;
    }
    Ok(Merged { received: receiving.end()?, left_out })
}

/// All experiments of a store, oldest first, and the reasons that some cannot be exported.
pub fn all(store: &Store) -> Result<(Vec<ExperimentId>, Vec<String>), Failure> {
    let (mut ids, mut left_out) = (Vec::new(), Vec::new());
    for listed in store.list_each(&Filter::newest(usize::MAX))?.into_iter().rev() {
        match listed {
            Ok(listed) if listed.state == ExperimentState::Running => {
                left_out.push(format!("experiment {} is still running", listed.id));
            }
            Ok(listed) => ids.push(listed.id),
            Err(damaged) => left_out.push(format!("experiment {}: {}", damaged.id, damaged.why)),
        }
    }
    Ok((ids, left_out))
}

struct Receiving<'a> {
    store: &'a mut Store,
    /// The numbers here of the experiments, indexed by their places in the record.
    places: Vec<ExperimentId>,
    received: Vec<Received>,
    current: Option<Current>,
}

struct Current {
    id: ExperimentId,
    variants: u32,
    rule: StoppingRule,
    /// `None` until an event has to be added to an existing experiment.
    journal: Option<Journal>,
    there: Option<There>,
    ended: Option<Stop>,
    addition: Option<Addition>,
}

/// The events of an experiment that are here and were not received again yet, except its runs.
#[derive(Default)]
struct There {
    has_report: bool,
    setups: HashMap<u32, usize>,
    curves: HashSet<(u32, u32)>,
    measurements: HashSet<(u32, u32)>,
    looks: usize,
    pauses: usize,
    printed: usize,
    noted: usize,
}

impl There {
    fn read(store: &Store, id: ExperimentId) -> Result<Self, Failure> {
        let mut setups = HashMap::new();
        for setup in store.setups(id)? {
            *setups.entry(setup.variant).or_default() += 1;
        }
        let measurements = store.measurements(id)?;
        Ok(Self {
            has_report: stored(store, id)?.summary.is_some(),
            setups,
            curves: store.curves(id)?.iter().map(|one| (one.variant, one.round)).collect(),
            measurements: measurements.iter().map(|one| (one.variant, one.round)).collect(),
            looks: store.looks(id)?.len(),
            pauses: store.pauses(id)?.len(),
            printed: store.printed(id)?.len(),
            noted: store.noted(id)?.len(),
        })
    }

    /// True if this event is here. Of each kind, the events here are the first ones of the whole.
    fn has(&mut self, event: &Event<'_>) -> bool {
        let left = match event {
            Event::Setup(run) => self.setups.entry(run.variant).or_default(),
            Event::Look(_) => &mut self.looks,
            Event::Pause(_) => &mut self.pauses,
            Event::Printed(_) => &mut self.printed,
            Event::Noted { .. } => &mut self.noted,
            Event::Curves { variant, round, .. } => {
                return self.curves.contains(&(*variant, *round));
            }
            Event::Measurements { variant, round, .. } => {
                return self.measurements.contains(&(*variant, *round));
            }
            _ => return false,
        };
        let has = *left > 0;
        *left = left.saturating_sub(1);
        has
    }
}

impl<'a> Receiving<'a> {
    fn new(store: &'a mut Store) -> Self {
        Self { store, places: Vec::new(), received: Vec::new(), current: None }
    }

    fn end(mut self) -> Result<Vec<Received>, Failure> {
        self.end_current()?;
        Ok(self.received)
    }

    fn take(&mut self, event: Event<'static>) -> Result<(), Failure> {
        match event {
            Event::Begun { ref commission, ref circumstances } => {
                let identity = event.identity().expect("it begins here");
                self.begin(identity, (**commission).clone(), circumstances)
            }
            Event::Inspected(ref inspected) => {
                let identity = event.identity().expect("it begins here");
                self.inspected(identity, inspected)
            }
            Event::Named(identity) => self.named(&identity),
            Event::History { document } => self.history(*document),
            event => {
                let current = self.current.as_mut().ok_or_else(of_no_experiment)?;
                check(&event, current.variants)?;
                match event {
                    Event::Ended(stop) => current.ended = Some(stop),
                    Event::Added(addition) => current.addition = Some(*addition),
                    event => current.append(self.store, event)?,
                }
                Ok(())
            }
        }
    }

    fn begin(
        &mut self,
        identity: Identity,
        mut commission: Commission,
        circumstances: &Circumstances,
    ) -> Result<(), Failure> {
        self.end_current()?;
        experiments_named(&mut commission).try_for_each(|other| self.renumber(other))?;
        let variants = u32::try_from(commission.variants.len());
        let variants = variants.map_err(|_| Failure::new("it has too many variants"))?;
        let (id, journal, there) = match self.store.known(&identity)? {
            Some(id) => (id, None, Some(There::read(self.store, id)?)),
            None => {
                let (id, journal) = self.store.begin(&commission, circumstances)?;
                (id, Some(journal), None)
            }
        };
        let rule = commission.rule;
        let (ended, addition) = (None, None);
        self.add(id, identity, if there.is_some() { Before::All } else { Before::Nothing });
        self.current = Some(Current { id, variants, rule, journal, there, ended, addition });
        Ok(())
    }

    fn add(&mut self, id: ExperimentId, identity: Identity, before: Before) {
        self.places.push(id);
        self.received.push(Received { id, identity, before });
    }

    /// Judges the last experiment, if any event of it is new; a killed one stays interrupted.
    fn end_current(&mut self) -> Result<(), Failure> {
        let Some(mut current) = self.current.take() else { return Ok(()) };
        let is_unjudged = current.there.as_ref().is_some_and(|there| !there.has_report);
        if is_unjudged && current.ended.is_some() {
            current.take_up(self.store)?;
        }
        let Current { id, journal: Some(journal), there, ended, addition, .. } = current else {
            return Ok(());
        };
        if there.is_some() {
            self.received.last_mut().expect("it is the last").before = Before::Part;
        }
        let Some(stop) = ended else {
            drop(journal);
            self.store.recover()?;
            return Ok(());
        };
        self.store.keep_end(id, stop)?;
        let experiment = stored(self.store, id)?;
        let conducted = replay(self.store, id, &experiment)?;
        let mut document = document(self.store, id, conducted)?;
        addition.into_iter().for_each(|addition| addition.put_in(&mut document));
        finish_at(self.store, id, &document, stop.unix_ns)
    }

    fn inspected(&mut self, identity: Identity, inspected: &Inspected) -> Result<(), Failure> {
        self.end_current()?;
        let (id, before) = match self.store.known(&identity)? {
            Some(id) => (id, Before::All),
            None => (keep_inspection(self.store, inspected)?, Before::Nothing),
        };
        self.add(id, identity, before);
        Ok(())
    }

    fn named(&mut self, identity: &Identity) -> Result<(), Failure> {
        self.end_current()?;
        let missing = || {
            let Identity { kind, title, .. } = identity;
            Failure::new(format!("it names the {kind} `{title}`, which is not here"))
        };
        self.places.push(self.store.known(identity)?.ok_or_else(missing)?);
        Ok(())
    }

    fn history(&mut self, mut document: Document) -> Result<(), Failure> {
        self.end_current()?;
        experiments_of(&mut document).try_for_each(|other| self.renumber(other))?;
        document.verify().failing("the history contradicts itself")?;
        let newest = document.history().and_then(|history| history.subject.experiments.last());
        let none = || Failure::new("it is a history of no experiment");
        let newest = ExperimentId(*newest.ok_or_else(none)?);
        let was_there = |one: &Received| one.id == newest && one.before == Before::All;
        if self.received.iter().any(was_there) && stored(self.store, newest)?.history.is_some() {
            return Ok(());
        }
        keep_history(self.store, newest, &document)
    }

    /// Replaces a place in the record by the number in the store.
    fn renumber(&self, number: &mut i64) -> Result<(), Failure> {
        let place = usize::try_from(*number).ok().and_then(|place| self.places.get(place));
        let missing =
            || Failure::new(format!("it names the experiment {number}, which is not there"));
        *number = place.ok_or_else(missing)?.0;
        Ok(())
    }
}

impl Current {
    fn append(&mut self, store: &mut Store, event: Event<'static>) -> Result<(), Failure> {
        let event = match (&mut self.there, event) {
            (None, event) => event,
            (Some(_), Event::Runs { runs }) => {
                let lacking = store.lacking(self.id, &runs)?;
                let lacking = lacking.ok_or_else(|| {
                    Failure::new(format!("experiment {} went on here and elsewhere", self.id))
                        .because("both measured the same rounds, each in its own way")
                        .hint(Some("import it into another store with `--store`"))
                })?;
                match lacking.is_empty() {
                    true => return Ok(()),
                    false => Event::Runs { runs: lacking.into() },
                }
            }
            (Some(there), event) => match there.has(&event) {
                true => return Ok(()),
                false => event,
            },
        };
        self.take_up(store)?;
        Ok(store.append(self.id, &event)?)
    }

    /// Makes sure that no other process adds to the experiment.
    fn take_up(&mut self, store: &mut Store) -> Result<(), Failure> {
        if self.journal.is_some() {
            return Ok(());
        }
        self.journal = store.resume(self.id, &self.rule)?;
        if self.journal.is_some() {
            return Ok(());
        }
        let lacking = Failure::new(format!("experiment {} lacks some of the record", self.id));
        let state = store.experiment(self.id)?.map(|there| there.state);
        match state == Some(ExperimentState::Running) {
            true => Err(lacking
                .because("another brisk is adding to it right now")
                .hint(Some("try again when that one is done"))
                .of_kind(FailureKind::Passing)),
            false => Err(lacking.because("it failed here, so nothing can be added to it")),
        }
    }
}

fn check(event: &Event<'_>, variants: u32) -> Result<(), Failure> {
    let is_sound = match event {
        Event::Runs { runs } => runs.iter().map(|run| run.place).all(|place| {
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

/// The handling of experiments that another one refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Others {
    /// They are sent, too, before the one that refers to them.
    Along,
    /// Only their identities are sent; they travel separately.
    Named,
}

/// Writes the records of experiments, each once, and after those that it refers to.
pub fn export_record(store: &Store, ids: &[ExperimentId], out: impl Write) -> Result<(), Failure> {
    let unwritable = |error: io::Error| Failure::new("cannot write the record").caused_by(&error);
    let mut writer = Writer::new(out).map_err(unwritable)?;
    let mut each = |event: Event<'static>| writer.event(&event).map_err(unwritable);
    let mut sending = Sending { store, others: Others::Along, each: &mut each, sent: Vec::new() };
    ids.iter().try_for_each(|id| sending.send(*id))
}

/// The events of one experiment, which refers to others by their identities.
pub fn events(store: &Store, id: ExperimentId) -> Result<Vec<Event<'static>>, Failure> {
    let mut events = Vec::new();
    let mut each = |event: Event<'static>| {
        events.push(event);
        Ok(())
    };
    Sending { store, others: Others::Named, each: &mut each, sent: Vec::new() }.send(id)?;
    Ok(events)
}

struct Sending<'a> {
    store: &'a Store,
    others: Others,
    each: &'a mut dyn FnMut(Event<'static>) -> Result<(), Failure>,
    /// The experiments that were sent, indexed by their places.
    sent: Vec<ExperimentId>,
}

impl Sending<'_> {
    /// Sends all events of an experiment, unless it was sent already.
    fn send(&mut self, id: ExperimentId) -> Result<(), Failure> {
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
        let whole = |frame: &str| KeptHistory::read(self.store, id, frame)?.whole(self.store);
        let mut history = experiment.history.as_deref().map(whole).transpose()?;
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
        let place = (0..).zip(&self.sent).find(|(_, sent)| sent.0 == *number);
        let missing = || Failure::new(format!("there is no experiment {number}"));
        *number = place.ok_or_else(missing)?.0;
        Ok(())
    }
}

/// The numbers by which a history refers to experiments.
fn experiments_of(document: &mut Document) -> impl Iterator<Item = &mut i64> {
    let own = &mut document.experiment.id;
    let subject = match &mut document.finding {
        Finding::History(found) => Some(&mut found.subject),
        _ => None,
    };
    subject.into_iter().flat_map(|subject| &mut subject.experiments).chain(own)
}

/// The numbers by which a commission refers to experiments.
fn experiments_named(commission: &mut Commission) -> impl Iterator<Item = &mut i64> {
    let earlier = commission.contrasts.earlier.iter_mut();
    let all = earlier.flat_map(|one| std::iter::once(&mut one.with).chain(&mut one.further));
    all.map(|one| &mut one.experiment)
}
