//! Looking for the commit by what it executes, where that is sooner told than what it takes.
//!
//! Instructions counted by valgrind do not depend on what else the machine does. Where times are so
//! noisy that telling the sides of the change apart would take long, the commit that changed the
//! instructions is looked for instead, and suspected: that it changed the time is said only if fresh
//! rounds confirm it.

use stats::bisection::{Assessment, Difference, Levels, Place, Step};

use super::bisect::Search;
use super::effort::Effort;
use super::question::Question;
use crate::failure::Failure;
use crate::history::bisect::{self, Pool};
use crate::metric::{self, INSTRUCTIONS, MetricId, Unit};
use crate::report::words;
use crate::run::instrument::cachegrind::Cachegrind;
use crate::spec::reading::CounterOption;

/// A run under valgrind takes so many times as long, and so many seconds to start with.
const SLOWER: f64 = 60.0;
const START_SECONDS: f64 = 0.7;

/// Each commit is counted twice, to see whether the count is exact, and timed once.
const RUNS: f64 = 2.0;

/// Counting must be so many times as fast as timing: what it finds is to be confirmed, and may be
/// another change.
const TIMES_AS_FAST: f64 = 2.0;

/// The least change of instructions that is worth a suspicion, over that of the time.
const LEAST_SHARE: f64 = 0.1;

/// What counting has come to.
#[derive(Debug, Clone, PartialEq)]
enum Standing {
    /// It may be tried.
    Open,
    /// It cannot help, or has led nowhere.
    Closed,
    /// The change of instructions comes between these two.
    Suspects { near: usize, far: usize, change: Difference },
}

/// A search by counting.
pub(super) struct Counting(Standing);

impl Counting {
    /// Nothing counted yet; nothing is where the metric is no time, or nobody wants anything counted.
    pub(super) fn new(question: &Question<'_>, metric: &MetricId) -> Self {
        let is_time = metric::find(metric).is_some_and(|metric| metric.unit == Unit::Seconds);
        let counters = question.arguments.reading.sources().counters;
        let is_wanted = matches!(counters, CounterOption::Auto | CounterOption::Valgrind);
        let may = is_time && is_wanted && question.suite.is_none() && Cachegrind::new().is_ok();
        Self(if may { Standing::Open } else { Standing::Closed })
    }

    /// Whether it pays, where timing would take so many seconds, so many looks are left, and a run
    /// takes so long.
    pub(super) fn pays(&self, timing: f64, looks: f64, a_run: f64) -> bool {
        let counting = (looks + 2.0) * RUNS * (START_SECONDS + SLOWER * a_run);
        self.0 == Standing::Open && timing > TIMES_AS_FAST * counting
    }

    /// The two between which the instructions change.
    pub(super) fn suspects(&self) -> Option<(usize, usize)> {
        match self.0 {
            Standing::Suspects { near, far, .. } => Some((near, far)),
            Standing::Open | Standing::Closed => None,
        }
    }

    /// What is counted does not show in the metric.
    pub(super) fn give_up(&mut self) {
        self.0 = Standing::Closed;
    }

    /// Looks for the commit; `ends` is the change of the metric, where that is certain.
    pub(super) fn search(
        &mut self,
        search: &mut Search<'_, '_, '_>,
        ends: Option<Difference>,
    ) -> Result<(), Failure> {
        search.tell(&format!(
            "counting instructions: {} varies too much for a short search",
            words::label(search.metric)
        ));
        self.0 = match suspects(search)? {
            Some((near, far, change)) if agrees(&change, ends) => {
                search.tell(&format!(
                    "counting instructions: {} executes {} times those of {}; whether that changes \
                     {} is measured now",
                    search.name(far),
                    bisect::ratio(&change),
                    search.name(near),
                    words::label(search.metric)
                ));
                Standing::Suspects { near, far, change }
            }
            _ => {
                search.tell("counting instructions: the counts do not decide");
                Standing::Closed
            }
        };
        Ok(())
    }

    /// Says of a step how it was found.
    pub(super) fn tell_of_step(&self, search: &Search<'_, '_, '_>, ends: (usize, usize)) {
        if let Standing::Suspects { near, far, change } = &self.0
            && (*near, *far) == ends
        {
            search.tell(&format!(
                "{} was found by counting instructions ({}), and confirmed in {}",
                search.name(*far),
                bisect::ratio(change),
                words::label(search.metric)
            ));
        }
    }

    /// Adds to a failure what was counted, which is no claim about the metric.
    pub(super) fn because(&self, search: &Search<'_, '_, '_>, failure: Failure) -> Failure {
        match &self.0 {
            Standing::Suspects { near, far, change } => failure.because(format!(
                "instructions change with {}, to {} times those of {}; that {} changes with it is \
                 not confirmed",
                search.name(*far),
                bisect::ratio(change),
                search.name(*near),
                words::label(search.metric)
            )),
            Standing::Open | Standing::Closed => failure,
        }
    }
}

/// Whether a change of instructions could be that of the metric.
fn agrees(change: &Difference, ends: Option<Difference>) -> bool {
    ends.is_none_or(|ends| {
        let is_along = ends.estimate.signum() == change.estimate.signum();
        is_along && change.estimate.abs() >= LEAST_SHARE * ends.estimate.abs()
    })
}

/// The two commits between which the instructions change, and by how much.
fn suspects(
    search: &mut Search<'_, '_, '_>,
) -> Result<Option<(usize, usize, Difference)>, Failure> {
    let last = search.revisions.len() - 1;
    let mut counted = Counted { pool: Pool::default(), places: Vec::new() };
    counted.count(search, &[0, last])?;
    loop {
        let Some(levels) = counted.levels(search)? else { return Ok(None) };
        let places = search.places_of(&mut counted.pool);
        let state = search.state(&places, Some(&levels));
        let Some(known) = state.assessment() else { return Ok(None) };
        let (near, far, _) = known.most_probable();
        match state.next() {
            Step::Probe { places: probes, .. } => {
                let new: Vec<usize> =
                    probes.into_iter().filter(|at| !counted.places.contains(at)).collect();
                if new.is_empty() {
                    return Ok(pair(&known, &places, &levels, (near, far)));
                }
                counted.count(search, &new)?;
            }
            Step::Confirm { near, far, .. } => {
                return Ok(pair(&known, &places, &levels, (near, far)));
            }
            Step::Ends { .. } | Step::NoChange | Step::Nowhere => return Ok(None),
        }
    }
}

fn pair(
    known: &Assessment,
    places: &[Place],
    levels: &Levels,
    (near, far): (usize, usize),
) -> Option<(usize, usize, Difference)> {
    let (Place::Artefact(a), Place::Artefact(b)) = (places[near], places[far]) else { return None };
    let change = levels.difference(a, b)?;
    (change.estimate.signum() == known.change.estimate.signum()).then_some((near, far, change))
}

/// What was counted.
struct Counted {
    pool: Pool,
    places: Vec<usize>,
}

impl Counted {
    /// Counts what was not counted in an earlier call.
    fn count(&mut self, search: &mut Search<'_, '_, '_>, places: &[usize]) -> Result<(), Failure> {
        search.build(places)?;
        self.places.extend(places);
        self.pool.batches = search.read(&INSTRUCTIONS)?;
        let known: Vec<usize> = self.pool.counts(&INSTRUCTIONS).into_iter().map(|c| c.0).collect();
        let mut open = Vec::new();
        for &at in places.iter().filter(|&&at| search.revisions[at].built.is_ok()) {
            if !known.contains(&self.pool.number(&search.digest(at))) {
                open.push(at);
            }
        }
        let Some((&first, others)) = open.split_first() else { return Ok(()) };
        let star = search.star(first, others);
        search.measuring.aim(Effort::Count);
        search.spend(open.len() as f64, |measuring| measuring.run_together(&star))
    }

    fn levels(&mut self, search: &mut Search<'_, '_, '_>) -> Result<Option<Levels>, Failure> {
        self.pool.batches = search.read(&INSTRUCTIONS)?;
        let base = self.pool.number(&search.digest(0));
        Ok(Levels::of_counts(&self.pool.counts(&INSTRUCTIONS), base))
    }
}
