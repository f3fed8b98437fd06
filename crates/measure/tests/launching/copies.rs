//! Copies of a command that run at the same time.

use std::time::Duration;

use measure::tool::output;
use measure::{AllowedExits, Launcher, Missing, Obstacle, Outcome, Stdout, StopReason, Task, Wake};

use crate::endings::kill;
use crate::support::{BUSY, Scratch, eventually, is_alive, run, run_all, script, words};

/// A task that runs this script in `count` copies, each with its number in `N`.
pub(crate) fn copies(text: &str, count: u32) -> Task {
    let mut task = script(text);
    task.copies = (0..count).map(|_| task.command.clone()).collect();
    for (number, copy) in task.copies.iter_mut().enumerate() {
        copy.env.push(("N".into(), Some(number.to_string().into())));
    }
    task
}

/// Each copy waits until all of them are there, so copies run one after the other would hang.
const MEET: &str = "echo $$ > D/pid.$N; while [ $(ls D | grep -c pid) -lt 5 ]; do sleep 0.01; done";

pub(crate) fn copies_run_at_the_same_time_and_each_has_its_own_command() {
    let scratch = Scratch::new("copies");
    let folder = scratch.path("").to_str().expect("text").to_owned();
    let mut task = copies(
        &(MEET.replace("D/", &folder).replace("ls D", &format!("ls {folder}")) + "; echo I am $N"),
        5,
    );
    for (number, copy) in task.copies.iter_mut().enumerate() {
        copy.stdout = Stdout::File(scratch.path(&format!("out.{number}")));
    }
    let run = run(&task);
    assert_eq!(run.outcome, Outcome::Exited(0));
    for number in 0..5 {
        assert_eq!(
            words(&scratch.path(&format!("out.{number}"))),
            ["I", "am", &number.to_string()]
        );
    }
    let read = run.raw.copies.expect("copies ran");
    assert_eq!(read.count, 5);
    assert!(read.latency.0 > 0 && read.latency <= run.raw.wall, "{:?}", run.raw);
}

pub(crate) fn a_run_alone_has_nothing_of_copies() {
    assert_eq!(run(&script("true")).raw.copies, None);
    assert_eq!(run(&copies("true", 1)).raw.copies.map(|copies| copies.count), Some(1));
}

/// A copy that is delayed for a while ends the run; the others ended long before.
pub(crate) fn the_last_copy_ends_the_run_and_latency_is_the_mean() {
    let raw = run(&copies("[ $N = 2 ] && sleep 0.4; true", 4)).raw;
    let latency = raw.copies.expect("copies ran").latency.as_seconds();
    assert!(raw.wall.as_seconds() >= 0.4, "{raw:?}");
    assert!(latency >= 0.1 && latency < raw.wall.as_seconds(), "{raw:?}");
}

pub(crate) fn what_copies_use_is_added_up() {
    let alone = run(&script(BUSY)).raw;
    let together = run(&copies(BUSY, 4)).raw;
    let times = together.cpu.as_seconds() / alone.cpu.as_seconds();
    assert!((1.5..12.0).contains(&times), "{alone:?} {together:?}");
    assert_eq!(together.cpu.0, together.user.0 + together.system.0);
    assert!(together.minor_faults > 3 * alone.minor_faults, "{alone:?} {together:?}");
    let peak = together.peak_rss.bytes.0 as f64 / alone.peak_rss.bytes.0 as f64;
    assert!(peak < 2.0, "one copy is no larger for the others: {alone:?} {together:?}");
}

pub(crate) fn the_copy_that_fails_is_named_and_the_others_are_ended() {
    let scratch = Scratch::new("failing-copy");
    let pids = scratch.path("pids");
    let text = "[ $N = 3 ] && { echo no >&2; exit 9; }; echo $$ >> P; exec sleep 1000";
    let mut task = copies(&text.replace('P', pids.to_str().expect("text")), 5);
    task.allowed = AllowedExits::Zero;
    let slice = run_all(&[task.clone(), script("true")]);
    assert_eq!(slice.stopped, Some(StopReason::Failed { index: 0 }));
    let failed = &slice.finished[0];
    assert_eq!(failed.outcome, Outcome::Exited(9));
    assert_eq!(failed.raw.copies.map(|copies| copies.decisive), Some(3));
    assert_eq!(failed.stderr_tail, b"no\n");
    assert!(words(&pids).iter().all(|pid| !is_alive(pid)));
}

pub(crate) fn exits_that_are_allowed_end_no_other_copy() {
    let mut task = copies("[ $N = 1 ] && exit 5; sleep 0.2; [ $N = 2 ] && exit 6; true", 3);
    task.allowed = AllowedExits::Codes(vec![0, 5]);
    let slice = run_all(&[task]);
    assert_eq!(slice.stopped, Some(StopReason::Failed { index: 0 }));
    assert_eq!(slice.finished[0].outcome, Outcome::Exited(6));
    assert_eq!(slice.finished[0].raw.copies.map(|copies| copies.decisive), Some(2));
}

pub(crate) fn a_timeout_ends_every_copy() {
    let scratch = Scratch::new("timeout-copies");
    let pids = scratch.path("pids");
    let text =
        "echo $$ >> P; (setsid sleep 1000 & echo $! >> P); trap '' TERM; sleep 1000; sleep 1000";
    let mut task = copies(&text.replace('P', pids.to_str().expect("text")), 3);
    task.timeout = Some(Duration::from_millis(500));
    assert_eq!(run(&task).outcome, Outcome::TimedOut);
    let pids = words(&pids);
    assert!(!pids.is_empty() && pids.iter().all(|pid| !is_alive(pid)), "{pids:?}");
}

pub(crate) fn an_abort_ends_every_copy() {
    let scratch = Scratch::new("abort-copies");
    let pids = scratch.path("pids");
    let task = copies(&format!("echo $$ >> {}; exec sleep 1000", pids.display()), 4);
    let mut launcher = Launcher::start().expect("fork works");
    let mut on_wait = || if words(&pids).len() == 4 { Wake::Abort } else { Wake::Continue };
    let slice = launcher.execute(&[task], None, &mut on_wait).expect("it lives");
    assert_eq!(slice.stopped, Some(StopReason::Aborted));
    assert!(words(&pids).iter().all(|pid| !is_alive(pid)));
}

pub(crate) fn a_launcher_that_dies_takes_every_copy_along() {
    let scratch = Scratch::new("dead-launcher-copies");
    let pids = scratch.path("pids");
    let task = copies(&format!("echo $$ >> {}; exec sleep 1000", pids.display()), 4);
    let mut launcher = Launcher::start().expect("fork works");
    let pid = launcher.pid().to_string();
    let mut on_wait = || {
        if words(&pids).len() == 4 {
            output(&kill(&pid)).expect("the shell runs");
        }
        Wake::Continue
    };
    assert!(launcher.execute(&[task], None, &mut on_wait).is_err());
    eventually("the copies have ended", || words(&pids).iter().all(|pid| !is_alive(pid)));
}

pub(crate) fn copies_that_cannot_start_say_what_stood_in_the_way() {
    let task = copies("exit 0", 3);
    let refused = |change: &dyn Fn(&mut measure::CommandLine)| {
        let mut task = task.clone();
        change(&mut task.copies[1]);
        run_all(&[task]).stopped
    };
    let refusal = |obstacle, errno| Some(StopReason::CannotStart { index: 0, obstacle, errno });
    assert_eq!(
        refused(&|copy| copy.program = "/no/such/file".into()),
        refusal(Obstacle::Program, libc::ENOENT)
    );
    assert_eq!(
        refused(&|copy| copy.cwd = Some("/no/such/directory".into())),
        refusal(Obstacle::Directory, libc::ENOENT)
    );
    assert_eq!(
        refused(&|copy| copy.stdout = Stdout::File("/no/such/directory/out".into())),
        refusal(Obstacle::Stdout, libc::ENOENT)
    );
}

pub(crate) fn what_is_of_one_process_is_missing_with_a_reason() {
    let mut task = copies("true", 2);
    task.read.memory_over_time = true;
    task.read.stack_start = true;
    let run = run(&task);
    assert_eq!(run.memory, Err(Missing::SeveralCopies));
    assert_eq!(run.stack_start, Err(Missing::SeveralCopies));
}

/// A copy starts like a program that runs alone: with nothing blocked, ignored or open.
pub(crate) fn a_copy_starts_as_a_program_that_runs_alone() {
    let text = "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status; ls /proc/$$/fd; exit 0";
    let printed = |copies: u32| {
        let mut task = self::copies(text, copies);
        task.command.stdout = Stdout::Discard;
        task.copies.iter_mut().for_each(|copy| copy.stdout = Stdout::Discard);
        String::from_utf8(run(&task).stdout_tail).expect("text")
    };
    assert_eq!(printed(0), printed(1));
}
