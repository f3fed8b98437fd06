//! Separate runs that show more about a finding.
//!
//! In a process with many benchmarks, the system's counts cannot be attributed to any one of them.
//! So a benchmark found to depend on another is run again after that one alone. The usage of a
//! process that lists the benchmarks and runs none is measured beforehand.

use measure::{Outcome, Stdout};
use toolchains::harness::adapter::{Arranges, Selection};

use super::command;
use super::{SuiteExecutor, Turn};
use crate::{Answer, Event, Observer, Phase, RunError};
use model::metric::{Readings, Source};
use model::run::Round;
use model::spec::suite::Arrangement;

/// The number of processes that measure the start-up of a program.
const STARTS: u32 = 3;

/// The number of processes that follow up each finding.
const ROUNDS: u32 = 5;

/// Two benchmarks, one after the other, in a separate process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowUp {
    /// The variant that runs first.
    pub before: u32,
    /// The variant that was found to depend on it.
    pub variant: u32,
}

impl SuiteExecutor<'_> {
    /// Measures the usage of a process of each program that runs no benchmark. If that fails, the
    /// usage is unknown, without further consequences.
    pub(super) fn start_up(&mut self, observer: &mut dyn Observer) -> Result<Answer, RunError> {
        let suite = self.suite;
        for (number, program) in suite.programs.iter().enumerate() {
            for _ in 0..STARTS {
                let start = |source| RunError::Start { name: program.name.clone(), source };
                let mut command =
                    command::listing(program, Selection::Everything).resolve().map_err(start)?;
                command.stdout = Stdout::File(self.folder.path().join("printed"));
                let Some(finished) = self.run(command, 0, &program.name, observer)? else {
                    return Ok(Answer::Abort);
                };
                if finished.outcome == Outcome::Exited(0) {
                    self.shares.take_start(number, &Readings::of_run(&finished));
                }
            }
        }
        Ok(Answer::Continue)
    }

    /// True if the harness of the program can run one benchmark directly after another.
    pub fn can_follow_up(&self, follow_up: FollowUp) -> bool {
        let [before, variant] = [follow_up.before, follow_up.variant]
            .map(|variant| &self.suite.members[variant as usize]);
        let program = &self.suite.programs[variant.program];
        let place = |name: &String| program.listed.iter().position(|listed| listed == name);
        matches!(program.harness.arranges, Arranges::AsNamed)
            || place(&before.benchmark) < place(&variant.benchmark)
    }

    /// Follows up each of these in separate processes, for several rounds.
    ///
    /// # Errors
    ///
    /// When a process fails, or the observer cannot do its part.
    pub fn follow_up(
        &mut self,
        follow_ups: &[FollowUp],
        observer: &mut dyn Observer,
    ) -> Result<Answer, RunError> {
        let phase = Phase::Instrumented(Source::FollowUp);
        let done = observer.done_before(phase);
        if follow_ups.is_empty() || done >= ROUNDS {
            return Ok(Answer::Continue);
        }
        observer.on(Event::Phase(phase)).map_err(RunError::Observer)?;
        for number in done..ROUNDS {
            let round = Round { number, ..self.plan.round(number, false) };
            for (position, follow_up) in (0..).step_by(2).zip(follow_ups) {
                let running = vec![follow_up.before, follow_up.variant];
                let place = follow_up.variant as usize % round.padding.len();
                let turn = Turn {
                    program: self.suite.members[follow_up.variant as usize].program,
                    arrangement: self.in_this_order(follow_up.variant),
                    taking_part: running.clone(),
                    running,
                    padding: round.padding[place],
                    round: &round,
                    position,
                    source: Source::FollowUp,
                };
                if self.turn(&turn, observer)? == Answer::Abort {
                    return Ok(Answer::Abort);
                }
            }
        }
        Ok(Answer::Continue)
    }

    /// The arrangement in which the harness runs two benchmarks in the given order, or in the order
    /// of its list.
    fn in_this_order(&self, variant: u32) -> Arrangement {
        let program = self.suite.members[variant as usize].program;
        match self.suite.programs[program].harness.arranges {
            Arranges::AsNamed => Arrangement::Shuffled,
            Arranges::ByOptions { .. } => Arrangement::Divided,
        }
    }
}
