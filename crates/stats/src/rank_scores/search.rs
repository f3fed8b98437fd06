//! Finds the shifts at which the result of a test changes.
//!
//! The sum of scores falls step by step as the shift grows, with some `n²` steps that are never
//! listed. Its zero is the estimate. The interval ends where its probability falls to the level.
//! The sum never rises, but its variance changes too, so the probability may cross the level there
//! more than once, within a few steps. The search then ends at one of the crossings; the one
//! question on which verdicts depend, if 0 is excluded, is put to the test itself.

use super::Trial;
use crate::order::{median, midpoint, sorted};

/// The precision of an end, as a fraction of its distance from the estimate.
const PRECISION: f64 = 2e-3;

/// The precision of the estimate, as a fraction of a rough standard error.
const CENTRE_PRECISION: f64 = 2e-3;

/// The precision of a shift in doubles: it is a difference of logarithms, which lie below 710.
const FLOOR: f64 = 1e-15;

/// The maximum number of turns, which is never reached: it halves 1e3 to 1e-15 thrice.
const MOST_TURNS: usize = 200;

/// The evidence for a shift above which more does not guide a search better.
const MOST_EVIDENCE: f64 = 40.0;

/// The estimate, and the change of the evidence around it.
pub(super) struct Centre {
    pub(super) shift: f64,
    /// The approximate change of the shift that moves the evidence by one standard deviation.
    deviation: f64,
}

impl Centre {
    /// The centre of the exchanged samples.
    pub(super) fn mirrored(&self) -> Self {
        Self { shift: -self.shift, deviation: self.deviation }
    }
}

/// A shift that is not too large and one that is, each with the number that guides the search: it
/// falls as the shift grows, positive at the first and negative at the second.
#[derive(Clone, Copy)]
struct Bracket {
    inside: (f64, f64),
    outside: (f64, f64),
}

impl Bracket {
    fn width(&self) -> f64 {
        self.outside.0 - self.inside.0
    }

    fn take(&mut self, shift: f64, guide: f64) {
        if guide > 0.0 { self.inside = (shift, guide) } else { self.outside = (shift, guide) }
    }

    /// The zero of the straight line between both ends.
    fn secant(&self) -> f64 {
        let ((low, above), (_, below)) = (self.inside, self.outside);
        low + self.width() * (above / (above - below))
    }

    /// Narrows the bracket until it is at most as wide as `enough` returns.
    ///
    /// Probes half as far again from the nearer end as the secant's zero is, so that the next probe
    /// has a near end on the other side; halves if that did not help.
    fn narrow(&mut self, guide: impl Fn(f64) -> f64, enough: impl Fn(&Self) -> f64) {
        let mut slow = false;
        for _ in 0..MOST_TURNS {
            let (width, tolerance) = (self.width(), enough(self).max(self.floor()));
            if width <= tolerance {
                return;
            }
            let middle = midpoint(self.inside.0, self.outside.0);
            let shift = if slow { middle } else { self.probe(0.4 * tolerance).unwrap_or(middle) };
            if shift <= self.inside.0 || shift >= self.outside.0 {
                return;
            }
            self.take(shift, guide(shift));
            slow = !slow && self.width() > 0.5 * width;
        }
    }

    /// A point beyond the zero of the secant as seen from the nearer end, and no nearer to an end
    /// than `least`.
    fn probe(&self, least: f64) -> Option<f64> {
        let zero = self.secant();
        let (from_inside, from_outside) = (zero - self.inside.0, self.outside.0 - zero);
        let probe = if from_inside <= from_outside {
            self.inside.0 + (1.5 * from_inside).max(least)
        } else {
            self.outside.0 - (1.5 * from_outside).max(least)
        };
        (probe > self.inside.0 && probe < self.outside.0).then_some(probe)
    }

    fn floor(&self) -> f64 {
        FLOOR * self.inside.0.abs().max(self.outside.0.abs()).max(1.0)
    }
}

/// The bracket around the sign change of `guide`, with `start` near it and `step` the first
/// distance to try. None if there is no sign change within a distance of 1e6.
fn bracket(start: f64, step: f64, guide: impl Fn(f64) -> f64) -> Option<Bracket> {
    let at_start = guide(start);
    let towards = if at_start > 0.0 { 1.0 } else { -1.0 };
    let (mut last, mut distance) = ((start, at_start), step);
    while distance < 1e6 {
        let shift = start + towards * distance;
        let here = (shift, guide(shift));
        if (here.1 > 0.0) != (at_start > 0.0) {
            let (inside, outside) = if at_start > 0.0 { (last, here) } else { (here, last) };
            return Some(Bracket { inside, outside });
        }
        last = here;
        distance *= 4.0;
    }
    None
}

/// The shift at which the sum of scores is zero, or the middle of all such shifts.
pub(super) fn centre(forth: &Trial<'_>, back: &Trial<'_>) -> Centre {
    let differences: Vec<f64> =
        forth.candidate.iter().zip(forth.baseline).map(|(c, b)| c - b).collect();
    let start = median(&sorted(&differences));
    let deviation = rough_error(&differences, start).max(FLOOR);
    let enough = CENTRE_PRECISION * deviation;
    // Once with zero counted as positive, and once, with exchanged samples, as negative.
    let sum = |trial: &Trial<'_>, shift: f64| trial.at(shift).standardised();
    let upper = |shift: f64| not_negative(sum(forth, shift));
    let lower = |shift: f64| not_negative(sum(back, shift));
    let Some(mut above) = bracket(start, deviation, upper) else {
        return Centre { shift: start, deviation };
    };
    let slope = (above.inside.1 - above.outside.1) / above.width();
    above.narrow(upper, |_| enough);
    // Usually the sum jumps over zero, and the bracket also holds the other end.
    let shift = if above.inside.1 > f64::MIN_POSITIVE && above.width() <= enough {
        midpoint(above.inside.0, above.outside.0)
    } else {
        let end = |bracket: &Bracket| midpoint(bracket.inside.0, bracket.outside.0);
        let below = bracket(-start, deviation, lower).map(|mut below| {
            below.narrow(lower, |_| enough);
            -end(&below)
        });
        below.map_or(start, |below| midpoint(below, end(&above)))
    };
    let deviation = if slope > 0.0 { (1.0 / slope).min(1e3 * deviation) } else { deviation };
    Centre { shift, deviation }
}

/// Zero as the smallest positive number, so that it counts as positive.
fn not_negative(sum: f64) -> f64 {
    if sum == 0.0 { f64::MIN_POSITIVE } else { sum }
}

/// The mean distance from the middle over the square root of the rounds: the rough size of a
/// standard error.
fn rough_error(differences: &[f64], middle: f64) -> f64 {
    let rounds = differences.len() as f64;
    differences.iter().map(|d| (d - middle).abs()).sum::<f64>() / rounds / rounds.sqrt()
}

/// The smallest shift known to be too large: its evidence is at or below `-critical`.
pub(super) fn end(trial: &Trial<'_>, centre: &Centre, critical: f64) -> f64 {
    let guide = |shift: f64| trial.at(shift).evidence().min(MOST_EVIDENCE) + critical;
    let step = centre.deviation * critical.max(0.1);
    let Some(mut bracket) = bracket(centre.shift, step, guide) else { return f64::INFINITY };
    bracket.narrow(guide, |bracket| PRECISION * (bracket.outside.0 - centre.shift));
    bracket.outside.0.max(centre.shift)
}
