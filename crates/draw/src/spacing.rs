//! The positions of given values along an axis, and the choice of labels.

/// The spacing of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As numbers.
    Linear,
    /// As logarithms of numbers.
    Logarithmic,
    /// At equal distances, in the given order: they are not numbers.
    Even,
}

/// The positions of values.
#[derive(Debug, Clone, PartialEq)]
pub struct Spacing {
    /// The kind of spacing.
    pub kind: Kind,
    /// The position of each value, from 0 to 1.
    pub shares: Vec<f64>,
    /// The indices of the values, from the smallest to the largest.
    pub order: Vec<usize>,
}

impl Spacing {
    /// The spacing in which the distances between neighbours differ least: equal steps make it
    /// linear, equal factors logarithmic. If a value is not a number, or two are equal, the spacing
    /// is even.
    pub fn from_values(values: &[Option<f64>]) -> Self {
        let even =
            || Self::placed(Kind::Even, &(0..values.len()).map(|n| n as f64).collect::<Vec<_>>());
        let numbers: Option<Vec<f64>> = values.iter().copied().collect();
        let Some(numbers) = numbers.filter(|numbers| unevenness(numbers).is_some()) else {
            return even();
        };
        let logarithms: Vec<f64> = numbers.iter().map(|number| number.ln()).collect();
        let is_positive = numbers.iter().all(|number| *number > 0.0);
        let is_closer = unevenness(&logarithms) < unevenness(&numbers);
        if is_positive && is_closer && numbers.len() > 2 {
            Self::placed(Kind::Logarithmic, &logarithms)
        } else {
            Self::placed(Kind::Linear, &numbers)
        }
    }

    fn placed(kind: Kind, numbers: &[f64]) -> Self {
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let share =
            |number: &f64| if most > least { (number - least) / (most - least) } else { 0.5 };
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
        Self { kind, shares: numbers.iter().map(share).collect(), order }
    }
}

/// The largest distance between neighbours over the smallest; None if two are equal.
fn unevenness(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let distances: Vec<f64> = sorted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let most = distances.iter().copied().fold(0.0, f64::max);
    match distances.is_empty() {
        true => Some(1.0),
        false => (least > 0.0).then(|| most / least),
    }
}

/// The stretches that are shown so that none touches another, with `gap` between them: as many as
/// fit, those of more weight and then the outer ones first.
pub(crate) fn thinned(stretches: &[(f64, f64)], weights: &[u32], gap: f64) -> Vec<bool> {
    let mut shown = vec![false; stretches.len()];
    let last = stretches.len().saturating_sub(1);
    let mut order: Vec<usize> = (0..stretches.len()).collect();
    // Bisecting from the ends spreads the shown stretches.
    let depth = |index: usize| match index {
        0 => 0,
        index if index == last => 1,
        index => 64 - index.trailing_zeros(),
    };
    order.sort_by_key(|&index| (u32::MAX - weights[index], depth(index), index));
    for index in order {
        let (from, to) = stretches[index];
        let is_free = |other: usize| {
            !shown[other] || stretches[other].0 >= to + gap || stretches[other].1 + gap <= from
        };
        shown[index] = (0..stretches.len()).all(is_free);
    }
    shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spacing(values: &str) -> (Kind, Vec<f64>) {
        let values: Vec<Option<f64>> = values.split(' ').map(|value| value.parse().ok()).collect();
        let spacing = Spacing::from_values(&values);
        let shares = spacing.shares.iter().map(|share| (share * 1000.0).round() / 1000.0);
        (spacing.kind, shares.collect())
    }

    #[test]
    fn equal_factors_are_spaced_as_logarithms_and_equal_steps_as_numbers() {
        let quarters = vec![0.0, 0.25, 0.5, 0.75, 1.0];
        assert_eq!(spacing("32 128 512 2048 8192"), (Kind::Logarithmic, quarters.clone()));
        assert_eq!(spacing("0 25 50 75 100"), (Kind::Linear, quarters));
        assert_eq!(spacing("80 100 200 1000").0, Kind::Logarithmic);
        assert_eq!(spacing("-1 1 10 100").0, Kind::Linear);
        assert_eq!(spacing("5"), (Kind::Linear, vec![0.5]));
        assert_eq!(spacing("100 1"), (Kind::Linear, vec![1.0, 0.0]));
    }

    #[test]
    fn what_is_no_number_is_spaced_evenly() {
        assert_eq!(spacing("best-fit 1 first-fit"), (Kind::Even, vec![0.0, 0.5, 1.0]));
        assert_eq!(spacing("1024 1024 1048576").0, Kind::Even, "two are the same");
    }

    proptest! {
        #[test]
        fn larger_numbers_are_further_right(mut numbers in prop::collection::vec(0.001..1e9_f64, 2..40)) {
            let values: Vec<Option<f64>> = numbers.iter().copied().map(Some).collect();
            let spacing = Spacing::from_values(&values);
            let by_order: Vec<f64> = spacing.order.iter().map(|index| spacing.shares[*index]).collect();
            prop_assert!(by_order.is_sorted());
            prop_assert!(by_order.iter().all(|share| (0.0..=1.0).contains(share)));
            let ordered: Vec<f64> = spacing.order.iter().map(|index| numbers[*index]).collect();
            numbers.sort_by(f64::total_cmp);
            prop_assert!(spacing.kind == Kind::Even || ordered == numbers);
        }

        #[test]
        fn stretches_that_are_shown_do_not_touch(
            given in prop::collection::vec((0.0..500.0_f64, 1.0..60.0_f64, 0..3_u32), 1..80),
        ) {
            let stretches: Vec<(f64, f64)> = given.iter().map(|(from, length, _)| (*from, from + length)).collect();
            let weights: Vec<u32> = given.iter().map(|(.., weight)| *weight).collect();
            let shown = thinned(&stretches, &weights, 4.0);
            let kept: Vec<(f64, f64)> =
                stretches.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(one, _)| *one).collect();
            prop_assert!(!kept.is_empty());
            for (index, a) in kept.iter().enumerate() {
                for b in &kept[index + 1..] {
                    prop_assert!(a.1 + 4.0 <= b.0 || b.1 + 4.0 <= a.0, "{a:?} {b:?}");
                }
            }
            let most = weights.iter().max();
            prop_assert!(weights.iter().zip(&shown).any(|(weight, shown)| *shown && Some(weight) == most));
        }
    }
}
