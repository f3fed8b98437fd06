//! The regimes of the readings of one variant: two modes, or a rare few that differ in kind from the
//! rest, and the other readings that differ between them.
//!
//! A program that is sometimes fast and sometimes slow has no typical time, and the reason (another
//! page layout, a migration to another core) is often worth more than the comparison. The dip test
//! (Hartigan and Hartigan, *Annals of Statistics* 13, 1985) checks if any distribution with one
//! mode fits. Only if none does are the values cut at the antimode, where fewest of them lie between
//! the two modes. Each other reading of the same runs is then tested for how well it separates the
//! regimes ([`mann_whitney::area`]): a benchmark whose slow runs all have 32 page faults per
//! iteration, and whose fast runs have none, has given away its secret.
//!
//! All of it assumes independent readings. Autocorrelated readings, or a machine that changed for
//! good halfway, also give two modes or a crowd; see [`crate::drift`].

use crate::family;
use crate::kuiper::{self, Arc};
use crate::mann_whitney::{self, Area};
use crate::order::{median, robust_deviation, sorted};

/// The p-value of one mode below which two modes are reported.
const DIP_LEVEL: f64 = 0.01;

/// The least share of the readings in a mode; fewer are outliers.
const LEAST_SHARE: f64 = 0.05;

/// The minimum number of readings that can show two modes.
const FEWEST_READINGS: usize = 10;

/// One of two modes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// The median of its readings, in their unit.
    pub median: f64,
    /// Its share of the readings, between 0.05 and 0.95.
    pub share: f64,
}

/// The number of modes of the readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Modality {
    /// There are too few readings, or too many equal ones, so that the modes may come from the
    /// instrument's resolution and not the program.
    Undetermined,
    /// One mode fits.
    Unimodal {
        /// The p-value of the dip test; not resolved below 0.001.
        p_value: f64,
    },
    /// No distribution with one mode fits.
    Bimodal {
        /// The p-value of the dip test; 0.001 stands for that or less.
        p_value: f64,
        /// The lower mode.
        low: Mode,
        /// The upper mode.
        high: Mode,
        /// Readings up to this one belong to the lower mode.
        split: f64,
    },
}

/// The modality of `values`, in any order.
///
/// Ties: rounding to a grid moves the empirical distribution by less than the share of the most
/// frequent value, and the dip no further than the distribution. Two modes are reported only if
/// they remain when the dip is lowered by that much; if only that removes them, the result is
/// [`Modality::Undetermined`].
#[must_use]
pub fn modality(values: &[f64]) -> Modality {
    if values.len() < FEWEST_READINGS || !values.iter().all(|v| v.is_finite()) {
        return Modality::Undetermined;
    }
    let sorted = sorted(values);
    let dip = dip(&sorted);
    let n = sorted.len();
    let p_value = dip_p_value(n, dip);
    if p_value >= DIP_LEVEL {
        return Modality::Unimodal { p_value };
    }
    let most_equal = sorted.chunk_by(|a, b| a == b).map(<[f64]>::len).max().unwrap_or(1);
    let from_ties = (most_equal - 1) as f64 / n as f64;
    if dip_p_value(n, dip - from_ties) >= DIP_LEVEL {
        return Modality::Undetermined;
    }
    let Some(cut) = best_split(&sorted) else {
        return Modality::Undetermined;
    };
    let (lower, upper) = sorted.split_at(cut);
    let mode = |part: &[f64]| Mode { median: median(part), share: part.len() as f64 / n as f64 };
    Modality::Bimodal { p_value, low: mode(lower), high: mode(upper), split: lower[cut - 1] }
}

/// The separation of the modes by another reading (page faults, waiting): the probability that one
/// from a run of the high mode exceeds one from a run of the low mode. 0.5 explains nothing, 0 or 1
/// everything. None if either is empty.
#[must_use]
pub fn separation(in_low: &[f64], in_high: &[f64]) -> Option<f64> {
    mann_whitney::superiority(in_low, in_high)
}

/// The index at which to cut ascending values so that the squares within both parts are least
/// (Otsu, *IEEE Transactions on Systems, Man, and Cybernetics* 9, 1979), each part holding its
/// least share and equal values staying together. None if no cut does.
fn best_split(sorted: &[f64]) -> Option<usize> {
    let n = sorted.len();
    let least = ((LEAST_SHARE * n as f64).ceil() as usize).max(1);
    let centre = median(sorted);
    let total: f64 = sorted.iter().map(|v| v - centre).sum();
    let mut below = 0.0;
    let mut best: Option<(f64, usize)> = None;
    for cut in 1..n {
        below += sorted[cut - 1] - centre;
        if cut < least || n - cut < least || sorted[cut - 1] == sorted[cut] {
            continue;
        }
        let above = total - below;
        let between = below * below / cut as f64 + above * above / (n - cut) as f64;
        if best.is_none_or(|(most, _)| between > most) {
            best = Some((between, cut));
        }
    }
    best.map(|(_, cut)| cut)
}

/// Two regimes.
#[derive(Debug, Clone, PartialEq)]
pub struct Regimes {
    /// The lower one.
    pub low: Mode,
    /// The upper one.
    pub high: Mode,
    /// Values up to this one belong to the lower regime.
    pub split: f64,
    /// For each value, in the given order: true if it belongs to the upper regime.
    pub in_high: Vec<bool>,
    /// The p-value of the dip test, for "one mode".
    pub p_value: f64,
}

/// The relation of a reading to a grouping of runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Companion {
    /// The index of the reading.
    pub reading: usize,
    /// The separation of the groups by the reading; the p-value is corrected for all tested
    /// readings (Holm).
    pub area: Area,
    /// Its median in the first group: the lower regime.
    pub in_low: f64,
    /// Its median in the second group: the upper regime.
    pub in_high: f64,
}

/// The regimes of `values`, in any order; None if one mode fits or nothing can be concluded,
/// according to [`modality`].
#[must_use]
pub fn regimes(values: &[f64]) -> Option<Regimes> {
    let Modality::Bimodal { p_value, low, high, split } = modality(values) else {
        return None;
    };
    let sorted = sorted(values);
    let cut = antimode(&sorted, &low, &high, split);
    let (lower, upper) = sorted.split_at(cut);
    let mode = |part: &[f64]| Mode {
        median: median(part),
        share: part.len() as f64 / sorted.len() as f64,
    };
    let split = lower[cut - 1];
    let in_high = values.iter().map(|&value| value > split).collect();
    Some(Regimes { low: mode(lower), high: mode(upper), split, in_high, p_value })
}

/// True if a factor accounts for most of the distance between two regimes, given by their medians:
/// on the log scale it is within half of that distance of it.
#[must_use]
pub fn is_most_of(factor: f64, low: f64, high: f64) -> bool {
    let apart = (high / low).ln();
    (factor.ln().abs() - apart).abs() < 0.5 * apart
}

/// The index at which to cut ascending values: the gap between two neighbours where the density,
/// estimated with a normal kernel, is least; of equal gaps, the widest.
///
/// The kernel's width is Silverman's (*Density Estimation*, 1986, equation 3.31), for the narrower
/// of the two modes.
fn antimode(sorted: &[f64], low: &Mode, high: &Mode, split: f64) -> usize {
    let from = sorted.partition_point(|&value| value < low.median);
    let until = sorted.partition_point(|&value| value <= high.median);
    let first_cut = sorted.partition_point(|&value| value <= split);
    let width = kernel_width(&sorted[..first_cut]).min(kernel_width(&sorted[first_cut..]));
    let density = |at: f64| -> f64 {
        sorted.iter().map(|value| (-0.5 * ((value - at) / width).powi(2)).exp()).sum()
    };
    let mut best: Option<(f64, f64, usize)> = None;
    for cut in from + 1..until {
        let gap = sorted[cut] - sorted[cut - 1];
        if gap == 0.0 {
            continue;
        }
        let here = density(sorted[cut - 1] + 0.5 * gap);
        let better =
            |(least, widest, _): (f64, f64, usize)| here < least || (here == least && gap > widest);
        if best.is_none_or(better) {
            best = Some((here, gap, cut));
        }
    }
    best.map_or(first_cut, |(_, _, cut)| cut)
}

fn kernel_width(part: &[f64]) -> f64 {
    let centre = median(part);
    let width = 0.9 * robust_deviation(part, centre) * (part.len() as f64).powf(-0.2);
    // Equal values have no spread, and a kernel needs a width.
    width.max(f64::EPSILON * centre.abs()).max(f64::MIN_POSITIVE)
}

/// The relation of positions on a circle to a grouping of the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Around {
    /// The index of the set of positions.
    pub places: usize,
    /// The arc that best separates the groups; the p-value is corrected for all tested sets (Holm).
    pub arc: Arc,
}

/// The relation of each of `places` to a grouping of the runs, as [`companions`] gives it for
/// readings; strongest first.
#[must_use]
pub fn around(in_high: &[bool], places: &[Vec<Option<f64>>]) -> Vec<Around> {
    let one = |(number, all): (usize, &Vec<Option<f64>>)| {
        let (first, second) = groups(in_high, all)?;
        Some(Around { places: number, arc: kuiper::arc(&first, &second)? })
    };
    let mut found: Vec<Around> = places.iter().enumerate().filter_map(one).collect();
    correct(found.iter_mut().map(|one| &mut one.arc.p_value).collect());
    found.sort_by(|a, b| b.arc.strength.total_cmp(&a.arc.strength));
    found
}

/// The relation of each of `readings` to a grouping of the runs, strongest first: by how well it
/// separates the groups, then by index. `in_high[r]` is the group of run `r`, and `readings[k][r]`
/// its reading `k`, None if missing; such runs are left out.
///
/// Readings are left out if their number differs from that of the runs, one is not finite, or one
/// of the groups has none.
#[must_use]
pub fn companions(in_high: &[bool], readings: &[Vec<Option<f64>>]) -> Vec<Companion> {
    let one = |(reading, values): (usize, &Vec<Option<f64>>)| {
        let (first, second) = groups(in_high, values)?;
        let area = mann_whitney::area(&first, &second)?;
        let (in_low, in_high) = (median(&sorted(&first)), median(&sorted(&second)));
        Some(Companion { reading, area, in_low, in_high })
    };
    let mut found: Vec<Companion> = readings.iter().enumerate().filter_map(one).collect();
    correct(found.iter_mut().map(|companion| &mut companion.area.p_value).collect());
    found.sort_by(|a, b| b.area.strength().total_cmp(&a.area.strength()));
    found
}

/// The readings of the runs that are not in the high group, and of those that are; None if they are
/// not as many as the runs.
fn groups(in_high: &[bool], readings: &[Option<f64>]) -> Option<(Vec<f64>, Vec<f64>)> {
    let group = |wanted: bool| -> Vec<f64> {
        let runs = in_high.iter().zip(readings).filter(|(high, _)| **high == wanted);
        runs.filter_map(|(_, reading)| *reading).collect()
    };
    (readings.len() == in_high.len()).then(|| (group(false), group(true)))
}

/// Corrects the p-values of one family by Holm's method.
fn correct(p_values: Vec<&mut f64>) {
    let raw: Vec<f64> = p_values.iter().map(|p_value| **p_value).collect();
    for (p_value, corrected) in p_values.into_iter().zip(family::holm(&raw)) {
        *p_value = corrected;
    }
}

// Rare regimes: for example, one run in ten takes twenty times as long, because the others skip the
// work.
//
// The dip test finds two modes if both have many readings. A rare regime shows by the gap before
// it. Beyond its mode, a density with one mode does not increase. So of `m` independent readings
// between two order statistics `a < c`, all are above `b` with a probability of at most
// `((c - b) / (c - a))^m`, for any such distribution: a heavy tail gets thinner outwards, and leaves
// no gap with a crowd behind it. Every possible number of rare readings is tested, on both sides,
// and corrected for the number of tests (Bonferroni). Times are skewed, and the mode may be near the
// shortest; so the lower side is tested on a logarithmic axis, which requires positive readings.

/// The minimum number of readings in a rare regime; fewer are outliers, since no gap before two of them
/// is unlikely.
const FEWEST_RARE: usize = 3;

/// At most one in this number of readings is rare, so that the gap is beyond the mode.
const LARGEST_PART: usize = 4;

/// One in this number of rare readings, the farthest out, does not bound the crowd: they may have a
/// tail of their own.
const PART_OF_TAIL: usize = 5;

/// A regime that contains few of the readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RareRegime {
    /// The number of readings in it.
    pub count: usize,
    /// The median of its readings, in their unit.
    pub rare: f64,
    /// The median of all others.
    pub usual: f64,
    /// Readings up to this one belong to the lower of the two.
    pub split: f64,
    /// An upper bound for the probability of a gap this clear anywhere if there was one mode.
    pub p_value: f64,
}

/// The regime on the side of the clearest gap, from its first gap that is clear at `level`; None if
/// no gap is, there are fewer than 12 readings, or one is not finite.
///
/// Rounding to a grid can crowd readings that are spread, by up to the distance of two neighbouring
/// readings; the least such distance is added to the crowd's width.
#[must_use]
pub fn rare_regime(values: &[f64], level: f64) -> Option<RareRegime> {
    if !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let ascending = sorted(values);
    let n = ascending.len();
    let distances = ascending.windows(2).map(|pair| pair[1] - pair[0]);
    let grid = distances.filter(|&distance| distance > 0.0).fold(f64::INFINITY, f64::min);
    let above = ends(n, |count, beyond| {
        let (before, first, last) =
            (ascending[n - count - 1], ascending[n - count], ascending[n - 1 - beyond]);
        (first > before).then(|| (last - first + grid) / (last - before))
    });
    let below = ends(n, |count, beyond| {
        let (before, first, last) = (ascending[count], ascending[count - 1], ascending[beyond]);
        (first < before && last > 0.0).then(|| ((first + grid) / last).ln() / (before / last).ln())
    });
    let clearest = |ends: &[End]| ends.iter().map(|end| end.p_value).fold(1.0, f64::min);
    let is_above = clearest(&above) <= clearest(&below);
    let side = if is_above { above } else { below };
    let clear = side.into_iter().filter(|end| end.p_value < level);
    let End { count, p_value } = clear.max_by_key(|end| end.count)?;
    let cut = if is_above { n - count } else { count };
    let (lower, upper) = ascending.split_at(cut);
    let (rare, usual) = if is_above { (upper, lower) } else { (lower, upper) };
    Some(RareRegime {
        count: rare.len(),
        rare: median(rare),
        usual: median(usual),
        split: lower[cut - 1],
        p_value,
    })
}

/// A group of readings at one end with a gap before it.
struct End {
    count: usize,
    /// The probability of the gap, corrected for all tested ends on both sides.
    p_value: f64,
}

/// One side's ends of `n` readings. `share(count, beyond)` is the width of `count` readings, less
/// the `beyond` outermost, as a fraction of that width and the gap together; None if there is no
/// gap.
fn ends(n: usize, share: impl Fn(usize, usize) -> Option<f64>) -> Vec<End> {
    let counts = FEWEST_RARE..=n / LARGEST_PART;
    let asked = 2.0 * counts.clone().count() as f64;
    let of_count = |count: usize| {
        let beyond = count / PART_OF_TAIL;
        let within = i32::try_from(count - 1 - beyond).ok()?;
        let chance = share(count, beyond)?.min(1.0).powi(within);
        Some(End { count, p_value: (asked * chance).min(1.0) })
    };
    counts.filter_map(of_count).collect()
}

// The dip: the distance from the empirical distribution to the nearest one with one mode.
//
// Algorithm AS 217 (P. Hartigan, *Applied Statistics* 34, 1985), with the corrections of
// Maechler's R package `diptest`. A distribution with one mode is convex before the mode and
// concave after. So the greatest convex minorant of the empirical distribution function and its
// least concave majorant are drawn over an interval that must hold the mode, and cut the interval
// down at the place where they are furthest apart. The distance of the empirical function from
// them outside of the interval is the dip, once the inside can add nothing more.
//
// Heights are counted in readings, distances in halves of one.

/// The dip of ascending values: the least, over all distributions with one mode, of the largest
/// distance to the empirical distribution function. Between `1 / 2n` and 1/4. Ties are allowed.
#[must_use]
pub fn dip(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    let mut dip = 1.0_f64;
    if n > 1 && sorted[0] < sorted[n - 1] {
        let (before, after) = (convex_predecessors(sorted), concave_successors(sorted));
        let (mut low, mut high) = (0, n - 1);
        loop {
            let convex = chain(high, low, &before);
            let concave = chain(low, high, &after);
            let (apart, on_convex, on_concave) = furthest_apart(sorted, &convex, &concave);
            if apart < dip {
                break;
            }
            let left = convex[on_convex..].windows(2);
            let right = concave[on_concave..].windows(2);
            dip = left.fold(dip, |most, edge| most.max(above(sorted, edge[1], edge[0])));
            dip = right.fold(dip, |most, edge| most.max(beneath(sorted, edge[0], edge[1])));
            if (low, high) == (convex[on_convex], concave[on_concave]) {
                break;
            }
            (low, high) = (convex[on_convex], concave[on_concave]);
        }
    }
    0.5 * dip / n.max(1) as f64
}

/// For each value, the one before it on the greatest convex minorant of all up to it.
fn convex_predecessors(x: &[f64]) -> Vec<usize> {
    let mut before = vec![0; x.len()];
    for j in 1..x.len() {
        before[j] = j - 1;
        loop {
            let k = before[j];
            let m = before[k];
            if k == 0 || (x[j] - x[k]) * ((k - m) as f64) < (x[k] - x[m]) * ((j - k) as f64) {
                break;
            }
            before[j] = m;
        }
    }
    before
}

/// For each value, the one after it on the least concave majorant of all from it on.
fn concave_successors(x: &[f64]) -> Vec<usize> {
    let last = x.len() - 1;
    let mut after = vec![last; x.len()];
    for k in (0..last).rev() {
        after[k] = k + 1;
        loop {
            let j = after[k];
            let m = after[j];
            if j == last || (x[j] - x[k]) * ((m - j) as f64) < (x[m] - x[j]) * ((j - k) as f64) {
                break;
            }
            after[k] = m;
        }
    }
    after
}

/// The vertices met on following `links` from one value to another.
fn chain(from: usize, to: usize, links: &[usize]) -> Vec<usize> {
    let mut chain = vec![from];
    let mut at = from;
    while at != to {
        at = links[at];
        chain.push(at);
    }
    chain
}

/// The place where the two curves are furthest apart: the distance, and the vertex of either that
/// bounds the place. `convex` runs downwards, `concave` upwards, between the same two values.
fn furthest_apart(x: &[f64], convex: &[usize], concave: &[usize]) -> (f64, usize, usize) {
    let (mut on_convex, mut on_concave) = (convex.len() - 1, concave.len() - 1);
    if on_convex == 1 && on_concave == 1 {
        return (1.0, on_convex, on_concave);
    }
    let (mut i, mut j) = (on_convex - 1, 1);
    let mut most = 0.0;
    let line = |from: usize, to: usize, at: usize| {
        (x[at] - x[from]) * (to - from) as f64 / (x[to] - x[from])
    };
    loop {
        let (g, h) = (convex[i], concave[j]);
        if g > h {
            let start = convex[i + 1];
            let apart = (h + 1 - start) as f64 - line(start, g, h);
            if apart >= most {
                (most, on_convex, on_concave) = (apart, i + 1, j);
            }
            j += 1;
        } else {
            let start = concave[j - 1];
            let apart = line(start, h, g) - (g as f64 - start as f64 - 1.0);
            if apart >= most {
                (most, on_convex, on_concave) = (apart, i, j);
            }
            i = i.saturating_sub(1);
        }
        j = j.min(concave.len() - 1);
        if convex[i] == concave[j] {
            return (most, on_convex, on_concave);
        }
    }
}

/// The height of the steps above an edge of the convex minorant.
fn above(x: &[f64], from: usize, to: usize) -> f64 {
    largest_over(x, from, to, |k, line| (k - from + 1) as f64 - line)
}

/// The depth of the steps' feet beneath an edge of the concave majorant.
fn beneath(x: &[f64], from: usize, to: usize) -> f64 {
    largest_over(x, from, to, |k, line| line - (k as f64 - from as f64 - 1.0))
}

/// The largest `gap(k, height of the edge over from)`, at least 1.
fn largest_over(x: &[f64], from: usize, to: usize, gap: impl Fn(usize, f64) -> f64) -> f64 {
    if to - from <= 1 || x[from] == x[to] {
        return 1.0;
    }
    let slope = (to - from) as f64 / (x[to] - x[from]);
    (from..=to).fold(1.0, |most, k| most.max(gap(k, (x[k] - x[from]) * slope)))
}

// The distribution of the dip of uniform readings, the least favourable ones with one mode.

/// Distribution levels of the columns of [`DIP_QUANTILES`].
const DIP_LEVELS: [f64; 16] =
    [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999];

/// The p-value of a dip of `n` readings, by linear interpolation in `sqrt(n) * dip`, in the
/// logarithm of `n` and in the level. Between 0.001, which stands for that or less, and 1. Taken at
/// 4 readings for fewer and at 5000 for more; the quantiles hardly move from 1000 on.
#[must_use]
pub fn dip_p_value(n: usize, dip: f64) -> f64 {
    let scaled = (n as f64).sqrt() * dip;
    let row = dip_quantiles(n);
    let Some(next) = row.iter().position(|&quantile| scaled < quantile) else {
        return 1.0 - DIP_LEVELS[DIP_LEVELS.len() - 1];
    };
    if next == 0 {
        return 1.0;
    }
    let part = (scaled - row[next - 1]) / (row[next] - row[next - 1]);
    1.0 - (DIP_LEVELS[next - 1] + part * (DIP_LEVELS[next] - DIP_LEVELS[next - 1]))
}

/// The quantiles of `sqrt(n) * dip` for `n` readings.
fn dip_quantiles(n: usize) -> [f64; 16] {
    let next = DIP_QUANTILES.partition_point(|&(size, _)| size < n).min(DIP_QUANTILES.len() - 1);
    let (above, high) = DIP_QUANTILES[next];
    let (below, low) = DIP_QUANTILES[next.saturating_sub(1)];
    if above <= n || below >= n || above == below {
        return high;
    }
    let part = (n as f64 / below as f64).ln() / (above as f64 / below as f64).ln();
    std::array::from_fn(|i| low[i] + part * (high[i] - low[i]))
}

/// Quantiles of `sqrt(n) * dip` by number of readings: `tests/reference/dip_quantiles.csv`, from a
/// simulation in Python.
#[rustfmt::skip]
const DIP_QUANTILES: [(usize, [f64; 16]); 18] = [
    (4, [0.250_00, 0.250_00, 0.250_00, 0.250_00, 0.250_00, 0.250_00, 0.250_00, 0.265_87, 0.315_82, 0.375_77, 0.414_74, 0.447_95, 0.464_24, 0.474_62, 0.483_73, 0.487_77]),
    (5, [0.223_61, 0.223_61, 0.223_61, 0.223_61, 0.242_66, 0.271_47, 0.299_95, 0.329_25, 0.360_08, 0.395_14, 0.416_58, 0.432_74, 0.439_40, 0.443_24, 0.445_50, 0.446_30]),
    (6, [0.204_12, 0.204_12, 0.226_45, 0.254_28, 0.279_00, 0.301_58, 0.323_10, 0.344_52, 0.366_27, 0.389_82, 0.403_56, 0.440_37, 0.470_28, 0.494_87, 0.519_53, 0.536_43]),
    (7, [0.192_33, 0.216_53, 0.249_12, 0.273_15, 0.293_46, 0.311_56, 0.328_61, 0.344_98, 0.361_24, 0.381_87, 0.423_15, 0.464_25, 0.486_26, 0.505_91, 0.524_37, 0.535_66]),
    (8, [0.209_22, 0.231_94, 0.260_98, 0.281_71, 0.298_64, 0.313_81, 0.327_68, 0.340_91, 0.355_05, 0.401_44, 0.435_91, 0.469_27, 0.488_76, 0.505_56, 0.527_25, 0.548_63]),
    (9, [0.219_78, 0.241_09, 0.267_07, 0.285_08, 0.299_92, 0.312_44, 0.324_00, 0.337_41, 0.368_47, 0.408_83, 0.439_39, 0.470_65, 0.491_28, 0.516_40, 0.545_68, 0.562_61]),
    (10, [0.227_61, 0.246_84, 0.269_77, 0.285_62, 0.298_31, 0.309_25, 0.323_28, 0.347_56, 0.375_29, 0.412_47, 0.440_77, 0.475_20, 0.503_23, 0.526_34, 0.552_74, 0.571_24]),
    (12, [0.234_59, 0.250_38, 0.269_09, 0.281_75, 0.295_48, 0.315_50, 0.335_15, 0.356_33, 0.380_91, 0.416_21, 0.450_58, 0.489_99, 0.515_12, 0.536_09, 0.564_02, 0.583_16]),
    (15, [0.236_41, 0.248_90, 0.268_08, 0.288_66, 0.306_76, 0.323_90, 0.341_53, 0.361_07, 0.386_21, 0.427_10, 0.460_79, 0.498_90, 0.526_37, 0.552_58, 0.581_85, 0.603_95]),
    (20, [0.236_06, 0.254_43, 0.277_46, 0.295_43, 0.311_72, 0.328_41, 0.347_61, 0.369_32, 0.395_93, 0.435_27, 0.471_03, 0.512_77, 0.540_96, 0.567_44, 0.599_44, 0.621_39]),
    (30, [0.243_56, 0.259_74, 0.283_10, 0.302_16, 0.319_52, 0.336_89, 0.355_97, 0.377_67, 0.405_17, 0.446_77, 0.482_68, 0.525_94, 0.553_83, 0.582_70, 0.614_08, 0.637_41]),
    (50, [0.249_30, 0.266_54, 0.290_47, 0.309_52, 0.327_32, 0.345_28, 0.364_78, 0.387_19, 0.415_45, 0.458_58, 0.496_55, 0.542_36, 0.574_50, 0.604_06, 0.639_32, 0.666_79]),
    (100, [0.256_66, 0.274_02, 0.298_15, 0.317_84, 0.336_31, 0.355_01, 0.375_07, 0.398_14, 0.427_18, 0.471_08, 0.510_91, 0.558_70, 0.592_10, 0.623_49, 0.658_62, 0.685_62]),
    (200, [0.262_11, 0.280_44, 0.305_11, 0.324_94, 0.343_33, 0.362_08, 0.382_39, 0.405_85, 0.435_61, 0.480_51, 0.521_04, 0.571_37, 0.605_72, 0.640_28, 0.678_70, 0.705_96]),
    (500, [0.267_08, 0.285_15, 0.309_87, 0.330_08, 0.348_86, 0.368_12, 0.389_06, 0.412_87, 0.442_80, 0.488_85, 0.530_26, 0.581_45, 0.616_85, 0.650_80, 0.689_98, 0.717_26]),
    (1000, [0.270_57, 0.288_56, 0.313_79, 0.333_49, 0.352_89, 0.372_27, 0.393_05, 0.416_89, 0.447_01, 0.492_95, 0.536_24, 0.588_74, 0.625_18, 0.655_34, 0.695_16, 0.721_68]),
    (2000, [0.271_11, 0.289_30, 0.313_24, 0.333_50, 0.352_42, 0.371_76, 0.393_18, 0.417_15, 0.448_26, 0.495_70, 0.535_69, 0.585_00, 0.621_56, 0.651_76, 0.688_28, 0.717_27]),
    (5000, [0.271_26, 0.289_80, 0.315_00, 0.335_09, 0.354_63, 0.375_29, 0.396_11, 0.419_32, 0.450_49, 0.501_20, 0.543_35, 0.595_95, 0.631_35, 0.671_22, 0.723_47, 0.743_13]),
];
