//! Real programs, stopped and inspected.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use measure::sampling::{Registers, sample};
use measure::tool::LogEnd;
use measure::{CommandLine, Outcome, Stdin, Stdout};

fn shell(script: &str) -> CommandLine {
    let argv: Vec<OsString> = ["sh", "-c", script].map(OsString::from).to_vec();
    CommandLine {
        argv,
        program: PathBuf::from("/bin/sh"),
        env: Vec::new(),
        cwd: None,
        stdin: Stdin::Null,
        stdout: Stdout::Null,
    }
}

const EVERY: Duration = Duration::from_micros(500);
const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_busy_program_is_stopped_and_its_code_can_be_read() {
    let mut seen: Vec<(Registers, usize)> = Vec::new();
    let mut place = None;
    let busy = shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exit 3");
    let sampled = sample(&busy, EVERY, LONG, &mut |stopped| {
        let mut code = [0; 8];
        seen.push((stopped.registers, stopped.read(stopped.registers.counter, &mut code)));
        let program = PathBuf::from("/bin/sh").canonicalize().expect("there is a shell");
        place = place.or_else(|| stopped.place_of(&program));
    })
    .expect("children may be traced here");
    assert_eq!(sampled.end, LogEnd::ByItself(Outcome::Exited(3)));
    assert!(sampled.stops > 0 && sampled.stops == seen.len() as u64);
    // The counter always points to code, and is never 0.
    assert!(seen.iter().all(|(registers, read)| registers.counter != 0 && *read == 8));
    assert!(place.is_some_and(|place| place != 0 && place % 4096 == 0));
}

#[test]
fn memory_that_is_not_there_is_not_read() {
    let busy = shell("i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done");
    sample(&busy, EVERY, LONG, &mut |stopped| assert_eq!(stopped.read(8, &mut [0; 8]), 0))
        .expect("children may be traced here");
}

#[test]
fn signals_reach_the_program_and_end_it_as_ever() {
    let ended = |script: &str| {
        sample(&shell(script), EVERY, LONG, &mut |_| {}).expect("children may be traced here").end
    };
    let trapped = "trap 'exit 5' USR1; kill -USR1 $$; while :; do :; done";
    assert_eq!(ended(trapped), LogEnd::ByItself(Outcome::Exited(5)));
    assert_eq!(ended("kill -TERM $$"), LogEnd::ByItself(Outcome::Signalled(15)));
}

#[test]
fn what_takes_too_long_is_killed_with_all_it_started() {
    let folder = std::env::temp_dir().join(format!("sampling-{}", std::process::id()));
    let script = format!("sleep 1000 & echo $! > {}; while :; do :; done", folder.display());
    let sampled = sample(&shell(&script), EVERY, Duration::from_millis(300), &mut |_| {})
        .expect("children may be traced here");
    assert_eq!(sampled.end, LogEnd::TimedOut);
    let child = std::fs::read_to_string(&folder).expect("it wrote the id of what it started");
    let is_alive = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.trim()));
        stat.is_ok_and(|stat| !stat.contains(") Z"))
    };
    let patience = measure::clock::Stopwatch::start();
    while is_alive() && patience.elapsed() < LONG {
        std::thread::yield_now();
    }
    assert!(!is_alive());
    std::fs::remove_file(folder).expect("it is there");
}

#[test]
fn a_program_that_is_not_there_is_no_run() {
    let nothing = CommandLine { program: PathBuf::from("/nowhere"), ..shell("") };
    let error = sample(&nothing, EVERY, LONG, &mut |_| {}).expect_err("it cannot start");
    assert_eq!(error.to_string(), "it cannot be started");
}
