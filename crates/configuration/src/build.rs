//! The options for building commits.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use model::spec::artifacts::{FEWEST_LAYOUTS, MOST_LAYOUTS};

/// The recipe by which each commit is built, and the executable that comes out of it.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How commits are built")]
pub struct BuildOptions {
    /// Build each commit with this shell command
    ///
    /// Each commit has a checkout of its own.
    #[arg(long, value_name = "CMD")]
    pub build: Option<String>,

    /// The file or folder that the build makes
    ///
    /// The path is relative to the checkout.
    #[arg(long, value_name = "PATH")]
    pub artifact: Option<PathBuf>,

    /// Apply this patch to each commit before it is built
    #[arg(long, value_name = "FILE")]
    pub patch: Option<PathBuf>,

    /// Copy this folder over each commit before it is built
    #[arg(long, value_name = "DIR")]
    pub overlay: Option<PathBuf>,

    /// Build each commit from scratch, instead of on top of the one before it
    #[arg(long)]
    pub clean_builds: bool,

    /// The number of builds at the same time; as many as there are processors by default
    #[arg(short = 'j', long, value_name = "N")]
    pub build_jobs: Option<NonZeroUsize>,

    /// The time limit of a build
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub build_timeout: Option<String>,

    /// Link each program in N orders of its functions, and run these in turn, so that the intervals
    /// hold whatever the linker does; 0 for none
    #[arg(long, value_name = "N", value_parser = layouts)]
    pub layouts: Option<u32>,

    /// Build commits again that failed to build last time
    #[arg(long)]
    pub rebuild_failed: bool,
}

impl BuildOptions {
    /// The number of simultaneous builds.
    pub fn jobs(&self) -> NonZeroUsize {
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.build_jobs.unwrap_or_else(all)
    }

    /// The number of layouts in which each program is linked; 0 if none were requested.
    pub fn layouts(&self) -> u32 {
        self.layouts.unwrap_or(0)
    }
}

/// A number of layouts: none, or enough of them to say something.
fn layouts(text: &str) -> Result<u32, String> {
    let count: u32 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    match count {
        0 | FEWEST_LAYOUTS..=MOST_LAYOUTS => Ok(count),
        _ => Err(format!("it must be 0, or from {FEWEST_LAYOUTS} to {MOST_LAYOUTS}")),
    }
}
