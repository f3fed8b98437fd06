//! `brisk explain`: why does a program cost what it costs?

mod dumps;
mod native;
mod running;

use std::path::PathBuf;

use clap::Args;

use super::Done;
use super::bench::commits::CommitOptions;
use super::exit::ExitCode;
use super::failure::Failure;
use super::output::Output;
use crate::explain::mode::{Asked, Mode, decide, what};
use crate::host;
use crate::report::explanation::document::{ExplanationDocument, ExplanationPart};
use crate::report::explanation::{markdown, terminal};
use crate::report::instructions;
use crate::report::instructions::document::{InstructionsDocument, InstructionsPart};
use crate::spec::writable;

/// Arguments of `brisk explain`.
#[derive(Debug, Args)]
#[command(after_help = "Example: brisk explain Main.hs -- 1000")]
pub(super) struct ExplainArguments {
    /// What is explained: a cabal project, a folder with Main.hs or a file of Haskell (this folder by
    /// default); or a command in quotes, or an old and a new one
    #[arg(value_name = "SUBJECT")]
    subjects: Vec<String>,

    /// Explain the dumps of Core in this folder, and build nothing
    #[arg(long, value_name = "DIR", help_heading = "What is read")]
    core: Option<PathBuf>,

    /// The ticky counters of a run of the very build that the dumps are of
    #[arg(long, value_name = "FILE", help_heading = "What is read")]
    ticky: Option<PathBuf>,

    /// Show findings that cost less than 1 %, and functions that cost little, too
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    running: running::RunningOptions,

    #[command(flatten)]
    native: native::NativeOptions,

    /// The commits of which the program is built
    #[command(flatten)]
    at: CommitOptions,

    /// Show no progress
    #[arg(short, long)]
    quiet: bool,

    /// Write everything as JSON (schema brisk/1)
    #[arg(long, value_name = "FILE", help_heading = "Where it is written")]
    export_json: Option<PathBuf>,

    /// Write it as Markdown
    #[arg(long, value_name = "FILE", help_heading = "Where it is written")]
    export_markdown: Option<PathBuf>,
}

/// Decides what is meant, and does it.
pub(super) fn run(arguments: &ExplainArguments, output: &Output) -> Done {
    for path in [&arguments.export_json, &arguments.export_markdown].into_iter().flatten() {
        writable::check(path).map_err(|error| cannot_write(path, &error))?;
    }
    native::check(&arguments.native)?;
    let asked = Asked {
        subjects: arguments.subjects.clone(),
        core: arguments.core.clone(),
        ticky: arguments.ticky.clone(),
        callgrind: arguments.native.callgrind.clone(),
    };
    let mode = decide(&asked, what)
        .map_err(|error| Failure::new(error.to_string()).hint(Some(error.hint())))?;
    match mode {
        Mode::Dumps { folder, ticky } => {
            let explanation = dumps::explanation(&folder, ticky.as_deref())?;
            report(arguments, explanation, output)
        }
        Mode::Source(_) => Err(Failure::new("cannot explain that")),
        Mode::Command(command) if !arguments.at.at.is_empty() => {
            of_commits(arguments, &command, output)
        }
        Mode::Command(command) => instructions(arguments, &[&command], output),
        Mode::Difference { before, after } => instructions(arguments, &[&before, &after], output),
        Mode::Profiles(_) => {
            report_instructions(arguments, native::files(&arguments.native)?, output)
        }
    }
}

/// Runs commands under callgrind, and tells.
fn instructions(arguments: &ExplainArguments, commands: &[&str], output: &Output) -> Done {
    let ExplainArguments { native, running, quiet, .. } = arguments;
    let part = native::commands(commands, native, running, *quiet)?;
    report_instructions(arguments, part, output)
}

/// Builds the program at commits, runs both under callgrind, and tells.
fn of_commits(arguments: &ExplainArguments, command: &str, output: &Output) -> Done {
    let ExplainArguments { native, running, quiet, at, .. } = arguments;
    match native::commits(command, at, native, running, *quiet)? {
        native::Explained::Counted(part) => report_instructions(arguments, part, output),
        native::Explained::Same([old, new]) => {
            output.data(&format!("{old} and {new} make the same program, byte for byte\n"))?;
            Ok(ExitCode::Fine)
        }
    }
}

/// Shows instructions by function, and writes them where they are wanted.
fn report_instructions(
    arguments: &ExplainArguments,
    part: InstructionsPart,
    output: &Output,
) -> Done {
    output.data(&instructions::terminal::render(&part, output.columns(), arguments.all))?;
    if let Some(path) = &arguments.export_markdown {
        let text = instructions::markdown::render(&part, arguments.all);
        std::fs::write(path, text).map_err(|error| cannot_write(path, &error))?;
    }
    match &arguments.export_json {
        Some(path) => write_json(path, &InstructionsDocument::new(part, host::machine()))?,
        None => {}
    }
    Ok(ExitCode::Fine)
}

fn write_json(path: &std::path::Path, document: &impl serde::Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(document)
        .map_err(|error| Failure::new("cannot write JSON").caused_by(&error))?;
    text.push('\n');
    std::fs::write(path, text).map_err(|error| cannot_write(path, &error))
}

/// Shows an explanation, and writes it where it is wanted.
fn report(arguments: &ExplainArguments, explanation: ExplanationPart, output: &Output) -> Done {
    output.data(&terminal::render(&explanation, output.columns(), arguments.all))?;
    if let Some(path) = &arguments.export_markdown {
        let text = markdown::render(&explanation, arguments.all);
        std::fs::write(path, text).map_err(|error| cannot_write(path, &error))?;
    }
    if let Some(path) = &arguments.export_json {
        write_json(path, &ExplanationDocument::new(explanation, host::machine()))?;
    }
    Ok(ExitCode::Fine)
}

fn cannot_write(path: &std::path::Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`", path.display())).caused_by(error)
}
