//! Explains any native program: which functions execute its instructions, take its time or allocate,
//! and what changed from one program to another.
//!
//! Instructions are counted exactly where that is affordable. Where a plain run takes longer than
//! [`AFFORDABLE`], time is sampled, and the finding says so.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use configuration::suite::TypedProgram;
use configuration::{CommitOptions, NativeOptions, NativeWay, PROFILE_RUNS, SourceOptions, Typed};
use measure::Launcher;
use measure::profiler::ProfilerError;

use super::{Outcome, shared};
use crate::commits::{Executables, executables};
use crate::measured::run_failure;
use crate::project::BuildConduct;
use crate::watcher::{Event, Watcher};
use explain::instructions::difference::ProgramCounts;
use explain::instructions::finding::{ProfiledProgram, Sources, of_one, of_two};
use explain::instructions::profiling::{
    CountingTool, Counts, FunctionCount, NO_SYMBOL, Profiling, ProfilingError, Stacks,
    common_stacks,
};
use explain::sampled::{BUDGET, SampleError, Sampling};
use findings::inspection::Found;
use findings::instructions::{ALLOCATED_BYTES, InstructionCounts, ProgramStacks};
use findings::time_profile::TimeProfile;
use model::failure::Failure;
use model::spec::Experiment;
use model::spec::invocation;
use prepare::written;
use report::stacks::{StackUnit, firefox_profile, speedscope};
use report::{instructions, time_profile};
use run::instrument::InstrumentError;
use run::instrument::valgrind::{self, Callgrind, Dhat, ProfileError};
use run::local::LocalExecutor;

/// One program: its name, its runs and its stacks.
pub(crate) struct Subject {
    name: String,
    pub(crate) measured: ProgramCounts,
    stacks: Option<Stacks>,
    sources: Sources,
}

/// The commands as variants, with the arguments appended to each.
fn experiment(source: &SourceOptions, commands: &[&str]) -> Result<Experiment, Failure> {
    let no_parameters = [Vec::new()];
    let run_settings = source.invocation().run_settings();
    let mut experiment = run_settings
        .and_then(|run_settings| invocation::experiment(&run_settings, commands, &no_parameters))?;
    if experiment.shell.is_some() && !source.arguments.is_empty() {
        return Err(Failure::new("arguments behind `--` of a command that goes through a shell")
            .hint(Some("write them into the command")));
    }
    for (variant, command) in experiment.variants.iter_mut().zip(commands) {
        (*command).clone_into(&mut variant.name);
        variant.run.argv.extend_from_slice(&source.arguments);
    }
    Ok(experiment)
}

pub(super) fn commands(
    commands: &[&str],
    source: &SourceOptions,
    native: &NativeOptions,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Found, Failure> {
    found(&experiment(source, commands)?, source, native, launcher, watcher)
}

/// Runs a command with the programs of two commits, or of a commit and an existing program.
pub(super) fn commits(
    command: &str,
    at: &CommitOptions,
    source: &SourceOptions,
    native: &NativeOptions,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Outcome, Failure> {
    let mut experiment = experiment(source, &[command, command])?;
    if experiment.shell.is_some() {
        return Err(Failure::new("a command of commits cannot go through a shell")
            .because(format!("in `{command}` it is not clear what the build makes"))
            .hint(Some("give it as PROGRAM ARGUMENTS, and its input with `--input`")));
    }
    let words = vec![experiment.variants[0].run.argv[0].clone()];
    let typed = [TypedProgram { words, is_command: false }];
    let conduct = BuildConduct { no_wait: false, engine: None };
    let executables = match executables(at, &typed, conduct, watcher)? {
        Executables::Same { names } => return Ok(Outcome::Same(names)),
        Executables::Some(executables) => executables,
    };
    for (variant, executable) in experiment.variants.iter_mut().zip(executables) {
        variant.name = executable.name.unwrap_or_else(|| command.to_owned());
        // A path without a slash would be searched in PATH.
        let path = std::path::absolute(&executable.path).unwrap_or(executable.path);
        variant.run.argv[0] = path.into_os_string();
        if let Some(checkout) = &executable.checkout {
            checkout.move_here(&mut variant.run);
        }
    }
    found(&experiment, source, native, launcher, watcher).map(Outcome::Found)
}

/// The longest plain run that is counted unless counting is asked for: callgrind takes 15 to 50
/// times as long, and runs each program twice.
const AFFORDABLE: Duration = Duration::from_millis(1500);

/// Counts or samples the variants of an experiment.
fn found(
    experiment: &Experiment,
    source: &SourceOptions,
    options: &NativeOptions,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Found, Failure> {
    LocalExecutor::check(experiment).map_err(|error| run_failure(&error, None))?;
    let budget = source.budget.clone().map(Typed::value).transpose()?.unwrap_or(BUDGET);
    let way = options.way();
    match way {
        NativeWay::Count => return counted(experiment, options, None, launcher, watcher),
        NativeWay::Allocations => {
            let dhat = Dhat::new().map_err(|error| no_valgrind(&error, "--dhat"))?;
            let part = profiled(experiment, dhat, options, launcher, watcher)?;
            return Ok(Found::Instructions(Box::new(part)));
        }
        NativeWay::Sample | NativeWay::ByTime => {}
    }
    let held = shared(watcher)?;
    let mut sampling = Sampling::new(experiment, launcher).map_err(|it| sample_failure(&it))?;
    let mut reason = None;
    if way == NativeWay::ByTime {
        let mut longest = Duration::ZERO;
        for variant in 0..experiment.variants.len() {
            let wall = sampling.plain(variant).map_err(|error| sample_failure(&error))?;
            longest = longest.max(wall);
        }
        reason = match Callgrind::new() {
            Ok(_) if longest <= AFFORDABLE => {
                drop((sampling, held));
                return counted(experiment, options, None, launcher, watcher);
            }
            Ok(_) => Some(format!(
                "a plain run takes {}, so time was sampled; `--count` counts instructions, which \
                 takes 15 to 50 times as long",
                words::quantity::duration(longest.as_secs_f64())
            )),
            Err(error) => {
                Some(format!("instructions cannot be counted ({error}): sampled instead"))
            }
        };
    }
    let sampled = sampled(sampling, budget, watcher);
    drop(held);
    match sampled {
        Ok(mut part) => {
            part.notes.splice(0..0, reason);
            let flame = time_profile::flame(&part).map(|flame| instructions::svg(&flame));
            write_to(flame, options.flame.as_deref())?;
            let names: Vec<&str> = part.variants.iter().map(|one| &*one.name).collect();
            export(&names, part.stacks.as_ref(), StackUnit::Nanoseconds, options)?;
            Ok(Found::TimeProfile(Box::new(part)))
        }
        Err(error) if way == NativeWay::ByTime && is_refusal(&error) => {
            let note = format!("{}; instructions were counted instead", refusal(&error));
            counted(experiment, options, Some(note), launcher, watcher)
        }
        Err(error) => Err(sample_failure(&error)),
    }
}

fn counted(
    experiment: &Experiment,
    options: &NativeOptions,
    note: Option<String>,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Found, Failure> {
    let mut part = profiled(experiment, callgrind()?, options, launcher, watcher)?;
    part.notes.splice(0..0, note);
    Ok(Found::Instructions(Box::new(part)))
}

/// Samples the programs, and tells its progress.
pub(crate) fn sampled(
    sampling: Sampling<'_>,
    budget: Duration,
    watcher: &mut dyn Watcher,
) -> Result<TimeProfile, SampleError> {
    let sampled = sampling.sample(budget, &mut |done, of| {
        watcher.on(Event::Runs { doing: "sampling", done, of, result: "" });
    });
    watcher.on(Event::Ended);
    sampled
}

/// True if the kernel does not let programs be sampled.
fn is_refusal(error: &SampleError) -> bool {
    let SampleError::Profiler { source, .. } = error else { return false };
    matches!(source, ProfilerError::Refused(_) | ProfilerError::NoRing(_))
}

/// The reason for a refusal.
fn refusal(error: &SampleError) -> String {
    match error {
        SampleError::Profiler { source, .. } => source.to_string(),
        error => error.to_string(),
    }
}

fn sample_failure(error: &SampleError) -> Failure {
    match error {
        SampleError::Run(error) => run_failure(error, None),
        SampleError::Profiler { source, .. } => {
            let hint = match source {
                ProfilerError::Refused(_) | ProfilerError::NoRing(_) => {
                    "allow it (`sysctl kernel.perf_event_paranoid=2`; in containers, the system \
                     call perf_event_open), or count with valgrind: `--count`"
                }
                _ => "does the program run by itself?",
            };
            Failure::from_error(error).hint(Some(hint))
        }
        SampleError::NothingSeen { .. } => Failure::from_error(error)
            .hint(Some("give it more work, or count its instructions: `--count`")),
        SampleError::Interrupted => Failure::from_error(error),
    }
}

/// Fails if instructions cannot be counted.
pub(crate) fn check_callgrind() -> Result<(), Failure> {
    callgrind().map(drop)
}

fn callgrind() -> Result<Callgrind, Failure> {
    Callgrind::new().map_err(|error| no_valgrind(&error, "--callgrind"))
}

/// Runs the variants of an experiment, one or an old and a new one.
fn profiled<Tool: CountingTool>(
    experiment: &Experiment,
    tool: Tool,
    options: &NativeOptions,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<InstructionCounts, Failure> {
    let Counted { subjects, notes } = run_counted(experiment, tool, options, launcher, watcher)?;
    explained(subjects, options, notes)
}

/// The programs of an experiment, counted.
pub(crate) struct Counted {
    /// The programs.
    pub(crate) subjects: Vec<Subject>,
    /// Remarks on the counting.
    notes: Vec<String>,
}

impl Counted {
    /// Runs the two variants of an experiment as often as usual, without their stacks.
    pub(crate) fn new(
        experiment: &Experiment,
        launcher: &mut Launcher,
        watcher: &mut dyn Watcher,
    ) -> Result<Self, Failure> {
        run_counted(experiment, callgrind()?, &Self::options(), launcher, watcher)
    }

    /// The functions of the two, and their changes.
    pub(crate) fn changes(self) -> Result<InstructionCounts, Failure> {
        explained(self.subjects, &Self::options(), self.notes)
    }

    fn options() -> NativeOptions {
        NativeOptions { profile_runs: PROFILE_RUNS, ..NativeOptions::default() }
    }
}

fn run_counted<Tool: CountingTool>(
    experiment: &Experiment,
    tool: Tool,
    options: &NativeOptions,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Counted, Failure> {
    LocalExecutor::check(experiment).map_err(|error| run_failure(&error, None))?;
    let held = shared(watcher)?;
    let mut profiling = Profiling::new(experiment, launcher, tool);
    let (count, rounds) = (experiment.variants.len(), options.profile_runs as usize);
    let all = count * (rounds + usize::from(options.draws()));
    let mut tell = |done| {
        watcher.on(Event::Runs { doing: "counting", done, of: all, result: "" });
    };
    let mut done = 0;
    tell(done);
    let mut runs: Vec<Vec<Counts>> = vec![Vec::new(); count];
    for _ in 0..rounds {
        for (variant, runs) in runs.iter_mut().enumerate() {
            let ran = profiling.counts(variant);
            runs.push(ran.map_err(|error| profiling_failure(&error, Tool::NAME))?);
            done += 1;
            tell(done);
        }
    }
    let mut all_stacks: Vec<Option<Stacks>> = vec![None; count];
    if options.draws() {
        for (variant, stacks) in all_stacks.iter_mut().enumerate() {
            let drawn = profiling.stacks(variant);
            *stacks = Some(drawn.map_err(|error| profiling_failure(&error, Tool::NAME))?);
            done += 1;
            tell(done);
        }
    }
    watcher.on(Event::Ended);
    drop(held);
    let mut notes: Vec<String> = (0..count).filter_map(|v| profiling.disturbance(v)).collect();
    notes.dedup();
    let subject = |((variant, runs), stacks): ((usize, Vec<Counts>), Option<Stacks>)| {
        let run = &experiment.variants[variant].run;
        let program = run.resolve().map(|command| command.program).unwrap_or_default();
        Subject {
            name: experiment.variants[variant].name.clone(),
            measured: ProgramCounts { runs },
            stacks,
            sources: Sources::in_folder(run.cwd.as_deref().unwrap_or(Path::new(".")), &program),
        }
    };
    let subjects = runs.into_iter().enumerate().zip(all_stacks).map(subject).collect();
    Ok(Counted { subjects, notes })
}

/// Reads one file, or an old and a new one in parallel, since they may be large.
pub(super) fn files(options: &NativeOptions) -> Result<InstructionCounts, Failure> {
    let is_dhat = !options.dhat.is_empty();
    let (paths, tool) =
        if is_dhat { (&options.dhat, "dhat") } else { (&options.callgrind, "callgrind") };
    let read =
        |path: &PathBuf| if is_dhat { file_of_dhat(path, options) } else { file(path, options) };
    let subjects: Result<Vec<Subject>, ProfileError> = std::thread::scope(|scope| {
        let readers: Vec<_> = paths.iter().map(|path| scope.spawn(move || read(path))).collect();
        readers.into_iter().map(|reader| reader.join().expect("reading does not panic")).collect()
    });
    let subjects = subjects.map_err(|error| {
        Failure::from_error(&error)
            .hint(Some(format!("`valgrind --tool={tool} COMMAND` writes such files")))
    })?;
    if let [a, b] = &subjects[..]
        && a.measured.first().event != b.measured.first().event
    {
        let events = [a, b].map(|subject| subject.measured.first().event.clone());
        return Err(Failure::new("the files do not count the same")
            .because(format!("`{}` in the one, `{}` in the other", events[0], events[1]))
            .hint(Some("name an event that both have with `--event`")));
    }
    explained(subjects, options, Vec::new())
}

fn file(path: &Path, options: &NativeOptions) -> Result<Subject, ProfileError> {
    let profile = valgrind::read(path, options.event.as_deref())?;
    let command = profile.command.clone();
    Ok(of_file::<Callgrind>(path, &command, profile, options))
}

fn file_of_dhat(path: &Path, options: &NativeOptions) -> Result<Subject, ProfileError> {
    let process = valgrind::read_dhat(path)?;
    let command = process.command.clone();
    Ok(of_file::<Dhat>(path, &command, process, options))
}

fn of_file<Tool: CountingTool>(
    path: &Path,
    command: &str,
    profile: Tool::Profile,
    options: &NativeOptions,
) -> Subject {
    let profiles = [profile];
    let object = Path::new(command.split(' ').next().unwrap_or_default());
    let compiled = if object.is_file() { object } else { path };
    Subject {
        name: path.display().to_string(),
        measured: ProgramCounts { runs: vec![Tool::counts(&profiles)] },
        stacks: options.draws().then(|| Tool::stacks(&profiles)),
        sources: Sources::in_folder(Path::new("."), compiled),
    }
}

fn explained(
    subjects: Vec<Subject>,
    options: &NativeOptions,
    mut notes: Vec<String>,
) -> Result<InstructionCounts, Failure> {
    for subject in &subjects {
        notes.extend(subject.measured.first().remarks.iter().cloned());
        notes.extend(without_symbols(subject));
    }
    let texts: Vec<_> = subjects
        .iter()
        .map(|subject| |file: &str, line: u64| subject.sources.text(file, line))
        .collect();
    let programs: Vec<ProfiledProgram<'_>> = subjects
        .iter()
        .zip(&texts)
        .map(|(subject, text)| ProfiledProgram {
            name: &subject.name,
            measured: &subject.measured,
            text,
        })
        .collect();
    let stacks: Option<Vec<&Stacks>> = subjects.iter().map(|one| one.stacks.as_ref()).collect();
    let part = InstructionCounts {
        stacks: stacks.as_deref().map(common_stacks),
        ..match programs[..] {
            [before, after] => of_two(before, after, notes),
            _ => of_one(programs[0], notes),
        }
    };
    let flame = instructions::flame(&part).map(|flame| instructions::svg(&flame));
    write_to(flame, options.flame.as_deref())?;
    let names: Vec<&str> = part.variants.iter().map(|one| &*one.name).collect();
    let unit = if part.is_allocations() { StackUnit::Bytes } else { StackUnit::Events };
    export(&names, part.stacks.as_ref(), unit, options)?;
    Ok(part)
}

/// Writes a picture or another text, if there is one and a file was named for it.
fn write_to(text: Option<io::Result<String>>, path: Option<&Path>) -> Result<(), Failure> {
    let (Some(text), Some(path)) = (text, path) else { return Ok(()) };
    text.and_then(|text| written::write_text(path, &text)).map_err(|error| {
        Failure::new(format!("cannot write `{}`", path.display())).caused_by(&error)
    })
}

/// Writes the stacks to the files that were named for other programs.
fn export(
    names: &[&str],
    stacks: Option<&ProgramStacks>,
    unit: StackUnit,
    options: &NativeOptions,
) -> Result<(), Failure> {
    let Some(stacks) = stacks else { return Ok(()) };
    if let Some(path) = &options.export_speedscope {
        write_to(Some(Ok(speedscope(names, stacks, unit))), Some(path))?;
    }
    if let Some(path) = &options.export_firefox_profile {
        write_to(Some(Ok(firefox_profile(names, stacks, unit))), Some(path))?;
    }
    Ok(())
}

/// A note if much of a program ran, or allocated, in code without symbols.
fn without_symbols(subject: &Subject) -> Option<String> {
    /// Dynamic loaders and stubs of libraries stay below this share.
    const MUCH: f64 = 0.05;
    let counts = subject.measured.first();
    let is_allocations = counts.event == ALLOCATED_BYTES;
    // Libraries without symbols allocate as they start.
    let is_counted = |function: &&FunctionCount| {
        function.name == NO_SYMBOL
            && (!is_allocations || counts.program.as_ref() == Some(&function.object))
    };
    let nameless = counts.functions.iter().filter(is_counted);
    let share = nameless.map(|f| f.count).sum::<u64>() as f64 / counts.total.max(1) as f64;
    let name = &subject.name;
    let subject = match is_allocations {
        true => format!("of the bytes of `{name}` were allocated"),
        false => format!("of `{name}` ran"),
    };
    (share > MUCH).then(|| {
        format!(
            "{:.0} % {subject} in code without a symbol: a program that was stripped, or one that \
             makes its code while it runs or loads it from an image (SBCL, Poly/ML, Java)",
            share * 100.0,
        )
    })
}

/// The failure without valgrind, whose profiles an option reads if they were made elsewhere.
fn no_valgrind(error: &InstrumentError, option: &str) -> Failure {
    let failure = Failure::from_error(error);
    match error {
        InstrumentError::NoValgrind(_) => failure.hint(Some(format!(
            "install it (`apt-get install valgrind`), or give profiles that were made elsewhere \
             with `{option}`"
        ))),
        _ => failure.hint(error.hint()),
    }
}

fn profiling_failure(error: &ProfilingError, tool: &str) -> Failure {
    match error {
        ProfilingError::Run(error) => run_failure(error, None),
        ProfilingError::Profile { .. } => Failure::from_error(error).hint(Some(format!(
            "does the program run under `valgrind --tool={}`? A program that is ended by a signal \
             leaves no profile",
            tool.to_lowercase()
        ))),
        ProfilingError::Otherwise { .. } => Failure::from_error(error)
            .hint(Some("valgrind does not know every instruction of every processor")),
        ProfilingError::Interrupted => Failure::from_error(error),
    }
}
