//! Engines bring tasks to machines.
//!
//! A task is one experiment for another machine to measure. Schedulers lose jobs, run them twice
//! and forget how they ended, so all we trust is whether a job with our name exists now: the
//! history is in the task's [`folder`], and [`wait`] chooses the next step
//! (`docs/design/engines.md`).

pub mod attempt;
mod build_jobs;
mod command;
pub mod folder;
mod slurm;
mod ssh;
pub mod wait;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use measure::Outcome;
use measure::tool::{self, Output, Tool};

use folder::TaskFolder;
use model::failure::{Failing, Failure};
use model::spec::project::{EngineKind, EngineTable};
use prepare::BuildSite;

/// Starts, lists and ends jobs.
pub trait Engine {
    /// Rejects, before anything runs, an engine that could never start a job.
    fn check(&self) -> Result<(), Failure>;

    /// Starts a job for a task, and returns the job's number.
    fn submit(&self, task: &TaskFolder) -> Result<String, SubmitError>;

    /// The waiting and running jobs of these tasks.
    ///
    /// # Errors
    ///
    /// When the engine does not answer, which says nothing about jobs.
    fn poll(&self, tasks: &[&TaskFolder]) -> Result<Vec<Job>, Unreachable>;

    /// Ends a job, if it is still there.
    fn cancel(&self, job: &Job);

    /// Makes a job start that only waits because it was started before.
    fn release(&self, _job: &Job) {}

    /// Removes the files of a task that are outside its folder.
    fn forget(&self, _task: &TaskFolder) {}

    /// The shortest and the longest time between two polls, in seconds.
    fn pauses(&self) -> [f64; 2] {
        [1.0, 30.0]
    }
}

/// A job of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its number, which the engine may give to another job tomorrow.
    pub id: String,
    /// Its name, which identifies its task: see [`folder::TaskFolder::job_name`].
    pub name: String,
    /// Its state.
    pub state: JobState,
}

/// The prefix of the names of jobs.
const JOB: &str = "brisk-";

impl Job {
    /// The key of its task.
    fn key(&self) -> &str {
        self.name.strip_prefix(JOB).unwrap_or(&self.name)
    }
}

/// The state of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// Waiting, for this reason in the engine's words.
    Queued(String),
    /// Waiting only because it was started before.
    Deferred,
    /// Unable to ever start, because starting it failed.
    Stuck(String),
    /// Running.
    Running,
}

/// The engine does not answer, so the state is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreachable(pub String);

/// An error that leaves a task without a known job.
#[derive(Debug)]
pub enum SubmitError {
    /// The job was refused, and would be again.
    Refused(Failure),
    /// The engine did not answer; there may be a job nevertheless.
    Unreachable(Unreachable),
}

/// The time limit for one command of an engine: longer than the clients of a scheduler under load,
/// which give up by themselves after a minute or less.
const PATIENCE: Duration = Duration::from_secs(90);

/// Runs a command of an engine. Ctrl-C does not end it: we must know whether it submitted a job.
fn answer(tool: Tool) -> Result<Output, Unreachable> {
    let tool = tool.timeout(PATIENCE).finishing_regardless();
    tool::output(&tool).map_err(|error| {
        Unreachable(Failure::from_error(&error).within("no answer").causes().join(": "))
    })
}

/// Like [`answer`], but the command must succeed; otherwise returns its message.
fn succeeding(tool: Tool) -> Result<String, Unreachable> {
    let output = answer(tool)?;
    match output.outcome {
        Outcome::Exited(0) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        _ => Err(Unreachable(said(&output))),
    }
}

/// Fails unless a program of this name is in `PATH`.
fn find(program: &str) -> Result<(), Failure> {
    let path = std::env::var_os("PATH");
    let found = measure::resolve_program(program.as_ref(), None, path.as_deref());
    found.map(drop).map_err(|error| Failure::from_error(&error))
}

/// The script of a task's job.
fn script(task: &TaskFolder) -> String {
    let [brisk, folder] = task.command().map(|path| quoted(&path));
    format!("#!/bin/sh\nexec {brisk} task {folder}\n")
}

/// The last line of a failed command's message.
fn said(output: &Output) -> String {
    let texts = [&output.stderr, &output.stdout].map(|bytes| String::from_utf8_lossy(bytes));
    let mut lines = texts.iter().flat_map(|text| text.lines().rev());
    // Skip pointers to further help: they do not name the cause.
    let says = |line: &&str| !line.trim().is_empty() && !line.starts_with("Try \"");
    let line = lines.find(says).map(|line| line.trim().to_owned());
    line.unwrap_or_else(|| output.outcome.to_string())
}

/// The engine that the user chose.
pub struct Chosen {
    /// Its name.
    pub name: String,
    /// The folder of its tasks, as seen from this machine.
    pub folder: PathBuf,
    /// Set if brisk does not wait for results.
    pub detaches: bool,
    /// The most machines that measure parts of one history at once.
    pub nodes: usize,
    engine: Box<dyn Engine>,
    copies: bool,
    builds: Option<Arc<dyn BuildSite>>,
}

impl Chosen {
    /// The engine described by a table, not yet checked.
    pub fn new(table: &EngineTable) -> Result<Self, Failure> {
        let folder = match (&table.folder, &table.kind) {
            // The table names a folder on the host; the local copies are in our own folder.
            (_, EngineKind::Ssh(_)) => default_folder()?.join(mirror_name(&table.name)),
            (Some(folder), _) => folder.clone(),
            (None, _) => default_folder()?,
        };
        let mut builds: Option<Arc<dyn BuildSite>> = None;
        let engine: Box<dyn Engine> = match table.kind.clone() {
            EngineKind::Slurm(settings) => {
                let slurm = slurm::Slurm::new(&settings, &table.place);
                let site = |request| Arc::new(build_jobs::BuildJobs { request }) as _;
                builds = slurm.builds.clone().map(site);
                Box::new(slurm)
            }
            EngineKind::Ssh(settings) => {
                Box::new(ssh::Ssh::new(settings, table.folder.as_deref(), table.copy)?)
            }
            EngineKind::Command(templates) => Box::new(command::Templates { commands: templates }),
        };
        // With ssh, the copy goes to the host.
        let copies = table.copy && !matches!(table.kind, EngineKind::Ssh(_));
        let (name, nodes) = (table.name.clone(), table.nodes);
        Ok(Self { name, folder, detaches: false, nodes, engine, copies, builds })
    }

    /// Rejects an engine that cannot be used, before anything runs.
    pub fn check(&self) -> Result<(), Failure> {
        folder::check_root(&self.folder)?;
        self.engine
            .check()
            .map_err(|failure| failure.within(&format!("cannot use `{}`", self.name)))
    }

    /// The engine itself.
    pub fn engine(&self) -> &dyn Engine {
        self.engine.as_ref()
    }

    /// The site on which commits are built; `None` for this machine.
    pub fn builds(&self) -> Option<Arc<dyn BuildSite>> {
        self.builds.clone()
    }

    /// The brisk that jobs run: this one, or a copy of it in the folder.
    pub fn brisk(&self) -> Result<PathBuf, Failure> {
        let own = own_program()?;
        if self.copies { folder::copied(&own, &self.folder) } else { Ok(own) }
    }
}

/// The path of this program.
fn own_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().failing("cannot tell where brisk is")
}

/// The default folder of tasks: the machines of a cluster share home folders.
fn default_folder() -> Result<PathBuf, Failure> {
    let folder = |variable, below: &str| {
        let root = std::env::var_os(variable).filter(|root: &std::ffi::OsString| !root.is_empty());
        root.map(|root| Path::new(&root).join(below))
    };
    folder("XDG_CACHE_HOME", "brisk/engine")
        .or_else(|| folder("HOME", ".cache/brisk/engine"))
        .ok_or_else(|| Failure::new("cannot tell where tasks are kept: HOME is not set"))
}

/// A path, quoted for a shell.
fn quoted(path: &Path) -> String {
    model::spec::words::quote(&path.to_string_lossy())
}

/// True for variables that set options of a scheduler, which belong in the engine's table.
fn is_of_scheduler(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    ["SBATCH_", "SLURM_", "SQUEUE_", "SCANCEL_"].iter().any(|prefix| name.starts_with(prefix))
        && name != "SLURM_CONF"
}

/// The name of the local folder that mirrors the tasks of a remote engine.
fn mirror_name(engine: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || ".-_@".contains(c) { c } else { '-' };
    format!("on-{}", engine.chars().map(plain).collect::<String>())
}
