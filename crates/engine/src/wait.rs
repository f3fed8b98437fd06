//! Waiting for tasks: looking, polling, and taking the steps that follow. `Memory::decide`
//! chooses them, as a pure function of the task's observed state.

use std::io;
use std::thread::sleep;
use std::time::Duration;

use measure::clock::Stopwatch;
use model::failure::Failure;

use crate::folder::{TaskFolder, TaskProgress};
use crate::{Engine, Job, JobState, SubmitError, Unreachable};

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
            // The jobs can only be ended if the engine answers.
            for job in self.engine.poll(&[task.folder]).unwrap_or_default() {
                task.folder.log(&format!("job {} is ended", job.id));
                self.engine.cancel(&job);
            }
            task.folder.log("called off");
            self.engine.forget(task.folder);
            task.folder.take();
        }
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

/// After this number of polls without a job or a result, the job counts as lost. A single poll may
/// fall between the end of a job and the appearance of its files.
const PATIENCE_POLLS: u32 = 3;

/// The most jobs submitted for one task. Each but the first replaces one that vanished.
const MOST_SUBMISSIONS: u32 = 10;

/// The most jobs submitted if none of them even began, which more waiting does not fix.
const MOST_UNSTARTED: u32 = 5;

/// The observed state of a task.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight<'a> {
    /// Set if the result is there.
    pub(super) is_finished: bool,
    /// The number of jobs submitted so far, by any brisk.
    pub(super) submissions: u32,
    /// The number of jobs that began.
    pub(super) attempts: u32,
    /// Its jobs that the engine reports now.
    pub(super) jobs: Result<&'a [Job], &'a Unreachable>,
}

/// A step to take for a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    /// Take the result.
    Take,
    /// Submit a job, the first or a replacement of one that vanished.
    Submit {
        /// The number of the job within its task, from 1.
        number: u32,
    },
    /// End this job.
    Cancel(Job),
    /// Make this job start now.
    Release(Job),
    /// Too many jobs vanished: something is wrong.
    GiveUp,
}

/// The state kept for a task between polls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Memory {
    absent_polls: u32,
}

impl Memory {
    /// Returns the steps to take after a poll, in this order.
    pub(super) fn decide(&mut self, sight: Sight<'_>) -> Vec<Action> {
        if sight.is_finished {
            let left = sight.jobs.unwrap_or_default().iter().cloned().map(Action::Cancel);
            return left.chain([Action::Take]).collect();
        }
        // An engine that does not answer says nothing about jobs.
        let Ok(jobs) = sight.jobs else { return Vec::new() };
        if !jobs.is_empty() {
            self.absent_polls = 0;
            return jobs.iter().filter_map(about).collect();
        }
        if sight.submissions > 0 {
            self.absent_polls += 1;
            if self.absent_polls < PATIENCE_POLLS {
                return Vec::new();
            }
            let most = if sight.attempts == 0 { MOST_UNSTARTED } else { MOST_SUBMISSIONS };
            if sight.submissions >= most {
                return vec![Action::GiveUp];
            }
        }
        self.absent_polls = 0;
        vec![Action::Submit { number: sight.submissions + 1 }]
    }
}

/// The step to take for a job of a task without a result.
fn about(job: &Job) -> Option<Action> {
    match job.state {
        JobState::Queued(_) | JobState::Running => None,
        JobState::Deferred => Some(Action::Release(job.clone())),
        // The next polls find no job, and another one is submitted.
        JobState::Stuck(_) => Some(Action::Cancel(job.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: &str, state: JobState) -> Job {
        Job { id: id.to_owned(), name: "brisk-k".to_owned(), state }
    }

    fn running(id: &str) -> Vec<Job> {
        vec![job(id, JobState::Running)]
    }

    /// A task and its engine, played by a script.
    #[derive(Default)]
    struct Scene {
        memory: Memory,
        submissions: u32,
        attempts: u32,
        is_finished: bool,
    }

    impl Scene {
        /// A poll that finds these jobs.
        fn poll(&mut self, jobs: &[Job]) -> Vec<Action> {
            self.see(Ok(jobs))
        }

        fn see(&mut self, jobs: Result<&[Job], &Unreachable>) -> Vec<Action> {
            let (is_finished, submissions) = (self.is_finished, self.submissions);
            let attempts = self.attempts;
            let actions = self.memory.decide(Sight { is_finished, submissions, attempts, jobs });
            let submits = |action: &&Action| matches!(action, Action::Submit { .. });
            self.submissions += u32::from(actions.iter().any(|action| submits(&action)));
            actions
        }

        /// Polls without finding a job until there is a step to take.
        fn polls_of_nothing(&mut self) -> (u32, Vec<Action>) {
            let mut polls = 0;
            loop {
                polls += 1;
                let actions = self.poll(&[]);
                if !actions.is_empty() {
                    return (polls, actions);
                }
            }
        }
    }

    #[test]
    fn a_job_that_runs_and_finishes_is_submitted_once() {
        let mut scene = Scene::default();
        assert_eq!(scene.poll(&[]), [Action::Submit { number: 1 }]);
        let queued = job("1", JobState::Queued("Resources".to_owned()));
        assert_eq!(scene.poll(&[queued]), []);
        assert_eq!(scene.poll(&running("1")), []);
        assert_eq!(scene.poll(&[]), [], "its end was seen before what it wrote");
        scene.is_finished = true;
        assert_eq!(scene.poll(&[]), [Action::Take]);
    }

    #[test]
    fn a_lost_or_forgotten_job_is_submitted_again_after_some_polls() {
        let mut scene = Scene::default();
        scene.poll(&[]);
        // Accepted, but lost with the controller before any poll saw it.
        assert_eq!(scene.polls_of_nothing(), (PATIENCE_POLLS, vec![Action::Submit { number: 2 }]));
        scene.poll(&running("2"));
        // Died and was forgotten.
        assert_eq!(scene.polls_of_nothing(), (PATIENCE_POLLS, vec![Action::Submit { number: 3 }]));
    }

    #[test]
    fn a_job_that_is_seen_again_starts_the_count_anew() {
        let mut scene = Scene::default();
        scene.poll(&[]);
        for _ in 0..10 {
            assert_eq!(scene.poll(&[]), []);
            assert_eq!(scene.poll(&[]), []);
            assert_eq!(scene.poll(&running("1")), []);
        }
    }

    #[test]
    fn nobody_who_does_not_answer_has_lost_a_job() {
        let mut scene = Scene::default();
        let away = Unreachable("no controller".to_owned());
        assert_eq!(scene.see(Err(&away)), [], "nothing is submitted to nobody");
        scene.poll(&[]);
        for _ in 0..100 {
            assert_eq!(scene.see(Err(&away)), []);
        }
        assert_eq!((scene.poll(&[]), scene.poll(&[])), (vec![], vec![]));
        scene.is_finished = true;
        assert_eq!(scene.see(Err(&away)), [Action::Take], "the result is not the engine's");
    }

    #[test]
    fn of_a_job_that_runs_twice_the_first_result_counts_and_the_rest_is_ended() {
        let mut scene = Scene::default();
        scene.poll(&[]);
        let both = [running("1"), running("2")].concat();
        assert_eq!(scene.poll(&both), []);
        scene.is_finished = true;
        let [one, two] = [&both[0], &both[1]].map(|job| Action::Cancel(job.clone()));
        assert_eq!(scene.poll(&both), [one, two, Action::Take]);
    }

    #[test]
    fn a_requeued_job_is_released_and_one_that_cannot_start_is_replaced() {
        let mut scene = Scene::default();
        scene.poll(&[]);
        let deferred = job("1", JobState::Deferred);
        assert_eq!(scene.poll(std::slice::from_ref(&deferred)), [Action::Release(deferred)]);
        assert_eq!(scene.poll(&running("1")), [], "preempted or not: it runs");
        let stuck = job("1", JobState::Stuck("launch failed".to_owned()));
        assert_eq!(scene.poll(std::slice::from_ref(&stuck)), [Action::Cancel(stuck)]);
        assert_eq!(scene.polls_of_nothing().1, [Action::Submit { number: 2 }]);
    }

    #[test]
    fn a_number_that_is_used_again_is_of_no_consequence() {
        let mut scene = Scene::default();
        scene.poll(&[]);
        scene.poll(&running("19"));
        // The controller died and reused 19 for another user's job: none has our name.
        assert_eq!(scene.polls_of_nothing().1, [Action::Submit { number: 2 }]);
        assert_eq!(scene.poll(&running("19")), [], "it is ours by its name");
    }

    #[test]
    fn what_vanishes_again_and_again_is_given_up() {
        for (attempts, most) in [(0, MOST_UNSTARTED), (1, MOST_SUBMISSIONS)] {
            let mut scene = Scene { attempts, ..Scene::default() };
            scene.poll(&[]);
            for number in 2..=most {
                assert_eq!(scene.polls_of_nothing().1, [Action::Submit { number }]);
            }
            assert_eq!(scene.polls_of_nothing().1, [Action::GiveUp]);
        }
    }

    #[test]
    fn who_comes_back_goes_on_where_the_folder_is() {
        // After kill -9 there is no memory, and the folder says that a job was submitted.
        let mut scene = Scene { submissions: 1, ..Scene::default() };
        assert_eq!(scene.poll(&running("1")), []);
        let mut scene = Scene { submissions: 1, ..Scene::default() };
        assert_eq!(scene.polls_of_nothing(), (PATIENCE_POLLS, vec![Action::Submit { number: 2 }]));
    }
}
