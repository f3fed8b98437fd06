//! The time left in an experiment, including everything after its rounds.
//!
//! The pace of a phase is that of its last rounds. The budget limits the rounds, and the scatter so
//! far forecasts the look that settles each comparison; instruments and outputs follow.

use super::{Conductor, INSTRUMENTED_ROUNDS, SAMPLED_ROUNDS, SOONEST};
use judge::forecast::{self, Left, of_rounds};
use judge::sequence::{LookAhead, precise_look, settling_look};
use model::design::Member;
use model::design::stopping::{Progress, StoppingRule};
use model::metric::{self, CPU_TIME, Source, WALL_TIME};
use model::sample::Pairs;
use run::Phase;
use stats::detect::Scatter;
use std::collections::VecDeque;

/// The slowdown of a round under an instrument, before one was seen: lower bound, likely value,
/// upper bound. Valgrind's manual gives 20 to 100 for its tools; querying a runtime costs little.
fn slowdown(source: Source) -> (f64, f64, f64) {
    match source {
        Source::Valgrind => (10.0, 40.0, 100.0),
        Source::Run | Source::Runtime | Source::Sampled | Source::FollowUp => (0.9, 1.05, 1.5),
    }
}

/// The instruments in the order of their rounds.
const INSTRUMENTS: [Source; 3] = [Source::Runtime, Source::Valgrind, Source::Sampled];

impl Conductor<'_> {
    /// The time on the conductor's clock, in seconds; for replayed runs, on their own.
    pub(super) fn now(&self) -> f64 {
        if self.design.replayed {
            self.timing.elapsed_seconds()
        } else {
            self.watch.elapsed().as_secs_f64()
        }
    }

    /// The time left; `None` before anything is known.
    pub(super) fn left(&self) -> Option<Left> {
        let now = self.now();
        let rule = &self.design.stopping;
        let pace = self.marks.pace(now);
        match self.phase {
            Phase::WarmUp => {
                let pace = pace?;
                let warming = Left::about(pace.until(f64::from(rule.warmup)));
                let each = pace.seconds_each;
                let fresh = forecast::Pace { done: 0.0, passed: 0.0, ..pace };
                Some(warming.and(of_rounds(rule, &fresh, 0.0, None)).and(self.after_rounds(each)))
            }
            Phase::Rounds => {
                let pace = pace?;
                let elapsed = self.progress().elapsed_seconds;
                let rounds = of_rounds(rule, &pace, elapsed, self.settled_round);
                Some(rounds.and(self.after_rounds(pace.seconds_each)))
            }
            Phase::Instrumented(source) => {
                let usual = self.seconds_a_round?;
                let (few, many) = rounds_under(source);
                let this = match pace {
                    Some(pace) => {
                        let few = if pace.done >= f64::from(few) { many } else { few };
                        let until = |rounds: u32| pace.until(f64::from(rounds));
                        Left { least: until(few), likely: until(few), most: Some(until(many)) }
                    }
                    None => under(source, usual),
                };
                let later = INSTRUMENTS.into_iter().skip_while(|one| *one != source).skip(1);
                let after = self.under_all(later, usual).fold(this, Left::and);
                Some(after.and(self.outputs_left(usual)))
            }
        }
    }

    /// The total time of the minimum number of rounds, in seconds; `None` before a run has ended.
    pub(super) fn least_seconds(&self) -> Option<f64> {
        let pace = self.marks.pace(self.now())?;
        let is_known = matches!(self.phase, Phase::WarmUp | Phase::Rounds);
        is_known.then(|| pace.seconds_each * f64::from(self.design.stopping.min_rounds))
    }

    fn after_rounds(&self, seconds_a_round: f64) -> Left {
        let all = self.under_all(INSTRUMENTS.into_iter(), seconds_a_round);
        all.fold(Left::NOTHING, Left::and).and(self.outputs_left(seconds_a_round))
    }

    fn under_all(
        &self,
        sources: impl Iterator<Item = Source>,
        seconds_a_round: f64,
    ) -> impl Iterator<Item = Left> {
        let wanted = sources.filter(|source| self.design.instruments.contains(source));
        wanted.map(move |source| under(source, seconds_a_round))
    }

    /// Each variant is run once more for its output, and twice if outputs differ.
    fn outputs_left(&self, seconds_a_round: f64) -> Left {
        match self.design.claims_equal_work {
            true => Left { most: Some(2.0 * seconds_a_round), ..Left::about(seconds_a_round) },
            false => Left::NOTHING,
        }
    }

    /// The looks to come, until the budget is spent or the maximum number of rounds is reached.
    fn looks_ahead(&self, seconds_a_round: f64) -> Vec<LookAhead> {
        let rule = &self.design.stopping;
        let now = self.progress();
        let mut looks = Vec::new();
        let mut rounds = self.next_look();
        loop {
            let more = f64::from(rounds.saturating_sub(now.rounds));
            let elapsed_seconds = now.elapsed_seconds + more * seconds_a_round;
            let then = Progress { rounds, elapsed_seconds };
            let is_over = rule.share(then) >= 1.0 || rounds >= rule.max_rounds;
            let clock = rule.clock(then);
            let can_find_all = || self.sequence.can_find_all(rounds, clock);
            // The value of a single variant has no error to spend.
            if is_over || self.design.variants == 1 || (clock >= SOONEST && can_find_all()) {
                looks.push(LookAhead { rounds, clock });
            }
            if is_over {
                return looks;
            }
            let next = stats::sequential::next_look(rounds as usize, rule.min_rounds as usize);
            rounds = u32::try_from(next).unwrap_or(u32::MAX);
        }
    }

    /// Forecasts the round at which everything will be settled, at intervals like those of looks.
    pub(super) fn foresee(&mut self) {
        let is_open = !self.design.stopping.is_fixed() && self.field.is_none();
        if !is_open || self.rounds < self.foresight_at {
            return;
        }
        let next = stats::sequential::next_look(self.rounds as usize, FEWEST_ROUNDS as usize);
        self.foresight_at = u32::try_from(next).unwrap_or(u32::MAX);
        if self.decides_nothing() {
            self.settled_round = Some(self.design.stopping.min_rounds);
            return;
        }
        let Some(pace) = self.marks.pace(self.now()) else { return };
        let looks = self.looks_ahead(pace.seconds_each);
        let open = self.standings.open();
        let alone = (self.design.variants == 1 && open.is_empty()).then_some((0, 0));
        let pairs = open.into_iter().map(|(_, pair)| pair).chain(alone);
        self.settled_round = latest(
            pairs.map(|(baseline, candidate)| self.settling_round(baseline, candidate, &looks)),
        );
    }

    /// The round at which all deciding metrics of a pair will be settled, if they will be.
    fn settling_round(&self, baseline: u32, candidate: u32, looks: &[LookAhead]) -> Option<u32> {
        let deciding = self.sequence.members().iter().filter(|member| member.decides);
        if baseline == candidate && !self.design.levels_decide {
            return Some(self.design.stopping.min_rounds);
        }
        if baseline == candidate {
            let StoppingRule { margin, resolution, .. } = self.design.stopping;
            let wanted = (margin.fraction() * resolution.max(1.0)).ln_1p();
            let one = |member: &Member| {
                // The scatter of runs about the middle says little about their quantiles.
                let is_quantile = member.metric.quantile().is_some();
                let column =
                    self.columns.get(&member.metric, Source::Run).filter(|_| !is_quantile)?;
                let values = column.of_variant(candidate).into_iter();
                let logs: Vec<f64> = values.map(f64::ln).collect();
                precise_look(Scatter::of_rounds(&logs)?, wanted, looks)
            };
            return latest(deciding.map(one));
        }
        let one = |member: &Member| {
            let own = self.settling_round_of(member, baseline, candidate, looks);
            let contrasts = &self.design.contrasts;
            let has_limit = contrasts.limits_of(baseline, candidate, &member.metric).count() > 0;
            let is_busy =
                member.metric == WALL_TIME && !has_limit && self.is_contended(baseline, candidate);
            let cpu = Member { metric: CPU_TIME, ..member.clone() };
            let of_cpu = is_busy.then(|| self.settling_round_of(&cpu, baseline, candidate, looks));
            [own, of_cpu.flatten()].into_iter().flatten().min()
        };
        latest(deciding.map(one))
    }

    fn settling_round_of(
        &self,
        member: &Member,
        baseline: u32,
        candidate: u32,
        looks: &[LookAhead],
    ) -> Option<u32> {
        let contrasts = &self.design.contrasts;
        let limits: Vec<f64> = contrasts.limits_of(baseline, candidate, &member.metric).collect();
        let Pairs { baseline, candidate } =
            self.columns.get(&member.metric, Source::Run)?.pairs(baseline, candidate);
        let direction = metric::find(&member.metric)?.direction;
        let rule = &self.design.stopping;
        let estimator = member.metric.estimator(rule.estimator.into());
        let scatter = Scatter::of_pairs(&baseline, &candidate, estimator)?;
        settling_look(scatter, direction, member.alpha, rule, &limits, looks)
    }
}

fn latest(mut rounds: impl Iterator<Item = Option<u32>>) -> Option<u32> {
    rounds.try_fold(0, |latest, round| Some(latest.max(round?)))
}

pub(super) const FEWEST_ROUNDS: u32 = 2;

/// The number of an instrument's rounds: few, and more if they disagree.
fn rounds_under(source: Source) -> (u32, u32) {
    if source == Source::Sampled { (SAMPLED_ROUNDS, SAMPLED_ROUNDS) } else { INSTRUMENTED_ROUNDS }
}

/// The time of an instrument's rounds, before one was seen.
fn under(source: Source, seconds_a_round: f64) -> Left {
    let ((few, many), (least, likely, most)) = (rounds_under(source), slowdown(source));
    let seconds = |rounds: u32, times: f64| f64::from(rounds) * seconds_a_round * times;
    Left {
        least: seconds(few, least),
        likely: seconds(few, likely),
        most: Some(seconds(many, most)),
    }
}

/// The number of recent rounds that count: points may have left, or the machine may have become
/// busier.
const ROUNDS: f64 = 4.0;

/// The least number of marks: short rounds come in quick succession, and fewer marks are too
/// imprecise.
const LEAST_MARKS: usize = 8;

/// The progress of a phase over time.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks {
    /// The time in seconds, and the rounds that were done.
    marks: VecDeque<(f64, f64)>,
    /// The part of a round that one run makes up.
    piece: f64,
}

impl Marks {
    /// Begins or resumes a phase.
    pub(super) fn begin(&mut self, now: f64, rounds: f64) {
        self.marks.clear();
        self.marks.push_back((now, rounds));
    }

    /// Records the end of a run, in a round with this number of runs.
    pub(super) fn ran(&mut self, now: f64, rounds: f64, runs: u32) {
        self.piece = 1.0 / f64::from(runs.max(1));
        if self.marks.back().is_some_and(|(_, before)| *before >= rounds) {
            return;
        }
        self.marks.push_back((now, rounds));
        while self.marks.len() > LEAST_MARKS && self.marks[1].1 <= rounds - ROUNDS {
            self.marks.pop_front();
        }
    }

    /// The pace; `None` before a run has ended.
    pub(super) fn pace(&self, now: f64) -> Option<forecast::Pace> {
        let (&(from, before), &(last, done)) = (self.marks.front()?, self.marks.back()?);
        let seconds_each = (last - from) / (done > before).then_some(done - before)?;
        let passed = (now - last).max(0.0);
        Some(forecast::Pace { done, seconds_each, piece: self.piece, passed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rounds_tell_how_fast_it_goes() {
        let mut marks = Marks::default();
        assert!(marks.pace(5.0).is_none());
        marks.begin(10.0, 0.0);
        assert!(marks.pace(12.0).is_none());
        // Two runs a round: ten rounds of 4 s, and ten of 1 s.
        let mut now = 10.0;
        for run in 1..=40 {
            now += if run <= 20 { 2.0 } else { 0.5 };
            marks.ran(now, f64::from(run) / 2.0, 2);
        }
        let pace = marks.pace(now + 0.25).expect("runs have ended");
        assert!((pace.seconds_each - 1.0).abs() < 1e-9, "{pace:?}");
        assert!((pace.passed - 0.25).abs() < 1e-9);
        assert!((pace.until(22.0) - 1.75).abs() < 1e-9);
    }
}
