//! Several builders at once, each in its own worktree, and their reports.
//!
//! The `Rota` that they share assigns the builds. When one builder has to stop, all do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use measure::interrupt;

use crate::artifact::BuiltCommit;
use crate::build::Overseer;
use crate::builder::{BuildError, BuildEvent, Workshop, lock};
use crate::layouts;
use crate::range::Commit;
use crate::recipe::Trees;
use crate::rota::{Rota, Waiting};
use crate::worktree::Worktree;

/// The interval of the events that report passing time.
const TICK: Duration = Duration::from_secs(1);

/// The state that builders of the same commits share.
pub(super) struct Crew<'a> {
    workshop: &'a Workshop,
    commits: &'a [Commit],
    trees: Trees,
    rota: Mutex<Rota>,
    /// Worktrees in which no build is running.
    worktrees: Mutex<Vec<Worktree>>,
    /// For each commit being built, the folder of its links in further orders.
    links: Mutex<BTreeMap<usize, PathBuf>>,
    stopped: AtomicBool,
    requests: u32,
}

/// The products of all builders.
pub(super) struct Made {
    /// The result of each commit.
    pub(super) built: Vec<(usize, BuiltCommit)>,
    /// The worktrees, for the next builds.
    pub(super) worktrees: Vec<Worktree>,
}

/// The report of a builder's thread.
enum Report {
    Event(BuildEvent),
    Built(usize, BuiltCommit),
    Stopped(BuildError),
}

impl<'a> Crew<'a> {
    /// Builders of these commits, which begin in these worktrees. The first `requests` signals are
    /// ignored.
    pub(super) fn new(
        workshop: &'a Workshop,
        commits: &'a [Commit],
        rota: Rota,
        worktrees: Vec<Worktree>,
        requests: u32,
    ) -> Self {
        let trees = match rota {
            Rota::Along { .. } => workshop.ingredients.recipe.trees,
            Rota::Again(_) => Trees::Clean,
        };
        Self {
            workshop,
            commits,
            trees,
            rota: Mutex::new(rota),
            worktrees: Mutex::new(worktrees),
            links: Mutex::default(),
            stopped: AtomicBool::new(false),
            requests,
        }
    }

    /// Builds until all commits are done.
    pub(super) fn build(
        self,
        builders: usize,
        on: &mut dyn FnMut(BuildEvent),
    ) -> Result<Made, BuildError> {
        let (reports, arriving) = channel();
        let mut all = Vec::new();
        let mut stopped = None;
        thread::scope(|scope| {
            for builder in 0..builders {
                let (crew, reports) = (&self, reports.clone());
                scope.spawn(move || {
                    if let Err(error) = crew.work(builder, &reports) {
                        crew.stopped.store(true, Ordering::SeqCst);
                        // The receiver lives as long as this scope.
                        let _ = reports.send(Report::Stopped(error));
                    }
                });
            }
            drop(reports);
            loop {
                match arriving.recv_timeout(TICK) {
                    Ok(Report::Event(event)) => on(event),
                    Ok(Report::Built(place, built)) => all.push((place, built)),
                    Ok(Report::Stopped(error)) => stopped = stopped.take().or(Some(error)),
                    Err(RecvTimeoutError::Timeout) => {
                        self.linked().into_iter().for_each(&mut *on);
                        on(BuildEvent::Waiting);
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        });
        let worktrees = self.worktrees.into_inner().unwrap_or_else(PoisonError::into_inner);
        stopped.map_or(Ok(Made { built: all, worktrees }), Err)
    }

    /// The progress of the links in further orders.
    fn linked(&self) -> Vec<BuildEvent> {
        let wanted = self.workshop.ingredients.recipe.layouts;
        let folders = lock(&self.links);
        let event = |(&commit, folder): (&usize, &PathBuf)| BuildEvent::Linked {
            commit,
            links: layouts::count(folder),
            wanted,
        };
        folders.iter().filter(|_| wanted > 0).map(event).collect()
    }

    /// The next build for this builder; `None` after a builder had to stop.
    fn next(&self, builder: usize) -> Option<Waiting> {
        if self.stopped.load(Ordering::SeqCst) {
            return None;
        }
        lock(&self.rota).next(builder)
    }

    /// One builder's work, until all commits are done or a builder has to stop.
    fn work(&self, builder: usize, reports: &Sender<Report>) -> Result<(), BuildError> {
        let mut worktree = None;
        // The receiver lives longer than any builder.
        let tell = |report| drop(reports.send(report));
        while let Some(Waiting { commit, place }) = self.next(builder) {
            if interrupt::requests() > self.requests {
                return Err(BuildError::Interrupted);
            }
            // Another brisk process may have built it meanwhile.
            if let Some(built) = self.find(commit) {
                tell(Report::Event(BuildEvent::Found { commit }));
                tell(Report::Built(commit, built));
                continue;
            }
            tell(Report::Event(BuildEvent::Started { commit }));
            self.go_to(place, &mut worktree, &self.commits[commit].hash)?;
            let say = |text: &str| tell(Report::Event(BuildEvent::Note { text: text.to_owned() }));
            let links = |folder: &Path| drop(lock(&self.links).insert(commit, folder.to_owned()));
            let overseer = Overseer { requests: self.requests, say: &say, links: &links };
            let asked = &self.commits[commit];
            let built = self.workshop.build(&mut worktree, asked, self.trees, overseer)?;
            lock(&self.links).remove(&commit);
            tell(Report::Event(match &built.outcome {
                Ok(artifact) => {
                    BuildEvent::Finished { commit, build_seconds: artifact.build_seconds }
                }
                Err(failure) => BuildEvent::Failed { commit, reason: failure.reason.clone() },
            }));
            tell(Report::Built(commit, built));
        }
        lock(&self.worktrees).extend(worktree);
        Ok(())
    }

    fn find(&self, commit: usize) -> Option<BuiltCommit> {
        let key = self.workshop.ingredients.key(&self.commits[commit].tree);
        self.workshop.find_for(&key, self.trees)
    }

    /// Makes `worktree` the one with this number, if possible; without a number, keeps the current
    /// one or takes any that is not reserved. No other builder of the crew is in the numbered one.
    fn go_to(
        &self,
        place: Option<u32>,
        worktree: &mut Option<Worktree>,
        commit: &str,
    ) -> Result<(), BuildError> {
        let Some(number) = place else {
            if worktree.is_none() {
                let rota = lock(&self.rota);
                let mut free = lock(&self.worktrees);
                let found = free.iter().rposition(|one| !rota.wants(one.number()));
                *worktree = found.map(|found| free.remove(found));
            }
            return Ok(());
        };
        if worktree.as_ref().is_some_and(|own| own.number() == number) {
            return Ok(());
        }
        let there = {
            let mut free = lock(&self.worktrees);
            let found = free.iter().position(|one| one.number() == number);
            found.map(|found| free.swap_remove(found))
        };
        // Dropped first, so that worktrees never outnumber builders.
        *worktree = None;
        *worktree = Some(match there {
            Some(there) => there,
            None => self.workshop.worktrees.add(commit, Some(number))?,
        });
        Ok(())
    }
}
