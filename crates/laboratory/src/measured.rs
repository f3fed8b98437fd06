//! Measured experiments: judged and stored, also in a store that cannot be reached for a while; and the
//! words for one that ended early.

use std::thread::sleep;
use std::time::Duration;

use findings::Document;
use measure::clock::Stopwatch;
use measure::{StartError, interrupt};
use model::failure::{Failure, FailureKind};
use report::export::Exports;
use run::{Ending, RunError};
use store::{ExperimentId, Place, Store, StoreError};

use crate::archive;
use crate::conduct::Conducted;
use crate::watcher::{Event, Watcher};

/// The default budget for each benchmark of each program, in processes of the requested length. A
/// suite therefore takes about as long as its harness alone would.
pub const BUDGET_RUNS: f64 = 20.0;

/// A measured experiment that has ended, but is not judged yet.
pub struct MeasuredExperiment {
    /// Its number in the store.
    pub id: ExperimentId,
    /// The end of the run, or its error.
    pub ending: Result<Ending, RunError>,
    /// The measurements.
    pub conducted: Conducted,
}

/// The time for which an unreachable server is retried when a report is to be stored.
const PATIENCE_WITH_SERVERS: Duration = Duration::from_secs(60);

/// A judged and stored experiment.
pub struct Finished {
    /// The store.
    pub store: Store,
    /// The report.
    pub document: Document,
    /// The result of storing the report.
    pub kept: Result<(), Failure>,
}

/// Judges the measurements, and stores the report with them. `watcher` is told of a wait for the store.
pub fn finish(
    place: &Place,
    id: ExperimentId,
    conducted: Conducted,
    watcher: &mut dyn Watcher,
) -> Result<Finished, Failure> {
    let mut conducted = Some(conducted);
    insist(Some(PATIENCE_WITH_SERVERS), watcher, || {
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
    pub fn completed(
        self,
        place: &Place,
        goes_on: bool,
        watcher: &mut dyn Watcher,
    ) -> Result<(Store, ExperimentId, Document), Failure> {
        let (id, rounds) = (self.id, self.conducted.rounds);
        let finished = finish(place, id, self.conducted, watcher);
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

/// The failure of an interrupted experiment.
pub fn interrupted_after(rounds: u32, id: ExperimentId, goes_on: bool) -> Failure {
    let shown = (rounds > 0).then(|| format!("`brisk show {id}`"));
    let hint = match (goes_on, shown) {
        (true, Some(shown)) => Some(format!("{GOES_ON}; {shown} shows it")),
        (true, None) => Some(GOES_ON.to_owned()),
        (false, shown) => shown.map(|shown| format!("they are stored: {shown}")),
    };
    Failure::new(format!("interrupted after {}", words::counted(rounds, "round"))).hint(hint)
}

/// The hint for an interrupted experiment that the same command would continue.
const GOES_ON: &str = "everything is kept: run the same command again to continue";

/// A description of the stored part of an experiment that ended early. `goes_on` is set if the same
/// command would continue it after an interruption.
pub fn kept(error: &RunError, id: ExperimentId, rounds: u32, goes_on: bool) -> Option<String> {
    let were = if rounds == 1 { "round is" } else { "rounds are" };
    let stored =
        (rounds > 0).then(|| format!("the {rounds} finished {were} stored as experiment {id}"));
    let goes_on = goes_on && error.is_an_interruption();
    let kept = goes_on.then(|| GOES_ON.to_owned()).into_iter().chain(stored);
    kept.reduce(|kept, stored| format!("{kept}; {stored}"))
}

/// The failure of a run with its last output, and a hint about the stored rounds.
pub fn run_failure(error: &RunError, kept: Option<String>) -> Failure {
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

/// Writes the requested files for an experiment that was just measured.
///
/// # Errors
///
/// When one cannot be written. The experiment is stored.
pub fn export(
    exports: &Exports,
    store: &Store,
    id: ExperimentId,
    document: &Document,
) -> Result<(), Failure> {
    archive::export(exports, store, id, document).map_err(|failure| {
        failure.hint(Some(format!("nothing is lost: `brisk export {id}` writes it again")))
    })
}

const PAUSE: Duration = Duration::from_millis(500);

/// Retries `store` until it succeeds, fails permanently, or `most` has passed. The wait is noted
/// once.
///
/// # Errors
///
/// As `store`; or an interruption of the wait.
pub fn insist<T>(
    most: Option<Duration>,
    watcher: &mut dyn Watcher,
    mut store: impl FnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let watch = Stopwatch::start();
    let mut is_told = false;
    loop {
        let failure = match store() {
            Err(failure) if failure.kind() == FailureKind::Passing => failure,
            stored => {
                if is_told && stored.is_ok() {
                    watcher.on(Event::Note("the store can be written again"));
                }
                return stored;
            }
        };
        if interrupt::requested() {
            return Err(failure.within("interrupted while waiting for the store"));
        }
        if most.is_some_and(|most| watch.elapsed() >= most) {
            return Err(failure);
        }
        if !std::mem::replace(&mut is_told, true) {
            let why = failure.in_one_line();
            let text = format!("{why}: waiting for it; what was measured is kept here");
            watcher.on(Event::Note(&text));
        }
        sleep(PAUSE);
    }
}
