//! Finding the k-th smallest of very many values without storing them.
//!
//! The pairs of 100 000 readings are five thousand million; but in the order of the readings one
//! pass counts the pairs at or below a point. A search over points needs a dozen passes.

use crate::order::midpoint;

/// The result of one pass over the values, for one point.
pub(crate) struct Standing {
    /// The number of values at or below the point.
    pub(crate) at_most: u64,
    /// The smallest value above the point; infinity if there is none.
    pub(crate) next: f64,
}

/// The `rank`-th smallest (from 1) of finite values of which `lowest` and `highest` are the
/// extremes and `count` the number; to the last bit.
///
/// Alternates between interpolating in the counts, which converges in a few passes if the values
/// are spread smoothly; bisecting the bit patterns of the doubles, which bounds the passes for any
/// values; and stepping to the next value, which ends the search, at once if many are equal.
pub(crate) fn select(
    rank: u64,
    count: u64,
    (lowest, highest): (f64, f64),
    look: impl Fn(f64) -> Standing,
) -> f64 {
    let (mut low, mut below, mut next) = (lowest.next_down(), 0, lowest);
    let (mut high, mut upto) = (highest, count);
    for turn in 0.. {
        if next >= high {
            return next + 0.0;
        }
        let step = rank - below <= 3 || turn % 4 == 3;
        let point = if step {
            next
        } else if turn % 4 == 2 {
            halfway(low, high)
        } else {
            let part = ((rank - below) as f64 - 0.5) / (upto - below) as f64;
            let interpolated = low + part * (high - low);
            if interpolated > low && interpolated < high {
                interpolated
            } else {
                halfway(low, high)
            }
        };
        let standing = look(point);
        if standing.at_most < rank {
            (low, below, next) = (point, standing.at_most, standing.next);
        } else if step {
            return point + 0.0;
        } else {
            (high, upto) = (point, standing.at_most);
        }
    }
    unreachable!("the bisection ends before the turns do")
}

/// The median of such values: the middle one, or the mean of the two in the middle.
pub(crate) fn median(count: u64, ends: (f64, f64), look: impl Fn(f64) -> Standing) -> f64 {
    let lower = select(count.div_ceil(2), count, ends, &look);
    if count % 2 == 1 || look(lower).at_most > count / 2 {
        return lower;
    }
    midpoint(lower, look(lower).next)
}

/// The double halfway between two others in the order of all doubles, at least `low` and below
/// `high`.
fn halfway(low: f64, high: f64) -> f64 {
    // The sum of two positions may overflow an i64, not an i128.
    let sum = i128::from(place_of(low)) + i128::from(place_of(high));
    double_at(sum.div_euclid(2) as i64)
}

/// The position of a double among all doubles; zero of either sign at 0.
fn place_of(x: f64) -> i64 {
    let size = (x.to_bits() & (u64::MAX >> 1)) as i64;
    if x.is_sign_negative() { -size } else { size }
}

fn double_at(place: i64) -> f64 {
    let size = f64::from_bits(place.unsigned_abs());
    if place < 0 { -size } else { size }
}
