//! How long an experiment still takes, with all that comes after its rounds.

use super::Conductor;
use super::instrumented::{INSTRUMENTED_ROUNDS, SAMPLED_ROUNDS};
use crate::forecast::{Left, of_rounds};
use crate::judge::comparison::Comparison;
use crate::metric::Source;
use crate::run::Phase;

/// How many times as long a round takes under an instrument, before one was seen: at least, mostly,
/// at most. Valgrind's manual says 20 to 100 of its tools; asking a runtime costs little.
fn slowdown(source: Source) -> (f64, f64, f64) {
    match source {
        Source::Valgrind => (10.0, 40.0, 100.0),
        Source::Run | Source::Runtime | Source::Sampled | Source::FollowUp => (0.9, 1.05, 1.5),
    }
}

/// The instruments in the order in which they follow each other.
const INSTRUMENTS: [Source; 3] = [Source::Runtime, Source::Valgrind, Source::Sampled];

impl Conductor<'_> {
    /// The time on the conductor's clock, in seconds; for runs of the past, their own.
    pub(super) fn now(&self) -> f64 {
        if self.design.replayed {
            self.timing.elapsed_seconds()
        } else {
            self.watch.elapsed().as_secs_f64()
        }
    }

    /// How long it still takes; none before anything is known.
    pub(super) fn left(&self) -> Option<Left> {
        let now = self.now();
        let rule = &self.design.stopping;
        let pace = self.marks.pace(now);
        match self.phase {
            Phase::WarmUp => {
                let pace = pace?;
                let warming = Left::about(pace.until(f64::from(rule.warmup)));
                let each = pace.seconds_each;
                let fresh = crate::forecast::Pace { done: 0.0, passed: 0.0, ..pace };
                Some(warming.and(of_rounds(rule, &fresh, 0.0, None)).and(self.after_rounds(each)))
            }
            Phase::Rounds => {
                let pace = pace?;
                let elapsed = self.progress().elapsed_seconds;
                let rounds = of_rounds(rule, &pace, elapsed, self.settled_round(pace.seconds_each));
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
                Some(
                    self.under_all(later, usual)
                        .fold(this, Left::and)
                        .and(self.outputs_left(usual)),
                )
            }
        }
    }

    /// What the least rounds take in all, in seconds: at least, where none has ended yet.
    pub(super) fn least_seconds(&self) -> Option<f64> {
        let (rule, now) = (&self.design.stopping, self.now());
        let a_round = match self.marks.pace(now) {
            Some(pace) => pace.seconds_each,
            None => self.marks.waited(now),
        };
        let is_known = matches!(self.phase, Phase::WarmUp | Phase::Rounds) && a_round > 0.0;
        is_known.then(|| a_round * f64::from(rule.min_rounds))
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

    /// Each variant is run once more for what it prints, and twice where it differs.
    fn outputs_left(&self, seconds_a_round: f64) -> Left {
        match self.design.claims_equal_work {
            true => Left { most: Some(2.0 * seconds_a_round), ..Left::about(seconds_a_round) },
            false => Left::NOTHING,
        }
    }

    /// The round at which everything is settled, as the last look makes one expect; it ends at a look,
    /// and not before a part of the budget has passed.
    fn settled_round(&self, seconds_a_round: f64) -> Option<f64> {
        let soonest =
            self.design.stopping.budget_seconds.map_or(0.0, |budget| {
                super::SOONEST * budget / seconds_a_round.max(f64::MIN_POSITIVE)
            });
        let expected = self.settles_at?.max(soonest);
        let min = self.design.stopping.min_rounds as usize;
        let mut look = self.looked.unwrap_or(0) as usize;
        while (look as f64) < expected {
            let next = stats::sequential::next_look(look, min);
            if next <= look || next > crate::run::tag::MOST_ROUNDS as usize {
                return None;
            }
            look = next;
        }
        Some(look as f64)
    }

    /// Takes note of when a comparison may be settled: all of a look have to be.
    pub(super) fn expect_settled(&mut self, comparison: &Comparison, is_settled: bool) {
        let stopping = &self.design.stopping;
        let rounds = match is_settled {
            true => Some(f64::from(self.rounds)),
            false => comparison.settles_after(stopping.margin, stopping.resolution),
        };
        self.settles_at = self.settles_at.zip(rounds).map(|(so_far, this)| so_far.max(this));
    }
}

/// How many rounds an instrument has: few, and more where they do not agree.
fn rounds_under(source: Source) -> (u32, u32) {
    if source == Source::Sampled { (SAMPLED_ROUNDS, SAMPLED_ROUNDS) } else { INSTRUMENTED_ROUNDS }
}

/// What an instrument's rounds take, before one was seen.
fn under(source: Source, seconds_a_round: f64) -> Left {
    let ((few, many), (least, likely, most)) = (rounds_under(source), slowdown(source));
    let seconds = |rounds: u32, times: f64| f64::from(rounds) * seconds_a_round * times;
    Left {
        least: seconds(few, least),
        likely: seconds(few, likely),
        most: Some(seconds(many, most)),
    }
}
