//! `brisk compare`: is one command faster than another?

use std::collections::BTreeMap;
use std::path::Path;

use ::engine::Chosen;
use ::laboratory::commits::{CommandAtCommits, Programs};
use ::laboratory::conducting::check_counters;
use ::laboratory::project::BuildConduct;
use ::laboratory::question::{Question, Site};
use clap::Args;
use configuration::suite::refused_quantile;
use configuration::{
    CommandOptions, CommitOptions, ExportOptions, MeasuringOptions, ReadingOptions,
    StoppingOptions, StoreOptions, commands, measuring,
};
use laboratory::archive::{self, With};
use measure::Launcher;
use model::commission::{Kind, Subject};
use model::design::contrasts::{Contrasts, Earlier};
use model::design::stopping::StoppingRule;
use model::failure::{Failing, Failure};
use model::metric::{self, MetricId};
use model::spec::{Experiment, copies, exactly};
use report::export::{Exports, Shown};
use serde_json::json;

use super::laboratory::{Laboratory, same_program};
use super::output::{Output, note};
use super::watching::Terminal;
use super::{Done, Findings};

/// Arguments of `brisk compare`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: brisk compare 'sort big.txt' 'sort --parallel=1 big.txt'",
    after_long_help = "Examples:
  brisk compare 'sort big.txt' 'sort --parallel=1 big.txt'
  brisk compare --at main..WORKTREE '{artifact} big.txt'
  brisk compare --with 12 'sort big.txt'"
)]
pub(super) struct CompareArguments {
    #[command(flatten)]
    commands: CommandOptions,
    #[command(flatten)]
    commits: CommitOptions,
    /// The benchmark of brisk.toml whose command to run, if `--at` is given without a command
    #[arg(long, value_name = "NAME", requires = "at", help_heading = "What is run")]
    benchmark: Option<String>,
    /// Compare also with a stored experiment of this machine: with its first command, or with the
    /// one called NAME. Experiments differ from one time to another, and brisk needs several stored
    /// experiments of that command to know by how much; without them the answer is inconclusive
    #[arg(long, value_name = "ID[:NAME]", help_heading = "What is run")]
    with: Option<With>,
    /// Explain what changed between the commits of `--at`: its class, functions and hunks
    ///
    /// brisk counts the instructions of each function on both sides, and builds programs with some of
    /// the hunks until it can prove which of them make the change. This takes about as long as the
    /// measurement, besides builds.
    #[arg(long, requires = "at", help_heading = "What is run")]
    explain: bool,
    /// Begin again, also where the same comparison was interrupted and could go on
    #[arg(long)]
    remeasure: bool,
    #[command(flatten)]
    stopping: StoppingOptions,
    #[command(flatten)]
    reading: ReadingOptions,
    /// Sample memory over time in separate runs, and say whether it grows
    #[arg(long, help_heading = "What is read")]
    memory_over_time: bool,
    #[command(flatten)]
    measuring: MeasuringOptions,
    #[command(flatten)]
    export: ExportOptions,
}

/// Checks everything, builds what has to be built, runs the experiment, and reports.
pub(super) fn run(arguments: &CompareArguments, output: &Output) -> Done {
    // Before anything that takes memory: the launcher's own memory is the smallest peak it can see.
    let mut launcher = Launcher::start()?;
    let earlier = earlier(arguments)?;
    let engine = arguments.measuring.engine(Path::new("."))?;
    let engine = engine.as_ref();
    if arguments.explain && engine.is_some() {
        return Err(Failure::new("`--explain` cannot be combined with `--on`")
            .because("programs with some of the hunks are built and counted on this machine"));
    }
    if arguments.commits.at.is_empty() {
        refuse_build(arguments)?;
        let experiment = commands::experiment(&arguments.commands)?;
        let (stopping, reading) = (&arguments.stopping, &arguments.reading);
        let checked = Checked::new(arguments, stopping, reading, engine, earlier)?;
        return checked.measure(&experiment, &mut launcher, output);
    }
    let mut terminal = Terminal::new(output, &arguments.measuring, &arguments.stopping);
    let asked = CommandAtCommits::new(
        &arguments.commits,
        arguments.benchmark.as_deref(),
        &arguments.commands,
        &arguments.stopping,
        &arguments.reading,
        &mut terminal,
    )?;
    let checked = Checked::new(arguments, &asked.stopping, &asked.reading, engine, earlier)?;
    if engine.is_none() {
        check_counters(asked.reading.counters, &launcher)?;
    }
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;
    let conduct = BuildConduct::from_options(&arguments.measuring, engine);
    let built = asked.build(conduct, &mut terminal)?;
    drop(terminal);
    match built {
        Programs::Differ(experiment) => {
            let explains = Some(&asked).filter(|_| arguments.explain);
            Checked { explains, ..checked }.measure(&experiment, &mut launcher, output)
        }
        Programs::Same(names) => same_program(&names, output),
    }
}

/// The stored experiment to compare with, if one is named.
fn earlier(arguments: &CompareArguments) -> Result<Option<Earlier>, Failure> {
    let Some(with) = &arguments.with else { return Ok(None) };
    let store = archive::open_for_reading(&arguments.measuring.store.place()?)?;
    let copies = copies::sizes(&arguments.commands.run_settings()?.copies);
    archive::find(&store, with, &copies).map(Some)
}

/// Refuses build options that need commits, if no commits are named.
fn refuse_build(arguments: &CompareArguments) -> Result<(), Failure> {
    arguments.commits.check_layouts()?;
    let build = &arguments.commits.build;
    if build.build.is_some() || build.artifact.is_some() {
        return Err(Failure::new("`--build` and `--artifact` apply to commits, and none is named")
            .hint(Some("name them with `--at OLD..NEW`")));
    }
    Ok(())
}

/// The checked request, independent of the experiment.
struct Checked<'a> {
    arguments: &'a CompareArguments,
    stopping: &'a StoppingOptions,
    reading: &'a ReadingOptions,
    engine: Option<&'a Chosen>,
    earlier: Option<Earlier>,
    /// The metrics named by the user.
    metrics: Option<Vec<MetricId>>,
    /// Metrics judged besides the usual ones.
    more: Vec<MetricId>,
    exports: Exports,
    /// The commits whose changes are explained.
    explains: Option<&'a CommandAtCommits>,
}

impl<'a> Checked<'a> {
    /// Refuses invalid options before anything is measured.
    fn new(
        arguments: &'a CompareArguments,
        stopping: &'a StoppingOptions,
        reading: &'a ReadingOptions,
        engine: Option<&'a Chosen>,
        earlier: Option<Earlier>,
    ) -> Result<Self, Failure> {
        stopping.rule(1)?;
        let more = arguments.commands.more_metrics()?;
        let metrics = named_metrics(arguments, reading, &more)?;
        check_copies(arguments, metrics.as_deref(), engine)?;
        let exports = arguments.export.exports();
        exports.check(Shown::from(Kind::Compare))?;
        let explains = None;
        Ok(Self { arguments, stopping, reading, engine, earlier, metrics, more, exports, explains })
    }

    /// Measures an experiment, and reports.
    fn measure(self, experiment: &Experiment, launcher: &mut Launcher, output: &Output) -> Done {
        let Self { arguments, stopping, reading, engine, metrics, explains, .. } = self;
        let rule = stopping.rule(experiment.variants.len())?;
        let rule = StoppingRule { own_metrics: self.more, ..rule };
        measure::interrupt::install().failing("cannot watch for Ctrl-C")?;

        let variants = u32::try_from(experiment.variants.len()).expect("at most 2^20");
        let contrasts = Contrasts::of_commands(variants, experiment.commands);
        let contrasts = contrasts.with_earlier(variants, self.earlier);
        let rule = stopping.with_enough_rounds(rule, &contrasts, metrics.as_deref());
        let scratch = arguments.measuring.store.scratch();
        let mut measuring = arguments.measuring.clone();
        if let Some((folder, unusable)) = &scratch {
            note(&format!("{unusable}; this comparison is not kept"));
            measuring.store = StoreOptions::within(folder);
        }
        let site = Site::new(engine, measuring.hold.no_wait);
        let named = metrics.as_deref();
        let question = Question {
            subject: subject(arguments, reading, engine, experiment, &contrasts, &rule, named),
            title: title(experiment),
            sources: reading.sources(),
            samples_memory: arguments.memory_over_time,
            metrics,
            ..Question::new(Kind::Compare, experiment, contrasts, &rule)
        };
        let laboratory = Laboratory {
            is_kept: scratch.is_none(),
            prints: arguments.commands.invocation.show_output,
            explains,
            ..Laboratory::new(question, site, &measuring, stopping)
        };
        let document = laboratory.report(launcher, arguments.remeasure, &self.exports, output)?;
        Findings::from_document(&document).done(stopping.require_verdict)
    }
}

/// Refuses metrics that only several copies have, and those that copies cannot have.
fn check_copies(
    arguments: &CompareArguments,
    metrics: Option<&[MetricId]>,
    engine: Option<&Chosen>,
) -> Result<(), Failure> {
    let commands = &arguments.commands;
    if commands.run_settings()?.copies.is_empty() {
        let named =
            metrics.into_iter().flatten().find(|id| metric::OF_COPIES.contains(&id.reading()));
        return named.map_or(Ok(()), |id| {
            Err(Failure::new(format!("`--metrics {id}` is read of copies that run at once"))
                .hint(Some("say how many: `--copies auto` is one for each processor")))
        });
    }
    match engine {
        Some(_) => Err(Failure::new("`--copies` and `--on` cannot both be given")
            .because("how many copies make sense depends on the machine that they run on")
            .hint(Some("call brisk there"))),
        None => Ok(()),
    }
}

/// The metrics named by the user. Quantiles are only accepted if runs of programs are compared.
fn named_metrics(
    arguments: &CompareArguments,
    reading: &ReadingOptions,
    more: &[MetricId],
) -> Result<Option<Vec<MetricId>>, Failure> {
    let named = reading.chosen_with_quantiles(more)?;
    let quantile = named.iter().flatten().find(|id| id.quantile().is_some());
    match quantile {
        Some(id) if arguments.with.is_some() => Err(refused_quantile(id, "stored experiments")),
        Some(id) if arguments.commits.build.layouts() > 0 => Err(refused_quantile(id, "layouts")),
        _ => Ok(named),
    }
}

/// The canonical form of the request, by which an interrupted comparison is continued. None if a
/// setup command could rebuild the programs.
fn subject(
    arguments: &CompareArguments,
    reading: &ReadingOptions,
    engine: Option<&Chosen>,
    experiment: &Experiment,
    contrasts: &Contrasts,
    rule: &StoppingRule,
    metrics: Option<&[MetricId]>,
) -> Option<String> {
    if experiment.variants.iter().any(|variant| variant.setup.is_some()) {
        return None;
    }
    let programs = experiment.variants.iter().map(|variant| variant.run.resolve());
    let programs = programs.map(|found| Some(exactly(found.ok()?.program.as_os_str())));
    let programs: Option<Vec<String>> = programs.collect();
    let more = json!({
        "experiment": experiment,
        "programs": programs?,
        "own_metrics": rule.own_metrics,
        "memory": arguments.memory_over_time,
        "earlier": contrasts.earlier,
    });
    let subject = Subject {
        machine: measuring::machine(engine),
        metrics,
        sources: Some(reading.sources()),
        more: BTreeMap::from([("asked", more)]),
        ..Subject::new(Kind::Compare, rule)
    };
    Some(subject.canonical())
}

/// The title in lists: the first variants.
fn title(experiment: &Experiment) -> String {
    let names: Vec<&str> =
        experiment.variants.iter().take(3).map(|variant| variant.name.as_str()).collect();
    names.join(" · ")
}
