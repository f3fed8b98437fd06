//! The store: data is read back, by several brisks at once and after a kill, and never at the cost
//! of a file that brisk must not write.

mod curves;
#[cfg(feature = "postgres")]
#[path = "../engines/postgres.rs"]
mod engine;
mod given;
mod inspections;
mod keeping;
mod killed;
mod measurements;
mod private;
mod schema;
#[cfg(feature = "postgres")]
mod server;
mod trouble;
