//! A check of what `brisk.toml` expects: its expectations, each with the result that was measured.
//!
//! `question` reads the file, `programs` builds the states of the project that are compared,
//! `measuring` runs them, `figures` reads values for the expectations, and `verdicts` decides.
//! `accepting` records failures that somebody wants to live with, `baseline` the commit of that
//! name, and `files` writes the results.

mod accepting;
mod baseline;
mod figures;
mod files;
mod measuring;
mod programs;
mod question;
mod verdicts;

use configuration::CheckRequest;
use findings::CheckedExpectation;
use measure::Launcher;
use measuring::Measurement;
use model::failure::{Failing, Failure};
use prepare::Commit;
use programs::Programs;
use question::{ProjectState, Question};
use store::Place;

use crate::archive;
use crate::question::Asker;
use crate::watcher::Watcher;

/// A check that was conducted, and is stored.
pub struct Conducted<'a> {
    question: Question<'a>,
    measurement: Measurement,
    place: Place,
    /// Each expectation, with its result.
    pub checked: Vec<CheckedExpectation>,
}

/// Checks everything, builds and measures the programs of the expectations, and decides them.
///
/// # Errors
///
/// When the request cannot be fulfilled, a program fails, or it is interrupted.
pub fn conduct<'a>(
    request: &'a CheckRequest,
    asker: &Asker,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Conducted<'a>, Failure> {
    let question = Question::new(request)?;
    let place = request.measuring.store.place()?;
    files::check(request)?;
    let store = archive::open_for_writing(&place)?;
    let baseline = match &request.baseline {
        Some(revision) => ProjectState::Commit(question.known_commit(revision)?),
        None => baseline::stored(&question, &store)?,
    };
    let acceptances = accepting::applicable(&question, &store)?;
    drop(store);
    let wanted = question.wanted(baseline)?;
    let requests = question.requests();
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;
    let programs = Programs::new(&question, &wanted, &requests, watcher)?;
    let measurement = Measurement::from_programs(
        &question, asker, &programs, &requests, &place, launcher, watcher,
    )?;
    let checked = verdicts::checked(&question, &programs, &measurement, &acceptances)?;
    let measurement = measurement.keep(&question, &checked, &place)?;
    Ok(Conducted { question, measurement, place, checked })
}

impl Conducted<'_> {
    /// A remark besides the results; usually empty.
    pub fn remarks(&self) -> String {
        self.question.remarks()
    }

    /// The largest share of their time that programs waited for a processor, if it deserves a note.
    pub fn wait_share(&self) -> Option<f64> {
        self.measurement.wait_share()
    }

    /// Writes the requested files.
    ///
    /// # Errors
    ///
    /// When one cannot be written.
    pub fn write(&self, watcher: &mut dyn Watcher) -> Result<(), Failure> {
        files::write(&self.question, &self.checked, &self.measurement, &self.place, watcher)
    }
}

/// Accepts the failure of the expectation called `id` that its last check found, for the reason
/// `why`; returns a sentence for each part of it.
///
/// # Errors
///
/// When there is no such expectation, it was not checked, or it did not fail.
pub fn accept(request: &CheckRequest, id: &str, why: Option<&str>) -> Result<Vec<String>, Failure> {
    accepting::accept(&Question::new(request)?, &request.measuring.store.place()?, id, why)
}

/// Makes the checked-out commit the baseline of later checks, and returns it.
///
/// # Errors
///
/// When there is no commit.
pub fn save_baseline(request: &CheckRequest) -> Result<Commit, Failure> {
    baseline::save(&Question::new(request)?, &request.measuring.store.place()?)
}
