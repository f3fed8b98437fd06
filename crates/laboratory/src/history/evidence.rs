//! The evidence about each step, collected in order of its cost, and the conclusion:
//! [`judge::step`] decides.
//!
//! The instructions that the sides of steps execute, counted by valgrind if not counted otherwise:
//! evidence that does not depend on the load of the machine.
//!
//! Each artefact is counted once. The counts have a separate store beside the artefacts, because
//! the user did not ask for them: they are only evidence about an experiment.
//!
//! The sides of steps, linked in many orders and measured together: evidence about changes that are
//! due to the placement of code by the linker.

use super::lineage::{Lineage, Revision, RevisionArtifact, Unbuilt};
use super::measuring::{Effort, Measuring};
use super::question::Question;
use super::search::Readings;
use findings::{ComparedPair, Document, LayoutSpread, Step, of_candidate};
use judge::step::{Evidence, Origin, is_moved_by_layout};
use model::failure::Failure;
use model::metric::{CPU_TIME, INSTRUCTIONS, MetricId, Source, WALL_TIME};
use model::note::{Note, OverLayouts};
use model::spec::labels::ArtifactId;
use model::verdict::Margin;
use prepare::{BuildError, Cache};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use store::Place;
use words::quantity::duration;

/// A step with the evidence about it.
struct Case {
    step: Step,
    /// Its two commits. None if it was found on another machine.
    pair: Option<(usize, usize)>,
    evidence: Evidence,
    /// The reason that its sides were not measured in other layouts.
    no_layouts: Option<String>,
}

/// The document with the origin of every step by all evidence, which is collected here, and without
/// those that are due to layout.
pub(super) fn decided(
    question: &Question<'_>,
    measuring: &mut Measuring<'_, '_>,
    lineage: &Lineage,
    mut document: Document,
) -> Result<Document, Failure> {
    let margin = document.experiment.margin;
    let steps = document.take_steps();
    let case = |step| Case::new(step, &document, lineage, margin);
    let mut cases: Vec<Case> = steps.into_iter().map(case).collect();
    let executed =
        Executed::of_sides(question, measuring, lineage, &document, &open(&cases, |_| true))?;
    for case in &mut cases {
        let counted = || executed.ratio(lineage, case.pair?);
        case.evidence.instructions = case.evidence.instructions.or_else(counted);
    }
    let may_link = |(from, to)| question.may_link_again(lineage, [from, to]);
    let linked = open(&cases, may_link);
    if linked.is_empty() {
        // Nothing is left to decide, or no linker decides it.
    } else if let Some(reason) = question.linking_obstacle() {
        document.notes.push(Note::NotLinked { commits: linked.len(), reason });
    } else {
        let layouts = InLayouts::new(question, measuring, lineage, &linked)?;
        for case in &mut cases {
            let Some(pair) = case.open_pair().filter(|pair| linked.contains(pair)) else {
                continue;
            };
            match layouts.of_step(&case.step, pair) {
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

/// The pairs of steps whose origin is open.
fn open(cases: &[Case], is_wanted: impl Fn((usize, usize)) -> bool) -> BTreeSet<(usize, usize)> {
    cases.iter().filter_map(Case::open_pair).filter(|pair| is_wanted(*pair)).collect()
}

impl Case {
    fn new(step: Step, document: &Document, lineage: &Lineage, margin: Margin) -> Self {
        let is_here = step.machine.is_none();
        let sides = lineage.number(&step.from).zip(lineage.number(&step.commit));
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
        Self { step, pair: sides.filter(|_| is_here), evidence, no_layouts: None }
    }

    /// Its commits, if the evidence so far leaves the origin open.
    fn open_pair(&self) -> Option<(usize, usize)> {
        self.pair.filter(|_| self.evidence.origin() == Origin::Open)
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

/// The instruction counts of artefacts.
#[derive(Default)]
pub(super) struct Executed {
    /// The instructions of a run, by artefact.
    counts: HashMap<ArtifactId, f64>,
    /// The reason that some were not counted.
    pub(super) note: Option<Note>,
}

impl Executed {
    /// Counts those sides of these pairs that have no count yet, as far as the share of the budget
    /// allows.
    ///
    /// # Errors
    ///
    /// On an interruption, or when the store cannot be read. A program that does not run under
    /// valgrind is noted.
    pub(super) fn of_sides(
        question: &Question<'_>,
        measuring: &mut Measuring<'_, '_>,
        lineage: &Lineage,
        document: &Document,
        pairs: &BTreeSet<(usize, usize)>,
    ) -> Result<Self, Failure> {
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
    pub(super) fn ratio(&self, lineage: &Lineage, (from, to): (usize, usize)) -> Option<f64> {
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
        pairs: &BTreeSet<(usize, usize)>,
    ) -> Result<(BTreeSet<usize>, Vec<f64>), Failure> {
        let budget = question.rule(document.variants.len())?.budget_seconds.unwrap_or(0.0);
        let measuring = budget.max(document.experiment.elapsed_seconds);
        let mut left = (SHARE * measuring).max(LEAST_SECONDS);
        let mut affordable = BTreeSet::new();
        let mut too_long = Vec::new();
        for &(from, to) in pairs {
            let is_new = |side: &usize| {
                let digest = lineage.artifact(*side).map(|artifact| &artifact.id);
                let is_counted = digest.is_none_or(|digest| self.counts.contains_key(digest));
                !is_counted && !affordable.contains(side)
            };
            let new: Vec<usize> = [from, to].into_iter().filter(is_new).collect();
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
    let Some(variant) = document.variant_of(hash, None) else { return 0.0 };
    let mut times = [CPU_TIME, WALL_TIME].into_iter();
    let median = |id: MetricId| Some(document.summary(variant, &id, Source::Run)?.median);
    times.find_map(median).unwrap_or(0.0)
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
pub(super) struct InLayouts {
    built: Built,
    /// None if all layouts of all of them are one program.
    measured: Option<Result<Box<Document>, String>>,
}

impl InLayouts {
    /// Links the sides of these pairs again, and measures them together.
    pub(super) fn new(
        question: &Question<'_>,
        measuring: &mut Measuring<'_, '_>,
        lineage: &Lineage,
        pairs: &BTreeSet<(usize, usize)>,
    ) -> Result<Self, Failure> {
        let numbers: BTreeSet<usize> = pairs.iter().flat_map(|&(from, to)| [from, to]).collect();
        let benchmarks = measuring.document(lineage)?.histories().len().max(1);
        let layouts = question.layouts(pairs.len() * benchmarks)?;
        let built = question.build_in_layouts(lineage, &numbers, layouts)?;
        let linked = in_layouts(lineage, pairs, &built);
        measuring.aim(Effort::Layouts { layouts });
        let measured = match linked.variants().len() {
            0 | 1 => Ok(None),
            _ => measure(measuring, &linked),
        };
        measuring.aim(Effort::History);
        Ok(Self { built, measured: measured? })
    }

    /// The change of a step over the layouts of its sides.
    ///
    /// # Errors
    ///
    /// The reason that it is unknown, for people.
    pub(super) fn of_step(
        &self,
        step: &Step,
        (from, to): (usize, usize),
    ) -> Result<OverLayouts, String> {
        let unbuilt = [from, to].map(|side| self.built[&side].as_ref().err());
        if let Some(reason) = unbuilt.into_iter().flatten().next() {
            return Err(reason.clone());
        }
        let document = match &self.measured {
            Some(Ok(document)) => document,
            Some(Err(reason)) => return Err(reason.clone()),
            None => return Err("both sides are the same program in all layouts".to_owned()),
        };
        let part = comparison(document, step, &step.metric, Some(step.source))
            .ok_or("they could not be compared in other layouts")?;
        let spread = |variant: u32| {
            let part = document.summary(variant, &step.metric, step.source);
            part.and_then(|part| part.layouts)
        };
        let spreads = [part.baseline, part.candidate].into_iter().filter_map(spread);
        let most = |figure: fn(&LayoutSpread) -> f64| {
            spreads.clone().map(|one| figure(&one)).reduce(f64::max)
        };
        let noises: Vec<f64> = spreads.clone().map(|spread| spread.noise).collect();
        Ok(OverLayouts {
            layouts: document.variants[part.candidate as usize].labels.layouts,
            over_layouts: part.ratio,
            low: part.low,
            high: part.high,
            sd: most(|spread| spread.sd),
            noise_sd: stats::layouts::noise_per_side(&noises),
        })
    }
}

/// The comparison of a step's two sides in a metric, from this source or from any.
pub(super) fn comparison<'a>(
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
fn in_layouts(lineage: &Lineage, pairs: &BTreeSet<(usize, usize)>, built: &Built) -> Lineage {
    let before: BTreeMap<usize, usize> = pairs.iter().map(|&(from, to)| (to, from)).collect();
    let revision = |(number, built): (&usize, &Result<RevisionArtifact, String>)| {
        let revision = &lineage.revisions[*number];
        let parent = before.get(number).map(|from| lineage.revisions[*from].hash.clone());
        let unbuilt = |reason: String| Unbuilt { tried: true, reason };
        Revision { parent, built: built.clone().map_err(unbuilt), ..revision.clone() }
    };
    Lineage::new(built.iter().map(revision).collect())
}

/// Measures them. A program that does not run in some layout does not affect the other findings.
fn measure(
    measuring: &mut Measuring<'_, '_>,
    linked: &Lineage,
) -> Result<Option<Result<Box<Document>, String>>, Failure> {
    let measured = measuring.measure(linked).and_then(|()| measuring.document(linked));
    match measured {
        Ok(document) => Ok(Some(Ok(Box::new(document)))),
        Err(failure) if measure::interrupt::requested() => Err(failure),
        Err(failure) => Ok(Some(Err(failure.error().to_owned()))),
    }
}
