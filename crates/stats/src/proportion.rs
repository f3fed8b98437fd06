//! The probability of an event, estimated from its frequency.

use crate::beta::regularised;

/// The interval that holds the probability of an event with probability at least `1 - alpha`, if it
/// happened in `found` of `of` independent trials. None if there are no trials, or more events than
/// trials.
///
/// Exact (Clopper and Pearson, *Biometrika* 26, 1934), and therefore wider than necessary for most
/// probabilities. Dependent trials make it too narrow.
#[must_use]
pub fn interval(found: u64, of: u64, alpha: f64) -> Option<(f64, f64)> {
    if of == 0 || found > of {
        return None;
    }
    let (k, n) = (found as f64, of as f64);
    // P(X >= k) grows with p and P(X <= k) falls; both are incomplete beta functions of p.
    let low = if found == 0 {
        0.0
    } else {
        boundary(|p| regularised(k, n - k + 1.0, p, 1.0 - p) < 0.5 * alpha)
    };
    let high = if found == of {
        1.0
    } else {
        boundary(|p| regularised(n - k, k + 1.0, 1.0 - p, p) > 0.5 * alpha)
    };
    Some((low, high))
}

/// The probability up to which `holds`, by bisection.
fn boundary(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if holds(middle) { low = middle } else { high = middle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tests/reference/proportion.py` computes the table by sums of exact fractions.
    #[test]
    fn intervals_agree_with_sums_of_exact_fractions() {
        let table = include_str!("../tests/reference/proportion.csv");
        let mut lines = 0;
        for line in table.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |cell: usize| cells[cell].parse::<f64>().expect("a number");
            let count = |cell: usize| cells[cell].parse().expect("a count");
            let (low, high) = interval(count(0), count(1), number(2)).expect("there are trials");
            assert!((low - number(3)).abs() <= 1e-11 * number(3), "{line}: {low}");
            assert!((high - number(4)).abs() <= 1e-11, "{line}: {high}");
            lines += 1;
        }
        assert!(lines > 10);
    }

    #[test]
    fn without_trials_nothing_is_known() {
        assert_eq!(interval(0, 0, 0.05), None);
        assert_eq!(interval(3, 2, 0.05), None);
    }

    #[test]
    fn events_and_their_absence_mirror_each_other() {
        for found in 0..=30 {
            let (low, high) = interval(found, 30, 0.05).expect("there are trials");
            let (other_low, other_high) = interval(30 - found, 30, 0.05).expect("there are trials");
            assert!((low - (1.0 - other_high)).abs() < 1e-12);
            assert!((high - (1.0 - other_low)).abs() < 1e-12);
        }
    }
}
