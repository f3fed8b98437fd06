//! The results of one run: its readings, each with its unit, or the reason that it is missing.
//!
//! The values are as reported by the kernel. Turning them into metrics with names and directions is
//! up to the caller. Units are types, so that a number of bytes never meets a number of faults. A
//! number that was not read is never 0: it is a [`Missing`], whose `Display` is the text that a
//! report shows in place of the number.

use std::io;
use std::path::{Path, PathBuf};

use crate::looks::MemorySample;
use crate::task::Outcome;
use crate::wire::{Malformed, Reader, Wire};

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

/// The reason that a reading is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum Missing {
    #[error("not requested")]
    NotRequested,
    /// The processor, or the hypervisor, has none.
    #[error("no hardware counters in this machine")]
    NoHardwareCounters,
    /// The kernel refuses counters to this user.
    #[error("perf_event_open: {}{}", errno_text(*.errno), level_text(*.paranoid))]
    CountersForbidden { errno: i32, paranoid: Option<i32> },
    /// `perf_event_open`, or reading the counter, failed in another way.
    #[error("perf_event_open: {}", errno_text(*.errno))]
    CounterFailed { errno: i32 },
    /// It shared its hardware register, and ran too little to be scaled.
    #[error("multiplexed: the counter ran {running_percent} % of the time")]
    Multiplexed { running_percent: u8 },
    #[error("the run ended before the counter was enabled")]
    NeverCounted,
    #[error("the run ended before its memory was sampled")]
    NeverSampled,
    /// The run ended before its stack was looked at, or belongs to another user.
    #[error("nobody saw where its stack began")]
    StackUnseen,
    /// This is read for a single process only.
    #[error("not read of several copies at once")]
    SeveralCopies,
    /// `schedstat` covers one thread only, and that thread did not do the work.
    #[error(
        "most of its CPU time was spent in other threads or child processes, whose waiting Linux \
         does not report"
    )]
    CpuTimeElsewhere,
    #[error("this kernel keeps no scheduler statistics")]
    NoSchedstat,
    #[error("no cgroup v2 memory controller here")]
    NoMemoryController,
    /// A cgroup for the run could not be set up or read.
    #[error("cgroup v2: {}", errno_text(*.errno))]
    CgroupFailed { errno: i32 },
    #[error("no powercap energy counters here")]
    NoEnergyCounters,
    #[error("only root may read the powercap energy counters, since CVE-2020-8694")]
    EnergyForbidden,
    #[error("the run ended before the energy counters moved, about every millisecond")]
    ShorterThanEnergyCounts,
    #[error(
        "in a run of more than {after_seconds} s the energy counters may begin anew more than once"
    )]
    EnergyWrapped { after_seconds: u64 },
    #[error("no `{}` here", path.display())]
    NoFile { path: PathBuf },
    #[error("cannot read `{}`: {}", path.display(), errno_text(*.errno))]
    Unreadable { path: PathBuf, errno: i32 },
    #[error("cannot make sense of `{}`", path.display())]
    NotUnderstood { path: PathBuf },
}

impl Missing {
    /// The reason behind a failure to read `path`.
    pub(crate) fn from_read(path: &Path, error: &io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::ENOENT | libc::ENOTDIR) => Self::NoFile { path: path.into() },
            Some(errno) => Self::Unreadable { path: path.into(), errno },
            None => Self::NotUnderstood { path: path.into() },
        }
    }
}

fn level_text(paranoid: Option<i32>) -> String {
    paranoid.map_or_else(String::new, |level| format!("; kernel.perf_event_paranoid is {level}"))
}

/// The system's message for an error number, without the number.
fn errno_text(errno: i32) -> String {
    let text = io::Error::from_raw_os_error(errno).to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// Marks an absent optional number in the encoding.
const ABSENT: i64 = i64::MIN;

/// A code, and the number and text that the reason uses.
impl Wire for Missing {
    fn encode(&self, out: &mut Vec<u8>) {
        let (code, number, text): (u8, i64, Option<&PathBuf>) = match self {
            Self::NotRequested => (0, 0, None),
            Self::NoHardwareCounters => (1, 0, None),
            Self::CountersForbidden { errno, paranoid } => {
                out.push(2);
                i64::from(*errno).encode(out);
                paranoid.map_or(ABSENT, i64::from).encode(out);
                return;
            }
            Self::CounterFailed { errno } => (3, i64::from(*errno), None),
            Self::Multiplexed { running_percent } => (4, i64::from(*running_percent), None),
            Self::NeverCounted => (5, 0, None),
            Self::CpuTimeElsewhere => (6, 0, None),
            Self::NoSchedstat => (7, 0, None),
            Self::NoMemoryController => (8, 0, None),
            Self::CgroupFailed { errno } => (9, i64::from(*errno), None),
            Self::NoFile { path } => (10, 0, Some(path)),
            Self::Unreadable { path, errno } => (11, i64::from(*errno), Some(path)),
            Self::NotUnderstood { path } => (12, 0, Some(path)),
            Self::NeverSampled => (13, 0, None),
            Self::StackUnseen => (14, 0, None),
            Self::NoEnergyCounters => (15, 0, None),
            Self::EnergyForbidden => (16, 0, None),
            Self::ShorterThanEnergyCounts => (17, 0, None),
            Self::EnergyWrapped { after_seconds } => (18, after_seconds.cast_signed(), None),
            Self::SeveralCopies => (19, 0, None),
        };
        out.push(code);
        match code {
            3 | 4 | 9 | 11 | 18 => number.encode(out),
            _ => {}
        }
        if let Some(path) = text {
            path.encode(out);
        }
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let errno =
            |from: &mut Reader<'_>| i32::try_from(i64::decode(from)?).map_err(|_| Malformed);
        Ok(match u8::decode(from)? {
            0 => Self::NotRequested,
            1 => Self::NoHardwareCounters,
            2 => Self::CountersForbidden {
                errno: errno(from)?,
                paranoid: match i64::decode(from)? {
                    ABSENT => None,
                    level => Some(i32::try_from(level).map_err(|_| Malformed)?),
                },
            },
            3 => Self::CounterFailed { errno: errno(from)? },
            4 => Self::Multiplexed {
                running_percent: u8::try_from(i64::decode(from)?).map_err(|_| Malformed)?,
            },
            5 => Self::NeverCounted,
            6 => Self::CpuTimeElsewhere,
            7 => Self::NoSchedstat,
            8 => Self::NoMemoryController,
            9 => Self::CgroupFailed { errno: errno(from)? },
            10 => Self::NoFile { path: Wire::decode(from)? },
            11 => {
                let errno = errno(from)?;
                Self::Unreadable { path: Wire::decode(from)?, errno }
            }
            12 => Self::NotUnderstood { path: Wire::decode(from)? },
            13 => Self::NeverSampled,
            14 => Self::StackUnseen,
            15 => Self::NoEnergyCounters,
            16 => Self::EnergyForbidden,
            17 => Self::ShorterThanEnergyCounts,
            18 => Self::EnergyWrapped { after_seconds: i64::decode(from)?.cast_unsigned() },
            19 => Self::SeveralCopies,
            _ => return Err(Malformed),
        })
    }
}

/// A duration or an instant, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanoseconds(pub u64);

/// A duration in microseconds, the resolution of `struct rusage`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Microseconds(pub u64);

/// An amount of memory or storage, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub u64);

/// An amount of energy, in microjoules, the resolution of the kernel's powercap files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Microjoules(pub u64);

/// An address in the memory of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u64);

impl Nanoseconds {
    /// The same duration in seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Microjoules {
    /// The same energy in joules.
    pub fn as_joules(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl Microseconds {
    /// The same duration in seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_setting_that_caused_it() {
        let missing = Missing::CountersForbidden { errno: libc::EACCES, paranoid: Some(3) };
        assert_eq!(
            missing.to_string(),
            "perf_event_open: Permission denied; kernel.perf_event_paranoid is 3"
        );
    }

    #[test]
    fn a_counter_that_hardly_ran_says_how_little() {
        assert_eq!(
            Missing::Multiplexed { running_percent: 12 }.to_string(),
            "multiplexed: the counter ran 12 % of the time"
        );
    }
}
