//! Waits for a run's end while emptying its pipes, or ends it.
//!
//! Of what is read from a pipe, only the end is kept: a program that writes a gigabyte is not
//! blocked and costs no memory. The pipes outlive the run, because making them per run would cost
//! time; if a process may still hold them after a run, new ones are made.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::clock::monotonic_ns;
use crate::launcher::{HEADER_BYTES, ToLauncher, parse_header};
use crate::looks::{Sampler, StackLooks};
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
        Ok(()) => match ToLauncher::from_kind(parse_header(header).0) {
            Ok(ToLauncher::Abort) => Ending::Aborted,
            // Only one slice is ever sent at a time, so the protocol is out of step.
            Ok(ToLauncher::Slice) | Err(_) => Ending::Abandoned,
        },
        Err(_) => Ending::Abandoned,
    }
}

/// The default number of bytes kept of the end.
const KEPT_BYTES: usize = crate::task::STDERR_KEPT_BYTES as usize;

/// The capacity of pipes on Linux (pipe(7)), so one read empties one.
const CHUNK_BYTES: usize = 64 * 1024;

/// A buffer for output that is about to be dropped.
pub(super) type Chunk = Box<[u8; CHUNK_BYTES]>;

/// A chunk to share between all captures.
pub(super) fn new_chunk() -> Chunk {
    Box::new([0; CHUNK_BYTES])
}

/// One captured stream.
#[derive(Debug)]
pub(super) struct Capture {
    reader: File,
    writer: File,
    tail: Vec<u8>,
    kept_bytes: usize,
}

impl Capture {
    pub(super) fn new() -> io::Result<Self> {
        let (reader, writer) = descriptors::pipe()?;
        Ok(Self {
            reader: reader.into(),
            writer: writer.into(),
            tail: Vec::with_capacity(2 * KEPT_BYTES),
            kept_bytes: KEPT_BYTES,
        })
    }

    /// Keeps this number of bytes of the end from now on.
    pub(super) fn keep(&mut self, bytes: usize) {
        self.kept_bytes = bytes;
    }

    /// The end that becomes readable when the program has written.
    pub(super) fn reading_end(&self) -> RawFd {
        self.reader.as_raw_fd()
    }

    /// The end that the program gets.
    pub(super) fn writing_end(&self) -> RawFd {
        self.writer.as_raw_fd()
    }

    /// Reads once, and returns true if there was data; more may be left for the next read.
    pub(super) fn read_some(&mut self, chunk: &mut Chunk) -> io::Result<bool> {
        match self.reader.read(&mut chunk[..]) {
            Ok(0) => Ok(false),
            Ok(length) => {
                keep_end(&mut self.tail, &chunk[..length], self.kept_bytes);
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Reads everything available now. Only for use after all writers are gone: with an active one
    /// it may never return.
    pub(super) fn read_all(&mut self, chunk: &mut Chunk) -> io::Result<()> {
        while self.read_some(chunk)? {}
        Ok(())
    }

    /// The end of what was written since the last call.
    pub(super) fn take_tail(&mut self) -> Vec<u8> {
        let tail = self.tail.clone();
        self.tail.clear();
        // Memory needed for one long output is not kept.
        self.tail.shrink_to(2 * KEPT_BYTES);
        tail
    }
}

/// Appends `piece`, then drops bytes beyond `kept_bytes` from the front.
fn keep_end(tail: &mut Vec<u8>, piece: &[u8], kept_bytes: usize) {
    let piece = &piece[piece.len().saturating_sub(kept_bytes)..];
    let surplus = (tail.len() + piece.len()).saturating_sub(kept_bytes);
    tail.drain(..surplus);
    tail.extend_from_slice(piece);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_long_output_is_kept() {
        let text: Vec<u8> = (0..100_000_u32).map(|i| (i % 251) as u8).collect();
        for piece in [1, 100, 5_000, 8_192, 8_193, 65_536, 100_000] {
            let mut tail = Vec::new();
            text.chunks(piece).for_each(|piece| keep_end(&mut tail, piece, KEPT_BYTES));
            assert_eq!(tail, text[text.len() - KEPT_BYTES..], "in pieces of {piece}");
        }
    }

    #[test]
    fn a_short_output_is_kept_whole() {
        let mut tail = Vec::new();
        keep_end(&mut tail, b"fib: ", KEPT_BYTES);
        keep_end(&mut tail, b"index too large\n", KEPT_BYTES);
        assert_eq!(tail, b"fib: index too large\n");
    }
}
