//! The reach of a change: for each benchmark, whether a run of it can be affected.
//!
//! The commits' programs are built already. Git tells the files and lines that differ, debug
//! information the functions around these lines, and callgrind the code that a run executes;
//! [`judge::reach`] and [`toolchains::code_equality`] decide.

mod profile;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use findings::reach::{BenchmarkReach, ChangeReach, ChangedFunction};
use judge::reach::{Change, Decision, ExecutedCode, TouchedFunction, Unfollowed, is_changed};
use measure::{AllowedExits, Launcher};
use model::failure::Failure;
use model::spec::artifacts::Layouts;
use model::spec::labels::Labels;
use model::spec::{Experiment, Invocation, Variant};
use prepare::{Artifact, Commit, Repository, command_words, could_matter};
use toolchains::code_equality::{self, Difference};
use toolchains::debug_functions::{self, DebugFunctions};
use toolchains::diff::{self, FileChange};
use toolchains::executable::{FileKind, kind};

use crate::machine;
use crate::watcher::{Event, Watcher};
use profile::{Profiler, RunProfile};

/// A change, and the programs on both sides of it.
pub(crate) struct ChangeSite<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The old commit.
    pub base: &'a Commit,
    /// The new commit.
    pub head: &'a Commit,
    /// The programs; `None` if they are not built from the commits, or run on another machine.
    pub programs: Option<Programs>,
    /// The folder for reports of harnesses.
    pub folder: &'a Path,
}

/// The programs of both sides.
pub(crate) struct Programs {
    pub old: ProgramSide,
    pub new: ProgramSide,
}

/// The program of one side, or the folder with the programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgramSide {
    /// Its path.
    pub path: PathBuf,
    /// The digest that identifies it; `None` if brisk did not build it.
    pub digest: Option<String>,
    /// Set if it runs in the checkout of its commit, whose files are a part of it.
    pub is_in_checkout: bool,
}

impl From<&Artifact> for ProgramSide {
    fn from(artifact: &Artifact) -> Self {
        Self {
            path: artifact.path.clone(),
            digest: Some(artifact.digest.as_str().to_owned()),
            is_in_checkout: artifact.checkout.is_some(),
        }
    }
}

/// A benchmark to decide on.
pub(crate) struct Subject {
    /// Its name.
    pub name: String,
    /// Its run in each program, or the reason that these cannot be compared.
    pub runs: Result<SubjectRuns, Unfollowed>,
}

/// The run of a benchmark in the programs of both sides: experiments of one variant.
pub(crate) struct SubjectRuns {
    pub old: Experiment,
    pub new: Experiment,
}

/// The experiment of one brief run of a benchmark inside a program.
pub(crate) fn brief_experiment(run: Invocation, timeout: Option<Duration>) -> Experiment {
    let variant = Variant {
        name: run.argv.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default(),
        command: String::new(),
        labels: Labels::default(),
        run,
        setup: None,
        prepare: None,
        conclude: None,
        cleanup: None,
        measures: Vec::new(),
        layouts: Layouts::default(),
    };
    Experiment {
        variants: vec![variant],
        commands: 1,
        shell: None,
        timeout,
        allowed: AllowedExits::Zero,
        outlives_failures: false,
        setup_runs: 1,
        claims_equal_work: false,
    }
}

/// Decides which of the benchmarks a change reaches.
pub(crate) fn of_change(
    site: &ChangeSite<'_>,
    subjects: &[Subject],
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<ChangeReach, Failure> {
    let ends = [site.base.hash.as_str(), site.head.hash.as_str()];
    let text = site.repository.ask(diff::ARGUMENTS.into_iter().chain(ends))?;
    let files = diff::changes(&text);
    let is_wanted = |path: &str| files.as_deref().is_some_and(|files| is_changed(path, files));
    let sources = |side: fn(&Programs) -> &ProgramSide| {
        sources(&side(site.programs.as_ref()?).path, &is_wanted)
    };
    let (old, new) = (sources(|all| &all.old), sources(|all| &all.new));
    let change = Change {
        files: files.as_deref().unwrap_or_default(),
        old: old.as_ref(),
        new: new.as_ref(),
    };
    let held = machine::building(false, watcher)?;
    let mut deciding = Deciding {
        site,
        files: files.as_deref(),
        change,
        touched: change.touched(),
        profiler: Profiler::new(site.folder),
        run_by: BTreeMap::new(),
    };
    let mut benchmarks = Vec::new();
    for (done, subject) in subjects.iter().enumerate() {
        let of = subjects.len();
        watcher.on(Event::Runs { doing: "following the change", done, of, result: "" });
        benchmarks.push(deciding.decide(subject, launcher));
        if measure::interrupt::requested() {
            return Err(Failure::new("interrupted"));
        }
    }
    watcher.on(Event::Ended);
    drop(held);
    Ok(ChangeReach {
        base: site.base.hash.clone(),
        head: site.head.hash.clone(),
        benchmarks,
        profiling_seconds: deciding.profiler.seconds,
        functions: deciding.functions(),
    })
}

/// The sources of the program at a path, or of all programs in a folder.
fn sources(path: &Path, is_wanted: &dyn Fn(&str) -> bool) -> Option<DebugFunctions> {
    let mut all: Option<DebugFunctions> = None;
    for file in files_in(path) {
        let Ok(bytes) = fs::read(&file) else { continue };
        let Some(found) = debug_functions::read(&bytes, is_wanted) else { continue };
        let all = all.get_or_insert_default();
        all.files.extend(found.files);
        all.functions.extend(found.functions);
    }
    all
}

/// The files of a folder and below, or the file itself.
fn files_in(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return vec![path.to_owned()] };
    let mut files: Vec<PathBuf> =
        entries.flatten().flat_map(|entry| files_in(&entry.path())).collect();
    files.sort();
    files
}

struct Deciding<'a> {
    site: &'a ChangeSite<'a>,
    /// The files that differ; `None` if the difference cannot be read.
    files: Option<&'a [FileChange]>,
    change: Change<'a>,
    touched: Vec<TouchedFunction>,
    profiler: Profiler<'a>,
    /// The benchmarks that run a touched function, by its place.
    run_by: BTreeMap<usize, Vec<String>>,
}

impl Deciding<'_> {
    fn decide(&mut self, subject: &Subject, launcher: &mut Launcher) -> BenchmarkReach {
        let (proof, profiled) = match &subject.runs {
            Err(why) => (Err(why.clone()), false),
            Ok(runs) => self.follow(&subject.name, runs, launcher),
        };
        let Decision { reach, reason } = Decision::from(proof);
        BenchmarkReach { benchmark: subject.name.clone(), reach, reason, profiled }
    }

    /// The proof that a benchmark does the same in both programs; true if its code is known.
    fn follow(
        &mut self,
        name: &str,
        runs: &SubjectRuns,
        launcher: &mut Launcher,
    ) -> (Result<(), Unfollowed>, bool) {
        let followable = self.check_run(runs);
        let Some(programs) = &self.site.programs else { return (followable, false) };
        let is_same = programs.old.digest.is_some() && programs.old.digest == programs.new.digest;
        if is_same && followable.is_ok() || followable.is_err() && self.touched.is_empty() {
            return (followable, false);
        }
        let old = match self.profiler.profile(&runs.old, &programs.old, launcher) {
            Ok(profile) => profile,
            Err(why) => return (followable.and(Err(why)), false),
        };
        let proof = followable.and_then(|()| compare(&old, programs, self.site.repository));
        let old_code = old.code_of(&programs.old.path);
        let new_code = match &proof {
            // The run of the new program is that of the old one.
            Ok(()) => Ok(old_code.clone()),
            Err(_) => self
                .profiler
                .profile(&runs.new, &programs.new, launcher)
                .map(|profile| profile.code_of(&programs.new.path)),
        };
        let is_known = new_code.is_ok();
        self.note_functions(name, &old_code, &new_code.unwrap_or_default());
        (proof, is_known)
    }

    /// Checks what can be checked without running anything.
    fn check_run(&self, runs: &SubjectRuns) -> Result<(), Unfollowed> {
        let Some(programs) = &self.site.programs else {
            return Err(Unfollowed::Run("it is not built from the commits".to_owned()));
        };
        if self.files.is_none() {
            return Err(Unfollowed::Diff);
        }
        if programs.old.is_in_checkout || programs.new.is_in_checkout {
            let why = "it runs in the checkout of its commit, whose files it may read";
            return Err(Unfollowed::Run(why.to_owned()));
        }
        let variant = &runs.old.variants[0];
        let hooks = [&variant.prepare, &variant.conclude];
        if variant.setup.is_some() || hooks.into_iter().any(Option::is_some) {
            let why = "other commands run before or after it";
            return Err(Unfollowed::Run(why.to_owned()));
        }
        if variant.command.contains("{commit}") {
            let why = "its command contains the name of the commit";
            return Err(Unfollowed::Run(why.to_owned()));
        }
        let words = variant.run.argv.iter().map(|word| word.to_string_lossy().into_owned());
        let program = programs.old.path.to_string_lossy();
        let words: Vec<String> = words.map(|word| word.replace(&*program, "")).collect();
        let words: Vec<&str> = words.iter().flat_map(|word| command_words(word)).collect();
        self.change.check_files(&could_matter, &words)
    }

    fn note_functions(&mut self, name: &str, old: &ExecutedCode, new: &ExecutedCode) {
        for (place, function) in self.touched.iter().enumerate() {
            let runs_old = function.old.as_ref().is_some_and(|function| old.runs(function));
            let runs_new = function.new.as_ref().is_some_and(|function| new.runs(function));
            if runs_old || runs_new {
                self.run_by.entry(place).or_default().push(name.to_owned());
            }
        }
    }

    fn functions(mut self) -> Vec<ChangedFunction> {
        let function = |(place, TouchedFunction { name, file, .. }): (usize, TouchedFunction)| {
            let run_by = self.run_by.remove(&place).unwrap_or_default();
            ChangedFunction { name, file, run_by }
        };
        self.touched.into_iter().enumerate().map(function).collect()
    }
}

/// Proves that the run of a profile is the same with the new program.
fn compare(
    run: &RunProfile,
    programs: &Programs,
    repository: &Repository,
) -> Result<(), Unfollowed> {
    let (old, new) = (real(&programs.old.path), real(&programs.new.path));
    let unwinds = |name: &String| name.starts_with("_Unwind_");
    if run.objects.values().flat_map(|object| &object.symbols).any(unwinds) {
        return Err(Unfollowed::Program(Difference::Unwinds));
    }
    let mut ran: BTreeSet<PathBuf> = BTreeSet::new();
    if !run.is_all_in_files() {
        return Err(Unfollowed::NoFile);
    }
    for (path, object) in run.files() {
        let path = real(Path::new(path));
        if let Ok(within) = path.strip_prefix(&old) {
            let symbols = object.symbols.iter().map(String::as_str);
            compare_files(&path, &at(&new, within), symbols)?;
            ran.insert(within.to_owned());
        } else if path.starts_with(real(repository.root())) || is_cached(&path) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            return Err(Unfollowed::Object(name.into_owned()));
        }
    }
    if ran.is_empty() {
        return Err(Unfollowed::OtherProgram);
    }
    compare_others(&old, &new, &ran)
}

fn compare_files<'s>(
    old: &Path,
    new: &Path,
    symbols: impl Iterator<Item = &'s str>,
) -> Result<(), Unfollowed> {
    let read = |path: &Path| {
        fs::read(path).map_err(|error| Unfollowed::Run(format!("its program: {error}")))
    };
    let (old, new) = (read(old)?, read(new)?);
    if old == new {
        return Ok(());
    }
    code_equality::check(&old, &new, symbols).map_err(Unfollowed::Program)
}

/// Compares the files that were built beside the programs that ran. Other programs do not count:
/// they are started, not read.
fn compare_others(old: &Path, new: &Path, ran: &BTreeSet<PathBuf>) -> Result<(), Unfollowed> {
    let within = |root: &Path| -> BTreeSet<PathBuf> {
        let files = files_in(root).into_iter();
        files.filter_map(|file| Some(file.strip_prefix(root).ok()?.to_owned())).collect()
    };
    let (olds, news) = (within(old), within(new));
    for path in olds.union(&news).filter(|path| !ran.contains(*path)) {
        let read = |root: &Path| fs::read(at(root, path)).ok();
        let (before, after) = (read(old), read(new));
        let is_program = |bytes: &Option<Vec<u8>>| {
            bytes.as_ref().is_none_or(|bytes| kind(bytes) == FileKind::Program)
        };
        if before != after && !(is_program(&before) && is_program(&after)) {
            return Err(Unfollowed::Object(path.display().to_string()));
        }
    }
    Ok(())
}

/// A path below a root; an empty one is the root itself.
fn at(root: &Path, within: &Path) -> PathBuf {
    if within.as_os_str().is_empty() { root.to_owned() } else { root.join(within) }
}

fn is_cached(path: &Path) -> bool {
    prepare::Cache::of_the_user().is_ok_and(|cache| path.starts_with(real(cache.root())))
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// True if a benchmark was proved not to be reached.
pub(crate) fn is_skipped(reach: Option<&ChangeReach>, benchmark: &str) -> bool {
    reach.is_some_and(|reach| reach.skips(benchmark))
}
