//! The changes in Core between two builds of a program, for people and for programs.

pub mod page;

pub(super) mod sentences;

pub use sentences::answer;
