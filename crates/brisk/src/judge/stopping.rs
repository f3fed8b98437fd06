//! When to stop measuring.
//!
//! Between rounds, never inside one: when the verdict is settled, or when the budget is spent.
//! Looks are taken at rounds fixed beforehand, each a fifth later than the one before, so that
//! when one looks says nothing about what one sees.

use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::family::{self, Member};
use super::stage::Stage;
use super::verdict::Margin;
use crate::metric::MetricId;
use crate::run::tag::MOST_ROUNDS;
use crate::spec::duration::{self, DurationError};
use crate::sweep::rule::SweepRule;

/// The options that say how long to measure and how sure to be.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How long, and how sure")]
pub struct StoppingOptions {
    /// Warm-up rounds before the measured ones [default: 0]
    #[arg(short, long, value_name = "N")]
    pub warmup: Option<u32>,

    /// Exactly so many rounds; a round runs every command once
    #[arg(short, long, value_name = "N", conflicts_with_all = ["min_runs", "max_runs", "budget"])]
    pub runs: Option<u32>,

    /// At least so many rounds [default: enough for an interval of every metric, 12 for two commands]
    #[arg(short, long, value_name = "N")]
    pub min_runs: Option<u32>,

    /// At most so many rounds
    #[arg(short = 'M', long, value_name = "N")]
    pub max_runs: Option<u32>,

    /// The longest to measure when nothing settles earlier; 7.5 s for each command by
    /// default, in a history 2 s for each artefact
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub budget: Option<String>,

    /// The smallest change that matters, in percent [default: 1, and a history ends when changes of
    /// 3 would have been seen]
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub margin: Option<String>,

    /// How sure all verdicts together shall be, in percent
    #[arg(long, value_name = "PERCENT", default_value = "95", allow_hyphen_values = true)]
    pub confidence: String,

    /// What is compared: the scores of the runs' ranks, the pseudo-median of the ratios within
    /// rounds, their median, the ratio of means, or the ratio of minima
    #[arg(long, value_enum, default_value = "rank-scores")]
    pub estimator: EstimatorOption,

    /// Draw the order of the runs from this number
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Exit with status 3 when the answer is inconclusive
    #[arg(long)]
    pub require_verdict: bool,
}

/// The estimators by their names on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each is explained in `stats::Estimator`")]
pub enum EstimatorOption {
    RankScores,
    PseudoMedian,
    Median,
    Mean,
    Min,
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

/// How long to measure, and how sure to be: checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoppingRule {
    /// Warm-up rounds.
    pub warmup: u32,
    /// The least rounds.
    pub min_rounds: u32,
    /// The most rounds. When it equals the least, there is one look, at the end.
    pub max_rounds: u32,
    /// The longest to measure, in seconds; none when the number of rounds is fixed.
    pub budget_seconds: Option<f64>,
    /// The smallest change that matters.
    pub margin: Margin,
    /// How small a change must have been visible, in margins, for measuring to end without one.
    #[serde(default = "fine")]
    pub resolution: f64,
    /// The probability that no verdict at all is false, for example 0.95.
    pub confidence: f64,
    /// What is compared.
    pub estimator: EstimatorOption,
    /// How much of the error is kept for going on, and what is behind it.
    #[serde(default, skip_serializing_if = "Stage::is_only")]
    pub stage: Stage,
    /// In a sweep, what it is about; none in other experiments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<SweepRule>,
    /// The user's own metrics, which are judged beside the usual ones where none are named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_metrics: Vec<MetricId>,
}

/// Why the options cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum StoppingError {
    #[error("bad `--budget`")]
    Budget(#[from] DurationError),
    #[error("`{0}` is not a margin; write a positive number of percent, for example `--margin 1`")]
    Margin(String),
    #[error("`{0}` is not a confidence; write a percentage from 50 to below 100")]
    Confidence(String),
    #[error("`{option} {value}`: the number of runs must be from 1 to {most}")]
    Runs { option: &'static str, value: u32, most: u32 },
    #[error("at least {min} runs and at most {max} cannot both be")]
    Crossed { min: u32, max: u32 },
}

/// A quarter of the margin: a comparison of two commands looks for what is faint, too.
fn fine() -> f64 {
    0.25
}

/// The default margin, in percent.
const DEFAULT_MARGIN: &str = "1";

/// The default budget for each variant.
const BUDGET_A_VARIANT: Duration = Duration::from_millis(7500);

impl StoppingOptions {
    /// The options for runs that were made already.
    pub fn for_runs(margin: &str, confidence: &str, estimator: EstimatorOption) -> Self {
        Self {
            warmup: None,
            runs: Some(1),
            min_runs: None,
            max_runs: None,
            budget: None,
            margin: Some(margin.to_owned()),
            confidence: confidence.to_owned(),
            estimator,
            seed: None,
            require_verdict: false,
        }
    }

    /// Whether it is said how long to measure.
    pub fn says_how_long(&self) -> bool {
        let rounds = [self.runs, self.min_runs, self.max_runs];
        self.budget.is_some() || rounds.iter().any(Option::is_some)
    }

    /// The rule, for so many variants.
    ///
    /// # Errors
    ///
    /// When a number makes no sense.
    pub fn rule(&self, variants: usize) -> Result<StoppingRule, StoppingError> {
        let runs = |option, value| match value {
            1..=MOST_ROUNDS => Ok(value),
            _ => Err(StoppingError::Runs { option, value, most: MOST_ROUNDS }),
        };
        let (min_rounds, max_rounds) = if let Some(exactly) = self.runs {
            let exactly = runs("--runs", exactly)?;
            (exactly, exactly)
        } else {
            let max = runs("--max-runs", self.max_runs.unwrap_or(MOST_ROUNDS))?;
            // The default minimum gives way to a maximum that is said.
            let min = self.min_runs.unwrap_or_else(|| max.min(StoppingRule::USUAL_ROUNDS));
            (runs("--min-runs", min)?, max)
        };
        if min_rounds > max_rounds {
            return Err(StoppingError::Crossed { min: min_rounds, max: max_rounds });
        }
        let budget = match &self.budget {
            Some(text) => duration::parse(text)?,
            None => BUDGET_A_VARIANT.mul_f64(variants as f64),
        };
        Ok(StoppingRule {
            warmup: self.warmup.unwrap_or(0),
            min_rounds,
            max_rounds,
            budget_seconds: self.runs.is_none().then_some(budget.as_secs_f64()),
            margin: self.margin()?,
            resolution: fine(),
            confidence: self.confidence()?,
            estimator: self.estimator,
            stage: Stage::default(),
            sweep: None,
            own_metrics: Vec::new(),
        })
    }

    /// The rule with enough rounds for each of its comparisons to have an interval, whatever the
    /// budget, unless it is said how many rounds there are.
    #[must_use]
    pub fn with_enough_rounds(&self, rule: StoppingRule, members: &[Member]) -> StoppingRule {
        let strictest = members.iter().map(|member| member.alpha).reduce(f64::min);
        let is_said = rule.is_fixed() || self.min_runs.is_some();
        let Some(alpha) = strictest.filter(|_| !is_said) else { return rule };
        let enough = family::enough_rounds(rule.estimator.into(), alpha * rule.stage.end());
        let min_rounds = rule.min_rounds.max(enough).min(rule.max_rounds);
        StoppingRule { min_rounds, ..rule }
    }

    fn margin(&self) -> Result<Margin, StoppingError> {
        let text = self.margin.as_deref().unwrap_or(DEFAULT_MARGIN);
        percent(text).and_then(Margin::new).ok_or_else(|| StoppingError::Margin(text.to_owned()))
    }

    fn confidence(&self) -> Result<f64, StoppingError> {
        percent(&self.confidence)
            .filter(|fraction| (0.5..1.0).contains(fraction))
            .ok_or_else(|| StoppingError::Confidence(self.confidence.clone()))
    }
}

/// `1.5` or `1.5%` as a fraction.
fn percent(text: &str) -> Option<f64> {
    text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok().map(|value| value / 100.0)
}

/// Why measuring ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The deciding verdicts are settled.
    Settled,
    /// The time is up.
    Budget,
    /// The rounds asked for were run.
    Rounds,
    /// Someone pressed Ctrl-C, or killed it.
    Interrupted,
    /// A command failed.
    Failed,
}

/// How far an experiment has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Finished rounds.
    pub rounds: u32,
    /// Seconds since the first of them began.
    pub elapsed_seconds: f64,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Run so many more rounds, then ask again.
    Rounds(u32),
    /// Take a look, the last one.
    LastLook(StopReason),
    /// Take a look; go on unless it settles everything.
    Look,
}

impl StoppingRule {
    /// The least rounds, unless they are said or more are needed.
    pub const USUAL_ROUNDS: u32 = 10;

    /// The share of the permitted error that may be spent by now.
    pub fn clock(&self, progress: Progress) -> f64 {
        self.stage.clock(self.share(progress))
    }

    /// The share of the budget that has passed, since it went on where it did: of time or of rounds,
    /// whichever is further.
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

    /// Whether an experiment that ended by another rule, having come so far, can go on by this one.
    pub fn goes_beyond(&self, ended: &Self, done: Progress) -> bool {
        let has_time = self.budget_seconds.is_none_or(|budget| budget > done.elapsed_seconds);
        let has_rounds = done.rounds < self.max_rounds;
        ended.stage.reserve > 0.0 && has_rounds && (has_time || done.rounds < self.min_rounds)
    }

    /// This rule for an experiment that was begun by another one: the error that was spent stays spent.
    /// `ended` says how far it had come where it had ended by that rule, and was not interrupted.
    #[must_use]
    pub fn going_on(&self, begun: &Self, ended: Option<Progress>) -> Self {
        let stage = ended.map_or(begun.stage, |done| begun.stage.next(done));
        Self { stage, ..self.clone() }
    }

    /// What to do next. `next_look` is the round of the next look; `looked` the round of the last
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

    /// Whether there is one look only, at the end.
    pub fn is_fixed(&self) -> bool {
        self.min_rounds == self.max_rounds
    }
}

#[cfg(test)]
impl StoppingRule {
    /// The default rule with a budget of a minute, for tests.
    pub fn of_a_test() -> Self {
        Self {
            warmup: 0,
            min_rounds: 10,
            max_rounds: 300,
            budget_seconds: Some(60.0),
            margin: Margin::new(0.01).expect("positive"),
            resolution: fine(),
            confidence: 0.95,
            estimator: EstimatorOption::RankScores,
            stage: Stage::default(),
            sweep: None,
            own_metrics: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::WALL_TIME;

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
        // Four rounds fit into what is left.
        assert_eq!(rule.next(at(40, 4.5), 48, Some(40)), Next::Rounds(4));
    }

    #[test]
    fn many_comparisons_have_as_many_rounds_as_they_need() {
        let unsaid = StoppingOptions {
            runs: None,
            ..StoppingOptions::for_runs("1", "95", EstimatorOption::RankScores)
        };
        let rounds = |options: &StoppingOptions, comparisons: usize| {
            let members = family::members(Some(&[WALL_TIME]), comparisons, 0.95);
            let rule = options.rule(2).expect("sound");
            options.with_enough_rounds(rule, &members).min_rounds
        };
        // 2^-9 > 0.05 / 40 >= 2^-10, so 11 rounds and one more.
        assert_eq!([1, 40].map(|comparisons| rounds(&unsaid, comparisons)), [10, 12]);
        // Beside wall time the metrics that only matter when they change have less error each.
        let all = |comparisons| {
            let members = family::members(None, comparisons, 0.95);
            unsaid.with_enough_rounds(unsaid.rule(2).expect("sound"), &members).min_rounds
        };
        assert_eq!([1, 40].map(all), [12, 17]);
        let said = |runs, min_runs, max_runs| {
            rounds(&StoppingOptions { runs, min_runs, max_runs, ..unsaid.clone() }, 40)
        };
        assert_eq!(said(None, None, Some(11)), 11, "no more than the most");
        assert_eq!(said(None, Some(10), None), 10, "it was said, although it is the usual number");
        assert_eq!(said(Some(10), None, None), 10, "it was said");
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
    fn what_makes_no_sense_is_blamed_on_what_was_typed() {
        let rule = |arguments: &[&str]| {
            let (min_runs, max_runs) = match arguments {
                ["--max-runs", max] => (None, max.parse().ok()),
                ["--min-runs", min, "--max-runs", max] => (min.parse().ok(), max.parse().ok()),
                _ => unreachable!("no other is asked"),
            };
            let usual = StoppingOptions::for_runs("1", "95", EstimatorOption::RankScores);
            let options = StoppingOptions { runs: None, min_runs, max_runs, ..usual };
            options.rule(2).map_err(|error| error.to_string())
        };
        let said = rule(&["--max-runs", "0"]).expect_err("none is too few");
        assert!(said.starts_with("`--max-runs 0`"), "{said}");
        let said = rule(&["--min-runs", "0", "--max-runs", "5"]).expect_err("none is too few");
        assert!(said.starts_with("`--min-runs 0`"), "{said}");
        let few = rule(&["--max-runs", "5"]).expect("five at most, so five at least");
        assert_eq!((few.min_rounds, few.max_rounds), (5, 5));
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
    fn a_percentage_may_carry_its_sign() {
        assert_eq!(percent("5"), Some(0.05));
        assert_eq!(percent(" 5 % "), Some(0.05));
        assert_eq!(percent("x"), None);
    }
}
