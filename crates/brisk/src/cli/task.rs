//! `brisk task`: the program that jobs of engines run. It measures the task in a folder, and puts
//! the result there.

use std::path::PathBuf;

use ::engine::attempt::{Attempt, Header, write_header};
use ::engine::folder::{self, Task, TaskProgress};
use ::laboratory::archive;
use ::laboratory::conduct::Past;
use ::laboratory::conducting::{self, Begun, Equipment};
use ::laboratory::measured::{finish, run_failure};
use clap::Args;
use laboratory::machine::Turns;
use laboratory::watcher::{Event, Watcher};
use measure::Launcher;
use measure::clock::Stopwatch;
use model::commission::Commission;
use model::failure::{Failing, Failure};
use model::host;
use page::plain::plain;
use run::Ending;
use run::instrument::scratch_folder;
use store::{ExperimentId, Place};

use super::output::note;
use super::{Done, ExitCode, watching};

/// Arguments of `brisk task`.
#[derive(Debug, Args)]
pub(super) struct TaskArguments {
    /// The task's folder
    folder: PathBuf,
}

/// Measures, and publishes the result; does nothing if there is already one. A failed program is a
/// result as well: this returns an error only if another attempt may succeed.
pub(super) fn run(arguments: &TaskArguments) -> Done {
    let arrived = folder::go_where_typed(&arguments.folder);
    // Before anything that takes memory: the launcher's own memory is the smallest peak it can see.
    let mut launcher = Launcher::start()?;
    measure::interrupt::install().failing("cannot watch for signals")?;
    let task = folder::read(&arguments.folder)?;
    let begun = Attempt::begin(&arguments.folder, &task);
    let begun = begun.failing(format!("cannot write in `{}`", arguments.folder.display()))?;
    let Some(attempt) = begun else { return Ok(ExitCode::Fine) };
    let refused = arrived.err().or_else(|| other_version(&task));
    measure(&task, refused, &attempt, &mut launcher)
        .inspect_err(|trouble| attempt.leave(trouble))?;
    Ok(ExitCode::Fine)
}

/// The result of an attempt.
enum Found {
    /// An experiment, which may have failed.
    Experiment(ExperimentId, Option<Failure>),
    /// A failure that would occur here again.
    Failure(Failure),
}

/// Measures unless the task is refused, and publishes the result.
fn measure(
    task: &Task,
    refused: Option<Failure>,
    attempt: &Attempt,
    launcher: &mut Launcher,
) -> Result<(), Failure> {
    // Not in the shared folder: databases do not work reliably on network file systems.
    let scratch = scratch_folder()?;
    let place = Place::from(scratch.path().join("runs.db"));
    let found = match refused {
        Some(failure) => Found::Failure(failure),
        None => conduct(task.commission.clone(), attempt, launcher, &place)?,
    };
    let name = attempt.name().to_owned();
    let (header, id) = match found {
        Found::Experiment(id, failure) => {
            (Header { attempt: name, node: folder::node(), failure }, Some(id))
        }
        Found::Failure(failure) => (Header::cannot_measure(name, failure), None),
    };
    attempt.publish(|out| {
        write_header(out, &header)?;
        let Some(id) = id else { return Ok(()) };
        let store = archive::open_for_reading(&place)?;
        archive::export_record(&store, &[id], out)
    })?;
    Ok(())
}

/// The reason that a task of another brisk version is not measured.
fn other_version(task: &Task) -> Option<Failure> {
    let own = env!("CARGO_PKG_VERSION");
    let failure = (task.brisk != own)
        .then(|| Failure::new(format!("brisk is {own} there, and {} here", task.brisk)))?;
    Some(failure.hint(Some("`copy = true` in the engine's table sends this brisk")))
}

fn conduct(
    mut commission: Commission,
    attempt: &Attempt,
    launcher: &mut Launcher,
    place: &Place,
) -> Result<Found, Failure> {
    let Some(execution) = &mut commission.execution else {
        return Ok(Found::Failure(Failure::new("the task does not say how it is run")));
    };
    let equipment = match Equipment::new(execution, commission.metrics.as_deref(), launcher) {
        Ok(equipment) => equipment,
        Err(failure) => return Ok(Found::Failure(failure)),
    };
    attempt.tell(&TaskProgress { clock: 0.0, message: "waiting for the machine".to_owned() });
    let mut teller = Teller { attempt, told: None };
    let turns = Turns::begin(false, &mut teller)?;
    let mut store = archive::open_for_writing(place)?;
    let (id, journal) = store.begin(&commission, &host::circumstances())?;
    let begun = Begun { id, journal, commission, past: Past::default() };
    let (ending, conducted) =
        conducting::conduct(&mut store, &begun, equipment, turns, launcher, &mut teller)?;
    let failure = match ending {
        // The job is ended. To get the result, another one must be submitted.
        Ok(Ending::Aborted) => return Err(Failure::new("it was asked to end")),
        Ok(Ending::Complete) => None,
        Err(error) if error.is_an_interruption() => return Err(run_failure(&error, None)),
        Err(error) => Some(run_failure(&error, None)),
    };
    drop(begun);
    finish(place, id, conducted, &mut teller)?.kept?;
    Ok(Found::Experiment(id, failure))
}

/// Reports progress about once a second.
struct Teller<'a> {
    attempt: &'a Attempt,
    told: Option<Stopwatch>,
}

/// The minimum time between two reports, in seconds: writing disturbs the measurement.
const PAUSE_SECONDS: f64 = 1.0;

impl Watcher for Teller<'_> {
    fn on(&mut self, event: Event<'_>) {
        match event {
            Event::Measuring(state) => {
                if self.told.is_some_and(|watch| watch.elapsed().as_secs_f64() < PAUSE_SECONDS) {
                    return;
                }
                self.told = Some(Stopwatch::start());
                let message = watching::message(&state);
                self.attempt.tell(&TaskProgress { clock: state.clock, message });
            }
            Event::Waiting(wait) => {
                if let Some(reminder) = wait.reminder {
                    self.attempt.tell(&TaskProgress { clock: 0.0, message: reminder.to_owned() });
                }
            }
            Event::Note(text) => note(&plain(text)),
            _ => {}
        }
    }
}
