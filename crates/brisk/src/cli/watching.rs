//! What the laboratory tells, on a terminal: progress of experiments, builds and analyses, waits and
//! notes.

use configuration::{MeasuringOptions, StoppingOptions};
use laboratory::watcher::{Builds, Event, TaskState, Tasks, Wait, Watcher};
use page::plain::plain;
use prepare::Commit;

use super::building::BuildBar;
use super::display::Display;
use super::output::{Output, note, styled};
use super::progress::{Bar, CountBar};
use super::ticking::Stages;

/// The number of steps of the bar of tasks. Its full length is the whole budget.
const STEPS: u64 = 1000;

/// Fewer runs than this are judged in an instant; more take seconds.
const MANY_RUNS: u64 = 50_000;

/// Shows events on standard error.
pub(super) struct Terminal<'a> {
    output: &'a Output,
    /// Set if progress is shown.
    shows_progress: bool,
    /// Set if the progress of experiments is shown: commands do not print anything themselves.
    shows_rounds: bool,
    /// Set if the user asked for a budget.
    is_budgeted: bool,
    shown: Shown,
    waiting: Option<Display>,
}

/// The progress that is shown.
enum Shown {
    Nothing,
    Experiment(Bar),
    Builds(BuildBar),
    Tasks(Display),
    Analysis(Stages),
    Runs(CountBar),
}

impl<'a> Terminal<'a> {
    /// Shows what these options ask for.
    pub(super) fn new(
        output: &'a Output,
        measuring: &MeasuringOptions,
        stopping: &StoppingOptions,
    ) -> Self {
        let mut terminal = Self::unless(measuring.quiet, output);
        terminal.is_budgeted = stopping.budget.is_some();
        terminal
    }

    /// Shows progress unless `is_quiet`.
    pub(super) fn unless(is_quiet: bool, output: &'a Output) -> Self {
        let (shows_progress, shows_rounds) = (!is_quiet, !is_quiet);
        let (shown, waiting) = (Shown::Nothing, None);
        Self { output, shows_progress, shows_rounds, is_budgeted: false, shown, waiting }
    }

    /// The same without the progress of experiments, if commands show what they print.
    pub(super) fn without_rounds(mut self, prints: bool) -> Self {
        self.shows_rounds &= !prints;
        self
    }

    /// Shows progress of another kind.
    fn show(&mut self, shown: Shown) {
        match std::mem::replace(&mut self.shown, shown) {
            Shown::Experiment(bar) => bar.clear(),
            Shown::Builds(bar) => bar.clear(),
            Shown::Tasks(display) => display.clear(),
            // These are removed when they are dropped.
            Shown::Analysis(_) | Shown::Runs(_) | Shown::Nothing => {}
        }
    }

    fn wait(&mut self, wait: &Wait<'_>) {
        if let Shown::Experiment(bar) = &mut self.shown {
            return bar.wait(wait);
        }
        let display = self.waiting.get_or_insert_with(|| {
            note(&plain(&format!("waiting for {}", (wait.for_whom)())));
            Display::new(0, true)
        });
        super::progress::show_wait(wait, display);
    }

    fn builds(&mut self, how: Builds, commits: &[Commit]) {
        let bar = BuildBar::new(how, commits, self.shows_progress);
        self.show(Shown::Builds(bar));
    }

    fn tasks(&mut self, tasks: &Tasks<'_>) {
        if !matches!(self.shown, Shown::Tasks(_)) {
            let display = Display::new(STEPS, self.shows_rounds);
            self.show(Shown::Tasks(display));
        }
        let Shown::Tasks(display) = &mut self.shown else { return };
        let Tasks { engine, done, of, clock, state } = *tasks;
        let clock = (done as f64 + clock) / of as f64;
        display.show((clock * STEPS as f64) as u64, || {
            let told = match state {
                TaskState::Measures(message) => message.to_owned(),
                TaskState::Queued(reason) => format!("queued on {engine}: {reason}"),
                TaskState::Unknown => format!("waiting for {engine}"),
            };
            let told = plain(&told);
            if of > 1 { format!("{done} of {of} done, {told}") } else { told.into_owned() }
        });
    }

    fn runs(&mut self, doing: &'static str, done: usize, of: usize, result: &str) {
        if !matches!(self.shown, Shown::Runs(_)) {
            let bar = CountBar::new(doing, of, self.shows_progress);
            self.show(Shown::Runs(bar));
        }
        if let Shown::Runs(bar) = &self.shown {
            bar.at(done, &plain(result));
        }
    }

    /// Prints a note without disturbing the progress that is shown.
    fn say(&self, text: &str) {
        let text = plain(text);
        match &self.shown {
            Shown::Tasks(display) => display.say(&format!("note: {text}")),
            _ => note(&text),
        }
    }
}

impl Watcher for Terminal<'_> {
    fn on(&mut self, event: Event<'_>) {
        match event {
            Event::Note(text) => self.say(text),
            Event::Choice(text) if self.shows_progress => self.say(text),
            Event::Course(text) if self.shows_progress => {
                self.output.message(&format!("{text}\n"));
            }
            Event::Choice(_) | Event::Course(_) => {}
            Event::Remark(text) => self.output.message(text),
            Event::Unexplained { commit, failure } => {
                let why = styled(failure);
                self.output
                    .styled_message(&format!("the step at {commit} is not explained:\n{why}"));
            }
            Event::Waiting(wait) => self.wait(&wait),
            Event::Waited => {
                if let Some(display) = self.waiting.take() {
                    display.clear();
                }
            }
            Event::Begun(commission) => {
                let bar = Bar::new(commission, self.is_budgeted, self.shows_rounds);
                self.show(Shown::Experiment(bar));
            }
            Event::Measuring(state) => {
                if let Shown::Experiment(bar) = &mut self.shown {
                    bar.show(&state);
                }
            }
            Event::Judging { runs } if self.shows_rounds && runs >= MANY_RUNS => {
                // The next phase has no progress to draw.
                note(&format!("judging {runs} runs, which takes a while; all of them are stored"));
            }
            Event::Judging { .. } => {}
            Event::Builds(how, commits) => self.builds(how, commits),
            Event::Building(event) => {
                if let Shown::Builds(bar) = &mut self.shown {
                    bar.on(event);
                }
            }
            Event::Tasks(tasks) => self.tasks(&tasks),
            Event::Analysis { stages, repetitions } => {
                let stages = Stages::new(stages, repetitions, self.shows_progress);
                self.show(Shown::Analysis(stages));
            }
            Event::Stage(what) => {
                if let Shown::Analysis(stages) = &self.shown {
                    stages.begin(what);
                }
            }
            Event::Part { word, number, of } => {
                if let Shown::Analysis(stages) = &self.shown {
                    stages.part(word, number, of);
                }
            }
            Event::Runs { doing, done, of, result } => self.runs(doing, done, of, result),
            Event::Ended => self.show(Shown::Nothing),
        }
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        self.show(Shown::Nothing);
        if let Some(display) = self.waiting.take() {
            display.clear();
        }
    }
}
