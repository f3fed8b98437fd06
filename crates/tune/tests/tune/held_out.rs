//! Simulated programs that were not used to choose any constant of the search: they were written
//! before the last change to the search, and examined only afterwards.

use tune::{Axis, Order, Point};

use crate::surfaces::{Cost, Surface};

const MIB: f64 = 1_048_576.0;

pub(crate) const HELD_OUT: [Surface; 5] = [
    Surface { name: "Go", axes: go, permits: |_| true, cost: go_service },
    Surface { name: "SBCL", axes: sbcl, permits: |_| true, cost: sbcl_cache },
    Surface { name: "rugged", axes: ocaml, permits: |_| true, cost: rugged },
    Surface { name: "small is best", axes: ocaml, permits: |_| true, cost: small_is_best },
    Surface { name: "chunks", axes: ghc, permits: |_| true, cost: chunks },
];

/// `GOGC` of 9 levels, `GOMEMLIMIT` off and 4 levels, `GOMAXPROCS` of 3 levels.
fn go() -> Vec<Axis> {
    vec![
        Axis { levels: 9, default: 3, order: Order::CostsMemory },
        Axis { levels: 5, default: 0, order: Order::Rising },
        Axis { levels: 3, default: 1, order: Order::Rising },
    ]
}

/// Bytes between collections of 11 levels, generations of 4 levels.
fn sbcl() -> Vec<Axis> {
    vec![
        Axis { levels: 11, default: 4, order: Order::CostsMemory },
        Axis { levels: 4, default: 2, order: Order::Rising },
    ]
}

/// As in `surfaces`.
fn ocaml() -> Vec<Axis> {
    vec![
        Axis { levels: 14, default: 3, order: Order::CostsMemory },
        Axis { levels: 8, default: 3, order: Order::CostsMemory },
    ]
}

/// `-A` of 12 levels, `-n` off and 5 levels, `-F` of 5 levels, `-G` of 3, and two switches.
fn ghc() -> Vec<Axis> {
    vec![
        Axis { levels: 12, default: 2, order: Order::CostsMemory },
        Axis { levels: 6, default: 0, order: Order::Rising },
        Axis { levels: 5, default: 1, order: Order::CostsMemory },
        Axis { levels: 3, default: 1, order: Order::Rising },
        Axis { levels: 2, default: 0, order: Order::None },
        Axis { levels: 2, default: 0, order: Order::None },
    ]
}

fn doublings(point: &Point, axis: usize, from: usize) -> f64 {
    point.levels()[axis] as f64 - from as f64
}

/// The collector's work falls as the heap may grow; a low memory limit undoes that, and a second
/// thread helps a little.
fn go_service(point: &Point) -> Option<Cost> {
    let growth: f64 = [0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 4.0, 8.0, 30.0][point.levels()[0]];
    let live = 180.0;
    let wanted = live * (1.0 + growth);
    let limit = [f64::INFINITY, 250.0, 400.0, 800.0, 1600.0][point.levels()[1]];
    let heap = wanted.min(limit);
    let collector = 0.45 * live / (heap - live);
    let threads = [1.35, 1.0, 0.97][point.levels()[2]];
    Some(Cost { seconds: (1.0 + collector) * threads, peak_bytes: (heap + 20.0) * MIB })
}

/// Fewer collections, until new data no longer fits the cache and pages must come from the kernel;
/// with few generations everything is copied again.
fn sbcl_cache(point: &Point) -> Option<Cost> {
    let size = doublings(point, 0, 4);
    let collections = 0.6 * f64::powf(2.0, -0.8 * size).min(8.0_f64);
    let misses = 0.05 * (size - 1.0).max(0.0);
    let copies = [0.5, 0.12, 0.0, 0.01][point.levels()[1]] * f64::powf(2.0, -0.5 * size).min(2.0);
    let peak_bytes = (90.0 + 51.0 * f64::powf(2.0, size)) * MIB;
    Some(Cost { seconds: 1.0 + collections + misses + copies, peak_bytes })
}

/// Smooth overall, with up to 1.5 % of deviation at each point, as by alignment.
fn rugged(point: &Point) -> Option<Cost> {
    let [s, o] = [point.levels()[0], point.levels()[1]];
    let mixed = (s as u64 * 31 + o as u64 * 17 + 7).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    let off = 0.03 * (mixed as f64 / f64::from(1_u32 << 24) - 0.5);
    let smooth = 1.0 + 0.9 * f64::exp(-0.35 * s as f64) + 0.5 * f64::exp(-0.45 * o as f64);
    let peak_bytes = (60.0 + 0.25 * f64::powf(2.0, s as f64) + 25.0 * o as f64) * MIB;
    Some(Cost { seconds: smooth * off.exp(), peak_bytes })
}

/// The default is already beyond the cache: smaller is faster.
fn small_is_best(point: &Point) -> Option<Cost> {
    let s = doublings(point, 0, 1);
    let seconds = (1.0 + 0.09 * s.clamp(0.0, 4.0) + 0.2 * (-s).max(0.0))
        * (1.0 + 0.015 * doublings(point, 1, 5).abs());
    let peak_bytes = (40.0 + 2.0 * f64::powf(2.0, s) + 6.0 * point.levels()[1] as f64) * MIB;
    Some(Cost { seconds, peak_bytes })
}

/// A large area helps, and in chunks it helps more; chunks alone do nothing. The switches slow it
/// down, and save memory.
fn chunks(point: &Point) -> Option<Cost> {
    let levels = point.levels();
    let area = 1.0 / (1.0 + f64::exp(-0.9 * (levels[0] as f64 - 6.0)));
    let chunk = [0.0, 0.05, 0.08, 0.07, 0.03, 0.0][levels[1]] * area;
    let old = (1.0 - area) * [0.05, 0.0, -0.04, -0.07, -0.09][levels[2]];
    let generations = [0.12, 0.0, 0.015][levels[3]];
    let slow = [1.0, 1.18][levels[4]] * [1.0, 1.3][levels[5]];
    let seconds = (1.6 - 0.55 * area - chunk + old + generations) * slow;
    let live = 300.0 * [1.0, 0.65][levels[4]] * [1.0, 0.6][levels[5]];
    let peak_bytes =
        (live * (1.0 + 0.3 * levels[2] as f64) + f64::powf(2.0, levels[0] as f64)) * MIB;
    Some(Cost { seconds, peak_bytes })
}
