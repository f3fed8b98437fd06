//! An explanation as Markdown, to be pasted where people talk about the program.

use std::fmt::Write as _;

use super::document::{ExplanationPart, FindingPart, PlacePart};
use super::sentences;
use crate::report::plain::printable;

/// The explanation. With `all`, findings that cost little are there too.
#[must_use]
pub fn render(part: &ExplanationPart, all: bool) -> String {
    let part = &*printable(part);
    let mut text = format!("# {}\n", sentences::head(part));
    if let Some(run) = sentences::run(part) {
        let _ = write!(text, "\n{run}\n");
    }
    match &part.coverage {
        Some(coverage) => {
            let _ = write!(text, "\n{}\n", sentences::coverage(coverage).join(" "));
        }
        None => {
            let _ = write!(text, "\n{}\n", sentences::NOT_MEASURED);
        }
    }
    for doubt in &part.doubts {
        let _ = write!(text, "\n**Doubt:** {doubt}\n");
    }
    let shown = part.shown(all);
    for (number, (place, findings)) in shown.iter().enumerate() {
        render_place(&mut text, number + 1, place, findings);
    }
    let count: usize = shown.iter().map(|(_, findings)| findings.len()).sum();
    let hidden = part.findings.len() - count;
    if hidden > 0 {
        let _ = write!(text, "\n{}\n", sentences::minor(hidden));
    }
    for blind in &part.not_looked {
        let _ = write!(text, "\n{}\n", sentences::not_looked(blind, part.modules.len()));
    }
    text
}

fn render_place(text: &mut String, number: usize, place: &PlacePart, findings: &[&FindingPart]) {
    let location = place.location.as_ref().map(sentences::location);
    let location = location.map_or_else(String::new, |it| format!(" ({it})"));
    let _ = write!(text, "\n## {number}. `{}`{location}\n", place.binding);
    let costs = sentences::costs(place, findings);
    if let Some(cost) = costs.of_place {
        let _ = write!(text, "\n{cost}\n");
    }
    for (finding, cost) in findings.iter().zip(costs.of_findings) {
        render_finding(text, finding, cost);
    }
}

fn render_finding(text: &mut String, finding: &FindingPart, cost: Option<String>) {
    let _ = write!(text, "\n**{}:** {}\n", finding.title, finding.what);
    if let Some(cost) = cost {
        let _ = write!(text, "\n{cost}\n");
    }
    for evidence in &finding.evidence {
        let _ = write!(text, "\n```haskell\n{}\n```\n", evidence.core);
    }
    let _ = write!(text, "\n**Try:** {}\n\n**Why:** {}\n", finding.remedy, finding.why);
    if let Some(proof) = &finding.proof {
        let _ = write!(text, "\n**{}**\n", sentences::proof(proof));
    }
}
