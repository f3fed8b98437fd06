//! The disturbances of measurements on a machine: the findings of `doctor`.
//!
//! This is the part `doctor` of the JSON of schema `brisk/1`: times are in seconds, shares and
//! changes are fractions. Fields are only ever added.

use serde::{Deserialize, Serialize};

/// The findings about a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct MachineDiagnosis {
    /// The machine's own description.
    pub facts: Vec<MachineFact>,
    /// The time for which other processes and the hypervisor were watched.
    pub watched_seconds: f64,
    /// The busiest other processes.
    pub other_users: Reading<Vec<BusyProcess>>,
    /// The share of time that the hypervisor gave to others.
    pub steal_share: Reading<f64>,
    /// The number of CPUs that may be used; none if there is no limit.
    pub cpu_limit: Reading<Option<f64>>,
    /// The change that `compare` looks for by default.
    pub margin: f64,
    /// Programs against themselves; none if nothing was run.
    pub trials: Option<Vec<TriedProgram>>,
    /// The rate of false positives; none if nothing was run.
    pub false_positives: Option<Reading<FalsePositiveRates>>,
    /// The advice, most effective first.
    pub advice: Vec<Recommendation>,
}

/// A value, or the reason that it is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[cfg_attr(feature = "testing", schemars(inline))]
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
    /// The value, or the error as the reason.
    pub fn from_result<E: std::fmt::Display>(read: Result<T, E>) -> Self {
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
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct MachineFact {
    /// The topic.
    pub name: String,
    /// The value, in words.
    pub value: Reading<String>,
    /// Its effect on measurements.
    pub mark: Mark,
}

/// Another process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct BusyProcess {
    /// Its process ID.
    pub pid: i32,
    /// Its name.
    pub name: String,
    /// The CPU time that it used, in CPUs.
    pub cpus: f64,
}

/// A program, and the result of running it against itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct TriedProgram {
    /// The name of the program.
    pub program: String,
    /// The result.
    #[serde(flatten)]
    pub trial: Reading<TrialResult>,
}

/// One program against itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct TrialResult {
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
    pub drift: Option<TrialDrift>,
    /// The smallest change that this number of rounds finds nine times in ten, as a fraction.
    pub detectable: Reading<f64>,
    /// The number of rounds that find a change of `margin` nine times in ten; none if unknown.
    pub rounds_for_margin: Option<u64>,
    /// The duration of that number of rounds.
    pub seconds_for_margin: Option<f64>,
}

/// A trend from the first run to the last.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct TrialDrift {
    /// The relative increase from the first runs to the last.
    pub change: f64,
    /// The probability of at least this change without a trend.
    pub p_value: f64,
}

/// The rate at which each way of comparing found a difference that does not exist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct FalsePositiveRates {
    /// The program whose runs were judged.
    pub program: String,
    /// The number of rounds in each block, which was judged separately.
    pub rounds_a_block: usize,
    /// The permitted error rate of the tests.
    pub level: f64,
    /// The distance at which means are called different without a test.
    pub apart_by: f64,
    /// One side after the other, with a t test of the means.
    pub sequential_welch: FalsePositiveRate,
    /// One side after the other, with means more than `apart_by` apart.
    pub sequential_means_apart: FalsePositiveRate,
    /// The comparison that brisk makes.
    pub brisk: FalsePositiveRate,
}

/// The number of detections, and the 95 % interval of their probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct FalsePositiveRate {
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
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Recommendation {
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

/// The effect of a fact on measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// As it should be.
    Good,
    /// It disturbs, or takes resources away.
    Bad,
    /// Neither, or unknown.
    Neutral,
}
