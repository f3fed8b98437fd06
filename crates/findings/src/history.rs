//! The parts of a document that only a history has: commits, steps and drifts, and their outcome.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::core_difference::CoreDifference;
use crate::instructions::InstructionCounts;
use crate::{Answer, Bound, Document, ShiftFromZero};
use judge::step::Origin;
use model::metric::{MetricId, Source};
use model::note::{Note, OverLayouts};
use model::verdict::Verdict;

/// The subject of a history.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct HistorySubject {
    /// The folder of the repository.
    pub repository: String,
    /// The range, in git's syntax.
    pub range: String,
    /// The command, with `{artifact}` for the built artefact.
    pub command: String,
    /// The address that compares two commits in a browser, with `{from}` and `{to}` for their
    /// hashes; null if the remote is not known to offer that.
    pub compare_url: Option<String>,
    /// The experiments that the figures come from, oldest first.
    pub experiments: Vec<i64>,
    /// The number of further commits of the range that lie behind merges and are not measured: only
    /// first parents are followed.
    pub behind_merges: usize,
}

/// One commit, in git's order: a parent before its children.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct HistoryCommit {
    /// Its hash.
    pub hash: String,
    /// Its first parent, with which it is compared if that was built; null for a root.
    pub parent: Option<String>,
    /// The first line of its message.
    pub subject: String,
    /// Its author and date; absent where they are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorship: Option<Authorship>,
    /// Its variant; null if it was not measured, and in suites, where each benchmark is a variant.
    pub variant: Option<u32>,
    /// The result of building it.
    pub build: Build,
    /// For an incremental build that equals an earlier commit's: true if a build from scratch
    /// confirms it; absent if nothing relevant changed between the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equality_confirmed: Option<bool>,
    /// The last lines of the log of a failed build, or the reason it was not built, or the reason
    /// the built suite does not list its benchmarks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The author of a commit, and the date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Authorship {
    /// The author's name.
    pub author: String,
    /// The author date, in seconds since 1970-01-01 UTC.
    pub unix_seconds: i64,
}

/// The history of one benchmark of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct BenchmarkHistory {
    /// Its name; namesakes have a number appended.
    pub benchmark: String,
    /// Its variant at each commit, in the order of the commits; null if it was not measured.
    pub variants: Vec<Option<u32>>,
    /// The commits that were built but lack it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absences: Vec<MissingBenchmark>,
    /// The commits from which on it has another name; empty if all commits call it by its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<BenchmarkName>,
}

/// A name of a benchmark, from a certain commit on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct BenchmarkName {
    /// The first commit that uses the name.
    pub commit: String,
    /// The name.
    pub name: String,
    /// Its name at the commit that this one is compared with; absent if there is no such commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// A commit that lacks a certain benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct MissingBenchmark {
    /// The commit's hash.
    pub commit: String,
    /// The reason.
    #[serde(flatten)]
    pub why: Absence,
}

/// The reason a benchmark has no figures at a commit that was built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Absence {
    /// The suite lacks the benchmark.
    Lacking,
    /// The suite does not list its benchmarks.
    Unlisted,
    /// The benchmark cannot be measured.
    Unmeasured {
        /// The error.
        reason: String,
    },
}

impl Step {
    /// The size of the change, in either direction: the distance of the ratio from 1 on the log
    /// scale.
    pub fn weight(&self) -> f64 {
        self.ratio.ln().abs()
    }
}

/// The result of building a commit: `ok`, `failed`, `skipped` or `same as HASH`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(into = "String", try_from = "String")]
#[cfg_attr(feature = "testing", schemars(extend("pattern" = "^(ok|failed|skipped|same as .+)$")))]
pub enum Build {
    /// The commit was built.
    Ok,
    /// The commit does not build.
    Failed,
    /// The build was not tried.
    Skipped,
    /// The build is byte for byte the same as that of this earlier commit.
    SameAs(String),
}

impl fmt::Display for Build {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => out.write_str("ok"),
            Self::Failed => out.write_str("failed"),
            Self::Skipped => out.write_str("skipped"),
            Self::SameAs(hash) => write!(out, "same as {hash}"),
        }
    }
}

impl From<Build> for String {
    fn from(build: Build) -> Self {
        build.to_string()
    }
}

impl TryFrom<String> for Build {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Ok(match text.as_str() {
            "ok" => Self::Ok,
            "failed" => Self::Failed,
            "skipped" => Self::Skipped,
            _ => match text.strip_prefix("same as ") {
                Some(hash) => Self::SameAs(hash.to_owned()),
                None => {
                    return Err(format!(
                        "`{text}` is not a build result; expected `ok`, `failed`, `skipped` or `same as HASH`"
                    ));
                }
            },
        })
    }
}

impl Document {
    /// The variant of a commit: the command, or a benchmark of a suite. `None` if it was not
    /// measured.
    pub fn variant_of(&self, hash: &str, benchmark: Option<&str>) -> Option<u32> {
        let commits = self.commits();
        let place = commits.iter().position(|commit| commit.hash == hash)?;
        match benchmark {
            None => commits[place].variant,
            Some(name) => {
                let of_it = self.histories().iter().find(|history| history.benchmark == name)?;
                of_it.variants.get(place).copied().flatten()
            }
        }
    }

    /// The number of the first variant of each history of a suite; the histories follow each other.
    pub fn first_variants(&self) -> Vec<u32> {
        let mut least = u32::MAX;
        let mut firsts = vec![0; self.histories().len()];
        for (first, history) in firsts.iter_mut().zip(self.histories()).rev() {
            least = history.variants.iter().flatten().copied().min().unwrap_or(least).min(least);
            *first = least;
        }
        firsts.first_mut().into_iter().for_each(|first| *first = 0);
        firsts
    }
}

/// The first seven digits of a hash.
pub fn short(hash: &str) -> &str {
    hash.get(..7).unwrap_or(hash)
}

/// A commit that changed a metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Step {
    /// The commit's hash.
    pub commit: String,
    /// The commit it was compared with: the nearest one before it that builds.
    pub from: String,
    /// The benchmark of the suite; absent in the history of a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// The metric.
    pub metric: MetricId,
    /// The source of its values.
    pub source: Source,
    /// The ratio of the commit to the one before it; 1e300 over 0.
    #[serde(with = "model::json::ratio")]
    #[cfg_attr(feature = "testing", schemars(with = "f64"))]
    pub ratio: f64,
    /// The commit minus the one before it, in the metric's unit; absent unless one of them is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<ShiftFromZero>,
    /// The direction in which the ratio is only a bound, if one side is only an upper bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// The lower end of the interval.
    #[serde(with = "model::json::ratio")]
    #[cfg_attr(feature = "testing", schemars(with = "f64"))]
    pub low: f64,
    /// The upper end of the interval; null if it is unbounded.
    pub high: Option<f64>,
    /// The verdict from the interval.
    pub verdict: Verdict,
    /// The class of the machine it was found on, in a history of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The confirmation by builds from scratch of both sides.
    pub confirmed: Confirmation,
    /// The origin of the change; absent if the metric does not depend on the layout of code, or if
    /// nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The ratio of the commit's instructions to those of the one before it; absent if they were
    /// not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions_ratio: Option<f64>,
    /// The change across several layouts, if examined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layouts: Option<OverLayouts>,
    /// The changes in Core, if requested and both sides are programs compiled by GHC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_difference: Option<Box<CoreDifference>>,
    /// The functions that execute more or fewer instructions, if requested and the programs differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Box<InstructionCounts>>,
}

/// The confirmation of a step by builds from scratch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Confirmation {
    /// The measured builds equal builds from scratch, byte for byte.
    CleanBuilds,
    /// Builds from scratch differ in their bytes, and were measured as well.
    Measured,
    /// Not examined.
    Unchecked,
    /// The figures came from elsewhere.
    NothingToBuild,
}

/// A change made by no single commit, but by many small ones in the same direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Drift {
    /// The commit before the first of the changes.
    pub from: String,
    /// The commit of the last change.
    pub to: String,
    /// The benchmark of the suite; absent in the history of a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// The metric.
    pub metric: MetricId,
    /// The source of its values.
    pub source: Source,
    /// The ratio of `to` to `from`; 1e300 over 0.
    #[serde(with = "model::json::ratio")]
    #[cfg_attr(feature = "testing", schemars(with = "f64"))]
    pub ratio: f64,
    /// `to` minus `from`, in the metric's unit; absent unless one of them is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<ShiftFromZero>,
    /// The direction in which the ratio is only a bound, if one side is only an upper bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// The lower end of the interval.
    #[serde(with = "model::json::ratio")]
    #[cfg_attr(feature = "testing", schemars(with = "f64"))]
    pub low: f64,
    /// The upper end of the interval; null if it is unbounded.
    pub high: Option<f64>,
    /// The verdict from the interval.
    pub verdict: Verdict,
    /// The class of the machine it was found on, in a history of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
}

/// The answer of a history, which determines its sentences and its exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Set if a commit, or many of them together, made something worse.
    pub is_regressed: bool,
    /// Pairs of neighbours whose question is still undecided.
    pub undecided: usize,
    /// Pairs of neighbours without an answer, because they did different amounts of work.
    pub unanswered: usize,
}

impl Outcome {
    /// The outcome in a document.
    pub fn from_document(document: &Document) -> Self {
        let steps = document.steps().iter().map(|step| step.verdict);
        let drifts = document.drifts().iter().map(|drift| drift.verdict);
        let is_undecided = |answer: &&Answer| is_undecided(document, answer);
        Self {
            is_regressed: steps.chain(drifts).any(|verdict| verdict == Verdict::Regressed),
            undecided: document.answers.iter().filter(is_undecided).count(),
            unanswered: document.notes.iter().filter(|note| is_unanswered(document, note)).count(),
        }
    }

    /// True if every pair of neighbours has its answer.
    pub fn is_decided(self) -> bool {
        self.undecided == 0 && self.unanswered == 0
    }
}

/// True if measuring ended before a change of the size that a history looks for would have been
/// seen.
fn is_undecided(document: &Document, answer: &Answer) -> bool {
    let seen = document
        .deciding(answer)
        .and_then(|part| part.detectable)
        .zip(document.experiment.resolution);
    let is_resolved = seen.is_some_and(|(change, resolution)| change <= resolution);
    !answer.verdict.is_conclusive() && !is_resolved
}

/// True if neighbours have no answer, because they did different amounts of work.
fn is_unanswered(document: &Document, note: &Note) -> bool {
    let Note::OtherWork { baseline, candidate, .. } = note else { return false };
    let is_its = |answer: &Answer| (answer.baseline, answer.candidate) == (*baseline, *candidate);
    !document.answers.iter().any(is_its)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_became_of_a_build_is_written_as_the_contract_says() {
        for (build, text) in [
            (Build::Ok, "\"ok\""),
            (Build::Failed, "\"failed\""),
            (Build::Skipped, "\"skipped\""),
            (Build::SameAs("e66f1e0".to_owned()), "\"same as e66f1e0\""),
        ] {
            assert_eq!(serde_json::to_string(&build).expect("writable"), text);
            assert_eq!(serde_json::from_str::<Build>(text).expect("readable"), build);
        }
        assert!(serde_json::from_str::<Build>("\"fine\"").is_err());
    }
}
