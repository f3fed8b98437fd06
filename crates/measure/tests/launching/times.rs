//! Times, by their relations to each other: a test machine has no absolute speed.

use measure::{Counter, Counters, Missing, Task};

use crate::copies::copies;
use crate::support::{BUSY, helper, program, run, script};

pub(crate) fn a_busy_program_uses_the_time_that_passes() {
    let raw = run(&script(BUSY)).raw;
    let (cpu, wall) = (raw.cpu.as_seconds(), raw.wall.as_seconds());
    let wait = raw.cpu_wait.clone().expect("the shell does the loop itself").as_seconds();
    assert!(cpu <= wall * 1.1, "{raw:?}");
    // With waiting for a CPU included, the rest is only the start.
    assert!(cpu + wait >= wall * 0.5, "{raw:?}");
    assert_eq!(raw.cpu.0, raw.user.0 + raw.system.0);
    let slept = run(&program(&["sleep", "0.3"])).raw;
    assert!(slept.cpu.as_seconds() < slept.wall.as_seconds() / 2.0, "{slept:?}");
    assert!(slept.voluntary_switches > 0, "{slept:?}");
    assert!(slept.minor_faults > 0, "{slept:?}");
}

/// Scripts that do the same work in a detached process, and end after it: the shell reads until the
/// last process with the pipe has ended, but waits only for its direct child.
fn detached() -> [String; 4] {
    [
        format!("x=$({{ {BUSY}; }} &)"),
        format!("x=$(setsid sh -c '{BUSY}' &)"),
        format!("x=$( ( ( ( {BUSY} ) & ) & ) & )"),
        format!("x=$(sh -c 'sh -c \"{}\"; true' &)", BUSY.replace('$', "\\$")),
    ]
}

pub(crate) fn work_that_nobody_waits_for_is_counted() {
    let done_itself = run(&script(BUSY)).raw;
    for text in detached() {
        for task in [script(&text), copies(&text, 2)] {
            let count = task.copies.len().max(1) as f64;
            let run = run(&task);
            let share = run.raw.cpu.as_seconds() / count / done_itself.cpu.as_seconds();
            assert!((0.4..6.0).contains(&share), "{text}: {share} {:?}", run.raw);
            assert_eq!(run.raw.cpu.0, run.raw.user.0 + run.raw.system.0);
            assert_eq!(run.left_behind, 0, "{text}");
            assert_eq!(run.raw.cpu_wait, Err(Missing::CpuTimeElsewhere), "{text}");
        }
    }
}

/// A script pinned to one CPU that we may use.
fn pinned(text: &str) -> String {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let list = list.expect("Linux has it").trim();
    let first = list.split(['-', ',']).next().expect("split gives at least one");
    format!("taskset -c {first} sh -c '{text}'")
}

#[expect(clippy::disallowed_methods, reason = "the rival is none of the run's processes")]
pub(crate) fn waiting_for_a_cpu_is_seen() {
    let rival = format!("exec {}", pinned("while :; do :; done"));
    let busy = pinned(BUSY);
    let alone = run(&script(&format!("exec {busy}")));
    let rival = std::process::Command::new("/bin/sh").args(["-c", &rival]).spawn();
    let mut rival = rival.expect("/bin/sh runs");
    let contended = run(&script(&format!("exec {busy}")));
    rival.kill().expect("it does not end by itself");
    rival.wait().expect("it was killed");
    let wait = |run: &measure::FinishedRun| {
        run.raw.cpu_wait.clone().expect("the first thread does the work").as_seconds()
    };
    let cpu = contended.raw.cpu.as_seconds();
    assert!(wait(&contended) > cpu * 0.3, "{contended:?}");
    assert!(wait(&contended) > wait(&alone) || wait(&alone) > cpu, "{alone:?} {contended:?}");
}

pub(crate) fn waiting_is_missing_where_another_process_did_the_work() {
    let raw = run(&script(&format!("sh -c '{BUSY}'; true"))).raw;
    assert_eq!(raw.cpu_wait, Err(Missing::CpuTimeElsewhere));
}

pub(crate) fn waiting_is_missing_where_other_threads_did_the_work() {
    assert_eq!(run(&helper("work in a thread")).raw.cpu_wait, Err(Missing::CpuTimeElsewhere));
}

pub(crate) fn counters_are_counts_or_reasons() {
    let mut task: Task = script(BUSY);
    assert_eq!(run(&task).raw.counters, Counters::none(&Missing::NotRequested));
    task.read.counters = true;
    let counters = run(&task).raw.counters;
    match counters.count(Counter::Instructions) {
        Ok(count) => assert!(count.value > 1_000_000 && counters.kernel.is_some(), "{counters:?}"),
        Err(Missing::NotRequested) => panic!("they were requested"),
        Err(missing) => println!("no instructions here: {missing}"),
    }
}
