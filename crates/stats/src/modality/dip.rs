//! The dip: the distance from the empirical distribution to the nearest one with one mode.
//!
//! Algorithm AS 217 (P. Hartigan, *Applied Statistics* 34, 1985), with the corrections of
//! Maechler's R package `diptest`. A distribution with one mode is convex before the mode and
//! concave after. So the greatest convex minorant of the empirical distribution function and its
//! least concave majorant are drawn over an interval that must hold the mode, and cut the interval
//! down at the place where they are furthest apart. The distance of the empirical function from
//! them outside of the interval is the dip, once the inside can add nothing more.
//!
//! Heights are counted in readings, distances in halves of one.

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
