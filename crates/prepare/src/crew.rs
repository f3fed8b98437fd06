//! Several builders at once, each in its own worktree, and their reports.
//!
//! The `Rota` that they share assigns the builds. When one builder has to stop, all do.
//!
//! Numbered folders, each used by one process at a time.
//!
//! The file `N.lock` beside the folder `N` is locked while the folder is in use; the kernel unlocks
//! it however the process ends. So a folder whose lock is free was left behind. Lock files are
//! never removed: another process may be about to lock the same one.

use super::build::Overseer;
use super::builder::{BuildError, BuildEvent, Workshop, lock};
use super::failure::BuiltCommit;
use super::layouts;
use super::places::{Places, Waiting};
use super::range::Commit;
use super::recipe::Trees;
use super::stretches::Stretches;
use super::worktree::Worktree;
use measure::interrupt;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{fs, io, thread};

/// The interval of the events that report passing time.
const TICK: Duration = Duration::from_secs(1);

/// The order of builds, and their builders.
#[derive(Debug)]
pub(super) enum Rota {
    /// Along neighbours, as in the recipe.
    Along {
        /// The stretches, as indices into `commits`.
        stretches: Stretches,
        /// The commits to build.
        commits: Vec<usize>,
    },
    /// From scratch, each in its earlier worktree.
    Again(Places),
}

impl Rota {
    fn next(&mut self, builder: usize) -> Option<Waiting> {
        match self {
            Self::Along { stretches, commits } => {
                let commit = commits[stretches.next(builder)?];
                Some(Waiting { commit, place: None })
            }
            Self::Again(places) => places.next(builder),
        }
    }

    /// True if the worktree of this number is reserved for a commit.
    fn wants(&self, number: u32) -> bool {
        match self {
            Self::Along { .. } => false,
            Self::Again(places) => places.wants(number),
        }
    }
}

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
            let asked = (&self.commits[commit], self.trees);
            let built = self.workshop.build(&mut worktree, asked, overseer)?;
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
        match self.trees {
            Trees::Incremental => self.workshop.find(&key),
            Trees::Clean => self.workshop.find_as(&key, Trees::Clean),
        }
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

/// A numbered folder owned by this process. The folder itself may exist, with any contents, or not.
#[derive(Debug)]
pub struct Slot {
    /// Its number, from 0.
    pub number: u32,
    /// Its folder.
    pub folder: PathBuf,
    lock: File,
}

/// More builders than any machine runs at once; if this many slots are taken, something is wrong.
const MOST: u32 = 10_000;

impl Slot {
    /// The slot with this number, unless another process uses it.
    pub fn take(parent: &Path, number: u32) -> io::Result<Option<Self>> {
        fs::create_dir_all(parent)?;
        let path = parent.join(format!("{number}.lock"));
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        match lock.try_lock() {
            Ok(()) => {
                let folder = parent.join(number.to_string());
                Ok(Some(Self { number, folder, lock }))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// The first free slot.
    pub fn first_free(parent: &Path) -> io::Result<Self> {
        for number in 0..MOST {
            if let Some(slot) = Self::take(parent, number)? {
                return Ok(slot);
            }
        }
        Err(io::Error::other("all of them are in use"))
    }

    /// The slots whose folders were left behind.
    pub fn left_behind(parent: &Path) -> io::Result<Vec<Self>> {
        let entries = match fs::read_dir(parent) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut slots = Vec::new();
        for entry in entries {
            let number = entry?.file_name().to_str().and_then(|name| name.parse().ok());
            if let Some(number) = number {
                slots.extend(Self::take(parent, number)?);
            }
        }
        Ok(slots)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // Closing does not unlock while another thread is starting a program, which still has a
        // copy of the descriptor. On failure, the slot only stays taken for longer.
        let _ = self.lock.unlock();
    }
}

/// Removes a folder with all contents, even if builds made them read-only; succeeds if it does not
/// exist. Symbolic links are not followed.
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    let gone = |result: io::Result<()>| match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    match gone(fs::remove_dir_all(folder)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            allow_removal(folder)?;
            gone(fs::remove_dir_all(folder))
        }
        other => other,
    }
}

fn allow_removal(folder: &Path) -> io::Result<()> {
    let mut permissions = fs::metadata(folder)?.permissions();
    permissions.set_mode(permissions.mode() | 0o700);
    fs::set_permissions(folder, permissions)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            allow_removal(&entry.path())?;
        }
    }
    Ok(())
}
