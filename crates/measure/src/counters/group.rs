//! Events opened together, so that they count during the same time.
//!
//! Ratios between counters (instructions per cycle) are only meaningful then. If the kernel cannot
//! inherit a group, or the hardware has too few registers for it, each event is opened separately.

use std::fs::File;
use std::io::{self, Read};

use super::refusal;
use super::scale::{Standing, count_between};
use crate::missing::Missing;
use crate::readings::{Count, Kernel};
use crate::sys::events::{self, Event, Place};

/// A list of events, each open or with the reason that it is not.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) members: Vec<Result<File, Missing>>,
    /// Inclusion of the kernel's work in the open ones; `None` if none is open.
    pub(super) kernel: Option<Kernel>,
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

impl Opened {
    /// Opens a group if possible, including the kernel's work if allowed.
    pub(super) fn new(events: &[Event]) -> Self {
        let together = Self::open(events, Grouping::Together);
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
    pub(super) fn singly(events: &[Event]) -> Self {
        Self::open(events, Grouping::Singly)
    }

    pub(super) fn is_grouped(&self) -> bool {
        self.grouping == Grouping::Together
    }

    fn open(events: &[Event], grouping: Grouping) -> Self {
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
    pub(super) fn snapshot(&self) -> Snapshot {
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

    /// The counts of each event between two snapshots of this list.
    pub(super) fn between(
        &self,
        before: &Snapshot,
        after: &Snapshot,
    ) -> Vec<Result<Count, Missing>> {
        before
            .0
            .iter()
            .zip(&after.0)
            .map(|(before, after)| match (before, after) {
                (Ok(before), Ok(after)) => count_between(*before, *after),
                (Err(missing), _) | (_, Err(missing)) => Err(missing.clone()),
            })
            .collect()
    }
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

    // PERF_TYPE_SOFTWARE and PERF_COUNT_SW_*: these need no hardware.
    const TASK_CLOCK: Event = Event { kind: 1, config: 1 };
    const PAGE_FAULTS: Event = Event { kind: 1, config: 2 };
    const CONTEXT_SWITCHES: Event = Event { kind: 1, config: 3 };
    const NO_SUCH_EVENT: Event = Event { kind: 1, config: 999 };

    #[expect(clippy::disallowed_methods, reason = "counters follow children of this very thread")]
    fn counted(opened: &Opened, script: &str) -> Vec<Result<Count, Missing>> {
        let before = opened.snapshot();
        let status = std::process::Command::new("/bin/sh").args(["-c", script]).status();
        assert!(status.expect("/bin/sh runs").success());
        opened.between(&before, &opened.snapshot())
    }

    fn value(count: &Result<Count, Missing>) -> u64 {
        count.as_ref().expect("software events count everywhere").value
    }

    const LOOP: &str = "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done";

    #[test]
    fn a_group_counts_the_program_and_its_children_and_nothing_else() {
        for opened in [
            Opened::new(&[TASK_CLOCK, PAGE_FAULTS, CONTEXT_SWITCHES]),
            Opened::singly(&[TASK_CLOCK, PAGE_FAULTS, CONTEXT_SWITCHES]),
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
        let opened = Opened::new(&[TASK_CLOCK, PAGE_FAULTS]);
        for run in 0..40 {
            let counts = counted(&opened, "true");
            assert!(counts.iter().all(Result::is_ok), "run {run}: {counts:?}");
        }
    }

    #[test]
    fn the_counters_stand_still_in_the_process_that_opened_them() {
        let opened = Opened::new(&[TASK_CLOCK, PAGE_FAULTS]);
        let before = opened.snapshot();
        std::hint::black_box((0..1_000_000_u64).fold(0, |sum, i| sum ^ std::hint::black_box(i)));
        assert_eq!(opened.snapshot(), before);
        assert_eq!(
            opened.between(&before, &before),
            [Err(Missing::NeverCounted), Err(Missing::NeverCounted)]
        );
    }

    #[test]
    fn an_event_that_does_not_exist_does_not_spoil_the_others() {
        let opened = Opened::new(&[NO_SUCH_EVENT, PAGE_FAULTS, NO_SUCH_EVENT, TASK_CLOCK]);
        let counts = counted(&opened, "true");
        assert!(counts[0].is_err() && counts[2].is_err(), "{counts:?}");
        assert!(value(&counts[1]) > 10 && value(&counts[3]) > 0, "{counts:?}");
    }

    #[test]
    fn a_list_without_any_open_event_gives_reasons() {
        let opened = Opened::new(&[NO_SUCH_EVENT]);
        assert_eq!(opened.kernel, None);
        assert!(counted(&opened, "true")[0].is_err());
    }
}
