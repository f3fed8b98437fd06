//! The noise of one reading, estimated from all points together.
//!
//! Two or three rounds show next to nothing of the noise of one point. But a sweep has many points,
//! and a round affects all of them alike. So the level of each point and that of each round are
//! subtracted from the logarithms in their table of points and rounds (medians, twice: Tukey's
//! median polish, *Exploratory Data Analysis*, 1977), and the residuals are noise: hundreds of
//! readings of it. Their own distribution then shows how far apart noise brings two points of a
//! round, for any shape of it; Student's t is used where it demands more, since a far tail is
//! rarely seen.

use std::f64::consts::FRAC_PI_2;

use crate::order::{median, sorted};
use crate::student;

/// The number of readings of the usual size that are added to a point's own noise before it counts
/// as restless. Arbitrary: with a handful of rounds most of the apparent unrest is chance.
const USUAL_READINGS: f64 = 4.0;

/// The noise of a table of logarithms.
pub(super) struct Noise {
    /// The sizes of the differences between two points in the same round, ascending.
    differences: Vec<f64>,
    /// The sizes of the noise in single readings, ascending.
    sizes: Vec<f64>,
    /// The standard deviation of normal noise with this mean size.
    deviation: f64,
    degrees: f64,
    /// The noise of each point relative to the usual, at least 1.
    unrest: Vec<f64>,
}

/// The levels subtracted from a reading; the rest counts as noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shared {
    /// The level of its point and that of its round.
    PointsAndRounds,
    /// The level of its point: the effect of a round is part of the noise.
    Points,
}

impl Noise {
    /// The noise of `rows`, one per point, with NaN for missing readings. None if there are too few
    /// readings.
    pub(super) fn from_rows(rows: &[&[f64]], shared: Shared) -> Option<Self> {
        let width = rows.iter().map(|row| row.len()).max()?;
        let mut rest: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
        // The rounds first, so that an effect of a round on all points changes nothing at all.
        for _ in 0..2 {
            if shared == Shared::PointsAndRounds {
                take_off_rounds(&mut rest, width);
            }
            take_off_points(&mut rest);
        }
        let present = |round: usize| rest.iter().any(|row| read(row, round).is_some());
        let rounds = (0..width).filter(|&round| present(round)).count() as f64;
        let points = rest.iter().filter(|row| row.iter().any(|v| v.is_finite())).count() as f64;
        let readings = rest.iter().flatten().filter(|value| value.is_finite()).count() as f64;
        let levels = points + if shared == Shared::PointsAndRounds { rounds - 1.0 } else { 0.0 };
        let degrees = readings - levels;
        if degrees < 1.0 {
            return None;
        }
        // Estimated levels follow the readings and take a part of the noise with them.
        let taken = (readings / degrees).sqrt();
        for value in rest.iter_mut().flatten() {
            *value *= taken;
        }
        let sizes: Vec<f64> =
            rest.iter().flatten().filter(|v| v.is_finite()).map(|v| v.abs()).collect();
        let mean_size = sizes.iter().sum::<f64>() / readings;
        let differences =
            if shared == Shared::PointsAndRounds { differences(&rest, width) } else { Vec::new() };
        Some(Self {
            differences,
            sizes: sorted(&sizes),
            deviation: mean_size * FRAC_PI_2.sqrt(),
            degrees,
            unrest: rest.iter().map(|row| unrest(row, mean_size)).collect(),
        })
    }

    /// The value that noise in the difference of two points in a round exceeds, in one direction,
    /// with probability `share`.
    pub(super) fn difference(&self, share: f64) -> f64 {
        self.or_normal(exceeded(&self.differences, 2.0 * share), 2.0_f64.sqrt(), share)
    }

    /// The same for a single reading. Its noise, unlike a difference, need not be symmetric: all of
    /// the large sizes are assumed to lie on one side.
    pub(super) fn single(&self, share: f64) -> f64 {
        self.or_normal(exceeded(&self.sizes, share), 1.0, share)
    }

    /// `seen`, or the value that normal noise of `deviations` times the usual size exceeds, if that
    /// is more.
    fn or_normal(&self, seen: f64, deviations: f64, share: f64) -> f64 {
        if share <= 0.0 {
            return f64::INFINITY;
        }
        let quantile = student::two_sided(2.0 * share, self.degrees);
        seen.max(deviations * self.deviation * quantile)
    }

    /// The factor by which noise reaches farther than usual for these two points together, at least
    /// 1.
    pub(super) fn unrest(&self, first: usize, second: usize) -> f64 {
        let squares = self.unrest[first].powi(2) + self.unrest[second].powi(2);
        (0.5 * squares).sqrt().max(1.0)
    }
}

/// The reading of a round, if there is one.
pub(super) fn read(row: &[f64], round: usize) -> Option<f64> {
    row.get(round).copied().filter(|value| value.is_finite())
}

fn take_off_points(rest: &mut [Vec<f64>]) {
    for row in rest {
        let values: Vec<f64> = row.iter().copied().filter(|value| value.is_finite()).collect();
        if !values.is_empty() {
            let level = median(&sorted(&values));
            row.iter_mut().for_each(|value| *value -= level);
        }
    }
}

fn take_off_rounds(rest: &mut [Vec<f64>], width: usize) {
    for round in 0..width {
        let values: Vec<f64> = rest.iter().filter_map(|row| read(row, round)).collect();
        if values.is_empty() {
            continue;
        }
        let level = median(&sorted(&values));
        rest.iter_mut().filter_map(|row| row.get_mut(round)).for_each(|value| *value -= level);
    }
}

fn differences(rest: &[Vec<f64>], width: usize) -> Vec<f64> {
    let mut all = Vec::new();
    for round in 0..width {
        let values: Vec<f64> = rest.iter().filter_map(|row| read(row, round)).collect();
        for (i, first) in values.iter().enumerate() {
            all.extend(values[..i].iter().map(|second| (first - second).abs()));
        }
    }
    all.sort_unstable_by(f64::total_cmp);
    all
}

/// The mean size of a point's noise, mixed with readings of the usual size, over that usual size.
fn unrest(row: &[f64], usual: f64) -> f64 {
    let own: Vec<f64> = row.iter().filter(|v| v.is_finite()).map(|v| v.abs()).collect();
    if usual <= 0.0 {
        return 1.0;
    }
    let total = own.iter().sum::<f64>() / usual + USUAL_READINGS;
    (total / (own.len() as f64 + USUAL_READINGS)).max(1.0)
}

/// The smallest of these ascending sizes that at most this part of them exceeds; 0 if all may.
fn exceeded(sizes: &[f64], part: f64) -> f64 {
    let beyond = (part * sizes.len() as f64).floor() as usize;
    if beyond >= sizes.len() { 0.0 } else { sizes[sizes.len() - 1 - beyond] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_round_does_to_all_points_is_not_noise() {
        let rows = [[1.0, 3.0, 9.0], [2.0, 4.0, 10.0], [7.0, 9.0, 15.0]];
        let rows: Vec<&[f64]> = rows.iter().map(|row| &row[..]).collect();
        let noise =
            Noise::from_rows(&rows, Shared::PointsAndRounds).expect("four degrees of freedom");
        assert_eq!(noise.difference(1e-3), 0.0);
        let alone = Noise::from_rows(&rows, Shared::Points).expect("six degrees of freedom");
        assert!(alone.single(1e-3) > 6.0);
    }

    #[test]
    fn a_missing_reading_is_left_out() {
        let (full, gap) = ([1.0, 3.0, 9.0], [2.0, f64::NAN, 10.0]);
        let noise =
            Noise::from_rows(&[&full, &gap, &full], Shared::PointsAndRounds).expect("readings");
        assert_eq!(noise.difference(1e-3), 0.0);
    }

    #[test]
    fn one_round_or_one_point_tells_no_noise() {
        assert!(Noise::from_rows(&[&[1.0], &[2.0]], Shared::PointsAndRounds).is_none());
        assert!(Noise::from_rows(&[&[1.0, 2.0, 3.0]], Shared::PointsAndRounds).is_none());
        assert!(Noise::from_rows(&[&[1.0]], Shared::Points).is_none());
        assert!(Noise::from_rows(&[], Shared::Points).is_none());
    }

    #[test]
    fn a_part_of_the_sizes_lies_beyond() {
        let sizes = [0.0, 1.0, 2.0, 3.0, 4.0];
        assert_eq!(exceeded(&sizes, 0.1), 4.0);
        assert_eq!(exceeded(&sizes, 0.2), 3.0);
        assert_eq!(exceeded(&sizes, 0.5), 2.0);
        assert_eq!(exceeded(&sizes, 1.0), 0.0);
        assert_eq!(exceeded(&[], 0.1), 0.0);
    }

    #[test]
    fn a_point_that_varies_more_than_the_others_reaches_farther() {
        let rows = [[0.0, 0.01, -0.01], [0.01, -0.01, 0.0], [-0.01, 0.0, 0.01], [0.5, -0.5, 0.1]];
        let rows: Vec<&[f64]> = rows.iter().map(|row| &row[..]).collect();
        let noise = Noise::from_rows(&rows, Shared::PointsAndRounds).expect("readings");
        assert_eq!(noise.unrest(0, 1), 1.0);
        assert!(noise.unrest(0, 3) > 1.3);
    }
}
