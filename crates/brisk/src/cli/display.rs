//! Progress display: a bar on a terminal, otherwise a line now and then.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use measure::clock::Stopwatch;

use judge::forecast::Left;
use words::quantity::duration;

/// The shortest time between two drawings. Drawing while something is timed would disturb it.
const PAUSE: Duration = Duration::from_millis(100);

/// Environment variable; `never` turns progress off, for example in CI logs.
const VARIABLE: &str = "BRISK_PROGRESS";

/// Shows progress, if it is wanted.
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

    /// Removes the bar.
    pub(super) fn clear(&self) {
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
}
