//! How much of its work a commit does: less where the whole would take too long.
//!
//! One commit of a history may need a thousand times as long as another. A command that is told how
//! much to do, `{work}`, can do a tenth or a thousandth of it at the slow commits. What grows with
//! the work (times, instructions, allocated bytes) is then scaled to the whole; what does not (peaks,
//! live bytes, faults) is taken as it is, and not compared with that of a commit that did another
//! amount. What a program does once, however much it has to do, is scaled with the rest: a
//! slow commit looks slower by that, never faster.

use super::labels::Labels;

/// How much of its work a variant does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// What `{work}` stands for.
    pub done: u64,
    /// What it would stand for if there were time.
    pub whole: u64,
}

impl Work {
    /// All of it; none where there is nothing to do.
    pub fn whole(whole: u64) -> Option<Self> {
        (whole > 0).then_some(Self { done: whole, whole })
    }

    /// A tenth of it; none where nothing would be left.
    #[must_use]
    pub fn tenth(self) -> Option<Self> {
        let done = self.done / 10;
        (done > 0).then_some(Self { done, ..self })
    }

    /// Whether it is all of it.
    pub fn is_whole(self) -> bool {
        self.done == self.whole
    }

    /// By how much what grows with the work is multiplied.
    pub fn scale(self) -> f64 {
        self.whole as f64 / self.done as f64
    }
}

/// By variant, from their labels, what readings that grow with the work are multiplied with; empty
/// where all did all of their work.
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
