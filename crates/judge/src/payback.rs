//! The number of runs after which a setup pays: a one-off cost against a gain in every run.
//!
//! A setup that costs C seconds more and saves g seconds a run has paid after the first whole
//! number n of runs with n · g >= C. The interval of n covers every cost and every gain in their
//! intervals.

use stats::student;

use super::level::Interval;

/// The confidence of the interval of a repeated setup's cost: as usual for a single figure.
const CONFIDENCE: f64 = 0.95;

/// The relative amount by which a quotient may exceed a whole number through rounding alone.
const ROUNDING: f64 = 1e-12;

/// The point at which a setup pays, if ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payback {
    /// After `runs` runs, in the interval from `low` to `high`. 0 means that there is no cost to
    /// recover.
    Pays {
        /// From the estimates.
        runs: u64,
        /// At the lowest cost and the largest gain.
        low: u64,
        /// At the highest cost and the smallest gain.
        high: u64,
    },
    /// Never: a run is not faster.
    Never,
    /// It is open whether a run is faster.
    Undecided {
        /// The lower bound of the number of runs, if it pays at all.
        earliest: Option<u64>,
    },
}

/// The number of runs after which a cost of `cost` seconds is recovered by `gain` seconds a run.
/// `cost` is that of the side that seems to pay more, so its estimate is not negative.
pub fn payback(cost: Interval, gain: Interval) -> Payback {
    if gain.high() <= 0.0 && cost.low() >= 0.0 {
        return Payback::Never;
    }
    if gain.low() > 0.0 {
        return Payback::Pays {
            runs: runs(cost.estimate(), gain.estimate()),
            low: runs(cost.low(), gain.high()),
            high: runs(cost.high(), gain.low()),
        };
    }
    let may_gain = gain.high() > 0.0 && gain.high().is_finite();
    Payback::Undecided { earliest: may_gain.then(|| runs(cost.low(), gain.high())) }
}

/// The smallest number of runs whose gains reach the cost; `gain` is positive.
fn runs(cost: f64, gain: f64) -> u64 {
    let quotient = cost / gain;
    // The cast saturates: numbers beyond 2^64 become the largest one, negative ones 0.
    (quotient - quotient.abs() * ROUNDING).ceil() as u64
}

/// The cost of a setup, from the times of its runs: their mean, with Student's interval if there
/// are several. A single one is treated as exact, for lack of more. `None` without any, or if one
/// is not finite.
pub fn cost(seconds: &[f64]) -> Option<Interval> {
    if let [only] = seconds {
        return Interval::exact(*only);
    }
    if seconds.is_empty() {
        return None;
    }
    let (mean, half_width) = student::mean(seconds, 1.0 - CONFIDENCE);
    // No time is negative.
    Interval::new(mean, (mean - half_width).max(0.0), mean + half_width)
}

/// The time in seconds that a run of the candidate saves over the baseline: from the level of the
/// baseline, and the ratio of candidate to baseline.
pub fn gain(baseline: Interval, ratio: Interval) -> Option<Interval> {
    Interval::exact(1.0)?.minus(ratio)?.times(baseline)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn interval(estimate: f64, low: f64, high: f64) -> Interval {
        Interval::new(estimate, low, high).expect("in order")
    }

    fn exact(value: f64) -> Interval {
        Interval::exact(value).expect("finite")
    }

    /// By hand: 1.2 s at 0.09 s a run are 13.33 runs, so 14; at 0.1 s 12, at 0.075 s 16.
    #[test]
    fn a_setup_pays_after_the_first_run_that_makes_up_for_it() {
        for (cost, gain, expected) in [
            (exact(1.2), interval(0.09, 0.075, 0.1), (14, 12, 16)),
            (exact(3.0), exact(1.0), (3, 3, 3)),
            (exact(3.1), exact(1.0), (4, 4, 4)),
            (exact(0.5), interval(2.0, 1.0, 3.0), (1, 1, 1)),
            (interval(10.0, 8.0, 12.0), interval(2.0, 1.0, 4.0), (5, 2, 12)),
            (exact(0.0), interval(2.0, 1.0, 3.0), (0, 0, 0)),
            // It is open which setup costs more: there may be nothing to recover.
            (interval(1.0, -2.0, 4.0), interval(2.0, 1.0, 4.0), (1, 0, 4)),
        ] {
            let (runs, low, high) = expected;
            assert_eq!(payback(cost, gain), Payback::Pays { runs, low, high }, "{cost:?} {gain:?}");
        }
    }

    #[test]
    fn a_whole_number_of_runs_is_not_rounded_up_for_the_machines_arithmetic() {
        for whole in 1..=300_u32 {
            for gain in [0.1, 0.3, 0.7, 1e-3, 1.0 / 3.0] {
                let paid = payback(exact(f64::from(whole) * gain), exact(gain));
                let runs = u64::from(whole);
                assert_eq!(paid, Payback::Pays { runs, low: runs, high: runs }, "{whole} {gain}");
            }
        }
    }

    #[test]
    fn what_is_not_faster_never_pays() {
        for gain in [interval(-1.0, -2.0, -0.5), interval(-1.0, -2.0, 0.0), exact(0.0)] {
            assert_eq!(payback(exact(5.0), gain), Payback::Never, "{gain:?}");
        }
    }

    #[test]
    fn while_it_is_open_who_is_faster_it_is_open_when_it_pays() {
        let infinite = f64::INFINITY;
        for (gain, earliest) in [
            (interval(0.001, -0.01, 0.02), Some(250)),
            (interval(-0.01, -0.1, 0.05), Some(100)),
            (interval(0.5, 0.0, 1.0), Some(5)),
            (interval(0.5, -infinite, infinite), None),
        ] {
            assert_eq!(payback(exact(5.0), gain), Payback::Undecided { earliest }, "{gain:?}");
        }
        // The other setup may be the one that costs more.
        let either = interval(0.1, -1.0, 2.0);
        let slower = payback(either, interval(-1.0, -2.0, -0.5));
        assert_eq!(slower, Payback::Undecided { earliest: None });
    }

    #[test]
    fn beyond_all_numbers_the_largest_is_given() {
        let Payback::Pays { runs, .. } = payback(exact(1e30), exact(1e-30)) else {
            panic!("a run is faster")
        };
        assert_eq!(runs, u64::MAX);
    }

    /// Of 1, 2, 3 and 6: mean 3, variance 14/3, t(0.975, 3 df) = 3.182446305, so the half-width is
    /// 3.182446305 * sqrt(14/3/4) = 3.437435 (tests/reference/payback.py).
    #[test]
    fn the_cost_of_a_repeated_setup_is_its_mean_with_students_interval() {
        let repeated = cost(&[1.0, 2.0, 3.0, 6.0]).expect("finite");
        assert!((repeated.estimate() - 3.0).abs() < 1e-12);
        assert!(repeated.low() == 0.0, "it would be negative: {repeated:?}");
        assert!((repeated.high() - 6.437_434_9).abs() < 1e-7, "{repeated:?}");
        assert_eq!(cost(&[2.5]), Interval::exact(2.5));
        assert_eq!(cost(&[]), None);
        assert_eq!(cost(&[1.0, f64::NAN]), None);
    }

    /// A baseline of 2 s, in 1.8 to 2.5 s, and 0.75 [0.7, 0.9] times that: from 0.1 * 1.8 to
    /// 0.3 * 2.5.
    #[test]
    fn the_gain_follows_from_level_and_ratio() {
        let found = gain(interval(2.0, 1.8, 2.5), interval(0.75, 0.7, 0.9)).expect("finite");
        for (found, expected) in
            [(found.estimate(), 0.5), (found.low(), 0.18), (found.high(), 0.75)]
        {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        let open = gain(exact(1.0), interval(0.5, 0.0, f64::INFINITY)).expect("finite");
        assert_eq!((open.low(), open.high()), (f64::NEG_INFINITY, 1.0));
    }

    fn positive() -> impl Strategy<Value = Interval> {
        (1e-6..1e6, 0.0..1.0, 1.0..10.0).prop_map(|(x, low, high): (f64, f64, f64)| {
            interval(x, x * (low + 1e-3).min(1.0), x * high)
        })
    }

    proptest! {
        #[test]
        fn the_number_of_runs_is_within_its_interval_and_just_enough(
            cost in positive(), gain in positive()
        ) {
            let Payback::Pays { runs, low, high } = payback(cost, gain) else {
                return Err(TestCaseError::fail("a run is faster"));
            };
            prop_assert!(low <= runs && runs <= high);
            let paid = |runs: u64| runs as f64 * gain.estimate();
            prop_assert!(paid(runs) >= cost.estimate() * (1.0 - 1e-9));
            prop_assert!(paid(runs - 1) < cost.estimate());
        }

        #[test]
        fn a_unit_of_time_changes_nothing(
            cost in positive(), gain in positive(), power in -20_i32..20
        ) {
            // By powers of two the arithmetic is exact.
            let unit = exact(2.0_f64.powi(power));
            let scaled = payback(cost.times(unit).unwrap(), gain.times(unit).unwrap());
            prop_assert_eq!(scaled, payback(cost, gain));
        }
    }
}
