//! The decision when to stop measuring.
//!
//! Measuring stops between rounds, never inside one: when the verdict is settled, or when the
//! budget is spent. Looks are taken at rounds fixed beforehand, each a fifth later than the
//! previous one, so that the time of a look says nothing about its result.
//!
//! An experiment can be extended beyond its budget, in the stages of [`stats::sequential`]: the first
//! budget spends nine tenths of the permitted error, and each extension half of the rest. The error
//! spent by earlier stages stays spent, look by look.

use crate::design::{self, Member};
use crate::metric::MetricId;
use crate::spec::MOST_ROUNDS;
use crate::sweep::SweepRule;
use crate::verdict::Margin;
use serde::{Deserialize, Serialize};
use stats::sequential::{spent_by_stage, spent_within_stage};

/// The estimators by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each is explained in `stats::Estimator`")]
pub enum EstimatorOption {
    RankScores,
    PseudoMedian,
    Median,
    Mean,
    Min,
}

impl EstimatorOption {
    /// All estimators.
    pub const ALL: [Self; 5] =
        [Self::RankScores, Self::PseudoMedian, Self::Median, Self::Mean, Self::Min];

    /// Its word on the command line and in documents.
    pub fn word(self) -> &'static str {
        match self {
            Self::RankScores => "rank-scores",
            Self::PseudoMedian => "pseudo-median",
            Self::Median => "median",
            Self::Mean => "mean",
            Self::Min => "min",
        }
    }
}

impl From<EstimatorOption> for stats::Estimator {
    fn from(option: EstimatorOption) -> Self {
        match option {
            EstimatorOption::RankScores => Self::RankScores,
            EstimatorOption::PseudoMedian => Self::PseudoMedian,
            EstimatorOption::Median => Self::Median,
            EstimatorOption::Mean => Self::Mean,
            EstimatorOption::Min => Self::Min,
        }
    }
}

/// The duration of measuring and the required certainty, validated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoppingRule {
    /// Warm-up rounds.
    pub warmup: u32,
    /// The minimum number of rounds.
    pub min_rounds: u32,
    /// The maximum number of rounds. If it equals the minimum, there is one look, at the end.
    pub max_rounds: u32,
    /// The maximum time of measuring, in seconds; none if the number of rounds is fixed.
    pub budget_seconds: Option<f64>,
    /// The smallest change that matters.
    pub margin: Margin,
    /// The smallest change that must be detectable, in margins, before measuring may end without
    /// one.
    pub resolution: f64,
    /// The required precision of a change larger than the margin: half its interval on the log
    /// scale, as a fraction of the change.
    #[serde(default = "a_quarter", skip_serializing_if = "is_a_quarter")]
    pub precision: f64,
    /// The probability that no verdict is false, for example 0.95.
    pub confidence: f64,
    /// The estimator that is compared.
    pub estimator: EstimatorOption,
    /// The error reserved for an extension, and the progress made before.
    #[serde(default, skip_serializing_if = "Stage::is_only")]
    pub stage: Stage,
    /// The rule of a sweep; none in other experiments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<SweepRule>,
    /// The user's own metrics, and those of copies, which are judged beside the usual ones if no
    /// metrics are named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_metrics: Vec<MetricId>,
}

fn a_quarter() -> f64 {
    StoppingRule::USUAL_PRECISION
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::float_cmp,
    reason = "as serde asks, and as it was set"
)]
fn is_a_quarter(precision: &f64) -> bool {
    *precision == a_quarter()
}

/// The reason that measuring ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The deciding verdicts are settled.
    Settled,
    /// The time budget was spent.
    Budget,
    /// The requested rounds were run.
    Rounds,
    /// The user pressed Ctrl-C, or the process was killed.
    Interrupted,
    /// A command failed.
    Failed,
    /// It has not ended: the experiment is being measured.
    Running,
}

/// The progress of an experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Finished rounds.
    pub rounds: u32,
    /// The time since the first round began, in seconds.
    pub elapsed_seconds: f64,
}

/// The next action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Run this number of rounds, then ask again.
    Rounds(u32),
    /// Take the last look.
    LastLook(StopReason),
    /// Take a look; continue unless it settles everything.
    Look,
}

impl StoppingRule {
    /// The usual minimum number of rounds, unless one is given or more are needed.
    pub const USUAL_ROUNDS: u32 = 10;

    /// A change is known well enough if it is known to within a quarter.
    const USUAL_PRECISION: f64 = 0.25;

    /// A quarter of the margin: a comparison of two commands also looks for faint changes.
    const FINE_RESOLUTION: f64 = 0.25;

    /// The usual time of measuring, in seconds, for each variant.
    pub const BUDGET_SECONDS_A_VARIANT: f64 = 7.5;

    /// The usual confidence: one experiment in twenty may have a false verdict.
    const USUAL_CONFIDENCE: f64 = 0.95;

    /// The usual rule for this number of variants: until all is settled, or the time is over, with a
    /// margin of 1 %.
    pub fn usual(variants: usize) -> Self {
        Self {
            warmup: 0,
            min_rounds: Self::USUAL_ROUNDS,
            max_rounds: MOST_ROUNDS,
            budget_seconds: Some(Self::BUDGET_SECONDS_A_VARIANT * variants as f64),
            margin: Margin::ONE_PERCENT,
            resolution: Self::FINE_RESOLUTION,
            precision: Self::USUAL_PRECISION,
            confidence: Self::USUAL_CONFIDENCE,
            estimator: EstimatorOption::RankScores,
            stage: Stage::default(),
            sweep: None,
            own_metrics: Vec::new(),
        }
    }

    /// This rule with enough rounds for an interval in each of its comparisons, whatever the
    /// budget, unless the number of rounds is fixed. Far quantiles need hundreds of rounds: they
    /// get what the budget allows.
    #[must_use]
    pub fn with_enough_rounds(self, members: &[Member]) -> Self {
        let of_readings = members.iter().filter(|member| member.metric.quantile().is_none());
        let strictest = of_readings.map(|member| member.alpha).reduce(f64::min);
        let Some(alpha) = strictest.filter(|_| !self.is_fixed()) else { return self };
        let enough = design::enough_rounds(self.estimator.into(), alpha * self.stage.end());
        let min_rounds = self.min_rounds.max(enough).min(self.max_rounds);
        Self { min_rounds, ..self }
    }

    /// The share of the permitted error that may have been spent.
    pub fn clock(&self, progress: Progress) -> f64 {
        self.stage.clock(self.share(progress))
    }

    /// The share of the budget that has passed since the current stage began: of time or of rounds,
    /// whichever is larger.
    pub fn share(&self, progress: Progress) -> f64 {
        let Stage { rounds, seconds, .. } = self.stage;
        let since = |now: f64, then: f64, end: f64| {
            if end > then { (now - then) / (end - then) } else { 1.0 }
        };
        let of_rounds = since(progress.rounds.into(), rounds.into(), self.max_rounds.into());
        let of_time = (self.budget_seconds)
            .map_or(0.0, |budget| since(progress.elapsed_seconds, seconds, budget));
        of_rounds.max(of_time).clamp(f64::MIN_POSITIVE, 1.0)
    }

    /// True if an experiment that ended by the rule `ended`, after the progress `done`, can be
    /// extended by this one.
    pub fn goes_beyond(&self, ended: &Self, done: Progress) -> bool {
        let has_time = self.budget_seconds.is_none_or(|budget| budget > done.elapsed_seconds);
        let has_rounds = done.rounds < self.max_rounds;
        ended.stage.reserve > 0.0 && has_rounds && (has_time || done.rounds < self.min_rounds)
    }

    /// This rule for an experiment begun by another rule: the error already spent stays spent.
    /// `ended` is the progress at which it had ended by that rule; `None` if it was interrupted.
    #[must_use]
    pub fn going_on(&self, begun: &Self, ended: Option<Progress>) -> Self {
        let stage = ended.map_or(begun.stage, |done| begun.stage.next(done));
        Self { stage, ..self.clone() }
    }

    /// The next action. `next_look` is the round of the next look; `looked` the round of the last
    /// one, if any.
    pub fn next(&self, progress: Progress, next_look: u32, looked: Option<u32>) -> Next {
        let done = progress.rounds;
        if done >= self.max_rounds {
            return Next::LastLook(StopReason::Rounds);
        }
        let seconds_left = self.budget_seconds.map(|budget| budget - progress.elapsed_seconds);
        if done >= self.min_rounds && seconds_left.is_some_and(|left| left <= 0.0) {
            return Next::LastLook(StopReason::Budget);
        }
        if done >= next_look && looked != Some(done) {
            return Next::Look;
        }
        if done == 0 {
            return Next::Rounds(1);
        }
        let seconds_a_round = progress.elapsed_seconds / f64::from(done);
        let affordable = match seconds_left {
            Some(left) if seconds_a_round > 0.0 => (left / seconds_a_round) as u32,
            _ => u32::MAX,
        };
        let until_look = next_look.min(self.max_rounds).saturating_sub(done);
        let least = self.min_rounds.saturating_sub(done);
        Next::Rounds(until_look.min(affordable.max(least)).max(1))
    }

    /// True if there is a single look, at the end.
    pub fn is_fixed(&self) -> bool {
        self.min_rounds == self.max_rounds
    }
}

#[cfg(any(test, feature = "testing"))]
impl StoppingRule {
    /// The default rule with a budget of a minute, for tests.
    pub fn of_a_test() -> Self {
        Self { max_rounds: 300, budget_seconds: Some(60.0), ..Self::usual(2) }
    }
}

/// The share of the error that the first stage leaves for later ones. Arbitrary: intervals are 2 %
/// wider for it, and an extension of the same length makes them narrower by an eighth in spite of
/// its smaller share.
const RESERVE: f64 = 0.1;

/// The share of the error reserved for extensions, and the stages already completed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Stage {
    /// The share that the first stage leaves; 0 if the experiment cannot be extended.
    pub reserve: f64,
    /// The number of extensions so far.
    pub number: u32,
    /// The rounds of all earlier stages.
    pub rounds: u32,
    /// The duration of all earlier stages, in seconds.
    pub seconds: f64,
}

impl Stage {
    /// The first stage of an experiment that may be extended.
    pub fn first() -> Self {
        Self { reserve: RESERVE, ..Self::default() }
    }

    /// The next stage, after the progress `done`.
    #[must_use]
    pub fn next(self, done: Progress) -> Self {
        let Progress { rounds, elapsed_seconds: seconds } = done;
        Self { reserve: self.reserve, number: self.number + 1, rounds, seconds }
    }

    /// The share of the error spent after this share of the stage.
    pub fn clock(self, share: f64) -> f64 {
        spent_within_stage(self.reserve, self.number, share)
    }

    /// The share of the error spent at the end of the stage.
    pub fn end(self) -> f64 {
        spent_by_stage(self.reserve, self.number)
    }

    /// True if no stage precedes it and no error is reserved, as in an experiment that ends with
    /// its budget.
    pub fn is_only(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(min_rounds: u32, max_rounds: u32, budget_seconds: Option<f64>) -> StoppingRule {
        StoppingRule { min_rounds, max_rounds, budget_seconds, ..StoppingRule::of_a_test() }
    }

    fn at(rounds: u32, elapsed_seconds: f64) -> Progress {
        Progress { rounds, elapsed_seconds }
    }

    #[test]
    fn the_budget_ends_it_but_not_before_the_least_rounds() {
        let rule = rule(10, 1000, Some(5.0));
        assert_eq!(rule.next(at(9, 60.0), 10, None), Next::Rounds(1));
        assert_eq!(rule.next(at(10, 60.0), 10, None), Next::LastLook(StopReason::Budget));
        assert_eq!(rule.next(at(40, 4.0), 48, Some(40)), Next::Rounds(8));
        // Four rounds fit into the remaining time.
        assert_eq!(rule.next(at(40, 4.5), 48, Some(40)), Next::Rounds(4));
    }

    #[test]
    fn a_look_is_taken_once() {
        let rule = rule(10, 1000, Some(5.0));
        assert_eq!(rule.next(at(12, 1.0), 12, Some(10)), Next::Look);
        assert_eq!(rule.next(at(12, 1.0), 15, Some(12)), Next::Rounds(3));
    }

    #[test]
    fn the_most_rounds_are_never_exceeded() {
        let rule = rule(1, 7, Some(100.0));
        assert_eq!(rule.next(at(5, 1.0), 20, None), Next::Rounds(2));
        assert_eq!(rule.next(at(7, 1.0), 20, None), Next::LastLook(StopReason::Rounds));
    }

    #[test]
    fn the_clock_never_leaves_its_range() {
        let rule = rule(1, 10, Some(2.0));
        assert!((rule.clock(at(5, 0.5)) - 0.5).abs() < 1e-12);
        assert!((rule.clock(at(1, 1.5)) - 0.75).abs() < 1e-12);
        assert!((rule.clock(at(10, 99.0)) - 1.0).abs() < 1e-12);
        assert!(rule.clock(at(0, 0.0)) > 0.0);
    }

    #[test]
    fn what_goes_on_spends_what_was_kept_over_what_is_new() {
        let begun = StoppingRule { stage: Stage::first(), ..rule(10, 1000, Some(20.0)) };
        let (done, longer) = (at(40, 20.1), rule(10, 1000, Some(60.0)));
        assert!(longer.goes_beyond(&begun, done));
        assert!(!begun.goes_beyond(&begun, done), "no longer than before");
        assert!(!longer.goes_beyond(&rule(10, 1000, Some(20.0)), done), "nothing was kept");
        assert!(!rule(10, 40, Some(60.0)).goes_beyond(&begun, done), "no more rounds");
        let on = longer.going_on(&begun, Some(done));
        for (progress, clock) in [(done, 0.9), (at(80, 40.05), 0.925), (at(120, 60.0), 0.95)] {
            assert!((on.clock(progress) - clock).abs() < 1e-9, "{progress:?}");
        }
        let resumed = longer.going_on(&begun, None);
        assert!((resumed.clock(at(80, 30.0)) - 0.45).abs() < 1e-12);
    }

    #[test]
    fn each_stage_spends_half_of_what_is_left() {
        let done = Progress { rounds: 40, elapsed_seconds: 5.0 };
        let first = Stage::first();
        let (second, third) = (first.next(done), first.next(done).next(done));
        for (stage, from, to) in [(first, 0.0, 0.9), (second, 0.9, 0.95), (third, 0.95, 0.975)] {
            assert!((stage.clock(0.0) - from).abs() < 1e-12 && (stage.end() - to).abs() < 1e-12);
            assert!((stage.clock(1.0) - to).abs() < 1e-12);
        }
        // An experiment that cannot be extended spends all of it, in proportion to the clock.
        assert!((Stage::default().clock(0.25) - 0.25).abs() < 1e-15);
    }
}
