//! Real programs, sampled by the kernel. Where it refuses, nothing is checked, and that is said.
#![expect(clippy::print_stderr, reason = "a test that checks nothing says so")]

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use measure::profiler::{Profile, ProfiledRun, ProfilerError, Record, Recorded, Sample, profile};
use measure::tool::LogEnd;
use measure::{CommandLine, Outcome, Stdin, Stdout};

const PERIOD: Duration = Duration::from_micros(500);

fn shell(script: &str) -> CommandLine {
    CommandLine {
        argv: ["sh", "-c", script].map(Into::into).to_vec(),
        program: PathBuf::from("/bin/sh"),
        env: Vec::new(),
        cwd: None,
        stdin: Stdin::Null,
        stdout: Stdout::Discard,
    }
}

/// The run, or `None` if this machine does not let programs be sampled.
fn profiled(command: &CommandLine, limit: Option<Duration>) -> Option<ProfiledRun> {
    match profile(command, Profile { period: PERIOD, limit }) {
        Ok(run) => Some(run),
        Err(error @ ProfilerError::Refused(_)) => {
            eprintln!("not checked: {error}");
            None
        }
        Err(error) => panic!("{error}: {:?}", std::error::Error::source(&error)),
    }
}

fn samples(run: &ProfiledRun) -> Vec<(&Record, &Sample)> {
    let records = run.records.iter();
    let of_record = records.filter_map(|record| match &record.event {
        Recorded::Sample(sample) => Some((record, sample)),
        _ => None,
    });
    of_record.collect()
}

const LOOP: &str = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";

#[test]
fn a_busy_program_is_sampled_in_its_mapped_code_for_all_of_its_time() {
    let Some(run) = profiled(&shell(&format!("{LOOP}; exit 3")), None) else { return };
    assert_eq!(run.end, LogEnd::ByItself(Outcome::Exited(3)));
    let found = samples(&run);
    let sampled = PERIOD * u32::try_from(found.len()).expect("few");
    let used = Duration::from_micros(run.cpu.0);
    // An ordinary user does not see the kernel's part.
    assert!(sampled > used / 3 && sampled < used * 3 / 2, "{sampled:?} of {used:?}");
    let shell = PathBuf::from("/bin/sh").canonicalize().expect("there is a shell");
    let code = run.records.iter().find_map(|record| match &record.event {
        Recorded::Mapped(mapping) if mapping.path == shell => Some(mapping),
        _ => None,
    });
    let code = code.expect("the shell is mapped");
    let is_inside = |counter: u64| (code.start..code.start + code.length).contains(&counter);
    assert!(found.iter().any(|(_, sample)| is_inside(sample.counter)));
    let (_, sample) = found.iter().find(|(_, it)| it.registers.is_some()).expect("user code");
    assert!(sample.registers.expect("found").stack != 0 && !sample.stack.is_empty());
    assert!(run.records.is_sorted_by_key(|record| record.at_ns));
}

#[test]
fn processes_that_are_forked_and_executed_are_sampled_too() {
    let script = format!("({LOOP}) & sh -c '{LOOP}'; wait");
    let Some(run) = profiled(&shell(&script), None) else { return };
    let processes: HashSet<u32> = samples(&run).iter().map(|(record, _)| record.process).collect();
    assert!(processes.len() >= 2, "{processes:?}");
    let is_fork = |record: &&Record| matches!(record.event, Recorded::ForkedFrom(_));
    assert!(run.records.iter().filter(is_fork).count() >= 2);
    let executed = run.records.iter().filter(|record| record.event == Recorded::Executed);
    let executed: HashSet<u32> = executed.map(|record| record.process).collect();
    assert!(executed.len() >= 2, "{executed:?}");
}

#[test]
fn a_program_that_ends_at_once_has_hardly_a_sample() {
    let Some(run) = profiled(&shell("exit 0"), None) else { return };
    assert_eq!(run.end, LogEnd::ByItself(Outcome::Exited(0)));
    assert!(samples(&run).len() < 100);
}

#[test]
fn a_program_that_a_signal_ends_keeps_its_samples() {
    let Some(run) = profiled(&shell(&format!("{LOOP}; kill -KILL $$")), None) else { return };
    assert_eq!(run.end, LogEnd::ByItself(Outcome::Signalled(9)));
    assert!(!samples(&run).is_empty());
}

#[test]
fn a_run_that_takes_too_long_is_ended_with_all_it_started() {
    let script = "sleep 1000 & echo $! >&2; while :; do :; done";
    let limit = Some(Duration::from_millis(300));
    let Some(run) = profiled(&shell(script), limit) else { return };
    assert_eq!(run.end, LogEnd::TimedOut);
    let child = String::from_utf8(run.stderr_tail).expect("a number");
    let is_gone = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.trim()));
        stat.map_or(true, |stat| stat.contains(") Z"))
    };
    // A signal is on its way for a moment.
    let waits = (0..1000).take_while(|_| !is_gone());
    waits.for_each(|_| std::thread::sleep(Duration::from_millis(10)));
    assert!(is_gone());
}

#[test]
fn a_program_that_closes_or_fills_its_streams_is_not_held_up() {
    let script = "yes | head -c 300000; yes | head -c 300000 >&2; exec >&- 2>&-; exit 7";
    let Some(run) = profiled(&shell(script), None) else { return };
    assert_eq!(run.end, LogEnd::ByItself(Outcome::Exited(7)));
    assert!(run.stderr_tail.ends_with(b"y\n"));
}

#[test]
fn a_program_that_is_not_there_is_no_run() {
    let nothing = CommandLine { program: PathBuf::from("/nowhere"), ..shell("") };
    match profile(&nothing, Profile { period: PERIOD, limit: None }) {
        Err(ProfilerError::Refused(_)) => eprintln!("not checked"),
        other => {
            let error = other.expect_err("it cannot start");
            assert_eq!(error.to_string(), "it cannot be started");
        }
    }
}
