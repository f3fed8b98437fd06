//! The users of the CPUs during a sampled interval.
//!
//! The kernel counts CPU time in clock ticks, usually 10 ms each: an interval of a second shows
//! shares to about one percent.

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use super::source::Source;
use crate::clock::Stopwatch;
use crate::missing::Missing;
use crate::sys::process::clock_ticks_per_second;

/// Share of CPU time that a hypervisor gave to other guests although this one wanted it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steal {
    /// Since the machine started, as a part of 1.
    pub since_boot: f64,
    /// During the sampled interval, as a part of 1; 0 if it had no tick.
    pub sampled: f64,
}

/// A process that used a CPU during the sampled interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Busy {
    /// Its process id.
    pub pid: i32,
    /// Its name, as the kernel keeps it (15 bytes).
    pub name: String,
    /// Its share of one CPU; with several threads it may exceed 1.
    pub share: f64,
}

/// The number of busiest processes in the list.
const NAMED: usize = 5;

/// Two looks at all processes, with the time between them.
#[derive(Debug)]
pub(super) struct Activity {
    before: Look,
    after: Look,
    interval: Duration,
    root: std::path::PathBuf,
}

#[derive(Debug)]
struct Look {
    cpu: Result<CpuTicks, Missing>,
    processes: HashMap<i32, Process>,
}

/// The first line of `/proc/stat`, in clock ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CpuTicks {
    total: u64,
    stolen: u64,
}

/// The relevant facts of `/proc/PID/stat`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Process {
    name: String,
    parent: i32,
    ticks: u64,
    /// In ticks since boot: distinguishes a process from a later one with the same id.
    started: u64,
}

impl Activity {
    pub(super) fn sample(source: &Source, interval: Duration) -> Self {
        let before = Look::take(source);
        let watch = Stopwatch::start();
        thread::sleep(interval);
        let after = Look::take(source);
        Self { before, after, interval: watch.elapsed(), root: source.path("proc") }
    }

    pub(super) fn steal(&self) -> Result<Steal, Missing> {
        let before = self.before.cpu.clone()?;
        let after = self.after.cpu.clone()?;
        let share = |stolen: u64, total: u64| {
            if total == 0 { 0.0 } else { stolen as f64 / total as f64 }
        };
        Ok(Steal {
            since_boot: share(after.stolen, after.total),
            sampled: share(
                after.stolen.saturating_sub(before.stolen),
                after.total.saturating_sub(before.total),
            ),
        })
    }

    pub(super) fn busiest(&self) -> Result<Vec<Busy>, Missing> {
        if self.after.processes.is_empty() {
            return Err(Missing::NoFile { path: self.root.clone() });
        }
        let own = std::process::id().cast_signed();
        let ticks_available =
            self.interval.as_secs_f64().max(1e-9) * clock_ticks_per_second() as f64;
        Ok(busiest(&self.before.processes, &self.after.processes, own, ticks_available))
    }
}

/// The processes that used the most CPU time between two looks, busiest first, without `own` and
/// its children.
fn busiest(
    before: &HashMap<i32, Process>,
    after: &HashMap<i32, Process>,
    own: i32,
    ticks_available: f64,
) -> Vec<Busy> {
    let mut busy: Vec<Busy> = after
        .iter()
        .filter(|&(&pid, process)| pid != own && process.parent != own)
        .filter_map(|(&pid, process)| {
            let earlier = before.get(&pid).filter(|earlier| earlier.started == process.started);
            // A new process used all its time in the interval.
            let used = process.ticks.saturating_sub(earlier.map_or(0, |earlier| earlier.ticks));
            (used > 0).then(|| Busy {
                pid,
                name: process.name.clone(),
                share: used as f64 / ticks_available,
            })
        })
        .collect();
    busy.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.pid.cmp(&b.pid)));
    busy.truncate(NAMED);
    busy
}

impl Look {
    fn take(source: &Source) -> Self {
        let processes = source.numbered("proc", "").into_iter().filter_map(|pid| {
            // A process may end during the look.
            let process = source.parse(format!("proc/{pid}/stat"), process).ok()?;
            Some((pid.cast_signed(), process))
        });
        Self { processes: processes.collect(), cpu: source.parse("proc/stat", cpu_ticks) }
    }
}

fn cpu_ticks(stat: &str) -> Option<CpuTicks> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line.split_whitespace().map_while(|tick| tick.parse().ok()).collect();
    // user nice system idle iowait irq softirq steal; guest time, which follows, is
    // already in user (proc(5)).
    let stolen = *ticks.get(7)?;
    Some(CpuTicks { total: ticks.iter().take(8).sum(), stolen })
}

fn process(stat: &str) -> Option<Process> {
    // The name is in parentheses and may itself contain some, or blanks.
    let (start, rest) = stat.rsplit_once(')')?;
    let (_, name) = start.split_once('(')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Process {
        name: name.to_owned(),
        parent: fields.get(1)?.parse().ok()?,
        ticks: number(11)? + number(12)?,
        started: number(19)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stolen_time_is_a_share_of_all_time() {
        let ticks = cpu_ticks("cpu  60 0 20 900 0 0 0 20 55 0\ncpu0 1 1 1\n");
        assert_eq!(ticks, Some(CpuTicks { total: 1000, stolen: 20 }));
    }

    #[test]
    fn a_process_may_have_any_name() {
        let stat = "7 (a) (b c) S 1 7 7 0 -1 4194560 1 2 3 4 30 12 5 6 20 0 1 0 4242 0 0";
        let expected = Process { name: "a) (b c".into(), parent: 1, ticks: 42, started: 4242 };
        assert_eq!(process(stat), Some(expected));
    }

    #[test]
    fn the_busiest_others_come_first_and_we_are_not_among_them() {
        let process = |parent, ticks, started| Process {
            name: format!("ticks-{ticks}"),
            parent,
            ticks,
            started,
        };
        let before = HashMap::from([
            (10, process(1, 100, 5)),
            (11, process(1, 100, 5)),
            (12, process(1, 100, 5)),
            (50, process(1, 0, 5)),
            (51, process(50, 0, 5)),
        ]);
        let after = HashMap::from([
            (10, process(1, 150, 5)),
            (11, process(1, 100, 5)),
            // A new process with an old one's id.
            (12, process(1, 90, 800)),
            (50, process(1, 99, 5)),
            (51, process(50, 99, 5)),
        ]);
        let busy = busiest(&before, &after, 50, 100.0);
        let shares: Vec<_> = busy.iter().map(|busy| (busy.pid, busy.share)).collect();
        assert_eq!(shares, [(12, 0.9), (10, 0.5)]);
    }
}
