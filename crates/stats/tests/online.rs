//! Levels of tests one after another: against a script that follows the papers' recursions, and what
//! bounds their errors.

use proptest::collection::vec;
use proptest::prelude::*;
use stats::online::{Errors, left, next_level};

fn findings(text: &str) -> Vec<bool> {
    text.chars().map(|found| found == '1').collect()
}

#[test]
fn levels_agree_with_the_recursions_of_the_papers() {
    let mut compared = 0;
    for line in include_str!("reference/online.csv").lines().skip(3) {
        let cells: Vec<&str> = line.split(',').collect();
        let [errors, alpha, found, level] = cells[..] else { panic!("four cells: {line}") };
        let errors = if errors == "any" { Errors::Any } else { Errors::Rate };
        let [alpha, level] = [alpha, level].map(|cell| cell.parse::<f64>().expect("a number"));
        let own = next_level(errors, alpha, &findings(found));
        assert!((own / level - 1.0).abs() < 1e-8, "{line}: {own}");
        compared += 1;
    }
    assert_eq!(compared, 44);
}

#[test]
fn without_a_finding_no_more_is_spent_than_there_is() {
    for errors in [Errors::Any, Errors::Rate] {
        let levels = (0..3000).map(|tests| next_level(errors, 0.05, &vec![false; tests]));
        let sum: f64 = levels.sum();
        // LORD++ starts with half of it, and its sequence has a long tail.
        assert!(sum < 0.05 && sum > 0.005, "{errors:?}: {sum}");
    }
}

#[test]
fn what_was_spent_without_success_is_gone_and_what_succeeded_is_not() {
    let fresh = left(Errors::Any, 0.05, &[]);
    let spent = left(Errors::Any, 0.05, &[false]);
    assert!((fresh - 1.0).abs() < 1e-12);
    assert!((fresh - spent - next_level(Errors::Any, 0.05, &[]) / 0.05).abs() < 1e-12);
    assert!((left(Errors::Any, 0.05, &[true]) - 1.0).abs() < 1e-12);
    assert!(left(Errors::Rate, 0.05, &[true]) > left(Errors::Rate, 0.05, &[]));
}

proptest! {
    #[test]
    fn every_level_is_one_and_the_worthless_ones_share_alpha(found in vec(any::<bool>(), 0..120)) {
        let mut worthless = 0.0;
        for test in 0..=found.len() {
            let level = next_level(Errors::Any, 0.05, &found[..test]);
            prop_assert!(level > 0.0 && level < 0.05);
            // Findings are true up to the first false one, so all others are worthless at worst.
            worthless += if found.get(test) == Some(&true) { 0.0 } else { level };
        }
        prop_assert!(worthless < 0.05);
        let level = next_level(Errors::Rate, 0.05, &found);
        prop_assert!(level > 0.0 && level < 0.05);
    }
}
