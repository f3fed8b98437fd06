//! Forecasts for scripted experiments, compared with their actual durations.

use super::*;
use judge::forecast::Left;

/// Records forecasts with their times.
#[derive(Default)]
struct Told(Vec<(f64, Option<Left>, Option<f64>)>);

impl Watcher for Told {
    fn on(&mut self, event: watcher::Event<'_>) {
        if let watcher::Event::Measuring(state) = event {
            self.0.push((state.progress.elapsed_seconds, state.left, state.least_seconds));
        }
    }
}

/// The forecasts for an experiment, and its duration.
fn told(design: &Design, seed: u64, script: impl FnMut(RunPlace) -> Scripted) -> (Told, f64) {
    let plan = Plan { seed, variants: design.variants };
    let mut executor = ScriptedExecutor { plan, script: Box::new(script), now_ns: 1 };
    let (mut memory, mut told) = (Memory::default(), Told::default());
    let mut conductor = Conductor::new(design.clone(), &mut memory, &mut told);
    execute(&mut executor, &mut conductor).expect("nothing fails");
    let conducted = conductor.finish(StopReason::Failed);
    (told, conducted.elapsed_seconds)
}

impl Told {
    /// The first forecast after this number of seconds.
    fn at(&self, seconds: f64) -> Left {
        let after = self.0.iter().find(|(elapsed, ..)| *elapsed >= seconds - 1e-6);
        after.expect("it took longer").1.expect("runs have ended")
    }
}

#[test]
fn rounds_that_are_all_alike_are_counted() {
    let fixed = StoppingRule { min_rounds: 20, max_rounds: 20, budget_seconds: None, ..rule() };
    let (told, took) = told(&design(fixed), 1, |_| Scripted::Takes(0.5));
    assert!((took - 20.0).abs() < 1e-6);
    for passed in [1.0, 5.0, 12.5, 19.0] {
        let left = told.at(passed);
        assert!((left.likely - (took - passed)).abs() < 1e-6, "{passed}: {left:?}");
        assert!((left.least - left.likely).abs() < 1e-9);
    }
}

#[test]
fn least_rounds_that_do_not_fit_into_the_budget_are_known_after_the_first_one() {
    let stopping = StoppingRule { budget_seconds: Some(50.0), ..rule() };
    let contrasts = Contrasts::of_commands(8, 8);
    let eight = Design { variants: 8, contrasts, ..design(stopping) };
    let (told, took) = told(&eight, 1, |_| Scripted::Takes(2.5));
    assert!((took - 200.0).abs() < 1e-6);
    let (_, _, least) = told.0[7];
    assert!((least.expect("a round has ended") - 200.0).abs() < 1e-6);
    // The budget is spent, but time is still left.
    let left = told.at(100.0);
    assert!((left.likely - 100.0).abs() < 1e-6, "{left:?}");
}

/// The time that the first run has taken so far is no measure of the rounds.
#[test]
fn nothing_is_known_about_the_rounds_while_the_first_run_lasts() {
    let (mut memory, mut told) = (Memory::default(), Told::default());
    let by_the_clock = Design { replayed: false, ..design(rule()) };
    let mut conductor = Conductor::new(by_the_clock, &mut memory, &mut told);
    conductor.begin_phase(Phase::Rounds).expect("nothing fails");
    conductor.on(run::Event::Waiting).expect("nothing fails");
    drop(conductor);
    assert!(matches!(told.0[..], [(_, None, None)]), "{:?}", told.0);
}

#[test]
fn what_comes_after_the_rounds_counts() {
    let fixed = StoppingRule { min_rounds: 10, max_rounds: 10, budget_seconds: None, ..rule() };
    let instruments = vec![Source::Valgrind];
    let counted = Design { instruments, claims_equal_work: true, ..design(fixed) };
    let (told, _) = told(&counted, 1, |_| Scripted::Takes(0.5));
    // Five rounds of a second, two under valgrind, and a run of each for its output.
    let left = told.at(5.0);
    assert!(left.least > 5.0 + 2.0 * 10.0 && left.likely > left.least, "{left:?}");
    assert!(left.most.expect("known") > left.likely);
}

/// Kinds of commands: the ratio of the variants, and the noise.
const KINDS: [(f64, f64); 5] = [(1.0, 0.01), (1.0, 0.05), (1.02, 0.01), (1.1, 0.02), (1.5, 0.05)];

/// Experiments of each kind, repeated: the relative error of the time forecast at a quarter of the
/// experiment.
fn errors_at_a_quarter(design: &Design) -> Vec<(String, f64)> {
    let mut errors = Vec::new();
    for (ratio, spread) in KINDS {
        for seed in 0..8 {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let (told, took) = told(design, seed, |place| {
                let times = if place.variant == 1 { ratio } else { 1.0 };
                Scripted::Takes(0.1 * times * noise(&mut random, spread))
            });
            let (at, left) = (took / 4.0, told.at(took / 4.0));
            let case = format!("{ratio} {spread} {seed}: {took} s, at {at}: {left:?}");
            let most = left.most.expect("there is a budget");
            assert!(at + left.least <= took * 1.1 && took <= (at + most) * 1.1, "{case}");
            errors.push((case, ((at + left.likely) / took - 1.0).abs()));
        }
    }
    errors
}

/// With one outlier round in ten, and the shortest of these experiments ending after thirty, the
/// duration cannot be forecast from seven rounds. For a minute-long experiment it can.
#[test]
fn at_a_quarter_of_the_time_the_end_is_mostly_told_within_30_percent() {
    let stopping = StoppingRule { budget_seconds: Some(60.0), max_rounds: 100_000, ..rule() };
    for (variants, least_in_ten) in [(2, 7), (4, 9)] {
        let contrasts = Contrasts::of_commands(variants, variants);
        let design = Design { variants, contrasts, ..design(stopping.clone()) };
        let errors = errors_at_a_quarter(&design);
        let near = errors.iter().filter(|(_, error)| *error <= 0.3).count();
        assert!(near * 10 >= errors.len() * least_in_ten, "{variants}: {near}: {errors:#?}");
    }
}
