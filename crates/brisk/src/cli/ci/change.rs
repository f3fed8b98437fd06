//! The change that is judged: its newest commit, and the commit that it is based on.

use super::CiArguments;
use super::service::Service;
use crate::failure::Failure;
use crate::prepare::{Commit, Repository, commit};

/// Both ends of a change.
#[derive(Debug, Clone)]
pub(super) struct Change {
    /// The newest commit that both the change and the branch have that it is meant for.
    pub base: Commit,
    /// The newest commit of the change.
    pub head: Commit,
}

/// The branches for which changes are meant, where nobody says which.
const BRANCHES: [&str; 5] = ["origin/HEAD", "origin/main", "origin/master", "main", "master"];

impl Change {
    /// Finds both ends: as they are typed, else as the service says, else from the repository.
    pub(super) fn find(
        arguments: &CiArguments,
        service: &Service,
        repository: &Repository,
    ) -> Result<Self, Failure> {
        let typed_or_said = arguments.head.as_deref().or(service.head.as_deref());
        let head = known(repository, typed_or_said.unwrap_or("HEAD"))?;
        // What a service says of one change means nothing for another one.
        let said = service.base.as_deref().filter(|_| arguments.head.is_none());
        if let Some(revision) = arguments.base.as_deref().or(said) {
            let branch = known(repository, revision)?;
            return Ok(Self { base: merge_base(repository, &branch, &head, revision)?, head });
        }
        for branch in BRANCHES {
            let Some(tip) = commit(repository, branch)?.filter(|tip| tip.hash != head.hash) else {
                continue;
            };
            let base = merge_base(repository, &tip, &head, branch)?;
            if base.hash != head.hash {
                return Ok(Self { base, head });
            }
        }
        // What is on the branch already is compared with what was there before it.
        let Some(parent) = head.parent() else {
            return Err(Failure::new("there is no commit to compare with")
                .because("the commit has no parent")
                .hint(Some("name one with `--base REVISION`")));
        };
        Ok(Self { base: known(repository, parent)?, head: head.clone() })
    }
}

fn known(repository: &Repository, revision: &str) -> Result<Commit, Failure> {
    commit(repository, revision)?.ok_or_else(|| {
        Failure::new(format!("unknown revision `{revision}`")).hint(Some(cut_off(repository)))
    })
}

fn merge_base(
    repository: &Repository,
    branch: &Commit,
    head: &Commit,
    name: &str,
) -> Result<Commit, Failure> {
    let found = repository.try_ask(["merge-base", &branch.hash, &head.hash])?;
    let hash = found.ok().and_then(|answer| String::from_utf8(answer).ok());
    match hash.as_deref().map(str::trim).filter(|hash| !hash.is_empty()) {
        Some(hash) => known(repository, hash),
        None => Err(Failure::new(format!("the change and `{name}` have no commit in common"))
            .hint(Some(cut_off(repository)))),
    }
}

/// Why a commit may be missing that exists elsewhere.
fn cut_off(repository: &Repository) -> &'static str {
    let shallow = repository.try_ask(["rev-parse", "--is-shallow-repository"]);
    match shallow {
        Ok(Ok(answer)) if answer.starts_with(b"true") => {
            "this clone is cut off; get the whole history: `fetch-depth: 0` for GitHub's checkout, \
             `GIT_DEPTH: 0` for GitLab, `git fetch --unshallow` by hand"
        }
        _ => "name a commit of this repository with `--base REVISION`",
    }
}
