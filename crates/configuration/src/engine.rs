//! The options that choose where to measure.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use crate::project;
use engine::Chosen;
use model::failure::{Failing, Failure};
use model::host;
use model::spec::place::{listed, nearest};
use model::spec::project::{EngineKind, EngineTable, LOCAL, read_site};

/// Environment variable that names the site file.
const VARIABLE: &str = "BRISK_SITE";

/// The options that say where measuring happens.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Where it is measured")]
pub struct EngineOptions {
    /// Measure on this engine, which brisk.toml or the site file defines, instead of on this machine:
    /// one job has the whole experiment
    #[arg(long, value_name = "ENGINE")]
    pub on: Option<String>,

    /// Do not wait for the result: the same command fetches it later
    #[arg(long, requires = "on")]
    pub detach: bool,
}

impl EngineOptions {
    /// The requested engine, ready for use. None if this machine measures. `folder` is the
    /// project's.
    ///
    /// # Errors
    ///
    /// When no engine has that name, or it cannot be used.
    pub fn chosen(&self, folder: &Path) -> Result<Option<Chosen>, Failure> {
        let Some(name) = self.on.as_deref().filter(|name| *name != LOCAL) else { return Ok(None) };
        let here = std::env::current_dir().failing("cannot tell the current folder")?;
        let own = project::read(folder)?.map(|file| file.engines).unwrap_or_default();
        let mut tables = within(own, &here.join(folder));
        if let Some(path) = site_file()? {
            let folder = here.join(path.parent().unwrap_or(Path::new("/")));
            tables.extend(within(read_site(&path)?, &folder));
        }
        let found = tables.iter().find(|table| table.name == name).cloned();
        let Some(table) = found.or_else(|| EngineTable::usual(name)) else {
            return Err(unknown(name, &tables));
        };
        let mut chosen = Chosen::new(&table)?;
        chosen.detaches = self.detach;
        chosen.check()?;
        Ok(Some(chosen))
    }
}

/// The engines of a file, with paths relative to this folder.
fn within(tables: Vec<EngineTable>, folder: &Path) -> Vec<EngineTable> {
    let settled = |table: EngineTable| {
        // Joined by components, without the `.` that may stand for the folder.
        if matches!(table.kind, EngineKind::Ssh(_)) {
            return table;
        }
        let settled = table.folder.map(|path| folder.join(path).components().collect());
        EngineTable { folder: settled, ..table }
    };
    tables.into_iter().map(settled).collect()
}

/// The identity of the machine. An engine chooses its machine, so only the engine's name is known.
pub fn machine(engine: Option<&Chosen>) -> Value {
    engine.map_or_else(host::identity, |engine| json!({ "engine": engine.name }))
}

fn unknown(name: &str, tables: &[EngineTable]) -> Failure {
    let mut known: Vec<&str> = vec![LOCAL, "slurm", "ssh:HOST"];
    known.extend(tables.iter().map(|table| table.name.as_str()));
    known.sort_unstable();
    known.dedup();
    let all = format!("engines: {}", listed(known.iter().copied()));
    let hint = match nearest(name, known) {
        Some(meant) => format!("did you mean `{meant}`? {all}"),
        None => format!("define it as `[engine.NAME]` in brisk.toml or the site file; {all}"),
    };
    Failure::new(format!("unknown engine `{name}`")).hint(Some(hint))
}

/// The site file in use: the one in the environment variable, the user's, or the machine's.
fn site_file() -> Result<Option<PathBuf>, Failure> {
    let variable = |name| std::env::var_os(name).filter(|value: &OsString| !value.is_empty());
    if let Some(named) = variable(VARIABLE).map(PathBuf::from) {
        return match named.exists() {
            true => Ok(Some(named)),
            false => Err(Failure::new(format!("there is no `{}`", named.display()))
                .because(format!("`{VARIABLE}` names it as the site file"))),
        };
    }
    let home = || variable("HOME").map(|home| Path::new(&home).join(".config"));
    let user = variable("XDG_CONFIG_HOME").map(PathBuf::from).or_else(home);
    let user = user.map(|folder| folder.join("brisk/site.toml"));
    let all = user.into_iter().chain([PathBuf::from("/etc/brisk/site.toml")]);
    Ok(all.into_iter().find(|path| path.exists()))
}
