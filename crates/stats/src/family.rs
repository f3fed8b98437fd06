//! Several comparisons at once.

/// The part of `alpha` each comparison of a family may use, in proportion to its weight: weighted
/// Bonferroni, which bounds the probability of any false verdict by `alpha` however the comparisons
/// depend on each other. A weight that is not positive and finite counts as 0 and gets 0.
#[must_use]
pub fn allocate(alpha: f64, weights: &[f64]) -> Vec<f64> {
    let weight = |w: f64| if w.is_finite() { w.max(0.0) } else { 0.0 };
    let total: f64 = weights.iter().map(|&w| weight(w)).sum();
    let part = |&w: &f64| if total > 0.0 { alpha * weight(w) / total } else { 0.0 };
    weights.iter().map(part).collect()
}
