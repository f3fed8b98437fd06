//! Series with steps in known places.

use stats::normal;

/// Values, and the first point of each level except the first one.
pub struct Made {
    pub values: Vec<f64>,
    pub steps: Vec<usize>,
}

/// The noise of a series; its standard deviation, or scale, is 1.
#[derive(Debug, Clone, Copy)]
pub enum Noise {
    Normal,
    /// Student's t with 3 degrees of freedom.
    T3,
    /// Log-normal, with the skewness of times.
    LogNormal,
    /// Each value keeps half of the previous deviation.
    Memory,
    /// Normal, with one value in fifty too large by 10.
    Spikes,
    /// Normal, rounded to whole units.
    Rounded,
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): enough for test series.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Uniform on the open interval (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.next() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    fn normal(&mut self) -> f64 {
        normal::quantile(self.uniform())
    }
}

/// `length` points around 100 with as many steps of about `size` deviations, up or down, at random
/// places that leave each level at least `shortest` points.
pub fn made(
    (length, shortest): (usize, usize),
    (count, size): (usize, f64),
    noise: Noise,
    chance: &mut Chance,
) -> Made {
    let spare = (length - (count + 1) * shortest) as f64;
    let mut places: Vec<f64> = (0..count).map(|_| chance.uniform() * spare).collect();
    places.sort_by(f64::total_cmp);
    let steps: Vec<usize> =
        places.iter().enumerate().map(|(i, place)| *place as usize + (i + 1) * shortest).collect();
    let mut level = 100.0;
    let mut remembered = 0.0;
    let mut next = 0;
    let values = (0..length).map(|i| {
        if steps.get(next) == Some(&i) {
            let sign = if chance.uniform() < 0.5 { -1.0 } else { 1.0 };
            level += sign * size * (0.75 + 0.5 * chance.uniform());
            next += 1;
        }
        let fresh = chance.normal();
        level
            + match noise {
                Noise::Normal => fresh,
                Noise::T3 => {
                    let squares: f64 = (0..3).map(|_| chance.normal().powi(2)).sum();
                    fresh / (squares / 3.0).sqrt()
                }
                Noise::LogNormal => ((0.5 * fresh).exp() - 1.133) / 0.604,
                Noise::Memory => {
                    remembered = 0.5 * remembered + fresh * 0.75_f64.sqrt();
                    remembered
                }
                Noise::Spikes => fresh + if chance.uniform() < 0.02 { 10.0 } else { 0.0 },
                Noise::Rounded => fresh.round(),
            }
    });
    Made { values: values.collect(), steps }
}
