//! The exit codes: `diff`'s convention.

use crate::judge::verdict::Verdict;
use crate::report::document::Document;

/// How brisk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// Done, and nothing regressed.
    Fine,
    /// A regression, or an expectation that does not hold.
    Regressed,
    /// Bad input, a command that failed, an interruption.
    Trouble,
    /// Nothing was found out, where a verdict was demanded.
    Inconclusive,
    /// The machine is held by somebody else, and nobody waits.
    Held,
    /// As the command ended in whose place brisk stood.
    Command(u8),
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
        Self::from(match code {
            ExitCode::Fine => 0,
            ExitCode::Regressed => 1,
            ExitCode::Trouble => 2,
            ExitCode::Inconclusive => 3,
            // EX_TEMPFAIL of sysexits.h: try again later.
            ExitCode::Held => 75,
            ExitCode::Command(code) => code,
        })
    }
}
