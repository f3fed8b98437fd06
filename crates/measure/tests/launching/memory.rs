//! Peak memory covers the measured program and nothing else.

use measure::{Bytes, Launcher, MemorySample, Missing, Task};

use crate::helper::{MILLISECONDS, ROLE};
use crate::support::{execute, helper, program, run, script};

const MEGABYTE: u64 = 1_000_000;

pub(crate) fn a_small_program_after_a_big_one_reports_its_own_memory() {
    let mut launcher = Launcher::start().expect("fork works");
    // A large parent must not count either.
    let ballast = std::hint::black_box(vec![1_u8; 300 * MEGABYTE as usize]);
    let tasks = [helper("hold 300 MB"), program(&["true"])];
    let slice = execute(&mut launcher, &tasks, None);
    drop(ballast);
    let peaks: Vec<_> = slice.finished.iter().map(|run| run.raw.peak_rss).collect();
    assert!(peaks[0].bytes > Bytes(300 * MEGABYTE), "{peaks:?}");
    assert!(peaks[1].bytes < Bytes(6 * MEGABYTE), "{peaks:?}");
}

pub(crate) fn a_program_smaller_than_the_launcher_is_shown_at_the_floor() {
    let peak = run(&program(&["true"])).raw.peak_rss;
    println!("floor {} KiB, `true` {} KiB", peak.floor.0 / 1024, peak.bytes.0 / 1024);
    assert!(peak.floor > Bytes(0) && peak.floor < Bytes(3 * MEGABYTE), "{peak:?}");
    assert_eq!(peak.is_at_floor(), peak.bytes <= peak.floor);
}

pub(crate) fn memory_of_a_process_that_nobody_waits_for_is_seen() {
    let own = std::env::current_exe().expect("Linux knows");
    let mut task = script(&format!("x=$('{}' &)", own.display()));
    task.command.env.push((ROLE.into(), Some("hold 300 MB".into())));
    let peak = run(&task).raw.peak_rss.bytes;
    assert!(peak > Bytes(300 * MEGABYTE), "{peak:?}");
}

pub(crate) fn tree_memory_is_a_number_or_a_reason() {
    let mut task = helper("hold 300 MB");
    assert_eq!(run(&task).raw.tree_peak, Err(Missing::NotRequested));
    task.read.tree_memory = true;
    match run(&task).raw.tree_peak {
        Ok(peak) => assert!(peak > Bytes(300 * MEGABYTE), "{peak:?}"),
        Err(Missing::NotRequested) => panic!("it was requested"),
        Err(missing) => println!("no tree memory here: {missing}"),
    }
}

pub(crate) fn energy_is_a_number_or_a_reason() {
    let mut task = program(&["sleep", "0.02"]);
    assert_eq!(run(&task).raw.energy, Err(Missing::NotRequested));
    task.read.energy = true;
    match run(&task).raw.energy {
        Ok(energy) => assert!(energy.0 > 0, "{energy:?}"),
        Err(Missing::NotRequested) => panic!("it was requested"),
        Err(missing) => println!("no energy here: {missing}"),
    }
}

pub(crate) fn memory_over_time_is_sampled_only_on_request_and_covers_the_tree() {
    assert_eq!(run(&held_twice(100)).memory, Err(Missing::NotRequested));
    // Sampling may cover only a part of the time: the busier the machine, the fewer samples.
    let is_covered = |hold_ms| {
        let mut task = held_twice(hold_ms);
        task.read.memory_over_time = true;
        let samples = run(&task).memory.expect("this kernel tells the children of processes");
        assert!(samples.windows(2).all(|pair| pair[0].at < pair[1].at));
        falls_between(&samples)
    };
    assert!([100, 500, 2_500, 12_500].into_iter().any(is_covered));
}

/// 300 MB for `hold_ms`, and once more in a grandchild of the shell. In between, only the shell
/// waits, for as long.
fn held_twice(hold_ms: u64) -> Task {
    let own = std::env::current_exe().expect("Linux knows");
    let (own, seconds) = (own.display(), hold_ms as f64 / 1e3);
    let mut task = script(&format!("'{own}'; sleep {seconds}; sh -c \"'{own}'; true\"; true"));
    for (name, value) in [(ROLE, "hold 300 MB for a while"), (MILLISECONDS, &hold_ms.to_string())] {
        task.command.env.push((name.into(), Some(value.into())));
    }
    task
}

/// True if samples are large, then small, then large again.
fn falls_between(samples: &[MemorySample]) -> bool {
    // The kernel's counts are off by some dozen pages for each processor.
    let mut is_large = samples.iter().map(|sample| sample.resident > Bytes(200 * MEGABYTE));
    is_large.any(|large| large) && is_large.any(|large| !large) && is_large.any(|large| large)
}

pub(crate) fn a_run_that_ends_at_once_has_no_memory_over_time_but_a_reason() {
    let mut task = program(&["true"]);
    task.read.memory_over_time = true;
    let mut launcher = Launcher::start().expect("fork works");
    let tasks = vec![task; 20];
    for run in execute(&mut launcher, &tasks, None).finished {
        match run.memory {
            Ok(samples) => assert!(!samples.is_empty()),
            Err(missing) => assert_eq!(missing, Missing::NeverSampled),
        }
    }
}
