//! One execution of one variant, and its place in the plan.
//!
//! The order of the runs, drawn from a seed.
//!
//! Each round visits every variant once, in an order drawn anew and uniformly: this draw makes the
//! verdict's test exact under any noise (`docs/method.md`). A plan is endless; the stopping rule
//! ends it between rounds, never inside one. Rounds are drawn when they are needed, each from the
//! seed and its own number, so ten thousand variants cost no memory and a resumed experiment draws
//! the same rounds again. The order is stored with the runs: the seed is provenance, not the
//! record.

use super::metric::{Readings, Source};
use measure::Outcome;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// One execution of one variant, with all its readings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its place in the plan.
    pub place: RunPlace,
    /// The start time, in nanoseconds since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// The outcome.
    pub outcome: Outcome,
    /// The readings.
    pub readings: Readings,
    /// The number of processes it left behind; they were ended.
    pub left_behind: u32,
    /// The last lines of its standard error, if it failed.
    pub stderr_tail: Option<String>,
}

/// The place of a run in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunPlace {
    /// The source of its readings: timed or instrumented.
    pub source: Source,
    /// Set for a warm-up: stored, never judged.
    pub warmup: bool,
    /// The round, from 0, counted separately for warm-ups and for each source.
    pub round: u32,
    /// The position within the round, from 0.
    pub position: u32,
    /// The variant.
    pub variant: u32,
}

/// Largest padding of the environment, in bytes. One page covers every alignment of the stack.
/// (Mytkowicz et al., "Producing wrong data without doing anything obviously wrong", 2009.)
const MOST_PADDING_BYTES: u64 = 4096;

/// Separates the stream of rounds from the seed itself; the golden ratio's fraction, as in
/// SplitMix64 (Steele, Lea and Flood, 2014), whose increments it spreads evenly.
const ROUND_STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Draws rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The seed of all draws.
    pub seed: u64,
    /// The number of variants that each round visits.
    pub variants: u32,
}

/// One visit of every variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The number of the round, from 0. Warm-up rounds are numbered separately.
    pub number: u32,
    /// Set if its runs are warm-ups: run, stored, never judged.
    pub warmup: bool,
    /// The variants in the order of their runs.
    pub order: Vec<u32>,
    /// The environment padding of each run in bytes, in the same order: it varies the start of the
    /// stack.
    pub padding: Vec<u16>,
}

impl Plan {
    /// Draws one round.
    pub fn round(&self, number: u32, warmup: bool) -> Round {
        let stream = u64::from(number) * 2 + u64::from(warmup) + 1;
        let mut random =
            Xoshiro256PlusPlus::seed_from_u64(self.seed ^ stream.wrapping_mul(ROUND_STRIDE));
        let mut order: Vec<u32> = (0..self.variants).collect();
        shuffle(&mut order, &mut random);
        let padding = order
            .iter()
            .map(|_| u16::try_from(below(MOST_PADDING_BYTES, &mut random)).expect("below 4096"))
            .collect();
        Round { number, warmup, order, padding }
    }
}

impl Round {
    /// Removes the variants that do not take part; the order of the others stays as drawn, and is
    /// still uniform.
    pub fn keep(&mut self, takes_part: impl Fn(u32) -> bool) {
        let kept =
            self.order.iter().zip(&self.padding).filter(|(variant, _)| takes_part(**variant));
        (self.order, self.padding) = kept.map(|(&variant, &padding)| (variant, padding)).unzip();
    }
}

/// Fisher and Yates' shuffle, in Durstenfeld's form.
fn shuffle(items: &mut [u32], random: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        let chosen = usize::try_from(below(last as u64 + 1, random)).expect("an index fits");
        items.swap(last, chosen);
    }
}

/// A uniformly distributed number below `bound` (Lemire's multiplication without the biased part,
/// 2019).
fn below(bound: u64, random: &mut impl Rng) -> u64 {
    let threshold = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(random.next_u64()) * u128::from(bound);
        #[expect(clippy::cast_possible_truncation, reason = "the low half is what is compared")]
        if product as u64 >= threshold {
            return (product >> 64) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_visits_every_variant_once() {
        let plan = Plan { seed: 7, variants: 5 };
        for number in 0..200 {
            let mut order = plan.round(number, false).order;
            order.sort_unstable();
            assert_eq!(order, [0, 1, 2, 3, 4]);
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_rounds_and_another_seed_others() {
        let orders = |seed| -> Vec<_> {
            (0..40).map(|number| Plan { seed, variants: 3 }.round(number, false)).collect()
        };
        assert_eq!(orders(1), orders(1));
        assert_ne!(orders(1), orders(2));
    }

    /// 24 orders of 4 variants in 24,000 rounds: Pearson's statistic has 23 degrees of freedom,
    /// and exceeds 49.7 once in a thousand seeds (chi-squared table).
    #[test]
    fn every_order_is_equally_likely() {
        let plan = Plan { seed: 3, variants: 4 };
        let mut counts = std::collections::HashMap::new();
        for number in 0..24_000 {
            *counts.entry(plan.round(number, false).order).or_insert(0_i32) += 1;
        }
        let chi_squared: f64 =
            counts.values().map(|&count| f64::from(count - 1000).powi(2) / 1000.0).sum();
        assert_eq!(counts.len(), 24);
        assert!(chi_squared < 49.7, "{chi_squared}");
    }

    /// The verdict's test needs the order of one round to say nothing about the next.
    #[test]
    fn successive_rounds_are_independent() {
        let plan = Plan { seed: 11, variants: 2 };
        let firsts: Vec<u32> = (0..10_000).map(|n| plan.round(n, false).order[0]).collect();
        let repeats = firsts.windows(2).filter(|pair| pair[0] == pair[1]).count();
        // Binomial(9999, 1/2): sd 50, five of them.
        assert!((4750..5250).contains(&repeats), "{repeats}");
    }

    #[test]
    fn a_round_without_some_keeps_the_order_of_the_others() {
        let plan = Plan { seed: 5, variants: 6 };
        let whole = plan.round(3, false);
        let mut part = whole.clone();
        part.keep(|variant| variant % 2 == 0);
        let expected: Vec<u32> = whole.order.iter().copied().filter(|v| v % 2 == 0).collect();
        assert_eq!(part.order, expected);
        for (variant, padding) in part.order.iter().zip(&part.padding) {
            let place = whole.order.iter().position(|v| v == variant).expect("it was there");
            assert_eq!(*padding, whole.padding[place]);
        }
    }

    #[test]
    fn warm_up_rounds_are_drawn_apart() {
        let plan = Plan { seed: 5, variants: 20 };
        assert_ne!(plan.round(0, true).order, plan.round(0, false).order);
    }

    #[test]
    fn padding_stays_within_a_page() {
        let plan = Plan { seed: 5, variants: 2 };
        let paddings: Vec<u16> = (0..500).flat_map(|n| plan.round(n, false).padding).collect();
        assert!(paddings.iter().all(|&bytes| bytes < 4096));
        assert!(paddings.iter().any(|&bytes| bytes > 3500));
    }
}
