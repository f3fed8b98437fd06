//! Several comparisons at once.

/// The part of `alpha` that each comparison of a family may use, in proportion to its weight:
/// weighted Bonferroni, which bounds the probability of any false verdict by `alpha` for any
/// dependence of the comparisons. A weight that is not positive and finite counts as 0 and gets 0.
#[must_use]
pub fn allocate(alpha: f64, weights: &[f64]) -> Vec<f64> {
    let weight = |w: f64| if w.is_finite() { w.max(0.0) } else { 0.0 };
    let total: f64 = weights.iter().map(|&w| weight(w)).sum();
    let part = |&w: &f64| if total > 0.0 { alpha * weight(w) / total } else { 0.0 };
    weights.iter().map(part).collect()
}

/// P-values that hold for the whole family: Holm's step-down (*Scandinavian Journal of Statistics*
/// 6, 1979). Findings at `alpha` include a false one with a probability of at most `alpha`, for any
/// dependence of the comparisons.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut by_size: Vec<usize> = (0..p_values.len()).collect();
    by_size.sort_by(|&i, &j| p_values[i].total_cmp(&p_values[j]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, &i) in by_size.iter().enumerate() {
        largest = largest.max((p_values.len() - rank) as f64 * p_values[i]).min(1.0);
        adjusted[i] = largest;
    }
    adjusted
}
