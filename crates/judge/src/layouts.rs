//! Differences that may come from the place of the code chosen by the linker rather than from its
//! work.

use model::metric::{self, CYCLES, MetricId, Unit};

/// Programs whose instructions differ by no more than this fraction are assumed to do the same
/// work.
const EQUAL_COUNT: f64 = 0.001;

/// True if counts of instructions with this ratio indicate the same work.
pub fn is_equal_count(ratio: f64) -> bool {
    (1.0 / (1.0 + EQUAL_COUNT)..=1.0 + EQUAL_COUNT).contains(&ratio)
}

/// True if a metric depends on the place of the code: times do, counts and allocations do not.
pub fn is_moved_by_layout(metric: &MetricId) -> bool {
    *metric == CYCLES || metric::find(metric).is_some_and(|known| known.unit == Unit::Seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::metric::{ALLOCATED, INSTRUCTIONS, WALL_TIME};

    #[test]
    fn a_thousandth_more_or_less_is_the_same_work() {
        for (ratio, is_equal) in
            [(1.0, true), (1.0009, true), (0.9991, true), (1.0011, false), (0.9989, false)]
        {
            assert_eq!(is_equal_count(ratio), is_equal, "{ratio}");
        }
        assert!(is_moved_by_layout(&WALL_TIME));
        assert!(is_moved_by_layout(&MetricId::known("cost[seconds]")));
        assert!(!is_moved_by_layout(&INSTRUCTIONS) && !is_moved_by_layout(&ALLOCATED));
    }
}
