//! The evidence about each step, collected in order of its cost.
//!
//! * Sides that were built on top of other builds are built from scratch: an incremental build may
//!   contain leftovers of an earlier commit. Usually the bytes are the same; otherwise the new ones
//!   are measured, and the step stays if they confirm it.
//! * The instructions that the sides execute are counted by valgrind, once for each artefact: evidence
//!   that does not depend on the load of the machine. The counts have a separate store beside the
//!   artefacts, because the user did not ask for them.
//! * The sides are linked in many orders and measured together, because a change may be due to the
//!   placement of code by the linker. [`judge::step`] decides on the origin.
//! * On request, the cause of each is searched for ([`cause`]), and the changes are explained: in
//!   Core, or in the instructions of functions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::lineage::{Lineage, Revision, RevisionArtifact, Sides, Unbuilt};
use super::measuring::{Effort, Measuring};
use super::range::{Completed, Question};
use super::readings::Readings;
use crate::cause::{self, Allowance, KnownChange, ProgramOfCommits};
use crate::explaining::haskell::{Plan, of_revisions};
use crate::explaining::native::{self, Counted};
use crate::project::Project;
use crate::watcher::Event;
use ::words::quantity::duration;
use configuration::SourceOptions;
use explain::subject::{self, SubjectError};
use findings::cause::Cause;
use findings::core_difference::CoreDifference;
use findings::instructions::InstructionCounts;
use findings::{ComparedPair, Confirmation, Document, LayoutSpread, Step, of_candidate};
use judge::step::{Evidence, Origin, is_moved_by_layout};
use measure::Launcher;
use model::failure::Failure;
use model::metric::{INSTRUCTIONS, MetricId, Source, TIME_PER_ITERATION, WALL_TIME};
use model::note::{Note, OverLayouts};
use model::spec::labels::ArtifactId;
use model::spec::words;
use model::verdict::Margin;
use prepare::{BuildError, Cache};
use store::Place;

/// The document with all evidence about each step, and without those that it contradicts.
pub(super) fn weighed(
    measuring: &mut Measuring<'_, '_>,
    lineage: &Lineage,
    document: Document,
    explaining: Option<Explaining>,
) -> Result<Document, Failure> {
    let confirmed = confirmed(measuring, lineage, document)?;
    let decided = decided(measuring, lineage, confirmed)?;
    Ok(match explaining {
        Some(mut explaining) => explaining.explained(measuring, lineage, decided),
        None => decided,
    })
}

// Builds from scratch.

/// The artefact of each side, built from scratch.
type Clean = HashMap<usize, Result<RevisionArtifact, Unbuilt>>;

/// The document with every step confirmed, without those that builds from scratch do not confirm.
fn confirmed(
    measuring: &mut Measuring<'_, '_>,
    lineage: &Lineage,
    mut document: Document,
) -> Result<Document, Failure> {
    let mut steps = document.take_steps();
    let unchecked = steps.iter().filter(|step| step.confirmed == Confirmation::Unchecked);
    let pairs: BTreeSet<Sides> = unchecked.filter_map(|step| lineage.sides(step)).collect();
    let clean = from_scratch(measuring.question, lineage, &pairs)?;
    for pair in pairs {
        // A commit that does not build from scratch confirms nothing.
        let Some(both) = both_from_scratch(&clean, lineage, pair) else { continue };
        let is_of_pair = |step: &Step| lineage.sides(step) == Some(pair);
        let id = |artifact: &RevisionArtifact| artifact.id.clone();
        let same = |at: usize, number: usize| {
            both.artifact(at).map(id) == lineage.artifact(number).map(id)
        };
        if same(0, pair.from) && same(1, pair.to) {
            for step in steps.iter_mut().filter(|step| is_of_pair(step)) {
                step.confirmed = Confirmation::CleanBuilds;
            }
            continue;
        }
        measuring.measure(&both)?;
        let again = measuring.document(&both)?;
        let is_there = |step: &Step| {
            again.steps().iter().any(|other| {
                (&other.benchmark, &other.metric, other.source, other.verdict)
                    == (&step.benchmark, &step.metric, step.source, step.verdict)
            })
        };
        steps.retain_mut(|step| {
            if is_of_pair(step) && is_there(step) {
                step.confirmed = Confirmation::Measured;
            } else if is_of_pair(step) {
                document.notes.push(Note::NotConfirmed {
                    commit: findings::short(&step.commit).to_owned(),
                    benchmark: step.benchmark.clone(),
                    metric: step.metric.clone(),
                });
                return false;
            }
            true
        });
    }
    Ok(document.with_steps(steps))
}

/// Builds in parallel all sides that were not built from scratch yet.
fn from_scratch(
    question: &Question<'_>,
    lineage: &Lineage,
    pairs: &BTreeSet<Sides>,
) -> Result<Clean, Failure> {
    let mut clean = Clean::new();
    let mut numbers = Vec::new();
    for number in numbers_of(pairs) {
        match lineage.artifact(number).filter(|artifact| artifact.clean) {
            Some(artifact) => drop(clean.insert(number, Ok(artifact.clone()))),
            None => numbers.push(number),
        }
    }
    if !numbers.is_empty() {
        let hash = |number: &usize| lineage.revisions[*number].hash.as_str();
        let hashes: Vec<&str> = numbers.iter().map(hash).collect();
        clean.extend(numbers.into_iter().zip(question.build_from_scratch(&hashes)?));
    }
    Ok(clean)
}

/// The two commits with the artefacts that were built from scratch. None if one does not build.
fn both_from_scratch(clean: &Clean, lineage: &Lineage, sides: Sides) -> Option<Lineage> {
    let mut revisions: Vec<Revision> = Vec::with_capacity(2);
    for number in [sides.from, sides.to] {
        let built = Ok(clean[&number].as_ref().ok()?.clone());
        let parent = revisions.first().map(|first| first.hash.clone());
        revisions.push(Revision { parent, built, ..lineage.revisions[number].clone() });
    }
    Some(Lineage::new(revisions))
}

fn numbers_of(pairs: &BTreeSet<Sides>) -> BTreeSet<usize> {
    pairs.iter().flat_map(|pair| [pair.from, pair.to]).collect()
}

// Counts of instructions and other layouts.

/// A step with the evidence about it.
struct Case {
    step: Step,
    /// Its two commits. None if it was found on another machine.
    sides: Option<Sides>,
    evidence: Evidence,
    /// The reason that its sides were not measured in other layouts.
    no_layouts: Option<String>,
}

/// The document with the origin of every step, and without those that are due to layout.
fn decided(
    measuring: &mut Measuring<'_, '_>,
    lineage: &Lineage,
    mut document: Document,
) -> Result<Document, Failure> {
    let question = measuring.question;
    let margin = document.experiment.margin;
    let steps = document.take_steps();
    let case = |step| Case::new(step, &document, lineage, margin);
    let mut cases: Vec<Case> = steps.into_iter().map(case).collect();
    let executed = Executed::of_sides(measuring, lineage, &document, &open(&cases, |_| true))?;
    for case in &mut cases {
        let counted = || executed.ratio(lineage, case.sides?);
        case.evidence.instructions = case.evidence.instructions.or_else(counted);
    }
    let linked = open(&cases, |sides| question.may_link_again(lineage, sides));
    if linked.is_empty() {
        // Nothing is left to decide, or no linker decides it.
    } else if let Some(reason) = question.linking_obstacle() {
        document.notes.push(Note::NotLinked { commits: linked.len(), reason });
    } else {
        let layouts = InLayouts::new(measuring, lineage, &linked)?;
        for case in &mut cases {
            let Some(sides) = case.open_sides().filter(|sides| linked.contains(sides)) else {
                continue;
            };
            match layouts.of_step(&case.step, sides) {
                Ok(over) => case.evidence.layouts = Some(over),
                Err(reason) => case.no_layouts = Some(reason),
            }
        }
        // Suspicions of layout are settled now.
        document.notes.retain(|note| !matches!(note, Note::LikelyLayout { .. }));
    }
    document.notes.extend(executed.note);
    Ok(concluded(cases, document))
}

/// The sides of steps whose origin is open.
fn open(cases: &[Case], is_wanted: impl Fn(Sides) -> bool) -> BTreeSet<Sides> {
    cases.iter().filter_map(Case::open_sides).filter(|sides| is_wanted(*sides)).collect()
}

impl Case {
    fn new(step: Step, document: &Document, lineage: &Lineage, margin: Margin) -> Self {
        let is_here = step.machine.is_none();
        let sides = lineage.sides(&step).filter(|_| is_here);
        let counted = comparison(document, &step, &INSTRUCTIONS, None);
        let evidence = Evidence {
            moves_with_layout: is_moved_by_layout(&step.metric),
            ratio: step.ratio,
            low: step.low,
            high: step.high,
            margin,
            instructions: counted.map(|part| part.ratio),
            layouts: None,
        };
        Self { step, sides, evidence, no_layouts: None }
    }

    /// Its commits, if the evidence so far leaves the origin open.
    fn open_sides(&self) -> Option<Sides> {
        self.sides.filter(|_| self.evidence.origin() == Origin::Open)
    }
}

/// The document with the steps that are not due to layout, and notes about the others.
fn concluded(cases: Vec<Case>, mut document: Document) -> Document {
    let mut kept = Vec::with_capacity(cases.len());
    let mut moved: BTreeSet<MetricId> = BTreeSet::new();
    for Case { step, evidence, no_layouts, .. } in cases {
        let origin = evidence.origin();
        let (commit, benchmark) = (step.commit.clone(), step.benchmark.clone());
        let metric = step.metric.clone();
        let note = match (origin, evidence.layouts, no_layouts) {
            (Origin::Layout, Some(over), _) => {
                moved.insert(metric.clone());
                Some(Note::Layout { commit, benchmark, metric, ratio: step.ratio, over })
            }
            (Origin::Open, Some(over), _) => {
                Some(Note::WideOverLayouts { commit, benchmark, metric, over })
            }
            (Origin::Open, None, Some(reason)) => Some(Note::NoLayouts { commit, reason }),
            _ => None,
        };
        let note = note.filter(|note| !document.notes.contains(note));
        document.notes.extend(note);
        if origin != Origin::Layout {
            kept.push(Step {
                origin: evidence.moves_with_layout.then_some(origin),
                instructions_ratio: evidence.instructions,
                layouts: evidence.layouts,
                ..step
            });
        }
    }
    document.notes.extend(moved.into_iter().map(|metric| Note::HiddenByLayout { metric }));
    document.with_steps(kept)
}

/// The store of the counts, in the folder of the cache.
const COUNTS: &str = "counts.db";

/// The start-up time of valgrind in seconds, and its slowdown factor.
const VALGRIND_SECONDS: f64 = 0.4;
const VALGRIND_SLOWDOWN: f64 = 15.0;

/// The share of the measuring time that counting may take in addition.
const SHARE: f64 = 0.5;

/// The seconds that counting may take in any case.
const LEAST_SECONDS: f64 = 5.0;

/// The seconds needed to count a program whose run takes `a_run` seconds.
pub(super) fn counting_seconds(a_run: f64) -> f64 {
    VALGRIND_SECONDS + VALGRIND_SLOWDOWN * a_run
}

#[derive(Default)]
struct Executed {
    /// The instructions of a run, by artefact.
    counts: HashMap<ArtifactId, f64>,
    /// The reason that some were not counted.
    note: Option<Note>,
}

impl Executed {
    /// Counts those sides of these pairs that have no count yet, as far as the share of the budget
    /// allows. A program that does not run under valgrind is noted.
    fn of_sides(
        measuring: &mut Measuring<'_, '_>,
        lineage: &Lineage,
        document: &Document,
        pairs: &BTreeSet<Sides>,
    ) -> Result<Self, Failure> {
        let question = measuring.question;
        let is_scaled = question.arguments.work.is_some();
        if pairs.is_empty() || is_scaled || question.engine.is_some() || !question.may_count() {
            return Ok(Self::default());
        }
        let counts = Cache::of_the_user().map_err(BuildError::from)?.root().join(COUNTS);
        let mut counting = measuring.aside(Place::File(counts))?;
        let mut executed = Self { counts: stored(&counting)?, note: None };
        let (affordable, too_long) = executed.uncounted(question, lineage, document, pairs)?;
        let mut numbers = affordable.iter().map(|&number| &lineage.revisions[number]);
        if let Some(first) = numbers.next() {
            let star = Lineage::star(first, numbers);
            counting.aim(Effort::Count { rounds: 1 });
            match counting.run_together(&star) {
                Err(failure) if measure::interrupt::requested() => return Err(failure),
                Err(failure) => executed.note_of(affordable.len(), failure.error()),
                Ok(()) => {}
            }
            executed.counts = stored(&counting)?;
        }
        if !too_long.is_empty() {
            let reason = format!("valgrind would take about {}", duration(too_long.iter().sum()));
            executed.note_of(too_long.len(), &reason);
        }
        Ok(executed)
    }

    /// The ratio of the instructions of two commits. None if one of them was not counted.
    fn ratio(&self, lineage: &Lineage, Sides { from, to }: Sides) -> Option<f64> {
        let count = |side: usize| self.counts.get(&lineage.artifact(side)?.id).copied();
        Some(count(to)? / count(from)?).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
    }

    /// The commits still to be counted, as many pairs as the share of the budget allows, and the
    /// seconds that each of the others would take.
    fn uncounted(
        &self,
        question: &Question<'_>,
        lineage: &Lineage,
        document: &Document,
        pairs: &BTreeSet<Sides>,
    ) -> Result<(BTreeSet<usize>, Vec<f64>), Failure> {
        let budget = question.rule(document.variants.len())?.budget_seconds.unwrap_or(0.0);
        let measuring = budget.max(document.experiment.elapsed_seconds);
        let mut left = (SHARE * measuring).max(LEAST_SECONDS);
        let mut affordable = BTreeSet::new();
        let mut too_long = Vec::new();
        for pair in pairs {
            let is_new = |side: &usize| {
                let artifact = lineage.artifact(*side);
                artifact.is_some_and(|artifact| !self.counts.contains_key(&artifact.id))
                    && !affordable.contains(side)
            };
            let new: Vec<usize> = [pair.from, pair.to].into_iter().filter(is_new).collect();
            let a_run = |side: &usize| run_seconds(document, &lineage.revisions[*side].hash);
            let seconds: f64 = new.iter().map(a_run).map(counting_seconds).sum();
            if seconds <= left {
                left -= seconds;
                affordable.extend(new);
            } else {
                too_long.push(seconds);
            }
        }
        Ok((affordable, too_long))
    }

    fn note_of(&mut self, commits: usize, reason: &str) {
        self.note = Some(Note::NotCounted { commits, reason: reason.to_owned() });
    }
}

/// The processor time of a run of a commit's program, in seconds; the wall time if unknown.
fn run_seconds(document: &Document, hash: &str) -> f64 {
    document.variant_of(hash, None).map_or(0.0, |variant| cause::run_seconds(document, variant))
}

/// The instructions of each counted artefact: the minimum if counts differ.
fn stored(measuring: &Measuring<'_, '_>) -> Result<HashMap<ArtifactId, f64>, Failure> {
    let batches = Readings::default().all(measuring, &INSTRUCTIONS, None)?;
    let counted = batches.iter().filter(|batch| batch.source == Source::Valgrind);
    let mut counts: HashMap<ArtifactId, f64> = HashMap::new();
    for (digest, count) in counted.flat_map(|batch| batch.rounds.values().flatten()) {
        let least = counts.entry(digest.clone()).or_insert(*count);
        *least = count.min(*least);
    }
    Ok(counts)
}

/// The artefact of each side, linked in layouts, or the reason that it is missing.
pub(super) type Built = BTreeMap<usize, Result<RevisionArtifact, String>>;

/// The measurements of commits that were linked in many orders.
struct InLayouts {
    built: Built,
    /// None if all layouts of all of them are one program.
    measured: Option<Result<Box<Document>, String>>,
}

impl InLayouts {
    /// Links the sides of these pairs again, and measures them together. A program that does not
    /// run in some layout does not affect the other findings.
    fn new(
        measuring: &mut Measuring<'_, '_>,
        lineage: &Lineage,
        pairs: &BTreeSet<Sides>,
    ) -> Result<Self, Failure> {
        let benchmarks = measuring.document(lineage)?.histories().len().max(1);
        let layouts = measuring.question.layouts(pairs.len() * benchmarks)?;
        let built = measuring.question.build_in_layouts(lineage, &numbers_of(pairs), layouts)?;
        let linked = in_layouts(lineage, pairs, &built);
        measuring.aim(Effort::Layouts { layouts });
        let are_several = linked.variants().len() > 1;
        let document = are_several
            .then(|| measuring.measure(&linked).and_then(|()| measuring.document(&linked)));
        measuring.aim(Effort::History);
        let measured = match document {
            Some(Err(failure)) if measure::interrupt::requested() => return Err(failure),
            Some(Err(failure)) => Some(Err(failure.error().to_owned())),
            Some(Ok(document)) => Some(Ok(Box::new(document))),
            None => None,
        };
        Ok(Self { built, measured })
    }

    /// The change of a step over the layouts of its sides, or the reason that it is unknown.
    fn of_step(&self, step: &Step, sides: Sides) -> Result<OverLayouts, String> {
        for side in [sides.from, sides.to] {
            self.built[&side].as_ref().map_err(Clone::clone)?;
        }
        let measured = self.measured.as_ref();
        let document = measured.ok_or("both sides are the same program in all layouts")?;
        let document = document.as_ref().map_err(Clone::clone)?;
        let part = comparison(document, step, &step.metric, Some(step.source))
            .ok_or("they could not be compared in other layouts")?;
        let spread = |variant: u32| document.summary(variant, &step.metric, step.source)?.layouts;
        let spreads = [part.baseline, part.candidate].into_iter().filter_map(spread);
        let noises: Vec<f64> = spreads.clone().map(|spread: LayoutSpread| spread.noise).collect();
        Ok(OverLayouts {
            layouts: document.variants[part.candidate as usize].labels.layouts,
            over_layouts: part.ratio,
            low: part.low,
            high: part.high,
            sd: spreads.map(|spread| spread.sd).reduce(f64::max),
            noise_sd: stats::layouts::noise_per_side(&noises),
        })
    }
}

/// The comparison of a step's two sides in a metric, from this source or from any.
fn comparison<'a>(
    document: &'a Document,
    step: &Step,
    metric: &MetricId,
    source: Option<Source>,
) -> Option<&'a ComparedPair> {
    let variant = |hash: &str| document.variant_of(hash, step.benchmark.as_deref());
    let (baseline, candidate) = (variant(&step.from)?, variant(&step.commit)?);
    of_candidate(&document.comparisons, candidate).iter().find(|part| {
        part.baseline == baseline
            && part.metric == *metric
            && source.is_none_or(|source| part.source == source)
    })
}

/// The sides of the pairs. Pairs are independent unless they share a side.
fn in_layouts(lineage: &Lineage, pairs: &BTreeSet<Sides>, built: &Built) -> Lineage {
    let before: BTreeMap<usize, usize> = pairs.iter().map(|pair| (pair.to, pair.from)).collect();
    let revision = |(number, built): (&usize, &Result<RevisionArtifact, String>)| {
        let parent = before.get(number).map(|from| lineage.revisions[*from].hash.clone());
        let built = built.clone().map_err(|reason| Unbuilt { tried: true, reason });
        Revision { parent, built, ..lineage.revisions[*number].clone() }
    };
    Lineage::new(built.iter().map(revision).collect())
}

// Explanations.

/// The means to explain steps, checked before anything is measured.
pub(super) struct Explaining {
    way: Way,
    launcher: Launcher,
}

enum Way {
    /// By building both sides with counters and dumps.
    Core { project: Box<Project>, subject: PathBuf, options: Box<SourceOptions> },
    /// By running the builds under callgrind.
    Instructions,
}

impl Explaining {
    /// None if explanations were not requested.
    pub(super) fn new(
        completed: &Completed,
        question: &Question<'_>,
    ) -> Result<Option<Self>, Failure> {
        let arguments = &completed.arguments;
        let Some(within) = &arguments.explain else {
            if arguments.ghc.is_given() {
                let error = "GHC options are given, but nothing is explained";
                return Err(Failure::new(error).hint(Some("`--explain` explains each step")));
            }
            return Ok(None);
        };
        let folder = arguments.project.as_deref().unwrap_or(Path::new("."));
        let subject = folder.join(within);
        let way = match subject::source(&subject, arguments.ghc.executable.as_deref()) {
            // The user did not claim that it is a Haskell program, or which one of the project's.
            Err(reason) if within == Path::new(".") && !arguments.ghc.is_given() => {
                if !matches!(reason, SubjectError::NoHaskell { .. }) {
                    let note = format!("GHC's Core is not compared, because {reason}");
                    question.watcher.on(Event::Note(&note));
                }
                native::check_callgrind()?;
                Way::Instructions
            }
            _ => {
                let options = SourceOptions::of_run(
                    arguments.ghc.clone(),
                    program_arguments(&question.template)?,
                    &arguments.invocation,
                    &completed.env,
                    arguments.measuring.quiet,
                );
                let project = Box::new(Project::open(folder, &arguments.build)?);
                // The same plan for the working files, so that problems are found now.
                Plan::new(&options, &subject, arguments.build.build_timeout.as_deref())?;
                Way::Core { project, subject, options: Box::new(options) }
            }
        };
        let launcher = Launcher::start()?;
        Ok(Some(Self { way, launcher }))
    }

    /// The document with the steps explained. If one cannot be, the reason is told.
    fn explained(
        &mut self,
        measuring: &Measuring<'_, '_>,
        lineage: &Lineage,
        mut document: Document,
    ) -> Document {
        let question = measuring.question;
        let mut steps = document.take_steps();
        let sides: BTreeSet<Sides> = steps.iter().filter_map(|step| lineage.sides(step)).collect();
        let budget = question.arguments.stopping.budget_seconds();
        let allowance = Allowance::of_each(&document, sides.len(), budget);
        for pair in sides {
            let is_of_pair = |step: &Step| lineage.sides(step) == Some(pair);
            let leading = steps.iter().filter(|step| is_of_pair(step)).max_by(|a, b| {
                let is_time = |step: &Step| is_moved_by_layout(&step.metric);
                is_time(a).cmp(&is_time(b)).then(a.weight().total_cmp(&b.weight()))
            });
            let Some(step) = leading else { continue };
            let Some(change) = question.known_change(step, &document) else { continue };
            let change = KnownChange { allowance, ..change };
            let benchmark = step.benchmark.clone();
            let found = match &benchmark {
                None => self.of_change(question, &question.template, &change),
                Some(_) => alone(measuring, lineage, pair, step, &document).and_then(|alone| {
                    let found =
                        self.of_change(question, &alone.template, &alone.wall_time(&change))?;
                    let cause = Cause {
                        metric: step.metric.clone(),
                        benchmark: benchmark.clone(),
                        ..found.cause
                    };
                    Ok(Explained { cause, ..found })
                }),
            };
            let commit = findings::short(&step.commit).to_owned();
            let explained = match found {
                Ok(explained) => explained,
                Err(failure) => {
                    question.watcher.on(Event::Unexplained { commit: &commit, failure: &failure });
                    continue;
                }
            };
            let is_explained = |step: &Step| is_of_pair(step) && step.benchmark == benchmark;
            for step in steps.iter_mut().filter(|step| is_explained(step)) {
                step.core_difference.clone_from(&explained.core);
                step.instructions.clone_from(&explained.instructions);
            }
            document.causes.push(explained.cause);
        }
        document.with_steps(steps)
    }

    /// The cause of a change, and the difference of its programs in Core or in instructions.
    fn of_change(
        &mut self,
        question: &Question<'_>,
        template: &str,
        change: &KnownChange,
    ) -> Result<Explained, Failure> {
        let (launcher, mut watcher) = (&mut self.launcher, &question.watcher);
        let found = cause::find(&question.program(template), change, launcher, &mut watcher)?;
        let (mut core, mut instructions) = (None, None);
        match &self.way {
            Way::Core { project, subject, options } => {
                let timeout = project.build.build_timeout.as_deref();
                let revisions = [&change.from, &change.to].map(|commit| commit.hash.clone());
                let part = of_revisions(
                    project,
                    subject,
                    &revisions,
                    options,
                    timeout,
                    launcher,
                    &mut watcher,
                )?;
                core = Some(Box::new(part));
            }
            Way::Instructions => {
                let changes = found.counted.map(Counted::changes).transpose()?;
                instructions = changes.map(Box::new);
            }
        }
        Ok(Explained { cause: found.cause, core, instructions })
    }
}

/// One benchmark of a suite as a program of its own: it alone, run a number of times.
struct BenchmarkAlone {
    template: String,
    run_seconds: f64,
}

/// The benchmark of a step as a program of its own.
///
/// # Errors
///
/// When the step is not one of time, or the harness does not run a benchmark a given number of times.
fn alone(
    measuring: &Measuring<'_, '_>,
    lineage: &Lineage,
    pair: Sides,
    step: &Step,
    document: &Document,
) -> Result<BenchmarkAlone, Failure> {
    /// The time that counting takes well, and beside which starting the program is little, in
    /// seconds.
    const SECONDS: f64 = 0.05;
    let benchmark = step.benchmark.as_deref().unwrap_or_default();
    let refused = |reason: String| {
        Failure::new(format!("the cause of a change of `{benchmark}`")).because(reason)
    };
    if step.metric != TIME_PER_ITERATION {
        return Err(refused("causes are searched for the time of a benchmark alone".to_owned()));
    }
    let time = document
        .variant_of(&step.from, Some(benchmark))
        .and_then(|variant| document.summary(variant, &step.metric, step.source))
        .map_or(SECONDS, |part| part.median);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 on")]
    let iterations = (SECONDS / time).ceil().clamp(1.0, 1e9) as u64;
    let artifact =
        lineage.artifact(pair.from).ok_or_else(|| refused("it was not built".to_owned()))?;
    let arguments = measuring.suites.arguments_alone(&artifact.id, benchmark, iterations);
    let words: Vec<String> =
        arguments.map_err(refused)?.iter().map(|word| words::quote(word)).collect();
    let template = format!("{} {}", measuring.question.template, words.join(" "));
    Ok(BenchmarkAlone { template, run_seconds: iterations as f64 * time })
}

impl BenchmarkAlone {
    /// The change of the benchmark's time as one of this program's wall time.
    fn wall_time(&self, change: &KnownChange) -> KnownChange {
        KnownChange { metric: WALL_TIME, run_seconds: self.run_seconds, ..change.clone() }
    }
}

/// The explanation of a step.
struct Explained {
    cause: Cause,
    core: Option<Box<CoreDifference>>,
    instructions: Option<Box<InstructionCounts>>,
}

impl Question<'_> {
    /// The way in which its programs are built, and run by this template.
    fn program<'a>(&'a self, template: &'a str) -> ProgramOfCommits<'a> {
        ProgramOfCommits {
            repository: self.repository(),
            recipe: &self.recipe,
            options: &self.arguments.build,
            template,
            run_settings: &self.run_settings,
            sources: self.arguments.reading.sources(),
        }
    }

    /// The change of a step. None if a side is not a commit of the range.
    fn known_change(&self, step: &Step, document: &Document) -> Option<KnownChange> {
        let benchmark = step.benchmark.as_deref();
        let commits = [self.commit(&step.from)?, self.commit(&step.commit)?];
        let variants = commits.map(|commit| document.variant_of(&commit.hash, benchmark));
        let [Some(from), Some(to)] = variants else { return None };
        let change = KnownChange::between(document, [from, to], commits, &step.metric, step.ratio);
        Some(KnownChange { origin: step.origin, ..change })
    }
}

/// The program's arguments, if the command is the program itself with arguments.
fn program_arguments(template: &str) -> Result<Vec<OsString>, Failure> {
    let refused = || {
        Failure::new(format!("`--explain` cannot run `{template}` with counters"))
            .hint(Some("the command must be `{artifact}` and the program's arguments"))
    };
    let words = words::split(template).map_err(|_| refused())?;
    match &words.words[..] {
        [program, arguments @ ..] if program == "{artifact}" && words.shell_syntax.is_none() => {
            Ok(arguments.iter().map(OsString::from).collect())
        }
        _ => Err(refused()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_those_behind_the_artefact() {
        let arguments =
            |template: &str| program_arguments(template).map_err(|failure| failure.to_string());
        let words = |words: &[&str]| Ok(words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(arguments("{artifact}"), words(&[]));
        assert_eq!(arguments("{artifact} 1 'a b'"), words(&["1", "a b"]));
        for refused in ["time {artifact}", "{artifact} 'open", "{artifact} | wc"] {
            assert!(arguments(refused).is_err(), "{refused}");
        }
    }
}
