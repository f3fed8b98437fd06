//! Callgrind's counts: instructions executed by function and by line, and the calls between
//! functions.
//!
//! Format: the manual of Valgrind 3.19, "Callgrind Format Specification". A file has parts, one for
//! each dump; a part has a header, then cost lines below lines that name object, file and function.
//! Names are given once and then by number; positions are relative to those of the line before.
//! Cachegrind's files have the same form, without calls.
//!
//! Costs are those of one event, by default `Ir`, the instructions. Self costs are exact. Inclusive
//! costs are what calls cost until they returned, and are meaningless in programs whose calls do
//! not return, such as those of GHC.

mod inclusive;
mod names;
mod number;
mod profile;
mod reader;

pub use inclusive::{NoInclusive, inclusive};
pub use names::Name;
pub use profile::{Agreement, Call, CallgrindError, Function, LineCost, Part, Problem, Profile};
pub use reader::Reader;
