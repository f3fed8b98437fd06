//! The range of a history as a question, checked before anything runs: the commits, their build, the
//! command, and how long to measure it.
//!
//! A request is completed from the `brisk.toml` in the working tree, as it is when brisk is called; its
//! versions in the commits of the range are ignored.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::engine::Chosen;
use configuration::suite::check_metrics;
use configuration::{HistoryRequest, measuring, settings};
use findings::{Authorship, HistorySubject};
use judge::step::is_moved_by_layout;
use measure::Launcher;
use measure::hold::Hold;
use model::commission::{Kind, Subject};
use model::design;
use model::design::stopping::{Stage, StoppingRule};
use model::failure::{Failing, Failure};
use model::metric::{self, MetricId};
use model::spec::artifacts::{FEWEST_LAYOUTS, usual_layouts};
use model::spec::invocation::RunSettings;
use model::spec::labels::ArtifactId;
use model::spec::labels::Work;
use model::spec::project::Benchmark;
use model::spec::reading::{CounterOption, RuntimeOption, Sources};
use model::spec::suite::commits::CommitSuite;
use model::spec::suite::{HarnessOption, SuiteError};
use model::spec::{artifacts, duration};
use prepare::{
    BuildError, BuildEvent, Builder, BuiltCommit, Commit, Follow, Recipe, Repository, Shape, Trees,
    commits, count_all, layouts, remote_compare_url,
};
use report::export::Shown;
use run::instrument::valgrind::Cachegrind;
use run::local::LocalExecutor;
use serde_json::json;
use toolchains::harness::description::Harness;

use super::evidence::Built;
use super::lineage::{Lineage, Revision, RevisionArtifact, Sides, Unbuilt};
use super::strands as suited;
use crate::conducting::check_counters;
use crate::machine;
use crate::measured::run_failure;
use crate::project::{self, Settled, Site};
use crate::question::{self, Asker};
use crate::watcher::{Builds, Event, Shared};

/// A question that refers only to things that exist.
pub(super) struct Question<'a> {
    pub(super) arguments: &'a HistoryRequest,
    repository: Repository,
    commits: Vec<Commit>,
    behind_merges: usize,
    pub(super) recipe: Recipe,
    pub(super) template: String,
    pub(super) run_settings: RunSettings,
    pub(super) metrics: Option<Vec<MetricId>>,
    own_metrics: Vec<MetricId>,
    /// The benchmarks to measure, if the artefacts are suites.
    pub(super) suite: Option<CommitSuite>,
    /// A single builder, so that each build can reuse the previous one.
    builder: RefCell<Option<Builder>>,
    /// The engine to measure on. None if this machine measures.
    pub(super) engine: Option<Chosen>,
    /// The command line and the folder that experiments are stored with.
    pub(super) asker: Asker,
    /// Is told of builds, runs and the course of a search.
    pub(super) watcher: Shared<'a>,
}

impl<'a> Question<'a> {
    /// Checks everything that can be checked without building or measuring.
    pub(super) fn new(
        completed: &'a Completed,
        asker: Asker,
        launcher: &Launcher,
        watcher: Shared<'a>,
    ) -> Result<Self, Failure> {
        let arguments = &completed.arguments;
        let folder = arguments.project.as_deref().unwrap_or(Path::new("."));
        let repository = Repository::open(folder)?;
        let engine = arguments.measuring.engine(folder)?;
        let follow = if arguments.all_parents { Follow::AllParents } else { Follow::FirstParents };
        let commits = commits(&repository, &arguments.range, follow)?;
        let behind_merges = count_all(&repository, &arguments.range)?.saturating_sub(commits.len());
        let settled = settled(completed, &repository, &commits, folder, &watcher);
        let settled = match (settled, completed.undecided.clone()) {
            (Ok(settled), None) => settled,
            (settled, undecided) => {
                return Err(Failure::of_all(settled.err().into_iter().chain(undecided).collect()));
            }
        };
        let recipe = settled.recipe(&completed.env)?;
        let artifact = project::as_typed(&recipe.artifact, completed.cwd.as_deref());
        let run_settings = arguments.invocation.run_settings()?;
        let template = artifacts::template(&arguments.command, &artifact, &run_settings)?;
        let run = [(template.as_str(), &run_settings)];
        let recipe = project::run_by(recipe, &repository, &commits, &run)?;
        let suite = suited::suite(arguments)?;
        let own_metrics: Vec<MetricId> =
            run_settings.measures.iter().map(|one| one.metric.clone()).collect();
        if suite.is_some() && !own_metrics.is_empty() {
            return Err(Failure::new("`--measure` applies to commands, and this is a suite")
                .hint(Some("leave the harness out to measure its process as a command")));
        }
        let metrics = match &arguments.bisect {
            Some(metric) => metric::parse_list(metric, &own_metrics).map(Some),
            None => arguments.reading.chosen_metrics(&own_metrics),
        }?;
        if let Some(suite) = &suite {
            check_metrics(metrics.as_deref(), suite.order, "brisk history")?;
        }
        check_search(arguments, metrics.as_deref(), &commits)?;
        let in_layouts = recipe.clone().in_layouts(arguments.build.layouts());
        project::check_layouts(&in_layouts, engine.as_ref())?;
        // A search runs commits as they were built, and relinks only those that it ends with.
        let recipe = if arguments.bisect.is_none() { in_layouts } else { recipe };
        let question = Self {
            arguments,
            repository,
            commits,
            behind_merges,
            recipe,
            template,
            run_settings,
            metrics,
            own_metrics,
            suite,
            builder: RefCell::new(None),
            engine,
            asker,
            watcher,
        };
        question.rule(question.commits.len())?;
        let exports = arguments.export.exports();
        exports.check(Shown::from(Kind::History))?;
        if question.engine.is_none() {
            check_counters(arguments.reading.counters, launcher)?;
        }
        question.check_command()?;
        Ok(question)
    }

    /// Checks that the command could run if its artefact existed.
    fn check_command(&self) -> Result<(), Failure> {
        if self.suite.is_some() {
            return suited::check_command(self);
        }
        let built = artifacts::BuiltArtifact {
            work: self.work()?.map(|(work, _)| work),
            ..artifacts::BuiltArtifact::to_be("", self.template.clone())
        };
        let has_place = self.template.contains("{work}")
            || self.run_settings.texts().any(|text| text.contains("{work}"));
        if self.arguments.work.is_some() != has_place {
            return Err(if has_place {
                Failure::new("`{work}` has no value").hint(Some("say it with `--work N`"))
            } else {
                Failure::new("`--work` has no place in the command")
                    .hint(Some("write `{work}` where the program is told how much to do"))
            });
        }
        let experiment = artifacts::experiment(&self.run_settings, &self.template, &[built])?;
        // If the program is part of the artefact, or is found through it by PATH, it does not exist
        // yet.
        let comes_with_it = |text: &str| text.contains("{artifact}");
        let first = self.template.split_whitespace().next().unwrap_or_default();
        let is_in_checkout = self.recipe.makes_checkout() && first.contains('/');
        // The programs of another machine are only known there.
        if is_in_checkout
            || comes_with_it(first)
            || self.run_settings.env.iter().any(|text| comes_with_it(text))
            || self.engine.is_some()
        {
            return Ok(());
        }
        LocalExecutor::check(&experiment).map_err(|error| run_failure(&error, None))
    }

    /// Builds every commit that is not in the cache.
    pub(super) fn build(&self) -> Result<Vec<Revision>, Failure> {
        let all: Vec<usize> = (0..self.commits.len()).collect();
        let revisions = self.build_some(&all);
        self.building(|builder| {
            builder.put_away();
            Ok(())
        })?;
        revisions
    }

    /// Builds these commits of the range in parallel. Their worktrees are kept for the next ones.
    pub(super) fn build_some(&self, numbers: &[usize]) -> Result<Vec<Revision>, Failure> {
        let commits: Vec<Commit> = numbers.iter().map(|at| self.commits[*at].clone()).collect();
        let _held = self.hold_for_builds(&commits, Trees::Incremental)?;
        let built = self.building(|builder| {
            project::tell_again(builder, &commits, &mut &self.watcher);
            self.watcher.on(Event::Builds(Builds::Usual, &commits));
            builder.build_and_confirm(&commits, self.jobs(), &mut |event| self.on_build(&event))
        });
        self.watcher.on(Event::Ended);
        Ok(commits.iter().zip(built?).map(|(c, built)| revision(c, self.outcome(built))).collect())
    }

    fn on_build(&self, event: &BuildEvent) {
        self.watcher.on(Event::Building(event));
    }

    fn no_wait(&self) -> bool {
        self.arguments.measuring.hold.no_wait
    }

    pub(super) fn site(&self) -> question::Site<'_> {
        question::Site::new(self.engine.as_ref(), self.no_wait())
    }

    /// Shares the machine with other builds, if there is anything to build.
    fn hold_for_builds(&self, commits: &[Commit], trees: Trees) -> Result<Option<Hold>, Failure> {
        self.held_if(self.building(|builder| Ok(builder.builds_here(commits, trees)))?)
    }

    fn held_if(&self, is_building: bool) -> Result<Option<Hold>, Failure> {
        let held = is_building.then(|| machine::building(self.no_wait(), &mut &self.watcher));
        Ok(held.transpose()?.flatten())
    }

    fn outcome(&self, built: BuiltCommit) -> Result<RevisionArtifact, Unbuilt> {
        outcome(built, &self.recipe.artifact, artifacts::starts_artifact(&self.template))
    }

    /// Every commit of the range, without an artefact.
    pub(super) fn revisions_as(&self, unbuilt: &Unbuilt) -> Vec<Revision> {
        self.commits.iter().map(|commit| revision(commit, Err(unbuilt.clone()))).collect()
    }

    /// The metric whose change is searched for.
    pub(super) fn bisects(&self) -> Option<&MetricId> {
        self.arguments.bisect.as_ref()?;
        self.metrics.as_ref()?.first()
    }

    /// Uses the builder, which is created on first use.
    fn building<T>(
        &self,
        work: impl FnOnce(&mut Builder) -> Result<T, BuildError>,
    ) -> Result<T, Failure> {
        let mut builder = self.builder.borrow_mut();
        if builder.is_none() {
            let (options, engine) = (&self.arguments.build, self.engine.as_ref());
            let new = project::builder(&self.repository, &self.recipe, options, engine)?;
            *builder = Some(new.thrifty());
        }
        let builder = builder.as_mut().expect("it was just made");
        work(builder).map_err(Failure::from)
    }

    pub(super) fn jobs(&self) -> NonZeroUsize {
        self.arguments.build.jobs()
    }

    pub(super) fn check_built(&self, lineage: &Lineage) -> Result<(), Failure> {
        let unbuilt = |revision: &Revision| revision.built.as_ref().err().cloned();
        let reasons: Vec<Unbuilt> = lineage.revisions.iter().filter_map(unbuilt).collect();
        match reasons.last() {
            Some(last) if reasons.len() == lineage.revisions.len() => {
                let (what, hint) = match self.recipe.layouts {
                    0 => ("", "try the build command in a fresh checkout of one of them"),
                    _ => (
                        " in several layouts",
                        "leave `--layouts` out to run them as they are built",
                    ),
                };
                Err(Failure::new(format!("no commit of the range builds{what}"))
                    .because(last.reason.clone())
                    .hint(Some(hint)))
            }
            _ => Ok(()),
        }
    }

    /// Builds these commits from scratch, in parallel, without the cache.
    pub(super) fn build_from_scratch(
        &self,
        hashes: &[&str],
    ) -> Result<Vec<Result<RevisionArtifact, Unbuilt>>, Failure> {
        let commits = self.commits_of(hashes);
        let _held = self.hold_for_builds(&commits, Trees::Clean)?;
        self.watcher.on(Event::Builds(Builds::FromScratch, &commits));
        let confirmed = self.building(|builder| {
            let tell = &mut |event| self.on_build(&event);
            let all = builder.confirm_all(&commits, self.jobs(), tell);
            builder.put_away();
            all
        });
        self.watcher.on(Event::Ended);
        Ok(confirmed?.into_iter().map(|one| self.outcome(one.clean)).collect())
    }

    /// The number of layouts for the sides of steps that counts do not explain, if this number of
    /// comparisons of each metric share the permitted error: as many as the strictest time metric
    /// needs.
    pub(super) fn layouts(&self, comparisons: usize) -> Result<u32, Failure> {
        if let Some(asked) = self.arguments.build.layouts {
            return Ok(asked);
        }
        let rule = self.rule(comparisons)?;
        let (own, metrics) = (&rule.own_metrics, self.metrics.as_deref());
        let members = design::members_with(own, metrics, comparisons, rule.confidence);
        let times = members.iter().filter(|member| is_moved_by_layout(&member.metric));
        let strictest = times.map(|member| member.alpha).reduce(f64::min).unwrap_or(1.0);
        let alpha = strictest * rule.stage.end() * stats::layouts::LAST_LOOK;
        Ok(usual_layouts(design::enough_rounds(rule.estimator.into(), alpha)))
    }

    /// True if these two are programs that brisk builds and may link in other orders. Unless layouts
    /// were requested, artefacts that are plainly not programs are not rebuilt for them.
    pub(super) fn may_link_again(&self, lineage: &Lineage, sides: Sides) -> bool {
        let is_asked = self.arguments.build.layouts.is_some();
        let is_program = |side: usize| {
            let artifact = lineage.artifact(side);
            artifact.is_some_and(|artifact| layouts::is_program(&artifact.path))
        };
        self.arguments.build.layouts != Some(0)
            && self.recipe.layouts == 0
            && self.recipe.build.is_some()
            && (is_asked || (is_program(sides.from) && is_program(sides.to)))
    }

    /// The reason that nothing can be linked in other orders here; `None` if it can.
    pub(super) fn linking_obstacle(&self) -> Option<String> {
        let checked =
            project::check_layouts(&self.in_layouts(FEWEST_LAYOUTS), self.engine.as_ref());
        checked.err().map(|failure| failure.in_one_line())
    }

    fn in_layouts(&self, layouts: u32) -> Recipe {
        self.recipe.clone().in_layouts(layouts)
    }

    /// These commits of a lineage, linked in this number of orders, or the reasons for failures.
    pub(super) fn build_in_layouts(
        &self,
        lineage: &Lineage,
        numbers: &BTreeSet<usize>,
        layouts: u32,
    ) -> Result<Built, Failure> {
        let hashes: Vec<&str> =
            numbers.iter().map(|&number| lineage.revisions[number].hash.as_str()).collect();
        let commits = self.commits_of(&hashes);
        let (options, engine) = (&self.arguments.build, self.engine.as_ref());
        let recipe = self.in_layouts(layouts);
        let mut builder = project::builder(&self.repository, &recipe, options, engine)?;
        let is_building = builder.builds_here(&commits, Trees::Clean);
        let _held = self.held_if(is_building)?;
        self.watcher.on(Event::Builds(Builds::InLayouts, &commits));
        let built = builder.build_range(&commits, self.jobs(), &mut |event| self.on_build(&event));
        self.watcher.on(Event::Ended);
        let one = |built: BuiltCommit| self.outcome(built).map_err(|unbuilt| unbuilt.reason);
        Ok(numbers.iter().copied().zip(built?.into_iter().map(one)).collect())
    }

    pub(super) fn repository(&self) -> &Repository {
        &self.repository
    }

    /// The commit of the range with this hash.
    pub(super) fn commit(&self, hash: &str) -> Option<&Commit> {
        self.commits.iter().find(|commit| commit.hash == hash)
    }

    fn commits_of(&self, hashes: &[&str]) -> Vec<Commit> {
        let commit =
            |hash: &&str| self.commit(hash).expect("steps are at commits of the range").clone();
        hashes.iter().map(commit).collect()
    }

    /// The canonical form of the question, by which earlier results are found.
    pub(super) fn subject(&self) -> Result<String, Failure> {
        let arguments = self.arguments;
        let subject = Subject {
            machine: measuring::machine(self.engine.as_ref()),
            metrics: self.metrics.as_deref(),
            commands: vec![&self.template],
            invocation: Some(json!(arguments.invocation)),
            sources: Some(arguments.reading.sources()),
            more: BTreeMap::from([
                ("bisect", json!(arguments.bisect)),
                ("resolution", json!(arguments.stopping.resolution())),
                ("suite", json!(self.suite.as_ref().map(CommitSuite::key))),
                ("work", json!(arguments.work)),
                ("work_time", json!(arguments.work_time)),
            ]),
            ..Subject::new(Kind::History, &self.rule(1)?)
        };
        Ok(subject.canonical())
    }

    /// True if valgrind may count instructions without an explicit request.
    pub(super) fn may_count(&self) -> bool {
        let counters = self.arguments.reading.sources().counters;
        matches!(counters, CounterOption::Auto | CounterOption::Valgrind)
            && self.suite.is_none()
            && Cachegrind::of_instructions().is_ok()
    }

    /// The sources of a search that counts.
    pub(super) fn counting() -> Sources {
        Sources { counters: CounterOption::Valgrind, runtime: RuntimeOption::None }
    }

    /// The amount of work, and the maximum duration of a run with it.
    pub(super) fn work(&self) -> Result<Option<(Work, Duration)>, Failure> {
        let Some(whole) = self.arguments.work else { return Ok(None) };
        let whole = Work::whole(whole)
            .ok_or_else(|| Failure::new("`--work 0`: there must be something to do"))?;
        let limit = duration::parse(&self.arguments.work_time).failing("bad `--work-time`")?;
        Ok(Some((whole, limit)))
    }

    pub(super) fn part(&self) -> HistorySubject {
        HistorySubject {
            repository: self.repository.root().to_string_lossy().into_owned(),
            range: self.arguments.range.clone(),
            command: self.template.clone(),
            compare_url: remote_compare_url(&self.repository, "{from}", "{to}"),
            experiments: Vec::new(),
            behind_merges: self.behind_merges,
        }
    }

    pub(super) fn title(&self) -> String {
        let name = self.repository.root().file_name().unwrap_or_default().to_string_lossy();
        format!("history of {name}, {}: {}", self.arguments.range, self.template)
    }

    /// The canonical folder of the project, its key in the store.
    pub(super) fn project(&self) -> String {
        let folder = self.arguments.project.as_deref().unwrap_or(Path::new("."));
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        folder.to_string_lossy().into_owned()
    }
}

/// Requires several commits for a search, and a metric in which they can be compared.
fn check_search(
    arguments: &HistoryRequest,
    metrics: Option<&[MetricId]>,
    commits: &[Commit],
) -> Result<(), Failure> {
    if arguments.bisect.is_none() {
        return Ok(());
    }
    if commits.len() < 2 {
        return Err(Failure::new("there is only one commit, so there is nothing to bisect")
            .hint(Some("`A^..B` includes A")));
    }
    let searched = metrics.and_then(<[MetricId]>::first).filter(|_| arguments.work.is_some());
    match searched.and_then(metric::find).filter(|metric| !metric.grows_with_work()) {
        Some(metric) => Err(Failure::new(format!(
            "`--bisect {}` cannot compare commits that do different amounts of work",
            metric.id.name()
        ))
        .because("it does not grow in proportion to the work")
        .hint(Some("write the amount into the command, and leave `--work` out"))),
        None => Ok(()),
    }
}

/// The settled build. Without a brisk.toml, typed paths are relative to the repository's root.
fn settled(
    completed: &Completed,
    repository: &Repository,
    commits: &[Commit],
    folder: &Path,
    mut watcher: &Shared<'_>,
) -> Result<Settled, Failure> {
    let build = &completed.arguments.build;
    let own = project::place_in(repository, folder);
    let is_said = build.build.is_some() || build.artifact.is_some();
    let place = if completed.has_file { own.clone() } else { PathBuf::new() };
    let project = match (&completed.project_cwd, is_said) {
        (Some(cwd), _) => own.join(cwd),
        (None, true) => place.clone(),
        (None, false) => own,
    };
    project::settle(build, &Site { repository, commits, place, project }, &mut watcher)
}

fn revision(commit: &Commit, built: Result<RevisionArtifact, Unbuilt>) -> Revision {
    Revision {
        hash: commit.hash.clone(),
        parent: commit.parent().map(str::to_owned),
        subject: commit.subject.clone(),
        // Git writes 0 for a damaged date.
        authorship: (commit.author_unix_seconds != 0).then(|| Authorship {
            author: commit.author.clone(),
            unix_seconds: commit.author_unix_seconds,
        }),
        built,
    }
}

/// The result of a commit's build. An artefact that the command starts must be a program; otherwise
/// it is a failure of that commit, which does not affect the others.
fn outcome(built: BuiltCommit, name: &Path, is_started: bool) -> Result<RevisionArtifact, Unbuilt> {
    let unbuilt = |reason: String| Unbuilt { tried: true, reason };
    let artifact = built.outcome.map_err(|failure| {
        unbuilt(format!("{}\n{}", failure.reason, failure.log_tail).trim_end().to_owned())
    })?;
    let name = name.display();
    match artifact.shape {
        Shape::Folder if is_started => {
            return Err(unbuilt(format!("the artefact `{name}` is a folder, so it cannot be run")));
        }
        Shape::File if is_started => {
            return Err(unbuilt(format!("the artefact `{name}` is not executable")));
        }
        Shape::Folder | Shape::File | Shape::Executable => {}
    }
    let layouts = artifact.layouts.map_err(|reason| unbuilt(reason.to_string()))?;
    Ok(RevisionArtifact {
        path: artifact.path,
        id: ArtifactId::new(artifact.digest.as_str(), layouts.len()),
        clean: artifact.trees == Trees::Clean,
        equality_confirmed: artifact.equality_confirmed,
        layouts,
        checkout: artifact.checkout,
    })
}

/// The default budget for each artefact: a history shows clear changes.
const BUDGET_SECONDS_AN_ARTIFACT: f64 = 2.0;

/// The same for each benchmark of each artefact, in processes of the requested length.
const BUDGET_RUNS: f64 = 20.0;

#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    /// The maximum time in seconds, which is extended until the number of runs is reached.
    pub(super) seconds: f64,
    pub(super) runs: f64,
    /// The maximum number of rounds of any experiment.
    pub(super) most_rounds: u32,
}

impl Question<'_> {
    /// The stopping rule for this number of artefacts: the change at each commit is asked for.
    pub(super) fn rule(&self, variants: usize) -> Result<StoppingRule, Failure> {
        let seconds = match &self.suite {
            Some(suite) => BUDGET_RUNS * suite.seconds_per_run,
            None => BUDGET_SECONDS_AN_ARTIFACT,
        };
        let rule = self.arguments.stopping.rule_within(seconds * variants as f64)?;
        let resolution = self.arguments.stopping.resolution();
        let own_metrics = self.own_metrics.clone();
        Ok(StoppingRule { resolution, stage: Stage::first(), own_metrics, ..rule })
    }

    /// The rule of a search's comparisons, and its limits in total.
    pub(super) fn search(&self) -> Result<(StoppingRule, Limit), Failure> {
        let rule = self.rule(self.commits.len())?;
        let is_asked = self.arguments.stopping.budget.is_some();
        let runs = if is_asked { 0.0 } else { BUDGET_RUNS * self.commits.len() as f64 };
        let seconds = rule.budget_seconds.unwrap_or(f64::INFINITY);
        let most_rounds = rule.max_rounds;
        Ok((rule, Limit { seconds, runs, most_rounds }))
    }
}

/// The arguments with all settings of the file.
#[derive(Debug)]
pub(super) struct Completed {
    pub(super) arguments: HistoryRequest,
    pub(super) env: Vec<(String, String)>,
    /// Set if there is a file; builds then run in its folder.
    has_file: bool,
    /// The folder of the project in which the command runs, if the file sets one.
    cwd: Option<PathBuf>,
    /// The folder of the project in which the build runs, if the file sets one.
    project_cwd: Option<PathBuf>,
    /// The failure if a benchmark must still be chosen.
    undecided: Option<Failure>,
}

pub(super) fn completed(arguments: &HistoryRequest) -> Result<Completed, Failure> {
    let mut arguments = arguments.clone();
    let folder = arguments.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let Some(file) = settings::read(&folder)? else {
        if let Some(name) = &arguments.benchmark {
            let why = format!("there is no `brisk.toml` in `{}`", folder.display());
            return Err(Failure::new(format!("unknown benchmark `{name}`")).because(why));
        }
        arguments.suite.harness = known_harness(arguments.suite.harness, &[])?;
        let (cwd, project_cwd, undecided) = (None, None, None);
        let env = Vec::new();
        return Ok(Completed { arguments, env, has_file: false, cwd, project_cwd, undecided });
    };
    let named = arguments.benchmark.as_deref();
    // Reported together with other missing options.
    let (benchmark, undecided) = match settings::chosen(named, !arguments.command.is_empty(), &file)
    {
        Ok(benchmark) => (benchmark, None),
        Err(failure) if named.is_none() => (None, Some(failure)),
        Err(failure) => return Err(failure),
    };
    if let Some(benchmark) = benchmark.filter(|_| arguments.command.is_empty()) {
        arguments.command.push(benchmark.command.clone());
    }
    let benchmarks: Vec<&Benchmark> = benchmark.into_iter().collect();
    arguments.invocation =
        settings::invocation(&arguments.invocation, &folder, &file.project, benchmark);
    arguments.stopping = settings::stopping(&arguments.stopping, &benchmarks);
    arguments.reading = settings::reading(&arguments.reading, &benchmarks);
    arguments.suite = settings::suite(&arguments.suite, benchmark);
    arguments.suite.harness = known_harness(arguments.suite.harness, &file.harnesses)?;
    arguments.build = settings::build(&arguments.build, &folder, &file.project);
    let cwd = benchmark.and_then(|benchmark| benchmark.cwd.clone()).or(file.project.cwd.clone());
    let (env, project_cwd) = (file.project.env, file.project.cwd);
    Ok(Completed { arguments, env, has_file: true, cwd, project_cwd, undecided })
}

/// The harness that is meant, among brisk's own and those that the project describes.
fn known_harness(
    typed: Option<HarnessOption>,
    of_project: &[&'static Harness],
) -> Result<Option<HarnessOption>, SuiteError> {
    typed.map(|harness| harness.resolved(of_project)).transpose()
}
