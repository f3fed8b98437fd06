//! A comparison of commands with the usual settings, for programs that use brisk as a library.

use std::path::PathBuf;

use findings::Document;
use measure::Launcher;
use model::commission::Kind;
use model::design::contrasts::Contrasts;
use model::design::stopping::StoppingRule;
use model::failure::Failure;
use model::spec::Experiment;
use model::spec::invocation::{self, CommandError, RunSettings};
use model::spec::parameters::Point;
use report::export::{Exports, Format};
use store::{ExperimentId, Place, Store};

use crate::archive;
use crate::question::{Question, Site};
use crate::watcher::Watcher;

/// Commands to compare with the first of them.
#[derive(Debug, Clone)]
pub struct Comparison {
    experiment: Experiment,
    /// The rule by which it ends.
    pub rule: StoppingRule,
}

impl Comparison {
    /// The comparison of these commands, which are split into words as a shell would do it.
    pub fn new(commands: &[&str]) -> Result<Self, CommandError> {
        let mut experiment =
            invocation::experiment(&RunSettings::default(), commands, &[Point::new()])?;
        experiment.variants.iter_mut().for_each(|one| one.name.clone_from(&one.command));
        Ok(Self { experiment, rule: StoppingRule::usual(commands.len()) })
    }

    /// Runs the commands in rounds until the rule ends them, and stores every run and the finding.
    /// Other processes are neither waited for nor kept from measuring.
    pub fn measure(&self, place: &Place, watcher: &mut dyn Watcher) -> Result<Compared, Failure> {
        let mut launcher = Launcher::start()?;
        let variants = u32::try_from(self.experiment.variants.len()).expect("at most 2^20");
        let contrasts = Contrasts::of_commands(variants, variants);
        let rule = self.rule.clone().with_enough_rounds(&contrasts.members(None, &self.rule));
        let question = Question::new(Kind::Compare, &self.experiment, contrasts, &rule);
        let site = Site::BesideOthers;
        let measured = question.measure(place, &site, &mut launcher, None, watcher)?;
        let (store, id, document) = measured.completed(place, false, watcher)?;
        Ok(Compared { store, id, document })
    }
}

/// A comparison that was measured and judged.
pub struct Compared {
    store: Store,
    id: ExperimentId,
    /// The finding.
    pub document: Document,
}

impl Compared {
    /// Writes the page with tables, notes and pictures as one HTML file.
    pub fn write_page(&self, path: impl Into<PathBuf>) -> Result<(), Failure> {
        let exports = Exports { files: vec![(Format::Html, path.into())], asv_commit: None };
        archive::export(&exports, &self.store, self.id, &self.document)
    }
}
