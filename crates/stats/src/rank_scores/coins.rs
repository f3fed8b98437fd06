//! The distribution of a sum of numbers whose signs are fair coins.
//!
//! Exact for few numbers. For many, the saddlepoint approximation in the form of Barndorff-Nielsen
//! (*Biometrika* 73, 1986; see Lugannani and Rice, *Advances in Applied Probability* 12, 1980),
//! which keeps its relative accuracy in the far tail, where a normal approximation would demand
//! more than necessary.

use crate::normal;

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
pub(super) fn least(count: usize) -> f64 {
    0.5_f64.powf(count as f64)
}

/// The standard normal value with the same probability below it as the sum of `numbers`, each with
/// a fair coin for its sign, has at or below `total`.
///
/// The approximation errs towards the middle: see [`half_gap`].
pub(super) fn normal_equivalent(numbers: Vec<f64>, total: f64) -> f64 {
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
