//! `brisk compare`: is one command faster than another?

use clap::Args;
use measure::Launcher;

use super::Done;
use super::exit::ExitCode;
use super::failure::Failure;
use super::laboratory::{Laboratory, Telling, check_counters, run_failure};
use super::output::Output;
use crate::archive;
use crate::judge::contrasts::Contrasts;
use crate::judge::stopping::StoppingOptions;
use crate::report::export::ExportOptions;
use crate::run::instrument::{self, memory::MemoryOverTime};
use crate::run::local::LocalExecutor;
use crate::spec::Experiment;
use crate::spec::commands::{self, CommandOptions};
use crate::spec::reading::ReadingOptions;
use crate::store::StoreOptions;

/// Arguments of `brisk compare`.
#[derive(Debug, Args)]
#[command(after_help = "Example: brisk compare 'sort big.txt' 'sort --parallel=1 big.txt'")]
pub(super) struct CompareArguments {
    #[command(flatten)]
    commands: CommandOptions,
    #[command(flatten)]
    stopping: StoppingOptions,
    #[command(flatten)]
    reading: ReadingOptions,
    /// Sample memory over time in separate runs, and say whether it grows
    #[arg(long, help_heading = "What is read")]
    memory_over_time: bool,
    #[command(flatten)]
    store: StoreOptions,
    #[command(flatten)]
    export: ExportOptions,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
}

/// Checks everything, runs the experiment, and reports.
pub(super) fn run(arguments: &CompareArguments, output: &Output) -> Done {
    // Before anything that takes memory: what the launcher holds is the least
    // peak it can see.
    let mut launcher = Launcher::start().map_err(|error| Failure::from_error(&error))?;
    let experiment = commands::experiment(&arguments.commands)
        .map_err(|error| Failure::from_error(&error).hint(error.hint()))?;
    let rule = (arguments.stopping.rule(experiment.variants.len()))
        .map_err(|error| Failure::from_error(&error))?;
    let metrics =
        (arguments.reading.chosen_metrics()).map_err(|error| Failure::from_error(&error))?;
    arguments
        .export
        .check(arguments.memory_over_time)
        .map_err(|error| Failure::from_error(&error))?;
    LocalExecutor::check(&experiment).map_err(|error| run_failure(&error, None))?;
    let mut instruments = instrument::choose(&arguments.reading, &experiment, metrics.as_deref())
        .map_err(|error| Failure::from_error(&error).hint(error.hint()))?;
    if arguments.memory_over_time {
        let sampled = MemoryOverTime::new(arguments.reading.runtime(), &experiment);
        instruments.push(Box::new(sampled));
    }
    check_counters(arguments.reading.counters, &launcher)?;
    measure::interrupt::install()
        .map_err(|error| Failure::new("cannot watch for Ctrl-C").caused_by(&error))?;

    let variants = u32::try_from(experiment.variants.len()).expect("at most 2^20");
    let contrasts = Contrasts::of_commands(variants, experiment.commands);
    let members = contrasts.members(metrics.as_deref(), rule.confidence);
    let rule = arguments.stopping.with_enough_rounds(rule, &members);
    let laboratory = Laboratory {
        experiment: &experiment,
        contrasts,
        subject: None,
        title: title(&experiment),
        rule: &rule,
        reads: arguments.reading.reads(metrics.as_deref()),
        metrics,
        seed: arguments.stopping.seed,
        shows_progress: !arguments.quiet && !arguments.commands.invocation.show_output,
    };
    let path = arguments.store.path().map_err(|error| archive::failure(&error))?;
    output.message(&laboratory.remark());
    let measured = laboratory.measure(&path, &mut launcher, instruments, None)?;
    let telling = Telling {
        experiment: &experiment,
        path: &path,
        export: &arguments.export,
        after_interruption: |id| format!("they are stored: `brisk show {id}`"),
    };
    let document = telling.tell(measured, output)?;
    Ok(ExitCode::of(&document, arguments.stopping.require_verdict))
}

/// What lists call it: its first variants.
fn title(experiment: &Experiment) -> String {
    let names: Vec<&str> =
        experiment.variants.iter().take(3).map(|variant| variant.name.as_str()).collect();
    names.join(" · ")
}
