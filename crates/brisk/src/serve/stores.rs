//! The store, read in threads of its own: a few connections, which wait for each other's turn.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task;

use crate::archive;
use crate::store::{Place, Store};
use model::failure::Failure;

/// So many pages are made at once. More would only wait for processors, and disturb what is measured.
const AT_ONCE: usize = 2;

/// Connections to one store.
#[derive(Debug)]
pub(super) struct Stores {
    place: Place,
    turns: Arc<Semaphore>,
    idle: Mutex<Vec<Open>>,
    /// A connection that only ever asks whether there is anything new, and what it saw.
    watching: Mutex<Option<(Open, i64)>>,
}

/// An open store, and which file that is, where it is one.
#[derive(Debug)]
struct Open {
    store: Store,
    file: Option<(u64, u64)>,
}

impl Stores {
    /// Nothing is opened yet, nor need there be anything.
    pub(super) fn at(place: Place) -> Arc<Self> {
        let turns = Arc::new(Semaphore::new(AT_ONCE));
        Arc::new(Self { place, turns, idle: Mutex::default(), watching: Mutex::default() })
    }

    /// Reads from the store, where there is one, in its turn, which lasts as long as what comes with the
    /// answer is kept. Nothing is read for somebody who goes away while waiting. `None` when it could not
    /// be read to the end.
    pub(super) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(Result<Option<&Store>, Failure>) -> T + Send + 'static,
    ) -> Option<(T, OwnedSemaphorePermit)> {
        let turn = Arc::clone(&self.turns).acquire_owned().await.ok()?;
        let stores = Arc::clone(self);
        // Whoever goes away while it is read keeps the turn until that is done.
        let reading = task::spawn_blocking(move || (stores.read_now(read), turn));
        reading.await.ok()
    }

    fn read_now<T>(&self, read: impl FnOnce(Result<Option<&Store>, Failure>) -> T) -> T {
        let file = file_at(&self.place);
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // Somebody may have put another file there.
        let idle = idle.filter(|open| open.file == file && file.is_some() && !open.store.is_gone());
        let mut open = match idle.map_or_else(|| open(&self.place), |open| Ok(Some(open))) {
            Ok(Some(open)) => open,
            Ok(None) => return read(Ok(None)),
            Err(failure) => return read(Err(failure)),
        };
        archive::recover_if_possible(&mut open.store);
        let answer = read(Ok(Some(&open.store)));
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(open);
        answer
    }

    /// Whether the store has changed since the last time. Where that cannot be told, it has.
    pub(super) async fn has_changed(self: &Arc<Self>) -> bool {
        let stores = Arc::clone(self);
        task::spawn_blocking(move || stores.has_changed_now()).await.unwrap_or(true)
    }

    fn has_changed_now(&self) -> bool {
        let mut watching = self.watching.lock().unwrap_or_else(PoisonError::into_inner);
        let known = watching
            .take()
            .filter(|(open, _)| open.file == file_at(&self.place) && !open.store.is_gone());
        let seen = known.as_ref().map(|(_, seen)| *seen);
        let opened = match known {
            Some((open, _)) => Ok(Some(open)),
            None => open(&self.place),
        };
        let Ok(Some(mut open)) = opened else { return true };
        // An experiment whose brisk was killed has ended, too, and this is who notices.
        let is_recovered = open.store.recover().is_ok_and(|recovered| !recovered.is_empty());
        let Ok(now) = open.store.version_of_data() else { return true };
        *watching = Some((open, now));
        is_recovered || seen != Some(now)
    }
}

fn open(place: &Place) -> Result<Option<Open>, Failure> {
    let file = file_at(place);
    Ok(Store::open_existing(place)?.map(|store| Open { store, file }))
}

/// Which file it is, whatever it is called; of a server, always the same.
fn file_at(place: &Place) -> Option<(u64, u64)> {
    match place {
        Place::File(path) => fs::metadata(path).ok().map(|file| (file.dev(), file.ino())),
        #[cfg(feature = "postgres")]
        Place::Server(_) => Some((0, 0)),
    }
}
