//! Looking while an experiment grows: group-sequential boundaries.
//!
//! Testing at 5 % after every few rounds and stopping at the first success is wrong far more often
//! than 5 % of the time. A group-sequential boundary spends the 5 % over the looks: at each one it
//! gives the (smaller) level of the interval, so that the probability that *any* of these intervals
//! misses the truth is at most `alpha` (repeated confidence intervals: Jennison and Turnbull, *JRSS
//! B* 51, 1989). The spent share is a function of a clock that must not depend on the measurements
//! (Lan and DeMets, *Biometrika* 70, 1983): rounds done over rounds allowed, or time spent over
//! budget.
//!
//! The level of a look follows from the joint distribution of the statistics at all looks so far,
//! by the recursive integration of Armitage, McPherson and Rowe (*JRSS A* 132, 1969). That
//! distribution is taken as the canonical one: normal, with independent increments, the correlation
//! of two looks being the square root of the ratio of their [`information()`]. The normality is an
//! approximation, the information a bound; both are documented where they are used.
//!
//! The boundary assumes that the process has not crossed so far. If it has crossed and the caller
//! continues all the same, the spent error stays spent: the density continues with the part that
//! did not cross. A finding should then be kept, because the level was spent on it.

use std::f64::consts::E;

use crate::{Estimator, normal};

// The schedule of the looks.

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

// Continuing after a test has spent its error: the permitted error of each stage.
//
// A test that has spent all of its error cannot continue. A test that may continue keeps a part of
// it in reserve: the first stage spends the rest, and each later one half of the remainder.

/// The number of stages after which nothing worth mentioning is left.
const MOST_STAGES: u32 = 40;

/// The share of the error that is spent at the end of a stage, counted from 0, if the first one
/// leaves `reserve`.
#[must_use]
pub fn spent_by_stage(reserve: f64, stage: u32) -> f64 {
    1.0 - reserve * 0.5_f64.powf(f64::from(stage))
}

/// The share of the error that is spent after `share` of the stage.
#[must_use]
pub fn spent_within_stage(reserve: f64, stage: u32, share: f64) -> f64 {
    let from = stage.checked_sub(1).map_or(0.0, |before| spent_by_stage(reserve, before));
    from + (spent_by_stage(reserve, stage) - from) * share
}

/// The share of the error that is spent at the end of the stage that contains `spent`.
#[must_use]
pub fn spent_by_stage_of(reserve: f64, spent: f64) -> f64 {
    // Rounding may put the last look of a stage a hair beyond its end.
    let is_within = |stage: &u32| spent <= spent_by_stage(reserve, *stage) + 1e-12;
    (0..MOST_STAGES).find(is_within).map_or(1.0, |stage| spent_by_stage(reserve, stage))
}

// The share of the error that may be spent by a given time.

/// A spending function: the part of `alpha` (two-sided) that may be used up by time `t` of `(0,
/// 1]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spending {
    /// `alpha * t^rho`, `rho > 0` (Kim and DeMets, *Biometrika* 74, 1987). 1 spends evenly; more
    /// keeps more for the end.
    Power(f64),
    /// Resembles the boundary of O'Brien and Fleming: hardly anything at first
    /// (Lan and DeMets 1983, for each side at `alpha / 2`).
    ObrienFleming,
    /// Resembles the boundary of Pocock: about the same level at each look (Lan and DeMets 1983).
    Pocock,
}

impl Spending {
    /// The part of `alpha` that is spent by `clock`, which is taken as 0 below 0 and as 1 beyond.
    #[must_use]
    pub fn spent(self, alpha: f64, clock: f64) -> f64 {
        let t = clock.clamp(0.0, 1.0);
        match self {
            Self::Power(rho) => alpha * t.powf(rho),
            Self::ObrienFleming if t == 0.0 => 0.0,
            Self::ObrienFleming => {
                4.0 * normal::upper_tail(-normal::quantile(0.25 * alpha) / t.sqrt())
            }
            Self::Pocock => alpha * ((E - 1.0) * t).ln_1p(),
        }
    }
}

// The information after a number of rounds, which determines the correlation of the looks.

/// The information of an estimator after `rounds` rounds, up to a factor, for
/// [`Boundary::look`].
///
/// Two looks with information `i < j` are taken as correlated by `sqrt(i / j)`; the smaller that
/// is, the more a boundary must demand. So a lower bound of the correlation is safe (Slepian, *Bell
/// System Technical Journal* 41, 1962, for each side of the boundary).
///
/// * Median: the sign statistic sums coins of equal weight, so `rounds` is exact.
/// * Pseudo-median: the coin of a round weighs as much as its rank, which later rounds can only
///   raise. Given the sizes, the covariance of T+ at two looks is a quarter of the sum of the
///   products of both ranks, smallest if every later difference is larger than every earlier one:
///   noise that grows. Then it is the variance at the earlier look, `i (i+1) (2i+1) / 24`. That sum
///   of squares is therefore a bound which no noise can break. With steady noise `rounds` would do.
/// * Rank scores: `n²`, by simulation. Their sizes change as other rounds join, and if the first
///   rounds agree closely and the later ones do not, nothing bounds the correlation from below.
///   With 22 looks and noise that grows a hundredfold, `rounds` gave 6.8 % of false verdicts for
///   5 %, the square 5.1 %, the cube 4.4 %; on steady noise 5.6 %, 4.0 % and 3.2 %; with a standard
///   error of 0.3 % (`tests/rates`).
/// * Mean: as for the pseudo-median, which covers noise whose variance grows with the square of
///   time; there is no bound without assumptions, and with `rounds` growing noise gave 8 % of false
///   verdicts for 5 %.
/// * Quantile: `rounds`, as for means of independent values, such as counts of values beyond a
///   limit.
/// * Min: as for the mean. The blocks are cut anew at each look, so hardly anything is known of the
///   correlation; simulation shows that this suffices (`tests/rates`).
///
/// The price of the cubic sum with steady noise: about 3 % false verdicts where 5 % are allowed,
/// and critical values up to a tenth larger.
#[must_use]
pub fn information(estimator: Estimator, rounds: usize) -> f64 {
    let n = rounds as f64;
    match estimator {
        Estimator::Median | Estimator::Quantile(_) => n,
        Estimator::RankScores => n * n,
        Estimator::PseudoMedian | Estimator::Mean | Estimator::Min => {
            n * (n + 1.0) * (2.0 * n + 1.0) / 6.0
        }
    }
}

// The level of a future look, before the looks that lead to it.

/// The part of the error that a look may use of the error that may be spent by then. Earlier looks
/// have used some, and are correlated with it: if each comes a fifth later than the one before,
/// about half is left (a test compares it with the boundary).
const SHARE_LEFT: f64 = 0.5;

/// The two-sided critical value of a future look, if `alpha` is the total permitted error and the
/// share `clock` of it may be spent by then. Infinite if either is 0.
///
/// Approximate, and only for estimating the time left: no verdict may rest on it.
#[must_use]
pub fn foreseen_critical_z(alpha: f64, clock: f64) -> f64 {
    normal::two_sided(alpha * clock * SHARE_LEFT)
}

// The boundary itself: one step of the recursion per look.

/// The least error that a look spends: with less, it spends nothing and keeps it for the next.
const LEAST_INCREMENT: f64 = 1e-12;

/// The least growth of information for which a look is integrated: for a narrower step the grid
/// would be too coarse, and the look is charged as if it were independent of all others.
const LEAST_GROWTH: f64 = 1.01;

/// The grid ends here at the latest: beyond lies a probability of 2e-17.
const GRID_END: f64 = 8.5;

/// The width of a panel of the grid. The narrowest kernel, at the least growth, has a standard
/// deviation of 0.1, and eight nodes on two and a half of them integrate it to about 1e-9.
const PANEL: f64 = 0.25;

/// Nodes and weights of the Gauss–Legendre rule of order 8 on `[-1, 1]`, the positive half
/// (Abramowitz and Stegun, table 25.4).
const LEGENDRE: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// The error that a look may use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// The two-sided level of the interval at this look. 0 if there is nothing to spend: the
    /// interval is then infinite.
    pub nominal_alpha: f64,
    /// The standardised statistic that crosses, `normal::two_sided(nominal_alpha)`.
    pub critical_z: f64,
    /// The error spent up to and with this look: the probability of a false finding so far.
    pub spent: f64,
    /// The part of it that this look spends: the probability of crossing now and not before. An
    /// interval at this level is valid for any correlation of the looks (Bonferroni).
    pub increment: f64,
}

/// A two-sided symmetric group-sequential boundary, computed as the looks come.
///
/// Neither the number nor the times of the looks need be known in advance; but the times must not
/// depend on the measurements, except that measuring may stop. A look costs a fraction of a
/// millisecond.
#[derive(Debug, Clone)]
pub struct Boundary {
    alpha: f64,
    spending: Spending,
    spent: f64,
    /// The information at the last look that was integrated; 0 before the first.
    information: f64,
    /// The process that has not crossed, as points on the positive half of the axis of `z` with the
    /// probability at each. The negative half is its mirror image.
    alive: Vec<Point>,
}

#[derive(Debug, Clone, Copy)]
struct Point {
    z: f64,
    mass: f64,
}

impl Boundary {
    /// A boundary that a process without drift crosses with probability `alpha` in total. `alpha`
    /// outside `(0, 1)` is taken as the nearer end: 0 never crosses.
    #[must_use]
    pub fn new(alpha: f64, spending: Spending) -> Self {
        let alpha = if alpha.is_nan() { 0.0 } else { alpha.clamp(0.0, 1.0) };
        Self { alpha, spending, spent: 0.0, information: 0.0, alive: Vec::new() }
    }

    /// The next look, with this much `information` (see [`information()`]; positive, any
    /// unit), `clock` in `(0, 1]` being the finished fraction of the experiment.
    ///
    /// A clock that runs backwards spends nothing. A look that adds less than 1 % of information is
    /// charged as if independent of the others, which is more than necessary; its information is
    /// not lost but counts at the next.
    pub fn look(&mut self, information: f64, clock: f64) -> Look {
        let target = self.spending.spent(self.alpha, clock);
        let increment = target - self.spent;
        if increment.is_nan() || increment < LEAST_INCREMENT || information <= 0.0 {
            let spent = self.spent;
            return Look { nominal_alpha: 0.0, critical_z: f64::INFINITY, spent, increment: 0.0 };
        }
        self.spent = target;
        let critical_z = if self.information == 0.0 {
            let critical_z = normal::two_sided(increment);
            self.alive = grid(critical_z, normal::density);
            self.information = information;
            critical_z
        } else if information < LEAST_GROWTH * self.information {
            normal::two_sided(increment)
        } else {
            let step = Step::new(self.information / information);
            let critical_z = step.critical(&self.alive, increment);
            self.alive = grid(critical_z, |z| step.density(&self.alive, z));
            self.information = information;
            critical_z
        };
        let nominal_alpha = 2.0 * normal::upper_tail(critical_z);
        Look { nominal_alpha, critical_z, spent: self.spent, increment }
    }
}

/// The step from one look to the next: `z' = kept * z + fresh * noise`, the noise standard normal.
struct Step {
    kept: f64,
    fresh: f64,
}

impl Step {
    fn new(information_ratio: f64) -> Self {
        Self { kept: information_ratio.sqrt(), fresh: (1.0 - information_ratio).sqrt() }
    }

    /// The density of the statistic at the new look among the processes still alive.
    fn density(&self, alive: &[Point], z: f64) -> f64 {
        let scale = 1.0 / self.fresh;
        let kernel = |centre: f64| match (z - self.kept * centre) * scale {
            // Beyond, the density is below 1e-22, and soon a subnormal number, slow to work with.
            far if far.abs() > 10.0 => 0.0,
            near => normal::density(near),
        };
        alive.iter().map(|p| p.mass * (kernel(p.z) + kernel(-p.z))).sum::<f64>() * scale
    }

    /// The probability that a process still alive crosses `critical` on either side.
    fn crossing(&self, alive: &[Point], critical: f64) -> f64 {
        let beyond = |centre: f64| normal::upper_tail((critical - self.kept * centre) / self.fresh);
        2.0 * alive.iter().map(|p| p.mass * (beyond(p.z) + beyond(-p.z))).sum::<f64>()
    }

    /// The critical value that is crossed with probability `increment`: Newton's method on the
    /// logarithm of the probability, which is concave and nearly straight, kept in a bracket.
    fn critical(&self, alive: &[Point], increment: f64) -> f64 {
        let (mut low, mut high) = (0.0, 40.0);
        let mut critical = normal::two_sided(increment).clamp(0.1, 10.0);
        for _ in 0..100 {
            let crossing = self.crossing(alive, critical);
            if crossing > increment {
                low = critical
            } else {
                high = critical
            }
            let slope = 2.0 * self.density(alive, critical) / crossing;
            let newton = critical + (crossing / increment).ln() / slope;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if (next - critical).abs() < 1e-11 {
                return next;
            }
            critical = next;
        }
        critical
    }
}

/// The points of the panels from 0 to `end` with the probability near each.
fn grid(end: f64, density: impl Fn(f64) -> f64) -> Vec<Point> {
    let end = end.min(GRID_END);
    let panels = (end / PANEL).ceil().max(1.0);
    let half = 0.5 * end / panels;
    let centres = (0..panels as usize).map(|panel| half * (2 * panel + 1) as f64);
    let nodes = LEGENDRE.iter().flat_map(|&(x, w)| [(x, w), (-x, w)]);
    centres
        .flat_map(|centre| nodes.clone().map(move |(x, w)| (centre + half * x, half * w)))
        .map(|(z, weight)| Point { z, mass: weight * density(z) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Estimator;
    use crate::sequential::{Boundary, Spending, information, next_look};

    /// Looks at a fifth more rounds each, the last one at the budget's end.
    fn looks(first: usize, budget: usize) -> Vec<usize> {
        let next = |rounds: &usize| Some(next_look(*rounds, first));
        let before = std::iter::successors(Some(first), next).take_while(|rounds| *rounds < budget);
        before.chain([budget]).collect()
    }

    #[test]
    fn the_share_that_is_left_is_about_what_the_boundary_leaves() {
        for budget in [100, 1000, 10_000] {
            let mut boundary = Boundary::new(0.05, Spending::Power(1.0));
            for rounds in looks(12, budget) {
                let clock = rounds as f64 / budget as f64;
                let information = information(Estimator::RankScores, rounds);
                let ratio =
                    foreseen_critical_z(0.05, clock) / boundary.look(information, clock).critical_z;
                // The first look may have more, since nothing was spent before.
                assert!(
                    (ratio - 1.0).abs() < 0.15 || rounds == 12,
                    "{rounds} of {budget}: {ratio}"
                );
            }
        }
    }
}
