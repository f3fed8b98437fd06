//! A history: every commit of a range, built, measured and judged.
//!
//! From the plan on it is an experiment like any other: the commits that were built are its variants.
//! [`conduct`] takes one step after the other:
//!
//! * `range`: the commits, and how they are built, run and measured, checked before anything runs.
//! * [`lineage`]: the commits that were built, with the baseline of each. In a suite, each benchmark
//!   has a lineage of its own ([`strands`]).
//! * `measuring`: the measurements that the store lacks (`agenda`). A search for one commit builds
//!   and measures few (`search`, `readings`).
//! * [`merge`]: all experiments as one document, with its steps.
//! * `evidence`: the origin of each step, and the steps that it leaves.
//!
//! The findings are stored, and shown by [`report::history`]. [`series`] makes a history from
//! measurements of other tools.

mod agenda;
mod evidence;
pub mod lineage;
mod measuring;
pub mod merge;
mod range;
mod readings;
mod search;
pub mod series;
pub mod strands;
#[cfg(test)]
mod tests;

use configuration::HistoryRequest;
use findings::Document;
use measure::Launcher;
use model::failure::{Failing, Failure};
use report::export::Exports;
use store::{ExperimentId, Place};

use crate::question::Asker;
use crate::watcher::{Shared, Watcher};
use crate::{archive, measured};
use evidence::Explaining;
use lineage::Lineage;
use measuring::Measuring;
use range::Question;

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
    let completed = range::completed(request)?;
    let question = Question::new(&completed, asker, launcher, Shared::new(watcher))?;
    let explaining = Explaining::new(&completed, &question)?;
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;
    let mut measuring;
    let (lineage, measured, open) = match question.bisects() {
        Some(metric) => {
            measuring = Measuring::new(&question, launcher)?;
            let found = search::bisect(&question, &mut measuring, metric)?;
            let measured = found.step_alone(measuring.document(&found.lineage)?);
            (found.lineage, measured, found.open)
        }
        None => {
            let lineage = Lineage::new(question.build()?);
            question.check_built(&lineage)?;
            measuring = Measuring::new(&question, launcher)?;
            measuring.measure(&lineage)?;
            let measured = measuring.document(&lineage)?;
            (lineage, measured, None)
        }
    };
    let document = evidence::weighed(&mut measuring, &lineage, measured, explaining)?;
    measuring.keep(&document)?;
    let (place, newest) = (measuring.place().clone(), measuring.newest(&document));
    Ok(Conducted { document, open, place, newest })
}

impl Conducted {
    /// Writes the requested files.
    pub fn export(&self, exports: &Exports) -> Result<(), Failure> {
        let Some(id) = self.newest.filter(|_| !exports.is_empty()) else { return Ok(()) };
        let store = archive::open_for_reading(&self.place)?;
        measured::export(exports, &store, id, &self.document)
    }
}
