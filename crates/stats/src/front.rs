//! The points that remain when two quantities are to be small, such as time and memory.
//!
//! One point is better than another in an objective if it is smaller by more than the measurements
//! resolve and by more than matters; otherwise the two are equal in it. It *dominates* the other if
//! it is better in one objective and not worse in the other. The front (Pareto's, with the
//! tolerance that Laumanns and others, *Evolutionary Computation* 10, 2002, call epsilon dominance)
//! contains for every point a member that dominates it or equals it in both, and no two members
//! related in this way.
//!
//! This "equal" is not transitive: of three points each may equal the next, and the first be better
//! than the last. If each pair had its own width, points could even dominate each other in a
//! circle, and there would be no front. So each objective has one width for all pairs, its
//! [`Front::resolution`]. Then there are no circles: around one, each step would gain more than the
//! width in one objective and lose no more than it in the other, and both sums would have to be 0.
//!
//! Of a front, [`knee`] names the member beyond which more of one objective buys little of the
//! other, and [`thrifty`] the one that has nearly all of the gain for half of the price.

mod choice;

pub use choice::{Thrift, knee, thrifty};

use crate::order::{median, sorted};
use crate::signed_rank::Shift;

/// The standing of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is on the front.
    Member,
    /// This member is better in one objective and not worse in the other.
    DominatedBy(usize),
    /// It cannot be distinguished from this member in either objective.
    EqualTo(usize),
}

/// The front of some points.
#[derive(Debug, Clone, PartialEq)]
pub struct Front {
    /// The members, by the first objective, ascending; the second one then descends.
    pub members: Vec<usize>,
    /// The standing of each point.
    pub standings: Vec<Standing>,
    /// The difference of logarithms up to which points are equal, by objective.
    pub resolution: [f64; 2],
}

/// The reason why there is no front.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum FrontError {
    /// An estimate is NaN or infinite.
    #[error("point {point} has the estimate {value}, not a finite logarithm")]
    NotFinite {
        /// The point.
        point: usize,
        /// Its estimate.
        value: f64,
    },
    /// An interval does not hold its estimate.
    #[error(
        "the interval of point {point}, {low} to {high}, does not hold its estimate {estimate}"
    )]
    NoInterval {
        /// The point.
        point: usize,
        /// The lower end.
        low: f64,
        /// The estimate.
        estimate: f64,
        /// The upper end.
        high: f64,
    },
    /// A tolerance is negative or NaN.
    #[error("the tolerance is {0}, not a number from 0 on")]
    NoTolerance(f64),
}

/// The front of `points`, each with its two objectives: natural logarithms of its ratio to one
/// reference, with intervals; smaller is better.
///
/// Points are equal in an objective up to its `tolerance`, or up to half of the median width of the
/// intervals, if that is more. The interval of a ratio to a reference is as wide as that of the
/// ratio of two other points, if all are equally noisy; the median ignores points that are much
/// noisier. The reference itself may be among the points: its ratio to itself does not show the
/// noise, so one interval without width is not counted. If half of the intervals are infinite, all
/// points are equal.
///
/// Of points that equal each other in both objectives the one with the smaller first estimate is
/// the member. The result depends neither on the order of the points, except for identical ones,
/// nor on the unit of the measurements.
///
/// # Errors
///
/// When an estimate is not finite, an interval does not hold its estimate, or a tolerance is
/// negative or NaN.
pub fn front(points: &[[Shift; 2]], tolerances: [f64; 2]) -> Result<Front, FrontError> {
    check(points, tolerances)?;
    let resolution = [0, 1].map(|objective| {
        let widths: Vec<f64> = points
            .iter()
            .map(|point| 0.5 * (point[objective].high - point[objective].low))
            .collect();
        noise(&sorted(&widths)).max(tolerances[objective])
    });
    let estimates: Vec<[f64; 2]> =
        points.iter().map(|point| point.map(|shift| shift.estimate)).collect();
    let relation = |q: usize, p: usize| relation(estimates[q], estimates[p], resolution);
    let mut members = Vec::new();
    let mut rest = by_estimates(&estimates);
    // A point that joins is not dominated by the rest, so no later member dominates it.
    while let Some(next) = undominated(&rest, relation) {
        members.push(next);
        rest.retain(|&point| point != next && relation(next, point) == Relation::Neither);
    }
    members.sort_by(|&a, &b| estimates[a][0].total_cmp(&estimates[b][0]));
    let standing = |point: usize| {
        if members.contains(&point) {
            return Standing::Member;
        }
        let with = |wanted| members.iter().copied().find(|&m| relation(m, point) == wanted);
        with(Relation::Dominates).map_or_else(
            || {
                Standing::EqualTo(
                    with(Relation::Equals).expect("a member took every other point off"),
                )
            },
            Standing::DominatedBy,
        )
    };
    let standings = (0..points.len()).map(standing).collect();
    Ok(Front { members, standings, resolution })
}

/// The median of these ascending half-widths of intervals, without one that is 0.
fn noise(widths: &[f64]) -> f64 {
    let of_points = match widths {
        [0.0, others @ ..] if !others.is_empty() => others,
        all => all,
    };
    if of_points.is_empty() { 0.0 } else { median(of_points) }
}

/// The relation of one point to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Dominates,
    Equals,
    Neither,
}

fn relation(q: [f64; 2], p: [f64; 2], resolution: [f64; 2]) -> Relation {
    let is_better = |a: [f64; 2], b: [f64; 2], i: usize| b[i] - a[i] > resolution[i];
    let gains = [0, 1].iter().any(|&i| is_better(q, p, i));
    let loses = [0, 1].iter().any(|&i| is_better(p, q, i));
    match (gains, loses) {
        (true, false) => Relation::Dominates,
        (false, false) => Relation::Equals,
        (_, true) => Relation::Neither,
    }
}

/// All points, by the first estimate and then by the second.
fn by_estimates(estimates: &[[f64; 2]]) -> Vec<usize> {
    let mut points: Vec<usize> = (0..estimates.len()).collect();
    points.sort_by(|&a, &b| {
        let (a, b) = (estimates[a], estimates[b]);
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
    });
    points
}

/// The first of `points` that no other one dominates; None if there are no points.
fn undominated(points: &[usize], relation: impl Fn(usize, usize) -> Relation) -> Option<usize> {
    let is_free = |&&p: &&usize| points.iter().all(|&q| relation(q, p) != Relation::Dominates);
    // Only rounding could close a circle.
    points.iter().find(is_free).or(points.first()).copied()
}

fn check(points: &[[Shift; 2]], tolerances: [f64; 2]) -> Result<(), FrontError> {
    if let Some(tolerance) = tolerances.into_iter().find(|t| t.is_nan() || *t < 0.0) {
        return Err(FrontError::NoTolerance(tolerance));
    }
    for (point, shift) in points.iter().enumerate().flat_map(|(i, p)| p.iter().map(move |s| (i, s)))
    {
        let Shift { estimate, low, high } = *shift;
        if !estimate.is_finite() {
            return Err(FrontError::NotFinite { point, value: estimate });
        }
        if !(low..=high).contains(&estimate) {
            return Err(FrontError::NoInterval { point, low, estimate, high });
        }
    }
    Ok(())
}
