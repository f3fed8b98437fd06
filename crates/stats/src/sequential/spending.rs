//! The share of the error that may be spent by a given time.

use std::f64::consts::E;

use crate::normal;

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
