//! `brisk doctor`: the current state of this machine; and `brisk spin`, the hidden program that it
//! measures.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use configuration::{HoldOptions, StoreOptions, Typed};
use findings::inspection::Found;
use laboratory::doctor::facts::Facts;
use laboratory::doctor::trial::Bench;
use laboratory::doctor::{self, Trials, spin};
use laboratory::machine;
use laboratory::watcher::Watcher;
use measure::Launcher;
use measure::clock::Stopwatch;
use model::failure::{Failing, Failure};
use model::host;
use report::export::{Exports, Format, Shown};
use run::RunError;

use super::laboratory::Inspecting;
use super::output::Output;
use super::watching::Terminal;
use super::{Done, ExitCode};

/// Arguments of `brisk doctor`.
#[derive(Debug, Args)]
#[command(after_help = "Example: brisk doctor --budget 1min --export-json machine.json")]
pub(super) struct DoctorArguments {
    /// Show what the machine reports about itself, and run nothing
    #[arg(long, conflicts_with = "budget")]
    quick: bool,

    /// How long to take at most
    #[arg(long, value_name = "DURATION", default_value = "25s", allow_hyphen_values = true, value_parser = Typed::budget)]
    budget: Typed<Duration>,

    /// Write everything as JSON (schema brisk/1)
    #[arg(long, value_name = "FILE")]
    export_json: Option<PathBuf>,

    /// Write the answer and the tables as Markdown
    #[arg(long, value_name = "FILE")]
    export_markdown: Option<PathBuf>,

    /// Write a page for a browser
    ///
    /// Its picture shows the smallest change that can be seen here, against the time it takes.
    #[arg(long, value_name = "FILE")]
    export_html: Option<PathBuf>,

    /// Do not show progress
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    hold: HoldOptions,

    #[command(flatten)]
    store: StoreOptions,
}

impl DoctorArguments {
    fn exports(&self) -> Exports {
        let files = [
            (Format::Json, &self.export_json),
            (Format::Markdown, &self.export_markdown),
            (Format::Html, &self.export_html),
        ];
        let files = files.into_iter().filter_map(|(format, path)| Some((format, path.clone()?)));
        Exports { files: files.collect(), asv_commit: None }
    }
}

pub(super) fn run(arguments: &DoctorArguments, output: &Output) -> Done {
    let budget = arguments.budget.clone().value()?;
    let exports = arguments.exports();
    exports.check(Shown::Inspection)?;
    // Early, as in `compare`.
    let mut launcher = Launcher::start()?;
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;

    let inspecting = Inspecting::begin(&arguments.store)?;
    let mut terminal = Terminal::unless(arguments.quiet, output);
    let held = match arguments.quick {
        true => None,
        false => machine::measuring(arguments.hold.no_wait, &mut terminal)?,
    };
    // Waiting for others costs no budget.
    let watch = Stopwatch::start();
    let facts = Facts::read(doctor::watching_time((!arguments.quick).then_some(budget)));
    let left = budget.saturating_sub(watch.elapsed());
    let tried = (!arguments.quick)
        .then(|| try_programs(&mut launcher, &facts, left, &mut terminal))
        .transpose();
    drop(held);
    drop(terminal);
    // An interrupted examination still reports its findings so far.
    let trials = tried.as_ref().ok().and_then(Option::as_ref);
    let advice = doctor::advise(&facts, trials);
    let part = doctor::diagnosis(&facts, trials, advice);
    let inspection = inspecting.found(Found::Doctor(Box::new(part)), false);
    output.inspection(&inspection)?;
    tried?;
    inspecting.keep(&inspection, &exports)?;
    Ok(ExitCode::Fine)
}

fn try_programs(
    launcher: &mut Launcher,
    facts: &Facts,
    left: Duration,
    watcher: &mut dyn Watcher,
) -> Result<Trials, Failure> {
    let interrupted =
        || Failure::new("interrupted").hint(Some("`brisk doctor --quick` runs nothing"));
    if measure::interrupt::requested() {
        return Err(interrupted());
    }
    let executable = std::env::current_exe().failing("cannot find brisk's own program")?;
    let mut bench = Bench { launcher, executable, seed: host::fresh_seed(), watcher };
    let trials = doctor::try_programs(&mut bench, facts, left.as_secs_f64());
    trials.map_err(|error| run_failure(&error))?.ok_or_else(interrupted)
}

fn run_failure(error: &RunError) -> Failure {
    let failure = Failure::from_error(error);
    match error {
        RunError::Failed { stderr, .. } => failure.with_stderr(stderr),
        _ => failure,
    }
}

/// Arguments of `brisk spin`.
#[derive(Debug, Args)]
pub(super) struct SpinArguments {
    /// How much to do
    #[arg(long, value_name = "N")]
    iterations: u64,
}

/// Does the work, without output.
pub(super) fn spin(arguments: &SpinArguments) -> Done {
    std::hint::black_box(spin::work(arguments.iterations));
    Ok(ExitCode::Fine)
}
