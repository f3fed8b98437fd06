//! Variants that leave: those that fail again and again, and the points of a sweep that are hopeless;
//! others are not affected.

use super::*;
use model::design::contrasts::{Company, Failing};
use model::sweep::{Limit, Reason, SweepRule};

/// Twenty rounds of variants that are not compared with each other.
fn design_of(variants: u32, company: Option<Company>) -> Design {
    let judged = company.map_or(variants, |company| company.from);
    let contrasts = Contrasts {
        pairs: (0..judged).map(|variant| (variant, variant)).collect(),
        failing: Failing::CostsTheRun,
        company,
        ..Contrasts::default()
    };
    Design { variants, contrasts, ..design(fixed(20)) }
}

/// The rounds in which a variant ran, and the number of its readings.
fn rounds_and_readings(done: &Experiment, variant: u32) -> (Vec<u32>, usize) {
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
    assert_eq!(rounds_and_readings(&done, 0), (all.clone(), 20));
    assert_eq!(rounds_and_readings(&done, 1), (all.clone(), 15));
    assert_eq!(rounds_and_readings(&done, 2), (all[..9].to_vec(), 5));
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
    assert_eq!(rounds_and_readings(&done, 0).0, (0..20).collect::<Vec<u32>>());
    assert_eq!(rounds_and_readings(&done, 1).0, (0..10).collect::<Vec<u32>>());
    assert_eq!(rounds_and_readings(&done, 2).0, [0, 1, 2]);
}

#[test]
fn where_everything_fails_it_ends() {
    let done = conduct(&design_of(2, None), 3, |_| Scripted::Exits(1));
    assert!(matches!(done.ending, Ok(Ending::Complete)), "{:?}", done.ending);
    assert_eq!(done.runs.len(), 6);
    assert_eq!(done.withdrawn.len(), 2);
}

fn sweep() -> SweepRule {
    SweepRule {
        command: String::new(),
        parameters: Vec::new(),
        has_default: true,
        minimized: WALL_TIME,
        beside: model::metric::PEAK_RSS,
        limits: Vec::new(),
        is_exhaustive: false,
        allowed_codes: Some(vec![0]),
    }
}

fn sweep_design(points: u32, sweep: SweepRule) -> Design {
    let stopping = StoppingRule { sweep: Some(sweep), ..fixed(12) };
    Design {
        variants: points,
        contrasts: Contrasts::of_commands(points, 1),
        metrics: Some(vec![WALL_TIME, PEAK_RSS]),
        ..design(stopping)
    }
}

/// Points with these seconds and bytes, and noise of 1 % on the seconds.
fn points(costs: &[(f64, f64)]) -> impl FnMut(RunPlace) -> Scripted {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    move |place| {
        let (seconds, bytes) = costs[place.variant as usize];
        let wall = seconds * (1.0 + 0.02 * uniform(&mut random));
        reads([(WALL_TIME, wall), (CPU_TIME, wall), (PEAK_RSS, bytes)])
    }
}

fn runs_of(done: &Experiment, variant: u32) -> usize {
    done.runs.iter().filter(|run| run.place.variant == variant).count()
}

#[test]
fn a_hopeless_point_leaves_and_a_trade_stays() {
    // The default; twice as slow; faster for more memory; slower for less.
    let costs = [(1.0, 4e6), (2.0, 4e6), (0.5, 8e6), (1.5, 2e6)];
    let done = conduct(&sweep_design(4, sweep()), 1, points(&costs));
    assert_eq!(done.document.experiment.rounds, 12);
    assert_eq!([0, 2, 3].map(|variant| runs_of(&done, variant)), [12; 3]);
    assert!(runs_of(&done, 1) <= 4, "{}", runs_of(&done, 1));
    let [gone] = &done.withdrawn[..] else { panic!("{:?}", done.withdrawn) };
    assert_eq!((gone.variant, gone.rounds as usize), (1, runs_of(&done, 1)));
    assert!(matches!(gone.reason, Reason::Dominated { by: 0 | 3 }), "{gone:?}");
}

/// A rule that stops when all is settled, after 10 to `max_rounds` rounds.
fn until_settled(max_rounds: u32) -> StoppingRule {
    StoppingRule { min_rounds: 10, max_rounds, resolution: 100.0, ..rule() }
}

#[test]
fn what_takes_less_of_one_and_more_of_the_other_is_never_dominated() {
    // Each faster one needs a little more, with the precision at hand.
    let costs = [(0.060, 100.0e6), (0.033, 100.1e6), (0.030, 100.5e6)];
    let stopping = StoppingRule { sweep: Some(sweep()), ..until_settled(200) };
    let design = Design { stopping, ..sweep_design(3, sweep()) };
    let done = conduct(&design, 8, points(&costs));
    assert_eq!(done.standings, [Some(Standing::Member); 3]);
    assert_eq!(done.document.experiment.stop, StopReason::Settled);
}

#[test]
fn while_the_front_is_open_measuring_goes_on() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(12);
    let stopping = StoppingRule { sweep: Some(sweep()), ..until_settled(40) };
    let design = Design { stopping, ..sweep_design(3, sweep()) };
    // The second and third take half of the first one's time, and differ by no more than the noise.
    let done = conduct(&design, 9, |place| {
        let seconds = [2.0, 1.0, 1.0][place.variant as usize];
        let wall = seconds * (1.0 + 0.2 * uniform(&mut random));
        reads([(WALL_TIME, wall), (CPU_TIME, wall), (PEAK_RSS, 1e6)])
    });
    let is_open = |standing: &Option<Standing>| matches!(standing, Some(Standing::Open(1 | 2)));
    assert!(done.standings[1..].iter().any(is_open), "{:?}", done.standings);
    assert!(matches!(done.standings[0], Some(Standing::DominatedBy(1 | 2))));
    assert_ne!(done.document.experiment.stop, StopReason::Settled);
}

#[test]
fn the_default_stays_however_bad_it_is() {
    let done = conduct(&sweep_design(3, sweep()), 2, points(&[(9.0, 9e6), (1.0, 1e6), (2.0, 2e6)]));
    assert_eq!(runs_of(&done, 0), 12);
    assert!(runs_of(&done, 2) < 12);
}

#[test]
fn in_an_exhaustive_sweep_nobody_leaves() {
    let exhaustive = SweepRule { is_exhaustive: true, ..sweep() };
    let done =
        conduct(&sweep_design(3, exhaustive), 3, points(&[(1.0, 1e6), (3.0, 1e6), (9.0, 1e6)]));
    assert_eq!([0, 1, 2].map(|variant| runs_of(&done, variant)), [12; 3]);
}

#[test]
fn a_point_of_which_a_run_fails_leaves_and_the_round_goes_on() {
    let mut cost = points(&[(1.0, 1e6), (1.0, 1e6), (1.0, 1e6)]);
    let done = conduct(&sweep_design(3, sweep()), 4, |place| match (place.round, place.variant) {
        (5, 2) => Scripted::Exits(3),
        _ => cost(place),
    });
    assert!(matches!(done.ending, Ok(Ending::Complete)), "{:?}", done.ending);
    assert_eq!([0, 1, 2].map(|variant| runs_of(&done, variant)), [12, 12, 6]);
    let [gone] = &done.withdrawn[..] else { panic!("{:?}", done.withdrawn) };
    assert_eq!((gone.variant, gone.rounds), (2, 5));
    assert!(matches!(gone.reason, Reason::Failed { outcome: Outcome::Exited(3), .. }));
    // A failed point is not a failure that the user allowed.
    assert!(done.document.notes.iter().all(|note| !matches!(note, Note::Failures { .. })));
}

#[test]
fn every_end_but_an_allowed_one_takes_a_point_out() {
    let lenient = SweepRule { allowed_codes: Some(vec![0, 3]), ..sweep() };
    let rule = lenient.clone();
    assert!(!rule.fails(Outcome::Exited(3)) && rule.fails(Outcome::Exited(4)));
    assert!(rule.fails(Outcome::TimedOut) && rule.fails(Outcome::Signalled(9)));
    let anything = SweepRule { allowed_codes: None, ..lenient };
    assert!(!anything.fails(Outcome::Signalled(9)));
}

#[test]
fn where_every_point_fails_it_ends() {
    let done = conduct(&sweep_design(3, sweep()), 5, |place| {
        if place.round < 1 { Scripted::Takes(1.0) } else { Scripted::Exits(1) }
    });
    assert_eq!(done.withdrawn.len(), 3);
    assert_eq!(done.document.experiment.stop, StopReason::Failed);
    assert_eq!(done.runs.len(), 6);
}

#[test]
fn a_point_beyond_a_limit_leaves() {
    let limit = Limit { metric: PEAK_RSS, below: 5e6, text: "peak_rss < 5 MB".to_owned() };
    let limited = SweepRule { limits: vec![limit], ..sweep() };
    let done = conduct(&sweep_design(3, limited), 6, points(&[(1.0, 1e6), (0.5, 6e6), (0.9, 2e6)]));
    let gone: Vec<u32> = done.withdrawn.iter().map(|gone| gone.variant).collect();
    assert_eq!(gone, [1]);
    assert!(matches!(done.withdrawn[0].reason, Reason::OverLimit { limit: 0 }));
    assert_eq!([0, 1, 2].map(|variant| runs_of(&done, variant)), [12, 3, 12]);
}

/// The store shows after a kill at any moment which points had left.
#[test]
fn a_sweep_that_is_observed_again_has_the_same_field() {
    let costs = [(1.0, 4e6), (2.0, 4e6), (0.5, 8e6), (1.5, 2e6), (3.0, 9e6)];
    let mut cost = points(&costs);
    let design = sweep_design(5, sweep());
    let done = conduct(&design, 7, |place| match (place.round, place.variant) {
        (6, 3) => Scripted::Exits(1),
        _ => cost(place),
    });
    assert_eq!(done.withdrawn.len(), 3, "{:?}", done.withdrawn);
    for kept in 0..=done.runs.len() {
        let (mut memory, mut nobody) = (Memory::default(), crate::watcher::nobody);
        let mut conductor = Conductor::new(design.clone(), &mut memory, &mut nobody);
        let before = &done.runs[..kept];
        before.iter().for_each(|run| conductor.replay(run, &Past::default()));
        let next = done.runs.get(kept);
        let is_new_round = |run: &&Run| run.place.position == 0;
        if let Some(next) = next.filter(is_new_round) {
            // The queries before a round begins.
            assert!(conductor.more_rounds(Phase::Rounds, next.place.round) > 0);
            let takes_part = |v| conductor.takes_part(Phase::Rounds, v);
            let in_round: Vec<u32> = (0..5).filter(|&v| takes_part(v)).collect();
            let mut ran: Vec<u32> = done
                .runs
                .iter()
                .filter(|run| run.place.round == next.place.round)
                .map(|run| run.place.variant)
                .collect();
            ran.sort_unstable();
            assert_eq!(in_round, ran, "before round {}", next.place.round);
        }
        let left: Vec<Withdrawal> = conductor.finish(StopReason::Interrupted).withdrawn;
        assert!(done.withdrawn.starts_with(&left), "{left:?}");
    }
}

/// Even if a cut-off round follows another one.
#[test]
fn a_sweep_that_is_killed_again_and_again_repeats_no_run() {
    let costs = [(1.0, 4e6), (2.0, 4e6), (0.5, 8e6), (1.5, 2e6), (3.0, 9e6)];
    let design = sweep_design(5, sweep());
    for runs_a_day in [2, 3, 6, 7, 11, 13] {
        let mut memory = Memory::default();
        let mut is_done = false;
        for _ in 0..30 {
            memory.most = memory.past.runs.len() + runs_a_day;
            let plan = Plan { seed: 7, variants: 5 };
            let script = Box::new(points(&costs));
            let mut executor = ScriptedExecutor { plan, script, now_ns: 1 };
            let mut nobody = crate::watcher::nobody;
            let mut conductor = resumed(&design, &mut memory, &mut nobody);
            is_done = execute(&mut executor, &mut conductor).is_ok();
            drop(conductor);
            let places: std::collections::BTreeSet<RunPlace> =
                memory.past.runs.iter().map(|run| run.place).collect();
            assert_eq!(
                places.len(),
                memory.past.runs.len(),
                "{runs_a_day} a day: a run is repeated"
            );
            if is_done {
                break;
            }
        }
        // If every day ends before a round is complete, the sweep never ends.
        assert_eq!(is_done, runs_a_day > 5, "{runs_a_day} a day: {} runs", memory.past.runs.len());
    }
}

#[test]
fn the_observer_says_that_a_failure_is_outlived_in_a_sweep_only() {
    for (design, answer) in
        [(sweep_design(2, sweep()), Answer::Withdraw), (design(rule()), Answer::Continue)]
    {
        let (mut memory, mut nobody) = (Memory::default(), crate::watcher::nobody);
        let mut conductor = Conductor::new(design, &mut memory, &mut nobody);
        let place =
            RunPlace { source: Source::Run, warmup: true, round: 0, position: 0, variant: 1 };
        let failed = Run {
            place,
            started_unix_ns: 1,
            outcome: Outcome::Signalled(9),
            readings: model::metric::Readings::default(),
            left_behind: 0,
            stderr_tail: None,
        };
        assert_eq!(conductor.on(Event::Failed(&failed)).expect("kept"), answer);
    }
}
