//! What is found about the orders of a suite, as it is reported.

use serde::{Deserialize, Serialize};
use stats::{carry_over, waiting};

use crate::judge::orders::Seat;
use crate::metric::{
    ALLOCATED_PER_ITERATION, CLOCK_RATE, COPIED_PER_ITERATION, FAULTS_PER_ITERATION,
    GC_TIME_PER_ITERATION, MetricId, PEAK_RSS, SYSTEM_TIME_PER_ITERATION,
};

/// The level at which a reading goes along, corrected for all readings.
const ALPHA: f64 = 0.05;

/// How well a reading must tell the groups apart to be named: by how much the share of pairs that
/// agree with it exceeds the share of those that do not.
const LEAST_STRENGTH: f64 = 0.8;

/// What a benchmark depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// On not being the first of its process.
    NotFirst,
    /// On how many benchmarks came before.
    Place,
    /// On this one, by its place in the suite, having run just before.
    JustAfter(usize),
    /// On this one, by its place in the suite, having run at any time before.
    After(usize),
}

impl From<carry_over::Cause> for Cause {
    fn from(cause: carry_over::Cause) -> Self {
        match cause {
            carry_over::Cause::NotFirst => Self::NotFirst,
            carry_over::Cause::Place => Self::Place,
            carry_over::Cause::JustAfter(other) => Self::JustAfter(other),
            carry_over::Cause::After(other) => Self::After(other),
        }
    }
}

impl Cause {
    /// Which benchmark it is that had run before, if a certain one.
    fn other(self) -> Option<usize> {
        match self {
            Self::JustAfter(other) | Self::After(other) => Some(other),
            Self::NotFirst | Self::Place => None,
        }
    }

    /// Whether it is present wherever this one had run before.
    fn is_of(self, benchmark: usize) -> bool {
        self.other().is_none_or(|other| other == benchmark)
    }
}

/// A reading that goes along with what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Companion {
    /// Which.
    pub metric: MetricId,
    /// Its median where the cause is absent, or in the fast regime.
    pub without: f64,
    /// Its median where the cause is present, or in the slow regime.
    pub with: f64,
    /// The probability that one of the latter exceeds one of the former.
    pub area: f64,
    /// For "which process had which was a matter of chance", corrected for all readings asked.
    pub p_value: f64,
}

/// A benchmark that depends on what ran before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Dependence {
    /// Which program, by its place.
    pub program: usize,
    /// Which benchmark, by its place in the suite.
    pub benchmark: usize,
    /// What it depends on.
    pub cause: Cause,
    /// What explains the readings nearly as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub or_else: Vec<Cause>,
    /// The median of its times without the cause, in seconds per iteration.
    pub without: f64,
    /// The median of its times with the cause, in seconds per iteration.
    pub with: f64,
    /// By which factor the cause changes its time.
    pub ratio: f64,
    /// The lower end of the factor's interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// For "depends on nothing", corrected for all causes and benchmarks.
    pub p_value: f64,
    /// How many processes it rests on.
    pub processes: usize,
    /// What goes along with it, the most telling first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub companions: Vec<Companion>,
}

impl Dependence {
    /// What it depends on, as well as can be told.
    fn causes(&self) -> impl Iterator<Item = Cause> + '_ {
        std::iter::once(self.cause).chain(self.or_else.iter().copied())
    }

    /// Every benchmark that it is about.
    pub fn benchmarks(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(self.benchmark).chain(self.causes().filter_map(Cause::other))
    }

    /// Whether it may be what shows in how long a benchmark took after another.
    pub fn shows_in(&self, after: &After) -> bool {
        (self.program, self.benchmark) == (after.program, after.benchmark)
            && self.causes().any(|cause| cause.is_of(after.other))
    }
}

/// How long a benchmark took where another one had run at any time before it in its process. What was
/// measured, and no verdict: who runs after one mostly runs after others as well.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct After {
    /// Which program, by its place.
    pub program: usize,
    /// Which benchmark, by its place in the suite.
    pub benchmark: usize,
    /// Which one had run before it.
    pub other: usize,
    /// Its time then, over that as the first of its process; the median over rounds.
    pub ratio: f64,
    /// In how many rounds it ran both ways.
    pub rounds: usize,
}

/// A benchmark whose processes fall into two regimes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Regimes {
    /// Which program, by its place.
    pub program: usize,
    /// Which benchmark, by its place in the suite.
    pub benchmark: usize,
    /// The median of the fast ones, in seconds per iteration.
    pub fast: f64,
    /// The median of the slow ones, in seconds per iteration.
    pub slow: f64,
    /// Which share of the processes is slow.
    pub slow_share: f64,
    /// How many processes there are.
    pub processes: usize,
    /// For "one mode", corrected for all benchmarks.
    pub p_value: f64,
    /// What differs between them, the most telling first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub companions: Vec<Companion>,
    /// Where the stack begins in the slow ones, where that tells them apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alignment: Option<Alignment>,
}

/// Where the stack of a process begins, as what two regimes go along with: at some of the places in
/// a cache line or a page, which are on a circle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Alignment {
    /// The distance of places that are alike, in bytes: a cache line or a page.
    pub period: u32,
    /// The first place of the slow ones, in bytes behind a multiple of that distance.
    pub from: f64,
    /// Their last place; before the first one where they lie around the multiple itself.
    pub until: f64,
    /// By how much the share of the slow processes that begin there exceeds that of the fast ones.
    pub strength: f64,
    /// For "which process began where was a matter of chance", corrected for both distances.
    pub p_value: f64,
}

/// The distances, in bytes: a line of the caches, and the lower bits of addresses by which a
/// processor suspects that a load needs an earlier store (Intel, *Optimization Reference Manual*,
/// "4-KByte aliasing").
const PERIODS: [u32; 2] = [64, 4096];

/// The level at which places go along. Nobody asked for them, and they are drawn at random: of a
/// hundred benchmarks with regimes of another kind at most one shall have them named.
const ALPHA_OF_PLACES: f64 = 0.01;

/// Where the stacks of slow processes begin, if that tells them from the fast ones: `offsets` are
/// where in a page each process has it, in bytes.
pub(super) fn alignment(in_high: &[bool], offsets: &[Option<f64>]) -> Option<Alignment> {
    let places = |period: &u32| -> Vec<Option<f64>> {
        offsets.iter().map(|offset| offset.map(|at| at % f64::from(*period))).collect()
    };
    let columns: Vec<Vec<Option<f64>>> = PERIODS.iter().map(places).collect();
    let mut found = stats::regimes::around(in_high, &columns).into_iter();
    let tells = |one: &stats::regimes::Around| {
        one.arc.p_value <= ALPHA_OF_PLACES && one.arc.strength >= LEAST_STRENGTH
    };
    let stats::regimes::Around { places, arc } = found.find(tells)?;
    Some(Alignment {
        period: PERIODS[places],
        from: arc.from,
        until: arc.until,
        strength: arc.strength,
        p_value: arc.p_value,
    })
}

/// How much the processes of a program waited for a processor, and what that may explain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Waits {
    /// Which program, by its place.
    pub program: usize,
    /// The mean share of their time in which those with one benchmark waited.
    pub alone: f64,
    /// That of those with many.
    pub in_company: f64,
    /// How many dependences are no larger than that explains.
    pub dependences: usize,
    /// How many pairs of regimes are no farther apart than that explains.
    pub regimes: usize,
}

/// All that is found about the orders of suites.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// The benchmarks that depend on what ran before them, those of each program by how certain that
    /// is.
    pub dependences: Vec<Dependence>,
    /// The benchmarks whose processes fall into two regimes, in the order of the suite.
    pub regimes: Vec<Regimes>,
    /// What was left out because waiting for a processor explains it.
    pub waits: Vec<Waits>,
}

impl Waits {
    /// Whether a factor of times with this interval may be an effect of waiting.
    pub(super) fn explain(&self, low: f64, high: f64) -> bool {
        waiting::explains(self.alone.max(self.in_company), low, high)
    }
}

impl Dependence {
    pub(super) fn new(
        program: usize,
        found: carry_over::Dependence,
        [without, with]: [f64; 2],
        companions: Vec<Companion>,
    ) -> Self {
        Self {
            program,
            benchmark: found.benchmark,
            without,
            with,
            cause: found.cause.into(),
            or_else: found.or_else.into_iter().map(Cause::from).collect(),
            ratio: found.ratio,
            low: found.low,
            high: found.high,
            p_value: found.p_value,
            processes: found.processes,
            companions,
        }
    }
}

impl Regimes {
    /// Whether this dependence is the reason: it makes most of the difference.
    pub fn is_explained_by(&self, dependence: &Dependence) -> bool {
        let is_its = (self.program, self.benchmark) == (dependence.program, dependence.benchmark);
        is_its && stats::regimes::is_most_of(dependence.ratio, self.fast, self.slow)
    }

    pub(super) fn new(
        seat: Seat,
        processes: usize,
        found: &stats::regimes::Regimes,
        companions: Vec<Companion>,
        alignment: Option<Alignment>,
    ) -> Self {
        Self {
            alignment,
            program: seat.program,
            benchmark: seat.benchmark,
            fast: found.low.median,
            slow: found.high.median,
            slow_share: found.high.share,
            processes,
            p_value: found.p_value,
            companions,
        }
    }
}

/// What a companion has to be measured by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    /// How long an iteration takes without the cause, and with it, in seconds.
    pub(super) seconds: [f64; 2],
    /// How many iterations a process makes, where that is known.
    pub(super) iterations: Option<f64>,
    /// How many page faults a process has at most by starting, and how many seconds in the kernel.
    pub(super) by_starting: [f64; 2],
}

/// The companions that are worth naming: those that tell the groups apart, and may be why.
pub(super) fn named(
    companions: &[stats::regimes::Companion],
    metrics: &[MetricId],
    scale: &Scale,
) -> Vec<Companion> {
    let tells = |one: &&stats::regimes::Companion| {
        one.area.p_value <= ALPHA
            && one.area.strength() >= LEAST_STRENGTH
            && scale.may_be_why(&metrics[one.reading], [one.in_low, one.in_high])
    };
    let companion = |one: &stats::regimes::Companion| Companion {
        metric: metrics[one.reading].clone(),
        without: one.in_low,
        with: one.in_high,
        area: one.area.area,
        p_value: one.area.p_value,
    };
    companions.iter().filter(tells).map(companion).collect()
}

/// The longest that a page fault takes that needs no disk, in seconds: a virtual machine on a busy
/// processor. Without either it is a tenth.
const MOST_SECONDS_A_FAULT: f64 = 5e-6;

/// The longest that a byte takes which is allocated or copied, in seconds: from the memory, one
/// word at a time.
const MOST_SECONDS_A_BYTE: f64 = 1e-8;

/// Less than this part of the difference explains nothing of it.
const LEAST_PART: f64 = 0.2;

impl Scale {
    /// Whether a metric with these values, without the cause and with it, may be why. What costs
    /// something must be more where it is slower; where it is known how much it costs at most, it
    /// must be enough. Where it is less, and is what a process used, it must be less by more than
    /// starting takes: one that ran another benchmark first had done that by then.
    fn may_be_why(&self, id: &MetricId, [without, with]: [f64; 2]) -> bool {
        if *id == PEAK_RSS {
            return true;
        }
        if *id == CLOCK_RATE {
            // So many seconds the same cycles take at the other rate.
            let more = self.seconds[0] * (without / with - 1.0);
            return more * self.difference() > 0.0 && self.is_enough(more);
        }
        let more = with - without;
        let is_enough = |seconds: f64| self.is_enough(seconds);
        let is_beyond_start = |by_starting: f64| {
            let less = self.iterations.map(|iterations| -more * iterations);
            more > 0.0 || less.is_none_or(|less| less > by_starting)
        };
        let is_why = if *id == FAULTS_PER_ITERATION {
            is_enough(more * MOST_SECONDS_A_FAULT) && is_beyond_start(self.by_starting[0])
        } else if *id == SYSTEM_TIME_PER_ITERATION {
            is_enough(more) && is_beyond_start(self.by_starting[1])
        } else if *id == GC_TIME_PER_ITERATION {
            is_enough(more)
        } else if [ALLOCATED_PER_ITERATION, COPIED_PER_ITERATION].contains(id) {
            is_enough(more * MOST_SECONDS_A_BYTE)
        } else {
            true
        };
        is_why && more * self.difference() > 0.0
    }

    /// How much longer an iteration takes with the cause, in seconds.
    fn difference(&self) -> f64 {
        self.seconds[1] - self.seconds[0]
    }

    fn is_enough(&self, seconds: f64) -> bool {
        seconds.abs() >= LEAST_PART * self.difference().abs()
    }
}
