//! The journals of experiments that are being measured, and the recovery of their runs after a
//! kill.
//!
//! The launcher appends each finished run to its experiment's journal before it starts the next;
//! once a slice of runs is in the store, the journal is emptied. So a journal only holds the runs
//! that a kill would otherwise lose. The file is beside the store, in `<store>.inflight`, and is
//! locked while its brisk lives: if the lock is free, its brisk is dead.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use measure::{plain_file, read_journal};
use model::design::stopping::StopReason;
use model::metric::Source;
use model::run::Run;
use run::finished::place_of_tag;

use crate::database::{self, Database, Driver, values};
use crate::open::Access;
use crate::write::{Known, insert_runs};
use crate::{ExperimentId, ExperimentState, Store, StoreError, read, word};

/// The journal of an experiment that this process measures.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// For a store on a server: renews the lease that marks the experiment as being measured.
    #[cfg(feature = "postgres")]
    _renewal: Option<crate::deliver::Renewal>,
}

impl Journal {
    /// A handle to the open file, for the launcher, which only ever appends.
    pub fn file(&self) -> Result<File, StoreError> {
        self.file.try_clone().map_err(|source| StoreError::of_journal(&self.path, source))
    }

    /// Empties the journal, once its runs are in the store.
    pub fn clear(&self) -> Result<(), StoreError> {
        self.file.set_len(0).map_err(|source| StoreError::of_journal(&self.path, source))
    }

    /// The journal with a lease that is renewed while the journal is open.
    #[cfg(feature = "postgres")]
    pub(super) fn with(self, renewal: crate::deliver::Renewal) -> Self {
        Self { _renewal: Some(renewal), ..self }
    }

    /// Creates an empty journal and locks it.
    pub(super) fn create(folder: &Path, id: ExperimentId) -> Result<Self, StoreError> {
        let path = path(folder, id);
        let create = || {
            let mode = make_folder(folder)?;
            let mut options = OpenOptions::new();
            let file = plain_file::open(options.append(true).create(true).mode(mode), &path)?;
            file.try_lock()?;
            // A brisk killed before it could commit its experiment left the number free but the
            // journal behind.
            file.set_len(0)?;
            Ok(file)
        };
        match create() {
            Ok(file) => Ok(Self {
                file,
                path,
                #[cfg(feature = "postgres")]
                _renewal: None,
            }),
            Err(source) => Err(StoreError::of_journal(&path, source)),
        }
    }
}

/// Creates the folder of the journals; returns the mode of the journals, which gives access to the
/// owner of the store and to everyone who may write to it.
fn make_folder(folder: &Path) -> io::Result<u32> {
    let store = fs::metadata(folder.with_extension(""))?;
    let writers = store.mode() & 0o022;
    let mode = 0o600 | writers | writers << 1;
    match DirBuilder::new().mode(mode | (mode & 0o444) >> 2).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let found = fs::symlink_metadata(folder)?;
    if !found.is_dir() {
        return Err(io::Error::other("its folder is something else, such as a symbolic link"));
    }
    if found.uid() != store.uid() && found.uid() != 0 {
        return Err(io::Error::other("its folder belongs to somebody else"));
    }
    Ok(mode)
}

/// The owner of a journal.
pub(super) enum Owner {
    /// A living brisk, or its launcher.
    Alive,
    /// No process: the file, now locked by us.
    Dead(File),
    /// The journal does not exist.
    NoJournal,
}

/// Determines the owner of an experiment's journal, and locks it if the owner is dead.
pub(super) fn owner(folder: &Path, id: ExperimentId) -> Result<Owner, StoreError> {
    let path = path(folder, id);
    let file = match plain_file::open(OpenOptions::new().read(true), &path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Owner::NoJournal),
        Err(source) => return Err(StoreError::of_journal(&path, source)),
    };
    match file.try_lock() {
        Ok(()) => Ok(Owner::Dead(file)),
        Err(TryLockError::WouldBlock) => Ok(Owner::Alive),
        Err(TryLockError::Error(source)) => Err(StoreError::of_journal(&path, source)),
    }
}

/// The complete records of an experiment's journal; a kill or a full disk may have torn the last
/// one.
pub(super) fn runs(folder: &Path, id: ExperimentId) -> Result<Vec<Run>, StoreError> {
    let path = path(folder, id);
    let file = plain_file::open(OpenOptions::new().read(true), &path);
    match file.and_then(|file| runs_of(&file)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read.map_err(|source| StoreError::of_journal(&path, source)),
    }
}

/// The complete records of a journal.
pub(super) fn runs_of(mut journal: &File) -> io::Result<Vec<Run>> {
    let mut bytes = Vec::new();
    journal.read_to_end(&mut bytes)?;
    let (finished, _torn_or_not) = read_journal(&bytes);
    Ok(finished.iter().map(|run| run::finished::timed_run(place_of_tag(run.tag), run)).collect())
}

/// Removes the journal of an experiment that has ended.
pub(super) fn remove(folder: &Path, id: ExperimentId) {
    // An experiment that is not running is never looked up in its journal, and numbers are never
    // reused, so a file that remains does no harm.
    let _ = fs::remove_file(path(folder, id));
}

/// The suffix that turns a store's name into that of its journal folder.
const SUFFIX: &str = ".inflight";

/// The journal folder of the store at `store`.
pub(super) fn folder(store: &Path) -> PathBuf {
    let mut folder = store.as_os_str().to_owned();
    folder.push(SUFFIX);
    folder.into()
}

pub(super) fn path(folder: &Path, id: ExperimentId) -> PathBuf {
    folder.join(format!("{id}.journal"))
}

impl Store {
    /// Stores the finished runs of experiments whose brisk is dead, marks these experiments as
    /// interrupted, and returns them. A run in flight when its brisk died is lost. A read-only
    /// store is left as it is.
    ///
    /// # Errors
    ///
    /// When the store or a journal cannot be read or written; the journal is kept then.
    pub fn recover(&mut self) -> Result<Vec<ExperimentId>, StoreError> {
        let mut recovered = Vec::new();
        if self.access == Access::ReadOnly {
            return Ok(recovered);
        }
        let running = running(&self.database).map_err(|error| self.explain(error))?;
        for &(id, may_be_dead) in &running {
            match owner(&self.inflight, id)? {
                Owner::Alive => {}
                Owner::NoJournal if may_be_dead => self.interrupt(id, &[], &mut recovered)?,
                Owner::NoJournal => {}
                // The lock is held until the end of this iteration, so that no other process
                // recovers it meanwhile.
                Owner::Dead(journal) => self.recover_locked(id, &journal, &mut recovered)?,
            }
        }
        #[cfg(feature = "postgres")]
        if let Driver::Server(_) = self.database.driver() {
            let running: Vec<ExperimentId> = running.iter().map(|(id, _)| *id).collect();
            self.take_in_late(&running, &mut recovered)?;
        }
        Ok(recovered)
    }

    /// True if, as far as can be seen from this machine, the brisk measuring this unfinished
    /// experiment is gone.
    pub(super) fn is_abandoned(&self, id: ExperimentId) -> bool {
        match owner(&self.inflight, id) {
            Ok(Owner::Dead(_)) => true,
            Ok(Owner::NoJournal) => matches!(self.database.driver(), Driver::Sqlite(_)),
            Ok(Owner::Alive) | Err(_) => false,
        }
    }

    /// The given runs that an experiment does not have; `None` if it has a different run in the
    /// place of one of them.
    pub fn lacking(&self, id: ExperimentId, runs: &[Run]) -> Result<Option<Vec<Run>>, StoreError> {
        let mut lacking = Vec::new();
        for run in runs {
            match stored_at(&self.database, id, run).map_err(|error| self.explain(error))? {
                None => lacking.push(run.clone()),
                Some(started) if started == run.started_unix_ns => {}
                Some(_) => return Ok(None),
            }
        }
        Ok(Some(lacking))
    }

    fn recover_locked(
        &mut self,
        id: ExperimentId,
        journal: &File,
        recovered: &mut Vec<ExperimentId>,
    ) -> Result<(), StoreError> {
        #[cfg(feature = "postgres")]
        self.deliver_spooled(id)?;
        let runs = runs_of(journal)
            .map_err(|error| StoreError::of_journal(&path(&self.inflight, id), error))?;
        self.interrupt(id, &runs, recovered)?;
        remove(&self.inflight, id);
        Ok(())
    }

    fn interrupt(
        &mut self,
        id: ExperimentId,
        runs: &[Run],
        recovered: &mut Vec<ExperimentId>,
    ) -> Result<(), StoreError> {
        let interrupted = interrupt(&self.database, id, runs);
        if interrupted.map_err(|error| self.explain(error))? {
            recovered.push(id);
        }
        Ok(())
    }
}

/// The experiments that have not ended according to the store, each with true if it is dead should
/// it have no journal on this machine: on a server, another machine may be measuring it.
fn running(database: &Database) -> database::Result<Vec<(ExperimentId, bool)>> {
    let select = match database.driver() {
        Driver::Sqlite(_) => "SELECT id, 1 FROM experiment WHERE state = 'running' ORDER BY id",
        #[cfg(feature = "postgres")]
        Driver::Server(_) => {
            "SELECT id, (coalesce(until, '-infinity') < now())::int FROM experiment
                 LEFT JOIN lease ON lease.experiment = id
             WHERE state = 'running' ORDER BY id"
        }
    };
    database.rows(select, &[], |row| Ok((ExperimentId(row.get(0)?), row.get(1)?)))
}

/// The runs that the store does not have: a kill between storing a slice and emptying the journal
/// leaves runs in both.
pub(super) fn lacking(
    database: &Database,
    id: ExperimentId,
    mut runs: Vec<Run>,
) -> database::Result<Vec<Run>> {
    let stored: database::Result<Vec<bool>> =
        runs.iter().map(|run| Ok(stored_at(database, id, run)?.is_some())).collect();
    let mut stored = stored?.into_iter();
    runs.retain(|_| stored.next() == Some(false));
    Ok(runs)
}

/// Marks a dead experiment as interrupted and adds its missing runs; false if it was not dead after
/// all.
pub(super) fn interrupt(
    database: &Database,
    id: ExperimentId,
    runs: &[Run],
) -> database::Result<bool> {
    let transaction = database.write()?;
    // It may have ended, or been recovered, since it was listed.
    if !read::is_running(&transaction, id)? {
        return Ok(false);
    }
    let lacking = lacking(&transaction, id, runs.to_vec())?;
    insert_runs(&transaction, &mut Known::default(), id, &lacking)?;
    transaction.execute(
        "UPDATE experiment SET state = ?2, stop_reason = ?3, runs = runs + ?4, rounds = ?5
         WHERE id = ?1",
        &values![
            id.0,
            word(&ExperimentState::Interrupted),
            word(&StopReason::Interrupted),
            lacking.len(),
            whole_rounds(&transaction, id)?,
        ],
    )?;
    transaction.commit()?;
    Ok(true)
}

/// The start time of the stored run in the same place, if there is one.
fn stored_at(database: &Database, id: ExperimentId, run: &Run) -> database::Result<Option<u64>> {
    let place = run.place;
    let select = "SELECT started_unix_ns FROM run WHERE experiment = ?1 AND source = ?2
                      AND warmup = ?3 AND round = ?4 AND position = ?5";
    let values = values![id.0, place.source.word(), place.warmup, place.round, place.position];
    database.row(select, &values, |row| row.get(0))
}

/// The number of measured rounds that visited every variant.
fn whole_rounds(database: &Database, id: ExperimentId) -> database::Result<u32> {
    let select = "SELECT round, count(*), (SELECT variants FROM experiment WHERE id = ?1) FROM run
                  WHERE experiment = ?1 AND source = ?2 AND warmup = 0
                  GROUP BY round ORDER BY round DESC LIMIT 1";
    let last = database.row(select, &values![id.0, Source::Run.word()], |row| {
        let (round, runs, variants): (u32, u32, u32) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(round + u32::from(runs == variants))
    })?;
    Ok(last.unwrap_or(0))
}
