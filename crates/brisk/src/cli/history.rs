//! `brisk history`: every commit of a range, built, measured and judged: since when?

use configuration::HistoryRequest;
use findings::{Asked, Document, Outcome};
use laboratory::history;
use measure::Launcher;
use model::failure::Failure;

use super::laboratory::asker;
use super::output::Output;
use super::watching::Terminal;
use super::{Done, ExitCode, Findings, unmeasured};

/// Conducts the history, and reports it. `asked` is what has to be measured.
pub(super) fn run(request: &HistoryRequest, asked: Asked, output: &Output) -> Done {
    // Before anything that takes memory: the launcher's own memory is the smallest peak it can see.
    let mut launcher = Launcher::start()?;
    let mut terminal = Terminal::new(output, &request.measuring, &request.stopping)
        .without_rounds(request.invocation.show_output);
    let conducted = history::conduct(request, asker(), &mut launcher, &mut terminal)?;
    drop(terminal);
    output.document(&conducted.document)?;
    conducted.export(&request.export.exports())?;
    let code = code(request, asked, &conducted.document)?;
    match conducted.open {
        // A search has a single answer, and it is missing.
        Some(failure) if request.stopping.require_verdict => {
            output.failure(&failure);
            Ok(ExitCode::Inconclusive)
        }
        Some(failure) => Err(failure),
        None => Ok(code),
    }
}

fn code(request: &HistoryRequest, asked: Asked, document: &Document) -> Done {
    if document.summaries.is_empty() {
        let count = document.histories().len();
        let benchmarks = if count == 1 { "benchmark" } else { "benchmarks" };
        return Err(Failure::new(format!("nothing was measured of {count} {benchmarks}"))
            .hint(Some("`--remeasure` tries again what failed")));
    }
    let outcome = Outcome::from_document(document);
    let findings = Findings {
        unmeasured: unmeasured(document, asked),
        is_regressed: outcome.is_regressed,
        is_open: !outcome.is_decided(),
    };
    findings.done(request.stopping.require_verdict)
}
