//! A history: every commit of a range, built, measured and judged.
//!
//! From the plan on a history is an experiment like any other: the commits that were built are its
//! variants. `conduct` is the whole of it, in this order:
//!
//! * The range and the build, checked before anything runs: `question`, from a request that
//!   `brisk.toml` completes (`completed`).
//! * The lineage of what was built, with the baseline of each commit: `lineage`. In a suite, each
//!   benchmark has a lineage of its own (`strands`, `suite`).
//! * What the store does not know yet, measured: `measuring`, `agenda`. A search for one
//!   commit needs few of them: `search`, `bisect`.
//! * All experiments merged into one document, with its steps: `whole`, `merge`, `steps`.
//! * The evidence about each step: builds from scratch (`confirm`), counts of instructions and
//!   other layouts (`evidence`), explanations (`explaining`).
//!
//! `series` makes a history from measurements of other tools.

pub mod agenda;
pub mod bisect;
mod completed;
mod confirm;
mod evidence;
mod explaining;
pub mod lineage;
mod machines;
mod measuring;
pub mod merge;
mod question;
mod search;
pub mod series;
pub mod steps;
pub mod strands;
mod suite;
pub mod whole;
mod work;

use configuration::HistoryRequest;
use findings::Document;
use measure::Launcher;
use model::failure::{Failing, Failure};
use report::export::Exports;
use store::{ExperimentId, Place};

use crate::question::Asker;
use crate::watcher::{Shared, Watcher};
use crate::{archive, measured};
use explaining::Explaining;
use lineage::Lineage;
use measuring::Measuring;
use question::Question;

/// A history that was conducted, and is stored with its newest experiment.
pub struct Conducted {
    /// The finding.
    pub document: Document,
    /// The reason that a search did not find the commit.
    pub open: Option<Failure>,
    place: Place,
    newest: Option<ExperimentId>,
}

/// Checks everything, builds, measures what is not known yet, collects the evidence about each step,
/// and stores the result. `launcher` was started before anything that takes memory: its own memory
/// is the smallest peak it can see.
///
/// # Errors
///
/// When the request cannot be fulfilled, no commit builds, a run fails, or it is interrupted. What
/// was built and measured until then is kept.
pub fn conduct(
    request: &HistoryRequest,
    asker: Asker,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Conducted, Failure> {
    let completed = completed::completed(request)?;
    let question = Question::new(&completed, asker, launcher, Shared::new(watcher))?;
    let explaining = Explaining::new(&completed, &question)?;
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;
    let mut measuring;
    let (lineage, measured, open) = match question.bisects() {
        Some(metric) => {
            measuring = Measuring::new(&question, launcher)?;
            let found = search::bisect(&question, &mut measuring, metric)?;
            let document = found.step_alone(measuring.document(&found.lineage)?);
            (found.lineage, document, found.open)
        }
        None => {
            let lineage = Lineage::new(question.build()?);
            question.check_built(&lineage)?;
            measuring = Measuring::new(&question, launcher)?;
            measuring.measure(&lineage)?;
            let document = measuring.document(&lineage)?;
            (lineage, document, None)
        }
    };
    let confirmed = confirm::confirmed(&question, &mut measuring, &lineage, measured)?;
    let decided = evidence::decided(&question, &mut measuring, &lineage, confirmed)?;
    let document = match explaining {
        Some(mut explaining) => explaining.explained(&question, &lineage, decided),
        None => decided,
    };
    measuring.keep(&document)?;
    let (place, newest) = (measuring.place().clone(), measuring.newest(&document));
    Ok(Conducted { document, open, place, newest })
}

impl Conducted {
    /// Writes the requested files.
    ///
    /// # Errors
    ///
    /// When one cannot be written.
    pub fn export(&self, exports: &Exports) -> Result<(), Failure> {
        let Some(id) = self.newest.filter(|_| !exports.is_empty()) else { return Ok(()) };
        let store = archive::open_for_reading(&self.place)?;
        measured::export(exports, &store, id, &self.document)
    }
}

#[cfg(test)]
mod tests;
