//! The results of one run: its readings, each with its unit, or the reason that it is missing.
//!
//! The values are as reported by the kernel. Turning them into metrics with names and directions is
//! up to the caller.

use crate::memory_over_time::MemorySample;
use crate::missing::Missing;
use crate::task::Outcome;
use crate::units::{Address, Bytes, Microjoules, Microseconds, Nanoseconds};

/// One run with all its readings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedRun {
    /// The [`crate::Task::tag`] of its task.
    pub tag: u64,
    /// Its start: nanoseconds since 1970-01-01 UTC, by the system's clock when the launcher began;
    /// setting that clock later does not make it jump.
    pub started_unix_ns: u64,
    /// Its outcome.
    pub outcome: Outcome,
    /// Its readings.
    pub raw: RawReadings,
    /// The last 8 KiB of its standard error.
    pub stderr_tail: Vec<u8>,
    /// The last 8 KiB of its standard output, if that was [`crate::Stdout::Discard`].
    pub stdout_tail: Vec<u8>,
    /// The number of processes that were still alive shortly after the command had ended. They were
    /// killed, so their usage is less than it would have been.
    pub left_behind: u32,
    /// Set if the command ignored SIGCHLD, so that its children's usage is in no reading.
    pub discards_children: bool,
    /// The beginning of its stack, if the task asked for it.
    pub stack_start: Result<Address, Missing>,
    /// Its memory over time, in the order of the samples, if the task asked for it.
    pub memory: Result<Vec<MemorySample>, Missing>,
}

/// The readings of one run.
///
/// Those from `wait4` cover the command, its threads, and every descendant, until it ended or was
/// killed (see [`FinishedRun::left_behind`]): the launcher reaps those that were not waited for.
/// They exclude descendants whose parent had the kernel discard them (see
/// [`FinishedRun::discards_children`]), and processes started by others, such as a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawReadings {
    /// Time from just before the command is started until its end is noticed.
    pub wall: Nanoseconds,
    /// CPU time outside the kernel.
    pub user: Microseconds,
    /// CPU time inside the kernel.
    pub system: Microseconds,
    /// Both together. Linux counts this sum exactly and splits it by sampling, so the sum is the
    /// better number.
    pub cpu: Microseconds,
    /// Time during which the command's first thread was runnable but had to wait for a CPU.
    pub cpu_wait: Result<Nanoseconds, Missing>,
    /// The most memory that the largest single process of the run held.
    pub peak_rss: PeakRss,
    /// The most memory that all processes of the run held together, page cache included.
    pub tree_peak: Result<Bytes, Missing>,
    /// Page faults that needed no disk.
    pub minor_faults: u64,
    /// Page faults that needed the disk.
    pub major_faults: u64,
    /// Voluntary context switches, to wait for something.
    pub voluntary_switches: u64,
    /// Involuntary context switches.
    pub involuntary_switches: u64,
    /// Read from storage (not from the page cache), in blocks of 512 bytes.
    pub block_reads_512_bytes: u64,
    /// Written to storage, in blocks of 512 bytes.
    pub block_writes_512_bytes: u64,
    /// Hardware counters.
    pub counters: Counters,
    /// The energy of all processor packages while it ran, including other programs' use, if the
    /// task asked for it.
    pub energy: Result<Microjoules, Missing>,
    /// Set for a run of several copies only; then all other readings cover all copies together,
    /// except for the peak of resident memory, which is that of the largest process.
    pub copies: Option<Copies>,
}

/// The readings of copies that ran at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copies {
    /// The number of copies.
    pub count: u32,
    /// The mean time of a copy, from the moment at which all were released until its end was
    /// noticed.
    pub latency: Nanoseconds,
    /// The copy that determined [`FinishedRun::outcome`], from 0: the first whose outcome was not
    /// allowed, if any.
    pub decisive: u32,
}

/// A peak of resident memory with the smallest value that could have been seen.
///
/// Linux starts a program's peak at that of the process that started it, here the launcher. A
/// program smaller than the launcher therefore appears as large as the launcher.
///
/// Neither number is exact: since Linux 6.2 pages are counted per CPU and summed up approximately,
/// to within 32 pages a CPU or, with many CPUs, twice their number. Observed with two CPUs: `true`,
/// from the same parent, 912 to 1112 KiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeakRss {
    /// The value reported by `wait4`.
    pub bytes: Bytes,
    /// The launcher's own peak.
    pub floor: Bytes,
}

impl PeakRss {
    /// True if the value is only an upper bound: the launcher's peak, not the program's.
    pub fn is_at_floor(self) -> bool {
        self.bytes <= self.floor
    }
}

/// A hardware event that can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counter {
    /// CPU cycles.
    Cycles,
    /// Instructions retired.
    Instructions,
    /// Accesses to the last-level cache.
    CacheReferences,
    /// Misses of the last-level cache.
    CacheMisses,
    /// Mispredicted branches.
    BranchMisses,
}

impl Counter {
    /// All counters, in the order of [`Counters::counts`].
    pub const ALL: [Self; 5] = [
        Self::Cycles,
        Self::Instructions,
        Self::CacheReferences,
        Self::CacheMisses,
        Self::BranchMisses,
    ];

    /// The name, as in tables and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Instructions => "instructions",
            Self::CacheReferences => "cache references",
            Self::CacheMisses => "cache misses",
            Self::BranchMisses => "branch misses",
        }
    }
}

/// The hardware counts of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counters {
    /// In the order of [`Counter::ALL`].
    pub counts: [Result<Count, Missing>; 5],
    /// Inclusion of the kernel's own work in the counts; `None` if nothing was counted.
    pub kernel: Option<Kernel>,
}

impl Counters {
    /// The count of one event.
    pub fn count(&self, counter: Counter) -> &Result<Count, Missing> {
        &self.counts[counter as usize]
    }

    /// Missing counts, all for the same reason.
    pub fn none(reason: &Missing) -> Self {
        Self { counts: std::array::from_fn(|_| Err(reason.clone())), kernel: None }
    }
}

/// A number of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// The number of events.
    pub value: u64,
    /// The share of the run during which the counter ran, in thousandths. Below 1000 the value is
    /// scaled up from that part, and approximate.
    pub running_permille: u16,
}

/// Counting of the kernel's work for the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Included.
    Included,
    /// Excluded, because the system only allows counting outside the kernel.
    Excluded,
}
