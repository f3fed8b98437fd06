//! What is noted of an experiment's conduct: failures, processes left behind, and instruments.

use super::Conductor;
use model::metric::{self, Source};
use model::note::Note;

impl Conductor<'_> {
    /// The notes, once it is over.
    pub(super) fn notes(&self) -> Vec<Note> {
        let failures = self.tally.failures.iter().map(|(&variant, &(runs, outcome))| {
            let how = outcome.map(|outcome| outcome.to_string()).unwrap_or_default();
            Note::Failures { variant, runs, how }
        });
        let left = self
            .tally
            .left_behind
            .iter()
            .map(|(&variant, &processes)| Note::LeftBehind { variant, processes });
        let instrumented = self.tally.instrumented_rounds.iter();
        let instrumented = instrumented.filter_map(|(&source, &rounds)| {
            let exact = self.instrument_agrees(source);
            match source {
                // A round in which nothing was read is missing with its reason.
                Source::Runtime => self
                    .has_instrumented(&metric::ASKED_WALL_TIME, source)
                    .then_some(Note::RuntimeFigures { rounds, exact }),
                Source::Sampled => Some(Note::MemorySampled { rounds }),
                // The report says of each what was found.
                Source::FollowUp => None,
                _ => self
                    .has_instrumented(&metric::INSTRUCTIONS, source)
                    .then_some(Note::Instrumented { rounds, exact }),
            }
        });
        failures.chain(left).chain(instrumented).collect()
    }
}
