//! The place of an attempt: a folder with the verb's files, a store, and the running processes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::verb::{LOG, Verb};

/// Set for brisk and thus for all its children, to find them again.
const MARK: &str = "BRISK_TEST_KILLS";
/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(2);

pub(crate) const EXPERIMENTS: &str = "SELECT count(*) FROM experiment";

/// A folder for one moment, removed with it.
pub(crate) struct Place {
    verb: Verb,
    folder: PathBuf,
    /// The mount point of the store's file system, if it has a separate one.
    disk: Option<PathBuf>,
}

/// A running brisk.
pub(crate) struct Started {
    child: Child,
    errors: PathBuf,
}

/// The end of a brisk process.
pub(crate) struct Ended {
    status: ExitStatus,
    errors: String,
}

impl Place {
    pub(crate) fn new(verb: Verb, name: &str, disk: Option<&str>) -> Self {
        let name = format!("kills-{}-{name}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // Left over from an earlier run.
        let _ = fs::remove_dir_all(&folder);
        for folder in [&folder, &folder.join("tmp")] {
            fs::create_dir_all(folder).expect("the folder for tests is writable");
        }
        for (name, text) in verb.files() {
            let path = folder.join(name);
            fs::write(&path, text).expect("writable");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        }
        let mut place = Self { verb, folder, disk: None };
        assert!(place.shell(verb.preparation()), "{verb:?} cannot be prepared");
        if let Some(size) = disk {
            let path = place.folder.join("disk");
            fs::create_dir(&path).expect("writable");
            let mount = format!("mount -t tmpfs -o size={size} tmpfs disk 2> /dev/null");
            place.disk = place.shell(&mount).then_some(path);
        }
        place
    }

    pub(crate) fn has_disk(&self) -> bool {
        self.disk.is_some()
    }

    /// Takes all free space, or releases it.
    pub(crate) fn fill_disk(&self, full: bool) {
        let how = "cat /dev/zero > disk/filler 2> /dev/null";
        self.shell(if full { how } else { "rm -f disk/filler" });
    }

    fn store(&self) -> PathBuf {
        self.disk.as_ref().unwrap_or(&self.folder).join("runs.db")
    }

    /// The store, and the one for runs that count the instructions of a step's sides.
    fn stores(&self) -> [PathBuf; 2] {
        [self.store(), self.folder.join(".cache/brisk/counts.db")]
    }

    fn brisk(&self, store: &Path, arguments: &[&str]) -> Started {
        let errors = self.folder.join("errors");
        let written = fs::File::create(&errors).expect("writable");
        let (verb, rest) = arguments.split_first().expect("a verb");
        #[expect(clippy::disallowed_methods, reason = "brisk is tested here, not measured")]
        let child = Command::new(env!("CARGO_BIN_EXE_brisk"))
            .args([verb, "--store"])
            .arg(store)
            .args(rest)
            .current_dir(&self.folder)
            .env(MARK, &self.folder)
            .env("HOME", &self.folder)
            .env("TMPDIR", self.folder.join("tmp"))
            .env("LOG", self.folder.join(LOG))
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_CACHE_HOME")
            .env_remove("BRISK_CACHE")
            .env("BRISK_LOCK", "off")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(written)
            .spawn()
            .expect("the binary was built");
        Started { child, errors }
    }

    /// Starts the verb.
    pub(crate) fn start(&self) -> Started {
        self.brisk(&self.store(), self.verb.arguments())
    }

    /// Reads the stores that exist, which recovers leftovers. Returns the first failure, if any.
    pub(crate) fn list(&self) -> Result<(), Ended> {
        for store in self.stores().iter().filter(|store| asked(store, EXPERIMENTS) > 0) {
            let ended = self.brisk(store, &["list"]).wait().expect("reading ends");
            if ended.code() != Some(0) {
                return Err(ended);
            }
        }
        Ok(())
    }

    /// Runs a shell script here. Returns true if it succeeds.
    fn shell(&self, script: &str) -> bool {
        #[expect(clippy::disallowed_methods, reason = "a test's surroundings")]
        let status = Command::new("sh").args(["-c", script]).current_dir(&self.folder).status();
        status.is_ok_and(|status| status.success())
    }

    /// The ids of all living processes started by brisk here, including brisk.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let mark = format!("{MARK}={}", self.folder.display());
        let is_here = |id: &u32| {
            let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes())
        };
        // A zombie has no environment any more.
        numbers_in_proc().filter(is_here).collect()
    }

    /// Returns true once everything has ended; false on a timeout.
    pub(crate) fn becomes_empty(&self) -> bool {
        eventually(|| self.processes().is_empty())
    }

    /// The number of measured programs that reached their end.
    pub(crate) fn finished(&self) -> usize {
        fs::read_to_string(self.folder.join(LOG)).unwrap_or_default().lines().count()
    }

    /// A number from the verb's own store.
    pub(crate) fn asked(&self, query: &str) -> usize {
        asked(&self.store(), query)
    }

    /// The sum of a number over both stores.
    pub(crate) fn asked_of_both(&self, query: &str) -> usize {
        self.stores().iter().map(|store| asked(store, query)).sum()
    }

    /// The number of journals of both stores. A journal without an experiment is left to the next
    /// process.
    pub(crate) fn journals(&self) -> usize {
        let folder = |store: PathBuf| {
            let mut folder = store.into_os_string();
            folder.push(".inflight");
            folder
        };
        let used = self.stores().into_iter().filter(|store| asked(store, EXPERIMENTS) > 0);
        used.map(|store| fs::read_dir(folder(store)).map_or(0, Iterator::count)).sum()
    }

    /// The number of temporary folders.
    pub(crate) fn temporary(&self) -> usize {
        fs::read_dir(self.folder.join("tmp")).map_or(0, Iterator::count)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.disk.is_some() {
            self.shell("umount -l disk");
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Started {
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// The launcher, once it exists.
    pub(crate) fn launcher(&self) -> Option<u32> {
        let own = self.id().to_string();
        numbers_in_proc().find(|id| {
            let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            stat.contains("(brisk-launcher)") && stat.split_whitespace().nth(3) == Some(&own)
        })
    }

    /// Waits for its end; `None` if it does not end.
    pub(crate) fn wait(mut self) -> Option<Ended> {
        let ended = eventually(|| self.has_ended());
        if !ended {
            let _ = self.child.kill();
        }
        let status = self.child.wait().expect("it is ours");
        let errors = fs::read_to_string(&self.errors).unwrap_or_default();
        ended.then_some(Ended { status, errors })
    }
}

impl Ended {
    /// `None` if a signal ended it.
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub(crate) fn signal(&self) -> Option<i32> {
        self.status.signal()
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}, saying: {}", self.status, self.errors.trim_end())
    }
}

/// A number from a store; 0 if the store is missing or empty.
fn asked(store: &Path, query: &str) -> usize {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let Ok(store) = Connection::open_with_flags(store, flags) else { return 0 };
    let answer = store.query_row(query, [], |row| row.get::<_, u32>(0));
    answer.map_or(0, |number| number as usize)
}

fn numbers_in_proc() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").expect("this is Linux").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Waits until a condition becomes true. Returns false on a timeout.
fn eventually(mut condition: impl FnMut() -> bool) -> bool {
    let mut waited = Duration::ZERO;
    while !condition() {
        if waited > PATIENCE {
            return false;
        }
        sleep(PAUSE);
        waited += PAUSE;
    }
    true
}
