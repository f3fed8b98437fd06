//! A task's folder: the commission, the attempts and the result, as plain files.
//!
//! | file | what it is |
//! |---|---|
//! | `commission.json` | the [`Task`] |
//! | `cwd` | the folder in which the command was typed |
//! | `stamp.STAMP` | the time of handing over, which distinguishes tasks with the same key |
//! | `submitted.N` | a mark for the Nth job, with its number at the engine |
//! | `start.ATTEMPT` | the time and place at which a job began |
//! | `progress.ATTEMPT` | the progress |
//! | `attempt.ATTEMPT` | the result of an attempt |
//! | `result.STAMP` | a link to the result of the attempt that finished first |
//! | `trouble.ATTEMPT` | the reason that it did not finish |
//! | `log`, `job.log` | a log of events, and the output of jobs |
//!
//! Its name is the key of the task, derived from the commission, so that repeating a command finds
//! its task again. Files are made under another name and renamed or linked into place, so that no
//! reader sees half of one. A result that is in a store has its folder moved away, so remaining
//! jobs find no task.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use measure::clock::unix_time_ns;
use model::commission::{Commission, digest_of_program};
use model::failure::{Failing, Failure};
use model::{host, json};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::JOB;

const COMMISSION: &str = "commission.json";
const CWD: &str = "cwd";
const LOG: &str = "log";
const JOB_LOG: &str = "job.log";
const TASKS: &str = "tasks";
const TAKEN: &str = "taken";

/// The time that a taken task is kept, for others who wait for the same result, and for inspection.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// The task as it is handed over.
#[derive(Debug, Serialize, Deserialize)]
pub struct Task {
    /// The version of the brisk that handed it over.
    pub brisk: String,
    /// The time of handing over, in nanoseconds since 1970-01-01 UTC.
    pub stamp: u64,
    /// The user, machine and process that handed it over, in words.
    pub by: String,
    /// The commission to execute.
    pub commission: Commission,
}

impl Task {
    /// A task for this commission, handed over now.
    pub fn new(commission: Commission) -> Self {
        let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME"));
        let user = user.unwrap_or_else(|_| "somebody".to_owned());
        let by = format!("{user} on {} (process {})", node(), std::process::id());
        let brisk = env!("CARGO_PKG_VERSION").to_owned();
        Self { brisk, stamp: unix_time_ns(), by, commission }
    }
}

/// The name of this machine: the scheduler's, if it set one.
pub fn node() -> String {
    let name = std::env::var("SLURMD_NODENAME").unwrap_or_else(|_| host::name());
    let name: String = name.trim().chars().filter(|c| c.is_alphanumeric() || *c == '-').collect();
    if name.is_empty() { "a-machine".to_owned() } else { name }
}

/// The progress of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskProgress {
    /// The share of the budget that has passed.
    pub clock: f64,
    /// The progress in words.
    pub message: String,
}

/// The observed state of a task.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Look {
    /// Set if its result is there.
    pub is_finished: bool,
    /// Set if the task no longer exists.
    pub is_gone: bool,
    /// The number of jobs submitted.
    pub submissions: u32,
    /// The number of jobs that began.
    pub attempts: u32,
}

/// The folder of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFolder {
    root: PathBuf,
    key: String,
    stamp: u64,
    brisk: PathBuf,
}

impl TaskFolder {
    /// Hands a task over, or finds the one with this key and returns the description of its owner.
    /// Its jobs run `brisk`.
    pub fn hand_over(
        root: &Path,
        key: &str,
        task: &Task,
        brisk: &Path,
    ) -> Result<(Self, Option<String>), Failure> {
        let tasks = root.join(TASKS);
        let path = tasks.join(key);
        let make = || -> io::Result<bool> {
            let fresh = tempfile::Builder::new().prefix(".new-").tempdir_in(&tasks)?;
            // Give others the access that the user allows.
            let mode = fs::metadata(&tasks)?.permissions();
            fs::set_permissions(fresh.path(), mode)?;
            let mut file = File::create_new(fresh.path().join(COMMISSION))?;
            json::write(&mut file, task)?;
            file.sync_all()?;
            fs::write(fresh.path().join(CWD), &task.commission.cwd)?;
            File::create_new(fresh.path().join(stamp_name(task.stamp)))?;
            match fs::rename(fresh.path(), &path) {
                Ok(()) => {
                    // The temporary folder has been renamed.
                    let _ = fresh.keep();
                    Ok(true)
                }
                Err(_) if path.join(COMMISSION).exists() => Ok(false),
                Err(error) => Err(error),
            }
        };
        let is_new = make().map_err(|error| unusable(root, &error))?;
        let at = |stamp| Self {
            root: root.to_owned(),
            key: key.to_owned(),
            stamp,
            brisk: brisk.to_owned(),
        };
        if is_new {
            return Ok((at(task.stamp), None));
        }
        let there = read(&path)?;
        Ok((at(there.stamp), Some(there.by)))
    }

    /// Its key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The task as it was handed over, as JSON.
    pub fn text(&self) -> Result<String, Failure> {
        fs::read_to_string(self.path().join(COMMISSION))
            .map_err(|error| Failure::new("cannot read the task").caused_by(&error))
    }

    /// The name of its jobs.
    pub fn job_name(&self) -> String {
        format!("{}{}", JOB, self.key)
    }

    /// The path of the folder.
    pub fn path(&self) -> PathBuf {
        self.root.join(TASKS).join(&self.key)
    }

    /// The command of its jobs: the program and the folder.
    pub fn command(&self) -> [PathBuf; 2] {
        [self.brisk.clone(), self.path()]
    }

    /// The names of the files that make up the task.
    pub fn handed_over(&self) -> [String; 3] {
        [COMMISSION.to_owned(), CWD.to_owned(), stamp_name(self.stamp)]
    }

    fn taken(&self) -> PathBuf {
        self.root.join(TAKEN).join(format!("{}.{}", self.key, self.stamp))
    }

    /// Reads the state of the task.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read; a missing folder is not an error.
    pub fn look(&self) -> io::Result<Look> {
        let entries = match fs::read_dir(self.path()) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(self.look_gone()),
            Err(error) => return Err(error),
        };
        let mut look = Look::default();
        let mut is_ours = false;
        for entry in entries {
            let name = entry?.file_name();
            let Some((kind, which)) = name.to_str().and_then(|name| name.split_once('.')) else {
                continue;
            };
            let is_of_stamp = which.parse() == Ok(self.stamp);
            match kind {
                "stamp" => is_ours |= is_of_stamp,
                "result" => look.is_finished |= is_of_stamp,
                "submitted" => look.submissions = look.submissions.max(which.parse().unwrap_or(0)),
                "start" => look.attempts += 1,
                _ => {}
            }
        }
        Ok(if is_ours { look } else { self.look_gone() })
    }

    fn look_gone(&self) -> Look {
        let is_finished = self.taken().join(self.result_name()).exists();
        Look { is_finished, is_gone: !is_finished, ..Look::default() }
    }

    /// The most recent progress of any attempt; `None` if none was reported.
    pub fn progress(&self) -> Option<TaskProgress> {
        let entries = fs::read_dir(self.path()).ok()?.flatten();
        let told = entries.filter(|entry| {
            entry.file_name().to_str().is_some_and(|name| name.starts_with("progress."))
        });
        let newest = told.max_by_key(|entry| {
            entry.metadata().and_then(|found| found.modified()).unwrap_or(UNIX_EPOCH)
        })?;
        json::read(&fs::read(newest.path()).ok()?).ok()
    }

    /// Claims the right to submit the job with this number, which only one process gets.
    pub fn claim(&self, number: u32) -> io::Result<bool> {
        match File::create_new(self.submission(number)) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Notes the number that the engine gave to a job.
    pub fn note_job(&self, number: u32, id: &str) {
        // If this fails, the job is still known by its name.
        let _ = fs::write(self.submission(number), id);
    }

    /// Gives the right to submit back.
    pub fn unclaim(&self, number: u32) {
        let _ = fs::remove_file(self.submission(number));
    }

    fn submission(&self, number: u32) -> PathBuf {
        self.path().join(format!("submitted.{number}"))
    }

    fn result_name(&self) -> String {
        result_name(self.stamp)
    }

    /// The result, from the folder or from where it was moved.
    pub fn result(&self) -> io::Result<File> {
        let here = File::open(self.path().join(self.result_name()));
        here.or_else(|_| File::open(self.taken().join(self.result_name())))
    }

    /// Logs an event.
    pub fn log(&self, what: &str) {
        log(&self.path(), what);
    }

    /// The end of the messages of failed attempts, or of the jobs' output, for the user.
    pub fn last_words(&self) -> String {
        let entries = fs::read_dir(self.path()).into_iter().flatten().flatten();
        let mut troubles: Vec<PathBuf> = (entries.map(|entry| entry.path()))
            .filter(|path| path.to_string_lossy().contains("/trouble."))
            .collect();
        troubles.sort();
        let words = troubles.last().map(|path| fs::read_to_string(path).unwrap_or_default());
        let printed = || fs::read_to_string(self.path().join(JOB_LOG)).unwrap_or_default();
        let words = words.filter(|words| !words.trim().is_empty()).unwrap_or_else(printed);
        let lines: Vec<&str> = words.lines().collect();
        lines[lines.len().saturating_sub(10)..].join("\n")
    }

    /// Moves it away, because it is in a store or no longer wanted. Attempts that still run can no
    /// longer publish, and others who wait find the result if there is one.
    pub fn take(&self) {
        let _ = fs::rename(self.path(), self.taken());
        let Ok(entries) = fs::read_dir(self.root.join(TAKEN)) else { return };
        for entry in entries.flatten() {
            let stamp = entry.file_name().to_str().and_then(|name| {
                name.rsplit_once('.').and_then(|(_, stamp)| stamp.parse::<u64>().ok())
            });
            let age = stamp.map(|stamp| unix_time_ns().saturating_sub(stamp));
            if age.is_some_and(|age| Duration::from_nanos(age) > KEPT) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

fn stamp_name(stamp: u64) -> String {
    format!("stamp.{stamp}")
}

pub(super) fn result_name(stamp: u64) -> String {
    format!("result.{stamp}")
}

/// The task in a folder.
pub fn read(folder: &Path) -> Result<Task, Failure> {
    let path = folder.join(COMMISSION);
    let failure = || Failure::new(format!("cannot read the task in `{}`", folder.display()));
    let bytes = fs::read(path).map_err(|error| failure().caused_by(&error))?;
    json::read(&bytes).map_err(|error| failure().caused_by(&error))
}

/// Changes to the folder in which the command was typed. That takes hardly any memory, so that the
/// launcher can be started afterwards; all commands inherit its folder.
pub fn go_where_typed(folder: &Path) -> Result<(), Failure> {
    let cwd = fs::read_to_string(folder.join(CWD)).unwrap_or_default();
    std::env::set_current_dir(&cwd).failing(format!("there is no folder `{cwd}`"))
}

pub(super) fn log(folder: &Path, what: &str) {
    let mut file = match OpenOptions::new().append(true).create(true).open(folder.join(LOG)) {
        Ok(file) => file,
        // The log is for people; other files hold the state.
        Err(_) => return,
    };
    let seconds = i64::try_from(unix_time_ns() / 1_000_000_000).unwrap_or(i64::MAX);
    let when = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    let _ = file.write_all(format!("{when} {what}\n").as_bytes());
}

pub(super) fn unusable(folder: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot keep tasks in `{}`", folder.display()))
        .caused_by(error)
        .hint(Some("`folder` in the engine's table names another folder, which all machines see"))
}

/// Makes the folder of all tasks, and tests the operations that tasks need.
///
/// # Errors
///
/// When it cannot be written, or has no hard links.
pub fn check_root(root: &Path) -> Result<(), Failure> {
    let check = || -> io::Result<()> {
        fs::create_dir_all(root.join(TAKEN))?;
        let tasks = root.join(TASKS);
        fs::create_dir_all(&tasks)?;
        let mut probe = tempfile::Builder::new().prefix(".probe-").tempfile_in(&tasks)?;
        probe.write_all(&[0; 4096])?;
        probe.as_file().sync_all()?;
        let link = probe.path().with_extension("link");
        fs::hard_link(probe.path(), &link)?;
        fs::remove_file(link)
    };
    check().map_err(|error| unusable(root, &error))
}

/// The file name of a copy of this program, with its version and digest.
pub(super) fn copy_name(own: &Path) -> Result<String, Failure> {
    let digest =
        model::commission::digest(own).failing(format!("cannot read `{}`", own.display()))?;
    Ok(format!("brisk-{}-{}", env!("CARGO_PKG_VERSION"), &digest[..12]))
}

/// A copy of this program in the folder.
pub(super) fn copied(own: &Path, root: &Path) -> Result<PathBuf, Failure> {
    let name = copy_name(own)?;
    let copy = || -> io::Result<PathBuf> {
        let folder = root.join("bin");
        let path = folder.join(name);
        if !path.exists() {
            fs::create_dir_all(&folder)?;
            let fresh = tempfile::Builder::new().prefix(".new-").tempdir_in(&folder)?;
            let unseen = fresh.path().join("brisk");
            fs::copy(own, &unseen)?;
            File::open(&unseen)?.sync_all()?;
            fs::rename(unseen, &path)?;
        }
        Ok(path)
    };
    copy().map_err(|error| unusable(root, &error))
}

/// The number of hexadecimal digits of the digest that distinguish tasks: 80 bits.
const LENGTH: usize = 20;

/// The key of a task on an engine. It is the same for equal commissions from any user, as long as
/// the programs and brisk are the same. The order of the runs is part of it only if the user chose
/// a `seed`.
pub fn key(commission: &Commission, seed: Option<u64>, engine: &str) -> String {
    let mut asked = serde_json::to_value(commission).expect("texts and finite numbers");
    let fields = asked.as_object_mut().expect("a commission has fields");
    fields.remove("arguments");
    fields.insert("seed".to_owned(), json!(seed));
    let variants = commission.execution.iter().flat_map(|one| &one.experiment.variants);
    // A program missing here may be made by a setup command, or exist only where the task runs.
    let mut programs: Vec<Value> =
        variants.map(|variant| json!(digest_of_program(&variant.run).ok())).collect();
    programs.dedup();
    // JSON values keep their fields sorted.
    let whole = json!([env!("CARGO_PKG_VERSION"), engine, programs, asked]);
    let digest = Sha256::digest(whole.to_string());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hex[..LENGTH].to_owned()
}
