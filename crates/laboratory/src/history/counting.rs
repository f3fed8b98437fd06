//! Searches for the commit by counting instructions, if that is faster than timing.
//!
//! Instructions counted by valgrind do not depend on the load of the machine. If times are so noisy
//! that distinguishing the sides of the change would take long, the commit that changed the
//! instructions becomes a suspect; it is only reported as changing the time if fresh rounds confirm
//! it.

use stats::bisection::{Assessment, Difference, Levels, Place, Step};

use super::effort::Effort;
use super::executed::counting_seconds;
use super::question::Question;
use super::search::Search;
use crate::history::bisect::{self, Pool};
use judge::layouts::is_equal_count;
use model::failure::Failure;
use model::metric::{self, INSTRUCTIONS, MetricId, Unit};

/// Each commit is counted twice, to see whether the count is exact, and timed as often.
const RUNS: u32 = 2;

/// Counting must be faster than timing by this factor, because its finding needs confirmation and
/// may be another change.
const TIMES_AS_FAST: f64 = 2.0;

/// The smallest change of instructions that raises a suspicion, relative to that of the time.
const LEAST_SHARE: f64 = 0.1;

/// The state of a search by counting.
#[derive(Debug, Clone, PartialEq)]
enum Standing {
    /// It has not been tried yet.
    Open,
    /// It cannot help, or failed.
    Closed,
    /// Both ends execute equally many instructions, so their work does not explain the change.
    Equal(Difference),
    /// The instructions change between these two commits.
    Suspects { near: usize, far: usize, change: Difference },
}

/// A search by counting.
pub(super) struct Counting(Standing);

impl Counting {
    /// A new search. Closed unless the metric is a time and counting is allowed.
    pub(super) fn new(question: &Question<'_>, metric: &MetricId) -> Self {
        let is_time = metric::find(metric).is_some_and(|metric| metric.unit == Unit::Seconds);
        let may = is_time && question.may_count();
        Self(if may { Standing::Open } else { Standing::Closed })
    }

    /// True if counting pays, where timing would take `timing` seconds, `looks` commits are left to
    /// examine, and a run takes `a_run` seconds.
    pub(super) fn pays(&self, timing: f64, looks: f64, a_run: f64) -> bool {
        let counting = (looks + 2.0) * f64::from(RUNS) * counting_seconds(a_run);
        self.0 == Standing::Open && timing > TIMES_AS_FAST * counting
    }

    /// The two commits between which the instructions change.
    pub(super) fn suspects(&self) -> Option<(usize, usize)> {
        match self.0 {
            Standing::Suspects { near, far, .. } => Some((near, far)),
            Standing::Open | Standing::Closed | Standing::Equal(_) => None,
        }
    }

    /// Ends the search: the counts do not explain the metric.
    pub(super) fn give_up(&mut self) {
        self.0 = Standing::Closed;
    }

    /// Searches for the commit; `ends` is the change of the metric, if certain.
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
            Counts::Equal(ratio) => {
                search.tell(&format!(
                    "counting instructions: {} and {} execute as many",
                    search.name(0),
                    search.name(search.last())
                ));
                Standing::Equal(ratio)
            }
            Counts::Change { near, far, change } if agrees(&change, ends) => {
                search.tell(&format!(
                    "counting instructions: {} executes {} times the instructions of {}; whether that changes \
                     {} is measured now",
                    search.name(far),
                    bisect::ratio(&change),
                    search.name(near),
                    words::label(search.metric)
                ));
                Standing::Suspects { near, far, change }
            }
            Counts::Change { .. } | Counts::Open => {
                search.tell("counting instructions: the counts do not decide");
                Standing::Closed
            }
        };
        Ok(())
    }

    /// Reports that a step was found by counting, if it was.
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

    /// Adds the result of counting to a failure, without a claim about the metric.
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
            Standing::Equal(ratio) => failure.because(format!(
                "both execute as many instructions ({} times), so a change of {} would not come from the \
                 work that they do",
                bisect::ratio(ratio),
                words::label(search.metric)
            )),
            Standing::Open | Standing::Closed => failure,
        }
    }
}

/// True if a change of instructions could explain that of the metric.
fn agrees(change: &Difference, ends: Option<Difference>) -> bool {
    ends.is_none_or(|ends| {
        let is_along = ends.estimate.signum() == change.estimate.signum();
        is_along && change.estimate.abs() >= LEAST_SHARE * ends.estimate.abs()
    })
}

/// The result of counting in a range.
enum Counts {
    /// The ends do the same work.
    Equal(Difference),
    /// The instructions change between these two commits.
    Change { near: usize, far: usize, change: Difference },
    /// The counts are inconclusive.
    Open,
}

/// The two commits between which the instructions change, and the change.
fn suspects(search: &mut Search<'_, '_, '_>) -> Result<Counts, Failure> {
    let last = search.revisions.len() - 1;
    let mut counted = Counted { pool: Pool::default(), places: Vec::new() };
    counted.count(search, &[0, last])?;
    loop {
        let Some(levels) = counted.levels(search)? else { return Ok(Counts::Open) };
        let places = search.places_of(&mut counted.pool);
        let state = search.state(&places, Some(&levels));
        if let Some(ends) = state.ends().filter(|ends| is_equal_count(ends.estimate.exp())) {
            return Ok(Counts::Equal(ends));
        }
        let Some(known) = state.assessment() else { return Ok(Counts::Open) };
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
            Step::Ends { .. } | Step::NoChange | Step::Nowhere => return Ok(Counts::Open),
        }
    }
}

fn pair(
    known: &Assessment,
    places: &[Place],
    levels: &Levels,
    (near, far): (usize, usize),
) -> Counts {
    let (Place::Artefact(a), Place::Artefact(b)) = (places[near], places[far]) else {
        return Counts::Open;
    };
    let is_along = |change: &Difference| change.estimate.signum() == known.change.estimate.signum();
    match levels.difference(a, b).filter(is_along) {
        Some(change) => Counts::Change { near, far, change },
        None => Counts::Open,
    }
}

/// The counted commits.
struct Counted {
    pool: Pool,
    places: Vec<usize>,
}

impl Counted {
    /// Counts the commits that no earlier call counted.
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
        search.measuring.aim(Effort::Count { rounds: RUNS });
        search.spend(open.len() as f64, |measuring| measuring.run_together(&star))
    }

    fn levels(&mut self, search: &mut Search<'_, '_, '_>) -> Result<Option<Levels>, Failure> {
        self.pool.batches = search.read(&INSTRUCTIONS)?;
        let base = self.pool.number(&search.digest(0));
        Ok(Levels::of_counts(&self.pool.counts(&INSTRUCTIONS), base))
    }
}
