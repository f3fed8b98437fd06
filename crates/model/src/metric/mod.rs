//! The registry of metrics: name, unit, better direction, and source of the reading.
//!
//! Everything that lists metrics (the command line's validation, the tables, the exports, the
//! reference) derives from [`REGISTRY`]. A metric is a row of data here; the rest of the program
//! names none, except in the few decisions about a particular one (which metric answers "is it
//! faster", which one shows contention).
//!
//! This module does not read: `measure` reads, and [`Readings::of_run`] translates the raw readings
//! into these metrics.

pub mod naming;
mod registry;

use std::borrow::Cow;
use std::fmt;

use measure::{Copies, Counter, FinishedRun, RawReadings};
pub use naming::{MetricError, parse_list, parse_with_quantiles};
pub use registry::REGISTRY;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::json;

/// The name of a metric as other programs see it, for example `wall_time`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
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

    /// The unit of its values; that of a count if the metric is unknown.
    pub fn unit(&self) -> Unit {
        find(self).map_or(Unit::Count, |metric| metric.unit)
    }

    /// The name without the additions in the identifier of a user's own metric: see [`naming`].
    pub fn name(&self) -> &str {
        naming::name_of(&self.0)
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
/// The number of copies of a command completed in a second, when several run at once.
pub const THROUGHPUT: MetricId = MetricId::known("copy_throughput");
/// The time that one copy takes, when several run at once.
pub const LATENCY: MetricId = MetricId::known("copy_latency");
/// User plus system time of the process and all its descendants.
pub const CPU_TIME: MetricId = MetricId::known("cpu_time");
/// Time the process was ready to run while others had the processor.
pub const CPU_WAIT: MetricId = MetricId::known("cpu_wait");
/// Largest resident set of one of the run's processes.
pub const PEAK_RSS: MetricId = MetricId::known("peak_rss");
/// The lowest peak that could have been seen: the launcher's own.
pub const PEAK_RSS_FLOOR: MetricId = MetricId::known("peak_rss_floor");
/// The distance by which a peak must exceed the launcher's own to be the program's: since version
/// 6.2 Linux counts resident pages in a slot for each processor, so a reading may be off by 64
/// pages.
pub const RSS_SLACK_BYTES: f64 = 64.0 * 4096.0;
/// Peak memory of the whole process tree, from its own control group.
pub const PEAK_TREE_MEMORY: MetricId = MetricId::known("peak_tree_memory");

/// Energy used by the processor packages, for any process.
pub const ENERGY: MetricId = MetricId::known("energy");

/// Processor cycles.
pub const CYCLES: MetricId = MetricId::known("cycles");
/// The frequency of the processor during the run.
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
/// The maximum number of bytes live at a garbage collection.
pub const MAX_LIVE: MetricId = MetricId::known("max_live");
/// The maximum memory that the runtime held for its heap.
pub const MEMORY_IN_USE: MetricId = MetricId::known("memory_in_use");
/// Bytes copied by garbage collections.
pub const COPIED: MetricId = MetricId::known("copied");
/// Bytes that garbage collections moved from the young generation to the old one.
pub const PROMOTED: MetricId = MetricId::known("promoted");
/// The number of garbage collections.
pub const GC_COUNT: MetricId = MetricId::known("gc_count");
/// The number of garbage collections of the young generation alone.
pub const MINOR_GC_COUNT: MetricId = MetricId::known("minor_gc_count");
/// The number of garbage collections of the whole heap.
pub const MAJOR_GC_COUNT: MetricId = MetricId::known("major_gc_count");
/// Processor time of the garbage collections.
pub const GC_TIME: MetricId = MetricId::known("gc_time");
/// Processor time of the program itself, between the collections.
pub const MUTATOR_TIME: MetricId = MetricId::known("mutator_time");
/// The time that the program was stopped for garbage collections.
pub const PAUSE_TIME: MetricId = MetricId::known("pause_time");
/// The longest single stop for a garbage collection.
pub const MAX_PAUSE: MetricId = MetricId::known("max_pause");
/// Wall time of a separate run in which the runtime was queried.
pub const ASKED_WALL_TIME: MetricId = MetricId::known("asked_wall_time");

/// Wall time of a separate run in which memory was sampled.
pub const SAMPLED_WALL_TIME: MetricId = MetricId::known("sampled_wall_time");

/// The time of one iteration of a benchmark, as measured by its harness.
pub const TIME_PER_ITERATION: MetricId = MetricId::known("time_per_iteration");
/// The number of iterations that a harness measured in one process.
pub const ITERATIONS: MetricId = MetricId::known("iterations");
/// Bytes allocated by one iteration.
pub const ALLOCATED_PER_ITERATION: MetricId = MetricId::known("allocated_per_iteration");
/// The number of allocations in one iteration.
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

/// The share of its time that a benchmark's process waited for a processor.
pub const WAIT_SHARE: MetricId = MetricId::known("wait_share");

/// The offset within a page at which the stack of a benchmark's process began.
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

/// Every metric that only concurrent copies have; the first is the answer.
pub const OF_COPIES: [MetricId; 2] = [THROUGHPUT, LATENCY];

/// Every metric that is the sum over all processes of a run, or the maximum, until they end.
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

/// The reason why the metrics of all processes are missing if some had not finished. The runs in
/// which all had finished are not representative: they may be those with less work.
pub const UNFINISHED: Missing =
    Missing(Cow::Borrowed("processes that it left behind were ended before they had finished"));

/// The reason why they are missing in a program that has the kernel discard its children.
const DISCARDED: Missing = Missing(Cow::Borrowed(
    "the program ignores SIGCHLD, so the kernel does not tell what its children used",
));

/// The counts that depend on the amount of memory in use.
const OF_MEMORY: [MetricId; 5] =
    [MINOR_FAULTS, MetricId::known("major_faults"), CACHE_REFERENCES, CACHE_MISSES, MAJOR_GC_COUNT];

/// The unit of a value. Values are always in the SI unit itself: seconds, bytes, hertz, joules.
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
    /// A ratio without a unit.
    Ratio,
    /// A number per second.
    PerSecond,
}

/// The better direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// Neither: the metric explains, it does not judge.
    Context,
}

/// The source of a reading, if it affects the meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The timed run itself.
    Run,
    /// A separate run, with figures from the program's own runtime system.
    Runtime,
    /// A separate run under valgrind's cachegrind: instructions are counted, caches and branch
    /// predictor simulated.
    Valgrind,
    /// A separate run whose memory was sampled.
    Sampled,
    /// A separate run of a benchmark after the one that its result was found to depend on.
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

    /// The suffix to a metric's label in tables: empty for the timed run.
    pub fn mark(self) -> String {
        match self {
            Self::Run => String::new(),
            Self::Runtime | Self::Valgrind | Self::Sampled | Self::FollowUp => {
                format!(" ({})", self.word())
            }
        }
    }
}

/// The cause of differences between readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// Anything on the machine: readings that agree do so by chance, or because the clock is
    /// coarse.
    Measured,
    /// Only the program's own work: readings that agree leave nothing to chance.
    Counted,
}

/// The part of a metric in the verdict if the user names no metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Answers "is it faster": wall time.
    Answer,
    /// Answers in its place if contention hides it: processor time.
    Fallback,
    /// Judged beside them.
    Judged,
    /// Shown, not judged, unless named with `--metrics`.
    Shown,
    /// Stored and exported, but shown only if named with `--metrics`.
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
    /// The better direction.
    pub direction: Direction,
    /// Its part in the verdict.
    pub role: Role,
    /// Its meaning, in one line.
    pub meaning: &'a str,
    /// Extracts it from a timed run; `None` if it is read only under an instrument.
    read: Option<fn(&RawReadings) -> Value>,
}

impl Metric<'_> {
    /// The nature of its readings from `source`: counts from instruments do not vary with the
    /// machine, and neither do users' own metrics, unless they are times.
    pub fn nature(&self, source: Source) -> Nature {
        match (source, self.unit) {
            (Source::Run, Unit::Bytes | Unit::Count | Unit::Ratio) if self.is_own() => {
                Nature::Counted
            }
            (Source::Run | Source::FollowUp, _) | (_, Unit::Seconds) => Nature::Measured,
            (Source::Runtime | Source::Valgrind | Source::Sampled, _) => Nature::Counted,
        }
    }

    /// True if twice the work doubles it: times, instructions and allocations. Metrics that depend
    /// on the amount of memory in use do not: peaks, live bytes, faults, cache misses, and the
    /// collector's work on live data.
    pub fn grows_with_work(&self) -> bool {
        match self.unit {
            // The behaviour of a user's own metric is unknown.
            _ if self.is_own() => false,
            Unit::Seconds => ![MAX_PAUSE, PAUSE_TIME, GC_TIME].contains(&self.id),
            Unit::Count => !OF_MEMORY.contains(&self.id),
            Unit::Bytes => self.id == ALLOCATED,
            Unit::Joules => true,
            Unit::Hertz | Unit::Ratio | Unit::PerSecond => false,
        }
    }

    /// True if only a program's own runtime system can report it.
    pub fn is_of_runtime(&self) -> bool {
        let is_read_elsewhere =
            self.id == SAMPLED_WALL_TIME || self.is_of_harness() || self.is_own();
        self.read.is_none() && !is_read_elsewhere
    }

    /// True if it is a user's own: see [`naming`].
    pub fn is_own(&self) -> bool {
        built_in(&self.id.reading()).is_none()
    }

    /// True if only concurrent copies have it.
    pub fn is_of_copies(&self) -> bool {
        OF_COPIES.contains(&self.id.reading())
    }

    /// True if only a benchmark within a program has it.
    pub fn is_of_harness(&self) -> bool {
        OF_HARNESSES.contains(&self.id.reading())
    }
}

/// A value, or the reason why it is missing.
pub type Value = Result<f64, Missing>;

/// The reason why a metric has no value in a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
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

/// The reason for a value that could not be written: JSON has neither infinity nor "not a number".
pub const NOT_FINITE: Missing = Missing(Cow::Borrowed("not a finite number"));

/// The readings of one run, by metric. An absent metric was not requested.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Readings(Vec<(MetricId, Value)>);

impl Readings {
    /// Translates the raw readings of a timed run into every metric of the registry that it has.
    pub fn of_run(finished: &FinishedRun) -> Self {
        let raw = &finished.raw;
        let is_alone = raw.copies.is_none();
        // Metrics that a single copy has no use for are not stored.
        let of_run = REGISTRY.iter().filter(|one| !(is_alone && one.is_of_copies()));
        let all = of_run.filter_map(|metric| Some((metric.id.clone(), metric.read?(raw))));
        all.collect::<Self>().of_finished_processes(finished)
    }

    /// These readings of a run; the totals over its processes become missing if some were ended
    /// before they had finished, or if the kernel discarded some: they would be too low.
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

    /// The value of one metric; `None` if it was not requested.
    pub fn get(&self, id: &MetricId) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == id).map(|(_, value)| value)
    }

    /// These readings, followed by others.
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

/// A value, or the reason why it is missing, in JSON: the value itself, or `{"missing": "REASON"}`.
pub mod known {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Missing;

    /// The two forms. The reason is tried first: no value has a field with that name.
    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    pub(super) enum Form<T> {
        Missing { missing: Missing },
        Value(T),
    }

    /// Writes the value or the reason.
    ///
    /// # Errors
    ///
    /// When the value cannot be written.
    pub fn serialize<T: Serialize, S: Serializer>(
        known: &Result<T, Missing>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match known {
            Ok(value) => Form::Value(value).serialize(serializer),
            Err(missing) => Form::<T>::Missing { missing: missing.clone() }.serialize(serializer),
        }
    }

    /// Reads the value or the reason.
    ///
    /// # Errors
    ///
    /// When the JSON is neither a value nor a reason.
    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Result<T, Missing>, D::Error> {
        Ok(match Form::deserialize(deserializer)? {
            Form::Value(value) => Ok(value),
            Form::Missing { missing } => Err(missing),
        })
    }
}

/// By metric, in order. Infinity and "not a number" cannot be written, and become missing.
impl Serialize for Readings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(id, value)| {
            let form = match value {
                Ok(value) if value.is_finite() => known::Form::Value(*value),
                Ok(_) => known::Form::Missing { missing: NOT_FINITE },
                Err(missing) => known::Form::Missing { missing: missing.clone() },
            };
            (id, form)
        }))
    }
}

impl<'de> Deserialize<'de> for Readings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pairs: Vec<(MetricId, known::Form<f64>)> =
            json::read_pairs(deserializer, "readings by metric")?;
        let readings = pairs.into_iter().map(|(id, form)| match form {
            known::Form::Value(value) => (id, Ok(value)),
            known::Form::Missing { missing } => (id, Err(missing)),
        });
        Ok(readings.collect())
    }
}

/// The registry's row for `id`, or the row derived from the identifier of a quantile or a user's
/// own metric.
pub fn find(id: &MetricId) -> Option<Metric<'_>> {
    built_in(id).cloned().or_else(|| naming::quantile_row(id)).or_else(|| naming::own_row(id))
}

/// The registry's row for `id`.
pub fn built_in(id: &MetricId) -> Option<&'static Metric<'static>> {
    REGISTRY.iter().find(|metric| metric.id == *id)
}

/// The position of a metric among others: in the order of the registry, users' own last.
pub fn order(id: &MetricId) -> usize {
    REGISTRY.iter().position(|metric| id.is_told_from(&metric.id)).unwrap_or(REGISTRY.len())
}

// The extraction of metrics from the raw readings of a run.

fn read<T>(reading: &Result<T, measure::Missing>, value: impl Fn(&T) -> f64) -> Value {
    reading.as_ref().map(value).map_err(Missing::from)
}

fn count(raw: &RawReadings, counter: Counter) -> Value {
    read(raw.counters.count(counter), |count| count.value as f64)
}

/// The minimum share over the counters that counted.
fn running_share(raw: &RawReadings) -> Value {
    let counted = raw.counters.counts.iter().filter_map(|count| count.as_ref().ok());
    match counted.map(|count| count.running_permille).min() {
        Some(permille) => Ok(f64::from(permille) / 1000.0),
        None => read(&raw.counters.counts[0], |_| 1.0),
    }
}

fn of_copies(raw: &RawReadings, value: impl Fn(&Copies) -> f64) -> Value {
    raw.copies.as_ref().map(value).ok_or(missing("it ran alone"))
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

    #[test]
    fn a_quotient_of_a_missing_reading_is_missing_and_never_divides_by_zero() {
        assert!(quotient(Ok(1.0), Err(missing("gone"))).is_err());
        assert!(quotient(Ok(1.0), Ok(0.0)).is_err());
        assert_eq!(quotient(Ok(3.0), Ok(2.0)), Ok(1.5));
    }
}
