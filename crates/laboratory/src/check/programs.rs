//! The programs that the expectations are about, as variants of two experiments: one of commands,
//! and one of the benchmarks inside programs, which are asked for them.
//!
//! If the project declares its build's artefact, the checked state is the checked-out commit, built
//! like any other; otherwise it is the project's folder as it is. States with byte-identical
//! artefacts are one program.

use super::question::{ProjectState, Question, Wanted};
use crate::project::{self, Settled, Site};
use crate::reach::{self, ChangeSite, SubjectRuns, is_skipped};
use crate::watcher::Watcher;
use configuration::{BuildOptions, CommitSuiteOptions, settings};
use findings::reach::ChangeReach;
use judge::expectation::{Lack, Request, ratio_limits, requests};
use judge::reach::Unfollowed;
use measure::Launcher;
use model::design::contrasts::{Company, Contrasts, RatioLimit};
use model::expectation::Subject;
use model::failure::{Failing, Failure};
use model::metric::{self, Direction, MetricId, Missing};
use model::spec::invocation::{CommandError, RunSettings, ShellChoice};
use model::spec::labels::BenchmarkLabel;
use model::spec::place::{listed, nearest};
use model::spec::project::{Benchmark, Expected};
use model::spec::suite::commits::{CommitSuite, Selected};
use model::spec::suite::{Arrangement, Member, Suite};
use model::spec::{Experiment, Variant, artifacts, invocation, suite};
use prepare::{Artifact, Commit, Recipe};
use run::scratch::Scratch;
use run::suite::listing;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The programs, and the program of each subject.
pub(super) struct Programs {
    /// The program of each subject, or the reason that it is missing: unmeasured if another state of
    /// the project has it.
    subjects: HashMap<Subject, Result<usize, Lack>>,
    seats: Vec<Seat>,
    /// The experiment with commands.
    pub commands: Part,
    /// The experiment with benchmarks inside programs.
    pub suites: Part,
    /// The programs with benchmarks inside.
    pub suite: Option<Suite>,
    /// The intervals to measure.
    pub requests: Vec<Request>,
    /// The reach of the change, if it was asked for.
    pub reach: Option<ChangeReach>,
    /// The name of each subject's benchmark, whatever the state of the project.
    names: HashMap<Subject, String>,
    /// The way in which commits were built and are run. None if none were built.
    pub made: Option<MadeCommits>,
}

/// The way in which commits were built and are run.
pub(super) struct MadeCommits {
    /// The recipe.
    pub recipe: Recipe,
    /// The options of the build.
    pub options: BuildOptions,
    /// The command of each benchmark that runs an artefact, with its placeholder.
    pub templates: HashMap<usize, String>,
}

/// The contents of one experiment.
#[derive(Default)]
pub(super) struct Part {
    /// The benchmarks of the variants.
    pub benchmarks: Vec<usize>,
    /// The experiment to run. None if there is nothing to measure.
    pub experiment: Option<Experiment>,
    /// Baseline and candidate of each ratio; a level is a pair of a variant with itself.
    pub pairs: Vec<(u32, u32)>,
    /// The benchmarks that share processes with the measured ones.
    pub company: Option<Company>,
}

/// The runner of a program, which determines the experiment it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunnerKind {
    /// A process for each run.
    Command,
    /// A harness.
    Suite,
}

/// A benchmark in one state of the project.
struct CheckedProgram {
    name: String,
    benchmark: usize,
    /// The benchmark inside the program that is meant, if it has a harness.
    inner: Option<String>,
    built: Option<(String, Artifact)>,
    key: String,
}

impl CheckedProgram {
    fn kind(&self) -> RunnerKind {
        if self.inner.is_some() { RunnerKind::Suite } else { RunnerKind::Command }
    }

    /// A key shared by all benchmarks inside the same program.
    fn suite_key(&self) -> String {
        let state =
            self.built.as_ref().map_or("as it is", |(_, artifact)| artifact.digest.as_str());
        format!("{} {state}", self.benchmark)
    }
}

/// A program among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seat {
    pub(super) program: usize,
    pub(super) kind: RunnerKind,
    /// Its variant, if it is measured.
    pub(super) variant: Option<u32>,
}

fn missing(why: String) -> Lack {
    Lack::Untold(Missing(why.into()))
}

impl Programs {
    /// Builds the programs, and plans the runs and comparisons.
    pub(super) fn new(
        question: &Question<'_>,
        wanted: &[Wanted],
        base: Option<&Commit>,
        launcher: &mut Launcher,
        watcher: &mut dyn Watcher,
    ) -> Result<Self, Failure> {
        let settled = settled(question, wanted, watcher)?;
        let artifact = settled.as_ref().map(|settled| settled.artifact.clone());
        let artifact = artifact.or_else(|| build_options(question).artifact);
        let templates = templates(question, wanted, artifact.as_deref())?;
        let commits = commits(question, wanted, &templates)?;
        let made = recipe(question, settled.as_ref(), &commits, &templates)?;
        let built = built(question, settled.as_ref(), made.as_ref(), &commits, watcher)?;
        let mut programs: Vec<CheckedProgram> = Vec::new();
        let mut subjects = HashMap::new();
        for (one, commit) in wanted.iter().zip(&commits) {
            if let ProjectState::Missing(why) = &one.state {
                subjects.insert(one.subject.clone(), Err(missing(why.clone())));
                continue;
            }
            let template = templates.get(&one.benchmark);
            let program = program(one, commit.as_ref().zip(template), &built);
            let known = programs.iter().position(|other| other.key == program.key);
            let number = known.unwrap_or(programs.len());
            if known.is_none() {
                programs.push(program);
            }
            subjects.insert(one.subject.clone(), Ok(number));
        }
        let suites = Suites::new(question, &programs, &templates)?;
        let is_there = |one: &Wanted, in_other: &Wanted| {
            let its = subjects.get(&in_other.subject).and_then(|number| number.as_ref().ok());
            (one.benchmark, &one.inner) == (in_other.benchmark, &in_other.inner)
                && its.is_some_and(|&number| suites.lacks(&programs[number]).is_none())
        };
        let is_elsewhere = |one: &&Wanted| {
            one.state == ProjectState::Checked && wanted.iter().any(|other| is_there(one, other))
        };
        let elsewhere: HashSet<Subject> =
            wanted.iter().filter(is_elsewhere).map(|one| one.subject.clone()).collect();
        for one in wanted {
            let Some(Ok(number)) = subjects.get(&one.subject) else { continue };
            let program = &programs[*number];
            let Some(why) = suites.lacks(program) else { continue };
            let lack = match elsewhere.contains(&one.subject) {
                true => Lack::Unmeasured(Missing(why.into())),
                false if one.state == ProjectState::Checked => {
                    return Err(Failure::new(why).hint(suites.hint(program)));
                }
                false => missing(why),
            };
            subjects.insert(one.subject.clone(), Err(lack));
        }
        let seats = programs.iter().enumerate();
        let seats =
            seats.map(|(number, one)| Seat { program: number, kind: one.kind(), variant: None });
        let (commands, of_suites, seats) = (Part::default(), Part::default(), seats.collect());
        let named = |one: &Wanted| (one.subject.clone(), one.benchmark_name(&question.file));
        let made = made.map(|recipe| MadeCommits {
            recipe,
            options: build_options(question),
            templates: templates.clone(),
        });
        let mut this = Self {
            subjects,
            seats,
            commands,
            suites: of_suites,
            suite: None,
            requests: Vec::new(),
            reach: None,
            names: wanted.iter().map(named).collect(),
            made,
        };
        if let Some(base) = base {
            let sides = Sides { question, programs: &programs, templates: &templates };
            let reach = sides.reach(base, wanted, &this, &suites, launcher, watcher)?;
            this.reach = Some(reach);
        }
        this.requests = question.requests(&|expected| !this.skips(expected));
        this.plan()?;
        let measured = this.measured(&programs, RunnerKind::Command);
        this.commands.benchmarks = measured.iter().map(|program| program.benchmark).collect();
        this.commands.experiment = experiment(question, &measured, &templates)?;
        let measured = this.measured(&programs, RunnerKind::Suite);
        this.suites.benchmarks = measured.iter().map(|program| program.benchmark).collect();
        if let Some(Planned { suite, experiment, company }) = suites.plan(&measured)? {
            this.suite = Some(suite);
            this.suites.experiment = Some(experiment);
            this.suites.company = company;
        }
        Ok(this)
    }

    pub(super) fn benchmarks(&self) -> impl Iterator<Item = usize> + '_ {
        self.commands.benchmarks.iter().chain(&self.suites.benchmarks).copied()
    }

    /// The kind of a subject's program. None if there is nothing to measure.
    pub(super) fn kind(&self, subject: &Subject) -> Option<RunnerKind> {
        self.seat(subject).ok().map(|seat| seat.kind)
    }

    /// The program that a subject refers to, or the reason that it is missing.
    pub(super) fn seat(&self, subject: &Subject) -> Result<Seat, Lack> {
        let unknown = || missing("it is not part of any expectation".to_owned());
        let program = self.subjects.get(subject).ok_or_else(unknown)?;
        program.clone().map(|number| self.seats[number])
    }

    /// True if the change affects none of the benchmarks that an expectation is about.
    pub(super) fn skips(&self, expected: &Expected) -> bool {
        let reach = self.reach.as_ref();
        expected.that.figures.iter().all(|(figure, _)| {
            let name = self.names.get(&figure.subject);
            name.is_some_and(|name| is_skipped(reach, name))
        })
    }

    /// Assigns a variant to each program whose values are requested.
    fn plan(&mut self) -> Result<(), Failure> {
        for request in &self.requests.clone() {
            let (of_below, of_above) = match request {
                Request::Level(_, subject) => (subject, subject),
                Request::Ratio(_, numerator, denominator) => (denominator, numerator),
            };
            let (Ok(below), Ok(above)) = (self.seat(of_below), self.seat(of_above)) else {
                continue;
            };
            if below.kind != above.kind {
                let what = format!("`{of_above}` and `{of_below}` are not measured together");
                return Err(Failure::new(what)
                    .because("one is a command, and the other a benchmark inside a program")
                    .hint(Some("compare each with a limit of its own")));
            }
            // The ratio of a program to itself is 1 without measuring.
            if below.program == above.program && matches!(request, Request::Ratio(..)) {
                continue;
            }
            let pair = (self.variant(below.program), self.variant(above.program));
            // A ratio and its inverse are one comparison.
            let pairs = match below.kind {
                RunnerKind::Command => &mut self.commands.pairs,
                RunnerKind::Suite => &mut self.suites.pairs,
            };
            if !pairs.contains(&pair) && !pairs.contains(&(pair.1, pair.0)) {
                pairs.push(pair);
            }
        }
        Ok(())
    }

    /// The limits of measured ratios of this kind, for ratios that are only compared with limits.
    pub(super) fn limits(&self, kind: RunnerKind, expectations: &[Expected]) -> Vec<RatioLimit> {
        let relations = || expectations.iter().map(|expected| &expected.that.relation);
        let mut all = Vec::new();
        for (request, limits) in relations().filter_map(ratio_limits) {
            let is_asked_more = relations().any(|relation| {
                ratio_limits(relation).is_none() && requests(relation).contains(&request)
            });
            let Request::Ratio(metric, above, below) = request else { continue };
            let Some(pair) = self.pair(kind, &below, &above).filter(|_| !is_asked_more) else {
                continue;
            };
            let inverse = (pair.1, pair.0);
            let is_inverse = self.part(kind).pairs.contains(&inverse);
            all.extend(limits.into_iter().map(|ratio| {
                let (pair, ratio) = if is_inverse { (inverse, 1.0 / ratio) } else { (pair, ratio) };
                RatioLimit { pair, metric: metric.clone(), ratio }
            }));
        }
        all
    }

    /// The variants of two subjects, if both are measured and of this kind.
    pub(super) fn pair(
        &self,
        kind: RunnerKind,
        below: &Subject,
        above: &Subject,
    ) -> Option<(u32, u32)> {
        let variant = |subject| self.seat(subject).ok().filter(|seat| seat.kind == kind)?.variant;
        Some((variant(below)?, variant(above)?)).filter(|(below, above)| below != above)
    }

    fn part(&self, kind: RunnerKind) -> &Part {
        match kind {
            RunnerKind::Command => &self.commands,
            RunnerKind::Suite => &self.suites,
        }
    }

    fn variant(&mut self, program: usize) -> u32 {
        let kind = self.seats[program].kind;
        let taken = self.seats.iter().filter(|seat| seat.kind == kind && seat.variant.is_some());
        let next = u32::try_from(taken.count()).expect("fewer than a file of 1 MiB can name");
        *self.seats[program].variant.get_or_insert(next)
    }

    /// The measured programs of a kind, in the order of their variants.
    fn measured<'a>(
        &self,
        programs: &'a [CheckedProgram],
        kind: RunnerKind,
    ) -> Vec<&'a CheckedProgram> {
        let seats = self.seats.iter().filter(|seat| seat.kind == kind && seat.variant.is_some());
        let mut seats: Vec<&Seat> = seats.collect();
        seats.sort_by_key(|seat| seat.variant);
        seats.into_iter().map(|seat| &programs[seat.program]).collect()
    }
}

impl Part {
    /// The comparisons. `requests` intervals share the permitted error, and every pair is judged in
    /// each metric, so that the total error is `pairs * metrics` times the error of one comparison.
    pub(super) fn contrasts(&self, requests: usize, metrics: &[MetricId]) -> Contrasts {
        let is_judged = |id: &&MetricId| {
            metric::find(id).is_some_and(|metric| metric.direction != Direction::Context)
        };
        let judged = metrics.iter().filter(is_judged).count().max(1);
        let family = Some(requests.div_ceil(judged));
        let (pairs, company) = (self.pairs.clone(), self.company);
        Contrasts { pairs, family, company, ..Contrasts::default() }
    }
}

/// The parts of a run of a benchmark before and after a change.
struct Sides<'a> {
    question: &'a Question<'a>,
    programs: &'a [CheckedProgram],
    templates: &'a HashMap<usize, String>,
}

impl Sides<'_> {
    /// The reach of the change since `base`.
    fn reach(
        &self,
        base: &Commit,
        wanted: &[Wanted],
        known: &Programs,
        suites: &Suites,
        launcher: &mut Launcher,
        watcher: &mut dyn Watcher,
    ) -> Result<ChangeReach, Failure> {
        let (Some(repository), Some(head)) = (&self.question.repository, &self.question.head)
        else {
            return Err(Failure::new("`--affected` needs a repository with commits"));
        };
        let scratch = Scratch::new().failing("cannot make a folder for reports")?;
        let mut artifacts = None;
        let mut subjects: Vec<reach::Subject> = Vec::new();
        for one in wanted {
            let name = one.benchmark_name(&self.question.file);
            if subjects.iter().any(|subject| subject.name == name) {
                continue;
            }
            let find = |state: &ProjectState| {
                let is_it = |other: &&Wanted| {
                    (other.benchmark, &other.inner, &other.state)
                        == (one.benchmark, &one.inner, state)
                };
                let number = known.subjects.get(&wanted.iter().find(is_it)?.subject)?;
                Some(&self.programs[*number.as_ref().ok()?])
            };
            let old = find(&ProjectState::Commit(base.clone()));
            let runs = match (old, find(&ProjectState::Checked)) {
                (Some(old), Some(new)) => {
                    let built = old.built.as_ref().zip(new.built.as_ref());
                    artifacts = artifacts.or(built.map(|((_, old), (_, new))| (old, new)));
                    self.runs(old, new, suites, scratch.path())
                }
                _ => Err(Unfollowed::Run("one of the commits lacks it".to_owned())),
            };
            subjects.push(reach::Subject { name, runs });
        }
        let programs = artifacts
            .map(|(old, new)| reach::Programs { old: old.into(), new: new.into() })
            .filter(|_| self.question.engine.is_none());
        let folder = scratch.path();
        let site = ChangeSite { repository, base, head, programs, folder };
        reach::of_change(&site, &subjects, launcher, watcher)
    }

    fn runs(
        &self,
        old: &CheckedProgram,
        new: &CheckedProgram,
        suites: &Suites,
        folder: &Path,
    ) -> Result<SubjectRuns, Unfollowed> {
        let run = |program: &CheckedProgram| -> Result<Experiment, Failure> {
            if program.built.is_none() {
                return Err(Failure::new("it is not built from the commits"));
            }
            let benchmark = &self.question.file.benchmarks[program.benchmark];
            match &program.inner {
                Some(inner) => suites.brief(program, inner, folder),
                None => {
                    let run_settings = run_settings(self.question, benchmark)?;
                    one_experiment(self.question, program, self.templates, &run_settings)
                }
            }
        };
        let run =
            |program| run(program).map_err(|failure| Unfollowed::Run(failure.error().to_owned()));
        Ok(SubjectRuns { old: run(old)?, new: run(new)? })
    }
}

/// The build options. No earlier build may affect the result of an expectation.
fn build_options(question: &Question<'_>) -> BuildOptions {
    let typed = &question.arguments.build;
    let options = settings::build(typed, &question.folder, &question.file.project);
    BuildOptions { clean_builds: true, ..options }
}

/// The settled build, if the project declares its artefact or a revision is requested.
fn settled(
    question: &Question<'_>,
    wanted: &[Wanted],
    watcher: &mut dyn Watcher,
) -> Result<Option<Settled>, Failure> {
    let build = build_options(question);
    let named = wanted.iter().find_map(|one| match &one.state {
        ProjectState::Commit(commit) => Some((one, commit)),
        ProjectState::Checked | ProjectState::Missing(_) => None,
    });
    let Some(repository) = &question.repository else { return Ok(None) };
    let commit = match (&question.head, named) {
        (_, None) if build.artifact.is_none() && question.arguments.at.is_none() => {
            return Ok(None);
        }
        (Some(head), _) => head,
        (None, Some((_, commit))) => commit,
        (None, None) => return Ok(None),
    };
    let place = project::place_in(repository, &question.folder);
    let cwd = question.file.project.cwd.as_ref();
    let project = cwd.map_or_else(|| place.clone(), |cwd| place.join(cwd));
    let commits = std::slice::from_ref(commit);
    let site = Site { repository, commits, place, project };
    project::settle(&build, &site, watcher).map(Some).map_err(|failure| match named {
        Some((one, _)) if build.artifact.is_none() => {
            failure.within(&format!("cannot build `{}`", one.subject))
        }
        _ => failure,
    })
}

pub(super) fn run_settings(
    question: &Question<'_>,
    benchmark: &Benchmark,
) -> Result<RunSettings, CommandError> {
    let typed = &question.arguments.invocation;
    settings::invocation(typed, &question.folder, &question.file.project, Some(benchmark))
        .run_settings()
}

/// The commands of benchmarks that run an artefact, with its placeholder.
fn templates(
    question: &Question<'_>,
    wanted: &[Wanted],
    artifact: Option<&Path>,
) -> Result<HashMap<usize, String>, Failure> {
    let Some(artifact) = artifact else { return Ok(HashMap::new()) };
    let mut templates = HashMap::new();
    for one in wanted {
        let benchmark = &question.file.benchmarks[one.benchmark];
        let needs_artifact =
            matches!(one.state, ProjectState::Commit(_)) || question.arguments.at.is_some();
        let cwd = benchmark.cwd.as_deref().or(question.file.project.cwd.as_deref());
        let typed = project::as_typed(artifact, cwd);
        let words = std::slice::from_ref(&benchmark.command);
        let template = run_settings(question, benchmark)
            .and_then(|run_settings| artifacts::template(words, &typed, &run_settings));
        match template {
            Ok(template) => {
                templates.insert(one.benchmark, template);
            }
            Err(CommandError::NoArtifact { .. }) if !needs_artifact => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(templates)
}

fn commits(
    question: &Question<'_>,
    wanted: &[Wanted],
    templates: &HashMap<usize, String>,
) -> Result<Vec<Option<Commit>>, Failure> {
    let commit = |one: &Wanted| match &one.state {
        ProjectState::Commit(commit) => Ok(Some(commit.clone())),
        ProjectState::Missing(_) => Ok(None),
        ProjectState::Checked if !templates.contains_key(&one.benchmark) => Ok(None),
        ProjectState::Checked if question.repository.is_none() => Ok(None),
        ProjectState::Checked => match &question.head {
            Some(head) => Ok(Some(head.clone())),
            None => Err(Failure::new("there is no commit to check")
                .hint(Some("the artefact is built from the commit that is checked out"))),
        },
    };
    wanted.iter().map(commit).collect()
}

/// The recipe of the commits. None if there are none to build.
fn recipe(
    question: &Question<'_>,
    settled: Option<&Settled>,
    commits: &[Option<Commit>],
    templates: &HashMap<usize, String>,
) -> Result<Option<Recipe>, Failure> {
    let commits: Vec<Commit> = commits.iter().flatten().cloned().collect();
    let repository = question.repository.as_ref().filter(|_| !commits.is_empty());
    let Some((repository, settled)) = repository.zip(settled) else { return Ok(None) };
    let recipe = settled.recipe(&question.file.project.env)?;
    let run_settings = templates.keys().map(|&number| {
        run_settings(question, &question.file.benchmarks[number]).map(|one| (number, one))
    });
    let run_settings = run_settings.collect::<Result<Vec<_>, CommandError>>()?;
    let commands: Vec<(&str, &RunSettings)> =
        run_settings.iter().map(|(number, one)| (templates[number].as_str(), one)).collect();
    let recipe = recipe.in_layouts(settled.options.layouts());
    project::run_by(recipe, repository, &commits, &commands).map(Some)
}

/// The artefact of each commit, by its hash.
fn built(
    question: &Question<'_>,
    settled: Option<&Settled>,
    recipe: Option<&Recipe>,
    commits: &[Option<Commit>],
    watcher: &mut dyn Watcher,
) -> Result<HashMap<String, Artifact>, Failure> {
    let known = question.repository.as_ref().zip(settled).zip(recipe);
    let Some(((repository, settled), recipe)) = known else { return Ok(HashMap::new()) };
    let commits = commits.iter().flatten().cloned();
    let (measuring, engine) = (&question.arguments.measuring, question.engine.as_ref());
    let conduct = project::BuildConduct::from_options(measuring, engine);
    project::built_commits(repository, recipe, commits, &settled.options, conduct, watcher)
}

fn program(
    wanted: &Wanted,
    commit: Option<(&Commit, &String)>,
    built: &HashMap<String, Artifact>,
) -> CheckedProgram {
    let (name, benchmark) = (wanted.subject.to_string(), wanted.benchmark);
    let inner = wanted.inner.clone();
    let inside = inner.as_ref().map(|inner| format!(" :{inner}")).unwrap_or_default();
    let artifact = commit
        .and_then(|(commit, template)| Some((&commit.hash, template, built.get(&commit.hash)?)));
    let Some((hash, template, artifact)) = artifact else {
        let key = format!("{benchmark} as it is{inside}");
        return CheckedProgram { name, benchmark, inner, built: None, key };
    };
    let mut key = format!("{benchmark} {}{inside}", artifact.digest.as_str());
    // The same program may behave differently for another commit.
    if template.contains("{commit}") {
        key = format!("{key} {hash}");
    }
    CheckedProgram { name, benchmark, inner, built: Some((hash.clone(), artifact.clone())), key }
}

/// The programs as variants. If one needs a shell, all that may use one do.
fn experiment(
    question: &Question<'_>,
    programs: &[&CheckedProgram],
    templates: &HashMap<usize, String>,
) -> Result<Option<Experiment>, Failure> {
    let one = |program: &&CheckedProgram, needs_shell: bool| {
        let benchmark = &question.file.benchmarks[program.benchmark];
        let mut run_settings = run_settings(question, benchmark)?;
        if needs_shell && run_settings.shell == ShellChoice::WhereNeeded {
            run_settings.shell = ShellChoice::Named("sh".to_owned());
        }
        one_experiment(question, program, templates, &run_settings)
    };
    let all = |needs_shell| {
        programs.iter().map(|program| one(program, needs_shell)).collect::<Result<Vec<_>, _>>()
    };
    let mut parts = all(false)?;
    let asked = |part: &Experiment| part.shell.as_ref().is_some_and(|s| s.asked_by.is_some());
    if parts.iter().any(asked) && !parts.iter().all(|part| part.shell.is_some()) {
        parts = all(true)?;
    }
    together(programs, parts)
}

/// A program as a separate experiment.
fn one_experiment(
    question: &Question<'_>,
    program: &CheckedProgram,
    templates: &HashMap<usize, String>,
    run_settings: &RunSettings,
) -> Result<Experiment, Failure> {
    let benchmark = &question.file.benchmarks[program.benchmark];
    match (&program.built, templates.get(&program.benchmark)) {
        (Some((hash, artifact)), Some(template)) => {
            let built = project::to_run(hash, program.name.clone(), artifact)?;
            artifacts::experiment(run_settings, template, &[built])
        }
        _ => invocation::experiment(run_settings, &[&benchmark.command], &[Vec::new()]),
    }
    .map_err(Failure::from)
}

/// Merges experiments into one with a variant each.
fn together(
    programs: &[&CheckedProgram],
    parts: Vec<Experiment>,
) -> Result<Option<Experiment>, Failure> {
    let mut parts = parts.into_iter().zip(programs);
    let Some((mut whole, first)) = parts.next() else { return Ok(None) };
    let named =
        |variant: &mut Variant, program: &CheckedProgram| variant.name.clone_from(&program.name);
    named(&mut whole.variants[0], first);
    for (mut part, program) in parts {
        let same_limits = part.timeout == whole.timeout && part.allowed == whole.allowed;
        if !same_limits {
            let names = format!("`{}` and `{}`", first.name, program.name);
            return Err(Failure::new(format!("{names} cannot be measured together"))
                .because("they differ in `timeout` or `ignore_failure`")
                .hint(Some("give both the same, here or on the command line")));
        }
        named(&mut part.variants[0], program);
        whole.variants.append(&mut part.variants);
        whole.shell = whole.shell.or(part.shell);
    }
    // None of the variants is another parameter point of the same command.
    whole.commands = u32::try_from(whole.variants.len()).expect("fewer than 2^20");
    Ok(Some(whole))
}

/// The suites, each asked once for its benchmarks, by [`CheckedProgram::suite_key`].
struct Suites {
    asked: HashMap<String, Asked>,
    templates: HashMap<usize, String>,
}

/// A suite in one state of the project.
struct Asked {
    suite: CommitSuite,
    /// The variant that starts it, with the details of its state.
    variant: Variant,
    timeout: Option<std::time::Duration>,
    program: suite::SuiteProgram,
    selected: Selected,
}

/// The experiment, and the benchmarks included only because processes are shared.
struct Planned {
    suite: Suite,
    experiment: Experiment,
    company: Option<Company>,
}

const NAMES_TOLD: usize = 10;

impl Suites {
    fn new(
        question: &Question<'_>,
        programs: &[CheckedProgram],
        templates: &HashMap<usize, String>,
    ) -> Result<Self, Failure> {
        let mut this = Self { asked: HashMap::new(), templates: templates.clone() };
        for program in programs.iter().filter(|program| program.inner.is_some()) {
            let key = program.suite_key();
            if !this.asked.contains_key(&key) {
                let asked = this.ask(question, program)?;
                this.asked.insert(key, asked);
            }
        }
        Ok(this)
    }

    fn ask(&self, question: &Question<'_>, program: &CheckedProgram) -> Result<Asked, Failure> {
        let benchmark = &question.file.benchmarks[program.benchmark];
        let typed = settings::suite(&CommitSuiteOptions::default(), Some(benchmark));
        let suite = typed.suite()?;
        let suite = suite.expect("only benchmarks with a harness have others inside");
        let run_settings = run_settings(question, benchmark)?;
        let direct = RunSettings { shell: ShellChoice::Never, ..run_settings };
        let timeout = direct.timeout;
        let mut one = one_experiment(question, program, &self.templates, &direct)?;
        let variant = one.variants.remove(0);
        let mut listed = listing::program(variant.run.clone(), suite.harness, timeout)?;
        listed.name.clone_from(&benchmark.name);
        let selected = suite.select(&listed)?;
        Ok(Asked { suite, variant, timeout, program: listed, selected })
    }

    /// A brief run of a benchmark inside a program.
    fn brief(
        &self,
        program: &CheckedProgram,
        inner: &str,
        folder: &Path,
    ) -> Result<Experiment, Failure> {
        let gone = || Failure::new(format!("there is no benchmark `{inner}`"));
        let asked = self.asked.get(&program.suite_key()).ok_or_else(gone)?;
        let member = asked.member(inner, 0).ok_or_else(gone)?;
        let run = listing::brief_command(&asked.program, &member.benchmark, folder);
        Ok(reach::brief_experiment(run, asked.timeout))
    }

    /// The reason that a program's benchmark cannot be measured. None if it can.
    fn lacks(&self, program: &CheckedProgram) -> Option<String> {
        let inner = program.inner.as_ref()?;
        let Asked { selected, program, .. } = self.asked.get(&program.suite_key())?;
        match selected.iter().find(|(title, _)| title == inner) {
            Some((_, member)) => member.as_ref().err().cloned(),
            None => Some(format!("`{}` has no benchmark `{inner}`", program.name)),
        }
    }

    /// A hint with the benchmarks that the program has.
    fn hint(&self, program: &CheckedProgram) -> Option<String> {
        let inner = program.inner.as_ref()?;
        let names = || {
            let asked = self.asked.get(&program.suite_key());
            asked.into_iter().flat_map(|asked| &asked.selected).map(|(title, _)| title.as_str())
        };
        let meant = nearest(inner, names()).map(|meant| format!("did you mean `{meant}`? "));
        let more = if names().count() > NAMES_TOLD { " and others" } else { "" };
        let told = listed(names().take(NAMES_TOLD));
        Some(format!("{}it has {told}{more}", meant.unwrap_or_default()))
    }

    /// The benchmarks of these programs as one experiment. None if there are none.
    fn plan(&self, programs: &[&CheckedProgram]) -> Result<Option<Planned>, Failure> {
        let mut suites: Vec<(String, &Asked)> = Vec::new();
        let mut members: Vec<Member> = Vec::new();
        let mut variants: Vec<Variant> = Vec::new();
        for program in programs {
            let key = program.suite_key();
            let asked = &self.asked[&key];
            let place = suites.iter().position(|(known, _)| *known == key);
            let number = place.unwrap_or(suites.len());
            if place.is_none() {
                suites.push((key, asked));
            }
            let inner = program.inner.as_deref().unwrap_or_default();
            let member = asked.member(inner, number).expect("what is lacking is not measured");
            variants.push(asked.variant(program.name.clone(), &member));
            members.push(member);
        }
        let Some((_, first)) = suites.first() else { return Ok(None) };
        check_limits(&suites)?;
        let judged = members.len();
        for (number, (_, asked)) in suites.iter().enumerate() {
            if asked.suite.order == Arrangement::Alone {
                continue;
            }
            for (title, _) in &asked.selected {
                let Some(member) = asked.member(title, number) else { continue };
                if !members[..judged].contains(&member) {
                    variants
                        .push(asked.variant(format!("{}:{title}", asked.program.name), &member));
                    members.push(member);
                }
            }
        }
        let listed: usize = suites.iter().map(|(_, asked)| asked.program.listed.len()).sum();
        let seconds = suites.iter().map(|(_, asked)| asked.suite.seconds_per_run);
        let count = |many: usize| u32::try_from(many).expect("fewer than 2^20");
        let company = Company { from: count(judged), rounds: u32::MAX };
        let company = (members.len() > judged).then_some(company);
        let experiment = Experiment {
            commands: count(variants.len()),
            variants,
            shell: None,
            timeout: first.timeout,
            allowed: measure::AllowedExits::Zero,
            outlives_failures: true,
            setup_runs: 1,
            claims_equal_work: false,
        };
        let suite = Suite {
            is_whole: members.len() == listed,
            members,
            seconds_per_run: seconds.fold(0.0, f64::max),
            programs: suites.iter().map(|(_, asked)| asked.program.clone()).collect(),
        };
        Ok(Some(Planned { suite, experiment, company }))
    }
}

/// Refuses suites with different time limits, because a limit applies to the whole experiment.
fn check_limits(suites: &[(String, &Asked)]) -> Result<(), Failure> {
    let (_, first) = &suites[0];
    match suites.iter().find(|(_, other)| other.timeout != first.timeout) {
        None => Ok(()),
        Some((_, other)) => {
            let names = format!("`{}` and `{}`", first.program.name, other.program.name);
            Err(Failure::new(format!("{names} cannot be measured together"))
                .because("they differ in `timeout`")
                .hint(Some("give both the same, here or on the command line")))
        }
    }
}

impl Asked {
    fn member(&self, title: &str, program: usize) -> Option<Member> {
        let (_, member) = self.selected.iter().find(|(known, _)| known == title)?;
        Some(Member { program, ..member.clone().ok()? })
    }

    fn variant(&self, name: String, member: &Member) -> Variant {
        let mut variant = self.variant.clone();
        let harness = &self.program.harness.word;
        let benchmark = BenchmarkLabel::new(member.title(), harness, member.arrangement);
        variant.labels.benchmark = Some(benchmark);
        Variant { name, ..variant }
    }
}
