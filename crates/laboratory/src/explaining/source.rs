//! Explains a program in source: it is built twice and run twice, and its Core is examined.
//!
//! Growth of costs with the work: the program also runs with less work.

use super::{Stages, shared};
use crate::watcher::Watcher;
use configuration::SourceOptions;
use explain::building::{Building, BuildingError, BuiltProgram, Compiler, Way, Workplace, build};
use explain::explanation::growth_of_findings;
use explain::proving::{Proving, in_words};
use explain::running::{Figures, Run};
use explain::sampling::{Unsampled, census, samples};
use explain::subject::ExplainedSource;
use explain::{folder, running, subject};
use findings::explanation::{ChangeProof, CostGrowth, ExplainedRun, Explanation, ProposedChange};
use ghc::causes::doubts::doubts;
use ghc::causes::{Examination, Program, examine, is_deep, is_leaking};
use ghc::compiling::Compiling;
use measure::Launcher;
use model::failure::{Failing, Failure};
use model::spec::duration;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The default time limit of a build.
const BUILD_TIMEOUT: &str = "1h";

/// The checked options.
#[derive(Debug)]
pub(crate) struct Plan {
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
}

impl Plan {
    /// Checks everything that can be refused before anything is built.
    pub(crate) fn new(
        typed: &SourceOptions,
        path: &Path,
        build_timeout: Option<&str>,
    ) -> Result<Plan, Failure> {
        let source = subject::source(path, typed.ghc.executable.as_deref())?;
        let limit =
            |option: &str, text: &str| duration::parse(text).failing(format!("bad `{option}`"));
        let timeout = limit("--timeout", &typed.timeout)?;
        let build_timeout = limit("--build-timeout", build_timeout.unwrap_or(BUILD_TIMEOUT))?;
        let works = works(typed.work.as_deref(), &typed.arguments)?;
        let mut run = Run {
            arguments: typed.arguments.clone(),
            input: typed.stdin()?,
            env: typed.variables()?,
            cwd: cwd(typed, &source)?,
            timeout,
        };
        let smaller = works.map(|works| (with_work(&run, works[0]), works));
        if let Some([_, more]) = works {
            run = with_work(&run, more);
        }
        let options = typed.ghc.words()?;
        let compiler = typed.ghc.ghc.as_deref().unwrap_or(Path::new("ghc"));
        let compiler = Compiler::ask(compiler)
            .map_err(|error| Failure::from_error(&error).hint(Some(error.hint())))?;
        typed.budget.as_deref().map(|text| limit("--budget", text)).transpose()?;
        Ok(Self {
            source,
            compiler,
            options,
            run,
            smaller,
            build_env: typed.project_env.clone(),
            build_timeout,
            proves: typed.prove,
            budget: typed.budget.clone(),
        })
    }
}

/// The folder in which the program runs.
fn cwd(typed: &SourceOptions, source: &ExplainedSource) -> Result<PathBuf, Failure> {
    let Some(cwd) = &typed.cwd else { return Ok(source.folder().to_owned()) };
    cwd.canonicalize().failing(format!("cannot run in `{}`", cwd.display()))
}

/// Builds and runs the program, and examines its Core.
pub(super) fn explanation(
    path: &Path,
    plan: &Plan,
    all: bool,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Explanation, Failure> {
    let held = shared(watcher)?;
    let of_growth = if plan.smaller.is_some() { GROWTH_STAGES } else { 0 };
    let stages = Stages::new(STAGES + MORE_STAGES + of_growth, 1, watcher);
    let Compiled { mut program, run, plain, counted, figures, workplace } =
        compiled(path, plan, Way::Plain, launcher, &stages)?;
    stages.begin("running with looks at its stack");
    sampled(&plain, &plan.run, &mut program, figures)?;
    let examination = examine(&program);
    let doubts = doubts(&program, examination.coverage.as_ref());
    let subject = path.display().to_string();
    let mut explanation =
        explain::explanation::explanation(&subject, &program, &examination, &doubts);
    explanation.run = Some(run);
    if let Some((smaller, works)) = &plan.smaller {
        stages.begin("running with less work");
        let both = Both { plain: &plain, counted: &counted, folder: workplace.path() };
        let before = Before { works: *works, figures, examination: &examination };
        compare(&both, smaller, before, &mut program, launcher, &mut explanation)?;
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
    stages: &Stages<'_>,
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
    let (place, names_file) = (workplace.path(), plan.compiler.names_heap_profiles());
    let run = &plan.run;
    let heap = running::heap(launcher, &plain.program, run, place, names_file, plain_figures);
    let heap = heap.map_err(failed)?;
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
                say(&format!("trying {}", in_words(change)));
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
    stages: &Stages<'_>,
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
    folder::attach_texts(own, modules)
        .and_then(|()| folder::attach_outside_texts(own, &counted.dumps_root, &stems, modules))
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

/// The placeholder for the amount of work.
const PLACE: &str = "{work}";

/// The two amounts of work, if given.
pub(super) fn works(
    text: Option<&str>,
    arguments: &[OsString],
) -> Result<Option<[u64; 2]>, Failure> {
    let has_place = arguments.iter().any(|it| it.to_string_lossy().contains(PLACE));
    let Some(text) = text else {
        return match has_place {
            true => Err(Failure::new("`{work}` has no value")
                .hint(Some("say two amounts with `--work LESS,MORE`"))),
            false => Ok(None),
        };
    };
    let numbers: Option<Vec<u64>> = text.split(',').map(|it| it.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some([less, more]) if 0 < *less && less < more && has_place => Ok(Some([*less, *more])),
        Some([less, more]) if 0 < *less && less < more => {
            Err(Failure::new("`--work` has no place in the program's arguments")
                .hint(Some("write `{work}` where the amount of work belongs: `-- {work}`")))
        }
        _ => Err(Failure::new(format!("bad `--work {text}`"))
            .hint(Some("give two whole numbers, the smaller first: `--work 1000,2000`"))),
    }
}

/// A run with this much work.
pub(super) fn with_work(run: &Run, work: u64) -> Run {
    let number = work.to_string();
    let argument = |it: &OsString| match it.to_str() {
        Some(text) => text.replace(PLACE, &number).into(),
        None => it.clone(),
    };
    Run { arguments: run.arguments.iter().map(argument).collect(), ..run.clone() }
}

/// The builds of a program, and the folder that their runs may write to.
pub(super) struct Both<'a> {
    pub(super) plain: &'a BuiltProgram,
    pub(super) counted: &'a BuiltProgram,
    pub(super) folder: &'a Path,
}

/// The results of the run with more work.
pub(super) struct Before<'a> {
    pub(super) works: [u64; 2],
    pub(super) figures: Figures,
    pub(super) examination: &'a Examination,
}

/// Runs with less work, and adds the growth of the total cost and of each finding.
pub(super) fn compare(
    both: &Both<'_>,
    smaller: &Run,
    before: Before<'_>,
    program: &mut Program,
    launcher: &mut Launcher,
    explanation: &mut Explanation,
) -> Result<(), Failure> {
    let failed = |error: running::RunningError| running_failure(&error);
    let Both { plain, counted, folder } = both;
    let figures = running::plain(launcher, &plain.program, smaller, folder).map_err(failed)?;
    let (profile, of_counted) =
        running::counted(launcher, &counted.program, smaller, folder).map_err(failed)?;
    program.ticky = Some(profile);
    program.allocated_bytes = of_counted.allocated_bytes;
    program.heap = None;
    sampled(plain, smaller, program, figures)?;
    let less = examine(program);
    let seconds = [figures.mutator_seconds, before.figures.mutator_seconds];
    explanation.growth = CostGrowth::from_costs(
        "allocations",
        before.works,
        [figures.allocated_bytes, before.figures.allocated_bytes].map(|it| it.map(|it| it as f64)),
    );
    let grown = growth_of_findings(before.works, seconds, [&less, before.examination]);
    for (finding, growth) in explanation.findings.iter_mut().zip(grown) {
        finding.growth = growth;
    }
    Ok(())
}
