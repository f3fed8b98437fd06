//! Quantiles: their intervals hold for any tails, and equal programs stay equal on any machine.

use std::sync::atomic::{AtomicU64, Ordering};

use stats::quantile::Quantile;
use stats::sequential::{Boundary, Look, Spending, information, next_look};
use stats::{Estimator, RatioEstimate, normal, paired_ratio};

use crate::noise::{ALL, Chance, REAL, rate, rounds, standard_error};

const EXPERIMENTS: u64 = 1000;
const MOST_ROUNDS: usize = 1000;
const FEWEST_ROUNDS: usize = 10;

fn estimator(thousandths: u32) -> (Quantile, Estimator) {
    let which = Quantile::new(thousandths).expect("between 0 and 100 %");
    (which, Estimator::Quantile(which))
}

/// The looks that could find anything.
fn looks(estimator: Estimator) -> Vec<(usize, Look)> {
    let mut boundary = Boundary::new(0.05, Spending::Power(1.0));
    let mut looks: Vec<(usize, Look)> = Vec::new();
    let mut rounds = 0;
    while rounds < MOST_ROUNDS {
        rounds = next_look(rounds, FEWEST_ROUNDS).min(MOST_ROUNDS);
        let mut next = boundary.clone();
        let clock = rounds as f64 / MOST_ROUNDS as f64;
        let look = next.look(information(estimator, rounds), clock);
        if estimator.has_interval(rounds, look.nominal_alpha) {
            boundary = next;
            looks.push((rounds, look));
        }
    }
    looks
}

#[test]
fn looking_at_quantiles_of_equal_programs_gives_five_false_verdicts_in_a_hundred_at_most() {
    for thousandths in [50_000, 90_000, 99_000] {
        let (_, estimator) = estimator(thousandths);
        let looks = looks(estimator);
        for noise in ALL.into_iter().chain(REAL) {
            let wrong = rate(EXPERIMENTS, 41, |chance| {
                let (baseline, candidate) = rounds(noise, MOST_ROUNDS, 1.0, chance);
                let at = |(rounds, look): &(usize, Look)| {
                    let (b, c) = (&baseline[..*rounds], &candidate[..*rounds]);
                    paired_ratio(b, c, estimator, look.nominal_alpha).expect("positive")
                };
                looks.iter().map(at).any(|found| found.excludes_one())
            });
            println!("false verdicts, p{thousandths}, {noise:?}: {:.2} %", 100.0 * wrong);
            let bound = 0.05 + 3.0 * standard_error(0.05, EXPERIMENTS);
            assert!(wrong <= bound, "{thousandths}, {noise:?}: {wrong}");
        }
    }
}

/// Each round has a fast place and a slow one, so the sides differ as much as possible: the
/// intervals of both quantiles, assumed independent, would find a difference of medians in 14 of
/// 100 experiments.
#[test]
fn equal_programs_stay_equal_where_whoever_runs_later_is_slower() {
    for (thousandths, count) in [(50_000, 400), (90_000, 400)] {
        let (_, estimator) = estimator(thousandths);
        let wrong = rate(EXPERIMENTS, 45, |chance| {
            let round = |_| {
                let (first, second) = (chance.uniform(), 1.0 + chance.uniform());
                if chance.coin() { (first, second) } else { (second, first) }
            };
            let (baseline, candidate): (Vec<f64>, Vec<f64>) = (0..count).map(round).unzip();
            paired_ratio(&baseline, &candidate, estimator, 0.05).expect("positive").excludes_one()
        });
        println!("false verdicts, p{thousandths}, by position: {:.2} %", 100.0 * wrong);
        assert!(wrong <= 0.05 + 3.0 * standard_error(0.05, EXPERIMENTS), "{thousandths}: {wrong}");
    }
}

/// The distribution of the logarithm of a reading, by its quantiles.
#[derive(Debug, Clone, Copy)]
enum Tail {
    /// Normal, 1 %.
    Light,
    /// Log-normal, 20 %.
    Wide,
    /// Exponential delays with a mean of 10 %.
    Delays,
    /// Student's t with 2 degrees of freedom, scale 1 %: no variance.
    Heavy,
    /// Three in a hundred take half as long again, and 1 % normal.
    Rare,
}

impl Tail {
    fn quantile(self, p: f64) -> f64 {
        match self {
            Self::Light => 0.01 * normal::quantile(p),
            Self::Wide => 0.2 * normal::quantile(p),
            Self::Delays => -0.1 * (1.0 - p).ln(),
            Self::Heavy => 0.01 * (2.0 * p - 1.0) / (2.0 * p * (1.0 - p)).sqrt(),
            Self::Rare if p < 0.97 => 0.01 * normal::quantile(p / 0.97),
            Self::Rare => 1.5_f64.ln() + 0.01 * normal::quantile((p - 0.97) / 0.03),
        }
    }

    fn draw(self, count: usize, chance: &mut Chance) -> Vec<f64> {
        (0..count).map(|_| self.quantile(chance.uniform()).exp()).collect()
    }
}

const TAILS: [Tail; 5] = [Tail::Light, Tail::Wide, Tail::Delays, Tail::Heavy, Tail::Rare];

#[test]
fn the_interval_of_a_quantile_holds_it_in_95_of_100_whatever_the_distribution() {
    for (thousandths, count) in [(50_000, 50), (90_000, 60), (95_000, 400), (99_000, 400)] {
        let (which, _) = estimator(thousandths);
        for tail in TAILS {
            let truth = tail.quantile(which.probability()).exp();
            let held = rate(EXPERIMENTS, 42, |chance| {
                let (low, high) = which.interval(&tail.draw(count, chance), 0.05);
                low.is_none_or(|low| low <= truth) && high.is_none_or(|high| truth <= high)
            });
            println!("p{thousandths} of {count}, {tail:?}: held {:.1} %", 100.0 * held);
            assert!(held >= 0.95 - 3.0 * standard_error(0.05, EXPERIMENTS), "{tail:?}: {held}");
        }
    }
}

/// Programs with different tails, the use of quantiles.
#[test]
fn the_interval_of_the_ratio_of_quantiles_holds_it_whatever_the_tails() {
    for (thousandths, count) in [(50_000, 50), (90_000, 100), (99_000, 400), (99_000, 2000)] {
        let (which, estimator) = estimator(thousandths);
        for (before, after) in TAILS.into_iter().flat_map(|one| TAILS.map(|other| (one, other))) {
            let at = |tail: Tail| tail.quantile(which.probability()).exp();
            let truth = at(after) / at(before);
            let unbounded = AtomicU64::new(0);
            let held = rate(EXPERIMENTS, 43, |chance| {
                let (b, c) = (before.draw(count, chance), after.draw(count, chance));
                let RatioEstimate { low, high, .. } =
                    paired_ratio(&b, &c, estimator, 0.05).expect("positive");
                unbounded.fetch_add(u64::from(high.is_infinite()), Ordering::Relaxed);
                low <= truth && truth <= high
            });
            println!("p{thousandths} of {count}, {before:?} {after:?}: held {:.2} %", 100.0 * held);
            assert_eq!(unbounded.into_inner(), 0, "there are enough readings");
            let least = 0.95 - 3.0 * standard_error(0.05, EXPERIMENTS);
            assert!(held >= least, "p{thousandths} of {count}, {before:?} {after:?}: {held}");
        }
    }
}

#[test]
fn a_longer_tail_is_found_in_nine_of_ten_experiments_of_a_thousand_rounds() {
    let (_, estimator) = estimator(99_000);
    let found = |slower: f64| {
        rate(400, 44, |chance| {
            let (b, mut c) = (Tail::Delays.draw(1000, chance), Tail::Delays.draw(1000, chance));
            c.iter_mut().for_each(|value| *value = value.powf(slower));
            paired_ratio(&b, &c, estimator, 0.05).expect("positive").low > 1.0
        })
    };
    let (equal, longer) = (found(1.0), found(1.6));
    println!(
        "p99 of 1000: equal {:.1} %, delays 60 % longer {:.1} %",
        100.0 * equal,
        100.0 * longer
    );
    assert!(equal <= 0.05 && longer >= 0.9, "{equal}, {longer}");
}
