//! Proposals that counting refutes: one run of each side under callgrind, where that is cheaper than
//! rounds.

use std::collections::BTreeMap;

use explain::instructions::profiling::{Counts, Profiling, ProfilingError};
use findings::instructions::file_name;
use judge::trial::{FunctionCounts, refuted_by_counts};
use measure::Launcher;
use model::failure::Failure;
use model::spec::Experiment;
use model::verdict::Margin;
use run::attendant::Attendant as _;
use run::instrument::valgrind::Callgrind;

use super::attending::Rounds;

/// The slowdown factor of callgrind.
const SLOWDOWN: f64 = 40.0;

/// The part of the time for rounds that counting may take. Arbitrary: most proposals that are worse do
/// something more, but not all.
const SHARE: f64 = 0.25;

/// The rounds that counting may save.
#[derive(Debug, Clone, Copy)]
pub(super) struct Worth {
    /// The smallest gain that matters.
    pub(super) margin: Margin,
    /// The longest time of the rounds, in seconds.
    pub(super) seconds: f64,
}

/// True if counts show that the proposal cannot be faster. False also where nothing can be counted:
/// rounds decide then.
pub(super) fn is_refuted(
    experiment: &Experiment,
    rounds: &Rounds,
    worth: Worth,
    launcher: &mut Launcher,
) -> Result<bool, Failure> {
    let seconds = rounds.seconds();
    let is_dear = SLOWDOWN * (seconds[0] + seconds[1]) > SHARE * worth.seconds;
    // A proposal that was faster is not refuted by any count.
    if is_dear || seconds[1] < seconds[0] {
        return Ok(false);
    }
    let Ok(callgrind) = Callgrind::new() else { return Ok(false) };
    let mut experiment = experiment.clone();
    for (number, variant) in (0..).zip(&mut experiment.variants) {
        let mut command = variant.run.resolve()?;
        rounds.before(Rounds::untimed(number), &mut command).map_err(Failure::new)?;
        variant.run.env = command.env;
    }
    let mut profiling = Profiling::new(&experiment, launcher, callgrind);
    let mut sides = Vec::new();
    for variant in 0..experiment.variants.len() {
        match profiling.counts(variant) {
            Ok(counts) => sides.push(counts),
            Err(ProfilingError::Interrupted) => return Err(Failure::new("interrupted")),
            Err(_) => return Ok(false),
        }
    }
    Ok(refuted_by_counts(&by_function(&sides), worth.margin, seconds))
}

/// The counts of each function in both programs.
fn by_function(sides: &[Counts]) -> Vec<FunctionCounts> {
    let mut all: BTreeMap<(&str, &str), FunctionCounts> = BTreeMap::new();
    for (side, counts) in sides.iter().enumerate() {
        for one in &counts.functions {
            let object = file_name(&one.object);
            let both = all.entry((object, one.name.as_str())).or_default();
            both.is_of_library = object.contains(".so");
            *(if side == 0 { &mut both.old } else { &mut both.new }) += one.count;
        }
    }
    all.into_values().collect()
}
