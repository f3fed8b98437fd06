//! Notes on an experiment's conduct: failures, leftover processes, and instruments.

use super::Conductor;
use model::metric::{self, Source};
use model::note::Note;

impl Conductor<'_> {
    /// The notes at the end of the experiment.
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
                // A round without readings is missing, with its reason.
                Source::Runtime => self
                    .has_instrumented(&metric::ASKED_WALL_TIME, source)
                    .then_some(Note::RuntimeFigures { rounds, exact }),
                Source::Sampled => Some(Note::MemorySampled { rounds }),
                // The report lists each finding.
                Source::FollowUp => None,
                _ => self
                    .has_instrumented(&metric::INSTRUCTIONS, source)
                    .then_some(Note::Instrumented { rounds, exact }),
            }
        });
        failures.chain(left).chain(instrumented).collect()
    }
}
