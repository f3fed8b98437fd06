//! Counters from valgrind, for machines without hardware counters: separate runs under cachegrind.
//!
//! Instructions are counted, caches and the branch predictor are simulated; neither depends on the
//! load of the machine. Such a run takes some fifty times as long, so its times are meaningless and
//! are not kept.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use measure::{CommandLine, FinishedRun};
use toolchains::cachegrind::{self, Totals};

use super::{Collected, Instrument, InstrumentError, Scratch, scratch_folder};
use model::metric::{
    BRANCH_MISSES, CACHE_MISSES, CACHE_REFERENCES, INSTRUCTIONS, MetricId, Missing, Readings,
    Source,
};

/// Cachegrind, ready to wrap a command.
#[derive(Debug)]
pub struct Cachegrind {
    valgrind: PathBuf,
    /// The options that select the simulations.
    simulation: [&'static str; 2],
    /// The folder for the output files of the run in flight, one for each process; removed at the
    /// end.
    folder: Scratch,
}

impl Cachegrind {
    /// Cachegrind that counts instructions and simulates caches and branches.
    ///
    /// # Errors
    ///
    /// When valgrind is missing, or no folder can be made.
    pub fn new() -> Result<Self, InstrumentError> {
        Ok(Self { simulation: ["--cache-sim=yes", "--branch-sim=yes"], ..Self::of_instructions()? })
    }

    /// Cachegrind that only counts instructions, in half the time.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub fn of_instructions() -> Result<Self, InstrumentError> {
        let path = std::env::var_os("PATH");
        let valgrind = measure::resolve_program("valgrind".as_ref(), None, path.as_deref())
            .map_err(InstrumentError::NoValgrind)?;
        let simulation = ["--cache-sim=no", "--branch-sim=no"];
        Ok(Self { valgrind, simulation, folder: scratch_folder()? })
    }

    /// `command` under cachegrind, with its children.
    fn command(&self, command: &CommandLine) -> CommandLine {
        let output = |file: &str| {
            let mut option = OsString::from("--cachegrind-out-file=");
            option.push(self.folder.path().join(file));
            option
        };
        let [caches, branches] = self.simulation;
        let options = ["--tool=cachegrind", caches, branches, "--vgdb=no", "--quiet"];
        let mut argv = vec![self.valgrind.clone().into_os_string()];
        argv.extend(options.map(OsString::from));
        argv.push("--trace-children=yes".into());
        argv.push(output("%p"));
        argv.push("--".into());
        argv.push(command.program.clone().into_os_string());
        argv.extend(command.argv.iter().skip(1).cloned());
        CommandLine { argv, program: self.valgrind.clone(), ..command.clone() }
    }

    /// Reads the totals over all processes of the run that just ended, and empties the folder.
    fn readings(&self) -> Readings {
        let totals = self.read_and_remove();
        let value = |part: fn(&Totals) -> Option<u64>| match &totals {
            Ok(totals) => {
                let lacking = || Missing("valgrind did not count it".into());
                part(totals).map(|sum| sum as f64).ok_or_else(lacking)
            }
            Err(reason) => Err(reason.clone()),
        };
        [
            (INSTRUCTIONS, value(|totals| totals.instructions)),
            (CACHE_REFERENCES, value(|totals| totals.last_level_references)),
            (CACHE_MISSES, value(|totals| totals.last_level_misses)),
            (BRANCH_MISSES, value(|totals| totals.branch_misses)),
        ]
        .into_iter()
        .collect()
    }

    fn read_and_remove(&self) -> Result<Totals, Missing> {
        let unreadable =
            |error: std::io::Error| Missing(format!("valgrind's output: {error}").into());
        let mut total: Option<Totals> = None;
        for entry in std::fs::read_dir(self.folder.path()).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            let totals = read_one(&file);
            std::fs::remove_file(&file).map_err(unreadable)?;
            let totals = totals?;
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
        self.command(command)
    }

    fn collect(
        &mut self,
        _variant: u32,
        _command: &CommandLine,
        _finished: &FinishedRun,
        _permitted: bool,
    ) -> Collected {
        Collected::Readings(self.readings())
    }
}

/// True if a metric is simulated rather than counted.
pub fn is_simulated(metric: &MetricId) -> bool {
    [CACHE_REFERENCES, CACHE_MISSES, BRANCH_MISSES].contains(metric)
}

fn read_one(file: &Path) -> Result<Totals, Missing> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Missing(format!("valgrind's output: {error}").into()))?;
    cachegrind::totals(&text).map_err(|error| Missing(error.to_string().into()))
}
