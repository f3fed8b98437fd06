//! The boundary itself: one step of the recursion per look.

use super::spending::Spending;
use crate::normal;

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

    /// The next look, with this much `information` (see [`super::information()`]; positive, any
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
