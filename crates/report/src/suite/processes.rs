//! The findings on a suite's processes, in sentences: parts against the whole, work that may not be
//! done, and the worth of a single process.

use findings::SuiteFinding;
use judge::loops::{Idle, Idleness, PARTS_MARGIN, PartsAgainstWhole, PartsOutcome};
use words::counted;
use words::quantity::{percent, ratio_decimals};

use super::orders::name;

/// The factor from which the error of a single process is worth a warning: its intervals are half
/// as wide as they should be.
const WORTH_TELLING: f64 = 2.0;

/// A sentence for each finding.
pub(super) fn sentences(suite: &SuiteFinding) -> Vec<String> {
    let made_of = suite.made_of.iter().map(|one| parts(suite, one));
    made_of.chain(suite.idle.iter().map(|one| idle(suite, one))).collect()
}

fn parts(suite: &SuiteFinding, found: &PartsAgainstWhole) -> String {
    let PartsAgainstWhole { program, whole, ratio, low, high, rounds, .. } = *found;
    let decimals = ratio_decimals(low, high);
    let whole = name(suite, program, whole);
    let ratio = format!("{ratio:.decimals$} [{low:.decimals$}, {high:.decimals$}]");
    let claim = &found.claim;
    match found.outcome {
        PartsOutcome::Contradiction => format!(
            "the parts contradict {whole}: by `{claim}` they would take {ratio} times as long as it \
             does, each alone in {}",
            counted(rounds, "round")
        ),
        PartsOutcome::Agreement => format!(
            "the parts agree with {whole}: by `{claim}` they take {ratio} times as long as it does"
        ),
        PartsOutcome::Undecided => format!(
            "it is open whether the parts agree with {whole} within {}: by `{claim}` they take \
             {ratio} \
             times as long as it does",
            percent(PARTS_MARGIN)
        ),
    }
}

fn idle(suite: &SuiteFinding, found: &Idle) -> String {
    let it = name(suite, found.program, found.benchmark);
    let why = match found.evidence {
        Idleness::FewCycles { cycles } => {
            format!("an iteration takes {cycles:.1} cycles of the processor")
        }
        Idleness::IndependentOfIterations { times_longer, .. } => {
            format!("a loop that is {times_longer:.0} times longer takes no more time")
        }
        Idleness::IndependentOfSize { smallest, times_larger, .. } => format!(
            "it takes no longer than {}, and is {times_larger:.0} times larger by its name",
            name(suite, found.program, smallest)
        ),
    };
    format!("{it} may not do its work: {why}")
}

/// The factor by which an interval from one process would be too narrow, as the median of the
/// benchmarks; `None` if it is small or unknown.
pub(super) fn of_one_process(suite: &SuiteFinding) -> Option<String> {
    let narrow: Vec<f64> = suite.levels.iter().filter_map(|level| level.narrow_by).collect();
    let times = stats::describe::summarise(&narrow)?.median;
    (times >= WORTH_TELLING).then(|| {
        format!(
            "processes differ: an interval made of the measurements of one of them would be {times:.0} \
             times too narrow"
        )
    })
}
