//! `perf_event_open`: the kernel's counters.
#![expect(unsafe_code, reason = "neither std nor libc wraps perf_event_open")]

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use crate::readings::Kernel;

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

/// `struct perf_event_attr` up to the end of its first published version
/// (PERF_ATTR_SIZE_VER0, 64 bytes), which every kernel accepts.
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
}

// Bits of `read_format` and `flags`, from linux/perf_event.h.
const FORMAT_TOTAL_TIME_ENABLED: u64 = 1 << 0;
const FORMAT_TOTAL_TIME_RUNNING: u64 = 1 << 1;
const FORMAT_GROUP: u64 = 1 << 3;
const DISABLED: u64 = 1 << 0;
const INHERIT: u64 = 1 << 1;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const ENABLE_ON_EXEC: u64 = 1 << 12;
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
    // SAFETY: perf_event_open(2) reads `size` bytes of the attributes and returns a new
    // descriptor; 0 and -1 mean this thread on any CPU.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            0 as libc::pid_t,
            -1 as libc::c_int,
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
