//! A program run with brisk's streams, environment and process group, as if started directly.

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

/// Runs a program to its end. After [`interrupt::install`], signals that ask brisk to stop are
/// passed on instead of ending it, so the outcome is always known.
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
            // A terminal's Ctrl-C goes to the whole group, and so reaches the program anyway.
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
