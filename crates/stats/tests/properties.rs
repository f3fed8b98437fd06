//! Properties of all readings.

use proptest::collection::vec;
use proptest::prelude::*;
use stats::difference::paired_difference;
use stats::sequential::{Boundary, Spending, next_look};
use stats::{
    Estimator, RatioEstimate, describe, detect, normal, paired_ratio, rank_scores, regimes,
    signed_rank, student,
};

const ALL: [Estimator; 5] = [
    Estimator::RankScores,
    Estimator::PseudoMedian,
    Estimator::Median,
    Estimator::Mean,
    Estimator::Min,
];

fn pairs() -> impl Strategy<Value = Vec<(f64, f64)>> {
    vec((0.1..10.0, 0.1..10.0), 1..150)
}

/// Differences, many of them equal or zero.
fn tied() -> impl Strategy<Value = Vec<f64>> {
    vec((-4..=4_i32).prop_map(f64::from), 1..60)
}

fn ratio(pairs: &[(f64, f64)], estimator: Estimator, alpha: f64) -> RatioEstimate {
    let (b, c): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    paired_ratio(&b, &c, estimator, alpha).expect("positive readings")
}

fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-10 * a.abs().max(b.abs())
}

/// Exact: for readings that could not differ more clearly, one round fewer than the least leaves
/// the interval without ends, and the least does not.
#[test]
fn the_least_rounds_for_an_interval_are_the_least() {
    let bounded = |estimator, rounds: usize, alpha| {
        let pairs: Vec<(f64, f64)> =
            (0..rounds).map(|n| (1.0 + 1e-9 * n as f64, 2.0 + 1e-9 * (n * n % 7) as f64)).collect();
        let RatioEstimate { low, high, .. } = ratio(&pairs, estimator, alpha);
        assert_eq!(low > 0.0, high.is_finite(), "{estimator:?}, {rounds} rounds");
        high.is_finite()
    };
    // The levels of each comparison of two commands, three and twenty, and lower ones. Beyond
    // twenty rounds the rank scores are approximated, and may need one round more.
    for alpha in [0.05, 0.025, 0.015, 0.00125, 0.000_625, 0.05 / 20.0 / 40.0, 4e-6] {
        for estimator in ALL {
            let least = estimator.least_rounds(alpha).expect("some number does");
            assert!(bounded(estimator, least, alpha), "{estimator:?} at {alpha}: {least}");
            assert!(!bounded(estimator, least - 1, alpha), "{estimator:?} at {alpha}: {least}");
        }
        // Amounts that may be 0 are compared by the signed ranks of their differences.
        let least = Estimator::PseudoMedian.least_rounds(alpha).expect("some number does");
        let bounded = |rounds: usize| {
            let (none, some) = (vec![1.0; rounds], vec![3.0; rounds]);
            paired_difference(&none, &some, alpha).expect("amounts").ratio.high.is_finite()
        };
        assert!(bounded(least) && !bounded(least - 1), "{alpha}: {least}");
    }
}

proptest! {
    /// Tukey's severe outliers are those beyond the outer fences, wherever they are counted.
    #[test]
    fn beyond_the_usual_range_are_the_severe_outliers(
        values in vec(prop_oneof![9 => -1.0..1.0_f64, 1 => -1e3..1e3_f64], 1..200),
    ) {
        let [low, high] = describe::usual_range(&values).expect("finite readings");
        let beyond = values.iter().filter(|value| !(low..=high).contains(*value)).count();
        let summary = describe::summarise(&values).expect("finite readings");
        prop_assert_eq!(beyond, summary.severe_outliers);
        prop_assert!(low <= summary.median && summary.median <= high);
    }
}

proptest! {
    #[test]
    fn swapping_the_samples_inverts_the_ratio_and_mirrors_the_interval(pairs in pairs()) {
        let swapped: Vec<_> = pairs.iter().map(|&(b, c)| (c, b)).collect();
        for estimator in ALL {
            let (there, back) = (ratio(&pairs, estimator, 0.1), ratio(&swapped, estimator, 0.1));
            prop_assert!(close(there.ratio * back.ratio, 1.0), "{estimator:?}");
            prop_assert!(close(there.low, 1.0 / back.high), "{estimator:?}");
            prop_assert!(close(there.high, 1.0 / back.low), "{estimator:?}");
        }
    }

    #[test]
    fn scaling_a_sample_scales_its_interval(pairs in pairs(), factor in 0.01..100.0) {
        let scaled: Vec<_> = pairs.iter().map(|&(b, c)| (b, c * factor)).collect();
        // That of the rank scores is searched for, and found to a fraction of its width.
        for estimator in &ALL[1..] {
            let estimator = *estimator;
            let (plain, scaled) = (ratio(&pairs, estimator, 0.1), ratio(&scaled, estimator, 0.1));
            prop_assert!(close(plain.ratio * factor, scaled.ratio), "{estimator:?}");
            prop_assert!(close(plain.low * factor, scaled.low), "{estimator:?}");
            prop_assert!(close(plain.high * factor, scaled.high), "{estimator:?}");
        }
    }

    #[test]
    fn scaling_moves_the_rank_scores_within_the_precision_of_their_search(
        pairs in pairs(), factor in 0.01..100.0,
    ) {
        let plain = ratio(&pairs, Estimator::RankScores, 0.1);
        let both: Vec<_> = pairs.iter().map(|&(b, c)| (b * factor, c * factor)).collect();
        let one: Vec<_> = pairs.iter().map(|&(b, c)| (b, c * factor)).collect();
        for (scaled, factor) in [(both, 1.0), (one, factor)] {
            let scaled = ratio(&scaled, Estimator::RankScores, 0.1);
            let width = if plain.low > 0.0 { plain.log_half_width() } else { 4.6 };
            let moved = (scaled.ratio / (plain.ratio * factor)).ln().abs();
            prop_assert!(moved <= 5e-3 * width + 1e-12, "{plain:?} {scaled:?}");
        }
    }

    #[test]
    fn the_rank_scores_reject_their_ends_and_not_what_lies_half_way_to_them(
        pairs in pairs(), alpha in 1e-4..0.5,
    ) {
        // In between the result of the test may change more than once, and rounding decides which
        // of these places is the end.
        let interval = ratio(&pairs, Estimator::RankScores, alpha);
        let rejects = |theta: f64| {
            let (b, c): (Vec<f64>, Vec<f64>) = pairs.iter().map(|&(b, c)| (b, c / theta)).unzip();
            rank_scores::p_value(&b, &c) <= alpha * (1.0 + 1e-9)
        };
        for end in [interval.low, interval.high] {
            // With few sums, none may lie between the estimate and the place where the test
            // rejects.
            let is_found = end > 0.0 && end.is_finite() && end != 1.0 && end != interval.ratio;
            if is_found {
                prop_assert!(rejects(end), "{interval:?} {end}");
                prop_assert!(!rejects((end * interval.ratio).sqrt()), "{interval:?} {end}");
            }
        }
    }

    #[test]
    fn equal_samples_have_a_ratio_of_exactly_one(readings in vec(1e-3..1e3, 1..120)) {
        let same: Vec<_> = readings.iter().map(|&reading| (reading, reading)).collect();
        for estimator in ALL {
            let e = ratio(&same, estimator, 0.1);
            prop_assert!(e.ratio == 1.0 && e.low <= 1.0 && e.high >= 1.0, "{estimator:?} {e:?}");
        }
    }

    #[test]
    fn the_rank_scores_exclude_one_only_where_their_test_rejects(
        pairs in pairs(), ticks in vec((1..4_u32, 1..4_u32), 1..100), alpha in 1e-6..0.5,
    ) {
        let ticks = ticks.iter().map(|&(b, c)| (f64::from(b), f64::from(c))).collect();
        for pairs in [pairs, ticks] {
            let (b, c): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
            let p = rank_scores::p_value(&b, &c);
            let excluded = ratio(&pairs, Estimator::RankScores, alpha).excludes_one();
            prop_assert!(!excluded || p <= alpha * (1.0 + 1e-9), "{p} at {alpha}");
            prop_assert!(p >= 0.5_f64.powf(b.len() as f64 - 1.0) * (1.0 - 1e-9), "{p}");
        }
    }

    #[test]
    fn exchanging_the_runs_of_any_rounds_leaves_the_sizes_of_all_scores(
        pairs in pairs(), swaps in vec(any::<bool>(), 150),
    ) {
        // So the p-value of the most extreme exchange is the least possible.
        let ordered = |up: bool| -> (Vec<f64>, Vec<f64>) {
            pairs.iter().map(|&(b, c)| if (b < c) == up { (b, c) } else { (c, b) }).unzip()
        };
        let (b, c): (Vec<f64>, Vec<f64>) =
            pairs.iter().zip(&swaps).map(|(&(b, c), &swap)| if swap { (c, b) } else { (b, c) }).unzip();
        let extreme = ordered(true);
        let least = rank_scores::p_value(&extreme.0, &extreme.1);
        prop_assert!(rank_scores::p_value(&b, &c) >= least * (1.0 - 1e-9));
    }

    #[test]
    fn the_order_of_the_rounds_does_not_matter(pairs in pairs()) {
        let reversed: Vec<_> = pairs.iter().rev().copied().collect();
        for estimator in [Estimator::PseudoMedian, Estimator::Median] {
            prop_assert_eq!(ratio(&pairs, estimator, 0.1), ratio(&reversed, estimator, 0.1));
        }
        let (there, back) = (ratio(&pairs, Estimator::Mean, 0.1), ratio(&reversed, Estimator::Mean, 0.1));
        prop_assert!(close(there.low, back.low) && close(there.high, back.high));
        prop_assert_eq!(
            ratio(&pairs, Estimator::Min, 0.1).ratio,
            ratio(&reversed, Estimator::Min, 0.1).ratio
        );
    }

    #[test]
    fn more_confidence_never_narrows_an_interval(pairs in pairs(), a in 1e-6..0.9, b in 1e-6..0.9) {
        let (sure, unsure) = (f64::min(a, b), f64::max(a, b));
        for estimator in [Estimator::PseudoMedian, Estimator::Median, Estimator::Mean] {
            let (wide, tight) = (ratio(&pairs, estimator, sure), ratio(&pairs, estimator, unsure));
            prop_assert!(wide.low <= tight.low && tight.high <= wide.high, "{estimator:?}");
        }
    }

    #[test]
    fn the_estimate_lies_in_its_interval(pairs in pairs(), alpha in 0.0..0.5) {
        for estimator in ALL {
            let e = ratio(&pairs, estimator, alpha);
            prop_assert!(e.low <= e.ratio && e.ratio <= e.high, "{estimator:?} {e:?}");
        }
    }

    #[test]
    fn the_ends_are_the_walsh_averages_of_brute_force(d in tied(), wide in vec(-1e3..1e3, 1..40)) {
        for d in [d, wide] {
            let mut walsh: Vec<f64> = (0..d.len())
                .flat_map(|i| (i..d.len()).map(move |j| (i, j)))
                .map(|(i, j)| 0.5 * d[i] + 0.5 * d[j])
                .collect();
            walsh.sort_by(f64::total_cmp);
            let half = walsh.len() / 2;
            let middle = if walsh.len() % 2 == 1 { walsh[half] }
                else { 0.5 * walsh[half - 1] + 0.5 * walsh[half] };
            let shift = signed_rank::shift(&d, 0.1).expect("finite");
            prop_assert_eq!(shift.estimate, middle);
            if let Some(rank) = signed_rank::interval_rank(d.len(), 0.1) {
                let rank = rank as usize;
                prop_assert_eq!([shift.low, shift.high], [walsh[rank - 1], walsh[walsh.len() - rank]]);
            }
        }
    }

    #[test]
    fn breaking_ties_by_a_hair_moves_no_end_by_more_than_the_hair(d in tied(), hairs in vec(-1e-6..1e-6, 60)) {
        let broken: Vec<f64> = d.iter().zip(&hairs).map(|(d, hair)| d + hair).collect();
        let (tied, broken) =
            (signed_rank::shift(&d, 0.1).expect("finite"), signed_rank::shift(&broken, 0.1).expect("finite"));
        prop_assert!(tied.low == broken.low || (tied.low - broken.low).abs() <= 1.01e-6);
        prop_assert!(tied.high == broken.high || (tied.high - broken.high).abs() <= 1.01e-6);
    }

    #[test]
    fn a_difference_excludes_one_when_the_shift_excludes_zero(counts in vec((0..9_u32, 0..9_u32), 1..80)) {
        let (b, c): (Vec<f64>, Vec<f64>) =
            counts.iter().map(|&(b, c)| (f64::from(b), f64::from(c))).unzip();
        let d: Vec<f64> = c.iter().zip(&b).map(|(c, b)| c - b).collect();
        let shift = signed_rank::shift(&d, 0.05).expect("finite");
        let effect = paired_difference(&b, &c, 0.05).expect("amounts");
        prop_assert_eq!(effect.ratio.excludes_one(), shift.low > 0.0 || shift.high < 0.0);
        let back = paired_difference(&c, &b, 0.05).expect("amounts");
        prop_assert_eq!(back.ratio.excludes_one(), effect.ratio.excludes_one());
        let mirrored = back.difference.map(|one| (-one.high, -one.low));
        prop_assert_eq!(mirrored, effect.difference.map(|one| (one.low, one.high)));
    }

    #[test]
    fn quantiles_invert_their_distributions(p in 1e-9..0.5, df in 1.0..300.0) {
        prop_assert!(close(normal::upper_tail(normal::two_sided(2.0 * p)), p));
        prop_assert!(close(student::upper_tail(student::two_sided(2.0 * p, df), df), p));
    }

    #[test]
    fn no_schedule_of_looks_spends_more_than_alpha(
        steps in vec(1e-4..3.0, 1..60), rho in 0.5..4.0, alpha in 0.001..0.3,
    ) {
        let mut boundary = Boundary::new(alpha, Spending::Power(rho));
        let total: f64 = 1.0 + steps.iter().sum::<f64>();
        let (mut information, mut spent) = (1.0, 0.0);
        for step in steps {
            information += step;
            let look = boundary.look(information, information / total);
            prop_assert!(look.spent >= spent && look.spent <= alpha * (1.0 + 1e-12));
            // Never less than independence would require, never more than all alive.
            prop_assert!(look.nominal_alpha >= look.increment * (1.0 - 1e-6));
            prop_assert!(look.nominal_alpha <= look.spent * (1.0 + 1e-6));
            spent = look.spent;
        }
    }

    #[test]
    fn a_dip_lies_between_its_bounds(mut values in vec(-1e3..1e3, 2..200)) {
        values.sort_by(f64::total_cmp);
        let dip = regimes::dip(&values);
        prop_assert!(dip >= 0.5 / values.len() as f64 && dip <= 0.25 + 1e-12);
    }

    #[test]
    fn looks_always_move_on(done in 0_usize..100_000, fewest in 1_usize..50) {
        prop_assert!(next_look(done, fewest) > done);
        prop_assert!(next_look(done, fewest) >= fewest);
    }

    #[test]
    fn after_the_rounds_it_asks_for_an_experiment_is_settled(
        rounds in 5_usize..1000, estimate in -0.1..0.1, half_width in 1e-4..0.2,
    ) {
        let Some(more) = detect::rounds_to_settle(rounds, estimate, half_width, 0.01) else {
            return Ok(());
        };
        let total = rounds as f64 + more as f64;
        let then = half_width * (rounds as f64 / total).sqrt() * (1.0 - 1e-12);
        prop_assert!(then < estimate.abs() || then + estimate.abs() <= 0.01);
    }
}
