//! The statistical design of an experiment: the comparisons that share the permitted error, and when
//! measuring ends.

pub mod contrasts;
pub mod family;
pub mod stopping;
