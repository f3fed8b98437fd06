//! The events of the laboratory on a terminal: progress of experiments, builds and analyses, waits
//! and notes.

use std::collections::{BTreeMap, VecDeque};

use configuration::{MeasuringOptions, StoppingOptions};
use judge::forecast::{self, Left};
use laboratory::watcher::{Builds, ConductProgress, Event, TaskState, Tasks, Wait, Watcher};
use model::commission::Commission;
use model::metric::Source;
use page::plain::plain;
use prepare::{BuildEvent, Commit};
use run::Phase;
use words::quantity::{duration, ratio_decimals};

use super::display::{self, Display, Stages, Ticking};
use super::output::{Output, note, styled};

/// Fewer runs than this are judged in an instant; more take seconds.
const MANY_RUNS: u64 = 50_000;

/// Shows events on standard error.
pub(super) struct Terminal<'a> {
    output: &'a Output,
    shows_progress: bool,
    /// Set if the progress of experiments is shown: commands do not print anything themselves.
    shows_rounds: bool,
    /// Set if the user asked for a budget.
    is_budgeted: bool,
    shown: Shown,
    waiting: Option<Display>,
}

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

    fn wait(&mut self, wait: &Wait<'_>) {
        if let Shown::Experiment(bar) = &mut self.shown {
            return bar.wait(wait);
        }
        let display = self.waiting.get_or_insert_with(|| {
            note(&plain(&format!("waiting for {}", (wait.for_whom)())));
            Display::new(0, true)
        });
        show_wait(wait, display);
    }

    fn builds(&mut self, how: Builds, commits: &[Commit]) {
        let bar = BuildBar::new(how, commits, self.shows_progress);
        self.shown = Shown::Builds(bar);
    }

    fn tasks(&mut self, tasks: &Tasks<'_>) {
        if !matches!(self.shown, Shown::Tasks(_)) {
            let display = Display::new(STEPS, self.shows_rounds);
            self.shown = Shown::Tasks(display);
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
            self.shown = Shown::Runs(bar);
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
            Event::Waited => self.waiting = None,
            Event::Begun(commission) => {
                let bar = Bar::new(commission, self.is_budgeted, self.shows_rounds);
                self.shown = Shown::Experiment(bar);
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
                self.shown = Shown::Analysis(stages);
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
            Event::Ended => self.shown = Shown::Nothing,
        }
    }
}

/// The number of steps of a bar. Its full length is the whole budget.
const STEPS: u64 = 1000;

pub(super) struct Bar {
    display: Display,
    /// The requested budget, until it has been reported as too small.
    budget: Option<Budget>,
}

/// A budget that the user asked for, which must therefore be kept.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Budget {
    seconds: f64,
    rounds: u32,
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

    pub(super) fn show(&mut self, state: &ConductProgress<'_>) {
        if let Some(text) = self.budget.and_then(|budget| too_little(budget, state.least_seconds)) {
            self.display.say(&text);
            self.budget = None;
        }
        self.display.show((state.clock * STEPS as f64) as u64, || message(state));
    }

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

pub(super) struct BuildBar {
    display: Display,
    tally: Tally,
}

/// The state of the builds.
#[derive(Debug, Default)]
struct Tally {
    what: &'static str,
    /// Each commit's short hash and subject.
    commits: Vec<String>,
    known: usize,
    finished: usize,
    failed: usize,
    /// The times at which the current builds began.
    running: BTreeMap<usize, f64>,
    /// The number of links in further orders of each current build, and the number wanted per
    /// program.
    links: BTreeMap<usize, (usize, u32)>,
    /// The durations of the last builds. Builds after the first may be incremental.
    took: VecDeque<f64>,
    /// The maximum number of simultaneous builds so far.
    builders: usize,
}

/// The number of recent builds that predict the duration of the next ones.
const LAST: usize = 8;

/// The displayed length of a commit's name, in characters.
const SHOWN: usize = 50;

impl BuildBar {
    /// Progress on standard error, if wanted.
    pub(super) fn new(how: Builds, commits: &[Commit], wanted: bool) -> Self {
        let what = match how {
            Builds::Usual => "building",
            Builds::FromScratch => "building from scratch",
            Builds::InLayouts => "linking in several orders",
            Builds::WithHunks => "building with some of the hunks",
            Builds::Otherwise => "building with other options",
        };
        let name = |commit: &Commit| {
            let hash: String = commit.hash.chars().take(7).collect();
            format!("{hash} {}", commit.subject).chars().take(SHOWN).collect()
        };
        let names = commits.iter().map(name).collect();
        let tally = Tally { what, commits: names, ..Tally::default() };
        Self { display: Display::new(commits.len() as u64, wanted), tally }
    }

    /// Handles a build event, or the passing of time.
    pub(super) fn on(&mut self, event: &BuildEvent) {
        if let BuildEvent::Note { text } = event {
            self.display.say(&plain(&format!("note: {text}")));
        }
        let now = self.display.elapsed_seconds();
        self.tally.on(event, now);
        let tally = &self.tally;
        self.display.show(tally.done() as u64, || tally.message(now));
    }
}

impl Tally {
    fn on(&mut self, event: &BuildEvent, now: f64) {
        match event {
            BuildEvent::Waiting | BuildEvent::Note { .. } => {}
            BuildEvent::Linked { commit, links, wanted } => {
                self.links.insert(*commit, (*links, *wanted));
            }
            BuildEvent::Found { .. } => self.known += 1,
            BuildEvent::Started { commit } => {
                self.running.insert(*commit, now);
                self.builders = self.builders.max(self.running.len());
            }
            BuildEvent::Finished { commit, .. } => {
                self.end(*commit, now);
                self.finished += 1;
            }
            BuildEvent::Failed { commit, .. } => {
                self.end(*commit, now);
                self.failed += 1;
            }
        }
    }

    fn end(&mut self, commit: usize, now: f64) {
        self.links.remove(&commit);
        if let Some(begun) = self.running.remove(&commit) {
            self.took.push_back(now - begun);
        }
        if self.took.len() > LAST {
            self.took.pop_front();
        }
    }

    fn done(&self) -> usize {
        self.known + self.finished + self.failed
    }

    fn left(&self, now: f64) -> Option<Left> {
        let running: Vec<f64> = self.running.values().map(|begun| now - begun).collect();
        let waiting = self.commits.len().saturating_sub(self.done() + running.len());
        let took: Vec<f64> = self.took.iter().copied().collect();
        forecast::of_builds(waiting, &running, self.builders, &took)
    }

    fn message(&self, now: f64) -> String {
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let current = match self.running.iter().min_by(|a, b| a.1.total_cmp(b.1)) {
            None => String::new(),
            Some((&commit, begun)) => {
                let more = match self.running.len() - 1 {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let name = self.commits.get(commit).map_or("", String::as_str);
                let links = match self.links.get(&commit) {
                    None | Some((0, _)) => String::new(),
                    // Its build links several programs.
                    Some((links, wanted)) if *links > *wanted as usize => {
                        format!(", {links} links")
                    }
                    Some((links, wanted)) => format!(", {links} of {wanted} links"),
                };
                format!(": {name}{more} ({}{links})", duration((now - begun).floor()))
            }
        };
        let (done, all) = (self.done(), self.commits.len());
        format!("{} {done} of {all}{failed}{}{current}", self.what, display::left(self.left(now)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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

    fn tally() -> Tally {
        let commits = (0..10).map(|number| format!("c0ffee{number} change {number}")).collect();
        Tally { what: "building", commits, ..Tally::default() }
    }

    #[test]
    fn the_time_left_is_told_from_the_builds_that_were_made() {
        let mut tally = tally();
        tally.on(&BuildEvent::Found { commit: 0 }, 0.0);
        tally.on(&BuildEvent::Started { commit: 1 }, 1.0);
        assert_eq!(tally.message(3.0), "building 1 of 10: c0ffee1 change 1 (2.0 s)");
        tally.on(&BuildEvent::Finished { commit: 1, build_seconds: 1.0 }, 3.0);
        assert_eq!(tally.message(3.0), "building 2 of 10, about 16.0 s left");
    }

    #[test]
    fn the_clock_ticks_while_one_build_goes_on_and_it_is_never_about_to_end() {
        let mut tally = tally();
        tally.on(&BuildEvent::Started { commit: 0 }, 0.0);
        tally.on(&BuildEvent::Finished { commit: 0, build_seconds: 1.0 }, 2.0);
        for commit in 1..9 {
            tally.on(&BuildEvent::Found { commit }, 2.0);
        }
        tally.on(&BuildEvent::Started { commit: 9 }, 2.0);
        tally.on(&BuildEvent::Waiting, 402.0);
        let left = tally.left(402.0).expect("one was built");
        assert!(left.likely >= 100.0, "{left:?}");
        let message = tally.message(402.0);
        assert!(message.contains("c0ffee9 change 9 (6 min 40 s)"), "{message}");
    }

    #[test]
    fn links_in_further_orders_are_counted_while_a_build_goes_on() {
        let mut tally = tally();
        tally.on(&BuildEvent::Started { commit: 3 }, 0.0);
        for (links, told) in
            [(0, "(5.0 s)"), (7, "(5.0 s, 7 of 16 links)"), (20, "(5.0 s, 20 links)")]
        {
            tally.on(&BuildEvent::Linked { commit: 3, links, wanted: 16 }, 5.0);
            assert_eq!(tally.message(5.0), format!("building 0 of 10: c0ffee3 change 3 {told}"));
        }
    }

    #[test]
    fn builds_that_go_on_at_once_are_told_together() {
        let mut tally = tally();
        tally.on(&BuildEvent::Started { commit: 3 }, 0.0);
        tally.on(&BuildEvent::Started { commit: 4 }, 1.0);
        let message = tally.message(5.0);
        assert_eq!(message, "building 0 of 10: c0ffee3 change 3 and 1 more (5.0 s)");
    }
}
