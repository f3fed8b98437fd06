//! Error rates when every interval is looked at while the experiment grows.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use stats::sequential::{Boundary, Look, Spending, information, next_look};
use stats::{Estimator, RatioEstimate, paired_ratio, rank_scores};

use crate::noise::{ALL, Chance, Noise, REAL, rate, rounds, standard_error};

const MOST_ROUNDS: usize = 500;
const FEWEST_ROUNDS: usize = 10;

/// The looks of an experiment of at most 500 rounds; they do not depend on the readings.
fn looks(information: impl Fn(usize) -> f64) -> Vec<(usize, Look)> {
    let mut boundary = Boundary::new(0.05, Spending::Power(1.0));
    let mut looks: Vec<(usize, Look)> = Vec::new();
    while looks.last().is_none_or(|last| last.0 < MOST_ROUNDS) {
        let done = looks.last().map_or(0, |last| last.0);
        let rounds = next_look(done, FEWEST_ROUNDS).min(MOST_ROUNDS);
        let clock = rounds as f64 / MOST_ROUNDS as f64;
        looks.push((rounds, boundary.look(information(rounds), clock)));
    }
    looks
}

/// The stopping rule.
#[derive(Clone, Copy, PartialEq)]
enum Stop {
    /// Stop when the interval excludes 1.
    Different,
    /// Also stop when it fits within 1 % of 1.
    DifferentOrUnchanged,
}

/// The interval at the look at which the experiment stops.
fn stopped(
    (noise, ratio): (Noise, f64),
    estimator: Estimator,
    looks: &[(usize, Look)],
    (stop, chance): (Stop, &mut Chance),
) -> RatioEstimate {
    let (baseline, candidate) = rounds(noise, MOST_ROUNDS, ratio, chance);
    let at = |&(rounds, look): &(usize, Look)| {
        let alpha = look.nominal_alpha;
        paired_ratio(&baseline[..rounds], &candidate[..rounds], estimator, alpha).expect("positive")
    };
    let settled = |estimate: &RatioEstimate| {
        let unchanged = estimate.low > 0.99 && estimate.high < 1.01;
        estimate.excludes_one() || (unchanged && stop == Stop::DifferentOrUnchanged)
    };
    looks.iter().map(at).find(settled).unwrap_or_else(|| at(&looks[looks.len() - 1]))
}

/// The rate of findings among experiments of equal variants.
fn false_verdicts(
    estimator: Estimator,
    noise: Noise,
    looks: &[(usize, Look)],
    stop: Stop,
    experiments: u64,
) -> f64 {
    rate(experiments, 77, |chance| {
        stopped((noise, 1.0), estimator, looks, (stop, chance)).excludes_one()
    })
}

#[test]
fn looking_again_and_again_gives_five_false_verdicts_in_a_hundred_at_most() {
    const EXPERIMENTS: u64 = 2000;
    let bound = 0.05 + 3.0 * standard_error(0.05, EXPERIMENTS);
    let looks = looks(|rounds| information(Estimator::PseudoMedian, rounds));
    for noise in ALL {
        for stop in [Stop::Different, Stop::DifferentOrUnchanged] {
            let wrong = false_verdicts(Estimator::PseudoMedian, noise, &looks, stop, EXPERIMENTS);
            let rule = if stop == Stop::Different { "different" } else { "or unchanged" };
            println!("false verdicts, {noise:?}, {rule}: {:.2} %", 100.0 * wrong);
            assert!(wrong <= bound, "{noise:?}, {rule}: {wrong}");
        }
    }
}

#[test]
fn the_other_estimators_keep_the_level_too() {
    const EXPERIMENTS: u64 = 2000;
    let bound = 0.05 + 3.0 * standard_error(0.05, EXPERIMENTS);
    for estimator in [Estimator::Median, Estimator::Mean, Estimator::Min] {
        let looks = looks(|rounds| information(estimator, rounds));
        for noise in ALL {
            let wrong = false_verdicts(estimator, noise, &looks, Stop::Different, EXPERIMENTS);
            println!("false verdicts, {estimator:?}, {noise:?}: {:.2} %", 100.0 * wrong);
            assert!(wrong <= bound, "{estimator:?}, {noise:?}: {wrong}");
        }
    }
}

#[test]
fn information_by_rounds_alone_is_too_little_when_the_noise_grows() {
    // The reason for the cube in `information`: the usual number of rounds exceeds the level.
    let by_rounds = looks(|rounds| rounds as f64);
    let wrong =
        |noise| false_verdicts(Estimator::PseudoMedian, noise, &by_rounds, Stop::Different, 6000);
    let (steady, growing) = (wrong(Noise::Normal), wrong(Noise::Growing));
    println!("false verdicts with information = rounds: steady {steady:.4}, growing {growing:.4}");
    assert!(steady <= 0.05 + 3.0 * standard_error(0.05, 6000), "{steady}");
    assert!(growing > 0.05 + 3.0 * standard_error(0.05, 6000), "{growing}");
}

#[test]
fn the_interval_at_which_one_stops_holds_the_truth() {
    const EXPERIMENTS: u64 = 1000;
    let looks = looks(|rounds| information(Estimator::PseudoMedian, rounds));
    for noise in ALL {
        for ratio in [1.005, 1.05] {
            let looks_taken = AtomicU64::new(0);
            let covered = rate(EXPERIMENTS, 5, |chance| {
                let stop = (Stop::DifferentOrUnchanged, chance);
                let estimate = stopped((noise, ratio), Estimator::PseudoMedian, &looks, stop);
                looks_taken.fetch_add(estimate.rounds as u64, Ordering::Relaxed);
                estimate.low <= ratio && ratio <= estimate.high
            });
            let mean_rounds = looks_taken.load(Ordering::Relaxed) / EXPERIMENTS;
            let per_cent = 100.0 * covered;
            println!(
                "held when stopped, {noise:?}, {ratio}: {per_cent:.2} %, {mean_rounds} rounds"
            );
            let bound = 0.95 - 3.0 * standard_error(0.05, EXPERIMENTS);
            assert!(covered >= bound, "{noise:?}, {ratio}: {covered}");
        }
    }
}

#[test]
fn without_a_boundary_looking_again_and_again_is_wrong_far_too_often() {
    let naive = looks(|rounds| rounds as f64)
        .into_iter()
        .map(|(rounds, look)| (rounds, Look { nominal_alpha: 0.05, ..look }));
    let naive: Vec<(usize, Look)> = naive.collect();
    let wrong =
        false_verdicts(Estimator::PseudoMedian, Noise::Normal, &naive, Stop::Different, 3000);
    println!("false verdicts at 5 % a look: {:.2} %", 100.0 * wrong);
    assert!(wrong > 0.2, "{wrong}");
}

/// The rate at which the test of the rank scores rejects equal variants at any of the looks. The
/// interval excludes 1 only if the test rejects.
fn rejections(noise: Noise, looks: &[(usize, Look)], experiments: u64) -> f64 {
    rate(experiments, 78, |chance| {
        let (baseline, candidate) = rounds(noise, MOST_ROUNDS, 1.0, chance);
        looks.iter().any(|&(rounds, look)| {
            rank_scores::p_value(&baseline[..rounds], &candidate[..rounds]) <= look.nominal_alpha
        })
    })
}

#[test]
fn rank_scores_looked_at_again_and_again_err_in_five_of_a_hundred_at_most() {
    const EXPERIMENTS: u64 = 3000;
    let bound = 0.05 + 3.0 * standard_error(0.05, EXPERIMENTS);
    let looks = looks(|rounds| information(Estimator::RankScores, rounds));
    for noise in ALL.into_iter().chain(REAL) {
        let wrong = rejections(noise, &looks, EXPERIMENTS);
        println!("rank scores with {} looks, {noise:?}: {:.2} %", looks.len(), 100.0 * wrong);
        assert!(wrong <= bound, "{noise:?}: {wrong}");
    }
}

#[test]
fn information_by_rounds_is_too_little_for_rank_scores_when_the_noise_grows() {
    const EXPERIMENTS: u64 = 6000;
    let looks = looks(|rounds| rounds as f64);
    let wrong = rejections(Noise::Growing, &looks, EXPERIMENTS);
    println!("rank scores with information = rounds, growing: {:.2} %", 100.0 * wrong);
    assert!(wrong > 0.05 + 3.0 * standard_error(0.05, EXPERIMENTS), "{wrong}");
}

#[test]
fn the_interval_of_the_rank_scores_at_which_one_stops_holds_the_truth() {
    const EXPERIMENTS: u64 = 300;
    let looks = looks(|rounds| information(Estimator::RankScores, rounds));
    for noise in [Noise::Growing, Noise::Busy] {
        let covered = rate(EXPERIMENTS, 6, |chance| {
            let stop = (Stop::DifferentOrUnchanged, chance);
            let estimate = stopped((noise, 1.01), Estimator::RankScores, &looks, stop);
            estimate.low <= 1.01 && 1.01 <= estimate.high
        });
        println!("rank scores held when stopped, {noise:?}: {:.1} %", 100.0 * covered);
        assert!(covered >= 0.95 - 3.0 * standard_error(0.05, EXPERIMENTS), "{noise:?}: {covered}");
    }
}

/// Shares of the error at the ends of an experiment's stages: a tenth is kept, and each further
/// stage spends half of what is left.
const STAGES: [f64; 4] = [0.9, 0.95, 0.975, 0.9875];

/// The rule for extending an open experiment.
#[derive(Clone, Copy, Debug)]
enum Patience {
    /// Always twice as long.
    Doubles,
    /// A little longer if it was close, otherwise much longer: a user who looks at the interval
    /// first.
    SeesTheInterval,
}

/// The looks of extended experiments. They do not depend on the readings, and take longer to plan
/// than most estimators take to look.
struct Plans {
    estimator: Estimator,
    /// The looks by the budgets of rounds so far.
    looks: Mutex<HashMap<Vec<usize>, Looks>>,
}

/// The looks with their numbers of rounds, from the last budget but one to the last.
type Looks = Arc<[(usize, Look)]>;

impl Plans {
    fn looks(&self, budgets: &[usize]) -> Looks {
        let mut looks = self.looks.lock().expect("planning does not panic");
        looks.entry(budgets.to_vec()).or_insert_with(|| self.plan(budgets).into()).clone()
    }

    fn plan(&self, budgets: &[usize]) -> Vec<(usize, Look)> {
        let mut boundary = Boundary::new(0.05, Spending::Power(1.0));
        let (mut from, mut done, mut looks) = (0.0, 0, Vec::new());
        for (&budget, end) in budgets.iter().zip(STAGES) {
            let begun = done;
            looks.clear();
            while done < budget {
                done = next_look(done, FEWEST_ROUNDS).min(budget);
                let share = (done - begun) as f64 / (budget - begun) as f64;
                let spent = from + (end - from) * share;
                looks.push((done, boundary.look(information(self.estimator, done), spent)));
            }
            from = end;
        }
        looks
    }
}

/// True if an experiment that is extended as long as it is open ends with a finding.
fn goes_on_to_a_finding(
    (plans, noise): (&Plans, Noise),
    patience: Patience,
    chance: &mut Chance,
) -> bool {
    let (baseline, candidate) = rounds(noise, MOST_ROUNDS, 1.0, chance);
    let mut done = 40;
    let mut budgets = Vec::new();
    for _ in STAGES {
        budgets.push(done);
        let mut last = None;
        for &(rounds, look) in plans.looks(&budgets).iter() {
            let (baseline, candidate) = (&baseline[..rounds], &candidate[..rounds]);
            let estimate = paired_ratio(baseline, candidate, plans.estimator, look.nominal_alpha);
            let estimate = estimate.expect("positive");
            if estimate.excludes_one() {
                return true;
            }
            last = Some(estimate);
        }
        let is_close = |estimate: RatioEstimate| {
            // 1 is in the outer fifth of the interval.
            let (low, high) = (estimate.low.ln(), estimate.high.ln());
            low.abs().min(high.abs()) < 0.2 * (high - low)
        };
        done = match (patience, last.map(is_close)) {
            (Patience::SeesTheInterval, Some(true)) => done + done / 4,
            (Patience::SeesTheInterval, _) => 3 * done,
            (Patience::Doubles, _) => 2 * done,
        }
        .min(MOST_ROUNDS);
    }
    false
}

#[test]
fn going_on_with_a_longer_budget_keeps_the_level() {
    // An interval of rank scores takes a hundred times as long as the others.
    let estimators = [
        (Estimator::RankScores, 300),
        (Estimator::PseudoMedian, 2000),
        (Estimator::Median, 2000),
        (Estimator::Mean, 2000),
        (Estimator::Min, 2000),
    ];
    for (estimator, experiments) in estimators {
        let plans = Plans { estimator, looks: Mutex::default() };
        let bound = 0.05 + 3.0 * standard_error(0.05, experiments);
        for noise in [Noise::Normal, Noise::Growing] {
            for patience in [Patience::Doubles, Patience::SeesTheInterval] {
                let wrong = rate(experiments, 31, |chance| {
                    goes_on_to_a_finding((&plans, noise), patience, chance)
                });
                let of = format!("{estimator:?}, {noise:?}, {patience:?}");
                println!("false verdicts of what goes on, {of}: {:.2} %", 100.0 * wrong);
                assert!(wrong <= bound, "{of}: {wrong}");
            }
        }
    }
}

/// The reason why spent error must stay spent: beginning anew with each budget errs too often.
#[test]
fn beginning_the_error_anew_with_each_budget_is_wrong_too_often() {
    const EXPERIMENTS: u64 = 4000;
    let wrong = rate(EXPERIMENTS, 32, |chance| {
        let (baseline, candidate) = rounds(Noise::Normal, 320, 1.0, chance);
        [40, 80, 160, 320].into_iter().any(|done| {
            let (baseline, candidate) = (&baseline[..done], &candidate[..done]);
            let estimate = paired_ratio(baseline, candidate, Estimator::PseudoMedian, 0.05);
            estimate.expect("positive").excludes_one()
        })
    });
    println!("false verdicts, all of the error with each budget: {:.2} %", 100.0 * wrong);
    assert!(wrong > 0.05 + 3.0 * standard_error(0.05, EXPERIMENTS), "{wrong}");
}
