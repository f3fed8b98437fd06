//! The limits on this process: the CPU time and the memory that control groups allow (containers
//! and batch systems set them), its address space, and the size of its files. A program at its
//! limit of CPU time is paused without notice, and one at its limit of memory is killed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cgroup::{mount_point, unified_group};
use crate::machine::{Source, kibibytes};
use crate::readings::{Bytes, Missing};

/// A limit on CPU time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CpuQuota {
    /// There is no limit.
    Unlimited,
    /// There is a limit.
    Limited {
        /// The limit in CPUs.
        cpus: f64,
    },
}

/// The tightest limit on this process's cgroup and those above it.
pub(super) fn cpu_quota(source: &Source) -> Result<CpuQuota, Missing> {
    let mounts = source.text("proc/self/mounts")?;
    let membership = source.text("proc/self/cgroup")?;
    let mut limits: Vec<f64> = Vec::new();
    if let (Some(mount), Some(group)) = (mount_point(&mounts), unified_group(&membership)) {
        for directory in upwards(mount, group) {
            let limit = source.parse(directory.join("cpu.max"), unified_limit);
            limits.extend(limit.ok().flatten());
        }
    }
    if let (Some(mount), Some(group)) =
        (first_mount(&mounts, "cpu"), first_group(&membership, "cpu"))
    {
        for directory in upwards(mount, group) {
            let number = |file| source.parse(directory.join(file), |text| text.trim().parse().ok());
            let quota: Result<f64, _> = number("cpu.cfs_quota_us");
            let period: Result<f64, _> = number("cpu.cfs_period_us");
            // -1 means no limit.
            if let (Ok(quota @ 0.0..), Ok(period)) = (quota, period) {
                limits.push(quota / period);
            }
        }
    }
    let tightest = limits.into_iter().min_by(f64::total_cmp);
    Ok(tightest.map_or(CpuQuota::Unlimited, |cpus| CpuQuota::Limited { cpus }))
}

/// The directories of a cgroup and of all above it, relative to the file system's root.
fn upwards(mount: &str, group: &str) -> Vec<PathBuf> {
    let mount = Path::new(mount.trim_start_matches('/'));
    let group = mount.join(group.trim_start_matches('/'));
    group.ancestors().take_while(|above| above.starts_with(mount)).map(Path::to_owned).collect()
}

/// The limit in `cpu.max`: a quota and a period in microseconds, or `max` for no limit.
fn unified_limit(text: &str) -> Option<Option<f64>> {
    let (quota, period) = text.trim().split_once(' ')?;
    if quota == "max" {
        return Some(None);
    }
    Some(Some(quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?))
}

/// The mount point of a controller of cgroup version 1.
fn first_mount<'a>(mounts: &'a str, controller: &str) -> Option<&'a str> {
    mounts.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let [_, point, "cgroup", options, ..] = fields[..] else { return None };
        options.split(',').any(|option| option == controller).then_some(point)
    })
}

/// This process's group in the hierarchy of a controller of cgroup version 1.
fn first_group<'a>(membership: &'a str, controller: &str) -> Option<&'a str> {
    membership.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, group) = (fields.next()?, fields.next()?);
        controllers.split(',').any(|name| name == controller).then_some(group)
    })
}

/// The smallest of the machine's available memory, the rest of the control groups' limits, and the
/// rest of the limit on this process's address space (`ulimit -v`). Swap is not counted as memory.
/// `root` is `/`.
pub fn available_memory(root: &Path) -> Result<Bytes, Missing> {
    let source = Source::new(root);
    let machine = source.parse("proc/meminfo", |text| kibibytes(text, "MemAvailable:"))?;
    let limits = groups(&source).into_iter().chain(addresses(&source));
    Ok(Bytes(limits.fold(machine, u64::min)))
}

/// The rest of the limit on the address space, if there is one.
fn addresses(source: &Source) -> Option<u64> {
    let limits = source.text("proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    // `unlimited` is not a number.
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let status = source.text("proc/self/status").ok()?;
    Some(limit.saturating_sub(kibibytes(&status, "VmSize:")?))
}

/// The files of a version of control groups.
struct Files {
    limit: &'static str,
    used: &'static str,
    /// Parts of the used memory: cached files, which can be dropped.
    cached: [&'static str; 2],
}

const UNIFIED: Files = Files {
    limit: "memory.max",
    used: "memory.current",
    cached: ["inactive_file ", "active_file "],
};
const FIRST: Files = Files {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    cached: ["total_inactive_file ", "total_active_file "],
};

/// The rest of each limit of this process's control groups.
fn groups(source: &Source) -> Vec<u64> {
    let mounts = source.text("proc/self/mounts").unwrap_or_default();
    let membership = source.text("proc/self/cgroup").unwrap_or_default();
    let unified = (mount_point(&mounts), unified_group(&membership), UNIFIED);
    let first = (first_mount(&mounts, "memory"), first_group(&membership, "memory"), FIRST);
    let mut left = Vec::new();
    for (mount, group, files) in [unified, first] {
        if let (Some(mount), Some(group)) = (mount, group) {
            let all = upwards(mount, group);
            left.extend(all.iter().filter_map(|directory| left_in(source, directory, &files)));
        }
    }
    left
}

fn left_in(source: &Source, directory: &Path, files: &Files) -> Option<u64> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    // `max` is not a number.
    let limit = source.parse(directory.join(files.limit), number).ok()?;
    let used = source.parse(directory.join(files.used), number).ok()?;
    let stat = source.text(directory.join("memory.stat")).unwrap_or_default();
    let lines = stat.lines().filter_map(|line| {
        files.cached.iter().find_map(|name| line.strip_prefix(name)).and_then(number)
    });
    Some(limit.saturating_sub(used.saturating_sub(lines.sum())))
}

/// True if there is a limit; false if that is unknown.
pub fn limits_file_size() -> bool {
    is_limited(&fs::read_to_string("/proc/self/limits").unwrap_or_default())
}

/// Parses the text of `/proc/PID/limits`: a name, the soft limit, the hard limit.
fn is_limited(limits: &str) -> bool {
    let sizes = limits.lines().find_map(|line| line.strip_prefix("Max file size"));
    sizes.is_some_and(|sizes| sizes.split_whitespace().next() != Some("unlimited"))
}

#[cfg(test)]
mod tests {
    use crate::made_up::Folder;

    use super::*;

    #[test]
    fn a_limit_is_counted_in_cpus() {
        assert_eq!(unified_limit("150000 100000\n"), Some(Some(1.5)));
        assert_eq!(unified_limit("max 100000\n"), Some(None));
        assert_eq!(unified_limit("much\n"), None);
    }

    #[test]
    fn the_tightest_limit_from_here_to_the_root_holds() {
        let files = [
            ("proc/self/mounts", "cgroup2 /cg cgroup2 rw 0 0\nc /cpu cgroup rw,cpu,cpuacct 0 0\n"),
            ("proc/self/cgroup", "4:cpu,cpuacct:/job\n0::/a/b\n"),
            ("cg/a/b/cpu.max", "400000 100000\n"),
            ("cg/a/cpu.max", "200000 100000\n"),
            ("cpu/job/cpu.cfs_quota_us", "-1\n"),
            ("cpu/job/cpu.cfs_period_us", "100000\n"),
        ];
        let root = Folder::new("quota", &files);
        let source = Source::new(&root);
        let unified = cpu_quota(&source);
        root.write("cpu/job/cpu.cfs_quota_us", "50000\n");
        let first = cpu_quota(&source);
        assert_eq!(unified, Ok(CpuQuota::Limited { cpus: 2.0 }));
        assert_eq!(first, Ok(CpuQuota::Limited { cpus: 0.5 }));
    }

    /// The available memory according to these files.
    fn available(name: &str, files: &[(&str, &str)]) -> Option<u64> {
        let root = Folder::new(&format!("room-{name}"), files);
        let found = available_memory(&root);
        found.ok().map(|bytes| bytes.0)
    }

    const MACHINE: (&str, &str) =
        ("proc/meminfo", "MemTotal:  9 kB\nMemAvailable:   8000 kB\nSwapFree: 5 kB\n");

    #[test]
    fn without_limits_it_is_what_the_machine_has_left() {
        let unlimited = [
            MACHINE,
            ("proc/self/limits", "Max address space         unlimited  unlimited  bytes\n"),
            ("proc/self/status", "VmSize:\t  100 kB\n"),
            ("proc/self/mounts", "cgroup2 /cg cgroup2 rw 0 0\n"),
            ("proc/self/cgroup", "0::/a\n"),
            ("cg/a/memory.max", "max\n"),
            ("cg/a/memory.current", "7\n"),
        ];
        assert_eq!(available("none", &unlimited), Some(8000 * 1024));
        assert_eq!(available("alone", &[MACHINE]), Some(8000 * 1024));
        assert_eq!(available("nothing", &[("proc/meminfo", "MemTotal: 9 kB\n")]), None);
    }

    #[test]
    fn the_tightest_limit_holds_and_what_is_cached_can_be_given_back() {
        let limited = [
            MACHINE,
            ("proc/self/mounts", "c /cg cgroup2 rw 0 0\nm /first cgroup rw,memory 0 0\n"),
            ("proc/self/cgroup", "3:memory:/job\n0::/a/b\n"),
            ("cg/a/memory.max", "5000\n"),
            ("cg/a/memory.current", "4000\n"),
            ("cg/a/memory.stat", "anon 1\ninactive_file 1000\nactive_file 500\n"),
            ("first/job/memory.limit_in_bytes", "6000\n"),
            ("first/job/memory.usage_in_bytes", "4000\n"),
            ("first/job/memory.stat", "inactive_file 9\ntotal_inactive_file 300\n"),
        ];
        // 5000 - (4000 - 1500), and 6000 - (4000 - 300).
        assert_eq!(available("groups", &limited), Some(2300));
        assert_eq!(available("unified", &limited[..6]), Some(2500));
    }

    #[test]
    fn a_limit_on_addresses_counts_what_is_mapped() {
        let limited = [
            MACHINE,
            ("proc/self/limits", "Max address space         3072000   unlimited  bytes\n"),
            ("proc/self/status", "Name:\tbrisk\nVmSize:\t  1000 kB\n"),
        ];
        assert_eq!(available("addresses", &limited), Some(3_072_000 - 1_024_000));
    }

    #[test]
    fn the_limit_in_force_counts() {
        let of =
            |soft| format!("Max cpu time  1  2  seconds\nMax file size   {soft}   unlimited\n");
        assert!(is_limited(&of("512000")));
        assert!(!is_limited(&of("unlimited")));
        assert!(!is_limited(""));
    }
}
