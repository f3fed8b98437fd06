//! The check that a baseline was written on this machine, as far as the file shows.

use serde_json::Value;
use toolchains::harness::saved::{Fact, FactKind};

use crate::host;
use crate::host::{Difference, identifying};

/// Go's names of instruction sets.
const ARCHITECTURES: [(&str, &str); 6] = [
    ("x86_64", "amd64"),
    ("x86", "386"),
    ("aarch64", "arm64"),
    ("arm", "arm"),
    ("riscv64", "riscv64"),
    ("s390x", "s390x"),
];

/// The differences of a machine that is not this one.
#[derive(Debug, thiserror::Error)]
#[error("it was written on another machine: {0}")]
pub struct OtherMachine(String);

/// Rejects a baseline that was written on another machine.
///
/// # Errors
///
/// The facts of the file's machine that differ here.
pub(super) fn check(facts: &[Fact]) -> Result<(), OtherMachine> {
    let different = differences(facts, &host::machine());
    if different.is_empty() {
        return Ok(());
    }
    let what: Vec<String> = different.iter().map(Difference::from_here).collect();
    Err(OtherMachine(what.join("\n")))
}

/// The facts that differ here. Facts not known of this machine are not a difference.
fn differences(facts: &[Fact], machine: &Value) -> Vec<Difference> {
    let difference = |fact: &Fact| {
        let (name, here) = here(fact.kind, machine)?;
        (!is_same(fact.kind, &here, &fact.value)).then(|| Difference {
            name,
            is_of_the_machine: true,
            here: Some(here),
            there: Some(fact.value.clone()),
        })
    };
    facts.iter().filter_map(difference).collect()
}

/// The name of a fact, and its value here.
fn here(kind: FactKind, machine: &Value) -> Option<(&'static str, String)> {
    let identified = |wanted: &str| {
        let mut known = identifying(machine).into_iter();
        known.find(|(name, _)| *name == wanted).and_then(|(name, fact)| Some((name, fact?)))
    };
    match kind {
        FactKind::Hostname => identified("hostname"),
        FactKind::Processor => identified("processor"),
        FactKind::Processors => identified("number of processors"),
        FactKind::System => {
            let system = std::env::consts::OS;
            Some(("operating system", if system == "macos" { "darwin" } else { system }.to_owned()))
        }
        FactKind::Architecture => {
            let architecture = std::env::consts::ARCH;
            let (_, word) = ARCHITECTURES.iter().find(|(own, _)| *own == architecture)?;
            Some(("architecture", (*word).to_owned()))
        }
    }
}

/// True if a fact is the same. Go appends the frequency to the name of a processor that does not
/// include it.
fn is_same(kind: FactKind, here: &str, there: &str) -> bool {
    let [here, there] =
        [here, there].map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let without_frequency = there.strip_suffix("MHz").and_then(|_| there.rsplit_once(" @ "));
    let is_its_name = without_frequency.is_some_and(|(name, _)| name == here);
    here == there || (kind == FactKind::Processor && is_its_name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fact(kind: FactKind, value: &str) -> Fact {
        Fact { kind, value: value.to_owned() }
    }

    #[test]
    fn what_the_file_says_of_another_machine_is_a_difference() {
        let machine = json!({
            "hostname": "here", "cpu_model": "Example  9000", "cpus_online": 4,
            "memory_bytes": {"missing": "no /proc"},
        });
        let told = |facts: &[Fact]| {
            let all = differences(facts, &machine);
            all.iter().map(Difference::from_here).collect::<Vec<_>>()
        };
        let same = [
            fact(FactKind::Hostname, "here"),
            fact(FactKind::Processor, "Example 9000"),
            fact(FactKind::Processor, "Example 9000 @ 2400.0000MHz"),
            fact(FactKind::Processors, "4"),
        ];
        assert_eq!(told(&same), [""; 0]);
        let other = [fact(FactKind::Processor, "Example 9001"), fact(FactKind::Processors, "8")];
        assert_eq!(
            told(&other),
            [
                "its processor is `Example 9001`, and here it is `Example  9000`",
                "its number of processors is `8`, and here it is `4`",
            ]
        );
        assert_eq!(told(&[fact(FactKind::System, "plan9")]).len(), 1);
        let unknown = json!({"hostname": {"missing": "no"}, "cpu_model": null});
        assert!(differences(&[fact(FactKind::Hostname, "there")], &unknown).is_empty());
    }
}
