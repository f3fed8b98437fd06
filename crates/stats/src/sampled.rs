//! Profiles made of samples: the share of a function in the time of one program, and the change of
//! each function's time from one program to another.
//!
//! Samples of one run are not independent: a clock with a period is anything but a coin, phases of a
//! program follow each other, and whatever slows a run slows all of it. So runs are the units. The
//! sampling itself adds at least as much as independent samples would; this bound matters where few
//! runs happen to agree by chance.
//!
//! What slows a run, a busy neighbour or a lower clock, is told by the functions that did not
//! change: their times rise together. Changes are compared at one pace of both runs.

use crate::binomial::proportion_interval;
use crate::family::allocate;
use crate::interval::Interval;
use crate::normal;
use crate::order::weighted_median;
use crate::student::{self, two_sided};

/// The samples of a function, or of a whole program, in one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunSamples {
    /// Their number.
    pub samples: u64,
    /// The time that one stands for, in seconds.
    pub period: f64,
}

impl RunSamples {
    fn seconds(self) -> f64 {
        self.samples as f64 * self.period
    }

    /// The variance of [`RunSamples::seconds`] if samples come independently.
    fn variance(self) -> f64 {
        self.samples as f64 * self.period * self.period
    }
}

/// The least number of rounds for a verdict about a difference. If two programs are the same, the
/// differences of `n` rounds all have one sign with probability `2^(1-n)`, which for 6 is 3 %, and
/// no distribution of noise can make that more.
pub const LEAST_ROUNDS: usize = 6;

/// The least number of samples, of both programs and all rounds together, for a verdict about a
/// function.
pub const LEAST_SAMPLES: u64 = 10;

/// A function's share of all samples, with its interval at level `1 - alpha`: the ratio of the
/// sums, its standard error from the runs (the ratio estimator of cluster samples; Cochran,
/// *Sampling Techniques*, 1977, section 6.3) and Student's t, or Clopper and Pearson's interval as
/// if samples were independent, whichever reaches further. With one run only the latter. None
/// without samples.
///
/// `part` and `whole` have a number for each run.
#[must_use]
pub fn share(part: &[u64], whole: &[u64], alpha: f64) -> Option<Interval> {
    let (found, of) = (part.iter().sum::<u64>(), whole.iter().sum::<u64>());
    let (low, high) = proportion_interval(found, of, alpha)?;
    let estimate = found as f64 / of as f64;
    let runs = part.len() as f64;
    let reach = if part.len() < 2 {
        0.0
    } else {
        let residual = |(part, whole): (&u64, &u64)| *part as f64 - estimate * *whole as f64;
        let squares: f64 = part.iter().zip(whole).map(residual).map(|it| it * it).sum();
        let error = (squares * runs / (runs - 1.0)).sqrt() / of as f64;
        two_sided(alpha, runs - 1.0) * error
    };
    Some(Interval {
        estimate,
        low: low.min(estimate - reach).max(0.0),
        high: high.max(estimate + reach).min(1.0),
    })
}

/// The change of the time per run, in seconds, with its interval at level `1 - alpha`: the mean of
/// the rounds' differences and Student's t, or the normal interval of as many independent samples,
/// whichever reaches further. None with fewer than two rounds.
#[must_use]
pub fn change(before: &[RunSamples], after: &[RunSamples], alpha: f64) -> Option<Interval> {
    let differences: Vec<f64> =
        before.iter().zip(after).map(|(b, a)| a.seconds() - b.seconds()).collect();
    let rounds = differences.len() as f64;
    if differences.len() < 2 {
        return None;
    }
    let (estimate, of_rounds) = student::mean(&differences, alpha);
    let variance: f64 = before.iter().chain(after).map(|run| run.variance()).sum();
    let of_samples = normal::two_sided(alpha) * variance.sqrt() / rounds;
    let reach = of_rounds.max(of_samples);
    Some(Interval { estimate, low: estimate - reach, high: estimate + reach })
}

/// The samples of a function in the runs of both programs, by round.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionRounds {
    /// Those of the old program.
    pub before: Vec<RunSamples>,
    /// Those of the new program.
    pub after: Vec<RunSamples>,
}

impl FunctionRounds {
    fn samples(&self) -> u64 {
        self.before.iter().chain(&self.after).map(|run| run.samples).sum()
    }

    /// The logarithm of the ratio of its time after to that before, in this round. None if it was
    /// not seen on both sides.
    fn log_ratio(&self, round: usize) -> Option<f64> {
        let [before, after] = [&self.before, &self.after].map(|side| side[round].seconds());
        (before > 0.0 && after > 0.0).then(|| (after / before).ln())
    }

    /// Its time if both runs of each round had gone at their common pace, each by the square root
    /// of the factor between them.
    fn at_one_pace(&self, paces: &[f64]) -> Self {
        let scaled = |runs: &[RunSamples], power: f64| {
            let runs = runs.iter().zip(paces);
            runs.map(|(run, pace)| RunSamples { period: run.period * (power * pace).exp(), ..*run })
                .collect()
        };
        Self { before: scaled(&self.before, 0.5), after: scaled(&self.after, -0.5) }
    }
}

/// The largest part of the weights that one function may have where functions tell the pace, so
/// that one that changed does not set it.
const HEAVIEST: f64 = 1.0 / 3.0;

/// The pace of the new program's run relative to the old one's in each round, as logarithms: the
/// weighted median of the functions' ratios, each weighted by the square root of its samples (the
/// inverse of its error). None if one function would set it, if a round has no function on
/// both sides, and if the mean pace of all rounds differs from 1 at this level: that is no
/// matter of single runs, the programs differ throughout.
fn paces(functions: &[&FunctionRounds], alpha: f64) -> Option<Vec<f64>> {
    let weights: Vec<f64> = functions.iter().map(|it| (it.samples() as f64).sqrt()).collect();
    let heaviest = weights.iter().copied().fold(0.0, f64::max);
    if heaviest > HEAVIEST * weights.iter().sum::<f64>() {
        return None;
    }
    let pace = |round: usize| {
        let ratios = functions.iter().zip(&weights);
        let ratios: Vec<(f64, f64)> =
            ratios.filter_map(|(it, weight)| Some((it.log_ratio(round)?, *weight))).collect();
        (!ratios.is_empty()).then(|| weighted_median(ratios))
    };
    let rounds = functions.first()?.before.len();
    let paces: Vec<f64> = (0..rounds).map(pace).collect::<Option<_>>()?;
    let (mean, reach) = student::mean(&paces, alpha);
    (mean.abs() <= reach).then_some(paces)
}

/// The change of each function, with intervals that all hold together at level `1 - alpha`. None
/// for a function with too few samples or rounds: of those nothing is said.
///
/// Where the functions tell the pace of each run, changes are those at one pace. A function
/// that changed draws the pace towards itself, so the pace is told once more by the others.
///
/// Each function gets a part of `alpha` in proportion to its samples ([`allocate`]): a change of a
/// program's time is as large as the samples that show it. The weights depend only on both programs
/// together, which an exchange of the two in any round leaves alone, so choosing them costs nothing.
#[must_use]
pub fn changes(functions: &[FunctionRounds], alpha: f64) -> Vec<Option<Interval>> {
    let weight = |function: &FunctionRounds| match function.samples() {
        few if few < LEAST_SAMPLES => 0.0,
        samples => samples as f64,
    };
    let weights: Vec<f64> = functions.iter().map(weight).collect();
    let parts = allocate(alpha, &weights);
    let rounds = functions.first().map_or(0, |function| function.before.len());
    if rounds < LEAST_ROUNDS {
        return vec![None; functions.len()];
    }
    let at_pace_of = |functions_that_tell: &[&FunctionRounds]| -> Vec<Option<Interval>> {
        let paces = paces(functions_that_tell, alpha).unwrap_or_else(|| vec![0.0; rounds]);
        let judged = functions.iter().zip(&parts);
        judged
            .map(|(function, &alpha)| {
                let FunctionRounds { before, after } = function.at_one_pace(&paces);
                (alpha > 0.0).then(|| change(&before, &after, alpha)).flatten()
            })
            .collect()
    };
    let all: Vec<&FunctionRounds> = functions.iter().collect();
    let by_all = at_pace_of(&all);
    let is_changed = |found: &Option<Interval>| found.is_some_and(Interval::excludes_zero);
    let judged = all.into_iter().zip(&by_all);
    let others: Vec<&FunctionRounds> =
        judged.filter(|(_, found)| !is_changed(found)).map(|(function, _)| function).collect();
    if others.len() == functions.len() { by_all } else { at_pace_of(&others) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(samples: &[u64], period: f64) -> Vec<RunSamples> {
        samples.iter().map(|&samples| RunSamples { samples, period }).collect()
    }

    fn numbers(cell: &str) -> Vec<u64> {
        cell.split(' ').map(|number| number.parse().expect("a number")).collect()
    }

    /// `tests/reference/sampled.py` computes the table by other formulas.
    #[test]
    fn intervals_agree_with_those_of_an_independent_script() {
        let table = include_str!("../tests/reference/sampled.csv");
        let mut kinds = [0, 0];
        for line in table.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |cell: usize| cells[cell].parse::<f64>().expect("a number");
            let (first, second) = (numbers(cells[1]), numbers(cells[2]));
            let found = match cells[0] {
                "share" => share(&first, &second, number(5)),
                "change" => change(&runs(&first, number(3)), &runs(&second, number(4)), number(5)),
                _ => continue,
            };
            kinds[usize::from(cells[0] == "share")] += 1;
            let found = found.expect("there are samples");
            for (found, known) in [(found.estimate, 6), (found.low, 7), (found.high, 8)]
                .map(|it| (it.0, number(it.1)))
            {
                assert!((found - known).abs() <= 1e-9 * known.abs().max(1e-3), "{line}: {found}");
            }
        }
        assert!(kinds[0] >= 5 && kinds[1] >= 5);
    }

    /// The same script has the functions of whole programs: told at the pace of their runs, slower
    /// throughout, with a function that would set the pace, and with one that a run did not see.
    #[test]
    fn changes_at_one_pace_agree_with_those_of_an_independent_script() {
        let table = include_str!("../tests/reference/sampled.csv");
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
        let mut programs: Vec<&[Vec<&str>]> = lines.chunk_by(|a, b| a[0] == b[0]).collect();
        programs.retain(|lines| lines[0][0].starts_with("program "));
        assert_eq!(programs.len(), 4);
        for lines in programs {
            let side = |cell: &str| runs(&numbers(cell), 0.001);
            let functions: Vec<FunctionRounds> = lines
                .iter()
                .map(|cells| FunctionRounds { before: side(cells[1]), after: side(cells[2]) })
                .collect();
            for (found, cells) in changes(&functions, 0.05).into_iter().zip(lines) {
                let found = found.expect("samples in six rounds");
                for (found, known) in
                    [found.estimate, found.low, found.high].iter().zip(&cells[6..])
                {
                    let known: f64 = known.parse().expect("a number");
                    assert!((found - known).abs() <= 1e-9, "{cells:?}: {found}");
                }
            }
        }
    }

    #[test]
    fn swapped_programs_have_the_opposite_change() {
        let (a, b) = (runs(&[90, 100, 95], 0.001), runs(&[120, 118, 130], 0.0011));
        let there = change(&a, &b, 0.05).expect("rounds");
        let back = change(&b, &a, 0.05).expect("rounds");
        assert_eq!((there.estimate, there.low), (-back.estimate, -back.high));
    }

    #[test]
    fn runs_that_agree_by_chance_are_not_certain() {
        let few = change(&runs(&[3; 6], 0.001), &runs(&[4; 6], 0.001), 0.05).expect("rounds");
        assert!(!few.excludes_zero(), "{few:?}");
        let many =
            change(&runs(&[3000; 6], 0.001), &runs(&[4000; 6], 0.001), 0.05).expect("rounds");
        assert!(many.excludes_zero());
    }

    #[test]
    fn shares_stay_between_nothing_and_all() {
        let none = share(&[0, 0, 0], &[500, 510, 490], 0.05).expect("samples");
        assert!(none.low == 0.0 && none.high > 0.0 && none.high < 0.01);
        let all = share(&[500, 510], &[500, 510], 0.05).expect("samples");
        assert!(all.high == 1.0 && all.low < 1.0 && all.low > 0.99);
        assert_eq!(share(&[0], &[0], 0.05), None);
        assert_eq!(share(&[], &[], 0.05), None);
    }

    #[test]
    fn of_rare_functions_and_few_rounds_nothing_is_said() {
        let function = |before: &[u64], after: &[u64]| FunctionRounds {
            before: runs(before, 0.001),
            after: runs(after, 0.001),
        };
        let found = changes(&[function(&[500; 6], &[900; 6]), function(&[0; 6], &[1; 6])], 0.05);
        assert!(found[0].is_some_and(Interval::excludes_zero));
        assert_eq!(found[1], None);
        assert_eq!(changes(&[function(&[500; 5], &[900; 5])], 0.05), [None]);
    }
}
