//! A program run as if we were not there: with our streams, environment and process group.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::interrupt;
use crate::sys::descriptors::{Watch, poll};
use crate::sys::process::{end_with_parent, open_pidfd, signal_process};
use crate::task::Outcome;

/// Runs a program to its end. With [`interrupt::install`] before it, signals that ask us to stop are
/// passed on instead of ending us, so that we always know how it ended.
///
/// # Errors
///
/// When it cannot be started or waited for.
pub fn run(program: &Path, name: &OsStr, args: &[OsString]) -> io::Result<Outcome> {
    let mut command = command(program);
    command.arg0(name).args(args);
    attend(command, None)
}

/// The same, while `is_wanted` says so: it is asked every so often, and where it says no, the program
/// is asked to end. The program is also asked to end when we die.
///
/// # Errors
///
/// When it cannot be started or waited for.
pub fn run_while(
    program: &Path,
    args: &[OsString],
    every: Duration,
    is_wanted: &mut dyn FnMut() -> bool,
) -> io::Result<Outcome> {
    let mut command = command(program);
    command.args(args);
    end_with_parent(&mut command);
    attend(command, Some((every, is_wanted)))
}

#[expect(clippy::disallowed_methods, reason = "this crate is where programs are started")]
fn command(program: &Path) -> Command {
    Command::new(program)
}

/// How often somebody asks whether a program is still wanted, and who.
type Asking<'a> = Option<(Duration, &'a mut dyn FnMut() -> bool)>;

fn attend(mut command: Command, mut asking: Asking<'_>) -> io::Result<Outcome> {
    let mut child = command.spawn()?;
    let pid = child.id().try_into().expect("the kernel's process ids are ints");
    let end = open_pidfd(pid)?;
    let signals = interrupt::wake_fd().map_or(Watch::nothing(), Watch::readable);
    let mut watches = [Watch::readable(end.as_raw_fd()), signals];
    loop {
        poll(&mut watches, asking.as_ref().map(|(every, _)| *every))?;
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
        } else if asking.as_mut().is_some_and(|(_, is_wanted)| !is_wanted()) {
            signal_process(pid, libc::SIGTERM);
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
