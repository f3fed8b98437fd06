//! Builds commits, or finds that they were built before.
//!
//! A builder walks: it keeps one worktree and goes from commit to commit in it, so that each build
//! finds what the last one left. Because that can go wrong, a commit whose build fails in a used
//! worktree is built once more in a fresh one before it counts as failed, and
//! [`Builder::confirm_all`] builds commits cleanly although incremental artefacts are there. Many
//! commits are divided among several builders at once. The worktrees stay for the next call, until
//! they are put away or the builder is dropped. When a function here has returned, nothing is being
//! built any more.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use measure::interrupt;

use super::built::{BuiltCommit, Confirmation};
use super::cache::{Cache, CacheError, Entry, Stored};
use super::crew::{Crew, Rota};
use super::failure::FailureReason;
use super::git::{GitError, Repository};
use super::layouts::Wrappers;
use super::part::changes;
use super::places::{Places, Waiting};
use super::range::Commit;
use super::recipe::{CacheKey, Ingredients, Recipe, RecipeError, Trees};
use super::site::{BuildSite, SiteError};
use super::stretches::Stretches;
use super::workshop::{Retry, Workshop};
use super::worktree::{Worktree, WorktreeError, Worktrees};

/// Why building stopped. What was built before is in the cache.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The recipe does not work for any commit.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// There are no worktrees to build in.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    /// The cache cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// Git cannot be used.
    #[error(transparent)]
    Git(#[from] GitError),
    /// Nobody knows how a build ended that ran elsewhere.
    #[error(transparent)]
    Site(#[from] SiteError),
    /// A signal asked us to stop.
    #[error("interrupted while building")]
    Interrupted,
}

impl BuildError {
    /// A way out, where there is one.
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

/// What building a range tells while it goes on. Numbers are places in the range.
#[derive(Debug, Clone, PartialEq)]
pub enum BuildEvent {
    /// It was found in the cache, or has the same tree as an earlier one of the range.
    Found {
        /// Which commit.
        commit: usize,
    },
    /// Its build begins.
    Started {
        /// Which commit.
        commit: usize,
    },
    /// Its build succeeded.
    Finished {
        /// Which commit.
        commit: usize,
        /// How long the build command ran.
        build_seconds: f64,
    },
    /// Its program was linked in further orders.
    Linked {
        /// Which commit.
        commit: usize,
        /// How many links there are by now.
        links: usize,
        /// How many are wanted of a program.
        wanted: u32,
    },
    /// A second passed while builds go on.
    Waiting,
    /// Something happened that people should know.
    Note {
        /// What it was.
        text: String,
    },
    /// Its build failed.
    Failed {
        /// Which commit.
        commit: usize,
        /// Why.
        reason: FailureReason,
    },
}

impl BuildEvent {
    /// The same where the range is these places of another one.
    pub(super) fn renumbered(self, places: &[usize]) -> Self {
        match self {
            Self::Found { commit } => Self::Found { commit: places[commit] },
            Self::Started { commit } => Self::Started { commit: places[commit] },
            Self::Finished { commit, build_seconds } => {
                Self::Finished { commit: places[commit], build_seconds }
            }
            Self::Failed { commit, reason } => Self::Failed { commit: places[commit], reason },
            Self::Linked { commit, links, wanted } => {
                Self::Linked { commit: places[commit], links, wanted }
            }
            other @ (Self::Waiting | Self::Note { .. }) => other,
        }
    }
}

/// Why what was built before is built again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Again {
    /// How many commits are.
    pub commits: usize,
    /// What is different now, each in a few words.
    pub changes: Vec<String>,
}

/// Builds the commits of one repository by one recipe.
#[derive(Debug)]
pub struct Builder {
    workshop: Workshop,
    /// Those of earlier builds, in which nobody is building now.
    worktrees: Vec<Worktree>,
}

impl Builder {
    /// A builder. What a killed one left in the repository's worktrees is removed.
    ///
    /// # Errors
    ///
    /// When the recipe is wrong, or the cache's folder cannot be used.
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
        let wrappers = (recipe.layouts > 0)
            .then(|| Wrappers::put(cache.root(), ingredients.path()))
            .transpose()
            .map_err(|error| CacheError::of(cache.root(), error))?;
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

    /// The same, going on from scratch when building on top of earlier builds turns out to save
    /// little: what was built from scratch needs no confirmation.
    #[must_use]
    pub fn thrifty(mut self) -> Self {
        self.workshop.savings = Some(Mutex::default());
        self
    }

    /// The same, with build commands run there.
    #[must_use]
    pub fn building_at(mut self, site: Option<Arc<dyn BuildSite>>) -> Self {
        self.workshop.site = site;
        self
    }

    /// Why commits that were built before have to be built again, and how many these are; none where
    /// there are none.
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

    /// Whether some of the commits are to be built on this machine: `Clean` asks for builds from
    /// scratch, and else any that would be used count.
    pub fn builds_here(&self, commits: &[Commit], trees: Trees) -> bool {
        let is_missing = |commit: &Commit| {
            let key = self.key(commit);
            let found = match trees {
                Trees::Incremental => self.workshop.find(&key),
                Trees::Clean => self.workshop.find_as(&key, Trees::Clean),
            };
            found.is_none()
        };
        self.workshop.site.is_none() && commits.iter().any(is_missing)
    }

    pub(super) fn workshop(&self) -> &Workshop {
        &self.workshop
    }

    fn key(&self, commit: &Commit) -> CacheKey {
        self.workshop.ingredients.key(&commit.tree)
    }

    /// All of the commits, built by up to `jobs` builders at once, in the order given. `on` hears
    /// of each as it happens.
    ///
    /// # Errors
    ///
    /// When building has to stop; that commits do not build is not an error.
    pub fn build_range(
        &mut self,
        commits: &[Commit],
        jobs: NonZeroUsize,
        on: &mut dyn FnMut(BuildEvent),
    ) -> Result<Vec<BuiltCommit>, BuildError> {
        self.all(commits, Workshop::find, along, jobs, on)
    }

    /// All of the commits, built from scratch by up to `jobs` builders at once, although
    /// incremental artefacts are there: each in the same place if that can be had, because
    /// programs may contain the path where they were built. `on` hears of each as it happens.
    ///
    /// # Errors
    ///
    /// When building has to stop; that commits do not build is not an error.
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

    /// Builds nothing on top of other builds from now on, and uses nothing that was built so.
    pub(super) fn build_from_scratch_only(&mut self) {
        self.workshop.ingredients.recipe.trees = Trees::Clean;
    }

    /// Removes the worktrees, so that the next builds begin from scratch, and nothing that builds
    /// have left is still being written to the disk while somebody measures.
    pub fn put_away(&mut self) {
        self.worktrees.clear();
    }

    /// What is known of the commits, and the rest built in turn; each tree once.
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
