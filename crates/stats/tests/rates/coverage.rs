//! The coverage of intervals that are looked at once.

use stats::difference::paired_difference;
use stats::family::allocate;
use stats::{Estimator, paired_ratio, rank_scores, student};

use crate::noise::{ALL, Chance, Noise, REAL, rate, rounds, standard_error, times};

const EXPERIMENTS: u64 = 4000;

/// The rate at which the 95 % interval holds `ratio`.
fn coverage(estimator: Estimator, noise: Noise, count: usize, ratio: f64) -> f64 {
    rate(EXPERIMENTS, count as u64, |chance| {
        let (baseline, candidate) = rounds(noise, count, ratio, chance);
        let estimate = paired_ratio(&baseline, &candidate, estimator, 0.05).expect("positive");
        estimate.low <= ratio && ratio <= estimate.high
    })
}

fn assert_coverage(estimator: Estimator, counts: &[usize], least: f64, most: f64) {
    for (i, noise) in ALL.into_iter().enumerate() {
        for &count in counts {
            let ratio = if i % 2 == 0 { 1.0 } else { 1.05 };
            let rate = coverage(estimator, noise, count, ratio);
            println!("coverage {estimator:?} {noise:?} n={count}: {:.2} %", 100.0 * rate);
            assert!((least..=most).contains(&rate), "{estimator:?} {noise:?} {count}: {rate}");
        }
    }
}

#[test]
fn the_interval_of_the_pseudo_median_holds_the_truth_in_95_of_100_whatever_the_noise() {
    // Exact levels: 95.16 % at 20 rounds, 95.0 % at 50 and 200, so 94 to 96 leaves 3 standard
    // errors.
    assert_coverage(Estimator::PseudoMedian, &[20, 50, 200], 0.94, 0.96);
}

#[test]
fn the_interval_of_the_rank_scores_holds_the_truth_in_95_of_100_whatever_the_noise() {
    // Its levels are exact to a tenth of a per cent, so 94 to 96 leaves 3 standard errors.
    assert_coverage(Estimator::RankScores, &[20, 50, 200], 0.94, 0.96);
}

/// Counts that are mostly 0 on both sides, small ones and large ones.
#[test]
fn equal_counts_that_are_mostly_zero_differ_in_five_of_a_hundred_at_most() {
    for (often, large) in [(0.1, 1.0), (0.3, 1.0), (0.45, 40.0)] {
        let found = rate(EXPERIMENTS, 30, |chance| {
            let mut counts = || -> Vec<f64> {
                let mut one =
                    || if chance.uniform() < often { 1.0 + large * chance.uniform() } else { 0.0 };
                (0..30).map(|_| one().round()).collect()
            };
            let (baseline, candidate) = (counts(), counts());
            paired_difference(&baseline, &candidate, 0.05).expect("amounts").ratio.excludes_one()
        });
        println!(
            "counts that are 0 but in {often} of the runs, up to {large}: {:.2} %",
            100.0 * found
        );
        // The exact level is 4.8 %; 0.7 are two standard errors.
        assert!(found <= 0.057, "{often} {large}: {found}");
    }
}

#[test]
fn a_true_ratio_other_than_one_is_covered_just_as_often() {
    for noise in [Noise::T2, Noise::Memory, Noise::Walk] {
        for ratio in [1.0, 1.05, 0.2] {
            let rate = coverage(Estimator::PseudoMedian, noise, 50, ratio);
            assert!((0.94..=0.96).contains(&rate), "{noise:?} {ratio}: {rate}");
        }
    }
}

#[test]
fn the_interval_of_the_median_covers_a_little_more_because_its_levels_are_coarse() {
    // Exact levels: 95.86 % at 20 rounds, 96.72 % at 50, 96.0 % at 200.
    assert_coverage(Estimator::Median, &[20, 50, 200], 0.95, 0.975);
}

#[test]
fn the_interval_of_the_mean_holds_its_level_even_where_its_theory_does_not() {
    // With heavy tails or uneven noise the t interval is too wide, not too narrow.
    assert_coverage(Estimator::Mean, &[20, 50, 200], 0.94, 0.975);
}

#[test]
fn the_interval_of_the_minimum_is_conservative() {
    // Signed ranks over 8 to 14 blocks allow levels from 95.1 % to 96.1 %, and widening adds to it.
    assert_coverage(Estimator::Min, &[20, 50, 200], 0.94, 0.98);
}

#[test]
fn a_change_of_one_per_cent_is_found_in_two_hundred_ordinary_rounds() {
    // Two runs of 1 % each: 1.4 % per pair.
    let found = rate(2000, 1, |chance| {
        let (baseline, candidate) = rounds(Noise::Normal, 200, 1.01, chance);
        let estimate = paired_ratio(&baseline, &candidate, Estimator::PseudoMedian, 0.05);
        estimate.expect("positive").low > 1.0
    });
    println!("power at 1 %: {:.2} %", 100.0 * found);
    assert!(found >= 0.95, "{found}");
}

/// The rate at which a change is found in `count` rounds, at 5 %.
fn power(estimator: Estimator, (noise, ratio): (Noise, f64), count: usize) -> f64 {
    rate(4000, 12, |chance| {
        let (baseline, candidate) = rounds(noise, count, ratio, chance);
        if estimator == Estimator::RankScores {
            return rank_scores::p_value(&baseline, &candidate) <= 0.05;
        }
        paired_ratio(&baseline, &candidate, estimator, 0.05).expect("positive").excludes_one()
    })
}

#[test]
fn on_noise_that_slows_the_rank_scores_need_three_rounds_where_signed_ranks_need_five() {
    // Both are exact tests at 5 %, so their errors are equal.
    for noise in REAL {
        let (fewer, all) = (
            power(Estimator::RankScores, (noise, 1.006), 150),
            power(Estimator::PseudoMedian, (noise, 1.006), 250),
        );
        println!("power, {noise:?}: rank scores in 150 {fewer:.3}, signed ranks in 250 {all:.3}");
        assert!(all > 0.3 && fewer > all, "{noise:?}: {fewer}, {all}");
    }
}

#[test]
fn on_normal_noise_the_rank_scores_need_a_tenth_more_rounds_at_most() {
    let (more, all) = (
        power(Estimator::RankScores, (Noise::Normal, 1.0035), 165),
        power(Estimator::PseudoMedian, (Noise::Normal, 1.0035), 150),
    );
    println!("power, normal: rank scores in 165 {more:.3}, signed ranks in 150 {all:.3}");
    assert!(
        all > 0.6 && all < 0.95 && more >= all - 2.0 * standard_error(all, 4000),
        "{more}, {all}"
    );
}

#[test]
fn a_drift_to_twice_the_time_leaves_the_rank_scores_their_power() {
    let drifting = rate(4000, 13, |chance| {
        let (mut baseline, mut candidate) = rounds(Noise::Slowed, 150, 1.006, chance);
        for (round, (b, c)) in baseline.iter_mut().zip(&mut candidate).enumerate() {
            let slower = 2.0_f64.powf(round as f64 / 150.0);
            (*b, *c) = (*b * slower, *c * slower);
        }
        rank_scores::p_value(&baseline, &candidate) <= 0.05
    });
    let steady = rate(4000, 13, |chance| {
        let (baseline, candidate) = rounds(Noise::Slowed, 150, 1.006, chance);
        rank_scores::p_value(&baseline, &candidate) <= 0.05
    });
    println!("power at 0.6 %: steady {steady:.3}, drifting to twice the time {drifting:.3}");
    assert!(steady > 0.8 && drifting > steady - 0.05, "{steady}, {drifting}");
}

/// One baseline and ten candidates that are the same program, 60 rounds of eleven runs.
fn family(noise: Noise, chance: &mut Chance) -> Vec<Vec<f64>> {
    let slots = times(noise, 60 * 11, chance);
    let mut variants = vec![Vec::new(); 11];
    for round in slots.chunks_exact(11) {
        let mut order: Vec<usize> = (0..11).collect();
        for i in (1..11).rev() {
            order.swap(i, (chance.uniform() * (i + 1) as f64) as usize);
        }
        for (&variant, &time) in order.iter().zip(round) {
            variants[variant].push(time);
        }
    }
    variants
}

#[test]
fn ten_comparisons_together_are_wrong_in_five_of_a_hundred_at_most() {
    let weights: Vec<f64> = (1..=10).map(f64::from).collect();
    let levels = allocate(0.05, &weights);
    for noise in [Noise::T3, Noise::Memory, Noise::Bimodal] {
        let wrong = rate(4000, 10, |chance| {
            let variants = family(noise, chance);
            levels.iter().zip(&variants[1..]).any(|(&level, candidate)| {
                let estimator = Estimator::PseudoMedian;
                let estimate = paired_ratio(&variants[0], candidate, estimator, level);
                estimate.expect("positive").excludes_one()
            })
        });
        println!("family of ten, {noise:?}: {:.2} %", 100.0 * wrong);
        assert!(wrong <= 0.05 + 3.0 * standard_error(0.05, 4000), "{noise:?}: {wrong}");
    }
}

#[test]
fn welch_on_two_blocks_of_runs_is_wrong_far_more_often_than_it_says() {
    // The method of `hyperfine a b`: all runs of one, then all of the other. This is why there are
    // rounds.
    let naive = |noise| {
        rate(4000, 11, |chance| {
            let runs = times(noise, 100, chance);
            student::welch_p(&runs[..50], &runs[50..]).is_some_and(|p| p < 0.05)
        })
    };
    let (independent, remembering, drifting) =
        (naive(Noise::Normal), naive(Noise::Memory), naive(Noise::Drift));
    println!(
        "welch in blocks: normal {independent:.3}, AR(1) {remembering:.3}, drift {drifting:.3}"
    );
    assert!((independent - 0.05).abs() < 4.0 * standard_error(0.05, 4000), "{independent}");
    assert!(remembering > 0.3, "{remembering}");
    assert!(drifting > 0.9, "{drifting}");
}
