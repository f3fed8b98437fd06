//! Waiting for tasks: looking, polling, and taking the steps that [`super::decide`] returns.

use std::io;
use std::thread::sleep;
use std::time::Duration;

use measure::clock::Stopwatch;

use super::decide::{Action, Memory, Sight};
use super::folder::{TaskFolder, TaskProgress};
use super::{Engine, Job, JobState, SubmitError, Unreachable};
use model::failure::Failure;

/// The time between two looks at the folders, which are cheap.
const LOOK: Duration = Duration::from_millis(100);

/// Receives progress while tasks are waited for.
pub trait TaskWatcher {
    /// Reports the number of finished tasks, the progress of another, and a reason to wait.
    fn watch(&mut self, done: usize, progress: Option<&TaskProgress>, queued: Option<&str>);

    /// Reports an event that the user should know.
    fn say(&mut self, text: &str);
}

/// The outcome of waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// Every task has a result.
    Finished,
    /// Every task has a job, and the caller wanted no more.
    Submitted,
    /// A signal asked us to stop; the jobs have been ended.
    Interrupted,
}

/// A task with its state while we wait.
struct Waiting<'a> {
    folder: &'a TaskFolder,
    memory: Memory,
    submissions: u32,
    attempts: u32,
    is_done: bool,
}

/// The tasks of an engine to wait for.
pub struct Tasks<'a> {
    engine: &'a dyn Engine,
    waiting: Vec<Waiting<'a>>,
    watcher: &'a mut dyn TaskWatcher,
    /// The result of the last poll.
    jobs: Result<Vec<Job>, Unreachable>,
}

impl<'a> Tasks<'a> {
    /// These tasks of an engine.
    pub fn new(
        engine: &'a dyn Engine,
        folders: &'a [TaskFolder],
        watcher: &'a mut dyn TaskWatcher,
    ) -> Self {
        let waiting = |folder| Waiting {
            folder,
            memory: Memory::default(),
            submissions: 0,
            attempts: 0,
            is_done: false,
        };
        Self {
            engine,
            waiting: folders.iter().map(waiting).collect(),
            watcher,
            jobs: Ok(Vec::new()),
        }
    }

    /// Submits tasks that lack a job, and waits for all results, or only for the submissions.
    ///
    /// # Errors
    ///
    /// When a job is refused, vanishes too often, or the folder cannot be used. Jobs that were
    /// already submitted are ended in this case.
    pub fn wait(mut self, only_submits: bool) -> Result<Waited, Failure> {
        let waited = self.wait_for_all(only_submits);
        if matches!(waited, Err(_) | Ok(Waited::Interrupted)) {
            self.call_off();
        }
        waited
    }

    fn wait_for_all(&mut self, only_submits: bool) -> Result<Waited, Failure> {
        let watch = Stopwatch::start();
        let mut next_poll = 0.0;
        loop {
            self.look()?;
            if self.waiting.iter().all(|task| task.is_done) {
                return Ok(Waited::Finished);
            }
            if measure::interrupt::requested() {
                return Ok(Waited::Interrupted);
            }
            let elapsed = watch.elapsed().as_secs_f64();
            if elapsed >= next_poll {
                self.poll();
                self.act()?;
                // Pauses grow with the time waited.
                let [least, most] = self.engine.pauses();
                next_poll = watch.elapsed().as_secs_f64() + (elapsed / 20.0).clamp(least, most);
            }
            if only_submits && self.waiting.iter().all(|task| task.is_done || task.submissions > 0)
            {
                return Ok(Waited::Submitted);
            }
            self.tell();
            sleep(LOOK);
        }
    }

    /// Looks at the files in the folders.
    fn look(&mut self) -> Result<(), Failure> {
        for place in 0..self.waiting.len() {
            let task = &mut self.waiting[place];
            if task.is_done {
                continue;
            }
            let look = task.folder.look().map_err(|error| unreadable(task.folder, &error))?;
            if look.is_gone {
                return Err(Failure::new(format!(
                    "the task in `{}` was called off",
                    task.folder.path().display()
                ))
                .because("its folder is not there any more"));
            }
            task.submissions = task.submissions.max(look.submissions);
            task.attempts = look.attempts;
            if look.is_finished {
                // A result needs no poll, but if there were several jobs, some may be left.
                let several = task.submissions.max(task.attempts) > 1;
                let polled =
                    if several { self.engine.poll(&[task.folder]) } else { Ok(Vec::new()) };
                self.decide(place, true, polled.as_deref())?;
            }
        }
        Ok(())
    }

    fn poll(&mut self) {
        let wanted: Vec<&TaskFolder> =
            self.waiting.iter().filter(|task| !task.is_done).map(|task| task.folder).collect();
        let polled = self.engine.poll(&wanted);
        match (&self.jobs, &polled) {
            (Ok(_), Err(Unreachable(why))) => {
                self.watcher.say(&format!("the engine does not answer, and is waited for: {why}"));
                wanted.iter().for_each(|task| task.log(&format!("no answer: {why}")));
            }
            (Err(_), Ok(_)) => self.watcher.say("the engine answers again"),
            _ => {}
        }
        self.jobs = polled;
    }

    fn act(&mut self) -> Result<(), Failure> {
        for place in 0..self.waiting.len() {
            let task = &self.waiting[place];
            if task.is_done {
                continue;
            }
            let name = task.folder.job_name();
            let own = |jobs: &Vec<Job>| -> Vec<Job> {
                jobs.iter().filter(|job| job.name == name).cloned().collect()
            };
            let own = self.jobs.as_ref().map(own).map_err(Unreachable::clone);
            self.decide(place, false, own.as_deref())?;
        }
        Ok(())
    }

    /// Takes the steps for a task, given the jobs that the engine reports for it.
    fn decide(
        &mut self,
        place: usize,
        is_finished: bool,
        jobs: Result<&[Job], &Unreachable>,
    ) -> Result<(), Failure> {
        let task = &mut self.waiting[place];
        let (submissions, attempts) = (task.submissions, task.attempts);
        let actions = task.memory.decide(Sight { is_finished, submissions, attempts, jobs });
        actions.into_iter().try_for_each(|action| self.take(place, action))
    }

    fn take(&mut self, place: usize, action: Action) -> Result<(), Failure> {
        let folder = self.waiting[place].folder;
        match action {
            Action::Take => self.waiting[place].is_done = true,
            Action::Submit { number } => self.submit(place, number)?,
            Action::Cancel(job) => {
                folder.log(&format!("job {} is not needed, or cannot start, and is ended", job.id));
                self.engine.cancel(&job);
            }
            Action::Release(job) => {
                folder.log(&format!("job {} was started before, and starts again now", job.id));
                self.engine.release(&job);
            }
            Action::GiveUp => return Err(given_up(&self.waiting[place])),
        }
        Ok(())
    }

    fn submit(&mut self, place: usize, number: u32) -> Result<(), Failure> {
        let task = &mut self.waiting[place];
        let failed = |error: io::Error| unreadable(task.folder, &error);
        if !task.folder.claim(number).map_err(failed)? {
            return Ok(());
        }
        if number > 1 {
            let told = format!("job {} vanished without a result: submitting again", number - 1);
            task.folder.log(&told);
            self.watcher.say(&told);
        }
        match self.engine.submit(task.folder) {
            Ok(id) => {
                task.submissions = number;
                task.folder.note_job(number, &id);
                task.folder.log(&format!("submitted as job {id}"));
                Ok(())
            }
            Err(SubmitError::Unreachable(Unreachable(why))) => {
                task.folder.unclaim(number);
                task.folder.log(&format!("cannot submit, and will try again: {why}"));
                if self.jobs.is_ok() {
                    self.watcher.say(&format!("cannot submit, and will try again: {why}"));
                }
                self.jobs = Err(Unreachable(why));
                Ok(())
            }
            Err(SubmitError::Refused(failure)) => {
                task.folder.log(&format!("refused: {}", failure.causes().join(": ")));
                Err(failure)
            }
        }
    }

    fn tell(&mut self) {
        let done = self.waiting.iter().filter(|task| task.is_done).count();
        let queued = self.jobs.iter().flatten().find_map(|job| match &job.state {
            JobState::Queued(reason) => Some(reason.as_str()),
            _ => None,
        });
        let mut left = self.waiting.iter().filter(|task| !task.is_done);
        let progress = left.find_map(|task| task.folder.progress());
        self.watcher.watch(done, progress.as_ref(), queued);
    }

    /// Ends all jobs and moves the tasks away.
    fn call_off(&mut self) {
        for task in &self.waiting {
            end_jobs(self.engine, task.folder);
            task.folder.log("called off");
            self.engine.forget(task.folder);
            task.folder.take();
        }
    }
}

/// Ends all jobs of a task, if the engine answers.
fn end_jobs(engine: &dyn Engine, folder: &TaskFolder) {
    for job in engine.poll(&[folder]).unwrap_or_default() {
        folder.log(&format!("job {} is ended", job.id));
        engine.cancel(&job);
    }
}

fn unreadable(folder: &TaskFolder, error: &io::Error) -> Failure {
    Failure::new(format!("cannot use the task in `{}`", folder.path().display())).caused_by(error)
}

fn given_up(task: &Waiting<'_>) -> Failure {
    let path = task.folder.path();
    let failure = match task.attempts {
        0 => Failure::new(format!("{} jobs were submitted, and none began", task.submissions)),
        begun => Failure::new(format!(
            "{} jobs were submitted and {begun} began, and none finished",
            task.submissions
        )),
    };
    let words = task.folder.last_words();
    let failure = match words.trim() {
        "" if task.attempts == 0 => failure.because(format!(
            "none of them has left a trace in `{}`: perhaps it is another folder where they run",
            path.display()
        )),
        "" => failure,
        words => failure.because(words.to_owned()),
    };
    failure.hint(Some(format!(
        "what happened is in the log of the task, below `{}`",
        path.parent().and_then(|tasks| tasks.parent()).unwrap_or(&path).join("taken").display()
    )))
}
