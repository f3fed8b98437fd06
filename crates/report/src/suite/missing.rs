//! The missing measurements of a suite, with reasons.

use super::orders;
use findings::{Document, GivenUp, MissingValues, OtherArrangement, SuiteFinding};
use model::metric::TIME_PER_ITERATION;
use model::spec::suite::Arrangement;
use words::reasons::first_and_last_line;
use words::{self, counted};

/// The missing values with reasons. Metrics that were not requested are left out, and so are
/// benchmarks without any time, which are reported first.
pub(super) fn sentences(document: &Document, suite: &SuiteFinding) -> Vec<String> {
    let metrics = document.experiment.metrics.as_deref().unwrap_or_default();
    let named = document.missing.iter().filter(|part| metrics.contains(&part.metric));
    let is_first = |part: &&MissingValues| {
        part.metric == TIME_PER_ITERATION
            && document.summary(part.variant, &part.metric, part.source).is_none()
    };
    let judged = named.filter(|part| company(suite, part.variant).is_none() && !is_first(part));
    let judged = judged.map(|part| of_judged(document, suite, part));
    judged.chain(of_company(document, suite)).collect()
}

fn of_judged(document: &Document, suite: &SuiteFinding, part: &MissingValues) -> String {
    let has_any = document.summary(part.variant, &part.metric, part.source).is_some();
    let how_often = has_any.then(|| format!(" in {}", counted(part.runs, "run")));
    let name = name(document, part.variant);
    let gone = suite.given_up.iter().find(|gone| gone.variant == part.variant);
    let gone = gone.filter(|_| part.metric == TIME_PER_ITERATION).map(after).unwrap_or_default();
    format!(
        "{name}: {} missing{} ({}){gone}",
        words::label(&part.metric),
        how_often.unwrap_or_default(),
        first_and_last_line(&part.reason)
    )
}

fn after(part: &GivenUp) -> String {
    format!("; left out after {}", counted(part.rounds, "round"))
}

/// The missing values in other arrangements, a sentence for each arrangement: users did not ask for
/// each of them.
fn of_company(document: &Document, suite: &SuiteFinding) -> Vec<String> {
    let lacking = document.missing.iter().filter(|part| part.metric == TIME_PER_ITERATION);
    let mut groups: Vec<(usize, Arrangement, Vec<&MissingValues>)> = Vec::new();
    for part in lacking {
        let Some(OtherArrangement { program, order, .. }) = company(suite, part.variant) else {
            continue;
        };
        match groups.iter_mut().find(|group| (group.0, group.1) == (*program, *order)) {
            Some((.., parts)) => parts.push(part),
            None => groups.push((*program, *order, vec![part])),
        }
    }
    let sentence = |(program, order, parts): &(usize, Arrangement, Vec<&MissingValues>)| {
        let whose = orders::of_program(suite, *program);
        let benchmarks = if parts.len() == 1 { "benchmark has" } else { "benchmarks have" };
        let runs = parts.iter().map(|part| part.runs).max().unwrap_or(0);
        let runs = if runs == 1 { "1 run" } else { &format!("up to {runs} runs") };
        format!(
            "run {}, {} {benchmarks}{whose} no time in {runs} ({})",
            order.word(),
            parts.len(),
            first_and_last_line(&parts[0].reason)
        )
    };
    groups.iter().map(sentence).collect()
}

/// The benchmark in an arrangement in which it is not judged.
fn company(suite: &SuiteFinding, variant: u32) -> Option<&OtherArrangement> {
    suite.company.iter().find(|part| part.variant == variant)
}

fn name(document: &Document, variant: u32) -> String {
    let name = document.variants.get(variant as usize).map_or("", |part| part.name.as_str());
    format!("`{name}`")
}
