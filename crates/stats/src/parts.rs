//! A benchmark that is declared as the sum of others, compared with the sum of its parts.
//!
//! If a transform calls a step six times, it should take six times as long as the step's own
//! benchmark. Otherwise one of the benchmarks measures something else than its name suggests: the
//! step alone finds its input in the cache, or pays for memory that the whole reuses. The
//! comparison is made within rounds, in each of which the whole and every part ran in fresh
//! processes, and the interval comes from the rounds ([`crate::processes`]).

use crate::processes::centre;

/// One of the parts of a benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The number of times the whole contains it.
    pub times: f64,
    /// The estimates of the part by itself, by round.
    pub estimates: Vec<f64>,
}

/// The claimed relation of parts and whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Claim {
    /// The whole consists of exactly its parts.
    Sum,
    /// The whole contains its parts, and may do more.
    AtLeastSum,
}

/// The verdict on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Finding {
    /// The sum differs from the whole by more than the margin, in a direction that the claim
    /// excludes.
    Contradiction,
    /// The sum agrees with the whole up to the margin, or is below it where the claim allows that.
    Agreement,
    /// The interval leaves both open.
    Undecided,
}

/// The sum of the parts against the whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartsAgainstWhole {
    /// The sum of the parts over the whole: 2 when the parts take twice as long.
    pub ratio: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The number of rounds it rests on.
    pub rounds: usize,
    /// The verdict on the claim.
    pub finding: Finding,
}

/// The reason why parts and whole cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are; indices begin at 0")]
pub enum PartsError {
    #[error("the whole has no parts")]
    NoParts,
    #[error("part {part} is contained {times} times, not a positive number")]
    NotANumberOfTimes { part: usize, times: f64 },
    #[error("part {part} has {rounds} rounds and the whole {whole}")]
    UnequalRounds { part: usize, rounds: usize, whole: usize },
    #[error("an interval needs at least 2 rounds, and there are {0}")]
    TooFewRounds(usize),
    #[error("round {round} has the estimate {value}, not a positive number")]
    NotPositive { round: usize, value: f64 },
    #[error("alpha is {alpha} and the margin {margin}; both must be between 0 and 1")]
    NoLevel { alpha: f64, margin: f64 },
}

/// The precision of the judgement of a claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// The probability that the interval misses the ratio.
    pub alpha: f64,
    /// The tolerated difference between sum and whole, as a fraction of the whole: 0.05 for 5 %.
    pub margin: f64,
}

/// Compares the sum of `parts` with `whole`, its estimates by round.
///
/// # Errors
///
/// When there are no parts, or fewer than two rounds; rounds are missing; a number of times or an
/// estimate is not finite and positive; or the precision makes no sense.
pub fn parts_against_whole(
    whole: &[f64],
    parts: &[Part],
    claim: Claim,
    precision: Precision,
) -> Result<PartsAgainstWhole, PartsError> {
    check(whole, parts, precision)?;
    let sum =
        |round: usize| -> f64 { parts.iter().map(|part| part.times * part.estimates[round]).sum() };
    let logarithms: Vec<f64> =
        whole.iter().enumerate().map(|(round, whole)| sum(round).ln() - whole.ln()).collect();
    let interval = centre(&logarithms, precision.alpha);
    let (low, high) = (interval.low.exp(), interval.high.exp());
    let (least, most) = (1.0 - precision.margin, 1.0 + precision.margin);
    let below = high < least;
    let finding = match claim {
        _ if low > most => Finding::Contradiction,
        Claim::Sum if below => Finding::Contradiction,
        Claim::Sum if low >= least && high <= most => Finding::Agreement,
        Claim::AtLeastSum if high <= most => Finding::Agreement,
        Claim::Sum | Claim::AtLeastSum => Finding::Undecided,
    };
    Ok(PartsAgainstWhole {
        ratio: interval.estimate.exp(),
        low,
        high,
        rounds: whole.len(),
        finding,
    })
}

fn check(whole: &[f64], parts: &[Part], precision: Precision) -> Result<(), PartsError> {
    let Precision { alpha, margin } = precision;
    if !(0.0..=1.0).contains(&alpha) || !(0.0..1.0).contains(&margin) {
        return Err(PartsError::NoLevel { alpha, margin });
    }
    if parts.is_empty() {
        return Err(PartsError::NoParts);
    }
    if whole.len() < 2 {
        return Err(PartsError::TooFewRounds(whole.len()));
    }
    let positive = |value: f64| value.is_finite() && value > 0.0;
    for (index, Part { times, estimates }) in parts.iter().enumerate() {
        if !positive(*times) {
            return Err(PartsError::NotANumberOfTimes { part: index, times: *times });
        }
        if estimates.len() != whole.len() {
            let (rounds, whole) = (estimates.len(), whole.len());
            return Err(PartsError::UnequalRounds { part: index, rounds, whole });
        }
    }
    let of_parts = parts.iter().flat_map(|part| part.estimates.iter().enumerate());
    let not_positive = whole.iter().enumerate().chain(of_parts).find(|(_, v)| !positive(**v));
    match not_positive {
        Some((round, &value)) => Err(PartsError::NotPositive { round, value }),
        None => Ok(()),
    }
}
