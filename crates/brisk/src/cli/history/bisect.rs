//! `brisk history --bisect METRIC`: the commit that changed a metric, with few builds.

use super::measuring::Measuring;
use super::question::Question;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::history::bisect::{self, Bisection, Side};
use crate::history::lineage::{Lineage, Revision, Unbuilt};
use crate::history::merge::short;
use crate::judge::verdict::Margin;
use crate::metric::MetricId;
use crate::report::document::{ComparisonPart, Document};

/// How often a commit is measured anew where its side stays open.
const MOST_TRIES: u32 = 3;

/// What the search found.
pub(super) struct Found {
    /// All commits; one that was not needed is there as one that was not tried.
    pub(super) lineage: Lineage,
    /// The first commit that is known to have the change.
    far: usize,
}

impl Found {
    /// Leaves of a document what the search was for: two commits far from each other may differ by
    /// much that neither of them did.
    pub(super) fn keep_the_step(&self, document: &mut Document) {
        let commit = &self.lineage.revisions[self.far].hash;
        document.steps.iter_mut().for_each(|steps| steps.retain(|step| step.commit == *commit));
        document.drifts = Some(Vec::new());
    }
}

/// Builds and measures what is needed to find the commit.
pub(super) fn bisect(
    question: &Question<'_>,
    measuring: &mut Measuring<'_>,
    metric: &MetricId,
    output: &Output,
) -> Result<Found, Failure> {
    let search = Search { question, metric };
    let mut revisions = question.untried();
    let last = revisions.len() - 1;
    for end in [0, last] {
        revisions[end] = search.build_end(end)?;
    }
    let mut bisection = Bisection::new(revisions.len());
    // The ends, the probes, each perhaps several times, and the two neighbours of the change.
    let comparisons = bisection.steps_left() * MOST_TRIES + 2;
    measuring.aim(None, comparisons);
    let change = search.change(measuring, &revisions)?;
    measuring.aim(Margin::new(bisect::margin(change)), comparisons);
    while let Some(at) = bisection.next() {
        output.message(&format!(
            "bisecting: {} after {}, about {} more\n",
            short(&revisions[at].hash),
            short(&revisions[bisection.ends().0].hash),
            bisection.steps_left()
        ));
        revisions[at] = question.build_one(at)?;
        if revisions[at].built.is_err() {
            bisection.does_not_build(at);
            continue;
        }
        let side =
            search.side(measuring, [&revisions[0], &revisions[at], &revisions[last]], change)?;
        bisection.found(at, side);
    }
    let (near, far) = bisection.ends();
    measuring.measure(&pair(&revisions[near], &revisions[far]))?;
    Ok(Found { lineage: Lineage::new(revisions), far })
}

struct Search<'a> {
    question: &'a Question<'a>,
    metric: &'a MetricId,
}

impl Search<'_> {
    fn build_end(&self, end: usize) -> Result<Revision, Failure> {
        let revision = self.question.build_one(end)?;
        match &revision.built {
            Ok(_) => Ok(revision),
            Err(unbuilt) => Err(Failure::new(format!(
                "{}, an end of the range, does not build",
                short(&revision.hash)
            ))
            .because(unbuilt.reason.clone())
            .hint(Some("begin or end the range with a commit that does"))),
        }
    }

    /// The ratio of the end to the beginning.
    fn change(
        &self,
        measuring: &mut Measuring<'_>,
        revisions: &[Revision],
    ) -> Result<f64, Failure> {
        let (first, last) = (&revisions[0], &revisions[revisions.len() - 1]);
        let part = self.compare(measuring, first, last)?;
        match part {
            Some(part) if part.verdict.is_change() => Ok(part.ratio),
            Some(part) => Err(Failure::new(format!(
                "{} does not certainly change between {} and {}: {}",
                crate::report::words::label(self.metric),
                short(&first.hash),
                short(&last.hash),
                crate::report::words::ratio(&part)
            ))
            .hint(Some("there is nothing to look for, unless a longer `--budget` finds it"))),
            None => Err(Failure::new(format!(
                "{} and {} are the same bytes",
                short(&first.hash),
                short(&last.hash)
            ))),
        }
    }

    /// On which side of the change a commit is; measured again where that stays open.
    fn side(
        &self,
        measuring: &mut Measuring<'_>,
        [first, at, last]: [&Revision; 3],
        change: f64,
    ) -> Result<Side, Failure> {
        let is_same = |other: &Revision| digest(at) == digest(other);
        if is_same(first) || is_same(last) {
            return Ok(if is_same(first) { Side::Near } else { Side::Far });
        }
        for _ in 0..MOST_TRIES {
            let part = self.compare(measuring, first, at)?;
            let side = part.map_or(Side::Open, |part| {
                bisect::side(part.low, part.high.unwrap_or(f64::INFINITY), change)
            });
            if side != Side::Open {
                return Ok(side);
            }
            measuring.forget(&pair(first, at));
        }
        Err(Failure::new(format!(
            "whether {} has the change stays open after measuring {MOST_TRIES} times",
            short(&at.hash)
        ))
        .hint(Some(
            "a longer `--budget` may tell; `brisk history` without `--bisect` looks at all",
        )))
    }

    fn compare(
        &self,
        measuring: &mut Measuring<'_>,
        first: &Revision,
        other: &Revision,
    ) -> Result<Option<ComparisonPart>, Failure> {
        if digest(first) == digest(other) {
            return Ok(None);
        }
        let lineage = pair(first, other);
        measuring.measure(&lineage)?;
        let document = measuring.document(&lineage)?;
        let mut parts = document.comparisons.iter().filter(|part| part.metric == *self.metric);
        let part = parts.next().ok_or_else(|| {
            Failure::new(format!("there is no reading of `{}` to look for", self.metric))
        })?;
        Ok(Some(part.clone()))
    }
}

fn digest(revision: &Revision) -> Option<&str> {
    revision.built.as_ref().ok().map(|artifact| artifact.digest.as_str())
}

/// Two commits as if the one were the other's parent.
fn pair(first: &Revision, other: &Revision) -> Lineage {
    let other = Revision { parent: Some(first.hash.clone()), ..other.clone() };
    Lineage::new(vec![first.clone(), other])
}

impl Question<'_> {
    /// Every commit of the range, as one that was not tried.
    fn untried(&self) -> Vec<Revision> {
        let reason = "the search did not need it".to_owned();
        self.revisions_as(&Unbuilt { tried: false, reason })
    }
}
