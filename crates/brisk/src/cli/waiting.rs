//! Waiting for a store that cannot be written now: what is to be stored is kept here meanwhile.

use std::thread::sleep;
use std::time::Duration;

use measure::clock::Stopwatch;
use measure::interrupt;
use page::plain::plain;

use super::output::note;
use crate::failure::{Failure, FailureKind};

/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(500);

/// Tries to store something until it succeeds, fails in a way that waiting does not mend, or `most`
/// has passed. That it waits is said once.
///
/// # Errors
///
/// As `store`; when it is interrupted, that it was.
pub(super) fn insist<T>(
    most: Option<Duration>,
    mut store: impl FnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let watch = Stopwatch::start();
    let mut is_told = false;
    loop {
        let failure = match store() {
            Err(failure) if failure.kind() == FailureKind::Passing => failure,
            stored => {
                if is_told && stored.is_ok() {
                    note("the store can be written again");
                }
                return stored;
            }
        };
        if interrupt::requested() {
            return Err(failure.within("interrupted while waiting for the store"));
        }
        if most.is_some_and(|most| watch.elapsed() >= most) {
            return Err(failure);
        }
        if !std::mem::replace(&mut is_told, true) {
            let why = failure.in_one_line();
            note(&plain(&format!("{why}: waiting for it; what was measured is kept here")));
        }
        sleep(PAUSE);
    }
}
