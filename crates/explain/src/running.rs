//! Running a built GHC program: for the figures that its runtime reports at the end, for its
//! counters and its heap profile, and under callgrind for the instructions of each binding.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ghc::causes::Program;
use ghc::causes::costs::Costs;
use ghc::heap_profile::{self, HeapProfile};
use ghc::instructions::{Count, Instructions, could_allocate};
use ghc::ticky::{self, Profile, TickyError};
use measure::{
    AllowedExits, CommandLine, Launcher, LauncherError, Outcome, Stdin, Stdout, StopReason, Wake,
};
use model::metric::Unit;
use model::spec::artifacts::Layouts;
use model::spec::labels::Labels;
use model::spec::{Experiment, Invocation, Variant};
use run::instrument::InstrumentError;
use run::instrument::valgrind::{Callgrind, Detail};
use toolchains::runtime;
use words::quantity::{duration, quantity};

use super::building::BuiltProgram;
use super::folder;
use super::instructions::profiling::{Profiling, ProfilingError};
use super::untimed;

/// The parameters of a run.
#[derive(Debug, Clone)]
pub struct Run {
    /// The program's arguments.
    pub arguments: Vec<OsString>,
    /// The standard input.
    pub input: Stdin,
    /// Environment variables.
    pub env: Vec<(OsString, OsString)>,
    /// The working folder.
    pub cwd: PathBuf,
    /// The time limit.
    pub timeout: Duration,
}

/// The figures from the runtime.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Figures {
    /// The bytes allocated.
    pub allocated_bytes: Option<u64>,
    /// The wall time, in seconds.
    pub wall_seconds: f64,
    /// The processor time of the program itself, without its collector, in seconds.
    pub mutator_seconds: Option<f64>,
    /// The processor time of its collector, in seconds.
    pub collector_seconds: Option<f64>,
    /// The most bytes that were live at a major collection.
    pub max_live_bytes: Option<u64>,
    /// The most bytes that the runtime held of the system's memory.
    pub peak_bytes: Option<u64>,
}

impl Figures {
    /// The processor time, in seconds; the wall time if the runtime did not report it.
    pub fn cpu_seconds(&self) -> f64 {
        let reported = self.mutator_seconds.zip(self.collector_seconds);
        reported.map_or(self.wall_seconds, |(own, collector)| own + collector)
    }
}

/// The reason why a run gave no result.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum RunningError {
    #[error(transparent)]
    Launcher(#[from] LauncherError),
    #[error("interrupted while the program ran")]
    Interrupted,
    #[error("cannot start the program: {0}")]
    Start(String),
    #[error("the program {how}")]
    Failed { how: String, stderr: String },
    #[error("the program did not end within {}", duration(limit.as_secs_f64()))]
    NeverEnded { limit: Duration },
    #[error("the program wrote no ticky counters")]
    NoCounters,
    #[error("cannot read the program's ticky counters")]
    Counters(#[source] TickyError),
}

impl RunningError {
    /// Advice for the user, if there is any.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Failed { .. } => Some(
                "arguments of the program go behind `--`, and what it reads comes from `--input FILE`",
            ),
            Self::NeverEnded { .. } => Some(
                "give it less to do (behind `--`), something to read with `--input FILE`, or more time \
                 with `--timeout`",
            ),
            Self::NoCounters => Some(
                "it must end by itself, as GHC's programs do, and must not forbid options of the \
                 runtime (`-rtsopts=ignoreAll`)",
            ),
            _ => None,
        }
    }
}

/// Runs a plain program.
pub fn plain(
    launcher: &mut Launcher,
    program: &Path,
    run: &Run,
    folder: &Path,
) -> Result<Figures, RunningError> {
    let statistics = folder.join("plain.t");
    let options = format!("-t{} --machine-readable", statistics.display());
    let wall_seconds = once(launcher, program, run, &options)?;
    Ok(figures(&statistics, wall_seconds))
}

/// Runs a program with counters.
pub fn counted(
    launcher: &mut Launcher,
    program: &Path,
    run: &Run,
    folder: &Path,
) -> Result<(Profile, Figures), RunningError> {
    let statistics = folder.join("counted.t");
    let counters = folder.join("counted.ticky");
    let options = format!("-r{} -t{} --machine-readable", counters.display(), statistics.display());
    let wall_seconds = once(launcher, program, run, &options)?;
    let text = fs::read(&counters).map_err(|_| RunningError::NoCounters)?;
    let profile = ticky::read(&text).map_err(RunningError::Counters)?;
    Ok((profile, figures(&statistics, wall_seconds)))
}

/// Runs a plain program once more and samples its heap. `None` if the profile is unavailable, which
/// is not worth failing for, unless the user interrupts.
pub fn heap(
    launcher: &mut Launcher,
    program: &Path,
    run: &Run,
    folder: &Path,
    names_file: bool,
    plain: Figures,
) -> Result<Option<HeapProfile>, RunningError> {
    let nursery_bytes = nursery_bytes(plain.allocated_bytes);
    // `-i0` samples at every collection, and one happens whenever the nursery is used up.
    let mut options = format!("-hT -i0 -A{nursery_bytes}");
    let mut run = run.clone();
    let file = if names_file {
        options.push_str(&format!(" -po{}", folder.join("heap").display()));
        folder.join("heap.hp")
    } else {
        let Ok(cwd) = linked(&run.cwd, &folder.join("heap")) else { return Ok(None) };
        let mut name = program.file_name().unwrap_or_default().to_owned();
        name.push(".hp");
        run.cwd = cwd;
        run.cwd.join(name)
    };
    match once(launcher, program, &run, &options) {
        Ok(_) => {}
        Err(error @ (RunningError::Interrupted | RunningError::Launcher(_))) => return Err(error),
        Err(_) => return Ok(None),
    }
    let text = fs::read(file).ok();
    Ok(text.and_then(|text| heap_profile::read(&String::from_utf8_lossy(&text)).ok()))
}

/// The approximate number of heap samples in a run.
const HEAP_SAMPLES: u64 = 200;

/// The smallest nursery to request, in bytes.
const LEAST_NURSERY_BYTES: u64 = 1 << 14;

/// The size of the nursery that is used up about [`HEAP_SAMPLES`] times, in bytes. Samples are
/// spaced by allocation and not by time: so they are the same in each run, however busy the machine
/// is.
fn nursery_bytes(allocated_bytes: Option<u64>) -> u64 {
    allocated_bytes.map_or(1 << 20, |bytes| (bytes / HEAP_SAMPLES).max(LEAST_NURSERY_BYTES))
}

/// A folder with links to everything in another. Some versions of GHC's runtime write a heap
/// profile to the working folder, which is the user's.
fn linked(from: &Path, to: &Path) -> std::io::Result<PathBuf> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        std::os::unix::fs::symlink(entry.path().canonicalize()?, to.join(entry.file_name()))?;
    }
    Ok(to.to_owned())
}

/// The command of a run with options for the runtime.
pub(super) fn command(program: &Path, run: &Run, options: &str) -> CommandLine {
    let mut argv = vec![program.as_os_str().to_owned()];
    argv.extend(run.arguments.iter().cloned());
    let mut env: Vec<(OsString, Option<OsString>)> =
        run.env.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).collect();
    // The user's runtime options stay; later options win.
    let given = run.env.iter().find(|(name, _)| name == "GHCRTS").map(|(_, value)| value.clone());
    let mut rts = given.or_else(|| std::env::var_os("GHCRTS")).unwrap_or_default();
    rts.push(" ");
    rts.push(options);
    env.retain(|(name, _)| name != "GHCRTS");
    env.push(("GHCRTS".into(), Some(rts)));
    CommandLine {
        argv,
        program: program.to_owned(),
        env,
        cwd: Some(run.cwd.clone()),
        stdin: run.input.clone(),
        stdout: Stdout::Discard,
    }
}

fn once(
    launcher: &mut Launcher,
    program: &Path,
    run: &Run,
    options: &str,
) -> Result<f64, RunningError> {
    let task = untimed::task(command(program, run, options), Some(run.timeout));
    let mut on_wait = || if measure::interrupt::requested() { Wake::Abort } else { Wake::Continue };
    let slice = launcher.execute(&[task], None, &mut on_wait)?;
    match (slice.finished.first(), slice.stopped) {
        (Some(finished), None) => {
            ended(finished.outcome, &finished.stderr_tail, run.timeout)?;
            Ok(finished.raw.wall.0 as f64 / 1e9)
        }
        (_, Some(StopReason::CannotStart { .. })) => {
            Err(RunningError::Start(program.display().to_string()))
        }
        _ => Err(RunningError::Interrupted),
    }
}

fn ended(outcome: Outcome, stderr: &[u8], limit: Duration) -> Result<(), RunningError> {
    let how = match outcome {
        Outcome::Exited(0) => return Ok(()),
        Outcome::TimedOut => return Err(RunningError::NeverEnded { limit }),
        Outcome::Exited(status) => format!("exited with status {status}"),
        Outcome::Signalled(signal) => format!("was ended by signal {signal}"),
    };
    let stderr = String::from_utf8_lossy(stderr).trim_end().to_owned();
    Err(RunningError::Failed { how, stderr })
}

/// The figures in the runtime's file; without it, only the time is known.
fn figures(path: &Path, wall_seconds: f64) -> Figures {
    let text = fs::read_to_string(path).ok();
    let all = text.and_then(|text| runtime::ghc::figures(&text).ok());
    let last = all.and_then(|all| all.last().cloned()).unwrap_or_default();
    Figures {
        allocated_bytes: last.allocated_bytes,
        wall_seconds,
        mutator_seconds: last.mutator_cpu_seconds,
        collector_seconds: last.gc_cpu_seconds,
        max_live_bytes: last.max_live_bytes,
        peak_bytes: last.max_in_use_bytes,
    }
}

/// The slowdown of a program under callgrind; that of GHC's programs was 25 to 60.
const SLOWER: f64 = 50.0;

/// The longest expected duration of a run, in seconds; a longer one is left out unless requested.
const LONGEST_SECONDS: f64 = 120.0;

/// The expected duration of a run under callgrind, in seconds. `plain` has the figures of a run
/// without.
pub fn counting_seconds(plain: Figures) -> f64 {
    plain.wall_seconds * SLOWER
}

/// The reason for missing instructions, as a sentence without its end; or an interruption by the
/// user.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum Unexecuted {
    #[error("{0}")]
    Missing(String),
    #[error("interrupted while the program ran under callgrind")]
    Interrupted,
}

/// The number of instructions that each binding executes. The build without counters is run once
/// under callgrind, without the timer of GHC's runtime (`-V0`), and the symbols of its code are
/// looked up in the dumps of that very build. `program` is the Core of the build with counters, to
/// whose bindings the instructions are assigned. `figures` are those of a plain run.
pub fn executed(
    launcher: &mut Launcher,
    plain: &BuiltProgram,
    run: &Run,
    program: &Program,
    figures: Figures,
) -> Result<Instructions, Unexecuted> {
    let missing = Unexecuted::Missing;
    if counting_seconds(figures) > LONGEST_SECONDS {
        return Err(missing(format!(
            "the program takes {}, and under callgrind some {} times as long",
            duration(figures.wall_seconds),
            SLOWER
        )));
    }
    let callgrind = Callgrind::new().map_err(|error| match error {
        InstrumentError::NoValgrind(_) => missing("there is no valgrind".to_owned()),
        other => missing(other.to_string()),
    })?;
    let compiled = folder::program(&plain.dumps)
        .map_err(|error| missing(format!("the names of its code are not known: {error}")))?;
    let experiment = experiment(plain, run);
    let mut profiling = Profiling::new(&experiment, launcher, callgrind);
    let profiles = profiling.profiles(0, Detail::Functions).map_err(|error| match error {
        ProfilingError::Interrupted => Unexecuted::Interrupted,
        other => missing(format!("its run under callgrind failed: {other}")),
    })?;
    let counts = profiles.iter().flat_map(|profile| {
        profile.lines.iter().map(|line| Count {
            symbol: profile.name(profile.functions[line.function as usize].name),
            file: profile.file(line.file),
            line: line.line,
            instructions: line.cost,
        })
    });
    let executed = Instructions::from_counts(&compiled, counts).transferred(&compiled, program);
    let instrumented_bytes = Costs::from_program(program).coverage().instrumented_bytes;
    let allocated_bytes = figures.allocated_bytes.unwrap_or_default().max(instrumented_bytes);
    if could_allocate(executed.total(), allocated_bytes) {
        return Ok(executed);
    }
    Err(missing(format!(
        "callgrind counted {} in a program that allocates {}, so it did not see all of it",
        quantity(executed.total() as f64, Unit::Count),
        quantity(allocated_bytes as f64, Unit::Bytes)
    )))
}

/// The run as an experiment with a single command.
fn experiment(plain: &BuiltProgram, run: &Run) -> Experiment {
    let mut argv = vec![plain.program.as_os_str().to_owned()];
    argv.extend(run.arguments.iter().cloned());
    let env = run.env.iter().map(|(name, value)| (name.clone(), Some(value.clone())));
    let name = plain.program.display().to_string();
    // The user's limit applies to a run without callgrind.
    let timeout = run.timeout.max(Duration::from_secs_f64(2.0 * LONGEST_SECONDS));
    Experiment {
        variants: vec![Variant {
            command: name.clone(),
            name,
            labels: Labels::default(),
            run: Invocation {
                argv,
                env: env.collect(),
                cwd: Some(run.cwd.clone()),
                stdin: run.input.clone(),
                stdout: Stdout::Discard,
            },
            setup: None,
            prepare: None,
            conclude: None,
            cleanup: None,
            measures: Vec::new(),
            layouts: Layouts::default(),
        }],
        commands: 1,
        shell: None,
        timeout: Some(timeout),
        allowed: AllowedExits::Zero,
        outlives_failures: false,
        setup_runs: 1,
        claims_equal_work: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heap_is_looked_at_as_often_whatever_a_program_allocates() {
        for allocated in [10_u64 << 20, 1 << 30, 1 << 40] {
            let samples = allocated / nursery_bytes(Some(allocated));
            assert!((HEAP_SAMPLES..=HEAP_SAMPLES + 1).contains(&samples), "{allocated}: {samples}");
        }
        assert_eq!(nursery_bytes(Some(1000)), LEAST_NURSERY_BYTES);
        assert!(nursery_bytes(None) > 0);
    }

    #[test]
    fn a_program_that_did_not_end_well_says_how() {
        let limit = Duration::from_secs(90);
        let failed = |outcome| ended(outcome, b"oh\n", limit).expect_err("it failed").to_string();
        assert_eq!(failed(Outcome::Exited(3)), "the program exited with status 3");
        assert_eq!(failed(Outcome::Signalled(11)), "the program was ended by signal 11");
        assert_eq!(failed(Outcome::TimedOut), "the program did not end within 1 min 30 s");
    }
}
