//! The causes of failed expectations that compare two commits of one command.

use configuration::settings;
use findings::{CheckedExpectation, Document, of_candidate};
use judge::acceptance::Standing;
use judge::expectation::{Request, requests};
use measure::Launcher;
use model::expectation::Subject;
use model::failure::Failure;
use model::metric::MetricId;
use model::spec::invocation::RunSettings;
use prepare::Commit;

use super::programs::{Programs, RunnerKind, run_settings};
use super::question::{ProjectState, Question, Wanted};
use crate::cause::{self, ChangedPair, ProgramOfCommits};
use crate::watcher::Watcher;

/// The two sides of a failed expectation.
struct FailedRatio {
    benchmark: usize,
    run_settings: RunSettings,
    /// The variants, the denominator first.
    variants: [u32; 2],
    commits: [Commit; 2],
    metric: MetricId,
    ratio: f64,
}

/// The failed expectations of a check.
pub(super) struct Failed<'a> {
    question: &'a Question<'a>,
    programs: &'a Programs,
    wanted: &'a [Wanted],
    checked: &'a [CheckedExpectation],
}

impl<'a> Failed<'a> {
    /// Those of these expectations.
    pub(super) fn new(
        question: &'a Question<'a>,
        programs: &'a Programs,
        wanted: &'a [Wanted],
        checked: &'a [CheckedExpectation],
    ) -> Self {
        Self { question, programs, wanted, checked }
    }

    /// Adds their causes to the document of the commands.
    ///
    /// # Errors
    ///
    /// When the user interrupts. The reason that a failure cannot be explained is told.
    pub(super) fn add_causes(
        &self,
        document: &mut Document,
        launcher: &mut Launcher,
        watcher: &mut dyn Watcher,
    ) -> Result<(), Failure> {
        let Self { question, programs, .. } = self;
        let made = programs.made.as_ref().zip(question.repository.as_ref());
        let Some((made, repository)) = made else { return Ok(()) };
        let benchmarks = question.benchmarks(programs.benchmarks());
        let sources = settings::reading(&question.arguments.reading(), &benchmarks).sources();
        let stopping = settings::stopping(&question.arguments.stopping, &benchmarks);
        let failed: Vec<FailedRatio> = self.ratios(document)?;
        let pairs = failed.iter().filter_map(|one| {
            Some(ChangedPair {
                program: ProgramOfCommits {
                    repository,
                    recipe: &made.recipe,
                    options: &made.options,
                    template: made.templates.get(&one.benchmark)?,
                    run_settings: &one.run_settings,
                    sources,
                },
                variants: one.variants,
                commits: one.commits.clone(),
                metric: one.metric.clone(),
                ratio: one.ratio,
            })
        });
        let pairs: Vec<ChangedPair<'_>> = pairs.collect();
        cause::add(document, &pairs, stopping.budget_seconds(), launcher, watcher)
    }

    /// The ratios of failed expectations, each once.
    fn ratios(&self, document: &Document) -> Result<Vec<FailedRatio>, Failure> {
        let mut all: Vec<FailedRatio> = Vec::new();
        let expectations = self.question.expectations().iter().zip(self.checked);
        for (expected, _) in expectations.filter(|(_, one)| one.standing == Standing::Fails) {
            for request in requests(&expected.that.relation) {
                let Request::Ratio(metric, above, below) = request else { continue };
                let Some(one) = self.ratio(document, &metric, [&below, &above])? else { continue };
                if !all.iter().any(|known| known.variants == one.variants) {
                    all.push(one);
                }
            }
        }
        Ok(all)
    }

    /// A ratio, if its sides are one command at two commits.
    fn ratio(
        &self,
        document: &Document,
        metric: &MetricId,
        subjects: [&Subject; 2],
    ) -> Result<Option<FailedRatio>, Failure> {
        let [below, above] = subjects;
        let sides = [below, above].map(|subject| self.side(subject));
        let [Some((one, from)), Some((other, to))] = sides else { return Ok(None) };
        let variants = self.programs.pair(RunnerKind::Command, below, above);
        let Some((from_variant, to_variant)) = variants.filter(|_| one == other) else {
            return Ok(None);
        };
        let compared = |baseline, candidate| {
            let pairs = of_candidate(&document.comparisons, candidate).iter();
            pairs.into_iter().find(|part| part.baseline == baseline && part.metric == *metric)
        };
        let there = compared(from_variant, to_variant);
        let back = || compared(to_variant, from_variant);
        let ratio = there.map(|part| part.ratio).or_else(|| Some(1.0 / back()?.ratio));
        let Some(ratio) = ratio else { return Ok(None) };
        let benchmark = &self.question.file.benchmarks[one];
        Ok(Some(FailedRatio {
            benchmark: one,
            run_settings: run_settings(self.question, benchmark)?,
            variants: [from_variant, to_variant],
            commits: [from, to],
            metric: metric.clone(),
            ratio,
        }))
    }

    /// The benchmark and the commit of a subject.
    fn side(&self, subject: &Subject) -> Option<(usize, Commit)> {
        let wanted = self.wanted.iter().find(|wanted| wanted.subject == *subject)?;
        let commit = match &wanted.state {
            ProjectState::Commit(commit) => Some(commit.clone()),
            ProjectState::Checked => self.question.head.clone(),
            ProjectState::Missing(_) => None,
        };
        Some((wanted.benchmark, commit?))
    }
}
