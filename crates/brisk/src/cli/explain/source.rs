//! Explains a program in source: it is built twice and run twice, and its Core is examined.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use ghc::causes::doubts::doubts;
use ghc::causes::{Program, examine, is_deep, is_leaking};
use ghc::compiling::Compiling;
use measure::hold::Hold;
use measure::{Launcher, Stdin};

use super::growth::{self, Both};
use super::native::{NativeOptions, Running};
use crate::cli::holding;
use crate::cli::options::{HoldOptions, InvocationOptions, settings};
use crate::cli::ticking::Stages;
use explain::building::{Building, BuildingError, BuiltProgram, Way, build};
use explain::compiler::Compiler;
use explain::proving::Proving;
use explain::remedy;
use explain::running::{self, Figures, Run};
use explain::sampling::{Unsampled, census, samples};
use explain::subject::{self, ExplainedSource, SubjectError};
use explain::workplace::Workplace;
use explain::{folder, texts};
use findings::explanation::{ChangeProof, ExplainedRun, Explanation, ProposedChange};
use model::failure::{Failing, Failure};
use model::spec::invocation::readable;
use model::spec::{duration, words};

/// The default time limit of a build.
const BUILD_TIMEOUT: &str = "1h";

/// The default time limit of a run.
const TIMEOUT: &str = "10m";

/// Which program is built, and by what.
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct GhcOptions {
    /// The executable of a cabal project
    ///
    /// It may be a test suite or a benchmark, too.
    #[arg(long, value_name = "NAME")]
    executable: Option<String>,

    /// The GHC to build with [default: ghc]
    #[arg(long, value_name = "PATH")]
    ghc: Option<PathBuf>,

    /// Options for GHC, in addition to `-O1` and those that brisk needs
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    ghc_options: Option<String>,
}

impl GhcOptions {
    /// True if any option is given.
    pub(in crate::cli) fn is_given(&self) -> bool {
        self.executable.is_some() || self.ghc.is_some() || self.ghc_options.is_some()
    }

    /// The program at `path`, if it is built with GHC.
    pub(in crate::cli) fn source(&self, path: &Path) -> Result<ExplainedSource, SubjectError> {
        subject::source(path, self.executable.as_deref())
    }
}

/// How a program in source is built and run.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "How it is built and run")]
pub(in crate::cli) struct SourceOptions {
    #[command(flatten)]
    ghc: GhcOptions,

    /// Where the program reads its input from: `null` or a file
    #[arg(long, value_name = "WHERE", default_value = "null")]
    pub(super) input: String,

    /// Set environment variables for the program, such as `A=1 B="x y"`
    #[arg(long, value_name = "ASSIGNMENTS")]
    pub(super) env: Vec<String>,

    /// The time limit of a run
    #[arg(long, value_name = "DURATION", default_value = TIMEOUT)]
    pub(super) timeout: String,

    /// Variables that brisk.toml sets, for builds and runs.
    #[arg(skip)]
    project_env: Vec<(String, String)>,

    /// Where it runs; where its source is by default.
    #[arg(skip)]
    cwd: Option<PathBuf>,

    /// Continue when a command fails, with any status or only with these exit codes
    #[arg(short, long, value_name = "CODES", num_args = 0..=1, require_equals = true, default_missing_value = "all-non-zero")]
    ignore_failure: Option<String>,

    /// Try remedies, and measure them
    ///
    /// Each remedy that brisk can apply itself is tried in a copy of the program.
    #[arg(long)]
    prove: bool,

    /// How long to measure a remedy at most [default: 15s]
    #[arg(long, value_name = "DURATION", requires = "prove")]
    budget: Option<String>,

    /// Two amounts of `{work}`: how costs grow
    ///
    /// The program's arguments contain `{work}`; brisk says how costs grow from one amount to the
    /// other.
    #[arg(long, value_name = "LESS,MORE")]
    work: Option<String>,

    /// Do not show progress
    #[arg(short, long)]
    pub(super) quiet: bool,

    /// The program's arguments
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

/// The checked options.
#[derive(Debug)]
pub(in crate::cli) struct Plan {
    pub(super) source: ExplainedSource,
    pub(super) compiler: Compiler,
    pub(super) options: Vec<String>,
    /// The run, with the larger of two amounts of work.
    pub(super) run: Run,
    /// The same run with less work, and both amounts, if costs are compared.
    pub(super) smaller: Option<(Run, [u64; 2])>,
    /// Variables set for builds.
    pub(super) build_env: Vec<(String, String)>,
    pub(super) build_timeout: Duration,
    /// Set if remedies are tried.
    pub(super) proves: bool,
    /// The time limit for measuring a remedy, as typed.
    pub(super) budget: Option<String>,
    pub(super) shows_progress: bool,
}

impl SourceOptions {
    /// The options that run a program as another verb runs its command.
    pub(in crate::cli) fn of_run(
        ghc: GhcOptions,
        arguments: Vec<OsString>,
        invocation: &InvocationOptions,
        project_env: &[(String, String)],
        quiet: bool,
    ) -> Self {
        let cwd = invocation.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
        let timeout = invocation.timeout.clone();
        Self {
            ghc,
            cwd: Some(cwd),
            input: invocation.input().to_owned(),
            env: invocation.env.clone(),
            project_env: project_env.to_vec(),
            timeout: timeout.unwrap_or_else(|| TIMEOUT.to_owned()),
            quiet,
            arguments,
            ..Self::default()
        }
    }

    /// The same options, with the variables of a project's file.
    pub(super) fn of_project(&self, env: &[(String, String)]) -> Self {
        Self { project_env: env.to_vec(), ..self.clone() }
    }

    /// Checks everything that can be refused before anything is built.
    pub(in crate::cli) fn plan(
        &self,
        path: &Path,
        build_timeout: Option<&str>,
    ) -> Result<Plan, Failure> {
        let source = self.ghc.source(path)?;
        let limit =
            |option: &str, text: &str| duration::parse(text).failing(format!("bad `{option}`"));
        let timeout = limit("--timeout", &self.timeout)?;
        let build_timeout = limit("--build-timeout", build_timeout.unwrap_or(BUILD_TIMEOUT))?;
        let works = growth::works(self.work.as_deref(), &self.arguments)?;
        let mut run = Run {
            arguments: self.arguments.clone(),
            input: self.stdin()?,
            env: self.variables()?,
            cwd: self.cwd(&source)?,
            timeout,
        };
        let smaller = works.map(|works| (growth::with_work(&run, works[0]), works));
        if let Some([_, more]) = works {
            run = growth::with_work(&run, more);
        }
        let options = self.ghc.ghc_options.as_deref();
        let options = options.map(|text| split("--ghc-options", text)).transpose()?;
        let options = options.unwrap_or_default();
        let compiler = self.ghc.ghc.as_deref().unwrap_or(Path::new("ghc"));
        let compiler = Compiler::ask(compiler)
            .map_err(|error| Failure::from_error(&error).hint(Some(error.hint())))?;
        self.budget.as_deref().map(|text| limit("--budget", text)).transpose()?;
        Ok(Plan {
            source,
            compiler,
            options,
            run,
            smaller,
            build_env: self.project_env.clone(),
            build_timeout,
            proves: self.prove,
            budget: self.budget.clone(),
            shows_progress: !self.quiet,
        })
    }

    /// The options for running existing commands.
    pub(super) fn running<'a>(&'a self, native: &'a NativeOptions) -> Running<'a> {
        Running {
            native,
            arguments: &self.arguments,
            invocation: InvocationOptions {
                setup_runs: 1,
                env: settings::env(&self.env, &self.project_env),
                input: Some(self.input.clone()),
                timeout: Some(self.timeout.clone()),
                ignore_failure: self.ignore_failure.clone(),
                ..InvocationOptions::default()
            },
            quiet: self.quiet,
        }
    }

    /// The folder in which the program runs.
    fn cwd(&self, source: &ExplainedSource) -> Result<PathBuf, Failure> {
        let Some(cwd) = &self.cwd else { return Ok(source.folder().to_owned()) };
        cwd.canonicalize().failing(format!("cannot run in `{}`", cwd.display()))
    }

    /// The program's input. The path is relative to the folder in which brisk was started.
    fn stdin(&self) -> Result<Stdin, Failure> {
        if self.input == "null" {
            return Ok(Stdin::Null);
        }
        let path = Path::new(&self.input);
        let there = readable(path).and_then(|()| path.canonicalize());
        let cannot = |error| {
            Failure::new(format!("cannot read from `{}`", path.display())).caused_by(&error)
        };
        there.map(Stdin::File).map_err(cannot)
    }

    fn variables(&self) -> Result<Vec<(OsString, OsString)>, Failure> {
        let of_file = self.project_env.iter().map(|(name, value)| (name.into(), value.into()));
        let mut variables: Vec<(OsString, OsString)> = of_file.collect();
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
    split.map(|words| words.words).failing(format!("bad `{option}`"))
}

/// Shares the machine with builds: counting does not need a quiet machine, but other measurements
/// do.
pub(super) fn shared() -> Result<Option<Hold>, Failure> {
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;
    holding::building(HoldOptions::default())
}

/// Builds and runs the program, and examines its Core.
pub(super) fn explanation(
    path: &Path,
    plan: &Plan,
    all: bool,
    launcher: &mut Launcher,
) -> Result<Explanation, Failure> {
    let held = shared()?;
    let of_growth = if plan.smaller.is_some() { GROWTH_STAGES } else { 0 };
    let stages = Stages::new(STAGES + MORE_STAGES + of_growth, 1, plan.shows_progress);
    let Compiled { mut program, run, plain, counted, figures, workplace } =
        compiled(path, plan, Way::Plain, launcher, &stages)?;
    stages.begin("running with looks at its stack");
    sampled(&plain, &plan.run, &mut program, figures)?;
    let examination = examine(&program);
    let doubts = doubts(&program, examination.coverage.as_ref());
    let subject = path.display().to_string();
    let mut explanation =
        report::explanation::document::explanation(&subject, &program, &examination, &doubts);
    explanation.run = Some(run);
    if let Some((smaller, works)) = &plan.smaller {
        stages.begin("running with less work");
        let both = Both { plain: &plain, counted: &counted, folder: workplace.path() };
        let before = growth::Before { works: *works, figures, examination: &examination };
        growth::compare(&both, smaller, before, (&mut program, launcher), &mut explanation)?;
    }
    // Trying remedies involves measuring, which needs the machine exclusively.
    drop(held);
    if plan.compiler.is_newer_than_known() {
        explanation.doubts.push(
            "this GHC is newer than those whose dumps are known; parts may not have been read"
                .to_owned(),
        );
    }
    if plan.proves {
        let building = building(plan);
        let proving = Proving {
            building: &building,
            program: &program,
            plain: &plain.program,
            run: &plan.run,
            budget: plan.budget.as_deref(),
            folder: workplace.path(),
        };
        prove(&proving, &mut explanation, all, &|what| stages.begin(what))?;
    }
    Ok(explanation)
}

/// Samples a plain program while it runs, and its heap.
pub(super) fn sampled(
    plain: &BuiltProgram,
    run: &Run,
    program: &mut Program,
    figures: Figures,
) -> Result<(), Failure> {
    program.samples = match samples(&plain.program, run, program, figures) {
        Ok(samples) => Ok(samples),
        Err(Unsampled::Missing(reason)) => Err(reason),
        Err(error @ Unsampled::Interrupted) => return Err(Failure::from_error(&error)),
    };
    if is_leaking(program) || is_deep(program) {
        (program.waiting, program.waits) = census(&plain.program, run, program, figures)
            .map_err(|error| Failure::from_error(&error))?;
    }
    Ok(())
}

/// A program as it was compiled and as it ran.
pub(super) struct Compiled {
    pub(super) program: Program,
    pub(super) run: ExplainedRun,
    /// Its build without counters.
    pub(super) plain: BuiltProgram,
    /// Its build with counters.
    counted: BuiltProgram,
    /// The figures of a run of the plain build.
    figures: Figures,
    /// The folder of the builds.
    workplace: Workplace,
}

fn building(plan: &Plan) -> Building<'_> {
    Building {
        source: &plan.source,
        compiler: &plan.compiler,
        options: &plan.options,
        env: &plan.build_env,
        timeout: Some(plan.build_timeout),
    }
}

/// The number of stages of [`compiled`].
pub(super) const STAGES: usize = 6;

/// The number of further stages of [`explanation`].
const MORE_STAGES: usize = 1;

/// The number of further stages if costs are compared between two amounts of work.
const GROWTH_STAGES: usize = 1;

/// Builds twice, runs twice, and reads the dumps, while the machine is shared. `without` is the
/// kind of build without counters.
pub(super) fn compiled(
    path: &Path,
    plan: &Plan,
    without: Way,
    launcher: &mut Launcher,
    stages: &Stages,
) -> Result<Compiled, Failure> {
    let workplace = Workplace::new()?;
    let say = |what: &str| stages.begin(what);
    let building = building(plan);
    say("building with counters");
    let counted = built(&building, Way::Counted, workplace.path(), stages)?;
    say("building as it is");
    let plain = built(&building, without, workplace.path(), stages)?;
    say("running as it is");
    let failed = |error: running::RunningError| running_failure(&error);
    let plain_figures =
        running::plain(launcher, &plain.program, &plan.run, workplace.path()).map_err(failed)?;
    say("running with counters");
    let (profile, figures) =
        running::counted(launcher, &counted.program, &plan.run, workplace.path())
            .map_err(failed)?;
    say("running with samples of its heap");
    let place = (workplace.path(), plan.compiler.names_heap_profiles());
    let heap =
        running::heap(launcher, &plain.program, &plan.run, place, plain_figures).map_err(failed)?;
    say("looking at its Core");
    let mut program = read(plan, &counted)?;
    program.ticky = Some(profile);
    program.allocated_bytes = figures.allocated_bytes;
    program.heap = heap;
    let run = run_part(path, plan, plain_figures, figures);
    Ok(Compiled { program, run, plain, counted, figures: plain_figures, workplace })
}

/// Tries the remedies of the shown findings, each once.
fn prove(
    proving: &Proving<'_>,
    explanation: &mut Explanation,
    all: bool,
    say: &dyn Fn(&str),
) -> Result<(), Failure> {
    let mut tried: Vec<(ProposedChange, ChangeProof)> = Vec::new();
    for finding in explanation.findings.iter_mut().filter(|finding| all || !finding.minor) {
        let Some(change) = &finding.change else { continue };
        let known = tried.iter().find(|(known, _)| known == change).map(|(_, proof)| proof.clone());
        let proof = match known {
            Some(proof) => proof,
            None => {
                say(&format!("trying {}", remedy::in_words(change)));
                let proof = proving.prove(tried.len(), change)?;
                tried.push((change.clone(), proof.clone()));
                proof
            }
        };
        finding.proof = Some(proof);
    }
    Ok(())
}

fn built(
    building: &Building<'_>,
    way: Way,
    folder: &Path,
    stages: &Stages,
) -> Result<BuiltProgram, Failure> {
    let begun = |it: Compiling| stages.part("module", it.module, it.of);
    build(building, way, folder, &begun).map_err(|error| building_failure(&error))
}

fn building_failure(error: &BuildingError) -> Failure {
    let failure = Failure::from_error(error).hint(error.hint());
    match error {
        BuildingError::Failed { log, .. } if !log.is_empty() => failure.because(log.clone()),
        _ => failure,
    }
}

pub(super) fn running_failure(error: &running::RunningError) -> Failure {
    let failure = Failure::from_error(error).hint(error.hint());
    match error {
        running::RunningError::Failed { stderr, .. } => failure.with_stderr(stderr),
        _ => failure,
    }
}

/// The program as compiled in its counted build.
fn read(plan: &Plan, counted: &BuiltProgram) -> Result<Program, Failure> {
    let (mut program, stems) = folder::program_and_stems(&counted.dumps)?;
    let (own, modules) = (plan.source.folder(), &mut program.modules);
    texts::attach(own, modules)
        .and_then(|()| texts::attach_outside(own, &counted.dumps_root, &stems, modules))
        .failing("cannot read the program's source")?;
    program.compiler = Some(plan.compiler.version.clone());
    program.options = Some(plan.options.clone());
    Ok(program)
}

fn run_part(path: &Path, plan: &Plan, plain: Figures, counted: Figures) -> ExplainedRun {
    let name = match &plan.source {
        ExplainedSource::Cabal { component, .. } => component.name.clone(),
        ExplainedSource::File { .. } => path.display().to_string(),
    };
    let mut command = vec![name];
    command.extend(plan.run.arguments.iter().map(|it| it.to_string_lossy().into_owned()));
    ExplainedRun {
        command,
        allocated_bytes: plain.allocated_bytes,
        wall_seconds: Some(plain.wall_seconds),
        instrumented_allocated_bytes: counted.allocated_bytes,
        instrumented_wall_seconds: Some(counted.wall_seconds),
    }
}
