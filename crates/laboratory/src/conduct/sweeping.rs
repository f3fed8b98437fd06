//! Additions for sweeps: points leave, and the round continues without them.

use super::Conductor;

impl Conductor<'_> {
    /// In a sweep, determines the points of the next round.
    pub(super) fn look_at_field(&mut self) {
        if let Some(field) = &mut self.field {
            field.look(self.rounds, &self.columns);
            field.begin_round();
        }
    }
}
