//! The normal distribution: its distribution function and its quantiles.
//!
//! Both tails keep their relative accuracy (about 1e-14), which the sequential boundaries need:
//! they spend probabilities of 1e-9 and less.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, SQRT_2};

/// The upper quartile of the standard normal distribution: the median of the size of such a variable.
pub(crate) const UPPER_QUARTILE: f64 = 0.674_489_750_196_081_7;

/// The probability that a standard normal variable is at most `z`.
#[must_use]
pub fn cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// The probability that a standard normal variable exceeds `z`; accurate where `1 - cdf(z)` is not.
#[must_use]
pub fn upper_tail(z: f64) -> f64 {
    cdf(-z)
}

/// The density of the standard normal distribution at `z`.
#[must_use]
pub fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() * (FRAC_1_SQRT_2 * 0.5 * FRAC_2_SQRT_PI)
}

/// The `z` with `cdf(z) = p`. Infinite at 0 and 1, NaN outside.
///
/// Algorithm AS 241, PPND16 (Wichura, *Applied Statistics* 37, 1988), good to about 1e-16.
#[must_use]
pub fn quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * polynomial(&CENTRE_OVER, r) / polynomial(&CENTRE_UNDER, r);
    }
    let tail = p.min(1.0 - p);
    if tail == 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let r = (-tail.ln()).sqrt();
    let size = if r <= 5.0 {
        polynomial(&MIDDLE_OVER, r - 1.6) / polynomial(&MIDDLE_UNDER, r - 1.6)
    } else {
        polynomial(&FAR_OVER, r - 5.0) / polynomial(&FAR_UNDER, r - 5.0)
    };
    size.copysign(q)
}

/// The `z` which a standard normal variable exceeds in size with probability `alpha`:
/// 1.96 for 0.05, infinite for 0.
#[must_use]
pub fn two_sided(alpha: f64) -> f64 {
    -quantile(0.5 * alpha)
}

fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

// The coefficients of AS 241, lowest power first.
const CENTRE_OVER: [f64; 8] = [
    3.387_132_872_796_366_5,
    133.141_667_891_784_38,
    1_971.590_950_306_551_3,
    13_731.693_765_509_46,
    45_921.953_931_549_87,
    67_265.770_927_008_7,
    33_430.575_583_588_13,
    2_509.080_928_730_122_7,
];
const CENTRE_UNDER: [f64; 8] = [
    1.0,
    42.313_330_701_600_91,
    687.187_007_492_057_9,
    5_394.196_021_424_751,
    21_213.794_301_586_597,
    39_307.895_800_092_71,
    28_729.085_735_721_943,
    5_226.495_278_852_854,
];
const MIDDLE_OVER: [f64; 8] = [
    1.423_437_110_749_683_5,
    4.630_337_846_156_546,
    5.769_497_221_460_691,
    3.647_848_324_763_204_5,
    1.270_458_252_452_368_4,
    0.241_780_725_177_450_6,
    0.022_723_844_989_269_184,
    0.000_774_545_014_278_341_4,
];
const MIDDLE_UNDER: [f64; 8] = [
    1.0,
    2.053_191_626_637_759,
    1.676_384_830_183_803_8,
    0.689_767_334_985_1,
    0.148_103_976_427_480_08,
    0.015_198_666_563_616_457,
    0.000_547_593_808_499_534_5,
    1.050_750_071_644_416_9e-9,
];
const FAR_OVER: [f64; 8] = [
    6.657_904_643_501_103,
    5.463_784_911_164_114,
    1.784_826_539_917_291_3,
    0.296_560_571_828_504_87,
    0.026_532_189_526_576_124,
    0.001_242_660_947_388_078_4,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const FAR_UNDER: [f64; 8] = [
    1.0,
    0.599_832_206_555_888,
    0.136_929_880_922_735_8,
    0.014_875_361_290_850_615,
    0.000_786_869_131_145_613_3,
    1.846_318_317_510_054_8e-5,
    1.421_511_758_316_446e-7,
    2.044_263_103_389_939_7e-15,
];
