//! Fronts, knees and thrifty members: by hand, against a script that tries all subsets, and
//! properties of all points.

use proptest::collection::vec;
use proptest::prelude::*;
use stats::front::{Front, FrontError, FrontStanding, Thrift, front, knee, thrifty};
use stats::signed_rank::Shift;

fn exact(value: f64) -> Shift {
    Shift { estimate: value, low: value, high: value }
}

fn around(value: f64, half_width: f64) -> Shift {
    Shift { estimate: value, low: value - half_width, high: value + half_width }
}

/// Points known exactly.
fn known(points: &[[f64; 2]]) -> Vec<[Shift; 2]> {
    points.iter().map(|point| point.map(exact)).collect()
}

fn logs(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    points.iter().map(|point| point.map(f64::ln)).collect()
}

#[test]
fn a_front_by_hand() {
    // Seconds and bytes; the last two are beaten, by the second and by the third.
    let points = logs(&[[8.0, 1.0], [2.0, 2.0], [1.0, 8.0], [2.1, 2.0], [1.0, 9.0]]);
    let found = front(&known(&points), [0.01, 0.01]).expect("finite");
    assert_eq!(found.members, [2, 1, 0]);
    assert_eq!(found.standings[3], FrontStanding::DominatedBy(1));
    assert_eq!(found.standings[4], FrontStanding::DominatedBy(2));
    assert_eq!(found.resolution, [0.01, 0.01]);
}

#[test]
fn of_points_equal_in_one_objective_the_better_in_the_other_is_a_member() {
    let points = known(&[[0.0, 1.0], [0.005, 0.5], [0.008, 0.501]]);
    let found = front(&points, [0.01, 0.01]).expect("finite");
    assert_eq!(found.members, [1]);
    assert_eq!(found.standings[0], FrontStanding::DominatedBy(1));
    assert_eq!(found.standings[2], FrontStanding::EqualTo(1));
}

#[test]
fn noise_makes_equal_what_a_tolerance_would_tell_apart() {
    let at = |half_width: f64| {
        [
            [around(0.0, half_width), exact(1.0)],
            [around(0.05, half_width), exact(0.0)],
            [around(1.0, half_width), exact(-1.0)],
        ]
    };
    assert_eq!(front(&at(0.04), [0.01, 0.0]).expect("finite").members, [0, 1, 2]);
    assert_eq!(front(&at(0.06), [0.01, 0.0]).expect("finite").members, [1, 2]);
    let unknown = front(&at(f64::INFINITY), [0.01, 0.0]).expect("finite estimates");
    assert_eq!((unknown.members, unknown.resolution[0]), (vec![2], f64::INFINITY));
}

#[test]
fn no_points_have_no_front_and_one_point_is_one() {
    assert_eq!(front(&[], [0.0, 0.0]).expect("no points").members, []);
    assert_eq!(front(&known(&[[3.0, -4.0]]), [0.0, 0.0]).expect("finite").members, [0]);
}

#[test]
fn what_is_no_point_or_no_tolerance_is_refused() {
    let refused = |shift: Shift| front(&[[exact(0.0), shift]], [0.0, 0.0]).expect_err("no point");
    assert!(matches!(refused(exact(f64::NAN)), FrontError::NotFinite { point: 0, .. }));
    assert!(matches!(refused(exact(f64::INFINITY)), FrontError::NotFinite { point: 0, .. }));
    let beside = Shift { estimate: 0.0, low: 1.0, high: 2.0 };
    assert!(matches!(refused(beside), FrontError::NoInterval { point: 0, .. }));
    let unknown = Shift { estimate: 0.0, low: f64::NAN, high: 2.0 };
    assert!(matches!(refused(unknown), FrontError::NoInterval { point: 0, .. }));
    let negative = front(&[], [0.0, -1.0]);
    assert_eq!(negative, Err(FrontError::NoTolerance(-1.0)));
    assert!(matches!(front(&[], [f64::NAN, 0.0]), Err(FrontError::NoTolerance(_))));
}

#[test]
fn a_knee_by_hand() {
    // Scaled: (0, 1), (1/3, 1/3), (2/3, 1/4), (1, 0): a third below the line, then a twelfth.
    let members = [[0.0, 12.0], [1.0, 4.0], [2.0, 3.0], [3.0, 0.0]];
    assert_eq!(knee(&members), Some(1));
    assert_eq!(knee(&members[..2]), None);
    let line = [[0.0, 3.0], [1.0, 2.0], [2.0, 1.0], [3.0, 0.0]];
    assert_eq!(knee(&line), None);
    let bulge = [[0.0, 3.0], [2.0, 2.0], [3.0, 0.0]];
    assert_eq!(knee(&bulge), None);
    assert_eq!(knee(&[[0.0, 3.0], [0.0, 2.0], [0.0, 1.0]]), None);
    let twins = [[4.0, 0.0], [2.0, 1.0], [1.0, 2.0], [0.0, 4.0]];
    assert_eq!(knee(&twins), Some(2));
    assert_eq!(knee(&[[0.0, f64::NAN], [1.0, 1.0], [2.0, 0.0]]), None);
}

#[test]
fn a_thrifty_member_by_hand() {
    // The default takes 10 s and 100 MB; the fastest gains 6 s for 400 MB more.
    let default = [10.0_f64.ln(), 100.0_f64.ln()];
    let members = logs(&[[4.0, 500.0], [4.5, 300.0], [4.6, 250.0], [4.7, 150.0], [10.0, 100.0]]);
    assert_eq!(thrifty(&members[..2], default), Some(1), "5.5 s for 200 MB");
    assert_eq!(thrifty(&members, default), Some(2), "5.4 s are nine tenths, 5.3 s are less");
    assert_eq!(thrifty(&members[..1], default), None);
    let dear = logs(&[[4.0, 500.0], [4.5, 301.0]]);
    assert_eq!(thrifty(&dear, default), None);
    let slower = logs(&[[11.0, 50.0], [12.0, 40.0]]);
    assert_eq!(thrifty(&slower, default), None, "nothing is gained");
    let cheaper = logs(&[[4.0, 90.0], [4.1, 80.0]]);
    assert_eq!(thrifty(&cheaper, default), None, "nothing is paid");
    assert_eq!(thrifty(&[], default), None);
}

#[test]
fn what_thrift_asks_for_by_hand() {
    // 10 s and 100 MB against 4 s and 500 MB: at most 4.6 s, and at most 300 MB.
    let logs = |seconds: f64, megabytes: f64| [seconds.ln(), megabytes.ln()];
    let rule = Thrift::between(logs(10.0, 100.0), logs(4.0, 500.0)).expect("it gains and costs");
    assert!(rule.keeps_gain(4.59_f64.ln()) && !rule.keeps_gain(4.61_f64.ln()));
    assert!(rule.saves_enough(299.0_f64.ln()) && !rule.saves_enough(301.0_f64.ln()));
    assert!(rule.saves_enough(50.0_f64.ln()), "less than the default is little enough");
    assert_eq!(Thrift::between(logs(10.0, 100.0), logs(10.0, 500.0)), None, "nothing is gained");
    assert_eq!(Thrift::between(logs(10.0, 100.0), logs(4.0, 100.0)), None, "nothing is paid");
}

#[test]
fn a_reference_says_nothing_of_the_noise() {
    let exact = |value: f64| Shift { estimate: value, low: value, high: value };
    let noisy = |value: f64| Shift { estimate: value, low: value - 0.2, high: value + 0.2 };
    let reference = [exact(0.0), exact(0.0)];
    let found = front(&[reference, [noisy(0.15), noisy(-0.15)]], [0.0; 2]).expect("finite");
    assert_eq!(found.resolution, [0.2; 2]);
    assert_eq!(found.members, [0], "no less than the noise apart");
    let counted = [[exact(0.0); 2], [exact(0.0); 2], [noisy(0.15), noisy(-0.15)]];
    let found = front(&counted, [0.0; 2]).expect("finite");
    assert_eq!(found.resolution, [0.1; 2], "of two exact ones one may be a reference");
    assert_eq!(front(&[[exact(1.0); 2]], [0.0; 2]).expect("finite").resolution, [0.0; 2]);
}

fn numbers(cell: &str) -> Vec<f64> {
    cell.split(';').map(|number| number.parse().expect("a number")).collect()
}

fn pair(cell: &str) -> [f64; 2] {
    numbers(cell).try_into().expect("two numbers")
}

#[test]
fn fronts_knees_and_thrifty_members_are_those_of_a_script_that_tries_everything() {
    for line in include_str!("reference/front.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split('|').collect();
        let [eps, points, default, fronts, the_knee, the_thrifty] = cells[..] else {
            panic!("six cells: {line}")
        };
        let points: Vec<[f64; 2]> = points.split('/').map(pair).collect();
        let mut members = front(&known(&points), pair(eps)).expect("finite").members;
        let first: Vec<usize> = {
            let listed = fronts.split('/').next().expect("a front");
            listed.split(';').map(|place| place.parse().expect("a place")).collect()
        };
        let mut first: Vec<[f64; 2]> = first.into_iter().map(|place| points[place]).collect();
        first.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let place = |cell: &str| cell.parse::<usize>().ok();
        assert_eq!(knee(&first), place(the_knee), "{line}");
        assert_eq!(thrifty(&first, pair(default)), place(the_thrifty), "{line}");
        members.sort_unstable();
        let listed = members.iter().map(usize::to_string).collect::<Vec<_>>().join(";");
        assert!(fronts.split('/').any(|front| front == listed), "{listed}: {line}");
    }
}

/// Points on a coarse grid, so that many are equal, with intervals.
fn cloud() -> impl Strategy<Value = Vec<[Shift; 2]>> {
    let shift = || {
        (-10..10_i32, 0..6_u32, 0..6_u32).prop_map(|(estimate, below, above)| {
            let estimate = f64::from(estimate);
            Shift { estimate, low: estimate - f64::from(below), high: estimate + f64::from(above) }
        })
    };
    vec((shift(), shift()).prop_map(|(first, second)| [first, second]), 1..30)
}

fn is_better(found: &Front, a: [Shift; 2], b: [Shift; 2], objective: usize) -> bool {
    b[objective].estimate - a[objective].estimate > found.resolution[objective]
}

/// True if `a` is not worse than `b` in any objective.
fn covers(found: &Front, a: [Shift; 2], b: [Shift; 2]) -> bool {
    [0, 1].iter().all(|&objective| !is_better(found, b, a, objective))
}

fn values(points: &[[Shift; 2]], found: &Front) -> Vec<[f64; 2]> {
    found.members.iter().map(|&member| points[member].map(|shift| shift.estimate)).collect()
}

proptest! {
    #[test]
    fn no_member_dominates_or_equals_another(points in cloud(), tolerance in 0..3_u32) {
        let found = front(&points, [f64::from(tolerance); 2]).expect("finite");
        for &a in &found.members {
            for &b in &found.members {
                prop_assert!(a == b || !covers(&found, points[a], points[b]));
            }
        }
        let values = values(&points, &found);
        prop_assert!(values.windows(2).all(|w| w[0][0] < w[1][0] && w[0][1] > w[1][1]));
    }

    #[test]
    fn who_is_no_member_is_dominated_by_one_or_equal_to_one(points in cloud()) {
        let found = front(&points, [1.0, 0.0]).expect("finite");
        for (point, standing) in found.standings.iter().enumerate() {
            let better = |m: usize| [0, 1].iter().any(|&i| is_better(&found, points[m], points[point], i));
            match *standing {
                FrontStanding::Member => prop_assert!(found.members.contains(&point)),
                FrontStanding::DominatedBy(member) => {
                    prop_assert!(found.members.contains(&member) && better(member));
                    prop_assert!(covers(&found, points[member], points[point]));
                }
                FrontStanding::EqualTo(member) => {
                    prop_assert!(found.members.contains(&member) && !better(member));
                    prop_assert!(covers(&found, points[member], points[point]));
                    let dominates = |&m: &usize| better(m) && covers(&found, points[m], points[point]);
                    prop_assert!(!found.members.iter().any(dominates));
                }
            }
        }
    }

    #[test]
    fn the_order_of_the_points_makes_no_difference(points in cloud(), turn in 0..30_usize) {
        let mut turned: Vec<[Shift; 2]> = points.iter().rev().copied().collect();
        let by = turn % turned.len();
        turned.rotate_left(by);
        let (there, back) =
            (front(&points, [1.0; 2]).expect("finite"), front(&turned, [1.0; 2]).expect("finite"));
        prop_assert_eq!(values(&points, &there), values(&turned, &back));
        let count = |found: &Front, wanted: fn(&FrontStanding) -> bool| {
            found.standings.iter().filter(|standing| wanted(standing)).count()
        };
        let is_equal = |standing: &FrontStanding| matches!(standing, FrontStanding::EqualTo(_));
        prop_assert_eq!(count(&there, is_equal), count(&back, is_equal));
    }

    #[test]
    fn multiplying_what_was_measured_makes_no_difference(points in cloud(), by in -40..40_i32) {
        let moved: Vec<[Shift; 2]> = points
            .iter()
            .map(|point| point.map(|Shift { estimate, low, high }| {
                let by = f64::from(by);
                Shift { estimate: estimate + by, low: low + by, high: high + by }
            }))
            .collect();
        prop_assert_eq!(front(&points, [1.0; 2]), front(&moved, [1.0; 2]));
    }

    #[test]
    fn a_knee_lies_between_the_extremes_and_follows_units_and_order(
        points in cloud(), scale in 1..5_u32, by in -20..20_i32,
    ) {
        let members = values(&points, &front(&points, [0.0; 2]).expect("finite"));
        let found = knee(&members);
        if let Some(place) = found {
            prop_assert!(place > 0 && place + 1 < members.len());
        }
        let scale = f64::from(2_u32.pow(scale));
        let moved: Vec<[f64; 2]> =
            members.iter().map(|m| [m[0] * scale + f64::from(by), m[1]]).collect();
        prop_assert_eq!(knee(&moved), found);
        let reversed: Vec<[f64; 2]> = members.iter().rev().copied().collect();
        prop_assert_eq!(knee(&reversed).map(|place| members.len() - 1 - place), found);
    }

    #[test]
    fn a_thrifty_member_has_the_gain_at_half_of_the_price(points in cloud(), default in 0..30_usize) {
        let members = values(&points, &front(&points, [0.0; 2]).expect("finite"));
        let default = points[default % points.len()].map(|shift| shift.estimate / 4.0);
        let members: Vec<[f64; 2]> = members.iter().map(|m| m.map(|value| value / 4.0)).collect();
        let (time, size) = (|m: [f64; 2]| m[0].exp(), |m: [f64; 2]| m[1].exp());
        if let Some(place) = thrifty(&members, default) {
            let (gain, all) = (time(default) - time(members[place]), time(default) - time(members[0]));
            prop_assert!(gain >= 0.9 * all * (1.0 - 1e-9) && all > 0.0);
            let (price, whole) = (size(members[place]) - size(default), size(members[0]) - size(default));
            prop_assert!(price <= 0.5 * whole + 1e-9 * size(members[0]) && whole > 0.0);
        }
    }
}
