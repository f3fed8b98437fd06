//! Programs with some of the hunks of a difference: built, and counted or measured.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use explain::instructions::profiling::{Counts, Profiling, ProfilingError, common_stacks};
use explain::sampled::{BUDGET, SampleError, Sampling};
use findings::instructions::ProgramStacks;
use findings::of_candidate;
use findings::time_profile::TimeProfile;
use measure::Launcher;
use measure::clock::Stopwatch;
use model::commission::Kind;
use model::design::contrasts::Contrasts;
use model::design::stopping::StoppingRule;
use model::failure::{Failing, Failure};
use model::metric::{
    BRANCH_MISSES, CACHE_MISSES, CACHE_REFERENCES, CYCLES, INSTRUCTIONS, MetricId,
};
use model::spec::Experiment;
use model::spec::artifacts::{self, BuiltArtifact};
use model::spec::reading::{CounterOption, Sources};
use model::verdict::Margin;
use prepare::{Artifact, Builder, BuiltCommit, Commit, CounterBuild, Difference, Trees};
use run::instrument::valgrind::Callgrind;
use store::Place;
use toolchains::machine_code::{self, FunctionCode};
use words::quantity::duration;

use super::{Allowance, CountedSides, KnownChange, Measurement, ProgramOfCommits, Yardstick};
use crate::commits::named;
use crate::explaining::native::{self, Counted};
use crate::machine;
use crate::project;
use crate::question::{Question, Site};
use crate::watcher::{Builds, Event, Watcher};

/// The programs of a search.
pub(super) struct Trials<'a> {
    pub(super) program: &'a ProgramOfCommits<'a>,
    change: &'a KnownChange,
    builder: Builder,
    launcher: &'a mut Launcher,
    watcher: &'a mut dyn Watcher,
    yardstick: Yardstick,
    /// The artefacts of the two commits.
    sides: Vec<Artifact>,
    /// The instructions of the older program.
    base_count: f64,
    /// The seconds that may be spent besides builds, and those that were.
    allowance: Allowance,
    spent_seconds: f64,
    /// The seconds that counting both programs took.
    counting_seconds: f64,
    programs: usize,
}

/// The outcome of a trial.
pub(super) enum Tried {
    /// The share of the change that the program shows.
    Share(f64),
    /// It does not build, or does not run.
    Unbuilt,
    /// It is not known, for this reason.
    Open(String),
}

const INTERRUPTED: &str = "interrupted while the cause of a change was searched for";

/// The slowdown factor of callgrind, and the number of its runs for two programs.
const SLOWDOWN: f64 = 40.0;
const RUNS: f64 = 4.0;

/// The number of runs with a median count.
const MEDIAN_OF: usize = 3;

/// The least time for the rounds of a program.
const SHORT_SECONDS: f64 = 3.0;

/// The number of programs that are measured in the time that is left, at least: a hunk has two proofs,
/// and a guess may be wrong.
const PROGRAMS: f64 = 3.0;

/// The part of a change up to which the half-width of an interval decides between the whole of it
/// and nothing.
pub(super) const DECIDES: f64 = 0.5;

impl<'a> Trials<'a> {
    /// Builds both commits, which are usually in the cache.
    pub(super) fn new(
        program: &'a ProgramOfCommits<'a>,
        change: &'a KnownChange,
        launcher: &'a mut Launcher,
        watcher: &'a mut dyn Watcher,
    ) -> Result<Self, Failure> {
        let builder = project::builder(program.repository, program.recipe, program.options, None)?;
        let mut trials = Self {
            program,
            change,
            builder,
            launcher,
            watcher,
            yardstick: Yardstick::new(change, None),
            sides: Vec::new(),
            base_count: 0.0,
            allowance: change.allowance,
            spent_seconds: 0.0,
            counting_seconds: 0.0,
            programs: 0,
        };
        for commit in [&change.from, &change.to] {
            let built = trials.build(commit, Builds::Usual)?;
            let artifact = built.outcome.map_err(|failure| project::unbuilt(commit, &failure))?;
            trials.sides.push(artifact);
        }
        Ok(trials)
    }

    /// The number of programs with some of the hunks.
    pub(super) fn programs(&self) -> usize {
        self.programs
    }

    /// The measure by which programs are judged.
    pub(super) fn yardstick(&self) -> Yardstick {
        self.yardstick.clone()
    }

    /// Counts both programs; or the reason that they cannot be counted.
    pub(super) fn sides(&mut self) -> Result<Result<CountedSides, String>, Failure> {
        let seconds = RUNS * SLOWDOWN * self.change.run_seconds;
        if !self.allowance.suffices_for_counting(seconds) {
            let takes = duration(seconds);
            return Ok(Err(format!("counting by function would take about {takes}")));
        }
        let (from, to) = (&self.change.from, &self.change.to);
        let experiment = self.experiment(&[(from, &self.sides[0]), (to, &self.sides[1])])?;
        let watch = Stopwatch::start();
        let counted = Counted::new(&experiment, self.launcher, self.watcher);
        self.counting_seconds = watch.elapsed().as_secs_f64();
        self.spent_seconds += self.counting_seconds;
        self.allowance = self.allowance.after_counting(self.counting_seconds);
        let counted = match counted {
            Err(failure) if measure::interrupt::requested() => return Err(failure),
            Err(failure) => return Ok(Err(failure.in_one_line())),
            Ok(counted) => counted,
        };
        let sides = CountedSides { counted, codes: self.codes() };
        self.base_count = sides.total(0).middle() as f64;
        self.yardstick = Yardstick::new(self.change, Some(&sides));
        Ok(Ok(sides))
    }

    /// The stacks of both programs, if there is time to count them once more; `None` otherwise.
    pub(super) fn stacks(&mut self) -> Result<Option<ProgramStacks>, Failure> {
        if self.spent_seconds + self.counting_seconds > self.allowance.seconds {
            return Ok(None);
        }
        let Ok(callgrind) = Callgrind::new() else { return Ok(None) };
        let (from, to) = (&self.change.from, &self.change.to);
        let experiment = self.experiment(&[(from, &self.sides[0]), (to, &self.sides[1])])?;
        let _held = machine::building(false, self.watcher)?;
        let watch = Stopwatch::start();
        let mut profiling = Profiling::new(&experiment, self.launcher, callgrind);
        let stacks: Result<Vec<_>, _> = [0, 1].into_iter().map(|it| profiling.stacks(it)).collect();
        self.spent_seconds += watch.elapsed().as_secs_f64();
        match stacks {
            Err(ProfilingError::Interrupted) => Err(Failure::new(INTERRUPTED)),
            Err(_) => Ok(None),
            Ok(stacks) => Ok(Some(common_stacks(&stacks.iter().collect::<Vec<_>>()))),
        }
    }

    /// The machine code of both programs, by function; `None` if it cannot be read.
    pub(super) fn codes(&self) -> Vec<Option<BTreeMap<String, FunctionCode>>> {
        let code = |artifact: &Artifact| {
            fs::read(&artifact.path).ok().and_then(|bytes| machine_code::functions(&bytes))
        };
        self.sides.iter().map(code).collect()
    }

    /// Samples both programs, in half of the time that is left: the rest is for the hunks. Or the reason
    /// that they cannot be sampled.
    pub(super) fn sampled(&mut self) -> Result<Result<TimeProfile, String>, Failure> {
        let (from, to) = (&self.change.from, &self.change.to);
        let experiment = self.experiment(&[(from, &self.sides[0]), (to, &self.sides[1])])?;
        let left = (self.allowance.seconds - self.spent_seconds) / 2.0;
        let budget = Duration::from_secs_f64(left.clamp(0.0, BUDGET.as_secs_f64()));
        let watch = Stopwatch::start();
        let _held = machine::building(false, self.watcher)?;
        let sampled = Sampling::new(&experiment, self.launcher)
            .and_then(|sampling| native::sampled(sampling, budget, self.watcher));
        self.spent_seconds += watch.elapsed().as_secs_f64();
        match sampled {
            Err(SampleError::Interrupted) => Err(Failure::new(INTERRUPTED)),
            Err(error) => Ok(Err(Failure::from_error(&error).in_one_line())),
            Ok(profile) => Ok(Ok(profile)),
        }
    }

    /// The share of the change that the program with these hunks of a difference shows.
    pub(super) fn share(
        &mut self,
        difference: &Difference,
        hunks: &BTreeSet<usize>,
    ) -> Result<Tried, Failure> {
        if self.spent_seconds > self.allowance.seconds {
            let spent = duration(self.spent_seconds);
            return Ok(Tried::Open(format!("the search took {spent}; a longer budget goes on")));
        }
        let commit = difference.commit_with(hunks)?;
        self.programs += 1;
        let built = self.build(&commit, Builds::WithHunks)?;
        let Ok(artifact) = built.outcome else { return Ok(Tried::Unbuilt) };
        if artifact.digest == self.sides[0].digest {
            return Ok(Tried::Share(0.0));
        }
        if artifact.digest == self.sides[1].digest {
            return Ok(Tried::Share(1.0));
        }
        match self.yardstick.measurement {
            Measurement::ExactCount => self.counted_share(&commit, &artifact, 1),
            Measurement::MedianCount => self.counted_share(&commit, &artifact, MEDIAN_OF),
            Measurement::Rounds => self.measured_share(&commit, &artifact),
        }
    }

    fn counted_share(
        &mut self,
        commit: &Commit,
        artifact: &Artifact,
        runs: usize,
    ) -> Result<Tried, Failure> {
        let mut totals = Vec::with_capacity(runs);
        for _ in 0..runs {
            let Ok(counts) = self.counted(commit, artifact)? else { return Ok(Tried::Unbuilt) };
            totals.push(counts.total);
        }
        totals.sort_unstable();
        let ratio = totals[runs / 2] as f64 / self.base_count;
        Ok(Tried::Share(ratio.ln() / self.yardstick.ratio.ln()))
    }

    /// Measures the program in rounds beside those of the two commits.
    fn measured_share(&mut self, commit: &Commit, artifact: &Artifact) -> Result<Tried, Failure> {
        let (from, to) = (self.change.from.clone(), self.change.to.clone());
        let sides = self.sides.clone();
        let all = [(&from, &sides[0]), (&to, &sides[1]), (commit, artifact)];
        let experiment = self.experiment(&all)?;
        let contrasts = Contrasts::of_commands(3, 3);
        let metrics = Some(vec![self.yardstick.metric.clone()]);
        let enough = contrasts.members(metrics.as_deref(), &StoppingRule::usual(3));
        let rule = self.rule().with_enough_rounds(&enough);
        let question = Question {
            title: "a search for hunks".to_owned(),
            sources: self.sources(),
            metrics,
            ..Question::new(Kind::Compare, &experiment, contrasts, &rule)
        };
        let scratch =
            tempfile::tempdir().failing("cannot write to the folder for temporary files")?;
        let place = Place::File(scratch.path().join("search.db"));
        let watch = Stopwatch::start();
        let site = Site::Here { no_wait: false };
        let measured = question.measure(&place, &site, self.launcher, None, self.watcher)?;
        let completed = measured.completed(&place, false, self.watcher);
        self.spent_seconds += watch.elapsed().as_secs_f64();
        let (_, _, document) = match completed {
            Ok(completed) => completed,
            Err(failure) if measure::interrupt::requested() => return Err(failure),
            Err(_) => return Ok(Tried::Unbuilt),
        };
        let ratio = |candidate: u32| {
            let pairs = of_candidate(&document.comparisons, candidate).iter();
            pairs
                .into_iter()
                .find(|pair| pair.baseline == 0 && pair.metric == self.yardstick.metric)
        };
        let (Some(whole), Some(part)) = (ratio(1), ratio(2)) else { return Ok(Tried::Unbuilt) };
        let effect = whole.ratio.ln();
        let half_width = part.high.map(|high| (high.ln() - part.low.ln()) / 2.0);
        Ok(match half_width.filter(|half| *half < DECIDES * effect.abs()) {
            Some(_) => Tried::Share(part.ratio.ln() / effect),
            None => Tried::Open("rounds do not tell the programs apart".to_owned()),
        })
    }

    /// The rule for rounds that tell the whole change from nothing, in a part of the time that is left.
    fn rule(&self) -> StoppingRule {
        let left = self.allowance.seconds - self.spent_seconds;
        let usual = StoppingRule::usual(3);
        StoppingRule {
            budget_seconds: Some((left / PROGRAMS).max(SHORT_SECONDS)),
            margin: Margin::new(DECIDES * self.yardstick.ratio.ln().abs()).unwrap_or(usual.margin),
            resolution: 1.0,
            precision: DECIDES,
            ..usual
        }
    }

    /// The instruments that the metric needs: counting each program would take longer than the rounds.
    fn sources(&self) -> Sources {
        const COUNTED: [MetricId; 5] =
            [CYCLES, INSTRUCTIONS, CACHE_REFERENCES, CACHE_MISSES, BRANCH_MISSES];
        match COUNTED.contains(&self.yardstick.metric) {
            true => self.program.sources,
            false => Sources { counters: CounterOption::None, ..self.program.sources },
        }
    }

    /// Runs a program once under callgrind; or the reason that it does not run there.
    fn counted(
        &mut self,
        commit: &Commit,
        artifact: &Artifact,
    ) -> Result<Result<Counts, String>, Failure> {
        let callgrind = match Callgrind::new() {
            Ok(callgrind) => callgrind,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let experiment = self.experiment(&[(commit, artifact)])?;
        let watch = Stopwatch::start();
        let _held = machine::building(false, self.watcher)?;
        let counted = Profiling::new(&experiment, self.launcher, callgrind).counts(0);
        self.spent_seconds += watch.elapsed().as_secs_f64();
        match counted {
            Err(ProfilingError::Interrupted) => Err(Failure::new(INTERRUPTED)),
            Err(error) => Ok(Err(error.to_string())),
            Ok(counts) => Ok(Ok(counts)),
        }
    }

    /// The options of a counter-build of this program; `None` if its compilers have none.
    pub(super) fn options_of(&self, counter: CounterBuild) -> Option<&'static str> {
        counter.options(&self.program.recipe.compilers)
    }

    /// The instructions of both programs, compiled otherwise; `None` if one does not build or run, or
    /// if no time is left.
    pub(super) fn counted_otherwise(
        &mut self,
        counter: CounterBuild,
    ) -> Result<Option<[u64; 2]>, Failure> {
        if self.spent_seconds > self.allowance.seconds {
            return Ok(None);
        }
        let recipe = self.program.recipe.clone().compiled_otherwise(counter);
        let builder =
            project::builder(self.program.repository, &recipe, self.program.options, None)?;
        let usual = std::mem::replace(&mut self.builder, builder);
        let (from, to) = (self.change.from.clone(), self.change.to.clone());
        let counts = self.counted_built(&[from, to]);
        self.builder = usual;
        Ok(counts?.and_then(|counts| <[u64; 2]>::try_from(counts).ok()))
    }

    /// The instructions of the programs of these commits; `None` if one does not build or run.
    fn counted_built(&mut self, commits: &[Commit]) -> Result<Option<Vec<u64>>, Failure> {
        let mut totals = Vec::new();
        for commit in commits {
            let Ok(artifact) = self.build(commit, Builds::Otherwise)?.outcome else {
                return Ok(None);
            };
            let Ok(counts) = self.counted(commit, &artifact)? else { return Ok(None) };
            totals.push(counts.total);
        }
        Ok(Some(totals))
    }

    fn experiment(&self, all: &[(&Commit, &Artifact)]) -> Result<Experiment, Failure> {
        let built = all
            .iter()
            .map(|&(commit, artifact)| project::to_run(&commit.hash, named(commit), artifact));
        let built: Vec<BuiltArtifact<'_>> = built.collect::<Result<_, Failure>>()?;
        let (settings, template) = (self.program.run_settings, self.program.template);
        artifacts::experiment(settings, template, &built).map_err(Failure::from)
    }

    fn build(&mut self, commit: &Commit, kind: Builds) -> Result<BuiltCommit, Failure> {
        let commits = std::slice::from_ref(commit);
        let _held = match self.builder.builds_here(commits, Trees::Incremental) {
            true => machine::building(false, self.watcher)?,
            false => None,
        };
        let watcher = &mut *self.watcher;
        watcher.on(Event::Builds(kind, commits));
        let mut tell = |event| watcher.on(Event::Building(&event));
        let built = self.builder.build_range(commits, self.program.options.jobs(), &mut tell);
        self.watcher.on(Event::Ended);
        built?.pop().ok_or_else(|| Failure::new("interrupted while building"))
    }
}
