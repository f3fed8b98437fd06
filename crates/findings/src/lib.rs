//! The findings of experiments and inspections: what was decided, before anything is worded or drawn.
//!
//! A [`Document`] has what all experiments share, and one [`Finding`] with what only its kind has. An
//! [`inspection::Inspection`] has no rounds: an explanation, or the state of a machine. Both are the
//! JSON of schema `brisk/1` without the runs, which are streamed separately because there may be
//! millions. Fields are only ever added.

pub mod benchmarks;
pub mod brief;
pub mod cause;
mod consistency;
pub mod core_difference;
mod coverage;
pub mod doctor;
pub mod explanation;
mod finding;
mod history;
pub mod inspection;
pub mod instructions;
mod memory;
pub mod reach;
pub mod time_profile;
mod work;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use judge::comparison::Basis;
use judge::level::QuantileValue;
use model::design::stopping::{EstimatorOption, StopReason};
use model::metric::{MetricId, Source, WALL_TIME};
use model::note::Note;
use model::verdict::{Margin, Verdict};

pub use consistency::ReadError;
pub use coverage::{Asked, Coverage, Gap, Side, Unread};
pub use finding::{
    CheckFinding, CheckedExpectation, CheckedSetting, Finding, GivenUp, HistoryFinding,
    OtherArrangement, PointState, SuiteBenchmark, SuiteFinding, SuiteProgram, SweepFinding,
    SweepPoint, TriedSetting, TuningFinding, UnvariedKnob, VariedKnob,
};
pub use history::{
    Absence, Authorship, BenchmarkHistory, BenchmarkName, Build, Confirmation, Drift,
    HistoryCommit, HistorySubject, MissingBenchmark, Outcome, Step, short,
};
pub use memory::{GrowthKind, MemoryCurve, MemoryGrowth, MemorySlope, MemoryStep, MemoryVerdict};
pub use model::commission::Contender;
use model::host::MachineClass;
pub use work::{
    EqualWork, OutputDifference, PaybackVerdict, ProgramOutput, SetupCost, SetupPayback,
    ShiftFromZero, Spot, Suspicion,
};

/// The name of the format.
pub const SCHEMA: &str = "brisk/1";

/// A report of one experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Document {
    /// `brisk/1`, the name of the format.
    #[cfg_attr(feature = "testing", schemars(extend("const" = SCHEMA)))]
    pub schema: String,
    /// Facts about the machine; null if unknown.
    #[cfg_attr(feature = "testing", schemars(with = "crate::schema::Facts"))]
    pub machine: serde_json::Value,
    /// Facts about the state of the machine at the beginning; null if unknown.
    #[cfg_attr(feature = "testing", schemars(with = "crate::schema::Facts"))]
    pub conditions: serde_json::Value,
    /// The settings and course of the experiment.
    pub experiment: Course,
    /// The compared variants.
    pub variants: Vec<Contender>,
    /// Each variant's values, by metric, in the order of the variants.
    pub summaries: Vec<MetricSummary>,
    /// Values that could not be read, with the reason.
    pub missing: Vec<MissingValues>,
    /// Each candidate against its baseline, by metric, in the order of the candidates.
    pub comparisons: Vec<ComparedPair>,
    /// The answer for each candidate.
    pub answers: Vec<Answer>,
    /// All commands by the metric of the first answer, best first, if three or more are compared;
    /// otherwise empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranking: Vec<Rank>,
    /// The smallest change that would have been found nine times in ten, as a fraction, by metric;
    /// the largest over the candidates.
    pub detectable: BTreeMap<MetricId, f64>,
    /// Further remarks.
    pub notes: Vec<Note>,
    /// The findings of this kind of experiment.
    #[serde(flatten)]
    pub finding: Finding,
    /// The causes of changes between commits, if they were searched for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<cause::Cause>,
    /// The costs of the variants' setup commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setups: Vec<SetupCost>,
    /// The numbers of runs after which different setups pay, by metric, in the order of the
    /// candidates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paybacks: Vec<SetupPayback>,
    /// The comparison of the work done by the variants; absent if not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equal_work: Option<EqualWork>,
    /// The samples over the time of separate runs; absent if not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_over_time: Option<Vec<MemoryCurve>>,
    /// The joint verdicts of the sampled rounds, by variant and quantity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_verdicts: Option<Vec<MemoryVerdict>>,
}

/// The settings and course of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Course {
    /// Its number in the store; null if it was imported.
    pub id: Option<i64>,
    /// The time it began, in nanoseconds since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// The version of brisk.
    pub brisk_version: String,
    /// The seed of the order of the runs; null if the order was not random.
    pub seed: Option<u64>,
    /// Finished rounds.
    pub rounds: u32,
    /// The time from the first round's beginning to the last one's end, in seconds.
    pub elapsed_seconds: f64,
    /// The reason measuring ended.
    pub stop: StopReason,
    /// The probability that no verdict is false.
    pub confidence: f64,
    /// The smallest change that matters, as a fraction.
    #[cfg_attr(feature = "testing", schemars(with = "f64"))]
    pub margin: Margin,
    /// The change, as a fraction, that would have been found nine times in ten when measuring ended
    /// without one; absent if no rule decided when it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<f64>,
    /// The statistic that was compared.
    pub estimator: EstimatorOption,
    /// The order of the runs.
    pub order: Order,
    /// The number of commands at each point; the first of them is its baseline.
    pub commands: u32,
    /// The requested metrics; null if the usual ones are shown and judged.
    pub metrics: Option<Vec<MetricId>>,
}

/// The order in which the variants ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Rounds, each in a new random order.
    Rounds,
    /// All runs of one, then all of the next: any drift in between looks like a difference.
    Sequential,
}

/// One variant's values of one metric, in SI units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct MetricSummary {
    /// The variant, as an index into `variants`.
    pub variant: u32,
    /// The metric.
    pub metric: MetricId,
    /// The source of its values.
    pub source: Source,
    /// The number of values.
    pub n: usize,
    /// Their arithmetic mean.
    pub mean: f64,
    /// Their standard deviation; null for a single value.
    pub sd: Option<f64>,
    /// Their median.
    pub median: f64,
    /// The smallest of them.
    pub min: f64,
    /// The largest of them.
    pub max: f64,
    /// The lower and upper quartile; absent in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quartiles: Option<[f64; 2]>,
    /// The lower end of the 95 % interval of the median, distribution-free; null for fewer than six
    /// values.
    pub low: Option<f64>,
    /// The upper end of the interval.
    pub high: Option<f64>,
    /// The number of values beyond Tukey's fences; counted, never dropped.
    pub outliers: usize,
    /// The number of these beyond the outer fences.
    pub severe_outliers: usize,
    /// Set if the value is only an upper bound.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_most: bool,
    /// The spread between its layouts, if it ran in several with enough readings of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layouts: Option<LayoutSpread>,
    /// The value of the quantile, if the metric is one; the other fields describe its readings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantile: Option<QuantileValue>,
}

/// The spread between the layouts of a program.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct LayoutSpread {
    /// The number of layouts.
    pub layouts: usize,
    /// The standard deviation between them, as a fraction of the value.
    pub sd: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The standard deviation of a layout's value due to its runs alone, as a fraction.
    pub noise: f64,
}

impl From<stats::layouts::Spread> for LayoutSpread {
    fn from(spread: stats::layouts::Spread) -> Self {
        let stats::layouts::Spread { sd, low, high, noise, layouts } = spread;
        Self { layouts, sd, low, high, noise }
    }
}

impl MetricSummary {
    /// The summary of a single value.
    pub fn of_one(variant: u32, metric: MetricId, source: Source, value: f64) -> Self {
        Self {
            variant,
            metric,
            source,
            n: 1,
            mean: value,
            sd: None,
            median: value,
            min: value,
            max: value,
            quartiles: None,
            low: None,
            high: None,
            outliers: 0,
            severe_outliers: 0,
            at_most: false,
            layouts: None,
            quantile: None,
        }
    }

    /// The 95 % interval of the median, or of the quantile if the metric is one; `None` if there
    /// are too few values for both ends.
    pub fn interval(&self) -> Option<(f64, f64)> {
        match self.quantile {
            Some(quantile) => quantile.low.zip(quantile.high),
            None => self.low.zip(self.high),
        }
    }
}

/// Values that could not be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct MissingValues {
    /// The variant, as an index into `variants`.
    pub variant: u32,
    /// The metric.
    pub metric: MetricId,
    /// The source that should have given the values.
    pub source: Source,
    /// The number of runs without a value.
    pub runs: usize,
    /// The reason.
    pub reason: String,
}

/// One candidate against its baseline in one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct ComparedPair {
    /// The metric.
    pub metric: MetricId,
    /// The source of its values.
    pub source: Source,
    /// The baseline, as an index into `variants`.
    pub baseline: u32,
    /// The candidate, as an index into `variants`.
    pub candidate: u32,
    /// The ratio of candidate to baseline; 1e300 for a baseline of 0, for which `difference` gives
    /// the size.
    #[serde(with = "model::json::ratio")]
    #[cfg_attr(feature = "testing", schemars(with = "f64"))]
    pub ratio: f64,
    /// Candidate minus baseline, in the metric's unit; absent unless one side is 0, for which a
    /// ratio gives no size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<ShiftFromZero>,
    /// The direction in which the ratio is only a bound, if the value of one side is only an upper
    /// bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// The lower end of the interval, whose confidence is that of the whole experiment.
    #[serde(with = "model::json::ratio")]
    #[cfg_attr(feature = "testing", schemars(with = "f64"))]
    pub low: f64,
    /// The upper end of the interval; null if it is unbounded.
    pub high: Option<f64>,
    /// The verdict from the interval.
    pub verdict: Verdict,
    /// Set if the interval lies within the margin.
    pub within_margin: bool,
    /// The basis of the interval.
    pub basis: Basis,
    /// The number of rounds behind the interval.
    pub rounds: usize,
    /// The number of further rounds that would settle an inconclusive verdict.
    pub more_rounds: Option<u64>,
    /// The smallest change that would have been found nine times in ten, as a fraction.
    pub detectable: Option<f64>,
    /// The class of the machine it was found on, in a history of several; absent if everything was
    /// measured on `machine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
}

/// The direction of a ratio that is only a bound, because one side may be smaller than measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The ratio is at least this: the baseline may be smaller.
    AtLeast,
    /// The ratio is at most this: the candidate may be smaller.
    AtMost,
}

/// The answer for one candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Answer {
    /// The baseline.
    pub baseline: u32,
    /// The candidate.
    pub candidate: u32,
    /// The verdict of the metric that decided.
    pub verdict: Verdict,
    /// The metric that decided.
    pub metric: MetricId,
    /// The source of its values.
    pub source: Source,
    /// The largest share of the wall time that either spent waiting for a processor, if that is the
    /// reason for another metric than wall time to decide.
    pub wait_share: Option<f64>,
}

/// The rank of one of several commands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Rank {
    /// The command.
    pub variant: u32,
    /// One more than the number of commands shown to be better than it and all those tied with it;
    /// equal for ties.
    pub rank: u32,
}

impl From<&ComparedPair> for Answer {
    fn from(part: &ComparedPair) -> Self {
        Self {
            baseline: part.baseline,
            candidate: part.candidate,
            verdict: part.verdict,
            metric: part.metric.clone(),
            source: part.source,
            wait_share: None,
        }
    }
}

impl ComparedPair {
    /// The size of the change, in either direction: the distance of the ratio from 1 on the log
    /// scale.
    pub fn weight(&self) -> f64 {
        self.ratio.ln().abs()
    }
}

impl Document {
    /// The comparison that decided an answer.
    pub fn deciding(&self, answer: &Answer) -> Option<&ComparedPair> {
        self.comparison_of(answer.baseline, answer.candidate, &answer.metric, answer.source)
    }

    /// The comparison of two variants in one metric.
    pub fn comparison_of(
        &self,
        baseline: u32,
        candidate: u32,
        metric: &MetricId,
        source: Source,
    ) -> Option<&ComparedPair> {
        let is_it = |part: &&ComparedPair| {
            part.baseline == baseline && part.metric == *metric && part.source == source
        };
        of_candidate(&self.comparisons, candidate).iter().find(is_it)
    }

    /// The metric of the first look: that of the answers, else the first requested one, else wall
    /// time, else any that was read.
    pub fn main_metric(&self) -> MetricId {
        let is_read = |id: &MetricId| self.summaries.iter().any(|part| part.metric == *id);
        let answer = self.answers.first().map(|answer| answer.metric.clone());
        let mut asked = self.experiment.metrics.iter().flatten();
        answer
            .or_else(|| asked.find(|id| is_read(id)).cloned())
            .or_else(|| Some(WALL_TIME).filter(is_read))
            .or_else(|| self.summaries.first().map(|part| part.metric.clone()))
            .unwrap_or(WALL_TIME)
    }

    /// The value that represents all runs: the requested quantile, or that of the estimator.
    pub fn figure(&self, summary: &MetricSummary) -> f64 {
        if let Some(quantile) = summary.quantile {
            return quantile.value;
        }
        match self.experiment.estimator {
            EstimatorOption::Mean => summary.mean,
            EstimatorOption::Min => summary.min,
            EstimatorOption::RankScores
            | EstimatorOption::PseudoMedian
            | EstimatorOption::Median => summary.median,
        }
    }

    /// The variant of a commit in a history, also for a suite with a single benchmark.
    pub fn variant_at(&self, commit: &str) -> Option<u32> {
        let commits = self.commits();
        let place = commits.iter().position(|part| part.hash == commit)?;
        match self.histories() {
            [only] => *only.variants.get(place)?,
            _ => commits[place].variant,
        }
    }

    /// The comparison of `candidate` in one metric.
    pub fn comparison(
        &self,
        candidate: u32,
        metric: &MetricId,
        source: Source,
    ) -> Option<&ComparedPair> {
        of_candidate(&self.comparisons, candidate)
            .iter()
            .find(|comparison| comparison.metric == *metric && comparison.source == source)
    }

    /// One variant's values of a metric from one source.
    pub fn summary(&self, variant: u32, id: &MetricId, source: Source) -> Option<&MetricSummary> {
        self.summaries_of(variant).find(|part| part.metric == *id && part.source == source)
    }

    /// One variant's values of a metric, preferably from the timed runs.
    pub fn any_summary(&self, variant: u32, id: &MetricId) -> Option<&MetricSummary> {
        let any = || self.summaries_of(variant).find(|part| part.metric == *id);
        self.summary(variant, id, Source::Run).or_else(any)
    }

    /// One variant's summaries, in the order of the registry.
    pub fn summaries_of(&self, variant: u32) -> impl Iterator<Item = &MetricSummary> {
        let from = self.summaries.partition_point(|summary| summary.variant < variant);
        self.summaries[from..].iter().take_while(move |summary| summary.variant == variant)
    }
}

/// The comparisons of one candidate; `comparisons` must be in the order of the candidates.
pub fn of_candidate(comparisons: &[ComparedPair], candidate: u32) -> &[ComparedPair] {
    let from = comparisons.partition_point(|comparison| comparison.candidate < candidate);
    let count = comparisons[from..].partition_point(|comparison| comparison.candidate == candidate);
    &comparisons[from..from + count]
}

/// `A`, `B`, ... for the first 26 variants, `#27` and so on after them.
pub fn letter(variant: u32) -> String {
    match u8::try_from(variant) {
        Ok(index @ 0..26) => char::from(b'A' + index).to_string(),
        _ => format!("#{}", variant + 1),
    }
}

impl From<&Document> for MachineClass {
    fn from(document: &Document) -> Self {
        Self::from_facts(&document.machine, &document.conditions)
    }
}

/// Parts of the JSON Schema that do not follow from types.
#[cfg(feature = "testing")]
pub mod schema {
    use model::commission::Kind;
    use schemars::{Schema, SchemaGenerator, json_schema};
    use serde_json::Value;
    use std::collections::BTreeMap;

    /// Facts about a machine, by name. A fact that could not be read is an object with its reason as
    /// `missing`.
    pub type Facts = Option<BTreeMap<String, Value>>;

    /// The kinds of inspections.
    pub fn inspections(_: &mut SchemaGenerator) -> Schema {
        let inspections = Kind::ALL.iter().filter(|kind| kind.is_inspection());
        let words: Vec<&str> = inspections.map(|kind| kind.word()).collect();
        json_schema!({"type": "string", "enum": words})
    }
}
