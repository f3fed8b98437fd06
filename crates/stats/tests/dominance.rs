//! Dominance: a table of cases by hand, and properties of all points and of true claims.

use proptest::collection::vec;
use proptest::prelude::*;
use stats::dominance::Relation::{Dominates, Equals, Neither, Open};
use stats::dominance::{Relation, Standing, relation, standings};
use stats::signed_rank::Shift;

fn between(low: f64, high: f64) -> Shift {
    Shift { estimate: f64::midpoint(low, high), low, high }
}

fn exactly(value: f64) -> Shift {
    between(value, value)
}

const TOLERANCE: f64 = 0.1;

const ANYTHING: Shift = Shift { estimate: 0.0, low: f64::NEG_INFINITY, high: f64::INFINITY };

#[test]
fn a_point_is_dominated_only_where_that_is_shown() {
    let faster = between(-0.3, -0.2);
    let hardly_faster = between(-0.02, -0.01);
    let as_fast = between(-0.05, 0.05);
    let unclear = between(-0.3, 0.05);
    let slower = between(0.2, 0.3);
    for (differences, there, back) in [
        // Better in both, or better in one and as good in the other.
        ([faster, faster], Dominates, Neither),
        ([faster, as_fast], Dominates, Neither),
        ([faster, exactly(0.0)], Dominates, Neither),
        ([hardly_faster, exactly(0.0)], Dominates, Neither),
        // A trade.
        ([faster, slower], Neither, Neither),
        // A value that is certainly larger is worse, even within the margin.
        ([faster, exactly(0.005)], Neither, Neither),
        ([as_fast, exactly(0.005)], Neither, Dominates),
        // Not shown to differ does not mean shown to be equal.
        ([faster, between(-0.05, 0.15)], Open, Neither),
        ([faster, ANYTHING], Open, Neither),
        ([between(-0.2, 0.2), exactly(0.0)], Open, Open),
        ([unclear, as_fast], Open, Neither),
        ([unclear, slower], Neither, Open),
        ([ANYTHING, ANYTHING], Open, Open),
        // Equal as far as it matters.
        ([as_fast, as_fast], Equals, Equals),
        ([exactly(0.0), exactly(0.0)], Equals, Equals),
        ([between(-0.1, 0.1), exactly(0.0)], Equals, Equals),
    ] {
        let reversed = differences.map(|one| between(-one.high, -one.low));
        let found = (relation(&differences, TOLERANCE), relation(&reversed, TOLERANCE));
        assert_eq!(found, (there, back), "{differences:?}");
    }
    assert_eq!(relation(&[faster], TOLERANCE), Dominates, "of one objective");
}

/// Standings by a table of all pairs except those of `Neither`.
fn by_table(points: usize, table: &[(usize, usize, Relation)]) -> Vec<Standing> {
    standings(points, |one, other| {
        let entry = table.iter().find(|(a, b, _)| (*a, *b) == (one, other));
        entry.map_or(Neither, |(_, _, relation)| *relation)
    })
}

#[test]
fn what_is_open_stays_and_says_so() {
    let table = [(0, 1, Open), (1, 0, Neither), (0, 2, Dominates), (1, 3, Equals), (3, 1, Equals)];
    let expected =
        [Standing::Member, Standing::Open(0), Standing::DominatedBy(0), Standing::EqualTo(1)];
    assert_eq!(by_table(4, &table), expected);
    // A point is not open if it may only be dominated by a point that leaves.
    let leaves = [(1, 0, Open), (2, 1, Dominates)];
    let expected = [Standing::Member, Standing::DominatedBy(2), Standing::Member];
    assert_eq!(by_table(3, &leaves), expected);
    assert_eq!(by_table(0, &[]), []);
    assert_eq!(by_table(1, &[]), [Standing::Member]);
}

#[test]
fn of_a_circle_somebody_stays() {
    let circle = [(0, 1, Dominates), (1, 2, Dominates), (2, 0, Dominates)];
    let staying = |standing: &&Standing| !matches!(standing, Standing::DominatedBy(_));
    assert_eq!(by_table(3, &circle).iter().filter(staying).count(), 1);
}

/// Values of points on a grid, and the half-widths of each pair's intervals.
fn cloud() -> impl Strategy<Value = (Vec<[f64; 2]>, Vec<f64>)> {
    let value = || (0..8_i32).prop_map(|value| f64::from(value) / 10.0);
    (1..12_usize).prop_flat_map(move |points| {
        let widths = vec((0..4_i32).prop_map(|width| f64::from(width) / 20.0), points * points * 2);
        (vec([value(), value()], points), widths)
    })
}

proptest! {
    /// If every interval holds the truth, every point that leaves has a better one.
    #[test]
    fn who_leaves_is_truly_worse((points, widths) in cloud()) {
        let between = |one: usize, other: usize| {
            let (a, b) = (one.min(other), one.max(other));
            let of = |objective: usize| {
                let half = widths[(a * points.len() + b) * 2 + objective];
                let truth = points[one][objective] - points[other][objective];
                between(truth - half, truth + half)
            };
            relation(&[of(0), of(1)], TOLERANCE)
        };
        let found = standings(points.len(), between);
        prop_assert!(found.iter().any(|one| !matches!(one, Standing::DominatedBy(_))));
        for (point, standing) in found.iter().enumerate() {
            if let Standing::DominatedBy(by) = *standing {
                let difference = |i: usize| points[by][i] - points[point][i];
                prop_assert!([0, 1].iter().any(|&i| difference(i) < 0.0));
                prop_assert!([0, 1].iter().all(|&i| difference(i) <= TOLERANCE + 1e-12));
            }
        }
        // With everything known, nothing is open.
        if widths.iter().all(|width| *width == 0.0) {
            prop_assert!(!found.iter().any(|one| matches!(one, Standing::Open(_))));
        }
    }
}
