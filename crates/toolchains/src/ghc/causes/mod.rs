//! Why a program compiled by GHC costs what it costs: causes, found in its Core.
//!
//! A [`Cause`] is a pattern that is known to cost time or memory, such as a function that is called
//! with more arguments than it takes at once. It looks at a [`Program`]: the Core of its modules, what
//! GHC said while it compiled them, and what the counters of a run said. What it sees it gives back as
//! a [`Finding`]. (GHC's own word *rule* means something else, its rewrite rules.)
//!
//! | file | what it has |
//! |---|---|
//! | `program` | what a cause sees |
//! | `cause` | what a cause is, and what it needs to see anything |
//! | `finding` | what a cause says |
//! | `costs` | what the bindings of a run cost, by its ticky counters |
//! | `doubts` | what does not belong together, or could not be read |
//! | `examine` | all causes over one program, ranked by cost |
//! | `names` | names of Core as names of the source |
//! | `said` | what GHC says it did while it compiles: rules fired, functions inlined |
//! | one file for each cause | |
//!
//! To add a cause: a file with a `pub static`, and a line in [`ALL`].

pub mod cause;
pub mod costs;
pub mod doubts;
pub mod examine;
pub mod finding;
pub mod names;
pub mod program;
pub mod said;

mod missing_optimisation;
mod over_saturated_calls;

pub use cause::{Cause, Look, Need, Paid};
pub use examine::{Examination, examine};
pub use finding::{Basis, Change, Evidence, Finding, Remedy};
pub use program::{Module, Program, Site};

/// All causes that are known. Where nothing was measured, findings are told in this order.
pub static ALL: [&Cause; 2] = [&missing_optimisation::CAUSE, &over_saturated_calls::CAUSE];
