//! Peak memory of a whole process tree, by a cgroup (v2) made for one run.
//!
//! Only on demand: the kernel charges the pages of a program to its cgroup, so a separate cgroup
//! disturbs the program a little. The launcher moves into the new cgroup, starts the program, which
//! thereby begins there, and moves back.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::readings::{Bytes, Missing};
use crate::sys::errno;

/// A place for cgroups with a memory controller.
#[derive(Debug)]
pub(crate) struct Meter {
    /// The cgroup of this process.
    home: PathBuf,
    /// The parent of the cgroups for runs.
    base: PathBuf,
    rooms: u64,
}

/// A cgroup for one run, removed on drop.
#[derive(Debug)]
pub(crate) struct Room {
    directory: PathBuf,
    home: PathBuf,
}

impl Meter {
    /// Finds such a place on this machine.
    pub(crate) fn find() -> Result<Self, Missing> {
        let mounts = read(Path::new("/proc/self/mounts"))?;
        let membership = read(Path::new("/proc/self/cgroup"))?;
        let mount = mount_point(&mounts).ok_or(Missing::NoMemoryController)?;
        let group = unified_group(&membership).ok_or(Missing::NoMemoryController)?;
        Self::below(Path::new(mount), group)
    }

    /// Checks this process's cgroup and its parent, because Linux forbids controllers below a
    /// cgroup with processes of its own (except the root).
    fn below(mount: &Path, group: &str) -> Result<Self, Missing> {
        let home = mount.join(group.trim_start_matches('/'));
        let above = home.parent().filter(|above| above.starts_with(mount));
        for base in [Some(home.as_path()), above].into_iter().flatten() {
            let enabled = fs::read_to_string(base.join("cgroup.subtree_control"));
            if enabled.is_ok_and(|list| list.split_whitespace().any(|name| name == "memory")) {
                return Ok(Self { base: base.to_owned(), home: home.clone(), rooms: 0 });
            }
        }
        Err(Missing::NoMemoryController)
    }

    /// Makes a cgroup and moves this process into it.
    pub(crate) fn enter(&mut self) -> Result<Room, Missing> {
        self.rooms += 1;
        let name = format!("brisk-{}-{}", std::process::id(), self.rooms);
        let directory = self.base.join(name);
        fs::create_dir(&directory).map_err(|error| failed(&error))?;
        let room = Room { directory, home: self.home.clone() };
        move_into(&room.directory).map_err(|error| failed(&error))?;
        Ok(room)
    }
}

impl Room {
    /// Moves this process back to its home cgroup.
    pub(crate) fn leave(&self) {
        // If this fails, reading the peak or removing the room will show it.
        let _ = move_into(&self.home);
    }

    /// The peak of the memory charged to the run.
    pub(crate) fn close(self) -> Result<Bytes, Missing> {
        let path = self.directory.join("memory.peak");
        let text = read(&path)?;
        text.trim().parse().map(Bytes).map_err(|_| Missing::NotUnderstood { path })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.leave();
        // The run's processes are gone, so it is empty. If it cannot be removed, an empty cgroup
        // stays behind, which costs nothing.
        let _ = fs::remove_dir(&self.directory);
    }
}

fn move_into(group: &Path) -> io::Result<()> {
    // Writing 0 moves the writer (cgroup v2, "cgroup.procs").
    fs::write(group.join("cgroup.procs"), "0")
}

fn read(path: &Path) -> Result<String, Missing> {
    fs::read_to_string(path).map_err(|error| Missing::from_read(path, &error))
}

fn failed(error: &io::Error) -> Missing {
    Missing::CgroupFailed { errno: errno(error) }
}

/// The mount point of cgroup v2, from the text of `/proc/self/mounts`.
pub(crate) fn mount_point(mounts: &str) -> Option<&str> {
    mounts.lines().find_map(|line| {
        let mut fields = line.split(' ');
        let (_, point, kind) = (fields.next()?, fields.next()?, fields.next()?);
        (kind == "cgroup2").then_some(point)
    })
}

/// This process's cgroup in the v2 hierarchy, from the text of `/proc/self/cgroup`.
pub(crate) fn unified_group(membership: &str) -> Option<&str> {
    membership.lines().find_map(|line| line.strip_prefix("0::"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::Folder;

    /// A made-up hierarchy in which these cgroups have the memory controller below them.
    fn hierarchy(name: &str, with_memory: &[&str]) -> Folder {
        let mount = Folder::new(name, &[]);
        for group in ["", "app.slice/", "app.slice/job.scope/"] {
            let has_memory = with_memory.contains(&group.trim_end_matches('/'));
            let controllers = if has_memory { "cpu memory pids\n" } else { "cpu\n" };
            mount.write(&format!("{group}cgroup.subtree_control"), controllers);
        }
        mount
    }

    #[test]
    fn the_hierarchy_and_our_place_in_it_are_found() {
        let mounts = "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n";
        assert_eq!(mount_point(mounts), Some("/sys/fs/cgroup"));
        assert_eq!(mount_point("cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"), None);
        assert_eq!(unified_group("4:memory:/a\n0::/user.slice/b\n"), Some("/user.slice/b"));
    }

    #[test]
    fn the_cgroup_above_is_used_where_ours_may_have_none_below() {
        let mount = hierarchy("above", &["", "app.slice"]);
        let meter = Meter::below(&mount, "/app.slice/job.scope").expect("one above has memory");
        assert_eq!(meter.base, mount.join("app.slice"));
        assert_eq!(meter.home, mount.join("app.slice/job.scope"));
    }

    #[test]
    fn a_process_in_the_root_uses_the_root() {
        let mount = hierarchy("root", &[""]);
        let meter = Meter::below(&mount, "/").expect("the root has memory");
        assert_eq!((&*meter.base, &*meter.home), (&*mount, &*mount));
    }

    #[test]
    fn no_memory_controller_is_a_reason() {
        let mount = hierarchy("none", &[]);
        let meter = Meter::below(&mount, "/app.slice/job.scope");
        assert_eq!(meter.map(|meter| meter.base), Err(Missing::NoMemoryController));
    }

    #[test]
    fn a_room_is_entered_left_and_read() {
        let mount = hierarchy("room", &["app.slice"]);
        let mut meter = Meter::below(&mount, "/app.slice/job.scope").expect("one above has memory");
        let room = meter.enter().expect("the directory is writable");
        let (directory, home) = (room.directory.clone(), room.home.clone());
        assert_eq!(fs::read_to_string(directory.join("cgroup.procs")).expect("entered"), "0");
        room.leave();
        assert_eq!(fs::read_to_string(home.join("cgroup.procs")).expect("left"), "0");
        // In a real hierarchy the kernel puts the file there.
        fs::write(directory.join("memory.peak"), "314572800\n").expect("writable");
        assert_eq!(room.close(), Ok(Bytes(314_572_800)));
        let next = meter.enter().expect("the directory is writable");
        assert!(matches!(next.close(), Err(Missing::NoFile { .. })));
    }
}
