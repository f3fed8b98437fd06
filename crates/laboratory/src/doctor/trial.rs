//! One program against itself: the variation between equal programs.
//!
//! The runs take the same path as those of `compare` (plan, executor, launcher), and are judged
//! like its answer, in a single look. They are not stored, because they are not needed again.

use measure::clock::Stopwatch;
use measure::{AllowedExits, Launcher, Reads, Stdin, Stdout};
use stats::Estimator;
use stats::describe::SampleSummary;
use stats::drift::Drift;
use stats::sequential::{Boundary, Look, Spending, information};

use super::rates::RoundTimes;
use super::schedule::TrialProgram;
use crate::watcher::{self, ConductProgress, Watcher};
use judge::comparison::{ComparisonSettings, POWER, compare};
use judge::forecast::Left;
use model::design;
use model::design::stopping::Progress;
use model::metric::{CPU_WAIT, Direction, Missing, Nature, Source, WALL_TIME};
use model::run::Plan;
use model::run::Run;
use model::sample::Columns;
use model::spec::artifacts::Layouts;
use model::spec::labels::Labels;
use model::spec::{Experiment, Invocation, Variant};
use model::verdict::Margin;
use run::local::LocalExecutor;
use run::{Answer, Ending, Event, Observer, ObserverError, Phase, RunError, execute};

/// The default margin and confidence of `compare`.
pub const MARGIN: f64 = 0.01;
const CONFIDENCE: f64 = 0.95;

/// A run that takes longer than its share of any budget has failed.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(60);

/// The result of running a program against itself. Spreads and changes are fractions, 0.05 for 5 %.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The program.
    pub program: TrialProgram,
    /// The amount of work of the program.
    pub iterations: u64,
    /// The number of finished rounds; each ran the program twice.
    pub rounds: u32,
    /// The duration of all rounds, in seconds.
    pub elapsed_seconds: f64,
    /// The wall time of its runs, in time order.
    pub summary: SampleSummary,
    /// The trend of these times. None for fewer than ten.
    pub drift: Option<Drift>,
    /// The share of their wall time that the runs waited for a processor.
    pub wait_share: Result<f64, Missing>,
    /// The smallest change that this number of rounds finds nine times in ten.
    pub detectable: Result<f64, Missing>,
    /// The number of rounds that find a change of [`MARGIN`] nine times in ten. None if unknown.
    pub rounds_for_margin: Option<u64>,
    /// The times of each round.
    pub times: Vec<RoundTimes>,
}

impl Trial {
    /// The duration of [`Trial::rounds_for_margin`], in seconds.
    pub fn seconds_for_margin(&self) -> Option<f64> {
        let a_round = self.elapsed_seconds / f64::from(self.rounds);
        self.rounds_for_margin.map(|rounds| rounds as f64 * a_round)
    }
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
///
/// # Errors
///
/// When it cannot be run.
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
    let (runs, elapsed) = (collector.runs, collector.elapsed_seconds);
    Ok(if ending == Ending::Aborted { None } else { examine(program, iterations, &runs, elapsed) })
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
fn examine(
    program: TrialProgram,
    iterations: u64,
    runs: &[Run],
    elapsed_seconds: f64,
) -> Option<Trial> {
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
    Some(Trial {
        program,
        iterations,
        rounds,
        elapsed_seconds,
        summary: stats::describe::summarise(&in_time)?,
        drift: stats::drift::drift(&in_time),
        wait_share: wait_share(runs),
        rounds_for_margin: rounds_for_margin(&detectable, rounds, &ratios, look),
        detectable,
        times,
    })
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

/// The times of the complete rounds.
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

#[cfg(test)]
mod tests {
    use measure::Outcome;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::super::schedule::PROGRAMS;
    use super::*;
    use model::run::RunPlace;

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

    fn trial(rounds: u32) -> Trial {
        examine(PROGRAMS[2], 1, &runs(rounds), 2.0 * f64::from(rounds)).expect("some runs")
    }

    #[test]
    fn too_few_rounds_are_said_to_be_too_few() {
        let trial = trial(6);
        let reason = trial.detectable.expect_err("six rounds exclude nothing at 2.5 %");
        assert_eq!(reason.to_string(), "nothing yet: a verdict takes 7 rounds, and there were 6");
        assert!(trial.rounds_for_margin.is_some_and(|rounds| rounds >= 7));
    }

    #[test]
    fn sixteen_times_the_rounds_see_a_change_a_quarter_as_large() {
        let (few, many) = (trial(40), trial(640));
        let ratio = few.detectable.expect("enough") / many.detectable.expect("enough");
        assert!((2.8..5.6).contains(&ratio), "{ratio}");
        // The scatter is the same, so about as many rounds are needed for one percent.
        let needed = [few.rounds_for_margin, many.rounds_for_margin].map(|n| n.expect("finite"));
        assert!(needed[0] < 2 * needed[1] && needed[1] < 2 * needed[0], "{needed:?}");
    }

    #[test]
    fn waiting_is_a_share_of_the_time_that_passed() {
        let share = trial(10).wait_share.expect("every run tells");
        assert!((share - 0.05).abs() < 0.001, "{share}");
    }

    #[test]
    fn rounds_end_when_another_would_not_fit() {
        assert_eq!(more(3, 6.3, 8.0), 0);
        assert_eq!(more(3, 6.3, 8.5), 1);
        assert_eq!(more(1, 0.02, 5.0), 25);
        assert_eq!(more(1, 9.0, 5.0), 0);
    }
}
