//! One commit: found in the cache, or built and kept there.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use measure::clock::{self, Stopwatch};

use super::artifact::{self, CheckoutRoot, Copied, CopyError};
use super::build::{Attempt, Broken, Elsewhere, Overseer, attempt};
use super::builder::BuildError;
use super::built::{Artifact, BuildFailure, BuiltCommit, When};
use super::cache::{Cache, CacheError, Entry, Meta, Stored};
use super::extent::{Extent, extent};
use super::failure::FailureReason;
use super::git::Repository;
use super::layouts::{self, Linked, NoLayouts, Wrappers};
use super::range::Commit;
use super::recipe::{CacheKey, Ingredients, Trees};
use super::savings::Savings;
use super::site::{BuildSite, LostBuilds, SiteError};
use super::worktree::{Worktree, WorktreeState, Worktrees};
use model::spec::kept_checkout::KeptCheckout;

/// Failures of earlier runs that are tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// Those that may end differently: a build that timed out, if the limit is longer now.
    WhereItMayHelp,
    /// All.
    AllFailures,
}

/// The state that builders share.
#[derive(Debug)]
pub(super) struct Workshop {
    pub(super) repository: Repository,
    pub(super) cache: Cache,
    pub(super) ingredients: Ingredients,
    /// The wrappers of compilers and linkers; `None` if programs are linked only once.
    pub(super) wrappers: Option<Wrappers>,
    pub(super) worktrees: Worktrees,
    pub(super) retry: Retry,
    /// The time saved by building on top of earlier builds; `None` if it is not tracked.
    pub(super) savings: Option<Mutex<Savings>>,
    /// The site on which build commands run; `None` for this machine.
    pub(super) site: Option<Arc<dyn BuildSite>>,
    /// Worktrees in which a build may still be running.
    pub(super) set_aside: Mutex<Vec<Worktree>>,
}

/// A finished build and its interpretation.
struct Ended {
    /// The copied artefact, or the reason that it is missing.
    result: Result<Copied, FailureReason>,
    /// The folder with the copy and the log, which becomes an entry of the cache.
    staging: PathBuf,
    log: Vec<u8>,
    build_seconds: f64,
    trees: Trees,
    linked: Linked,
    /// The artefact's path in its checkout, if that was copied as a whole.
    within: Option<PathBuf>,
}

/// The folder name of a checkout that is kept as a whole.
const CHECKOUT: &str = "checkout";

impl Workshop {
    /// The cached result, preferring a clean build to an incremental one.
    pub(super) fn find(&self, key: &CacheKey) -> Option<BuiltCommit> {
        let clean = self.find_as(key, Trees::Clean);
        match self.ingredients.recipe.trees {
            Trees::Clean => clean,
            Trees::Incremental => clean.or_else(|| self.find_as(key, Trees::Incremental)),
        }
    }

    pub(super) fn find_as(&self, key: &CacheKey, trees: Trees) -> Option<BuiltCommit> {
        let entry = self.cache.find(key, trees)?;
        if let Stored::Failed { reason } = &entry.meta.outcome
            && (self.retry == Retry::AllFailures || self.has_more_time(reason))
        {
            return None;
        }
        Some(self.built(key, &entry, When::Before))
    }

    fn has_more_time(&self, reason: &FailureReason) -> bool {
        let FailureReason::TimedOut { limit_seconds } = reason else { return false };
        self.ingredients.recipe.timeout.is_none_or(|now| now.as_secs_f64() > *limit_seconds)
    }

    /// Builds a commit, in the given worktree if there is one, and keeps the result.
    pub(super) fn build(
        &self,
        place: &mut Option<Worktree>,
        (commit, trees): (&Commit, Trees),
        overseer: Overseer<'_>,
    ) -> Result<BuiltCommit, BuildError> {
        let watch = Stopwatch::start();
        let trees = if self.saves_little() { Trees::Clean } else { trees };
        let mut worktree = match place.take() {
            None if trees == Trees::Incremental && commit.is_uncommitted() => {
                let name = self.ingredients.key("kept").as_str()[..16].to_owned();
                self.worktrees.resume(&commit.hash, &name)?
            }
            None => self.worktrees.add(&commit.hash, None)?,
            Some(mut worktree) => {
                if trees == Trees::Clean && worktree.state() != WorktreeState::Fresh {
                    worktree.renew(&commit.hash)?;
                }
                worktree
            }
        };
        // Leftovers of an unfinished build are of no use to the next one.
        let leftover = worktree.leftover.take();
        let mut ended = self.build_in(&mut worktree, commit, overseer)?;
        let began = ended.trees;
        if ended.trees == Trees::Incremental
            && ended.result.as_ref().is_err_and(FailureReason::may_be_stale)
        {
            worktree.renew(&commit.hash)?;
            ended = self.build_in(&mut worktree, commit, overseer)?;
        }
        if ended.result.is_ok() {
            // Time spent waiting for a machine says nothing about building.
            let is_here = self.site.is_none();
            let seconds = if is_here { watch.elapsed().as_secs_f64() } else { ended.build_seconds };
            self.record(began, seconds);
        }
        let is_spoilt = ended.result.as_ref().is_err_and(FailureReason::spoils_the_tree);
        let built = self.keep(commit, ended, worktree.number())?;
        worktree.leftover = leftover.filter(|_| built.outcome.is_ok());
        match is_spoilt {
            false => *place = Some(worktree),
            true => self.put_aside(worktree),
        }
        Ok(built)
    }

    /// Gives up a worktree. On a remote site, a build that was ended may go on for a moment.
    fn put_aside(&self, worktree: Worktree) {
        if self.site.is_some() {
            lock(&self.set_aside).push(worktree);
        }
    }

    fn saves_little(&self) -> bool {
        self.savings.as_ref().is_some_and(|savings| lock(savings).are_small())
    }

    fn record(&self, began: Trees, seconds: f64) {
        if let Some(savings) = &self.savings {
            lock(savings).record(began, seconds);
        }
    }

    fn build_in(
        &self,
        worktree: &mut Worktree,
        commit: &Commit,
        overseer: Overseer<'_>,
    ) -> Result<Ended, BuildError> {
        let mut lost = LostBuilds::default();
        let (Attempt { result, log, elapsed }, trees) = loop {
            let trees = match worktree.state() {
                WorktreeState::Fresh => Trees::Clean,
                WorktreeState::Used | WorktreeState::Absent => Trees::Incremental,
            };
            let elsewhere: Option<Elsewhere<'_>> = self.site.as_deref().map(|site| (site, lost));
            let layouts = self.layouts(worktree)?;
            (overseer.links)(&links(worktree));
            let asked = (commit, &self.ingredients, layouts.as_slice());
            match attempt(&self.repository, worktree, asked, (overseer, elsewhere)) {
                Ok(attempt) => break (attempt, trees),
                Err(Broken::Site(SiteError::Lost(all))) => lost = all,
                Err(Broken::Site(error)) => return Err(BuildError::Site(error)),
                Err(Broken::Interrupted) => return Err(BuildError::Interrupted),
                Err(Broken::Git(error)) => return Err(BuildError::Git(error)),
            }
            let fresh = self.worktrees.add(&commit.hash, None)?;
            self.put_aside(std::mem::replace(worktree, fresh));
        };
        let staging =
            worktree.staging().map_err(|error| CacheError::at(&worktree.path(), error))?;
        let mut linked = Linked::NotAsked;
        let mut within = None;
        let result = match result {
            Ok(artifact) => {
                let tree = worktree.path();
                let extent = extent(&artifact, &tree, &self.ingredients.recipe)?;
                if extent != Extent::Artifact {
                    within = artifact.strip_prefix(&tree).ok().map(Path::to_owned);
                }
                let copied = self.copy(&artifact, (&tree, &extent), &staging)?;
                if copied.is_ok() && self.ingredients.recipe.layouts > 0 {
                    let (links, count) = (links(worktree), self.ingredients.recipe.layouts);
                    linked = layouts::take(&artifact, &links, count, &staging)
                        .map_err(|error| CacheError::at(&staging, error))?;
                    if linked == Linked::Not(NoLayouts::NotSeen) {
                        linked = self.build_with_seeds((commit, &artifact), &staging, overseer)?;
                    }
                }
                copied
            }
            Err(reason) => Err(reason),
        };
        let build_seconds = elapsed.as_secs_f64();
        Ok(Ended { result, staging, log, build_seconds, trees, linked, within })
    }

    /// Builds the commit once for each seed, for builds that shuffle by themselves. The first seed
    /// reveals a build that does not.
    fn build_with_seeds(
        &self,
        (commit, artifact): (&Commit, &Path),
        staging: &Path,
        overseer: Overseer<'_>,
    ) -> Result<Linked, BuildError> {
        let failed = |error| CacheError::at(staging, error);
        let name = artifact.file_name().unwrap_or(OsStr::new("artifact"));
        let seeds = layouts::seeds_of(artifact, self.ingredients.recipe.layouts).map_err(failed)?;
        let mut worktree = self.worktrees.add(&commit.hash, None)?;
        (overseer.links)(&layouts::folder_in(staging));
        for (place, &seed) in seeds.iter().enumerate() {
            if place > 0 {
                worktree.renew(&commit.hash)?;
            }
            let variable = [(OsString::from(layouts::SEED), OsString::from(seed.to_string()))];
            let asked = (commit, &self.ingredients, &variable[..]);
            let built = match attempt(&self.repository, &mut worktree, asked, (overseer, None)) {
                Ok(Attempt { result, .. }) => result,
                Err(Broken::Interrupted) => return Err(BuildError::Interrupted),
                Err(Broken::Git(error)) => return Err(BuildError::Git(error)),
                Err(Broken::Site(error)) => return Err(BuildError::Site(error)),
            };
            let made = match built {
                Ok(made) => made,
                Err(reason) => {
                    let why = reason.to_string();
                    return Ok(Linked::Not(NoLayouts::Failed { seed, why }));
                }
            };
            if place == 0 && layouts::is_same_program(artifact, &made).map_err(failed)? {
                return Ok(Linked::Not(NoLayouts::NotSeen));
            }
            layouts::put(&made, staging, seed, name).map_err(failed)?;
        }
        Ok(layouts::linked(seeds, staging, name).map_err(failed)?)
    }

    /// The variables that make a build link in several orders; empty if no layouts are wanted.
    fn layouts(&self, worktree: &Worktree) -> Result<Vec<(OsString, OsString)>, CacheError> {
        let Some(wrappers) = &self.wrappers else { return Ok(Vec::new()) };
        let links = links(worktree);
        layouts::clear(&links).map_err(|error| CacheError::at(&links, error))?;
        let recipe = &self.ingredients.recipe;
        Ok(wrappers.variables(&links, recipe.layouts, &recipe.env))
    }

    /// Copies the artefact, if the build has made one, with the parts of the checkout `tree` that
    /// belong to it.
    fn copy(
        &self,
        artifact: &Path,
        (tree, extent): (&Path, &Extent),
        staging: &Path,
    ) -> Result<Result<Copied, FailureReason>, CacheError> {
        let folder = staging.join("artifact");
        fs::create_dir(&folder).map_err(|error| CacheError::at(&folder, error))?;
        let named = || self.ingredients.recipe.artifact.display().to_string();
        let name = artifact.file_name().unwrap_or(OsStr::new("artifact"));
        let command_files = &self.ingredients.recipe.named;
        let files = match extent {
            Extent::Artifact => None,
            Extent::Checkout => Some(None),
            Extent::Files(files) => Some(Some(files)),
        };
        let copied = match files {
            None => artifact::copy(artifact, &folder.join(name)),
            Some(only) => {
                let root = CheckoutRoot { folder: tree, named: command_files, only };
                artifact::copy_checkout(artifact, root, &folder.join(CHECKOUT))
            }
        };
        match copied {
            Ok(copied) => Ok(Ok(copied)),
            Err(CopyError::Write(path, error)) => Err(CacheError::at(&path, error)),
            Err(CopyError::Missing) => Ok(Err(FailureReason::NoArtifact { artifact: named() })),
            Err(other) => {
                Ok(Err(FailureReason::BadArtifact { artifact: named(), why: other.to_string() }))
            }
        }
    }

    /// Keeps the result, unless it is a failure that may not recur.
    fn keep(
        &self,
        commit: &Commit,
        ended: Ended,
        worktree: u32,
    ) -> Result<BuiltCommit, CacheError> {
        let key = self.ingredients.key(&commit.tree);
        let outcome = match ended.result {
            Ok(Copied { shape, digest, bytes }) => Stored::Built { digest, bytes, shape },
            Err(reason) if !reason.lasts() => {
                let log_tail = String::from_utf8_lossy(&ended.log).into_owned();
                let build_seconds = ended.build_seconds;
                let failure = BuildFailure { reason, log_tail, when: When::Now, build_seconds };
                return Ok(BuiltCommit { key, outcome: Err(failure) });
            }
            Err(reason) => Stored::Failed { reason },
        };
        let log = ended.staging.join("log.tail");
        fs::write(&log, &ended.log).map_err(|error| CacheError::at(&log, error))?;
        let artifact = |within: &PathBuf| {
            fs::metadata(ended.staging.join("artifact").join(CHECKOUT).join(within)).ok()
        };
        let bytes_within = ended.within.as_ref().and_then(artifact).filter(fs::Metadata::is_file);
        let meta = Meta {
            key: key.as_str().to_owned(),
            commit: commit.hash.clone(),
            tree: commit.tree.clone(),
            built_unix_seconds: clock::unix_time_ns() / 1_000_000_000,
            build_seconds: ended.build_seconds,
            worktree,
            parts: self.ingredients.parts().to_vec(),
            outcome,
            linked: ended.linked,
            bytes_within: bytes_within.map(|facts| facts.len()),
            within: ended.within,
        };
        let entry = self.cache.keep(&ended.staging, &meta, (&key, ended.trees))?;
        Ok(self.built(&key, &entry, When::Now))
    }
}

/// The folder for the further links of a build.
fn links(worktree: &Worktree) -> PathBuf {
    worktree.folder().join("links")
}

/// Locks a mutex, ignoring poison: nothing can panic while it is held.
pub(super) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Workshop {
    fn built(&self, key: &CacheKey, entry: &Entry, when: When) -> BuiltCommit {
        let of = self.repository.root();
        let recipe = &self.ingredients.recipe;
        let place = recipe.makes_checkout().then_some(recipe.cwd.as_path());
        let checkout = entry.meta.within.as_ref().zip(entry.kept.as_deref());
        built(key, entry, when, checkout.map(|(_, root)| KeptCheckout::new(root, of, place)))
    }
}

/// The built commit that a cache entry describes.
fn built(key: &CacheKey, entry: &Entry, when: When, checkout: Option<KeptCheckout>) -> BuiltCommit {
    let build_seconds = entry.meta.build_seconds;
    let outcome = match (&entry.meta.outcome, &entry.artifact) {
        (Stored::Built { digest, shape, .. }, Some(path)) => Ok(Artifact {
            path: path.clone(),
            digest: digest.clone(),
            shape: *shape,
            trees: entry.trees,
            when,
            equality_confirmed: None,
            checkout,
            build_seconds,
            layouts: match &entry.meta.linked {
                Linked::NotAsked => Ok(Vec::new()),
                Linked::InOrders(seeds) => Ok(layouts::of_entry(&entry.folder, path, seeds)),
                Linked::Not(reason) => Err(reason.clone()),
            },
        }),
        (Stored::Built { .. }, None) => unreachable!("an entry without its artefact is not read"),
        (Stored::Failed { reason }, _) => Err(BuildFailure {
            reason: reason.clone(),
            log_tail: entry.log_tail(),
            when,
            build_seconds,
        }),
    };
    BuiltCommit { key: key.clone(), outcome }
}
