//! The schedule of the looks.

/// Each look comes after a fifth more rounds than the last: from 10 rounds to 10 000 in 39 looks,
/// and no verdict is found more than a fifth later than it could have been.
const GROWTH: f64 = 1.2;

/// The number of rounds at the next look, after `rounds_done`: `min_rounds` at first, then a fifth
/// more each time, and always at least one more.
#[must_use]
pub fn next_look(rounds_done: usize, min_rounds: usize) -> usize {
    if rounds_done < min_rounds {
        return min_rounds;
    }
    ((rounds_done as f64 * GROWTH).ceil() as usize).max(rounds_done + 1)
}
