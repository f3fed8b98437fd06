//! The memory that this process may still use before it is killed.

use std::path::Path;

use super::quota::{first_group, first_mount, upwards};
use super::source::Source;
use crate::cgroup::{mount_point, unified_group};
use crate::missing::Missing;
use crate::units::Bytes;

/// The smallest of the machine's available memory, the rest of the control groups' limits, and the
/// rest of the limit on this process's address space (`ulimit -v`). Swap is not counted as memory.
/// `root` is `/`.
///
/// # Errors
///
/// When the machine does not report its available memory.
pub fn available_memory(root: &Path) -> Result<Bytes, Missing> {
    let source = Source::new(root);
    let machine = source.parse("proc/meminfo", |text| kibibytes(text, "MemAvailable:"))?;
    let limits = groups(&source).into_iter().chain(addresses(&source));
    Ok(Bytes(limits.fold(machine, u64::min)))
}

/// The bytes in the line of this name, which counts kibibytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The available memory according to these files.
    fn available(name: &str, files: &[(&str, &str)]) -> Option<u64> {
        let root = std::env::temp_dir().join(format!("brisk-room-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("below the root")).expect("writable");
            fs::write(path, text).expect("writable");
        }
        let found = available_memory(&root);
        fs::remove_dir_all(&root).expect("we made it");
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
}
