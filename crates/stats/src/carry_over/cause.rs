//! The possible causes of a benchmark's result, as columns of numbers.

use super::aligned::Aligned;
use super::{Process, Ran};

/// A cause of a benchmark's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// Not being the first of its process, after any predecessors.
    NotFirst,
    /// The number of benchmarks before it: the effect is that of the whole suite.
    Place,
    /// A certain benchmark having run just before.
    JustAfter(usize),
    /// A certain benchmark having run at any time before.
    After(usize),
}

impl Cause {
    /// The amount of the cause, from 0 to 1, for the benchmark at `place` of those that a process
    /// `ran`; `suite` is the number of benchmarks.
    pub(super) fn presence(self, ran: &[Ran], place: usize, suite: usize) -> f64 {
        let is = |ran: &Ran, benchmark: usize| ran.benchmark == benchmark;
        let present = match self {
            Self::NotFirst => place > 0,
            Self::Place => return place as f64 / (suite.max(2) - 1) as f64,
            Self::JustAfter(other) => place > 0 && is(&ran[place - 1], other),
            Self::After(other) => ran[..place].iter().any(|ran| is(ran, other)),
        };
        f64::from(u8::from(present))
    }

    /// The kind of cause. The causes of one kind share its part of the level evenly, so that the
    /// many pairs of benchmarks do not cost the two single causes their power.
    fn kind(self) -> usize {
        match self {
            Self::NotFirst => 0,
            Self::Place => 1,
            Self::JustAfter(_) => 2,
            Self::After(_) => 3,
        }
    }
}

/// The presence of a cause in the processes of one benchmark.
pub(super) struct Column {
    pub(super) cause: Cause,
    /// By process.
    pub(super) presence: Vec<f64>,
    /// The same about its means within rounds.
    pub(super) centred: Vec<f64>,
    /// The lower bound of its p-values.
    pub(super) least_p: f64,
    /// Its part of the benchmark's level, up to a common factor.
    pub(super) weight: f64,
}

/// The minimum number of processes with, and without, a cause for it to be judged.
const FEWEST: usize = 3;

/// The columns of all causes that can be judged for a benchmark, given the processes that ran it
/// and its place in each.
pub(super) fn columns(
    with_it: &[(&Process, usize)],
    suite: usize,
    readings: &Aligned,
) -> Vec<Column> {
    let pairs = (0..suite).flat_map(|other| [Cause::JustAfter(other), Cause::After(other)]);
    let mut columns: Vec<Column> = [Cause::NotFirst, Cause::Place]
        .into_iter()
        .chain(pairs)
        .map(|cause| {
            let one =
                |(process, place): &(&Process, usize)| cause.presence(&process.ran, *place, suite);
            let presence: Vec<f64> = with_it.iter().map(one).collect();
            let (centred, least_p) = (readings.centred(&presence), readings.least_p(&presence));
            Column { cause, presence, centred, least_p, weight: 1.0 }
        })
        .filter(|column| can_be_judged(&column.centred))
        .collect();
    let mut of_kind = [0.0; 4];
    for column in &columns {
        of_kind[column.cause.kind()] += 1.0;
    }
    for column in &mut columns {
        column.weight = 1.0 / of_kind[column.cause.kind()];
    }
    columns
}

/// True if a cause differs within rounds, and enough processes have more of it than average and
/// enough have less.
fn can_be_judged(centred: &[f64]) -> bool {
    let beyond = |sign: f64| centred.iter().filter(|value| sign * **value > 1e-9).count();
    beyond(1.0) >= FEWEST && beyond(-1.0) >= FEWEST
}
