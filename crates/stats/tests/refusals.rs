//! The refusals of the crate, and its results at the edges.

use stats::detect::{Scatter, rounds_to_settle, smallest_detectable};
use stats::difference::exact_effect;
use stats::difference::paired_difference;
use stats::drift::drift;
use stats::family::allocate;
use stats::position::carry_over;
use stats::regimes::{Modality, modality};
use stats::sequential::{Boundary, Spending, next_look};
use stats::{Estimator, PairedError, RatioEstimate, paired_ratio, signed_rank};

fn ratio(b: &[f64], c: &[f64]) -> Result<stats::RatioEstimate, PairedError> {
    paired_ratio(b, c, Estimator::PseudoMedian, 0.05)
}

#[test]
fn samples_that_are_no_pairs_are_refused_with_the_reason() {
    let unequal = PairedError::UnequalLengths { baseline: 2, candidate: 1 };
    assert_eq!(ratio(&[1.0, 2.0], &[1.0]), Err(unequal));
    assert_eq!(ratio(&[], &[]), Err(PairedError::Empty));
    assert_eq!(
        ratio(&[1.0, 0.0], &[1.0, 1.0]),
        Err(PairedError::NotPositive { index: 1, value: 0.0 })
    );
    let infinite = PairedError::NotFinite { index: 0, value: f64::INFINITY };
    assert_eq!(ratio(&[1.0], &[f64::INFINITY]), Err(infinite));
    assert!(matches!(ratio(&[f64::NAN], &[1.0]), Err(PairedError::NotFinite { .. })));
    let level = paired_ratio(&[1.0], &[1.0], Estimator::Mean, 1.5);
    assert_eq!(level, Err(PairedError::NoLevel(1.5)));
}

#[test]
fn too_few_rounds_for_a_level_give_an_infinite_interval() {
    for estimator in
        [Estimator::RankScores, Estimator::PseudoMedian, Estimator::Median, Estimator::Min]
    {
        let five = paired_ratio(&[1.0; 5], &[2.0; 5], estimator, 0.05).expect("positive");
        assert_eq!((five.low, five.high), (0.0, f64::INFINITY));
        let six = paired_ratio(&[1.0; 6], &[2.0; 6], estimator, 0.05).expect("positive");
        assert!(six.excludes_one(), "2^(1-6) is below 5 %");
    }
}

#[test]
fn no_level_gives_an_infinite_interval() {
    for estimator in [
        Estimator::RankScores,
        Estimator::PseudoMedian,
        Estimator::Median,
        Estimator::Mean,
        Estimator::Min,
    ] {
        let estimate = paired_ratio(&[1.0; 90], &[2.0; 90], estimator, 0.0).expect("positive");
        assert_eq!((estimate.low, estimate.high), (0.0, f64::INFINITY));
    }
}

#[test]
fn ties_at_zero_touch_one_and_are_no_finding() {
    // Dropping the zeros, as is often done, would leave six equal signs: p = 2/64, a finding.
    let mut candidate = vec![1.0; 20];
    candidate.extend([1.1; 6]);
    let estimate = ratio(&[1.0; 26], &candidate).expect("positive");
    assert_eq!(estimate.low, 1.0);
    assert!(!estimate.excludes_one(), "{estimate:?}");
}

#[test]
fn a_baseline_of_zero_has_a_difference_and_a_ratio_without_a_size() {
    let effect = |baseline: &[f64], candidate: &[f64]| {
        let found = paired_difference(baseline, candidate, 0.05).expect("amounts");
        let difference = found.difference.map(|one| (one.estimate, one.low, one.high));
        ((found.ratio.ratio, found.ratio.low, found.ratio.high), difference)
    };
    let infinite = f64::INFINITY;
    // Of 8 signed ranks the interval at 5 % is from the 4th smallest to the 4th largest Walsh
    // average.
    let some = [5.0, 6.0, 7.0, 8.0, 5.0, 6.0, 7.0, 8.0];
    let (ratio, difference) = effect(&[0.0; 8], &some);
    assert_eq!((ratio, difference), ((infinite, infinite, infinite), Some((6.5, 5.5, 7.5))));
    let (ratio, difference) = effect(&some, &[0.0; 8]);
    assert_eq!((ratio.1, difference), (0.0, Some((-6.5, -7.5, -5.5))));
    assert!(ratio.0 == 0.0 && ratio.2 < 0.2, "{ratio:?}");
    // Sometimes more: not certain, and without an upper end.
    let seldom = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    let (ratio, difference) = effect(&[0.0; 8], &seldom);
    assert_eq!(ratio.1, 1.0);
    assert!(difference.is_some_and(|(_, low, high)| low == 0.0 && high > 0.0), "{difference:?}");
    assert_eq!(effect(&[0.0; 8], &[0.0; 8]), ((1.0, 1.0, 1.0), None));
    let (ratio, difference) = effect(&[0.0; 3], &[1.0; 3]);
    assert_eq!((ratio, difference), ((infinite, 0.0, infinite), Some((1.0, -infinite, infinite))));
    assert_eq!(effect(&[0.0, 2.0, 2.0], &[3.0; 3]).1, None);
    let negative = paired_difference(&[1.0], &[-1.0], 0.05);
    assert_eq!(negative, Err(PairedError::NotPositive { index: 0, value: -1.0 }));
}

#[test]
fn deterministic_readings_are_compared_exactly_or_not_at_all() {
    let exact = |baseline: &[f64], candidate: &[f64]| {
        let found = exact_effect(baseline, candidate)?;
        let RatioEstimate { ratio, low, high, rounds } = found.ratio;
        Some(((ratio, low, high, rounds), found.difference.map(|one| one.estimate)))
    };
    assert_eq!(exact(&[100.0; 3], &[101.0; 5]), Some(((1.01, 1.01, 1.01, 3), None)));
    assert_eq!(exact(&[100.0, 100.5], &[101.0]), None);
    assert_eq!(exact(&[], &[101.0]), None);
    let infinite = f64::INFINITY;
    assert_eq!(exact(&[0.0], &[0.0]), Some(((1.0, 1.0, 1.0, 1), None)));
    assert_eq!(exact(&[0.0], &[8.0]), Some(((infinite, infinite, infinite, 1), Some(8.0))));
    assert_eq!(exact(&[8.0], &[0.0]), Some(((0.0, 0.0, 0.0, 1), Some(-8.0))));
}

#[test]
fn infinite_differences_have_no_shift() {
    assert_eq!(signed_rank::shift(&[1.0, f64::INFINITY], 0.05), None);
    assert_eq!(signed_rank::shift(&[], 0.05), None);
}

#[test]
fn weights_share_alpha_and_a_bad_one_gets_nothing() {
    assert_eq!(
        allocate(0.05, &[1.0, 3.0, 0.0, f64::NAN, -1.0]),
        [0.0125, 0.05 * 3.0 / 4.0, 0.0, 0.0, 0.0]
    );
    assert_eq!(allocate(0.05, &[]), Vec::<f64>::new());
}

#[test]
fn a_look_without_new_error_to_spend_has_an_infinite_interval() {
    let mut boundary = Boundary::new(0.05, Spending::Power(1.0));
    boundary.look(10.0, 0.5);
    let again = boundary.look(20.0, 0.5);
    assert_eq!((again.nominal_alpha, again.critical_z, again.spent), (0.0, f64::INFINITY, 0.025));
    let later = boundary.look(20.0, 1.0);
    assert!(later.nominal_alpha > 0.025 && (later.spent - 0.05).abs() < 1e-15);
}

#[test]
fn looks_at_almost_the_same_information_are_charged_as_independent() {
    let mut boundary = Boundary::new(0.05, Spending::Power(1.0));
    for k in 1..=50 {
        let look = boundary.look(1000.0 + f64::from(k) * 1e-9, f64::from(k) / 50.0);
        assert!((look.nominal_alpha - 0.001).abs() < 1e-12, "{look:?}");
    }
}

#[test]
fn the_looks_come_ever_more_seldom() {
    let looks: Vec<usize> =
        std::iter::successors(Some(10), |&n| Some(next_look(n, 10))).take(8).collect();
    assert_eq!(next_look(0, 10), 10);
    assert_eq!(looks, [10, 12, 15, 18, 22, 27, 33, 40]);
    assert_eq!(next_look(1, 1), 2);
}

#[test]
fn detection_follows_its_formula() {
    // (1.96 + 0.8416) * 0.01 on the log scale.
    let smallest = smallest_detectable(0.019_599_639_845_400_54, 1.959_963_984_540_054, 0.8);
    assert!((smallest - 0.028_411_9).abs() < 1e-6, "{smallest}");
    assert_eq!(smallest_detectable(f64::INFINITY, 1.96, 0.8), f64::INFINITY);
    // Half as wide is needed to exclude 0: four times the rounds.
    assert_eq!(rounds_to_settle(20, 0.05, 0.1, 0.01), Some(60));
    // The margin is nearer: 0.01 - 0.002 of 0.016.
    assert_eq!(rounds_to_settle(20, 0.002, 0.016, 0.01), Some(60));
    assert_eq!(rounds_to_settle(20, 0.05, 0.01, 0.01), Some(0));
    assert_eq!(rounds_to_settle(20, 0.0, 0.01, 0.0), None);
    assert_eq!(rounds_to_settle(20, 1e-9, 0.1, 0.0), None);
    assert_eq!(rounds_to_settle(20, 0.05, f64::INFINITY, 0.01), None);
}

#[test]
fn a_few_wild_rounds_do_not_make_the_others_scatter() {
    assert_eq!(Scatter::of_rounds(&[0.1]), None);
    assert_eq!(Scatter::of_rounds(&[0.1, f64::NAN]), None);
    // Median 0.11; the distances from it are 0, 0.01, 0.01, 0.02 and 0.89.
    let scatter = Scatter::of_rounds(&[0.1, 0.11, 0.09, 0.12, 1.0]).expect("five rounds");
    assert!((scatter.log_ratio - 0.11).abs() < 1e-12, "{scatter:?}");
    assert!((scatter.of_one_round - 0.014_826).abs() < 1e-9, "{scatter:?}");
    // An interval of 2 % on either side after 25 rounds: 1 % at four times as many.
    let scatter = Scatter::of_interval(0.05, 25, 0.02, 2.0).expect("finite");
    assert!((scatter.of_one_round - 0.05).abs() < 1e-12, "{scatter:?}");
    assert!((scatter.log_half_width(100, 2.0) - 0.01).abs() < 1e-12);
    assert_eq!(Scatter::of_interval(0.05, 3, f64::INFINITY, 2.0), None);
}

#[test]
fn equal_readings_have_neither_modes_nor_drift() {
    assert_eq!(drift(&[3.0; 40]).map(|d| (d.change, d.p_value)), Some((0.0, 1.0)));
    assert_eq!(drift(&[0.0; 40]), None);
    assert_eq!(drift(&[1.0; 5]), None);
    assert!(!matches!(modality(&[3.0; 40]), Modality::Bimodal { .. }));
    assert_eq!(modality(&[1.0, 2.0]), Modality::Undetermined);
}

#[test]
fn two_ticks_of_a_clock_are_not_two_modes() {
    let values: Vec<f64> = (0..60).map(|i| f64::from(1 + i % 2) * 0.01).collect();
    assert_eq!(modality(&values), Modality::Undetermined);
}

#[test]
fn carry_over_needs_exactly_two_classes() {
    assert_eq!(carry_over(&[1.0, 2.0, 3.0], &[0, 1, 2]), None);
    assert_eq!(carry_over(&[1.0, 2.0], &[1, 1]), None);
    assert_eq!(carry_over(&[1.0, 2.0], &[1]), None);
}

#[test]
fn a_steady_rise_is_measured_as_what_it_is() {
    let values: Vec<f64> = (0..1000).map(|i| 100.0 + 0.02 * f64::from(i)).collect();
    let found = drift(&values).expect("enough readings");
    assert!((found.change - 19.98 / 109.99).abs() < 0.004, "{found:?}");
    assert!(found.p_value < 1e-6, "{found:?}");
}
