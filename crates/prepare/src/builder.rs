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

/// Reasons that building stopped. Commits built before that are in the cache.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The recipe cannot be used for any commit.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// No worktree could be made.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    /// The cache cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// Git cannot be used.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The end of a remote build is unknown.
    #[error(transparent)]
    Site(#[from] SiteError),
    /// A signal asked brisk to stop.
    #[error("interrupted while building")]
    Interrupted,
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
    workshop: Workshop,
    /// Worktrees of earlier builds, in which no build is running.
    worktrees: Vec<Worktree>,
}

impl Builder {
    /// A builder. Leftovers of a killed one are removed from the repository's worktrees.
    ///
    /// # Errors
    ///
    /// When the recipe cannot be used, or the cache's folder cannot be used.
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

    /// From now on, builds only from scratch, and ignores incremental artefacts.
    pub(super) fn build_from_scratch_only(&mut self) {
        self.workshop.ingredients.recipe.trees = Trees::Clean;
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
