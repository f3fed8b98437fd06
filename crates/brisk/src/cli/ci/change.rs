//! The change to judge: its newest commit, and the commit that it is based on.

use super::CiArguments;
use super::service::Service;
use model::failure::Failure;
use model::spec::place::listed;
use prepare::{Commit, CutOff, Depth, Repository, commit};

/// Both ends of a change.
#[derive(Debug, Clone)]
pub(super) struct Change {
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
    pub(super) fn find(
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
pub(super) fn short_name(branch: &str) -> &str {
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
