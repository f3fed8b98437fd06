//! Which variants are compared with which, planned before anything runs (planned contrasts).
//!
//! A comparison of commands compares each candidate with its baseline, a history each commit with
//! the one before it. From here on nothing knows which it was.

use serde::{Deserialize, Serialize};

use super::family::{self, Member};
use super::stopping::StoppingRule;
use crate::metric::MetricId;

/// The comparisons of one experiment.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Contrasts {
    /// Baseline and candidate of each comparison that measuring is about: it goes on until each is
    /// settled. A variant that is not compared, but whose own value is asked for, makes a pair with
    /// itself.
    pub pairs: Vec<(u32, u32)>,
    /// Pairs farther apart, judged once at the end from the rounds that the others needed; never a
    /// reason to measure on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<(u32, u32)>,
    /// How many comparisons share the permitted error, where these are part of a larger whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<usize>,
    /// Variants of which nothing is asked but what the first rounds show; none in most experiments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<Company>,
    /// What becomes of the others when a run of a variant fails.
    #[serde(default, skip_serializing_if = "Failing::is_fatal")]
    pub failing: Failing,
}

/// What becomes of an experiment when a run of one of its variants fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failing {
    /// It ends.
    #[default]
    EndsAll,
    /// The run has no reading, and all goes on; a variant whose runs fail again and again takes part
    /// no more, and is not judged.
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

/// Variants that are neither compared nor asked for their own value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Company {
    /// They are this one and all behind it.
    pub from: u32,
    /// They take part in so many rounds, from the first one on.
    pub rounds: u32,
}

impl Contrasts {
    /// The pairs of two variants.
    pub fn compared(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.pairs.iter().copied().filter(|(baseline, candidate)| baseline != candidate)
    }

    /// Each candidate with its baseline: see [`family::baseline_of`].
    pub fn of_commands(variants: u32, commands: u32) -> Self {
        Self { pairs: family::pairs(variants, commands), ..Self::default() }
    }

    /// The judged metrics, and how much each comparison in them may err.
    pub fn members(&self, metrics: Option<&[MetricId]>, rule: &StoppingRule) -> Vec<Member> {
        family::members_with(&rule.own_metrics, metrics, self.family(), rule.confidence)
    }

    /// How many comparisons share the permitted error.
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
    fn a_pair_with_itself_is_no_comparison() {
        let pairs = vec![(0, 1), (2, 2), (1, 0)];
        let contrasts = Contrasts { pairs, ..Contrasts::default() };
        assert_eq!(contrasts.compared().collect::<Vec<_>>(), [(0, 1), (1, 0)]);
        assert_eq!(contrasts.family(), 3);
    }
}
