//! The machine, and its other activity.
//!
//! [`Machine`] changes with new hardware or upgrades; [`Conditions`] change all the time. Both are
//! read from `/proc` and `/sys` below a root, which is `/` except in tests. Conditions are not
//! judged as good or bad here.

mod conditions;
mod limits;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::readings::{Bytes, Missing};

pub use conditions::{Busy, Conditions, LoadAverages, Steal};
pub use limits::{CpuQuota, available_memory, limits_file_size};

/// The properties of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The processor's name for itself.
    pub cpu_model: Result<String, Missing>,
    /// The revision of the first CPU's microcode.
    pub microcode: Result<String, Missing>,
    /// The speed of the first CPU at the time of reading, or its stated speed, in Hz.
    pub cpu_hz: Result<u64, Missing>,
    /// The numbers of the CPUs (hardware threads) in use, ascending.
    pub cpus_online: Result<BTreeSet<u32>, Missing>,
    /// Installed memory, as far as the kernel manages it.
    pub memory: Result<Bytes, Missing>,
    /// The kernel's release, as `uname -r` prints it.
    pub kernel: Result<String, Missing>,
    /// Its host name.
    pub hostname: Result<String, Missing>,
    /// The operating system's name for people.
    pub os: Result<String, Missing>,
    /// The hypervisor, if the machine is virtual.
    pub virtualisation: Result<Virtualisation, Missing>,
}

/// The virtualisation of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Virtualisation {
    /// No hypervisor was detected.
    None,
    /// The machine runs under a hypervisor.
    Guest {
        /// The firmware's product name, if available.
        product: Option<String>,
    },
}

/// The machine's host name. `root` is `/`.
pub fn hostname(root: &Path) -> Result<String, Missing> {
    let source = Source::new(root);
    source.parse("proc/sys/kernel/hostname", |text| Some(text.trim().to_owned()))
}

/// True if Intel's driver controls the processor's clock: it has its own switches. `root` is `/`.
pub fn has_intel_pstate(root: &Path) -> bool {
    root.join("sys/devices/system/cpu/intel_pstate/no_turbo").exists()
}

impl Machine {
    /// Reads everything. `root` is `/`.
    pub fn read(root: &Path) -> Self {
        let source = Source::new(root);
        let trimmed = |path| source.parse(path, |text| Some(text.trim().to_owned()));
        Self {
            cpu_model: source.parse("proc/cpuinfo", cpu_model),
            microcode: source.parse("proc/cpuinfo", microcode),
            cpu_hz: source.parse("proc/cpuinfo", cpu_hz),
            cpus_online: source.parse("sys/devices/system/cpu/online", cpu_list),
            memory: source.parse("proc/meminfo", |text| kibibytes(text, "MemTotal:").map(Bytes)),
            kernel: trimmed("proc/sys/kernel/osrelease"),
            hostname: hostname(root),
            os: source.parse("etc/os-release", os_name),
            virtualisation: virtualisation(&source),
        }
    }
}

/// The value of a field of `/proc/cpuinfo`, for its first CPU.
fn cpu_field<'a>(cpuinfo: &'a str, name: &str) -> Option<&'a str> {
    cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    })
}

fn cpu_model(cpuinfo: &str) -> Option<String> {
    // ARM has no `model name`; some of its kernels name the board instead.
    let names = ["model name", "Model", "Hardware", "cpu model", "cpu"];
    names.iter().find_map(|name| cpu_field(cpuinfo, name)).map(str::to_owned)
}

fn microcode(cpuinfo: &str) -> Option<String> {
    cpu_field(cpuinfo, "microcode").map(str::to_owned)
}

fn cpu_hz(cpuinfo: &str) -> Option<u64> {
    let mhz: f64 = cpu_field(cpuinfo, "cpu MHz")?.parse().ok()?;
    (mhz.is_finite() && mhz > 0.0).then_some((mhz * 1e6).round() as u64)
}

/// The numbers in a list such as `0-3,8,10-11`.
fn cpu_list(text: &str) -> Option<BTreeSet<u32>> {
    let mut cpus = BTreeSet::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        cpus.extend(first.parse::<u32>().ok()?..=last.parse::<u32>().ok()?);
    }
    Some(cpus)
}

/// The bytes in the line of this name, which counts kibibytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn os_name(os_release: &str) -> Option<String> {
    let value = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim().trim_matches('"').to_owned())
}

fn virtualisation(source: &Source) -> Result<Virtualisation, Missing> {
    let cpuinfo = source.text("proc/cpuinfo")?;
    let flags = cpu_field(&cpuinfo, "flags").unwrap_or_default();
    let product = source.text("sys/class/dmi/id/sys_vendor").ok().map(|vendor| {
        let name = source.text("sys/class/dmi/id/product_name").unwrap_or_default();
        format!("{} {}", vendor.trim(), name.trim()).trim().to_owned()
    });
    // Without such a flag (ARM), a hypervisor shows only in the firmware's names.
    let hypervisors =
        ["QEMU", "KVM", "VMware", "VirtualBox", "Xen", "Bochs", "Virtual Machine", "EC2"];
    let named = product.as_ref().is_some_and(|product| {
        hypervisors.iter().any(|hypervisor| product.contains(hypervisor))
            && !product.contains(".metal")
    });
    let flagged = flags.split_whitespace().any(|flag| flag == "hypervisor");
    Ok(if flagged || named { Virtualisation::Guest { product } } else { Virtualisation::None })
}

/// The root of a file system, real or made up for a test.
#[derive(Debug)]
pub(super) struct Source {
    root: PathBuf,
}

impl Source {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The path of the file; `path` is relative to the root.
    pub(super) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    /// The file's text.
    pub(super) fn text(&self, path: impl AsRef<Path>) -> Result<String, Missing> {
        let path = self.path(path);
        fs::read_to_string(&path).map_err(|error| Missing::from_read(&path, &error))
    }

    /// The result of `parse` for the file's text.
    pub(super) fn parse<T>(
        &self,
        path: impl AsRef<Path>,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Missing> {
        let text = self.text(path.as_ref())?;
        parse(&text).ok_or_else(|| Missing::NotUnderstood { path: self.path(path) })
    }

    /// The names in a directory that are numbers, ascending; empty if it cannot be read.
    pub(super) fn numbered(&self, path: impl AsRef<Path>, prefix: &str) -> Vec<u32> {
        let Ok(entries) = fs::read_dir(self.path(path)) else { return Vec::new() };
        let mut numbers: Vec<u32> = entries
            .filter_map(|entry| {
                entry.ok()?.file_name().to_str()?.strip_prefix(prefix)?.parse().ok()
            })
            .collect();
        numbers.sort_unstable();
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_cpus_may_have_holes() {
        assert_eq!(cpu_list("0-2,8,10-11\n"), Some(BTreeSet::from([0, 1, 2, 8, 10, 11])));
        assert_eq!(cpu_list("0\n"), Some(BTreeSet::from([0])));
        assert_eq!(cpu_list("zero"), None);
    }

    #[test]
    fn memory_is_in_bytes() {
        let text = "MemTotal:       24684092 kB\nMemFree: 1 kB\n";
        assert_eq!(kibibytes(text, "MemTotal:"), Some(25_276_510_208));
    }

    #[test]
    fn the_operating_system_is_named_without_quotes() {
        let text = "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n";
        assert_eq!(os_name(text).as_deref(), Some("Debian GNU/Linux 12 (bookworm)"));
    }

    #[test]
    fn a_frequency_is_a_positive_number() {
        let of = |mhz: &str| cpu_hz(&format!("processor\t: 0\ncpu MHz\t\t: {mhz}\n"));
        assert_eq!(of("2596.130"), Some(2_596_130_000));
        assert_eq!(["0.000", "-1", "inf", "fast"].map(of), [None; 4]);
        assert_eq!(cpu_hz("processor : 0\n"), None);
    }

    #[test]
    fn microcode_is_that_of_the_first_processor() {
        let text = "processor\t: 0\nmicrocode\t: 0xd0003f6\nprocessor\t: 1\nmicrocode\t: 0x1\n";
        assert_eq!(microcode(text).as_deref(), Some("0xd0003f6"));
        assert_eq!(microcode("processor : 0\nModel : Raspberry Pi 4\n"), None);
    }

    #[test]
    fn the_processor_is_named_whatever_its_architecture_calls_it() {
        assert_eq!(
            cpu_model("processor\t: 0\nmodel\t\t: 207\nmodel name\t: A B\n").as_deref(),
            Some("A B")
        );
        assert_eq!(
            cpu_model("processor : 0\nModel : Raspberry Pi 4\n").as_deref(),
            Some("Raspberry Pi 4")
        );
    }

    #[test]
    fn this_machine_can_be_described() {
        let machine = Machine::read(Path::new("/"));
        assert!(machine.memory.is_ok_and(|memory| memory.0 > 1 << 20));
        assert!(machine.kernel.is_ok_and(|kernel| !kernel.is_empty()));
    }

    #[test]
    fn a_machine_that_says_nothing_is_missing_not_zero() {
        let machine = Machine::read(Path::new("/nonexistent"));
        let path = "/nonexistent/proc/meminfo".into();
        assert_eq!(machine.memory, Err(Missing::NoFile { path }));
    }
}
