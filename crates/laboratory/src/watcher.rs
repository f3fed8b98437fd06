//! The events of a laboratory at work. A watcher receives each of them, and shows it or not.

use std::cell::RefCell;

use judge::comparison::Judgement;
use judge::forecast::Left;
use model::commission::Commission;
use model::design::stopping::Progress;
use model::failure::Failure;
use prepare::{BuildEvent, Commit};
use run::Phase;

/// Receives the events of the work. Every closure that takes one is a watcher.
pub trait Watcher {
    /// Called on every event, at the moment of it.
    fn on(&mut self, event: Event<'_>);
}

impl<F: FnMut(Event<'_>)> Watcher for F {
    fn on(&mut self, event: Event<'_>) {
        self(event);
    }
}

/// A watcher that several parts of the work tell of events.
pub(crate) struct Shared<'a>(RefCell<&'a mut dyn Watcher>);

impl<'a> Shared<'a> {
    pub(crate) fn new(watcher: &'a mut dyn Watcher) -> Self {
        Self(RefCell::new(watcher))
    }

    pub(crate) fn on(&self, event: Event<'_>) {
        self.0.borrow_mut().on(event);
    }
}

impl Watcher for &Shared<'_> {
    fn on(&mut self, event: Event<'_>) {
        Shared::on(self, event);
    }
}

/// A watcher that watches nothing.
pub fn nobody(_event: Event<'_>) {}

/// An event of the work. Texts may hold what others wrote.
#[derive(Debug)]
pub enum Event<'a> {
    /// A fact that the user should know, whatever is shown.
    Note(&'a str),
    /// A choice that was made for the user.
    Choice(&'a str),
    /// Whole lines about what is measured, before it is.
    Remark(&'a str),
    /// A line about the course of a search.
    Course(&'a str),
    /// A commit whose change cannot be explained.
    Unexplained {
        /// Its short hash.
        commit: &'a str,
        /// The reason.
        failure: &'a Failure,
    },
    /// Others have the machine, or its store.
    Waiting(Wait<'a>),
    /// The wait is over.
    Waited,
    /// The first round of an experiment is about to begin.
    Begun(&'a Commission),
    /// A run has ended, or a second has passed.
    Measuring(ConductProgress<'a>),
    /// An experiment has ended, and is judged next.
    Judging {
        /// The number of its runs.
        runs: u64,
    },
    /// Commits are about to be built.
    Builds(Builds, &'a [Commit]),
    /// A build began or ended, or a second has passed.
    Building(&'a BuildEvent),
    /// Tasks are on an engine.
    Tasks(Tasks<'a>),
    /// An analysis is about to begin.
    Analysis {
        /// The number of its stages.
        stages: usize,
        /// The number of times that it goes through them.
        repetitions: usize,
    },
    /// The next stage of the analysis begins.
    Stage(&'a str),
    /// The next part of the stage begins.
    Part {
        /// A word for such a part.
        word: &'static str,
        /// Its number, from 1.
        number: u32,
        /// The number of parts.
        of: u32,
    },
    /// Runs that are counted.
    Runs {
        /// The purpose of the runs.
        doing: &'static str,
        /// The number of those that have ended.
        done: usize,
        /// The number of all, at most.
        of: usize,
        /// The result so far, in words.
        result: &'a str,
    },
    /// The end of what was begun last: experiment, builds, tasks, analysis or runs.
    Ended,
}

/// The way in which commits are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builds {
    /// On top of one another where that is faster.
    Usual,
    /// Each from scratch.
    FromScratch,
    /// Linked in several orders.
    InLayouts,
    /// With some of a commit's hunks.
    WithHunks,
    /// With other options for the compiler.
    Otherwise,
}

/// The progress of an experiment.
#[derive(Debug)]
pub struct ConductProgress<'a> {
    /// The current phase.
    pub phase: Phase,
    /// Rounds and time.
    pub progress: Progress,
    /// The share of the budget that has passed, at most 1.
    pub clock: f64,
    /// The time left, including everything after the rounds; `None` until it is known.
    pub left: Option<Left>,
    /// The total time of the minimum number of rounds, in seconds; `None` before a run has ended.
    pub least_seconds: Option<f64>,
    /// The deciding comparison of the last candidate at the last look.
    pub latest: Option<&'a Judgement>,
}

/// A wait for the machine.
#[derive(Clone, Copy)]
pub struct Wait<'a> {
    /// The processes waited for, in words.
    pub for_whom: &'a dyn Fn() -> String,
    /// A sentence to print even without progress output; usually `None`.
    pub reminder: Option<&'a str>,
}

impl std::fmt::Debug for Wait<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "waiting for {}", (self.for_whom)())
    }
}

/// The progress of tasks on an engine.
#[derive(Debug, Clone, Copy)]
pub struct Tasks<'a> {
    /// The name of the engine.
    pub engine: &'a str,
    /// The number of finished tasks.
    pub done: usize,
    /// The number of all tasks.
    pub of: usize,
    /// The share of the budget of the shown task that has passed, at most 1.
    pub clock: f64,
    /// The progress of the shown task as it says it, or the reason that it waits.
    pub state: TaskState<'a>,
}

/// The state of a task on an engine.
#[derive(Debug, Clone, Copy)]
pub enum TaskState<'a> {
    /// It measures, and says how far it is.
    Measures(&'a str),
    /// It is queued, for this reason.
    Queued(&'a str),
    /// Nothing is known of it.
    Unknown,
}
