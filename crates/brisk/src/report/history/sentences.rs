//! The sentences of a changelog: one for each commit with a step.
//!
//! `**Improvement**: Allocations: -46.17%  Memory: +0.00%  Time: -36.88% (Commit [e66f1e0...57f3e9d](LINK))`,
//! with the interval behind a figure that has one.

use super::{Shown, comparison, shown, steps_at};
use crate::history::merge::short;
use crate::history::whole;
use crate::judge::comparison::Basis;
use crate::judge::verdict::Verdict;
use crate::report::document::{CommitPart, ComparisonPart, Document, StepPart};
use crate::report::markdown::code;

/// The sentences, in the order of the commits; each commit with a step has one. Of a suite, those of
/// one benchmark after those of the other.
pub fn render(document: &Document) -> String {
    let of = |document: &Document| -> Vec<String> {
        let shown = shown(document);
        let sentence = |commit: &CommitPart| sentence(document, commit, &shown);
        document.commits.iter().flatten().filter_map(sentence).collect()
    };
    let sentences: Vec<String> = match document.histories.is_empty() {
        true => of(document),
        false => whole::each(document).iter().flat_map(of).collect(),
    };
    sentences.iter().map(|sentence| format!("{sentence}\n")).collect::<Vec<_>>().join("\n")
}

fn sentence(document: &Document, commit: &CommitPart, shown: &[Shown]) -> Option<String> {
    let steps = steps_at(document, &commit.hash);
    let from = &steps.first()?.from;
    let mut figures: Vec<String> = shown
        .iter()
        .filter_map(|one| Some((one, comparison(document, from, &commit.hash, one)?)))
        .map(|(one, part)| format!("{}: {}", capitalised(&one.name), figure(part)))
        .collect();
    // A step in a metric that is not among the usual ones is told all the same.
    let others = steps.iter().filter(|step| !shown.iter().any(|one| one.id == step.metric));
    figures.extend(others.map(|step| {
        let label = crate::report::words::label(&step.metric);
        format!("{}: {}", capitalised(label), interval(step.ratio, step.low, step.high))
    }));
    let benchmark = document.histories.first().map(|history| code(&history.benchmark) + ": ");
    Some(format!(
        "**{}**: {}{} (Commit {})",
        word(&steps),
        benchmark.unwrap_or_default(),
        figures.join("  "),
        link(document, from, &commit.hash)
    ))
}

fn word(steps: &[&StepPart]) -> &'static str {
    let any = |verdict| steps.iter().any(|step| step.verdict == verdict);
    match (any(Verdict::Improved), any(Verdict::Regressed)) {
        (true, true) => "Improvement and regression",
        (false, true) => "Regression",
        _ => "Improvement",
    }
}

fn figure(part: &ComparisonPart) -> String {
    if part.basis == Basis::Exact {
        return percent(part.ratio);
    }
    interval(part.ratio, part.low, part.high)
}

fn interval(ratio: f64, low: f64, high: Option<f64>) -> String {
    match high {
        Some(high) if (high - low).abs() > 0.0 => {
            format!("{} [{}, {}]", percent(ratio), percent(low), percent(high))
        }
        Some(_) => percent(ratio),
        None => format!("{} [?, ?]", percent(ratio)),
    }
}

/// As the series had it, without a blank before the sign.
fn percent(ratio: f64) -> String {
    super::change(ratio).replace(' ', "")
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn link(document: &Document, from: &str, to: &str) -> String {
    let text = format!("{}...{}", short(from), short(to));
    let url = document.history.as_ref().and_then(|history| history.compare_url.as_ref());
    match url {
        Some(url) => format!("[{text}]({})", url.replace("{from}", from).replace("{to}", to)),
        None => text,
    }
}
