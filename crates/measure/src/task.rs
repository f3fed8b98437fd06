//! The description of a run: a command line, and the readings to take.
//!
//! Nothing is started here. A [`Task`] is made by the planning side, travels to the launcher as
//! bytes, and runs there.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::wire::{Item, Malformed, Reader, Wire, wire_enum, wire_struct};

/// The variable that pads the environment, so that the program's stack starts elsewhere: the size
/// of the environment alone has moved results by more than the effects under study (Mytkowicz et
/// al., "Producing wrong data without doing anything obviously wrong!", ASPLOS 2009).
pub const PADDING_VARIABLE: &str = "BRISK_RANDOMIZED_ENVIRONMENT_OFFSET";

/// A program with everything that determines its behaviour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// The arguments; the first is the program's name for itself.
    pub argv: Vec<OsString>,
    /// The file to run, as found by [`crate::resolve_program`].
    pub program: PathBuf,
    /// Changes to the inherited environment; `None` removes the variable.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// Its working directory; `None` for the launcher's at its start.
    pub cwd: Option<PathBuf>,
    /// Its standard input.
    pub stdin: Stdin,
    /// Its standard output. Its standard error is always a pipe.
    pub stdout: Stdout,
}

/// The default number of bytes kept of the end of standard error: enough to explain a failure.
pub const STDERR_KEPT_BYTES: u32 = 8 * 1024;

/// The most copies of a command that run at once: each takes a descriptor of the launcher, whose
/// usual limit is 1024.
pub const MOST_COPIES: usize = 512;

/// The source of a program's standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing: `/dev/null`.
    Null,
    /// This file, opened anew for every run.
    File(PathBuf),
    /// This process's standard input. A terminal stops a program that reads it, because commands
    /// run in the background of the terminal; the program is then ended.
    Inherit,
}

/// The destination of a program's standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stdout {
    /// `/dev/null`. Programs can detect this, and some then skip their work (GNU grep does).
    Null,
    /// A pipe that is read and discarded, except for its last 8 KiB.
    Discard,
    /// This file, truncated before every run.
    File(PathBuf),
    /// This process's standard output.
    Inherit,
}

/// The optional readings of a run. They are optional because they disturb it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reads {
    /// Hardware counters.
    pub counters: bool,
    /// Peak memory of the whole process tree, by a separate cgroup.
    pub tree_memory: bool,
    /// Resident memory of the whole process tree while it runs.
    pub memory_over_time: bool,
    /// The beginning of its stack.
    pub stack_start: bool,
    /// The energy of the processor packages.
    pub energy: bool,
}

/// The outcomes after which the following tasks still run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AllowedExits {
    /// Exit code 0.
    Zero,
    /// Any code, a signal or a timeout.
    Any,
    /// These exit codes.
    Codes(Vec<i32>),
}

/// The end of a run's wall time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Awaits {
    /// The end of the command.
    #[default]
    Command,
    /// The end of the last process that it started, so that work left to the background counts.
    /// Those that remain for long are killed all the same; see [`crate::FinishedRun::left_behind`].
    AllProcesses,
}

/// A run to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The caller's identifier for the run; returned in [`crate::FinishedRun::tag`].
    pub tag: u64,
    /// The command.
    pub command: CommandLine,
    /// Further copies, started at the same moment in place of `command`; at most [`MOST_COPIES`].
    /// If empty, the command runs alone.
    pub copies: Vec<CommandLine>,
    /// The time limit; `None` for no limit.
    pub timeout: Option<Duration>,
    /// The end of its wall time, if it runs alone.
    pub awaits: Awaits,
    /// Length of the value of [`PADDING_VARIABLE`]; 0 removes the variable.
    pub environment_padding_bytes: u16,
    /// Optional readings.
    pub read: Reads,
    /// The number of bytes kept of the end of its standard error.
    pub stderr_kept_bytes: u32,
    /// Set for measurements; preparations are untimed, and stay out of the journal.
    pub timed: bool,
    /// The outcomes after which the slice continues.
    pub allowed: AllowedExits,
}

/// The outcome of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It exited with this code.
    Exited(i32),
    /// It was ended by this signal.
    Signalled(i32),
    /// It exceeded its timeout and was ended.
    TimedOut,
}

impl Outcome {
    /// True if it was stopped by the terminal, and then ended: these signals do not end programs by
    /// themselves.
    pub fn is_by_terminal(self) -> bool {
        matches!(self, Self::Signalled(libc::SIGTTIN | libc::SIGTTOU))
    }

    /// True if this is the effect of SIGINT, SIGTERM or SIGHUP, either directly or as reported by a
    /// shell for a program that it started.
    pub(crate) fn was_asked_to_end(self) -> bool {
        let asks = |signal| matches!(signal, libc::SIGINT | libc::SIGTERM | libc::SIGHUP);
        match self {
            Self::Signalled(signal) => asks(signal),
            Self::Exited(code) => asks(code - 128),
            Self::TimedOut => false,
        }
    }
}

/// `exited with status 2`, `was ended by signal 9 (SIGKILL)`, `ran longer than its time limit`,
/// `asked on the terminal (SIGTTIN), and was ended`.
impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Signalled(signal) if self.is_by_terminal() => {
                let name = signal_name(signal).unwrap_or_default();
                write!(out, "asked on the terminal ({name}), and was ended")
            }
            Self::Exited(code) => write!(out, "exited with status {code}"),
            Self::Signalled(signal) => match signal_name(signal) {
                Some(name) => write!(out, "was ended by signal {signal} ({name})"),
                None => write!(out, "was ended by signal {signal}"),
            },
            Self::TimedOut => out.write_str("ran longer than its time limit"),
        }
    }
}

/// The signals that end programs, by their numbers on Linux (signal(7)).
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        21 => "SIGTTIN",
        22 => "SIGTTOU",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return None,
    })
}

impl AllowedExits {
    /// True if a run with this outcome does not stop the slice.
    pub fn permits(&self, outcome: Outcome) -> bool {
        match (self, outcome) {
            (Self::Any, _) => !outcome.is_by_terminal(),
            (Self::Zero, Outcome::Exited(code)) => code == 0,
            (Self::Codes(codes), Outcome::Exited(code)) => codes.contains(&code),
            (_, Outcome::Signalled(_) | Outcome::TimedOut) => false,
        }
    }
}

impl Wire for Outcome {
    fn encode(&self, out: &mut Vec<u8>) {
        let (kind, number) = match *self {
            Self::Exited(code) => (0, code),
            Self::Signalled(signal) => (1, signal),
            Self::TimedOut => (2, 0),
        };
        out.push(kind);
        number.encode(out);
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        match Wire::decode(from)? {
            (0_u8, code) => Ok(Self::Exited(code)),
            (1, signal) => Ok(Self::Signalled(signal)),
            (2, _) => Ok(Self::TimedOut),
            _ => Err(Malformed),
        }
    }
}

wire_struct!(Task {
    tag,
    command,
    copies,
    timeout,
    awaits,
    environment_padding_bytes,
    read,
    stderr_kept_bytes,
    timed,
    allowed,
});
wire_struct!(Reads { counters, tree_memory, memory_over_time, stack_start, energy });
wire_struct!(CommandLine { argv, program, env, cwd, stdin, stdout });
wire_enum!(AllowedExits { 0 = Zero, 1 = Any, 2 = Codes(codes) });
wire_enum!(Awaits { 0 = Command, 1 = AllProcesses });
wire_enum!(Stdin { 0 = Null, 1 = File(path), 2 = Inherit });
wire_enum!(Stdout { 0 = Null, 1 = File(path), 2 = Inherit, 3 = Discard });

impl Item for CommandLine {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn command() -> impl Strategy<Value = CommandLine> {
        let text = || ".*".prop_map(OsString::from);
        let path = || ".*".prop_map(PathBuf::from);
        let stdin =
            prop_oneof![Just(Stdin::Null), path().prop_map(Stdin::File), Just(Stdin::Inherit)];
        let stdout = prop_oneof![
            Just(Stdout::Null),
            Just(Stdout::Discard),
            path().prop_map(Stdout::File),
            Just(Stdout::Inherit)
        ];
        (
            prop::collection::vec(text(), 0..4),
            path(),
            prop::collection::vec((text(), prop::option::of(text())), 0..4),
            prop::option::of(path()),
            stdin,
            stdout,
        )
            .prop_map(|(argv, program, env, cwd, stdin, stdout)| CommandLine {
                argv,
                program,
                env,
                cwd,
                stdin,
                stdout,
            })
    }

    fn task() -> impl Strategy<Value = Task> {
        let allowed = prop_oneof![
            Just(AllowedExits::Zero),
            Just(AllowedExits::Any),
            prop::collection::vec(any::<i32>(), 0..4).prop_map(AllowedExits::Codes)
        ];
        let timeout = prop::option::of(any::<u64>().prop_map(Duration::from_nanos));
        let copies = prop::collection::vec(command(), 0..3);
        let awaits = prop_oneof![Just(Awaits::Command), Just(Awaits::AllProcesses)];
        let limits = (timeout, awaits);
        (any::<(u64, u16, [bool; 5], bool, u32)>(), command(), copies, limits, allowed).prop_map(
            |((tag, padding, reads, timed, kept), command, copies, limits, allowed)| {
                let (timeout, awaits) = limits;
                let [counters, tree_memory, memory_over_time, stack_start, energy] = reads;
                Task {
                    tag,
                    command,
                    copies,
                    timeout,
                    awaits,
                    environment_padding_bytes: padding,
                    read: Reads { counters, tree_memory, memory_over_time, stack_start, energy },
                    stderr_kept_bytes: kept,
                    timed,
                    allowed,
                }
            },
        )
    }

    proptest! {
        #[test]
        fn a_task_arrives_as_it_was_sent(task in task()) {
            let mut bytes = Vec::new();
            task.encode(&mut bytes);
            let mut reader = Reader::new(bytes.as_slice());
            prop_assert_eq!(Task::decode(&mut reader), Ok(task));
            prop_assert!(reader.is_empty());
        }
    }

    #[test]
    fn only_any_permits_signals_and_timeouts() {
        let codes = AllowedExits::Codes(vec![0, 2]);
        assert!(codes.permits(Outcome::Exited(2)) && !codes.permits(Outcome::Exited(1)));
        assert!(AllowedExits::Zero.permits(Outcome::Exited(0)));
        assert!(!AllowedExits::Any.permits(Outcome::Signalled(libc::SIGTTIN)));
        for outcome in [Outcome::Signalled(2), Outcome::TimedOut] {
            assert!(AllowedExits::Any.permits(outcome));
            assert!(!AllowedExits::Zero.permits(outcome) && !codes.permits(outcome));
        }
    }
}
