//! One run: started, waited for, read.
//!
//! Everything that is the same for all runs (pipes, counters, the environment) is made once, in
//! [`Bench`], so that a run costs little more than starting a program and waiting for it.

mod copies;

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Obstacle;
use super::Running;
use super::leftovers::{self, Leftovers};
use super::start::{Refusal, Started, Surroundings};
use super::stops;
use super::wait::{self, Ending, Watched};
use super::{Capture, Chunk, new_chunk};
use super::{cpu_time, microseconds};
use crate::cgroup::{Meter, Room};
use crate::counters::{CounterSet, Snapshot};
use crate::energy::{EnergySnapshot, Packages};
use crate::memory_over_time::{MemorySample, Sampler};
use crate::missing::Missing;
use crate::readings::{Counters, FinishedRun, PeakRss, RawReadings};
use crate::schedstat;
use crate::stack_start::StackLooks;
use crate::sys::errno;
use crate::sys::process::{self, Pid};
use crate::task::{Outcome, Task};
use crate::units::{Address, Bytes, Microjoules, Nanoseconds};

/// The resources shared by all runs.
pub(super) struct Bench {
    surroundings: Surroundings,
    stderr: Capture,
    stdout: Capture,
    chunk: Chunk,
    /// The largest memory of this process seen so far. The kernel counts pages per CPU and sums up
    /// approximately, so a later look may show less.
    floor: Bytes,
    /// Opened on first use.
    counters: Option<CounterSet>,
    /// Found on first use.
    memory: Option<Result<Meter, Missing>>,
    /// Found on first use.
    packages: Option<Result<Packages, Missing>>,
    running: Running,
}

/// The result of a task.
pub(super) enum Done {
    /// It ran.
    Finished(Box<FinishedRun>),
    /// It was ended at the caller's request.
    Aborted,
    /// It was ended because the caller is gone.
    Abandoned,
    /// It was not watched for a while.
    Disturbed,
    /// It never ran.
    CannotStart(Obstacle, i32),
}

/// The optional readings of a run, begun before it starts.
struct Optional {
    counters: Option<Snapshot>,
    room: Result<Room, Missing>,
    energy: Result<EnergySnapshot, Missing>,
}

/// A run that has ended, as the kernel describes it.
struct Ended {
    at_ns: u64,
    ending: Ending,
    outcome: Outcome,
    usage: libc::rusage,
    schedstat: Option<String>,
    discards_children: bool,
    left: Leftovers,
    memory: Result<Vec<MemorySample>, Missing>,
    stack_start: Result<Address, Missing>,
}

impl Bench {
    pub(super) fn new(running: Running) -> io::Result<Self> {
        Ok(Self {
            surroundings: Surroundings::new()?,
            stderr: Capture::new()?,
            stdout: Capture::new()?,
            chunk: new_chunk(),
            floor: Bytes(0),
            counters: None,
            memory: None,
            packages: None,
            running,
        })
    }

    /// Runs a task to its end. An error means that it could not be watched.
    pub(super) fn run(&mut self, task: &Task, control: &UnixStream) -> io::Result<Done> {
        if !task.copies.is_empty() {
            return self.run_copies(task, control);
        }
        self.stderr.keep(task.stderr_kept_bytes as usize);
        stops::happened();
        let (started, optional) = match self.start(task) {
            Ok(started) => started,
            Err((obstacle, error)) => return Ok(Done::CannotStart(obstacle, errno(&error))),
        };
        self.running[0].store(started.pid, Ordering::SeqCst);
        let ended = self.see_to_end(task, started, control)?;
        self.running[0].store(0, Ordering::SeqCst);
        let (stderr_tail, stdout_tail) = self.collect_output(&ended.left)?;
        let wall_ns = ended.at_ns.saturating_sub(started.at_ns);
        let cpu_wait = schedstat::cpu_wait([ended.schedstat.as_deref()], cpu_time(&ended.usage));
        let raw = self.readings(wall_ns, &ended.usage, cpu_wait, optional);
        let outcome = match wait::after_end(ended.ending, ended.outcome, control)? {
            Ending::Abandoned => return Ok(Done::Abandoned),
            Ending::Aborted => return Ok(Done::Aborted),
            _ if stops::happened() => return Ok(Done::Disturbed),
            Ending::TimedOut => Outcome::TimedOut,
            Ending::AskedTerminal(signal) => Outcome::Signalled(signal),
            Ending::ByItself => ended.outcome,
        };
        Ok(Done::Finished(Box::new(FinishedRun {
            tag: task.tag,
            started_unix_ns: started.unix_ns,
            outcome,
            raw,
            stderr_tail,
            stdout_tail,
            left_behind: ended.left.unfinished(),
            discards_children: ended.discards_children,
            memory: ended.memory,
            stack_start: ended.stack_start,
        })))
    }

    fn start(&mut self, task: &Task) -> Result<(Started, Optional), Refusal> {
        let (stderr, discard) = (self.stderr.writing_end(), self.stdout.writing_end());
        let padding = task.environment_padding_bytes;
        let ready = self.surroundings.ready(&task.command, padding, stderr, discard)?;
        let optional = self.begin_optional(task);
        let started = self.surroundings.start(&ready);
        if let Ok(room) = &optional.room {
            room.leave();
        }
        Ok((started?, optional))
    }

    /// Begins the optional readings, as late as possible. Processes started before the room is left
    /// begin within it.
    fn begin_optional(&mut self, task: &Task) -> Optional {
        Optional {
            counters: task
                .read
                .counters
                .then(|| self.counters.get_or_insert_with(CounterSet::open).snapshot()),
            room: if task.read.tree_memory {
                let meter = self.memory.get_or_insert_with(Meter::find);
                meter.as_mut().map_err(|missing| missing.clone()).and_then(|meter| meter.enter())
            } else {
                Err(Missing::NotRequested)
            },
            energy: if task.read.energy {
                let packages =
                    self.packages.get_or_insert_with(|| Packages::find(Path::new("/sys")));
                packages.as_ref().map_err(Missing::clone).and_then(Packages::snapshot)
            } else {
                Err(Missing::NotRequested)
            },
        }
    }

    /// Waits for the program, and ends the processes that it leaves behind.
    fn see_to_end(
        &mut self,
        task: &Task,
        started: Started,
        control: &UnixStream,
    ) -> io::Result<Ended> {
        let mut sampler = task.read.memory_over_time.then(|| Sampler::new(started.at_ns));
        let mut stack = task.read.stack_start.then(|| StackLooks::new(started.pid, started.at_ns));
        let end = process::open_pidfd(started.pid).and_then(|pidfd| {
            let mut watched = Watched {
                group: started.pid,
                pidfd: &pidfd,
                control,
                stderr: &mut self.stderr,
                stdout: &mut self.stdout,
                chunk: &mut self.chunk,
                sampler: sampler.as_mut(),
                stack: stack.as_mut(),
            };
            watched.until_end(started.at_ns, task.timeout)
        });
        if end.is_err() {
            process::signal_group(started.pid, libc::SIGKILL);
        }
        // The leader's figures vanish when it is reaped.
        let schedstat = read_schedstat(started.pid);
        let discards_children = discards_children(started.pid);
        let (outcome, usage) = process::wait4(started.pid)?;
        let left = leftovers::end(&[started.pid], grace(started.at_ns, end.as_ref().ok().copied()));
        let usage = left.usage_with(usage);
        let (at_ns, ending) = end?;
        let memory = sampler.map_or(Err(Missing::NotRequested), Sampler::finish);
        let stack_start = stack.map_or(Err(Missing::NotRequested), StackLooks::finish);
        Ok(Ended {
            at_ns,
            ending,
            outcome,
            usage,
            schedstat,
            discards_children,
            left,
            memory,
            stack_start,
        })
    }

    /// The end of the program's standard error and standard output.
    fn collect_output(&mut self, left: &Leftovers) -> io::Result<(Vec<u8>, Vec<u8>)> {
        if left.some_remain {
            // A process may keep writing into the pipes.
            self.stderr.read_some(&mut self.chunk)?;
            self.stdout.read_some(&mut self.chunk)?;
            let tails = (self.stderr.take_tail(), self.stdout.take_tail());
            self.stderr = Capture::new()?;
            self.stdout = Capture::new()?;
            return Ok(tails);
        }
        self.stderr.read_all(&mut self.chunk)?;
        self.stdout.read_all(&mut self.chunk)?;
        Ok((self.stderr.take_tail(), self.stdout.take_tail()))
    }

    fn readings(
        &mut self,
        wall_ns: u64,
        usage: &libc::rusage,
        cpu_wait: Result<Nanoseconds, Missing>,
        optional: Optional,
    ) -> RawReadings {
        self.floor = self.floor.max(Bytes(process::own_peak_rss_bytes()));
        RawReadings {
            wall: Nanoseconds(wall_ns),
            user: microseconds(usage.ru_utime),
            system: microseconds(usage.ru_stime),
            cpu: cpu_time(usage),
            cpu_wait,
            peak_rss: PeakRss {
                bytes: Bytes(usage.ru_maxrss.cast_unsigned() * 1024),
                floor: self.floor,
            },
            tree_peak: optional.room.and_then(Room::close),
            minor_faults: usage.ru_minflt.cast_unsigned(),
            major_faults: usage.ru_majflt.cast_unsigned(),
            voluntary_switches: usage.ru_nvcsw.cast_unsigned(),
            involuntary_switches: usage.ru_nivcsw.cast_unsigned(),
            block_reads_512_bytes: usage.ru_inblock.cast_unsigned(),
            block_writes_512_bytes: usage.ru_oublock.cast_unsigned(),
            counters: self.counted_since(optional.counters.as_ref()),
            energy: optional.energy.and_then(|before| self.energy_since(&before, wall_ns)),
            copies: None,
        }
    }

    fn energy_since(&self, before: &EnergySnapshot, wall_ns: u64) -> Result<Microjoules, Missing> {
        match &self.packages {
            Some(Ok(packages)) => {
                packages.between(before, &packages.snapshot()?, Nanoseconds(wall_ns))
            }
            _ => Err(Missing::NotRequested),
        }
    }

    fn counted_since(&mut self, before: Option<&Snapshot>) -> Counters {
        match (&mut self.counters, before) {
            (Some(set), Some(before)) => {
                let counters = set.between(before, &set.snapshot());
                set.split_if_too_large(&counters);
                counters
            }
            _ => Counters::none(&Missing::NotRequested),
        }
    }
}

/// The time for leftover processes to end by themselves: as long as the run took, so that measuring
/// takes at most twice as long; zero if the run was ended from outside.
fn grace(started_ns: u64, end: Option<(u64, Ending)>) -> Duration {
    match end {
        Some((at_ns, Ending::ByItself)) => Duration::from_nanos(at_ns.saturating_sub(started_ns)),
        _ => Duration::ZERO,
    }
}

fn read_schedstat(pid: Pid) -> Option<String> {
    // Three numbers of at most 20 digits.
    let mut text = [0; 80];
    let text = read_of(pid, "schedstat", &mut text)?;
    std::str::from_utf8(text).ok().map(str::to_owned)
}

/// True if a process that has ended had the kernel discard its children, including their usage, by
/// ignoring SIGCHLD (wait(2), notes on POSIX.1-2001).
fn discards_children(pid: Pid) -> bool {
    // Fifty-two numbers and a name of at most 64 bytes; for a process that has ended most are 0.
    let mut text = [0; 1200];
    let text = read_of(pid, "stat", &mut text).map(String::from_utf8_lossy).unwrap_or_default();
    // The name before the parenthesis may contain anything. The ignored signals are field 33 of
    // proc_pid_stat(5); the first field after the name is the third.
    let ignored = text.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(33 - 3));
    let ignored: u64 = ignored.and_then(|field| field.parse().ok()).unwrap_or(0);
    ignored >> (libc::SIGCHLD - 1) & 1 == 1
}

/// The kernel's file with this name about a process, as far as it fits into `text`.
fn read_of<'a>(pid: Pid, name: &str, text: &'a mut [u8]) -> Option<&'a [u8]> {
    let length = File::open(format!("/proc/{pid}/{name}")).ok()?.read(text).ok()?;
    Some(&text[..length])
}
