//! Runs as the launcher reported them, and the places of timed ones as one number, the tag that
//! identifies them in the journal.
//!
//! A setup command that makes something for its variant alone (a saved world, a cache, an index)
//! has a one-time cost, so its run is measured, too, and stored with the experiment.

use measure::FinishedRun;
use model::metric::{CPU_TIME, MetricId, PEAK_RSS, PEAK_RSS_FLOOR, Readings, Source, WALL_TIME};
use model::run::{Run, RunPlace};
use serde::{Deserialize, Serialize};

/// The number of lines shown of a failed command's standard error.
const STDERR_LINES: usize = 10;

/// The last lines of a command's standard error, as many as messages show.
pub fn last_lines(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(STDERR_LINES)..].join("\n")
}

/// A timed run as the launcher reported it.
pub fn timed_run(place: RunPlace, finished: &FinishedRun) -> Run {
    let ended_well = finished.outcome == measure::Outcome::Exited(0);
    Run {
        place,
        started_unix_ns: finished.started_unix_ns,
        outcome: finished.outcome,
        readings: Readings::of_run(finished),
        left_behind: finished.left_behind,
        stderr_tail: (!ended_well && !finished.stderr_tail.is_empty())
            .then(|| last_lines(&finished.stderr_tail)),
    }
}

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

/// Bits of a tag: the variant and its position below 2^20 each, the round below 2^23.
const POSITION_SHIFT: u32 = 20;
const ROUND_SHIFT: u32 = 40;
const WARMUP_SHIFT: u32 = 63;
const INDEX_MASK: u64 = (1 << 20) - 1;
const ROUND_MASK: u64 = (1 << 23) - 1;

/// A timed run's place as one number, so that a journal can be read back without the plan.
pub(super) fn tag(place: RunPlace) -> u64 {
    u64::from(place.variant)
        | u64::from(place.position) << POSITION_SHIFT
        | u64::from(place.round) << ROUND_SHIFT
        | u64::from(place.warmup) << WARMUP_SHIFT
}

/// The place of the timed run with this tag.
pub fn place_of_tag(tag: u64) -> RunPlace {
    let part = |shift: u32, mask: u64| {
        u32::try_from((tag >> shift) & mask).expect("masked to below 32 bits")
    };
    RunPlace {
        source: Source::Run,
        warmup: tag >> WARMUP_SHIFT == 1,
        round: part(ROUND_SHIFT, ROUND_MASK),
        position: part(POSITION_SHIFT, INDEX_MASK),
        variant: part(0, INDEX_MASK),
    }
}

#[cfg(test)]
mod tests {
    use model::spec::MOST_ROUNDS;

    use super::*;

    #[test]
    fn only_the_last_lines_of_standard_error_are_kept() {
        let long: String = (0..50).map(|line| format!("line {line}\n")).collect();
        let kept = last_lines(long.as_bytes());
        assert_eq!(kept.lines().count(), STDERR_LINES);
        assert!(kept.ends_with("line 49"));
        assert_eq!(last_lines(b""), "");
    }

    #[test]
    fn a_tag_tells_the_place() {
        for place in [
            RunPlace { source: Source::Run, warmup: false, round: 0, position: 0, variant: 0 },
            RunPlace {
                source: Source::Run,
                warmup: true,
                round: MOST_ROUNDS - 1,
                position: (1 << 20) - 1,
                variant: (1 << 20) - 1,
            },
            RunPlace { source: Source::Run, warmup: false, round: 77, position: 3, variant: 9 },
        ] {
            assert_eq!(place_of_tag(tag(place)), place);
        }
    }
}
