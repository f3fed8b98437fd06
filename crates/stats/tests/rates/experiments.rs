//! Experiments with time between them: the rates at which equal ones are taken for a change, and a
//! change is found. Each experiment has its own effect that no number of its rounds averages out.

use stats::estimate::{Estimator, RatioEstimate, paired_ratio};
use stats::unpaired::{ExperimentLevel, ratio_to_stored};

use crate::noise::{Chance, rate, standard_error};

/// The differences between experiments, with a standard deviation of about 1 %.
#[derive(Debug, Clone, Copy)]
enum Between {
    Normal,
    /// Student's t with 3 degrees of freedom.
    HeavyTails,
    /// Only ever slower, by an exponential amount.
    Slower,
    /// No differences: there is only the noise of the rounds.
    Nothing,
}

/// The spread of the rounds of one experiment.
const WITHIN: f64 = 0.02;

/// The logarithms of the runs of one experiment.
fn experiment(kind: Between, rounds: usize, chance: &mut Chance) -> Vec<f64> {
    let own = match kind {
        Between::Normal => 0.01 * chance.normal(),
        Between::HeavyTails => 0.01 * chance.student(3) / 3.0_f64.sqrt(),
        Between::Slower => -0.01 * chance.uniform().ln(),
        Between::Nothing => 0.0,
    };
    (0..rounds).map(|_| own + WITHIN * chance.normal()).collect()
}

/// The estimate of a report: the median, and its standard error by the normal approximation.
fn level(logs: &[f64]) -> ExperimentLevel {
    let mut sorted = logs.to_vec();
    sorted.sort_by(f64::total_cmp);
    let value = f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]).exp();
    let error = 1.253 * WITHIN / (logs.len() as f64).sqrt();
    ExperimentLevel { value, relative_error: error }
}

/// The rate at which a change is found against one of `stored` stored experiments of 30 rounds, if
/// the new one has `rounds` and its command takes `ratio` times as long as the stored one.
fn found(kind: Between, stored: usize, rounds: usize, (ratio, alpha): (f64, f64)) -> f64 {
    rate(TRIALS, (stored * 1000 + rounds) as u64, |chance| {
        let own = level(&experiment(kind, 30, chance));
        let further: Vec<f64> =
            (1..stored).map(|_| level(&experiment(kind, 30, chance)).value).collect();
        let mut new = level(&experiment(kind, rounds, chance));
        new.value *= ratio;
        ratio_to_stored(new, own, &further, alpha).expect("a ratio").excludes_one()
    })
}

const TRIALS: u64 = 5_000;

/// One comparison, and the share of wall time in three comparisons with five metrics.
const ALPHAS: [f64; 2] = [0.05, 0.008];

#[test]
fn another_experiment_of_the_same_command_is_seldom_a_change() {
    let kinds = [Between::Normal, Between::HeavyTails, Between::Slower, Between::Nothing];
    for alpha in ALPHAS {
        for kind in kinds {
            for stored in [2, 3, 5, 10] {
                for rounds in [10, 100] {
                    let rate = found(kind, stored, rounds, (1.0, alpha));
                    println!(
                        "{kind:?}, {stored} stored, {rounds} rounds at {alpha}: {:.2} %",
                        100.0 * rate
                    );
                    let bound = alpha + 3.0 * standard_error(alpha, TRIALS);
                    assert!(rate <= bound, "{kind:?} {stored} {rounds} {rate}");
                }
            }
        }
    }
}

#[test]
fn a_change_of_twenty_times_the_spread_is_found() {
    for stored in [3, 5, 10] {
        let rate = found(Between::Normal, stored, 30, (1.2, 0.05));
        println!("20 % more, {stored} stored: {:.1} %", 100.0 * rate);
        assert!(rate > 0.8, "{stored} {rate}");
    }
}

/// The reason why rounds of different experiments are not paired, at any number.
#[test]
fn pairing_the_rounds_of_two_experiments_is_wrong_far_more_often_than_it_says() {
    let rate = rate(500, 7, |chance| {
        let [old, new] = [(); 2].map(|()| experiment(Between::Normal, 100, chance));
        let times = |logs: &[f64]| logs.iter().map(|log| log.exp()).collect::<Vec<f64>>();
        let estimate: RatioEstimate =
            paired_ratio(&times(&old), &times(&new), Estimator::RankScores, 0.05).expect("a ratio");
        estimate.excludes_one()
    });
    println!("paired: {:.0} %", 100.0 * rate);
    assert!(rate > 0.5, "{rate}");
}
