//! Slurm, by its own commands.

use std::ffi::OsString;

use measure::Outcome;
use measure::tool::{Output, Tool};

use super::folder::TaskFolder;
use super::{
    Engine, Job, JobState, SubmitError, Unreachable, answer, is_of_scheduler, quoted, said,
    succeeding,
};
use crate::failure::Failure;
use crate::spec::project::SlurmSettings;

/// What stands between the columns of `squeue`: no reason has it.
const SEPARATOR: char = '|';

pub(super) struct Slurm {
    settings: SlurmSettings,
    /// Where the settings are, for people.
    place: String,
}

impl Slurm {
    pub(super) fn new(settings: SlurmSettings, place: String) -> Self {
        Self { settings, place }
    }

    /// The options by which every job of ours is started, but for its name.
    fn options(&self) -> Vec<String> {
        let SlurmSettings { partition, features, reservation, options } = &self.settings;
        let named = [
            ("--partition", partition.as_deref()),
            ("--constraint", features.as_deref()),
            ("--reservation", reservation.as_deref()),
        ];
        let named = named.iter().filter_map(|(name, value)| Some(format!("{name}={}", (*value)?)));
        let all = ["--exclusive", "--requeue", "--open-mode=append", "--chdir=/"];
        all.map(str::to_owned).into_iter().chain(named).chain(options.iter().cloned()).collect()
    }

    /// What `sbatch` said against a job.
    fn refusal(&self, output: &Output) -> Failure {
        let failure = Failure::new("Slurm refuses the job").because(said(output));
        failure.hint(Some(format!("what jobs ask for is in {}", self.place)))
    }
}

/// A command of Slurm, which takes no orders from variables.
fn command(name: &str) -> Tool {
    let variables = std::env::vars_os().map(|(name, _)| name);
    let of_scheduler = variables.filter(|name| is_of_scheduler(name));
    of_scheduler.fold(Tool::new(name), |tool, name| tool.env(name, None))
}

/// Whether the controller did not answer, so that nothing is known.
fn is_away(output: &Output) -> bool {
    let words = String::from_utf8_lossy(&output.stderr).to_lowercase();
    ["unable to contact", "connection refused", "timed out", "zero bytes", "protocol auth", "munge"]
        .iter()
        .any(|sign| words.contains(sign))
}

impl Engine for Slurm {
    fn check(&self) -> Result<(), Failure> {
        let path = std::env::var_os("PATH");
        measure::resolve_program("sbatch".as_ref(), None, path.as_deref()).map_err(|error| {
            Failure::from_error(&error)
                .hint(Some("run brisk where jobs are submitted, a login node for example"))
        })?;
        let test = command("sbatch").args(["--test-only", "--wrap=true"]).args(self.options());
        // Where nobody answers, it is waited for later.
        let Ok(output) = answer(test) else { return Ok(()) };
        let words = String::from_utf8_lossy(&output.stderr).to_lowercase();
        // That nothing is free now, or down, is no reason not to wait.
        let is_refused = words.contains("invalid") || words.contains("unrecognized");
        match output.outcome {
            Outcome::Exited(0) => Ok(()),
            _ if is_refused && !is_away(&output) => Err(self.refusal(&output)),
            _ => Ok(()),
        }
    }

    fn submit(&self, task: &TaskFolder) -> Result<String, SubmitError> {
        let [brisk, folder] = task.command();
        let printed = folder.join("job.log").to_string_lossy().replace('%', "%%");
        let [brisk, folder] = [brisk, folder].map(|path| quoted(&path));
        let submission = command("sbatch")
            .args(["--parsable".to_owned(), format!("--job-name={}", task.job_name())])
            .args([format!("--output={printed}")])
            .args(self.options())
            .stdin(format!("#!/bin/sh\nexec {brisk} task {folder}\n"));
        let output = answer(submission).map_err(SubmitError::Unreachable)?;
        match output.outcome {
            Outcome::Exited(0) => {
                let told = String::from_utf8_lossy(&output.stdout);
                // Of several clusters, the cluster's name follows.
                let id = told.trim().split(';').next().unwrap_or_default();
                Ok(id.to_owned())
            }
            _ if is_away(&output) => Err(SubmitError::Unreachable(Unreachable(said(&output)))),
            _ => Err(SubmitError::Refused(self.refusal(&output))),
        }
    }

    fn poll(&self, tasks: &[&TaskFolder]) -> Result<Vec<Job>, Unreachable> {
        let names: Vec<String> = tasks.iter().map(|task| task.job_name()).collect();
        let listing = command("squeue").args([
            OsString::from("--noheader"),
            OsString::from(format!("--format=%j{SEPARATOR}%i{SEPARATOR}%T{SEPARATOR}%r")),
            OsString::from(format!("--name={}", names.join(","))),
        ]);
        Ok(succeeding(listing)?.lines().filter_map(job).collect())
    }

    fn cancel(&self, job: &Job) {
        // By its name as well: the number may be somebody else's by now.
        let _ = answer(command("scancel").args([&format!("--name={}", job.name), &job.id]));
    }

    fn release(&self, job: &Job) {
        let update = ["update".to_owned(), format!("JobId={}", job.id), "StartTime=now".to_owned()];
        let _ = answer(command("scontrol").args(update));
    }
}

/// A line of `squeue`; none where it is of a job that has ended.
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
        // An administrator who holds a job has a reason.
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
