//! The store's experiments about the question, and their measurements.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::archive;
use crate::history::agenda::{Agenda, Entry};
use crate::history::strands::Strand;
use crate::question;
use findings::{Contender, Document};
use model::commission::Kind;
use model::failure::Failure;
use model::machine_class::MachineClass;
use model::spec::labels::ArtifactId;
use model::spec::suite::Renames;
use model::spec::suite::commits::CommitSuite;
use store::{ExperimentId, ExperimentState, Store, StoredExperiment};

/// An experiment of the store about the question.
pub(super) struct Known {
    pub id: ExperimentId,
    /// Set if it was measured on this machine in its current state.
    pub is_here: bool,
    /// Set if it was requested for the same machine or engine, in any state.
    pub is_ours: bool,
    pub is_interrupted: bool,
    /// Set if it ended without answering all of its questions.
    pub is_open: bool,
    /// The identities of its variants.
    pub keys: Vec<Key>,
    pub document: Document,
}

/// The identity of a variant: that of an artefact, and the benchmark if it is a suite.
pub(super) type Key = (ArtifactId, Option<String>);

impl Known {
    /// An experiment of the store. None if it has no finished round.
    pub(super) fn read(
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

/// The experiments about the same question on other machines, from any folder: the newest in this
/// store first.
pub(super) fn elsewhere(store: &Store, subject: &str) -> Result<Vec<ExperimentId>, Failure> {
    let Some(here) = Asked::new(subject, &["machine", "folder"]) else { return Ok(Vec::new()) };
    asked_alike(store, &here, |there| there.apart["machine"] != here.apart["machine"])
}

/// The experiments of searches in these commits here, for any metric: the newest first.
pub(super) fn searches(store: &Store, subject: &str) -> Result<Vec<ExperimentId>, Failure> {
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

/// The experiments whose subject equals `here` except for the facts that may differ, which must
/// satisfy `is_wanted`.
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
pub(super) fn name_as_now(document: &mut Document, renames: &Renames) {
    for benchmark in document.variants.iter_mut().filter_map(|one| one.labels.benchmark.as_mut()) {
        benchmark.name = renames.now(&benchmark.name).to_owned();
    }
}

/// The identities of an agenda's variants.
pub(super) fn keys(strands: &[Strand], agenda: &Agenda) -> Vec<Key> {
    let key = |entry: &Entry| {
        let strand = &strands[entry.strand];
        let artifact = strand.lineage.artifact(entry.revision)?;
        Some((artifact.id.clone(), strand.benchmark.clone()))
    };
    agenda.entries.iter().filter_map(key).collect()
}

/// All variants that a strand could have measured.
pub(super) fn all_keys(strand: &Strand) -> impl Iterator<Item = Key> + '_ {
    let artifacts = strand.lineage.revisions.iter().filter_map(|one| one.built.as_ref().ok());
    artifacts.map(|artifact| (artifact.id.clone(), strand.benchmark.clone()))
}
