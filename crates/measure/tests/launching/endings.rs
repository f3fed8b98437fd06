//! The ends of runs, natural and forced.

use std::ffi::OsStr;
use std::fs::File;
use std::time::Duration;

use measure::clock::Stopwatch;
use measure::tool::{Tool, output};
use measure::{
    AllowedExits, Launcher, LauncherError, Obstacle, Outcome, StartError, Stdin, Stdout,
    StopReason, Wake, interrupt, resolve_program,
};

use crate::copies::copies;
use crate::support::{
    Scratch, eventually, execute, is_alive, program, run, run_all, script, words,
};

pub(crate) fn exit_codes_come_back() {
    assert_eq!(run(&program(&["true"])).outcome, Outcome::Exited(0));
    assert_eq!(run(&program(&["false"])).outcome, Outcome::Exited(1));
    assert_eq!(run(&script("exit 42")).outcome, Outcome::Exited(42));
}

pub(crate) fn a_signalled_child_is_no_exit_code() {
    assert_eq!(run(&script("kill -SEGV $$")).outcome, Outcome::Signalled(11));
}

pub(crate) fn a_run_that_fails_stops_the_slice_and_keeps_the_runs_before_it() {
    let mut tasks = [script("exit 0"), script("echo no >&2; exit 3"), script("exit 0")];
    tasks.iter_mut().for_each(|task| task.allowed = AllowedExits::Zero);
    let slice = run_all(&tasks);
    assert_eq!(slice.stopped, Some(StopReason::Failed { index: 1 }));
    let outcomes: Vec<_> = slice.finished.iter().map(|run| run.outcome).collect();
    assert_eq!(outcomes, [Outcome::Exited(0), Outcome::Exited(3)]);
    assert_eq!(slice.finished[1].stderr_tail, b"no\n");
}

pub(crate) fn allowed_exits_let_the_slice_go_on() {
    let mut tasks = [script("exit 3"), script("kill -TERM $$"), script("exit 0")];
    tasks[0].allowed = AllowedExits::Codes(vec![0, 3]);
    tasks[1].allowed = AllowedExits::Any;
    assert_eq!(run_all(&tasks).finished.len(), 3);
    tasks[1].allowed = AllowedExits::Codes(vec![15]);
    assert_eq!(run_all(&tasks).stopped, Some(StopReason::Failed { index: 1 }));
}

pub(crate) fn what_cannot_start_says_what_stood_in_the_way() {
    let path = Some(OsStr::new("/bin:/usr/bin"));
    let resolve = |name: &str| resolve_program(OsStr::new(name), None, path);
    assert!(matches!(resolve("no-such-program"), Err(StartError::NotInPath { .. })));
    assert!(matches!(resolve("/no/such/file"), Err(StartError::NotFound { .. })));
    assert!(matches!(resolve("/bin/"), Err(StartError::IsDirectory { .. })));
    assert!(matches!(resolve("/etc/passwd"), Err(StartError::NotExecutable { .. })));

    let mut task = program(&["true"]);
    let stopped = |task| run_all(&[program(&["true"]), task]).stopped;
    let refusal = |obstacle, errno| Some(StopReason::CannotStart { index: 1, obstacle, errno });
    task.command.program = "/no/such/file".into();
    assert_eq!(stopped(task.clone()), refusal(Obstacle::Program, libc::ENOENT));
    task.command.program = "/etc/passwd".into();
    assert_eq!(stopped(task.clone()), refusal(Obstacle::Program, libc::EACCES));
    task.command.cwd = Some("/no/such/directory".into());
    assert_eq!(stopped(task.clone()), refusal(Obstacle::Directory, libc::ENOENT));
    task.command.stdout = Stdout::File("/no/such/directory/out".into());
    assert_eq!(stopped(task.clone()), refusal(Obstacle::Stdout, libc::ENOENT));
    task.command.stdin = Stdin::File("/no/such/file".into());
    assert_eq!(stopped(task), refusal(Obstacle::Stdin, libc::ENOENT));
}

pub(crate) fn a_timeout_ends_the_whole_process_group() {
    let scratch = Scratch::new("timeout");
    let pids = scratch.path("pids");
    let text =
        "echo $$ > P; sleep 1000 & echo $! >> P; (setsid sleep 1000 & echo $! >> P); sleep 1000";
    let mut task = script(&text.replace('P', pids.to_str().expect("text")));
    task.timeout = Some(Duration::from_millis(300));
    let watch = Stopwatch::start();
    let run = run(&task);
    assert_eq!(run.outcome, Outcome::TimedOut);
    assert!(run.raw.wall.as_seconds() >= 0.3);
    assert!(watch.elapsed() < Duration::from_secs(30));
    let pids = words(&pids);
    assert_eq!(pids.len(), 3);
    assert!(!pids.iter().any(|pid| is_alive(pid)), "{pids:?}");
}

pub(crate) fn a_timeout_ends_a_program_that_ignores_sigterm() {
    let mut task = script("trap '' TERM; while :; do sleep 1; done");
    task.timeout = Some(Duration::from_millis(100));
    assert_eq!(run(&task).outcome, Outcome::TimedOut);
}

pub(crate) fn children_left_behind_are_ended_and_counted() {
    let scratch = Scratch::new("left-behind");
    let pids = scratch.path("pids");
    let text = "sleep 1000 & echo $! >> P; setsid sh -c 'echo $$ >> P; sleep 1000; true' & \
                until [ $(wc -l < P) = 2 ]; do sleep 0.01; done; sleep 0.1; exit 5";
    let task = script(&text.replace('P', pids.to_str().expect("text")));
    let slice = run_all(&[task, program(&["true"])]);
    assert_eq!(slice.finished[0].outcome, Outcome::Exited(5));
    // The first sleep, the shell that escaped, and its sleep.
    assert_eq!(slice.finished[0].left_behind, 3);
    assert_eq!(slice.finished[1].left_behind, 0);
    let pids = words(&pids);
    assert!(pids.len() == 2 && !pids.iter().any(|pid| is_alive(pid)), "{pids:?}");
}

pub(crate) fn children_that_ended_by_themselves_are_not_left_behind() {
    assert_eq!(run(&script("(sleep 0.05 &) ; sleep 0.5")).left_behind, 0);
}

pub(crate) fn children_that_end_a_moment_later_are_not_left_behind() {
    assert_eq!(run(&script("sleep 0.3; sleep 0.02 &")).left_behind, 0);
}

pub(crate) fn a_command_that_discards_its_children_is_told() {
    let discarding = "exec env --ignore-signal=CHLD sleep 0.02";
    for (text, discards) in [(discarding, true), ("sleep 0.02", false)] {
        assert_eq!(run(&script(text)).discards_children, discards, "{text}");
        assert_eq!(run(&copies(text, 2)).discards_children, discards, "{text}");
    }
}

pub(crate) fn abort_ends_the_run_and_keeps_finished_ones() {
    let scratch = Scratch::new("abort");
    let started = scratch.path("started");
    let endless = script(&format!("echo $$ > {}; sleep 1000", started.display()));
    let tasks = [program(&["true"]), program(&["true"]), endless, program(&["true"])];
    let mut launcher = Launcher::start().expect("fork works");
    let slice = launcher.execute(&tasks, None, &mut || {
        if words(&started).is_empty() { Wake::Continue } else { Wake::Abort }
    });
    let slice = slice.expect("the launcher lives");
    assert_eq!(slice.stopped, Some(StopReason::Aborted));
    assert_eq!(slice.finished.len(), 2);
    assert!(!is_alive(&words(&started)[0]));
    // The launcher still works.
    assert_eq!(execute(&mut launcher, &tasks[..2], None).finished.len(), 2);
}

pub(crate) fn a_signal_wakes_the_wait_at_once() {
    interrupt::install().expect("signals can be handled");
    assert!(!interrupt::requested());
    let mut launcher = Launcher::start().expect("fork works");
    // By then the caller is polled only once a second.
    let kill = format!("sleep 2.3; kill -INT {}; sleep 1000", std::process::id());
    let (mut calls_before, waiting) = (0, Stopwatch::start());
    let slice = launcher.execute(&[script(&kill)], None, &mut || {
        if interrupt::requested() {
            return Wake::Abort;
        }
        calls_before += 1;
        Wake::Continue
    });
    assert_eq!(slice.expect("the launcher lives").stopped, Some(StopReason::Aborted));
    assert_eq!(interrupt::requests(), 1);
    // Ten in the first second, and then one a second, however slow the shell was.
    let most = 11 + waiting.elapsed().as_secs();
    assert!((2..=most).contains(&calls_before), "called {calls_before} times, not {most}");
}

/// By the shell: as a program, `kill` is in a separate package.
pub(crate) fn kill(pid: &str) -> Tool {
    Tool::new("sh").args(["-c", "kill -9 $0", pid])
}

pub(crate) fn a_launcher_that_dies_is_reported_as_such() {
    let scratch = Scratch::new("dies");
    let started = scratch.path("started");
    let mut launcher = Launcher::start().expect("fork works");
    let pid = launcher.pid().to_string();
    let task = script(&format!("echo $$ > {}; sleep 5", started.display()));
    let died = launcher.execute(std::slice::from_ref(&task), None, &mut || {
        if !words(&started).is_empty() {
            output(&kill(&pid)).expect("the shell runs");
        }
        Wake::Continue
    });
    let error = died.expect_err("a dead launcher runs nothing");
    assert!(matches!(error, LauncherError::Died { outcome: Outcome::Signalled(9), .. }));
    assert_eq!(
        error.to_string(),
        format!("the launcher process {pid} died: it was ended by signal 9")
    );
    let again = launcher.execute(&[task], None, &mut || Wake::Continue);
    assert!(matches!(again, Err(LauncherError::Died { .. })));
    let command = &words(&started)[0];
    eventually("the command has ended", || !is_alive(command));
    launcher.revive().expect("fork works");
    assert_eq!(execute(&mut launcher, &[program(&["true"])], None).finished.len(), 1);
}

pub(crate) fn a_launcher_that_dies_takes_all_that_it_ran_along() {
    let scratch = Scratch::new("takes-along");
    let pids = scratch.path("pids");
    let text = "echo $$ > P; sleep 1000 & echo $! >> P; setsid sh -c 'echo $$ >> P; sleep 1000' & \
                until [ $(wc -l < P) = 3 ]; do sleep 0.01; done; echo all >> P; sleep 1000";
    let task = script(&text.replace('P', pids.to_str().expect("text")));
    let mut launcher = Launcher::start().expect("fork works");
    let pid = launcher.pid().to_string();
    let died = launcher.execute(&[task], None, &mut || {
        if words(&pids).last().is_some_and(|word| word == "all") {
            output(&kill(&pid)).expect("the shell runs");
        }
        Wake::Continue
    });
    assert!(matches!(died, Err(LauncherError::Died { .. })), "{died:?}");
    eventually("all have ended", || words(&pids)[..3].iter().all(|pid| !is_alive(pid)));
}

/// With unwinding and aborting panics: values of this process are not dropped in the launcher, and
/// no code after the panic runs there.
pub(crate) fn a_launcher_that_panics_ends_there_and_is_reported() {
    struct Trace(std::path::PathBuf);
    impl Drop for Trace {
        fn drop(&mut self) {
            std::fs::write(&self.0, std::process::id().to_string()).expect("writable");
        }
    }
    let scratch = Scratch::new("panics");
    let dropped = scratch.path("dropped");
    let trace = Trace(dropped.clone());
    let launcher = Launcher::start_as(|_, _| panic!("this is what the check is about"));
    let mut launcher = launcher.expect("fork works");
    let error = launcher.execute(&[program(&["true"])], None, &mut || Wake::Continue);
    let error = error.expect_err("a dead launcher runs nothing");
    assert!(matches!(error, LauncherError::Died { outcome: Outcome::Exited(71), .. }), "{error}");
    assert!(!dropped.exists());
    drop(trace);
    assert_eq!(words(&dropped), [std::process::id().to_string()]);
}

pub(crate) fn the_launcher_outlives_signals_to_everybody() {
    let mut launcher = Launcher::start().expect("fork works");
    let signals = "for signal in INT TERM HUP XFSZ; do kill -$signal $PPID; done; sleep 0.1";
    let slice = execute(&mut launcher, &[script(signals)], None);
    assert_eq!(slice.stopped, None);
    // Programs do not inherit its signal protection.
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("XFSZ", 25)] {
        let slice = execute(&mut launcher, &[script(&format!("kill -{signal} $$"))], None);
        assert_eq!(slice.finished[0].outcome, Outcome::Signalled(number));
    }
}

pub(crate) fn a_program_that_is_asked_to_end_with_us_did_not_fail() {
    for how in ["kill -TERM $$", "exit 143"] {
        let scratch = Scratch::new("with-us");
        let (started, path) = (scratch.path("started"), scratch.path("journal"));
        let task = script(&format!("echo x > {}; {how}", started.display()));
        let journal = File::create(&path).expect("writable");
        let mut launcher = Launcher::start().expect("fork works");
        let slice = launcher.execute(&[task], Some(&journal), &mut || {
            if words(&started).is_empty() { Wake::Continue } else { Wake::Abort }
        });
        let slice = slice.expect("the launcher lives");
        assert_eq!((slice.finished.len(), slice.stopped), (0, Some(StopReason::Aborted)));
        assert_eq!(std::fs::read(&path).expect("it is there"), b"");
    }
}

pub(crate) fn a_program_that_stops_the_launcher_is_noticed() {
    let mut launcher = Launcher::start().expect("fork works");
    let tasks = [program(&["true"]), script("kill -STOP $PPID"), program(&["true"])];
    let slice = execute(&mut launcher, &tasks, None);
    assert_eq!(slice.stopped, Some(StopReason::Disturbed { index: 1 }));
    assert_eq!(slice.finished.len(), 1);
    assert_eq!(execute(&mut launcher, &tasks[..1], None).stopped, None);
}

pub(crate) fn a_launcher_that_is_stopped_again_and_again_can_be_aborted() {
    let scratch = Scratch::new("again-and-again");
    let started = scratch.path("started");
    let text = "trap '' TERM; echo $$ > P; while :; do kill -STOP $PPID; done";
    let task = script(&text.replace('P', started.to_str().expect("text")));
    let mut launcher = Launcher::start().expect("fork works");
    let ended = launcher.execute(&[task], None, &mut || {
        if words(&started).is_empty() { Wake::Continue } else { Wake::Abort }
    });
    match ended {
        Ok(slice) => assert_eq!(slice.stopped, Some(StopReason::Aborted)),
        Err(error) => assert!(matches!(error, LauncherError::Silent { .. }), "{error}"),
    }
    eventually("the command has ended", || !is_alive(&words(&started)[0]));
}
