//! The benchmarks inside programs: which of them are run, how, and in which metrics.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use measure::{Stdin, Stdout};
use model::failure::Failure;
use model::metric::{self, ALLOCATED_PER_ITERATION, Metric, MetricId, TIME_PER_ITERATION};
use model::spec::suite::commits::CommitSuite;
use model::spec::suite::{
    Arrangement, Baseline, BaselineError, Filter, HarnessOption, Renames, SuiteError, SuiteProgram,
    SuiteRequest,
};
use model::spec::{Experiment, Invocation, duration, words};

use crate::reading::one_of;

/// The options that say what is run, and how.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is run")]
pub struct SuiteOptions {
    /// The program with the benchmarks, or two: the old and the new one
    ///
    /// Where no executable has them, the command that runs them: `brisk bench pytest tests/bench`,
    /// `brisk bench java -jar benchmarks.jar`; of two such commands, each in quotes. Options of brisk
    /// go before it.
    #[arg(num_args = 1..=2, value_name = "EXECUTABLE")]
    pub executables: Vec<PathBuf>,

    /// Arguments for the programs, or a command; brisk adds its own after them
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,

    /// List the benchmarks instead of measuring them
    #[arg(long)]
    pub list: bool,

    /// Run only benchmarks with TEXT in their names
    ///
    /// May be given several times.
    #[arg(long, value_name = "TEXT")]
    pub filter: Vec<String>,

    /// Run only the benchmarks whose whole name is given with `--filter`
    #[arg(long, requires = "filter")]
    pub exact: bool,

    /// The harness of the programs
    #[arg(long, value_parser = HarnessParser, default_value = "auto", value_name = "HARNESS")]
    pub harness: HarnessOption,

    /// Run the benchmarks in this arrangement only. By default brisk uses every arrangement that
    /// the harness supports, to find benchmarks that depend on what ran before them
    #[arg(long, value_parser = arrangements(), value_name = "ORDER")]
    pub order: Option<Arrangement>,

    /// The time for a benchmark in one process
    ///
    /// Only if the harness lets brisk choose; 100 ms by default in one arrangement, 25 ms in several.
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub time_per_run: Option<String>,

    /// Claim that a benchmark does the same as others together, for example `transform = 6 * step +
    /// copy`, or at least as much (`>=`), and see whether their times agree; may be given several
    /// times
    #[arg(long, value_name = "CLAIM")]
    pub made_of: Vec<String>,

    /// The time limit of a process; its whole process group is killed when it is over
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub timeout: Option<String>,

    /// Set a variable; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,

    /// The folder to run everything in
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
}

/// A program with benchmarks, as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedProgram {
    /// Its command, at least one word.
    pub words: Vec<OsString>,
    /// Set if this is a command of several words, whose first one does not have the benchmarks.
    pub is_command: bool,
}

impl TypedProgram {
    /// The first word.
    pub fn path(&self) -> &Path {
        Path::new(&self.words[0])
    }

    /// The words as typed.
    pub fn title(&self) -> String {
        let quoted = self.words.iter().map(|word| words::quote(&word.to_string_lossy()));
        quoted.collect::<Vec<_>>().join(" ")
    }
}

impl SuiteOptions {
    /// The programs as typed.
    pub fn programs(&self) -> Result<Vec<TypedProgram>, SuiteError> {
        let arguments: Vec<OsString> = self.arguments.iter().map(OsString::from).collect();
        if self.executables.is_empty() && !arguments.is_empty() {
            return Ok(vec![TypedProgram { words: arguments, is_command: true }]);
        }
        let typed = |path: &PathBuf| {
            let text = path.to_string_lossy();
            let is_command = text.contains(char::is_whitespace) && !path.exists();
            let words = match is_command {
                true => words::split(&text)
                    .map_err(|_| SuiteError::Command(text.clone().into_owned()))?
                    .words
                    .into_iter()
                    .map(OsString::from)
                    .collect(),
                false => vec![path.clone().into_os_string()],
            };
            Ok(TypedProgram { words: [words, arguments.clone()].concat(), is_command })
        };
        self.executables.iter().map(typed).collect()
    }

    /// The invocation of a program of the suite.
    pub fn invocation(&self, argv: Vec<OsString>) -> Result<Invocation, SuiteError> {
        if let Some(folder) = self.cwd.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(SuiteError::Folder(folder.clone()));
        }
        let assignment = |text: &String| match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => {
                Ok((OsString::from(name), Some(OsString::from(value))))
            }
            _ => Err(SuiteError::Assignment(text.clone())),
        };
        Ok(Invocation {
            argv,
            env: self.env.iter().map(assignment).collect::<Result<_, _>>()?,
            cwd: self.cwd.clone(),
            stdin: Stdin::Null,
            stdout: Stdout::Null,
        })
    }

    /// The request to the programs.
    pub fn request(&self) -> Result<SuiteRequest, SuiteError> {
        let timeout = self.timeout.as_deref().map(|text| parse("--timeout", text)).transpose()?;
        let usual = if self.order.is_some() { SECONDS_PER_RUN } else { SECONDS_IN_SEVERAL };
        Ok(SuiteRequest {
            filter: Filter { texts: self.filter.clone(), exact: self.exact },
            order: self.order,
            made_of: self.made_of.clone(),
            timeout,
            seconds_per_run: seconds_per_run(self.time_per_run.as_deref(), usual)?,
        })
    }
}

/// The default of `--time-per-run` in one arrangement, which has a reading of each benchmark in a
/// round, so it may take longer.
const SECONDS_PER_RUN: f64 = 0.1;

/// The default in several arrangements: in ten rounds of four, a second for each benchmark.
const SECONDS_IN_SEVERAL: f64 = 0.025;

fn seconds_per_run(typed: Option<&str>, usual: f64) -> Result<f64, SuiteError> {
    typed.map_or(Ok(usual), |text| Ok(parse("--time-per-run", text)?.as_secs_f64()))
}

fn parse(option: &'static str, text: &str) -> Result<Duration, SuiteError> {
    duration::parse(text).map_err(|source| SuiteError::Duration { option, source })
}

fn arrangements() -> impl TypedValueParser<Value = Arrangement> {
    one_of(Arrangement::ALL, Arrangement::word, |order| {
        Some(match order {
            Arrangement::Alone => "Each benchmark has a process of its own",
            Arrangement::Together => "All benchmarks share a process, in the program's own order",
            Arrangement::Reversed => "All benchmarks share a process, in reverse order",
            Arrangement::Shuffled => {
                "All benchmarks share a process, in a new random order each round"
            }
            Arrangement::Divided => {
                "Two processes share the benchmarks, by halves drawn anew each round"
            }
        })
    })
}

/// The parser of a harness: a word of brisk's own, or one that the project's file is to describe.
#[derive(Debug, Clone, Copy)]
struct HarnessParser;

impl TypedValueParser for HarnessParser {
    type Value = HarnessOption;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<HarnessOption, clap::Error> {
        let word = StringValueParser::new().parse_ref(command, argument, value)?;
        let known = HarnessOption::all().find(|option| option.word() == word);
        Ok(known.unwrap_or_else(|| HarnessOption::OfProject(String::leak(word))))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let about = |option| match option {
            HarnessOption::Named(harness) => harness.about.as_str(),
            _ => "Recognise the harness from the program's file, or the command",
        };
        let value =
            move |option: HarnessOption| PossibleValue::new(option.word()).help(about(option));
        Some(Box::new(HarnessOption::all().map(value)))
    }
}

/// The options that say that what commits make is a suite, and how it is run.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Benchmarks inside the program")]
pub struct CommitSuiteOptions {
    /// The harness of the benchmarks inside the program; each benchmark gets a history of its own
    #[arg(long, value_parser = HarnessParser, value_name = "HARNESS")]
    pub harness: Option<HarnessOption>,

    /// Run only benchmarks with TEXT in their names
    ///
    /// May be given several times.
    #[arg(long, value_name = "TEXT")]
    pub filter: Vec<String>,

    /// Run only the benchmarks whose whole name is given with `--filter`
    #[arg(long)]
    pub exact: bool,

    /// Which benchmarks share a process, and in which order; by default none do
    #[arg(long, value_parser = arrangements(), value_name = "ORDER")]
    pub order: Option<Arrangement>,

    /// How long to measure a benchmark in one process, if the harness lets brisk choose; 100 ms by
    /// default
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub time_per_run: Option<String>,

    /// The former names of benchmarks, from brisk.toml.
    #[arg(skip)]
    pub renames: Renames,
}

impl CommitSuiteOptions {
    /// The first given option that applies only to a suite.
    pub fn said(&self) -> Option<&'static str> {
        let all = [
            ("--filter", !self.filter.is_empty()),
            ("--exact", self.exact),
            ("--order", self.order.is_some()),
            ("--time-per-run", self.time_per_run.is_some()),
        ];
        all.into_iter().find(|(_, is_said)| *is_said).map(|(option, _)| option)
    }

    /// The suite. None if the artefact is a command.
    pub fn suite(&self) -> Result<Option<CommitSuite>, SuiteError> {
        let Some(harness) = self.harness else { return Ok(None) };
        let seconds_per_run = seconds_per_run(self.time_per_run.as_deref(), SECONDS_PER_RUN)?;
        let order = self.order.unwrap_or(Arrangement::Alone);
        let filter = Filter { texts: self.filter.clone(), exact: self.exact };
        let renames = self.renames.clone();
        Ok(Some(CommitSuite { harness, order, seconds_per_run, filter, renames }))
    }
}

/// The options that name a baseline.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What is compared")]
pub struct BaselineOptions {
    /// Compare with results that the harness saved
    ///
    /// A file from criterion (`--json`), tasty-bench, Google Benchmark or Go, or criterion.rs's folder
    /// `target/criterion`.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// The name of the baseline in criterion.rs's folder
    #[arg(long, value_name = "NAME", default_value = "base", requires = "baseline")]
    pub baseline_name: String,
}

impl BaselineOptions {
    /// Attaches the baseline, if one is named, to the variants whose benchmarks it has.
    pub fn put_on(
        &self,
        programs: &[SuiteProgram],
        filter: &Filter,
        experiment: &mut Experiment,
    ) -> Result<(), BaselineError> {
        let Some(path) = self.baseline.clone() else { return Ok(()) };
        Baseline { path, name: self.baseline_name.clone() }.put_on(programs, filter, experiment)
    }
}

/// The metrics named by the user. None if brisk chooses.
pub fn parse_metrics(metrics: Option<&str>) -> Result<Option<Vec<MetricId>>, Failure> {
    let named = metrics.map(|text| metric::parse_list(text, &[])).transpose();
    named.map_err(Failure::from)
}

/// Refuses metrics that `verb` does not read if benchmarks run in this arrangement.
pub fn check_metrics(
    named: Option<&[MetricId]>,
    order: Arrangement,
    verb: &str,
) -> Result<(), Failure> {
    if let Some(id) = named.into_iter().flatten().find(|id| id.quantile().is_some()) {
        return Err(refused_quantile(id, "the processes of a harness"));
    }
    let shares = order != Arrangement::Alone;
    let is_unread = |id: &&MetricId| {
        let metric = metric::find(id);
        let is_of_harness = metric.as_ref().is_some_and(Metric::is_of_harness);
        let is_of_runtime = metric.as_ref().is_some_and(Metric::is_of_runtime);
        !is_of_harness && (is_of_runtime || shares)
    };
    match named.into_iter().flatten().find(is_unread) {
        Some(id) if shares => {
            let hint = "`--order alone` gives each benchmark a process of its own";
            let error = format!("`{id}` is read from a process, and many benchmarks share one");
            Err(Failure::new(error).hint(Some(hint)))
        }
        Some(id) => Err(Failure::new(format!("`{verb}` does not read `{id}`"))
            .hint(Some("what one iteration allocates is `allocated_per_iteration`"))),
        None => Ok(()),
    }
}

/// The metrics to show and judge: the time per iteration, and either the named metrics, or the
/// allocations if every harness counts them.
pub fn judged_metrics<'a>(
    named: Option<&[MetricId]>,
    programs: impl IntoIterator<Item = &'a SuiteProgram>,
) -> Vec<MetricId> {
    let mut metrics = vec![TIME_PER_ITERATION];
    match named {
        Some(named) => {
            metrics.extend(named.iter().filter(|id| **id != TIME_PER_ITERATION).cloned());
        }
        None if programs.into_iter().all(|program| program.harness.counts_allocations) => {
            metrics.push(ALLOCATED_PER_ITERATION);
        }
        None => {}
    }
    metrics
}

/// The refusal to compare a quantile over something other than the runs of two programs.
pub fn refused_quantile(quantile: &MetricId, over: &str) -> Failure {
    Failure::new(format!("`{quantile}` cannot be compared over {over}"))
        .because("its interval is that of the runs of one program in one experiment")
        .hint(Some(format!("name `{}` instead", quantile.reading())))
}
