//! The evidence about each step, collected in order of its cost, and the conclusion:
//! [`judge::step`] decides.

use std::collections::BTreeSet;

use super::executed::Executed;
use super::layouts::{InLayouts, comparison};
use super::measuring::Measuring;
use super::question::Question;
use crate::history::lineage::Lineage;
use findings::{Document, Step};
use judge::layouts::is_moved_by_layout;
use judge::step::{Evidence, Origin};
use model::failure::Failure;
use model::metric::{INSTRUCTIONS, MetricId};
use model::note::Note;
use model::verdict::Margin;

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
    let margin = Margin::new(document.experiment.margin)
        .ok_or_else(|| Failure::new("the experiment has no margin"))?;
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
