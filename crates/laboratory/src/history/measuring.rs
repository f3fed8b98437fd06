//! Measures the artefacts of a lineage that the store does not know yet.
//!
//! The store's experiments about the question are read first. What is still open becomes an agenda,
//! and that an experiment, as long and as certain as its purpose demands; with `--work`, each artefact
//! gets as much work as it can do in the time that a run may take.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use findings::{Contender, Document, HistorySubject};
use measure::tool::{LogEnd, Tool, logged};
use measure::{Launcher, Outcome};
use model::commission::Kind;
use model::design::contrasts::Contrasts;
use model::design::stopping::{Stage, StoppingRule};
use model::failure::Failure;
use model::host::MachineClass;
use model::metric::{INSTRUCTIONS, MetricId};
use model::spec::Experiment;
use model::spec::artifacts::{self, BuiltArtifact};
use model::spec::labels::ArtifactId;
use model::spec::labels::Work;
use model::spec::place::listed;
use model::spec::reading::Sources;
use model::spec::suite::commits::CommitSuite;
use model::spec::suite::{Arrangement, Renames, Suite};

use serde_json::Value;
use store::{ExperimentId, ExperimentState, Place, Store, StoredExperiment};

use super::agenda::{Agenda, Entry, Processes, agenda, together};
use super::lineage::Lineage;
use super::merge;
use super::range::Question;
use super::strands::{Strand, Suites, strands, unmeasured};
use crate::measured::MeasuredExperiment;
use crate::watcher::Event;
use crate::{archive, question, remote};

/// The experiments about the question, and the means to run more.
pub(super) struct Measuring<'a, 'q> {
    pub(super) question: &'a Question<'q>,
    launcher: &'a mut Launcher,
    place: Place,
    /// The experiments, those of this machine first, each group with the newest first.
    known: Vec<Known>,
    effort: Effort,
    /// The amount of work of each artefact.
    works: HashMap<ArtifactId, Work>,
    /// The benchmarks of the artefacts, if these are suites.
    pub(super) suites: Suites,
}

const MOST_NAMED: usize = 10;

impl<'a, 'q> Measuring<'a, 'q> {
    /// Reads the known experiments from the store.
    pub(super) fn new(
        question: &'a Question<'q>,
        launcher: &'a mut Launcher,
    ) -> Result<Self, Failure> {
        Self::in_store(question.arguments.measuring.store.place()?, question, launcher)
    }

    /// The same with results in another store, which no list shows.
    pub(super) fn aside(&mut self, place: Place) -> Result<Measuring<'_, 'q>, Failure> {
        Measuring::in_store(place, self.question, self.launcher)
    }

    fn in_store(
        place: Place,
        question: &'a Question<'q>,
        launcher: &'a mut Launcher,
    ) -> Result<Self, Failure> {
        let store = archive::open_for_writing(&place)?;
        let mut known = Vec::new();
        let mut works = HashMap::new();
        let subject = question.subject()?;
        let ours = store.of_subject(&subject)?;
        let here = where_it_goes_on(question, &store, ours.first().copied())?;
        let (others, searches) = match question.bisects() {
            None => (elsewhere(&store, &subject)?, searches(&store, &subject)?),
            Some(_) => (Vec::new(), Vec::new()),
        };
        let ids = ours.iter().chain(&others).chain(&searches).copied();
        for id in ids.filter(|_| !question.arguments.remeasure) {
            let Some(mut stored) = store.experiment(id)? else { continue };
            let (is_ours, is_search) = (ours.contains(&id), searches.contains(&id));
            if is_search {
                // A confirmed finding is judged in all metrics of this question.
                stored.commission.metrics.clone_from(&question.metrics);
                stored.summary = None;
            }
            // The newest comes first, and its value stays.
            for variant in stored.commission.variants.iter().filter(|_| is_ours) {
                let labels = &variant.labels;
                if let (Some(digest), Some(work)) = (labels.artifact_id(), labels.work()) {
                    works.entry(digest.clone()).or_insert(work);
                }
            }
            let one = Known::read(&store, id, &stored, question.suite.as_ref(), &here);
            let Some(one) = one.filter(|one| !is_search || !one.document.answers.is_empty()) else {
                continue;
            };
            // A search is only continued by a search.
            let is_interrupted = one.is_interrupted && !is_search;
            let is_open = one.is_open && !is_search;
            known.push(Known { is_ours, is_interrupted, is_open, ..one });
        }
        // Times and numbers of different machines do not tell which came first.
        known.sort_by_key(|one| !one.is_here);
        let (effort, suites) = (Effort::History, Suites::default());
        Ok(Self { question, launcher, place, known, works, effort, suites })
    }

    /// Measures the rest of the lineage, in an interrupted experiment if that is exactly it.
    pub(super) fn measure(&mut self, lineage: &Lineage) -> Result<(), Failure> {
        let question = self.question;
        if let Some(suite) = &question.suite {
            self.suites.ask(question, suite, lineage)?;
            self.suites.check(suite, lineage, &self.strands(lineage, &[]))?;
        }
        if self.goes_on(lineage)? && question.suite.is_none() {
            return Ok(());
        }
        self.go_further(lineage)?;
        loop {
            let documents = self.documents();
            let failed = unmeasured(&documents).len();
            let strands = self.strands(lineage, &documents);
            match agenda(&strands, &documents, self.processes()) {
                Some(agenda) => self.run(lineage, &strands, &agenda, None)?,
                None => return Ok(()),
            }
            // Commits that cannot be measured are skipped, which creates new neighbours.
            if unmeasured(&self.documents()).len() == failed {
                return Ok(());
            }
        }
    }

    /// Runs the artefacts of the lineage together for their readings, without comparisons.
    pub(super) fn run_together(&mut self, lineage: &Lineage) -> Result<(), Failure> {
        if let Some(suite) = &self.question.suite {
            self.suites.ask(self.question, suite, lineage)?;
        }
        let strands = self.strands(lineage, &[]);
        match together(&strands, self.processes()) {
            Some(agenda) => self.run(lineage, &strands, &agenda, None),
            None => Ok(()),
        }
    }

    /// Continues the newest experiment if it was interrupted. True if it was.
    fn goes_on(&mut self, lineage: &Lineage) -> Result<bool, Failure> {
        if !self.known.first().is_some_and(|known| known.is_interrupted) {
            return Ok(false);
        }
        let Some((strands, agenda)) = self.same_again(lineage, 0) else { return Ok(false) };
        let id = self.known.remove(0).id;
        self.run(lineage, &strands, &agenda, Some(id))?;
        Ok(true)
    }

    /// The agenda without the experiment at this place, if it is that of the experiment.
    fn same_again(&self, lineage: &Lineage, place: usize) -> Option<(Vec<Strand>, Agenda)> {
        let others = self.known.iter().enumerate().filter(|(other, _)| *other != place);
        let others: Vec<&Document> = others.map(|(_, known)| &known.document).collect();
        let strands = self.strands(lineage, &others);
        let agenda = agenda(&strands, &others, self.processes())?;
        (keys(&strands, &agenda) == self.known[place].keys).then_some((strands, agenda))
    }

    /// The experiments with their documents, the oldest first.
    pub(super) fn experiments(&self) -> impl Iterator<Item = (ExperimentId, &Document)> {
        self.known.iter().rev().map(|known| (known.id, &known.document))
    }

    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// Continues inconclusive experiments if this request goes further.
    fn go_further(&mut self, lineage: &Lineage) -> Result<(), Failure> {
        if self.effort != Effort::History || !self.question.arguments.stopping.says_how_long() {
            return Ok(());
        }
        let open: Vec<ExperimentId> =
            self.known.iter().filter(|known| known.is_open).map(|known| known.id).collect();
        for id in open {
            let Some(place) = self.known.iter().position(|known| known.id == id) else { continue };
            let Some((strands, agenda)) = self.same_again(lineage, place) else { continue };
            if self.can_go_on(lineage, id, &agenda)? {
                self.known.remove(place);
                self.run(lineage, &strands, &agenda, Some(id))?;
            }
        }
        Ok(())
    }

    fn can_go_on(
        &self,
        lineage: &Lineage,
        id: ExperimentId,
        agenda: &Agenda,
    ) -> Result<bool, Failure> {
        let store = archive::open_for_reading(&self.place)?;
        let Some(stored) = store.experiment(id)? else { return Ok(false) };
        let asked = self.question.metrics.as_deref();
        // With other metrics there would be another number of rounds to reach.
        let metrics = match self.question.suite {
            Some(_) => Some(self.suites.metrics(asked, lineage)),
            None => asked.map(<[MetricId]>::to_vec),
        };
        let (rule, _) = self.plan(agenda, metrics.as_deref())?;
        crate::question::can_go_on(&store, id, &stored, &rule)
    }

    fn documents(&self) -> Vec<&Document> {
        let judged = self.known.iter().filter(|known| self.is_judged(known));
        judged.map(|known| &known.document).collect()
    }

    /// True if an experiment answers the question, rather than only guiding the search.
    fn is_judged(&self, known: &Known) -> bool {
        let counted = Some(&[INSTRUCTIONS][..]);
        known.document.experiment.metrics.as_deref() != counted
            || self.question.metrics.as_deref() == counted
    }

    /// The strands of the lineage, given these documents.
    fn strands(&self, lineage: &Lineage, documents: &[&Document]) -> Vec<Strand> {
        match self.question.suite {
            Some(_) => strands(lineage, &self.suites.listings(), &unmeasured(documents)),
            None => vec![Strand::of_command(lineage)],
        }
    }

    /// The strand of the only selected benchmark of a suite. None for a command.
    pub(super) fn only_strand(&mut self, lineage: &Lineage) -> Result<Option<Strand>, Failure> {
        let question = self.question;
        let Some(suite) = &question.suite else { return Ok(None) };
        self.suites.ask(question, suite, lineage)?;
        let mut strands = self.strands(lineage, &[]);
        match strands.len() {
            0 | 1 => Ok(strands.pop()),
            several => {
                let names = strands.iter().filter_map(|strand| strand.benchmark.as_deref());
                let names = listed(names.take(MOST_NAMED));
                let error = format!("`--bisect` follows one benchmark, and {several} are there");
                let hint = format!("choose one with `--filter NAME --exact`: {names}");
                Err(Failure::new(error).hint(Some(hint)))
            }
        }
    }

    fn processes(&self) -> Processes {
        match self.question.suite.as_ref().map(|suite| suite.order) {
            None | Some(Arrangement::Alone) => Processes::OfTheirOwn,
            Some(_) => Processes::Shared,
        }
    }

    pub(super) fn aim(&mut self, effort: Effort) {
        self.effort = effort;
    }

    /// Drops all results for the lineage's pairs, so that they are measured again.
    pub(super) fn forget(&mut self, lineage: &Lineage) {
        let digest = |number: usize| lineage.artifact(number).map(|one| one.id.clone());
        let pairs: HashSet<(ArtifactId, ArtifactId)> = lineage
            .pairs()
            .into_iter()
            .filter_map(|(baseline, candidate)| Some((digest(baseline)?, digest(candidate)?)))
            .collect();
        self.known.iter_mut().for_each(|known| merge::forget(&mut known.document, &pairs));
    }

    fn run(
        &mut self,
        lineage: &Lineage,
        strands: &[Strand],
        agenda: &Agenda,
        interrupted: Option<ExperimentId>,
    ) -> Result<(), Failure> {
        if let Some(id) = interrupted {
            let store = archive::open_for_reading(&self.place)?;
            let rounds = store.experiment(id)?.map_or(0, |stored| stored.rounds);
            self.question.watcher.on(Event::Remark(&question::going_on(id, rounds)));
        }
        self.run_in_pieces(lineage, strands, agenda, interrupted)
    }

    fn take(
        &mut self,
        strands: &[Strand],
        agenda: &Agenda,
        measured: MeasuredExperiment,
    ) -> Result<(), Failure> {
        let (_, id, mut document) =
            measured.completed(&self.place, true, &mut &self.question.watcher)?;
        if let Some(suite) = &self.question.suite {
            name_as_now(&mut document, &suite.renames);
        }
        let one = Known {
            id,
            is_here: true,
            is_ours: true,
            // An experiment that was just measured has fulfilled the request.
            is_interrupted: false,
            is_open: false,
            keys: keys(strands, agenda),
            document,
        };
        self.known.insert(0, one);
        Ok(())
    }

    /// Runs the agenda, in pieces if an engine has several machines.
    fn run_in_pieces(
        &mut self,
        lineage: &Lineage,
        strands: &[Strand],
        agenda: &Agenda,
        interrupted: Option<ExperimentId>,
    ) -> Result<(), Failure> {
        let question = self.question;
        let mut watcher = &question.watcher;
        let is_whole = self.effort == Effort::History;
        let Some(engine) = question.engine.as_ref().filter(|_| is_whole) else {
            let prepared = self.prepared(lineage, strands, agenda)?;
            let asked = prepared.question(question)?;
            self.remark(&asked);
            let (place, site) = (&self.place, question.site());
            let measured = asked.measure(place, &site, self.launcher, interrupted, &mut watcher)?;
            return self.take(strands, agenda, measured);
        };
        let pieces = agenda.pieces(engine.nodes, strands, self.processes());
        let prepared = pieces.iter().map(|piece| self.prepared(lineage, strands, piece));
        let prepared: Vec<Prepared> = prepared.collect::<Result<_, Failure>>()?;
        let asked = prepared.iter().map(|one| one.question(question));
        let asked: Vec<question::Question<'_>> = asked.collect::<Result<_, Failure>>()?;
        asked.first().into_iter().for_each(|first| self.remark(first));
        let commissions = asked.iter().map(question::Question::commission).collect();
        let seed = question.arguments.stopping.seed;
        let measured = remote::measure(commissions, seed, engine, &self.place, &mut watcher)?;
        pieces.iter().zip(measured).try_for_each(|(piece, one)| self.take(strands, piece, one))
    }

    fn prepared(
        &mut self,
        lineage: &Lineage,
        strands: &[Strand],
        agenda: &Agenda,
    ) -> Result<Prepared, Failure> {
        match self.question.suite.as_ref() {
            None => self.prepared_command(lineage, agenda),
            Some(suite) => self.prepared_suite(suite, lineage, strands, agenda),
        }
    }

    /// The experiment that runs the command with each artefact.
    fn prepared_command(
        &mut self,
        lineage: &Lineage,
        agenda: &Agenda,
    ) -> Result<Prepared, Failure> {
        let question = self.question;
        let mut built: Vec<BuiltArtifact<'_>> =
            agenda.entries.iter().filter_map(|entry| built(lineage, entry.revision)).collect();
        give_work(question, &mut built, &self.works)?;
        self.works.extend(built.iter().filter_map(|one| Some((one.id.clone(), one.work?))));
        let experiment = artifacts::experiment(&question.run_settings, &question.template, &built)?;
        let (sources, metrics) = match self.effort {
            Effort::Count { .. } => (Question::counting(), Some(vec![INSTRUCTIONS])),
            _ => (question.arguments.reading.sources(), question.metrics.clone()),
        };
        let (rule, contrasts) = self.plan(agenda, metrics.as_deref())?;
        Ok(Prepared { experiment, suite: None, contrasts, rule, metrics, sources })
    }

    fn prepared_suite(
        &self,
        suite: &CommitSuite,
        lineage: &Lineage,
        strands: &[Strand],
        agenda: &Agenda,
    ) -> Result<Prepared, Failure> {
        let question = self.question;
        let (suite, experiment) = self.suites.experiment(question, suite, strands, agenda)?;
        let metrics = self.suites.metrics(question.metrics.as_deref(), lineage);
        let (rule, contrasts) = self.plan(agenda, Some(&metrics))?;
        let (suite, metrics, sources) = (Some(suite), Some(metrics), Sources::NONE);
        Ok(Prepared { experiment, suite, contrasts, rule, metrics, sources })
    }

    /// Remarks on questions that the rounds cannot decide, unless a probe chose these.
    fn remark(&self, asked: &question::Question<'_>) {
        if !matches!(self.effort, Effort::Probe { .. }) {
            self.question.watcher.on(Event::Remark(&asked.remark()));
        }
    }

    fn plan(
        &self,
        agenda: &Agenda,
        metrics: Option<&[MetricId]>,
    ) -> Result<(StoppingRule, Contrasts), Failure> {
        let rule = self.effort.rule(self.question.rule(agenda.entries.len())?);
        let family = self.effort.family(agenda.contrasts.family());
        let contrasts = Contrasts { family: Some(family), ..agenda.contrasts.clone() };
        let stopping = &self.question.arguments.stopping;
        Ok((stopping.with_enough_rounds(rule, &contrasts, metrics), contrasts))
    }

    pub(super) fn document(&self, lineage: &Lineage) -> Result<Document, Failure> {
        let strands = self.strands(lineage, &self.documents());
        // Includes what could not be measured.
        let asked = self.strands(lineage, &[]);
        let all: HashSet<Key> = asked.iter().flat_map(all_keys).collect();
        let of_lineage = |known: &&Known| known.keys.iter().any(|key| all.contains(key));
        let judged = self.known.iter().filter(|known| self.is_judged(known));
        let used: Vec<&Known> = judged.filter(of_lineage).collect();
        let mut experiments: Vec<i64> = used.iter().map(|known| known.id.0).collect();
        experiments.reverse();
        let documents: Vec<&Document> = used.iter().map(|known| &known.document).collect();
        let history = HistorySubject { experiments, ..self.question.part() };
        let listings = self.suites.listings();
        merge::document(lineage, &strands, &listings, &documents, &history)
            .ok_or_else(|| Failure::new("nothing was measured"))
    }

    /// Stores the history with its newest experiment.
    pub(super) fn keep(&self, document: &Document) -> Result<(), Failure> {
        let Some(newest) = self.newest(document) else { return Ok(()) };
        // Histories stored with experiments of others are not overwritten.
        if !self.known.iter().any(|known| known.id == newest && known.is_ours) {
            return Ok(());
        }
        let mut store = Store::open(&self.place)?;
        archive::keep_history(&mut store, newest, document)
    }

    /// The experiment that the history is stored with.
    pub(super) fn newest(&self, document: &Document) -> Option<ExperimentId> {
        let experiments = &document.history()?.subject.experiments;
        experiments.last().copied().map(ExperimentId)
    }
}

/// The class of the machine that measures next. An engine chooses one, perhaps the one of the
/// `newest` experiment; without such an experiment, no machine is known to be the same.
fn where_it_goes_on(
    question: &Question<'_>,
    store: &Store,
    newest: Option<ExperimentId>,
) -> Result<MachineClass, Failure> {
    if question.engine.is_none() {
        return Ok(MachineClass::here());
    }
    let stored = newest.map(|id| store.experiment(id)).transpose()?.flatten();
    let unknown = || MachineClass::from_facts(&Value::Null, &Value::Null);
    Ok(stored.map_or_else(unknown, |stored| (&stored.circumstances).into()))
}

pub(super) fn built<'a>(lineage: &'a Lineage, number: usize) -> Option<BuiltArtifact<'a>> {
    let artifact = lineage.artifact(number)?;
    let revision = &lineage.revisions[number];
    Some(BuiltArtifact {
        commit: &revision.hash,
        name: merge::name(&revision.hash, &revision.subject),
        path: &artifact.path,
        id: artifact.id.clone(),
        work: None,
        layouts: &artifact.layouts,
        checkout: artifact.checkout.as_ref(),
    })
}

/// An experiment that can be run, here or elsewhere.
struct Prepared {
    experiment: Experiment,
    /// The benchmarks. None if a command is run.
    suite: Option<Suite>,
    contrasts: Contrasts,
    rule: StoppingRule,
    metrics: Option<Vec<MetricId>>,
    sources: Sources,
}

impl Prepared {
    fn question<'a>(&'a self, question: &Question<'_>) -> Result<question::Question<'a>, Failure> {
        Ok(question::Question {
            project: Some(question.project()),
            subject: Some(question.subject()?),
            title: question.title(),
            suite: self.suite.as_ref(),
            sources: self.sources,
            metrics: self.metrics.clone(),
            seed: question.arguments.stopping.seed,
            asker: question.asker.clone(),
            ..question::Question::new(
                Kind::History,
                &self.experiment,
                self.contrasts.clone(),
                &self.rule,
            )
        })
    }
}

/// The purpose of a measurement, which determines its length and certainty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// The whole question.
    History,
    /// Finding the next step of a search: a fixed number of rounds, without a verdict.
    Probe { rounds: u32 },
    /// The same by counting instructions in separate runs.
    Count { rounds: u32 },
    /// Distinguishing changes of the source from those of the layout.
    Layouts { layouts: u32 },
    /// Confirming the finding of a search.
    Confirm {
        /// The number of rounds, unless the question fixes it.
        rounds: u32,
        /// The number of comparisons that share the permitted error.
        comparisons: usize,
    },
}

/// The maximum number of runs of each layout: more do not decide what layouts leave open.
const MOST_RUNS_OF_A_LAYOUT: u32 = 8;

impl Effort {
    /// The question's rule, adapted to this purpose.
    fn rule(self, rule: StoppingRule) -> StoppingRule {
        let fixed = |rounds: u32, rule: StoppingRule| StoppingRule {
            min_rounds: rounds,
            max_rounds: rounds,
            budget_seconds: None,
            stage: Stage::default(),
            ..rule
        };
        match self {
            Self::History => rule,
            Self::Layouts { layouts } if !rule.is_fixed() => {
                let most = layouts.saturating_mul(MOST_RUNS_OF_A_LAYOUT);
                let max_rounds = rule.max_rounds.min(most.max(rule.min_rounds));
                // The experiment with the original layout estimates the size of the change.
                StoppingRule { max_rounds, precision: 1.0, ..rule }
            }
            Self::Layouts { .. } => rule,
            Self::Probe { rounds } | Self::Count { rounds } => fixed(rounds, rule),
            Self::Confirm { .. } if rule.is_fixed() => {
                StoppingRule { stage: Stage::default(), ..rule }
            }
            Self::Confirm { rounds, .. } => fixed(rounds, rule),
        }
    }

    /// The number of comparisons that share the permitted error, of at least these.
    fn family(self, comparisons: usize) -> usize {
        match self {
            Self::Confirm { comparisons: more, .. } => comparisons.max(more),
            _ => comparisons,
        }
    }
}

/// An experiment of the store about the question.
struct Known {
    id: ExperimentId,
    /// Set if it was measured on this machine in its current state.
    is_here: bool,
    /// Set if it was requested for the same machine or engine, in any state.
    is_ours: bool,
    is_interrupted: bool,
    /// Set if it ended without answering all of its questions.
    is_open: bool,
    keys: Vec<Key>,
    document: Document,
}

/// The identity of a variant: that of an artefact, and the benchmark if it is a suite.
type Key = (ArtifactId, Option<String>);

impl Known {
    /// An experiment of the store. None if it has no finished round.
    fn read(
        store: &Store,
        id: ExperimentId,
        stored: &StoredExperiment,
        suite: Option<&CommitSuite>,
        here: &MachineClass,
    ) -> Option<Self> {
        let is_here = here.is_same(&(&stored.circumstances).into());
        let key = |variant: &Contender| {
            let name = variant.labels.benchmark_name().map(str::to_owned);
            Some((variant.labels.artifact_id()?.clone(), name))
        };
        if stored.state == ExperimentState::Running {
            return None;
        }
        let mut document = archive::own_document(store, id, stored).ok()?;
        if let Some(suite) = suite {
            name_as_now(&mut document, &suite.renames);
        }
        Some(Self {
            id,
            is_here,
            is_ours: true,
            // Experiments begun on another machine are not continued here.
            is_interrupted: is_here && stored.state == ExperimentState::Interrupted,
            is_open: is_here
                && stored.state == ExperimentState::Complete
                && question::is_open(&document),
            keys: document.variants.iter().map(key).collect::<Option<_>>()?,
            document,
        })
    }
}

/// The experiments about the same question on other machines, newest first.
fn elsewhere(store: &Store, subject: &str) -> Result<Vec<ExperimentId>, Failure> {
    let Some(here) = Asked::new(subject, &["machine", "folder"]) else { return Ok(Vec::new()) };
    asked_alike(store, &here, |there| there.apart["machine"] != here.apart["machine"])
}

/// The experiments of searches in these commits here, for any metric: the newest first.
fn searches(store: &Store, subject: &str) -> Result<Vec<ExperimentId>, Failure> {
    let Some(here) = Asked::new(subject, &["bisect", "metrics"]) else { return Ok(Vec::new()) };
    asked_alike(store, &here, |there| there.apart["bisect"] != Value::Null)
}

/// A subject, split into the facts that may differ and the rest.
struct Asked {
    /// The facts that may differ, by name; null if missing.
    apart: BTreeMap<&'static str, Value>,
    alike: Value,
}

impl Asked {
    fn new(subject: &str, apart: &[&'static str]) -> Option<Self> {
        let mut alike: Value = serde_json::from_str(subject).ok()?;
        let mut take = |name: &'static str| {
            let facts = alike.as_object_mut()?;
            let of_all = facts.remove(name);
            let more = facts.get_mut("more").and_then(Value::as_object_mut);
            let value = of_all.or_else(|| more?.remove(name)).unwrap_or_default();
            Some((name, value))
        };
        let apart = apart.iter().map(|name| take(name)).collect::<Option<_>>()?;
        Some(Self { apart, alike })
    }
}

/// The experiments whose subject differs at most in the facts that may, as wanted.
fn asked_alike(
    store: &Store,
    here: &Asked,
    is_wanted: impl Fn(&Asked) -> bool,
) -> Result<Vec<ExperimentId>, Failure> {
    let names: Vec<&'static str> = here.apart.keys().copied().collect();
    let mut experiments = Vec::new();
    for (id, subject) in store.subjects(Kind::History)? {
        let asked = Asked::new(&subject, &names);
        if asked.is_some_and(|asked| asked.alike == here.alike && is_wanted(&asked)) {
            experiments.push(id);
        }
    }
    Ok(experiments)
}

/// Renames benchmarks, which are stored under the names in their commits, to their current names.
fn name_as_now(document: &mut Document, renames: &Renames) {
    for benchmark in document.variants.iter_mut().filter_map(|one| one.labels.benchmark.as_mut()) {
        benchmark.name = renames.now(&benchmark.name).to_owned();
    }
}

fn keys(strands: &[Strand], agenda: &Agenda) -> Vec<Key> {
    let key = |entry: &Entry| {
        let strand = &strands[entry.strand];
        let artifact = strand.lineage.artifact(entry.revision)?;
        Some((artifact.id.clone(), strand.benchmark.clone()))
    };
    agenda.entries.iter().filter_map(key).collect()
}

/// All variants that a strand could have measured.
fn all_keys(strand: &Strand) -> impl Iterator<Item = Key> + '_ {
    let artifacts = strand.lineage.revisions.iter().filter_map(|one| one.built.as_ref().ok());
    artifacts.map(|artifact| (artifact.id.clone(), strand.benchmark.clone()))
}

/// The number of bytes kept of a trial's output: enough to see why it failed.
const KEPT_BYTES: usize = 4096;

/// Sets the work of each artefact: as earlier, or found by trials, by tenths downwards.
fn give_work(
    question: &Question<'_>,
    built: &mut [BuiltArtifact<'_>],
    earlier: &HashMap<ArtifactId, Work>,
) -> Result<(), Failure> {
    let Some((whole, limit)) = question.work()? else { return Ok(()) };
    for one in built {
        let work = match earlier.get(&one.id) {
            Some(work) if work.whole == whole.whole => *work,
            _ => find_work(question, one, whole, limit)?,
        };
        one.work = Some(work);
    }
    Ok(())
}

fn find_work(
    question: &Question<'_>,
    built: &BuiltArtifact<'_>,
    whole: Work,
    limit: Duration,
) -> Result<Work, Failure> {
    let mut work = whole;
    loop {
        let trial = BuiltArtifact { work: Some(work), ..built.clone() };
        match try_work(question, &trial, limit)? {
            LogEnd::Interrupted => return Err(Failure::new("interrupted before measuring")),
            LogEnd::TimedOut => {}
            // A failing program is reported when it is measured.
            LogEnd::ByItself(_) => return Ok(work),
        }
        work = work.tenth().ok_or_else(|| {
            Failure::new(format!("`{}` takes too long with any work", built.name))
                .because(format!("with `{{work}}` = {} it {}", work.done, Outcome::TimedOut))
                .hint(Some("allow more with `--work-time`"))
        })?;
    }
}

fn try_work(
    question: &Question<'_>,
    trial: &BuiltArtifact<'_>,
    limit: Duration,
) -> Result<LogEnd, Failure> {
    let trial = std::slice::from_ref(trial);
    let experiment = artifacts::experiment(&question.run_settings, &question.template, trial)?;
    let command = experiment.variants[0].run.resolve()?;
    let mut tool = Tool::new(&command.program).args(&command.argv[1..]).timeout(limit);
    for (name, value) in &command.env {
        tool = tool.env(name, value.as_deref());
    }
    if let Some(folder) = &command.cwd {
        tool = tool.cwd(folder);
    }
    Ok(logged(&tool, KEPT_BYTES, measure::interrupt::requests())?.end)
}
