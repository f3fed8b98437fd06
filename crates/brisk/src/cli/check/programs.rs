//! What is run: the programs that the expectations are about, as variants of one experiment.
//!
//! Where the project says what its build makes, the state that is checked is the commit that is
//! checked out, built like every other; else it is the project's folder as it is. States whose
//! artefacts are the same bytes are one program.

use std::collections::HashMap;
use std::path::Path;

use super::question::{Question, State, Wanted};
use crate::cli::failure::Failure;
use crate::cli::project;
use crate::judge::contrasts::Contrasts;
use crate::judge::expectation::Request;
use crate::metric::MetricId;
use crate::prepare::{Artifact, Commit};
use crate::spec::artifacts::{self, Built};
use crate::spec::build::BuildOptions;
use crate::spec::expectation::Subject;
use crate::spec::invocation::{self, CommandError, InvocationOptions};
use crate::spec::project::{Benchmark, settings};
use crate::spec::{Experiment, Variant};

/// The programs, and which subject means which.
pub(super) struct Programs {
    /// For each subject its program, or why there is none.
    subjects: HashMap<Subject, Result<usize, String>>,
    /// For each program its variant, where it is measured.
    variants: Vec<Option<u32>>,
    /// The benchmarks of the variants.
    pub benchmarks: Vec<usize>,
    /// What is run; `None` where there is nothing to measure.
    pub experiment: Option<Experiment>,
    /// Baseline and candidate of each ratio, and each level as a pair with itself.
    pub pairs: Vec<(u32, u32)>,
}

/// A benchmark in one state of the project.
struct Program {
    name: String,
    benchmark: usize,
    built: Option<(String, Artifact)>,
    key: String,
}

/// What stands for a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// The program of this number, and its variant where it was measured.
    Program(usize, Option<u32>),
    /// There is none, and why.
    Missing(&'a str),
}

impl Programs {
    /// Builds what has to be built, and plans what is run and compared.
    pub(super) fn new(
        question: &Question<'_>,
        wanted: &[Wanted],
        requests: &[Request],
    ) -> Result<Self, Failure> {
        let build = build_options(question);
        let templates = templates(question, wanted, &build)?;
        let commits = commits(question, wanted, &templates)?;
        let built = built(question, &build, &commits)?;
        let mut programs: Vec<Program> = Vec::new();
        let mut subjects = HashMap::new();
        for (one, commit) in wanted.iter().zip(&commits) {
            if let State::Missing(why) = &one.state {
                subjects.insert(one.subject.clone(), Err(why.clone()));
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
        let variants = vec![None; programs.len()];
        let mut this = Self {
            subjects,
            variants,
            benchmarks: Vec::new(),
            experiment: None,
            pairs: Vec::new(),
        };
        this.plan(requests);
        let measured = this.measured(&programs);
        this.benchmarks = measured.iter().map(|program| program.benchmark).collect();
        this.experiment = experiment(question, &measured, &templates)?;
        Ok(this)
    }

    /// What a subject stands for.
    pub(super) fn place(&self, subject: &Subject) -> Place<'_> {
        match self.subjects.get(subject) {
            Some(Ok(number)) => Place::Program(*number, self.variants[*number]),
            Some(Err(why)) => Place::Missing(why),
            None => Place::Missing("it is not part of any expectation"),
        }
    }

    /// What is compared, for so many intervals that share the permitted error and metrics that are
    /// judged: every pair is judged in each metric, so that the error of all is `pairs * metrics`
    /// times the error of one.
    pub(super) fn contrasts(&self, requests: usize, metrics: &[MetricId]) -> Contrasts {
        let is_judged = |id: &&MetricId| {
            let metric = crate::metric::find(id);
            metric.is_some_and(|m| m.direction != crate::metric::Direction::Context)
        };
        let judged = metrics.iter().filter(is_judged).count().max(1);
        let family = Some(requests.div_ceil(judged));
        Contrasts { pairs: self.pairs.clone(), family, ..Contrasts::default() }
    }

    /// Gives a variant to each program whose figures are asked for.
    fn plan(&mut self, requests: &[Request]) {
        for request in requests {
            let (below, above) = match request {
                Request::Level(_, subject) => (subject, subject),
                Request::Ratio(_, numerator, denominator) => (denominator, numerator),
            };
            let (Place::Program(below, _), Place::Program(above, _)) =
                (self.place(below), self.place(above))
            else {
                continue;
            };
            // The ratio of a program to itself is 1 without measuring.
            if below == above && matches!(request, Request::Ratio(..)) {
                continue;
            }
            let pair = (self.variant(below), self.variant(above));
            // A ratio and its inverse are one comparison.
            if !self.pairs.contains(&pair) && !self.pairs.contains(&(pair.1, pair.0)) {
                self.pairs.push(pair);
            }
        }
    }

    fn variant(&mut self, program: usize) -> u32 {
        let taken = self.variants.iter().flatten().count();
        let next = u32::try_from(taken).expect("fewer than a file of 1 MiB can name");
        *self.variants[program].get_or_insert(next)
    }

    /// The programs that are measured, in the order of their variants.
    fn measured<'a>(&self, programs: &'a [Program]) -> Vec<&'a Program> {
        let mut measured: Vec<(u32, &Program)> = (self.variants.iter().zip(programs))
            .filter_map(|(variant, program)| Some(((*variant)?, program)))
            .collect();
        measured.sort_by_key(|(variant, _)| *variant);
        measured.into_iter().map(|(_, program)| program).collect()
    }
}

/// How commits are built. Nothing of an earlier build may decide whether an expectation holds.
fn build_options(question: &Question<'_>) -> BuildOptions {
    let typed = &question.arguments.build;
    let options = settings::build(typed, &question.folder, &question.file.project);
    BuildOptions { clean_builds: true, ..options }
}

fn options(question: &Question<'_>, benchmark: &Benchmark) -> InvocationOptions {
    let typed = &question.arguments.invocation;
    settings::invocation(typed, &question.folder, &question.file.project, Some(benchmark))
}

fn command_failure(error: &CommandError) -> Failure {
    Failure::from_error(error).hint(error.hint())
}

/// The commands of the benchmarks that are run with an artefact, with its placeholder.
fn templates(
    question: &Question<'_>,
    wanted: &[Wanted],
    build: &BuildOptions,
) -> Result<HashMap<usize, String>, Failure> {
    let mut templates = HashMap::new();
    for one in wanted {
        let benchmark = &question.file.benchmarks[one.benchmark];
        let needs_artifact = matches!(one.state, State::Commit(_));
        let Some(artifact) = &build.artifact else {
            if needs_artifact {
                return Err(Failure::new(format!("cannot build `{}`", one.subject))
                    .because("what the build makes is not known")
                    .hint(Some(
                        "say in brisk.toml: [project] build = \"...\", artifact = \"...\"",
                    )));
            }
            continue;
        };
        let cwd = benchmark.cwd.as_deref().or(question.file.project.cwd.as_deref());
        let typed = project::as_typed(artifact, cwd);
        let words = std::slice::from_ref(&benchmark.command);
        match artifacts::template(words, &typed, &options(question, benchmark)) {
            Ok(template) => {
                templates.insert(one.benchmark, template);
            }
            Err(CommandError::NoArtifact { .. }) if !needs_artifact => {}
            Err(error) => return Err(command_failure(&error)),
        }
    }
    Ok(templates)
}

/// The commit of each subject that is built.
fn commits(
    question: &Question<'_>,
    wanted: &[Wanted],
    templates: &HashMap<usize, String>,
) -> Result<Vec<Option<Commit>>, Failure> {
    let commit = |one: &Wanted| match &one.state {
        State::Commit(commit) => Ok(Some(commit.clone())),
        State::Missing(_) => Ok(None),
        State::Checked if !templates.contains_key(&one.benchmark) => Ok(None),
        State::Checked if question.repository.is_none() => Ok(None),
        State::Checked => match &question.head {
            Some(head) => Ok(Some(head.clone())),
            None => Err(Failure::new("there is no commit to check")
                .hint(Some("the artefact is built from the commit that is checked out"))),
        },
    };
    wanted.iter().map(commit).collect()
}

/// The artefact of each commit, by its hash.
fn built(
    question: &Question<'_>,
    build: &BuildOptions,
    commits: &[Option<Commit>],
) -> Result<HashMap<String, Artifact>, Failure> {
    let mut distinct: Vec<Commit> = Vec::new();
    for commit in commits.iter().flatten() {
        if !distinct.iter().any(|other| other.hash == commit.hash) {
            distinct.push(commit.clone());
        }
    }
    let Some(repository) = question.repository.as_ref().filter(|_| !distinct.is_empty()) else {
        return Ok(HashMap::new());
    };
    let place = project::place_in(repository, &question.folder);
    let recipe = project::recipe(build, &question.file.project.env, place)?;
    let quiet = question.arguments.quiet;
    let artifacts = project::built_commits(repository, &recipe, &distinct, build, quiet)?;
    Ok(distinct.into_iter().map(|commit| commit.hash).zip(artifacts).collect())
}

fn program(
    wanted: &Wanted,
    commit: Option<(&Commit, &String)>,
    built: &HashMap<String, Artifact>,
) -> Program {
    let (name, benchmark) = (wanted.subject.to_string(), wanted.benchmark);
    let artifact = commit
        .and_then(|(commit, template)| Some((&commit.hash, template, built.get(&commit.hash)?)));
    let Some((hash, template, artifact)) = artifact else {
        return Program { name, benchmark, built: None, key: format!("{benchmark} as it is") };
    };
    let mut key = format!("{benchmark} {}", artifact.digest.as_str());
    // Told its commit, the same program may do something else.
    if template.contains("{commit}") {
        key = format!("{key} {hash}");
    }
    Program { name, benchmark, built: Some((hash.clone(), artifact.clone())), key }
}

/// The programs as variants of one experiment. When one of them needs a shell, all of them that may
/// choose run through it, so that none has an advantage.
fn experiment(
    question: &Question<'_>,
    programs: &[&Program],
    templates: &HashMap<usize, String>,
) -> Result<Option<Experiment>, Failure> {
    let one = |program: &&Program, needs_shell: bool| {
        let benchmark = &question.file.benchmarks[program.benchmark];
        let mut options = options(question, benchmark);
        options.default_shell |= needs_shell && options.shell.is_none() && !options.no_shell;
        match (&program.built, templates.get(&program.benchmark)) {
            (Some((hash, artifact)), Some(template)) => {
                let path: &Path = &artifact.path;
                let digest = artifact.digest.as_str();
                let name = program.name.clone();
                let built = Built { commit: hash, name, path, digest, work: None };
                artifacts::experiment(&options, template, &[built])
            }
            _ => invocation::experiment(&options, &[&benchmark.command], &[Vec::new()]),
        }
        .map_err(|error| command_failure(&error))
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

/// One experiment of many with a variant each.
fn together(programs: &[&Program], parts: Vec<Experiment>) -> Result<Option<Experiment>, Failure> {
    let mut parts = parts.into_iter().zip(programs);
    let Some((mut whole, first)) = parts.next() else { return Ok(None) };
    let named = |variant: &mut Variant, program: &Program| variant.name.clone_from(&program.name);
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
    // No variant is a command's at another point of parameters.
    whole.commands = u32::try_from(whole.variants.len()).expect("fewer than 2^20");
    Ok(Some(whole))
}
