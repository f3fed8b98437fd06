//! Measuring, between the command line and the store: the same for every verb that measures.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::Duration;

use measure::{Launcher, StartError};
use page::plain::plain;

use super::conducting::{self, Begun, Equipment};
use super::holding::Turns;
use super::output::Output;
use super::{remote, waiting};
use crate::archive::Past;
use crate::cli::options::{MeasuringOptions, StoppingOptions};
use crate::cli::progress::{Bar, Budget};
use crate::commission::{Commission, Contender, Execution, Kind};
use crate::conduct::Conducted;
use crate::engine::Chosen;
use crate::failure::{Failure, FailureKind};
use crate::judge::contrasts::Contrasts;
use crate::judge::stopping::{Progress, StoppingRule};
use crate::machine_class::MachineClass;
use crate::metric::{MetricId, Source};
use crate::report::document::Document;
use crate::report::equal_work;
use crate::report::export::Exports;
use crate::report::{too_few, words};
use crate::run::looks::LookTaken;
use crate::run::{Ending, RunError};
use crate::spec::Experiment;
use crate::spec::reading::Sources;
use crate::spec::suite::Suite;
use crate::store::{ExperimentId, ExperimentState, Place, Store, StoreError, StoredExperiment};
use crate::{archive, host};

/// Everything that measuring needs to know, checked.
pub(super) struct Laboratory<'a> {
    /// What is run.
    pub experiment: &'a Experiment,
    /// What is compared with what.
    pub contrasts: Contrasts,
    /// What asks for it.
    pub kind: Kind,
    /// The folder of the project that it is about; where none is named, this one.
    pub project: Option<String>,
    /// The canonical form of what is asked; none where every experiment stands for itself.
    pub subject: Option<String>,
    /// What lists call it.
    pub title: String,
    /// When to stop.
    pub rule: &'a StoppingRule,
    /// The benchmarks inside of programs that are run; none where commands are timed as a whole.
    pub suite: Option<&'a Suite>,
    /// Where readings come from besides the run itself.
    pub sources: Sources,
    /// Whether memory is sampled over time, in rounds of its own.
    pub samples_memory: bool,
    /// The metrics named by the user.
    pub metrics: Option<Vec<MetricId>>,
    /// Where it is measured and stored.
    pub options: &'a MeasuringOptions,
    /// How long somebody asked to measure, and where the order of the runs is drawn from.
    pub stopping: &'a StoppingOptions,
    /// Whether to show progress.
    pub shows_progress: bool,
    /// The store stays when brisk has ended.
    pub is_kept: bool,
    /// Where it is measured; none where that is here.
    pub engine: Option<&'a Chosen>,
}

/// What was measured until it ended.
pub(super) struct MeasuredExperiment {
    /// Under which number it is stored.
    pub id: ExperimentId,
    /// How the running went.
    pub ending: Result<Ending, RunError>,
    /// What was conducted.
    pub conducted: Conducted,
}

impl<'a> Laboratory<'a> {
    /// What runs an experiment that stands for itself, and reads of a run no more than every run shows.
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

    /// What its rounds cannot decide, to be said before the first of them.
    pub(super) fn remark(&self) -> String {
        if self.contrasts.compared().next().is_none() {
            return String::new();
        }
        let members = self.contrasts.members(self.metrics.as_deref(), self.rule);
        too_few::remark(self.rule, &members)
    }

    /// Runs the experiment, or goes on with one of the store that was interrupted; every run is
    /// stored before the next one starts.
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
        // Nothing has begun while others are waited for, so it costs no budget.
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
        // What is next has nothing to draw.
        let runs = u64::from(conducted.rounds) * u64::from(self.variants());
        if let Some(told) = judging(runs).filter(|_| self.shows_progress) {
            super::output::note(&told);
        }
        Ok(MeasuredExperiment { id: begun.id, ending, conducted })
    }

    /// Runs several at once, each on a machine of the engine, which is that of all.
    pub(super) fn measure_together(
        all: &[Self],
        engine: &Chosen,
        place: &Place,
    ) -> Result<Vec<MeasuredExperiment>, Failure> {
        let Some(first) = all.first() else { return Ok(Vec::new()) };
        let commissions = all.iter().map(Self::commission).collect();
        remote::measure(commissions, first.stopping.seed, engine, (place, first.shows_progress))
    }

    /// The newest experiment with the same subject, where it was interrupted, or where it stayed open
    /// and more is asked for now, which is said.
    fn earlier(&self, place: &Place, output: &Output) -> Result<Option<ExperimentId>, Failure> {
        let Some(subject) = &self.subject else { return Ok(None) };
        // What another machine has measured is not gone on with.
        let store = if self.engine.is_some() { None } else { Store::open_existing(place)? };
        let Some(mut store) = store else { return Ok(None) };
        archive::recover_if_possible(&mut store);
        let ids = store.of_subject(subject)?;
        let Some(&newest) = ids.first() else { return Ok(None) };
        let stored = store.experiment(newest)?;
        let Some(stored) = stored else { return Ok(None) };
        let goes_on = match stored.state {
            // Who asks for fewer rounds than there are asks for others.
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
        // Nobody could tell afterwards which rounds were made on what.
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

    /// A file that the commands name, and that was changed after this moment. A file that a command
    /// writes cannot be told from one that it reads.
    fn changed_since(&self, unix_ns: u64) -> Option<PathBuf> {
        // Suites know what their programs are.
        let files = self.experiment.variants.iter().filter(|_| self.suite.is_none());
        files.flat_map(|variant| variant.run.named_files()).find(|file| {
            let changed = std::fs::metadata(file).map(|found| {
                let seconds = u64::try_from(found.ctime()).unwrap_or(0);
                seconds * 1_000_000_000 + u64::try_from(found.ctime_nsec()).unwrap_or(0)
            });
            changed.is_ok_and(|changed| changed > unix_ns)
        })
    }

    /// Runs the experiment, or goes on with the same one unless all is to be measured again; stores,
    /// prints and exports the report, and gives it back. A failure, an interruption and work that is not
    /// equal are told after what could be shown.
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
        // What ended it may also be why the report cannot be kept, and is told before that.
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

    /// What is asked for, with everything that is needed to run it.
    fn commission(&self) -> Commission {
        let contender = |variant: &crate::spec::Variant| Contender {
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

/// What was typed, and where.
pub(super) struct Asker {
    /// The command line after `brisk`.
    pub arguments: Vec<String>,
    /// The folder.
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

/// An argument, without the password of the address that it may be.
fn without_password(word: &str) -> String {
    #[cfg(feature = "postgres")]
    if let Some(redacted) = crate::store::redacted(word) {
        return redacted;
    }
    word.to_owned()
}

/// Whether an answer stayed open.
pub(super) fn is_open(document: &Document) -> bool {
    document.answers.iter().any(|answer| !answer.verdict.is_conclusive())
}

/// Whether an experiment that has ended can go on by this rule.
pub(super) fn can_go_on(
    store: &Store,
    id: ExperimentId,
    stored: &StoredExperiment,
    rule: &StoppingRule,
) -> Result<bool, Failure> {
    let done = last_look(store, id)?;
    Ok(done.is_some_and(|done| rule.goes_beyond(&stored.commission.rule, done)))
}

/// How far an experiment had come at its last look.
fn last_look(store: &Store, id: ExperimentId) -> Result<Option<Progress>, Failure> {
    let looks = store.looks(id)?;
    let progress =
        |look: &LookTaken| Progress { rounds: look.rounds, elapsed_seconds: look.elapsed_seconds };
    Ok(looks.last().map(progress))
}

/// So many runs are judged within a blink; more take as many seconds.
const MANY_RUNS: u64 = 50_000;

/// What is said before so many runs are judged that it looks as if nothing happened.
fn judging(runs: u64) -> Option<String> {
    (runs >= MANY_RUNS).then(|| {
        format!(
            "judging {runs} runs, which takes a while; all of them \
        are stored"
        )
    })
}

/// What is said before an experiment goes on.
pub(super) fn going_on(id: ExperimentId, rounds: u32) -> String {
    let word = if rounds == 1 { "round" } else { "rounds" };
    format!("continues experiment {id}: {rounds} {word} so far\n")
}

/// How long a server is waited for that is away when there is a report to store.
const PATIENCE_WITH_SERVERS: Duration = Duration::from_secs(60);

/// What was measured, judged.
pub(super) struct Finished {
    pub store: Store,
    pub document: Document,
    /// Whether the report is stored, too.
    pub kept: Result<(), Failure>,
}

/// Judges what was measured, and stores the report with it.
pub(super) fn finish(
    place: &Place,
    id: ExperimentId,
    conducted: Conducted,
) -> Result<Finished, Failure> {
    let mut conducted = Some(conducted);
    waiting::insist(Some(PATIENCE_WITH_SERVERS), || {
        let mut store = Store::open_again(place, id)?;
        // What came from another machine was judged when it came, and ended when it ended there.
        let stored = archive::stored(&store, id)?;
        if stored.summary.is_some() {
            let document = archive::own_document(&store, id, &stored)?;
            return Ok(Finished { store, document, kept: Ok(()) });
        }
        // The second time, the store has all of it.
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
    /// Judges and stores it; where it did not come to its end, why. `goes_on` is whether the same
    /// command would go on with it then.
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

/// Writes the files that are wanted of what is stored.
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

/// What is told where the same command goes on with an experiment that was interrupted.
const GOES_ON: &str = "everything is kept: run the same command again to continue";

/// What is stored of an experiment that ended early, in words; `goes_on` is whether the same command
/// would go on with it, had it been interrupted.
fn kept(error: &RunError, id: ExperimentId, rounds: u32, goes_on: bool) -> Option<String> {
    let were = if rounds == 1 { "round is" } else { "rounds are" };
    let stored =
        (rounds > 0).then(|| format!("the {rounds} finished {were} stored as experiment {id}"));
    let goes_on = goes_on && error.is_an_interruption();
    let kept = goes_on.then(|| GOES_ON.to_owned()).into_iter().chain(stored);
    kept.reduce(|kept, stored| format!("{kept}; {stored}"))
}

/// A failed run with its last words, and what was kept of the rounds before it.
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
