//! Benchmarks claimed to be made of others, judged against these.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stats::parts::{self, Finding, Part, Precision};

use model::design::contrasts::Made;

/// The relative difference from the whole up to which a sum does not contradict it: calls and loops
/// cost something, and a part by itself finds its data elsewhere.
pub const MARGIN: f64 = 0.05;

/// The outcome of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The parts contradict the whole.
    Contradiction,
    /// The parts agree with the whole.
    Agreement,
    /// The interval leaves both open.
    Undecided,
}

/// The sum of the parts against the whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct PartsAgainstWhole {
    /// The program, by its index.
    pub program: usize,
    /// The claim, as typed.
    pub claim: String,
    /// The whole, by its index in the suite.
    pub whole: usize,
    /// The time of the parts together, in multiples of the whole.
    pub ratio: f64,
    /// The lower end of the ratio's interval.
    pub low: f64,
    /// The upper end of the ratio's interval.
    pub high: f64,
    /// The number of rounds it is based on.
    pub rounds: usize,
    /// The outcome.
    pub outcome: Outcome,
}

/// Judges a claim; `seconds` are the times of each benchmark of the program in each round, by its
/// index in the suite. `None` with fewer than two rounds with the whole and all parts. `alpha` is
/// the permitted error.
pub fn judge(
    program: usize,
    made: &Made,
    seconds: &BTreeMap<usize, BTreeMap<u32, f64>>,
    alpha: f64,
) -> Option<PartsAgainstWhole> {
    let whole = seconds.get(&made.whole)?;
    let of_parts: Vec<(f64, &BTreeMap<u32, f64>)> = made
        .parts
        .iter()
        .map(|(times, part)| Some((*times, seconds.get(part)?)))
        .collect::<Option<_>>()?;
    let has_all = |round: &&u32| of_parts.iter().all(|(_, part)| part.contains_key(round));
    let rounds: Vec<u32> = whole.keys().filter(has_all).copied().collect();
    let in_rounds = |of: &BTreeMap<u32, f64>| rounds.iter().map(|round| of[round]).collect();
    let parts: Vec<Part> = of_parts
        .into_iter()
        .map(|(times, part)| Part { times, estimates: in_rounds(part) })
        .collect();
    let whole: Vec<f64> = in_rounds(whole);
    let precision = Precision { alpha, margin: MARGIN };
    let found = parts::parts_against_whole(&whole, &parts, made.claim, precision).ok()?;
    Some(PartsAgainstWhole {
        program,
        claim: made.text.clone(),
        whole: made.whole,
        ratio: found.ratio,
        low: found.low,
        high: found.high,
        rounds: found.rounds,
        outcome: match found.finding {
            Finding::Contradiction => Outcome::Contradiction,
            Finding::Agreement => Outcome::Agreement,
            Finding::Undecided => Outcome::Undecided,
        },
    })
}

#[cfg(test)]
mod tests {
    use stats::parts::Claim;

    use super::*;

    fn made(claim: Claim) -> Made {
        Made { text: "whole = 6 * step".to_owned(), whole: 0, claim, parts: vec![(6.0, 1)] }
    }

    fn seconds(whole: f64, step: f64) -> BTreeMap<usize, BTreeMap<u32, f64>> {
        let of =
            |base: f64| (0..10).map(move |round| (round, base * (1.0 + f64::from(round) * 1e-4)));
        [(0, of(whole).collect()), (1, of(step).collect())].into()
    }

    #[test]
    fn six_steps_that_take_longer_than_the_whole_contradict_it() {
        let outcome = |claim, whole, step| {
            let judged = judge(0, &made(claim), &seconds(whole, step), 0.05).expect("ten rounds");
            (judged.outcome, (judged.ratio * 100.0).round() / 100.0)
        };
        assert_eq!(outcome(Claim::Sum, 6.0, 1.0), (Outcome::Agreement, 1.0));
        assert_eq!(outcome(Claim::Sum, 6.0, 2.6), (Outcome::Contradiction, 2.6));
        assert_eq!(outcome(Claim::Sum, 12.0, 1.0), (Outcome::Contradiction, 0.5));
        assert_eq!(outcome(Claim::AtLeastSum, 12.0, 1.0), (Outcome::Agreement, 0.5));
    }

    #[test]
    fn only_rounds_with_all_of_them_count() {
        let mut some = seconds(6.0, 1.0);
        some.get_mut(&1).expect("the step").retain(|round, _| *round < 3);
        assert_eq!(judge(0, &made(Claim::Sum), &some, 0.05).map(|one| one.rounds), Some(3));
        some.remove(&1);
        assert_eq!(judge(0, &made(Claim::Sum), &some, 0.05), None);
    }
}
