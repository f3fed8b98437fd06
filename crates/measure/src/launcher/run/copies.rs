//! Copies of a command that start at the same moment, as one run.
//!
//! Each is forked and prepared, and waits behind a gate that releases all at once. They are waited
//! for together, and the run's readings cover all of them.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Bench, Done, Optional, discards_children, grace, read_schedstat};
use crate::launcher::Obstacle;
use crate::launcher::leftovers;
use crate::launcher::start::Refusal;
use crate::launcher::stops;
use crate::launcher::wait::{self, Course, Ending};
use crate::launcher::{cpu_time, together};
use crate::missing::Missing;
use crate::readings::{Copies, FinishedRun};
use crate::schedstat;
use crate::sys::clock::monotonic_ns;
use crate::sys::descriptors::{self, Watch};
use crate::sys::errno;
use crate::sys::gate::{Gate, Trouble};
use crate::sys::process::{self, Pid};
use crate::task::{Outcome, Task};
use crate::units::{Microseconds, Nanoseconds};

/// The processes of a run, each the leader of a group.
#[derive(Default)]
struct Processes {
    pids: Vec<Pid>,
    pidfds: Vec<OwnedFd>,
}

/// A copy that has ended.
struct EndedCopy {
    at_ns: u64,
    outcome: Outcome,
    usage: libc::rusage,
    schedstat: Option<String>,
    discards_children: bool,
}

/// All copies, ended.
struct EndedCopies {
    copies: Vec<EndedCopy>,
    ending: Ending,
    /// The first copy whose outcome is not allowed.
    failed: Option<usize>,
}

impl Bench {
    /// Runs the copies of a task to their end, all at once.
    pub(super) fn run_copies(&mut self, task: &Task, control: &UnixStream) -> io::Result<Done> {
        self.stderr.keep(task.stderr_kept_bytes as usize);
        stops::happened();
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
        let outcome = match wait::after_end(ended.ending, of_copy, control)? {
            Ending::Abandoned => return Ok(Done::Abandoned),
            Ending::Aborted => return Ok(Done::Aborted),
            _ if stops::happened() => return Ok(Done::Disturbed),
            Ending::TimedOut => Outcome::TimedOut,
            Ending::AskedTerminal(signal) => Outcome::Signalled(signal),
            Ending::ByItself => of_copy,
        };
        let usage = left.usage_with(ended.usage());
        let cpu_wait = ended.cpu_wait(cpu_time(&usage));
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
        let mut copies: Vec<Option<EndedCopy>> = held.pids.iter().map(|_| None).collect();
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
        copies: &mut [Option<EndedCopy>],
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
                    let ended = EndedCopy::take(held.pids[index], now_ns)?;
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
fn running(pids: &[Pid], copies: &[Option<EndedCopy>]) -> impl Iterator<Item = Pid> {
    pids.iter().zip(copies).filter(|(_, ended)| ended.is_none()).map(|(&pid, _)| pid)
}

impl EndedCopy {
    /// Reaps a copy that has ended.
    fn take(pid: Pid, at_ns: u64) -> io::Result<Self> {
        // The leader's figures vanish when it is reaped.
        let schedstat = read_schedstat(pid);
        let discards_children = discards_children(pid);
        let (outcome, usage) = process::wait4(pid)?;
        Ok(Self { at_ns, outcome, usage, schedstat, discards_children })
    }
}

impl EndedCopies {
    /// The copy that determines the run's outcome: the first that failed, else the first that did
    /// not exit with 0, else the first.
    fn decisive(&self) -> usize {
        let is_unusual = |copy: &EndedCopy| copy.outcome != Outcome::Exited(0);
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

    /// The sum of their waits for a processor.
    fn cpu_wait(&self, cpu: Microseconds) -> Result<Nanoseconds, Missing> {
        schedstat::cpu_wait(self.copies.iter().map(|copy| copy.schedstat.as_deref()), cpu)
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
