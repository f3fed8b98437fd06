//! Trials of many proposals that change nothing: the rate at which any of them is kept.

use stats::online::{Errors, next_level};
use stats::sequential::{Boundary, Spending, information, next_look};
use stats::{Estimator, paired_ratio};

use crate::noise::{Chance, Noise, REAL, rate, rounds, standard_error};

const PROPOSALS: usize = 40;
const TRIALS: u64 = 200;
const MOST_ROUNDS: usize = 40;
const FEWEST_ROUNDS: usize = 10;

/// The order of proposals, which may depend on everything that was found.
#[derive(Debug, Clone, Copy)]
enum Proposer {
    /// Each proposal is new.
    Fresh,
    /// The one that looked best is submitted again and again.
    Luckiest,
    /// What looked better is refined, and the noise that made it so is sought.
    Refining,
}

/// The level of each test.
#[derive(Debug, Clone, Copy)]
enum Level {
    Allotted(Errors),
    /// 5 % for each, as if it were the only one.
    Usual,
}

/// The estimate at the look at which a proposal of equal speed stops, and true if it is kept.
fn measured(noise: Noise, level: f64, chance: &mut Chance) -> (f64, bool) {
    let (old, new) = rounds(noise, MOST_ROUNDS, 1.0, chance);
    // A level is one-sided, and a boundary has two sides.
    let mut boundary = Boundary::new(2.0 * level, Spending::Power(1.0));
    let (mut done, mut last) = (0, 1.0);
    while done < MOST_ROUNDS {
        done = next_look(done, FEWEST_ROUNDS).min(MOST_ROUNDS);
        let clock = done as f64 / MOST_ROUNDS as f64;
        let look = boundary.look(information(Estimator::RankScores, done), clock);
        let estimate =
            paired_ratio(&old[..done], &new[..done], Estimator::RankScores, look.nominal_alpha);
        let estimate = estimate.expect("positive");
        last = estimate.ratio;
        if estimate.high < 1.0 {
            return (last, true);
        }
    }
    (last, false)
}

/// The number kept in a trial.
fn kept(proposer: Proposer, level: Level, chance: &mut Chance) -> usize {
    let mut findings: Vec<bool> = Vec::new();
    let mut best = (f64::INFINITY, REAL[0]);
    for _ in 0..PROPOSALS {
        let fresh = REAL[usize::from(chance.coin())];
        let noise = match proposer {
            Proposer::Fresh => fresh,
            Proposer::Luckiest => best.1,
            Proposer::Refining if best.0 < 0.998 => best.1,
            Proposer::Refining => fresh,
        };
        let level = match level {
            Level::Allotted(errors) => next_level(errors, 0.05, &findings),
            Level::Usual => 0.05,
        };
        let (ratio, is_kept) = measured(noise, level, chance);
        if ratio < best.0 {
            best = (ratio, noise);
        }
        findings.push(is_kept);
    }
    findings.iter().filter(|found| **found).count()
}

#[test]
fn of_trials_that_change_nothing_one_in_twenty_keeps_anything() {
    let bound = 0.05 + 3.0 * standard_error(0.05, TRIALS);
    for (proposer, errors) in [
        (Proposer::Fresh, Errors::Any),
        (Proposer::Luckiest, Errors::Any),
        (Proposer::Refining, Errors::Any),
        (Proposer::Refining, Errors::Rate),
    ] {
        let any = |chance: &mut Chance| kept(proposer, Level::Allotted(errors), chance) > 0;
        let wrong = rate(TRIALS, 38, any);
        println!("anything kept, {proposer:?}, {errors:?}: {:.1} %", 100.0 * wrong);
        // Without a true gain the rate of false ones is the probability of any.
        assert!(wrong <= bound, "{proposer:?}, {errors:?}: {wrong}");
    }
    let naive = rate(TRIALS / 4, 38, |chance| kept(Proposer::Fresh, Level::Usual, chance) > 0);
    println!("anything kept, at 5 % each: {:.1} %", 100.0 * naive);
    assert!(naive > 0.5, "the simulation would not notice: {naive}");
}
