//! The change that the first sentence about a difference names: a cause of cost that is gone or new, or
//! a change in Core; whichever explains how the cost of the whole program moved.

use super::causes::{Fate, JoinedCause};
use super::facts::Change;
use super::{By, Difference, Group};
use crate::causes::Paid;

/// A cause or a group with a smaller share of what moved is not named as the reason.
const LEAST_PART: f64 = 0.1;

/// A group whose change in cost is a smaller share of the total is minor.
const LEAST_SHARE: f64 = 0.01;

/// A change of smaller weight, which merely follows from others, is not named as a reason for
/// allocations in libraries.
const LEAST_WEIGHT: u32 = 50;

/// From this weight on, a change in Core gives the reason why a cause came or went: a
/// specialisation, a pragma, an export.
const REASON: u32 = 100;

/// A smaller change of the run time, from one run of each program, may be chance.
const LEAST_TIMES: f64 = 1.25;

/// The same in seconds.
const LEAST_SECONDS: f64 = 0.02;

/// A smaller change of instructions or allocated bytes needs no cause.
const LEAST_COUNTED: f64 = 0.01;

/// The same for the live heap, which depends on the moments of the collections.
const LEAST_LIVE: f64 = 0.1;

/// The figures of a run of a whole program. Those that were not read are `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WholeRun {
    /// Processor time, with that of the collector.
    pub seconds: Option<f64>,
    /// Executed instructions.
    pub instructions: Option<u64>,
    /// Allocated bytes.
    pub allocated_bytes: Option<u64>,
    /// The most bytes that were live at a major collection.
    pub max_live_bytes: Option<u64>,
}

/// The way in which the cost of a whole program moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// It costs less.
    Better,
    /// It costs more.
    Worse,
    /// It costs the same.
    Even,
}

impl Course {
    /// The course of a program from one run to another: by the first of run time, instructions,
    /// allocations and live heap that moved. `None` if no figure is known for both.
    pub fn from_runs(before: &WholeRun, after: &WholeRun) -> Option<Self> {
        let counts = |one: Option<u64>, other: Option<u64>| Some((one? as f64, other? as f64));
        let seconds = before.seconds.zip(after.seconds);
        let is_long = |(one, other): &(f64, f64)| (one - other).abs() >= LEAST_SECONDS;
        let seconds = seconds.map(|it| if is_long(&it) { it } else { (1.0, 1.0) });
        let instructions = counts(before.instructions, after.instructions);
        let allocated = counts(before.allocated_bytes, after.allocated_bytes);
        let live = counts(before.max_live_bytes, after.max_live_bytes);
        let figures = [
            (seconds, LEAST_TIMES),
            (instructions, 1.0 + LEAST_COUNTED),
            (allocated, 1.0 + LEAST_COUNTED),
            (live, 1.0 + LEAST_LIVE),
        ];
        let known = figures.into_iter().filter_map(|(both, least)| Some((both?, least)));
        known
            .map(|((before, after), least)| Self::from_figures(before, after, least))
            .reduce(|first, next| if first == Self::Even { next } else { first })
    }

    fn from_figures(before: f64, after: f64, least: f64) -> Self {
        if after * least <= before && before > 0.0 {
            Self::Better
        } else if before * least <= after && after > 0.0 {
            Self::Worse
        } else {
            Self::Even
        }
    }

    fn from_moved(moved: f64) -> Self {
        match moved {
            ..0.0 => Self::Better,
            0.0 => Self::Even,
            _ => Self::Worse,
        }
    }
}

/// The change that is named first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// A cause, by number.
    Cause(usize),
    /// A group of changes in Core, by number.
    Group(usize),
}

impl Difference<'_> {
    /// The change that explains how the whole program moved, if any does. Causes come before changes
    /// in Core, except where one of these is the reason for the cause. `course` is that of the whole
    /// program, if it ran on both sides.
    pub fn lead(&self, course: Option<Course>) -> Option<Lead> {
        let group = self.leading_group(course);
        let Some(cause) = course.and_then(|course| self.leading_cause(course)) else {
            return group.map(Lead::Group);
        };
        let is_reason =
            |group: &usize| self.gives_reason(&self.groups[*group], &self.causes[cause]);
        Some(group.filter(is_reason).map_or(Lead::Cause(cause), Lead::Group))
    }

    /// The cause that explains most of a course.
    fn leading_cause(&self, course: Course) -> Option<usize> {
        let explains = |it: &JoinedCause| {
            let fates: &[Fate] = match course {
                Course::Better => &[Fate::Gone, Fate::Less],
                Course::Worse => &[Fate::New, Fate::More],
                Course::Even => &[],
            };
            fates.contains(&it.fate) && it.weight() >= LEAST_PART
        };
        // The causes are in the order of their weights.
        self.causes.iter().position(explains)
    }

    /// True if a group's change is the reason why a cause in it came or went.
    fn gives_reason(&self, group: &Group, cause: &JoinedCause) -> bool {
        let Some((at, change)) = group.lead else { return false };
        let change_is_cause = matches!(self.bindings[at].changes[change], Change::Cause { .. });
        let is_counted = matches!(cause.cause.paid, Paid::Allocations | Paid::Entries);
        let is_within = cause.binding.is_some_and(|it| group.bindings.contains(&it));
        let weight = self.bindings[at].weight(change);
        !change_is_cause && is_counted && is_within && weight >= REASON
    }

    /// The first group, if a tenth of the movement is in it, in the direction of the whole.
    fn leading_group(&self, course: Option<Course>) -> Option<usize> {
        let total = self.total.as_ref()?;
        let first = self.groups.first().filter(|group| group.lead.is_some())?;
        if self.by == By::Outside {
            return (!self.is_minor(first)).then_some(0);
        }
        let (own, all) = (first.moved?.by(self.by) as f64, total.by(self.by) as f64);
        let goes_along = match course {
            Some(course @ (Course::Better | Course::Worse)) => course == Course::from_moved(own),
            _ => own.signum() == all.signum(),
        };
        (own != 0.0 && goes_along && own.abs() >= LEAST_PART * all.abs()).then_some(0)
    }

    /// True if the change in cost of a group is too small to be shown by default.
    pub fn is_minor(&self, group: &Group) -> bool {
        let share = |part: u128, all: Option<u64>| {
            all.filter(|all| *all > 0).is_some_and(|all| part as f64 / all as f64 >= LEAST_SHARE)
        };
        let weight = group.lead.map_or(0, |(at, change)| self.bindings[at].weight(change));
        match (&group.moved, &self.total) {
            (Some(_), Some(_)) if self.by == By::Outside && weight >= LEAST_WEIGHT => false,
            (Some(moved), Some(total)) => {
                // Relative to the larger side: code that allocated nothing before would have no
                // share.
                let bytes = total.bytes_before.max(total.bytes_after);
                let entries = total.entries_before.max(total.entries_after);
                let instructions = total.instructions_before.max(total.instructions_after);
                let by = |by: By| moved.by(by).unsigned_abs();
                !share(by(By::Bytes), Some(bytes))
                    && !share(by(By::Entries), entries)
                    && !share(by(By::Instructions), instructions)
            }
            // Without measurements, named changes precede mere differences.
            _ => weight == 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seconds: f64, allocated_bytes: u64) -> WholeRun {
        let allocated_bytes = Some(allocated_bytes);
        WholeRun { seconds: Some(seconds), allocated_bytes, ..WholeRun::default() }
    }

    #[test]
    fn the_run_time_decides_unless_it_may_be_chance() {
        let course = |before: &WholeRun, after: &WholeRun| Course::from_runs(before, after);
        assert_eq!(course(&run(2.0, 100), &run(0.2, 400)), Some(Course::Better));
        assert_eq!(course(&run(0.2, 100), &run(2.0, 50)), Some(Course::Worse));
        assert_eq!(course(&run(0.01, 100), &run(0.002, 400)), Some(Course::Worse));
        assert_eq!(course(&run(1.0, 400), &run(1.1, 100)), Some(Course::Better));
        assert_eq!(course(&run(1.0, 100), &run(1.0, 100)), Some(Course::Even));
        let nothing = WholeRun::default();
        assert_eq!(course(&nothing, &run(1.0, 100)), None);
    }

    #[test]
    fn instructions_come_before_allocations() {
        let with =
            |instructions, bytes| WholeRun { instructions: Some(instructions), ..run(0.01, bytes) };
        assert_eq!(Course::from_runs(&with(500, 10), &with(100, 20)), Some(Course::Better));
    }
}
