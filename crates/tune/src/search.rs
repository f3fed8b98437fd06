//! The search: asks for batches of runs, is given their outcomes, and names the points to confirm: the
//! fastest, the thrifty one, and the knee.
//!
//! Three stages share the runs. **Screening** examines each axis alone. **Climbing** tries products
//! of what helped, goes between the levels beside the best point, and looks for less memory. The
//! **race** repeats the points that may still be the best, because the fastest of many single runs
//! is mostly the luckiest. Every batch includes points that were run before, by which it is
//! compared with the others: in the race all of them, otherwise the default and the best point.
//!
//! The search is a state machine without a clock, randomness or processes: given the same outcomes it
//! asks for the same runs, which is how an interrupted search is resumed. Its runs cannot give the gain
//! that is reported, because the fastest of many is also lucky. So some of the runs are reserved for
//! the confirmation from the beginning: a fresh experiment of the default and the candidates in
//! rounds.

use stats::front::Thrift;

use super::climb::{Estimate, Outcome, Record, View, dedup};
use super::space::{Point, Space, screen};

/// The limits of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The total number of runs, including those of the confirmation.
    pub runs: usize,
    /// The limit that the peak memory must stay below, in bytes.
    pub limit_bytes: Option<f64>,
    /// The smallest gain that is worth a recommendation: 0.01 for 1 %.
    pub margin: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { runs: 60, limit_bytes: None, margin: 0.01 }
    }
}

/// The minimum number of runs to find and confirm anything.
pub const LEAST_RUNS: usize = 24;

/// The reason why a search cannot begin.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// There are too few runs.
    #[error("{0} runs are too few for a search; it needs at least {LEAST_RUNS}")]
    TooFewRuns(usize),
    /// The limit or the margin is not a positive number.
    #[error("`{0}` is not a positive number")]
    NotPositive(f64),
}

/// The outcome of a run that was not requested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a run of this point was not asked for")]
pub struct NotAsked(pub Point);

/// A search under way.
#[derive(Debug)]
pub struct Search {
    space: Space,
    options: Options,
    record: Record,
    /// The batch under way.
    batch: usize,
    /// The runs of the batch whose outcomes are still missing.
    open: Vec<Point>,
    runs: usize,
    is_over: bool,
}

/// The share of the runs for screening.
const SCREENING: f64 = 0.18;

/// The minimum number of runs for the race, or this share of them if there are few.
const RACE: usize = 5;
const RACE_PART: f64 = 0.13;

/// The number of new points in a batch of climbing.
const NEW_POINTS: usize = 4;

/// The maximum number of new points that are tried to save memory.
const SAVINGS: usize = 2;

/// The number of points repeated in a batch of the race.
const RACERS: usize = 3;

/// The multiple of the default's time after which a run is given up as hopeless.
const PATIENCE: f64 = 3.0;

impl Search {
    /// Begins a search.
    ///
    /// # Errors
    ///
    /// When there are too few runs, or the limit or the margin is not a positive number.
    pub fn new(space: Space, options: Options) -> Result<Self, SearchError> {
        if options.runs < LEAST_RUNS {
            return Err(SearchError::TooFewRuns(options.runs));
        }
        let numbers = [options.margin, options.limit_bytes.unwrap_or(1.0)];
        if let Some(number) = numbers.into_iter().find(|number| number.is_nan() || *number <= 0.0) {
            return Err(SearchError::NotPositive(number));
        }
        let record = Record::default();
        Ok(Self { space, options, record, batch: 0, open: Vec::new(), runs: 0, is_over: false })
    }

    /// The space it searches in.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The runs wanted now, in any order; a point may occur several times. Runs whose outcomes are
    /// still missing are requested again. Empty once the search is over.
    pub fn ask(&mut self) -> Vec<Point> {
        if self.open.is_empty() && !self.is_over {
            if self.runs > 0 {
                self.record.close(self.batch);
                self.batch += 1;
            }
            self.open = self.next_batch();
            self.is_over = self.open.is_empty();
        }
        self.open.clone()
    }

    /// Adds the outcome of a requested run.
    ///
    /// # Errors
    ///
    /// When no run of this point is open; nothing is changed then.
    pub fn tell(&mut self, point: &Point, outcome: Outcome) -> Result<(), NotAsked> {
        let place = self.open.iter().position(|open| open == point);
        let place = place.ok_or_else(|| NotAsked(point.clone()))?;
        self.open.remove(place);
        self.record.add(self.batch, point, outcome);
        self.runs += 1;
        Ok(())
    }

    /// The number of outcomes given so far.
    pub fn runs(&self) -> usize {
        self.runs
    }

    /// The time limit for a run, in seconds, after which it is hopeless; `None` before the default
    /// was run.
    pub fn patience_seconds(&self) -> Option<f64> {
        let default = self.record.estimate(&self.space.default_point())?;
        Some(PATIENCE * default.seconds)
    }

    /// The estimates of all points that ran successfully, including those above the limit.
    pub fn estimates(&self) -> Vec<Estimate> {
        self.record.estimates()
    }

    /// The points with a run that failed or was stopped.
    pub fn out(&self) -> Vec<Point> {
        self.record.out()
    }

    /// The points to confirm, with their estimates so far; empty before the default is known.
    pub fn candidates(&self) -> Candidates {
        let most = most_candidates(self.options.runs.saturating_sub(self.runs));
        name(&self.view(), self.options.margin, most)
    }

    /// The number of rounds of the default and these candidates that the remaining runs are enough
    /// for.
    pub fn confirmation_rounds(&self, candidates: usize) -> usize {
        self.options.runs.saturating_sub(self.runs) / (1 + candidates)
    }

    fn view(&self) -> View<'_> {
        let limit_bytes = self.options.limit_bytes;
        View { space: &self.space, record: &self.record, limit_bytes }
    }

    fn next_batch(&self) -> Vec<Point> {
        let in_sight = name(&self.view(), self.options.margin, usize::MAX).in_sight;
        let total = self.options.runs - reserve(self.options.runs, in_sight);
        let default = self.space.default_point();
        if self.runs == 0 {
            let mut batch = vec![default.clone(); 2];
            // Each axis at least once, if half of the runs are enough for that.
            let least = self.space.axes().len().min(total / 2);
            let screened = (total as f64 * SCREENING).round() as usize;
            batch.extend(screen(&self.space, screened.saturating_sub(2).max(least)));
            return batch;
        }
        let left = total.saturating_sub(self.runs);
        // A default that fails cannot be compared with.
        if left == 0 || self.record.estimate(&default).is_none() {
            return Vec::new();
        }
        let race = RACE.min((total as f64 * RACE_PART).round() as usize);
        let new = self.new_points(left.saturating_sub(race + 2));
        if new.is_empty() {
            return self.racers(left);
        }
        let best = self.view().best().filter(|best| best.point != default);
        std::iter::once(default).chain(best.map(|best| best.point)).chain(new).collect()
    }

    /// Up to `most` points that have never been run.
    fn new_points(&self, most: usize) -> Vec<Point> {
        let view = self.view();
        let Some(best) = view.best() else { return Vec::new() };
        let mut points: Vec<Point> = Vec::new();
        if self.batch == 1 {
            points.extend(view.products().into_iter().take(NEW_POINTS - 1));
        }
        // Products come first: without their results, points beside the best are not worth trying.
        if points.is_empty() {
            points.extend(view.savings(&best).into_iter().take(SAVINGS));
            points = dedup(points.into_iter().chain(view.refinements(&best)));
        }
        points.truncate(most.min(NEW_POINTS));
        points
    }

    /// The points that may still be the fastest, the thrifty one or the knee, the least known
    /// first; empty if each is known well enough.
    fn racers(&self, most: usize) -> Vec<Point> {
        let view = self.view();
        let default = self.space.default_point();
        let ranking = view.ranking();
        let Some(best) = ranking.first() else { return Vec::new() };
        let deviation = self.record.deviation();
        let margin =
            |e: &Estimate| 2.0 * deviation * (1.0 / e.runs as f64 + 1.0 / best.runs as f64).sqrt();
        let close = ranking.iter().filter(|e| (e.seconds / best.seconds).ln() <= margin(e));
        let mut racers: Vec<Estimate> = close.cloned().collect();
        racers.truncate(RACERS);
        let named = name(&view, self.options.margin, usize::MAX);
        let others = named.prospects.into_iter().chain(view.knee());
        racers.extend(others);
        racers.retain(|e| e.point != default);
        racers.sort_by_key(|e| e.runs);
        let mut points = dedup(racers.into_iter().map(|racer| racer.point));
        points.truncate(most.min(RACERS + 2));
        points
    }
}

/// The minimum number of rounds in which one candidate, two, or three can be distinguished from the
/// default at 95 % for all together: the same sign in all of `n` rounds has the probability 2 /
/// 2^n, and each candidate gets its share of 5 %.
const LEAST_ROUNDS: [usize; 3] = [6, 7, 7];

/// The number of rounds if there are enough runs.
const ROUNDS: usize = 10;

/// The number of runs to reserve for the confirmation, out of `runs`, with this number of
/// candidates in sight: at most half if there are few runs, and ten rounds if there are plenty.
fn reserve(runs: usize, candidates: usize) -> usize {
    let candidates = candidates.clamp(1, LEAST_ROUNDS.len());
    let least = LEAST_ROUNDS[candidates - 1] * (1 + candidates);
    let wanted = ROUNDS * (1 + candidates);
    wanted.min((runs / 3).max(least)).min(runs / 2)
}

/// The number of candidates that these runs are enough for.
fn most_candidates(runs: usize) -> usize {
    let suffices = |candidates: &usize| runs / (1 + candidates) >= LEAST_ROUNDS[candidates - 1];
    (1..=LEAST_ROUNDS.len()).rev().find(suffices).unwrap_or(0)
}

/// The points that the search names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidates {
    /// The default, if it ran successfully.
    pub default: Option<Estimate>,
    /// The fastest; `None` if no point seems faster than the default by the margin. If the default
    /// is above the limit, the fastest may be slower.
    pub fastest: Option<Estimate>,
    /// The one with the least memory among those with at least 90 % of the fastest one's gain and
    /// at most half of its additional memory.
    pub thrifty: Option<Estimate>,
    /// The knee of the front of time and memory, unless it is one of the others.
    pub knee: Option<Estimate>,
    /// Points that may turn out to be the thrifty one after more runs.
    prospects: Vec<Estimate>,
    /// The number of candidates to expect in the end.
    in_sight: usize,
}

impl Candidates {
    /// The named points, fastest first.
    pub fn points(&self) -> Vec<&Point> {
        let named = [&self.fastest, &self.thrifty, &self.knee];
        named.into_iter().flatten().map(|estimate| &estimate.point).collect()
    }
}

/// The minimum number of runs of a point that counts.
const LEAST_RUNS_TO_NAME: usize = 2;

/// Names the candidates, at most `most` of them.
fn name(view: &View<'_>, margin: f64, most: usize) -> Candidates {
    let default = view.space.default_point();
    let Some(base) = view.record.estimate(&default) else { return Candidates::default() };
    let ranking = view.ranking();
    let mut known: Vec<&Estimate> =
        ranking.iter().filter(|e| e.runs >= LEAST_RUNS_TO_NAME && e.point != default).collect();
    let careful = |e: &Estimate| view.careful_seconds(e);
    known.sort_by(|a, b| careful(a).total_cmp(&careful(b)));
    let only_default = Candidates { default: Some(base.clone()), ..Candidates::default() };
    // If the default is above the limit, every point below the limit is better.
    let is_better =
        |e: &Estimate| !view.is_allowed(&base) || e.seconds < base.seconds * (1.0 - margin);
    let first = known.first().filter(|e| is_better(e));
    let Some(first) = first.filter(|_| most > 0) else { return only_default };
    let fastest = (*first).clone();
    let thrift = Thrift::between(base.logs(), fastest.logs());
    let least = |a: &&Estimate, b: &&Estimate| a.peak_bytes.total_cmp(&b.peak_bytes);
    let mut prospects: Vec<&Estimate> = ranking
        .iter()
        .filter(|e| e.point != fastest.point && e.point != default)
        .filter(|e| thrift.is_some_and(|thrift| view.may_be_thrifty(&thrift, e)))
        .collect();
    prospects.sort_by(least);
    let thrifty = prospects.iter().find(|e| e.runs >= LEAST_RUNS_TO_NAME).map(|&e| e.clone());
    let is_named = |point: &Point| {
        *point == default
            || *point == fastest.point
            || thrifty.as_ref().is_some_and(|thrifty| thrifty.point == *point)
    };
    let knee = view.knee().filter(|e| e.runs >= LEAST_RUNS_TO_NAME && !is_named(&e.point));
    prospects.truncate(2);
    let in_sight = 1 + usize::from(thrift.is_some());
    Candidates {
        default: Some(base),
        in_sight,
        knee: knee.filter(|_| most > 1 + usize::from(thrifty.is_some())),
        prospects: prospects.into_iter().cloned().collect(),
        thrifty: thrifty.filter(|_| most > 1),
        fastest: Some(fastest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_back_suffices_for_the_rounds() {
        assert_eq!([0, 1, 2, 3].map(|named| reserve(60, named)), [20, 20, 21, 28]);
        assert_eq!(most_candidates(28), 3);
        assert_eq!(most_candidates(21), 2);
        assert_eq!(most_candidates(12), 1);
        assert_eq!(most_candidates(11), 0);
        assert_eq!([1, 2, 3].map(|named| reserve(24, named)), [12, 12, 12]);
        assert_eq!([1, 2, 3].map(|named| reserve(1000, named)), [20, 30, 40]);
    }
}
