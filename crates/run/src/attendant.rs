//! The surroundings of timed runs, if they are prepared and examined one by one.

use measure::{CommandLine, FinishedRun};
use model::run::RunPlace;

/// Prepares the surroundings of each timed run, and examines the run before the next one starts. The
/// wall time of its runs lasts until their last process has ended.
pub trait Attendant {
    /// Prepares a run; may change where it runs, reads and writes, and its variables.
    ///
    /// # Errors
    ///
    /// The reason that it cannot be run.
    fn before(&self, place: RunPlace, command: &mut CommandLine) -> Result<(), String>;

    /// Examines a run that has ended, in any way.
    ///
    /// # Errors
    ///
    /// The reason that it does not count; nothing is run after it.
    fn after(&self, place: RunPlace, run: &FinishedRun) -> Result<(), String>;
}
