//! The score of a rank.

/// The addend to the fraction of readings below one, before the logarithm is taken: the smaller,
/// the more the fastest readings decide. Chosen by simulation, `docs/design/estimator.md`.
const SOFTENING: f64 = 0.2;

/// The scores of the ranks of `2n` readings.
pub(super) struct Scores {
    /// By twice the rank, so that equal readings can share their mean rank.
    by_half_ranks: Vec<f64>,
}

impl Scores {
    /// The scores for this number of rounds.
    pub(super) fn new(rounds: usize) -> Self {
        let readings = (2 * rounds) as f64;
        let score = |half_ranks: usize| {
            // Rank 1 stands for the middle of the first of as many parts as there are readings.
            let below = (0.5 * half_ranks as f64 - 0.5) / readings;
            (below + SOFTENING).ln()
        };
        Self { by_half_ranks: (0..=4 * rounds).map(score).collect() }
    }

    /// The score of each of the `2n` readings. Depends only on their order.
    pub(super) fn score(&self, readings: &[f64]) -> Vec<f64> {
        let mut by_size: Vec<(u64, u32)> = readings.iter().map(|&r| order_of(r)).zip(0..).collect();
        by_size.sort_unstable_by_key(|&(order, _)| order);
        let mut scores = vec![0.0; readings.len()];
        let mut before = 0;
        for equal in by_size.chunk_by(|a, b| a.0 == b.0) {
            let half_ranks = 2 * before + equal.len() + 1;
            for &(_, place) in equal {
                scores[place as usize] = self.by_half_ranks[half_ranks];
            }
            before += equal.len();
        }
        scores
    }
}

/// An integer in the order of the readings, and quicker to sort.
fn order_of(reading: f64) -> u64 {
    // Adding zero makes the negative zero positive.
    let bits = (reading + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_readings_share_the_middle_of_their_ranks() {
        let scores = Scores::new(2).score(&[0.0, -0.0, 7.0, 1.0]);
        // Of four readings: ranks 1.5, 1.5, 4, 3, that is 1/4, 1/4, 7/8 and 5/8 of them below.
        let expected = [0.25_f64, 0.25, 0.875, 0.625].map(|below| (below + 0.2).ln());
        assert_eq!(scores, expected);
    }
}
