//! The exit codes: `diff`'s convention.

use crate::judge::verdict::Verdict;
use crate::report::document::Document;

/// How brisk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Done, and nothing regressed.
    Fine = 0,
    /// A regression, or an expectation that does not hold.
    Regressed = 1,
    /// Bad input, a command that failed, an interruption.
    Trouble = 2,
    /// Nothing was found out, where a verdict was demanded.
    Inconclusive = 3,
}

impl ExitCode {
    /// What a report's answers mean for the exit status. Where the user named metrics, each of
    /// them counts; else the answer to "is it faster" alone.
    pub fn of(document: &Document, require_verdict: bool) -> Self {
        let named = document.experiment.metrics.as_ref();
        let verdicts: Vec<Verdict> = match named {
            Some(_) => document.comparisons.iter().map(|part| part.verdict).collect(),
            None => document.answers.iter().map(|answer| answer.verdict).collect(),
        };
        if verdicts.contains(&Verdict::Regressed) {
            Self::Regressed
        } else if require_verdict
            && (verdicts.is_empty() || verdicts.contains(&Verdict::Inconclusive))
        {
            Self::Inconclusive
        } else {
            Self::Fine
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}
