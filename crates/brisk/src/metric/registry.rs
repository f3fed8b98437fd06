//! The rows of the registry: every metric, and how it is told from the raw readings of a run.

use std::borrow::Cow;

use measure::{Counter, RawReadings};

use super::{
    ALLOCATED, ALLOCATED_PER_ITERATION, ALLOCATIONS_PER_ITERATION, ASKED_WALL_TIME, BRANCH_MISSES,
    CACHE_MISSES, CACHE_REFERENCES, CLOCK_RATE, COLLECTIONS_PER_ITERATION, COPIED,
    COPIED_PER_ITERATION, COUNTERS_RUNNING, CPU_TIME, CPU_WAIT, CYCLES, Direction,
    FAULTS_PER_ITERATION, GC_COUNT, GC_TIME, GC_TIME_PER_ITERATION, INSTRUCTIONS, ITERATIONS,
    MAJOR_GC_COUNT, MAX_LIVE, MAX_PAUSE, MEMORY_IN_USE, MINOR_FAULTS, MINOR_GC_COUNT, MUTATOR_TIME,
    Metric, MetricId, Missing, PAUSE_TIME, PEAK_RSS, PEAK_RSS_FLOOR, PEAK_TREE_MEMORY, PROMOTED,
    Role, SAMPLED_WALL_TIME, STACK_OFFSET, SYSTEM_TIME, SYSTEM_TIME_PER_ITERATION,
    TIME_PER_ITERATION, Unit, Value, WAIT_SHARE, WALL_TIME,
};

/// Every metric, in the order of the tables.
pub static REGISTRY: [Metric; 50] = [
    Metric {
        id: WALL_TIME,
        label: "wall time",
        unit: Unit::Seconds,
        direction: Direction::Lower,
        role: Role::Answer,
        meaning: "from just before the process was spawned until its exit was seen",
        read: Some(|raw| Ok(raw.wall.as_seconds())),
    },
    Metric {
        id: MetricId::known("user_time"),
        label: "user time",
        unit: Unit::Seconds,
        direction: Direction::Lower,
        role: Role::Shown,
        meaning: "processor time in the program itself; Linux divides user from system time by sampling",
        read: Some(|raw| Ok(raw.user.as_seconds())),
    },
    Metric {
        id: SYSTEM_TIME,
        label: "system time",
        unit: Unit::Seconds,
        direction: Direction::Lower,
        role: Role::Shown,
        meaning: "processor time in the kernel on the program's behalf",
        read: Some(|raw| Ok(raw.system.as_seconds())),
    },
    Metric {
        id: CPU_TIME,
        label: "cpu time",
        unit: Unit::Seconds,
        direction: Direction::Lower,
        role: Role::Fallback,
        meaning: "user and system time of the process and of the children it waited for",
        read: Some(|raw| Ok(raw.cpu.as_seconds())),
    },
    Metric {
        id: CPU_WAIT,
        label: "cpu wait",
        unit: Unit::Seconds,
        direction: Direction::Context,
        role: Role::Shown,
        meaning: "time the first thread was ready to run while others had the processor (schedstat)",
        read: Some(|raw| read(&raw.cpu_wait, |wait| wait.as_seconds())),
    },
    Metric {
        id: PEAK_RSS,
        label: "peak rss",
        unit: Unit::Bytes,
        direction: Direction::Lower,
        role: Role::Judged,
        meaning: "largest resident set of one process of the run",
        read: Some(|raw| Ok(raw.peak_rss.bytes.0 as f64)),
    },
    Metric {
        id: PEAK_RSS_FLOOR,
        label: "peak rss floor",
        unit: Unit::Bytes,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "the launcher's own peak: a peak rss at or below it means at most this much",
        read: Some(|raw| Ok(raw.peak_rss.floor.0 as f64)),
    },
    Metric {
        id: PEAK_TREE_MEMORY,
        label: "peak tree memory",
        unit: Unit::Bytes,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "peak memory of all processes of the run together, page cache included (cgroup v2)",
        read: Some(|raw| read(&raw.tree_peak, |peak| peak.0 as f64)),
    },
    Metric {
        id: MINOR_FAULTS,
        label: "minor faults",
        unit: Unit::Count,
        direction: Direction::Lower,
        role: Role::Judged,
        meaning: "page faults that needed no disk",
        read: Some(|raw| Ok(raw.minor_faults as f64)),
    },
    Metric {
        id: MetricId::known("major_faults"),
        label: "major faults",
        unit: Unit::Count,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "page faults that needed the disk",
        read: Some(|raw| Ok(raw.major_faults as f64)),
    },
    Metric {
        id: MetricId::known("voluntary_switches"),
        label: "voluntary switches",
        unit: Unit::Count,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "times the program gave the processor up to wait for something",
        read: Some(|raw| Ok(raw.voluntary_switches as f64)),
    },
    Metric {
        id: MetricId::known("involuntary_switches"),
        label: "involuntary switches",
        unit: Unit::Count,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "times the program was made to give the processor up",
        read: Some(|raw| Ok(raw.involuntary_switches as f64)),
    },
    Metric {
        id: MetricId::known("block_reads"),
        label: "block reads",
        unit: Unit::Bytes,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "bytes read from storage",
        read: Some(|raw| Ok(raw.block_reads_512_bytes as f64 * 512.0)),
    },
    Metric {
        id: MetricId::known("block_writes"),
        label: "block writes",
        unit: Unit::Bytes,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "bytes written towards storage",
        read: Some(|raw| Ok(raw.block_writes_512_bytes as f64 * 512.0)),
    },
    Metric {
        id: CYCLES,
        label: "cycles",
        unit: Unit::Count,
        direction: Direction::Lower,
        role: Role::Judged,
        meaning: "processor cycles",
        read: Some(|raw| count(raw, Counter::Cycles)),
    },
    Metric {
        id: INSTRUCTIONS,
        label: "instructions",
        unit: Unit::Count,
        direction: Direction::Lower,
        role: Role::Judged,
        meaning: "instructions retired, or counted by valgrind",
        read: Some(|raw| count(raw, Counter::Instructions)),
    },
    Metric {
        id: CACHE_REFERENCES,
        label: "cache references",
        unit: Unit::Count,
        direction: Direction::Lower,
        role: Role::Shown,
        meaning: "accesses to the last-level cache, or to valgrind's simulated one",
        read: Some(|raw| count(raw, Counter::CacheReferences)),
    },
    Metric {
        id: CACHE_MISSES,
        label: "cache misses",
        unit: Unit::Count,
        direction: Direction::Lower,
        role: Role::Judged,
        meaning: "misses of the last-level cache, or of valgrind's simulated one",
        read: Some(|raw| count(raw, Counter::CacheMisses)),
    },
    Metric {
        id: BRANCH_MISSES,
        label: "branch misses",
        unit: Unit::Count,
        direction: Direction::Lower,
        role: Role::Judged,
        meaning: "branches predicted wrongly, or by valgrind's simulated predictor",
        read: Some(|raw| count(raw, Counter::BranchMisses)),
    },
    Metric {
        id: COUNTERS_RUNNING,
        label: "counters running",
        unit: Unit::Ratio,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "share of the run's time in which the counters ran; below 1 they are scaled up",
        read: Some(running_share),
    },
    Metric {
        id: MetricId::known("cpus_utilised"),
        label: "cpus utilised",
        unit: Unit::Ratio,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "cpu time over wall time",
        read: Some(|raw| quotient(Ok(raw.cpu.as_seconds()), Ok(raw.wall.as_seconds()))),
    },
    Metric {
        id: MetricId::known("instructions_per_cycle"),
        label: "instructions/cycle",
        unit: Unit::Ratio,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "instructions over cycles",
        read: Some(|raw| quotient(count(raw, Counter::Instructions), count(raw, Counter::Cycles))),
    },
    Metric {
        id: CLOCK_RATE,
        label: "clock rate",
        unit: Unit::Hertz,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "cycles over cpu time",
        read: Some(|raw| quotient(count(raw, Counter::Cycles), Ok(raw.cpu.as_seconds()))),
    },
    Metric {
        id: MetricId::known("cache_miss_ratio"),
        label: "cache miss ratio",
        unit: Unit::Ratio,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "cache misses over cache references",
        read: Some(|raw| {
            quotient(count(raw, Counter::CacheMisses), count(raw, Counter::CacheReferences))
        }),
    },
    Metric {
        id: MetricId::known("branch_miss_ratio"),
        label: "branch misses/instr.",
        unit: Unit::Ratio,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "branch misses over instructions",
        read: Some(|raw| {
            quotient(count(raw, Counter::BranchMisses), count(raw, Counter::Instructions))
        }),
    },
    Metric {
        id: ALLOCATED,
        label: "allocated",
        unit: Unit::Bytes,
        direction: Direction::Lower,
        role: Role::Judged,
        meaning: "bytes the program allocated on its heap, as its runtime counts them",
        read: None,
    },
    Metric {
        id: MAX_LIVE,
        label: "max live",
        unit: Unit::Bytes,
        direction: Direction::Lower,
        role: Role::Judged,
        meaning: "most bytes found live at a major garbage collection",
        read: None,
    },
    Metric {
        id: MEMORY_IN_USE,
        label: "memory in use",
        unit: Unit::Bytes,
        direction: Direction::Lower,
        role: Role::Shown,
        meaning: "most memory the runtime held for its heap",
        read: None,
    },
    Metric {
        id: COPIED,
        label: "copied",
        unit: Unit::Bytes,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "bytes copied by garbage collections",
        read: None,
    },
    Metric {
        id: PROMOTED,
        label: "promoted",
        unit: Unit::Bytes,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "bytes that collections moved from the young generation to the old one",
        read: None,
    },
    Metric {
        id: GC_COUNT,
        label: "gc count",
        unit: Unit::Count,
        direction: Direction::Lower,
        role: Role::Shown,
        meaning: "garbage collections, of all generations",
        read: None,
    },
    Metric {
        id: MINOR_GC_COUNT,
        label: "minor gcs",
        unit: Unit::Count,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "garbage collections of the young generation alone",
        read: None,
    },
    Metric {
        id: MAJOR_GC_COUNT,
        label: "major gcs",
        unit: Unit::Count,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "garbage collections of the whole heap",
        read: None,
    },
    Metric {
        id: GC_TIME,
        label: "gc time",
        unit: Unit::Seconds,
        direction: Direction::Lower,
        role: Role::Shown,
        meaning: "processor time of the garbage collections",
        read: None,
    },
    Metric {
        id: MUTATOR_TIME,
        label: "mutator time",
        unit: Unit::Seconds,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "processor time of the program between the garbage collections",
        read: None,
    },
    Metric {
        id: PAUSE_TIME,
        label: "pause time",
        unit: Unit::Seconds,
        direction: Direction::Lower,
        role: Role::Shown,
        meaning: "how long the program stood still for garbage collections",
        read: None,
    },
    Metric {
        id: MAX_PAUSE,
        label: "max pause",
        unit: Unit::Seconds,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "longest that the program stood still for one garbage collection",
        read: None,
    },
    Metric {
        id: ASKED_WALL_TIME,
        label: "asked wall time",
        unit: Unit::Seconds,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "wall time of the separate runs in which the runtime was asked",
        read: None,
    },
    Metric {
        id: SAMPLED_WALL_TIME,
        label: "sampled wall time",
        unit: Unit::Seconds,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "wall time of the separate runs whose memory was sampled",
        read: None,
    },
    Metric {
        id: TIME_PER_ITERATION,
        label: "time per iteration",
        unit: Unit::Seconds,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "what one iteration of a benchmark takes, as its harness measured it in one process: its total time by its iterations",
        read: None,
    },
    Metric {
        id: ITERATIONS,
        label: "iterations",
        unit: Unit::Count,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "how many iterations the harness measured in one process",
        read: None,
    },
    Metric {
        id: ALLOCATED_PER_ITERATION,
        label: "allocated per iteration",
        unit: Unit::Bytes,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "bytes that one iteration allocates, as the harness counted",
        read: None,
    },
    Metric {
        id: ALLOCATIONS_PER_ITERATION,
        label: "allocations per iteration",
        unit: Unit::Count,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "how often one iteration allocates, as the harness counted",
        read: None,
    },
    Metric {
        id: COPIED_PER_ITERATION,
        label: "copied per iteration",
        unit: Unit::Bytes,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "bytes that garbage collections copy for one iteration, as the harness counted",
        read: None,
    },
    Metric {
        id: COLLECTIONS_PER_ITERATION,
        label: "collections per iteration",
        unit: Unit::Count,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "garbage collections for one iteration, as the harness counted",
        read: None,
    },
    Metric {
        id: GC_TIME_PER_ITERATION,
        label: "gc time per iteration",
        unit: Unit::Seconds,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "processor time of the garbage collections for one iteration, as the harness measured it",
        read: None,
    },
    Metric {
        id: FAULTS_PER_ITERATION,
        label: "page faults per iteration",
        unit: Unit::Count,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "page faults for one iteration: as the harness counted, or those of a process with this benchmark alone beyond those of one that ran none",
        read: None,
    },
    Metric {
        id: SYSTEM_TIME_PER_ITERATION,
        label: "system time per iteration",
        unit: Unit::Seconds,
        direction: Direction::Lower,
        role: Role::Kept,
        meaning: "processor time in the kernel for one iteration: that of a process with this benchmark alone beyond that of one that ran none",
        read: None,
    },
    Metric {
        id: WAIT_SHARE,
        label: "wait share",
        unit: Unit::Ratio,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "share of its time that the process of a benchmark waited for a processor, whatever else ran in it",
        read: None,
    },
    Metric {
        id: STACK_OFFSET,
        label: "stack offset",
        unit: Unit::Bytes,
        direction: Direction::Context,
        role: Role::Kept,
        meaning: "how far behind a multiple of 4096 bytes the stack of a benchmark's process began, as /proc/PID/stat said 2 ms after its start or later",
        read: None,
    },
];

fn read<T>(reading: &Result<T, measure::Missing>, value: impl Fn(&T) -> f64) -> Value {
    reading.as_ref().map(value).map_err(Missing::from)
}

fn count(raw: &RawReadings, counter: Counter) -> Value {
    read(raw.counters.of(counter), |count| count.value as f64)
}

/// The least share over the counters that counted.
fn running_share(raw: &RawReadings) -> Value {
    let counted = raw.counters.counts.iter().filter_map(|count| count.as_ref().ok());
    match counted.map(|count| count.running_permille).min() {
        Some(permille) => Ok(f64::from(permille) / 1000.0),
        None => read(&raw.counters.counts[0], |_| 1.0),
    }
}

fn quotient(above: Value, below: Value) -> Value {
    let (above, below) = (above?, below?);
    if below > 0.0 { Ok(above / below) } else { Err(missing("divided by a reading of zero")) }
}

const fn missing(reason: &'static str) -> Missing {
    Missing(Cow::Borrowed(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_of_a_missing_reading_is_missing_and_never_divides_by_zero() {
        assert!(quotient(Ok(1.0), Err(missing("gone"))).is_err());
        assert!(quotient(Ok(1.0), Ok(0.0)).is_err());
        assert_eq!(quotient(Ok(3.0), Ok(2.0)), Ok(1.5));
    }
}
