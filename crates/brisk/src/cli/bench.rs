//! `brisk bench`: the benchmarks inside a program, each in processes of its own.

pub(super) mod commits;
pub(super) mod following;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use clap::Args;
use measure::Launcher;

use super::Done;
use super::exit::ExitCode;
use super::laboratory::{self, GOES_ON, Kept, Laboratory, MeasuredExperiment, Reuse, run_failure};
use super::output::Output;
use super::suite_metrics;
use crate::archive;
use crate::cli::options::engine::{self, EngineOptions};
use crate::cli::options::export::ExportOptions;
use crate::cli::options::hold::HoldOptions;
use crate::cli::options::stopping::StoppingOptions;
use crate::cli::options::store::StoreOptions;
use crate::cli::options::suite::{BaselineOptions, SuiteOptions};
use crate::cli::project::BuildConduct;
use crate::commission::{self, Compared, Kind, Subject};
use crate::engine::Chosen;
use crate::failure::Failure;
use crate::judge::contrasts::Contrasts;
use crate::judge::stage::Stage;
use crate::judge::stopping::StoppingRule;
use crate::metric::{MetricId, TIME_PER_ITERATION};
use crate::report::document::Document;
use crate::report::export::Shown;
use crate::report::suite::missing;
use crate::run::Ending;
use crate::run::suite::listing;
use crate::spec::Experiment;
use crate::spec::reading::Sources;
use crate::spec::suite::{self, Arrangement, Filter, Suite, SuiteProgram, SuiteRequest};
use crate::store::{ExperimentId, Place};
use commits::{CommitOptions, Executable, Executables};

/// Arguments of `brisk bench`.
#[derive(Debug, Args)]
#[command(after_help = "Example: brisk bench --filter Decode old.test new.test")]
pub(super) struct BenchArguments {
    #[command(flatten)]
    suite: SuiteOptions,
    #[command(flatten)]
    commits: CommitOptions,
    #[command(flatten)]
    baseline: BaselineOptions,
    /// Show and judge these metrics; each of them decides. By default `time_per_iteration` does,
    /// and `allocated_per_iteration` if the harness always reports it
    #[arg(long, value_name = "METRIC,...", help_heading = "What is read")]
    metrics: Option<String>,
    /// Start again from the beginning, instead of continuing an experiment that was interrupted or
    /// inconclusive
    #[arg(long, help_heading = "What is run")]
    remeasure: bool,
    #[command(flatten)]
    stopping: StoppingOptions,
    #[command(flatten)]
    hold: HoldOptions,
    #[command(flatten)]
    engine: EngineOptions,
    #[command(flatten)]
    store: StoreOptions,
    #[command(flatten)]
    export: ExportOptions,
    /// Do not show progress
    #[arg(short, long)]
    quiet: bool,
}

/// The default budget for each benchmark of each program, in processes that take as long as they
/// are told. So a suite takes about as long as its harness alone would.
pub(super) const BUDGET_RUNS: f64 = 20.0;

/// Checks everything, asks the programs for their benchmarks, runs the experiment, and reports.
pub(super) fn run(arguments: &BenchArguments, output: &Output) -> Done {
    // Before anything that takes memory: what the launcher holds is the least
    // peak it can see.
    let mut launcher = Launcher::start()?;
    let request = check(arguments)?;
    let engine = arguments.engine.chosen(Path::new("."), &arguments.store)?;
    let engine = engine.as_ref();
    measure::interrupt::install()
        .map_err(|error| Failure::new("cannot watch for Ctrl-C").caused_by(&error))?;
    let typed = &arguments.suite.executables;
    let conduct = BuildConduct { hold: arguments.hold, quiet: arguments.quiet, engine };
    let executables = match commits::executables(&arguments.commits, typed, conduct)? {
        Executables::Some(executables) => executables,
        Executables::Same { names: [old, new] } => {
            let same = "make the same program, byte for byte: there is nothing to measure";
            return output.data(&format!("{old}\n{new}\n{same}\n")).map(|()| ExitCode::Fine);
        }
    };
    let programs = programs((&arguments.suite, &request), executables)?;
    if arguments.suite.list {
        return list(&request.filter, &programs, output);
    }
    let metrics = metrics(arguments, &programs)?;
    let (suite, mut experiment, mut contrasts) = suite::suite(&request, programs)?;
    (arguments.baseline.put_on(&suite.programs, &mut experiment))?;
    let stopping = stopping(arguments, &suite, &contrasts, &metrics)?;
    if let Some(company) = contrasts.company.as_mut().filter(|_| stopping.is_fixed()) {
        company.rounds = stopping.max_rounds;
    }
    let laboratory = Laboratory {
        experiment: &experiment,
        contrasts,
        kind: Kind::Bench,
        project: None,
        subject: subject((arguments, engine), (&suite, &experiment), &stopping, &metrics).ok(),
        title: title(&suite),
        rule: &stopping,
        suite: Some(&suite),
        sources: Sources::NONE,
        samples_memory: false,
        metrics: Some(metrics),
        seed: arguments.stopping.seed,
        budget_is_asked: arguments.stopping.budget.is_some(),
        shows_progress: !arguments.quiet,
        hold: arguments.hold,
        engine,
    };
    let place = arguments.store.place()?;
    output.message(&laboratory.remark());
    let asked = Reuse {
        remeasures: arguments.remeasure,
        says_how_long: arguments.stopping.says_how_long(),
    };
    let interrupted = laboratory.earlier(&place, asked, output)?;
    let measured = laboratory.measure(&place, &mut launcher, interrupted)?;
    report(arguments, &experiment, &place, measured, output)
}

/// What can be refused before a program is asked for its benchmarks.
fn check(arguments: &BenchArguments) -> Result<SuiteRequest, Failure> {
    let request = arguments.suite.request();
    let request = request?;
    arguments.stopping.rule(1)?;
    named_metrics(arguments)?;
    arguments.export.exports().check(Shown::of(Kind::Bench, false))?;
    Ok(request)
}

fn named_metrics(arguments: &BenchArguments) -> Result<Option<Vec<MetricId>>, Failure> {
    let named = suite_metrics::parsed(arguments.metrics.as_deref())?;
    let order = arguments.suite.order.unwrap_or(Arrangement::Alone);
    suite_metrics::check(named.as_deref(), order, "brisk bench")?;
    Ok(named)
}

fn programs(
    (options, request): (&SuiteOptions, &SuiteRequest),
    executables: Vec<Executable>,
) -> Result<Vec<SuiteProgram>, Failure> {
    let mut programs = Vec::new();
    for executable in executables {
        let run = options.invocation(&executable.path)?;
        let mut program =
            listing::program(run, options.harness, request.timeout).map_err(|error| {
                let failure = Failure::from_error(&error).hint(error.hint());
                match error.last_lines() {
                    Some(lines) => failure.because(format!("its last lines:\n{lines}")),
                    None => failure,
                }
            })?;
        if let Some(name) = executable.name {
            program.name = name;
        }
        programs.push(program);
    }
    Ok(programs)
}

/// The names that are selected, one a line; of two programs those of the first, then those that
/// only the second has.
fn list(filter: &Filter, programs: &[SuiteProgram], output: &Output) -> Done {
    let mut names: Vec<&String> = Vec::new();
    for (number, program) in programs.iter().enumerate() {
        let selected = program.listed.iter().filter(|name| filter.selects(name));
        let before = names.clone();
        names.extend(selected.filter(|name| number == 0 || !before.contains(name)));
    }
    let text: String = names.iter().map(|name| format!("{name}\n")).collect();
    output.data(&text)?;
    Ok(ExitCode::Fine)
}

fn metrics(
    arguments: &BenchArguments,
    programs: &[SuiteProgram],
) -> Result<Vec<MetricId>, Failure> {
    Ok(suite_metrics::judged(named_metrics(arguments)?.as_deref(), programs))
}

fn stopping(
    arguments: &BenchArguments,
    suite: &Suite,
    contrasts: &Contrasts,
    metrics: &[MetricId],
) -> Result<StoppingRule, Failure> {
    let options = &arguments.stopping;
    let rule = options.rule(suite.members.len())?;
    let seconds = BUDGET_RUNS * suite.seconds_per_run * suite.members.len() as f64;
    let budget_seconds = match rule.budget_seconds {
        Some(_) if options.budget.is_none() => Some(seconds),
        asked => asked,
    };
    let rule = StoppingRule { budget_seconds, resolution: 1.0, stage: Stage::first(), ..rule };
    let members = contrasts.members(Some(metrics), &rule);
    Ok(options.with_enough_rounds(rule, &members))
}

/// What is asked, to go on with a bench that was interrupted.
fn subject(
    (arguments, engine): (&BenchArguments, Option<&Chosen>),
    (suite, experiment): (&Suite, &Experiment),
    rule: &StoppingRule,
    metrics: &[MetricId],
) -> io::Result<String> {
    let programs =
        suite.programs.iter().map(|program| commission::ProgramIdentity::read(&program.run));
    let seconds = serde_json::json!(suite.seconds_per_run);
    let timeout = serde_json::json!(arguments.suite.timeout);
    let subject = Subject {
        machine: engine::machine(engine),
        metrics: Some(metrics),
        variants: experiment.variants.iter().map(Compared::new).collect(),
        programs: programs.collect::<io::Result<_>>()?,
        more: BTreeMap::from([("seconds_per_run", seconds), ("timeout", timeout)]),
        ..Subject::new(Kind::Bench, rule)
    };
    Ok(subject.canonical())
}

/// What lists call it: its programs.
fn title(suite: &Suite) -> String {
    let names: Vec<&str> = suite.programs.iter().map(|program| program.name.as_str()).collect();
    names.join(" · ")
}

fn report(
    arguments: &BenchArguments,
    experiment: &Experiment,
    place: &Place,
    measured: MeasuredExperiment,
    output: &Output,
) -> Done {
    let MeasuredExperiment { id, ending, conducted } = measured;
    let rounds = conducted.rounds;
    let finished = laboratory::finish(place, id, conducted);
    // What ended it may also be why the report cannot be kept, and is told first.
    match &ending {
        Err(error) => {
            return Err(run_failure(error, Some(Kept { id, rounds, goes_on: true })));
        }
        Ok(Ending::Aborted) if rounds == 0 => {
            return Err(Failure::new("interrupted before the first round was done"));
        }
        Ok(_) => {}
    }
    let (store, document) = finished?;
    output.document(&document)?;
    archive::export(&arguments.export.exports(), &store, id, &document).map_err(|failure| {
        failure.hint(Some(format!("nothing is lost: `brisk export {id}` writes it again")))
    })?;
    if matches!(ending, Ok(Ending::Aborted)) {
        return Err(Failure::new(format!("interrupted after {rounds} rounds")).hint(Some(GOES_ON)));
    }
    if !has_any_time(&document) {
        let count = experiment.variants.len();
        return Err(Failure::new(format!("nothing was measured of {count} benchmarks")));
    }
    match left_out(&document, id) {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::of(&document, arguments.stopping.require_verdict)),
    }
}

/// The judged benchmarks that were left out because their processes failed again and again. What
/// was measured is told before.
fn left_out(document: &Document, id: ExperimentId) -> Option<Failure> {
    let names = missing::given_up(document);
    let (first, others) = names.split_first()?;
    let names = others.iter().fold(first.clone(), |all, name| format!("{all}, {name}"));
    let they = if others.is_empty() { "it" } else { "they" };
    let failure = Failure::new(format!("left out, because {they} failed: {names}"));
    let stored = format!("the rest is judged and stored as experiment {id}; `--filter` selects it");
    Some(failure.hint(Some(stored)))
}

fn has_any_time(document: &Document) -> bool {
    document.summaries.iter().any(|part| part.metric == TIME_PER_ITERATION)
}
