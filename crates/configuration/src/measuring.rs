//! The options of all verbs that measure.

use std::path::Path;

use clap::Args;

use crate::engine::EngineOptions;
use crate::store::StoreOptions;
use engine::Chosen;
use model::failure::Failure;

/// The options of measuring, whatever is measured.
#[derive(Debug, Clone, Args)]
pub struct MeasuringOptions {
    /// What is done while somebody else holds the machine
    #[command(flatten)]
    pub hold: HoldOptions,
    /// Where it is measured
    #[command(flatten)]
    pub engine: EngineOptions,
    /// Where the results are kept
    #[command(flatten)]
    pub store: StoreOptions,
    /// Do not show progress
    #[arg(short, long)]
    pub quiet: bool,
}

impl MeasuringOptions {
    /// The requested engine, ready for use. None if this machine measures.
    ///
    /// # Errors
    ///
    /// Those of [`EngineOptions::chosen`].
    pub fn engine(&self, folder: &Path) -> Result<Option<Chosen>, Failure> {
        self.engine.chosen(folder)
    }
}

/// The option that says whether to wait for the machine.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct HoldOptions {
    /// End with status 75 if somebody else holds the machine, instead of waiting
    #[arg(long, help_heading = "Where it is measured")]
    pub no_wait: bool,
}
