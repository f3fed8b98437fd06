//! Growth of costs with the work: the program also runs with less work.

use std::ffi::OsString;
use std::path::Path;

use ghc::causes::{Examination, Program, examine};
use measure::Launcher;

use super::source::{running_failure, sampled};
use explain::building::BuiltProgram;
use explain::explanation::growth_of_findings;
use explain::running::{self, Figures, Run};
use findings::explanation::CostGrowth;
use findings::explanation::Explanation;
use model::failure::Failure;

/// The placeholder for the amount of work.
const PLACE: &str = "{work}";

/// The two amounts of work, if given.
pub(super) fn works(
    text: Option<&str>,
    arguments: &[OsString],
) -> Result<Option<[u64; 2]>, Failure> {
    let has_place = arguments.iter().any(|it| it.to_string_lossy().contains(PLACE));
    let Some(text) = text else {
        return match has_place {
            true => Err(Failure::new("`{work}` has no value")
                .hint(Some("say two amounts with `--work LESS,MORE`"))),
            false => Ok(None),
        };
    };
    let numbers: Option<Vec<u64>> = text.split(',').map(|it| it.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some([less, more]) if 0 < *less && less < more && has_place => Ok(Some([*less, *more])),
        Some([less, more]) if 0 < *less && less < more => {
            Err(Failure::new("`--work` has no place in the program's arguments")
                .hint(Some("write `{work}` where the amount of work belongs: `-- {work}`")))
        }
        _ => Err(Failure::new(format!("bad `--work {text}`"))
            .hint(Some("give two whole numbers, the smaller first: `--work 1000,2000`"))),
    }
}

/// A run with this much work.
pub(super) fn with_work(run: &Run, work: u64) -> Run {
    let number = work.to_string();
    let argument = |it: &OsString| match it.to_str() {
        Some(text) => text.replace(PLACE, &number).into(),
        None => it.clone(),
    };
    Run { arguments: run.arguments.iter().map(argument).collect(), ..run.clone() }
}

/// The builds of a program, and the folder that their runs may write to.
pub(super) struct Both<'a> {
    pub(super) plain: &'a BuiltProgram,
    pub(super) counted: &'a BuiltProgram,
    pub(super) folder: &'a Path,
}

/// The results of the run with more work.
pub(super) struct Before<'a> {
    pub(super) works: [u64; 2],
    pub(super) figures: Figures,
    pub(super) examination: &'a Examination,
}

/// Runs with less work, and adds the growth of the total cost and of each finding.
pub(super) fn compare(
    both: &Both<'_>,
    smaller: &Run,
    before: Before<'_>,
    (program, launcher): (&mut Program, &mut Launcher),
    explanation: &mut Explanation,
) -> Result<(), Failure> {
    let failed = |error: running::RunningError| running_failure(&error);
    let Both { plain, counted, folder } = both;
    let figures = running::plain(launcher, &plain.program, smaller, folder).map_err(failed)?;
    let (profile, of_counted) =
        running::counted(launcher, &counted.program, smaller, folder).map_err(failed)?;
    program.ticky = Some(profile);
    program.allocated_bytes = of_counted.allocated_bytes;
    program.heap = None;
    sampled(plain, smaller, program, figures)?;
    let less = examine(program);
    let seconds = [figures.mutator_seconds, before.figures.mutator_seconds];
    explanation.growth = CostGrowth::from_costs(
        "allocations",
        before.works,
        [figures.allocated_bytes, before.figures.allocated_bytes].map(|it| it.map(|it| it as f64)),
    );
    let grown = growth_of_findings(before.works, seconds, [&less, before.examination]);
    for (finding, growth) in explanation.findings.iter_mut().zip(grown) {
        finding.growth = growth;
    }
    Ok(())
}
