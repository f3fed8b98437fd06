//! `brisk hold`: a command with the machine to itself.

use std::ffi::OsString;

use clap::Args;
use configuration::HoldOptions;
use laboratory::machine::{self, Unheld};
use laboratory::watcher::{Event, Wait, Watcher};
use measure::hold::Kind;
use measure::tool::attended;
use measure::{Outcome, resolve_program};
use model::failure::Failing;

use super::output::{Output, note};
use super::watching::Terminal;
use super::{Done, ExitCode};

/// Arguments of `brisk hold`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  brisk hold -- make bench
  brisk hold --shared -- make -j8

The exit status is that of the command.")]
pub(super) struct HoldArguments {
    /// Share the machine with others who do: only those who measure stay out
    #[arg(long)]
    shared: bool,
    #[command(flatten)]
    hold: HoldOptions,
    /// The command, which is started without a shell
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// Holds the machine while the command runs.
pub(super) fn run(arguments: &HoldArguments, output: &Output) -> Done {
    let (name, args) = arguments.command.split_first().expect("clap wants one");
    let program = resolve_program(name, None, std::env::var_os("PATH").as_deref())?;
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;
    let kind = if arguments.shared { Kind::Shared } else { Kind::Exclusive };
    let mut terminal = Terminal::unless(false, output);
    let mut wait = |wait: &Wait<'_>| terminal.on(Event::Waiting(*wait));
    let held = machine::held(kind, arguments.hold.no_wait, &mut wait);
    drop(terminal);
    let held = match held {
        Ok(held) => held,
        Err(Unheld::Impossible(failure) | Unheld::Ended(failure)) => return Err(failure),
    };
    match &held {
        None => note("the lock is turned off: nothing keeps others from measuring"),
        Some(held) if held.kind() != kind && kind == Kind::Exclusive => {
            note("a `brisk hold --shared` around this one lets others in");
        }
        Some(_) => {}
    }
    let outcome =
        attended(&program, name, args).failing(format!("cannot run `{}`", program.display()))?;
    drop(held);
    Ok(ExitCode::Command(match outcome {
        Outcome::Exited(code) => u8::try_from(code).unwrap_or(u8::MAX),
        Outcome::Signalled(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        Outcome::TimedOut => unreachable!("nobody limits its time"),
    }))
}
