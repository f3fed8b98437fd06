//! `brisk sweep`: one command at many points of its parameters: which is worth choosing?

mod tune;

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use measure::Launcher;

use super::Done;
use super::exit::ExitCode;
use super::laboratory::{Laboratory, Reuse, Telling};
use super::output::Output;
use crate::cli::options::engine::{self, EngineOptions};
use crate::cli::options::export::ExportOptions;
use crate::cli::options::hold::HoldOptions;
use crate::cli::options::reading::ReadingOptions;
use crate::cli::options::stopping::StoppingOptions;
use crate::cli::options::store::StoreOptions;
use crate::cli::options::sweep::{self, SweepOptions, TuneOptions};
use crate::commission::{Compared, Kind, Subject};
use crate::engine::Chosen;
use crate::failure::Failure;
use crate::judge::contrasts::Contrasts;
use crate::judge::stage::Stage;
use crate::judge::stopping::{StopReason, StoppingRule};
use crate::judge::{family, verdict::Verdict};
use crate::metric::MetricId;
use crate::report::document::{Document, PointState};
use crate::report::export::Shown;
use crate::spec::Experiment;
use crate::sweep::rule::SweepRule;

/// Arguments of `brisk sweep`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: brisk sweep --param s=32k..32M*4 --env 'OCAMLRUNPARAM=s={s}' ./program"
)]
pub(super) struct SweepArguments {
    #[command(flatten)]
    sweep: SweepOptions,
    #[command(flatten)]
    tune: TuneOptions,
    /// Start again from the beginning, instead of continuing an experiment that was interrupted or
    /// inconclusive
    #[arg(long)]
    remeasure: bool,
    #[command(flatten)]
    stopping: StoppingOptions,
    #[command(flatten)]
    reading: ReadingOptions,
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

/// Points are settled when changes of so many margins would have been seen: where there are many,
/// finer differences are no reason to measure on.
const RESOLUTION: f64 = 3.0;

/// The default budget for each point. Hopeless points leave what they do not need to the others.
const BUDGET_SECONDS_A_POINT: f64 = 4.0;

/// Checks everything, runs the experiment, and reports.
pub(super) fn run(arguments: &SweepArguments, output: &Output) -> Done {
    if arguments.tune.tune {
        return tune::run(arguments, output);
    }
    // Before anything that takes memory: what the launcher holds is the least
    // peak it can see.
    let mut launcher = Launcher::start()?;
    let (experiment, rule) = sweep::experiment(&arguments.sweep)?;
    let engine = arguments.engine.chosen(Path::new("."), &arguments.store)?;
    let engine = engine.as_ref();
    let metrics = metrics(arguments, &rule)?;
    let stopping = stopping(arguments, &rule, experiment.variants.len(), &metrics)?;
    let exports = arguments.export.exports();
    exports.check(Shown::of(Kind::Sweep, false))?;
    measure::interrupt::install()
        .map_err(|error| Failure::new("cannot watch for Ctrl-C").caused_by(&error))?;

    let variants = u32::try_from(experiment.variants.len()).expect("at most 2^20");
    let laboratory = Laboratory {
        experiment: &experiment,
        contrasts: Contrasts::of_commands(variants, 1),
        kind: Kind::Sweep,
        project: None,
        subject: Some(subject((arguments, engine), (&experiment, &rule), &stopping, &metrics)),
        title: rule.command.clone(),
        rule: &stopping,
        suite: None,
        sources: arguments.reading.sources(),
        samples_memory: false,
        metrics: Some(metrics),
        seed: arguments.stopping.seed,
        budget_is_asked: arguments.stopping.budget.is_some(),
        shows_progress: !arguments.quiet && !arguments.sweep.invocation.show_output,
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
    let telling = Telling { place: &place, export: &exports, goes_on: true };
    let document = telling.tell(measured, output)?;
    exit_code(&document, arguments.stopping.require_verdict)
}

/// What is read and judged: the objectives, what limits are of, and what the user named or measures.
fn metrics(arguments: &SweepArguments, rule: &SweepRule) -> Result<Vec<MetricId>, Failure> {
    let own = (arguments.sweep.invocation.own_metrics())?;
    let named = (arguments.reading.chosen_metrics(&own))?;
    let mut metrics = rule.objectives();
    let limits = rule.limits.iter().map(|limit| limit.metric.clone());
    for metric in limits.chain(named.into_iter().flatten()).chain(own) {
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    Ok(metrics)
}

fn stopping(
    arguments: &SweepArguments,
    sweep: &SweepRule,
    points: usize,
    metrics: &[MetricId],
) -> Result<StoppingRule, Failure> {
    let options = &arguments.stopping;
    let rule = options.rule(points)?;
    let budget_seconds = match rule.budget_seconds {
        Some(_) if options.budget.is_none() => Some(BUDGET_SECONDS_A_POINT * points as f64),
        asked => asked,
    };
    let wants_verdicts = options.margin.is_some() || options.require_verdict;
    let resolution = if wants_verdicts { 1.0 } else { RESOLUTION };
    let rule = StoppingRule {
        budget_seconds,
        resolution,
        sweep: Some(sweep.clone()),
        stage: Stage::first(),
        ..rule
    };
    let members = family::members(Some(metrics), points - 1, rule.confidence);
    Ok(options.with_enough_rounds(rule, &members))
}

/// What is asked, to go on with a sweep that was interrupted.
fn subject(
    (arguments, engine): (&SweepArguments, Option<&Chosen>),
    (experiment, sweep): (&Experiment, &SweepRule),
    rule: &StoppingRule,
    metrics: &[MetricId],
) -> String {
    let sweep = serde_json::json!(sweep);
    let subject = Subject {
        machine: engine::machine(engine),
        metrics: Some(metrics),
        invocation: Some(serde_json::json!(arguments.sweep.invocation)),
        sources: Some(arguments.reading.sources()),
        variants: experiment.variants.iter().map(Compared::new).collect(),
        more: BTreeMap::from([("sweep", sweep)]),
        ..Subject::new(Kind::Sweep, rule)
    };
    subject.canonical()
}

/// A slow point is no regression: one chooses. There is trouble where nothing is left to choose.
fn exit_code(document: &Document, require_verdict: bool) -> Done {
    let points = document.sweep.iter().flat_map(|sweep| &sweep.points);
    let failures: Vec<&String> = points
        .clone()
        .filter_map(|point| match &point.state {
            PointState::Failed { how, .. } => Some(how),
            _ => None,
        })
        .collect();
    if failures.len() == document.variants.len() {
        return Err(Failure::new(format!("every point failed; the first {}", failures[0])));
    }
    let is_open = document.experiment.stop != StopReason::Settled
        && document.answers.iter().any(|answer| {
            let of = document.sweep.iter().flat_map(|sweep| &sweep.front);
            answer.verdict == Verdict::Inconclusive
                && of.into_iter().any(|v| *v == answer.candidate)
        });
    Ok(if require_verdict && is_open { ExitCode::Inconclusive } else { ExitCode::Fine })
}
