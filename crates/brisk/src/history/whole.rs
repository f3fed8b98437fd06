//! The strands of a suite as one document, and the split into strands.

use std::borrow::Cow;
use std::collections::HashMap;

use super::figures::BenchmarkFigures;
use super::lineage::Lineage;
use super::merge::{self, Index};
use super::strands::{Listings, Named, Strand};
use crate::report::document::{
    AbsencePart, AnswerPart, BenchmarkHistoryPart, CommitPart, ComparisonPart, Document,
    HistoryPart, MissingPart, NamePart, SummaryPart,
};

/// One document of all strands of a lineage. `documents` are those of the experiments, the newest
/// first. `None` if there are none.
pub fn document(
    lineage: &Lineage,
    strands: &[Strand],
    listings: &Listings,
    documents: &[&Document],
    history: &HistoryPart,
) -> Option<Document> {
    let of = |strand: &Strand| {
        let benchmark = strand.benchmark.as_deref();
        merge::document(&strand.lineage, benchmark, documents, history.clone())
    };
    if let [only] = strands
        && only.benchmark.is_none()
    {
        return of(only);
    }
    let mut frame = Document { history: Some(history.clone()), ..(*documents.first()?).clone() };
    BenchmarkFigures::take(&mut frame);
    frame.notes.clear();
    frame.detectable.clear();
    frame.commits = Some(commits(lineage, listings, &frame));
    let (mut all, mut count) = (Vec::new(), 0);
    for strand in strands {
        let mut own = of(strand)?;
        let mut figures = BenchmarkFigures::take(&mut own);
        figures.name(strand.benchmark.as_ref());
        frame.histories.push(history_of(strand, &own, count));
        tell(&mut frame, own, count);
        count += figures.count();
        all.push(figures);
    }
    Some(together(frame, all))
}

/// The state of each commit: for a suite that does not list its benchmarks, the reason.
fn commits(lineage: &Lineage, listings: &Listings, nothing: &Document) -> Vec<CommitPart> {
    let mut commits = merge::commits(lineage, &Index::new(lineage), nothing);
    for (place, commit) in commits.iter_mut().enumerate() {
        let listing = lineage.artifact(place).and_then(|one| listings.get(&one.digest));
        if let Some(Err(reason)) = listing {
            commit.reason = Some(reason.clone());
        }
    }
    commits
}

fn history_of(strand: &Strand, own: &Document, first: u32) -> BenchmarkHistoryPart {
    let commits = own.commits.as_deref().unwrap_or_default();
    let absence = |(place, why): &(usize, _)| AbsencePart {
        commit: commits[*place].hash.clone(),
        why: Clone::clone(why),
    };
    let name = |(place, named): &(usize, Named)| NamePart {
        commit: commits[*place].hash.clone(),
        name: named.name.clone(),
        before: named.before.clone(),
    };
    BenchmarkHistoryPart {
        benchmark: strand.benchmark.clone().unwrap_or_default(),
        variants: commits.iter().map(|one| Some(first + one.variant?)).collect(),
        absences: strand.absences.iter().map(absence).collect(),
        names: strand.names.iter().map(name).collect(),
    }
}

/// Adds the notes of a strand's document, whose first variant has this number.
fn tell(whole: &mut Document, own: Document, first: u32) {
    for note in own.notes {
        let note = note.of_variants(&|variant| Some(variant + first));
        let is_told = |note: &_| whole.notes.iter().any(|other| other.is_like(note));
        let note = note.filter(|note| !is_told(note));
        whole.notes.extend(note);
    }
    for (metric, change) in own.detectable {
        let worst = whole.detectable.entry(metric).or_insert(change);
        *worst = change.max(*worst);
    }
}

/// The history of each benchmark as a separate document.
pub fn each(whole: &Document) -> Cow<'_, [Document]> {
    let variants = whole.commits.iter().flatten().map(|commit| commit.variant);
    if let [only] = whole.histories.as_slice()
        && variants.eq(only.variants.iter().copied())
    {
        return Cow::Borrowed(std::slice::from_ref(whole));
    }
    let (mut frame, all) = apart(whole.clone());
    let firsts = frame.first_variants();
    let histories = std::mem::take(&mut frame.histories);
    let places = histories.iter().zip(firsts);
    Cow::Owned(places.zip(all).map(|(place, figures)| own(&frame, place, figures)).collect())
}

/// A document without its benchmarks' figures, and those of each; empty for a command's history.
pub fn apart(mut whole: Document) -> (Document, Vec<BenchmarkFigures>) {
    let mut parts = vec![BenchmarkFigures::default(); whole.histories.len()];
    if parts.is_empty() {
        return (whole, parts);
    }
    let firsts = whole.first_variants();
    let seat = |variant: u32| {
        let place = firsts.partition_point(|first| *first <= variant) - 1;
        (place, variant - firsts[place])
    };
    let all = BenchmarkFigures::take(&mut whole);
    for (variant, part) in (0..).zip(all.variants) {
        parts[seat(variant).0].variants.push(part);
    }
    for part in all.summaries {
        let (place, variant) = seat(part.variant);
        parts[place].summaries.push(SummaryPart { variant, ..part });
    }
    for part in all.missing {
        let (place, variant) = seat(part.variant);
        parts[place].missing.push(MissingPart { variant, ..part });
    }
    for part in all.comparisons {
        let ((place, baseline), (_, candidate)) = (seat(part.baseline), seat(part.candidate));
        parts[place].comparisons.push(ComparisonPart { baseline, candidate, ..part });
    }
    for part in all.answers {
        let ((place, baseline), (_, candidate)) = (seat(part.baseline), seat(part.candidate));
        parts[place].answers.push(AnswerPart { baseline, candidate, ..part });
    }
    let places: HashMap<&str, usize> = (whole.histories.iter().enumerate())
        .map(|(place, history)| (history.benchmark.as_str(), place))
        .collect();
    let place = |benchmark: &Option<String>| places.get(benchmark.as_deref()?).copied();
    for step in all.steps {
        if let Some(place) = place(&step.benchmark) {
            parts[place].steps.push(step);
        }
    }
    for drift in all.drifts {
        if let Some(place) = place(&drift.benchmark) {
            parts[place].drifts.push(drift);
        }
    }
    (whole, parts)
}

/// Puts the parts from [`apart`] together again.
pub fn together(mut frame: Document, all: Vec<BenchmarkFigures>) -> Document {
    if all.is_empty() {
        return frame;
    }
    let mut whole = BenchmarkFigures::default();
    for figures in all {
        whole.append(figures);
    }
    let commits = frame.commits.iter().flatten().enumerate();
    let places: HashMap<&str, usize> =
        commits.map(|(place, commit)| (commit.hash.as_str(), place)).collect();
    whole.steps.sort_by_key(|step| places.get(step.commit.as_str()).copied());
    whole.put_in(&mut frame);
    frame
}

/// A benchmark's history as a separate document: `history` is its part of the whole, in which its
/// first variant has the number `first`. The frame needs no histories.
pub fn own(
    frame: &Document,
    (history, first): (&BenchmarkHistoryPart, u32),
    figures: BenchmarkFigures,
) -> Document {
    let mut own = frame.clone();
    let variants: Vec<Option<u32>> =
        history.variants.iter().map(|variant| Some((*variant)? - first)).collect();
    let commits = own.commits.iter_mut().flatten().zip(&variants);
    commits.for_each(|(commit, variant)| commit.variant = *variant);
    let (benchmark, absences) = (history.benchmark.clone(), history.absences.clone());
    let names = history.names.clone();
    own.histories = vec![BenchmarkHistoryPart { benchmark, variants, absences, names }];
    own.notes.clear();
    own.detectable.clear();
    figures.put_in(&mut own);
    own
}

#[cfg(test)]
mod tests {
    use super::super::lineage::tests::line;
    use super::super::strands::{Unmeasured, strands};
    use super::super::tests::{Told, document as told};
    use super::*;
    use crate::report::document::Absence;
    use model::spec::labels::BenchmarkLabel;
    use model::spec::suite::Arrangement;

    fn part() -> HistoryPart {
        HistoryPart {
            repository: "/repo".to_owned(),
            range: "a..b".to_owned(),
            command: "{artifact}".to_owned(),
            compare_url: None,
            experiments: vec![1],
            behind_merges: 0,
        }
    }

    /// An experiment about artefacts, with `told_of_it` as the results of one benchmark.
    fn of_benchmark(name: &str, told_of_it: &Told<'_>) -> Document {
        let mut document = told(told_of_it);
        for variant in &mut document.variants {
            variant.labels.benchmark = Some(BenchmarkLabel::new(name, "lines", Arrangement::Alone));
        }
        document
    }

    /// Two benchmarks in three commits: `x` gets slower in the second one, `y` appears in the
    /// third.
    fn whole() -> Document {
        let x = Told {
            artifacts: "abc",
            values: &[(1.0, 1.0), (2.0, 1.0), (2.0, 1.0)],
            pairs: &[
                ("ab", "wall_time", 2.0, 1.9, 2.1, "regressed"),
                ("bc", "wall_time", 1.0, 0.999, 1.001, "unchanged"),
            ],
            stop: "settled",
        };
        let y = Told { artifacts: "c", values: &[(5.0, 1.0)], pairs: &[], stop: "settled" };
        let (x, y) = (of_benchmark("x", &x), of_benchmark("y", &y));
        let has = |names: &[&str]| {
            Ok(names.iter().map(|n| ((*n).to_owned(), Ok((*n).to_owned()))).collect())
        };
        let listings: Listings = [("a", has(&["x"])), ("b", has(&["x"])), ("c", has(&["x", "y"]))]
            .into_iter()
            .map(|(digest, listing)| (digest.to_owned(), listing))
            .collect();
        let lineage = line("abc");
        let strands = strands(&lineage, &listings, &Unmeasured::new());
        document(&lineage, &strands, &listings, &[&x, &y], &part()).expect("something is known")
    }

    #[test]
    fn each_benchmark_has_its_variants_and_its_steps() {
        let whole = whole();
        let variants: Vec<_> = whole.histories.iter().map(|one| one.variants.clone()).collect();
        assert_eq!(variants, [vec![Some(0), Some(1), Some(2)], vec![None, None, Some(3)]]);
        let absences = &whole.histories[1].absences;
        assert!(absences.len() == 2 && absences.iter().all(|one| one.why == Absence::Lacking));
        let steps: Vec<_> = (whole.steps.iter().flatten())
            .map(|step| (step.benchmark.as_deref(), step.commit.as_str(), step.ratio))
            .collect();
        assert_eq!(steps, [(Some("x"), "h1", 2.0)]);
        assert!(whole.commits.iter().flatten().all(|commit| commit.variant.is_none()));
        let name = |variant: usize| whole.variants[variant].name.as_str();
        assert_eq!([name(1), name(3)], ["x at h1 commit 1", "y at h2 commit 2"]);
    }

    #[test]
    fn what_was_put_together_is_taken_apart() {
        let whole = whole();
        let all = each(&whole);
        let medians = |document: &Document, variant| {
            document.summaries_of(variant).map(|part| part.median).collect::<Vec<_>>()
        };
        assert_eq!(medians(&all[0], 1), [2.0, 1.0]);
        assert_eq!(medians(&all[1], 0), [5.0, 1.0]);
        assert_eq!(all.iter().map(|one| one.variants.len()).collect::<Vec<_>>(), [3, 1]);
        let compared: Vec<_> =
            all[0].comparisons.iter().map(|part| (part.baseline, part.candidate)).collect();
        assert_eq!(compared, [(0, 1), (1, 2)]);
        let of =
            |one: &Document| one.commits.iter().flatten().map(|c| c.variant).collect::<Vec<_>>();
        assert_eq!(of(&all[0]), [Some(0), Some(1), Some(2)]);
        assert_eq!(of(&all[1]), [None, None, Some(0)]);
        let steps = |one: &Document| one.steps.iter().flatten().count();
        assert_eq!([steps(&all[0]), steps(&all[1])], [1, 0]);
    }

    #[test]
    fn nothing_is_lost_between_apart_and_together() {
        let mut whole = whole();
        // An artefact without measurements is not a commit's variant.
        whole.histories[0].variants[1] = None;
        let (frame, parts) = apart(whole.clone());
        assert!(frame.variants.is_empty() && frame.summaries.is_empty());
        assert_eq!(parts.iter().map(|part| part.variants.len()).collect::<Vec<_>>(), [3, 1]);
        assert_eq!(together(frame, parts), whole);
    }
}
