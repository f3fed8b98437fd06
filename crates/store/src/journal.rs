//! The journals of experiments that are being measured.
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

use super::{ExperimentId, StoreError};
use model::run::Run;
use run::finished::place_of_tag;

/// The journal of an experiment that this process measures.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// For a store on a server: renews the lease that marks the experiment as being measured.
    #[cfg(feature = "postgres")]
    _renewal: Option<super::lease::Renewal>,
}

impl Journal {
    /// A handle to the open file, for the launcher, which only ever appends.
    ///
    /// # Errors
    ///
    /// When there are too many open files.
    pub fn file(&self) -> Result<File, StoreError> {
        self.file.try_clone().map_err(|source| StoreError::of_journal(&self.path, source))
    }

    /// Empties the journal, once its runs are in the store.
    ///
    /// # Errors
    ///
    /// When the file cannot be truncated.
    pub fn clear(&self) -> Result<(), StoreError> {
        self.file.set_len(0).map_err(|source| StoreError::of_journal(&self.path, source))
    }

    /// The journal with a lease that is renewed while the journal is open.
    #[cfg(feature = "postgres")]
    pub(super) fn with(self, renewal: super::lease::Renewal) -> Self {
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
