//! Engines: what brings a task to a machine.
//!
//! A task is one experiment that somebody else's machine is to measure. Schedulers lose jobs, run
//! them twice and forget how they ended, so nothing is believed of them but that a job of this name
//! is there now: what was done is in the task's [`folder`], and [`decide`] says what to do next
//! (`docs/design/engines.md`).

mod artifacts;
pub mod attempt;
mod build_jobs;
mod command;
pub mod decide;
pub mod folder;
pub mod key;
pub mod result;
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

/// Starts jobs, says which there are, and ends them.
pub trait Engine {
    /// Refuses what can be refused before anything runs.
    ///
    /// # Errors
    ///
    /// When a job could never be started.
    fn check(&self) -> Result<(), Failure>;

    /// Starts a job for a task, and says which number it has.
    ///
    /// # Errors
    ///
    /// When it is refused, or nobody answers.
    fn submit(&self, task: &TaskFolder) -> Result<String, SubmitError>;

    /// The jobs of these tasks that wait or run now.
    ///
    /// # Errors
    ///
    /// When nobody answers: that says nothing about jobs.
    fn poll(&self, tasks: &[&TaskFolder]) -> Result<Vec<Job>, Unreachable>;

    /// Ends a job, if it is still there.
    fn cancel(&self, job: &Job);

    /// Has a job start that is to wait only because it was started before.
    fn release(&self, _job: &Job) {}

    /// Removes what there is of a task elsewhere than in its folder.
    fn forget(&self, _task: &TaskFolder) {}

    /// The time between two polls at first, and at most, in seconds.
    fn pauses(&self) -> [f64; 2] {
        [1.0, 30.0]
    }
}

/// A job that an engine has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its number, which may be that of another job tomorrow.
    pub id: String,
    /// Its name, which says whose it is: see [`folder::TaskFolder::job_name`].
    pub name: String,
    /// What it does.
    pub state: JobState,
}

/// What the names of jobs begin with.
const JOB: &str = "brisk-";

impl Job {
    /// The key of its task.
    fn key(&self) -> &str {
        self.name.strip_prefix(JOB).unwrap_or(&self.name)
    }
}

/// What a job does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// It waits, for this reason in the engine's words.
    Queued(String),
    /// It waits because it was started before: nothing else keeps it.
    Deferred,
    /// It will never start, because starting it failed.
    Stuck(String),
    /// It runs.
    Running,
}

/// Nobody answers: what was asked is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreachable(pub String);

/// Why there is no job.
#[derive(Debug)]
pub enum SubmitError {
    /// It is refused, and would be again.
    Refused(Failure),
    /// Nobody answered; there may be a job nevertheless.
    Unreachable(Unreachable),
}

/// The longest that one command of an engine may take: more than a scheduler under load, whose
/// clients give up by themselves after a minute or less.
const PATIENCE: Duration = Duration::from_secs(90);

/// Runs a command of an engine. A Ctrl-C does not end it: what it submits must be known to be there.
fn answer(tool: Tool) -> Result<Output, Unreachable> {
    let tool = tool.timeout(PATIENCE).finishing_regardless();
    tool::output(&tool).map_err(|error| {
        Unreachable(Failure::from_error(&error).within("no answer").causes().join(": "))
    })
}

/// The same where it must succeed; else what it said.
fn succeeding(tool: Tool) -> Result<String, Unreachable> {
    let output = answer(tool)?;
    match output.outcome {
        Outcome::Exited(0) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        _ => Err(Unreachable(said(&output))),
    }
}

/// The last line that a command said about its failure.
fn said(output: &Output) -> String {
    let texts = [&output.stderr, &output.stdout].map(|bytes| String::from_utf8_lossy(bytes));
    let mut lines = texts.iter().flat_map(|text| text.lines().rev());
    // Where to read more is not what was wrong.
    let says = |line: &&str| !line.trim().is_empty() && !line.starts_with("Try \"");
    let line = lines.find(says).map(|line| line.trim().to_owned());
    line.unwrap_or_else(|| output.outcome.to_string())
}

/// An engine as it was asked for.
pub struct Chosen {
    /// What it is called.
    pub name: String,
    /// Where its tasks are, as this machine sees it.
    pub folder: PathBuf,
    /// Whether nobody waits for results.
    pub detaches: bool,
    /// On how many machines parts of one history are measured at once, at most.
    pub nodes: usize,
    engine: Box<dyn Engine>,
    copies: bool,
    builds: Option<Arc<dyn BuildSite>>,
}

impl Chosen {
    /// The engine of a table, not yet checked.
    ///
    /// # Errors
    ///
    /// When nobody says where its tasks are kept.
    pub fn new(table: &EngineTable) -> Result<Self, Failure> {
        let folder = match (&table.folder, &table.kind) {
            // What it names is there, and what there is of tasks here is ours.
            (_, EngineKind::Ssh(_)) => default_folder()?.join(mirror_name(&table.name)),
            (Some(folder), _) => folder.clone(),
            (None, _) => default_folder()?,
        };
        let mut builds: Option<Arc<dyn BuildSite>> = None;
        let engine: Box<dyn Engine> = match table.kind.clone() {
            EngineKind::Slurm(settings) => {
                let slurm = slurm::Slurm::new(&settings, &table.place);
                builds = slurm.builds().map(|jobs| Arc::new(build_jobs::BuildJobs::new(jobs)) as _);
                Box::new(slurm)
            }
            EngineKind::Ssh(settings) => {
                Box::new(ssh::Ssh::new(settings, table.folder.as_deref(), table.copy)?)
            }
            EngineKind::Command(templates) => Box::new(command::Templates::new(templates)),
        };
        // By ssh, it goes elsewhere.
        let copies = table.copy && !matches!(table.kind, EngineKind::Ssh(_));
        let (name, nodes) = (table.name.clone(), table.nodes);
        Ok(Self { name, folder, detaches: false, nodes, engine, copies, builds })
    }

    /// Refuses what can be refused before anything runs.
    ///
    /// # Errors
    ///
    /// When nothing could be measured with it.
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

    /// Where commits are built; none where that is here.
    pub fn builds(&self) -> Option<Arc<dyn BuildSite>> {
        self.builds.clone()
    }

    /// The brisk that jobs run: this one, or a copy of it in the folder.
    ///
    /// # Errors
    ///
    /// When it cannot be found or copied.
    pub fn brisk(&self) -> Result<PathBuf, Failure> {
        let own = own_program()?;
        if self.copies { folder::copied(&own, &self.folder) } else { Ok(own) }
    }
}

/// This program.
fn own_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().failing("cannot tell where brisk is")
}

/// Where tasks are when nobody says it: homes are what the machines of a cluster share.
fn default_folder() -> Result<PathBuf, Failure> {
    let folder = |variable, below: &str| {
        let root = std::env::var_os(variable).filter(|root: &std::ffi::OsString| !root.is_empty());
        root.map(|root| Path::new(&root).join(below))
    };
    folder("XDG_CACHE_HOME", "brisk/engine")
        .or_else(|| folder("HOME", ".cache/brisk/engine"))
        .ok_or_else(|| Failure::new("cannot tell where tasks are kept: HOME is not set"))
}

/// A path as a word of a shell.
fn quoted(path: &Path) -> String {
    model::spec::words::quote(&path.to_string_lossy())
}

/// Whether variables of this name say how a scheduler starts jobs, which is for the table to say.
fn is_of_scheduler(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    ["SBATCH_", "SLURM_", "SQUEUE_", "SCANCEL_"].iter().any(|prefix| name.starts_with(prefix))
        && name != "SLURM_CONF"
}

/// What the folder is called that has here what is done there.
fn mirror_name(engine: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || ".-_@".contains(c) { c } else { '-' };
    format!("on-{}", engine.chars().map(plain).collect::<String>())
}
