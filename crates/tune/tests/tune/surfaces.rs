//! Simulated programs: the cost of each at each point, in seconds and bytes.
//!
//! The figures follow measurements of real programs: a list of 100 million in OCaml 5.4 and 4.13,
//! trees in OCaml 5.4, a list in GHC 9.0. Values between the measured levels are interpolated.

use tune::{Axis, Order, Point, Space};

const MIB: f64 = 1_048_576.0;

/// The cost of a run: time, and peak memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cost {
    pub(crate) seconds: f64,
    pub(crate) peak_bytes: f64,
}

/// A simulated program.
pub(crate) struct Surface {
    pub(crate) name: &'static str,
    pub(crate) axes: fn() -> Vec<Axis>,
    pub(crate) permits: fn(&Point) -> bool,
    /// Returns `None` if the program fails.
    pub(crate) cost: fn(&Point) -> Option<Cost>,
}

impl Surface {
    pub(crate) fn space(&self) -> Space {
        Space::new((self.axes)(), self.permits).expect("valid")
    }

    /// The cost of the default.
    pub(crate) fn base(&self) -> Cost {
        (self.cost)(&self.space().default_point()).expect("the default does its work")
    }
}

pub(crate) const LIST_5: Surface =
    Surface { name: "list, OCaml 5", axes: ocaml, permits: |_| true, cost: list_5 };
pub(crate) const LIST_4: Surface =
    Surface { name: "list, OCaml 4", axes: ocaml, permits: |_| true, cost: list_4 };
pub(crate) const TREES: Surface =
    Surface { name: "trees, OCaml 5", axes: ocaml, permits: |_| true, cost: trees };
pub(crate) const HASKELL: Surface =
    Surface { name: "list, GHC", axes: ghc, permits: ghc_permits, cost: haskell };
pub(crate) const TOGETHER: Surface =
    Surface { name: "only together", axes: ocaml, permits: |_| true, cost: together };
pub(crate) const VALLEY: Surface =
    Surface { name: "valley", axes: ocaml, permits: |_| true, cost: valley };
pub(crate) const CRASHES: Surface =
    Surface { name: "crashes", axes: ocaml, permits: |_| true, cost: crashes };
pub(crate) const FLAT: Surface =
    Surface { name: "flat", axes: ocaml, permits: |_| true, cost: flat };

pub(crate) const UNEVEN: [Surface; 7] = [LIST_5, LIST_4, TREES, HASKELL, TOGETHER, VALLEY, CRASHES];

/// `s` of 32k to 1G words, `o` of 20 to 1600 %, `i` of 5 levels, `a` of 3 kinds.
fn ocaml() -> Vec<Axis> {
    vec![
        Axis { levels: 16, default: 3, order: Order::CostsMemory },
        Axis { levels: 8, default: 3, order: Order::CostsMemory },
        Axis { levels: 5, default: 0, order: Order::CostsMemory },
        Axis { levels: 3, default: 2, order: Order::None },
    ]
}

/// `-A` of 256k to 1g, `-n` off and 4 levels, `-F` of 7 levels, `-G`, `--nonmoving-gc`, `-c`.
fn ghc() -> Vec<Axis> {
    vec![
        Axis { levels: 13, default: 2, order: Order::CostsMemory },
        Axis { levels: 5, default: 0, order: Order::Rising },
        Axis { levels: 7, default: 2, order: Order::CostsMemory },
        Axis { levels: 3, default: 1, order: Order::Rising },
        Axis { levels: 2, default: 0, order: Order::None },
        Axis { levels: 2, default: 0, order: Order::None },
    ]
}

/// At most one of: one generation, non-moving, compacting.
fn ghc_permits(point: &Point) -> bool {
    let levels = point.levels();
    usize::from(levels[3] == 0) + levels[4] + levels[5] <= 1
}

/// Words of the minor heap at this level of `s`.
fn words(point: &Point) -> f64 {
    32_768.0 * f64::powi(2.0, i32::try_from(point.levels()[0]).expect("small"))
}

/// `o` in percent.
fn overhead(point: &Point) -> f64 {
    [20.0, 40.0, 80.0, 120.0, 200.0, 400.0, 800.0, 1600.0][point.levels()[1]]
}

/// The effect of `i` and `a`: next to nothing.
fn small(point: &Point) -> f64 {
    let policy = [1.02, 1.01, 1.0][point.levels()[3]];
    policy * (1.0 - 0.002 * point.levels()[2] as f64)
}

/// Linear interpolation between these points, over the logarithm of `x`.
fn between(x: f64, known: &[(f64, f64)]) -> f64 {
    let next = known.iter().position(|(at, _)| *at >= x).unwrap_or(known.len() - 1).max(1);
    let ((x0, y0), (x1, y1)) = (known[next - 1], known[next]);
    let share = ((x / x0).ln() / (x1 / x0).ln()).clamp(0.0, 1.0);
    y0 + share * (y1 - y0)
}

/// A cliff at which the whole list fits the nursery; 300 million words are needed.
fn list_5(point: &Point) -> Option<Cost> {
    let words = words(point);
    if words >= 300e6 {
        return Some(Cost { seconds: 1.34, peak_bytes: 2290.0 * MIB });
    }
    let major = 0.85 * (120.0 / overhead(point)).powf(0.8);
    let seconds = (1.35 + 1.0 + 0.02 * (300e6 / words).log2() + major) * small(point);
    let peak_bytes = (2290.0 + overhead(point) / 4.0) * MIB + 8.0 * words;
    Some(Cost { seconds, peak_bytes })
}

/// The same list with the nursery capped at 2^28 words, so that it never fits.
fn list_4(point: &Point) -> Option<Cost> {
    let words = words(point).min(268_435_456.0);
    let young = between(words, &[(32_768.0, 2.7), (262_144.0, 2.5), (134e6, 1.35), (268e6, 1.56)]);
    let major = 1.2 * (120.0 / overhead(point)).powf(0.5).min(8.0) * (1.0 - (words / 6e8).sqrt());
    let megabytes = between(words, &[(262_144.0, 2308.0), (134e6, 3090.0), (268e6, 4130.0)]);
    let peak_bytes = (megabytes + overhead(point) / 2.0) * MIB;
    Some(Cost { seconds: (young + major) * small(point), peak_bytes })
}

/// A knee at 32M words: fast enough, with far less memory than the fastest.
fn trees(point: &Point) -> Option<Cost> {
    let words = words(point);
    let seconds = [
        (32_768.0, 2.1),
        (262_144.0, 1.71),
        (32e6, 0.92),
        (128e6, 1.0),
        (256e6, 0.98),
        (512e6, 0.86),
    ];
    let megabytes = [(262_144.0, 340.0), (32e6, 402.0), (128e6, 1138.0), (512e6, 1058.0)];
    let rest = 0.1 * (120.0 / overhead(point)).powf(0.5) / (1.0 + words / 8e6);
    let seconds = (between(words, &seconds) + rest - 0.1 / (1.0 + words / 8e6)) * small(point);
    Some(Cost { seconds, peak_bytes: (between(words, &megabytes) + overhead(point) / 8.0) * MIB })
}

/// Larger areas are not always faster, nor do they always take more memory.
fn haskell(point: &Point) -> Option<Cost> {
    let area = 256.0 * f64::powi(2.0, i32::try_from(point.levels()[0]).expect("small"));
    let at = |values: [f64; 7]| {
        let known: Vec<(f64, f64)> = values
            .iter()
            .enumerate()
            .map(|(k, &y)| (256.0 * f64::powi(4.0, k as i32), y))
            .collect();
        between(area, &known)
    };
    let seconds = at([0.84, 0.90, 0.76, 0.92, 0.70, 0.64, 0.38]);
    let megabytes = at([701.0, 833.0, 661.0, 884.0, 610.0, 763.0, 717.0]);
    // The share of time in the old generation: the larger the area, the smaller.
    let old = ((seconds - 0.3) / 0.6).max(0.0);
    let factor: f64 = [1.3, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0][point.levels()[2]];
    let growth = 1.0 - 0.26 * old * (1.0 - 2.0 / factor).clamp(-1.0, 0.5) / 0.5;
    let chunks = 1.0 - 0.01 * point.levels()[1] as f64 / 4.0;
    let generations = [1.3, 1.0, 1.01][point.levels()[3]];
    let nonmoving = [(1.0, 1.0), (1.24, 0.6)][point.levels()[4]];
    let compacting = [(1.0, 1.0), (1.33, 0.5)][point.levels()[5]];
    let seconds = seconds * growth * chunks * generations * nonmoving.0 * compacting.0;
    let peak_bytes = megabytes * (0.6 + 0.2 * factor) * nonmoving.1 * compacting.1 * MIB;
    Some(Cost { seconds, peak_bytes })
}

/// Neither `s` nor `o` helps much alone, but both together do.
fn together(point: &Point) -> Option<Cost> {
    let step = |x: f64| 1.0 / (1.0 + (-x).exp());
    let size = step((words(point) / 8e6).log2());
    let overhead_helps = step(2.0 * (overhead(point) / 250.0).log2());
    let gain = 0.12 * size + 0.08 * overhead_helps + 0.7 * size * overhead_helps;
    let peak_bytes = (300.0 + overhead(point) / 2.0) * MIB + 8.0 * words(point);
    Some(Cost { seconds: (2.0 - gain) * small(point), peak_bytes })
}

/// One best level, at which the nursery just fits a cache; slower on both sides.
fn valley(point: &Point) -> Option<Cost> {
    let off = point.levels()[0] as f64 - 7.0;
    let seconds = (1.0 + 0.02 * off * off) * (1.0 + 0.02 * (overhead(point) / 200.0).log2().abs());
    let peak_bytes = 100.0 * MIB + 8.0 * words(point) + overhead(point) * 0.1 * MIB;
    Some(Cost { seconds: seconds * small(point), peak_bytes })
}

/// From 128M words on, memory does not suffice.
fn crashes(point: &Point) -> Option<Cost> {
    let words = words(point);
    let seconds = 1.0 + 2.0 / (1.0 + words / 2e6) + 30.0 / overhead(point);
    let peak_bytes = (200.0 + overhead(point)) * MIB + 8.0 * words;
    (words < 128e6).then_some(Cost { seconds: seconds * small(point), peak_bytes })
}

/// The settings affect only memory.
fn flat(point: &Point) -> Option<Cost> {
    Some(Cost { seconds: 1.0, peak_bytes: 100.0 * MIB + 8.0 * words(point) })
}
