//! `brisk explain`: why does a program cost what it costs?

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use configuration::{CommitOptions, NativeOptions, SourceOptions, StoreOptions};
use explain::mode::{ExplainRequest, Mode, decide, what};
use findings::inspection::Found;
use laboratory::explaining::{self, Options, Outcome};
use measure::Launcher;
use model::failure::Failure;
use model::spec::writable;
use report::explanation::cause;
use report::export::{Exports, Format};

use super::laboratory::Inspecting;
use super::output::{Output, unwritable};
use super::watching::Terminal;
use super::{Done, ExitCode};

/// Arguments of `brisk explain`.
#[derive(Debug, Args)]
#[command(after_help = "Example: brisk explain Main.hs -- 1000")]
pub(super) struct ExplainArguments {
    /// What to explain: a cabal project, a folder with Main.hs or a Haskell file (the current
    /// folder by default); a command in quotes, or an old and a new one; a Lisp file for SBCL
    #[arg(value_name = "SUBJECT")]
    subjects: Vec<String>,

    /// Explain a cause, with an example
    ///
    /// Says also when it does not matter; builds and runs nothing.
    #[arg(long, value_name = "CAUSE", exclusive = true, hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(cause::ids()))]
    cause: Option<String>,

    /// Show also findings that cost less than 1 %
    ///
    /// Functions that cost little are shown, too.
    #[arg(long)]
    all: bool,

    /// Explain the Core dumps in this folder, and build nothing; with two folders, explain what
    /// changed
    #[arg(long, value_name = "DIR", num_args = 1..=2, help_heading = "What is read")]
    core: Vec<PathBuf>,

    /// The ticky counters of a run of the same build as the dumps; with two folders, one file for
    /// each
    #[arg(long, value_name = "FILE", num_args = 1..=2, help_heading = "What is read")]
    ticky: Vec<PathBuf>,

    /// The source that the dumps are of, for causes that need it: modules are found below this folder
    #[arg(long = "source", value_name = "DIR", requires = "core", help_heading = "What is read")]
    sources: Vec<PathBuf>,

    /// The heap profile of a run of the same program (`+RTS -hT`), for causes that need it
    #[arg(long, value_name = "FILE", requires = "core", help_heading = "What is read")]
    heap_profile: Option<PathBuf>,

    #[command(flatten)]
    source: SourceOptions,

    #[command(flatten)]
    native: NativeOptions,

    /// The commits of which the program is built
    #[command(flatten)]
    at: CommitOptions,

    /// Write everything as JSON (schema brisk/1)
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    export_json: Option<PathBuf>,

    /// Write it as Markdown
    #[arg(long, value_name = "FILE", help_heading = "Where reports are written")]
    export_markdown: Option<PathBuf>,

    #[command(flatten)]
    store: StoreOptions,
}

/// Determines the mode, and runs it.
pub(super) fn run(arguments: &ExplainArguments, output: &Output) -> Done {
    if let Some(page) = arguments.cause.as_deref().and_then(cause::page) {
        return output.page(&page).map(|()| ExitCode::Fine);
    }
    // Before anything that takes memory or starts a thread.
    let mut launcher = Launcher::start()?;
    writable::check_all(arguments.files().map(PathBuf::as_path))
        .map_err(|(path, error)| unwritable(path, &error))?;
    let asked = ExplainRequest {
        subjects: arguments.subjects.clone(),
        core: arguments.core.clone(),
        ticky: arguments.ticky.clone(),
        callgrind: arguments.native.callgrind.clone(),
        dhat: arguments.native.dhat.clone(),
    };
    let mode = decide(&asked, what)
        .map_err(|error| Failure::new(error.to_string()).hint(Some(error.hint())))?;
    explaining::check(&arguments.at.revisions()?, &arguments.at, &mode)?;
    arguments.check_beside(&mode)?;
    let inspecting = Inspecting::begin(&arguments.store)?;
    let options = Options {
        source: &arguments.source,
        native: &arguments.native,
        at: &arguments.at,
        sources: &arguments.sources,
        heap_profile: arguments.heap_profile.as_deref(),
        all: arguments.all,
    };
    let mut terminal = Terminal::unless(arguments.source.quiet, output);
    let outcome = explaining::explain(mode, options, &mut launcher, &mut terminal)?;
    drop(terminal);
    match outcome {
        Outcome::Found(found) => report(arguments, &inspecting, found, output),
        Outcome::Same([old, new]) => {
            output.data(&format!("{old}\n{new}\n{}\n", explaining::SAME)).map(|()| ExitCode::Fine)
        }
    }
}

impl ExplainArguments {
    /// Every file to write.
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let NativeOptions { flame, export_html, export_speedscope, export_firefox_profile, .. } =
            &self.native;
        let of_native = [export_html, flame, export_speedscope, export_firefox_profile];
        [&self.export_json, &self.export_markdown].into_iter().chain(of_native).flatten()
    }

    /// Refuses options that do not apply: files that belong to a single folder of dumps if two are
    /// given, and `--allocations` for anything but native programs.
    fn check_beside(&self, mode: &Mode) -> Result<(), Failure> {
        let is_given = self.heap_profile.is_some() || !self.sources.is_empty();
        match mode {
            Mode::DumpsDifference { .. } if is_given => Err(Failure::new(
                "`--source` and `--heap-profile` belong to one folder of dumps, and two are given",
            )
            .hint(Some("leave them out: what changed is read from the dumps alone"))),
            Mode::Command(_) | Mode::Difference { .. } | Mode::Profiles => Ok(()),
            _ if self.native.allocations => Err(Failure::new("`--allocations` is for commands")
                .because(
                    "DHAT sees what a program takes from malloc, and other languages have heaps of \
                     their own",
                )
                .hint(Some(
                    "leave it out: of Haskell, brisk explains allocations by binding in any case",
                ))),
            _ => Ok(()),
        }
    }

    fn exports(&self) -> Exports {
        let files = [
            (Format::Json, &self.export_json),
            (Format::Markdown, &self.export_markdown),
            (Format::Html, &self.native.export_html),
        ];
        let files = files.into_iter().filter_map(|(format, path)| Some((format, path.clone()?)));
        Exports { files: files.collect(), asv_commit: None }
    }
}

/// Shows the findings, stores them, and writes the requested files.
fn report(
    arguments: &ExplainArguments,
    inspecting: &Inspecting,
    found: Found,
    output: &Output,
) -> Done {
    let inspection = inspecting.found(found, arguments.all);
    output.inspection(&inspection)?;
    inspecting.keep(&inspection, &arguments.exports())?;
    Ok(ExitCode::Fine)
}
