//! An explanation as Markdown, to be pasted where people talk about the program.

use std::fmt::Write as _;

use super::document::{ExplanationPart, FindingPart};
use super::sentences;

/// The explanation. With `all`, findings that cost little are there too.
#[must_use]
pub fn render(part: &ExplanationPart, all: bool) -> String {
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
    let shown: Vec<&FindingPart> =
        part.findings.iter().filter(|finding| all || !finding.minor).collect();
    for (number, finding) in shown.iter().enumerate() {
        render_finding(&mut text, number + 1, finding);
    }
    let hidden = part.findings.len() - shown.len();
    if hidden > 0 {
        let _ = write!(text, "\n{}\n", sentences::minor(hidden));
    }
    for blind in &part.not_looked {
        let _ = write!(text, "\n{}\n", sentences::not_looked(blind, part.modules.len()));
    }
    text
}

fn render_finding(text: &mut String, number: usize, finding: &FindingPart) {
    let place = finding.location.as_ref().map(sentences::location);
    let place = place.map_or_else(String::new, |place| format!(" ({place})"));
    let _ = write!(text, "\n## {number}. `{}`{place}\n", finding.binding);
    if let Some(cost) = &finding.cost {
        let _ = write!(text, "\n{}\n", sentences::cost(cost));
    }
    let _ = write!(text, "\n**{}:** {}\n", finding.title, finding.what);
    for evidence in &finding.evidence {
        let _ = write!(text, "\n```haskell\n{}\n```\n", evidence.core);
    }
    let _ = write!(text, "\n**Try:** {}\n\n**Why:** {}\n", finding.remedy, finding.why);
    if let Some(proof) = &finding.proof {
        let _ = write!(text, "\n**{}**\n", sentences::proof(proof));
    }
}
