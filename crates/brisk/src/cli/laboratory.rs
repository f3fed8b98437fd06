//! Experiments and inspections on the command line, for all verbs that conduct some: measured,
//! reported, stored and exported.

use configuration::{MeasuringOptions, StoppingOptions, StoreOptions};
use findings::brief::{Brief, meaning};
use findings::inspection::{Found, Inspection};
use findings::reach::ChangeReach;
use findings::{Document, SCHEMA};
use laboratory::archive;
use laboratory::commits::CommandAtCommits;
use laboratory::measured::{
    Finished, MeasuredExperiment, export, finish, interrupted_after, kept, run_failure,
};
use laboratory::question::{Asker, Earlier, Question, Site, going_on};
use measure::Launcher;
use model::failure::Failure;
use model::host::{self, Circumstances};
use page::plain::plain;
use report::equal_work;
use report::export::Exports;
use run::Ending;
use store::record::{Addition, Inspected};
use store::{ExperimentId, Place};

use super::output::{Output, note};
use super::watching::Terminal;
use super::{Done, ExitCode};

/// An experiment that was asked for on the command line.
pub(super) struct Laboratory<'a> {
    /// The checked input of the measurement.
    pub question: Question<'a>,
    /// The machine or the engine that measures it.
    pub site: Site<'a>,
    /// The options for the place of storing, and for progress.
    pub options: &'a MeasuringOptions,
    /// The requested duration, and the seed for the order of the runs.
    pub stopping: &'a StoppingOptions,
    /// Set if commands show what they print.
    pub prints: bool,
    /// Set if the store outlives this process.
    pub is_kept: bool,
    /// The commits whose changes are explained, if that is wanted.
    pub explains: Option<&'a CommandAtCommits>,
    /// The reach of the change, if only what it affects is measured.
    pub reach: Option<ChangeReach>,
}

impl<'a> Laboratory<'a> {
    /// An experiment whose result is kept.
    pub(super) fn new(
        question: Question<'a>,
        site: Site<'a>,
        options: &'a MeasuringOptions,
        stopping: &'a StoppingOptions,
    ) -> Self {
        let question = Question { seed: stopping.seed, asker: asker(), ..question };
        Self {
            question,
            site,
            options,
            stopping,
            prints: false,
            is_kept: true,
            explains: None,
            reach: None,
        }
    }

    /// The earlier experiment to continue, which is announced. Measurements of another machine are
    /// not continued here.
    fn earlier(&self, place: &Place, output: &Output) -> Result<Option<ExperimentId>, Failure> {
        if self.site.engine().is_some() {
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

    /// Adds the reach of the change to a report, and stores it again.
    fn with_reach(&self, mut finished: Finished, id: ExperimentId) -> Result<Finished, Failure> {
        if let Some(reach) = self.reach.clone() {
            Addition::Reach(reach).put_in(&mut finished.document);
            archive::finish(&mut finished.store, id, &finished.document)?;
        }
        Ok(finished)
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
        let mut terminal =
            Terminal::new(output, self.options, self.stopping).without_rounds(self.prints);
        let MeasuredExperiment { id, ending, conducted } =
            self.question.measure(&place, &self.site, launcher, interrupted, &mut terminal)?;
        let rounds = conducted.rounds;
        let finished = finish(&place, id, conducted, &mut terminal);
        let mut finished = finished.and_then(|finished| self.with_reach(finished, id));
        let explained = match (&ending, &mut finished) {
            (Ok(Ending::Complete), Ok(finished)) => {
                self.explain(finished, id, launcher, &mut terminal)
            }
            _ => Ok(()),
        };
        drop(terminal);
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
            None => explained.map(|()| document),
        }
    }

    /// Adds the causes of the changes to a finding, and stores it again.
    fn explain(
        &self,
        finished: &mut Finished,
        id: ExperimentId,
        launcher: &mut Launcher,
        terminal: &mut Terminal<'_>,
    ) -> Result<(), Failure> {
        let Some(commits) = self.explains else { return Ok(()) };
        commits.explain(&mut finished.document, launcher, terminal)?;
        archive::finish(&mut finished.store, id, &finished.document)
    }
}

/// The answer if two commits make the same program.
pub(super) fn same_program(commits: &[String], output: &Output) -> Done {
    let mut brief = Brief::new("", "unchanged", 0, meaning(0));
    brief.reasons.push("the commits make the same program, byte for byte".to_owned());
    brief.next = "decide by other reasons than speed".to_owned();
    if output.is_brief() {
        output.answer(brief);
        return Ok(ExitCode::Fine);
    }
    let same = "make the same program, byte for byte: there is nothing to measure";
    output.data(&format!("{}\n{same}\n", commits.join("\n"))).map(|()| ExitCode::Fine)
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

/// An inspection that has begun.
pub(super) struct Inspecting {
    place: Place,
    circumstances: Circumstances,
}

impl Inspecting {
    /// Checks, before the inspection, that its findings can be stored.
    pub(super) fn begin(options: &StoreOptions) -> Result<Self, Failure> {
        let place = options.place()?;
        archive::open_for_writing(&place)?;
        Ok(Self { place, circumstances: host::circumstances() })
    }

    /// The findings, with the machine and its conditions.
    pub(super) fn found(&self, found: Found, all: bool) -> Inspection {
        Inspection {
            schema: SCHEMA.to_owned(),
            kind: found.kind(),
            machine: self.circumstances.machine.clone(),
            conditions: self.circumstances.conditions.clone(),
            all,
            found,
        }
    }

    /// Stores the findings, and writes the requested files.
    pub(super) fn keep(&self, inspection: &Inspection, exports: &Exports) -> Result<(), Failure> {
        let Asker { arguments, cwd } = asker();
        let inspected = Inspected {
            title: report::inspection::title(&inspection.found),
            project: cwd.clone(),
            arguments,
            cwd,
            circumstances: self.circumstances.clone(),
            finished_unix_ns: measure::clock::unix_time_ns(),
            inspection: inspection.clone(),
        };
        let mut store = archive::open_for_writing(&self.place)?;
        let id = archive::keep_inspection(&mut store, &inspected)?;
        exports.write_inspection(inspection).map_err(|error| {
            Failure::from_error(&error)
                .hint(Some(format!("nothing is lost: `brisk export {id}` writes it again")))
        })
    }
}
