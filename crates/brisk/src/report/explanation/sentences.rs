//! The sentences of an explanation, the same on a terminal and in Markdown.

use super::document::{
    BlindPart, CostPart, CoveragePart, ExplanationPart, FindingPart, LocationPart, PlacePart,
};
use crate::metric::Unit;
use crate::report::quantity::{percent, quantity};

/// `Interp.hs:24:12`
pub(super) fn location(location: &LocationPart) -> String {
    match location.column {
        Some(column) => format!("{}:{}:{column}", location.file, location.line),
        None => format!("{}:{}", location.file, location.line),
    }
}

/// What a place costs, and beside it what each of its findings does where that is something else.
pub(super) struct Costs {
    pub(super) of_place: Option<String>,
    pub(super) of_findings: Vec<Option<String>>,
}

/// What is said of the costs of a place and the findings that are shown there.
pub(super) fn costs(place: &PlacePart, findings: &[&FindingPart]) -> Costs {
    if let [only] = findings {
        return Costs { of_place: only.cost.as_ref().map(cost), of_findings: vec![None] };
    }
    let own = |finding: &&FindingPart| {
        let (own, all) = (finding.cost.as_ref()?, place.cost.as_ref()?);
        let part = (figures(own) != figures(all)).then(|| format!("its part: {}", figures(own)));
        let said: Vec<String> = part.into_iter().chain(counters(own)).collect();
        (!said.is_empty()).then(|| said.join("; "))
    };
    Costs {
        of_place: place.cost.as_ref().map(cost),
        of_findings: findings.iter().map(own).collect(),
    }
}

fn cost(cost: &CostPart) -> String {
    std::iter::once(figures(cost)).chain(counters(cost)).collect::<Vec<_>>().join("; ")
}

/// `34 % of allocations (204 MB), 12 % of entries (1.2 M)`
fn figures(cost: &CostPart) -> String {
    let bytes = quantity(cost.allocated_bytes as f64, Unit::Bytes);
    let mut words = match cost.allocation_share {
        Some(share) if cost.at_most => {
            format!("at most {} of allocations ({bytes})", percent(share))
        }
        Some(share) => format!("{} of allocations ({bytes})", percent(share)),
        None => "nothing was allocated".to_owned(),
    };
    words.push_str(", ");
    words.push_str(&match (cost.entries, cost.entry_share) {
        (Some(entries), Some(share)) => {
            let entries = quantity(entries as f64, Unit::Count);
            format!("{} of entries ({entries})", percent(share))
        }
        (Some(_), None) => "no entries".to_owned(),
        (None, _) => "entries not counted".to_owned(),
    });
    if let (Some(bytes), Some(share)) = (cost.heap_bytes, cost.heap_share) {
        let bytes = quantity(bytes as f64, Unit::Bytes);
        words.push_str(&format!(", {} of the heap at its most ({bytes})", percent(share)));
    }
    words
}

/// `UNKNOWN_CALL_ctr of the whole program: 1.2 M`
fn counters(cost: &CostPart) -> impl Iterator<Item = String> {
    cost.counters.iter().map(|counter| {
        let count = quantity(counter.count as f64, Unit::Count);
        format!("{} of the whole program: {count}", counter.name)
    })
}

/// What the figures are about, and what they are not about.
pub(super) fn coverage(part: &CoveragePart) -> Vec<String> {
    let instrumented = quantity(part.instrumented_bytes as f64, Unit::Bytes);
    let mut sentences = Vec::new();
    match (part.allocated_bytes, part.outside_share) {
        (Some(all), Some(outside)) => sentences.push(format!(
            "The program allocated {}. Of these, {} were allocated outside of the code with counters: \
             in libraries that were compiled before, and in the runtime; no finding is about them.",
            quantity(all as f64, Unit::Bytes),
            percent(outside)
        )),
        _ => sentences.push(format!(
            "The code with counters allocated {instrumented}. What was allocated outside of it is not \
             known, so shares are of that."
        )),
    }
    let joined = match part.unplaced_share {
        Some(share) if part.unplaced_rows > 0 => format!(
            "{} of {} counted closures, with {} of the counted bytes, belong to no binding of the \
             dumps.",
            part.unplaced_rows,
            part.rows,
            percent(share)
        ),
        _ if part.unplaced_rows > 0 => {
            format!(
                "{} of {} counted closures belong to no binding.",
                part.unplaced_rows, part.rows
            )
        }
        _ => format!("All {} counted closures were found in the Core.", part.rows),
    };
    sentences.push(joined);
    sentences
}

/// Said where nothing was measured.
pub(super) const NOT_MEASURED: &str = "Nothing was measured: findings are in a fixed order of causes, \
                                       not by cost, and may be of code that hardly runs.";

/// How many findings are not shown, and how to see them.
pub(super) fn minor(count: usize) -> String {
    let (noun, verb) = if count == 1 { ("finding", "costs") } else { ("findings", "cost") };
    format!("{count} more {noun} {verb} less than 1 % each; `--all` shows them.")
}

/// What a cause could not look at.
pub(super) fn not_looked(blind: &BlindPart, all: usize) -> String {
    let modules = if blind.modules.len() == all {
        "anywhere".to_owned()
    } else {
        let some: Vec<String> = blind.modules.iter().take(3).map(|it| format!("`{it}`")).collect();
        let more = blind.modules.len().saturating_sub(3);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("in {}{more}", some.join(", "))
    };
    format!(
        "`{}` could not look {modules}: it needs {} ({})",
        blind.cause, blind.lacks, blind.reason
    )
}

/// What was looked at, in a line.
pub(super) fn head(part: &ExplanationPart) -> String {
    let modules = match part.modules.len() {
        1 => "1 module".to_owned(),
        count => format!("{count} modules"),
    };
    match &part.compiler {
        Some(version) => format!("{} · {modules} · GHC {version}", part.subject),
        None => format!("{} · {modules}", part.subject),
    }
}

/// What was run, and what the counters cost.
pub(super) fn run(part: &ExplanationPart) -> Option<String> {
    let run = part.run.as_ref()?;
    let command = run.command.join(" ");
    let mut words = format!("`{command}` ran once plain");
    if let Some(seconds) = run.wall_seconds {
        words.push_str(&format!(" ({}", quantity(seconds, Unit::Seconds)));
        if let Some(bytes) = run.allocated_bytes {
            words.push_str(&format!(", {} allocated", quantity(bytes as f64, Unit::Bytes)));
        }
        words.push(')');
    }
    words.push_str(" and once with counters");
    if let Some(seconds) = run.instrumented_wall_seconds {
        words.push_str(&format!(" ({}", quantity(seconds, Unit::Seconds)));
        if let Some(bytes) = run.instrumented_allocated_bytes {
            words.push_str(&format!(", {} allocated", quantity(bytes as f64, Unit::Bytes)));
        }
        words.push(')');
    }
    Some(words + ".")
}

/// What became of a change that was tried, where it was.
pub(super) fn proof(proof: &super::document::ProofPart) -> String {
    match &proof.trouble {
        Some(trouble) => format!("tried: {}: {trouble}", proof.change),
        None => format!("tried: {}: {}", proof.change, proof.verdict),
    }
}
