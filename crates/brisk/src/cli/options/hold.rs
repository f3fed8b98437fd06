//! What is done while somebody else holds the machine.

use clap::Args;

/// The option that says whether to wait for the machine.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct HoldOptions {
    /// End with status 75 if somebody else holds the machine, instead of waiting
    #[arg(long)]
    pub no_wait: bool,
}
