//! `brisk history`: every commit of a range, built, measured and judged: since when?

mod bisect;
mod completed;
mod confirm;
mod counting;
mod effort;
mod evidence;
mod executed;
mod explaining;
mod found;
mod known;
mod layouts;
mod measuring;
mod prepared;
pub(super) mod progress;
mod question;
mod readings;
mod suite;
mod telling;
mod work;

use clap::Args;
use measure::Launcher;

use super::Done;
use super::exit::{self, ExitCode, Findings};
use super::output::Output;
use crate::cli::explain::source::GhcOptions;
use crate::cli::options::{
    BuildOptions, CommitSuiteOptions, ExportOptions, InvocationOptions, MeasuringOptions,
    ReadingOptions, StoppingOptions,
};
use ::laboratory::history::lineage::Lineage;
use findings::Outcome;
use findings::{Asked, Document};
use measuring::Measuring;
use model::failure::{Failing, Failure};
use question::Question;

/// Arguments of `brisk history`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Example: brisk history v1.0..main --build make --artifact prog -- {artifact}"
)]
pub(super) struct HistoryArguments {
    /// The commits, in git's syntax: `A..B` leaves A out, `A^..B` includes it
    range: String,

    /// The command to measure, in which `{artifact}` stands for what was built; the artefact itself
    /// by default
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,

    /// The folder of the repository and its brisk.toml; the current one by default
    #[arg(long, value_name = "DIR")]
    project: Option<std::path::PathBuf>,

    /// The benchmark of brisk.toml to measure
    ///
    /// It is needed if there are several.
    #[arg(long, value_name = "NAME")]
    benchmark: Option<String>,

    /// Follow all parents of merges, not only the first
    #[arg(long)]
    all_parents: bool,

    /// Find the commit that changed this metric
    ///
    /// brisk builds and measures only as many commits of the range as that takes.
    #[arg(long, value_name = "METRIC", conflicts_with_all = ["all_parents", "metrics"])]
    bisect: Option<String>,

    /// The amount of work, in place of `{work}`. A commit that takes too long for it does a tenth,
    /// a hundredth and so on, and its readings are scaled up
    #[arg(long, value_name = "N")]
    work: Option<u64>,

    /// The longest that a run with all of the work may take
    #[arg(long, value_name = "DURATION", default_value = "1s", requires = "work")]
    work_time: String,

    /// What has to be there, where another verb asks.
    #[arg(skip)]
    pub(super) asked: Option<Asked>,

    /// Measure again what is already stored
    #[arg(long)]
    remeasure: bool,

    /// Explain what changed at each step
    ///
    /// For a GHC program in the project's folder, or in SUBJECT below it, brisk builds and runs both
    /// sides with counters and compares their Core. For any other program, it compares the
    /// instructions that each function executes.
    #[arg(
        long,
        value_name = "SUBJECT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ".",
        conflicts_with = "work"
    )]
    explain: Option<std::path::PathBuf>,

    #[command(flatten, next_help_heading = "How GHC programs are explained")]
    ghc: GhcOptions,
    #[command(flatten)]
    build: BuildOptions,
    #[command(flatten)]
    suite: CommitSuiteOptions,
    #[command(flatten)]
    invocation: InvocationOptions,
    #[command(flatten)]
    stopping: StoppingOptions,
    #[command(flatten)]
    reading: ReadingOptions,
    #[command(flatten)]
    measuring: MeasuringOptions,
    #[command(flatten)]
    export: ExportOptions,
}

/// Checks everything, builds, measures what is not known yet, confirms the steps, and reports.
pub(super) fn run(arguments: &HistoryArguments, output: &Output) -> Done {
    // Before anything that takes memory: the launcher's own memory is the smallest peak it can see.
    let mut launcher = Launcher::start()?;
    let completed = completed::completed(arguments)?;
    let arguments = &completed.arguments;
    let question = Question::new(&completed, &launcher)?;
    let explaining = explaining::Explaining::new(&completed, &question)?;
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;
    let mut measuring;
    let (lineage, measured, open) = match question.bisects() {
        Some(metric) => {
            measuring = Measuring::new(&question, &mut launcher, output)?;
            let found = bisect::bisect(&question, &mut measuring, metric, output)?;
            let document = found.step_alone(measuring.document(&found.lineage)?);
            (found.lineage, document, found.open)
        }
        None => {
            let lineage = Lineage::new(question.build()?);
            question.check_built(&lineage)?;
            measuring = Measuring::new(&question, &mut launcher, output)?;
            measuring.measure(&lineage)?;
            let document = measuring.document(&lineage)?;
            (lineage, document, None)
        }
    };
    let confirmed = confirm::confirmed(&question, &mut measuring, &lineage, measured)?;
    let decided = evidence::decided(&question, &mut measuring, &lineage, confirmed)?;
    let document = match explaining {
        Some(mut explaining) => explaining.explained(&question, &lineage, decided, output),
        None => decided,
    };
    measuring.keep(&document)?;
    let code = report(arguments, &measuring, &document, output)?;
    match open {
        // A search has a single answer, and it is missing.
        Some(failure) if arguments.stopping.require_verdict => {
            output.failure(&failure);
            Ok(ExitCode::Inconclusive)
        }
        Some(failure) => Err(failure),
        None => Ok(code),
    }
}

fn report(
    arguments: &HistoryArguments,
    measuring: &Measuring<'_>,
    document: &Document,
    output: &Output,
) -> Done {
    output.document(document)?;
    measuring.export(&arguments.export.exports(), document)?;
    if document.summaries.is_empty() {
        let count = document.histories().len();
        let benchmarks = if count == 1 { "benchmark" } else { "benchmarks" };
        return Err(Failure::new(format!("nothing was measured of {count} {benchmarks}"))
            .hint(Some("`--remeasure` tries again what failed")));
    }
    let outcome = Outcome::from_document(document);
    let findings = Findings {
        unmeasured: exit::unmeasured(document, arguments.asked.unwrap_or(Asked::Newest)),
        is_regressed: outcome.is_regressed,
        is_open: !outcome.is_decided(),
    };
    findings.done(arguments.stopping.require_verdict)
}
