//! The part of a finding that only one kind of experiment has.

use serde::{Deserialize, Serialize};

use crate::{
    BenchmarkHistory, CheckFinding, Document, Drift, HistoryCommit, HistorySubject, Step,
    SuiteFinding, SweepFinding,
};
use model::commission::Kind;

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
}
