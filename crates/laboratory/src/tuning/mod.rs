//! `brisk sweep --tune`: which settings suit the command's runtime?
//!
//! A search requests a few runs at a time, each batch as a separate experiment. Its candidates are
//! then measured against the default in a new experiment, which alone determines the gain.

mod program;
mod trials;
mod verdict;

use std::path::Path;

use configuration::{SweepRequest, limit};
use findings::Document;
use measure::Launcher;
use model::commission::Kind;
use model::failure::{Failing, Failure};
use model::metric::{CPU_TIME, PEAK_RSS, WALL_TIME};
use model::sweep::{Limit, SweepRule};
use model::verdict::Margin;
use program::TunedProgram;
use report::export::Shown;
use store::record::Addition;
use store::{ExperimentId, Store};
use trials::Trials;
use tune::Options;

use crate::archive;
use crate::question::Asker;
use crate::watcher::Watcher;

/// A search that was conducted and confirmed, and is stored.
pub struct Conducted {
    /// The finding.
    pub document: Document,
    /// The experiment that confirms it, in the store.
    pub id: ExperimentId,
    /// The store.
    pub store: Store,
}

/// Checks everything, searches, confirms what was found, and stores it.
///
/// # Errors
///
/// When the runtime of the command has no settings, a run with the default fails, or the search is
/// interrupted before it recommends anything.
pub fn conduct(
    request: &SweepRequest,
    asker: &Asker,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Conducted, Failure> {
    if request.measuring.engine(Path::new("."))?.is_some() {
        return Err(Failure::new("`--tune` searches on this machine only")
            .hint(Some("leave `--on` out, or sweep the settings with `--param`")));
    }
    let program = TunedProgram::find(request)?;
    let question = Question::new(request, &program)?;
    let mut search = program.search(question.options)?;
    request.export.exports().check(Shown::from(Kind::Tune))?;
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;

    let mut trials = Trials::new(request, asker, &program, &question, launcher, watcher)?;
    trials.tell(&search, "");
    while let batch = search.ask()
        && !batch.is_empty()
    {
        trials.run(&batch, &mut search)?;
        let best = search.candidates().fastest.map(|best| program.label(&best.point));
        let best = best.map(|best| format!(", best so far {best}"));
        trials.tell(&search, &best.unwrap_or_default());
    }
    trials.end();
    let (id, mut document) = trials.confirm(&search)?;
    let tuning = verdict::tuning(&program, &search, &document, question.margin);
    let recommended = tuning.recommended;
    Addition::Tuning(tuning).put_in(&mut document);
    if let (Some(variant), Some(command)) = (recommended, &request.tune.check_with) {
        let checked = trials.check(&document, variant, command)?;
        if let Some(tuning) = document.sweep_mut().and_then(|sweep| sweep.tuning.as_mut()) {
            tuning.check = Some(checked);
        }
    }
    let mut store = trials.store()?;
    archive::finish(&mut store, id, &document)?;
    Ok(Conducted { document, id, store })
}

/// The question, apart from the program.
#[derive(Debug)]
struct Question {
    rule: SweepRule,
    options: Options,
    margin: Margin,
}

impl Question {
    fn new(arguments: &SweepRequest, program: &TunedProgram) -> Result<Self, Failure> {
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
        arguments.metrics(&rule)?;
        let stopping = arguments.stopping.rule(2)?;
        let options = Options {
            runs: arguments.tune.tune_runs,
            limit_bytes: rule.limits.iter().map(|limit| limit.below).reduce(f64::min),
            margin: stopping.margin.fraction(),
        };
        Ok(Self { rule, options, margin: stopping.margin })
    }
}
