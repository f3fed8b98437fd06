//! The time of one iteration, from measurements of loops within one process.
//!
//! A harness times a loop of `x` iterations as a whole, many times and with different `x`, because
//! one iteration is often shorter than the clock's resolution. The overhead of a loop (reading the
//! clock, a collection before it) is the same for every `x`; the slope of a line through the
//! measurements is the time of an iteration without it.
//!
//! Harnesses fit that line by least squares, where a single measurement in which the process had to
//! wait moves the slope, the more the longer the loop was. [`robust`] resists: it is a weighted
//! median, and outvotes a few slow loops. It takes anything that adds up over the iterations:
//! seconds, allocated bytes, page faults.
//!
//! The result describes one process. These measurements do not show how much the next process
//! differs, so no interval should be made of them: see [`crate::processes`].

use crate::order::weighted_median;

/// One loop, measured as a whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measurement {
    /// The number of iterations.
    pub iterations: u64,
    /// Their total: seconds, or any other quantity that adds up.
    pub total: f64,
}

/// The choice of the line's intercept, the overhead of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Intercept {
    /// Loops may have an overhead: the line has an intercept. Needs loops of different lengths.
    Fitted,
    /// Loops have no overhead, or all have one length: the line starts at the origin.
    Zero,
}

/// A line through the measurements of one process, in the unit of their totals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// The amount per iteration.
    pub per_iteration: f64,
    /// The overhead of a loop; 0 if no intercept was fitted.
    pub overhead: f64,
}

/// The reason why no line was fitted.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are; indices begin at 0")]
pub enum LoopError {
    #[error("there are no measurements")]
    Empty,
    #[error("measurement {index} has no iterations")]
    NoIterations { index: usize },
    #[error("measurement {index} is {total}, not an amount")]
    NotAnAmount { index: usize, total: f64 },
    #[error("all measurements have {0} iterations, so their overhead cannot be told apart")]
    OneLength(u64),
}

/// The minimum number of different lengths for an intercept. Arbitrary.
const FEWEST_LENGTHS: usize = 5;

/// The minimum ratio of the longest loop to the shortest for an intercept to be fitted; with less
/// the slope loses more in precision than the overhead is worth. Arbitrary.
const LEAST_SPREAD: f64 = 4.0;

impl Intercept {
    /// The choice that suits loops of these lengths. All processes of a benchmark should be fitted
    /// alike, so call this once, with the lengths of one of them.
    #[must_use]
    pub fn suited_to(measurements: &[Measurement]) -> Self {
        let mut lengths: Vec<u64> = measurements.iter().map(|m| m.iterations).collect();
        lengths.sort_unstable();
        lengths.dedup();
        match (lengths.first(), lengths.last()) {
            (Some(&shortest), Some(&longest))
                if lengths.len() >= FEWEST_LENGTHS
                    && longest as f64 >= LEAST_SPREAD * shortest as f64 =>
            {
                Self::Fitted
            }
            _ => Self::Zero,
        }
    }
}

/// A line that a few slow loops move far neither in slope nor in overhead.
///
/// Through the origin: the least sum of absolute residuals, which is the median of the loops' times
/// per iteration, weighted by their iterations. With an intercept: the median of the slopes between
/// all pairs of loops, weighted by their difference in length (Sievers, *JASA* 73, 1978), and the
/// median of the remainders, weighted by the inverse of the length because noise grows with it. `n`
/// measurements take `O(n² log n)` with an intercept.
///
/// # Errors
///
/// When there are no measurements, one has no iterations or an invalid total, or an intercept is
/// requested and all loops have the same length.
pub fn robust(measurements: &[Measurement], intercept: Intercept) -> Result<Line, LoopError> {
    check(measurements, intercept)?;
    let points: Vec<(f64, f64)> =
        measurements.iter().map(|m| (m.iterations as f64, m.total)).collect();
    if intercept == Intercept::Zero {
        let per_iteration = weighted_median(points.iter().map(|(x, y)| (y / x, *x)).collect());
        return Ok(Line { per_iteration, overhead: 0.0 });
    }
    let mut slopes = Vec::with_capacity(points.len() * (points.len() - 1) / 2);
    for (i, (x, y)) in points.iter().enumerate() {
        let longer_or_shorter = points[i + 1..].iter().filter(|(other, _)| other != x);
        slopes.extend(longer_or_shorter.map(|(u, v)| ((v - y) / (u - x), (u - x).abs())));
    }
    let per_iteration = weighted_median(slopes);
    let rest = points.iter().map(|(x, y)| (y - per_iteration * x, 1.0 / x)).collect();
    Ok(Line { per_iteration, overhead: weighted_median(rest) })
}

/// The robust slopes of every other measurement, starting with the first and with the second. Their
/// difference shows how precise the slope of all of them is, see [`crate::processes::Components`].
/// None if a half cannot be fitted.
#[must_use]
pub fn halves(measurements: &[Measurement], intercept: Intercept) -> Option<(f64, f64)> {
    let half = |start: usize| {
        let every_other: Vec<Measurement> =
            measurements.iter().skip(start).step_by(2).copied().collect();
        robust(&every_other, intercept).ok().map(|line| line.per_iteration)
    };
    Some((half(0)?, half(1)?))
}

fn check(measurements: &[Measurement], intercept: Intercept) -> Result<(), LoopError> {
    let first = measurements.first().ok_or(LoopError::Empty)?;
    for (index, Measurement { iterations, total }) in measurements.iter().enumerate() {
        if *iterations == 0 {
            return Err(LoopError::NoIterations { index });
        }
        if !total.is_finite() || *total < 0.0 {
            return Err(LoopError::NotAnAmount { index, total: *total });
        }
    }
    let one_length = measurements.iter().all(|m| m.iterations == first.iterations);
    if intercept == Intercept::Fitted && one_length {
        return Err(LoopError::OneLength(first.iterations));
    }
    Ok(())
}
