//! The user's request, turned into an experiment: variants and how each is started.
//!
//! Every entry point (commands today; commits, parameter sweeps and harnesses as they come)
//! produces the same [`Experiment`]. From the plan on, the difference is invisible.

pub mod artifacts;
pub mod copies;
pub mod duration;
pub mod invocation;
pub mod labels;
pub mod own_metric;
pub mod parameters;
pub mod place;
pub mod project;
pub mod reading;
pub mod suite;
pub mod words;
pub mod writable;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use artifacts::Layouts;
use labels::Labels;
use measure::{AllowedExits, CommandLine, StartError, Stdin, Stdout};
use own_metric::Measure;
use serde::{Deserialize, Serialize};

use crate::json::exact::Exact;

/// The maximum number of rounds of an experiment; the tag of a run has 23 bits for them.
pub const MOST_ROUNDS: u32 = 1 << 23;

/// A question put to the machine: which of these is faster?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// The variants; the first is the baseline.
    pub variants: Vec<Variant>,
    /// The number of commands; each has a variant at every point of the parameters.
    pub commands: u32,
    /// The shell that every variant runs through, and the reason, if there is one.
    pub shell: Option<Shell>,
    /// The time limit of a run.
    pub timeout: Option<Duration>,
    /// The exit codes of a successful run.
    pub allowed: AllowedExits,
    /// Set if the others continue when a run of one fails.
    pub outlives_failures: bool,
    /// The number of runs of each setup command.
    pub setup_runs: u32,
    /// Set if the variants are claimed to do the same work, so that their outputs are compared.
    pub claims_equal_work: bool,
}

impl Experiment {
    /// The exit codes of a successful run; `None` if every outcome counts.
    pub fn allowed_codes(&self) -> Option<Vec<i32>> {
        match &self.allowed {
            AllowedExits::Zero => Some(vec![0]),
            AllowedExits::Codes(codes) => Some(codes.clone()),
            AllowedExits::Any => None,
        }
    }
}

/// A compared variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// Its name in tables; the command unless the user gave one.
    pub name: String,
    /// The command as typed, parameters filled in.
    pub command: String,
    /// The labels that distinguish it from others.
    pub labels: Labels,
    /// The timed command.
    pub run: Invocation,
    /// Run before the first round, and measured.
    pub setup: Option<Setup>,
    /// Run before each run, untimed.
    pub prepare: Option<Invocation>,
    /// Run after each run, untimed.
    pub conclude: Option<Invocation>,
    /// Run once after the last round, whatever the outcome.
    pub cleanup: Option<Invocation>,
    /// The user's own metrics, read after each run and before `conclude`.
    pub measures: Vec<Measure>,
    /// The layouts that take turns in place of the artefact.
    #[serde(default, skip_serializing_if = "Layouts::is_empty")]
    pub layouts: Layouts,
}

impl Variant {
    /// Sets the layouts that take turns.
    pub fn runs_in(&mut self, layouts: Layouts) {
        self.labels.layouts = layouts.count();
        self.layouts = layouts;
    }
}

/// A command that prepares a variant before the first round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The command as typed, with its placeholders: variants with the same one share their setup.
    pub typed: String,
    /// The invocation.
    pub run: Invocation,
}

/// The start of a process, before its program is looked up. A setup command may build the program,
/// so the look-up comes after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Invocation {
    /// The words of the command.
    pub argv: Vec<OsString>,
    /// Changes to the inherited environment.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// The folder to run in, if not the current one.
    pub cwd: Option<PathBuf>,
    /// The source of the input.
    pub stdin: Stdin,
    /// The destination of the output.
    pub stdout: Stdout,
}

/// A shell and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shell {
    /// Its words, without `-c`.
    pub words: Vec<String>,
    /// The shell syntax that requires it, and its command; `None` if the user chose it.
    pub asked_by: Option<(char, String)>,
}

/// The words of a shell command line, without those after a `>`.
fn words_of_a_line(line: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || "|&;<()'\"`=".contains(c);
    let pieces = line.split_inclusive('>').scan(false, move |is_behind, piece| {
        let (words, writes) = match piece.strip_suffix('>') {
            Some(words) => (words, true),
            None => (piece, false),
        };
        let words = words.split(is_between).filter(|word| !word.is_empty());
        let words: Vec<&str> = words.skip(usize::from(*is_behind)).collect();
        *is_behind = writes;
        Some(words)
    });
    pieces.flatten()
}

/// A text for a string of the system that differs whenever its bytes do.
pub fn exactly(text: &OsStr) -> String {
    text.to_str().map_or_else(|| format!("{text:?}"), str::to_owned)
}

impl Invocation {
    /// Looks up the program and checks that it can be run.
    pub fn resolve(&self) -> Result<CommandLine, StartError> {
        Ok(CommandLine {
            argv: self.argv.clone(),
            program: self.look_up(&self.argv[0])?,
            env: self.env.clone(),
            cwd: self.cwd.clone(),
            stdin: self.stdin.clone(),
            stdout: self.stdout.clone(),
        })
    }

    /// The file of a program that is started in its folder and with its environment.
    fn look_up(&self, program: &OsStr) -> Result<PathBuf, StartError> {
        let path = self
            .env
            .iter()
            .rev()
            .find(|(name, _)| name == "PATH")
            .map_or_else(|| std::env::var_os("PATH"), |(_, value)| value.clone());
        measure::resolve_program(program, self.cwd.as_deref(), path.as_deref())
    }

    /// The files named by its words, also within a shell command line: programs and their inputs,
    /// but not files that a shell writes to.
    pub fn named_files(&self) -> Vec<PathBuf> {
        let here = self.cwd.as_deref().unwrap_or(Path::new(""));
        let words = self.argv.iter().map(OsString::as_os_str);
        let within = self.argv.iter().filter_map(|word| word.to_str());
        let within = within.flat_map(words_of_a_line).map(OsStr::new);
        let named = words.chain(within).filter(|word| !word.is_empty());
        let files = named.filter_map(|word| {
            let file = here.join(word);
            if file.is_file() { Some(file) } else { self.look_up(word).ok() }
        });
        let input = match &self.stdin {
            Stdin::File(path) => Some(here.join(path)),
            _ => None,
        };
        files.chain(input).collect()
    }
}

// Invocations in JSON, as used by commissions and subjects.

/// An [`Invocation`] whose texts may not be UTF-8.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Written {
    argv: Vec<Exact>,
    env: Vec<(Exact, Option<Exact>)>,
    cwd: Option<Exact>,
    stdin: Source,
    stdout: Target,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Source {
    Null,
    Inherit,
    File(Exact),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Target {
    Null,
    Pipe,
    Inherit,
    File(Exact),
}

impl From<Invocation> for Written {
    fn from(invocation: Invocation) -> Self {
        let Invocation { argv, env, cwd, stdin, stdout } = invocation;
        let assigned = env.iter().map(|(name, value)| {
            (Exact::from(name.as_os_str()), value.as_deref().map(Exact::from))
        });
        Self {
            argv: argv.iter().map(|word| word.as_os_str().into()).collect(),
            env: assigned.collect(),
            cwd: cwd.map(|folder| folder.as_os_str().into()),
            stdin: match stdin {
                Stdin::Null => Source::Null,
                Stdin::Inherit => Source::Inherit,
                Stdin::File(path) => Source::File(path.as_os_str().into()),
            },
            stdout: match stdout {
                Stdout::Null => Target::Null,
                Stdout::Discard => Target::Pipe,
                Stdout::Inherit => Target::Inherit,
                Stdout::File(path) => Target::File(path.as_os_str().into()),
            },
        }
    }
}

impl From<Written> for Invocation {
    fn from(written: Written) -> Self {
        let Written { argv, env, cwd, stdin, stdout } = written;
        let env = env.into_iter().map(|(name, value)| (name.into(), value.map(Into::into)));
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            env: env.collect(),
            cwd: cwd.map(|folder| OsString::from(folder).into()),
            stdin: match stdin {
                Source::Null => Stdin::Null,
                Source::Inherit => Stdin::Inherit,
                Source::File(path) => Stdin::File(OsString::from(path).into()),
            },
            stdout: match stdout {
                Target::Null => Stdout::Null,
                Target::Pipe => Stdout::Discard,
                Target::Inherit => Stdout::Inherit,
                Target::File(path) => Stdout::File(OsString::from(path).into()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_writes_into_is_no_word_of_a_line() {
        let words = |line| words_of_a_line(line).collect::<Vec<_>>();
        assert_eq!(words("sort 'a b'|uniq -c"), ["sort", "a", "b", "uniq", "-c"]);
        assert_eq!(words("./p <in >out; ./q --of=x"), ["./p", "in", "./q", "--of", "x"]);
        assert_eq!(words("echo x >> log 2>&1 && ./r"), ["echo", "x", "2", "./r"]);
    }
}
