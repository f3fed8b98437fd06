//! `brisk check`: does what `brisk.toml` expects hold?

mod accepting;
mod baseline;
mod figures;
mod files;
mod measuring;
mod programs;
mod question;
mod suites;
mod tolerance;
mod verdicts;

use std::path::PathBuf;

use clap::Args;
use measure::Launcher;

use super::Done;
use super::exit::Findings;
use super::output::Output;
use crate::cli::options::{
    BuildOptions, InvocationOptions, MeasuringOptions, ReadingOptions, StoppingOptions, counters,
    runtimes,
};
use findings::CheckedExpectation;
use judge::acceptance::Standing;
use laboratory::archive;
use measuring::Measurement;
use model::failure::{Failing, Failure};
use model::spec::reading::{CounterOption, RuntimeOption};
use programs::Programs;
use question::{ProjectState, Question};
use report::expectations;
use tolerance::{Tolerance, tolerance};

/// Arguments of `brisk check`.
#[derive(Debug, Args)]
#[command(after_help = "Example: brisk check --export-junit expectations.xml")]
pub(super) struct CheckArguments {
    /// The folder of the project and its brisk.toml; the current one by default
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,

    /// Check this commit, not the checked-out one
    #[arg(long, value_name = "REVISION", conflicts_with_all = ["accept", "save_baseline"])]
    at: Option<String>,

    /// The commit that expectations call `baseline`
    ///
    /// It takes the place of the stored one.
    #[arg(long, value_name = "REVISION", conflicts_with_all = ["accept", "save_baseline"])]
    baseline: Option<String>,

    /// Expect no command to be slower than the baseline
    ///
    /// Every command in brisk.toml is expected to take at most this much more wall time than at the
    /// baseline, besides what the file expects [without a value: 2].
    #[arg(
        long,
        value_name = "PERCENT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "2",
        value_parser = tolerance,
        conflicts_with_all = ["accept", "save_baseline"]
    )]
    no_slower: Option<Tolerance>,

    /// Accept a failure, up to its last value
    ///
    /// The value is that of the last check of the expectation.
    #[arg(long, value_name = "ID", requires = "why", conflicts_with = "save_baseline")]
    accept: Option<String>,

    /// The reason for accepting it, for later readers
    #[arg(long, value_name = "TEXT", requires = "accept")]
    why: Option<String>,

    /// Store the checked-out commit as the `baseline` of expectations, and check nothing
    #[arg(long)]
    save_baseline: bool,

    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    export_junit: Option<PathBuf>,

    /// Write it as Markdown
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    export_markdown: Option<PathBuf>,

    /// Write everything, with every run, as JSON (schema brisk/1)
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    export_json: Option<PathBuf>,

    /// Write a page for a browser
    ///
    /// Every run is in its pictures, and the file needs nothing else.
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    export_html: Option<PathBuf>,

    /// How to count instructions, cache misses and so on
    #[arg(long, value_parser = counters(), default_value = "auto", value_name = "SOURCE")]
    counters: CounterOption,

    /// The runtime system to ask, in separate runs, about allocations, live memory and garbage
    /// collections
    /// [default: auto]
    #[arg(long, value_parser = runtimes(), value_name = "RUNTIME")]
    runtime: Option<RuntimeOption>,

    #[command(flatten)]
    stopping: StoppingOptions,
    #[command(flatten)]
    build: BuildOptions,
    #[command(flatten)]
    invocation: InvocationOptions,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl CheckArguments {
    /// The reading options of the command line. The metrics are those of the expectations.
    fn reading(&self) -> ReadingOptions {
        ReadingOptions { metrics: None, counters: self.counters, runtime: self.runtime }
    }
}

/// Checks everything, builds and measures the programs of the expectations, and reports the
/// results.
pub(super) fn run(arguments: &CheckArguments, output: &Output) -> Done {
    // Before anything that takes memory: the launcher's own memory is the smallest peak it can see.
    let mut launcher = Launcher::start()?;
    let question = Question::new(arguments)?;
    let place = arguments.measuring.store.place()?;
    if let Some(id) = &arguments.accept {
        return accepting::accept(&question, &place, id, arguments.why.as_deref(), output);
    }
    if arguments.save_baseline {
        return baseline::save(&question, &place, output);
    }
    files::check(arguments)?;
    let store = archive::open_for_writing(&place)?;
    let baseline = match &arguments.baseline {
        Some(revision) => ProjectState::Commit(question.known_commit(revision)?),
        None => baseline::stored(&question, &store)?,
    };
    let acceptances = accepting::applicable(&question, &store)?;
    drop(store);
    let wanted = question.wanted(baseline)?;
    let requests = question.requests();
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;
    let programs = Programs::new(&question, &wanted, &requests)?;
    let measurement = Measurement::from_programs(
        (&question, output),
        &programs,
        &requests,
        &place,
        &mut launcher,
    )?;
    let checked = verdicts::checked(&question, &programs, &measurement, &acceptances)?;
    let measurement = measurement.keep(&question, &checked, &place)?;
    output.message(&question.remarks());
    output.page(&expectations::page(&checked, measurement.wait_share()))?;
    files::write((&question, output), &checked, &measurement, &place)?;
    findings(&checked).done(arguments.stopping.require_verdict)
}

fn findings(checked: &[CheckedExpectation]) -> Findings {
    let are = |standing| checked.iter().filter(move |one| one.standing == standing);
    let unmeasured: Vec<String> =
        are(Standing::Unmeasured).map(|one| format!("`{}`", one.that)).collect();
    let failure = || Failure::new(format!("could not be measured: {}", unmeasured.join(", ")));
    Findings {
        unmeasured: (!unmeasured.is_empty()).then(failure),
        is_regressed: are(Standing::Fails).next().is_some(),
        is_open: are(Standing::Undecided).next().is_some(),
    }
}
