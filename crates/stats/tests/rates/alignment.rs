//! Regimes and stack addresses: the rates at which wrong places are named, and right ones.

use stats::regimes::{Around, around};

use crate::noise::Chance;

/// True if a place is named, by the rule of `brisk bench`.
fn is_named(found: &Around) -> bool {
    found.arc.p_value <= 0.01 && found.arc.strength >= 0.8
}

/// The offsets in a page at which the stacks of the processes begin: multiples of 16.
fn offsets(processes: usize, chance: &mut Chance) -> Vec<f64> {
    (0..processes).map(|_| (chance.uniform() * 256.0).floor() * 16.0).collect()
}

fn named(in_slow: &[bool], offsets: &[f64]) -> Option<usize> {
    let places = [64.0, 4096.0].map(|period| offsets.iter().map(|at| Some(at % period)).collect());
    around(in_slow, &places).into_iter().find(is_named).map(|one| one.places)
}

#[test]
fn regimes_of_another_kind_have_no_place_named() {
    for (processes, slow) in [(12, 0.5), (20, 0.25), (30, 0.15), (40, 0.5), (100, 0.3)] {
        let mut chance = Chance::new(processes as u64);
        let trials = if processes > 60 { 200 } else { 2000 };
        let mut false_ones = 0;
        for _ in 0..trials {
            let in_slow: Vec<bool> = (0..processes).map(|_| chance.uniform() < slow).collect();
            false_ones += usize::from(named(&in_slow, &offsets(processes, &mut chance)).is_some());
        }
        let share = false_ones as f64 / trials as f64;
        println!("{processes} processes, {slow} slow: {:.2} % named", 100.0 * share);
        // Four standard errors above one in a hundred.
        assert!(share <= 0.01 + 4.0 * (0.01 / trials as f64).sqrt(), "{processes} {slow}: {share}");
    }
}

/// Slow if a load of 16 bytes at 8 bytes behind the stack's beginning crosses a line; and if a
/// buffer lies within 256 bytes of the same place in a page.
#[test]
fn a_place_that_is_why_is_named() {
    type IsSlow = fn(f64) -> bool;
    let kinds: [(IsSlow, &str, usize, usize); 3] = [
        (|at| at % 64.0 == 48.0, "line", 0, 20),
        (|at| at % 64.0 != 0.0, "three of four places", 0, 20),
        (|at| !(256.0..3840.0).contains(&at), "page", 1, 40),
    ];
    for (is_slow, kind, place, processes) in kinds {
        let mut chance = Chance::new(7);
        let mut found = 0_u32;
        let trials = 500_u32;
        for _ in 0..trials {
            let offsets = offsets(processes, &mut chance);
            let in_slow: Vec<bool> = offsets.iter().map(|at| is_slow(*at)).collect();
            found += u32::from(named(&in_slow, &offsets) == Some(place));
        }
        let share = f64::from(found) / f64::from(trials);
        println!("{kind}, {processes} processes: {:.1} % named", 100.0 * share);
        assert!(share >= 0.8, "{kind}: {found} of {trials}");
    }
}
