//! The comparison of one candidate with its baseline in one metric, and the ranking of several
//! commands, of which those that the intervals do not separate are tied.

use serde::{Deserialize, Serialize};
use stats::detect::Scatter;
use stats::difference::Effect;
use stats::sequential::Look;
use stats::signed_rank::Shift;
use stats::{Estimator, RatioEstimate};

use model::design::stopping::StoppingRule;
use model::metric::{Direction, Missing, Nature};
use model::sample::Pairs;
use model::verdict::{Margin, Verdict, verdict};

/// The settings of comparisons.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparisonSettings {
    /// The estimator of the two samples.
    pub estimator: Estimator,
    /// The smallest change that matters.
    pub margin: Margin,
}

/// The power for which the smallest detectable change is stated: found nine times in ten.
pub const POWER: f64 = 0.9;

/// The judgement of one candidate against its baseline in one metric, before it is reported as a
/// `findings::ComparedPair`.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Candidate over baseline.
    pub estimate: RatioEstimate,
    /// Candidate minus baseline, in the metric's unit, if one of them is 0, so that the ratio does
    /// not show the size.
    pub difference: Option<Shift>,
    /// The verdict of the interval.
    pub verdict: Verdict,
    /// Set if the whole interval lies within the margin: a change there is certain and small.
    pub within_margin: bool,
    /// The basis of the interval.
    pub basis: Basis,
    /// The smallest change that would have been found nine times in ten, as a fraction.
    pub detectable: Option<f64>,
    /// The number of additional rounds that would settle an inconclusive verdict.
    pub more_rounds: Option<u64>,
}

/// The basis of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The ratios within the rounds.
    Ratios,
    /// The differences within the rounds, relative to the baseline's median, because some value is
    /// zero. If a side's median is zero, the difference is given beside the ratio.
    Differences,
    /// Every run of each side gave the same value: nothing is left to chance.
    Exact,
    /// The candidate's processes and a single one of the baseline, which is assumed to vary as they
    /// do.
    OneProcess,
    /// Two experiments that were not interleaved, and the spread between experiments of the
    /// baseline's command.
    Experiments,
}

/// Compares the pairs, at the level of the last look.
///
/// # Errors
///
/// The reason that the metric cannot be compared, for people.
pub fn compare(
    pairs: &Pairs,
    direction: Direction,
    nature: Nature,
    rule: ComparisonSettings,
    look: Look,
) -> Result<Judgement, Missing> {
    let (effect, basis) = effect(pairs, nature, rule.estimator, look.nominal_alpha)?;
    let estimate = effect.ratio;
    let verdict = match basis {
        // Every difference of exact counts is certain, so the smallest ones count as no change.
        Basis::Exact if rule.margin.dwarfs(&estimate) && direction != Direction::Context => {
            Verdict::Unchanged
        }
        _ => verdict(&estimate, direction, rule.margin),
    };
    Ok(judged(effect, verdict, basis, rule.margin, look.critical_z))
}

/// The comparison for an effect, given the two-sided critical value of the look at which it was
/// estimated.
fn judged(
    effect: Effect,
    verdict: Verdict,
    basis: Basis,
    margin: Margin,
    critical_z: f64,
) -> Judgement {
    let Effect { ratio: estimate, difference } = effect;
    let extent = Extent::from_effect(effect, margin);
    let is_open = basis != Basis::Exact && !verdict.is_conclusive();
    let more_rounds = is_open.then_some(extent).and_then(|extent| {
        let Extent { distance, half_width, margin } = extent;
        let more = stats::detect::rounds_to_settle(estimate.rounds, distance, half_width, margin);
        // An interval that is longer on one side may be undecided even if its half width is not.
        more.map(|rounds| rounds.max(1))
    });
    let detectable = match (basis, difference) {
        (Basis::Exact, _) => Some(0.0),
        // No fraction of 0 is a change.
        (_, Some(_)) => None,
        (_, None) => Some(stats::detect::smallest_detectable(extent.half_width, critical_z, POWER)),
    };
    Judgement {
        verdict,
        difference,
        within_margin: margin.holds(&estimate),
        basis,
        detectable: detectable.filter(|change| change.is_finite()),
        more_rounds,
        estimate,
    }
}

/// The distance of an effect from no effect, on the scale on which it has a size: that of the
/// ratio's logarithm, or, for a difference from or to 0, the metric's own.
#[derive(Debug, Clone, Copy)]
struct Extent {
    /// The distance of the estimate from no effect.
    distance: f64,
    /// Half the width of its interval; infinite if the interval is unbounded.
    half_width: f64,
    /// The smallest change that matters: 0 for a difference from or to 0, where every change
    /// matters.
    margin: f64,
}

impl Extent {
    fn from_effect(effect: Effect, margin: Margin) -> Self {
        match effect.difference {
            Some(Shift { estimate, low, high }) => {
                Self { distance: estimate.abs(), half_width: (high - low) / 2.0, margin: 0.0 }
            }
            None => Self {
                distance: effect.ratio.ratio.ln().abs(),
                half_width: effect.ratio.log_half_width(),
                margin: margin.log(),
            },
        }
    }
}

/// The comparison expected at a later look if the rounds continue to scatter as before.
pub(super) fn foreseen(
    scatter: Scatter,
    rounds: usize,
    direction: Direction,
    margin: Margin,
    critical_z: f64,
) -> Judgement {
    let estimate = scatter.estimate(rounds, critical_z);
    let verdict = verdict(&estimate, direction, margin);
    let effect = Effect { ratio: estimate, difference: None };
    judged(effect, verdict, Basis::Ratios, margin, critical_z)
}

fn effect(
    pairs: &Pairs,
    nature: Nature,
    estimator: Estimator,
    alpha: f64,
) -> Result<(Effect, Basis), Missing> {
    let (baseline, candidate) = (&pairs.baseline, &pairs.candidate);
    if nature == Nature::Counted
        && let Some(exact) = stats::difference::exact_effect(baseline, candidate)
    {
        return Ok((exact, Basis::Exact));
    }
    let not_comparable = |error: stats::PairedError| Missing(error.to_string().into());
    if baseline.iter().chain(candidate).all(|&value| value > 0.0) {
        let ratio = stats::paired_ratio(baseline, candidate, estimator, alpha);
        let ratio = ratio.map_err(not_comparable)?;
        Ok((Effect { ratio, difference: None }, Basis::Ratios))
    } else if let Estimator::Quantile(_) = estimator {
        Err(Missing("some readings are 0, so their quantiles have no ratio".into()))
    } else {
        let effect = stats::difference::paired_difference(baseline, candidate, alpha);
        effect.map(|effect| (effect, Basis::Differences)).map_err(not_comparable)
    }
}

impl Judgement {
    /// True if more rounds would only make a known answer more precise.
    ///
    /// A change is settled when its interval is no wider, on either side, than the margin or the
    /// fraction `precision` of the change. Without a change, it is settled when one of `resolution`
    /// times the margin would have been seen; if that is more than the margin, even if the verdict
    /// is open.
    ///
    /// If only limits are requested, it is settled when none of them lies within its interval.
    pub fn is_settled(&self, rule: &StoppingRule, limits: &[f64]) -> bool {
        let StoppingRule { margin, resolution, precision, .. } = *rule;
        if !limits.is_empty() {
            let RatioEstimate { low, high, .. } = self.estimate;
            return limits.iter().all(|limit| *limit < low || *limit > high);
        }
        match self.verdict {
            Verdict::Improved | Verdict::Regressed => {
                let effect = Effect { ratio: self.estimate, difference: self.difference };
                let Extent { distance, half_width, margin } = Extent::from_effect(effect, margin);
                self.basis == Basis::Exact || half_width <= margin.max(distance * precision)
            }
            Verdict::Inconclusive if resolution <= 1.0 => false,
            Verdict::Unchanged | Verdict::Inconclusive => {
                self.detectable.is_some_and(|change| change <= margin.fraction() * resolution)
            }
        }
    }
}

/// The figures that decide the rank of a variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contestant {
    /// The index of the variant.
    pub variant: u32,
    /// The ratio to the common baseline; less is better.
    pub ratio: f64,
    /// The lower end of the ratio's interval.
    pub low: f64,
    /// The upper end; infinite if unbounded.
    pub high: f64,
}

/// The groups of tied variants, the best first; within a group, the smallest ratio is first. Every
/// member of a group is shown to be better than every member of the following ones. The intervals
/// hold together, so the ranking errs no more often than they do.
pub fn ranking(mut contestants: Vec<Contestant>) -> Vec<Vec<u32>> {
    contestants.sort_by(|a, b| a.ratio.total_cmp(&b.ratio).then(a.variant.cmp(&b.variant)));
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut highest = f64::NEG_INFINITY;
    for (place, one) in contestants.iter().enumerate() {
        let least = contestants[place..].iter().map(|one| one.low).fold(f64::INFINITY, f64::min);
        match groups.last_mut().filter(|_| least <= highest) {
            Some(group) => group.push(one.variant),
            None => groups.push(vec![one.variant]),
        }
        highest = highest.max(one.high);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> ComparisonSettings {
        ComparisonSettings {
            estimator: Estimator::RankScores,
            margin: Margin::new(0.01).expect("positive"),
        }
    }

    const LOOK: Look =
        Look { nominal_alpha: 0.05, critical_z: 1.959_963_985, spent: 0.05, increment: 0.05 };

    fn pairs(baseline: &[f64], candidate: &[f64]) -> Pairs {
        Pairs { baseline: baseline.to_vec(), candidate: candidate.to_vec() }
    }

    #[test]
    fn what_is_counted_is_compared_exactly() {
        for (candidate, verdict) in [
            (990.0, Verdict::Improved),
            (999.0, Verdict::Improved),
            (999.6, Verdict::Unchanged),
            (1000.0, Verdict::Unchanged),
            (1_000.000_83, Verdict::Unchanged),
            (1000.5, Verdict::Unchanged),
            (1001.0, Verdict::Regressed),
            (1011.0, Verdict::Regressed),
        ] {
            let given = pairs(&[1000.0, 1000.0], &[candidate, candidate]);
            let compared = compare(&given, Direction::Lower, Nature::Counted, rule(), LOOK);
            let compared = compared.expect("comparable");
            assert_eq!(compared.verdict, verdict, "{candidate}");
            assert_eq!(compared.basis, Basis::Exact);
            assert!((compared.estimate.low - candidate / 1000.0).abs() < 1e-12);
            let is_small = (candidate - 1000.0_f64).abs() < 9.9;
            assert_eq!(compared.within_margin, is_small, "{candidate}");
            assert!(compared.is_settled(&StoppingRule::of_a_test(), &[]));
        }
    }

    #[test]
    fn a_limit_is_settled_when_the_interval_is_on_one_side_of_it() {
        let baseline: Vec<f64> = (0..40).map(|n| 1.0 + f64::from(n % 5) / 100.0).collect();
        let candidate: Vec<f64> = baseline.iter().rev().map(|value| value * 1.05).collect();
        let given = pairs(&baseline, &candidate);
        let compared =
            compare(&given, Direction::Lower, Nature::Measured, rule(), LOOK).expect("comparable");
        let RatioEstimate { low, high, .. } = compared.estimate;
        assert!(1.02 < low && low < high && high < 1.08, "{low} to {high}");
        let settles = |limits: &[f64]| compared.is_settled(&StoppingRule::of_a_test(), limits);
        assert!(settles(&[1.02]) && settles(&[1.08]) && settles(&[1.02, 1.08]));
        assert!(!settles(&[1.05]) && !settles(&[1.02, 1.05]));
    }

    #[test]
    fn a_change_is_settled_when_it_is_known_as_precisely_as_is_asked() {
        // Between 4 and 7 % more: known to within a half, not a quarter.
        let baseline = [1.0; 12];
        let candidate: Vec<f64> = (0..12).map(|n| 1.05 + f64::from(n % 4 - 1) / 100.0).collect();
        let given = pairs(&baseline, &candidate);
        let look = Look { nominal_alpha: 0.001, critical_z: 3.290_526_731, ..LOOK };
        let compared =
            compare(&given, Direction::Lower, Nature::Measured, rule(), look).expect("comparable");
        assert_eq!(compared.verdict, Verdict::Regressed);
        let share = compared.estimate.log_half_width() / compared.estimate.ratio.ln();
        assert!((0.25..0.5).contains(&share), "{share}");
        let settles = |precision: f64| {
            let rule = StoppingRule { precision, ..StoppingRule::of_a_test() };
            compared.is_settled(&rule, &[])
        };
        assert!(settles(1.0) && settles(0.5) && !settles(0.25));
    }

    #[test]
    fn two_timed_rounds_that_agree_prove_nothing() {
        let given = pairs(&[1.0, 1.0], &[2.0, 2.0]);
        let compared =
            compare(&given, Direction::Lower, Nature::Measured, rule(), LOOK).expect("comparable");
        assert_eq!(compared.verdict, Verdict::Inconclusive);
    }

    #[test]
    fn counts_that_may_be_zero_are_compared_by_their_differences() {
        let baseline: Vec<f64> = (0..20).map(|n| f64::from(n % 3)).collect();
        let candidate: Vec<f64> = baseline.iter().map(|value| value + 5.0).collect();
        let given = pairs(&baseline, &candidate);
        let compared =
            compare(&given, Direction::Lower, Nature::Measured, rule(), LOOK).expect("comparable");
        assert_eq!(compared.basis, Basis::Differences);
        assert_eq!(compared.verdict, Verdict::Regressed);
        // The baseline's median is 1, the difference always 5.
        assert!((compared.estimate.ratio - 6.0).abs() < 1e-12);
    }

    #[test]
    fn quantiles_are_compared_by_their_ratio_or_not_at_all() {
        let estimator = model::metric::MetricId::known("wall_time.p90").estimator(rule().estimator);
        let compared = |given: &Pairs| {
            let rule = ComparisonSettings { estimator, ..rule() };
            compare(given, Direction::Lower, Nature::Measured, rule, LOOK)
        };
        // One run in five is slow, and slower with the candidate, which is otherwise as fast.
        let times = |slow: f64| -> Vec<f64> {
            (0..200).map(|n| if n % 5 == 0 { slow } else { 1.0 } + f64::from(n % 7) / 1e3).collect()
        };
        let longer = compared(&pairs(&times(2.0), &times(3.0))).expect("comparable");
        assert_eq!((longer.verdict, longer.basis), (Verdict::Regressed, Basis::Ratios));
        assert!((longer.estimate.ratio - 1.5).abs() < 0.01, "{longer:?}");
        let few = compared(&pairs(&times(2.0)[..20], &times(3.0)[..20])).expect("comparable");
        assert!(few.verdict == Verdict::Inconclusive && few.estimate.high.is_infinite());
        assert!(compared(&pairs(&[0.0; 200], &[1.0; 200])).is_err());
    }

    #[test]
    fn what_comes_from_zero_or_goes_to_it_is_judged_by_its_difference() {
        let none = [0.0; 12];
        let always = [3.0; 12];
        let mostly: Vec<f64> = (0..12).map(|n| f64::from(n % 6)).collect();
        let seldom: Vec<f64> = (0..12).map(|n| f64::from(n / 9)).collect();
        use Verdict::{Improved, Inconclusive, Regressed, Unchanged};
        for (baseline, candidate, verdict, difference) in [
            (&none[..], &always[..], Regressed, Some(3.0)),
            (&always, &none, Improved, Some(-3.0)),
            (&none, &mostly, Regressed, Some(2.5)),
            (&mostly, &none, Improved, Some(-2.5)),
            (&none, &seldom, Inconclusive, Some(0.0)),
            (&none, &none, Unchanged, None),
        ] {
            for nature in [Nature::Measured, Nature::Counted] {
                let given = pairs(baseline, candidate);
                let compared = compare(&given, Direction::Lower, nature, rule(), LOOK);
                let compared = compared.expect("comparable");
                let about = format!("{baseline:?} to {candidate:?}, {nature:?}: {compared:?}");
                assert_eq!(compared.verdict, verdict, "{about}");
                let found = compared.difference.map(|one| one.estimate);
                assert_eq!(found, difference, "{about}");
                // A certain and precise result ends the rounds.
                let settles = |precision: f64| {
                    let rule = StoppingRule { precision, ..StoppingRule::of_a_test() };
                    compared.is_settled(&rule, &[])
                };
                assert_eq!(settles(1.0), verdict.is_conclusive(), "{about}");
            }
        }
        let few = pairs(&[0.0; 3], &[3.0; 3]);
        let few = compare(&few, Direction::Lower, Nature::Measured, rule(), LOOK).expect("amounts");
        assert_eq!((few.verdict, few.more_rounds), (Inconclusive, None));
    }

    #[test]
    fn who_is_shown_to_be_better_comes_first_and_the_others_are_tied() {
        let ranked = |intervals: &[(f64, f64)]| {
            let contestant = |(variant, &(low, high)): (u32, &(f64, f64))| Contestant {
                variant,
                ratio: f64::midpoint(low, high.min(9.0)),
                low,
                high,
            };
            ranking((0..).zip(intervals).map(contestant).collect())
        };
        type Ranks = [&'static [u32]];
        let cases: [(&[(f64, f64)], &Ranks); 7] = [
            (&[], &[]),
            (&[(1.0, 1.0)], &[&[0]]),
            (&[(1.0, 1.0), (0.5, 0.6), (2.0, 2.2), (0.7, 0.8)], &[&[1], &[3], &[0], &[2]]),
            (&[(1.0, 1.0), (0.5, 0.7), (0.6, 0.8)], &[&[1, 2], &[0]]),
            // Of three in a chain the first is shown to be better than the last, but no group ends.
            (&[(1.0, 1.0), (0.8, 0.9), (0.85, 1.1)], &[&[1, 2, 0]]),
            // An interval that touches another one decides nothing, and an unbounded one is tied
            // with all.
            (&[(1.0, 1.0), (1.0, 1.2)], &[&[0, 1]]),
            (&[(1.0, 1.0), (0.5, 0.6), (0.0, f64::INFINITY)], &[&[1, 0, 2]]),
        ];
        for (intervals, expected) in cases {
            assert_eq!(ranked(intervals), expected, "{intervals:?}");
        }
    }
}
