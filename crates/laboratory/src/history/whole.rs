//! The strands of a suite as one document.

use super::lineage::Lineage;
use super::merge::{self, Index};
use super::strands::{Listings, Named, Strand};
use findings::benchmarks::{BenchmarkFigures, together};
use findings::{
    BenchmarkHistory, BenchmarkName, Document, Finding, HistoryCommit, HistoryFinding,
    HistorySubject, MissingBenchmark,
};

/// One document of all strands of a lineage. `documents` are those of the experiments, the newest
/// first. `None` if there are none.
pub fn document(
    lineage: &Lineage,
    strands: &[Strand],
    listings: &Listings,
    documents: &[&Document],
    history: &HistorySubject,
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
    let mut frame = (*documents.first()?).clone();
    BenchmarkFigures::take(&mut frame);
    frame.notes.clear();
    frame.detectable.clear();
    let mut found = HistoryFinding::new(history.clone());
    found.commits = commits(lineage, listings, &frame);
    let (mut all, mut count) = (Vec::new(), 0);
    for strand in strands {
        let mut own = of(strand)?;
        let mut figures = BenchmarkFigures::take(&mut own);
        figures.name(strand.benchmark.as_ref());
        found.histories.push(history_of(strand, &own, count));
        tell(&mut frame, own, count);
        count += figures.count();
        all.push(figures);
    }
    frame.finding = Finding::History(Box::new(found));
    Some(together(frame, all))
}

/// The state of each commit: for a suite that does not list its benchmarks, the reason.
fn commits(lineage: &Lineage, listings: &Listings, nothing: &Document) -> Vec<HistoryCommit> {
    let mut commits = merge::commits(lineage, &Index::new(lineage), nothing);
    for (place, commit) in commits.iter_mut().enumerate() {
        let listing = lineage.artifact(place).and_then(|one| listings.get(&one.id));
        if let Some(Err(reason)) = listing {
            commit.reason = Some(reason.clone());
        }
    }
    commits
}

fn history_of(strand: &Strand, own: &Document, first: u32) -> BenchmarkHistory {
    let commits = own.commits();
    let absence = |(place, why): &(usize, _)| MissingBenchmark {
        commit: commits[*place].hash.clone(),
        why: Clone::clone(why),
    };
    let name = |(place, named): &(usize, Named)| BenchmarkName {
        commit: commits[*place].hash.clone(),
        name: named.name.clone(),
        before: named.before.clone(),
    };
    BenchmarkHistory {
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

#[cfg(test)]
mod tests {
    use super::super::lineage::tests::line;
    use super::super::strands::{Unmeasured, strands};
    use super::super::tests::{Told, document as told};
    use super::*;
    use findings::Absence;
    use findings::benchmarks::{apart, each};
    use model::spec::labels::ArtifactId;
    use model::spec::labels::BenchmarkLabel;
    use model::spec::suite::Arrangement;

    fn part() -> HistorySubject {
        HistorySubject {
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
            .map(|(digest, listing)| (ArtifactId::read(digest), listing))
            .collect();
        let lineage = line("abc");
        let strands = strands(&lineage, &listings, &Unmeasured::new());
        document(&lineage, &strands, &listings, &[&x, &y], &part()).expect("something is known")
    }

    #[test]
    fn each_benchmark_has_its_variants_and_its_steps() {
        let whole = whole();
        let variants: Vec<_> = whole.histories().iter().map(|one| one.variants.clone()).collect();
        assert_eq!(variants, [vec![Some(0), Some(1), Some(2)], vec![None, None, Some(3)]]);
        let absences = &whole.histories()[1].absences;
        assert!(absences.len() == 2 && absences.iter().all(|one| one.why == Absence::Lacking));
        let steps: Vec<_> = (whole.steps().iter())
            .map(|step| (step.benchmark.as_deref(), step.commit.as_str(), step.ratio))
            .collect();
        assert_eq!(steps, [(Some("x"), "h1", 2.0)]);
        assert!(whole.commits().iter().all(|commit| commit.variant.is_none()));
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
        let of = |one: &Document| one.commits().iter().map(|c| c.variant).collect::<Vec<_>>();
        assert_eq!(of(&all[0]), [Some(0), Some(1), Some(2)]);
        assert_eq!(of(&all[1]), [None, None, Some(0)]);
        let steps = |one: &Document| one.steps().len();
        assert_eq!([steps(&all[0]), steps(&all[1])], [1, 0]);
    }

    #[test]
    fn nothing_is_lost_between_apart_and_together() {
        let mut whole = whole();
        // An artefact without measurements is not a commit's variant.
        whole.history_mut().expect("it is one").histories[0].variants[1] = None;
        let (frame, parts) = apart(whole.clone());
        assert!(frame.variants.is_empty() && frame.summaries.is_empty());
        assert_eq!(parts.iter().map(|part| part.variants.len()).collect::<Vec<_>>(), [3, 1]);
        assert_eq!(together(frame, parts), whole);
    }
}
