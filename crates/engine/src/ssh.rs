//! A single machine, reached by the user's own ssh, with its settings and keys.
//!
//! It shares no folder with us. The files of a task are sent when its job is started, with the
//! local builds that it names, and each poll brings back the new ones. So all engines treat the
//! local folder in the same way.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use measure::Outcome;
use measure::tool::{Output, Tool};
use model::failure::Failure;
use model::spec::project::SshSettings;
use model::spec::words::quote;
use prepare::{Cache, Stored};
use regex_lite::Regex;

use crate::folder::{TaskFolder, copy_name};
use crate::{Engine, Job, JobState, SubmitError, Unreachable, answer, find, own_program, said};

/// The default folder of tasks on the host, relative to the home there.
const FOLDER: &str = ".cache/brisk/engine";

/// The exit status of OpenSSH if ssh itself failed, not the command.
const NO_CONNECTION: i32 = 255;

pub(super) struct Ssh {
    settings: SshSettings,
    /// The folder on the host, quoted for a shell.
    folder: String,
    /// The program on the host, quoted for a shell.
    brisk: String,
    copies: bool,
}

impl Ssh {
    pub(super) fn new(
        settings: SshSettings,
        folder: Option<&Path>,
        copies: bool,
    ) -> Result<Self, Failure> {
        let folder = folder.map_or(FOLDER.into(), |folder| folder.to_string_lossy());
        let brisk = match copies {
            true => format!("{folder}/bin/{}", copy_name(&own_program()?)?),
            false => "brisk".to_owned(),
        };
        Ok(Self { folder: quote(&folder), brisk: quote(&brisk), settings, copies })
    }

    /// A shell command on the host.
    fn there(&self, script: &str) -> Tool {
        let options = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=10"];
        // `--` ends the options, because the host's name may be anything.
        Tool::new("ssh").args(options).args(["--", &self.settings.host, script])
    }

    /// Runs it. A host that does not answer is an error; a failing command is not.
    fn run(&self, tool: Tool) -> Result<Output, Unreachable> {
        let output = answer(tool)?;
        match output.outcome {
            // A client killed by a signal tells nothing about its command.
            Outcome::Exited(NO_CONNECTION) | Outcome::Signalled(_) => {
                Err(Unreachable(said(&output)))
            }
            _ => Ok(output),
        }
    }

    fn refusal(&self, why: &str) -> Failure {
        let host = &self.settings.host;
        let failure = Failure::new(format!("cannot reach `{host}`")).because(why);
        let hint = match why {
            why if why.contains("Host key") => {
                format!("`ssh {host}` shows its key and asks whether it is the right one")
            }
            why if why.contains("Permission denied") => {
                format!("`ssh -o BatchMode=yes {host} true` must succeed: no password is asked for")
            }
            why if why.contains("resolve") => "the host may be one of `~/.ssh/config`".to_owned(),
            _ => format!("`ssh {host} true` must succeed"),
        };
        failure.hint(Some(hint))
    }

    /// Checks that the host has this brisk; sends it if the user wants that.
    fn check_program(&self) -> Result<(), Failure> {
        let host = &self.settings.host;
        let own = format!("brisk {}", env!("CARGO_PKG_VERSION"));
        let asked = self.run(self.there(&format!("{} --version", self.brisk)));
        let output = asked.map_err(|Unreachable(why)| self.refusal(&why))?;
        let told = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if output.outcome == Outcome::Exited(0) && told == own {
            return Ok(());
        }
        if !self.copies {
            let failure = match output.outcome {
                Outcome::Exited(0) => {
                    Failure::new(format!("`{host}` has {told}, and this is {own}"))
                }
                _ => Failure::new(format!("`{host}` has no brisk")).because(said(&output)),
            };
            return Err(failure.hint(Some("`copy = true` in the engine's table sends this brisk")));
        }
        let cannot = || Failure::new(format!("cannot send brisk to `{host}`"));
        let program = fs::read(own_program()?).map_err(|error| cannot().caused_by(&error))?;
        let path = &self.brisk;
        let script = format!(
            "umask 022 && mkdir -p {}/bin && cat > {path}.$$ && chmod 755 {path}.$$ && \
             mv {path}.$$ {path} && {path} --version",
            self.folder
        );
        let sent = self.run(self.there(&script).stdin(program));
        let output = sent.map_err(|Unreachable(why)| cannot().because(why))?;
        match output.outcome {
            Outcome::Exited(0) => Ok(()),
            _ => Err(cannot().because(said(&output))),
        }
    }

    /// Sends the local builds that are missing on the host. Commands name them, so they get the
    /// same path there.
    fn send_builds(&self, task: &TaskFolder) -> Result<(), SubmitError> {
        let builds = named_builds(&task.text().map_err(SubmitError::Refused)?);
        if builds.is_empty() {
            return Ok(());
        }
        let words: Vec<String> =
            builds.iter().map(|build| quote(&build.to_string_lossy())).collect();
        let script = format!("for i in {}; do [ -e \"$i\" ] || echo \"$i\"; done", words.join(" "));
        let output = self.run(self.there(&script)).map_err(SubmitError::Unreachable)?;
        let missing = String::from_utf8_lossy(&output.stdout).into_owned();
        let missing: Vec<&str> = missing.lines().map(|path| path.trim_start_matches('/')).collect();
        if missing.is_empty() {
            return Ok(());
        }
        self.send(packing(Path::new("/"), missing), "tar -xf - -C /")
    }

    /// Sends a tar archive to a command on the host that unpacks it.
    fn send(&self, packing: Tool, script: &str) -> Result<(), SubmitError> {
        let packed = answer(packing).map_err(SubmitError::Unreachable)?;
        let output = match packed.outcome {
            Outcome::Exited(0) => self.run(self.there(script).stdin(packed.stdout)),
            _ => Ok(packed),
        };
        let output = output.map_err(SubmitError::Unreachable)?;
        match output.outcome {
            Outcome::Exited(0) => Ok(()),
            _ => Err(SubmitError::Refused(
                Failure::new(format!("cannot send the task to `{}`", self.settings.host))
                    .because(said(&output)),
            )),
        }
    }

    /// Fetches a file of a task from the host in one piece.
    fn bring(&self, task: &TaskFolder, name: &str) -> Result<(), Unreachable> {
        let script = format!("cat {}/tasks/{}/{}", self.folder, task.key(), quote(name));
        let output = self.run(self.there(&script))?;
        if output.outcome != Outcome::Exited(0) {
            return Err(Unreachable(said(&output)));
        }
        put(task, name, &output.stdout);
        Ok(())
    }
}

/// Writes a fetched file. If that fails, the next poll tries again.
fn put(task: &TaskFolder, name: &str, bytes: &[u8]) {
    let write = || -> io::Result<()> {
        let unseen = task.path().join(format!(".{name}"));
        fs::write(&unseen, bytes)?;
        fs::File::open(&unseen)?.sync_all()?;
        fs::rename(unseen, task.path().join(name))
    };
    let _ = write();
}

impl Engine for Ssh {
    fn check(&self) -> Result<(), Failure> {
        find("ssh")?;
        self.check_program()
    }

    fn submit(&self, task: &TaskFolder) -> Result<String, SubmitError> {
        self.send_builds(task)?;
        let packing = packing(&task.path(), task.handed_over());
        // The job does not use the shell's working directory, which may be removed.
        let script = format!(
            "r={0}/tasks/{1}; mkdir -p \"$r\" && tar -xf - -C \"$r\" && r=$(cd \"$r\" && pwd) && \
             {{ setsid {2} task \"$r\" </dev/null >>\"$r/job.log\" 2>&1 & echo $! >\"$r/job.pid\"; }}",
            self.folder,
            task.key(),
            self.brisk
        );
        self.send(packing, &script)?;
        Ok(format!("on {}", self.settings.host))
    }

    fn poll(&self, tasks: &[&TaskFolder]) -> Result<Vec<Job>, Unreachable> {
        let keys: Vec<&str> = tasks.iter().map(|task| task.key()).collect();
        // Look for the job first: if it ends in the meantime, its files are already there.
        let script = format!(
            "cd {}/tasks 2>/dev/null || exit 0; for k in {}; do [ -d $k ] || continue
             p=$(cat $k/job.pid 2>/dev/null) && tr '\\0' ' ' </proc/$p/cmdline 2>/dev/null |
                 grep -q \"/tasks/$k $\" && echo \"job $k $p\"
             for f in $k/start.* $k/trouble.* $k/result.* $k/job.log; do
                 [ -s $f ] && echo \"file $k ${{f#*/}}\"; done
             for f in $k/progress.*; do [ -s $f ] && echo \"progress $k ${{f#*/}} $(cat $f)\"; done
             done; exit 0",
            self.folder,
            keys.join(" ")
        );
        let output = self.run(self.there(&script))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut jobs = Vec::new();
        for line in text.lines() {
            let mut words = line.splitn(4, ' ');
            let (Some(kind), Some(key), Some(name)) = (words.next(), words.next(), words.next())
            else {
                continue;
            };
            let Some(task) = tasks.iter().find(|task| task.key() == key) else { continue };
            match kind {
                "job" => jobs.push(Job {
                    id: name.to_owned(),
                    name: task.job_name(),
                    state: JobState::Running,
                }),
                "progress" => put(task, name, words.next().unwrap_or_default().as_bytes()),
                _ if task.path().join(name).exists() => {}
                _ => self.bring(task, name)?,
            }
        }
        Ok(jobs)
    }

    fn cancel(&self, job: &Job) {
        let key = job.key();
        // The process id may belong to another process by now.
        let script = format!(
            "tr '\\0' ' ' </proc/{0}/cmdline | grep -q '/tasks/{key} $' && kill -TERM -{0}",
            job.id
        );
        let _ = self.run(self.there(&script));
    }

    /// Each poll costs a little time on a machine that may be measuring.
    fn pauses(&self) -> [f64; 2] {
        [1.0, 10.0]
    }

    fn forget(&self, task: &TaskFolder) {
        let _ = self.run(self.there(&format!("rm -rf {}/tasks/{}", self.folder, task.key())));
    }
}

/// The artefacts in the user's build cache that the text of a task names.
fn named_builds(task: &str) -> BTreeSet<PathBuf> {
    let Ok(cache) = Cache::of_the_user() else { return BTreeSet::new() };
    // Builds use the path without symbolic links.
    let root = fs::canonicalize(cache.root()).unwrap_or_else(|_| cache.root().to_owned());
    builds_in(&Cache::at(root), task)
}

fn builds_in(cache: &Cache, task: &str) -> BTreeSet<PathBuf> {
    let root = serde_json::json!(cache.root().to_string_lossy()).to_string();
    let root = regex_lite::escape(&root[1..root.len() - 1]);
    let pattern = Regex::new(&format!("{root}/artifacts/[^/]+/[^/]+/")).expect("a sound pattern");
    let inside = pattern.find_iter(task).filter_map(|found| {
        // The path below the root has no characters that JSON escapes.
        let rest: PathBuf =
            found.as_str().rsplit('/').take(4).collect::<Vec<_>>().iter().rev().collect();
        let entry = cache.holding(&cache.root().join(rest))?;
        matches!(entry.meta.outcome, Stored::Built { .. }).then_some(entry.kept).flatten()
    });
    inside.collect()
}

/// The command that packs these names within a folder.
fn packing<S: AsRef<OsStr>>(folder: &Path, names: impl IntoIterator<Item = S>) -> Tool {
    Tool::new("tar").args(["-cf", "-", "-C"]).args([folder]).args(["--"]).args(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_task_names_of_the_cache_is_found() {
        let folder = tempfile::tempdir().expect("writable");
        let root = folder.path().join("a \"cache\"");
        let cache = Cache::at(&root);
        let entry = root.join("artifacts/k1/clean");
        let artifact = entry.join("artifact/made here");
        fs::create_dir_all(artifact.join("bin")).expect("writable");
        let meta = serde_json::json!({
            "key": "k1", "commit": "c", "tree": "t", "built_unix_seconds": 0, "build_seconds": 0.0,
            "worktree": 0, "parts": [], "linked": "not_asked",
            "outcome": {"built": {"digest": "d", "bytes": 10, "shape": "folder"}},
        });
        fs::write(entry.join("meta.json"), meta.to_string()).expect("writable");
        let names = |path: &Path| serde_json::json!({"command": format!("{} x", path.display())});
        let task = serde_json::json!([
            names(&artifact.join("bin/tool")),
            names(&artifact),
            names(&root.join("artifacts/k2/clean/artifact/gone")),
            names(&root.join("elsewhere")),
        ]);
        assert_eq!(builds_in(&cache, &task.to_string()), BTreeSet::from([artifact]));
    }
}
