//! Peak memory is that of the program measured and of nothing else.

use measure::{Bytes, Launcher, MemorySample, Missing};

use crate::support::{execute, helper, program, run, script};

const MEGABYTE: u64 = 1_000_000;

pub(crate) fn a_small_program_after_a_big_one_reports_its_own_memory() {
    let mut launcher = Launcher::start().expect("fork works");
    // A large parent must not show either.
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
    // 300 MB in a child of a child of the shell, which waits.
    let own = std::env::current_exe().expect("Linux knows");
    let text = format!("'{}'; sh -c \"'{}'; true\"; true", own.display(), own.display());
    let mut task = script(&text);
    task.command.env.push((crate::helper::ROLE.into(), Some("hold 300 MB for a while".into())));
    assert_eq!(run(&task).memory, Err(Missing::NotRequested));
    task.read.memory_over_time = true;
    let samples = run(&task).memory.expect("this kernel tells the children of processes");
    assert!(samples.windows(2).all(|pair| pair[0].at < pair[1].at));
    let is_large = |sample: &&MemorySample| sample.resident > Bytes(300 * MEGABYTE);
    let large = samples.iter().filter(is_large).count();
    // It is held twice, and between the first and the second time there is the shell alone.
    let between = samples.iter().rposition(|sample| !is_large(&sample));
    assert!(large > 5 && between.is_some_and(|at| at > 0), "{large} of {}", samples.len());
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
