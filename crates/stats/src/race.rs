//! Finds the hopeless points of a sweep, which the coming rounds may skip.
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
//! noise can bring two readings of the same round (`noise.rs`), and a difference counts if most of
//! the rounds show one beyond that (`rounds.rs`). So one or two slow runs neither condemn a point
//! nor save it.
//!
//! Dropping does not bias later estimates: a point that stays has run in every round and is
//! compared on all of them; a dropped point is compared on the rounds in which it ran.
//!
//! [`Race`] schedules the looks and bounds the probability that any point is dropped wrongly, over
//! all points and all looks together. A point is dropped wrongly if it is not in truth hopeless.
//! The method is approximate in that it takes the noise of all points as alike, but for a
//! correction. The rates are in `tests/rates/racing.rs`.

mod limit;
mod noise;
mod rounds;

pub use limit::over_limit;

use noise::{Noise, Shared, read};

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
pub enum RaceError {
    /// A point has no readings in an objective.
    #[error("point {point} takes part, and an objective has {points} points")]
    NoSuchPoint {
        /// The point.
        point: usize,
        /// The number of points in the objective.
        points: usize,
    },
    /// A tolerance or a limit is NaN, or a tolerance is below 0.
    #[error("{0} is no tolerance and no limit")]
    NoBound(f64),
    /// A logarithm is infinite: the reading was 0 or infinite.
    #[error("point {point} has the logarithm {value} in round {round}")]
    NotFinite {
        /// The point.
        point: usize,
        /// The round, from 0.
        round: usize,
        /// The logarithm.
        value: f64,
    },
    /// The level is not a probability.
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
        let noise = Noise::from_rows(&rows, Shared::PointsAndRounds)?;
        let width = rows.iter().map(|row| row.len()).max()?;
        let reach = (0..=width).map(|rounds| match rounds {
            0 | 1 => f64::INFINITY,
            _ => noise.difference(rounds::share(rounds, level)),
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
        rounds > 1 && differences().filter(|&d| d > bound).count() >= rounds::needed(rounds)
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

    /// Spends and returns the level of the next look. It may be shared among several questions,
    /// such as [`hopeless`] and [`over_limit`].
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
        return Err(RaceError::NoBound(tolerance));
    }
    for &point in active {
        let row = logs.get(point).ok_or(RaceError::NoSuchPoint { point, points: logs.len() })?;
        if let Some(round) = row.iter().position(|value| value.is_infinite()) {
            return Err(RaceError::NotFinite { point, round, value: row[round] });
        }
    }
    Ok(())
}
