//! Notifying pages of changes (server-sent events; HTML Standard, 9.2).

use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::{sleep, timeout};

use super::answer::stamp;
use super::asked::Watched;
use super::stores::Stores;

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
