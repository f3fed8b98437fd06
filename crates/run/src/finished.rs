//! A run as the launcher reported it, and the end of a failed run's standard error.

use measure::FinishedRun;

use model::metric::Readings;
use model::run::{Run, RunPlace};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_lines_of_standard_error_are_kept() {
        let long: String = (0..50).map(|line| format!("line {line}\n")).collect();
        let kept = last_lines(long.as_bytes());
        assert_eq!(kept.lines().count(), STDERR_LINES);
        assert!(kept.ends_with("line 49"));
        assert_eq!(last_lines(b""), "");
    }
}
