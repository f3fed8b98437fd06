//! Hardware counters of a whole run, by the kernel's perf events.
//!
//! The counters are opened once in the launcher, disabled, and inherited by the programs that it
//! starts: they run there from the exec on, in every thread and descendant, and their counts return
//! as those end. A run's counts are the difference between readings after and before it.
//!
//! `group` opens and reads, `scale` is the arithmetic. The events are a list, so the tests use the
//! kernel's software events, which exist everywhere.

mod group;
mod scale;

use std::fs;
use std::io;

use crate::missing::Missing;
use crate::readings::{Count, Counter, Counters, Kernel};
use crate::sys::errno;
use crate::sys::events::Event;
use group::Opened;
pub(crate) use group::Snapshot;

const TYPE_HARDWARE: u32 = 0;

/// The events for [`Counter::ALL`]: PERF_COUNT_HW_* of perf_event_open(2).
const EVENTS: [Event; 5] = [
    Event { kind: TYPE_HARDWARE, config: 0 },
    Event { kind: TYPE_HARDWARE, config: 1 },
    Event { kind: TYPE_HARDWARE, config: 2 },
    Event { kind: TYPE_HARDWARE, config: 3 },
    Event { kind: TYPE_HARDWARE, config: 5 },
];

/// The counters that this user can read on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Available {
    /// In the order of [`Counter::ALL`].
    pub counters: [(Counter, Result<(), Missing>); 5],
    /// Inclusion of the kernel's work in them; `None` if there are none.
    pub kernel: Option<Kernel>,
}

/// Tries to open every counter, and closes them again.
pub fn available() -> Available {
    let set = CounterSet::open();
    let reason = |index: usize| match &set.opened.members[index] {
        Ok(_) => Ok(()),
        Err(missing) => Err(missing.clone()),
    };
    Available {
        counters: std::array::from_fn(|index| (Counter::ALL[index], reason(index))),
        kernel: set.opened.kernel,
    }
}

/// The counters of the runs that this thread starts.
#[derive(Debug)]
pub(crate) struct CounterSet {
    opened: Opened,
}

impl CounterSet {
    /// Opens all counters; those that fail have a reason instead.
    pub(crate) fn open() -> Self {
        Self { opened: Opened::new(&EVENTS) }
    }

    /// The current values of the counters.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.opened.snapshot()
    }

    /// The counts between two snapshots.
    pub(crate) fn between(&self, before: &Snapshot, after: &Snapshot) -> Counters {
        let mut counters = Counters::none(&Missing::NoHardwareCounters);
        counters.kernel = self.opened.kernel;
        let counts = self.opened.between(before, after);
        for (place, count) in counters.counts.iter_mut().zip(counts) {
            *place = count;
        }
        counters
    }

    /// Called after a run: if the group never fitted on the hardware, every event is scheduled
    /// separately from now on, and shares time with the others.
    pub(crate) fn split_if_too_large(&mut self, counters: &Counters) {
        let never = |count: &Result<Count, Missing>| {
            matches!(count, Err(Missing::Multiplexed { running_percent: 0 }))
        };
        if counters.counts.iter().any(never) && self.opened.is_grouped() {
            self.opened = Opened::singly(&EVENTS);
        }
    }
}

/// The reason that an event could not be opened.
fn refusal(error: &io::Error) -> Missing {
    match errno(error) {
        libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV | libc::ENOSYS => {
            Missing::NoHardwareCounters
        }
        errno @ (libc::EACCES | libc::EPERM) => {
            let level = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
            let paranoid = level.ok().and_then(|level| level.trim().parse().ok());
            Missing::CountersForbidden { errno, paranoid }
        }
        errno => Missing::CounterFailed { errno },
    }
}
