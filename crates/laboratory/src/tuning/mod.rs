//! `brisk sweep --tune`: a search for the settings that suit the command's runtime.
//!
//! It requests a few runs at a time, each batch as a separate experiment. Its candidates are then
//! measured against the default in a new experiment, which alone determines the gain.

mod program;

use std::path::Path;
use std::time::Duration;

use configuration::SweepRequest;
use configuration::sweep::parse_limit;
use findings::{CheckedSetting, Document, TriedSetting, TuningFinding, UnvariedKnob, VariedKnob};
use measure::Launcher;
use model::commission::Kind;
use model::design::contrasts::Contrasts;
use model::design::stopping::StoppingRule;
use model::failure::{Failing, Failure};
use model::metric::{CPU_TIME, MetricId, PEAK_RSS, Source, WALL_TIME};
use model::run::Run;
use model::spec::Experiment;
use model::spec::reading::{CounterOption, RuntimeOption, Sources};
use model::sweep::{Limit, SweepRule};
use model::verdict::{Margin, Verdict};
use program::TunedProgram;
use report::export::Shown;
use run::Ending;
use run::local::LocalExecutor;
use store::record::Addition;
use store::{ExperimentId, Place, Store};
use tune::{Options, Outcome, Point, Search};

use crate::archive;
use crate::measured::run_failure;
use crate::question::{self, Asker, Site};
use crate::watcher::{Event, Watcher};

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
    let tuning = tuning(&program, &search, &document, question.margin);
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

#[derive(Debug)]
struct Question {
    rule: SweepRule,
    options: Options,
    margin: Margin,
}

impl Question {
    fn new(arguments: &SweepRequest, program: &TunedProgram) -> Result<Self, Failure> {
        let limits: Vec<Limit> = (arguments.sweep.limits.iter().map(|text| parse_limit(text, &[])))
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

struct Trials<'a> {
    arguments: &'a SweepRequest,
    program: &'a TunedProgram,
    question: &'a Question,
    asker: &'a Asker,
    launcher: &'a mut Launcher,
    watcher: &'a mut dyn Watcher,
    place: Place,
    batches: u32,
    /// The last experiment, which is reported if nothing is left to confirm.
    last: Option<ExperimentId>,
}

impl<'a> Trials<'a> {
    fn new(
        arguments: &'a SweepRequest,
        asker: &'a Asker,
        program: &'a TunedProgram,
        question: &'a Question,
        launcher: &'a mut Launcher,
        watcher: &'a mut dyn Watcher,
    ) -> Result<Self, Failure> {
        let place = arguments.measuring.store.place()?;
        let (batches, last) = (0, None);
        Ok(Self { arguments, program, question, asker, launcher, watcher, place, batches, last })
    }

    /// Tells of the progress of the search, and of its `result` so far.
    fn tell(&mut self, search: &Search, result: &str) {
        let (done, of) = (search.runs(), self.arguments.tune.tune_runs);
        self.watcher.on(Event::Runs { doing: "searching", done, of, result });
    }

    fn end(&mut self) {
        self.watcher.on(Event::Ended);
    }

    /// Runs a batch, and passes the outcome of each run to the search.
    fn run(&mut self, batch: &[Point], search: &mut Search) -> Result<(), Failure> {
        self.batches += 1;
        let mut experiment = self.program.experiment(batch)?;
        let patience = search.patience_seconds().map(Duration::from_secs_f64);
        let is_ours = match (experiment.timeout, patience) {
            (Some(timeout), Some(patience)) => patience < timeout,
            (None, patience) => patience.is_some(),
            (Some(_), None) => false,
        };
        if is_ours {
            experiment.timeout = patience;
        }
        let title = format!("tune {}: {}", self.batches, self.question.rule.command);
        // The first run of a program finds cold caches, so it counts for no setting.
        let warmup =
            if self.batches == 1 { self.arguments.stopping.warmup.unwrap_or(0).max(1) } else { 0 };
        let id = self.measure(&experiment, title, 1, warmup)?;
        self.last = Some(id);
        for run in self.runs(id)? {
            let point = &batch[run.place.variant as usize];
            let outcome = self.outcome(&run, is_ours)?;
            if outcome == Outcome::Failed && *point == search.space().default_point() {
                return Err(self.fails_by_default(&run));
            }
            search.tell(point, outcome)?;
        }
        Ok(())
    }

    fn outcome(&self, run: &Run, is_stopped_by_us: bool) -> Result<Outcome, Failure> {
        let value = |id: &MetricId| run.readings.get(id).and_then(|value| value.as_ref().ok());
        if !self.question.rule.fails(run.outcome)
            && let (Some(&seconds), Some(&peak_bytes)) =
                (value(&self.question.rule.minimized), value(&PEAK_RSS))
        {
            return Ok(Outcome::Finished { seconds, peak_bytes });
        }
        let stderr = run.stderr_tail.as_deref().unwrap_or_default();
        if let Some(refusal) = (self.program.adapter.refusal)(stderr) {
            return Err(Failure::new("the program does not accept settings")
                .because(refusal.to_owned())
                .hint(self.refusal_hint()));
        }
        Ok(match (run.outcome, value(&model::metric::WALL_TIME)) {
            (measure::Outcome::TimedOut, Some(&after_seconds)) if is_stopped_by_us => {
                Outcome::Stopped { after_seconds }
            }
            _ => Outcome::Failed,
        })
    }

    /// The failure of the default settings, without which there is no baseline.
    fn fails_by_default(&self, run: &Run) -> Failure {
        let command = &self.question.rule.command;
        let how = run.outcome.to_string();
        let failure = Failure::new(format!("`{command}` {how} with the default settings"));
        let failure = failure.with_stderr(run.stderr_tail.as_deref().unwrap_or_default());
        match run.outcome {
            measure::Outcome::Exited(code) => {
                failure.hint(Some(format!("allow it with `--ignore-failure={code}`")))
            }
            _ => failure,
        }
    }

    fn refusal_hint(&self) -> Option<&'static str> {
        (self.program.adapter.word == "ghc").then_some("link it with `-rtsopts`")
    }

    /// Measures the candidates against the default; without any, the last batch is the report.
    fn confirm(&mut self, search: &Search) -> Result<(ExperimentId, Document), Failure> {
        let candidates = search.candidates();
        let named: Vec<Point> = candidates.points().into_iter().cloned().collect();
        let rounds = u32::try_from(search.confirmation_rounds(named.len())).unwrap_or(u32::MAX);
        if named.is_empty() || rounds == 0 {
            let id = self.last.ok_or_else(|| Failure::new("nothing was run"))?;
            return Ok((id, self.document(id)?));
        }
        let points: Vec<Point> =
            std::iter::once(search.space().default_point()).chain(named).collect();
        let experiment = self.program.experiment(&points)?;
        let title = format!("tuned: {}", self.question.rule.command);
        let id = self.measure(&experiment, title, rounds, 0)?;
        Ok((id, self.document(id)?))
    }

    /// Measures a variant of the confirmation against the default on another command.
    fn check(
        &mut self,
        confirmed: &Document,
        variant: u32,
        command: &str,
    ) -> Result<CheckedSetting, Failure> {
        let points = [0, variant].map(|variant| self.program.point_of(confirmed, variant));
        let experiment = self.program.other_experiment(self.arguments, command, &points)?;
        LocalExecutor::check(&experiment).map_err(|error| run_failure(&error, None))?;
        let rounds = confirmed.experiment.rounds.max(ROUNDS_OF_CHECK);
        let id = self.measure(&experiment, format!("tuned, checked: {command}"), rounds, 0)?;
        let document = self.document(id)?;
        let minimized = &self.question.rule.minimized;
        let part = document.comparison_of(0, 1, minimized, Source::Run).ok_or_else(|| {
            Failure::new(format!("`{command}` could not be compared"))
                .hint(Some(format!("`brisk show {id}` tells what ran")))
        })?;
        Ok(CheckedSetting {
            command: command.to_owned(),
            ratio: part.ratio,
            low: part.low,
            high: part.high,
            verdict: part.verdict,
        })
    }

    fn measure(
        &mut self,
        experiment: &Experiment,
        title: String,
        rounds: u32,
        warmup: u32,
    ) -> Result<ExperimentId, Failure> {
        let stopping = &self.arguments.stopping;
        let rule = stopping.rule(experiment.variants.len());
        let rule = StoppingRule {
            warmup,
            min_rounds: rounds,
            max_rounds: rounds,
            budget_seconds: None,
            sweep: Some(self.question.rule.clone()),
            ..rule?
        };
        let variants = u32::try_from(experiment.variants.len()).expect("at most 2^20");
        // The recommendation depends on this metric alone; memory is only reported.
        let metrics = vec![self.question.rule.minimized.clone()];
        // Instruments would need separate rounds at every point.
        let counters = match self.arguments.reading.counters {
            CounterOption::Valgrind => CounterOption::None,
            other => other,
        };
        let sources = Sources { counters, runtime: RuntimeOption::None };
        let contrasts = Contrasts::of_commands(variants, 1);
        let question = question::Question {
            title,
            sources,
            metrics: Some(metrics),
            seed: stopping.seed,
            asker: self.asker.clone(),
            ..question::Question::new(Kind::Tune, experiment, contrasts, &rule)
        };
        let site = Site::Here { no_wait: self.arguments.measuring.hold.no_wait };
        // The progress is that of the search.
        let mut but_rounds = |event: Event<'_>| match event {
            Event::Begun(_) | Event::Measuring(_) | Event::Judging { .. } | Event::Ended => {}
            event => self.watcher.on(event),
        };
        let measured =
            question.measure(&self.place, &site, self.launcher, None, &mut but_rounds)?;
        let is_interrupted = matches!(measured.ending, Ok(Ending::Aborted));
        match measured.completed(&self.place, false, self.watcher) {
            Err(_) if is_interrupted => {
                Err(Failure::new("interrupted before anything was recommended")
                    .hint(Some("what ran is kept: `brisk list`")))
            }
            completed => completed.map(|(_, id, _)| id),
        }
    }

    /// The runs of an experiment that count for the search.
    fn runs(&self, id: ExperimentId) -> Result<Vec<Run>, Failure> {
        let store = self.store()?;
        let runs = archive::runs(&store, id)?;
        Ok(runs.into_iter().filter(|run| !run.place.warmup).collect())
    }

    fn document(&self, id: ExperimentId) -> Result<Document, Failure> {
        archive::stored_document(&self.store()?, id)
    }

    fn store(&self) -> Result<Store, Failure> {
        Store::open(&self.place).map_err(Failure::from)
    }
}

/// The rounds that tell a setting from the default at the level of one comparison.
const ROUNDS_OF_CHECK: u32 = 10;

/// The search and its recommendation: of the settings that are certainly better than the default,
/// with an estimate better by at least the margin, the one with the lowest ratio.
fn tuning(
    program: &TunedProgram,
    search: &Search,
    confirmed: &Document,
    margin: Margin,
) -> TuningFinding {
    let recommended = recommended(confirmed, margin);
    let point = recommended.map(|variant| program.point_of(confirmed, variant));
    let settings = search.space().points().count() as u64;
    TuningFinding {
        runtime: program.adapter.word.to_owned(),
        knobs: program.menu.items.iter().map(knob).collect(),
        left_out: left_out(program),
        settings,
        search_runs: search.runs(),
        tried: tried(program, search),
        is_confirmed: !search.candidates().points().is_empty(),
        recommended,
        line: point.and_then(|point| program.line(&point)),
        check: None,
    }
}

fn recommended(confirmed: &Document, margin: Margin) -> Option<u32> {
    let minimized = &confirmed.sweep()?.minimized;
    let enough = 1.0 - margin.fraction();
    confirmed
        .comparisons
        .iter()
        .filter(|part| part.metric == *minimized && part.source == Source::Run)
        .filter(|part| part.verdict == Verdict::Improved && part.ratio <= enough)
        .min_by(|a, b| a.ratio.total_cmp(&b.ratio))
        .map(|part| part.candidate)
}

fn knob(item: &toolchains::runtime::tuning::Item) -> VariedKnob {
    VariedKnob {
        name: item.knob.name.to_owned(),
        about: item.knob.about.to_owned(),
        default: item.knob.default.to_owned(),
        levels: item.levels.iter().map(|level| level.text.to_owned()).collect(),
    }
}

/// The knobs of which no version was varied.
fn left_out(program: &TunedProgram) -> Vec<UnvariedKnob> {
    let is_turned = |name: &str| program.menu.items.iter().any(|item| item.knob.name == name);
    (program.menu.left_out.iter())
        .filter(|left| !is_turned(left.knob.name))
        .map(|left| UnvariedKnob { name: left.knob.name.to_owned(), reason: left.reason() })
        .collect()
}

fn tried(program: &TunedProgram, search: &Search) -> Vec<TriedSetting> {
    let mut estimates = search.estimates();
    estimates.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let known = estimates.into_iter().map(|estimate| TriedSetting {
        setting: program.label(&estimate.point),
        runs: estimate.runs,
        seconds: Some(estimate.seconds),
        peak_bytes: Some(estimate.peak_bytes),
    });
    let out = search.out().into_iter().map(|point| TriedSetting {
        setting: program.label(&point),
        runs: 1,
        seconds: None,
        peak_bytes: None,
    });
    known.chain(out).collect()
}
