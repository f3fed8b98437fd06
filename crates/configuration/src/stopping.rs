//! The options for the duration and the certainty of measurements.

use std::convert::Infallible;
use std::time::Duration;

use clap::Args;
use clap::builder::TypedValueParser;

use super::reading::one_of;
use model::design::contrasts::Contrasts;
use model::design::stopping::{EstimatorOption, StoppingRule};
use model::metric::MetricId;
use model::spec::MOST_ROUNDS;
use model::spec::duration::{self, DurationError};
use model::verdict::Margin;

/// The options that say how long to measure and how sure to be.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How long, and how sure")]
pub struct StoppingOptions {
    /// Warm-up rounds before the measured ones [default: 0]
    #[arg(short, long, value_name = "N")]
    pub warmup: Option<u32>,

    /// The exact number of rounds
    ///
    /// A round runs every command once.
    #[arg(short, long, value_name = "N")]
    pub runs: Option<u32>,

    /// The least number of rounds [default: enough for an interval of every metric, 12 for two
    /// commands]
    #[arg(short, long, value_name = "N")]
    pub min_runs: Option<u32>,

    /// The largest number of rounds
    #[arg(short = 'M', long, value_name = "N")]
    pub max_runs: Option<u32>,

    /// The time limit for measuring
    ///
    /// Verdicts often settle earlier. 7.5 s for each command by default, and 2 s for each artefact
    /// of a history.
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = Typed::budget)]
    pub budget: Option<Typed<Duration>>,

    /// The smallest change that matters, in percent
    ///
    /// 1 by default; a history stops when it would have seen changes of 3.
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true, value_parser = Typed::margin)]
    pub margin: Option<Typed<Margin>>,

    /// The confidence of all verdicts together, in percent
    #[arg(long, value_name = "PERCENT", default_value = "95", allow_hyphen_values = true, value_parser = Typed::confidence)]
    pub confidence: Typed<f64>,

    /// What to compare: the scores of the runs' ranks, the pseudo-median or the median of the
    /// ratios within rounds, the ratio of means, or the ratio of minima
    #[arg(long, value_parser = estimators(), default_value = "rank-scores")]
    pub estimator: EstimatorOption,

    /// The seed of the random order of the runs
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Exit with status 3 when the answer is inconclusive
    #[arg(long)]
    pub require_verdict: bool,
}

/// The reason that the options cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
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
    #[error("`--runs` and `{0}` cannot both be given: `--runs` is the exact number of rounds")]
    Exact(&'static str),
}

impl StoppingError {
    /// A hint for the user, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Exact("--budget") => {
                Some("`--max-runs N --budget DURATION` ends when the first of both is reached")
            }
            Self::Exact(_) => Some("leave `--runs` out"),
            _ => None,
        }
    }
}

/// The change to resolve if there are many variants, in margins: finer differences do not justify
/// more measuring, and a change three times as large takes a ninth of the runs.
const RESOLUTION: f64 = 3.0;

impl StoppingOptions {
    /// The options for existing runs.
    pub fn for_runs(
        margin: Typed<Margin>,
        confidence: Typed<f64>,
        estimator: EstimatorOption,
    ) -> Self {
        Self {
            warmup: None,
            runs: Some(1),
            min_runs: None,
            max_runs: None,
            budget: None,
            margin: Some(margin),
            confidence,
            estimator,
            seed: None,
            require_verdict: false,
        }
    }

    /// True if a duration or a number of rounds is set.
    pub fn says_how_long(&self) -> bool {
        let rounds = [self.runs, self.min_runs, self.max_runs];
        self.budget.is_some() || rounds.iter().any(Option::is_some)
    }

    /// The rule for this number of variants.
    pub fn rule(&self, variants: usize) -> Result<StoppingRule, StoppingError> {
        self.rule_within(StoppingRule::BUDGET_SECONDS_A_VARIANT * variants as f64)
    }

    /// The typed budget in seconds; `None` if none was typed, or a bad one, which the rule refuses.
    pub fn budget_seconds(&self) -> Option<f64> {
        let budget = self.budget.clone().map(Typed::value).transpose().ok()??;
        Some(budget.as_secs_f64())
    }

    /// The rule, with a budget of `usual_seconds` unless a duration is set.
    pub fn rule_within(&self, usual_seconds: f64) -> Result<StoppingRule, StoppingError> {
        let runs = |option, value| match value {
            1..=MOST_ROUNDS => Ok(value),
            _ => Err(StoppingError::Runs { option, value, most: MOST_ROUNDS }),
        };
        let others = [
            ("--min-runs", self.min_runs.is_some()),
            ("--max-runs", self.max_runs.is_some()),
            ("--budget", self.budget.is_some()),
        ];
        let other = others.iter().find(|(_, is_given)| self.runs.is_some() && *is_given);
        if let Some((option, _)) = other {
            return Err(StoppingError::Exact(option));
        }
        let (min_rounds, max_rounds) = if let Some(exactly) = self.runs {
            let exactly = runs("--runs", exactly)?;
            (exactly, exactly)
        } else {
            let max = runs("--max-runs", self.max_runs.unwrap_or(MOST_ROUNDS))?;
            // The default minimum yields to a given maximum.
            let min = self.min_runs.unwrap_or_else(|| max.min(StoppingRule::USUAL_ROUNDS));
            (runs("--min-runs", min)?, max)
        };
        if min_rounds > max_rounds {
            return Err(StoppingError::Crossed { min: min_rounds, max: max_rounds });
        }
        let budget = self.budget.clone().map(Typed::value).transpose()?;
        let seconds = budget.map_or(usual_seconds, |budget| budget.as_secs_f64());
        Ok(StoppingRule {
            warmup: self.warmup.unwrap_or(0),
            min_rounds,
            max_rounds,
            budget_seconds: self.runs.is_none().then_some(seconds),
            margin: self.margin.clone().map_or(Ok(Margin::ONE_PERCENT), Typed::value)?,
            confidence: self.confidence.clone().value()?,
            estimator: self.estimator,
            ..StoppingRule::usual(1)
        })
    }

    /// The rule with enough rounds for each of its comparisons to have an interval, regardless of
    /// the budget, unless the number of rounds is set.
    #[must_use]
    pub fn with_enough_rounds(
        &self,
        rule: StoppingRule,
        contrasts: &Contrasts,
        metrics: Option<&[MetricId]>,
    ) -> StoppingRule {
        if self.min_runs.is_some() {
            return rule;
        }
        let members = contrasts.members(metrics, &rule);
        rule.with_enough_rounds(&members)
    }

    /// The change to resolve among many variants, in margins.
    pub fn resolution(&self) -> f64 {
        let wants_verdicts = self.margin.is_some() || self.require_verdict;
        if wants_verdicts { 1.0 } else { RESOLUTION }
    }
}

/// The parser of the estimator.
pub fn estimators() -> impl TypedValueParser<Value = EstimatorOption> {
    one_of(EstimatorOption::ALL, EstimatorOption::word, |_| None)
}

/// The value of an option as it was read. An invalid one is refused with the other options.
#[derive(Debug, Clone, PartialEq)]
pub struct Typed<T>(Result<T, StoppingError>);

impl<T> Typed<T> {
    /// The value.
    pub fn value(self) -> Result<T, StoppingError> {
        self.0
    }
}

impl<T> From<T> for Typed<T> {
    fn from(value: T) -> Self {
        Self(Ok(value))
    }
}

impl Typed<Duration> {
    /// The budget in a text such as `1m30s`.
    pub fn budget(text: &str) -> Result<Self, Infallible> {
        Ok(Self(duration::parse(text).map_err(StoppingError::Budget)))
    }
}

impl Typed<Margin> {
    /// The margin in `1.5` or `1.5%`: a positive number of percent.
    pub fn margin(text: &str) -> Result<Self, Infallible> {
        let margin = percent(text).and_then(Margin::new);
        Ok(Self(margin.ok_or_else(|| StoppingError::Margin(text.to_owned()))))
    }
}

impl Typed<f64> {
    /// The confidence in `95` or `95%`, as a fraction from 0.5 to below 1.
    pub fn confidence(text: &str) -> Result<Self, Infallible> {
        let fraction = percent(text).filter(|fraction| (0.5..1.0).contains(fraction));
        Ok(Self(fraction.ok_or_else(|| StoppingError::Confidence(text.to_owned()))))
    }
}

/// `1.5` or `1.5%` as a fraction.
fn percent(text: &str) -> Option<f64> {
    text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok().map(|value| value / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::metric::WALL_TIME;

    fn one_run() -> StoppingOptions {
        let margin = Margin::ONE_PERCENT.into();
        StoppingOptions::for_runs(margin, 0.95.into(), EstimatorOption::RankScores)
    }

    #[test]
    fn many_comparisons_have_as_many_rounds_as_they_need() {
        let unsaid = StoppingOptions { runs: None, ..one_run() };
        let wall = Some(&[WALL_TIME][..]);
        let rounds = |options: &StoppingOptions, comparisons: usize, metrics| {
            let contrasts = Contrasts { family: Some(comparisons), ..Contrasts::default() };
            let rule = options.rule(2).expect("sound");
            options.with_enough_rounds(rule, &contrasts, metrics).min_rounds
        };
        // 2^-9 > 0.05 / 40 >= 2^-10, so 11 rounds and one more.
        assert_eq!([1, 40].map(|comparisons| rounds(&unsaid, comparisons, wall)), [10, 12]);
        // Metrics that matter only when they change have a smaller error each, beside wall time.
        assert_eq!([1, 40].map(|comparisons| rounds(&unsaid, comparisons, None)), [12, 17]);
        let said = |runs, min_runs, max_runs| {
            rounds(&StoppingOptions { runs, min_runs, max_runs, ..unsaid.clone() }, 40, wall)
        };
        assert_eq!(said(None, None, Some(11)), 11, "no more than the most");
        assert_eq!(said(None, Some(10), None), 10, "it was said, although it is the usual number");
        assert_eq!(said(Some(10), None, None), 10, "it was said");
    }

    #[test]
    fn what_makes_no_sense_is_blamed_on_what_was_typed() {
        let rule = |min_runs: Option<u32>, max_runs: Option<u32>| {
            let options = StoppingOptions { runs: None, min_runs, max_runs, ..one_run() };
            options.rule(2).map_err(|error| error.to_string())
        };
        let said = rule(None, Some(0)).expect_err("none is too few");
        assert!(said.starts_with("`--max-runs 0`"), "{said}");
        let said = rule(Some(0), Some(5)).expect_err("none is too few");
        assert!(said.starts_with("`--min-runs 0`"), "{said}");
        let few = rule(None, Some(5)).expect("five at most, so five at least");
        assert_eq!((few.min_rounds, few.max_rounds), (5, 5));
    }

    #[test]
    fn an_exact_number_of_rounds_has_neither_bounds_nor_a_budget() {
        let budget = StoppingOptions { budget: Some(Duration::from_secs(3).into()), ..one_run() };
        let least = StoppingOptions { min_runs: Some(2), ..one_run() };
        for (options, other) in [(budget, "`--budget`"), (least, "`--min-runs`")] {
            let error = options.rule(2).expect_err("both are given");
            assert!(error.to_string().contains(other) && error.hint().is_some(), "{error}");
        }
    }

    #[test]
    fn a_percentage_may_carry_its_sign() {
        assert_eq!(percent("5"), Some(0.05));
        assert_eq!(percent(" 5 % "), Some(0.05));
        assert_eq!(percent("x"), None);
    }
}
