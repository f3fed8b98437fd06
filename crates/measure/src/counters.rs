//! Hardware counters of a whole run, by the kernel's perf events.
//!
//! The counters are opened once in the launcher, disabled, and inherited by the programs that it
//! starts: they run there from the exec on, in every thread and descendant, and their counts return
//! as those end. A run's counts are the difference between readings after and before it.
//!
//! The events are opened as a group, so that they count during the same time: ratios between
//! counters (instructions per cycle) are only meaningful then. If the kernel cannot inherit a
//! group, or the hardware has too few registers for it, each event is opened separately. They are a
//! list, so the tests use the kernel's software events, which exist everywhere.

use std::fs::{self, File};
use std::io::{self, Read};

use crate::readings::{Count, Counter, Counters, Kernel, Missing};
use crate::sys::errno;
use crate::sys::events::{self, Event, Place};

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
    let reason = |index: usize| set.members[index].as_ref().map(|_| ()).map_err(Clone::clone);
    Available {
        counters: std::array::from_fn(|index| (Counter::ALL[index], reason(index))),
        kernel: set.kernel,
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

/// A counter that ran for less than this share of the run is not scaled: programs have phases, so
/// at least half of the run has to be seen (arbitrary).
const LEAST_PERMILLE: u64 = 500;

/// The state of a counter: its value, its enabled time, its running time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Standing {
    value: u64,
    enabled_ns: u64,
    running_ns: u64,
}

/// The events between two states, scaled to the whole time if the counter had to share its register
/// with others.
fn count_between(before: Standing, after: Standing) -> Result<Count, Missing> {
    let value = after.value.saturating_sub(before.value);
    let enabled = after.enabled_ns.saturating_sub(before.enabled_ns);
    let running = after.running_ns.saturating_sub(before.running_ns).min(enabled);
    if enabled == 0 {
        return Err(Missing::NeverCounted);
    }
    let permille = share(running, enabled, 1000);
    if permille < LEAST_PERMILLE {
        let percent = share(running, enabled, 100);
        let running_percent = u8::try_from(percent).expect("a part is at most 100 % of its whole");
        return Err(Missing::Multiplexed { running_percent });
    }
    let scaled = u128::from(value) * u128::from(enabled) / u128::from(running);
    Ok(Count {
        value: u64::try_from(scaled).unwrap_or(u64::MAX),
        running_permille: u16::try_from(permille).expect("a part is at most 1000 ‰ of its whole"),
    })
}

/// `part` of `whole`, rounded down, in units of one `parts`-th.
fn share(part: u64, whole: u64, parts: u64) -> u64 {
    let share = u128::from(part) * u128::from(parts) / u128::from(whole);
    u64::try_from(share).unwrap_or(parts).min(parts)
}

/// Counters of the runs that this thread starts: events, each open or with the reason that it is
/// not.
#[derive(Debug)]
pub(crate) struct CounterSet {
    members: Vec<Result<File, Missing>>,
    /// Inclusion of the kernel's work in the open ones; `None` if none is open.
    kernel: Option<Kernel>,
    grouping: Grouping,
    /// Keeps the others in place; see [`events::open`].
    _anchor: Option<File>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grouping {
    /// The first open member is the leader, and reading it reads all.
    Together,
    /// Each is read separately.
    Singly,
}

/// The values of the open events of a list at some moment, one entry per event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot(Vec<Result<Standing, Missing>>);

impl CounterSet {
    /// Opens all counters.
    pub(crate) fn open() -> Self {
        Self::new(&EVENTS)
    }

    /// Opens a group if possible, including the kernel's work if allowed.
    fn new(events: &[Event]) -> Self {
        let together = Self::open_all(events, Grouping::Together);
        let refused = |member: &Result<File, Missing>| {
            matches!(member, Err(Missing::CounterFailed { errno: libc::EINVAL }))
        };
        if together.members.iter().any(refused) {
            // EINVAL may be the group's fault (no inherited groups before Linux 4.13).
            return Self::singly(events);
        }
        together
    }

    /// Opens each event separately.
    fn singly(events: &[Event]) -> Self {
        Self::open_all(events, Grouping::Singly)
    }

    fn open_all(events: &[Event], grouping: Grouping) -> Self {
        let included = Self::open_with(events, grouping, Kernel::Included);
        let forbidden = |member: &Result<File, Missing>| {
            matches!(member, Err(Missing::CountersForbidden { .. }))
        };
        if included.members.iter().any(forbidden) {
            return Self::open_with(events, grouping, Kernel::Excluded);
        }
        included
    }

    fn open_with(events: &[Event], grouping: Grouping, kernel: Kernel) -> Self {
        let mut members: Vec<Result<File, Missing>> = Vec::with_capacity(events.len());
        for &event in events {
            let leader = members.iter().find_map(|member| member.as_ref().ok());
            let place = match (grouping, leader) {
                (Grouping::Singly, _) => Place::Alone,
                (Grouping::Together, None) => Place::Leader,
                (Grouping::Together, Some(leader)) => events::member_of(leader),
            };
            members.push(events::open(event, place, kernel).map_err(|error| refusal(&error)));
        }
        let first_open = events.iter().zip(&members).find(|(_, member)| member.is_ok());
        let anchor = first_open.map(|(&event, _)| events::open(event, Place::Anchor, kernel));
        if let Some(Err(error)) = &anchor {
            members.fill_with(|| Err(refusal(error)));
        }
        let kernel = members.iter().any(Result::is_ok).then_some(kernel);
        Self { members, kernel, grouping, _anchor: anchor.and_then(Result::ok) }
    }

    /// The current values of all events.
    pub(crate) fn snapshot(&self) -> Snapshot {
        match self.grouping {
            Grouping::Singly => Snapshot(self.members.iter().map(read_one).collect()),
            Grouping::Together => self.read_group(),
        }
    }

    fn read_group(&self) -> Snapshot {
        let open = self.members.iter().filter_map(|member| member.as_ref().ok());
        let mut standings = match open.clone().next() {
            None => Ok(Vec::new()),
            Some(leader) => read_numbers(leader, 3 + open.count()).map(|numbers| {
                // read_format of perf_event_open(2): count, enabled, running, then values.
                let (enabled_ns, running_ns) = (numbers[1], numbers[2]);
                numbers[3..]
                    .iter()
                    .map(|&value| Standing { value, enabled_ns, running_ns })
                    .collect()
            }),
        }
        .map(Vec::into_iter);
        Snapshot(
            self.members
                .iter()
                .map(|member| match (member, &mut standings) {
                    (Err(missing), _) => Err(missing.clone()),
                    (Ok(_), Err(error)) => Err(refusal(error)),
                    (Ok(_), Ok(standings)) => {
                        Ok(standings.next().expect("the group has as many values as members"))
                    }
                })
                .collect(),
        )
    }

    /// The counts between two snapshots.
    pub(crate) fn between(&self, before: &Snapshot, after: &Snapshot) -> Counters {
        let mut counters = Counters::none(&Missing::NoHardwareCounters);
        counters.kernel = self.kernel;
        for (place, count) in counters.counts.iter_mut().zip(counts(before, after)) {
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
        if counters.counts.iter().any(never) && self.grouping == Grouping::Together {
            *self = Self::singly(&EVENTS);
        }
    }
}

/// The counts of each event between two snapshots of one set.
fn counts(before: &Snapshot, after: &Snapshot) -> Vec<Result<Count, Missing>> {
    let both = before.0.iter().zip(&after.0);
    both.map(|(before, after)| match (before, after) {
        (Ok(before), Ok(after)) => count_between(*before, *after),
        (Err(missing), _) | (_, Err(missing)) => Err(missing.clone()),
    })
    .collect()
}

fn read_one(member: &Result<File, Missing>) -> Result<Standing, Missing> {
    let member = member.as_ref().map_err(Clone::clone)?;
    let numbers = read_numbers(member, 3).map_err(|error| refusal(&error))?;
    Ok(Standing { value: numbers[0], enabled_ns: numbers[1], running_ns: numbers[2] })
}

/// Reads exactly `count` numbers, as the kernel gives them in one read.
fn read_numbers(mut counter: &File, count: usize) -> io::Result<Vec<u64>> {
    let mut bytes = vec![0; count * 8];
    let length = counter.read(&mut bytes)?;
    if length != bytes.len() {
        // A pinned counter without a register reads as empty; ours are not pinned.
        return Err(io::Error::from_raw_os_error(libc::EIO));
    }
    let (numbers, _) = bytes.as_chunks::<8>();
    Ok(numbers.iter().map(|&number| u64::from_ne_bytes(number)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(value: u64, enabled_ns: u64, running_ns: u64) -> Result<Count, Missing> {
        let before = Standing { value: 70, enabled_ns: 500, running_ns: 300 };
        let after = Standing {
            value: 70 + value,
            enabled_ns: 500 + enabled_ns,
            running_ns: 300 + running_ns,
        };
        count_between(before, after)
    }

    #[test]
    fn a_counter_that_ran_all_the_time_is_taken_as_it_is() {
        assert_eq!(between(1234, 900, 900), Ok(Count { value: 1234, running_permille: 1000 }));
    }

    #[test]
    fn a_counter_that_ran_most_of_the_time_is_scaled_and_says_so() {
        assert_eq!(between(600, 1000, 600), Ok(Count { value: 1000, running_permille: 600 }));
        assert_eq!(between(500, 1000, 500), Ok(Count { value: 1000, running_permille: 500 }));
    }

    #[test]
    fn a_counter_that_ran_too_little_is_refused() {
        assert_eq!(between(60, 1000, 120), Err(Missing::Multiplexed { running_percent: 12 }));
        assert_eq!(between(0, 1000, 0), Err(Missing::Multiplexed { running_percent: 0 }));
    }

    #[test]
    fn a_counter_that_was_never_enabled_is_not_a_count_of_zero() {
        assert_eq!(between(0, 0, 0), Err(Missing::NeverCounted));
    }

    #[test]
    fn large_counts_do_not_overflow_when_scaled() {
        let run = 3_600_000_000_000;
        let count = between(1 << 60, run, run / 10 * 9).expect("90 % is enough");
        assert_eq!(count.value, 1_281_023_894_007_607_751);
    }

    // PERF_TYPE_SOFTWARE and PERF_COUNT_SW_*: these need no hardware.
    const TASK_CLOCK: Event = Event { kind: 1, config: 1 };
    const PAGE_FAULTS: Event = Event { kind: 1, config: 2 };
    const CONTEXT_SWITCHES: Event = Event { kind: 1, config: 3 };
    const NO_SUCH_EVENT: Event = Event { kind: 1, config: 999 };

    #[expect(clippy::disallowed_methods, reason = "counters follow children of this very thread")]
    fn counted(opened: &CounterSet, script: &str) -> Vec<Result<Count, Missing>> {
        let before = opened.snapshot();
        let status = std::process::Command::new("/bin/sh").args(["-c", script]).status();
        assert!(status.expect("/bin/sh runs").success());
        counts(&before, &opened.snapshot())
    }

    fn value(count: &Result<Count, Missing>) -> u64 {
        count.as_ref().expect("software events count everywhere").value
    }

    const LOOP: &str = "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done";

    #[test]
    fn a_group_counts_the_program_and_its_children_and_nothing_else() {
        for opened in [
            CounterSet::new(&[TASK_CLOCK, PAGE_FAULTS, CONTEXT_SWITCHES]),
            CounterSet::singly(&[TASK_CLOCK, PAGE_FAULTS, CONTEXT_SWITCHES]),
        ] {
            let little = counted(&opened, "true");
            let own = counted(&opened, LOOP);
            let childs = counted(&opened, &format!("({LOOP}); true"));
            assert!(value(&own[0]) > 2 * value(&little[0]), "{little:?} {own:?}");
            assert!(value(&childs[0]) > 2 * value(&little[0]), "{little:?} {childs:?}");
            assert!(value(&little[1]) > 10, "a program cannot start without page faults");
            assert!(own.iter().flatten().all(|count| count.running_permille == 1000));
        }
    }

    #[test]
    fn every_run_is_counted_not_only_the_first() {
        let opened = CounterSet::new(&[TASK_CLOCK, PAGE_FAULTS]);
        for run in 0..40 {
            let counts = counted(&opened, "true");
            assert!(counts.iter().all(Result::is_ok), "run {run}: {counts:?}");
        }
    }

    #[test]
    fn the_counters_stand_still_in_the_process_that_opened_them() {
        let opened = CounterSet::new(&[TASK_CLOCK, PAGE_FAULTS]);
        let before = opened.snapshot();
        std::hint::black_box((0..1_000_000_u64).fold(0, |sum, i| sum ^ std::hint::black_box(i)));
        assert_eq!(opened.snapshot(), before);
        assert_eq!(
            counts(&before, &before),
            [Err(Missing::NeverCounted), Err(Missing::NeverCounted)]
        );
    }

    #[test]
    fn an_event_that_does_not_exist_does_not_spoil_the_others() {
        let opened = CounterSet::new(&[NO_SUCH_EVENT, PAGE_FAULTS, NO_SUCH_EVENT, TASK_CLOCK]);
        let counts = counted(&opened, "true");
        assert!(counts[0].is_err() && counts[2].is_err(), "{counts:?}");
        assert!(value(&counts[1]) > 10 && value(&counts[3]) > 0, "{counts:?}");
    }

    #[test]
    fn a_list_without_any_open_event_gives_reasons() {
        let opened = CounterSet::new(&[NO_SUCH_EVENT]);
        assert_eq!(opened.kernel, None);
        assert!(counted(&opened, "true")[0].is_err());
    }
}
