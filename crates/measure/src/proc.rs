//! The kernel's files about a process: its fields in `stat`, and in `schedstat` the time during
//! which it was runnable but had to wait for a CPU.
//!
//! Linux reports that time per thread, and does not sum it up: of a process that has ended only the
//! first thread's figures remain. They represent the run if the first threads of its commands did
//! its work, as their CPU time tells.

use std::fs::{self, File};
use std::io::Read;

use crate::readings::{Microseconds, Missing, Nanoseconds};
use crate::sys::process::Pid;

/// The fields of a process's `stat` from the third on (proc_pid_stat(5)): the second, a name in
/// parentheses, may contain anything.
pub(crate) fn stat_fields(stat: &str) -> Option<impl Iterator<Item = &str>> {
    Some(stat.rsplit_once(')')?.1.split_ascii_whitespace())
}

/// The parent of a process.
pub(crate) fn parent(pid: Pid) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat_fields(&stat)?.nth(1)?.parse().ok()
}

/// The `schedstat` of a process that has ended and is not reaped yet.
pub(crate) fn schedstat(pid: Pid) -> Option<String> {
    // Three numbers of at most 20 digits.
    let mut text = [0; 80];
    let text = read_of(pid, "schedstat", &mut text)?;
    std::str::from_utf8(text).ok().map(str::to_owned)
}

/// True if a process that has ended had the kernel discard its children, including their usage, by
/// ignoring SIGCHLD (wait(2), notes on POSIX.1-2001).
pub(crate) fn discards_children(pid: Pid) -> bool {
    // Fifty-two numbers and a name of at most 64 bytes; for a process that has ended most are 0.
    let mut text = [0; 1200];
    let text = read_of(pid, "stat", &mut text).map(String::from_utf8_lossy).unwrap_or_default();
    // The ignored signals are field 33, and the first of these is the third.
    let ignored = stat_fields(&text).and_then(|mut fields| fields.nth(33 - 3));
    let ignored: u64 = ignored.and_then(|field| field.parse().ok()).unwrap_or(0);
    ignored >> (libc::SIGCHLD - 1) & 1 == 1
}

/// The kernel's file with this name about a process, as far as it fits into `text`.
fn read_of<'a>(pid: Pid, name: &str, text: &'a mut [u8]) -> Option<&'a [u8]> {
    let length = File::open(format!("/proc/{pid}/{name}")).ok()?.read(text).ok()?;
    Some(&text[..length])
}

/// The share of the run's CPU time that the first threads must have used for their waiting to
/// represent the run's. Arbitrary; at 90 % the unseen rest cannot have waited much unless it was
/// treated differently.
const LEAST_PERCENT: u64 = 90;

/// Linux reads the two CPU times at slightly different moments of the end.
const SLACK_NS: u64 = 20_000;

/// The wait of a run, from the `schedstat` texts of its commands' first threads (`None` if the file
/// does not exist) and the CPU time of the whole run.
pub(crate) fn cpu_wait<'a>(
    texts: impl IntoIterator<Item = Option<&'a str>>,
    cpu: Microseconds,
) -> Result<Nanoseconds, Missing> {
    let (mut on_cpu_ns, mut waiting_ns, mut slack_ns) = (0, 0, 0);
    for text in texts {
        let leader = text.and_then(parse).ok_or(Missing::NoSchedstat)?;
        on_cpu_ns += leader.on_cpu_ns;
        waiting_ns += leader.waiting_ns;
        slack_ns += SLACK_NS;
    }
    let total_ns = cpu.0 * 1000;
    let needed_ns = (total_ns / 100 * LEAST_PERCENT).saturating_sub(slack_ns);
    if on_cpu_ns < needed_ns {
        return Err(Missing::CpuTimeElsewhere);
    }
    Ok(Nanoseconds(waiting_ns))
}

/// The CPU time of a thread, from the text of its `schedstat`.
pub(crate) fn on_cpu_ns(text: &str) -> Option<u64> {
    parse(text).map(|it| it.on_cpu_ns)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Schedstat {
    on_cpu_ns: u64,
    waiting_ns: u64,
}

/// `None` also for a thread that never ran: kernels that do not count report it so.
fn parse(text: &str) -> Option<Schedstat> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
    let on_cpu_ns = numbers.next()?.ok()?;
    let waiting_ns = numbers.next()?.ok()?;
    let times_scheduled = numbers.next()?.ok()?;
    (times_scheduled > 0).then_some(Schedstat { on_cpu_ns, waiting_ns })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_begin_behind_the_name_whatever_is_in_it() {
        let fields: Vec<&str> = stat_fields("7 (a) R 1) S 3 4\n").expect("a name").collect();
        assert_eq!(fields, ["S", "3", "4"]);
        assert!(stat_fields("nonsense").is_none());
    }

    #[test]
    fn the_wait_of_a_thread_that_did_the_work_is_the_runs() {
        let wait = cpu_wait([Some("95000000 1234567 12\n")], Microseconds(100_000));
        assert_eq!(wait, Ok(Nanoseconds(1_234_567)));
    }

    #[test]
    fn the_wait_of_a_thread_that_did_not_is_not() {
        let wait = cpu_wait([Some("40000000 1234567 12\n")], Microseconds(100_000));
        assert_eq!(wait, Err(Missing::CpuTimeElsewhere));
    }

    #[test]
    fn a_kernel_that_keeps_no_count_gives_no_wait() {
        assert_eq!(cpu_wait([None], Microseconds(10)), Err(Missing::NoSchedstat));
        assert_eq!(cpu_wait([Some("0 0 0\n")], Microseconds(10)), Err(Missing::NoSchedstat));
        assert_eq!(cpu_wait([Some("12 x 1\n")], Microseconds(10)), Err(Missing::NoSchedstat));
    }
}
