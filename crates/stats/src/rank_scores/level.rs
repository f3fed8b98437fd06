//! The level of the machine around a round, which is subtracted from the readings before they are
//! ranked.
//!
//! Clock rates, neighbours and heat move all runs of a stretch of time together. Ranked as they
//! are, the readings of a slow stretch would all have high ranks, and the comparison within its
//! rounds would count for nothing.
//!
//! The level is an order statistic of the readings of both samples in the surrounding rounds, so
//! that exchanging the readings of a round does not change it. It lies low among them, where noise
//! that only slows leaves it steady.

/// The number of rounds in a neighbourhood: the round itself and three on either side. Fewer make
/// the level itself noisy, more let a drift through; chosen by simulation,
/// `docs/design/estimator.md`.
const ROUNDS: usize = 7;

/// The rank of the level among the `2 * ROUNDS` readings of a neighbourhood, from 0: the third
/// smallest. Chosen like [`ROUNDS`].
const PLACE: usize = 2;

/// The readings less the level around their round, the candidate's less `shift` as well; by round,
/// the baseline's first.
pub(super) fn aligned(baseline: &[f64], candidate: &[f64], shift: f64) -> Vec<f64> {
    let mut readings: Vec<f64> =
        baseline.iter().zip(candidate).flat_map(|(b, c)| [*b, c - shift]).collect();
    let rounds = baseline.len();
    let width = ROUNDS.min(rounds);
    // With few rounds the level is about as low among the available readings.
    let place = PLACE * width / ROUNDS;
    let levels: Vec<f64> = readings.windows(2 * width).step_by(2).map(|w| low(w, place)).collect();
    for (round, pair) in readings.chunks_exact_mut(2).enumerate() {
        // The first and the last rounds have the first and the last whole neighbourhood.
        let level = levels[round.saturating_sub(width / 2).min(rounds - width)];
        pair[0] -= level;
        pair[1] -= level;
    }
    readings
}

/// The value at `place`, from 0 to [`PLACE`], in ascending order.
fn low(values: &[f64], place: usize) -> f64 {
    let mut lowest = [f64::INFINITY; PLACE + 1];
    for &value in values {
        // Most values are not among the lowest.
        if value < lowest[PLACE] {
            lowest[PLACE] = value;
            for i in (0..PLACE).rev() {
                if lowest[i] > lowest[i + 1] {
                    lowest.swap(i, i + 1);
                }
            }
        }
    }
    lowest[place]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_smallest_of_fourteen_is_the_level() {
        let baseline = [5.0, 1.0, 9.0, 7.0, 3.0, 8.0, 6.0];
        let candidate = [5.5, 2.0, 9.5, 7.5, 3.5, 8.5, 6.5];
        let aligned = aligned(&baseline, &candidate, 0.0);
        assert_eq!(aligned[..4], [2.0, 2.5, -2.0, -1.0], "the level is 3");
    }

    #[test]
    fn each_round_has_a_neighbourhood_of_seven() {
        // Both samples climb by one each round: the third smallest is that of the second round.
        let climb: Vec<f64> = (0..20).map(f64::from).collect();
        let aligned = aligned(&climb, &climb, 0.0);
        let of_round = |round: usize| aligned[2 * round];
        assert_eq!([of_round(0), of_round(3), of_round(4), of_round(10)], [-1.0, 2.0, 2.0, 2.0]);
        assert_eq!([of_round(16), of_round(19)], [2.0, 5.0]);
    }

    #[test]
    fn a_single_round_has_a_level() {
        assert_eq!(aligned(&[2.0], &[5.0], 1.0), [0.0, 2.0]);
    }
}
