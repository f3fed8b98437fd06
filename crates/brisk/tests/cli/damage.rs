//! Unusable stores: a clear error, nothing runs, nothing is lost or overwritten.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::document::measured;
use crate::lab::{Ended, Lab, not_checked, run};

/// A lab with one experiment of four rounds.
fn filled() -> Lab {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "4", "true"]).succeeded();
    lab
}

/// The answer of every verb to an unusable store; the file stays unchanged.
fn refused_by_all(lab: &Lab, error: &str) -> Vec<Ended> {
    let before = fs::read(lab.store()).expect("readable");
    let verbs: [&[&str]; 4] = [
        &["compare", "-r", "1", "touch ran"],
        &["list"],
        &["show", "1"],
        &["export", "1", "--export-json", "out.json"],
    ];
    let refusals = verbs.map(|arguments| lab.brisk(arguments).refused(error));
    assert!(!lab.exists("ran") && !lab.exists("out.json"));
    assert!(fs::read(lab.store()).expect("readable") == before, "the file was changed");
    refusals.into()
}

#[test]
fn a_damaged_store_is_told_and_never_overwritten() {
    let lab = filled();
    let whole = fs::read(lab.store()).expect("readable");
    fs::write(lab.store(), &whole[..whole.len() / 2]).expect("writable");
    for ended in refused_by_all(&lab, "is damaged") {
        ended.hinting("move it away");
    }
}

#[test]
fn a_file_that_is_no_store_is_told_and_never_overwritten() {
    let lab = Lab::new();
    fs::write(lab.store(), "dear diary ".repeat(1000)).expect("writable");
    for ended in refused_by_all(&lab, "is not a store") {
        ended.hinting("`--store PATH`");
    }
}

#[test]
fn a_store_of_another_version_is_told_and_never_overwritten() {
    let lab = filled();
    let other = Connection::open(lab.store()).expect("opens");
    other.execute_batch("PRAGMA user_version = 99").expect("writes");
    other.close().expect("closes");
    for ended in refused_by_all(&lab, "has schema version 99; this brisk reads version 1") {
        ended.hinting("use the brisk that wrote it");
    }
}

#[test]
fn a_locked_store_is_waited_for_and_then_told() {
    let lab = filled();
    let other = Connection::open(lab.store()).expect("opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("locks");
    lab.brisk(&["compare", "-r", "1", "touch ran"])
        .refused("another program has kept the store at")
        .hinting("nothing stored was lost");
    assert!(!lab.exists("ran"));
    // Reading still works meanwhile.
    lab.brisk(&["show", "1"]).succeeded().says("4 rounds");
    lab.brisk(&["list"]).succeeded();
    other.execute_batch("COMMIT").expect("unlocks");
    lab.brisk(&["compare", "-r", "1", "touch ran"]).succeeded();
    assert!(lab.exists("ran"));
}

#[test]
fn a_store_locked_for_a_moment_only_delays() {
    let lab = filled();
    let other = Connection::open(lab.store()).expect("opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("locks");
    let running = lab.start(&["compare", "-r", "3", "true"]);
    std::thread::sleep(std::time::Duration::from_millis(300));
    other.execute_batch("COMMIT").expect("unlocks");
    running.wait().succeeded();
    assert_eq!(measured(&lab.exported("2")).len(), 3);
}

/// A separate file system, unmounted with the test.
struct Disk(PathBuf);

impl Disk {
    /// Returns `None`, with a message, if this user may not mount one.
    fn new(lab: &Lab, size: &str, what: &str) -> Option<Self> {
        let path = lab.path("disk");
        fs::create_dir(&path).expect("writable");
        let options = format!("size={size}");
        if run("mount", &["-t", "tmpfs", "-o", &options, "tmpfs", text(&path)]) {
            return Some(Self(path));
        }
        not_checked(&format!("{what}: this user cannot mount a tmpfs"));
        None
    }

    fn remount(&self, options: &str) {
        assert!(run("mount", &["-o", &format!("remount,{options}"), text(&self.0)]));
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        assert!(run("umount", &["-l", text(&self.0)]), "{} stays mounted", self.0.display());
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path that is text")
}

#[test]
fn a_disk_that_fills_up_while_measuring_keeps_what_was_finished() {
    let surroundings = Lab::new();
    let Some(disk) = Disk::new(&surroundings, "700k", "a full disk") else { return };
    let lab = Lab::new().storing_at(disk.0.join("runs.db"));
    lab.brisk(&["compare", "-r", "3", "true"]).succeeded();
    lab.brisk(&["compare", "-r", "1000000", "-S", "echo x >> log"])
        .failed("cannot keep a finished run")
        .because("no space is left for the store")
        .hinting("rounds are stored as experiment 2")
        .says("wall time")
        .says("until interrupted");
    let done = lab.lines("log").len();
    assert!(done > 10, "{done}");
    let listed = lab.brisk(&["list"]).succeeded().says("interrupted");
    assert!(!listed.stdout.contains("being measured"), "{listed}");
    disk.remount("size=8m");
    lab.brisk(&["list"]).succeeded();
    lab.brisk(&["show", "1"]).succeeded().says("3 rounds");
    let stored = measured(&lab.exported("2")).len();
    // Nothing is left of the run whose record did not fit.
    assert!(stored + 1 >= done && stored <= done, "{stored} of {done}");
    lab.brisk(&["compare", "-r", "2", "true"]).succeeded();
}

#[test]
fn a_disk_without_any_room_is_told_before_anything_runs() {
    let surroundings = Lab::new();
    let Some(disk) = Disk::new(&surroundings, "8k", "a disk without room") else { return };
    let lab = Lab::new().storing_at(disk.0.join("new/runs.db"));
    lab.brisk(&["compare", "-r", "1", "touch ran"])
        .refused("no space is left for the store")
        .hinting("make room");
    assert!(!lab.exists("ran"));
}

#[test]
fn a_read_only_store_can_be_read_and_not_measured_into() {
    let surroundings = Lab::new();
    let Some(disk) = Disk::new(&surroundings, "4m", "a read-only store") else { return };
    let lab = Lab::new().storing_at(disk.0.join("runs.db"));
    lab.brisk(&["compare", "-r", "4", "true"]).succeeded();
    disk.remount("ro");
    lab.brisk(&["compare", "-r", "1", "touch ran"])
        .refused("is read-only")
        .hinting("`--store PATH`");
    assert!(!lab.exists("ran"));
    lab.brisk(&["list"]).succeeded();
    lab.brisk(&["show", "1"]).succeeded().says("4 rounds");
    assert_eq!(measured(&lab.exported("1")).len(), 4);
}

#[test]
fn a_folder_that_may_not_be_written_is_told() {
    let lab = Lab::new().storing_at("/proc/brisk/runs.db".into());
    lab.brisk(&["compare", "-r", "1", "touch ran"]).refused("store at `/proc/brisk/runs.db`");
    assert!(!lab.exists("ran"));
}

#[test]
fn without_a_home_the_store_has_to_be_named() {
    let lab = Lab::new().with("HOME", "");
    // An option first, so that the lab does not see the verb and add `--store`.
    let ended = lab.brisk(&["--color=never", "list"]);
    ended.refused("cannot tell where to keep results").hinting("`--store PATH`");
}

#[test]
fn a_comparison_without_a_home_is_measured_and_not_kept() {
    let of = |home: &str| {
        let lab = Lab::new();
        lab.write("file", "");
        let lab = lab.with("HOME", home);
        let compare = ["--color=never", "compare", "--quiet", "--runs", "3", "true", "true"];
        let ended = lab.brisk(&compare).exited(0).says("3 rounds");
        assert!(ended.stderr.contains("this comparison is not kept"), "{ended}");
        let fails = ["--color=never", "compare", "--quiet", "--runs", "3", "false"];
        let ended = lab.brisk(&fails).exited(2);
        assert!(!ended.stderr.contains("stored as"), "{ended}");
        assert!(!lab.exists(".local"), "{ended}");
    };
    of("");
    // No user can create anything below a file.
    of("/dev/null");
}

#[test]
fn a_limit_on_the_size_of_files_is_told() {
    let lab = Lab::new();
    // In the shell's units, the smaller of which are 512 bytes.
    let limited = format!(
        "ulimit -f 300; '{}' compare --store inner.db -r 100000 -N true 2> said",
        env!("CARGO_BIN_EXE_brisk")
    );
    lab.brisk(&["compare", "-r", "1", "-S", "--ignore-failure=2", &limited]).succeeded();
    let said = lab.read("said");
    assert!(said.contains("may not become larger") && said.contains("`ulimit -f`"), "{said}");
}
