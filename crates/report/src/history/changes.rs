//! The other events of a history, in sentences: commits that do not build, and benchmarks that come
//! and go, are renamed, cannot be measured, or change their harness.

use std::collections::{BTreeSet, HashMap};

use page::{Line, Span, line};

use super::commit_span;
use crate::coverage::comings;
use findings::{Absence, Build, Document, HistoryCommit};
use words::reasons::{in_one_line, named, telling_line, together};

/// The sentences, in the order of the commits, followed by those on commits that do not build.
pub(super) fn sentences(document: &Document) -> Vec<Line> {
    let commits = document.commits();
    let mut sentences = Vec::new();
    if !document.histories().is_empty() {
        let benchmarks = Benchmarks::new(document, commits);
        for (place, commit) in commits.iter().enumerate() {
            // Failures at the newest commit are reported at the top of the page.
            let is_newest = place + 1 == commits.len();
            sentences.extend(benchmarks.unlisted(place, commit).filter(|_| !is_newest));
            sentences.extend(benchmarks.comings(place, commit).filter(|_| commits.len() > 2));
            sentences.extend(benchmarks.renames(commit));
            if !is_newest {
                sentences.extend(benchmarks.unmeasured(place, commit));
            }
            sentences.extend(benchmarks.harnesses(commit));
        }
    }
    sentences.extend(unbuilt(commits));
    sentences
}

/// The benchmarks of the commits, looked up once.
struct Benchmarks<'a> {
    /// By commit, the index of its parent.
    parents: Vec<Option<usize>>,
    /// By commit, the benchmarks without figures there, with the reason.
    absences: Vec<Vec<(&'a str, &'a Absence)>>,
    /// By commit, its benchmarks; `None` if unknown.
    names: Vec<Option<BTreeSet<&'a str>>>,
    /// By hash, the old and new names of benchmarks renamed there.
    renames: HashMap<&'a str, Vec<(&'a str, &'a str)>>,
    /// By hash, the harness of the commit before and its own, if they differ.
    harnesses: HashMap<&'a str, (&'a str, &'a str)>,
}

impl<'a> Benchmarks<'a> {
    fn new(document: &'a Document, commits: &'a [HistoryCommit]) -> Self {
        let places: HashMap<&str, usize> =
            commits.iter().enumerate().map(|(place, part)| (part.hash.as_str(), place)).collect();
        let parent = |part: &HistoryCommit| places.get(part.parent.as_deref()?).copied();
        let mut absences = vec![Vec::new(); commits.len()];
        let mut names = vec![Some(BTreeSet::new()); commits.len()];
        for history in document.histories() {
            let name = history.benchmark.as_str();
            let mut own: HashMap<usize, &Absence> = HashMap::new();
            for one in &history.absences {
                let Some(place) = places.get(one.commit.as_str()) else { continue };
                own.insert(*place, &one.why);
                absences[*place].push((name, &one.why));
            }
            for (place, names) in names.iter_mut().enumerate() {
                match (history.variants.get(place), own.get(&place)) {
                    (Some(Some(_)), _) | (Some(None), Some(Absence::Unmeasured { .. })) => {
                        names.as_mut().map(|names| names.insert(name));
                    }
                    (Some(None), Some(Absence::Lacking)) => {}
                    // The commit was not built, or its benchmarks were not listed.
                    (None, _) | (Some(None), Some(Absence::Unlisted) | None) => *names = None,
                }
            }
        }
        let mut renames: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
        for part in document.histories().iter().flat_map(|history| &history.names) {
            let Some(before) = &part.before else { continue };
            renames.entry(&part.commit).or_default().push((before, &part.name));
        }
        let parents = commits.iter().map(parent).collect();
        Self { parents, absences, names, renames, harnesses: harnesses(document) }
    }

    /// A commit whose suite does not list its benchmarks.
    fn unlisted(&self, place: usize, commit: &HistoryCommit) -> Option<Line> {
        let is_unlisted = self.absences[place].iter().any(|(_, why)| **why == Absence::Unlisted);
        let reason = in_one_line(commit.reason.as_ref().filter(|_| is_unlisted)?);
        Some(line![commit_span(&commit.hash), " does not say which benchmarks it has: ", reason])
    }

    /// The benchmarks whose name differs from that at the commit it is compared with.
    fn renames(&self, commit: &HistoryCommit) -> Option<Line> {
        let pairs = self.renames.get(commit.hash.as_str())?.iter();
        let pairs = pairs.map(|(before, now)| line![Span::code(*before), " to ", Span::code(*now)]);
        Some(line![commit_span(&commit.hash), " renames ", Line::join(pairs, ", ")])
    }

    /// The benchmarks that a commit gained or lost against its nearest listed ancestor.
    fn comings(&self, place: usize, commit: &HistoryCommit) -> Option<Line> {
        let own = self.names[place].as_ref()?;
        let mut ancestors =
            std::iter::successors(self.parents[place], |&place| self.parents[place]);
        let before = ancestors.find_map(|place| self.names[place].as_ref())?;
        let those = |these: &BTreeSet<&str>, others: &BTreeSet<&str>| {
            Line::join(these.difference(others).map(|name| Span::code(*name).into()), ", ")
        };
        let (new, gone) = (those(own, before), those(before, own));
        comings(commit_span(&commit.hash), new, gone, true)
    }

    /// The benchmarks that a commit has but cannot measure, a sentence for each reason.
    fn unmeasured(&self, place: usize, commit: &HistoryCommit) -> Vec<Line> {
        let failed = self.absences[place].iter().filter_map(|(name, why)| match why {
            Absence::Unmeasured { reason } => Some((reason, Span::code(*name).into())),
            Absence::Lacking | Absence::Unlisted => None,
        });
        let sentence = |(reason, names): (&String, Vec<Line>)| {
            let hash = commit_span(&commit.hash);
            line![hash, " cannot measure ", named(names), ": ", in_one_line(reason)]
        };
        together(failed).into_iter().map(sentence).collect()
    }

    /// The change of harness against the commit it is compared with, if any.
    fn harnesses(&self, commit: &HistoryCommit) -> Option<Line> {
        let (old, new) = *self.harnesses.get(commit.hash.as_str())?;
        Some(line![
            commit_span(&commit.hash),
            " runs its benchmarks with ",
            new.to_owned(),
            ", the one before with ",
            old.to_owned(),
            ": a change may come from the harness"
        ])
    }
}

/// The first two harnesses that differ, by the hash of the candidate.
fn harnesses(document: &Document) -> HashMap<&str, (&str, &str)> {
    let mut differing = HashMap::new();
    for part in &document.comparisons {
        let labels = |variant: u32| document.variants.get(variant as usize).map(|one| &one.labels);
        let (Some(old), Some(new)) = (labels(part.baseline), labels(part.candidate)) else {
            continue;
        };
        let (Some(before), Some(after)) = (&old.benchmark, &new.benchmark) else { continue };
        if let Some(commit) = new.commit().filter(|_| before.harness != after.harness) {
            differing.entry(commit).or_insert((&*before.harness, &*after.harness));
        }
    }
    differing
}

/// The largest number of reasons for failed builds reported.
const MOST_REASONS: usize = 5;

/// The commits that do not build, with the most telling line of each build's log.
fn unbuilt(commits: &[HistoryCommit]) -> Vec<Line> {
    let failed = commits.iter().filter(|commit| commit.build == Build::Failed);
    let failed = failed.filter_map(|commit| {
        let line = telling_line(commit.reason.as_deref()?)?;
        Some((line, commit_span(&commit.hash).into()))
    });
    let sentence = |(reason, hashes): (&str, Vec<Line>)| {
        let verb = if hashes.len() == 1 { " does" } else { " do" };
        line![named(hashes), verb, " not build: ", reason.to_owned()]
    };
    together(failed).into_iter().take(MOST_REASONS).map(sentence).collect()
}
