//! One run: started, waited for, read.
//!
//! Everything that is the same for all runs (pipes, counters, the environment) is made once, in
//! [`Bench`], so that a run costs little more than starting a program and waiting for it.
//!
//! Copies of a command that start at the same moment are one run, too: each is forked and prepared,
//! and waits behind a gate that releases all at once. They are waited for together, and the run's
//! readings cover all of them.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::cgroup::{Meter, Room};
use crate::clock::monotonic_ns;
use crate::counters::{CounterSet, Snapshot};
use crate::energy::{EnergySnapshot, Packages};
use crate::launcher::leftovers::{self, Leftovers};
use crate::launcher::start::{Refusal, Started, Surroundings};
use crate::launcher::wait::{self, Capture, Chunk, Course, Ending, Watched, new_chunk};
use crate::launcher::{Obstacle, Running};
use crate::looks::{MemorySample, Sampler, StackLooks};
use crate::proc;
use crate::readings::{
    Address, Bytes, Copies, Counters, FinishedRun, Microjoules, Microseconds, Missing, Nanoseconds,
    PeakRss, RawReadings,
};
use crate::sys::descriptors::{self, Watch};
use crate::sys::process::{self, Pid};
use crate::sys::spawn::{Gate, Trouble};
use crate::sys::{errno, signals};
use crate::task::{Awaits, Outcome, Task};

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

/// A run of one process that has ended.
struct Ended {
    process: EndedProcess,
    ending: Ending,
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
        signals::was_continued();
        let (started, optional) = match self.start(task) {
            Ok(started) => started,
            Err((obstacle, error)) => return Ok(Done::CannotStart(obstacle, errno(&error))),
        };
        self.running[0].store(started.pid, Ordering::SeqCst);
        let ended = self.see_to_end(task, started, control)?;
        self.running[0].store(0, Ordering::SeqCst);
        let (stderr_tail, stdout_tail) = self.collect_output(&ended.left)?;
        let EndedProcess { at_ns, outcome, usage, schedstat, discards_children } = ended.process;
        let end_ns = match task.awaits {
            Awaits::Command => at_ns,
            Awaits::AllProcesses => ended.left.ended_ns.unwrap_or(at_ns),
        };
        let wall_ns = end_ns.saturating_sub(started.at_ns);
        let cpu_wait = proc::cpu_wait([schedstat.as_deref()], cpu_time(&usage));
        let raw = self.readings(wall_ns, &usage, cpu_wait, optional);
        let outcome = match settled(ended.ending, outcome, control)? {
            Ok(outcome) => outcome,
            Err(discarded) => return Ok(discarded),
        };
        Ok(Done::Finished(Box::new(FinishedRun {
            tag: task.tag,
            started_unix_ns: started.unix_ns,
            outcome,
            raw,
            stderr_tail,
            stdout_tail,
            left_behind: ended.left.unfinished(),
            discards_children,
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
        let at_ns = end.as_ref().map_or(started.at_ns, |(at_ns, _)| *at_ns);
        let mut process = EndedProcess::take(started.pid, at_ns)?;
        let left = leftovers::end(&[started.pid], grace(started.at_ns, end.as_ref().ok().copied()));
        process.usage = left.usage_with(process.usage);
        let (_, ending) = end?;
        let memory = sampler.map_or(Err(Missing::NotRequested), Sampler::finish);
        let stack_start = stack.map_or(Err(Missing::NotRequested), StackLooks::finish);
        Ok(Ended { process, ending, left, memory, stack_start })
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

/// The outcome of a run that has ended; an error if the run does not count.
fn settled(
    ending: Ending,
    outcome: Outcome,
    control: &UnixStream,
) -> io::Result<Result<Outcome, Done>> {
    Ok(match wait::after_end(ending, outcome, control)? {
        Ending::Abandoned => Err(Done::Abandoned),
        Ending::Aborted => Err(Done::Aborted),
        _ if signals::was_continued() => Err(Done::Disturbed),
        Ending::TimedOut => Ok(Outcome::TimedOut),
        Ending::AskedTerminal(signal) => Ok(Outcome::Signalled(signal)),
        Ending::ByItself => Ok(outcome),
    })
}

/// A process that has ended, as the kernel describes it.
struct EndedProcess {
    at_ns: u64,
    outcome: Outcome,
    usage: libc::rusage,
    schedstat: Option<String>,
    discards_children: bool,
}

impl EndedProcess {
    /// Reaps a process whose end was noticed at this moment.
    fn take(pid: Pid, at_ns: u64) -> io::Result<Self> {
        // Its figures vanish when it is reaped.
        let schedstat = proc::schedstat(pid);
        let discards_children = proc::discards_children(pid);
        let (outcome, usage) = process::wait4(pid)?;
        Ok(Self { at_ns, outcome, usage, schedstat, discards_children })
    }
}

/// The processes of a run, each the leader of a group.
#[derive(Default)]
struct Processes {
    pids: Vec<Pid>,
    pidfds: Vec<OwnedFd>,
}

/// All copies, ended.
struct EndedCopies {
    copies: Vec<EndedProcess>,
    ending: Ending,
    /// The first copy whose outcome is not allowed.
    failed: Option<usize>,
}

impl Bench {
    /// Runs the copies of a task to their end, all at once.
    fn run_copies(&mut self, task: &Task, control: &UnixStream) -> io::Result<Done> {
        self.stderr.keep(task.stderr_kept_bytes as usize);
        signals::was_continued();
        let gate = Gate::new()?;
        let mut held = Processes::default();
        let optional = match self.hold(task, &gate, &mut held) {
            Ok(optional) => optional,
            Err((obstacle, error)) => {
                end_all(&held.pids);
                self.none_run();
                return Ok(Done::CannotStart(obstacle, errno(&error)));
            }
        };
        let at_ns = monotonic_ns();
        let mut opened = gate.open();
        let ended = self.until_all_end(task, &held, at_ns, control);
        let end = ended.as_ref().ok().map(|ended| (ended.last_ns(), ended.ending));
        let left = leftovers::end(&held.pids, grace(at_ns, end));
        self.none_run();
        let ended = ended?;
        let (stderr_tail, stdout_tail) = self.collect_output(&left)?;
        if let Some(trouble) = opened.trouble() {
            let (obstacle, errno) = match trouble {
                Trouble::Directory(errno) => (Obstacle::Directory, errno),
                Trouble::Program(errno) => (Obstacle::Program, errno),
            };
            return Ok(Done::CannotStart(obstacle, errno));
        }
        let decisive = ended.decisive();
        let of_copy = ended.copies[decisive].outcome;
        let outcome = match settled(ended.ending, of_copy, control)? {
            Ok(outcome) => outcome,
            Err(discarded) => return Ok(discarded),
        };
        let usage = left.usage_with(ended.usage());
        let schedstats = ended.copies.iter().map(|copy| copy.schedstat.as_deref());
        let cpu_wait = proc::cpu_wait(schedstats, cpu_time(&usage));
        let wall_ns = ended.last_ns().saturating_sub(at_ns);
        let mut raw = self.readings(wall_ns, &usage, cpu_wait, optional);
        raw.copies = Some(Copies {
            count: u32::try_from(held.pids.len()).expect("at most 512"),
            latency: ended.latency(at_ns),
            decisive: u32::try_from(decisive).expect("at most 512"),
        });
        let of_one = |wanted| if wanted { Missing::SeveralCopies } else { Missing::NotRequested };
        Ok(Done::Finished(Box::new(FinishedRun {
            tag: task.tag,
            started_unix_ns: self.surroundings.unix_ns(at_ns),
            outcome,
            raw,
            stderr_tail,
            stdout_tail,
            left_behind: left.unfinished(),
            discards_children: ended.copies.iter().any(|copy| copy.discards_children),
            memory: Err(of_one(task.read.memory_over_time)),
            stack_start: Err(of_one(task.read.stack_start)),
        })))
    }

    /// Forks a process for each copy, which waits behind the gate; `held` has those that were
    /// forked, also after an error.
    fn hold(
        &mut self,
        task: &Task,
        gate: &Gate,
        held: &mut Processes,
    ) -> Result<Optional, Refusal> {
        let (stderr, discard) = (self.stderr.writing_end(), self.stdout.writing_end());
        let padding = task.environment_padding_bytes;
        let optional = self.begin_optional(task);
        let blame_program = |error| (Obstacle::Program, error);
        let mut hold = |copy| {
            let ready = self.surroundings.ready(copy, padding, stderr, discard)?;
            let pid = self.surroundings.hold(&ready, gate).map_err(blame_program)?;
            self.running[held.pids.len()].store(pid, Ordering::SeqCst);
            held.pids.push(pid);
            held.pidfds.push(process::open_pidfd(pid).map_err(blame_program)?);
            Ok(())
        };
        let all = task.copies.iter().try_for_each(&mut hold);
        if let Ok(room) = &optional.room {
            room.leave();
        }
        all.map(|()| optional)
    }

    /// Waits until every copy has ended, or ends them. After an error none of them is running.
    fn until_all_end(
        &mut self,
        task: &Task,
        held: &Processes,
        started_ns: u64,
        control: &UnixStream,
    ) -> io::Result<EndedCopies> {
        let mut copies: Vec<Option<EndedProcess>> = held.pids.iter().map(|_| None).collect();
        let watched = self.watch_all(task, held, started_ns, control, &mut copies);
        if watched.is_err() {
            end_all(&running(&held.pids, &copies).collect::<Vec<_>>());
        }
        let (ending, failed) = watched?;
        Ok(EndedCopies { copies: copies.into_iter().flatten().collect(), ending, failed })
    }

    /// The cause of the end of all copies, and the first one whose outcome is not allowed.
    fn watch_all(
        &mut self,
        task: &Task,
        held: &Processes,
        started_ns: u64,
        control: &UnixStream,
        copies: &mut [Option<EndedProcess>],
    ) -> io::Result<(Ending, Option<usize>)> {
        let mut course = Course::new(started_ns, task.timeout);
        let mut failed = None;
        // The copies first, so that by the time the others are checked everything has been written.
        let readable = |fd: &OwnedFd| Watch::readable(fd.as_raw_fd());
        let mut watches: Vec<Watch> = held.pidfds.iter().map(readable).collect();
        let [talk, stderr, stdout] = [0, 1, 2].map(|place| copies.len() + place);
        watches.push(Watch::readable(control.as_raw_fd()));
        watches.push(Watch::readable(self.stderr.reading_end()));
        watches.push(Watch::readable(self.stdout.reading_end()));
        while copies.iter().any(Option::is_none) {
            let left_ns = course.due_ns().saturating_sub(monotonic_ns());
            descriptors::poll(&mut watches, Some(Duration::from_nanos(left_ns)))?;
            let now_ns = monotonic_ns();
            if watches[stderr].is_ready() {
                self.stderr.read_some(&mut self.chunk)?;
            }
            if watches[stdout].is_ready() {
                self.stdout.read_some(&mut self.chunk)?;
            }
            let had_failed = failed.is_some();
            for (index, copy) in copies.iter_mut().enumerate() {
                if watches[index].is_ready() {
                    let ended = EndedProcess::take(held.pids[index], now_ns)?;
                    let is_permitted = task.allowed.permits(ended.outcome);
                    failed = failed.or((!is_permitted).then_some(index));
                    *copy = Some(ended);
                    watches[index] = Watch::nothing();
                }
            }
            let signal = |signal| {
                running(&held.pids, copies).for_each(|pid| process::signal_group(pid, signal));
            };
            if watches[talk].is_ready() {
                course.listen(control, now_ns, signal);
                watches[talk] = Watch::nothing();
            } else if failed.is_some() && !had_failed && course.ending == Ending::ByItself {
                // The run has failed, whatever the other copies do.
                course.ask_to_end(now_ns, signal);
            } else {
                course.go_on(now_ns, running(&held.pids, copies), signal);
            }
        }
        Ok((course.ending, failed))
    }

    /// Clears the list of running groups for the other half.
    fn none_run(&self) {
        let places = self.running.iter().map(|place| place.swap(0, Ordering::SeqCst));
        places.take_while(|&pid| pid != 0).for_each(drop);
    }
}

/// The processes that have not ended yet.
fn running(pids: &[Pid], copies: &[Option<EndedProcess>]) -> impl Iterator<Item = Pid> {
    pids.iter().zip(copies).filter(|(_, ended)| ended.is_none()).map(|(&pid, _)| pid)
}

impl EndedCopies {
    /// The copy that determines the run's outcome: the first that failed, else the first that did
    /// not exit with 0, else the first.
    fn decisive(&self) -> usize {
        let is_unusual = |copy: &EndedProcess| copy.outcome != Outcome::Exited(0);
        self.failed.or_else(|| self.copies.iter().position(is_unusual)).unwrap_or(0)
    }

    /// The end of the last copy, on the monotonic clock.
    fn last_ns(&self) -> u64 {
        self.copies.iter().map(|copy| copy.at_ns).max().expect("a run has a copy")
    }

    /// The mean duration of the copies.
    fn latency(&self, opened_ns: u64) -> Nanoseconds {
        let each = self.copies.iter().map(|copy| u128::from(copy.at_ns.saturating_sub(opened_ns)));
        let mean = each.sum::<u128>() / self.copies.len().max(1) as u128;
        Nanoseconds(u64::try_from(mean).unwrap_or(u64::MAX))
    }

    /// Their total usage; for the peaks of memory the largest.
    fn usage(&self) -> libc::rusage {
        self.copies.iter().map(|copy| copy.usage).reduce(together).expect("a run has a copy")
    }
}

/// Kills these processes with their groups, and reaps them.
fn end_all(pids: &[Pid]) {
    pids.iter().for_each(|&pid| process::signal_group(pid, libc::SIGKILL));
    for &pid in pids {
        let _ = process::wait4(pid);
    }
    leftovers::end(pids, Duration::ZERO);
}

/// The usage of two processes together; for the peaks of memory the larger.
pub(super) fn together(mut sum: libc::rusage, one: libc::rusage) -> libc::rusage {
    // musl has more fields, which are private.
    sum.ru_utime = added(sum.ru_utime, one.ru_utime);
    sum.ru_stime = added(sum.ru_stime, one.ru_stime);
    sum.ru_maxrss = sum.ru_maxrss.max(one.ru_maxrss);
    sum.ru_minflt += one.ru_minflt;
    sum.ru_majflt += one.ru_majflt;
    sum.ru_nvcsw += one.ru_nvcsw;
    sum.ru_nivcsw += one.ru_nivcsw;
    sum.ru_inblock += one.ru_inblock;
    sum.ru_oublock += one.ru_oublock;
    sum
}

/// User and system time.
fn cpu_time(usage: &libc::rusage) -> Microseconds {
    Microseconds(microseconds(usage.ru_utime).0 + microseconds(usage.ru_stime).0)
}

fn microseconds(time: libc::timeval) -> Microseconds {
    Microseconds(time.tv_sec.cast_unsigned() * 1_000_000 + time.tv_usec.cast_unsigned())
}

/// The sum of two times; its microseconds may exceed a second.
fn added(one: libc::timeval, other: libc::timeval) -> libc::timeval {
    libc::timeval { tv_sec: one.tv_sec + other.tv_sec, tv_usec: one.tv_usec + other.tv_usec }
}
