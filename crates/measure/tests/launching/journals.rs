//! The state after a process is killed.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command};

use measure::{Launcher, Outcome, StopReason, Tail, read_journal};

use crate::helper::{DIRECTORY, ROLE};
use crate::support::{Scratch, eventually, execute, is_alive, program, words};

pub(crate) fn every_timed_run_is_in_the_journal_and_no_other() {
    let scratch = Scratch::new("journal");
    let path = scratch.path("journal");
    let journal = File::options().create(true).append(true).open(&path).expect("writable");
    let mut tasks = vec![program(&["true"]); 6];
    for (tag, task) in (0..).zip(&mut tasks) {
        task.tag = tag;
        task.timed = tag % 3 != 0;
    }
    let mut launcher = Launcher::start().expect("fork works");
    let mut returned = execute(&mut launcher, &tasks[..3], Some(&journal)).finished;
    returned.extend(execute(&mut launcher, &tasks[3..], Some(&journal)).finished);
    assert_eq!(returned.len(), 6);
    returned.retain(|run| run.tag % 3 != 0);
    let (runs, tail) = read_journal(&std::fs::read(path).expect("it was written"));
    assert_eq!((runs, tail), (returned, Tail::Clean));
}

pub(crate) fn a_journal_that_cannot_be_written_stops_the_slice() {
    let full = File::options().write(true).open("/dev/full").expect("Linux has it");
    let mut launcher = Launcher::start().expect("fork works");
    let slice = execute(&mut launcher, &[program(&["true"]), program(&["true"])], Some(&full));
    assert_eq!(slice.stopped, Some(StopReason::JournalWrite { errno: libc::ENOSPC }));
    assert_eq!(slice.finished.len(), 1);
}

/// Starts a process that measures in this role, and waits until its endless run is under way.
#[expect(clippy::disallowed_methods, reason = "it is to be killed, which no tool should be")]
fn measuring_process(scratch: &Scratch, role: &str) -> Child {
    let own = std::env::current_exe().expect("Linux knows");
    let child = Command::new(own)
        .env(ROLE, role)
        .env(DIRECTORY, scratch.path(""))
        .spawn()
        .expect("we can be started again");
    eventually("the endless run is under way", || {
        let pids = words(&scratch.path("pids"));
        pids.len() == 4 && pids.contains(&"all".to_owned())
    });
    child
}

/// Kills the process, and checks that everything it had started is gone.
fn kill_and_see_all_gone(mut child: Child, scratch: &Scratch) {
    let mut pids = words(&scratch.path("pids"));
    pids.retain(|pid| pid != "all");
    assert!(pids.iter().all(|pid| is_alive(pid)), "{pids:?}");
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
    eventually("all that it started is gone", || !pids.iter().any(|pid| is_alive(pid)));
}

pub(crate) fn a_journal_is_readable_after_kill_9_of_everyone() {
    let scratch = Scratch::new("kill-9");
    let child = measuring_process(&scratch, "measure until killed");
    kill_and_see_all_gone(child, &scratch);
    let bytes = std::fs::read(scratch.path("journal")).expect("it was written");
    let (runs, tail) = read_journal(&bytes);
    assert_eq!((runs.len(), tail), (20, Tail::Clean));
    assert!(runs.iter().all(|run| run.outcome == Outcome::Exited(0)));
    let (runs, tail) = read_journal(&bytes[..bytes.len() - 5]);
    assert_eq!(runs.len(), 19);
    assert!(matches!(tail, Tail::Torn { ignored_bytes: 1.. }));
}

pub(crate) fn the_death_of_the_parent_ends_the_command() {
    let scratch = Scratch::new("parent-death");
    let child = measuring_process(&scratch, "measure until killed");
    kill_and_see_all_gone(child, &scratch);
}

/// As in a release build, whose panics abort. With unwinding, only the thread ends.
pub(crate) fn a_panic_that_aborts_the_parent_ends_the_command_and_keeps_the_runs() {
    if cfg!(panic = "unwind") {
        return;
    }
    let scratch = Scratch::new("aborts");
    let mut child = measuring_process(&scratch, "measure until a thread panics");
    let pids = words(&scratch.path("pids"));
    std::fs::write(scratch.path("panic"), "").expect("writable");
    let status = child.wait().expect("it is ours");
    assert_eq!(status.signal(), Some(libc::SIGABRT));
    eventually("all that it started is gone", || !pids.iter().any(|pid| is_alive(pid)));
    let bytes = std::fs::read(scratch.path("journal")).expect("it was written");
    let (runs, tail) = read_journal(&bytes);
    assert_eq!((runs.len(), tail), (20, Tail::Clean));
}

pub(crate) fn many_runs_come_back_in_order() {
    // More than the launcher hands over at once.
    let mut tasks = vec![program(&["/bin/sh", "-c", "head -c 20000 /dev/zero >&2"]); 30];
    for (tag, task) in (0..).zip(&mut tasks) {
        task.tag = tag;
    }
    let mut launcher = Launcher::start().expect("fork works");
    let slice = execute(&mut launcher, &tasks, None);
    let tags: Vec<_> = slice.finished.iter().map(|run| run.tag).collect();
    assert_eq!(tags, (0..30).collect::<Vec<_>>());
    assert!(slice.finished.iter().all(|run| run.stderr_tail.len() == 8192));
    assert!(
        slice.finished.windows(2).all(|pair| pair[0].started_unix_ns < pair[1].started_unix_ns)
    );
}
