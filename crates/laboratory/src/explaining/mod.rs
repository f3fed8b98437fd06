//! The causes of a program's cost: from a subject to the findings about it.
//!
//! Haskell, in source or as dumps, is read in GHC's Core (`haskell`), a Lisp file is explained by SBCL,
//! and any other command is counted or sampled (`native`). Two subjects are explained by what changed
//! from one to the other.

pub(crate) mod haskell;
pub(crate) mod native;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::thread;

use configuration::{BuildOptions, CommitOptions, NativeOptions, SourceOptions};
use explain::lisp::{self, LispError};
use explain::mode::Mode;
use findings::core_difference::CoreDifference;
use findings::explanation::LispExplanation;
use findings::inspection::Found;
use findings::instructions::InstructionCounts;
use measure::Launcher;
use measure::hold::Hold;
use model::failure::{Failing, Failure};
use model::spec::duration;
use model::spec::invocation::readable;
use model::spec::project::FILE_NAME;
use prepare::Repository;

use self::haskell::{Plan, of_revisions};
use crate::machine;
use crate::project::Project;
use crate::watcher::{Event, Shared, Watcher};

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

/// The message for commits that build the same program.
pub const SAME: &str = "make the same program, byte for byte: there is nothing to explain";

/// Refuses options that do not apply to the mode.
pub fn check(revisions: &[String], at: &CommitOptions, mode: &Mode) -> Result<(), Failure> {
    if at.build.layouts() > 0 {
        return Err(Failure::new("`--layouts` is for times, and an explanation counts")
            .because("counts do not change with where the code lies"));
    }
    let BuildOptions { build, artifact, patch, overlay, .. } = &at.build;
    let given = [
        ("--build", build.is_some()),
        ("--artifact", artifact.is_some()),
        ("--patch", patch.is_some()),
        ("--overlay", overlay.is_some()),
    ];
    let given = given.iter().find(|(_, is_given)| *is_given);
    match (mode, given) {
        (_, Some((option, _))) if revisions.is_empty() => {
            Err(Failure::new(format!("`{option}` is for commits, and none is named"))
                .hint(Some("name one with `--at COMMIT`")))
        }
        (Mode::Source(_) | Mode::Command(_), _) => Ok(()),
        _ if revisions.is_empty() => Ok(()),
        (Mode::Dumps { .. } | Mode::DumpsDifference { .. }, _) => Err(Failure::new(
            "`--core` and `--at` cannot both be given: one explains dumps, the other builds \
             commits",
        )
        .hint(Some("leave one of them out"))),
        _ => Err(Failure::new("`--at` explains one program at two commits")
            .hint(Some("name one command, cabal project, folder or file of Haskell"))),
    }
}

/// Builds, runs and reads what the mode asks for.
pub fn explain(
    mode: Mode,
    options: Options<'_>,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Outcome, Failure> {
    let revisions = options.at.revisions()?;
    let timeout = options.at.build.build_timeout.as_deref();
    let plan = |path: &Path| {
        let source = source_of(options.source, &project_of(options.at, path))?;
        Plan::new(&source, path, timeout)
    };
    let of_commands = || source_of(options.source, options.at.folder());
    let core = |part: CoreDifference| Found::CoreDifference(Box::new(part));
    let counted = |part: InstructionCounts| Found::Instructions(Box::new(part));
    Ok(Outcome::Found(match mode {
        Mode::Dumps { folder, ticky } => {
            Found::Explanation(Box::new(haskell::explanation_of_dumps(
                &folder,
                ticky.as_deref(),
                options.sources,
                options.heap_profile,
            )?))
        }
        Mode::DumpsDifference { folders, ticky } => {
            core(haskell::difference_of_dumps(&folders, ticky.as_ref())?)
        }
        Mode::Source(path) if !revisions.is_empty() => {
            let project = Project::open(&project_of(options.at, &path), &options.at.build)?;
            let source = options.source.of_project(project.env());
            // The same plan for the working files is checked before anything is checked out or
            // built.
            Plan::new(&source, &path, timeout)?;
            core(of_revisions(&project, &path, &revisions, &source, timeout, launcher, watcher)?)
        }
        Mode::SourceDifference(paths) => {
            let plans = [plan(&paths[0])?, plan(&paths[1])?];
            core(haskell::difference_of_sources(&paths, [&plans[0], &plans[1]], launcher, watcher)?)
        }
        Mode::Source(path) => {
            let plan = plan(&path)?;
            let part = haskell::explanation(&path, &plan, options.all, launcher, watcher)?;
            Found::Explanation(Box::new(part))
        }
        Mode::Lisp(path) => {
            Found::Lisp(Box::new(lisp_explanation(options.source, &path, watcher)?))
        }
        Mode::Command(command) if !revisions.is_empty() => {
            let source = of_commands()?;
            let native = options.native;
            return native::commits(&command, options.at, &source, native, launcher, watcher);
        }
        Mode::Command(command) => {
            let (source, native) = (of_commands()?, options.native);
            native::commands(&[&command], &source, native, launcher, watcher)?
        }
        Mode::Difference { before, after } => {
            let (source, native) = (of_commands()?, options.native);
            let both = [before.as_str(), after.as_str()];
            native::commands(&both, &source, native, launcher, watcher)?
        }
        Mode::Profiles => counted(native::files(options.native)?),
    }))
}

/// The folder whose brisk.toml applies to a program in source, unless one is typed: the nearest one
/// with such a file, from the program's own folder up to its repository's root.
fn project_of(at: &CommitOptions, subject: &Path) -> PathBuf {
    if at.project.is_some() {
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
    let file = configuration::settings::read(project)?;
    Ok(typed.of_project(file.as_ref().map_or(&[], |file| &file.project.env)))
}

/// Shares the machine with builds: counting does not need a quiet machine, but other measurements
/// do.
fn shared(watcher: &mut dyn Watcher) -> Result<Option<Hold>, Failure> {
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;
    machine::building(false, watcher)
}

/// Tells what an analysis is doing.
trait Telling {
    /// Begins a stage.
    fn begin(&self, what: &str);

    /// Begins a part of the stage: `number`, counted from 1, of `of`.
    fn part(&self, word: &'static str, number: u32, of: u32);
}

/// The stages of an analysis, told as they begin.
struct Stages<'a>(Shared<'a>);

impl<'a> Stages<'a> {
    /// This number of stages, repeated.
    fn new(stages: usize, repetitions: usize, watcher: &'a mut dyn Watcher) -> Self {
        watcher.on(Event::Analysis { stages, repetitions });
        Self(Shared::new(watcher))
    }

    /// As [`shared`].
    fn shared(&self) -> Result<Option<Hold>, Failure> {
        shared(&mut &self.0)
    }

    /// Does the same work for both inputs at once, and tells the stages of both.
    fn both<Input: Send, Output: Send>(
        &self,
        inputs: [Input; 2],
        work: impl Fn(Input, &dyn Telling) -> Result<Output, Failure> + Sync,
    ) -> Result<[Output; 2], Failure> {
        let (sender, receiver) = mpsc::channel();
        let work = &work;
        let [one, other] = thread::scope(|scope| {
            let workers = inputs.map(|input| {
                let sender = sender.clone();
                scope.spawn(move || work(input, &sender))
            });
            drop(sender);
            for told in receiver {
                match told {
                    Told::Stage(what) => self.begin(&what),
                    Told::Part { word, number, of } => self.part(word, number, of),
                }
            }
            let unwind = |panic| std::panic::resume_unwind(panic);
            workers.map(|worker| worker.join().unwrap_or_else(unwind))
        });
        Ok([one?, other?])
    }
}

impl Telling for Stages<'_> {
    fn begin(&self, what: &str) {
        self.0.on(Event::Stage(what));
    }

    fn part(&self, word: &'static str, number: u32, of: u32) {
        self.0.on(Event::Part { word, number, of });
    }
}

/// A message of a worker.
enum Told {
    Stage(String),
    Part { word: &'static str, number: u32, of: u32 },
}

impl Telling for Sender<Told> {
    // The receiver is there until all workers have ended.
    fn begin(&self, what: &str) {
        let _ = self.send(Told::Stage(what.to_owned()));
    }

    fn part(&self, word: &'static str, number: u32, of: u32) {
        let _ = self.send(Told::Part { word, number, of });
    }
}

impl Drop for Stages<'_> {
    fn drop(&mut self) {
        self.0.on(Event::Ended);
    }
}

fn lisp_explanation(
    source: &SourceOptions,
    file: &Path,
    watcher: &mut dyn Watcher,
) -> Result<LispExplanation, Failure> {
    let input = (source.input != "null").then(|| Path::new(&source.input));
    if let Some(path) = input {
        readable(path).failing(format!("cannot read from `{}`", path.display()))?;
    }
    let timeout = duration::parse(&source.timeout).failing("bad `--timeout`")?;
    let held = shared(watcher)?;
    let said = lisp::ask(file, input, Some(timeout)).map_err(|error| lisp_failure(&error))?;
    drop(held);
    Ok(lisp::explanation(&file.display().to_string(), said))
}

fn lisp_failure(error: &LispError) -> Failure {
    let failure = Failure::from_error(error);
    match error {
        LispError::NoSbcl(_) => failure.hint(Some("install it (`apt-get install sbcl`)")),
        LispError::Ended { printed, .. } | LispError::NoReport { printed, .. } => {
            let failure = failure.because(format!("the last lines it printed:\n{printed}"));
            failure.hint(Some("the file must run to its end by itself: `sbcl --script FILE`"))
        }
        _ => failure,
    }
}
