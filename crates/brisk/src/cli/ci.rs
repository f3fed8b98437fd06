//! `brisk ci`: is a change slower than what it is based on? For a CI service, or a shell.
//!
//! It finds the two commits, from the arguments, the service or the repository; lets `brisk check`
//! and `brisk history` measure them in one job; and writes their reports and a comment where people
//! and other programs look for them. It does not change their output or exit status.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use findings::{Asked, short};
use model::failure::Failure;
use model::spec::place::listed;
use model::spec::project::{Benchmark, FILE_NAME, ProjectFile};
use model::spec::writable;
use page::{Block, Code, Line, Page, Span, line, markdown};
use prepare::{Commit, CutOff, Depth, REPORTS, Repository, commit, written};
use serde_json::Value;

use super::output::{Output, note, unwritable};
use super::{Done, ExitCode, Verb, history};

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
    let event = event_file(&variable).map(|path| read_event(&path)).transpose()?;
    let service = service(&variable, &event.unwrap_or_default());
    let repository = Repository::open(folder)?;
    let change = Change::find(arguments, &service, &repository)?;
    let calls = calls(arguments, &file, &change)?;
    let verbs = calls.iter().map(Call::verb).collect::<Result<Vec<Verb>, Failure>>()?;
    let told = arguments.output.join("comment.md");
    create_folder(&arguments.output)
        .and_then(|()| writable::check(&told))
        .map_err(|error| unwritable(&told, &error))?;
    output.page(&compared(&change))?;
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
    let text = comment(&change, &reports, code.as_ref().err());
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
        // On another machine, programs with some of the hunks could not be built and counted here.
        let is_here = !arguments.options.iter().any(|word| word.starts_with("--on"));
        let explained: &[&str] = if is_here { &["--explain"] } else { &[] };
        let what = [&["check", "--affected"], &ends[..], expected, explained].concat();
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

/// Both ends of a change.
#[derive(Debug, Clone)]
struct Change {
    /// The newest common commit of the change and its target branch.
    pub base: Commit,
    /// The newest commit of the change.
    pub head: Commit,
    /// The source of the base: a branch, or a revision.
    pub from: String,
}

/// The usual target branches of changes.
const USUAL: [&str; 2] = ["main", "master"];

impl Change {
    /// Finds both ends: from the arguments, else from the service, else from the repository.
    fn find(
        arguments: &CiArguments,
        service: &Service,
        repository: &Repository,
    ) -> Result<Self, Failure> {
        let typed_or_said = arguments.head.as_deref().or(service.head.as_deref());
        let head = known(repository, typed_or_said.unwrap_or("HEAD"))?;
        // The service's base belongs to its own change, not to another one.
        let said = service.base.as_deref().filter(|_| arguments.head.is_none());
        if let Some(revision) = arguments.base.as_deref().or(said) {
            let branch = known(repository, revision)?;
            let base = merge_base(repository, &branch, &head)?.ok_or_else(|| {
                Failure::new(format!("the change and `{revision}` have no commit in common"))
                    .hint(Some(cut_off(repository)))
            })?;
            return Ok(Self { base, head, from: revision.to_owned() });
        }
        let branches = Branches::read(service, repository, &head)?;
        for branch in branches.targets() {
            if let Some(base) = base_on(repository, &branch, &head)? {
                return Ok(Self { base, head, from: branch });
            }
        }
        Self::of_the_others(repository, &branches, head)
    }

    /// The common base of all other branches that do not contain the change yet.
    fn of_the_others(
        repository: &Repository,
        branches: &Branches,
        head: Commit,
    ) -> Result<Self, Failure> {
        let mut bases: Vec<(&str, Commit)> = Vec::new();
        for branch in branches.others() {
            if let Some(base) = base_on(repository, branch, &head)? {
                bases.push((branch, base));
            }
        }
        let is_agreed = bases.iter().all(|(_, base)| base.hash == bases[0].1.hash);
        if let (Some((branch, base)), true) = (bases.first(), is_agreed) {
            return Ok(Self { base: base.clone(), from: (*branch).to_owned(), head });
        }
        let failure = Failure::new("the base of the change is not known");
        if let Some(cut_off) = repository.cut_off(&head.hash) {
            return Err(failure.because(cut_off.to_string()).hint(Some(CutOff::HINT)));
        }
        let names = bases.iter().map(|(branch, _)| short_name(branch));
        Err(match bases.is_empty() {
            true => failure.because("no other branch lacks the change").hint(Some(
                "name its base: `--base REVISION`; `--base HEAD^` is the commit before the newest",
            )),
            false => failure
                .because(format!("it may be meant for any of {}", listed(names)))
                .hint(Some("name the branch that it is meant for: `--base BRANCH`")),
        })
    }
}

/// The full names of a repository's branches, so that tags are not mistaken for branches.
#[derive(Debug)]
struct Branches {
    /// All branches, those of remotes first.
    all: Vec<String>,
    /// The names of the change's own branches, without the remote.
    own: Vec<String>,
    /// The remotes, `origin` first.
    remotes: Vec<String>,
    /// The default branches of the remotes.
    defaults: Vec<String>,
    /// The names of likely target branches, the most certain first.
    usual: Vec<String>,
}

impl Branches {
    fn read(service: &Service, repository: &Repository, head: &Commit) -> Result<Self, Failure> {
        let lines = |arguments: &[&str]| -> Result<Vec<String>, Failure> {
            Ok(ask(repository, arguments)?.lines().map(str::to_owned).collect())
        };
        let of = |option: &str| {
            lines(&["for-each-ref", "--format=%(refname)", option, "refs/remotes", "refs/heads"])
        };
        let mut remotes = lines(&["remote"])?;
        remotes.sort_by_key(|remote| remote != "origin");
        let mut defaults = Vec::new();
        for remote in &remotes {
            defaults.extend(lines(&["symbolic-ref", &format!("refs/remotes/{remote}/HEAD")])?);
        }
        let points_at = format!("--points-at={}", head.hash);
        let own = of(&points_at)?;
        let own = own.iter().map(|branch| bare_name(branch, &remotes).to_owned()).collect();
        let configured = lines(&["config", "--get", "init.defaultBranch"])?;
        let usual = service.target.iter().cloned().chain(configured);
        let usual = usual.chain(USUAL.map(str::to_owned)).collect();
        Ok(Self { all: of("--sort=-refname")?, own, remotes, defaults, usual })
    }

    /// The likely target branches of the change, according to the service, the remotes and git's
    /// configuration.
    fn targets(&self) -> Vec<String> {
        let (said, configured) = self.usual.split_at(self.usual.len() - USUAL.len());
        let everywhere = |name: &String| {
            let remotes = self.remotes.iter();
            let of_remotes = remotes.map(move |remote| format!("refs/remotes/{remote}/{name}"));
            of_remotes.chain([format!("refs/heads/{name}")]).collect::<Vec<_>>()
        };
        // A clone of a repository in which the change was checked out takes the change for the
        // default.
        let is_trusted = |branch: &&String| !self.is_own(branch) || self.is_usual(branch);
        let defaults = self.defaults.iter().filter(is_trusted).cloned();
        let said = said.iter().flat_map(everywhere);
        said.chain(defaults).chain(configured.iter().flat_map(everywhere)).collect()
    }

    /// The possible target branches if nothing names one. Empty if the change itself is on a target
    /// branch.
    fn others(&self) -> impl Iterator<Item = &str> {
        let is_target = self.own.iter().any(|name| self.usual.contains(name));
        let others = self.all.iter().filter(move |branch| !is_target && !self.is_own(branch));
        others.map(String::as_str).filter(|branch| !branch.ends_with("/HEAD"))
    }

    fn is_own(&self, branch: &str) -> bool {
        self.own.iter().any(|name| name == bare_name(branch, &self.remotes))
    }

    fn is_usual(&self, branch: &str) -> bool {
        self.usual.iter().any(|name| name == bare_name(branch, &self.remotes))
    }
}

/// The branch name without its remote: `main` for `refs/remotes/origin/main`.
fn bare_name<'a>(branch: &'a str, remotes: &[String]) -> &'a str {
    let name = short_name(branch);
    let mut of_remotes = remotes.iter();
    let bare = of_remotes.find_map(|remote| name.strip_prefix(remote.as_str())?.strip_prefix('/'));
    bare.filter(|_| branch.starts_with("refs/remotes/")).unwrap_or(name)
}

/// The answer of git. Empty if git fails.
fn ask(repository: &Repository, arguments: &[&str]) -> Result<String, Failure> {
    let answer = repository.try_ask(arguments.iter().copied())?;
    Ok(String::from_utf8_lossy(&answer.unwrap_or_default()).into_owned())
}

/// The base of the change relative to this branch. None if the branch does not exist or already
/// contains the change.
fn base_on(
    repository: &Repository,
    branch: &str,
    head: &Commit,
) -> Result<Option<Commit>, Failure> {
    let Some(tip) = commit(repository, branch)?.filter(|tip| tip.hash != head.hash) else {
        return Ok(None);
    };
    let base = merge_base(repository, &tip, head)?;
    Ok(base.filter(|base| base.hash != head.hash))
}

/// `origin/main` for `refs/remotes/origin/main`.
fn short_name(branch: &str) -> &str {
    let name = branch.strip_prefix("refs/remotes/").or(branch.strip_prefix("refs/heads/"));
    name.unwrap_or(branch)
}

fn known(repository: &Repository, revision: &str) -> Result<Commit, Failure> {
    commit(repository, revision)?.ok_or_else(|| {
        Failure::new(format!("unknown revision `{revision}`")).hint(Some(cut_off(repository)))
    })
}

/// The newest common commit. None if there is none.
fn merge_base(
    repository: &Repository,
    branch: &Commit,
    head: &Commit,
) -> Result<Option<Commit>, Failure> {
    let hash = ask(repository, &["merge-base", &branch.hash, &head.hash])?;
    let hash = Some(hash.trim()).filter(|hash| !hash.is_empty());
    hash.map(|hash| known(repository, hash)).transpose()
}

/// A hint for a commit that is missing here, but may exist elsewhere.
fn cut_off(repository: &Repository) -> &'static str {
    match repository.depth() {
        Depth::Shallow => CutOff::HINT,
        Depth::Complete => "name a commit of this repository with `--base REVISION`",
    }
}

/// The variables with the target branch on other services: Jenkins, Azure, Bitbucket, Buildkite,
/// Woodpecker and Drone.
const TARGETS: [&str; 6] = [
    "CHANGE_TARGET",
    "SYSTEM_PULLREQUEST_TARGETBRANCHNAME",
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "CI_COMMIT_TARGET_BRANCH",
    "DRONE_TARGET_BRANCH",
];

/// The CI service's view of the change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Service {
    /// The commit that the change is based on, or one of its target branch.
    pub base: Option<String>,
    /// The target branch of changes, if the service names it.
    pub target: Option<String>,
    /// The newest commit of the change. None if it is the checked-out commit.
    pub head: Option<String>,
    /// The file to which a summary for people is appended.
    pub summary: Option<PathBuf>,
}

/// The path of the event file, which only GitHub writes.
fn event_file(variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    is_github(variable).then(|| variable("GITHUB_EVENT_PATH").map(PathBuf::from)).flatten()
}

/// Reads the service's variables; `event` is the content of its [`event_file`].
fn service(variable: &dyn Fn(&str) -> Option<String>, event: &Value) -> Service {
    if is_github(variable) {
        let summary = variable("GITHUB_STEP_SUMMARY").map(PathBuf::from);
        return Service { summary, ..of_github(event) };
    }
    if variable("GITLAB_CI").is_some() {
        return of_gitlab(variable);
    }
    Service { target: TARGETS.iter().find_map(|name| variable(name)), ..Service::default() }
}

fn is_github(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    variable("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// A pull request is checked out as its merge into the target branch, but the question is what the
/// change itself does.
fn of_github(event: &Value) -> Service {
    let at = |pointer: &str| commit_name(event.pointer(pointer).and_then(Value::as_str));
    let of = |base: &str, head: &str| at(base).map(|base| (Some(base), at(head)));
    let target = event.pointer("/repository/default_branch").and_then(Value::as_str);
    let (base, head) = of("/pull_request/base/sha", "/pull_request/head/sha")
        .or_else(|| of("/merge_group/base_sha", "/merge_group/head_sha"))
        .or_else(|| of("/before", "/after"))
        .unwrap_or_default();
    Service { base, head, target: target.map(str::to_owned), summary: None }
}

fn of_gitlab(variable: &dyn Fn(&str) -> Option<String>) -> Service {
    let at = |name: &str| commit_name(variable(name).as_deref());
    Service {
        base: at("CI_MERGE_REQUEST_DIFF_BASE_SHA").or_else(|| at("CI_COMMIT_BEFORE_SHA")),
        target: variable("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
            .or_else(|| variable("CI_DEFAULT_BRANCH")),
        // The change's own commit, if the pipeline runs on its merge.
        head: at("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA").or_else(|| at("CI_COMMIT_SHA")),
        summary: None,
    }
}

/// The name of a commit. None if the service writes zeros, which mean that there is no commit.
fn commit_name(name: Option<&str>) -> Option<String> {
    let name = name.filter(|name| name.chars().any(|digit| digit != '0'))?;
    Some(name.to_owned())
}

/// A hidden line by which a later run finds the comment to replace.
const MARKER: &str = "<!-- brisk: performance -->";

/// The maximum length of a comment. GitHub's limit is 65,536 characters.
const MOST_BYTES: usize = 60_000;

/// The comment: a heading, the reports, and the compared commits.
fn comment(change: &Change, reports: &[String], failure: Option<&Failure>) -> String {
    let mut text = format!("{MARKER}\n## Performance\n\n");
    for report in reports {
        if text.len() + report.len() > MOST_BYTES {
            text.push_str(
                "The rest is too long for a comment; it is in the page of the report.\n\n",
            );
            break;
        }
        text.push_str(report.trim_end());
        text.push_str("\n\n");
    }
    if let Some(failure) = failure {
        text.push_str(&markdown::render(&trouble(failure)));
        text.push('\n');
    }
    text.push_str(&markdown::render(&compared(change)));
    text
}

/// The compared commits: the first line of the output, and the last of the comment.
fn compared(Change { base, head, from }: &Change) -> Page {
    let named = |commit: &prepare::Commit| {
        let hash = Span::commit(short(&commit.hash), commit.hash.clone());
        line![hash, " (", Span::foreign(commit.subject.clone()), ")"]
    };
    let from = line![", which it shares with ", Span::code(short_name(from))];
    let sentence = match base.hash == head.hash {
        true => line!["the change ", named(head), " is its own base", from, ": it changes nothing"],
        false => line!["the change ", named(head), " against its base ", named(base), from],
    };
    Page { blocks: vec![Block::Sentence(sentence)] }
}

fn trouble(failure: &Failure) -> Page {
    let told = failure.to_string();
    let text = told.trim_end().to_owned();
    let answer = Line::from("It could not be measured.").toned(page::Tone::Bad);
    Page { blocks: vec![Block::Answer(answer), Block::Code(Code { text, ..Code::default() })] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(variables: &[(&str, &str)], event: &Value) -> Service {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        service(&variable, event)
    }

    fn read(variables: &[(&str, &str)], event: &Value) -> (Option<String>, Option<String>) {
        let Service { base, head, .. } = said(variables, event);
        (base, head)
    }

    fn target(variables: &[(&str, &str)], event: &Value) -> Option<String> {
        said(variables, event).target
    }

    fn both(base: &str, head: &str) -> (Option<String>, Option<String>) {
        (Some(base.to_owned()), Some(head.to_owned()))
    }

    const GITHUB: &[(&str, &str)] = &[("GITHUB_ACTIONS", "true")];

    #[test]
    fn a_pull_request_is_compared_with_what_it_is_based_on() {
        let event = json!({
            "pull_request": {"base": {"sha": "b1", "ref": "main"}, "head": {"sha": "h1"}},
            "before": "p1", "after": "p2",
        });
        assert_eq!(read(GITHUB, &event), both("b1", "h1"));
        assert_eq!(read(&[], &event), (None, None), "somebody's shell");
    }

    #[test]
    fn a_push_is_compared_with_what_was_there_before() {
        let event = json!({"before": "p1", "after": "p2", "ref": "refs/heads/main"});
        assert_eq!(read(GITHUB, &event), both("p1", "p2"));
        let zeros = "0".repeat(40);
        let new = json!({"before": zeros, "after": "p2"});
        assert_eq!(read(GITHUB, &new), (None, None), "a new branch");
        assert_eq!(
            read(GITHUB, &json!({"merge_group": {"base_sha": "b", "head_sha": "h"}})),
            both("b", "h")
        );
        assert_eq!(read(GITHUB, &Value::Null), (None, None), "a manual start");
    }

    #[test]
    fn a_merge_request_of_gitlab_names_its_base() {
        let zeros = "0".repeat(40);
        let of_request = [
            ("GITLAB_CI", "true"),
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "b1"),
            ("CI_COMMIT_BEFORE_SHA", &zeros),
            ("CI_COMMIT_SHA", "merged"),
            ("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "h1"),
        ];
        assert_eq!(read(&of_request, &Value::Null), both("b1", "h1"));
        let of_branch = [
            ("GITLAB_CI", "true"),
            ("CI_COMMIT_BEFORE_SHA", &zeros),
            ("CI_COMMIT_SHA", "h1"),
            ("CI_DEFAULT_BRANCH", "trunk"),
        ];
        assert_eq!(read(&of_branch, &Value::Null), (None, Some("h1".to_owned())));
        assert_eq!(target(&of_branch, &Value::Null).as_deref(), Some("trunk"));
    }

    #[test]
    fn services_name_the_branch_that_a_change_is_meant_for() {
        let event = json!({"before": "0".repeat(40), "repository": {"default_branch": "trunk"}});
        assert_eq!(target(GITHUB, &event).as_deref(), Some("trunk"));
        let jenkins = [("CHANGE_TARGET", "develop")];
        assert_eq!(target(&jenkins, &Value::Null).as_deref(), Some("develop"));
        assert_eq!(target(&[], &event), None, "somebody's shell");
    }

    #[test]
    fn the_summary_and_the_event_are_where_github_says() {
        let variable = |name: &str| {
            Some(if name == "GITHUB_ACTIONS" { "true".into() } else { format!("/{name}") })
        };
        assert_eq!(event_file(&variable), Some("/GITHUB_EVENT_PATH".into()));
        assert_eq!(service(&variable, &Value::Null).summary, Some("/GITHUB_STEP_SUMMARY".into()));
        assert_eq!(event_file(&|_| None), None);
    }

    fn change(subject: &str) -> Change {
        let commit = |hash: &str| Commit {
            hash: hash.repeat(40),
            parents: Vec::new(),
            tree: String::new(),
            subject: subject.to_owned(),
            author_unix_seconds: 0,
            author: String::new(),
        };
        Change { base: commit("b"), head: commit("a"), from: "refs/heads/main".to_owned() }
    }

    #[test]
    fn it_says_what_was_compared_and_hides_nothing_in_subjects() {
        let text = comment(&change("Sort <img src=x> faster"), &["all hold\n".to_owned()], None);
        assert!(
            text.starts_with("<!-- brisk: performance -->\n## Performance\n\nall hold\n\n"),
            "{text}"
        );
        assert!(text.contains("aaaaaaa") && text.contains("bbbbbbb"), "{text}");
        assert!(text.contains(r"(Sort \<img src=x> faster)"), "{text}");
    }

    #[test]
    fn a_failure_is_told_in_place_of_what_is_missing() {
        let failure = Failure::new("cannot build `abc`").because("cc: error");
        let text = comment(&change("Sort"), &[], Some(&failure));
        assert!(text.contains("could not be measured"), "{text}");
        assert!(text.contains("error: cannot build `abc`") && text.contains("cc: error"), "{text}");
    }

    #[test]
    fn it_is_never_too_long_for_a_comment() {
        let reports = ["x".repeat(40_000), "y".repeat(40_000)];
        let text = comment(&change("Sort"), &reports, None);
        assert!(text.len() < 65_000 && text.contains("too long for a comment"), "{}", text.len());
    }
}
