//! The machine and its conditions as JSON, and a fresh seed.

use std::path::Path;
use std::time::Duration;

use measure::clock::unix_time_ns;
use measure::machine::{Conditions, CpuQuota, Machine, Virtualisation};
use measure::{Kernel, Missing};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_stays_the_same_when_its_clock_goes_faster_or_its_microcode_is_updated() {
        let at = |hz: u64, microcode: &str| json!({ "cpu_model": "Example 9000", "cpu_hz": hz, "microcode": microcode });
        assert_eq!(lasting(at(800_000_000, "0x1")), json!({ "cpu_model": "Example 9000" }));
        assert_eq!(lasting(at(800_000_000, "0x1")), lasting(at(3_400_000_000, "0x2")));
        for key in ["cpu_hz", "microcode"] {
            assert!(machine().get(key).is_some() && identity().get(key).is_none());
        }
    }
}
