//! A lock for a quiet machine: measuring holds it exclusively; other work, which only must not
//! coincide with measuring, shares it.
//!
//! It is advisory: flock(2) on a file that every user of the machine can reach. Nothing is written
//! to the file, so read permission is enough, and the kernel frees it when its holder ends, in any
//! way. Programs that are started do not inherit it.
//!
//! Each process that wants it has a place in a queue until it has the lock. So one that waits for
//! exclusive use keeps new ones out, and a holder that gives way and asks again at once is queued
//! after all who wait.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::clock::{Stopwatch, monotonic_ns};
use crate::launcher::Wake;
use crate::proc::{parent, stat_fields};
use crate::sys::descriptors::{self, Watch, lock_bytes, locked_before, unlock_bytes};
use crate::sys::process;
use crate::{interrupt, plain_file};

/// The kind of lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Shared with others.
    Shared,
    /// Exclusive.
    Exclusive,
}

/// The lock of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineLock {
    path: PathBuf,
}

/// The machine is held until this is dropped.
#[derive(Debug)]
pub struct Hold {
    kind: Kind,
    lock: MachineLock,
    /// `None` if an ancestor of this process holds the machine.
    own: Option<File>,
}

/// Folders of the machine, not of a user. The second is used if not everybody can create files in
/// the first.
const FOLDERS: [&str; 2] = ["/run/lock", "/tmp"];

const NAME: &str = "brisk.lock";

/// Everybody may create files, but not remove those of others.
const FOR_EVERYBODY: u32 = 0o1777;

/// A place in the queue, while another process has the machine.
#[derive(Debug)]
pub struct Waiting<'a> {
    lock: &'a MachineLock,
    ticket: &'a Ticket,
    /// The time spent waiting.
    pub since: Duration,
}

impl Waiting<'_> {
    /// The holders of the machine, as far as the kernel tells; if there are none, a process earlier
    /// in the queue.
    pub fn for_whom(&self) -> Vec<Holder> {
        let mut holders = holders(&self.lock.path);
        if holders.is_empty() {
            let before = self.ticket.before().ok().flatten();
            holders.extend(before.and_then(of_our_kind));
        }
        holders
    }
}

/// The initial pause between two attempts: short, so that short turns follow each other quickly.
const EAGER_PAUSE: Duration = Duration::from_millis(20);
/// The later pause: each attempt wakes a processor that may be in use for a measurement.
const PATIENT_PAUSE: Duration = Duration::from_millis(250);

impl MachineLock {
    /// The lock of this machine: `brisk.lock` in `/run/lock`, or in `/tmp` if not everybody can
    /// create files in the former and the file does not exist there.
    ///
    /// # Errors
    ///
    /// When it is available in neither folder; the error is that of the last one.
    pub fn of_machine() -> io::Result<Self> {
        let mut last = io::Error::from(ErrorKind::NotFound);
        for folder in FOLDERS.map(Path::new) {
            let lock = Self::at(folder.join(NAME));
            let is_for_everybody = || {
                let mode = fs::metadata(folder).map(|found| found.mode());
                mode.is_ok_and(|mode| mode & FOR_EVERYBODY == FOR_EVERYBODY)
            };
            if fs::symlink_metadata(&lock.path).is_ok() || is_for_everybody() {
                match open(&lock.path) {
                    Ok(_) => return Ok(lock),
                    Err(error) => last = error,
                }
            }
        }
        Err(last)
    }

    /// The lock shared by all who use this file.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Holds the machine as soon as others allow it. `on_wait` is called before each pause, and at
    /// once when a signal arrives (see [`crate::interrupt`]); returns `None` if it aborts.
    ///
    /// If an ancestor of this process holds the machine, this process is part of that use and does
    /// not wait: [`Hold::kind`] is then the ancestor's.
    pub fn hold(
        &self,
        kind: Kind,
        on_wait: &mut dyn FnMut(&Waiting<'_>) -> Wake,
    ) -> io::Result<Option<Hold>> {
        let waiting = Stopwatch::start();
        let ticket = Ticket::draw(&self.queue())?;
        let hold = |kind, own| Hold { kind, lock: self.clone(), own };
        let mut is_known_to_be_others = false;
        loop {
            if ticket.before()?.is_none()
                && let Some(own) = try_lock(&self.path, kind)?
            {
                return Ok(Some(hold(kind, Some(own))));
            }
            if !is_known_to_be_others && let Some(kind) = of_ancestors(&self.path) {
                return Ok(Some(hold(kind, None)));
            }
            is_known_to_be_others = true;
            let since = waiting.elapsed();
            if on_wait(&Waiting { lock: self, ticket: &ticket, since }) == Wake::Abort {
                return Ok(None);
            }
            pause(waiting.elapsed())?;
        }
    }

    fn queue(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".queue");
        name.into()
    }
}

impl Hold {
    /// The kind of lock.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// True if an ancestor holds it, not this process.
    pub fn is_inherited(&self) -> bool {
        self.own.is_none()
    }

    /// True if another process waits for it and would get it if it were released.
    pub fn is_wanted(&self) -> bool {
        let is_waited_for = || matches!(anybody(&self.lock.queue()), Ok(Some(_)));
        !self.is_inherited() && is_waited_for()
    }
}

impl Drop for Hold {
    /// Closing the file also releases the machine, but not while a newly forked child, which has
    /// not called exec yet, has it open.
    fn drop(&mut self) {
        if let Some(own) = &self.own {
            let _ = own.unlock();
        }
    }
}

/// Locks a file, unless another lock conflicts.
fn try_lock(path: &Path, kind: Kind) -> io::Result<Option<File>> {
    loop {
        let file = open(path)?;
        let locked = match kind {
            Kind::Shared => file.try_lock_shared(),
            Kind::Exclusive => file.try_lock(),
        };
        match locked {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // The file may have been removed after it was opened, and others lock a new one.
        let own = file.metadata()?;
        match fs::symlink_metadata(path) {
            Ok(there) if (there.dev(), there.ino()) == (own.dev(), own.ino()) => {
                return Ok(Some(file));
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

/// Opens the file, and creates it if missing: readable for everybody, and not writable.
fn open(path: &Path) -> io::Result<File> {
    loop {
        // Without the option to create it: in a folder such as `/tmp` Linux refuses that for files
        // of others.
        match plain_file::open(OpenOptions::new().read(true), path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            opened => return opened,
        }
        let mut fresh = OpenOptions::new();
        match plain_file::open(fresh.write(true).create_new(true).mode(0o444), path) {
            // The user's umask may have removed permissions.
            Ok(file) => file.set_permissions(Permissions::from_mode(0o444))?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Pauses until a signal arrives.
fn pause(waited: Duration) -> io::Result<()> {
    let pause = if waited < Duration::from_secs(1) { EAGER_PAUSE } else { PATIENT_PAUSE };
    let mut signal = [interrupt::wake_fd().map_or(Watch::nothing(), Watch::readable)];
    descriptors::poll(&mut signal, Some(pause))?;
    if signal[0].is_ready() {
        interrupt::quiet();
    }
    Ok(())
}

// Each waiting process holds a shared lock on a range of bytes beyond the end of the queue's file:
// it starts at the time of arrival, and its length is the process id. So the kernel keeps both the
// order and the identities, and frees the locks when their holder ends.

/// A place in the queue, given up on drop.
#[derive(Debug)]
struct Ticket {
    file: File,
    came_ns: u64,
}

impl Ticket {
    /// Queues up after all who wait.
    fn draw(path: &Path) -> io::Result<Self> {
        let file = open(path)?;
        let came_ns = monotonic_ns();
        lock_bytes(&file, came_ns, own_id())?;
        Ok(Self { file, came_ns })
    }

    /// The id of a process that waits and came earlier.
    fn before(&self) -> io::Result<Option<i32>> {
        waiting(&self.file, self.came_ns)
    }
}

impl Drop for Ticket {
    /// Closing the file also leaves the queue, but not while a newly forked child has it open.
    fn drop(&mut self) {
        let _ = unlock_bytes(&self.file, self.came_ns, own_id());
    }
}

/// The id of this process, as a length in bytes.
fn own_id() -> u64 {
    process::own_id().unsigned_abs().into()
}

/// The id of a waiting process.
fn anybody(path: &Path) -> io::Result<Option<i32>> {
    waiting(&open(path)?, i64::MAX.unsigned_abs())
}

/// The id of a process that waits and came before this moment.
fn waiting(file: &File, before_ns: u64) -> io::Result<Option<i32>> {
    let bytes = locked_before(file, before_ns)?;
    Ok(bytes.map(|bytes| i32::try_from(bytes).unwrap_or(0)))
}

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

/// The holders of the lock on a file, without this process: the kernel's answer is never out of
/// date.
fn holders(path: &Path) -> Vec<Holder> {
    let (Ok(file), Ok(locks)) = (fs::metadata(path), fs::read_to_string("/proc/locks")) else {
        return Vec::new();
    };
    let own = process::own_id();
    let holder = |line| holder(line, file.dev(), file.ino());
    let mut pids: Vec<i32> = locks.lines().filter_map(holder).collect();
    pids.sort_unstable();
    pids.dedup();
    pids.into_iter().filter(|pid| *pid != own).map(described).collect()
}

/// The process of a `/proc/locks` line: `1: FLOCK  ADVISORY  WRITE 812 fe:00:97 0 EOF`; `None` for
/// another file or a waiting process.
fn holder(line: &str, device: u64, inode: u64) -> Option<i32> {
    let mut words = line.split_whitespace().skip(1);
    // Waiting processes are marked by an arrow.
    (words.next()? == "FLOCK").then_some(())?;
    let pid = words.nth(2)?.parse().ok().filter(|pid| *pid > 0)?;
    let mut place = words.next()?.split(':');
    let mut hexadecimal = || u32::from_str_radix(place.next()?, 16).ok();
    let its_device = libc::makedev(hexadecimal()?, hexadecimal()?);
    let is_it = its_device == device && place.next()?.parse() == Ok(inode);
    is_it.then_some(pid)
}

/// The holder if it runs the same program as this process: process ids of other containers mean
/// other processes here.
fn of_our_kind(pid: i32) -> Option<Holder> {
    let name = |pid: i32| fs::read(format!("/proc/{pid}/comm")).ok();
    name(pid).filter(|it| name(process::own_id()).as_ref() == Some(it)).map(|_| described(pid))
}

fn described(pid: i32) -> Holder {
    let folder = PathBuf::from(format!("/proc/{pid}"));
    let words = fs::read(folder.join("cmdline")).unwrap_or_default();
    let words = words.strip_suffix(b"\0").unwrap_or(&words);
    let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
    let words = words.split(|byte| *byte == 0).filter(|_| !words.is_empty());
    let command = words.map(text).collect();
    let user = fs::metadata(&folder).ok().map(|found| user_name(found.uid()));
    Holder { pid, user, command, running: running(&folder) }
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
    let ticks: u64 = stat_fields(&stat)?.nth(19)?.parse().ok()?;
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    let started = ticks as f64 / process::clock_ticks_per_second() as f64;
    Duration::try_from_secs_f64(uptime - started).ok()
}

/// The kind of lock that an ancestor of this process holds on a file.
fn of_ancestors(path: &Path) -> Option<Kind> {
    let file = fs::metadata(path).ok()?;
    let parent = |pid: &i32| parent(*pid).filter(|parent| *parent > 0);
    let mut ancestors = std::iter::successors(parent(&process::own_id()), parent);
    ancestors.find_map(|pid| lock_of(pid, &file))
}

/// The kind of lock that a process holds on this file, according to its open files.
fn lock_of(pid: i32, file: &fs::Metadata) -> Option<Kind> {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    let mut locks = files.flatten().filter_map(|entry| {
        let found = fs::metadata(entry.path()).ok()?;
        if (found.dev(), found.ino()) != (file.dev(), file.ino()) {
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
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicI32, Ordering};
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;
    use crate::made_up::Folder;

    fn lock_in(folder: &Folder) -> MachineLock {
        MachineLock::at(folder.join("lock"))
    }

    fn at_once(lock: &MachineLock, kind: Kind) -> Option<Hold> {
        lock.hold(kind, &mut |_| Wake::Abort).expect("it can be locked")
    }

    fn patiently(lock: &MachineLock, kind: Kind) -> Hold {
        let held = lock.hold(kind, &mut |_| Wake::Continue).expect("it can be locked");
        held.expect("nothing aborts")
    }

    #[test]
    fn who_shares_is_beside_others_and_who_does_not_is_alone() {
        let place = Folder::new("kinds", &[]);
        let lock = lock_in(&place);
        let one = at_once(&lock, Kind::Shared).expect("nobody is there");
        let other = at_once(&lock, Kind::Shared).expect("it is shared");
        assert!(at_once(&lock, Kind::Exclusive).is_none());
        drop((one, other));
        let alone = at_once(&lock, Kind::Exclusive).expect("nobody is there any more");
        assert_eq!((alone.kind(), alone.is_inherited()), (Kind::Exclusive, false));
        assert!(
            at_once(&lock, Kind::Shared).is_none() && at_once(&lock, Kind::Exclusive).is_none()
        );
        drop(alone);
        assert!(at_once(&lock, Kind::Exclusive).is_some());
    }

    #[test]
    fn a_child_that_was_just_forked_keeps_nobody_waiting() {
        let place = Folder::new("forked", &[]);
        let lock = lock_in(&place);
        let held = at_once(&lock, Kind::Exclusive).expect("nobody is there");
        // A fork duplicates all open files like this.
        let of_child = held.own.as_ref().expect("it is ours").try_clone().expect("it is open");
        drop(held);
        assert!(at_once(&lock, Kind::Exclusive).is_some());
        drop(of_child);
    }

    #[test]
    fn nobody_is_ever_beside_one_who_is_alone() {
        const ALONE: i32 = 1_000;
        let place = Folder::new("overlap", &[]);
        let there = AtomicI32::new(0);
        let most_shared = AtomicI32::new(0);
        let turn = |kind: Kind| {
            let lock = lock_in(&place);
            let weight = if kind == Kind::Exclusive { ALONE } else { 1 };
            let _held = patiently(&lock, kind);
            let before = there.fetch_add(weight, Ordering::SeqCst);
            match kind {
                Kind::Exclusive => assert_eq!(before, 0),
                Kind::Shared => assert!(before < ALONE),
            }
            most_shared.fetch_max(before + 1, Ordering::SeqCst);
            thread::yield_now();
            there.fetch_sub(weight, Ordering::SeqCst);
        };
        thread::scope(|scope| {
            for number in 0..6_u32 {
                scope.spawn(move || {
                    for step in 0..10 {
                        // Covers every mixture of neighbours.
                        let is_alone = (number * 7 + step * 5) % 3 == 0;
                        turn(if is_alone { Kind::Exclusive } else { Kind::Shared });
                    }
                });
            }
        });
        assert_eq!(there.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn who_waits_to_be_alone_is_not_overtaken_by_those_who_share() {
        let place = Folder::new("starving", &[]);
        let lock = lock_in(&place);
        let shared = at_once(&lock, Kind::Shared).expect("nobody is there");
        let (waits, has_waited) = channel();
        thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let told = &mut |_: &Waiting<'_>| {
                    let _ = waits.send(());
                    Wake::Continue
                };
                lock_in(&place).hold(Kind::Exclusive, told).expect("it can be locked")
            });
            has_waited.recv().expect("it has to wait");
            assert!(at_once(&lock, Kind::Shared).is_none(), "somebody is before us");
            drop(shared);
            let alone = writer.join().expect("it does not panic").expect("it is its turn");
            assert_eq!(alone.kind(), Kind::Exclusive);
            assert!(at_once(&lock, Kind::Shared).is_none());
        });
    }

    #[test]
    fn who_gives_way_stands_behind_all_who_wait() {
        let place = Folder::new("turns", &[]);
        let lock = lock_in(&place);
        let held = at_once(&lock, Kind::Exclusive).expect("nobody is there");
        assert!(!held.is_wanted());
        let order = std::sync::Mutex::new(Vec::new());
        thread::scope(|scope| {
            for number in 0..4 {
                let (waits, has_waited) = channel();
                let (order, place) = (&order, &place);
                scope.spawn(move || {
                    let told = &mut |_: &Waiting<'_>| {
                        let _ = waits.send(());
                        Wake::Continue
                    };
                    let held =
                        lock_in(place).hold(Kind::Exclusive, told).expect("it can be locked");
                    order.lock().expect("nobody panics").push(number);
                    drop(held);
                });
                has_waited.recv().expect("it has to wait");
            }
            assert!(held.is_wanted());
            drop(held);
            let again = patiently(&lock, Kind::Exclusive);
            assert_eq!(*order.lock().expect("nobody panics"), [0, 1, 2, 3]);
            assert!(!again.is_wanted());
        });
    }

    #[test]
    fn everybody_may_open_the_file_and_nobody_write_it() {
        let place = Folder::new("mode", &[]);
        let lock = lock_in(&place);
        drop(at_once(&lock, Kind::Exclusive));
        for path in [lock.path().to_owned(), lock.queue()] {
            assert_eq!(fs::metadata(path).expect("it is there").mode() & 0o777, 0o444);
        }
    }

    #[test]
    fn what_others_have_planted_is_not_followed() {
        let place = Folder::new("planted", &[]);
        let (lock, target) = (lock_in(&place), place.join("target"));
        symlink(&target, lock.path()).expect("a link");
        let refused = lock.hold(Kind::Exclusive, &mut |_| Wake::Abort);
        assert_eq!(refused.expect_err("a link").to_string(), "it is a symbolic link");
        assert!(!target.exists());
        fs::remove_file(lock.path()).expect("it is ours");
        fs::write(&target, "").expect("writable");
        fs::hard_link(&target, lock.path()).expect("a second name");
        assert!(lock.hold(Kind::Exclusive, &mut |_| Wake::Abort).is_err());
    }

    #[test]
    fn a_file_that_was_removed_while_it_was_held_is_made_anew() {
        let place = Folder::new("removed", &[]);
        let lock = lock_in(&place);
        let lost = at_once(&lock, Kind::Exclusive);
        fs::remove_file(lock.path()).expect("it is ours");
        let held = at_once(&lock, Kind::Exclusive).expect("nobody holds the new one");
        assert!(at_once(&lock, Kind::Shared).is_none());
        drop((lost, held));
    }

    #[test]
    fn a_line_of_the_kernel_names_the_holder() {
        let device = libc::makedev(0xfe, 0);
        let held = holder("1: FLOCK  ADVISORY  WRITE 812 fe:00:97 0 EOF", device, 97);
        assert_eq!(held, Some(812));
        for other in [
            "1: FLOCK  ADVISORY  READ 812 fe:01:97 0 EOF",
            "1: FLOCK  ADVISORY  READ 812 fe:00:98 0 EOF",
            "1: -> FLOCK  ADVISORY  WRITE 812 fe:00:97 0 EOF",
            "1: POSIX  ADVISORY  WRITE 812 fe:00:97 0 EOF",
            "1: FLOCK  ADVISORY  WRITE -1 fe:00:97 0 EOF",
            "",
        ] {
            assert_eq!(holder(other, device, 97), None, "{other}");
        }
    }

    #[test]
    fn the_kind_of_a_lock_is_read_from_the_facts_of_an_open_file() {
        assert_eq!(kind("\t1: FLOCK  ADVISORY  READ 812 fe:00:97 0 EOF"), Some(Kind::Shared));
        assert_eq!(kind("\t1: FLOCK  ADVISORY  WRITE 812 fe:00:97 0 EOF"), Some(Kind::Exclusive));
        assert_eq!(kind("\t1: POSIX  ADVISORY  WRITE 812 fe:00:97 0 EOF"), None);
    }

    #[test]
    fn a_process_is_described_by_what_it_was_started_with() {
        let own = described(process::own_id());
        let words: Vec<String> = std::env::args().collect();
        assert_eq!(own.command, words);
        assert!(own.user.is_some() && own.running.is_some());
    }
}
