//! The findings of `doctor`, as they are stored, shown and exported.
//!
//! This is the part `doctor` of the JSON of schema `brisk/1`: times are in seconds, shares and
//! changes are fractions. Fields are only ever added.

use measure::machine::CpuQuota;
use serde::{Deserialize, Serialize};

use super::advice::Advice;
use super::facts::{Fact, Facts, Mark, list};
use super::rates::{APART, FalsePositives, LEVEL, ROUNDS_A_BLOCK, Rate};
use super::trial::{MARGIN, Trial};
use super::{Trials, Tried};

/// The findings about a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DoctorPart {
    /// The machine's own description.
    pub facts: Vec<FactPart>,
    /// The time for which other processes and the hypervisor were watched.
    pub watched_seconds: f64,
    /// The busiest other processes.
    pub other_users: Reading<Vec<UserPart>>,
    /// The share of time that the hypervisor gave to others.
    pub steal_share: Reading<f64>,
    /// The number of CPUs that may be used; none if there is no limit.
    pub cpu_limit: Reading<Option<f64>>,
    /// The change that `compare` looks for by default.
    pub margin: f64,
    /// Programs against themselves; none if nothing was run.
    pub trials: Option<Vec<TriedPart>>,
    /// The rate of false positives; none if nothing was run.
    pub false_positives: Option<Reading<FalsePositivesPart>>,
    /// The advice, most effective first.
    pub advice: Vec<AdvicePart>,
}

/// A value, or the reason that it is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
#[cfg_attr(test, schemars(inline))]
pub enum Reading<T> {
    /// The value.
    Value(T),
    /// The value is missing.
    Missing {
        /// The reason.
        missing: String,
    },
}

impl<T> Reading<T> {
    fn from_result<E: std::fmt::Display>(read: Result<T, E>) -> Self {
        match read {
            Ok(value) => Self::Value(value),
            Err(reason) => Self::Missing { missing: reason.to_string() },
        }
    }

    /// The value, or the reason that it is missing.
    ///
    /// # Errors
    ///
    /// The reason.
    pub fn get(&self) -> Result<&T, &str> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Missing { missing } => Err(missing),
        }
    }
}

/// One fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FactPart {
    /// The topic.
    pub name: String,
    /// The value, in words.
    pub value: Reading<String>,
    /// Its effect on measurements.
    pub mark: Mark,
}

/// Another process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UserPart {
    /// Its process ID.
    pub pid: i32,
    /// Its name.
    pub name: String,
    /// The CPU time that it used, in CPUs.
    pub cpus: f64,
}

/// A program, and the result of running it against itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DoctorTriedPart"))]
pub struct TriedPart {
    /// The name of the program.
    pub program: String,
    /// The result.
    #[serde(flatten)]
    pub trial: Reading<TrialPart>,
}

/// One program against itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TrialPart {
    /// The amount of work of the program.
    pub iterations: u64,
    /// The number of finished rounds; each ran the program twice.
    pub rounds: u32,
    /// The duration of all rounds.
    pub elapsed_seconds: f64,
    /// The median of the wall time of its runs.
    pub median_seconds: f64,
    /// The mean of the wall time of its runs.
    pub mean_seconds: f64,
    /// The spread of most of the runs: the distance of the quartiles over the median, scaled to
    /// equal the standard deviation over the mean if times are normally distributed.
    pub robust_spread: f64,
    /// The standard deviation over the mean; none for a single run.
    pub spread: Option<f64>,
    /// The share of their wall time that the runs waited for a processor.
    pub wait_share: Reading<f64>,
    /// The trend of the times; none for fewer than ten.
    pub drift: Option<DriftPart>,
    /// The smallest change that this number of rounds finds nine times in ten, as a fraction.
    pub detectable: Reading<f64>,
    /// The number of rounds that find a change of `margin` nine times in ten; none if unknown.
    pub rounds_for_margin: Option<u64>,
    /// The duration of that number of rounds.
    pub seconds_for_margin: Option<f64>,
}

/// A trend from the first run to the last.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DoctorDriftPart"))]
pub struct DriftPart {
    /// The relative increase from the first runs to the last.
    pub change: f64,
    /// The probability of at least this change without a trend.
    pub p_value: f64,
}

/// The rate at which each way of comparing found a difference that does not exist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FalsePositivesPart {
    /// The program whose runs were judged.
    pub program: String,
    /// The number of rounds in each block, which was judged separately.
    pub rounds_a_block: usize,
    /// The permitted error rate of the tests.
    pub level: f64,
    /// The distance at which means are called different without a test.
    pub apart_by: f64,
    /// One side after the other, with a t test of the means.
    pub sequential_welch: RatePart,
    /// One side after the other, with means more than `apart_by` apart.
    pub sequential_means_apart: RatePart,
    /// The comparison that brisk makes.
    pub brisk: RatePart,
}

/// The number of detections, and the 95 % interval of their probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RatePart {
    /// The number of detections.
    pub found: u64,
    /// The number of attempts.
    pub of: u64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// A piece of advice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AdvicePart {
    /// The topic, for other programs.
    pub about: String,
    /// The share of a run's time by which the cause affects results.
    pub effect: f64,
    /// Set if the effect was measured here.
    pub measured: bool,
    /// The action to take.
    pub action: String,
    /// The evidence for it.
    pub evidence: String,
}

impl DoctorPart {
    /// The complete part; without trials if nothing was run.
    pub fn new(facts: &Facts, trials: Option<&Trials>, advice: &[Advice]) -> Self {
        let conditions = &facts.conditions;
        let user = |busy: &measure::machine::Busy| UserPart {
            pid: busy.pid,
            name: busy.name.clone(),
            cpus: busy.share,
        };
        let users = conditions.busiest.as_ref().map(|all| all.iter().map(user).collect());
        let limit = conditions.cpu_quota.as_ref().map(|quota| match quota {
            CpuQuota::Unlimited => None,
            CpuQuota::Limited { cpus } => Some(*cpus),
        });
        Self {
            facts: list(facts).into_iter().map(fact).collect(),
            watched_seconds: facts.watched_seconds,
            other_users: Reading::from_result(users),
            steal_share: Reading::from_result(conditions.steal.as_ref().map(|steal| steal.sampled)),
            cpu_limit: Reading::from_result(limit),
            margin: MARGIN,
            trials: trials.map(|trials| trials.tried.iter().map(tried).collect()),
            false_positives: trials.map(false_positives),
            advice: advice.iter().map(advice_part).collect(),
        }
    }
}

fn fact(fact: Fact) -> FactPart {
    FactPart {
        name: fact.name.to_owned(),
        value: Reading::from_result(fact.value),
        mark: fact.mark,
    }
}

fn tried(tried: &Tried) -> TriedPart {
    let trial = Reading::from_result(tried.trial.as_ref().map(trial));
    TriedPart { program: tried.program.name.to_owned(), trial }
}

fn trial(trial: &Trial) -> TrialPart {
    TrialPart {
        iterations: trial.iterations,
        rounds: trial.rounds,
        elapsed_seconds: trial.elapsed_seconds,
        median_seconds: trial.summary.median,
        mean_seconds: trial.summary.mean,
        robust_spread: trial.summary.robust_spread(),
        spread: trial.summary.spread(),
        wait_share: Reading::from_result(trial.wait_share.as_ref().copied()),
        drift: (trial.drift)
            .map(|drift| DriftPart { change: drift.change, p_value: drift.p_value }),
        detectable: Reading::from_result(trial.detectable.as_ref().copied()),
        rounds_for_margin: trial.rounds_for_margin,
        seconds_for_margin: trial.seconds_for_margin(),
    }
}

fn false_positives(trials: &Trials) -> Reading<FalsePositivesPart> {
    let rate =
        |rate: &Rate| RatePart { found: rate.found, of: rate.of, low: rate.low, high: rate.high };
    let part = |found: &FalsePositives| FalsePositivesPart {
        program: trials.tried[0].program.name.to_owned(),
        rounds_a_block: ROUNDS_A_BLOCK,
        level: LEVEL,
        apart_by: APART,
        sequential_welch: rate(&found.welch),
        sequential_means_apart: rate(&found.apart),
        brisk: rate(&found.paired),
    };
    Reading::from_result(trials.false_positives.as_ref().map(part))
}

fn advice_part(advice: &Advice) -> AdvicePart {
    AdvicePart {
        about: advice.about.to_owned(),
        effect: advice.effect,
        measured: advice.measured,
        action: advice.action.clone(),
        evidence: advice.evidence.clone(),
    }
}
