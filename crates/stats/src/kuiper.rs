//! Kuiper's test (*Indagationes Mathematicae* 22, 1960): do two groups of readings lie in different
//! parts of a circle?
//!
//! The position of an address within a cache line or a page is a place on a circle: the last one is
//! the neighbour of the first, and slow positions may lie anywhere. Ranks ([`crate::mann_whitney`])
//! would only see slow positions at one end. Kuiper's statistic is the largest difference between
//! the shares of the two groups in an arc, over all arcs: the largest minus the smallest difference
//! of the two distribution functions, wherever the circle is cut.

/// The number of readings up to which the p-value is exact: some ten million additions.
const MOST_EXACT: usize = 120;

/// The separation of two groups by places on a circle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arc {
    /// The largest difference between the shares of the groups in an arc, from 0 to 1: 1 if an arc
    /// has all of one group and none of the other.
    pub strength: f64,
    /// For "the assignment of places to groups is random".
    pub p_value: f64,
    /// The first place of the arc in which the second group has the larger share.
    pub from: f64,
    /// Its last place; less than the first one if the arc goes through 0.
    pub until: f64,
}

/// The arc that best separates two groups of places. None if either is empty or a place is not
/// finite.
///
/// The p-value is the share of all groupings of the places whose strength is at least as large,
/// ties included, counted for up to 120 places; beyond, Kuiper's asymptotic distribution with the
/// correction of Stephens (*Biometrika* 52, 1965), which is too large if places are shared.
#[must_use]
pub fn arc(first: &[f64], second: &[f64]) -> Option<Arc> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    if !first.iter().chain(second).all(|place| place.is_finite()) {
        return None;
    }
    let places = places(first, second);
    let sizes = Sizes { first: first.len() as i64, second: second.len() as i64 };
    let steps = sizes.steps(&places);
    let (lowest, _) = extreme(&steps, |a, b| a < b);
    let (highest, _) = extreme(&steps, |a, b| a > b);
    let range = steps[highest] - steps[lowest];
    let strength = range as f64 / (sizes.first * sizes.second) as f64;
    let count = first.len() + second.len();
    let p_value = if count <= MOST_EXACT {
        exact_p(&places, sizes, range)
    } else {
        asymptotic_p(strength, sizes)
    };
    // The arc begins behind the place where the difference is least.
    let from = places[(lowest + 1) % places.len()].at;
    Some(Arc { strength, p_value, from, until: places[highest].at })
}

/// A place with the number of readings of each group.
#[derive(Debug, Clone, Copy)]
struct Place {
    at: f64,
    of_first: i64,
    of_second: i64,
}

/// The places in ascending order.
fn places(first: &[f64], second: &[f64]) -> Vec<Place> {
    let of_first = first.iter().map(|&at| Place { at, of_first: 1, of_second: 0 });
    let of_second = second.iter().map(|&at| Place { at, of_first: 0, of_second: 1 });
    let mut all: Vec<Place> = of_first.chain(of_second).collect();
    all.sort_by(|a, b| a.at.total_cmp(&b.at));
    let mut places: Vec<Place> = Vec::new();
    for one in all {
        match places.last_mut().filter(|last| last.at == one.at) {
            Some(last) => {
                last.of_first += one.of_first;
                last.of_second += one.of_second;
            }
            None => places.push(one),
        }
    }
    places
}

/// The sizes of the two groups.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    first: i64,
    second: i64,
}

impl Sizes {
    /// The difference of the cumulative shares after each place, second group less first, in units
    /// of one over the product of the sizes, so that it is an integer.
    fn steps(self, places: &[Place]) -> Vec<i64> {
        let mut at = 0;
        let step = |place: &Place| {
            at += place.of_second * self.first - place.of_first * self.second;
            at
        };
        places.iter().map(step).collect()
    }
}

/// The first place of the most extreme value, with the value.
fn extreme(steps: &[i64], is_beyond: impl Fn(i64, i64) -> bool) -> (usize, i64) {
    let mut best = (0, steps[0]);
    for (place, &step) in steps.iter().enumerate() {
        if is_beyond(step, best.1) {
            best = (place, step);
        }
    }
    best
}

/// The share of all groupings with a range of at least this one.
///
/// A grouping is a walk over the places, which takes some of each place's readings for the second
/// group, and begins and ends at 0. Walks with a smaller range are counted by their lowest point:
/// the walks that stay between it and less than the range above it, less those that stay above it.
fn exact_p(places: &[Place], sizes: Sizes, range: i64) -> f64 {
    let counts: Vec<i64> = places.iter().map(|place| place.of_first + place.of_second).collect();
    let all = walks(&counts, sizes, i64::MIN, i64::MAX);
    let mut floors: Vec<i64> = (0..=sizes.first)
        .flat_map(|n| (0..=sizes.second).map(move |m| m * sizes.first - n * sizes.second))
        .filter(|step| *step <= 0 && *step > -range)
        .collect();
    floors.sort_unstable();
    floors.dedup();
    let smaller = |floor: &i64| {
        let top = floor + range - 1;
        walks(&counts, sizes, *floor, top) - walks(&counts, sizes, floor + 1, top)
    };
    let smaller: f64 = floors.iter().map(smaller).sum();
    ((all - smaller) / all).clamp(0.0, 1.0)
}

/// The number of walks that stay within the bounds, both included.
fn walks(counts: &[i64], sizes: Sizes, low: i64, high: i64) -> f64 {
    if low > 0 || high < 0 {
        return 0.0;
    }
    let second = usize::try_from(sizes.second).expect("a count");
    // ways[k]: the number of ways in which k of the readings so far are of the second group.
    let mut ways = vec![0.0; second + 1];
    ways[0] = 1.0;
    let mut seen = 0;
    for &count in counts {
        let choices = binomials(count);
        let mut next = vec![0.0; second + 1];
        for (k, way) in ways.iter().enumerate().filter(|(_, way)| **way > 0.0) {
            for (chosen, choice) in choices.iter().enumerate().take(second - k + 1) {
                next[k + chosen] += way * choice;
            }
        }
        seen += count;
        for (k, way) in next.iter_mut().enumerate() {
            let of_second = k as i64;
            let step = of_second * sizes.first - (seen - of_second) * sizes.second;
            if seen - of_second > sizes.first || step < low || step > high {
                *way = 0.0;
            }
        }
        ways = next;
    }
    ways[second]
}

/// The binomial coefficients of `count` over 0, 1, 2 ...
fn binomials(count: i64) -> Vec<f64> {
    let mut row = vec![1.0];
    for k in 0..count {
        let next = row[k as usize] * (count - k) as f64 / (k + 1) as f64;
        row.push(next.round());
    }
    row
}

/// Kuiper's asymptotic distribution.
fn asymptotic_p(strength: f64, sizes: Sizes) -> f64 {
    let (first, second) = (sizes.first as f64, sizes.second as f64);
    let root = (first * second / (first + second)).sqrt();
    let scaled = strength * (root + 0.155 + 0.24 / root);
    // Below this the series needs many terms, and the p-value is 1 to many digits.
    if scaled < 0.4 {
        return 1.0;
    }
    let term = |j: i32| {
        let square = (f64::from(j) * scaled).powi(2);
        (4.0 * square - 1.0) * (-2.0 * square).exp()
    };
    (2.0 * (1..=100).map(term).sum::<f64>()).clamp(0.0, 1.0)
}
