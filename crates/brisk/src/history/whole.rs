//! The strands of a suite as one document, and each of them taken out of it again.

use std::collections::BTreeSet;

use super::lineage::Lineage;
use super::merge::{self, Index};
use super::strands::{Listings, Named, Strand};
use crate::report::document::{
    AbsencePart, AnswerPart, BenchmarkHistoryPart, CommitPart, ComparisonPart, Document,
    HistoryPart, MissingPart, NamePart, StepPart, SummaryPart,
};

/// One document of all strands of a lineage. `documents` are those of the experiments, the newest
/// first. None where there is none.
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
    let mut whole = Document { history: Some(history.clone()), ..(*documents.first()?).clone() };
    clear(&mut whole);
    whole.commits = Some(commits(lineage, listings, &whole));
    let (mut steps, mut drifts) = (Vec::new(), Vec::new());
    for strand in strands {
        let mut own = of(strand)?;
        steps.extend(own.steps.take().unwrap_or_default().into_iter().map(|step| {
            let benchmark = strand.benchmark.clone();
            StepPart { benchmark, ..step }
        }));
        for mut drift in own.drifts.take().unwrap_or_default() {
            drift.benchmark.clone_from(&strand.benchmark);
            drifts.push(drift);
        }
        let first = u32::try_from(whole.variants.len()).expect("at most 2^20 variants");
        whole.histories.push(history_of(strand, &own, first));
        append(&mut whole, own, first);
    }
    let place = |hash: &str| lineage.revisions.iter().position(|one| one.hash == hash);
    steps.sort_by_key(|step: &StepPart| place(&step.commit));
    (whole.steps, whole.drifts) = (Some(steps), Some(drifts));
    Some(whole)
}

fn clear(whole: &mut Document) {
    whole.variants.clear();
    whole.summaries.clear();
    whole.missing.clear();
    whole.comparisons.clear();
    whole.answers.clear();
    whole.notes.clear();
    whole.detectable.clear();
}

/// What became of each commit: of a suite that does not say what it has, why.
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

/// Adds a strand's document to the whole, where its first variant has this number.
fn append(whole: &mut Document, own: Document, first: u32) {
    whole.variants.extend(own.variants);
    for mut part in own.summaries {
        part.variant += first;
        whole.summaries.push(part);
    }
    for mut part in own.missing {
        part.variant += first;
        whole.missing.push(part);
    }
    for mut part in own.comparisons {
        (part.baseline, part.candidate) = (part.baseline + first, part.candidate + first);
        whole.comparisons.push(part);
    }
    for mut answer in own.answers {
        (answer.baseline, answer.candidate) = (answer.baseline + first, answer.candidate + first);
        whole.answers.push(answer);
    }
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

/// The history of each benchmark as a document of its own, which has that history alone.
pub fn each(whole: &Document) -> Vec<Document> {
    let mut frame = whole.clone();
    clear(&mut frame);
    frame.histories.clear();
    let (steps, drifts) = (frame.steps.take(), frame.drifts.take());
    let places = places(whole);
    let mut all: Vec<Document> =
        whole.histories.iter().map(|history| own_frame(&frame, history, &places)).collect();
    let seat = |variant: u32| places[variant as usize];
    for (variant, part) in whole.variants.iter().enumerate() {
        if let Some((place, _)) = places[variant] {
            all[place].variants.push(part.clone());
        }
    }
    for part in &whole.summaries {
        let Some((place, variant)) = seat(part.variant) else { continue };
        all[place].summaries.push(SummaryPart { variant, ..part.clone() });
    }
    for part in &whole.missing {
        let Some((place, variant)) = seat(part.variant) else { continue };
        all[place].missing.push(MissingPart { variant, ..part.clone() });
    }
    for part in &whole.comparisons {
        let (Some((place, baseline)), Some((_, candidate))) =
            (seat(part.baseline), seat(part.candidate))
        else {
            continue;
        };
        all[place].comparisons.push(ComparisonPart { baseline, candidate, ..part.clone() });
    }
    for part in &whole.answers {
        let (Some((place, baseline)), Some((_, candidate))) =
            (seat(part.baseline), seat(part.candidate))
        else {
            continue;
        };
        all[place].answers.push(AnswerPart { baseline, candidate, ..part.clone() });
    }
    for own in &mut all {
        let name = Some(own.histories[0].benchmark.clone());
        let steps = steps.iter().flatten().filter(|step| step.benchmark == name);
        own.steps = Some(steps.cloned().collect());
        let drifts = drifts.iter().flatten().filter(|drift| drift.benchmark == name);
        own.drifts = Some(drifts.cloned().collect());
    }
    all
}

/// A benchmark's document before anything of it is there but its commits.
fn own_frame(
    frame: &Document,
    history: &BenchmarkHistoryPart,
    places: &[Option<(usize, u32)>],
) -> Document {
    let mut own = frame.clone();
    let number = |variant: u32| places[variant as usize].map(|(_, number)| number);
    let variants: Vec<Option<u32>> =
        history.variants.iter().map(|variant| number((*variant)?)).collect();
    let commits = own.commits.iter_mut().flatten().zip(&variants);
    commits.for_each(|(commit, variant)| commit.variant = *variant);
    own.histories = vec![BenchmarkHistoryPart { variants, ..history.clone() }];
    own
}

/// Of each variant, which history it belongs to, and its number there.
fn places(whole: &Document) -> Vec<Option<(usize, u32)>> {
    let mut places = vec![None; whole.variants.len()];
    for (place, history) in whole.histories.iter().enumerate() {
        let own: BTreeSet<u32> = history.variants.iter().flatten().copied().collect();
        for (number, variant) in (0..).zip(own) {
            places[variant as usize] = Some((place, number));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::super::lineage::tests::line;
    use super::super::strands::{Unmeasured, strands};
    use super::super::tests::{Told, document as told};
    use super::*;
    use crate::report::document::Absence;
    use crate::spec::labels::BenchmarkLabel;
    use crate::spec::suite::Arrangement;

    fn part() -> HistoryPart {
        HistoryPart {
            repository: "/repo".to_owned(),
            range: "a..b".to_owned(),
            command: "{artifact}".to_owned(),
            compare_url: None,
            experiments: vec![1],
        }
    }

    /// An experiment about artefacts, of which `told` is what one benchmark says.
    fn of_benchmark(name: &str, told_of_it: &Told<'_>) -> Document {
        let mut document = told(told_of_it);
        for variant in &mut document.variants {
            variant.labels.benchmark = Some(BenchmarkLabel::new(name, "lines", Arrangement::Alone));
        }
        document
    }

    /// Two benchmarks in three commits: `x` gets slower in the second one, `y` comes with the third.
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
        let all = each(&whole());
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
}
