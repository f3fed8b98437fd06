//! Shared helpers of the checks: short constructors of tasks.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::clock::Stopwatch;
use measure::{
    AllowedExits, Awaits, CommandLine, FinishedRun, Launcher, Reads, Slice, Stdin, Stdout, Task,
    Wake, resolve_program,
};

/// A shell loop that takes a while, using only the CPU.
pub(crate) const BUSY: &str = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";

/// A task that runs this program.
pub(crate) fn program(argv: &[&str]) -> Task {
    let path = std::env::var_os("PATH");
    let file = resolve_program(OsStr::new(argv[0]), None, path.as_deref());
    Task {
        tag: 7,
        command: CommandLine {
            argv: argv.iter().map(Into::into).collect(),
            program: file.expect("a program that every Linux has"),
            env: Vec::new(),
            cwd: None,
            stdin: Stdin::Null,
            stdout: Stdout::Null,
        },
        copies: Vec::new(),
        timeout: Some(Duration::from_secs(60)),
        awaits: Awaits::Command,
        environment_padding_bytes: 0,
        read: Reads::default(),
        stderr_kept_bytes: measure::STDERR_KEPT_BYTES,
        timed: true,
        allowed: AllowedExits::Any,
    }
}

/// A task that runs this script.
pub(crate) fn script(text: &str) -> Task {
    program(&["/bin/sh", "-c", text])
}

/// A task that runs this very program in one of the roles of `helper`.
pub(crate) fn helper(role: &str) -> Task {
    let own = std::env::current_exe().expect("Linux knows");
    let mut task = program(&[own.to_str().expect("a path that is text")]);
    task.command.env.push((crate::helper::ROLE.into(), Some(role.into())));
    task
}

/// Runs tasks with a separate launcher.
pub(crate) fn run_all(tasks: &[Task]) -> Slice {
    let mut launcher = Launcher::start().expect("fork works");
    execute(&mut launcher, tasks, None)
}

/// Runs one task, which must finish, with a separate launcher.
pub(crate) fn run(task: &Task) -> FinishedRun {
    let slice = run_all(std::slice::from_ref(task));
    assert_eq!(slice.stopped, None);
    slice.finished.into_iter().next().expect("a slice that was not stopped has run its task")
}

/// Runs tasks without interference.
pub(crate) fn execute(launcher: &mut Launcher, tasks: &[Task], journal: Option<&File>) -> Slice {
    launcher.execute(tasks, journal, &mut || Wake::Continue).expect("the launcher lives")
}

/// A directory for one check, removed with its contents at the end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("brisk-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).expect("writable");
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Waits until a condition becomes true; panics if it does not.
pub(crate) fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let waiting = Stopwatch::start();
    while !condition() {
        assert!(waiting.elapsed() < Duration::from_secs(30), "still not: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// True if a process still runs, excluding zombies.
pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z ") && !stat.contains(") X "))
}

/// The words of a file; empty if the file does not exist.
pub(crate) fn words(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}
