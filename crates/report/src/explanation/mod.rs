//! The reasons for a program's cost, for people and for programs: findings, most costly first.

pub mod cause;
pub mod growth;
pub mod page;

pub(super) mod sentences;
pub mod time;
