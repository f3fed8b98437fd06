//! brisk: a performance laboratory for programs.
//!
//! This crate is the command line. The work is in the crates below it, which `ARCHITECTURE.md`
//! describes; it follows an option, a reading and a commit through all of them.

pub mod cli;
