//! How the explained program is run.

use clap::Args;

use crate::spec::invocation::InvocationOptions;

/// The options that say how it is run.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How it is run")]
pub(super) struct RunningOptions {
    /// Where input comes from: `null` or a file
    #[arg(long, value_name = "WHERE", default_value = "null")]
    pub(super) input: String,

    /// Set variables: `A=1 B="x y"`
    #[arg(long, value_name = "ASSIGNMENTS")]
    pub(super) env: Vec<String>,

    /// The longest a run may take; its whole process group is ended after it
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub(super) timeout: Option<String>,

    /// Go on when a command fails: with any status, or with one of the given codes
    #[arg(short, long, value_name = "CODES", num_args = 0..=1, require_equals = true, default_missing_value = "all-non-zero")]
    pub(super) ignore_failure: Option<String>,
}

impl RunningOptions {
    /// The same, as all verbs that run commands understand it.
    pub(super) fn invocation(&self) -> InvocationOptions {
        InvocationOptions {
            shell: None,
            default_shell: false,
            no_shell: false,
            setup: Vec::new(),
            setup_runs: 1,
            prepare: Vec::new(),
            conclude: Vec::new(),
            cleanup: None,
            env: self.env.clone(),
            cwd: None,
            input: self.input.clone(),
            output: Vec::new(),
            show_output: false,
            timeout: self.timeout.clone(),
            ignore_failure: self.ignore_failure.clone(),
        }
    }
}
