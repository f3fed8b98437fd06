//! Running commands under callgrind, repeatedly to see whether the counts are exact.
//!
//! The instructions of one run by function, from the profiles of its processes.
//!
//! Functions are as users know them: one per name and executable or library. Copies of a function
//! count as one, and so do its levels of recursion and all code without a symbol.

use super::stacks::{Stacks, stacks};
use findings::instructions::file_name;
use measure::{AllowedExits, CommandLine, FinishedRun, Launcher, Outcome, Reads, Task, Wake};
use model::spec::Experiment;
use run::RunError;
use run::finished::last_lines;
use run::instrument::recognise;
use run::instrument::runtime::value_of;
use run::instrument::valgrind::{Callgrind, Detail, ProfileError};
use std::collections::HashMap;
use std::ffi::OsString;
use toolchains::callgrind::{Agreement, Profile};
use toolchains::runtime::adapter::{Kept, Variable};
use toolchains::symbol::{Program, context, readable};
use toolchains::{callgrind, runtime};

/// The reason why a command could not be profiled.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum ProfilingError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("cannot explain `{name}`")]
    Profile { name: String, source: ProfileError },
    #[error("`{name}` {counted} under callgrind, but {plain} by itself")]
    Otherwise { name: String, counted: String, plain: String },
    #[error("interrupted")]
    Interrupted,
}

/// Runs an experiment's commands under callgrind.
pub struct Profiling<'a> {
    experiment: &'a Experiment,
    launcher: &'a mut Launcher,
    callgrind: Callgrind,
    /// The state of each variant's GHC timer.
    timers: Vec<Timer>,
    /// The outcome of each variant without callgrind, once it is known.
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

impl<'a> Profiling<'a> {
    /// A profiler ready to run.
    pub fn new(
        experiment: &'a Experiment,
        launcher: &'a mut Launcher,
        callgrind: Callgrind,
    ) -> Self {
        let is_ghc = |program: Option<recognise::RuntimeProgram>| match program {
            Some(program) if program.adapter.word == "ghc" => Timer::Off,
            _ => Timer::None,
        };
        let timers = recognise::certain(experiment).into_iter().map(is_ghc).collect();
        let plain = vec![None; experiment.variants.len()];
        Self { experiment, launcher, callgrind, timers, plain }
    }

    /// Runs a variant once and counts by function.
    ///
    /// # Errors
    ///
    /// When it cannot be run, fails, or leaves no profile.
    pub fn counts(&mut self, variant: usize) -> Result<Counts, ProfilingError> {
        self.profiles(variant, Detail::Functions).map(|profiles| counts(&profiles))
    }

    /// Runs a variant once and counts by stack.
    ///
    /// # Errors
    ///
    /// As [`Profiling::counts`].
    pub fn stacks(&mut self, variant: usize) -> Result<Stacks, ProfilingError> {
        // GHC code has no stacks that callgrind could see, and would have very many.
        let detail = match self.timers[variant] {
            Timer::None => Detail::Stacks,
            Timer::Off | Timer::Refused => Detail::Functions,
        };
        self.profiles(variant, detail).map(|profiles| stacks(&profiles))
    }

    /// Runs a variant once; returns callgrind's profile of each of its processes.
    ///
    /// # Errors
    ///
    /// As [`Profiling::counts`].
    pub fn profiles(
        &mut self,
        variant: usize,
        detail: Detail,
    ) -> Result<Vec<Profile>, ProfilingError> {
        let name = || self.experiment.variants[variant].name.clone();
        let run = &self.experiment.variants[variant].run;
        let command = run.resolve().map_err(|source| RunError::Start { name: name(), source })?;
        let mut finished = self.run(variant, &command, detail)?;
        let stderr = String::from_utf8_lossy(&finished.stderr_tail).into_owned();
        if self.timers[variant] == Timer::Off && runtime::ghc::refusal(&stderr).is_some() {
            self.timers[variant] = Timer::Refused;
            // The profiles from before the refusal are of no use.
            let _ = self.callgrind.take_profiles();
            finished = self.run(variant, &command, detail)?;
        }
        if !self.experiment.allowed.permits(finished.outcome) {
            return Err(failed(name(), &finished).into());
        }
        self.check_outcome(variant, &command, finished.outcome)?;
        let profiles = self.callgrind.take_profiles();
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
        Err(ProfilingError::Otherwise {
            name,
            counted: counted.to_string(),
            plain: plain.to_string(),
        })
    }

    /// Runs a command under callgrind.
    fn run(
        &mut self,
        variant: usize,
        command: &CommandLine,
        detail: Detail,
    ) -> Result<FinishedRun, ProfilingError> {
        let mut command = self.callgrind.command(command, detail);
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
        let task = Task {
            tag: 0,
            command,
            copies: Vec::new(),
            timeout: self.experiment.timeout,
            environment_padding_bytes: 0,
            read: Reads::default(),
            stderr_kept_bytes: measure::STDERR_KEPT_BYTES,
            timed: false,
            // The outcome is checked here: a refusal is not a failure.
            allowed: AllowedExits::Any,
        };
        let mut on_wait = || match measure::interrupt::requests() {
            0 => Wake::Continue,
            _ => Wake::Abort,
        };
        let slice = self.launcher.execute(&[task], None, &mut on_wait).map_err(RunError::from)?;
        if measure::interrupt::requests() > 0 {
            return Err(ProfilingError::Interrupted);
        }
        let name = &self.experiment.variants[variant].name;
        slice.finished.into_iter().next().ok_or_else(|| {
            let source = std::io::Error::other("valgrind did not start");
            RunError::Spawn { name: name.clone(), doing: "execute its program", source }.into()
        })
    }
}

/// The variable that switches the timer off, after the user's own options.
fn without_timer(command: &CommandLine) -> (OsString, Option<OsString>) {
    let kept = Kept::Before(" ");
    let variable = Variable { name: "GHCRTS", stands_in: None, value: "-V0".to_owned(), kept };
    (variable.name.into(), Some(value_of(&variable, command)))
}

fn failed(name: String, finished: &FinishedRun) -> RunError {
    RunError::Failed {
        name,
        how: finished.outcome.to_string(),
        when: "a run under callgrind".to_owned(),
        stderr: last_lines(&finished.stderr_tail),
        outcome: finished.outcome,
    }
}

/// The name that stands for all code without a symbol.
pub const NO_SYMBOL: &str = "(no symbol)";

/// The instructions of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// The event that was counted, such as `Ir`.
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
    let symbols = profiles.iter().flat_map(|profile| {
        profile.functions.iter().map(|function| context(profile.name(function.name)).0)
    });
    let program = Program::from_symbols(symbols);
    let mut sum = Sum { program, ..Sum::default() };
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

/// The object that the command names.
fn executable(profile: &Profile) -> Option<String> {
    let named = profile.command.split(' ').next().map(file_name)?;
    let mut objects = profile.functions.iter().map(|function| profile.object(function.object));
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
struct Sum {
    program: Program,
    functions: Vec<FunctionCount>,
    places: HashMap<(String, String), usize>,
    files: Vec<String>,
    file_places: HashMap<String, usize>,
    lines: Vec<LineCount>,
    calls: Vec<CallCount>,
}

impl Sum {
    /// Adds a process; returns the index here of each of its functions.
    fn add(&mut self, profile: &Profile) -> Vec<usize> {
        let mut names: HashMap<&str, String> = HashMap::new();
        let mut symbols: HashMap<usize, u32> = HashMap::new();
        let places: Vec<usize> = profile
            .functions
            .iter()
            .map(|function| {
                let symbol = context(profile.name(function.name)).0;
                let name = names.entry(symbol).or_insert_with(|| shown(symbol, self.program));
                let object = profile.object(function.object);
                let place = place(&mut self.places, &mut self.functions, object, name);
                self.functions[place].count += function.self_cost;
                // Levels of recursion share a symbol.
                let is_symbol = !profile.name(function.name).contains('\'');
                *symbols.entry(place).or_default() +=
                    u32::from(is_symbol && function.self_cost > 0);
                place
            })
            .collect();
        // Each process has its own copies of the same symbols.
        for (place, count) in symbols {
            let most = &mut self.functions[place].symbols;
            *most = count.max(*most);
        }
        for line in &profile.lines {
            let file = profile.file(line.file);
            let known = self.file_places.get(file).copied();
            let file = known.unwrap_or_else(|| {
                self.files.push(file.to_owned());
                self.file_places.insert(file.to_owned(), self.files.len() - 1);
                self.files.len() - 1
            });
            let function = places[line.function as usize];
            self.lines.push(LineCount { function, file, line: line.line, count: line.cost });
        }
        self.add_up_lines();
        self.add_calls(profile, &places);
        places
    }

    fn add_up_lines(&mut self) {
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
        for (place, cost) in places.iter().zip(costs).enumerate().filter_map(|(own, pair)| {
            // A deeper level of recursion is already included in the first.
            let name = profile.name(profile.functions[own].name);
            (!name.contains('\'')).then_some(pair)
        }) {
            sums[*place] = sums[*place].saturating_add(cost);
        }
        match sums.iter().any(|&sum| sum > profile.total()) {
            true => Err("functions of one name call each other".to_owned()),
            false => Ok(sums),
        }
    }
}

fn place(
    places: &mut HashMap<(String, String), usize>,
    functions: &mut Vec<FunctionCount>,
    object: &str,
    name: &str,
) -> usize {
    let key = (object.to_owned(), name.to_owned());
    *places.entry(key).or_insert_with(|| {
        let (object, name) = (object.to_owned(), name.to_owned());
        functions.push(FunctionCount { object, name, count: 0, symbols: 0 });
        functions.len() - 1
    })
}

/// The readable name; callgrind names code without a symbol by its address.
pub(super) fn shown(symbol: &str, program: Program) -> String {
    let is_address = symbol.strip_prefix("0x").is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    if is_address || symbol == "???" { NO_SYMBOL.to_owned() } else { readable(symbol, program) }
}
