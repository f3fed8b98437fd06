//! From a command's text to a process: shell, hooks, environment, streams, limits.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::{AllowedExits, Stdin, Stdout};

use super::artifacts::Layouts;
use super::copies::{self, Copies, CopiesError};
use super::labels::Labels;
use super::own_metric::{By, Measure, MeasureError};
use super::parameters::{self, ParameterError, Point};
use super::words::{self, WordsError};
use super::{Experiment, Invocation, Setup, Shell, Variant, duration, writable};

/// The settings for running commands.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// The shell.
    pub shell: ShellChoice,
    /// Run before the first run of each, and measured: none, one for all, or one for each, where an
    /// empty one stands for none.
    pub setup: Vec<String>,
    /// The number of runs of each setup command.
    pub setup_runs: u32,
    /// Run before each run, untimed: none, one for all, or one for each.
    pub prepare: Vec<String>,
    /// Run after each run, untimed: none, one for all, or one for each.
    pub conclude: Vec<String>,
    /// Run after the last run of each.
    pub cleanup: Option<String>,
    /// The user's own metrics.
    pub measures: Vec<Measure<String>>,
    /// Assignments of variables: none, one text for all, or one for each.
    pub env: Vec<String>,
    /// The folder to run everything in, if not the current one.
    pub cwd: Option<PathBuf>,
    /// The source of the input.
    pub stdin: Stdin,
    /// The destination of the output, `null`, `pipe`, `inherit` or a file: one for all, or one for
    /// each.
    pub output: Vec<String>,
    /// Set if the output of hooks is shown.
    pub shows_hooks: bool,
    /// The time limit of a run.
    pub timeout: Option<Duration>,
    /// The exit codes of a successful run.
    pub allowed: AllowedExits,
    /// The number of copies of each to run at once: a number for each size, empty for the usual
    /// single run.
    pub copies: Vec<u32>,
}

/// The choice of a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellChoice {
    /// `sh`, if a command needs it.
    WhereNeeded,
    /// This command line.
    Named(String),
    /// No shell; a command that needs one is refused.
    Never,
}

impl RunSettings {
    /// The texts in which placeholders are filled in, besides the commands.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let hooks = self.setup.iter().chain(&self.prepare).chain(&self.conclude);
        let texts = hooks.chain(&self.cleanup).chain(&self.env).chain(&self.output);
        texts.map(String::as_str).chain(self.measuring())
    }

    /// All texts that may name input files, including this command.
    pub fn naming_files<'t>(&'t self, command: &'t str) -> impl Iterator<Item = &'t str> {
        let input = match &self.stdin {
            Stdin::File(path) => path.to_str(),
            _ => None,
        };
        let hooks = self.setup.iter().chain(&self.prepare).chain(&self.conclude);
        let texts = hooks.chain(&self.cleanup).chain(&self.env).map(String::as_str);
        std::iter::once(command).chain(texts).chain(self.measuring()).chain(input)
    }

    /// The commands that print the user's own metrics.
    pub fn measuring(&self) -> impl Iterator<Item = &str> {
        self.measures.iter().filter_map(|one| match &one.by {
            By::Command(command) => Some(command.as_str()),
            By::Pattern(_) | By::Json(_) => None,
        })
    }
}

impl Default for RunSettings {
    /// A shell where a command needs one, no input, no output, and every failure counts.
    fn default() -> Self {
        Self {
            shell: ShellChoice::WhereNeeded,
            setup: Vec::new(),
            setup_runs: 1,
            prepare: Vec::new(),
            conclude: Vec::new(),
            cleanup: None,
            measures: Vec::new(),
            env: Vec::new(),
            cwd: None,
            stdin: Stdin::Null,
            output: vec!["null".to_owned()],
            shows_hooks: false,
            timeout: None,
            allowed: AllowedExits::Zero,
            copies: Vec::new(),
        }
    }
}

/// The maximum number of repetitions of a setup command. Arbitrary; an interval is narrow long
/// before.
pub const MOST_SETUP_RUNS: u32 = 1000;

/// The reason that the commands cannot be used as given.
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
    #[error("there is no command to measure")]
    NoCommand,
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
    #[error("`--equal-work` needs two commands or more")]
    NothingEqual,
    #[error(transparent)]
    Copies(#[from] CopiesError),
}

impl CommandError {
    /// A suggestion for the user, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NeedsShell { .. } => Some("leave `-N` out, or quote the character"),
            Self::Parameter(ParameterError::Unknown { .. }) => {
                Some("define it with `-L NAME v1,v2` or `-P NAME LOW HIGH`")
            }
            Self::NoArtifact { .. } => Some(
                "write `{artifact}` in its place; with `--artifact .` the command runs in a \
                 checkout of each commit",
            ),
            Self::NoCommand => Some(
                "write it as one would in the project's folder: it runs in a checkout of each \
                 commit",
            ),
            Self::Measure(error) => error.hint(),
            Self::Copies(error) => error.hint(),
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

/// Every command at every point and in every number of copies, each as a variant without a name.
///
/// # Errors
///
/// When something cannot be used as given; nothing was run.
pub fn experiment(
    run_settings: &RunSettings,
    commands: &[&str],
    points: &[Point],
) -> Result<Experiment, CommandError> {
    let shell = shell(&run_settings.shell, commands, points)?;
    let given = [
        ("--output", &run_settings.output),
        ("--setup", &run_settings.setup),
        ("--prepare", &run_settings.prepare),
        ("--conclude", &run_settings.conclude),
        ("--env", &run_settings.env),
    ];
    for (option, given) in given {
        one_or_each(option, given, commands.len())?;
    }
    let builder = Builder { run_settings, shell: shell.as_ref(), commands };
    let sizes = copies::sizes(&run_settings.copies);
    let mut variants = Vec::with_capacity(sizes.len() * points.len() * commands.len());
    for (copies, point) in
        sizes.into_iter().flat_map(|copies| points.iter().map(move |point| (copies, point)))
    {
        for index in 0..commands.len() {
            variants.push(builder.variant(index, point, copies)?);
        }
    }
    Ok(Experiment {
        variants,
        commands: u32::try_from(commands.len()).expect("fewer than arguments can be given"),
        shell,
        timeout: run_settings.timeout,
        allowed: run_settings.allowed.clone(),
        outlives_failures: false,
        setup_runs: run_settings.setup_runs,
        claims_equal_work: false,
    })
}

/// The shell, if any: the user's choice, or `sh` if a command needs one.
fn shell(
    choice: &ShellChoice,
    commands: &[&str],
    points: &[Point],
) -> Result<Option<Shell>, CommandError> {
    if let ShellChoice::Named(shell) = choice {
        return Ok(Some(Shell { words: split(shell)?.words, asked_by: None }));
    }
    // A parameter's value may contain shell syntax.
    let filled = points.iter().flat_map(|point| {
        commands.iter().map(move |command| parameters::substitute(command, point))
    });
    for command in filled {
        let Some(syntax) = split(&command)?.shell_syntax else { continue };
        if *choice == ShellChoice::Never {
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

/// Checks that a program could read from this path; a folder can be opened, but reading it then
/// fails.
///
/// # Errors
///
/// The reason that it cannot.
pub fn readable(path: &Path) -> io::Result<()> {
    if std::fs::File::open(path)?.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(())
}

/// True if writing there cannot cause conflicts, as with `/dev/null`.
fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|facts| !facts.is_file())
}

fn one_or_each<T>(option: &'static str, given: &[T], commands: usize) -> Result<(), CommandError> {
    if given.len() <= 1 || given.len() == commands {
        Ok(())
    } else {
        Err(CommandError::Count { option, given: given.len(), commands })
    }
}

/// The item for command `index` of a list that is empty, or has one for all, or one for each.
fn of_command<T>(list: &[T], index: usize) -> Option<&T> {
    if list.len() == 1 { list.first() } else { list.get(index) }
}

struct Builder<'a> {
    run_settings: &'a RunSettings,
    shell: Option<&'a Shell>,
    commands: &'a [&'a str],
}

impl Builder<'_> {
    fn variant(
        &self,
        index: usize,
        point: &Point,
        copies: Option<Copies>,
    ) -> Result<Variant, CommandError> {
        let command = parameters::substitute(self.commands[index], point);
        let env = self.env(index, point)?;
        let argv = match self.shell {
            Some(shell) => through_shell(&shell.words, &command),
            None => split(&command)?.words.into_iter().map(OsString::from).collect(),
        };
        let output = of_command(&self.run_settings.output, index).expect("never empty");
        let hook = |text: Option<&String>| text.map(|text| self.hook(text, point, &env));
        let measuring =
            |text: &str| Invocation { stdout: Stdout::Discard, ..self.hook(text, point, &env) };
        let setup = self.setup(index);
        let stdout = self.stdout(&parameters::substitute(output, point), setup.is_some())?;
        let stdout = self.readable(stdout)?;
        self.check_copies(point, &stdout, copies)?;
        Ok(Variant {
            name: String::new(),
            labels: Labels { copies, ..point.clone().into() },
            setup: setup
                .map(|typed| Setup { typed: typed.clone(), run: self.hook(typed, point, &env) }),
            prepare: hook(of_command(&self.run_settings.prepare, index)),
            conclude: hook(of_command(&self.run_settings.conclude, index)),
            cleanup: hook(self.run_settings.cleanup.as_ref()),
            measures: self.run_settings.measures.iter().map(|one| one.with(measuring)).collect(),
            layouts: Layouts::default(),
            run: Invocation {
                argv,
                env,
                cwd: self.run_settings.cwd.clone(),
                stdin: self.run_settings.stdin.clone(),
                stdout,
            },
            command,
        })
    }

    /// The setup command of a command; an empty one counts as none.
    fn setup(&self, index: usize) -> Option<&String> {
        of_command(&self.run_settings.setup, index).filter(|typed| !typed.trim().is_empty())
    }

    /// A file is relative to the folder that everything runs in, as is the input.
    fn stdout(&self, text: &str, has_setup: bool) -> Result<Stdout, CommandError> {
        Ok(match text {
            "null" => Stdout::Null,
            "pipe" => Stdout::Discard,
            "inherit" => Stdout::Inherit,
            path => {
                let path = self.run_settings.cwd.as_deref().unwrap_or(Path::new("")).join(path);
                // A setup command may still create the folder.
                if !has_setup {
                    writable::check(&path)
                        .map_err(|source| CommandError::Output { path: path.clone(), source })?;
                }
                Stdout::File(path)
            }
        })
    }

    /// Copies must not interfere with each other, and readings must belong to a single copy.
    fn check_copies(
        &self,
        point: &Point,
        stdout: &Stdout,
        copies: Option<Copies>,
    ) -> Result<(), CopiesError> {
        if copies.is_none() {
            return Ok(());
        }
        let taken = |(name, _): &&(String, String)| {
            [copies::PLACEHOLDER, "copies", "processors"].contains(&&**name)
        };
        if let Some((name, _)) = point.iter().find(taken) {
            return Err(CopiesError::Parameter(name.clone()));
        }
        if let Some(one) = self.run_settings.measures.iter().find(|one| one.reads_output()) {
            return Err(CopiesError::Printed { name: one.metric.name().to_owned() });
        }
        match stdout {
            Stdout::File(path)
                if !path.to_string_lossy().contains(&copies::placeholder()) && !is_device(path) =>
            {
                Err(CopiesError::OneFile(path.clone()))
            }
            _ => Ok(()),
        }
    }

    /// The destination of the output; if it is read, a private pipe.
    fn readable(&self, stdout: Stdout) -> Result<Stdout, MeasureError> {
        match (self.run_settings.measures.iter().find(|one| one.reads_output()), stdout) {
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
            cwd: self.run_settings.cwd.clone(),
            stdin: Stdin::Null,
            stdout: if self.run_settings.shows_hooks { Stdout::Inherit } else { Stdout::Null },
        }
    }

    fn env(
        &self,
        index: usize,
        point: &Point,
    ) -> Result<Vec<(OsString, Option<OsString>)>, CommandError> {
        let Some(text) = of_command(&self.run_settings.env, index).filter(|text| !text.is_empty())
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
