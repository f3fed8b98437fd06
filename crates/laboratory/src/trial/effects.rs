//! The files and connections of a proposal outside of its run, by one run of each side under strace.
//!
//! A result that is remembered has to lie somewhere. Files of the run's own folders are removed after
//! it, so what counts is a file elsewhere that is still there, or a connection, which the incumbent
//! does not have.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::tool::{Tool, ToolError, output};
use model::failure::{Failing, Failure};
use model::spec::Experiment;
use run::attendant::Attendant as _;
use toolchains::system_calls::{CALLS, Effects, effects};

use super::attending::{Rounds, stdin_of};

/// The longest a traced run may take. Arbitrary; strace slows down by a few times.
const PATIENCE: Duration = Duration::from_secs(120);

/// The result of watching both sides.
pub(super) enum Watched {
    /// The proposal has no effects that the incumbent does not have.
    Clean,
    /// An effect that the incumbent does not have.
    Evidence(String),
    /// It could not be watched, for this reason.
    NotChecked(String),
}

/// Runs both sides once under strace.
pub(super) fn watch(experiment: &Experiment, rounds: &Rounds) -> Result<Watched, Failure> {
    let mut sides = Vec::new();
    for variant in [0, 1] {
        match traced(experiment, rounds, variant)? {
            Ok(effects) => sides.push(effects),
            Err(why) => return Ok(Watched::NotChecked(why)),
        }
    }
    let [old, new] = sides.as_slice() else { unreachable!("there are two sides") };
    let lasts = |path: &&String| {
        let path = folder_of(experiment).join(path);
        let is_device = path.starts_with("/dev") && !path.starts_with("/dev/shm");
        path.exists() && !is_device && !path.starts_with("/proc") && !rounds.is_own(&path)
    };
    if let Some(path) = new.written.difference(&old.written).find(lasts) {
        return Ok(Watched::Evidence(format!(
            "it writes `{}`, which is outside of its run and stays for the next",
            path.escape_debug()
        )));
    }
    let reached: BTreeSet<_> = new.connected.difference(&old.connected).collect();
    Ok(match reached.first() {
        Some(address) => {
            Watched::Evidence(format!("it connects to another process: {}", address.escape_debug()))
        }
        None => Watched::Clean,
    })
}

fn traced(
    experiment: &Experiment,
    rounds: &Rounds,
    variant: u32,
) -> Result<Result<Effects, String>, Failure> {
    let one = &experiment.variants[variant as usize];
    let mut command = one.run.resolve()?;
    rounds.before(Rounds::untimed(variant), &mut command).map_err(Failure::new)?;
    let folder = tempfile::tempdir().failing("cannot make a folder for a trace")?;
    let file: PathBuf = folder.path().join("trace");
    let mut words: Vec<OsString> = ["-f", "-qq", "-y", "-s", "4096", "-e"].map(Into::into).into();
    words.extend([format!("trace={CALLS}").into(), "-o".into(), file.clone().into(), "--".into()]);
    words.push(command.program.clone().into());
    words.extend(command.argv.iter().skip(1).cloned());
    let mut tool = Tool::new("strace").args(words).stdin(stdin_of(&command)?).timeout(PATIENCE);
    for (name, value) in &command.env {
        tool = tool.env(name, value.as_deref());
    }
    if let Some(cwd) = &command.cwd {
        tool = tool.cwd(cwd);
    }
    match output(&tool) {
        Err(error @ ToolError::Interrupted { .. }) => Err(Failure::from_error(&error)),
        Err(error) => Ok(Err(format!("what it writes elsewhere was not watched: {error}"))),
        Ok(_) => match std::fs::read(&file) {
            Ok(trace) => {
                let mut effects = effects(&String::from_utf8_lossy(&trace));
                effects.written = (effects.written.iter())
                    .map(|path| within(path, command.cwd.as_deref()))
                    .collect();
                Ok(Ok(effects))
            }
            Err(error) => Ok(Err(format!("what it writes elsewhere was not watched: {error}"))),
        },
    }
}

/// The path as seen from the folder of its run: each side may have a folder of its own.
fn within(path: &str, folder: Option<&Path>) -> String {
    let within = folder.and_then(|folder| Path::new(path).strip_prefix(folder).ok());
    within.map_or_else(|| path.to_owned(), |path| path.to_string_lossy().into_owned())
}

/// The folder in which the proposal runs.
fn folder_of(experiment: &Experiment) -> PathBuf {
    experiment.variants[1].run.cwd.clone().unwrap_or_default()
}
