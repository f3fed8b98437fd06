//! Builds commits, or finds that they were built before.
//!
//! A builder walks: it keeps one worktree and goes from commit to commit in it, so that each build
//! finds what the last one left. Because that can go wrong, a commit whose build fails in a used
//! worktree is built once more in a fresh one before it counts as failed, and [`Builder::confirm`]
//! builds a commit cleanly although an incremental artefact is there. A range is divided among
//! several builders, each with a contiguous stretch. When a function here has returned, nothing is
//! being built any more.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use measure::interrupt;

use super::built::{Built, Confirmation};
use super::cache::{Cache, CacheError, Stored};
use super::failure::FailureReason;
use super::git::{GitError, Repository};
use super::range::Commit;
use super::recipe::{CacheKey, Ingredients, Recipe, RecipeError, Trees};
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
            Self::Worktree(_) => {
                Some("worktrees are kept beside the artefacts; `BRISK_CACHE` moves both".to_owned())
            }
            Self::Interrupted => {
                Some("the same command goes on where it was; what was built is kept".to_owned())
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
    /// Its build failed.
    Failed {
        /// Which commit.
        commit: usize,
        /// Why.
        reason: FailureReason,
    },
}

/// Builds the commits of one repository by one recipe.
#[derive(Debug)]
pub struct Builder {
    workshop: Workshop,
    worktree: Option<Worktree>,
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
        let workshop = Workshop { repository, cache, ingredients, worktrees, retry };
        Ok(Self { workshop, worktree: None })
    }

    /// The key of a commit.
    pub fn key(&self, commit: &Commit) -> CacheKey {
        self.workshop.ingredients.key(&commit.tree)
    }

    /// What is known about a commit without building it.
    pub fn find(&self, commit: &Commit) -> Option<Built> {
        self.workshop.find(&self.key(commit))
    }

    /// The commit, built. The worktree stays for the next one until the builder is dropped.
    ///
    /// # Errors
    ///
    /// When building has to stop; that this commit does not build is not an error.
    pub fn get(&mut self, commit: &Commit) -> Result<Built, BuildError> {
        let requests = interrupt::requests();
        match self.find(commit) {
            Some(built) => Ok(built),
            None => self.workshop.build(&mut self.worktree, commit, requests),
        }
    }

    /// The commit, built in a fresh worktree, although an incremental artefact is there: in the
    /// same place if that is free, because programs may contain the path where they were built.
    ///
    /// # Errors
    ///
    /// When building has to stop.
    pub fn confirm(&mut self, commit: &Commit) -> Result<Confirmation, BuildError> {
        let requests = interrupt::requests();
        let key = self.key(commit);
        let before = self.workshop.cache.find(&key, Trees::Incremental);
        let incremental = before.as_ref().and_then(|entry| match &entry.meta.outcome {
            Stored::Built { digest, .. } => Some(digest.clone()),
            Stored::Failed { .. } => None,
        });
        let clean = match self.workshop.find_as(&key, Trees::Clean) {
            Some(built) => built,
            None => {
                // So that its place is free.
                self.worktree = None;
                let place = before.map(|entry| entry.meta.worktree);
                let mut worktree = Some(self.workshop.worktrees.add(&commit.hash, place)?);
                self.workshop.build(&mut worktree, commit, requests)?
            }
        };
        Ok(Confirmation { clean, incremental })
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
    ) -> Result<Vec<Built>, BuildError> {
        let requests = interrupt::requests();
        self.worktree = None;
        let keys: Vec<CacheKey> = commits.iter().map(|commit| self.key(commit)).collect();
        let mut known: HashMap<&CacheKey, Built> = HashMap::new();
        let mut seen = HashSet::new();
        let mut places = Vec::new();
        for (place, key) in keys.iter().enumerate().filter(|(_, key)| seen.insert(*key)) {
            match self.workshop.find(key) {
                Some(built) => drop(known.insert(key, built)),
                None => places.push(place),
            }
        }
        let to_build: HashSet<usize> = places.iter().copied().collect();
        for commit in (0..commits.len()).filter(|place| !to_build.contains(place)) {
            on(BuildEvent::Found { commit });
        }
        for (place, built) in self.workshop.build_all(commits, &places, jobs, requests, on)? {
            known.insert(&keys[place], built);
        }
        let all = keys.iter().map(|key| known.get(key).cloned());
        all.collect::<Option<_>>().ok_or(BuildError::Interrupted)
    }
}

/// What the threads of builders share.
struct Shared {
    stretches: Mutex<Stretches>,
    stopped: AtomicBool,
    requests: u32,
}

impl Shared {
    /// The next build for this builder, unless somebody had to stop.
    fn next(&self, builder: usize) -> Option<usize> {
        if self.stopped.load(Ordering::SeqCst) {
            return None;
        }
        // Nothing can panic while it is held.
        self.stretches.lock().unwrap_or_else(PoisonError::into_inner).next(builder)
    }
}

/// What a builder's thread reports.
enum Report {
    Event(BuildEvent),
    Built(usize, Built),
    Stopped(BuildError),
}

impl Workshop {
    fn build_all(
        &self,
        commits: &[Commit],
        places: &[usize],
        jobs: NonZeroUsize,
        requests: u32,
        on: &mut dyn FnMut(BuildEvent),
    ) -> Result<Vec<(usize, Built)>, BuildError> {
        let builders = jobs.get().min(places.len());
        let shared = Shared {
            stretches: Mutex::new(Stretches::new(places.len(), builders)),
            stopped: AtomicBool::new(false),
            requests,
        };
        let (reports, arriving) = channel();
        let mut all = Vec::new();
        let mut stopped = None;
        thread::scope(|scope| {
            for builder in 0..builders {
                let (shared, reports) = (&shared, reports.clone());
                scope.spawn(move || {
                    if let Err(error) = self.work(builder, (commits, places), shared, &reports) {
                        shared.stopped.store(true, Ordering::SeqCst);
                        // The receiver lives as long as this scope.
                        let _ = reports.send(Report::Stopped(error));
                    }
                });
            }
            drop(reports);
            for report in arriving {
                match report {
                    Report::Event(event) => on(event),
                    Report::Built(place, built) => all.push((place, built)),
                    Report::Stopped(error) => stopped = stopped.take().or(Some(error)),
                }
            }
        });
        stopped.map_or(Ok(all), Err)
    }

    /// One builder's work, until nothing is left or somebody has to stop.
    fn work(
        &self,
        builder: usize,
        (commits, places): (&[Commit], &[usize]),
        shared: &Shared,
        reports: &Sender<Report>,
    ) -> Result<(), BuildError> {
        let mut worktree = None;
        // The receiver lives longer than any builder.
        let tell = |report| drop(reports.send(report));
        while let Some(next) = shared.next(builder) {
            if interrupt::requests() > shared.requests {
                return Err(BuildError::Interrupted);
            }
            let commit = places[next];
            // Another brisk may have built it meanwhile.
            if let Some(built) = self.find(&self.ingredients.key(&commits[commit].tree)) {
                tell(Report::Event(BuildEvent::Found { commit }));
                tell(Report::Built(commit, built));
                continue;
            }
            tell(Report::Event(BuildEvent::Started { commit }));
            let built = self.build(&mut worktree, &commits[commit], shared.requests)?;
            tell(Report::Event(match &built.outcome {
                Ok(artifact) => {
                    BuildEvent::Finished { commit, build_seconds: artifact.build_seconds }
                }
                Err(failure) => BuildEvent::Failed { commit, reason: failure.reason.clone() },
            }));
            tell(Report::Built(commit, built));
        }
        Ok(())
    }
}
