//! The effect of the position in the round, or of the preceding run, on a reading.
//!
//! Orders are drawn anew each round, so either effect falls on all variants alike and biases no
//! comparison. It does widen intervals, and it shows a property of the machine or the program (a
//! decreasing frequency, a cache left warm).
//!
//! Unlike the comparison of variants these are not randomisation tests: the order of the variants
//! is drawn, but not that the second place comes after the first. So the p-values assume that the
//! events of one round do not affect the next. A memory that fades from run to run makes them too
//! large, hence safe; a machine that steadily slows down is itself a position effect, and is found
//! as one if it is strong enough (see [`crate::drift`]).

use crate::mann_whitney;

/// An effect of the order of runs, on the log scale: 0.02 for 2 % more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderEffect {
    /// The natural logarithm of the factor.
    pub effect: f64,
    /// Two-sided, for "no effect".
    pub p_value: f64,
}

/// The effect on a reading of running after the other variant of the pair, instead of before it:
/// `log_ratios[r]` is `ln(candidate / baseline)` of round `r`, and `candidate_after[r]` is true if
/// the candidate ran later in it.
///
/// Half the shift between the two kinds of rounds: in one kind the candidate pays, in the other the
/// baseline. None if the slices differ in length, either kind is missing, or a value is not finite.
#[must_use]
pub fn position(log_ratios: &[f64], candidate_after: &[bool]) -> Option<OrderEffect> {
    let classes: Vec<usize> = candidate_after.iter().map(|&after| usize::from(after)).collect();
    let both = carry_over(log_ratios, &classes)?;
    Some(OrderEffect { effect: 0.5 * both.effect, ..both })
}

/// The effect of the predecessor on a reading: `log_values[r]` is the logarithm of a reading,
/// `predecessor_class[r]` the class (of two) of the run just before it. The effect is that of the
/// higher class number over the lower.
///
/// None if the slices differ in length, there are not exactly two classes, or a value is not
/// finite.
#[must_use]
pub fn carry_over(log_values: &[f64], predecessor_class: &[usize]) -> Option<OrderEffect> {
    let low = *predecessor_class.iter().min()?;
    let high = *predecessor_class.iter().max()?;
    let two = predecessor_class.iter().all(|&class| class == low || class == high);
    if log_values.len() != predecessor_class.len() || low == high || !two {
        return None;
    }
    let of = |wanted: usize| -> Vec<f64> {
        let pairs = log_values.iter().zip(predecessor_class);
        pairs.filter(|&(_, &class)| class == wanted).map(|(&value, _)| value).collect()
    };
    let difference = mann_whitney::difference(&of(low), &of(high))?;
    Some(OrderEffect { effect: difference.shift, p_value: difference.p_value })
}
