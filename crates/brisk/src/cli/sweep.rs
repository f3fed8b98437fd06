//! `brisk sweep`: one command at many points of its parameters: which is worth choosing?

use std::collections::BTreeMap;
use std::path::Path;

use ::engine::Chosen;
use ::laboratory::measured::export;
use ::laboratory::question::{Question, Site};
use ::laboratory::tuning;
use configuration::{SweepRequest, measuring, sweep};
use findings::{Document, PointState};
use measure::Launcher;
use model::commission::{Compared, Kind, Subject};
use model::design::contrasts::Contrasts;
use model::design::stopping::{Stage, StopReason, StoppingRule};
use model::failure::{Failing, Failure};
use model::metric::MetricId;
use model::spec::Experiment;
use model::sweep::SweepRule;
use model::verdict::Verdict;
use report::export::Shown;

use super::laboratory::{Laboratory, asker};
use super::output::Output;
use super::watching::Terminal;
use super::{Done, ExitCode};

/// The default budget for each point. Points that are given up leave their unused time to the
/// others.
const BUDGET_SECONDS_A_POINT: f64 = 4.0;

/// Checks everything, runs the experiment, and reports.
pub(super) fn run(arguments: &SweepRequest, output: &Output) -> Done {
    if arguments.tune.tune {
        return tune(arguments, output);
    }
    // Before anything that takes memory: the launcher's own memory is the smallest peak it can see.
    let mut launcher = Launcher::start()?;
    let (experiment, rule) = sweep::experiment(&arguments.sweep)?;
    let engine = arguments.measuring.engine(Path::new("."))?;
    let engine = engine.as_ref();
    let metrics = arguments.metrics(&rule)?;
    let variants = u32::try_from(experiment.variants.len()).expect("at most 2^20");
    let contrasts = Contrasts::of_commands(variants, 1);
    let stopping = stopping(arguments, &rule, variants, &contrasts, &metrics)?;
    let exports = arguments.export.exports();
    exports.check(Shown::from(Kind::Sweep))?;
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;

    let question = Question {
        subject: Some(subject(arguments, engine, &experiment, &rule, &stopping, &metrics)),
        title: rule.command.clone(),
        sources: arguments.reading.sources(),
        metrics: Some(metrics),
        ..Question::new(Kind::Sweep, &experiment, contrasts, &stopping)
    };
    let site = Site::new(engine, arguments.measuring.hold.no_wait);
    let laboratory = Laboratory {
        prints: arguments.sweep.invocation.show_output,
        ..Laboratory::new(question, site, &arguments.measuring, &arguments.stopping)
    };
    let document = laboratory.report(&mut launcher, arguments.remeasure, &exports, output)?;
    exit_code(&document, arguments.stopping.require_verdict)
}

fn stopping(
    arguments: &SweepRequest,
    sweep: &SweepRule,
    points: u32,
    contrasts: &Contrasts,
    metrics: &[MetricId],
) -> Result<StoppingRule, Failure> {
    let options = &arguments.stopping;
    let rule = options.rule_within(BUDGET_SECONDS_A_POINT * f64::from(points))?;
    let rule = StoppingRule {
        resolution: options.resolution(),
        sweep: Some(sweep.clone()),
        stage: Stage::first(),
        ..rule
    };
    Ok(options.with_enough_rounds(rule, contrasts, Some(metrics)))
}

/// The canonical form of the request, by which an interrupted sweep is continued.
fn subject(
    arguments: &SweepRequest,
    engine: Option<&Chosen>,
    experiment: &Experiment,
    sweep: &SweepRule,
    rule: &StoppingRule,
    metrics: &[MetricId],
) -> String {
    let sweep = serde_json::json!(sweep);
    let subject = Subject {
        machine: measuring::machine(engine),
        metrics: Some(metrics),
        invocation: Some(serde_json::json!(arguments.sweep.invocation)),
        sources: Some(arguments.reading.sources()),
        variants: experiment.variants.iter().map(Compared::new).collect(),
        more: BTreeMap::from([("sweep", sweep)]),
        ..Subject::new(Kind::Sweep, rule)
    };
    subject.canonical()
}

/// A slow point is not a regression, since the user chooses. It is trouble if no point is left to
/// choose.
fn exit_code(document: &Document, require_verdict: bool) -> Done {
    let points = document.sweep().into_iter().flat_map(|sweep| &sweep.points);
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
    let is_on_front =
        |variant: u32| document.sweep().into_iter().any(|sweep| sweep.front.contains(&variant));
    let is_undecided =
        points.clone().any(|point| matches!(point.state, PointState::Undecided { .. }))
            || document.answers.iter().any(|answer| {
                answer.verdict == Verdict::Inconclusive && is_on_front(answer.candidate)
            });
    let is_open = document.experiment.stop != StopReason::Settled && is_undecided;
    Ok(if require_verdict && is_open { ExitCode::Inconclusive } else { ExitCode::Fine })
}

/// Searches for the settings of a runtime, and reports.
fn tune(arguments: &SweepRequest, output: &Output) -> Done {
    let mut launcher = Launcher::start()?;
    let mut terminal = Terminal::new(output, &arguments.measuring, &arguments.stopping);
    let conducted = tuning::conduct(arguments, &asker(), &mut launcher, &mut terminal)?;
    drop(terminal);
    let tuning::Conducted { document, id, store } = &conducted;
    output.document(document)?;
    export(&arguments.export.exports(), store, *id, document)?;
    let tuning = document.sweep().and_then(|sweep| sweep.tuning.as_ref());
    let is_found = tuning.is_some_and(|tuning| tuning.recommended.is_some());
    let is_open = arguments.stopping.require_verdict && !is_found;
    Ok(if is_open { ExitCode::Inconclusive } else { ExitCode::Fine })
}
