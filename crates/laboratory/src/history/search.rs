//! `brisk history --bisect METRIC`: the commit that changed a metric, with few builds.
//!
//! [`stats::bisection`] chooses the next step, given every round of every experiment about the
//! question; this module executes it. A search that was interrupted, or whose budget was spent,
//! therefore continues where it stopped. Its result is compared again in fresh rounds, and is a
//! finding like any other.

use std::collections::HashSet;

use stats::bisection::probes::{Price, looks_left, rounds_to_tell};
use stats::bisection::{Levels, Place, State, Step};

use super::counting::Counting;
use super::effort::Effort;
use super::found::Found;
use super::measuring::Measuring;
use super::question::{Limit, Question};
use super::readings::Readings;
use crate::history::bisect::{self, Batch, Pool};
use crate::history::lineage::{Lineage, Revision, Unbuilt};
use crate::machine::WorkWatch;
use crate::watcher::Event;
use findings::ComparedPair;
use findings::short;
use model::design::family::enough_rounds;
use model::design::stopping::StoppingRule;
use model::failure::Failure;
use model::metric::MetricId;
use model::spec::labels::ArtifactId;
use model::verdict::Verdict;

/// The assumed seconds of a run and of a build, before the first of them.
const USUAL_SECONDS: (f64, f64) = (0.02, 1.0);

/// The share of the budget for searching; after that, the most probable commit is confirmed or not.
const SEARCHING: f64 = 0.7;

/// Commits of lower probability are not worth confirming.
const LEAST_PROBABLE: f64 = 0.5;

/// The number of references: both ends run beside every probe.
const REFERENCES: u32 = 2;

/// Builds and measures what is needed to find the commit.
pub(super) fn bisect<'q>(
    question: &Question<'q>,
    measuring: &mut Measuring<'_, 'q>,
    metric: &MetricId,
) -> Result<Found, Failure> {
    let (rule, limit) = question.search()?;
    let reason = "the search did not need it".to_owned();
    let revisions = question.revisions_as(&Unbuilt { tried: false, reason });
    let mut search = Search {
        question,
        measuring,
        metric,
        rule,
        limit,
        revisions,
        tried: HashSet::new(),
        benchmark: None,
        readings: Readings::default(),
        pool: Pool::default(),
        spent: Spent::default(),
        told: None,
        attempts: 0,
    };
    search.build_ends()?;
    search.remember()?;
    let (ends, open) = match search.go()? {
        Ending::Step(near, far) => (Some((near, far)), None),
        Ending::Open(failure) => (None, Some(failure)),
    };
    Ok(Found { lineage: Lineage::new(search.revisions), ends, open })
}

/// The result of a search.
enum Ending {
    Step(usize, usize),
    Open(Failure),
}

pub(super) struct Search<'a, 'q, 'm> {
    pub(super) question: &'a Question<'q>,
    pub(super) measuring: &'a mut Measuring<'m, 'q>,
    pub(super) metric: &'a MetricId,
    pub(super) rule: StoppingRule,
    limit: Limit,
    pub(super) revisions: Vec<Revision>,
    /// The commits that were built, failed to build, or could not be measured.
    tried: HashSet<usize>,
    /// The benchmark to follow, for a suite.
    benchmark: Option<String>,
    readings: Readings,
    pool: Pool,
    spent: Spent,
    /// The last message about several changes.
    pub(super) told: Option<String>,
    /// The number of comparisons of neighbours, including earlier calls.
    attempts: u32,
}

/// The seconds spent in this call, and the number of runs and builds.
#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    measuring: f64,
    runs: f64,
    building: f64,
    builds: f64,
}

impl Spent {
    fn a_run(self) -> f64 {
        if self.runs > 0.0 { self.measuring / self.runs } else { USUAL_SECONDS.0 }
    }

    fn a_build(self) -> f64 {
        if self.builds > 0.0 { self.building / self.builds } else { USUAL_SECONDS.1 }
    }
}

impl Search<'_, '_, '_> {
    pub(super) fn last(&self) -> usize {
        self.revisions.len() - 1
    }

    pub(super) fn name(&self, at: usize) -> &str {
        short(&self.revisions[at].hash)
    }

    /// Tells of the course of the search.
    pub(super) fn tell(&self, text: &str) {
        self.question.watcher.on(Event::Course(text));
    }

    fn go(&mut self) -> Result<Ending, Failure> {
        let mut counting = Counting::new(self.question, self.metric);
        loop {
            let levels = self.levels()?;
            let places = self.places();
            let state = self.state(&places, levels.as_ref());
            self.tell_of_several(&state);
            let planned = state.next();
            if !matches!(planned, Step::NoChange | Step::Nowhere)
                && counting.suspects().is_none()
                && self.pool.is_timed()
                && self.is_worth_counting(&counting, &state)
            {
                let ends = state.ends().filter(|ends| ends.is_certain(state.alpha));
                counting.search(self, ends)?;
                continue;
            }
            match self.affordable(planned, &state, counting.suspects()) {
                Some(Step::Ends { rounds }) => self.probe(&[], (0, self.last()), rounds)?,
                Some(Step::Probe { places, ends, rounds }) => self.probe(&places, ends, rounds)?,
                Some(Step::Confirm { near, far, rounds, alpha }) => {
                    let is_known = self.is_step((near, far))?;
                    let verdict = if is_known {
                        Verdict::Inconclusive
                    } else {
                        self.confirm((near, far), rounds, alpha)?
                    };
                    if is_known || self.is_step((near, far))? {
                        counting.tell_of_step(self, (near, far));
                        self.tell_of_unbuilt(near, far);
                        return Ok(Ending::Step(near, far));
                    }
                    if verdict == Verdict::Unchanged {
                        counting.give_up();
                    }
                    if self.is_spent(1.0) || self.rule.is_fixed() {
                        let levels = self.levels()?;
                        let state = self.state(&places, levels.as_ref());
                        return Ok(Ending::Open(self.stays_open(&state, &counting)));
                    }
                }
                Some(Step::NoChange) => return Err(self.unchanged(&state)),
                Some(Step::Nowhere) | None => {
                    return Ok(Ending::Open(self.stays_open(&state, &counting)));
                }
            }
        }
    }

    /// The planned step, or a confirmation if there is a suspect or the budget for searching is
    /// spent. None if nothing is affordable.
    fn affordable(
        &self,
        planned: Step,
        state: &State<'_>,
        suspects: Option<(usize, usize)>,
    ) -> Option<Step> {
        match planned {
            Step::NoChange | Step::Nowhere => Some(planned),
            Step::Confirm { .. } => {
                (!self.is_spent(1.0) || self.is_known(&planned)).then_some(planned)
            }
            Step::Ends { .. } | Step::Probe { .. } => match suspects {
                Some((near, far)) => (!self.is_spent(1.0)).then(|| state.confirm(near, far)),
                None if self.is_spent(SEARCHING) || self.has_all_rounds(&planned) => {
                    let (near, far) = self.worth_confirming(state)?;
                    Some(state.confirm(near, far))
                }
                None => Some(planned),
            },
        }
    }

    /// True if the comparison was already made and found a change.
    fn is_known(&self, step: &Step) -> bool {
        let Step::Confirm { near, far, .. } = *step else { return false };
        let known = self.compared(&self.star(near, &[far]), far);
        known.is_some_and(|part| part.verdict.is_change())
    }

    /// The levels of the artefacts, from all rounds.
    fn levels(&mut self) -> Result<Option<Levels>, Failure> {
        self.pool.batches = self.read(self.metric)?;
        let base = self.digest(0);
        let base = self.pool.number(&base);
        if self.pool.batches.is_empty() || self.pool.is_timed() {
            return Ok(Levels::of_rounds(&self.pool.rounds(self.metric), base));
        }
        Ok(Levels::of_counts(&self.pool.counts(self.metric), base))
    }

    /// All readings of a metric.
    pub(super) fn read(&mut self, metric: &MetricId) -> Result<Vec<Batch>, Failure> {
        self.readings.all(self.measuring, metric, self.benchmark.as_deref())
    }

    pub(super) fn places(&mut self) -> Vec<Place> {
        let mut pool = std::mem::take(&mut self.pool);
        let places = self.places_of(&mut pool);
        self.pool = pool;
        places
    }

    /// The state of each commit, with the artefact numbers of a pool.
    pub(super) fn places_of(&self, pool: &mut Pool) -> Vec<Place> {
        bisect::places(&self.revisions, pool, &|at| self.tried.contains(&at))
    }

    pub(super) fn state<'s>(&self, places: &'s [Place], levels: Option<&'s Levels>) -> State<'s> {
        let price = Price {
            build: self.spent.a_build(),
            builds_at_once: self.question.jobs().get(),
            run: self.spent.a_run(),
            rounds: 0,
            references: REFERENCES,
        };
        State {
            places,
            levels,
            rounds_of_ends: self.rounds_of(&[0, self.last()]),
            unconfirmed: self.attempts,
            price,
            margin: self.rule.margin.log(),
            alpha: 1.0 - self.rule.confidence,
        }
    }

    pub(super) fn rounds_of(&self, places: &[usize]) -> u32 {
        let digests: Vec<ArtifactId> = places.iter().map(|&at| self.digest(at)).collect();
        self.pool.rounds_of(&digests)
    }

    /// The seconds left for measuring, of this share of the limits.
    fn seconds_left(&self, share: f64) -> f64 {
        let of_runs = (share * self.limit.runs - self.spent.runs) * self.spent.a_run();
        (share * self.limit.seconds - self.spent.measuring).max(of_runs)
    }

    fn is_spent(&self, share: f64) -> bool {
        self.seconds_left(share) <= 0.0
    }

    /// True if everything in the step already ran as often as allowed.
    fn has_all_rounds(&self, step: &Step) -> bool {
        let done = match step {
            Step::Ends { .. } => self.rounds_of(&[0, self.last()]),
            Step::Probe { places, .. } => {
                places.iter().map(|&at| self.rounds_of(&[at])).min().unwrap_or(0)
            }
            Step::Confirm { .. } | Step::NoChange | Step::Nowhere => 0,
        };
        done >= self.limit.most_rounds
    }

    /// The neighbours, if they are probable enough and the budget allows confirming them.
    fn worth_confirming(&self, state: &State<'_>) -> Option<(usize, usize)> {
        let (near, far, mass) = state.assessment()?.most_probable();
        let is_built = |at: usize| matches!(state.places[at], Place::Artefact(_));
        let is_there = is_built(near) && is_built(far) && !self.is_spent(1.0);
        (mass >= LEAST_PROBABLE && is_there).then_some((near, far))
    }

    /// True if counting instructions finds the commit faster than timing.
    fn is_worth_counting(&self, counting: &Counting, state: &State<'_>) -> bool {
        let (Some(levels), Some(ends)) = (state.levels, state.ends()) else { return false };
        let change = ends.estimate.abs().max(state.margin);
        let looks = state
            .assessment()
            .map_or((self.revisions.len() as f64).log2(), |known| looks_left(&known));
        let runs = looks * rounds_to_tell(levels.noise, change) * f64::from(REFERENCES + 1);
        counting.pays(runs * self.spent.a_run(), looks, self.spent.a_run())
    }

    fn build_ends(&mut self) -> Result<(), Failure> {
        let ends = [0, self.last()];
        self.build(&ends)?;
        for end in ends {
            let revision = &self.revisions[end];
            if let Err(unbuilt) = &revision.built {
                return Err(Failure::new(format!(
                    "{}, an end of the range, does not build",
                    short(&revision.hash)
                ))
                .because(unbuilt.reason.clone())
                .hint(Some("begin or end the range with a commit that does")));
            }
        }
        if self.digest(ends[0]) == self.digest(ends[1]) {
            let [first, last] = ends.map(|end| self.name(end).to_owned());
            return Err(Failure::new(format!("{first} and {last} are the same bytes")));
        }
        Ok(())
    }

    /// Recovers the builds and runs of earlier calls.
    fn remember(&mut self) -> Result<(), Failure> {
        let comparing = self.measuring.experiments().filter(|(_, told)| !told.answers.is_empty());
        self.attempts = u32::try_from(comparing.count()).unwrap_or(u32::MAX);
        let variants = self.measuring.experiments().flat_map(|(_, document)| &document.variants);
        let hashes: HashSet<&str> =
            variants.filter_map(|variant| variant.labels.commit()).collect();
        let ran = |at: &usize| hashes.contains(&*self.revisions[*at].hash);
        let places: Vec<usize> = (0..self.revisions.len()).filter(ran).collect();
        self.build(&places).map(drop)
    }

    /// Builds these commits, and returns those that had not been tried before.
    pub(super) fn build(&mut self, places: &[usize]) -> Result<Vec<usize>, Failure> {
        let new = places.iter().copied().filter(|at| !self.tried.contains(at));
        let new: Vec<usize> = new.collect();
        if new.is_empty() {
            return Ok(new);
        }
        let watch = WorkWatch::start();
        // Together with earlier ones, so that equal artefacts are confirmed.
        let mut all: Vec<usize> = self.tried.iter().chain(&new).copied().collect();
        all.sort_unstable();
        let built = self.question.build_some(&all)?;
        self.spent.building += watch.elapsed_seconds();
        self.spent.builds += new.len().div_ceil(self.question.jobs().get()) as f64;
        for (&place, revision) in all.iter().zip(built) {
            // A commit that could not be measured stays as it is.
            if !self.tried.contains(&place) || self.revisions[place].built.is_ok() {
                self.revisions[place] = revision;
            }
        }
        self.tried.extend(&new);
        // Commits without the followed benchmark are skipped like those that do not build.
        let lineage = Lineage::new(self.revisions.clone());
        if let Some(strand) = self.measuring.only_strand(&lineage)? {
            self.benchmark = strand.benchmark;
            self.revisions = strand.lineage.revisions;
        }
        Ok(new)
    }

    /// Builds these commits and runs them beside the ends.
    fn probe(
        &mut self,
        places: &[usize],
        ends: (usize, usize),
        rounds: u32,
    ) -> Result<(), Failure> {
        let new = self.build(places)?;
        let built: Vec<usize> =
            places.iter().copied().filter(|&at| self.revisions[at].built.is_ok()).collect();
        // An artefact equal to one that ran needs no further run.
        let is_news = |at: &usize| !new.contains(at) || self.rounds_of(&[*at]) == 0;
        let built: Vec<usize> = built.into_iter().filter(is_news).collect();
        if built.is_empty() && !places.is_empty() {
            return Ok(());
        }
        let all = [&[ends.0, ends.1], &built[..]].concat();
        let before: Vec<u32> = all.iter().map(|&at| self.rounds_of(&[at])).collect();
        let most = self.limit.most_rounds;
        let done = before[2..].iter().min().or(before.iter().min()).copied().unwrap_or(0);
        let rounds = rounds.min(most.saturating_sub(done)).max(1);
        self.measuring.aim(Effort::Probe { rounds });
        let star = self.star(ends.0, &all[1..]);
        self.spend(f64::from(rounds) * all.len() as f64, |measuring| {
            measuring.run_together(&star)
        })?;
        let levels = self.levels()?;
        for (&at, before) in all.iter().zip(before) {
            let has_new = !self.pool.is_timed() || self.rounds_of(&[at]) > before;
            if !has_new || self.pool.batches.is_empty() {
                self.cannot_be_measured(at)?;
            }
        }
        self.tell_probes(if built.is_empty() { &all[1..] } else { &built }, levels.as_ref());
        Ok(())
    }

    /// Excludes a commit that was built but has no reading.
    fn cannot_be_measured(&mut self, at: usize) -> Result<(), Failure> {
        if at == 0 || at == self.last() {
            return Err(Failure::new(format!(
                "there is no reading of `{}` to look for",
                self.metric
            )));
        }
        let reason = format!("there is no reading of `{}`", self.metric);
        self.revisions[at].built = Err(Unbuilt { tried: true, reason });
        Ok(())
    }

    /// Measures, and records the cost.
    pub(super) fn spend(
        &mut self,
        runs: f64,
        measure: impl FnOnce(&mut Measuring<'_, '_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let watch = WorkWatch::start();
        let done = measure(self.measuring);
        self.spent.measuring += watch.elapsed_seconds();
        self.spent.runs += runs;
        done
    }

    /// Compares two neighbours in fresh rounds.
    fn confirm(
        &mut self,
        (near, far): (usize, usize),
        rounds: u32,
        alpha: f64,
    ) -> Result<Verdict, Failure> {
        let star = self.star(near, &[far]);
        let fit = (self.seconds_left(1.0) / (2.0 * self.spent.a_run())) as u32;
        let least = enough_rounds(self.rule.estimator.into(), alpha);
        let rounds = rounds.min(fit).max(least).min(self.limit.most_rounds);
        let comparisons = ((1.0 - self.rule.confidence) / alpha).round() as usize;
        self.measuring.forget(&star);
        self.attempts += 1;
        self.measuring.aim(Effort::Confirm { rounds, comparisons });
        self.spend(2.0 * f64::from(rounds), |measuring| measuring.measure(&star))?;
        let Some(part) = self.compared(&star, far) else { return Ok(Verdict::Inconclusive) };
        self.tell(&format!(
            "confirming: {} has {} in {} fresh rounds: {}",
            self.name(far),
            words::amount_of(&part, self.name(near).to_owned()).text(),
            part.rounds,
            part.verdict.word()
        ));
        Ok(part.verdict)
    }

    /// True if the compared pair changes in the direction of the ends, by more than the margin.
    fn is_step(&mut self, (near, far): (usize, usize)) -> Result<bool, Failure> {
        let star = self.star(near, &[far]);
        let part = self.compared(&star, far).filter(|part| part.verdict.is_change());
        let Some(part) = part else { return Ok(false) };
        let levels = self.levels()?;
        let places = self.places();
        let state = self.state(&places, levels.as_ref());
        // Ends that may be equal have no direction.
        let ends = state.ends().filter(|ends| ends.is_certain(state.alpha));
        let log = part.ratio.ln();
        let is_along = ends.is_none_or(|ends| ends.estimate.signum() == log.signum());
        Ok(is_along && log.abs() > self.rule.margin.log())
    }

    fn compared(&self, star: &Lineage, at: usize) -> Option<ComparedPair> {
        // Experiments that only counted have no document yet.
        let document = self.measuring.document(star).ok()?;
        let variant = document.variant_at(&self.revisions[at].hash);
        let mut parts = document.comparisons.iter().filter(|part| {
            part.metric == *self.metric && part.baseline == 0 && Some(part.candidate) == variant
        });
        parts.next().cloned()
    }

    /// A lineage in which the other commits are children of the centre.
    pub(super) fn star(&self, centre: usize, others: &[usize]) -> Lineage {
        Lineage::star(&self.revisions[centre], others.iter().map(|&at| &self.revisions[at]))
    }

    pub(super) fn digest(&self, at: usize) -> ArtifactId {
        let artifact = self.revisions[at].built.as_ref().ok();
        artifact.map(|artifact| artifact.id.clone()).unwrap_or_default()
    }
}
