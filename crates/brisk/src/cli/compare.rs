//! `brisk compare`: is one command faster than another?

use std::path::Path;

use clap::Args;
use measure::{Launcher, StartError};

use super::Done;
use super::exit::ExitCode;
use super::failure::Failure;
use super::output::Output;
use crate::conduct::{Conducted, Conductor, Design};
use crate::judge::contrasts::Contrasts;
use crate::judge::diagnosis::Note;
use crate::judge::stopping::{StopReason, StoppingOptions, StoppingRule};
use crate::metric::MetricId;
use crate::plan::Plan;
use crate::report::document::Document;
use crate::report::export::ExportOptions;
use crate::report::progress::Bar;
use crate::run::instrument::{self, Instruments};
use crate::run::local::LocalExecutor;
use crate::run::{Ending, RunError, execute};
use crate::spec::Experiment;
use crate::spec::commands::{self, CommandOptions};
use crate::spec::reading::{CounterOption, ReadingOptions};
use crate::store::{ExperimentId, NewExperiment, NewVariant, Store, StoreError, StoreOptions};
use crate::{archive, host};

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
    arguments.export.check().map_err(|error| Failure::from_error(&error))?;
    LocalExecutor::check(&experiment).map_err(|error| run_failure(&error, None))?;
    let instruments = instrument::choose(&arguments.reading, &experiment, metrics.as_deref())
        .map_err(|error| Failure::from_error(&error).hint(error.hint()))?;
    check_counters(arguments.reading.counters, &launcher)?;
    measure::interrupt::install()
        .map_err(|error| Failure::new("cannot watch for Ctrl-C").caused_by(&error))?;

    let laboratory = Laboratory { arguments, experiment: &experiment, rule: &rule, metrics };
    let path = arguments.store.path().map_err(|error| archive::failure(&error))?;
    let (id, ending, conducted) = laboratory.measure(&path, &mut launcher, instruments)?;
    laboratory.report(&path, id, &ending, conducted, output)
}

/// Counters that were demanded must be there; those that were not are missing with their reason.
fn check_counters(counters: CounterOption, launcher: &Launcher) -> Result<(), Failure> {
    if counters != CounterOption::Perf {
        return Ok(());
    }
    let available = launcher.available_counters();
    match available.counters.into_iter().find_map(|(counter, there)| Some((counter, there.err()?)))
    {
        Some((counter, reason)) => Err(Failure::new(format!("cannot count {}", counter.name()))
            .because(reason.to_string())
            .hint(Some("count in separate runs with `--counters valgrind`"))),
        None => Ok(()),
    }
}

struct Laboratory<'a> {
    arguments: &'a CompareArguments,
    experiment: &'a Experiment,
    rule: &'a StoppingRule,
    metrics: Option<Vec<MetricId>>,
}

/// How the running went, and what was conducted until then.
type Measured = (ExperimentId, Result<Ending, RunError>, Conducted);

impl Laboratory<'_> {
    fn measure(
        &self,
        path: &Path,
        launcher: &mut Launcher,
        instruments: Instruments,
    ) -> Result<Measured, Failure> {
        let mut store = archive::open_for_writing(path)?;
        let seed = self.arguments.stopping.seed.unwrap_or_else(host::fresh_seed);
        let (id, journal) =
            store.begin(&self.new_experiment(seed)).map_err(|error| archive::failure(&error))?;
        let variants = u32::try_from(self.experiment.variants.len()).expect("at most 2^20");
        let plan = Plan { seed, variants };
        let descriptor = journal.file().map_err(|error| archive::failure(&error))?;
        let design = Design {
            variants,
            contrasts: Contrasts::of_commands(variants, self.experiment.commands),
            stopping: self.rule.clone(),
            metrics: self.metrics.clone(),
            instruments: instruments.iter().map(|instrument| instrument.source()).collect(),
            replayed: false,
        };
        let reads = self.arguments.reading.reads(self.metrics.as_deref());
        let mut executor = LocalExecutor::new(
            self.experiment,
            plan,
            launcher,
            Some(descriptor),
            reads,
            instruments,
        );
        let mut bar = Bar::new(
            self.rule.budget_seconds,
            self.rule.max_rounds,
            !self.arguments.quiet && !self.arguments.commands.invocation.show_output,
        );
        let mut keeper = archive::StoreKeeper::new(&mut store, id, &journal);
        let mut conductor = Conductor::new(design, &mut keeper, &mut bar);
        let ending = execute(&mut executor, &mut conductor);
        let stop = match &ending {
            Ok(_) => StopReason::Interrupted,
            Err(_) => StopReason::Failed,
        };
        let conducted = conductor.finish(stop);
        bar.clear();
        Ok((id, ending, conducted))
    }

    fn new_experiment(&self, seed: u64) -> NewExperiment {
        let names: Vec<&str> =
            self.experiment.variants.iter().take(3).map(|variant| variant.name.as_str()).collect();
        let variants = u32::try_from(self.experiment.variants.len()).expect("at most 2^20");
        let variant = |variant: &crate::spec::Variant| NewVariant {
            name: variant.name.clone(),
            command: variant.command.clone(),
            labels: variant.labels.clone(),
        };
        NewExperiment {
            started_unix_ns: measure::clock::unix_time_ns(),
            title: names.join(" · "),
            arguments: std::env::args().collect(),
            cwd: std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned(),
            brisk_version: env!("CARGO_PKG_VERSION").to_owned(),
            seed,
            commands: self.experiment.commands,
            contrasts: Contrasts::of_commands(variants, self.experiment.commands),
            subject: None,
            rule: self.rule.clone(),
            metrics: self.metrics.clone(),
            machine: host::machine(),
            conditions: host::conditions(),
            variants: self.experiment.variants.iter().map(variant).collect(),
        }
    }

    fn report(
        &self,
        path: &Path,
        id: ExperimentId,
        ending: &Result<Ending, RunError>,
        mut conducted: Conducted,
        output: &Output,
    ) -> Done {
        conducted.notes.splice(0..0, self.shell_note());
        let rounds = conducted.rounds;
        let finished = finish(path, id, conducted);
        // What ended it may also be why the report cannot be kept, and is told first.
        match ending {
            Err(error) => return Err(run_failure(error, Some((id, rounds)))),
            Ok(Ending::Aborted) if rounds == 0 => {
                return Err(Failure::new("interrupted before the first round was done"));
            }
            Ok(_) => {}
        }
        let (store, document) = finished?;
        output.data(&crate::report::terminal::render(&document, output.columns()))?;
        archive::export(&self.arguments.export, &store, id, &document).map_err(|failure| {
            failure.hint(Some(format!("nothing is lost: `brisk export {id}` writes it again")))
        })?;
        if matches!(ending, Ok(Ending::Aborted)) {
            return Err(Failure::new(format!("interrupted after {rounds} rounds"))
                .hint(Some(format!("they are stored: `brisk show {id}`"))));
        }
        Ok(ExitCode::of(&document, self.arguments.stopping.require_verdict))
    }

    fn shell_note(&self) -> Option<Note> {
        let shell = self.experiment.shell.as_ref()?;
        Some(Note::Shell {
            shell: shell.words.join(" "),
            syntax: shell.asked_by.as_ref().map(|(syntax, _)| *syntax),
            command: shell.asked_by.as_ref().map(|(_, command)| command.clone()),
        })
    }
}

/// Judges what was measured, and stores the report with it.
fn finish(
    path: &Path,
    id: ExperimentId,
    conducted: Conducted,
) -> Result<(Store, Document), Failure> {
    let mut store = Store::open(path).map_err(|error| archive::failure(&error))?;
    let document = archive::document(&store, id, conducted)?;
    archive::finish(&mut store, id, &document)?;
    Ok((store, document))
}

/// A failed run with its last words, and what became of the rounds before it.
fn run_failure(error: &RunError, stored: Option<(ExperimentId, u32)>) -> Failure {
    let mut failure = Failure::from_error(error);
    let mut hints: Vec<String> = Vec::new();
    match error {
        RunError::Failed { stderr, outcome, .. } => {
            if !stderr.is_empty() {
                failure = failure.because(format!("last lines of its standard error:\n{stderr}"));
            }
            hints.push(match outcome {
                measure::Outcome::Exited(code) => {
                    format!("allow it with `--ignore-failure={code}`")
                }
                measure::Outcome::TimedOut => "give it longer with `--timeout`".to_owned(),
                measure::Outcome::Signalled(_) => {
                    "allow every failure with `--ignore-failure`".to_owned()
                }
            });
        }
        RunError::Start { source: StartError::NotInPath { .. }, .. } => {
            hints.push("what only a shell knows, such as its own commands, needs `-S`".to_owned());
        }
        RunError::Start { source: StartError::NotExecutable { path }, .. } => {
            hints.push(format!("make it so: `chmod +x {}`", path.display()));
        }
        RunError::Observer(error) => {
            let trouble = error.downcast_ref::<StoreError>();
            hints.extend(trouble.and_then(StoreError::hint));
        }
        RunError::HookFailed { stderr, .. } if !stderr.is_empty() => {
            failure = failure.because(format!("last lines of its standard error:\n{stderr}"));
        }
        _ => {}
    }
    if let Some((id, rounds)) = stored.filter(|(_, rounds)| *rounds > 0) {
        let were = if rounds == 1 { "round is" } else { "rounds are" };
        hints.push(format!("the {rounds} finished {were} stored as experiment {id}"));
    }
    failure.hint((!hints.is_empty()).then(|| hints.join("; ")))
}
