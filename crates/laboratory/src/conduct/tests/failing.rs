//! Experiments that survive failing runs.

use super::*;
use model::design::contrasts::{Company, Failing};

/// Twenty rounds of variants that are not compared with each other.
fn design_of(variants: u32, company: Option<Company>) -> Design {
    let fixed = StoppingRule { min_rounds: 20, max_rounds: 20, budget_seconds: None, ..rule() };
    let judged = company.map_or(variants, |company| company.from);
    let contrasts = Contrasts {
        pairs: (0..judged).map(|variant| (variant, variant)).collect(),
        failing: Failing::CostsTheRun,
        company,
        ..Contrasts::default()
    };
    Design { variants, contrasts, ..design(fixed) }
}

/// The rounds in which a variant ran, and the number of its readings.
fn rounds_of(done: &Experiment, variant: u32) -> (Vec<u32>, usize) {
    let its = done.runs.iter().filter(|run| run.place.variant == variant);
    let rounds = its.clone().map(|run| run.place.round).collect();
    (rounds, its.filter(|run| run.readings.get(&WALL_TIME).is_some()).count())
}

#[test]
fn three_failures_in_a_row_take_a_variant_out_and_fewer_do_not() {
    let done = conduct(&design_of(3, None), 1, |place| match (place.variant, place.round) {
        (1, 2 | 3 | 5 | 6 | 8) | (2, 4 | 6 | 7 | 8) => Scripted::Exits(4),
        _ => Scripted::Takes(0.01),
    });
    assert!(matches!(done.ending, Ok(Ending::Complete)), "{:?}", done.ending);
    let all: Vec<u32> = (0..20).collect();
    assert_eq!(rounds_of(&done, 0), (all.clone(), 20));
    assert_eq!(rounds_of(&done, 1), (all.clone(), 15));
    assert_eq!(rounds_of(&done, 2), (all[..9].to_vec(), 5));
    let gone: Vec<(u32, u32)> =
        done.withdrawn.iter().map(|gone| (gone.variant, gone.rounds)).collect();
    assert_eq!(gone, [(2, 8)]);
    // It is judged by its successful runs.
    let n = |variant| done.document.summaries_of(variant).next().map(|part| part.n);
    assert_eq!([n(0), n(1), n(2)], [Some(20), Some(15), Some(5)]);
    assert_eq!(done.document.experiment.rounds, 20);
}

#[test]
fn company_that_fails_is_left_out_and_the_judged_go_on() {
    let company = Some(Company { from: 1, rounds: 10 });
    let done = conduct(&design_of(3, company), 2, |place| match place.variant {
        2 => Scripted::Exits(1),
        _ => Scripted::Takes(0.01),
    });
    assert_eq!(rounds_of(&done, 0).0, (0..20).collect::<Vec<u32>>());
    assert_eq!(rounds_of(&done, 1).0, (0..10).collect::<Vec<u32>>());
    assert_eq!(rounds_of(&done, 2).0, [0, 1, 2]);
}

#[test]
fn where_everything_fails_it_ends() {
    let done = conduct(&design_of(2, None), 3, |_| Scripted::Exits(1));
    assert!(matches!(done.ending, Ok(Ending::Complete)), "{:?}", done.ending);
    assert_eq!(done.runs.len(), 6);
    assert_eq!(done.withdrawn.len(), 2);
}
