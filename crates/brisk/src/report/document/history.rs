//! The parts of a document that only a history has: commits, steps and drifts.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ShiftPart;
use crate::judge::step::Origin;
use crate::judge::verdict::Verdict;
use crate::metric::{MetricId, Source};
use crate::note::OverLayouts;
use crate::report::core_difference::document::CoreDifferencePart;
use crate::report::instructions::document::InstructionsPart;

/// What a history is of.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HistoryPart {
    /// The folder of the repository.
    pub repository: String,
    /// The range, in git's syntax.
    pub range: String,
    /// The command, `{artifact}` standing for what was built.
    pub command: String,
    /// Where two commits can be compared in a browser, `{from}` and `{to}` standing for their
    /// hashes; none where the remote is not known to offer that.
    pub compare_url: Option<String>,
    /// The experiments that the figures come from, the oldest first.
    pub experiments: Vec<i64>,
    /// How many more commits the range has behind merges, which are not measured: only first parents
    /// are followed.
    pub behind_merges: usize,
}

/// One commit, in git's order: a parent before its children.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CommitPart {
    /// Its hash.
    pub hash: String,
    /// Its first parent, with which it is compared if that was built; none for a root.
    pub parent: Option<String>,
    /// The first line of its message.
    pub subject: String,
    /// Which variant it is; none where it was not measured, and of a suite, whose benchmarks are
    /// variants each.
    pub variant: Option<u32>,
    /// What became of building it.
    pub build: Build,
    /// Of one that was built on top of another build and is the same as an earlier commit: whether a
    /// build from scratch says so, too; none where nothing changed between the two that could matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equality_confirmed: Option<bool>,
    /// The last lines of the log of a build that failed, or why there was none, or why the suite that
    /// was built does not say which benchmarks it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The history of one benchmark of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BenchmarkHistoryPart {
    /// Its name; of namesakes, with a number behind it.
    pub benchmark: String,
    /// Which variant it is at each commit, in their order; none where it was not measured.
    pub variants: Vec<Option<u32>>,
    /// The commits that were built and are not part of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absences: Vec<AbsencePart>,
    /// Where commits begin to call it otherwise; none where all of them call it by its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<NamePart>,
}

/// A name of a benchmark that is known by another one now, or is from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NamePart {
    /// The first commit that calls it so.
    pub commit: String,
    /// What it is called there.
    pub name: String,
    /// What the commit calls it that this one is compared with; none where there is no such commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// A commit without a certain benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AbsencePart {
    /// The commit's hash.
    pub commit: String,
    /// Why it is not there.
    #[serde(flatten)]
    pub why: Absence,
}

/// Why a benchmark has no figures at a commit that was built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Absence {
    /// The suite does not have it.
    Lacking,
    /// The suite does not say what it has.
    Unlisted,
    /// It cannot be measured.
    Unmeasured {
        /// What went wrong.
        reason: String,
    },
}

impl StepPart {
    /// How much it changed, whichever way: the distance of the ratio from 1 on the log scale.
    pub fn weight(&self) -> f64 {
        self.ratio.ln().abs()
    }
}

/// What became of building a commit: `ok`, `failed`, `skipped` or `same as HASH`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(into = "String", try_from = "String")]
#[cfg_attr(test, schemars(extend("pattern" = "^(ok|failed|skipped|same as .+)$")))]
pub enum Build {
    /// It was built.
    Ok,
    /// It does not build.
    Failed,
    /// It was not tried.
    Skipped,
    /// What was built is, byte for byte, what this earlier commit gave.
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
                None => return Err(format!("`{text}` is nothing that becomes of a build")),
            },
        })
    }
}

impl super::Document {
    /// The variant of a commit: the command, or a benchmark of a suite. None where it was not measured.
    pub fn variant_of(&self, hash: &str, benchmark: Option<&str>) -> Option<u32> {
        let commits = self.commits.as_deref().unwrap_or_default();
        let place = commits.iter().position(|commit| commit.hash == hash)?;
        match benchmark {
            None => commits[place].variant,
            Some(name) => {
                let of_it = self.histories.iter().find(|history| history.benchmark == name)?;
                of_it.variants.get(place).copied().flatten()
            }
        }
    }

    /// Of each history of a suite, the number of its first variant: they are behind each other.
    pub fn first_variants(&self) -> Vec<u32> {
        let mut least = u32::MAX;
        let mut firsts = vec![0; self.histories.len()];
        for (first, history) in firsts.iter_mut().zip(&self.histories).rev() {
            least = history.variants.iter().flatten().copied().min().unwrap_or(least).min(least);
            *first = least;
        }
        firsts.first_mut().into_iter().for_each(|first| *first = 0);
        firsts
    }
}

/// A commit that changed a metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StepPart {
    /// The commit's hash.
    pub commit: String,
    /// The commit it was compared with: the nearest one before it that builds.
    pub from: String,
    /// Which benchmark of the suite it is about; none in the history of a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// The metric.
    pub metric: MetricId,
    /// Where its values came from.
    pub source: Source,
    /// The commit over the one before it; 1e300 over 0.
    #[serde(with = "crate::ratio")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub ratio: f64,
    /// The one minus the other, in the metric's unit; none but where one of them is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<ShiftPart>,
    /// The lower end of its interval.
    #[serde(with = "crate::ratio")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub low: f64,
    /// Its upper end; none while it is unbounded.
    pub high: Option<f64>,
    /// What the interval says.
    pub verdict: Verdict,
    /// The class of the machine that it was found on, in a history of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Whether builds from scratch of both sides say the same.
    pub confirmed: Confirmation,
    /// What the change comes from; none where the metric does not move with where the code lies, and
    /// where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The instructions of the commit over those of the one before it; none where they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions_ratio: Option<f64>,
    /// What it is in several layouts, where that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layouts: Option<OverLayouts>,
    /// What changed in Core, where that was asked for and both sides are programs of GHC's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_difference: Option<Box<CoreDifferencePart>>,
    /// Which functions execute more or fewer instructions, where that was asked for and they are
    /// other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Box<InstructionsPart>>,
}

/// Whether a step was also seen between builds from scratch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Confirmation {
    /// What was measured is what builds from scratch give, byte for byte.
    CleanBuilds,
    /// A build from scratch gives other bytes, and those were measured, too.
    Measured,
    /// Nobody looked.
    Unchecked,
    /// The figures came from elsewhere.
    NothingToBuild,
}

/// A change that no single commit makes: many small ones in the same direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DriftPart {
    /// The commit before the first of them.
    pub from: String,
    /// The last of them.
    pub to: String,
    /// Which benchmark of the suite it is about; none in the history of a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// The metric.
    pub metric: MetricId,
    /// Where its values came from.
    pub source: Source,
    /// The last over the first; 1e300 over 0.
    #[serde(with = "crate::ratio")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub ratio: f64,
    /// The one minus the other, in the metric's unit; none but where one of them is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<ShiftPart>,
    /// The lower end of its interval.
    #[serde(with = "crate::ratio")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub low: f64,
    /// Its upper end; none while it is unbounded.
    pub high: Option<f64>,
    /// What the interval says.
    pub verdict: Verdict,
    /// The class of the machine that it was found on, in a history of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
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
