//! A badge: the latest change of a benchmark, in a few words.

use draw::badge::Badge;

use super::{LATELY, LateStep, Series, change};
use findings::short;
use model::verdict::Verdict;

/// Draws the badge.
pub(super) fn svg(series: &Series) -> String {
    let (words, is_better) = match series.lately.first() {
        Some(LateStep { step, .. }) => {
            let (change, _) = change(step);
            (
                format!("{change} at {}", short(&step.commit)),
                Some(step.verdict == Verdict::Improved),
            )
        }
        None => ("steady".to_owned(), None),
    };
    let description = format!("{}: {words}, of the newest {LATELY} commits", series.name);
    Badge { name: series.name.clone(), words, description, is_better }.scene().svg()
}
