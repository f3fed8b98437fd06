//! A display of progress: a bar on a terminal, otherwise a line now and then. For work that reports
//! no progress, a separate thread shows the elapsed time.

use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use judge::forecast::{Left, Pace};
use measure::clock::Stopwatch;
use words::quantity::duration;

/// The shortest time between two drawings. Drawing while something is timed would disturb it.
const PAUSE: Duration = Duration::from_millis(100);

/// Environment variable; `never` turns progress off, for example in CI logs.
const VARIABLE: &str = "BRISK_PROGRESS";

pub(super) struct Display {
    way: Way,
    watch: Stopwatch,
}

enum Way {
    /// On a terminal, with the time since it was last drawn.
    Bar(ProgressBar, Option<Stopwatch>),
    /// Elsewhere: the elapsed time, in seconds, at which the next line is due.
    Lines(f64),
    /// No progress is wanted.
    Nothing,
}

impl Display {
    /// A display on standard error for this number of steps.
    pub(super) fn new(steps: u64, wanted: bool) -> Self {
        let is_wanted = wanted && std::env::var_os(VARIABLE).is_none_or(|when| when != "never");
        let way = match (is_wanted, io::stderr().is_terminal()) {
            (false, _) => Way::Nothing,
            (true, false) => Way::Lines(next_line(0.0)),
            (true, true) => {
                let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
                let style = ProgressStyle::with_template("{bar:10} {wide_msg}");
                bar.set_style(style.expect("the template is sound").progress_chars("=> "));
                Way::Bar(bar, None)
            }
        };
        Self { way, watch: Stopwatch::start() }
    }

    /// The time since the clock started, in seconds.
    pub(super) fn elapsed_seconds(&self) -> f64 {
        self.watch.elapsed().as_secs_f64()
    }

    /// Shows the number of finished steps, and `message` with the elapsed time, if an update is
    /// due.
    pub(super) fn show(&mut self, done: u64, message: impl FnOnce() -> String) {
        let elapsed = self.elapsed_seconds();
        match &mut self.way {
            Way::Nothing => {}
            Way::Bar(bar, drawn) => {
                if drawn.as_ref().is_some_and(|watch| watch.elapsed() < PAUSE) {
                    return;
                }
                *drawn = Some(Stopwatch::start());
                bar.set_position(done);
                bar.set_message(format!("{} {}", clock(elapsed), message()));
                bar.tick();
            }
            Way::Lines(next) if elapsed < *next => {}
            Way::Lines(next) => {
                *next = next_line(elapsed);
                line(&format!("{} {}", clock(elapsed), message()));
            }
        }
    }

    /// Prints a line that stays visible, even if progress is not wanted.
    pub(super) fn say(&self, text: &str) {
        match &self.way {
            Way::Bar(bar, _) => bar.suspend(|| line(text)),
            Way::Lines(_) | Way::Nothing => line(text),
        }
    }
}

/// Removes the bar.
impl Drop for Display {
    fn drop(&mut self) {
        if let Way::Bar(bar, _) = &self.way {
            bar.finish_and_clear();
        }
    }
}

/// Prints a line. Errors are ignored: without standard error there is no place to report them.
fn line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// The time of the next line after this time, in seconds: every 10 s in the first minute, every 30
/// s up to five minutes, then every 2 min.
fn next_line(elapsed_seconds: f64) -> f64 {
    let every = match elapsed_seconds {
        seconds if seconds < 60.0 => 10.0,
        seconds if seconds < 300.0 => 30.0,
        _ => 120.0,
    };
    (elapsed_seconds / every).floor() * every + every
}

/// `1:05`, `2:00:07`.
fn clock(seconds: f64) -> String {
    let all = seconds as u64;
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// The maximum is shown separately if it exceeds the likely time by this factor.
const APART: f64 = 1.3;

/// `, about 40 s left, 2 min at most`; only the maximum if it may be over at any time; empty if
/// nothing is known.
pub(super) fn left(left: Option<Left>) -> String {
    let Some(Left { least, likely, most }) = left else { return String::new() };
    if let Some(most) = most.filter(|most| *most >= 1.0 && *most <= likely && least * 2.0 < likely)
    {
        return format!(", at most {} left", duration(most));
    }
    let about = match likely {
        likely if likely < 1.0 => ", less than 1 s left".to_owned(),
        likely => format!(", about {} left", duration(likely)),
    };
    match most.filter(|most| *most >= 1.0 && *most > APART * likely) {
        Some(most) => format!("{about}, {} at most", duration(most)),
        None => about,
    }
}

const TICK: Duration = Duration::from_secs(1);

/// The message to show after this number of seconds.
type Message = Box<dyn Fn(f64) -> String + Send>;

/// A display whose clock ticks. It is removed when this is dropped.
pub(super) struct Ticking {
    messages: Option<Sender<(u64, Message)>>,
    shower: Option<JoinHandle<()>>,
}

impl Ticking {
    /// A display on standard error, if wanted, for this number of steps.
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
        });
        Self { messages: Some(messages), shower: Some(shower) }
    }

    /// Sets the number of finished steps, and the message shown from now on.
    pub(super) fn show(&self, done: u64, message: impl Fn(f64) -> String + Send + 'static) {
        if let Some(messages) = &self.messages {
            // The thread receives until this value is dropped.
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

/// Shows the current stage and its elapsed time, and the time left if the same stages have run
/// before. If a stage reports its parts, the time left of that stage.
pub(super) struct Stages {
    ticking: Ticking,
    /// The number of stages, without repetitions.
    each: usize,
    repetitions: usize,
    begun: RefCell<Vec<Stage>>,
}

/// A stage that has begun.
#[derive(Debug, Clone)]
struct Stage {
    what: String,
    watch: Stopwatch,
    /// The previous durations of this stage and those after it, in seconds. Empty if unknown.
    before: Vec<f64>,
}

impl Stages {
    /// A display for this number of stages and repetitions.
    pub(super) fn new(each: usize, repetitions: usize, wanted: bool) -> Self {
        let ticking = Ticking::new((each * repetitions) as u64, wanted);
        Self { ticking, each, repetitions, begun: RefCell::default() }
    }

    pub(super) fn begin(&self, what: &str) {
        let mut begun = self.begun.borrow_mut();
        let now: Vec<f64> = begun.iter().map(|it| it.watch.elapsed().as_secs_f64()).collect();
        let (number, all) = (now.len(), self.each * self.repetitions);
        // The duration of a stage is the time since it began, less that of the next one.
        let took: Vec<f64> = (0..number)
            .map(|stage| now[stage] - now.get(stage + 1).copied().unwrap_or_default())
            .collect();
        let before = number.checked_sub(self.each).filter(|_| number < all);
        let before: Vec<f64> = before.map_or(Vec::new(), |first| took[first..self.each].to_vec());
        begun.push(Stage { what: what.to_owned(), watch: Stopwatch::start(), before });
        drop(begun);
        self.show(None);
    }

    /// Sets the current part of the stage: `number`, counted from 1, of `of`.
    pub(super) fn part(&self, word: &'static str, number: u32, of: u32) {
        let begun = self.begun.borrow();
        let Some(stage) = begun.last() else { return };
        let begun_seconds = stage.watch.elapsed().as_secs_f64();
        drop(begun);
        self.show(Some(Part { word, number, of, begun_seconds }));
    }

    fn show(&self, part: Option<Part>) {
        let begun = self.begun.borrow();
        let Some(stage) = begun.last().cloned() else { return };
        let (number, all) = (begun.len() - 1, self.each * self.repetitions);
        self.ticking.show(number as u64, move |_| {
            stage_message(number, all, &stage, stage.watch.elapsed().as_secs_f64(), part)
        });
    }
}

/// The current part of a stage.
#[derive(Debug, Clone, Copy)]
struct Part {
    word: &'static str,
    /// Counted from 1.
    number: u32,
    of: u32,
    /// The time from the beginning of the stage to that of the part, in seconds.
    begun_seconds: f64,
}

impl Part {
    /// The time left of its stage after this number of seconds, in seconds, if all parts take
    /// equally long. None during the first part.
    fn left(self, seconds: f64) -> Option<f64> {
        let done = f64::from(self.number - 1);
        let passed = seconds - self.begun_seconds;
        let pace = Pace { done, seconds_each: self.begun_seconds / done, piece: 1.0, passed };
        (self.number > 1).then(|| pace.until(f64::from(self.of)))
    }
}

/// The message for a stage after this number of seconds.
fn stage_message(
    number: usize,
    all: usize,
    stage: &Stage,
    seconds: f64,
    part: Option<Part>,
) -> String {
    let step = match number < all {
        true => format!("step {} of {all}: ", number + 1),
        false => String::new(),
    };
    // If a stage takes longer than the last time, the time left is unknown.
    let whole = stage.before.first().filter(|last| seconds < **last);
    let whole = whole.map(|_| stage.before.iter().sum::<f64>() - seconds);
    let of_stage = part.filter(|_| whole.is_none()).and_then(|part| part.left(seconds));
    let left = left(whole.or(of_stage).map(Left::about));
    let part = part.map_or(String::new(), |it| format!(", {} {} of {}", it.word, it.number, it.of));
    let end = if of_stage.is_some() { " of this step" } else { "" };
    format!("{step}{}{part} ({}){left}{end}", stage.what, duration(seconds.floor()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_rarer() {
        let mut lines = vec![next_line(0.0)];
        while lines.len() < 12 {
            lines.push(next_line(lines[lines.len() - 1]));
        }
        let expected =
            [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 90.0, 120.0, 150.0, 180.0, 210.0, 240.0];
        assert_eq!(lines, expected);
        assert_eq!([next_line(301.0), next_line(17.0)].map(|next| next as u32), [360, 20]);
    }

    #[test]
    fn the_clock_counts_minutes_and_hours() {
        assert_eq!([0.4, 65.0, 7207.9].map(clock), ["0:00", "1:05", "2:00:07"]);
    }

    #[test]
    fn what_is_left_is_told_as_a_range_where_it_is_one() {
        assert_eq!(left(None), "");
        assert_eq!(left(Some(Left::about(0.01))), ", less than 1 s left");
        assert_eq!(left(Some(Left::about(8.0))), ", about 8.0 s left");
        let range = Left { least: 1.0, likely: 8.0, most: Some(45.0) };
        assert_eq!(left(Some(range)), ", about 8.0 s left, 45.0 s at most");
        let open = Left { least: 1.0, likely: 45.0, most: Some(45.0) };
        assert_eq!(left(Some(open)), ", at most 45.0 s left");
        assert_eq!(left(Some(Left { most: None, ..range })), ", about 8.0 s left");
    }

    fn said(number: usize, seconds: f64, before: &[f64], part: Option<(u32, f64)>) -> String {
        let what = "building".to_owned();
        let stage = Stage { what, watch: Stopwatch::start(), before: before.to_vec() };
        let part = part.map(|(number, begun_seconds)| Part {
            word: "module",
            number,
            of: 10,
            begun_seconds,
        });
        stage_message(number, 6, &stage, seconds, part)
    }

    #[test]
    fn the_time_left_is_told_where_the_same_was_done_before() {
        let of = |number, seconds, before: &[f64]| said(number, seconds, before, None);
        assert_eq!(of(1, 20.3, &[]), "step 2 of 6: building (20.0 s)");
        assert_eq!(of(4, 10.0, &[25.0, 5.0]), "step 5 of 6: building (10.0 s), about 20.0 s left");
        assert_eq!(of(4, 26.0, &[25.0, 5.0]), "step 5 of 6: building (26.0 s)");
        assert_eq!(of(7, 26.0, &[]), "building (26.0 s)");
    }

    #[test]
    fn a_stage_that_tells_its_parts_has_a_time_left_the_first_time() {
        assert_eq!(
            said(0, 3.0, &[], Some((1, 2.0))),
            "step 1 of 6: building, module 1 of 10 (3.0 s)"
        );
        let third = said(0, 9.0, &[], Some((3, 8.0)));
        // Two parts took 8 s, and 1 s of the third has passed.
        assert_eq!(
            third,
            "step 1 of 6: building, module 3 of 10 (9.0 s), about 31.0 s left of this step"
        );
        let again = said(3, 10.0, &[25.0, 5.0], Some((3, 8.0)));
        assert_eq!(again, "step 4 of 6: building, module 3 of 10 (10.0 s), about 20.0 s left");
    }
}
