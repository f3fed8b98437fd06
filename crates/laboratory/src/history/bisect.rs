//! The knowledge of a search for the commit of a change, and its presentation.
//!
//! Every round of every experiment about the question counts, so the knowledge is a function of the
//! store: an interrupted search resumes from there. [`stats::bisection`] draws the conclusions.

use std::collections::{BTreeMap, HashMap};

use stats::bisection::{Assessment, Difference, Place, Round};

use super::lineage::Revision;
use findings::short;
use model::metric::{self, MetricId, Source, Unit};
use model::spec::labels::ArtifactId;
use words::quantity::ratio_decimals;

/// The error of the intervals shown while the search goes on.
const SHOWN_ALPHA: f64 = 0.05;

/// The readings of one experiment in one metric.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The source of the readings.
    pub source: Source,
    /// Artefacts with their readings, by round and digest.
    pub rounds: BTreeMap<u32, Vec<(ArtifactId, f64)>>,
}

/// All readings of a metric that a search has.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    /// The batches, the oldest first.
    pub batches: Vec<Batch>,
    numbers: HashMap<ArtifactId, usize>,
}

impl Pool {
    /// The number of an artefact.
    pub fn number(&mut self, digest: &ArtifactId) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(digest.clone()).or_insert(next)
    }

    /// The rounds of timed runs.
    pub fn rounds(&mut self, metric: &MetricId) -> Vec<Round> {
        let mut all = Vec::new();
        let batches = std::mem::take(&mut self.batches);
        let timed = batches.iter().enumerate().filter(|(_, batch)| batch.source == Source::Run);
        for (batch, readings) in timed {
            for runs in readings.rounds.values() {
                let number = |(digest, value): &(ArtifactId, f64)| {
                    (self.number(digest), logarithm(metric, *value))
                };
                all.push(Round { batch, readings: runs.iter().map(number).collect() });
            }
        }
        self.batches = batches;
        all
    }

    /// The counts of instruments, by artefact.
    pub fn counts(&mut self, metric: &MetricId) -> Vec<(usize, Vec<f64>)> {
        let mut all: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        let batches = std::mem::take(&mut self.batches);
        for batch in batches.iter().filter(|batch| batch.source != Source::Run) {
            for (digest, value) in batch.rounds.values().flatten() {
                let value = logarithm(metric, *value);
                if value.is_finite() {
                    all.entry(self.number(digest)).or_default().push(value);
                }
            }
        }
        self.batches = batches;
        all.into_iter().collect()
    }

    /// True if timed runs have readings of the metric.
    pub fn is_timed(&self) -> bool {
        self.batches.iter().any(|batch| batch.source == Source::Run)
    }

    /// The number of timed rounds in which all of these artefacts ran.
    pub fn rounds_of(&self, digests: &[ArtifactId]) -> u32 {
        let has = |runs: &&Vec<(ArtifactId, f64)>| {
            digests.iter().all(|wanted| runs.iter().any(|(digest, _)| digest == wanted))
        };
        let timed = self.batches.iter().filter(|batch| batch.source == Source::Run);
        let rounds = timed.flat_map(|batch| batch.rounds.values()).filter(has).count();
        u32::try_from(rounds).unwrap_or(u32::MAX)
    }
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
pub fn places(
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
pub fn ratio(difference: &Difference) -> String {
    let (ratio, (low, high)) = difference.ratio(SHOWN_ALPHA);
    if low == high {
        return format!("exactly {ratio:.5}");
    }
    let decimals = ratio_decimals(low, high);
    format!("{ratio:.decimals$} [{low:.decimals$}, {high:.decimals$}]")
}

/// The probability of the likeliest commit: `97 %`, never 100 %.
pub fn likelihood(assessment: &Assessment) -> String {
    let (_, _, mass) = assessment.most_probable();
    format!("{:.0} %", (100.0 * mass).floor().min(99.0))
}

/// The commits that remain: `one of 7 commits, from 1a2b3c4 to 5d6e7f8 (95 %)`.
pub fn still(assessment: &Assessment, revisions: &[Revision]) -> String {
    let (first, last) = assessment.credible(0.95);
    let name = |at: usize| short(&revisions[at].hash);
    if first == last {
        return format!("{} with {} probability", name(first), likelihood(assessment));
    }
    let count = last - first + 1;
    format!("one of {count} commits with 95 % probability, {} to {}", name(first), name(last))
}

/// A sentence on commits that are certainly between the ends, which means several changes.
pub fn several(assessment: &Assessment, revisions: &[Revision]) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::lineage::tests::line;
    use model::metric::{INSTRUCTIONS, WALL_TIME};

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
