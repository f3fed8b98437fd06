//! The pace of a phase's rounds, from moments and the progress at each.

use std::collections::VecDeque;

use judge::forecast;

/// The number of recent rounds that count: points may have left, or the machine may have become
/// busier.
const ROUNDS: f64 = 4.0;

/// The least number of marks: short rounds come in quick succession, and fewer marks are too
/// imprecise.
const LEAST_MARKS: usize = 8;

/// The progress of a phase over time.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks {
    /// The time in seconds, and the rounds that were done.
    marks: VecDeque<(f64, f64)>,
    /// The part of a round that one run makes up.
    piece: f64,
}

impl Marks {
    /// Begins or resumes a phase.
    pub(super) fn begin(&mut self, now: f64, rounds: f64) {
        self.marks.clear();
        self.marks.push_back((now, rounds));
    }

    /// Records the end of a run, in a round with this number of runs.
    pub(super) fn ran(&mut self, now: f64, rounds: f64, runs: u32) {
        self.piece = 1.0 / f64::from(runs.max(1));
        if self.marks.back().is_some_and(|(_, before)| *before >= rounds) {
            return;
        }
        self.marks.push_back((now, rounds));
        while self.marks.len() > LEAST_MARKS && self.marks[1].1 <= rounds - ROUNDS {
            self.marks.pop_front();
        }
    }

    /// The pace; `None` before a run has ended.
    pub(super) fn pace(&self, now: f64) -> Option<forecast::Pace> {
        let (&(from, before), &(last, done)) = (self.marks.front()?, self.marks.back()?);
        let seconds_each = (last - from) / (done > before).then_some(done - before)?;
        let passed = (now - last).max(0.0);
        Some(forecast::Pace { done, seconds_each, piece: self.piece, passed })
    }

    /// The time since the last mark, which is that of the first run if none has ended.
    pub(super) fn waited(&self, now: f64) -> f64 {
        self.marks.back().map_or(0.0, |(last, _)| (now - last).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rounds_tell_how_fast_it_goes() {
        let mut marks = Marks::default();
        assert!(marks.pace(5.0).is_none());
        marks.begin(10.0, 0.0);
        assert!(marks.pace(12.0).is_none() && (marks.waited(12.0) - 2.0).abs() < 1e-12);
        // Two runs a round: ten rounds of 4 s, and ten of 1 s.
        let mut now = 10.0;
        for run in 1..=40 {
            now += if run <= 20 { 2.0 } else { 0.5 };
            marks.ran(now, f64::from(run) / 2.0, 2);
        }
        let pace = marks.pace(now + 0.25).expect("runs have ended");
        assert!((pace.seconds_each - 1.0).abs() < 1e-9, "{pace:?}");
        assert!((pace.passed - 0.25).abs() < 1e-9);
        assert!((pace.until(22.0) - 1.75).abs() < 1e-9);
    }
}
