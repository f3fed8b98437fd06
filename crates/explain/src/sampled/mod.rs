//! The processor time of programs by function, from samples in interleaved rounds.
//!
//! [`Sampling::sample`] is the whole way from the programs of an experiment to the finding. Each
//! round runs every program once, sampled, in an order drawn anew; some plain runs among them tell
//! what the sampling costs, and how much time passes off the processor.

mod counting;
mod finding;
mod objects;

use std::path::PathBuf;
use std::time::Duration;

use findings::time_profile::TimeProfile;
use measure::profiler::{Profile, ProfiledRun, ProfilerError, profile};
use measure::tool::LogEnd;
use measure::{CommandLine, FinishedRun, Kernel, Launcher, Outcome};
use model::host::fresh_seed;
use model::run::Plan;
use model::spec::Experiment;
use run::RunError;
use run::finished::last_lines;
use stats::sampled::LEAST_ROUNDS;

use crate::untimed;
use counting::Tally;
use finding::Sampled;

/// The default time for all rounds.
pub const BUDGET: Duration = Duration::from_secs(60);

/// The least processor time between two samples: a sample takes some microseconds.
const LEAST_PERIOD_SECONDS: f64 = 0.0005;

/// The number of samples of a run that is enough: the runs vary more.
const ENOUGH_SAMPLES: f64 = 4000.0;

/// The number of rounds that is enough, and that of plain runs among them.
const MOST_ROUNDS: usize = 30;
const PLAIN_RUNS: usize = 3;

/// The least number of rounds of a single program: intervals need several runs.
const LEAST_ROUNDS_OF_ONE: usize = 3;

/// The reason that programs could not be sampled.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum SampleError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("cannot sample `{name}`")]
    Profiler { name: String, source: ProfilerError },
    #[error("`{name}` was never seen at work: it used too little processor time for samples")]
    NothingSeen { name: String },
    #[error("interrupted")]
    Interrupted,
}

/// The programs of an experiment, to be sampled.
pub struct Sampling<'a> {
    experiment: &'a Experiment,
    launcher: &'a mut Launcher,
    programs: Vec<Program>,
}

/// One program with its runs so far.
struct Program {
    command: CommandLine,
    plain: Vec<FinishedRun>,
    sampled: Vec<SampledRun>,
    tally: Tally,
}

/// A sampled run without its samples, which are in the tally.
struct SampledRun {
    elapsed: Duration,
    cpu_seconds: f64,
    period: f64,
    lost: u64,
    throttled: u64,
    without_stack: u64,
    kernel: Kernel,
}

impl<'a> Sampling<'a> {
    /// The variants of an experiment: one, or an old and a new one.
    pub fn new(
        experiment: &'a Experiment,
        launcher: &'a mut Launcher,
    ) -> Result<Self, SampleError> {
        let program = |variant: &model::spec::Variant| {
            let command = variant
                .run
                .resolve()
                .map_err(|source| RunError::Start { name: variant.name.clone(), source })?;
            let (plain, sampled, tally) = (Vec::new(), Vec::new(), Tally::default());
            Ok(Program { command, plain, sampled, tally })
        };
        let programs = experiment.variants.iter().map(program).collect::<Result<_, RunError>>()?;
        Ok(Self { experiment, launcher, programs })
    }

    /// Runs a program once as it is; returns its wall time.
    pub fn plain(&mut self, variant: usize) -> Result<Duration, SampleError> {
        let command = self.programs[variant].command.clone();
        let finished = untimed::run(self.launcher, self.experiment, variant, command)?
            .ok_or(SampleError::Interrupted)?;
        self.check(variant, finished.outcome, "a plain run", &finished.stderr_tail)?;
        let wall = Duration::from_nanos(finished.raw.wall.0);
        self.programs[variant].plain.push(finished);
        Ok(wall)
    }

    /// Samples the programs in rounds that take about `budget`, and at least as many as intervals
    /// need; `tell` hears the number of runs that ended, and of all.
    pub fn sample(
        mut self,
        budget: Duration,
        tell: &mut dyn FnMut(usize, usize),
    ) -> Result<TimeProfile, SampleError> {
        let count = self.programs.len();
        for variant in 0..count {
            if self.programs[variant].plain.is_empty() {
                self.plain(variant)?;
            }
        }
        let rounds = self.rounds(budget);
        let plain_rounds = PLAIN_RUNS.min(rounds);
        let all = count * (rounds + plain_rounds - 1);
        let plan = Plan {
            seed: fresh_seed(),
            variants: u32::try_from(count).expect("two programs at most"),
        };
        let mut done = 0;
        tell(done, all);
        for number in 0..rounds {
            let round = plan.round(u32::try_from(number).expect("few rounds"), false);
            for (variant, padding) in round.order.iter().zip(&round.padding) {
                let variant = *variant as usize;
                // The first plain runs have been.
                if number > 0 && number < plain_rounds {
                    self.plain(variant)?;
                    done += 1;
                }
                self.sampled(variant, self.period(variant, *padding))?;
                done += 1;
                tell(done, all);
            }
        }
        let programs: Vec<Sampled<'_>> = self
            .programs
            .iter()
            .zip(&self.experiment.variants)
            .map(|(program, variant)| Sampled { name: &variant.name, variant, program })
            .collect();
        if let Some(unseen) = programs.iter().find(|it| it.samples() == 0) {
            return Err(SampleError::NothingSeen { name: unseen.name.to_owned() });
        }
        Ok(finding::profile(&programs))
    }

    fn rounds(&self, budget: Duration) -> usize {
        let round: Duration = self
            .programs
            .iter()
            .flat_map(|program| program.plain.first())
            .map(|run| Duration::from_nanos(run.raw.wall.0))
            .sum();
        // A tenth for what happens between runs, and some for the plain ones.
        let fit = budget.as_secs_f64() / (1.1 * round.as_secs_f64().max(0.001));
        let plain = PLAIN_RUNS as f64 - 1.0;
        let least = if self.programs.len() > 1 { LEAST_ROUNDS } else { LEAST_ROUNDS_OF_ONE };
        ((fit - plain) as usize).clamp(least, MOST_ROUNDS)
    }

    /// The processor time between two samples of the next run: drawn from the tenth above the least
    /// that is sensible. `drawn` is below 4096.
    fn period(&self, variant: usize, drawn: u16) -> Duration {
        let plain = self.programs[variant].plain.first();
        let cpu = plain.map_or(0.0, |run| run.raw.cpu.0 as f64 / 1e6);
        let least = (cpu / ENOUGH_SAMPLES).max(LEAST_PERIOD_SECONDS);
        Duration::from_secs_f64(least * (1.0 + 0.1 * f64::from(drawn) / 4096.0))
    }

    fn sampled(&mut self, variant: usize, period: Duration) -> Result<(), SampleError> {
        let name = || self.experiment.variants[variant].name.clone();
        let how = Profile { period, limit: self.experiment.timeout };
        let run = profile(&self.programs[variant].command, how)
            .map_err(|source| SampleError::Profiler { name: name(), source })?;
        let outcome = match run.end {
            LogEnd::Interrupted => return Err(SampleError::Interrupted),
            LogEnd::TimedOut => Outcome::TimedOut,
            LogEnd::ByItself(outcome) => outcome,
        };
        if measure::interrupt::requested() {
            return Err(SampleError::Interrupted);
        }
        self.check(variant, outcome, "a sampled run", &run.stderr_tail)?;
        let program = &mut self.programs[variant];
        program.tally.add(&run);
        let ProfiledRun { elapsed, cpu, lost, throttled, without_stack, kernel, .. } = run;
        program.sampled.push(SampledRun {
            elapsed,
            cpu_seconds: cpu.0 as f64 / 1e6,
            period: period.as_secs_f64(),
            lost,
            throttled,
            without_stack,
            kernel,
        });
        Ok(())
    }

    fn check(
        &self,
        variant: usize,
        outcome: Outcome,
        when: &str,
        stderr: &[u8],
    ) -> Result<(), RunError> {
        if self.experiment.allowed.permits(outcome) {
            return Ok(());
        }
        Err(RunError::Failed {
            name: self.experiment.variants[variant].name.clone(),
            how: outcome.to_string(),
            when: when.to_owned(),
            stderr: last_lines(stderr),
            outcome,
        })
    }
}

impl Program {
    /// The path of the executable as the kernel tells it: without links.
    fn path(&self) -> PathBuf {
        let path = &self.command.program;
        path.canonicalize().unwrap_or_else(|_| path.clone())
    }
}
