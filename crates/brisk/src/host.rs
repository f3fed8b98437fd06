//! The machine and its conditions as JSON, and a seed nobody chose.

use std::path::Path;
use std::time::Duration;

use measure::clock::unix_time_ns;
use measure::machine::{Conditions, Machine, Virtualisation};
use measure::{Kernel, Missing};
use serde::Serialize;
use serde_json::{Value, json};

use crate::record::Circumstances;

/// What the conditions say of counters that leave the kernel's work out.
pub const USER_MODE_ONLY: &str = "user mode only";

/// A seed for the order of the runs. What it is does not matter, only that nobody picked it.
pub fn fresh_seed() -> u64 {
    // 32 bits: a seed that people can type.
    (unix_time_ns() ^ u64::from(std::process::id()) << 20) & 0xffff_ffff
}

/// This machine as it is now.
pub fn circumstances() -> Circumstances {
    Circumstances {
        started_unix_ns: unix_time_ns(),
        brisk_version: env!("CARGO_PKG_VERSION").to_owned(),
        machine: machine(),
        conditions: conditions(),
    }
}

/// What this machine is.
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

/// What this machine is, as far as that stays the same: without the frequency, which on most processors
/// is that of the moment, and without the microcode, which an update changes under the same machine.
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

/// What tells machines apart: the fact's key, and what it is called.
const IDENTITY: [(&str, &str); 4] = [
    ("hostname", "hostname"),
    ("cpu_model", "processor"),
    ("cpus_online", "number of processors"),
    ("memory_bytes", "memory in bytes"),
];

/// What tells machines apart, of one as [`machine`] tells it: what each fact is called, and the fact
/// where it is known.
pub fn identifying(machine: &Value) -> [(&'static str, Option<String>); 4] {
    IDENTITY.map(|(key, name)| {
        let fact = machine.get(key).filter(|fact| fact.is_string() || fact.is_number());
        (name, fact.map(|fact| fact.as_str().map_or_else(|| fact.to_string(), str::to_owned)))
    })
}

/// Why two machines are not known to be the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    name: &'static str,
    here: Option<String>,
    there: Option<String>,
}

impl Difference {
    /// In words about the other machine, where the one is this machine.
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

    /// In words, where both of them have a name.
    pub fn between(&self, here: &str, there: &str) -> String {
        let told = |fact: &Option<String>| match fact {
            Some(fact) => format!("`{fact}`"),
            None => "not known".to_owned(),
        };
        let [one, other] = [&self.here, &self.there].map(told);
        format!("the {} of {here} is {one}, that of {there} is {other}", self.name)
    }
}

/// Why two machines, as [`machine`] tells them, are not known to be the same; none where they are.
pub fn difference(here: &Value, there: &Value) -> Option<Difference> {
    let pairs = identifying(here).into_iter().zip(identifying(there));
    pairs
        .map(|((name, here), (_, there))| Difference { name, here, there })
        .find(|difference| difference.here != difference.there)
}

/// How this machine is now. Nothing is sampled over time, so it takes no time.
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
        "clocksource": value(conditions.clocksource),
        "steal_share_since_boot": value(conditions.steal.map(|steal| steal.since_boot)),
        "perf_event_paranoid": value(conditions.perf_event_paranoid),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_stays_the_same_when_its_clock_goes_faster_or_its_microcode_is_updated() {
        let at = |hz: u64, microcode: &str| json!({ "cpu_model": "Example 9000", "cpu_hz": hz, "microcode": microcode });
        let (slow, fast) = (at(800_000_000, "0x1"), at(3_400_000_000, "0x2"));
        assert_eq!(lasting(slow.clone()), json!({ "cpu_model": "Example 9000" }));
        assert_eq!(lasting(slow.clone()), lasting(fast.clone()));
        let named = json!({ "hostname": "a", "cpus_online": 4, "memory_bytes": 1 });
        let whole = |mut facts: Value| {
            facts
                .as_object_mut()
                .expect("facts")
                .extend(named.as_object().cloned().expect("facts"));
            facts
        };
        assert_eq!(difference(&whole(slow), &whole(fast)), None);
        for key in ["cpu_hz", "microcode"] {
            assert!(machine().get(key).is_some() && identity().get(key).is_none());
        }
    }

    #[test]
    fn a_machine_is_the_same_while_nothing_that_tells_machines_apart_differs() {
        let made = |hostname: &str, cpus: Value, kernel: &str| {
            json!({
                "hostname": hostname, "cpu_model": "Example 9000", "cpus_online": cpus,
                "memory_bytes": {"missing": "no /proc"}, "kernel": kernel,
            })
        };
        let here = made("a", json!(4), "6.1");
        assert_eq!(difference(&here, &made("a", json!(4), "6.12")), None);
        let said = |there: &Value| difference(&here, there).map(|why| why.from_here());
        let told = said(&made("b", json!(4), "6.1"));
        assert_eq!(told.as_deref(), Some("its hostname is `b`, and here it is `a`"));
        let told = said(&made("a", json!(8), "6.1"));
        assert_eq!(told.as_deref(), Some("its number of processors is `8`, and here it is `4`"));
        let missing = made("a", json!({"missing": "no /sys"}), "6.1");
        assert_eq!(said(&missing).as_deref(), Some("its number of processors is not known"));
        let between = difference(&missing, &here).map(|why| why.between("one", "the other"));
        let told = "the number of processors of one is not known, that of the other is `4`";
        assert_eq!(between.as_deref(), Some(told));
        assert_eq!(difference(&machine(), &machine()), None);
        assert!(difference(&here, &Value::Null).is_some());
    }
}
