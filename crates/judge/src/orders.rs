//! The effect of a suite's order on its benchmarks.
//!
//! A process of a suite runs one or many benchmarks, in some order. The benchmarks that depend on
//! what ran before them, and those that fall into two regimes, are found from all processes
//! together ([`stats::carry_over`], [`stats::regimes`]). Then every other reading of the same
//! processes is tested for correlation: page faults in all slow processes of a benchmark, and in
//! none of its fast ones, reveal the cause.

mod finding;

use std::collections::BTreeMap;

use stats::carry_over::{self, Process, Ran};
use stats::family;

use finding::Scale;
pub use finding::{After, Alignment, Cause, Companion, Dependence, Findings, Regimes, Waits};
use model::metric::{
    ALLOCATED_PER_ITERATION, CLOCK_RATE, COLLECTIONS_PER_ITERATION, COPIED_PER_ITERATION,
    FAULTS_PER_ITERATION, GC_TIME_PER_ITERATION, ITERATIONS, MINOR_FAULTS, MetricId, PEAK_RSS,
    STACK_OFFSET, SYSTEM_TIME, SYSTEM_TIME_PER_ITERATION, Source, TIME_PER_ITERATION, WAIT_SHARE,
};
use model::run::Run;
use model::spec::suite::Seat;

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
            let companions = carry_over::goes_along(&processes, &found, &readings);
            let seconds = |sitting: &Sitting| Some(sitting.reading(found.benchmark)?.seconds);
            let seconds = vec![sittings.iter().map(seconds).collect()];
            let times = carry_over::goes_along(&processes, &found, &seconds);
            let [without, with] =
                times.first().map_or([0.0; 2], |time| [time.in_low, time.in_high]);
            let its: Vec<Reading> =
                sittings.iter().filter_map(|one| one.reading(found.benchmark)).copied().collect();
            let named = finding::named(
                &companions,
                &COMPANIONS,
                &scale(&its, [without, with], by_starting),
            );
            Dependence::new(program, found, [without, with], named)
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
    let named = finding::named(&companions, &COMPANIONS, &scale);
    let offsets: Vec<Option<f64>> = readings.iter().map(|one| one.stack_offset).collect();
    let alignment = finding::alignment(&found.in_high, &offsets);
    Some(Regimes::new(seat, readings.len(), &found, named, alignment))
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

#[cfg(test)]
mod tests;
