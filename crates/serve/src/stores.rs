//! The store, read in separate threads by a few connections, which take turns; and the news of its
//! changes for the pages that watch (server-sent events; HTML Standard, 9.2).

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::body::Bytes;
use laboratory::archive;
use model::failure::Failure;
use store::{Place, Store};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task;
use tokio::time::{sleep, timeout};

use super::answer::stamp;
use super::asked::Watched;

/// The number of pages made at once. More would only wait for processors, and disturb measurements.
const AT_ONCE: usize = 2;

/// Connections to one store.
#[derive(Debug)]
pub(super) struct Stores {
    place: Place,
    turns: Arc<Semaphore>,
    idle: Mutex<Vec<Open>>,
    /// A connection that only checks for changes, and the version that it saw.
    watching: Mutex<Option<(Open, i64)>>,
}

/// An open store, and its file, if it is one.
#[derive(Debug)]
struct Open {
    store: Store,
    file: Option<(u64, u64)>,
}

impl Stores {
    /// Opens nothing yet; the store need not exist.
    pub(super) fn at(place: Place) -> Arc<Self> {
        let turns = Arc::new(Semaphore::new(AT_ONCE));
        Arc::new(Self { place, turns, idle: Mutex::default(), watching: Mutex::default() })
    }

    /// Reads from the store, if it exists, in its turn, which lasts until the returned permit is
    /// dropped. A caller that goes away while waiting causes no read. `None` if the read did not
    /// finish.
    pub(super) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(Result<Option<&Store>, Failure>) -> T + Send + 'static,
    ) -> Option<(T, OwnedSemaphorePermit)> {
        let turn = Arc::clone(&self.turns).acquire_owned().await.ok()?;
        let stores = Arc::clone(self);
        // If the caller goes away during the read, the turn lasts until the read is done.
        let reading = task::spawn_blocking(move || (stores.read_now(read), turn));
        reading.await.ok()
    }

    fn read_now<T>(&self, read: impl FnOnce(Result<Option<&Store>, Failure>) -> T) -> T {
        let file = file_at(&self.place);
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // Another process may have put a different file there.
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

    /// True if the store has changed since the last call, or if that is unknown.
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
        // An experiment of a killed brisk process has ended, too, and is detected here.
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

/// The device and the inode of the file, which do not depend on its name; constant for a server.
fn file_at(place: &Place) -> Option<(u64, u64)> {
    match place {
        Place::File(path) => fs::metadata(path).ok().map(|file| (file.dev(), file.ino())),
        #[cfg(feature = "postgres")]
        Place::Server(_) => Some((0, 0)),
    }
}

/// The interval at which the store is checked for changes while any page watches.
const EVERY: Duration = Duration::from_secs(1);
/// The interval of empty messages, which reveal clients that have gone.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

const CHANGED: &[u8] = b"data: changed\n\n";
const NOTHING: &[u8] = b":\n\n";

/// The source of news.
#[derive(Debug)]
pub(super) struct News {
    stores: Arc<Stores>,
    changes: watch::Sender<()>,
    wanted: Notify,
}

impl News {
    /// The news of this store.
    pub(super) fn from_stores(stores: Arc<Stores>) -> Arc<Self> {
        let (changes, _) = watch::channel(());
        Arc::new(Self { stores, changes, wanted: Notify::new() })
    }

    /// Gathers news while the server lives; sleeps while no page watches.
    pub(super) async fn gather(self: Arc<Self>) {
        loop {
            if self.changes.receiver_count() == 0 {
                self.wanted.notified().await;
            }
            sleep(EVERY).await;
            if self.stores.has_changed().await {
                self.changes.send_replace(());
            }
        }
    }

    /// Events for a page that watches something. The event of a change is the last.
    pub(super) fn events(self: &Arc<Self>, watched: Watched) -> mpsc::Receiver<Bytes> {
        let (events, received) = mpsc::channel(1);
        let changes = self.changes.subscribe();
        self.wanted.notify_one();
        tokio::spawn(tell(Arc::clone(&self.stores), watched, changes, events));
        received
    }
}

async fn tell(
    stores: Arc<Stores>,
    watched: Watched,
    mut changes: watch::Receiver<()>,
    events: mpsc::Sender<Bytes>,
) {
    let Watched { experiment, seen } = watched;
    let mut is_new = true;
    while !events.is_closed() {
        if is_new && is_other(&stores, experiment, &seen).await {
            let _ = events.send(Bytes::from_static(CHANGED)).await;
            return;
        }
        // A client that has gone receives no more.
        if events.send(Bytes::from_static(NOTHING)).await.is_err() {
            return;
        }
        is_new = timeout(SIGN_OF_LIFE, changes.changed()).await.is_ok();
    }
}

/// True if there has been progress since `seen`. False if the store cannot be read.
async fn is_other(
    stores: &Arc<Stores>,
    experiment: Option<store::ExperimentId>,
    seen: &str,
) -> bool {
    let seen = seen.to_owned();
    let asked = stores.read(move |store| match store {
        Ok(Some(store)) => stamp(experiment, store).is_ok_and(|now| now != seen),
        Ok(None) | Err(_) => false,
    });
    asked.await.is_some_and(|(is_other, _)| is_other)
}
