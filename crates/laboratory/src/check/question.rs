//! The question of a check, validated before anything is built or runs: the expectations and their
//! subjects.

use std::path::{Path, PathBuf};

use ::engine::Chosen;
use configuration::CheckRequest;
use configuration::suite::{check_metrics, refused_quantile};
use judge::expectation::{Request, requests};
use model::expectation::Subject;
use model::expectation::subject::{SubjectError, Target, Version};
use model::failure::Failure;
use model::metric::{self, MetricId};
use model::spec::place::TextPosition;
use model::spec::project::{Benchmark, Expected, FILE_NAME, ProjectFile};
use model::spec::suite::Arrangement;
use prepare::{Commit, GitError, Repository, commit};

/// A question whose expectations refer only to things that exist.
pub(super) struct Question<'a> {
    /// The arguments.
    pub arguments: &'a CheckRequest,
    /// The project's folder, as the user named it.
    pub folder: PathBuf,
    /// The project's canonical folder, its key in the store.
    pub key: String,
    /// The contents of `brisk.toml`.
    pub file: ProjectFile,
    /// The repository that the project is in.
    pub repository: Option<Repository>,
    /// The checked-out commit.
    pub head: Option<Commit>,
    /// The engine to measure on. None if this machine measures.
    pub engine: Option<Chosen>,
}

/// The target of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// The subject, as it is written.
    pub subject: Subject,
    /// The number of its benchmark in the file.
    pub benchmark: usize,
    /// The benchmark inside the program that is meant, if it has a harness.
    pub inner: Option<String>,
    /// The state of the project.
    pub state: ProjectState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProjectState {
    Checked,
    Commit(Commit),
    /// The state is missing, for this reason.
    Missing(String),
}

impl ProjectState {
    /// The full hash of the commit, if it is one.
    fn hash(&self) -> Option<&str> {
        match self {
            Self::Commit(commit) => Some(&commit.hash),
            Self::Checked | Self::Missing(_) => None,
        }
    }
}

impl Wanted {
    /// The name of the benchmark, without the state of the project: `sort`, `suite:sort`.
    pub(super) fn benchmark_name(&self, file: &ProjectFile) -> String {
        let name = &file.benchmarks[self.benchmark].name;
        self.inner.as_ref().map_or_else(|| name.clone(), |inner| format!("{name}:{inner}"))
    }
}

impl<'a> Question<'a> {
    pub(super) fn new(arguments: &'a CheckRequest) -> Result<Self, Failure> {
        let folder = arguments.project.clone().unwrap_or_else(|| PathBuf::from("."));
        let mut file = configuration::settings::read(&folder)?.ok_or_else(|| no_file(&folder))?;
        if let Some(tolerance) = arguments.no_slower {
            let more = tolerance.expectations(&file);
            file.expectations.extend(more);
        }
        if file.expectations.is_empty() {
            return Err(Failure::new(format!("`{FILE_NAME}` has no expectations"))
                .hint(Some("write for example: [[expect]] that = \"wall_time(NAME) < 2 s\"")));
        }
        let repository = match Repository::open(&folder) {
            Ok(repository) => Some(repository),
            Err(GitError::NoRepository { .. } | GitError::Run { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let head = match (&repository, &arguments.at) {
            (repository, Some(revision)) => Some(known(repository.as_ref(), revision)?),
            (Some(repository), None) => commit(repository, "HEAD")?,
            (None, None) => None,
        };
        let key = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let key = key.to_string_lossy().into_owned();
        let engine = arguments.measuring.engine(&folder)?;
        if arguments.explain && engine.is_some() {
            return Err(Failure::new("`--explain` cannot be combined with `--on`")
                .because("programs with some of the hunks are built and counted on this machine"));
        }
        Ok(Self { arguments, folder, key, file, repository, head, engine })
    }

    pub(super) fn expectations(&self) -> &[Expected] {
        &self.file.expectations
    }

    /// The target of each subject, each once; `baseline` is the stored one.
    pub(super) fn wanted(&self, baseline: ProjectState) -> Result<Vec<Wanted>, Failure> {
        let benchmarks: Vec<String> =
            self.file.benchmarks.iter().map(|benchmark| benchmark.name.clone()).collect();
        let mut all: Vec<Wanted> = Vec::new();
        for expected in self.expectations() {
            for (figure, span) in &expected.that.figures {
                let refused = |failure: Failure| {
                    let text = &expected.that.text;
                    let place = TextPosition::new(text, span.clone(), "the expectation");
                    failure.because(place.to_string())
                };
                let target = self.target(&figure.subject, &benchmarks).map_err(refused)?;
                let benchmark = benchmarks.iter().position(|name| *name == target.benchmark);
                let benchmark = benchmark.expect("subjects are found among the benchmarks");
                self.check_inner(benchmark, &target, &figure.metric).map_err(refused)?;
                if all.iter().any(|wanted| wanted.subject == figure.subject) {
                    continue;
                }
                all.push(Wanted {
                    subject: figure.subject.clone(),
                    benchmark,
                    inner: target.inner,
                    state: self.state(target.version, &baseline)?,
                });
            }
        }
        Ok(all)
    }

    /// Checks that a harness has a named benchmark, and that the metric can be read there.
    fn check_inner(
        &self,
        number: usize,
        target: &Target,
        metric: &MetricId,
    ) -> Result<(), Failure> {
        let benchmark = &self.file.benchmarks[number];
        let name = &benchmark.name;
        if metric.quantile().is_some() && self.arguments.build.layouts() > 0 {
            return Err(refused_quantile(metric, "layouts"));
        }
        let is_of_harness = metric::find(metric).is_some_and(|metric| metric.is_of_harness());
        match (&target.inner, benchmark.harness) {
            (None, Some(_)) => {
                Err(Failure::new(format!("`{name}` does not say which benchmark inside it"))
                    .hint(Some(format!("write for example `{metric}({name}:NAME)`"))))
            }
            (Some(inner), None) => {
                Err(Failure::new(format!("`{name}` has no benchmark `{inner}` inside"))
                    .because("it is a command")
                    .hint(Some("`harness = \"auto\"` says that a program has some")))
            }
            (None, None) if is_of_harness => {
                Err(Failure::new(format!("`{metric}` is read from a benchmark harness"))
                    .because(format!("`{name}` is a command")))
            }
            (None, None) => Ok(()),
            (Some(_), Some(_)) => {
                let order = benchmark.order.unwrap_or(Arrangement::Alone);
                check_metrics(Some(std::slice::from_ref(metric)), order, "brisk check")
            }
        }
    }

    /// The checked state and that of `base` of each wanted benchmark, in addition to the wanted.
    pub(super) fn with_both_sides(&self, wanted: Vec<Wanted>, base: &Commit) -> Vec<Wanted> {
        let mut all = wanted;
        let states = [ProjectState::Checked, ProjectState::Commit(base.clone())];
        for number in 0..all.len() {
            for state in &states {
                let Wanted { benchmark, inner, .. } = all[number].clone();
                let is_there = |one: &Wanted| {
                    (one.benchmark, &one.inner, &one.state) == (benchmark, &inner, state)
                };
                if all.iter().any(is_there) {
                    continue;
                }
                // A name that nobody can write.
                let name = all[number].benchmark_name(&self.file);
                let revision = Some(format!("{:?}", state.hash()));
                let subject = Subject { name, revision };
                all.push(Wanted { subject, benchmark, inner, state: state.clone() });
            }
        }
        all
    }

    fn target(&self, subject: &Subject, benchmarks: &[String]) -> Result<Target, Failure> {
        let is_revision = |name: &str| matches!(self.commit(name), Ok(Some(_)));
        subject.resolve(benchmarks, &is_revision).map_err(|error: SubjectError| {
            let hint = match (&error, &self.repository) {
                (SubjectError::UnknownRevision(_), None) => {
                    Some("this is not a git repository, so there are no revisions".to_owned())
                }
                _ => error.hint(),
            };
            Failure::from_error(&error).hint(hint)
        })
    }

    fn state(&self, version: Version, baseline: &ProjectState) -> Result<ProjectState, Failure> {
        Ok(match version {
            Version::Checked => ProjectState::Checked,
            Version::Baseline => baseline.clone(),
            Version::Revision(name) => match self.commit(&name) {
                Ok(Some(commit)) => ProjectState::Commit(commit),
                Ok(None) => ProjectState::Missing(format!("`{name}` is gone")),
                Err(error) => return Err(error.into()),
            },
        })
    }

    /// The commit of a revision, if it exists.
    pub(super) fn commit(&self, revision: &str) -> Result<Option<Commit>, GitError> {
        self.repository.as_ref().map_or(Ok(None), |repository| commit(repository, revision))
    }

    /// The commit of a revision that the user typed.
    pub(super) fn known_commit(&self, revision: &str) -> Result<Commit, Failure> {
        known(self.repository.as_ref(), revision)
    }

    /// Every interval that the measured expectations need, each once.
    pub(super) fn requests(&self, is_measured: &dyn Fn(&Expected) -> bool) -> Vec<Request> {
        let mut all: Vec<Request> = Vec::new();
        let measured = self.expectations().iter().filter(|one| is_measured(one));
        for request in measured.flat_map(|one| requests(&one.that.relation)) {
            if !all.contains(&request) {
                all.push(request);
            }
        }
        all
    }

    /// The metrics of the selected subjects in measured expectations, each once, in the order of
    /// the file.
    pub(super) fn metrics(
        &self,
        is_measured: &dyn Fn(&Expected) -> bool,
        is_of: impl Fn(&Subject) -> bool,
    ) -> Vec<MetricId> {
        let mut all: Vec<MetricId> = Vec::new();
        let measured = self.expectations().iter().filter(|one| is_measured(one));
        for (figure, _) in measured.flat_map(|one| &one.that.figures) {
            if is_of(&figure.subject) && !all.contains(&figure.metric) {
                all.push(figure.metric.clone());
            }
        }
        all
    }

    /// The benchmarks with these numbers, each once.
    pub(super) fn benchmarks(&self, numbers: impl Iterator<Item = usize>) -> Vec<&Benchmark> {
        let mut numbers: Vec<usize> = numbers.collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(|number| &self.file.benchmarks[number]).collect()
    }

    pub(super) fn name(&self) -> String {
        let folder = || Path::new(&self.key).file_name().unwrap_or_default().to_string_lossy();
        self.file.project.name.clone().unwrap_or_else(|| folder().into_owned())
    }

    /// A remark besides the results; usually empty.
    pub(super) fn remarks(&self) -> String {
        let is_built =
            self.arguments.build.artifact.is_some() || self.file.project.artifact.is_some();
        // The file itself is always read in its newest state.
        let but_the_file = format!(":(exclude,glob)**/{FILE_NAME}");
        let changed = ["status", "--porcelain", "--untracked-files=no", "--", &but_the_file];
        let is_dirty = self.repository.as_ref().is_some_and(|repository| {
            matches!(repository.try_ask(changed), Ok(Ok(answer)) if !answer.is_empty())
        });
        if is_built && is_dirty {
            match &self.arguments.at {
                None => "note: the checked-out commit was checked, without uncommitted changes\n",
                Some(_) => "",
            }
            .to_owned()
        } else {
            String::new()
        }
    }
}

fn known(repository: Option<&Repository>, revision: &str) -> Result<Commit, Failure> {
    let Some(repository) = repository else {
        return Err(Failure::new(format!("there is no commit `{revision}`"))
            .because("this is not a git repository"));
    };
    let error = SubjectError::UnknownRevision(revision.to_owned());
    commit(repository, revision)?.ok_or_else(|| Failure::from_error(&error).hint(error.hint()))
}

fn no_file(folder: &Path) -> Failure {
    Failure::new(format!("there is no `{FILE_NAME}` in `{}`", folder.display()))
        .hint(Some("write one there, or name the project with `--project DIR`"))
}
