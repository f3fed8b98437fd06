//! `brisk history --bisect METRIC`: the commit that changed a metric, with few builds.
//!
//! Where a probe lies decides only where to look next, so a handful of rounds and a modest
//! confidence do; what the search ends with is measured and confirmed like any other step.

use std::collections::HashMap;

use super::measuring::{Effort, Measuring};
use super::question::Question;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::history::bisect::{self, Bisection, Side};
use crate::history::lineage::{Lineage, Revision, Unbuilt};
use crate::history::merge::short;
use crate::metric::MetricId;
use crate::report::document::{ComparisonPart, Document};
use crate::report::words;

/// Rounds for a probe at first: with six the least p-value, 1/32, is below what each of two probes
/// may err. Where a side stays open, twice as many are run.
const FIRST_ROUNDS: u32 = 6;

/// Where a side is open after so many rounds, it stays open.
const MOST_ROUNDS: u32 = 200;

/// More at once would be built one after the other, too, on most machines.
const MOST_PROBES: usize = 7;

/// The two ends, and the two neighbours that the search ends with: what is said of these holds
/// with the confidence asked for.
const COMPARISONS: usize = 2;

/// What the search found.
pub(super) struct Found {
    /// All commits; one that was not needed is there as one that was not tried.
    pub(super) lineage: Lineage,
    /// The last commit that is known not to have the change, and the first that is known to.
    ends: (usize, usize),
}

impl Found {
    /// Leaves of a document what the search was for: two commits far from each other may differ by
    /// much that neither of them did, and where the probes lie is not as certain as a finding.
    ///
    /// # Errors
    ///
    /// Where the two that the search ended with do not certainly differ.
    pub(super) fn keep_the_step(&self, document: &mut Document) -> Result<(), Failure> {
        let [near, far] = [self.ends.0, self.ends.1].map(|end| &self.lineage.revisions[end].hash);
        let pair = document.variant_at(near).zip(document.variant_at(far));
        document.comparisons.retain(|part| Some((part.baseline, part.candidate)) == pair);
        document.answers.retain(|answer| Some((answer.baseline, answer.candidate)) == pair);
        let is_of_it = |variant: u32| pair.is_some_and(|(a, b)| a == variant || b == variant);
        document.notes.retain(|note| note.about().is_none_or(is_of_it));
        document.steps.iter_mut().for_each(|steps| steps.retain(|step| step.commit == *far));
        document.drifts = Some(Vec::new());
        if document.steps.iter().flatten().next().is_some() {
            return Ok(());
        }
        let seen = document.comparisons.first().map(words::ratio).unwrap_or_default();
        Err(Failure::new(format!(
            "the search ended between {} and {}, which do not certainly differ: {seen}",
            short(near),
            short(far)
        ))
        .hint(Some("without `--bisect` every commit is measured, and drifts are named, too")))
    }
}

/// Builds and measures what is needed to find the commit.
pub(super) fn bisect(
    question: &Question<'_>,
    measuring: &mut Measuring<'_>,
    metric: &MetricId,
    output: &Output,
) -> Result<Found, Failure> {
    let revisions = question.untried();
    let mut bisection = Bisection::new(revisions.len());
    let mut search = Search { question, measuring, metric, revisions, sides: HashMap::new() };
    let at_once = question.jobs().get().min(MOST_PROBES);
    let change = search.change()?;
    loop {
        let probes = bisection.next(at_once);
        if probes.is_empty() {
            break;
        }
        output.message(&search.progress(&bisection, &probes, at_once));
        search.build(&probes)?;
        let (built, unbuilt): (Vec<usize>, Vec<usize>) =
            probes.into_iter().partition(|&at| search.revisions[at].built.is_ok());
        unbuilt.into_iter().for_each(|at| bisection.does_not_build(at));
        bisection.found(&search.sides(&built, change)?);
    }
    let ends = bisection.ends();
    let last = search.star(ends.0, &[ends.1]);
    search.measuring.aim(Effort::Search { comparisons: COMPARISONS });
    search.measuring.measure(&last)?;
    Ok(Found { lineage: Lineage::new(search.revisions), ends })
}

struct Search<'a, 'q, 'm> {
    question: &'a Question<'q>,
    measuring: &'a mut Measuring<'m>,
    metric: &'a MetricId,
    revisions: Vec<Revision>,
    /// By digest.
    sides: HashMap<String, Side>,
}

impl Search<'_, '_, '_> {
    fn last(&self) -> usize {
        self.revisions.len() - 1
    }

    fn build(&mut self, places: &[usize]) -> Result<(), Failure> {
        let built = self.question.build_some(places)?;
        for (&place, revision) in places.iter().zip(built) {
            self.revisions[place] = revision;
        }
        // What lacks the benchmark that is followed is stepped around like what does not build.
        let lineage = Lineage::new(self.revisions.clone());
        if let Some(strand) = self.measuring.only_strand(&lineage)? {
            self.revisions = strand.lineage.revisions;
        }
        Ok(())
    }

    /// The ratio of the end to the beginning.
    fn change(&mut self) -> Result<f64, Failure> {
        let ends = [0, self.last()];
        self.build(&ends)?;
        for end in ends {
            let revision = &self.revisions[end];
            if let Err(unbuilt) = &revision.built {
                return Err(Failure::new(format!(
                    "{}, an end of the range, does not build",
                    short(&revision.hash)
                ))
                .because(unbuilt.reason.clone())
                .hint(Some("begin or end the range with a commit that does")));
            }
        }
        let [first, last] = ends.map(|end| short(&self.revisions[end].hash).to_owned());
        if self.digest(ends[0]) == self.digest(ends[1]) {
            return Err(Failure::new(format!("{first} and {last} are the same bytes")));
        }
        self.measuring.aim(Effort::Search { comparisons: COMPARISONS });
        let star = self.star(ends[0], &ends[1..]);
        self.measuring.measure(&star)?;
        let part = self.compared(&star, ends[1])?;
        if !part.verdict.is_change() {
            return Err(Failure::new(format!(
                "{} does not certainly change between {first} and {last}: {}",
                words::label(self.metric),
                words::ratio(&part)
            ))
            .hint(Some("there is nothing to look for, unless a longer `--budget` finds it")));
        }
        for (end, side) in [(ends[0], Side::Near), (ends[1], Side::Far)] {
            self.sides.insert(self.digest(end), side);
        }
        Ok(part.ratio)
    }

    /// On which side of the change each of these is; measured again where that stays open.
    fn sides(&mut self, probes: &[usize], change: f64) -> Result<Vec<(usize, Side)>, Failure> {
        let mut rounds = FIRST_ROUNDS;
        loop {
            let is_open = |&at: &usize| !self.sides.contains_key(&self.digest(at));
            let open: Vec<usize> = probes.iter().copied().filter(is_open).collect();
            let Some(&one) = open.first() else { break };
            if rounds > MOST_ROUNDS {
                return Err(Failure::new(format!(
                    "whether {} has the change stays open after {} rounds",
                    short(&self.revisions[one].hash),
                    rounds / 2
                ))
                .hint(Some("`brisk history` without `--bisect` looks at all commits")));
            }
            self.measuring.aim(Effort::Probe { rounds });
            let star = self.star(0, &open);
            self.measuring.measure(&star)?;
            for &at in &open {
                let part = self.compared(&star, at)?;
                let side = bisect::side(part.low, part.high.unwrap_or(f64::INFINITY), change);
                if side != Side::Open {
                    self.sides.insert(self.digest(at), side);
                }
            }
            let is_open = |&at: &usize| !self.sides.contains_key(&self.digest(at));
            let still: Vec<usize> = open.into_iter().filter(is_open).collect();
            self.measuring.forget(&self.star(0, &still));
            rounds *= 2;
        }
        Ok(probes.iter().map(|&at| (at, self.sides[&self.digest(at)])).collect())
    }

    fn compared(&self, star: &Lineage, at: usize) -> Result<ComparisonPart, Failure> {
        let document = self.measuring.document(star)?;
        let variant = document.variant_at(&self.revisions[at].hash);
        let mut parts = document.comparisons.iter().filter(|part| {
            part.metric == *self.metric && part.baseline == 0 && Some(part.candidate) == variant
        });
        parts.next().cloned().ok_or_else(|| {
            Failure::new(format!("there is no reading of `{}` to look for", self.metric))
        })
    }

    /// Commits as if they were the children of the one.
    fn star(&self, centre: usize, others: &[usize]) -> Lineage {
        let centre = &self.revisions[centre];
        let child = |&at: &usize| Revision {
            parent: Some(centre.hash.clone()),
            ..self.revisions[at].clone()
        };
        Lineage::new(std::iter::once(centre.clone()).chain(others.iter().map(child)).collect())
    }

    fn digest(&self, at: usize) -> String {
        let artifact = self.revisions[at].built.as_ref().ok();
        artifact.map(|artifact| artifact.digest.clone()).unwrap_or_default()
    }

    fn progress(&self, bisection: &Bisection, probes: &[usize], at_once: usize) -> String {
        let (near, far) = bisection.ends();
        let name = |at: usize| short(&self.revisions[at].hash).to_owned();
        let probes: Vec<String> = probes.iter().map(|&at| name(at)).collect();
        format!(
            "bisecting {}..{}: {}, then about {} more times\n",
            name(near),
            name(far),
            probes.join(" and "),
            bisection.stages_left(at_once).saturating_sub(1)
        )
    }
}

impl Question<'_> {
    /// Every commit of the range, as one that was not tried.
    fn untried(&self) -> Vec<Revision> {
        let reason = "the search did not need it".to_owned();
        self.revisions_as(&Unbuilt { tried: false, reason })
    }
}
