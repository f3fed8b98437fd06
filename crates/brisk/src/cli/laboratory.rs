//! Measurements on the command line: progress, messages and reports, shared by all verbs that measure.

use measure::Launcher;
use page::plain::plain;

use super::output::{Output, note};
use super::{holding, remote};
use crate::cli::options::{MeasuringOptions, StoppingOptions};
use crate::cli::progress::Bar;
use ::engine::Chosen;
use ::laboratory::archive;
use ::laboratory::measured::{
    Finished, MeasuredExperiment, finish, interrupted_after, kept, run_failure,
};
use ::laboratory::question::{Asker, Earlier, Question};
use findings::Document;
use model::failure::Failure;
use report::equal_work;
use report::export::Exports;
use run::Ending;
use store::{ExperimentId, Place, Store};

/// A measurement that was asked for on the command line.
pub(super) struct Laboratory<'a> {
    /// What is measured.
    pub question: Question<'a>,
    /// The options for the place of measuring and storing.
    pub options: &'a MeasuringOptions,
    /// The requested duration, and the seed for the order of the runs.
    pub stopping: &'a StoppingOptions,
    /// Set if progress is shown.
    pub shows_progress: bool,
    /// Set if the store outlives this process.
    pub is_kept: bool,
    /// The engine to measure on. None if this machine measures.
    pub engine: Option<&'a Chosen>,
}

impl<'a> Laboratory<'a> {
    /// A measurement on this machine, whose result is kept.
    pub(super) fn new(
        question: Question<'a>,
        options: &'a MeasuringOptions,
        stopping: &'a StoppingOptions,
    ) -> Self {
        let question = Question { seed: stopping.seed, asker: asker(), ..question };
        let shows_progress = !options.quiet;
        Self { question, options, stopping, shows_progress, is_kept: true, engine: None }
    }

    /// Runs the experiment, or continues an interrupted one from the store.
    pub(super) fn measure(
        &self,
        place: &Place,
        launcher: &mut Launcher,
        interrupted: Option<ExperimentId>,
    ) -> Result<MeasuredExperiment, Failure> {
        if let Some(engine) = self.engine {
            let mut measured = remote::measure(
                vec![self.question.commission()],
                self.stopping.seed,
                engine,
                (place, self.shows_progress),
            )?;
            return Ok(measured.pop().expect("one was asked for"));
        }
        let mut bar = Bar::new(self.stopping.budget.is_some(), self.shows_progress);
        let hold = || holding::turns(self.options.hold);
        let measured = self.question.measure(place, launcher, interrupted, hold, &mut bar)?;
        bar.clear();
        // The next phase has no progress to draw.
        let variants = self.question.experiment.variants.len() as u64;
        let runs = u64::from(measured.conducted.rounds) * variants;
        if let Some(told) = judging(runs).filter(|_| self.shows_progress) {
            note(&told);
        }
        Ok(measured)
    }

    /// Runs several experiments at once, each on a machine of their common engine.
    pub(super) fn measure_together(
        all: &[Self],
        engine: &Chosen,
        place: &Place,
    ) -> Result<Vec<MeasuredExperiment>, Failure> {
        let Some(first) = all.first() else { return Ok(Vec::new()) };
        let commissions = all.iter().map(|one| one.question.commission()).collect();
        remote::measure(commissions, first.stopping.seed, engine, (place, first.shows_progress))
    }

    /// The earlier experiment to continue, which is announced. Measurements of another machine are
    /// not continued here.
    fn earlier(&self, place: &Place, output: &Output) -> Result<Option<ExperimentId>, Failure> {
        if self.engine.is_some() {
            return Ok(None);
        }
        match self.question.earlier(place, self.stopping.says_how_long())? {
            Earlier::None => Ok(None),
            Earlier::Ended(why) => {
                note(&plain(&why));
                Ok(None)
            }
            Earlier::GoesOn(id, rounds) => {
                output.message(&going_on(id, rounds));
                Ok(Some(id))
            }
        }
    }

    /// Runs the experiment, or continues the same one unless `remeasures` is set; stores, prints
    /// and exports the report, and returns it. Failures, interruptions and unequal work are
    /// reported after the available results.
    pub(super) fn report(
        &self,
        launcher: &mut Launcher,
        remeasures: bool,
        exports: &Exports,
        output: &Output,
    ) -> Result<Document, Failure> {
        let place = self.options.store.place()?;
        output.message(&self.question.remark());
        let interrupted = if remeasures { None } else { self.earlier(&place, output)? };
        let MeasuredExperiment { id, ending, conducted } =
            self.measure(&place, launcher, interrupted)?;
        let rounds = conducted.rounds;
        let finished = finish(&place, id, conducted, note);
        let goes_on = self.is_kept
            && self.question.subject.is_some()
            && finished.as_ref().is_ok_and(|finished| {
                self.question.changed_since(finished.document.experiment.started_unix_ns).is_none()
            });
        // The reason for the end may also prevent the report from being stored, so it comes first.
        match (&ending, &finished) {
            (Err(error), finished) => {
                let shown = finished.as_ref().ok().filter(|_| error.is_an_interruption());
                if let Some(Finished { document, .. }) = shown.filter(|_| rounds > 0) {
                    output.document(document)?;
                }
                let kept = kept(error, id, rounds, goes_on).filter(|_| self.is_kept);
                return Err(run_failure(error, kept));
            }
            (Ok(Ending::Aborted), _) if rounds == 0 => {
                return Err(Failure::new("interrupted before the first round was done"));
            }
            _ => {}
        }
        let Finished { store, document, kept } = finished?;
        kept?;
        output.document(&document)?;
        export(exports, &store, id, &document)?;
        match equal_work::trouble(&document) {
            _ if matches!(ending, Ok(Ending::Aborted)) => {
                let mut failure = interrupted_after(rounds, id, goes_on);
                if !self.is_kept {
                    failure.take_hint();
                }
                Err(failure)
            }
            Some(trouble) => Err(Failure::new(trouble).hint(Some(
                "their output differs, as the report shows; leave `--equal-work` out if it may differ",
            ))),
            None => Ok(document),
        }
    }
}

/// The command line, and the folder it was typed in.
pub(super) fn asker() -> Asker {
    let words = std::env::args_os().skip(1);
    Asker::new(words.map(|word| without_password(&word.to_string_lossy())).collect())
}

/// An argument, without the password if it is an address with one.
fn without_password(word: &str) -> String {
    #[cfg(feature = "postgres")]
    if let Some(redacted) = store::redacted(word) {
        return redacted;
    }
    word.to_owned()
}

/// Fewer runs than this are judged in an instant; more take seconds.
const MANY_RUNS: u64 = 50_000;

/// A note that judging this number of runs takes a while. None if it does not.
fn judging(runs: u64) -> Option<String> {
    (runs >= MANY_RUNS).then(|| {
        format!(
            "judging {runs} runs, which takes a while; all of them \
        are stored"
        )
    })
}

/// The message that an experiment is continued.
pub(super) fn going_on(id: ExperimentId, rounds: u32) -> String {
    let word = if rounds == 1 { "round" } else { "rounds" };
    format!("continues experiment {id}: {rounds} {word} so far\n")
}

/// Writes the requested files for a stored experiment.
pub(super) fn export(
    exports: &Exports,
    store: &Store,
    id: ExperimentId,
    document: &Document,
) -> Result<(), Failure> {
    archive::export(exports, store, id, document).map_err(|failure| {
        failure.hint(Some(format!("nothing is lost: `brisk export {id}` writes it again")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_takes_a_while_to_judge_is_announced() {
        assert_eq!(judging(MANY_RUNS - 1), None);
        assert!(judging(164_090).expect("many").starts_with("judging 164090 runs"));
    }
}
