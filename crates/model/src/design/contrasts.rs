//! The pairs of variants to compare, chosen before anything runs (planned contrasts).
//!
//! A comparison of commands compares each candidate with its baseline, a history each commit with
//! the previous one. From here on, the difference is invisible.

use serde::{Deserialize, Serialize};

use super::family::{self, Member};
use super::stopping::StoppingRule;
use crate::metric::MetricId;

/// The comparisons of an experiment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Contrasts {
    /// The baseline and candidate of each comparison that is measured until it is settled. A
    /// variant that is not compared, but whose own value is requested, is paired with itself.
    pub pairs: Vec<(u32, u32)>,
    /// Pairs farther apart, judged once at the end from the rounds that the others needed; never a
    /// reason to continue measuring.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<(u32, u32)>,
    /// The number of comparisons that share the permitted error, if these are part of a larger
    /// family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<usize>,
    /// Variants that are only run in the first rounds; none in most experiments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<Company>,
    /// The consequence for the other variants when a run fails.
    #[serde(default, skip_serializing_if = "Failing::is_fatal")]
    pub failing: Failing,
    /// An earlier variant that all are compared with once at the end; none in most experiments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Earlier>,
    /// The pairs that are only tested against a limit; empty in most experiments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<RatioLimit>,
}

/// A limit of one of the pairs, in one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatioLimit {
    /// Baseline and candidate.
    pub pair: (u32, u32),
    /// The metric.
    pub metric: MetricId,
    /// The limit of the ratio, candidate over baseline.
    pub ratio: f64,
}

/// A variant of a stored experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// That variant.
    pub with: Elsewhere,
    /// The same command in other experiments on the same machine, which show how far experiments
    /// differ.
    pub further: Vec<Elsewhere>,
}

/// A variant of another experiment in the same store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elsewhere {
    /// The experiment's number.
    pub experiment: i64,
    /// The variant's number there.
    pub variant: u32,
}

/// The consequence for an experiment when a run of one of its variants fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failing {
    /// The experiment ends.
    #[default]
    EndsAll,
    /// The run has no reading, and the experiment continues; a variant whose runs fail repeatedly
    /// is withdrawn, and not judged.
    LeavesTheRest,
    /// The same, but such a variant is judged by its other runs.
    CostsTheRun,
}

impl Failing {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    fn is_fatal(&self) -> bool {
        *self == Self::EndsAll
    }
}

/// Variants that are neither compared nor judged by their own value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Company {
    /// The first of these variants; all after it belong to them, too.
    pub from: u32,
    /// The number of rounds they take part in, from the first one on.
    pub rounds: u32,
}

impl Contrasts {
    /// The pairs of two variants.
    pub fn compared(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.pairs.iter().copied().filter(|(baseline, candidate)| baseline != candidate)
    }

    /// The limits of the ratio of a pair in a metric.
    pub fn limits_of<'a>(
        &'a self,
        pair: (u32, u32),
        metric: &'a MetricId,
    ) -> impl Iterator<Item = f64> + 'a {
        let its = self.limits.iter().filter(move |it| it.pair == pair && it.metric == *metric);
        its.map(|limit| limit.ratio)
    }

    /// Each candidate with its baseline: see [`family::baseline_of`].
    pub fn of_commands(variants: u32, commands: u32) -> Self {
        Self { pairs: family::pairs(variants, commands), ..Self::default() }
    }

    /// The same with another baseline, chosen after the measurement: any pair could have been
    /// requested, so all of them share the permitted error.
    #[must_use]
    pub fn against(&self, baseline: u32, variants: u32) -> Self {
        let pairs = (0..variants).filter(|&one| one != baseline).map(|one| (baseline, one));
        let all = variants as usize * (variants as usize).saturating_sub(1) / 2;
        let family = Some(self.family().max(all));
        Self {
            pairs: pairs.collect(),
            spans: Vec::new(),
            limits: Vec::new(),
            family,
            ..self.clone()
        }
    }

    /// The same with a comparison of every variant with an earlier one; they share the permitted
    /// error.
    #[must_use]
    pub fn with_earlier(self, variants: u32, earlier: Option<Earlier>) -> Self {
        if earlier.is_none() {
            return self;
        }
        Self { family: Some(self.family() + variants as usize), earlier, ..self }
    }

    /// The judged metrics, each with the permitted error of its comparisons.
    pub fn members(&self, metrics: Option<&[MetricId]>, rule: &StoppingRule) -> Vec<Member> {
        family::members_with(&rule.own_metrics, metrics, self.family(), rule.confidence)
    }

    /// The number of comparisons that share the permitted error.
    pub fn family(&self) -> usize {
        self.family.unwrap_or(0).max(self.pairs.len() + self.spans.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_larger_whole_shares_its_error() {
        let mut contrasts = Contrasts::of_commands(3, 3);
        assert_eq!(contrasts.family(), 2);
        contrasts.spans.push((1, 2));
        assert_eq!(contrasts.family(), 3);
        contrasts.family = Some(39);
        assert_eq!(contrasts.family(), 39);
    }

    #[test]
    fn comparisons_with_an_earlier_experiment_share_the_error_of_the_others() {
        let with = Elsewhere { experiment: 7, variant: 1 };
        let earlier = Earlier { with, further: Vec::new() };
        let contrasts = Contrasts::of_commands(3, 3).with_earlier(3, Some(earlier));
        assert_eq!(contrasts.family(), 2 + 3);
        let alone = Contrasts::of_commands(3, 3).with_earlier(3, None);
        assert_eq!((alone.family(), &alone), (2, &Contrasts::of_commands(3, 3)));
    }

    #[test]
    fn another_baseline_shares_the_error_of_all_pairs() {
        let contrasts = Contrasts::of_commands(4, 4).against(2, 4);
        assert_eq!(contrasts.pairs, [(2, 0), (2, 1), (2, 3)]);
        assert_eq!(contrasts.family(), 6);
    }

    #[test]
    fn a_pair_with_itself_is_no_comparison() {
        let pairs = vec![(0, 1), (2, 2), (1, 0)];
        let contrasts = Contrasts { pairs, ..Contrasts::default() };
        assert_eq!(contrasts.compared().collect::<Vec<_>>(), [(0, 1), (1, 0)]);
        assert_eq!(contrasts.family(), 3);
    }
}
