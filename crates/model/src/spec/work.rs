//! The amount of work that a commit does: less if the whole would take too long.
//!
//! One commit of a history may need a thousand times as long as another. A command that takes the
//! amount of work as `{work}` can do a tenth or a thousandth of it at the slow commits. Readings
//! that grow with the work (times, instructions, allocated bytes) are then scaled to the whole;
//! others (peaks, live bytes, faults) are left unchanged, and not compared with those of a commit
//! that did a different amount. The constant part of a program's work is scaled with the rest: a
//! slow commit looks slower by that, never faster.

use super::labels::Labels;

/// The amount of work that a variant does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// The value of `{work}`.
    pub done: u64,
    /// The value of `{work}` without a limit on time.
    pub whole: u64,
}

impl Work {
    /// The full amount of work; `None` if it is 0.
    pub fn whole(whole: u64) -> Option<Self> {
        (whole > 0).then_some(Self { done: whole, whole })
    }

    /// A tenth of the work; `None` if nothing would be left.
    #[must_use]
    pub fn tenth(self) -> Option<Self> {
        let done = self.done / 10;
        (done > 0).then_some(Self { done, ..self })
    }

    /// True if it is the full amount.
    pub fn is_whole(self) -> bool {
        self.done == self.whole
    }

    /// The factor for readings that grow with the work.
    pub fn scale(self) -> f64 {
        self.whole as f64 / self.done as f64
    }
}

/// By variant, from their labels, the factors for readings that grow with the work; empty if no
/// variant has an amount of work.
pub fn scales<'a>(labels: impl Iterator<Item = &'a Labels>) -> Vec<f64> {
    let works: Vec<Option<Work>> = labels.map(Labels::work).collect();
    if works.iter().all(Option::is_none) {
        return Vec::new();
    }
    works.into_iter().map(|work| work.map_or(1.0, Work::scale)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{
        self, ALLOCATED, INSTRUCTIONS, MAX_LIVE, MINOR_FAULTS, PEAK_RSS, WALL_TIME,
    };

    #[test]
    fn work_shrinks_by_tenths_until_nothing_is_left() {
        let whole = Work::whole(250).expect("something");
        let done: Vec<u64> =
            std::iter::successors(Some(whole), |work| work.tenth()).map(|work| work.done).collect();
        assert_eq!(done, [250, 25, 2]);
        assert_eq!(Work::whole(0), None);
    }

    #[test]
    fn what_was_done_in_part_is_scaled_to_the_whole() {
        assert!((Work { done: 25, whole: 250 }.scale() - 10.0).abs() < 1e-12);
    }

    #[test]
    fn times_counts_and_allocations_grow_with_the_work_and_peaks_do_not() {
        for (id, grows) in [
            (WALL_TIME, true),
            (INSTRUCTIONS, true),
            (ALLOCATED, true),
            (PEAK_RSS, false),
            (MAX_LIVE, false),
            (MINOR_FAULTS, false),
            (metric::COPIED, false),
            (metric::GC_COUNT, true),
            (metric::MetricId::known("clock_rate"), false),
            (metric::MetricId::known("cpus_utilised"), false),
        ] {
            let metric = metric::find(&id).expect("in the registry");
            assert_eq!(metric.grows_with_work(), grows, "{id}");
        }
    }
}
