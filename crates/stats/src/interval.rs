//! Estimates with their intervals, and the intervals of sums and ratios of such.
//!
//! A sum of the ends is an interval, too, but a wide one: it takes all errors to be at their worst at
//! once. Here variances are recovered from the ends and added up, which leaves intervals of any form
//! on both sides of an estimate (MOVER: Zou and Donner, *Statistics in Medicine* 27, 2008, for sums;
//! Donner and Zou, *Statistical Methods in Medical Research* 21, 2012, for ratios). The errors are
//! taken as independent; where they go along with each other, the interval of a ratio of a part to
//! its whole is too wide, never too short.

/// An estimate with its interval, in the unit of what is estimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// True if 0 is outside.
    #[must_use]
    pub fn excludes_zero(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// The interval of the opposite quantity.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { estimate: -self.estimate, low: -self.high, high: -self.low }
    }

    /// The interval of the larger of the quantity and a bound.
    #[must_use]
    pub fn at_least(self, bound: f64) -> Self {
        let Self { estimate, low, high } = self;
        Self { estimate: estimate.max(bound), low: low.max(bound), high: high.max(bound) }
    }
}

/// The sum of two quantities.
#[must_use]
pub fn sum(one: Interval, other: Interval) -> Interval {
    let estimate = one.estimate + other.estimate;
    let below = (one.estimate - one.low).hypot(other.estimate - other.low);
    let above = (one.high - one.estimate).hypot(other.high - other.estimate);
    Interval { estimate, low: estimate - below, high: estimate + above }
}

/// The ratio of a part, of any sign, to a whole. `None` unless the whole is certainly positive, and
/// its upper end less than twice the estimate.
#[must_use]
pub fn ratio(part: Interval, whole: Interval) -> Option<Interval> {
    let (p, w) = (part.estimate, whole.estimate);
    if !(whole.low > 0.0 && whole.high < 2.0 * w) {
        return None;
    }
    // The ends of the ratio belong to opposite ends of the whole for a positive part.
    let end = |part_end: f64, whole_end: f64, sign: f64| {
        let product = whole_end * (2.0 * w - whole_end);
        let root = (p * w).powi(2) - part_end * (2.0 * p - part_end) * product;
        (p * w + sign * root.max(0.0).sqrt()) / product
    };
    let estimate = p / w;
    let low = end(part.low, whole.high, -1.0).min(estimate);
    let high = end(part.high, whole.low, 1.0).max(estimate);
    Some(Interval { estimate, low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, estimate: f64, high: f64) -> Interval {
        Interval { estimate, low, high }
    }

    fn assert_near(found: Interval, known: [f64; 3]) {
        for (found, known) in [found.low, found.estimate, found.high].into_iter().zip(known) {
            assert!((found - known).abs() < 1e-9 * known.abs().max(1.0), "{found} {known}");
        }
    }

    #[test]
    fn errors_of_a_sum_add_up_as_squares() {
        let found = sum(interval(7.0, 10.0, 14.0), interval(-4.0, 0.0, 3.0));
        assert_near(found, [5.0, 10.0, 15.0]);
    }

    /// With intervals of means at one level, the ratio's is Fieller's; `tests/reference/fieller.py`
    /// solves the quadratic equation for it.
    #[test]
    fn the_ratio_of_means_has_the_interval_of_fieller() {
        let table = include_str!("../tests/reference/fieller.csv");
        let lines = table.lines().skip(1);
        let mut count = 0;
        for line in lines {
            let cells: Vec<f64> =
                line.split(',').map(|cell| cell.parse().expect("a number")).collect();
            let [p, p_reach, w, w_reach, low, high] = cells[..] else { panic!("{line}") };
            let part = interval(p - p_reach, p, p + p_reach);
            let whole = interval(w - w_reach, w, w + w_reach);
            assert_near(ratio(part, whole).expect("a positive whole"), [low, p / w, high]);
            count += 1;
        }
        assert!(count >= 5);
    }

    #[test]
    fn what_is_known_exactly_adds_no_error() {
        let part = interval(-2.0, 3.0, 4.0);
        let found = ratio(part, interval(8.0, 8.0, 8.0)).expect("a positive whole");
        assert_near(found, [-0.25, 0.375, 0.5]);
    }

    #[test]
    fn there_is_no_ratio_to_what_may_be_nothing() {
        let part = interval(1.0, 2.0, 3.0);
        assert_eq!(ratio(part, interval(0.0, 1.0, 1.5)), None);
        assert_eq!(ratio(part, interval(0.5, 1.0, 2.0)), None);
    }
}
