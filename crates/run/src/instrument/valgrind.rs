//! Counters from valgrind, in separate runs that take some fifty times as long: their times are
//! meaningless and are not kept.
//!
//! Cachegrind stands in for hardware counters: instructions are counted, caches and the branch
//! predictor are simulated; neither depends on the load of the machine. Callgrind counts
//! instructions by function and line, and DHAT allocations by stack. Names stay as the program has them (`--demangle=no`):
//! valgrind knows fewer schemes than `toolchains::symbol`, and cuts off marks that are needed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use measure::{CommandLine, FinishedRun};
use model::metric::{
    BRANCH_MISSES, CACHE_MISSES, CACHE_REFERENCES, INSTRUCTIONS, MetricId, Missing, Readings,
    Source,
};
use toolchains::cachegrind::{self, Totals};
use toolchains::callgrind::{Agreement, CallgrindError, Profile, Reader};
use toolchains::dhat::{self, Allocations, DhatError};

use super::{Collected, Instrument, InstrumentError, scratch_folder};
use crate::scratch::Scratch;

/// Valgrind, ready to wrap a command.
#[derive(Debug)]
struct Valgrind {
    program: PathBuf,
    /// The folder for the output files of the run in flight, one for each process; removed at the
    /// end.
    folder: Scratch,
}

impl Valgrind {
    fn find() -> Result<Self, InstrumentError> {
        let path = std::env::var_os("PATH");
        let program = measure::resolve_program("valgrind".as_ref(), None, path.as_deref())
            .map_err(InstrumentError::NoValgrind)?;
        Ok(Self { program, folder: scratch_folder()? })
    }

    /// `command` under a tool, with its children.
    fn command(&self, tool: &str, options: &[&str], command: &CommandLine) -> CommandLine {
        let mut output = OsString::from(format!("--{tool}-out-file="));
        output.push(self.folder.path().join("%p"));
        let mut argv = vec![self.program.clone().into(), format!("--tool={tool}").into()];
        argv.extend(options.iter().map(OsString::from));
        argv.extend(["--vgdb=no", "--quiet", "--trace-children=yes"].map(OsString::from));
        argv.extend([output, "--".into(), command.program.clone().into()]);
        argv.extend(command.argv.iter().skip(1).cloned());
        CommandLine { argv, program: self.program.clone(), ..command.clone() }
    }

    /// Reads the output of all processes of the run that just ended, and empties the folder.
    fn take<T>(
        &self,
        read: impl Fn(&Path) -> Result<T, ProfileError>,
    ) -> Result<Vec<T>, ProfileError> {
        let folder = self.folder.path();
        let unreadable = |source| ProfileError::File { path: folder.to_owned(), source };
        let paths = self.files().map_err(unreadable)?;
        let profiles: Vec<_> = paths.iter().map(|path| read(path)).collect();
        for path in &paths {
            fs::remove_file(path).map_err(unreadable)?;
        }
        let profiles = profiles.into_iter().collect::<Result<Vec<T>, _>>()?;
        if profiles.is_empty() { Err(ProfileError::Nothing) } else { Ok(profiles) }
    }

    /// The output files of the run that just ended, sorted.
    fn files(&self) -> io::Result<Vec<PathBuf>> {
        let entries = fs::read_dir(self.folder.path())?;
        let mut files: Vec<PathBuf> =
            entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        files.sort();
        Ok(files)
    }
}

/// Cachegrind, ready to wrap a command.
#[derive(Debug)]
pub struct Cachegrind {
    valgrind: Valgrind,
    /// The options that select the simulations.
    simulation: [&'static str; 2],
}

impl Cachegrind {
    /// Cachegrind that counts instructions and simulates caches and branches.
    pub fn new() -> Result<Self, InstrumentError> {
        Ok(Self { simulation: ["--cache-sim=yes", "--branch-sim=yes"], ..Self::of_instructions()? })
    }

    /// Cachegrind that only counts instructions, in half the time.
    pub fn of_instructions() -> Result<Self, InstrumentError> {
        let simulation = ["--cache-sim=no", "--branch-sim=no"];
        Ok(Self { valgrind: Valgrind::find()?, simulation })
    }

    /// The totals over all processes of the run that just ended; empties the folder.
    fn take_totals(&self) -> Result<Totals, Missing> {
        let unreadable = |error: io::Error| Missing(format!("valgrind's output: {error}").into());
        let mut total: Option<Totals> = None;
        for file in self.valgrind.files().map_err(unreadable)? {
            let text = fs::read_to_string(&file);
            fs::remove_file(&file).map_err(unreadable)?;
            let totals = cachegrind::totals(&text.map_err(unreadable)?)
                .map_err(|error| Missing(error.to_string().into()))?;
            total = Some(total.map_or(totals, |sum| sum.plus(totals)));
        }
        total.ok_or(Missing("valgrind wrote no output".into()))
    }
}

impl Instrument for Cachegrind {
    fn source(&self) -> Source {
        Source::Valgrind
    }

    fn applies_to(&self, _variant: u32) -> bool {
        true
    }

    fn wrap(&mut self, _variant: u32, command: &CommandLine) -> CommandLine {
        self.valgrind.command("cachegrind", &self.simulation, command)
    }

    fn collect(
        &mut self,
        _variant: u32,
        _command: &CommandLine,
        _finished: &FinishedRun,
        _permitted: bool,
    ) -> Collected {
        let totals = self.take_totals();
        let value = |part: fn(&Totals) -> Option<u64>| {
            let count = part(totals.as_ref().map_err(Clone::clone)?);
            count.map(|sum| sum as f64).ok_or(Missing("valgrind did not count it".into()))
        };
        let readings: Readings = [
            (INSTRUCTIONS, value(|totals| totals.instructions)),
            (CACHE_REFERENCES, value(|totals| totals.last_level_references)),
            (CACHE_MISSES, value(|totals| totals.last_level_misses)),
            (BRANCH_MISSES, value(|totals| totals.branch_misses)),
        ]
        .into_iter()
        .collect();
        Collected::Readings(readings)
    }
}

/// True if a metric is simulated rather than counted.
pub(super) fn is_simulated(metric: &MetricId) -> bool {
    [CACHE_REFERENCES, CACHE_MISSES, BRANCH_MISSES].contains(metric)
}

/// The size of the pieces in which files are read.
const PIECE_BYTES: usize = 1 << 20;

/// The number of callers by which stacks are distinguished. Callgrind accepts any number; few
/// programs have stacks that differ only beyond it, and deep recursion counts as one.
const STACK_DEPTH: u32 = 24;

/// Callgrind, ready to wrap a command.
#[derive(Debug)]
pub struct Callgrind {
    valgrind: Valgrind,
}

/// The key by which functions are distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// By name.
    Functions,
    /// By name and the names of their callers, up to some depth.
    Stacks,
}

/// The reason why a profile cannot be read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ProfileError {
    #[error("cannot read `{path}`")]
    File { path: PathBuf, source: io::Error },
    #[error("cannot read `{path}` as a profile of callgrind")]
    Profile { path: PathBuf, source: CallgrindError },
    #[error("cannot read `{path}` as a profile of DHAT")]
    Dhat { path: PathBuf, source: DhatError },
    #[error("valgrind wrote no profile")]
    Nothing,
    #[error("callgrind's profile of `{command}` is cut off")]
    CutOff { command: String },
}

impl Callgrind {
    /// Finds valgrind and makes a folder for its output.
    pub fn new() -> Result<Self, InstrumentError> {
        Ok(Self { valgrind: Valgrind::find()? })
    }

    /// `command` under callgrind, with its children.
    pub fn command(&self, command: &CommandLine, detail: Detail) -> CommandLine {
        let callers = format!("--separate-callers={STACK_DEPTH}");
        let options = match detail {
            Detail::Functions => &["--demangle=no"][..],
            Detail::Stacks => &["--demangle=no", &callers],
        };
        let mut command = self.valgrind.command("callgrind", options, command);
        let inherited = std::env::var_os(GO_SETTINGS);
        command.env.push(without_preemption(&command.env, inherited));
        command
    }

    /// Reads the profiles of all processes of the run that just ended, and empties the folder.
    ///
    /// # Errors
    ///
    /// When there are none, or one cannot be read or is cut off.
    pub fn take_profiles(&self) -> Result<Vec<Profile>, ProfileError> {
        let profiles = self.valgrind.take(|path| read(path, None))?;
        let is_cut_off = |it: &&Profile| it.agreement() == Agreement::NotStated;
        if let Some(profile) = profiles.iter().find(is_cut_off) {
            return Err(ProfileError::CutOff { command: profile.command.clone() });
        }
        Ok(profiles)
    }
}

/// The variable with the settings of Go's runtime.
const GO_SETTINGS: &str = "GODEBUG";

/// The environment variable with which goroutines are not stopped by signals: callgrind ends on one that
/// reaches another thread than it expects. Programs in other languages do not read it.
fn without_preemption(
    changes: &[(OsString, Option<OsString>)],
    inherited: Option<OsString>,
) -> (OsString, Option<OsString>) {
    let change = changes.iter().rev().find(|(name, _)| name == GO_SETTINGS);
    let mut settings = change.map_or(inherited, |(_, value)| value.clone()).unwrap_or_default();
    if !settings.is_empty() {
        settings.push(",");
    }
    settings.push("asyncpreemptoff=1");
    (GO_SETTINGS.into(), Some(settings))
}

/// DHAT, ready to wrap a command.
#[derive(Debug)]
pub struct Dhat {
    valgrind: Valgrind,
}

/// The options of DHAT: names as the program has them, whole paths of sources, and as many callers
/// as valgrind can keep.
const DHAT_OPTIONS: [&str; 3] = ["--demangle=no", "--fullpath-after=", "--num-callers=500"];

impl Dhat {
    /// Finds valgrind and makes a folder for its output.
    pub fn new() -> Result<Self, InstrumentError> {
        Ok(Self { valgrind: Valgrind::find()? })
    }

    /// `command` under DHAT, with its children.
    pub fn command(&self, command: &CommandLine) -> CommandLine {
        self.valgrind.command("dhat", &DHAT_OPTIONS, command)
    }

    /// Reads the allocations of all processes of the run that just ended, and empties the folder.
    ///
    /// # Errors
    ///
    /// When there are none, or a file cannot be read or is cut off.
    pub fn take_allocations(&self) -> Result<Vec<Allocations>, ProfileError> {
        self.valgrind.take(read_dhat)
    }
}

/// Reads a file of DHAT.
pub fn read_dhat(path: &Path) -> Result<Allocations, ProfileError> {
    let text =
        fs::read(path).map_err(|source| ProfileError::File { path: path.to_owned(), source })?;
    dhat::read(&text).map_err(|source| ProfileError::Dhat { path: path.to_owned(), source })
}

/// Reads a callgrind file: the costs of `event`, or of instructions.
pub fn read(path: &Path, event: Option<&str>) -> Result<Profile, ProfileError> {
    let unreadable = |source| ProfileError::File { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(unreadable)?;
    let mut reader = Reader::new(event);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece).map_err(unreadable)? {
            0 => break,
            length => reader.take(&piece[..length]),
        }
    }
    reader.finish().map_err(|source| ProfileError::Profile { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_gos_runtime_are_kept() {
        let with = |changes: &[(&str, Option<&str>)], inherited: Option<&str>| {
            let changes: Vec<_> =
                changes.iter().map(|(name, value)| (name.into(), value.map(Into::into))).collect();
            let (name, value) = without_preemption(&changes, inherited.map(Into::into));
            assert_eq!(name, "GODEBUG");
            value.expect("a value").into_string().expect("text")
        };
        assert_eq!(with(&[("A", Some("b"))], None), "asyncpreemptoff=1");
        assert_eq!(with(&[], Some("gctrace=1")), "gctrace=1,asyncpreemptoff=1");
        assert_eq!(with(&[("GODEBUG", Some("x=0"))], Some("y=1")), "x=0,asyncpreemptoff=1");
        assert_eq!(with(&[("GODEBUG", None)], Some("y=1")), "asyncpreemptoff=1");
    }
}
