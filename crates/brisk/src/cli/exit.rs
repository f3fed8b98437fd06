//! The exit codes: `diff`'s convention.

use super::Done;
use findings::{Asked, Coverage, Document, Unread};
use model::failure::Failure;
use model::verdict::Verdict;

/// The outcome of a brisk process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// Done, and nothing regressed.
    Fine,
    /// A regression, or an expectation that does not hold.
    Regressed,
    /// Bad input, a command that failed, an interruption.
    Trouble,
    /// No conclusion, although a verdict was required.
    Inconclusive,
    /// Another process holds the machine, and waiting was not allowed.
    Held,
    /// The exit status of the command that brisk stood in for.
    Command(u8),
}

/// The findings of a report that affect the exit status.
#[derive(Debug, Clone, Default)]
pub(super) struct Findings {
    /// The benchmarks or metrics that were requested but could not be measured.
    pub(super) unmeasured: Option<Failure>,
    /// Something regressed, or an expectation does not hold.
    pub(super) is_regressed: bool,
    /// Something is undecided.
    pub(super) is_open: bool,
}

impl Findings {
    /// The exit status. Unmeasured requests take precedence over a regression: nobody knows what
    /// else they would have shown.
    pub(super) fn done(self, require_verdict: bool) -> Done {
        match self {
            Self { unmeasured: Some(failure), .. } => Err(failure),
            Self { is_regressed: true, .. } => Ok(ExitCode::Regressed),
            Self { is_open: true, .. } if require_verdict => Ok(ExitCode::Inconclusive),
            _ => Ok(ExitCode::Fine),
        }
    }

    /// The findings of a report of comparisons. If the user named metrics, each of them counts;
    /// otherwise only the answer to "is it faster".
    pub(super) fn from_document(document: &Document) -> Self {
        let named = document.experiment.metrics.as_ref();
        let verdicts: Vec<Verdict> = match named {
            Some(_) => document.comparisons.iter().map(|part| part.verdict).collect(),
            None => document.answers.iter().map(|answer| answer.verdict).collect(),
        };
        Self {
            unmeasured: unmeasured(document, Asked::Both).or_else(|| unread(document)),
            is_regressed: verdicts.contains(&Verdict::Regressed),
            is_open: verdicts.is_empty() || verdicts.contains(&Verdict::Inconclusive),
        }
    }
}

/// The benchmarks that could not be measured, as a failure.
pub(super) fn unmeasured(document: &Document, asked: Asked) -> Option<Failure> {
    let failure = Failure::new(Coverage::from_document(document).trouble(asked)?);
    let stored = document.experiment.id.map(|id| {
        format!("the rest is judged and stored as experiment {id}; `--filter` selects benchmarks")
    });
    Some(failure.hint(stored))
}

/// The metrics named by the user, as a failure if none of them was read for any program.
fn unread(document: &Document) -> Option<Failure> {
    let Unread { metrics, reason } = Unread::from_document(document)?;
    let names: Vec<String> = metrics.iter().map(|id| format!("`{}`", id.name())).collect();
    let failure = Failure::new(format!("could not be measured: {}", names.join(", ")));
    Some(failure.because(reason.to_owned()))
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
