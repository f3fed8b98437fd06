//! The machine's own description, and its suitability for measuring.

use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::Kernel;
use measure::Missing;
use measure::machine::{Conditions, CpuQuota, Machine, Virtualisation};

use findings::doctor::{MachineFact, Mark, Reading};
use model::metric::Unit;
use model::spec::artifacts::shuffling_linker;
use words::counted;
use words::quantity::{percent, quantity};

/// The facts about a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The machine's properties.
    pub machine: Machine,
    /// Its current conditions.
    pub conditions: Conditions,
    /// The time for which other processes and the hypervisor were watched, in seconds.
    pub watched_seconds: f64,
    /// Set if Intel's own driver, which has separate switches, controls the processor's clock.
    pub has_intel_pstate: bool,
    /// The linker that can reorder functions. None if there is none.
    pub shuffling_linker: Option<PathBuf>,
}

impl Facts {
    /// Reads all facts, watching the other processes for `watch`.
    pub fn read(watch: Duration) -> Self {
        let root = Path::new("/");
        Self {
            machine: Machine::read(root),
            conditions: Conditions::read(root, watch),
            watched_seconds: watch.as_secs_f64(),
            has_intel_pstate: measure::machine::has_intel_pstate(root),
            shuffling_linker: shuffling_linker(&std::env::var_os("PATH").unwrap_or_default()),
        }
    }

    /// The number of CPUs.
    pub fn cpus(&self) -> Option<usize> {
        self.machine.cpus_online.as_ref().ok().map(std::collections::BTreeSet::len)
    }

    /// The CPU time that the busiest other processes used, in CPUs.
    pub fn used_by_others(&self) -> f64 {
        let busiest = self.conditions.busiest.as_deref().unwrap_or_default();
        busiest.iter().map(|busy| busy.share).sum()
    }

    /// True if other processes use enough CPU time to disturb.
    pub fn is_busy(&self) -> bool {
        self.used_by_others() >= BUSY_CPUS
    }

    /// The share of time that the hypervisor gave to others, recently or since boot.
    pub fn stolen(&self) -> f64 {
        (self.conditions.steal.as_ref()).map_or(0.0, |steal| steal.sampled.max(steal.since_boot))
    }

    /// The permitted CPU time, if less than the available one.
    pub fn limit(&self) -> Option<f64> {
        match (&self.conditions.cpu_quota, self.cpus()) {
            (Ok(CpuQuota::Limited { cpus }), Some(there)) if *cpus < there as f64 => Some(*cpus),
            _ => None,
        }
    }

    /// The governors that are not `performance`.
    pub fn slow_governors(&self) -> Vec<&str> {
        let all = self.conditions.governors.as_deref().unwrap_or_default();
        let mut slow: Vec<&str> =
            all.iter().map(String::as_str).filter(|name| *name != "performance").collect();
        slow.sort_unstable();
        slow.dedup();
        slow
    }

    /// The clock source, if reading the time needs a kernel call.
    pub fn slow_clock(&self) -> Option<&str> {
        let clock = self.conditions.clocksource.as_deref().ok()?;
        (!FAST_CLOCKS.contains(&clock)).then_some(clock)
    }

    /// True if the machine is known to be a guest of a hypervisor.
    pub fn is_guest(&self) -> bool {
        matches!(self.machine.virtualisation, Ok(Virtualisation::Guest { .. }))
    }

    /// The reason that some hardware counter cannot be read.
    pub fn counters_missing(&self) -> Option<&Missing> {
        self.conditions.counters.counters.iter().find_map(|(_, there)| there.as_ref().err())
    }
}

/// The CPU time of other processes that disturbs: one CPU in twenty. Arbitrary.
const BUSY_CPUS: f64 = 0.05;

/// The share of stolen time that is a finding: a tick in two hundred. Arbitrary.
pub const MUCH_STOLEN: f64 = 0.005;

/// Clocks that a program reads without calling the kernel (vDSO): of x86, of KVM and Hyper-V
/// guests, of ARM and RISC-V.
const FAST_CLOCKS: [&str; 5] =
    ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "riscv_clocksource"];

fn good_if(good: bool) -> Mark {
    if good { Mark::Good } else { Mark::Bad }
}

/// The facts as shown in the table.
pub fn list(facts: &Facts) -> Vec<MachineFact> {
    let conditions = &facts.conditions;
    let mut list = vec![processor(facts), system(facts), other_users(facts), load(facts)];
    list.extend([steal(facts), quota(facts)]);
    list.push(fact("governor", &conditions.governors, |all| {
        let mut words = all.clone();
        words.sort_unstable();
        words.dedup();
        (words.join(", "), good_if(facts.slow_governors().is_empty()))
    }));
    list.push(fact("frequency", &conditions.frequencies_khz, |all| {
        let hertz =
            |khz: Option<&u64>| quantity(khz.map_or(0.0, |&khz| khz as f64 * 1e3), Unit::Hertz);
        (format!("{} to {} now", hertz(all.iter().min()), hertz(all.iter().max())), Mark::Neutral)
    }));
    list.push(fact("turbo", &conditions.boost, |&on| (on_or_off(on), good_if(!on))));
    list.push(fact("SMT", &conditions.smt, |&on| {
        let words = if on { "on: CPUs share cores" } else { "off: each CPU has its own core" };
        (words.to_owned(), good_if(!on))
    }));
    list.push(fact("heat", &conditions.throttle_events, |&events| match events {
        0 => ("never slowed down since boot".to_owned(), Mark::Good),
        _ => (format!("slowed down {events} times since boot"), Mark::Bad),
    }));
    list.push(fact("ASLR", &conditions.address_randomisation, |&level| match level {
        0 => ("off: every run has the same layout, lucky or not".to_owned(), Mark::Bad),
        1 => ("on, except for the heap; the rounds average over it".to_owned(), Mark::Good),
        _ => ("on; the rounds average over the layouts".to_owned(), Mark::Good),
    }));
    list.push(linker(facts));
    list.push(fact("clock", &conditions.clocksource, |clock| {
        (clock.clone(), good_if(facts.slow_clock().is_none()))
    }));
    list.push(fact("huge pages", &conditions.transparent_hugepages, |when| {
        (when.clone(), Mark::Neutral)
    }));
    list.push(counters(facts));
    list.push(fact("perf paranoia", &conditions.perf_event_paranoid, |level| {
        (format!("kernel.perf_event_paranoid is {level}"), Mark::Neutral)
    }));
    list.push(fact("energy", &conditions.energy_packages, |packages| {
        let of = counted(*packages as u64, "processor package");
        (format!("of {of}, for all programs together: `--metrics energy`"), Mark::Neutral)
    }));
    list
}

fn fact<T>(
    name: &str,
    read: &Result<T, Missing>,
    tell: impl FnOnce(&T) -> (String, Mark),
) -> MachineFact {
    let told = read.as_ref().map(tell);
    let mark = told.as_ref().map_or(Mark::Neutral, |(_, mark)| *mark);
    let value = Reading::from_result(told.map(|(value, _)| value));
    MachineFact { name: name.to_owned(), value, mark }
}

fn on_or_off(on: bool) -> String {
    if on { "on" } else { "off" }.to_owned()
}

fn processor(facts: &Facts) -> MachineFact {
    let cpus = match facts.cpus() {
        Some(1) => "1 CPU".to_owned(),
        Some(cpus) => format!("{cpus} CPUs"),
        None => "an unknown number of CPUs".to_owned(),
    };
    fact("cpu", &facts.machine.cpu_model, |model| (format!("{model}, {cpus}"), Mark::Neutral))
}

fn system(facts: &Facts) -> MachineFact {
    fact("machine", &facts.machine.virtualisation, |kind| match kind {
        Virtualisation::None => ("no hypervisor was detected".to_owned(), Mark::Good),
        Virtualisation::Guest { product } => {
            let product = product.as_ref().map_or(String::new(), |name| format!(" ({name})"));
            let words = format!("a guest{product}; its neighbours cannot be seen");
            (words, Mark::Neutral)
        }
    })
}

fn other_users(facts: &Facts) -> MachineFact {
    fact("other users", &facts.conditions.busiest, |busiest| {
        let shown: Vec<String> = (busiest.iter().filter(|busy| busy.share >= 0.01))
            .map(|busy| format!("{} ({}) {}", busy.name, busy.pid, percent(busy.share)))
            .collect();
        let used = facts.used_by_others();
        let words = match shown.as_slice() {
            [] => "none that uses 1 % of a CPU".to_owned(),
            shown => format!("{used:.2} CPUs: {}", shown.join(", ")),
        };
        (words, good_if(!facts.is_busy()))
    })
}

fn load(facts: &Facts) -> MachineFact {
    fact("load", &facts.conditions.load, |load| {
        let words = format!(
            "{:.2}, {:.2}, {:.2} over 1, 5 and 15 minutes",
            load.one_minute, load.five_minutes, load.fifteen_minutes
        );
        let cpus = facts.cpus().unwrap_or(1) as f64;
        let mark = match load.one_minute {
            little if little < 0.5 => Mark::Good,
            much if much >= cpus => Mark::Bad,
            _ => Mark::Neutral,
        };
        (words, mark)
    })
}

fn steal(facts: &Facts) -> MachineFact {
    fact("steal", &facts.conditions.steal, |steal| {
        let words = format!(
            "{} in the last {:.1} s, {} since boot",
            share(steal.sampled),
            facts.watched_seconds,
            share(steal.since_boot)
        );
        (words, good_if(facts.stolen() <= MUCH_STOLEN))
    })
}

/// A share; zero is shown as `0 %`, not `0.000 %`.
fn share(fraction: f64) -> String {
    if fraction == 0.0 { "0 %".to_owned() } else { percent(fraction) }
}

fn quota(facts: &Facts) -> MachineFact {
    fact("cpu limit", &facts.conditions.cpu_quota, |quota| match quota {
        CpuQuota::Unlimited => ("none".to_owned(), Mark::Good),
        CpuQuota::Limited { cpus } => {
            (format!("{cpus:.2} CPUs (control group)"), good_if(facts.limit().is_none()))
        }
    })
}

/// The placement of code affects programs, but no fact of the machine shows by how much.
fn linker(facts: &Facts) -> MachineFact {
    let told = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().display();
        format!("{name}: `--layouts` tells changes of the source from where the code lies")
    };
    let none = "neither ld.lld nor mold is there, so `--layouts` cannot tell changes of the source \
                from where the code lies";
    let value = facts.shuffling_linker.as_ref().map(told).ok_or_else(|| none.to_owned());
    let value = Reading::from_result(value);
    MachineFact { name: "linker".to_owned(), value, mark: Mark::Neutral }
}

fn counters(facts: &Facts) -> MachineFact {
    let available = &facts.conditions.counters;
    let there: Vec<&str> = (available.counters.iter())
        .filter(|(_, there)| there.is_ok())
        .map(|(counter, _)| counter.name())
        .collect();
    let kernel = match available.kernel {
        Some(Kernel::Excluded) => "; the kernel's work is left out",
        _ => "",
    };
    let value = match (there.as_slice(), facts.counters_missing()) {
        ([], Some(reason)) => Err(reason.to_string()),
        (some, Some(reason)) => Ok(format!("{}{kernel}; others: {reason}", some.join(", "))),
        (all, None) => Ok(format!("{}{kernel}", all.join(", "))),
    };
    let mark = good_if(facts.counters_missing().is_none());
    MachineFact { name: "counters".to_owned(), value: Reading::from_result(value), mark }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use measure::machine::{Busy, LoadAverages, Steal};
    use measure::{Available, Bytes, Counter};

    use super::*;

    pub(in crate::doctor) fn quiet() -> Facts {
        Facts {
            machine: Machine {
                cpu_model: Ok("Example 9000".to_owned()),
                microcode: Ok("0x1".to_owned()),
                cpu_hz: Ok(2_000_000_000),
                cpus_online: Ok(BTreeSet::from([0, 1, 2, 3])),
                memory: Ok(Bytes(1 << 34)),
                kernel: Ok("6.1.0".to_owned()),
                hostname: Ok("example".to_owned()),
                os: Ok("Debian".to_owned()),
                virtualisation: Ok(Virtualisation::None),
            },
            conditions: Conditions {
                load: Ok(LoadAverages { one_minute: 0.1, five_minutes: 0.1, fifteen_minutes: 0.1 }),
                governors: Ok(vec!["performance".to_owned(); 4]),
                frequencies_khz: Ok(vec![3_000_000; 4]),
                boost: Ok(false),
                smt: Ok(false),
                address_randomisation: Ok(2),
                clocksource: Ok("tsc".to_owned()),
                steal: Ok(Steal { since_boot: 0.0, sampled: 0.0 }),
                perf_event_paranoid: Ok(1),
                counters: Available {
                    counters: Counter::ALL.map(|counter| (counter, Ok(()))),
                    kernel: Some(Kernel::Included),
                },
                energy_packages: Ok(1),
                throttle_events: Ok(0),
                transparent_hugepages: Ok("madvise".to_owned()),
                cpu_quota: Ok(CpuQuota::Unlimited),
                busiest: Ok(vec![]),
            },
            watched_seconds: 1.0,
            has_intel_pstate: false,
            shuffling_linker: Some("/usr/bin/ld.lld".into()),
        }
    }

    /// A process with this name that uses this share of a CPU.
    pub(in crate::doctor) fn busy(name: &str, share: f64) -> Busy {
        Busy { pid: 4242, name: name.to_owned(), share }
    }

    fn marks(facts: &Facts, mark: Mark) -> Vec<String> {
        list(facts).into_iter().filter(|fact| fact.mark == mark).map(|fact| fact.name).collect()
    }

    #[test]
    fn nothing_is_bad_about_a_quiet_machine() {
        assert_eq!(marks(&quiet(), Mark::Bad), Vec::<&str>::new());
    }

    #[test]
    fn each_disturbance_is_marked() {
        let mut facts = quiet();
        facts.conditions.governors = Ok(vec!["performance".to_owned(), "powersave".to_owned()]);
        facts.conditions.boost = Ok(true);
        facts.conditions.smt = Ok(true);
        facts.conditions.steal = Ok(Steal { since_boot: 0.02, sampled: 0.0 });
        facts.conditions.cpu_quota = Ok(CpuQuota::Limited { cpus: 1.5 });
        facts.conditions.clocksource = Ok("hpet".to_owned());
        facts.conditions.address_randomisation = Ok(0);
        facts.conditions.throttle_events = Ok(3);
        facts.conditions.busiest = Ok(vec![busy("cc1", 0.9), busy("ld", 0.2)]);
        let expected = [
            "other users",
            "steal",
            "cpu limit",
            "governor",
            "turbo",
            "SMT",
            "heat",
            "ASLR",
            "clock",
        ];
        assert_eq!(marks(&facts, Mark::Bad), expected);
    }

    #[test]
    fn what_cannot_be_read_is_missing_with_its_reason_and_not_bad() {
        let mut facts = quiet();
        facts.conditions.boost = Err(Missing::NoFile { path: "/sys/x".into() });
        let turbo = list(&facts).into_iter().find(|fact| fact.name == "turbo").expect("listed");
        assert_eq!(turbo.value.get(), Err("no `/sys/x` here"));
        assert_eq!(turbo.mark, Mark::Neutral);
    }

    #[test]
    fn a_limit_above_what_there_is_limits_nothing() {
        let mut facts = quiet();
        facts.conditions.cpu_quota = Ok(CpuQuota::Limited { cpus: 8.0 });
        assert_eq!(facts.limit(), None);
        assert_eq!(marks(&facts, Mark::Bad), Vec::<&str>::new());
    }
}
