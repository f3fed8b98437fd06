//! The number of rounds of each instrument, and their agreement.

use super::Conductor;
use model::design::family;
use model::metric::{self, MetricId, Source};

/// Rounds under each instrument: two show if the count is exact; if not, there are ten, or as many
/// as the comparisons need.
pub(super) const INSTRUMENTED_ROUNDS: (u32, u32) = (2, 10);

/// Rounds in which memory is sampled: with three, a deviating run is outvoted.
pub(super) const SAMPLED_ROUNDS: u32 = 3;

impl Conductor<'_> {
    pub(super) fn more_instrumented(&self, source: Source, done: u32) -> u32 {
        if source == Source::Sampled {
            let is_wanted = self.design.instruments.contains(&source);
            return if is_wanted { SAMPLED_ROUNDS.saturating_sub(done) } else { 0 };
        }
        let estimator = self.design.stopping.estimator.into();
        let (few, usual) = INSTRUMENTED_ROUNDS;
        let few = few.min(self.design.stopping.max_rounds);
        let strictest = self.sequence.members().iter().map(|member| member.alpha).reduce(f64::min);
        let many =
            strictest.map_or(usual, |alpha| usual.max(family::enough_rounds(estimator, alpha)));
        match (self.design.instruments.contains(&source), done) {
            (false, _) => 0,
            (true, 0) => few,
            (true, done) if done < many && !self.instrument_agrees(source) => many - done,
            (true, _) => 0,
        }
    }

    /// True if the instrument's main count was the same in every round.
    pub(super) fn instrument_agrees(&self, source: Source) -> bool {
        (0..self.design.variants).all(|variant| {
            let values = |id: &MetricId| {
                let column = self.columns.get(id, source);
                column.map(|column| column.of_variant(variant)).unwrap_or_default()
            };
            let counts: &[MetricId] = match source {
                Source::Run | Source::Sampled | Source::FollowUp => &[],
                // Not every runtime reports allocations.
                Source::Runtime if values(&metric::ALLOCATED).is_empty() => {
                    &[metric::GC_COUNT, metric::MAX_LIVE]
                }
                Source::Runtime => &[metric::ALLOCATED, metric::MAX_LIVE],
                Source::Valgrind => &[metric::INSTRUCTIONS],
            };
            let agree =
                |values: Vec<f64>| values.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 0.5);
            counts.iter().all(|id| agree(values(id)))
        })
    }

    pub(super) fn has_instrumented(&self, id: &MetricId, source: Source) -> bool {
        let column = self.columns.get(id, source);
        column.is_some_and(|column| {
            (0..self.design.variants).any(|variant| !column.of_variant(variant).is_empty())
        })
    }
}
