//! The store of a running experiment, as its conductor sees it.

use run::ObserverError;
use store::record::Event;

/// Stores events.
pub trait Keeper {
    /// Stores an event; on return it is durable.
    fn keep(&mut self, event: Event<'_>) -> Result<(), ObserverError>;
}
