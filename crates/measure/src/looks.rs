//! Looks at a run while it lasts, from outside: its memory over time, and the beginning of its
//! stack.
//!
//! A memory sample is the resident set of every process below the launcher, from `/proc/PID/statm`:
//! the run's own and, because the launcher adopts orphans, all that it started. `smaps_rollup`
//! would account for shared pages, but has to walk the page tables under a lock that the program
//! needs to get memory: this takes milliseconds per gigabyte and disturbs the program. So a page
//! shared by two processes counts twice. The kernel's count may be off by some dozen pages per
//! processor (see [`crate::PeakRss`]). [`Schedule`] sets the pace: dense at first, so that short
//! runs have samples too; when there are too many samples, half of them are dropped and the pace is
//! halved. Reading may take 1 % of a processor, beyond a fixed amount at the beginning.
//!
//! The stack's beginning depends on the environment, the arguments and chance, and may affect the
//! speed of a loop (Mytkowicz et al., "Producing wrong data without doing anything obviously
//! wrong", 2009). Linux reports it in `/proc/PID/stat` (proc_pid_stat(5), `startstack`) while the
//! program runs. It is read after a delay: the parent sees the new image before its stack is
//! complete.

use std::path::Path;
use std::{fs, io};

use crate::clock::monotonic_ns;
use crate::proc::stat_fields;
use crate::readings::{Address, Bytes, Missing, Nanoseconds};
use crate::sys::process::{Pid, own_id, page_bytes};

/// The memory of a run at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemorySample {
    /// Time since just before the run was started.
    pub at: Nanoseconds,
    /// Resident memory of all its processes; shared pages count for each.
    pub resident: Bytes,
}

/// The first interval: a run of 10 ms has some twenty samples.
const FIRST_PAUSE_NS: u64 = 500_000;

/// With this number of samples every other one is dropped: a long run keeps between 500 and 1000.
const MOST_SAMPLES: usize = 1000;

/// The time that reading may take in any run.
const FREE_NS: u64 = 10_000_000;

/// Beyond that, the fraction of the run's time: one part in this number.
const PART_OF_TIME: u64 = 100;

/// The time of the next sample, and the samples kept.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Schedule {
    pause_ns: u64,
    next_ns: u64,
    spent_ns: u64,
    samples: Vec<MemorySample>,
}

impl Schedule {
    pub(crate) fn new() -> Self {
        Self { pause_ns: FIRST_PAUSE_NS, next_ns: FIRST_PAUSE_NS, spent_ns: 0, samples: Vec::new() }
    }

    /// The time of the next sample, since the start.
    fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Records a reading with its start and end. Zeros are dropped: a process that is ending has
    /// already returned its memory.
    pub(crate) fn take(&mut self, began_ns: u64, ended_ns: u64, resident: Bytes) {
        if resident.0 > 0 {
            self.samples.push(MemorySample { at: Nanoseconds(began_ns), resident });
        }
        if self.samples.len() >= MOST_SAMPLES {
            self.thin_out();
        }
        self.spent_ns += ended_ns.saturating_sub(began_ns);
        // From then on the time spent is within its share.
        let earned_ns = self.spent_ns.saturating_sub(FREE_NS).saturating_mul(PART_OF_TIME);
        self.next_ns = (began_ns + self.pause_ns).max(earned_ns).max(ended_ns);
    }

    /// Keeps every other sample, and the largest of all.
    fn thin_out(&mut self) {
        let of = |index: &usize| self.samples[*index].resident;
        let largest = (0..self.samples.len()).max_by_key(of);
        let mut index = 0..self.samples.len();
        self.samples.retain(|_| {
            let index = index.next();
            index.is_some_and(|index| index % 2 == 1) || index == largest
        });
        self.pause_ns *= 2;
    }

    fn into_samples(self) -> Vec<MemorySample> {
        self.samples
    }
}

/// Samples the memory of a run's processes.
#[derive(Debug)]
pub(crate) struct Sampler {
    started_ns: u64,
    schedule: Schedule,
    /// The reason that nothing can be read here.
    missing: Option<Missing>,
}

impl Sampler {
    /// A sampler for a run with this start on the monotonic clock.
    pub(crate) fn new(started_ns: u64) -> Self {
        Self { started_ns, schedule: Schedule::new(), missing: None }
    }

    /// The time of the next call, on the monotonic clock; `None` if nothing can be read.
    pub(crate) fn due_ns(&self) -> Option<u64> {
        let next_ns = self.started_ns.saturating_add(self.schedule.next_ns());
        self.missing.is_none().then_some(next_ns)
    }

    /// Takes a sample, if one is due.
    pub(crate) fn look(&mut self, now_ns: u64) {
        if self.due_ns().is_none_or(|due_ns| now_ns < due_ns) {
            return;
        }
        match resident_below(own_id()) {
            Ok(resident) => {
                let ended_ns = monotonic_ns().saturating_sub(self.started_ns);
                self.schedule.take(now_ns.saturating_sub(self.started_ns), ended_ns, resident);
            }
            Err(missing) => self.missing = Some(missing),
        }
    }

    /// All samples, or the reason that there are none.
    pub(crate) fn finish(self) -> Result<Vec<MemorySample>, Missing> {
        let samples = self.schedule.into_samples();
        match self.missing {
            Some(missing) => Err(missing),
            None if samples.is_empty() => Err(Missing::NeverSampled),
            None => Ok(samples),
        }
    }
}

/// The resident memory of all descendants of a process with one thread.
fn resident_below(pid: Pid) -> Result<Bytes, Missing> {
    let mut pages = 0;
    let own = format!("/proc/{pid}/task/{pid}/children");
    let text = fs::read_to_string(&own).map_err(|e| Missing::from_read(Path::new(&own), &e))?;
    let mut open = pids(&text);
    while let Some(pid) = open.pop() {
        // Between two reads a process may end, and then no longer counts.
        pages += resident_pages(pid).unwrap_or(0);
        open.extend(children(pid).unwrap_or_default());
    }
    Ok(Bytes(pages * page_bytes()))
}

fn resident_pages(pid: Pid) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    second_number(&text)
}

/// The children of all threads of a process.
fn children(pid: Pid) -> io::Result<Vec<Pid>> {
    let mut found = Vec::new();
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let text = fs::read_to_string(thread?.path().join("children"))?;
        found.extend(pids(&text));
    }
    Ok(found)
}

/// The numbers in the text of a file `children`.
fn pids(text: &str) -> Vec<Pid> {
    text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// The resident pages in the text of `/proc/PID/statm` (proc_pid_statm(5)).
fn second_number(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// The time of the first look: a kernel needs some tens of microseconds to complete a stack. A
/// program that ends sooner is missed. Arbitrary.
const FIRST_NS: u64 = 2_000_000;

/// The factor between the times of two looks: a script may become another program meanwhile.
const TIMES_LATER: u64 = 8;

/// The index in [`stat_fields`], from 0: the 28th of all.
const FIELD: usize = 25;

/// Reads the beginning of a program's stack a few times while it runs; the last look counts.
#[derive(Debug)]
pub(crate) struct StackLooks {
    pid: Pid,
    started_ns: u64,
    after_ns: u64,
    seen: Option<Address>,
}

impl StackLooks {
    /// The looks at a program with this start on the monotonic clock.
    pub(crate) fn new(pid: Pid, started_ns: u64) -> Self {
        Self { pid, started_ns, after_ns: FIRST_NS, seen: None }
    }

    /// The time of the next call, on the monotonic clock.
    pub(crate) fn due_ns(&self) -> u64 {
        self.started_ns.saturating_add(self.after_ns)
    }

    /// Looks, if it is time.
    pub(crate) fn look(&mut self, now_ns: u64) {
        if now_ns < self.due_ns() {
            return;
        }
        self.after_ns = self.after_ns.saturating_mul(TIMES_LATER);
        let text = fs::read_to_string(format!("/proc/{}/stat", self.pid));
        if let Some(address) = text.ok().as_deref().and_then(stack_start) {
            self.seen = Some(address);
        }
    }

    /// The last address seen.
    pub(crate) fn finish(self) -> Result<Address, Missing> {
        self.seen.ok_or(Missing::StackUnseen)
    }
}

/// The field of a `stat` file; `None` if it is 0, as for other users' programs and for those that
/// have ended.
fn stack_start(text: &str) -> Option<Address> {
    let start = stat_fields(text)?.nth(FIELD)?.parse().ok()?;
    (start != 0).then_some(Address(start))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The schedule after a run of this duration, with this time for each reading, and the number
    /// of readings.
    fn simulated(duration_ns: u64, reading_ns: u64) -> (Schedule, u64) {
        let mut schedule = Schedule::new();
        let mut readings = 0;
        while schedule.next_ns() < duration_ns {
            let now = schedule.next_ns();
            schedule.take(now, now + reading_ns, Bytes(1 + (now / 1000) % 77));
            readings += 1;
        }
        (schedule, readings)
    }

    #[test]
    fn short_runs_have_samples_and_long_ones_not_too_many() {
        for (seconds, at_least) in [(0.02, 30), (0.2, 390), (2.0, 450), (20.0, 450), (2000.0, 450)]
        {
            let (schedule, _) = simulated((seconds * 1e9) as u64, 20_000);
            let count = schedule.into_samples().len();
            assert!((at_least..=MOST_SAMPLES).contains(&count), "{seconds} s: {count}");
        }
    }

    #[test]
    fn the_largest_sample_stays_and_nothing_is_no_sample() {
        let mut schedule = Schedule::new();
        for index in 0..5000_u64 {
            let resident = if index == 1234 { 1_000_000 } else { 4096 };
            let now = schedule.next_ns();
            schedule.take(now, now, Bytes(resident));
        }
        let now = schedule.next_ns();
        schedule.take(now, now, Bytes(0));
        let samples = schedule.into_samples();
        assert!(samples.iter().any(|sample| sample.resident == Bytes(1_000_000)));
        assert!(samples.iter().all(|sample| sample.resident > Bytes(0)));
    }

    #[test]
    fn what_the_kernel_writes_is_read() {
        assert_eq!(pids("12 345 \n"), [12, 345]);
        assert_eq!(pids(""), []);
        assert_eq!(second_number("765 410 382 5 0 123 0\n"), Some(410));
        assert_eq!(second_number("0"), None);
    }

    proptest! {
        #[test]
        fn reading_takes_its_part_of_the_time_at_most(
            milliseconds in 1..200_000_u64, reading_ns in 1_000..20_000_000_u64,
        ) {
            let duration_ns = milliseconds * 1_000_000;
            let (schedule, readings) = simulated(duration_ns, reading_ns);
            let allowed = FREE_NS + duration_ns / PART_OF_TIME + reading_ns;
            prop_assert!(readings * reading_ns <= allowed, "{readings}");
            let samples = schedule.into_samples();
            prop_assert!(samples.windows(2).all(|pair| pair[0].at < pair[1].at));
            prop_assert!(samples.len() <= MOST_SAMPLES);
        }
    }

    #[test]
    fn the_field_is_found_behind_any_name() {
        let fields: Vec<String> = (3..=52).map(|number| (number * 1000).to_string()).collect();
        let text = format!("17 (a) b (c) {}\n", fields.join(" "));
        assert_eq!(stack_start(&text), Some(Address(28_000)));
        assert_eq!(stack_start(&text.replace("28000", "0")), None);
        assert_eq!(stack_start("17 (a) R 1 2"), None);
        assert_eq!(stack_start(""), None);
    }

    #[test]
    fn looks_are_taken_when_they_are_due_and_the_last_one_counts() {
        let own = Pid::try_from(std::process::id()).expect("a process");
        let mut looks = StackLooks::new(own, 1_000);
        looks.look(1_000);
        assert_eq!(looks.seen, None);
        looks.look(1_000 + FIRST_NS);
        let first = looks.seen.expect("this program has a stack");
        assert_eq!(first.0 % 16, 0, "the ABI has it aligned");
        assert_eq!(looks.due_ns(), 1_000 + FIRST_NS * TIMES_LATER);
        looks.look(looks.due_ns());
        assert_eq!(looks.finish(), Ok(first));
        assert_eq!(StackLooks::new(own, 0).finish(), Err(Missing::StackUnseen));
    }
}
