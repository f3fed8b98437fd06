//! What conducting a sweep adds: points leave, and the round goes on without them.

use super::Conductor;

impl Conductor<'_> {
    /// In a sweep, sees who takes part in the next round.
    pub(super) fn look_at_field(&mut self) {
        if let Some(field) = &mut self.field {
            field.look(self.rounds, &self.columns);
            field.begin_round();
        }
    }
}
