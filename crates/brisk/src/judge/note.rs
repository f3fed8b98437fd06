//! What else is worth knowing, besides the verdicts.
//!
//! Nothing here changes a verdict. Every note is a value, so that it can be tested, counted and
//! exported; its words are in `report::notes`.

use serde::{Deserialize, Serialize};

use crate::metric::MetricId;

/// One thing worth knowing. Fractions are plain (0.05 for 5 %), times in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the words of each are in `report::notes`")]
pub enum Note {
    Drift {
        variant: u32,
        change: f64,
        p_value: f64,
    },
    Position {
        candidate: u32,
        effect: f64,
        p_value: f64,
    },
    CarryOver {
        variant: u32,
        effect: f64,
        p_value: f64,
    },
    Bimodal {
        variant: u32,
        low: f64,
        high: f64,
        share_of_high: f64,
        goes_with: Option<MetricId>,
        separation: Option<f64>,
    },
    Contention {
        wait_share: f64,
    },
    FirstRunSlow {
        variant: u32,
        times: f64,
    },
    ShortRuns {
        median: f64,
    },
    Failures {
        variant: u32,
        runs: usize,
        how: String,
    },
    LeftBehind {
        variant: u32,
        processes: u64,
    },
    AtFloor {
        floor_bytes: f64,
    },
    NoCounters {
        reason: String,
    },
    UserModeCounters,
    ScaledCounters {
        least_share: f64,
    },
    Shell {
        shell: String,
        syntax: Option<char>,
        command: Option<String>,
    },
    Instrumented {
        rounds: u32,
        exact: bool,
    },
    RuntimeFigures {
        rounds: u32,
        exact: bool,
    },
    NoRuntimeFigures {
        variant: u32,
        reason: String,
    },
    RuntimeSetting {
        variant: u32,
        asked: String,
        effective: String,
    },
    AskingCost {
        variant: u32,
        seconds: f64,
        share: f64,
    },
    MemorySampled {
        rounds: u32,
    },
    SamplingCost {
        variant: u32,
        seconds: f64,
        share: f64,
    },
    SequentialOrder,
    NoRunsKept {
        names: Vec<String>,
    },
    SavedBaseline {
        file: String,
        alone: bool,
        wait_share: Option<f64>,
    },
    NotInBaseline {
        benchmarks: Vec<(String, String)>,
    },
    StoredExperiment {
        experiment: i64,
        date: String,
        further: Vec<i64>,
        since: String,
        wait_share: Option<f64>,
    },
    NotConfirmed {
        commit: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        benchmark: Option<String>,
        metric: MetricId,
    },
    ScaledWork {
        least: u64,
        whole: u64,
    },
}

impl Note {
    /// The variant that it is about; none where it is about all of them.
    pub fn about(&self) -> Option<u32> {
        self.clone().variant().copied()
    }

    /// Whether it is always true of the machine, whatever is measured: `brisk doctor` says it, too.
    pub fn is_of_the_machine(&self) -> bool {
        matches!(self, Self::AtFloor { .. } | Self::NoCounters { .. } | Self::UserModeCounters)
    }

    /// Whether the other one says the same sort of thing of the same, perhaps with other figures.
    pub fn is_like(&self, other: &Self) -> bool {
        // A variant may have several settings.
        let setting = |note: &Self| match note {
            Self::RuntimeSetting { asked, .. } => Some(asked.clone()),
            _ => None,
        };
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && (self.about(), setting(self)) == (other.about(), setting(other))
    }

    /// The same note where the variants have other numbers; none where it is about one that is not
    /// there.
    #[must_use]
    pub fn of_variants(mut self, number: &dyn Fn(u32) -> Option<u32>) -> Option<Self> {
        if let Some(variant) = self.variant() {
            *variant = number(*variant)?;
        }
        Some(self)
    }

    fn variant(&mut self) -> Option<&mut u32> {
        match self {
            Self::Drift { variant, .. }
            | Self::CarryOver { variant, .. }
            | Self::Bimodal { variant, .. }
            | Self::FirstRunSlow { variant, .. }
            | Self::Failures { variant, .. }
            | Self::LeftBehind { variant, .. }
            | Self::NoRuntimeFigures { variant, .. }
            | Self::RuntimeSetting { variant, .. }
            | Self::AskingCost { variant, .. }
            | Self::SamplingCost { variant, .. }
            | Self::Position { candidate: variant, .. } => Some(variant),
            Self::Contention { .. }
            | Self::ShortRuns { .. }
            | Self::AtFloor { .. }
            | Self::NoCounters { .. }
            | Self::UserModeCounters
            | Self::ScaledCounters { .. }
            | Self::Shell { .. }
            | Self::Instrumented { .. }
            | Self::RuntimeFigures { .. }
            | Self::MemorySampled { .. }
            | Self::SequentialOrder
            | Self::NoRunsKept { .. }
            | Self::SavedBaseline { .. }
            | Self::NotInBaseline { .. }
            | Self::StoredExperiment { .. }
            | Self::NotConfirmed { .. }
            | Self::ScaledWork { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_alike_when_they_say_the_same_of_the_same() {
        let slow = |variant, times| Note::FirstRunSlow { variant, times };
        assert!(slow(1, 2.0).is_like(&slow(1, 3.0)));
        assert!(!slow(1, 2.0).is_like(&slow(2, 2.0)));
        let asked = |asked: &str| Note::RuntimeSetting {
            variant: 1,
            asked: asked.to_owned(),
            effective: String::new(),
        };
        assert!(asked("s=1").is_like(&asked("s=1")) && !asked("s=1").is_like(&asked("o=1")));
        let busy = |wait_share| Note::Contention { wait_share };
        assert!(busy(0.1).is_like(&busy(0.5)));
        assert!(!busy(0.1).is_like(&Note::UserModeCounters));
        assert_eq!((slow(1, 2.0).about(), busy(0.1).about()), (Some(1), None));
    }
}
