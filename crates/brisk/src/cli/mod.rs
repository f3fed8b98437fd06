//! The command line: a file for each verb, or for a few that are close, with its arguments, its
//! help and its call; and the exit status of all of them, which is that of `diff`.

mod bench;
mod check;
mod ci;
mod command_apart;
mod compare;
mod display;
mod doctor;
mod explain;
mod export;
mod git_notes;
mod history;
mod hold;
mod import;
mod init;
mod laboratory;
mod list;
pub mod output;
mod report;
mod sweep;
mod task;
mod tour;
mod trying;
mod watching;

use std::ffi::OsString;

use clap::{ArgAction, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use findings::{Asked, Coverage, Document, Unread};
use model::failure::Failure;
use model::spec::writable::STDOUT;
use model::verdict::Verdict;
use output::{ColorOption, Output};
use prepare::layouts;

/// A performance laboratory: is it faster, since when, why, and can I trust it?
#[derive(Debug, Parser)]
#[command(name = "brisk", version, max_term_width = 100)]
#[command(disable_help_flag = true, disable_version_flag = true)]
#[command(help_template = "{about-with-newline}{usage-heading} {usage}\n{all-args}{after-help}")]
#[command(
    after_long_help = "Exit status: 0 nothing regressed, 1 a regression, 2 trouble, 3 inconclusive \
        where a verdict was required, 75 somebody else holds the machine and `--no-wait` is given."
)]
pub struct Arguments {
    /// When to use colours
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        value_name = "WHEN",
        hide_short_help = true
    )]
    color: ColorOption,

    /// Show all readings in reports, and notes that always apply to this machine
    #[arg(short, long, global = true, hide_short_help = true)]
    verbose: bool,

    /// Print the answer as one line of JSON: its figures, what the exit status means, and what to do
    /// next
    #[arg(long, global = true, hide_short_help = true)]
    json: bool,

    /// Print help (see less with '-h')
    #[arg(short, long, global = true, hide_short_help = true, action = ArgAction::Help)]
    help: Option<bool>,

    /// Print the version
    #[arg(short = 'V', long, hide_short_help = true, action = ArgAction::Version)]
    version: Option<bool>,

    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Start here: compare two commands, and learn to read the answer
    Tour(tour::TourArguments),
    /// Compare commands: is one faster than another?
    Compare(Box<compare::CompareArguments>),
    /// Build and measure every commit of a range: since when?
    History(Box<configuration::HistoryRequest>),
    /// Run the benchmarks inside a program: did any get slower?
    Bench(Box<bench::BenchArguments>),
    /// Run a command with many parameter values: which is best?
    Sweep(Box<configuration::SweepRequest>),
    /// Find what a program spends its time and memory on: why?
    Explain(Box<explain::ExplainArguments>),
    /// Check the expectations in brisk.toml: do they hold?
    Check(Box<configuration::CheckRequest>),
    /// Propose a change in a trial: keep it or not?
    Try(configuration::TryRequest),
    /// Judge a change before it is merged: is it slower?
    Ci(ci::CiArguments),
    /// Examine this machine: can its measurements be trusted?
    Doctor(doctor::DoctorArguments),
    /// Run a command while nobody measures
    Hold(hold::HoldArguments),
    /// List the stored experiments
    List(list::ListArguments),
    /// Show the report of a stored experiment
    Show(list::ShowArguments),
    /// Write stored experiments as a page for a browser
    Report(report::ReportArguments),
    /// Serve the stored experiments as pages for browsers
    Serve(report::ServeArguments),
    /// Write stored experiments to files
    Export(export::ExportArguments),
    /// Write a first brisk.toml for this project
    Init(init::InitArguments),
    /// Import stored experiments, or the results of another tool
    Import(import::ImportArguments),
    /// Print what a coding agent has to know about brisk
    Skill,
    /// Print a completion script for a shell
    Completions(CompletionsArguments),
    /// Keep a processor busy: what the doctor measures
    #[command(hide = true)]
    Spin(doctor::SpinArguments),
    /// Measure what was handed over in a folder: what the jobs of engines run
    #[command(hide = true)]
    Task(task::TaskArguments),
    /// Print the manual page, in roff
    #[command(hide = true)]
    Man,
    /// Print the JSON Schema of what `--export-json` writes
    #[command(hide = true)]
    Schema,
}

/// Verbs with many options, and the ids of those that `-h` shows. `--help` shows all.
const SHORT_HELP: [(&str, &str); 9] = [
    ("compare", "names given at prepare warmup runs budget margin export_json export_html"),
    (
        "history",
        "benchmark bisect explain build artifact runs budget margin export_json \
         export_html",
    ),
    ("bench", "list filter at time_per_run baseline runs budget margin export_json export_html"),
    (
        "sweep",
        "given default_values limits minimize tune runs budget margin export_json \
         export_html",
    ),
    ("explain", "cause all executable prove work at export_json export_markdown export_html"),
    (
        "check",
        "at baseline no_slower accept why runs budget margin require_verdict \
         export_junit export_markdown export_html",
    ),
    ("try", "proposal start status log finish project"),
    ("import", "metrics margin git_notes store export_json export_markdown export_html"),
    (
        "export",
        "all baseline export_record export_json export_csv export_markdown export_html \
         export_svg export_go git_notes",
    ),
];

/// The parser. The `-h` output of each verb fits on one screen.
fn command() -> Command {
    SHORT_HELP.iter().fold(Arguments::command(), |command, (name, shown)| {
        command.mut_subcommand(name, |verb| {
            let example = verb.get_after_help().cloned().unwrap_or_default();
            let long = verb.get_after_long_help().unwrap_or(&example).clone();
            verb.mut_args(|arg| {
                let is_hidden = !shown.split(' ').any(|id| id == arg.get_id());
                arg.hide_short_help(is_hidden)
            })
            .after_help(
                format!("{example}\n`brisk {name} --help` has all options").trim().to_owned(),
            )
            .after_long_help(long)
        })
    })
}

/// Parses the arguments, calls the verb, reports its failure, and returns the exit code.
pub fn run() -> ExitCode {
    if let Some(called) = layouts::called() {
        return ExitCode::Command(called.run());
    }
    let words: Vec<OsString> = std::env::args_os().collect();
    let (arguments, exports_to_stdout) = match matched(words) {
        Ok(parsed) => parsed,
        Err(error) => return output::report_usage(&error),
    };
    let output = Output::new(arguments.color, arguments.verbose).giving_way(exports_to_stdout);
    let output = output.in_one_line(arguments.json);
    let verb = arguments.verb.name();
    if arguments.json && !ANSWERING.contains(&verb) {
        let failure = Failure::new(format!("`brisk {verb}` has no answer for `--json`"));
        let verbs = ANSWERING.join("`, `");
        return output.failure(&failure.hint(Some(format!("it is for `{verbs}`"))));
    }
    // If this fails, large writes behave as in most programs.
    let _ = measure::interrupt::let_large_writes_fail();
    let done = arguments.verb.run(&output);
    let (code, failure) = match done {
        Ok(code) => (code, None),
        Err(failure) => (output.failure(&failure), Some(failure)),
    };
    match output.finish(verb, code.status(), failure.as_ref()) {
        Ok(()) => code,
        Err(failure) => output.failure(&failure),
    }
}

fn parsed(words: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    matched(words).map(|(arguments, _)| arguments)
}

/// The arguments, and whether an export goes to standard output.
fn matched(words: impl IntoIterator<Item = OsString>) -> Result<(Arguments, bool), clap::Error> {
    let mut command = command();
    let words = command_apart::set_apart(&mut command, words.into_iter().collect());
    let matches = command.try_get_matches_from_mut(words)?;
    let exports_to_stdout = matches.subcommand().is_some_and(|(_, verb)| {
        let mut exports = verb.ids().filter(|id| id.as_str().starts_with("export_"));
        let is_stdout = |id| verb.get_raw(id).into_iter().flatten().any(|file| file == STDOUT);
        exports.any(|id| is_stdout(id.as_str()))
    });
    let arguments = Arguments::from_arg_matches(&matches);
    Ok((arguments.map_err(|error| error.format(&mut command))?, exports_to_stdout))
}

/// The verb that these words would call if typed.
fn verb(words: &[String]) -> Result<Verb, Failure> {
    let words = std::iter::once("brisk").chain(words.iter().map(String::as_str));
    let arguments = parsed(words.map(OsString::from)).map_err(|error| {
        let told = error.render().to_string();
        let first = told.split("\n\n").next().unwrap_or_default();
        Failure::new("an option is not understood").because(first.trim_start_matches("error: "))
    })?;
    Ok(arguments.verb)
}

impl Verb {
    /// Its word on the command line.
    fn name(&self) -> &'static str {
        match self {
            Self::Tour(_) => "tour",
            Self::Compare(_) => "compare",
            Self::History(_) => "history",
            Self::Bench(_) => "bench",
            Self::Sweep(_) => "sweep",
            Self::Explain(_) => "explain",
            Self::Check(_) => "check",
            Self::Try(_) => "try",
            Self::Skill => "skill",
            Self::Ci(_) => "ci",
            Self::Doctor(_) => "doctor",
            Self::Hold(_) => "hold",
            Self::List(_) => "list",
            Self::Show(_) => "show",
            Self::Report(_) => "report",
            Self::Serve(_) => "serve",
            Self::Export(_) => "export",
            Self::Init(_) => "init",
            Self::Import(_) => "import",
            Self::Completions(_) => "completions",
            Self::Spin(_) => "spin",
            Self::Task(_) => "task",
            Self::Man => "man",
            Self::Schema => "schema",
        }
    }

    fn run(&self, output: &Output) -> Done {
        match self {
            Self::Tour(verb) => tour::run(verb, output),
            Self::Compare(verb) => compare::run(verb, output),
            Self::History(verb) => history::run(verb, Asked::Newest, output),
            Self::Bench(verb) => bench::run(verb, output),
            Self::Sweep(verb) => sweep::run(verb, output),
            Self::Explain(verb) => explain::run(verb, output),
            Self::Check(verb) => check::run(verb, output),
            Self::Try(verb) => trying::run(verb, output),
            Self::Ci(verb) => ci::run(verb, output),
            Self::Doctor(verb) => doctor::run(verb, output),
            Self::Hold(verb) => hold::run(verb, output),
            Self::List(verb) => list::run(verb, output),
            Self::Show(verb) => list::show(verb, output),
            Self::Report(verb) => report::run(verb, output),
            Self::Serve(verb) => report::serve(verb, output),
            Self::Export(verb) => export::run(verb, output),
            Self::Init(verb) => init::run(verb, output),
            Self::Import(verb) => import::run(verb, output),
            Self::Completions(verb) => completions(verb, output, Arguments::command()),
            Self::Spin(verb) => doctor::spin(verb),
            Self::Task(verb) => task::run(verb),
            Self::Skill => output.bytes(SKILL.as_bytes()).map(|()| ExitCode::Fine),
            Self::Man => man(output, &Arguments::command()),
            Self::Schema => schema(output),
        }
    }
}

/// What a coding agent has to know, as a file with front matter.
const SKILL: &str = include_str!("skill.md");

/// The verbs with an answer for `--json`.
const ANSWERING: [&str; 7] = ["compare", "history", "bench", "sweep", "explain", "check", "try"];

/// The result of every verb.
type Done = Result<ExitCode, Failure>;

/// The outcome of a brisk process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// Done, and nothing regressed.
    Fine,
    /// A regression, or an expectation that does not hold.
    Regressed,
    /// Bad input, a command that failed, an interruption.
    Trouble,
    /// No conclusion, although a verdict was required.
    Inconclusive,
    /// Another process holds the machine, and waiting was not allowed.
    Held,
    /// The exit status of the command that brisk stood in for.
    Command(u8),
}

/// The findings of a report that affect the exit status.
#[derive(Debug, Clone, Default)]
pub(super) struct Findings {
    /// The benchmarks or metrics that were requested but could not be measured.
    pub(super) unmeasured: Option<Failure>,
    /// Something regressed, or an expectation does not hold.
    pub(super) is_regressed: bool,
    pub(super) is_open: bool,
}

impl Findings {
    /// The exit status. Unmeasured requests take precedence over a regression: nobody knows what
    /// else they would have shown.
    pub(super) fn done(self, require_verdict: bool) -> Done {
        match self {
            Self { unmeasured: Some(failure), .. } => Err(failure),
            Self { is_regressed: true, .. } => Ok(ExitCode::Regressed),
            Self { is_open: true, .. } if require_verdict => Ok(ExitCode::Inconclusive),
            _ => Ok(ExitCode::Fine),
        }
    }

    /// The findings of a report of comparisons. If the user named metrics, each of them counts;
    /// otherwise only the answer to "is it faster".
    pub(super) fn from_document(document: &Document) -> Self {
        let named = document.experiment.metrics.as_ref();
        let verdicts: Vec<Verdict> = match named {
            Some(_) => document.comparisons.iter().map(|part| part.verdict).collect(),
            None => document.answers.iter().map(|answer| answer.verdict).collect(),
        };
        Self {
            unmeasured: unmeasured(document, Asked::Both).or_else(|| unread(document)),
            is_regressed: verdicts.contains(&Verdict::Regressed),
            is_open: verdicts.is_empty() || verdicts.contains(&Verdict::Inconclusive),
        }
    }
}

/// The benchmarks that could not be measured, as a failure.
pub(super) fn unmeasured(document: &Document, asked: Asked) -> Option<Failure> {
    let failure = Failure::new(Coverage::from_document(document).trouble(asked)?);
    let stored = document.experiment.id.map(|id| {
        format!("the rest is judged and stored as experiment {id}; `--filter` selects benchmarks")
    });
    Some(failure.hint(stored))
}

/// The metrics named by the user, as a failure if none of them was read for any program.
fn unread(document: &Document) -> Option<Failure> {
    let Unread { metrics, reason } = Unread::from_document(document)?;
    let names: Vec<String> = metrics.iter().map(|id| format!("`{}`", id.name())).collect();
    let failure = Failure::new(format!("could not be measured: {}", names.join(", ")));
    Some(failure.because(reason.to_owned()))
}

impl ExitCode {
    /// The exit status.
    fn status(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Regressed => 1,
            Self::Trouble => 2,
            Self::Inconclusive => 3,
            // EX_TEMPFAIL of sysexits.h: try again later.
            Self::Held => 75,
            Self::Command(code) => code,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.status())
    }
}

/// Arguments of `brisk completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn completions(
    arguments: &CompletionsArguments,
    output: &Output,
    mut command: Command,
) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "brisk", &mut script);
    output.bytes(&script).map(|()| ExitCode::Fine)
}

/// Prints the manual page: brisk itself, then every verb.
pub(super) fn man(output: &Output, command: &Command) -> Done {
    let mut page = Vec::new();
    let cannot =
        |error: std::io::Error| Failure::new("cannot make the manual page").caused_by(&error);
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(cannot)?;
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let named = verb.clone().name(format!("brisk {}", verb.get_name()));
        let verb = clap_mangen::Man::new(named);
        for section in [
            clap_mangen::Man::render_synopsis_section,
            clap_mangen::Man::render_description_section,
            clap_mangen::Man::render_options_section,
        ] {
            section(&verb, &mut page).map_err(cannot)?;
        }
    }
    output.bytes(&page).map(|()| ExitCode::Fine)
}

/// Prints the JSON Schema of the exported documents.
pub(super) fn schema(output: &Output) -> Done {
    let compressed = include_bytes!(concat!(env!("OUT_DIR"), "/schema"));
    let schema = miniz_oxide::inflate::decompress_to_vec_zlib(compressed);
    output.bytes(&schema.expect("build.rs compressed it")).map(|()| ExitCode::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_help_names_only_options_that_exist() {
        let command = Arguments::command();
        for (name, shown) in SHORT_HELP {
            let verb = command.find_subcommand(name).expect("a verb");
            let ids: Vec<&str> = verb.get_arguments().map(|arg| arg.get_id().as_str()).collect();
            let unknown = shown.split(' ').find(|id| !ids.contains(id));
            assert_eq!(unknown, None, "{name}");
        }
    }
}
