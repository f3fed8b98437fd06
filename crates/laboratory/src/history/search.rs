//! `brisk history --bisect METRIC`: the commit that changed a metric, with few builds.
//!
//! [`stats::bisection`] chooses the next step, given every round of every experiment about the
//! question; this module executes it. A search that was interrupted, or whose budget was spent,
//! therefore continues where it stopped. Its result is compared again in fresh rounds, and is a
//! finding like any other.
//!
//! Instructions counted by valgrind do not depend on the load of the machine. If times are so noisy
//! that distinguishing the sides of the change would take long, the commit that changed the
//! instructions becomes a suspect; it is only reported as changing the time if fresh rounds confirm
//! it.

use super::evidence::counting_seconds;
use super::lineage::{Lineage, Revision, Unbuilt};
use super::measuring::{Effort, Measuring};
use super::range::{Limit, Question};
use super::readings::{self, Batch, Pool, Readings};
use crate::machine::WorkWatch;
use crate::watcher::Event;
use findings::{ComparedPair, Document, short};
use judge::step::is_equal_count;
use model::design::enough_rounds;
use model::design::stopping::StoppingRule;
use model::failure::Failure;
use model::metric::{self, INSTRUCTIONS, MetricId, Unit};
use model::spec::labels::ArtifactId;
use model::verdict::Verdict;
use stats::bisection::{
    Assessment, Difference, Levels, Place, Price, State, Step, looks_left, rounds_to_tell,
};
use std::collections::HashSet;
use words::quantity::percent;

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

enum Ending {
    Step(usize, usize),
    Open(Failure),
}

struct Search<'a, 'q, 'm> {
    question: &'a Question<'q>,
    measuring: &'a mut Measuring<'m, 'q>,
    metric: &'a MetricId,
    rule: StoppingRule,
    limit: Limit,
    revisions: Vec<Revision>,
    /// The commits that were built, failed to build, or could not be measured.
    tried: HashSet<usize>,
    /// The benchmark to follow, for a suite.
    benchmark: Option<String>,
    readings: Readings,
    pool: Pool,
    spent: Spent,
    /// The last message about several changes.
    told: Option<String>,
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
    fn last(&self) -> usize {
        self.revisions.len() - 1
    }

    fn name(&self, at: usize) -> &str {
        short(&self.revisions[at].hash)
    }

    fn tell(&self, text: &str) {
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
            match self.affordable(planned, &state, &counting) {
                Some(Step::Ends { rounds }) => self.probe(&[], 0, self.last(), rounds)?,
                Some(Step::Probe { places, ends: (near, far), rounds }) => {
                    self.probe(&places, near, far, rounds)?;
                }
                Some(Step::Confirm { near, far, rounds, alpha }) => {
                    let is_known = self.is_step(near, far)?;
                    let verdict = if is_known {
                        Verdict::Inconclusive
                    } else {
                        self.confirm(near, far, rounds, alpha)?
                    };
                    if is_known || self.is_step(near, far)? {
                        counting.tell_of_step(self, near, far);
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

    /// The planned step, or a confirmation instead. None if nothing is affordable.
    fn affordable(&self, planned: Step, state: &State<'_>, counting: &Counting) -> Option<Step> {
        match planned {
            Step::NoChange | Step::Nowhere => Some(planned),
            Step::Confirm { .. } => {
                (!self.is_spent(1.0) || self.is_known(&planned)).then_some(planned)
            }
            Step::Ends { .. } | Step::Probe { .. } => match counting.suspects() {
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

    fn read(&mut self, metric: &MetricId) -> Result<Vec<Batch>, Failure> {
        self.readings.all(self.measuring, metric, self.benchmark.as_deref())
    }

    fn places(&mut self) -> Vec<Place> {
        let Self { revisions, pool, tried, .. } = self;
        readings::places(revisions, pool, &|at| tried.contains(&at))
    }

    /// The state of each commit, with the artefact numbers of a pool.
    fn places_of(&self, pool: &mut Pool) -> Vec<Place> {
        readings::places(&self.revisions, pool, &|at| self.tried.contains(&at))
    }

    fn state<'s>(&self, places: &'s [Place], levels: Option<&'s Levels>) -> State<'s> {
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

    fn rounds_of(&self, places: &[usize]) -> u32 {
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
    fn build(&mut self, places: &[usize]) -> Result<Vec<usize>, Failure> {
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
        near: usize,
        far: usize,
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
        let all = [&[near, far], &built[..]].concat();
        let before: Vec<u32> = all.iter().map(|&at| self.rounds_of(&[at])).collect();
        let most = self.limit.most_rounds;
        let done = before[2..].iter().min().or(before.iter().min()).copied().unwrap_or(0);
        let rounds = rounds.min(most.saturating_sub(done)).max(1);
        self.measuring.aim(Effort::Probe { rounds });
        let star = self.star(near, &all[1..]);
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

    fn spend(
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
        near: usize,
        far: usize,
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
    fn is_step(&mut self, near: usize, far: usize) -> Result<bool, Failure> {
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
    fn star(&self, centre: usize, others: &[usize]) -> Lineage {
        Lineage::star(&self.revisions[centre], others.iter().map(|&at| &self.revisions[at]))
    }

    fn digest(&self, at: usize) -> ArtifactId {
        let artifact = self.revisions[at].built.as_ref().ok();
        artifact.map(|artifact| artifact.id.clone()).unwrap_or_default()
    }

    /// Reports once that there are several changes.
    fn tell_of_several(&mut self, state: &State<'_>) {
        let known = state.assessment();
        let several = known.and_then(|known| readings::several(&known, &self.revisions));
        if let Some(several) = several.filter(|several| self.told.as_ref() != Some(several)) {
            self.tell(&several);
            self.told = Some(several);
        }
    }

    /// Reports the uncertainty of a step next to commits that do not build.
    fn tell_of_unbuilt(&self, near: usize, far: usize) {
        let between = far - near - 1;
        if between > 0 {
            let commits = if between == 1 { "the commit" } else { "one of the commits" };
            self.tell(&format!(
                "the change is in {} or in {commits} before it, after {}, which {}",
                self.name(far),
                self.name(near),
                if between == 1 { "does not build" } else { "do not build" }
            ));
        }
    }

    /// Tells of each probe: its ratio to the beginning, and the commits that remain possible.
    fn tell_probes(&mut self, probes: &[usize], levels: Option<&Levels>) {
        let places = self.places();
        let state = self.state(&places, levels);
        let assessment = state.assessment().filter(|_| probes != [self.last()]);
        let still = assessment.map(|known| readings::still(&known, &self.revisions));
        for (number, &at) in probes.iter().enumerate() {
            let Some(difference) = difference(&state, 0, at) else { continue };
            let is_last = number + 1 == probes.len();
            let still = still.as_ref().filter(|_| is_last);
            self.tell(&format!(
                "bisecting: {} has {} times the {} of {} after {} rounds{}",
                self.name(at),
                readings::ratio(&difference),
                words::label(self.metric),
                self.name(0),
                self.rounds_of(&[at]),
                still.map(|still| format!("; it is {still}")).unwrap_or_default()
            ));
        }
    }

    fn no_difference(&self, state: &State<'_>) -> Failure {
        let seen = state.ends().map(|ends| readings::ratio(&ends));
        Failure::new(format!(
            "{} does not certainly change between {} and {}: {}",
            words::label(self.metric),
            self.name(0),
            self.name(self.last()),
            seen.unwrap_or_else(|| "too few rounds".to_owned())
        ))
    }

    fn unchanged(&self, state: &State<'_>) -> Failure {
        let margin = percent(self.rule.margin.fraction());
        self.no_difference(state)
            .because(format!("any change is certainly below the margin of {margin}"))
            .hint(Some("`--margin` looks for smaller ones"))
    }

    /// The failure of an inconclusive search, with the findings so far.
    fn stays_open(&self, state: &State<'_>, counting: &Counting) -> Failure {
        let more =
            Some("run the same command again to continue; a longer `--budget` measures for longer");
        let ends = state.ends().filter(|ends| ends.is_certain(state.alpha));
        let Some(assessment) = ends.and_then(|_| state.assessment()) else {
            let failure = self.no_difference(state);
            return counting.because(self, failure).hint(more);
        };
        let (near, far, _) = assessment.most_probable();
        let failure = Failure::new(format!(
            "the commit that changed {} is not certain: it is {}",
            words::label(self.metric),
            readings::still(&assessment, &self.revisions)
        ));
        let likeliest = format!(
            "{} is the likeliest, with {}: {} times what {} takes",
            self.name(far),
            readings::likelihood(&assessment),
            difference(state, near, far).as_ref().map_or("?".to_owned(), readings::ratio),
            self.name(near),
        );
        let spread = (!assessment.between.is_empty())
            .then(|| readings::several(&assessment, &self.revisions))
            .flatten();
        let failure = spread.into_iter().fold(failure.because(likeliest), Failure::because);
        counting.because(self, failure).hint(more)
    }
}

/// The difference of the artefact of one commit from that of another, if it is known.
fn difference(state: &State<'_>, near: usize, far: usize) -> Option<Difference> {
    match (state.places[near], state.places[far]) {
        (Place::Artefact(near), Place::Artefact(far)) => state.levels?.difference(near, far),
        _ => None,
    }
}

pub(super) struct Found {
    /// All commits. Those that were not needed are marked as not tried.
    pub(super) lineage: Lineage,
    /// The commit before the change, and the one with it. None if the search is inconclusive.
    ends: Option<(usize, usize)>,
    pub(super) open: Option<Failure>,
}

impl Found {
    /// The document with the finding alone: distant commits may differ by other changes.
    pub(super) fn step_alone(&self, mut document: Document) -> Document {
        let hash = |end: usize| self.lineage.revisions[end].hash.as_str();
        let ends = self.ends.map(|(near, far)| (hash(near), hash(far)));
        let pair =
            ends.and_then(|(near, far)| document.variant_at(near).zip(document.variant_at(far)));
        document.comparisons.retain(|part| Some((part.baseline, part.candidate)) == pair);
        document.answers.retain(|answer| Some((answer.baseline, answer.candidate)) == pair);
        let is_of_it = |variant: u32| pair.is_some_and(|(a, b)| a == variant || b == variant);
        document.notes.retain(|note| note.about().is_none_or(is_of_it));
        let far = ends.map(|(_, far)| far);
        if let Some(history) = document.history_mut() {
            history.steps.retain(|one| Some(&*one.commit) == far);
            history.drifts.clear();
        }
        document
    }
}

/// Each commit is counted twice, to see whether the count is exact, and timed as often.
const RUNS: u32 = 2;

/// The factor by which counting must be faster than timing: its finding needs confirmation.
const TIMES_AS_FAST: f64 = 2.0;

/// The smallest change of instructions that raises a suspicion, relative to that of the time.
const LEAST_SHARE: f64 = 0.1;

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

struct Counting(Standing);

impl Counting {
    /// A new search. Closed unless the metric is a time and counting is allowed.
    fn new(question: &Question<'_>, metric: &MetricId) -> Self {
        let is_time = metric::find(metric).is_some_and(|metric| metric.unit == Unit::Seconds);
        let may = is_time && question.may_count();
        Self(if may { Standing::Open } else { Standing::Closed })
    }

    /// True if counting pays against `timing` seconds, for `looks` commits of `a_run` seconds.
    fn pays(&self, timing: f64, looks: f64, a_run: f64) -> bool {
        let counting = (looks + 2.0) * f64::from(RUNS) * counting_seconds(a_run);
        self.0 == Standing::Open && timing > TIMES_AS_FAST * counting
    }

    /// The two commits between which the instructions change.
    fn suspects(&self) -> Option<(usize, usize)> {
        match self.0 {
            Standing::Suspects { near, far, .. } => Some((near, far)),
            Standing::Open | Standing::Closed | Standing::Equal(_) => None,
        }
    }

    /// Ends the search: the counts do not explain the metric.
    fn give_up(&mut self) {
        self.0 = Standing::Closed;
    }

    /// Searches for the commit; `ends` is the change of the metric, if certain.
    fn search(
        &mut self,
        search: &mut Search<'_, '_, '_>,
        ends: Option<Difference>,
    ) -> Result<(), Failure> {
        search.tell(&format!(
            "counting instructions: {} varies too much for a short search",
            words::label(search.metric)
        ));
        let found = suspects(search)?;
        match &found {
            Standing::Equal(_) => search.tell(&format!(
                "counting instructions: {} and {} execute as many",
                search.name(0),
                search.name(search.last())
            )),
            Standing::Suspects { near, far, change } if agrees(change, ends) => {
                search.tell(&format!(
                    "counting instructions: {} executes {} times the instructions of {}; whether that changes \
                     {} is measured now",
                    search.name(*far),
                    readings::ratio(change),
                    search.name(*near),
                    words::label(search.metric)
                ));
            }
            _ => {
                search.tell("counting instructions: the counts do not decide");
                self.0 = Standing::Closed;
                return Ok(());
            }
        }
        self.0 = found;
        Ok(())
    }

    /// Reports that the step between two commits was found by counting, if it was.
    fn tell_of_step(&self, search: &Search<'_, '_, '_>, from: usize, to: usize) {
        if let Standing::Suspects { near, far, change } = &self.0
            && (*near, *far) == (from, to)
        {
            search.tell(&format!(
                "{} was found by counting instructions ({}), and confirmed in {}",
                search.name(*far),
                readings::ratio(change),
                words::label(search.metric)
            ));
        }
    }

    /// Adds the result of counting to a failure, without a claim about the metric.
    fn because(&self, search: &Search<'_, '_, '_>, failure: Failure) -> Failure {
        match &self.0 {
            Standing::Suspects { near, far, change } => failure.because(format!(
                "instructions change with {}, to {} times those of {}; that {} changes with it is \
                 not confirmed",
                search.name(*far),
                readings::ratio(change),
                search.name(*near),
                words::label(search.metric)
            )),
            Standing::Equal(ratio) => failure.because(format!(
                "both execute as many instructions ({} times), so a change of {} would not come from the \
                 work that they do",
                readings::ratio(ratio),
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

/// The two commits between which the instructions change, unless the counts are equal or inconclusive.
fn suspects(search: &mut Search<'_, '_, '_>) -> Result<Standing, Failure> {
    let last = search.revisions.len() - 1;
    let mut counted = Counted { pool: Pool::default(), places: Vec::new() };
    counted.count(search, &[0, last])?;
    loop {
        let Some(levels) = counted.levels(search)? else { return Ok(Standing::Closed) };
        let places = search.places_of(&mut counted.pool);
        let state = search.state(&places, Some(&levels));
        if let Some(ends) = state.ends().filter(|ends| is_equal_count(ends.estimate.exp())) {
            return Ok(Standing::Equal(ends));
        }
        let Some(known) = state.assessment() else { return Ok(Standing::Closed) };
        let (near, far, _) = known.most_probable();
        match state.next() {
            Step::Probe { places: probes, .. } => {
                let new: Vec<usize> =
                    probes.into_iter().filter(|at| !counted.places.contains(at)).collect();
                if new.is_empty() {
                    return Ok(change_between(&known, &state, near, far));
                }
                counted.count(search, &new)?;
            }
            Step::Confirm { near, far, .. } => {
                return Ok(change_between(&known, &state, near, far));
            }
            Step::Ends { .. } | Step::NoChange | Step::Nowhere => return Ok(Standing::Closed),
        }
    }
}

fn change_between(known: &Assessment, state: &State<'_>, near: usize, far: usize) -> Standing {
    let is_along = |change: &Difference| change.estimate.signum() == known.change.estimate.signum();
    match difference(state, near, far).filter(is_along) {
        Some(change) => Standing::Suspects { near, far, change },
        None => Standing::Closed,
    }
}

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
