//! `brisk bench`: the benchmarks inside a program, each in separate processes.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use ::engine::Chosen;
use ::laboratory::commits::{Executable, Executables, affected, executables};
use ::laboratory::measured::BUDGET_RUNS;
use ::laboratory::project::BuildConduct;
use ::laboratory::question::{Question, Site};
use clap::Args;
use configuration::suite::{check_metrics, judged_metrics, parse_metrics};
use configuration::{
    BaselineOptions, CommitOptions, ExportOptions, MeasuringOptions, StoppingOptions, SuiteOptions,
    measuring, settings,
};
use measure::Launcher;
use model::commission::{self, Compared, Kind, Subject};
use model::design::contrasts::Contrasts;
use model::design::stopping::{Stage, StoppingRule};
use model::failure::{Failing, Failure};
use model::metric::{MetricId, TIME_PER_ITERATION};
use model::spec::Experiment;
use model::spec::artifacts::Layouts;
use model::spec::suite::{
    self, Arrangement, Filter, HarnessOption, Suite, SuiteProgram, SuiteRequest,
};
use report::export::Shown;
use run::suite::listing;

use super::laboratory::{Laboratory, same_program};
use super::output::Output;
use super::watching::Terminal;
use super::{Done, ExitCode, Findings};

/// Arguments of `brisk bench`.
#[derive(Debug, Args)]
#[command(after_help = "Example: brisk bench --filter Decode old.test new.test")]
pub(super) struct BenchArguments {
    #[command(flatten)]
    suite: SuiteOptions,
    #[command(flatten)]
    commits: CommitOptions,
    /// Measure only the benchmarks that the change between the commits can affect
    ///
    /// The code that benchmarks run is counted by callgrind, once for each program. A benchmark is skipped
    /// only if it is proved that it does the same in both programs; for that, they need symbols and
    /// debug information.
    #[arg(long, requires = "at", conflicts_with = "made_of", help_heading = "What is run")]
    affected: bool,
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
    measuring: MeasuringOptions,
    #[command(flatten)]
    export: ExportOptions,
}

/// Checks everything, asks the programs for their benchmarks, runs the experiment, and reports.
pub(super) fn run(arguments: &BenchArguments, output: &Output) -> Done {
    // Before anything that takes memory: the launcher's own memory is the smallest peak it can see.
    let mut launcher = Launcher::start()?;
    let mut request = check(arguments)?;
    let harness = harness(arguments)?;
    let engine = arguments.measuring.engine(Path::new("."))?;
    let engine = engine.as_ref();
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;
    let typed = &arguments.suite.programs()?;
    let conduct = BuildConduct::from_options(&arguments.measuring, engine);
    let mut terminal = Terminal::new(output, &arguments.measuring, &arguments.stopping);
    let executables = executables(&arguments.commits, typed, conduct, &mut terminal)?;
    drop(terminal);
    let executables = match executables {
        Executables::Some(executables) => executables,
        Executables::Same { names } => return same_program(&names, output),
    };
    let layouts: Vec<Layouts> = executables.iter().map(|one| one.layouts.clone()).collect();
    let programs = programs(&arguments.suite, harness, &request, &executables)?;
    if arguments.suite.list {
        return list(&request.filter, &programs, output);
    }
    let mut reach = None;
    if arguments.affected {
        let mut terminal = Terminal::new(output, &arguments.measuring, &arguments.stopping);
        let (at, all) = (&arguments.commits, &executables);
        let found = affected(at, all, &programs, &request, &mut launcher, &mut terminal)?;
        if found.reaches_nothing() {
            return output.page(&report::reach::page(&found)).map(|()| ExitCode::Fine);
        }
        let left = found.benchmarks.iter().filter(|one| !found.skips(&one.benchmark));
        let texts = left.map(|one| one.benchmark.clone()).collect();
        request.filter = Filter { texts, exact: true };
        reach = Some(found);
    }
    let metrics = judged_metrics(named_metrics(arguments)?.as_deref(), &programs);
    let (suite, mut experiment, mut contrasts) = suite::suite(&request, programs)?;
    for (variant, member) in experiment.variants.iter_mut().zip(&suite.members) {
        variant.runs_in(layouts[member.program].clone());
    }
    arguments.baseline.put_on(&suite.programs, &request.filter, &mut experiment)?;
    let stopping = stopping(arguments, &suite, &contrasts, &metrics)?;
    if let Some(company) = contrasts.company.as_mut().filter(|_| stopping.is_fixed()) {
        company.rounds = stopping.max_rounds;
    }
    let question = Question {
        subject: subject(arguments, engine, &suite, &experiment, &stopping, &metrics).ok(),
        title: title(&suite),
        suite: Some(&suite),
        metrics: Some(metrics),
        ..Question::new(Kind::Bench, &experiment, contrasts, &stopping)
    };
    let site = Site::new(engine, arguments.measuring.hold.no_wait);
    let laboratory = Laboratory {
        reach,
        ..Laboratory::new(question, site, &arguments.measuring, &arguments.stopping)
    };
    let exports = arguments.export.exports();
    let document = laboratory.report(&mut launcher, arguments.remeasure, &exports, output)?;
    if !document.summaries.iter().any(|part| part.metric == TIME_PER_ITERATION) {
        let count = experiment.variants.len();
        return Err(Failure::new(format!("nothing was measured of {count} benchmarks")));
    }
    Findings::from_document(&document).done(arguments.stopping.require_verdict)
}

/// Refuses invalid arguments, as far as possible before a program is asked for its benchmarks.
fn check(arguments: &BenchArguments) -> Result<SuiteRequest, Failure> {
    if arguments.suite.programs()?.is_empty() {
        return Err(Failure::new("no program with benchmarks is named")
            .because("`brisk bench` runs a program that is built")
            .hint(Some(how_to_build(Path::new(".")))));
    }
    let request = arguments.suite.request()?;
    arguments.commits.check_layouts()?;
    arguments.stopping.rule(1)?;
    named_metrics(arguments)?;
    arguments.export.exports().check(Shown::from(Kind::Bench))?;
    Ok(request)
}

/// A hint with the commands that build and measure a project's benchmarks.
fn how_to_build(project: &Path) -> &'static str {
    let has = |name: &str| project.join(name).is_file();
    if has("Cargo.toml") {
        "`cargo bench --no-run` builds it and prints its path: `brisk bench target/release/deps/NAME-HASH`"
    } else if has("go.mod") {
        "`go test -c -o bench.test PACKAGE` builds it: `brisk bench ./bench.test`"
    } else {
        "build it and name it, as in `brisk bench ./benchmarks`; of commits, `brisk bench --at OLD..NEW \
         PATH` builds it"
    }
}

fn named_metrics(arguments: &BenchArguments) -> Result<Option<Vec<MetricId>>, Failure> {
    let named = parse_metrics(arguments.metrics.as_deref())?;
    let order = arguments.suite.order.unwrap_or(Arrangement::Alone);
    check_metrics(named.as_deref(), order, "brisk bench")?;
    Ok(named)
}

/// The harness that is asked for; only one that brisk does not have makes it read the project's file.
fn harness(arguments: &BenchArguments) -> Result<HarnessOption, Failure> {
    let harness = arguments.suite.harness;
    if !matches!(harness, HarnessOption::OfProject(_)) {
        return Ok(harness);
    }
    let file = settings::read(arguments.commits.folder())?.unwrap_or_default();
    Ok(harness.resolved(&file.harnesses)?)
}

fn programs(
    options: &SuiteOptions,
    harness: HarnessOption,
    request: &SuiteRequest,
    executables: &[Executable],
) -> Result<Vec<SuiteProgram>, Failure> {
    let mut programs = Vec::new();
    for executable in executables {
        let program = std::iter::once(executable.path.clone().into_os_string());
        let mut run = options.invocation(program.chain(executable.arguments.clone()).collect())?;
        if let Some(checkout) = &executable.checkout {
            checkout.move_here(&mut run);
        }
        let mut program = listing::program(run, harness, request.timeout)?;
        if let Some(name) = &executable.name {
            program.name.clone_from(name);
        }
        programs.push(program);
    }
    Ok(programs)
}

/// Lists the selected names, one per line: those of the first program, then those that only the
/// second has.
fn list(filter: &Filter, programs: &[SuiteProgram], output: &Output) -> Done {
    let mut names: Vec<&String> = Vec::new();
    for (number, program) in programs.iter().enumerate() {
        let selected = program.listed.iter().filter(|name| filter.selects(name));
        let before = names.clone();
        names.extend(selected.filter(|name| number == 0 || !before.contains(name)));
    }
    let text: String = names.iter().map(|name| format!("{name}\n")).collect();
    output.data(&text).map(|()| ExitCode::Fine)
}

fn stopping(
    arguments: &BenchArguments,
    suite: &Suite,
    contrasts: &Contrasts,
    metrics: &[MetricId],
) -> Result<StoppingRule, Failure> {
    let options = &arguments.stopping;
    let seconds = BUDGET_RUNS * suite.seconds_per_run * suite.members.len() as f64;
    let rule = options.rule_within(seconds)?;
    let rule = StoppingRule { resolution: 1.0, stage: Stage::first(), ..rule };
    Ok(options.with_enough_rounds(rule, contrasts, Some(metrics)))
}

/// The canonical form of the request, by which an interrupted bench is continued.
///
/// # Errors
///
/// When nobody knows that the programs are still the same: a file of theirs cannot be read, or a
/// command reads files that it does not name, and they are not those of a commit.
fn subject(
    arguments: &BenchArguments,
    engine: Option<&Chosen>,
    suite: &Suite,
    experiment: &Experiment,
    rule: &StoppingRule,
    metrics: &[MetricId],
) -> io::Result<String> {
    let reads_others = |program: &SuiteProgram| !program.harness.commands.is_empty();
    if arguments.commits.at.is_empty() && suite.programs.iter().any(reads_others) {
        return Err(io::Error::other("its files may have changed"));
    }
    let programs =
        suite.programs.iter().map(|program| commission::ProgramIdentity::read(&program.run));
    let seconds = serde_json::json!(suite.seconds_per_run);
    let timeout = serde_json::json!(arguments.suite.timeout);
    let subject = Subject {
        machine: measuring::machine(engine),
        metrics: Some(metrics),
        variants: experiment.variants.iter().map(Compared::new).collect(),
        programs: programs.collect::<io::Result<_>>()?,
        more: BTreeMap::from([("seconds_per_run", seconds), ("timeout", timeout)]),
        ..Subject::new(Kind::Bench, rule)
    };
    Ok(subject.canonical())
}

/// The title in lists: the names of the programs.
fn title(suite: &Suite) -> String {
    let names: Vec<&str> = suite.programs.iter().map(|program| program.name.as_str()).collect();
    names.join(" · ")
}
