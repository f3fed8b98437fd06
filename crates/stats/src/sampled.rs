//! Profiles made of samples: the share of a function in the time of one program, and the change of
//! each function's time from one program to another.
//!
//! Samples of one run are not independent: a clock with a period is anything but a coin, phases of a
//! program follow each other, and whatever slows a run slows all of it. So runs are the units. The
//! sampling itself adds at least as much as independent samples would; this bound matters where few
//! runs happen to agree by chance.

use crate::binomial::proportion_interval;
use crate::family::allocate;
use crate::interval::Interval;
use crate::student::two_sided;

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
/// the rounds' differences and Student's t, with at least the error of independent samples. None
/// with fewer than two rounds.
#[must_use]
pub fn change(before: &[RunSamples], after: &[RunSamples], alpha: f64) -> Option<Interval> {
    let differences: Vec<f64> =
        before.iter().zip(after).map(|(b, a)| a.seconds() - b.seconds()).collect();
    let rounds = differences.len() as f64;
    if differences.len() < 2 {
        return None;
    }
    let estimate = differences.iter().sum::<f64>() / rounds;
    let squares: f64 = differences.iter().map(|it| (it - estimate).powi(2)).sum();
    let of_rounds = squares / (rounds - 1.0) / rounds;
    let both = before.iter().chain(after);
    let of_samples = both.map(|run| run.variance()).sum::<f64>() / (rounds * rounds);
    let reach = two_sided(alpha, rounds - 1.0) * of_rounds.max(of_samples).sqrt();
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
}

/// The change of each function, with intervals that all hold together at level `1 - alpha`. None
/// for a function with too few samples or rounds: of those nothing is said.
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
    let judged = functions.iter().zip(parts);
    judged
        .map(|(function, alpha)| {
            let is_judged = alpha > 0.0 && function.before.len() >= LEAST_ROUNDS;
            is_judged.then(|| change(&function.before, &function.after, alpha)).flatten()
        })
        .collect()
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
                _ => change(&runs(&first, number(3)), &runs(&second, number(4)), number(5)),
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
