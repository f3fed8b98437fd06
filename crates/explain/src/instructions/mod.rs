//! The functions that execute a program's instructions, and their change from one program to
//! another.
//!
//! [`counts`] turns callgrind's profiles into functions as users know them; [`difference`] aligns
//! those of two programs; [`fate`] finds the code of functions that are in only one of them;
//! [`lines`] splits a function into its lines; [`stacks`] are for drawing. [`finding`] is what all
//! of them found.

pub mod counts;
pub mod difference;
pub mod fate;
pub mod finding;
pub mod lines;
pub mod objects;
pub mod profiling;
pub mod sources;
pub mod stacks;

#[cfg(test)]
mod tests;
