//! The segmentation of least cost, with a penalty for every change and a bound on the cost of a
//! point.
//!
//! A point at `y` in a segment of level `θ` costs `w (y - θ)^2`, but at most `bound`: so a spike
//! stays a spike, since two changes cost more than one bounded point. The minimum over all
//! segmentations is exact. It is found by carrying, from point to point, the least cost of
//! everything so far as a function of the current level (functional pruning: Rigaill, *Journal de
//! la Société Française de Statistique* 156, 2015; Maidstone and others, *Statistics and Computing*
//! 27, 2017; with bounded costs: Fearnhead and Rigaill, *JASA* 114, 2019). The function consists of
//! pieces of parabolas; where a change just before would have been cheaper, the constant of that
//! change takes their place, which keeps the pieces few: about `O(n log n)` in total.

/// The costs in a segmentation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    /// The maximum cost of one point.
    pub(super) bound: f64,
    /// The cost of a change.
    pub(super) penalty: f64,
}

/// A part of the function: `curvature * (θ - vertex)^2 + height` up to `end`, from the end of the
/// previous piece.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    end: f64,
    curvature: f64,
    vertex: f64,
    height: f64,
    /// The first point of the segment that this level belongs to.
    start: usize,
}

impl Piece {
    fn at(&self, level: f64) -> f64 {
        let away = level - self.vertex;
        if self.curvature == 0.0 { self.height } else { self.curvature * away * away + self.height }
    }

    /// Adds a point, of weight `w` at `y`, counted in full.
    fn plus_parabola(self, w: f64, y: f64) -> Self {
        let curvature = self.curvature + w;
        let away = y - self.vertex;
        if self.curvature == 0.0 {
            return Self { curvature, vertex: y, ..self };
        }
        Self {
            curvature,
            vertex: self.vertex + away * (w / curvature),
            height: self.height + away * away * (self.curvature * w / curvature),
            ..self
        }
    }

    fn minimum(&self, from: f64) -> f64 {
        if self.curvature == 0.0 { self.height } else { self.at(self.vertex.clamp(from, self.end)) }
    }
}

/// The first points of all segments but the first, ascending, and the cost. `weights` are the
/// reciprocals of the variances.
pub(super) fn partition(values: &[f64], weights: &[f64], cost: Cost) -> (Vec<usize>, f64) {
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let whole = Piece { end: highest, curvature: 0.0, vertex: 0.0, height: 0.0, start: 0 };
    let (mut now, mut next) = (vec![whole], Vec::new());
    let mut starts = Vec::with_capacity(values.len());
    let mut total = 0.0;
    for (i, (&y, &w)) in values.iter().zip(weights).enumerate() {
        add_point(&now, &mut next, lowest, y, w, cost.bound);
        let (least, start) = least(&next, lowest);
        starts.push(start);
        total += least;
        now.clear();
        prune(&next, &mut now, lowest, least, cost.penalty, i + 1);
    }
    let mut changes = Vec::new();
    let mut end = values.len();
    while end > 0 {
        end = starts[end - 1];
        if end > 0 {
            changes.push(end);
        }
    }
    changes.reverse();
    (changes, total)
}

/// Adds a point to the function.
fn add_point(
    pieces: &[Piece],
    sum: &mut Vec<Piece>,
    lowest: f64,
    value: f64,
    weight: f64,
    bound: f64,
) {
    let reach = (bound / weight).sqrt();
    let (near, far) = (value - reach, value + reach);
    sum.clear();
    let mut from = lowest;
    for piece in pieces {
        let outside = |end: f64| Piece { end, height: piece.height + bound, ..*piece };
        if from < near {
            sum.push(outside(piece.end.min(near)));
        }
        if piece.end > near && (from < far || from == lowest) {
            sum.push(Piece { end: piece.end.min(far), ..piece.plus_parabola(weight, value) });
        }
        if piece.end > far {
            sum.push(outside(piece.end));
        }
        from = piece.end;
    }
}

/// The least value, and the first point of its segment.
fn least(pieces: &[Piece], lowest: f64) -> (f64, usize) {
    let mut from = lowest;
    let mut best = (f64::INFINITY, 0);
    for piece in pieces {
        let value = piece.minimum(from);
        if value < best.0 {
            best = (value, piece.start);
        }
        from = piece.end;
    }
    best
}

/// Subtracts the least value from the function, and replaces everything that costs more than a
/// change to a new segment at `start` by that change.
fn prune(
    pieces: &[Piece],
    kept: &mut Vec<Piece>,
    lowest: f64,
    least: f64,
    penalty: f64,
    start: usize,
) {
    let fresh = |end| Piece { end, curvature: 0.0, vertex: 0.0, height: penalty, start };
    let mut from = lowest;
    for piece in pieces {
        let old = Piece { height: piece.height - least, ..*piece };
        let room = penalty - old.height;
        if old.curvature == 0.0 {
            push(kept, if room < 0.0 { fresh(old.end) } else { old });
        } else if room < 0.0 {
            push(kept, fresh(old.end));
        } else {
            let half = (room / old.curvature).sqrt();
            let (left, right) = (old.vertex - half, old.vertex + half);
            if left >= old.end || right <= from {
                push(kept, fresh(old.end));
            } else {
                if left > from {
                    push(kept, fresh(left));
                }
                push(kept, Piece { end: old.end.min(right), ..old });
                if right < old.end {
                    push(kept, fresh(old.end));
                }
            }
        }
        from = piece.end;
    }
}

/// Appends a piece, or extends the last one if both are the same function.
fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    match pieces.last_mut() {
        Some(last) if Piece { end: piece.end, ..*last } == piece => last.end = piece.end,
        _ => pieces.push(piece),
    }
}

#[cfg(test)]
mod tests {
    use super::{Cost, partition};

    fn numbers(cell: &str) -> Vec<f64> {
        cell.split_whitespace().map(|number| number.parse().expect("a number")).collect()
    }

    #[test]
    fn the_partition_is_the_cheapest_of_all() {
        let table = include_str!("../../tests/reference/partition.csv");
        for line in table.lines().skip(1) {
            let cells: Vec<&str> = line.split(';').collect();
            let [values, weights, bound, penalty, cost, changes] = cells[..] else {
                panic!("six cells: {line}")
            };
            let (bound, penalty) = (numbers(bound)[0], numbers(penalty)[0]);
            let (values, weights) = (numbers(values), numbers(weights));
            let (found, total) = partition(&values, &weights, Cost { bound, penalty });
            let expected = numbers(cost)[0];
            assert!((total - expected).abs() <= 1e-6 * expected.max(1.0), "{total}: {line}");
            let indices: Vec<f64> = found.iter().map(|&change| change as f64).collect();
            assert_eq!(indices, numbers(changes), "{line}");
        }
    }
}
