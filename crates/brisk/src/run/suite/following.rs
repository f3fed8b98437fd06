//! Separate runs that show what goes along with what was found.
//!
//! In a process with many benchmarks the system's counts are nobody's in particular. So what was
//! found to depend on another benchmark is run once more behind that one alone, and what a process
//! uses that lists the benchmarks and runs none is seen beforehand.

use measure::{Outcome, Stdout};
use toolchains::harness::adapter::{Arranges, Selection};

use super::command;
use super::{SuiteExecutor, Turn};
use crate::metric::{Readings, Source};
use crate::plan::Round;
use crate::run::{Answer, Event, Observer, Phase, RunError};
use crate::spec::suite::Arrangement;

/// How many processes of a program show what starting takes.
const STARTS: u32 = 3;

/// How many processes each finding is followed up in.
const ROUNDS: u32 = 5;

/// One benchmark behind another, in a process of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowUp {
    /// The variant that is said to have run before.
    pub before: u32,
    /// The variant that was found to depend on that.
    pub variant: u32,
}

impl SuiteExecutor<'_> {
    /// Sees what a process of each program takes that runs no benchmark. Where it fails, that is not
    /// known, and nothing else suffers.
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

    /// Whether the harness of the program can run one benchmark of it just behind another.
    pub fn can_follow_up(&self, follow_up: FollowUp) -> bool {
        let [before, variant] = [follow_up.before, follow_up.variant]
            .map(|variant| &self.suite.members[variant as usize]);
        let program = &self.suite.programs[variant.program];
        let place = |name: &String| program.listed.iter().position(|listed| listed == name);
        matches!(program.harness.arranges, Arranges::AsNamed)
            || place(&before.benchmark) < place(&variant.benchmark)
    }

    /// Runs each of these in processes of their own, some rounds of all of them.
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

    /// The arrangement in which the harness runs two benchmarks as they are named, or as it lists
    /// them.
    fn in_this_order(&self, variant: u32) -> Arrangement {
        let program = self.suite.members[variant as usize].program;
        match self.suite.programs[program].harness.arranges {
            Arranges::AsNamed => Arrangement::Shuffled,
            Arranges::ByOptions { .. } => Arrangement::Divided,
        }
    }
}
