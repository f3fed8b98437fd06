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

mod holders;
mod queue;

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::clock::Stopwatch;
use crate::launcher::Wake;
use crate::sys::descriptors::{self, Watch};
use crate::{interrupt, plain_file};
pub use holders::Holder;
use queue::Ticket;

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
        let mut holders = holders::holders(&self.lock.path);
        if holders.is_empty() {
            let before = self.ticket.before().ok().flatten();
            holders.extend(before.and_then(holders::of_our_kind));
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
    ///
    /// # Errors
    ///
    /// When the file cannot be created, opened or locked.
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
            if !is_known_to_be_others && let Some(kind) = holders::of_ancestors(&self.path) {
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
        let is_waited_for = || matches!(queue::anybody(&self.lock.queue()), Ok(Some(_)));
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicI32, Ordering};
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    /// The lock of a test, in a folder that is removed with it.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Self {
            let folder = format!("brisk-hold-{}-{name}", std::process::id());
            let folder = std::env::temp_dir().join(folder);
            fs::create_dir(&folder).expect("the folder is new");
            Self(folder)
        }

        fn lock(&self) -> MachineLock {
            MachineLock::at(self.0.join("lock"))
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
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
        let place = Place::new("kinds");
        let lock = place.lock();
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
        let place = Place::new("forked");
        let lock = place.lock();
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
        let place = Place::new("overlap");
        let there = AtomicI32::new(0);
        let most_shared = AtomicI32::new(0);
        let turn = |kind: Kind| {
            let lock = place.lock();
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
        let place = Place::new("starving");
        let lock = place.lock();
        let shared = at_once(&lock, Kind::Shared).expect("nobody is there");
        let (waits, has_waited) = channel();
        thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let told = &mut |_: &Waiting<'_>| {
                    let _ = waits.send(());
                    Wake::Continue
                };
                place.lock().hold(Kind::Exclusive, told).expect("it can be locked")
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
        let place = Place::new("turns");
        let lock = place.lock();
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
                    let held = place.lock().hold(Kind::Exclusive, told).expect("it can be locked");
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
        let place = Place::new("mode");
        let lock = place.lock();
        drop(at_once(&lock, Kind::Exclusive));
        for path in [lock.path().to_owned(), lock.queue()] {
            assert_eq!(fs::metadata(path).expect("it is there").mode() & 0o777, 0o444);
        }
    }

    #[test]
    fn what_others_have_planted_is_not_followed() {
        let place = Place::new("planted");
        let (lock, target) = (place.lock(), place.0.join("target"));
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
        let place = Place::new("removed");
        let lock = place.lock();
        let lost = at_once(&lock, Kind::Exclusive);
        fs::remove_file(lock.path()).expect("it is ours");
        let held = at_once(&lock, Kind::Exclusive).expect("nobody holds the new one");
        assert!(at_once(&lock, Kind::Shared).is_none());
        drop((lost, held));
    }
}
