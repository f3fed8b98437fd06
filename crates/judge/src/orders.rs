//! The effect of a suite's order on its benchmarks.
//!
//! A process of a suite runs one or many benchmarks, in some order. The benchmarks that depend on
//! what ran before them, and those that fall into two regimes, are found from all processes
//! together ([`stats::carry_over`], [`stats::regimes`]). Then every other reading of the same
//! processes is tested for correlation: page faults in all slow processes of a benchmark, and in
//! none of its fast ones, reveal the cause.

use model::metric::{
    ALLOCATED_PER_ITERATION, CLOCK_RATE, COLLECTIONS_PER_ITERATION, COPIED_PER_ITERATION,
    FAULTS_PER_ITERATION, GC_TIME_PER_ITERATION, ITERATIONS, MINOR_FAULTS, MetricId, PEAK_RSS,
    STACK_OFFSET, SYSTEM_TIME, SYSTEM_TIME_PER_ITERATION, Source, TIME_PER_ITERATION, WAIT_SHARE,
};
use model::run::Run;
use model::spec::suite::Seat;
use serde::{Deserialize, Serialize};
use stats::carry_over::{Process, Ran};
use stats::{carry_over, family};
use std::collections::BTreeMap;

/// The number of possible companions.
const READINGS: usize = 8;

/// The possible companions of a dependence or a regime; of several equally strong ones, the earlier
/// one explains more.
const COMPANIONS: [MetricId; READINGS] = [
    FAULTS_PER_ITERATION,
    COLLECTIONS_PER_ITERATION,
    COPIED_PER_ITERATION,
    GC_TIME_PER_ITERATION,
    ALLOCATED_PER_ITERATION,
    SYSTEM_TIME_PER_ITERATION,
    PEAK_RSS,
    CLOCK_RATE,
];

/// The share of the permitted error for dependences, and for regimes. Neither was requested, so
/// fewer than one suite in twenty may have a false one.
const SHARE_OF_ERROR: f64 = 0.2;

/// The largest number of a program's benchmarks whose times after each other are reported.
const MOST_PAIRED: usize = 24;

/// A benchmark in a process.
#[derive(Debug, Clone, Copy)]
struct Reading {
    position: u32,
    benchmark: usize,
    seconds: f64,
    iterations: Option<f64>,
    wait_share: Option<f64>,
    /// The offset within a page at which the stack of its process began.
    stack_offset: Option<f64>,
    /// The shared resources used by its process as a whole, if it ran alone.
    process: [Option<f64>; 2],
    companions: [Option<f64>; READINGS],
}

/// A process, with its benchmarks.
#[derive(Debug, Clone)]
struct Sitting {
    round: u32,
    readings: Vec<Reading>,
}

/// The key of a process: its program, whether it is a follow-up, its round, and its start.
type Key = (usize, bool, u32, u64);

/// The processes of a suite.
#[derive(Debug)]
pub struct Orders {
    seats: Vec<Seat>,
    processes: BTreeMap<Key, Vec<Reading>>,
}

impl Orders {
    /// Creates it without processes; `seats` has the seat of each variant.
    pub fn new(seats: Vec<Seat>) -> Self {
        Self { seats, processes: BTreeMap::new() }
    }

    /// Adds a run. Warm-up runs and runs without a measurement are ignored.
    pub fn take(&mut self, run: &Run) {
        let seat = self.seats.get(run.place.variant as usize).copied();
        let value = |id: &MetricId| run.readings.get(id).and_then(|value| value.as_ref().ok());
        let (Some(seat), Some(&seconds)) = (seat, value(&TIME_PER_ITERATION)) else { return };
        if run.place.warmup || !(seconds.is_finite() && seconds > 0.0) {
            return;
        }
        let follows_up = match run.place.source {
            Source::Run => false,
            Source::FollowUp => true,
            Source::Runtime | Source::Valgrind | Source::Sampled => return,
        };
        let key = (seat.program, follows_up, run.place.round, run.started_unix_ns);
        self.processes.entry(key).or_default().push(Reading {
            position: run.place.position,
            benchmark: seat.benchmark,
            seconds,
            iterations: value(&ITERATIONS).copied(),
            wait_share: value(&WAIT_SHARE).copied(),
            stack_offset: value(&STACK_OFFSET).copied(),
            process: [MINOR_FAULTS, SYSTEM_TIME].map(|id| value(&id).copied()),
            companions: COMPANIONS.each_ref().map(|id| value(id).copied()),
        });
    }

    /// All findings; `confidence` is that of all verdicts together. Processes that wait for a
    /// processor are slower, and longer ones wait more: findings explained by this are left out,
    /// and counted for each program.
    pub fn findings(&self, confidence: f64) -> Findings {
        let mut findings = Findings { regimes: self.regimes(confidence), ..Findings::default() };
        for program in 0..self.programs() {
            let mut waits = self.waits_of(program);
            let mut found = self.dependences_of(program, self.alpha(confidence));
            waits.dependences = leave_out(&mut found, |one| waits.explain(one.low, one.high));
            findings.dependences.append(&mut found);
            waits.regimes = leave_out(&mut findings.regimes, |one| {
                let apart = one.slow / one.fast;
                // The stack position is random and does not depend on waiting.
                let is_drawn = one.alignment.is_some();
                one.program == program && !is_drawn && waits.explain(apart, apart)
            });
            findings.waits.extend(Some(waits).filter(|one| one.dependences + one.regimes > 0));
        }
        findings
    }

    /// The time of each benchmark after each other one. Of too many benchmarks, those involved in a
    /// dependence are chosen, then those that differ most.
    pub fn pairs(&self, found: &[Dependence]) -> Vec<After> {
        let of_program = |program: usize| {
            let all = carry_over::after(&processes(&self.sittings(program, false)));
            let mut chosen: Vec<usize> = Vec::new();
            let its = found.iter().filter(|one| one.program == program);
            let mut by_size: Vec<&carry_over::After> = all.iter().collect();
            by_size.sort_by(|a, b| b.ratio.ln().abs().total_cmp(&a.ratio.ln().abs()));
            let by_size = by_size.into_iter().flat_map(|one| [one.benchmark, one.other]);
            for benchmark in its.flat_map(Dependence::benchmarks).chain(by_size) {
                if chosen.len() < MOST_PAIRED && !chosen.contains(&benchmark) {
                    chosen.push(benchmark);
                }
            }
            let is_chosen = move |one: &carry_over::After| {
                chosen.contains(&one.benchmark) && chosen.contains(&one.other)
            };
            let pair = move |carry_over::After { benchmark, other, ratio, rounds }| After {
                program,
                benchmark,
                other,
                ratio,
                rounds,
            };
            all.into_iter().filter(is_chosen).map(pair)
        };
        (0..self.programs()).flat_map(of_program).collect()
    }

    /// The waiting times of a program's processes.
    fn waits_of(&self, program: usize) -> Waits {
        let sittings = self.sittings(program, false);
        let share = |is_alone: bool| {
            let those = sittings.iter().filter(|one| (one.readings.len() == 1) == is_alone);
            let shares: Vec<f64> =
                those.filter_map(|one| one.readings.first()?.wait_share).collect();
            stats::describe::summarise(&shares).map_or(0.0, |summary| summary.mean)
        };
        Waits { program, alone: share(true), in_company: share(false), dependences: 0, regimes: 0 }
    }

    fn dependences_of(&self, program: usize, alpha: f64) -> Vec<Dependence> {
        let mut processes = processes(&self.sittings(program, false));
        // If each benchmark had the same predecessors in all rounds, nothing can be found.
        let found = carry_over::carry_over(&processes, alpha).unwrap_or_default();
        // Follow-up runs were chosen by the findings, so they explain but do not judge.
        processes.extend(self::processes(&self.sittings(program, true)));
        let sittings = [self.sittings(program, false), self.sittings(program, true)].concat();
        let by_starting = by_starting(&sittings);
        let one = |found: carry_over::Dependence| {
            let readings = (0..READINGS).map(|number| {
                let of = |sitting: &Sitting| sitting.companion(found.benchmark, number);
                sittings.iter().map(of).collect()
            });
            let readings: Vec<Vec<Option<f64>>> = readings.collect();
            let along = carry_over::goes_along(&processes, &found, &readings);
            let seconds = |sitting: &Sitting| Some(sitting.reading(found.benchmark)?.seconds);
            let seconds = vec![sittings.iter().map(seconds).collect()];
            let times = carry_over::goes_along(&processes, &found, &seconds);
            let [without, with] =
                times.first().map_or([0.0; 2], |time| [time.in_low, time.in_high]);
            let its: Vec<Reading> =
                sittings.iter().filter_map(|one| one.reading(found.benchmark)).copied().collect();
            let companions = named(&along, &scale(&its, [without, with], by_starting));
            Dependence {
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
        };
        found.into_iter().map(one).collect()
    }

    /// The benchmarks whose processes fall into two regimes, in the order of the suite.
    fn regimes(&self, confidence: f64) -> Vec<Regimes> {
        let mut found: Vec<Regimes> = Vec::new();
        let mut seats: Vec<Seat> = self.seats.clone();
        seats.sort_unstable();
        seats.dedup();
        for &seat in &seats {
            let sittings = self.sittings(seat.program, false);
            let readings: Vec<Reading> =
                sittings.iter().filter_map(|one| one.reading(seat.benchmark)).copied().collect();
            found.extend(regimes_of(seat, &readings));
        }
        // Benchmarks with one mode are comparisons of the family, too.
        let p_values = found.iter().map(|one| one.p_value);
        let all: Vec<f64> =
            p_values.chain(std::iter::repeat_n(1.0, seats.len() - found.len())).collect();
        for (one, p_value) in found.iter_mut().zip(family::holm(&all)) {
            one.p_value = p_value;
        }
        found.retain(|one| one.p_value <= (1.0 - confidence) * SHARE_OF_ERROR);
        found
    }

    /// The level for the suite of each program.
    fn alpha(&self, confidence: f64) -> f64 {
        (1.0 - confidence) * SHARE_OF_ERROR / self.programs().max(1) as f64
    }

    fn programs(&self) -> usize {
        self.seats.iter().map(|seat| seat.program + 1).max().unwrap_or(0)
    }

    /// The processes of a program, each with its benchmarks in the order in which they ran.
    fn sittings(&self, program: usize, follows_up: bool) -> Vec<Sitting> {
        let from = (program, follows_up, 0, 0);
        let until = (program, follows_up, u32::MAX, u64::MAX);
        let of_program = self.processes.range(from..=until);
        of_program
            .map(|(&(_, _, round, _), readings)| {
                let mut readings = readings.clone();
                readings.sort_by_key(|reading| reading.position);
                Sitting { round, readings }
            })
            .collect()
    }
}

impl Sitting {
    fn reading(&self, benchmark: usize) -> Option<&Reading> {
        self.readings.iter().find(|reading| reading.benchmark == benchmark)
    }

    fn companion(&self, benchmark: usize, number: usize) -> Option<f64> {
        self.reading(benchmark)?.companions[number]
    }
}

/// Removes the explained findings, and returns their number.
fn leave_out<T>(all: &mut Vec<T>, is_explained: impl Fn(&T) -> bool) -> usize {
    let before = all.len();
    all.retain(|one| !is_explained(one));
    before - all.len()
}

fn processes(sittings: &[Sitting]) -> Vec<Process> {
    let ran =
        |reading: &Reading| Ran { benchmark: reading.benchmark, per_iteration: reading.seconds };
    let process = |sitting: &Sitting| Process {
        round: sitting.round as usize,
        ran: sitting.readings.iter().map(ran).collect(),
    };
    sittings.iter().map(process).collect()
}

/// The regimes of a benchmark, with the readings that differ between them.
fn regimes_of(seat: Seat, readings: &[Reading]) -> Option<Regimes> {
    let seconds: Vec<f64> = readings.iter().map(|reading| reading.seconds).collect();
    let found = stats::regimes::regimes(&seconds)?;
    let values = |number: usize| readings.iter().map(|one| one.companions[number]).collect();
    let columns: Vec<Vec<Option<f64>>> = (0..READINGS).map(values).collect();
    let companions = stats::regimes::companions(&found.in_high, &columns);
    let scale = scale(readings, [found.low.median, found.high.median], [0.0; 2]);
    let offsets: Vec<Option<f64>> = readings.iter().map(|one| one.stack_offset).collect();
    Some(Regimes {
        program: seat.program,
        benchmark: seat.benchmark,
        fast: found.low.median,
        slow: found.high.median,
        slow_share: found.high.share,
        processes: readings.len(),
        p_value: found.p_value,
        companions: named(&companions, &scale),
        alignment: alignment(&found.in_high, &offsets),
    })
}

/// The scale for the companions of a benchmark whose iterations take `seconds` without the cause
/// and with it, if a process uses at most `by_starting` page faults and seconds in the kernel.
fn scale(readings: &[Reading], seconds: [f64; 2], by_starting: [f64; 2]) -> Scale {
    let iterations: Vec<f64> = readings.iter().filter_map(|reading| reading.iterations).collect();
    let iterations = stats::describe::summarise(&iterations).map(|summary| summary.median);
    Scale { seconds, iterations, by_starting }
}

/// The smallest resource use of a process that ran one benchmark: starting a process, and its work
/// before the first benchmark, takes no more.
fn by_starting(sittings: &[Sitting]) -> [f64; 2] {
    [0, 1].map(|index| {
        let readings = sittings.iter().flat_map(|sitting| &sitting.readings);
        readings.filter_map(|reading| reading.process[index]).reduce(f64::min).unwrap_or(0.0)
    })
}

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
fn alignment(in_high: &[bool], offsets: &[Option<f64>]) -> Option<Alignment> {
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
    fn explain(&self, low: f64, high: f64) -> bool {
        carry_over::waiting_explains(self.alone.max(self.in_company), low, high)
    }
}

impl Regimes {
    /// True if this dependence is the reason: it makes most of the difference.
    pub fn is_explained_by(&self, dependence: &Dependence) -> bool {
        let is_its = (self.program, self.benchmark) == (dependence.program, dependence.benchmark);
        is_its && stats::regimes::is_most_of(dependence.ratio, self.fast, self.slow)
    }
}

/// The scale by which companions are judged.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// The time of an iteration without the cause and with it, in seconds.
    seconds: [f64; 2],
    /// The number of iterations of a process, if known.
    iterations: Option<f64>,
    /// The largest number of page faults, and of seconds in the kernel, that starting a process
    /// takes.
    by_starting: [f64; 2],
}

/// The companions worth naming: those that separate the groups and may be the reason.
fn named(companions: &[stats::regimes::Companion], scale: &Scale) -> Vec<Companion> {
    let tells = |one: &&stats::regimes::Companion| {
        one.area.p_value <= ALPHA
            && one.area.strength() >= LEAST_STRENGTH
            && scale.may_be_why(&COMPANIONS[one.reading], one.in_low, one.in_high)
    };
    let companion = |one: &stats::regimes::Companion| Companion {
        metric: COMPANIONS[one.reading].clone(),
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
    fn may_be_why(&self, id: &MetricId, without: f64, with: f64) -> bool {
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

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use measure::Outcome;

    use super::*;
    use model::metric::{ITERATIONS, Missing, Readings, Value};
    use model::run::RunPlace;

    /// Two programs with the benchmarks 0 and 1, each alone (variants 0 to 3) and together (4 to 7).
    fn seats() -> Vec<Seat> {
        let of = |number: usize| Seat { program: number / 2 % 2, benchmark: number % 2 };
        (0..8).map(of).collect()
    }

    fn run(place: RunPlace, started_unix_ns: u64, readings: Vec<(MetricId, Value)>) -> Run {
        Run {
            place,
            started_unix_ns,
            outcome: Outcome::Exited(0),
            readings: readings.into_iter().collect::<Readings>(),
            left_behind: 0,
            stderr_tail: None,
        }
    }

    /// A small difference between processes, the same in every test: 0 to 1 %.
    fn jitter(number: u32) -> f64 {
        f64::from(number * 37 % 101) * 1e-4
    }

    /// Twelve rounds in which benchmark 1 of the second program takes `behind` times as long after
    /// benchmark 0, and has `faults` page faults there.
    fn rounds(orders: &mut Orders, behind: f64, faults: f64) {
        for round in 0..12 {
            for variant in 0..8_u32 {
                let seat = seats()[variant as usize];
                let is_behind = variant >= 4 && seat == Seat { program: 1, benchmark: 1 };
                let base = 1e-5 * (1.0 + jitter(round * 8 + variant));
                let [seconds, faults] =
                    if is_behind { [base * behind, faults] } else { [base, 0.0] };
                let started =
                    u64::from(round * 100 + if variant < 4 { variant } else { variant / 2 + 50 });
                let place = RunPlace {
                    source: Source::Run,
                    warmup: false,
                    round,
                    position: variant,
                    variant,
                };
                let readings =
                    vec![(TIME_PER_ITERATION, Ok(seconds)), (FAULTS_PER_ITERATION, Ok(faults))];
                orders.take(&run(place, started, readings));
            }
        }
    }

    #[test]
    fn a_dependence_is_found_in_the_program_that_has_it() {
        let mut orders = Orders::new(seats());
        rounds(&mut orders, 1.5, 32.0);
        let found = orders.findings(0.95).dependences;
        let [only] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((only.program, only.benchmark), (1, 1));
        // With two benchmarks these are the same.
        assert!(only.or_else.contains(&Cause::After(0)) || only.cause == Cause::After(0));
        assert!(only.low > 1.48 && only.high < 1.52, "{only:?}");
        assert!((only.with / only.without - 1.5).abs() < 0.02, "{only:?}");
        let named: Vec<&MetricId> = only.companions.iter().map(|one| &one.metric).collect();
        assert_eq!(named, [&FAULTS_PER_ITERATION]);
        let regimes = orders.findings(0.95).regimes;
        let [regimes] = regimes.as_slice() else { panic!("{regimes:?}") };
        assert!(regimes.is_explained_by(only), "{regimes:?}");
        assert!((regimes.slow_share - 0.5).abs() < 1e-9);
    }

    #[test]
    fn what_cannot_be_why_is_not_named() {
        // A tenth of a fault is not a significant part of 5 µs.
        let mut orders = Orders::new(seats());
        rounds(&mut orders, 1.5, 0.1);
        assert_eq!(orders.findings(0.95).dependences[0].companions, []);
        // Nor do more faults explain a faster time.
        let mut orders = Orders::new(seats());
        rounds(&mut orders, 0.5, 32.0);
        assert_eq!(orders.findings(0.95).dependences[0].companions, []);
    }

    #[test]
    fn what_a_process_uses_by_starting_is_not_why_others_are_faster() {
        let faster =
            Scale { seconds: [2e-6, 1e-6], iterations: Some(100.0), by_starting: [600.0, 1e-3] };
        let named = |more: f64, scale: &Scale| {
            let area = stats::mann_whitney::Area { area: 1.0, p_value: 1e-6 };
            let one =
                stats::regimes::Companion { reading: 0, area, in_low: 9.0, in_high: 9.0 + more };
            named(&[one], scale).len()
        };
        // 5 less in each of a hundred iterations may be due to the start, 7 may not.
        assert_eq!([-5.0, -7.0].map(|more| named(more, &faster)), [0, 1]);
        assert_eq!(named(-5.0, &Scale { iterations: None, ..faster }), 1);
        let slower = Scale { seconds: [1e-6, 2e-6], ..faster };
        assert_eq!([5.0, -7.0].map(|more| named(more, &slower)), [1, 0]);
    }

    #[test]
    fn what_waiting_for_a_processor_explains_is_left_out() {
        // With many benchmarks a process waits for a quarter of its time, alone for a tenth.
        let waiting = |behind: f64| {
            let mut orders = Orders::new(seats());
            rounds(&mut orders, behind, 0.0);
            for readings in orders.processes.values_mut() {
                let share = if readings.len() > 1 { 0.25 } else { 0.1 };
                readings.iter_mut().for_each(|reading| reading.wait_share = Some(share));
            }
            orders
        };
        // Twice a quarter is a half, and a process that waits for half of the time takes twice as long.
        let orders = waiting(1.5);
        let Findings { dependences: found, regimes, waits } = orders.findings(0.95);
        assert_eq!((found, regimes), (Vec::new(), Vec::new()));
        let [waits] = waits[..] else { panic!("{waits:?}") };
        assert_eq!((waits.program, waits.dependences, waits.regimes), (1, 1, 1));
        assert!((waits.in_company - 0.25).abs() < 1e-9 && (waits.alone - 0.1).abs() < 1e-9);
        let orders = waiting(2.5);
        let Findings { dependences: found, regimes, waits } = orders.findings(0.95);
        assert_eq!((found.len(), regimes.len(), waits), (1, 1, Vec::new()));
        let faster = waiting(0.7);
        assert_eq!(faster.findings(0.95).dependences, []);
    }

    /// Eighty processes that waited for much of their time, a quarter of them half as slow again:
    /// either those with one of four stack positions, or others.
    #[test]
    fn regimes_of_a_place_that_is_drawn_are_not_of_waiting() {
        let found = |is_slow: fn(u32) -> bool| {
            let mut orders = Orders::new(vec![Seat { program: 0, benchmark: 0 }]);
            for round in 0..80 {
                let place =
                    RunPlace { source: Source::Run, warmup: false, round, position: 0, variant: 0 };
                let slow = if is_slow(round) { 1.5 } else { 1.0 };
                let readings = vec![
                    (TIME_PER_ITERATION, Ok(1e-9 * slow * (1.0 + jitter(round)))),
                    (STACK_OFFSET, Ok(f64::from(round % 4 * 16 + round % 7 * 64))),
                    (WAIT_SHARE, Ok(0.4)),
                ];
                orders.take(&run(place, u64::from(round), readings));
            }
            orders.findings(0.95)
        };
        let findings = found(|round| round % 4 == 3);
        let [regimes] = &findings.regimes[..] else { panic!("{findings:?}") };
        let alignment = regimes.alignment.expect("it is why");
        assert_eq!((alignment.period, alignment.from, alignment.until), (64, 48.0, 48.0));
        assert!(findings.waits.is_empty());
        let findings = found(|round| round / 4 % 4 == 3);
        assert!(findings.regimes.is_empty(), "{findings:?}");
        assert_eq!(findings.waits[0].regimes, 1);
    }

    #[test]
    fn a_few_bytes_are_not_why() {
        let scale = Scale { seconds: [1e-5, 2e-5], iterations: None, by_starting: [0.0; 2] };
        let area = stats::mann_whitney::Area { area: 1.0, p_value: 1e-6 };
        let copied =
            COMPANIONS.iter().position(|id| *id == COPIED_PER_ITERATION).expect("it is one");
        let named = |more: f64| {
            let one =
                stats::regimes::Companion { reading: copied, area, in_low: 0.0, in_high: more };
            named(&[one], &scale).len()
        };
        // At most 10 ns each: 100 bytes are a tenth of 10 µs, and 300 are more than a fifth.
        assert_eq!([100.0, 300.0].map(named), [0, 1]);
    }

    #[test]
    fn a_slower_clock_is_why_where_it_makes_enough_of_the_difference() {
        let area = stats::mann_whitney::Area { area: 0.0, p_value: 1e-6 };
        let clock = COMPANIONS.iter().position(|id| *id == CLOCK_RATE).expect("it is one");
        let named = |seconds: [f64; 2], [in_low, in_high]: [f64; 2]| {
            let one = stats::regimes::Companion { reading: clock, area, in_low, in_high };
            let scale = Scale { seconds, iterations: None, by_starting: [0.0; 2] };
            named(&[one], &scale).len()
        };
        // Half the rate explains twice the time, and a twentieth less a twentieth of that.
        assert_eq!(named([1e-5, 2e-5], [3e9, 1.5e9]), 1);
        assert_eq!(named([1e-5, 2e-5], [3e9, 2.85e9]), 0);
        assert_eq!(named([1e-5, 2e-5], [1.5e9, 3e9]), 0);
        assert_eq!(named([2e-5, 1e-5], [1.5e9, 3e9]), 1);
    }

    #[test]
    fn what_follows_up_explains_and_does_not_judge() {
        let follow_up = |orders: &mut Orders| {
            for round in 0..5 {
                for (position, variant) in [(0, 6), (1, 7)] {
                    let place = RunPlace {
                        source: Source::FollowUp,
                        warmup: false,
                        round,
                        position,
                        variant,
                    };
                    let readings =
                        vec![(TIME_PER_ITERATION, Ok(9.0)), (FAULTS_PER_ITERATION, Ok(40.0))];
                    orders.take(&run(place, u64::from(round), readings));
                }
            }
        };
        let mut orders = Orders::new(seats());
        rounds(&mut orders, 1.0, 0.0);
        follow_up(&mut orders);
        assert_eq!(orders.findings(0.95).dependences, []);
        assert_eq!(orders.findings(0.95).regimes, []);
        let mut orders = Orders::new(seats());
        rounds(&mut orders, 1.5, 32.0);
        let before = orders.findings(0.95).dependences;
        follow_up(&mut orders);
        let after = orders.findings(0.95).dependences;
        assert_eq!((after[0].ratio, after[0].p_value), (before[0].ratio, before[0].p_value));
        assert!(after[0].companions[0].p_value < before[0].companions[0].p_value);
    }

    #[test]
    fn what_was_not_measured_or_made_to_warm_up_says_nothing() {
        let mut orders = Orders::new(seats());
        let place =
            |warmup| RunPlace { source: Source::Run, warmup, round: 0, position: 0, variant: 0 };
        let time = |value: Value| vec![(TIME_PER_ITERATION, value)];
        orders.take(&run(place(true), 1, time(Ok(1.0))));
        orders.take(&run(place(false), 2, time(Err(Missing(Cow::Borrowed("skipped"))))));
        orders.take(&run(place(false), 3, time(Ok(0.0))));
        orders.take(&run(place(false), 4, time(Ok(f64::NAN))));
        orders.take(&run(place(false), 5, vec![(ITERATIONS, Ok(1.0))]));
        let beyond = RunPlace { variant: 8, ..place(false) };
        orders.take(&run(beyond, 6, time(Ok(1.0))));
        assert!(orders.processes.is_empty());
        let found = orders.findings(0.95);
        assert_eq!((found.dependences, found.regimes), (Vec::new(), Vec::new()));
    }
}
