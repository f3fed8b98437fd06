//! What else happens from commit to commit, in sentences: commits do not build, and the benchmarks of
//! a suite come and go, cannot be measured, or are run by another harness.

use std::collections::{BTreeSet, HashMap};

use page::{Line, Span, line};

use super::commit_span;
use crate::report::document::{Absence, Build, CommitPart, Document};
use crate::report::reasons::{in_one_line, named, together};

/// The sentences, in the order of the commits; then those on commits that do not build.
pub(super) fn sentences(document: &Document) -> Vec<Line> {
    let commits = document.commits.as_deref().unwrap_or_default();
    let mut sentences = Vec::new();
    for commit in commits.iter().filter(|_| !document.histories.is_empty()) {
        sentences.extend(unlisted(document, commit));
        sentences.extend(comings(document, commits, commit));
        sentences.extend(unmeasured(document, commit));
        sentences.extend(harnesses(document, commit));
    }
    sentences.extend(unbuilt(commits));
    sentences
}

/// A commit whose suite does not say what it has.
fn unlisted(document: &Document, commit: &CommitPart) -> Option<Line> {
    let is_unlisted = document
        .histories
        .iter()
        .flat_map(|history| &history.absences)
        .any(|one| one.commit == commit.hash && one.why == Absence::Unlisted);
    let reason = in_one_line(commit.reason.as_ref().filter(|_| is_unlisted)?);
    Some(line![commit_span(&commit.hash), " does not say which benchmarks it has: ", reason])
}

/// Which benchmarks a commit has that its nearest listed ancestor has not, and the other way round.
fn comings(document: &Document, commits: &[CommitPart], commit: &CommitPart) -> Option<Line> {
    let own = names(document, commit)?;
    let by_hash: HashMap<&str, &CommitPart> =
        commits.iter().map(|part| (part.hash.as_str(), part)).collect();
    let parent = |part: &&CommitPart| by_hash.get(part.parent.as_deref()?).copied();
    let mut ancestors = std::iter::successors(parent(&commit), parent);
    let before = ancestors.find_map(|part| names(document, part))?;
    let those = |these: &BTreeSet<&str>, others: &BTreeSet<&str>| {
        Line::join(these.difference(others).map(|name| Span::code(*name).into()), ", ")
    };
    let (new, gone) = (those(&own, &before), those(&before, &own));
    let hash = commit_span(&commit.hash);
    match (new.is_empty(), gone.is_empty()) {
        (true, true) => None,
        (false, true) => Some(line![hash, " adds ", new]),
        (true, false) => Some(line![hash, " no longer has ", gone]),
        (false, false) => {
            let renamed = ": benchmarks that were renamed are not compared";
            Some(line![hash, " adds ", new, " and no longer has ", gone, renamed])
        }
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

/// What a commit has and cannot measure, a sentence for each reason.
fn unmeasured(document: &Document, commit: &CommitPart) -> Vec<Line> {
    let failed = document.histories.iter().filter_map(|history| {
        let absence = history.absences.iter().find(|one| one.commit == commit.hash)?;
        let Absence::Unmeasured { reason } = &absence.why else { return None };
        Some((reason, Span::code(&history.benchmark).into()))
    });
    let sentence = |(reason, names): (&String, Vec<Line>)| {
        let hash = commit_span(&commit.hash);
        line![hash, " cannot measure ", named(names), ": ", in_one_line(reason)]
    };
    together(failed).into_iter().map(sentence).collect()
}

/// Whether a commit runs its benchmarks with another harness than the one it is compared with.
fn harnesses(document: &Document, commit: &CommitPart) -> Option<Line> {
    let of = |variant: u32| Some(&document.variants.get(variant as usize)?.labels);
    let harness = |variant: u32| Some(&of(variant)?.benchmark.as_ref()?.harness);
    let changed = document.comparisons.iter().find_map(|part| {
        let is_it = of(part.candidate)?.commit() == Some(&commit.hash);
        let both = (harness(part.baseline)?, harness(part.candidate)?);
        (is_it && both.0 != both.1).then_some(both)
    });
    let (old, new) = changed?;
    Some(line![
        commit_span(&commit.hash),
        " runs its benchmarks with ",
        new.clone(),
        ", the one before with ",
        old.clone(),
        ": a change may come from the harness"
    ])
}

/// So many reasons for builds that failed are told.
const MOST_REASONS: usize = 5;

/// The commits that do not build, with the last line that each build said.
fn unbuilt(commits: &[CommitPart]) -> Vec<Line> {
    let failed = commits.iter().filter(|commit| commit.build == Build::Failed);
    let failed = failed.filter_map(|commit| {
        let mut lines = commit.reason.iter().flat_map(|log| log.lines()).map(str::trim);
        let last = lines.rfind(|line| !line.is_empty())?;
        Some((last, commit_span(&commit.hash).into()))
    });
    let sentence = |(reason, hashes): (&str, Vec<Line>)| {
        let verb = if hashes.len() == 1 { " does" } else { " do" };
        line![named(hashes), verb, " not build: ", reason.to_owned()]
    };
    together(failed).into_iter().take(MOST_REASONS).map(sentence).collect()
}
