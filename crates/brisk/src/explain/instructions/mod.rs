//! Which functions execute a program's instructions, and what changed from one program to another.
//!
//! [`counts`] makes functions that people know of callgrind's profiles; [`difference`] aligns those
//! of two programs; [`fate`] says where the code of those went that are in one alone; [`lines`] looks
//! into a function; [`stacks`] are what is drawn.

pub mod counts;
pub mod difference;
pub mod fate;
pub mod lines;
pub mod objects;
pub mod profiling;
pub mod sources;
pub mod stacks;

#[cfg(test)]
mod tests;
