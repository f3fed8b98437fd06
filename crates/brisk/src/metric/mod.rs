//! The registry of metrics: name, unit, which way is better, where it is read.
//!
//! Everything that lists metrics (the command line's validation, the tables, the exports, the
//! reference) derives from [`REGISTRY`]. A metric is a row of data here; nothing else in the
//! program names one, except the few decisions that are about a particular one (which metric
//! answers "is it faster", which one shows contention).
//!
//! This module is not responsible for reading: `measure` reads, [`Readings::of_run`] translates
//! what was read into this vocabulary.

pub mod known;
mod naming;
pub mod own;
mod quantile;
mod registry;
mod taking;

use std::borrow::Cow;
use std::fmt;

use measure::{FinishedRun, RawReadings};
use serde::{Deserialize, Serialize};

pub use naming::{MetricError, parse_list, parse_with_quantiles};
pub use registry::REGISTRY;

/// The name of a metric as other programs see it, for example `wall_time`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct MetricId(Cow<'static, str>);

impl MetricId {
    /// An identifier from the registry, known at compile time.
    pub const fn known(id: &'static str) -> Self {
        Self(Cow::Borrowed(id))
    }

    /// The identifier as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The unit of its values; that of a count, where it is not known.
    pub fn unit(&self) -> Unit {
        find(self).map_or(Unit::Count, |metric| metric.unit)
    }

    /// The name without what else an identifier of a user's own metric says: see [`own`].
    pub fn name(&self) -> &str {
        own::name_of(&self.0)
    }
}

impl From<String> for MetricId {
    fn from(id: String) -> Self {
        Self(Cow::Owned(id))
    }
}

impl fmt::Display for MetricId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The time from just before the process was spawned until its exit was seen.
pub const WALL_TIME: MetricId = MetricId::known("wall_time");
/// Processor time in the kernel, on behalf of the process.
pub const SYSTEM_TIME: MetricId = MetricId::known("system_time");
/// How many copies of a command are done in a second, where several run at once.
pub const THROUGHPUT: MetricId = MetricId::known("copy_throughput");
/// What one copy takes, where several run at once.
pub const LATENCY: MetricId = MetricId::known("copy_latency");
/// User plus system time of the process and all that descends from it.
pub const CPU_TIME: MetricId = MetricId::known("cpu_time");
/// Time the process was ready to run while others had the processor.
pub const CPU_WAIT: MetricId = MetricId::known("cpu_wait");
/// Largest resident set of one of the run's processes.
pub const PEAK_RSS: MetricId = MetricId::known("peak_rss");
/// The least peak that could have been seen: the launcher's own.
pub const PEAK_RSS_FLOOR: MetricId = MetricId::known("peak_rss_floor");
/// How far above the launcher's own peak a peak must be to be the program's: since version 6.2
/// Linux counts resident pages in a slot for each processor, so a reading may be off by 64 pages.
pub const RSS_SLACK_BYTES: f64 = 64.0 * 4096.0;
/// Peak memory of the whole process tree, from a control group of its own.
pub const PEAK_TREE_MEMORY: MetricId = MetricId::known("peak_tree_memory");

/// What the processor packages took, whoever used them.
pub const ENERGY: MetricId = MetricId::known("energy");

/// Processor cycles.
pub const CYCLES: MetricId = MetricId::known("cycles");
/// How fast the processor ran.
pub const CLOCK_RATE: MetricId = MetricId::known("clock_rate");
/// Instructions retired.
pub const INSTRUCTIONS: MetricId = MetricId::known("instructions");
/// Accesses to the last-level cache.
pub const CACHE_REFERENCES: MetricId = MetricId::known("cache_references");
/// Misses of the last-level cache.
pub const CACHE_MISSES: MetricId = MetricId::known("cache_misses");
/// Mispredicted branches.
pub const BRANCH_MISSES: MetricId = MetricId::known("branch_misses");

/// The share of a run's time in which its counters ran.
pub const COUNTERS_RUNNING: MetricId = MetricId::known("counters_running");

/// Bytes that the program allocated on its runtime's heap.
pub const ALLOCATED: MetricId = MetricId::known("allocated");
/// The most bytes that were live at a garbage collection.
pub const MAX_LIVE: MetricId = MetricId::known("max_live");
/// The most memory the runtime held for its heap.
pub const MEMORY_IN_USE: MetricId = MetricId::known("memory_in_use");
/// Bytes copied by garbage collections.
pub const COPIED: MetricId = MetricId::known("copied");
/// Bytes that garbage collections moved from the young generation to the old one.
pub const PROMOTED: MetricId = MetricId::known("promoted");
/// Garbage collections.
pub const GC_COUNT: MetricId = MetricId::known("gc_count");
/// Garbage collections of the young generation alone.
pub const MINOR_GC_COUNT: MetricId = MetricId::known("minor_gc_count");
/// Garbage collections of the whole heap.
pub const MAJOR_GC_COUNT: MetricId = MetricId::known("major_gc_count");
/// Processor time of the garbage collections.
pub const GC_TIME: MetricId = MetricId::known("gc_time");
/// Processor time of the program itself, between the collections.
pub const MUTATOR_TIME: MetricId = MetricId::known("mutator_time");
/// How long the program stood still for garbage collections.
pub const PAUSE_TIME: MetricId = MetricId::known("pause_time");
/// The longest that the program stood still for one of them.
pub const MAX_PAUSE: MetricId = MetricId::known("max_pause");
/// Wall time of a separate run in which the runtime was asked.
pub const ASKED_WALL_TIME: MetricId = MetricId::known("asked_wall_time");

/// Wall time of a separate run in which memory was sampled.
pub const SAMPLED_WALL_TIME: MetricId = MetricId::known("sampled_wall_time");

/// What one iteration of a benchmark takes, as its harness measured it.
pub const TIME_PER_ITERATION: MetricId = MetricId::known("time_per_iteration");
/// How many iterations a harness measured in one process.
pub const ITERATIONS: MetricId = MetricId::known("iterations");
/// Bytes that one iteration allocates.
pub const ALLOCATED_PER_ITERATION: MetricId = MetricId::known("allocated_per_iteration");
/// How often one iteration allocates.
pub const ALLOCATIONS_PER_ITERATION: MetricId = MetricId::known("allocations_per_iteration");
/// Bytes that garbage collections copy for one iteration.
pub const COPIED_PER_ITERATION: MetricId = MetricId::known("copied_per_iteration");
/// Garbage collections for one iteration.
pub const COLLECTIONS_PER_ITERATION: MetricId = MetricId::known("gc_count_per_iteration");
/// Processor time of the garbage collections for one iteration.
pub const GC_TIME_PER_ITERATION: MetricId = MetricId::known("gc_time_per_iteration");

/// Page faults that needed no disk.
pub const MINOR_FAULTS: MetricId = MetricId::known("minor_faults");
/// Page faults of one iteration.
pub const FAULTS_PER_ITERATION: MetricId = MetricId::known("page_faults_per_iteration");
/// Processor time in the kernel for one iteration.
pub const SYSTEM_TIME_PER_ITERATION: MetricId = MetricId::known("system_time_per_iteration");

/// Which share of its time the process of a benchmark waited for a processor.
pub const WAIT_SHARE: MetricId = MetricId::known("wait_share");

/// Where in a page the stack of a benchmark's process began.
pub const STACK_OFFSET: MetricId = MetricId::known("stack_offset");

/// Every metric that only the benchmarks of a harness have.
const OF_HARNESSES: [MetricId; 11] = [
    TIME_PER_ITERATION,
    ITERATIONS,
    ALLOCATED_PER_ITERATION,
    ALLOCATIONS_PER_ITERATION,
    COPIED_PER_ITERATION,
    COLLECTIONS_PER_ITERATION,
    GC_TIME_PER_ITERATION,
    FAULTS_PER_ITERATION,
    SYSTEM_TIME_PER_ITERATION,
    WAIT_SHARE,
    STACK_OFFSET,
];

/// Every metric that only copies which run at once have; the first answers.
pub const OF_COPIES: [MetricId; 2] = [THROUGHPUT, LATENCY];

/// Every metric that sums up all processes of a run, or is that of the largest, until they end.
const OF_ALL_PROCESSES: [MetricId; 20] = [
    MetricId::known("user_time"),
    SYSTEM_TIME,
    CPU_TIME,
    PEAK_RSS,
    PEAK_TREE_MEMORY,
    MINOR_FAULTS,
    MetricId::known("major_faults"),
    MetricId::known("voluntary_switches"),
    MetricId::known("involuntary_switches"),
    MetricId::known("block_reads"),
    MetricId::known("block_writes"),
    CYCLES,
    INSTRUCTIONS,
    CACHE_REFERENCES,
    CACHE_MISSES,
    BRANCH_MISSES,
    MetricId::known("cpus_utilised"),
    MetricId::known("instructions_per_cycle"),
    MetricId::known("cache_miss_ratio"),
    MetricId::known("branch_miss_ratio"),
];

/// Why the metrics of all processes are missing where some had not finished. The runs in which all had
/// finished are not like the others: they may be those with less work.
pub const UNFINISHED: Missing =
    Missing(Cow::Borrowed("processes that it left behind were ended before they had finished"));

/// The reason for their absence in a program that has the kernel discard its children.
const DISCARDED: Missing = Missing(Cow::Borrowed(
    "the program ignores SIGCHLD, so the kernel does not tell what its children used",
));

/// The counts that depend on how much memory is in use.
const OF_MEMORY: [MetricId; 5] =
    [MINOR_FAULTS, MetricId::known("major_faults"), CACHE_REFERENCES, CACHE_MISSES, MAJOR_GC_COUNT];

/// What a value counts. Values are always in the SI unit itself: seconds, bytes, hertz, joules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// Hertz.
    Hertz,
    /// Joules.
    Joules,
    /// A number of events.
    Count,
    /// A quotient without unit.
    Ratio,
    /// So many a second.
    PerSecond,
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// Neither: the metric explains, it does not judge.
    Context,
}

/// Where a reading came from, when that changes what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The timed run itself.
    Run,
    /// What the program's own runtime system said of a separate run.
    Runtime,
    /// A separate run under valgrind's cachegrind: instructions are counted, caches and branch
    /// predictor simulated.
    Valgrind,
    /// A separate run whose memory was sampled.
    Sampled,
    /// A separate run of a benchmark behind what its result was found to depend on.
    FollowUp,
}

impl Source {
    /// Every source, in the order of running.
    pub const ALL: [Self; 5] =
        [Self::Run, Self::Runtime, Self::Valgrind, Self::Sampled, Self::FollowUp];

    /// Its name for other programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Runtime => "runtime",
            Self::Valgrind => "valgrind",
            Self::Sampled => "sampled",
            Self::FollowUp => "followup",
        }
    }

    /// What tables put behind a metric's label: nothing for the timed run.
    pub fn mark(self) -> String {
        match self {
            Self::Run => String::new(),
            Self::Runtime | Self::Valgrind | Self::Sampled | Self::FollowUp => {
                format!(" ({})", self.word())
            }
        }
    }
}

/// How readings come to differ from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// With all that the machine does: readings that agree do so by chance, or because the clock
    /// is coarse.
    Measured,
    /// Only with the program's own work: readings that agree leave nothing to chance.
    Counted,
}

/// How much a metric takes part in the verdict when the user names no metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Answers "is it faster": wall time.
    Answer,
    /// Answers in its place where contention hides it: processor time.
    Fallback,
    /// Judged beside them.
    Judged,
    /// Shown, not judged, unless named with `--metrics`.
    Shown,
    /// Kept and exported, shown only where named with `--metrics`.
    Kept,
}

/// One row of the registry.
#[derive(Debug, Clone)]
pub struct Metric<'a> {
    /// Its name for other programs.
    pub id: MetricId,
    /// Its name for people.
    pub label: &'a str,
    /// The unit of its values.
    pub unit: Unit,
    /// Which way is better.
    pub direction: Direction,
    /// Its part in the verdict.
    pub role: Role,
    /// What it means, in one line.
    pub meaning: &'a str,
    /// How it is told from a timed run; none where it is read under an instrument only.
    read: Option<fn(&RawReadings) -> Value>,
}

impl Metric<'_> {
    /// Whether its readings from `source` vary with the machine: what instruments count does not,
    /// nor need what users measure, unless it is time.
    pub fn nature(&self, source: Source) -> Nature {
        match (source, self.unit) {
            (Source::Run, Unit::Bytes | Unit::Count | Unit::Ratio) if self.is_own() => {
                Nature::Counted
            }
            (Source::Run | Source::FollowUp, _) | (_, Unit::Seconds) => Nature::Measured,
            (Source::Runtime | Source::Valgrind | Source::Sampled, _) => Nature::Counted,
        }
    }

    /// Whether twice the work makes it twice as large: times, what is executed and what is allocated.
    /// What depends on how much memory is in use does not: peaks, live bytes, faults, cache misses,
    /// and what collections do with live data.
    pub fn grows_with_work(&self) -> bool {
        match self.unit {
            // Nobody knows of what a user measures.
            _ if self.is_own() => false,
            Unit::Seconds => ![MAX_PAUSE, PAUSE_TIME, GC_TIME].contains(&self.id),
            Unit::Count => !OF_MEMORY.contains(&self.id),
            Unit::Bytes => self.id == ALLOCATED,
            Unit::Joules => true,
            Unit::Hertz | Unit::Ratio | Unit::PerSecond => false,
        }
    }

    /// Whether only a program's own runtime system can say it.
    pub fn is_of_runtime(&self) -> bool {
        let is_read_elsewhere =
            self.id == SAMPLED_WALL_TIME || self.is_of_harness() || self.is_own();
        self.read.is_none() && !is_read_elsewhere
    }

    /// Whether it is a user's own: see [`own`].
    pub fn is_own(&self) -> bool {
        built_in(&self.id.reading()).is_none()
    }

    /// Whether only copies that run at once have it.
    pub fn is_of_copies(&self) -> bool {
        OF_COPIES.contains(&self.id.reading())
    }

    /// Whether only a benchmark within a program has it.
    pub fn is_of_harness(&self) -> bool {
        OF_HARNESSES.contains(&self.id.reading())
    }
}

/// A value, or the reason why there is none.
pub type Value = Result<f64, Missing>;

/// Why a metric has no value in a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Missing(pub Cow<'static, str>);

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<&measure::Missing> for Missing {
    fn from(reason: &measure::Missing) -> Self {
        Self(match reason {
            measure::Missing::NotRequested => Cow::Borrowed("not requested"),
            measure::Missing::NoHardwareCounters => {
                Cow::Borrowed("no hardware counters in this machine")
            }
            other => Cow::Owned(other.to_string()),
        })
    }
}

/// Stands where a value could not be written: JSON has neither infinity nor "not a number".
pub const NOT_FINITE: Missing = Missing(Cow::Borrowed("not a finite number"));

/// What was read in one run, by metric. A metric that is absent was not asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Readings(Vec<(MetricId, Value)>);

impl Readings {
    /// Translates the raw readings of a timed run into every metric of the registry that it has.
    pub fn of_run(finished: &FinishedRun) -> Self {
        let raw = &finished.raw;
        let is_alone = raw.copies.is_none();
        // What a run alone has no use for is not stored of each.
        let of_run = REGISTRY.iter().filter(|one| !(is_alone && one.is_of_copies()));
        let all = of_run.filter_map(|metric| Some((metric.id.clone(), metric.read?(raw))));
        all.collect::<Self>().of_finished_processes(finished)
    }

    /// These readings of a run; what its processes used together is missing where some were ended
    /// before they had finished, and where the kernel discarded some: it is less than they used.
    #[must_use]
    pub fn of_finished_processes(mut self, finished: &FinishedRun) -> Self {
        let reason = match finished {
            FinishedRun { discards_children: true, .. } => DISCARDED,
            FinishedRun { left_behind: 1.., .. } => UNFINISHED,
            _ => return self,
        };
        for (id, value) in &mut self.0 {
            if value.is_ok() && OF_ALL_PROCESSES.contains(id) {
                *value = Err(reason.clone());
            }
        }
        self
    }

    /// The value of one metric, `None` where it was not asked for.
    pub fn get(&self, id: &MetricId) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == id).map(|(_, value)| value)
    }

    /// These readings, and others behind them.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Every reading, in the order it was given.
    pub fn iter(&self) -> impl Iterator<Item = (&MetricId, &Value)> {
        self.0.iter().map(|(id, value)| (id, value))
    }
}

impl FromIterator<(MetricId, Value)> for Readings {
    fn from_iter<I: IntoIterator<Item = (MetricId, Value)>>(readings: I) -> Self {
        Self(readings.into_iter().collect())
    }
}

/// The registry's row for `id`, or what the identifier says of a quantile or a user's own metric.
pub fn find(id: &MetricId) -> Option<Metric<'_>> {
    built_in(id).cloned().or_else(|| quantile::row(id)).or_else(|| own::row(id))
}

/// The registry's row for `id`.
pub fn built_in(id: &MetricId) -> Option<&'static Metric<'static>> {
    REGISTRY.iter().find(|metric| metric.id == *id)
}

/// Where a metric stands among others: in the order of the registry, a user's own behind it.
pub fn order(id: &MetricId) -> usize {
    REGISTRY.iter().position(|metric| id.is_told_from(&metric.id)).unwrap_or(REGISTRY.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_a_name_of_its_own() {
        for (index, metric) in REGISTRY.iter().enumerate() {
            assert!(REGISTRY[..index].iter().all(|earlier| earlier.id != metric.id));
            assert!(REGISTRY[..index].iter().all(|earlier| earlier.label != metric.label));
        }
    }

    #[test]
    fn times_are_never_taken_for_counts() {
        for metric in &REGISTRY {
            assert_eq!(metric.nature(Source::Run), Nature::Measured);
            let counted = metric.nature(Source::Runtime) == Nature::Counted;
            assert_eq!(counted, metric.unit != Unit::Seconds, "{}", metric.id);
        }
    }

    #[test]
    fn a_source_has_one_word_everywhere() {
        for source in Source::ALL {
            let written = serde_json::to_value(source).expect("a word");
            assert_eq!(written, source.word());
        }
        assert!(Source::ALL.is_sorted());
    }
}
