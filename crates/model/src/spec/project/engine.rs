//! `[engine.NAME]`: other places to run experiments.

use std::path::{Path, PathBuf};

use super::table::{Source, Table};
use super::{ProjectFileError, ProjectProblem};
use super::{SITE, text_of};

/// One or many machines that brisk can submit experiments to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineTable {
    /// The name used by `--on`.
    pub name: String,
    /// The kind, with its settings.
    pub kind: EngineKind,
    /// The folder of its tasks, as written.
    pub folder: Option<PathBuf>,
    /// Set if this brisk is copied into the folder for its jobs.
    pub copy: bool,
    /// The maximum number of machines that measure parts of one history at once.
    pub nodes: usize,
    /// The place of the table, in words.
    pub place: String,
}

/// The kind of an engine, with its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineKind {
    /// Slurm.
    Slurm(SlurmSettings),
    /// One machine, by ssh.
    Ssh(SshSettings),
    /// Commands given by the user.
    Command(Templates),
}

/// The options of Slurm jobs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SlurmSettings {
    /// The partition.
    pub partition: Option<String>,
    /// The features that the node must have.
    pub features: Option<String>,
    /// The reservation.
    pub reservation: Option<String>,
    /// More options of `sbatch`.
    pub options: Vec<String>,
    /// The options of build jobs; `None` if commits are built locally.
    pub builds: Option<BuildJobSettings>,
}

/// The options of Slurm jobs that build.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BuildJobSettings {
    /// The partition.
    pub partition: Option<String>,
    /// More options of `sbatch`.
    pub options: Vec<String>,
}

/// The machine that ssh connects to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshSettings {
    /// The host, as an argument of `ssh`.
    pub host: String,
}

/// The commands to submit, list and cancel jobs of any other engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Templates {
    /// Submits `{script}` as a job named `{name}`, and prints its number.
    pub submit: String,
    /// Prints a line for each job: name, state, number, reason.
    pub poll: String,
    /// Cancels the job `{job}`, or the one named `{name}`.
    pub cancel: String,
}

/// The maximum number of nodes. More do not help: a history is a line, and each node measures a
/// part of it.
const MOST_NODES: u32 = 1000;

/// The reserved name that no engine can have.
pub const LOCAL: &str = "local";

const TABLE: &str = "`[engine.NAME]`";
const KINDS: [&str; 3] = ["slurm", "ssh", "command"];
/// The keys of every kind.
const COMMON: [&str; 4] = ["kind", "folder", "copy", "nodes"];
const OF_SLURM: [&str; 6] =
    ["partition", "features", "reservation", "options", "build_partition", "build_options"];
const OF_SSH: [&str; 1] = ["host"];
const OF_COMMAND: [&str; 3] = ["submit", "poll", "cancel"];
pub(super) const KEYS: &[&str] = &[
    "kind",
    "folder",
    "copy",
    "nodes",
    "partition",
    "features",
    "reservation",
    "options",
    "build_partition",
    "build_options",
    "host",
    "submit",
    "poll",
    "cancel",
];

impl EngineTable {
    /// The engine of a name without a table, if it has a default.
    pub fn usual(name: &str) -> Option<Self> {
        let host = name.strip_prefix("ssh:").filter(|host| !host.is_empty());
        let kind = match host {
            Some(host) => EngineKind::Ssh(SshSettings { host: host.to_owned() }),
            None if name == "slurm" => EngineKind::Slurm(SlurmSettings::default()),
            None => return None,
        };
        let place = format!("no table: `[engine.{name}]` would be one");
        Some(Self { name: name.to_owned(), kind, folder: None, copy: false, nodes: 1, place })
    }
}

/// The engines of the site file; empty if the file does not exist.
///
/// # Errors
///
/// When the file cannot be read, or is invalid.
pub fn read_site(path: &Path) -> Result<Vec<EngineTable>, ProjectFileError> {
    let Some(text) = text_of(path, SITE)? else { return Ok(Vec::new()) };
    read_all(&Source { text: &text, file: SITE }.root(&["engine"])?)
}

/// All engines of a file.
pub(super) fn read_all(root: &Table<'_>) -> Result<Vec<EngineTable>, ProjectFileError> {
    let tables = root.named("engine", TABLE, KEYS)?;
    tables.iter().map(|(name, table)| read(name, table)).collect()
}

fn read(name: &str, table: &Table<'_>) -> Result<EngineTable, ProjectFileError> {
    let is_plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    if name == LOCAL || name.is_empty() || !name.chars().all(is_plain) {
        return Err(table.refuse_all(ProjectProblem::EngineName(name.to_owned())));
    }
    let word = table.required("kind")?;
    let own: &[&str] = match word.as_str() {
        "slurm" => &OF_SLURM,
        "ssh" => &OF_SSH,
        "command" => &OF_COMMAND,
        _ => {
            let known = KINDS.map(str::to_owned).to_vec();
            let problem = ProjectProblem::UnknownWord { what: "kind of engine", word, known };
            return Err(table.refuse("kind", problem));
        }
    };
    let foreign = |key: &&&str| table.has(key) && !COMMON.contains(*key) && !own.contains(*key);
    if let Some(key) = KEYS.iter().find(foreign) {
        return Err(table.refuse(key, ProjectProblem::OfOtherKind { key, kind: word }));
    }
    let kind = match word.as_str() {
        "slurm" => EngineKind::Slurm(SlurmSettings {
            partition: table.text("partition")?,
            features: table.text("features")?,
            reservation: table.text("reservation")?,
            options: words(table, "options")?,
            builds: build_jobs(table)?,
        }),
        "ssh" => EngineKind::Ssh(SshSettings { host: table.required("host")? }),
        _ => EngineKind::Command(Templates {
            submit: table.required("submit")?,
            poll: table.required("poll")?,
            cancel: table.required("cancel")?,
        }),
    };
    Ok(EngineTable {
        name: name.to_owned(),
        kind,
        folder: table.text("folder")?.map(PathBuf::from),
        copy: table.flag("copy")?,
        nodes: table.whole("nodes", 1, MOST_NODES)?.map_or(1, |nodes| nodes as usize),
        place: table.place(),
    })
}

/// The texts of an optional list.
fn words(table: &Table<'_>, key: &'static str) -> Result<Vec<String>, ProjectFileError> {
    let texts = table.texts(key)?.unwrap_or_default();
    Ok(texts.into_iter().map(|(text, _)| text).collect())
}

/// The settings of build jobs, if one of the keys requests them.
fn build_jobs(table: &Table<'_>) -> Result<Option<BuildJobSettings>, ProjectFileError> {
    let settings = BuildJobSettings {
        partition: table.text("build_partition")?,
        options: words(table, "build_options")?,
    };
    Ok((table.has("build_partition") || table.has("build_options")).then_some(settings))
}
