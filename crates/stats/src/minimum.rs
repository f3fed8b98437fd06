//! The ratio of two minima, the estimator for noise that only ever adds.
//!
//! A minimum has no usual standard error. But the rounds can be cut into blocks, and the argument
//! for a round holds for a block: were the two variants the same program, the log-ratio of a
//! block's minima would be as likely positive as negative. So the blocks' log-ratios get the
//! signed-rank interval, which is exact for them. The approximation is that the minimum of a block
//! stands for the minimum of all rounds.

use crate::signed_rank::{self, Shift};

/// The minimum number of blocks: with fewer, a single one decides.
const FEWEST_BLOCKS: usize = 8;

/// The maximum number of blocks: more narrow the interval by little and make each block's minimum
/// less of one.
const MOST_BLOCKS: usize = 40;

/// The logarithm of the ratio of the minima with its interval at level `1 - alpha`, widened if
/// necessary to contain the ratio; positive readings.
pub(crate) fn log_ratio(baseline: &[f64], candidate: &[f64], alpha: f64) -> Shift {
    let estimate = lowest(candidate).ln() - lowest(baseline).ln();
    let blocks = blocks(baseline.len(), alpha);
    let differences: Vec<f64> = (0..blocks)
        .map(|block| {
            let rounds = block_of(block, blocks, baseline.len());
            lowest(&candidate[rounds.clone()]).ln() - lowest(&baseline[rounds]).ln()
        })
        .collect();
    let shift = signed_rank::shift(&differences, alpha)
        .expect("there is a block, and its minima are finite and positive");
    Shift { estimate, low: shift.low.min(estimate), high: shift.high.max(estimate) }
}

/// The number of blocks: the square root of the rounds, so that blocks grow in size and number
/// alike, but at least two more than the level needs to be attainable at all (`2^(1-k) <= alpha`),
/// between 8 and 40, and never more than the number of rounds. Depends on `alpha`: a smaller one
/// may cut differently, so the intervals of this estimator need not be nested.
pub(crate) fn blocks(rounds: usize, alpha: f64) -> usize {
    let needed = if alpha > 0.0 { (1.0 - alpha.log2()).ceil() as usize + 2 } else { MOST_BLOCKS };
    let wanted = (rounds as f64).sqrt().round() as usize;
    wanted.max(needed).clamp(FEWEST_BLOCKS, MOST_BLOCKS).min(rounds)
}

/// The rounds of one block; blocks differ in length by one at most.
fn block_of(block: usize, blocks: usize, rounds: usize) -> std::ops::Range<usize> {
    block * rounds / blocks..(block + 1) * rounds / blocks
}

fn lowest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}
