//! The part of a finding that only one kind of experiment has: the commits of a history, the
//! benchmarks of a suite, the points of a sweep, the expectations of a check.

use serde::{Deserialize, Serialize};

use crate::reach::ChangeReach;
use crate::{BenchmarkHistory, Document, Drift, HistoryCommit, HistorySubject, Step};
use judge::acceptance::{Acceptance, Standing};
use judge::expectation::Evaluation;
use judge::loops::{BenchmarkLevel, Idle, PartsAgainstWhole};
use judge::orders::{After, Dependence, Regimes, Waits};
use model::commission::Kind;
use model::expectation::ExpectationId;
use model::metric::MetricId;
use model::spec::parameters::Parameter;
use model::spec::suite::Arrangement;
use model::verdict::Verdict;
use run::suite::listing::PlacedLists;

/// The findings that only this kind of experiment has, beside those that all share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Finding {
    /// Commands against each other.
    Compare,
    /// The benchmarks of a suite.
    Bench {
        /// The benchmarks.
        suite: Box<SuiteFinding>,
    },
    /// The commits of a range.
    History(Box<HistoryFinding>),
    /// The points of a parameter space.
    Sweep {
        /// The points and their front.
        sweep: Box<SweepFinding>,
    },
    /// The settings of a runtime.
    Tune {
        /// The settings that were confirmed, and the search for them.
        sweep: Box<SweepFinding>,
    },
    /// The expectations of a project.
    Check {
        /// The expectations and their outcomes.
        check: Box<CheckFinding>,
        /// The benchmarks, if the expectations are about a suite.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suite: Option<Box<SuiteFinding>>,
    },
}

/// The findings of a history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct HistoryFinding {
    /// The subject of the history.
    #[serde(rename = "history")]
    pub subject: HistorySubject,
    /// The commits, a parent before its children.
    pub commits: Vec<HistoryCommit>,
    /// The changes of metrics by single commits.
    pub steps: Vec<Step>,
    /// The changes without a step.
    pub drifts: Vec<Drift>,
    /// The variants of each benchmark, in the history of a suite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub histories: Vec<BenchmarkHistory>,
}

impl HistoryFinding {
    /// The history of this subject, in which nothing has been found yet.
    pub fn new(subject: HistorySubject) -> Self {
        let (commits, steps, drifts, histories) = (vec![], vec![], vec![], vec![]);
        Self { subject, commits, steps, drifts, histories }
    }
}

impl Document {
    /// The kind of the experiment.
    pub fn kind(&self) -> Kind {
        match &self.finding {
            Finding::Compare => Kind::Compare,
            Finding::Bench { .. } => Kind::Bench,
            Finding::History(_) => Kind::History,
            Finding::Sweep { .. } => Kind::Sweep,
            Finding::Tune { .. } => Kind::Tune,
            Finding::Check { .. } => Kind::Check,
        }
    }

    /// The findings of a history; `None` in other experiments.
    pub fn history(&self) -> Option<&HistoryFinding> {
        if let Finding::History(history) = &self.finding { Some(history) } else { None }
    }

    /// The findings of a history, to be changed.
    pub fn history_mut(&mut self) -> Option<&mut HistoryFinding> {
        if let Finding::History(history) = &mut self.finding { Some(history) } else { None }
    }

    /// The steps of a history, which the document loses.
    pub fn take_steps(&mut self) -> Vec<Step> {
        self.history_mut().map(|history| std::mem::take(&mut history.steps)).unwrap_or_default()
    }

    /// The history with these steps.
    #[must_use]
    pub fn with_steps(mut self, steps: Vec<Step>) -> Self {
        if let Some(history) = self.history_mut() {
            history.steps = steps;
        }
        self
    }

    /// The benchmarks in the history of a suite, which the document loses.
    pub fn take_histories(&mut self) -> Vec<BenchmarkHistory> {
        self.history_mut().map(|history| std::mem::take(&mut history.histories)).unwrap_or_default()
    }

    /// The commits of a history; empty in other experiments.
    pub fn commits(&self) -> &[HistoryCommit] {
        self.history().map_or(&[], |history| &history.commits)
    }

    /// The changes of a history by single commits; empty in other experiments.
    pub fn steps(&self) -> &[Step] {
        self.history().map_or(&[], |history| &history.steps)
    }

    /// The changes of a history without a step; empty in other experiments.
    pub fn drifts(&self) -> &[Drift] {
        self.history().map_or(&[], |history| &history.drifts)
    }

    /// The benchmarks in the history of a suite; empty in other experiments.
    pub fn histories(&self) -> &[BenchmarkHistory] {
        self.history().map_or(&[], |history| &history.histories)
    }

    /// The benchmarks of a suite that was measured or checked; `None` in other experiments.
    pub fn suite(&self) -> Option<&SuiteFinding> {
        match &self.finding {
            Finding::Bench { suite } => Some(suite),
            Finding::Check { suite, .. } => suite.as_deref(),
            _ => None,
        }
    }

    /// The benchmarks of a suite, to be changed.
    pub fn suite_mut(&mut self) -> Option<&mut SuiteFinding> {
        match &mut self.finding {
            Finding::Bench { suite } => Some(suite),
            Finding::Check { suite, .. } => suite.as_deref_mut(),
            _ => None,
        }
    }

    /// The points of a sweep or a tuning; `None` in other experiments.
    pub fn sweep(&self) -> Option<&SweepFinding> {
        match &self.finding {
            Finding::Sweep { sweep } | Finding::Tune { sweep } => Some(sweep),
            _ => None,
        }
    }

    /// The points of a sweep or a tuning, to be changed.
    pub fn sweep_mut(&mut self) -> Option<&mut SweepFinding> {
        match &mut self.finding {
            Finding::Sweep { sweep } | Finding::Tune { sweep } => Some(sweep),
            _ => None,
        }
    }

    /// The expectations of a project with their outcomes; `None` in other experiments.
    pub fn check(&self) -> Option<&CheckFinding> {
        if let Finding::Check { check, .. } = &self.finding { Some(check) } else { None }
    }

    /// The expectations; empty in documents other than those of checks.
    pub fn expectations(&self) -> &[CheckedExpectation] {
        self.check().map_or(&[], |check| &check.expectations)
    }
}

// Checks.

/// The content of a check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CheckFinding {
    /// The project's folder.
    pub project: String,
    /// The commit that was checked out; null outside a repository.
    pub commit: Option<String>,
    /// The expectations, in the order of the file.
    pub expectations: Vec<CheckedExpectation>,
    /// The largest share of a program's time spent waiting for a processor, if worth a note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_share: Option<f64>,
    /// The reach of the change since the baseline, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<ChangeReach>,
}

/// An expectation with its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CheckedExpectation {
    /// Its name.
    pub id: ExpectationId,
    /// The text of the expectation, as written.
    pub that: String,
    /// The reason it is expected, if the project gives one.
    pub why: Option<String>,
    /// Its outcome.
    pub standing: Standing,
    /// The acceptance that makes it *accepted*.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceptance: Option<Acceptance>,
    /// The evaluated result.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

// Suites.

/// The benchmarks of one or two programs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SuiteFinding {
    /// The arrangement in which benchmarks are judged: what runs before them in their process.
    pub order: Arrangement,
    /// The programs; if there are two, the old one first.
    pub programs: Vec<SuiteProgram>,
    /// The benchmarks, in the order of the programs.
    pub benchmarks: Vec<SuiteBenchmark>,
    /// The benchmarks of a saved baseline that the program lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_in_baseline: Vec<String>,
    /// The benchmarks that were dropped because their processes kept failing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_up: Vec<GivenUp>,
    /// The reach of the change from the old program to the new one, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<ChangeReach>,
    /// The benchmarks in other arrangements, which show what they depend on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub company: Vec<OtherArrangement>,
    /// The time of each benchmark where it is judged, with intervals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<BenchmarkLevel>,
    /// The benchmarks that may not do their work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle: Vec<Idle>,
    /// The benchmarks declared to be made of others, compared with their parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_of: Vec<PartsAgainstWhole>,
    /// The benchmarks whose result depends on what ran before them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependences: Vec<Dependence>,
    /// The time of each of at most 24 benchmarks of a program after each of the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<After>,
    /// The dependences left out above because waiting for a processor explains them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<Waits>,
    /// The benchmarks whose processes fall into two regimes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regimes: Vec<Regimes>,
    /// The measurements of the harnesses, by variant and round; in exports only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measurements: Vec<PlacedLists>,
}

/// A program of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SuiteProgram {
    /// The program as typed.
    pub name: String,
    /// The harness of its benchmarks, by its word.
    pub harness: String,
}

/// A benchmark of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SuiteBenchmark {
    /// Its name; namesakes have a number appended.
    pub name: String,
    /// Its variant in each program; null if a program lacks it.
    pub variants: Vec<Option<u32>>,
}

/// A benchmark in an arrangement in which it is not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct OtherArrangement {
    /// Its variant in this arrangement.
    pub variant: u32,
    /// The program, by its place.
    pub program: usize,
    /// The benchmark, by its place.
    pub benchmark: usize,
    /// That arrangement: what ran before it in its process.
    pub order: Arrangement,
}

/// A benchmark that was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct GivenUp {
    /// Its variant.
    pub variant: u32,
    /// The number of rounds it took part in.
    pub rounds: u32,
}

// Sweeps.

/// The results of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SweepFinding {
    /// The command, with `{name}` for a parameter's value, and the variables set for it.
    pub command: String,
    /// The parameters and their values, in their order.
    pub parameters: Vec<Parameter>,
    /// The metric to minimise.
    pub minimized: MetricId,
    /// The second metric to keep small: peak memory, unless another was named.
    pub beside: MetricId,
    /// The variant that runs if no parameter is set; null if it was not specified.
    pub default: Option<u32>,
    /// The limits on every point, as written.
    pub limits: Vec<String>,
    /// One point for each variant, in their order.
    pub points: Vec<SweepPoint>,
    /// The Pareto front of `minimized` against `beside`, ascending by the former: all points for
    /// which no other point is shown to be better in one and not worse in the other.
    pub front: Vec<u32>,
    /// The point of the front that gains most for its memory: the one farthest below the line
    /// between the front's ends.
    pub knee: Option<u32>,
    /// The point of the front with the least memory that has nine tenths of the fastest's gain over
    /// the default for at most half of its additional memory.
    pub thrifty: Option<u32>,
    /// The search that chose the points, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<TuningFinding>,
}

impl SweepFinding {
    /// The second objective of the front, if it differs from the minimised metric.
    pub fn beside(&self) -> Option<&MetricId> {
        (self.beside != self.minimized).then_some(&self.beside)
    }
}

/// A point of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct SweepPoint {
    /// Its variant, whose labels are the parameters' values.
    pub variant: u32,
    /// The number of rounds it took part in.
    pub rounds: u32,
    /// Its outcome.
    #[serde(flatten)]
    pub state: PointState,
}

/// The outcome of a point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum PointState {
    /// On the front: no other point can be better in one objective and as good in the other.
    Front,
    /// On the front, together with another point that differs from it by no more than the margin.
    Equal {
        /// The other point.
        to: u32,
    },
    /// Another point is shown to be better in one objective and not worse in the other.
    Dominated {
        /// The better point.
        by: u32,
    },
    /// Another point is so clearly better that this one was dropped.
    Dropped {
        /// The better point.
        by: u32,
    },
    /// The point exceeds a limit.
    OverLimit {
        /// The limit, as written.
        limit: String,
    },
    /// A run of the point failed, and it was dropped.
    Failed {
        /// The way it failed.
        how: String,
        /// The last lines of its standard error.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stderr: Option<String>,
    },
    /// On the front if `with` names another point, which may or may not be better; otherwise it was
    /// not read.
    Undecided {
        /// The other point.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with: Option<u32>,
    },
}

impl PointState {
    /// True if the point is on the front: still taking part, read, and not shown to be worse than
    /// another.
    pub fn is_on_front(&self) -> bool {
        matches!(self, Self::Front | Self::Equal { .. } | Self::Undecided { with: Some(_) })
    }
}

/// The search of a tuning, apart from the measurements that confirmed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct TuningFinding {
    /// The runtime, by its word: `ocaml`.
    pub runtime: String,
    /// The knobs that were varied.
    pub knobs: Vec<VariedKnob>,
    /// The knobs that were not varied, with the reason.
    pub left_out: Vec<UnvariedKnob>,
    /// The number of possible settings.
    pub settings: u64,
    /// The number of runs in the search; those of the confirmation belong to the experiment.
    pub search_runs: usize,
    /// The search's results for each setting that it tried, fastest first.
    pub tried: Vec<TriedSetting>,
    /// Set if the experiment confirms the search's choice. If the search chose nothing, the
    /// experiment is its last batch, from which nothing follows.
    pub is_confirmed: bool,
    /// The variant of the confirmation to choose; null if none is certainly better than the
    /// default.
    pub recommended: Option<u32>,
    /// The line to paste into a shell to apply it.
    pub line: Option<String>,
    /// The result of the recommended setting on another command; null if none was given.
    pub check: Option<CheckedSetting>,
}

/// A setting of the runtime.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct VariedKnob {
    /// Its name in the runtime.
    pub name: String,
    /// Its purpose, in words.
    pub about: String,
    /// Its default value.
    pub default: String,
    /// The values that were searched.
    pub levels: Vec<String>,
}

/// A knob that was not varied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct UnvariedKnob {
    /// Its name in the runtime.
    pub name: String,
    /// The reason it was not varied.
    pub reason: String,
}

/// A setting that the search tried. Its few runs are not a reliable measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct TriedSetting {
    /// The setting as written in tables: `s=32M o=200`.
    pub setting: String,
    /// The number of its runs.
    pub runs: usize,
    /// The minimised metric, in seconds; null if a run failed or was ended as hopeless.
    pub seconds: Option<f64>,
    /// The peak memory, in bytes.
    pub peak_bytes: Option<f64>,
}

/// The recommended setting on another command, against the default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct CheckedSetting {
    /// The other command.
    pub command: String,
    /// The ratio of candidate to baseline.
    pub ratio: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval; null if it is unbounded.
    pub high: Option<f64>,
    /// The verdict from the interval.
    pub verdict: Verdict,
}
