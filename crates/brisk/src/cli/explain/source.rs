//! Explaining a program in source: it is built twice, run twice, and its Core is looked at.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use measure::{Launcher, Stdin};
use toolchains::ghc::causes::doubts::doubts;
use toolchains::ghc::causes::{Program, examine};

use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::explain::building::{Building, BuildingError, Built, Way, build};
use crate::explain::compiler::Compiler;
use crate::explain::running::{self, Figures, Run};
use crate::explain::subject::{self, Source};
use crate::explain::workplace::Workplace;
use crate::explain::{folder, texts};
use crate::report::explanation::document::{ExplanationPart, RunPart};
use crate::spec::{duration, words};

/// How a program in source is built and run.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How it is built and run")]
pub(super) struct SourceOptions {
    /// Which executable of a cabal project
    #[arg(long, value_name = "NAME")]
    executable: Option<String>,

    /// The GHC that builds
    #[arg(long, value_name = "PATH", default_value = "ghc")]
    ghc: PathBuf,

    /// Options for GHC, besides `-O1` and those that make it tell what it does
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    ghc_options: Option<String>,

    /// What the program reads: `null` or a file
    #[arg(long, value_name = "WHERE", default_value = "null")]
    input: String,

    /// Set variables for the program: `A=1 B="x y"`
    #[arg(long, value_name = "ASSIGNMENTS")]
    env: Vec<String>,

    /// The longest that a run may take
    #[arg(long, value_name = "DURATION", default_value = "10m")]
    timeout: String,

    /// The longest that a build may take
    #[arg(long, value_name = "DURATION", default_value = "1h")]
    build_timeout: String,

    /// Show no progress
    #[arg(short, long)]
    quiet: bool,

    /// The program's arguments
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

/// What the options say, checked.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) source: Source,
    pub(super) compiler: Compiler,
    pub(super) options: Vec<String>,
    pub(super) run: Run,
    pub(super) build_timeout: Duration,
    pub(super) shows_progress: bool,
}

impl SourceOptions {
    /// Checks everything that can be refused before anything is built.
    pub(super) fn plan(&self, path: &Path) -> Result<Plan, Failure> {
        let source = subject::source(path, self.executable.as_deref())
            .map_err(|error| Failure::from_error(&error).hint(error.hint()))?;
        let limit = |option: &str, text: &str| {
            duration::parse(text)
                .map_err(|error| Failure::new(format!("bad `{option}`")).caused_by(&error))
        };
        let timeout = limit("--timeout", &self.timeout)?;
        let build_timeout = limit("--build-timeout", &self.build_timeout)?;
        let run = Run {
            arguments: self.arguments.clone(),
            input: self.stdin()?,
            env: self.variables()?,
            cwd: source.folder().to_owned(),
            timeout,
        };
        let options = self.ghc_options.as_deref();
        let options = options.map(|text| split("--ghc-options", text)).transpose()?;
        let options = options.unwrap_or_default();
        let compiler = Compiler::ask(&self.ghc)
            .map_err(|error| Failure::from_error(&error).hint(Some(error.hint())))?;
        let shows_progress = !self.quiet;
        Ok(Plan { source, compiler, options, run, build_timeout, shows_progress })
    }

    /// What it reads, as seen from where brisk was started.
    fn stdin(&self) -> Result<Stdin, Failure> {
        if self.input == "null" {
            return Ok(Stdin::Null);
        }
        let path = Path::new(&self.input);
        let there = std::fs::File::open(path).and_then(|_| path.canonicalize());
        let cannot = |error| {
            Failure::new(format!("cannot read from `{}`", path.display())).caused_by(&error)
        };
        there.map(Stdin::File).map_err(cannot)
    }

    fn variables(&self) -> Result<Vec<(OsString, OsString)>, Failure> {
        let mut variables = Vec::new();
        for text in &self.env {
            for word in split("--env", text)? {
                let Some((name, value)) = word.split_once('=').filter(|(name, _)| !name.is_empty())
                else {
                    let error = format!("`{word}` is not an assignment; write NAME=VALUE");
                    return Err(Failure::new(error));
                };
                variables.push((name.into(), value.into()));
            }
        }
        Ok(variables)
    }
}

fn split(option: &str, text: &str) -> Result<Vec<String>, Failure> {
    let split = words::split(text);
    split
        .map(|words| words.words)
        .map_err(|error| Failure::new(format!("bad `{option}`")).caused_by(&error))
}

/// Builds, runs and looks.
pub(super) fn explanation(
    path: &Path,
    plan: &Plan,
    launcher: &mut Launcher,
    output: &Output,
) -> Result<ExplanationPart, Failure> {
    let (program, run) = compiled(path, plan, launcher, output)?;
    let examination = examine(&program);
    let doubts = doubts(&program, examination.coverage.as_ref());
    let subject = path.display().to_string();
    let mut explanation = ExplanationPart::new(&subject, &program, &examination, &doubts);
    explanation.run = Some(run);
    if plan.compiler.is_newer_than_known() {
        explanation.doubts.push(
            "this GHC is newer than those whose dumps are known; parts may not have been read"
                .to_owned(),
        );
    }
    Ok(explanation)
}

/// Builds and runs: the program as it was compiled and as it ran, and what was run.
pub(super) fn compiled(
    path: &Path,
    plan: &Plan,
    launcher: &mut Launcher,
    output: &Output,
) -> Result<(Program, RunPart), Failure> {
    measure::interrupt::install()
        .map_err(|error| Failure::new("cannot watch for Ctrl-C").caused_by(&error))?;
    let workplace = Workplace::new().map_err(|error| Failure::from_error(&error))?;
    let say = |what: &str| {
        if plan.shows_progress && output.is_watched() {
            output.message(&format!("{what} ...\n"));
        }
    };
    let building = Building {
        source: &plan.source,
        compiler: &plan.compiler,
        options: &plan.options,
        timeout: Some(plan.build_timeout),
    };
    say("building with counters");
    let counted = built(&building, Way::Counted, workplace.path())?;
    say("building as it is");
    let plain = built(&building, Way::Plain, workplace.path())?;
    say("running as it is");
    let failed = |error: running::RunningError| running_failure(&error);
    let plain_figures =
        running::plain(launcher, &plain.program, &plan.run, workplace.path()).map_err(failed)?;
    say("running with counters");
    let (profile, figures) =
        running::counted(launcher, &counted.program, &plan.run, workplace.path())
            .map_err(failed)?;
    say("looking at its Core");
    let mut program = read(plan, &counted)?;
    program.ticky = Some(profile);
    program.allocated_bytes = figures.allocated_bytes;
    Ok((program, run_part(path, plan, plain_figures, figures)))
}

fn built(building: &Building<'_>, way: Way, folder: &Path) -> Result<Built, Failure> {
    build(building, way, folder, 0).map_err(|error| building_failure(&error))
}

fn building_failure(error: &BuildingError) -> Failure {
    let failure = Failure::from_error(error);
    match error {
        BuildingError::Failed { log, .. } if !log.is_empty() => failure.because(log.clone()),
        _ => failure,
    }
}

fn running_failure(error: &running::RunningError) -> Failure {
    let failure = Failure::from_error(error).hint(error.hint());
    match error {
        running::RunningError::Failed { stderr, .. } if !stderr.is_empty() => {
            failure.because(format!("last lines of its standard error:\n{stderr}"))
        }
        _ => failure,
    }
}

/// The program as its counted build was compiled.
fn read(plan: &Plan, counted: &Built) -> Result<Program, Failure> {
    let mut program = folder::program(&counted.dumps)
        .map_err(|error| Failure::from_error(&error).hint(error.hint()))?;
    texts::attach(plan.source.folder(), &mut program.modules)
        .map_err(|error| Failure::new("cannot read the program's source").caused_by(&error))?;
    program.compiler = Some(plan.compiler.version.clone());
    program.options = Some(plan.options.clone());
    Ok(program)
}

fn run_part(path: &Path, plan: &Plan, plain: Figures, counted: Figures) -> RunPart {
    let name = match &plan.source {
        Source::Cabal { executable, .. } => executable.clone(),
        Source::File { .. } => path.display().to_string(),
    };
    let mut command = vec![name];
    command.extend(plan.run.arguments.iter().map(|it| it.to_string_lossy().into_owned()));
    RunPart {
        command,
        allocated_bytes: plain.allocated_bytes,
        wall_seconds: Some(plain.wall_seconds),
        instrumented_allocated_bytes: counted.allocated_bytes,
        instrumented_wall_seconds: Some(counted.wall_seconds),
    }
}
