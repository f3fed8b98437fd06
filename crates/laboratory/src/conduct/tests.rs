//! Whole experiments with scripted runs: exact tests of scheduling, stopping, judging and forecasts.

mod leaving;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::*;
use crate::assemble::{self, Facts};
use findings::{Contender, Course, Document, Order};
use judge::forecast::Left;
use model::design::contrasts::RatioLimit;
use model::design::stopping::EstimatorOption;
use model::metric::PEAK_RSS;
use model::run::Plan;
use model::spec::labels::Labels;
use run::scripted::{Scripted, ScriptedExecutor};
use run::{Ending, RunError, execute};

/// Keeps everything, and ends the experiment after this number of runs.
struct Memory {
    past: Past,
    most: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Self { past: Past::default(), most: usize::MAX }
    }
}

impl Keeper for Memory {
    fn keep(&mut self, event: record::Event<'_>) -> Result<(), ObserverError> {
        match event {
            record::Event::Runs { .. } if self.past.runs.len() >= self.most => {
                return Err("killed".into());
            }
            record::Event::Runs { runs } => self.past.runs.extend_from_slice(&runs),
            record::Event::Look(look) => self.past.looks.push(look),
            record::Event::Pause(pause) => self.past.pauses.push(pause),
            _ => {}
        }
        Ok(())
    }
}

fn rule() -> StoppingRule {
    StoppingRule::of_a_test()
}

/// A conductor that has observed what this memory has.
fn resumed<'a>(
    design: &Design,
    memory: &'a mut Memory,
    watcher: &'a mut dyn Watcher,
) -> Conductor<'a> {
    let past = memory.past.clone();
    let mut conductor = Conductor::new(design.clone(), memory, watcher);
    conductor.take_up(&past);
    conductor
}

fn design(stopping: StoppingRule) -> Design {
    Design {
        variants: 2,
        treatment: model::sample::Treatment::default(),
        contrasts: Contrasts::of_commands(2, 2),
        levels_decide: true,
        stopping,
        metrics: None,
        instruments: Vec::new(),
        claims_equal_work: false,
        replayed: true,
    }
}

struct Experiment {
    ending: Result<Ending, RunError>,
    runs: Vec<Run>,
    document: Document,
    withdrawn: Vec<Withdrawal>,
    standings: Vec<Option<Standing>>,
}

fn conduct(design: &Design, seed: u64, script: impl FnMut(RunPlace) -> Scripted) -> Experiment {
    let plan = Plan { seed, variants: design.variants };
    let mut executor = ScriptedExecutor { plan, script: Box::new(script), now_ns: 1 };
    let mut memory = Memory::default();
    let mut nobody = crate::watcher::nobody;
    let mut conductor = Conductor::new(design.clone(), &mut memory, &mut nobody);
    let ending = execute(&mut executor, &mut conductor);
    let conducted = conductor.finish(StopReason::Failed);
    let document = document(design, &conducted, &memory.past.runs);
    let Conducted { withdrawn, standings, .. } = conducted;
    Experiment { ending, runs: memory.past.runs, document, withdrawn, standings }
}

fn document(design: &Design, conducted: &Conducted, runs: &[Run]) -> Document {
    let variant = |number: u32| Contender {
        name: format!("variant {number}"),
        command: String::new(),
        labels: Labels::default(),
    };
    let facts = Facts {
        experiment: Course {
            id: None,
            started_unix_ns: 0,
            brisk_version: String::new(),
            seed: None,
            rounds: conducted.rounds,
            elapsed_seconds: conducted.elapsed_seconds,
            stop: conducted.stop,
            confidence: design.stopping.confidence,
            margin: design.stopping.margin,
            resolution: None,
            estimator: design.stopping.estimator,
            order: Order::Rounds,
            commands: 2,
            metrics: design.metrics.clone(),
        },
        machine: serde_json::Value::Null,
        conditions: serde_json::Value::Null,
        variants: (0..design.variants).map(variant).collect(),
        beyond_registry: Vec::new(),
        contrasts: &design.contrasts,
        sequence: &conducted.sequence,
        settled_at: &conducted.settled_at,
        notes: Vec::new(),
    };
    let mut load = |wanted: &[MetricId]| -> Result<Columns, std::convert::Infallible> {
        let mut columns = Columns::of_experiment(design.variants as usize, conducted.rounds, true);
        runs.iter().for_each(|run| columns.push(run, |metric| wanted.contains(metric)));
        Ok(columns)
    };
    match assemble::document(facts, &mut load) {
        Ok(document) => document,
    }
}

fn reads(readings: [(MetricId, f64); 3]) -> Scripted {
    Scripted::Reads(readings.map(|(metric, value)| (metric, Ok(value))).into())
}

/// Numbers in (0, 1), reproducible by seed.
fn uniform(random: &mut impl Rng) -> f64 {
    ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// Log-normal noise with a heavy upper tail: one run in twenty takes half as long again.
fn noise(random: &mut impl Rng, spread: f64) -> f64 {
    let normal =
        (-2.0 * uniform(random).ln()).sqrt() * (std::f64::consts::TAU * uniform(random)).cos();
    let tail = if uniform(random) < 0.05 { 1.5 } else { 1.0 };
    (spread * normal).exp() * tail
}

fn fixed(rounds: u32) -> StoppingRule {
    StoppingRule { min_rounds: rounds, max_rounds: rounds, budget_seconds: None, ..rule() }
}

/// The same number for the same place, independent of earlier runs.
fn noise_at(place: RunPlace, spread: f64) -> f64 {
    let seed = u64::from(place.round) << 20 | u64::from(place.variant);
    noise(&mut Xoshiro256PlusPlus::seed_from_u64(seed), spread)
}

/// Five variants in a row, each compared with the one before.
fn chain(stopping: StoppingRule) -> Design {
    let pairs = (0..4).map(|first| (first, first + 1)).collect();
    let contrasts = Contrasts { pairs, spans: vec![(0, 4)], ..Contrasts::default() };
    Design { variants: 5, contrasts, ..design(stopping) }
}

#[test]
fn exactly_the_rounds_asked_for_are_run() {
    let done = conduct(&design(fixed(7)), 1, |_| Scripted::Takes(0.01));
    assert_eq!(done.runs.len(), 14);
    assert_eq!(done.document.experiment.stop, StopReason::Rounds);
    assert_eq!(done.document.experiment.rounds, 7);
}

#[test]
fn warm_up_rounds_are_kept_and_not_judged() {
    let warmed = StoppingRule { warmup: 3, ..fixed(8) };
    let done =
        conduct(&design(warmed), 1, |place| Scripted::Takes(if place.warmup { 9.0 } else { 0.01 }));
    assert_eq!(done.runs.iter().filter(|run| run.place.warmup).count(), 6);
    assert!(done.document.summaries.iter().all(|summary| summary.max < 1.0));
}

#[test]
fn a_clear_change_is_found_soon_and_measuring_stops() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let done = conduct(&design(rule()), 2, |place| {
        Scripted::Takes(
            0.01 * noise(&mut random, 0.02) * if place.variant == 1 { 1.5 } else { 1.0 },
        )
    });
    assert_eq!(done.document.answers[0].verdict, Verdict::Regressed);
    assert_eq!(done.document.experiment.stop, StopReason::Settled);
    assert!(done.document.experiment.rounds < 60, "{}", done.document.experiment.rounds);
    let part = done.document.deciding(&done.document.answers[0]).expect("it was compared");
    assert!(part.low < 1.5 && 1.5 < part.high.expect("bounded"), "{part:?}");
}

/// A huge difference in peak memory is found by default, however long a round takes and however
/// soon wall time is settled: 0.2 of the permitted error, shared by eight metrics, is enough.
#[test]
fn every_judged_metric_has_an_interval_by_default() {
    let estimators = [
        EstimatorOption::RankScores,
        EstimatorOption::PseudoMedian,
        EstimatorOption::Median,
        EstimatorOption::Mean,
        EstimatorOption::Min,
    ];
    // From 300 rounds within the budget to 4 of them, and with wall time clear or open.
    let durations = (0..60).map(|step| 0.025 * 1.075_f64.powi(step));
    for seconds in durations {
        for (number, estimator) in estimators.into_iter().enumerate() {
            let clear = number % 2 == 0;
            let stopping = StoppingRule { estimator, budget_seconds: Some(15.0), ..rule() };
            let mut design = design(stopping);
            let members = design.contrasts.members(None, &design.stopping);
            design.stopping = design.stopping.with_enough_rounds(&members);
            let mut random = Xoshiro256PlusPlus::seed_from_u64(number as u64);
            let done = conduct(&design, 7, |place| {
                let slower = if place.variant == 1 && clear { 1.4 } else { 1.0 };
                let time = seconds * slower * noise(&mut random, 0.1);
                let memory = 1e6 * f64::from(31 + 11 * place.variant) + 1e4 * uniform(&mut random);
                reads([(WALL_TIME, time), (CPU_TIME, time), (PEAK_RSS, memory)])
            });
            let rounds = done.document.experiment.rounds;
            for part in &done.document.comparisons {
                let is_bounded = part.high.is_some() && part.low > 0.0;
                assert!(is_bounded, "{estimator:?}, {rounds} rounds of {seconds} s: {part:?}");
            }
            let memory = done.document.comparison_of(0, 1, &PEAK_RSS, Source::Run);
            assert_eq!(memory.map(|part| part.verdict), Some(Verdict::Regressed));
        }
    }
}

#[test]
fn noise_without_a_change_spends_the_budget_and_stays_open() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    let short = StoppingRule { budget_seconds: Some(1.0), ..rule() };
    let done = conduct(&design(short), 3, |_| Scripted::Takes(0.01 * noise(&mut random, 0.2)));
    assert_eq!(done.document.answers[0].verdict, Verdict::Inconclusive);
    assert_eq!(done.document.experiment.stop, StopReason::Budget);
    let part = done.document.deciding(&done.document.answers[0]).expect("it was compared");
    assert!(part.more_rounds.is_some_and(|rounds| rounds > 0));
    // A second of runs of 10 ms is some fifty rounds; the last one may begin before it is over.
    assert!((0.9..1.2).contains(&done.document.experiment.elapsed_seconds));
}

#[test]
fn drift_is_named_and_does_not_look_like_a_change() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let done = conduct(&design(rule()), 4, |place| {
        let drift = 1.0 + f64::from(place.round) * 0.002;
        Scripted::Takes(0.01 * drift * (1.0 + 0.002 * uniform(&mut random)))
    });
    assert_eq!(done.document.answers[0].verdict, Verdict::Unchanged);
    let drifts = done.document.notes.iter().filter(|note| matches!(note, Note::Drift { .. }));
    assert_eq!(drifts.count(), 2, "{:?}", done.document.notes);
}

#[test]
fn who_runs_first_is_named_and_does_not_look_like_a_change() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    let done = conduct(&design(rule()), 5, |place| {
        let first = if place.position == 0 { 1.02 } else { 1.0 };
        Scripted::Takes(0.01 * first * (1.0 + 0.004 * uniform(&mut random)))
    });
    let note = done.document.notes.iter().find_map(|note| match note {
        Note::Position { effect, .. } => Some(*effect),
        _ => None,
    });
    // The later run is 2 % faster.
    assert!(note.is_some_and(|effect| (effect + 0.02).abs() < 0.003), "{:?}", done.document.notes);
    assert!(!done.document.answers[0].verdict.is_change());
}

#[test]
fn a_command_that_fails_keeps_the_rounds_before_it() {
    let done = conduct(&design(rule()), 6, |place| match (place.round, place.variant) {
        (3, 1) => Scripted::Exits(2),
        _ => Scripted::Takes(0.01),
    });
    let Err(RunError::Failed { when, .. }) = &done.ending else { panic!("{:?}", done.ending) };
    assert_eq!(when, "round 4");
    assert_eq!(done.document.experiment.rounds, 3);
    assert!(done.runs.len() >= 6);
}

/// Half the runs wait as long again for a processor; only the processor time shows that the
/// candidate does 3 % more.
#[test]
fn where_waiting_hides_a_change_processor_time_decides() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let short = StoppingRule { max_rounds: 120, ..rule() };
    let done = conduct(&design(short), 7, |place| {
        let work = if place.variant == 1 { 1.03 } else { 1.0 };
        let cpu = 0.01 * work * (1.0 + 0.01 * uniform(&mut random));
        let wait = if uniform(&mut random) < 0.5 { 0.01 * uniform(&mut random) } else { 0.0 };
        reads([(WALL_TIME, cpu + wait), (CPU_TIME, cpu), (CPU_WAIT, wait)])
    });
    let answer = &done.document.answers[0];
    assert_eq!(answer.metric, CPU_TIME);
    assert_eq!(answer.verdict, Verdict::Regressed);
    assert!(answer.wait_share.is_some_and(|share| share > CONTENTION_SHARE));
}

#[test]
fn a_missing_reading_is_told_with_its_reason_and_never_becomes_a_number() {
    let done = conduct(&design(fixed(9)), 8, |place| {
        let gone = model::metric::Missing("the gauge broke".into());
        let peak = if place.round == 4 { Err(gone) } else { Ok(5e6) };
        Scripted::Reads([(WALL_TIME, Ok(0.01)), (PEAK_RSS, peak)].into())
    });
    let missing = &done.document.missing;
    assert_eq!(missing.len(), 2);
    assert!(missing.iter().all(|part| part.runs == 1 && part.reason == "the gauge broke"));
    let peak = done.document.summaries.iter().find(|s| s.metric == PEAK_RSS).expect("read");
    assert_eq!(peak.n, 8);
    assert!((peak.min - 5e6).abs() < 1.0);
}

/// The whole tool against itself, with looks, three judged metrics that are correlated, and
/// autocorrelated noise. 5 % is permitted; the bound is that plus three standard errors of 600
/// experiments.
#[test]
fn the_same_command_against_itself_is_seldom_called_different() {
    let experiments = 600;
    let mut falsely = 0;
    for seed in 0..experiments {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1000 + seed);
        let mut slow = 0.0;
        let short = StoppingRule { max_rounds: 60, ..rule() };
        let done = conduct(&design(short), seed, |_| {
            slow = 0.95 * slow + 0.02 * (uniform(&mut random) - 0.5);
            let cpu = 0.01 * noise(&mut random, 0.01) * f64::exp(slow);
            let wall = cpu * (1.0 + 0.1 * uniform(&mut random));
            let peak = 1e7 * (1.0 + 0.1 * slow + 0.01 * uniform(&mut random));
            reads([(WALL_TIME, wall), (CPU_TIME, cpu), (PEAK_RSS, peak)])
        });
        let changes = done.document.comparisons.iter().filter(|part| part.verdict.is_change());
        falsely += u64::from(changes.count() > 0);
    }
    let rate = falsely as f64 / experiments as f64;
    let standard_error = (0.05_f64 * 0.95 / experiments as f64).sqrt();
    assert!(rate <= 0.05 + 3.0 * standard_error, "{rate}");
}

#[test]
fn an_interval_after_looking_holds_the_truth() {
    let experiments = 300;
    let mut holding = 0;
    for seed in 0..experiments {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(9000 + seed);
        let done = conduct(&design(StoppingRule { max_rounds: 80, ..rule() }), seed, |place| {
            let truth = if place.variant == 1 { 0.98 } else { 1.0 };
            Scripted::Takes(0.01 * truth * noise(&mut random, 0.02))
        });
        let part = done.document.deciding(&done.document.answers[0]).expect("it was compared");
        let high = part.high.unwrap_or(f64::INFINITY);
        holding += u64::from(part.low <= 0.98 && 0.98 <= high);
    }
    // Wall time has half of 5 %; the bound is three standard errors below 97.5 %.
    assert!(holding as f64 / experiments as f64 >= 0.948, "{holding} of {experiments}");
}

/// Two large steps, none, and a small one, which takes longest to detect.
fn faint_at_the_end(place: RunPlace) -> Scripted {
    let factor = [1.0, 1.2, 1.5, 1.5, 1.52][place.variant as usize];
    Scripted::Takes(0.01 * factor * noise_at(place, 0.012))
}

#[test]
fn time_goes_to_the_comparisons_that_are_open() {
    let done = conduct(&chain(StoppingRule { resolution: 1.0, ..rule() }), 11, faint_at_the_end);
    let verdicts: Vec<(u32, Verdict)> =
        done.document.answers.iter().map(|answer| (answer.candidate, answer.verdict)).collect();
    assert_eq!(verdicts[1], (2, Verdict::Regressed));
    let runs_of = |variant| done.runs.iter().filter(|r| r.place.variant == variant).count();
    // The first two are settled first, then they run no more.
    assert!(runs_of(0) < runs_of(4), "{} and {}", runs_of(0), runs_of(4));
    let clear =
        done.document.comparisons.iter().find(|c| c.metric == WALL_TIME && c.candidate == 2);
    let faint = done.document.comparisons.iter().find(|c| c.metric == WALL_TIME && c.baseline == 3);
    let rounds = |part: Option<&findings::ComparedPair>| part.map_or(0, |p| p.rounds);
    assert!(rounds(clear) < rounds(faint), "{clear:?} {faint:?}");
}

#[test]
fn a_span_is_judged_from_the_rounds_that_the_pairs_needed() {
    let done = conduct(&chain(StoppingRule { resolution: 1.0, ..rule() }), 11, faint_at_the_end);
    let span =
        done.document.comparisons.iter().find(|part| (part.baseline, part.candidate) == (0, 4));
    let span = span.expect("judged");
    assert_eq!(span.verdict, Verdict::Regressed);
    let runs_of = |variant| done.runs.iter().filter(|r| r.place.variant == variant).count();
    assert_eq!(span.rounds, runs_of(0).min(runs_of(4)));
    assert_eq!(done.document.answers.len(), 4, "a span is no answer");
}

/// Stopped anywhere and resumed, an experiment ends as if it had never stopped; only a round that
/// was cut off is missing.
#[test]
fn an_interrupted_experiment_goes_on_where_it_was() {
    let design = chain(StoppingRule { resolution: 1.0, max_rounds: 120, ..rule() });
    let whole = conduct(&design, 12, faint_at_the_end);
    for most in [1, 50, 57, 130, 222] {
        let mut memory = Memory { most, ..Memory::default() };
        let mut nobody = crate::watcher::nobody;
        let plan = Plan { seed: 12, variants: 5 };
        let script = || Box::new(faint_at_the_end);
        let mut executor = ScriptedExecutor { plan, script: script(), now_ns: 1 };
        let mut first = Conductor::new(design.clone(), &mut memory, &mut nobody);
        assert!(execute(&mut executor, &mut first).is_err(), "it was killed");
        drop(first);

        memory.most = usize::MAX;
        let now_ns = executor.now_ns + 3_600_000_000_000;
        let mut executor = ScriptedExecutor { plan, script: script(), now_ns };
        let mut second = resumed(&design, &mut memory, &mut nobody);
        execute(&mut executor, &mut second).expect("nothing fails");
        let conducted = second.finish(StopReason::Failed);
        let resumed = document(&design, &conducted, &memory.past.runs);

        let places: std::collections::BTreeSet<RunPlace> =
            memory.past.runs.iter().map(|r| r.place).collect();
        assert_eq!(places.len(), memory.past.runs.len(), "no run is repeated");
        let verdicts = |document: &Document| -> Vec<Verdict> {
            document.answers.iter().map(|answer| answer.verdict).collect()
        };
        assert_eq!(verdicts(&resumed), verdicts(&whole.document), "after {most} runs");
        let a_run = 0.02;
        let (resumed, whole) = (resumed.experiment, &whole.document.experiment);
        assert!(resumed.rounds.abs_diff(whole.rounds) <= 1 + whole.rounds / 5);
        assert!(
            (resumed.elapsed_seconds - whole.elapsed_seconds).abs()
                < 0.3 * whole.elapsed_seconds + a_run,
            "an hour between the days does not count: {resumed:?}"
        );
    }
}

/// Scripted runs are not waited for, whatever their clock shows.
#[test]
fn a_clock_that_is_set_forward_does_not_make_measuring_longer() {
    let design = Design { replayed: false, ..design(fixed(20)) };
    let plan = Plan { seed: 1, variants: 2 };
    let takes = |place: RunPlace| {
        let day_passes = place.round == 10 && place.position == 0;
        Scripted::Takes(if day_passes { 86_400.0 } else { 0.01 })
    };
    let mut executor = ScriptedExecutor { plan, script: Box::new(takes), now_ns: 1 };
    let (mut memory, mut nobody) = (Memory::default(), crate::watcher::nobody);
    let mut conductor = Conductor::new(design, &mut memory, &mut nobody);
    execute(&mut executor, &mut conductor).expect("nothing fails");
    let elapsed_seconds = conductor.finish(StopReason::Failed).elapsed_seconds;
    assert!(elapsed_seconds < 43_200.0, "{elapsed_seconds}");
}

/// Even without a look between the pauses that would give the time.
#[test]
fn pauses_are_no_part_of_the_time_when_an_experiment_is_judged_again() {
    let design = design(fixed(100));
    let plan = Plan { seed: 1, variants: 2 };
    let mut memory = Memory::default();
    let mut now_ns = 1;
    for most in [7, 18, 30] {
        memory.most = most;
        let script = Box::new(|_: RunPlace| Scripted::Takes(0.01));
        let mut executor = ScriptedExecutor { plan, script, now_ns };
        let mut nobody = crate::watcher::nobody;
        let mut conductor = resumed(&design, &mut memory, &mut nobody);
        assert!(execute(&mut executor, &mut conductor).is_err(), "it was killed");
        now_ns = executor.now_ns + 3_600_000_000_000;
    }
    let mut nobody = crate::watcher::nobody;
    let again = resumed(&design, &mut memory, &mut nobody);
    let elapsed_seconds = again.finish(StopReason::Interrupted).elapsed_seconds;
    assert!((0.1..10.0).contains(&elapsed_seconds), "{elapsed_seconds}");
}

/// A pair with itself asks for a variant's own value: it runs until its median is known to within
/// the margin, and is not compared.
#[test]
fn a_variant_whose_own_value_is_asked_for_runs_until_it_is_known() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(17);
    let contrasts = Contrasts { pairs: vec![(0, 1), (2, 2)], ..Contrasts::default() };
    let metrics = Some(vec![WALL_TIME]);
    let three = Design { variants: 3, contrasts, metrics, ..design(rule()) };
    let done = conduct(&three, 6, |place| {
        let spread = if place.variant == 2 { 0.02 } else { 0.001 };
        Scripted::Takes(0.01 * (1.0 + f64::from(place.variant)) * noise(&mut random, spread))
    });
    assert_eq!(done.document.experiment.stop, StopReason::Settled);
    let pairs: Vec<_> =
        done.document.comparisons.iter().map(|part| (part.baseline, part.candidate)).collect();
    assert_eq!(pairs, [(0, 1)]);
    let own = done.document.summaries_of(2).find(|part| part.metric == WALL_TIME);
    let own = own.expect("it was measured");
    let (low, high) = (own.low.expect("enough values"), own.high.expect("enough values"));
    assert!(low >= own.median / 1.01 && high <= own.median * 1.01, "{own:?}");
    let runs = |variant| done.runs.iter().filter(|run| run.place.variant == variant).count();
    assert!(runs(2) > runs(0), "{} {}", runs(2), runs(0));
}

/// With a limit, measuring continues until the ratio's side of it is known, and no longer.
#[test]
fn a_ratio_with_a_limit_is_measured_until_it_is_on_one_side_of_it() {
    let measured = |limits: &[f64]| {
        let limit = |&ratio: &f64| RatioLimit { pair: (0, 1), metric: WALL_TIME, ratio };
        let limits = limits.iter().map(limit).collect();
        let contrasts = Contrasts { pairs: vec![(0, 1)], limits, ..Contrasts::default() };
        let design = Design { contrasts, metrics: Some(vec![WALL_TIME]), ..design(rule()) };
        let done = conduct(&design, 3, |place| {
            let slower = if place.variant == 1 { 1.05 } else { 1.0 };
            Scripted::Takes(0.01 * slower * noise_at(place, 0.04))
        });
        let part = done.document.comparisons[0].clone();
        (done.document.experiment.rounds, part.low, part.high.expect("bounded"))
    };
    let (far, _, high) = measured(&[1.3]);
    assert!(high < 1.3, "{high}");
    let (near, low, _) = measured(&[1.02]);
    assert!(low > 1.02, "{low}");
    let (usual, ..) = measured(&[]);
    assert!(far < usual && far < near, "{far} {near} {usual}");
}

/// In a history the question is since when: an artefact without a comparison has the minimum number
/// of rounds, alone and beside others, and a command that is measured alone is measured until its
/// value is known.
#[test]
fn what_decides_nothing_has_its_least_rounds() {
    let runs = |levels_decide: bool, variants: u32, pairs: &[(u32, u32)]| {
        let contrasts = Contrasts { pairs: pairs.to_vec(), ..Contrasts::default() };
        let metrics = Some(vec![WALL_TIME]);
        let stopping = StoppingRule { min_rounds: 20, ..rule() };
        let design = Design { variants, contrasts, metrics, levels_decide, ..design(stopping) };
        let done = conduct(&design, 6, |place| {
            let spread = if place.variant == 0 { 0.1 } else { 0.02 };
            Scripted::Takes(0.02 * noise_at(place, spread))
        });
        let count = |variant| done.runs.iter().filter(|r| r.place.variant == variant).count();
        ((0..variants).map(count).collect::<Vec<_>>(), done.document.experiment.stop)
    };
    assert_eq!(runs(false, 1, &[]), (vec![20], StopReason::Settled));
    assert_eq!(runs(false, 2, &[(0, 0), (1, 1)]), (vec![20, 20], StopReason::Settled));
    let (beside, _) = runs(false, 3, &[(0, 0), (1, 2)]);
    assert!(beside[0] < beside[1], "{beside:?}");
    let (alone, _) = runs(true, 1, &[]);
    assert!(alone[0] > 20, "{alone:?}");
}

// Forecasts, compared with the actual durations.

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
    let (told, took) = told(&design(fixed(20)), 1, |_| Scripted::Takes(0.5));
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

/// The time that the first run has taken so far says nothing about the length of the rounds.
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
    let instruments = vec![Source::Valgrind];
    let counted = Design { instruments, claims_equal_work: true, ..design(fixed(10)) };
    let (told, _) = told(&counted, 1, |_| Scripted::Takes(0.5));
    // Five rounds of a second, two under valgrind, and a run of each for its output.
    let left = told.at(5.0);
    assert!(left.least > 5.0 + 2.0 * 10.0 && left.likely > left.least, "{left:?}");
    assert!(left.most.expect("known") > left.likely);
}

/// Kinds of commands: the ratio of the variants, and the noise.
const KINDS: [(f64, f64); 5] = [(1.0, 0.01), (1.0, 0.05), (1.02, 0.01), (1.1, 0.02), (1.5, 0.05)];

/// The relative error of the time that is forecast at a quarter of each experiment.
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
