//! The readings of the experiments about a question, for a search that uses every round.

use std::collections::{BTreeMap, HashMap};

use super::measuring::Measuring;
use crate::archive;
use crate::history::bisect::Batch;
use findings::Document;
use model::failure::Failure;
use model::metric::{MetricId, Source};
use model::run::Run;
use model::sample::{Columns, Treatment};
use model::spec::labels::ArtifactId;
use store::{ExperimentId, Store, StoreError};

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
