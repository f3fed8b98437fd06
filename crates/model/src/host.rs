//! The machine and its state, as JSON and as a class: results are combined only within one class.
//!
//! The class follows from the stored facts of an experiment, so it is the same everywhere. The
//! facts of the *machine* distinguish it from others; one that is known on one side only is a
//! difference. The facts of its *state* may change from one day to the next, and differ only if
//! both are known, because not every machine provides all of them.

use measure::clock::unix_time_ns;
use measure::machine::{Conditions, CpuQuota, Machine, Virtualisation};
use measure::{Kernel, Missing};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The condition of counters that leave out the kernel's work.
pub const USER_MODE_ONLY: &str = "user mode only";

/// The machine, time and conditions of an experiment, as read there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Circumstances {
    /// The start, in nanoseconds since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// The version of the brisk that ran it.
    pub brisk_version: String,
    /// The facts of the machine.
    pub machine: Value,
    /// Its state during the experiment.
    pub conditions: Value,
}

/// A seed for the order of the runs. Its value does not matter, only that it was not chosen.
pub fn fresh_seed() -> u64 {
    // 32 bits: a seed that people can type.
    (unix_time_ns() ^ u64::from(std::process::id()) << 20) & 0xffff_ffff
}

/// The current circumstances on this machine.
pub fn circumstances() -> Circumstances {
    Circumstances {
        started_unix_ns: unix_time_ns(),
        brisk_version: env!("CARGO_PKG_VERSION").to_owned(),
        machine: machine(),
        conditions: conditions(),
    }
}

/// The facts of this machine.
pub fn machine() -> Value {
    let machine = Machine::read(Path::new("/"));
    json!({
        "cpu_model": value(machine.cpu_model),
        "microcode": value(machine.microcode),
        "cpu_hz": value(machine.cpu_hz),
        "cpus_online": value(machine.cpus_online.map(|cpus| cpus.len())),
        "memory_bytes": value(machine.memory.map(|bytes| bytes.0)),
        "kernel": value(machine.kernel),
        "hostname": value(machine.hostname),
        "os": value(machine.os),
        "virtualised": value(machine.virtualisation.map(|kind| match kind {
            Virtualisation::None => json!(false),
            Virtualisation::Guest { product } => json!(product.unwrap_or_else(|| "yes".to_owned())),
        })),
    })
}

/// The lasting facts of this machine: without the frequency, which on most processors is the
/// current one, and without the microcode, which an update changes on the same machine.
pub fn identity() -> Value {
    lasting(machine())
}

fn lasting(mut machine: Value) -> Value {
    if let Some(facts) = machine.as_object_mut() {
        facts.remove("cpu_hz");
        facts.remove("microcode");
    }
    machine
}

/// The hostname of this machine; empty if unknown.
pub fn name() -> String {
    measure::machine::hostname(Path::new("/")).unwrap_or_default()
}

/// The current conditions of this machine. Nothing is sampled over time, so it takes no time.
pub fn conditions() -> Value {
    conditions_as_json(Conditions::read(Path::new("/"), Duration::ZERO))
}

fn conditions_as_json(conditions: Conditions) -> Value {
    let instructions = conditions.counters.counters[1].1.clone();
    json!({
        "load_average": value(conditions.load.map(|load| {
            [load.one_minute, load.five_minutes, load.fifteen_minutes]
        })),
        "governors": value(conditions.governors.map(distinct)),
        "boost": value(conditions.boost),
        "smt": value(conditions.smt),
        "address_randomisation": value(conditions.address_randomisation),
        "python_hash_seed": match std::env::var("PYTHONHASHSEED") {
            Ok(seed) if seed != "random" => json!(seed),
            _ => json!("drawn"),
        },
        "clocksource": value(conditions.clocksource),
        "steal_share_since_boot": value(conditions.steal.map(|steal| steal.since_boot)),
        "cpu_quota": value(conditions.cpu_quota.map(|quota| match quota {
            CpuQuota::Unlimited => None,
            CpuQuota::Limited { cpus } => Some(cpus),
        })),
        "perf_event_paranoid": value(conditions.perf_event_paranoid),
        "energy_packages": value(conditions.energy_packages),
        "hardware_counters": value(instructions.map(|()| match conditions.counters.kernel {
            Some(Kernel::Excluded) => USER_MODE_ONLY,
            _ => "with the kernel",
        })),
        "transparent_hugepages": value(conditions.transparent_hugepages),
        "throttle_events": value(conditions.throttle_events),
    })
}

fn distinct(mut words: Vec<String>) -> Vec<String> {
    words.sort();
    words.dedup();
    words
}

/// A fact, or `{"missing": reason}`.
fn value<T: Serialize>(fact: Result<T, Missing>) -> Value {
    match fact {
        Ok(fact) => json!(fact),
        Err(reason) => json!({ "missing": reason.to_string() }),
    }
}

/// The facts of the machine: the key, and its name.
const MACHINE: [(&str, &str); 4] = [
    ("hostname", "hostname"),
    ("cpu_model", "processor"),
    ("cpus_online", "number of processors"),
    ("memory_bytes", "memory in bytes"),
];

/// The facts of its state.
const STATE: [(&str, &str); 6] = [
    ("microcode", "microcode"),
    ("kernel", "kernel"),
    ("os", "operating system"),
    ("governors", "frequency governor"),
    ("boost", "boosting"),
    ("smt", "simultaneous multithreading"),
];

/// The parts of a class's name, and the text before each.
const NAMED: [(&str, &str); 5] = [
    ("cpu_model", ""),
    ("cpus_online", "processors: "),
    ("kernel", "kernel "),
    ("microcode", "microcode "),
    ("governors", "governor "),
];

/// The machine and its state during a measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineClass {
    machine: [Option<String>; MACHINE.len()],
    state: [Option<String>; STATE.len()],
    name: String,
}

/// A fact that is not known to be the same on two machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The name of the fact.
    pub name: &'static str,
    /// Set if it is a fact of the machine rather than of its state.
    pub is_of_the_machine: bool,
    /// The value here, if known.
    pub here: Option<String>,
    /// The value there, if known.
    pub there: Option<String>,
}

impl MachineClass {
    /// The class of a machine from the facts of [`machine`] and [`conditions`].
    pub fn from_facts(machine: &Value, conditions: &Value) -> Self {
        let told = |key: &str| fact(machine, key).or_else(|| fact(conditions, key));
        let named =
            NAMED.iter().filter_map(|(key, before)| Some(format!("{before}{}", told(key)?)));
        let name = named.collect::<Vec<_>>().join(", ");
        Self {
            machine: MACHINE.map(|(key, _)| told(key)),
            state: STATE.map(|(key, _)| told(key)),
            name: if name.is_empty() {
                "a machine of which nothing is known".to_owned()
            } else {
                name
            },
        }
    }

    /// The current class of this machine.
    pub fn here() -> Self {
        Self::from_facts(&machine(), &conditions())
    }

    /// The name: the known facts of its processor, kernel, microcode and governor. Machines that
    /// are alike have the same name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The facts not known to be the same; empty if results may be combined.
    pub fn differences(&self, there: &Self) -> Vec<Difference> {
        let names = MACHINE.iter().chain(&STATE).map(|(_, name)| *name);
        let sides = self.facts().zip(there.facts()).enumerate();
        let difference =
            |(name, (place, (here, there))): (_, (usize, (&Option<_>, &Option<_>)))| {
                let both = here.is_some() && there.is_some();
                let is_of_the_machine = place < MACHINE.len();
                let is_different = here != there && (is_of_the_machine || both);
                let (here, there) = (here.clone(), there.clone());
                is_different.then_some(Difference { name, is_of_the_machine, here, there })
            };
        names.zip(sides).filter_map(difference).collect()
    }

    /// True if results of both may be combined.
    pub fn is_same(&self, there: &Self) -> bool {
        self.differences(there).is_empty()
    }

    fn facts(&self) -> impl Iterator<Item = &Option<String>> {
        self.machine.iter().chain(&self.state)
    }
}

impl From<&Circumstances> for MachineClass {
    fn from(circumstances: &Circumstances) -> Self {
        Self::from_facts(&circumstances.machine, &circumstances.conditions)
    }
}

impl Difference {
    /// The difference in words about the other machine, with `here` being this machine.
    pub fn from_here(&self) -> String {
        let name = self.name;
        match (&self.here, &self.there) {
            (Some(here), Some(there)) => {
                format!("its {name} is `{there}`, and here it is `{here}`")
            }
            (_, None) => format!("its {name} is not known"),
            (None, _) => format!("the {name} of this machine is not known"),
        }
    }

    /// The difference in words, with names for both machines.
    pub fn between(&self, here: &str, there: &str) -> String {
        let told = |fact: &Option<String>| match fact {
            Some(fact) => format!("`{fact}`"),
            None => "not known".to_owned(),
        };
        let [one, other] = [&self.here, &self.there].map(told);
        format!("the {} of {here} is {one}, that of {there} is {other}", self.name)
    }
}

/// The identifying facts of a machine, from [`machine`]: the name of each fact, and its value
/// if known.
pub fn identifying(machine: &Value) -> [(&'static str, Option<String>); MACHINE.len()] {
    MACHINE.map(|(key, name)| (name, fact(machine, key)))
}

/// A fact in words; `None` if it was not read.
fn fact(facts: &Value, key: &str) -> Option<String> {
    match facts.get(key)? {
        Value::Null | Value::Object(_) => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(words) if words.iter().all(Value::is_string) => {
            Some(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "))
        }
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    #[test]
    fn a_machine_stays_the_same_when_its_clock_goes_faster_or_its_microcode_is_updated() {
        let at = |hz: u64, microcode: &str| json!({ "cpu_model": "Example 9000", "cpu_hz": hz, "microcode": microcode });
        assert_eq!(lasting(at(800_000_000, "0x1")), json!({ "cpu_model": "Example 9000" }));
        assert_eq!(lasting(at(800_000_000, "0x1")), lasting(at(3_400_000_000, "0x2")));
        for key in ["cpu_hz", "microcode"] {
            assert!(machine().get(key).is_some() && identity().get(key).is_none());
        }
    }

    fn class(hostname: &str, cpus: Value, kernel: &str, governor: Value) -> MachineClass {
        let machine = json!({
            "hostname": hostname, "cpu_model": "Example 9000", "cpus_online": cpus,
            "memory_bytes": {"missing": "no /proc"}, "kernel": kernel, "cpu_hz": 1,
        });
        MachineClass::from_facts(
            &machine,
            &json!({"governors": governor, "load_average": [1, 2, 3]}),
        )
    }

    fn differing(here: &MachineClass, there: &MachineClass) -> Vec<&'static str> {
        here.differences(there).iter().map(|one| one.name).collect()
    }

    #[test]
    fn results_are_put_together_where_nothing_that_matters_differs() {
        let here = class("a", json!(4), "6.1", json!(["powersave"]));
        assert!(here.is_same(&here));
        let of = |there: MachineClass| differing(&here, &there);
        assert_eq!(of(class("b", json!(4), "6.1", json!(["powersave"]))), ["hostname"]);
        assert_eq!(of(class("a", json!(8), "6.1", json!(["powersave"]))), ["number of processors"]);
        let both = of(class("a", json!(4), "6.12", json!(["performance"])));
        assert_eq!(both, ["kernel", "frequency governor"]);
        // Every fact of the machine must be known; facts of the state count only if read on both
        // sides.
        let missing = json!({"missing": "no /sys"});
        assert_eq!(
            of(class("a", missing.clone(), "6.1", json!(["powersave"]))),
            ["number of processors"]
        );
        assert_eq!(of(class("a", json!(4), "6.1", missing)), [""; 0]);
        assert!(!here.is_same(&MachineClass::from_facts(&Value::Null, &Value::Null)));
    }

    #[test]
    fn machines_that_are_alike_have_the_same_name() {
        let name = |host: &str, kernel: &str| {
            class(host, json!(4), kernel, json!(["powersave"])).name().to_owned()
        };
        assert_eq!(name("a", "6.1"), "Example 9000, processors: 4, kernel 6.1, governor powersave");
        assert_eq!(name("a", "6.1"), name("b", "6.1"));
        assert_ne!(name("a", "6.1"), name("a", "6.2"));
        let nothing = MachineClass::from_facts(&Value::Null, &Value::Null);
        assert_eq!(nothing.name(), "a machine of which nothing is known");
    }

    #[test]
    fn a_difference_is_told_from_either_side() {
        let here = class("a", json!(4), "6.1", json!([]));
        let missing = class("a", json!({"missing": "no /sys"}), "6.1", json!([]));
        let told = |here: &MachineClass, there: &MachineClass| here.differences(there)[0].clone();
        let other = told(&here, &class("b", json!(4), "6.1", json!([])));
        assert_eq!(other.from_here(), "its hostname is `b`, and here it is `a`");
        let unknown = told(&here, &missing);
        assert_eq!(unknown.from_here(), "its number of processors is not known");
        let between = told(&missing, &here).between("one", "the other");
        let expected = "the number of processors of one is not known, that of the other is `4`";
        assert_eq!(between, expected);
    }
}
