//! Workers: machines that take tasks from a queue in a store on a server.
//!
//! The queue has the task while nobody can see this folder, and brings the result back: each poll
//! puts what is new into the folder, so that all else is as on other engines.

use std::fs;

use super::artifacts::NamedArtifact;
use super::attempt::Attempt;
use super::folder::{TaskFolder, read};
use super::{Engine, Job, JobState, SubmitError, Unreachable, artifacts};
use crate::failure::{Failing, Failure};
use crate::store::blobs::Needed;
use crate::store::queue::{Queue, Queued, State, TaskName};
use crate::store::{Place, StoreError};

pub(super) struct Workers {
    queue: Place,
    /// The class of the machine; empty for any.
    class: String,
}

impl Workers {
    pub(super) fn new(queue: Place, class: Option<String>) -> Self {
        Self { queue, class: class.unwrap_or_default() }
    }

    /// Why nobody has taken a task.
    fn reason(&self, workers: u64) -> String {
        let own = env!("CARGO_PKG_VERSION");
        match (workers, self.class.as_str()) {
            (0, "") => format!("no worker with brisk {own} was there in the last minute"),
            (0, class) => {
                format!(
                    "no worker of class `{class}` with brisk {own} was there in the last minute"
                )
            }
            (1, _) => "for the only worker".to_owned(),
            (workers, _) => format!("for one of {workers} workers"),
        }
    }

    /// What a state says about the jobs of a task, once what came of it is in the folder.
    fn job(&self, task: &TaskFolder, state: State) -> Result<Job, Failure> {
        let (id, state) = match state {
            State::Waits { workers } => (String::new(), JobState::Queued(self.reason(workers))),
            State::Runs { worker, progress } => {
                if !progress.is_empty() {
                    // The next poll says more.
                    let _ = fs::write(task.path().join("progress.worker"), progress);
                }
                (worker, JobState::Running)
            }
            State::Done { worker, result } => {
                take_in(task, &result)?;
                (worker, JobState::Running)
            }
            State::GivenUp { trouble } => {
                let _ = fs::write(task.path().join("trouble.worker"), trouble);
                (String::new(), JobState::Stuck("the workers that took it vanished".to_owned()))
            }
        };
        Ok(Job { id, name: task.job_name(), state })
    }
}

/// Publishes what a worker found, as if it had been found in the folder.
fn take_in(task: &TaskFolder, result: &str) -> Result<(), Failure> {
    let path = task.path();
    let begun = Attempt::begin(&path, &read(&path)?);
    let begun = begun.failing(format!("cannot write in `{}`", path.display()))?;
    let Some(attempt) = begun else { return Ok(()) };
    attempt.publish(|out| {
        std::io::Write::write_all(out, result.as_bytes()).failing("cannot write the result")
    })?;
    Ok(())
}

fn needed(artifact: &NamedArtifact) -> Needed {
    let path = artifact.path.to_string_lossy().into_owned();
    Needed { path, digest: artifact.digest.clone() }
}

fn away(error: &StoreError) -> Unreachable {
    Unreachable(Failure::from_error(error).in_one_line())
}

impl Engine for Workers {
    fn check(&self) -> Result<(), Failure> {
        Ok(Queue::open(&self.queue).map(drop)?)
    }

    fn submit(&self, task: &TaskFolder) -> Result<String, SubmitError> {
        let text = task.text().map_err(SubmitError::Refused)?;
        let named: Vec<NamedArtifact> = artifacts::named(&text).into_iter().collect();
        let needs: Vec<Needed> = named.iter().map(needed).collect();
        let name = TaskName { key: task.key().to_owned(), stamp: task.stamp() };
        let brisk = env!("CARGO_PKG_VERSION");
        let queued = Queued { name, class: &self.class, brisk, task: &text, needs: &needs };
        let away = |error: StoreError| match error.is_passing() {
            true => SubmitError::Unreachable(away(&error)),
            false => SubmitError::Refused(error.into()),
        };
        let queue = Queue::open(&self.queue).map_err(away)?;
        for lacking in queue.lacking(&needs).map_err(away)? {
            let artifact = named.iter().find(|one| one.digest == lacking.digest);
            let packed = artifacts::packed(artifact.expect("it is one of them"));
            let packed = packed.map_err(SubmitError::Refused)?;
            queue.store_blob(&lacking.digest, &packed).map_err(away)?;
        }
        let stamp = queue.hand_over(&queued).map_err(away)?.ok_or_else(|| {
            SubmitError::Unreachable(Unreachable("what was sent is not there any more".to_owned()))
        })?;
        Ok(stamp.to_string())
    }

    fn poll(&self, tasks: &[&TaskFolder]) -> Result<Vec<Job>, Unreachable> {
        let keys: Vec<String> = tasks.iter().map(|task| task.key().to_owned()).collect();
        let queue = Queue::open(&self.queue).map_err(|error| away(&error))?;
        let mut jobs = Vec::new();
        for (name, state) in queue.states(&keys).map_err(|error| away(&error))? {
            let is_it = |task: &&&TaskFolder| {
                let stamp = name.stamp.to_string();
                task.key() == name.key && (task.stamp() == name.stamp || task.has_job(&stamp))
            };
            // Another task of that name is of another time: its result is not what is asked for now.
            let Some(task) = tasks.iter().find(is_it) else { continue };
            if matches!(state, State::Done { .. } | State::GivenUp { .. }) {
                let log = queue.log(&name).map_err(|error| away(&error))?;
                task.keep_job_log(&log);
            }
            let job = self.job(task, state);
            jobs.push(job.map_err(|failure| Unreachable(failure.in_one_line()))?);
        }
        Ok(jobs)
    }

    fn cancel(&self, job: &Job) {
        // Where the server is away, whoever takes the task finds nobody who wants its result.
        let _ = Queue::open(&self.queue).and_then(|queue| queue.cancel(job.key()));
    }

    fn pauses(&self) -> [f64; 2] {
        [1.0, 10.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_is_told_for_whom() {
        let of = |class: Option<&str>| {
            Workers::new(Place::from(std::path::Path::new("q")), class.map(str::to_owned))
        };
        assert!(of(None).reason(0).starts_with("no worker with brisk "));
        assert!(of(Some("zen3")).reason(0).contains("of class `zen3`"));
        assert_eq!(of(Some("zen3")).reason(1), "for the only worker");
        assert_eq!(of(None).reason(3), "for one of 3 workers");
    }
}
