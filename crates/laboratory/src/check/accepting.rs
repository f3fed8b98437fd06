//! Accepted failures: those that apply to the check, and new ones.

use super::question::Question;
use crate::archive;
use findings::{CheckFinding, CheckedExpectation};
use judge::acceptance::{self, Acceptance, Signature};
use model::commission::Kind;
use model::expectation::ExpectationId;
use model::failure::Failure;
use model::spec::project::Expected;
use report::expectations::sentence;
use store::{Filter, Place, Store};

/// The acceptances made at the checked commit or at one of its ancestors.
pub(super) fn applicable(
    question: &Question<'_>,
    store: &Store,
) -> Result<Vec<Acceptance>, Failure> {
    let all = store.acceptances(&question.key)?;
    let ids: Vec<ExpectationId> =
        question.expectations().iter().map(|expected| expected.that.id()).collect();
    let mut applicable = Vec::new();
    for acceptance in all.into_iter().filter(|one| ids.contains(&one.expectation)) {
        if is_of_the_past(question, acceptance.commit.as_deref())? {
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

/// Accepts the failure that the last check of an expectation found; returns a sentence for each part
/// of it.
pub(super) fn accept(
    question: &Question<'_>,
    place: &Place,
    id: &str,
    why: Option<&str>,
) -> Result<Vec<String>, Failure> {
    let expected = expectation(question, id)?;
    let mut store = archive::open_for_writing(place)?;
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
    let told = failed.map(|link| sentence(link).to_string()).collect();
    Ok(told)
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
