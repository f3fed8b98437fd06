//! `brisk ci`: is a change slower than what it is based on? For a CI service, or a shell.
//!
//! It finds the two commits, lets `brisk check` and `brisk history` measure them in one job, and
//! writes their reports where people and other programs look for them. It does not change their
//! output or exit status.

mod change;
mod comment;
mod service;

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;

use super::exit::ExitCode;
use super::output::unwritable;
use super::output::{Output, note};
use super::{Done, Verb, history};
use change::Change;
use findings::Asked;
use model::failure::Failure;
use model::spec::project::{Benchmark, FILE_NAME, ProjectFile};
use model::spec::writable;
use prepare::written;
use prepare::{REPORTS, Repository};

/// Arguments of `brisk ci`.
#[derive(Debug, Args)]
#[command(
    after_help = "Without expectations in brisk.toml, every command in it is expected to take at \
    most 2 % more wall time than before the change.

Example: brisk ci --base main -- --budget 2m"
)]
pub(super) struct CiArguments {
    /// The branch that the change is meant for; by default what the CI service, the remote or git's
    /// configuration says, or the only other branch
    ///
    /// A commit will do, too. The change is compared with the newest commit that both have.
    #[arg(long, value_name = "REVISION")]
    base: Option<String>,

    /// The newest commit of the change; by default what the CI service says, or `HEAD`
    #[arg(long, value_name = "REVISION")]
    head: Option<String>,

    /// The folder of the project and its brisk.toml; the current one by default
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,

    /// The folder for `comment.md`, `report.html` and `expectations.xml` (JUnit)
    #[arg(short, long, value_name = "DIR", default_value = REPORTS)]
    output: PathBuf,

    /// Options for `brisk check`, and for `brisk history` of programs with benchmarks inside
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

/// A call of another verb, and the paths of its reports, the one for the comment first.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Call {
    words: Vec<String>,
    reports: Vec<PathBuf>,
}

/// Finds the change, measures it, and writes the reports.
pub(super) fn run(arguments: &CiArguments, output: &Output) -> Done {
    let folder = arguments.project.as_deref().unwrap_or(Path::new("."));
    let file = configuration::settings::read(folder)?.ok_or_else(|| {
        Failure::new(format!("there is no `{FILE_NAME}` in `{}`", folder.display()))
            .because("it says how to build the project and what to measure")
            .hint(Some("`brisk init` writes one"))
    })?;
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let event = service::event_file(&variable).map(|path| read_event(&path)).transpose()?;
    let service = service::service(&variable, &event.unwrap_or_default());
    let repository = Repository::open(folder)?;
    let change = Change::find(arguments, &service, &repository)?;
    let calls = calls(arguments, &file, &change)?;
    let verbs = calls.iter().map(Call::verb).collect::<Result<Vec<Verb>, Failure>>()?;
    let told = arguments.output.join("comment.md");
    create_folder(&arguments.output)
        .and_then(|()| writable::check(&told))
        .map_err(|error| unwritable(&told, &error))?;
    output.page(&comment::compared(&change))?;
    let (mut reports, mut code) = (Vec::new(), Ok(ExitCode::Fine));
    for (call, verb) in calls.iter().zip(&verbs) {
        // Reports of an earlier call must not be mistaken for new ones.
        call.reports.iter().for_each(|path| drop(std::fs::remove_file(path)));
        let done = match verb {
            // It must cover both ends, and every benchmark of the base.
            Verb::History(request) => history::run(request, Asked::Both, output),
            verb => verb.run(output),
        };
        let report = std::fs::read_to_string(&call.reports[0]).ok();
        let goes_on = done.is_ok() || report.is_some();
        reports.extend(report);
        code = worse(code, done, output);
        if !goes_on {
            break;
        }
    }
    let text = comment::comment(&change, &reports, code.as_ref().err());
    written::write_text(&told, &text).map_err(|error| unwritable(&told, &error))?;
    if let Some(summary) = &service.summary {
        append(summary, &text)?;
    }
    if code.is_ok() || !reports.is_empty() {
        note(&format!("the reports are in `{}`", arguments.output.display()));
    }
    code
}

/// Creates the folder for reports. A new one is ignored by git: reports do not belong to the
/// project.
fn create_folder(folder: &Path) -> std::io::Result<()> {
    if folder.exists() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(".gitignore"), "*\n")
}

fn read_event(path: &Path) -> Result<Value, Failure> {
    let cannot = |error: &dyn std::error::Error| {
        Failure::new(format!("cannot read the event in `{}`", path.display())).caused_by(error)
    };
    let text = std::fs::read(path).map_err(|error| cannot(&error))?;
    serde_json::from_slice(&text).map_err(|error| cannot(&error))
}

/// The calls: expectations and commands are checked; a program with benchmarks inside, but without
/// expectations in the file, gets a history.
fn calls(
    arguments: &CiArguments,
    file: &ProjectFile,
    change: &Change,
) -> Result<Vec<Call>, Failure> {
    let is_expected = |name: &str| {
        let subjects = file.expectations.iter().flat_map(|one| &one.that.figures);
        let mut names = subjects.map(|(figure, _)| figure.subject.name.as_str());
        names.any(|known| known.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')))
    };
    let (commands, suites): (Vec<_>, Vec<_>) =
        file.benchmarks.iter().partition(|benchmark| benchmark.harness.is_none());
    let mut calls = Vec::new();
    if !file.expectations.is_empty() || !commands.is_empty() {
        let is_asked = arguments.options.iter().any(|word| word.starts_with("--no-slower"));
        let is_implied = file.expectations.is_empty() && !is_asked;
        let expected: &[&str] = if is_implied { &["--no-slower"] } else { &[] };
        let ends = ["--at", &change.head.hash, "--baseline", &change.base.hash];
        let what = [&["check"], &ends[..], expected].concat();
        calls.push(call(
            arguments,
            file,
            &what,
            "report",
            &[("--export-junit", "expectations.xml")],
        ));
    }
    let range = format!("{}^..{}", change.base.hash, change.head.hash);
    let changed = change.base.hash != change.head.hash;
    let followed = suites.iter().filter(|suite| changed && !is_expected(&suite.name));
    for (number, suite) in (1..).zip(followed) {
        let what = ["history", &range, "--benchmark", &suite.name];
        calls.push(call(arguments, file, &what, &format!("history-{number}"), &[]));
    }
    if calls.is_empty() && suites.is_empty() {
        return Err(Failure::new(format!("`{FILE_NAME}` says nothing to measure"))
            .hint(Some("write for example: [[benchmark]] name = \"sort\" command = \"./sort\"")));
    }
    Ok(calls)
}

/// A call with report files of this name, and others under their own names.
fn call(
    arguments: &CiArguments,
    file: &ProjectFile,
    what: &[&str],
    name: &str,
    others: &[(&str, &str)],
) -> Call {
    let path = |name: &str| arguments.output.join(name);
    let (markdown, html) = (path(&format!("{name}.md")), format!("{name}.html"));
    let mut reports = vec![markdown.clone()];
    let in_words = |path: &Path| path.to_string_lossy().into_owned();
    let mut words: Vec<String> = what.iter().map(|word| (*word).to_owned()).collect();
    if let Some(project) = &arguments.project {
        words.extend(["--project".to_owned(), in_words(project)]);
    }
    words.extend(["--export-markdown".to_owned(), in_words(&markdown)]);
    for (option, name) in others.iter().copied().chain([("--export-html", html.as_str())]) {
        words.extend([option.to_owned(), in_words(&path(name))]);
        reports.push(path(name));
    }
    words.extend(arguments.options.iter().cloned());
    if !says_how_long(&words, file) {
        words.extend(["--budget", BUDGET].map(str::to_owned));
    }
    Call { words, reports }
}

impl Call {
    /// The verb.
    fn verb(&self) -> Result<Verb, Failure> {
        super::verb(&self.words)
    }
}

/// The default budget: a shared machine is noisy, and finding a slower change is worth a minute.
/// Clear results take much less.
const BUDGET: &str = "90s";

/// True if a duration is set, in these words or in the file.
fn says_how_long(words: &[String], file: &ProjectFile) -> bool {
    let says = |word: &String| {
        let option = word.split('=').next().unwrap_or_default();
        ["--budget", "--runs", "-r", "--max-runs", "-M"].contains(&option)
    };
    let is_said = |benchmark: &Benchmark| {
        benchmark.budget.is_some() || benchmark.runs.is_some() || benchmark.max_runs.is_some()
    };
    words.iter().any(says) || file.benchmarks.iter().any(is_said)
}

/// The worse of two results: trouble, a regression, then an inconclusive result. Of two failures,
/// the second is reported here.
fn worse(one: Done, other: Done, output: &Output) -> Done {
    let (one, other) = match (one, other) {
        (Ok(one), Ok(other)) => (one, other),
        (Err(first), Err(second)) => {
            output.failure(&second);
            return Err(first);
        }
        (Err(failure), _) | (_, Err(failure)) => return Err(failure),
    };
    let rank = |code: ExitCode| match code {
        ExitCode::Fine => 0,
        ExitCode::Inconclusive => 1,
        ExitCode::Regressed => 2,
        ExitCode::Trouble | ExitCode::Held | ExitCode::Command(_) => 3,
    };
    Ok(if rank(other) > rank(one) { other } else { one })
}

fn append(path: &Path, text: &str) -> Result<(), Failure> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| unwritable(path, &error))
}
