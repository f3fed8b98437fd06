//! What changed in Core between two builds of a program, as people and programs read it.

pub mod document;
pub mod page;

pub(super) mod sentences;

pub use sentences::answer;
