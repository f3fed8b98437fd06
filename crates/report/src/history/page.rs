//! The page of a history: the changes by commits, their figures, and the circumstances.

use page::{Block, Line, Page, Span, line};

use super::{benchmarks, changelog, changes, commits, steps};
use crate::core_difference;
use crate::coverage;
use crate::notes;
use findings::Outcome;
use findings::short;
use findings::{Answer, Build, Coverage, Document, HistoryCommit, Order, letter};
use model::spec::labels::Labels;
use model::spec::suite::commits::of_benchmark;
use words::counted;

/// Builds the page.
pub fn page(document: &Document) -> Page {
    let each = findings::benchmarks::each(document);
    let outcome = Outcome::from_document(document);
    let mut page = Page::default();
    let covered = Coverage::from_document(document);
    let answers = steps::answers(document, outcome);
    let comings = coverage::comings_of(document, &covered);
    // Removed benchmarks could have become slower; new ones could not.
    let (gone, added) = if covered.gone.is_empty() { (None, comings) } else { (comings, None) };
    let first = coverage::gaps(document, &covered).into_iter().chain(gone);
    page.blocks.extend(first.chain(answers).chain(added).map(Block::Answer));
    page.sentences(undecided_sentence(outcome.undecided));
    match each.is_empty() {
        true => page.blocks.extend(commits::blocks(document)),
        false => page.blocks.extend(benchmarks::blocks(&each)),
    }
    page.sentences(changes::sentences(document));
    page.sentences(explained(document));
    page.sentences([counts(document)]);
    page.sentences(behind_merges(document));
    if document.experiment.order != Order::Sequential {
        page.sentences([words::circumstances(document)]);
        page.sentences(words::detectable(document));
        page.sentences(machines(document));
    }
    page.sentences([words::confidence(document)]);
    notes::add(&mut page, document, &|variant| name_of(document, variant).into());
    page.blocks.extend(changelog::section(document, &each));
    page
}

/// The name of a variant in notes: its commit, and the benchmark of a suite.
fn name_of(document: &Document, variant: u32) -> String {
    let labels = document.variants.get(variant as usize).map(|part| &part.labels);
    let hash = labels.and_then(Labels::commit);
    let hash = hash.map_or_else(|| letter(variant), |hash| short(hash).to_owned());
    match labels.and_then(Labels::benchmark_name) {
        Some(benchmark) => of_benchmark(benchmark, &hash),
        None => hash,
    }
}

fn undecided_sentence(count: usize) -> Option<Line> {
    let pairs = match count {
        0 => return None,
        1 => "1 pair of neighbouring commits is inconclusive".to_owned(),
        _ => format!("{count} pairs of neighbouring commits are inconclusive"),
    };
    Some(line![pairs, ": a longer ", Span::code("--budget"), " may decide"])
}

/// The machines on which neighbours were compared, if there are several.
fn machines(document: &Document) -> Option<String> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    let mut answers: Vec<&Answer> = document.answers.iter().collect();
    answers.sort_by_key(|answer| answer.candidate);
    for answer in answers {
        let Some(name) = document.deciding(answer).and_then(|part| part.machine.as_deref()) else {
            continue;
        };
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    let told = |(name, count): &(&str, usize)| format!("{} on {name}", counted(*count, "pair"));
    let all: Vec<String> = counts.iter().map(told).collect();
    (!all.is_empty()).then(|| format!("each pair was compared on one machine: {}", all.join("; ")))
}

/// The first sentence of each step's difference in Core.
fn explained(document: &Document) -> Vec<Line> {
    let mut sentences: Vec<Line> = Vec::new();
    for step in document.steps().iter() {
        let answer = step.core_difference.as_deref().and_then(core_difference::answer);
        let commit = super::commit_span(&step.commit);
        let sentence = answer.map(|answer| line![commit, ": ", answer]);
        sentences.extend(sentence.filter(|it| !sentences.contains(it)));
    }
    sentences
}

/// The commits left out by following first parents.
fn behind_merges(document: &Document) -> Option<Line> {
    let count = document.history()?.subject.behind_merges;
    (count > 0).then(|| {
        line![
            counted(count, "more commit"),
            " came by merges, each of which counts as one change: a history with ",
            Span::code("--all-parents"),
            " measures them, too"
        ]
    })
}

/// The number of commits, and the results of building them.
fn counts(document: &Document) -> String {
    let commits = document.commits();
    let of =
        |is: &dyn Fn(&HistoryCommit) -> bool| commits.iter().filter(|commit| is(commit)).count();
    let same = of(&|commit| matches!(commit.build, Build::SameAs(_)));
    let failed = of(&|commit| commit.build == Build::Failed);
    if document.experiment.order == Order::Sequential {
        let points = counted(commits.len(), "point");
        return format!("{points}, imported: steps are change points, drifts are trends");
    }
    let different = of(&|commit| commit.build == Build::Ok);
    let artefacts = match different {
        1 => "1 artefact".to_owned(),
        _ => format!("{different} different artefacts"),
    };
    let mut counts = vec![counted(commits.len(), "commit"), artefacts];
    let benchmarks = document.histories().len();
    counts.extend((benchmarks > 0).then(|| counted(benchmarks, "benchmark")));
    let confirmed = of(&|commit| commit.equality_confirmed == Some(true));
    counts.extend((same > 0).then(|| format!("{same} identical to an earlier one")));
    counts.extend((confirmed > 0).then(|| match same {
        1 => "which a build from scratch confirms".to_owned(),
        _ => format!("{confirmed} of them confirmed by a build from scratch"),
    }));
    counts.extend((failed > 0).then(|| format!("{failed} did not build")));
    counts.join(", ")
}
