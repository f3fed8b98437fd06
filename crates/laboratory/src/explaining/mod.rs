//! The causes of a program's cost: from a subject to what was found about it.
//!
//! A program in source is built with counters and read in GHC's Core (`source`, also with two amounts
//! of work), or explained by SBCL (`lisp`). A command runs under callgrind (`native`).
//! Dumps that exist are read as they are (`dumps`). `difference` explains what changed from one
//! program to another.

mod difference;
mod dumps;
mod lisp;
pub(crate) mod native;
mod source;

use std::path::{Path, PathBuf};

use configuration::{CommitOptions, NativeOptions, SourceOptions};
use explain::mode::Mode;
use findings::core_difference::CoreDifference;
use findings::inspection::Found;
use findings::instructions::InstructionCounts;
use measure::Launcher;
use measure::hold::Hold;
use model::failure::{Failing, Failure};
use model::spec::project::FILE_NAME;
use prepare::Repository;

use crate::machine;
use crate::project::Project;
use crate::watcher::{Event, Shared, Watcher};
pub use difference::check;
pub(crate) use difference::of_revisions;
use native::Explained;
pub use native::SAME;
pub(crate) use source::Plan;

/// The options of an explanation.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The build and the run of a program in source, and the input of commands.
    pub source: &'a SourceOptions,
    /// The counting of instructions by function.
    pub native: &'a NativeOptions,
    /// The commits whose programs are explained.
    pub at: &'a CommitOptions,
    /// The source folders of dumps.
    pub sources: &'a [PathBuf],
    /// The heap profile of a run of the program whose dumps are read.
    pub heap_profile: Option<&'a Path>,
    /// Set if the remedies of small findings are tried, too.
    pub all: bool,
}

/// The outcome of an explanation.
pub enum Outcome {
    /// The findings.
    Found(Found),
    /// The two commits of these names build the same program, byte for byte.
    Same([String; 2]),
}

/// Builds, runs and reads what the mode asks for.
///
/// # Errors
///
/// When something is missing, fails or is interrupted.
pub fn explain(
    mode: Mode,
    options: Options<'_>,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Outcome, Failure> {
    let revisions = options.at.revisions()?;
    let timeout = options.at.build_timeout();
    let plan = |path: &Path| {
        let source = source_of(options.source, &project_of(options.at, path))?;
        Plan::new(&source, path, timeout)
    };
    let of_commands = || source_of(options.source, options.at.folder());
    let core = |part: CoreDifference| Found::CoreDifference(Box::new(part));
    let counted = |part: InstructionCounts| Found::Instructions(Box::new(part));
    Ok(Outcome::Found(match mode {
        Mode::Dumps { folder, ticky } => Found::Explanation(Box::new(dumps::explanation(
            &folder,
            ticky.as_deref(),
            options.sources,
            options.heap_profile,
        )?)),
        Mode::DumpsDifference { folders, ticky } => {
            core(difference::of_dumps(&folders, ticky.as_ref())?)
        }
        Mode::Source(path) if !revisions.is_empty() => {
            let project = Project::open(&project_of(options.at, &path), options.at.build())?;
            let source = options.source.of_project(project.env());
            // The same plan for the working files is checked before anything is checked out or
            // built.
            Plan::new(&source, &path, timeout)?;
            core(of_revisions(&project, &path, &revisions, &source, timeout, launcher, watcher)?)
        }
        Mode::SourceDifference(paths) => {
            let plans = [plan(&paths[0])?, plan(&paths[1])?];
            core(difference::of_sources(&paths, [&plans[0], &plans[1]], launcher, watcher)?)
        }
        Mode::Source(path) => {
            let plan = plan(&path)?;
            let part = source::explanation(&path, &plan, options.all, launcher, watcher)?;
            Found::Explanation(Box::new(part))
        }
        Mode::Lisp(path) => {
            Found::Lisp(Box::new(lisp::explanation(options.source, &path, watcher)?))
        }
        Mode::Command(command) if !revisions.is_empty() => {
            let source = of_commands()?;
            let native = options.native;
            match native::commits(&command, options.at, &source, native, launcher, watcher)? {
                Explained::Same(names) => return Ok(Outcome::Same(names)),
                Explained::Counted(part) => Found::Instructions(part),
            }
        }
        Mode::Command(command) => {
            let (source, native) = (of_commands()?, options.native);
            counted(native::commands(&[&command], &source, native, launcher, watcher)?)
        }
        Mode::Difference { before, after } => {
            let (source, native) = (of_commands()?, options.native);
            let both = [before.as_str(), after.as_str()];
            counted(native::commands(&both, &source, native, launcher, watcher)?)
        }
        Mode::Profiles(_) => counted(native::files(options.native)?),
    }))
}

/// The folder whose brisk.toml applies to a program in source, unless one is typed: the nearest one
/// with such a file, from the program's own folder up to its repository's root.
fn project_of(at: &CommitOptions, subject: &Path) -> PathBuf {
    if at.names_project() {
        return at.folder().to_owned();
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
fn source_of(typed: &SourceOptions, project: &Path) -> Result<SourceOptions, Failure> {
    let file = configuration::project::read(project)?;
    Ok(typed.of_project(file.as_ref().map_or(&[], |file| &file.project.env)))
}

/// Shares the machine with builds: counting does not need a quiet machine, but other measurements
/// do.
fn shared(watcher: &mut dyn Watcher) -> Result<Option<Hold>, Failure> {
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;
    machine::building(false, watcher)
}

/// The stages of an analysis, told as they begin.
struct Stages<'a>(Shared<'a>);

impl<'a> Stages<'a> {
    /// This number of stages, repeated.
    fn new(stages: usize, repetitions: usize, watcher: &'a mut dyn Watcher) -> Self {
        watcher.on(Event::Analysis { stages, repetitions });
        Self(Shared::new(watcher))
    }

    fn begin(&self, what: &str) {
        self.0.on(Event::Stage(what));
    }

    /// Begins a part of the stage: `number`, counted from 1, of `of`.
    fn part(&self, word: &'static str, number: u32, of: u32) {
        self.0.on(Event::Part { word, number, of });
    }

    /// As [`shared`].
    fn shared(&self) -> Result<Option<Hold>, Failure> {
        shared(&mut &self.0)
    }
}

impl Drop for Stages<'_> {
    fn drop(&mut self) {
        self.0.on(Event::Ended);
    }
}
