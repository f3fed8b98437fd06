//! Measurements on an engine: the commission goes there, and the record comes back.

use engine::Chosen;
use engine::attempt::read_result;
use engine::folder::{Task, TaskFolder, TaskProgress, key};
use engine::wait::{self, Waited};
use model::commission::Commission;
use model::failure::{Failing, Failure};
use run::{Ending, RunError};
use store::Place;

use crate::archive;
use crate::measured::MeasuredExperiment;
use crate::measured::insist;
use crate::watcher::{Event, TaskState, Tasks, Watcher};

/// Submits commissions as tasks, or finds the same ones, and stores their results in order.
pub(crate) fn measure(
    commissions: Vec<Commission>,
    seed: Option<u64>,
    engine: &Chosen,
    store: &Place,
    watcher: &mut dyn Watcher,
) -> Result<Vec<MeasuredExperiment>, Failure> {
    let mut folders: Vec<TaskFolder> = Vec::with_capacity(commissions.len());
    for commission in commissions {
        folders.push(hand_over(commission, seed, engine, watcher)?);
    }
    let mut told = Told { watcher, engine: &engine.name, tasks: folders.len() };
    let waited = wait::Tasks::new(engine.engine(), &folders, &mut told).wait(engine.detaches);
    watcher.on(Event::Ended);
    match waited? {
        Waited::Finished => {
            folders.iter().map(|folder| receive(folder, engine, store, watcher)).collect()
        }
        Waited::Submitted => Err(Failure::detached(
            &format!("handed over to `{}`", engine.name),
            "the same command without `--detach` waits for the result and shows it",
        )),
        Waited::Interrupted => Err(Failure::new("interrupted; the job is ended")),
    }
}

/// The task for this commission, existing or new.
fn hand_over(
    commission: Commission,
    seed: Option<u64>,
    engine: &Chosen,
    watcher: &mut dyn Watcher,
) -> Result<TaskFolder, Failure> {
    if commission.contrasts.earlier.is_some() {
        return Err(Failure::new("`--with` compares with an experiment of this machine")
            .because(format!("`{}` measures on another one", engine.name))
            .hint(Some("compare both commands there, without `--with`")));
    }
    let key = key(&commission, seed, &engine.name);
    let task = Task::new(commission);
    let (folder, by) = TaskFolder::hand_over(&engine.folder, &key, &task, &engine.brisk()?)?;
    if let Some(by) = by {
        folder.log(&format!("waited for by {}", task.by));
        watcher.on(Event::Note(&format!("waiting for the task that {by} handed over")));
    }
    Ok(folder)
}

/// Stores the result of an attempt, and removes the task.
fn receive(
    folder: &TaskFolder,
    engine: &Chosen,
    place: &Place,
    watcher: &mut dyn Watcher,
) -> Result<MeasuredExperiment, Failure> {
    let open = || {
        let file = folder.result();
        file.failing("cannot read the result")
    };
    // Other processes may wait for the same result and store it in the same store. If locks are
    // unavailable, they do so at their own risk.
    let lock = open()?;
    let _ = lock.lock();
    let (header, record) = read_result(open()?)?;
    let elsewhere = |failure: Failure| match header.node.as_str() {
        node if failure.error().contains(node) => failure,
        node => failure.within(&format!("it failed on {node}")),
    };
    let take_away = || {
        folder.take();
        engine.engine().forget(folder);
    };
    if record.is_none() {
        take_away();
        let lost = || Failure::new("the result has neither an experiment nor a failure");
        return Err(elsewhere(header.failure.unwrap_or_else(lost)));
    }
    let stored = insist(None, watcher, || {
        let mut store = archive::open_for_writing(place)?;
        let (_, record) = read_result(open()?)?;
        let received = archive::import_record(&mut store, record.expect("it has one"))?;
        let nothing = || Failure::new("the record has no experiment");
        let id = received.last().ok_or_else(nothing)?.id;
        Ok((id, archive::replay(&store, id, &archive::stored(&store, id)?)?))
    });
    let way_out = "the result is kept here: the same command stores it, and shows it";
    let (id, conducted) = stored.map_err(|failure| failure.hint(Some(way_out)))?;
    // If brisk is killed before this, it stores the same result again, which changes nothing.
    take_away();
    let ending = match header.failure {
        Some(failure) => Err(RunError::Elsewhere(elsewhere(failure))),
        None => Ok(Ending::Complete),
    };
    Ok(MeasuredExperiment { id, ending, conducted })
}

struct Told<'a> {
    watcher: &'a mut dyn Watcher,
    engine: &'a str,
    tasks: usize,
}

impl wait::TaskWatcher for Told<'_> {
    fn watch(&mut self, done: usize, progress: Option<&TaskProgress>, queued: Option<&str>) {
        let state = match (progress, queued) {
            (Some(progress), _) => TaskState::Measures(&progress.message),
            (None, Some(reason)) => TaskState::Queued(reason),
            (None, None) => TaskState::Unknown,
        };
        let clock = progress.map_or(0.0, |progress| progress.clock.clamp(0.0, 1.0));
        let (engine, of) = (self.engine, self.tasks);
        self.watcher.on(Event::Tasks(Tasks { engine, done, of, clock, state }));
    }

    fn say(&mut self, text: &str) {
        self.watcher.on(Event::Note(text));
    }
}
