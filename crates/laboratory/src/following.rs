//! Follow-up after the rounds: if a benchmark was found to depend on another, it runs right after
//! that one alone.

use toolchains::harness::adapter::Arranges;

use judge::orders::{Cause, Dependence, Orders};
use model::run::Run;
use model::spec::Experiment;
use model::spec::suite::Seat;
use model::spec::suite::{Arrangement, Seats, Suite};
use run::suite::SuiteExecutor;
use run::suite::following::FollowUp;
use run::{Answer, Ending, Event, Observer, ObserverError, Phase, RunError, execute};

/// A suite to run and follow up.
pub(crate) struct Following<'a> {
    suite: &'a Suite,
    /// None if the suite has no arrangements.
    known: Option<(Seats, Orders)>,
    confidence: f64,
}

impl<'a> Following<'a> {
    /// A suite without observations.
    pub(crate) fn new(suite: &'a Suite, experiment: &Experiment, confidence: f64) -> Self {
        let seats = Seats::from_labels(experiment.variants.iter().map(|variant| &variant.labels));
        let known = seats.map(|seats| (seats.clone(), Orders::new(seats.seats)));
        Self { suite, known, confidence }
    }

    /// Adds an earlier run.
    pub(crate) fn take(&mut self, run: &Run) {
        self.known.iter_mut().for_each(|(_, orders)| orders.take(run));
    }

    /// Runs the suite, and follows up its findings.
    pub(crate) fn execute(
        self,
        executor: &mut SuiteExecutor<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Ending, RunError> {
        let Some((seats, orders)) = self.known else { return execute(executor, observer) };
        let mut listener = Listener { observer, orders };
        let ending = execute(executor, &mut listener)?;
        if ending == Ending::Aborted {
            return Ok(ending);
        }
        let found = listener.orders.findings(self.confidence).dependences;
        let mut follow_ups: Vec<FollowUp> = Vec::new();
        for dependence in &found {
            let next = follow_up(self.suite, &seats, dependence);
            let next = next.filter(|one| executor.can_follow_up(*one));
            // Of several causes, the first and most certain one is followed up.
            let is_new = |next: &FollowUp| follow_ups.iter().all(|one| one.variant != next.variant);
            follow_ups.extend(next.filter(is_new));
        }
        let answer = executor.follow_up(&follow_ups, listener.observer)?;
        Ok(if answer == Answer::Abort { Ending::Aborted } else { Ending::Complete })
    }
}

/// The follow-up that shows the cause with a single benchmark before. None if more are needed.
fn follow_up(suite: &Suite, seats: &Seats, dependence: &Dependence) -> Option<FollowUp> {
    let Dependence { program, benchmark, .. } = *dependence;
    let of = &suite.programs[program];
    let place_in_suite = |name| seats.benchmarks.iter().position(|known| known == name);
    let neighbour = || {
        let is_it = |name: &String| *name == seats.benchmarks[benchmark];
        let place = of.listed.iter().position(is_it)?;
        let before = of.listed[..place].iter().rev().find_map(place_in_suite);
        let names_them = matches!(of.harness.arranges, Arranges::AsNamed);
        let after = of.listed[place + 1..].iter().find_map(place_in_suite);
        before.or(after.filter(|_| names_them))
    };
    let before = match dependence.cause {
        Cause::JustAfter(other) | Cause::After(other) => other,
        Cause::NotFirst => neighbour()?,
        Cause::Place => return None,
    };
    let variant = |benchmark| seats.variant(Seat { program, benchmark }, Arrangement::Together);
    Some(FollowUp { before: variant(before)?, variant: variant(benchmark)? })
}

/// Forwards events to an observer, and records the orders of runs.
struct Listener<'a> {
    observer: &'a mut dyn Observer,
    orders: Orders,
}

impl Observer for Listener<'_> {
    fn on(&mut self, event: Event<'_>) -> Result<Answer, ObserverError> {
        if let Event::Finished(runs) = &event {
            runs.iter().for_each(|run| self.orders.take(run));
        }
        self.observer.on(event)
    }

    fn takes_part(&self, phase: Phase, variant: u32) -> bool {
        self.observer.takes_part(phase, variant)
    }

    fn done_before(&self, phase: Phase) -> u32 {
        self.observer.done_before(phase)
    }

    fn more_rounds(&mut self, phase: Phase, done: u32) -> u32 {
        self.observer.more_rounds(phase, done)
    }

    fn wanted_outputs(&mut self) -> Vec<u32> {
        self.observer.wanted_outputs()
    }
}
