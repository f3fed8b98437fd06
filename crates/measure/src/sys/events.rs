//! `perf_event_open`: the kernel's counters and samples.
#![expect(unsafe_code, reason = "neither std nor libc wraps perf_event_open")]

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::readings::Kernel;
use crate::sys::process::{Pid, page_bytes};

/// An event to count: `type` and `config` of perf_event_open(2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) kind: u32,
    pub(crate) config: u64,
}

/// The role of an event: group leader, group member, or single.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// Reading it gives the whole group.
    Leader,
    /// Read through this leader.
    Member(RawFd),
    /// Reading it gives only itself.
    Alone,
    /// Counts nothing and is not inherited; see [`open`].
    Anchor,
}

/// `struct perf_event_attr` up to the end of its fourth published version (PERF_ATTR_SIZE_VER3, 96
/// bytes), which every kernel since 3.7 accepts; older ones do if the rest is zero.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    config1: u64,
    config2: u64,
    branch_sample_type: u64,
    sample_regs_user: u64,
    sample_stack_user: u32,
    clockid: i32,
}

// Bits of `read_format` and `flags`, from linux/perf_event.h.
const FORMAT_TOTAL_TIME_ENABLED: u64 = 1 << 0;
const FORMAT_TOTAL_TIME_RUNNING: u64 = 1 << 1;
const FORMAT_GROUP: u64 = 1 << 3;
const DISABLED: u64 = 1 << 0;
const INHERIT: u64 = 1 << 1;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const MMAP: u64 = 1 << 8;
const COMM: u64 = 1 << 9;
const ENABLE_ON_EXEC: u64 = 1 << 12;
const TASK: u64 = 1 << 13;
const SAMPLE_ID_ALL: u64 = 1 << 18;
const MMAP2: u64 = 1 << 23;
const COMM_EXEC: u64 = 1 << 24;
const USE_CLOCKID: u64 = 1 << 25;
const FLAG_FD_CLOEXEC: libc::c_ulong = 1 << 3;

/// Opens a counter on the calling thread. It is disabled here and runs in every process that this
/// thread starts, from its exec on.
///
/// Beside such counters the thread needs an anchor of the same kind. Without one, a child has
/// inherited all events of its parent, and Linux then saves work at a switch from parent to child
/// by exchanging the two sets instead of reprogramming. The exec would enable this thread's
/// counters in place of the child's, and use up their enable-on-exec flag: all later runs would
/// count nothing. An event that is not inherited makes the sets differ (`inherit_task_group` in
/// kernel/events/core.c).
pub(crate) fn open(event: Event, place: Place, kernel: Kernel) -> io::Result<File> {
    let (group, behaviour, format) = match place {
        Place::Leader => (-1, INHERIT | DISABLED | ENABLE_ON_EXEC, FORMAT_GROUP),
        // A member runs whenever its leader does.
        Place::Member(leader) => (leader, INHERIT, FORMAT_GROUP),
        Place::Alone => (-1, INHERIT | DISABLED | ENABLE_ON_EXEC, 0),
        Place::Anchor => (-1, DISABLED, 0),
    };
    let excluded = match kernel {
        Kernel::Included => 0,
        Kernel::Excluded => EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
    };
    let attributes = Attributes {
        kind: event.kind,
        size: size_of::<Attributes>() as u32,
        config: event.config,
        read_format: format | FORMAT_TOTAL_TIME_ENABLED | FORMAT_TOTAL_TIME_RUNNING,
        flags: behaviour | excluded,
        ..Attributes::default()
    };
    perf_event_open(&attributes, 0, -1, group)
}

/// Opens the event with these attributes on a thread (0 is this one) and a CPU (-1 is any).
fn perf_event_open(
    attributes: &Attributes,
    thread: Pid,
    cpu: libc::c_int,
    group: RawFd,
) -> io::Result<File> {
    // SAFETY: perf_event_open(2) reads `size` bytes of the attributes and returns a new
    // descriptor.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            std::ptr::from_ref(attributes),
            thread,
            cpu,
            group as libc::c_int,
            FLAG_FD_CLOEXEC,
        )
    };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    let fd = RawFd::try_from(fd).expect("descriptors are ints");
    // SAFETY: perf_event_open(2) succeeded, so the descriptor is open and ours.
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(fd) }))
}

/// The place of a member of this leader's group.
pub(crate) fn member_of(leader: &File) -> Place {
    Place::Member(leader.as_raw_fd())
}

/// An event that samples at intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SampledEvent {
    pub(crate) event: Event,
    /// In the event's unit: nanoseconds, of a clock.
    pub(crate) period: u64,
    /// The length of the stack that is copied with a sample; a multiple of 8, below 64 KiB.
    pub(crate) stack_bytes: u32,
    pub(crate) kernel: Kernel,
}

// Bits of `sample_type`, from linux/perf_event.h. The reader of records relies on this choice.
const SAMPLE_IP: u64 = 1 << 0;
const SAMPLE_TID: u64 = 1 << 1;
const SAMPLE_TIME: u64 = 1 << 2;
const SAMPLE_REGS_USER: u64 = 1 << 12;
const SAMPLE_STACK_USER: u64 = 1 << 13;

/// The sampled registers, in the order of their numbers (`asm/perf_regs.h`): frame pointer, stack
/// pointer, instruction pointer.
#[cfg(target_arch = "x86_64")]
const REGISTERS: u64 = 1 << 6 | 1 << 7 | 1 << 8;
/// The sampled registers, in the order of their numbers (`asm/perf_regs.h`): frame pointer, link
/// register, stack pointer, instruction pointer.
#[cfg(target_arch = "aarch64")]
const REGISTERS: u64 = 1 << 29 | 1 << 30 | 1 << 31 | 1 << 32;

/// The number of sampled registers.
pub(crate) const SAMPLED_REGISTERS: usize = REGISTERS.count_ones() as usize;

/// Opens an event on one CPU for a process that waits for its exec, its threads and descendants. It
/// samples from the exec on, and records what they map, fork and exec. An inherited event writes
/// into a ring only if it is bound to a CPU, so each CPU needs one.
pub(crate) fn open_sampled(process: Pid, cpu: i32, sampled: SampledEvent) -> io::Result<File> {
    let excluded = match sampled.kernel {
        Kernel::Included => 0,
        Kernel::Excluded => EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
    };
    let records = MMAP | MMAP2 | COMM | COMM_EXEC | TASK | SAMPLE_ID_ALL | USE_CLOCKID;
    let attributes = Attributes {
        kind: sampled.event.kind,
        size: size_of::<Attributes>() as u32,
        config: sampled.event.config,
        sample_period: sampled.period,
        sample_type: SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_REGS_USER | SAMPLE_STACK_USER,
        flags: INHERIT | DISABLED | ENABLE_ON_EXEC | records | excluded,
        sample_regs_user: REGISTERS,
        sample_stack_user: sampled.stack_bytes,
        clockid: libc::CLOCK_MONOTONIC,
        ..Attributes::default()
    };
    perf_event_open(&attributes, process, cpu, -1)
}

/// The ring into which the kernel writes the samples and records of an event.
pub(crate) struct Ring {
    /// Kept open: the event ends when it is closed.
    _event: File,
    pages: *mut u8,
    page_bytes: usize,
    data_bytes: usize,
}

/// The places of the end of what the kernel wrote, and of the end of what was read: `data_head` and
/// `data_tail` of `struct perf_event_mmap_page`.
const HEAD_OFFSET: usize = 1024;
const TAIL_OFFSET: usize = 1032;

impl Ring {
    /// Maps the ring of an event, with room for `data_bytes`: a power of two, of at least a page.
    pub(crate) fn map(event: File, data_bytes: usize) -> io::Result<Self> {
        let page_bytes = usize::try_from(page_bytes()).expect("a page fits into memory");
        // SAFETY: mmap(2) without an address maps pages that nobody else uses.
        let pages = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                page_bytes + data_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                event.as_raw_fd(),
                0,
            )
        };
        if pages == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { _event: event, pages: pages.cast(), page_bytes, data_bytes })
    }

    /// Appends all that was written since the last call.
    pub(crate) fn take(&mut self, into: &mut Vec<u8>) {
        let written = self.position(HEAD_OFFSET).load(Ordering::Acquire);
        let read = self.position(TAIL_OFFSET).load(Ordering::Relaxed);
        let length = usize::try_from(written - read).unwrap_or(0).min(self.data_bytes);
        let start = read as usize & (self.data_bytes - 1);
        let first = length.min(self.data_bytes - start);
        // SAFETY: both pieces lie within the data pages, and the kernel does not write what lies
        // between the tail and the head; `Acquire` orders these reads after its writes.
        unsafe {
            let data = self.pages.add(self.page_bytes);
            into.extend_from_slice(std::slice::from_raw_parts(data.add(start), first));
            into.extend_from_slice(std::slice::from_raw_parts(data, length - first));
        }
        self.position(TAIL_OFFSET).store(written, Ordering::Release);
    }

    fn position(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the first page is mapped as long as `self` lives, and the offset is aligned in
        // it; the kernel, too, reads and writes this number as a whole.
        unsafe { AtomicU64::from_ptr(self.pages.add(offset).cast()) }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: `map` mapped these pages, and no reference into them is left.
        unsafe { libc::munmap(self.pages.cast(), self.page_bytes + self.data_bytes) };
    }
}
