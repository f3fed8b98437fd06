//! A baseline that the program's harness saved in an earlier run, attached to the variants it
//! belongs to.
//!
//! It becomes a part of the variants' labels, so that it is stored and exported with the
//! experiment, which can later be shown without the file.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use stats::loops;
use stats::one_process::relative_error;
use toolchains::harness::measurement::{Measurement, per_iteration, seconds_per_iteration};
use toolchains::harness::saved::{self, Contents, Saved, SavedError, facts};

use super::writer::{self, OtherMachine};
use super::{Filter, SuiteProgram};
use crate::spec::Experiment;
use crate::spec::labels::{SavedBaseline, SavedTime};

/// The baseline to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    /// The file, or the folder.
    pub path: PathBuf,
    /// The name of the baseline in a folder of criterion.rs.
    pub name: String,
}

/// The reason that a baseline cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum BaselineError {
    #[error("a saved baseline takes the place of the old program, and there are two programs")]
    TwoPrograms,
    #[error("cannot read the baseline `{}`", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("cannot understand the baseline `{}`", path.display())]
    Saved { path: PathBuf, source: SavedError },
    #[error("the baseline `{}` and `{program}` have no benchmark in common", path.display())]
    NothingInCommon { path: PathBuf, program: String },
    #[error("the baseline `{}` has no time: {reason}", path.display())]
    NoTime { path: PathBuf, reason: String },
    #[error("cannot compare with the baseline `{}`", path.display())]
    OtherMachine { path: PathBuf, source: OtherMachine },
}

impl BaselineError {
    /// The same, with the file's name as the user knows it.
    fn of_file(self) -> Self {
        match self {
            Self::Saved { path, source: SavedError::Report(error) } => {
                let source = SavedError::Report(error.of_file(&path.to_string_lossy()));
                Self::Saved { path, source }
            }
            other => other,
        }
    }

    /// A suggestion for the user, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::TwoPrograms => Some("leave out either `--baseline` or the old program"),
            Self::Saved { source, .. } => source.hint(),
            Self::OtherMachine { .. } => {
                Some("name both programs, `OLD NEW`: then they are measured together, here")
            }
            Self::NothingInCommon { .. } => {
                Some("`--list` shows what there is; names must agree to the letter")
            }
            _ => None,
        }
    }
}

impl Baseline {
    /// Attaches the baseline to those variants whose benchmarks it has, and to the first of them
    /// the names of selected benchmarks that only the baseline has.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or has no time of any benchmark that is run.
    pub fn put_on(
        &self,
        programs: &[SuiteProgram],
        filter: &Filter,
        experiment: &mut Experiment,
    ) -> Result<(), BaselineError> {
        let path = &self.path;
        let [program] = programs else { return Err(BaselineError::TwoPrograms) };
        let all = self.read(path, program)?;
        let mut gone = self.gone(&all, program, filter);
        let by_name: BTreeMap<&str, &Saved> =
            all.iter().map(|one| (one.name.as_str(), one)).collect();
        let file = path.to_string_lossy();
        let (mut found, mut reason) = (false, None);
        for variant in &mut experiment.variants {
            let Some(benchmark) = &mut variant.labels.benchmark else { continue };
            let Some(saved) = by_name.get(benchmark.name.as_str()) else { continue };
            match &saved.measurements {
                Ok(_) => found = true,
                Err(why) => {
                    reason.get_or_insert_with(|| format!("of `{}`, {why}", benchmark.name));
                }
            }
            let (file, time) = (file.clone().into_owned(), time_of(saved));
            let gone = std::mem::take(&mut gone);
            benchmark.baseline = Some(SavedBaseline { file, time, gone });
        }
        match (found, reason) {
            (true, _) => Ok(()),
            (false, Some(reason)) => Err(BaselineError::NoTime { path: path.clone(), reason }),
            (false, None) => Err(BaselineError::NothingInCommon {
                path: path.clone(),
                program: program.name.clone(),
            }),
        }
    }

    /// The benchmarks that only the file has. Empty for a folder, or a file of several Go packages,
    /// since these include the benchmarks of other programs.
    fn gone(&self, all: &[Saved], program: &SuiteProgram, filter: &Filter) -> Vec<String> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let packages = text.lines().filter(|line| line.starts_with("pkg:")).count();
        if self.path.is_dir() || packages > 1 {
            return Vec::new();
        }
        let names = all.iter().map(|saved| &saved.name);
        let gone = names.filter(|name| filter.selects(name) && !program.listed.contains(name));
        gone.cloned().collect()
    }

    fn read(&self, path: &Path, program: &SuiteProgram) -> Result<Vec<Saved>, BaselineError> {
        let unreadable = |source| BaselineError::Unreadable { path: path.to_owned(), source };
        let asked: Vec<&str> = program.listed.iter().map(String::as_str).collect();
        let understood = |contents: Contents<'_>| {
            saved::saved(program.harness, contents, &self.name, &asked)
                .map_err(|source| BaselineError::Saved { path: path.to_owned(), source })
        };
        if fs::metadata(path).map_err(unreadable)?.is_dir() {
            let mut files = BTreeMap::new();
            collect(path, path, &mut files).map_err(unreadable)?;
            understood(Contents::Folder(&files))
        } else {
            let bytes = fs::read(path).map_err(unreadable)?;
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim_start_matches('\u{feff}');
            let read = understood(Contents::File(text)).map_err(BaselineError::of_file)?;
            let other = |source| BaselineError::OtherMachine { path: path.to_owned(), source };
            writer::check(&facts(program.harness, text)).map_err(other)?;
            Ok(read)
        }
    }
}

/// The JSON files in a folder and below it, by their paths in `root`.
fn collect(
    root: &Path,
    folder: &Path,
    files: &mut BTreeMap<String, String>,
) -> Result<(), io::Error> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            collect(root, &path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "json")
            && let Ok(name) = path.strip_prefix(root)
        {
            let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
            files.insert(name.to_string_lossy().into_owned(), text);
        }
    }
    Ok(())
}

fn time_of(saved: &Saved) -> Result<SavedTime, String> {
    let measurements = saved.measurements.as_ref().map_err(String::clone)?;
    let seconds = seconds_per_iteration(measurements).ok_or("it says no time")?;
    let stated = saved.deviation_seconds.map(|deviation| deviation / seconds);
    let error = stated.or_else(|| relative_error(&as_loops(measurements)));
    Ok(SavedTime {
        seconds,
        error: error.filter(|error| error.is_finite() && *error >= 0.0),
        allocated: per_iteration(measurements, |one| one.figures.allocated_bytes),
    })
}

fn as_loops(measurements: &[Measurement]) -> Vec<loops::Measurement> {
    let of = |one: &Measurement| loops::Measurement {
        iterations: one.iterations.unwrap_or(1),
        total: one.seconds,
    };
    measurements.iter().map(of).collect()
}
