//! Bad files, full disks, locks: a clear error, and nothing is lost or overwritten.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use model::spec::labels::BenchmarkLabel;
use model::spec::suite::Arrangement;
use rusqlite::Connection;
use store::{Filter, Store, StoreError};

use crate::given::{
    Folder, circumstances, experiment, filled, finish, finished, runs, stored_runs,
};

/// The errors of opening, for writing and for reading; neither may change the file or its folder.
fn refusals(folder: &Folder, path: &Path) -> [StoreError; 2] {
    let before = (fs::read(path).expect("readable"), folder.names());
    let refusals = [
        Store::open(path).expect_err("not to be written"),
        Store::open_existing(path).expect_err("not to be read"),
    ];
    let after = (fs::read(path).expect("readable"), folder.names());
    assert!(before == after, "changed by opening: {:?} {:?}", before.1, after.1);
    refusals
}

/// Asserts that the error has the message, with `PATH` for the store's path, and a hint.
fn says(error: &StoreError, path: &Path, message: &str) {
    let expected = message.replace("PATH", &path.display().to_string());
    assert_eq!(error.to_string(), expected);
    assert!(error.hint().is_some(), "no hint for: {error}");
}

/// A byte without a pattern.
fn noise(number: u32) -> u8 {
    number.wrapping_mul(2_654_435_769).to_be_bytes()[0]
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let folder = Folder::new();
    let path = folder.file("notes.txt");
    // Shorter and longer than a database's header, and than its first page.
    for length in [1, 20, 511, 512, 5000, 100_000] {
        let noise: Vec<u8> = (0..length).map(noise).collect();
        fs::write(&path, noise).expect("writable");
        for error in refusals(&folder, &path) {
            says(&error, &path, "`PATH` is not a store: it is not a SQLite file");
        }
    }
}

#[test]
fn another_programs_database_is_left_alone() {
    for (mode, application) in [("DELETE", 0), ("WAL", 0), ("WAL", 0x0f05_5112)] {
        let folder = Folder::new();
        let path = folder.file("other.db");
        let other = Connection::open(&path).expect("a new database");
        other
            .execute_batch(&format!(
                "PRAGMA journal_mode = {mode}; PRAGMA application_id = {application};
                 CREATE TABLE run (theirs); INSERT INTO run VALUES (1);"
            ))
            .expect("writable");
        // While the other program has it open, and after.
        refusals(&folder, &path);
        other.close().expect("closes");
        for error in refusals(&folder, &path) {
            says(&error, &path, "`PATH` is not a store: it is a database of another program");
        }
    }
}

#[test]
fn a_store_of_another_version_is_left_alone() {
    for version in [-1, 2, 99] {
        let folder = Folder::new();
        let path = folder.file("runs.db");
        filled(&path, 3);
        let other = Connection::open(&path).expect("opens");
        let change = format!("PRAGMA user_version = {version}; ALTER TABLE run ADD COLUMN new");
        other.execute_batch(&change).expect("writes");
        other.close().expect("closes");
        let before = fs::read(&path).expect("readable");
        for opened in [Store::open(&path).map(Some), Store::open_existing(&path)] {
            let error = opened.expect_err("of another version");
            let told = format!(
                "the store at `PATH` has schema version {version}; this brisk reads version 1"
            );
            says(&error, &path, &told);
            assert!(error.hint().is_some_and(|hint| hint.contains("the brisk that wrote it")));
        }
        assert!(fs::read(&path).expect("readable") == before, "version {version}");
    }
}

#[test]
fn a_folder_is_no_store() {
    let folder = Folder::new();
    for opened in [Store::open(folder.path()).map(Some), Store::open_existing(folder.path())] {
        let error = opened.expect_err("a folder");
        says(&error, folder.path(), "cannot open the store at `PATH`");
        assert_eq!(error.source().expect("a cause").to_string(), "is a directory");
    }
}

#[test]
fn a_path_that_means_something_to_sqlite_is_a_file() {
    let folder = Folder::new();
    let before = std::env::current_dir().expect("there is one");
    for name in ["", "no such\0file"] {
        let error = Store::open(Path::new(name)).expect_err("no file can be called that");
        assert!(matches!(error, StoreError::Open { .. }), "{error}");
    }
    // A missing file is not created, in memory or elsewhere.
    assert!(Store::open_existing(Path::new(":memory:")).expect("no trouble").is_none());
    assert!(!before.join(":memory:").exists());
    let path = folder.file(":memory:");
    filled(&path, 1);
    assert!(path.exists());
}

#[test]
fn a_truncated_store_is_damaged_and_left_alone() {
    let folder = Folder::new();
    let path = folder.file("runs.db");
    filled(&path, 2000);
    let whole = fs::read(&path).expect("readable");
    for length in [whole.len() - 4096, whole.len() / 2, 5000, 4096, 1000, 512] {
        fs::write(&path, &whole[..length]).expect("writable");
        for opened in [Store::open(&path).map(Some), Store::open_existing(&path)] {
            let error = opened.expect_err("something is missing");
            says(&error, &path, "the store at `PATH` is damaged");
        }
        assert!(fs::read(&path).expect("readable") == whole[..length], "{length}");
    }
}

#[test]
fn garbage_in_a_store_is_damage_when_it_is_met() {
    let folder = Folder::new();
    let path = folder.file("runs.db");
    let id = filled(&path, 5000);
    let mut bytes = fs::read(&path).expect("readable");
    let middle = bytes.len() / 2;
    for (number, byte) in (0..).zip(&mut bytes[middle..middle + 20_000]) {
        *byte = noise(number);
    }
    fs::write(&path, &bytes).expect("writable");

    let store = Store::open_existing(&path).expect("the beginning is whole").expect("there");
    // Parts outside the damage still work.
    assert_eq!(store.list(&Filter::newest(9)).expect("readable").len(), 1);
    let error = stored_runs(&store, id).map(|runs| runs.len()).expect_err("the runs are not");
    says(&error, &path, "the store at `PATH` is damaged");
    assert!(error.hint().expect("a hint").contains(".recover"));
    drop(store);
    assert!(fs::read(&path).expect("readable") == bytes);
}

#[test]
fn what_brisk_would_not_have_written_is_damage() {
    for change in [
        "UPDATE run SET readings = '[1, {' WHERE round = 1",
        "UPDATE run SET readings = '[\"77\"]'",
        "UPDATE run SET round = 'x' WHERE round = 1",
        "UPDATE run SET started_unix_ns = -1",
        "DELETE FROM reading_list",
        "DROP VIEW reading; ALTER TABLE run DROP COLUMN left_behind",
    ] {
        let folder = Folder::new();
        let path = folder.file("runs.db");
        let id = filled(&path, 4);
        let vandal = Connection::open(&path).expect("opens");
        vandal.execute_batch(change).expect("writable");
        vandal.close().expect("closes");
        let store = Store::open_existing(&path).expect("opens").expect("there");
        let error = stored_runs(&store, id).expect_err(change);
        says(&error, &path, "the store at `PATH` is damaged");
    }
}

#[test]
fn a_label_that_cannot_be_read_is_damage_that_names_it() {
    let folder = Folder::new();
    let path = folder.file("runs.db");
    let mut new = experiment();
    let benchmark = BenchmarkLabel::new("a", "lines", Arrangement::Alone);
    new.variants[1].labels.benchmark = Some(benchmark);
    let mut store = Store::open(&path).expect("opens");
    let (id, _) = store.begin(&new, &circumstances()).expect("begins");
    drop(store);
    let vandal = Connection::open(&path).expect("opens");
    vandal
        .execute("UPDATE variant_label SET value = 'sideways' WHERE name = 'order'", [])
        .expect("writable");
    vandal.close().expect("closes");
    let store = Store::open_existing(&path).expect("opens").expect("there");
    let error = store.experiment(id).expect_err("no arrangement");
    says(&error, &path, "the store at `PATH` is damaged");
    let causes = std::iter::successors(error.source(), |&error| error.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    assert!(causes.iter().any(|cause| cause.contains("`order` is `sideways`")), "{causes:?}");
}

#[test]
fn a_store_locked_by_another_program_is_waited_for_and_then_named() {
    let folder = Folder::new();
    let path = folder.file("runs.db");
    let id = filled(&path, 4);
    let patience = Duration::from_millis(250);
    let mut store = Store::open_waiting(&path, patience).expect("opens");
    let other = Connection::open(&path).expect("opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("locks");

    let message = "another program has kept the store at `PATH` locked for 0.25 s";
    says(&store.begin(&experiment(), &circumstances()).expect_err("locked"), &path, message);
    says(&store.append(id, &finished(&runs(4..6))).expect_err("locked"), &path, message);
    says(&store.finish(id, finish()).expect_err("locked"), &path, message);
    // Reading still works meanwhile.
    assert_eq!(stored_runs(&store, id).expect("readable").len(), 4);

    other.execute_batch("COMMIT").expect("unlocks");
    store.append(id, &finished(&runs(4..6))).expect("appends");
    assert_eq!(stored_runs(&store, id).expect("readable"), runs(0..6));
}

/// Bypasses the test runner, which shows output only of failing tests.
fn not_checked(what: &str, why: &str) {
    writeln!(std::io::stderr(), "not checked: {what}: {why}").expect("standard error is open");
}

/// A separate file system below a test's folder, unmounted with the test.
struct Mount(PathBuf);

impl Mount {
    /// Mounts a file system in memory. Returns `None`, with a message, if this user may not mount
    /// one.
    pub(crate) fn new(path: PathBuf, size: &str, test: &str) -> Option<Self> {
        fs::create_dir_all(&path).expect("writable");
        let options = format!("size={size}");
        if !mount(&["-t", "tmpfs", "-o", &options, "tmpfs"], &path) {
            not_checked(test, "cannot mount a tmpfs here");
            return None;
        }
        Some(Self(path))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        #[expect(clippy::disallowed_methods, reason = "a test's surroundings")]
        let unmounted = Command::new("umount").arg("-l").arg(&self.0).status();
        assert!(
            unmounted.is_ok_and(|status| status.success()),
            "{} stays mounted",
            self.0.display()
        );
    }
}

fn mount(arguments: &[&str], path: &Path) -> bool {
    #[expect(clippy::disallowed_methods, reason = "a test's surroundings")]
    let mounted = Command::new("mount").args(arguments).arg(path).output();
    mounted.is_ok_and(|output| output.status.success())
}

#[test]
fn a_full_disk_is_named_and_loses_nothing_that_was_stored() {
    let folder = Folder::new();
    let Some(disk) = Mount::new(folder.file("disk"), "600k", "a full disk") else { return };
    let path = disk.0.join("runs.db");
    let mut store = Store::open(&path).expect("there is room yet");
    let (id, _journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    let mut stored = 0;
    let error = loop {
        match store.append(id, &finished(&runs(stored..stored + 20))) {
            Ok(()) => stored += 20,
            Err(error) => break error,
        }
        assert!(stored < 100_000, "600 KB do not hold {stored} runs");
    };
    says(&error, &path, "no space is left for the store at `PATH`");
    assert!(stored > 0);
    assert_eq!(stored_runs(&store, id).expect("readable"), runs(0..stored));
    // Neither a new experiment nor a new brisk confuses it.
    let mut begin = || store.begin(&experiment(), &circumstances()).err();
    let error = (0..1000).find_map(|_| begin()).expect("a thousand do not fit either");
    says(&error, &path, "no space is left for the store at `PATH`");
    drop(store);
    let store = Store::open_existing(&path).expect("opens").expect("there");
    assert_eq!(stored_runs(&store, id).expect("readable"), runs(0..stored));
    drop(store);

    assert!(mount(&["-o", "remount,size=4m"], &disk.0), "room is made");
    let mut store = Store::open(&path).expect("opens");
    store.append(id, &finished(&runs(stored..stored + 20))).expect("there is room again");
    assert_eq!(stored_runs(&store, id).expect("readable"), runs(0..stored + 20));
}

#[test]
fn a_store_on_a_disk_without_any_room_is_an_error() {
    let folder = Folder::new();
    let Some(disk) = Mount::new(folder.file("disk"), "8k", "a disk without room") else { return };
    let path = disk.0.join("new/runs.db");
    let error = Store::open(&path).expect_err("a store is larger than that");
    says(&error, &path, "no space is left for the store at `PATH`");
    assert!(Store::open_existing(&path).expect("no trouble").is_none());
}

#[test]
fn a_store_on_a_read_only_disk_is_read_and_not_written() {
    let folder = Folder::new();
    let Some(disk) = Mount::new(folder.file("disk"), "4m", "a read-only disk") else { return };
    let path = disk.0.join("a ? #1.db");
    let id = filled(&path, 10);
    let remounted = mount(&["-o", "remount,ro"], &disk.0);
    assert!(remounted, "the store was closed, so nothing on it is open");

    says(&Store::open(&path).expect_err("read-only"), &path, "the store at `PATH` is read-only");
    let mut store = Store::open_existing(&path).expect("opens").expect("there");
    assert_eq!(stored_runs(&store, id).expect("readable"), runs(0..10));
    assert_eq!(store.recover().expect("nothing to do"), []);
    let error = store.begin(&experiment(), &circumstances()).expect_err("read-only");
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");

    let elsewhere = disk.0.join("new/runs.db");
    let error = Store::open(&elsewhere).expect_err("read-only");
    says(&error, &elsewhere, "the store at `PATH` is read-only");
}

#[test]
fn a_file_that_may_not_be_written_is_read_and_not_written() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.file("runs.db");
    let id = filled(&path, 10);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("ours");
    if fs::OpenOptions::new().append(true).open(&path).is_ok() {
        not_checked("a file without permission to write", "this user may write everything");
        return;
    }
    says(&Store::open(&path).expect_err("read-only"), &path, "the store at `PATH` is read-only");
    let store = Store::open_existing(&path).expect("opens").expect("there");
    assert_eq!(stored_runs(&store, id).expect("readable"), runs(0..10));
}
