//! A check of what `brisk.toml` expects: its expectations, each with the result that was measured.
//!
//! `question` reads the file, `programs` builds the states of the project that are compared, and
//! `measuring` runs them and reads the values that the expectations are about. Failures that somebody
//! wants to live with are accepted, and stored with the project, as its baseline is: a commit, which
//! is measured again alongside the checked state. A stored value would carry the conditions of
//! another day or machine; a ratio within rounds does not.

mod explaining;
mod measuring;
mod programs;
mod question;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use configuration::{CheckRequest, settings};
use findings::{CheckFinding, CheckedExpectation, Course, Document, Finding, Order, SCHEMA};
use judge::acceptance::{self, Acceptance, Signature, Standing, standing};
use judge::expectation::evaluate;
use measure::Launcher;
use model::commission::Kind;
use model::design::stopping::StopReason;
use model::expectation::ExpectationId;
use model::failure::{Failing, Failure};
use model::host::{self, Circumstances};
use model::spec::project::Expected;
use model::spec::writable;
use model::verdict::Margin;
use page::Page;
use prepare::{Commit, written};
use report::expectations::{self, Beside, sentence};
use report::export::{Exports, Format};
use report::html;
use report::json::Visit;
use report::junit::{self, Undecided};
use store::{Filter, Place, Store};

use crate::archive;
use crate::question::Asker;
use crate::watcher::{Event, Watcher};
use explaining::Failed;
use measuring::{MeasuredFigures, Measurement};
use programs::Programs;
use question::{ProjectState, Question};

/// A check that was conducted, and is stored.
pub struct Conducted<'a> {
    question: Question<'a>,
    measurement: Measurement,
    place: Place,
    /// Each expectation with its result, and the reach of the change if it was asked for.
    pub found: CheckFinding,
}

/// Checks everything, builds and measures the programs of the expectations, and decides them.
pub fn conduct<'a>(
    request: &'a CheckRequest,
    asker: &Asker,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Conducted<'a>, Failure> {
    let question = Question::new(request)?;
    let place = request.measuring.store.place()?;
    let CheckRequest { export_junit, export_markdown, export_json, export_html, .. } = request;
    let files = [export_junit, export_markdown, export_json, export_html];
    writable::check_all(files.into_iter().flatten().map(PathBuf::as_path))
        .map_err(|(path, error)| unwritable(path, &error))?;
    let store = archive::open_for_writing(&place)?;
    let baseline = match &request.baseline {
        Some(revision) => ProjectState::Commit(question.known_commit(revision)?),
        None => stored_baseline(&question, &store)?,
    };
    let acceptances = applicable(&question, &store)?;
    drop(store);
    let base = match request.affected {
        true => Some(base_of_change(&baseline)?),
        false => None,
    };
    let mut wanted = question.wanted(baseline)?;
    if let Some(base) = &base {
        wanted = question.with_both_sides(wanted, base);
    }
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;
    let programs = Programs::new(&question, &wanted, base.as_ref(), launcher, watcher)?;
    let mut measurement =
        Measurement::from_programs(&question, asker, &programs, &place, launcher, watcher)?;
    let found = CheckFinding {
        project: question.key.clone(),
        commit: question.head.as_ref().map(|head| head.hash.clone()),
        expectations: checked(&question, &programs, &measurement, &acceptances)?,
        wait_share: measurement.wait_share(),
        reach: programs.reach.clone(),
    };
    if let Some(document) = measurement.commands_mut().filter(|_| request.explain) {
        let failed = Failed::new(&question, &programs, &wanted, &found.expectations);
        failed.add_causes(document, launcher, watcher)?;
    }
    let measurement = measurement.keep(&found, &place)?;
    Ok(Conducted { question, measurement, place, found })
}

/// The commit that a change is based on.
fn base_of_change(baseline: &ProjectState) -> Result<Commit, Failure> {
    let failure = Failure::new("`--affected` needs a baseline")
        .hint(Some("name it with `--baseline REVISION`, or store it with `--save-baseline`"));
    match baseline {
        ProjectState::Commit(commit) => Ok(commit.clone()),
        ProjectState::Missing(why) => Err(failure.because(why.clone())),
        ProjectState::Checked => Err(failure),
    }
}

/// The result of each expectation, from the measurements and acceptances.
fn checked(
    question: &Question<'_>,
    programs: &Programs,
    measurement: &Measurement,
    acceptances: &[Acceptance],
) -> Result<Vec<CheckedExpectation>, Failure> {
    let benchmarks = question.benchmarks(programs.benchmarks());
    let options = settings::stopping(&question.arguments.stopping, &benchmarks);
    let margin: Margin = options.rule(1)?.margin;
    let figures = MeasuredFigures { programs, measurement };
    let one = |expected: &Expected| {
        let id = expected.that.id();
        let evaluation = evaluate(&expected.that.relation, &figures);
        let (standing, acceptance) = match programs.skips(expected) {
            true => (Standing::Skipped, None),
            false => standing(id, &evaluation, acceptances, margin),
        };
        let acceptance = acceptance.cloned();
        let (that, why) = (expected.that.text.clone(), expected.why.clone());
        CheckedExpectation { id, that, why, evaluation, standing, acceptance }
    };
    Ok(question.expectations().iter().map(one).collect())
}

impl Conducted<'_> {
    /// A remark besides the results; usually empty.
    pub fn remarks(&self) -> String {
        self.question.remarks()
    }

    /// The page of the check.
    pub fn page(&self) -> Page {
        let CheckFinding { expectations, reach, wait_share, .. } = &self.found;
        let mut documents = self.measurement.documents();
        let causes = documents.find_map(|(_, document)| {
            Some(document.causes.as_slice()).filter(|causes| !causes.is_empty())
        });
        let causes = causes.unwrap_or_default();
        let beside = Beside { reach: reach.as_ref(), causes, wait_share: *wait_share };
        expectations::page(expectations, beside)
    }

    /// Writes the requested files.
    pub fn write(&self, watcher: &mut dyn Watcher) -> Result<(), Failure> {
        let Self { question, measurement, place, found } = self;
        let checked = &found.expectations;
        let arguments = question.arguments;
        let is_strict = arguments.stopping.require_verdict;
        let undecided = if is_strict { Undecided::Failure } else { Undecided::Skipped };
        write_text(arguments.export_junit.as_deref(), || {
            junit::render(&question.name(), checked, undecided)
        })?;
        write_text(arguments.export_markdown.as_deref(), || page::markdown::render(&self.page()))?;
        if let Some(file) = &arguments.export_html {
            self.write_page(file)?;
        }
        let Some(json) = &arguments.export_json else { return Ok(()) };
        let mut documents = measurement.documents();
        let exports = Exports { files: vec![(Format::Json, json.clone())], asv_commit: None };
        let Some((id, document)) = documents.next() else {
            if found.reach.is_none() {
                return Err(Failure::new(format!("cannot write `{}`", json.display()))
                    .because("nothing was measured"));
            }
            let none = &mut |_: &mut Visit<'_>| Ok(());
            return exports.write(&self.without_runs()?, none).map_err(Failure::from);
        };
        archive::export(&exports, &archive::open_for_reading(place)?, id, document)?;
        // A document holds one experiment.
        if let Some((id, _)) = documents.next() {
            watcher.on(Event::Note(&format!(
                "`{}` has the commands; `brisk export {id}` writes the benchmarks inside of programs",
                json.display()
            )));
        }
        Ok(())
    }

    /// The document of a check that found nothing to measure.
    fn without_runs(&self) -> Result<Document, Failure> {
        let rule = self.question.arguments.stopping.rule(1)?;
        let Circumstances { machine, conditions, started_unix_ns, brisk_version, .. } =
            host::circumstances();
        let experiment = Course {
            id: None,
            started_unix_ns,
            brisk_version,
            seed: None,
            rounds: 0,
            elapsed_seconds: 0.0,
            stop: StopReason::Settled,
            confidence: rule.confidence,
            margin: rule.margin,
            resolution: None,
            estimator: rule.estimator,
            order: Order::Rounds,
            commands: 0,
            metrics: None,
        };
        Ok(Document {
            schema: SCHEMA.to_owned(),
            machine,
            conditions,
            experiment,
            variants: Vec::new(),
            summaries: Vec::new(),
            missing: Vec::new(),
            comparisons: Vec::new(),
            answers: Vec::new(),
            ranking: Vec::new(),
            detectable: BTreeMap::new(),
            notes: Vec::new(),
            finding: Finding::Check { check: Box::new(self.found.clone()), suite: None },
            causes: Vec::new(),
            setups: Vec::new(),
            paybacks: Vec::new(),
            equal_work: None,
            memory_over_time: None,
            memory_verdicts: None,
        })
    }

    /// Writes the page of each experiment, or of the expectations alone if nothing was measured.
    fn write_page(&self, file: &Path) -> Result<(), Failure> {
        let title = format!("check of {}", self.question.name());
        let store = archive::open_for_reading(&self.place)?;
        let page =
            |(id, _)| archive::page(&store, id, u64::MAX).map(|drawn| (drawn.title, drawn.page));
        let pages = self.measurement.documents().map(page);
        let mut pages = pages.collect::<Result<Vec<_>, Failure>>()?;
        if pages.is_empty() {
            pages.push((title.clone(), self.page()));
        }
        write_text(Some(file), || html::file(&title, &pages))
    }
}

fn write_text(path: Option<&Path>, text: impl FnOnce() -> String) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    written::write_text(path, &text()).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`", path.display())).caused_by(error)
}

fn stored_baseline(question: &Question<'_>, store: &Store) -> Result<ProjectState, Failure> {
    let Some(hash) = store.baseline(&question.key)? else {
        let why = "no baseline is stored; `brisk check --save-baseline` stores one";
        return Ok(ProjectState::Missing(why.to_owned()));
    };
    let gone = || format!("the stored baseline, commit {hash}, no longer exists");
    let commit = question.commit(&hash)?;
    Ok(commit.map_or_else(|| ProjectState::Missing(gone()), ProjectState::Commit))
}

/// Makes the checked-out commit the baseline of later checks, and returns it.
pub fn save_baseline(request: &CheckRequest) -> Result<Commit, Failure> {
    let question = Question::new(request)?;
    let place = request.measuring.store.place()?;
    let Some(head) = &question.head else {
        return Err(Failure::new("there is no commit to make the baseline").because(format!(
            "`{}` is in no git repository with commits",
            question.folder.display()
        )));
    };
    let mut store = archive::open_for_writing(&place)?;
    store.keep_baseline(&question.key, &head.hash, measure::clock::unix_time_ns())?;
    Ok(head.clone())
}

/// The acceptances made at the checked commit or at one of its ancestors.
fn applicable(question: &Question<'_>, store: &Store) -> Result<Vec<Acceptance>, Failure> {
    let ids: Vec<ExpectationId> =
        question.expectations().iter().map(|expected| expected.that.id()).collect();
    let mut applicable = Vec::new();
    for acceptance in store.acceptances(&question.key)? {
        if ids.contains(&acceptance.expectation)
            && is_of_the_past(question, acceptance.commit.as_deref())?
        {
            applicable.push(acceptance);
        }
    }
    Ok(applicable)
}

fn is_of_the_past(question: &Question<'_>, commit: Option<&str>) -> Result<bool, Failure> {
    let (Some(commit), Some(head)) = (commit, &question.head) else {
        // Outside of a repository there is only one state.
        return Ok(commit.is_none() && question.head.is_none());
    };
    let Some(repository) = &question.repository else { return Ok(false) };
    let answer = repository.try_ask(["merge-base", "--is-ancestor", commit, &head.hash]);
    // Git fails for a commit of another repository.
    answer.map(|answer| answer.is_ok()).map_err(Failure::from)
}

/// Accepts the failure of the expectation called `id` that its last check found, for the reason
/// `why`; returns a sentence for each part of it.
pub fn accept(request: &CheckRequest, id: &str, why: Option<&str>) -> Result<Vec<String>, Failure> {
    let question = &Question::new(request)?;
    let place = request.measuring.store.place()?;
    let expected = expectation(question, id)?;
    let mut store = archive::open_for_writing(&place)?;
    let (check, found) = last_check(question, &store, expected)?;
    let signature = Signature {
        commit: check.commit,
        why: why.unwrap_or_default().to_owned(),
        who: who(question),
        unix_ns: measure::clock::unix_time_ns(),
    };
    let accepted = acceptance::accept(&expected.that, &found.evaluation, signature)?;
    store.accept(&question.key, &accepted)?;
    let failed = found.evaluation.links.iter();
    let failed = failed.filter(|link| accepted.values.iter().any(|value| value.what == link.what));
    Ok(failed.map(|link| sentence(link).to_string()).collect())
}

fn expectation<'a>(question: &'a Question<'_>, id: &str) -> Result<&'a Expected, Failure> {
    let known = || {
        let one =
            |expected: &Expected| format!("{} `{}`", expected.that.id(), expected.that.relation);
        let all: Vec<String> = question.expectations().iter().map(one).collect();
        Some(format!("there are: {}", all.join(", ")))
    };
    let id: ExpectationId =
        id.parse().map_err(|error| Failure::from_error(&error).hint(known()))?;
    let found = question.expectations().iter().find(|expected| expected.that.id() == id);
    found.ok_or_else(|| Failure::new(format!("no expectation is called `{id}`")).hint(known()))
}

/// The newest check of the project that included the expectation, and its result.
fn last_check(
    question: &Question<'_>,
    store: &Store,
    expected: &Expected,
) -> Result<(CheckFinding, CheckedExpectation), Failure> {
    let id = expected.that.id();
    let (kind, project) = (Some(Kind::Check), Some(question.key.clone()));
    let of_project = Filter { kind, project, ..Filter::newest(usize::MAX) };
    for listed in store.list(&of_project)? {
        let Ok(document) = archive::stored_document(store, listed.id) else { continue };
        // A project may lie within another one.
        let Some(check) = document.check().filter(|check| check.project == question.key) else {
            continue;
        };
        if let Some(found) = check.expectations.iter().find(|part| part.id == id).cloned() {
            return Ok((check.clone(), found));
        }
    }
    Err(Failure::new(format!("`{}` was not checked yet", expected.that.relation))
        .hint(Some("`brisk check` measures what can then be accepted")))
}

/// The identity of the accepting user, from git, or else from `USER`.
fn who(question: &Question<'_>) -> String {
    let identity = question.repository.as_ref().and_then(|repository| {
        let answer = repository.ask(["var", "GIT_AUTHOR_IDENT"]).ok()?;
        let text = String::from_utf8_lossy(&answer).into_owned();
        // The address is followed by a time and its zone.
        text.rfind('>').map(|end| text[..=end].to_owned())
    });
    identity.or_else(|| std::env::var("USER").ok()).unwrap_or_else(|| "unknown".to_owned())
}
