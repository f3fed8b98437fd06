//! What conducting a sweep adds: points leave, and the round goes on without them.

use super::Conductor;
use crate::metric::Source;
use crate::run::Run;

impl Conductor<'_> {
    /// Whether a run takes its variant out of the sweep.
    pub(super) fn fails(&self, run: &Run) -> bool {
        self.field.as_ref().is_some_and(|field| field.fails(run.outcome))
    }

    /// Takes note of a run that takes its variant out.
    pub(super) fn take_failed(&mut self, run: &Run) {
        let Some(field) = &mut self.field else { return };
        field.fail(run);
        if run.place.source == Source::Run && !run.place.warmup {
            self.count(run);
        }
    }

    /// In a sweep, sees who takes part in the next round.
    pub(super) fn look_at_field(&mut self) {
        if let Some(field) = &mut self.field {
            field.look(self.rounds, &self.columns);
            field.begin_round();
        }
    }
}
