//! The findings of a history: all experiments about a lineage as one document, with its steps.
//!
//! Artefacts are recognised by their bytes, so an earlier experiment's result for two of them need not
//! be measured again, whichever commits they came from.
//!
//! A step is a commit whose ratio to the one before it is certainly not 1, and differs by more than
//! the margin according to the estimate: the existence of a change and its relevance are two
//! questions, and a history asks both. Changes below the margin at every commit that still add up
//! are a drift.
//!
//! A ratio comes from rounds on one machine, so it holds there independently of others; figures of
//! different machines are never compared. If a history continues on another machine, the first commit
//! measured there has been measured before: the bridge.

use std::collections::{BTreeMap, HashMap, HashSet};

use findings::benchmarks::{BenchmarkFigures, together};
use findings::{
    Answer, BenchmarkHistory, BenchmarkName, Build, ComparedPair, Confirmation, Contender,
    Document, Drift, Finding, HistoryCommit, HistoryFinding, HistorySubject, MetricSummary,
    MissingBenchmark, MissingValues, Step, of_candidate, short,
};
use model::design::stopping::StopReason;
use model::host::MachineClass;
use model::metric::{self, MetricId};
use model::note::Note;
use model::spec::labels::{ArtifactId, ArtifactLabel, Labels};
use model::spec::parameters::Point;
use model::spec::suite::commits::of_benchmark;

use super::lineage::Lineage;
use super::strands::{Listings, Named, Strand};

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
        of_strand(&strand.lineage, benchmark, documents, history.clone())
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
    found.commits = commits_of_suite(lineage, listings, &frame);
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
fn commits_of_suite(
    lineage: &Lineage,
    listings: &Listings,
    nothing: &Document,
) -> Vec<HistoryCommit> {
    let mut commits = commits(lineage, &Index::new(lineage), nothing);
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

/// The variant of each artefact in the history's document.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Index {
    /// By revision; the variants are the different artefacts in the order of the commits.
    variants: Vec<Option<u32>>,
}

impl Index {
    fn new(lineage: &Lineage) -> Self {
        let number: HashMap<usize, u32> = lineage.variants().into_iter().zip(0..).collect();
        let of = |first: &Option<usize>| first.and_then(|first| number.get(&first).copied());
        Self { variants: lineage.representatives.iter().map(of).collect() }
    }

    fn variant(&self, revision: usize) -> Option<u32> {
        self.variants.get(revision).copied().flatten()
    }

    /// The variants of two commits, if both were built and differ.
    fn pair(&self, baseline: usize, candidate: usize) -> Option<(u32, u32)> {
        let pair = (self.variants[baseline]?, self.variants[candidate]?);
        (pair.0 != pair.1).then_some(pair)
    }
}

/// The artefacts of an experiment's variants, for this benchmark or the command.
fn digests<'a>(document: &'a Document, benchmark: Option<&str>) -> Vec<Option<&'a ArtifactId>> {
    let digest = |variant: &'a Contender| {
        let labels = &variant.labels;
        labels.artifact_id().filter(|_| labels.benchmark_name() == benchmark)
    };
    document.variants.iter().map(digest).collect()
}

/// The pairs of artefacts that the documents have compared, and not left open, in this benchmark.
pub fn known(
    documents: &[&Document],
    benchmark: Option<&str>,
) -> HashSet<(ArtifactId, ArtifactId)> {
    let mut known = HashSet::new();
    for document in documents {
        let digests = digests(document, benchmark);
        let sides = |baseline: u32, candidate: u32| {
            let [baseline, candidate] = [baseline, candidate].map(|side| digests[side as usize]);
            Some((baseline?.clone(), candidate?.clone()))
        };
        let cut_short =
            matches!(document.experiment.stop, StopReason::Interrupted | StopReason::Failed);
        for answer in &document.answers {
            if cut_short && !answer.verdict.is_conclusive() {
                continue;
            }
            known.extend(sides(answer.baseline, answer.candidate));
        }
        // More rounds would not make them comparable.
        if !cut_short {
            known.extend(document.notes.iter().filter_map(|note| match note {
                Note::OtherWork { baseline, candidate, .. } => sides(*baseline, *candidate),
                _ => None,
            }));
        }
    }
    known
}

/// The digests of the artefacts that the documents have figures for in this benchmark.
pub fn measured(documents: &[&Document], benchmark: Option<&str>) -> HashSet<ArtifactId> {
    let mut measured = HashSet::new();
    for document in documents {
        let summarised: HashSet<u32> = document.summaries.iter().map(|part| part.variant).collect();
        let of = (0..).zip(digests(document, benchmark));
        let found = of.filter(|(variant, _)| summarised.contains(variant));
        measured.extend(found.filter_map(|(_, digest)| digest.cloned()));
    }
    measured
}

/// Removes all results for these pairs of digests from a document.
pub fn forget(document: &mut Document, pairs: &HashSet<(ArtifactId, ArtifactId)>) {
    let digest = |variant: &Contender| variant.labels.artifact_id().cloned();
    let digests: Vec<Option<ArtifactId>> = document.variants.iter().map(digest).collect();
    let is_kept = |baseline: u32, candidate: u32| {
        let [baseline, candidate] = [baseline, candidate].map(|side| &digests[side as usize]);
        !pairs.iter().any(|(a, b)| Some(a) == baseline.as_ref() && Some(b) == candidate.as_ref())
    };
    document.comparisons.retain(|part| is_kept(part.baseline, part.candidate));
    document.answers.retain(|answer| is_kept(answer.baseline, answer.candidate));
}

/// One document of the whole history of a command, or of this benchmark of a suite. `documents` are
/// those of the experiments, this machine's first and each machine's newest first; if several have
/// a result, the first counts. `None` if there are no documents.
pub fn of_strand(
    lineage: &Lineage,
    benchmark: Option<&str>,
    documents: &[&Document],
    history: HistorySubject,
) -> Option<Document> {
    let index = Index::new(lineage);
    let mut merged = (*documents.first()?).clone();
    let mut variants = variants(lineage, benchmark, documents);
    merged.summaries.clear();
    merged.missing.clear();
    merged.comparisons.clear();
    merged.answers.clear();
    merged.notes.clear();
    // The same for all artefacts, or made with one of them.
    merged.setups.clear();
    merged.paybacks.clear();
    let number: HashMap<&ArtifactId, u32> = (0..)
        .zip(lineage.variants())
        .filter_map(|(number, revision)| Some((&lineage.artifact(revision)?.id, number)))
        .collect();
    let wanted: HashSet<(u32, u32)> = lineage
        .pairs()
        .into_iter()
        .chain(lineage.spans())
        .filter_map(|(baseline, candidate)| index.pair(baseline, candidate))
        .collect();
    let mut taken = Taken::default();
    for (place, document) in documents.iter().enumerate() {
        let map: Vec<Option<u32>> =
            digests(document, benchmark).iter().map(|one| number.get((*one)?).copied()).collect();
        taken.take(place, document, &map, &wanted, &mut merged);
    }
    for (variant, place) in &taken.variants {
        give_work(&mut variants[*variant as usize], documents[*place]);
    }
    merged.variants = variants;
    let changes = changes(lineage, &index, benchmark, documents, &taken.variants);
    merged.notes.extend(changes);
    name_machines(&mut merged);
    merged.summaries.sort_by_key(|part| (part.variant, metric::order(&part.metric)));
    merged.comparisons.sort_by_key(|part| (part.candidate, metric::order(&part.metric)));
    merged.detectable = detectable(&merged);
    let steps = steps(lineage, &index, &merged);
    merged.finding = Finding::History(Box::new(HistoryFinding {
        commits: commits(lineage, &index, &merged),
        drifts: drifts(lineage, &index, &merged, &steps),
        steps,
        ..HistoryFinding::new(history)
    }));
    Some(merged)
}

/// The parts already taken from newer documents.
#[derive(Default)]
struct Taken {
    /// The document that each variant's figures come from.
    variants: HashMap<u32, usize>,
    pairs: HashSet<(u32, u32)>,
}

impl Taken {
    fn take(
        &mut self,
        place: usize,
        document: &Document,
        map: &[Option<u32>],
        wanted: &HashSet<(u32, u32)>,
        merged: &mut Document,
    ) {
        let of = |variant: u32| map.get(variant as usize).copied().flatten();
        let is_new = |variant: &u32| !self.variants.contains_key(variant);
        let new: HashSet<u32> = map.iter().flatten().copied().filter(is_new).collect();
        let of_new = |variant| of(variant).filter(|variant| new.contains(variant));
        for part in &document.summaries {
            if let Some(variant) = of_new(part.variant) {
                merged.summaries.push(MetricSummary { variant, ..part.clone() });
                self.variants.insert(variant, place);
            }
        }
        for part in &document.missing {
            if let Some(variant) = of_new(part.variant) {
                merged.missing.push(MissingValues { variant, ..part.clone() });
            }
        }
        let pair = |baseline, candidate| Some((of(baseline)?, of(candidate)?));
        let mut pairs = HashSet::new();
        let class = MachineClass::from(document);
        for part in &document.comparisons {
            let Some(pair) = pair(part.baseline, part.candidate) else { continue };
            let (baseline, candidate) = pair;
            let machine = Some(class.name().to_owned());
            let part = ComparedPair { baseline, candidate, machine, ..part.clone() };
            merged.notes.extend(disagreement(&merged.comparisons, &part));
            if wanted.contains(&pair) && !self.pairs.contains(&pair) {
                merged.comparisons.push(part);
                pairs.insert(pair);
            }
        }
        for answer in &document.answers {
            let Some(pair) = pair(answer.baseline, answer.candidate) else { continue };
            if pairs.contains(&pair) {
                let (baseline, candidate) = pair;
                merged.answers.push(Answer { baseline, candidate, ..answer.clone() });
            }
        }
        self.pairs.extend(pairs);
        for note in &document.notes {
            let note = note.clone().of_variants(&of);
            // A newer document has the same note, or it is about artefacts that are not neighbours
            // here.
            let is_told = |note: &Note| merged.notes.iter().any(|other| other.is_like(note));
            let is_wanted = |note: &Note| match note {
                Note::OtherWork { baseline, candidate, .. } => {
                    wanted.contains(&(*baseline, *candidate))
                }
                _ => true,
            };
            let note = note.filter(|note| !is_told(note) && is_wanted(note));
            merged.notes.extend(note);
        }
    }
}

/// The note on a comparison of an earlier experiment that contradicts one already taken, of the same
/// pair on the same class of machine: both intervals cannot be right.
fn disagreement(taken: &[ComparedPair], earlier: &ComparedPair) -> Option<Note> {
    let key = |part: &ComparedPair| {
        let pair = (part.baseline, part.candidate, part.machine.clone());
        (pair, part.metric.clone(), part.source)
    };
    let shown = taken.iter().find(|part| key(part) == key(earlier))?;
    let interval = |part: &ComparedPair| {
        let is_ratio = part.difference.is_none() && part.bound.is_none();
        part.high.filter(|_| is_ratio).map(|high| [part.ratio, part.low, high])
    };
    let (shown_at, earlier_at) = (interval(shown)?, interval(earlier)?);
    let is_apart = shown_at[2] < earlier_at[1] || earlier_at[2] < shown_at[1];
    let is_found = shown.verdict.is_change() || earlier.verdict.is_change();
    (is_apart && is_found).then(|| Note::Disagreement {
        variant: earlier.candidate,
        metric: earlier.metric.clone(),
        shown: shown_at,
        earlier: earlier_at,
    })
}

/// The different artefacts, with the command and other labels from the experiments.
fn variants(lineage: &Lineage, benchmark: Option<&str>, documents: &[&Document]) -> Vec<Contender> {
    let mut told: HashMap<&ArtifactId, &Contender> = HashMap::new();
    for document in documents {
        for (digest, variant) in digests(document, benchmark).into_iter().zip(&document.variants) {
            if let Some(digest) = digest {
                told.entry(digest).or_insert(variant);
            }
        }
    }
    let first = documents.iter().find_map(|document| document.variants.first());
    let variant = |revision: usize| {
        let digest = &lineage.artifact(revision)?.id;
        let told = told.get(digest).copied();
        let revision = &lineage.revisions[revision];
        // The amount of work is that of the experiment that provided the figures.
        let (commit, id) = (revision.hash.clone(), digest.clone());
        let labels = Labels {
            parameters: Point::new(),
            artifact: Some(ArtifactLabel { commit, id, work: None }),
            benchmark: told.and_then(|variant| variant.labels.benchmark.clone()),
            layouts: told.map_or(0, |variant| variant.labels.layouts),
            copies: told.and_then(|variant| variant.labels.copies),
        };
        let name = name(&revision.hash, &revision.subject);
        Some(Contender {
            name: benchmark.map_or(name.clone(), |benchmark| of_benchmark(benchmark, &name)),
            command: told.or(first).map(|variant| variant.command.clone()).unwrap_or_default(),
            labels,
        })
    };
    lineage.variants().into_iter().filter_map(variant).collect()
}

/// Sets the amount of work that an artefact did in the experiment that provided its figures.
fn give_work(variant: &mut Contender, document: &Document) {
    let Some(own) = variant.labels.artifact.as_mut() else { return };
    let mut labels = document.variants.iter().map(|one| &one.labels);
    own.work = labels.find(|one| one.artifact_id() == Some(&own.id)).and_then(Labels::work);
}

/// The name of a commit in tables: its short hash and its subject.
pub fn name(hash: &str, subject: &str) -> String {
    format!("{} {subject}", short(hash))
}

fn commits(lineage: &Lineage, index: &Index, merged: &Document) -> Vec<HistoryCommit> {
    let measured: HashSet<u32> = merged.summaries.iter().map(|part| part.variant).collect();
    let part = |number: usize| {
        let revision = &lineage.revisions[number];
        let first = lineage.representatives[number];
        let (build, reason) = match &revision.built {
            Ok(_) if first == Some(number) => (Build::Ok, None),
            Ok(_) => {
                let first = first.expect("what was built has a first one");
                (Build::SameAs(lineage.revisions[first].hash.clone()), None)
            }
            Err(unbuilt) if unbuilt.tried => (Build::Failed, Some(unbuilt.reason.clone())),
            Err(unbuilt) => (Build::Skipped, Some(unbuilt.reason.clone())),
        };
        HistoryCommit {
            hash: revision.hash.clone(),
            parent: revision.parent.clone(),
            subject: revision.subject.clone(),
            authorship: revision.authorship.clone(),
            variant: index.variants[number].filter(|variant| measured.contains(variant)),
            equality_confirmed: lineage.artifact(number).and_then(|one| one.equality_confirmed),
            build,
            reason,
        }
    };
    (0..lineage.revisions.len()).map(part).collect()
}

/// The largest detectable change over the comparisons of neighbours, by metric.
fn detectable(merged: &Document) -> BTreeMap<MetricId, f64> {
    let mut detectable = BTreeMap::new();
    for answer in &merged.answers {
        let parts = of_candidate(&merged.comparisons, answer.candidate).iter();
        for part in parts.filter(|part| part.baseline == answer.baseline) {
            if let Some(change) = part.detectable {
                let worst: &mut f64 = detectable.entry(part.metric.clone()).or_insert(change);
                *worst = change.max(*worst);
            }
        }
    }
    detectable
}

/// The steps, in the order of the commits; `index` maps artefacts to variants.
fn steps(lineage: &Lineage, index: &Index, document: &Document) -> Vec<Step> {
    let mut steps = Vec::new();
    for (number, &baseline) in lineage.baselines.iter().enumerate() {
        let Some(baseline) = baseline else { continue };
        let Some(pair) = index.pair(baseline, number) else { continue };
        let sides = [baseline, number].map(|side| lineage.artifact(side));
        let clean = sides.iter().flatten().all(|artifact| artifact.clean);
        steps.extend(matter(document, pair.0, pair.1).map(|part| Step {
            commit: lineage.revisions[number].hash.clone(),
            from: lineage.revisions[baseline].hash.clone(),
            benchmark: None,
            metric: part.metric.clone(),
            source: part.source,
            ratio: part.ratio,
            difference: part.difference,
            bound: part.bound,
            low: part.low,
            high: part.high,
            verdict: part.verdict,
            machine: part.machine.clone(),
            confirmed: if clean { Confirmation::CleanBuilds } else { Confirmation::Unchecked },
            origin: None,
            instructions_ratio: None,
            layouts: None,
            core_difference: None,
            instructions: None,
        }));
    }
    steps
}

/// The spans that changed without a step in the same metric between their ends.
fn drifts(lineage: &Lineage, index: &Index, document: &Document, steps: &[Step]) -> Vec<Drift> {
    let mut drifts: Vec<Drift> = Vec::new();
    for (first, last) in lineage.spans() {
        let Some(pair) = index.pair(first, last) else { continue };
        for part in matter(document, pair.0, pair.1) {
            let is_explained = steps.iter().any(|step| {
                let at = lineage.number(&step.commit);
                step.metric == part.metric && at.is_some_and(|at| first < at && at <= last)
            });
            // The whole line comes last, and adds nothing if a part of it has the drift.
            let is_told = drifts.iter().any(|drift| drift.metric == part.metric);
            let is_whole = lineage.variants().first() == Some(&first) && is_told;
            if !is_explained && !is_whole {
                drifts.push(Drift {
                    from: lineage.revisions[first].hash.clone(),
                    to: lineage.revisions[last].hash.clone(),
                    benchmark: None,
                    metric: part.metric.clone(),
                    source: part.source,
                    ratio: part.ratio,
                    difference: part.difference,
                    bound: part.bound,
                    low: part.low,
                    high: part.high,
                    verdict: part.verdict,
                    machine: part.machine.clone(),
                });
            }
        }
    }
    drifts
}

/// The comparisons of a pair that found a change larger than the margin.
fn matter(
    document: &Document,
    baseline: u32,
    candidate: u32,
) -> impl Iterator<Item = &ComparedPair> {
    let margin = document.experiment.margin.log();
    of_candidate(&document.comparisons, candidate).iter().filter(move |part| {
        part.baseline == baseline && part.verdict.is_change() && part.ratio.ln().abs() > margin
    })
}

/// Notes for neighbouring artefacts with figures from machines that differ: one for each fact, and
/// one for the bridge. `provided` maps each variant to the document with its figures.
fn changes(
    lineage: &Lineage,
    index: &Index,
    benchmark: Option<&str>,
    documents: &[&Document],
    provided: &HashMap<u32, usize>,
) -> Vec<Note> {
    let mut order: Vec<(u32, usize, usize)> = Vec::new();
    for revision in 0..lineage.revisions.len() {
        let Some(variant) = index.variant(revision) else { continue };
        let is_new = !order.iter().any(|(known, ..)| *known == variant);
        let place = provided.get(&variant).filter(|_| is_new);
        order.extend(place.map(|place| (variant, *place, revision)));
    }
    let classes: Vec<MachineClass> = documents.iter().map(|one| (*one).into()).collect();
    let between = |pair: &[(u32, usize, usize)]| -> Vec<Note> {
        let [(_, before, _), (variant, after, revision)] = [pair[0], pair[1]];
        let mut notes: Vec<Note> = classes[after]
            .differences(&classes[before])
            .into_iter()
            .filter_map(|one| {
                let (from, to) = (one.there?, one.here?);
                Some(Note::MachineChanged { variant, fact: format!("the {}", one.name), from, to })
            })
            .collect();
        if notes.is_empty() {
            return notes;
        }
        let digest = lineage.artifact(revision).map(|one| &one.id);
        let figures = |place: usize| of_artefact(documents[place], benchmark, digest);
        let there = (0..documents.len())
            .find(|&place| classes[place].is_same(&classes[before]) && !figures(place).is_empty());
        let judged = documents[after].answers.first().map(|answer| &answer.metric);
        let ratio = there.and_then(|there| bridge(&figures(there), &figures(after), judged));
        notes.extend(ratio.map(|(metric, ratio)| Note::Bridge { variant, metric, ratio }));
        notes
    };
    order.windows(2).flat_map(between).collect()
}

fn of_artefact<'a>(
    document: &'a Document,
    benchmark: Option<&str>,
    digest: Option<&ArtifactId>,
) -> Vec<&'a MetricSummary> {
    let all = digests(document, benchmark);
    let place = all.iter().position(|one| one.is_some() && *one == digest);
    let variant = place.and_then(|place| u32::try_from(place).ok());
    variant.map(|variant| document.summaries_of(variant).collect()).unwrap_or_default()
}

/// The ratio of two machines' figures of an artefact, in the judged metric if both have it.
fn bridge(
    there: &[&MetricSummary],
    here: &[&MetricSummary],
    judged: Option<&MetricId>,
) -> Option<(MetricId, f64)> {
    let pair = |here: &&MetricSummary| {
        let is_it =
            |there: &&&MetricSummary| (&there.metric, there.source) == (&here.metric, here.source);
        let there = there.iter().find(is_it)?;
        let ratio = here.median / there.median;
        ratio.is_finite().then(|| (here.metric.clone(), ratio))
    };
    let mut here = here.to_vec();
    here.sort_by_key(|part| (Some(&part.metric) != judged, metric::order(&part.metric)));
    here.iter().find_map(pair)
}

/// Keeps the machine class of each verdict only if there are several.
fn name_machines(merged: &mut Document) {
    let names: HashSet<&Option<String>> =
        merged.comparisons.iter().map(|part| &part.machine).collect();
    if names.len() < 2 {
        merged.comparisons.iter_mut().for_each(|part| part.machine = None);
    }
}

#[cfg(test)]
mod tests {
    use findings::Absence;
    use findings::benchmarks::{apart, each};
    use model::spec::labels::BenchmarkLabel;
    use model::spec::suite::Arrangement;

    use crate::history::lineage::tests::line;
    use crate::history::strands::{Unmeasured, strands};
    use crate::history::tests::{Told, document as told, part};

    use super::*;

    /// An experiment about artefacts, with `told_of_it` as the results of one benchmark.
    fn of_benchmark(name: &str, told_of_it: &Told<'_>) -> Document {
        let mut document = told(told_of_it);
        for variant in &mut document.variants {
            variant.labels.benchmark = Some(BenchmarkLabel::new(name, "lines", Arrangement::Alone));
        }
        document
    }

    /// Benchmark `x` gets slower in the second of three commits, `y` appears in the third.
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
