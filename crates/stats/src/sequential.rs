//! Looking while an experiment grows: group-sequential boundaries.
//!
//! Testing at 5 % after every few rounds and stopping at the first success is wrong far more often
//! than 5 % of the time. A group-sequential boundary spends the 5 % over the looks: at each one it
//! gives the (smaller) level of the interval, so that the probability that *any* of these intervals
//! misses the truth is at most `alpha` (repeated confidence intervals: Jennison and Turnbull, *JRSS
//! B* 51, 1989). The spent share is a function of a clock that must not depend on the measurements
//! (Lan and DeMets, *Biometrika* 70, 1983): rounds done over rounds allowed, or time spent over
//! budget.
//!
//! The level of a look follows from the joint distribution of the statistics at all looks so far,
//! by the recursive integration of Armitage, McPherson and Rowe (*JRSS A* 132, 1969). That
//! distribution is taken as the canonical one: normal, with independent increments, the correlation
//! of two looks being the square root of the ratio of their [`information()`]. The normality is an
//! approximation, the information a bound; both are documented where they are used.
//!
//! The boundary assumes that the process has not crossed so far. If it has crossed and the caller
//! continues all the same, the spent error stays spent: the density continues with the part that
//! did not cross. A finding should then be kept, because the level was spent on it.

mod boundary;
mod foresight;
mod information;
mod schedule;
mod spending;
mod stages;

pub use boundary::{Boundary, Look};
pub use foresight::foreseen_critical_z;
pub use information::information;
pub use schedule::next_look;
pub use spending::Spending;
pub use stages::{spent_by_stage, spent_by_stage_of, spent_within_stage};
