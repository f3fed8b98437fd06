//! `brisk sweep --tune`: which settings suit the command's runtime?
//!
//! A search requests a few runs at a time, each batch as a separate experiment. Its candidates are
//! then measured against the default in a new experiment, which alone determines the gain.

mod program;
mod trials;
mod verdict;

use std::path::Path;

use measure::Launcher;

use super::{SweepArguments, metrics};
use crate::cli::Done;
use crate::cli::exit::ExitCode;
use crate::cli::laboratory::export;
use crate::cli::options::limit;
use crate::cli::output::Output;
use crate::cli::progress::CountBar;
use findings::Document;
use laboratory::archive;
use model::commission::Kind;
use model::failure::{Failing, Failure};
use model::metric::{CPU_TIME, PEAK_RSS, WALL_TIME};
use model::sweep::rule::{Limit, SweepRule};
use model::verdict::Margin;
use program::TunedProgram;
use report::export::{Exports, Shown};
use store::record::Addition;
use store::{ExperimentId, Store};
use trials::Trials;
use tune::Options;

/// Checks everything, searches, confirms, and reports.
pub(super) fn run(arguments: &SweepArguments, output: &Output) -> Done {
    let mut launcher = Launcher::start()?;
    if arguments.measuring.engine(Path::new("."))?.is_some() {
        return Err(Failure::new("`--tune` searches on this machine only")
            .hint(Some("leave `--on` out, or sweep the settings with `--param`")));
    }
    let program = TunedProgram::find(arguments)?;
    let question = Question::new(arguments, &program)?;
    let mut search = program.search(question.options)?;
    let exports = arguments.export.exports();
    exports.check(Shown::from_kind(Kind::Tune, false))?;
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;

    let mut trials = Trials::new(arguments, &program, &question, &mut launcher)?;
    let bar = CountBar::new("searching", arguments.tune.tune_runs, !arguments.measuring.quiet);
    while let batch = search.ask()
        && !batch.is_empty()
    {
        trials.run(&batch, &mut search)?;
        let best = search.candidates().fastest.map(|best| program.label(&best.point));
        bar.at(
            search.runs(),
            &best.map(|best| format!(", best so far {best}")).unwrap_or_default(),
        );
    }
    drop(bar);
    let (id, mut document) = trials.confirm(&search)?;
    let tuning = verdict::tuning(&program, &search, &document, question.margin);
    let recommended = tuning.recommended;
    Addition::Tuning(tuning).put_in(&mut document);
    if let (Some(variant), Some(command)) = (recommended, &arguments.tune.check_with) {
        let checked = trials.check(&document, variant, command)?;
        if let Some(tuning) = document.sweep_mut().and_then(|sweep| sweep.tuning.as_mut()) {
            tuning.check = Some(checked);
        }
    }
    report((arguments, &exports), &mut trials.store()?, id, &document, output)
}

/// The question, apart from the program.
#[derive(Debug)]
struct Question {
    rule: SweepRule,
    options: Options,
    margin: Margin,
}

impl Question {
    fn new(arguments: &SweepArguments, program: &TunedProgram) -> Result<Self, Failure> {
        let limits: Vec<Limit> =
            (arguments.sweep.limits.iter().map(|text| limit::parse(text, &[])))
                .collect::<Result<_, _>>()?;
        if let Some(other) = limits.iter().find(|limit| limit.metric != PEAK_RSS) {
            return Err(Failure::new(format!(
                "`--tune` does not support the limit `{}`",
                other.text
            ))
            .hint(Some("`--tune` supports limits on `peak_rss`")));
        }
        let minimized = [WALL_TIME, CPU_TIME]
            .into_iter()
            .find(|id| id.as_str() == arguments.sweep.minimize)
            .ok_or_else(|| {
                Failure::new(format!("`--tune` cannot minimise `{}`", arguments.sweep.minimize))
                    .hint(Some("it minimises `wall_time` or `cpu_time`"))
            })?;
        let rule = SweepRule {
            command: arguments.sweep.command.clone(),
            parameters: program.parameters(),
            has_default: true,
            minimized,
            beside: PEAK_RSS,
            limits,
            is_exhaustive: true,
            allowed_codes: program.base.allowed_codes(),
        };
        // Refuses invalid metrics before anything runs.
        metrics(arguments, &rule)?;
        let stopping = arguments.stopping.rule(2)?;
        let options = Options {
            runs: arguments.tune.tune_runs,
            limit_bytes: rule.limits.iter().map(|limit| limit.below).reduce(f64::min),
            margin: stopping.margin.fraction(),
        };
        Ok(Self { rule, options, margin: stopping.margin })
    }
}

fn report(
    (arguments, exports): (&SweepArguments, &Exports),
    store: &mut Store,
    id: ExperimentId,
    document: &Document,
    output: &Output,
) -> Done {
    archive::finish(store, id, document)?;
    output.document(document)?;
    export(exports, store, id, document)?;
    let tuning = document.sweep().and_then(|sweep| sweep.tuning.as_ref());
    let is_found = tuning.is_some_and(|tuning| tuning.recommended.is_some());
    let is_open = arguments.stopping.require_verdict && !is_found;
    Ok(if is_open { ExitCode::Inconclusive } else { ExitCode::Fine })
}
