//! Commands run under callgrind or DHAT, and the profiles of their processes as counts by function
//! and by stack.
//!
//! Functions are as users know them: one per name and executable or library. Copies of a function
//! count as one, and so do its levels of recursion and all code without a symbol.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;

use findings::instructions::{ProgramStacks, StackCounts, StackKind, file_name};
use measure::{AllowedExits, CommandLine, FinishedRun, Launcher, Outcome};
use model::spec::Experiment;
use run::RunError;
use run::finished::last_lines;
use run::instrument::recognise;
use run::instrument::runtime::value_of;
use run::instrument::valgrind::{Callgrind, Detail, Dhat, ProfileError};
use toolchains::callgrind::{Agreement, Profile};
use toolchains::dhat::Allocations;
use toolchains::runtime::adapter::{Kept, Variable};
use toolchains::symbol::{Program, context, readable};
use toolchains::{callgrind, runtime};

use super::allocations;
use crate::untimed;

/// The reason why a command could not be profiled.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ProfilingError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("cannot explain `{name}`")]
    Profile { name: String, source: ProfileError },
    #[error("`{name}` {counted} under {tool}, but {plain} by itself")]
    Otherwise { name: String, counted: String, plain: String, tool: &'static str },
    #[error("interrupted")]
    Interrupted,
}

/// A tool of valgrind that counts by function.
pub trait CountingTool {
    /// Its name.
    const NAME: &str;
    /// The counts of one process.
    type Profile;
    /// `command` under the tool, with its children.
    fn command(&self, command: &CommandLine, detail: Detail) -> CommandLine;
    /// Reads the profiles of all processes of the run that just ended, and empties the folder.
    ///
    /// # Errors
    ///
    /// When there are none, or one cannot be read.
    fn take(&self) -> Result<Vec<Self::Profile>, ProfileError>;
    /// The counts by function.
    fn counts(profiles: &[Self::Profile]) -> Counts;
    /// The counts by stack.
    fn stacks(profiles: &[Self::Profile]) -> Stacks;
}

impl CountingTool for Callgrind {
    const NAME: &str = "callgrind";
    type Profile = Profile;

    fn command(&self, command: &CommandLine, detail: Detail) -> CommandLine {
        self.command(command, detail)
    }

    fn take(&self) -> Result<Vec<Profile>, ProfileError> {
        self.take_profiles()
    }

    fn counts(profiles: &[Profile]) -> Counts {
        counts(profiles)
    }

    fn stacks(profiles: &[Profile]) -> Stacks {
        stacks(profiles)
    }
}

impl CountingTool for Dhat {
    const NAME: &str = "DHAT";
    type Profile = Allocations;

    /// It keeps the stacks in any case.
    fn command(&self, command: &CommandLine, _detail: Detail) -> CommandLine {
        self.command(command)
    }

    fn take(&self) -> Result<Vec<Allocations>, ProfileError> {
        self.take_allocations()
    }

    fn counts(processes: &[Allocations]) -> Counts {
        allocations::counts(processes)
    }

    fn stacks(processes: &[Allocations]) -> Stacks {
        allocations::stacks(processes)
    }
}

/// Runs an experiment's commands under a tool that counts.
pub struct Profiling<'a, Tool> {
    experiment: &'a Experiment,
    launcher: &'a mut Launcher,
    tool: Tool,
    /// The state of each variant's GHC timer.
    timers: Vec<Timer>,
    /// The outcome of each variant without the tool, once it is known.
    plain: Vec<Option<Outcome>>,
}

/// GHC's runtime acts on a timer a hundred times a second, so that no two runs execute the same
/// instructions; `-V0` switches the timer off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Timer {
    /// Not a GHC program.
    None,
    /// The timer is switched off.
    Off,
    /// The program was linked without permission for this option.
    Refused,
}

impl<'a, Tool: CountingTool> Profiling<'a, Tool> {
    /// A profiler ready to run.
    pub fn new(experiment: &'a Experiment, launcher: &'a mut Launcher, tool: Tool) -> Self {
        let is_ghc = |program: Option<recognise::RuntimeProgram>| match program {
            Some(program) if program.adapter.word == "ghc" => Timer::Off,
            _ => Timer::None,
        };
        let timers = recognise::certain(experiment).into_iter().map(is_ghc).collect();
        let plain = vec![None; experiment.variants.len()];
        Self { experiment, launcher, tool, timers, plain }
    }

    /// Runs a variant once and counts by function.
    pub fn counts(&mut self, variant: usize) -> Result<Counts, ProfilingError> {
        self.profiles(variant, Detail::Functions).map(|profiles| Tool::counts(&profiles))
    }

    /// Runs a variant once and counts by stack.
    pub fn stacks(&mut self, variant: usize) -> Result<Stacks, ProfilingError> {
        // GHC code has no stacks that callgrind could see, and would have very many.
        let detail = match self.timers[variant] {
            Timer::None => Detail::Stacks,
            Timer::Off | Timer::Refused => Detail::Functions,
        };
        self.profiles(variant, detail).map(|profiles| Tool::stacks(&profiles))
    }

    /// Runs a variant once; returns the profile of each of its processes.
    pub fn profiles(
        &mut self,
        variant: usize,
        detail: Detail,
    ) -> Result<Vec<Tool::Profile>, ProfilingError> {
        let name = || self.experiment.variants[variant].name.clone();
        let run = &self.experiment.variants[variant].run;
        let command = run.resolve().map_err(|source| RunError::Start { name: name(), source })?;
        let mut finished = self.run(variant, &command, detail)?;
        let stderr = String::from_utf8_lossy(&finished.stderr_tail).into_owned();
        if self.timers[variant] == Timer::Off && runtime::ghc::refusal(&stderr).is_some() {
            self.timers[variant] = Timer::Refused;
            // The profiles from before the refusal are of no use.
            let _ = self.tool.take();
            finished = self.run(variant, &command, detail)?;
        }
        if !self.experiment.allowed.permits(finished.outcome) {
            return Err(failed(name(), Tool::NAME, &finished).into());
        }
        self.check_outcome(variant, &command, finished.outcome)?;
        let profiles = self.tool.take();
        profiles.map_err(|source| ProfilingError::Profile { name: name(), source })
    }

    /// The reason why the counts of this variant cannot be exact, if one is known in advance.
    pub fn disturbance(&self, variant: usize) -> Option<String> {
        (self.timers[variant] == Timer::Refused).then(|| {
            let name = &self.experiment.variants[variant].name;
            format!(
                "GHC's timer in `{name}` could not be switched off, because the program was linked \
                 without `-rtsopts`: runs may differ a little"
            )
        })
    }

    /// Refuses a run whose outcome differs from that of the plain command: it did something else.
    fn check_outcome(
        &mut self,
        variant: usize,
        command: &CommandLine,
        counted: Outcome,
    ) -> Result<(), ProfilingError> {
        let plain = match self.plain[variant] {
            Some(plain) => plain,
            // Only success is allowed.
            None if self.experiment.allowed == AllowedExits::Zero => counted,
            None => self.execute(variant, command.clone())?.outcome,
        };
        self.plain[variant] = Some(plain);
        if plain == counted {
            return Ok(());
        }
        let name = self.experiment.variants[variant].name.clone();
        let (counted, plain) = (counted.to_string(), plain.to_string());
        Err(ProfilingError::Otherwise { name, counted, plain, tool: Tool::NAME })
    }

    /// Runs a command under the tool.
    fn run(
        &mut self,
        variant: usize,
        command: &CommandLine,
        detail: Detail,
    ) -> Result<FinishedRun, ProfilingError> {
        let mut command = self.tool.command(command, detail);
        if self.timers[variant] == Timer::Off {
            command.env.push(without_timer(&command));
        }
        self.execute(variant, command)
    }

    fn execute(
        &mut self,
        variant: usize,
        command: CommandLine,
    ) -> Result<FinishedRun, ProfilingError> {
        untimed::run(self.launcher, self.experiment, variant, command)?
            .ok_or(ProfilingError::Interrupted)
    }
}

/// The variable that switches the timer off, after the user's own options.
fn without_timer(command: &CommandLine) -> (OsString, Option<OsString>) {
    let variable = Variable::new("GHCRTS", "-V0", Kept::Before(" "));
    (variable.name.into(), Some(value_of(&variable, command)))
}

fn failed(name: String, tool: &str, finished: &FinishedRun) -> RunError {
    RunError::Failed {
        name,
        how: finished.outcome.to_string(),
        when: format!("a run under {tool}"),
        stderr: last_lines(&finished.stderr_tail),
        outcome: finished.outcome,
    }
}

/// The name that stands for all code without a symbol.
pub const NO_SYMBOL: &str = "(no symbol)";

/// The instructions, or the allocated bytes, of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// The event that was counted, such as `Ir` or `allocated bytes`.
    pub event: String,
    /// The total number of events.
    pub total: u64,
    /// By function.
    pub functions: Vec<FunctionCount>,
    /// The paths of source files.
    pub files: Vec<String>,
    /// The counts by function, source file and line, sorted in this order.
    pub lines: Vec<LineCount>,
    /// The calls between functions.
    pub calls: Vec<CallCount>,
    /// The inclusive count of each function, with the functions it called; or the reason why such
    /// counts are meaningless.
    pub inclusive: Result<Vec<u64>, String>,
    /// Set if GHC's runtime ran.
    pub has_ghc: bool,
    /// The path of the executable that was started, if it is known.
    pub program: Option<String>,
    /// Remarks on problems in reading the files.
    pub remarks: Vec<String>,
}

/// The events of one function itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionCount {
    /// The executable or library, as a path.
    pub object: String,
    /// The name, readable.
    pub name: String,
    /// The number of events.
    pub count: u64,
    /// The number of allocated blocks, if allocations were counted.
    pub blocks: Option<u64>,
    /// The number of symbols with this name that ran, in the process with the most of them.
    pub symbols: u32,
}

/// The events of one line within a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCount {
    /// The index of the function.
    pub function: usize,
    /// The index of the source file.
    pub file: usize,
    /// The line, from 1.
    pub line: u64,
    /// The number of events.
    pub count: u64,
}

/// The calls of one function by another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallCount {
    /// The index of the caller.
    pub caller: usize,
    /// The index of the callee.
    pub callee: usize,
    /// The number of calls.
    pub calls: u64,
}

/// Sums the processes of a run.
pub fn counts(profiles: &[Profile]) -> Counts {
    let program = program(profiles);
    let mut sum = Sum::of_program(program);
    let mut inclusive = Vec::new();
    for profile in profiles {
        let places = sum.add(profile);
        inclusive.push(sum.inclusive(profile, &places));
    }
    let functions = sum.functions;
    let whole = inclusive.into_iter().try_fold(vec![0_u64; functions.len()], |mut whole, part| {
        part?.iter().zip(&mut whole).for_each(|(part, whole)| *whole += part);
        Ok(whole)
    });
    Counts {
        event: profiles.first().map(|profile| profile.event.clone()).unwrap_or_default(),
        total: profiles.iter().map(Profile::total).sum(),
        inclusive: whole,
        functions,
        files: sum.files,
        lines: sum.lines,
        calls: sum.calls,
        has_ghc: program.has_ghc,
        program: profiles.first().and_then(executable),
        remarks: profiles.iter().flat_map(remarks).collect(),
    }
}

/// The schemes of the symbols that ran.
fn program(profiles: &[Profile]) -> Program {
    Program::from_symbols(profiles.iter().flat_map(|profile| {
        profile.functions.iter().map(|function| context(profile.name(function.name)).0)
    }))
}

/// The object that the command names.
fn executable(profile: &Profile) -> Option<String> {
    let objects = profile.functions.iter().map(|function| profile.object(function.object));
    named_by(&profile.command, objects)
}

/// The first of the objects with the name that begins the command.
pub(super) fn named_by<'a>(
    command: &str,
    mut objects: impl Iterator<Item = &'a str>,
) -> Option<String> {
    let named = command.split(' ').next().map(file_name)?;
    objects.find(|object| file_name(object) == named).map(str::to_owned)
}

/// Remarks on what a file leaves unclear.
fn remarks(profile: &Profile) -> Vec<String> {
    let mut remarks = Vec::new();
    let command = match profile.command.as_str() {
        "" => "a program",
        command => command,
    };
    match profile.agreement() {
        Agreement::Exact => {}
        Agreement::Differs { stated, read } => remarks.push(format!(
            "the profile of `{command}` says that it holds {stated}, and its lines add up to {read}"
        )),
        Agreement::NotStated => remarks.push(format!(
            "the profile of `{command}` does not say what it adds up to; it may be cut off"
        )),
    }
    if let Some(problem) = profile.problems.first() {
        remarks.push(format!(
            "{} lines of the profile of `{command}` could not be read; the first is line {}: {}",
            profile.unread_lines, problem.line, problem.what
        ));
    }
    remarks
}

/// Counts under construction.
#[derive(Default)]
pub(super) struct Sum {
    pub(super) program: Program,
    pub(super) functions: Vec<FunctionCount>,
    places: HashMap<(String, String), usize>,
    pub(super) files: Vec<String>,
    file_places: HashMap<String, usize>,
    pub(super) lines: Vec<LineCount>,
    calls: Vec<CallCount>,
}

impl Sum {
    pub(super) fn of_program(program: Program) -> Self {
        Self { program, ..Self::default() }
    }

    /// Adds a process; returns the index here of each of its functions.
    fn add(&mut self, profile: &Profile) -> Vec<usize> {
        let mut names: HashMap<&str, String> = HashMap::new();
        let mut symbols: HashMap<usize, u32> = HashMap::new();
        let mut places = Vec::new();
        for function in &profile.functions {
            let symbol = context(profile.name(function.name)).0;
            let name = names.entry(symbol).or_insert_with(|| shown(symbol, self.program));
            let place = self.place(profile.object(function.object), name);
            self.functions[place].count += function.self_cost;
            // Levels of recursion share a symbol.
            let is_symbol = profile.is_first_level(function) && function.self_cost > 0;
            *symbols.entry(place).or_default() += u32::from(is_symbol);
            places.push(place);
        }
        // Each process has its own copies of the same symbols.
        for (place, count) in symbols {
            let most = &mut self.functions[place].symbols;
            *most = count.max(*most);
        }
        for line in &profile.lines {
            let file = self.file(profile.file(line.file));
            let function = places[line.function as usize];
            self.lines.push(LineCount { function, file, line: line.line, count: line.cost });
        }
        self.add_up_lines();
        self.add_calls(profile, &places);
        places
    }

    /// The index of a source file.
    pub(super) fn file(&mut self, path: &str) -> usize {
        self.file_places.get(path).copied().unwrap_or_else(|| {
            self.files.push(path.to_owned());
            self.file_places.insert(path.to_owned(), self.files.len() - 1);
            self.files.len() - 1
        })
    }

    /// The index of the function with this object and name.
    pub(super) fn place(&mut self, object: &str, name: &str) -> usize {
        let (object, name) = (object.to_owned(), name.to_owned());
        *self.places.entry((object.clone(), name.clone())).or_insert_with(|| {
            self.functions.push(FunctionCount { object, name, count: 0, blocks: None, symbols: 0 });
            self.functions.len() - 1
        })
    }

    pub(super) fn add_up_lines(&mut self) {
        self.lines.sort_unstable_by_key(|line| (line.function, line.file, line.line));
        self.lines.dedup_by(|line, kept| {
            let same =
                (line.function, line.file, line.line) == (kept.function, kept.file, kept.line);
            kept.count += if same { line.count } else { 0 };
            same
        });
    }

    fn add_calls(&mut self, profile: &Profile, places: &[usize]) {
        for call in &profile.calls {
            let (caller, callee) = (places[call.caller as usize], places[call.callee as usize]);
            self.calls.push(CallCount { caller, callee, calls: call.count });
        }
        self.calls.sort_unstable_by_key(|call| (call.caller, call.callee));
        self.calls.dedup_by(|call, kept| {
            let same = (call.caller, call.callee) == (kept.caller, kept.callee);
            kept.calls = kept.calls.saturating_add(if same { call.calls } else { 0 });
            same
        });
    }

    /// The inclusive counts of one process, by the functions here.
    fn inclusive(&self, profile: &Profile, places: &[usize]) -> Result<Vec<u64>, String> {
        if self.program.has_ghc {
            return Err("code of GHC does not return to its callers (tail calls)".to_owned());
        }
        let costs = callgrind::inclusive(profile).map_err(|reason| reason.to_string())?;
        let mut sums = vec![0_u64; self.functions.len()];
        for ((function, place), cost) in profile.functions.iter().zip(places).zip(costs) {
            // A deeper level of recursion is already included in the first.
            if profile.is_first_level(function) {
                sums[*place] = sums[*place].saturating_add(cost);
            }
        }
        match sums.iter().any(|&sum| sum > profile.total()) {
            true => Err("functions of one name call each other".to_owned()),
            false => Ok(sums),
        }
    }
}

/// The readable name; callgrind names code without a symbol by its address.
pub(super) fn shown(symbol: &str, program: Program) -> String {
    let is_address = symbol.strip_prefix("0x").is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    if is_address || symbol == "???" { NO_SYMBOL.to_owned() } else { readable(symbol, program) }
}

/// Stacks, outermost function first, with the events of their tops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stacks {
    /// Their kind.
    pub kind: StackKind,
    /// The events of each stack.
    pub counts: BTreeMap<Vec<String>, u64>,
}

/// The stacks of a run, from the profiles of its processes.
///
/// Callgrind counts calls between two functions, not stacks. If it distinguished functions by all
/// their callers, those are the stacks. Otherwise, or if calls do not return, as in GHC programs,
/// stacks are unavailable.
pub fn stacks(profiles: &[Profile]) -> Stacks {
    let program = program(profiles);
    let has_callers = profiles.iter().any(|profile| {
        let mut names = profile.functions.iter().map(|function| profile.name(function.name));
        names.any(|name| !context(name).1.is_empty())
    });
    let kind =
        if has_callers && !program.has_ghc { StackKind::Callers } else { StackKind::Objects };
    let mut counts = BTreeMap::new();
    let mut names = HashMap::new();
    for profile in profiles {
        for function in profile.functions.iter().filter(|function| function.self_cost > 0) {
            let (symbol, callers) = context(profile.name(function.name));
            let mut readable = |symbol: &str| -> String {
                let known = names.entry(symbol.to_owned());
                known.or_insert_with(|| shown(symbol, program)).clone()
            };
            let stack = match kind {
                StackKind::Callers | StackKind::Allocations | StackKind::Unwound => {
                    let mut stack: Vec<String> =
                        callers.iter().rev().map(|caller| readable(caller)).collect();
                    stack.push(readable(symbol));
                    // The loader and the code before `main` have no symbols.
                    stack.dedup();
                    stack
                }
                StackKind::Objects => {
                    let object = file_name(profile.object(function.object)).to_owned();
                    vec![object, readable(symbol)]
                }
            };
            *counts.entry(stack).or_insert(0) += function.self_cost;
        }
    }
    Stacks { kind, counts }
}

/// The least share for a box: smaller ones would be narrower than a tenth of a unit of the picture,
/// and are counted with the calling function.
const LEAST_SHARE: f64 = 1.0 / 12_000.0;

/// The stacks of all programs together.
pub fn common_stacks(programs: &[&Stacks]) -> ProgramStacks {
    let mut all: BTreeMap<&[String], Vec<u64>> = BTreeMap::new();
    for (place, program) in programs.iter().enumerate() {
        for (frames, count) in &program.counts {
            let counts = all.entry(frames).or_insert_with(|| vec![0; programs.len()]);
            counts[place] += count;
        }
    }
    let largest = programs.iter().map(|program| program.counts.values().sum::<u64>()).max();
    let least = (largest.unwrap_or(0) as f64 * LEAST_SHARE) as u64;
    // Pictures show the common ground: names of objects if one program has nothing else.
    let is_flat = programs.iter().any(|program| program.kind == StackKind::Objects);
    let first = programs.first().map_or(StackKind::Objects, |program| program.kind);
    let kind = if is_flat { StackKind::Objects } else { first };
    let stack =
        |(frames, counts): (&[String], Vec<u64>)| StackCounts { frames: frames.to_vec(), counts };
    ProgramStacks { kind, stacks: visible(all, least).into_iter().map(stack).collect() }
}

/// The same stacks, with boxes too small to be seen counted one function further out.
fn visible(mut all: BTreeMap<&[String], Vec<u64>>, least: u64) -> BTreeMap<&[String], Vec<u64>> {
    let longest = all.keys().map(|frames| frames.len()).max().unwrap_or(0);
    for length in (2..=longest).rev() {
        let is_small = |(frames, counts): &(&&[String], &Vec<u64>)| {
            frames.len() == length && counts.iter().all(|count| *count < least)
        };
        let small: Vec<&[String]> =
            all.iter().filter(is_small).map(|(frames, _)| *frames).collect();
        for frames in small {
            let Some(counts) = all.remove(frames) else { continue };
            let outer = all.entry(&frames[..length - 1]).or_insert_with(|| vec![0; counts.len()]);
            outer.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(kind: StackKind, counts: &[(&str, u64)]) -> Stacks {
        let frames = |names: &str| names.split(';').map(str::to_owned).collect();
        Stacks {
            kind,
            counts: counts.iter().map(|(names, count)| (frames(names), *count)).collect(),
        }
    }

    #[test]
    fn nothing_is_lost_where_boxes_are_too_small_to_be_seen() {
        let before = program(StackKind::Callers, &[("main", 10), ("main;f;g;h", 3)]);
        let after =
            program(StackKind::Callers, &[("main", 1_000_000), ("main;f", 500), ("main;f;g", 7)]);
        let part = common_stacks(&[&before, &after]);
        let shown: Vec<(String, Vec<u64>)> =
            part.stacks.iter().map(|one| (one.frames.join(";"), one.counts.clone())).collect();
        let expected = [("main", [10, 1_000_000]), ("main;f", [3, 507])];
        assert_eq!(shown, expected.map(|(frames, counts)| (frames.to_owned(), counts.to_vec())));
    }

    #[test]
    fn what_one_program_has_no_stacks_of_is_no_stack() {
        let flat = program(StackKind::Objects, &[("p;main", 5)]);
        let deep = program(StackKind::Callers, &[("main", 5)]);
        assert_eq!(common_stacks(&[&flat, &deep]).kind, StackKind::Objects);
        assert_eq!(common_stacks(&[&deep]).kind, StackKind::Callers);
    }
}
