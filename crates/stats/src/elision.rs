//! Whether a benchmark still does its work, or the compiler has taken it out of the loop.
//!
//! A result that nobody looks at need not be computed, and one that never changes need be computed
//! only once. What then is measured is an empty loop, a memoised value, or nothing. It shows in three
//! ways: loops take no longer when they have more iterations, an iteration takes fewer cycles than
//! doing anything would, or it takes no longer when its input is larger.
//!
//! Each is evidence, not proof: a lookup may take the same time in a large table. So what comes out
//! is the figure that raised the suspicion, for somebody to judge.

use crate::loops::Measurement;
use crate::order::{median, sorted};
use crate::processes::centre;

/// An iteration below so many cycles has hardly done anything: a call that returns at once takes
/// about as many, and a loop around an addition takes one. Arbitrary within a factor of two.
const FEW_CYCLES: f64 = 4.0;

/// Time that grows with a smaller power than this of the work does not grow with it. Work that is done
/// has 1, and a binary search among a million elements still 0.07.
const FLAT: f64 = 0.05;

/// Loops, or inputs, must differ by this factor for their times to be expected to.
const LEAST_RANGE: f64 = 8.0;

/// The level at which the power of the input's size must be below [`FLAT`].
const ALPHA: f64 = 0.05;

/// What suggests that the work was not done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Evidence {
    /// An iteration takes too little.
    FewCycles {
        /// How many processor cycles it takes.
        cycles: f64,
    },
    /// Long loops take no longer than short ones.
    IndependentOfIterations {
        /// The longest loop looked at, in multiples of the shortest.
        times_longer: f64,
        /// The power of the number of iterations with which the time grows; work has 1.
        power: f64,
    },
    /// Large inputs take no longer than small ones.
    IndependentOfSize {
        /// The largest input, in multiples of the smallest.
        times_larger: f64,
        /// The power of the size with which the time grows.
        power: f64,
        /// The upper end of its 95 % interval.
        high: f64,
    },
}

/// One size of a benchmark's input.
#[derive(Debug, Clone, PartialEq)]
pub struct Sized {
    /// How large it is, in any unit.
    pub size: f64,
    /// What an iteration takes with it: one estimate for each process, paired with those of the other
    /// sizes by round.
    pub per_iteration: Vec<f64>,
}

/// Whether an iteration of `seconds` is below a few cycles of a processor of `hertz`; None where it is
/// not, or either is not a positive number.
#[must_use]
pub fn few_cycles(seconds: f64, hertz: f64) -> Option<Evidence> {
    let cycles = seconds * hertz;
    (seconds > 0.0 && hertz > 0.0 && cycles < FEW_CYCLES).then_some(Evidence::FewCycles { cycles })
}

/// Whether the loops of one process take as long however many iterations they make.
///
/// Short loops mostly take their overhead, so only those are looked at that have at least the
/// geometric mean of the shortest and the longest length; they must differ by a factor of 8. None where
/// they do not, or time grows.
#[must_use]
pub fn independent_of_iterations(measurements: &[Measurement]) -> Option<Evidence> {
    let lengths = || measurements.iter().map(|m| m.iterations as f64);
    let shortest = lengths().fold(f64::INFINITY, f64::min);
    let longest = lengths().fold(0.0, f64::max);
    let from = (shortest * longest).sqrt();
    let points: Vec<(f64, f64)> = measurements
        .iter()
        .map(|m| (m.iterations as f64, m.total))
        .filter(|&(iterations, total)| iterations >= from && total.is_finite() && total > 0.0)
        .collect();
    let (times_longer, power) = power(&points)?;
    (power < FLAT).then_some(Evidence::IndependentOfIterations { times_longer, power })
}

/// Whether an iteration takes as long however large its input is: the power of the size with which
/// the time grows, estimated in each process, is below 0.05 with its whole 95 % interval.
///
/// None where it is not, the sizes differ by less than a factor of 8, there are fewer than two
/// processes, or not as many for each size, or a size or time is not finite and positive.
#[must_use]
pub fn independent_of_size(sizes: &[Sized]) -> Option<Evidence> {
    let processes = sizes.first()?.per_iteration.len();
    let positive = |value: f64| value.is_finite() && value > 0.0;
    let valid = |sized: &Sized| {
        positive(sized.size)
            && sized.per_iteration.len() == processes
            && sized.per_iteration.iter().all(|&time| positive(time))
    };
    if processes < 2 || !sizes.iter().all(valid) {
        return None;
    }
    let of_process = |process: usize| {
        let points: Vec<(f64, f64)> =
            sizes.iter().map(|sized| (sized.size, sized.per_iteration[process])).collect();
        power(&points)
    };
    let powers: Vec<(f64, f64)> = (0..processes).map(of_process).collect::<Option<_>>()?;
    let interval = centre(&powers.iter().map(|(_, power)| *power).collect::<Vec<f64>>(), ALPHA);
    (interval.high < FLAT).then_some(Evidence::IndependentOfSize {
        times_larger: powers[0].0,
        power: interval.estimate,
        high: interval.high,
    })
}

/// The range of the positive `x` and the power of `x` with which `y` grows: the median slope between
/// all pairs (Theil 1950) on logarithmic axes. None when the range is too small.
fn power(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let least = points.iter().map(|(x, _)| *x).fold(f64::INFINITY, f64::min);
    let range = points.iter().map(|(x, _)| *x).fold(0.0, f64::max) / least;
    if range < LEAST_RANGE {
        return None;
    }
    let mut slopes = Vec::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let others = points[i + 1..].iter().filter(|(u, _)| u != x);
        slopes.extend(others.map(|(u, v)| (v / y).ln() / (u / x).ln()));
    }
    Some((range, median(&sorted(&slopes))))
}
