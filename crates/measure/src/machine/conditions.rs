//! The state of the machine at a moment, with the users of the CPUs during a sampled interval.
//!
//! The kernel counts CPU time in clock ticks, usually 10 ms each: an interval of a second shows
//! shares to about one percent.

use std::collections::HashMap;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::clock::Stopwatch;
use crate::counters::{self, Available};
use crate::energy::Packages;
use crate::machine::Source;
use crate::machine::limits::{CpuQuota, cpu_quota};
use crate::readings::Missing;
use crate::sys::process::clock_ticks_per_second;

/// The state of a machine at some moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditions {
    /// The average numbers of processes that wanted a CPU.
    pub load: Result<LoadAverages, Missing>,
    /// The frequency governor of each CPU, in the order of their numbers.
    pub governors: Result<Vec<String>, Missing>,
    /// The current frequency of each CPU, in kHz, in the order of their numbers.
    pub frequencies_khz: Result<Vec<u64>, Missing>,
    /// True if a CPU may exceed its nominal frequency.
    pub boost: Result<bool, Missing>,
    /// True if CPUs share cores (hyper-threading).
    pub smt: Result<bool, Missing>,
    /// The randomisation of addresses: `kernel.randomize_va_space` (0 off, 1 without the heap, 2
    /// on), and 0 if it is off for this process and its children (`setarch -R`).
    pub address_randomisation: Result<u8, Missing>,
    /// The kernel's clock source.
    pub clocksource: Result<String, Missing>,
    /// The CPU time that the hypervisor gave to other guests.
    pub steal: Result<Steal, Missing>,
    /// `kernel.perf_event_paranoid`.
    pub perf_event_paranoid: Result<i32, Missing>,
    /// The hardware counters available to this user. Always those of the real machine.
    pub counters: Available,
    /// The number of processor packages with energy counters.
    pub energy_packages: Result<usize, Missing>,
    /// The number of times that CPUs have been throttled for heat since boot, cores and packages
    /// together.
    pub throttle_events: Result<u64, Missing>,
    /// The kernel's use of huge pages without request: `always`, `madvise` or `never`.
    pub transparent_hugepages: Result<String, Missing>,
    /// The limit on CPU time for this process.
    pub cpu_quota: Result<CpuQuota, Missing>,
    /// The other processes that used the most CPU time during the sampled interval, busiest first,
    /// at most five. This process and its children are excluded.
    pub busiest: Result<Vec<Busy>, Missing>,
}

/// Averages of the number of processes that run or wait for a CPU or a disk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadAverages {
    /// Over one minute.
    pub one_minute: f64,
    /// Over five minutes.
    pub five_minutes: f64,
    /// Over fifteen minutes.
    pub fifteen_minutes: f64,
}

const CPUS: &str = "sys/devices/system/cpu";

impl Conditions {
    /// Reads everything, watching the other processes for `interval`. `root` is `/`.
    pub fn read(root: &Path, interval: Duration) -> Self {
        let source = Source::new(root);
        // Read before the sampling, which may itself change them.
        let load = source.parse("proc/loadavg", load_averages);
        let frequencies_khz = per_cpu(&source, "cpufreq/scaling_cur_freq", number);
        let activity = Activity::sample(&source, interval);
        Self {
            load,
            frequencies_khz,
            governors: per_cpu(&source, "cpufreq/scaling_governor", word),
            boost: boost(&source),
            smt: source.parse(format!("{CPUS}/smt/active"), flag),
            address_randomisation: address_randomisation(&source),
            clocksource: source
                .parse("sys/devices/system/clocksource/clocksource0/current_clocksource", word),
            steal: activity.steal(),
            perf_event_paranoid: source.parse("proc/sys/kernel/perf_event_paranoid", number),
            counters: counters::available(),
            energy_packages: Packages::find(&source.path("sys")).map(|all| all.count()),
            throttle_events: throttle_events(&source),
            transparent_hugepages: source
                .parse("sys/kernel/mm/transparent_hugepage/enabled", chosen),
            cpu_quota: cpu_quota(&source),
            busiest: activity.busiest(),
        }
    }
}

/// A bit of personality(2).
const ADDR_NO_RANDOMIZE: u32 = 0x0004_0000;

fn address_randomisation(source: &Source) -> Result<u8, Missing> {
    let own =
        source.parse("proc/self/personality", |text| u32::from_str_radix(text.trim(), 16).ok());
    match own {
        Ok(own) if own & ADDR_NO_RANDOMIZE != 0 => Ok(0),
        _ => source.parse("proc/sys/kernel/randomize_va_space", number),
    }
}

fn load_averages(text: &str) -> Option<LoadAverages> {
    let mut numbers = text.split_whitespace().map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some(LoadAverages { one_minute: next()?, five_minutes: next()?, fifteen_minutes: next()? })
}

fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.trim().parse().ok()
}

fn word(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|word| !word.is_empty())
}

fn flag(text: &str) -> Option<bool> {
    match text.trim() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// The word in brackets of a list such as `always [madvise] never`.
fn chosen(text: &str) -> Option<String> {
    let (_, after) = text.split_once('[')?;
    let (word, _) = after.split_once(']')?;
    Some(word.to_owned())
}

/// A fact of every CPU that has it; if none has, the first one's reason.
fn per_cpu<T>(
    source: &Source,
    file: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, Missing> {
    let facts: Vec<_> = source
        .numbered(CPUS, "cpu")
        .into_iter()
        .map(|cpu| source.parse(format!("{CPUS}/cpu{cpu}/{file}"), &parse))
        .collect();
    if facts.iter().any(Result::is_ok) {
        return Ok(facts.into_iter().flatten().collect());
    }
    match facts.into_iter().find_map(Result::err) {
        Some(missing) => Err(missing),
        None => Err(Missing::NoFile { path: source.path(CPUS) }),
    }
}

fn boost(source: &Source) -> Result<bool, Missing> {
    // Intel's driver has the inverse in a file of its own.
    match source.parse(format!("{CPUS}/intel_pstate/no_turbo"), flag) {
        Ok(no_turbo) => Ok(!no_turbo),
        Err(_) => source.parse(format!("{CPUS}/cpufreq/boost"), flag),
    }
}

fn throttle_events(source: &Source) -> Result<u64, Missing> {
    let of_cores = per_cpu(source, "thermal_throttle/core_throttle_count", number::<u64>)?;
    // Every CPU of a package shows the package's count; the largest stands for all of them, which
    // undercounts with several packages.
    let of_packages = per_cpu(source, "thermal_throttle/package_throttle_count", number::<u64>);
    let packages = of_packages.unwrap_or_default().into_iter().max().unwrap_or(0);
    Ok(of_cores.into_iter().sum::<u64>() + packages)
}

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
struct Activity {
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

    fn steal(&self) -> Result<Steal, Missing> {
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
    use crate::made_up::Folder;

    use super::*;

    #[test]
    fn a_machine_with_everything_is_read() {
        let root = Folder::new(
            "conditions",
            &[
                ("proc/loadavg", "0.52 0.10 0.08 1/97 1234\n"),
                ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
                ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n"),
                ("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "800000\n"),
                ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "2\n"),
                ("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "3\n"),
                ("sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "7\n"),
                ("sys/devices/system/cpu/cpu1/thermal_throttle/package_throttle_count", "7\n"),
                ("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"),
                ("sys/devices/system/cpu/smt/active", "1\n"),
                ("proc/sys/kernel/randomize_va_space", "2\n"),
                ("proc/sys/kernel/perf_event_paranoid", "-1\n"),
                ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
                ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
            ],
        );
        let conditions = Conditions::read(&root, Duration::ZERO);
        assert_eq!(conditions.load.map(|load| load.one_minute), Ok(0.52));
        assert_eq!(conditions.governors, Ok(vec!["performance".into(), "powersave".into()]));
        assert_eq!(conditions.frequencies_khz, Ok(vec![800_000]));
        assert_eq!(conditions.throttle_events, Ok(12));
        assert_eq!(conditions.boost, Ok(false));
        assert_eq!(conditions.smt, Ok(true));
        assert_eq!(conditions.address_randomisation, Ok(2));
        assert_eq!(conditions.perf_event_paranoid, Ok(-1));
        assert_eq!(conditions.transparent_hugepages, Ok("madvise".into()));
        assert_eq!(conditions.clocksource, Ok("tsc".into()));
    }

    #[test]
    fn addresses_are_not_drawn_where_this_process_says_so() {
        for (personality, expected) in [("00040000\n", 0), ("00000000\n", 2)] {
            let root = Folder::new(
                "personality",
                &[
                    ("proc/self/personality", personality),
                    ("proc/sys/kernel/randomize_va_space", "2\n"),
                ],
            );
            let conditions = Conditions::read(&root, Duration::ZERO);
            assert_eq!(conditions.address_randomisation, Ok(expected));
        }
    }

    #[test]
    fn a_machine_with_nothing_gives_reasons() {
        let conditions = Conditions::read(Path::new("/nonexistent"), Duration::ZERO);
        assert!(matches!(conditions.governors, Err(Missing::NoFile { .. })));
        assert!(matches!(conditions.boost, Err(Missing::NoFile { .. })));
        assert!(matches!(conditions.steal, Err(Missing::NoFile { .. })));
        assert!(matches!(conditions.busiest, Err(Missing::NoFile { .. })));
        assert!(matches!(conditions.cpu_quota, Err(Missing::NoFile { .. })));
    }

    #[test]
    fn this_machine_has_conditions() {
        let conditions = Conditions::read(Path::new("/"), Duration::from_millis(20));
        assert!(conditions.load.is_ok());
        assert!(conditions.busiest.is_ok());
        assert!(conditions.steal.is_ok());
    }

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
