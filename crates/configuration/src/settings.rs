//! `brisk.toml`, and its settings that the command line does not override.
//!
//! Most functions take the typed options and return the effective ones: the value of the command
//! line, or else of `[[benchmark]]`, or else of `[project]`. Options that the file may set have no
//! default here: the code that uses an unset one applies the default. A typed value therefore
//! counts even if it equals the default.

use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::AllowedExits;
use model::expectation::Vocabulary;
use model::failure::Failure;
use model::spec::place::{listed, nearest};
use model::spec::project::{Benchmark, Project, ProjectFile};
use model::spec::reading::RuntimeOption;
use model::spec::words;

use crate::commands::InvocationOptions;
use crate::commits::BuildOptions;
use crate::reading::ReadingOptions;
use crate::stopping::{StoppingOptions, Typed};
use crate::suite::CommitSuiteOptions;

/// Reads the project file in `folder`. None if it is missing.
pub fn read(folder: &Path) -> Result<Option<ProjectFile>, Failure> {
    ProjectFile::read(folder, &Vocabulary::of_registry()).map_err(Failure::from)
}

/// The benchmark whose command is measured. None if the user typed a command and named no
/// benchmark.
pub fn chosen<'a>(
    named: Option<&str>,
    has_command: bool,
    file: &'a ProjectFile,
) -> Result<Option<&'a Benchmark>, Failure> {
    let names = || file.benchmarks.iter().map(|benchmark| benchmark.name.as_str());
    if let Some(name) = named {
        let found = file.benchmarks.iter().find(|benchmark| benchmark.name == name);
        return found.map(Some).ok_or_else(|| {
            let hint = match nearest(name, names()) {
                _ if file.benchmarks.is_empty() => "define one as `[[benchmark]]`".to_owned(),
                Some(meant) => format!("did you mean `{meant}`? benchmarks: {}", listed(names())),
                None => format!("benchmarks: {}", listed(names())),
            };
            Failure::new(format!("unknown benchmark `{name}`")).hint(Some(hint))
        });
    }
    match file.benchmarks.as_slice() {
        [only] if !has_command => Ok(Some(only)),
        [_, _, ..] if !has_command => {
            let error = format!("brisk.toml has {} benchmarks", file.benchmarks.len());
            let hint = format!("choose one with `--benchmark NAME`: {}", listed(names()));
            Err(Failure::new(error).hint(Some(hint)))
        }
        _ => Ok(None),
    }
}

/// The settings for running the commands of a benchmark, for a project whose file is in `folder`;
/// without a benchmark, those common to all commands.
pub fn invocation(
    typed: &InvocationOptions,
    folder: &Path,
    project: &Project,
    benchmark: Option<&Benchmark>,
) -> InvocationOptions {
    let mut options = typed.clone();
    let benchmark_env = benchmark.map_or(&[][..], |benchmark| &benchmark.env);
    options.env = env(&options.env, project.env.iter().chain(benchmark_env));
    let within = benchmark.and_then(|benchmark| benchmark.cwd.as_ref()).or(project.cwd.as_ref());
    options.cwd = options.cwd.or_else(|| place(folder, within));
    let Some(benchmark) = benchmark else { return options };
    let has_shell = options.shell.is_some() || options.default_shell || options.no_shell;
    if !has_shell {
        options.shell.clone_from(&benchmark.shell);
    }
    or_each(&mut options.setup, benchmark.setup.as_ref());
    options.cleanup = options.cleanup.or_else(|| benchmark.cleanup.clone());
    or_each(&mut options.prepare, benchmark.prepare.as_ref());
    or_each(&mut options.conclude, benchmark.conclude.as_ref());
    if options.measure.is_empty() {
        options.measure.clone_from(&benchmark.measure);
    }
    if !options.show_output {
        or_each(&mut options.output, benchmark.output.as_ref());
    }
    options.input = options.input.or_else(|| benchmark.input.clone());
    let timeout = benchmark.timeout.map(|timeout| format!("{}s", timeout.as_secs_f64()));
    options.timeout = options.timeout.or(timeout);
    let ignored = benchmark.ignore_failure.as_ref().and_then(ignored);
    options.ignore_failure = options.ignore_failure.or(ignored);
    options
}

/// The variables of each command: those of the file before the typed ones, since later ones take
/// precedence.
pub fn env<'a>(
    typed: &[String],
    file: impl IntoIterator<Item = &'a (String, String)>,
) -> Vec<String> {
    let assignment = |(name, value): &(String, String)| format!("{name}={}", words::quote(value));
    let before: Vec<String> = file.into_iter().map(assignment).collect();
    match (before.join(" "), typed) {
        (before, _) if before.is_empty() => typed.to_vec(),
        (before, []) => vec![before],
        (before, typed) => {
            typed.iter().map(|env| format!("{before} {env}").trim_end().to_owned()).collect()
        }
    }
}

fn place(folder: &Path, within: Option<&PathBuf>) -> Option<PathBuf> {
    let place = within.map_or_else(|| folder.to_owned(), |within| folder.join(within));
    (place != Path::new(".") && !place.as_os_str().is_empty()).then_some(place)
}

fn or_each(typed: &mut Vec<String>, said: Option<&String>) {
    if typed.is_empty() {
        typed.extend(said.cloned());
    }
}

fn ignored(exits: &AllowedExits) -> Option<String> {
    match exits {
        AllowedExits::Zero => None,
        AllowedExits::Any => Some("all-non-zero".to_owned()),
        AllowedExits::Codes(codes) => {
            Some(codes.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
        }
    }
}

/// The stopping options for measuring benchmarks together: the largest number of runs, the smallest
/// margin, and the sum of the budgets if each benchmark has one.
pub fn stopping(typed: &StoppingOptions, benchmarks: &[&Benchmark]) -> StoppingOptions {
    let mut options = typed.clone();
    let most = |of: fn(&Benchmark) -> Option<u32>| benchmarks.iter().filter_map(|b| of(b)).max();
    options.warmup = options.warmup.or_else(|| most(|benchmark| benchmark.warmup));
    // An exact number of rounds excludes minimum, maximum and budget: whichever kind is typed
    // replaces the other kind from the file.
    let is_range =
        options.min_runs.is_some() || options.max_runs.is_some() || options.budget.is_some();
    if options.runs.is_none() && !is_range {
        options.runs = most(|benchmark| benchmark.runs);
    }
    if options.runs.is_none() {
        let (min, max) =
            (most(|benchmark| benchmark.min_runs), most(|benchmark| benchmark.max_runs));
        // A typed limit moves the conflicting limit of the file.
        let (typed_min, typed_max) = (options.min_runs, options.max_runs);
        let least = |min: u32| typed_max.map_or(min, |max| min.min(max));
        let largest = |max: u32| typed_min.map_or(max, |min| max.max(min));
        options.min_runs = typed_min.or(min.map(least));
        options.max_runs = typed_max.or(max.map(largest));
        let budgets = benchmarks.iter().map(|benchmark| benchmark.budget);
        let budget = budgets.sum::<Option<Duration>>();
        let budget = budget.filter(|budget| !budget.is_zero());
        options.budget = options.budget.or(budget.map(Typed::from));
    }
    options.margin = options.margin.or_else(|| {
        let margins = benchmarks.iter().filter_map(|benchmark| benchmark.margin);
        let least = margins.reduce(|a, b| if b.fraction() < a.fraction() { b } else { a });
        least.map(Into::into)
    });
    options
}

/// The readings of each run.
pub fn reading(typed: &ReadingOptions, benchmarks: &[&Benchmark]) -> ReadingOptions {
    let mut options = typed.clone();
    if let ([only], None) = (benchmarks, &options.metrics)
        && let Some(metrics) = &only.metrics
    {
        let names: Vec<&str> = metrics.iter().map(|metric| metric.as_str()).collect();
        options.metrics = Some(names.join(","));
    }
    if options.runtime.is_none() {
        let said = || benchmarks.iter().filter_map(|benchmark| benchmark.runtime);
        let named = said().find(|option| matches!(option, RuntimeOption::Named(_)));
        let is_only = |option| {
            said().all(|other| {
                matches!(other, RuntimeOption::Auto | RuntimeOption::None) || other == option
            })
        };
        options.runtime = match named {
            Some(option) if is_only(option) => Some(option),
            // With several benchmarks, each runtime is recognised individually, or not at all.
            Some(_) => None,
            None if benchmarks.len() == 1 => said().next(),
            None => None,
        };
    }
    options
}

/// The settings for benchmarks inside the artefacts, if there are any.
pub fn suite(typed: &CommitSuiteOptions, benchmark: Option<&Benchmark>) -> CommitSuiteOptions {
    let mut options = typed.clone();
    let Some(benchmark) = benchmark else { return options };
    options.harness = options.harness.or(benchmark.harness);
    options.order = options.order.or(benchmark.order);
    if options.filter.is_empty() {
        options.filter.clone_from(&benchmark.filter);
    }
    options.renames.clone_from(&benchmark.renamed);
    let seconds = benchmark.time_per_run.map(|time| format!("{}s", time.as_secs_f64()));
    options.time_per_run = options.time_per_run.or(seconds);
    options
}

/// The build settings; paths of patch and overlay are relative to the current folder. The build
/// starts in the project's folder, and changes from there to the project's `cwd`.
pub fn build(typed: &BuildOptions, folder: &Path, project: &Project) -> BuildOptions {
    let mut options = typed.clone();
    options.build = options.build.or_else(|| {
        let build = project.build.as_ref()?;
        Some(match &project.cwd {
            Some(cwd) => {
                format!("cd -- {} && {{\n{build}\n}}", words::quote(&cwd.to_string_lossy()))
            }
            None => build.clone(),
        })
    });
    let from_folder = |path: &PathBuf| folder.join(path);
    options.artifact = options.artifact.or_else(|| project.artifact.clone());
    options.patch = options.patch.or_else(|| project.patch.as_ref().map(from_folder));
    options.overlay = options.overlay.or_else(|| project.overlay.as_ref().map(from_folder));
    options
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use model::verdict::Margin;

    use super::*;

    #[test]
    fn a_refusal_reads_as_every_failure_does() {
        let text = "[[expect]]\nthat = \"wall_time(a) < 2 MB\"\n";
        let error = ProjectFile::parse(text, &Vocabulary::of_registry()).expect_err("units differ");
        let failure = Failure::from_error(&error).hint(error.hint());
        assert_eq!(
            failure.to_string(),
            "error: seconds cannot be compared with bytes
  cause: line 2, column 9 of `brisk.toml`:
         that = \"wall_time(a) < 2 MB\"
                 ^^^^^^^^^^^^^^^^^^^
"
        );
    }

    #[derive(Parser)]
    struct Options {
        #[command(flatten)]
        invocation: InvocationOptions,
        #[command(flatten)]
        stopping: StoppingOptions,
        #[command(flatten)]
        reading: ReadingOptions,
        #[command(flatten)]
        build: BuildOptions,
    }

    fn typed(arguments: &[&str]) -> Options {
        Options::parse_from(std::iter::once("brisk").chain(arguments.iter().copied()))
    }

    fn file(text: &str) -> ProjectFile {
        ProjectFile::parse(text, &Vocabulary::of_registry()).expect("sound")
    }

    const FILE: &str = r#"
        [project]
        build = "make"
        artifact = "out/prog"
        cwd = "sub dir"
        env = { A = "1 2" }
        patch = "fix.patch"
        [[benchmark]]
        name = "b"
        command = "x"
        warmup = 2
        runs = 7
        margin = 0.5
        timeout = "1m30s"
        ignore_failure = [3, 4]
        env = { B = "x" }
        input = "in.txt"
        shell = "none"
        metrics = ["wall_time", "peak_rss"]
        runtime = "none"
    "#;

    fn margin(typed: Option<Typed<Margin>>) -> Option<Margin> {
        typed.map(|typed| typed.value().expect("sound"))
    }

    #[test]
    fn the_file_says_what_the_command_line_does_not() {
        let (typed, file) = (typed(&[]), file(FILE));
        let benchmark = &file.benchmarks[0];
        let run = invocation(&typed.invocation, Path::new("up"), &file.project, Some(benchmark));
        assert_eq!(run.env, ["A='1 2' B=x"]);
        assert_eq!(run.cwd, Some(PathBuf::from("up/sub dir")));
        assert_eq!(run.timeout.as_deref(), Some("90s"));
        assert!(matches!(run.ignore_failure.as_deref(), Some("0,3,4" | "3,4")));
        assert_eq!((run.input(), run.shell.as_deref()), ("in.txt", Some("none")));
        let long = stopping(&typed.stopping, &[benchmark]);
        assert_eq!(
            (long.warmup, long.runs, margin(long.margin)),
            (Some(2), Some(7), Margin::new(0.005))
        );
        let read = reading(&typed.reading, &[benchmark]);
        assert_eq!(read.metrics.as_deref(), Some("wall_time,peak_rss"));
        assert_eq!(read.runtime(), RuntimeOption::None);
        let built = build(&typed.build, Path::new("up"), &file.project);
        assert_eq!(built.build.as_deref(), Some("cd -- 'sub dir' && {\nmake\n}"));
        assert_eq!(built.artifact, Some(PathBuf::from("out/prog")));
        assert_eq!(built.patch, Some(PathBuf::from("up/fix.patch")));
    }

    #[test]
    fn the_command_line_counts_first() {
        let given = [
            "--env=B=y",
            "--cwd=/",
            "--timeout=5s",
            "--input=other",
            "-S",
            "--warmup=1",
            "--budget=3s",
            "--margin=2",
            "--metrics=cpu_time",
            "--build=true",
            "--patch=p",
        ];
        let (typed, file) = (typed(&given), file(FILE));
        let benchmark = &file.benchmarks[0];
        let run = invocation(&typed.invocation, Path::new("up"), &file.project, Some(benchmark));
        assert_eq!(run.env, ["A='1 2' B=x B=y"]);
        assert_eq!((run.timeout.as_deref(), run.input()), (Some("5s"), "other"));
        assert_eq!((run.cwd, run.shell), (Some(PathBuf::from("/")), None));
        let long = stopping(&typed.stopping, &[benchmark]);
        assert_eq!(
            (long.warmup, long.runs, margin(long.margin)),
            (Some(1), None, Margin::new(0.02))
        );
        assert_eq!(reading(&typed.reading, &[benchmark]).metrics.as_deref(), Some("cpu_time"));
        let built = build(&typed.build, Path::new("up"), &file.project);
        assert_eq!((built.build.as_deref(), built.patch), (Some("true"), Some("p".into())));
    }

    #[test]
    fn a_typed_word_counts_also_where_it_says_what_the_default_says() {
        let of_file = file(FILE);
        let benchmark = &of_file.benchmarks[0];
        let given = typed(&["--warmup=0", "--min-runs=10", "--input=null", "--runtime=auto"]);
        let run = invocation(&given.invocation, Path::new("up"), &of_file.project, Some(benchmark));
        assert_eq!(run.input(), "null");
        let long = stopping(&given.stopping, &[benchmark]);
        assert_eq!((long.warmup, long.runs, long.min_runs), (Some(0), None, Some(10)));
        assert_eq!(reading(&given.reading, &[benchmark]).runtime(), RuntimeOption::Auto);
    }

    #[test]
    fn what_is_typed_of_the_rounds_leaves_the_rest_of_the_file() {
        let range = "[[benchmark]]\nname = 'b'\ncommand = 'x'\nmin_runs = 20\nmax_runs = 40\n\
                     budget = 5\n";
        let of_file = file(range);
        let said = |arguments: &[&str]| {
            let long = stopping(&typed(arguments).stopping, &[&of_file.benchmarks[0]]);
            (long.runs, long.min_runs, long.max_runs, long.budget)
        };
        let five = || Some(Duration::from_secs(5).into());
        assert_eq!(said(&[]), (None, Some(20), Some(40), five()));
        assert_eq!(said(&["--runs=7"]), (Some(7), None, None, None));
        assert_eq!(
            said(&["--budget=9s"]),
            (None, Some(20), Some(40), Some(Duration::from_secs(9).into()))
        );
        assert_eq!(said(&["--max-runs=8"]), (None, Some(8), Some(8), five()));
        assert_eq!(said(&["--min-runs=50"]), (None, Some(50), Some(50), five()));
    }

    #[test]
    fn of_several_benchmarks_one_runtime_is_asked_where_they_agree() {
        let asked = |runtimes: &[&str], typed: &[&str]| {
            let benchmark = |(index, runtime): (usize, &&str)| {
                format!("[[benchmark]]\nname = 'b{index}'\ncommand = 'x'\nruntime = '{runtime}'\n")
            };
            let text: String = runtimes.iter().enumerate().map(benchmark).collect();
            let file = file(&text);
            let benchmarks: Vec<&Benchmark> = file.benchmarks.iter().collect();
            reading(&self::typed(typed).reading, &benchmarks).runtime().word()
        };
        for (runtimes, expected) in [
            (&["ocaml"][..], "ocaml"),
            (&["none"], "none"),
            (&["auto"], "auto"),
            (&["none", "none"], "auto"),
            (&["none", "ghc", "auto", "ghc"], "ghc"),
            (&["ghc", "ocaml"], "auto"),
        ] {
            assert_eq!(asked(runtimes, &[]), expected, "{runtimes:?}");
        }
        assert_eq!(asked(&["ghc"], &["--runtime", "go"]), "go");
    }

    #[test]
    fn several_benchmarks_are_measured_for_as_long_as_all_of_them_together() {
        let text = |name: &str, budget: &str| {
            format!("[[benchmark]]\nname = \"{name}\"\ncommand = \"x\"\n{budget}\n")
        };
        let both = file(&(text("a", "budget = \"2s\"") + &text("b", "budget = 3")));
        let together: Vec<&Benchmark> = both.benchmarks.iter().collect();
        let typed = typed(&[]);
        assert_eq!(
            stopping(&typed.stopping, &together).budget,
            Some(Duration::from_secs(5).into())
        );
        let one = file(&(text("a", "budget = \"2s\"") + &text("b", "")));
        let together: Vec<&Benchmark> = one.benchmarks.iter().collect();
        assert_eq!(stopping(&typed.stopping, &together).budget, None);
        assert_eq!(stopping(&typed.stopping, &[]).budget, None);
    }
}
