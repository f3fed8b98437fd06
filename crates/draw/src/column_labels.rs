//! The choice of the columns that are named below the panels, and the positions of the names.
//!
//! Few columns have their names and notes below them, across. More have them running down. If even
//! that leaves no room for all, the columns of changes are named, then the first and the last, and
//! then columns at even distances; a label without room right below its column moves aside, and a
//! line leads to it.

use std::collections::BTreeSet;

/// The minimum distance of labels that run down: the height of their text and a small margin.
pub(crate) const LEAST_DISTANCE: f64 = 13.0;
/// The distance of the columns from which their labels run across.
const ACROSS_FROM: f64 = 96.0;
/// The approximate distance of evenly spaced labels. Arbitrary: enough for orientation.
const EVEN_DISTANCE: f64 = 56.0;

/// The arrangement of the labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrangement {
    /// All, across.
    Across,
    /// All, running down.
    Down,
    /// Some, running down.
    Some,
}

/// The arrangement for columns at a distance of `pitch`.
pub(crate) fn arrangement(pitch: f64) -> Arrangement {
    match pitch {
        _ if pitch >= ACROSS_FROM => Arrangement::Across,
        _ if pitch >= LEAST_DISTANCE => Arrangement::Down,
        _ => Arrangement::Some,
    }
}

/// A named column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Named {
    /// Its index.
    pub(crate) column: usize,
    /// The middle of its label, counted from the left end of the axis.
    pub(crate) x: f64,
    /// Set if it is named because of a change.
    pub(crate) has_change: bool,
}

/// The columns to be named, given `columns` columns at a distance of `pitch`. `changes` are the
/// columns of changes, each with its importance.
pub(crate) fn chosen(columns: usize, pitch: f64, changes: &[(usize, f64)]) -> Vec<Named> {
    let middle = |column: usize| (column as f64 + 0.5) * pitch;
    if arrangement(pitch) != Arrangement::Some {
        let changes: BTreeSet<usize> = changes.iter().map(|(column, _)| *column).collect();
        let named =
            |column| Named { column, x: middle(column), has_change: changes.contains(&column) };
        return (0..columns).map(named).collect();
    }
    let length = columns as f64 * pitch;
    let changes = most_important(changes, (length / LEAST_DISTANCE) as usize);
    let wanted: Vec<f64> = changes.iter().map(|column| middle(*column)).collect();
    let places = spread(&wanted, LEAST_DISTANCE, length);
    let named = |(column, x)| Named { column, x, has_change: true };
    let mut named: Vec<Named> = changes.into_iter().zip(places).map(named).collect();
    let every = even_count(EVEN_DISTANCE / pitch);
    for column in [0, columns - 1].into_iter().chain((0..columns).step_by(every)) {
        let x = middle(column).clamp(LEAST_DISTANCE / 2.0, length - LEAST_DISTANCE / 2.0);
        if named.iter().all(|other| (other.x - x).abs() >= LEAST_DISTANCE) {
            named.push(Named { column, x, has_change: false });
        }
    }
    named.sort_by(|a, b| a.x.total_cmp(&b.x));
    named
}

/// The `room` most important columns, from left to right.
fn most_important(changes: &[(usize, f64)], room: usize) -> Vec<usize> {
    let mut changes = changes.to_vec();
    changes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut kept = BTreeSet::new();
    for (column, _) in changes {
        if kept.len() < room {
            kept.insert(column);
        }
    }
    kept.into_iter().collect()
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least `least`.
fn even_count(least: f64) -> usize {
    let mut step = 1;
    loop {
        for factor in [1, 2, 5] {
            if (step * factor) as f64 >= least {
                return step * factor;
            }
        }
        step *= 10;
    }
}

/// Positions at least `distance` apart and half of that from both ends of `0..length`, in the order
/// of `wanted` and, by the sum of squares, as near to it as possible.
///
/// After subtracting the required distances, the positions need only be in order, and the nearest
/// such positions are the isotonic regression of the wanted ones, found by pooling adjacent
/// violators (Ayer et al., *Annals of Mathematical Statistics* 26, 1955); bounds only cut it off.
fn spread(wanted: &[f64], distance: f64, length: f64) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (index, x) in wanted.iter().enumerate() {
        let mut pool = (x - index as f64 * distance, 1);
        while let Some(&(sum, count)) = pools.last() {
            if sum / count as f64 <= pool.0 / pool.1 as f64 {
                break;
            }
            pools.pop();
            pool = (pool.0 + sum, pool.1 + count);
        }
        pools.push(pool);
    }
    let needed = distance * wanted.len() as f64;
    let bounds = (distance / 2.0, (length - needed + distance / 2.0).max(distance / 2.0));
    let means =
        pools.iter().flat_map(|(sum, count)| std::iter::repeat_n(sum / *count as f64, *count));
    means
        .enumerate()
        .map(|(index, mean)| mean.clamp(bounds.0, bounds.1) + index as f64 * distance)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_columns_are_named_where_there_is_room() {
        let named = chosen(40, 22.0, &[(3, 1.0)]);
        assert_eq!(named.len(), 40);
        assert_eq!(named[3], Named { column: 3, x: 77.0, has_change: true });
        assert!(!named[4].has_change);
    }

    #[test]
    fn of_many_columns_those_of_changes_are_named_and_some_between() {
        let changes = [(500, 1.0), (501, 1.0), (502, 1.0)];
        let named = chosen(1000, 1.9, &changes);
        let columns = |of_changes| -> Vec<usize> {
            named.iter().filter(|n| n.has_change == of_changes).map(|n| n.column).collect()
        };
        assert_eq!(columns(true), [500, 501, 502]);
        let between: Vec<usize> =
            (0..1000).step_by(50).filter(|c| *c != 500).chain(std::iter::once(999)).collect();
        assert_eq!(columns(false), between);
        let middle = named.iter().find(|named| named.column == 501).map(|named| named.x);
        assert!((middle.expect("named") - 501.5 * 1.9).abs() < 1e-9);
    }

    #[test]
    fn where_every_column_is_a_step_the_largest_are_named() {
        let changes: Vec<(usize, f64)> =
            (0..5000).map(|c| (c, if c % 50 == 7 { 2.0 } else { 1.0 })).collect();
        let named = chosen(5000, 0.38, &changes);
        assert_eq!(named.len(), 146);
        let large = named.iter().filter(|named| named.column % 50 == 7).count();
        assert_eq!(large, 100);
    }

    /// Minima of the sum of squares: three labels that want the same position are centred on it,
    /// and one at the end stays half a distance away from it.
    #[test]
    fn crowded_labels_move_aside_evenly() {
        assert_eq!(spread(&[50.0, 50.0, 50.0], 10.0, 100.0), [40.0, 50.0, 60.0]);
        assert_eq!(spread(&[20.0, 50.0, 51.0], 10.0, 100.0), [20.0, 45.5, 55.5]);
        assert_eq!(spread(&[99.0, 99.0], 10.0, 100.0), [85.0, 95.0]);
        assert!(spread(&[], 10.0, 100.0).is_empty());
    }

    proptest! {
        #[test]
        fn labels_keep_their_distance_and_stay_within(
            columns in 1..6000_usize,
            pitch in 0.05..30.0_f64,
            changes in prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 0..300),
        ) {
            prop_assume!(columns as f64 * pitch >= 2.0 * LEAST_DISTANCE);
            let changes: Vec<(usize, f64)> = changes
                .into_iter()
                .map(|(at, weight)| ((at * columns as f64) as usize, weight))
                .collect();
            let named = chosen(columns, pitch, &changes);
            let length = columns as f64 * pitch;
            for pair in named.windows(2) {
                prop_assert!(pair[1].x - pair[0].x >= LEAST_DISTANCE.min(pitch.max(LEAST_DISTANCE)) - 1e-6);
            }
            for one in &named {
                prop_assert!(one.x >= LEAST_DISTANCE / 2.0 - 1e-6);
                prop_assert!(one.x <= length - LEAST_DISTANCE / 2.0 + 1e-6);
            }
            let distinct: BTreeSet<usize> = changes.iter().map(|step| step.0).collect();
            let named_changes = named.iter().filter(|one| one.has_change).count();
            let room = (length / LEAST_DISTANCE) as usize;
            prop_assert_eq!(named_changes, distinct.len().min(room));
        }
    }
}
