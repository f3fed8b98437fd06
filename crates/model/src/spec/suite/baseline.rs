//! A baseline that the program's harness saved in an earlier run, attached to the variants it
//! belongs to.
//!
//! It becomes a part of the variants' labels, so that it is stored and exported with the
//! experiment, which can later be shown without the file.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use stats::loops;
use stats::unpaired::relative_error;
use toolchains::harness::measurement::{
    Measured, Measurement, per_iteration, seconds_per_iteration,
};
use toolchains::harness::saved::{self, Contents, Fact, FactKind, SavedError, facts};

use super::{Filter, SuiteProgram};
use crate::host::{self, Difference, identifying};
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
        let by_name: BTreeMap<&str, &Measured> =
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
    fn gone(&self, all: &[Measured], program: &SuiteProgram, filter: &Filter) -> Vec<String> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let packages = text.lines().filter(|line| line.starts_with("pkg:")).count();
        if self.path.is_dir() || packages > 1 {
            return Vec::new();
        }
        let names = all.iter().map(|saved| &saved.name);
        let gone = names.filter(|name| filter.selects(name) && !program.listed.contains(name));
        gone.cloned().collect()
    }

    fn read(&self, path: &Path, program: &SuiteProgram) -> Result<Vec<Measured>, BaselineError> {
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
            check_machine(&facts(program.harness, text)).map_err(other)?;
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

fn time_of(saved: &Measured) -> Result<SavedTime, String> {
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

// The check that a baseline was written on this machine, as far as the file shows.

/// Go's names of instruction sets.
const ARCHITECTURES: [(&str, &str); 6] = [
    ("x86_64", "amd64"),
    ("x86", "386"),
    ("aarch64", "arm64"),
    ("arm", "arm"),
    ("riscv64", "riscv64"),
    ("s390x", "s390x"),
];

/// The differences of a machine that is not this one.
#[derive(Debug, thiserror::Error)]
#[error("it was written on another machine: {0}")]
pub struct OtherMachine(String);

/// Rejects a baseline that was written on another machine.
///
/// # Errors
///
/// The facts of the file's machine that differ here.
fn check_machine(facts: &[Fact]) -> Result<(), OtherMachine> {
    let different = differences(facts, &host::machine());
    if different.is_empty() {
        return Ok(());
    }
    let what: Vec<String> = different.iter().map(Difference::from_here).collect();
    Err(OtherMachine(what.join("\n")))
}

/// The facts that differ here. Facts not known of this machine are not a difference.
fn differences(facts: &[Fact], machine: &Value) -> Vec<Difference> {
    let difference = |fact: &Fact| {
        let (name, here) = here(fact.kind, machine)?;
        (!is_same(fact.kind, &here, &fact.value)).then(|| Difference {
            name,
            is_of_the_machine: true,
            here: Some(here),
            there: Some(fact.value.clone()),
        })
    };
    facts.iter().filter_map(difference).collect()
}

/// The name of a fact, and its value here.
fn here(kind: FactKind, machine: &Value) -> Option<(&'static str, String)> {
    let identified = |wanted: &str| {
        let mut known = identifying(machine).into_iter();
        known.find(|(name, _)| *name == wanted).and_then(|(name, fact)| Some((name, fact?)))
    };
    match kind {
        FactKind::Hostname => identified("hostname"),
        FactKind::Processor => identified("processor"),
        FactKind::Processors => identified("number of processors"),
        FactKind::System => {
            let system = std::env::consts::OS;
            Some(("operating system", if system == "macos" { "darwin" } else { system }.to_owned()))
        }
        FactKind::Architecture => {
            let architecture = std::env::consts::ARCH;
            let (_, word) = ARCHITECTURES.iter().find(|(own, _)| *own == architecture)?;
            Some(("architecture", (*word).to_owned()))
        }
    }
}

/// True if a fact is the same. Go appends the frequency to the name of a processor that does not
/// include it.
fn is_same(kind: FactKind, here: &str, there: &str) -> bool {
    let [here, there] =
        [here, there].map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let without_frequency = there.strip_suffix("MHz").and_then(|_| there.rsplit_once(" @ "));
    let is_its_name = without_frequency.is_some_and(|(name, _)| name == here);
    here == there || (kind == FactKind::Processor && is_its_name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fact(kind: FactKind, value: &str) -> Fact {
        Fact { kind, value: value.to_owned() }
    }

    #[test]
    fn what_the_file_says_of_another_machine_is_a_difference() {
        let machine = json!({
            "hostname": "here", "cpu_model": "Example  9000", "cpus_online": 4,
            "memory_bytes": {"missing": "no /proc"},
        });
        let told = |facts: &[Fact]| {
            let all = differences(facts, &machine);
            all.iter().map(Difference::from_here).collect::<Vec<_>>()
        };
        let same = [
            fact(FactKind::Hostname, "here"),
            fact(FactKind::Processor, "Example 9000"),
            fact(FactKind::Processor, "Example 9000 @ 2400.0000MHz"),
            fact(FactKind::Processors, "4"),
        ];
        assert_eq!(told(&same), [""; 0]);
        let other = [fact(FactKind::Processor, "Example 9001"), fact(FactKind::Processors, "8")];
        assert_eq!(
            told(&other),
            [
                "its processor is `Example 9001`, and here it is `Example  9000`",
                "its number of processors is `8`, and here it is `4`",
            ]
        );
        assert_eq!(told(&[fact(FactKind::System, "plan9")]).len(), 1);
        let unknown = json!({"hostname": {"missing": "no"}, "cpu_model": null});
        assert!(differences(&[fact(FactKind::Hostname, "there")], &unknown).is_empty());
    }
}
