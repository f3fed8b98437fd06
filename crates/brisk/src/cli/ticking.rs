//! Progress of what tells nothing while it goes on: a thread beside it shows that time passes.

use std::cell::RefCell;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use measure::clock::Stopwatch;

use super::display::{self, Display};
use crate::forecast::Left;
use crate::report::quantity::duration;

/// How often the clock ticks.
const TICK: Duration = Duration::from_secs(1);

/// What is shown, of the seconds for which there has been anything to show.
type Message = Box<dyn Fn(f64) -> String + Send>;

/// A display whose clock ticks. It is taken away when this is dropped.
pub(super) struct Ticking {
    messages: Option<Sender<(u64, Message)>>,
    shower: Option<JoinHandle<()>>,
}

impl Ticking {
    /// On standard error, where it is wanted, for something that takes so many steps.
    pub(super) fn new(steps: u64, wanted: bool) -> Self {
        if !wanted {
            return Self { messages: None, shower: None };
        }
        let (messages, arriving) = channel::<(u64, Message)>();
        let shower = thread::spawn(move || {
            let mut display = Display::new(steps, true);
            let mut shown: Option<(u64, Message)> = None;
            loop {
                match arriving.recv_timeout(TICK) {
                    Ok(next) => shown = Some(next),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                let seconds = display.elapsed_seconds();
                if let Some((done, message)) = &shown {
                    display.show(*done, || message(seconds));
                }
            }
            display.clear();
        });
        Self { messages: Some(messages), shower: Some(shower) }
    }

    /// So many steps are done; `message` is what is shown from now on.
    pub(super) fn show(&self, done: u64, message: impl Fn(f64) -> String + Send + 'static) {
        if let Some(messages) = &self.messages {
            // The thread listens until we are dropped.
            let _ = messages.send((done, Box::new(message)));
        }
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        drop(self.messages.take());
        if let Some(shower) = self.shower.take() {
            let _ = shower.join();
        }
    }
}

/// Shows which stage of several goes on and for how long, and how long the rest takes where the same
/// stages were gone through before.
pub(super) struct Stages {
    ticking: Ticking,
    /// How many there are, without repetitions.
    each: usize,
    repetitions: usize,
    /// Those that were begun.
    begun: RefCell<Vec<Stopwatch>>,
}

impl Stages {
    /// For something that goes through so many stages, so many times.
    pub(super) fn new(each: usize, repetitions: usize, wanted: bool) -> Self {
        let ticking = Ticking::new((each * repetitions) as u64, wanted);
        Self { ticking, each, repetitions, begun: RefCell::default() }
    }

    /// The next one begins.
    pub(super) fn begin(&self, what: &str) {
        let mut begun = self.begun.borrow_mut();
        let now: Vec<f64> = begun.iter().map(|watch| watch.elapsed().as_secs_f64()).collect();
        begun.push(Stopwatch::start());
        let (number, all) = (now.len(), self.each * self.repetitions);
        // How long each stage took is how long ago it began, less the same of the next.
        let took: Vec<f64> = (0..number)
            .map(|stage| now[stage] - now.get(stage + 1).copied().unwrap_or_default())
            .collect();
        let before = number.checked_sub(self.each).filter(|_| number < all);
        let before: Vec<f64> = before.map_or(Vec::new(), |first| took[first..self.each].to_vec());
        let (what, watch) = (what.to_owned(), Stopwatch::start());
        self.ticking.show(number as u64, move |_| {
            message((number, all), &what, watch.elapsed().as_secs_f64(), &before)
        });
    }
}

/// What is shown of a stage that has gone on for so many seconds. `before` is what it and those after
/// it took the last time, in seconds; nothing where that is not known.
fn message((number, all): (usize, usize), what: &str, seconds: f64, before: &[f64]) -> String {
    let step = match number < all {
        true => format!("step {} of {all}: ", number + 1),
        false => String::new(),
    };
    // Of one that takes longer than the last time nobody knows how long.
    let left = before
        .first()
        .filter(|last| seconds < **last)
        .map(|_| Left::about(before.iter().sum::<f64>() - seconds));
    format!("{step}{what} ({}){}", duration(seconds.floor()), display::left(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_told_only_where_the_same_was_done_before() {
        let of =
            |number, seconds, before: &[f64]| message((number, 6), "building", seconds, before);
        assert_eq!(of(1, 20.3, &[]), "step 2 of 6: building (20.0 s)");
        assert_eq!(of(4, 10.0, &[25.0, 5.0]), "step 5 of 6: building (10.0 s), about 20.0 s left");
        assert_eq!(of(4, 26.0, &[25.0, 5.0]), "step 5 of 6: building (26.0 s)");
        assert_eq!(of(7, 26.0, &[]), "building (26.0 s)");
    }
}
