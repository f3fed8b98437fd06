//! The place of a measurement: the machine or engine, the store of the results, and the files that
//! reports are written to.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use engine::Chosen;
use model::failure::{Failing, Failure};
use model::host;
use model::spec::place::{listed, nearest};
use model::spec::project::{EngineKind, EngineTable, LOCAL, read_site};
use report::export::{Exports, Format};
use serde_json::{Value, json};
#[cfg(feature = "postgres")]
use store::Address;
use store::{Place, Store, StoreError};
use tempfile::TempDir;

use crate::settings;

/// The options of measuring, whatever is measured.
#[derive(Debug, Clone, Args)]
pub struct MeasuringOptions {
    /// The conduct while somebody else holds the machine
    #[command(flatten)]
    pub hold: HoldOptions,
    /// The machine or engine
    #[command(flatten)]
    pub engine: EngineOptions,
    /// The store of the results
    #[command(flatten)]
    pub store: StoreOptions,
    /// Do not show progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// The option that says whether to wait for the machine.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct HoldOptions {
    /// End with status 75 if somebody else holds the machine, instead of waiting
    #[arg(long, help_heading = "Where it is measured")]
    pub no_wait: bool,
}

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

impl MeasuringOptions {
    /// The requested engine, ready for use. None if this machine measures. `folder` is the
    /// project's.
    pub fn engine(&self, folder: &Path) -> Result<Option<Chosen>, Failure> {
        let EngineOptions { on, detach } = &self.engine;
        let Some(name) = on.as_deref().filter(|name| *name != LOCAL) else { return Ok(None) };
        let here = std::env::current_dir().failing("cannot tell the current folder")?;
        let own = settings::read(folder)?.map(|file| file.engines).unwrap_or_default();
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
        chosen.detaches = *detach;
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

/// The option that says where results are kept.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Where results are kept")]
pub struct StoreOptions {
    /// The file or PostgreSQL server for results
    ///
    /// A server is `postgres://USER@HOST/DATABASE`; `brisk/runs.db` in the user's data folder by
    /// default.
    #[arg(long, value_name = "PATH", value_parser = clap::builder::OsStringValueParser::new())]
    pub store: Option<OsString>,
}

/// The prefixes of addresses that are not files.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

impl StoreOptions {
    /// The place for results.
    pub fn place(&self) -> Result<Place, StoreError> {
        let file = || default_path(std::env::var_os("XDG_DATA_HOME"), std::env::var_os("HOME"));
        let Some(store) = &self.store else { return file().map(Place::from) };
        let text = store.to_string_lossy();
        match SCHEMES.into_iter().find(|scheme| text.starts_with(scheme)) {
            None => Ok(PathBuf::from(store).into()),
            Some(_scheme) => {
                #[cfg(feature = "postgres")]
                {
                    let journals = file()?.with_file_name("servers");
                    Ok(Place::Server(Address::read(&text, journals, variable)?.into()))
                }
                // The rest of the address may hold a password and is not repeated.
                #[cfg(not(feature = "postgres"))]
                Err(StoreError::Unsupported { scheme: _scheme })
            }
        }
    }

    /// A temporary folder for results, and the reason that they are not kept. Some if no place was
    /// given and the default one cannot be created or written.
    pub fn scratch(&self) -> Option<(TempDir, StoreError)> {
        if self.store.is_some() {
            return None;
        }
        let unusable = match self.place().and_then(Store::open) {
            Err(
                error @ (StoreError::NoHome
                | StoreError::Open { .. }
                | StoreError::ReadOnly { .. }
                | StoreError::Journal { .. }),
            ) => error,
            _ => return None,
        };
        tempfile::Builder::new()
            .prefix("brisk-store-")
            .tempdir()
            .ok()
            .map(|folder| (folder, unusable))
    }

    /// The options for a store in this folder.
    #[must_use]
    pub fn within(folder: &TempDir) -> Self {
        Self { store: Some(folder.path().join("runs.db").into()) }
    }
}

#[cfg(feature = "postgres")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// `brisk/runs.db` in the data folder of the XDG Base Directory Specification 0.8, which ignores a
/// relative `XDG_DATA_HOME`.
fn default_path(data: Option<OsString>, home: Option<OsString>) -> Result<PathBuf, StoreError> {
    data.map(PathBuf::from)
        .filter(|data| data.is_absolute())
        .or_else(|| {
            let home = PathBuf::from(home.filter(|home| !home.is_empty())?);
            Some(home.join(".local/share"))
        })
        .map(|data| data.join("brisk/runs.db"))
        .ok_or(StoreError::NoHome)
}

/// The options that say where to export to.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Where reports are written")]
pub struct ExportOptions {
    /// Write everything, with every run, as JSON
    ///
    /// The schema is brisk/1. In the place of any FILE, `-` is standard output; the report goes to
    /// standard error then.
    #[arg(long, value_name = "FILE")]
    pub export_json: Option<PathBuf>,

    /// Write a table as CSV
    ///
    /// It has a line for each command and metric, or for each commit of a history.
    #[arg(long, value_name = "FILE")]
    pub export_csv: Option<PathBuf>,

    /// Write the answer and a table as Markdown
    ///
    /// For a history, it has a sentence for each step.
    #[arg(long, value_name = "FILE")]
    pub export_markdown: Option<PathBuf>,

    /// Write a page for a browser
    ///
    /// Every run is in its pictures, and the file needs nothing else.
    #[arg(long, value_name = "FILE")]
    pub export_html: Option<PathBuf>,

    /// Write JSON in the format of hyperfine 1.x, for scripts that read it
    #[arg(long, value_name = "FILE")]
    pub export_hyperfine: Option<PathBuf>,

    /// Draw a picture of what was measured, as SVG
    #[arg(long, value_name = "FILE")]
    pub export_svg: Option<PathBuf>,

    /// Draw a picture of what was measured, as PNG
    #[arg(long, value_name = "FILE")]
    pub export_png: Option<PathBuf>,

    /// Write Go's benchmark text, for benchstat
    ///
    /// It has a line for each run.
    #[arg(long, value_name = "FILE")]
    pub export_go: Option<PathBuf>,

    /// Write CSV as tasty-bench does, for its `--baseline`
    #[arg(long, value_name = "FILE")]
    pub export_tasty_bench: Option<PathBuf>,

    /// Write JSON for github-action-benchmark's `customSmallerIsBetter`
    #[arg(long, value_name = "FILE")]
    pub export_github_action: Option<PathBuf>,

    /// Write Bencher's metric format (BMF), JSON
    #[arg(long, value_name = "FILE")]
    pub export_bencher: Option<PathBuf>,

    /// Add the results to an asv results folder (format version 2), under `--asv-commit` or under
    /// the commits of a history
    #[arg(long, value_name = "DIR")]
    pub export_asv: Option<PathBuf>,

    /// The measured commit, in the repository of the current folder; for `--export-asv`
    #[arg(long, value_name = "REVISION", requires = "export_asv")]
    pub asv_commit: Option<String>,
}

impl ExportOptions {
    /// The requested files.
    pub fn exports(&self) -> Exports {
        let named = [
            (Format::Json, &self.export_json),
            (Format::Csv, &self.export_csv),
            (Format::Markdown, &self.export_markdown),
            (Format::Html, &self.export_html),
            (Format::Hyperfine, &self.export_hyperfine),
            (Format::Svg, &self.export_svg),
            (Format::Png, &self.export_png),
            (Format::Go, &self.export_go),
            (Format::TastyBench, &self.export_tasty_bench),
            (Format::GithubAction, &self.export_github_action),
            (Format::Bencher, &self.export_bencher),
            (Format::Asv, &self.export_asv),
        ];
        let files = named.into_iter().filter_map(|(format, path)| Some((format, path.clone()?)));
        Exports { files: files.collect(), asv_commit: self.asv_commit.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_kept_in_the_users_data_folder() {
        let path = |data: Option<&str>, home: Option<&str>| {
            default_path(data.map(Into::into), home.map(Into::into)).ok()
        };
        assert_eq!(path(Some("/data"), Some("/home/u")), Some("/data/brisk/runs.db".into()));
        let at_home = Some("/home/u/.local/share/brisk/runs.db".into());
        assert_eq!(path(None, Some("/home/u")), at_home);
        assert_eq!(path(Some(""), Some("/home/u")), at_home);
        assert_eq!(path(Some("relative"), Some("/home/u")), at_home);
        assert_eq!(path(None, None), None);
        assert_eq!(path(None, Some("")), None);
    }
}
