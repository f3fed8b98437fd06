//! A program sampled for the functions in which it spends its processor time, without stopping it:
//! the kernel interrupts it after each period of a software clock, and copies its position and the
//! end of its stack.
//!
//! This needs no hardware counters and no special build. It covers the command, its threads, and
//! the processes that it starts. [`crate::sampling`] stops a program instead, and lets its memory
//! be read.

mod records;

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::clock::Stopwatch;
use crate::launcher::start::Surroundings;
use crate::readings::{Kernel, Microseconds, Missing};
use crate::sys::descriptors::{Watch, pipe, poll};
use crate::sys::errno;
use crate::sys::events::{Event, Ring, SampledEvent, open_sampled};
use crate::sys::process::{Pid, open_pidfd, signal_process, stopped_by_terminal, wait4};
use crate::sys::spawn::{Gate, Trouble};
use crate::task::{CommandLine, Outcome};
use crate::tool::{Guard, LogEnd, Printed};
use crate::{executable, interrupt};

use records::Log;
pub use records::{Mapping, Record, Recorded, Sample, UserRegisters};

/// The conditions of a profiled run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// The processor time between two samples of a thread.
    pub period: Duration,
    /// The time limit of the run, if any.
    pub limit: Option<Duration>,
}

/// A run with its samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfiledRun {
    /// Its end.
    pub end: LogEnd,
    /// Its duration.
    pub elapsed: Duration,
    /// Its processor time, with that of descendants that were waited for.
    pub cpu: Microseconds,
    /// Inclusion of the kernel's work for it.
    pub kernel: Kernel,
    /// The samples and what they need to be understood, in the order of time.
    pub records: Vec<Record>,
    /// The number of records that the kernel had no room for.
    pub lost: u64,
    /// The number of times the kernel paused sampling because it took too long.
    pub throttled: u64,
    /// The number of samples without their stack, because all stacks together are too large.
    pub without_stack: u64,
    /// The end of its standard error.
    pub stderr_tail: Vec<u8>,
}

/// The reason that there is no profile.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ProfilerError {
    #[error("it cannot be started")]
    Start(#[source] io::Error),
    #[error("programs cannot be sampled here ({0})")]
    Refused(Missing),
    #[error("the kernel gives no memory for samples")]
    NoRing(#[source] io::Error),
    #[error("it could not be followed to its end")]
    Lost(#[source] io::Error),
}

/// The clocks, the preferred one first: PERF_COUNT_SW_CPU_CLOCK and PERF_COUNT_SW_TASK_CLOCK of
/// PERF_TYPE_SOFTWARE.
const CLOCKS: [Event; 2] = [Event { kind: 1, config: 0 }, Event { kind: 1, config: 1 }];

/// The length of the stack that is copied: that of perf, enough for some hundred frames.
const STACK_BYTES: u32 = 8192;

/// The room for unread samples of all CPUs together, and the least and the most of one: 512 KiB is
/// all that an ordinary user may have of each CPU (perf_event_mlock_kb), and 4 MiB hold samples of
/// half a second at a thousand a second.
const ROOM_BYTES: usize = 64 << 20;
const LEAST_RING_BYTES: usize = 1 << 18;
const MOST_RING_BYTES: usize = 1 << 22;

/// The largest amount of stacks that is held in memory.
const MOST_STACK_BYTES: usize = 1 << 28;

/// The interval at which rings are emptied.
const EMPTYING: Duration = Duration::from_millis(20);

/// The number of bytes kept of the end of standard error.
const KEPT_BYTES: usize = 8 * 1024;

/// Runs a command to its end, and samples it. When it ends, so does everything in its process
/// group.
///
/// Fails before the command starts if the kernel refuses to sample.
pub fn profile(command: &CommandLine, how: Profile) -> Result<ProfiledRun, ProfilerError> {
    profile_by(command, how, &open_sampled)
}

/// Locked while a process waits for its gate: until it executes its program, it has a copy of every
/// open descriptor, and the gate of another one would not open while it has that.
static HELD: Mutex<()> = Mutex::new(());

/// Opens a sampled event for a process on a CPU.
type Opener<'a> = dyn Fn(Pid, i32, SampledEvent) -> io::Result<File> + 'a;

fn profile_by(
    command: &CommandLine,
    how: Profile,
    open: &Opener<'_>,
) -> Result<ProfiledRun, ProfilerError> {
    let (stderr, stderr_writer) = pipe().map_err(ProfilerError::Start)?;
    let (stdout, stdout_writer) = pipe().map_err(ProfilerError::Start)?;
    let mut ignored = |_: &[u8]| {};
    let mut also_ignored = |_: &[u8]| {};
    let streams = [
        Printed::new(stderr, KEPT_BYTES, &mut ignored),
        Printed::new(stdout, 0, &mut also_ignored),
    ];
    let alone = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let gate = Gate::new().map_err(ProfilerError::Start)?;
    let held = Held::new(command, &gate, [stderr_writer, stdout_writer])?;
    let (rings, kernel) = Rings::open(held.pid, how.period, open)?;
    let mut running = Running { held, rings, streams, log: Log::default() };
    let watch = Stopwatch::start();
    let mut opened = gate.open();
    drop(alone);
    let end = running.until_end(how.limit, &watch).map_err(ProfilerError::Lost)?;
    let elapsed = watch.elapsed();
    let (outcome, usage) = running.held.end().map_err(ProfilerError::Lost)?;
    if let Some(Trouble::Directory(errno) | Trouble::Program(errno)) = opened.trouble() {
        return Err(ProfilerError::Start(executable::refusal(&command.program, errno)));
    }
    running.finish().map_err(ProfilerError::Lost)?;
    let Running { log, streams: [stderr, _], .. } = running;
    let mut records = log.records;
    // Each ring is in order.
    records.sort_by_key(|record| record.at_ns);
    Ok(ProfiledRun {
        end: end.unwrap_or(LogEnd::ByItself(outcome)),
        elapsed,
        cpu: usage,
        kernel,
        records,
        lost: log.lost,
        throttled: log.throttled,
        without_stack: log.without_stack,
        stderr_tail: stderr.tail(),
    })
}

/// A process of the command that waits for its gate, and later runs it. It is ended on drop.
struct Held {
    pid: Pid,
    end: OwnedFd,
    guard: Guard,
    is_over: bool,
    /// The writing ends of its streams: a stream that the program closes is only silent.
    _writers: [OwnedFd; 2],
}

impl Held {
    /// Forks it, with these for its standard error, and for its standard output if that is
    /// discarded.
    fn new(
        command: &CommandLine,
        gate: &Gate,
        writers: [OwnedFd; 2],
    ) -> Result<Self, ProfilerError> {
        let start = |(_, error)| ProfilerError::Start(error);
        let surroundings = Surroundings::new().map_err(ProfilerError::Start)?;
        let [stderr, stdout] = writers.each_ref().map(AsRawFd::as_raw_fd);
        let ready = surroundings.ready(command, 0, stderr, stdout).map_err(start)?;
        let pid = surroundings.hold(&ready, gate).map_err(ProfilerError::Start)?;
        let guarded = Guard::joining(pid).and_then(|guard| Ok((guard, open_pidfd(pid)?)));
        match guarded {
            Ok((guard, end)) => Ok(Self { pid, end, guard, is_over: false, _writers: writers }),
            Err(error) => {
                signal_process(pid, libc::SIGKILL);
                let _ = wait4(pid);
                Err(ProfilerError::Start(error))
            }
        }
    }

    /// Ends its group, and returns its outcome and processor time.
    fn end(&mut self) -> io::Result<(Outcome, Microseconds)> {
        self.guard.end_group();
        self.is_over = true;
        let (outcome, usage) = wait4(self.pid)?;
        let micros = |time: libc::timeval| {
            time.tv_sec.cast_unsigned() * 1_000_000 + time.tv_usec.cast_unsigned()
        };
        Ok((outcome, Microseconds(micros(usage.ru_utime) + micros(usage.ru_stime))))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.is_over {
            let _ = self.end();
        }
    }
}

/// The rings of all CPUs, with what was taken from each and is not a whole record yet.
struct Rings(Vec<(Ring, Vec<u8>)>);

impl Rings {
    /// Opens the first clock that the kernel has, with the kernel's own work if that is allowed.
    fn open(
        process: Pid,
        period: Duration,
        open: &Opener<'_>,
    ) -> Result<(Self, Kernel), ProfilerError> {
        let period = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).max(1);
        let mut refusal = None;
        for event in CLOCKS {
            for kernel in [Kernel::Included, Kernel::Excluded] {
                let sampled = SampledEvent { event, period, stack_bytes: STACK_BYTES, kernel };
                match Self::of_event(process, sampled, open) {
                    Err(ProfilerError::Refused(missing)) => {
                        refusal = refusal.or(Some(ProfilerError::Refused(missing)));
                    }
                    other => return other.map(|rings| (rings, kernel)),
                }
            }
        }
        Err(refusal.expect("there are clocks"))
    }

    fn of_event(
        process: Pid,
        sampled: SampledEvent,
        open: &Opener<'_>,
    ) -> Result<Self, ProfilerError> {
        let refused = |error: io::Error| ProfilerError::Refused(refusal(&error));
        let mut events = Vec::new();
        for cpu in online_cpus() {
            match open(process, cpu, sampled) {
                Ok(event) => events.push(event),
                // It went offline just now.
                Err(error) if error.raw_os_error() == Some(libc::ENODEV) => {}
                Err(error) => return Err(refused(error)),
            }
        }
        if events.is_empty() {
            return Err(refused(io::Error::from_raw_os_error(libc::ENODEV)));
        }
        let share = ROOM_BYTES / events.len();
        let bytes = share.clamp(LEAST_RING_BYTES, MOST_RING_BYTES);
        let bytes = 1 << bytes.ilog2();
        events.into_iter().map(|event| map(event, bytes)).collect::<Result<_, _>>().map(Self)
    }
}

/// Maps the ring of an event, a smaller one if the user may not have more.
fn map(event: File, mut bytes: usize) -> Result<(Ring, Vec<u8>), ProfilerError> {
    loop {
        let again = event.try_clone().map_err(ProfilerError::NoRing)?;
        match Ring::map(again, bytes) {
            Ok(ring) => return Ok((ring, Vec::new())),
            Err(_) if bytes > LEAST_RING_BYTES / 8 => bytes /= 2,
            Err(error) => return Err(ProfilerError::NoRing(error)),
        }
    }
}

/// The reason in the terms of readings.
fn refusal(error: &io::Error) -> Missing {
    match errno(error) {
        errno @ (libc::EACCES | libc::EPERM) => {
            let level = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
            let paranoid = level.ok().and_then(|level| level.trim().parse().ok());
            Missing::CountersForbidden { errno, paranoid }
        }
        errno => Missing::CounterFailed { errno },
    }
}

/// The CPUs that run programs: `0-3,8` in sysfs; the first one if that cannot be read.
fn online_cpus() -> Vec<i32> {
    let text = fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let cpus = ranges(&text);
    if cpus.is_empty() { vec![0] } else { cpus }
}

fn ranges(text: &str) -> Vec<i32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    text.trim().split(',').filter_map(range).flatten().collect()
}

/// A running program with its rings and streams.
struct Running<'a> {
    held: Held,
    rings: Rings,
    streams: [Printed<'a>; 2],
    log: Log,
}

impl Running<'_> {
    /// Takes samples until the program has ended (`None`) or must be ended.
    fn until_end(
        &mut self,
        limit: Option<Duration>,
        watch: &Stopwatch,
    ) -> io::Result<Option<LogEnd>> {
        let signals = interrupt::wake_fd().map_or(Watch::nothing(), Watch::readable);
        loop {
            let [stderr, stdout] =
                self.streams.each_ref().map(|stream| Watch::readable(stream.reader.as_raw_fd()));
            let mut watches = [Watch::readable(self.held.end.as_raw_fd()), signals, stderr, stdout];
            poll(&mut watches, Some(EMPTYING))?;
            for (stream, watch) in self.streams.iter_mut().zip(&watches[2..]) {
                if watch.is_ready() {
                    stream.read_some()?;
                }
            }
            self.empty_rings();
            if watches[0].is_ready() {
                return Ok(None);
            }
            if watches[1].is_ready() {
                interrupt::quiet();
            }
            if interrupt::requested() {
                return Ok(Some(LogEnd::Interrupted));
            }
            if let Some(signal) = stopped_by_terminal(self.held.pid) {
                return Ok(Some(LogEnd::ByItself(Outcome::Signalled(signal))));
            }
            if limit.is_some_and(|limit| watch.elapsed() >= limit) {
                return Ok(Some(LogEnd::TimedOut));
            }
        }
    }

    /// Reads what is left after the end.
    fn finish(&mut self) -> io::Result<()> {
        self.empty_rings();
        self.streams.iter_mut().try_for_each(Printed::read_rest)
    }

    fn empty_rings(&mut self) {
        for (ring, unread) in &mut self.rings.0 {
            ring.take(unread);
            self.log.take(unread, MOST_STACK_BYTES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Stdin, Stdout};

    fn shell(script: &str) -> CommandLine {
        CommandLine {
            argv: ["sh", "-c", script].map(Into::into).to_vec(),
            program: "/bin/sh".into(),
            env: Vec::new(),
            cwd: None,
            stdin: Stdin::Null,
            stdout: Stdout::Null,
        }
    }

    const HOW: Profile = Profile { period: Duration::from_millis(1), limit: None };

    #[test]
    fn a_refusal_is_told_before_anything_runs() {
        let made = std::env::temp_dir().join(format!("brisk-refused-{}", std::process::id()));
        let command = shell(&format!("touch {}", made.display()));
        let refuse = |_, _, _| Err(io::Error::from_raw_os_error(libc::EACCES));
        let error = profile_by(&command, HOW, &refuse).expect_err("it is refused");
        let ProfilerError::Refused(Missing::CountersForbidden { errno: libc::EACCES, .. }) = error
        else {
            panic!("{error:?}");
        };
        assert!(!made.exists());
        let absent = |_, _, _| Err(io::Error::from_raw_os_error(libc::ENOSYS));
        let error = profile_by(&command, HOW, &absent).expect_err("it is refused");
        assert_eq!(
            error.to_string(),
            "programs cannot be sampled here (perf_event_open: Function not implemented)"
        );
    }

    #[test]
    fn another_clock_and_the_program_alone_are_tried() {
        let asked = std::cell::RefCell::new(Vec::new());
        let refuse = |_, _, sampled: SampledEvent| {
            asked.borrow_mut().push((sampled.event.config, sampled.kernel));
            Err(io::Error::from_raw_os_error(libc::EACCES))
        };
        profile_by(&shell("true"), HOW, &refuse).expect_err("it is refused");
        let expected = [
            (0, Kernel::Included),
            (0, Kernel::Excluded),
            (1, Kernel::Included),
            (1, Kernel::Excluded),
        ];
        assert_eq!(asked.take(), expected);
    }

    #[test]
    fn lists_of_cpus_are_numbers_and_ranges() {
        assert_eq!(ranges("0-2,5,7-8\n"), [0, 1, 2, 5, 7, 8]);
        assert_eq!(ranges(""), []);
        assert_eq!(ranges("x,1-"), []);
    }
}
