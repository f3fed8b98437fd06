//! One program against itself: the variation between equal programs, and how often a comparison calls
//! them different.
//!
//! The runs take the same path as those of `compare` (plan, executor, launcher), and are judged
//! like its answer, in a single look. They are not stored, because they are not needed again.
//!
//! For the rates, the rounds are cut into blocks, and each block is treated as a separate
//! experiment: any difference found is a false positive. The naive way runs all of one side, then
//! all of the other, and compares the means, so its two sides are the first and the second half of
//! the block's runs in time order. Both ways see the same runs.

use findings::doctor::{FalsePositiveRate, FalsePositiveRates, Reading, TrialDrift, TrialResult};
use judge::comparison::{ComparisonSettings, POWER, compare};
use judge::forecast::Left;
use measure::clock::Stopwatch;
use measure::{AllowedExits, Launcher, Reads, Stdin, Stdout};
use model::design;
use model::design::stopping::Progress;
use model::metric::{CPU_WAIT, Direction, Missing, Nature, Source, WALL_TIME};
use model::run::{Plan, Run};
use model::sample::Columns;
use model::spec::artifacts::Layouts;
use model::spec::labels::Labels;
use model::spec::{Experiment, Invocation, Variant};
use model::verdict::Margin;
use run::local::LocalExecutor;
use run::{Answer, Ending, Event, Observer, ObserverError, Phase, RunError, execute};
use stats::sequential::{Boundary, Look, Spending, information};
use stats::{Estimator, paired_ratio};

use super::spin::TrialProgram;
use crate::watcher::{self, ConductProgress, Watcher};

/// The default margin and confidence of `compare`.
pub const MARGIN: f64 = 0.01;
const CONFIDENCE: f64 = 0.95;

/// A run that takes longer than its share of any budget has failed.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(60);

/// One program against itself.
pub struct Trial {
    /// The finding.
    pub result: TrialResult,
    /// The times of each round.
    pub times: Vec<RoundTimes>,
}

/// The environment of a trial's runs.
pub struct Bench<'a> {
    /// Starts the runs.
    pub launcher: &'a mut Launcher,
    /// This executable.
    pub executable: std::path::PathBuf,
    /// The seed for the order of the runs.
    pub seed: u64,
    /// Receives the progress.
    pub watcher: &'a mut dyn Watcher,
}

/// Runs the program against itself for this number of seconds. None if interrupted.
pub fn try_out(
    bench: &mut Bench<'_>,
    program: TrialProgram,
    iterations: u64,
    seconds: f64,
) -> Result<Option<Trial>, RunError> {
    let experiment = against_itself(&bench.executable, program, iterations);
    let plan = Plan { seed: bench.seed, variants: 2 };
    let reads = Reads { counters: true, ..Reads::default() };
    let mut executor =
        LocalExecutor::new(&experiment, plan, bench.launcher, None, reads, Vec::new());
    let mut collector = Collector {
        runs: Vec::new(),
        watch: Stopwatch::start(),
        seconds,
        elapsed_seconds: 0.0,
        watcher: bench.watcher,
    };
    let ending = execute(&mut executor, &mut collector)?;
    let is_finished = ending != Ending::Aborted;
    let trial =
        is_finished.then(|| examine(iterations, &collector.runs, collector.elapsed_seconds));
    Ok(trial.flatten())
}

fn against_itself(
    executable: &std::path::Path,
    program: TrialProgram,
    iterations: u64,
) -> Experiment {
    let words = ["spin".to_owned(), "--iterations".to_owned(), iterations.to_string()];
    let variant = Variant {
        name: format!("the {} program", program.name),
        command: format!("brisk {}", words.join(" ")),
        labels: Labels::default(),
        run: Invocation {
            argv: std::iter::once(executable.into()).chain(words.map(Into::into)).collect(),
            env: Vec::new(),
            cwd: None,
            stdin: Stdin::Null,
            stdout: Stdout::Null,
        },
        setup: None,
        prepare: None,
        conclude: None,
        cleanup: None,
        measures: Vec::new(),
        layouts: Layouts::default(),
    };
    Experiment {
        variants: vec![variant.clone(), variant],
        commands: 2,
        shell: None,
        timeout: Some(TIMEOUT),
        allowed: AllowedExits::Zero,
        outlives_failures: false,
        setup_runs: 1,
        claims_equal_work: false,
    }
}

/// Collects the runs, and stops if another round would exceed the time.
struct Collector<'a> {
    runs: Vec<Run>,
    watch: Stopwatch,
    seconds: f64,
    elapsed_seconds: f64,
    watcher: &'a mut dyn Watcher,
}

/// The approximate interval at which more rounds are requested, to keep the time limit: each
/// request costs a round trip to the launcher.
const STRETCH_SECONDS: f64 = 0.5;

impl Observer for Collector<'_> {
    fn on(&mut self, event: Event<'_>) -> Result<Answer, ObserverError> {
        match event {
            Event::Phase(Phase::Rounds) => self.watch = Stopwatch::start(),
            Event::Finished(runs) => {
                self.runs.extend_from_slice(runs);
                self.elapsed_seconds = self.watch.elapsed().as_secs_f64();
            }
            // There are no setup commands, and output is ignored.
            _ => {}
        }
        let rounds = u32::try_from(self.runs.len() / 2).unwrap_or(u32::MAX);
        let elapsed_seconds = self.watch.elapsed().as_secs_f64();
        self.watcher.on(watcher::Event::Measuring(ConductProgress {
            phase: Phase::Rounds,
            progress: Progress { rounds, elapsed_seconds },
            clock: (elapsed_seconds / self.seconds).min(1.0),
            left: Some(Left::about((self.seconds - elapsed_seconds).max(0.0))),
            least_seconds: None,
            latest: None,
        }));
        Ok(if measure::interrupt::requested() { Answer::Abort } else { Answer::Continue })
    }

    fn more_rounds(&mut self, phase: Phase, done: u32) -> u32 {
        match (phase, done) {
            (Phase::Rounds, 0) => 1,
            (Phase::Rounds, _) => more(done, self.elapsed_seconds, self.seconds),
            (Phase::WarmUp | Phase::Instrumented(_), _) => 0,
        }
    }
}

/// The number of rounds to run before the next request; `done` is at least 1.
fn more(done: u32, elapsed_seconds: f64, seconds: f64) -> u32 {
    let a_round = (elapsed_seconds / f64::from(done)).max(1e-6);
    let affordable = ((seconds - elapsed_seconds) / a_round).floor().max(0.0);
    let a_stretch = (STRETCH_SECONDS / a_round).ceil();
    affordable.min(a_stretch) as u32
}

/// The result of the runs. None if there are none.
fn examine(iterations: u64, runs: &[Run], elapsed_seconds: f64) -> Option<Trial> {
    let mut columns = Columns::new(2);
    runs.iter().for_each(|run| columns.push(run, |id| *id == WALL_TIME));
    let times = round_times(runs);
    let in_time: Vec<f64> = times.iter().flat_map(|round| round.seconds).collect();
    let pairs = columns.get(&WALL_TIME, Source::Run)?.pairs(0, 1);
    let rounds = u32::try_from(times.len()).ok()?;
    let look = single_look(rounds);
    let rule = ComparisonSettings {
        estimator: Estimator::RankScores,
        margin: Margin::new(MARGIN).expect("positive"),
    };
    let detectable = compare(&pairs, Direction::Lower, Nature::Measured, rule, look)
        .map(|comparison| comparison.detectable)
        .and_then(|change| change.ok_or_else(|| too_few(rounds, look.nominal_alpha)));
    let ratios = stats::estimate::log_ratios(&pairs.baseline, &pairs.candidate);
    let rounds_for_margin = rounds_for_margin(&detectable, rounds, &ratios, look);
    let seconds_a_round = elapsed_seconds / f64::from(rounds);
    let summary = stats::describe::summarise(&in_time)?;
    let drift = stats::drift::drift(&in_time);
    let result = TrialResult {
        iterations,
        rounds,
        elapsed_seconds,
        median_seconds: summary.median,
        mean_seconds: summary.mean,
        robust_spread: summary.robust_spread(),
        spread: summary.spread(),
        wait_share: Reading::from_result(wait_share(runs)),
        drift: drift.map(|drift| TrialDrift { change: drift.change, p_value: drift.p_value }),
        detectable: Reading::from_result(detectable),
        rounds_for_margin,
        seconds_for_margin: rounds_for_margin.map(|rounds| rounds as f64 * seconds_a_round),
    };
    Some(Trial { result, times })
}

/// The level at which `compare --runs N` judges wall time.
fn single_look(rounds: u32) -> Look {
    let members = design::members(None, 1, CONFIDENCE);
    let mut members = members.iter().filter(|member| member.metric == WALL_TIME);
    let alpha = members.next().expect("wall time is judged").alpha;
    let information = information(Estimator::RankScores, rounds as usize);
    Boundary::new(alpha, Spending::Power(1.0)).look(information, 1.0)
}

fn too_few(rounds: u32, alpha: f64) -> Missing {
    let fewest = design::least_rounds(Estimator::RankScores, alpha);
    Missing(format!("nothing yet: a verdict takes {fewest} rounds, and there were {rounds}").into())
}

/// With fewer ratios, their scatter is unknown. Arbitrary.
const FEWEST_RATIOS: usize = 5;

fn rounds_for_margin(
    detectable: &Result<f64, Missing>,
    rounds: u32,
    log_ratios: &[f64],
    look: Look,
) -> Option<u64> {
    let (found, rounds) = match detectable {
        Ok(change) => (*change, rounds),
        Err(_) if log_ratios.len() < FEWEST_RATIOS => return None,
        // Without an interval, the scatter of the ratios serves as the result of a single round.
        Err(_) => {
            let half_width = look.critical_z * stats::describe::summarise(log_ratios)?.sd?;
            (stats::detect::smallest_detectable(half_width, look.critical_z, POWER), 1)
        }
    };
    let needed = stats::detect::rounds_to_detect(MARGIN, found, rounds)?;
    Some(needed.max(design::least_rounds(Estimator::RankScores, look.nominal_alpha).into()))
}

fn round_times(runs: &[Run]) -> Vec<RoundTimes> {
    let wall = |run: &Run| run.readings.get(&WALL_TIME)?.as_ref().ok().copied();
    runs.chunks_exact(2)
        .filter_map(|round| {
            let seconds = [wall(&round[0])?, wall(&round[1])?];
            Some(RoundTimes { seconds, first: round[0].place.variant })
        })
        .collect()
}

fn wait_share(runs: &[Run]) -> Result<f64, Missing> {
    let (mut waited, mut passed, mut reason) = (0.0, 0.0, None);
    for run in runs {
        let wall = run.readings.get(&WALL_TIME).and_then(|value| value.as_ref().ok());
        match (run.readings.get(&CPU_WAIT), wall) {
            (Some(Ok(wait)), Some(wall)) => {
                waited += wait;
                passed += wall;
            }
            (Some(Err(missing)), _) => reason = Some(missing.clone()),
            _ => {}
        }
    }
    if passed > 0.0 {
        return Ok(waited / passed);
    }
    Err(reason.unwrap_or_else(|| Missing("no run tells".into())))
}

/// The number of rounds in a block: the usual minimum of `compare`, with twice as many runs.
const ROUNDS_A_BLOCK: usize = 10;

/// With fewer blocks, no rate is given.
const FEWEST_BLOCKS: usize = 3;

/// The permitted error rate of the tests.
const LEVEL: f64 = 0.05;

/// The distance above which means alone are called different.
const APART: f64 = 0.01;

/// The times of one round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundTimes {
    /// The seconds of the two runs, in the order in which they ran.
    pub seconds: [f64; 2],
    /// The variant that ran first: 0 or 1.
    pub first: u32,
}

impl RoundTimes {
    fn of_variant(&self, variant: u32) -> f64 {
        self.seconds[usize::from(variant != self.first)]
    }
}

/// The rates at which each way of comparing found a difference that does not exist, in the rounds of
/// this program.
///
/// # Errors
///
/// The reason that no rate can be given.
pub fn false_positives(
    program: &str,
    rounds: &[RoundTimes],
) -> Result<FalsePositiveRates, Missing> {
    let blocks: Vec<&[RoundTimes]> = rounds.chunks_exact(ROUNDS_A_BLOCK).collect();
    if blocks.len() < FEWEST_BLOCKS {
        let (least, had) = (FEWEST_BLOCKS * ROUNDS_A_BLOCK, rounds.len());
        return Err(Missing(format!("it takes {least} rounds, and there were {had}").into()));
    }
    let rate = |finds: fn(&[RoundTimes]) -> bool| {
        let found = blocks.iter().filter(|block| finds(block)).count() as u64;
        let of = blocks.len() as u64;
        let (low, high) =
            stats::binomial::proportion_interval(found, of, LEVEL).expect("some of these blocks");
        FalsePositiveRate { found, of, low, high }
    };
    Ok(FalsePositiveRates {
        program: program.to_owned(),
        rounds_a_block: ROUNDS_A_BLOCK,
        level: LEVEL,
        apart_by: APART,
        sequential_welch: rate(welch_finds),
        sequential_means_apart: rate(means_are_apart),
        brisk: rate(paired_finds),
    })
}

/// The runs of a block in time order, as two halves.
fn halves(block: &[RoundTimes]) -> (Vec<f64>, Vec<f64>) {
    let runs: Vec<f64> = block.iter().flat_map(|round| round.seconds).collect();
    let (first, second) = runs.split_at(runs.len() / 2);
    (first.to_vec(), second.to_vec())
}

fn welch_finds(block: &[RoundTimes]) -> bool {
    let (first, second) = halves(block);
    stats::student::welch_p(&first, &second).is_some_and(|p| p < LEVEL)
}

fn means_are_apart(block: &[RoundTimes]) -> bool {
    let (first, second) = halves(block);
    let mean = |runs: &[f64]| stats::describe::summarise(runs).map(|summary| summary.mean);
    match (mean(&first), mean(&second)) {
        (Some(first), Some(second)) => (second / first).ln().abs() > APART.ln_1p(),
        _ => false,
    }
}

fn paired_finds(block: &[RoundTimes]) -> bool {
    let side = |variant| block.iter().map(|round| round.of_variant(variant)).collect::<Vec<_>>();
    paired_ratio(&side(0), &side(1), Estimator::RankScores, LEVEL)
        .is_ok_and(|estimate| estimate.excludes_one())
}

#[cfg(test)]
mod tests {
    use measure::Outcome;
    use model::run::RunPlace;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;

    /// This number of rounds, whose runs take a second, plus up to two percent.
    fn runs(rounds: u32) -> Vec<Run> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut run = |round: u32, position: u32| {
            let noise = 0.02 * f64::from(random.next_u32()) / f64::from(u32::MAX);
            Run {
                place: RunPlace {
                    source: Source::Run,
                    warmup: false,
                    round,
                    position,
                    variant: (round + position) % 2,
                },
                started_unix_ns: 0,
                outcome: Outcome::Exited(0),
                readings: [(WALL_TIME, Ok(1.0 + noise)), (CPU_WAIT, Ok(0.05))]
                    .into_iter()
                    .collect(),
                left_behind: 0,
                stderr_tail: None,
            }
        };
        (0..rounds).flat_map(|round| [run(round, 0), run(round, 1)]).collect()
    }

    fn trial(rounds: u32) -> TrialResult {
        examine(1, &runs(rounds), 2.0 * f64::from(rounds)).expect("some runs").result
    }

    #[test]
    fn too_few_rounds_are_said_to_be_too_few() {
        let trial = trial(6);
        // Six rounds exclude nothing at 2.5 %.
        let reason = "nothing yet: a verdict takes 7 rounds, and there were 6";
        assert_eq!(trial.detectable.get(), Err(reason));
        assert!(trial.rounds_for_margin.is_some_and(|rounds| rounds >= 7));
    }

    #[test]
    fn sixteen_times_the_rounds_see_a_change_a_quarter_as_large() {
        let (few, many) = (trial(40), trial(640));
        let ratio = few.detectable.get().expect("enough") / many.detectable.get().expect("enough");
        assert!((2.8..5.6).contains(&ratio), "{ratio}");
        // The scatter is the same, so about as many rounds are needed for one percent.
        let needed = [few.rounds_for_margin, many.rounds_for_margin].map(|n| n.expect("finite"));
        assert!(needed[0] < 2 * needed[1] && needed[1] < 2 * needed[0], "{needed:?}");
    }

    #[test]
    fn waiting_is_a_share_of_the_time_that_passed() {
        let share = trial(10).wait_share;
        assert!((share.get().expect("every run tells") - 0.05).abs() < 0.001, "{share:?}");
    }

    #[test]
    fn rounds_end_when_another_would_not_fit() {
        assert_eq!(more(3, 6.3, 8.0), 0);
        assert_eq!(more(3, 6.3, 8.5), 1);
        assert_eq!(more(1, 0.02, 5.0), 25);
        assert_eq!(more(1, 9.0, 5.0), 0);
    }

    /// Rounds in the order of a real plan. `drift` is the growth from the first run to the last;
    /// the noise is uniform within one percent.
    fn rounds(count: u32, drift: f64) -> Vec<RoundTimes> {
        let plan = Plan { seed: 4, variants: 2 };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut seconds = |place: u32| {
            let noise = 0.01 * (f64::from(random.next_u32()) / f64::from(u32::MAX));
            0.01 * (1.0 + drift * f64::from(place) / f64::from(2 * count) + noise)
        };
        (0..count)
            .map(|number| RoundTimes {
                seconds: [seconds(2 * number), seconds(2 * number + 1)],
                first: plan.round(number, false).order[0],
            })
            .collect()
    }

    #[test]
    fn drift_deceives_who_runs_one_side_after_the_other_and_not_who_pairs() {
        // In each of 100 blocks, times grow by two percent.
        let found = false_positives("x", &rounds(1000, 2.0)).expect("enough rounds");
        assert_eq!(found.sequential_welch.of, 100);
        assert!(found.sequential_welch.found > 90, "{found:?}");
        assert!(found.brisk.found <= 11, "{found:?}");
        assert!(found.sequential_welch.low > found.brisk.high);
    }

    #[test]
    fn on_steady_noise_both_tests_keep_their_level() {
        let found = false_positives("x", &rounds(2000, 0.0)).expect("enough rounds");
        for rate in [found.sequential_welch, found.brisk] {
            // Binomial(200, 1/20): more than 22 once in a thousand seeds.
            assert!(rate.found <= 22, "{found:?}");
            assert!(rate.low <= 0.05, "{found:?}");
        }
    }

    /// By hand: the first ten runs take 1 s and the last ten 2 s. The variant that runs second in
    /// round 5 is not slower, since that round lies in the first half.
    #[test]
    fn a_step_between_the_halves_is_found_by_the_means_alone() {
        let mut block: Vec<RoundTimes> = (0..10)
            .map(|round| {
                let base = if round < 5 { 1.0 } else { 2.0 };
                let seconds = [base, base + 0.001 * f64::from(round % 3 - 1)];
                RoundTimes { seconds, first: u32::from(round % 2 == 1) }
            })
            .collect();
        block.extend(block.clone());
        block.extend(block.clone());
        let found = false_positives("x", &block).expect("four blocks");
        assert_eq!(
            (found.sequential_welch.found, found.sequential_means_apart.found, found.brisk.found),
            (4, 4, 0)
        );
    }

    #[test]
    fn a_few_rounds_tell_nothing() {
        let reason = false_positives("x", &rounds(29, 0.0)).expect_err("two blocks");
        assert_eq!(reason.to_string(), "it takes 30 rounds, and there were 29");
    }
}
