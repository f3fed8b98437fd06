//! The number of instructions that each binding of a GHC program executes.
//!
//! A build without counters is run once under callgrind, without the timer of GHC's runtime
//! (`-V0`), and the symbols of its code are looked up in the dumps of that very build.

use std::time::Duration;

use ghc::causes::Program;
use ghc::causes::costs::Costs;
use ghc::instructions::{Count, Instructions, could_allocate};
use measure::{AllowedExits, Launcher, Stdout};

use super::building::BuiltProgram;
use super::folder;
use super::instructions::profiling::{Profiling, ProfilingError};
use super::running::Run;
use model::metric::Unit;
use model::spec::artifacts::Layouts;
use model::spec::labels::Labels;
use model::spec::{Experiment, Invocation, Variant};
use run::instrument::InstrumentError;
use run::instrument::valgrind::{Callgrind, Detail};
use words::quantity::{duration, quantity};

/// The slowdown of a program under callgrind; that of GHC's programs was 25 to 60.
const SLOWER: f64 = 50.0;

/// The longest expected duration of a run, in seconds; a longer one is left out unless requested.
const LONGEST_SECONDS: f64 = 120.0;

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

/// Runs the build without counters under callgrind. `program` is the Core of the build with
/// counters, to whose bindings the instructions are assigned. `wall_seconds` is the duration of the
/// plain program.
///
/// # Errors
///
/// When the instructions are not known.
pub fn executed(
    launcher: &mut Launcher,
    plain: &BuiltProgram,
    run: &Run,
    program: &Program,
    wall_seconds: f64,
) -> Result<Instructions, Unexecuted> {
    let missing = |reason: String| Unexecuted::Missing(reason);
    let expected = wall_seconds * SLOWER;
    if expected > LONGEST_SECONDS {
        return Err(missing(format!(
            "the program takes {}, and under callgrind some {} times as long",
            duration(wall_seconds),
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
    let allocated_bytes = Costs::from_program(program).coverage().instrumented_bytes;
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
