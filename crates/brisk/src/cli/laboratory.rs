//! Measurements, between the command line and the store: shared by all verbs that measure.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::Duration;

use measure::{Launcher, StartError};
use page::plain::plain;

use super::conducting::{self, Begun, Equipment};
use super::holding::Turns;
use super::output::Output;
use super::{remote, waiting};
use crate::archive;
use crate::archive::Past;
use crate::cli::options::{MeasuringOptions, StoppingOptions};
use crate::cli::progress::{Bar, Budget};
use crate::conduct::Conducted;
use crate::report::document::Document;
use crate::report::equal_work;
use crate::report::export::Exports;
use crate::report::{too_few, words};
use crate::store::{ExperimentId, ExperimentState, Place, Store, StoreError, StoredExperiment};
use ::engine::Chosen;
use model::commission::{Commission, Contender, Execution, Kind};
use model::design::contrasts::Contrasts;
use model::design::stopping::{Progress, StoppingRule};
use model::failure::{Failure, FailureKind};
use model::host;
use model::machine_class::MachineClass;
use model::metric::{MetricId, Source};
use model::spec::Experiment;
use model::spec::reading::Sources;
use model::spec::suite::Suite;
use run::looks::LookTaken;
use run::{Ending, RunError};

/// The checked input of a measurement.
pub(super) struct Laboratory<'a> {
    /// The programs to run.
    pub experiment: &'a Experiment,
    /// The pairs to compare.
    pub contrasts: Contrasts,
    /// The kind of experiment.
    pub kind: Kind,
    /// The folder of the project that the experiment is about. If None, the current one.
    pub project: Option<String>,
    /// The canonical form of the request. None if every such experiment stands alone.
    pub subject: Option<String>,
    /// The title in lists.
    pub title: String,
    /// The stopping rule.
    pub rule: &'a StoppingRule,
    /// The benchmarks to run inside programs. None if commands are timed as a whole.
    pub suite: Option<&'a Suite>,
    /// The sources of readings besides the run itself.
    pub sources: Sources,
    /// Set if memory is sampled over time, in separate rounds.
    pub samples_memory: bool,
    /// The metrics named by the user.
    pub metrics: Option<Vec<MetricId>>,
    /// The options for the place of measuring and storing.
    pub options: &'a MeasuringOptions,
    /// The requested duration, and the seed for the order of the runs.
    pub stopping: &'a StoppingOptions,
    /// Set if progress is shown.
    pub shows_progress: bool,
    /// Set if the store outlives this process.
    pub is_kept: bool,
    /// The engine to measure on. None if this machine measures.
    pub engine: Option<&'a Chosen>,
}

/// A measured experiment that has ended, but is not judged yet.
pub(super) struct MeasuredExperiment {
    /// Its number in the store.
    pub id: ExperimentId,
    /// The end of the run, or its error.
    pub ending: Result<Ending, RunError>,
    /// The measurements.
    pub conducted: Conducted,
}

impl<'a> Laboratory<'a> {
    /// A laboratory for a standalone experiment that reads only what every run provides.
    pub(super) fn new(
        kind: Kind,
        experiment: &'a Experiment,
        contrasts: Contrasts,
        (options, stopping): (&'a MeasuringOptions, &'a StoppingOptions),
        rule: &'a StoppingRule,
    ) -> Self {
        Self {
            experiment,
            contrasts,
            kind,
            project: None,
            subject: None,
            title: String::new(),
            rule,
            suite: None,
            sources: Sources::NONE,
            samples_memory: false,
            metrics: None,
            options,
            stopping,
            shows_progress: !options.quiet,
            is_kept: true,
            engine: None,
        }
    }

    /// A remark for the user, before the first round, about questions that the rounds cannot
    /// decide.
    pub(super) fn remark(&self) -> String {
        if self.contrasts.compared().next().is_none() {
            return String::new();
        }
        let members = self.contrasts.members(self.metrics.as_deref(), self.rule);
        too_few::remark(self.rule, &members)
    }

    /// Runs the experiment, or continues an interrupted one from the store. Every run is stored
    /// before the next one starts.
    pub(super) fn measure(
        &self,
        place: &Place,
        launcher: &mut Launcher,
        interrupted: Option<ExperimentId>,
    ) -> Result<MeasuredExperiment, Failure> {
        let mut commission = self.commission();
        if let Some(engine) = self.engine {
            let mut measured = remote::measure(
                vec![commission],
                self.stopping.seed,
                engine,
                (place, self.shows_progress),
            )?;
            return Ok(measured.pop().expect("one was asked for"));
        }
        let execution = commission.execution.as_mut().expect("it says how it is run");
        let equipment = Equipment::new(execution, self.metrics.as_deref(), launcher)?;
        // Nothing has begun while others are waited for, so the wait costs no budget.
        let turns = Turns::begin(self.options.hold)?;
        let mut store = archive::open_for_writing(place)?;
        let begun = self.begin(&mut store, commission, interrupted)?;
        let rule = &begun.commission.rule;
        let budget = rule.budget_seconds.filter(|_| self.stopping.budget.is_some());
        let (rounds, commands) = (rule.min_rounds, self.variants());
        let budget = budget.map(|seconds| Budget { seconds, rounds, commands });
        let mut bar = Bar::new(budget, self.shows_progress);
        let (ending, conducted) =
            conducting::conduct(&mut store, &begun, equipment, turns, (launcher, &mut bar))?;
        bar.clear();
        // The next phase has no progress to draw.
        let runs = u64::from(conducted.rounds) * u64::from(self.variants());
        if let Some(told) = judging(runs).filter(|_| self.shows_progress) {
            super::output::note(&told);
        }
        Ok(MeasuredExperiment { id: begun.id, ending, conducted })
    }

    /// Runs several experiments at once, each on a machine of their common engine.
    pub(super) fn measure_together(
        all: &[Self],
        engine: &Chosen,
        place: &Place,
    ) -> Result<Vec<MeasuredExperiment>, Failure> {
        let Some(first) = all.first() else { return Ok(Vec::new()) };
        let commissions = all.iter().map(Self::commission).collect();
        remote::measure(commissions, first.stopping.seed, engine, (place, first.shows_progress))
    }

    /// The newest experiment with the same subject, if it was interrupted, or if it was
    /// inconclusive and this request goes further. Announces the continuation.
    fn earlier(&self, place: &Place, output: &Output) -> Result<Option<ExperimentId>, Failure> {
        let Some(subject) = &self.subject else { return Ok(None) };
        // Measurements of another machine are not continued here.
        let store = if self.engine.is_some() { None } else { Store::open_existing(place)? };
        let Some(mut store) = store else { return Ok(None) };
        archive::recover_if_possible(&mut store);
        let ids = store.of_subject(subject)?;
        let Some(&newest) = ids.first() else { return Ok(None) };
        let stored = store.experiment(newest)?;
        let Some(stored) = stored else { return Ok(None) };
        let goes_on = match stored.state {
            // A request for fewer rounds than are stored is a different request.
            ExperimentState::Interrupted => stored.rounds <= self.rule.max_rounds,
            ExperimentState::Complete if self.stopping.says_how_long() => {
                is_open(&archive::own_document(&store, newest, &stored)?)
                    && can_go_on(&store, newest, &stored, self.rule)?
            }
            _ => false,
        };
        if !goes_on {
            return Ok(None);
        }
        // The rounds could not be assigned to states of the machine afterwards.
        if let Some(why) = MachineClass::here().differences(&(&stored.circumstances).into()).first()
        {
            super::output::note(&format!(
                "experiment {newest} does not go on: {}; everything is measured as it is now",
                why.from_here()
            ));
            return Ok(None);
        }
        if let Some(file) = self.changed_since(stored.circumstances.started_unix_ns) {
            super::output::note(&plain(&format!(
                "experiment {newest} does not go on: `{}` has changed since it began; everything is \
                 measured anew",
                file.display()
            )));
            return Ok(None);
        }
        output.message(&going_on(newest, stored.rounds));
        Ok(Some(newest))
    }

    /// A file that the commands name, and that changed after this moment. Files that a command
    /// writes cannot be distinguished from those it reads.
    fn changed_since(&self, unix_ns: u64) -> Option<PathBuf> {
        // Suites track their programs themselves.
        let files = self.experiment.variants.iter().filter(|_| self.suite.is_none());
        files.flat_map(|variant| variant.run.named_files()).find(|file| {
            let changed = std::fs::metadata(file).map(|found| {
                let seconds = u64::try_from(found.ctime()).unwrap_or(0);
                seconds * 1_000_000_000 + u64::try_from(found.ctime_nsec()).unwrap_or(0)
            });
            changed.is_ok_and(|changed| changed > unix_ns)
        })
    }

    /// Runs the experiment, or continues the same one unless `remeasures` is set; stores, prints
    /// and exports the report, and returns it. Failures, interruptions and unequal work are
    /// reported after the available results.
    pub(super) fn report(
        &self,
        launcher: &mut Launcher,
        remeasures: bool,
        exports: &Exports,
        output: &Output,
    ) -> Result<Document, Failure> {
        let place = self.options.store.place()?;
        output.message(&self.remark());
        let interrupted = if remeasures { None } else { self.earlier(&place, output)? };
        let MeasuredExperiment { id, ending, conducted } =
            self.measure(&place, launcher, interrupted)?;
        let rounds = conducted.rounds;
        let finished = finish(&place, id, conducted);
        let goes_on = self.is_kept
            && self.subject.is_some()
            && finished.as_ref().is_ok_and(|finished| {
                self.changed_since(finished.document.experiment.started_unix_ns).is_none()
            });
        // The reason for the end may also prevent the report from being stored, so it comes first.
        match (&ending, &finished) {
            (Err(error), finished) => {
                let shown = finished.as_ref().ok().filter(|_| error.is_an_interruption());
                if let Some(Finished { document, .. }) = shown.filter(|_| rounds > 0) {
                    output.document(document)?;
                }
                let kept = kept(error, id, rounds, goes_on).filter(|_| self.is_kept);
                return Err(run_failure(error, kept));
            }
            (Ok(Ending::Aborted), _) if rounds == 0 => {
                return Err(Failure::new("interrupted before the first round was done"));
            }
            _ => {}
        }
        let Finished { store, document, kept } = finished?;
        kept?;
        output.document(&document)?;
        export(exports, &store, id, &document)?;
        match equal_work::trouble(&document) {
            _ if matches!(ending, Ok(Ending::Aborted)) => {
                let mut failure = interrupted_after(rounds, id, goes_on);
                if !self.is_kept {
                    failure.take_hint();
                }
                Err(failure)
            }
            Some(trouble) => Err(Failure::new(trouble).hint(Some(
                "their output differs, as the report shows; leave `--equal-work` out if it may differ",
            ))),
            None => Ok(document),
        }
    }

    fn begin(
        &self,
        store: &mut Store,
        commission: Commission,
        interrupted: Option<ExperimentId>,
    ) -> Result<Begun, Failure> {
        if let Some(id) = interrupted {
            let stored = store.experiment(id)?.ok_or_else(|| store.no_such(id))?;
            let is_complete = stored.state == ExperimentState::Complete;
            let done = if is_complete { last_look(store, id)? } else { None };
            let past = archive::past(store, &stored)?;
            let Commission { seed, contrasts, rule, .. } = stored.commission;
            let rule = self.rule.going_on(&rule, done);
            if let Some(journal) = store.resume(id, &rule)? {
                let commission = Commission { seed, contrasts, rule, ..commission };
                return Ok(Begun { id, journal, commission, past });
            }
        }
        let (id, journal) = store.begin(&commission, &host::circumstances())?;
        Ok(Begun { id, journal, commission, past: Past::default() })
    }

    fn variants(&self) -> u32 {
        u32::try_from(self.experiment.variants.len()).expect("at most 2^20")
    }

    /// The commission, with everything needed to run it.
    fn commission(&self) -> Commission {
        let contender = |variant: &model::spec::Variant| Contender {
            name: variant.name.clone(),
            command: variant.command.clone(),
            labels: variant.labels.clone(),
        };
        let Asker { arguments, cwd } = Asker::new();
        Commission {
            kind: self.kind,
            title: self.title.clone(),
            project: self.project.clone().unwrap_or_else(|| cwd.clone()),
            arguments,
            cwd,
            seed: self.stopping.seed.unwrap_or_else(host::fresh_seed),
            commands: self.experiment.commands,
            contrasts: self.contrasts.clone(),
            subject: self.subject.clone(),
            rule: self.rule.clone(),
            metrics: self.metrics.clone(),
            variants: self.experiment.variants.iter().map(contender).collect(),
            execution: Some(Execution {
                experiment: self.experiment.clone(),
                suite: self.suite.cloned(),
                reads: self.sources.reads(self.metrics.as_deref()),
                sources: self.sources,
                instruments: self.samples_memory.then_some(Source::Sampled).into_iter().collect(),
            }),
        }
    }
}

/// The command line and the folder it was typed in.
pub(super) struct Asker {
    /// The command line after `brisk`.
    pub arguments: Vec<String>,
    /// The current folder.
    pub cwd: String,
}

impl Asker {
    pub(super) fn new() -> Self {
        let words = std::env::args_os().skip(1);
        let cwd = std::env::current_dir().unwrap_or_default();
        Self {
            arguments: words.map(|word| without_password(&word.to_string_lossy())).collect(),
            cwd: cwd.to_string_lossy().into_owned(),
        }
    }
}

/// An argument, without the password if it is an address with one.
fn without_password(word: &str) -> String {
    #[cfg(feature = "postgres")]
    if let Some(redacted) = crate::store::redacted(word) {
        return redacted;
    }
    word.to_owned()
}

/// True if an answer is inconclusive.
pub(super) fn is_open(document: &Document) -> bool {
    document.answers.iter().any(|answer| !answer.verdict.is_conclusive())
}

/// True if an experiment that has ended can continue under this rule.
pub(super) fn can_go_on(
    store: &Store,
    id: ExperimentId,
    stored: &StoredExperiment,
    rule: &StoppingRule,
) -> Result<bool, Failure> {
    let done = last_look(store, id)?;
    Ok(done.is_some_and(|done| rule.goes_beyond(&stored.commission.rule, done)))
}

/// The progress of an experiment at its last look.
fn last_look(store: &Store, id: ExperimentId) -> Result<Option<Progress>, Failure> {
    let looks = store.looks(id)?;
    let progress =
        |look: &LookTaken| Progress { rounds: look.rounds, elapsed_seconds: look.elapsed_seconds };
    Ok(looks.last().map(progress))
}

/// Fewer runs than this are judged in an instant; more take seconds.
const MANY_RUNS: u64 = 50_000;

/// A note that judging this number of runs takes a while. None if it does not.
fn judging(runs: u64) -> Option<String> {
    (runs >= MANY_RUNS).then(|| {
        format!(
            "judging {runs} runs, which takes a while; all of them \
        are stored"
        )
    })
}

/// The message that an experiment is continued.
pub(super) fn going_on(id: ExperimentId, rounds: u32) -> String {
    let word = if rounds == 1 { "round" } else { "rounds" };
    format!("continues experiment {id}: {rounds} {word} so far\n")
}

/// The time for which an unreachable server is retried when a report is to be stored.
const PATIENCE_WITH_SERVERS: Duration = Duration::from_secs(60);

/// A judged and stored experiment.
pub(super) struct Finished {
    pub store: Store,
    pub document: Document,
    /// The result of storing the report.
    pub kept: Result<(), Failure>,
}

/// Judges the measurements, and stores the report with them.
pub(super) fn finish(
    place: &Place,
    id: ExperimentId,
    conducted: Conducted,
) -> Result<Finished, Failure> {
    let mut conducted = Some(conducted);
    waiting::insist(Some(PATIENCE_WITH_SERVERS), || {
        let mut store = Store::open_again(place, id)?;
        // An experiment of another machine was judged on arrival, and ended when it ended there.
        let stored = archive::stored(&store, id)?;
        if stored.summary.is_some() {
            let document = archive::own_document(&store, id, &stored)?;
            return Ok(Finished { store, document, kept: Ok(()) });
        }
        // On a retry, the store has all measurements.
        let conducted =
            conducted.take().map_or_else(|| archive::replay(&store, id, &stored), Ok)?;
        let document = archive::document(&store, id, conducted)?;
        match archive::finish(&mut store, id, &document) {
            Err(failure) if failure.kind() == FailureKind::Passing => Err(failure),
            kept => Ok(Finished { store, document, kept }),
        }
    })
}

impl MeasuredExperiment {
    /// Judges and stores the experiment, or returns the reason that it ended early. `goes_on` is
    /// set if the same command would then continue it.
    pub(super) fn completed(
        self,
        place: &Place,
        goes_on: bool,
    ) -> Result<(Store, ExperimentId, Document), Failure> {
        let (id, rounds) = (self.id, self.conducted.rounds);
        let finished = finish(place, id, self.conducted);
        match self.ending {
            Err(error) => Err(run_failure(&error, kept(&error, id, rounds, goes_on))),
            Ok(Ending::Aborted) => Err(interrupted_after(rounds, id, goes_on)),
            Ok(Ending::Complete) => {
                let Finished { store, document, kept } = finished?;
                kept.map(|()| (store, id, document))
            }
        }
    }
}

fn interrupted_after(rounds: u32, id: ExperimentId, goes_on: bool) -> Failure {
    let shown = (rounds > 0).then(|| format!("`brisk show {id}`"));
    let hint = match (goes_on, shown) {
        (true, Some(shown)) => Some(format!("{GOES_ON}; {shown} shows it")),
        (true, None) => Some(GOES_ON.to_owned()),
        (false, shown) => shown.map(|shown| format!("they are stored: {shown}")),
    };
    Failure::new(format!("interrupted after {}", words::counted(rounds, "round"))).hint(hint)
}

/// Writes the requested files for a stored experiment.
pub(super) fn export(
    exports: &Exports,
    store: &Store,
    id: ExperimentId,
    document: &Document,
) -> Result<(), Failure> {
    archive::export(exports, store, id, document).map_err(|failure| {
        failure.hint(Some(format!("nothing is lost: `brisk export {id}` writes it again")))
    })
}

/// The hint for an interrupted experiment that the same command would continue.
const GOES_ON: &str = "everything is kept: run the same command again to continue";

/// A description of the stored part of an experiment that ended early. `goes_on` is set if the same
/// command would continue it after an interruption.
fn kept(error: &RunError, id: ExperimentId, rounds: u32, goes_on: bool) -> Option<String> {
    let were = if rounds == 1 { "round is" } else { "rounds are" };
    let stored =
        (rounds > 0).then(|| format!("the {rounds} finished {were} stored as experiment {id}"));
    let goes_on = goes_on && error.is_an_interruption();
    let kept = goes_on.then(|| GOES_ON.to_owned()).into_iter().chain(stored);
    kept.reduce(|kept, stored| format!("{kept}; {stored}"))
}

/// The failure of a run with its last output, and a hint about the stored rounds.
pub(super) fn run_failure(error: &RunError, kept: Option<String>) -> Failure {
    let mut failure = match error {
        RunError::Elsewhere(failure) => failure.clone(),
        error => Failure::from_error(error),
    };
    let mut hints: Vec<String> = Vec::new();
    if error.is_by_terminal() {
        failure = failure.because(
            "commands run in the background of the terminal, which stops those that ask there",
        );
        let way = "answer before brisk starts (`sudo -v`, an agent for keys), or let the command ask \
                   nothing (`--input FILE`, `PAGER=cat`)";
        hints.push(way.to_owned());
    }
    match error {
        RunError::Failed { stderr, outcome, .. } => {
            failure = failure.with_stderr(stderr);
            hints.extend(match outcome {
                measure::Outcome::Exited(code) => {
                    Some(format!("allow it with `--ignore-failure={code}`"))
                }
                measure::Outcome::TimedOut => Some("give it longer with `--timeout`".to_owned()),
                measure::Outcome::Signalled(_) if outcome.is_by_terminal() => None,
                measure::Outcome::Signalled(_) => {
                    Some("allow every failure with `--ignore-failure`".to_owned())
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
        RunError::HookFailed { stderr, .. } => failure = failure.with_stderr(stderr),
        _ => {}
    }
    hints.extend(kept);
    hints.splice(0..0, failure.take_hint());
    failure.hint((!hints.is_empty()).then(|| hints.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_takes_a_while_to_judge_is_announced() {
        assert_eq!(judging(MANY_RUNS - 1), None);
        assert!(judging(164_090).expect("many").starts_with("judging 164090 runs"));
    }
}
