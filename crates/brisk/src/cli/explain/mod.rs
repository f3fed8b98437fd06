//! `brisk explain`: why does a program cost what it costs?

pub(in crate::cli) mod difference;
mod dumps;
mod growth;
mod lisp;
pub(in crate::cli) mod native;
pub(in crate::cli) mod source;

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use measure::Launcher;

use super::Done;
use super::bench::commits::CommitOptions;
use super::errors::unwritable;
use super::exit::ExitCode;
use super::inspecting::Inspecting;
use super::output::Output;
use super::project::{self, Project};
use model::failure::Failure;
use native::{Explained, NativeOptions};

use crate::cli::options::StoreOptions;
use explain::mode::{ExplainRequest, Mode, decide, what};
use findings::core_difference::CoreDifference;
use findings::inspection::Found;
use findings::instructions::InstructionCounts;
use model::spec::project::FILE_NAME;
use model::spec::writable;
use prepare::Repository;
use report::explanation::cause;
use report::export::{Exports, Format};

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
    source: source::SourceOptions,

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
        output.page(&page)?;
        return Ok(ExitCode::Fine);
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
    };
    let mode = decide(&asked, what)
        .map_err(|error| Failure::new(error.to_string()).hint(Some(error.hint())))?;
    let revisions = arguments.at.revisions()?;
    difference::check(&revisions, &arguments.at, &mode)?;
    arguments.check_beside(&mode)?;
    let inspecting = Inspecting::begin(&arguments.store)?;
    match explain(mode, &revisions, arguments, &mut launcher, output)? {
        Some(found) => report(arguments, &inspecting, found, output),
        None => Ok(ExitCode::Fine),
    }
}

impl ExplainArguments {
    /// Every file to write.
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let NativeOptions { flame, export_html, .. } = &self.native;
        [&self.export_json, &self.export_markdown, export_html, flame].into_iter().flatten()
    }

    /// The folder whose brisk.toml applies to a program in source, unless one is typed: the nearest
    /// one with such a file, from the program's own folder up to its repository's root.
    fn project_of(&self, subject: &Path) -> PathBuf {
        if self.at.names_project() {
            return self.at.folder().to_owned();
        }
        let own = if subject.is_dir() { Some(subject) } else { subject.parent() };
        // The folder of a bare file name is an empty path.
        let own = own.filter(|own| !own.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let root = Repository::open(own).ok().and_then(|it| it.root().canonicalize().ok());
        let (Some(root), Ok(real)) = (root, own.canonicalize()) else { return own.to_owned() };
        let above = real.ancestors().take_while(|folder| folder.starts_with(&root));
        let found = above.into_iter().find(|folder| folder.join(FILE_NAME).is_file());
        found.map_or_else(|| own.to_owned(), Path::to_owned)
    }

    /// The options for builds and runs, completed from the brisk.toml in this folder.
    fn source_of(&self, project: &Path) -> Result<source::SourceOptions, Failure> {
        let file = project::read(project)?;
        Ok(self.source.of_project(file.as_ref().map_or(&[], |file| &file.project.env)))
    }

    /// Refuses files that belong to a single folder of dumps if two are given.
    fn check_beside(&self, mode: &Mode) -> Result<(), Failure> {
        let is_given = self.heap_profile.is_some() || !self.sources.is_empty();
        match mode {
            Mode::DumpsDifference { .. } if is_given => Err(Failure::new(
                "`--source` and `--heap-profile` belong to one folder of dumps, and two are given",
            )
            .hint(Some("leave them out: what changed is read from the dumps alone"))),
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

/// The findings. None, with a message, if commits build the same program.
fn explain(
    mode: Mode,
    revisions: &[String],
    arguments: &ExplainArguments,
    launcher: &mut Launcher,
    output: &Output,
) -> Result<Option<Found>, Failure> {
    let timeout = arguments.at.build_timeout();
    let plan = |path: &Path| {
        let source = arguments.source_of(&arguments.project_of(path))?;
        source.plan(path, timeout)
    };
    let of_commands = || arguments.source_of(arguments.at.folder());
    let core = |part: CoreDifference| Found::CoreDifference(Box::new(part));
    let counted = |part: InstructionCounts| Found::Instructions(Box::new(part));
    Ok(Some(match mode {
        Mode::Dumps { folder, ticky } => {
            let ExplainArguments { sources, heap_profile, .. } = arguments;
            let beside = (&sources[..], heap_profile.as_deref());
            Found::Explanation(Box::new(dumps::explanation(&folder, ticky.as_deref(), beside)?))
        }
        Mode::DumpsDifference { folders, ticky } => {
            core(difference::of_dumps(&folders, ticky.as_ref())?)
        }
        Mode::Source(path) if !revisions.is_empty() => {
            let folder = arguments.project_of(&path);
            let project = Project::open(&folder, arguments.at.build())?;
            let source = arguments.source.of_project(project.env());
            let plan = |path: &Path| source.plan(path, timeout);
            // The same plan for the working files is checked before anything is checked out or
            // built.
            plan(&path)?;
            core(difference::of_revisions(&project, &path, revisions, plan, launcher)?)
        }
        Mode::SourceDifference(paths) => {
            let plans = [plan(&paths[0])?, plan(&paths[1])?];
            core(difference::of_sources(&paths, [&plans[0], &plans[1]], launcher)?)
        }
        Mode::Source(path) => {
            let plan = plan(&path)?;
            let part = source::explanation(&path, &plan, arguments.all, launcher)?;
            Found::Explanation(Box::new(part))
        }
        Mode::Lisp(path) => Found::Lisp(Box::new(lisp::explanation(&arguments.source, &path)?)),
        Mode::Command(command) if !revisions.is_empty() => {
            let source = of_commands()?;
            let running = source.running(&arguments.native);
            match native::commits(&command, &arguments.at, &running, launcher)? {
                Explained::Same([old, new]) => {
                    output.data(&format!("{old}\n{new}\n{}\n", native::SAME))?;
                    return Ok(None);
                }
                Explained::Counted(part) => Found::Instructions(part),
            }
        }
        Mode::Command(command) => {
            let source = of_commands()?;
            counted(native::commands(&[&command], &source.running(&arguments.native), launcher)?)
        }
        Mode::Difference { before, after } => {
            let (source, both) = (of_commands()?, [before.as_str(), after.as_str()]);
            counted(native::commands(&both, &source.running(&arguments.native), launcher)?)
        }
        Mode::Profiles(_) => counted(native::files(&arguments.native)?),
    }))
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
