//! The rate at which a comparison of a program with itself finds a difference.
//!
//! The rounds of one program against itself are cut into blocks, and each block is treated as a
//! separate experiment. Any difference found is a false positive. The naive way runs all of one
//! side, then all of the other, and compares the means, so its two sides are the first and the
//! second half of the block's runs in time order. Both ways see the same runs.

use stats::{Estimator, paired_ratio};

use model::metric::Missing;

/// The number of rounds in a block: the usual minimum of `compare`, with twice as many runs.
pub const ROUNDS_A_BLOCK: usize = 10;

/// With fewer blocks, no rate is given.
const FEWEST_BLOCKS: usize = 3;

/// The permitted error rate of the tests.
pub const LEVEL: f64 = 0.05;

/// The distance above which means alone are called different.
pub const APART: f64 = 0.01;

/// The times of one round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundTimes {
    /// The seconds of the two runs, in the order in which they ran.
    pub seconds: [f64; 2],
    /// The variant that ran first: 0 or 1.
    pub first: u32,
}

impl RoundTimes {
    fn of_variant(&self, variant: u32) -> f64 {
        self.seconds[usize::from(variant != self.first)]
    }
}

/// The number of detections, and the 95 % interval of their probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// The number of blocks with a detection.
    pub found: u64,
    /// The number of blocks.
    pub of: u64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// The rate at which each way of comparing found a difference that does not exist.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FalsePositives {
    /// One side after the other, and Welch's t test at 5 %.
    pub welch: Rate,
    /// One side after the other, and the means more than 1 % apart.
    pub apart: Rate,
    /// The signed-rank interval of the ratios within rounds, at 5 %.
    pub paired: Rate,
}

/// Judges every block of rounds in each way.
///
/// # Errors
///
/// The reason that no rate can be given.
pub fn false_positives(rounds: &[RoundTimes]) -> Result<FalsePositives, Missing> {
    let blocks: Vec<&[RoundTimes]> = rounds.chunks_exact(ROUNDS_A_BLOCK).collect();
    if blocks.len() < FEWEST_BLOCKS {
        let (least, had) = (FEWEST_BLOCKS * ROUNDS_A_BLOCK, rounds.len());
        return Err(Missing(format!("it takes {least} rounds, and there were {had}").into()));
    }
    let count = |finds: fn(&[RoundTimes]) -> bool| {
        let found = blocks.iter().filter(|block| finds(block)).count() as u64;
        let of = blocks.len() as u64;
        let (low, high) =
            stats::binomial::proportion_interval(found, of, LEVEL).expect("some of these blocks");
        Rate { found, of, low, high }
    };
    Ok(FalsePositives {
        welch: count(welch_finds),
        apart: count(means_are_apart),
        paired: count(paired_finds),
    })
}

/// The runs of a block in time order, as two halves.
fn halves(block: &[RoundTimes]) -> (Vec<f64>, Vec<f64>) {
    let runs: Vec<f64> = block.iter().flat_map(|round| round.seconds).collect();
    let (first, second) = runs.split_at(runs.len() / 2);
    (first.to_vec(), second.to_vec())
}

fn welch_finds(block: &[RoundTimes]) -> bool {
    let (first, second) = halves(block);
    stats::student::welch_p(&first, &second).is_some_and(|p| p < LEVEL)
}

fn means_are_apart(block: &[RoundTimes]) -> bool {
    let (first, second) = halves(block);
    let mean = |runs: &[f64]| stats::describe::summarise(runs).map(|summary| summary.mean);
    match (mean(&first), mean(&second)) {
        (Some(first), Some(second)) => (second / first).ln().abs() > APART.ln_1p(),
        _ => false,
    }
}

fn paired_finds(block: &[RoundTimes]) -> bool {
    let side = |variant| block.iter().map(|round| round.of_variant(variant)).collect::<Vec<_>>();
    paired_ratio(&side(0), &side(1), Estimator::RankScores, LEVEL)
        .is_ok_and(|estimate| estimate.excludes_one())
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;
    use model::run::Plan;

    /// Rounds in the order of a real plan. `drift` is the growth from the first run to the last;
    /// the noise is uniform within one percent.
    fn rounds(count: u32, drift: f64) -> Vec<RoundTimes> {
        let plan = Plan { seed: 4, variants: 2 };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut seconds = |place: u32| {
            let noise = 0.01 * (f64::from(random.next_u32()) / f64::from(u32::MAX));
            0.01 * (1.0 + drift * f64::from(place) / f64::from(2 * count) + noise)
        };
        (0..count)
            .map(|number| RoundTimes {
                seconds: [seconds(2 * number), seconds(2 * number + 1)],
                first: plan.round(number, false).order[0],
            })
            .collect()
    }

    #[test]
    fn drift_deceives_who_runs_one_side_after_the_other_and_not_who_pairs() {
        // In each of 100 blocks, times grow by two percent.
        let found = false_positives(&rounds(1000, 2.0)).expect("enough rounds");
        assert_eq!(found.welch.of, 100);
        assert!(found.welch.found > 90, "{found:?}");
        assert!(found.paired.found <= 11, "{found:?}");
        assert!(found.welch.low > found.paired.high);
    }

    #[test]
    fn on_steady_noise_both_tests_keep_their_level() {
        let found = false_positives(&rounds(2000, 0.0)).expect("enough rounds");
        for rate in [found.welch, found.paired] {
            // Binomial(200, 1/20): more than 22 once in a thousand seeds.
            assert!(rate.found <= 22, "{found:?}");
            assert!(rate.low <= 0.05, "{found:?}");
        }
    }

    /// By hand: the first ten runs take 1 s and the last ten 2 s. The variant that runs second in
    /// round 5 is not slower, since that round lies in the first half.
    #[test]
    fn a_step_between_the_halves_is_found_by_the_means_alone() {
        let mut block: Vec<RoundTimes> = (0..10)
            .map(|round| {
                let base = if round < 5 { 1.0 } else { 2.0 };
                let seconds = [base, base + 0.001 * f64::from(round % 3 - 1)];
                RoundTimes { seconds, first: u32::from(round % 2 == 1) }
            })
            .collect();
        block.extend(block.clone());
        block.extend(block.clone());
        let found = false_positives(&block).expect("four blocks");
        assert_eq!((found.welch.found, found.apart.found, found.paired.found), (4, 4, 0));
    }

    #[test]
    fn a_few_rounds_tell_nothing() {
        let reason = false_positives(&rounds(29, 0.0)).expect_err("two blocks");
        assert_eq!(reason.to_string(), "it takes 30 rounds, and there were 29");
    }
}
