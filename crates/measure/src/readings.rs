//! What one run gave: its readings, each with its unit, or why there is none.
//!
//! The values are as the kernel reported them. Turning them into metrics with
//! names and directions is the caller's business.

use crate::memory_over_time::MemorySample;
use crate::missing::Missing;
use crate::task::Outcome;
use crate::units::{Address, Bytes, Microjoules, Microseconds, Nanoseconds};

/// One run, and all that was read from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedRun {
    /// The [`crate::Task::tag`] of the task that asked for it.
    pub tag: u64,
    /// When it started: nanoseconds since 1970-01-01 UTC, as the system's clock was when the launcher
    /// began; if it is set later, this does not jump.
    pub started_unix_ns: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// What was read.
    pub raw: RawReadings,
    /// The last 8 KiB of its standard error.
    pub stderr_tail: Vec<u8>,
    /// The last 8 KiB of its standard output, if that was [`crate::Stdout::Discard`].
    pub stdout_tail: Vec<u8>,
    /// How many processes were still alive after the command had ended, and a moment later.
    /// They have been killed, so what they used is less than they would have.
    pub left_behind: u32,
    /// The command ignored SIGCHLD, so that what its children used is in no reading.
    pub discards_children: bool,
    /// Where its stack began, if the task asked for it.
    pub stack_start: Result<Address, Missing>,
    /// Its memory over time, in the order of the samples, if the task asked for it.
    pub memory: Result<Vec<MemorySample>, Missing>,
}

/// The readings of one run.
///
/// Those from `wait4` cover the command, its threads, and every descendant, until it ended or was
/// killed (see [`FinishedRun::left_behind`]): one that nobody waited for is waited for by the
/// launcher. Not in them are descendants whose parent had the kernel discard them (see
/// [`FinishedRun::discards_children`]), and processes that others start, such as a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawReadings {
    /// From just before the command is started until its end is noticed.
    pub wall: Nanoseconds,
    /// CPU time outside the kernel.
    pub user: Microseconds,
    /// CPU time inside the kernel.
    pub system: Microseconds,
    /// Both together. Linux keeps this sum exactly and divides it between the
    /// two by sampling, so the sum is the better number.
    pub cpu: Microseconds,
    /// Time during which the command's first thread could have run but had to
    /// wait for a CPU.
    pub cpu_wait: Result<Nanoseconds, Missing>,
    /// The most memory that the largest single process of the run held.
    pub peak_rss: PeakRss,
    /// The most memory that all processes of the run held together, page cache included.
    pub tree_peak: Result<Bytes, Missing>,
    /// Page faults that needed no disk.
    pub minor_faults: u64,
    /// Page faults that did.
    pub major_faults: u64,
    /// How often it gave up the CPU to wait for something.
    pub voluntary_switches: u64,
    /// How often it was made to give up the CPU.
    pub involuntary_switches: u64,
    /// Read from storage (not from the page cache), in blocks of 512 bytes.
    pub block_reads_512_bytes: u64,
    /// Written to storage, in blocks of 512 bytes.
    pub block_writes_512_bytes: u64,
    /// Hardware counters.
    pub counters: Counters,
    /// What all processor packages took while it ran, whoever used them, if the task asked for it.
    pub energy: Result<Microjoules, Missing>,
    /// What only a run of several copies has; then everything else is of all copies together, but
    /// for the peak of resident memory, which is that of the largest process.
    pub copies: Option<Copies>,
}

/// What is read of copies that ran at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copies {
    /// How many there were.
    pub count: u32,
    /// What one took, from the moment at which all were let go until its end was noticed: the mean.
    pub latency: Nanoseconds,
    /// The copy of which [`FinishedRun::outcome`] is, from 0: the first that ended as it may not,
    /// where one did.
    pub decisive: u32,
}

/// A peak of resident memory with the least value that could have been seen.
///
/// Linux starts a program's peak at that of the process it was started by,
/// here the launcher's. A program smaller than the launcher is therefore shown
/// as large as the launcher.
///
/// Neither number is exact: since Linux 6.2 pages are counted per CPU and summed
/// up roughly, by up to 32 pages a CPU or, with many CPUs, twice their number.
/// Seen with two CPUs: `true`, from one and the same parent, 912 to 1112 KiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeakRss {
    /// What `wait4` reported.
    pub bytes: Bytes,
    /// The launcher's own peak.
    pub floor: Bytes,
}

impl PeakRss {
    /// Whether the value only says "at most this": it is the launcher's, not the program's.
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
    /// Branches that were predicted wrongly.
    BranchMisses,
}

impl Counter {
    /// All of them, in the order of [`Counters::counts`].
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

/// What the hardware counted during one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counters {
    /// In the order of [`Counter::ALL`].
    pub counts: [Result<Count, Missing>; 5],
    /// Whether the kernel's own work is in the counts; `None` if nothing was counted.
    pub kernel: Option<Kernel>,
}

impl Counters {
    /// The count of one event.
    pub fn of(&self, counter: Counter) -> &Result<Count, Missing> {
        &self.counts[counter as usize]
    }

    /// No counter, all for the same reason.
    pub fn none(reason: &Missing) -> Self {
        Self { counts: std::array::from_fn(|_| Err(reason.clone())), kernel: None }
    }
}

/// A number of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// How many there were.
    pub value: u64,
    /// For how much of the run the counter ran, in thousandths. Below 1000 the
    /// value is scaled up from that part, and approximate.
    pub running_permille: u16,
}

/// Whether counters count while the kernel works for the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// They do.
    Included,
    /// They count only outside the kernel: the system allows no more.
    Excluded,
}
