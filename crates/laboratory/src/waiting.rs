//! Retries a write to an unavailable store; the data is kept in memory meanwhile.

use std::thread::sleep;
use std::time::Duration;

use crate::watcher::{Event, Watcher};
use measure::clock::Stopwatch;
use measure::interrupt;
use model::failure::{Failure, FailureKind};

/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(500);

/// Retries `store` until it succeeds, fails permanently, or `most` has passed. The wait is noted
/// once.
///
/// # Errors
///
/// As `store`; or an interruption of the wait.
pub fn insist<T>(
    most: Option<Duration>,
    watcher: &mut dyn Watcher,
    mut store: impl FnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let watch = Stopwatch::start();
    let mut is_told = false;
    loop {
        let failure = match store() {
            Err(failure) if failure.kind() == FailureKind::Passing => failure,
            stored => {
                if is_told && stored.is_ok() {
                    watcher.on(Event::Note("the store can be written again"));
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
            let text = format!("{why}: waiting for it; what was measured is kept here");
            watcher.on(Event::Note(&text));
        }
        sleep(PAUSE);
    }
}
