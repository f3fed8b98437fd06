//! The part of a difference between times that waiting for a processor explains.
//!
//! A process that waits for a share `w` of its time takes `1 / (1 - w)` times as long as without
//! waiting.

/// The largest share a process is assumed to wait, in multiples of the mean share: a mean says
/// little about the processes that waited most.
const ABOVE_MEAN: f64 = 2.0;

/// The largest share of its time that a process is assumed to wait.
const LARGEST_SHARE: f64 = 0.95;

/// True if a factor between the times of two groups of processes may only be due to some waiting
/// for a processor and others not.
///
/// `mean_share` is the mean share of their time, in [0, 1], for which those that waited more did
/// so; `low` and `high` are the ends of the factor's interval. It may be if the interval reaches a
/// factor between that of a process that waited for twice the mean share over one that did not
/// wait, and its inverse.
pub fn explains(mean_share: f64, low: f64, high: f64) -> bool {
    let largest = 1.0 / (1.0 - (ABOVE_MEAN * mean_share).min(LARGEST_SHARE));
    low <= largest && high >= 1.0 / largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_waiting_only_no_effect_is_explained() {
        assert!(explains(0.0, 0.98, 1.03));
        assert!(!explains(0.0, 1.01, 1.03));
        assert!(!explains(0.0, 0.90, 0.99));
    }

    /// At 10 %: up to 1 / (1 - 0.2) = 1.25 and down to 0.8.
    #[test]
    fn twice_the_mean_share_is_explained_in_both_directions() {
        assert!(explains(0.1, 1.249, 1.4));
        assert!(!explains(0.1, 1.251, 1.4));
        assert!(explains(0.1, 0.5, 0.801));
        assert!(!explains(0.1, 0.5, 0.799));
    }

    /// Processes that wait for nearly all of the time are assumed to wait for 95 %: up to
    /// twentyfold.
    #[test]
    fn a_factor_beyond_all_waiting_stays_unexplained() {
        for share in [0.5, 0.9, 1.0] {
            assert!(explains(share, 19.9, 30.0));
            assert!(!explains(share, 20.1, 30.0));
        }
    }
}
