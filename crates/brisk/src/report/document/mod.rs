//! Everything a report shows, decided; the renderers only format it.
//!
//! This is the JSON of schema `brisk/1` without the runs, which are streamed beside it because
//! there may be millions. Fields are only ever added.

mod check;
mod consistency;
mod coverage;
mod history;
mod kind;
mod memory;
mod shift;
mod suite;
mod sweep;
mod work;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::judge::comparison::Basis;
use crate::judge::level::Level;
use crate::judge::stopping::{EstimatorOption, StopReason};
use crate::judge::verdict::Verdict;
use crate::metric::{MetricId, Source};
use crate::note::Note;

pub use crate::commission::Contender;
pub use check::{CheckPart, ExpectationPart};
pub use consistency::ReadError;
pub(super) use consistency::within;
pub use coverage::{Asked, Coverage, Gap, Side, Unread};
pub use history::{
    Absence, AbsencePart, BenchmarkHistoryPart, Build, CommitPart, Confirmation, DriftPart,
    HistoryPart, NamePart, StepPart,
};
pub use kind::Written;
pub use memory::{
    CurvePart, GrowthKind, GrowthPart, SlopePart, StepPart as MemoryStepPart, VerdictPart,
};
pub use shift::ShiftPart;
pub use suite::{BenchmarkPart, CompanyPart, GivenUpPart, ProgramPart, SuitePart};
pub use sweep::{
    CheckedPart, KnobPart, LeftOutPart, PointPart, PointState, SweepPart, TriedPart, TuningPart,
};
pub use work::{
    DifferencePart, EqualWorkPart, OutputPart, PaybackPart, PaybackVerdict, SetupPart, Spot,
    SuspicionPart,
};

/// The name of the format.
pub const SCHEMA: &str = "brisk/1";

/// A report of one experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Document {
    /// `brisk/1`, the name of the format.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA)))]
    pub schema: String,
    /// What the machine is, by fact; null where that is not known.
    #[cfg_attr(test, schemars(with = "crate::report::schema::Facts"))]
    pub machine: serde_json::Value,
    /// How the machine was at the beginning, by fact; null where that is not known.
    #[cfg_attr(test, schemars(with = "crate::report::schema::Facts"))]
    pub conditions: serde_json::Value,
    /// How the experiment was made.
    pub experiment: ExperimentPart,
    /// What was compared.
    pub variants: Vec<Contender>,
    /// Each variant's values, by metric, in the order of the variants.
    pub summaries: Vec<SummaryPart>,
    /// What could not be read, and why.
    pub missing: Vec<MissingPart>,
    /// Each candidate against its baseline, by metric, in the order of the candidates.
    pub comparisons: Vec<ComparisonPart>,
    /// The answer for each candidate.
    pub answers: Vec<AnswerPart>,
    /// Where three or more commands are compared, all of them by the metric that answers, the best
    /// first; empty elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranking: Vec<RankPart>,
    /// The smallest change that would have been found nine times in ten, as a fraction, by
    /// metric; the largest over the candidates.
    pub detectable: BTreeMap<MetricId, f64>,
    /// What else is worth knowing.
    pub notes: Vec<Note>,
    /// What a history is of; none for other experiments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryPart>,
    /// The commits of a history, a parent before its children.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits: Option<Vec<CommitPart>>,
    /// Which of them changed what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<StepPart>>,
    /// What changed without a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drifts: Option<Vec<DriftPart>>,
    /// In the history of a suite, which variants each benchmark is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub histories: Vec<BenchmarkHistoryPart>,
    /// What a sweep found; none for other experiments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<SweepPart>,
    /// The benchmarks of a suite; none for other experiments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<SuitePart>,
    /// What became of the expectations of a project; none for other experiments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckPart>,
    /// What the variants' setup commands cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setups: Vec<SetupPart>,
    /// When setups that differ pay, by metric, in the order of the candidates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paybacks: Vec<PaybackPart>,
    /// Whether the variants did the same work; none where nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equal_work: Option<EqualWorkPart>,
    /// What was sampled over the time of separate runs; none where nobody asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_over_time: Option<Vec<CurvePart>>,
    /// What the sampled rounds say together, by variant and quantity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_verdicts: Option<Vec<VerdictPart>>,
}

/// How an experiment was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExperimentPart {
    /// Its number in the store; none where it was imported.
    pub id: Option<i64>,
    /// When it began, in nanoseconds since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// The version of brisk.
    pub brisk_version: String,
    /// Where the order of the runs was drawn from; none where it was not drawn.
    pub seed: Option<u64>,
    /// Finished rounds.
    pub rounds: u32,
    /// From the first round's beginning to the last one's end, in seconds.
    pub elapsed_seconds: f64,
    /// Why measuring ended.
    pub stop: StopReason,
    /// The probability that no verdict is false.
    pub confidence: f64,
    /// The smallest change that matters, as a fraction.
    pub margin: f64,
    /// Measuring ended without a change where one of this size would have been seen nine times in
    /// ten, as a fraction; none where nothing decided when it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<f64>,
    /// What was compared.
    pub estimator: EstimatorOption,
    /// The order of the runs.
    pub order: Order,
    /// How many commands each point has; the first of them is its baseline.
    pub commands: u32,
    /// The metrics asked for; none where the usual ones are shown and judged.
    pub metrics: Option<Vec<MetricId>>,
}

/// In which order the variants ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Rounds, each in an order drawn anew.
    Rounds,
    /// All runs of one, then all of the next: what drifts meanwhile looks like a difference.
    Sequential,
}

/// One variant's values of one metric, in SI units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SummaryPart {
    /// Which variant, by its place in `variants`.
    pub variant: u32,
    /// The metric.
    pub metric: MetricId,
    /// Where its values came from.
    pub source: Source,
    /// How many values there are.
    pub n: usize,
    /// Their arithmetic mean.
    pub mean: f64,
    /// Their standard deviation; none for a single value.
    pub sd: Option<f64>,
    /// Their median.
    pub median: f64,
    /// The least of them.
    pub min: f64,
    /// The largest of them.
    pub max: f64,
    /// The lower end of the 95 % interval of the median, distribution-free; none for fewer than six
    /// values.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// Beyond Tukey's fences; counted, never dropped.
    pub outliers: usize,
    /// Of these, beyond the outer fences.
    pub severe_outliers: usize,
    /// The value only says "at most this much".
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_most: bool,
    /// How far its layouts differ, where it ran in several and there are enough readings of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layouts: Option<SpreadPart>,
    /// Where the metric is a quantile, its value; all else is told of the readings that it is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantile: Option<QuantilePart>,
}

/// A quantile of the values of a variant, in SI units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct QuantilePart {
    /// The quantile of the values.
    pub value: f64,
    /// The lower end of its 95 % interval, distribution-free; none where there are too few values.
    pub low: Option<f64>,
    /// Its upper end; none where there are too few values.
    pub high: Option<f64>,
}

impl From<Level> for QuantilePart {
    fn from(Level { value, low, high }: Level) -> Self {
        Self { value, low, high }
    }
}

/// How far the layouts of a program differ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SpreadPart {
    /// How many layouts that is told from.
    pub layouts: usize,
    /// The standard deviation between them, as a fraction of the value.
    pub sd: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The standard deviation of a layout's value that its runs alone explain, as a fraction.
    pub noise: f64,
}

impl From<stats::layouts::Spread> for SpreadPart {
    fn from(spread: stats::layouts::Spread) -> Self {
        let stats::layouts::Spread { sd, low, high, noise, layouts } = spread;
        Self { layouts, sd, low, high, noise }
    }
}

impl SummaryPart {
    /// Of a single value.
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
            low: None,
            high: None,
            outliers: 0,
            severe_outliers: 0,
            at_most: false,
            layouts: None,
            quantile: None,
        }
    }

    /// The 95 % interval of the median, or of the quantile that the metric is; none where there are too
    /// few values for both of its ends.
    pub fn interval(&self) -> Option<(f64, f64)> {
        match self.quantile {
            Some(quantile) => quantile.low.zip(quantile.high),
            None => self.low.zip(self.high),
        }
    }
}

/// Values that could not be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MissingPart {
    /// Which variant, by its place in `variants`.
    pub variant: u32,
    /// The metric.
    pub metric: MetricId,
    /// Where its values would have come from.
    pub source: Source,
    /// In how many runs there is no value.
    pub runs: usize,
    /// Why.
    pub reason: String,
}

/// One candidate against its baseline in one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparisonPart {
    /// The metric.
    pub metric: MetricId,
    /// Where its values came from.
    pub source: Source,
    /// What is compared with, by its place in `variants`.
    pub baseline: u32,
    /// What is compared, by its place in `variants`.
    pub candidate: u32,
    /// Candidate over baseline; 1e300 over a baseline of 0, whose `difference` says how much it is.
    #[serde(with = "crate::ratio")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub ratio: f64,
    /// Candidate minus baseline, in the metric's unit; none but where one side is 0, of which no ratio
    /// says how much it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<ShiftPart>,
    /// Where one side is only known to be at most so large, the ratio is a bound itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// The lower end of its interval, of which the confidence is that of the experiment as a whole.
    #[serde(with = "crate::ratio")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub low: f64,
    /// Its upper end; none while it is unbounded.
    pub high: Option<f64>,
    /// What the interval says.
    pub verdict: Verdict,
    /// Whether the interval lies within the margin.
    pub within_margin: bool,
    /// How the interval came about.
    pub basis: Basis,
    /// How many rounds it rests on.
    pub rounds: usize,
    /// How many more rounds would settle an inconclusive verdict.
    pub more_rounds: Option<u64>,
    /// The smallest change it would have found nine times in ten, as a fraction.
    pub detectable: Option<f64>,
    /// The class of the machine that it was found on, in a history of several; none where all of it is
    /// of `machine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
}

/// What a ratio says when one side may be smaller than it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The ratio is at least this: the baseline may be smaller.
    AtLeast,
    /// The ratio is at most this: the candidate may be smaller.
    AtMost,
}

/// The answer for one candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnswerPart {
    /// What it is compared with.
    pub baseline: u32,
    /// What is compared.
    pub candidate: u32,
    /// The verdict of the metric that decided.
    pub verdict: Verdict,
    /// The metric that decided.
    pub metric: MetricId,
    /// Where it came from.
    pub source: Source,
    /// The largest share of the wall time that either spent waiting for a processor, when that
    /// is why another metric than wall time decided.
    pub wait_share: Option<f64>,
}

/// The place of one of several commands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RankPart {
    /// The command.
    pub variant: u32,
    /// One more than the number of commands that are shown to be better than it and all that it is tied
    /// with; the same for those that are tied.
    pub rank: u32,
}

impl From<&ComparisonPart> for AnswerPart {
    fn from(part: &ComparisonPart) -> Self {
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

impl Document {
    /// The comparison that decided an answer.
    pub fn deciding(&self, answer: &AnswerPart) -> Option<&ComparisonPart> {
        self.comparison_of((answer.baseline, answer.candidate), &answer.metric, answer.source)
    }

    /// The comparison of two variants in one metric.
    pub fn comparison_of(
        &self,
        (baseline, candidate): (u32, u32),
        metric: &MetricId,
        source: Source,
    ) -> Option<&ComparisonPart> {
        let is_it = |part: &&ComparisonPart| {
            part.baseline == baseline && part.metric == *metric && part.source == source
        };
        of_candidate(&self.comparisons, candidate).iter().find(is_it)
    }

    /// The value that stands for all runs: the quantile that is asked for, or as the estimator takes it.
    pub fn figure(&self, summary: &SummaryPart) -> f64 {
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

    /// Which variant a commit of a history is, of a suite with a single benchmark too.
    pub fn variant_at(&self, commit: &str) -> Option<u32> {
        let commits = self.commits.as_deref()?;
        let place = commits.iter().position(|part| part.hash == commit)?;
        match self.histories.as_slice() {
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
    ) -> Option<&ComparisonPart> {
        of_candidate(&self.comparisons, candidate)
            .iter()
            .find(|comparison| comparison.metric == *metric && comparison.source == source)
    }

    /// One variant's values of a metric from one source.
    pub fn summary(&self, variant: u32, id: &MetricId, source: Source) -> Option<&SummaryPart> {
        self.summaries_of(variant).find(|part| part.metric == *id && part.source == source)
    }

    /// One variant's values of a metric: of the timed runs, where these read it.
    pub fn any_summary(&self, variant: u32, id: &MetricId) -> Option<&SummaryPart> {
        let any = || self.summaries_of(variant).find(|part| part.metric == *id);
        self.summary(variant, id, Source::Run).or_else(any)
    }

    /// One variant's summaries, in the order of the registry.
    pub fn summaries_of(&self, variant: u32) -> impl Iterator<Item = &SummaryPart> {
        let from = self.summaries.partition_point(|summary| summary.variant < variant);
        self.summaries[from..].iter().take_while(move |summary| summary.variant == variant)
    }
}

/// The comparisons of one candidate, of comparisons in the order of their candidates.
pub fn of_candidate(comparisons: &[ComparisonPart], candidate: u32) -> &[ComparisonPart] {
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
