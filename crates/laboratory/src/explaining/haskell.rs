//! Explains Haskell programs from GHC's Core, and the changes from one to another.
//!
//! A program in source is built twice and run twice, with and without counters; with two amounts of
//! work, it also runs with less of it, to see how each cost grows. Dumps that exist are read as they
//! are. The two sides of a difference are folders of dumps, programs in source, or commits.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use configuration::{SourceOptions, Typed};
use explain::building::{Building, BuildingError, BuiltProgram, Compiler, Way, Workplace, build};
use explain::core_difference::{Told, core_difference, names_cause};
use explain::explanation::growth_of_findings;
use explain::folder;
use explain::proving::{Proving, in_words};
use explain::running::{self, Figures, Run, Unexecuted, executed};
use explain::sampling::{Unsampled, census, samples};
use explain::subject::{self, ExplainedSource};
use findings::core_difference::CoreDifference;
use findings::explanation::{ChangeProof, CostGrowth, ExplainedRun, Explanation, ProposedChange};
use ghc::causes::doubts::doubts;
use ghc::causes::{Program, examine, is_deep, is_leaking};
use ghc::compiling::Compiling;
use ghc::difference::Difference;
use ghc::heap_profile::{self, HeapProfile};
use ghc::instructions::Instructions;
use ghc::ticky;
use measure::Launcher;
use model::failure::{Failing, Failure};
use model::spec::duration;
use prepare::{Checkout, Commit};

use super::{Stages, Telling, shared};
use crate::commits::named;
use crate::project::Project;
use crate::watcher::Watcher;

const BUILD_TIMEOUT: &str = "1h";

#[derive(Debug)]
pub(crate) struct Plan {
    source: ExplainedSource,
    compiler: Compiler,
    options: Vec<String>,
    /// The run, with the larger of two amounts of work.
    run: Run,
    /// The same run with less work, and both amounts, if costs are compared.
    smaller: Option<(Run, [u64; 2])>,
    build_env: Vec<(String, String)>,
    build_timeout: Duration,
    /// Set if remedies are tried.
    proves: bool,
    /// The time limit for measuring a remedy, as typed.
    budget: Option<Duration>,
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
        Ok(Self {
            source,
            compiler,
            options,
            run,
            smaller,
            build_env: typed.project_env.clone(),
            build_timeout,
            proves: typed.prove,
            budget: typed.budget.clone().map(Typed::value).transpose()?,
        })
    }
}

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
    let stages = Stages::new(STAGES + of_growth, 1, watcher);
    let built = builds(plan, Way::Plain, &stages)?;
    stages.begin("running as it is");
    let figures = run_plain(plan, &built, launcher)?;
    let side = Side { path, plan, built: &built, figures };
    let Measured { mut program, run } = measured(side, launcher, &stages)?;
    let Built { plain, counted, workplace } = built;
    let examination = examine(&program);
    let doubts = doubts(&program, examination.coverage.as_ref());
    let subject = path.display().to_string();
    let mut explanation =
        explain::explanation::explanation(&subject, &program, &examination, &doubts);
    explanation.run = Some(run);
    if let Some((smaller, works)) = &plan.smaller {
        stages.begin("running with less work");
        let (plain, counted) = (&plain.program, &counted.program);
        let less = running::plain(launcher, plain, smaller, workplace.path());
        let less = less.map_err(|error| running_failure(&error))?;
        let of_counted = running::counted(launcher, counted, smaller, workplace.path());
        let (profile, of_counted) = of_counted.map_err(|error| running_failure(&error))?;
        program.ticky = Some(profile);
        program.allocated_bytes = of_counted.allocated_bytes;
        program.heap = None;
        sampled(plain, smaller, &mut program, less)?;
        let allocated = [less.allocated_bytes, figures.allocated_bytes];
        let allocated = allocated.map(|bytes| bytes.map(|bytes| bytes as f64));
        explanation.growth = CostGrowth::from_costs("allocations", *works, allocated);
        let seconds = [less.mutator_seconds, figures.mutator_seconds];
        let examined = examine(&program);
        let grown = growth_of_findings(*works, seconds, [&examined, &examination]);
        for (finding, growth) in explanation.findings.iter_mut().zip(grown) {
            finding.growth = growth;
        }
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
            budget: plan.budget,
            folder: workplace.path(),
        };
        prove(&proving, &mut explanation, all, &|what| stages.begin(what))?;
    }
    Ok(explanation)
}

/// Samples a plain program while it runs, and its heap.
fn sampled(
    plain: &Path,
    run: &Run,
    program: &mut Program,
    figures: Figures,
) -> Result<(), Failure> {
    program.samples = match samples(plain, run, program, figures) {
        Ok(samples) => Ok(samples),
        Err(Unsampled::Missing(reason)) => Err(reason),
        Err(error @ Unsampled::Interrupted) => return Err(Failure::from_error(&error)),
    };
    if is_leaking(program) || is_deep(program) {
        (program.waiting, program.waits) =
            census(plain, run, program, figures).map_err(|error| Failure::from_error(&error))?;
    }
    Ok(())
}

/// A program that was built with and without counters.
struct Built {
    plain: BuiltProgram,
    counted: BuiltProgram,
    workplace: Workplace,
}

/// A program that was built, and that ran as it is.
#[derive(Clone, Copy)]
struct Side<'a> {
    /// The path, as it was given.
    path: &'a Path,
    plan: &'a Plan,
    built: &'a Built,
    /// The figures of a run of the plain build.
    figures: Figures,
}

/// A program as it was compiled and as it ran.
struct Measured {
    program: Program,
    run: ExplainedRun,
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

/// The number of stages of building, running and reading one program.
const STAGES: usize = 7;

/// The number of further stages if costs are compared between two amounts of work.
const GROWTH_STAGES: usize = 1;

/// Builds twice. `without` is the kind of build without counters.
fn builds(plan: &Plan, without: Way, stages: &dyn Telling) -> Result<Built, Failure> {
    let workplace = Workplace::new()?;
    let building = building(plan);
    stages.begin("building with counters");
    let counted = built(&building, Way::Counted, workplace.path(), stages)?;
    stages.begin("building as it is");
    let plain = built(&building, without, workplace.path(), stages)?;
    Ok(Built { plain, counted, workplace })
}

fn run_plain(plan: &Plan, built: &Built, launcher: &mut Launcher) -> Result<Figures, Failure> {
    running::plain(launcher, &built.plain.program, &plan.run, built.workplace.path())
        .map_err(|error| running_failure(&error))
}

/// Runs a program with counters, with samples of its heap and with looks at its stack, and reads its
/// dumps.
fn measured(
    side: Side<'_>,
    launcher: &mut Launcher,
    stages: &dyn Telling,
) -> Result<Measured, Failure> {
    let Side { path, plan, built, figures } = side;
    let (run, place) = (&plan.run, built.workplace.path());
    let failed = |error: running::RunningError| running_failure(&error);
    stages.begin("running with counters");
    let (profile, of_counted) =
        running::counted(launcher, &built.counted.program, run, place).map_err(failed)?;
    stages.begin("running with samples of its heap");
    let names_file = plan.compiler.names_heap_profiles();
    let plain = &built.plain.program;
    let heap = running::heap(launcher, plain, run, place, names_file, figures).map_err(failed)?;
    stages.begin("looking at its Core");
    let mut program = read(plan, &built.counted)?;
    program.ticky = Some(profile);
    program.allocated_bytes = of_counted.allocated_bytes;
    program.heap = heap;
    stages.begin("running with looks at its stack");
    sampled(plain, run, &mut program, figures)?;
    Ok(Measured { program, run: run_part(path, plan, figures, of_counted) })
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
    stages: &dyn Telling,
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

fn running_failure(error: &running::RunningError) -> Failure {
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
        mutator_seconds: plain.mutator_seconds,
        collector_seconds: plain.collector_seconds,
        max_live_bytes: plain.max_live_bytes,
        peak_bytes: plain.peak_bytes,
        instrumented_allocated_bytes: counted.allocated_bytes,
        instrumented_wall_seconds: Some(counted.wall_seconds),
    }
}

const PLACE: &str = "{work}";

fn works(text: Option<&str>, arguments: &[OsString]) -> Result<Option<[u64; 2]>, Failure> {
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

fn with_work(run: &Run, work: u64) -> Run {
    let number = work.to_string();
    let argument = |it: &OsString| match it.to_str() {
        Some(text) => text.replace(PLACE, &number).into(),
        None => it.clone(),
    };
    Run { arguments: run.arguments.iter().map(argument).collect(), ..run.clone() }
}

/// The explanation of a folder of dumps, with its source folders and a heap profile if given.
pub(super) fn explanation_of_dumps(
    folder: &Path,
    counters: Option<&Path>,
    sources: &[PathBuf],
    heap_profile: Option<&Path>,
) -> Result<Explanation, Failure> {
    let heap = heap_profile.map(read_heap_profile).transpose()?;
    let mut program = program_of_dumps(folder, counters)?;
    program.heap = heap;
    for source in sources {
        folder::attach_texts(source, &mut program.modules)
            .failing(format!("cannot read `{}`", source.display()))?;
    }
    let examination = examine(&program);
    let doubts = doubts(&program, examination.coverage.as_ref());
    let subject = folder.display().to_string();
    Ok(explain::explanation::explanation(&subject, &program, &examination, &doubts))
}

/// The program of a folder of dumps, with the counters of a run if given.
fn program_of_dumps(folder: &Path, counters: Option<&Path>) -> Result<Program, Failure> {
    // The counters are small and quick to refuse, so they are read before the dumps.
    let ticky = counters.map(read_counters).transpose()?;
    let mut program = folder::program(folder)?;
    program.ticky = ticky;
    Ok(program)
}

fn read_counters(path: &Path) -> Result<ticky::Profile, Failure> {
    let name = path.display();
    let bytes = fs::read(path).failing(format!("cannot read `{name}`"))?;
    ticky::read(&bytes).map_err(|error| {
        Failure::new(format!("cannot read the ticky counters in `{name}`"))
            .caused_by(&error)
            .hint(Some("a program compiled with `-ticky` writes them with `+RTS -rFILE`"))
    })
}

fn read_heap_profile(path: &Path) -> Result<HeapProfile, Failure> {
    let text = fs::read(path).failing(format!("cannot read `{}`", path.display()))?;
    heap_profile::read(&String::from_utf8_lossy(&text)).map_err(|error| {
        Failure::new(format!("cannot read the heap profile in `{}`", path.display()))
            .caused_by(&error)
            .hint(Some("a program writes one to PROGRAM.hp with `+RTS -hT`"))
    })
}

/// The changes between the dumps of two folders.
pub(super) fn difference_of_dumps(
    folders: &[PathBuf; 2],
    counters: Option<&[PathBuf; 2]>,
) -> Result<CoreDifference, Failure> {
    let of = |side: usize| {
        let counters = counters.map(|both| both[side].as_path());
        program_of_dumps(&folders[side], counters)
    };
    let told = folders.each_ref().map(|folder| Told::from_subject(folder.display().to_string()));
    Ok(core_difference(&Difference::new(&of(0)?, &of(1)?), told))
}

/// The changes between two programs in source, which are built and run.
pub(super) fn difference_of_sources(
    paths: &[PathBuf; 2],
    plans: [&Plan; 2],
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<CoreDifference, Failure> {
    let names = paths.each_ref().map(|path| path.display().to_string());
    of_plans(names, [&paths[0], &paths[1]], plans, launcher, watcher)
}

fn of_plans(
    subjects: [String; 2],
    paths: [&Path; 2],
    plans: [&Plan; 2],
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<CoreDifference, Failure> {
    if plans[1].proves {
        return Err(Failure::new("`--prove` tries remedies for one program, and two are given")
            .hint(Some("`brisk compare` measures which of the two is faster")));
    }
    // One more stage counts instructions.
    let stages = Stages::new(STAGES + 1, 2, watcher);
    let _held = stages.shared()?;
    // Forked while this process has no other threads.
    let mut other_launcher = Launcher::start().failing("cannot run two programs at once")?;
    let built = stages.both(plans, |plan, stages| builds(plan, Way::Named, stages))?;
    stages.begin("running as it is");
    let figures = fastest(plans, &built, launcher)?;
    let sides = [0, 1].map(|side| Side {
        path: paths[side],
        plan: plans[side],
        built: &built[side],
        figures: figures[side],
    });
    let [before, after] = sides;
    let both = [(before, &mut *launcher), (after, &mut other_launcher)];
    let [old, new] =
        stages.both(both, |(side, launcher), stages| measured(side, launcher, stages))?;
    let (mut programs, runs) = ([old.program, new.program], [old.run, new.run]);
    let counted = match left_out(&programs, &runs, figures) {
        Some(reason) => [Err(reason.clone()), Err(reason)],
        None => {
            let both = [
                (before, &programs[0], &mut *launcher),
                (after, &programs[1], &mut other_launcher),
            ];
            stages.both(both, |(side, program, launcher), stages| {
                counted(side, program, launcher, stages)
            })?
        }
    };
    let mut told = subjects.map(Told::from_subject);
    for (side, (counted, run)) in counted.into_iter().zip(runs).enumerate() {
        told[side].run = Some(run);
        match counted {
            Ok(instructions) => programs[side].instructions = Some(instructions),
            Err(reason) => told[side].no_instructions = Some(reason),
        }
    }
    Ok(core_difference(&Difference::new(&programs[0], &programs[1]), told))
}

/// Counting that is expected to take longer, in seconds, is left out where a cause explains the
/// difference without it.
const CHEAP_SECONDS: f64 = 5.0;

/// The reason why instructions are not counted, if they are not needed and would take long.
fn left_out(
    programs: &[Program; 2],
    runs: &[ExplainedRun; 2],
    figures: [Figures; 2],
) -> Option<String> {
    let seconds = figures.map(running::counting_seconds);
    let seconds = seconds[0].max(seconds[1]);
    let is_explained =
        || names_cause(&Difference::new(&programs[0], &programs[1]), [&runs[0], &runs[1]]);
    (seconds > CHEAP_SECONDS && is_explained()).then(|| {
        format!(
            "a cause explains the difference without them, and callgrind would take some {}",
            words::quantity::duration(seconds)
        )
    })
}

/// The instructions of one side, or the reason they were not counted.
fn counted(
    side: Side<'_>,
    program: &Program,
    launcher: &mut Launcher,
    stages: &dyn Telling,
) -> Result<Result<Instructions, String>, Failure> {
    stages.begin("counting its instructions");
    let Side { plan, built, figures, .. } = side;
    match executed(launcher, &built.plain, &plan.run, program, figures) {
        Ok(instructions) => Ok(Ok(instructions)),
        Err(Unexecuted::Missing(reason)) => Ok(Err(reason)),
        Err(error @ Unexecuted::Interrupted) => Err(Failure::from_error(&error)),
    }
}

/// The time for further plain runs of both sides. The first decides if it takes longer.
const ROUNDS_SECONDS: f64 = 1.0;

/// The number of plain runs of each side at most.
const ROUNDS: usize = 5;

/// The figures of the fastest plain run of each side, which run in turn.
fn fastest(
    plans: [&Plan; 2],
    built: &[Built; 2],
    launcher: &mut Launcher,
) -> Result<[Figures; 2], Failure> {
    let mut round = || -> Result<[Figures; 2], Failure> {
        let before = run_plain(plans[0], &built[0], launcher)?;
        Ok([before, run_plain(plans[1], &built[1], launcher)?])
    };
    let mut best = round()?;
    let mut elapsed = best[0].wall_seconds + best[1].wall_seconds;
    for _ in 1..ROUNDS {
        if elapsed > ROUNDS_SECONDS {
            break;
        }
        let again = round()?;
        elapsed += again[0].wall_seconds + again[1].wall_seconds;
        for (best, again) in best.iter_mut().zip(again) {
            if again.cpu_seconds() < best.cpu_seconds() {
                *best = again;
            }
        }
    }
    Ok(best)
}

/// The changes in a program of a project from one commit to another, or to the working files.
pub(crate) fn of_revisions(
    project: &Project,
    path: &Path,
    revisions: &[String],
    source: &SourceOptions,
    build_timeout: Option<&str>,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<CoreDifference, Failure> {
    let within = project.within(path)?;
    // Resolved before anything is checked out.
    let commits = project.commits(revisions)?;
    let held = shared(watcher)?;
    let checkouts = project.checkouts(&commits)?;
    drop(held);
    let plan = |path: &Path| Plan::new(source, path, build_timeout);
    let planned = |(commit, checkout): (&Commit, &Checkout)| {
        let tree = checkout.path();
        // An empty path would add a slash.
        let subject = if within.as_os_str().is_empty() { tree } else { tree.join(&within) };
        Ok((named(commit), plan(&subject)?))
    };
    let mut sides =
        commits.iter().zip(&checkouts).map(planned).collect::<Result<Vec<_>, Failure>>()?;
    if sides.len() == 1 {
        sides.push((path.display().to_string(), plan(path)?));
    }
    let [(old_name, old), (new_name, new)] = &sides[..] else {
        return Err(Failure::new("no commit is named"));
    };
    let names = [old_name.clone(), new_name.clone()];
    of_plans(names, [path, path], [old, new], launcher, watcher)
}
