//! Values in order: sorting, medians, quantiles.

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
