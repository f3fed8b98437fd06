//! What else happens to the benchmarks of a suite from commit to commit, in sentences: they come and
//! go, cannot be measured, or are run by another harness.

use std::collections::{BTreeSet, HashMap};

use crate::history::merge::short;
use crate::report::document::{Absence, CommitPart, Document};
use crate::spec::artifacts::COMMIT_LABEL;
use crate::spec::nearest::listed;
use crate::spec::suite::label;

/// The sentences, in the order of the commits. None of a command's history.
pub(super) fn sentences(document: &Document) -> Vec<String> {
    if document.histories.is_empty() {
        return Vec::new();
    }
    let commits = document.commits.as_deref().unwrap_or_default();
    let mut sentences = Vec::new();
    for commit in commits {
        sentences.extend(unlisted(document, commit));
        sentences.extend(comings(document, commits, commit));
        sentences.extend(unmeasured(document, commit));
        sentences.extend(harnesses(document, commit));
    }
    sentences
}

/// A commit whose suite does not say what it has.
fn unlisted(document: &Document, commit: &CommitPart) -> Option<String> {
    let is_unlisted = document
        .histories
        .iter()
        .flat_map(|history| &history.absences)
        .any(|one| one.commit == commit.hash && one.why == Absence::Unlisted);
    let reason = commit.reason.as_ref().filter(|_| is_unlisted)?;
    Some(format!("{} does not say which benchmarks it has: {}", short(&commit.hash), line(reason)))
}

/// Which benchmarks a commit has that its nearest listed ancestor has not, and the other way round.
fn comings(document: &Document, commits: &[CommitPart], commit: &CommitPart) -> Option<String> {
    let own = names(document, commit)?;
    let by_hash: HashMap<&str, &CommitPart> =
        commits.iter().map(|part| (part.hash.as_str(), part)).collect();
    let parent = |part: &&CommitPart| by_hash.get(part.parent.as_deref()?).copied();
    let mut ancestors = std::iter::successors(parent(&commit), parent);
    let before = ancestors.find_map(|part| names(document, part))?;
    let words = |names: Vec<&&str>| listed(names.into_iter().copied());
    let (new, gone): (Vec<&&str>, Vec<&&str>) =
        (own.difference(&before).collect(), before.difference(&own).collect());
    let hash = short(&commit.hash);
    match (new.is_empty(), gone.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("{hash} brings {}", words(new))),
        (true, false) => Some(format!("{hash} no longer has {}", words(gone))),
        (false, false) => Some(format!(
            "{hash} brings {} and no longer has {}: what was renamed is not compared",
            words(new),
            words(gone)
        )),
    }
}

/// The benchmarks that a commit has; none where that is not known.
fn names<'a>(document: &'a Document, commit: &CommitPart) -> Option<BTreeSet<&'a str>> {
    let mut names = BTreeSet::new();
    for history in &document.histories {
        let place = document.commits.iter().flatten().position(|one| one.hash == commit.hash)?;
        let why = history.absences.iter().find(|one| one.commit == commit.hash);
        match (history.variants.get(place)?, why.map(|one| &one.why)) {
            (Some(_), _) | (None, Some(Absence::Unmeasured { .. })) => {
                names.insert(history.benchmark.as_str());
            }
            (None, Some(Absence::Lacking)) => {}
            // It was not built, or not listed.
            (None, Some(Absence::Unlisted) | None) => return None,
        }
    }
    Some(names)
}

/// So many benchmarks are named that share a reason.
const MOST_NAMED: usize = 3;

/// What a commit has and cannot measure, a sentence for each reason.
fn unmeasured(document: &Document, commit: &CommitPart) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for history in &document.histories {
        let absence = history.absences.iter().find(|one| one.commit == commit.hash);
        let Some(Absence::Unmeasured { reason }) = absence.map(|one| &one.why) else { continue };
        let name = history.benchmark.as_str();
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    let hash = short(&commit.hash);
    let sentence = |(reason, names): (&str, Vec<&str>)| {
        let more = names.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let names = listed(names.into_iter().take(MOST_NAMED));
        format!("{hash} cannot measure {names}{more}: {}", line(reason))
    };
    reasons.into_iter().map(sentence).collect()
}

/// Whether a commit runs its benchmarks with another harness than the one it is compared with.
fn harnesses(document: &Document, commit: &CommitPart) -> Option<String> {
    let of = |variant: u32, name: &str| document.variants.get(variant as usize)?.labels.get(name);
    let changed = document.comparisons.iter().find_map(|part| {
        let is_it = of(part.candidate, COMMIT_LABEL) == Some(&commit.hash);
        let both = (of(part.baseline, label::HARNESS)?, of(part.candidate, label::HARNESS)?);
        (is_it && both.0 != both.1).then_some(both)
    });
    let (old, new) = changed?;
    Some(format!(
        "{} runs its benchmarks with {new}, the one before with {old}: a change may be the harness's",
        short(&commit.hash)
    ))
}

/// A reason in one line.
fn line(reason: &str) -> String {
    reason.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(": ")
}
