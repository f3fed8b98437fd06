//! Finding the settings of a runtime with which a program is fastest, in few runs.
//!
//! A [`Space`] says what can be chosen; a [`Search`] asks for batches of runs in it, is told how they
//! ended, and names at most three [`Candidates`]. Whether they are any better is then decided by a
//! fresh experiment, the confirmation. Nothing here runs anything, or knows what a
//! point means: `toolchains::runtime::tuning` knows the knobs.

mod candidates;
mod climb;
mod confirm;
mod record;
mod screen;
mod search;
mod space;

pub use candidates::Candidates;
pub use record::{Estimate, Outcome};
pub use search::{LEAST_RUNS, NotAsked, Options, Search, SearchError};
pub use space::{Axis, Order, Point, Space, SpaceError};
