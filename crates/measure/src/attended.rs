//! A program run as if we were not there: with our streams, environment and process group.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::Command;

use crate::interrupt;
use crate::sys::descriptors::{Watch, poll};
use crate::sys::process::{open_pidfd, signal_process};
use crate::task::Outcome;

/// Runs a program to its end. With [`interrupt::install`] before it, signals that ask us to stop are
/// passed on instead of ending us, so that we always know how it ended.
///
/// # Errors
///
/// When it cannot be started or waited for.
pub fn run(program: &Path, name: &OsStr, args: &[OsString]) -> io::Result<Outcome> {
    #[expect(clippy::disallowed_methods, reason = "this crate is where programs are started")]
    let mut command = Command::new(program);
    command.arg0(name).args(args);
    let mut child = command.spawn()?;
    let pid = child.id().try_into().expect("the kernel's process ids are ints");
    let end = open_pidfd(pid)?;
    let signals = interrupt::wake_fd().map_or(Watch::nothing(), Watch::readable);
    let mut watches = [Watch::readable(end.as_raw_fd()), signals];
    loop {
        poll(&mut watches, None)?;
        if watches[0].is_ready() {
            break;
        }
        if watches[1].is_ready() {
            interrupt::quiet();
            let signal = interrupt::newest();
            // A terminal's Ctrl-C goes to the whole group, and so to the program.
            if signal != libc::SIGINT || !has_terminal() {
                signal_process(pid, signal);
            }
        }
    }
    let status = child.wait()?;
    Ok(match (status.code(), status.signal()) {
        (Some(code), _) => Outcome::Exited(code),
        (None, signal) => Outcome::Signalled(signal.unwrap_or_default()),
    })
}

fn has_terminal() -> bool {
    io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal()
}
