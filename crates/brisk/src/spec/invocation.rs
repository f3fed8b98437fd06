//! How a command's text becomes a process: shell or none, hooks, environment, streams, limits.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use measure::{AllowedExits, Stdin, Stdout};
use serde::{Serialize, Serializer};

use super::own_metric::{self, Measure, MeasureError};
use super::parameters::{self, ParameterError, Point};
use super::words::{self, WordsError};
use super::{Experiment, Invocation, Setup, Shell, Variant, duration, exactly, writable};
use crate::metric::MetricId;

/// The options that say how commands are run.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "How it is run")]
pub struct InvocationOptions {
    /// The shell to run the commands through: a command line, `default` (sh) or `none`
    #[arg(long, value_name = "SHELL", conflicts_with_all = ["default_shell", "no_shell"])]
    pub shell: Option<String>,

    /// Run the commands through `sh`: the same as `--shell=default`
    #[arg(short = 'S', conflicts_with = "no_shell")]
    pub default_shell: bool,

    /// Run the commands without a shell, and refuse one that needs it: the same as `--shell=none`
    #[arg(short = 'N')]
    pub no_shell: bool,

    /// Run CMD before the first run of each command, and measure it; once for all commands, or
    /// once for each, where '' is none
    #[arg(short, long, value_name = "CMD")]
    pub setup: Vec<String>,

    /// Run each setup command N times, so that its cost has an interval; it must bear that
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub setup_runs: u32,

    /// Run CMD before each run, untimed; once for all commands, or once for each
    #[arg(short, long, value_name = "CMD")]
    pub prepare: Vec<String>,

    /// Run CMD after each run, untimed; once for all commands, or once for each
    #[arg(short = 'C', long, value_name = "CMD")]
    pub conclude: Vec<String>,

    /// Run CMD after the last run of each command, whatever happened
    #[arg(short, long, value_name = "CMD")]
    pub cleanup: Option<String>,

    /// Read a metric of your own after each run, and before `--conclude`: the number that COMMAND
    /// prints, or what the program printed itself; may be given several times
    ///
    /// `size[kB]='du -k out'` runs a command, `errors=/errors: (\d+)/` looks for a pattern in the end
    /// of what the program prints, and `p99[ms]=json:/latency/p99` takes a number out of its JSON.
    /// In brackets stand the unit and, where more is better, `higher`; without, it is a count.
    #[arg(long, value_name = "NAME=COMMAND", help_heading = "What is read")]
    pub measure: Vec<String>,

    /// Set variables: `A=1 B="x y"`; once for all commands, or once for each
    #[arg(long, value_name = "ASSIGNMENTS")]
    pub env: Vec<String>,

    /// The folder to run everything in
    #[arg(long, value_name = "DIR")]
    #[serde(serialize_with = "exact_path")]
    pub cwd: Option<PathBuf>,

    /// Where input comes from: `null` or a file [default: null]
    #[arg(long, value_name = "WHERE")]
    pub input: Option<String>,

    /// Where output goes: `null`, `pipe` (read and thrown away), `inherit` or a file; once for
    /// all commands, or once for each
    #[arg(long, value_name = "WHERE")]
    pub output: Vec<String>,

    /// Show what the commands print: the same as `--output=inherit`
    #[arg(long, conflicts_with = "output")]
    pub show_output: bool,

    /// The longest a run may take; its whole process group is ended after it
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub timeout: Option<String>,

    /// Go on when a command fails: with any status, or with one of the given codes
    #[arg(short, long, value_name = "CODES", num_args = 0..=1, require_equals = true, default_missing_value = "all-non-zero")]
    pub ignore_failure: Option<String>,
}

#[expect(clippy::ref_option, reason = "serde's signature")]
fn exact_path<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| exactly(path.as_os_str())).serialize(serializer)
}

impl InvocationOptions {
    /// Where input comes from: `null` or a file.
    pub fn input(&self) -> &str {
        self.input.as_deref().unwrap_or("null")
    }

    /// The texts in which placeholders are filled, besides the commands.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let hooks = self.setup.iter().chain(&self.prepare).chain(&self.conclude);
        hooks.chain(&self.cleanup).chain(&self.env).chain(&self.output).map(String::as_str)
    }

    /// The user's own metrics.
    ///
    /// # Errors
    ///
    /// When one is not what it can be.
    pub fn measures(&self) -> Result<Vec<Measure<String>>, MeasureError> {
        own_metric::parse_all(&self.measure)
    }

    /// Their identifiers.
    ///
    /// # Errors
    ///
    /// When one is not what it can be.
    pub fn own_metrics(&self) -> Result<Vec<MetricId>, MeasureError> {
        Ok(self.measures()?.into_iter().map(|one| one.metric).collect())
    }
}

/// The most that a setup command is repeated. Arbitrary; an interval is narrow long before.
const MOST_SETUP_RUNS: u32 = 1000;

/// Why the commands cannot be used as given.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum CommandError {
    #[error("cannot read the command `{command}`")]
    Words { command: String, source: WordsError },
    #[error("`{command}` needs a shell for `{syntax}`, which `-N` forbids")]
    NeedsShell { command: String, syntax: char },
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error("{given} `{option}` for {commands} commands; give one for all, or one for each")]
    Count { option: &'static str, given: usize, commands: usize },
    #[error("{given} names for {variants} variants")]
    Names { given: usize, variants: usize },
    #[error("two variants are named `{0}`")]
    SameName(String),
    #[error("`{0}` is not an assignment; write NAME=VALUE")]
    Assignment(String),
    #[error("cannot read from `{path}`")]
    Input { path: PathBuf, source: std::io::Error },
    #[error("cannot write to `{path}`")]
    Output { path: PathBuf, source: std::io::Error },
    #[error("the command `{command}` does not say where the artefact goes")]
    NoArtifact { command: String },
    #[error("`{0}` is not a folder")]
    Folder(PathBuf),
    #[error("`{0}` is not an exit code: a number from 0 to 255")]
    ExitCode(String),
    #[error("bad `--timeout`")]
    Timeout(#[from] duration::DurationError),
    #[error("`--setup-runs {0}`: a setup command can be run from 1 to {MOST_SETUP_RUNS} times")]
    SetupRuns(u32),
    #[error("`--setup-runs {0}` without a setup command to run")]
    NoSetup(u32),
    #[error(transparent)]
    Measure(#[from] MeasureError),
    #[error("`--equal-work` with one command: there is no other that could do the same")]
    NothingEqual,
}

impl CommandError {
    /// A way out, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NeedsShell { .. } => Some("leave `-N` out, or quote the character"),
            Self::Parameter(ParameterError::Unknown { .. }) => {
                Some("define it with `-L NAME v1,v2` or `-P NAME LOW HIGH`")
            }
            Self::NoArtifact { .. } => Some("write `{artifact}` in its place"),
            Self::Measure(error) => error.hint(),
            Self::NoSetup(_) => Some("give one with `--setup`"),
            Self::SameName(_) => {
                Some("give each a name of its own; `{parameter}` in a name is filled")
            }
            Self::ExitCode(_) => Some("write for example `--ignore-failure=1,2`"),
            Self::NothingEqual => Some("give the command that it is compared with"),
            Self::Words { source: WordsError::Unbalanced { .. }, .. } => {
                Some("a quote that belongs to the command is written `\\'` or `\"'\"`")
            }
            _ => None,
        }
    }
}

/// Every command at every point, each as a variant without a name.
///
/// # Errors
///
/// When something cannot be used as given; nothing was run.
pub fn experiment(
    options: &InvocationOptions,
    commands: &[&str],
    points: &[Point],
) -> Result<Experiment, CommandError> {
    if !(1..=MOST_SETUP_RUNS).contains(&options.setup_runs) {
        return Err(CommandError::SetupRuns(options.setup_runs));
    }
    let shell = shell(options, commands, points)?;
    let streams = streams(options, commands.len())?;
    let measures = options.measures()?;
    let builder = Builder { options, shell: shell.as_ref(), streams, measures, commands };
    let mut variants = Vec::with_capacity(points.len() * commands.len());
    for point in points {
        for index in 0..commands.len() {
            variants.push(builder.variant(index, point)?);
        }
    }
    Ok(Experiment {
        variants,
        commands: u32::try_from(commands.len()).expect("fewer than arguments can be given"),
        shell,
        timeout: timeout(options)?,
        allowed: allowed(options.ignore_failure.as_deref())?,
        outlives_failures: false,
        setup_runs: options.setup_runs,
        claims_equal_work: false,
    })
}

/// The longest a run may take.
///
/// # Errors
///
/// When it is no duration.
pub fn timeout(options: &InvocationOptions) -> Result<Option<Duration>, CommandError> {
    Ok(options.timeout.as_deref().map(duration::parse).transpose()?)
}

/// Which shell, if any: the user's choice, or `sh` when a command needs one.
fn shell(
    options: &InvocationOptions,
    commands: &[&str],
    points: &[Point],
) -> Result<Option<Shell>, CommandError> {
    let none = options.no_shell || options.shell.as_deref() == Some("none");
    let given = match options.shell.as_deref() {
        Some("none") | None => options.default_shell.then_some("sh"),
        Some("default") => Some("sh"),
        Some(other) => Some(other),
    };
    if let Some(shell) = given {
        return Ok(Some(Shell { words: split(shell)?.words, asked_by: None }));
    }
    // A parameter's value may bring shell syntax with it.
    let filled = points.iter().flat_map(|point| {
        commands.iter().map(move |command| parameters::substitute(command, point))
    });
    for command in filled {
        let Some(syntax) = split(&command)?.shell_syntax else { continue };
        if none {
            return Err(CommandError::NeedsShell { command, syntax });
        }
        let words = vec!["sh".to_owned()];
        return Ok(Some(Shell { words, asked_by: Some((syntax, command)) }));
    }
    Ok(None)
}

fn split(command: &str) -> Result<words::Words, CommandError> {
    words::split(command)
        .map_err(|source| CommandError::Words { command: command.to_owned(), source })
}

/// Where input comes from and output goes; for output one for all, or one for each.
struct Streams {
    stdin: Stdin,
    stdout: Vec<String>,
}

fn streams(options: &InvocationOptions, commands: usize) -> Result<Streams, CommandError> {
    let stdin = match options.input() {
        "null" => Stdin::Null,
        path => {
            let path = options.cwd.as_deref().unwrap_or(Path::new("")).join(path);
            readable(&path).map_err(|source| CommandError::Input { path: path.clone(), source })?;
            Stdin::File(path)
        }
    };
    let stdout = match (options.show_output, options.output.len()) {
        (true, _) => vec!["inherit".to_owned()],
        (false, 0) => vec!["null".to_owned()],
        (false, _) => options.output.clone(),
    };
    one_or_each("--output", &stdout, commands)?;
    one_or_each("--setup", &options.setup, commands)?;
    one_or_each("--prepare", &options.prepare, commands)?;
    one_or_each("--conclude", &options.conclude, commands)?;
    one_or_each("--env", &options.env, commands)?;
    if let Some(folder) = options.cwd.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(CommandError::Folder(folder.clone()));
    }
    Ok(Streams { stdin, stdout })
}

/// Finds out whether a program could read from this; a folder opens, and reading it then fails.
///
/// # Errors
///
/// Why it cannot.
pub fn readable(path: &Path) -> io::Result<()> {
    if std::fs::File::open(path)?.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(())
}

fn one_or_each<T>(option: &'static str, given: &[T], commands: usize) -> Result<(), CommandError> {
    if given.len() <= 1 || given.len() == commands {
        Ok(())
    } else {
        Err(CommandError::Count { option, given: given.len(), commands })
    }
}

/// The item for command `index` of a list that has none, one for all, or one for each.
fn of_command<T>(list: &[T], index: usize) -> Option<&T> {
    if list.len() == 1 { list.first() } else { list.get(index) }
}

struct Builder<'a> {
    options: &'a InvocationOptions,
    shell: Option<&'a Shell>,
    streams: Streams,
    measures: Vec<Measure<String>>,
    commands: &'a [&'a str],
}

impl Builder<'_> {
    fn variant(&self, index: usize, point: &Point) -> Result<Variant, CommandError> {
        let command = parameters::substitute(self.commands[index], point);
        let env = self.env(index, point)?;
        let argv = match self.shell {
            Some(shell) => through_shell(&shell.words, &command),
            None => split(&command)?.words.into_iter().map(OsString::from).collect(),
        };
        let output = of_command(&self.streams.stdout, index).expect("never empty");
        let hook = |text: Option<&String>| text.map(|text| self.hook(text, point, &env));
        let measuring =
            |text: &str| Invocation { stdout: Stdout::Discard, ..self.hook(text, point, &env) };
        let setup = self.setup(index);
        let stdout = self.stdout(&parameters::substitute(output, point), setup.is_some())?;
        let stdout = self.readable(stdout)?;
        Ok(Variant {
            name: String::new(),
            labels: point.clone().into(),
            setup: setup
                .map(|typed| Setup { typed: typed.clone(), run: self.hook(typed, point, &env) }),
            prepare: hook(of_command(&self.options.prepare, index)),
            conclude: hook(of_command(&self.options.conclude, index)),
            cleanup: hook(self.options.cleanup.as_ref()),
            measures: self.measures.iter().map(|one| one.with(measuring)).collect(),
            run: Invocation {
                argv,
                env,
                cwd: self.options.cwd.clone(),
                stdin: self.streams.stdin.clone(),
                stdout,
            },
            command,
        })
    }

    /// The setup command of a command; an empty one is none.
    fn setup(&self, index: usize) -> Option<&String> {
        of_command(&self.options.setup, index).filter(|typed| !typed.trim().is_empty())
    }

    /// A file is relative to the folder that everything runs in, as the input is.
    fn stdout(&self, text: &str, has_setup: bool) -> Result<Stdout, CommandError> {
        Ok(match text {
            "null" => Stdout::Null,
            "pipe" => Stdout::Discard,
            "inherit" => Stdout::Inherit,
            path => {
                let path = self.options.cwd.as_deref().unwrap_or(Path::new("")).join(path);
                // A setup command may still make room for it.
                if !has_setup {
                    writable::check(&path)
                        .map_err(|source| CommandError::Output { path: path.clone(), source })?;
                }
                Stdout::File(path)
            }
        })
    }

    /// Where output goes if some of it is read: into a pipe that nobody else has.
    fn readable(&self, stdout: Stdout) -> Result<Stdout, MeasureError> {
        match (self.measures.iter().find(|one| one.reads_output()), stdout) {
            (None, stdout) => Ok(stdout),
            (Some(_), Stdout::Null | Stdout::Discard) => Ok(Stdout::Discard),
            (Some(one), Stdout::File(_) | Stdout::Inherit) => {
                Err(MeasureError::Elsewhere { name: one.metric.name().to_owned() })
            }
        }
    }

    /// Hooks are scripts rather than measured programs, so they always have a shell.
    fn hook(&self, text: &str, point: &Point, env: &[(OsString, Option<OsString>)]) -> Invocation {
        let sh = ["sh".to_owned()];
        let shell = self.shell.map_or(&sh[..], |shell| &shell.words);
        Invocation {
            argv: through_shell(shell, &parameters::substitute(text, point)),
            env: env.to_vec(),
            cwd: self.options.cwd.clone(),
            stdin: Stdin::Null,
            stdout: if self.options.show_output { Stdout::Inherit } else { Stdout::Null },
        }
    }

    fn env(
        &self,
        index: usize,
        point: &Point,
    ) -> Result<Vec<(OsString, Option<OsString>)>, CommandError> {
        let Some(text) = of_command(&self.options.env, index).filter(|text| !text.is_empty())
        else {
            return Ok(Vec::new());
        };
        let assignment = |word: &String| match word.split_once('=') {
            Some((name, value)) if !name.is_empty() => {
                Ok((OsString::from(name), Some(OsString::from(value))))
            }
            _ => Err(CommandError::Assignment(word.clone())),
        };
        split(&parameters::substitute(text, point))?.words.iter().map(assignment).collect()
    }
}

fn through_shell(shell: &[String], command: &str) -> Vec<OsString> {
    shell.iter().map(String::as_str).chain(["-c", command]).map(OsString::from).collect()
}

fn allowed(ignored: Option<&str>) -> Result<AllowedExits, CommandError> {
    match ignored {
        None => Ok(AllowedExits::Zero),
        Some("all-non-zero") => Ok(AllowedExits::Any),
        Some(codes) => {
            let code = |text: &str| match text.trim().parse::<u8>() {
                Ok(code) => Ok(i32::from(code)),
                Err(_) => Err(CommandError::ExitCode(text.to_owned())),
            };
            // What does not fail needs no leave.
            let codes = std::iter::once(Ok(0)).chain(codes.split(',').map(code));
            Ok(AllowedExits::Codes(codes.collect::<Result<_, _>>()?))
        }
    }
}
