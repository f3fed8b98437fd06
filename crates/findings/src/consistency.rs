//! Checks that the parts of a document agree, once, when it is read; code that shows or exports it
//! can then rely on its numbers.

use std::collections::HashSet;

use crate::{Document, HistoryFinding, PointState, SCHEMA, SuiteFinding, SweepFinding, SweepPoint};
use judge::loops::Idleness;
use model::commission::Kind;
use model::json;
use model::metric::{self, MetricId, Role};
use model::note::Note;

/// The reason a stored document cannot be relied on.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ReadError {
    #[error("it is not a document of schema `{SCHEMA}`")]
    Form(#[from] serde_json::Error),
    #[error("it is a document of schema `{0}`, and this brisk knows `{SCHEMA}`")]
    Schema(String),
    #[error("the document says it is a `{told}`, but contains a `{found}`")]
    Kind { told: Kind, found: Kind },
    #[error("`{part}` names {what} {number}, and there are {count}")]
    OutOfRange { part: &'static str, what: &'static str, number: usize, count: usize },
    #[error("`{part}` names the commit `{hash}`, which is not in `commits`")]
    NoSuchCommit { part: &'static str, hash: String },
    #[error("`{part}` has {found} entries where there are {count} {what}")]
    Length { part: &'static str, what: &'static str, found: usize, count: usize },
    #[error("`{part}` is not in the order of its {what}")]
    Unordered { part: &'static str, what: &'static str },
    #[error("`{0}` is empty")]
    Empty(&'static str),
    #[error("`{part}` compares {variant} in `{metric}`, of which `summaries` has no value")]
    NoValue { part: &'static str, variant: u32, metric: MetricId },
    #[error("`{part}` has no comparison of {baseline} and {candidate} in `{metric}`")]
    NoComparison { part: &'static str, baseline: u32, candidate: u32, metric: MetricId },
}

impl Document {
    /// Reads a document without its runs, and checks that its parts agree.
    ///
    /// # Errors
    ///
    /// When it is not a document, or contradicts itself: the first part that does.
    pub fn read(json: &str) -> Result<Self, ReadError> {
        let document: Self = serde_json::from_str(json)?;
        document.verify()?;
        Ok(document)
    }

    /// The document without its runs, as [`Self::read`] reads it.
    ///
    /// # Panics
    ///
    /// In a debug build, when its parts do not agree: it could not be read again.
    pub fn json(&self) -> String {
        debug_assert!(self.verify().is_ok(), "{:?}", self.verify());
        json::text(self)
    }

    /// Checks that the parts agree.
    ///
    /// # Errors
    ///
    /// The first part that contradicts another.
    pub fn verify(&self) -> Result<(), ReadError> {
        if self.schema != SCHEMA {
            return Err(ReadError::Schema(self.schema.clone()));
        }
        self.check_figures()?;
        self.check_work()?;
        self.history().map_or(Ok(()), |history| self.check_history(history))?;
        self.sweep().map_or(Ok(()), |sweep| self.check_sweep(sweep))?;
        self.suite().map_or(Ok(()), |suite| self.check_suite(suite))?;
        self.check_is_shown()
    }

    fn check_figures(&self) -> Result<(), ReadError> {
        // A suite that cannot be measured at all has absences and no variants.
        if !self.has_absences() {
            full("variants", self.variants.len())?;
        }
        self.variants("summaries", self.summaries.iter().map(|part| part.variant))?;
        ordered("summaries", "variants", self.summaries.iter().map(|part| part.variant))?;
        self.variants("ranking", self.ranking.iter().map(|part| part.variant))?;
        self.variants("missing", self.missing.iter().map(|part| part.variant))?;
        let compared = self.comparisons.iter().flat_map(|part| [part.baseline, part.candidate]);
        self.variants("comparisons", compared)?;
        ordered("comparisons", "candidates", self.comparisons.iter().map(|part| part.candidate))?;
        let answered = self.answers.iter().flat_map(|part| [part.baseline, part.candidate]);
        self.variants("answers", answered)?;
        self.variants("notes", self.notes.iter().filter_map(Note::about))?;
        for part in &self.comparisons {
            for variant in [part.baseline, part.candidate] {
                if self.summary(variant, &part.metric, part.source).is_none() {
                    let metric = part.metric.clone();
                    return Err(ReadError::NoValue { part: "comparisons", variant, metric });
                }
            }
        }
        match self.answers.iter().find(|answer| self.deciding(answer).is_none()) {
            Some(answer) => Err(ReadError::NoComparison {
                part: "answers",
                baseline: answer.baseline,
                candidate: answer.candidate,
                metric: answer.metric.clone(),
            }),
            None => Ok(()),
        }
    }

    fn check_work(&self) -> Result<(), ReadError> {
        self.variants("setups", self.setups.iter().map(|part| part.variant))?;
        let paid = self.paybacks.iter().flat_map(|p| [p.baseline, p.candidate, p.variant]);
        self.variants("paybacks", paid)?;
        if let Some(part) = &self.equal_work {
            self.variants("equal_work.outputs", part.outputs.iter().map(|one| one.variant))?;
            let differing = part.differences.iter().flat_map(|one| [one.baseline, one.candidate]);
            self.variants("equal_work.differences", differing)?;
            let suspected = part.suspicions.iter();
            let suspected = suspected.flat_map(|one| [one.baseline, one.candidate, one.variant]);
            self.variants("equal_work.suspicions", suspected)?;
        }
        let curves = || self.memory_over_time.iter().flatten();
        self.variants("memory_over_time", curves().map(|curve| curve.variant))?;
        for curve in curves() {
            let (found, count) = (curve.bytes.len(), curve.seconds.len());
            length("memory_over_time.bytes", "moments", found, count)?;
        }
        let verdicts = self.memory_verdicts.iter().flatten();
        self.variants("memory_verdicts", verdicts.map(|part| part.variant))
    }

    fn check_history(&self, found: &HistoryFinding) -> Result<(), ReadError> {
        let commits = &found.commits;
        full("commits", commits.len())?;
        self.variants("commits", commits.iter().filter_map(|commit| commit.variant))?;
        let all: HashSet<&str> = commits.iter().map(|commit| commit.hash.as_str()).collect();
        let mut seen = HashSet::new();
        for commit in commits {
            let parent = commit.parent.as_deref();
            let is_before = parent.is_none_or(|hash| seen.contains(hash) || !all.contains(hash));
            if !is_before || !seen.insert(&*commit.hash) {
                return Err(ReadError::Unordered { part: "commits", what: "parents" });
            }
        }
        let known = |part, hash: &str| match all.contains(hash) {
            true => Ok(()),
            false => Err(ReadError::NoSuchCommit { part, hash: hash.to_owned() }),
        };
        let mut steps = found.steps.iter().flat_map(|step| [&step.commit, &step.from]);
        steps.try_for_each(|hash| known("steps", hash))?;
        let mut drifts = found.drifts.iter().flat_map(|drift| [&drift.from, &drift.to]);
        drifts.try_for_each(|hash| known("drifts", hash))?;
        for history in &found.histories {
            let count = history.variants.len();
            length("histories.variants", "commits", count, commits.len())?;
            self.variants("histories.variants", history.variants.iter().flatten().copied())?;
            let mut absences = history.absences.iter();
            absences.try_for_each(|one| known("histories.absences", &one.commit))?;
            let mut names = history.names.iter();
            names.try_for_each(|one| known("histories.names", &one.commit))?;
        }
        self.check_benchmarks()
    }

    /// Checks that the variants of each benchmark follow those of the one before, and are only
    /// compared with each other.
    fn check_benchmarks(&self) -> Result<(), ReadError> {
        if self.histories().is_empty() {
            return Ok(());
        }
        let firsts = self.first_variants();
        let place = |variant: u32| firsts.partition_point(|first| *first <= variant);
        for (number, history) in (1..).zip(self.histories()) {
            let is_own = |variant: &u32| place(*variant) == number;
            if !history.variants.iter().flatten().all(is_own) {
                return Err(ReadError::Unordered {
                    part: "histories.variants",
                    what: "benchmarks",
                });
            }
        }
        let is_within = |baseline: u32, candidate: u32| place(baseline) == place(candidate);
        let compared =
            self.comparisons.iter().map(|part| ("comparisons", part.baseline, part.candidate));
        let answered = self.answers.iter().map(|part| ("answers", part.baseline, part.candidate));
        match compared.chain(answered).find(|(_, one, other)| !is_within(*one, *other)) {
            Some((part, ..)) => Err(ReadError::Unordered { part, what: "benchmarks" }),
            None => Ok(()),
        }
    }

    fn check_sweep(&self, sweep: &SweepFinding) -> Result<(), ReadError> {
        length("sweep.points", "variants", sweep.points.len(), self.variants.len())?;
        let points = || sweep.points.iter().map(|point| point.variant);
        self.variants("sweep.points", points())?;
        ordered("sweep.points", "variants", points())?;
        let others = sweep.points.iter().filter_map(|point| match point.state {
            PointState::Equal { to: other }
            | PointState::Dominated { by: other }
            | PointState::Dropped { by: other }
            | PointState::Undecided { with: Some(other) } => Some(other),
            _ => None,
        });
        self.variants("sweep.points", others)?;
        self.variants("sweep.front", sweep.front.iter().copied())?;
        let named = [sweep.default, sweep.knee, sweep.thrifty];
        self.variants("sweep", named.into_iter().flatten())?;
        let tuning = sweep.tuning.iter().filter_map(|tuning| tuning.recommended);
        self.variants("sweep.tuning.recommended", tuning)
    }

    fn check_suite(&self, suite: &SuiteFinding) -> Result<(), ReadError> {
        full("suite.programs", suite.programs.len())?;
        let (programs, benchmarks) = (suite.programs.len(), suite.benchmarks.len());
        for one in &suite.benchmarks {
            length("suite.benchmarks.variants", "programs", one.variants.len(), programs)?;
            self.variants("suite.benchmarks", one.variants.iter().flatten().copied())?;
        }
        self.variants("suite.given_up", suite.given_up.iter().map(|one| one.variant))?;
        self.variants("suite.company", suite.company.iter().map(|one| one.variant))?;
        self.variants("suite.measurements", suite.measurements.iter().map(|one| one.variant))?;
        let mut waits = suite.waits.iter().map(|one| one.program);
        waits.try_for_each(|one| within("suite.waits", "the program", one, programs))?;
        for (part, program, benchmark) in seats(suite) {
            within(part, "the program", program, programs)?;
            within(part, "the benchmark", benchmark, benchmarks)?;
        }
        Ok(())
    }

    /// Checks that the document shows anything: a value of a shown metric, or the reason it is
    /// missing.
    fn check_is_shown(&self) -> Result<(), ReadError> {
        let has_values = self.summaries.iter().any(|part| self.shows(&part.metric));
        let named = self.experiment.metrics.as_deref().unwrap_or_default();
        let is_explained = self.missing.iter().any(|part| named.contains(&part.metric));
        let failed = |point: &SweepPoint| matches!(point.state, PointState::Failed { .. });
        let has_failed = self.sweep().into_iter().flat_map(|sweep| &sweep.points).any(failed);
        // Without a finished round nothing can be shown.
        let is_void = self.experiment.rounds == 0;
        match has_values || is_explained || has_failed || self.has_absences() || is_void {
            true => Ok(()),
            false => Err(ReadError::Empty("summaries")),
        }
    }

    /// True if benchmarks of a history have no figures at some of its commits.
    fn has_absences(&self) -> bool {
        self.histories().iter().any(|history| !history.absences.is_empty())
    }

    /// True if the tables include a metric.
    pub fn shows(&self, id: &MetricId) -> bool {
        match &self.experiment.metrics {
            Some(chosen) => chosen.contains(id),
            None => metric::find(id).is_some_and(|metric| metric.role != Role::Kept),
        }
    }

    fn variants(
        &self,
        part: &'static str,
        numbers: impl IntoIterator<Item = u32>,
    ) -> Result<(), ReadError> {
        let mut numbers = numbers.into_iter();
        numbers.try_for_each(|one| within(part, "the variant", one as usize, self.variants.len()))
    }
}

/// Every mention of a program's benchmark in the parts of a suite, by place.
fn seats(suite: &SuiteFinding) -> Vec<(&'static str, usize, usize)> {
    let company = suite.company.iter().map(|one| ("suite.company", one.program, one.benchmark));
    let levels = suite.levels.iter().map(|one| ("suite.levels", one.program, one.benchmark));
    let made_of = suite.made_of.iter().map(|one| ("suite.made_of", one.program, one.whole));
    let regimes = suite.regimes.iter().map(|one| ("suite.regimes", one.program, one.benchmark));
    let idle = suite.idle.iter().flat_map(|one| {
        let smaller = match one.evidence {
            Idleness::IndependentOfSize { smallest, .. } => Some(smallest),
            _ => None,
        };
        let numbers = std::iter::once(one.benchmark).chain(smaller);
        numbers.map(|number| ("suite.idle", one.program, number))
    });
    let dependences = suite
        .dependences
        .iter()
        .flat_map(|one| one.benchmarks().map(|number| ("suite.dependences", one.program, number)));
    let after = suite.after.iter().flat_map(|one| {
        [one.benchmark, one.other].map(|number| ("suite.after", one.program, number))
    });
    company
        .chain(after)
        .chain(levels)
        .chain(made_of)
        .chain(regimes)
        .chain(idle)
        .chain(dependences)
        .collect()
}

pub(crate) fn within(
    part: &'static str,
    what: &'static str,
    number: usize,
    count: usize,
) -> Result<(), ReadError> {
    match number < count {
        true => Ok(()),
        false => Err(ReadError::OutOfRange { part, what, number, count }),
    }
}

fn length(
    part: &'static str,
    what: &'static str,
    found: usize,
    count: usize,
) -> Result<(), ReadError> {
    match found == count {
        true => Ok(()),
        false => Err(ReadError::Length { part, what, found, count }),
    }
}

fn full(part: &'static str, count: usize) -> Result<(), ReadError> {
    if count == 0 { Err(ReadError::Empty(part)) } else { Ok(()) }
}

fn ordered(
    part: &'static str,
    what: &'static str,
    numbers: impl Iterator<Item = u32>,
) -> Result<(), ReadError> {
    match numbers.is_sorted() {
        true => Ok(()),
        false => Err(ReadError::Unordered { part, what }),
    }
}
