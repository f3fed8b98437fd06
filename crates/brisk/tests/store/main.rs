//! The store: what is kept is read back, by several brisks at once, after a kill, and never at
//! the cost of a file that is not ours to write.

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
