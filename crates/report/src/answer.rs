//! The answer of an experiment in a few words, for lists: bad news first, the worst with its amount.

use findings::{Answer, ComparedPair, Document};
use judge::acceptance::Standing;
use model::commission::Kind;
use model::metric::Unit;
use model::verdict::Verdict;
use words::names::short_name;
use words::quantity::quantity;

use super::expectations;

/// The result in a few words. A history has [its own](crate::history::in_short).
pub fn answer(document: &Document) -> String {
    if document.kind() == Kind::Check {
        let parts = document.expectations().iter();
        return expectations::tally(&parts.map(|part| part.standing).collect::<Vec<Standing>>());
    }
    if let Some(front) = front(document) {
        return front;
    }
    match document.answers.as_slice() {
        [] => level(document).unwrap_or_else(|| words::circumstances(document)),
        [only] => match document.deciding(only) {
            Some(part) => format!("{} {}", only.verdict.word(), words::ratio(part)),
            None => only.verdict.word().to_owned(),
        },
        many => counted(document, many),
    }
}

/// The size of a sweep's front.
fn front(document: &Document) -> Option<String> {
    let sweep = document.sweep().filter(|sweep| !sweep.front.is_empty())?;
    let points = words::counted(sweep.points.len(), "point");
    Some(format!("{} of {points} on the front", sweep.front.len()))
}

/// The measured level of a single command.
fn level(document: &Document) -> Option<String> {
    let is_alone = document.kind() == Kind::Compare && document.variants.len() == 1;
    let id = document.main_metric();
    let part = document.any_summary(0, &id).filter(|_| is_alone)?;
    let bound = if part.at_most { "<= " } else { "" };
    let value = quantity(document.figure(part), id.unit());
    Some(format!("{} {bound}{value}", words::label(&id)))
}

/// `2 of 5 slower, worst 1.46 [1.44, 1.48] times (sort), 1 inconclusive, 2 unchanged`.
fn counted(document: &Document, answers: &[Answer]) -> String {
    let is_time = answers.iter().all(|answer| answer.metric.unit() == Unit::Seconds);
    let word = |verdict: Verdict| match verdict {
        Verdict::Regressed if is_time => "slower",
        Verdict::Regressed => "worse",
        Verdict::Improved if is_time => "faster",
        Verdict::Improved => "better",
        Verdict::Unchanged | Verdict::Inconclusive => verdict.word(),
    };
    let mut parts: Vec<String> = Vec::new();
    for verdict in words::BAD_NEWS_FIRST {
        let alike = answers.iter().filter(|answer| answer.verdict == verdict);
        let count = alike.clone().count();
        if count == 0 {
            continue;
        }
        let all = if parts.is_empty() { format!(" of {}", answers.len()) } else { String::new() };
        parts.push(format!("{count}{all} {}", word(verdict)));
        let largest = alike
            .filter_map(|answer| document.deciding(answer))
            .max_by(|a, b| a.weight().total_cmp(&b.weight()));
        let superlative = match verdict {
            Verdict::Regressed => Some("worst"),
            Verdict::Improved => Some("best"),
            Verdict::Unchanged | Verdict::Inconclusive => None,
        };
        let named = superlative.zip(largest);
        parts.extend(named.map(|(word, part)| format!("{word} {}", amount(document, part))));
    }
    parts.join(", ")
}

/// `1.46 [1.44, 1.48] times (sort)`.
fn amount(document: &Document, part: &ComparedPair) -> String {
    let size = match part.difference {
        Some(_) => words::ratio(part),
        None => format!("{} times", words::ratio(part)),
    };
    format!("{size} ({})", short_name(document, part.candidate))
}
