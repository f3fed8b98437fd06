//! A randomisation test on the ranks of all readings, turned into an interval: the estimator for
//! noise that only ever slows a program down.
//!
//! Such noise spares the fast runs. A tiny difference between two programs is visible there, and
//! hardly at all among the slow runs. A statistic of the differences within rounds, such as the
//! signed ranks, cannot distinguish a fast pair from a slow one; this one can. To test if the
//! candidate takes `exp(shift)` times the baseline's time, it
//!
//! 1. subtracts `shift` from the candidate's logarithms;
//! 2. subtracts from all readings of a round the level of the machine around it, so that
//!    drift and regimes do not drown the comparison;
//! 3. ranks all `2n` readings and gives each a score, the logarithm of its rank, so that a step
//!    among the fastest counts for more than one among the slow;
//! 4. sums over the rounds the candidate's score less the baseline's.
//!
//! Exchanging the two readings of a round changes neither the level nor the ranks, only the sign of
//! that round's term. So if the shift is the true one, each sign is a fair coin for any sizes, and
//! the sum's distribution is known. The shifts that are not rejected are the interval.
//!
//! The sum falls as the shift grows: every aligned reading of the candidate falls or stays, every
//! one of the baseline rises or stays, because the level follows a shift of one sample by no more
//! than the shift. Only the sizes may make a p-value rise again.

use crate::normal;
use crate::order::{median, midpoint, sorted};
use crate::signed_rank::Shift;

/// The probability that the sum of `numbers`, each with a fair coin for its sign, is at most
/// `total`.
///
/// Exact for up to 20 numbers that are not 0; beyond, a saddlepoint approximation that is below the
/// exact value by at most a hundredth of it in all trials. NaN if an argument is.
#[must_use]
pub fn at_most(numbers: &[f64], total: f64) -> f64 {
    normal::cdf(normal_equivalent(numbers.to_vec(), total))
}

/// The two-sided p-value of "the two are the same program", for positive readings by round, equally
/// many of both; 1 if there are none.
///
/// The interval of [`crate::Estimator::RankScores`] excludes 1 only if this is at most `alpha`.
#[must_use]
pub fn p_value(baseline: &[f64], candidate: &[f64]) -> f64 {
    let logarithms = |readings: &[f64]| readings.iter().map(|r| r.ln()).collect::<Vec<f64>>();
    let (baseline, candidate) = (logarithms(baseline), logarithms(candidate));
    let scores = Scores::new(baseline.len());
    let trial = Trial { baseline: &baseline, candidate: &candidate, scores: &scores };
    let Outcome { differences, total } = trial.at(0.0);
    (2.0 * at_most(&differences, -total.abs())).min(1.0)
}

/// The shift of `candidate` against `baseline`, both logarithms of readings by round, with its
/// interval at level `1 - alpha`. The values are finite, equally many of both, at least one.
///
/// `n` rounds allow no `alpha` below `2^(1-n)`; the interval is then infinite. Takes `O(n log n)`
/// for each of about two dozen trial shifts.
pub(crate) fn shift(baseline: &[f64], candidate: &[f64], alpha: f64) -> Shift {
    // Rounding may depend on which sample is shifted. So the two are put in a fixed order, which
    // does not depend on the scale of either, and exchanging them only changes signs.
    let grown = |sample: &[f64], round: usize| sample[round] - sample[0];
    let ahead = (0..baseline.len())
        .map(|round| grown(baseline, round) - grown(candidate, round))
        .find(|difference| *difference != 0.0)
        .map_or(baseline[0] > candidate[0], |difference| difference > 0.0);
    if ahead {
        let mirrored = ordered_shift(candidate, baseline, alpha);
        return Shift { estimate: -mirrored.estimate, low: -mirrored.high, high: -mirrored.low };
    }
    ordered_shift(baseline, candidate, alpha)
}

fn ordered_shift(baseline: &[f64], candidate: &[f64], alpha: f64) -> Shift {
    let scores = Scores::new(baseline.len());
    let forth = Trial { baseline, candidate, scores: &scores };
    let back = Trial { baseline: candidate, candidate: baseline, scores: &scores };
    let centre = centre(&forth, &back);
    // No search is needed if no outcome of the coins reaches the level.
    if least(baseline.len()) > 0.5 * alpha {
        return Shift { estimate: centre.shift, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let critical = normal::two_sided(alpha);
    let high = end(&forth, &centre, critical);
    let low = -end(&back, &centre.mirrored(), critical);
    // A verdict requires a shift other than 0: for any result of the search, 0 is not excluded if
    // its own test allows it.
    let allows_zero = |trial: &Trial<'_>| trial.at(0.0).evidence() > -critical;
    Shift {
        estimate: centre.shift,
        low: if low > 0.0 && allows_zero(&back) { 0.0 } else { low },
        high: if high < 0.0 && allows_zero(&forth) { 0.0 } else { high },
    }
}

/// The two samples, ready to be tested for any shift.
struct Trial<'a> {
    baseline: &'a [f64],
    candidate: &'a [f64],
    scores: &'a Scores,
}

/// The result of testing one shift.
struct Outcome {
    /// Each round's score of the candidate, less that of the baseline.
    differences: Vec<f64>,
    /// Their sum; positive while the candidate is still the slower one.
    total: f64,
}

impl Trial<'_> {
    /// The test of one shift.
    fn at(&self, shift: f64) -> Outcome {
        let aligned = aligned(self.baseline, self.candidate, shift);
        let scores = self.scores.score(&aligned);
        let differences: Vec<f64> = scores.chunks_exact(2).map(|s| s[1] - s[0]).collect();
        let total = differences.iter().sum();
        Outcome { differences, total }
    }
}

impl Outcome {
    /// The sum in standard deviations; 0 if nothing differs.
    fn standardised(&self) -> f64 {
        let variance: f64 = self.differences.iter().map(|d| d * d).sum();
        if variance > 0.0 { self.total / variance.sqrt() } else { 0.0 }
    }

    /// The standard normal value whose lower tail is as probable as a total this small or smaller:
    /// minus 2 if the shift is too large with a one-sided p-value of 2.3 %.
    fn evidence(self) -> f64 {
        normal_equivalent(self.differences, self.total)
    }
}

// The score of a rank.

/// The addend to the fraction of readings below one, before the logarithm is taken: the smaller,
/// the more the fastest readings decide. Chosen by simulation, `docs/design/estimator.md`.
const SOFTENING: f64 = 0.2;

/// The scores of the ranks of `2n` readings.
struct Scores {
    /// By twice the rank, so that equal readings can share their mean rank.
    by_half_ranks: Vec<f64>,
}

impl Scores {
    /// The scores for this number of rounds.
    fn new(rounds: usize) -> Self {
        let readings = (2 * rounds) as f64;
        let score = |half_ranks: usize| {
            // Rank 1 stands for the middle of the first of as many parts as there are readings.
            let below = (0.5 * half_ranks as f64 - 0.5) / readings;
            (below + SOFTENING).ln()
        };
        Self { by_half_ranks: (0..=4 * rounds).map(score).collect() }
    }

    /// The score of each of the `2n` readings. Depends only on their order.
    fn score(&self, readings: &[f64]) -> Vec<f64> {
        let mut by_size: Vec<(u64, u32)> = readings.iter().map(|&r| order_of(r)).zip(0..).collect();
        by_size.sort_unstable_by_key(|&(order, _)| order);
        let mut scores = vec![0.0; readings.len()];
        let mut before = 0;
        for equal in by_size.chunk_by(|a, b| a.0 == b.0) {
            let half_ranks = 2 * before + equal.len() + 1;
            for &(_, place) in equal {
                scores[place as usize] = self.by_half_ranks[half_ranks];
            }
            before += equal.len();
        }
        scores
    }
}

/// An integer in the order of the readings, and quicker to sort.
fn order_of(reading: f64) -> u64 {
    // Adding zero makes the negative zero positive.
    let bits = (reading + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

// The level of the machine around a round, which is subtracted from the readings before they are
// ranked.
//
// Clock rates, neighbours and heat move all runs of a stretch of time together. Ranked as they
// are, the readings of a slow stretch would all have high ranks, and the comparison within its
// rounds would count for nothing.
//
// The level is an order statistic of the readings of both samples in the surrounding rounds, so
// that exchanging the readings of a round does not change it. It lies low among them, where noise
// that only slows leaves it steady.

/// The number of rounds in a neighbourhood: the round itself and three on either side. Fewer make
/// the level itself noisy, more let a drift through; chosen by simulation,
/// `docs/design/estimator.md`.
const ROUNDS: usize = 7;

/// The rank of the level among the `2 * ROUNDS` readings of a neighbourhood, from 0: the third
/// smallest. Chosen like [`ROUNDS`].
const PLACE: usize = 2;

/// The readings less the level around their round, the candidate's less `shift` as well; by round,
/// the baseline's first.
fn aligned(baseline: &[f64], candidate: &[f64], shift: f64) -> Vec<f64> {
    let mut readings: Vec<f64> =
        baseline.iter().zip(candidate).flat_map(|(b, c)| [*b, c - shift]).collect();
    let rounds = baseline.len();
    let width = ROUNDS.min(rounds);
    // With few rounds the level is about as low among the available readings.
    let place = PLACE * width / ROUNDS;
    let levels: Vec<f64> = readings.windows(2 * width).step_by(2).map(|w| low(w, place)).collect();
    for (round, pair) in readings.chunks_exact_mut(2).enumerate() {
        // The first and the last rounds have the first and the last whole neighbourhood.
        let level = levels[round.saturating_sub(width / 2).min(rounds - width)];
        pair[0] -= level;
        pair[1] -= level;
    }
    readings
}

/// The value at `place`, from 0 to [`PLACE`], in ascending order.
fn low(values: &[f64], place: usize) -> f64 {
    let mut lowest = [f64::INFINITY; PLACE + 1];
    for &value in values {
        // Most values are not among the lowest.
        if value < lowest[PLACE] {
            lowest[PLACE] = value;
            for i in (0..PLACE).rev() {
                if lowest[i] > lowest[i + 1] {
                    lowest.swap(i, i + 1);
                }
            }
        }
    }
    lowest[place]
}

// Finds the shifts at which the result of a test changes.
//
// The sum of scores falls step by step as the shift grows, with some `n²` steps that are never
// listed. Its zero is the estimate. The interval ends where its probability falls to the level.
// The sum never rises, but its variance changes too, so the probability may cross the level there
// more than once, within a few steps. The search then ends at one of the crossings; the one
// question on which verdicts depend, if 0 is excluded, is put to the test itself.

/// The precision of an end, as a fraction of its distance from the estimate.
const PRECISION: f64 = 2e-3;

/// The precision of the estimate, as a fraction of a rough standard error.
const CENTRE_PRECISION: f64 = 2e-3;

/// The precision of a shift in doubles: it is a difference of logarithms, which lie below 710.
const FLOOR: f64 = 1e-15;

/// The maximum number of turns, which is never reached: it halves 1e3 to 1e-15 thrice.
const MOST_TURNS: usize = 200;

/// The evidence for a shift above which more does not guide a search better.
const MOST_EVIDENCE: f64 = 40.0;

/// The estimate, and the change of the evidence around it.
struct Centre {
    shift: f64,
    /// The approximate change of the shift that moves the evidence by one standard deviation.
    deviation: f64,
}

impl Centre {
    /// The centre of the exchanged samples.
    fn mirrored(&self) -> Self {
        Self { shift: -self.shift, deviation: self.deviation }
    }
}

/// A shift that is not too large and one that is, each with the number that guides the search: it
/// falls as the shift grows, positive at the first and negative at the second.
#[derive(Clone, Copy)]
struct Bracket {
    inside: (f64, f64),
    outside: (f64, f64),
}

impl Bracket {
    fn width(&self) -> f64 {
        self.outside.0 - self.inside.0
    }

    fn take(&mut self, shift: f64, guide: f64) {
        if guide > 0.0 { self.inside = (shift, guide) } else { self.outside = (shift, guide) }
    }

    /// The zero of the straight line between both ends.
    fn secant(&self) -> f64 {
        let ((low, above), (_, below)) = (self.inside, self.outside);
        low + self.width() * (above / (above - below))
    }

    /// Narrows the bracket until it is at most as wide as `enough` returns.
    ///
    /// Probes half as far again from the nearer end as the secant's zero is, so that the next probe
    /// has a near end on the other side; halves if that did not help.
    fn narrow(&mut self, guide: impl Fn(f64) -> f64, enough: impl Fn(&Self) -> f64) {
        let mut slow = false;
        for _ in 0..MOST_TURNS {
            let (width, tolerance) = (self.width(), enough(self).max(self.floor()));
            if width <= tolerance {
                return;
            }
            let middle = midpoint(self.inside.0, self.outside.0);
            let shift = if slow { middle } else { self.probe(0.4 * tolerance).unwrap_or(middle) };
            if shift <= self.inside.0 || shift >= self.outside.0 {
                return;
            }
            self.take(shift, guide(shift));
            slow = !slow && self.width() > 0.5 * width;
        }
    }

    /// A point beyond the zero of the secant as seen from the nearer end, and no nearer to an end
    /// than `least`.
    fn probe(&self, least: f64) -> Option<f64> {
        let zero = self.secant();
        let (from_inside, from_outside) = (zero - self.inside.0, self.outside.0 - zero);
        let probe = if from_inside <= from_outside {
            self.inside.0 + (1.5 * from_inside).max(least)
        } else {
            self.outside.0 - (1.5 * from_outside).max(least)
        };
        (probe > self.inside.0 && probe < self.outside.0).then_some(probe)
    }

    fn floor(&self) -> f64 {
        FLOOR * self.inside.0.abs().max(self.outside.0.abs()).max(1.0)
    }
}

/// The bracket around the sign change of `guide`, with `start` near it and `step` the first
/// distance to try. None if there is no sign change within a distance of 1e6.
fn bracket(start: f64, step: f64, guide: impl Fn(f64) -> f64) -> Option<Bracket> {
    let at_start = guide(start);
    let towards = if at_start > 0.0 { 1.0 } else { -1.0 };
    let (mut last, mut distance) = ((start, at_start), step);
    while distance < 1e6 {
        let shift = start + towards * distance;
        let here = (shift, guide(shift));
        if (here.1 > 0.0) != (at_start > 0.0) {
            let (inside, outside) = if at_start > 0.0 { (last, here) } else { (here, last) };
            return Some(Bracket { inside, outside });
        }
        last = here;
        distance *= 4.0;
    }
    None
}

/// The shift at which the sum of scores is zero, or the middle of all such shifts.
fn centre(forth: &Trial<'_>, back: &Trial<'_>) -> Centre {
    let differences: Vec<f64> =
        forth.candidate.iter().zip(forth.baseline).map(|(c, b)| c - b).collect();
    let start = median(&sorted(&differences));
    let deviation = rough_error(&differences, start).max(FLOOR);
    let enough = CENTRE_PRECISION * deviation;
    // Once with zero counted as positive, and once, with exchanged samples, as negative.
    let sum = |trial: &Trial<'_>, shift: f64| trial.at(shift).standardised();
    let upper = |shift: f64| not_negative(sum(forth, shift));
    let lower = |shift: f64| not_negative(sum(back, shift));
    let Some(mut above) = bracket(start, deviation, upper) else {
        return Centre { shift: start, deviation };
    };
    let slope = (above.inside.1 - above.outside.1) / above.width();
    above.narrow(upper, |_| enough);
    // Usually the sum jumps over zero, and the bracket also holds the other end.
    let shift = if above.inside.1 > f64::MIN_POSITIVE && above.width() <= enough {
        midpoint(above.inside.0, above.outside.0)
    } else {
        let end = |bracket: &Bracket| midpoint(bracket.inside.0, bracket.outside.0);
        let below = bracket(-start, deviation, lower).map(|mut below| {
            below.narrow(lower, |_| enough);
            -end(&below)
        });
        below.map_or(start, |below| midpoint(below, end(&above)))
    };
    let deviation = if slope > 0.0 { (1.0 / slope).min(1e3 * deviation) } else { deviation };
    Centre { shift, deviation }
}

/// Zero as the smallest positive number, so that it counts as positive.
fn not_negative(sum: f64) -> f64 {
    if sum == 0.0 { f64::MIN_POSITIVE } else { sum }
}

/// The mean distance from the middle over the square root of the rounds: the rough size of a
/// standard error.
fn rough_error(differences: &[f64], middle: f64) -> f64 {
    let rounds = differences.len() as f64;
    differences.iter().map(|d| (d - middle).abs()).sum::<f64>() / rounds / rounds.sqrt()
}

/// The smallest shift known to be too large: its evidence is at or below `-critical`.
fn end(trial: &Trial<'_>, centre: &Centre, critical: f64) -> f64 {
    let guide = |shift: f64| trial.at(shift).evidence().min(MOST_EVIDENCE) + critical;
    let step = centre.deviation * critical.max(0.1);
    let Some(mut bracket) = bracket(centre.shift, step, guide) else { return f64::INFINITY };
    bracket.narrow(guide, |bracket| PRECISION * (bracket.outside.0 - centre.shift));
    bracket.outside.0.max(centre.shift)
}

// The distribution of a sum of numbers whose signs are fair coins.
//
// Exact for few numbers. For many, the saddlepoint approximation in the form of Barndorff-Nielsen
// (*Biometrika* 73, 1986; see Lugannani and Rice, *Advances in Applied Probability* 12, 1980),
// which keeps its relative accuracy in the far tail, where a normal approximation would demand
// more than necessary.

/// The number of numbers up to which all signs are tried: two lists of `2^10` sums are compared.
const MOST_EXACT: usize = 20;

/// The number of standard deviations from the middle below which the normal distribution is used:
/// the approximation divides by the distance, and the difference is below a thousandth there.
const MIDDLE: f64 = 0.05;

/// The difference of sums, as a fraction of the largest, up to which they count as equal, because
/// they may be equal but for rounding.
const ROUNDING: f64 = 1e-12;

/// The argument up to which the series of `ln cosh` used here is good to 1e-5 of its slope.
const SERIES_END: f64 = 0.5;

/// The least probability of any sum of `count` numbers.
fn least(count: usize) -> f64 {
    0.5_f64.powf(count as f64)
}

/// The standard normal value with the same probability below it as the sum of `numbers`, each with
/// a fair coin for its sign, has at or below `total`.
///
/// The approximation errs towards the middle: see [`half_gap`].
fn normal_equivalent(numbers: Vec<f64>, total: f64) -> f64 {
    let mut sizes = numbers;
    sizes.retain_mut(|number| {
        *number = number.abs();
        *number > 0.0
    });
    let most: f64 = sizes.iter().sum();
    if sizes.len() <= MOST_EXACT {
        let at_most = by_listing(&mut sizes, total + ROUNDING * most);
        // All of it: as far from rejecting as can be. No numbers, no evidence.
        return if at_most < 1.0 { normal::quantile(at_most) } else { f64::INFINITY };
    }
    let sums = PowerSums::from_sizes(&sizes);
    let deviation = sums.of_powers[0].sqrt();
    let below = -(total + half_gap(&mut sizes, sums.largest));
    if below <= MIDDLE * deviation {
        return -below / deviation;
    }
    let least = -quantile_of_least(sizes.len());
    if below >= most * (1.0 - ROUNDING) {
        return -least;
    }
    let out = saddlepoint(&sizes, &sums, below).min(least);
    // The most by which the approximation is too small, found by listing: one part in as many as
    // there are numbers. In the tail a probability `p` larger by `r p` is a value `r / out` further
    // in.
    -(out - 1.0 / (sizes.len() as f64 * out.max(1.0)))
}

/// The normal value with `2^-count` below it, even if that underflows a double.
fn quantile_of_least(count: usize) -> f64 {
    match least(count) {
        probability if probability > f64::MIN_POSITIVE => normal::quantile(probability),
        // `ln(1 - cdf(x)) < -x² / 2`, so this lies a little too far out, by less than 0.1.
        _ => -(2.0 * std::f64::consts::LN_2 * count as f64).sqrt(),
    }
}

/// The probability of a sum at or below `bound`, by all choices of signs of each half of the sizes.
fn by_listing(sizes: &mut [f64], bound: f64) -> f64 {
    sizes.sort_unstable_by(f64::total_cmp);
    let (few, rest) = sizes.split_at(sizes.len() / 2);
    let (few, rest) = (sums(few), sums(rest));
    // As one sum grows, fewer of the other are small enough.
    let mut end = rest.len();
    let mut at_most = 0_u64;
    for sum in &few {
        while end > 0 && sum + rest[end - 1] > bound {
            end -= 1;
        }
        at_most += end as u64;
    }
    at_most as f64 / (few.len() * rest.len()) as f64
}

/// The sums for all choices of signs, ascending.
fn sums(sizes: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for size in sizes {
        let (mut minus, mut plus) = (sums.iter().peekable(), sums.iter().peekable());
        let mut longer = Vec::with_capacity(2 * sums.len());
        while let Some(&smallest_plus) = plus.peek() {
            match minus.peek() {
                Some(&smallest_minus) if smallest_minus - size <= smallest_plus + size => {
                    longer.push(smallest_minus - size);
                    minus.next();
                }
                _ => {
                    longer.push(smallest_plus + size);
                    plus.next();
                }
            }
        }
        sums = longer;
    }
    sums
}

/// Half the widest gap between neighbouring sums: the continuity correction.
///
/// A smooth approximation counts about half of a sum that is exactly `total`. If sums are few,
/// because the numbers are ties of a few sizes, that half matters. Adding ever larger sizes, the
/// sums without gaps reach from `-reach` to `reach`; the next size either fits, or tears a gap.
fn half_gap(sizes: &mut [f64], largest: f64) -> f64 {
    let (mut gap, mut reach) = (0.0_f64, 0.0);
    let mut next = 0;
    // Nearly always a few of the smallest reach as far as the largest.
    let mut sorted = 0;
    while reach < largest && next < sizes.len() {
        if next == sorted {
            sorted = (4 * sorted).max(64).min(sizes.len());
            if sorted < sizes.len() {
                sizes[next..].select_nth_unstable_by(sorted - next, f64::total_cmp);
            }
            sizes[next..sorted].sort_unstable_by(f64::total_cmp);
        }
        gap = gap.max(sizes[next] - reach);
        reach += sizes[next];
        next += 1;
    }
    gap
}

/// The sums of the even powers of the sizes, from the second to the tenth, and the largest size.
struct PowerSums {
    of_powers: [f64; 5],
    largest: f64,
}

impl PowerSums {
    fn from_sizes(sizes: &[f64]) -> Self {
        let mut of_powers = [0.0; 5];
        let mut largest = 0.0_f64;
        for size in sizes {
            let square = size * size;
            let mut power = 1.0;
            for sum in &mut of_powers {
                power *= square;
                *sum += power;
            }
            largest = largest.max(*size);
        }
        Self { of_powers, largest }
    }
}

/// The cumulant generating function of the sum at some point, its slope and its curvature.
#[derive(Clone, Copy)]
struct Cumulants {
    value: f64,
    slope: f64,
    curvature: f64,
}

/// The coefficients of `x²`, `x⁴` ... in the series of `ln cosh x`.
const SERIES: [f64; 5] = [1.0 / 2.0, -1.0 / 12.0, 1.0 / 45.0, -17.0 / 2520.0, 31.0 / 14_175.0];

/// The sum over all sizes of `ln cosh (t size)`.
fn cumulants(sizes: &[f64], sums: &PowerSums, t: f64) -> Cumulants {
    let mut all = Cumulants { value: 0.0, slope: 0.0, curvature: 0.0 };
    if t * sums.largest <= SERIES_END {
        let mut term = 1.0;
        for (i, (coefficient, sum)) in SERIES.iter().zip(&sums.of_powers).enumerate() {
            let degree = (2 * i + 2) as f64;
            term *= t * t;
            let value = coefficient * sum * term;
            all.value += value;
            all.slope += value * degree / t;
            all.curvature += value * degree * (degree - 1.0) / (t * t);
        }
        return all;
    }
    for size in sizes {
        let x = t * size;
        let decay = (-2.0 * x).exp();
        let tanh = (1.0 - decay) / (1.0 + decay);
        all.value += x + (0.5 + 0.5 * decay).ln();
        all.slope += size * tanh;
        all.curvature += size * size * (1.0 - tanh * tanh);
    }
    all
}

/// The value that a normal variable exceeds as often as the sum exceeds `sum`, which is positive
/// and can be exceeded.
fn saddlepoint(sizes: &[f64], sums: &PowerSums, sum: f64) -> f64 {
    // The slope is concave and starts as `t` times the sum of squares. So this start lies to the
    // left of the solution, and Newton's method approaches without overshooting.
    let mut t = sum / sums.of_powers[0];
    let mut at = cumulants(sizes, sums, t);
    for _ in 0..50 {
        let step = (sum - at.slope) / at.curvature;
        if step.is_nan() || step <= 1e-9 * t {
            break;
        }
        t += step;
        at = cumulants(sizes, sums, t);
    }
    let root = (2.0 * (t * sum - at.value)).max(0.0).sqrt();
    let scaled = t * at.curvature.sqrt();
    if root > 0.0 && scaled > 0.0 { root + (scaled / root).ln() / root } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_readings_share_the_middle_of_their_ranks() {
        let scores = Scores::new(2).score(&[0.0, -0.0, 7.0, 1.0]);
        // Of four readings: ranks 1.5, 1.5, 4, 3, that is 1/4, 1/4, 7/8 and 5/8 of them below.
        let expected = [0.25_f64, 0.25, 0.875, 0.625].map(|below| (below + 0.2).ln());
        assert_eq!(scores, expected);
    }

    #[test]
    fn the_third_smallest_of_fourteen_is_the_level() {
        let baseline = [5.0, 1.0, 9.0, 7.0, 3.0, 8.0, 6.0];
        let candidate = [5.5, 2.0, 9.5, 7.5, 3.5, 8.5, 6.5];
        let aligned = aligned(&baseline, &candidate, 0.0);
        assert_eq!(aligned[..4], [2.0, 2.5, -2.0, -1.0], "the level is 3");
    }

    #[test]
    fn each_round_has_a_neighbourhood_of_seven() {
        // Both samples climb by one each round: the third smallest is that of the second round.
        let climb: Vec<f64> = (0..20).map(f64::from).collect();
        let aligned = aligned(&climb, &climb, 0.0);
        let of_round = |round: usize| aligned[2 * round];
        assert_eq!([of_round(0), of_round(3), of_round(4), of_round(10)], [-1.0, 2.0, 2.0, 2.0]);
        assert_eq!([of_round(16), of_round(19)], [2.0, 5.0]);
    }

    #[test]
    fn a_single_round_has_a_level() {
        assert_eq!(aligned(&[2.0], &[5.0], 1.0), [0.0, 2.0]);
    }
}
