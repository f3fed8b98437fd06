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

use crate::order::{median, sorted};
use crate::signed_rank::Shift;

/// The standing of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontStanding {
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
    pub standings: Vec<FrontStanding>,
    /// The difference of logarithms up to which points are equal, by objective.
    pub resolution: [f64; 2],
}

/// The reason why there is no front.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are; indices begin at 0")]
pub enum FrontError {
    #[error("point {point} has the estimate {value}, not a finite logarithm")]
    NotFinite { point: usize, value: f64 },
    #[error(
        "the interval of point {point}, {low} to {high}, does not hold its estimate {estimate}"
    )]
    NoInterval { point: usize, low: f64, estimate: f64, high: f64 },
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
            return FrontStanding::Member;
        }
        let with = |wanted| members.iter().copied().find(|&m| relation(m, point) == wanted);
        with(Relation::Dominates).map_or_else(
            || {
                FrontStanding::EqualTo(
                    with(Relation::Equals).expect("a member took every other point off"),
                )
            },
            FrontStanding::DominatedBy,
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

// The members of a front that deserve a name.

/// A thrifty member has this share of the fastest member's gain ...
const LEAST_GAIN: f64 = 0.9;

/// ... for at most this share of its price. Both are a matter of taste.
const MOST_PRICE: f64 = 0.5;

/// The knee of a front: the index in `members` (logarithms of the two objectives, in any order) of
/// the one farthest below the straight line between the two extreme members, both axes being scaled
/// so that the extremes lie at (0, 1) and (1, 0).
///
/// That is the characteristic point of Das (*Structural Optimization* 18, 1999) on logarithmic
/// axes, and with few points the one that Kneedle finds (Satopää and others, *ICDCS Workshops*,
/// 2011). None for fewer than three members, for an axis along which the members do not differ, or
/// if none lies below the line. Of several at the same distance, the one with the smallest first
/// objective.
#[must_use]
pub fn knee(members: &[[f64; 2]]) -> Option<usize> {
    if members.len() < 3 || members.iter().flatten().any(|value| !value.is_finite()) {
        return None;
    }
    let by = |objective: usize| {
        move |a: &&[f64; 2], b: &&[f64; 2]| {
            let other = 1 - objective;
            a[objective].total_cmp(&b[objective]).then(a[other].total_cmp(&b[other]))
        }
    };
    let (first, last) = (members.iter().min_by(by(0))?, members.iter().min_by(by(1))?);
    let span = [last[0] - first[0], first[1] - last[1]];
    if span.iter().any(|&length| length <= 0.0) {
        return None;
    }
    // The distance from the diagonal of the unit square, but for a factor of the square root of
    // two.
    let depth = |member: &[f64; 2]| {
        1.0 - (member[0] - first[0]) / span[0] - (member[1] - last[1]) / span[1]
    };
    let deepest = (0..members.len()).max_by(|&a, &b| {
        let order = depth(&members[a]).total_cmp(&depth(&members[b]));
        order.then(members[b][0].total_cmp(&members[a][0]))
    })?;
    (depth(&members[deepest]) > ROUNDING).then_some(deepest)
}

/// The depth below the line that counts as on it: a few units in the last place, of which
/// logarithms lose some.
const ROUNDING: f64 = 1e-12;

/// The rule for a thrifty member: at least nine tenths of the best member's gain over the default
/// in the first objective, such as time, for at most half of its additional cost in the second,
/// such as memory.
///
/// All points are pairs of logarithms; gain and price are counted in the quantities themselves, in
/// seconds and bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thrift {
    default: [f64; 2],
    /// The gain and the price of the best member, as multiples of the default, so that no unit of
    /// measurement overflows.
    gain: f64,
    price: f64,
}

impl Thrift {
    /// The rule for this default and best member; None if the best member gains nothing or costs
    /// nothing, since there is then nothing to save.
    #[must_use]
    pub fn between(default: [f64; 2], best: [f64; 2]) -> Option<Self> {
        let rule = Self { default, gain: 0.0, price: 0.0 };
        let (gain, price) = (rule.gain_at(best[0]), rule.price_at(best[1]));
        (gain > 0.0 && price > 0.0).then_some(Self { gain, price, ..rule })
    }

    /// True if a point with this first objective has enough of the gain.
    #[must_use]
    pub fn keeps_gain(&self, first: f64) -> bool {
        self.gain_at(first) >= LEAST_GAIN * self.gain
    }

    /// True if a point with this second objective costs little enough of the price.
    #[must_use]
    pub fn saves_enough(&self, second: f64) -> bool {
        self.price_at(second) <= MOST_PRICE * self.price
    }

    fn gain_at(&self, first: f64) -> f64 {
        -(first - self.default[0]).exp_m1()
    }

    fn price_at(&self, second: f64) -> f64 {
        (second - self.default[1]).exp_m1()
    }
}

/// The index in `members` of the thrifty one, according to [`Thrift`], with the least of the second
/// objective, such as memory.
///
/// All are pairs of logarithms. None if the best member gains nothing or costs nothing, or no
/// member is thrifty.
#[must_use]
pub fn thrifty(members: &[[f64; 2]], default: [f64; 2]) -> Option<usize> {
    let best = members.iter().min_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])))?;
    let rule = Thrift::between(default, *best)?;
    let is_thrifty = |member: &[f64; 2]| rule.keeps_gain(member[0]) && rule.saves_enough(member[1]);
    (0..members.len()).filter(|&place| is_thrifty(&members[place])).min_by(|&a, &b| {
        let order = members[a][1].total_cmp(&members[b][1]);
        order.then(members[a][0].total_cmp(&members[b][0]))
    })
}
