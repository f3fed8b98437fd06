//! Waits for a run's end while emptying its pipes, or ends it.

use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::message::{self, HEADER_BYTES, ToLauncher};
use super::{Capture, Chunk};
use crate::memory_over_time::Sampler;
use crate::stack_start::StackLooks;
use crate::sys::clock::monotonic_ns;
use crate::sys::descriptors::{self, Watch};
use crate::sys::process::{Pid, signal_group, stopped_by_terminal};
use crate::task::Outcome;

/// The time for a program to end on request before it is killed.
const GRACE_NS: u64 = 200_000_000;

/// The time after a program was asked to end in which the other half may notice that it was asked,
/// too. Arbitrary: a signal to every process of a job reaches them within milliseconds, and a busy
/// machine may take some more until they run.
const COMPANY_NS: u64 = 300_000_000;

/// The interval of checks for programs stopped by the terminal: long enough that a CPU in use by
/// the program is hardly ever woken.
const STOP_LOOK_NS: u64 = 1_000_000_000;

/// The cause of a run's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The program itself, or something unknown.
    ByItself,
    /// The launcher, because the time limit was exceeded.
    TimedOut,
    /// The launcher, because the terminal stopped the program with this signal, and it would never
    /// continue.
    AskedTerminal(i32),
    /// The launcher, at the caller's request.
    Aborted,
    /// The launcher, because the caller is gone.
    Abandoned,
}

/// A running program with its connections.
pub(super) struct Watched<'a> {
    pub(super) group: Pid,
    pub(super) pidfd: &'a OwnedFd,
    pub(super) control: &'a UnixStream,
    pub(super) stderr: &'a mut Capture,
    pub(super) stdout: &'a mut Capture,
    pub(super) chunk: &'a mut Chunk,
    /// Samples its memory, if requested.
    pub(super) sampler: Option<&'a mut Sampler>,
    /// Finds the beginning of its stack, if requested.
    pub(super) stack: Option<&'a mut StackLooks>,
}

/// The next action if the program keeps running.
#[derive(Debug, Clone, Copy)]
enum Next {
    Nothing,
    AskToEnd { at_ns: u64 },
    Kill { at_ns: u64 },
}

impl Next {
    fn at_ns(self) -> Option<u64> {
        match self {
            Self::Nothing => None,
            Self::AskToEnd { at_ns } | Self::Kill { at_ns } => Some(at_ns),
        }
    }
}

/// The procedure to end a run that does not end by itself. `signal` sends a signal to all of its
/// processes.
#[derive(Debug)]
pub(super) struct Course {
    pub(super) ending: Ending,
    next: Next,
    stop_look_ns: u64,
}

impl Course {
    pub(super) fn new(started_ns: u64, timeout: Option<Duration>) -> Self {
        let next = match timeout {
            None => Next::Nothing,
            Some(timeout) => {
                let timeout_ns = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
                Next::AskToEnd { at_ns: started_ns.saturating_add(timeout_ns) }
            }
        };
        let stop_look_ns = started_ns.saturating_add(STOP_LOOK_NS);
        Self { ending: Ending::ByItself, next, stop_look_ns }
    }

    /// The time of the next action, on the monotonic clock.
    pub(super) fn due_ns(&self) -> u64 {
        self.next.at_ns().map_or(self.stop_look_ns, |at_ns| at_ns.min(self.stop_look_ns))
    }

    /// Takes the actions that are due, for these leaders of the running groups.
    pub(super) fn go_on(
        &mut self,
        now_ns: u64,
        leaders: impl IntoIterator<Item = Pid>,
        signal: impl Fn(i32),
    ) {
        if self.stop_look_ns <= now_ns {
            self.stop_look_ns = now_ns.saturating_add(STOP_LOOK_NS);
            let stopped = leaders.into_iter().find_map(stopped_by_terminal);
            if let Some(signal_number) = stopped.filter(|_| self.ending == Ending::ByItself) {
                self.ending = Ending::AskedTerminal(signal_number);
                self.ask_to_end(now_ns, &signal);
            }
        }
        match self.next {
            Next::AskToEnd { at_ns } if at_ns <= now_ns => {
                self.ending = Ending::TimedOut;
                self.ask_to_end(now_ns, signal);
            }
            Next::Kill { at_ns } if at_ns <= now_ns => {
                signal(libc::SIGKILL);
                self.next = Next::Nothing;
            }
            Next::AskToEnd { .. } | Next::Kill { .. } | Next::Nothing => {}
        }
    }

    /// Obeys a message of the other half. Later messages have no effect.
    pub(super) fn listen(&mut self, control: &UnixStream, now_ns: u64, signal: impl Fn(i32)) {
        self.ending = heard_from(control);
        if self.ending == Ending::Abandoned {
            // The caller is gone, so a tidy end is pointless.
            signal(libc::SIGKILL);
            self.next = Next::Nothing;
        } else {
            self.ask_to_end(now_ns, signal);
        }
    }

    /// Asks the running processes to end, and makes sure that they do.
    pub(super) fn ask_to_end(&mut self, now_ns: u64, signal: impl Fn(i32)) {
        signal(libc::SIGTERM);
        // A stopped program handles SIGTERM only after it is continued.
        signal(libc::SIGCONT);
        self.next = Next::Kill { at_ns: now_ns.saturating_add(GRACE_NS) };
    }
}

impl Watched<'_> {
    /// Returns the time of the program's end, on the monotonic clock, and its cause.
    pub(super) fn until_end(
        &mut self,
        started_ns: u64,
        timeout: Option<Duration>,
    ) -> io::Result<(u64, Ending)> {
        let mut course = Course::new(started_ns, timeout);
        let group = self.group;
        let signal = |signal| signal_group(group, signal);
        let mut watches = [
            // First, so that by the time the others are checked everything has been written.
            Watch::readable(self.pidfd.as_raw_fd()),
            Watch::readable(self.control.as_raw_fd()),
            Watch::readable(self.stderr.reading_end()),
            Watch::readable(self.stdout.reading_end()),
        ];
        loop {
            let sample_ns = self.sampler.as_ref().and_then(|sampler| sampler.due_ns());
            let look_ns = self.stack.as_ref().map(|looks| looks.due_ns());
            let wake_ns = sample_ns.into_iter().chain(look_ns).fold(course.due_ns(), u64::min);
            let left_ns = wake_ns.saturating_sub(monotonic_ns());
            descriptors::poll(&mut watches, Some(Duration::from_nanos(left_ns)))?;
            let now_ns = monotonic_ns();
            let [end, control, stderr, stdout] = watches.map(|watch| watch.is_ready());
            if stderr {
                self.stderr.read_some(self.chunk)?;
            }
            if stdout {
                self.stdout.read_some(self.chunk)?;
            }
            if end {
                return Ok((now_ns, course.ending));
            }
            if let Some(sampler) = &mut self.sampler {
                sampler.look(now_ns);
            }
            if let Some(looks) = &mut self.stack {
                looks.look(now_ns);
            }
            if control {
                course.listen(self.control, now_ns, signal);
                watches[1] = Watch::nothing();
            } else {
                course.go_on(now_ns, [group], signal);
            }
        }
    }
}

/// The cause of the end, after a moment to find out: if all processes of a job are asked to end, as
/// by a CI runner that cancels it, both the program and the other half get the signal, and then the
/// program did not fail.
pub(super) fn after_end(
    ending: Ending,
    outcome: Outcome,
    control: &UnixStream,
) -> io::Result<Ending> {
    if ending != Ending::ByItself || !outcome.was_asked_to_end() {
        return Ok(ending);
    }
    let until_ns = monotonic_ns().saturating_add(COMPANY_NS);
    let mut watches = [Watch::readable(control.as_raw_fd())];
    loop {
        let left_ns = until_ns.saturating_sub(monotonic_ns());
        descriptors::poll(&mut watches, Some(Duration::from_nanos(left_ns)))?;
        if watches[0].is_ready() {
            return Ok(heard_from(control));
        }
        if left_ns == 0 {
            return Ok(ending);
        }
    }
}

/// The message of the other half during a run: to abort, or (by hanging up) that it is gone.
fn heard_from(mut control: &UnixStream) -> Ending {
    let mut header = [0; HEADER_BYTES];
    match control.read_exact(&mut header) {
        Ok(()) => match ToLauncher::from_kind(message::parse_header(header).0) {
            Ok(ToLauncher::Abort) => Ending::Aborted,
            // Only one slice is ever sent at a time, so the protocol is out of step.
            Ok(ToLauncher::Slice) | Err(_) => Ending::Abandoned,
        },
        Err(_) => Ending::Abandoned,
    }
}
