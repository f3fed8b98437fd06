//! `kill -9` at any moment loses at most the run in flight.
//!
//! The victim is this test program itself, restarted for one of its ignored tests.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use measure::{AllowedExits, Awaits, CommandLine, Launcher, Reads, Stdin, Stdout, Task, Wake};
use model::run::Run;
use run::finished::place_of_tag;
use store::record::Event;
use store::{ExperimentId, ExperimentState, Filter, Store};

use crate::given::{Folder, circumstances, experiment, finished, place, runs, stored_runs};

/// Tells the started program which store to use.
const STORE: &str = "BRISK_TEST_STORE";

/// A process that is killed at the end of the test in any case.
struct Victim(Child);

impl Victim {
    fn start(test: &str, store: &Path) -> Self {
        let this = std::env::current_exe().expect("a running program has a file");
        #[expect(clippy::disallowed_methods, reason = "it is to be killed, not measured")]
        let child = Command::new(this)
            .args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"])
            .env(STORE, store)
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program starts");
        Self(child)
    }

    fn kill(&mut self) {
        self.0.kill().expect("it is ours");
        self.0.wait().expect("it is ours");
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        // It may be dead already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The store to use, in the victim process.
fn store_to_use() -> PathBuf {
    std::env::var_os(STORE).expect("run by another test, not by hand").into()
}

fn true_command() -> CommandLine {
    let path = std::env::var_os("PATH");
    CommandLine {
        argv: vec!["true".into()],
        program: measure::resolve_program("true".as_ref(), None, path.as_deref())
            .expect("every system has `true`"),
        env: Vec::new(),
        cwd: None,
        stdin: Stdin::Null,
        stdout: Stdout::Null,
    }
}

/// The timed run with this number; the tag has the layout of `run::local`.
fn task(number: u32) -> Task {
    let place = place(number);
    let tag =
        u64::from(place.variant) | u64::from(place.position) << 20 | u64::from(place.round) << 40;
    assert_eq!(place_of_tag(tag), place);
    Task {
        tag,
        command: true_command(),
        copies: Vec::new(),
        timeout: None,
        awaits: Awaits::Command,
        environment_padding_bytes: 0,
        read: Reads::default(),
        stderr_kept_bytes: measure::STDERR_KEPT_BYTES,
        timed: true,
        allowed: AllowedExits::Zero,
    }
}

/// Stores four runs, has the launcher make seven more, stores three of those, and waits to be
/// killed between storing them and emptying the journal.
#[test]
#[ignore = "a part of `what_the_launcher_finished_survives_a_kill`"]
fn measures_until_killed() {
    // Forked beside the test runner's thread, which only waits.
    let mut launcher = Launcher::start().expect("a launcher");
    let mut store = Store::open(store_to_use()).expect("opens");
    let (id, journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    store.append(id, &finished(&runs(0..4))).expect("appends");
    let tasks: Vec<Task> = (4..11).map(task).collect();
    let file = journal.file().expect("a descriptor");
    let slice =
        launcher.execute(&tasks, Some(&file), &mut || Wake::Continue).expect("the launcher lives");
    let finished: Vec<Run> = slice
        .finished
        .iter()
        .map(|run| run::finished::timed_run(place_of_tag(run.tag), run))
        .collect();
    assert_eq!(finished.len(), 7, "{slice:?}");
    store.append(id, &Event::Runs { runs: finished[..3].into() }).expect("appends");
    println!("\nready");
    loop {
        thread::sleep(Duration::from_secs(1));
    }
}

#[test]
fn what_the_launcher_finished_survives_a_kill() {
    let folder = Folder::new();
    let path = folder.file("runs.db");
    let mut victim = Victim::start("killed::measures_until_killed", &path);
    let output = BufReader::new(victim.0.stdout.take().expect("piped"));
    let ready = output.lines().any(|line| line.expect("readable") == "ready");
    assert!(ready, "it ended early");

    let id = ExperimentId(1);
    let mut store = Store::open(&path).expect("opens");
    assert_eq!(store.recover().expect("readable"), [], "it is alive");
    let state = |store: &Store| store.experiment(id).expect("readable").expect("there").state;
    assert_eq!(state(&store), ExperimentState::Running);

    victim.kill();
    let journal = folder.file("runs.db.inflight/1.journal");
    tear(&journal);
    // Its launcher notices its end a moment later.
    let mut recovered = Vec::new();
    for _ in 0..500 {
        recovered = store.recover().expect("recovers");
        if !recovered.is_empty() {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(recovered, [id]);
    assert!(!journal.exists());
    assert_eq!(store.recover().expect("readable"), [], "once is enough");

    let experiment = store.experiment(id).expect("readable").expect("there");
    assert_eq!(experiment.state, ExperimentState::Interrupted);
    // Eleven runs are five complete rounds and a half.
    assert_eq!((experiment.runs, experiment.rounds), (11, 5));
    let stored = stored_runs(&store, id).expect("readable");
    let places: Vec<_> = stored.iter().map(|run| run.place).collect();
    assert_eq!(places, (0..11).map(place).collect::<Vec<_>>());
    assert_eq!(stored[..4], runs(0..4));
}

/// Leaves half a record at the end, as a full disk would.
fn tear(journal: &Path) {
    let whole = fs::read(journal).expect("it has a journal");
    assert!(whole.len() > 100, "seven runs are more than {} bytes", whole.len());
    let mut file = OpenOptions::new().append(true).open(journal).expect("writable");
    file.write_all(&whole[..50]).expect("writable");
}

/// Stores runs one by one and prints the number stored.
#[test]
#[ignore = "a part of `a_kill_at_any_moment_loses_nothing_that_was_stored`"]
fn stores_until_killed() {
    let mut store = Store::open(store_to_use()).expect("opens");
    let (id, _journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    println!();
    for number in 0.. {
        store.append(id, &finished(&runs(number..number + 1))).expect("appends");
        println!("{}", number + 1);
    }
}

#[test]
fn a_kill_at_any_moment_loses_nothing_that_was_stored() {
    let folder = Folder::new();
    // The first ones may be killed while they create the store.
    for milliseconds in [3, 5, 7, 9, 12, 15, 40, 100, 230] {
        let path = folder.file(&format!("{milliseconds}.db"));
        let mut victim = Victim::start("killed::stores_until_killed", &path);
        let mut output = victim.0.stdout.take().expect("piped");
        let reader = thread::spawn(move || {
            let mut said = String::new();
            output.read_to_string(&mut said).expect("plain text");
            said
        });
        thread::sleep(Duration::from_millis(milliseconds));
        victim.kill();
        let said = reader.join().expect("reads");
        let numbers = said.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let acknowledged: u32 =
            numbers.filter_map(|line| line.parse().ok()).next_back().unwrap_or(0);

        let mut store = Store::open(&path).expect("opens after a kill");
        store.recover().expect("recovers");
        let newest = store.list(&Filter::newest(1)).expect("readable");
        let Some(newest) = newest.first() else {
            assert_eq!(acknowledged, 0);
            continue;
        };
        assert_eq!(newest.state, ExperimentState::Interrupted);
        let stored = stored_runs(&store, newest.id).expect("readable");
        assert!(stored.len() >= acknowledged as usize, "{} of {acknowledged}", stored.len());
        let whole: u32 = stored.len().try_into().expect("few");
        assert_eq!(stored, runs(0..whole));
        assert_eq!(newest.runs, u64::from(whole));
    }
}

#[test]
fn an_experiment_without_a_journal_is_dead() {
    let folder = Folder::new();
    let path = folder.file("runs.db");
    let mut store = Store::open(&path).expect("a new store");
    let (id, journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    store.append(id, &finished(&runs(0..3))).expect("appends");
    fs::remove_file(folder.file("runs.db.inflight/1.journal")).expect("it has one");
    assert_eq!(store.recover().expect("recovers"), [id]);
    let dead = store.experiment(id).expect("readable").expect("there");
    assert_eq!((dead.state, dead.runs, dead.rounds), (ExperimentState::Interrupted, 3, 1));
    drop(journal);
}

#[test]
fn a_living_experiment_is_left_alone_whatever_the_store_is_called() {
    let folder = Folder::new();
    let path = folder.file("runs.db");
    let mut store = Store::open(&path).expect("a new store");
    let (_id, _journal) = store.begin(&experiment(), &circumstances()).expect("begins");
    let alias = folder.file("alias.db");
    std::os::unix::fs::symlink("runs.db", &alias).expect("a link");
    for name in [path, alias, folder.path().join("./runs.db")] {
        let mut other = Store::open(&name).expect("opens");
        assert_eq!(other.recover().expect("readable"), [], "{}", name.display());
    }
}
