//! Live progress of an experiment: rounds, the estimate so far, and the time left.
//!
//! It is updated between runs, and once a second during a long run: see [`super::display`].

use super::display::{self, Display};
use super::ticking::Ticking;
use judge::forecast;
use laboratory::watcher::{ConductProgress, Wait};
use model::commission::Commission;
use model::metric::Source;
use run::Phase;
use words::quantity::{duration, ratio_decimals};

/// The number of steps of the bar. Its full length is the whole budget.
const STEPS: u64 = 1000;

/// Shows the progress of an experiment.
pub(super) struct Bar {
    display: Display,
    /// The requested budget, until it has been reported as too small.
    budget: Option<Budget>,
}

/// A budget that the user asked for, which must therefore be kept.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Budget {
    /// The budget in seconds.
    seconds: f64,
    /// The minimum number of rounds.
    rounds: u32,
    /// The number of commands per round.
    commands: u32,
}

impl Bar {
    /// A bar on standard error for an experiment that begins, which reports once if the budget is too
    /// small that the user asked for.
    pub(super) fn new(commission: &Commission, is_budgeted: bool, wanted: bool) -> Self {
        let (rule, commands) = (&commission.rule, commission.variants.len());
        let commands = u32::try_from(commands).expect("at most 2^20");
        let budget = |seconds| Budget { seconds, rounds: rule.min_rounds, commands };
        let budget = rule.budget_seconds.filter(|_| is_budgeted).map(budget);
        Self { display: Display::new(STEPS, wanted), budget }
    }

    /// Removes the bar.
    pub(super) fn clear(&self) {
        self.display.clear();
    }

    /// Shows the progress.
    pub(super) fn show(&mut self, state: &ConductProgress<'_>) {
        if let Some(text) = self.budget.and_then(|budget| too_little(budget, state.least_seconds)) {
            self.display.say(&text);
            self.budget = None;
        }
        self.display.show((state.clock * STEPS as f64) as u64, || message(state));
    }

    /// Shows a wait for the machine.
    pub(super) fn wait(&mut self, wait: &Wait<'_>) {
        show_wait(wait, &mut self.display);
    }
}

/// Shows a wait, and prints the reminder if one is due.
pub(super) fn show_wait(wait: &Wait<'_>, display: &mut Display) {
    if let Some(reminder) = wait.reminder {
        display.say(&format!("note: {reminder}"));
    }
    display.show(0, || format!("waiting for {}", (wait.for_whom)()));
}

/// The message that the minimum number of rounds exceeds the requested budget. None if it does not.
fn too_little(budget: Budget, least_seconds: Option<f64>) -> Option<String> {
    let Budget { seconds, rounds, commands } = budget;
    let least = least_seconds.filter(|least| *least > seconds)?;
    let commands =
        if commands == 1 { "1 command".to_owned() } else { format!("{commands} commands") };
    Some(format!(
        "note: {rounds} rounds of {commands} take about {}, which is more than the budget of {}; \
         `--min-runs` asks for fewer",
        duration(least),
        duration(seconds)
    ))
}

/// The progress in words.
pub(super) fn message(state: &ConductProgress<'_>) -> String {
    let left = display::left(state.left);
    let doing = match state.phase {
        Phase::WarmUp => "warming up",
        Phase::Instrumented(Source::Runtime) => "asking the runtime",
        Phase::Instrumented(Source::Sampled) => "sampling memory over time",
        Phase::Instrumented(Source::FollowUp) => "following up",
        Phase::Instrumented(_) => "counting instructions under valgrind",
        Phase::Rounds => {
            let round = state.progress.rounds + 1;
            return format!("round {round}{left}{}", estimate(state).unwrap_or_default());
        }
    };
    format!("{doing}{left}")
}

fn estimate(state: &ConductProgress<'_>) -> Option<String> {
    let comparison = state.latest.filter(|latest| latest.estimate.high.is_finite())?;
    let estimate = &comparison.estimate;
    let decimals = ratio_decimals(estimate.low, estimate.high);
    Some(format!(
        "  ratio {:.decimals$} [{:.decimals$}, {:.decimals$}] {}",
        estimate.ratio,
        estimate.low,
        estimate.high,
        comparison.verdict.word()
    ))
}

/// Shows the number of finished items out of a total.
pub(super) struct CountBar {
    ticking: Ticking,
    what: &'static str,
    count: usize,
}

impl CountBar {
    /// A bar on standard error, if it is wanted.
    pub(super) fn new(what: &'static str, count: usize, wanted: bool) -> Self {
        let bar = Self { ticking: Ticking::new(count as u64, wanted), what, count };
        bar.at(0, "");
        bar
    }

    /// Shows `done` finished items, followed by `more`.
    pub(super) fn at(&self, done: usize, more: &str) {
        let (what, count, more) = (self.what, self.count, more.to_owned());
        self.ticking.show(done as u64, move |seconds| {
            let left = display::left(forecast::of_pieces(done, count, seconds));
            format!("{what}: {done} of {count} runs{left}{more}")
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::forecast::Left;
    use model::design::stopping::Progress;

    #[test]
    fn the_time_left_stands_behind_what_is_done() {
        let state = ConductProgress {
            phase: Phase::Rounds,
            progress: Progress { rounds: 4, elapsed_seconds: 2.0 },
            clock: 0.2,
            left: Some(Left::about(8.0)),
            least_seconds: None,
            latest: None,
        };
        assert_eq!(message(&state), "round 5, about 8.0 s left");
        let warming = ConductProgress { phase: Phase::WarmUp, ..state };
        assert_eq!(message(&warming), "warming up, about 8.0 s left");
    }

    #[test]
    fn a_budget_that_cannot_be_kept_is_told() {
        let budget = Budget { seconds: 50.0, rounds: 10, commands: 8 };
        assert_eq!(too_little(budget, None), None);
        assert_eq!(too_little(budget, Some(50.0)), None);
        let told = too_little(budget, Some(200.0)).expect("too little");
        assert!(told.contains("10 rounds of 8 commands take about 3 min 20 s"), "{told}");
        assert!(told.contains("more than the budget of 50.0 s"), "{told}");
    }
}
