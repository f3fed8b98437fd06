//! The number of rounds that must agree, and the reach of noise in each of them.
//!
//! Of `n` rounds seven in ten must show a difference beyond the one that noise reaches with
//! probability `p`. The number of rounds that do so by noise alone is binomial. If `p` differs from
//! round to round, the number is that of the mean `p` or less scattered, and `m` or more of them
//! are no likelier than the binomial distribution gives, as long as `m` is more than `n p + 1`
//! (Hoeffding, *Annals of Mathematical Statistics* 27, 1956). So rounds need not be equally noisy.

use crate::beta::regularised;

/// The share of the rounds that may disagree. On normal noise any share from a fifth to two fifths
/// does as well; a smaller one would not tolerate two slow rounds in ten, a larger one would take
/// as many for a difference.
const DISSENT: f64 = 0.3;

/// The number of rounds, of `rounds`, that must show a difference.
pub(super) fn needed(rounds: usize) -> usize {
    rounds - (DISSENT * rounds as f64).floor() as usize
}

/// The probability, in each round, at which [`needed`] rounds out of `rounds` are reached with
/// probability `level`; at most a half, the probability of a difference of any size. For at least
/// one round.
pub(super) fn share(rounds: usize, level: f64) -> f64 {
    if level <= 0.0 {
        return 0.0;
    }
    let needed = needed(rounds) as f64;
    let others = rounds as f64 - needed + 1.0;
    let (mut low, mut high) = (0.0, 0.5);
    if regularised(needed, others, high, high) <= level {
        return high;
    }
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return low;
        }
        if regularised(needed, others, middle, 1.0 - middle) > level {
            high = middle;
        } else {
            low = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_in_ten_rounds_must_agree_and_all_of_the_first_three() {
        let counts: Vec<usize> = (1..=10).map(needed).collect();
        assert_eq!(counts, [1, 2, 3, 3, 4, 5, 5, 6, 7, 7]);
    }

    #[test]
    fn the_share_solves_the_binomial_equation() {
        // Two of two: p^2. Three of three: p^3. Three of four: 4 p^3 - 3 p^4.
        assert!((share(2, 1e-6) - 1e-3).abs() < 1e-12);
        assert!((share(3, 1e-6) - 1e-2).abs() < 1e-11);
        let p = share(4, 1e-5);
        assert!((4.0 * p.powi(3) - 3.0 * p.powi(4) - 1e-5).abs() < 1e-14, "{p}");
        assert!(share(400, 0.01) == 0.5, "many rounds need no size");
        assert!(share(5, 0.0) == 0.0);
    }
}
