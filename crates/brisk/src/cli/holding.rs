//! Holds the machine while something is measured, and shares it while something is built; waits are
//! shown.

use std::sync::atomic::{AtomicBool, Ordering};

use measure::hold::{Hold, Kind};
use page::plain::plain;

use super::display::Display;
use super::output::note;
use super::progress::show_wait;
use crate::cli::options::HoldOptions;
use ::laboratory::machine::{self, Turns, Unheld};
use model::failure::Failure;

/// Holds the machine exclusively, for measuring. None if holding is turned off or impossible; the
/// latter is reported once.
pub(super) fn measuring(options: HoldOptions) -> Result<Option<Hold>, Failure> {
    let held = beside_work(held(Kind::Exclusive, options))?;
    if let Some(held) = held.as_ref().filter(|held| held.kind() == Kind::Shared) {
        debug_assert!(held.is_inherited(), "what is ours is as we wanted it");
        once("measures beside others, because the `brisk hold --shared` around it lets them in");
    }
    Ok(held)
}

/// Shares the machine with others who build, but do not measure.
pub(super) fn building(options: HoldOptions) -> Result<Option<Hold>, Failure> {
    beside_work(held(Kind::Shared, options))
}

/// Lets work proceed if the machine cannot be held, with a note.
fn beside_work(held: Result<Option<Hold>, Unheld>) -> Result<Option<Hold>, Failure> {
    match held {
        Ok(held) => Ok(held),
        Err(Unheld::Impossible(failure)) => {
            let why = failure.causes().join(": ");
            once(&format!("{}, so nothing keeps others from measuring: {why}", failure.error()));
            Ok(None)
        }
        Err(Unheld::Ended(failure)) => Err(failure),
    }
}

/// Holds the machine, waiting for others if necessary. None if holding is turned off.
pub(super) fn held(kind: Kind, options: HoldOptions) -> Result<Option<Hold>, Unheld> {
    let mut waiting: Option<Display> = None;
    let outcome = machine::held(kind, options.no_wait, &mut |wait| {
        let display = waiting.get_or_insert_with(|| {
            note(&format!("waiting for {}", (wait.for_whom)()));
            Display::new(0, true)
        });
        show_wait(wait, display);
    });
    if let Some(display) = waiting {
        display.clear();
    }
    outcome
}

/// Holds the machine for measuring, in turns with waiting processes.
pub(super) fn turns(options: HoldOptions) -> Result<Turns, Failure> {
    Ok(Turns::new(measuring(options)?, options.no_wait))
}

/// Prints a note at most once per process.
fn once(text: &str) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::SeqCst) {
        note(&plain(text));
    }
}
