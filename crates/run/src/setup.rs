//! The readings of setup commands.
//!
//! A setup command that makes something for its variant alone (a saved world, a cache, an index)
//! has a one-time cost, so it is measured like a run and stored with the experiment.

use measure::FinishedRun;
use serde::{Deserialize, Serialize};

use model::metric::{CPU_TIME, MetricId, PEAK_RSS, PEAK_RSS_FLOOR, Readings, WALL_TIME};

/// One run of a variant's setup command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetupRun {
    /// The variant.
    pub variant: u32,
    /// The command as typed, with its placeholders.
    pub command: String,
    /// The readings.
    pub readings: Readings,
}

/// The metrics kept of a setup command's run: its cost in time and memory.
const KEPT: [MetricId; 6] = [
    WALL_TIME,
    MetricId::known("user_time"),
    MetricId::known("system_time"),
    CPU_TIME,
    PEAK_RSS,
    PEAK_RSS_FLOOR,
];

impl SetupRun {
    /// A run as the launcher reported it.
    pub fn of_finished(variant: u32, command: &str, finished: &FinishedRun) -> Self {
        let all = Readings::of_run(finished);
        let kept = all.iter().filter(|(id, _)| KEPT.contains(id));
        Self {
            variant,
            command: command.to_owned(),
            readings: kept.map(|(id, value)| (id.clone(), value.clone())).collect(),
        }
    }

    /// The value of a metric; `None` if it is missing.
    pub fn value(&self, id: &MetricId) -> Option<f64> {
        self.readings.get(id)?.as_ref().ok().copied()
    }
}
