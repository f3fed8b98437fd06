//! Evidence that a benchmark no longer does its work, because the compiler removed it from the loop.
//!
//! An unused result need not be computed, and one that never changes need be computed only once.
//! The benchmark then measures an empty loop, a memoised value, or nothing. This shows in three
//! ways: loops take no longer with more iterations, an iteration takes fewer cycles than any work
//! would, or it takes no longer with a larger input.
//!
//! Each is evidence, not proof: a lookup may take the same time in a large table. So the result is
//! the figure that raised the suspicion, for the user to judge.

use crate::loops::Measurement;
use crate::order::{median, sorted};
use crate::processes::centre;

/// The number of cycles below which an iteration has hardly done anything: a call that returns at
/// once takes about as many, a loop around an addition takes one. Arbitrary within a factor of two.
const FEW_CYCLES: f64 = 4.0;

/// The power of the work below which time does not count as growing with it. Work that is done has
/// 1, a binary search among a million elements still 0.07.
const FLAT: f64 = 0.05;

/// The factor by which loops, or inputs, must differ for their times to be expected to differ.
const LEAST_RANGE: f64 = 8.0;

/// The level at which the power of the input's size must be below [`FLAT`].
const ALPHA: f64 = 0.05;

/// A sign that the work was not done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Evidence {
    /// An iteration takes too few cycles.
    FewCycles {
        /// The number of processor cycles per iteration.
        cycles: f64,
    },
    /// Long loops take no longer than short ones.
    IndependentOfIterations {
        /// The longest loop considered, in multiples of the shortest.
        times_longer: f64,
        /// The power of the number of iterations with which the time grows; real work has 1.
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
    /// The size, in any unit.
    pub size: f64,
    /// The time per iteration: one estimate for each process, paired with those of the other sizes
    /// by round.
    pub per_iteration: Vec<f64>,
}

/// Evidence that an iteration of `seconds` is below a few cycles of a processor of `hertz`; None if
/// it is not, or if either is not a positive number.
#[must_use]
pub fn few_cycles(seconds: f64, hertz: f64) -> Option<Evidence> {
    let cycles = seconds * hertz;
    (seconds > 0.0 && hertz > 0.0 && cycles < FEW_CYCLES).then_some(Evidence::FewCycles { cycles })
}

/// Evidence that the loops of one process take as long with any number of iterations.
///
/// Short loops mostly take their overhead, so only those with at least the geometric mean of the
/// shortest and the longest length count; they must differ by a factor of 8. None if they do not,
/// or time grows.
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

/// Evidence that an iteration takes as long for any size of its input: the power of the size with
/// which the time grows, estimated in each process, is below 0.05 with its whole 95 % interval.
///
/// None if it is not, the sizes differ by less than a factor of 8, there are fewer than two
/// processes or different numbers of them for the sizes, or a size or time is not finite and
/// positive.
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

/// The range of the positive `x` and the power of `x` with which `y` grows: the median slope
/// between all pairs (Theil 1950) on logarithmic axes. None if the range is too small.
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
