//! The hopeless points of a sweep, which the coming rounds may skip.
//!
//! A sweep asks for the points that are best in one objective, or that no other point beats in two,
//! such as time and memory. A point is *hopeless* if another one is better by more than the
//! tolerance in some objective and not worse by more than the tolerance in any. A point that is
//! certainly smaller than the other one in some objective, however little, is kept, since users may
//! look for just that. Once this is certain after a few rounds, the remaining rounds are better
//! spent on the other points.
//!
//! The readings of two points are compared round by round, since rounds share drift. A test of
//! signs or ranks needs twenty rounds for the certainty that a choice among thousands of pairs of
//! points demands. This one uses the width of the table: all points together show how far apart
//! noise can bring two readings of the same round, and a difference counts if most of
//! the rounds show one beyond that. So one or two slow runs neither condemn a point
//! nor save it.
//!
//! Dropping does not bias later estimates: a point that stays has run in every round and is
//! compared on all of them; a dropped point is compared on the rounds in which it ran.
//!
//! [`Race`] schedules the looks and bounds the probability that any point is dropped wrongly, over
//! all points and all looks together. A point is dropped wrongly if it is not in truth hopeless.
//! The method is approximate in that it takes the noise of all points as alike, but for a
//! correction. The rates are in `tests/rates/racing.rs`.

use std::f64::consts::FRAC_PI_2;

use crate::beta::regularised;
use crate::order::{boundary, median, sorted};
use crate::student;

/// A metric of all points that is to be small.
#[derive(Debug, Clone, Copy)]
pub struct Objective<'a> {
    /// The natural logarithms of the readings, by point and round. Missing readings are NaN, or the
    /// row is shorter.
    pub logs: &'a [Vec<f64>],
    /// A difference of logarithms up to this does not matter; not negative.
    pub tolerance: f64,
}

/// A hopeless point, and another that stays and shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropped {
    /// The hopeless point.
    pub point: usize,
    /// A point that is certainly better, and not worse in any objective; it is not dropped.
    pub by: usize,
}

/// The reason for refusing a table of readings.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are; indices begin at 0")]
pub enum RaceError {
    #[error("point {point} takes part, and an objective has {points} points")]
    NoSuchPoint { point: usize, points: usize },
    #[error("the tolerance is {0}, not a number from 0 on")]
    NoTolerance(f64),
    #[error("point {point} has the logarithm {value} in round {round}")]
    NotFinite { point: usize, round: usize, value: f64 },
    #[error("alpha is {0}, not between 0 and 1")]
    NoLevel(f64),
}

/// The hopeless points among `active`, in their order, with a probability of at most about `alpha`
/// that any of them is not. `kept` is never among them.
///
/// One look at the readings; for several, see [`Race`]. Empty for fewer than two rounds or two
/// points, and without objectives, since then no point is better than another.
///
/// # Errors
///
/// When an active point has no row, a logarithm of one is infinite, a tolerance is negative or NaN,
/// or `alpha` is not in `[0, 1]`.
pub fn hopeless(
    objectives: &[Objective<'_>],
    active: &[usize],
    kept: Option<usize>,
    alpha: f64,
) -> Result<Vec<Dropped>, RaceError> {
    check_level(alpha)?;
    for objective in objectives {
        check(objective.logs, active, objective.tolerance)?;
    }
    let pairs = active.len() * active.len().saturating_sub(1);
    let level = alpha / (pairs * objectives.len()).max(1) as f64;
    let tables: Option<Vec<Table<'_>>> =
        objectives.iter().map(|objective| Table::new(objective, active, level)).collect();
    let Some(tables) = tables else { return Ok(Vec::new()) };
    let beats = |q: usize, p: usize| {
        p != q
            && tables.iter().any(|table| table.is_better(q, p))
            && tables.iter().all(|table| table.is_not_worse(q, p) && !table.is_larger(q, p))
    };
    let places = 0..active.len();
    let rivals: Vec<Vec<usize>> =
        places.clone().map(|p| places.clone().filter(|&q| beats(q, p)).collect()).collect();
    let stays = |place: usize| rivals[place].is_empty() || Some(active[place]) == kept;
    let dropped = places.filter(|&place| !stays(place)).filter_map(|place| {
        // A point that only hopeless points beat is examined again at the next look.
        let by = rivals[place].iter().copied().find(|&rival| stays(rival))?;
        Some(Dropped { point: active[place], by: active[by] })
    });
    Ok(dropped.collect())
}

/// The readings of the active points in one objective, ready to be compared at one level.
struct Table<'a> {
    rows: Vec<&'a [f64]>,
    tolerance: f64,
    noise: Noise,
    /// The reach of noise in each round, by the number of rounds that two points share.
    reach: Vec<f64>,
}

impl<'a> Table<'a> {
    fn new(objective: &Objective<'a>, active: &[usize], level: f64) -> Option<Self> {
        let rows: Vec<&[f64]> = active.iter().map(|&point| &objective.logs[point][..]).collect();
        let noise = Noise::from_rows(&rows)?;
        let width = rows.iter().map(|row| row.len()).max()?;
        let reach = (0..=width).map(|rounds| match rounds {
            0 | 1 => f64::INFINITY,
            _ => noise.difference(share(rounds, level)),
        });
        let reach = reach.collect();
        Some(Self { rows, tolerance: objective.tolerance, noise, reach })
    }

    fn is_better(&self, q: usize, p: usize) -> bool {
        self.exceeds(p, q, self.tolerance)
    }

    fn is_not_worse(&self, q: usize, p: usize) -> bool {
        self.exceeds(p, q, -self.tolerance)
    }

    /// True if `q` is certainly worse, however little.
    fn is_larger(&self, q: usize, p: usize) -> bool {
        self.exceeds(q, p, 0.0)
    }

    /// True if the readings at index `p` are certainly more than `margin` above those at `q`.
    fn exceeds(&self, p: usize, q: usize, margin: f64) -> bool {
        let differences = || {
            let pairs = self.rows[p].iter().zip(self.rows[q]);
            pairs.map(|(p, q)| p - q).filter(|difference| difference.is_finite())
        };
        let rounds = differences().count();
        let bound = margin + self.reach[rounds] * self.noise.unrest(p, q);
        rounds > 1 && differences().filter(|&d| d > bound).count() >= needed(rounds)
    }
}

/// The looks of one sweep, and their total error.
///
/// Looks come after 2, 3, 4, 6, 8, 12, 16, 24 ... rounds. The first may use half of the error, the
/// second a sixth, and the `j`-th `1 / (j (j + 1))`, at most 1 in total for any number of looks:
/// dropping a point early saves most.
#[derive(Debug, Clone)]
pub struct Race {
    alpha: f64,
    looks: u32,
}

impl Race {
    /// A race that wrongly drops any point with a probability of at most `alpha`.
    ///
    /// # Errors
    ///
    /// When `alpha` is not in `[0, 1]`.
    pub fn new(alpha: f64) -> Result<Self, RaceError> {
        check_level(alpha)?;
        Ok(Self { alpha, looks: 0 })
    }

    /// The number of rounds, from the start of the sweep, after which the next look is due.
    #[must_use]
    pub fn next_look(&self) -> usize {
        match self.looks {
            0 => 2,
            looks => {
                let factor = if looks % 2 == 1 { 3 } else { 4 };
                factor << ((looks - 1) / 2).min(usize::BITS - 4)
            }
        }
    }

    /// Spends and returns the level of the next look.
    pub fn spend(&mut self) -> f64 {
        self.looks += 1;
        let look = f64::from(self.looks);
        self.alpha / (look * (look + 1.0))
    }

    /// A look: the points that the coming rounds may skip, as found by [`hopeless`].
    ///
    /// # Errors
    ///
    /// As [`hopeless`].
    pub fn look(
        &mut self,
        objectives: &[Objective<'_>],
        active: &[usize],
        kept: Option<usize>,
    ) -> Result<Vec<Dropped>, RaceError> {
        let level = self.spend();
        hopeless(objectives, active, kept, level)
    }
}

fn check_level(alpha: f64) -> Result<(), RaceError> {
    if (0.0..=1.0).contains(&alpha) { Ok(()) } else { Err(RaceError::NoLevel(alpha)) }
}

fn check(logs: &[Vec<f64>], active: &[usize], tolerance: f64) -> Result<(), RaceError> {
    if tolerance.is_nan() || tolerance < 0.0 {
        return Err(RaceError::NoTolerance(tolerance));
    }
    for &point in active {
        let row = logs.get(point).ok_or(RaceError::NoSuchPoint { point, points: logs.len() })?;
        if let Some(round) = row.iter().position(|value| value.is_infinite()) {
            return Err(RaceError::NotFinite { point, round, value: row[round] });
        }
    }
    Ok(())
}

// The number of rounds that must agree, and the reach of noise in each of them.
//
// Of `n` rounds seven in ten must show a difference beyond the one that noise reaches with
// probability `p`. The number of rounds that do so by noise alone is binomial. If `p` differs from
// round to round, the number is that of the mean `p` or less scattered, and `m` or more of them
// are no likelier than the binomial distribution gives, as long as `m` is more than `n p + 1`
// (Hoeffding, *Annals of Mathematical Statistics* 27, 1956). So rounds need not be equally noisy.

/// The share of the rounds that may disagree. On normal noise any share from a fifth to two fifths
/// does as well; a smaller one would not tolerate two slow rounds in ten, a larger one would take
/// as many for a difference.
const DISSENT: f64 = 0.3;

/// The number of rounds, of `rounds`, that must show a difference.
fn needed(rounds: usize) -> usize {
    rounds - (DISSENT * rounds as f64).floor() as usize
}

/// The probability, in each round, at which [`needed`] rounds out of `rounds` are reached with
/// probability `level`; at most a half, the probability of a difference of any size. For at least
/// one round.
fn share(rounds: usize, level: f64) -> f64 {
    if level <= 0.0 {
        return 0.0;
    }
    let needed = needed(rounds) as f64;
    let others = rounds as f64 - needed + 1.0;
    let is_within = |p: f64| regularised(needed, others, p, 1.0 - p) <= level;
    if is_within(0.5) { 0.5 } else { boundary(0.0, 0.5, is_within).0 }
}

// The noise of one reading, estimated from all points together.
//
// Two or three rounds show next to nothing of the noise of one point. But a sweep has many points,
// and a round affects all of them alike. So the level of each point and that of each round are
// subtracted from the logarithms in their table of points and rounds (medians, twice: Tukey's
// median polish, *Exploratory Data Analysis*, 1977), and the residuals are noise: hundreds of
// readings of it. Their own distribution then shows how far apart noise brings two points of a
// round, for any shape of it; Student's t is used where it demands more, since a far tail is
// rarely seen.

/// The number of readings of the usual size that are added to a point's own noise before it counts
/// as restless. Arbitrary: with a handful of rounds most of the apparent unrest is chance.
const USUAL_READINGS: f64 = 4.0;

/// The noise of a table of logarithms.
struct Noise {
    /// The sizes of the differences between two points in the same round, ascending.
    differences: Vec<f64>,
    /// The standard deviation of normal noise with this mean size.
    deviation: f64,
    degrees: f64,
    /// The noise of each point relative to the usual, at least 1.
    unrest: Vec<f64>,
}

impl Noise {
    /// The noise of `rows`, one per point, with NaN for missing readings. None if there are too few
    /// readings.
    fn from_rows(rows: &[&[f64]]) -> Option<Self> {
        let width = rows.iter().map(|row| row.len()).max()?;
        let mut rest: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
        // The rounds first, so that an effect of a round on all points changes nothing at all.
        for _ in 0..2 {
            take_off_rounds(&mut rest, width);
            take_off_points(&mut rest);
        }
        let present = |round: usize| rest.iter().any(|row| read(row, round).is_some());
        let rounds = (0..width).filter(|&round| present(round)).count() as f64;
        let points = rest.iter().filter(|row| row.iter().any(|v| v.is_finite())).count() as f64;
        let readings = rest.iter().flatten().filter(|value| value.is_finite()).count() as f64;
        let degrees = readings - (points + rounds - 1.0);
        if degrees < 1.0 {
            return None;
        }
        // Estimated levels follow the readings and take a part of the noise with them.
        let taken = (readings / degrees).sqrt();
        for value in rest.iter_mut().flatten() {
            *value *= taken;
        }
        let sizes = rest.iter().flatten().filter(|v| v.is_finite()).map(|v| v.abs());
        let mean_size = sizes.sum::<f64>() / readings;
        Some(Self {
            differences: differences(&rest, width),
            deviation: mean_size * FRAC_PI_2.sqrt(),
            degrees,
            unrest: rest.iter().map(|row| unrest(row, mean_size)).collect(),
        })
    }

    /// The value that noise in the difference of two points in a round exceeds, in one direction,
    /// with probability `share`: as seen, or that of normal noise if it is more.
    fn difference(&self, share: f64) -> f64 {
        if share <= 0.0 {
            return f64::INFINITY;
        }
        let seen = exceeded(&self.differences, 2.0 * share);
        let quantile = student::two_sided(2.0 * share, self.degrees);
        seen.max(2.0_f64.sqrt() * self.deviation * quantile)
    }

    /// The factor by which noise reaches farther than usual for these two points together, at least
    /// 1.
    fn unrest(&self, first: usize, second: usize) -> f64 {
        let squares = self.unrest[first].powi(2) + self.unrest[second].powi(2);
        (0.5 * squares).sqrt().max(1.0)
    }
}

/// The reading of a round, if there is one.
fn read(row: &[f64], round: usize) -> Option<f64> {
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

    #[test]
    fn what_a_round_does_to_all_points_is_not_noise() {
        let rows = [[1.0, 3.0, 9.0], [2.0, 4.0, 10.0], [7.0, 9.0, 15.0]];
        let rows: Vec<&[f64]> = rows.iter().map(|row| &row[..]).collect();
        let noise = Noise::from_rows(&rows).expect("four degrees of freedom");
        assert_eq!(noise.difference(1e-3), 0.0);
    }

    #[test]
    fn a_missing_reading_is_left_out() {
        let (full, gap) = ([1.0, 3.0, 9.0], [2.0, f64::NAN, 10.0]);
        let noise = Noise::from_rows(&[&full, &gap, &full]).expect("readings");
        assert_eq!(noise.difference(1e-3), 0.0);
    }

    #[test]
    fn one_round_or_one_point_tells_no_noise() {
        assert!(Noise::from_rows(&[&[1.0], &[2.0]]).is_none());
        assert!(Noise::from_rows(&[&[1.0, 2.0, 3.0]]).is_none());
        assert!(Noise::from_rows(&[]).is_none());
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
        let noise = Noise::from_rows(&rows).expect("readings");
        assert_eq!(noise.unrest(0, 1), 1.0);
        assert!(noise.unrest(0, 3) > 1.3);
    }
}
