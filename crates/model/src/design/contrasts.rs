//! The pairs of variants to compare, chosen before anything runs (planned contrasts), and the claims
//! that a benchmark is made of others: `transform = 6 * step + copy`.
//!
//! A comparison of commands compares each candidate with its baseline, a history each commit with
//! the previous one. From here on, the difference is invisible.
//!
//! With `>=` in place of `=` the whole of a claim may do more. The names are those listed by the
//! program; the signs between them have spaces around them, so names need no quotes. A name that
//! contains such a sign between spaces cannot be part of a claim.

use super::stopping::StoppingRule;
use crate::design::{self, Member};
use crate::metric::MetricId;
use serde::{Deserialize, Serialize};
use stats::parts::Claim;

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
        baseline: u32,
        candidate: u32,
        metric: &'a MetricId,
    ) -> impl Iterator<Item = f64> + 'a {
        let its = self
            .limits
            .iter()
            .filter(move |it| it.pair == (baseline, candidate) && it.metric == *metric);
        its.map(|limit| limit.ratio)
    }

    /// Each candidate with its baseline: see [`design::baseline_of`].
    pub fn of_commands(variants: u32, commands: u32) -> Self {
        Self { pairs: design::pairs(variants, commands), ..Self::default() }
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
        design::members_with(&rule.own_metrics, metrics, self.family(), rule.confidence)
    }

    /// The number of comparisons that share the permitted error.
    pub fn family(&self) -> usize {
        self.family.unwrap_or(0).max(self.pairs.len() + self.spans.len())
    }
}

/// A benchmark claimed to be made of others.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// The claim, as typed.
    pub text: String,
    /// The whole, by its index in the suite.
    pub whole: usize,
    /// The kind of claim: whether the whole may do more.
    pub claim: Claim,
    /// The number of times that it contains each benchmark.
    pub parts: Vec<(f64, usize)>,
}

/// The reason that a claim is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum MadeError {
    #[error("`{text}` is not a claim; write WHOLE = TIMES * PART + PART")]
    NoClaim { text: String },
    #[error("`{text}` names `{name}`, which is not a benchmark of the suite")]
    Unknown { text: String, name: String },
    #[error("`{text}` says that `{name}` is made of itself")]
    OfItself { text: String, name: String },
}

impl Made {
    /// Parses a claim about these benchmarks.
    ///
    /// # Errors
    ///
    /// When it is not a claim, or names a benchmark not among these.
    pub fn parse(text: &str, benchmarks: &[String]) -> Result<Self, MadeError> {
        let no_claim = || MadeError::NoClaim { text: text.to_owned() };
        let (whole, claim, sum) = match (text.split_once(" >= "), text.split_once(" = ")) {
            (Some((whole, sum)), _) => (whole, Claim::AtLeastSum, sum),
            (None, Some((whole, sum))) => (whole, Claim::Sum, sum),
            (None, None) => return Err(no_claim()),
        };
        let place = |name: &str| {
            let name = name.trim();
            let known = benchmarks.iter().position(|known| known == name);
            known.ok_or_else(|| MadeError::Unknown { text: text.to_owned(), name: name.to_owned() })
        };
        let whole = place(whole)?;
        let mut parts = Vec::new();
        for part in sum.split(" + ") {
            let (times, name) = match part.split_once(" * ") {
                Some((times, name)) => (times.trim().parse().map_err(|_| no_claim())?, name),
                None => (1.0, part),
            };
            if !(f64::is_finite(times) && times > 0.0) {
                return Err(no_claim());
            }
            let part = place(name)?;
            if part == whole {
                let name = benchmarks[whole].clone();
                return Err(MadeError::OfItself { text: text.to_owned(), name });
            }
            parts.push((times, part));
        }
        Ok(Self { text: text.to_owned(), whole, claim, parts })
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

    #[test]
    fn a_claim_is_a_whole_and_its_parts() {
        let names = ["dwt", "step", "a=b, c*d"].map(str::to_owned);
        let made = Made::parse("dwt = 6 * step + a=b, c*d", &names).expect("a claim");
        assert_eq!((made.whole, made.claim), (0, Claim::Sum));
        assert_eq!(made.parts, [(6.0, 1), (1.0, 2)]);
        let made = Made::parse("dwt >= 0.5 * step", &names).expect("a claim");
        assert_eq!((made.claim, made.parts), (Claim::AtLeastSum, vec![(0.5, 1)]));
    }

    #[test]
    fn what_is_no_claim_is_refused() {
        let names = ["dwt", "step"].map(str::to_owned);
        let message = |text: &str| Made::parse(text, &names).expect_err("refused").to_string();
        for text in ["", "dwt", "dwt = -1 * step", "dwt = x * step", "dwt = NaN * step"] {
            assert!(message(text).contains("is not a claim"), "{text}: {}", message(text));
        }
        assert!(message("dwt = 6 * stop").contains("names `stop`"));
        assert!(message("dwd = 6 * step").contains("names `dwd`"));
        assert!(message("dwt = ").contains("names ``"));
        assert!(message("dwt = 2 * dwt").contains("is made of itself"));
    }
}
