//! The test for settled comparisons, so that its variants need not run for it any more.

use super::Conductor;
use judge::comparison::{Comparison, Rule, compare};
use judge::diagnosis::CONTENTION_SHARE;
use judge::level::level_of;
use model::design::stopping::StoppingRule;
use model::metric::{self, CPU_TIME, MetricId, Nature, Source, WALL_TIME};
use model::verdict::Verdict;

impl Conductor<'_> {
    /// True if all deciding metrics of a pair are settled.
    pub(super) fn is_pair_settled(&mut self, baseline: u32, candidate: u32) -> bool {
        let deciding: Vec<MetricId> = self
            .sequence
            .members()
            .iter()
            .filter(|member| member.decides)
            .map(|member| member.metric.clone())
            .collect();
        if baseline == candidate {
            return !self.design.levels_decide
                || deciding.iter().all(|id| self.is_level_settled(id, candidate) != Some(false));
        }
        let mut settled = !deciding.is_empty();
        for id in deciding {
            let Some(comparison) = self.compare(&id, baseline, candidate) else { continue };
            let limits: Vec<f64> =
                self.design.contrasts.limits_of((baseline, candidate), &id).collect();
            let mut this = comparison.is_settled(&self.design.stopping, &limits);
            let is_open = !this && comparison.verdict == Verdict::Inconclusive;
            if is_open && id == WALL_TIME && limits.is_empty() {
                this = self.is_contended(baseline, candidate)
                    && self
                        .compare(&CPU_TIME, baseline, candidate)
                        .is_some_and(|cpu| cpu.is_settled(&self.design.stopping, &[]));
            }
            settled &= this;
            self.latest = Some(comparison);
        }
        settled
    }

    fn compare(&self, id: &MetricId, baseline: u32, candidate: u32) -> Option<Comparison> {
        let look = self.sequence.level(id)?;
        let pairs = self.columns.get(id, Source::Run)?.pairs(baseline, candidate);
        let rule = Rule {
            estimator: id.estimator(self.design.stopping.estimator.into()),
            margin: self.design.stopping.margin,
        };
        let direction = metric::find(id)?.direction;
        compare(&pairs, direction, Nature::Measured, rule, look).ok()
    }

    pub(super) fn is_contended(&self, baseline: u32, candidate: u32) -> bool {
        let share = |variant: u32| {
            let (waited, passed) = self.waited_and_passed[variant as usize];
            if passed > 0.0 { waited / passed } else { 0.0 }
        };
        share(baseline).max(share(candidate)) >= CONTENTION_SHARE
    }

    /// True if a variant without a comparison is settled: the interval of its median, or of the
    /// requested quantile, is no wider than the margin on either side, or than the resolution if
    /// that is coarser. `None` if it has no values.
    pub(super) fn is_level_settled(&self, id: &MetricId, variant: u32) -> Option<bool> {
        let values = self.columns.get(id, Source::Run)?.of_variant(variant);
        let level = level_of(id, &values)?;
        let StoppingRule { margin, resolution, .. } = self.design.stopping;
        let most = 1.0 + margin.fraction() * resolution.max(1.0);
        let is_within = |(low, high)| high <= level.value * most && low >= level.value / most;
        Some(level.low.zip(level.high).is_some_and(is_within))
    }
}
