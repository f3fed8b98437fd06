//! A generic engine that submits, lists and ends jobs with three commands from the user.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;

use measure::Outcome;
use measure::tool::Tool;

use super::folder::TaskFolder;
use super::{Engine, Job, JobState, SubmitError, Unreachable, answer, quoted, said, succeeding};
use model::failure::Failure;
use model::spec::project::Templates as Commands;

/// The exit status by which a command asks to be retried: EX_TEMPFAIL of sysexits.h.
const LATER: i32 = 75;

/// An engine made of shell commands.
pub(super) struct Templates {
    pub(super) commands: Commands,
}

fn tool(command: &str) -> Tool {
    Tool::new("sh").args(["-c", command])
}

/// A command with its placeholders filled in.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(template.to_owned(), |text, (name, value)| text.replace(name, value))
}

impl Engine for Templates {
    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn submit(&self, task: &TaskFolder) -> Result<String, SubmitError> {
        let refused = |failure| SubmitError::Refused(failure);
        let script = task.path().join("run.sh");
        let write = || -> io::Result<()> {
            fs::write(&script, super::script(task))?;
            fs::set_permissions(&script, fs::Permissions::from_mode(0o755))
        };
        write().map_err(|error| {
            refused(Failure::new("cannot write the job's script").caused_by(&error))
        })?;
        let values = [("{name}", &*task.job_name()), ("{script}", &*quoted(&script))];
        let command = filled(&self.commands.submit, &values);
        let output = answer(tool(&command)).map_err(SubmitError::Unreachable)?;
        match output.outcome {
            Outcome::Exited(0) => {}
            Outcome::Exited(LATER) => {
                return Err(SubmitError::Unreachable(Unreachable(said(&output))));
            }
            _ => {
                let failure = Failure::new(format!("`{command}` refuses the job"));
                return Err(refused(failure.because(said(&output))));
            }
        }
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = stdout.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        Ok(line.trim().to_owned())
    }

    fn poll(&self, tasks: &[&TaskFolder]) -> Result<Vec<Job>, Unreachable> {
        let names: Vec<String> = tasks.iter().map(|task| task.job_name()).collect();
        let template = &self.commands.poll;
        let commands: Vec<String> = match template.contains("{name}") {
            true => names.iter().map(|name| filled(template, &[("{name}", name)])).collect(),
            false => vec![template.clone()],
        };
        let mut jobs = Vec::new();
        for command in commands {
            for line in succeeding(tool(&command))?.lines() {
                jobs.extend(job(line)?.filter(|job| names.contains(&job.name)));
            }
        }
        Ok(jobs)
    }

    fn cancel(&self, job: &Job) {
        let values = [("{job}", job.id.as_str()), ("{name}", job.name.as_str())];
        let command = filled(&self.commands.cancel, &values);
        // A job that could not be ended will find no task, and end by itself.
        let _ = answer(tool(&command));
    }
}

/// Parses a line of a poll: the job's name, its state, its number, and its reason to wait. `None`
/// for empty lines and jobs that have ended.
fn job(line: &str) -> Result<Option<Job>, Unreachable> {
    let mut words = line.split_whitespace();
    let Some(name) = words.next() else { return Ok(None) };
    let word = words.next().unwrap_or_default();
    let id = words.next().unwrap_or_default().to_owned();
    let reason = words.collect::<Vec<_>>().join(" ");
    let state = match word.to_lowercase().as_str() {
        "queued" => JobState::Queued(reason),
        "running" => JobState::Running,
        "stuck" => JobState::Stuck(reason),
        "ended" => return Ok(None),
        _ => {
            return Err(Unreachable(format!(
                "`poll` printed `{line}`, whose second word is none of `queued`, `running`, \
                 `stuck` and `ended`"
            )));
        }
    };
    Ok(Some(Job { id, name: name.to_owned(), state }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_poll_is_a_job_or_an_error() {
        let found = |line: &str| job(line).expect("good").map(|job| (job.name, job.id, job.state));
        assert_eq!(found(""), None);
        assert_eq!(found("brisk-a ended 3"), None);
        let queued = JobState::Queued("no node free".to_owned());
        let named = |id: &str, state| Some(("brisk-a".to_owned(), id.to_owned(), state));
        assert_eq!(found("brisk-a  QUEUED 3 no node free"), named("3", queued));
        assert_eq!(found("brisk-a running"), named("", JobState::Running));
        let Unreachable(why) = job("brisk-a R 3").expect_err("unknown");
        assert!(why.contains("`brisk-a R 3`") && why.contains("`running`"), "{why}");
    }
}
