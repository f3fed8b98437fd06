//! The state of the machine at a moment.

use std::path::Path;
use std::time::Duration;

use super::activity::{Activity, Busy, Steal};
use super::quota::{self, CpuQuota};
use super::source::Source;
use crate::counters::{self, Available};
use crate::energy::Packages;
use crate::missing::Missing;

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
            cpu_quota: quota::read(&source),
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A made-up machine with these files.
    fn fake(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
        let root = std::env::temp_dir().join(format!("brisk-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("below the root")).expect("writable");
            fs::write(path, text).expect("writable");
        }
        root
    }

    #[test]
    fn a_machine_with_everything_is_read() {
        let root = fake(
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
        fs::remove_dir_all(&root).expect("we made it");
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
            let root = fake(
                "personality",
                &[
                    ("proc/self/personality", personality),
                    ("proc/sys/kernel/randomize_va_space", "2\n"),
                ],
            );
            let conditions = Conditions::read(&root, Duration::ZERO);
            fs::remove_dir_all(&root).expect("we made it");
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
}
