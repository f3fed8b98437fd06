//! Slurm, driven by its own commands.

use std::ffi::OsString;
use std::path::Path;

use measure::Outcome;
use measure::tool::{Output, Tool};

use super::folder::TaskFolder;
use super::{
    Engine, Job, JobState, SubmitError, Unreachable, answer, find, is_of_scheduler, said, script,
    succeeding,
};
use model::failure::Failure;
use model::spec::project::{BuildJobSettings, SlurmSettings};

/// The separator between the columns of `squeue`: no reason contains it.
const SEPARATOR: char = '|';

pub(super) struct Slurm {
    tasks: JobRequest,
    /// The request of build jobs; `None` if commits are built here.
    pub(super) builds: Option<JobRequest>,
}

/// The resources that jobs of one kind request.
#[derive(Debug, Clone)]
pub(super) struct JobRequest {
    /// The `sbatch` options of each job, except its name.
    options: Vec<String>,
    /// The place of the engine's table, in words, for error messages.
    place: String,
}

impl Slurm {
    pub(super) fn new(settings: &SlurmSettings, place: &str) -> Self {
        let SlurmSettings { partition, features, reservation, options, builds } = settings;
        let named = [
            ("--partition", partition),
            ("--constraint", features),
            ("--reservation", reservation),
        ];
        let tasks = JobRequest::new(&["--exclusive", "--requeue"], &named, options, place);
        let of_builds = |builds: &BuildJobSettings| {
            let named = [("--partition", &builds.partition)];
            // If Slurm requeued a build, two might run in one checkout.
            JobRequest::new(&["--no-requeue"], &named, &builds.options, place)
        };
        Self { tasks, builds: builds.as_ref().map(of_builds) }
    }
}

impl JobRequest {
    fn new(kind: &[&str], named: &[(&str, &Option<String>)], more: &[String], place: &str) -> Self {
        let named = named.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        let named = named.map(|(name, value)| format!("{name}={value}"));
        let all = ["--open-mode=append", "--chdir=/"];
        let fixed = kind.iter().chain(&all).map(|&option| option.to_owned());
        let options = fixed.chain(named).chain(more.iter().cloned()).collect();
        Self { options, place: place.to_owned() }
    }

    /// The failure for a job that `sbatch` refused.
    fn refusal(&self, output: &Output) -> Failure {
        let failure = Failure::new("Slurm refuses the job").because(said(output));
        failure.hint(Some(format!("what jobs ask for is in {}", self.place)))
    }

    /// Refuses jobs that could never be started.
    fn check(&self) -> Result<(), Failure> {
        let test = command("sbatch").args(["--test-only", "--wrap=true"]).args(&self.options);
        // If Slurm does not answer, a later step waits for it.
        let Ok(output) = answer(test) else { return Ok(()) };
        let words = String::from_utf8_lossy(&output.stderr).to_lowercase();
        // Nodes that are busy or down now are worth waiting for.
        let is_refused = words.contains("invalid") || words.contains("unrecognized");
        match output.outcome {
            Outcome::Exited(0) => Ok(()),
            _ if is_refused && !is_away(&output) => Err(self.refusal(&output)),
            _ => Ok(()),
        }
    }

    /// Submits a script as a job that prints into a file, and returns the job's number.
    pub(super) fn submit(
        &self,
        name: &str,
        printed: &Path,
        script: Vec<u8>,
    ) -> Result<String, SubmitError> {
        let printed = printed.to_string_lossy().replace('%', "%%");
        let submission = command("sbatch")
            .args(["--parsable".to_owned(), format!("--job-name={name}")])
            .args([format!("--output={printed}")])
            .args(&self.options)
            .stdin(script);
        let output = answer(submission).map_err(SubmitError::Unreachable)?;
        match output.outcome {
            Outcome::Exited(0) => {
                let told = String::from_utf8_lossy(&output.stdout);
                // With several clusters, the cluster's name follows.
                let id = told.trim().split(';').next().unwrap_or_default();
                Ok(id.to_owned())
            }
            _ if is_away(&output) => Err(SubmitError::Unreachable(Unreachable(said(&output)))),
            _ => Err(SubmitError::Refused(self.refusal(&output))),
        }
    }
}

/// The waiting and running jobs with these names.
pub(super) fn jobs(names: &[String]) -> Result<Vec<Job>, Unreachable> {
    let listing = command("squeue").args([
        OsString::from("--noheader"),
        OsString::from(format!("--format=%j{SEPARATOR}%i{SEPARATOR}%T{SEPARATOR}%r")),
        OsString::from(format!("--name={}", names.join(","))),
    ]);
    Ok(succeeding(listing)?.lines().filter_map(job).collect())
}

/// Ends every job with this name, or only the one with this number.
pub(super) fn cancel(name: &str, id: Option<&str>) {
    // Match the name as well: the number may belong to another user's job by now.
    let words = [format!("--name={name}")];
    let _ = answer(command("scancel").args(words).args(id));
}

/// A Slurm command, with Slurm's option variables removed from its environment.
fn command(name: &str) -> Tool {
    let variables = std::env::vars_os().map(|(name, _)| name);
    let of_scheduler = variables.filter(|name| is_of_scheduler(name));
    of_scheduler.fold(Tool::new(name), |tool, name| tool.env(name, None))
}

/// True if the controller did not answer, so that the state is unknown.
fn is_away(output: &Output) -> bool {
    let words = String::from_utf8_lossy(&output.stderr).to_lowercase();
    ["unable to contact", "connection refused", "timed out", "zero bytes", "protocol auth", "munge"]
        .iter()
        .any(|sign| words.contains(sign))
}

impl Engine for Slurm {
    fn check(&self) -> Result<(), Failure> {
        find("sbatch").map_err(|failure| {
            failure.hint(Some("run brisk where jobs are submitted, a login node for example"))
        })?;
        self.tasks.check()?;
        let checked = self.builds.iter().try_for_each(JobRequest::check);
        checked.map_err(|failure| failure.within("builds cannot be jobs"))
    }

    fn submit(&self, task: &TaskFolder) -> Result<String, SubmitError> {
        let printed = task.path().join("job.log");
        self.tasks.submit(&task.job_name(), &printed, script(task).into_bytes())
    }

    fn poll(&self, tasks: &[&TaskFolder]) -> Result<Vec<Job>, Unreachable> {
        jobs(&tasks.iter().map(|task| task.job_name()).collect::<Vec<String>>())
    }

    fn cancel(&self, job: &Job) {
        cancel(&job.name, Some(&job.id));
    }

    fn release(&self, job: &Job) {
        let update = ["update".to_owned(), format!("JobId={}", job.id), "StartTime=now".to_owned()];
        let _ = answer(command("scontrol").args(update));
    }
}

/// Parses a line of `squeue`; `None` for a job that has ended.
fn job(line: &str) -> Option<Job> {
    let mut columns = line.splitn(4, SEPARATOR).map(str::trim);
    let [name, id, state, reason] =
        [columns.next()?, columns.next()?, columns.next()?, columns.next()?];
    let failed_to_start = reason.to_lowercase().replace('_', " ").contains("launch failed");
    let state = match state {
        "PENDING" | "REQUEUED" if reason == "BeginTime" => JobState::Deferred,
        _ if failed_to_start => JobState::Stuck(reason.to_owned()),
        "SPECIAL_EXIT" | "REQUEUE_HOLD" => JobState::Stuck(reason.to_owned()),
        "PENDING" | "REQUEUED" | "CONFIGURING" => JobState::Queued(reason.to_owned()),
        "RUNNING" | "COMPLETING" | "SUSPENDED" | "SIGNALING" | "STAGE_OUT" | "STOPPED"
        | "RESIZING" => JobState::Running,
        _ => return None,
    };
    Some(Job { id: id.to_owned(), name: name.to_owned(), state })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_squeue_prints_is_told_apart() {
        let state = |line: &str| job(line).map(|job| job.state);
        let queued = |reason: &str| Some(JobState::Queued(reason.to_owned()));
        assert_eq!(state("brisk-a|7|PENDING|Resources"), queued("Resources"));
        // Held on purpose by an administrator: not stuck.
        assert_eq!(state("brisk-a|7|PENDING|JobHeldAdmin"), queued("JobHeldAdmin"));
        assert_eq!(state("brisk-a|7|PENDING|BeginTime"), Some(JobState::Deferred));
        for reason in ["launch_failed_requeued_held", "launch failed requeued held"] {
            let stuck = Some(JobState::Stuck(reason.to_owned()));
            assert_eq!(state(&format!("brisk-a|7|PENDING|{reason}")), stuck);
        }
        assert_eq!(state("brisk-a|7|RUNNING|None"), Some(JobState::Running));
        for over in ["COMPLETED", "FAILED", "NODE_FAIL", "PREEMPTED", "CANCELLED", "TIMEOUT"] {
            assert_eq!(state(&format!("brisk-a|7|{over}|None")), None, "{over}");
        }
        assert_eq!(state("slurm_load_jobs error"), None);
    }
}
