//! The instructions that the sides of steps execute, counted by valgrind if not counted otherwise:
//! evidence that does not depend on the load of the machine.
//!
//! Each artefact is counted once. The counts have a separate store beside the artefacts, because
//! the user did not ask for them: they are only evidence about an experiment.

use std::collections::{BTreeSet, HashMap};

use super::effort::Effort;
use super::measuring::Measuring;
use super::question::Question;
use super::readings::Readings;
use crate::history::lineage::Lineage;
use findings::Document;
use model::failure::Failure;
use model::metric::{CPU_TIME, INSTRUCTIONS, MetricId, Source, WALL_TIME};
use model::note::Note;
use model::spec::labels::ArtifactId;
use prepare::{BuildError, Cache};
use store::Place;
use words::quantity::duration;

/// The store of the counts, in the folder of the cache.
const COUNTS: &str = "counts.db";

/// The start-up time of valgrind in seconds, and its slowdown factor.
const VALGRIND_SECONDS: f64 = 0.4;
const VALGRIND_SLOWDOWN: f64 = 15.0;

/// The share of the measuring time that counting may take in addition.
const SHARE: f64 = 0.5;

/// The seconds that counting may take in any case.
const LEAST_SECONDS: f64 = 5.0;

/// The seconds needed to count a program whose run takes `a_run` seconds.
pub(super) fn counting_seconds(a_run: f64) -> f64 {
    VALGRIND_SECONDS + VALGRIND_SLOWDOWN * a_run
}

/// The instruction counts of artefacts.
#[derive(Default)]
pub(super) struct Executed {
    /// The instructions of a run, by artefact.
    counts: HashMap<ArtifactId, f64>,
    /// The reason that some were not counted.
    pub(super) note: Option<Note>,
}

impl Executed {
    /// Counts those sides of these pairs that have no count yet, as far as the share of the budget
    /// allows.
    ///
    /// # Errors
    ///
    /// On an interruption, or when the store cannot be read. A program that does not run under
    /// valgrind is noted.
    pub(super) fn of_sides(
        question: &Question<'_>,
        measuring: &mut Measuring<'_, '_>,
        lineage: &Lineage,
        document: &Document,
        pairs: &BTreeSet<(usize, usize)>,
    ) -> Result<Self, Failure> {
        let is_scaled = question.arguments.work.is_some();
        if pairs.is_empty() || is_scaled || question.engine.is_some() || !question.may_count() {
            return Ok(Self::default());
        }
        let counts = Cache::of_the_user().map_err(BuildError::from)?.root().join(COUNTS);
        let mut counting = measuring.aside(Place::File(counts))?;
        let mut executed = Self { counts: stored(&counting)?, note: None };
        let (affordable, too_long) = executed.uncounted(question, lineage, document, pairs)?;
        let mut numbers = affordable.iter().map(|&number| &lineage.revisions[number]);
        if let Some(first) = numbers.next() {
            let star = Lineage::star(first, numbers);
            counting.aim(Effort::Count { rounds: 1 });
            match counting.run_together(&star) {
                Err(failure) if measure::interrupt::requested() => return Err(failure),
                Err(failure) => executed.note_of(affordable.len(), failure.error()),
                Ok(()) => {}
            }
            executed.counts = stored(&counting)?;
        }
        if !too_long.is_empty() {
            let reason = format!("valgrind would take about {}", duration(too_long.iter().sum()));
            executed.note_of(too_long.len(), &reason);
        }
        Ok(executed)
    }

    /// The ratio of the instructions of two commits. None if one of them was not counted.
    pub(super) fn ratio(&self, lineage: &Lineage, (from, to): (usize, usize)) -> Option<f64> {
        let count = |side: usize| self.counts.get(&lineage.artifact(side)?.id).copied();
        Some(count(to)? / count(from)?).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
    }

    /// The commits still to be counted, as many pairs as the share of the budget allows, and the
    /// seconds that each of the others would take.
    fn uncounted(
        &self,
        question: &Question<'_>,
        lineage: &Lineage,
        document: &Document,
        pairs: &BTreeSet<(usize, usize)>,
    ) -> Result<(BTreeSet<usize>, Vec<f64>), Failure> {
        let budget = question.rule(document.variants.len())?.budget_seconds.unwrap_or(0.0);
        let measuring = budget.max(document.experiment.elapsed_seconds);
        let mut left = (SHARE * measuring).max(LEAST_SECONDS);
        let mut affordable = BTreeSet::new();
        let mut too_long = Vec::new();
        for &(from, to) in pairs {
            let is_new = |side: &usize| {
                let digest = lineage.artifact(*side).map(|artifact| &artifact.id);
                let is_counted = digest.is_none_or(|digest| self.counts.contains_key(digest));
                !is_counted && !affordable.contains(side)
            };
            let new: Vec<usize> = [from, to].into_iter().filter(is_new).collect();
            let a_run = |side: &usize| run_seconds(document, &lineage.revisions[*side].hash);
            let seconds: f64 = new.iter().map(a_run).map(counting_seconds).sum();
            if seconds <= left {
                left -= seconds;
                affordable.extend(new);
            } else {
                too_long.push(seconds);
            }
        }
        Ok((affordable, too_long))
    }

    fn note_of(&mut self, commits: usize, reason: &str) {
        self.note = Some(Note::NotCounted { commits, reason: reason.to_owned() });
    }
}

/// The processor time of a run of a commit's program, in seconds; the wall time if unknown.
fn run_seconds(document: &Document, hash: &str) -> f64 {
    let Some(variant) = document.variant_of(hash, None) else { return 0.0 };
    let mut times = [CPU_TIME, WALL_TIME].into_iter();
    let median = |id: MetricId| Some(document.summary(variant, &id, Source::Run)?.median);
    times.find_map(median).unwrap_or(0.0)
}

/// The instructions of each counted artefact: the minimum if counts differ.
fn stored(measuring: &Measuring<'_, '_>) -> Result<HashMap<ArtifactId, f64>, Failure> {
    let batches = Readings::default().all(measuring, &INSTRUCTIONS, None)?;
    let counted = batches.iter().filter(|batch| batch.source == Source::Valgrind);
    let mut counts: HashMap<ArtifactId, f64> = HashMap::new();
    for (digest, count) in counted.flat_map(|batch| batch.rounds.values().flatten()) {
        let least = counts.entry(digest.clone()).or_insert(*count);
        *least = count.min(*least);
    }
    Ok(counts)
}
