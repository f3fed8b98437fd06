//! Search for the runtime settings with which a program is fastest, in few runs.
//!
//! A [`Space`] defines the choices; a [`Search`] asks for batches of runs in it, is given their
//! outcomes, and names at most three [`Candidates`]. A fresh experiment, the confirmation, then
//! decides if they are better. Nothing here runs anything, or knows the meaning of a point:
//! `toolchains::runtime::tuning` knows the knobs.

mod climb;
mod search;
mod space;

pub use climb::{Estimate, Outcome};
pub use search::{Candidates, LEAST_RUNS, NotAsked, Options, Search, SearchError};
pub use space::{Axis, Order, Point, Space, SpaceError};

model::failures_from! { NotAsked, SearchError, SpaceError }
