//! Values in order: medians, quantiles and ranks, the k-th smallest of very many values that are
//! never stored, and searches for the place where a condition ceases to hold.

/// The values, ascending.
pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The middle of ascending values, or the mean of the two in the middle. Not for an empty slice.
pub(crate) fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { midpoint(sorted[half - 1], sorted[half]) }
}

/// The median of values in any order, in linear time. Not for an empty slice.
pub(crate) fn middle(mut values: Vec<f64>) -> f64 {
    let half = values.len() / 2;
    let odd = values.len() % 2 == 1;
    let (below, upper, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    let upper = *upper;
    if odd {
        upper
    } else {
        midpoint(below.iter().copied().fold(f64::NEG_INFINITY, f64::max), upper)
    }
}

/// The value with half of the weight on either side; the mean of two values if the halves meet
/// between them. Not for an empty vector.
pub(crate) fn weighted_median(mut values: Vec<(f64, f64)>) -> f64 {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let half = 0.5 * values.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut below = 0.0;
    for (place, (value, weight)) in values.iter().enumerate() {
        below += weight;
        if below > half {
            return *value;
        }
        if below == half {
            let next = values.get(place + 1).map_or(*value, |(next, _)| *next);
            return 0.5 * (value + next);
        }
    }
    values[values.len() - 1].0
}

/// The quantile of type 7 of Hyndman and Fan (*The American Statistician* 50, 1996), the default of
/// R and NumPy. Not for an empty slice.
pub(crate) fn quantile(sorted: &[f64], p: f64) -> f64 {
    let place = p * (sorted.len() - 1) as f64;
    let below = sorted[place.floor() as usize];
    let above = sorted[place.ceil() as usize];
    below + (place - place.floor()) * (above - below)
}

/// The mean of two values; never overflows, and never decreases when either grows.
pub(crate) fn midpoint(a: f64, b: f64) -> f64 {
    0.5 * a + 0.5 * b
}

/// The rank of each value in run order, from 1; equal values share the mean of their ranks.
pub(crate) fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let mut by_value: Vec<usize> = (0..values.len()).collect();
    by_value.sort_unstable_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for run in by_value.chunk_by(|&i, &j| values[i] == values[j]) {
        let shared = start as f64 + 0.5 * (run.len() + 1) as f64;
        for &i in run {
            ranks[i] = shared;
        }
        start += run.len();
    }
    ranks
}

/// The scatter of values about `centre`: their median absolute deviation, scaled to the standard
/// deviation of normal ones (Hampel, *JASA* 69, 1974). Half of the values may lie anywhere.
pub(crate) fn robust_deviation(values: &[f64], centre: f64) -> f64 {
    let sizes: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    1.4826 * median(&sorted(&sizes))
}

/// The largest number from 1 to `most` that is allowed, if those up to it are and those beyond are
/// not; None if none is.
pub(crate) fn largest_allowed(most: u64, is_allowed: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut inside, mut outside) = (0, most + 1);
    while outside - inside > 1 {
        let middle = u64::midpoint(inside, outside);
        if is_allowed(middle) { inside = middle } else { outside = middle }
    }
    (inside > 0).then_some(inside)
}

/// The two neighbouring doubles between `low` and `high` of which the first is the last one that
/// `is_below` the boundary, by bisection.
pub(crate) fn boundary(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> (f64, f64) {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return (low, high);
        }
        if is_below(middle) { low = middle } else { high = middle }
    }
}

// The k-th smallest of values that are never stored: the pairs of 100 000 readings are five thousand
// million, but in the order of the readings one pass counts the pairs at or below a point. A search
// over points needs a dozen passes.

/// The result of one pass over the values, for one point.
pub(crate) struct RankAt {
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
    lowest: f64,
    highest: f64,
    look: impl Fn(f64) -> RankAt,
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
pub(crate) fn select_median(
    count: u64,
    lowest: f64,
    highest: f64,
    look: impl Fn(f64) -> RankAt,
) -> f64 {
    let lower = select(count.div_ceil(2), count, lowest, highest, &look);
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
