//! The surroundings of a try's runs: an input drawn anew for each round, folders of their own for each
//! run, and outputs compared in the very runs that are timed.
//!
//! Nothing that one run leaves is there for the next: its home, its folder for temporary files and its
//! cache are removed, and so is its output, which is kept in memory. Files that it writes elsewhere are
//! found by `effects`.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::tool::{Tool, output};
use measure::{CommandLine, FinishedRun, Outcome, Stdin, Stdout};
use model::failure::{Failing, Failure};
use model::metric::Source;
use model::run::RunPlace;
use model::spec::parameters::{Point, substitute};
use model::spec::words::quote;
use run::attendant::Attendant;
use run::scratch::Scratch;

/// The names of brisk's own variables, which would tell a program that it is measured.
const OWN_VARIABLES: &str = "BRISK_";

/// The longest padding of the name of a run's folder, in bytes. The size of the environment moves
/// results, so it is drawn in each round, for both sides alike.
const MOST_PADDING: u64 = 96;

/// The longest excerpt of an output in a reason, in bytes.
const EXCERPT: usize = 60;

/// The file of an input, and the command that prints it.
#[derive(Debug, Clone)]
pub(super) struct Generator {
    /// The command, with `{seed}`.
    pub(super) command: String,
    /// The folder to run it in.
    pub(super) folder: PathBuf,
}

/// The outputs that a checker compares.
#[derive(Debug, Clone)]
pub(super) struct Checker {
    /// The command, with `{output}` and perhaps `{expected}` and `{input}`.
    pub(super) command: String,
    /// The folder to run it in.
    pub(super) folder: PathBuf,
}

/// The attendant of the runs of the incumbent, variant 0, and a proposal, variant 1.
pub(super) struct Rounds {
    scratch: Scratch,
    pub(super) generator: Option<Generator>,
    pub(super) checker: Option<Checker>,
    /// The input as it is in the repository, for rounds without a generator; its name is kept.
    input: Option<PathBuf>,
    seed: u64,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    /// The round that the input was drawn for.
    round: Option<(bool, u32)>,
    input: Vec<u8>,
    run_folder: PathBuf,
    /// The result of the run of this round that was first.
    first: Option<(u32, Ran)>,
    /// The bytes that the last run printed.
    printed: Option<usize>,
    /// The processor time of the last run of each side, in seconds.
    seconds: [f64; 2],
    /// The reason that the proposal is invalid.
    evidence: Option<String>,
}

/// The effects of a run that must be the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ran {
    outcome: Outcome,
    output: Vec<u8>,
    left_behind: u32,
}

impl Rounds {
    pub(super) fn new(
        input: Option<&Path>,
        generator: Option<Generator>,
        checker: Option<Checker>,
        seed: u64,
    ) -> Result<Self, Failure> {
        let scratch = Scratch::new().failing("cannot make a folder for runs")?;
        let input = input.map(Path::to_owned);
        Ok(Self { scratch, generator, checker, input, seed, state: RefCell::default() })
    }

    /// A run of this side that is never timed, so its input is never timed either.
    pub(super) fn untimed(variant: u32) -> RunPlace {
        let round = u32::MAX;
        RunPlace { source: Source::Run, warmup: true, round, position: variant, variant }
    }

    /// The path of the input that runs read.
    pub(super) fn input(&self) -> Option<PathBuf> {
        let name = self.input.as_ref()?.file_name()?;
        Some(self.scratch.path().join("input").join(name))
    }

    /// The reason that the proposal is invalid, if one was found.
    pub(super) fn evidence(&self) -> Option<String> {
        self.state.borrow().evidence.clone()
    }

    /// True if the last run printed nothing.
    pub(super) fn printed_nothing(&self) -> bool {
        self.state.borrow().printed == Some(0)
    }

    /// The processor time of the last run of each side, in seconds.
    pub(super) fn seconds(&self) -> [f64; 2] {
        self.state.borrow().seconds
    }

    /// True if a path is in the folder of the present run, or is the run's output.
    pub(super) fn is_own(&self, path: &Path) -> bool {
        path.starts_with(self.scratch.path())
    }

    /// Draws the input of a round.
    fn draw(&self, round: (bool, u32), state: &mut State) -> Result<(), String> {
        // Warm-up rounds have inputs of their own.
        let seed = self.seed.wrapping_add(u64::from(round.1) << 1 | u64::from(round.0));
        state.round = Some(round);
        state.first = None;
        state.input = match (&self.generator, &self.input) {
            (Some(generator), _) => {
                // A seed that every language reads as a number.
                let seed = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33).to_string();
                let point = Point::from([("seed".to_owned(), seed)]);
                let command = substitute(&generator.command, &point);
                printed(&command, &generator.folder)?
            }
            (None, Some(path)) => fs::read(path)
                .map_err(|error| format!("cannot read the input `{}`: {error}", path.display()))?,
            (None, None) => Vec::new(),
        };
        let padding = "x".repeat(1 + usize::try_from(seed % MOST_PADDING).unwrap_or(0));
        state.run_folder = self.scratch.path().join("run").join(padding);
        Ok(())
    }

    /// Makes the folders of a run, and writes the input, whatever the run before has made of it.
    fn lay_out(&self, state: &State) -> std::io::Result<()> {
        let runs = self.scratch.path().join("run");
        if runs.exists() {
            prepare::remove_folder(&runs)?;
        }
        for folder in FOLDERS {
            fs::create_dir_all(state.run_folder.join(folder.1))?;
        }
        if let Some(path) = self.input() {
            fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
            fs::write(path, &state.input)?;
        }
        Ok(())
    }

    /// The difference between the two runs of a round, if the proposal's is not acceptable.
    fn difference(&self, old: &Ran, new: &Ran) -> Result<Option<String>, String> {
        if old.outcome != new.outcome {
            return Ok(Some(format!("it {}, and the incumbent {}", new.outcome, old.outcome)));
        }
        if new.left_behind > old.left_behind {
            let count = new.left_behind;
            let word = if count == 1 { "process" } else { "processes" };
            return Ok(Some(format!("it left {count} {word} running after its end")));
        }
        let checker = match &self.checker {
            None if old.output == new.output => return Ok(None),
            None => return Ok(Some(told_apart(&old.output, &new.output))),
            Some(checker) => checker,
        };
        let write = |name: &str, bytes: &[u8]| {
            let path = self.scratch.path().join(name);
            fs::write(&path, bytes).map(|()| quote(&path.to_string_lossy()))
        };
        let cannot = |error: std::io::Error| format!("cannot write an output: {error}");
        let mut point = Point::from([
            ("expected".to_owned(), write("expected", &old.output).map_err(cannot)?),
            ("output".to_owned(), write("output", &new.output).map_err(cannot)?),
        ]);
        let input = self.input().unwrap_or_default();
        point.push(("input".to_owned(), quote(&input.to_string_lossy())));
        let command = substitute(&checker.command, &point);
        match shell(&command, &checker.folder)? {
            (true, _) => Ok(None),
            (false, said) => Ok(Some(format!("the checker refuses its output: {said}"))),
        }
    }
}

/// The variables that name folders of a run, and those folders.
const FOLDERS: [(&str, &str); 6] = [
    ("HOME", "home"),
    ("TMPDIR", "tmp"),
    ("XDG_CACHE_HOME", "home/.cache"),
    ("XDG_DATA_HOME", "home/.local/share"),
    ("XDG_STATE_HOME", "home/.local/state"),
    ("XDG_CONFIG_HOME", "home/.config"),
];

impl Attendant for Rounds {
    fn before(&self, place: RunPlace, command: &mut CommandLine) -> Result<(), String> {
        let mut state = self.state.borrow_mut();
        let round = (place.warmup, place.round);
        if state.round != Some(round) {
            self.draw(round, &mut state)?;
        }
        self.lay_out(&state).map_err(|error| format!("cannot prepare a run: {error}"))?;
        for (name, folder) in FOLDERS {
            let path = state.run_folder.join(folder);
            command.env.push((name.into(), Some(path.into())));
        }
        let own = std::env::vars_os().map(|(name, _)| name);
        let own = own.filter(|name| name.to_string_lossy().starts_with(OWN_VARIABLES));
        command.env.extend(own.map(|name| (name, None)));
        command.stdout = Stdout::File(state.run_folder.join("output"));
        Ok(())
    }

    fn after(&self, place: RunPlace, run: &FinishedRun) -> Result<(), String> {
        let mut state = self.state.borrow_mut();
        let file = state.run_folder.join("output");
        let output = fs::read(&file).map_err(|error| format!("cannot read an output: {error}"))?;
        state.printed = Some(output.len());
        let seconds = Duration::from_micros(run.raw.cpu.0).as_secs_f64();
        state.seconds[place.variant as usize] = seconds;
        let ran = Ran { outcome: run.outcome, output, left_behind: run.left_behind };
        let Some((variant, first)) = state.first.take() else {
            state.first = Some((place.variant, ran));
            return Ok(());
        };
        let (old, new) = if variant == 0 { (&first, &ran) } else { (&ran, &first) };
        let Some(difference) = self.difference(old, new)? else { return Ok(()) };
        let why = format!("{difference}, in round {}", place.round + 1);
        state.evidence = Some(why.clone());
        Err(why)
    }
}

/// The place where two outputs differ, in words.
fn told_apart(old: &[u8], new: &[u8]) -> String {
    let shared = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let line = 1 + old[..shared].iter().filter(|byte| **byte == b'\n').count();
    let excerpt = |bytes: &[u8]| {
        let begin = bytes[..shared].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let rest = bytes[begin..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        let rest = String::from_utf8_lossy(&rest[..rest.len().min(EXCERPT)]).into_owned();
        if rest.is_empty() { "nothing".to_owned() } else { format!("`{}`", rest.escape_debug()) }
    };
    let (expected, found) = (excerpt(old), excerpt(new));
    format!(
        "its output differs from the incumbent's at line {line}: {found} in place of {expected}"
    )
}

/// The output of a shell command of the trial, which must succeed.
fn printed(command: &str, folder: &Path) -> Result<Vec<u8>, String> {
    let tool = Tool::new("sh").args(["-c", command]).cwd(folder);
    let ran = output(&tool).map_err(|error| error.to_string())?;
    match ran.outcome {
        Outcome::Exited(0) => Ok(ran.stdout),
        outcome => {
            let said = String::from_utf8_lossy(&ran.stderr).trim().to_owned();
            Err(format!("the generator `{command}` {outcome}: {said}"))
        }
    }
}

/// True if a shell command succeeds, with the end of what it said.
pub(super) fn shell(command: &str, folder: &Path) -> Result<(bool, String), String> {
    let tool = Tool::new("sh").args(["-c", command]).cwd(folder);
    let ran = output(&tool).map_err(|error| error.to_string())?;
    let mut said = String::from_utf8_lossy(&ran.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&ran.stderr));
    let last = said.trim().lines().next_back().unwrap_or("it said nothing").to_owned();
    Ok((ran.outcome == Outcome::Exited(0), format!("{} ({last})", ran.outcome)))
}

/// The content of a command's standard input, for a tool.
pub(super) fn stdin_of(command: &CommandLine) -> Result<Vec<u8>, Failure> {
    match &command.stdin {
        Stdin::File(path) => fs::read(path).failing(format!("cannot read `{}`", path.display())),
        Stdin::Null | Stdin::Inherit => Ok(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_told_apart_by_the_line_that_differs() {
        let why = told_apart(b"one\ntwo\n", b"one\nthree\n");
        assert!(why.ends_with("at line 2: `three` in place of `two`"), "{why}");
        assert!(told_apart(b"one\n", b"").ends_with("at line 1: nothing in place of `one`"));
    }
}
