//! Builds commits, or finds them in the cache.
//!
//! A builder keeps one worktree and moves from commit to commit in it, so that each build finds the
//! results of the last one. Because that can go wrong, a commit whose build fails in a used
//! worktree is built once more in a fresh one before it counts as failed, and
//! [`Builder::confirm_all`] builds commits cleanly even if incremental artefacts exist. Many
//! commits are divided among several builders at once. The worktrees stay for the next call, until
//! they are put away or the builder is dropped. No build is running after a function of this module
//! has returned.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use measure::clock::{self, Stopwatch};
use measure::interrupt;
use model::spec::artifacts::KeptCheckout;

use crate::artifact::{
    self, Artifact, BuildFailure, BuiltCommit, CheckoutRoot, Confirmation, Copied, CopyError,
    Extent, FailureReason, When, extent,
};
use crate::build::{
    Attempt, Broken, BuildSite, Elsewhere, LostBuilds, Overseer, SiteError, attempt,
};
use crate::cache::{Cache, CacheError, Entry, Meta, Stored};
use crate::confirm::Savings;
use crate::crew::Crew;
use crate::environment::changes;
use crate::git::{GitError, Repository};
use crate::layouts::{self, Linked, NoLayouts, Wrappers};
use crate::range::Commit;
use crate::recipe::{CacheKey, Ingredients, Recipe, RecipeError, Trees};
use crate::rota::{Places, Rota, Stretches, Waiting};
use crate::worktree::{Worktree, WorktreeError, WorktreeState, Worktrees};

/// Reasons that building stopped. Commits built before that are in the cache.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum BuildError {
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    #[error(transparent)]
    Cache(#[from] CacheError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Site(#[from] SiteError),
    #[error("interrupted while building")]
    Interrupted,
}

impl From<Broken> for BuildError {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Interrupted => Self::Interrupted,
            Broken::Git(error) => Self::Git(error),
            Broken::Site(error) => Self::Site(error),
        }
    }
}

impl BuildError {
    /// Advice for the user, if any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Recipe(error) => error.hint(),
            Self::Cache(error) => error.hint(),
            Self::Git(error) => error.hint(),
            Self::Site(error) => error.hint(),
            Self::Worktree(_) => {
                Some("worktrees are kept beside the artefacts; `BRISK_CACHE` moves both".to_owned())
            }
            Self::Interrupted => {
                Some("what was built is kept: run the same command again to continue".to_owned())
            }
        }
    }
}

/// An event while a range is built. Numbers are indices into the range.
#[derive(Debug, Clone, PartialEq)]
pub enum BuildEvent {
    /// The commit was found in the cache, or has the same tree as an earlier one of the range.
    Found {
        /// The commit.
        commit: usize,
    },
    /// A build began.
    Started {
        /// The commit.
        commit: usize,
    },
    /// A build succeeded.
    Finished {
        /// The commit.
        commit: usize,
        /// The running time of the build command, in seconds.
        build_seconds: f64,
    },
    /// The program was linked in further orders.
    Linked {
        /// The commit.
        commit: usize,
        /// The number of links so far.
        links: usize,
        /// The number of layouts of a program.
        wanted: u32,
    },
    /// A second passed during builds.
    Waiting,
    /// A message for the user.
    Note {
        /// The message.
        text: String,
    },
    /// A build failed.
    Failed {
        /// The commit.
        commit: usize,
        /// The reason.
        reason: FailureReason,
    },
}

impl BuildEvent {
    /// The same event with its index translated by `places`, the indices into another range.
    pub(super) fn renumbered(mut self, places: &[usize]) -> Self {
        match &mut self {
            Self::Found { commit }
            | Self::Started { commit }
            | Self::Finished { commit, .. }
            | Self::Failed { commit, .. }
            | Self::Linked { commit, .. } => *commit = places[*commit],
            Self::Waiting | Self::Note { .. } => {}
        }
        self
    }
}

/// The causes for building commits again that were built before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Again {
    /// The number of commits.
    pub commits: usize,
    /// The differences, each in a few words.
    pub changes: Vec<String>,
}

/// Builds the commits of one repository with one recipe.
#[derive(Debug)]
pub struct Builder {
    pub(super) workshop: Workshop,
    /// Worktrees of earlier builds, in which no build is running.
    worktrees: Vec<Worktree>,
}

impl Builder {
    /// A builder. Leftovers of a killed one are removed from the repository's worktrees.
    pub fn new(
        repository: &Repository,
        cache: &Cache,
        recipe: &Recipe,
        retry: Retry,
    ) -> Result<Self, BuildError> {
        let ingredients = Ingredients::read(recipe)?;
        let cache = Cache::at(cache.create()?);
        let worktrees = Worktrees::open(repository, cache.root())?;
        let repository = repository.clone();
        let wrappers = (recipe.layouts > 0 || recipe.counter.is_some())
            .then(|| Wrappers::put(cache.root(), ingredients.path()))
            .transpose()
            .map_err(|error| CacheError::at(cache.root(), error))?;
        let workshop = Workshop {
            repository,
            cache,
            ingredients,
            wrappers,
            worktrees,
            retry,
            savings: None,
            site: None,
            set_aside: Mutex::default(),
        };
        Ok(Self { workshop, worktrees: Vec::new() })
    }

    /// The same builder, but it switches to clean builds when incremental ones turn out to save
    /// little: clean builds need no confirmation.
    #[must_use]
    pub fn thrifty(mut self) -> Self {
        self.workshop.savings = Some(Mutex::default());
        self
    }

    /// The same builder, with its build commands run on this site.
    #[must_use]
    pub fn building_at(mut self, site: Option<Arc<dyn BuildSite>>) -> Self {
        self.workshop.site = site;
        self
    }

    /// The number of these commits that must be built again although they were built before, and
    /// the causes; `None` if there are no such commits, or only the recipe changed.
    pub fn again(&self, commits: &[Commit]) -> Option<Again> {
        let mut missing: BTreeMap<&str, CacheKey> = BTreeMap::new();
        for commit in commits {
            let key = self.key(commit);
            if self.workshop.find(&key).is_none() {
                missing.insert(&commit.tree, key);
            }
        }
        if missing.is_empty() {
            return None;
        }
        let before = self.workshop.cache.of_trees(&missing);
        let newest = before.iter().max_by_key(|meta| meta.built_unix_seconds)?;
        let changes = changes(&newest.parts, self.workshop.ingredients.parts());
        let is_of = |commit: &&Commit| before.iter().any(|meta| meta.tree == commit.tree);
        let count = commits.iter().filter(is_of).count();
        (!changes.is_empty()).then_some(Again { commits: count, changes })
    }

    /// True if any of the commits is still to be built on this machine: `Clean` counts only clean
    /// builds as done, otherwise any usable build counts.
    pub fn builds_here(&self, commits: &[Commit], trees: Trees) -> bool {
        let is_missing =
            |commit: &Commit| self.workshop.find_for(&self.key(commit), trees).is_none();
        self.workshop.site.is_none() && commits.iter().any(is_missing)
    }

    fn key(&self, commit: &Commit) -> CacheKey {
        self.workshop.ingredients.key(&commit.tree)
    }

    /// Builds all of the commits, with up to `jobs` builders at once, in the order given. `on`
    /// receives each event as it happens.
    ///
    /// # Errors
    ///
    /// When building has to stop; a commit that does not build is not an error.
    pub fn build_range(
        &mut self,
        commits: &[Commit],
        jobs: NonZeroUsize,
        on: &mut dyn FnMut(BuildEvent),
    ) -> Result<Vec<BuiltCommit>, BuildError> {
        self.all(commits, Workshop::find, along, jobs, on)
    }

    /// Builds all of the commits from scratch, with up to `jobs` builders at once, even if
    /// incremental artefacts exist. Each is built in its earlier worktree if possible, because
    /// programs may contain the path of their build. `on` receives each event as it happens.
    ///
    /// # Errors
    ///
    /// When building has to stop; a commit that does not build is not an error.
    pub fn confirm_all(
        &mut self,
        commits: &[Commit],
        jobs: NonZeroUsize,
        on: &mut dyn FnMut(BuildEvent),
    ) -> Result<Vec<Confirmation>, BuildError> {
        let keys: Vec<CacheKey> = commits.iter().map(|commit| self.key(commit)).collect();
        let cache = &self.workshop.cache;
        let before: Vec<_> = keys.iter().map(|key| cache.find(key, Trees::Incremental)).collect();
        let places: Vec<Option<u32>> =
            before.iter().map(|entry| entry.as_ref().map(|entry| entry.meta.worktree)).collect();
        let again = |to_build: Vec<usize>, _| {
            let waiting = |commit| Waiting { commit, place: places[commit] };
            Rota::Again(Places::new(to_build.into_iter().map(waiting)))
        };
        let find = |workshop: &Workshop, key: &CacheKey| workshop.find_as(key, Trees::Clean);
        let clean = self.all(commits, find, again, jobs, on)?;
        let digest = |entry: Entry| match entry.meta.outcome {
            Stored::Built { digest, .. } => Some(digest),
            Stored::Failed { .. } => None,
        };
        let both = clean.into_iter().zip(before);
        Ok(both
            .map(|(clean, entry)| Confirmation { clean, incremental: entry.and_then(digest) })
            .collect())
    }

    /// Removes the worktrees, so that the next builds begin from scratch, and no leftovers of
    /// builds are written to the disk during measurements.
    pub fn put_away(&mut self) {
        self.worktrees.clear();
    }

    /// The results of all commits: looked up, or built in turn, each tree once.
    fn all(
        &mut self,
        commits: &[Commit],
        find: impl Fn(&Workshop, &CacheKey) -> Option<BuiltCommit>,
        rota: impl FnOnce(Vec<usize>, usize) -> Rota,
        jobs: NonZeroUsize,
        on: &mut dyn FnMut(BuildEvent),
    ) -> Result<Vec<BuiltCommit>, BuildError> {
        let requests = interrupt::requests();
        let keys: Vec<CacheKey> = commits.iter().map(|commit| self.key(commit)).collect();
        let mut known: HashMap<&CacheKey, BuiltCommit> = HashMap::new();
        let mut seen = HashSet::new();
        let mut to_build = Vec::new();
        for (commit, key) in keys.iter().enumerate().filter(|(_, key)| seen.insert(*key)) {
            match find(&self.workshop, key) {
                Some(built) => drop(known.insert(key, built)),
                None => to_build.push(commit),
            }
        }
        let is_known = |commit: &usize| to_build.binary_search(commit).is_err();
        (0..commits.len()).filter(is_known).for_each(|commit| on(BuildEvent::Found { commit }));
        let builders = jobs.get().min(to_build.len());
        let rota = rota(to_build, builders);
        let worktrees = std::mem::take(&mut self.worktrees);
        let crew = Crew::new(&self.workshop, commits, rota, worktrees, requests);
        let made = crew.build(builders, on)?;
        self.worktrees = made.worktrees;
        known.extend(made.built.into_iter().map(|(commit, built)| (&keys[commit], built)));
        let all = keys.iter().map(|key| known.get(key).cloned());
        all.collect::<Option<_>>().ok_or(BuildError::Interrupted)
    }
}

fn along(commits: Vec<usize>, builders: usize) -> Rota {
    Rota::Along { stretches: Stretches::new(commits.len(), builders), commits }
}

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
    /// The wrappers of compilers and linkers; `None` if programs are built in their usual way alone.
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
    fn find(&self, key: &CacheKey) -> Option<BuiltCommit> {
        let clean = self.find_as(key, Trees::Clean);
        match self.ingredients.recipe.trees {
            Trees::Clean => clean,
            Trees::Incremental => clean.or_else(|| self.find_as(key, Trees::Incremental)),
        }
    }

    /// The cached result for a build that begins with such a worktree.
    pub(super) fn find_for(&self, key: &CacheKey, trees: Trees) -> Option<BuiltCommit> {
        match trees {
            Trees::Incremental => self.find(key),
            Trees::Clean => self.find_as(key, Trees::Clean),
        }
    }

    fn find_as(&self, key: &CacheKey, trees: Trees) -> Option<BuiltCommit> {
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
        commit: &Commit,
        trees: Trees,
        overseer: Overseer<'_>,
    ) -> Result<BuiltCommit, BuildError> {
        let watch = Stopwatch::start();
        let saves_little = |savings: &Mutex<Savings>| lock(savings).are_small();
        let trees =
            if self.savings.as_ref().is_some_and(saves_little) { Trees::Clean } else { trees };
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
        if let (Ok(_), Some(savings)) = (&ended.result, &self.savings) {
            // Time spent waiting for a machine says nothing about building.
            let is_here = self.site.is_none();
            let seconds = if is_here { watch.elapsed().as_secs_f64() } else { ended.build_seconds };
            lock(savings).record(began, seconds);
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
            let elsewhere = self.site.as_deref().map(|site| Elsewhere { site, lost });
            let variables = self.wrapped(worktree)?;
            (overseer.links)(&links(worktree));
            let ingredients = &self.ingredients;
            match attempt(
                &self.repository,
                worktree,
                commit,
                ingredients,
                &variables,
                overseer,
                elsewhere,
            ) {
                Ok(attempt) => break (attempt, trees),
                Err(Broken::Site(SiteError::Lost(all))) => lost = all,
                Err(broken) => return Err(broken.into()),
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
                let copied = self.copy(&artifact, &tree, &extent, &staging)?;
                if copied.is_ok() && self.ingredients.recipe.layouts > 0 {
                    let (links, count) = (links(worktree), self.ingredients.recipe.layouts);
                    linked = layouts::take(&artifact, &links, count, &staging)
                        .map_err(|error| CacheError::at(&staging, error))?;
                    if linked == Linked::Not(NoLayouts::NotSeen) {
                        linked = self.build_with_seeds(commit, &artifact, &staging, overseer)?;
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
        commit: &Commit,
        artifact: &Path,
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
            let (repository, ingredients) = (&self.repository, &self.ingredients);
            let tree = &mut worktree;
            let attempt =
                attempt(repository, tree, commit, ingredients, &variable, overseer, None)?;
            let made = match attempt.result {
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

    /// The variables that make a build link in several orders, or compile otherwise; empty if
    /// neither is wanted.
    fn wrapped(&self, worktree: &Worktree) -> Result<Vec<(OsString, OsString)>, CacheError> {
        let Some(wrappers) = &self.wrappers else { return Ok(Vec::new()) };
        if let Some(counter) = self.ingredients.recipe.counter {
            return Ok(wrappers.variables_of(counter, &self.ingredients.recipe.env));
        }
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
        tree: &Path,
        extent: &Extent,
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
        let entry = self.cache.keep(&ended.staging, &meta, &key, ended.trees)?;
        Ok(self.built(&key, &entry, When::Now))
    }

    /// The built commit that a cache entry describes.
    fn built(&self, key: &CacheKey, entry: &Entry, when: When) -> BuiltCommit {
        let recipe = &self.ingredients.recipe;
        let place = recipe.makes_checkout().then_some(recipe.cwd.as_path());
        let root = entry.kept.as_deref().filter(|_| entry.meta.within.is_some());
        let checkout = root.map(|root| KeptCheckout::new(root, self.repository.root(), place));
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
            (Stored::Built { .. }, None) => {
                unreachable!("an entry without its artefact is not read")
            }
            (Stored::Failed { reason }, _) => Err(BuildFailure {
                reason: reason.clone(),
                log_tail: entry.log_tail(),
                when,
                build_seconds,
            }),
        };
        BuiltCommit { key: key.clone(), outcome }
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
