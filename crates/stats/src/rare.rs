//! Rare regimes: a few readings of one variant that differ in kind from the rest. For example, one
//! run in ten takes twenty times as long, because the others skip the work.
//!
//! The dip test ([`crate::modality`]) finds two modes if both have many readings. A rare regime
//! shows by the gap before it. Beyond its mode, a density with one mode does not increase. So of
//! `m` independent readings between two order statistics `a < c`, all are above `b` with a
//! probability of at most `((c - b) / (c - a))^m`, for any such distribution: a heavy tail gets
//! thinner outwards, and leaves no gap with a crowd behind it. Every possible number of rare
//! readings is tested, on both sides, and corrected for the number of tests (Bonferroni). Times are
//! skewed, and the mode may be near the shortest; so the lower side is tested on a logarithmic
//! axis, which requires positive readings.
//!
//! Autocorrelated readings may crowd without a regime; see [`crate::drift`].

use crate::order::{median, sorted};

/// The minimum number of readings in a regime; fewer are outliers, since no gap before two of them
/// is unlikely.
const FEWEST: usize = 3;

/// At most one in this number of readings is rare, so that the gap is beyond the mode.
const LARGEST_PART: usize = 4;

/// One in this number of rare readings, the farthest out, does not bound the crowd: they may have a
/// tail of their own.
const PART_OF_TAIL: usize = 5;

/// A regime that contains few of the readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RareRegime {
    /// The number of readings in it.
    pub count: usize,
    /// The median of its readings, in their unit.
    pub rare: f64,
    /// The median of all others.
    pub usual: f64,
    /// Readings up to this one belong to the lower of the two.
    pub split: f64,
    /// An upper bound for the probability of a gap this clear anywhere if there was one mode.
    pub p_value: f64,
}

/// The regime on the side of the clearest gap, from its first gap that is clear at `level`; None if
/// no gap is, there are fewer than 12 readings, or one is not finite.
///
/// Rounding to a grid can crowd readings that are spread, by up to the distance of two neighbouring
/// readings; the least such distance is added to the crowd's width.
#[must_use]
pub fn rare_regime(values: &[f64], level: f64) -> Option<RareRegime> {
    if !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let ascending = sorted(values);
    let n = ascending.len();
    let distances = ascending.windows(2).map(|pair| pair[1] - pair[0]);
    let grid = distances.filter(|&distance| distance > 0.0).fold(f64::INFINITY, f64::min);
    let above = ends(n, |count, beyond| {
        let (before, first, last) =
            (ascending[n - count - 1], ascending[n - count], ascending[n - 1 - beyond]);
        (first > before).then(|| (last - first + grid) / (last - before))
    });
    let below = ends(n, |count, beyond| {
        let (before, first, last) = (ascending[count], ascending[count - 1], ascending[beyond]);
        (first < before && last > 0.0).then(|| ((first + grid) / last).ln() / (before / last).ln())
    });
    let clearest = |ends: &[End]| ends.iter().map(|end| end.p_value).fold(1.0, f64::min);
    let is_above = clearest(&above) <= clearest(&below);
    let side = if is_above { above } else { below };
    let clear = side.into_iter().filter(|end| end.p_value < level);
    let End { count, p_value } = clear.max_by_key(|end| end.count)?;
    let cut = if is_above { n - count } else { count };
    let (lower, upper) = ascending.split_at(cut);
    let (rare, usual) = if is_above { (upper, lower) } else { (lower, upper) };
    Some(RareRegime {
        count: rare.len(),
        rare: median(rare),
        usual: median(usual),
        split: lower[cut - 1],
        p_value,
    })
}

/// A group of readings at one end with a gap before it.
struct End {
    count: usize,
    /// The probability of the gap, corrected for all tested ends on both sides.
    p_value: f64,
}

/// One side's ends of `n` readings. `share(count, beyond)` is the width of `count` readings, less
/// the `beyond` outermost, as a fraction of that width and the gap together; None if there is no
/// gap.
fn ends(n: usize, share: impl Fn(usize, usize) -> Option<f64>) -> Vec<End> {
    let counts = FEWEST..=n / LARGEST_PART;
    let asked = 2.0 * counts.clone().count() as f64;
    let of_count = |count: usize| {
        let beyond = count / PART_OF_TAIL;
        let within = i32::try_from(count - 1 - beyond).ok()?;
        let chance = share(count, beyond)?.min(1.0).powi(within);
        Some(End { count, p_value: (asked * chance).min(1.0) })
    };
    counts.filter_map(of_count).collect()
}
