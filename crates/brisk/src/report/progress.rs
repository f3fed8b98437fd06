//! Live progress on a terminal: rounds, the estimate so far, and the time left.
//!
//! It is drawn between runs, and at most ten times a second; while a long run goes on, once a
//! second. Drawing while something is timed would disturb it.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use measure::clock::Stopwatch;

use super::quantity::{duration, ratio_decimals};
use crate::conduct::{State, Watcher};
use crate::metric::Source;
use crate::run::Phase;

/// The bar's length stands for the whole budget.
const STEPS: u64 = 1000;

/// The shortest time between two drawings.
const PAUSE: Duration = Duration::from_millis(100);

/// Draws progress, where there is a terminal to draw on.
pub struct Bar {
    bar: ProgressBar,
    budget_seconds: Option<f64>,
    max_rounds: u32,
    drawn: Option<Stopwatch>,
}

impl Bar {
    /// A bar on standard error; nothing where that is no terminal.
    pub fn new(budget_seconds: Option<f64>, max_rounds: u32, wanted: bool) -> Self {
        let bar = ProgressBar::with_draw_target(
            Some(STEPS),
            if wanted { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() },
        );
        bar.set_style(
            ProgressStyle::with_template("{bar:10} {wide_msg}")
                .expect("the template is sound")
                .progress_chars("=> "),
        );
        Self { bar, budget_seconds, max_rounds, drawn: None }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Draws how many of so many things are done, where there is a terminal to draw on.
pub struct CountBar {
    bar: ProgressBar,
    what: &'static str,
    watch: Stopwatch,
}

impl CountBar {
    /// A bar on standard error; nothing where that is no terminal, or it is not wanted.
    pub fn new(what: &'static str, count: usize, wanted: bool) -> Self {
        let bar = ProgressBar::with_draw_target(
            Some(count as u64),
            if wanted { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() },
        );
        let style = ProgressStyle::with_template("{bar:10} {wide_msg}");
        bar.set_style(style.expect("the template is sound").progress_chars("=> "));
        bar.set_message(what);
        bar.tick();
        Self { bar, what, watch: Stopwatch::start() }
    }

    /// So many are done; `more` is what else there is to say.
    pub fn at(&mut self, done: usize, more: &str) {
        let all = usize::try_from(self.bar.length().unwrap_or(0)).unwrap_or(usize::MAX);
        let a_piece = self.watch.elapsed().as_secs_f64() / done.max(1) as f64;
        let left = duration(a_piece * all.saturating_sub(done) as f64);
        self.bar.set_position(done as u64);
        self.bar.set_message(format!("{}: {done} of {all} runs, {left} left{more}", self.what));
        self.bar.tick();
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watcher for Bar {
    fn watch(&mut self, state: &State<'_>) {
        if self.bar.is_hidden() || self.drawn.as_ref().is_some_and(|w| w.elapsed() < PAUSE) {
            return;
        }
        self.drawn = Some(Stopwatch::start());
        self.bar.set_position((state.clock * STEPS as f64) as u64);
        self.bar.set_message(message(state, self.budget_seconds, self.max_rounds));
        self.bar.tick();
    }
}

fn message(state: &State<'_>, budget_seconds: Option<f64>, max_rounds: u32) -> String {
    let rounds = state.progress.rounds;
    match state.phase {
        Phase::WarmUp => return "warming up".to_owned(),
        Phase::Instrumented(Source::Runtime) => return "asking the runtime".to_owned(),
        Phase::Instrumented(Source::Sampled) => return "sampling memory over time".to_owned(),
        Phase::Instrumented(Source::FollowUp) => return "following up".to_owned(),
        Phase::Instrumented(_) => return "counting instructions under valgrind".to_owned(),
        Phase::Rounds => {}
    }
    let left = match budget_seconds {
        Some(budget) => Some((budget - state.progress.elapsed_seconds).max(0.0)),
        None if rounds > 0 => {
            let a_round = state.progress.elapsed_seconds / f64::from(rounds);
            Some(a_round * f64::from(max_rounds - rounds.min(max_rounds)))
        }
        None => None,
    };
    let left = left.map(|left| format!(", {} left", duration(left))).unwrap_or_default();
    let estimate = state.latest.filter(|c| c.estimate.high.is_finite()).map(|comparison| {
        let estimate = &comparison.estimate;
        let decimals = ratio_decimals(estimate.low, estimate.high);
        format!(
            "  ratio {:.decimals$} [{:.decimals$}, {:.decimals$}] {}",
            estimate.ratio,
            estimate.low,
            estimate.high,
            comparison.verdict.word()
        )
    });
    format!("round {}{left}{}", rounds + 1, estimate.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::stopping::Progress;

    #[test]
    fn the_time_left_is_told_from_the_budget_or_the_rounds() {
        let state = State {
            phase: Phase::Rounds,
            progress: Progress { rounds: 4, elapsed_seconds: 2.0 },
            clock: 0.2,
            latest: None,
        };
        assert_eq!(message(&state, Some(10.0), 100), "round 5, 8.0 s left");
        assert_eq!(message(&state, None, 20), "round 5, 8.0 s left");
    }
}
