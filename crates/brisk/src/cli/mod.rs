//! The command line: a file for each verb, with its arguments, its help and its call.

mod bench;
mod building;
mod check;
mod ci;
mod compare;
mod display;
mod doctor;
mod explain;
mod export;
mod generate;
mod git_notes;
mod history;
mod hold;
mod import;
mod init;
mod inspecting;
mod laboratory;
mod list;
mod merging;
mod progress;
mod report;
mod serve;
mod show;
mod spin;
mod sweep;
mod task;
mod ticking;
mod tour;
mod watching;

pub mod exit;
pub mod output;

use std::ffi::OsString;

use clap::{ArgAction, Command, CommandFactory, FromArgMatches, Parser, Subcommand};

use exit::ExitCode;
use findings::Asked;
use model::failure::Failure;
use model::spec::writable::STDOUT;
use output::{ColorOption, Output};
use prepare::layouts;

/// A performance laboratory: is it faster, since when, why, and can I trust it?
#[derive(Debug, Parser)]
#[command(name = "brisk", version, max_term_width = 100)]
#[command(disable_help_flag = true, disable_version_flag = true)]
#[command(help_template = "{about-with-newline}{usage-heading} {usage}\n\n{all-args}{after-help}")]
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
    /// Judge a change before it is merged: is it slower?
    Ci(ci::CiArguments),
    /// Examine this machine: can its measurements be trusted?
    Doctor(doctor::DoctorArguments),
    /// Run a command while nobody measures
    Hold(hold::HoldArguments),
    /// List the stored experiments
    List(list::ListArguments),
    /// Show the report of a stored experiment
    Show(show::ShowArguments),
    /// Write stored experiments as a page for a browser
    Report(report::ReportArguments),
    /// Serve the stored experiments as pages for browsers
    Serve(serve::ServeArguments),
    /// Write stored experiments to files
    Export(export::ExportArguments),
    /// Write a first brisk.toml for this project
    Init(init::InitArguments),
    /// Import stored experiments, or the results of another tool
    Import(import::ImportArguments),
    /// Print a completion script for a shell
    Completions(generate::CompletionsArguments),
    /// Keep a processor busy: what the doctor measures
    #[command(hide = true)]
    Spin(spin::SpinArguments),
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
const SHORT_HELP: [(&str, &str); 8] = [
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
    // If this fails, large writes behave as in most programs.
    let _ = measure::interrupt::let_large_writes_fail();
    match arguments.verb.run(&output) {
        Ok(code) => code,
        Err(failure) => output.failure(&failure),
    }
}

fn parsed(words: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    matched(words).map(|(arguments, _)| arguments)
}

/// The arguments, and whether an export goes to standard output.
fn matched(words: impl IntoIterator<Item = OsString>) -> Result<(Arguments, bool), clap::Error> {
    let mut command = command();
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
    fn run(&self, output: &Output) -> Done {
        match self {
            Self::Tour(verb) => tour::run(verb, output),
            Self::Compare(verb) => compare::run(verb, output),
            Self::History(verb) => history::run(verb, Asked::Newest, output),
            Self::Bench(verb) => bench::run(verb, output),
            Self::Sweep(verb) => sweep::run(verb, output),
            Self::Explain(verb) => explain::run(verb, output),
            Self::Check(verb) => check::run(verb, output),
            Self::Ci(verb) => ci::run(verb, output),
            Self::Doctor(verb) => doctor::run(verb, output),
            Self::Hold(verb) => hold::run(verb, output),
            Self::List(verb) => list::run(verb, output),
            Self::Show(verb) => show::run(verb, output),
            Self::Report(verb) => report::run(verb, output),
            Self::Serve(verb) => serve::run(verb, output),
            Self::Export(verb) => export::run(verb, output),
            Self::Init(verb) => init::run(verb, output),
            Self::Import(verb) => import::run(verb, output),
            Self::Completions(verb) => generate::completions(verb, output, Arguments::command()),
            Self::Spin(verb) => spin::run(verb),
            Self::Task(verb) => task::run(verb),
            Self::Man => generate::man(output, &Arguments::command()),
            Self::Schema => generate::schema(output),
        }
    }
}

/// The result of every verb.
type Done = Result<ExitCode, Failure>;

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
