//! The holders of a lock, according to the kernel, so the answer is never out of date.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Kind;
use crate::sys::process;

/// A process that holds the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its process id.
    pub pid: i32,
    /// The name of its user, or the number if it has no name.
    pub user: Option<String>,
    /// The words of its command line; empty if not visible to this user.
    pub command: Vec<String>,
    /// The time that it has been running.
    pub running: Option<Duration>,
}

/// The holders of the lock on a file, without this process.
pub(super) fn holders(path: &Path) -> Vec<Holder> {
    let (Ok(file), Ok(locks)) = (fs::metadata(path), fs::read_to_string("/proc/locks")) else {
        return Vec::new();
    };
    let own = process::own_id();
    let place = (libc::major(file.dev()), libc::minor(file.dev()), file.ino());
    let mut pids: Vec<i32> = locks.lines().filter_map(|line| holder(line, place)).collect();
    pids.sort_unstable();
    pids.dedup();
    pids.into_iter().filter(|pid| *pid != own).map(described).collect()
}

/// The process of a `/proc/locks` line: `1: FLOCK  ADVISORY  WRITE 812 fe:00:97 0 EOF`; `None` for
/// another file or a waiting process.
fn holder(line: &str, (major, minor, inode): (u32, u32, u64)) -> Option<i32> {
    let mut words = line.split_whitespace().skip(1);
    // Waiting processes are marked by an arrow.
    (words.next()? == "FLOCK").then_some(())?;
    let pid = words.nth(2)?.parse().ok().filter(|pid| *pid > 0)?;
    let mut place = words.next()?.split(':');
    let mut hexadecimal = || u32::from_str_radix(place.next()?, 16).ok();
    let device = (hexadecimal()?, hexadecimal()?);
    let is_it = device == (major, minor) && place.next()?.parse() == Ok(inode);
    is_it.then_some(pid)
}

/// The holder if it runs the same program as this process: process ids of other containers mean
/// other processes here.
pub(super) fn of_our_kind(pid: i32) -> Option<Holder> {
    let name = |pid: i32| fs::read(format!("/proc/{pid}/comm")).ok();
    name(pid).filter(|it| name(process::own_id()).as_ref() == Some(it)).map(|_| described(pid))
}

fn described(pid: i32) -> Holder {
    let folder = PathBuf::from(format!("/proc/{pid}"));
    let words = fs::read(folder.join("cmdline")).unwrap_or_default();
    let words = words.strip_suffix(b"\0").unwrap_or(&words);
    let command = match words {
        [] => Vec::new(),
        words => words.split(|byte| *byte == 0).map(text).collect(),
    };
    let user = fs::metadata(&folder).ok().map(|found| user_name(found.uid()));
    Holder { pid, user, command, running: running(&folder) }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn user_name(uid: u32) -> String {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    });
    name.unwrap_or_else(|| uid.to_string())
}

fn running(folder: &Path) -> Option<Duration> {
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // starttime is the 22nd field, in ticks since the machine started.
    let ticks: u64 = fields(&stat)?.nth(19)?.parse().ok()?;
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    let started = ticks as f64 / process::clock_ticks_per_second() as f64;
    Duration::try_from_secs_f64(uptime - started).ok()
}

/// The fields of `/proc/PID/stat` from the third on: the second, in parentheses, may contain
/// anything.
fn fields(stat: &str) -> Option<impl Iterator<Item = &str>> {
    Some(stat.rsplit_once(')')?.1.split_whitespace())
}

/// The kind of lock that an ancestor of this process holds on a file.
pub(super) fn of_ancestors(path: &Path) -> Option<Kind> {
    let file = fs::metadata(path).ok()?;
    let parent = |pid: &i32| -> Option<i32> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        fields(&stat)?.nth(1)?.parse().ok().filter(|parent| *parent > 0)
    };
    let own = process::own_id();
    let mut ancestors = std::iter::successors(parent(&own), parent);
    ancestors.find_map(|pid| lock_of(pid, (file.dev(), file.ino())))
}

/// The kind of lock that a process holds on this file, according to its open files.
fn lock_of(pid: i32, file: (u64, u64)) -> Option<Kind> {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    let mut locks = files.flatten().filter_map(|entry| {
        let found = fs::metadata(entry.path()).ok()?;
        if (found.dev(), found.ino()) != file {
            return None;
        }
        let number = entry.file_name().into_string().ok()?;
        let facts = fs::read_to_string(format!("/proc/{pid}/fdinfo/{number}")).ok()?;
        facts.lines().find_map(|line| kind(line.strip_prefix("lock:")?))
    });
    locks.next()
}

fn kind(lock: &str) -> Option<Kind> {
    let mut words = lock.split_whitespace().skip(1);
    (words.next()? == "FLOCK").then_some(())?;
    match words.nth(1)? {
        "WRITE" => Some(Kind::Exclusive),
        "READ" => Some(Kind::Shared),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_kernel_names_the_holder() {
        let place = (0xfe, 0, 97);
        assert_eq!(holder("1: FLOCK  ADVISORY  WRITE 812 fe:00:97 0 EOF", place), Some(812));
        for other in [
            "1: FLOCK  ADVISORY  READ 812 fe:01:97 0 EOF",
            "1: FLOCK  ADVISORY  READ 812 fe:00:98 0 EOF",
            "1: -> FLOCK  ADVISORY  WRITE 812 fe:00:97 0 EOF",
            "1: POSIX  ADVISORY  WRITE 812 fe:00:97 0 EOF",
            "1: FLOCK  ADVISORY  WRITE -1 fe:00:97 0 EOF",
            "",
        ] {
            assert_eq!(holder(other, place), None, "{other}");
        }
    }

    #[test]
    fn the_kind_of_a_lock_is_read_from_the_facts_of_an_open_file() {
        assert_eq!(kind("\t1: FLOCK  ADVISORY  READ 812 fe:00:97 0 EOF"), Some(Kind::Shared));
        assert_eq!(kind("\t1: FLOCK  ADVISORY  WRITE 812 fe:00:97 0 EOF"), Some(Kind::Exclusive));
        assert_eq!(kind("\t1: POSIX  ADVISORY  WRITE 812 fe:00:97 0 EOF"), None);
    }

    #[test]
    fn the_fields_begin_behind_the_name_whatever_is_in_it() {
        let fields: Vec<&str> = fields("7 (a) R 1) S 3 4").expect("a name").collect();
        assert_eq!(fields, ["S", "3", "4"]);
    }

    #[test]
    fn a_process_is_described_by_what_it_was_started_with() {
        let own = described(process::own_id());
        let words: Vec<String> = std::env::args().collect();
        assert_eq!(own.command, words);
        assert!(own.user.is_some() && own.running.is_some());
    }
}
