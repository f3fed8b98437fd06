//! The decision on a proposal of a trial: keep it or not.

use model::verdict::Verdict;
use serde::{Deserialize, Serialize};

/// The decision on a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It is shown to be better, and becomes the incumbent.
    Keep,
    /// It is shown to be no better than the margin, or worse.
    Discard,
    /// Neither was found.
    Open,
    /// It does not do what the incumbent does, or changes what it must not.
    Invalid,
}

impl Decision {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Discard => "discard",
            Self::Open => "open",
            Self::Invalid => "invalid",
        }
    }
}

/// The decision from the verdicts of all benchmarks: one must be better, and none worse.
pub fn decide(verdicts: &[Verdict]) -> Decision {
    let has = |verdict| verdicts.contains(&verdict);
    if has(Verdict::Regressed) {
        Decision::Discard
    } else if has(Verdict::Improved) {
        Decision::Keep
    } else if has(Verdict::Inconclusive) || verdicts.is_empty() {
        Decision::Open
    } else {
        Decision::Discard
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Improved, Inconclusive, Regressed, Unchanged};

    #[test]
    fn one_benchmark_must_be_better_and_none_worse() {
        for (verdicts, decision) in [
            (&[Improved][..], Decision::Keep),
            (&[Improved, Unchanged, Inconclusive], Decision::Keep),
            (&[Improved, Regressed], Decision::Discard),
            (&[Unchanged, Unchanged], Decision::Discard),
            (&[Unchanged, Inconclusive], Decision::Open),
            (&[Regressed, Inconclusive], Decision::Discard),
            (&[], Decision::Open),
        ] {
            assert_eq!(decide(verdicts), decision, "{verdicts:?}");
        }
    }
}
