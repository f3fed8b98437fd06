//! Why a program costs what it costs, as people and programs read it: findings, the most costly first.

pub mod cause;
pub mod document;
pub mod growth;
pub mod page;

pub(super) mod excerpt;
pub(super) mod sentences;
pub mod time;
