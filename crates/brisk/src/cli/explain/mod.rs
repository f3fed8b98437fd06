//! `brisk explain`: why does a program cost what it costs?

pub(in crate::cli) mod difference;
mod dumps;
mod lisp;
pub(in crate::cli) mod native;
pub(in crate::cli) mod source;

use std::path::{Path, PathBuf};

use clap::Args;
use measure::Launcher;
use page::Page;

use super::Done;
use super::bench::commits::CommitOptions;
use super::exit::ExitCode;
use super::failure::Failure;
use super::output::Output;
use native::Explained;

use crate::explain::mode::{Asked, Mode, decide, what};
use crate::host;
use crate::report::core_difference::document::{CoreDifferenceDocument, CoreDifferencePart};
use crate::report::explanation::document::{ExplanationDocument, ExplanationPart};
use crate::report::instructions::document::{InstructionsDocument, InstructionsPart};
use crate::report::{core_difference, explanation, instructions};
use crate::spec::writable;

/// Arguments of `brisk explain`.
#[derive(Debug, Args)]
#[command(after_help = "Example: brisk explain Main.hs -- 1000")]
pub(super) struct ExplainArguments {
    /// What is explained: a cabal project, a folder with Main.hs or a file of Haskell (this folder by
    /// default); a command in quotes, or an old and a new one; a file of Lisp for SBCL
    #[arg(value_name = "SUBJECT")]
    subjects: Vec<String>,

    /// Explain the dumps of Core in this folder, and build nothing; of two, what changed
    #[arg(long, value_name = "DIR", num_args = 1..=2, help_heading = "What is read")]
    core: Vec<PathBuf>,

    /// The ticky counters of a run of the very build that the dumps are of; of two, one for each
    #[arg(long, value_name = "FILE", num_args = 1..=2, help_heading = "What is read")]
    ticky: Vec<PathBuf>,

    #[command(flatten)]
    source: source::SourceOptions,

    #[command(flatten)]
    native: native::NativeOptions,

    /// The commits of which the program is built
    #[command(flatten)]
    at: CommitOptions,

    /// Show findings that cost less than 1 %, and functions that cost little, too
    #[arg(long)]
    all: bool,

    /// Write everything as JSON (schema brisk/1)
    #[arg(long, value_name = "FILE", help_heading = "Where it is written")]
    export_json: Option<PathBuf>,

    /// Write it as Markdown
    #[arg(long, value_name = "FILE", help_heading = "Where it is written")]
    export_markdown: Option<PathBuf>,
}

/// Decides what is meant, and does it.
pub(super) fn run(arguments: &ExplainArguments, output: &Output) -> Done {
    // Before anything that takes memory or starts a thread.
    let mut launcher = Launcher::start().map_err(|error| Failure::from_error(&error))?;
    let files = [&arguments.export_json, &arguments.export_markdown, &arguments.native.flame];
    writable::check_all(files.into_iter().flatten().map(PathBuf::as_path))
        .map_err(|(path, error)| cannot_write(path, &error))?;
    let asked = Asked {
        subjects: arguments.subjects.clone(),
        core: arguments.core.clone(),
        ticky: arguments.ticky.clone(),
        callgrind: arguments.native.callgrind.clone(),
    };
    let mode = decide(&asked, what)
        .map_err(|error| Failure::new(error.to_string()).hint(Some(error.hint())))?;
    let revisions = arguments.at.revisions()?;
    difference::check(&revisions, &mode)?;
    explain(mode, &revisions, arguments, &mut launcher, output)
}

fn explain(
    mode: Mode,
    revisions: &[String],
    arguments: &ExplainArguments,
    launcher: &mut Launcher,
    output: &Output,
) -> Done {
    let plan = |path: &Path| arguments.source.plan(path, arguments.at.build_timeout());
    let running = arguments.source.running(&arguments.native);
    match mode {
        Mode::Dumps { folder, ticky } => {
            let explanation = dumps::explanation(&folder, ticky.as_deref())?;
            report(arguments, explanation, output)
        }
        Mode::DumpsDifference { folders, ticky } => {
            let part = difference::of_dumps(&folders, ticky.as_ref())?;
            report_difference(arguments, part, output)
        }
        Mode::Source(path) if !revisions.is_empty() => {
            let part = difference::of_revisions(&path, revisions, plan, launcher, output)?;
            report_difference(arguments, part, output)
        }
        Mode::SourceDifference(paths) => {
            let plans = [plan(&paths[0])?, plan(&paths[1])?];
            let part = difference::of_sources(&paths, [&plans[0], &plans[1]], launcher, output)?;
            report_difference(arguments, part, output)
        }
        Mode::Source(path) => {
            let plan = plan(&path)?;
            let explanation = source::explanation(&path, &plan, arguments.all, launcher, output)?;
            report(arguments, explanation, output)
        }
        Mode::Lisp(path) => lisp::run(arguments, &path, output),
        Mode::Command(command) if !revisions.is_empty() => {
            match native::commits(&command, &arguments.at, &running, launcher)? {
                Explained::Same([old, new]) => {
                    output.data(&format!("{old}\n{new}\n{}\n", native::SAME))?;
                    Ok(ExitCode::Fine)
                }
                Explained::Counted(part) => report_instructions(arguments, *part, output),
            }
        }
        Mode::Command(command) => {
            let part = native::commands(&[&command], &running, launcher)?;
            report_instructions(arguments, part, output)
        }
        Mode::Difference { before, after } => {
            let part = native::commands(&[&before, &after], &running, launcher)?;
            report_instructions(arguments, part, output)
        }
        Mode::Profiles(_) => {
            report_instructions(arguments, native::files(&arguments.native)?, output)
        }
    }
}

fn report_instructions(
    arguments: &ExplainArguments,
    part: InstructionsPart,
    output: &Output,
) -> Done {
    let page = instructions::page::page(&part, arguments.all);
    tell(arguments, &page, InstructionsDocument::new(part, host::machine()), output)
}

fn report(arguments: &ExplainArguments, explanation: ExplanationPart, output: &Output) -> Done {
    let page = explanation::page::page(&explanation);
    tell(arguments, &page, ExplanationDocument::new(explanation, host::machine()), output)
}

fn report_difference(
    arguments: &ExplainArguments,
    part: CoreDifferencePart,
    output: &Output,
) -> Done {
    let page = core_difference::page::page(&part);
    tell(arguments, &page, CoreDifferenceDocument::new(part, host::machine()), output)
}

/// Shows what was found, and writes it where it is wanted.
fn tell(
    arguments: &ExplainArguments,
    page: &Page,
    document: impl serde::Serialize,
    output: &Output,
) -> Done {
    let output = if arguments.all { output.unfolded() } else { *output };
    output.page(page)?;
    if let Some(path) = &arguments.export_markdown {
        write_text(path, &page::markdown::render(page))?;
    }
    if let Some(path) = &arguments.export_json {
        write_json(path, &document)?;
    }
    Ok(ExitCode::Fine)
}

fn write_json(path: &std::path::Path, document: &impl serde::Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(document)
        .map_err(|error| Failure::new("cannot write JSON").caused_by(&error))?;
    text.push('\n');
    write_text(path, &text)
}

fn write_text(path: &std::path::Path, text: &str) -> Result<(), Failure> {
    writable::write_text(path, text).map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &std::path::Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`", path.display())).caused_by(error)
}
