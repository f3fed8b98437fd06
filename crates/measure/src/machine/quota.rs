//! The CPU time that the control groups allow: containers and batch systems limit it, and a program
//! at its limit is paused without notice.

use std::path::{Path, PathBuf};

use super::source::Source;
use crate::cgroup::{mount_point, unified_group};
use crate::missing::Missing;

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
pub(super) fn read(source: &Source) -> Result<CpuQuota, Missing> {
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
pub(super) fn upwards(mount: &str, group: &str) -> Vec<PathBuf> {
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
pub(super) fn first_mount<'a>(mounts: &'a str, controller: &str) -> Option<&'a str> {
    mounts.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let [_, point, "cgroup", options, ..] = fields[..] else { return None };
        options.split(',').any(|option| option == controller).then_some(point)
    })
}

/// This process's group in the hierarchy of a controller of cgroup version 1.
pub(super) fn first_group<'a>(membership: &'a str, controller: &str) -> Option<&'a str> {
    membership.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, group) = (fields.next()?, fields.next()?);
        controllers.split(',').any(|name| name == controller).then_some(group)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_limit_is_counted_in_cpus() {
        assert_eq!(unified_limit("150000 100000\n"), Some(Some(1.5)));
        assert_eq!(unified_limit("max 100000\n"), Some(None));
        assert_eq!(unified_limit("much\n"), None);
    }

    #[test]
    fn the_tightest_limit_from_here_to_the_root_holds() {
        let root = std::env::temp_dir().join(format!("brisk-quota-{}", std::process::id()));
        let files = [
            ("proc/self/mounts", "cgroup2 /cg cgroup2 rw 0 0\nc /cpu cgroup rw,cpu,cpuacct 0 0\n"),
            ("proc/self/cgroup", "4:cpu,cpuacct:/job\n0::/a/b\n"),
            ("cg/a/b/cpu.max", "400000 100000\n"),
            ("cg/a/cpu.max", "200000 100000\n"),
            ("cpu/job/cpu.cfs_quota_us", "-1\n"),
            ("cpu/job/cpu.cfs_period_us", "100000\n"),
        ];
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("below the root")).expect("writable");
            fs::write(path, text).expect("writable");
        }
        let source = Source::new(&root);
        let unified = read(&source);
        fs::write(root.join("cpu/job/cpu.cfs_quota_us"), "50000\n").expect("writable");
        let first = read(&source);
        fs::remove_dir_all(&root).expect("we made it");
        assert_eq!(unified, Ok(CpuQuota::Limited { cpus: 2.0 }));
        assert_eq!(first, Ok(CpuQuota::Limited { cpus: 0.5 }));
    }
}
