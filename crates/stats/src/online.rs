//! Many tests one after another, without an end that is known beforehand: the level of each next one.
//!
//! Proposals may depend on everything that was found so far, and somebody may submit the luckiest one
//! again. That does no harm as long as each test takes fresh measurements: then its p-value is valid
//! given the whole past (superuniform under its hypothesis), whatever the past chose, and the level
//! must only be fixed before the measurements are taken.
//!
//! * [`Errors::Any`] bounds the probability that anything worthless is kept: the online fallback of
//!   Tian and Ramdas, "Online control of the familywise error rate" (*Statistical Methods in Medical
//!   Research* 30, 2021). The levels are parts of a summable sequence; the level of a test that found
//!   something goes to the next one. Until the first false finding every finding is true, so the
//!   levels of worthless proposals up to there sum to at most `alpha`.
//! * [`Errors::Rate`] bounds the rate of worthless ones among all that are kept: LORD++ of Ramdas,
//!   Yang, Wainwright and Jordan, "Online control of the false discovery rate with decaying memory"
//!   (*NIPS* 2017). With p-values that are valid given the past it bounds the marginal rate (the
//!   expected number of false findings over the expected number of findings); the rate itself, if
//!   they are independent, too.

/// The error that many tests may make together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// The probability that any finding is false.
    Any,
    /// The rate of false ones among the findings.
    Rate,
}

/// The exponent of the sequence of levels. Anything above 1 has a finite sum; 1.6 is the exponent of
/// the simulations of Tian and Ramdas.
const EXPONENT: f64 = 1.6;

/// The sum of `j^-1.6`, Riemann's zeta function at 1.6 (`reference/online.py`).
const ZETA: f64 = 2.285_765_665_680;

/// The factor that makes the sequence of LORD++ sum to 1 (`reference/online.py`); the sequence,
/// `log(max(j, 2)) / (j exp(sqrt(log j)))`, is that of Javanmard and Montanari (*Annals of Statistics*
/// 46, 2018).
const LORD: f64 = 0.079_081_967;

/// The part of `alpha` that LORD++ starts with; the usual half.
const START: f64 = 0.5;

/// The level for the test that follows these findings: for each earlier test, in their order, true
/// if it found something. One-sided, in `(0, alpha)`.
#[must_use]
pub fn next_level(errors: Errors, alpha: f64, findings: &[bool]) -> f64 {
    match errors {
        Errors::Any => fallback(alpha, findings),
        Errors::Rate => lord(alpha, findings),
    }
}

/// The part of `alpha` that remains for later tests, given the findings of all tests so far, as a
/// fraction of it; for [`Errors::Rate`] the part that remains if nothing else is found.
#[must_use]
pub fn left(errors: Errors, alpha: f64, findings: &[bool]) -> f64 {
    // The tail of a summable sequence has no simple sum; what was spent without a finding has.
    let levels = |(test, _): (usize, &bool)| next_level(errors, alpha, &findings[..test]);
    let is_spent = |(_, found): &(usize, &bool)| errors == Errors::Rate || !**found;
    let spent: f64 = findings.iter().enumerate().filter(is_spent).map(levels).sum();
    let earned = match errors {
        Errors::Any => alpha,
        Errors::Rate => {
            let count = findings.iter().filter(|found| **found).count() as f64;
            let first = if count > 0.0 { (1.0 - START) * alpha } else { 0.0 };
            START * alpha + first + (count - 1.0).max(0.0) * alpha
        }
    };
    ((earned - spent) / alpha).max(0.0)
}

fn fallback(alpha: f64, findings: &[bool]) -> f64 {
    let own = |number: usize| alpha * (number as f64).powf(-EXPONENT) / ZETA;
    let next = findings.len() + 1;
    // A test that found something hands on its whole level, which includes what it was handed.
    let run = findings.iter().rev().take_while(|found| **found).count();
    (next - run..=next).map(own).sum()
}

fn lord(alpha: f64, findings: &[bool]) -> f64 {
    let gamma = |age: usize| {
        let age = age as f64;
        LORD * age.max(2.0).ln() / (age * age.ln().sqrt().exp())
    };
    let next = findings.len() + 1;
    let mut level = START * alpha * gamma(next);
    let found = findings.iter().enumerate().filter(|(_, found)| **found);
    for (number, (test, _)) in found.enumerate() {
        let reward = if number == 0 { (1.0 - START) * alpha } else { alpha };
        level += reward * gamma(next - (test + 1));
    }
    level
}
