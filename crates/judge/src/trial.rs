//! The decision on a proposal of a trial: keep it or not.

use model::verdict::{Margin, Verdict};
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

/// The instructions of one function in both programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FunctionCounts {
    /// Those of the incumbent.
    pub old: u64,
    /// Those of the proposal.
    pub new: u64,
    /// Set if it belongs to a library: it may start a thread, or speak to the kernel.
    pub is_of_library: bool,
}

/// The part of all instructions by which a function may have fewer without doing less: start-up code
/// varies by the size of the environment. Arbitrary.
const JITTER: f64 = 1e-4;

/// True if counting shows that a proposal cannot be faster: no function executes fewer instructions, all
/// together more than the margin allows, no function of a library is new, and in one run of each the
/// proposal took no less processor time (`seconds`, the incumbent's first). Then it does all that the
/// incumbent does, and more, by the same means.
///
/// More instructions alone refute nothing: another algorithm, vectors or fewer waits may cost some, but
/// something executes less; threads, large pages and other ways to read and write call a library. What
/// is lost are gains by prefetching and its kin that are smaller than the noise of a run. A wrong answer
/// here discards; it never keeps.
pub fn refuted_by_counts(functions: &[FunctionCounts], margin: Margin, seconds: [f64; 2]) -> bool {
    let old = functions.iter().map(|one| one.old).sum::<u64>() as f64;
    let new = functions.iter().map(|one| one.new).sum::<u64>() as f64;
    let least = JITTER * old;
    let is_by_other_means = |one: &FunctionCounts| {
        one.old as f64 - one.new as f64 > least || (one.is_of_library && one.old == 0)
    };
    let is_slower = seconds[1] >= seconds[0];
    new > old * (1.0 + margin.fraction()) && is_slower && !functions.iter().any(is_by_other_means)
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

    #[test]
    fn only_more_of_the_same_is_refuted_by_counts() {
        let refuted = |functions: &[[u64; 2]], seconds| {
            let own = |&[old, new]: &[u64; 2]| FunctionCounts { old, new, is_of_library: false };
            let functions: Vec<FunctionCounts> = functions.iter().map(own).collect();
            refuted_by_counts(&functions, Margin::ONE_PERCENT, seconds)
        };
        let more = [[1000, 1000], [5000, 5300], [0, 20]];
        assert!(refuted(&more, [1.0, 1.02]));
        assert!(!refuted(&more, [1.0, 0.97]), "it was faster");
        // Work that moves from one function to another is another algorithm.
        assert!(!refuted(&[[1000, 200], [5000, 6200]], [1.0, 1.02]));
        assert!(!refuted(&[[1000, 1000], [5000, 5020]], [1.0, 1.02]), "within the margin");
        assert!(!refuted(&[], [1.0, 1.02]));
        let library = |old, new| FunctionCounts { old, new, is_of_library: true };
        let threads = [library(5000, 5000), library(0, 300)];
        assert!(!refuted_by_counts(&threads, Margin::ONE_PERCENT, [1.0, 1.02]));
        let calls = [library(5000, 5000), library(100, 400)];
        assert!(refuted_by_counts(&calls, Margin::ONE_PERCENT, [1.0, 1.02]));
    }
}
