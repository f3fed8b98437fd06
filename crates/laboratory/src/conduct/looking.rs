//! Looks: their times, the comparisons that they settle, and the decision to continue.

use super::field::Field;
use super::{Conductor, SOONEST};
use judge::diagnosis;
use model::design::stopping::{Next, StopReason};
use model::metric::{MetricId, Source, WALL_TIME};
use run::looks::LookTaken;
use store::record;

impl Conductor<'_> {
    /// Takes a look now; returns true if every deciding verdict is settled.
    pub(super) fn look(&mut self) -> bool {
        let progress = self.progress();
        let look = LookTaken {
            rounds: self.rounds,
            clock: self.design.stopping.clock(progress),
            elapsed_seconds: progress.elapsed_seconds,
        };
        if let Err(trouble) = self.keeper.keep(record::Event::Look(look)) {
            self.trouble = Some(trouble);
        }
        self.take_look(look)
    }

    /// Takes a look; returns true if every deciding verdict is settled.
    pub(super) fn take_look(&mut self, look: LookTaken) -> bool {
        self.sequence.look(look.rounds, look.clock);
        self.field.iter_mut().for_each(|field| field.compare_at(look.rounds, look.clock));
        self.looked = Some(look.rounds);
        let mut open = self.standings.open();
        if let Some(field) = &self.field {
            open.retain(|(_, (baseline, candidate))| {
                field.takes_part(*baseline) && field.takes_part(*candidate)
            });
        }
        let mut settled = Vec::new();
        for &(number, (baseline, candidate)) in &open {
            if self.is_pair_settled(baseline, candidate) {
                settled.push(number);
            }
        }
        let all = settled.len() == open.len() && !self.design.contrasts.pairs.is_empty();
        if self.may_end(look.clock) && !self.design.stopping.is_fixed() && self.field.is_none() {
            self.standings.settle(&settled, self.sequence.looks() - 1);
        }
        let is_decided = |field: &Field| field.is_decided(&self.columns);
        all && (self.design.stopping.is_fixed() || self.field.as_ref().is_none_or(is_decided))
    }

    /// True if measuring may end after the last look: not so early that another judged metric could
    /// have no interval.
    fn may_end(&self, clock: f64) -> bool {
        clock >= SOONEST && self.sequence.has_intervals()
    }

    pub(super) fn next_look(&self) -> u32 {
        let min = self.design.stopping.min_rounds;
        if self.design.stopping.is_fixed() {
            return min;
        }
        let next = stats::sequential::next_look(self.looked.unwrap_or(0) as usize, min as usize);
        u32::try_from(next).unwrap_or(u32::MAX)
    }

    pub(super) fn more_measured(&mut self) -> u32 {
        loop {
            self.look_at_field();
            if self.field.as_ref().is_some_and(|field| field.left() == 0) {
                self.stop = Some(StopReason::Failed);
                return 0;
            }
            if self.nobody_is_left() {
                if self.rounds > 0 && self.looked != Some(self.rounds) {
                    self.look();
                }
                self.stop = Some(StopReason::Settled);
                return 0;
            }
            let next = self.design.stopping.next(self.progress(), self.next_look(), self.looked);
            match next {
                Next::Rounds(more) => {
                    let field = self.field.as_ref();
                    return field.map_or(more, |field| more.min(field.until_look(self.rounds)));
                }
                Next::LastLook(reason) => {
                    self.look();
                    self.stop = Some(reason);
                    return 0;
                }
                Next::Look if self.due_look() => {
                    self.stop = Some(StopReason::Settled);
                    return 0;
                }
                Next::Look => {}
            }
        }
    }

    /// True if no number of rounds could decide anything.
    pub(super) fn decides_nothing(&self) -> bool {
        !self.design.levels_decide && self.design.contrasts.compared().next().is_none()
    }

    /// Takes the look that is due, unless it could find nothing; returns true if measuring may end.
    pub(super) fn due_look(&mut self) -> bool {
        self.looked = Some(self.rounds);
        if self.decides_nothing() {
            return true;
        }
        if self.design.variants == 1 && self.design.contrasts.pairs.is_empty() {
            let is_settled = |id: &MetricId| self.is_level_settled(id, 0) == Some(true);
            let walls = self.columns.get(&WALL_TIME, Source::Run);
            if walls.is_some_and(|walls| diagnosis::is_rarity_open(&walls.of_variant(0))) {
                return false;
            }
            let named = self.design.metrics.iter().flatten();
            let mut quantiles = named.filter(|id| id.quantile().is_some());
            return is_settled(&WALL_TIME) && quantiles.all(is_settled);
        }
        let clock = self.design.stopping.clock(self.progress());
        self.sequence.can_find(self.rounds, clock) && self.look() && self.may_end(clock)
    }
}
