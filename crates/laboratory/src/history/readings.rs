//! The readings of all experiments about a search, pooled, and the words for what they show.
//!
//! Every round of every experiment about the question counts, so the knowledge is a function of the
//! store: an interrupted search resumes from there. [`stats::bisection`] draws the conclusions.

use std::collections::{BTreeMap, HashMap};

use findings::{Document, short};
use model::failure::Failure;
use model::metric::{self, MetricId, Source, Unit};
use model::run::Run;
use model::sample::{Columns, Treatment};
use model::spec::labels::ArtifactId;
use stats::bisection::{Assessment, Difference, Place, Round};
use store::{ExperimentId, Store, StoreError};
use words::quantity::ratio_decimals;

use super::lineage::Revision;
use super::measuring::Measuring;
use crate::archive;

/// The error of the intervals shown while the search goes on.
const SHOWN_ALPHA: f64 = 0.05;

/// The readings of one experiment in one metric.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    pub(super) source: Source,
    /// Artefacts with their readings, by round and digest.
    pub(super) rounds: BTreeMap<u32, Vec<(ArtifactId, f64)>>,
}

/// All readings of a metric that a search has.
#[derive(Debug, Clone, Default)]
pub(super) struct Pool {
    /// The batches, the oldest first.
    pub(super) batches: Vec<Batch>,
    numbers: HashMap<ArtifactId, usize>,
}

impl Pool {
    pub(super) fn number(&mut self, digest: &ArtifactId) -> usize {
        number_in(&mut self.numbers, digest)
    }

    pub(super) fn rounds(&mut self, metric: &MetricId) -> Vec<Round> {
        let Self { batches, numbers } = self;
        let mut reading = |(digest, value): &(ArtifactId, f64)| {
            (number_in(numbers, digest), logarithm(metric, *value))
        };
        let mut all = Vec::new();
        for (batch, readings) in batches.iter().enumerate() {
            for runs in readings.rounds.values().filter(|_| readings.source == Source::Run) {
                all.push(Round { batch, readings: runs.iter().map(&mut reading).collect() });
            }
        }
        all
    }

    pub(super) fn counts(&mut self, metric: &MetricId) -> Vec<(usize, Vec<f64>)> {
        let counted = self.batches.iter().filter(|batch| batch.source != Source::Run);
        let mut all: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (digest, value) in counted.flat_map(|batch| batch.rounds.values().flatten()) {
            let value = logarithm(metric, *value);
            if value.is_finite() {
                all.entry(number_in(&mut self.numbers, digest)).or_default().push(value);
            }
        }
        all.into_iter().collect()
    }

    pub(super) fn is_timed(&self) -> bool {
        self.batches.iter().any(|batch| batch.source == Source::Run)
    }

    /// The number of timed rounds in which all of these artefacts ran.
    pub(super) fn rounds_of(&self, digests: &[ArtifactId]) -> u32 {
        let has = |runs: &&Vec<(ArtifactId, f64)>| {
            digests.iter().all(|wanted| runs.iter().any(|(digest, _)| digest == wanted))
        };
        let timed = self.batches.iter().filter(|batch| batch.source == Source::Run);
        let rounds = timed.flat_map(|batch| batch.rounds.values()).filter(has).count();
        u32::try_from(rounds).unwrap_or(u32::MAX)
    }
}

fn number_in(numbers: &mut HashMap<ArtifactId, usize>, digest: &ArtifactId) -> usize {
    let next = numbers.len();
    *numbers.entry(digest.clone()).or_insert(next)
}

/// Counts may be zero; adding 1 does not matter for large ones.
fn logarithm(metric: &MetricId, value: f64) -> f64 {
    match metric::find(metric).map(|metric| metric.unit) {
        Some(Unit::Count | Unit::Bytes) => value.ln_1p(),
        _ => value.ln(),
    }
}

/// The state of each commit of the range; `is_tried` tells for one without an artefact if a build
/// was tried.
pub(super) fn places(
    revisions: &[Revision],
    pool: &mut Pool,
    is_tried: &dyn Fn(usize) -> bool,
) -> Vec<Place> {
    let place = |(at, revision): (usize, &Revision)| match &revision.built {
        Ok(artifact) => Place::Artefact(pool.number(&artifact.id)),
        Err(_) if is_tried(at) => Place::Unbuildable,
        Err(_) => Place::Unbuilt,
    };
    revisions.iter().enumerate().map(place).collect()
}

/// `1.031 [1.012, 1.050]`, or `exactly 1.031` for counts that do not vary.
pub(super) fn ratio(difference: &Difference) -> String {
    let (ratio, (low, high)) = difference.ratio(SHOWN_ALPHA);
    if low == high {
        return format!("exactly {ratio:.5}");
    }
    let decimals = ratio_decimals(low, high);
    format!("{ratio:.decimals$} [{low:.decimals$}, {high:.decimals$}]")
}

/// The probability of the likeliest commit: `97 %`, never 100 %.
pub(super) fn likelihood(assessment: &Assessment) -> String {
    let (_, _, mass) = assessment.most_probable();
    format!("{:.0} %", (100.0 * mass).floor().min(99.0))
}

/// The commits that remain: `one of 7 commits, from 1a2b3c4 to 5d6e7f8 (95 %)`.
pub(super) fn still(assessment: &Assessment, revisions: &[Revision]) -> String {
    let (first, last) = assessment.credible(0.95);
    let name = |at: usize| short(&revisions[at].hash);
    if first == last {
        return format!("{} with {} probability", name(first), likelihood(assessment));
    }
    let count = last - first + 1;
    format!("one of {count} commits with 95 % probability, {} to {}", name(first), name(last))
}

/// A sentence on commits that are certainly between the ends, which means several changes.
pub(super) fn several(assessment: &Assessment, revisions: &[Revision]) -> Option<String> {
    let last = assessment.between.last()?;
    let name = |at: usize| short(&revisions[at].hash);
    Some(format!(
        "there are several changes: {} has {:.0} % of the change; the larger part is between {} \
         and {}",
        name(last.place),
        100.0 * last.share,
        name(assessment.near),
        name(assessment.far)
    ))
}

/// The readings of the experiments, each read once.
#[derive(Debug, Default)]
pub(super) struct Readings {
    read: HashMap<(i64, MetricId), Vec<Batch>>,
}

impl Readings {
    /// All readings of a metric for this benchmark, or for the command, the oldest first.
    pub(super) fn all(
        &mut self,
        measuring: &Measuring<'_, '_>,
        metric: &MetricId,
        benchmark: Option<&str>,
    ) -> Result<Vec<Batch>, Failure> {
        let mut all = Vec::new();
        let store = archive::open_for_reading(measuring.place())?;
        for (id, document) in measuring.experiments() {
            let key = (id.0, metric.clone());
            if !self.read.contains_key(&key) {
                let batches = read(&store, id, document, metric, benchmark)?;
                self.read.insert(key.clone(), batches);
            }
            all.extend(self.read[&key].iter().cloned());
        }
        Ok(all)
    }
}

fn read(
    store: &Store,
    id: ExperimentId,
    document: &Document,
    metric: &MetricId,
    benchmark: Option<&str>,
) -> Result<Vec<Batch>, StoreError> {
    let labels = |variant: usize| &document.variants[variant].labels;
    let count = document.variants.len();
    let treatment = Treatment::from_labels((0..count).map(labels));
    let mut columns = Columns::new(count).treated(treatment);
    let mut rounds = 0;
    store.for_each_run(id, &mut |run: Run| -> Result<(), StoreError> {
        rounds = rounds.max(run.place.round as usize + 1);
        columns.push(&run, |id| id == metric);
        Ok(())
    })?;
    let digest = |variant: usize| {
        let is_of_it = labels(variant).benchmark_name() == benchmark;
        labels(variant).artifact_id().filter(|_| is_of_it)
    };
    let mut batches = Vec::new();
    for source in Source::ALL {
        let Some(column) = columns.get(metric, source) else { continue };
        let mut by_round: BTreeMap<u32, Vec<(ArtifactId, f64)>> = BTreeMap::new();
        for (number, variant) in (0_u32..).zip(0..count) {
            let Some(digest) = digest(variant) else { continue };
            for (round, value) in (0..).zip(column.in_rounds(number, rounds)) {
                if !value.is_nan() {
                    by_round.entry(round).or_default().push((digest.clone(), value));
                }
            }
        }
        batches.push(Batch { source, rounds: by_round });
    }
    Ok(batches)
}

#[cfg(test)]
mod tests {
    use model::metric::{INSTRUCTIONS, WALL_TIME};

    use crate::history::lineage::tests::line;

    use super::*;

    fn batch(source: Source, rounds: &[&[(&str, f64)]]) -> Batch {
        let round = |runs: &&[(&str, f64)]| {
            runs.iter().map(|(digest, value)| (ArtifactId::read(digest), *value)).collect()
        };
        Batch { source, rounds: (0..).zip(rounds.iter().map(round)).collect() }
    }

    #[test]
    fn rounds_of_all_experiments_are_pooled_and_counts_kept_apart() {
        let batches = vec![
            batch(Source::Run, &[&[("a", 1.0), ("c", 2.0)], &[("c", 2.0)]]),
            batch(Source::Valgrind, &[&[("a", 100.0)], &[("a", 100.0)]]),
            batch(Source::Run, &[&[("c", 4.0), ("b", 2.0), ("a", 2.0)]]),
        ];
        let mut pool = Pool { batches, ..Pool::default() };
        let [a, c, b] = ["a", "c", "b"].map(|digest| pool.number(&ArtifactId::read(digest)));
        let rounds = pool.rounds(&WALL_TIME);
        let shapes: Vec<(usize, usize)> =
            rounds.iter().map(|round| (round.batch, round.readings.len())).collect();
        assert_eq!(shapes, [(0, 2), (0, 1), (2, 3)]);
        assert_eq!(rounds[2].readings, [(c, 4_f64.ln()), (b, 2_f64.ln()), (a, 2_f64.ln())]);
        assert_eq!(pool.counts(&INSTRUCTIONS), [(a, vec![101_f64.ln(); 2])]);
        let rounds_of = |ids: [&str; 2]| pool.rounds_of(&ids.map(ArtifactId::read));
        assert_eq!((rounds_of(["a", "c"]), rounds_of(["b", "c"])), (2, 1));
    }

    #[test]
    fn a_commit_is_built_or_not_or_cannot_be() {
        let mut pool = Pool::default();
        let revisions = line("a--a").revisions;
        let places = places(&revisions, &mut pool, &|at| at == 2);
        let a = Place::Artefact(0);
        assert_eq!(places, [a, Place::Unbuilt, Place::Unbuildable, a]);
    }

    #[test]
    fn a_ratio_has_as_many_decimals_as_its_interval_needs() {
        let shown =
            |error| ratio(&Difference { estimate: 1.03_f64.ln(), error, freedom: f64::INFINITY });
        assert_eq!(shown(0.01), "1.030 [1.010, 1.050]");
        assert_eq!(shown(0.0), "exactly 1.03000");
    }
}
