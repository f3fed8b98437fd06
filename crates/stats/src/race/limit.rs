//! Points that exceed a hard limit, such as the available memory.

use super::noise::{Noise, Shared};
use super::{RaceError, check, check_level, read, rounds};

/// The points among `active` whose readings certainly exceed a limit, in their order.
///
/// `logs` and `limit` are natural logarithms, as in [`super::Objective`]. A point is over the limit
/// if seven in ten of its readings, and all of the first three, exceed it by more than noise
/// reaches; the noise is that of all active points, including the effect of a round on all of them,
/// because a limit does not move with the machine. So the probability of naming any point whose
/// typical reading lies within the limit is at most about `alpha`. At least two readings are
/// needed, and noise must be seen in at least one point with two.
///
/// # Errors
///
/// As [`super::hopeless`], and when the limit is NaN.
pub fn over_limit(
    logs: &[Vec<f64>],
    active: &[usize],
    limit: f64,
    alpha: f64,
) -> Result<Vec<usize>, RaceError> {
    check_level(alpha)?;
    check(logs, active, 0.0)?;
    if limit.is_nan() {
        return Err(RaceError::NoBound(limit));
    }
    let rows: Vec<&[f64]> = active.iter().map(|&point| &logs[point][..]).collect();
    let Some(noise) = Noise::from_rows(&rows, Shared::Points) else { return Ok(Vec::new()) };
    let level = alpha / active.len() as f64;
    let is_over = |place: usize| {
        let row = rows[place];
        let readings: Vec<f64> = (0..row.len()).filter_map(|round| read(row, round)).collect();
        if readings.len() < 2 {
            return false;
        }
        let reach = noise.single(rounds::share(readings.len(), level));
        let bound = limit + reach * noise.unrest(place, place);
        readings.iter().filter(|&&reading| reading > bound).count()
            >= rounds::needed(readings.len())
    };
    Ok((0..active.len()).filter(|&place| is_over(place)).map(|place| active[place]).collect())
}
