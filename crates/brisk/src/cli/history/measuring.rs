//! Measuring the artefacts of a lineage, as far as the store does not know them yet.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use measure::Launcher;

use super::question::Question;
use super::work;
use crate::archive;
use crate::cli::failure::Failure;
use crate::cli::laboratory::{self, Laboratory, run_failure};
use crate::history::lineage::Lineage;
use crate::history::merge;
use crate::history::remaining::{Remaining, remaining};
use crate::judge::contrasts::Contrasts;
use crate::judge::family;
use crate::judge::note::Note;
use crate::judge::stopping::StoppingRule;
use crate::report::document::{Document, HistoryPart};
use crate::report::export::ExportOptions;
use crate::run::Ending;
use crate::run::instrument;
use crate::run::local::LocalExecutor;
use crate::spec::artifacts::{self, Built, DIGEST_LABEL};
use crate::spec::work::Work;
use crate::store::{ExperimentId, State, Store, StoredExperiment};

/// The experiments about the question, and the means to make more.
pub(super) struct Measuring<'a> {
    question: &'a Question<'a>,
    launcher: &'a mut Launcher,
    path: PathBuf,
    /// The newest first.
    known: Vec<Known>,
    /// What is measured for.
    effort: Effort,
    /// How much work each artefact was given, by digest.
    works: HashMap<String, Work>,
}

/// What is measured for, and so how long and how sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// All that the question asks.
    History,
    /// A finding of a search, which has so many in all.
    Search {
        /// Comparisons that share the permitted error.
        comparisons: usize,
    },
    /// Where to look next: so many rounds, whatever they say, and [`PROBE_CONFIDENCE`].
    Probe {
        /// How many.
        rounds: u32,
    },
}

/// How sure it shall be where probes lie, together. A wrong answer leads the search astray, which
/// shows at its end, when the two commits found turn out not to differ.
const PROBE_CONFIDENCE: f64 = 0.9;

impl Effort {
    /// The question's rule, as this needs it.
    fn rule(self, rule: StoppingRule) -> StoppingRule {
        match self {
            Self::History => rule,
            Self::Search { .. } => StoppingRule { resolution: 1.0, ..rule },
            Self::Probe { rounds } => StoppingRule {
                min_rounds: rounds,
                max_rounds: rounds,
                budget_seconds: None,
                confidence: PROBE_CONFIDENCE,
                ..rule
            },
        }
    }

    /// How many comparisons share the permitted error, these being so many.
    fn family(self, comparisons: usize) -> usize {
        match self {
            Self::Search { comparisons: more } => comparisons.max(more),
            Self::History | Self::Probe { .. } => comparisons,
        }
    }
}

/// An experiment of the store about the question.
struct Known {
    id: ExperimentId,
    is_interrupted: bool,
    digests: Vec<String>,
    document: Document,
}

impl<'a> Measuring<'a> {
    /// Finds out what the store knows.
    pub(super) fn new(
        question: &'a Question<'a>,
        launcher: &'a mut Launcher,
    ) -> Result<Self, Failure> {
        let path = question.store_path()?;
        let store = archive::open_for_writing(&path)?;
        let mut known = Vec::new();
        let mut works = HashMap::new();
        let ids = store.of_subject(&question.subject()).map_err(|e| archive::failure(&e))?;
        for id in ids.into_iter().filter(|_| !question.remeasures()) {
            let stored = store.experiment(id).map_err(|error| archive::failure(&error))?;
            let Some(stored) = stored else { continue };
            // The newest first: what it says stays.
            for variant in &stored.given.variants {
                let digest = variant.labels.iter().find(|(name, _)| name == DIGEST_LABEL);
                if let (Some((_, digest)), Some(work)) = (digest, Work::of_labels(&variant.labels))
                {
                    works.entry(digest.clone()).or_insert(work);
                }
            }
            known.extend(known_experiment(&store, id, &stored));
        }
        Ok(Self { question, launcher, path, known, works, effort: Effort::History })
    }

    /// Measures what remains of the lineage; an experiment that was interrupted is gone on with
    /// where it is just what remains.
    pub(super) fn measure(&mut self, lineage: &Lineage) -> Result<(), Failure> {
        let interrupted = self.known.first().filter(|known| known.is_interrupted);
        if let Some(interrupted) = interrupted {
            let others: Vec<&Document> =
                self.known[1..].iter().map(|known| &known.document).collect();
            let rest = remaining_with(lineage, &others);
            let goes_on = rest.and_then(|rest| in_order_of(lineage, rest, &interrupted.digests));
            if let Some(rest) = goes_on {
                let id = interrupted.id;
                self.known.remove(0);
                return self.run(lineage, &rest, Some(id));
            }
        }
        let documents: Vec<&Document> = self.known.iter().map(|known| &known.document).collect();
        match remaining_with(lineage, &documents) {
            Some(rest) => self.run(lineage, &rest, None),
            None => Ok(()),
        }
    }

    /// Says what is measured for from now on.
    pub(super) fn aim(&mut self, effort: Effort) {
        self.effort = effort;
    }

    /// Forgets what every experiment says of the lineage's pairs, so that they are measured again.
    pub(super) fn forget(&mut self, lineage: &Lineage) {
        let digest = |number: usize| lineage.artifact(number).map(|one| one.digest.clone());
        let pairs: HashSet<(String, String)> = lineage
            .pairs()
            .into_iter()
            .filter_map(|(baseline, candidate)| Some((digest(baseline)?, digest(candidate)?)))
            .collect();
        self.known.iter_mut().for_each(|known| merge::forget(&mut known.document, &pairs));
    }

    fn run(
        &mut self,
        lineage: &Lineage,
        rest: &Remaining,
        interrupted: Option<ExperimentId>,
    ) -> Result<(), Failure> {
        let question = self.question;
        let mut built: Vec<Built<'_>> =
            rest.revisions.iter().filter_map(|&number| built(lineage, number)).collect();
        work::give(question, &mut built, &self.works)?;
        self.works.extend(built.iter().filter_map(|one| Some((one.digest.to_owned(), one.work?))));
        let experiment = artifacts::experiment(question.invocation(), question.template(), &built)
            .map_err(|error| Failure::from_error(&error).hint(error.hint()))?;
        LocalExecutor::check(&experiment).map_err(|error| run_failure(&error, None))?;
        let metrics = question.metrics().map(<[_]>::to_vec);
        let instruments = instrument::choose(question.reading(), &experiment, metrics.as_deref())
            .map_err(|error| Failure::from_error(&error).hint(error.hint()))?;
        let rule = self.effort.rule(question.rule(built.len())?);
        let family = self.effort.family(rest.contrasts.family());
        let members = family::members(question.metrics(), family, rule.confidence);
        let rule = rule.with_enough_rounds(&members);
        let measured = Laboratory {
            experiment: &experiment,
            contrasts: Contrasts { family: Some(family), ..rest.contrasts.clone() },
            subject: Some(question.subject()),
            title: question.title(),
            rule: &rule,
            reads: question.reading().reads(metrics.as_deref()),
            metrics,
            seed: question.seed(),
            shows_progress: question.shows_progress(),
        }
        .measure(&self.path, self.launcher, instruments, interrupted)?;
        let (id, rounds) = (measured.id, measured.conducted.rounds);
        let mut conducted = measured.conducted;
        conducted.notes.splice(0..0, laboratory::shell_note(&experiment));
        let least = built.iter().filter_map(|one| one.work).min_by_key(|work| work.done);
        let part = least.filter(|work| work.done < work.whole);
        conducted
            .notes
            .extend(part.map(|work| Note::ScaledWork { least: work.done, whole: work.whole }));
        let finished = laboratory::finish(&self.path, id, conducted);
        match measured.ending {
            Err(error) => return Err(run_failure(&error, Some((id, rounds)))),
            Ok(Ending::Aborted) => {
                return Err(Failure::new(format!("interrupted after {rounds} rounds"))
                    .hint(Some("everything is kept: the same command goes on where it was")));
            }
            Ok(Ending::Complete) => {}
        }
        let (_, document) = finished?;
        let digests = built.iter().map(|built| built.digest.to_owned()).collect();
        self.known.insert(0, Known { id, is_interrupted: false, digests, document });
        Ok(())
    }

    /// The document of the whole history.
    pub(super) fn document(&self, lineage: &Lineage) -> Result<Document, Failure> {
        let digests: HashSet<&str> = lineage
            .revisions
            .iter()
            .filter_map(|revision| Some(revision.built.as_ref().ok()?.digest.as_str()))
            .collect();
        let of_lineage =
            |known: &&Known| known.digests.iter().any(|d| digests.contains(d.as_str()));
        let used: Vec<&Known> = self.known.iter().filter(of_lineage).collect();
        let mut experiments: Vec<i64> = used.iter().map(|known| known.id.0).collect();
        experiments.reverse();
        let documents: Vec<&Document> = used.iter().map(|known| &known.document).collect();
        let history = HistoryPart { experiments, ..self.question.part() };
        merge::document(lineage, &documents, history)
            .ok_or_else(|| Failure::new("nothing was measured"))
    }

    /// Stores the history with its newest experiment.
    pub(super) fn keep(&self, document: &Document) -> Result<(), Failure> {
        let Some(newest) = self.newest(document) else { return Ok(()) };
        let mut store = Store::open(&self.path).map_err(|error| archive::failure(&error))?;
        let text = serde_json::to_string(document).expect("a document has only string keys");
        store.keep_history(newest, &text).map_err(|error| archive::failure(&error))
    }

    fn newest(&self, document: &Document) -> Option<ExperimentId> {
        let experiments = &document.history.as_ref()?.experiments;
        experiments.last().copied().map(ExperimentId)
    }

    /// Writes the files that are wanted.
    pub(super) fn export(
        &self,
        options: &ExportOptions,
        document: &Document,
    ) -> Result<(), Failure> {
        if options.is_empty() {
            return Ok(());
        }
        let Some(id) = self.newest(document) else { return Ok(()) };
        let store = archive::open_for_reading(&self.path)?;
        archive::export(options, &store, id, document).map_err(|failure| {
            failure.hint(Some(format!("nothing is lost: `brisk export {id}` writes it again")))
        })
    }
}

/// What an experiment of the store says; none where it has no finished round.
fn known_experiment(store: &Store, id: ExperimentId, stored: &StoredExperiment) -> Option<Known> {
    let digest = |variant: &crate::store::NewVariant| {
        let label = variant.labels.iter().find(|(name, _)| name == DIGEST_LABEL);
        label.map(|(_, digest)| digest.clone())
    };
    if stored.state == State::Running {
        return None;
    }
    Some(Known {
        id,
        is_interrupted: stored.state == State::Interrupted,
        digests: stored.given.variants.iter().map(digest).collect::<Option<_>>()?,
        document: archive::own_document(store, id, stored).ok()?,
    })
}

fn remaining_with(lineage: &Lineage, documents: &[&Document]) -> Option<Remaining> {
    let measured = documents.iter().flat_map(|document| {
        let summarised: HashSet<u32> = document.summaries.iter().map(|part| part.variant).collect();
        let of = (0..).zip(&document.variants).filter(move |(n, _)| summarised.contains(n));
        of.filter_map(|(_, variant)| variant.labels.get(DIGEST_LABEL).cloned())
    });
    remaining(lineage, &merge::known(documents), &measured.collect())
}

/// What remains in the order of an experiment's variants; none where it is not the same artefacts.
fn in_order_of(lineage: &Lineage, rest: Remaining, digests: &[String]) -> Option<Remaining> {
    let of: HashMap<&str, usize> = rest
        .revisions
        .iter()
        .filter_map(|&number| Some((lineage.artifact(number)?.digest.as_str(), number)))
        .collect();
    let order: Vec<usize> =
        digests.iter().map(|digest| of.get(digest.as_str()).copied()).collect::<Option<_>>()?;
    (order == rest.revisions).then_some(rest)
}

fn built<'a>(lineage: &'a Lineage, number: usize) -> Option<Built<'a>> {
    let artifact = lineage.artifact(number)?;
    let revision = &lineage.revisions[number];
    Some(Built {
        commit: &revision.hash,
        name: merge::name(&revision.hash, &revision.subject),
        path: &artifact.path,
        digest: &artifact.digest,
        work: None,
    })
}
