//! The findings about the orders of a suite, as reported.

use serde::{Deserialize, Serialize};
use stats::{carry_over, waiting};

use model::metric::{
    ALLOCATED_PER_ITERATION, CLOCK_RATE, COPIED_PER_ITERATION, FAULTS_PER_ITERATION,
    GC_TIME_PER_ITERATION, MetricId, PEAK_RSS, SYSTEM_TIME_PER_ITERATION,
};
use model::spec::suite::Seat;

/// The level at which a companion counts as significant, corrected for all readings.
const ALPHA: f64 = 0.05;

/// The smallest strength with which a reading must separate the groups to be named: the share of
/// pairs that agree with it minus the share of those that do not.
const LEAST_STRENGTH: f64 = 0.8;

/// The cause that a benchmark's time depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Not being the first of its process.
    NotFirst,
    /// The number of benchmarks that ran before.
    Place,
    /// This benchmark, by its index in the suite, having run immediately before.
    JustAfter(usize),
    /// This benchmark, by its index in the suite, having run at any time before.
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
    /// The benchmark that had run before, if the cause names one.
    fn other(self) -> Option<usize> {
        match self {
            Self::JustAfter(other) | Self::After(other) => Some(other),
            Self::NotFirst | Self::Place => None,
        }
    }

    /// True if the cause is present in every process in which `benchmark` had run before.
    fn is_of(self, benchmark: usize) -> bool {
        self.other().is_none_or(|other| other == benchmark)
    }
}

/// A reading that correlates with a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Companion {
    /// The metric.
    pub metric: MetricId,
    /// Its median where the cause is absent, or in the fast regime.
    pub without: f64,
    /// Its median where the cause is present, or in the slow regime.
    pub with: f64,
    /// The probability that a reading with the cause exceeds one without it.
    pub area: f64,
    /// The p-value for "which process had which reading was chance", corrected for all readings
    /// tested.
    pub p_value: f64,
}

/// A benchmark that depends on what ran before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Dependence {
    /// The program, by its index.
    pub program: usize,
    /// The benchmark, by its index in the suite.
    pub benchmark: usize,
    /// The cause.
    pub cause: Cause,
    /// Other causes that explain the readings nearly as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub or_else: Vec<Cause>,
    /// The median of its times without the cause, in seconds per iteration.
    pub without: f64,
    /// The median of its times with the cause, in seconds per iteration.
    pub with: f64,
    /// The factor by which the cause changes its time.
    pub ratio: f64,
    /// The lower end of the factor's interval.
    pub low: f64,
    /// The upper end of the factor's interval.
    pub high: f64,
    /// The p-value for "depends on nothing", corrected for all causes and benchmarks.
    pub p_value: f64,
    /// The number of processes it is based on.
    pub processes: usize,
    /// The readings that correlate with it, the strongest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub companions: Vec<Companion>,
}

impl Dependence {
    /// All causes that explain the readings about equally well.
    fn causes(&self) -> impl Iterator<Item = Cause> + '_ {
        std::iter::once(self.cause).chain(self.or_else.iter().copied())
    }

    /// All benchmarks involved.
    pub fn benchmarks(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(self.benchmark).chain(self.causes().filter_map(Cause::other))
    }

    /// True if it may explain the time of a benchmark after another one.
    pub fn shows_in(&self, after: &After) -> bool {
        (self.program, self.benchmark) == (after.program, after.benchmark)
            && self.causes().any(|cause| cause.is_of(after.other))
    }
}

/// The time of a benchmark with another one having run at any time before it in its process. A
/// measurement, not a verdict: a benchmark that runs after one mostly runs after others as well.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct After {
    /// The program, by its index.
    pub program: usize,
    /// The benchmark, by its index in the suite.
    pub benchmark: usize,
    /// The benchmark that had run before it.
    pub other: usize,
    /// Its time then, over its time as the first of its process; the median over rounds.
    pub ratio: f64,
    /// The number of rounds in which it ran both ways.
    pub rounds: usize,
}

/// A benchmark whose processes fall into two regimes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Regimes {
    /// The program, by its index.
    pub program: usize,
    /// The benchmark, by its index in the suite.
    pub benchmark: usize,
    /// The median of the fast processes, in seconds per iteration.
    pub fast: f64,
    /// The median of the slow processes, in seconds per iteration.
    pub slow: f64,
    /// The share of processes that are slow.
    pub slow_share: f64,
    /// The number of processes.
    pub processes: usize,
    /// The p-value for "one mode", corrected for all benchmarks.
    pub p_value: f64,
    /// The readings that differ between them, the strongest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub companions: Vec<Companion>,
    /// The stack positions of the slow processes, if they set them apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alignment: Option<Alignment>,
}

/// The stack positions that separate two regimes: an arc of the offsets within a cache line or a
/// page, which form a circle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Alignment {
    /// The period after which offsets are equivalent, in bytes: a cache line or a page.
    pub period: u32,
    /// The first offset of the slow processes, in bytes after a multiple of the period.
    pub from: f64,
    /// Their last offset; less than the first if the arc crosses the multiple itself.
    pub until: f64,
    /// The share of the slow processes that begin there minus that of the fast ones.
    pub strength: f64,
    /// The p-value for "the offsets of the processes were chance", corrected for both periods.
    pub p_value: f64,
}

/// The periods, in bytes: a cache line, and the lower bits of addresses by which a processor
/// suspects that a load depends on an earlier store (Intel, *Optimization Reference Manual*,
/// "4-KByte aliasing").
const PERIODS: [u32; 2] = [64, 4096];

/// The level at which offsets count as significant. They are random and were not requested: of a
/// hundred benchmarks with regimes of another kind, at most one may have its offsets named.
const ALPHA_OF_PLACES: f64 = 0.01;

/// The stack positions of slow processes, if they set them apart from the fast ones. `offsets` are
/// the offsets of the processes' stacks within a page, in bytes.
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

/// The time that the processes of a program waited for a processor, and the findings it may
/// explain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Waits {
    /// The program, by its index.
    pub program: usize,
    /// The mean share of time spent waiting by processes with one benchmark.
    pub alone: f64,
    /// The same for processes with many benchmarks.
    pub in_company: f64,
    /// The number of dependences small enough to be explained by it.
    pub dependences: usize,
    /// The number of regime pairs close enough to be explained by it.
    pub regimes: usize,
}

/// All findings about the orders of suites.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// The benchmarks that depend on what ran before them, those of each program in order of
    /// certainty.
    pub dependences: Vec<Dependence>,
    /// The benchmarks whose processes fall into two regimes, in the order of the suite.
    pub regimes: Vec<Regimes>,
    /// The findings left out because waiting for a processor explains them.
    pub waits: Vec<Waits>,
}

impl Waits {
    /// True if a ratio of times with this interval may be caused by waiting.
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
    /// True if this dependence is the reason: it makes most of the difference.
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

/// The scale by which companions are judged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    /// The time of an iteration without the cause and with it, in seconds.
    pub(super) seconds: [f64; 2],
    /// The number of iterations of a process, if known.
    pub(super) iterations: Option<f64>,
    /// The largest number of page faults, and of seconds in the kernel, that starting a process
    /// takes.
    pub(super) by_starting: [f64; 2],
}

/// The companions worth naming: those that separate the groups and may be the reason.
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

/// The longest time of a page fault without disk access, in seconds: in a virtual machine on a busy
/// processor. Without either it is a tenth of this.
const MOST_SECONDS_A_FAULT: f64 = 5e-6;

/// The longest time to allocate or copy a byte, in seconds: from memory, one word at a time.
const MOST_SECONDS_A_BYTE: f64 = 1e-8;

/// The smallest part of the difference that counts as an explanation.
const LEAST_PART: f64 = 0.2;

impl Scale {
    /// True if a metric with these values, without the cause and with it, may be the reason. A cost
    /// must be higher where the time is longer; if its maximum price is known, it must be large
    /// enough. Where a process's resource use is lower, it must be lower by more than starting
    /// takes: a process that ran another benchmark first had already started by then.
    fn may_be_why(&self, id: &MetricId, [without, with]: [f64; 2]) -> bool {
        if *id == PEAK_RSS {
            return true;
        }
        if *id == CLOCK_RATE {
            // The extra seconds that the same cycles take at the other clock rate.
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

    /// The extra time of an iteration with the cause, in seconds.
    fn difference(&self) -> f64 {
        self.seconds[1] - self.seconds[0]
    }

    fn is_enough(&self, seconds: f64) -> bool {
        seconds.abs() >= LEAST_PART * self.difference().abs()
    }
}
