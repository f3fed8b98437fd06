//! The records in the ring of a sampled event: samples, and what the processes mapped, forked and
//! executed (perf_event_open(2), "MMAP layout").

use std::path::PathBuf;
use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

use crate::sys::events::SAMPLED_REGISTERS;

/// Something that a profiled process did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The time, in nanoseconds of the monotonic clock.
    pub at_ns: u64,
    /// The process.
    pub process: u32,
    /// The thread.
    pub thread: u32,
    /// The event.
    pub event: Recorded,
}

/// The kinds of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// It used another period of processor time.
    Sample(Sample),
    /// It mapped executable memory.
    Mapped(Mapping),
    /// It executed another program, and lost what it had mapped.
    Executed,
    /// It was forked from this process, and has the same mapped.
    ForkedFrom(u32),
}

/// A place in a running program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The address of the next instruction, in the kernel or in the program.
    pub counter: u64,
    /// Set if it ran in the kernel.
    pub in_kernel: bool,
    /// The registers of the program; absent in a thread of the kernel.
    pub registers: Option<UserRegisters>,
    /// The stack from the stack pointer on, as far as it was copied.
    pub stack: Box<[u8]>,
}

/// The registers that unwinding begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserRegisters {
    /// The address of the next instruction.
    pub counter: u64,
    /// The stack pointer.
    pub stack: u64,
    /// The frame pointer, if the program keeps one.
    pub frame: u64,
    /// The return address, on machines that have a register for it; 0 on x86-64.
    pub link: u64,
}

/// A piece of a file in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// Its address.
    pub start: u64,
    /// Its length in bytes.
    pub length: u64,
    /// The place in the file of its first byte.
    pub offset: u64,
    /// The file, or a name in brackets or after two slashes for memory without one.
    pub path: PathBuf,
}

/// Records read from rings.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) records: Vec<Record>,
    /// The number of records that found no room in a ring.
    pub(super) lost: u64,
    /// The number of times the kernel paused sampling because it took too long.
    pub(super) throttled: u64,
    /// Bytes of stacks held.
    stack_bytes: usize,
    /// The number of samples without their stack, because too many bytes are held already.
    pub(super) without_stack: u64,
}

// Kinds of records: PERF_RECORD_* of linux/perf_event.h.
const COMM: u32 = 3;
const LOST: u32 = 2;
const THROTTLE: u32 = 5;
const FORK: u32 = 7;
const SAMPLE: u32 = 9;
const MMAP2: u32 = 10;
const LOST_SAMPLES: u32 = 13;

/// Bits of a record's `misc`.
const CPU_MODE: u16 = 7;
const IN_KERNEL: u16 = 1;
const COMM_EXEC: u16 = 1 << 13;

/// The length of the identification at the end of records other than samples: process, thread and
/// time.
const TRAILER_BYTES: usize = 16;

impl Log {
    /// Reads the whole records at the beginning of `bytes`, and removes them.
    pub(super) fn take(&mut self, bytes: &mut Vec<u8>, most_stack_bytes: usize) {
        let mut done = 0;
        while let Some(header) = bytes.get(done..done + 8) {
            let mut fields = Fields(header);
            let (kind, misc) = (fields.u32().unwrap_or(0), fields.u16().unwrap_or(0));
            let length = usize::from(fields.u16().unwrap_or(0));
            let Some(body) = bytes.get(done + 8..done + length) else { break };
            self.read(kind, misc, body, most_stack_bytes);
            done += length;
        }
        bytes.drain(..done);
    }

    fn read(&mut self, kind: u32, misc: u16, body: &[u8], most_stack_bytes: usize) {
        let record = match kind {
            SAMPLE => {
                let room = most_stack_bytes.saturating_sub(self.stack_bytes);
                let read = sample(misc, body);
                read.map(|mut record| {
                    if let Recorded::Sample(sample) = &mut record.event {
                        if sample.stack.len() > room {
                            sample.stack = Box::default();
                            self.without_stack += 1;
                        }
                        self.stack_bytes += sample.stack.len();
                    }
                    record
                })
            }
            LOST => {
                self.lost += body.get(8..).and_then(|rest| Fields(rest).u64()).unwrap_or(0);
                None
            }
            LOST_SAMPLES => {
                self.lost += Fields(body).u64().unwrap_or(0);
                None
            }
            THROTTLE => {
                self.throttled += 1;
                None
            }
            _ => other(kind, misc, body),
        };
        self.records.extend(record);
    }
}

fn sample(misc: u16, body: &[u8]) -> Option<Record> {
    let mut fields = Fields(body);
    let counter = fields.u64()?;
    let (process, thread) = (fields.u32()?, fields.u32()?);
    let at_ns = fields.u64()?;
    // Without a user's context there are no registers, only their absence (PERF_SAMPLE_REGS_ABI_NONE).
    let registers = match fields.u64()? {
        0 => None,
        _ => {
            let mut numbers = [0; SAMPLED_REGISTERS];
            for number in &mut numbers {
                *number = fields.u64()?;
            }
            Some(UserRegisters::from_sampled(numbers))
        }
    };
    let copied = usize::try_from(fields.u64()?).ok()?;
    let stack = match copied {
        0 => &[][..],
        _ => {
            let stack = fields.bytes(copied)?;
            let used = usize::try_from(fields.u64()?).ok()?;
            &stack[..used.min(copied)]
        }
    };
    let in_kernel = misc & CPU_MODE == IN_KERNEL;
    let event = Recorded::Sample(Sample { counter, in_kernel, registers, stack: stack.into() });
    Some(Record { at_ns, process, thread, event })
}

impl UserRegisters {
    #[cfg(target_arch = "x86_64")]
    fn from_sampled([frame, stack, counter]: [u64; SAMPLED_REGISTERS]) -> Self {
        Self { counter, stack, frame, link: 0 }
    }

    #[cfg(target_arch = "aarch64")]
    fn from_sampled([frame, link, stack, counter]: [u64; SAMPLED_REGISTERS]) -> Self {
        Self { counter, stack, frame, link }
    }
}

fn other(kind: u32, misc: u16, body: &[u8]) -> Option<Record> {
    let (body, trailer) = body.split_at_checked(body.len().checked_sub(TRAILER_BYTES)?)?;
    let at_ns = Fields(&trailer[8..]).u64()?;
    let mut fields = Fields(body);
    let process = fields.u32()?;
    match kind {
        MMAP2 => {
            let thread = fields.u32()?;
            let (start, length, offset) = (fields.u64()?, fields.u64()?, fields.u64()?);
            // Device and inode, protection and flags.
            fields.bytes(24 + 8)?;
            let name = fields.0.split(|&byte| byte == 0).next()?;
            let path = OsStr::from_bytes(name).into();
            let event = Recorded::Mapped(Mapping { start, length, offset, path });
            Some(Record { at_ns, process, thread, event })
        }
        COMM if misc & COMM_EXEC != 0 => {
            Some(Record { at_ns, process, thread: fields.u32()?, event: Recorded::Executed })
        }
        FORK => {
            let parent = fields.u32()?;
            let thread = fields.u32()?;
            let event = Recorded::ForkedFrom(parent);
            // A new thread shares everything.
            (parent != process).then_some(Record { at_ns, process, thread, event })
        }
        _ => None,
    }
}

/// The unread fields of a record.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        self.bytes(2)?.try_into().ok().map(u16::from_ne_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.bytes(4)?.try_into().ok().map(u32::from_ne_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.bytes(8)?.try_into().ok().map(u64::from_ne_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u32, misc: u16, body: &[u8]) -> Vec<u8> {
        let length = u16::try_from(8 + body.len()).expect("a short record");
        [&kind.to_ne_bytes()[..], &misc.to_ne_bytes(), &length.to_ne_bytes(), body].concat()
    }

    fn numbers(numbers: &[u64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
    }

    /// The process and the thread of a record.
    fn ids(process: u32, thread: u32) -> u64 {
        let [a, b, c, d] = process.to_ne_bytes();
        let [e, f, g, h] = thread.to_ne_bytes();
        u64::from_ne_bytes([a, b, c, d, e, f, g, h])
    }

    fn sampled(stack: &[u64], used: u64) -> Vec<u8> {
        let registers: Vec<u64> = (1..=SAMPLED_REGISTERS as u64).collect();
        let before = [&[0x40_1000, ids(7, 8), 99, 2][..], &registers].concat();
        let stack = [&[stack.len() as u64 * 8], stack, &[used]].concat();
        record(SAMPLE, 2, &numbers(&[before, stack].concat()))
    }

    fn read(bytes: &[u8]) -> Log {
        let mut log = Log::default();
        log.take(&mut bytes.to_vec(), 1 << 20);
        log
    }

    #[test]
    fn samples_keep_the_part_of_the_stack_that_was_there() {
        let log = read(&sampled(&[5, 6, 0], 16));
        let [Record { at_ns: 99, process: 7, thread: 8, event: Recorded::Sample(sample) }] =
            &log.records[..]
        else {
            panic!("{log:?}");
        };
        assert_eq!((sample.counter, sample.in_kernel), (0x40_1000, false));
        assert_eq!(sample.stack[..], numbers(&[5, 6])[..]);
    }

    #[test]
    fn a_thread_of_the_kernel_has_no_registers_and_no_stack() {
        let log = read(&record(SAMPLE, 1, &numbers(&[1 << 63, ids(7, 7), 99, 0, 0])));
        let Recorded::Sample(sample) = &log.records[0].event else { panic!("{log:?}") };
        assert_eq!((sample.registers, sample.in_kernel), (None, true));
    }

    #[test]
    fn stacks_beyond_the_limit_are_left_out_and_counted() {
        let mut log = Log::default();
        let mut bytes = [sampled(&[5, 6], 16), sampled(&[5, 6], 16)].concat();
        log.take(&mut bytes, 20);
        assert_eq!((log.records.len(), log.without_stack), (2, 1));
    }

    #[test]
    fn a_record_that_is_not_whole_yet_is_kept_for_later() {
        let whole = sampled(&[5], 8);
        let mut bytes = [&whole[..], &whole[..20]].concat();
        let mut log = Log::default();
        log.take(&mut bytes, 1 << 20);
        assert_eq!((log.records.len(), bytes.len()), (1, 20));
        bytes.extend_from_slice(&whole[20..]);
        log.take(&mut bytes, 1 << 20);
        assert_eq!((log.records.len(), bytes.len()), (2, 0));
    }

    #[test]
    fn processes_map_fork_and_execute() {
        let trailer = [ids(7, 7), 55];
        let name = u64::from_ne_bytes(*b"/bin/sh\0");
        let mapped =
            [&[ids(7, 7), 0x1000, 0x2000, 0x3000, 0, 0, 0, 0, name][..], &trailer].concat();
        let forked = [&[ids(9, 7), ids(9, 7), 55][..], &trailer].concat();
        let threaded = [&[ids(7, 7), ids(8, 7), 55][..], &trailer].concat();
        let executed = [&[ids(9, 9), name][..], &trailer].concat();
        let log = read(
            &[
                record(MMAP2, 2, &numbers(&mapped)),
                record(FORK, 0, &numbers(&forked)),
                record(FORK, 0, &numbers(&threaded)),
                record(COMM, COMM_EXEC, &numbers(&executed)),
                record(COMM, 0, &numbers(&executed)),
            ]
            .concat(),
        );
        let events: Vec<&Recorded> = log.records.iter().map(|record| &record.event).collect();
        let mapping =
            Mapping { start: 0x1000, length: 0x2000, offset: 0x3000, path: "/bin/sh".into() };
        let expected = [&Recorded::Mapped(mapping), &Recorded::ForkedFrom(7), &Recorded::Executed];
        assert_eq!(events, expected);
        assert!(log.records.iter().all(|record| record.at_ns == 55));
    }

    #[test]
    fn losses_and_pauses_are_counted() {
        let lost = record(LOST, 0, &numbers(&[3, 20, 0, 0]));
        let lost_samples = record(LOST_SAMPLES, 0, &numbers(&[4, 0, 0]));
        let throttled = record(THROTTLE, 0, &numbers(&[0, 0, 0, 0, 0]));
        let log = read(&[lost, lost_samples, throttled].concat());
        assert_eq!((log.lost, log.throttled), (24, 1));
    }

    #[test]
    fn records_that_are_cut_or_unknown_are_no_records() {
        for length in 0..24 {
            for kind in 0..20 {
                assert!(read(&record(kind, 0, &vec![0xff; length])).records.is_empty());
            }
        }
        let mut log = Log::default();
        log.take(&mut vec![0; 64], 0);
        assert!(log.records.is_empty());
    }
}
